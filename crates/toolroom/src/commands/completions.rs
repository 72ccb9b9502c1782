//! `toolroom completions SHELL`: the script that teaches a shell our commands and tools.

use clap_complete::env::Shells;
use serde_json::json;

use crate::answer::Answer;
use crate::args::Completions;
use crate::failure::Failure;

pub fn run(args: &Completions) -> Result<Answer, Failure> {
    let name = args.shell.name();
    let shells = Shells::builtins();
    let shell = shells.completer(name).ok_or_else(|| {
        Failure::new("usage::unknown_shell", format!("no completions for {name}"))
    })?;
    let program = std::env::current_exe().map_err(|error| Failure::io(&error))?;
    let program = program.to_string_lossy();
    let mut script = Vec::new();
    shell
        .write_registration("COMPLETE", "toolroom", "toolroom", &program, &mut script)
        .map_err(|error| Failure::io(&error))?;
    let script = String::from_utf8_lossy(&script).into_owned();
    let data = json!({"shell": name, "script": script});
    let mut answer = Answer::new(script, data);
    answer.is_verbatim = true;
    Ok(answer)
}
