//! The examples of the seeds, to the letter.

use serde_json::{Value, json};
use toolroom_kernel::Explain;
use toolroom_kernel::model::Role;
use toolroom_kernel::resolve::Verdict;
use toolroom_kernel::template::{Unset, expand_json};

use crate::support::{Context, chosen, failure, verdict};

/// Seed 001: no project environment, `~/.venv` is there.
#[test]
fn the_walk_through_of_the_runtimes_document_gives_exactly_its_result() {
    let context = Context::new();
    let python = context.venv("home/.venv", "3.11.4");
    let runtime = json!({
        "env_config": {
            "interpreter": {
                "type": "venv_python",
                "search": ["project", "user", "system"],
                "var": "RYE_PYTHON",
                "fallback": "python3",
            },
            "env": {"PYTHONUNBUFFERED": "1", "PROJECT_VENV_PYTHON": "${RYE_PYTHON}"},
        },
    });
    let resolution = context
        .chain(&[("python_runtime", Role::Runtime, &runtime)], &[])
        .unwrap();
    let python = python.to_str().unwrap();
    assert!(python.ends_with("/.venv/bin/python3"));
    for (name, value) in [
        ("RYE_PYTHON", python),
        ("PYTHONUNBUFFERED", "1"),
        ("PROJECT_VENV_PYTHON", python),
    ] {
        assert_eq!(resolution.env.get(name), Some(value), "{name}");
    }
    let config = json!({"command": "${RYE_PYTHON}", "args": [], "timeout": 300});
    let config = expand_json(&config, resolution.env.values(), Unset::Error).unwrap();
    assert_eq!(
        config,
        json!({"command": python, "args": [], "timeout": 300})
    );
    assert_eq!(
        verdict(&resolution.tried, "project/.venv").unwrap().0,
        Verdict::Absent
    );
    assert_eq!(resolution.interpreter().unwrap().place, "user");
}

#[test]
fn the_shipped_runtimes_set_the_variables_the_documents_name() {
    let context = Context::new();
    let python = context.venv("project/.venv", "3.11.4");
    let node = context.executable("bin/node");
    let python_env = context.runtime("python").unwrap().env;
    for name in ["RYE_PYTHON", "KIWI_PYTHON", "PROJECT_VENV_PYTHON"] {
        assert_eq!(python_env.get(name), python.to_str(), "{name}");
    }
    assert_eq!(python_env.get("PYTHONUNBUFFERED"), Some("1"));
    let node_env = context.runtime("node").unwrap().env;
    for name in ["RYE_NODE", "KIWI_NODE"] {
        assert_eq!(node_env.get(name), node.to_str(), "{name}");
    }
    assert_eq!(node_env.get("NODE_ENV"), Some("production"));
    assert_eq!(node_env.get("PROJECT_NODE_MODULES"), Some("./node_modules"));
    let modules = context.folder("project/node_modules");
    assert_eq!(
        context
            .runtime("node")
            .unwrap()
            .env
            .get("PROJECT_NODE_MODULES"),
        modules.to_str()
    );
}

#[test]
fn every_place_of_the_python_search_is_searched_in_its_order() {
    let context = Context::new();
    let places = [
        ("project/.venv", "project"),
        ("project/.virtualenv", "project"),
        ("project/venv", "project"),
        ("project/.ai/scripts/.venv", "kiwi"),
        ("home/.ai/.venv", "user"),
        ("home/.venv", "user"),
        ("home/.virtualenv", "user"),
    ];
    let pyenv_new = context.executable("home/.pyenv/versions/3.12.1/bin/python3");
    context.executable("home/.pyenv/versions/3.9.18/bin/python3");
    let on_path = context.executable("bin/python3");
    let found: Vec<_> = places
        .iter()
        .map(|(path, _)| context.venv(path, "3.11.4"))
        .collect();
    for (python, (path, place)) in found.iter().zip(places) {
        let resolution = context.python().unwrap();
        let interpreter = resolution.interpreter().unwrap();
        assert_eq!(
            (&interpreter.path, interpreter.place.as_str()),
            (python, place)
        );
        fs_err::remove_dir_all(context.path(path)).unwrap();
    }
    assert_eq!(chosen(context.python()), pyenv_new);
    fs_err::remove_dir_all(context.path("home/.pyenv")).unwrap();
    assert_eq!(chosen(context.python()), on_path);
    fs_err::remove_file(context.path("bin/python3")).unwrap();
    let on_path = context.executable("bin/python");
    assert_eq!(
        chosen(context.find(json!({"type": "venv_python", "search": ["system"]}))),
        on_path
    );
}

#[test]
fn the_last_places_of_the_system_search_are_those_of_the_document() {
    let context = Context::new();
    let places = [
        "machine/usr/bin/python3",
        "machine/usr/local/bin/python3",
        "machine/opt/python/bin/python3",
    ];
    let found: Vec<_> = places.iter().map(|path| context.executable(path)).collect();
    for python in found {
        assert_eq!(chosen(context.python()), python);
        fs_err::remove_file(python).unwrap();
    }
    assert_eq!(
        failure(context.python()).code(),
        "resolve::interpreter_not_found"
    );
}

#[test]
fn every_place_of_the_node_search_is_searched_in_its_order() {
    let context = Context::new();
    let places = [
        ("project/node_modules/.bin/node", "project"),
        ("project/.ai/scripts/node_modules/.bin/node", "kiwi"),
        ("home/.ai/node_modules/.bin/node", "user"),
        ("home/.nvm/versions/node/v18.0.0/bin/node", "user"),
        ("bin/node", "system"),
    ];
    let found: Vec<_> = places
        .iter()
        .map(|(path, _)| context.executable(path))
        .collect();
    for (node, (_, place)) in found.iter().zip(places) {
        for resolver in ["venv_node", "node_modules"] {
            let resolution = context
                .find(json!({"type": resolver, "var": "KIWI_NODE"}))
                .unwrap();
            let interpreter = resolution.interpreter().unwrap();
            assert_eq!(
                (&interpreter.path, interpreter.place.as_str()),
                (node, place),
                "{resolver}"
            );
        }
        fs_err::remove_file(node).unwrap();
    }
}

#[test]
fn the_deno_and_ruby_examples_resolve() {
    let context = Context::new();
    let deno = context.executable("bin/deno");
    let env_config = json!({
        "interpreter": {"type": "system_binary", "binary": "deno", "var": "KIWI_DENO", "fallback": "deno"},
        "env": {"DENO_DIR": "${HOME}/.cache/deno"},
    });
    let env = context.resolve(&env_config).unwrap().env;
    assert_eq!(env.get("KIWI_DENO"), deno.to_str());
    assert_eq!(
        env.get("DENO_DIR").unwrap(),
        context.text("home/.cache/deno")
    );

    let ruby = context.executable("home/.rbenv/versions/3.2.1/bin/ruby");
    let asked = |version: Value| {
        context.find(json!({"type": "version_manager", "manager": "rbenv", "var": "KIWI_RUBY", "fallback": "ruby", "version": version}))
    };
    assert_eq!(chosen(asked(json!("3.2.1"))), ruby);
    let on_path = context.executable("bin/ruby");
    assert_eq!(chosen(asked(Value::Null)), on_path);
}

#[test]
fn the_future_resolver_types_resolve() {
    let mut context = Context::new();
    context.folder("home/miniconda3/envs/myenv/conda-meta");
    let conda = context.executable("home/miniconda3/envs/myenv/bin/python");
    let found = context
        .find(json!({"type": "conda_env", "env_name": "myenv", "var": "KIWI_PYTHON"}))
        .unwrap();
    assert_eq!(found.interpreter().unwrap().path, conda);
    assert_eq!(
        found.env.get("CONDA_PREFIX").unwrap(),
        context.text("home/miniconda3/envs/myenv")
    );

    context.file(
        "home/.local/share/pipx/venvs/black/pyvenv.cfg",
        format!("home = {}\nversion = 3.11.1\n", context.text("bin")),
    );
    let black = context.executable("home/.local/share/pipx/venvs/black/bin/black");
    assert_eq!(
        chosen(context.find(json!({"type": "pipx", "package": "black", "var": "KIWI_BLACK"}))),
        black
    );

    let prefix = context.text("brew");
    context.set("HOMEBREW_PREFIX", prefix);
    let cellar = context.executable("brew/Cellar/python@3.11/3.11.9/libexec/bin/python");
    context.link(
        cellar.parent().unwrap().parent().unwrap().parent().unwrap(),
        "brew/opt/python@3.11",
    );
    let found = context
        .find(json!({"type": "homebrew", "formula": "python@3.11", "var": "KIWI_PYTHON"}))
        .unwrap();
    assert_eq!(
        found.interpreter().unwrap().path,
        context.path("brew/opt/python@3.11/libexec/bin/python")
    );
}

#[test]
fn several_resources_resolve_in_order_each_into_its_variable() {
    let context = Context::new();
    let python = context.venv("project/.venv", "3.11.4");
    let tool = context.executable("bin/mytool");
    let env_config = json!({
        "interpreter": {"type": "venv_python", "var": "RYE_PYTHON"},
        "helper": {"type": "system_binary", "binary": "mytool", "var": "HELPER"},
        "http_client": {
            "type": "http_config", "timeout": 5, "retries": 1, "headers": {"Content-Type": "application/json"},
        },
        "env": {"BOTH": "${RYE_PYTHON} ${HELPER}"},
    });
    let resolution = context.resolve(&env_config).unwrap();
    let vars: Vec<_> = resolution
        .interpreters
        .iter()
        .map(|interpreter| interpreter.var.as_str())
        .collect();
    assert_eq!(vars, ["RYE_PYTHON", "HELPER"]);
    // What runs the tool is the interpreter, whatever else is found after it.
    assert_eq!(resolution.interpreter().unwrap().path, python);
    assert_eq!(
        resolution.env.get("BOTH").unwrap(),
        format!("{} {}", python.display(), tool.display())
    );
    assert_eq!(
        resolution.resources["http_client"],
        json!({"timeout": 5, "retries": 1, "headers": {"Content-Type": "application/json"}})
    );
}

#[test]
fn the_mcp_http_runtime_has_settings_and_no_interpreter() {
    let resolution = Context::new().runtime("mcp_http").unwrap();
    assert!(resolution.interpreter().is_none());
    let settings = &resolution.resources["http_client"];
    assert_eq!(settings["retries"], 3);
    assert_eq!(settings["headers"]["User-Agent"], "RYE/1.0");
}

#[test]
fn left_out_search_means_project_kiwi_user_system() {
    let context = Context::new();
    let python = context.venv("project/.venv", "3.11.4");
    context.venv("home/.venv", "3.11.4");
    assert_eq!(chosen(context.find(json!({"type": "venv_python"}))), python);
}

#[test]
fn a_search_that_is_narrower_than_the_default_is_kept_to() {
    let context = Context::new();
    context.venv("project/.venv", "3.11.4");
    let user = context.venv("home/.venv", "3.11.4");
    assert_eq!(
        chosen(context.find(json!({"type": "venv_python", "search": ["user"]}))),
        user
    );
    let error =
        failure(context.find(json!({"type": "venv_python", "search": ["kiwi"], "var": "X"})));
    assert_eq!(error.code(), "resolve::interpreter_not_found");
    let tried: Vec<_> = error.tried().iter().map(|found| &found.path).collect();
    assert_eq!(tried, [&context.text("project/.ai/scripts/.venv")]);
}
