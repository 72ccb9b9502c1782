//! Whether a text can stand for what is in a tool's file: a launcher of ours takes it in the
//! file's place, under the file's name; an interpreter that is given the path alone does not.

use serde_json::{Map, Value};
use toolroom_catalog::Catalog;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::Tool;

use super::bridge;
use super::convention::{self, Convention};
use super::error::ExecError;
use super::launcher::{self, Launcher};
use super::prepare::{Build, HTTP_CLIENT};
use super::style::Style;
use crate::call::{Call, arguments};
use crate::subprocess::Command;

/// What stands for the path of a tool's file.
const TOOL_PATH: &str = "{tool_path}";

/// Whether a tool can be called with a text in place of what is in its file.
#[must_use]
pub fn can_stand_in(catalog: &Catalog, chain: &Chain, source: &str) -> bool {
    let Convention { config, lender, .. } = convention::of(catalog, chain, Some(source));
    !needs_file(chain, &config, lender.as_ref())
}

/// Whether a tool of this style, which no launcher calls, is run from its file.
pub(super) fn runs_file(style: &Style, config: &Map<String, Value>) -> bool {
    match style {
        Style::Function { .. } => false,
        Style::Script => true,
        Style::Command => mentions(config) > 0,
    }
}

/// Whether nothing but the file itself will do. Launchers that a space brings along are not
/// known to take anything else.
pub(super) fn needs_file(
    chain: &Chain,
    config: &Map<String, Value>,
    lender: Option<&Tool>,
) -> bool {
    if bridge::is_meant(config) || chain.primitive().id.as_str() == HTTP_CLIENT {
        return false;
    }
    let Ok(style) = Style::of(chain, config) else {
        return true;
    };
    let launcher = match &style {
        Style::Function { launcher, .. } => Some(launcher.as_str()),
        style if !runs_file(style, config) => return false,
        _ => script_launcher(config),
    };
    let owner = launcher::owner(chain, lender);
    launcher.is_none_or(|launcher| launcher::beside(owner, launcher).is_some())
}

impl Build<'_> {
    /// Has a launcher run a script from a text, with what would have come after its path.
    pub(super) fn script_call(
        &self,
        style: &Style,
        config: &Map<String, Value>,
        command: &mut Command,
    ) -> Result<(Vec<u8>, Option<Launcher>), ExecError> {
        let mut own = command.args.iter();
        let place = own.position(|arg| *arg == *self.tool.path.as_os_str());
        let after = place.map(|at| command.args.split_off(at));
        let after = after.into_iter().flatten().skip(1);
        let mut argv: Vec<String> = after.map(|arg| arg.to_string_lossy().into()).collect();
        if *style == Style::Script {
            argv.extend(arguments(self.params)?);
        }
        let call = Call {
            argv: Some(&argv),
            ..self.plain_call()
        };
        let launcher = script_launcher(config).unwrap_or_default();
        Ok((call.json()?, Some(self.launch(launcher, command)?)))
    }
}

/// The launcher that runs a script from a text, if a runtime says that one of its does. A
/// script that reads its standard input, and a path that is part of something else, have no
/// place there.
fn script_launcher(config: &Map<String, Value>) -> Option<&str> {
    let call = config.get("call")?;
    let can_run = call.get("scripts").and_then(Value::as_bool) == Some(true);
    let args = config.get("args").and_then(Value::as_array);
    let paths = args.into_iter().flatten().filter(|arg| *arg == TOOL_PATH);
    let is_plain = match mentions(config) {
        0 => true,
        1 => paths.count() == 1,
        _ => false,
    };
    let can_run = can_run && is_plain && !config.contains_key("input_data");
    let launcher = call.get("launcher")?.as_str()?;
    can_run.then_some(launcher)
}

/// How often a config speaks of the tool's file.
fn mentions(config: &Map<String, Value>) -> usize {
    let texts = config.values().map(Value::to_string);
    texts.map(|text| text.matches(TOOL_PATH).count()).sum()
}
