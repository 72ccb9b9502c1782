//! Reads what a request carries from its filled-in config: `body`, `text`, `form` or
//! `multipart`.

use std::path::Path;

use serde_json::{Map, Value};

use crate::http::{Body, Content, Part};

/// The keys that hold a body; one call has one of them.
const KEYS: [&str; 4] = ["body", "text", "form", "multipart"];

/// The body, or the key that is wrong and why.
pub(super) fn read(
    config: &Map<String, Value>,
    root: &Path,
) -> Result<Body, (&'static str, String)> {
    let mut present = KEYS
        .into_iter()
        .filter_map(|key| Some((key, config.get(key)?)));
    let Some((key, value)) = present.next() else {
        return Ok(Body::None);
    };
    if let Some((other, _)) = present.next() {
        return Err((other, format!("and config.{key} are two bodies")));
    }
    let body = match key {
        "form" => pairs(value).map(Body::Form),
        "multipart" => multipart(value, root).map(Body::Multipart),
        "text" => Ok(Body::Text(written(value))),
        _ => Ok(match value {
            Value::String(text) => Body::Text(text.clone()),
            other => Body::Json(other.to_string()),
        }),
    };
    body.map_err(|reason| (key, reason))
}

/// A mapping as names and values: a list is the name several times, null is left out,
/// anything but a text is JSON.
pub(super) fn pairs(value: &Value) -> Result<Vec<(String, String)>, String> {
    let fields = value.as_object().ok_or("is not a mapping")?;
    let mut pairs = Vec::new();
    for (name, value) in fields {
        for item in items(value) {
            pairs.push((name.clone(), written(item)));
        }
    }
    Ok(pairs)
}

fn items(value: &Value) -> &[Value] {
    match value {
        Value::Null => &[],
        Value::Array(items) => items,
        one => std::slice::from_ref(one),
    }
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn multipart(value: &Value, root: &Path) -> Result<Vec<Part>, String> {
    let fields = value.as_object().ok_or("is not a mapping")?;
    let mut parts = Vec::new();
    for (name, value) in fields {
        for item in items(value) {
            parts.push(part(name, item, root)?);
        }
    }
    Ok(parts)
}

/// A text, or a mapping that names a file or has a text with a type of its own.
fn part(name: &str, value: &Value, root: &Path) -> Result<Part, String> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let content = match (value, text("file"), text("text")) {
        (Value::Object(_), Some(file), None) => Content::File(root.join(file)),
        (Value::Object(_), None, Some(text)) => Content::Text(text.to_owned()),
        (Value::Object(_), ..) => {
            return Err(format!(
                "has the part {name}, which names neither one file nor one text"
            ));
        }
        (other, ..) => Content::Text(written(other)),
    };
    Ok(Part {
        name: name.to_owned(),
        content,
        file_name: text("filename").map(str::to_owned),
        content_type: text("content_type").map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(config: &Value) -> Result<Body, (&'static str, String)> {
        read(config.as_object().unwrap(), Path::new("/p"))
    }

    #[test]
    fn the_kind_of_a_body_follows_from_its_key_and_type() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let cases = [
            (json!({}), Body::None),
            (json!({"body": {}}), Body::Json("{}".into())),
            (json!({"body": [1]}), Body::Json("[1]".into())),
            (json!({"body": false}), Body::Json("false".into())),
            (json!({"body": ""}), Body::Text(String::new())),
            (json!({"body": "raw"}), Body::Text("raw".into())),
            (json!({"text": 1}), Body::Text("1".into())),
            (
                json!({"form": {"a": [1, "x"], "b": null, "c": {"d": 1}}}),
                Body::Form(vec![pair("a", "1"), pair("a", "x"), pair("c", "{\"d\":1}")]),
            ),
        ];
        for (config, wanted) in cases {
            assert_eq!(body(&config), Ok(wanted), "{config}");
        }
    }

    #[test]
    fn a_part_is_a_text_or_a_file_of_the_project() {
        let found = body(&json!({"multipart": {
            "t": "x", "f": {"file": "a.txt", "filename": "b.txt", "content_type": "text/x"},
        }}));
        let part = |name: &str, content| Part {
            name: name.to_owned(),
            content,
            file_name: None,
            content_type: None,
        };
        let file = Part {
            file_name: Some("b.txt".into()),
            content_type: Some("text/x".into()),
            ..part("f", Content::File("/p/a.txt".into()))
        };
        assert_eq!(
            found,
            Ok(Body::Multipart(vec![
                part("t", Content::Text("x".into())),
                file
            ]))
        );
        assert!(body(&json!({"multipart": {"f": {"path": "a"}}})).is_err());
    }

    #[test]
    fn two_bodies_are_a_mistake() {
        let fault = body(&json!({"body": 1, "form": {}})).unwrap_err();
        assert_eq!(fault, ("form", "and config.body are two bodies".to_owned()));
    }
}
