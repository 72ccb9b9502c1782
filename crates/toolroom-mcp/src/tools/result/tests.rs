use serde_json::json;
use toolroom_kernel::model::{Space, Tool, ToolId};

use super::*;

fn entry(output_schema: Option<Value>) -> Entry {
    let mut metadata = Map::new();
    if let Some(schema) = output_schema {
        metadata.insert("output_schema".into(), schema);
    }
    let tool = Tool {
        id: ToolId::parse("t").unwrap(),
        space: Space::Project,
        path: "t.py".into(),
        metadata,
        positions: std::collections::BTreeMap::new(),
        digest: String::new(),
    };
    Entry::new("t".into(), tool, &mut Vec::new()).unwrap()
}

fn answer(era: Era, value: &Value, schema: Option<Value>) -> Value {
    let outputs = Outputs::new(None);
    let form = Form {
        era,
        outputs: &outputs,
        secrets: &Secrets::default(),
    };
    let mut result = form.of_value(value.clone(), &value.to_string(), &entry(schema));
    result.result_type = None;
    serde_json::to_value(result).unwrap()
}

#[test]
fn every_result_is_text_and_structure_where_there_is_any() {
    let cases = [
        (
            json!("hi"),
            json!({"content": [{"type": "text", "text": "hi"}], "isError": false}),
        ),
        (json!(null), json!({"content": [], "isError": false})),
        (
            json!(3),
            json!({"content": [{"type": "text", "text": "3"}], "isError": false}),
        ),
        (
            json!({"a": 1}),
            json!({"content": [{"type": "text", "text": "{\"a\":1}"}], "structuredContent": {"a": 1}, "isError": false}),
        ),
        (
            json!([1]),
            json!({"content": [{"type": "text", "text": "[1]"}], "structuredContent": [1], "isError": false}),
        ),
    ];
    for (value, wanted) in cases {
        assert_eq!(answer(Era::Modern, &value, None), wanted, "{value}");
    }
}

#[test]
fn older_clients_get_lists_and_scalars_inside_an_object() {
    assert_eq!(
        answer(Era::Legacy, &json!([1]), None)["structuredContent"],
        json!({"result": [1]})
    );
    let schema = json!({"type": "string"});
    assert_eq!(
        answer(Era::Legacy, &json!("x"), Some(schema.clone()))["structuredContent"],
        json!({"result": "x"})
    );
    assert_eq!(
        answer(Era::Modern, &json!("x"), Some(schema))["structuredContent"],
        json!("x")
    );
}

#[test]
fn content_blocks_are_passed_on_cleaned() {
    let value = json!({"content": [{"type": "text", "text": "\u{1b}[1mx"}, {"type": "image", "data": "AA==", "mimeType": "image/png"}]});
    let wanted = json!({"content": [{"type": "text", "text": "x"}, {"type": "image", "data": "AA==", "mimeType": "image/png"}], "isError": false});
    assert_eq!(answer(Era::Modern, &value, None), wanted);
    let not_blocks = json!({"content": ["a", "b"]});
    assert_eq!(
        answer(Era::Modern, &not_blocks, None)["structuredContent"],
        not_blocks
    );
}

#[test]
fn a_result_that_breaks_its_schema_is_an_error_that_says_where() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let broken = answer(Era::Modern, &json!({"n": "x"}), Some(schema.clone()));
    assert_eq!(broken["isError"], true);
    assert!(
        broken["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("at /n"),
        "{broken}"
    );
    assert!(broken.get("structuredContent").is_none());
    let blocks = answer(
        Era::Modern,
        &json!({"content": [{"type": "text", "text": "x"}]}),
        Some(schema),
    );
    assert_eq!(blocks["isError"], true);
}

#[test]
fn a_long_result_keeps_head_and_tail_and_links_to_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs::new(Some(folder.path().to_path_buf()));
    let form = Form {
        era: Era::Modern,
        outputs: &outputs,
        secrets: &Secrets::default(),
    };
    let text = format!("first {} last", "ä".repeat(200_000));
    let (blocks, is_cut) = form.capped(&text);
    assert!(is_cut);
    let shown = &blocks[0].as_text().unwrap().text;
    assert!(shown.starts_with("first ") && shown.ends_with(" last"));
    assert!(shown.len() < MOST_TEXT + 200);
    let link = blocks[1].as_resource_link().unwrap();
    assert_eq!(outputs.read(&link.uri).as_deref(), Some(text.as_str()));
}
