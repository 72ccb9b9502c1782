//! A resolver as it is written in data.
//!
//! These types mirror `docs/reference/resolvers.md` key by key; a key that is not there
//! is an error. What the keys mean is in the modules that use them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::error::ResolveError;
use super::texts::Texts;
use crate::near;

/// How often a resolver may extend another.
const MAX_EXTENDS: usize = 4;

/// How deep two documents are merged.
const MAX_MERGE_DEPTH: usize = 16;

/// Where resolvers come from. The catalog knows; the kernel asks by name.
pub trait Resolvers {
    /// The data of a resolver, as its file says it.
    fn resolver(&self, name: &str) -> Option<Cow<'_, Value>>;

    /// The same as a JSON document, where that is at hand: most resolvers need no other
    /// form, and a tree of values is dearer than all that is done with it.
    fn written(&self, _name: &str) -> Option<&str> {
        None
    }

    /// All names, for "did you mean".
    fn names(&self) -> Vec<String>;
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Spec {
    pub(super) options: BTreeMap<String, Option<Texts>>,
    pub(super) root: Texts,
    pub(super) facts: BTreeMap<String, FactSpec>,
    pub(super) rules: BTreeMap<String, Vec<Condition>>,
    pub(super) environment: Option<EnvironmentSpec>,
    pub(super) wanted: Vec<WantedSpec>,
    /// Beginnings that do not belong to a version.
    pub(super) strip: Vec<String>,
    /// What follows this does not belong to a version.
    pub(super) cut: Option<String>,
    pub(super) alias: AliasSpec,
    pub(super) installed: Texts,
    pub(super) executable: Texts,
    pub(super) evidence: Vec<EvidenceSpec>,
    pub(super) places: BTreeMap<String, Vec<Move>>,
    pub(super) report: Vec<String>,
    pub(super) shims: Vec<ShimSpec>,
    pub(super) activate: ActivateSpec,
    pub(super) settings: Option<Map<String, Value>>,
    extends: Option<IgnoredAny>,
    select: Option<IgnoredAny>,
    #[serde(rename = "managers")]
    _managers: IgnoredAny,
    // What every tool file may say of itself.
    #[serde(rename = "tool_type")]
    _tool_type: IgnoredAny,
    #[serde(rename = "name")]
    _name: IgnoredAny,
    #[serde(rename = "version")]
    _version: IgnoredAny,
    #[serde(rename = "description")]
    _description: IgnoredAny,
    #[serde(rename = "category")]
    _category: IgnoredAny,
    #[serde(rename = "executor_id")]
    _executor_id: IgnoredAny,
    #[serde(rename = "aliases")]
    _aliases: IgnoredAny,
}

impl Spec {
    /// Whether it is all there is to know, with no other laid under or over it.
    const fn stands_alone(&self) -> bool {
        self.extends.is_none() && self.select.is_none()
    }
}

/// A directory that an activation may speak of.
#[derive(Debug, Deserialize)]
#[serde(try_from = "RawFact")]
pub(super) enum FactSpec {
    /// Those of this name, looking upward, the nearest first.
    Upward(String),
    /// One that is known, but only if it has an entry of this name.
    Marked { directory: String, has: String },
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawFact {
    upward: Option<String>,
    directory: Option<String>,
    has: Option<String>,
}

impl TryFrom<RawFact> for FactSpec {
    type Error = &'static str;

    fn try_from(raw: RawFact) -> Result<Self, Self::Error> {
        match (raw.upward, raw.directory, raw.has) {
            (Some(name), None, None) => Ok(Self::Upward(name)),
            (None, Some(directory), Some(has)) => Ok(Self::Marked { directory, has }),
            _ => Err("a fact is either upward, or directory and has"),
        }
    }
}

/// One line of a rule; the first that applies decides.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Condition {
    pub(super) exists: Option<String>,
    pub(super) equal: Option<(String, String)>,
    pub(super) ends_with: Option<(String, String)>,
    pub(super) given: Option<String>,
    pub(super) then: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct EnvironmentSpec {
    pub(super) marker: Option<String>,
    /// A file that is there only while the environment is being made.
    pub(super) unfinished: Option<String>,
    pub(super) redirect_file: bool,
    pub(super) executable: Texts,
    pub(super) base: Option<KeySpec>,
    pub(super) version: Option<KeySpec>,
    /// How many numbers of the version must be those of the interpreter it links to.
    pub(super) agree: usize,
}

/// A value in a file of `key = value` lines.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeySpec {
    pub(super) file: String,
    #[serde(alias = "key")]
    pub(super) keys: Texts,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WantedSpec {
    pub(super) option: Option<String>,
    pub(super) variable: Option<String>,
    pub(super) file: Option<String>,
    pub(super) alias: Option<String>,
    pub(super) walk: Option<Walk>,
    /// Splits a variable into several versions.
    pub(super) separator: Option<String>,
    /// All lines, or all words of the line, are versions in order of preference.
    pub(super) list: bool,
    /// The first word of the line that counts.
    pub(super) line: Texts,
    /// In that line, only what stands in quotes right after the word counts.
    pub(super) quoted: bool,
    /// What it names is the lowest version that will do.
    pub(super) at_least: bool,
    /// A dotted path into a JSON document.
    pub(super) json: Option<String>,
    /// Of several objects there, the one of this name; its `version` counts.
    pub(super) named: Option<String>,
    /// A section of a `key = value` document.
    pub(super) section: Option<String>,
    pub(super) key: Texts,
    /// If it is not installed, go on without it.
    pub(super) soft: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Walk {
    Up,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AliasSpec {
    /// A file for each alias; a link says it by its target.
    pub(super) file: Option<String>,
    /// One file of `alias=version` lines.
    pub(super) table: Option<String>,
    /// Aliases that are known without a file.
    pub(super) names: BTreeMap<String, Texts>,
    /// Words for the newest that is installed.
    pub(super) newest: Vec<String>,
    /// Words for what PATH has without the manager.
    pub(super) system: Vec<String>,
    /// A folder of aliases in which `folder/-1` counts back.
    pub(super) counted: Option<String>,
}

/// What tells the version of an executable without running it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct EvidenceSpec {
    /// A file name in its chain of links.
    pub(super) link: Option<String>,
    /// The last folders of a path in that chain.
    pub(super) folder: Option<String>,
    /// A file of `KEY VALUE` lines; the keys' values are joined with dots.
    pub(super) file: Option<String>,
    pub(super) keys: Vec<String>,
    /// In place of keys: the first word of the file that looks so.
    pub(super) word: Option<String>,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ShimSpec {
    pub(super) directory: Option<String>,
    pub(super) contains: Option<String>,
    pub(super) link: Option<String>,
    /// A folder whose links lead to the real directory.
    pub(super) through: Option<String>,
    pub(super) resolver: Option<String>,
    pub(super) with: BTreeMap<String, String>,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ActivateSpec {
    pub(super) set: BTreeMap<String, Texts>,
    pub(super) prepend: BTreeMap<String, Texts>,
    pub(super) remove: BTreeMap<String, Texts>,
    pub(super) unset: Vec<String>,
    /// Unset as well where the interpreter has an environment of its own.
    pub(super) leave: Vec<String>,
}

/// One thing a place looks at.
#[derive(Debug, Deserialize)]
#[serde(try_from = "RawMove")]
pub(super) struct Move {
    pub(super) kind: MoveKind,
    pub(super) when: Option<String>,
    pub(super) unless: Option<String>,
}

#[derive(Debug)]
pub(super) enum MoveKind {
    /// A directory that holds an interpreter of its own.
    Environment { path: String, strict: bool },
    /// A file; with `*` or `{version}` in it, installed versions.
    Executable(String),
    /// Names looked up on PATH.
    Which(Texts),
    /// The path an environment variable holds.
    Variable(String),
    /// What `installed` and `executable` of the resolver say.
    Installed(Installed),
    /// What another resolver finds.
    Resolver {
        name: String,
        with: BTreeMap<String, String>,
    },
}

/// Which installed versions count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Installed {
    /// Only if something asks for a version.
    Asked,
    /// The newest, if nothing asks.
    Newest,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawMove {
    environment: Option<String>,
    strict: bool,
    executable: Option<String>,
    which: Option<Texts>,
    variable: Option<String>,
    installed: Option<Installed>,
    resolver: Option<String>,
    with: BTreeMap<String, String>,
    when: Option<String>,
    unless: Option<String>,
}

impl TryFrom<RawMove> for Move {
    type Error = &'static str;

    fn try_from(raw: RawMove) -> Result<Self, Self::Error> {
        let strict = raw.strict;
        let with = raw.with;
        let kinds = [
            raw.environment
                .map(|path| MoveKind::Environment { path, strict }),
            raw.executable.map(MoveKind::Executable),
            raw.which.map(MoveKind::Which),
            raw.variable.map(MoveKind::Variable),
            raw.installed.map(MoveKind::Installed),
            raw.resolver.map(|name| MoveKind::Resolver { name, with }),
        ];
        let mut kinds = kinds.into_iter().flatten();
        match (kinds.next(), kinds.next()) {
            (Some(kind), None) => Ok(Self {
                kind,
                when: raw.when,
                unless: raw.unless,
            }),
            _ => Err(
                "a move is one of environment, executable, which, variable, installed, resolver",
            ),
        }
    }
}

/// Loads a resolver: what it extends, then itself, then the manager its options select.
pub(super) fn load(
    resolvers: &dyn Resolvers,
    name: &str,
    options: &Map<String, Value>,
) -> Result<Option<Spec>, ResolveError> {
    if let Some(text) = resolvers.written(name)
        && let Ok(spec) = serde_json::from_str::<Spec>(text)
        && spec.stands_alone()
    {
        return Ok(Some(spec));
    }
    let Some(data) = extended(resolvers, name, MAX_EXTENDS)? else {
        return Ok(None);
    };
    let bad = |reason: String| ResolveError::BadResolver {
        resolver: name.to_owned(),
        reason,
    };
    let chosen =
        match data.get("select").and_then(Value::as_str) {
            None => None,
            Some(option) => Some(selected(&data, option, options).map_err(|reason| {
                ResolveError::NoManager {
                    resolver: name.to_owned(),
                    reason,
                }
            })?),
        };
    let data = chosen.map_or(data, Cow::Owned);
    Spec::deserialize(data.as_ref())
        .map(Some)
        .map_err(|error| bad(error.to_string()))
}

fn extended<'r>(
    resolvers: &'r dyn Resolvers,
    name: &str,
    left: usize,
) -> Result<Option<Cow<'r, Value>>, ResolveError> {
    let Some(data) = resolvers.resolver(name) else {
        return Ok(None);
    };
    let Some(base) = data.get("extends").and_then(Value::as_str) else {
        return Ok(Some(data));
    };
    let bad = |reason: String| ResolveError::BadResolver {
        resolver: name.to_owned(),
        reason,
    };
    if left == 0 {
        return Err(bad("it extends itself, or too many others".to_owned()));
    }
    let base = extended(resolvers, base, left - 1)?
        .ok_or_else(|| bad(format!("it extends {base:?}, which is not there")))?;
    let mut merged = base.into_owned();
    merge(&mut merged, &data, MAX_MERGE_DEPTH);
    Ok(Some(Cow::Owned(merged)))
}

/// The resolver with one of its managers laid over it.
fn selected(data: &Value, option: &str, options: &Map<String, Value>) -> Result<Value, String> {
    let managers = data.get("managers").and_then(Value::as_object);
    let known = || managers.into_iter().flat_map(Map::keys).map(String::as_str);
    let Some(name) = options.get(option).and_then(Value::as_str) else {
        let known: Vec<_> = known().collect();
        return Err(format!(
            "the option {option} is missing; it is one of {}",
            known.join(", ")
        ));
    };
    let Some(manager) = managers.and_then(|managers| managers.get(name)) else {
        let hint = near::best(name, known())
            .map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"));
        return Err(format!("it has no {option} {name:?}{hint}"));
    };
    let top = data
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| *key != "managers");
    let mut merged = Value::Object(
        top.map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    );
    merge(&mut merged, manager, MAX_MERGE_DEPTH);
    Ok(merged)
}

/// Lays one document over another: objects key by key, anything else as a whole.
fn merge(base: &mut Value, over: &Value, depth: usize) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) if depth > 0 => {
            for (key, value) in over {
                match base.get_mut(key) {
                    Some(existing) => merge(existing, value, depth - 1),
                    None => {
                        base.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (base, over) => *base = over.clone(),
    }
}
