//! A call from request to answer, with the questions a tool may ask on the way.
//!
//! A newer client is handed the question and calls again with the answers; an older one is
//! asked over its connection; a task waits for its answers. The tool is the same for all.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
    CreateTaskResult, ErrorData, InputRequest, InputRequiredResult, InputResponses, JsonObject,
    SealOptions, ServerRequest,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskOptions};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::Era;
use super::call::Call;
use super::house::House;
use super::session::Session;
use crate::tools::ask::{Answers, Ask};
use crate::tools::entry::{Entry, TaskUse};
use crate::tools::result::{Finished, fault};
use crate::tools::text::repeated;

/// How often a tool may ask before it has to answer.
const MOST_ROUNDS: usize = 10;
const STATE_LIVES: std::time::Duration = std::time::Duration::from_secs(3600);
const TASK_LIVES_MS: u64 = 3_600_000;
const POLL_MS: u64 = 500;

/// What a sealed state belongs to: it opens for the same request only.
#[derive(Debug)]
pub struct Subject {
    bound: Vec<u8>,
}

impl Subject {
    #[must_use]
    pub fn new(method: &str, name: &str, arguments: &JsonObject) -> Self {
        let mut hash = Sha256::new();
        let text = Value::Object(arguments.clone()).to_string();
        for part in [method, name, &text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self {
            bound: hash.finalize().to_vec(),
        }
    }
}

impl House {
    /// What a client answered, with the tool's own state unsealed.
    ///
    /// # Errors
    /// Fails for a state that is not one of ours, or belongs to another request.
    pub fn answers(
        &self,
        subject: &Subject,
        responses: Option<InputResponses>,
        state: Option<&str>,
    ) -> Result<Answers, ErrorData> {
        let opened = state.map(|sealed| {
            self.seal
                .open_json_with::<Option<String>>(sealed, &subject.bound)
        });
        let state = opened
            .transpose()
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let responses = responses.unwrap_or_default();
        if let Some((key, _)) = responses.iter().find(|(_, response)| !response.is_object()) {
            return Err(ErrorData::invalid_params(
                format!("inputResponses.{key} is not an object"),
                None,
            ));
        }
        Ok(Answers {
            responses,
            state: state.flatten(),
        })
    }

    /// A tool's question as a newer client gets it.
    ///
    /// # Errors
    /// Fails if the client cannot be asked this.
    pub fn question(
        &self,
        mut ask: Ask,
        subject: &Subject,
        client: Option<&ClientCapabilities>,
    ) -> Result<InputRequiredResult, ErrorData> {
        ask.fit(client)
            .map_err(|lacking| ErrorData::missing_required_client_capability(*lacking))?;
        let options = SealOptions::new()
            .associated_data(&subject.bound)
            .ttl(STATE_LIVES);
        let state = ask
            .state
            .map(|state| self.seal.seal_json_with(&Some(state), &options));
        let state = state
            .transpose()
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(InputRequiredResult::new(
            (!ask.requests.is_empty()).then_some(ask.requests),
            state,
        ))
    }
}

impl Session {
    /// Answers `tools/call`.
    ///
    /// # Errors
    /// Fails for what is no call at all; a tool that fails is an answer.
    pub async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.house.options.meta {
            return self.meta(request, &context).await;
        }
        let arguments = request.arguments.unwrap_or_default();
        let edition = self.house.now();
        let Some(entry) = edition.book.get(&request.name) else {
            let why = edition.book.collision(&request.name);
            let why = why.map(|collision| format!(": {collision}"));
            return Err(ErrorData::invalid_params(
                format!(
                    "unknown tool: {}{}",
                    repeated(&request.name),
                    why.unwrap_or_default()
                ),
                None,
            ));
        };
        let subject = Subject::new("tools/call", &request.name, &arguments);
        let answers = self.house.answers(
            &subject,
            request.input_responses,
            request.request_state.as_deref(),
        )?;
        let call = self.made(entry.clone(), arguments, answers, &context);
        self.answered(call, &subject, &context).await
    }

    pub(crate) fn made(
        &self,
        entry: Arc<Entry>,
        arguments: JsonObject,
        answers: Answers,
        context: &RequestContext<RoleServer>,
    ) -> Call {
        Call {
            entry,
            arguments,
            answers,
            era: Era::of(context),
            audience: self.audience(context),
            cancelled: context.ct.clone(),
        }
    }

    pub(super) async fn answered(
        &self,
        call: Call,
        subject: &Subject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = context.client_capabilities();
        let knows_tasks = client
            .as_ref()
            .is_some_and(ClientCapabilities::supports_tasks);
        match (call.entry.task, knows_tasks) {
            (TaskUse::Required, false) => {
                let tasks = ClientCapabilities::builder().enable_tasks().build();
                return Err(ErrorData::missing_required_client_capability(tasks));
            }
            (TaskUse::Required | TaskUse::Optional, true) => return Ok(self.task(call).into()),
            (TaskUse::AfterInput, true) if call.answers.is_given() => {
                return Ok(self.task(call).into());
            }
            _ => {}
        }
        match self.finished(call, context).await {
            Finished::Done(result) | Finished::Broke(result) => Ok((*result).into()),
            Finished::Asks(ask) => Ok(self.house.question(*ask, subject, client.as_ref())?.into()),
        }
    }

    /// Runs a tool to its end, asking an older client what it wants to know.
    pub(crate) async fn finished(
        &self,
        mut call: Call,
        context: &RequestContext<RoleServer>,
    ) -> Finished {
        for _ in 0..MOST_ROUNDS {
            let mut ask = match self.house.run(&call).await {
                Finished::Asks(ask) if call.era == Era::Legacy => ask,
                finished => return finished,
            };
            if ask.fit(context.client_capabilities().as_ref()).is_err() {
                return Finished::done(fault(format!(
                    "{} has to ask something, and this client cannot be asked",
                    call.entry.id
                )));
            }
            let asked = tokio::select! {
                asked = ask_over_connection(&ask, context) => asked,
                () = call.cancelled.cancelled() => Err("the call was cancelled".to_owned()),
                () = self.house.gone.cancelled() => Err("the client is gone".to_owned()),
            };
            match asked {
                Ok(responses) => {
                    call.answers = Answers {
                        responses,
                        state: ask.state,
                    }
                }
                Err(reason) => return Finished::done(fault(reason)),
            }
        }
        Finished::done(fault(format!(
            "{} asked more than {MOST_ROUNDS} times",
            call.entry.id
        )))
    }

    fn task(&self, mut call: Call) -> CreateTaskResult {
        let house = self.house.clone();
        let options = TaskOptions::new()
            .with_ttl_ms(TASK_LIVES_MS)
            .with_poll_interval_ms(POLL_MS);
        let task = self.house.tasks.0.spawn(options, move |context| {
            // A task outlives the request that started it, and is heard of by asking.
            call.cancelled = CancellationToken::new();
            call.audience.token = None;
            call.audience.level = None;
            Box::pin(async move {
                let cancelled = call.cancelled.clone();
                tokio::select! {
                    result = run_task(&house, call, &context) => result,
                    () = context.cancelled() => {
                        cancelled.cancel();
                        Err(TaskExit::Cancelled)
                    }
                }
            })
        });
        CreateTaskResult::new(task)
    }
}

async fn run_task(
    house: &Arc<House>,
    mut call: Call,
    context: &TaskContext,
) -> Result<CallToolResult, TaskExit> {
    for round in 0..MOST_ROUNDS {
        let ask = match house.run(&call).await {
            Finished::Done(result) => return Ok(*result),
            Finished::Broke(result) => {
                return Err(ErrorData::internal_error(text_of(&result), None).into());
            }
            Finished::Asks(ask) => ask,
        };
        let mut waiting = JoinSet::new();
        for (key, request) in ask.requests {
            let context = context.clone();
            // A key may be asked once in a task's life.
            let minted = if round == 0 {
                key.clone()
            } else {
                format!("{key}-{round}")
            };
            waiting.spawn(async move { (key, context.request_input(minted, request).await) });
        }
        let mut responses = BTreeMap::new();
        while let Some(joined) = waiting.join_next().await {
            let (key, answer) = joined.map_err(|_| TaskExit::Cancelled)?;
            responses.insert(key, answer?);
        }
        call.answers = Answers {
            responses,
            state: ask.state,
        };
    }
    Ok(fault(format!(
        "{} asked more than {MOST_ROUNDS} times",
        call.entry.id
    )))
}

/// Asks an older client, one question after the other.
async fn ask_over_connection(
    ask: &Ask,
    context: &RequestContext<RoleServer>,
) -> Result<InputResponses, String> {
    let mut responses = InputResponses::new();
    for (key, request) in &ask.requests {
        let request = match request.clone() {
            InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
            InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
            InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
            _ => return Err("the tool asked in a way that is not known".into()),
        };
        let answer = context
            .peer
            .send_request(request)
            .await
            .map_err(|error| format!("the client did not answer: {error}"))?;
        let answer = serde_json::to_value(answer).map_err(|error| error.to_string())?;
        responses.insert(key.clone(), answer);
    }
    Ok(responses)
}

fn text_of(result: &CallToolResult) -> String {
    let text = result.content.iter().find_map(ContentBlock::as_text);
    text.map(|text| text.text.clone()).unwrap_or_default()
}
