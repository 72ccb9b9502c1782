//! `toolroom mcp`: tools for agents.

mod config;
mod headers;
pub mod import;
mod install;
mod remove;
mod serve;
mod target;

use toolroom_kernel::World;

use crate::answer::Answer;
use crate::args::{Mcp, McpCommand};
use crate::failure::Failure;
use crate::printer::Printer;

pub fn run(args: Mcp, world: World, printer: &mut Printer) -> Result<Answer, Failure> {
    match args.command {
        McpCommand::Serve(args) => serve::run(args, world, printer),
        McpCommand::Config(args) => config::run(&args, &world, printer),
        McpCommand::Install(args) => install::run(&args, &world),
        McpCommand::Remove(args) => remove::run(&args, &world),
    }
}
