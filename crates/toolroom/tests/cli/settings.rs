//! Settings: what the reference says is what the program takes.

use std::collections::BTreeSet;
use std::path::Path;

use toolroom_test::TestContext;

use crate::context;

const PAGE: &str = include_str!("../../../../docs/reference/settings.md");

/// The keys that may stand below `table`, as the program tells of one that may not.
fn keys(context: &TestContext, table: &str) -> Vec<String> {
    context.file("toolroom.toml", format!("{table}\nno_such_key = 1\n"));
    let error = context.error(&["preset", "list"]);
    assert_eq!(error["code"], "settings::invalid", "{error}");
    let message = error["message"].as_str().unwrap();
    let (_, expected) = message.split_once("expected").unwrap();
    let quoted = expected.split('`').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

#[test]
fn every_setting_is_on_its_page() {
    let context = context();
    let sections = keys(&context, "");
    assert!(sections.len() >= 5, "{sections:?}");
    for section in &sections {
        // A table of any other name there is a preset's.
        let keys = match section.as_str() {
            "presets" => vec!["use".to_owned(), "NAME".to_owned()],
            _ => keys(&context, &format!("[{section}]")),
        };
        assert!(!keys.is_empty(), "{section}");
        for key in keys {
            let row = format!("| `{section}.{key}` |");
            assert!(PAGE.contains(&row), "the page has no {section}.{key}");
        }
    }
}

#[test]
fn the_example_on_the_page_is_accepted() {
    let context = context();
    let (_, example) = PAGE.split_once("```toml\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    context.file("toolroom.toml", example);
    assert_eq!(context.run(&["preset", "list"]).status, 0);
}

#[test]
fn every_variable_of_our_own_is_on_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut named = BTreeSet::new();
    for folder in ["core", "crates"] {
        collect(&root.join(folder), &mut named);
    }
    assert!(named.contains("TOOLROOM_PROJECT"), "{named:?}");
    for name in named {
        assert!(
            PAGE.contains(&format!("`{name}`")),
            "the page has no {name}"
        );
    }
}

/// Every `TOOLROOM_…` in the sources; tests have some of their own.
fn collect(folder: &Path, named: &mut BTreeSet<String>) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["tests", "toolroom-test", "benches"].contains(&name.as_str()) {
                collect(&path, named);
            }
            continue;
        }
        let Ok(text) = fs_err::read_to_string(&path) else {
            continue;
        };
        for (at, prefix) in text.match_indices("TOOLROOM_") {
            let rest = &text[at + prefix.len()..];
            let is_name = |c: char| c.is_ascii_uppercase() || c == '_';
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            if length > 0 {
                named.insert(format!("{prefix}{}", &rest[..length]));
            }
        }
    }
}

#[test]
fn the_projects_file_is_laid_over_the_users_and_a_variable_over_both() {
    let mut context = context();
    context.file(".ai/tools/t.sh", "# Tells.\necho \"$LD_PRELOAD\"\n");
    context.file(".env", "LD_AUDIT=a\nLD_PRELOAD=b\n");
    let refused = |context: &TestContext| -> Vec<String> {
        let data = context.data(&["env", "t"]);
        let refused = data["refused"].as_array().unwrap().iter();
        refused
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(refused(&context), ["LD_AUDIT", "LD_PRELOAD"]);
    let user = context.home().join(".config/toolroom/config.toml");
    fs_err::create_dir_all(user.parent().unwrap()).unwrap();
    fs_err::write(&user, "[dotenv]\nallow = [\"LD_AUDIT\"]\n").unwrap();
    assert_eq!(refused(&context), ["LD_PRELOAD"]);
    context.file("toolroom.toml", "[dotenv]\nallow = [\"LD_PRELOAD\"]\n");
    assert_eq!(refused(&context), ["LD_AUDIT"]);
    context.set_env("TOOLROOM_DOTENV_ALLOW", "LD_PRELOAD, LD_AUDIT");
    assert!(refused(&context).is_empty());
}

#[test]
fn wrong_settings_are_among_the_problems_of_a_listing_and_hide_no_tool() {
    let context = context();
    context.tool("here.py", "def main(): ...\n");
    context.file("toolroom.toml", "[runs]\nlog = true\nlgo = 1\n");
    let output = context.run(&["list"]);
    assert_eq!(output.status, 0);
    assert!(output.stdout.starts_with("here "), "{output}");
    assert!(
        output.stderr.contains("error[settings::invalid]"),
        "{output}"
    );
    assert!(output.stderr.contains("toolroom.toml:3:1"), "{output}");
    let data = context.data(&["list"]);
    assert_eq!(data["tools"][0]["id"], "here");
    let problem = &data["problems"][0];
    assert_eq!(problem["code"], "settings::invalid");
    assert_eq!(problem["path"], "[PROJECT]/toolroom.toml");
    assert_eq!(
        (&problem["line"], &problem["column"]),
        (&3.into(), &1.into())
    );
}

#[test]
fn every_setting_can_come_from_a_variable_by_its_name() {
    let mut context = context();
    context.tool("a/one.sh", "echo\n");
    context.file("toolroom.toml", "[runs]\nlog = true\n");
    context.set_env("TOOLROOM_RUNS_LOG", "false");
    context.set_env("TOOLROOM_MCP_TOOLS", "a/* b/*");
    assert_eq!(context.run(&["run", "a/one"]).status, 0);
    assert_eq!(context.data(&["runs"])["runs"].as_array().unwrap().len(), 0);
    context.set_env("TOOLROOM_RUNS_LOG", "");
    assert_eq!(context.run(&["run", "a/one"]).status, 0);
    assert_eq!(context.data(&["runs"])["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn a_variable_that_its_setting_does_not_take_is_named() {
    for (name, value, expected) in [
        ("TOOLROOM_RUNS_LOG", "maybe", "expected a boolean"),
        ("TOOLROOM_MCP_CONCURRENCY", "-1", "`-1`"),
        (
            "TOOLROOM_PYTHON_ENVIRONMENT_CONFLICT_TOLERANCE",
            "lax",
            "expected `strict` or `lenient`",
        ),
    ] {
        let mut context = context();
        context.set_env(name, value);
        let error = context.error(&["preset", "list"]);
        assert_eq!(error["code"], "settings::invalid", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("{name}: ")), "{message}");
        assert!(message.contains(expected), "{message}");
        let checks = context.data(&["doctor"])["checks"].to_string();
        assert!(
            checks.contains(message.split('"').next().unwrap()),
            "{checks}"
        );
    }
}

#[test]
fn a_variable_names_the_project_and_an_option_goes_before_it() {
    let mut context = context();
    context.tool("here.py", "def main(): ...\n");
    let there = context.root().join("there");
    fs_err::create_dir_all(there.join(".ai/tools")).unwrap();
    fs_err::write(there.join(".ai/tools/there.py"), "def main(): ...\n").unwrap();
    let (here, there) = (context.project(), there.to_str().unwrap().to_owned());
    let first = |context: &TestContext, args: &[&str]| {
        let data = context.data(&[&["list"], args].concat());
        data["tools"][0]["id"].as_str().unwrap().to_owned()
    };
    context.set_env("TOOLROOM_PROJECT", &there);
    assert_eq!(first(&context, &[]), "there");
    let option = ["--project", here.to_str().unwrap()];
    assert_eq!(first(&context, &option), "here");
    context.set_env("TOOLROOM_PROJECT", "");
    assert_eq!(first(&context, &[]), "here");
    context.set_env("TOOLROOM_PROJECT", "no/such/folder");
    let error = context.error(&["list"]);
    assert_eq!(error["code"], "usage::no_project");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.starts_with("TOOLROOM_PROJECT names no"),
        "{message}"
    );
}
