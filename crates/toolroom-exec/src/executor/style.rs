//! How a runtime calls a tool, as its `config.call` says it.

use serde::Deserialize;
use serde_json::{Map, Value};
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::{Role, field};

/// How a tool is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Style {
    /// A launcher reads the call on standard input and replies with any JSON value.
    Function {
        launcher: String,
        request: RequestForm,
        entry: Vec<String>,
        returns: Returns,
        /// The word by which a file gives a result in place of what it prints.
        result_by: Option<String>,
    },
    /// The file gets `--key value` for every parameter.
    Script,
    /// Only what the config's `args` say.
    Command,
}

/// How the request is written for a launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RequestForm {
    #[default]
    Json,
    /// Fields that end in NUL, for launchers that read no JSON.
    Fields,
}

/// Where a tool's result comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Returns {
    /// What the launcher replies.
    #[default]
    Reply,
    /// What the tool prints.
    Output,
    /// What is replied, or else what was printed: known only at the end.
    #[serde(skip)]
    Either,
}

#[derive(Debug, Deserialize)]
struct Written {
    style: String,
    #[serde(default)]
    launcher: Option<String>,
    #[serde(default)]
    request: RequestForm,
    #[serde(default)]
    entry: Vec<String>,
    #[serde(default)]
    result: Returns,
    #[serde(default)]
    result_by: Option<String>,
}

impl Style {
    /// Reads the style of a chain from its merged config. A runtime that says nothing
    /// runs the file as a script; without a runtime the config is the whole command.
    ///
    /// # Errors
    /// Says what is wrong with `config.call`.
    pub fn of(chain: &Chain, config: &Map<String, Value>) -> Result<Self, String> {
        let Some(call) = config.get("call") else {
            let has_runtime = chain
                .links()
                .iter()
                .any(|link| link.role() == Role::Runtime);
            return Ok(if has_runtime {
                Self::Script
            } else {
                Self::Command
            });
        };
        let written =
            Written::deserialize(call).map_err(|error| format!("is not a call: {error}"))?;
        match written.style.as_str() {
            "function" => Self::function(chain, written),
            "script" => Ok(Self::Script),
            "command" => Ok(Self::Command),
            other => Err(format!(
                "has the style {other:?}; there are function, script and command"
            )),
        }
    }

    fn function(chain: &Chain, written: Written) -> Result<Self, String> {
        let entry = match chain.tool().metadata.get(field::ENTRY) {
            // The file was read and has no function to call: it is a script.
            Some(Value::Null) => return Ok(Self::Script),
            // What the file has goes first, where the runtime would call it; a runtime that
            // lists none calls what the file names and nothing else.
            Some(Value::String(name))
                if written.entry.is_empty() || written.entry.contains(name) =>
            {
                let others = written.entry.iter().filter(|other| *other != name);
                std::iter::once(name).chain(others).cloned().collect()
            }
            _ => written.entry,
        };
        let launcher = written
            .launcher
            .ok_or("calls a function and names no launcher")?;
        Ok(Self::Function {
            launcher,
            request: written.request,
            entry,
            returns: written.result,
            result_by: written.result_by,
        })
    }

    /// The same for one file, once it is known which words stand in it: what a file prints
    /// that speaks of giving a result is talk beside that.
    #[must_use]
    pub fn for_file(mut self, speaks_of: impl FnOnce(&str) -> bool) -> Self {
        if let Self::Function {
            returns: returns @ Returns::Output,
            result_by: Some(word),
            ..
        } = &mut self
            && speaks_of(word)
        {
            *returns = Returns::Either;
        }
        self
    }

    /// Where the result of such a call is found.
    #[must_use]
    pub const fn returns(&self) -> Returns {
        match self {
            Self::Function { returns, .. } => *returns,
            Self::Script | Self::Command => Returns::Output,
        }
    }
}
