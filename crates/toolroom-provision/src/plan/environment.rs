//! The project's environment, and the shared ones of tools.

use std::path::Path;

use super::Plan;
use super::candidates::Seen;
use super::finish::Decided;
use super::needs::Needs;
use super::planner::Planner;
use super::target::{Subject, Target};
use crate::apply::mark;
use crate::decision::{Action, Base, Origin, Place, Policy, Situation, decide_environment};
use crate::error::ProvisionError;
use crate::journal::Record;
use crate::manager::EnvironmentSpec;
use crate::store;

pub(super) const OWN_PACKAGES: &str =
    "its own packages go to an environment that all tools share that require the same";
pub(super) const SHARED_IS_THERE: &str = "the shared environment for what it requires is there";

impl Planner<'_> {
    /// The project's environment: reused when safe, isolated when necessary.
    pub(super) fn environment(
        &self,
        target: &Target,
        spec: &EnvironmentSpec,
        needs: Needs,
    ) -> Result<Plan, ProvisionError> {
        let mut survey = self.candidates(target, spec, &needs)?;
        let unused = self.add_active(target, spec, &needs, &mut survey);
        let base = self
            .machine()
            .base(&spec.resolver, needs.interpreter().as_deref());
        let situation = Situation {
            what: spec.language.clone(),
            bringers: target.manager.bringers(),
            required: needs.count(),
            own: self.own_places(target, spec),
            base: base
                .as_ref()
                .ok()
                .map(|base| self.base_of(base, spec, target, &needs)),
            policy: self.options.policy,
            repair: self.options.repair,
            candidates: survey.iter().map(|seen| seen.candidate.clone()).collect(),
        };
        let mut decision = decide_environment(&situation);
        if decision.action != Action::None {
            decision.warnings.extend(unused);
        }
        let decided = Decided::among(survey, decision, base);
        self.finish(target, needs, decided)
    }

    /// A tool's own environment: what it would run in anyway if that has all, else one
    /// that is shared by all tools that require the same.
    pub(super) fn shared(
        &self,
        target: &Target,
        spec: &EnvironmentSpec,
        needs: Needs,
    ) -> Result<Plan, ProvisionError> {
        let base = self
            .machine()
            .base(&spec.resolver, needs.interpreter().as_deref());
        let own = base.as_ref().ok().and_then(|base| {
            store::place(self.world, &target.manager.name, &needs, &target.root, base)
        });
        let candidate = self.shared_candidate(target, spec, &needs, own.as_deref())?;
        let situation = Situation {
            what: spec.language.clone(),
            bringers: target.manager.bringers(),
            required: needs.count() + needs.requirements.interpreter.len(),
            own: own
                .iter()
                .map(|path| Place {
                    path: path.clone(),
                    // Another process may have begun it since the candidates were looked at;
                    // its lock is waited for, and the plan made again.
                    free: mark::is_free(path) || mark::is_ours(path),
                })
                .collect(),
            base: base.as_ref().ok().map(|base| Base {
                findings: None,
                guarded: false,
                path: base.path.clone(),
                version: base.version.clone(),
            }),
            policy: Policy {
                allow_global: false,
                ..self.options.policy
            },
            repair: true,
            candidates: candidate
                .iter()
                .map(|seen| seen.candidate.clone())
                .collect(),
        };
        let mut decision = decide_environment(&situation);
        let is_shared = decision.environment.is_some() && decision.environment == own;
        match decision.action {
            Action::Create => {
                decision.reasons = vec![OWN_PACKAGES.to_owned()];
            }
            Action::Reuse if is_shared => {
                decision.reasons = vec![SHARED_IS_THERE.to_owned()];
            }
            _ => {}
        }
        let decided = Decided::among(candidate, decision, base);
        self.finish(target, needs, decided)
    }

    /// The shared environment if it is there, or else what of the project's has all.
    fn shared_candidate(
        &self,
        target: &Target,
        spec: &EnvironmentSpec,
        needs: &Needs,
        own: Option<&Path>,
    ) -> Result<Option<Seen>, ProvisionError> {
        if let Some(own) = own.filter(|own| own.exists()) {
            let origin = Origin::Recorded { parent: None };
            return Ok(Some(self.seen(target, spec, own, origin, needs)));
        }
        if self.options.policy.force_isolation || self.world.project.is_none() {
            return Ok(None);
        }
        let seen = self.candidates(target, spec, needs)?;
        Ok(seen.into_iter().find(Seen::has_all))
    }

    /// Whether tools run in what a plan reuses without anything being done: it is where
    /// resolution looks first, or was chosen before.
    #[must_use]
    pub fn is_in_force(&self, plan: &Plan) -> bool {
        let (Subject::Project, Some(project)) = (&plan.target.subject, &self.world.project) else {
            return true;
        };
        let is_recorded = || {
            let record = Record::of(self.world, project).ok()?;
            let known = record.decisions.get(&plan.target.key(project))?;
            Some(known.environment == plan.decision.environment)
        };
        self.resolver_to_tell(plan).is_none() || is_recorded() == Some(true)
    }

    /// The resolver that has to be told of a plan's environment; none if it finds it anyway.
    pub(crate) fn resolver_to_tell(&self, plan: &Plan) -> Option<String> {
        let spec = plan.target.manager.environment.as_ref()?;
        let chosen = plan.decision.environment.as_ref()?;
        let places = spec
            .existing
            .iter()
            .chain(&spec.own)
            .filter_map(|text| self.filled(text, &plan.target.root, None));
        let first = places
            .into_iter()
            .find(|place| fs_err::symlink_metadata(place).is_ok());
        (first.as_ref() != Some(chosen)).then(|| spec.resolver.clone())
    }
}
