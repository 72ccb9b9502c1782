//! What lies in one folder, by name and in order, and a look at each of it.
//!
//! A listing looks at every file of its spaces each time, so on Linux neither names nor
//! looks cost memory of their own; elsewhere the standard library does.

use crate::fingerprint::Fingerprint;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(test, not(target_os = "linux")))]
mod portable;

#[cfg(target_os = "linux")]
pub(crate) use self::linux::{Entry, Folder, endings};
#[cfg(not(target_os = "linux"))]
pub(crate) use self::portable::{Entry, Folder, endings};

/// What a name stands for, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    Other,
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::ffi::OsString;
    use std::io;
    use std::os::unix::ffi::OsStringExt as _;
    use std::path::Path;

    use super::*;

    #[test]
    fn both_ways_see_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for number in 0..3000 {
            fs_err::write(at(&format!("{number}.py")), number.to_string()).unwrap();
        }
        fs_err::create_dir(at("below")).unwrap();
        std::os::unix::fs::symlink("0.py", at("link")).unwrap();
        std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        let foreign = OsString::from_vec(b"\xff".to_vec());
        fs_err::write(folder.path().join(foreign), "").unwrap();

        let ours = linux::Folder::open(folder.path()).unwrap();
        let theirs = portable::Folder::open(folder.path()).unwrap();
        assert_eq!(ours.entries().count(), 3004);
        for (ours, theirs) in ours.entries().zip(theirs.entries()) {
            assert_eq!(ours.name(), theirs.name());
            assert_eq!(ours.kind(), theirs.kind());
            assert_eq!(ours.fingerprint().unwrap(), theirs.fingerprint().unwrap());
        }
    }

    #[test]
    fn the_endings_of_a_name_are_known_where_names_are_few() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["a.py", "a.sql", "a", "ab.py", "a.min.js", "b.py"];
        for name in names {
            fs_err::write(folder.path().join(name), "").unwrap();
        }
        let foreign = OsString::from_vec(b"a.\xff".to_vec());
        fs_err::write(folder.path().join(foreign), "").unwrap();
        let known = |path: &Path| linux::endings(path, "a".as_ref());
        let mut endings = known(folder.path()).unwrap();
        endings.sort();
        assert_eq!(endings, [".min.js", ".py", ".sql"]);
        assert_eq!(known(&folder.path().join("a.py")), None);
        assert_eq!(known(&folder.path().join("gone")), None);
        for number in 0..300 {
            fs_err::write(folder.path().join(number.to_string()), "").unwrap();
        }
        assert_eq!(known(folder.path()), None);
        assert_eq!(portable::endings(folder.path(), "a".as_ref()), None);
    }

    #[test]
    fn both_ways_fail_alike() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs_err::write(&file, "").unwrap();
        for path in [file, folder.path().join("gone")] {
            let kind = |error: Option<io::Error>| error.map(|error| error.kind());
            assert_eq!(
                kind(linux::Folder::open(&path).err()),
                kind(portable::Folder::open(&path).err())
            );
        }
    }
}
