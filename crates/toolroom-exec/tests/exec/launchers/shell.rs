//! Bash tools.

use serde_json::{Value, json};
use toolroom_exec::subprocess::Channel;

use super::{BASH, NODE};
use crate::launch::{Called, Given, log, progress};
use crate::support::*;

/// Calls a Bash tool that names this entry, or none.
fn bash(source: &str, entry: Option<&str>, params: Value) -> Option<Called> {
    let given = Given {
        entry: &entry.map(str::to_owned).into_iter().collect::<Vec<_>>(),
        order: &[],
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

/// A file that only defines its function would do nothing and say so to nobody.
#[test]
fn a_main_that_nothing_calls_is_called() {
    let called = [
        "main() { echo ran; }",
        "# main runs\nset -eu\nmain() {\n  echo ran # as main\n}\nhelper() { :; }\n",
        "function main\n{\n  [ \"${1:-}\" = again ] || main again\n  [ \"${1:-}\" = again ] || echo ran\n}\n",
    ];
    for source in called {
        let Some(called) = bash(source, None, json!({})) else {
            return;
        };
        assert_eq!(called.stdout(), "ran\n", "{source}");
        assert!(called.outcome.success(), "{source}");
    }
    let named = "main() { echo \"${0##*/} $*\"; return 3; }";
    let Some(called) = bash(named, None, json!({"a": 1})) else {
        return;
    };
    assert!(called.stdout().ends_with(" --a 1\n"), "{}", called.stdout());
    assert_eq!(called.outcome.exit_code, Some(3));
}

#[test]
fn a_main_that_may_be_called_already_is_not_called_again() {
    let sources = [
        "main() { echo ran; }; main",
        "main() {\n  echo ran\n}\nmain",
        "main() {\n  echo ran\n} && main",
        "run() { main; }\nmain() { echo ran; }\nrun",
        "main() { echo ran; }\nrun=main\n$run",
        "main() { echo ran; }\nif true; then\n  main\nfi",
        "domain() { echo no; }\necho ran",
    ];
    for source in sources {
        let Some(called) = bash(source, None, json!({})) else {
            return;
        };
        assert_eq!(called.stdout(), "ran\n", "{source}");
    }
}

/// No program can be started with an argument of a megabyte; a shell can still read one.
#[test]
fn a_bash_tool_takes_parameters_of_any_size() {
    let params = json!({"text": "x".repeat(1 << 20)});
    let sources = [
        (
            "set -eu\nls / >/dev/null\necho \"$1 ${#2} ${#TOOLROOM_PARAMS}\"\nexit 4",
            None,
        ),
        (
            "main() { ls / >/dev/null; echo \"$1 ${#2} ${#TOOLROOM_PARAMS}\"; return 4; }",
            Some("main"),
        ),
        (
            "main() { ls / >/dev/null; echo \"$1 ${#2} ${#TOOLROOM_PARAMS}\"; return 4; }",
            None,
        ),
    ];
    for (source, entry) in sources {
        let Some(called) = bash(source, entry, params.clone()) else {
            return;
        };
        assert_eq!(called.stdout(), "--text 1048576 1048587\n", "{source}");
        assert_eq!(called.outcome.exit_code, Some(4), "{source}");
    }
}
