//! Extractors as data: which files a language has, how they are read, which rule gives
//! which metadata. Parsed here once; the rules themselves are applied elsewhere.

use serde::Deserialize;
use serde_json::{Map, Value};

/// How a file's text becomes a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    Python,
    Javascript,
    Typescript,
    Tsx,
    Yaml,
    Toml,
    Json,
    FrontMatter,
    /// No structure: only file name and regular expressions.
    Text,
}

/// How a language writes comments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    pub line: String,
    #[serde(default)]
    pub block: Option<(String, String)>,
}

/// What a file that says neither `tool_type` nor `executor_id` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unmarked {
    /// A tool of the default kind.
    #[default]
    Tool,
    /// Something else that happens to lie here.
    Skip,
    /// A mistake worth telling.
    Report,
}

/// Which keys of a data document become metadata besides those with a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    #[default]
    Rules,
    All,
}

/// One way to get a value.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
    /// A module-level literal, by the first of these names that exists.
    AstVar {
        #[serde(deserialize_with = "one_or_many")]
        name: Vec<String>,
    },
    /// The module's documentation.
    AstDocstring {},
    /// The parameter schema of the first of these functions that exists.
    AstSignature {
        functions: Vec<String>,
        /// A first parameter of this name takes all parameters as one object.
        #[serde(default)]
        whole: Option<String>,
        /// Further parameters the launcher fills in, beside `whole`.
        #[serde(default)]
        injected: Vec<String>,
    },
    /// The schema of what the first of these functions returns.
    AstReturns { functions: Vec<String> },
    /// What the first of these functions says it does.
    AstSummary { functions: Vec<String> },
    /// The name of the first of these functions that exists.
    AstEntry { functions: Vec<String> },
    /// The names of its parameters, if it takes them one by one and not by name.
    AstOrder { functions: Vec<String> },
    /// A value in a data document, by dotted key.
    Path { key: String },
    /// A value in the front matter, by dotted key.
    FrontMatter { key: String },
    /// The first match of a regular expression.
    Regex {
        pattern: String,
        #[serde(default = "first_group")]
        group: usize,
        #[serde(default)]
        multiline: bool,
    },
    /// All matches of a regular expression.
    RegexAll {
        pattern: String,
        #[serde(default = "first_group")]
        group: usize,
        #[serde(default)]
        multiline: bool,
    },
    /// The file's name without its extension.
    Filename {},
    /// The folders between `tools/` and the file.
    CategoryPath {
        /// What the category is taken from below; accepted for older extractors.
        #[serde(default)]
        base_folder: Option<String>,
    },
    /// The file's first prose comment.
    Comment {},
    /// A named block of TOML in comments, such as inline script metadata.
    ScriptBlock { name: String },
}

const fn first_group() -> usize {
    1
}

/// A metadata name and the ways to get it; the first that yields wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldRule {
    pub field: String,
    pub ways: Vec<Rule>,
}

/// One extractor, ready for use.
#[derive(Debug, Clone, PartialEq)]
pub struct Extractor {
    pub id: String,
    /// With their dot: `.py`.
    pub extensions: Vec<String>,
    pub reader: Reader,
    pub comment: Option<Comment>,
    /// Metadata for files that do not say it themselves.
    pub defaults: Map<String, Value>,
    pub unmarked: Unmarked,
    pub keep: Keep,
    pub rules: Vec<FieldRule>,
}

impl Extractor {
    /// Reads an extractor from its keys.
    ///
    /// # Errors
    /// Says which key is wrong, and how.
    pub fn parse(id: &str, document: &Map<String, Value>) -> Result<Self, String> {
        let extensions: Vec<String> = optional(document, "extensions")?.unwrap_or_default();
        if let Some(bad) = extensions.iter().find(|text| !is_extension(text)) {
            return Err(format!(
                "extensions: {bad:?} is not an extension such as .py"
            ));
        }
        let rules = match document.get("rules") {
            None => Vec::new(),
            Some(Value::Object(rules)) => rules
                .iter()
                .map(|(field, rule)| field_rule(field, rule))
                .collect::<Result<_, _>>()?,
            Some(_) => return Err("rules: is not a mapping".into()),
        };
        Ok(Self {
            id: id.to_owned(),
            extensions,
            reader: optional(document, "reader")?.unwrap_or(Reader::FrontMatter),
            comment: optional(document, "comment")?,
            defaults: optional(document, "defaults")?.unwrap_or_default(),
            unmarked: optional(document, "unmarked")?.unwrap_or_default(),
            keep: optional(document, "keep")?.unwrap_or_default(),
            rules,
        })
    }
}

fn is_extension(text: &str) -> bool {
    text.len() > 1 && text.starts_with('.') && !text.contains(['/', '\\', '\0'])
}

fn optional<T: for<'de> Deserialize<'de>>(
    document: &Map<String, Value>,
    key: &str,
) -> Result<Option<T>, String> {
    match document.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => T::deserialize(value)
            .map(Some)
            .map_err(|error| format!("{key}: {error}")),
    }
}

fn field_rule(field: &str, rule: &Value) -> Result<FieldRule, String> {
    let written: &[Value] = match rule {
        Value::Array(ways) => ways,
        single => std::slice::from_ref(single),
    };
    let ways = written
        .iter()
        .map(|way| Rule::deserialize(way).map_err(|error| format!("rules.{field}: {error}")))
        .collect::<Result<_, _>>()?;
    Ok(FieldRule {
        field: field.to_owned(),
        ways,
    })
}

fn one_or_many<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(name) => Ok(vec![name]),
        other => Vec::<String>::deserialize(other).map_err(serde::de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(document: Value) -> Result<Extractor, String> {
        let Value::Object(document) = document else {
            panic!("a test extractor is an object")
        };
        Extractor::parse("extractors/x", &document)
    }

    #[test]
    fn a_field_takes_one_rule_or_several_in_order() {
        let extractor = parse(json!({"extensions": [".x"], "reader": "text", "rules": {
            "name": {"type": "filename"},
            "category": [{"type": "regex", "pattern": "c=(.*)"}, {"type": "category_path"}],
        }}))
        .unwrap();
        assert_eq!(extractor.rules[0].ways.len(), 1);
        assert_eq!(extractor.rules[1].ways.len(), 2);
    }

    #[test]
    fn an_unknown_rule_type_is_named_with_its_field() {
        let fault = parse(json!({"rules": {"name": {"type": "magic"}}})).unwrap_err();
        assert!(
            fault.starts_with("rules.name: unknown variant `magic`"),
            "{fault}"
        );
    }

    #[test]
    fn an_extension_has_a_dot_and_no_slash() {
        for bad in ["py", ".", "./x", ""] {
            assert!(parse(json!({"extensions": [bad]})).is_err(), "{bad:?}");
        }
    }
}
