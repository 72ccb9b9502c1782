//! The Python launcher in every version of Python that is here.

use serde_json::{Value, json};

use crate::launch::{Language, log, progress};
use crate::python::PYTHON;
use crate::support::text;

/// The machine's interpreter, and those of the versions that a version manager has here.
fn versions() -> Vec<Language> {
    let machine = toolroom_test::program(PYTHON.interpreter).map(|_| PYTHON);
    machine
        .into_iter()
        .chain(managed(|version| version >= (3, 6)))
        .collect()
}

fn managed(is_meant: impl Fn((u32, u32)) -> bool) -> Vec<Language> {
    let root = std::env::var_os("PYENV_ROOT").map(std::path::PathBuf::from);
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
    let root = root.or_else(|| home.map(|home| home.join(".pyenv")));
    let versions = root.and_then(|root| fs_err::read_dir(root.join("versions")).ok());
    let version = |name: &str| {
        let mut parts = name.split('.').map(|part| part.parse::<u32>().ok());
        Some((parts.next()??, parts.next()??))
    };
    let entries = versions.into_iter().flatten().flatten();
    entries
        .filter(|entry| {
            let name = entry.file_name();
            name.to_str().and_then(version).is_some_and(&is_meant)
        })
        .map(|entry| Language {
            interpreter: entry
                .path()
                .join("bin/python")
                .to_str()
                .unwrap()
                .to_owned()
                .leak(),
            ..PYTHON
        })
        .collect()
}

#[test]
fn every_version_of_python_that_is_here_calls_tools_alike() {
    let source = "import asyncio, datetime, enum, toolroom, typing\n\
        class C(enum.Enum):\n    RED = 'red'\n\
        def helper(x):\n    return 1 / x\n\
        async def aside():\n\
        \x20   try: await asyncio.sleep(100)\n\
        \x20   finally: print('let go')\n\
        async def later():\n\
        \x20   asyncio.ensure_future(aside())\n    await asyncio.sleep(0)\n    return 3\n\
        async def ahead():\n    yield {'progress': 1}\n    yield 4\n\
        def steps():\n    yield {'progress': 1, 'total': 2}\n    yield 'text'\n    return 5\n\
        def main(kind: str, c: C = C.RED, some: typing.Set[int] = None,\n\
        \x20        perhaps: typing.Optional[C] = None, at: datetime.datetime = None):\n\
        \x20   if kind == 'typed': return [type(some).__name__, perhaps is C.RED, at.tzinfo is not None]\n\
        \x20   if kind == 'fail': return helper(0)\n\
        \x20   print('noise')\n    toolroom.log('info', 'x')\n\
        \x20   return {'async': later, 'ahead': ahead, 'steps': steps}.get(kind, lambda: [2 ** 70, {1}, b'\\xff', float('nan'), c])()\n";
    let values = json!(["N", [1], {"base64": "/w=="}, "NaN", "red"]).to_string();
    let values: Value =
        serde_json::from_str(&values.replace("\"N\"", "1180591620717411303424")).unwrap();
    for language in versions() {
        let call = |kind: &str| {
            let params = json!({"kind": kind, "c": "red", "some": [1], "perhaps": "red", "at": "2026-01-02T03:04:05+01:00"});
            language.call(source, params).unwrap()
        };
        let which = language.interpreter;
        let later = call("async");
        assert_eq!(later.result(), json!(3), "{which}");
        assert_eq!(later.stdout(), "noise\nlet go\n", "{which}");
        assert_eq!(call("ahead").result(), json!([4]), "{which}");
        assert_eq!(
            call("typed").result(),
            json!(["set", true, true]),
            "{which}"
        );
        assert_eq!(call("plain").result(), values, "{which}");
        let steps = call("steps");
        assert_eq!(steps.result(), json!(5), "{which}");
        assert_eq!(steps.stdout(), "noise\n", "{which}");
        let events = [
            log("info", "x"),
            progress(1.0, Some(2.0), None),
            log("info", "text"),
        ];
        assert_eq!(steps.events, events, "{which}");
        let called = call("fail");
        let failure = called.failure();
        assert_eq!(failure.kind, "ZeroDivisionError", "{which}");
        let names: Vec<_> = failure
            .frames
            .iter()
            .filter_map(|frame| frame.function.as_deref())
            .collect();
        assert_eq!(names, ["main", "helper"], "{which}");
    }
}

#[test]
fn no_annotation_makes_a_call_fail_in_any_version() {
    let source = "import enum, typing\nfrom pathlib import Path\nfrom typing import *\n\
        class C(enum.Enum):\n    RED = 'r'\n\
        class N(NamedTuple):\n    at: Path\n\
        class Odd:\n    __hash__ = None\n    def __eq__(self, other): raise RuntimeError\n\
        T = TypeVar('T')\n\
        class Box(Generic[T]): pass\n\
        New = NewType('New', Path)\n\
        D = Q = dict\n\
        A = Path\n\
        if hasattr(typing, 'TypedDict'):\n\
        \x20   class D(typing.TypedDict):\n        at: 'Path'\n\
        \x20   class Q(typing.Protocol):\n        def f(self): ...\n\
        if hasattr(typing, 'Annotated'): A = typing.Annotated[Path, {'not': 'hashable'}]\n\
        def main(d: D, ds: List[D], q: Q, b: Box[int], odd: Odd(), odds: {'a': [1]}, miss: 'Missing[',\n\
        \x20        n: N, m: N, a: A, new: New, c: Optional['C'], cs: 'List[\"C\"]', by: Dict[str, 'C']):\n\
        \x20   assert D is dict or isinstance(d['at'], Path)\n\
        \x20   built = [n.at, m.at, a, new, c, cs[0], by['k']]\n\
        \x20   return [list(d), list(ds[0]), q, b, odd, odds, miss, [type(x).__name__[-4:] for x in built]]\n";
    let params = json!({
        "d": {"at": "/a"}, "ds": [{"at": "/a"}], "q": {}, "b": [1], "odd": 1, "odds": 2, "miss": 3,
        "n": {"at": "/a"}, "m": ["/a"], "a": "/a", "new": "/a", "c": "r", "cs": ["r"], "by": {"k": "r"},
    });
    let wanted = json!([
        ["at"],
        ["at"],
        {},
        [1],
        1,
        2,
        3,
        ["Path", "Path", "Path", "Path", "C", "C", "C"]
    ]);
    for language in versions() {
        let called = language.call(source, params.clone()).unwrap();
        assert_eq!(called.result(), wanted, "{}", language.interpreter);
    }
}

#[test]
fn a_python_that_is_too_old_says_which_one_it_is_and_which_it_takes() {
    let pretending = Language {
        args: &[
            "-c",
            "import runpy, sys; sys.version_info = (3, 5, 2); runpy.run_path(sys.argv[1], run_name='__main__')",
        ],
        ..PYTHON
    };
    let old = managed(|version| version < (3, 6));
    for language in [pretending].into_iter().chain(old) {
        let Some(called) = language.call("def main(): return f'{1}'", json!({})) else {
            return;
        };
        let failure = called.failure();
        assert_eq!(failure.kind, "UnsupportedPython");
        let (found, needed) = failure.message.split_once(" is Python ").unwrap();
        assert!(found.contains("python"), "{failure:?}");
        assert!(needed.starts_with(['2', '3']), "{failure:?}");
        assert!(
            needed.ends_with(", and to call a function takes Python 3.6 or newer"),
            "{failure:?}"
        );
        assert_eq!(text(&called.outcome.stderr), "");
        assert_eq!(called.outcome.exit_code(), Some(1));
    }
}
