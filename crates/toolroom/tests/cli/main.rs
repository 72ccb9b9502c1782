//! The program as its users see it: driven through the binary, with real files.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests are tests too"
)]

mod comment_blocks;
mod completions;
mod doctor;
mod env;
mod env_shell;
mod extraction;
mod hard_cases;
mod http;
mod init_and_new;
mod kernel_knows_no_language;
mod list;
mod mcp_clients;
mod mcp_serve;
mod new_language;
mod problems;
mod real_interpreters;
mod resolver_schema;
mod run;
mod scarce;
mod search;
mod secrets;
mod seeds;
mod settings;
mod setup;
mod show;
mod spaces;

use toolroom_test::TestContext;

pub(crate) fn context() -> TestContext {
    TestContext::new(env!("CARGO_BIN_EXE_toolroom"))
}

/// A test file that is not listed above would silently not run.
#[test]
fn every_test_file_is_part_of_this_binary() {
    let main = include_str!("main.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli");
    for entry in fs_err::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if let Some(module) = name.strip_suffix(".rs").filter(|name| *name != "main") {
            assert!(
                main.contains(&format!("mod {module};")),
                "{name} is not listed in main.rs"
            );
        }
    }
}
