//! What a run gave: how it ended, what it printed, what it replied.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use super::channel::Reply;
use crate::end::{End, Exit};

/// The end of a run that did start.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Outcome {
    pub end: End,
    /// None only if it was made to end and nobody could see it do so, or is no process.
    pub exit: Option<Exit>,
    pub stdout: Captured,
    pub stderr: Captured,
    /// What a launcher sent on the channel; none if it ended before it replied.
    pub reply: Option<Reply>,
    pub duration: Duration,
}

impl Outcome {
    /// Whether the program ended by itself with status zero.
    #[must_use]
    pub fn success(&self) -> bool {
        self.end == End::Itself && self.exit == Some(Exit::Code(0))
    }

    /// The status the program itself gave; none if a signal ended it.
    #[must_use]
    pub const fn exit_code(&self) -> Option<i32> {
        match self.exit {
            Some(Exit::Code(code)) => Some(code),
            Some(Exit::Signal(_)) | None => None,
        }
    }

    /// The signal that ended it, if one did.
    #[must_use]
    pub const fn signal(&self) -> Option<i32> {
        match self.exit {
            Some(Exit::Signal(signal)) => Some(signal),
            Some(Exit::Code(_)) | None => None,
        }
    }
}

/// One output, whole or with its middle left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Captured {
    pub head: Vec<u8>,
    /// What came last, where the whole did not fit into `head`.
    pub tail: Vec<u8>,
    /// How many bytes were printed in all.
    pub length: u64,
    /// The file that holds the whole, if the middle is missing here; with an error, only
    /// its beginning.
    pub spill: Option<PathBuf>,
    /// Why the whole could not be kept, if it should have been.
    pub spill_error: Option<String>,
}

/// Output as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// Whether bytes that are not UTF-8 were replaced.
    pub lossy: bool,
}

impl Captured {
    /// How many bytes are missing between head and tail.
    #[must_use]
    pub fn omitted(&self) -> u64 {
        let kept = self.head.len() + self.tail.len();
        self.length.saturating_sub(kept as u64)
    }

    #[must_use]
    pub fn truncated(&self) -> bool {
        self.omitted() > 0
    }

    /// The kept bytes, without a mark where some are missing.
    #[must_use]
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        if self.tail.is_empty() {
            Cow::Borrowed(&self.head)
        } else {
            Cow::Owned([self.head.as_slice(), &self.tail].concat())
        }
    }

    /// The kept bytes as text, with a line that says how much is missing and where it is.
    #[must_use]
    pub fn text(&self) -> Text {
        if !self.truncated() {
            return decode(&self.bytes());
        }
        let head = decode(without_cut_end(&self.head));
        let tail = decode(without_cut_start(&self.tail));
        let place = self.spill.as_deref().map_or_else(String::new, |path| {
            let part = if self.spill_error.is_some() {
                "the first part of the whole"
            } else {
                "the whole"
            };
            format!("; {part} is in {}", path.display())
        });
        let omitted = self.omitted();
        Text {
            text: format!(
                "{}\n… {omitted} bytes left out{place} …\n{}",
                head.text, tail.text
            ),
            lossy: head.lossy || tail.lossy,
        }
    }
}

fn decode(bytes: &[u8]) -> Text {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => Text {
            text: text.to_owned(),
            lossy: false,
        },
        Cow::Owned(text) => Text { text, lossy: true },
    }
}

/// Leaves out a last character that our own cut has split.
fn without_cut_end(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => {
            let window = bytes.len().saturating_sub(3);
            let start = bytes[window..].iter().rposition(|byte| *byte >= 0xC0);
            match start.map(|at| window + at) {
                Some(at) if is_incomplete(&bytes[at..]) => &bytes[..at],
                _ => bytes,
            }
        }
    }
}

fn is_incomplete(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// Leaves out the rest of a first character that our own cut has split.
fn without_cut_start(bytes: &[u8]) -> &[u8] {
    let rest = bytes
        .iter()
        .take(3)
        .take_while(|byte| (0x80..0xC0).contains(*byte))
        .count();
    &bytes[rest..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(head: &[u8], tail: &[u8], length: u64) -> Captured {
        Captured {
            head: head.to_vec(),
            tail: tail.to_vec(),
            length,
            ..Captured::default()
        }
    }

    #[test]
    fn a_whole_output_is_its_own_text() {
        let text = cut("grüß".as_bytes(), b"", 6).text();
        assert_eq!(text.text, "grüß");
        assert!(!text.lossy);
    }

    #[test]
    fn a_character_split_by_the_cut_does_not_make_the_text_lossy() {
        let whole = "aé🦀b".as_bytes();
        for (head, tail) in [(2, 1), (4, 1), (6, 1), (1, 2), (1, 4), (1, 3)] {
            let captured = cut(&whole[..head], &whole[whole.len() - tail..], 100);
            assert!(!captured.text().lossy, "cut {head}/{tail}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_marked_and_kept_raw() {
        let captured = cut(b"a\xff\xfeb", b"", 4);
        assert!(captured.text().lossy);
        assert_eq!(&*captured.bytes(), b"a\xff\xfeb");
    }

    #[test]
    fn the_text_says_how_much_is_missing() {
        let text = cut(b"abc", b"xyz", 1006).text().text;
        assert_eq!(text, "abc\n… 1000 bytes left out …\nxyz");
    }
}
