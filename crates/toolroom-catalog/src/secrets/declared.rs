//! Secrets that a tool's file spells out. What its config says under a name that is a
//! secret's is hidden where the file is shown, and so is the same value elsewhere in it. A
//! reference such as `${API_TOKEN}` gives nothing away, and says where the value is.

use std::borrow::Cow;
use std::ffi::OsStr;

use serde_json::{Map, Value};
use toolroom_kernel::template::Template;

use super::{HIDDEN, Secrets, address, is_secret};

/// The fields of a tool whose names are those of variables, headers and credentials; in
/// others, such as schemas, a name like `token` says nothing of the value.
const FIELDS: [&str; 2] = ["config", "env_config"];
/// Tables in which every value is one of those.
const TABLES: [&str; 3] = ["env", "headers", AUTH];
const AUTH: &str = "auth";
/// What `auth` holds of secrets under names that tell nothing.
const AUTH_FIELDS: [&str; 2] = ["key", "value"];

/// What a tool's metadata spells out of secrets.
#[must_use]
pub fn values(metadata: &Map<String, Value>) -> Vec<&str> {
    let mut found = Vec::new();
    for field in FIELDS {
        if let Some(value) = metadata.get(field) {
            collect(field, value, &mut found);
        }
    }
    found
}

fn collect<'m>(table: &str, value: &'m Value, found: &mut Vec<&'m str>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if names_secret(table, name) {
                    found.extend(texts(value).flat_map(spelled_out));
                }
                collect(name, value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(table, item, found)),
        _ => {}
    }
}

/// Hides in a tool's metadata what it spells out of secrets, and others that are known.
pub fn hide(metadata: &mut Map<String, Value>, secrets: &Secrets) {
    for (name, field) in metadata {
        if FIELDS.contains(&name.as_str()) {
            hide_in(name, field, secrets);
        } else {
            secrets.hide(field);
        }
    }
}

/// The same for a part of a config, by the name it is declared under.
pub fn hide_in(table: &str, value: &mut Value, secrets: &Secrets) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if names_secret(table, name) {
                    hide_spelled_out(table, value);
                }
                match value {
                    Value::String(text) if TABLES.contains(&table) => {
                        *text = secrets.shown("".as_ref(), text.as_ref()).into_owned();
                    }
                    _ => hide_in(name, value, secrets),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                hide_in(table, item, secrets);
            }
        }
        Value::String(text) => {
            let shown = match text.contains("://") {
                true => address::without_credentials(text.as_str().into()),
                false => Cow::from(text.as_str()),
            };
            *text = secrets.hidden(&shown).into_owned();
        }
        _ => {}
    }
}

fn hide_spelled_out(table: &str, value: &mut Value) {
    match value {
        Value::String(text) if !spelled_out(text).is_empty() => HIDDEN.clone_into(text),
        // A variable has a text for its value, however it is written.
        Value::Number(_) if TABLES.contains(&table) => *value = HIDDEN.into(),
        Value::Array(items) => {
            for item in items {
                hide_spelled_out(table, item);
            }
        }
        _ => {}
    }
}

fn names_secret(table: &str, name: &str) -> bool {
    let is_auth = table == AUTH && AUTH_FIELDS.contains(&name);
    is_auth || is_secret(OsStr::new(&name.replace(['-', '.'], "_")))
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    items.iter().filter_map(Value::as_str)
}

/// What a text says itself of a secret; nothing if it refers to it.
fn spelled_out(text: &str) -> Vec<&str> {
    let Ok(template) = Template::parse(text) else {
        return vec![text];
    };
    // `Bearer ${TOKEN}` names a scheme and refers to the rest.
    let is_scheme = |word: &str| {
        let scheme = word.strip_suffix(' ').filter(|_| word != text);
        scheme.is_some_and(|scheme| scheme.chars().all(char::is_alphabetic))
    };
    let words = template.own_words().into_iter().map(|word| &text[word]);
    words
        .filter(|word| word.contains(char::is_alphanumeric) && !is_scheme(word))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(mut metadata: Value) -> Value {
        let fields = metadata.as_object_mut().unwrap();
        let secrets = Secrets::default().and(values(&fields.clone()));
        hide(fields, &secrets);
        metadata
    }

    #[test]
    fn what_a_file_spells_out_of_a_secret_is_hidden() {
        let metadata = json!({
            "description": "Sends abc-secret-1.",
            "config": {
                "env": {"API_TOKEN": "abc-secret-1", "SAME": "x abc-secret-1", "PIN_SECRET": 123_456, "PLAIN": "abc"},
                "headers": {"Authorization": "Bearer hunter2", "X-Api-Key": ["hunter3", "${KEY}"]},
                "auth": {"type": "api_key", "key": "hunter4", "header": "X-Key"},
                "url": "https://me:hunter5@host/x",
                "args": ["--for", "abc-secret-1"],
            },
        });
        let wanted = json!({
            "description": "Sends ***.",
            "config": {
                "env": {"API_TOKEN": "***", "SAME": "x ***", "PIN_SECRET": "***", "PLAIN": "abc"},
                "headers": {"Authorization": "***", "X-Api-Key": ["***", "${KEY}"]},
                "auth": {"type": "api_key", "key": "***", "header": "X-Key"},
                "url": "https://***@host/x",
                "args": ["--for", "***"],
            },
        });
        assert_eq!(shown(metadata), wanted);
    }

    #[test]
    fn what_refers_to_a_secret_or_only_has_such_a_name_stays() {
        let metadata = json!({
            "input_schema": {"properties": {"token": {"type": "string"}}, "required": ["token"]},
            "parameters": {"token": "string"},
            "config": {
                "env": {"API_TOKEN": "${API_TOKEN}", "MY_TOKEN": "${A:?say what A is}", "EMPTY_TOKEN": ""},
                "headers": {"Authorization": "Bearer ${API_TOKEN}", "Cookie": "${A};${B}"},
                "auth": {"type": "bearer", "token": "{params.token}"},
                "token_limit": 4000,
            },
        });
        assert_eq!(shown(metadata.clone()), metadata);
    }

    #[test]
    fn a_word_that_stands_in_for_a_secret_is_one() {
        let table = [
            ("${A:-hunter2}", &["hunter2"][..]),
            ("${A:-${B:-x9}}", &["x9"]),
            ("Bearer hunter2", &["Bearer hunter2"]),
            ("Bearer hunter${A}", &["Bearer hunter"]),
            ("${broken", &["${broken"]),
            ("Bearer ${A}", &[]),
            ("${A:?message}", &[]),
        ];
        for (text, wanted) in table {
            assert_eq!(spelled_out(text), wanted, "{text}");
        }
    }
}
