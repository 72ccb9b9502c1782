//! Answers `resources/read`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorData, JsonObject, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents,
};
use rmcp::service::RequestContext;
use serde_json::json;
use toolroom_kernel::plain::Links;

use super::place::Place;
use super::{Content, Found, Resource};
use crate::data::{self, filled};
use crate::server::{Finished, Session, Subject};
use crate::tools::text::repeated;

const LARGEST_FILE: u64 = 16 << 20;

impl Session {
    /// What a resource holds.
    ///
    /// # Errors
    /// Fails for an address nothing is at, and for content that cannot be had.
    pub async fn resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if let Some(text) = self.house.outputs.read(&request.uri) {
            return Ok(
                ReadResourceResult::new(vec![ResourceContents::text(text, request.uri)]).into(),
            );
        }
        let edition = self.house.now();
        let Some(Found { resource, values }) = edition.resources.find(&request.uri) else {
            return Err(ErrorData::resource_not_found(
                format!("there is no resource {}", repeated(&request.uri)),
                Some(json!({"uri": request.uri})),
            ));
        };
        let value = |name: &str| {
            values
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.clone())
        };
        let contents = match &resource.content {
            Content::Text(text) => vec![contents(
                &resource,
                &request.uri,
                Bytes::Text(filled(text, value)),
            )],
            Content::Blob(blob) => {
                vec![contents(&resource, &request.uri, Bytes::Blob(blob.clone()))]
            }
            Content::File(place) => {
                let bytes = file(place, &values).map_err(|reason| {
                    ErrorData::resource_not_found(reason, Some(json!({"uri": request.uri})))
                })?;
                vec![contents(&resource, &request.uri, bytes)]
            }
            Content::Tool(tool) => {
                let arguments: JsonObject = values
                    .iter()
                    .map(|(name, value)| (name.clone(), value.as_str().into()))
                    .collect();
                return self
                    .made_by_tool(tool, arguments, &resource, request, &context)
                    .await;
            }
        };
        Ok(ReadResourceResult::new(contents).into())
    }

    async fn made_by_tool(
        &self,
        tool: &str,
        arguments: JsonObject,
        resource: &Resource,
        request: ReadResourceRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(entry) = self.house.now().book.by_id(tool).cloned() else {
            return Err(ErrorData::internal_error(
                format!("{} is made by {tool}, which is not served", request.uri),
                None,
            ));
        };
        let subject = Subject::new("resources/read", &request.uri, &arguments);
        let answers = self.house.answers(
            &subject,
            request.input_responses,
            request.request_state.as_deref(),
        )?;
        let call = self.made(entry, arguments, answers, context);
        match self.finished(call, context).await {
            Finished::Asks(ask) => Ok(self
                .house
                .question(*ask, &subject, context.client_capabilities().as_ref())?
                .into()),
            Finished::Done(result) | Finished::Broke(result) => {
                Ok(of_result(resource, &request.uri, &result)?.into())
            }
        }
    }
}

enum Bytes {
    Text(String),
    Blob(String),
}

fn contents(resource: &Resource, uri: &str, bytes: Bytes) -> ResourceContents {
    let contents = match bytes {
        Bytes::Text(text) => ResourceContents::text(text, uri),
        Bytes::Blob(blob) => ResourceContents::blob(blob, uri),
    };
    match &resource.mime_type {
        Some(mime_type) => contents.with_mime_type(mime_type),
        None => contents,
    }
}

fn file(place: &Place, values: &[(String, String)]) -> Result<Bytes, String> {
    let real = place.file(values)?;
    let bytes = data::bytes(&real, Links::Refused, LARGEST_FILE)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Bytes::Text(text),
        Err(error) => Bytes::Blob(BASE64_STANDARD.encode(error.as_bytes())),
    })
}

fn of_result(
    resource: &Resource,
    uri: &str,
    result: &CallToolResult,
) -> Result<ReadResourceResult, ErrorData> {
    if result.is_error == Some(true) {
        let text = result
            .content
            .iter()
            .find_map(ContentBlock::as_text)
            .map(|text| text.text.clone());
        return Err(ErrorData::internal_error(text.unwrap_or_default(), None));
    }
    let all = result.content.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(contents(resource, uri, Bytes::Text(text.text.clone()))),
        ContentBlock::Image(image) => {
            Some(ResourceContents::blob(&image.data, uri).with_mime_type(&image.mime_type))
        }
        ContentBlock::Audio(audio) => {
            Some(ResourceContents::blob(&audio.data, uri).with_mime_type(&audio.mime_type))
        }
        ContentBlock::Resource(embedded) => Some(embedded.resource.clone()),
        _ => None,
    });
    Ok(ReadResourceResult::new(all.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_a_blob() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("open"), [0xff, 0xfe]).unwrap();
        let place = Place {
            folder: folder.path().to_path_buf(),
            written: "open".to_owned(),
            root: folder.path().to_path_buf(),
        };
        assert!(matches!(file(&place, &[]), Ok(Bytes::Blob(blob)) if blob == "//4="));
    }
}
