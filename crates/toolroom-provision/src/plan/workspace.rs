//! The workspace that a project is a member of: a folder above whose manifest names it, and
//! in which the project's installer does its work wherever it is started.
//!
//! What an installer would change has to be known before it is started, so this looks as far
//! up as installers do. What it finds out of the project's reach is not changed, but told.

use std::path::{Path, PathBuf};

use super::parents;
use crate::error::ProvisionError;
use crate::manager::{Choice, Claim, Manager, ManagerTool, Members, choose, claims};

/// How far up is looked.
const MAX_LEVELS: usize = 64;

/// What a project is to the folders above it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Membership {
    /// Nothing.
    #[default]
    Alone,
    /// Nothing, but its program would take it for one of a workspace that does not name it.
    PassedOver,
    Of(Workspace),
    /// It is a member, but of what cannot be installed for it.
    Barred {
        of: Workspace,
        why: String,
    },
}

/// A folder that names a project as its member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    pub root: PathBuf,
    pub claim: Claim,
}

impl Workspace {
    /// Where it says so: `workspaces` of its package.json.
    pub(super) fn told(&self) -> String {
        let Claim { file, field } = &self.claim;
        format!(
            "the workspace {} (`{field}` of its {file})",
            self.root.display()
        )
    }
}

impl Membership {
    /// Looks above the folder of a project's manifest.
    #[must_use]
    pub fn of(manager: &Manager, root: &Path, home: Option<&Path>) -> Self {
        // Programs know where they are by the folder itself, not by a link that led there.
        let (Some(members), Ok(root)) = (&manager.members, fs_err::canonicalize(root)) else {
            return Self::Alone;
        };
        let above = Above::of(manager, members, &root);
        if above.folders.is_empty() {
            return Self::Alone;
        }
        let mut site = root.clone();
        let mut found = None;
        // A workspace may be a member of another.
        while let Some(next) = above.workspace_of(&site) {
            site.clone_from(&next.root);
            found = Some(next);
        }
        let home = home.map(|home| fs_err::canonicalize(home).unwrap_or_else(|_| home.into()));
        let barrier = |of: &Workspace| parents::barrier(&root, &of.root, home.as_deref());
        match (above.lead_from(&site, &root), found) {
            (Some(Lead::Astray { of, why }), _) => Self::Barred { of, why },
            (_, Some(of)) => match barrier(&of) {
                Some(why) => Self::Barred { of, why },
                None => Self::Of(of),
            },
            (Some(Lead::PassedOver), None) => Self::PassedOver,
            (None, None) => Self::Alone,
        }
    }
}

/// Where a program goes from where it is started.
enum Lead {
    /// To a workspace that is installed with another program.
    Astray {
        of: Workspace,
        why: String,
    },
    PassedOver,
}

/// The folders above a project that may have members, nearest first.
struct Above<'m> {
    manager: &'m Manager,
    members: &'m Members,
    folders: Vec<PathBuf>,
}

impl<'m> Above<'m> {
    fn of(manager: &'m Manager, members: &'m Members, root: &Path) -> Self {
        let has_any = |folder: &&Path| {
            let mut files = members.declared.keys();
            files.any(|file| folder.join(file).is_file())
        };
        let above = root.ancestors().skip(1).take(MAX_LEVELS);
        Self {
            folders: above.filter(has_any).map(Path::to_path_buf).collect(),
            manager,
            members,
        }
    }

    fn above<'a>(&'a self, member: &'a Path) -> impl Iterator<Item = &'a PathBuf> {
        let is_above =
            move |folder: &&PathBuf| member != folder.as_path() && member.starts_with(folder);
        self.folders.iter().filter(is_above)
    }

    /// The nearest folder that names another as its member, in a file that its own program
    /// heeds.
    fn workspace_of(&self, member: &Path) -> Option<Workspace> {
        self.above(member).find_map(|root| {
            let claims = claims(self.manager, root, member);
            if claims.is_empty() {
                return None;
            }
            // Where the program cannot be told, that is what the plan will say.
            let tool = self.tool_at(root, member);
            let is_heard = |claim: &Claim| {
                let mut tool = tool.iter();
                tool.all(|tool| self.members.is_heard(&claim.file, tool))
            };
            let is_reached = || {
                let mut tool = tool.iter();
                tool.all(|tool| !self.is_cut_off(member, root, tool))
            };
            let claim = claims.into_iter().find(is_heard);
            let claim = claim.filter(|_| is_reached())?;
            Some(Workspace {
                root: root.clone(),
                claim,
            })
        })
    }

    /// Where the program that a project is installed with goes from the folder it is started
    /// in, if that is not where it should.
    fn lead_from(&self, site: &Path, project: &Path) -> Option<Lead> {
        let tool = self.tool_at(site, project)?;
        if self.is_root_to(site, &tool) {
            return None;
        }
        for root in self.above(site) {
            let mut claims = claims(self.manager, root, site).into_iter();
            if let Some(claim) = claims.find(|claim| self.members.is_heard(&claim.file, &tool)) {
                let other = self.tool_at(root, site).unwrap_or_default();
                return Some(Lead::Astray {
                    why: format!("{tool} would install there, but it is installed with {other}"),
                    of: Workspace {
                        root: root.clone(),
                        claim,
                    },
                });
            }
            if self.is_root_to(root, &tool) {
                return Some(Lead::PassedOver);
            }
        }
        None
    }

    /// Whether a program that goes up from a member ends before it comes to a folder.
    fn is_cut_off(&self, member: &Path, root: &Path, tool: &str) -> bool {
        let mut between = member.ancestors().take_while(|folder| *folder != root);
        between.any(|folder| self.is_root_to(folder, tool))
    }

    /// Whether a program takes a folder for one that has members, whoever they are.
    fn is_root_to(&self, folder: &Path, tool: &str) -> bool {
        let mut files = self.members.of_roots();
        files.any(|file| self.members.is_heard(file, tool) && folder.join(file).is_file())
    }

    /// The program that a folder is installed with for a member, if that can be told.
    fn tool_at(&self, folder: &Path, member: &Path) -> Option<String> {
        let choice = choose_for(self.manager, folder, member, &|_, _| true);
        choice.ok().map(|choice| choice.tool)
    }
}

/// The program for a project that is installed in a folder above it: what that says counts,
/// then what the project says itself.
pub(super) fn choose_for(
    manager: &Manager,
    site: &Path,
    project: &Path,
    is_there: &dyn Fn(&str, &ManagerTool) -> bool,
) -> Result<Choice, ProvisionError> {
    let choose = |folder| choose(manager, folder, &manifest_at(manager, folder), is_there);
    let choice = choose(site)?;
    if choice.is_named {
        return Ok(choice);
    }
    let own = choose(project)?;
    Ok(match own.is_named {
        // A member's lockfile is not the one that is heeded.
        true => Choice {
            lockfile: None,
            ..own
        },
        false => choice,
    })
}

/// The manifest in a folder, or where it would be.
pub(crate) fn manifest_at(manager: &Manager, folder: &Path) -> PathBuf {
    let mut manifests = manager.manifests.iter().map(|name| folder.join(name));
    let found = manifests.clone().find(|file| file.is_file());
    found
        .or_else(|| manifests.next())
        .unwrap_or_else(|| folder.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Room;

    const MANAGER: &str = "tool_type: manager\nmanifests: [tree.json]\nfolder: hollow\nchoose: {lockfiles: {red.lock: red, grey.lock: grey}, otherwise: [red]}\ntools: {red: {program: x, install: [[x]]}, grey: {program: x, install: [[x]]}}\nmembers:\n  declared: {tree.json: [trees], wood.yaml: [trees]}\n  manifests: [tree.json]\n  heard: {tree.json: [red], wood.yaml: [grey]}\n";

    fn membership(room: &Room, tree: &str) -> Membership {
        room.file(".ai/tools/managers/trees.yaml", MANAGER);
        let manager = crate::manager::load(&room.catalog(), "trees", None).unwrap();
        let home = room.world.home.as_deref();
        Membership::of(&manager, &room.project().join(tree), home)
    }

    /// The workspace below the project that a tree is a member of.
    fn workspace(room: &Room, tree: &str) -> Option<String> {
        match membership(room, tree) {
            Membership::Of(found) => {
                let root = fs_err::canonicalize(room.project()).unwrap();
                let inner = found.root.strip_prefix(root).unwrap();
                Some(inner.display().to_string())
            }
            _ => None,
        }
    }

    fn trees(paths: &[&str]) -> Room {
        let room = Room::new();
        for path in paths {
            room.file(&format!("{path}/tree.json"), "{}");
        }
        room
    }

    #[test]
    fn a_project_is_a_member_of_the_nearest_folder_that_names_it() {
        let room = trees(&["w/a/x", "w/a/y", "w/b/z", "w/a/x/hollow/p"]);
        room.file("tree.json", "{\"trees\": [\"w/b/*\"]}");
        room.file("w/tree.json", "{\"trees\": [\"a/**\", \"!a/y\"]}");
        room.file("w/a/tree.json", "{\"trees\": 7}");
        assert_eq!(workspace(&room, "w/a/x").as_deref(), Some("w"));
        assert_eq!(workspace(&room, "w/b/z").as_deref(), Some(""));
        for alone in ["w/a/y", "w/a/x/hollow/p", "w", ""] {
            assert_eq!(membership(&room, alone), Membership::Alone, "{alone}");
        }
    }

    #[test]
    fn a_workspace_in_a_workspace_is_installed_with_that() {
        let room = trees(&["w/x"]);
        room.file("tree.json", "{\"trees\": [\"w\"]}");
        room.file("w/tree.json", "{\"trees\": [\"x\"]}");
        assert_eq!(workspace(&room, "w/x").as_deref(), Some(""));
    }

    #[test]
    fn a_file_that_names_a_project_counts_for_the_programs_that_heed_it() {
        let room = trees(&["w/x"]);
        room.file("w/tree.json", "{}");
        room.file("w/wood.yaml", "trees: [x]\n");
        assert_eq!(
            membership(&room, "w/x"),
            Membership::Alone,
            "red is no reader of it"
        );
        room.file("w/grey.lock", "");
        assert_eq!(workspace(&room, "w/x").as_deref(), Some("w"));
        room.file("w/x/wood.yaml", "trees: []\n");
        assert_eq!(
            membership(&room, "w/x"),
            Membership::Alone,
            "it has members itself"
        );
    }

    #[test]
    fn a_member_says_which_program_is_meant_where_its_workspace_does_not() {
        let room = trees(&["w/x"]);
        room.file("w/tree.json", "{}");
        room.file("w/wood.yaml", "trees: [x]\n");
        room.file("w/x/grey.lock", "");
        assert_eq!(workspace(&room, "w/x").as_deref(), Some("w"));
        room.file("w/red.lock", "");
        assert_eq!(workspace(&room, "w/x"), None);
    }

    #[test]
    fn what_a_program_would_take_for_a_workspace_is_known_though_it_does_not_name_the_project() {
        let room = trees(&["w/x"]);
        room.file("w/wood.yaml", "trees: [y]\n");
        assert_eq!(membership(&room, "w/x"), Membership::Alone);
        room.file("w/x/grey.lock", "");
        assert_eq!(membership(&room, "w/x"), Membership::PassedOver);
    }

    #[test]
    fn a_workspace_of_another_program_or_out_of_reach_is_barred() {
        let room = trees(&["w/x"]);
        room.file("w/tree.json", "{\"trees\": [\"x\"]}");
        room.file("w/grey.lock", "");
        let why = |room: &Room| match membership(room, "w/x") {
            Membership::Barred { why, .. } => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            why(&room),
            "red would install there, but it is installed with grey"
        );
        fs_err::remove_file(room.project().join("w/grey.lock")).unwrap();
        assert_eq!(workspace(&room, "w/x").as_deref(), Some("w"));
        let mut at_home = room;
        at_home.world.home = Some(at_home.project().join("w"));
        assert_eq!(why(&at_home), "it is your home directory");
        at_home.world.home = None;
        fs_err::create_dir(at_home.project().join("w/x/.git")).unwrap();
        assert!(why(&at_home).starts_with("it lies outside of the git repository"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_project_leads_to_where_that_is() {
        let room = trees(&["w/x"]);
        room.file("w/tree.json", "{\"trees\": [\"x\"]}");
        fs_err::os::unix::fs::symlink("w/x", room.project().join("link")).unwrap();
        assert_eq!(workspace(&room, "link").as_deref(), Some("w"));
    }
}
