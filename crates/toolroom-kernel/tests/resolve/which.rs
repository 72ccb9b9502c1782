//! What a program's name stands for.

use toolroom_kernel::Os;

use crate::support::Context;

#[test]
fn the_first_file_on_path_that_may_be_executed_is_meant() {
    let mut context = Context::new();
    context.world.cwd = context.folder("project");
    context.file("first/tool", "no program");
    context.folder("second/tool");
    let meant = context.executable("third/tool");
    context.executable("fourth/tool");
    let folders = ["first", "second", "third", "fourth"].map(|folder| context.path(folder));
    context.set("PATH", std::env::join_paths(folders).unwrap());
    assert_eq!(context.world.which("tool"), Some(meant));
    assert_eq!(context.world.which("other"), None);
    assert_eq!(context.world.which(""), None);
}

#[test]
fn an_empty_entry_of_path_is_not_the_working_directory_and_a_relative_one_starts_there() {
    let mut context = Context::new();
    context.world.cwd = context.folder("project");
    let here = context.executable("project/tool");
    let below = context.executable("project/bin/tool");
    context.set("PATH", ":");
    assert_eq!(context.world.which("tool"), None);
    assert_eq!(context.world.which("./tool"), Some(here));
    context.set("PATH", ":bin");
    assert_eq!(context.world.which("tool"), Some(below));
}

#[test]
fn another_environments_path_can_be_asked() {
    let mut context = Context::new();
    let meant = context.executable("its/tool");
    context.set("PATH", context.path("ours"));
    let mut env = context.world.env.clone();
    env.set("PATH", context.path("its"));
    assert_eq!(context.world.which_in(&env, "tool"), Some(meant));
    assert_eq!(context.world.which("tool"), None);
}

#[test]
fn endings_are_those_that_the_machine_runs() {
    let mut context = Context::new();
    context.world.os = Os::Windows;
    context.executable("bin/tool");
    let meant = context.executable("bin/tool.cmd");
    let script = context.executable("bin/tool.ps1");
    context.set("PATH", context.path("bin"));
    assert_eq!(context.world.which("tool"), Some(meant));
    context.set("PATHEXT", ".PS1");
    assert_eq!(context.world.which("tool"), Some(script));
}
