//! `toolroom init [DIR]`: a project with a first tool, without touching what is there.

use std::path::Path;

use serde_json::json;
use toolroom_kernel::World;

use crate::answer::Answer;
use crate::args::Init;
use crate::failure::Failure;
use crate::output::{paths, style, words};

const HELLO: &str = include_str!("../../assets/hello.py");
const SETTINGS: &str = include_str!("../../assets/toolroom.toml");

pub fn run(args: &Init, world: &World) -> Result<Answer, Failure> {
    let directory = match &args.directory {
        Some(directory) => world.cwd.join(directory),
        None => world.cwd.clone(),
    };
    let mut created = Vec::new();
    let mut kept = Vec::new();
    for (name, content) in [("toolroom.toml", SETTINGS), (".ai/tools/hello.py", HELLO)] {
        let file = directory.join(name);
        if create(&file, content)? {
            created.push(file);
        } else {
            kept.push(file);
        }
    }
    let mut text = String::new();
    for file in &created {
        text.push_str(&format!(
            "{} {}\n",
            style::good("made"),
            paths::shown(world, file)
        ));
    }
    for file in &kept {
        text.push_str(&format!(
            "{} {}\n",
            style::faint("kept"),
            paths::shown(world, file)
        ));
    }
    let shown = |files: &[std::path::PathBuf]| -> Vec<String> {
        files
            .iter()
            .map(|file| file.to_string_lossy().into_owned())
            .collect()
    };
    let data = json!({
        "project": directory.to_string_lossy(),
        "created": shown(&created),
        "kept": shown(&kept),
    });
    let next = match &args.directory {
        Some(directory) => {
            let directory = directory.to_string_lossy();
            format!(
                "cd {} && toolroom run hello --name World",
                words::quoted(&directory)
            )
        }
        None => "toolroom run hello --name World".to_owned(),
    };
    Ok(Answer::new(text, data).note(format!("next: {next}")))
}

/// Writes a file that is not there yet; says whether it did.
pub fn create(file: &Path, content: &str) -> Result<bool, Failure> {
    use std::io::Write as _;
    let folder = file.parent().unwrap_or(file);
    let failed = |error: std::io::Error| {
        let folder = folder.display();
        let help =
            format!("see that {folder} is a directory, or can be one, and may be written to");
        Failure::io(&error).help(help)
    };
    fs_err::create_dir_all(folder).map_err(failed)?;
    match fs_err::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(file)
    {
        Ok(mut open) => {
            open.write_all(content.as_bytes()).map_err(failed)?;
            Ok(true)
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed(error)),
    }
}
