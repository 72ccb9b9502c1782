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
    let installed = [tools().join("bin"), tools().join("usual")];
    let folders = std::env::split_paths(&machine).filter(|folder| !installed.contains(folder));
    std::env::join_paths(folders.chain(installed.clone())).expect("a PATH")
}

/// A PATH of some folders and of those that programs usually are in. On a machine that has
/// Python or Node elsewhere, links that `scripts/test` makes are among them.
///
/// # Panics
/// Fails the test if a folder cannot be in a PATH.
#[must_use]
pub fn usual_path(first: &[PathBuf]) -> OsString {
    let linked = Some(tools().join("usual")).filter(|folder| folder.is_dir());
    let usual = ["/usr/bin".into(), "/bin".into()].into_iter().chain(linked);
    std::env::join_paths(first.iter().cloned().chain(usual)).expect("a PATH")
}

/// Says that a test, or the rest of one, cannot run here for want of something.
///
/// # Panics
/// Fails the test where everything must be there.
pub fn skip(what: &str) {
    let is_promised = std::env::var_os("CI").is_some_and(|ci| ci == "true");
    assert!(!is_promised, "{what} is missing, and CI=true");
    tell(&format!("{what} is missing"));
}

/// Says that the machine does not permit what a test does. A gate is promised programs, and
/// no rights: there it is a skip as well.
pub fn skip_unpermitted(what: &str) {
    tell(&format!("{what} is not permitted"));
}

/// Prints it, and lists it for `scripts/test`: what a passing test prints nobody sees.
#[expect(clippy::print_stderr, reason = "a person reads it")]
fn tell(why: &str) {
    let thread = std::thread::current();
    let line = format!("{why}: {}", thread.name().unwrap_or("a test"));
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
