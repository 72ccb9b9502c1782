//! What a new environment will be given: everything that is required, since there is nothing
//! in it yet. Named in the words in which an audit names what is missing.

use std::collections::BTreeMap;
use std::path::Path;

use super::planner::Planner;
use super::{Plan, survey};
use crate::audit::report::asked;
use crate::decision::Action;
use crate::requirement::{Requirement, Requirements, Role};

impl Planner<'_> {
    /// Names what a plan's new environment is given, where no environment was found wanting
    /// that would have told.
    pub(super) fn name_given(&self, plan: &mut Plan) {
        let is_new = matches!(plan.decision.action, Action::Create | Action::Repair);
        let is_told = !plan.decision.missing.is_empty() || !plan.decision.conflicts.is_empty();
        if !is_new || is_told || !plan.target.has_own_directory() {
            return;
        }
        let required = &plan.needs.requirements;
        let base = plan.base.as_ref().map(|base| base.path.as_path());
        plan.decision.missing = self
            .lacking_when_new(plan, base)
            .unwrap_or_else(|| all(required));
    }

    fn lacking_when_new(&self, plan: &Plan, base: Option<&Path>) -> Option<Vec<String>> {
        let auditor = plan.target.manager.audit.as_deref()?;
        survey::lacking_when_new(auditor, base?, &plan.needs.requirements, &self.rules())
    }
}

/// Every requirement, where nobody can tell which of them do not count: there is no
/// interpreter yet that would answer to their markers.
fn all(required: &Requirements) -> Vec<String> {
    let is_given = |item: &&Requirement| matches!(item.role, Role::Required | Role::Development);
    let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for item in required.items.iter().filter(is_given) {
        let name = if item.name.is_empty() {
            &item.spec
        } else {
            &item.name
        };
        by_name.entry(name).or_default().push(&item.spec);
    }
    by_name
        .into_iter()
        .map(|(name, specs)| asked(name, specs.into_iter()))
        .collect()
}
