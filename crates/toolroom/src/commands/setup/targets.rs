//! What `setup` is about: the tools that are named, or the project and every tool.

use std::path::Path;

use toolroom_catalog::Catalog;
use toolroom_kernel::World;
use toolroom_kernel::model::{Role, Space};
use toolroom_provision::plan::{Planner, Subject, Target};

use crate::args::Setup;
use crate::failure::Failure;

/// What was found.
#[derive(Debug, Default)]
pub struct Targets {
    pub targets: Vec<Target>,
    /// Why files that were asked for are no tools, or tools that nothing can run.
    pub left_out: Vec<Failure>,
}

/// Collects the targets, each once.
pub fn collect(
    args: &Setup,
    world: &World,
    catalog: &Catalog,
    planner: &Planner<'_>,
) -> Result<Targets, Failure> {
    let mut found = Targets::default();
    if !args.ids.is_empty() {
        for id in &args.ids {
            let chain = catalog.link(catalog.find(id)?)?;
            add(&mut found.targets, planner.tool(&chain)?);
        }
        return Ok(found);
    }
    if !args.all {
        crate::world::project(world, "name a tool, or ")?;
    }
    for target in planner.project()? {
        add(&mut found.targets, Some(target));
    }
    let listing = catalog.list_own();
    let is_users = |path: &Path| {
        let user = world.user_space.as_deref();
        user.is_some_and(|user| path.starts_with(user))
    };
    let problems = listing.problems.into_iter();
    let problems = problems.filter(|problem| args.all || !is_users(&problem.path));
    found.left_out.extend(problems.map(Failure::from));
    for row in listing.rows {
        let is_asked_for = match row.space {
            Space::Project => true,
            Space::User => args.all,
            Space::Core => false,
        };
        if !is_asked_for || row.role() != Role::Tool {
            continue;
        }
        let linked = catalog
            .find(row.id.as_str())
            .map_err(Failure::from)
            .and_then(|tool| Ok(catalog.link(tool)?));
        match linked {
            Ok(chain) => add(&mut found.targets, planner.tool(&chain)?),
            Err(failure) => found.left_out.push(failure),
        }
    }
    Ok(found)
}

fn add(targets: &mut Vec<Target>, target: Option<Target>) {
    let target = target.filter(|target| !is_known(targets, target));
    targets.extend(target);
}

/// Whether one of the targets is about the same.
pub fn is_known(targets: &[Target], target: &Target) -> bool {
    targets
        .iter()
        .any(|known| match (&known.subject, &target.subject) {
            (Subject::Project, Subject::Project) => {
                known.manager.name == target.manager.name && known.manifests == target.manifests
            }
            (Subject::Tool(known), Subject::Tool(tool)) => known.id == tool.id,
            _ => false,
        })
}
