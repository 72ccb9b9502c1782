//! The real programs that tests run: the machine's own, or those that `scripts/test`
//! installs. What is not here is named: a skip for a person, a failure where `CI=true`.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The folder that `scripts/test` installs into.
///
/// # Panics
/// Fails the test if there is no working directory to name it from.
#[must_use]
pub fn tools() -> PathBuf {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    let tools = std::env::var_os("TOOLROOM_TEST_TOOLS").map_or(default, PathBuf::from);
    fs_err::canonicalize(&tools)
        .or_else(|_| std::path::absolute(tools))
        .expect("a folder has a path")
}

/// What `scripts/test` installs for the tests alone, by its path in [`tools`]. Without it
/// the test is skipped.
#[must_use]
pub fn tool(path: &str) -> Option<PathBuf> {
    let found = tools().join(path);
    if found.exists() {
        return Some(found);
    }
    skip(path);
    None
}

/// An interpreter or a package manager, by its name: the machine's own, outside of any
/// shims, or else the installed one. Without either the test is skipped.
#[must_use]
pub fn program(name: &str) -> Option<PathBuf> {
    let found = std::env::split_paths(&path())
        .filter(|folder| !folder.ends_with("shims"))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file());
    if found.is_none() {
        skip(name);
    }
    found
}

/// The machine's PATH, and after it what `scripts/test` installs.
///
/// # Panics
/// Fails the test if a folder cannot be in a PATH.
#[must_use]
pub fn path() -> OsString {
    let machine = std::env::var_os("PATH").unwrap_or_default();
    let installed = tools().join("bin");
    let folders = std::env::split_paths(&machine).filter(|folder| *folder != installed);
    std::env::join_paths(folders.chain([installed.clone()])).expect("a PATH")
}

/// Says that a test, or the rest of one, cannot run here for want of something. A list for
/// `scripts/test` says it too, since nobody sees what a test that passes prints.
///
/// # Panics
/// Fails the test where everything must be there.
#[expect(clippy::print_stderr, reason = "a person reads it")]
pub fn skip(what: &str) {
    let is_promised = std::env::var_os("CI").is_some_and(|ci| ci == "true");
    assert!(!is_promised, "{what} is missing, and CI=true");
    let thread = std::thread::current();
    let line = format!("{what} is missing: {}", thread.name().unwrap_or("a test"));
    eprintln!("skipped: {line}");
    if let Some(list) = std::env::var_os("TOOLROOM_TEST_SKIPPED") {
        let mut file = fs_err::OpenOptions::new()
            .append(true)
            .create(true)
            .open(list)
            .expect("the list of what is skipped");
        writeln!(file, "{line}").expect("the list of what is skipped");
    }
}
