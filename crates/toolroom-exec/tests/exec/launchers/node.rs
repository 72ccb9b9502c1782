//! JavaScript and TypeScript tools, in everything that runs them.

use serde_json::{Value, json};
use toolroom_exec::subprocess::Channel;

use super::{BUN, DENO, NODE, fails, gives};
use crate::launch::{Given, Language, log, progress};
use crate::support::*;

/// Everything that runs the launcher.
const ALL: [Language; 3] = [NODE, BUN, DENO];

fn all_give(extension: &'static str, cases: &[(&str, Value)]) {
    for language in ALL {
        let language = Language {
            extension,
            ..language
        };
        for (source, expected) in cases {
            gives(&[(language, source, expected.clone())]);
        }
    }
}

#[test]
fn every_kind_of_export_is_called() {
    let both = json!(["ü", 2]);
    all_give(
        "mjs",
        &[
            (
                "export const main = ({name, count}) => [name, count]",
                both.clone(),
            ),
            (
                "export default async ({name, count}) => [name, count]",
                both.clone(),
            ),
            (
                "export default {main: (p) => [p.name, p.count]}",
                both.clone(),
            ),
            (
                "export function execute(params, projectPath) { return projectPath }",
                json!("/the/project"),
            ),
            (
                "export const main = (p, {toolPath, projectPath}) => [toolPath.endsWith('my_tool.mjs'), projectPath, process.argv.length]",
                json!([true, "/the/project", 2]),
            ),
        ],
    );
    all_give(
        "cjs",
        &[
            (
                "module.exports = {main: (p) => [p.name, p.count]}",
                both.clone(),
            ),
            (
                "module.exports = async (p) => [p.name, p.count]",
                both.clone(),
            ),
            (
                "exports.main = function (p) { return [p.name, require('path').basename(__filename)] }",
                json!(["ü", "my_tool.cjs"]),
            ),
        ],
    );
}

#[test]
fn results_have_a_natural_form() {
    all_give(
        "mjs",
        &[
            ("export const main = () => undefined", Value::Null),
            ("export const main = () => 0", json!(0)),
            ("export const main = () => ''", json!("")),
            (
                "export const main = () => [7n, 2n ** 70n]",
                json!([7, "1180591620717411303424"]),
            ),
            (
                "export const main = () => [NaN, -Infinity, '\\ud800']",
                json!(["NaN", "-Infinity", "\u{fffd}"]),
            ),
            (
                "export const main = () => [new Map([['a', 1]]), new Set([1]), new Date(0)]",
                json!([{"a": 1}, [1], "1970-01-01T00:00:00.000Z"]),
            ),
            (
                "export const main = () => [Buffer.from('é'), new Uint8Array([255])]",
                json!(["é", {"base64": "/w=="}]),
            ),
            (
                "export function* main() { yield {progress: 1}; return 3 }",
                json!(3),
            ),
            (
                "export async function* main() { yield 1; yield 2 }",
                json!([1, 2]),
            ),
        ],
    );
}

#[test]
fn failures_are_told_with_their_place() {
    type Case = (&'static str, &'static str, &'static str, Option<u32>);
    let cases: [Case; 10] = [
        (
            "export function main() {\n  throw new TypeError('bad')\n}",
            "TypeError",
            "bad",
            Some(2),
        ),
        (
            "export async function main() {\n  await null\n  throw new RangeError('x')\n}",
            "RangeError",
            "x",
            Some(3),
        ),
        (
            "export const main = () => { throw 'text' }",
            "Thrown",
            "text",
            None,
        ),
        (
            "export const x = 1",
            "ToolError",
            "exports no function",
            None,
        ),
        (
            "export const main = () => process.exit(0)",
            "ToolEnded",
            "before it returned",
            None,
        ),
        (
            "export const main = () => process.exit(4)",
            "ToolEnded",
            "status 4",
            None,
        ),
        (
            "export const main = () => new Promise(() => {})",
            "ToolEnded",
            "before it returned",
            None,
        ),
        (
            "export const main = () => { setTimeout(() => {\n Promise.reject(new Error('late')) }, 1); return new Promise(() => {}) }",
            "Error",
            "late",
            Some(2),
        ),
        (
            "export const main = () => { const a = {}; a.a = a; return a }",
            "TypeError",
            "contains itself",
            None,
        ),
        (
            "export const main = () => ({a: {b: [1, new Map([['f', () => 1]])]}})",
            "TypeError",
            "result[\"a\"][\"b\"][1][\"f\"] cannot be written as JSON: function",
            None,
        ),
    ];
    for language in ALL {
        for (source, kind, message, line) in cases {
            fails(&[(language, source, kind, message, line)]);
        }
    }
}

#[test]
fn what_the_tool_forgot_is_not_waited_for() {
    let source = "export const main = () => { setInterval(() => {}, 1000); return 1 }";
    all_give("mjs", &[(source, json!(1))]);
}

#[test]
fn events_stream_and_prints_are_kept_apart() {
    let source = "import {execSync} from 'node:child_process'\n\
        export function main(p, {progress, log}) {\n progress(1, 2, 'm'); log('info', 'l'); console.log('{\"result\": 0}');\n\
        execSync('echo child', {stdio: 'inherit'}); return process.env.TOOLROOM_CHANNEL ?? 'gone' }";
    let printing =
        "export const main = () => { console.log('x'); process.stdout.write('y\\n'); return 1 }";
    for language in ALL {
        let Some(called) = language.call(source, json!({})) else {
            continue;
        };
        assert_eq!(called.result(), json!("gone"));
        assert_eq!(called.stdout(), "{\"result\": 0}\nchild\n");
        assert_eq!(
            called.events,
            [progress(1.0, Some(2.0), Some("m")), log("info", "l")]
        );
        // Without a channel of its own the launcher keeps standard output to itself.
        let elsewhere = language
            .call_on(Channel::Output, printing, json!({}))
            .unwrap();
        assert_eq!(elsewhere.result(), json!(1), "{}", language.interpreter);
        assert_eq!(
            text(&elsewhere.outcome.stderr),
            "x\ny\n",
            "{}",
            language.interpreter
        );
    }
}

/// Types are taken away without being checked, and lines stay what they were.
#[test]
fn typescript_runs_where_the_runtime_can() {
    let good = "interface Place { city: string; days?: number }\n\
        export async function main(place: Place & { name: string }): Promise<string[]> { return [place.name satisfies string] }";
    let bad = "type A = { x: number };\nfunction inner(a: A): never {\n  throw new RangeError(`bad ${a.x}`);\n}\nexport const main = (): void => inner({ x: 1 });\n";
    for language in ALL {
        let language = Language {
            extension: "ts",
            ..language
        };
        if language.interpreter == "node" && !node_strips_types() {
            let cure = "set executor_id to deno_runtime or bun_runtime";
            fails(&[(language, good, "ToolError", cure, None)]);
            continue;
        }
        gives(&[(language, good, json!(["ü"]))]);
        fails(&[(language, bad, "RangeError", "bad 1", Some(3))]);
    }
}

fn node_strips_types() -> bool {
    let asked = interpreter("node").map(|node| {
        let asked = command(node, &["-p", "process.features.typescript ?? ''"]);
        run(&asked, &within(30.0, 0.5)).unwrap()
    });
    asked.is_some_and(|outcome| text(&outcome.stdout).trim() == "strip")
}

#[test]
fn one_value_is_passed_for_each_parameter_in_the_order_it_is_told() {
    let order = ["city", "days", "unit"].map(str::to_owned);
    let cases = [
        (
            "export const main = (city, days = 3, unit, {projectPath}) => [city, days, unit, projectPath]",
            json!({"unit": null, "city": "Oslo"}),
            json!(["Oslo", 3, null, "/the/project"]),
        ),
        (
            "export const main = (city, days, unit = 'C') => [city, days, unit]",
            json!({"days": 0, "city": ""}),
            json!(["", 0, "C"]),
        ),
    ];
    for (source, params, expected) in cases {
        for language in ALL {
            let given = Given {
                kept: None,
                entry: &["main".to_owned()],
                order: &order,
                params: params.clone(),
                folder: "",
            };
            let Some(called) = language.call_as(Channel::Private, source, given) else {
                continue;
            };
            assert_eq!(called.result(), expected, "{source}");
        }
    }
}
