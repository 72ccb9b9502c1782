//! The shipped data is whole, and the kernel knows none of it by name.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolroom_kernel::Explain;

use crate::support::{Context, core};

#[test]
fn the_kernel_names_no_language() {
    let anywhere = [
        "python",
        "ruby",
        "node",
        "nvm",
        "npm",
        "pyenv",
        "rbenv",
        "pyvenv",
        "virtual_env",
        "asdf",
        "conda",
        "volta",
        "golang",
        "deno",
        "perl",
        "php",
        "pypy",
        "venv",
    ];
    let alone = ["mise", "fnm", "bun", "pip", "gem", "lua", "tcl"];
    let mut found = Vec::new();
    for path in rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = fs_err::read_to_string(&path)
            .unwrap()
            .replace("Environ", "");
        for (number, line) in text.to_lowercase().lines().enumerate() {
            let is_alone = |word: &&&str| {
                line.split(|next: char| !next.is_alphanumeric())
                    .any(|part| part == **word)
            };
            for word in anywhere
                .iter()
                .filter(|word| line.contains(*word))
                .chain(alone.iter().filter(is_alone))
            {
                found.push(format!("{}:{}: {word}", path.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn every_resolver_can_be_used() {
    let context = Context::new();
    for name in core("resolvers").keys() {
        if name == "version_manager" {
            continue;
        }
        let result = context.find(json!({"type": name, "var": "X", "package": "p", "formula": "f@1", "binary": "no-such-binary", "fallback": "no-such-binary"}));
        if let Err(error) = result {
            assert_ne!(error.code(), "resolve::bad_resolver", "{error}");
        }
    }
    let managers = core("resolvers").remove("version_manager").unwrap();
    for manager in managers["managers"].as_object().unwrap().keys() {
        let result =
            context.find(json!({"type": "version_manager", "manager": manager, "plugin": "p"}));
        assert_eq!(
            result.unwrap_err().code(),
            "resolve::interpreter_not_found",
            "{manager}"
        );
    }
}

#[test]
fn every_runtime_resolves_where_its_interpreter_is() {
    for (name, runtime) in core("runtimes") {
        let context = Context::new();
        for binary in [
            "python3", "node", "bash", "ruby", "deno", "bun", "go", "php", "perl",
        ] {
            context.executable(&format!("bin/{binary}"));
        }
        let resolution = context
            .runtime(&name)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        if let Some(command) = runtime["config"]["command"].as_str() {
            let var = command.trim_start_matches("${").trim_end_matches('}');
            assert!(
                resolution
                    .env
                    .get(var)
                    .is_some_and(|path| path.starts_with('/')),
                "{name}: {var}"
            );
        }
        assert!(
            resolution.notes.is_empty(),
            "{name}: {:?}",
            resolution.notes
        );
    }
}

#[test]
fn every_runtime_and_primitive_says_what_it_is() {
    for (folder, kind) in [
        ("runtimes", "runtime"),
        ("primitives", "primitive"),
        ("resolvers", "resolver"),
    ] {
        for (name, data) in core(folder) {
            assert_eq!(data["tool_type"], kind, "{name}");
            assert!(
                data["description"]
                    .as_str()
                    .is_some_and(|text| text.ends_with('.')),
                "{name}"
            );
            assert_eq!(data["category"], folder, "{name}");
            if kind != "resolver" {
                assert!(data["version"].is_string(), "{name}");
            }
            if kind == "runtime" {
                let aliases = data["aliases"].as_array().unwrap();
                assert!(
                    aliases.contains(&Value::String(format!("{name}_runtime"))),
                    "{name}"
                );
                assert!(
                    data["template"]["extension"]
                        .as_str()
                        .is_some_and(|text| text.starts_with('.')),
                    "{name}"
                );
                assert!(
                    ["subprocess", "http_client"].contains(&data["executor_id"].as_str().unwrap()),
                    "{name}"
                );
            }
        }
    }
}
