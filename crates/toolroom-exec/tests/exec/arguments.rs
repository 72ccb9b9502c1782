//! What Python functions get for their parameters, and what bad events cost.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolroom_exec::subprocess::{Channel, Event};

use crate::launch::{Called, Given};
use crate::python::PYTHON;

fn call(source: &str, params: Value) -> Option<Called> {
    let given = Given {
        kept: None,
        entry: &["main", "execute"].map(str::to_owned),
        order: &[],
        params,
        folder: "",
    };
    PYTHON.call_as(Channel::Private, source, given)
}

fn gives(cases: &[(&str, Value, Value)]) {
    for (source, params, expected) in cases {
        let Some(called) = call(source, params.clone()) else {
            return;
        };
        assert_eq!(called.result(), *expected, "{source}");
    }
}

#[test]
fn arguments_become_what_their_annotations_ask_for() {
    gives(&[
        (
            "import enum\nclass C(enum.Enum):\n RED = 'r'\ndef main(a: C, b: C, c: 'C | None', d: list[C]): return [a.name, b.name, c.name, d[0].name]",
            json!({"a": "r", "b": "RED", "c": "r", "d": ["r"]}),
            json!(["RED", "RED", "RED", "RED"]),
        ),
        (
            "from __future__ import annotations\nfrom dataclasses import dataclass, field\nfrom pathlib import Path\n@dataclass\nclass In:\n at: Path\n@dataclass\nclass Out:\n inner: In\n more: list[In] = field(default_factory=list)\ndef main(o: Out): return [o.inner.at.name, [each.at.name for each in o.more]]",
            json!({"o": {"inner": {"at": "/a/b"}, "more": [{"at": "c"}]}}),
            json!(["b", ["c"]]),
        ),
        (
            "import datetime as d, uuid, decimal\nfrom datetime import timezone\ndef main(t: d.datetime, day: d.date, u: uuid.UUID, n: decimal.Decimal, s: d.timedelta):\n return [t.tzinfo == timezone.utc, day.year, u.version, str(n + 1), s.total_seconds()]",
            json!({"t": "2026-01-02T03:04:05Z", "day": "2025-01-01", "u": "12345678-1234-4234-8234-123456789abc", "n": 0.1, "s": 90}),
            json!([true, 2025, 4, "1.1", 90.0]),
        ),
        (
            "def main(a: set, b: tuple, c: frozenset[int], d: tuple[int, ...]): return [type(x).__name__ for x in (a, b, c, d)]",
            json!({"a": [1], "b": [1], "c": [1, 1], "d": [1, 2, 3]}),
            json!(["set", "tuple", "frozenset", "tuple"]),
        ),
        (
            "from typing import Optional, Union, Literal, Annotated, NamedTuple\nfrom pathlib import Path\nclass P(NamedTuple):\n x: int\n y: int\ndef main(a: Optional[Path], b: Union[str, Path], c: Literal['x'], d: Annotated[Path, 'm'], e: P, f: Optional[Path] = None):\n return [type(a).__name__[-4:], b, c, d.name, e.y, f]",
            json!({"a": "q", "b": "s", "c": "x", "d": "/z", "e": {"x": 1, "y": 2}, "f": null}),
            json!(["Path", "s", "x", "z", 2, null]),
        ),
        (
            "from dataclasses import dataclass\n@dataclass\nclass Config:\n n: int\ndef main(params: Config): return params.n",
            json!({"n": 3}),
            json!(3),
        ),
        (
            "class Odd: pass\ndef main(a: Odd, b: 'Missing', c: int, *d, e: dict[str, int] = {}): return [a, b, c, e]",
            json!({"a": 1, "b": [2], "c": "x", "e": {"k": 1}}),
            json!([1, [2], "x", {"k": 1}]),
        ),
    ]);
}

#[test]
fn a_value_that_is_none_of_an_enumeration_is_the_calls_failure() {
    let source = "import enum\nclass C(enum.Enum): RED = 'r'\ndef main(c: C): return 1";
    let Some(called) = call(source, json!({"c": "green"})) else {
        return;
    };
    assert_eq!(called.failure().kind, "ValueError");
}

#[test]
fn what_execute_learns_of_the_call_is_no_parameter() {
    let params = json!({"params": {"a": 1}, "project_path": "/etc"});
    gives(&[
        (
            "def execute(params, project_path): return [params, project_path]",
            params.clone(),
            json!([params, "/the/project"]),
        ),
        (
            "def execute(*, project_path, **rest): return project_path",
            json!({"project_path": "/etc"}),
            json!("/the/project"),
        ),
    ]);
}

#[test]
fn a_bad_progress_call_costs_no_result() {
    let calls = [
        ("progress(float('nan'))", 0),
        ("progress(float('inf'), 3)", 0),
        ("progress('x')", 0),
        ("progress(1, 'y')", 0),
        ("progress(None)", 0),
        ("progress(True)", 1),
        ("progress(__import__('decimal').Decimal('0.5'))", 1),
        ("progress(1, 2, 5)", 1),
    ];
    for (bad, good) in calls {
        let source = format!("import toolroom\ndef main():\n toolroom.{bad}\n return 7");
        let Some(called) = call(&source, json!({})) else {
            return;
        };
        assert_eq!(called.result(), json!(7), "{bad}");
        let is_progress = |event: &&Event| matches!(event, Event::Progress { .. });
        assert_eq!(
            called.events.iter().filter(is_progress).count(),
            good,
            "{bad}"
        );
        assert_eq!(called.events.len(), 1, "{bad}");
    }
    gives(&[(
        "def main():\n yield {'progress': 'x'}\n return 7",
        json!({}),
        json!(7),
    )]);
}

#[test]
fn a_thread_that_goes_on_does_not_hold_an_answered_call() {
    let source = "import threading, time\ndef main():\n threading.Thread(target=time.sleep, args=(1000,)).start()\n print('said')\n return 'done'";
    let begun = Instant::now();
    let Some(called) = call(source, json!({})) else {
        return;
    };
    assert_eq!(called.result(), json!("done"));
    assert_eq!(called.stdout(), "said\n");
    assert!(called.outcome.success(), "{:?}", called.outcome);
    assert!(begun.elapsed() < Duration::from_secs(10));
}
