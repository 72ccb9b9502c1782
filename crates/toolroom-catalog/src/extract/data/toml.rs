//! TOML: parsed with spans, then turned into JSON values; dates become text.

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};
use toolroom_kernel::Position;

use super::super::document::{Located, SyntaxFault};
use super::{Entry, MAX_DEPTH, Places, too_deep};

pub(super) fn entries(source: &str) -> Result<Vec<Entry>, SyntaxFault> {
    let fault = |offset: usize, message: String| SyntaxFault {
        at: Position::at_offset(source, offset),
        message,
    };
    let table = DeTable::parse(source).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let message = match error.message() {
            limit if limit.contains("recurs") => too_deep(),
            other => other.to_owned(),
        };
        fault(offset, message)
    })?;
    let mut places = Places::new(source);
    in_order(table.get_ref())
        .into_iter()
        .map(|(key, node)| {
            let value = value(node, 1).map_err(|refusal| fault(refusal.offset, refusal.message))?;
            let at = places.of(key.span().start);
            Ok((key.get_ref().to_string(), Located { value, at }))
        })
        .collect()
}

/// A value JSON cannot hold, and where it is.
struct Refusal {
    offset: usize,
    message: String,
}

type Pair<'t, 'i> = (
    &'t Spanned<std::borrow::Cow<'i, str>>,
    &'t Spanned<DeValue<'i>>,
);

/// The parser keeps its tables sorted by key; people expect the order they wrote.
fn in_order<'t, 'i>(table: &'t DeTable<'i>) -> Vec<Pair<'t, 'i>> {
    let mut pairs: Vec<_> = table.iter().collect();
    pairs.sort_by_key(|(key, _)| key.span().start);
    pairs
}

fn value(node: &Spanned<DeValue<'_>>, depth: usize) -> Result<Value, Refusal> {
    let refusal = |message: String| Refusal {
        offset: node.span().start,
        message,
    };
    let is_container = matches!(node.get_ref(), DeValue::Array(_) | DeValue::Table(_));
    if is_container && depth >= MAX_DEPTH {
        return Err(refusal(too_deep()));
    }
    match node.get_ref() {
        DeValue::String(text) => Ok(Value::String(text.to_string())),
        DeValue::Integer(digits) => integer(digits)
            .map(Value::Number)
            .ok_or_else(|| refusal(format!("the number {digits} does not fit into 64 bits"))),
        DeValue::Float(digits) => digits
            .as_str()
            .parse()
            .ok()
            .and_then(Number::from_f64)
            .map(Value::Number)
            .ok_or_else(|| refusal(format!("`{}` is not a finite number", digits.as_str()))),
        DeValue::Boolean(value) => Ok(Value::Bool(*value)),
        DeValue::Datetime(moment) => Ok(Value::String(moment.to_string())),
        DeValue::Array(items) => items.iter().map(|item| value(item, depth + 1)).collect(),
        DeValue::Table(table) => {
            let pairs = in_order(table).into_iter();
            let pairs =
                pairs.map(|(key, node)| Ok((key.get_ref().to_string(), value(node, depth + 1)?)));
            pairs.collect::<Result<Map<_, _>, _>>().map(Value::Object)
        }
    }
}

fn integer(digits: &DeInteger<'_>) -> Option<Number> {
    i64::from_str_radix(digits.as_str(), digits.radix())
        .ok()
        .map(Number::from)
}
