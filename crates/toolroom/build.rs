//! Links the program for a cheap start on Linux: most of what a short command costs is
//! page faults before `main`.
//!
//! A fixed address spares the hundred and fifty of them that relocating a
//! position-independent program of this size takes, for tables that it hardly looks at.
//! The unwinder is linked in, because a library of its own costs ten more, and only a
//! panic's backtrace asks for it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
        println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
    }
}
