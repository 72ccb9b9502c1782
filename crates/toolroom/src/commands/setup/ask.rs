//! Asks before something is changed, where there is someone to ask.
//!
//! Without a terminal only what reaches beyond the project needs `--yes`: an interpreter
//! that would be fetched, or packages for an environment that is not the project's.

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
        let asked = |plan: &Plan| Some((plan.target.name(), plan.needs_consent.clone()?));
        return match planned.iter().flatten().find_map(asked) {
            None => Ok(true),
            Some((name, what)) => {
                let message = format!("the environment of {name} needs {what}");
                Err(Failure::new("provision::needs_consent", message)
                    .help("toolroom setup --yes does it; --plan shows the command"))
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
