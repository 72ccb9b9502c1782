//! Calls on a machine that gives little: small files, few descriptors, few processes.
#![cfg(unix)]

use std::process::Command;

use toolroom_test::TestContext;

const HELLO: &str = "# ---\n# description: Says hello.\n# ---\necho hello\n";

fn machine() -> TestContext {
    let mut context = crate::context();
    context.set_env("PATH", toolroom_test::path());
    context.tool("hello.sh", HELLO);
    context
}

/// How a command ended that a shell started after it had set its limits.
fn limited(context: &TestContext, limits: &str, args: &str) -> (i32, String, String) {
    let toolroom = context.command::<&str>(&[]);
    let script = format!("{limits}; exec \"$0\" {args}");
    let mut command = Command::new("bash");
    command
        .args(["-c", &script])
        .arg(toolroom.get_program())
        .env_clear()
        .envs(
            toolroom
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(context.project());
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stderr);
    // Lines are broken where the terminal's are.
    let said: Vec<&str> = said.split_whitespace().collect();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        said.join(" "),
    )
}

#[test]
fn a_run_whose_log_does_not_fit_is_a_run_all_the_same() {
    let context = machine();
    assert_eq!(context.run(&["run", "hello"]).status, 0);
    let log = context.home().join(".local/state/toolroom/runs.jsonl");
    fs_err::write(&log, "\n".repeat(9000)).unwrap();
    let (status, stdout, stderr) = limited(&context, "ulimit -f 8", "run hello");
    assert_eq!((status, stdout.as_str()), (0, "hello\n"), "{stderr}");
    assert!(
        stderr.contains("note: the log of runs was not written: "),
        "{stderr}"
    );
}

/// A tool that writes too much is ended by the system as it would be without us.
#[test]
fn tools_are_ended_by_the_limit_on_files_as_ever() {
    let context = machine();
    context.tool("much.sh", "exec head -c 99999 /dev/zero > much\n");
    assert_eq!(context.run(&["run", "hello"]).status, 0);
    let (status, _, stderr) = limited(&context, "ulimit -f 50", "run much");
    assert_eq!(status, 128 + 25, "{stderr}");
}

#[test]
fn too_few_descriptors_are_named_with_what_to_do() {
    let context = machine();
    assert_eq!(context.run(&["run", "hello"]).status, 0);
    for limit in [8, 9, 10, 11, 16, 20, 31] {
        for (args, code) in [
            ("run hello", "exec::no_event_queue"),
            ("mcp serve", "mcp::no_runtime"),
            ("mcp serve --http 127.0.0.1:0", "mcp::no_runtime"),
        ] {
            let (status, _, stderr) = limited(&context, &format!("ulimit -n {limit}"), args);
            assert_eq!(status, 125, "{limit} {args}: {stderr}");
            for part in [
                code.to_owned(),
                format!("the limit on open files is {limit}, and 32 are needed"),
                "`ulimit -n 1024`".to_owned(),
            ] {
                assert!(stderr.contains(&part), "{limit} {args}: {stderr}");
            }
        }
    }
    let (status, stdout, stderr) = limited(&context, "ulimit -n 32", "run hello");
    assert_eq!((status, stdout.as_str()), (0, "hello\n"), "{stderr}");
}

/// A system that does not let a file be opened says nothing about the file.
#[test]
fn a_place_that_could_not_be_looked_at_is_not_called_broken() {
    let context = machine();
    context.tool("one.py", "def main():\n    return 1\n");
    for limit in 4..8 {
        for args in ["run one", "env python"] {
            let (status, _, stderr) = limited(&context, &format!("ulimit -n {limit}"), args);
            assert!(!stderr.contains("broken"), "{limit} {args}: {stderr}");
            assert!(
                status == 0 || stderr.contains("open files") || stderr.contains("files are open"),
                "{limit} {args}: {status} {stderr}"
            );
        }
    }
}

#[test]
fn a_launcher_that_cannot_be_written_says_why_and_what_helps() {
    let context = machine();
    let (status, _, stderr) = limited(&context, "ulimit -f 1", "run hello");
    assert_eq!(status, 125, "{stderr}");
    assert!(stderr.contains("exec::launcher_not_written"), "{stderr}");
    assert!(stderr.contains("`ulimit -f`"), "{stderr}");
    let cache = context.home().join(".cache");
    fs_err::remove_dir_all(&cache).unwrap();
    fs_err::write(&cache, "").unwrap();
    let (status, _, stderr) = limited(&context, "export TMPDIR=/none", "run hello");
    assert_eq!(status, 125, "{stderr}");
    assert!(
        stderr.contains("see that /none is there and may be written to"),
        "{stderr}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn help_and_version_that_cannot_be_written_are_an_error_as_any_answer_is() {
    let context = machine();
    for args in ["--version", "--help", "list --help", "list"] {
        let (status, _, stderr) = limited(&context, ":", &format!("{args} > /dev/full"));
        assert_eq!(status, 125, "{args}: {stderr}");
        assert!(stderr.contains("io::not_written"), "{args}: {stderr}");
    }
}

#[test]
fn a_project_is_found_by_its_path_though_the_working_directory_is_gone() {
    let context = machine();
    let gone = "mkdir gone && cd gone && rmdir ../gone";
    let project = context.project();
    let args = format!("--project '{}' run hello", project.display());
    let (status, stdout, stderr) = limited(&context, gone, &args);
    assert_eq!((status, stdout.as_str()), (0, "hello\n"), "{stderr}");
    let (status, _, stderr) = limited(&context, gone, "list");
    assert_eq!(status, 125);
    assert!(stderr.contains("--project /PATH"), "{stderr}");
}

#[test]
fn a_pipe_in_an_environments_place_is_called_one() {
    let context = machine();
    let manifest = "[project]\nname = 'p'\nversion = '1'\ndependencies = ['six']\n";
    fs_err::write(context.project().join("pyproject.toml"), manifest).unwrap();
    let (_, stdout, stderr) = limited(&context, "mkfifo .venv", "setup --plan");
    assert!(
        stdout.contains(".venv is broken: it is a pipe, a socket or a device"),
        "{stdout}{stderr}"
    );
}
