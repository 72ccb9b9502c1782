//! Requests of methods we know with params they do not take. The SDK hands them over as if
//! the method were unknown; a client is told what is wrong instead.

#![expect(deprecated, reason = "clients of every revision are served")]

use rmcp::model::{
    CallToolRequestParams, CancelTaskParams, CompleteRequestParams, CustomRequest, ErrorCode,
    ErrorData, GetPromptRequestParams, GetTaskParams, InitializeRequestParams,
    ReadResourceRequestParams, SetLevelRequestParams, SubscribeRequestParams,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Era;

/// What a request is called that could not be read; its params say why, and by which code.
pub const ILLEGIBLE: &str = "toolroom/illegible";

/// Why a request is none.
pub fn fault(request: CustomRequest, era: Era) -> ErrorData {
    let CustomRequest { method, params, .. } = request;
    let params = params.unwrap_or_default();
    if method == ILLEGIBLE {
        let reason = params["reason"].as_str().unwrap_or_default().to_owned();
        let code = serde_json::from_value(params["code"].clone());
        return ErrorData::new(code.unwrap_or(ErrorCode::PARSE_ERROR), reason, None);
    }
    let reason = match (method.as_str(), era) {
        ("tools/call", _) => of::<CallToolRequestParams>(params),
        ("prompts/get", _) => of::<GetPromptRequestParams>(params),
        ("resources/read", _) => of::<ReadResourceRequestParams>(params),
        ("completion/complete", _) => of::<CompleteRequestParams>(params),
        ("tasks/get", _) => of::<GetTaskParams>(params),
        ("tasks/update", _) => of::<UpdateTaskParams>(params),
        ("tasks/cancel", _) => of::<CancelTaskParams>(params),
        ("initialize", Era::Legacy) => of::<InitializeRequestParams>(params),
        ("logging/setLevel", Era::Legacy) => of::<SetLevelRequestParams>(params),
        ("resources/subscribe", Era::Legacy) => of::<SubscribeRequestParams>(params),
        ("resources/unsubscribe", Era::Legacy) => of::<UnsubscribeRequestParams>(params),
        _ => return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None),
    };
    ErrorData::invalid_params(format!("invalid params of {method}: {reason}"), None)
}

fn of<P: DeserializeOwned>(params: Value) -> String {
    let fault = serde_json::from_value::<P>(params).err();
    fault.map_or_else(|| "not understood".to_owned(), |fault| fault.to_string())
}
