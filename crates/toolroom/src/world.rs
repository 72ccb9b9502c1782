//! Builds the `World` from the process. The only place that reads the environment, the
//! working directory and the clock.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use etcetera::BaseStrategy as _;
use toolroom_catalog::space::discover_project;
use toolroom_kernel::model::Environ;
use toolroom_kernel::{Directories, Os, World};

use crate::failure::Failure;

/// The variable that names a project where no option does.
const PROJECT: &str = "TOOLROOM_PROJECT";

/// Looks at the process, and finds the project the call is about.
///
/// # Errors
/// Fails if there is no working directory, or none where the project was said to be.
pub fn of_process(project: Option<&Path>) -> Result<World, Failure> {
    let env: Environ = std::env::vars_os().collect();
    let cwd = working_directory(project, &env)?;
    let home = home(&env);
    let user_space = match env.get_os("TOOLROOM_USER_SPACE") {
        Some(path) if !path.is_empty() => Some(absolute(&cwd, Path::new(path))),
        _ => home.as_ref().map(|home| home.join(".ai")),
    };
    let wanted = env.get_os(PROJECT).filter(|path| !path.is_empty());
    let project = match (project, wanted) {
        (Some(path), _) => Some(named_project(&cwd, "--project", path)?),
        (None, Some(path)) => Some(named_project(&cwd, PROJECT, Path::new(path))?),
        (None, None) => discover_project(&cwd, home.as_deref(), user_space.as_deref()),
    };
    Ok(World {
        directories: home.as_ref().and_then(|_| directories()),
        os: Os::current(),
        now: SystemTime::now(),
        env,
        cwd,
        home,
        user_space,
        project,
    })
}

/// Where we are. A directory that is gone is needed only by those who name no project, or
/// name one from there.
fn working_directory(project: Option<&Path>, env: &Environ) -> Result<PathBuf, Failure> {
    let error = match std::env::current_dir() {
        Ok(cwd) => return Ok(cwd),
        Err(error) => error,
    };
    let named = project.or_else(|| env.get_os(PROJECT).map(Path::new));
    match named {
        Some(project) if project.is_absolute() => Ok(project.to_path_buf()),
        _ => {
            let message = format!("the working directory cannot be read: {error}");
            let help = "go to a directory that is there, or name a project: --project /PATH";
            Err(Failure::new("io::no_working_directory", message).help(help))
        }
    }
}

fn home(env: &Environ) -> Option<PathBuf> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    env.get_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute() && !is_no_folder(path))
}

/// Services are given `/dev/null` as a home: nothing is in it, and nothing can be.
fn is_no_folder(home: &Path) -> bool {
    fs_err::metadata(home).is_ok_and(|found| !found.is_dir())
}

fn directories() -> Option<Directories> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(Directories {
        config: base.config_dir().join("toolroom"),
        cache: base.cache_dir().join("toolroom"),
        state: base
            .state_dir()
            .unwrap_or_else(|| base.data_dir())
            .join("toolroom"),
    })
}

fn named_project(cwd: &Path, by: &str, path: &Path) -> Result<PathBuf, Failure> {
    let path = absolute(cwd, path);
    if path.is_dir() {
        return Ok(path);
    }
    let message = format!("{by} names no directory: {}", path.display());
    let help = "name a directory that is there, or make a project first: toolroom init DIR";
    Err(Failure::new("usage::no_project", message).help(help))
}

/// The project, for what is about nothing else.
///
/// # Errors
/// Fails where there is none; `other` says what could be done without one.
pub fn project<'w>(world: &'w World, other: &str) -> Result<&'w Path, Failure> {
    world.project.as_deref().ok_or_else(|| {
        Failure::new("usage::no_project", "there is no project here")
            .help(format!("{other}make a project: toolroom init"))
    })
}

fn absolute(cwd: &Path, path: &Path) -> PathBuf {
    let joined = cwd.join(path);
    // Lexical, so that a link in the path stays what the user wrote.
    std::path::absolute(&joined).unwrap_or(joined)
}
