//! Resolver data for the kernel, by name: core's, and what the spaces add.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde_json::Value;
use toolroom_kernel::model::{Role, Tool};
use toolroom_kernel::resolve::{EnvironmentRules, Resolvers};

use crate::catalog::Catalog;
use crate::core_data;

/// The folder resolvers are looked for in by their bare name.
const FOLDER: &str = "resolvers";

static RULES: LazyLock<EnvironmentRules> = LazyLock::new(|| {
    // Data that cannot be read must not pass for rules that forbid nothing.
    let text = core_data::text("environment.yaml").expect("core has its environment");
    serde_json::from_str(text).expect("a test reads core's environment")
});

impl Resolvers for Catalog {
    fn resolver(&self, name: &str) -> Option<Cow<'_, Value>> {
        let id = if name.contains('/') {
            name.to_owned()
        } else {
            format!("{FOLDER}/{name}")
        };
        if let Some(file) = core_data::file(&id) {
            return Some(Cow::Borrowed(file.document()));
        }
        let tool = self.find(&id).ok().filter(is_resolver)?;
        Some(Cow::Owned(Value::Object(tool.metadata)))
    }

    fn names(&self) -> Vec<String> {
        let core = core_data::files()
            .iter()
            .filter_map(|file| file.id.strip_prefix(FOLDER));
        let mut names: Vec<String> = core
            .map(|name| name.trim_start_matches('/').to_owned())
            .collect();
        for root in &self.roots {
            let found = crate::walk::walk(&root.tools.join(FOLDER), &self.extractors);
            names.extend(found.files.into_iter().map(|file| file.id.to_string()));
        }
        names
    }
}

fn is_resolver(tool: &Tool) -> bool {
    tool.role() == Role::Resolver
}

/// What holds for every environment: the core's own rules.
#[must_use]
pub fn environment_rules() -> &'static EnvironmentRules {
    &RULES
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_rules_of_core_are_read() {
        let rules = super::environment_rules();
        assert!(rules.loader_variables.iter().any(|name| name == "PATH"));
        assert_eq!(rules.dotenv_files.len(), 4);
    }
}
