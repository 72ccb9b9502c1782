//! The environment that is active where the command is given, and belongs to no project
//! here: it may lend what it has, and is changed only if nobody else depends on it.

use std::path::{Path, PathBuf};

use super::candidates::Seen;
use super::machine::Look;
use super::needs::Needs;
use super::planner::Planner;
use super::target::Target;
use crate::apply::mark;
use crate::decision::Origin;
use crate::manager::EnvironmentSpec;

impl Planner<'_> {
    /// Adds the active environment where the project has none of its own. One that has all
    /// comes before the parents', one that lacks something after them. Says why it is not
    /// used, if it is none.
    pub(super) fn add_active(
        &self,
        target: &Target,
        spec: &EnvironmentSpec,
        needs: &Needs,
        seen: &mut Vec<Seen>,
    ) -> Option<String> {
        let has_own = |seen: &Seen| !matches!(seen.candidate.origin, Origin::Parent(_));
        if !self.options.active || seen.iter().any(has_own) {
            return None;
        }
        let variable = spec.active.as_deref()?;
        let place = self.active(spec)?;
        if seen.iter().any(|seen| seen.candidate.path == place) {
            return None;
        }
        if let Some(fault) = self.fault(spec, &place) {
            return Some(format!(
                "{} is not used, though {variable} names it: {fault}",
                place.display()
            ));
        }
        let origin = self.origin_of_active(target, spec, &place);
        let active = self.seen(target, spec, &place, origin, needs);
        let index = if active.has_all() { 0 } else { seen.len() };
        seen.insert(index, active);
        None
    }

    /// Where an environment was come across that an earlier decision chose.
    pub(super) fn origin_of_recorded(
        &self,
        target: &Target,
        spec: &EnvironmentSpec,
        place: &Path,
    ) -> Origin {
        let own = spec.existing.iter().chain(&spec.own);
        let mut own = own.filter_map(|text| self.filled(text, &target.root, None));
        if own.any(|known| known == place) {
            return Origin::Recorded { parent: None };
        }
        let mut parents = self.of_parents(target, spec).into_iter();
        match parents.find(|(_, places)| places.iter().any(|known| known == place)) {
            Some((parent, _)) => Origin::Recorded {
                parent: Some(parent),
            },
            None => self.origin_of_active(target, spec, place),
        }
    }

    /// The place that the variable names.
    fn active(&self, spec: &EnvironmentSpec) -> Option<PathBuf> {
        let value = self.world.env.get_os(spec.active.as_deref()?)?;
        // Without a slash at the end, as others write it.
        let place: PathBuf = Path::new(value).components().collect();
        (!place.as_os_str().is_empty()).then_some(place)
    }

    /// Why a place is no environment that could be used.
    fn fault(&self, spec: &EnvironmentSpec, place: &Path) -> Option<String> {
        if !place.is_absolute() {
            return Some("it is not an absolute path".to_owned());
        }
        if mark::is_unfinished(place) {
            return Some("it was left unfinished".to_owned());
        }
        match self.machine().look(&spec.resolver, place) {
            Look::Sound(_) => None,
            Look::Absent => Some("it is gone".to_owned()),
            Look::Broken(reason) => Some(reason),
        }
    }

    /// Whose an environment is that is or was active.
    fn origin_of_active(&self, target: &Target, spec: &EnvironmentSpec, place: &Path) -> Origin {
        let owner = self.owner(target, place);
        if owner.is_none() && place.starts_with(&target.root) {
            return Origin::Project;
        }
        Origin::Elsewhere {
            is_active: self.active(spec).as_deref() == Some(place),
            owner,
        }
    }

    /// The project that an environment lies in, unless it is this one or one around it.
    fn owner(&self, target: &Target, place: &Path) -> Option<PathBuf> {
        let home = self.world.home.as_deref();
        let signs = [".git", ".ai", "toolroom.toml"].into_iter();
        let signs: Vec<&str> = signs
            .chain(target.manager.manifests.iter().map(String::as_str))
            .collect();
        place
            .ancestors()
            .skip(1)
            .take_while(|folder| Some(*folder) != home && !target.root.starts_with(folder))
            .find(|folder| signs.iter().any(|sign| folder.join(sign).exists()))
            .map(Path::to_path_buf)
    }
}
