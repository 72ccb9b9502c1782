//! The Python launcher in every version of Python that is here.

use serde_json::{Value, json};

use crate::launch::{Language, log, progress};
use crate::python::PYTHON;

/// The machine's interpreter, and those of the versions that a version manager has here.
fn versions() -> Vec<Language> {
    let root = std::env::var_os("PYENV_ROOT").map(std::path::PathBuf::from);
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
    let root = root.or_else(|| home.map(|home| home.join(".pyenv")));
    let versions = root.and_then(|root| fs_err::read_dir(root.join("versions")).ok());
    let is_supported = |name: &str| {
        let minor = name
            .strip_prefix("3.")
            .and_then(|rest| rest.split('.').next());
        minor
            .and_then(|minor| minor.parse().ok())
            .is_some_and(|minor: u32| minor >= 8)
    };
    let entries = versions.into_iter().flatten().flatten();
    let managed = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_supported))
        .map(|entry| Language {
            interpreter: entry
                .path()
                .join("bin/python3")
                .to_str()
                .unwrap()
                .to_owned()
                .leak(),
            ..PYTHON
        });
    let machine = toolroom_test::program(PYTHON.interpreter).map(|_| PYTHON);
    machine.into_iter().chain(managed).collect()
}

#[test]
fn every_version_of_python_that_is_here_calls_tools_alike() {
    let source = "import enum, toolroom\n\
        class C(enum.Enum):\n    RED = 'red'\n\
        def helper(x):\n    return 1 / x\n\
        async def later():\n    return 3\n\
        def steps():\n    yield {'progress': 1, 'total': 2}\n    yield 'text'\n    return 5\n\
        def main(kind: str, c: C = C.RED):\n\
        \x20   if kind == 'fail': return helper(0)\n\
        \x20   print('noise')\n    toolroom.log('info', 'x')\n\
        \x20   return {'async': later, 'steps': steps}.get(kind, lambda: [2 ** 70, {1}, b'\\xff', float('nan'), c])()\n";
    let values = json!(["N", [1], {"base64": "/w=="}, "NaN", "red"]).to_string();
    let values: Value =
        serde_json::from_str(&values.replace("\"N\"", "1180591620717411303424")).unwrap();
    for language in versions() {
        let call = |kind: &str| {
            let params = json!({"kind": kind, "c": "red"});
            language.call(source, params).unwrap()
        };
        let which = language.interpreter;
        assert_eq!(call("async").result(), json!(3), "{which}");
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
