//! One file a command: arguments in, an answer out.

mod completions;
mod doctor;
mod env;
mod exec;
mod init;
mod list;
mod mcp;
mod new;
mod preset;
mod resolved;
mod run;
mod runs;
mod search;
mod setup;
mod show;

use toolroom_catalog::secrets::Secrets;
use toolroom_kernel::World;

use crate::answer::Answer;
use crate::args::{Command, Global};
use crate::failure::Failure;
use crate::printer::Printer;
use crate::world;

/// Does what the command line asks for.
///
/// # Errors
/// Says why it cannot be done.
pub fn run(command: Command, global: &Global, printer: &mut Printer) -> Result<Answer, Failure> {
    if let Command::Run(args) = command {
        return run::run(args, global, printer);
    }
    let world = world::of_process(global.project.as_deref())?;
    in_world(command, &world, printer)
        .map_err(|failure| failure.without(&Secrets::of(world.env.iter())))
}

fn in_world(command: Command, world: &World, printer: &mut Printer) -> Result<Answer, Failure> {
    match command {
        Command::Init(args) => init::run(&args, world),
        Command::New(args) => new::run(&args, world),
        Command::List(args) => Ok(list::run(&args, world, printer)),
        Command::Search(args) => Ok(search::run(&args, world, printer)),
        Command::Show(args) => show::run(&args, world, printer),
        Command::Run(_) => Err(Failure::new("usage::bad_arguments", "run takes an id")),
        Command::Env(args) => env::run(&args, world, printer),
        Command::Setup(args) => setup::run(&args, world, printer),
        Command::Preset(args) => preset::run(&args, world, printer),
        Command::Doctor => doctor::run(world, printer),
        Command::Runs(args) => Ok(runs::run(&args, world, printer)),
        Command::Exec(args) => exec::run(&args, world, printer),
        Command::Mcp(args) => mcp::run(args, world.clone(), printer),
        Command::Completions(args) => completions::run(&args),
    }
}
