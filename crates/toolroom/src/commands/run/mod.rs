//! `toolroom run ID`: calls a tool and reports what it gave.

mod flags;
mod help;
mod live;
mod report;

use std::io::IsTerminal as _;
use std::path::PathBuf;

use toolroom_catalog::Catalog;
use toolroom_exec::executor::{self, Request, Watch, parameters, prepare};
use toolroom_exec::subprocess::{Cancel, Guard};
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::{Role, field};

use self::flags::Flags;
use crate::GUARD;
use crate::answer::Answer;
use crate::args::{Global, Run};
use crate::failure::Failure;
use crate::printer::{Printer, Volume};
use crate::settings;

pub fn run(args: Run, global: &Global, printer: &mut Printer) -> Result<Answer, Failure> {
    let mut flags = Flags::parse(args.rest)?;
    let Some(id) = args.id.filter(|id| id != "--help" && id != "-h") else {
        return Ok(help::general());
    };
    flags.apply(printer);
    let project = flags.project.as_ref().or(global.project.as_ref());
    let world = crate::world::of_process(project.map(PathBuf::as_path))?;
    let catalog = Catalog::open(&world);
    let tool = catalog.find(&id)?;
    if flags.help {
        return Ok(help::of_tool(&tool, printer.width()));
    }
    if tool.role() != Role::Tool {
        let message = format!("{} is a {}, not a tool to run", tool.id, tool.tool_type());
        return Err(Failure::new("exec::not_a_tool", message).help(format!("toolroom exec {id} -- … runs a command in its environment")));
    }
    let chain = catalog.link(tool)?;
    call(&world, &catalog, &chain, flags, printer)
}

fn call(world: &World, catalog: &Catalog, chain: &Chain, flags: Flags, printer: &Printer) -> Result<Answer, Failure> {
    let schema = chain.tool().metadata.get(field::INPUT_SCHEMA);
    let settings = settings::load(world)?;
    let Flags { env, timeout, given, params, .. } = flags;
    let params = params::read(params)?;
    let given = params.into_iter().chain(given::with_flags(given, schema)?).collect();
    let params = parameters::values(given, schema);
    let prepared = prepare(&Request {
        world,
        catalog,
        chain,
        params: &params,
        env: &env,
        timeout,
        dotenv_allow: &settings.dotenv.allow,
        preferred: &[],
    })?;
    let cancel = Cancel::new();
    let live = (!printer.json).then(|| live::listener(prepared.style.returns(), printer));
    let report = executor::run(
        &prepared,
        &Watch {
            guard: &guard()?,
            cancel: &cancel,
            live,
            spill: world.directories.as_ref().map(|directories| directories.cache.join("output")),
        },
    )?;
    if printer.volume > Volume::Quiet {
        for note in &prepared.resolution.notes {
            printer.note(&format!("note: {note}"));
        }
    }
    Ok(report::answer(&report, chain, &prepared, std::io::stdout().is_terminal()))
}

use self::flags::{given, params};

/// Our own binary, told to guard a tree of processes.
fn guard() -> Result<Guard, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::io(&error))?;
    Ok(Guard {
        program,
        args: vec![GUARD.into()],
    })
}
