//! The runtimes this place uses: whether each has its interpreter, what stands in its way,
//! and whether the same one would be found by a shell, and by a program started from a
//! desktop.

use std::collections::BTreeSet;
use std::path::Path;

use toolroom_catalog::Catalog;
use toolroom_catalog::listing::Listing;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::Role;
use toolroom_kernel::resolve::{
    Candidate, DEFAULT_SEARCH, Interpreter, Note, Origin, Refusal, Resolution, ResolveError,
    Subject, Verdict,
};
use toolroom_kernel::{Os, World};
use toolroom_provision::ready::Unresolved;

use super::{Check, Health};
use crate::commands::resolved::{self, explain};
use crate::failure::Failure;
use crate::output::paths;
use crate::settings::Settings;

/// What a program gets for PATH that no shell has started.
const fn desktop_path(os: Os) -> Option<&'static str> {
    match os {
        Os::Linux => Some("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
        Os::MacOs => Some("/usr/bin:/bin:/usr/sbin:/sbin"),
        Os::Windows => None,
    }
}

pub fn checks(
    world: &World,
    catalog: &Catalog,
    listing: &Listing,
    settings: &Settings,
) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, is_used) in runtimes(listing) {
        let linked = catalog
            .find_runtime(&name)
            .map_err(Failure::from)
            .and_then(|tool| Ok(catalog.link(tool)?));
        let chain = match linked {
            Ok(chain) => chain,
            Err(failure) => {
                push_once(&mut checks, unlinked(world, &name, is_used, failure));
                continue;
            }
        };
        match resolved::environment(world, catalog, &chain, settings) {
            Ok(resolution) => {
                let path = resolution
                    .interpreter()
                    .map(|interpreter| interpreter.path.clone());
                // Several runtimes of one language share an interpreter; once is enough.
                if seen.insert(path) || is_used {
                    let runtime = Runtime {
                        world,
                        name: &name,
                        resolution: &resolution,
                    };
                    for check in runtime.checks() {
                        push_once(&mut checks, check);
                    }
                    checks.extend(runtime.on_a_desktop(catalog, &chain, settings));
                }
            }
            Err(error) => {
                let check = not_found(world, &name, is_used, error);
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

fn not_found(world: &World, name: &str, is_used: bool, error: Unresolved) -> Check {
    let is_only_absent = matches!(
        error,
        Unresolved::Resolve(ResolveError::InterpreterNotFound { .. })
    );
    if is_only_absent && !is_used {
        return Check::ok(name, "not installed; nothing here needs it");
    }
    let failure = resolved::failure(error, name);
    let detail = if is_only_absent {
        "not installed, but tools here need it".to_owned()
    } else {
        paths::shown_in(world, &failure.message)
    };
    let fix = failure
        .help
        .unwrap_or_else(|| format!("{} says more", explain(name)));
    Check::fail(name, detail, paths::shown_in(world, &fix))
}

/// A runtime that was listed, and is not what it was or not the only one of its name.
fn unlinked(world: &World, name: &str, is_used: bool, failure: Failure) -> Check {
    let detail = paths::shown_in(world, &failure.message);
    let fix = failure
        .help
        .unwrap_or_else(|| format!("toolroom show {name} says more"));
    let check = if is_used { Check::fail } else { Check::warn };
    check(name, detail, paths::shown_in(world, &fix))
}

fn push_once(checks: &mut Vec<Check>, check: Check) {
    if !checks.contains(&check) {
        checks.push(check);
    }
}

/// A runtime that has its interpreter.
struct Runtime<'r> {
    world: &'r World,
    name: &'r str,
    resolution: &'r Resolution,
}

impl Runtime<'_> {
    fn checks(&self) -> Vec<Check> {
        let Some(interpreter) = self.resolution.interpreter() else {
            return Vec::new();
        };
        let version = interpreter
            .version
            .as_deref()
            .map(|version| format!(" {version}"))
            .unwrap_or_default();
        let path = self.shown(&interpreter.path);
        let place = &interpreter.place;
        let mut checks = vec![Check::ok(
            self.name,
            format!("{path}{version}, from {place}"),
        )];
        checks.extend(self.passed_over());
        checks.extend(
            self.resolution
                .refused
                .iter()
                .map(|refused| self.refused(refused)),
        );
        checks.extend(self.resolution.notes.iter().map(|note| self.note(note)));
        checks.extend(self.in_a_shell(interpreter));
        checks
    }

    fn shown(&self, path: &Path) -> String {
        paths::shown(self.world, path)
    }

    fn sentence(&self, text: &str) -> String {
        paths::shown_in(self.world, text)
    }

    /// What stood in the way of the search without ending it.
    fn passed_over(&self) -> Vec<Check> {
        let is_passed_over = |verdict| matches!(verdict, Verdict::Broken | Verdict::Rejected);
        let candidates = self.resolution.tried.iter();
        candidates
            .filter(|candidate| is_passed_over(candidate.verdict))
            // What is active elsewhere is told by a note.
            .filter(|candidate| DEFAULT_SEARCH.contains(&candidate.place.as_str()))
            .filter_map(|candidate| self.candidate(candidate))
            .collect()
    }

    fn candidate(&self, candidate: &Candidate) -> Option<Check> {
        let path = self.shown(Path::new(&candidate.path));
        if let Some(real) = &candidate.stands_for {
            let detail = format!("{path} stands for {}, which tools run", self.shown(real));
            return Some(Check::ok(self.name, detail));
        }
        // What lost by no fault of its own is nothing to mend.
        let fix = self.sentence(candidate.fix.as_ref()?);
        let reason = self.sentence(&candidate.reason);
        let detail = format!("{path} was passed over: {reason}");
        Some(Check::warn(self.name, detail, fix))
    }

    fn refused(&self, refused: &Refusal) -> Check {
        let name = &refused.name;
        let origin = match &refused.origin {
            Origin::Dotenv { file, line } => format!("{}:{line}", self.shown(file)),
            other => other.to_string(),
        };
        let detail = format!(
            "{name} from {origin} was refused: a dotenv file may not change what a process loads"
        );
        let fix = format!(
            "take {name} out of the file, or allow it in toolroom.toml: [dotenv] allow = [{name:?}]"
        );
        Check::warn("dotenv", detail, fix)
    }

    fn note(&self, note: &Note) -> Check {
        let name = match note.about {
            Subject::Dotenv => "dotenv",
            _ => self.name,
        };
        let fix = match &note.fix {
            Some(fix) => self.sentence(fix),
            None => format!("{} says more", explain(self.name)),
        };
        Check::warn(name, self.sentence(&note.text), fix)
    }

    /// Typing the interpreter's name may start another one than tools get.
    fn in_a_shell(&self, interpreter: &Interpreter) -> Option<Check> {
        let typed = self.world.which(interpreter.path.file_name()?)?;
        let same = typed == interpreter.path
            || typed.canonicalize().ok()? == interpreter.path.canonicalize().ok()?;
        if same || self.is_told(&typed) {
            return None;
        }
        let (own, typed_shown) = (self.shown(&interpreter.path), self.shown(&typed));
        let is_shim = typed
            .parent()
            .is_some_and(|folder| folder.ends_with("shims"));
        if is_shim {
            let detail =
                format!("a shell goes through the shim {typed_shown}; tools run the real one");
            return Some(Check::ok(self.name, detail));
        }
        if interpreter.environment.is_some() {
            let detail =
                format!("a shell runs {typed_shown} as long as the environment is not active");
            return Some(Check::ok(self.name, detail));
        }
        let detail = format!("tools run {own}, while a shell runs {typed_shown}");
        let fix = format!(
            "toolroom exec {} -- … runs commands where tools run",
            self.name
        );
        Some(Check::warn(self.name, detail, fix))
    }

    /// Whether a file was already told of as passed over.
    fn is_told(&self, file: &Path) -> bool {
        let tried = self.resolution.tried.iter();
        tried
            .filter(|candidate| candidate.verdict == Verdict::Rejected)
            .any(|candidate| Path::new(&candidate.path) == file)
    }

    /// A client started from a desktop has a short PATH; what is found only through a
    /// longer one is lost there.
    fn on_a_desktop(&self, catalog: &Catalog, chain: &Chain, settings: &Settings) -> Option<Check> {
        let interpreter = self.resolution.interpreter()?;
        if !["system", "fallback"].contains(&interpreter.place.as_str()) {
            return None;
        }
        let mut desktop = self.world.clone();
        desktop.env.set("PATH", desktop_path(self.world.os)?);
        let there = resolved::environment(&desktop, catalog, chain, settings).ok();
        let there = there.as_ref().and_then(Resolution::interpreter);
        let detail = match there.map(|found| &found.path) {
            Some(path) if *path == interpreter.path => return None,
            Some(path) => format!(
                "a program started from a desktop would get {}",
                self.shown(path)
            ),
            None => "a program started from a desktop would not find it".to_owned(),
        };
        let folder = interpreter.path.parent().map(|folder| self.shown(folder));
        let fix = format!(
            "put {} on the PATH of the program, or start it from a shell",
            folder.unwrap_or_default()
        );
        Some(Check::warn(self.name, detail, fix))
    }
}
