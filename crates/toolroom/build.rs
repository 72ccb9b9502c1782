//! Links the program for a cheap start on Linux: most of what a short command costs is
//! page faults before `main`.
//!
//! A fixed address spares the hundred and fifty of them that relocating a
//! position-independent program of this size takes, for tables that it hardly looks at.
//! The C library is linked into a release where its archive is there, which spares fifty
//! more and the loader's work; where it is not, the unwinder alone is, which a library of
//! its own would make ten faults of. The functions that short commands call are laid side
//! by side, as `order.txt` lists them: that spares a hundred of the rest.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a build script names its files itself and speaks to cargo"
)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the standard library asks the linker for by name. All but the first may be part
/// of the first.
const SYSTEM: [&str; 6] = ["c", "m", "rt", "pthread", "util", "dl"];

/// What `scripts/order` has seen short commands call.
const ORDER: &str = "order.txt";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return;
    }
    println!("cargo:rustc-link-arg-bins=-no-pie");
    if is("PROFILE", "release")
        && let Some(script) = layout()
        && takes(&script) == Some(true)
    {
        println!("cargo:rustc-link-arg-bins=-T");
        println!("cargo:rustc-link-arg-bins={}", script.display());
    }
    let is_native = std::env::var("HOST").ok() == std::env::var("TARGET").ok();
    // What is only tried out stays open to what tests put before the system's library.
    let is_whole = is_native && is("PROFILE", "release");
    match is_whole.then(stand_ins).flatten() {
        Some(folder) => {
            println!("cargo:rustc-link-arg-bins=-L{}", folder.display());
            println!("cargo:rustc-link-arg-bins=-static");
        }
        None => println!("cargo:rustc-link-lib=static:-bundle=gcc_eh"),
    }
}

/// A folder in which the names of the shared libraries lead to their archives. The compiler
/// names them to the linker as shared ones whatever we say: `crt-static` would be for all
/// that is built, and plug-ins of the compiler cannot be linked so.
fn stand_ins() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("OUT_DIR")?);
    let (library, unwinder, arithmetic) = (archive("c")?, archive("gcc_eh")?, archive("gcc")?);
    lead(&folder, "gcc_s", &[&unwinder, &arithmetic, &library])?;
    for name in SYSTEM {
        if let Some(archive) = archive(name) {
            lead(&folder, name, &[&archive])?;
        }
    }
    Some(folder)
}

/// Whether the linker takes such a script, as the compiler's own and GNU's do. One that does
/// not would fail the build, so it is tried on a program that does nothing.
fn takes(script: &Path) -> Option<bool> {
    let folder = PathBuf::from(std::env::var_os("OUT_DIR")?);
    let source = folder.join("nothing.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").ok()?;
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let passed = flags
        .split('\u{1f}')
        .filter_map(|flag| flag.trim_start_matches("-C").strip_prefix("link-arg="));
    let tried = Command::new(driver())
        .args(passed)
        .arg("-T")
        .arg(script)
        .arg("-o")
        .arg(folder.join("nothing"))
        .arg(source)
        .output();
    Some(tried.ok()?.status.success())
}

/// A script that has the linker put the listed functions first, in the order of the list.
/// What it does not find it leaves out, and everything else comes after as ever.
fn layout() -> Option<PathBuf> {
    println!("cargo:rerun-if-changed={ORDER}");
    let order = std::fs::read_to_string(ORDER).ok()?;
    let listed = order.lines().filter(|line| !line.starts_with('#'));
    let places: String = listed
        .map(|line| match line.split_once(".a:") {
            Some((archive, member)) => format!("    *{archive}.a:{member}(.text .text.*)\n"),
            None => format!("    *(.text.{line} .text.unlikely.{line})\n"),
        })
        .collect();
    let script =
        format!("SECTIONS\n{{\n  .text.first :\n  {{\n{places}  }}\n}}\nINSERT BEFORE .text;\n");
    let path = PathBuf::from(std::env::var_os("OUT_DIR")?).join("layout.ld");
    std::fs::write(&path, script).ok()?;
    Some(path)
}

fn driver() -> OsString {
    std::env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into())
}

/// Where the linker's driver has an archive; none if it has none.
fn archive(name: &str) -> Option<PathBuf> {
    let asked = Command::new(driver())
        .arg(format!("-print-file-name=lib{name}.a"))
        .output()
        .ok()?;
    let path = PathBuf::from(String::from_utf8(asked.stdout).ok()?.trim());
    path.is_absolute().then_some(path)
}

fn lead(folder: &Path, name: &str, archives: &[&Path]) -> Option<()> {
    let archives: Vec<String> = archives
        .iter()
        .map(|path| format!("\"{}\"", path.display()))
        .collect();
    let script = format!("GROUP ( {} )\n", archives.join(" "));
    std::fs::write(folder.join(format!("lib{name}.so")), script).ok()
}
