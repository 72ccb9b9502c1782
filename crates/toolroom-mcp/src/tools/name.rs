//! The name under which an agent sees a tool: `^[a-zA-Z0-9_-]{1,64}$`, the only names
//! every client takes, made from the id and from nothing else.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};
use toolroom_kernel::model::ToolId;

const LONGEST: usize = 64;
const MARK: usize = 8;

/// The public name of an id. Folders are joined by `_`; a name that had to lose letters
/// or length ends in a mark of its id.
#[must_use]
pub fn public(id: &ToolId) -> String {
    let text = id.as_str();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let name: String = text
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect();
    let loses = text
        .chars()
        .any(|c| !is_plain(c) && !matches!(c, '/' | '.' | ' '));
    if loses || name.len() > LONGEST {
        marked(&name, id)
    } else {
        name
    }
}

/// A name that no other id can have.
#[must_use]
pub fn marked(name: &str, id: &ToolId) -> String {
    let digest = Sha256::digest(id.as_str().as_bytes());
    let mark: String = digest
        .iter()
        .take(MARK / 2)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let kept: String = name.chars().take(LONGEST - MARK - 1).collect();
    format!("{kept}_{mark}")
}

/// Two ids that would have the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    pub name: String,
    pub ids: Vec<ToolId>,
}

/// Names for many ids, in their order. Where some would share a name every one of them
/// gets a marked one, so that none can pass for another.
#[must_use]
pub fn all(ids: &[ToolId]) -> (Vec<String>, Vec<Collision>) {
    let mut names: Vec<String> = ids.iter().map(public).collect();
    let mut owners: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, name) in names.iter().enumerate() {
        owners.entry(name).or_default().push(at);
    }
    let mut shared: Vec<Vec<usize>> = owners
        .into_values()
        .filter(|owners| owners.len() > 1)
        .collect();
    shared.sort();
    let mut collisions = Vec::new();
    for owners in shared {
        collisions.push(Collision {
            name: names[owners[0]].clone(),
            ids: owners.iter().map(|at| ids[*at].clone()).collect(),
        });
        for at in owners {
            names[at] = marked(&names[at], &ids[at]);
        }
    }
    (names, collisions)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(text: &str) -> ToolId {
        ToolId::parse(text).unwrap()
    }

    #[test]
    fn a_plain_id_keeps_its_words() {
        for (text, wanted) in [
            ("web/fetch", "web_fetch"),
            ("a-b_c", "a-b_c"),
            ("v1.2/my tool", "v1_2_my_tool"),
        ] {
            assert_eq!(public(&id(text)), wanted);
        }
    }

    #[test]
    fn other_scripts_and_long_ids_are_marked() {
        let one = public(&id("größe"));
        assert!(one.starts_with("gr__e_"), "{one}");
        assert_ne!(public(&id("測試")), public(&id("試測")));
        let long = public(&id(&"x".repeat(200)));
        assert_eq!(long.len(), 64);
    }

    #[test]
    fn ids_that_would_share_a_name_are_all_marked() {
        let ids = [id("web/fetch"), id("web_fetch"), id("other")];
        let (names, collisions) = all(&ids);
        assert_eq!(
            collisions,
            [Collision {
                name: "web_fetch".into(),
                ids: ids[..2].to_vec()
            }]
        );
        assert_eq!(names[2], "other");
        assert_ne!(names[0], names[1]);
        assert!(names[..2].iter().all(|name| name != "web_fetch"));
    }

    proptest! {
        #[test]
        fn every_id_has_a_name_that_clients_take(text in "[^\\\\\u{0}-\u{1f}\u{7f}-\u{9f}:]{1,80}") {
            if let Ok(id) = ToolId::parse(&text) {
                let name = public(&id);
                prop_assert!((1..=64).contains(&name.len()));
                prop_assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'));
            }
        }
    }
}
