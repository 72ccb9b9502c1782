//! The layers below every chain: the process environment, then dotenv files.

use std::path::{Path, PathBuf};

use super::error::ResolveError;
use super::facts::{Facts, Filled};
use super::files::read_bytes;
use super::layer::Origin;
use super::note::Note;
use super::resolution::{Call, Refusal, Resolution};
use super::rules::EnvPolicy;
use crate::dotenv::{self, is_loader_variable};
use crate::explain::Explain as _;
use crate::model::Environ;

/// All of the process environment, or what a minimal one keeps.
pub(super) fn process(call: &Call<'_>, notes: &mut Vec<Note>) -> Result<Environ, ResolveError> {
    let mut policy = EnvPolicy::Inherit;
    for link in call.links {
        policy = link.policy()?.unwrap_or(policy);
    }
    if policy == EnvPolicy::Inherit {
        return Ok(call.world.env.clone());
    }
    let keeps = |name: &str| is_loader_variable(name, call.rules.minimal, call.world.os);
    let kept = call
        .world
        .env
        .iter()
        .filter(|(name, _)| name.to_str().is_some_and(keeps));
    let mut kept: Environ = kept.collect();
    let named: Vec<String> = kept
        .iter()
        .filter_map(|(name, _)| name.to_str().map(str::to_owned))
        .filter(|name| is_loader_variable(name, call.rules.without_credentials, call.world.os))
        .collect();
    for name in named {
        if let Some(address) = kept.get(&name).and_then(without_credentials) {
            kept.set(&name, address);
            notes.push(Note::new(
                format!("the user and password in {name} are not passed on"),
                "to pass them, set it in the tool's env",
            ));
        }
    }
    Ok(kept)
}

/// An address without the user and password in it, if there are any.
fn without_credentials(address: &str) -> Option<String> {
    let start = address.find("://").map_or(0, |scheme| scheme + 3);
    let end = address[start..]
        .find(['/', '?', '#'])
        .map_or(address.len(), |path| start + path);
    let at = address[start..end].rfind('@')?;
    Some(format!(
        "{}{}",
        &address[..start],
        &address[start + at + 1..]
    ))
}

/// What the dotenv files set.
pub(super) fn dotenv_layers(
    call: &Call<'_>,
    resolution: &mut Resolution,
) -> Result<(), ResolveError> {
    let facts = Facts::new(call.world);
    let mut read: Vec<PathBuf> = Vec::new();
    for text in call.rules.dotenv_files {
        if call.world.project.is_none() && text.contains("{project}") {
            continue;
        }
        let filled = facts
            .fill(text)
            .map_err(|error| ResolveError::BadResolver {
                resolver: "environment".to_owned(),
                reason: error.to_string(),
            })?;
        let Filled::Text(path) = filled else { continue };
        let path = PathBuf::from(path);
        if !read.contains(&path) {
            dotenv_layer(call, &path, resolution);
            read.push(path);
        }
    }
    Ok(())
}

fn dotenv_layer(call: &Call<'_>, path: &Path, resolution: &mut Resolution) {
    let bytes = match read_bytes(path, dotenv::MAX_BYTES as u64) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return,
        Err(unread) => {
            let text = format!("{} is not used: {}", path.display(), unread.reason());
            let fix = format!("correct or remove {}", path.display());
            resolution.notes.push(Note::of_dotenv(text, Some(fix)));
            return;
        }
    };
    let evaluated = dotenv::evaluate(&dotenv::parse_bytes(&bytes), resolution.env.values());
    for problem in &evaluated.problems {
        let text = format!("{}: {problem}", path.display());
        resolution.notes.push(Note::of_dotenv(text, problem.help()));
    }
    for variable in evaluated.variables {
        let origin = Origin::Dotenv {
            file: path.to_path_buf(),
            line: variable.line,
        };
        let loads = is_loader_variable(&variable.key, call.rules.loader_variables, call.world.os);
        if loads && !is_loader_variable(&variable.key, call.dotenv_allow, call.world.os) {
            resolution.refused.push(Refusal {
                name: variable.key,
                origin,
                reason: "a dotenv file may not change what a process loads; allow the name under [dotenv] allow".to_owned(),
            });
        } else {
            resolution.env.set(&variable.key, variable.value, origin);
        }
    }
}
