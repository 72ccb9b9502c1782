//! The one form every error takes at the edge, for people and for programs.

use serde_json::{Map, Value, json};
use toolroom_catalog::secrets::Secrets;
use toolroom_kernel::{Explain, Place, causes};

use crate::exit::Status;

/// Why a command could not do its work.
#[derive(Debug, Clone)]
pub struct Failure {
    pub code: String,
    pub message: String,
    pub help: Option<String>,
    pub causes: Vec<String>,
    pub place: Option<Place>,
    pub status: Status,
    /// Data that belongs to the answer although it failed.
    pub details: Map<String, Value>,
}

impl Failure {
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            help: None,
            causes: Vec::new(),
            place: None,
            status: Status::of_error(code),
            details: Map::new(),
        }
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same without any secret: a message names commands, addresses and folders, and each
    /// may have been filled in from one.
    #[must_use]
    pub fn without(mut self, secrets: &Secrets) -> Self {
        let texts = self.help.iter_mut().chain(&mut self.causes);
        for text in texts.chain([&mut self.message]) {
            *text = secrets.hidden(text).into_owned();
        }
        for detail in self.details.values_mut() {
            secrets.hide(detail);
        }
        self
    }

    /// A file that could not be read or written.
    #[must_use]
    pub fn io(error: &std::io::Error) -> Self {
        Self::new("io::failed", error.to_string())
    }

    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut error = json!({
            "code": self.code,
            "message": self.message,
            "help": self.help,
            "causes": self.causes,
        });
        if let Some(place) = &self.place {
            error["path"] = place.path.to_string_lossy().into();
            if let Some(position) = place.position {
                error["line"] = position.line.into();
                error["column"] = position.column.into();
            }
        }
        for (name, value) in &self.details {
            error[name] = value.clone();
        }
        error
    }
}

impl<E: Explain> From<E> for Failure {
    fn from(error: E) -> Self {
        Self {
            status: Status::of_error(error.code()),
            code: error.code().to_owned(),
            message: error.to_string(),
            help: error.help(),
            causes: causes(&error),
            place: error.place(),
            details: Map::new(),
        }
    }
}
