//! Asks before something is changed, where there is someone to ask.
//!
//! Without a terminal only what reaches beyond the project needs `--yes`: an interpreter
//! that would be fetched.

use std::io::{BufRead as _, IsTerminal as _};

use toolroom_kernel::World;
use toolroom_provision::ProvisionError;
use toolroom_provision::plan::Plan;

use super::render;
use crate::failure::Failure;
use crate::printer::Printer;

/// Whether the plans may be carried out.
pub fn consents(
    world: &World,
    planned: &[Result<Plan, ProvisionError>],
    printer: &Printer,
) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() || printer.json {
        let fetches = planned.iter().flatten().find(|plan| plan.needs_consent);
        return match fetches {
            None => Ok(true),
            Some(plan) => {
                let message = format!(
                    "the environment of {} needs an interpreter that would be fetched",
                    plan.target.name()
                );
                Err(Failure::new("provision::needs_consent", message)
                    .help("toolroom setup --yes fetches it; --plan shows the command"))
            }
        };
    }
    printer.note(&render::tree(world, planned, printer.talk_width()));
    printer.note("Go on? [Y/n]");
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Failure::io(&error))?;
    Ok(matches!(
        line.trim().to_lowercase().as_str(),
        "" | "y" | "yes"
    ))
}
