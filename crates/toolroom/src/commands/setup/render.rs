//! Plans as a tree for people.

use std::fmt::Write as _;

use toolroom_kernel::World;
use toolroom_provision::ProvisionError;
use toolroom_provision::decision::{Action, Severity};
use toolroom_provision::plan::Plan;

use crate::output::{paths, style};

/// One branch for each target.
pub fn tree(world: &World, outcomes: &[Result<Plan, ProvisionError>]) -> String {
    let mut text = String::new();
    for plan in outcomes.iter().flatten() {
        branch(world, plan, &mut text);
    }
    text
}

fn branch(world: &World, plan: &Plan, text: &mut String) {
    let decision = &plan.decision;
    let action = match decision.action {
        Action::None | Action::Reuse => style::good(word(plan)),
        Action::Refuse => style::bad(word(plan)),
        _ if plan.applied => style::good(word(plan)),
        _ => style::warn(word(plan)),
    };
    let place = decision
        .environment
        .as_deref()
        .map(|path| format!(" {}", paths::shown(world, path)))
        .unwrap_or_default();
    let manager = style::faint(format!("({})", plan.target.manager.name));
    let _ = writeln!(
        text,
        "{} {manager}: {action}{place}",
        style::name(plan.target.name())
    );
    let mut twigs: Vec<String> = decision.reasons.clone();
    if !decision.missing.is_empty() {
        twigs.push(format!("missing: {}", decision.missing.join(", ")));
    }
    for conflict in &decision.conflicts {
        let severity = match conflict.severity {
            Severity::Minor => style::faint("minor"),
            Severity::Major => style::warn("major"),
        };
        let breaks = if conflict.breaks.is_empty() {
            String::new()
        } else {
            format!("; would break {}", conflict.breaks.join(", "))
        };
        twigs.push(format!(
            "conflict ({severity}): {} {}, needs {}{breaks}",
            conflict.package, conflict.installed, conflict.required
        ));
    }
    if !plan.applied {
        twigs.extend(
            plan.steps
                .iter()
                .map(|step| style::faint(format!("$ {}", step.shown.join(" ")))),
        );
    }
    twigs.extend(
        decision
            .warnings
            .iter()
            .map(|warning| format!("{} {warning}", style::warn("warning:"))),
    );
    twigs.extend(
        decision
            .fix
            .iter()
            .map(|fix| format!("{} {fix}", style::name("help:"))),
    );
    let last = twigs.len().saturating_sub(1);
    for (index, twig) in twigs.iter().enumerate() {
        let mark = style::faint(if index == last { "└─" } else { "├─" });
        let _ = writeln!(text, "  {mark} {twig}");
    }
}

fn word(plan: &Plan) -> &'static str {
    let is_somewhere = plan.decision.environment.is_some();
    match (plan.decision.action, plan.applied) {
        (Action::InstallMissing, false) if !is_somewhere => "install",
        (Action::InstallMissing, true) if !is_somewhere => "installed",
        (Action::None, _) => "nothing to do",
        (Action::Reuse, _) => "reuse",
        (Action::InstallMissing, false) => "install the missing into",
        (Action::InstallMissing, true) => "installed the missing into",
        (Action::Upgrade, false) => "upgrade",
        (Action::Upgrade, true) => "upgraded",
        (Action::Create, false) => "create",
        (Action::Create, true) => "created",
        (Action::Repair, false) => "repair",
        (Action::Repair, true) => "repaired",
        (Action::Refuse, _) => "refused",
    }
}
