//! The order of the environment, and the origin of every value.

use serde_json::json;
use toolroom_kernel::Explain;
use toolroom_kernel::model::Role;
use toolroom_kernel::resolve::Subject;

use crate::support::{Context, failure};

#[test]
fn a_later_layer_wins_and_every_value_knows_its_origin() {
    let mut context = Context::new();
    context.executable("bin/tool");
    let names = ["A", "B", "C", "D", "E", "F", "G", "H"];
    for name in names {
        context.set(name, "process");
    }
    let lines = |names: &[&str], value: &str| {
        names
            .iter()
            .map(|name| format!("{name}={value}\n"))
            .collect::<String>()
    };
    context.file("home/.ai/.env", lines(&names[1..], "user"));
    context.file("project/.ai/.env", lines(&names[2..], "ai"));
    context.file("project/.env", lines(&names[3..], "project"));
    context.file("project/.env.local", lines(&names[4..], "local"));
    let runtime = json!({
        "env_config": {
            "interpreter": {"type": "system_binary", "binary": "tool", "var": "TOOL"},
            "env": {"F": "runtime", "G": "runtime", "H": "runtime"},
        },
    });
    let tool = json!({"config": {"env": {"G": "tool", "H": "tool"}}});
    let chain = [
        ("rt", Role::Runtime, &runtime),
        ("my/tool", Role::Tool, &tool),
    ];
    let env = context.chain(&chain, &[("H", "caller")]).unwrap().env;
    let dotenv = |file: &str, line: u32| format!("dotenv {}:{line}", context.text(file));
    let expected = [
        ("A", "process", "process".to_owned()),
        ("B", "user", dotenv("home/.ai/.env", 1)),
        ("C", "ai", dotenv("project/.ai/.env", 1)),
        ("D", "project", dotenv("project/.env", 1)),
        ("E", "local", dotenv("project/.env.local", 1)),
        ("F", "runtime", "runtime rt".to_owned()),
        ("G", "tool", "tool my/tool".to_owned()),
        ("H", "caller", "caller".to_owned()),
    ];
    for (name, value, origin) in expected {
        assert_eq!(env.get(name), Some(value), "{name}");
        assert_eq!(env.origin(name).unwrap().to_string(), origin, "{name}");
    }
    assert_eq!(env.origin("TOOL").unwrap().to_string(), "interpreter TOOL");
}

#[test]
fn several_runtimes_layer_from_the_primitive_up_and_the_tool_wins() {
    let context = Context::new();
    let lower = json!({"env_config": {"env": {"X": "lower", "Y": "lower", "BASE": "b"}}, "config": {"env": {"Z": "lower"}}});
    let upper = json!({"env_config": {"env": {"X": "upper", "Y": "upper ${X} ${BASE}"}}});
    let tool =
        json!({"env_config": {"env": {"X": "tool ${X}"}}, "config": {"env": {"Z": "${Z}+tool"}}});
    let chain = [
        ("lower", Role::Runtime, &lower),
        ("upper", Role::Runtime, &upper),
        ("t", Role::Tool, &tool),
    ];
    let env = context.chain(&chain, &[]).unwrap().env;
    assert_eq!(env.get("X"), Some("tool upper"));
    assert_eq!(env.get("Y"), Some("upper upper b"));
    assert_eq!(env.get("Z"), Some("lower+tool"));
}

#[test]
fn a_tool_refines_the_interpreter_of_its_runtime() {
    let context = Context::new();
    context.executable("home/.pyenv/versions/3.12.0/bin/python3");
    let old = context.executable("home/.pyenv/versions/3.10.1/bin/python3");
    let runtime = crate::support::core("runtimes").remove("python").unwrap();
    let tool = json!({"env_config": {"interpreter": {"version": "3.10"}}});
    let chain = [
        ("python", Role::Runtime, &runtime),
        ("t", Role::Tool, &tool),
    ];
    let resolution = context.chain(&chain, &[]).unwrap();
    assert_eq!(resolution.interpreters.len(), 1);
    assert_eq!(resolution.env.get("PROJECT_VENV_PYTHON"), old.to_str());
}

#[test]
fn another_variable_is_another_interpreter() {
    let context = Context::new();
    let one = context.executable("bin/one");
    let two = context.executable("bin/two");
    let lower = json!({"env_config": {"interpreter": {"type": "system_binary", "binary": "one", "var": "ONE"}}});
    let upper = json!({"env_config": {"interpreter": {"type": "system_binary", "binary": "two", "var": "TWO"}}});
    let chain = [
        ("lower", Role::Runtime, &lower),
        ("upper", Role::Runtime, &upper),
    ];
    let resolution = context.chain(&chain, &[]).unwrap();
    assert_eq!(resolution.env.get("ONE"), one.to_str());
    assert_eq!(resolution.interpreter().unwrap().path, two);
}

#[test]
fn values_of_every_type_become_text_and_null_unsets() {
    let mut context = Context::new();
    context.set("GONE", "x");
    let env_config = json!({"env": {
        "INT": 42, "FLOAT": 1.5, "YES": true, "NO": false, "LIST": [1, "a"], "MAP": {"k": "v"}, "TEXT": "${INT}${NOPE}",
        "GONE": null, "BRACES": "{\"a\": 1}",
    }});
    let env = context.resolve(&env_config).unwrap().env;
    for (name, value) in [
        ("INT", "42"),
        ("FLOAT", "1.5"),
        ("YES", "true"),
        ("NO", "false"),
        ("LIST", "[1,\"a\"]"),
        ("MAP", "{\"k\":\"v\"}"),
        ("TEXT", "42"),
        ("BRACES", "{\"a\": 1}"),
    ] {
        assert_eq!(env.get(name), Some(value), "{name}");
    }
    assert_eq!(env.get("GONE"), None);
    assert_eq!(env.unset().collect::<Vec<_>>(), ["GONE"]);
}

#[test]
fn a_variable_that_speaks_of_itself_sees_the_value_so_far() {
    let context = Context::new();
    let env_config = json!({"env": {"PATH": "${HOME}/bin:${PATH}", "EMPTY": "${UNSET:-d}", "HOME2": "${HOME:+set}"}});
    let env = context.resolve(&env_config).unwrap().env;
    assert_eq!(
        env.get("PATH").unwrap(),
        format!("{}:{}", context.text("home/bin"), context.text("bin"))
    );
    assert_eq!(env.get("EMPTY"), Some("d"));
    assert_eq!(env.get("HOME2"), Some("set"));
}

#[test]
fn a_variable_that_cannot_be_filled_in_is_an_error_that_names_it() {
    let context = Context::new();
    for text in ["${TOKEN:?is needed}", "${", "{no_such_fact}"] {
        let error = failure(context.resolve(&json!({"env": {"KEY": text}})));
        assert_eq!(error.code(), "resolve::bad_variable", "{text}");
        assert!(error.to_string().contains("KEY"), "{error}");
    }
    let env = context
        .resolve(&json!({"env": {"ROOT": "{project}/x"}}))
        .unwrap()
        .env;
    assert_eq!(env.get("ROOT").unwrap(), context.text("project/x"));
}

#[test]
fn what_the_process_has_is_never_expanded_again() {
    let mut context = Context::new();
    context.set("ODD", "${HOME} {project} $$");
    let env = context
        .resolve(&json!({"env": {"COPY": "${ODD}"}}))
        .unwrap()
        .env;
    assert_eq!(env.get("COPY"), Some("${HOME} {project} $$"));
}

#[test]
fn a_minimal_environment_keeps_what_its_list_names() {
    let mut context = Context::new();
    for name in ["LANG", "LC_ALL", "TMPDIR", "https_proxy", "SSL_CERT_FILE"] {
        context.set(name, "kept");
    }
    context.set("AWS_SECRET_ACCESS_KEY", "secret");
    context.file("project/.env", "DECLARED=1\n");
    let env = context
        .resolve(&json!({"env_policy": "minimal", "env": {"OWN": "1"}}))
        .unwrap()
        .env;
    for name in [
        "LANG",
        "LC_ALL",
        "TMPDIR",
        "https_proxy",
        "SSL_CERT_FILE",
        "HOME",
        "PATH",
        "DECLARED",
        "OWN",
    ] {
        assert!(env.get(name).is_some(), "{name}");
    }
    assert_eq!(env.get("AWS_SECRET_ACCESS_KEY"), None);
    let inherited = context.resolve(&json!({})).unwrap().env;
    assert_eq!(inherited.get("AWS_SECRET_ACCESS_KEY"), Some("secret"));
}

#[test]
fn a_dotenv_file_may_not_set_what_a_process_loads() {
    let mut context = Context::new();
    context.file("project/.env", "FINE=1\nLD_PRELOAD=/evil.so\nPATH=/evil\nNODE_OPTIONS=--require /evil\nPYTHONPATH=/evil\nDYLD_X=1\nBASH_ENV=/e\nRUBYOPT=-r/e\n");
    let resolution = context.resolve(&json!({})).unwrap();
    assert_eq!(resolution.env.get("FINE"), Some("1"));
    let refused: Vec<_> = resolution
        .refused
        .iter()
        .map(|refusal| refusal.name.as_str())
        .collect();
    assert_eq!(
        refused,
        [
            "LD_PRELOAD",
            "PATH",
            "NODE_OPTIONS",
            "PYTHONPATH",
            "DYLD_X",
            "BASH_ENV",
            "RUBYOPT"
        ]
    );
    assert_eq!(
        resolution.refused[0].origin.to_string(),
        format!("dotenv {}:2", context.text("project/.env"))
    );
    assert_eq!(resolution.env.get("PATH").unwrap(), context.text("bin"));
    let shown = serde_json::to_string(&resolution.refused).unwrap();
    assert!(!shown.contains("/evil"), "{shown}");
    context.dotenv_allow = vec!["PYTHONPATH".to_owned()];
    assert_eq!(
        context.resolve(&json!({})).unwrap().env.get("PYTHONPATH"),
        Some("/evil")
    );
}

#[test]
fn a_dotenv_file_never_influences_the_search() {
    let context = Context::new();
    let real = context.executable("home/.pyenv/versions/3.11.2/bin/python3");
    context.executable("evil/versions/3.12.0/bin/python3");
    let evil = context.text("evil");
    context.file(
        "project/.env",
        format!("PYENV_ROOT={evil}\nPYENV_VERSION=9.9\nHOME={evil}\nVIRTUAL_ENV={evil}\n"),
    );
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, real);
}

#[test]
fn a_bad_line_of_a_dotenv_file_is_told_without_its_value() {
    let context = Context::new();
    context.file(
        "project/.env",
        "GOOD=1\nthis is secret\nKEY=\"unclosed secret\nNEXT=2\n",
    );
    let resolution = context.resolve(&json!({})).unwrap();
    assert_eq!(resolution.env.get("GOOD"), Some("1"));
    assert_eq!(resolution.env.get("NEXT"), Some("2"));
    assert_eq!(resolution.notes.len(), 2, "{:?}", resolution.notes);
    assert!(
        resolution
            .notes
            .iter()
            .all(|note| note.to_string().contains(".env: line")
                && !note.to_string().contains("secret")),
        "{:?}",
        resolution.notes
    );
}

#[test]
fn dotenv_values_see_those_before_them_and_lower_files() {
    let context = Context::new();
    context.file("home/.ai/.env", "HOST=localhost\n");
    context.file(
        "project/.env",
        "URL=http://${HOST}:${PORT:-80}\nSAME=${URL}/x\n",
    );
    let env = context.resolve(&json!({})).unwrap().env;
    assert_eq!(env.get("SAME"), Some("http://localhost:80/x"));
}

#[test]
fn outside_of_a_project_only_the_user_file_counts() {
    let mut context = Context::new();
    context.file("home/.ai/.env", "A=user\n");
    context.file("project/.env", "B=folder\n");
    context.world.project = None;
    let env = context.resolve(&json!({})).unwrap().env;
    assert_eq!((env.get("A"), env.get("B")), (Some("user"), None));
}

#[test]
fn an_environment_is_shown_with_values_and_origins() {
    let context = Context::new();
    let env = context.resolve(&json!({"env": {"X": 1}})).unwrap().env;
    let shown = serde_json::to_value(&env).unwrap();
    assert_eq!(shown["X"], json!({"value": "1", "origin": "runtime test"}));
    assert_eq!(shown["HOME"]["origin"], "process");
}

#[test]
fn values_that_are_not_utf8_are_passed_on_whole() {
    use std::os::unix::ffi::OsStrExt;
    let mut context = Context::new();
    let odd = std::ffi::OsStr::from_bytes(b"a\xFFb");
    context.set("ODD", odd);
    assert_eq!(
        context.resolve(&json!({})).unwrap().env.get_os("ODD"),
        Some(odd)
    );
}

#[test]
fn a_dotenv_file_may_not_move_the_places_code_is_loaded_from() {
    let context = Context::new();
    let refused = [
        "HOME",
        "USERPROFILE",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "OPENSSL_CONF",
        "OPENSSL_MODULES",
        "PYTHONPYCACHEPREFIX",
        "PYTHONWARNINGS",
        "NPM_CONFIG_SCRIPT_SHELL",
        "SHELL",
        "BROWSER",
    ];
    let taken = [
        "PYTHONUNBUFFERED",
        "PYTHONDONTWRITEBYTECODE",
        "NODE_ENV",
        "ENV",
        "SSL_CERT_FILE",
        "HOMEPAGE",
        "BUNDLE_ID",
    ];
    let lines = refused.iter().chain(&taken);
    let text: String = lines.map(|name| format!("{name}=/evil\n")).collect();
    context.file("project/.env", text);
    let resolution = context.resolve(&json!({})).unwrap();
    let names: Vec<_> = resolution
        .refused
        .iter()
        .map(|refusal| &refusal.name)
        .collect();
    assert_eq!(names, refused);
    assert_eq!(resolution.env.get("HOME").unwrap(), context.text("home"));
    for name in taken {
        assert_eq!(resolution.env.get(name), Some("/evil"), "{name}");
    }
}

#[test]
fn a_bad_byte_costs_a_dotenv_file_one_entry() {
    let context = Context::new();
    context.file("project/.env", b"A=\xff\nB=ok\n");
    let resolution = context.resolve(&json!({})).unwrap();
    assert_eq!(resolution.env.get("A"), None);
    assert_eq!(resolution.env.get("B"), Some("ok"));
    let [note] = &resolution.notes[..] else {
        panic!("{:?}", resolution.notes)
    };
    assert_eq!(note.about, Subject::Dotenv);
    assert_eq!(
        note.text,
        format!(
            "{}: line 1 (A): the value has bytes that are not text",
            context.text("project/.env")
        )
    );
    assert_eq!(note.fix.as_deref(), Some("save the file as UTF-8"));
}

#[test]
fn a_minimal_environment_has_the_proxy_without_its_password() {
    let mut context = Context::new();
    let table = [
        (
            "http_proxy",
            "http://me:hunter2@proxy:8080",
            "http://proxy:8080",
        ),
        (
            "HTTPS_PROXY",
            "http://me:p@ss@proxy/x@y",
            "http://proxy/x@y",
        ),
        ("all_proxy", "me:hunter2@proxy:1080", "proxy:1080"),
        ("no_proxy", "a@b,c", "a@b,c"),
        ("https_proxy", "http://proxy:8080", "http://proxy:8080"),
    ];
    for (name, value, _) in table {
        context.set(name, value);
    }
    let minimal = context.resolve(&json!({"env_policy": "minimal"})).unwrap();
    for (name, _, expected) in table {
        assert_eq!(minimal.env.get(name), Some(expected), "{name}");
    }
    assert_eq!(minimal.notes.len(), 3, "{:?}", minimal.notes);
    assert!(
        minimal
            .notes
            .iter()
            .all(|note| !note.to_string().contains("hunter2"))
    );
    let inherited = context.resolve(&json!({})).unwrap();
    for (name, value, _) in table {
        assert_eq!(inherited.env.get(name), Some(value), "{name}");
    }
    assert!(inherited.notes.is_empty());
}

#[test]
fn a_declared_order_is_the_order_values_see_each_other_in() {
    let context = Context::new();
    let env = context
        .resolve(&json!({"env": {"Z": "1", "M": "${Z}2", "A": "${M}3", "B": "${LATE:-none}", "LATE": "x"}}))
        .unwrap()
        .env;
    assert_eq!(env.get("A"), Some("123"));
    assert_eq!(env.get("B"), Some("none"));
}
