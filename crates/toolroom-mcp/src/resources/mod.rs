//! Resources as data: a YAML file with a `uri` describes one, a `uri_template` many, and
//! any other file is one itself.

mod address;
mod answer;
mod place;
mod read;
mod template;

use std::sync::Arc;

use rmcp::model::{Resource as Shown, ResourceTemplate as ShownTemplate};
use toolroom_kernel::World;

use self::place::Place;
use crate::prompts::Argument;

/// One resource, or one template of many.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// An address, or a template with `{name}` in it.
    pub uri: String,
    pub is_template: bool,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
    pub arguments: Vec<Argument>,
    pub content: Content,
}

/// Where a resource's content comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Text(String),
    /// Bytes in base64.
    Blob(String),
    File(Place),
    /// A tool that is called with the template's arguments.
    Tool(String),
}

/// A resource, with what its template's names stand for.
#[derive(Debug)]
pub struct Found {
    pub resource: Arc<Resource>,
    pub values: Vec<(String, String)>,
}

/// The resources at one moment.
#[derive(Debug, Default, PartialEq)]
pub struct Resources {
    all: Vec<Arc<Resource>>,
    pub remarks: Vec<String>,
}

impl Resources {
    /// Reads every resource of every space; one that broke since `before` stays as it was.
    #[must_use]
    pub fn read(world: &World, before: Option<&Self>) -> Self {
        read::all(world, before)
    }

    /// The resource at an address.
    #[must_use]
    pub fn find(&self, uri: &str) -> Option<Found> {
        if let Some(exact) = self
            .all
            .iter()
            .find(|resource| !resource.is_template && address::are_same(&resource.uri, uri))
        {
            return Some(Found {
                resource: exact.clone(),
                values: Vec::new(),
            });
        }
        let templates = self.all.iter().filter(|resource| resource.is_template);
        templates.into_iter().find_map(|resource| {
            let values = template::matched(&resource.uri, uri)?;
            Some(Found {
                resource: resource.clone(),
                values,
            })
        })
    }

    /// A template by its own text.
    #[must_use]
    pub fn template(&self, uri: &str) -> Option<&Arc<Resource>> {
        self.all
            .iter()
            .find(|resource| resource.is_template && resource.uri == uri)
    }

    /// What a client is shown.
    #[must_use]
    pub fn shown(&self) -> Vec<Shown> {
        let plain = self.all.iter().filter(|resource| !resource.is_template);
        plain
            .map(|resource| {
                let mut shown = Shown::new(&resource.uri, &resource.name);
                shown.title.clone_from(&resource.title);
                shown.description.clone_from(&resource.description);
                shown.mime_type.clone_from(&resource.mime_type);
                shown
            })
            .collect()
    }

    #[must_use]
    pub fn templates(&self) -> Vec<ShownTemplate> {
        let templates = self.all.iter().filter(|resource| resource.is_template);
        templates
            .map(|resource| {
                let mut shown = ShownTemplate::new(&resource.uri, &resource.name);
                shown.title.clone_from(&resource.title);
                shown.description.clone_from(&resource.description);
                shown.mime_type.clone_from(&resource.mime_type);
                shown
            })
            .collect()
    }

    /// Whether a client would see the same lists.
    #[must_use]
    pub fn looks_like(&self, other: &Self) -> bool {
        self.shown() == other.shown() && self.templates() == other.templates()
    }
}
