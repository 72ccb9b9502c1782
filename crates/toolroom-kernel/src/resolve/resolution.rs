//! What a resolution comes to, and how it is put together: layer upon layer.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value};

use super::activate::Activation;
use super::candidate::{Candidate, Story};
use super::error::ResolveError;
use super::facts::Facts;
use super::find::{self, Outcome};
use super::layer::{LayeredEnv, Origin};
use super::lowest;
use super::note::Note;
use super::resource::{self, DEFAULT_VAR, Link, Resource};
use super::rules::EnvironmentRules;
use super::search::{Surroundings, Trace};
use super::setup::Setup;
use super::spec::Resolvers;
use crate::dotenv::is_loader_variable;
use crate::model::Role;
use crate::template::{Placeholder, Scope, Template, Unset};
use crate::world::World;

/// The name of the resource that runs a tool; what has another name helps it.
const INTERPRETER: &str = "interpreter";

/// What stands in place of such a name for an environment that no resource asks for.
const ENV_SETUP: &str = "env_setup";

/// What is to be resolved.
#[derive(Clone, Copy)]
pub struct Call<'c> {
    pub world: &'c World,
    pub resolvers: &'c dyn Resolvers,
    pub rules: &'c EnvironmentRules<'c>,
    /// The chain from the primitive up to the tool.
    pub links: &'c [Link<'c>],
    /// Variables the caller passes; they win.
    pub caller: &'c [(String, String)],
    /// Loader variables the project lets its dotenv files set.
    pub dotenv_allow: &'c [String],
    /// Further placeholders for the values of `env`, such as parameters.
    pub facts: Option<&'c dyn Scope>,
    /// Environments that were decided on; they come before every place.
    pub preferred: &'c [Preferred],
    /// What the chain's `env_setup` adds.
    pub setup: Option<&'c Setup>,
    pub story: Story,
}

/// An environment that was decided on for what one resolver finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preferred {
    pub resolver: String,
    pub environment: PathBuf,
    /// The place it is shown under.
    pub place: String,
    /// Why it is preferred.
    pub reason: String,
    /// Only resources that search this place take it; without one, all do.
    pub only_where: Option<String>,
}

impl std::fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("links", &self.links)
            .finish_non_exhaustive()
    }
}

impl<'c> Call<'c> {
    /// A call with nothing but its chain.
    #[must_use]
    pub fn new(
        world: &'c World,
        resolvers: &'c dyn Resolvers,
        rules: &'c EnvironmentRules<'c>,
        links: &'c [Link<'c>],
    ) -> Self {
        Self {
            world,
            resolvers,
            rules,
            links,
            caller: &[],
            dotenv_allow: &[],
            facts: None,
            preferred: &[],
            setup: None,
            story: Story::Whole,
        }
    }
}

/// An interpreter that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Interpreter {
    /// The name its resource is declared under.
    #[serde(skip)]
    pub resource: String,
    /// The variable that holds its path.
    pub var: String,
    pub path: PathBuf,
    pub resolver: String,
    /// The search key under which it was found.
    pub place: String,
    pub version: Option<String>,
    pub environment: Option<PathBuf>,
}

/// A variable a dotenv file may not set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    pub name: String,
    pub origin: Origin,
    pub reason: String,
}

/// In one sentence, without the value.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            origin,
            reason,
        } = self;
        write!(f, "{name} from {origin}: {reason}")
    }
}

/// Interpreters, environment, and the reason for every choice.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Resolution {
    pub interpreters: Vec<Interpreter>,
    pub env: LayeredEnv,
    pub tried: Vec<Candidate>,
    pub refused: Vec<Refusal>,
    /// What a user should know though nothing failed.
    pub notes: Vec<Note>,
    /// Settings that are no interpreter, by the name they are declared under.
    pub resources: Map<String, Value>,
}

impl Resolution {
    /// The interpreter nearest to the tool: the one declared as such, or else any.
    #[must_use]
    pub fn interpreter(&self) -> Option<&Interpreter> {
        let mut declared = self.interpreters.iter().rev();
        declared
            .find(|found| found.resource == INTERPRETER)
            .or_else(|| self.interpreters.last())
    }
}

/// Finds the interpreters of a chain and builds its environment. Reads files; creates,
/// installs and runs nothing.
///
/// # Errors
/// Fails if an interpreter is not found, an environment is broken, a version that is
/// asked for is not installed, or the chain's `env_config` cannot be used.
pub fn resolve(call: &Call<'_>) -> Result<Resolution, ResolveError> {
    let mut resolution = Resolution::default();
    resolution.env = LayeredEnv::of_process(lowest::process(call, &mut resolution.notes)?);
    lowest::dotenv_layers(call, &mut resolution)?;
    add_implied(call, &mut resolution)?;
    let resources = resource::collect(call.links)?;
    let setup_at = Setup::link(&resources);
    for (index, link) in call.links.iter().enumerate() {
        for resource in resources.iter().filter(|resource| resource.link == index) {
            add_resource(call, link, resource, &mut resolution)?;
        }
        if let Some(setup) = call.setup.filter(|_| index == setup_at) {
            setup.apply(&mut resolution);
        }
        let origin = match link.role {
            Role::Tool => Origin::Tool(link.id.to_owned()),
            _ => Origin::Runtime(link.id.to_owned()),
        };
        for (name, value) in link.variables()? {
            set_variable(call, link, (name, value), &origin, &mut resolution.env)?;
        }
    }
    for (name, value) in call.caller {
        resolution.env.set(name, value, Origin::Caller);
    }
    Ok(resolution)
}

fn surroundings<'c>(call: &Call<'c>) -> Surroundings<'c> {
    Surroundings {
        world: call.world,
        resolvers: call.resolvers,
        story: call.story,
        depth: 0,
    }
}

/// The environment of the chain's `env_setup`, if it is there and nobody else asks for it.
/// It comes first, so that every link's own words come after it.
fn add_implied(call: &Call<'_>, resolution: &mut Resolution) -> Result<(), ResolveError> {
    let implied = call.setup.and_then(|setup| setup.environment.as_ref());
    let Some(implied) = implied.filter(|implied| !implied.is_declared(call.links)) else {
        return Ok(());
    };
    let mut trace = Trace::default();
    let outcome = implied.find(surroundings(call), call, &mut trace)?;
    resolution.tried.append(&mut trace.tried);
    resolution.notes.append(&mut trace.notes);
    if let Some(outcome) = outcome {
        let variables: Vec<&str> = implied.variables.iter().map(String::as_str).collect();
        add_outcome(call, outcome, ENV_SETUP, &variables, resolution);
    }
    Ok(())
}

fn add_resource(
    call: &Call<'_>,
    link: &Link<'_>,
    resource: &Resource,
    resolution: &mut Resolution,
) -> Result<(), ResolveError> {
    let mut trace = Trace::default();
    let outcome = find::find(
        resource,
        link,
        surroundings(call),
        call.preferred,
        &mut trace,
    )?;
    resolution.tried.append(&mut trace.tried);
    resolution.notes.append(&mut trace.notes);
    add_outcome(call, outcome, &resource.name, &[resource.var()], resolution);
    Ok(())
}

/// Activates what was found, and puts it into variables.
fn add_outcome(
    call: &Call<'_>,
    outcome: Outcome,
    name: &str,
    variables: &[&str],
    resolution: &mut Resolution,
) {
    match outcome {
        Outcome::Settings(settings) => {
            let resources = &mut resolution.resources;
            resources.insert(name.to_owned(), Value::Object(settings));
        }
        Outcome::Interpreter {
            found,
            resolver,
            activations,
        } => {
            let var = variables.first().copied().unwrap_or(DEFAULT_VAR);
            let origin = Origin::Interpreter(var.to_owned());
            for activation in &activations {
                leave(call, activation, var, resolution);
                apply(activation, &origin, resolution);
            }
            for variable in variables {
                let path = found.path.as_os_str();
                resolution.env.set(variable, path, origin.clone());
            }
            resolution.interpreters.push(Interpreter {
                resource: name.to_owned(),
                var: var.to_owned(),
                path: found.path,
                resolver,
                place: found.place,
                version: found.version.map(|version| version.to_string()),
                environment: found.environment,
            });
        }
    }
}

/// Takes away what would mislead an interpreter. What a dotenv file was allowed to set
/// stays; what the process had and counts is told.
fn leave(call: &Call<'_>, activation: &Activation, var: &str, resolution: &mut Resolution) {
    let os = call.world.os;
    for name in &activation.unset {
        let origin = resolution.env.origin(name);
        if matches!(origin, Some(Origin::Dotenv { .. }))
            && is_loader_variable(name, call.dotenv_allow, os)
        {
            continue;
        }
        // A name that begins with _ is a launcher's own; nobody set it by hand.
        if matches!(origin, Some(Origin::Process))
            && is_loader_variable(name, call.rules.loader_variables, os)
            && !name.starts_with('_')
            && resolution
                .env
                .get_os(name)
                .is_some_and(|value| !value.is_empty())
        {
            resolution.notes.push(Note::new(
                format!("{name} is not passed on, for it could mislead {var}"),
                "to keep it, set it in the tool's env",
            ));
        }
        resolution.env.remove(name);
    }
}

fn apply(activation: &Activation, origin: &Origin, resolution: &mut Resolution) {
    let env = &mut resolution.env;
    for (name, entries) in &activation.remove {
        env.remove_entries(name, entries, origin);
    }
    for (name, value) in &activation.set {
        match value {
            Some(value) => env.set(name, value, origin.clone()),
            None => env.remove(name),
        }
    }
    for (name, entries) in &activation.prepend {
        for refused in env.prepend(name, entries, origin) {
            resolution.notes.push(Note::not_listed(&refused, name));
        }
    }
}

/// Sets a variable to a value of any type; nothing unsets it.
fn set_variable(
    call: &Call<'_>,
    link: &Link<'_>,
    (name, value): (&str, &Value),
    origin: &Origin,
    env: &mut LayeredEnv,
) -> Result<(), ResolveError> {
    let value = match value {
        Value::Null => {
            env.remove(name);
            return Ok(());
        }
        Value::String(text) => {
            let scope = EnvScope {
                env,
                facts: Facts::new(call.world),
                more: call.facts,
            };
            let filled =
                Template::parse(text).and_then(|template| template.expand(&scope, Unset::Empty));
            filled.map_err(|fault| ResolveError::BadVariable {
                name: name.to_owned(),
                owner: link.owner(),
                fault: Box::new(fault),
                file: link.place(),
            })?
        }
        other => other.to_string(),
    };
    env.set(name, value, origin.clone());
    Ok(())
}

/// What the values of `env` may speak of: the environment so far, and the call's facts.
struct EnvScope<'e> {
    env: &'e LayeredEnv,
    facts: Facts<'e>,
    more: Option<&'e dyn Scope>,
}

impl Scope for EnvScope<'_> {
    fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        self.env.get(name).map(Cow::Borrowed)
    }

    fn placeholder(&self, path: &str) -> Placeholder<'_> {
        match self.facts.placeholder(path) {
            Placeholder::Unknown => self
                .more
                .map_or(Placeholder::Unknown, |more| more.placeholder(path)),
            known => known,
        }
    }
}
