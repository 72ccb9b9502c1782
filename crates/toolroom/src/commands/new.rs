//! `toolroom new ID`: a tool that runs at once, from its runtime's template.

use std::path::Path;

use serde_json::{Map, Value, json};
use toolroom_catalog::Catalog;
use toolroom_catalog::space::{PROJECT_SPACE, TOOLS};
use toolroom_kernel::World;
use toolroom_kernel::model::{Role, ToolId, field};

use super::init::create;
use crate::answer::Answer;
use crate::args::New;
use crate::failure::Failure;
use crate::output::{flags, paths, style, words};

pub fn run(args: &New, world: &World) -> Result<Answer, Failure> {
    let id = ToolId::parse(&args.id)?;
    if id
        .as_str()
        .split('/')
        .any(|part| part.starts_with(['_', '.']))
    {
        let message =
            format!("{id} would not be a tool: names that begin with _ or . are left alone");
        return Err(Failure::new("catalog::invalid_id", message).help("choose another name"));
    }
    let Some(project) = &world.project else {
        return Err(Failure::new(
            "catalog::no_project",
            "there is no project here to put a tool into",
        )
        .help("toolroom init makes one"));
    };
    if !args.from_mcp.is_empty() {
        return super::mcp::import::run(&id, args, project, world);
    }
    let catalog = Catalog::open(world);
    let runtime = catalog.find_runtime(&args.runtime)?;
    let template = runtime.object("template");
    let (Some(extension), Some(body)) = (text(template, "extension"), text(template, "body"))
    else {
        let message = format!(
            "{} is {} and has no template for new tools",
            runtime.id,
            runtime.type_in_words()
        );
        let failure = Failure::new("catalog::no_template", message);
        return Err(match runtime.role() {
            Role::Runtime => failure
                .help("write the file by hand, or add template: {extension, body} to the runtime"),
            _ => failure.help("toolroom list --runtimes shows what can run a tool"),
        });
    };
    let id = without_extension(id, extension)?;
    if let Ok(existing) = catalog.find(id.as_str()) {
        let message = format!(
            "{id} exists already: {}",
            paths::shown(world, &existing.path)
        );
        return Err(Failure::new("catalog::tool_exists", message).help("choose another id"));
    }
    let tools = project.join(PROJECT_SPACE).join(TOOLS);
    let file = tools.join(format!("{id}{extension}"));
    stays_inside(&tools, &file)?;
    if !create(&file, &body.replace("@NAME@", id.name()))? {
        let message = format!("there is a file already: {}", paths::shown(world, &file));
        return Err(Failure::new("catalog::tool_exists", message).help("choose another id"));
    }
    make_executable(&file)?;
    let made = format!("{} {}\n", style::good("made"), paths::shown(world, &file));
    let data = json!({"id": id, "path": file.to_string_lossy(), "runtime": runtime.id});
    let next = match text(template, "first") {
        Some(first) => first.to_owned(),
        None => call(&catalog, &id),
    };
    Ok(Answer::new(made, data).note(format!("next: {next}")))
}

/// The id of who wrote the file's name: `foo.py` would be the tool `foo.py` in `foo.py.py`.
fn without_extension(id: ToolId, extension: &str) -> Result<ToolId, Failure> {
    match id.as_str().strip_suffix(extension) {
        Some(stem) if !stem.is_empty() && !stem.ends_with('/') => Ok(ToolId::parse(stem)?),
        _ => Ok(id),
    }
}

/// The command that calls a new tool, with what it cannot do without.
fn call(catalog: &Catalog, id: &ToolId) -> String {
    let mut call = format!("toolroom run {}", words::quoted(id.as_str()));
    if let Ok(tool) = catalog.find(id.as_str())
        && let Some(schema) = tool.metadata.get(field::INPUT_SCHEMA)
    {
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            let kind = flags::kind(&schema["properties"][name]);
            call.push_str(&format!(" --{name} {kind}"));
        }
    }
    call
}

fn text<'t>(template: Option<&'t Map<String, Value>>, key: &str) -> Option<&'t str> {
    template?.get(key)?.as_str()
}

/// Nothing is written through a link that leads out of the space.
fn stays_inside(tools: &Path, file: &Path) -> Result<(), Failure> {
    let existing = file.ancestors().skip(1).find(|folder| folder.exists());
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let leaves = existing
        .is_some_and(|folder| folder.starts_with(tools) && !real(folder).starts_with(real(tools)));
    if leaves {
        let message = format!(
            "{} lies behind a link that leads out of its space",
            file.display()
        );
        return Err(Failure::new("catalog::leaves_space", message).help("choose another folder"));
    }
    Ok(())
}

/// A tool with a first line that names its interpreter can be started by hand, too.
#[cfg(unix)]
fn make_executable(file: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt as _;
    let starts_with_interpreter = fs_err::read(file).is_ok_and(|bytes| bytes.starts_with(b"#!"));
    if !starts_with_interpreter {
        return Ok(());
    }
    let mode = std::fs::Permissions::from_mode(0o755);
    fs_err::set_permissions(file, mode).map_err(|error| Failure::io(&error))
}

#[cfg(not(unix))]
fn make_executable(_file: &Path) -> Result<(), Failure> {
    Ok(())
}
