//! Spaces: who wins, what is protected, where a project begins and ends.

use crate::context;

const TOOL: &str = "\"\"\"A tool.\"\"\"\ndef main(): ...\n";

#[test]
fn a_runtime_whose_last_name_means_one_of_core_is_told() {
    let context = context();
    context.tool(
        "runtimes/python_runtime.py",
        "__tool_type__ = 'runtime'\n__executor_id__ = 'subprocess'\n",
    );
    context.tool(
        "runtimes/mine.yaml",
        "tool_type: runtime\nexecutor_id: python\n",
    );
    context.tool(
        "t.py",
        "__executor_id__ = 'python_runtime'\ndef main(): ...\n",
    );
    let chain = context.data(&["show", "t"])["chain"].clone();
    assert_eq!(chain[1]["space"], "core", "{chain}");
    let list = context.run(&["list"]);
    assert_eq!(
        list.stderr,
        "note: python_runtime means runtimes/python of core, and not .ai/tools/runtimes/python_runtime.py; its own id is runtimes/python_runtime\n"
    );
    let outranked = context.data(&["list"])["outranked"].clone();
    assert_eq!(outranked.as_array().unwrap().len(), 1, "{outranked}");
    assert_eq!(outranked[0]["id"], "runtimes/python_runtime");
    assert_eq!(outranked[0]["by"], "runtimes/python");
    let doctor = context.data(&["doctor"]);
    let checks = doctor["checks"].as_array().unwrap();
    let check = checks
        .iter()
        .find(|check| check["name"] == "tools")
        .unwrap();
    assert_eq!(check["status"], "warn");
    assert_eq!(
        check["fix"],
        "say executor_id: runtimes/python_runtime where that file is meant"
    );
}

#[test]
fn the_project_hides_the_user_space_and_says_so() {
    let context = context();
    context.tool("t.py", "\"\"\"Of the project.\"\"\"\n");
    context.user_tool("t.py", "\"\"\"Of the user.\"\"\"\n");
    let listing = context.data(&["list"]);
    assert_eq!(listing["tools"].as_array().unwrap().len(), 1);
    assert_eq!(listing["tools"][0]["description"], "Of the project.");
    assert_eq!(listing["shadowed"][0]["path"], "[HOME]/.ai/tools/t.py");
    assert_eq!(context.data(&["show", "t"])["space"], "project");
}

#[test]
fn core_cannot_be_replaced_by_id_or_by_alias() {
    let context = context();
    for file in [
        "runtimes/python.yaml",
        "python_runtime.yaml",
        "rye/core/primitives/subprocess.yaml",
        "subprocess.yaml",
    ] {
        context.tool(
            file,
            "tool_type: runtime\nexecutor_id: subprocess\ndescription: evil\n",
        );
    }
    let listing = context.data(&["list", "--all"]);
    let problems = listing["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 4, "{problems:?}");
    assert!(
        problems
            .iter()
            .all(|problem| problem["code"] == "catalog::core_protected")
    );
    for name in [
        "runtimes/python",
        "python_runtime",
        "rye/core/primitives/subprocess",
        "subprocess",
        "python",
    ] {
        assert_eq!(context.data(&["show", name])["space"], "core", "{name}");
    }
    context.tool("t.py", TOOL);
    assert_eq!(context.data(&["show", "t"])["chain"][1]["space"], "core");
}

#[test]
fn a_bare_last_name_works_where_it_is_unique() {
    let context = context();
    context.tool("web/fetch.py", TOOL);
    context.tool("a/same.py", TOOL);
    context.tool("b/same.py", TOOL);
    assert_eq!(context.data(&["show", "fetch"])["id"], "web/fetch");
    let error = context.error(&["show", "same"]);
    assert_eq!(error["code"], "catalog::ambiguous_name");
    assert_eq!(error["message"], "same could be any of a/same, b/same");
}

#[test]
fn an_unknown_tool_is_127_and_comes_with_a_suggestion() {
    let context = context();
    context.tool("web/fetch.py", TOOL);
    insta::assert_snapshot!(context.run(&["show", "web/fecth"]), @"
    status: 127
    ----- stdout -----
    ----- stderr -----
    error[catalog::tool_not_found]: there is no tool called web/fecth
     │
     ╰ help: did you mean web/fetch?
    ");
}

#[test]
fn an_id_that_leaves_the_space_is_refused() {
    let context = context();
    context.file("outside.py", TOOL);
    for id in [
        "../outside",
        "../../outside",
        "/etc/passwd",
        "a/../../outside",
    ] {
        let error = context.error(&["show", id]);
        assert_eq!(error["code"], "catalog::invalid_id", "{id}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_space_is_never_followed() {
    use std::os::unix::fs::symlink;
    let context = context();
    let outside = context.file("outside.py", TOOL);
    let folder = context.project().join("elsewhere");
    context.file("elsewhere/deep.py", TOOL);
    symlink(outside, context.project().join(".ai/tools/leak.py")).unwrap();
    symlink(folder, context.project().join(".ai/tools/dir")).unwrap();
    for id in ["leak", "dir/deep"] {
        assert_eq!(
            context.error(&["show", id])["code"],
            "catalog::leaves_space",
            "{id}"
        );
    }
    let listing = context.data(&["list"]);
    assert_eq!(listing["tools"].as_array().unwrap().len(), 0);
    assert_eq!(listing["problems"].as_array().unwrap().len(), 2);
}

#[test]
fn a_project_is_found_from_below_and_not_beyond_its_git_root() {
    let mut context = context();
    context.tool("t.py", TOOL);
    context.enter("src/deep");
    assert_eq!(
        context.data(&["list"])["tools"].as_array().unwrap().len(),
        1
    );
    fs_err::create_dir_all(context.project().join("src/.git")).unwrap();
    assert_eq!(
        context.data(&["list"])["tools"].as_array().unwrap().len(),
        0
    );
}

#[test]
fn a_project_can_be_named() {
    let mut context = context();
    context.tool("t.py", TOOL);
    let elsewhere = context.root().join("elsewhere");
    context.enter(elsewhere);
    let project = context.project();
    let project = project.to_str().unwrap();
    assert_eq!(
        context.data(&["list", "--project", project])["tools"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(context.run(&["list", "--project", "/nowhere"]).status, 2);
}

#[test]
fn the_user_space_can_be_moved() {
    let mut context = context();
    let space = context.root().join("other space");
    context.file(space.join("tools/mine.py"), TOOL);
    context.set_env("TOOLROOM_USER_SPACE", &space);
    assert_eq!(context.data(&["show", "mine"])["space"], "user");
}

#[test]
fn without_a_home_the_project_still_works() {
    let mut context = context();
    context.tool("t.py", TOOL);
    context.remove_env("HOME").remove_env("USERPROFILE");
    assert_eq!(
        context.data(&["list"])["tools"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn the_order_of_a_listing_does_not_depend_on_the_disk() {
    let context = context();
    for name in ["b", "a", "c", "B", "a/x", "a-b"] {
        context.tool(&format!("{name}.py"), TOOL);
    }
    let listing = context.data(&["list"]);
    let ids: Vec<&str> = listing["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["B", "a", "a-b", "a/x", "b", "c"]);
}
