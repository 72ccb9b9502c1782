//! The name under which an agent sees a tool: `^[a-zA-Z0-9_-]{1,64}$`, the only names
//! every client takes, made from the id and from nothing else.

use std::collections::BTreeMap;

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
        marked(&name, text)
    } else {
        name
    }
}

/// A name that nothing else can have: its end is a mark of the whole it was made from.
#[must_use]
pub fn marked(name: &str, whole: &str) -> String {
    let digest = Sha256::digest(whole.as_bytes());
    let mark = toolroom_kernel::hex(&digest[..MARK / 2]);
    let kept: String = name.chars().take(LONGEST - MARK - 1).collect();
    format!("{kept}_{mark}")
}

/// Ids that would have the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    pub name: String,
    pub ids: Vec<ToolId>,
}

impl std::fmt::Display for Collision {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids: Vec<&str> = self.ids.iter().map(ToolId::as_str).collect();
        let ids = ids.join(" and ");
        write!(formatter, "{ids} would all be called {}", self.name)
    }
}

/// The names that several ids would have, ordered.
#[must_use]
pub fn collisions(ids: &[ToolId]) -> Vec<Collision> {
    let mut owners: BTreeMap<String, Vec<ToolId>> = BTreeMap::new();
    for id in ids {
        owners.entry(public(id)).or_default().push(id.clone());
    }
    owners
        .into_iter()
        .filter(|(_, ids)| ids.len() > 1)
        .map(|(name, ids)| Collision { name, ids })
        .collect()
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
    fn ids_that_would_share_a_name_are_named_together() {
        let ids = [id("web/fetch"), id("other"), id("web_fetch")];
        let found = collisions(&ids);
        assert_eq!(
            found,
            [Collision {
                name: "web_fetch".into(),
                ids: vec![id("web/fetch"), id("web_fetch")]
            }]
        );
        assert_eq!(
            found[0].to_string(),
            "web/fetch and web_fetch would all be called web_fetch"
        );
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
