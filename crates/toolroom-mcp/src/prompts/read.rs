//! Reads prompt files.

use std::sync::Arc;

use serde::Deserialize;
use toolroom_kernel::World;
use toolroom_kernel::model::ToolId;

use super::{Argument, Body, Message, Prompt, Prompts, Speaker};
use crate::data::{self, File};
use crate::live::spaces;
use crate::tools::name;
use crate::tools::text::clean;

const FOLDER: &str = "prompts";

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    title: Option<String>,
    description: Option<String>,
    arguments: Vec<Argument>,
    messages: Vec<Message>,
    tool: Option<String>,
}

pub fn all(world: &World, before: Option<&Prompts>) -> Prompts {
    let mut prompts = Prompts::default();
    for space in spaces(world) {
        for file in data::files(&space.join(FOLDER)) {
            let Some(name) = name_of(&file) else { continue };
            if prompts.get(&name).is_some() {
                continue;
            }
            match read(&file, &name) {
                Ok(prompt) => prompts.all.push(Arc::new(prompt)),
                Err(reason) => {
                    prompts
                        .remarks
                        .push(format!("{}: {reason}", file.path.display()));
                    prompts
                        .all
                        .extend(before.and_then(|before| before.get(&name)).cloned());
                }
            }
        }
    }
    prompts.all.sort_by(|a, b| a.name.cmp(&b.name));
    prompts
}

fn name_of(file: &File) -> Option<String> {
    matches!(file.extension()?, "md" | "yaml" | "yml").then_some(())?;
    Some(name::public(&ToolId::parse(file.stem()).ok()?))
}

fn read(file: &File, name: &str) -> Result<Prompt, String> {
    let text = data::text(&file.path)?;
    let is_markdown = file.extension() == Some("md");
    let (written, body) = if is_markdown {
        let (front, body) = data::front_matter(&text);
        let written: Written = front.map(data::yaml).transpose()?.unwrap_or_default();
        (written, Some(body.trim().to_owned()))
    } else {
        (data::yaml::<Written>(&text)?, None)
    };
    let mut messages = written.messages;
    if let Some(text) = body.filter(|body| !body.is_empty()) {
        messages.push(Message {
            role: Speaker::User,
            text: Some(text),
            content: None,
        });
    }
    let body = match (written.tool, messages.is_empty()) {
        (Some(tool), true) => Body::Tool(tool),
        (Some(_), false) => return Err("a prompt has messages or a tool, not both".into()),
        (None, true) => return Err("the prompt says nothing".into()),
        (None, false) => Body::Messages(messages),
    };
    let plain = |text: String| clean(&text).into_owned();
    Ok(Prompt {
        name: name.to_owned(),
        title: written.title.map(plain),
        description: Some(
            written
                .description
                .map_or_else(|| format!("The prompt {name}."), plain),
        ),
        arguments: written.arguments,
        body,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(name: &str, text: &str) -> Result<Prompt, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs_err::write(&path, text).unwrap();
        read(
            &File {
                name: name.to_owned(),
                path,
            },
            "p",
        )
    }

    #[test]
    fn a_markdown_file_is_one_message() {
        let prompt = parsed("p.md", "---\ndescription: Greets.\narguments: [{name: who, required: true, complete: [Ada, Bo]}]\n---\n\nGreet {who}.\n").unwrap();
        assert_eq!(prompt.arguments[0].complete, ["Ada", "Bo"]);
        let Body::Messages(messages) = prompt.body else {
            panic!()
        };
        assert_eq!(messages[0].text.as_deref(), Some("Greet {who}."));
    }

    #[test]
    fn what_says_nothing_or_too_much_is_no_prompt() {
        for (name, text) in [
            ("p.md", "---\ndescription: x\n---\n"),
            ("p.yaml", "description: x"),
            ("p.yaml", "tool: a\nmessages: [{text: b}]"),
            ("p.yaml", "unknown: 1"),
        ] {
            assert!(parsed(name, text).is_err(), "{text}");
        }
    }
}
