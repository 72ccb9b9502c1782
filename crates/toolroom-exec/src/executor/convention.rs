//! How a tool is called where no link of its chain says so.
//!
//! A runtime may say no more than which interpreter it is, as the first ones did. A file that
//! has a function nothing in it calls is then called as the usual runtime of its kind of file
//! would, with this runtime's command and environment. Must not know any language: which
//! runtime is the usual one, and how it calls, is data.

use std::borrow::Cow;
use std::io::Read as _;

use serde_json::{Map, Value};
use toolroom_catalog::{Catalog, core_data};
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::{Role, Tool, field};
use toolroom_kernel::plain::{self, Links};
use toolroom_kernel::resolve::Note;

use super::config;
use super::style::Style;

const CALL: &str = "call";

/// The most that is read of a tool's file, as much as the catalog takes.
const LARGEST: u64 = 4 << 20;

/// How a chain's tool is called.
#[derive(Debug)]
pub struct Convention {
    /// The merged config, with `call` wherever that is known.
    pub config: Map<String, Value>,
    /// The runtime whose way of calling it is, if it is none of the chain.
    pub lender: Option<Tool>,
    /// What the user should know of it.
    pub note: Option<Note>,
}

/// Finds out how the tool of a chain is called; by `source` if that stands for the text of
/// its file.
#[must_use]
pub fn of(catalog: &Catalog, chain: &Chain, source: Option<&str>) -> Convention {
    let mut found = Convention {
        config: config::merged(chain),
        lender: None,
        note: None,
    };
    let tool = chain.tool();
    let is_script = matches!(Style::of(chain, &found.config), Ok(Style::Script));
    let Some(entry) = tool.text(field::ENTRY).filter(|_| is_script) else {
        return found;
    };
    if calls(tool, source, entry) {
        return found;
    }
    let lender = lender(catalog, chain, &found.config);
    let call = lender
        .as_ref()
        .and_then(|lender| lender.config()?.get(CALL));
    match call.cloned() {
        Some(call) => {
            found.config.insert(CALL.to_owned(), call);
            found.lender = lender;
        }
        None => found.note = Some(uncalled(tool, entry)),
    }
    found
}

/// The runtime that calls functions with the interpreter of this chain: the usual one of the
/// tool's kind of file, or another of core's.
fn lender(catalog: &Catalog, chain: &Chain, config: &Map<String, Value>) -> Option<Tool> {
    let others = core_data::files().iter().map(|file| file.id);
    let others = others
        .filter(|id| id.starts_with("runtimes/"))
        .filter_map(|id| catalog.find(id).ok());
    let usual = catalog.usual_executor(chain.tool()).into_iter();
    usual
        .chain(others)
        .find(|other| may_lend(other, chain, config))
}

/// Whether the tools of a chain may be called as another runtime calls them: nothing is
/// said of how they get their parameters, and it is the same interpreter that runs them: one
/// that is looked for alike, one that falls back on the same program, or one of the same
/// name in an environment that is made alike.
fn may_lend(usual: &Tool, chain: &Chain, config: &Map<String, Value>) -> bool {
    let says_how = ["args", "input_data"].iter().any(|key| {
        let text = config.get(*key).map(Value::to_string).unwrap_or_default();
        text.contains("{tool_") || text.contains("{params")
    });
    let command = config.get("command").and_then(Value::as_str);
    let runs = |resource: &Map<String, Value>| {
        let var = resource.get("var").and_then(Value::as_str);
        var.is_some_and(|var| command == Some(format!("${{{var}}}").as_str()))
    };
    let links = chain.links().iter();
    let mut own = links
        .filter(|link| link.role() == Role::Runtime)
        .flat_map(|link| resources(link))
        .filter(|own| runs(own));
    let calls_functions = usual
        .config()
        .and_then(|config| config.get(CALL)?.get("style")?.as_str())
        == Some("function");
    calls_functions
        && !says_how
        && config.get(CALL).is_none()
        && (own.any(|own| resources(usual).any(|other| is_same(own, other)))
            || (is_set_up_alike(usual, config) && command.is_some_and(|it| is_usual(usual, it))))
}

fn is_set_up_alike(usual: &Tool, config: &Map<String, Value>) -> bool {
    let kind = |config: &Map<String, Value>| config.get("env_setup")?.get("type").cloned();
    let own = kind(config);
    own.is_some() && own == usual.config().and_then(kind)
}

/// Whether a command is what the usual runtime falls back on, by itself or as a default.
fn is_usual(usual: &Tool, command: &str) -> bool {
    let inner = command
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'));
    let default = inner.and_then(|inner| inner.split_once(":-"));
    let program = default.map_or(command, |(_, program)| program);
    resources(usual).any(|known| known.get("fallback").and_then(Value::as_str) == Some(program))
}

fn resources(runtime: &Tool) -> impl Iterator<Item = &Map<String, Value>> {
    let declared = runtime.env_config().into_iter().flat_map(Map::values);
    declared.filter_map(Value::as_object)
}

/// Whether two runtimes look for the same interpreter.
fn is_same(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let agree = |key: &str| one.get(key) == other.get(key);
    let is_looked_for_alike = one.contains_key("type") && agree("type") && agree("binary");
    is_looked_for_alike || (one.contains_key("fallback") && agree("fallback"))
}

/// Whether a word stands in a tool's file.
#[must_use]
pub fn speaks_of(tool: &Tool, source: Option<&str>, word: &str) -> bool {
    text_of(tool, source).is_some_and(|text| text.contains(word))
}

fn text_of<'s>(tool: &Tool, source: Option<&'s str>) -> Option<Cow<'s, str>> {
    if let Some(source) = source {
        return Some(Cow::Borrowed(source));
    }
    let mut text = Vec::new();
    let file = plain::open(&tool.path, Links::Followed).ok()?;
    file.take(LARGEST).read_to_end(&mut text).ok()?;
    Some(Cow::Owned(String::from_utf8_lossy(&text).into_owned()))
}

/// Whether something in a file calls its function, or hands it to what will.
fn calls(tool: &Tool, source: Option<&str>, entry: &str) -> bool {
    // A file that cannot be read is no reason to change how it is run.
    let Some(text) = text_of(tool, source) else {
        return true;
    };
    let definition = tool.positions.get(field::ENTRY).map(|at| at.line);
    let mut lines = text.lines().zip(1..);
    lines.any(|(line, number)| Some(number) != definition && is_call(line, entry))
}

/// `main(…)`, or `run(main)` and `run(main, …)`.
fn is_call(line: &str, entry: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(entry).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + entry.len()..]);
        let is_word = !before.ends_with(is_part) && !after.starts_with(is_part);
        let (before, after) = (before.trim_end(), after.trim_start());
        let is_handed_on = before.ends_with('(') && after.starts_with([')', ',']);
        is_word && (after.starts_with('(') || is_handed_on)
    })
}

fn uncalled(tool: &Tool, entry: &str) -> Note {
    let file = tool.path.file_name().unwrap_or_default().display();
    Note::of_call(
        format!("{file} is run as a script, and nothing in it calls its {entry}"),
        "have the script call it, or give its runtime a call of style function",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_told_from_a_definition_and_from_prose() {
        let calls = [
            "main()",
            "    sys.exit(main(sys.argv))",
            "typer.run(main)",
            "serve( main , 3)",
            "main (1)",
        ];
        for line in calls {
            assert!(is_call(line, "main"), "{line}");
        }
        for line in [
            "if __name__ == \"__main__\":",
            "domain(1)",
            "main_part()",
            "# the main thing (main idea)",
            "const main = (a) => a;",
        ] {
            assert!(!is_call(line, "main"), "{line}");
        }
    }
}
