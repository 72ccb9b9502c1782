use std::collections::BTreeMap;

use super::*;

/// Nobody else is there.
fn keep(kept: &Kept, members: &[PathBuf]) {
    let rewritten = [".made".to_owned()];
    let along = Along {
        members,
        rewritten: &rewritten,
        files: &[],
    };
    kept.keep(along, |_| Ok(())).unwrap();
}

/// A folder with a file of every kind that matters, and what is seen of it.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("packages");
    for (path, text) in [
        (".notes", "a"),
        (".made/by/script.js", "a"),
        ("a/b/c/deep.js", "deep"),
        ("a/top.js", "top"),
    ] {
        fs_err::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
        fs_err::write(folder.join(path), text).unwrap();
    }
    fs_err::os::unix::fs::symlink("nowhere", folder.join("a/b/link")).unwrap();
    (root, folder)
}

fn seen(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut seen = BTreeMap::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(path) = left.pop() {
        let text = match fs_err::symlink_metadata(&path).unwrap() {
            found if found.is_dir() => {
                let entries = fs_err::read_dir(&path).unwrap();
                left.extend(entries.map(|entry| entry.unwrap().path()));
                "a folder".to_owned()
            }
            found if found.is_symlink() => format!("{:?}", fs_err::read_link(&path).unwrap()),
            _ => fs_err::read_to_string(&path).unwrap(),
        };
        seen.insert(path, text);
    }
    seen
}

/// What installers do: write to their notes, replace, add and delete.
fn install(folder: &Path) {
    for file in [".notes", ".made/by/script.js"] {
        fs_err::write(folder.join(file), "b").unwrap();
    }
    fs_err::remove_dir_all(folder.join("a")).unwrap();
    fs_err::create_dir_all(folder.join("new/half")).unwrap();
}

#[test]
fn a_folder_is_put_back_as_it_was_and_nothing_is_left_beside_it() {
    let (root, folder) = folder();
    let (kept, before) = (Kept::of(&folder), seen(root.path()));
    keep(&kept, &[]);
    install(&folder);
    assert!(kept.put_back().unwrap());
    assert_eq!(seen(root.path()), before);
    assert!(!kept.put_back().unwrap(), "there is nothing to put back");
}

#[test]
fn a_putting_back_that_was_broken_off_is_finished() {
    let (root, folder) = folder();
    let (kept, before) = (Kept::of(&folder), seen(root.path()));
    keep(&kept, &[]);
    let rest = kept.own.note("rest");
    fs_err::create_dir(&rest).unwrap();
    fs_err::rename(&folder, rest.join("packages")).unwrap();
    assert!(Kept::of(&folder).put_back().unwrap());
    assert_eq!(seen(root.path()), before);
}

#[test]
fn a_folder_that_cannot_be_moved_is_filled_again() {
    let (_root, folder) = folder();
    let (kept, before) = (Kept::of(&folder), seen(&folder));
    keep(&kept, &[]);
    install(&folder);
    let Some(Before::Folder(before_it)) = kept.before() else {
        panic!("it was there");
    };
    tree::refill(&folder, &before_it).unwrap();
    assert_eq!(seen(&folder), before);
}

#[test]
fn what_was_not_kept_to_its_end_is_not_put_back() {
    let (root, folder) = folder();
    let kept = Kept::of(&folder);
    fs_err::create_dir_all(kept.own.note("part/packages/a")).unwrap();
    let before = seen(&folder);
    assert!(!kept.put_back().unwrap());
    assert_eq!(seen(&folder), before);
    assert_eq!(fs_err::read_dir(root.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_behind_a_link_is_kept_where_it_is_and_the_link_stays() {
    let (root, folder) = folder();
    let link = root.path().join("link");
    fs_err::os::unix::fs::symlink("packages", &link).unwrap();
    let before = seen(root.path());
    let kept = Kept::of(&link);
    keep(&kept, &[]);
    install(&folder);
    kept.put_back().unwrap();
    assert_eq!(seen(root.path()), before);
}

/// A project whose own folder and first member's hold something, and whose second member has
/// none; and the folders of the members.
fn project() -> (tempfile::TempDir, Kept, Vec<PathBuf>) {
    let (root, folder) = folder();
    let members = ["in/one", "in/deep/two"].map(|member| root.path().join(member).join("packages"));
    fs_err::create_dir_all(members[1].parent().unwrap()).unwrap();
    fs_err::create_dir_all(members[0].join("a")).unwrap();
    fs_err::create_dir_all(members[0].join(".made/by")).unwrap();
    for file in [".notes", ".made/by/script.js", "a/own.js"] {
        fs_err::write(members[0].join(file), "a").unwrap();
    }
    (root, Kept::of(&folder), members.to_vec())
}

fn install_all(kept: &Kept, members: &[PathBuf]) {
    install(&kept.place);
    install(&members[0]);
    fs_err::create_dir_all(members[1].join("new/half")).unwrap();
}

#[test]
fn members_are_put_back_and_what_a_member_did_not_have_is_removed() {
    let (root, kept, members) = project();
    let before = seen(root.path());
    keep(&kept, &members);
    install_all(&kept, &members);
    assert!(Kept::of(&kept.place).put_back().unwrap());
    assert_eq!(seen(root.path()), before);
}

#[test]
fn a_project_that_had_no_folder_has_none_again_and_its_members_have_theirs() {
    let (root, kept, members) = project();
    fs_err::remove_dir_all(&kept.place).unwrap();
    let before = seen(root.path());
    keep(&kept, &members);
    assert_eq!(kept.before(), Some(Before::Absent));
    fs_err::create_dir_all(kept.place.join("new")).unwrap();
    install(&members[0]);
    assert!(kept.put_back().unwrap());
    assert_eq!(seen(root.path()), before);
}

#[test]
fn what_is_new_everywhere_stays_so_and_no_room_is_left() {
    let (root, kept, members) = project();
    keep(&kept, &members);
    install_all(&kept, &members);
    kept.let_go().unwrap();
    assert!(!kept.put_back().unwrap());
    let (bare, other, others) = project();
    install_all(&other, &others);
    let names = |of: &Path| -> Vec<PathBuf> {
        let paths = seen(of).into_keys();
        paths
            .map(|path| path.strip_prefix(of).unwrap().to_path_buf())
            .collect()
    };
    assert_eq!(names(root.path()), names(bare.path()));
}

#[test]
fn a_kill_while_folders_are_let_go_leaves_all_of_them_new() {
    let (_root, kept, members) = project();
    for let_go_of_first in [false, true] {
        keep(&kept, &members);
        install_all(&kept, &members);
        kept.own.empty().unwrap();
        if let_go_of_first {
            Room::beside(&members[0]).let_go().unwrap();
        }
        assert!(!kept.is_begun_in(&members), "the list says that it is over");
        assert!(!kept.put_back().unwrap());
        for folder in [&kept.place, &members[1]] {
            assert!(folder.join("new/half").is_dir());
        }
        assert!(
            members
                .iter()
                .all(|member| !Room::beside(member).is_there())
        );
        for path in [kept.place.join("a"), members[0].join("a")] {
            fs_err::create_dir_all(path).unwrap();
        }
    }
}

#[test]
fn a_kill_while_folders_are_put_back_leaves_a_mark_until_all_are_old() {
    let (root, kept, members) = project();
    let before = seen(root.path());
    keep(&kept, &members);
    install_all(&kept, &members);
    Room::beside(&members[0]).put_back().unwrap();
    assert!(kept.before().is_some());
    assert!(kept.put_back().unwrap());
    assert_eq!(seen(root.path()), before);
}

#[test]
fn a_kill_while_folders_are_kept_leaves_nothing_of_it() {
    let (root, kept, members) = project();
    let before = seen(root.path());
    let along = Along {
        members: &members,
        ..Along::default()
    };
    let stopped = kept.keep(along, |member| match member == members[1] {
        true => Err(io::Error::other("no")),
        false => Ok(()),
    });
    assert!(stopped.is_err());
    assert_eq!(seen(root.path()), before);
    // As a kill leaves it: a full room, an empty one, and the project's with its list.
    keep(&kept, &members);
    kept.own.empty().unwrap();
    let half = Room::beside(&members[1]);
    half.let_go().unwrap();
    half.make().unwrap();
    assert!(!kept.put_back().unwrap());
    assert_eq!(seen(root.path()), before);
}

#[test]
fn a_list_that_is_damaged_or_leads_elsewhere_is_an_error_and_nothing_is_touched() {
    let (root, kept, members) = project();
    keep(&kept, &members);
    for text in [
        "{",
        "{\"version\": 2, \"folders\": []}",
        "{\"version\": 1, \"folders\": [\"../packages\"]}",
        "{\"version\": 1, \"folders\": [\"in/one\"]}",
    ] {
        kept.own.write(LIST, text.as_bytes()).unwrap();
        let before = seen(root.path());
        let error = kept.put_back().unwrap_err();
        assert!(
            error.to_string().contains("members.json is damaged"),
            "{error}"
        );
        assert!(kept.let_go().is_err());
        assert_eq!(seen(root.path()), before);
    }
}

#[test]
fn a_member_that_became_a_link_out_of_the_project_is_left_alone() {
    let (root, kept, members) = project();
    let outside = tempfile::tempdir().unwrap();
    keep(&kept, &members);
    let member = members[0].parent().unwrap();
    let moved = outside.path().join("one");
    fs_err::rename(member, &moved).unwrap();
    fs_err::os::unix::fs::symlink(&moved, member).unwrap();
    let before = seen(outside.path());
    assert!(kept.put_back().unwrap());
    assert_eq!(seen(outside.path()), before);
    assert!(root.path().join("packages/a/top.js").is_file());
}

#[test]
fn a_members_link_to_a_folder_is_kept_as_a_link() {
    let (root, kept, members) = project();
    fs_err::os::unix::fs::symlink("../../one/packages", &members[1]).unwrap();
    let before = seen(root.path());
    keep(&kept, &members);
    fs_err::remove_file(&members[1]).unwrap();
    fs_err::create_dir_all(members[1].join("new")).unwrap();
    install(&members[0]);
    kept.put_back().unwrap();
    assert_eq!(seen(root.path()), before);
}

#[test]
fn a_member_whose_list_is_gone_is_seen_and_put_back_when_it_is_kept_again() {
    let (root, kept, members) = project();
    let before = seen(&members[0]);
    keep(&kept, &members);
    install(&members[0]);
    delete(&root.path().join(".toolroom-packages")).unwrap();
    assert!(kept.before().is_none() && kept.is_begun_in(&members));
    keep(&kept, &members);
    assert_eq!(seen(&members[0]), before);
    kept.let_go().unwrap();
    assert!(!kept.is_begun_in(&members));
}

#[test]
fn a_member_knows_the_project_that_it_was_kept_for_and_leaves_that_alone() {
    let (root, kept, members) = project();
    keep(&kept, &members);
    install_all(&kept, &members);
    let after = seen(root.path());
    for folder in &members {
        let member = Kept::of(folder);
        assert_eq!(member.above().as_ref(), Some(&kept.place));
        assert!(!member.put_back().unwrap());
        assert!(member.keep(Along::default(), |_| Ok(())).is_err());
    }
    assert_eq!(kept.above(), None);
    assert_eq!(seen(root.path()), after);
}

#[test]
fn files_beside_a_folder_are_put_back_but_for_those_that_are_others_by_now() {
    let (root, folder) = folder();
    let [was, new, theirs] =
        ["was.lock", "new.lock", "inner/theirs.lock"].map(|name| root.path().join(name));
    fs_err::create_dir(root.path().join("inner")).unwrap();
    fs_err::write(&was, "old").unwrap();
    let files = [&was, &new, &theirs].map(|file| (file.clone(), fs_err::read(file).ok()));
    let (kept, before) = (Kept::of(&folder), seen(root.path()));
    let along = Along {
        files: &files,
        ..Along::default()
    };
    for (others, left) in [(None, 0), (Some(&theirs), 1)] {
        kept.keep(along, |_| Ok(())).unwrap();
        install(&folder);
        for file in [&was, &new, &theirs] {
            fs_err::write(file, "changed").unwrap();
        }
        let is_others = |file: &Path| others.is_some_and(|others| file == others);
        kept.put_files_back(&is_others).unwrap();
        kept.put_files_back(&is_others).unwrap();
        kept.put_back().unwrap();
        assert_eq!(seen(root.path()).len(), before.len() + left);
        assert_eq!(fs_err::read_to_string(&was).unwrap(), "old");
        assert_eq!(theirs.exists(), left == 1);
    }
    kept.keep(along, |_| Ok(())).unwrap();
    fs_err::write(&was, "changed").unwrap();
    kept.let_go().unwrap();
    kept.put_files_back(&|_| false).unwrap();
    assert_eq!(
        fs_err::read_to_string(&was).unwrap(),
        "changed",
        "it was done"
    );
}
