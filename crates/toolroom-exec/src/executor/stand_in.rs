//! Whether a text can stand for what is in a tool's file: a launcher of ours takes it in the
//! file's place, under the file's name; an interpreter that is given the path alone does not.

use serde_json::{Map, Value};
use toolroom_catalog::Catalog;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::Tool;

use super::convention::{self, Convention};
use super::prepare::HTTP_CLIENT;
use super::style::Style;
use super::{bridge, launcher};

/// Whether a tool can be called with a text in place of what is in its file.
#[must_use]
pub fn can_stand_in(catalog: &Catalog, chain: &Chain, source: &str) -> bool {
    let Convention { config, lender, .. } = convention::of(catalog, chain, Some(source));
    !needs_file(chain, &config, lender.as_ref())
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
    match Style::of(chain, config) {
        Ok(Style::Function { launcher, .. }) => {
            launcher::beside(launcher::owner(chain, lender), &launcher).is_some()
        }
        Ok(Style::Command) => config
            .values()
            .any(|value| value.to_string().contains("{tool_path}")),
        Ok(Style::Script) | Err(_) => true,
    }
}
