//! Packages that are required: what `setup` would refuse or install is told, what nobody can
//! know is no alarm, and nothing is started to find out.

use toolroom_test::TestContext;

use super::{told, venv};

/// Tells that it was started.
const TRAP: &str = "#!/bin/sh\ntouch \"$HOME/started\"\n";
const SETUP: &str = "`toolroom setup` puts it right, and `toolroom setup --plan` shows how";

/// A project on a machine with these programs and a Python, none of which must be started.
fn with(programs: &[&str]) -> TestContext {
    let mut context = crate::context();
    let folder = context.root().join("bin");
    for program in programs.iter().chain(&["python3"]) {
        context.executable(folder.join(program), TRAP);
    }
    context.set_env("PATH", folder);
    context.remove_env("COLUMNS");
    context
}

/// What is told of packages, by a doctor who started nothing.
fn packages(context: &TestContext) -> Vec<String> {
    let told = told(context, "packages");
    assert!(!context.home().join("started").exists());
    told
}

fn install(context: &TestContext, environment: &str, name: &str, version: &str) {
    let site = format!("{environment}/lib/python3.11/site-packages");
    context.file(
        format!("{site}/{name}-{version}.dist-info/METADATA"),
        format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"),
    );
}

#[test]
fn a_manifest_that_cannot_be_read_is_a_failure_with_its_line() {
    let context = with(&["npm"]);
    context.file("pyproject.toml", "[project\n");
    context.file("package.json", "{\"dependencies\":");
    assert_eq!(
        packages(&context),
        [
            "fail: project (npm_dependencies): what is required cannot be read; package.json:1: EOF while parsing a value at line 1 column 16 → correct what it names; `toolroom setup --plan` looks again",
            "fail: project (python_venv): what is required cannot be read; pyproject.toml:1: unclosed table, expected `]` → correct what it names; `toolroom setup --plan` looks again",
        ]
    );
}

#[test]
fn lockfiles_of_several_package_managers_are_a_failure() {
    let context = with(&["npm", "yarn"]);
    context.file("package.json", "{\"dependencies\": {\"left-pad\": \"1\"}}");
    context.file("package-lock.json", "{}");
    context.file("yarn.lock", "");
    assert_eq!(
        packages(&context),
        [
            "fail: [PROJECT] has the lockfiles of several package managers: package-lock.json, yarn.lock → say which one is meant, such as \"packageManager\": \"npm@…\", or delete the others' lockfiles"
        ]
    );
}

#[test]
fn what_is_required_and_not_there_is_told_until_it_is() {
    let context = with(&["npm"]);
    context.file("requirements.txt", "six>=1.16\n");
    let missing = format!("warn: project (python_venv): missing: six>=1.16 → {SETUP}");
    assert_eq!(packages(&context), [missing.as_str()]);
    venv(&context, ".venv");
    let site = context.project().join(".venv/lib/python3.11/site-packages");
    fs_err::create_dir_all(site).unwrap();
    assert_eq!(packages(&context), [missing.as_str()]);
    install(&context, ".venv", "six", "1.10.0");
    assert_eq!(
        packages(&context),
        [format!(
            "warn: project (python_venv): six 1.10.0 is there, but six>=1.16 is required → {SETUP}"
        )]
    );
    context.file("requirements.txt", "six>=1.10\n");
    assert_eq!(packages(&context), [""; 0]);
    let doctor = context.run(&["doctor"]);
    let told = "packages    project (python_venv): .venv has the one package that is required\n";
    assert!(doctor.stdout.contains(told), "{doctor}");
    context.file("package.json", "{\"dependencies\": {\"left-pad\": \"1\"}}");
    assert_eq!(
        packages(&context),
        [format!(
            "warn: project (npm_dependencies): missing: left-pad 1 → {SETUP}"
        )]
    );
}

#[test]
fn a_tool_that_is_not_prepared_is_told_unless_its_first_run_prepares_it() {
    let context = with(&[]);
    let declared = "# /// script\n# dependencies = [\"six>=1.16\"]\n# ///\ndef main(): ...\n";
    context.tool("alone.py", "def main(): ...\n");
    context.tool(
        "odd.py",
        "CONFIG = {\"env_setup\": {\"type\": \"nope\"}}\ndef main(): ...\n",
    );
    context.tool(
        "itself.py",
        format!("{declared}CONFIG = {{\"env_setup\": {{\"create\": True}}}}\n"),
    );
    context.tool("needs/it.py", declared);
    let told = packages(&context);
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(
        told[0],
        "warn: needs/it (python_venv): missing: six>=1.16 → `toolroom setup needs/it` puts it right, and `toolroom setup needs/it --plan` shows how"
    );
    assert!(
        told[1].starts_with("fail: there is no manager called nope, which odd asks for → "),
        "{told:?}"
    );
}

#[test]
fn a_tool_whose_extractor_calls_requirements_otherwise_is_looked_at_too() {
    let context = with(&[]);
    context.tool(
        "extractors/mine.yaml",
        "tool_type: extractor\nextends: extractors/python\ndescription: x\nextensions: [.pyx]\nrules:\n  requires: {type: ast_var, name: needs}\n",
    );
    context.tool("first.pyx", "def main(): ...\n");
    context.tool("it.pyx", "needs = [\"six\"]\ndef main(): ...\n");
    let told = packages(&context);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("warn: it (python_venv): missing: six → "));
}

#[test]
fn what_only_its_own_program_could_tell_is_no_alarm_and_a_missing_program_is() {
    let mut context = with(&["go"]);
    context.file("go.mod", "module x\n\nrequire example.com/y v1.0.0\n");
    assert_eq!(packages(&context), [""; 0]);
    let doctor = context.run(&["doctor"]);
    let told = "project (go_modules): whether they are installed only setup can see\n";
    assert!(doctor.stdout.contains(told), "{doctor}");
    context.set_env("PATH", "/nowhere");
    assert_eq!(
        packages(&context),
        ["warn: no program of the manager go_modules is there: go → install go"]
    );
}

#[test]
fn a_parents_environment_that_has_all_is_told_until_tools_run_there() {
    let mut context = with(&[]);
    fs_err::create_dir(context.project().join(".git")).unwrap();
    venv(&context, ".venv");
    install(&context, ".venv", "six", "1.16.0");
    context.enter("embedded");
    fs_err::create_dir_all(context.project().join("embedded/.ai/tools")).unwrap();
    context.file("embedded/requirements.txt", "six\n");
    assert_eq!(
        packages(&context),
        [format!(
            "warn: project (python_venv): the parent project project's .venv has the one package that is required, but tools do not run there yet → {SETUP}"
        )]
    );
    assert_eq!(context.run(&["setup"]).status, 0);
    assert_eq!(packages(&context), [""; 0]);
}
