//! The value of a secret is told nowhere, under whatever name it stands; the tool itself and
//! a shell that asks for it get it.

use serde_json::json;
use toolroom_test::{Server, TestContext};

use crate::context;

/// A tool that calls a secret by several names, one before it has its own value.
const TOOL: &str = r#"
tool_type: tool
executor_id: bash
description: Knows abc-secret-1.
config:
  command: sh
  args: ["-c", "echo $OTHER"]
  call: {style: command}
  env:
    EARLY: "${API_TOKEN}"
    API_TOKEN: abc-secret-1
    OTHER: "${API_TOKEN}"
    PLAINX: abc-secret-1
    ADDRESS: "https://host/?key=${API_TOKEN}&x"
    SHORT_TOKEN: "true"
    FLAG: "true"
"#;

const SECRETS: [&str; 3] = ["abc-secret-1", "of-dotenv-2", "of-process-3"];

#[track_caller]
fn assert_told_nowhere(context: &TestContext, args: &[&str]) {
    let output = context.run(args);
    let told = format!("{}{}", output.stdout, output.stderr);
    for secret in SECRETS {
        assert!(!told.contains(secret), "{args:?}: {output}");
    }
    assert!(told.contains("***"), "{args:?}: {output}");
}

#[test]
fn a_secret_under_another_name_is_hidden() {
    let mut context = context();
    context.set_env("API_TOKEN", "of-process-3");
    context.set_env("COPY_OF_IT", "of-process-3");
    context.file(".env", "API_TOKEN=of-dotenv-2\n");
    context.tool("t.yaml", TOOL);
    for args in [
        &["env", "t"][..],
        &["env", "t", "--explain"],
        &["env", "t", "--json"],
    ] {
        assert_told_nowhere(&context, args);
    }
    let env = &context.data(&["env", "t"])["env"];
    for (name, value) in [
        ("API_TOKEN", "***"),
        ("EARLY", "***"),
        ("OTHER", "***"),
        ("PLAINX", "***"),
        ("COPY_OF_IT", "***"),
        ("ADDRESS", "https://host/?key=***&x"),
        ("FLAG", "true"),
    ] {
        assert_eq!(env[name]["value"], value, "{name}");
    }
    let script = context.run(&["env", "t", "--shell", "bash"]).stdout;
    assert!(script.contains("export OTHER='abc-secret-1'"), "{script}");
    let run = context.run(&["run", "t"]);
    assert_eq!(run.stdout, "abc-secret-1\n", "{run}");
}

#[test]
fn a_secret_that_is_not_passed_on_is_one_all_the_same() {
    let mut context = context();
    context.set_env("SERVICE_TOKEN", "of-process-3");
    context.tool(
        "t.yaml",
        "tool_type: tool\nexecutor_id: bash\ndescription: x\nenv_config: {env_policy: minimal, env: {SAME: of-process-3}}\n",
    );
    let data = context.data(&["env", "t"]);
    assert!(data["env"].get("SERVICE_TOKEN").is_none(), "{data}");
    assert_eq!(data["env"]["SAME"]["value"], "***");
}

#[test]
fn a_file_that_spells_a_secret_out_is_shown_without_it() {
    let mut context = context();
    context.set_env("SERVICE_PASSWORD", "of-process-3");
    context.tool("t.yaml", TOOL);
    context.tool(
        "ask.yaml",
        r#"
tool_type: http
executor_id: http_runtime
description: Asks.
config:
  url: https://me:hunter2@host/of-process-3
  headers: {Authorization: Bearer abc-secret-1, X-Api-Key: abc-secret-1, Cookie: "${COOKIE}"}
  auth: {type: bearer, token: "${API_TOKEN}"}
"#,
    );
    for args in [
        &["show", "t"][..],
        &["show", "t", "--json"],
        &["show", "ask", "--json"],
    ] {
        assert_told_nowhere(&context, args);
    }
    let shown = context.data(&["show", "t"]);
    assert_eq!(
        shown["metadata"]["config"]["env"],
        json!({
            "EARLY": "${API_TOKEN}", "API_TOKEN": "***", "OTHER": "${API_TOKEN}", "PLAINX": "***",
            "ADDRESS": "https://host/?key=${API_TOKEN}&x", "SHORT_TOKEN": "***", "FLAG": "true",
        })
    );
    let config = &context.data(&["show", "ask"])["metadata"]["config"];
    assert_eq!(
        config["headers"],
        json!({"Authorization": "***", "X-Api-Key": "***", "Cookie": "${COOKIE}"})
    );
    assert_eq!(
        config["auth"],
        json!({"type": "bearer", "token": "${API_TOKEN}"})
    );
    assert_eq!(config["url"], "https://***@host/***");
}

#[test]
fn nothing_of_core_is_taken_for_a_secret() {
    let context = context();
    let all = context.data(&["list", "--all"]);
    for tool in all["tools"].as_array().unwrap() {
        let shown = context.run(&["show", tool["id"].as_str().unwrap(), "--json"]);
        assert!(!shown.stdout.contains("***"), "{shown}");
    }
}

#[test]
fn an_error_names_what_was_filled_in_without_the_secret() {
    let mut context = context();
    context.set_env("BOT_TOKEN", "of-process-3");
    let command = "tool_type: tool\nexecutor_id: bash\ndescription: x\nconfig: {command: \"/bin/${API_TOKEN}\", env: {API_TOKEN: abc-secret-1}}\n";
    context.tool("command.yaml", command);
    context.tool("folder.yaml", "tool_type: tool\nexecutor_id: bash\ndescription: x\nconfig: {command: sh, cwd: \"/${BOT_TOKEN}\"}\n");
    let server = Server::start(|_, connection| connection.answer("404 Not Found", &[], "no"));
    let asks = |name: &str, address: &str| {
        let config = format!("config: {{url: \"{address}/bot${{BOT_TOKEN}}/send\"}}");
        let head = "tool_type: http\nexecutor_id: http_runtime\ndescription: x\n";
        context.tool(name, format!("{head}{config}\n"));
    };
    asks("answered.yaml", &server.url(""));
    asks("unanswered.yaml", "http://127.0.0.1:1");
    for id in ["command", "folder", "answered", "unanswered"] {
        assert_told_nowhere(&context, &["run", id]);
        assert_told_nowhere(&context, &["run", id, "--json"]);
    }
    assert_told_nowhere(&context, &["exec", "command", "--", "abc-secret-1"]);
}
