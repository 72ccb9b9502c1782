//! The provider `environment`: what a manager makes for the project.

use serde_json::{Value, json};

use super::{Applied, Apply, Check, Context, Health, PresetProvider};
use crate::apply::{Applying, apply};
use crate::decision::Action;
use crate::plan::{Plan, Target};

/// Prepares the project's environment with the manager its config names.
#[derive(Debug, Clone, Copy)]
pub struct EnvironmentProvider<'p> {
    pub how: Applying<'p>,
}

impl EnvironmentProvider<'_> {
    fn target(&self, context: &Context) -> Result<Option<Target>, String> {
        let name = context
            .config
            .get("manager")
            .and_then(Value::as_str)
            .ok_or("its config names no manager")?;
        let targets = self
            .how
            .planner
            .project()
            .map_err(|error| error.to_string())?;
        Ok(targets
            .into_iter()
            .find(|target| target.manager.name == name))
    }
}

impl PresetProvider for EnvironmentProvider<'_> {
    fn id(&self) -> &'static str {
        "environment"
    }

    fn check(&self, context: &Context) -> Check {
        match self.target(context) {
            Err(reason) => Check::new(Health::Broken, reason),
            Ok(None) => Check::new(Health::Healthy, "the project has no manifest for it"),
            Ok(Some(target)) => match self.how.planner.plan(&target) {
                Err(error) => Check::new(Health::Broken, error.to_string()),
                Ok(plan) => checked(&plan),
            },
        }
    }

    fn apply(&self, context: &Context) -> Apply {
        let plan = match self.target(context) {
            Err(reason) => return Apply::new(Applied::Failed, reason),
            Ok(None) => return Apply::new(Applied::Success, "there is nothing to do"),
            Ok(Some(target)) => self.how.planner.plan(&target),
        };
        if let Ok(plan) = &plan
            && let Some(what) = &plan.needs_consent
        {
            let reason = format!("it needs {what}: toolroom setup --yes does it");
            return Apply::new(Applied::Failed, reason);
        }
        match plan.and_then(|plan| apply(plan, &self.how)) {
            Err(error) => {
                let mut failed = Apply::new(Applied::Failed, error.to_string());
                let said = std::error::Error::source(&error).map(ToString::to_string);
                failed
                    .details
                    .extend(said.iter().flat_map(|said| said.lines()).map(str::to_owned));
                failed
            }
            Ok(plan) if plan.decision.action == Action::Refuse => {
                Apply::new(Applied::Failed, plan.decision.reasons.join("; "))
            }
            Ok(plan) => {
                let mut done = Apply::new(
                    Applied::Success,
                    format!("{} is ready", plan.place().display()),
                );
                done.values = values(&plan);
                done
            }
        }
    }
}

fn checked(plan: &Plan) -> Check {
    let health = match plan.decision.action {
        Action::None | Action::Reuse => Health::Healthy,
        Action::Create => Health::Missing,
        Action::InstallMissing | Action::Upgrade => Health::Drifted,
        Action::Repair | Action::Refuse => Health::Broken,
    };
    Check {
        health,
        details: plan.decision.reasons.clone(),
        values: values(plan),
    }
}

/// What later presets want to know: where, and what the analysis found.
fn values(plan: &Plan) -> serde_json::Map<String, Value> {
    let told = json!({
        "environment_path": plan.decision.environment,
        "environment_analysis": plan,
    });
    told.as_object().cloned().unwrap_or_default()
}
