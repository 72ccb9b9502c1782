//! Variables that a manager's environment adds: library paths, what its data sets.

use std::path::{Path, PathBuf};

use toolroom_kernel::World;

use crate::manager::{Facts, Manager, SharedSpec, choose, fill_text};
use crate::plan::EnvSetup;

/// The variables.
pub fn of(world: &World, setup: &EnvSetup, manager: &Manager) -> Vec<(String, String)> {
    let root = world.root();
    let mut variables = Vec::new();
    if let Some(name) = &manager.library_path
        && let Some(value) = library_path(world, &setup.paths)
    {
        variables.push((name.clone(), value));
    }
    let named = manager
        .manifest_option
        .as_ref()
        .and_then(|option| setup.options.get(option)?.as_str());
    let mut manifests = named
        .into_iter()
        .chain(manager.manifests.iter().map(String::as_str))
        .map(|name| root.join(name));
    if let Some(manifest) = manifests.find(|file| file.is_file()) {
        variables.extend(set_by(world, manager, root, &manifest));
    }
    variables
}

/// The variables that lead to packages that are shared.
pub fn of_shared(world: &World, shared: &SharedSpec, environment: &Path) -> Vec<(String, String)> {
    let mut facts = Facts::new(world, world.root());
    facts.path("environment", environment);
    let texts = shared.set.iter();
    texts
        .filter_map(|(name, text)| Some((name.clone(), fill_text(text, &facts).ok()?)))
        .collect()
}

/// Two lists of folders as one.
pub fn joined(first: &str, second: &str) -> String {
    let folders = std::env::split_paths(first).chain(std::env::split_paths(second));
    let joined = std::env::join_paths(folders).ok();
    let text = joined.and_then(|joined| joined.into_string().ok());
    text.unwrap_or_else(|| second.to_owned())
}

fn set_by(world: &World, manager: &Manager, root: &Path, manifest: &Path) -> Vec<(String, String)> {
    let has_plugs = manager.tools.values().any(|tool| {
        !tool.plug.is_empty() || tool.variants.iter().any(|variant| !variant.plug.is_empty())
    });
    let mut texts: Vec<(String, String)> = manager.activate.set.clone().into_iter().collect();
    if has_plugs
        && let Ok(choice) = choose(manager, root, manifest, &|_, _| true)
        && let Some(plug) = choice.commands.plug_in(root)
    {
        texts.extend(plug.set.clone());
    }
    let mut facts = Facts::new(world, root);
    facts.path("manifest", manifest);
    let filled = texts
        .into_iter()
        .filter_map(|(name, text)| Some((name, fill_text(&text, &facts).ok()?)));
    filled.collect()
}

/// The directories of `paths` that are there: in the project, or where its tools are.
fn library_path(world: &World, paths: &[String]) -> Option<String> {
    let root = world.root();
    let mut found: Vec<PathBuf> = Vec::new();
    for path in paths {
        // `lib.python` is `lib/python`, as modules are written.
        let spellings = [path.clone(), path.replace('.', "/")];
        let folders = [root.to_path_buf(), root.join(".ai/tools"), root.join(".ai")];
        let places = spellings
            .iter()
            .flat_map(|spelling| folders.iter().map(move |folder| folder.join(spelling)));
        for place in places.filter(|place| place.is_dir()) {
            if !found.contains(&place) {
                found.push(place);
            }
        }
    }
    if found.is_empty() {
        return None;
    }
    std::env::join_paths(found).ok()?.into_string().ok()
}
