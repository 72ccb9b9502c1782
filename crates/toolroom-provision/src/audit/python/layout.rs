//! Where an environment keeps its packages, on every kind of machine.

use std::path::{Path, PathBuf};

/// An interpreter's own library directory, such as `lib/python3.11`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Library {
    pub path: PathBuf,
    /// `3.11`, from the directory's name.
    pub minor: String,
    pub implementation: &'static str,
}

/// Every `lib/pythonX.Y` below a prefix, newest last.
pub(super) fn libraries(prefix: &Path) -> Vec<Library> {
    let mut found = Vec::new();
    let Ok(entries) = fs_err::read_dir(prefix.join("lib")) else {
        return found;
    };
    for entry in entries.flatten().take(10_000) {
        if let Some(name) = entry.file_name().to_str()
            && let Some((minor, implementation)) = library_name(name)
        {
            found.push(Library {
                path: entry.path(),
                minor: minor.to_owned(),
                implementation,
            });
        }
    }
    found.sort_by_key(|library| order(&library.minor));
    found
}

/// `python3.11`, `python3.13t`, `pypy3.10`; not `python3`, which belongs to no version.
fn library_name(name: &str) -> Option<(&str, &'static str)> {
    let (rest, implementation) = if let Some(rest) = name.strip_prefix("python") {
        (rest, "CPython")
    } else {
        (name.strip_prefix("pypy")?, "PyPy")
    };
    let minor = rest.strip_suffix('t').unwrap_or(rest);
    order(minor).map(|_| (minor, implementation))
}

/// The numbers of `X.Y`, for sorting.
pub(super) fn order(minor: &str) -> Option<(u32, u32)> {
    let (major, minor) = minor.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// `X.Y` of a full version.
pub(super) fn minor_of(version: &str) -> Option<String> {
    let mut parts = version.split('.');
    let (major, minor) = (parts.next()?, parts.next()?);
    let digits = minor
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(minor.len());
    let minor = format!("{major}.{}", &minor[..digits]);
    order(&minor).map(|_| minor)
}

/// The directories with packages of version `minor` below a prefix, first one first, each
/// once even where `lib64` is a link to `lib`.
pub(super) fn site_directories(prefix: &Path, minor: &str) -> Vec<PathBuf> {
    let mut candidates = vec![prefix.join("Lib").join("site-packages")];
    for name in [
        format!("python{minor}"),
        format!("python{minor}t"),
        format!("pypy{minor}"),
    ] {
        for lib in ["lib", "lib64"] {
            candidates.push(prefix.join(lib).join(&name).join("site-packages"));
        }
        // Debian keeps what pip installs and what apt installs apart.
        for lib in ["local/lib", "lib"] {
            candidates.push(prefix.join(lib).join(&name).join("dist-packages"));
        }
    }
    candidates.push(prefix.join("lib/python3/dist-packages"));
    let mut seen: Vec<PathBuf> = Vec::new();
    candidates.retain(|path| match fs_err::canonicalize(path) {
        Ok(real) if !seen.contains(&real) && real.is_dir() => {
            seen.push(real);
            true
        }
        _ => false,
    });
    candidates
}

/// The library of an installation on Windows, which keeps one version only.
pub(super) fn windows_library(prefix: &Path) -> Option<Library> {
    let path = prefix.join("Lib");
    let version = stated_version(&prefix.join("include/patchlevel.h"))?;
    path.is_dir().then_some(Library {
        path,
        minor: minor_of(&version)?,
        implementation: "CPython",
    })
}

/// The full version a base installation states in its headers.
pub(super) fn patch_level(prefix: &Path, minor: &str) -> Option<String> {
    let folders = [
        format!("include/python{minor}"),
        format!("include/python{minor}t"),
        "include".to_owned(),
    ];
    folders
        .iter()
        .find_map(|folder| stated_version(&prefix.join(folder).join("patchlevel.h")))
}

fn stated_version(header: &Path) -> Option<String> {
    let text = fs_err::read_to_string(header).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("#define PY_VERSION "))?;
    let version = line.trim().trim_matches('"').trim_end_matches('+');
    Some(version.to_owned())
}
