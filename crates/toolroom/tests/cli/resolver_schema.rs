//! The JSON Schema of resolver data: what an editor accepts is what a search can use. The
//! product's own check of parameters is what validates here.
#![cfg(unix)]

use serde_json::{Value, json};
use toolroom_test::TestContext;

use crate::context;

/// A project with a tool whose parameters are a resolver.
fn checker() -> TestContext {
    let context = context();
    let schema = include_str!("../../../../docs/reference/resolver.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let tool = json!({
        "tool_type": "tool",
        "executor_id": "subprocess",
        "description": "Takes a resolver.",
        "input_schema": schema,
        "config": {"command": "/bin/true", "call": {"style": "command"}},
    });
    context.tool("check.json", tool.to_string());
    assert_eq!(context.data(&["list"])["problems"], json!([]));
    context
}

/// What the schema has against a document, if anything.
fn fault(context: &TestContext, document: &Value) -> Option<String> {
    let output = context.run(&["run", "check", "--params", &document.to_string(), "--json"]);
    if output.status == 0 {
        return None;
    }
    let error = output.error();
    assert_eq!(error["code"], "usage::invalid_parameters", "{error}");
    Some(error["message"].to_string())
}

/// The code a search by a resolver ends with.
fn searched(context: &TestContext, document: &Value) -> Value {
    context.tool("resolvers/mine.json", document.to_string());
    context.tool(
        "runtimes/mine_runtime.yaml",
        "tool_type: runtime\nexecutor_id: subprocess\ndescription: x\nenv_config: {interpreter: {type: mine, var: X}}\nconfig: {command: \"${X}\"}\n",
    );
    context.error(&["env", "mine_runtime"])["code"].clone()
}

#[test]
fn every_shipped_resolver_is_accepted() {
    let context = checker();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../core/resolvers");
    let mut seen = 0;
    for entry in fs_err::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        let name = name.trim_end_matches(".yaml");
        let shown = context.data(&["show", &format!("resolvers/{name}")]);
        assert_eq!(fault(&context, &shown["metadata"]), None, "{name}");
        seen += 1;
    }
    assert!(seen >= 13, "only {seen} were looked at");
}

#[test]
fn a_wrong_resolver_is_refused_by_the_schema_and_by_the_search_alike() {
    let context = checker();
    let sound = json!({
        "tool_type": "resolver",
        "description": "x",
        "places": {"system": [{"which": "no-such-program"}]},
    });
    assert_eq!(fault(&context, &sound), None);
    assert_eq!(searched(&context, &sound), "resolve::interpreter_not_found");
    let wrong = [
        json!({"plces": {}}),
        json!({"places": {"system": [{"which": "a", "executable": "b"}]}}),
        json!({"places": {"system": [{"wich": "a"}]}}),
        json!({"places": {"system": [{}]}}),
        json!({"places": {"system": {"which": "a"}}}),
        json!({"places": {"system": [{"installed": "oldest"}]}}),
        json!({"wanted": [{"file": "x", "walk": "down"}]}),
        json!({"wanted": [{"file": "x", "soft": "yes"}]}),
        json!({"environment": {"marker": ["a"]}}),
        json!({"environment": {"base": {"key": "home"}}}),
        json!({"environment": {"agree": -1}}),
        json!({"root": {"linux": "/x"}}),
        json!({"options": {"a": 1}}),
        json!({"facts": {"a": {"nearest": "x"}}}),
        json!({"facts": {"a": {"directory": "x"}}}),
        json!({"rules": {"a": [{"equal": ["one"], "then": true}]}}),
        json!({"evidence": [{"lnk": "x"}]}),
        json!({"shims": [{"directory": 1}]}),
        json!({"activate": {"unset": "PATH"}}),
        json!({"activate": {"sett": {}}}),
        json!({"alias": {"newest": "latest"}}),
        json!({"strip": "v"}),
        json!({"settings": []}),
    ];
    for change in wrong {
        let mut document = sound.clone();
        for (key, value) in change.as_object().unwrap() {
            document[key] = value.clone();
        }
        assert!(fault(&context, &document).is_some(), "{change}");
        assert_eq!(
            searched(&context, &document),
            "resolve::bad_resolver",
            "{change}"
        );
    }
}

#[test]
fn every_key_of_the_schema_has_a_line_in_the_reference() {
    let schema = include_str!("../../../../docs/reference/resolver.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let reference = include_str!("../../../../docs/reference/resolvers.md");
    let quoted = reference.split('`').skip(1).step_by(2);
    let told: Vec<&str> = quoted
        .flat_map(|code| code.split(|next: char| !next.is_alphanumeric() && next != '_'))
        .collect();
    let mut missing = Vec::new();
    visit(&schema, &mut |key| {
        if !told.contains(&key) && !missing.contains(&key.to_owned()) {
            missing.push(key.to_owned());
        }
    });
    // What every tool file may say is told elsewhere.
    let common = [
        "name",
        "version",
        "description",
        "category",
        "executor_id",
        "aliases",
        "tool_type",
    ];
    missing.retain(|key| !common.contains(&key.as_str()));
    assert_eq!(missing, [""; 0]);
}

fn visit(schema: &Value, look: &mut dyn FnMut(&str)) {
    match schema {
        Value::Object(fields) => {
            if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
                properties.keys().for_each(|key| look(key));
            }
            fields.values().for_each(|value| visit(value, look));
        }
        Value::Array(items) => items.iter().for_each(|value| visit(value, look)),
        _ => {}
    }
}
