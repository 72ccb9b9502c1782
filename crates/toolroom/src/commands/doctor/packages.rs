//! The packages that the project and its tools require: what `setup` would refuse, install or
//! make here, by the plans it makes itself. Reads files; starts nothing and asks no network.

use std::collections::BTreeSet;

use toolroom_catalog::Catalog;
use toolroom_catalog::listing::{Listing, Row};
use toolroom_catalog::read;
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::{Role, Space};
use toolroom_provision::ProvisionError;
use toolroom_provision::decision::{Action, Conflict, Decision};
use toolroom_provision::plan::{Plan, Planner, Subject, Target, env_setup};

use super::Check;
use crate::commands::setup::{self, is_known};
use crate::failure::Failure;
use crate::output::paths;
use crate::settings::Settings;

const NAME: &str = "packages";
/// As many of a kind as a line can be read with.
const MOST: usize = 8;
/// A file without any of these words declares no packages and no environment of its own.
const DECLARING: [&str; 4] = ["requires", "REQUIRES", "dependencies", "env_setup"];

pub fn checks(
    world: &World,
    catalog: &Catalog,
    listing: &Listing,
    settings: &Settings,
) -> Vec<Check> {
    if world.project.is_none() {
        return Vec::new();
    }
    let mut ward = Ward {
        world,
        // What happens to be active is for a person to choose: tools do not run there.
        planner: setup::planner(world, catalog, settings, false),
        known: Vec::new(),
        checks: Vec::new(),
    };
    match ward.planner.project() {
        Ok(targets) => targets
            .into_iter()
            .for_each(|target| ward.look_at(target, false)),
        Err(error) => ward.checks.push(ward.failed(error)),
    }
    for chain in chains(catalog, listing) {
        let makes_its_own = env_setup(&chain).is_some_and(|setup| setup.create);
        match ward.planner.tool(&chain) {
            Ok(Some(target)) => ward.look_at(target, makes_its_own),
            Ok(None) => {}
            Err(error) => ward.checks.push(ward.failed(error)),
        }
    }
    ward.checks
}

/// The project's tools that may need something of their own, and one of the others for each
/// runtime, which may ask for something. To link every tool would cost many times what all
/// else here does.
fn chains(catalog: &Catalog, listing: &Listing) -> Vec<Chain> {
    let rows = listing.rows.iter();
    // An extractor of a project or a user may call these fields anything.
    let reads_otherwise = rows
        .clone()
        .any(|row| row.role() == Role::Extractor && row.space != Space::Core);
    let mut runtimes = BTreeSet::new();
    rows.filter(|row| row.role() == Role::Tool && row.space == Space::Project)
        .filter(|row| reads_otherwise || declares(row) || runtimes.insert(row.runtime.clone()))
        // What cannot be linked is a problem of the listing.
        .filter_map(|row| catalog.link(catalog.find(row.id.as_str()).ok()?).ok())
        .collect()
}

fn declares(row: &Row) -> bool {
    let text = read::text(&row.path).unwrap_or_default();
    DECLARING.iter().any(|word| text.contains(word))
}

/// What was looked at so far, and what came of it.
struct Ward<'w> {
    world: &'w World,
    planner: Planner<'w>,
    known: Vec<Target>,
    checks: Vec<Check>,
}

impl Ward<'_> {
    fn look_at(&mut self, target: Target, makes_its_own: bool) {
        if is_known(&self.known, &target) {
            return;
        }
        let check = match self.planner.plan(&target) {
            Ok(plan) => self.planned(&plan, makes_its_own),
            Err(error) => Some(self.failed(error)),
        };
        self.checks.extend(check);
        self.known.push(target);
    }

    fn planned(&self, plan: &Plan, makes_its_own: bool) -> Option<Check> {
        let Decision {
            action, reasons, ..
        } = &plan.decision;
        let is_project = matches!(plan.target.subject, Subject::Project);
        let detail = |text: &str| self.sentence(&format!("{}: {text}", named(&plan.target)));
        let setup = match &plan.target.subject {
            Subject::Project => "toolroom setup".to_owned(),
            Subject::Tool(tool) => format!("toolroom setup {}", tool.id),
        };
        let fix = format!("`{setup}` puts it right, and `{setup} --plan` shows how");
        Some(match action {
            Action::None => return None,
            Action::Reuse if self.planner.is_in_force(plan) => {
                return is_project.then(|| Check::ok(NAME, detail(&reasons.join("; "))));
            }
            Action::Reuse => {
                let text = format!("{}, but tools do not run there yet", reasons.join("; "));
                Check::warn(NAME, detail(&text), fix)
            }
            Action::Refuse => {
                let usual = || "correct what it names; `toolroom setup --plan` looks again".into();
                let fix = plan.decision.fix.clone().unwrap_or_else(usual);
                Check::fail(NAME, detail(&reasons.join("; ")), self.sentence(&fix))
            }
            _ if plan.decision.is_unseen => {
                let text = "whether they are installed only setup can see";
                Check::ok(NAME, detail(text))
            }
            _ if makes_its_own => {
                let text = format!("{}; the first run sees to it", lacking(&plan.decision));
                Check::ok(NAME, detail(&text))
            }
            _ => Check::warn(NAME, detail(&lacking(&plan.decision)), fix),
        })
    }

    /// What no plan can be made for. A program that is not installed keeps a project from
    /// being set up, which it may not need here; anything else is a fault.
    fn failed(&self, error: ProvisionError) -> Check {
        let check = match error {
            ProvisionError::NoProgram { .. } => Check::warn,
            _ => Check::fail,
        };
        let failure = Failure::from(error);
        let fix = failure
            .help
            .unwrap_or_else(|| "`toolroom setup --plan` says more".to_owned());
        check(NAME, self.sentence(&failure.message), self.sentence(&fix))
    }

    fn sentence(&self, text: &str) -> String {
        paths::shown_in(self.world, text)
    }
}

fn named(target: &Target) -> String {
    format!("{} ({})", target.name(), target.manager.name)
}

/// What is not as it is required, or else why something is to be done.
fn lacking(decision: &Decision) -> String {
    let conflict = |found: &Conflict| {
        let Conflict {
            package,
            installed,
            required,
            ..
        } = found;
        format!("{package} {installed} is there, but {required} is required")
    };
    let mut told: Vec<String> = decision.conflicts.iter().take(MOST).map(conflict).collect();
    told.extend(more(decision.conflicts.len()).map(|more| format!("{more} conflicts")));
    if !decision.missing.is_empty() {
        let mut missing = decision.missing.clone();
        missing.truncate(MOST);
        missing.extend(more(decision.missing.len()));
        told.push(format!("missing: {}", missing.join(", ")));
    }
    if told.is_empty() {
        told.clone_from(&decision.reasons);
    }
    told.join("; ")
}

fn more(number: usize) -> Option<String> {
    (number > MOST).then(|| format!("{} more", number - MOST))
}
