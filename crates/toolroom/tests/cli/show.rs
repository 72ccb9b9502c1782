//! `show`: what a tool says of itself, for people and for programs.

use serde_json::Value;

use crate::context;

const FETCH: &str = r#"
"""Fetches a page.

Follows redirects.
"""
from typing import Literal

__version__ = "1.2.0"

def main(url: str, retries: int = 3, format: Literal["text", "html"] = "text", verbose: bool = False):
    """Fetches a page.

    Args:
        url: The page to fetch.
        retries: How often to try again.
        format: What to give back.
    """
"#;

#[test]
fn a_tool_is_shown_with_its_flags() {
    let context = context();
    context.tool("web/fetch.py", FETCH);
    insta::assert_snapshot!(context.run(&["show", "web/fetch"]), @"
    status: 0
    ----- stdout -----
    web/fetch 1.2.0
    Fetches a page.

    Follows redirects.

    file      .ai/tools/web/fetch.py
    space     project
    type      python
    category  web
    chain     web/fetch → python → subprocess

    Parameters
      --url TEXT            The page to fetch. (required)
      --retries INTEGER     How often to try again. [default: 3]
      --format text|html    What to give back. [default: text]
      -- --verbose BOOLEAN  (after --, or in --params) [default: false]
    ----- stderr -----
    ");
}

#[test]
fn the_json_answer_has_the_fields_of_the_contract() {
    let context = context();
    context.tool("web/fetch.py", FETCH);
    let data = context.data(&["show", "web/fetch"]);
    for field in [
        "id",
        "space",
        "path",
        "metadata",
        "input_schema",
        "output_schema",
        "chain",
    ] {
        assert!(data.get(field).is_some(), "{field} is missing");
    }
    let last = data["chain"].as_array().unwrap().last().unwrap();
    for field in ["id", "type", "space", "path", "digest"] {
        assert!(last[field].is_string(), "{field} is missing: {last}");
    }
    assert_eq!(last["type"], "primitive");
    assert!(
        data["chain"][0]["digest"]
            .as_str()
            .unwrap()
            .starts_with("sha256:")
    );
}

#[test]
fn the_digest_is_that_of_the_file() {
    let context = context();
    context.tool("empty.py", "");
    let digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(
        context.data(&["show", "empty"])["chain"][0]["digest"],
        digest
    );
}

#[test]
fn core_is_shown_like_anything_else() {
    let context = context();
    let python = context.data(&["show", "python_runtime"]);
    assert_eq!(python["id"], "runtimes/python");
    assert_eq!(python["path"], "core:runtimes/python.yaml");
    assert_eq!(
        context.data(&["show", "resolvers/venv_python"])["metadata"]["tool_type"],
        "resolver"
    );
}

#[test]
fn a_tool_is_found_without_looking_at_the_others() {
    let context = context();
    context.tool("web/fetch.py", FETCH);
    // A folder that cannot be walked to its end would show in the answer.
    for n in 0..40 {
        context.tool(&format!("{}x.py", "deep/".repeat(n)), "bad syntax (");
    }
    assert_eq!(context.data(&["show", "web/fetch"])["id"], "web/fetch");
}

/// What the schemas of core say things with.
const KEYWORDS: [&str; 15] = [
    "type",
    "description",
    "default",
    "enum",
    "const",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "anyOf",
    "oneOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "pattern",
];

fn assert_keywords(schema: &Value, place: &str) {
    let Some(schema) = schema.as_object() else {
        return;
    };
    for (keyword, value) in schema {
        let place = format!("{place}.{keyword}");
        assert!(KEYWORDS.contains(&keyword.as_str()), "{place}: {value}");
        match keyword.as_str() {
            "properties" => {
                for (name, schema) in value.as_object().unwrap() {
                    assert_keywords(schema, &format!("{place}.{name}"));
                }
            }
            "anyOf" | "oneOf" => {
                for schema in value.as_array().unwrap() {
                    assert_keywords(schema, &place);
                }
            }
            "items" | "additionalProperties" => assert_keywords(value, &place),
            _ => {}
        }
    }
}

/// A text that YAML cuts at its comma leaves the rest behind as a key.
fn assert_no_cut_texts(value: &Value, place: &str) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let place = format!("{place}.{key}");
                assert!(!key.contains(char::is_whitespace), "{place}: {value}");
                assert_no_cut_texts(value, &place);
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| assert_no_cut_texts(item, place)),
        _ => {}
    }
}

#[test]
fn what_core_says_is_whole_down_to_its_schemas() {
    let context = context();
    let listed = context.data(&["list", "--all"]);
    let mut schemas = 0;
    for tool in listed["tools"].as_array().unwrap() {
        let id = tool["id"].as_str().unwrap();
        let metadata = &context.data(&["show", id])["metadata"];
        assert_no_cut_texts(metadata, id);
        for field in ["config_schema", "input_schema", "output_schema"] {
            assert_keywords(&metadata[field], &format!("{id}: {field}"));
            schemas += usize::from(metadata[field].is_object());
        }
    }
    assert!(schemas >= 2, "only {schemas} schemas were looked at");
    let arguments = &context.data(&["show", "subprocess"])["metadata"]["config_schema"];
    assert_eq!(
        arguments["properties"]["args"]["description"],
        "Its arguments, one by one; never a shell string."
    );
}
