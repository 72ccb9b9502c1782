//! The provider `program`: a program on PATH, in a range of versions. It can tell, and
//! install nothing.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use toolroom_exec::subprocess::{Cancel, Command, Guard, Supervision, run_blocking};
use toolroom_kernel::resolve::{Range, Version};

use super::{Applied, Apply, Check, Context, Health, PresetProvider};
use crate::plan::Machine;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// Looks for a program: `program`, `version_args`, `range` and `advice` in its config.
#[derive(Debug, Clone, Copy)]
pub struct ProgramProvider<'p> {
    pub machine: Machine<'p>,
    pub guard: &'p Guard,
}

impl ProgramProvider<'_> {
    fn version(&self, program: &Path, context: &Context) -> Result<Version, String> {
        let mut command = Command::new(program, &context.root);
        let args = context
            .config
            .get("version_args")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_else(|| vec![json!("--version")]);
        command.args = args
            .iter()
            .filter_map(Value::as_str)
            .map(Into::into)
            .collect();
        command.env = self.machine.world.env.clone();
        let mut how = Supervision::new();
        how.timeout = Some(PATIENCE);
        let outcome = run_blocking(&command, &how, self.guard, &Cancel::new())
            .map_err(|error| error.to_string())?;
        if !outcome.success() {
            return Err(format!("{} does not say its version", program.display()));
        }
        let text = outcome.stdout.text().text;
        let words = text.split(|c: char| c.is_whitespace() || c == ',');
        let mut versions = words
            .map(|word| word.trim_start_matches(['v', 'V']))
            .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        versions
            .find_map(Version::parse)
            .ok_or_else(|| format!("{} does not say its version", program.display()))
    }
}

impl PresetProvider for ProgramProvider<'_> {
    fn id(&self) -> &'static str {
        "program"
    }

    fn check(&self, context: &Context) -> Check {
        let Some(name) = context.config.get("program").and_then(Value::as_str) else {
            return Check::new(Health::Broken, "its config names no program");
        };
        let Some(program) = self.machine.on_path(name) else {
            return Check::new(Health::Missing, format!("there is no {name} on PATH"));
        };
        let mut check = match context.config.get("range").and_then(Value::as_str) {
            None => Check::new(Health::Healthy, format!("{name} is {}", program.display())),
            Some(text) => match (Range::parse(text), self.version(&program, context)) {
                (None, _) => {
                    Check::new(Health::Broken, format!("{text} is not a range of versions"))
                }
                (_, Err(reason)) => Check::new(Health::Broken, reason),
                (Some(range), Ok(version)) if range.matches(&version) => Check::new(
                    Health::Healthy,
                    format!("{name} {version} is {}", program.display()),
                ),
                (Some(_), Ok(version)) => Check::new(
                    Health::Drifted,
                    format!("{name} is {version}, but {text} is required"),
                ),
            },
        };
        check
            .values
            .insert("program_path".to_owned(), json!(program));
        check
    }

    fn apply(&self, context: &Context) -> Apply {
        let advice = context
            .config
            .get("advice")
            .and_then(Value::as_str)
            .unwrap_or("install it by hand");
        Apply::new(Applied::DetectionOnly, advice)
    }
}
