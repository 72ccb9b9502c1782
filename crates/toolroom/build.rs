//! Links the program at a fixed address on Linux.
//!
//! Most of what a short command costs is page faults, and a position-independent program
//! of this size takes a hundred and fifty of them before `main`, to relocate tables that
//! it will hardly look at.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
