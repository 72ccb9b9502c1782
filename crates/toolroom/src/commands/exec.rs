//! `toolroom exec RUNTIME|ID -- ARGV…`: a command inside the resolved environment, in
//! place of ourselves, so that no parent stays.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use toolroom_catalog::Catalog;
use toolroom_catalog::environment::Brought;
use toolroom_catalog::secrets::Secrets;
use toolroom_exec::subprocess;
use toolroom_kernel::World;
use toolroom_kernel::resolve::{Resolution, Story};
use toolroom_provision::ready;

use super::resolved;
use crate::answer::Answer;
use crate::args::Exec;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::settings;

pub fn run(args: &Exec, world: &World, printer: &Printer) -> Result<Answer, Failure> {
    let catalog = Catalog::open(world);
    let chain = catalog.link(catalog.find_runtime(&args.name)?)?;
    let settings = settings::load(world)?;
    let brought = Brought {
        dotenv_allow: &settings.dotenv.allow,
        story: Story::UntilFound,
        ..Brought::default()
    };
    let resolution = ready::resolved(world, &catalog, &chain, brought)
        .map_err(|error| resolved::failure(error, &args.name))?;
    let told = |failure: Failure| failure.without(&Secrets::of_resolution(world, &resolution));
    let (program, rest) = command(&resolution, world, args).map_err(told)?;
    for remark in resolved::remarks(&resolution) {
        printer.note(&remark);
    }
    replace(&program, rest, &resolution).map_err(told)
}

/// What is meant: a command of the environment, or words for its interpreter.
fn command<'a>(
    resolution: &Resolution,
    world: &World,
    args: &'a Exec,
) -> Result<(PathBuf, &'a [OsString]), Failure> {
    let interpreter = resolution.interpreter().map(|found| found.path.clone());
    let (first, rest) = match args.argv.split_first() {
        Some((first, rest)) if !starts_with_dash(first) => (first, rest),
        _ => {
            let program = interpreter.ok_or_else(|| no_interpreter(&args.name))?;
            return Ok((program, &args.argv));
        }
    };
    if let Some(program) = world.which_in(resolution.env.values(), first) {
        return Ok((program, rest));
    }
    match interpreter {
        Some(program) if world.cwd.join(first).is_file() => Ok((program, &args.argv)),
        _ => Err(no_command(resolution, world, args, first)),
    }
}

/// Why a word is no command: what it means is no program, or there is nothing it could mean.
fn no_command(resolution: &Resolution, world: &World, args: &Exec, first: &OsStr) -> Failure {
    let interpreter = resolution.interpreter();
    let help = match interpreter.and_then(|found| found.path.file_stem()) {
        Some(own) => format!(
            "to give it to the interpreter, name that: toolroom exec {} -- {} {}",
            args.name,
            own.display(),
            first.display()
        ),
        None => format!("toolroom env {} --explain shows its PATH", args.name),
    };
    match world.unfit_in(resolution.env.values(), first) {
        Some(found) if found.is_dir() => {
            let message = format!("{} is a directory, not a command", found.display());
            Failure::new("exec::not_executable", message).help(help)
        }
        Some(found) => not_executable(&found, std::io::ErrorKind::PermissionDenied.into()),
        None => {
            let message = format!(
                "there is no command {} in the environment of {}",
                first.display(),
                args.name
            );
            Failure::new("exec::not_found", message).help(help)
        }
    }
}

fn not_executable(program: &Path, source: std::io::Error) -> Failure {
    let program = program.to_path_buf();
    subprocess::Error::NotExecutable { program, source }.into()
}

fn starts_with_dash(word: &OsStr) -> bool {
    word.as_encoded_bytes().first() == Some(&b'-')
}

fn no_interpreter(name: &str) -> Failure {
    Failure::new(
        "exec::no_interpreter",
        format!("{name} has no interpreter to give arguments to"),
    )
    .help("name a command after --")
}

#[cfg(unix)]
fn replace(program: &Path, args: &[OsString], resolution: &Resolution) -> Result<Answer, Failure> {
    use std::os::unix::process::CommandExt as _;
    let error = command_of(program, args, resolution).exec();
    Err(cannot_start(program, error))
}

#[cfg(not(unix))]
fn replace(program: &Path, args: &[OsString], resolution: &Resolution) -> Result<Answer, Failure> {
    let ended = command_of(program, args, resolution).status();
    let status = ended.map_err(|error| cannot_start(program, error))?;
    let code = status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1);
    let mut answer = Answer::new(String::new(), serde_json::Value::Null);
    answer.status = crate::exit::Status::Tool(code);
    Ok(answer)
}

fn command_of(program: &Path, args: &[OsString], resolution: &Resolution) -> std::process::Command {
    let mut command = std::process::Command::new(program);
    command
        .args(args)
        .env_clear()
        .envs(resolution.env.values().iter());
    command
}

fn cannot_start(program: &Path, error: std::io::Error) -> Failure {
    let code = match error.kind() {
        std::io::ErrorKind::PermissionDenied => return not_executable(program, error),
        std::io::ErrorKind::NotFound => "exec::not_found",
        _ => "exec::spawn_failed",
    };
    Failure::new(
        code,
        format!("{} cannot be started: {error}", program.display()),
    )
}
