//! The launchers of the other languages.

use serde_json::{Value, json};
use toolroom_exec::subprocess::Channel;

use crate::launch::{Called, Given, Language, log, progress};
use crate::support::*;

const NODE: Language = Language {
    interpreter: "node",
    launcher: "call.mjs",
    extension: "mjs",
};
const NODE_COMMONJS: Language = Language {
    extension: "cjs",
    ..NODE
};
const BASH: Language = Language {
    interpreter: "bash",
    launcher: "call.sh",
    extension: "sh",
};
const PERL: Language = Language {
    interpreter: "perl",
    launcher: "call.pl",
    extension: "pl",
};
const RUBY: Language = Language {
    interpreter: "ruby",
    launcher: "call.rb",
    extension: "rb",
};
const PHP: Language = Language {
    interpreter: "php",
    launcher: "call.php",
    extension: "php",
};

/// Calls each tool with `{"name": "ü", "count": 2}` and compares what it gives.
fn gives(cases: &[(Language, &str, Value)]) {
    for (language, source, expected) in cases {
        let Some(called) = language.call(source, json!({"name": "ü", "count": 2})) else {
            continue;
        };
        assert_eq!(called.result(), *expected, "{source}");
        assert!(called.outcome.success(), "{source}");
    }
}

/// Calls each tool and compares the kind, message and line of its failure.
fn fails(cases: &[(Language, &str, &str, &str, Option<u32>)]) {
    for (language, source, kind, message, line) in cases {
        let Some(called) = language.call(source, json!({})) else {
            continue;
        };
        let failure = called.failure();
        assert_eq!(failure.kind, *kind, "{source}: {failure:?}");
        assert!(failure.message.contains(message), "{source}: {failure:?}");
        let innermost = failure.frames.last();
        assert_eq!(
            innermost.and_then(|frame| frame.line),
            *line,
            "{source}: {failure:?}"
        );
        for frame in &failure.frames {
            assert!(
                frame
                    .file
                    .ends_with(called.path.file_name().unwrap().to_str().unwrap()),
                "{failure:?}"
            );
        }
        assert!(called.outcome.exit_code != Some(0), "{source}");
    }
}

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

#[test]
fn perl_calls_functions() {
    gives(&[
        (
            PERL,
            "sub main { my %p = @_; return [$p{name}, $p{count} + 0] } 1;",
            json!(["ü", 2]),
        ),
        (
            PERL,
            "use strict; sub execute { my ($p, $project) = @_; print 'noise'; return {name => $p->{name}, project => $project} } 1;",
            json!({"name": "ü", "project": "/the/project"}),
        ),
        (
            PERL,
            "sub main { Toolroom::progress(1, 2); return undef }",
            Value::Null,
        ),
        (
            PERL,
            "sub main { return \"\\xff\\xfe\" } 1;",
            json!({"base64": "//4="}),
        ),
    ]);
    fails(&[
        (
            PERL,
            "sub inner {\n die 'bad' }\nsub main { inner() } 1;",
            "die",
            "bad",
            Some(2),
        ),
        (
            PERL,
            "sub main { exit 3 } 1;",
            "ToolEnded",
            "status 3",
            None,
        ),
        (PERL, "1;", "die", "defines no function", None),
        (
            PERL,
            "sub main { return sub {} } 1;",
            "die",
            "cannot be written as JSON: CODE",
            None,
        ),
    ]);
}

#[test]
fn ruby_calls_methods() {
    gives(&[
        (
            RUBY,
            "def main(name:, count: 1) = [name, count]",
            json!(["ü", 2]),
        ),
        (
            RUBY,
            "def main(params) = params",
            json!({"name": "ü", "count": 2}),
        ),
        (
            RUBY,
            "def execute(params, project_path) = [params['count'], project_path]",
            json!([2, "/the/project"]),
        ),
        (
            RUBY,
            "def main(**all)\n puts 'noise'\n Toolroom.log('info', 'x')\n {a: :b, f: Float::NAN, s: \"\\xff\".b}\nend",
            json!({"a": "b", "f": "NaN", "s": {"base64": "/w=="}}),
        ),
        (
            RUBY,
            "def main(**) = 2**100",
            serde_json::from_str("1267650600228229401496703205376").unwrap(),
        ),
    ]);
    fails(&[
        (
            RUBY,
            "def inner\n  raise ArgumentError, 'bad'\nend\ndef main = inner",
            "ArgumentError",
            "bad",
            Some(2),
        ),
        (RUBY, "def main = exit(3)", "SystemExit", "status 3", None),
        (RUBY, "x = 1", "NameError", "defines no method", None),
    ]);
}

#[test]
fn php_calls_functions() {
    gives(&[
        (
            PHP,
            "<?php function main(string $name, int $count = 1) { return [$name, $count]; }",
            json!(["ü", 2]),
        ),
        (
            PHP,
            "<?php function execute(array $params, $project) { echo 'noise'; return ['p' => $project]; }",
            json!({"p": "/the/project"}),
        ),
        (
            PHP,
            "<?php function main(...$all) { Toolroom::log('info', 'x'); return [NAN, \"\\xff\", 1.0]; }",
            json!(["NaN", {"base64": "/w=="}, 1.0]),
        ),
        (
            PHP,
            "<?php function main(...$all) { yield 1; yield 2; }",
            json!([1, 2]),
        ),
    ]);
    fails(&[
        (
            PHP,
            "<?php\nfunction main() {\n  throw new DomainException('bad');\n}",
            "DomainException",
            "bad",
            Some(3),
        ),
        (
            PHP,
            "<?php function main() { exit(3); }",
            "ToolEnded",
            "before it returned",
            None,
        ),
        (
            PHP,
            "<?php function main( {",
            "ParseError",
            "syntax error",
            Some(1),
        ),
    ]);
}

/// Calls a Bash tool that names this entry, or none.
fn bash(source: &str, entry: Option<&str>, params: Value) -> Option<Called> {
    let given = Given {
        entry: &entry.map(str::to_owned).into_iter().collect::<Vec<_>>(),
        params,
        folder: "",
    };
    BASH.call_as(Channel::Private, source, given)
}

#[test]
fn bash_tools_get_arguments_and_print_their_result() {
    let params = json!({"name": "ü b", "flag": true});
    let main = Some("main");
    let cases = [
        (
            "main() { printf '%s|' \"$@\"; }",
            main,
            "--name|ü b|--flag|",
        ),
        ("main() { echo \"$2\"; }\nmain \"$@\"", None, "ü b\n"),
        ("printf '%s|' \"$@\"; cat", None, "--name|ü b|--flag|"),
        (
            "main() { echo \"$TOOLROOM_PARAMS $TOOLROOM_PROJECT\"; }\n[[ \"${BASH_SOURCE[0]}\" == \"$0\" ]] && main twice",
            main,
            "{\"name\":\"ü b\",\"flag\":true} /the/project\n",
        ),
    ];
    for (source, entry, expected) in cases {
        let Some(called) = bash(source, entry, params.clone()) else {
            return;
        };
        assert!(called.outcome.success(), "{source}: {:?}", called.outcome);
        assert_eq!(called.stdout(), expected);
    }
}

#[test]
fn a_bash_tool_runs_once_however_it_calls_its_function() {
    let cases = [
        ("main() { echo ran; }\ncd /tmp && main \"$@\"", None),
        ("main() { echo ran; }\nif true; then main \"$@\"; fi", None),
        ("main() { echo ran; }\nrun=main\n\"$run\" \"$@\"", None),
        (
            "main() { echo ran; }\ncat >/dev/null <<'END'\nmain\nEND\n",
            Some("main"),
        ),
        ("function main { echo ran; }", Some("main")),
    ];
    for (source, entry) in cases {
        let Some(called) = bash(source, entry, json!({})) else {
            return;
        };
        assert_eq!(called.stdout(), "ran\n", "{source}");
    }
    let Some(called) = bash("other() { :; }", Some("main"), json!({})) else {
        return;
    };
    assert_eq!(called.outcome.exit_code, Some(1));
    assert!(text(&called.outcome.stderr).contains("defines no function main"));
}

#[test]
fn bash_tools_may_give_a_result_and_events() {
    let source = "main() { toolroom_progress 1 2 'a \"quoted\" step'; toolroom_log warning $'two\\nlines'; echo noise; toolroom_result '{\"a\": [1]}'; }";
    let Some(called) = bash(source, Some("main"), json!({})) else {
        return;
    };
    assert_eq!(called.result(), json!({"a": [1]}));
    assert_eq!(
        called.events,
        [
            progress(1.0, Some(2.0), Some("a \"quoted\" step")),
            log("warning", "two\nlines")
        ]
    );
    for (source, entry, status) in [
        ("main() { return 4; }", Some("main"), 4),
        ("set -e\nmain() { false; echo never; }", Some("main"), 1),
        ("set -e\nfalse\necho never", None, 1),
        ("exit 5", None, 5),
    ] {
        let Some(called) = bash(source, entry, json!({})) else {
            return;
        };
        assert_eq!(called.outcome.exit_code, Some(status), "{source}");
        assert_eq!(called.stdout(), "", "{source}");
    }
}

#[test]
fn progress_that_is_no_number_costs_no_result() {
    let cases = [
        (
            BASH,
            "toolroom_progress x; toolroom_progress 08 1; toolroom_result 7",
        ),
        (
            NODE,
            "export function main(_, { progress }) { progress(NaN); progress('x'); return 7; }",
        ),
    ];
    for (language, source) in cases {
        let called = match language.launcher {
            "call.sh" => bash(source, None, json!({})),
            _ => language.call(source, json!({})),
        };
        let Some(called) = called else { continue };
        assert_eq!(called.result(), json!(7), "{source}");
        assert!(!called.events.is_empty(), "{source}");
    }
}

#[test]
fn a_perl_tool_in_a_folder_of_any_name_is_quiet() {
    let given = Given {
        entry: &["main".to_owned()],
        params: json!({}),
        folder: "prøject ✓ 🦀",
    };
    let source = "sub main { return -e $0 ? 'found' : $0 }\n1;\n";
    let Some(called) = PERL.call_as(Channel::Private, source, given) else {
        return;
    };
    assert_eq!(called.result(), json!("found"));
    assert_eq!(text(&called.outcome.stderr), "");
}
