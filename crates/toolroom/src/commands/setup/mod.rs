//! `toolroom setup`: plans the environments of the project and its tools, and makes them.

mod ask;
mod progress;
mod render;
mod targets;

use serde_json::{Value, json};
use toolroom_catalog::Catalog;
use toolroom_exec::subprocess::Cancel;
use toolroom_kernel::World;
use toolroom_provision::ProvisionError;
use toolroom_provision::apply::{self, Applying};
use toolroom_provision::decision::Action;
use toolroom_provision::plan::{Options, Plan, Planner};
use toolroom_provision::requirement::Selection;
use toolroom_provision::store;

pub use self::progress::Bars;
use self::targets::Targets;
pub use self::targets::is_known;
use super::list;
use crate::answer::Answer;
use crate::args::Setup;
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::paths;
use crate::printer::Printer;
use crate::settings::{self, Settings};

pub fn run(args: &Setup, world: &World, printer: &Printer) -> Result<Answer, Failure> {
    if args.prune {
        let pruned = store::prune(world, store::UNUSED)?;
        return Ok(removed(world, &pruned, "pruned"));
    }
    if args.undo {
        let undone = apply::undo(world)?;
        return Ok(removed(world, &undone, "undone"));
    }
    let catalog = Catalog::open(world);
    let settings = settings::load(world)?;
    let mut planner = planner(world, &catalog, &settings, args.repair);
    planner.options.active = true;
    let Targets { targets, left_out } = targets::collect(args, world, &catalog, &planner)?;
    let planned: Vec<Result<Plan, ProvisionError>> =
        targets.iter().map(|target| planner.plan(target)).collect();
    if args.plan {
        return answer(world, planned, left_out, printer, Asked::Plan);
    }
    let changes = planned
        .iter()
        .flatten()
        .any(|plan| plan.decision.action.changes());
    if changes && !args.yes && !ask::consents(world, &planned, printer)? {
        let answer = answer(world, planned, left_out, printer, Asked::Plan)?;
        return Ok(answer.note("nothing was changed"));
    }
    let guard = crate::guard::guard()?;
    let cancel = Cancel::new();
    let bars = Bars::new(printer);
    let how = Applying {
        planner,
        guard: &guard,
        cancel: &cancel,
        progress: &bars,
        offline: args.offline,
    };
    let done = applied(planned, &how);
    answer(world, done, left_out, printer, Asked::Setup)
}

/// A planner with the project's settings.
pub fn planner<'p>(
    world: &'p World,
    catalog: &'p Catalog,
    settings: &'p Settings,
    repair: bool,
) -> Planner<'p> {
    Planner {
        world,
        catalog,
        options: Options {
            policy: settings.python_environment.policy(),
            major_packages: &settings.python_environment.major_packages,
            repair,
            selection: Selection {
                extras: &settings.python_environment.extras,
                groups: &settings.python_environment.groups,
                production: false,
            },
            ..Options::default()
        },
    }
}

/// Carries out what could be planned; what could not keeps its place in the answer.
fn applied(
    planned: Vec<Result<Plan, ProvisionError>>,
    how: &Applying<'_>,
) -> Vec<Result<Plan, ProvisionError>> {
    let (mut slots, mut plans) = (Vec::new(), Vec::new());
    for outcome in planned {
        match outcome {
            Ok(plan) => {
                slots.push(None);
                plans.push(plan);
            }
            Err(error) => slots.push(Some(error)),
        }
    }
    let mut done = apply::apply_all(plans, how).into_iter();
    slots
        .into_iter()
        .filter_map(|slot| slot.map_or_else(|| done.next(), |error| Some(Err(error))))
        .collect()
}

/// What the outcomes are an answer to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Plan,
    Setup,
}

fn answer(
    world: &World,
    outcomes: Vec<Result<Plan, ProvisionError>>,
    left_out: Vec<Failure>,
    printer: &Printer,
    asked: Asked,
) -> Result<Answer, Failure> {
    let mut text = render::tree(world, &outcomes, printer.width());
    if outcomes.is_empty() && left_out.is_empty() {
        text.push_str("nothing is required here\n");
    }
    let (mut plans, mut failures) = (Vec::new(), Vec::new());
    for outcome in outcomes {
        match outcome {
            Ok(plan) => plans.push(plan),
            Err(error) => failures.push(Failure::from(error)),
        }
    }
    // To plan is to be told of a refusal; to set up is to be refused.
    let refused = plans
        .iter()
        .find(|plan| asked == Asked::Setup && plan.decision.action == Action::Refuse)
        .map(refusal);
    let first = failures.first().cloned().or(refused);
    let first = first.or_else(|| left_out.first().cloned());
    let status = first.as_ref().map(|failure| failure.status);
    let note = list::problems_note(left_out.len());
    let shown = if printer.json {
        usize::MAX
    } else {
        list::MOST_PROBLEMS
    };
    failures.extend(left_out.into_iter().take(shown));
    if printer.json
        && let Some(mut first) = first
    {
        first.details.insert("plans".to_owned(), json!(plans));
        first.details.insert(
            "failures".to_owned(),
            failures.iter().map(Failure::to_json).collect(),
        );
        return Err(first);
    }
    let mut answer = Answer::new(text, json!({"plans": plans}));
    answer.status = status.unwrap_or(Status::Done);
    answer.failures = failures;
    answer.notes.extend(note);
    Ok(answer)
}

fn refusal(plan: &Plan) -> Failure {
    Failure::from(ProvisionError::Refused {
        target: plan.target.name(),
        reason: plan.decision.reasons.join("; "),
        fix: plan.decision.fix.clone(),
    })
}

fn removed(world: &World, environments: &[std::path::PathBuf], key: &str) -> Answer {
    let mut text: String = environments
        .iter()
        .map(|path| format!("removed {}\n", paths::shown(world, path)))
        .collect();
    if text.is_empty() {
        text.push_str("there is nothing to remove\n");
    }
    let data: Value = json!({key: environments, "plans": []});
    Answer::new(text, data)
}
