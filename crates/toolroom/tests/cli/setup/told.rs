//! What a person is told while environments are prepared, and by the guide.

use std::process::Stdio;

use toolroom_test::TestContext;

use super::faults::{journal, wait_until, with_stuck_uv};
use super::registry::{serve_wheels, wheels, with_index};
use super::{bytes_of, frozen, venv, with_uv};

#[test]
fn counts_and_sizes_are_told_where_the_installer_tells_them() {
    let Some(probe) = with_uv() else { return };
    let folder = probe.root().join("wheels");
    if !wheels(&folder) {
        return toolroom_test::skip("python3");
    }
    let server = serve_wheels(folder);
    let Some(context) = with_index(&server) else {
        return;
    };
    context.file("requirements.txt", "large-one\nwhole-one\n");
    let run = context.run(&["setup"]);
    assert_eq!(run.status, 0, "{run}");
    let told = run.stderr.lines().last().unwrap_or_default();
    assert_eq!(
        told, "project (python_venv): 2 of 2 packages, 3.0 MiB",
        "{run}"
    );
}

#[test]
fn a_terminal_sees_a_bar_and_nothing_of_it_is_left() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six\nidna\n");
    let setup = context.command(&["setup", "--yes"]);
    let program = setup.get_program().to_str().unwrap();
    let mut terminal = std::process::Command::new("script");
    terminal
        .args(["-qec", &format!("{program} setup --yes"), "/dev/null"])
        .env_clear()
        .envs(
            setup
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(context.project())
        .stdin(Stdio::null());
    let Ok(output) = terminal.output() else {
        return toolroom_test::skip("script");
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("2 of 2 packages"), "{text}");
    assert!(text.contains("████"), "{text}");
    let after = text.rsplit("\u{1b}[J").next().unwrap_or_default();
    assert!(
        after.contains("created .venv") && !after.contains('█'),
        "{text}"
    );
}

#[test]
fn one_who_waits_is_told_for_whom() {
    let Some(mut context) = with_stuck_uv("pip") else {
        return;
    };
    context.file("requirements.txt", "six\n");
    let stuck = context.root().join("stuck");
    context.set_env("PATH", toolroom_test::usual_path(&[stuck]));
    let start = |context: &TestContext| {
        let mut command = context.command(&["setup"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut first = start(&context);
    wait_until("the first one begins", || {
        journal(&context).contains("\"pip\"")
    });
    let second = start(&context);
    let locks = || {
        fs_err::read_dir(format!("/proc/{}/fd", second.id())).map_or(0, |files| {
            files
                .flatten()
                .filter(|file| {
                    fs_err::read_link(file.path())
                        .is_ok_and(|path| path.extension().is_some_and(|name| name == "lock"))
                })
                .count()
        })
    };
    wait_until("the second one waits", || locks() > 0);
    std::thread::sleep(std::time::Duration::from_millis(200));
    let holder = first.id();
    // No interrupt: what a script starts in the background is born deaf to it.
    let stop = |id: u32| {
        std::process::Command::new("kill")
            .args(["-TERM", &id.to_string()])
            .status()
            .unwrap()
    };
    stop(second.id());
    let output = second.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        text.contains(&format!(
            "waiting for process {holder}, which is preparing it"
        )),
        "{text}"
    );
    stop(holder);
    first.wait().unwrap();
}

#[test]
fn an_interrupt_during_a_change_puts_a_users_environment_back() {
    // The packages are there when it is interrupted: uv has done its work and does not end.
    let Some(mut context) = with_uv() else { return };
    let real = toolroom_test::tools().join("uv/bin/uv");
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *uninstall*) exec {0} \"$@\";; *pip*) {0} \"$@\"; touch \"$HOME/installed\"; sleep 600;; esac\nexec {0} \"$@\"\n",
        real.display()
    );
    context.executable(context.root().join("slow/uv"), script);
    context.file("requirements.txt", "six\nidna\n");
    let theirs = venv(&context, ".venv", &["six==1.16.0"]);
    let before = bytes_of(&theirs);
    let path = format!("{}:/usr/bin:/bin", context.root().join("slow").display());
    context.set_env("PATH", path);
    let mut setup = context
        .command(&["setup"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the packages are there", || {
        context.home().join("installed").exists()
    });
    assert_eq!(frozen(&context, &theirs).len(), 2);
    let id = setup.id().to_string();
    std::process::Command::new("kill")
        .args(["-INT", &id])
        .status()
        .unwrap();
    assert_eq!(setup.wait().unwrap().code(), Some(130));
    assert_eq!(bytes_of(&theirs), before);
}

#[test]
fn where_uv_cannot_make_an_environment_python_itself_does() {
    let Some(mut context) = with_uv() else { return };
    let Some(python) = super::faults::python_with_pip() else {
        return toolroom_test::skip("Python with ensurepip");
    };
    context.executable(
        context.root().join("broken/uv"),
        "#!/bin/sh\necho out of order >&2\nexit 101\n",
    );
    let path = format!(
        "{}:{}:/usr/bin:/bin",
        context.root().join("broken").display(),
        python.parent().unwrap().display()
    );
    context.set_env("PATH", path);
    context.file("requirements.txt", "six==1.16.0\n");
    let done = super::plan(&context, &[]);
    assert_eq!(done["applied"], true, "{done:#}");
    assert!(
        done["commands"][0].to_string().contains("\"venv\""),
        "{done:#}"
    );
    let installed = frozen(&context, &context.project().join(".venv"));
    assert!(
        installed.contains(&"six==1.16.0".to_owned()),
        "{installed:?}"
    );
}

/// What the guide says that a scenario prints.
fn shown(number: usize) -> String {
    let guide = include_str!("../../../../../docs/guide/environments.md");
    let mark = format!("# {number}\n");
    let start = guide.find(&mark).expect("the scenario is in the guide") + mark.len();
    let end = guide[start..]
        .find("\n\n")
        .map_or(guide.len(), |end| start + end);
    let text = guide[start..end].trim_end_matches("```").trim_end();
    text.to_owned()
}

/// What it prints here, with the guide's words for what differs from machine to machine.
fn printed(context: &TestContext) -> String {
    let text = context.run(&["setup", "-q"]).stdout;
    let global = text.lines().find_map(|line| {
        line.split_once("there is only the global ")?
            .1
            .split_once(", which")
            .map(|(global, _)| global.to_owned())
    });
    let text = match global {
        Some(global) => text.replace(
            &global,
            "Python 3.11.7 at ~/.pyenv/versions/3.11.7/bin/python3",
        ),
        None => text,
    };
    let text = text.replace(", and the system guards its packages", "");
    text.replace("[PROJECT]", "/work/canvas")
        .replace("project project's", "project canvas's")
        .trim_end()
        .to_owned()
}

#[test]
fn the_guide_shows_what_the_six_scenarios_print() {
    for number in 1..=6 {
        let Some(mut context) = with_uv() else { return };
        let (requirements, packages): (&str, Option<&[&str]>) = match number {
            1 => ("six>=1.16\n", None),
            2 | 5 => ("six>=1.16\n", Some(&["six"])),
            3 => (
                "six>=1.15\nidna>=3\n",
                Some(&["six==1.16.0", "packaging==24.0"]),
            ),
            _ => ("pluggy>=1.5\n", Some(&["pluggy==0.13.1"])),
        };
        if let Some(packages) = packages {
            venv(&context, ".venv", packages);
        }
        if number < 5 {
            context.file("requirements.txt", requirements);
        } else {
            fs_err::create_dir(context.project().join(".git")).unwrap();
            context.enter("embedded");
            fs_err::create_dir_all(context.project().join("embedded/.ai/tools")).unwrap();
            context.file("embedded/requirements.txt", requirements);
        }
        context.remove_env("COLUMNS");
        assert_eq!(printed(&context), shown(number), "scenario {number}");
    }
}

#[test]
fn a_tool_that_nothing_can_run_is_told_and_keeps_the_others_from_nothing() {
    let context = crate::context();
    context.tool("good.py", "def main(): ...\n");
    let fine = context.run(&["setup"]);
    assert_eq!(
        (fine.status, fine.stdout.as_str()),
        (0, "nothing is required here\n")
    );
    context.tool("odd.yaml", "executor_id: nope_runtime\ndescription: Odd.\n");
    context.tool("torn.yaml", "executor_id: [http\n");
    context.user_tool("theirs.yaml", "executor_id: [http\n");
    for args in [&["setup"][..], &["setup", "--plan"], &["setup", "--quiet"]] {
        let told = context.run(args);
        assert_eq!(told.status, 125, "{told}");
        assert_eq!(told.stdout, "");
        for part in [
            "catalog::unknown_executor",
            "catalog::syntax",
            "odd.yaml:1:1",
            "torn.yaml:",
        ] {
            assert!(told.stderr.contains(part), "{part}: {told}");
        }
        assert!(!told.stderr.contains("theirs.yaml"), "{told}");
    }
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "catalog::unknown_executor");
    assert_eq!(error["failures"].as_array().unwrap().len(), 2);
    let all = context.error(&["setup", "--all"]);
    assert_eq!(all["failures"].as_array().unwrap().len(), 3);
    context.file("requirements.txt", "# nothing yet\n");
    let planned = context.error(&["setup", "--plan"]);
    assert_eq!(planned["plans"][0]["target"], "project", "{planned}");
}

#[test]
fn a_file_that_a_planned_command_reads_and_nobody_wrote_yet_is_named() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "idna>=3\n");
    venv(&context, ".venv", &["six"]);
    let planned = super::plan(&context, &["--plan"]);
    let file = planned["constraints"].as_str().unwrap();
    assert!(planned["commands"].to_string().contains(file), "{planned}");
    let file = context.home().join(file.trim_start_matches("[HOME]/"));
    assert!(!file.exists(), "a plan changes nothing");
    let run = context.run(&["setup", "--plan"]);
    let lines = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = "is written first, with what is installed and its versions";
    assert!(lines.contains(told), "{run}");
    let run = context.run(&["setup"]);
    assert!(!run.stdout.contains("is written first"), "{run}");
    assert!(file.is_file());
}
