//! `toolroom preset list|check|apply`: parts of a project's setup, in their order.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use toolroom_catalog::Catalog;
use toolroom_exec::subprocess::Cancel;
use toolroom_kernel::World;
use toolroom_provision::apply::Applying;
use toolroom_provision::plan::Machine;
use toolroom_provision::preset::{
    Applied, Definition, EnvironmentProvider, Health, LinesProvider, Outcome, PresetOrchestrator,
    ProgramProvider, Registry, Status as Ended, load_all,
};

use super::setup::{self, Bars};
use crate::answer::Answer;
use crate::args::{Preset, PresetAction};
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{style, table};
use crate::printer::Printer;
use crate::settings::{self, Settings};

pub fn run(args: &Preset, world: &World, printer: &Printer) -> Result<Answer, Failure> {
    let catalog = Catalog::open(world);
    let definitions = load_all(&catalog)?;
    let settings = settings::load(world)?;
    let (names, applies) = match &args.action {
        PresetAction::List => return Ok(list(&definitions)),
        PresetAction::Check(asked) => (&asked.names, false),
        PresetAction::Apply(asked) => (&asked.names, true),
    };
    // Presets write into the project: where there is none, this would be any folder.
    let root = crate::world::project(world, "")?;
    let names = meant(names, &settings, &definitions);
    let guard = crate::guard::guard()?;
    let how = Applying {
        planner: setup::planner(world, &catalog, &settings, false),
        guard: &guard,
        cancel: &Cancel::new(),
        progress: &Bars::new(printer),
        offline: false,
    };
    let environment = EnvironmentProvider { how };
    let program = ProgramProvider {
        machine: Machine {
            world,
            catalog: &catalog,
        },
        guard: &guard,
    };
    let own = of_presets(&settings);
    let orchestrator = PresetOrchestrator {
        definitions: &definitions,
        registry: Registry::of([&environment as _, &program as _, &LinesProvider as _]),
        root,
        settings: &own,
    };
    let outcomes = if applies {
        orchestrator.apply(&names)?
    } else {
        orchestrator.check(&names)?
    };
    Ok(answer(&outcomes, applies))
}

/// The presets that are named, or those of the project, or all there are.
fn meant(named: &[String], settings: &Settings, definitions: &[Definition]) -> Vec<String> {
    let of_project = &settings.presets.r#use;
    if !named.is_empty() {
        named.to_vec()
    } else if of_project.is_empty() {
        definitions
            .iter()
            .map(|preset| preset.name.clone())
            .collect()
    } else {
        of_project.clone()
    }
}

fn of_presets(settings: &Settings) -> BTreeMap<String, Map<String, Value>> {
    let as_json = |table: &toml::Table| {
        serde_json::to_value(table)
            .ok()
            .and_then(|value| value.as_object().cloned())
            .unwrap_or_default()
    };
    settings
        .presets
        .of
        .iter()
        .map(|(name, table)| (name.clone(), as_json(table)))
        .collect()
}

fn list(definitions: &[Definition]) -> Answer {
    let mut text = String::new();
    for preset in definitions {
        let after = if preset.requires.is_empty() {
            String::new()
        } else {
            style::faint(format!(" (after {})", preset.requires.join(", ")))
        };
        let _ = writeln!(
            text,
            "{}{after}\n  {}",
            style::name(&preset.name),
            table::single_line(&preset.description)
        );
    }
    let presets: Vec<Value> = definitions
        .iter()
        .map(|preset| {
            json!({
                "name": preset.name,
                "description": preset.description,
                "provider": preset.provider,
                "requires": preset.requires,
                "recommended": preset.recommended,
            })
        })
        .collect();
    Answer::new(text, json!({"presets": presets}))
}

fn answer(outcomes: &[Outcome], applies: bool) -> Answer {
    let mut text = String::new();
    for outcome in outcomes {
        let _ = writeln!(text, "{}: {}", style::name(&outcome.name), state(outcome));
        for detail in &outcome.details {
            let _ = writeln!(text, "  {} {detail}", style::faint("│"));
        }
    }
    let is_bad = |outcome: &Outcome| match outcome.status {
        Ended::Skipped | Ended::Applied(Applied::Failed) => true,
        Ended::Checked => !applies && outcome.is_wanting(),
        Ended::Applied(Applied::Success | Applied::DetectionOnly) => false,
    };
    let presets: Vec<Value> = outcomes.iter().map(shown).collect();
    let mut answer = Answer::new(text, json!({"presets": presets}));
    if outcomes.iter().any(is_bad) {
        answer.status = Status::CannotDo;
    }
    answer
}

fn state(outcome: &Outcome) -> String {
    let only = if outcome.recommended {
        " (recommended, not required)"
    } else {
        ""
    };
    let health = match outcome.health {
        Some(Health::Healthy) => style::good("healthy"),
        Some(Health::Missing) => format!("{}{only}", style::warn("missing")),
        Some(Health::Drifted) => format!("{}{only}", style::warn("drifted")),
        Some(Health::Broken) => style::bad("broken"),
        None => style::warn("skipped"),
    };
    match outcome.status {
        Ended::Applied(Applied::Success) => format!("{health}, applied"),
        Ended::Applied(Applied::DetectionOnly) => format!("{health}, detection only"),
        Ended::Applied(Applied::Failed) => format!("{health}, {}", style::bad("failed")),
        Ended::Checked | Ended::Skipped => health,
    }
}

fn shown(outcome: &Outcome) -> Value {
    let status = match outcome.status {
        Ended::Checked => "checked",
        Ended::Skipped => "skipped",
        Ended::Applied(Applied::Success) => "success",
        Ended::Applied(Applied::DetectionOnly) => "detection-only",
        Ended::Applied(Applied::Failed) => "failed",
    };
    json!({
        "name": outcome.name,
        "status": status,
        "health": outcome.health,
        "recommended": outcome.recommended,
        "details": outcome.details,
    })
}
