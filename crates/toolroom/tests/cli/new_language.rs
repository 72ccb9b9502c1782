//! A language nobody compiled in, from data files alone, end to end.

use serde_json::json;
use toolroom_test::TestContext;

use crate::context;

const RESOLVER: &str = r#"
tool_type: resolver
description: Tcl from tclenv's versions, then PATH.
root: "${TCLENV_ROOT:-{home}/.tclenv}"
wanted:
  - {option: version}
  - {file: .tcl-version, walk: up}
installed: "{root}/versions/{version}"
executable: bin/tclsh
places:
  user:
    - {executable: "{root}/versions/*/bin/tclsh"}
  system:
    - {which: [tclsh]}
activate:
  prepend: {PATH: "{executable_dir}"}
"#;

const RUNTIME: &str = r#"
tool_type: runtime
executor_id: subprocess
description: Runs Tcl scripts.
env_config:
  interpreter: {type: tcl, search: [user, system], var: TCLSH}
  env: {TCL_READY: "yes"}
config:
  command: "${TCLSH}"
template:
  extension: .tcl
  body: |
    # ---
    # description: "@NAME@: says hello."
    # ---
    puts "hello"
"#;

const EXTRACTOR: &str = r##"
tool_type: extractor
extends: extractors/front_matter
description: Reads Tcl tools from the YAML block in their leading comment.
extensions: [.tcl]
comment: {line: "#"}
defaults: {tool_type: tcl, executor_id: tcl_runtime}
"##;

const TOOL: &str = r#"#!/usr/bin/env tclsh
# ---
# version: 1.0.0
# description: Greets in Tcl.
# parameters: {name: {type: string, required: true}}
# ---
puts "Hello, [lindex $argv 1]! $env(TCL_READY)"
"#;

fn with_tcl() -> TestContext {
    let context = context();
    context.tool("resolvers/tcl.yaml", RESOLVER);
    context.tool("runtimes/tcl_runtime.yaml", RUNTIME);
    context.tool("extractors/tcl.yaml", EXTRACTOR);
    context.tool("greet.tcl", TOOL);
    for version in ["8.5.19", "8.6.9", "8.6.13"] {
        let path = context
            .home()
            .join(format!(".tclenv/versions/{version}/bin/tclsh"));
        context.executable(path, format!("#!/bin/sh\necho \"tcl {version}: $*\"\n"));
    }
    context
}

#[test]
fn its_tools_are_listed_and_shown() {
    let context = with_tcl();
    let listing = context.data(&["list"]);
    assert_eq!(listing["problems"], json!([]));
    assert_eq!(listing["tools"][0]["id"], "greet");
    assert_eq!(listing["tools"][0]["runtime"], "runtimes/tcl_runtime");
    let tool = context.data(&["show", "greet"]);
    assert_eq!(tool["input_schema"]["required"], json!(["name"]));
}

#[test]
fn its_interpreter_is_found_by_its_own_version_manager() {
    let context = with_tcl();
    let newest = context.data(&["env", "tcl_runtime"]);
    assert_eq!(
        newest["interpreter"]["path"],
        "[HOME]/.tclenv/versions/8.6.13/bin/tclsh"
    );
    assert_eq!(newest["interpreter"]["version"], "8.6.13");
    assert_eq!(
        newest["env"]["TCL_READY"],
        json!({"value": "yes", "origin": "runtime runtimes/tcl_runtime"})
    );
    context.file(".tcl-version", "8.5\n");
    let pinned = context.data(&["env", "greet"]);
    assert_eq!(pinned["interpreter"]["version"], "8.5.19");
    let explained = context.run(&["env", "tcl_runtime", "--explain"]).stdout;
    assert!(
        explained.contains("~/.tclenv/versions/8.5.19/bin/tclsh"),
        "{explained}"
    );
    context.file(".tcl-version", "9.0\n");
    let error = context.error(&["env", "tcl_runtime"]);
    assert_eq!(error["code"], "resolve::version_not_installed");
}

#[test]
fn commands_and_tools_run_with_it() {
    let context = with_tcl();
    assert_eq!(
        context
            .run(&["exec", "tcl_runtime", "--", "-x", "y"])
            .stdout,
        "tcl 8.6.13: -x y\n"
    );
    let ran = context.run(&["run", "greet", "--name", "Ada"]).stdout;
    assert_eq!(
        ran,
        "tcl 8.6.13: [PROJECT]/.ai/tools/greet.tcl --name Ada\n"
    );
    assert_eq!(
        context.data(&["new", "mine", "--runtime", "tcl_runtime"])["path"],
        "[PROJECT]/.ai/tools/mine.tcl"
    );
    assert_eq!(
        context.data(&["show", "mine"])["metadata"]["description"],
        "mine: says hello."
    );
}

#[test]
fn the_real_interpreter_works_the_same_way() {
    if toolroom_test::program("tclsh").is_none() {
        return;
    }
    let mut context = with_tcl();
    fs_err::remove_dir_all(context.home().join(".tclenv")).unwrap();
    context.set_env("PATH", toolroom_test::path());
    assert_eq!(
        context.run(&["run", "greet", "--name", "Ada"]).stdout,
        "Hello, Ada! yes\n"
    );
}
