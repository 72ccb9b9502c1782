//! Turns a chain and parameters into a finished command or request: merged, resolved, filled in.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};
use toolroom_catalog::Catalog;
use toolroom_catalog::environment::{self, Brought};
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::{Role, Tool, field};
use toolroom_kernel::resolve::{Preferred, Resolution, Setup, Story};
use toolroom_kernel::template::{Template, Unset, expand_json};

use super::bridge::{self, Bridge};
use super::convention::{self, Convention};
use super::error::ExecError;
use super::launcher::{self, Launcher};
use super::parameters::{self, Checker};
use super::scope::{CallFacts, CallScope, Facts};
use super::style::{RequestForm, Returns, Style};
use super::{settings, stand_in};
use crate::call::{Call, arguments};
use crate::http;
use crate::subprocess::{Channel, Command, Stdin};

/// The primitive that starts processes.
const SUBPROCESS: &str = "primitives/subprocess";

/// The primitive that sends requests.
pub(super) const HTTP_CLIENT: &str = "primitives/http_client";

/// A call to make.
#[derive(Debug)]
pub struct Request<'a> {
    pub world: &'a World,
    pub catalog: &'a Catalog,
    pub chain: &'a Chain,
    /// What stands for the text of the tool's file, if that is not to be read.
    pub source: Option<&'a str>,
    pub params: &'a Map<String, Value>,
    /// Variables the caller passes; they win.
    pub env: &'a [(String, String)],
    /// In place of the chain's own.
    pub timeout: Option<Duration>,
    /// Loader variables the project lets its dotenv files set.
    pub dotenv_allow: &'a [String],
    /// Environments that were decided on.
    pub preferred: &'a [Preferred],
    /// What the chain's `env_setup` adds.
    pub setup: Option<&'a Setup>,
}

/// A call that has only to be started.
#[derive(Debug)]
pub struct Prepared {
    pub work: Work,
    pub timeout: Option<Duration>,
    /// The time a process has between the request to end and the kill, if the chain says so.
    pub grace: Option<Duration>,
    pub resolution: Resolution,
}

/// What a primitive is to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum Work {
    Process(Box<ProcessCall>),
    /// A client of another server, which is our own binary.
    Bridge(Box<Bridge>),
    Http(Box<http::Request>),
}

/// A process to start, and what it is told.
#[derive(Debug)]
pub struct ProcessCall {
    pub command: Command,
    pub input: Vec<u8>,
    pub style: Style,
    /// How many launchers a long-lived caller may keep waiting for such calls.
    pub prewarm: usize,
    /// Whether what it prints is kept, and not only shown while it comes.
    pub is_captured: bool,
    /// Keeps a temporary launcher until the call is over.
    _launcher: Option<Launcher>,
}

impl Prepared {
    /// Where the result comes from: what is printed while it comes, or a reply at the end.
    #[must_use]
    pub const fn returns(&self) -> Returns {
        match &self.work {
            Work::Process(call) => call.style.returns(),
            Work::Http(request) if request.stream => Returns::Output,
            Work::Bridge(_) | Work::Http(_) => Returns::Reply,
        }
    }
}

/// Prepares a call. Nothing has been started when this returns.
///
/// # Errors
/// Fails if parameters do not fit the schema, the environment cannot be resolved or the
/// config cannot be filled in.
pub fn prepare(request: &Request<'_>) -> Result<Prepared, ExecError> {
    prepared(request, None)
}

/// Prepares a call of a tool whose schema the caller has read already, for those who make
/// many.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_checked(request: &Request<'_>, checker: &Checker) -> Result<Prepared, ExecError> {
    prepared(request, Some(checker))
}

/// What a chain's tool says of its parameters.
#[must_use]
pub fn schema(chain: &Chain) -> Option<&Value> {
    let tool = chain.tool();
    let schema = tool.metadata.get(field::INPUT_SCHEMA);
    schema.filter(|_| tool.role() == Role::Tool)
}

fn prepared(request: &Request<'_>, checker: Option<&Checker>) -> Result<Prepared, ExecError> {
    let tool = request.chain.tool();
    let schema = schema(request.chain);
    let mut params = request.params.clone();
    let Convention {
        config: merged,
        lender,
        note,
    } = convention::of(request.catalog, request.chain, request.source);
    let needs_file = |_: &&str| stand_in::needs_file(request.chain, &merged, lender.as_ref());
    if request.source.filter(needs_file).is_some() {
        return Err(ExecError::NeedsFile(tool.id.to_string()));
    }
    parameters::make_exact(&mut params, schema)?;
    if !has_own_defaults(request.chain, &merged) {
        parameters::fill_defaults(&mut params, schema);
    }
    let params = Value::Object(params);
    match checker {
        Some(checker) => checker.check(&params)?,
        None => parameters::check(&params, schema)?,
    }
    let primitive = request.chain.primitive();
    if !matches!(primitive.id.as_str(), SUBPROCESS | HTTP_CLIENT) {
        return Err(ExecError::UnknownPrimitive {
            tool: tool.id.to_string(),
            primitive: primitive.id.to_string(),
        });
    }
    let facts = CallFacts {
        facts: facts(request),
        params: &params,
        schema,
    };
    let mut resolution = resolved(request, &facts)?;
    resolution.notes.extend(note);
    let build = Build {
        request,
        params: params.as_object().unwrap_or(request.params),
        tool,
        facts: &facts,
        resolution: &resolution,
        lender: lender.as_ref(),
    };
    let (work, timeout) = if bridge::is_meant(&merged) {
        build.bridge(&merged)?
    } else if primitive.id.as_str() == HTTP_CLIENT {
        let mut sent = build.http()?;
        sent.timeout = request.timeout.or(sent.timeout);
        let timeout = sent.timeout;
        (Work::Http(Box::new(sent)), timeout)
    } else {
        build.process(&merged)?
    };
    let grace = settings::seconds(&merged, "grace").map_err(|reason| build.bad("grace", reason))?;
    Ok(Prepared {
        work,
        timeout,
        grace,
        resolution,
    })
}

/// Whether the tool is a function that takes parameters by name, whose schema comes from
/// its signature: its own defaults may be values that JSON has no word for. `execute` gets
/// its parameters whole and has none.
fn has_own_defaults(chain: &Chain, config: &Map<String, Value>) -> bool {
    let tool = chain.tool();
    let entry = tool.text(field::ENTRY);
    // What the file itself says has a place in it; a derived schema has none.
    let is_declared = [field::INPUT_SCHEMA, field::PARAMETERS, field::CONFIG_SCHEMA]
        .iter()
        .any(|name| tool.positions.contains_key(*name));
    let is_function = matches!(
        Style::of(chain, config),
        Ok(Style::Function {
            request: RequestForm::Json,
            ..
        })
    );
    is_function && !is_declared && entry.is_some_and(|name| name != "execute")
}

pub(super) fn resolved(
    request: &Request<'_>,
    facts: &CallFacts<'_>,
) -> Result<Resolution, ExecError> {
    let brought = Brought {
        env: request.env,
        dotenv_allow: request.dotenv_allow,
        preferred: request.preferred,
        setup: request.setup,
        facts: Some(facts),
        story: Story::UntilFound,
    };
    Ok(environment::of_chain(
        request.world,
        request.catalog,
        request.chain,
        &brought,
    )?)
}

/// What placeholders without `params.` stand for.
pub(super) fn facts<'r>(request: &'r Request<'_>) -> Facts<'r> {
    let (tool, world) = (request.chain.tool(), request.world);
    Facts {
        tool_id: tool.id.as_str(),
        paths: [
            ("tool_path", Some(tool.path.as_path())),
            ("tool_dir", tool.path.parent()),
            ("project_path", Some(world.root())),
            ("user_space", world.user_space.as_deref()),
            ("home", world.home.as_deref()),
            ("cwd", Some(&world.cwd)),
        ],
    }
}

/// What a finished command or request is built from.
pub(super) struct Build<'a> {
    pub(super) request: &'a Request<'a>,
    /// What was given, with defaults.
    pub(super) params: &'a Map<String, Value>,
    pub(super) tool: &'a Tool,
    pub(super) facts: &'a CallFacts<'a>,
    pub(super) resolution: &'a Resolution,
    /// The runtime whose way of calling is used, if it is none of the chain.
    pub(super) lender: Option<&'a Tool>,
}

impl Build<'_> {
    fn process(&self, config: &Map<String, Value>) -> Result<(Work, Option<Duration>), ExecError> {
        let style =
            Style::of(self.request.chain, config).map_err(|reason| self.bad("call", reason))?;
        let style =
            style.for_file(|word| convention::speaks_of(self.tool, self.request.source, word));
        let program = self.program(config)?;
        let cwd = self.cwd(config)?;
        let mut command = Command::new(program, cwd);
        command.env = self.resolution.env.values().clone();
        command.limits = settings::limits(config).map_err(|reason| self.bad("limits", reason))?;
        let filled = self.filled(config, "args", Unset::Error)?;
        let args =
            settings::arguments(&filled, "args").map_err(|reason| self.bad("args", reason))?;
        command.args = args.into_iter().map(Into::into).collect();
        let timeout = self.filled(config, "timeout", Unset::Error)?;
        let timeout =
            settings::seconds(&timeout, "timeout").map_err(|reason| self.bad("timeout", reason))?;
        let (input, launcher) = self.call(&style, config, &mut command)?;
        let prewarm = match (&style, &launcher) {
            // Only what waits for its input can be started ahead, and stays where it is.
            (Style::Function { .. }, Some(launcher)) if launcher.is_lasting() => {
                settings::count(config, "prewarm").map_err(|reason| self.bad("prewarm", reason))?
            }
            _ => 0,
        };
        let call = ProcessCall {
            command,
            input,
            style,
            prewarm,
            is_captured: settings::truth(config, "capture_output", true)
                .map_err(|reason| self.bad("capture_output", reason))?,
            _launcher: launcher,
        };
        Ok((
            Work::Process(Box::new(call)),
            self.request.timeout.or(timeout),
        ))
    }

    /// Adds what the style of the call asks for: a launcher and its request, or arguments.
    fn call(
        &self,
        style: &Style,
        config: &Map<String, Value>,
        command: &mut Command,
    ) -> Result<(Vec<u8>, Option<Launcher>), ExecError> {
        match style {
            Style::Function {
                launcher,
                request,
                entry,
                ..
            } => {
                let order = self.order();
                let call = Call {
                    entry,
                    order: &order,
                    ..self.plain_call()
                };
                let input = match request {
                    RequestForm::Json => call.json()?,
                    RequestForm::Fields => call.fields()?,
                };
                Ok((input, Some(self.launch(launcher, command)?)))
            }
            style if self.request.source.is_some() && stand_in::runs_file(style, config) => {
                self.script_call(style, config, command)
            }
            Style::Script => {
                if !names_the_tool(config) {
                    command.args.push(self.tool.path.clone().into_os_string());
                }
                command
                    .args
                    .extend(arguments(self.params)?.into_iter().map(Into::into));
                Ok((self.input(config, command)?, None))
            }
            Style::Command => Ok((self.input(config, command)?, None)),
        }
    }

    pub(super) fn plain_call(&self) -> Call<'_> {
        Call {
            tool_path: &self.tool.path,
            source: self.request.source,
            project_path: Some(self.request.world.root()),
            entry: &[],
            order: &[],
            params: self.params,
            argv: None,
        }
    }

    /// Has a command start a launcher, which waits for its request.
    pub(super) fn launch(&self, name: &str, command: &mut Command) -> Result<Launcher, ExecError> {
        let runtime = launcher::owner(self.request.chain, self.lender);
        let launcher = launcher::find(self.request.world, runtime, name)?;
        command.args.push(launcher.path.clone().into_os_string());
        command.stdin = Stdin::Pipe;
        command.channel = Channel::Private;
        Ok(launcher)
    }

    /// The names of the parameters that the function takes one by one: the file says so,
    /// and its schema speaks of them.
    fn order(&self) -> Vec<String> {
        let metadata = &self.tool.metadata;
        let order = metadata.get(field::ORDER).and_then(Value::as_array);
        let names: Vec<String> = order
            .into_iter()
            .flatten()
            .filter_map(|name| Some(name.as_str()?.to_owned()))
            .collect();
        let is_meant = names
            .first()
            .is_some_and(|first| self.facts.is_declared(first));
        if is_meant { names } else { Vec::new() }
    }

    pub(super) fn program(&self, config: &Map<String, Value>) -> Result<PathBuf, ExecError> {
        let command = config.get("command").and_then(Value::as_str);
        let Some(text) = command.filter(|text| !text.is_empty()) else {
            return Err(self.bad("command", "is missing".into()));
        };
        let filled = self.text("command", text)?;
        if filled.is_empty() {
            return Err(self.bad("command", "is empty once it is filled in".into()));
        }
        let path = PathBuf::from(&filled);
        // A relative path is meant from the project, wherever the process starts.
        let is_relative_path = path.components().count() > 1 && path.is_relative();
        Ok(if is_relative_path {
            self.request.world.root().join(path)
        } else {
            path
        })
    }

    pub(super) fn cwd(&self, config: &Map<String, Value>) -> Result<PathBuf, ExecError> {
        let root = self.request.world.root();
        match config.get("cwd").and_then(Value::as_str) {
            None => Ok(root.to_path_buf()),
            Some(text) => Ok(root.join(self.text("cwd", text)?)),
        }
    }

    /// What a script reads on its standard input, if its config says so.
    fn input(
        &self,
        config: &Map<String, Value>,
        command: &mut Command,
    ) -> Result<Vec<u8>, ExecError> {
        let filled = self.filled(config, "input_data", Unset::Empty)?;
        let input = match filled.get("input_data") {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        command.stdin = Stdin::Pipe;
        Ok(input.into_bytes())
    }

    fn text(&self, key: &str, text: &str) -> Result<String, ExecError> {
        let scope = self.scope();
        Template::parse(text)
            .and_then(|template| template.expand(&scope, Unset::Error))
            .map_err(|source| self.unfilled(key, source))
    }

    /// One key of the config, filled in, as a config of its own.
    pub(super) fn filled(
        &self,
        config: &Map<String, Value>,
        key: &str,
        unset: Unset,
    ) -> Result<Map<String, Value>, ExecError> {
        let Some(value) = config.get(key) else {
            return Ok(Map::new());
        };
        let value = expand_json(value, &self.scope(), unset)
            .map_err(|source| self.unfilled(key, source))?;
        Ok(Map::from_iter([(key.to_owned(), value)]))
    }

    pub(super) const fn scope(&self) -> CallScope<'_> {
        CallScope {
            env: &self.resolution.env,
            facts: self.facts,
        }
    }

    pub(super) fn unfilled(
        &self,
        key: &str,
        mut fault: toolroom_kernel::template::TemplateError,
    ) -> ExecError {
        let key = match fault.key.take() {
            Some(inner) => format!("{key}.{inner}"),
            None => key.to_owned(),
        };
        ExecError::Template {
            tool: self.tool.id.to_string(),
            key,
            path: self.tool.path.clone(),
            fault: Box::new(fault),
        }
    }

    pub(super) fn bad(&self, key: &str, reason: String) -> ExecError {
        ExecError::BadConfig {
            tool: self.tool.id.to_string(),
            key: key.to_owned(),
            path: self.tool.path.clone(),
            reason,
        }
    }
}

/// Whether the config itself says where the tool's path goes.
fn names_the_tool(config: &Map<String, Value>) -> bool {
    let args = config.get("args").and_then(Value::as_array);
    args.is_some_and(|args| {
        args.iter().any(|arg| {
            arg.as_str()
                .is_some_and(|text| text.contains("{tool_path}"))
        })
    })
}
