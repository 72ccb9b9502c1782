//! Reads resource files.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use toolroom_kernel::World;

use super::place::Place;
use super::{Content, Resource, Resources, address};
use crate::data::{self, File};
use crate::live::spaces;
use crate::prompts::Argument;
use crate::tools::text::clean;

const FOLDER: &str = "resources";
const SCHEME: &str = "toolroom://resources/";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    uri: Option<String>,
    uri_template: Option<String>,
    name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    mime_type: Option<String>,
    #[serde(default)]
    arguments: Vec<Argument>,
    text: Option<String>,
    blob: Option<String>,
    file: Option<String>,
    tool: Option<String>,
}

pub fn all(world: &World, before: Option<&Resources>) -> Resources {
    let mut resources = Resources::default();
    for space in spaces(world) {
        let folder = space.join(FOLDER);
        for file in data::files(&folder) {
            let root = world
                .project
                .as_deref()
                .filter(|project| space.starts_with(project))
                .unwrap_or(&space);
            match read(&file, &folder, root) {
                Ok(resource) if resources.all.iter().any(|known| known.uri == resource.uri) => {}
                Ok(resource) => resources.all.push(Arc::new(resource)),
                Err(reason) => {
                    resources
                        .remarks
                        .push(format!("{}: {reason}", file.path.display()));
                    let name = file.stem();
                    let kept = before
                        .and_then(|before| before.all.iter().find(|known| known.name == name));
                    resources.all.extend(kept.cloned());
                }
            }
        }
    }
    resources.all.sort_by(|a, b| a.uri.cmp(&b.uri));
    resources
}

fn read(file: &File, folder: &Path, root: &Path) -> Result<Resource, String> {
    if matches!(file.extension(), Some("yaml" | "yml")) {
        let text = data::text(&file.path)?;
        return described(file, data::yaml(&text)?, root);
    }
    Ok(Resource {
        uri: format!("{SCHEME}{}", address::escaped(&file.name)),
        is_template: false,
        name: file.name.clone(),
        title: None,
        description: Some(format!("The file {}.", file.name)),
        mime_type: file.extension().and_then(mime_type).map(str::to_owned),
        arguments: Vec::new(),
        content: Content::File(Place {
            folder: folder.to_path_buf(),
            written: file.name.clone(),
            root: root.to_path_buf(),
        }),
    })
}

fn described(file: &File, written: Written, root: &Path) -> Result<Resource, String> {
    let (uri, is_template) = match (written.uri, written.uri_template) {
        (Some(uri), None) => (uri, false),
        (None, Some(template)) => (template, true),
        _ => return Err("a resource has a uri or a uri_template".into()),
    };
    if !uri.contains(':') {
        return Err(format!("{uri:?} is no address with a scheme"));
    }
    let content = match (written.text, written.blob, written.file, written.tool) {
        (Some(text), None, None, None) => Content::Text(text),
        (None, Some(blob), None, None) => Content::Blob(blob.split_whitespace().collect()),
        (None, None, Some(path), None) => Content::File(Place {
            folder: file.path.parent().unwrap_or(root).to_path_buf(),
            written: path,
            root: root.to_path_buf(),
        }),
        (None, None, None, Some(tool)) => Content::Tool(tool),
        _ => return Err("a resource has one of text, blob, file and tool".into()),
    };
    let name = file.stem().to_owned();
    Ok(Resource {
        uri,
        is_template,
        title: written.title.map(|title| clean(&title).into_owned()),
        description: Some(written.description.map_or_else(
            || format!("The resource {name}."),
            |text| clean(&text).into_owned(),
        )),
        name: written.name.unwrap_or(name),
        mime_type: written.mime_type,
        arguments: written.arguments,
        content,
    })
}

/// The kinds of files people keep as resources.
fn mime_type(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "md" => "text/markdown",
        "txt" | "log" => "text/plain",
        "html" => "text/html",
        "csv" => "text/csv",
        "json" => "application/json",
        "toml" => "application/toml",
        "xml" => "application/xml",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        "webp" => "image/webp",
        "wav" => "audio/wav",
        "mp3" => "audio/mpeg",
        _ => return None,
    })
}
