//! What earlier presets decided, in the config of later ones: `{python_environment.environment_path}`
//! stands for a value that the preset of that name told. Anything else in braces is text.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// What every preset told, by its name.
pub type Told = BTreeMap<String, Map<String, Value>>;

/// Fills a config in, all the way down.
pub fn fill(config: &mut Map<String, Value>, told: &Told) {
    config
        .values_mut()
        .for_each(|value| fill_value(value, told));
}

fn fill_value(value: &mut Value, told: &Told) {
    match value {
        Value::String(text) => *text = fill_text(text, told),
        Value::Array(items) => items.iter_mut().for_each(|item| fill_value(item, told)),
        Value::Object(fields) => fill(fields, told),
        _ => {}
    }
}

fn fill_text(text: &str, told: &Told) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, from) = rest.split_at(start);
        filled.push_str(before);
        let known = from
            .find('}')
            .and_then(|end| Some((value(&from[1..end], told)?, end + 1)));
        match known {
            Some((value, length)) => {
                filled.push_str(&value);
                rest = &from[length..];
            }
            None => {
                filled.push('{');
                rest = &from[1..];
            }
        }
    }
    filled + rest
}

fn value(path: &str, told: &Told) -> Option<String> {
    let (preset, path) = path.split_once('.')?;
    let mut keys = path.split('.');
    let first = told.get(preset)?.get(keys.next()?)?;
    let found = keys.try_fold(first, |value, key| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        value => value.get(key),
    })?;
    match found {
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_that_was_told_is_filled_in_and_other_braces_are_text() {
        let told = Told::from([(
            "env".to_owned(),
            json!({"path": "/p/.venv", "analysis": {"missing": ["six"], "count": 1}})
                .as_object()
                .cloned()
                .unwrap(),
        )]);
        let table = [
            ("{env.path}/bin", "/p/.venv/bin"),
            ("{env.analysis.missing.0}: {env.analysis.count}", "six: 1"),
            (
                "*.{a,b} {env} {env.gone} {other.path}",
                "*.{a,b} {env} {env.gone} {other.path}",
            ),
            ("{{env.path}", "{/p/.venv"),
            ("{", "{"),
        ];
        for (text, wanted) in table {
            assert_eq!(fill_text(text, &told), wanted, "{text}");
        }
    }
}
