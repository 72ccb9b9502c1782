//! The helper where there are guards.

use std::process::ExitCode;

use toolroom_exec::subprocess::{Cancel, Command, Guard, Supervision, guard, run_blocking};

pub(crate) fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let word = args.next();
    match word.as_deref().and_then(|word| word.to_str()) {
        Some("guard") => guard::main(),
        Some(how @ ("run" | "fork")) => {
            let Some(program) = args.next() else {
                return ExitCode::from(2);
            };
            let mut command = Command::new(program, "/");
            command.args = args.collect();
            command.env = std::env::vars_os().collect();
            let mut guard = Guard::new("/proc/self/exe", ["guard".into()]);
            if how == "fork" {
                guard = guard.forked();
            }
            let outcome = run_blocking(&command, &Supervision::new(), &guard, &Cancel::new());
            match outcome {
                Ok(outcome) if outcome.success() => ExitCode::SUCCESS,
                Ok(_) | Err(_) => ExitCode::FAILURE,
            }
        }
        _ => ExitCode::from(2),
    }
}
