//! The one schema of a tool's parameters: declared where the file declares one, derived
//! from its entry function otherwise. Language-free: readers give functions as data.

use serde_json::{Map, Value, json};
use toolroom_kernel::model::field;

use super::document::Function;

/// Which parameters the launcher fills in itself.
#[derive(Debug, Clone, Copy)]
pub struct Injection<'a> {
    /// A first parameter of this name takes all parameters as one object.
    pub whole: Option<&'a str>,
    pub injected: &'a [String],
}

/// Derives a schema from a function's parameters.
#[must_use]
pub fn of_function(function: Function, injection: Injection<'_>) -> Value {
    if takes_whole(&function, injection) {
        return json!({"type": "object", "properties": {}, "additionalProperties": true});
    }
    let mut properties = Map::with_capacity(function.parameters.len());
    let mut required = Vec::new();
    for parameter in function.parameters {
        let is_injected = injection.injected.contains(&parameter.name);
        if function.in_order && is_injected {
            continue;
        }
        let mut schema = parameter.schema;
        if let Some(text) = parameter.description {
            schema.insert("description".into(), text.into());
        }
        if let Some(default) = parameter.default {
            schema.insert("default".into(), default);
        }
        if parameter.required && !is_injected {
            required.push(Value::from(parameter.name.as_str()));
        }
        properties.insert(parameter.name, Value::Object(schema));
    }
    let mut schema = Map::with_capacity(4);
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), Value::Array(required));
    }
    schema.insert("additionalProperties".into(), function.open.into());
    Value::Object(schema)
}

/// The names of a function's parameters, if it takes them one by one.
#[must_use]
pub fn order_of(function: &Function) -> Option<Vec<Value>> {
    let names = function.parameters.iter();
    let names = names.map(|parameter| parameter.name.as_str().into());
    function.in_order.then(|| names.collect())
}

/// Whether the function takes all parameters as one object, beside what is injected.
fn takes_whole(function: &Function, injection: Injection<'_>) -> bool {
    let Some((first, rest)) = function.parameters.split_first() else {
        return false;
    };
    Some(first.name.as_str()) == injection.whole
        && rest
            .iter()
            .all(|parameter| injection.injected.contains(&parameter.name))
}

/// The schema a tool's parameters are checked against: `input_schema` as declared, then
/// `parameters`, then `config_schema`, then what was derived.
#[must_use]
pub fn effective(
    metadata: &Map<String, Value>,
    derived: impl FnOnce() -> Option<Value>,
) -> Option<Value> {
    let declared = |name: &str| metadata.get(name).filter(|value| !value.is_null());
    declared(field::INPUT_SCHEMA)
        .cloned()
        .or_else(|| declared(field::PARAMETERS).and_then(of_parameters))
        .or_else(|| declared(field::CONFIG_SCHEMA).cloned())
        .or_else(derived)
}

/// Reads a `parameters` block: a JSON Schema, a mapping of names, or a list with names.
#[must_use]
pub fn of_parameters(block: &Value) -> Option<Value> {
    match block {
        Value::Object(map) if map.contains_key("properties") => Some(block.clone()),
        Value::Object(map) if map.get("type").is_some_and(|kind| kind == "object") => {
            Some(block.clone())
        }
        Value::Object(map) => Some(of_named(
            map.iter().map(|(name, schema)| (name.as_str(), schema)),
        )),
        Value::Array(list) => {
            Some(of_named(list.iter().filter_map(|parameter| {
                Some((parameter.get("name")?.as_str()?, parameter))
            })))
        }
        _ => None,
    }
}

fn of_named<'a>(parameters: impl Iterator<Item = (&'a str, &'a Value)>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, written) in parameters {
        let mut schema = match written {
            Value::Object(schema) => schema.clone(),
            Value::String(kind) => Map::from_iter([("type".to_owned(), kind.as_str().into())]),
            _ => Map::new(),
        };
        schema.remove("name");
        if schema.get("required").is_some_and(Value::is_boolean)
            && schema.remove("required") == Some(Value::Bool(true))
        {
            required.push(Value::from(name));
        }
        properties.insert(name.to_owned(), Value::Object(schema));
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = Value::Array(required);
    }
    schema
}

#[cfg(test)]
mod tests {
    use toolroom_kernel::Position;

    use super::super::document::Parameter;
    use super::*;

    const RYE: Injection<'static> = Injection {
        whole: Some("params"),
        injected: &[],
    };

    fn function(parameters: Vec<Parameter>) -> Function {
        Function {
            at: Position::START,
            summary: None,
            parameters,
            in_order: false,
            open: false,
            returns: None,
        }
    }

    fn parameter(name: &str, required: bool) -> Parameter {
        Parameter {
            name: name.into(),
            required,
            ..Parameter::default()
        }
    }

    #[test]
    fn a_parameter_without_a_default_is_required() {
        let schema = of_function(
            function(vec![parameter("a", true), parameter("b", false)]),
            RYE,
        );
        assert_eq!(schema["required"], json!(["a"]));
        assert_eq!(schema["additionalProperties"], json!(false));
    }

    #[test]
    fn a_function_that_takes_params_as_a_whole_accepts_anything() {
        let schema = of_function(function(vec![parameter("params", true)]), RYE);
        assert_eq!(schema["additionalProperties"], json!(true));
        let schema = of_function(
            function(vec![parameter("params", true), parameter("other", true)]),
            RYE,
        );
        assert_eq!(schema["required"], json!(["params", "other"]));
    }

    #[test]
    fn what_the_launcher_fills_in_is_asked_of_nobody() {
        let names = ["city", "context"].map(|name| parameter(name, true));
        let injection = Injection {
            whole: None,
            injected: &["context".to_owned()],
        };
        let by_name = of_function(function(names.to_vec()), injection);
        assert_eq!(by_name["required"], json!(["city"]));
        assert!(by_name["properties"].get("context").is_some());
        let mut one_by_one = function(names.to_vec());
        one_by_one.in_order = true;
        let order = order_of(&one_by_one);
        assert_eq!(order, Some(vec!["city".into(), "context".into()]));
        let in_order = of_function(one_by_one, injection);
        assert_eq!(in_order["properties"], json!({"city": {}}));
    }

    #[test]
    fn parameters_may_be_a_schema_a_mapping_or_a_list() {
        let whole = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        assert_eq!(of_parameters(&whole), Some(whole.clone()));
        let wanted =
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
        let mapping = json!({"a": {"type": "string", "required": true}});
        assert_eq!(of_parameters(&mapping), Some(wanted.clone()));
        let list = json!([{"name": "a", "type": "string", "required": true}]);
        assert_eq!(of_parameters(&list), Some(wanted));
    }

    #[test]
    fn a_declared_schema_wins_over_a_derived_one() {
        let metadata = Map::from_iter([("config_schema".to_owned(), json!({"title": "declared"}))]);
        let schema = effective(&metadata, || Some(json!({"title": "derived"})));
        assert_eq!(schema, Some(json!({"title": "declared"})));
    }
}
