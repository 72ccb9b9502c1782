//! Rules that let a move be made or not: lines of conditions, the first that applies
//! decides. A rule that is not there does not hold.

use std::path::Path;

use super::facts::Filled;
use super::search::Search;
use super::spec::{Condition, Move};
use crate::template::TemplateError;

impl Search<'_> {
    /// Whether the rules of a move let it be made.
    pub(super) fn applies(&self, step: &Move) -> Result<bool, TemplateError> {
        let when = step
            .when
            .as_deref()
            .map_or(Ok(true), |rule| self.holds(rule))?;
        let unless = step
            .unless
            .as_deref()
            .map_or(Ok(false), |rule| self.holds(rule))?;
        Ok(when && !unless)
    }

    fn holds(&self, rule: &str) -> Result<bool, TemplateError> {
        for condition in self.spec.rules.get(rule).into_iter().flatten() {
            if self.meets(condition)? {
                return Ok(condition.then);
            }
        }
        Ok(false)
    }

    fn meets(&self, condition: &Condition) -> Result<bool, TemplateError> {
        let facts = &self.facts;
        if let Some(path) = &condition.exists
            && !matches!(facts.fill(path)?, Filled::Text(path) if Path::new(&path).exists())
        {
            return Ok(false);
        }
        if let Some((left, right)) = &condition.equal
            && facts.fill_loosely(left)? != facts.fill_loosely(right)?
        {
            return Ok(false);
        }
        if let Some((text, end)) = &condition.ends_with
            && !facts
                .fill_loosely(text)?
                .ends_with(&facts.fill_loosely(end)?)
        {
            return Ok(false);
        }
        Ok(condition
            .given
            .as_ref()
            .is_none_or(|option| facts.get(option).is_some()))
    }
}
