use serde_json::json;
use toolroom_kernel::Position;

use super::*;

fn names(function: &Function) -> Vec<&str> {
    function
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect()
}

#[test]
fn main_is_found_however_it_is_written() {
    for source in [
        "function main({ a }) {}",
        "async function main({ a }) {}",
        "function* main({ a }) {}",
        "export function main({ a }) {}",
        "export async function main({ a }) {}",
        "export default async function main({ a }) {}",
        "export const main = async ({ a }) => a;",
        "export const main = function ({ a }) {};",
        "const main = ({ a }) => a; export { main };",
        "const run = ({ a }) => a; export { run as main };",
        "exports.main = async ({ a }) => a;",
        "module.exports.main = function ({ a }) {};",
        "module.exports = { main }; function main({ a }) {}",
        "module.exports = { main: run }; function run({ a }) {}",
        "exports.main = run; async function run({ a }) {}",
        "module.exports = { async main({ a }) {} };",
        "export default { main: ({ a }) => a };",
        "export { main }; function main({ a }) {}",
    ] {
        let function = main_of(js(source));
        assert_eq!(names(&function), ["a"], "{source}");
        assert!(!function.open, "{source}");
    }
}

#[test]
fn the_default_export_goes_by_its_own_name() {
    for source in [
        "export default function ({ a }) {}",
        "export default function run({ a }) {}",
        "export default async ({ a }) => a;",
        "module.exports = function ({ a }) {};",
        "module.exports = async ({ a }) => a;",
        "const run = ({ a }) => a; export default run;",
        "export default run; function run({ a }) {}",
        "function run({ a }) {} export { run as default };",
        "exports.default = ({ a }) => a;",
    ] {
        let document = js(source);
        assert_eq!(names(&document.functions["default"]), ["a"], "{source}");
    }
}

#[test]
fn what_is_no_function_is_not_reported_as_one() {
    for source in [
        "export const main = 3;",
        "export const main = wrap(({ a }) => a);",
        "import { main } from './x.js'; export { main };",
        "export class main {}",
        "const main = other; const other = main;",
        "export default {};",
    ] {
        assert!(js(source).functions.is_empty(), "{source}");
    }
}

#[test]
fn a_destructured_object_gives_its_members() {
    let source = "
        const unit = 's';
        export async function main({ name, count = 3, in: where = unit, 'a-b': ab, late = now(), gone = undefined }, context) {}";
    let function = main_of(js(source));
    let expected = [
        ("name", json!({}), true),
        ("count", json!({"type": "number", "default": 3}), false),
        ("in", json!({"type": "string", "default": "s"}), false),
        ("a-b", json!({}), true),
        ("late", json!({}), false),
        ("gone", json!({}), false),
    ];
    assert_eq!(
        told(&function),
        expected.map(|(n, s, r)| (n.to_owned(), s, r))
    );
    assert!(!function.open);
    assert_eq!(function.at, Position { line: 3, column: 9 });
}

#[test]
fn a_type_that_is_told_wins_over_that_of_a_default() {
    let sources = [
        js("/** @param {object} p\n * @param {any} p.n */\nfunction main({ n = 1 }) {}"),
        ts("function main({ n = 1 }: { n?: any }) {}"),
        ts("function main({ n = 1 }: any) {}"),
    ];
    for source in sources {
        let function = main_of(source);
        let expected = [("n".to_owned(), json!({"default": 1}), false)];
        assert_eq!(told(&function), expected);
    }
}

#[test]
fn a_comment_of_one_line_has_tags_as_well() {
    let source = "/** Says hi, me@param.org. @param {string} name - Whom. @returns {string} */\nexport function main(name) {}";
    let function = main_of(js(source));
    let wanted = json!({"type": "string", "description": "Whom."});
    assert_eq!(function.summary.as_deref(), Some("Says hi, me@param.org."));
    assert_eq!(told(&function), [("name".to_owned(), wanted, true)]);
    assert_eq!(function.returns, Some(json!({"type": "string"})));
    let source = "/** Says hi. @param {object} p */\nexport function main(p) {}";
    assert_eq!(main_of(js(source)).summary.as_deref(), Some("Says hi."));
}

#[test]
fn a_rest_element_leaves_the_parameters_open() {
    assert!(main_of(js("function main({ a, ...rest }) {}")).open);
    assert!(
        main_of(ts(
            "function main({ a, ...rest }: { a: string, [key: string]: unknown }) {}"
        ))
        .open
    );
    let closed = main_of(ts(
        "function main({ a, ...rest }: { a: string, b: string }) {}",
    ));
    assert_eq!((names(&closed), closed.open), (vec!["a", "b"], false));
}

#[test]
fn a_customary_name_without_known_members_takes_anything() {
    for source in [
        "function main(params) {}",
        "const main = async args => 1;",
        "function main(_params, context) {}",
        "function main(_) {}",
        "function main(options = {}) {}",
        "/** @param {object} input - everything */\nfunction main(input) {}",
        "/** @param {Imported} opts */\nfunction main(opts) {}",
    ] {
        let function = main_of(js(source));
        assert_eq!(
            (names(&function), function.open),
            (vec![], true),
            "{source}"
        );
    }
    for source in [
        "function main(params: any) {}",
        "function main(params: Record<string, unknown>, ctx: Context) {}",
        "function main(params: ImportedParams) {}",
    ] {
        let function = main_of(ts(source));
        assert_eq!(
            (names(&function), function.open),
            (vec![], true),
            "{source}"
        );
    }
}

#[test]
fn other_parameters_stand_for_themselves() {
    let function = main_of(js("
        /**
         * Adds.
         * @param {number} a - The first.
         * @param {number} [b=2] The second.
         */
        function main(a, b = 5, { ignored }, ...rest) {}"));
    let expected = [
        (
            "a",
            json!({"type": "number", "description": "The first."}),
            true,
        ),
        (
            "b",
            json!({"type": "number", "description": "The second.", "default": 5}),
            false,
        ),
    ];
    assert_eq!(
        told(&function),
        expected.map(|(n, s, r)| (n.to_owned(), s, r))
    );
    assert_eq!(function.summary.as_deref(), Some("Adds."));

    let function = main_of(ts(
        "function main(this: X, input: string, n?: number, m = 1) {}",
    ));
    let expected = [
        ("input", json!({"type": "string"}), true),
        ("n", json!({"type": "number"}), false),
        ("m", json!({"type": "number", "default": 1}), false),
    ];
    assert_eq!(
        told(&function),
        expected.map(|(n, s, r)| (n.to_owned(), s, r))
    );
    assert_eq!(told(&main_of(js("function main() {}"))), []);
}

#[test]
fn a_comment_describes_the_members_of_the_object() {
    let function = main_of(js(r#"
        /**
         * Fetches a page.
         *
         * Follows redirects.
         * @async
         * @param {object} params
         * @param {string} params.url - Where it is,
         *   as a full address.
         * @param {number} [params.retries=3] - How often.
         * @param {"get"|"post"} [params.method="get"]
         * @param {string} [params.agent=it's me]
         * @param {Object} params.filter
         * @param {string[]} params.filter.tags - Only these.
         * @param {Object[]} params.rows
         * @param {integer} params.rows[].id
         * @param {string=} params.note
         * @param {object} context
         * @returns {Promise<{status: number, body?: string}>} the page
         */
        export async function main(params, context) {}"#));
    let expected = [
        (
            "url",
            json!({"type": "string", "description": "Where it is, as a full address."}),
            true,
        ),
        (
            "retries",
            json!({"type": "number", "description": "How often.", "default": 3}),
            false,
        ),
        (
            "method",
            json!({"type": "string", "enum": ["get", "post"], "default": "get"}),
            false,
        ),
        (
            "agent",
            json!({"type": "string", "default": "it's me"}),
            false,
        ),
        (
            "filter",
            json!({"type": "object", "required": ["tags"], "properties": {"tags":
            {"type": "array", "items": {"type": "string"}, "description": "Only these."}}}),
            true,
        ),
        (
            "rows",
            json!({"type": "array", "items": {"type": "object", "required": ["id"],
            "properties": {"id": {"type": "integer"}}}}),
            true,
        ),
        ("note", json!({"type": "string"}), false),
    ];
    assert_eq!(
        told(&function),
        expected.map(|(n, s, r)| (n.to_owned(), s, r))
    );
    assert_eq!(
        function.summary.as_deref(),
        Some("Fetches a page.\n\nFollows redirects.")
    );
    assert!(!function.open);
    let returns = json!({"type": "object", "required": ["status"],
        "properties": {"status": {"type": "number"}, "body": {"type": "string"}}});
    assert_eq!(function.returns, Some(returns));
}

#[test]
fn comments_and_destructuring_complete_each_other() {
    for tags in [
        "@param {object} params\n * @param {string} params.name - Who.\n * @param {number} [params.count]",
        "@param {string} name - Who.\n * @param {number} [count]",
        "@param {{ name: string, count?: number }} params\n * @param params.name Who.",
    ] {
        let source =
            format!("/**\n * {tags}\n */\nexport function main({{ name, count = 3 }}) {{}}");
        let expected = [
            (
                "name",
                json!({"type": "string", "description": "Who."}),
                true,
            ),
            ("count", json!({"type": "number", "default": 3}), false),
        ];
        let function = main_of(js(&source));
        assert_eq!(
            told(&function),
            expected.map(|(n, s, r)| (n.to_owned(), s, r)),
            "{source}"
        );
    }
}

#[test]
fn a_typedef_in_a_comment_is_a_type() {
    let function = main_of(js("
        /**
         * @typedef {Object} Options
         * @property {string} name - Who.
         * @property {number} [count=3]
         */
        /** @typedef {'a'|'b'} Mode */

        /**
         * @param {Options} everything
         * @returns {Mode}
         */
        function main(everything) {}"));
    let expected = [
        (
            "name",
            json!({"type": "string", "description": "Who."}),
            true,
        ),
        ("count", json!({"type": "number", "default": 3}), false),
    ];
    assert_eq!(
        told(&function),
        expected.map(|(n, s, r)| (n.to_owned(), s, r))
    );
    assert_eq!(
        function.returns,
        Some(json!({"type": "string", "enum": ["a", "b"]}))
    );
}

#[test]
fn comments_next_to_members_describe_them() {
    let function = main_of(ts("
        export async function main({
            name, // Who.
            // How often,
            // at most.
            count = 3,
            /** Loudly. */
            loud = false,
        }: { name: string; count?: number; loud?: boolean }) {}"));
    let expected = [
        (
            "name",
            json!({"type": "string", "description": "Who."}),
            true,
        ),
        (
            "count",
            json!({"type": "number", "description": "How often, at most.", "default": 3}),
            false,
        ),
        (
            "loud",
            json!({"type": "boolean", "description": "Loudly.", "default": false}),
            false,
        ),
    ];
    assert_eq!(
        told(&function),
        expected.map(|(n, s, r)| (n.to_owned(), s, r))
    );
}

#[test]
fn a_summary_is_taken_from_the_block_above_only() {
    for (source, expected) in [
        (
            "/** Adds. */\nexport const main = ({ a }) => a;",
            Some("Adds."),
        ),
        (
            "/** Adds. */\n// eslint-disable-next-line\nfunction main() {}",
            Some("Adds."),
        ),
        (
            "/** @description Adds. */\nfunction main() {}",
            Some("Adds."),
        ),
        (
            "/** Adds.\n * @returns {number} */\n\nfunction main() {}",
            Some("Adds."),
        ),
        (
            "module.exports = { x: 1, /** Adds. */ main() {} };",
            Some("Adds."),
        ),
        ("/** The file. */\n\nfunction main() {}", None),
        ("/** @file Tools. */\nfunction main() {}", None),
        ("/** Other. */\nconst x = 1;\nfunction main() {}", None),
    ] {
        let document = js(source);
        assert_eq!(
            document.functions["main"].summary.as_deref(),
            expected,
            "{source}"
        );
    }
}

#[test]
fn vague_results_are_left_out() {
    for (annotation, expected) in [
        ("string", Some(json!({"type": "string"}))),
        (
            "Promise<number[]>",
            Some(json!({"type": "array", "items": {"type": "number"}})),
        ),
        ("Promise<void>", None),
        ("Promise<any>", None),
        ("object", None),
        ("Record<string, any>", None),
        ("Imported", None),
        ("null", None),
        ("AsyncGenerator<string>", None),
        ("asserts x is string", None),
    ] {
        let function = main_of(ts(&format!("async function main(x): {annotation} {{}}")));
        assert_eq!(function.returns, expected, "{annotation}");
    }
}
