//! `setup` with real package managers and real packages. A tool that is not on this
//! machine skips its tests by name; in CI it fails them.

mod active;
mod broken_off;
mod by_hand;
mod crash;
mod disk;
mod ecosystems;
mod elsewhere;
mod faults;
mod locked;
mod managers;
mod members;
mod node;
mod presets;
mod race;
mod registry;
mod remembered;
mod requirements;
mod scenarios;
mod secrets;
mod seed_runtimes;
mod shared;
mod told;
mod workspaces;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolroom_test::{TestContext, program, tool, tools, usual_path};

/// A context in which uv is on PATH, or nothing if there is none.
fn with_uv() -> Option<TestContext> {
    let uv = tool("uv/bin/uv")?;
    Some(real(&[uv.parent()?.to_path_buf()]))
}

/// A context with folders before the usual PATH, and the way to the registries.
fn real(folders: &[PathBuf]) -> TestContext {
    let mut context = crate::context();
    context.set_env("PATH", usual_path(folders));
    let is_passed_on = |name: &str| {
        ["SSL_", "PIP_", "UV_", "NODE_EXTRA", "npm_config"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
            || name.to_ascii_lowercase().ends_with("_proxy")
    };
    for (name, value) in std::env::vars_os() {
        if name.to_str().is_some_and(is_passed_on) {
            context.set_env(&name.to_string_lossy(), value);
        }
    }
    context.set_env("UV_CACHE_DIR", tools().join("cache/uv"));
    context.set_env("npm_config_cache", tools().join("cache/npm"));
    context
}

/// Runs a real uv, as a user would.
fn uv(context: &TestContext, args: &[&str]) -> String {
    let output = Command::new(tools().join("uv/bin/uv"))
        .args(args)
        .current_dir(context.project())
        .env("UV_CACHE_DIR", tools().join("cache/uv"))
        .env("VIRTUAL_ENV", "")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "uv {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The machine's Python.
fn python() -> String {
    let python = program("python3").expect("what made uv's own environment");
    python.into_os_string().into_string().unwrap()
}

/// A user's environment with packages in it.
fn venv(context: &TestContext, path: &str, packages: &[&str]) -> PathBuf {
    let place = context.project().join(path);
    let target = place.to_str().unwrap();
    uv(context, &["venv", "-q", "--python", &python(), target]);
    if !packages.is_empty() {
        let python = place.join("bin/python");
        let args = [
            &["pip", "install", "-q", "--python", python.to_str().unwrap()],
            packages,
        ]
        .concat();
        uv(context, &args);
    }
    place
}

/// The packages of an environment, as `name==version`.
fn frozen(context: &TestContext, environment: &Path) -> Vec<String> {
    let text = uv(
        context,
        &[
            "pip",
            "freeze",
            "--python",
            environment.join("bin/python").to_str().unwrap(),
        ],
    );
    text.lines().map(str::to_owned).collect()
}

/// Everything below a path, byte by byte: links, modes and contents.
fn bytes_of(path: &Path) -> BTreeMap<PathBuf, (u32, OsString, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut left = vec![path.to_path_buf()];
    while let Some(path) = left.pop() {
        let metadata = fs_err::symlink_metadata(&path).unwrap();
        let link = fs_err::read_link(&path)
            .map(PathBuf::into_os_string)
            .unwrap_or_default();
        let mut content = Vec::new();
        if metadata.is_dir() {
            left.extend(
                fs_err::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if metadata.is_file() {
            content = fs_err::read(&path).unwrap();
        }
        found.insert(path, (metadata.permissions().mode(), link, content));
    }
    found
}

/// The one plan of an answer.
fn plan(context: &TestContext, args: &[&str]) -> serde_json::Value {
    let data = context.data(&[&["setup"], args].concat());
    assert_eq!(data["plans"].as_array().unwrap().len(), 1, "{data:#}");
    data["plans"][0].clone()
}

/// A tool that says which environment it runs in.
const WHERE: &str = "\"\"\"Says where it runs.\"\"\"\n\n\ndef main() -> str:\n    import sys\n    return sys.prefix\n";

/// Where a tool runs now.
fn runs_in(context: &TestContext, tool: &str) -> PathBuf {
    let data = context.command(&["run", tool, "--json"]).output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&data.stdout).unwrap();
    PathBuf::from(
        answer["data"]["data"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer:#}")),
    )
}
