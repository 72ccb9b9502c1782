//! Plans as a tree for people.

use std::fmt::Write as _;

use toolroom_kernel::World;
use toolroom_provision::ProvisionError;
use toolroom_provision::decision::{Action, Conflict, Severity};
use toolroom_provision::plan::Plan;
use unicode_width::UnicodeWidthStr as _;

use crate::output::words::quoted;
use crate::output::{lines, paths, style};

/// What the marks of the tree take of a line.
const MARGIN: usize = 5;

/// One branch for each target, in lines that fit.
pub fn tree(
    world: &World,
    outcomes: &[Result<Plan, ProvisionError>],
    width: Option<usize>,
) -> String {
    let mut text = String::new();
    for plan in outcomes.iter().flatten() {
        head(world, plan, &mut text);
        let twigs = twigs(world, plan);
        let room = width.map(|width| width.saturating_sub(MARGIN));
        for (index, twig) in twigs.iter().enumerate() {
            let is_last = index + 1 == twigs.len();
            grow(twig, is_last, room, &mut text);
        }
    }
    text
}

fn head(world: &World, plan: &Plan, text: &mut String) {
    let action = match plan.decision.action {
        Action::None | Action::Reuse => style::good(word(plan)),
        Action::Refuse => style::bad(word(plan)),
        _ if plan.applied => style::good(word(plan)),
        _ => style::warn(word(plan)),
    };
    let place = plan.decision.environment.as_deref();
    let place = place
        .map(|path| format!(" {}", paths::shown(world, path)))
        .unwrap_or_default();
    let name = style::name(plan.target.name());
    let manager = style::faint(format!("({})", plan.target.manager.name));
    let _ = writeln!(text, "{name} {manager}: {action}{place}");
}

/// Something that is said of a plan.
enum Twig<'p> {
    /// A text, and a label before it with its own style.
    Text(Option<Label>, String),
    Command(&'p [String]),
}

struct Label {
    text: String,
    dress: fn(String) -> String,
}

impl Label {
    fn new(text: impl Into<String>, dress: fn(String) -> String) -> Option<Self> {
        let text = text.into();
        Some(Self { text, dress })
    }
}

fn twigs<'p>(world: &World, plan: &'p Plan) -> Vec<Twig<'p>> {
    let decision = &plan.decision;
    let plain = |text: &String| Twig::Text(None, text.clone());
    let mut twigs: Vec<Twig<'_>> = decision.reasons.iter().map(plain).collect();
    if !decision.missing.is_empty() {
        let missing = format!("missing: {}", decision.missing.join(", "));
        twigs.push(Twig::Text(None, missing));
    }
    twigs.extend(decision.conflicts.iter().map(conflict));
    if !plan.applied {
        twigs.extend(plan.steps.iter().map(|step| Twig::Command(&step.shown)));
        twigs.extend(plan.constraints.iter().map(|file| {
            let file = paths::shown(world, file);
            let text = format!("{file} is written first, with what is installed and its versions");
            Twig::Text(None, text)
        }));
    }
    twigs.extend(decision.warnings.iter().map(|warning| {
        let label = Label::new("warning:", style::warn);
        Twig::Text(label, warning.clone())
    }));
    twigs.extend(decision.fix.iter().filter(|_| !plan.applied).map(|fix| {
        let label = Label::new("help:", style::name);
        Twig::Text(label, fix.clone())
    }));
    twigs
}

fn conflict(conflict: &Conflict) -> Twig<'_> {
    let label = match conflict.severity {
        Severity::Minor => Label::new("conflict (minor):", style::faint),
        Severity::Major => Label::new("conflict (major):", style::warn),
    };
    let breaks: Vec<String> = conflict.breaks.iter().map(ToString::to_string).collect();
    let breaks = match breaks.as_slice() {
        [] => String::new(),
        breaks => format!("; would break {}", breaks.join(", ")),
    };
    let Conflict {
        package,
        installed,
        required,
        ..
    } = conflict;
    Twig::Text(
        label,
        format!("{package} {installed}, needs {required}{breaks}"),
    )
}

fn grow(twig: &Twig<'_>, is_last: bool, room: Option<usize>, text: &mut String) {
    let mark = style::faint(if is_last { "└─" } else { "├─" });
    let (told, margin) = match twig {
        // Below a command there are no marks, or it could not be copied.
        Twig::Command(argv) => (command(argv, room), "     ".to_owned()),
        Twig::Text(label, said) => {
            let bar = if is_last {
                " ".to_owned()
            } else {
                style::faint("│")
            };
            (labelled(label.as_ref(), said, room), format!("  {bar}  "))
        }
    };
    let _ = writeln!(text, "  {mark} {}", told.join(&format!("\n{margin}")));
}

fn labelled(label: Option<&Label>, text: &str, room: Option<usize>) -> Vec<String> {
    let Some(Label { text: label, dress }) = label else {
        return lines::broken(text, room);
    };
    let mut told = lines::broken(&format!("{label} {text}"), room);
    if let Some(first) = told.first_mut()
        && let Some(rest) = first.strip_prefix(label.as_str())
    {
        *first = format!("{}{rest}", dress(label.clone()));
    }
    told
}

/// A command as a shell takes it, also where it is longer than a line.
fn command(argv: &[String], room: Option<usize>) -> Vec<String> {
    const GOES_ON: &str = " \\";
    let room = room.map_or(usize::MAX, |room| room.saturating_sub(GOES_ON.len()));
    let mut told = Vec::new();
    let mut line = "$".to_owned();
    for word in argv {
        let word = quoted(word);
        if line.width() + 1 + word.width() > room && line.trim() != "$" {
            told.push(line + GOES_ON);
            line = "   ".to_owned();
        }
        line.push(' ');
        line.push_str(&word);
    }
    told.push(line);
    told.into_iter().map(style::faint).collect()
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
