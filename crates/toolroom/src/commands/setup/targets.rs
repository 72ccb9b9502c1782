//! What `setup` is about: the tools that are named, or the project and every tool.

use toolroom_catalog::Catalog;
use toolroom_kernel::World;
use toolroom_kernel::model::{Role, Space};
use toolroom_provision::plan::{Planner, Subject, Target};

use crate::args::Setup;
use crate::failure::Failure;

/// Collects the targets, each once.
pub fn collect(
    args: &Setup,
    world: &World,
    catalog: &Catalog,
    planner: &Planner<'_>,
) -> Result<Vec<Target>, Failure> {
    let mut targets: Vec<Target> = Vec::new();
    if !args.ids.is_empty() {
        for id in &args.ids {
            let chain = catalog.link(catalog.find(id)?)?;
            add(&mut targets, planner.tool(&chain)?);
        }
        return Ok(targets);
    }
    if world.project.is_none() && !args.all {
        let failure = Failure::new("usage::no_project", "there is no project here");
        return Err(failure.help("name a tool, or make a project: toolroom init"));
    }
    for target in planner.project()? {
        add(&mut targets, Some(target));
    }
    for row in catalog.list_own().rows {
        let is_asked_for = match row.space {
            Space::Project => true,
            Space::User => args.all,
            Space::Core => false,
        };
        if !is_asked_for || row.role() != Role::Tool {
            continue;
        }
        // A tool that cannot be read or linked is `list`'s and `doctor`'s to tell of.
        let Ok(chain) = catalog
            .find(row.id.as_str())
            .map_err(Failure::from)
            .and_then(|tool| Ok(catalog.link(tool)?))
        else {
            continue;
        };
        add(&mut targets, planner.tool(&chain)?);
    }
    Ok(targets)
}

fn add(targets: &mut Vec<Target>, target: Option<Target>) {
    let Some(target) = target else { return };
    let is_known = targets
        .iter()
        .any(|known| match (&known.subject, &target.subject) {
            (Subject::Project, Subject::Project) => {
                known.manager.name == target.manager.name && known.manifests == target.manifests
            }
            (Subject::Tool(known), Subject::Tool(tool)) => known.id == tool.id,
            _ => false,
        });
    if !is_known {
        targets.push(target);
    }
}
