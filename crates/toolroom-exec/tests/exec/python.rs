//! The Python launcher.

use serde_json::{Value, json};
use toolroom_exec::subprocess::Channel;

use crate::launch::{Called, Language, log, progress};
use crate::support::*;

pub const PYTHON: Language = Language {
    interpreter: "python3",
    args: &[],
    launcher: "call.py",
    extension: "py",
};

/// Calls a tool; without Python the test is skipped by its end.
macro_rules! call {
    ($source:expr) => {
        call!($source, json!({}))
    };
    ($source:expr, $params:expr) => {
        match PYTHON.call($source, $params) {
            Some(called) => called,
            None => return,
        }
    };
}

#[test]
fn parameters_reach_the_function_by_every_convention() {
    let cases = [
        (
            "def main(a, b=2): return [a, b]",
            json!({"a": 1}),
            json!([1, 2]),
        ),
        ("def main(*, a): return a", json!({"a": "ü"}), json!("ü")),
        (
            "def main(a, /, b): return [a, b]",
            json!({"b": 2, "a": 1}),
            json!([1, 2]),
        ),
        (
            "def main(**all): return all",
            json!({"from": 1, "x-y": 2}),
            json!({"from": 1, "x-y": 2}),
        ),
        (
            "def main(params): return params",
            json!({"a": 1}),
            json!({"a": 1}),
        ),
        (
            "def main(params): return params",
            json!({"params": 1}),
            json!(1),
        ),
        (
            "def main(a, project_path): return project_path",
            json!({"a": 1}),
            json!("/the/project"),
        ),
        (
            "def execute(params, project_path): return [params, project_path]",
            json!({"command": "x"}),
            json!([{"command": "x"}, "/the/project"]),
        ),
        ("def execute(params): return params", json!({}), json!({})),
        (
            "def execute(args, root, retries=3): return [args, root, retries]",
            json!({"a": 1}),
            json!([{"a": 1}, "/the/project", 3]),
        ),
        (
            "def main(params, project_path=None, *, deep=1): return [project_path, deep]",
            json!({"a": 1}),
            json!(["/the/project", 1]),
        ),
        ("async def main(a): return a", json!({"a": 1}), json!(1)),
        (
            "async def execute(params, project_path):\n import asyncio\n await asyncio.sleep(0)\n return params",
            json!({"a": 1}),
            json!({"a": 1}),
        ),
        (
            "import functools\ndef wrap(f):\n @functools.wraps(f)\n def g(*a, **k): return f(*a, **k)\n return g\n@wrap\ndef main(params): return params",
            json!({"a": 1}),
            json!({"a": 1}),
        ),
        (
            "class C:\n def __call__(self, a): return a\nmain = C()",
            json!({"a": 1}),
            json!(1),
        ),
        ("def main(): return None", json!({}), Value::Null),
        (
            "def main(text): return text",
            json!({"text": "${HOME} {params}"}),
            json!("${HOME} {params}"),
        ),
    ];
    for (source, params, expected) in cases {
        let called = call!(source, params);
        assert_eq!(called.result(), expected, "{source}");
        assert!(called.outcome.success(), "{source}");
    }
}

#[test]
fn the_seed_tool_runs_as_written() {
    let source = r#"
__tool_type__ = "python"
__executor_id__ = "python_runtime"
__category__ = "capabilities"

def main(command: str, args: list = None) -> dict:
    """Execute git command."""
    import subprocess
    result = subprocess.run(
        ["git", command] + (args or []),
        capture_output=True
    )
    return {"stdout": result.stdout}
"#;
    let called = call!(source, json!({"command": "--version"}));
    let result = called.result();
    assert!(
        result["stdout"]
            .as_str()
            .unwrap()
            .starts_with("git version"),
        "{result}"
    );
}

#[test]
fn every_kind_of_value_has_a_natural_form() {
    let cases = [
        ("[]", "[]"),
        ("0", "0"),
        ("''", "\"\""),
        ("False", "false"),
        (
            "2**200",
            "1606938044258990275541962092341162602522202993782792835301376",
        ),
        ("10**5000 % 10**4999 + 10**4998 == 10**4998", "true"),
        ("float('nan')", "\"NaN\""),
        (
            "[float('inf'), -float('inf'), 1.5]",
            "[\"Infinity\",\"-Infinity\",1.5]",
        ),
        ("b'text'", "\"text\""),
        ("b'\\xff\\xfe'", "{\"base64\":\"//4=\"}"),
        (
            "__import__('datetime').datetime(2026, 1, 2, 3, 4, 5)",
            "\"2026-01-02T03:04:05\"",
        ),
        ("__import__('datetime').date(2026, 1, 2)", "\"2026-01-02\""),
        ("__import__('datetime').timedelta(minutes=2)", "120.0"),
        ("__import__('pathlib').Path('/a/b')", "\"/a/b\""),
        ("__import__('decimal').Decimal('1.10')", "\"1.10\""),
        (
            "__import__('uuid').UUID(int=1)",
            "\"00000000-0000-0000-0000-000000000001\"",
        ),
        ("{3, 1, 2}", "[1,2,3]"),
        ("(1, (2,))", "[1,[2]]"),
        ("range(3)", "[0,1,2]"),
        ("{'a': 1}.keys()", "[\"a\"]"),
        ("__import__('enum').Enum('E', 'A B').B", "2"),
        (
            "__import__('dataclasses').make_dataclass('D', ['x'])(b'1')",
            "{\"x\":\"1\"}",
        ),
        (
            "{1: 2, None: 3, True: 4, b'k': 5}",
            "{\"1\":4,\"null\":3,\"k\":5}",
        ),
        ("'\\ud800x'", "\"\u{fffd}x\""),
        ("'\\x00\\x1f\\u2028'", "\"\\u0000\\u001f\u{2028}\""),
    ];
    for (value, expected) in cases {
        let called = call!(&format!("def main(): return {value}"));
        assert_eq!(called.raw(), expected, "{value}");
    }
}

#[test]
fn integers_past_the_digit_limit_stay_exact() {
    let called = call!("def main(): return {'n': 10**5000}");
    assert_eq!(called.raw().len(), "{\"n\":}".len() + 5001);
}

#[test]
fn what_has_no_form_is_named_with_its_place() {
    let cases = [
        (
            "{'a': [1, object()]}",
            "result['a'][1] cannot be written as JSON: object",
        ),
        (
            "{'f': print}",
            "result['f'] cannot be written as JSON: builtin_function_or_method",
        ),
        (
            "{(1, 2): 3}",
            "result (the key (1, 2)) cannot be written as JSON: tuple",
        ),
        ("LOOP", "result['me'] contains itself"),
        ("1j", "result cannot be written as JSON: complex"),
    ];
    for (value, message) in cases {
        let source = format!("LOOP = {{}}\nLOOP['me'] = LOOP\ndef main(): return {value}");
        let called = call!(&source);
        assert_eq!(called.failure().message, message);
        assert_eq!(called.failure().kind, "UnsupportedResult");
        assert_eq!(called.outcome.exit_code(), Some(1));
    }
}

#[test]
fn nothing_printed_corrupts_the_result() {
    let source = r#"
import os, subprocess, sys
def main():
    print('{"result": "forged"}')
    sys.stderr.write('{"result": "forged"}\n')
    os.write(1, b'{"error": 1}\n\xff\xfe')
    subprocess.run(["echo", '{"result": 1}'])
    assert "TOOLROOM_CHANNEL" not in os.environ
    return "true one"
"#;
    let called = call!(source);
    assert_eq!(called.result(), json!("true one"));
    assert_eq!(called.stdout().matches("forged").count(), 1);
    let elsewhere = PYTHON.call_on(Channel::Output, source, json!({})).unwrap();
    assert_eq!(elsewhere.result(), json!("true one"));
    assert_eq!(elsewhere.stdout(), "");
    assert_eq!(text(&elsewhere.outcome.stderr).matches("forged").count(), 2);
}

#[test]
fn an_error_comes_with_the_frames_of_the_tool_alone() {
    let source = "def inner(x):\n    return 1 / x\n\ndef main():\n    try:\n        inner(0)\n    except ZeroDivisionError as error:\n        raise ValueError('bad: ü') from error\n";
    let called = call!(source);
    let failure = called.failure();
    assert_eq!(
        (failure.kind.as_str(), failure.message.as_str()),
        ("ValueError", "bad: ü")
    );
    assert_eq!(failure.frames.len(), 1);
    assert_eq!(failure.frames[0].file, called.path.to_str().unwrap());
    assert_eq!(failure.frames[0].line, Some(8));
    assert_eq!(failure.frames[0].function.as_deref(), Some("main"));
    assert!(
        failure.frames[0]
            .source
            .as_deref()
            .unwrap()
            .starts_with("raise ValueError")
    );
    assert_eq!(failure.causes[0].kind, "ZeroDivisionError");
    assert_eq!(text(&called.outcome.stderr), "");
}

#[test]
fn every_way_to_fail_is_told() {
    let cases = [
        ("def main(:\n  pass", "SyntaxError", 1, 1),
        ("import no_such_module", "ModuleNotFoundError", 1, 1),
        ("x = 1", "ToolError", 1, 0),
        ("def main(): raise SystemExit(3)", "SystemExit", 3, 0),
        (
            "import sys\ndef main(): sys.exit('a reason')",
            "SystemExit",
            1,
            0,
        ),
        (
            "def main(): raise KeyboardInterrupt",
            "KeyboardInterrupt",
            130,
            1,
        ),
        ("def main(): return main()", "RecursionError", 1, 40),
        ("async def main(): raise KeyError('k')", "KeyError", 1, 1),
        ("def main(a): pass", "TypeError", 1, 0),
        (
            "class E(Exception):\n def __str__(self): raise RuntimeError\ndef main(): raise E",
            "my_tool.E",
            1,
            1,
        ),
    ];
    for (source, kind, status, frames) in cases {
        let called = call!(source);
        let failure = called.failure();
        assert_eq!(failure.kind, kind, "{source}");
        assert_eq!(called.outcome.exit_code(), Some(status), "{source}");
        assert_eq!(
            failure.frames.len(),
            frames,
            "{source}: {:?}",
            failure.frames
        );
    }
}

#[test]
fn leaving_with_zero_is_no_failure() {
    let called = call!("import sys\ndef main(): sys.exit(0)");
    assert_eq!(called.result(), Value::Null);
    assert!(called.outcome.success());
}

#[test]
fn an_end_without_a_return_leaves_no_reply() {
    let called = call!("import os\ndef main(): os._exit(0)");
    assert!(called.outcome.reply.is_none());
    assert_eq!(called.outcome.exit_code(), Some(0));
}

#[test]
fn events_stream_and_generators_settle() {
    let cases: [(&str, Value, usize); 7] = [
        (
            "import toolroom\ndef main():\n toolroom.progress(1, 2, 'half')\n toolroom.log('warning', 'w')\n return 1",
            json!(1),
            2,
        ),
        (
            "def main():\n yield {'progress': 1, 'total': 2}\n yield {'event': 'log', 'message': 'm'}\n return 5",
            json!(5),
            2,
        ),
        ("def main():\n yield 1\n yield [2]", json!([1, [2]]), 0),
        ("def main():\n yield 'line'", json!(["line"]), 1),
        ("def main():\n yield {'progress': 1}", Value::Null, 1),
        (
            "async def main():\n yield {'a': 1}\n yield {'progress': 2}",
            json!([{"a": 1}]),
            1,
        ),
        ("def main():\n return\n yield", json!([]), 0),
    ];
    for (source, expected, events) in cases {
        let called = call!(source);
        assert_eq!(called.result(), expected, "{source}");
        assert_eq!(called.events.len(), events, "{source}");
    }
    let called = call!(cases_first());
    assert_eq!(
        called.events,
        [progress(1.0, Some(2.0), Some("half")), log("warning", "w")]
    );
}

fn cases_first() -> &'static str {
    "import toolroom\ndef main():\n toolroom.progress(1, 2, 'half')\n toolroom.log('warning', 'w')"
}

#[test]
fn a_flood_of_progress_is_thinned_and_ends_complete() {
    let called = call!(
        "import toolroom\ndef main():\n for i in range(100000): toolroom.progress(i + 1, 100000)"
    );
    assert!(called.events.len() < 1000, "{}", called.events.len());
    assert_eq!(
        called.events.last(),
        Some(&progress(100_000.0, Some(100_000.0), None))
    );
}

#[test]
fn the_tool_finds_itself_and_its_neighbours() {
    let source = r#"
import sys, helper
def main():
    return [__name__, __file__ == sys.argv[0], sys.path[0] == __file__.rsplit("/", 1)[0],
            sys.stdin.read(), helper.VALUE, len(sys.argv), "json" in sys.modules]
"#;
    let called = call!(source);
    assert_eq!(
        called.result(),
        json!(["my_tool", true, true, "", 42, 1, false])
    );
}

#[test]
fn a_forked_child_does_not_answer_for_its_parent() {
    let source = r#"
import os
def main():
    pid = os.fork()
    if pid == 0:
        return "child"
    os.waitpid(pid, 0)
    return "parent"
"#;
    assert_eq!(call!(source).result(), json!("parent"));
}

#[test]
fn threads_children_and_exit_handlers_finish_their_work() {
    let source = r#"
import atexit, threading, time, concurrent.futures, toolroom
def double(x): return 2 * x
def late():
    time.sleep(0.2)
    print("thread", flush=True)
def main():
    atexit.register(lambda: print("goodbye"))
    threading.Thread(target=late).start()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: toolroom.log("info", "x" * 5000), range(50)))
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        return list(pool.map(double, [1, 2]))
"#;
    let called = call!(source);
    assert_eq!(called.result(), json!([2, 4]));
    assert_eq!(called.stdout(), "thread\ngoodbye\n");
    assert_eq!(called.events.len(), 50);
}

#[test]
fn a_tool_without_files_left_still_speaks_and_ends_in_time() {
    let source = r#"
import os, resource, threading, time, toolroom
def main():
    threading.Thread(target=time.sleep, args=(30,)).start()
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    toolroom.log("warning", "no files")
    toolroom.progress(1, 2)
    return "done"
"#;
    let called = call!(source);
    assert_eq!(called.result(), json!("done"));
    assert_eq!(called.events.len(), 2);
    assert_eq!(called.stderr(), "");
    assert!(called.outcome.duration.as_secs() < 20);
}

#[test]
fn the_launchers_folder_is_last_on_a_tools_path() {
    let source = "import sys\ndef main(): return ['launchers' in entry for entry in sys.path]";
    let found = call!(source).result();
    let (last, others) = found.as_array().unwrap().split_last().unwrap();
    assert_eq!(last, true);
    assert!(others.iter().all(|other| other == false), "{others:?}");
}

#[test]
fn children_that_are_started_anew_find_the_helpers() {
    let source = r#"
import multiprocessing, toolroom
def work(x):
    toolroom.log("info", "not heard: it is another process")
    return x * x
def main():
    with multiprocessing.get_context("spawn").Pool(2) as pool: return pool.map(work, [1, 2, 3])
"#;
    assert_eq!(call!(source).result(), json!([1, 4, 9]));
}

#[test]
fn a_signals_handler_may_speak_while_the_tool_does() {
    let source = r#"
import signal, toolroom
def main():
    signal.signal(signal.SIGALRM, lambda *a: toolroom.log("info", "tick"))
    for i in range(2000):
        signal.setitimer(signal.ITIMER_REAL, 0.0001)
        toolroom.log("info", "main")
    return "done"
"#;
    let called = call!(source);
    assert_eq!(called.result(), json!("done"));
    assert!(
        called
            .events
            .iter()
            .filter(|event| **event == log("info", "main"))
            .count()
            == 2000
    );
}

#[test]
fn an_error_is_told_though_nothing_can_be_imported_any_more() {
    let source = "def main():\n files = []\n while True: files.append(open('/dev/null'))";
    let called = call!(&format!(
        "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n{source}"
    ));
    assert_eq!(called.failure().kind, "OSError");
    let source = "class E(Exception):\n def __eq__(self, other): raise RuntimeError\ndef main():\n try: raise E('a')\n except E: raise E('b')";
    assert_eq!(call!(source).failure().message, "b");
}

#[test]
fn large_parameters_and_results_pass_whole() {
    let large = "é".repeat(600_000);
    let called = call!(
        "def main(text): return [text, text]",
        json!({"text": large})
    );
    let called: Called = called;
    assert_eq!(called.result(), json!([large, large]));
}

#[test]
fn a_deep_result_is_an_answer_or_an_error_but_no_crash() {
    let source = "def main(depth):\n x = []\n for _ in range(depth): x = [x]\n return x";
    let called = call!(source, json!({"depth": 100}));
    assert!(called.outcome.success());
    let called = call!(source, json!({"depth": 100_000}));
    assert!(called.failure().message.contains("nested too deeply"));
}
