//! Answers `prompts/get`.

use rmcp::RoleServer;
use rmcp::model::{
    ContentBlock, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    JsonObject, PromptMessage, Role,
};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::{Body, Message, Prompt, Speaker};
use crate::data::filled;
use crate::server::{Finished, Session, Subject};
use crate::tools::text::repeated;

impl Session {
    /// A prompt with its arguments filled in.
    ///
    /// # Errors
    /// Fails for a prompt that does not exist, an argument that is missing, or a tool
    /// that did not give messages.
    pub async fn prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let edition = self.house.now();
        let Some(prompt) = edition.prompts.get(&request.name).cloned() else {
            return Err(ErrorData::invalid_params(
                format!("unknown prompt: {}", repeated(&request.name)),
                None,
            ));
        };
        let arguments = request.arguments.unwrap_or_default();
        let missing = prompt
            .arguments
            .iter()
            .find(|argument| argument.required && !arguments.contains_key(&argument.name));
        if let Some(argument) = missing {
            return Err(ErrorData::invalid_params(
                format!(
                    "the prompt {} needs the argument {}",
                    prompt.name, argument.name
                ),
                None,
            ));
        }
        let tool = match &prompt.body {
            Body::Messages(messages) => {
                return Ok(of_messages(&prompt, messages, &arguments)?.into());
            }
            Body::Tool(tool) => tool,
        };
        let Some(entry) = edition.book.by_id(tool).cloned() else {
            return Err(ErrorData::internal_error(
                format!(
                    "the prompt {} is made by {tool}, which is not served",
                    prompt.name
                ),
                None,
            ));
        };
        let subject = Subject::new("prompts/get", &prompt.name, &arguments);
        let answers = self.house.answers(
            &subject,
            request.input_responses,
            request.request_state.as_deref(),
        )?;
        let call = self.made(entry, arguments, answers, &context);
        match self.finished(call, &context).await {
            Finished::Asks(ask) => Ok(self
                .house
                .question(*ask, &subject, context.client_capabilities().as_ref())?
                .into()),
            Finished::Done(result) | Finished::Broke(result) => {
                Ok(of_result(&prompt, &result)?.into())
            }
        }
    }
}

fn of_messages(
    prompt: &Prompt,
    messages: &[Message],
    arguments: &JsonObject,
) -> Result<GetPromptResult, ErrorData> {
    let value = |name: &str| -> Option<String> {
        prompt
            .arguments
            .iter()
            .find(|argument| argument.name == name)?;
        Some(arguments.get(name).map(as_text).unwrap_or_default())
    };
    let messages = messages
        .iter()
        .map(|message| one(message, &value))
        .collect::<Result<_, _>>();
    let messages = messages.map_err(|reason| {
        ErrorData::internal_error(format!("the prompt {}: {reason}", prompt.name), None)
    })?;
    let mut result = GetPromptResult::new(messages);
    result.description.clone_from(&prompt.description);
    Ok(result)
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn one(
    message: &Message,
    value: &impl Fn(&str) -> Option<String>,
) -> Result<PromptMessage, String> {
    let role = match message.role {
        Speaker::User => Role::User,
        Speaker::Assistant => Role::Assistant,
    };
    let content = match (&message.text, &message.content) {
        (Some(text), None) => ContentBlock::text(filled(text, value)),
        (None, Some(content)) => {
            let mut content = content.clone();
            fill(&mut content, value, 0);
            serde_json::from_value(content).map_err(|error| error.to_string())?
        }
        _ => return Err("a message has a text or a content".into()),
    };
    Ok(PromptMessage::new(role, content))
}

fn fill(content: &mut Value, value: &impl Fn(&str) -> Option<String>, depth: usize) {
    const DEEPEST: usize = 16;
    match content {
        Value::String(text) => *text = filled(text, value),
        Value::Array(items) if depth < DEEPEST => items
            .iter_mut()
            .for_each(|item| fill(item, value, depth + 1)),
        Value::Object(fields) if depth < DEEPEST => fields
            .values_mut()
            .for_each(|field| fill(field, value, depth + 1)),
        _ => {}
    }
}

/// What a tool gave, as messages: an object with `messages`, or blocks that the user says.
fn of_result(
    prompt: &Prompt,
    result: &rmcp::model::CallToolResult,
) -> Result<GetPromptResult, ErrorData> {
    let text = || {
        result
            .content
            .iter()
            .find_map(ContentBlock::as_text)
            .map(|text| text.text.clone())
            .unwrap_or_default()
    };
    if result.is_error == Some(true) {
        return Err(ErrorData::internal_error(text(), None));
    }
    let written = result
        .structured_content
        .as_ref()
        .and_then(|value| value.get("messages"));
    let messages: Vec<PromptMessage> = match written {
        Some(messages) => serde_json::from_value(messages.clone()).map_err(|error| {
            ErrorData::internal_error(
                format!("the messages of {} cannot be read: {error}", prompt.name),
                None,
            )
        })?,
        None => result
            .content
            .iter()
            .map(|block| PromptMessage::new(Role::User, block.clone()))
            .collect(),
    };
    let mut answer = GetPromptResult::new(messages);
    answer.description.clone_from(&prompt.description);
    Ok(answer)
}
