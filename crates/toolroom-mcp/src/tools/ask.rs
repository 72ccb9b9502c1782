//! A tool's question to the person behind the agent: it returns one instead of a result
//! and is run again with the answers.
//!
//! The form is MCP's own: `{"resultType": "input_required", "inputRequests": {KEY: {method,
//! params}}, "requestState": TEXT}`. It says nothing of how a client is asked.

use rmcp::model::{ClientCapabilities, InputRequest, InputRequests, InputResponses};
use serde_json::Value;

/// The variables in which a tool that is run again finds what it asked for.
pub const ANSWERS_VARIABLE: &str = "TOOLROOM_INPUT_RESPONSES";
pub const STATE_VARIABLE: &str = "TOOLROOM_REQUEST_STATE";

const MOST_QUESTIONS: usize = 32;
/// What fits into one variable on every system.
const LARGEST_ANSWERS: usize = 100 << 10;

/// What a tool wants to know before it goes on.
#[derive(Debug, Clone)]
pub struct Ask {
    pub requests: InputRequests,
    /// What the tool wants to be told again, as it wrote it.
    pub state: Option<String>,
}

/// What was answered, and what the tool had noted for itself.
#[derive(Debug, Clone, Default)]
pub struct Answers {
    pub responses: InputResponses,
    pub state: Option<String>,
}

impl Ask {
    /// Whether a result is meant as a question.
    #[must_use]
    pub fn is_meant(value: &Value) -> bool {
        value
            .get("resultType")
            .is_some_and(|kind| kind == "input_required")
    }

    /// Reads a question.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn parse(value: &Value) -> Result<Self, String> {
        let mut requests = InputRequests::new();
        match value.get("inputRequests") {
            None | Some(Value::Null) => {}
            Some(Value::Object(written)) => {
                if written.len() > MOST_QUESTIONS {
                    return Err(format!("more than {MOST_QUESTIONS} inputRequests"));
                }
                for (key, request) in written {
                    requests.insert(
                        key.clone(),
                        Self::request(request)
                            .map_err(|reason| format!("inputRequests.{key}: {reason}"))?,
                    );
                }
            }
            Some(_) => return Err("inputRequests is not an object".into()),
        }
        let state = match value.get("requestState") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => Some(other.to_string()),
        };
        if requests.is_empty() && state.is_none() {
            return Err("neither inputRequests nor requestState".into());
        }
        Ok(Self { requests, state })
    }

    fn request(written: &Value) -> Result<InputRequest, String> {
        match written.get("method").and_then(Value::as_str) {
            Some("elicitation/create" | "sampling/createMessage" | "roots/list") => {}
            Some(other) => return Err(format!("there is no method {other}")),
            None => return Err("no method".into()),
        }
        serde_json::from_value(written.clone()).map_err(|error| error.to_string())
    }

    /// Leaves out what this client cannot be asked; a tool that cannot do without asks
    /// again. If nothing would be left, says what the client would have to be able to do.
    ///
    /// # Errors
    /// Gives the missing capabilities.
    pub fn fit(
        &mut self,
        client: Option<&ClientCapabilities>,
    ) -> Result<(), Box<ClientCapabilities>> {
        let can = |request: &InputRequest| match request {
            InputRequest::Elicitation(_) => {
                client.is_some_and(|client| client.elicitation.is_some())
            }
            InputRequest::CreateMessage(_) => {
                client.is_some_and(|client| client.sampling.is_some())
            }
            InputRequest::ListRoots(_) => client.is_some_and(|client| client.roots.is_some()),
            _ => false,
        };
        if self.requests.is_empty() || self.requests.values().any(can) {
            self.requests.retain(|_, request| can(request));
            return Ok(());
        }
        Err(Box::new(self.needed()))
    }

    fn needed(&self) -> ClientCapabilities {
        let mut needed = ClientCapabilities::default();
        for request in self.requests.values() {
            match request {
                InputRequest::Elicitation(_) => {
                    needed.elicitation = Some(rmcp::model::ElicitationCapability::default());
                }
                InputRequest::CreateMessage(_) => {
                    needed.sampling = Some(rmcp::model::SamplingCapability::default());
                }
                InputRequest::ListRoots(_) => {
                    needed.roots = Some(rmcp::model::RootsCapabilities::default());
                }
                _ => {}
            }
        }
        needed
    }
}

impl Answers {
    /// Whether anything was answered.
    #[must_use]
    pub fn is_given(&self) -> bool {
        !self.responses.is_empty()
    }

    /// The variables for the next run; none for a first one.
    ///
    /// # Errors
    /// Fails if the answers are too large to be passed on.
    pub fn variables(&self) -> Result<Vec<(String, String)>, String> {
        let mut variables = Vec::new();
        if !self.responses.is_empty() {
            let text = serde_json::to_string(&self.responses).map_err(|error| error.to_string())?;
            if text.len() > LARGEST_ANSWERS {
                return Err(format!(
                    "the answers are larger than {LARGEST_ANSWERS} bytes"
                ));
            }
            variables.push((ANSWERS_VARIABLE.to_owned(), text));
        }
        if let Some(state) = &self.state {
            if state.len() > LARGEST_ANSWERS || state.contains('\0') {
                return Err("the tool's own state cannot be passed on".into());
            }
            variables.push((STATE_VARIABLE.to_owned(), state.clone()));
        }
        Ok(variables)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question() -> Value {
        json!({"resultType": "input_required", "requestState": "s", "inputRequests": {"who": {"method": "elicitation/create",
            "params": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}}}})
    }

    #[test]
    fn a_question_is_read_as_it_is_written() {
        let ask = Ask::parse(&question()).unwrap();
        assert_eq!(ask.state.as_deref(), Some("s"));
        assert!(matches!(ask.requests["who"], InputRequest::Elicitation(_)));
    }

    #[test]
    fn a_question_that_asks_nothing_is_none() {
        for value in [
            json!({}),
            json!({"inputRequests": {"a": {"method": "tools/call"}}}),
            json!({"inputRequests": 3}),
        ] {
            assert!(Ask::parse(&value).is_err(), "{value}");
        }
    }

    #[test]
    fn what_the_client_cannot_do_is_named() {
        let mut ask = Ask::parse(&question()).unwrap();
        assert!(ask.fit(None).unwrap_err().elicitation.is_some());
        let able = ClientCapabilities::builder().enable_elicitation().build();
        assert_eq!(ask.fit(Some(&able)), Ok(()));
    }

    #[test]
    fn only_what_the_client_can_be_asked_is_asked() {
        let mut question = question();
        question["inputRequests"]["where"] = json!({"method": "roots/list", "params": {}});
        let mut ask = Ask::parse(&question).unwrap();
        let able = ClientCapabilities::builder().enable_elicitation().build();
        assert_eq!(ask.fit(Some(&able)), Ok(()));
        assert_eq!(ask.requests.keys().collect::<Vec<_>>(), ["who"]);
    }

    #[test]
    fn answers_reach_the_tool_as_variables() {
        let answers = Answers {
            responses: InputResponses::from([("who".to_owned(), json!({"action": "accept"}))]),
            state: Some("s".into()),
        };
        let variables = answers.variables().unwrap();
        assert_eq!(variables[0].1, r#"{"who":{"action":"accept"}}"#);
        assert_eq!(variables[1], (STATE_VARIABLE.to_owned(), "s".to_owned()));
        assert_eq!(Answers::default().variables().unwrap(), []);
    }
}
