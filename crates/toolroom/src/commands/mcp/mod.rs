//! `toolroom mcp`: tools for agents.

mod serve;

use toolroom_kernel::World;

use crate::answer::Answer;
use crate::args::{Mcp, McpCommand};
use crate::failure::Failure;
use crate::printer::Printer;

pub fn run(args: Mcp, world: World, printer: &mut Printer) -> Result<Answer, Failure> {
    match args.command {
        McpCommand::Serve(args) => serve::run(args, world, printer),
    }
}
