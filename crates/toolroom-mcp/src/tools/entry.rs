//! One tool as agents see it, made from what its file says.

use std::sync::{Arc, OnceLock};

use rmcp::model::{Icon, JsonObject, MetaObject, Tool as Shown, ToolAnnotations};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use toolroom_exec::executor;
use toolroom_exec::executor::parameters::{Checker, ParameterError};
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::{Tool, ToolId, field};

use super::schema;
use super::text::clean;
use crate::server::Era;

const LONGEST_DESCRIPTION: usize = 8 << 10;
const LONGEST_TITLE: usize = 200;
const MOST_ICONS: usize = 8;

/// A tool with everything a call needs to know of it.
#[derive(Debug)]
pub struct Entry {
    pub id: ToolId,
    /// The file as it was last read whole.
    pub source: Tool,
    pub output: Option<Output>,
    /// How many calls of it may run at once; none for as many as there may be in all.
    pub places: Option<Arc<Semaphore>>,
    pub task: TaskUse,
    /// What a call of `source` needs every time, once one has made it.
    pub linked: OnceLock<Linked>,
    modern: Shown,
    legacy: Shown,
}

/// A chain, and the schema of its tool made ready.
#[derive(Debug, Clone)]
pub struct Linked {
    pub chain: Arc<Chain>,
    pub checker: Option<Arc<Checker>>,
}

impl Linked {
    /// Reads what the chain's tool says of its arguments.
    ///
    /// # Errors
    /// Fails for what is no schema.
    pub fn of(chain: Chain) -> Result<Self, ParameterError> {
        let checker = executor::schema(&chain).map(Checker::of).transpose()?;
        Ok(Self {
            chain: Arc::new(chain),
            checker: checker.map(Arc::new),
        })
    }
}

/// Whether calls of a tool become tasks, for clients that know them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TaskUse {
    #[default]
    Never,
    /// For a client that knows tasks a call is one; any other waits.
    Optional,
    /// A client that does not know tasks cannot call it.
    Required,
    /// It asks first, and is a task once it is answered.
    AfterInput,
}

/// A declared output schema.
#[derive(Debug)]
pub struct Output {
    schema: Value,
    validator: OnceLock<Result<jsonschema::Validator, String>>,
}

impl Output {
    /// Checks a result.
    ///
    /// # Errors
    /// Says where it differs, and how.
    pub fn check(&self, result: &Value) -> Result<(), String> {
        const MOST_FAULTS: usize = 5;
        let validator = self.validator.get_or_init(|| {
            let options = jsonschema::draft202012::options();
            options
                .build(&self.schema)
                .map_err(|error| format!("its output_schema cannot be used: {error}"))
        });
        let validator = validator.as_ref().map_err(Clone::clone)?;
        let faults: Vec<String> = validator
            .iter_errors(result)
            .take(MOST_FAULTS)
            .map(|error| format!("at {}: {error}", place(&error.instance_path().to_string())))
            .collect();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults.join("; "))
        }
    }
}

fn place(pointer: &str) -> &str {
    if pointer.is_empty() {
        "the root"
    } else {
        pointer
    }
}

impl Entry {
    /// Makes an entry under a public name.
    ///
    /// # Errors
    /// Says which schema keeps it from being shown.
    pub fn new(name: String, source: Tool, remarks: &mut Vec<String>) -> Result<Self, String> {
        let input = schema::input(source.metadata.get(field::INPUT_SCHEMA))
            .map_err(|reason| format!("its input schema {reason}"))?;
        remarks.extend(
            input
                .remarks
                .into_iter()
                .map(|remark| format!("the input schema of {} {remark}", source.id)),
        );
        let output = schema::output(source.metadata.get(field::OUTPUT_SCHEMA))
            .map_err(|reason| format!("its output schema {reason}"))?;
        let mut shown = Shown::new(name, description(&source), Arc::new(input.schema));
        shown.title = text(&source, "title");
        shown.annotations = annotations(source.metadata.get("annotations"));
        shown.icons = icons(source.metadata.get("icons"));
        shown.meta = source
            .metadata
            .get("_meta")
            .and_then(Value::as_object)
            .cloned()
            .map(MetaObject);
        let mut legacy = shown.clone();
        legacy.output_schema = output.as_ref().and_then(for_legacy).map(Arc::new);
        shown.output_schema = output.clone().map(Arc::new);
        Ok(Self {
            id: source.id.clone(),
            output: output.map(|schema| Output {
                schema: Value::Object(schema),
                validator: OnceLock::new(),
            }),
            places: places(&source),
            task: task(&source),
            linked: OnceLock::new(),
            source,
            modern: shown,
            legacy,
        })
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.modern.name
    }

    /// What a client of this era is shown.
    #[must_use]
    pub fn shown(&self, era: Era) -> &Shown {
        match era {
            Era::Modern => &self.modern,
            Era::Legacy => &self.legacy,
        }
    }

    /// Whether a client would see a difference.
    #[must_use]
    pub fn looks_like(&self, other: &Self) -> bool {
        self.modern == other.modern
    }
}

fn for_legacy(schema: &Map<String, Value>) -> Option<JsonObject> {
    if schema::is_object(schema) {
        Some(schema.clone())
    } else {
        schema::wrapped(schema)
    }
}

/// Every tool needs a description; one that has none is known by its id.
fn description(source: &Tool) -> String {
    let own = source.description().map(clean).unwrap_or_default();
    let own: String = own.trim().chars().take(LONGEST_DESCRIPTION).collect();
    if own.is_empty() {
        format!("Runs {}.", source.id)
    } else {
        own
    }
}

fn text(source: &Tool, field: &str) -> Option<String> {
    let text = clean(source.text(field)?)
        .trim()
        .chars()
        .take(LONGEST_TITLE)
        .collect::<String>();
    (!text.is_empty()).then_some(text)
}

/// Hints may be written as MCP writes them or in the words of the data format.
fn annotations(declared: Option<&Value>) -> Option<ToolAnnotations> {
    let declared = declared?.as_object()?;
    let hint = |names: [&str; 3]| names.iter().find_map(|name| declared.get(*name)?.as_bool());
    let mut hints = ToolAnnotations::new();
    hints.title = declared
        .get("title")
        .and_then(Value::as_str)
        .map(|title| clean(title).into_owned());
    hints.read_only_hint = hint(["readOnlyHint", "read_only_hint", "read_only"]);
    hints.destructive_hint = hint(["destructiveHint", "destructive_hint", "destructive"]);
    hints.idempotent_hint = hint(["idempotentHint", "idempotent_hint", "idempotent"]);
    hints.open_world_hint = hint(["openWorldHint", "open_world_hint", "open_world"]);
    Some(hints)
}

/// Icons by address or as data; nothing here is fetched.
fn icons(declared: Option<&Value>) -> Option<Vec<Icon>> {
    let icons: Vec<Icon> = declared?
        .as_array()?
        .iter()
        .take(MOST_ICONS)
        .filter_map(|icon| match icon {
            Value::String(src) => Some(Icon::new(src.clone())),
            Value::Object(_) => serde_json::from_value(icon.clone()).ok(),
            _ => None,
        })
        .filter(|icon| {
            ["https://", "data:image/"]
                .iter()
                .any(|scheme| icon.src.starts_with(scheme))
        })
        .collect();
    (!icons.is_empty()).then_some(icons)
}

/// A tool's own word on how it is served: `mcp`, or else its `config`.
fn setting<'t>(source: &'t Tool, name: &str) -> Option<&'t Value> {
    let own = source.object("mcp").and_then(|mcp| mcp.get(name));
    own.or_else(|| source.config()?.get(name))
}

fn places(source: &Tool) -> Option<Arc<Semaphore>> {
    let most = setting(source, "concurrency")?.as_u64()?;
    let most = usize::try_from(most.clamp(1, 10_000)).ok()?;
    Some(Arc::new(Semaphore::new(most)))
}

fn task(source: &Tool) -> TaskUse {
    match setting(source, "task") {
        Some(Value::Bool(true)) => TaskUse::Optional,
        Some(Value::String(word)) if word == "optional" => TaskUse::Optional,
        Some(Value::String(word)) if word == "required" => TaskUse::Required,
        Some(Value::String(word)) if word == "after_input" => TaskUse::AfterInput,
        _ => TaskUse::Never,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolroom_kernel::model::Space;

    use super::*;

    fn tool(metadata: Value) -> Tool {
        let Value::Object(metadata) = metadata else {
            unreachable!()
        };
        Tool {
            id: ToolId::parse("web/fetch").unwrap(),
            space: Space::Project,
            path: "fetch.yaml".into(),
            metadata,
            positions: std::collections::BTreeMap::new(),
            digest: String::new(),
        }
    }

    fn entry(metadata: Value) -> Entry {
        Entry::new("web_fetch".into(), tool(metadata), &mut Vec::new()).unwrap()
    }

    #[test]
    fn a_tool_says_what_it_is_and_what_it_may_do() {
        let entry = entry(
            json!({"description": "Gets \u{1b}[1ma page\u{202e}.", "title": "Fetch",
            "annotations": {"read_only": true, "openWorldHint": false},
            "icons": ["https://example.org/i.png", "file:///etc/passwd"]}),
        );
        let shown = entry.shown(Era::Modern);
        assert_eq!(shown.description.as_deref(), Some("Gets a page."));
        let hints = shown.annotations.as_ref().unwrap();
        assert_eq!(
            (
                hints.read_only_hint,
                hints.open_world_hint,
                hints.destructive_hint
            ),
            (Some(true), Some(false), None)
        );
        assert_eq!(shown.icons.as_ref().map(Vec::len), Some(1));
    }

    #[test]
    fn a_list_is_shown_as_it_is_to_new_clients_and_wrapped_to_old_ones() {
        let entry = entry(json!({"output_schema": {"type": "array", "items": {"type": "string"}}}));
        assert_eq!(
            entry.shown(Era::Modern).output_schema.as_ref().unwrap()["type"],
            "array"
        );
        let legacy = entry.shown(Era::Legacy).output_schema.clone().unwrap();
        assert_eq!(legacy["properties"]["result"]["type"], "array");
    }

    #[test]
    fn a_result_that_breaks_the_schema_is_told_where() {
        let entry = entry(
            json!({"output_schema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}),
        );
        let output = entry.output.as_ref().unwrap();
        assert_eq!(output.check(&json!({"n": 1})), Ok(()));
        let fault = output.check(&json!({"n": "x"})).unwrap_err();
        assert!(fault.starts_with("at /n: "), "{fault}");
    }

    #[test]
    fn a_tool_may_bound_its_own_calls_and_be_a_task() {
        let entry = entry(json!({"mcp": {"concurrency": 2, "task": "required"}}));
        assert_eq!(
            entry
                .places
                .as_ref()
                .map(|places| places.available_permits()),
            Some(2)
        );
        assert_eq!(entry.task, TaskUse::Required);
    }
}
