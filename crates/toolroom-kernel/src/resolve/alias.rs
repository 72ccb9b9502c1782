//! What the name of a version stands for. Aliases may lead to aliases, and in circles.

use std::path::Path;

use super::facts::{Facts, Filled};
use super::files::{Reading, read_text};
use super::range::Range;
use super::spec::{AliasSpec, Spec};
use super::version::Version;
use super::version_file;
use crate::template::TemplateError;

const MAX_CHAIN: usize = 32;
const MAX_ALIAS_FILE: u64 = 64 * 1024;
const MAX_ALIASES: usize = 1024;

/// What a text asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    /// What PATH has without a version manager.
    System,
    Newest,
    Range(Range),
    /// An installation of just this name.
    Name(String),
}

/// Why an alias leads nowhere.
#[derive(Debug)]
pub(super) enum AliasFault {
    Circle(Vec<String>),
    Template(TemplateError),
}

impl From<TemplateError> for AliasFault {
    fn from(error: TemplateError) -> Self {
        Self::Template(error)
    }
}

/// Follows a text to what it asks for; several choices are in order of preference.
pub(super) fn follow(
    text: &str,
    spec: &Spec,
    facts: &Facts<'_>,
) -> Result<Vec<Choice>, AliasFault> {
    let mut chain = Vec::new();
    let mut current = trimmed(text, spec);
    loop {
        if let Some(choice) = plain(&current, &spec.alias) {
            return Ok(vec![choice]);
        }
        if chain.contains(&current) || chain.len() >= MAX_CHAIN {
            chain.push(current);
            return Err(AliasFault::Circle(chain));
        }
        match look_up(&current, spec, facts)? {
            Target::Text(next) => {
                chain.push(current);
                current = trimmed(&next, spec);
            }
            Target::Texts(texts) => {
                return Ok(texts
                    .iter()
                    .filter_map(|text| plain(&trimmed(text, spec), &spec.alias))
                    .collect());
            }
            Target::None => return Ok(vec![Choice::Name(current)]),
        }
    }
}

fn trimmed(text: &str, spec: &Spec) -> String {
    let mut text = text.trim();
    if let Some(cut) = &spec.cut {
        text = text.split(cut.as_str()).next().unwrap_or_default();
    }
    stripped(text, spec).to_owned()
}

/// A text without the beginnings that do not belong to its version.
pub(super) fn stripped<'t>(text: &'t str, spec: &Spec) -> &'t str {
    spec.strip.iter().fold(text, |text, prefix| {
        let rest = text.strip_prefix(prefix.as_str());
        rest.filter(|rest| Version::parse(rest).is_some())
            .unwrap_or(text)
    })
}

fn plain(text: &str, alias: &AliasSpec) -> Option<Choice> {
    let is_one_of = |words: &[String]| words.iter().any(|word| word == text);
    if is_one_of(&alias.system) {
        return Some(Choice::System);
    }
    if is_one_of(&alias.newest) {
        return Some(Choice::Newest);
    }
    Range::parse(text).map(Choice::Range)
}

enum Target {
    Text(String),
    Texts(Vec<String>),
    None,
}

fn look_up(name: &str, spec: &Spec, facts: &Facts<'_>) -> Result<Target, TemplateError> {
    let alias = &spec.alias;
    if let Some(counted) = &alias.counted
        && let Some(back) = name
            .strip_prefix(counted.as_str())
            .and_then(|rest| rest.strip_prefix("/-"))
        && let Ok(back) = back.parse::<usize>()
    {
        return Ok(match counted_back(counted, back, alias, facts)? {
            Some(name) => Target::Text(name),
            None => Target::None,
        });
    }
    let mut facts = facts.clone();
    facts.set("name", name.to_owned());
    if let Some(file) = &alias.file
        && let Filled::Text(file) = facts.fill(file)?
        && let Some(text) = read_alias(Path::new(&file))
    {
        return Ok(Target::Text(text));
    }
    if let Some(table) = &alias.table
        && let Filled::Text(file) = facts.fill(table)?
        && let Reading::Text(text) = read_text(Path::new(&file), MAX_ALIAS_FILE)
    {
        let mut lines = text.lines().filter_map(|line| line.split_once('='));
        let found = lines
            .find(|(key, _)| key.trim() == name)
            .map(|(_, value)| value.trim().to_owned());
        if let Some(text) = found.filter(|text| version_file::fault(text).is_none()) {
            return Ok(Target::Text(text));
        }
    }
    Ok(match alias.names.get(name) {
        Some(texts) => Target::Texts(texts.on(facts.world.os).to_vec()),
        None => Target::None,
    })
}

/// An alias is a file with a version in it, or a link to the folder of one.
fn read_alias(path: &Path) -> Option<String> {
    if let Ok(target) = std::fs::read_link(path) {
        let parts = target
            .components()
            .rev()
            .filter_map(|part| part.as_os_str().to_str());
        return parts
            .filter(|part| Version::parse(part).is_some())
            .map(str::to_owned)
            .next();
    }
    let Reading::Text(text) = read_text(path, MAX_ALIAS_FILE) else {
        return None;
    };
    let first = version_file::versions(&text, version_file::Form::Plain)
        .into_iter()
        .next()?;
    version_file::fault(&first).is_none().then_some(first)
}

/// The alias that many places before the last of a folder, by name.
fn counted_back(
    folder: &str,
    back: usize,
    alias: &AliasSpec,
    facts: &Facts<'_>,
) -> Result<Option<String>, TemplateError> {
    let mut facts = facts.clone();
    facts.set("name", folder.to_owned());
    let mut names = Vec::new();
    if let Some(file) = &alias.file
        && let Filled::Text(directory) = facts.fill(file)?
        && let Ok(entries) = fs_err::read_dir(directory)
    {
        let entries = entries.take(MAX_ALIASES).flatten();
        names.extend(entries.filter_map(|entry| entry.file_name().into_string().ok()));
    }
    if names.is_empty() {
        let known = alias
            .names
            .keys()
            .filter_map(|name| name.strip_prefix(folder)?.strip_prefix('/'));
        names.extend(known.map(str::to_owned));
    }
    names.retain(|name| name != "*");
    names.sort_unstable();
    let found = names
        .len()
        .checked_sub(1)
        .and_then(|last| names.get(last.checked_sub(back)?));
    Ok(found.map(|name| format!("{folder}/{name}")))
}
