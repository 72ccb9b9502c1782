//! Resolver data for the kernel, by name: core's, and what the spaces add.

use std::borrow::Cow;

use serde_json::Value;
use toolroom_kernel::model::{Role, Tool};
use toolroom_kernel::resolve::{EnvironmentRules, Resolvers};

use crate::catalog::Catalog;
use crate::core_data;

/// The folder resolvers are looked for in by their bare name.
const FOLDER: &str = "resolvers";

impl Resolvers for Catalog {
    fn written(&self, name: &str) -> Option<&str> {
        core_data::file(&id(name)).map(|file| file.json)
    }

    fn resolver(&self, name: &str) -> Option<Cow<'_, Value>> {
        let id = id(name);
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

fn id(name: &str) -> String {
    if name.contains('/') {
        name.to_owned()
    } else {
        format!("{FOLDER}/{name}")
    }
}

fn is_resolver(tool: &Tool) -> bool {
    tool.role() == Role::Resolver
}

/// What holds for every environment: the core's own rules.
#[must_use]
pub fn environment_rules() -> &'static EnvironmentRules<'static> {
    core_data::environment()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_rules_of_core_are_read() {
        let rules = super::environment_rules();
        assert!(rules.loader_variables.contains(&"PATH"));
        assert_eq!(rules.dotenv_files.len(), 4);
    }
}
