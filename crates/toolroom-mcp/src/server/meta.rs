//! Four tools in place of all others, for agents that should not see hundreds: search,
//! show, run and env. Also what the server says of itself.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject,
    Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use toolroom_catalog::environment::Brought;
use toolroom_catalog::search::{Entry as Searched, rank};
use toolroom_catalog::secrets::Secrets;
use toolroom_kernel::model::field;
use toolroom_provision::ready;

use super::Era;
use super::house::House;
use super::rounds::Subject;
use super::session::Session;
use crate::tools::entry::Entry;
use crate::tools::result::{explained, fault};
use crate::tools::text::repeated;

const MOST_FOUND: usize = 50;

impl House {
    /// What an agent is told before it sees any tool.
    #[must_use]
    pub fn instructions(&self) -> String {
        let edition = self.now();
        let count = edition.book.entries.len();
        let root = self.world.root().display();
        let how = if self.options.meta {
            "Find one with search, read its arguments with show, call it with run."
        } else {
            "Each is a tool of its own; a name such as web_fetch stands for the file web/fetch."
        };
        format!(
            "Toolroom serves the {count} tools of the project {root}. {how} Arguments are checked before a tool runs."
        )
    }

    /// Every tool a client of this era is shown.
    #[must_use]
    pub fn tools(&self, era: Era) -> Vec<Tool> {
        if self.options.meta {
            return four();
        }
        self.now()
            .book
            .entries
            .iter()
            .map(|entry| entry.shown(era).clone())
            .collect()
    }

    fn search(&self, query: &str, limit: usize) -> CallToolResult {
        let edition = self.now();
        let entries: Vec<Searched<'_>> = edition
            .book
            .entries
            .iter()
            .map(|entry| Searched {
                id: entry.id.as_str(),
                name: entry.id.name(),
                category: entry.source.text(field::CATEGORY),
                description: entry.source.description(),
                content: &[],
            })
            .collect();
        let found: Vec<Value> = rank(&entries, query, limit.clamp(1, MOST_FOUND))
            .into_iter()
            .map(|hit| brief(&edition.book.entries[hit.index]))
            .collect();
        structured(json!({"tools": found}))
    }

    /// The environment a tool would get: which interpreter and why, and which variables
    /// from where. Values are the tool's own business.
    fn environment(&self, entry: &Entry) -> CallToolResult {
        let edition = self.now();
        let secrets = Secrets::of(self.world.env.iter());
        let catalog = edition.book.catalog(&self.world);
        let chain = match catalog.link(entry.source.clone()) {
            Ok(chain) => chain,
            Err(error) => return explained(&error, &secrets),
        };
        let brought = Brought {
            dotenv_allow: &self.options.dotenv_allow,
            ..Brought::default()
        };
        match ready::resolved(&self.world, catalog, &chain, brought) {
            Err(error) => explained(&error, &secrets),
            Ok(resolution) => {
                let variables: JsonObject = resolution
                    .env
                    .iter()
                    .map(|(name, _, origin)| {
                        (
                            name.to_string_lossy().into_owned(),
                            serde_json::to_value(origin).unwrap_or_default(),
                        )
                    })
                    .collect();
                structured(json!({
                    "id": entry.id,
                    "interpreter": resolution.interpreter(),
                    "variables": variables,
                    "tried": resolution.tried,
                    "notes": resolution.notes,
                }))
            }
        }
    }
}

impl Session {
    /// Answers a call of one of the four.
    pub(super) async fn meta(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = &*request.name;
        let arguments = request.arguments.unwrap_or_default();
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        if name == "search" {
            let Some(query) = text("query") else {
                return Ok(fault("invalid arguments: query is missing").into());
            };
            let limit = arguments.get("limit").and_then(Value::as_u64).unwrap_or(10);
            return Ok(self
                .house
                .search(query, usize::try_from(limit).unwrap_or(MOST_FOUND))
                .into());
        }
        if !["show", "run", "env"].contains(&name) {
            return Err(ErrorData::invalid_params(
                format!("unknown tool: {}", repeated(name)),
                None,
            ));
        }
        let Some(id) = text("id") else {
            return Ok(fault("invalid arguments: id is missing").into());
        };
        let edition = self.house.now();
        let Some(entry) = edition.book.by_id(id).or_else(|| edition.book.get(id)) else {
            let id = repeated(id);
            return Ok(fault(format!("there is no tool {id}; search finds them")).into());
        };
        match name {
            "show" => Ok(structured(whole(entry)).into()),
            "env" => Ok(self.house.environment(entry).into()),
            _ => {
                let given = match arguments.get("arguments") {
                    None | Some(Value::Null) => JsonObject::new(),
                    Some(Value::Object(given)) => given.clone(),
                    Some(_) => {
                        return Ok(fault("invalid arguments: arguments is not an object").into());
                    }
                };
                let subject = Subject::new("tools/call", name, &arguments);
                let answers = self.house.answers(
                    &subject,
                    request.input_responses,
                    request.request_state.as_deref(),
                )?;
                let call = self.made(entry.clone(), given, answers, context);
                self.answered(call, &subject, context).await
            }
        }
    }
}

fn brief(entry: &Entry) -> Value {
    let shown = entry.shown(Era::Modern);
    json!({"id": entry.id, "description": shown.description})
}

fn whole(entry: &Entry) -> Value {
    let shown = entry.shown(Era::Modern);
    json!({
        "id": entry.id,
        "title": shown.title,
        "description": shown.description,
        "inputSchema": shown.input_schema,
        "outputSchema": shown.output_schema,
        "annotations": shown.annotations,
    })
}

fn structured(value: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    result.structured_content = Some(value);
    result
}

fn four() -> Vec<Tool> {
    let id = json!({"type": "string", "description": "The tool's id, such as web/fetch."});
    let one = || json!({"type": "object", "properties": {"id": id}, "required": ["id"], "additionalProperties": false});
    let reads = || ToolAnnotations::new().read_only(true);
    vec![
        tool("env", "Says which interpreter and environment a tool gets, and why.", one()).with_annotations(reads()),
        tool(
            "run",
            "Runs a tool with arguments that fit its inputSchema.",
            json!({"type": "object", "properties": {"id": id, "arguments": {"type": "object", "description": "The tool's arguments; show tells them."}}, "required": ["id"], "additionalProperties": false}),
        ),
        tool(
            "search",
            "Finds tools by what they do.",
            json!({"type": "object", "properties": {"query": {"type": "string", "description": "A few words."}, "limit": {"type": "integer", "minimum": 1, "maximum": MOST_FOUND, "default": 10}}, "required": ["query"], "additionalProperties": false}),
        )
        .with_annotations(reads()),
        tool("show", "Shows a tool: what it does, its arguments and its result.", one()).with_annotations(reads()),
    ]
}

fn tool(name: &'static str, description: &'static str, schema: Value) -> Tool {
    let schema = match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    Tool::new(name, description, schema)
}
