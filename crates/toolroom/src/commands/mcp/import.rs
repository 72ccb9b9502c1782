//! `toolroom new FOLDER --from-mcp URL|COMMAND`: a tool file for each tool of a server.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use toolroom_catalog::space::{PROJECT_SPACE, TOOLS};
use toolroom_kernel::World;
use toolroom_kernel::model::ToolId;
use toolroom_kernel::template::escaped;
use toolroom_mcp::client::{Foreign, Source, tools};

use super::headers;
use crate::answer::Answer;
use crate::args::New;
use crate::commands::init::create;
use crate::commands::run::{seconds, usage};
use crate::failure::Failure;
use crate::guard::guard;
use crate::output::{paths, style};

/// How long a server may take to list its tools.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn run(folder: &ToolId, args: &New, project: &Path, world: &World) -> Result<Answer, Failure> {
    let source = source(&args.from_mcp)?;
    let headers = asked_with(&source, args, world)?;
    let patience = args.timeout.as_deref().map(seconds).transpose()?;
    let has_headers = !headers.is_empty();
    let found = tools(
        &source,
        headers,
        world,
        &guard()?,
        patience.unwrap_or(PATIENCE),
    )?;
    let mut text = String::new();
    let mut made = Vec::new();
    let mut kept = Vec::new();
    for (tool, name) in found.iter().zip(file_names(&found)) {
        let id = ToolId::parse(&format!("{folder}/{name}"))?;
        let file = project
            .join(PROJECT_SPACE)
            .join(TOOLS)
            .join(format!("{id}.yaml"));
        if create(&file, &body(tool, &source, has_headers))? {
            let _ = writeln!(
                text,
                "{} {}",
                style::good("made"),
                paths::shown(world, &file)
            );
            made.push(json!({"id": id, "path": file.to_string_lossy()}));
        } else {
            kept.push(format!(
                "{} exists already and was left as it is",
                paths::shown(world, &file)
            ));
        }
    }
    let mut answer = Answer::new(text, json!({"tools": made}));
    answer.notes = kept;
    if !args.header.is_empty() && !made.is_empty() {
        answer = answer.note(format!(
            "no file has what --header said: set {} to a JSON object of it, as in .env, and the tools send it",
            headers::VARIABLE
        ));
    }
    if found.is_empty() {
        answer = answer.note("the server has no tools");
    }
    Ok(answer)
}

fn asked_with(
    source: &Source,
    args: &New,
    world: &World,
) -> Result<BTreeMap<String, String>, Failure> {
    match source {
        Source::Url(_) => headers::of(&args.header, world),
        Source::Command { .. } if args.header.is_empty() => Ok(BTreeMap::new()),
        Source::Command { .. } => Err(usage("--header is for a server at an address".to_owned())),
    }
}

fn source(written: &[String]) -> Result<Source, Failure> {
    let is_address = |word: &str| word.starts_with("http://") || word.starts_with("https://");
    Ok(match written {
        [url] if is_address(url) => Source::Url(url.clone()),
        [url, word, ..] if is_address(url) => {
            return Err(usage(format!("{word} cannot follow an address"))
                .help("options of new come before --from-mcp"));
        }
        [program, args @ ..] => Source::Command {
            program: program.clone(),
            args: args.to_vec(),
        },
        [] => Source::Url(String::new()),
    })
}

/// The name of each tool's file. Where letters had to be replaced, and so two tools would
/// have one file, or a name is too short or too long for a file, it ends in a mark.
fn file_names(tools: &[Foreign]) -> Vec<String> {
    const LONGEST: usize = 128;
    let plain: Vec<String> = tools.iter().map(|tool| file_name(&tool.name)).collect();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &plain {
        *uses.entry(name).or_default() += 1;
    }
    let names = tools.iter().zip(&plain);
    let one = |(tool, plain): (&Foreign, &String)| match uses.get(plain.as_str()) {
        _ if plain.is_empty() => toolroom_mcp::marked("tool", &tool.name),
        _ if plain.len() > LONGEST => toolroom_mcp::marked(plain, &tool.name),
        Some(2..) if *plain != tool.name => toolroom_mcp::marked(plain, &tool.name),
        _ => plain.clone(),
    };
    names.map(one).collect()
}

fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let name: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect();
    // Files that begin with an underscore are no tools.
    name.trim_start_matches('_').to_owned()
}

/// The file: keys in YAML, values in JSON, which YAML can read.
fn body(tool: &Foreign, source: &Source, has_headers: bool) -> String {
    let runtime = match source {
        Source::Url(_) => headers::RUNTIME,
        Source::Command { .. } => "mcp_stdio_runtime",
    };
    let description = tool
        .description
        .as_deref()
        .map(toolroom_mcp::clean_text)
        .unwrap_or_default();
    let mut text = format!(
        "tool_type: mcp\nexecutor_id: {runtime}\ndescription: {}\n",
        Value::from(description)
    );
    let title = tool
        .title
        .as_deref()
        .map(|title| Value::from(toolroom_mcp::clean_text(title)));
    let more = [("title", title), ("annotations", tool.annotations.clone())];
    for (key, value) in more
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)))
    {
        let _ = writeln!(text, "{key}: {value}");
    }
    text.push_str("config:\n");
    match source {
        Source::Url(url) => _ = writeln!(text, "  url: {}", literal(url)),
        Source::Command { program, args } => {
            let args: Vec<Value> = args.iter().map(|arg| literal(arg)).collect();
            let _ = writeln!(
                text,
                "  command: {}\n  args: {}",
                literal(program),
                Value::from(args)
            );
        }
    }
    if has_headers {
        let variable = format!("${{{}}}", headers::VARIABLE);
        let _ = writeln!(text, "  headers: {}", Value::from(variable));
    }
    let _ = writeln!(
        text,
        "  tool: {}\ninput_schema: {}",
        literal(&tool.name),
        tool.input_schema
    );
    if let Some(schema) = &tool.output_schema {
        let _ = writeln!(text, "output_schema: {schema}");
    }
    text
}

/// A text that templates leave as it is.
fn literal(text: &str) -> Value {
    Value::from(escaped(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_and_a_command_are_told_apart() {
        let words = |words: &[&str]| {
            source(
                &words
                    .iter()
                    .map(|word| (*word).to_owned())
                    .collect::<Vec<_>>(),
            )
            .unwrap()
        };
        assert_eq!(
            words(&["https://x/mcp"]),
            Source::Url("https://x/mcp".into())
        );
        let command = Source::Command {
            program: "npx".into(),
            args: vec!["-y".into(), "server".into()],
        };
        assert_eq!(words(&["npx", "-y", "server"]), command);
    }

    fn foreign(name: &str) -> Foreign {
        Foreign {
            name: name.to_owned(),
            title: None,
            description: None,
            input_schema: json!({}),
            output_schema: None,
            annotations: None,
        }
    }

    #[test]
    fn names_become_files_that_are_tools() {
        for (name, wanted) in [
            ("get.page", "get_page"),
            ("_x/../y", "x____y"),
            ("plain-name", "plain-name"),
        ] {
            assert_eq!(file_names(&[foreign(name)]), [wanted]);
        }
    }

    #[test]
    fn every_tool_has_a_file_of_its_own() {
        let long = "x".repeat(300);
        let names = ["a.b", "a_b", "a/b", "...", "_", "ok", &long];
        let files = file_names(&names.map(foreign));
        assert_eq!((files[1].as_str(), files[5].as_str()), ("a_b", "ok"));
        let distinct: std::collections::BTreeSet<&String> = files.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{files:?}");
        for file in &files {
            assert!(file.len() <= 128 && !file.starts_with('_'), "{file}");
        }
        assert!(files[0].starts_with("a_b_") && files[2].starts_with("a_b_"));
        assert!(files[3].starts_with("tool_"));
    }
}
