//! What the `env_config` of a chain declares: resources to find, and variables to set.

use serde_json::{Map, Value};

use super::error::ResolveError;
use super::rules::EnvPolicy;
use crate::explain::Place;
use crate::model::{Role, Tool, field};

/// The keys of `env_config` that are no resources.
const ENV: &str = "env";
const ENV_POLICY: &str = "env_policy";

/// The variable of a resource that names none.
pub(super) const DEFAULT_VAR: &str = "INTERPRETER";

/// One element of a chain, as far as its environment is concerned.
#[derive(Debug, Clone, Copy)]
pub struct Link<'l> {
    pub id: &'l str,
    pub role: Role,
    pub env_config: Option<&'l Map<String, Value>>,
    pub config: Option<&'l Map<String, Value>>,
    /// The file it was read from, for errors to point at.
    pub source: Option<&'l Tool>,
}

impl<'l> Link<'l> {
    #[must_use]
    pub fn of(tool: &'l Tool) -> Self {
        Self {
            id: tool.id.as_str(),
            role: tool.role(),
            env_config: tool.object(field::ENV_CONFIG),
            config: tool.object(field::CONFIG),
            source: Some(tool),
        }
    }

    /// Where the environment is declared.
    pub(super) fn place(&self) -> Option<Place> {
        let tool = self.source?;
        let declared = [field::ENV_CONFIG, field::CONFIG];
        let position = declared
            .iter()
            .find_map(|name| tool.positions.get(*name).copied());
        Some(Place {
            path: tool.path.clone(),
            position,
        })
    }

    pub(super) fn owner(&self) -> String {
        match self.role {
            Role::Tool => format!("the tool {}", self.id),
            Role::Runtime => format!("the runtime {}", self.id),
            _ => self.id.to_owned(),
        }
    }

    /// The variables it sets: those of `env_config`, then those of `config`.
    pub(super) fn variables(&self) -> Result<Vec<(&'l str, &'l Value)>, ResolveError> {
        let mut variables = Vec::new();
        for value in [self.env_config, self.config]
            .into_iter()
            .flatten()
            .filter_map(|map| map.get(ENV))
        {
            match value {
                Value::Object(map) => {
                    variables.extend(map.iter().map(|(name, value)| (name.as_str(), value)));
                }
                Value::Null => {}
                _ => return Err(self.bad("env is not a mapping of names to values")),
            }
        }
        match variables
            .iter()
            .find(|(name, _)| name.is_empty() || name.contains(['=', '\0']))
        {
            Some((name, _)) => Err(self.bad(format!("{name:?} is not a variable name"))),
            None => Ok(variables),
        }
    }

    pub(super) fn policy(&self) -> Result<Option<EnvPolicy>, ResolveError> {
        let found = [self.config, self.env_config]
            .into_iter()
            .flatten()
            .find_map(|map| map.get(ENV_POLICY));
        match found.map(Value::as_str) {
            None => Ok(None),
            Some(Some("inherit")) => Ok(Some(EnvPolicy::Inherit)),
            Some(Some("minimal")) => Ok(Some(EnvPolicy::Minimal)),
            Some(_) => Err(self.bad("env_policy is inherit or minimal")),
        }
    }

    pub(super) fn bad(&self, reason: impl Into<String>) -> ResolveError {
        ResolveError::BadEnvConfig {
            owner: self.owner(),
            reason: reason.into(),
            file: self.place(),
        }
    }
}

/// Something to find, such as an interpreter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Resource {
    /// The key it is declared under.
    pub(super) name: String,
    /// The element of the chain it is found for.
    pub(super) link: usize,
    pub(super) fields: Map<String, Value>,
}

impl Resource {
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.fields
            .get(key)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    }

    pub(super) fn var(&self) -> &str {
        self.text("var").unwrap_or(DEFAULT_VAR)
    }

    /// The keys to search, or nothing for the usual ones.
    pub(super) fn search(&self) -> Result<Option<Vec<String>>, &'static str> {
        match self.fields.get("search") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(key)) => Ok(Some(vec![key.clone()])),
            Some(Value::Array(keys)) => {
                let keys = keys
                    .iter()
                    .map(|key| key.as_str().map(str::to_owned))
                    .collect::<Option<_>>();
                keys.map(Some).ok_or("search is not a list of places")
            }
            Some(_) => Err("search is not a list of places"),
        }
    }
}

/// The resources of a chain, from the primitive up. A resource declared again further up
/// under the same name and variable refines the one below: the tool really wins.
pub(super) fn collect(links: &[Link<'_>]) -> Result<Vec<Resource>, ResolveError> {
    let mut resources: Vec<Resource> = Vec::new();
    for (index, link) in links.iter().enumerate() {
        for (name, value) in link.env_config.into_iter().flatten() {
            if name == ENV || name == ENV_POLICY {
                continue;
            }
            let Value::Object(fields) = value else {
                return Err(link.bad(format!("{name} is not a resource")));
            };
            let refined = resources.iter_mut().find(|lower| {
                let var = fields.get("var").and_then(Value::as_str);
                lower.link < index
                    && lower.name == *name
                    && var.is_none_or(|var| var == lower.var())
            });
            match refined {
                Some(lower) => {
                    if fields
                        .get("type")
                        .is_some_and(|kind| lower.fields.get("type") != Some(kind))
                    {
                        // Another kind of resource does not take over the old kind's options.
                        let var = lower.fields.get("var").cloned();
                        lower.fields = var.into_iter().map(|var| ("var".to_owned(), var)).collect();
                    }
                    lower.fields.extend(
                        fields
                            .iter()
                            .map(|(key, value)| (key.clone(), value.clone())),
                    );
                }
                None => resources.push(Resource {
                    name: name.clone(),
                    link: index,
                    fields: fields.clone(),
                }),
            }
        }
    }
    Ok(resources)
}
