//! The helper where there are guards.

use std::io::Write as _;
use std::process::ExitCode;

use toolroom_exec::subprocess::{Cancel, Command, Guard, Supervision, guard, run_blocking};

pub(crate) fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let word = args.next();
    match word.as_deref().and_then(|word| word.to_str()) {
        Some("guard") => guard::main(),
        Some(how @ ("run" | "fork" | "garrison")) => {
            let Some(program) = args.next() else {
                return ExitCode::from(2);
            };
            let mut command = Command::new(program, "/");
            command.args = args.collect();
            command.env = std::env::vars_os().collect();
            let mut guard = Guard::new("/proc/self/exe", ["guard".into()]);
            let times = match how {
                "garrison" => {
                    guard = guard.garrisoned();
                    3
                }
                "fork" => {
                    guard = guard.forked();
                    1
                }
                _ => 1,
            };
            for _ in 0..times {
                let outcome = run_blocking(&command, &Supervision::new(), &guard, &Cancel::new());
                match outcome {
                    Ok(outcome) if outcome.success() => {
                        let _ = std::io::stdout().write_all(&outcome.stdout.bytes());
                    }
                    Ok(_) | Err(_) => return ExitCode::FAILURE,
                }
            }
            ExitCode::SUCCESS
        }
        _ => ExitCode::from(2),
    }
}
