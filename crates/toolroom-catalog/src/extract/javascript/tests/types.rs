use serde_json::json;

use super::*;

const DECLARATIONS: &str = r#"
    interface Base { /** Its id. */ id: number; }
    interface User extends Base { name: string; nick?: string; }
    interface Tree { label: string; children: Tree[]; }
    interface Elsewhere extends Imported { a: string; }
    type Mode = "fast" | "slow";
    type Both = Base & { extra: boolean };
    type Loop = Loop;
    enum Level { Low, Mid = 5, High }
    enum Color { Red = "red", Blue = "blue" }
    const MODES = ["x", "y"] as const;
    const TABLE = { left: 1, right: 2 };
"#;

#[track_caller]
fn schema_of(annotation: &str) -> Value {
    let function = main_of(ts(&format!(
        "{DECLARATIONS} export function main({{ value }}: {{ value: {annotation} }}) {{}}"
    )));
    Value::Object(function.parameters[0].schema.clone())
}

#[test]
fn annotations_become_schemas() {
    let user = json!({"type": "object", "required": ["id", "name"], "properties": {
        "id": {"type": "number", "description": "Its id."},
        "name": {"type": "string"}, "nick": {"type": "string"}}});
    let id = json!({"type": "number", "description": "Its id."});
    for (annotation, expected) in [
        ("string", json!({"type": "string"})),
        ("number", json!({"type": "number"})),
        ("boolean", json!({"type": "boolean"})),
        ("bigint", json!({"type": "integer"})),
        ("null", json!({"type": "null"})),
        ("undefined", json!({})),
        ("any", json!({})),
        ("unknown", json!({})),
        ("object", json!({"type": "object"})),
        ("Date", json!({"type": "string", "format": "date-time"})),
        ("Imported", json!({})),
        ("a.b.Imported<string>", json!({})),
        ("`id-${string}`", json!({"type": "string"})),
        ("'only'", json!({"type": "string", "const": "only"})),
        ("-1", json!({"type": "number", "const": -1})),
        (
            "string[]",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        (
            "readonly (string | number)[]",
            json!({"type": "array", "items": {"type": ["string", "number"]}}),
        ),
        (
            "Array<boolean>",
            json!({"type": "array", "items": {"type": "boolean"}}),
        ),
        ("ReadonlyArray<any>", json!({"type": "array"})),
        (
            "Record<string, number>",
            json!({"type": "object", "additionalProperties": {"type": "number"}}),
        ),
        (
            "{ [key: string]: string }",
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
        ),
        (
            "[string, number]",
            json!({"type": "array", "minItems": 2, "maxItems": 2,
            "prefixItems": [{"type": "string"}, {"type": "number"}]}),
        ),
        (
            "[a: string, b?: number, ...c: boolean[]]",
            json!({"type": "array", "minItems": 1,
            "items": {"type": "boolean"}, "prefixItems": [{"type": "string"}, {"type": "number"}]}),
        ),
        ("string | null", json!({"type": ["string", "null"]})),
        ("string | undefined", json!({"type": "string"})),
        ("string | any", json!({})),
        (
            "'a' | 'b' | 'a'",
            json!({"type": "string", "enum": ["a", "b"]}),
        ),
        (
            "| 'a' | 1 | null",
            json!({"type": ["string", "number", "null"], "enum": ["a", 1, null]}),
        ),
        (
            "'auto' | number",
            json!({"anyOf": [{"type": "string", "const": "auto"}, {"type": "number"}]}),
        ),
        (
            "string[] | null",
            json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}),
        ),
        ("Mode", json!({"type": "string", "enum": ["fast", "slow"]})),
        ("Level", json!({"type": "number", "enum": [0, 5, 6]})),
        ("Color", json!({"type": "string", "enum": ["red", "blue"]})),
        ("User", user.clone()),
        ("Readonly<User>", user),
        (
            "Partial<Base>",
            json!({"type": "object", "properties": {"id": id}}),
        ),
        (
            "Required<Partial<Base>>",
            json!({"type": "object", "required": ["id"], "properties": {"id": id}}),
        ),
        (
            "Pick<User, 'id'>",
            json!({"type": "object", "required": ["id"], "properties": {"id": id}}),
        ),
        (
            "Omit<User, 'name' | 'nick'>",
            json!({"type": "object", "required": ["id"], "properties": {"id": id}}),
        ),
        (
            "Both",
            json!({"type": "object", "required": ["id", "extra"],
            "properties": {"id": id, "extra": {"type": "boolean"}}}),
        ),
        (
            "Tree",
            json!({"type": "object", "required": ["label", "children"], "properties": {
            "label": {"type": "string"}, "children": {"type": "array", "items": {"type": "object"}}}}),
        ),
        ("Loop", json!({"type": "object"})),
        (
            "(typeof MODES)[number]",
            json!({"type": "string", "enum": ["x", "y"]}),
        ),
        (
            "typeof MODES[number]",
            json!({"type": "string", "enum": ["x", "y"]}),
        ),
        (
            "keyof typeof TABLE",
            json!({"type": "string", "enum": ["left", "right"]}),
        ),
        (
            "{ /** deep */ a?: { b: string }, run(): void, call: () => void }",
            json!({"type": "object",
            "properties": {"a": {"type": "object", "required": ["b"], "description": "deep",
                "properties": {"b": {"type": "string"}}}}}),
        ),
    ] {
        assert_eq!(schema_of(annotation), expected, "{annotation}");
    }
}

#[test]
fn comment_types_become_schemas() {
    for (written, expected) in [
        ("string", json!({"type": "string"})),
        ("String", json!({"type": "string"})),
        ("number", json!({"type": "number"})),
        ("integer", json!({"type": "integer"})),
        ("boolean", json!({"type": "boolean"})),
        (
            "string[]",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        ("Array", json!({"type": "array"})),
        (
            "Array<string>",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        (
            "Array.<string>",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        ("Object", json!({"type": "object"})),
        ("object", json!({"type": "object"})),
        (
            "Object<string, number>",
            json!({"type": "object", "additionalProperties": {"type": "number"}}),
        ),
        (
            "Record<string, boolean>",
            json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
        ),
        ("\"a\"|\"b\"", json!({"type": "string", "enum": ["a", "b"]})),
        (
            "('a'|'b')[]",
            json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
        ),
        ("?string", json!({"type": ["string", "null"]})),
        ("string?", json!({"type": ["string", "null"]})),
        ("!string", json!({"type": "string"})),
        ("string|null", json!({"type": ["string", "null"]})),
        ("*", json!({})),
        ("any", json!({})),
        ("function(string): number", json!({})),
        ("<<nonsense", json!({})),
    ] {
        let source = format!(
            "/**\n * @param {{object}} params\n * @param {{{written}}} params.value - text\n */\nfunction main(params) {{}}"
        );
        let function = main_of(js(&source));
        let parameter = &function.parameters[0];
        assert_eq!(
            Value::Object(parameter.schema.clone()),
            expected,
            "{written}"
        );
        assert_eq!(parameter.description.as_deref(), Some("text"), "{written}");
        assert!(parameter.required, "{written}");
    }
}

#[test]
fn an_object_type_in_a_comment_gives_its_members() {
    let function = main_of(js(
        "/** @param {{a: {b: string}, c?: number}} value */\nfunction main(value) {}",
    ));
    let inner = json!({"type": "object", "required": ["b"],
        "properties": {"b": {"type": "string"}}});
    let expected = [("a", inner, true), ("c", json!({"type": "number"}), false)];
    assert_eq!(
        told(&function),
        expected.map(|(n, s, r)| (n.to_owned(), s, r))
    );
}

#[test]
fn a_typed_object_gives_its_members_whatever_its_name() {
    for first in [
        "request: User",
        "{ id }: User",
        "_: User",
        "user: User | undefined",
    ] {
        let function = main_of(ts(&format!(
            "{DECLARATIONS} function main({first}, ctx: Ctx) {{}}"
        )));
        let expected = [
            (
                "id",
                json!({"type": "number", "description": "Its id."}),
                true,
            ),
            ("name", json!({"type": "string"}), true),
            ("nick", json!({"type": "string"}), false),
        ];
        assert_eq!(
            told(&function),
            expected.map(|(n, s, r)| (n.to_owned(), s, r)),
            "{first}"
        );
        assert!(!function.open, "{first}");
    }
}

#[test]
fn a_type_with_an_unknown_base_or_an_index_is_open() {
    for first in ["p: Elsewhere", "p: { a: string; [more: string]: unknown }"] {
        let function = main_of(ts(&format!("{DECLARATIONS} function main({first}) {{}}")));
        assert_eq!(function.parameters[0].name, "a", "{first}");
        assert!(function.open, "{first}");
    }
}

#[test]
fn leaving_out_may_be_said_in_three_ways() {
    let function = main_of(ts(
        "function main({ a, b, c = 1 }: { a?: string; b: string | undefined; c: number }) {}",
    ));
    assert!(
        function
            .parameters
            .iter()
            .all(|parameter| !parameter.required)
    );
}
