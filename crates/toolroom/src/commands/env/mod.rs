//! `toolroom env RUNTIME|ID`: the environment a call would get, and why it is so.

mod explain;
mod shell;

use serde_json::{Map, Value, json};
use toolroom_catalog::Catalog;
use toolroom_catalog::secrets::{Secrets, declared};
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::resolve::{Origin, Resolution};

use super::resolved;
use crate::answer::Answer;
use crate::args::Env;
use crate::failure::Failure;
use crate::output::snippet;
use crate::printer::Printer;
use crate::settings;

pub fn run(args: &Env, world: &World, printer: &Printer) -> Result<Answer, Failure> {
    let catalog = Catalog::open(world);
    let chain = catalog.link(catalog.find_runtime(&args.name)?)?;
    let settings = settings::load(world)?;
    let resolution =
        resolved::environment(world, &catalog, &chain, &settings).map_err(|error| {
            if !args.explain {
                return resolved::failure(error, &args.name);
            }
            let story = explain::Page {
                world,
                width: printer.talk_width().map(snippet::room),
            };
            let story = story.tried(error.tried());
            let mut failure = resolved::told(error);
            // Programs have it as data.
            if !printer.json && !story.is_empty() {
                let story = anstream::adapter::strip_str(&story).to_string();
                failure.causes.push(format!("tried, in order\n{story}"));
            }
            failure
        })?;
    let mut left_out = Vec::new();
    let text = match (args.shell, args.explain) {
        (Some(shell), _) => {
            let script = shell::script(shell, &resolution);
            left_out = script.left_out;
            script.text
        }
        (None, true) => {
            let width = printer.width();
            explain::Page { world, width }.tree(&chain, &resolution)
        }
        (None, false) => plain(world, &resolution),
    };
    let mut answer = Answer::new(text, data(world, &chain, &resolution));
    answer.is_verbatim = args.shell.is_some();
    let left_out = left_out.iter();
    answer.notes.extend(left_out.map(|name| {
        format!("note: {name} is left out: it is the shell's own, or the shell can have no such name or value")
    }));
    if !args.explain {
        answer.notes.extend(resolved::remarks(&resolution));
    }
    Ok(answer)
}

/// What differs from the caller's own environment, as `NAME=value`.
fn plain(world: &World, resolution: &Resolution) -> String {
    let secrets = Secrets::of_resolution(world, resolution);
    let changed = resolution
        .env
        .iter()
        .filter(|(_, _, origin)| **origin != Origin::Process);
    changed
        .map(|(name, value, _)| format!("{}={}\n", name.display(), secrets.shown(name, value)))
        .collect()
}

fn data(world: &World, chain: &Chain, resolution: &Resolution) -> Value {
    let secrets = Secrets::of_resolution(world, resolution);
    let runtime = chain
        .links()
        .iter()
        .find(|link| link.role() == toolroom_kernel::model::Role::Runtime);
    let env: Map<String, Value> = resolution
        .env
        .iter()
        .map(|(name, value, origin)| {
            let shown = secrets.shown(name, value);
            (
                name.to_string_lossy().into_owned(),
                json!({"value": shown, "origin": origin}),
            )
        })
        .collect();
    let mut resources = Value::Object(resolution.resources.clone());
    declared::hide_in("resources", &mut resources, &secrets);
    json!({
        "runtime": runtime.map(|runtime| &runtime.id),
        "interpreter": resolution.interpreter(),
        "interpreters": resolution.interpreters,
        "env": env,
        "unset": resolution.env.unset().collect::<Vec<_>>(),
        "tried": resolution.tried,
        "refused": resolution.refused,
        "notes": resolution.notes,
        "resources": resources,
    })
}
