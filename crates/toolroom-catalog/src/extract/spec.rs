//! Extractors as data: which files a language has, how they are read, which rule gives
//! which metadata. Parsed here once; the rules themselves are applied elsewhere.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use toolroom_kernel::shape;

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
    /// What begins one that ends with its line; where several do, the longer ones first.
    #[serde(deserialize_with = "one_or_many")]
    pub line: Vec<String>,
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

/// Whether a file must have a block of metadata in its leading comment to be a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrontMatter {
    #[default]
    Optional,
    /// Without one the file is something else that happens to lie here.
    Required,
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
    /// The first match of a regular expression, or what one is said to mean.
    Regex {
        pattern: String,
        #[serde(default = "first_group")]
        group: usize,
        #[serde(default)]
        multiline: bool,
        #[serde(default, deserialize_with = "even_null")]
        value: Option<Value>,
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

/// A key that is there, also where it says null.
fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
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
    pub front_matter: FrontMatter,
    pub keep: Keep,
    pub rules: Vec<FieldRule>,
}

impl Extractor {
    /// Reads an extractor from its keys.
    ///
    /// # Errors
    /// Says which key is wrong, and how.
    pub fn parse(id: &str, document: &Map<String, Value>) -> Result<Self, String> {
        let written: Written = shape::read(document).map_err(|misfit| misfit.to_string())?;
        written.extractor(id)
    }

    /// Reads an extractor of core from its JSON document; none if it extends another.
    #[must_use]
    pub fn of_core(id: &str, json: &str) -> Option<Self> {
        let written: Written = serde_json::from_str(json).ok()?;
        if written.extends.is_some() {
            return None;
        }
        written.extractor(id).ok()
    }
}

/// An extractor as its file has it. Other keys are the file's own.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Written {
    extends: Option<IgnoredAny>,
    extensions: Option<Vec<String>>,
    reader: Option<Reader>,
    comment: Option<Comment>,
    defaults: Option<Map<String, Value>>,
    unmarked: Option<Unmarked>,
    front_matter: Option<FrontMatter>,
    keep: Option<Keep>,
    rules: FieldRules,
}

impl Written {
    fn extractor(self, id: &str) -> Result<Extractor, String> {
        let extensions = self.extensions.unwrap_or_default();
        if let Some(bad) = extensions.iter().find(|text| !is_extension(text)) {
            return Err(format!(
                "extensions: {bad:?} is not an extension such as .py"
            ));
        }
        Ok(Extractor {
            id: id.to_owned(),
            extensions,
            reader: self.reader.unwrap_or(Reader::FrontMatter),
            comment: self.comment,
            defaults: self.defaults.unwrap_or_default(),
            unmarked: self.unmarked.unwrap_or_default(),
            front_matter: self.front_matter.unwrap_or_default(),
            keep: self.keep.unwrap_or_default(),
            rules: self.rules.0,
        })
    }
}

fn is_extension(text: &str) -> bool {
    text.len() > 1 && text.starts_with('.') && !text.contains(['/', '\\', '\0'])
}

/// Fields in the order they are written, each with one way or with several.
#[derive(Default)]
struct FieldRules(Vec<FieldRule>);

impl<'de> Deserialize<'de> for FieldRules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = FieldRules;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping of fields to rules")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FieldRules, A::Error> {
                let mut rules = Vec::new();
                while let Some(field) = map.next_key()? {
                    let OneOrMany(ways) = map.next_value()?;
                    rules.push(FieldRule { field, ways });
                }
                Ok(FieldRules(rules))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// One of a kind, or a list of them.
struct OneOrMany<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one, or a list of them")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<OneOrMany<T>, E> {
                let one = T::deserialize(StrDeserializer::new(text))?;
                Ok(OneOrMany(vec![one]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OneOrMany<T>, A::Error> {
                let one = T::deserialize(MapAccessDeserializer::new(map))?;
                Ok(OneOrMany(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<OneOrMany<T>, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(items)).map(OneOrMany)
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    OneOrMany::deserialize(deserializer).map(|OneOrMany(names)| names)
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
            fault.starts_with("rules.name.type: unknown variant `magic`"),
            "{fault}"
        );
    }

    #[test]
    fn comments_may_begin_in_several_ways() {
        for (line, expected) in [
            (json!("#"), vec!["#"]),
            (json!([";;", ";"]), vec![";;", ";"]),
        ] {
            let extractor = parse(json!({"comment": {"line": line}})).unwrap();
            assert_eq!(extractor.comment.unwrap().line, expected);
        }
    }

    #[test]
    fn an_extension_has_a_dot_and_no_slash() {
        for bad in ["py", ".", "./x", ""] {
            assert!(parse(json!({"extensions": [bad]})).is_err(), "{bad:?}");
        }
    }
}
