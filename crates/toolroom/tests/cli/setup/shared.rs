//! Tools with packages of their own.

use std::process::Stdio;

use super::{plan, runs_in, with_uv};

const SCRIPT: &str = "# /// script\n# dependencies = [\"six\", \"idna>=3\"]\n# ///\n\"\"\"Needs packages.\"\"\"\n\n\ndef main() -> str:\n    import idna, six, sys\n    return sys.prefix\n";
const REQUIRES: &str = "\"\"\"Needs packages.\"\"\"\n__requires__ = [\"idna>=3\", \"six\"]\n\n\ndef main() -> str:\n    import idna, six, sys\n    return sys.prefix\n";

#[test]
fn an_unprepared_tool_fails_with_the_command_that_prepares_it() {
    let Some(context) = with_uv() else { return };
    context.tool("needs/it.py", SCRIPT);
    let error = context.error(&["run", "needs/it"]);
    assert_eq!(error["code"], "provision::not_prepared", "{error:#}");
    assert_eq!(error["help"], "toolroom setup needs/it prepares it");
    assert_eq!(context.run(&["run", "needs/it"]).status, 125);
}

#[test]
fn tools_that_require_the_same_share_one_environment() {
    let Some(context) = with_uv() else { return };
    context.tool("a.py", SCRIPT);
    context.tool("b.py", REQUIRES);
    let done = plan(&context, &["a"]);
    assert_eq!(done["action"], "create", "{done:#}");
    assert_eq!(runs_in(&context, "a"), runs_in(&context, "b"));
    assert!(runs_in(&context, "a").starts_with(context.home().join(".cache")));
    assert_eq!(
        context.data(&["env", "b"])["interpreter"]["place"],
        "shared"
    );
    assert_eq!(plan(&context, &["b"])["action"], "reuse");
}

#[test]
fn a_plan_names_all_that_a_new_shared_environment_is_given() {
    let Some(context) = with_uv() else { return };
    for (name, source) in [("a", SCRIPT), ("b", REQUIRES)] {
        context.tool(&format!("{name}.py"), source);
        let planned = plan(&context, &[name, "--plan"]);
        assert_eq!(planned["action"], "create", "{planned:#}");
        assert_eq!(planned["missing"], serde_json::json!(["idna>=3", "six"]));
    }
    let error = context.error(&["run", "a"]);
    assert_eq!(
        error["message"],
        "a cannot run: its environment lacks idna>=3, six"
    );
}

#[test]
fn a_project_that_has_what_a_tool_requires_lends_its_environment() {
    let Some(context) = with_uv() else { return };
    context.tool("a.py", SCRIPT);
    let project = super::venv(&context, ".venv", &["six", "idna"]);
    assert_eq!(runs_in(&context, "a"), project);
}

#[test]
fn create_makes_the_environment_on_the_first_run_and_frozen_forbids_it() {
    let Some(context) = with_uv() else { return };
    let source = REQUIRES.replace(
        "__requires__",
        "CONFIG = {\"env_setup\": {\"create\": True}, \"timeout\": 5}\n__requires__",
    );
    context.tool("a.py", source);
    assert_eq!(
        context.error(&["run", "a", "--frozen"])["code"],
        "provision::not_prepared"
    );
    let first = context.run(&["run", "a"]);
    assert_eq!(first.status, 0, "{first}");
    assert!(first.stderr.contains("a (python_venv): install"), "{first}");
    let second = context.run(&["run", "a"]);
    assert_eq!(second.stderr, "", "{second}");
}

#[test]
fn twenty_processes_that_need_one_environment_make_it_once() {
    let Some(context) = with_uv() else { return };
    let source = REQUIRES.replace(
        "__requires__",
        "CONFIG = {\"env_setup\": {\"create\": True}}\n__requires__",
    );
    for number in 0..20 {
        context.tool(&format!("t{number}.py"), &source);
    }
    let runs: Vec<_> = (0..20)
        .map(|number| {
            context
                .command(&["run", &format!("t{number}"), "-q"])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for run in runs {
        let output = run.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let folder = context
        .home()
        .join(".cache/toolroom/environments/python_venv");
    assert_eq!(fs_err::read_dir(folder).unwrap().count(), 1);
    let journal =
        fs_err::read_to_string(context.home().join(".local/state/toolroom/journal.jsonl")).unwrap();
    assert_eq!(journal.matches("\"event\":\"made\"").count(), 1);
}

#[test]
fn prune_keeps_what_was_used_and_removes_what_was_not() {
    let Some(context) = with_uv() else { return };
    context.tool("a.py", SCRIPT);
    plan(&context, &["a"]);
    let environment = runs_in(&context, "a");
    assert_eq!(
        context.data(&["setup", "--prune"])["pruned"],
        serde_json::json!([])
    );
    let mark = fs_err::OpenOptions::new()
        .append(true)
        .open(environment.join(".toolroom.json"))
        .unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(40 * 24 * 3600);
    mark.file().set_modified(long_ago).unwrap();
    assert_eq!(
        context.data(&["setup", "--prune"])["pruned"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert!(!environment.exists());
}

#[test]
fn paths_of_env_setup_reach_the_library_path() {
    let Some(context) = with_uv() else { return };
    context.file("lib/python/helper.py", "VALUE = 'helped'\n");
    context.tool(
        "a.py",
        "\"\"\"Uses the project's library.\"\"\"\nCONFIG = {\"env_setup\": {\"paths\": [\"lib.python\"]}}\n\n\ndef main() -> str:\n    import helper\n    return helper.VALUE\n",
    );
    assert_eq!(context.data(&["run", "a"])["data"], "helped");
}
