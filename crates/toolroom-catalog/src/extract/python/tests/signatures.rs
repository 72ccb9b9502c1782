use serde_json::{Value, json};
use toolroom_kernel::Position;

use super::{document, main_of, parameter};

fn schema(annotation: &str) -> Value {
    Value::Object(parameter(&format!("def main(x: {annotation}): pass\n")).schema)
}

#[test]
fn annotations_become_json_schema() {
    let cases = [
        ("str", json!({"type": "string"})),
        ("int", json!({"type": "integer"})),
        ("float", json!({"type": "number"})),
        ("bool", json!({"type": "boolean"})),
        ("list", json!({"type": "array"})),
        ("dict", json!({"type": "object"})),
        ("set", json!({"type": "array", "uniqueItems": true})),
        ("tuple", json!({"type": "array"})),
        ("None", json!({"type": "null"})),
        ("Any", json!({})),
        ("object", json!({})),
        ("Unheard", json!({})),
        ("Callable[[int], str]", json!({})),
        (
            "list[str]",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        (
            "List[str]",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        ("typing.List[t.Any]", json!({"type": "array"})),
        (
            "dict[str, int]",
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        ),
        ("Dict[str, Any]", json!({"type": "object"})),
        (
            "Mapping[str, list[int]]",
            json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}}),
        ),
        (
            "dict[Literal['a', 'b'], int]",
            json!({"type": "object", "propertyNames": {"type": "string", "enum": ["a", "b"]}, "additionalProperties": {"type": "integer"}}),
        ),
        (
            "Sequence[int]",
            json!({"type": "array", "items": {"type": "integer"}}),
        ),
        (
            "Iterable[int]",
            json!({"type": "array", "items": {"type": "integer"}}),
        ),
        (
            "Set[int]",
            json!({"type": "array", "uniqueItems": true, "items": {"type": "integer"}}),
        ),
        (
            "tuple[int, str]",
            json!({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2, "items": false}),
        ),
        (
            "tuple[int, ...]",
            json!({"type": "array", "items": {"type": "integer"}}),
        ),
        ("tuple[()]", json!({"type": "array", "maxItems": 0})),
        ("Optional[str]", json!({"type": ["string", "null"]})),
        ("str | None", json!({"type": ["string", "null"]})),
        ("None | str", json!({"type": ["string", "null"]})),
        (
            "Optional[list[str]]",
            json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}),
        ),
        (
            "None | Literal['a']",
            json!({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}),
        ),
        ("Union[int, str]", json!({"type": ["integer", "string"]})),
        ("int | float", json!({"type": "number"})),
        ("int | int", json!({"type": "integer"})),
        (
            "int | str | None",
            json!({"type": ["integer", "string", "null"]}),
        ),
        (
            "Optional[Union[int, list[int]]]",
            json!({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}),
        ),
        ("int | Any", json!({})),
        ("Optional[Any]", json!({})),
        (
            "Literal['a', 'b']",
            json!({"type": "string", "enum": ["a", "b"]}),
        ),
        (
            "Literal[1, -2]",
            json!({"type": "integer", "enum": [1, -2]}),
        ),
        ("Literal['a', 1, None]", json!({"enum": ["a", 1, null]})),
        (
            "Literal['int', Literal['b']]",
            json!({"type": "string", "enum": ["int", "b"]}),
        ),
        ("Path", json!({"type": "string"})),
        ("pathlib.Path", json!({"type": "string"})),
        ("datetime", json!({"type": "string", "format": "date-time"})),
        ("datetime.date", json!({"type": "string", "format": "date"})),
        ("UUID", json!({"type": "string", "format": "uuid"})),
        ("'int'", json!({"type": "integer"})),
        (
            "'list[\"str\"] | None'",
            json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}),
        ),
        ("'not ) a type'", json!({})),
        (
            "Annotated[int, Field(ge=1, le=10)]",
            json!({"type": "integer", "minimum": 1, "maximum": 10}),
        ),
        (
            "Annotated[float, Field(gt=0, lt=1.5)]",
            json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5}),
        ),
        (
            "Annotated[str, Field(min_length=1, max_length=9, pattern='^a')]",
            json!({"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a"}),
        ),
        (
            "Annotated[list[int], Field(min_length=1)]",
            json!({"type": "array", "items": {"type": "integer"}, "minItems": 1}),
        ),
        (
            "Annotated[int, Ge(1), Lt(5)]",
            json!({"type": "integer", "minimum": 1, "exclusiveMaximum": 5}),
        ),
        (
            "Annotated[int, Field(ge=lowest())]",
            json!({"type": "integer"}),
        ),
    ];
    for (annotation, expected) in cases {
        assert_eq!(schema(annotation), expected, "{annotation}");
    }
}

#[test]
fn aliases_and_classes_of_the_file_are_followed() {
    let cases = [
        (
            "Mode = Literal['a', 'b']",
            "Mode",
            json!({"type": "string", "enum": ["a", "b"]}),
        ),
        (
            "Mode: TypeAlias = Literal['a', 'b']",
            "Mode",
            json!({"type": "string", "enum": ["a", "b"]}),
        ),
        (
            "type Mode = Literal['a', 'b']",
            "Mode | None",
            json!({"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]}),
        ),
        (
            "MODES = ('a', 'b')",
            "Literal[*MODES]",
            json!({"type": "string", "enum": ["a", "b"]}),
        ),
        (
            "Names = list[str]",
            "'Names'",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        ("Id = NewType('Id', int)", "Id", json!({"type": "integer"})),
        (
            "from typing import Optional as Opt",
            "Opt[int]",
            json!({"type": ["integer", "null"]}),
        ),
        (
            "from pathlib import Path as P",
            "P",
            json!({"type": "string"}),
        ),
        ("A = B\nB = A", "A", json!({})),
        (
            "A = list[A]",
            "list[int]",
            json!({"type": "array", "items": {"type": "integer"}}),
        ),
        (
            "class C(Enum):\n    R = 'r'\n    G = 'g'\n    def f(self): pass",
            "C",
            json!({"type": "string", "enum": ["r", "g"]}),
        ),
        (
            "class C(str, enum.Enum):\n    '''Doc.'''\n    R = 'r'",
            "list[C]",
            json!({"type": "array", "items": {"type": "string", "enum": ["r"]}}),
        ),
        (
            "class C(StrEnum):\n    RED = auto()\n    GREEN = 'g'",
            "C",
            json!({"type": "string", "enum": ["red", "g"]}),
        ),
        (
            "class C(IntEnum):\n    A = auto()\n    B = 5\n    C = auto()",
            "C",
            json!({"type": "integer", "enum": [1, 5, 6]}),
        ),
        ("class C(Enum):\n    A = make()", "C", json!({})),
        (
            "class C(Enum):\n    A = 'a'\n    B = 'b'",
            "Literal[C.B]",
            json!({"type": "string", "enum": ["b"]}),
        ),
        ("class C(str): pass", "C", json!({"type": "string"})),
        ("class C:\n    a: int", "C", json!({})),
        (
            "class C(TypedDict):\n    a: int\n    b: NotRequired[str]",
            "C",
            json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]}),
        ),
        (
            "class C(TypedDict, total=False):\n    a: Required[int]\n    b: str",
            "C",
            json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]}),
        ),
        (
            "@dataclass\nclass C:\n    a: int\n    b: str = 'x'\n    c: list = field(default_factory=list)\n    d: int = field(init=False)\n    E: ClassVar[int] = 1\n    _f: int = 0",
            "C",
            json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string", "default": "x"}, "c": {"type": "array"}}, "required": ["a"]}),
        ),
        (
            "@dataclasses.dataclass(frozen=True)\nclass A:\n    a: int\n@dataclass\nclass C(A):\n    b: int\n    a: int = 1",
            "C",
            json!({"type": "object", "properties": {"a": {"type": "integer", "default": 1}, "b": {"type": "integer"}}, "required": ["b"]}),
        ),
        (
            "class C(BaseModel):\n    '''A model.\n\n    Attributes:\n        b: The b.\n    '''\n    a: int = Field(3, ge=1, description='The a.')\n    b: str = Field(...)\n    c: bool\n    'The c.'",
            "C",
            json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1, "description": "The a.", "default": 3}, "b": {"type": "string", "description": "The b."}, "c": {"type": "boolean", "description": "The c."}}, "required": ["b", "c"]}),
        ),
        (
            "class N(BaseModel):\n    next: Optional['N'] = None\n    kids: list[N]",
            "N",
            json!({"type": "object", "properties": {"next": {"type": ["object", "null"], "default": null}, "kids": {"type": "array", "items": {"type": "object"}}}, "required": ["kids"]}),
        ),
        ("class A(B): pass\nclass B(A): pass", "A", json!({})),
    ];
    for (before, annotation, expected) in cases {
        let source = format!("{before}\ndef main(x: {annotation}): pass\n");
        assert_eq!(
            Value::Object(parameter(&source).schema),
            expected,
            "{source}"
        );
    }
}

#[test]
fn parameters_are_required_unless_they_have_a_default() {
    let cases = [
        ("x", true, None),
        ("x: int", true, None),
        ("x=3", false, Some(json!(3))),
        ("x: list = None", false, Some(json!(null))),
        ("x: str = 'a' 'b'", false, Some(json!("ab"))),
        ("x=LIMIT", false, Some(json!(10))),
        ("x=make()", false, None),
        ("x=Color.RED", false, Some(json!("red"))),
        ("x: str = Color.RED.value", false, Some(json!("red"))),
        ("x: int = Field(5, ge=1)", false, Some(json!(5))),
        ("x: int = Field(default=LIMIT)", false, Some(json!(10))),
        ("x: int = Field(..., ge=1)", true, None),
        ("x: list = Field(default_factory=list)", false, None),
    ];
    for (declared, required, default) in cases {
        let before = "LIMIT = 10\nclass Color(Enum):\n    RED = 'red'\n";
        let found = parameter(&format!("{before}def main({declared}): pass\n"));
        assert_eq!(
            (found.required, found.default),
            (required, default),
            "{declared}"
        );
    }
}

#[test]
fn a_null_default_does_not_change_the_type() {
    let found = parameter("def main(x: list = None): pass");
    assert_eq!(Value::Object(found.schema), json!({"type": "array"}));
}

#[test]
fn every_kind_of_parameter_is_seen_in_order() {
    let found = main_of("async def main(a, /, b, *args, c=1, **rest): pass");
    let names: Vec<&str> = found.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(found.open);
    assert!(!main_of("def main(a): pass").open);
}

#[test]
fn the_last_definition_counts_and_decorators_do_not() {
    let found = main_of("def main(a): pass\n@retry(3)\n@tool\ndef main(b): pass\n");
    assert_eq!(found.parameters[0].name, "b");
    assert_eq!(found.at, Position { line: 4, column: 5 });
    assert!(
        document("if x:\n    def main(): pass\n")
            .functions
            .is_empty()
    );
    assert!(
        document("class A:\n    def main(self): pass\n")
            .functions
            .is_empty()
    );
}

#[test]
fn a_function_assigned_to_another_name_is_found_under_both() {
    let found = document("def main(a): pass\nexecute = main\n");
    assert_eq!(found.functions["execute"], found.functions["main"]);
}

#[test]
fn only_telling_results_have_a_schema() {
    let cases = [
        ("int", Some(json!({"type": "integer"}))),
        (
            "list[str]",
            Some(json!({"type": "array", "items": {"type": "string"}})),
        ),
        (
            "dict[str, int]",
            Some(json!({"type": "object", "additionalProperties": {"type": "integer"}})),
        ),
        ("str | None", Some(json!({"type": ["string", "null"]}))),
        (
            "R",
            Some(
                json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}),
            ),
        ),
        ("dict", None),
        ("dict[str, Any]", None),
        ("Optional[dict]", None),
        ("Any", None),
        ("None", None),
    ];
    for (returned, expected) in cases {
        let source = format!("class R(TypedDict):\n    a: int\ndef main() -> {returned}: pass\n");
        assert_eq!(main_of(&source).returns, expected, "{returned}");
    }
    assert_eq!(main_of("def main(): pass").returns, None);
}

#[test]
fn the_description_nearest_to_the_parameter_counts() {
    let cases = [
        ("x: Annotated[int, 'Near.']", "Near."),
        ("x: Annotated[int, Field(description='Near.')]", "Near."),
        ("x: Annotated[int, Doc('Near.')]", "Near."),
        ("x: int = Field(3, description='Near.')", "Near."),
        ("x: int = typer.Option(3, help='Near.')", "Near."),
        ("x: int", "Far."),
    ];
    for (declared, expected) in cases {
        let source =
            format!("def main({declared}):\n    '''Do.\n\n    Args:\n        x: Far.\n    '''\n");
        let found = parameter(&source);
        assert_eq!(found.description.as_deref(), Some(expected), "{declared}");
        assert!(!found.schema.contains_key("description"));
    }
}

#[test]
fn an_entry_may_be_another_function_by_a_new_name() {
    let function = main_of(
        "def other(x: int, y: str = 'a'):\n    \"\"\"Does it.\"\"\"\n    return [x, y, x, y, x]\n\nmain = other\n",
    );
    let names: Vec<_> = function
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    assert_eq!(names, ["x", "y"]);
    assert_eq!(function.summary.as_deref(), Some("Does it."));
}
