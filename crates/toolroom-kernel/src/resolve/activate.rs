//! Activation: what is set, prepended, removed and unset once an interpreter is found.
//! What it means is data; that the interpreter's own directory comes first is the point.

use std::path::{Path, PathBuf};

use super::facts::{Facts, Filled};
use super::search::Found;
use super::spec::{ActivateSpec, FactSpec};
use super::wanted::upward;
use crate::template::TemplateError;

/// The changes of one activation, filled in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Activation {
    /// A variable without a value is unset.
    pub(super) set: Vec<(String, Option<String>)>,
    pub(super) prepend: Vec<(String, Vec<String>)>,
    pub(super) remove: Vec<(String, Vec<String>)>,
    pub(super) unset: Vec<String>,
}

impl Activation {
    pub(super) fn fill(
        spec: &ActivateSpec,
        facts: &Facts<'_>,
        found: &Found,
    ) -> Result<Self, TemplateError> {
        let os = facts.world.os;
        let mut activation = Self {
            unset: spec.unset.clone(),
            ..Self::default()
        };
        if found.environment.is_some() {
            activation.unset.extend(spec.leave.iter().cloned());
        }
        for (name, texts) in &spec.set {
            let value = all(texts.on(os), facts)?.into_iter().next();
            activation.set.push((name.clone(), value));
        }
        for (name, texts) in &spec.prepend {
            let mut entries = all(texts.on(os), facts)?;
            if found.on_path && name.eq_ignore_ascii_case("PATH") {
                // PATH leads to it already; its order is the user's.
                let own = found.path.parent();
                entries.retain(|entry| Some(Path::new(entry)) != own);
            }
            activation.prepend.push((name.clone(), entries));
        }
        for (name, texts) in &spec.remove {
            let mut entries = all(texts.on(os), facts)?;
            // What was found is not left behind.
            entries.retain(|entry| Some(Path::new(entry)) != found.path.parent());
            activation.remove.push((name.clone(), entries));
        }
        Ok(activation)
    }
}

/// The texts that can be filled in; one that speaks of a fact with several values is
/// filled in with each of them.
fn all(texts: &[String], facts: &Facts<'_>) -> Result<Vec<String>, TemplateError> {
    let mut filled = Vec::new();
    for text in texts {
        for facts in facts.each(text) {
            if let Filled::Text(text) = facts.fill(text)?
                && !text.is_empty()
            {
                filled.push(text);
            }
        }
    }
    Ok(filled)
}

/// Adds what an activation may speak of: the interpreter, and directories near by.
pub(super) fn add_facts(
    facts: &mut Facts<'_>,
    specs: &std::collections::BTreeMap<String, FactSpec>,
    found: &Found,
) -> Result<(), TemplateError> {
    facts.set_path("environment", found.environment.as_deref());
    facts.set_path("executable", Some(&found.path));
    facts.set_path("executable_dir", found.path.parent());
    facts.set("version", found.version.as_ref().map(ToString::to_string));
    for (name, spec) in specs {
        let directories: Vec<PathBuf> = match spec {
            FactSpec::Upward(name) => upward(facts.world)
                .into_iter()
                .map(|folder| folder.join(name))
                .filter(|path| path.is_dir())
                .collect(),
            FactSpec::Marked { directory, has } => match facts.fill(directory)? {
                Filled::Text(path) if Path::new(&path).join(has).exists() => vec![path.into()],
                Filled::Text(_) | Filled::Lacking(_) => Vec::new(),
            },
        };
        let texts = directories.iter().filter_map(|path| path.to_str());
        facts.set_all(name.clone(), texts.map(str::to_owned).collect());
    }
    Ok(())
}
