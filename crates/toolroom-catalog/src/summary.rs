//! What a listing says of a tool, in one piece of memory: a listing may have ten thousand,
//! all read from the index each time.

use serde::{Deserialize, Serialize};
use toolroom_kernel::Position;

/// A tool's line, as the index keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// All parts, one behind the other.
    text: Box<str>,
    /// Where each part ends; nothing for a part that is not there.
    ends: [Option<u32>; PARTS],
    pub(crate) executor_at: Option<Position>,
}

const PARTS: usize = 5;

/// What a summary is made of.
#[derive(Debug, Default)]
pub(crate) struct Parts<'p> {
    pub(crate) tool_type: &'p str,
    pub(crate) executor: Option<&'p str>,
    pub(crate) description: Option<&'p str>,
    pub(crate) version: Option<&'p str>,
    pub(crate) category: Option<&'p str>,
    pub(crate) executor_at: Option<Position>,
}

impl Summary {
    pub(crate) fn new(parts: &Parts<'_>) -> Self {
        let texts = [
            Some(parts.tool_type),
            parts.executor,
            parts.description,
            parts.version,
            parts.category,
        ];
        let mut length = 0;
        let ends = texts.map(|text| {
            length += text?.len();
            u32::try_from(length).ok()
        });
        Self {
            text: texts.into_iter().flatten().collect::<String>().into(),
            ends,
            executor_at: parts.executor_at,
        }
    }

    #[must_use]
    pub fn tool_type(&self) -> &str {
        self.part(0).unwrap_or_default()
    }

    /// What it says runs it.
    #[must_use]
    pub fn executor(&self) -> Option<&str> {
        self.part(1)
    }

    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.part(2)
    }

    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.part(3)
    }

    #[must_use]
    pub fn category(&self) -> Option<&str> {
        self.part(4)
    }

    fn part(&self, at: usize) -> Option<&str> {
        let end = self.ends[at]?;
        let before = self.ends[..at].iter().rev().flatten().next();
        let start = before.copied().unwrap_or_default();
        self.text.get(start as usize..end as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_what_they_were_whichever_are_missing() {
        let words = ["executor", "", "1.0", "größer"];
        for there in 0..1_u8 << words.len() {
            let word = |at: usize| (there >> at & 1 == 1).then_some(words[at]);
            let summary = Summary::new(&Parts {
                tool_type: "python",
                executor: word(0),
                description: word(1),
                version: word(2),
                category: word(3),
                executor_at: None,
            });
            assert_eq!(summary.tool_type(), "python");
            let parts = [
                summary.executor(),
                summary.description(),
                summary.version(),
                summary.category(),
            ];
            assert_eq!(parts, [word(0), word(1), word(2), word(3)]);
        }
    }
}
