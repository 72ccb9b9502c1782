//! Settings from the environment: the key `log` of the section `runs` is the variable
//! `TOOLROOM_RUNS_LOG`, and so on for each.
//!
//! A variable is a text and does not tell its type; the setting does. So the text is read
//! as each kind of value it could be, and the first that the setting takes is meant.

use std::ffi::OsStr;

use serde::Deserialize as _;
use toml::{Table, Value};
use toolroom_kernel::World;

use super::Settings;
use crate::failure::Failure;

/// Every setting but the tables of presets, which have whatever keys they like.
const KEYS: [(&str, &[&str]); 5] = [
    ("dotenv", &["allow"]),
    ("runs", &["log"]),
    (
        "python_environment",
        &[
            "force_isolation",
            "allow_global_python",
            "conflict_tolerance",
            "major_packages",
            "extras",
            "groups",
        ],
    ),
    ("presets", &["use"]),
    ("mcp", &["tools", "concurrency", "keep_servers"]),
];

const PREFIX: &str = "TOOLROOM_";

/// Few who call have any, and the names of all are dear to make.
fn may_be_ours(name: &OsStr) -> bool {
    let start = name.as_encoded_bytes().get(..PREFIX.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(PREFIX.as_bytes()))
}

/// What the variables of a world set.
///
/// # Errors
/// Names the variable whose value its setting does not take.
pub fn read(world: &World) -> Result<Table, Failure> {
    let mut settings = Table::new();
    if !world.env.iter().any(|(name, _)| may_be_ours(name)) {
        return Ok(settings);
    }
    for (section, keys) in KEYS {
        let mut own = Table::new();
        for key in keys {
            let name = format!("{PREFIX}{section}_{key}").to_uppercase();
            let Some(written) = world.env.get_os(&name) else {
                continue;
            };
            let text = written
                .to_str()
                .ok_or_else(|| invalid(&name, "it is not UTF-8"))?;
            if let Some(value) = value(section, key, text).map_err(|why| invalid(&name, &why))? {
                own.insert((*key).to_owned(), value);
            }
        }
        if !own.is_empty() {
            settings.insert(section.to_owned(), own.into());
        }
    }
    Ok(settings)
}

/// The value that a setting takes a text for. Nothing at all is an empty list, and no value
/// of anything else.
fn value(section: &str, key: &str, text: &str) -> Result<Option<Value>, String> {
    let mut first = None;
    for value in meanings(text) {
        match taken(section, key, value.clone()) {
            Ok(()) => return Ok(Some(value)),
            // What it looks most like is what its error speaks of.
            Err(reason) => _ = first.get_or_insert(reason),
        }
    }
    match first {
        Some(reason) if !text.is_empty() => Err(reason),
        _ => Ok(None),
    }
}

fn meanings(text: &str) -> impl Iterator<Item = Value> {
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    let list: Vec<Value> = words.map(Value::from).collect();
    [
        text.parse().ok().map(Value::Boolean),
        text.parse().ok().map(Value::Integer),
        (!text.is_empty()).then(|| text.into()),
        Some(list.into()),
    ]
    .into_iter()
    .flatten()
}

/// Asks the settings themselves.
fn taken(section: &str, key: &str, value: Value) -> Result<(), String> {
    let own = Table::from_iter([(key.to_owned(), value)]);
    let alone = Table::from_iter([(section.to_owned(), own.into())]);
    let settings = Settings::deserialize(alone);
    settings
        .map(|_| ())
        .map_err(|error| error.message().to_owned())
}

fn invalid(name: &str, reason: &str) -> Failure {
    Failure::new("settings::invalid", format!("{name}: {reason}")).help(format!(
        "correct or unset {name}; a list has commas or blanks between its words"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What may stand in a table, as the error for something else tells it.
    fn expected(text: &str) -> Vec<String> {
        let error = toml::from_str::<Settings>(text).unwrap_err().to_string();
        let (_, names) = error.split_once("expected").unwrap();
        let names = names.split('`').skip(1).step_by(2);
        names.map(str::to_owned).collect()
    }

    #[test]
    fn every_setting_has_a_variable() {
        let mut sections = expected("nothing = 1");
        sections.sort();
        let mut known = KEYS.map(|(section, _)| section);
        known.sort_unstable();
        assert_eq!(sections, known);
        for (section, keys) in KEYS.iter().filter(|(section, _)| *section != "presets") {
            assert_eq!(expected(&format!("[{section}]\nnothing = 1")), *keys);
        }
    }

    #[test]
    fn a_text_is_read_as_its_setting_says() {
        let list = |words: &[&str]| Ok(Some(Value::from(words.to_vec())));
        assert_eq!(value("dotenv", "allow", "true, 1"), list(&["true", "1"]));
        assert_eq!(value("presets", "use", "7"), list(&["7"]));
        assert_eq!(value("mcp", "tools", ""), list(&[]));
        assert_eq!(value("runs", "log", ""), Ok(None));
        assert_eq!(value("runs", "log", "false"), Ok(Some(false.into())));
        assert_eq!(value("mcp", "concurrency", "3"), Ok(Some(3.into())));
        let tolerance = value("python_environment", "conflict_tolerance", "lenient");
        assert_eq!(tolerance, Ok(Some("lenient".into())));
        for (section, key, text) in [
            ("runs", "log", "1"),
            ("mcp", "concurrency", "-1"),
            ("mcp", "keep_servers", "soon"),
            ("python_environment", "conflict_tolerance", "true"),
        ] {
            assert!(value(section, key, text).is_err(), "{section}.{key}");
        }
    }
}
