//! What a request carries, and the Content-Type that goes with it.

use std::path::PathBuf;

use reqwest::multipart::{Form, Part as FormPart};

use super::encode::component;
use super::error::HttpError;

/// The body of a request. It can be written any number of times: a retry and a redirect
/// send it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    None,
    /// A JSON document.
    Json(String),
    Text(String),
    Form(Vec<(String, String)>),
    Multipart(Vec<Part>),
}

/// One part of a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub name: String,
    pub content: Content,
    pub file_name: Option<String>,
    pub content_type: Option<String>,
}

/// Where a part's bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Text(String),
    /// A file, read while it is sent.
    File(PathBuf),
}

impl Body {
    /// The type that is declared unless the request's headers say another. A multipart
    /// body declares its own, which no header may replace.
    pub(super) const fn content_type(&self) -> Option<&'static str> {
        match self {
            Self::None | Self::Multipart(_) => None,
            Self::Json(_) => Some("application/json"),
            Self::Text(_) => Some("text/plain; charset=utf-8"),
            Self::Form(_) => Some("application/x-www-form-urlencoded"),
        }
    }

    pub(super) async fn attach(
        &self,
        builder: reqwest::RequestBuilder,
    ) -> Result<reqwest::RequestBuilder, HttpError> {
        Ok(match self {
            Self::None => builder,
            Self::Json(text) | Self::Text(text) => builder.body(text.clone()),
            Self::Form(fields) => builder.body(form(fields)),
            Self::Multipart(parts) => builder.multipart(multipart(parts).await?),
        })
    }
}

fn form(fields: &[(String, String)]) -> String {
    let pairs = fields
        .iter()
        .map(|(name, value)| format!("{}={}", component(name), component(value)));
    pairs.collect::<Vec<_>>().join("&")
}

async fn multipart(parts: &[Part]) -> Result<Form, HttpError> {
    let mut form = Form::new();
    for part in parts {
        let mut written = match &part.content {
            Content::Text(text) => FormPart::text(text.clone()),
            Content::File(path) => file(path).await?,
        };
        if let Some(name) = &part.file_name {
            written = written.file_name(name.clone());
        }
        if let Some(kind) = &part.content_type {
            written = written.mime_str(kind).map_err(|_| HttpError::BadRequest {
                url: format!("the part {}", part.name),
                reason: format!("{kind:?} is not a content type"),
            })?;
        }
        form = form.part(part.name.clone(), written);
    }
    Ok(form)
}

async fn file(path: &std::path::Path) -> Result<FormPart, HttpError> {
    let unreadable = |source| HttpError::UnreadableFile {
        path: path.to_path_buf(),
        source,
    };
    // A pipe or a device has no end that could be promised.
    let metadata = tokio::fs::metadata(path).await.map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(unreadable(std::io::Error::other(
            "it is not a regular file",
        )));
    }
    FormPart::file(path).await.map_err(unreadable)
}
