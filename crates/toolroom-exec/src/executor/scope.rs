//! What the texts of a config may speak of: variables, the call's facts, its parameters.
//!
//! Parameters are data. They are filled in where a config names them, and what is filled
//! in is never looked at again.

use std::borrow::Cow;
use std::path::Path;

use serde_json::Value;
use toolroom_kernel::resolve::LayeredEnv;
use toolroom_kernel::template::{Placeholder, Scope};

/// What a call is made of besides its parameters.
#[derive(Debug)]
pub struct Facts<'a> {
    pub tool_id: &'a str,
    /// `tool_path`, `project_path` and the like; one may have none.
    pub paths: [(&'static str, Option<&'a Path>); 6],
}

impl<'a> Facts<'a> {
    fn get(&self, name: &str) -> Option<Placeholder<'a>> {
        if name == "tool_id" {
            return Some(Placeholder::text(self.tool_id));
        }
        let (_, path) = self.paths.iter().find(|(known, _)| *known == name)?;
        Some(match path.map(Path::to_str) {
            Some(Some(text)) => Placeholder::text(text),
            Some(None) => Placeholder::NotText,
            None => Placeholder::Absent,
        })
    }
}

/// The facts of one call.
#[derive(Debug)]
pub struct CallFacts<'a> {
    pub facts: Facts<'a>,
    pub params: &'a Value,
    /// The tool's parameter schema: what it names but nobody gave is absent, not unknown.
    pub schema: Option<&'a Value>,
}

impl CallFacts<'_> {
    /// Whether the schema speaks of a parameter, or of the one that a dotted name begins with.
    pub fn is_declared(&self, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or(name);
        self.schema
            .and_then(|schema| schema.get("properties")?.get(first))
            .is_some()
    }
}

impl Scope for CallFacts<'_> {
    fn variable(&self, _name: &str) -> Option<Cow<'_, str>> {
        None
    }

    fn placeholder(&self, path: &str) -> Placeholder<'_> {
        if let Some(fact) = self.facts.get(path) {
            return fact;
        }
        match path {
            "params" => return Placeholder::Value(Cow::Borrowed(self.params)),
            "params_json" => return Placeholder::text(self.params.to_string()),
            _ => {}
        }
        if let Some(inner) = path.strip_prefix("params.") {
            return Placeholder::at(self.params, inner);
        }
        // A parameter by its bare name, as RYE's tools write it.
        match Placeholder::at(self.params, path) {
            Placeholder::Absent if !self.is_declared(path) => Placeholder::Unknown,
            found => found,
        }
    }
}

/// Facts and the resolved environment together.
#[derive(Debug)]
pub struct CallScope<'a> {
    pub env: &'a LayeredEnv,
    pub facts: &'a CallFacts<'a>,
}

impl Scope for CallScope<'_> {
    fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        self.env.get(name).map(Cow::Borrowed)
    }

    fn placeholder(&self, path: &str) -> Placeholder<'_> {
        self.facts.placeholder(path)
    }
}
