//! Prompts as data: a Markdown file is one message, a YAML file several, and either may
//! leave its messages to a tool.

mod answer;
mod read;

use std::sync::Arc;

use rmcp::model::{Prompt as Shown, PromptArgument};
use serde::Deserialize;
use serde_json::Value;
use toolroom_kernel::World;

/// An argument of a prompt or a resource template.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    pub name: String,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub required: bool,
    /// What its beginning may be completed to.
    #[serde(default)]
    pub complete: Vec<String>,
}

/// One prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub arguments: Vec<Argument>,
    pub body: Body,
}

/// Where a prompt's messages come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Messages with `{argument}` in their texts.
    Messages(Vec<Message>),
    /// A tool that is called with the arguments.
    Tool(String),
}

/// A message as it is written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    #[serde(default)]
    pub role: Speaker,
    #[serde(default)]
    pub text: Option<String>,
    /// A content block, in place of a text.
    #[serde(default)]
    pub content: Option<Value>,
}

/// Who says a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    #[default]
    User,
    Assistant,
}

/// The prompts at one moment.
#[derive(Debug, Default, PartialEq)]
pub struct Prompts {
    all: Vec<Arc<Prompt>>,
    pub remarks: Vec<String>,
}

impl Prompts {
    /// Reads every prompt of every space; one that broke since `before` stays as it was.
    #[must_use]
    pub fn read(world: &World, before: Option<&Self>) -> Self {
        read::all(world, before)
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Prompt>> {
        self.all.iter().find(|prompt| prompt.name == name)
    }

    /// What a client is shown.
    #[must_use]
    pub fn shown(&self) -> Vec<Shown> {
        self.all.iter().map(|prompt| prompt.shown()).collect()
    }
}

impl Prompt {
    fn shown(&self) -> Shown {
        let arguments: Vec<PromptArgument> = self
            .arguments
            .iter()
            .map(|argument| {
                let mut shown =
                    PromptArgument::new(&argument.name).with_required(argument.required);
                shown.title.clone_from(&argument.title);
                shown.description.clone_from(&argument.description);
                shown
            })
            .collect();
        let mut shown = Shown::new(
            &self.name,
            self.description.clone(),
            (!arguments.is_empty()).then_some(arguments),
        );
        shown.title.clone_from(&self.title);
        shown
    }
}
