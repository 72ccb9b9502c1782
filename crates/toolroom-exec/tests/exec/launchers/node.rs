//! JavaScript and TypeScript tools.

use serde_json::{Value, json};
use toolroom_exec::subprocess::Channel;

use super::{NODE, NODE_COMMONJS, fails, gives};
use crate::launch::{log, progress};
use crate::support::*;

#[test]
fn node_calls_every_kind_of_export() {
    let both = json!(["ü", 2]);
    gives(&[
        (
            NODE,
            "export const main = ({name, count}) => [name, count]",
            both.clone(),
        ),
        (
            NODE,
            "export default async ({name, count}) => [name, count]",
            both.clone(),
        ),
        (
            NODE,
            "export default {main: (p) => [p.name, p.count]}",
            both.clone(),
        ),
        (
            NODE,
            "export function execute(params, projectPath) { return projectPath }",
            json!("/the/project"),
        ),
        (
            NODE,
            "export const main = (p, {toolPath, projectPath}) => [toolPath.endsWith('my_tool.mjs'), projectPath, process.argv.length]",
            json!([true, "/the/project", 2]),
        ),
        (
            NODE_COMMONJS,
            "module.exports = {main: (p) => [p.name, p.count]}",
            both.clone(),
        ),
        (
            NODE_COMMONJS,
            "module.exports = async (p) => [p.name, p.count]",
            both.clone(),
        ),
        (
            NODE_COMMONJS,
            "exports.main = function (p) { return [p.name, require('path').basename(__filename)] }",
            json!(["ü", "my_tool.cjs"]),
        ),
    ]);
}

#[test]
fn node_results_have_a_natural_form() {
    gives(&[
        (NODE, "export const main = () => undefined", Value::Null),
        (NODE, "export const main = () => 0", json!(0)),
        (NODE, "export const main = () => ''", json!("")),
        (
            NODE,
            "export const main = () => [7n, 2n ** 70n]",
            json!([7, "1180591620717411303424"]),
        ),
        (
            NODE,
            "export const main = () => [NaN, -Infinity, '\\ud800']",
            json!(["NaN", "-Infinity", "\u{fffd}"]),
        ),
        (
            NODE,
            "export const main = () => [new Map([['a', 1]]), new Set([1]), new Date(0)]",
            json!([{"a": 1}, [1], "1970-01-01T00:00:00.000Z"]),
        ),
        (
            NODE,
            "export const main = () => [Buffer.from('é'), new Uint8Array([255])]",
            json!(["é", {"base64": "/w=="}]),
        ),
        (
            NODE,
            "export function* main() { yield {progress: 1}; return 3 }",
            json!(3),
        ),
        (
            NODE,
            "export async function* main() { yield 1; yield 2 }",
            json!([1, 2]),
        ),
    ]);
}

#[test]
fn node_failures_are_told_with_their_place() {
    fails(&[
        (
            NODE,
            "export function main() {\n  throw new TypeError('bad')\n}",
            "TypeError",
            "bad",
            Some(2),
        ),
        (
            NODE,
            "export async function main() {\n  await null\n  throw new RangeError('x')\n}",
            "RangeError",
            "x",
            Some(3),
        ),
        (
            NODE,
            "export const main = () => { throw 'text' }",
            "Thrown",
            "text",
            None,
        ),
        (
            NODE,
            "export const x = 1",
            "ToolError",
            "exports no function",
            None,
        ),
        (
            NODE,
            "export const main = () => process.exit(0)",
            "ToolEnded",
            "before it returned",
            None,
        ),
        (
            NODE,
            "export const main = () => process.exit(4)",
            "ToolEnded",
            "status 4",
            None,
        ),
        (
            NODE,
            "export const main = () => new Promise(() => {})",
            "ToolEnded",
            "before it returned",
            None,
        ),
        (
            NODE,
            "export const main = () => { setTimeout(() => {\n Promise.reject(new Error('late')) }, 1); return new Promise(() => {}) }",
            "Error",
            "late",
            Some(2),
        ),
        (
            NODE,
            "export const main = () => { const a = {}; a.a = a; return a }",
            "TypeError",
            "circular",
            None,
        ),
        (
            NODE,
            "export const main = () => ({f() {}})",
            "TypeError",
            "cannot be written as JSON",
            None,
        ),
    ]);
}

#[test]
fn node_does_not_wait_for_what_the_tool_forgot() {
    let source = "export const main = () => { setInterval(() => {}, 1000); return 1 }";
    gives(&[(NODE, source, json!(1))]);
}

#[test]
fn node_streams_events_and_keeps_prints_apart() {
    let source = "import {execSync} from 'node:child_process'\n\
        export function main(p, {progress, log}) {\n progress(1, 2, 'm'); log('info', 'l'); console.log('{\"result\": 0}');\n\
        execSync('echo child', {stdio: 'inherit'}); return process.env.TOOLROOM_CHANNEL ?? 'gone' }";
    let Some(called) = NODE.call(source, json!({})) else {
        return;
    };
    assert_eq!(called.result(), json!("gone"));
    assert_eq!(called.stdout(), "{\"result\": 0}\nchild\n");
    assert_eq!(
        called.events,
        [progress(1.0, Some(2.0), Some("m")), log("info", "l")]
    );
    let elsewhere = NODE
        .call_on(
            Channel::Output,
            "export const main = () => { console.log('x'); return 1 }",
            json!({}),
        )
        .unwrap();
    assert_eq!(elsewhere.result(), json!(1));
    assert_eq!(text(&elsewhere.outcome.stderr), "x\n");
}
