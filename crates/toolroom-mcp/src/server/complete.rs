//! Completion of the arguments of prompts and resource templates, from what their files
//! list.

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};

use super::house::House;
use crate::prompts::Argument;
use crate::tools::text::repeated;

impl House {
    /// What an argument's beginning could become.
    ///
    /// # Errors
    /// Fails for a prompt or template that does not exist.
    pub fn complete(&self, request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        let edition = self.now();
        let arguments: &[Argument] = match &request.r#ref {
            Reference::Prompt(prompt) => {
                let found = edition.prompts.get(&prompt.name);
                found
                    .map(|prompt| prompt.arguments.as_slice())
                    .ok_or_else(|| {
                        ErrorData::invalid_params(
                            format!("unknown prompt: {}", repeated(&prompt.name)),
                            None,
                        )
                    })?
            }
            Reference::Resource(template) => {
                let found = edition.resources.template(&template.uri);
                found
                    .map(|template| template.arguments.as_slice())
                    .ok_or_else(|| {
                        ErrorData::invalid_params(
                            format!("unknown resource template: {}", repeated(&template.uri)),
                            None,
                        )
                    })?
            }
            _ => &[],
        };
        let known = arguments
            .iter()
            .find(|argument| argument.name == request.argument.name);
        let begun = request.argument.value.to_lowercase();
        let mut values: Vec<String> = known
            .map(|argument| {
                argument
                    .complete
                    .iter()
                    .filter(|value| value.to_lowercase().starts_with(&begun))
                    .cloned()
                    .collect()
            })
            .unwrap_or_default();
        let total = values.len();
        values.truncate(CompletionInfo::MAX_VALUES);
        let has_more = total > values.len();
        let info = CompletionInfo::with_pagination(values, u32::try_from(total).ok(), has_more);
        Ok(CompleteResult::new(info.map_err(|reason| {
            ErrorData::internal_error(reason, None)
        })?))
    }
}
