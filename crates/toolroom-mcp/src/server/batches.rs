//! Takes batches apart, which clients of revision 2025-03-26 may send: `[a,b]` becomes a
//! line for `a` and a line for `b`, each answered by a line of its own.
//!
//! Bytes are replaced where they are while they come; nothing is kept or read twice, and
//! lines that are no batch are left alone.

/// Where in the input we are.
#[derive(Debug, Default)]
pub enum Batches {
    /// Nothing but white space since the last line ended.
    #[default]
    LineBegins,
    /// Up to the end of the line nothing is ours.
    Message,
    Batch(Inside),
}

/// A place within a batch.
#[derive(Debug, Default)]
pub struct Inside {
    /// Brackets that are open within the batch.
    depth: usize,
    text: Text,
    /// Whether anything stands after the last comma.
    has_begun: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    Quoted,
    /// After a backslash.
    Escaped,
}

impl Batches {
    /// Goes over what was read next.
    pub fn unpack(&mut self, bytes: &mut [u8]) {
        let mut at = 0;
        while let Some(byte) = bytes.get_mut(at) {
            at += 1;
            match self {
                _ if *byte == b'\n' => *self = Self::LineBegins,
                Self::LineBegins => match *byte {
                    b' ' | b'\t' | b'\r' => {}
                    b'[' => {
                        *byte = b' ';
                        *self = Self::Batch(Inside::default());
                    }
                    _ => *self = Self::Message,
                },
                Self::Message => {
                    let rest = &bytes[at..];
                    at += rest
                        .iter()
                        .position(|byte| *byte == b'\n')
                        .unwrap_or(rest.len());
                }
                Self::Batch(inside) => {
                    if inside.ends_at(byte) {
                        *self = Self::Message;
                    }
                }
            }
        }
    }
}

impl Inside {
    /// Takes one byte, and says whether the batch ends with it.
    fn ends_at(&mut self, byte: &mut u8) -> bool {
        let is_first = !self.has_begun && !byte.is_ascii_whitespace();
        self.has_begun |= is_first;
        match (&self.text, *byte) {
            (Text::Escaped, _) => self.text = Text::Quoted,
            (Text::Quoted, b'\\') => self.text = Text::Escaped,
            (Text::Quoted, b'"') => self.text = Text::Outside,
            (Text::Quoted, _) => {}
            (Text::Outside, b'"') => self.text = Text::Quoted,
            (Text::Outside, b'{' | b'[') => self.depth += 1,
            (Text::Outside, b'}' | b']') if self.depth > 0 => self.depth -= 1,
            (Text::Outside, b']') => {
                // A batch of nothing is no request, which a number is as well.
                *byte = if is_first { b'0' } else { b' ' };
                return true;
            }
            (Text::Outside, b',') if self.depth == 0 => {
                *byte = b'\n';
                self.has_begun = false;
            }
            (Text::Outside, _) => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The lines that are left, read in pieces of this size.
    fn lines(text: &str, piece: usize) -> Vec<String> {
        let mut bytes = text.as_bytes().to_vec();
        let mut batches = Batches::default();
        for piece in bytes.chunks_mut(piece) {
            batches.unpack(piece);
        }
        let text = String::from_utf8(bytes).unwrap();
        let lines = text.lines().map(|line| line.trim().to_owned());
        lines.filter(|line| !line.is_empty()).collect()
    }

    #[test]
    fn a_batch_becomes_lines_and_a_message_stays_as_it_is() {
        let cases: [(&str, &[&str]); 7] = [
            ("{\"a\":[1,2]}\n", &["{\"a\":[1,2]}"]),
            (
                "[{\"a\":[1,2],\"b\":{}},{\"c\":\"],\\\"}\"}]\n{}\n",
                &["{\"a\":[1,2],\"b\":{}}", "{\"c\":\"],\\\"}\"}", "{}"],
            ),
            (" [ 1 , 2 ] \n", &["1", "2"]),
            ("[]\n{}\n", &["0", "{}"]),
            ("[ ]\n[1, ]\n", &["0", "1", "0"]),
            ("[[1,2],3]\n", &["[1,2]", "3"]),
            ("[{\"cut\n[4]\n", &["{\"cut", "4"]),
        ];
        for (text, wanted) in cases {
            for piece in 1..=text.len() {
                assert_eq!(lines(text, piece), wanted, "{text:?} by {piece}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_no_batch_is_never_touched(text in "[^\\[\n]{0,40}\n?[^\\[\n]{0,40}", piece in 1..9_usize) {
            let mut bytes = text.as_bytes().to_vec();
            let mut batches = Batches::default();
            for piece in bytes.chunks_mut(piece) {
                batches.unpack(piece);
            }
            prop_assert_eq!(bytes, text.as_bytes());
        }

        #[test]
        fn every_batch_is_its_messages(values in proptest::collection::vec(".{0,12}", 1..5), piece in 1..20_usize) {
            let messages: Vec<String> = values.iter().map(|value| serde_json::json!({"k": [value, {}]}).to_string()).collect();
            let batch = format!("[{}]\n", messages.join(" , "));
            prop_assert_eq!(lines(&batch, piece), messages);
        }
    }
}
