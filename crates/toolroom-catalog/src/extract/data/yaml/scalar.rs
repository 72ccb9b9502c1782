//! What a YAML scalar means: the core schema of YAML 1.2, in values JSON can hold.

use serde_json::{Number, Value};
use serde_saphyr::granit_parser::{ScalarStyle, Tag};

/// A scalar as it is written.
pub(super) struct Scalar<'a> {
    pub(super) text: &'a str,
    kind: Kind,
}

/// What the writer said about the type, by a tag or by quotes.
#[derive(PartialEq)]
enum Kind {
    /// Nothing: the text decides.
    Open,
    Text,
    Null,
    Bool,
    Integer,
    Float,
    Merge,
}

impl<'a> Scalar<'a> {
    pub(super) fn new(text: &'a str, style: ScalarStyle, tag: Option<&Tag>) -> Self {
        let by_style = if style == ScalarStyle::Plain {
            Kind::Open
        } else {
            Kind::Text
        };
        let kind = match tag {
            Some(tag) if tag.is_yaml_core_schema() => match tag.core_suffix() {
                Some("null") => Kind::Null,
                Some("bool") => Kind::Bool,
                Some("int") => Kind::Integer,
                Some("float") => Kind::Float,
                Some("merge") => Kind::Merge,
                _ => Kind::Text,
            },
            // A lone `!` says that a plain scalar is text all the same.
            Some(tag) if tag.original() == "!" => Kind::Text,
            _ => by_style,
        };
        Self { text, kind }
    }

    pub(super) fn is_merge(&self) -> bool {
        self.text == "<<" && matches!(self.kind, Kind::Open | Kind::Merge)
    }

    pub(super) fn value(&self) -> Result<Value, String> {
        let text = self.text;
        let (value, wanted) = match self.kind {
            Kind::Text | Kind::Merge => return Ok(Value::String(text.to_owned())),
            Kind::Open => return inferred(text),
            Kind::Null => return Ok(Value::Null),
            Kind::Bool => (boolean(text), "truth value"),
            Kind::Integer => (integer(text)?, "whole number"),
            Kind::Float => (float(text)?, "number"),
        };
        value.ok_or_else(|| format!("`{text}` is not a {wanted}"))
    }
}

fn inferred(text: &str) -> Result<Value, String> {
    if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Ok(Value::Null);
    }
    let number = match boolean(text) {
        Some(value) => return Ok(value),
        None => match integer(text)? {
            None => float(text)?,
            whole => whole,
        },
    };
    Ok(number.unwrap_or_else(|| Value::String(text.to_owned())))
}

fn boolean(text: &str) -> Option<Value> {
    match text {
        "true" | "True" | "TRUE" => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => Some(Value::Bool(false)),
        _ => None,
    }
}

fn integer(text: &str) -> Result<Option<Value>, String> {
    let (digits, radix) = match (text.strip_prefix("0x"), text.strip_prefix("0o")) {
        (Some(digits), _) => (digits, 16),
        (_, Some(digits)) => (digits, 8),
        _ => (text.strip_prefix(['-', '+']).unwrap_or(text), 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Ok(None);
    }
    let number = if text.starts_with('-') {
        i64::from_str_radix(text, radix).map(Number::from)
    } else {
        u64::from_str_radix(digits, radix).map(Number::from)
    };
    number
        .map(|number| Some(Value::Number(number)))
        .map_err(|_| format!("the number {text} does not fit into 64 bits"))
}

fn float(text: &str) -> Result<Option<Value>, String> {
    let not_finite = || Err(format!("`{text}` is not a finite number"));
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return not_finite();
    }
    // Rust's own notion of a number is wider: it knows words, and so would take `inf`.
    let is_candidate = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && unsigned
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    match text.parse::<f64>() {
        Ok(number) if is_candidate => match Number::from_f64(number) {
            Some(number) => Ok(Some(Value::Number(number))),
            None => not_finite(),
        },
        _ => Ok(None),
    }
}
