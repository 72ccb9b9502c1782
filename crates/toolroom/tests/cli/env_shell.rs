//! `env --shell`, evaluated by the shells themselves: every value arrives to the byte, and
//! nothing in one is ever run.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::process::Command;

use toolroom_test::TestContext;

use crate::context;

/// A shell, what it is called by `--shell`, and how people evaluate in it.
struct Shell {
    program: PathBuf,
    name: &'static str,
    script: &'static str,
}

const POSIX: &str = r#"eval "$("$TOOLROOM" env odd --shell "$SHELL_NAME")"; env -0"#;
const FISH: &str = r#""$TOOLROOM" env odd --shell "$SHELL_NAME" | source; env -0"#;

/// Every shell there is; `sh` understands what is written for bash.
fn shells() -> Vec<Shell> {
    let known = [
        ("bash", "bash", POSIX),
        ("dash", "bash", POSIX),
        ("zsh", "zsh", POSIX),
        ("fish", "fish", FISH),
    ];
    let found = known.into_iter().filter_map(|(program, name, script)| {
        Some(Shell {
            program: toolroom_test::program(program)?,
            name,
            script,
        })
    });
    found.collect()
}

impl Shell {
    /// What a program that the shell starts afterwards has in its environment, and what
    /// was said on the way.
    fn evaluated(&self, context: &TestContext) -> (BTreeMap<OsString, OsString>, String) {
        let ours = context.command::<&str>(&[]);
        let mut shell = Command::new(&self.program);
        // A person's own settings are no part of this.
        if self.name == "fish" {
            shell.arg("--no-config");
        }
        shell.args(["-c", self.script]).env_clear();
        for (name, value) in ours.get_envs() {
            shell.env(name, value.unwrap_or_default());
        }
        shell
            .env("TOOLROOM", ours.get_program())
            .env("SHELL_NAME", self.name)
            .env("PYTHONHOME", "/nope")
            .current_dir(ours.get_current_dir().unwrap());
        let output = shell.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let variables = output.stdout.split(|byte| *byte == 0);
        let pairs = variables.filter_map(|variable| {
            let at = variable.iter().position(|byte| *byte == b'=')?;
            let (name, value) = variable.split_at(at);
            let owned = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
            Some((owned(name), owned(&value[1..])))
        });
        (pairs.collect(), said)
    }
}

/// A tool with these variables, as YAML that means them to the letter.
fn odd(context: &TestContext, variables: &[(&str, &str)]) {
    let variables: BTreeMap<_, _> = variables
        .iter()
        .map(|(name, value)| (name, value.replace('$', "$$")))
        .collect();
    let tool = serde_json::json!({
        "tool_type": "shell", "executor_id": "bash", "config": {"command": "true"},
        "env_config": {"env": variables},
    });
    context.tool("odd.yaml", tool.to_string());
}

#[test]
fn every_value_arrives_as_it_is() {
    let values = [
        ("QUOTES", "it's \"so\" \u{2018}or\u{2019} '' \"\" '"),
        ("BREAKS", "\na\n\nb\r\n\n"),
        ("DOLLARS", "$HOME ${HOME} $(touch ran) `touch ran` $ $$"),
        ("SLASHES", r"\ \\ \n \' a\"),
        ("BANGS", "! !! !x ^a^b"),
        ("ALIEN", "é 漢 🦀 \u{a0}\u{202e}"),
        ("EMPTY", ""),
        ("GLOBS", "* ? [a] ~ ~/x {a,b} =ls"),
        ("SIGNS", " ; touch ran & | < > ( ) # % \t\u{1b}[1m "),
        ("DASH", "-n"),
        ("LIST_PATH", ":a:b::c d:"),
    ];
    let context = context();
    odd(&context, &values);
    for shell in shells() {
        let (got, said) = shell.evaluated(&context);
        let program = shell.program.display();
        for (name, value) in values {
            let got = got.get(OsStr::new(name)).map(OsString::as_os_str);
            assert_eq!(got, Some(OsStr::new(value)), "{name} in {program}: {said}");
        }
        assert_eq!(said, "", "{program}");
    }
    assert!(!context.project().join("ran").exists());
}

/// What a project's dotenv file calls a variable must not end the evaluation, become
/// another user, lose PATH or be run by the prompt.
#[test]
fn what_is_a_shells_own_is_left_alone_and_told() {
    let own = [
        "UID", "PPID", "path", "status", "version", "PS1", "IFS", "fish_pid",
    ];
    let variables: Vec<_> = own
        .into_iter()
        .chain(["ZZZ_LAST"])
        .map(|name| (name, "7"))
        .collect();
    let context = context();
    odd(&context, &variables);
    for shell in shells() {
        let (got, said) = shell.evaluated(&context);
        let program = shell.program.display();
        let has = |name: &str| got.contains_key(OsStr::new(name));
        assert!(has("ZZZ_LAST"), "{program}: {said}");
        assert!(!said.contains("read"), "{program}: {said}");
        let told = said.matches("note: ").count();
        assert_eq!(said.lines().count(), told, "{program}: {said}");
        assert_eq!(told, own.iter().filter(|name| !has(name)).count(), "{said}");
        assert!(told >= 3, "{program}: {said}");
    }
}

#[test]
fn bytes_that_are_no_text_arrive_too() {
    let mut context = context();
    crate::env::venv(&context, ".venv");
    context.tool("odd.py", "def main(): ...\n");
    let bytes = b":/a\xff'\xc3 b".as_slice();
    let usual = toolroom_test::usual_path(&[]);
    let path = [usual.as_bytes(), bytes].concat();
    context.set_env("PATH", OsStr::from_bytes(&path));
    for shell in shells() {
        // What there is for bytes in POSIX, dash has not.
        if shell.program.ends_with("dash") {
            continue;
        }
        let (got, said) = shell.evaluated(&context);
        let got = got[OsStr::new("PATH")].as_bytes();
        assert!(got.ends_with(&path), "{}: {got:?}: {said}", shell.name);
        assert!(got.len() > path.len(), "{}: {said}", shell.name);
    }
    // PowerShell has no word for them: the variable stays as it is, and that is said.
    let output = context.run(&["env", "odd", "--shell", "pwsh"]);
    assert!(!output.stdout.contains("$Env:PATH"), "{output}");
    assert!(output.stderr.contains("PATH"), "{output}");
}

#[test]
fn an_environment_is_entered_whatever_its_folder_is_called() {
    let mut context = context();
    let project = "it's (a) \"dir\" $HOME é";
    context.enter(project);
    let folder = context.project().join(project);
    fs_err::create_dir_all(folder.join(".ai/tools")).unwrap();
    crate::env::venv(&context, &format!("{project}/.venv"));
    context.file(
        format!("{project}/.env"),
        "ODD='a'\\''b $x `y`'\nPLAIN=1\nTOKEN=secret\n",
    );
    context.file(format!("{project}/.ai/tools/odd.py"), "def main(): ...\n");
    for shell in shells() {
        let (got, said) = shell.evaluated(&context);
        let of = |name: &str| got.get(OsStr::new(name)).cloned();
        assert_eq!(
            of("VIRTUAL_ENV"),
            Some(folder.join(".venv").into()),
            "{said}"
        );
        assert_eq!(of("TOKEN"), Some("secret".into()));
        assert_eq!(of("PYTHONHOME"), None, "{}", shell.program.display());
        let path = of("PATH").unwrap();
        let first = std::env::split_paths(&path).next();
        assert_eq!(first, Some(folder.join(".venv/bin")));
    }
}
