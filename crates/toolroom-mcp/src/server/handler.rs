//! The protocol's questions, each handed to whoever knows the answer.

#![expect(deprecated, reason = "clients of every revision are served")]

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, InitializeRequestParams,
    InitializeResult, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};

use super::Era;
use super::changes::Ear;
use super::level::Level;
use super::misread;
use super::session::Session;
use super::sessions::Stay;

/// How long a client may keep a list; changes are announced anyway.
const FRESH_MS: u64 = 5_000;

/// Answers one connection.
#[derive(Debug, Clone)]
pub struct Handler {
    pub session: Arc<Session>,
}

impl Handler {
    /// Lists come whole; a cursor is none of ours.
    fn no_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
        match request.and_then(|request| request.cursor) {
            None => Ok(()),
            Some(_) => Err(ErrorData::invalid_params("there is no such cursor", None)),
        }
    }
}

fn capabilities(has_tasks: bool) -> ServerCapabilities {
    let known = ServerCapabilities::builder()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_prompts()
        .enable_prompts_list_changed()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_resources_subscribe()
        .enable_completions()
        .enable_logging_with(JsonObject::new());
    if has_tasks {
        known.enable_tasks().build()
    } else {
        known.build()
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let house = &self.session.house;
        let about =
            Implementation::new("toolroom", house.options.version.clone()).with_title("Toolroom");
        ServerConfig::new(capabilities(true))
            .with_server_info(about)
            .with_instructions(house.instructions())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let answer = self.negotiate_initialize(&request)?;
        if let Some(stay) = Stay::of(&context.extensions) {
            stay.agree(answer.protocol_version.clone(), &self.session);
        }
        let mut agreed = request;
        agreed.protocol_version = answer.protocol_version.clone();
        context.peer.set_peer_info(agreed);
        Ok(answer)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        tokio::spawn(self.session.clone().announce(context.peer));
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Self::no_cursor(request)?;
        let tools = self.session.house.tools(Era::of(&context));
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(FRESH_MS))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let edition = self.session.house.now();
        edition
            .book
            .get(name)
            .map(|entry| entry.shown(Era::Modern).clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let _begun = self.session.begin(&context)?;
        self.session.call(request, context).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Self::no_cursor(request)?;
        let prompts = self.session.house.now().prompts.shown();
        Ok(ListPromptsResult::with_all_items(prompts).with_ttl_ms(FRESH_MS))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let _begun = self.session.begin(&context)?;
        self.session.prompt(request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Self::no_cursor(request)?;
        let resources = self.session.house.now().resources.shown();
        Ok(ListResourcesResult::with_all_items(resources).with_ttl_ms(FRESH_MS))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Self::no_cursor(request)?;
        let templates = self.session.house.now().resources.templates();
        Ok(ListResourceTemplatesResult::with_all_items(templates).with_ttl_ms(FRESH_MS))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let _begun = self.session.begin(&context)?;
        self.session.resource(request, context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.session.house.complete(&request)
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if Era::of(&context) == Era::Modern {
            return Err(ErrorData::method_not_found::<
                rmcp::model::SetLevelRequestMethod,
            >());
        }
        self.session.set_level(Level::from(request.level));
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.session.subscribe(&request.uri) {
            return Ok(());
        }
        Err(ErrorData::invalid_params("too many subscriptions", None))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.unsubscribe(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let ear = Ear::Request(&context);
        self.session.house.tell_changes(&ear).await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(misread::fault(request, Era::of(&context)))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let task = self.session.house.tasks.0.get_task(&request.task_id)?;
        Ok(GetTaskResult::new(task))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session
            .house
            .tasks
            .0
            .update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.house.tasks.0.cancel_task(&request.task_id)
    }
}
