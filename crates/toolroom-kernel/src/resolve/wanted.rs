//! Which version is asked for, and by what: an option, a variable, a version file found
//! on the way up to the project's root, or an alias.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::alias;
use super::error::ResolveError;
use super::facts::{Facts, Filled};
use super::files::{Reading, read_text};
use super::note::Note;
use super::spec::{Spec, Walk, WantedSpec};
use super::version_file::{self, Form};
use crate::template::TemplateError;
use crate::world::World;

const MAX_VERSION_FILE: u64 = 64 * 1024;
const MAX_DOCUMENT: u64 = 1024 * 1024;
const MAX_WALK: usize = 64;

/// A version that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// In order of preference, as written.
    pub(super) texts: Vec<String>,
    /// What asks: `option version`, `$NAME`, or a file.
    pub(super) origin: String,
    pub(super) file: Option<PathBuf>,
    pub(super) by_option: bool,
    /// An alias that need not be there.
    pub(super) by_alias: bool,
    pub(super) soft: bool,
    /// Why what asks cannot be understood.
    fault: Option<&'static str>,
}

impl Wanted {
    pub(super) fn text(&self) -> String {
        self.texts.join(" or ")
    }

    fn new(texts: Vec<String>, origin: String, spec: &WantedSpec) -> Self {
        Self {
            texts,
            origin,
            file: None,
            by_option: spec.option.is_some(),
            by_alias: spec.alias.is_some(),
            soft: spec.soft,
            fault: None,
        }
    }
}

/// What a version may be asked for by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sources<'s> {
    pub(super) resolver: &'s str,
    pub(super) spec: &'s Spec,
    pub(super) facts: &'s Facts<'s>,
    pub(super) options: &'s Map<String, Value>,
}

impl Sources<'_> {
    /// Asks the sources in order; the first that says something decides. What is passed
    /// over is remarked on.
    pub(super) fn find(&self, remarks: &mut Vec<Note>) -> Result<Option<Wanted>, ResolveError> {
        for source in &self.spec.wanted {
            let found = self
                .ask(source, remarks)
                .map_err(|error| ResolveError::BadResolver {
                    resolver: self.resolver.to_owned(),
                    reason: error.to_string(),
                })?;
            let Some(mut wanted) = found else { continue };
            let fault = wanted
                .fault
                .or_else(|| wanted.keep_sound(self.spec, remarks));
            return match fault {
                None => Ok(Some(wanted)),
                Some(_) if wanted.soft => continue,
                Some(reason) => Err(ResolveError::BadVersion {
                    origin: wanted.origin,
                    file: wanted.file,
                    reason: reason.to_owned(),
                }),
            };
        }
        Ok(None)
    }

    fn ask(
        &self,
        source: &WantedSpec,
        remarks: &mut Vec<Note>,
    ) -> Result<Option<Wanted>, TemplateError> {
        if let Some(option) = &source.option {
            let texts = self.options.get(option).map(texts_of).unwrap_or_default();
            let wanted = || Wanted::new(texts.clone(), format!("the option {option}"), source);
            return Ok((!texts.is_empty()).then(wanted));
        }
        if let Some(variable) = &source.variable {
            return in_variable(variable, source, self.facts);
        }
        if let Some(alias) = &source.alias {
            return Ok(Some(Wanted::new(
                vec![alias.clone()],
                format!("the alias {alias}"),
                source,
            )));
        }
        match &source.file {
            Some(file) => in_files(file, source, self.facts, remarks),
            None => Ok(None),
        }
    }
}

impl Wanted {
    /// Passes over what can be no version as long as something else is left; else the
    /// fault of the first.
    fn keep_sound(&mut self, spec: &Spec, remarks: &mut Vec<Note>) -> Option<&'static str> {
        let mut sound = Vec::with_capacity(self.texts.len());
        let mut first_fault = None;
        for text in &self.texts {
            let stripped = alias::stripped(text, spec);
            match (version_file::fault(text), version_file::fault(stripped)) {
                (None, _) => sound.push(text.clone()),
                (Some(_), None) => sound.push(stripped.to_owned()),
                (Some(fault), Some(_)) => {
                    first_fault.get_or_insert(fault);
                }
            }
        }
        if sound.is_empty() {
            return first_fault;
        }
        if let Some(fault) = first_fault {
            remarks.push(Note::new(
                format!(
                    "{} names a version that cannot be used ({fault}), so the next one it names counts",
                    self.origin
                ),
                "take it out",
            ));
        }
        self.texts = sound;
        None
    }
}

fn in_variable(
    variable: &str,
    source: &WantedSpec,
    facts: &Facts<'_>,
) -> Result<Option<Wanted>, TemplateError> {
    let Filled::Text(name) = facts.fill(variable)? else {
        return Ok(None);
    };
    let value = facts.world.env.get(&name).unwrap_or_default();
    let separator = source.separator.as_deref().unwrap_or(" ");
    let texts: Vec<_> = value
        .split(separator)
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect();
    let wanted = |texts| Wanted::new(texts, format!("${name}"), source);
    Ok((!texts.is_empty()).then(|| wanted(texts)))
}

/// An option's versions: a text, a number, or a list of them.
fn texts_of(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::String(text) => vec![text.trim().to_owned()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(items) => items.iter().flat_map(texts_of).collect(),
        Value::Null | Value::Bool(_) | Value::Object(_) => Vec::new(),
    }
}

fn in_files(
    file: &str,
    source: &WantedSpec,
    facts: &Facts<'_>,
    remarks: &mut Vec<Note>,
) -> Result<Option<Wanted>, TemplateError> {
    let Filled::Text(file) = facts.fill(file)? else {
        return Ok(None);
    };
    let lines = filled(source.line.on(facts.world.os), facts)?;
    let keys = filled(source.key.on(facts.world.os), facts)?;
    let form = match source {
        WantedSpec {
            json: Some(path),
            named,
            ..
        } => Form::Json(path, named.as_deref()),
        WantedSpec {
            section: Some(section),
            ..
        } => Form::Section(section, &keys),
        WantedSpec { quoted: true, .. } => Form::Quoted(&lines),
        WantedSpec { line, .. } if !line.is_empty() => Form::Line(&lines),
        WantedSpec { list: true, .. } => Form::List,
        _ => Form::Plain,
    };
    let folders = match source.walk {
        Some(Walk::Up) => upward(facts.world),
        None => vec![facts.world.root()],
    };
    let asks = |folder: &Path| in_file(&folder.join(&file), form, source, remarks);
    Ok(folders.into_iter().find_map(asks))
}

/// What one file asks for. A document that is no JSON asks for nothing and is remarked
/// on; any other file that cannot be read is a fault.
fn in_file(
    path: &Path,
    form: Form<'_>,
    source: &WantedSpec,
    remarks: &mut Vec<Note>,
) -> Option<Wanted> {
    let is_document = matches!(form, Form::Json(..));
    let limit = if is_document {
        MAX_DOCUMENT
    } else {
        MAX_VERSION_FILE
    };
    let (texts, fault) = match read_text(path, limit) {
        Reading::Text(text) => {
            let mut texts = version_file::versions(&text, form);
            if matches!(form, Form::Plain) && texts.len() > 1 {
                remarks.push(Note::new(
                    format!(
                        "{} names more than one version, of which the first counts",
                        path.display()
                    ),
                    "take the others out",
                ));
                texts.truncate(1);
            }
            if source.at_least {
                texts.iter_mut().for_each(|text| text.insert_str(0, ">="));
            }
            if is_document && texts.is_empty() && !version_file::is_document(&text) {
                remarks.push(Note::new(
                    format!("{} asks for no version: it is not JSON", path.display()),
                    "correct it",
                ));
            }
            (texts, None)
        }
        Reading::Bad(reason) | Reading::Unknown(reason) if !is_document => {
            (Vec::new(), Some(reason))
        }
        Reading::Bad(reason) | Reading::Unknown(reason) => {
            remarks.push(Note::new(
                format!("{} asks for no version: {reason}", path.display()),
                "correct it",
            ));
            return None;
        }
        Reading::Absent => return None,
    };
    (fault.is_some() || !texts.is_empty()).then(|| Wanted {
        fault,
        file: Some(path.to_path_buf()),
        ..Wanted::new(texts, path.display().to_string(), source)
    })
}

fn filled(texts: &[String], facts: &Facts<'_>) -> Result<Vec<String>, TemplateError> {
    let mut out = Vec::with_capacity(texts.len());
    for text in texts {
        if let Filled::Text(text) = facts.fill(text)? {
            out.push(text);
        }
    }
    Ok(out)
}

/// The directories a walk upward visits: from the working directory, or from the project
/// if the call happens outside of it; never above the project, a repository or the home.
pub(super) fn upward(world: &World) -> Vec<&Path> {
    let root = world.root();
    let start = if world.cwd.starts_with(root) {
        world.cwd.as_path()
    } else {
        root
    };
    let home = world.home.as_deref();
    let mut visited = Vec::new();
    for folder in start.ancestors().take(MAX_WALK) {
        visited.push(folder);
        if world.project.as_deref() == Some(folder) || home == Some(folder) {
            return visited;
        }
        if folder.join(".git").exists() {
            return visited;
        }
    }
    // Nothing bounds the walk, so there is none.
    visited.truncate(1);
    visited
}
