//! Runs presets in their order: check, apply where that is needed, and leave out what
//! depends on a failure.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use super::told::{self, Told};
use super::{
    Applied, Apply, Check, Context, Definition, Health, PresetError, PresetProvider, order,
};

/// The providers there are, by the names presets give them by.
#[derive(Default)]
pub struct Registry<'r> {
    providers: BTreeMap<&'static str, &'r dyn PresetProvider>,
}

impl std::fmt::Debug for Registry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.providers.keys()).finish()
    }
}

impl<'r> Registry<'r> {
    #[must_use]
    pub fn of(providers: impl IntoIterator<Item = &'r dyn PresetProvider>) -> Self {
        Self {
            providers: providers
                .into_iter()
                .map(|provider| (provider.id(), provider))
                .collect(),
        }
    }
}

/// How a preset ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Nothing had to be done, or only a check was asked for.
    Checked,
    Applied(Applied),
    /// Something it requires failed.
    Skipped,
}

/// What became of one preset.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    pub name: String,
    /// The project does without it, and nothing that was asked for requires it.
    pub recommended: bool,
    pub status: Status,
    /// How it stands now; nothing if it was skipped.
    pub health: Option<Health>,
    pub details: Vec<String>,
}

impl Outcome {
    /// Whether something has to be put right. What is only recommended may be absent or
    /// old; what is broken stands in the way all the same.
    #[must_use]
    pub fn is_wanting(&self) -> bool {
        match self.health {
            Some(Health::Healthy) => false,
            Some(Health::Missing | Health::Drifted) => !self.recommended,
            Some(Health::Broken) | None => true,
        }
    }

    /// Whether what requires it may go on.
    fn holds(&self) -> bool {
        match self.status {
            Status::Skipped | Status::Applied(Applied::Failed) => false,
            Status::Applied(Applied::Success) => true,
            Status::Applied(Applied::DetectionOnly) | Status::Checked => {
                self.health == Some(Health::Healthy)
            }
        }
    }
}

/// Checks and applies presets.
#[derive(Debug)]
pub struct PresetOrchestrator<'o> {
    pub definitions: &'o [Definition],
    pub registry: Registry<'o>,
    pub root: &'o Path,
    /// The project's settings, by the name of the preset.
    pub settings: &'o BTreeMap<String, Map<String, Value>>,
}

impl PresetOrchestrator<'_> {
    /// Says how presets and all they require stand. Changes nothing.
    ///
    /// # Errors
    /// Fails if they cannot be put in order.
    pub fn check(&self, names: &[String]) -> Result<Vec<Outcome>, PresetError> {
        self.run(names, false)
    }

    /// Brings presets and all they require into order.
    ///
    /// # Errors
    /// Fails if they cannot be put in order; a preset that fails is an outcome.
    pub fn apply(&self, names: &[String]) -> Result<Vec<Outcome>, PresetError> {
        self.run(names, true)
    }

    fn run(&self, names: &[String], applies: bool) -> Result<Vec<Outcome>, PresetError> {
        let layers = order(self.definitions, names)?;
        let all = layers.iter().flatten();
        let required: BTreeSet<&str> = all
            .flat_map(|preset| preset.requires.iter().map(String::as_str))
            .collect();
        let mut values = Told::new();
        let mut done: BTreeMap<String, Outcome> = BTreeMap::new();
        let mut outcomes = Vec::new();
        for layer in layers {
            let (ready, blocked): (Vec<&Definition>, Vec<&Definition>) = layer
                .into_iter()
                .partition(|preset| !applies || failed_before(preset, &done).is_none());
            for preset in blocked {
                let because = failed_before(preset, &done).unwrap_or_default();
                let outcome = Outcome {
                    name: preset.name.clone(),
                    recommended: preset.recommended,
                    status: Status::Skipped,
                    health: None,
                    details: vec![format!("{because}, which it requires, did not succeed")],
                };
                done.insert(preset.name.clone(), outcome.clone());
                outcomes.push(outcome);
            }
            for (outcome, told) in self.layer(&ready, &values, applies) {
                values.insert(outcome.name.clone(), told);
                done.insert(outcome.name.clone(), outcome.clone());
                outcomes.push(outcome);
            }
        }
        for outcome in &mut outcomes {
            outcome.recommended &= !required.contains(outcome.name.as_str());
        }
        Ok(outcomes)
    }

    /// Presets that require nothing of each other, at the same time.
    fn layer(
        &self,
        presets: &[&Definition],
        values: &Told,
        applies: bool,
    ) -> Vec<(Outcome, Map<String, Value>)> {
        let one = |preset: &Definition| self.one(preset, values, applies);
        if let [preset] = presets {
            return vec![one(preset)];
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> = presets
                .iter()
                .map(|preset| (preset, scope.spawn(|| one(preset))))
                .collect();
            let joined = threads.into_iter().map(|(preset, thread)| {
                thread.join().unwrap_or_else(|_| {
                    (
                        failed(preset, "its provider gave up".to_owned()),
                        Map::new(),
                    )
                })
            });
            joined.collect()
        })
    }

    fn one(
        &self,
        preset: &Definition,
        values: &Told,
        applies: bool,
    ) -> (Outcome, Map<String, Value>) {
        let Some(provider) = self.registry.providers.get(preset.provider.as_str()) else {
            return (
                failed(
                    preset,
                    format!("there is no provider {:?}", preset.provider),
                ),
                Map::new(),
            );
        };
        let mut config = preset.config.clone();
        config.extend(self.settings.get(&preset.name).cloned().unwrap_or_default());
        told::fill(&mut config, values);
        let context = Context {
            root: self.root.to_path_buf(),
            config,
            values: values.clone(),
        };
        let check = provider.check(&context);
        if !applies || check.health == Health::Healthy {
            let outcome = Outcome {
                name: preset.name.clone(),
                recommended: preset.recommended,
                status: Status::Checked,
                health: Some(check.health),
                details: check.details,
            };
            return (outcome, check.values);
        }
        applied(preset, check, provider.apply(&context), *provider, &context)
    }
}

/// What applying came to, with a second check to tell how things stand now.
fn applied(
    preset: &Definition,
    before: Check,
    apply: Apply,
    provider: &dyn PresetProvider,
    context: &Context,
) -> (Outcome, Map<String, Value>) {
    let health = match apply.applied {
        Applied::Success => provider.check(context).health,
        Applied::DetectionOnly | Applied::Failed => before.health,
    };
    let applied = match (apply.applied, health) {
        (Applied::Success, Health::Healthy) => Applied::Success,
        (Applied::Success, _) => Applied::Failed,
        (other, _) => other,
    };
    let mut values = before.values;
    values.extend(apply.values);
    let mut details = before.details;
    details.extend(apply.details);
    let outcome = Outcome {
        name: preset.name.clone(),
        recommended: preset.recommended,
        status: Status::Applied(applied),
        health: Some(health),
        details,
    };
    (outcome, values)
}

fn failed(preset: &Definition, reason: String) -> Outcome {
    Outcome {
        name: preset.name.clone(),
        recommended: preset.recommended,
        status: Status::Applied(Applied::Failed),
        health: Some(Health::Broken),
        details: vec![reason],
    }
}

fn failed_before(preset: &Definition, done: &BTreeMap<String, Outcome>) -> Option<String> {
    let failed = |name: &&String| done.get(*name).is_some_and(|outcome| !outcome.holds());
    preset.requires.iter().find(failed).cloned()
}

#[cfg(test)]
#[path = "orchestrator_tests.rs"]
mod tests;
