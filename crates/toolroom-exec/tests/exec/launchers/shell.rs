//! Bash tools.

use serde_json::{Value, json};
use toolroom_exec::subprocess::Channel;

use super::{BASH, NODE};
use crate::launch::{Called, Given, log, progress};
use crate::support::*;

/// Calls a Bash tool that names this entry, or none.
fn bash(source: &str, entry: Option<&str>, params: Value) -> Option<Called> {
    let given = Given {
        kept: None,
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
    assert_eq!(called.outcome.exit_code(), Some(1));
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
        assert_eq!(called.outcome.exit_code(), Some(status), "{source}");
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

/// Runs each source and sees that its `main` ran exactly once and that nothing was said.
fn runs_once(sources: &[&str]) {
    for source in sources {
        let source = source.replace("{ :; }", "{ echo ran; }");
        let Some(called) = bash(&source, None, json!({})) else {
            return;
        };
        let ran = called.stdout().matches("ran\n").count();
        assert_eq!(ran, 1, "{source}: {}", text(&called.outcome.stderr));
        assert_eq!(called.events, [], "{source}");
    }
}

/// A file that only defines its function would do nothing and say so to nobody.
#[test]
fn a_main_that_nothing_calls_is_called() {
    runs_once(&[
        "main() { :; }",
        "main () { :; }",
        "# main runs\nset -eu\nmain() {\n  echo ran # as main\n}\nhelper() { true; }\n",
        "function main\n{\n  [ \"${1:-}\" = again ] || main again\n  [ \"${1:-}\" = again ] || echo ran\n}\n",
    ]);
    let named = "main() { echo \"${0##*/} $*\"; return 3; }";
    let Some(called) = bash(named, None, json!({"a": 1})) else {
        return;
    };
    assert!(called.stdout().ends_with(" --a 1\n"), "{}", called.stdout());
    assert_eq!(called.outcome.exit_code(), Some(3));
}

#[test]
fn a_main_that_is_only_spoken_of_is_called() {
    runs_once(&[
        "main() { :; }\necho \"main menu\" >&2",
        "main() { :; } # main \"$@\"",
        "main() { :; }\ncat >&2 <<EOF\nmain\nEOF",
        "main() { :; }\ncat >&2 <<-'EOF'\n\tmain $(main)\n\tEOF",
        "main() { :; }\nprintf '%s' '\nmain\n' >&2",
        "retry() { main; }\nmain() { :; }",
        "usage() { echo \"usage: main [x]\"; }\nmain() { echo ran; usage; }",
        "main() { :; }\necho on \\\n  main >&2",
        "branch=main\necho \"$branch\" >&2\nmain() { :; }",
        "sync() { echo main >&2; }\nsync\nmain() { :; }",
        "main() { :; }\nif [ \"${1:-}\" = main ]; then exit 1; fi",
        "main() { :; }\ncase ${1:-} in\n  main) exit 1 ;;\n  x | main) exit 2 ;;\nesac",
        "main() { :; }\nbranches=(\n  main\n  dev\n)\necho ${branches[0]} >&2",
        "main() { :; }\nfor b in main dev; do echo $b >&2; done",
        "main() {\n  awk '{ print \"}\" }' </dev/null\n  echo ran | sed -e 's/{//'\n}\ndeclare -f main >/dev/null",
        "retry() { \"$@\"; }\nmain() { retry echo ran; }",
    ]);
}

#[test]
fn a_main_that_the_file_calls_is_not_called_again() {
    runs_once(&[
        "main() { :; }; main",
        "main() {\n  echo ran\n}\nmain",
        "main() {\n  echo ran\n} && main",
        "main() { :; }\nif [[ \"${BASH_SOURCE[0]}\" == \"$0\" ]]; then main \"$@\"; fi",
        "main() { :; }\nif [[ \"${BASH_SOURCE[0]}\" == \"$0\" ]]; then\n  main \"$@\"\nfi\n",
        "main() { :; }\n[[ \"${BASH_SOURCE[0]}\" == \"$0\" ]] && main \"$@\" # run",
        "main() { :; }\n(return 0 2>/dev/null) || main \"$@\"",
        "run() { main; }\nmain() { :; }\nrun",
        "one() { two; }\ntwo() {\n  main\n}\nmain() { :; }\none \"$@\"; exit",
        "main() { :; }\ntrap main EXIT; true",
        "main() { :; }\ntrap 'true; main' EXIT",
        "main() { :; }\neval \"main x\"; true",
        "main() { :; }\necho \"$(main)\"",
        "main() { :; }\nx=\"$(\n  main a\n)\"\necho \"$x\"",
        "main() { :; }\n(\n  cd /\n  main \"$@\")",
        "main() { :; }\nMODE=1 main \"$@\"; true",
        "main() { :; }\ncase ${1:-} in\n  a) ;;\n  *) main \"$@\" ;;\nesac",
        "main() { :; }\nmain \"$@\" | cat",
        "main() { cat <<'E'\n}\nran\nE\n}\nmain \"$@\"; exit",
        "domain() { echo no; }\necho ran",
    ]);
}

#[test]
fn a_main_of_which_nobody_can_know_is_left_to_its_file_and_spoken_of() {
    let sources = [
        ("main() { echo ran; }\nrun=main\n$run", 2),
        ("main() { echo ran; }\n\n\"${@:-main}\"", 3),
        ("retry() { \"$@\"; }\nmain() { echo ran; }\nretry main", 3),
    ];
    for (source, line) in sources {
        let Some(called) = bash(source, None, json!({})) else {
            return;
        };
        assert_eq!(called.stdout(), "ran\n", "{source}");
        let said = format!(
            "my_tool.sh defines main, and whether line {line} calls it cannot be seen: \
             the file is run as it is. `entry: main` in its front matter has main called"
        );
        assert_eq!(called.events, [log("warning", &said)], "{source}");
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
        assert_eq!(called.outcome.exit_code(), Some(4), "{source}");
    }
}

/// A shell reads a pipe byte by byte: where a megabyte took seconds, ten took half a minute.
#[test]
fn a_bash_tool_takes_large_parameters_whole_and_without_delay() {
    let source = "printf '%s' \"$2$4\" | cksum; echo \"${#2} ${#4}\"";
    let begun = std::time::Instant::now();
    for size in [900, 2000, 2020, 2048, 5000, 5_000_000] {
        let params = json!({"other": "ü\n\u{1}\n", "text": "x".repeat(size)});
        let Some(called) = bash(source, None, params) else {
            return;
        };
        let said = called.stdout();
        let lengths = said.lines().nth(1).unwrap_or_default();
        assert!(lengths.ends_with(&format!(" {size}")), "{size}: {said}");
        assert_eq!(
            said.split(' ').nth(1).unwrap().lines().next(),
            Some((size + 5).to_string().as_str()),
            "bytes"
        );
    }
    assert!(begun.elapsed() < std::time::Duration::from_secs(10));
}
