//! The runtimes this place uses: whether each has its interpreter, and whether the same
//! one would be found by a shell, and by a program started from a desktop.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toolroom_catalog::Catalog;
use toolroom_catalog::listing::Listing;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::Role;
use toolroom_kernel::resolve::{Interpreter, Resolution, ResolveError, Verdict};
use toolroom_kernel::{Explain as _, Os, World};

use super::{Check, Health};
use crate::commands::resolved;
use crate::output::paths;
use crate::settings::Settings;

/// What a program gets for PATH that no shell has started.
const DESKTOP_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

pub fn checks(
    world: &World,
    catalog: &Catalog,
    listing: &Listing,
    settings: &Settings,
) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, is_used) in runtimes(listing) {
        let Ok(chain) = catalog
            .find_runtime(&name)
            .map_err(drop)
            .and_then(|tool| catalog.link(tool).map_err(drop))
        else {
            continue;
        };
        match resolved::environment(world, catalog, &chain, settings) {
            Ok(resolution) => {
                let path = resolution
                    .interpreter()
                    .map(|interpreter| interpreter.path.clone());
                // Several runtimes of one language share an interpreter; once is enough.
                if seen.insert(path) || is_used {
                    found(
                        world,
                        catalog,
                        &chain,
                        &name,
                        &resolution,
                        settings,
                        &mut checks,
                    );
                }
            }
            Err(error) => {
                let check = not_found(&name, is_used, &error);
                let is_told = checks
                    .iter()
                    .any(|other| other.detail == check.detail && other.status == check.status);
                if is_used || !is_told || check.status == Health::Ok {
                    checks.push(check);
                }
            }
        }
    }
    checks
}

/// Every runtime, those the tools here use first.
fn runtimes(listing: &Listing) -> Vec<(String, bool)> {
    let used: BTreeSet<&str> = listing
        .rows
        .iter()
        .filter(|row| row.role() == Role::Tool)
        .filter_map(|row| row.runtime.as_deref())
        .collect();
    let others = listing
        .rows
        .iter()
        .filter(|row| row.role() == Role::Runtime && !used.contains(row.shown_id()))
        .map(|row| (row.shown_id().to_owned(), false));
    used.iter()
        .map(|name| ((*name).to_owned(), true))
        .chain(others)
        .collect()
}

fn not_found(name: &str, is_used: bool, error: &ResolveError) -> Check {
    let fix = error
        .help()
        .unwrap_or_else(|| format!("toolroom env {name} --explain says more"));
    let is_only_absent = matches!(error, ResolveError::InterpreterNotFound { .. });
    if is_only_absent && !is_used {
        return Check::ok(name, "not installed; nothing here needs it");
    }
    Check::fail(name, error.to_string(), fix)
}

fn found(
    world: &World,
    catalog: &Catalog,
    chain: &Chain,
    name: &str,
    resolution: &Resolution,
    settings: &Settings,
    checks: &mut Vec<Check>,
) {
    let Some(interpreter) = resolution.interpreter() else {
        return;
    };
    let version = interpreter
        .version
        .as_deref()
        .map(|version| format!(" {version}"))
        .unwrap_or_default();
    let path = paths::shown(world, &interpreter.path);
    checks.push(Check::ok(
        name,
        format!("{path}{version}, from {}", interpreter.place),
    ));
    for candidate in &resolution.tried {
        if matches!(candidate.verdict, Verdict::Broken | Verdict::Rejected) {
            let detail = format!(
                "{} was passed over: {}",
                paths::shown(world, Path::new(&candidate.path)),
                candidate.reason
            );
            checks.push(Check::warn(
                name,
                detail,
                format!("toolroom env {name} --explain shows the whole search"),
            ));
        }
    }
    for refused in &resolution.refused {
        let detail = format!(
            "{} from {} was refused: {}",
            refused.name, refused.origin, refused.reason
        );
        let fix = format!(
            "add {:?} to [dotenv] allow in toolroom.toml, or take it out of the file",
            refused.name
        );
        push_once(checks, Check::warn("dotenv", detail, fix));
    }
    for note in &resolution.notes {
        let fix = format!("toolroom env {name} --explain says more");
        push_once(checks, Check::warn(name, note.clone(), fix));
    }
    checks.extend(other_in_a_shell(world, name, interpreter));
    checks.extend(other_from_a_desktop(
        world,
        catalog,
        chain,
        name,
        interpreter,
        settings,
    ));
}

fn push_once(checks: &mut Vec<Check>, check: Check) {
    if !checks.contains(&check) {
        checks.push(check);
    }
}

/// Typing the interpreter's name may start another one than tools get.
fn other_in_a_shell(world: &World, name: &str, interpreter: &Interpreter) -> Option<Check> {
    let file = interpreter.path.file_name()?;
    let typed = first_on_path(world, file)?;
    let same = typed == interpreter.path
        || typed.canonicalize().ok()? == interpreter.path.canonicalize().ok()?;
    if same {
        return None;
    }
    let is_shim = typed
        .parent()
        .is_some_and(|folder| folder.ends_with("shims"));
    if is_shim {
        let shim = paths::shown(world, &typed);
        return Some(Check::ok(
            name,
            format!("a shell goes through the shim {shim}; tools run the real one"),
        ));
    }
    let detail = format!(
        "tools run {}, while a shell runs {}",
        paths::shown(world, &interpreter.path),
        paths::shown(world, &typed)
    );
    let fix = format!("toolroom exec {name} -- … runs commands where tools run");
    Some(Check::warn(name, detail, fix))
}

fn first_on_path(world: &World, file: &std::ffi::OsStr) -> Option<PathBuf> {
    let path = world.env.get_os("PATH")?;
    std::env::split_paths(path)
        .map(|directory| directory.join(file))
        .find(|file| file.is_file())
}

/// A client started from a desktop has a short PATH; what is found only through a longer
/// one is lost there.
fn other_from_a_desktop(
    world: &World,
    catalog: &Catalog,
    chain: &Chain,
    name: &str,
    interpreter: &Interpreter,
    settings: &Settings,
) -> Option<Check> {
    if world.os == Os::Windows || interpreter.place != "system" {
        return None;
    }
    let mut desktop = world.clone();
    desktop.env.set("PATH", DESKTOP_PATH);
    let there = resolved::environment(&desktop, catalog, chain, settings).ok();
    let there = there
        .as_ref()
        .and_then(Resolution::interpreter)
        .map(|found| &found.path);
    let detail = match there {
        Some(path) if *path == interpreter.path => return None,
        Some(path) => format!(
            "a program started from a desktop would get {}",
            paths::shown(world, path)
        ),
        None => "a program started from a desktop would not find it".to_owned(),
    };
    Some(Check::warn(
        name,
        detail,
        "make a project environment, or start the program from a shell",
    ))
}
