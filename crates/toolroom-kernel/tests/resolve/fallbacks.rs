//! What is declared but cannot be found as declared.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolroom_kernel::Explain;
use toolroom_kernel::resolve::Verdict;

use crate::support::{Context, chosen, code, failure, verdict};

#[test]
fn the_fallback_is_looked_up_to_an_absolute_path() {
    let context = Context::new();
    let tool = context.executable("bin/mytool");
    let resolution = context
        .find(json!({"type": "venv_python", "search": [], "var": "X", "fallback": "mytool"}))
        .unwrap();
    let interpreter = resolution.interpreter().unwrap();
    assert_eq!(
        (&interpreter.path, interpreter.place.as_str()),
        (&tool, "fallback")
    );
    let absolute = json!({"type": "venv_python", "search": [], "fallback": tool.to_str()});
    assert_eq!(chosen(context.find(absolute)), tool);
}

#[test]
fn a_fallback_that_is_not_there_is_an_error_that_carries_what_was_tried() {
    let context = Context::new();
    let error = failure(context.find(
        json!({"type": "venv_python", "search": ["project"], "var": "X", "fallback": "mytool"}),
    ));
    assert_eq!(error.code(), "resolve::interpreter_not_found");
    assert_eq!(
        error.to_string(),
        "no interpreter for X was found by venv_python"
    );
    for end in [
        "project/.venv",
        "project/.virtualenv",
        "project/venv",
        "mytool on PATH",
    ] {
        assert!(verdict(error.tried(), end).is_some(), "{end}: {error:#?}");
    }
}

#[test]
fn an_error_carries_only_what_its_own_search_tried() {
    let context = Context::new();
    context.venv("project/.venv", "3.11.4");
    let error = failure(context.resolve(&json!({
        "first": {"type": "venv_python", "var": "ONE"},
        "second": {"type": "system_binary", "binary": "mytool", "var": "TWO"},
    })));
    let tried: Vec<_> = error.tried().iter().map(|found| &found.path).collect();
    assert_eq!(tried, ["mytool on PATH"]);
}

/// The version a user's manager is set to, with a project that asks for none.
#[test]
fn a_fallback_that_is_what_was_asked_for_is_not_said_to_be_missing() {
    let mut context = Context::new();
    let shim = "#!/bin/sh\nexec \"/x/libexec/pyenv\" exec \"$program\" \"$@\"\n";
    context.script("home/.pyenv/shims/python3", shim);
    context.prepend_path("home/.pyenv/shims");
    let real = context.executable("home/.pyenv/versions/3.11.7/bin/python3");
    context.file("home/.pyenv/version", "3.11.7\n");
    let options = json!({"type": "venv_python", "search": ["project"], "fallback": "python3"});
    let resolution = context.find(options.clone()).unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, real);
    assert!(resolution.notes.is_empty(), "{:?}", resolution.notes);

    // Another one is told of as before.
    let other = context.executable("bin/python3");
    context.file("home/.pyenv/version", "3.9.9\n");
    let resolution = context.find(options).unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, other);
    let notes = format!("{:?}", resolution.notes);
    assert!(
        notes.contains("asks for 3.9.9, which was not found"),
        "{notes}"
    );
}

#[test]
fn an_unknown_type_uses_its_fallback_and_says_so() {
    let context = Context::new();
    let tool = context.executable("bin/mytool");
    let resolution = context
        .find(json!({"type": "venv_pyhton", "var": "X", "fallback": "mytool"}))
        .unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, tool);
    assert!(
        resolution.notes[0]
            .text
            .contains("did you mean \"venv_python\""),
        "{:?}",
        resolution.notes
    );
    let resolution = context
        .find(json!({"var": "X", "fallback": "mytool"}))
        .unwrap();
    assert!(
        resolution.notes[0].text.contains("has no type"),
        "{:?}",
        resolution.notes
    );
}

#[test]
fn an_unknown_type_without_a_fallback_is_an_error_with_a_hint() {
    let context = Context::new();
    let error = failure(context.find(json!({"type": "venv_pyhton", "var": "X"})));
    assert_eq!(error.code(), "resolve::unknown_resolver");
    assert!(
        error
            .help()
            .unwrap()
            .contains("did you mean \"venv_python\"")
    );
    assert_eq!(
        code(context.find(json!({"var": "X"}))),
        "resolve::bad_env_config"
    );
}

#[test]
fn unknown_places_and_options_are_told() {
    let context = Context::new();
    context.venv("project/.venv", "3.11.4");
    let options = json!({"type": "venv_python", "search": ["projct", "project"], "serch": 1});
    let notes = context.find(options).unwrap().notes;
    assert!(
        notes.iter().any(|note| note
            .to_string()
            .contains("no place \"projct\"; did you mean \"project\"?")),
        "{notes:?}"
    );
    assert!(
        notes.iter().any(|note| note
            .to_string()
            .contains("no option \"serch\"; did you mean \"search\"?")),
        "{notes:?}"
    );
}

#[test]
fn a_resource_without_a_variable_is_the_interpreter() {
    let context = Context::new();
    let tool = context.executable("bin/mytool");
    let env = context
        .find(json!({"type": "system_binary", "binary": "mytool"}))
        .unwrap()
        .env;
    assert_eq!(env.get("INTERPRETER"), tool.to_str());
}

#[test]
fn a_binary_may_be_a_path() {
    let context = Context::new();
    let tool = context.executable("project/tools/mytool");
    assert_eq!(
        chosen(context.find(json!({"type": "system_binary", "binary": "tools/mytool"}))),
        tool
    );
    assert_eq!(
        chosen(context.find(json!({"type": "system_binary", "binary": tool.to_str()}))),
        tool
    );
}

#[test]
fn what_is_no_executable_file_is_passed_over_on_path() {
    let mut context = Context::new();
    let tool = context.executable("bin/mytool");
    context.prepend_path("one");
    context.folder("one/mytool");
    context.prepend_path("two");
    context.file("two/mytool", "text");
    context.prepend_path("three");
    context.link("/nowhere", "three/mytool");
    let resolution = context
        .find(json!({"type": "system_binary", "binary": "mytool"}))
        .unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, tool);
    let rejected = resolution
        .tried
        .iter()
        .filter(|candidate| candidate.verdict == Verdict::Rejected);
    assert_eq!(rejected.count(), 3);
}

#[test]
fn bad_declarations_are_errors_that_name_their_owner() {
    let context = Context::new();
    for env_config in [
        json!({"interpreter": "venv_python"}),
        json!({"interpreter": {"type": "venv_python", "search": 3}}),
        json!({"env": ["A=1"]}),
        json!({"env": {"A=B": "1"}}),
        json!({"env_policy": "none"}),
    ] {
        let error = failure(context.resolve(&env_config));
        assert_eq!(error.code(), "resolve::bad_env_config", "{env_config}");
        assert!(error.to_string().contains("the runtime test"), "{error}");
    }
}

#[test]
fn bad_resolvers_are_errors_that_name_the_key() {
    let mut context = Context::new();
    for (name, data, part) in [
        ("typo", json!({"plces": {}}), "unknown field `plces`"),
        (
            "two",
            json!({"places": {"project": [{"executable": "a", "which": "b"}]}}),
            "a move is one of",
        ),
        ("loop", json!({"extends": "loop"}), "it extends itself"),
        ("lost", json!({"extends": "none"}), "which is not there"),
        (
            "asks",
            json!({"places": {"project": [{"resolver": "asks"}]}}),
            "in a circle",
        ),
        (
            "hole",
            json!({"places": {"project": [{"executable": "/a/*/b/*/c"}]}}),
            "more than one *",
        ),
        (
            "name",
            json!({"places": {"project": [{"executable": "{nothing}/x"}]}}),
            "no placeholder {nothing}",
        ),
        (
            "syntax",
            json!({"places": {"project": [{"executable": "${"}]}}),
            "the template expects",
        ),
    ] {
        context.library.0.insert(name.to_owned(), data);
        let error = failure(context.find(json!({"type": name})));
        assert_eq!(error.code(), "resolve::bad_resolver", "{name}: {error}");
        assert!(error.to_string().contains(part), "{name}: {error}");
    }
}

#[test]
fn whatever_ends_the_search_the_rest_is_listed_as_not_reached() {
    let context = Context::new();
    context.venv("project/.virtualenv", "3.11.4");
    let resolution = context.python().unwrap();
    let verdicts: Vec<_> = resolution
        .tried
        .iter()
        .map(|candidate| candidate.verdict)
        .collect();
    assert_eq!(
        verdicts[..3],
        [Verdict::Absent, Verdict::Chosen, Verdict::NotReached]
    );
    assert!(
        verdicts[2..]
            .iter()
            .all(|verdict| *verdict == Verdict::NotReached)
    );
    assert_eq!(
        serde_json::to_value(&resolution.tried[2]).unwrap()["verdict"],
        "not-reached"
    );
}

const WORDS: &str = "places project environment executable which resolver with wanted file option alias names installed asked root options version marker activate set prepend PATH type var search fallback any {project}/x {version}/* ${PATH {nothing} ../.. *";

/// Documents made of the words resolvers and resources are made of.
fn documents() -> impl Strategy<Value = Value> {
    let words: Vec<&str> = WORDS.split(' ').chain([""]).collect();
    let word = prop::sample::select(words).prop_map(str::to_owned);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.clone().prop_map(Value::from)
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(word.clone(), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_data_makes_a_resolution_panic(resolver in documents(), places in documents(), resource in documents()) {
        let mut context = Context::new();
        context.library.0.insert("any".to_owned(), resolver);
        context.library.0.insert("more".to_owned(), json!({"places": {"project": [places.clone()]}, "wanted": [places]}));
        let _ = context.find(json!({"type": "any"}));
        let _ = context.find(json!({"type": "more"}));
        let _ = context.find(resource.clone());
        let _ = context.resolve(&resource);
    }
}

#[test]
fn a_variable_that_is_inherited_is_never_taken_for_what_was_not_found() {
    let mut context = Context::new();
    let evil = context.executable("evil/tool");
    context.set("X", &evil);
    let options = json!({"type": "system_binary", "binary": "tool", "var": "X"});
    assert_eq!(
        code(context.find(options)),
        "resolve::interpreter_not_found"
    );
}

#[test]
fn a_manager_of_any_tool_that_is_told_of_none_leaves_it_to_the_fallback() {
    let context = Context::new();
    let tool = context.executable("bin/mytool");
    for manager in ["asdf", "mise"] {
        let options = |fallback: &str| json!({"type": "version_manager", "manager": manager, "fallback": fallback});
        assert_eq!(chosen(context.find(options("mytool"))), tool, "{manager}");
        assert_eq!(
            code(context.find(options(""))),
            "resolve::interpreter_not_found"
        );
    }
}
