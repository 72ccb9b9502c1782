//! `toolroom run ID`: calls a tool and reports what it gave.

mod flags;
mod help;
mod live;
mod report;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::mem::ManuallyDrop;

use toolroom_catalog::Catalog;
use toolroom_catalog::environment::Brought;
use toolroom_exec::executor::{self, Request, Watch, parameters, prepare};
use toolroom_exec::runs::{self, Caller, Run};
use toolroom_exec::subprocess::Cancel;
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::{Role, field};
use toolroom_provision::apply::Applying;
use toolroom_provision::ready::{self, Ready};

use self::flags::{Flags, given, params};
pub use self::flags::{seconds, usage};
use self::report::Reader;
use super::resolved;
use super::setup::{self, Bars};
use crate::answer::Answer;
use crate::args::{self, Global};
use crate::failure::Failure;
use crate::guard::guard;
use crate::printer::Printer;
use crate::settings::{self, Settings};

pub fn run(args: args::Run, global: &Global, printer: &mut Printer) -> Result<Answer, Failure> {
    let words: Vec<OsString> = args
        .id
        .into_iter()
        .chain(with_separator(args.rest))
        .collect();
    // A wrong word is told as the right ones around it ask for.
    printer.json |= words
        .iter()
        .take_while(|word| *word != "--")
        .any(|word| word == "--json");
    let flags = Flags::parse(words, global.clone())?;
    *printer = Printer::of(&flags.global);
    let id = match flags.id.clone() {
        Some(id) => id,
        None if flags.help => return Ok(help::general()),
        None => {
            let failure = Failure::new("usage::bad_arguments", "run needs the id of a tool");
            return Err(
                failure.help("toolroom list shows what there is; toolroom run --help says more")
            );
        }
    };
    let world = crate::world::of_process(flags.global.project.as_deref())?;
    // The process ends with the call; to give back piece by piece what it read is work for nothing.
    let catalog = ManuallyDrop::new(Catalog::open(&world));
    let tool = catalog.find_to_run(&id)?;
    if flags.help {
        return Ok(help::of_tool(&tool, printer.width()));
    }
    if tool.role() != Role::Tool {
        let message = format!("{} is {}, not a tool to run", tool.id, tool.type_in_words());
        let help = match tool.role() {
            Role::Runtime => format!("toolroom exec {id} -- … runs a command in its environment"),
            _ => "toolroom list shows the tools there are".to_owned(),
        };
        return Err(Failure::new("exec::not_a_tool", message).help(help));
    }
    let chain = ManuallyDrop::new(catalog.link(tool)?);
    let env = flags.env.clone();
    call(&world, &catalog, &chain, flags, printer).map_err(|failure| {
        let brought = Brought {
            env: &env,
            ..Brought::default()
        };
        failure.without(&resolved::secrets(&world, &catalog, &chain, brought))
    })
}

/// The words after the first, with the `--` back that the parser takes for its own where it
/// comes first.
fn with_separator(rest: Vec<OsString>) -> Vec<OsString> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let before = words
        .len()
        .checked_sub(rest.len() + 1)
        .and_then(|at| words.get(at));
    let was_taken = before.is_some_and(|word| word == "--") && words.ends_with(&rest);
    was_taken
        .then(|| "--".into())
        .into_iter()
        .chain(rest)
        .collect()
}

fn call(
    world: &World,
    catalog: &Catalog,
    chain: &Chain,
    flags: Flags,
    printer: &Printer,
) -> Result<Answer, Failure> {
    let schema = chain.tool().metadata.get(field::INPUT_SCHEMA);
    let settings = settings::load(world)?;
    let Flags {
        env,
        timeout,
        given,
        params,
        frozen,
        ..
    } = flags;
    let ready = environment(world, catalog, chain, &settings, frozen, printer)?;
    let params = params::read(params)?;
    let given = params
        .into_iter()
        .chain(given::with_flags(given, schema)?)
        .collect();
    let params = parameters::values(given, schema).map_err(executor::ExecError::from)?;
    let prepared = prepare(&Request {
        world,
        catalog,
        chain,
        source: None,
        params: &params,
        env: &env,
        timeout,
        dotenv_allow: &settings.dotenv.allow,
        preferred: &ready.preferred,
        setup: ready.setup.as_ref(),
    })?;
    let cancel = Cancel::new();
    let (live, unwritten) = live::listener(prepared.returns(), printer, &cancel);
    let report = executor::run(
        &prepared,
        &Watch {
            guard: &guard()?,
            cancel: &cancel,
            live: (!printer.json).then_some(live),
            // What is shown while it comes is kept by whoever looks at it.
            spill: world
                .directories
                .as_ref()
                .filter(|_| printer.json)
                .map(|directories| directories.cache.join("output")),
        },
    )?;
    if settings.runs.log
        && let Some(directories) = &world.directories
    {
        let names = params.keys().map(String::as_str);
        let run = Run::begin(Caller::Cli, world.now, chain, names).ended(&report);
        // A log that cannot be written is no reason to fail a run that succeeded.
        if let Err(error) = runs::append(&directories.state, &run)
            && runs::is_short_of_room(&error)
        {
            printer.note(&format!("note: the log of runs was not written: {error}"));
        }
    }
    for remark in resolved::remarks(&prepared.resolution) {
        printer.note(&remark);
    }
    let reader = match (printer.json, std::io::stdout().is_terminal()) {
        (true, _) => Reader::Program,
        (false, true) => Reader::Person,
        (false, false) => Reader::Pipe,
    };
    let mut answer = report::answer(report, world, chain, &prepared, reader);
    answer.is_verbatim = true;
    match unwritten.get() {
        Some(error) => report::unwritten(error, answer),
        None => Ok(answer),
    }
}

/// What the tool is to run in, made first where its runtime says so. This is no part of
/// the tool's own time.
fn environment(
    world: &World,
    catalog: &Catalog,
    chain: &Chain,
    settings: &Settings,
    frozen: bool,
    printer: &Printer,
) -> Result<Ready, Failure> {
    let how = Applying {
        planner: setup::planner(world, catalog, settings, false),
        guard: &guard()?,
        cancel: &Cancel::new(),
        progress: &Bars::new(printer),
        offline: false,
    };
    Ok(ready::ensure(&how, chain, frozen)?)
}
