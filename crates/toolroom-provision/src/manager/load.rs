//! Finds managers by their names, and reads and checks their data.

use std::path::Path;

use toolroom_catalog::{Catalog, core_data};
use toolroom_kernel::model::{Role, Tool};
use toolroom_kernel::shape;

use super::spec::{Manager, ManagerTool};
use crate::error::ProvisionError;

/// The folder managers are looked for in by their bare name.
const FOLDER: &str = "managers";

/// The manager of a bare name or id.
///
/// # Errors
/// Fails if there is none, or if it cannot be understood.
pub fn load(catalog: &Catalog, name: &str, owner: Option<&str>) -> Result<Manager, ProvisionError> {
    let id = if name.contains('/') {
        name.to_owned()
    } else {
        format!("{FOLDER}/{name}")
    };
    if let Some(file) = core_data::file(&id) {
        let read = serde_json::from_str(file.json).map_err(|error| error.to_string());
        return checked(read, &id, Path::new(file.path));
    }
    match catalog.find(&id) {
        Ok(tool) if tool.role() == Role::Manager => of_tool(&tool),
        _ => Err(ProvisionError::UnknownManager {
            name: name.to_owned(),
            owner: owner.map(str::to_owned),
            known: names(catalog),
        }),
    }
}

/// Every manager there is: core's, then those of the spaces.
///
/// # Errors
/// Fails if one cannot be understood.
pub fn load_all(catalog: &Catalog) -> Result<Vec<Manager>, ProvisionError> {
    names(catalog)
        .iter()
        .map(|name| load(catalog, name, None))
        .collect()
}

/// The bare names of all managers. Costs a listing of the spaces, so it is asked only for
/// `setup` without ids and for error messages.
fn names(catalog: &Catalog) -> Vec<String> {
    let prefix = format!("{FOLDER}/");
    let bare = |id: &str| id.strip_prefix(&prefix).unwrap_or(id).to_owned();
    let core = core_data::files()
        .iter()
        .filter(|file| file.id.starts_with(&prefix));
    let mut names: Vec<String> = core.map(|file| bare(file.id)).collect();
    let rows = catalog.list_own().rows.into_iter();
    names.extend(
        rows.filter(|row| row.role() == Role::Manager)
            .map(|row| bare(row.id.as_str())),
    );
    names.sort();
    names.dedup();
    names
}

fn of_tool(tool: &Tool) -> Result<Manager, ProvisionError> {
    let read = shape::read(&tool.metadata).map_err(|misfit| misfit.to_string());
    checked(read, tool.id.as_str(), &tool.path)
}

fn checked(
    read: Result<Manager, String>,
    id: &str,
    path: &Path,
) -> Result<Manager, ProvisionError> {
    let bad = |reason: String| ProvisionError::BadManager {
        name: id.to_owned(),
        path: path.to_path_buf(),
        reason,
    };
    let mut manager = read.map_err(bad)?;
    manager.name = id
        .strip_prefix(FOLDER)
        .map_or(id, |name| name.trim_start_matches('/'))
        .to_owned();
    check(&manager).map_err(bad)?;
    Ok(manager)
}

fn check(manager: &Manager) -> Result<(), String> {
    if manager.tools.is_empty() {
        return Err("it has no tools".to_owned());
    }
    let named = manager
        .choose
        .lockfiles
        .values()
        .chain(&manager.choose.otherwise);
    for name in named {
        if !manager.tools.contains_key(name) {
            return Err(format!(
                "choose names {name:?}, which is not among its tools"
            ));
        }
    }
    if manager.choose.otherwise.is_empty() {
        return Err("choose has no otherwise".to_owned());
    }
    for (name, tool) in &manager.tools {
        check_tool(&format!("tools.{name}"), tool)?;
    }
    check_members(manager)?;
    match &manager.environment {
        Some(environment) if environment.own.is_empty() => {
            Err("environment has no own place".to_owned())
        }
        _ => Ok(()),
    }
}

fn check_members(manager: &Manager) -> Result<(), String> {
    let Some(members) = &manager.members else {
        return Ok(());
    };
    if !manager.folder.as_deref().is_some_and(is_name) {
        return Err("members: `folder` is not the name of a folder that each may have".to_owned());
    }
    for (file, tools) in &members.heard {
        if !members.declared.contains_key(file) {
            return Err(format!(
                "members: heard names {file:?}, which is not declared"
            ));
        }
        if let Some(name) = tools.iter().find(|name| !manager.tools.contains_key(*name)) {
            return Err(format!(
                "members: heard names {name:?}, which is not among its tools"
            ));
        }
    }
    let files = members.declared.keys().chain(&members.manifests);
    match files.into_iter().find(|file| !is_name(file)) {
        Some(file) => Err(format!("members: {file:?} is not the name of a file")),
        None => Ok(()),
    }
}

/// Whether a text is one name, and leads nowhere else.
fn is_name(text: &str) -> bool {
    !["", ".", ".."].contains(&text) && !text.contains(['/', '\\'])
}

fn check_tool(path: &str, tool: &ManagerTool) -> Result<(), String> {
    if tool.when.is_some() {
        return Err(format!("{path}: `when` belongs into a variant"));
    }
    if tool.install.is_none() {
        return Err(format!("{path}: it has no `install`"));
    }
    for (index, variant) in tool.variants.iter().enumerate() {
        let path = format!("{path}.variants[{index}]");
        if variant.when.is_none() {
            return Err(format!("{path}: it does not say `when` it is meant"));
        }
        if !variant.variants.is_empty() {
            return Err(format!("{path}: a variant has no `variants`"));
        }
        if variant.install.is_none() {
            return Err(format!("{path}: it has no `install`"));
        }
    }
    Ok(())
}
