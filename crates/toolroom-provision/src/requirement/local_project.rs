//! The name of the Python project in a directory, as its own files state it.

use std::path::Path;

use toml::de::DeTable;

use super::pep508::normalize;
use super::text;

/// The normalised name, if a static file gives it.
pub(super) fn name(directory: &Path) -> Option<String> {
    from_pyproject(directory)
        .or_else(|| from_setup_cfg(directory))
        .map(|name| normalize(&name))
}

fn from_pyproject(directory: &Path) -> Option<String> {
    let text = text::read(&directory.join("pyproject.toml")).ok()?;
    let table = DeTable::parse(&text).ok()?;
    let table = table.get_ref();
    let project = table.get("project").and_then(|p| p.get_ref().get("name"));
    let poetry = || {
        table
            .get("tool")
            .and_then(|t| t.get_ref().get("poetry"))
            .and_then(|p| p.get_ref().get("name"))
    };
    project
        .or_else(poetry)
        .and_then(|name| name.get_ref().as_str())
        .map(str::to_owned)
}

fn from_setup_cfg(directory: &Path) -> Option<String> {
    let text = text::read(&directory.join("setup.cfg")).ok()?;
    let mut inside = false;
    for line in text.lines() {
        if let Some(section) = line.trim().strip_prefix('[') {
            inside = section.trim_end_matches(']').trim() == "metadata";
        } else if inside
            && let Some((key, value)) = line.split_once('=')
            && key.trim() == "name"
        {
            return Some(value.trim().to_owned());
        }
    }
    None
}
