//! `toolroom show ID`: what a tool says of itself, and what would run it.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolroom_catalog::Catalog;
use toolroom_catalog::listing::short_name;
use toolroom_catalog::secrets::{Secrets, declared};
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::{Role, Tool, field};

use crate::answer::Answer;
use crate::args::Show;
use crate::failure::Failure;
use crate::output::table::{self, Cell};
use crate::output::{flags, paths, style};
use crate::printer::Printer;

pub fn run(args: &Show, world: &World, printer: &Printer) -> Result<Answer, Failure> {
    let catalog = Catalog::open(world);
    let tool = catalog.find(&args.id)?;
    let chain = match tool.role() {
        Role::Tool | Role::Runtime | Role::Primitive => Some(catalog.link(tool.clone())?),
        _ => None,
    };
    let tool = without_secrets(world, tool);
    let text = text(world, &tool, chain.as_ref(), printer.width());
    Ok(Answer::new(text, data(&tool, chain.as_ref())))
}

/// The tool as it may be shown. Nothing is resolved for it, so that a tool whose environment
/// is broken can be shown: the secrets are the world's, and those it spells out itself.
fn without_secrets(world: &World, mut tool: Tool) -> Tool {
    let secrets = Secrets::of(world.env.iter()).and(declared::values(&tool.metadata));
    declared::hide(&mut tool.metadata, &secrets);
    tool
}

fn data(tool: &Tool, chain: Option<&Chain>) -> Value {
    let schema = |name: &str| tool.metadata.get(name).cloned().unwrap_or(Value::Null);
    let mut metadata = tool.metadata.clone();
    metadata.shift_remove(field::INPUT_SCHEMA);
    metadata.shift_remove(field::OUTPUT_SCHEMA);
    json!({
        "id": tool.id,
        "space": tool.space,
        "path": tool.path.to_string_lossy(),
        "metadata": metadata,
        "input_schema": schema(field::INPUT_SCHEMA),
        "output_schema": schema(field::OUTPUT_SCHEMA),
        "chain": chain_data(chain),
    })
}

/// A chain for programs, the tool first.
pub fn chain_data(chain: Option<&Chain>) -> Value {
    let link = |link: &Tool| {
        json!({
            "id": link.id,
            "type": link.tool_type(),
            "space": link.space,
            "path": link.path.to_string_lossy(),
            "digest": format!("sha256:{}", link.digest),
        })
    };
    let links = chain.map(Chain::links).unwrap_or_default();
    links.iter().map(|tool| link(tool)).collect()
}

fn text(world: &World, tool: &Tool, chain: Option<&Chain>, width: Option<usize>) -> String {
    let mut text = style::name(&tool.id);
    if let Some(version) = tool.text(field::VERSION) {
        let _ = write!(text, " {}", style::faint(version));
    }
    text.push('\n');
    if let Some(description) = tool.description() {
        let _ = writeln!(text, "{}", printable(description));
    }
    text.push('\n');
    text.push_str(&table::render(&facts(world, tool, chain), width));
    let schema = tool.metadata.get(field::INPUT_SCHEMA);
    let parameters = schema
        .map(|schema| flags::render(schema, width))
        .unwrap_or_default();
    if tool.role() == Role::Tool {
        text.push('\n');
        if parameters.is_empty() {
            let is_open = schema.is_none_or(|schema| schema["additionalProperties"] == true);
            text.push_str(if is_open {
                "Takes any parameters.\n"
            } else {
                "Takes no parameters.\n"
            });
        } else {
            let _ = writeln!(text, "{}", style::heading("Parameters"));
            text.push_str(&parameters);
        }
    }
    text
}

fn facts(world: &World, tool: &Tool, chain: Option<&Chain>) -> Vec<Vec<Cell>> {
    let mut facts = vec![
        fact("file", paths::shown(world, &tool.path)),
        fact("space", tool.space.to_string()),
        fact("type", tool.tool_type().to_owned()),
    ];
    if let Some(category) = tool.text(field::CATEGORY) {
        facts.push(fact("category", category.to_owned()));
    }
    if let Some(chain) = chain {
        let names: Vec<String> = chain.links().iter().map(|link| short_name(link)).collect();
        facts.push(fact("chain", names.join(" → ")));
    }
    facts
}

fn fact(name: &str, value: String) -> Vec<Cell> {
    vec![Cell::dressed(name, style::faint), Cell::plain(value)]
}

fn printable(text: &str) -> String {
    text.chars()
        .filter(|character| *character == '\n' || !character.is_control())
        .collect()
}
