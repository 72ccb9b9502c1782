//! `completions`: shells learn the commands, and the names of tools.

use crate::context;

#[test]
fn every_shell_gets_a_script() {
    let context = context();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = context.run(&["completions", shell]);
        assert_eq!(output.status, 0);
        assert!(output.stdout.contains("toolroom"), "{shell}: {output}");
    }
    assert_eq!(context.run(&["completions", "tcsh"]).status, 2);
}

#[test]
fn powershell_may_be_called_by_either_of_its_names() {
    let context = context();
    for command in [&["completions"][..], &["env", "bash", "--shell"]] {
        let [one, other] =
            ["pwsh", "powershell"].map(|shell| context.run(&[command, &[shell]].concat()));
        assert_eq!((one.status, other.status), (0, 0), "{other}");
        assert_eq!(one.stdout, other.stdout);
    }
}

#[test]
fn tool_names_are_completed() {
    let mut context = context();
    context.tool("web/fetch.py", "\"\"\"Fetches.\"\"\"\n");
    context.set_env("COMPLETE", "fish");
    let output = context.run(&["--", "toolroom", "show", "web"]);
    assert!(output.stdout.contains("web/fetch"), "{output}");
}

#[test]
fn the_bash_script_is_valid() {
    let context = context();
    let script = context.run(&["completions", "bash"]).stdout;
    let file = context.file("completion.bash", script);
    let checked = std::process::Command::new("bash")
        .arg("-n")
        .arg(file)
        .status()
        .unwrap();
    assert!(checked.success());
}
