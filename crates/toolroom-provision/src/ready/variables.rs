//! Variables that a manager's environment adds: library paths, what its data sets.

use std::path::{Path, PathBuf};

use toolroom_kernel::World;
use toolroom_kernel::resolve::Setup;

use crate::manager::{Facts, Manager, SharedSpec, choose, fill_text};
use crate::plan::{EnvSetup, Membership, manifest, manifest_at};

/// The variables, and directories for lists of such.
pub fn of(world: &World, setup: &EnvSetup, manager: &Manager) -> Setup {
    let mut added = Setup::default();
    let library = manager.library_path.as_ref();
    if let Some((name, value)) = library.zip(library_path(world, &setup.paths)) {
        added.set.push((name.clone(), value));
    }
    let Some(manifest) = manifest(manager, setup, world.root()) else {
        return added;
    };
    let root = manifest.parent().unwrap_or(world.root());
    // Packages of a member are in its own folder, or in that of its workspace.
    let membership = Membership::of(manager, root, world.home.as_deref());
    let workspace = match &membership {
        Membership::Of(workspace) => Some(workspace),
        _ => None,
    };
    let set = match workspace {
        Some(found) => {
            let manifest = manifest_at(manager, &found.root);
            set_by(world, manager, &found.root, &manifest)
        }
        None => set_by(world, manager, root, &manifest),
    };
    added.set.extend(set);
    let folders = workspace.map(|found| found.root.as_path());
    for folder in std::iter::once(root).chain(folders) {
        for (name, folder) in put_before(world, manager, folder) {
            add_folder(&mut added, name, folder);
        }
    }
    added
}

/// What a tool names itself comes before its packages.
fn add_folder(added: &mut Setup, name: String, folder: String) {
    if let Some((_, own)) = added.set.iter_mut().find(|(known, _)| *known == name) {
        *own = joined(own, &folder);
        return;
    }
    match added.prepend.iter_mut().find(|(known, _)| *known == name) {
        Some((_, folders)) => folders.push(folder),
        None => added.prepend.push((name, vec![folder])),
    }
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

/// The directories that lead to the packages in a project's folder, if that is there.
fn put_before(world: &World, manager: &Manager, root: &Path) -> Vec<(String, String)> {
    let Some(name) = manager.folder.as_ref() else {
        return Vec::new();
    };
    let texts = manager.activate.prepend.iter();
    let folder = root.join(name);
    if texts.len() == 0 || !folder.is_dir() {
        return Vec::new();
    }
    let mut facts = Facts::new(world, root);
    facts.path("folder", &folder);
    texts
        .filter_map(|(name, text)| Some((name.clone(), fill_text(text, &facts).ok()?)))
        .collect()
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
