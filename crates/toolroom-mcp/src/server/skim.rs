//! Finds the id of a message that is too long to be kept, wherever it stands: many clients
//! write it behind the params. Goes over bytes as they come and keeps a word of them.

use rmcp::model::RequestId;

/// The longest key or value that can matter.
const LONGEST_WORD: usize = 1 << 10;

/// A place within a message, and what was found on the way.
#[derive(Debug, Default)]
pub struct Skim {
    depth: usize,
    text: Text,
    /// What was read at the top since the last `:` or `,`.
    word: Vec<u8>,
    key: Vec<u8>,
    pub id: Option<RequestId>,
    pub has_method: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    Quoted,
    /// After a backslash.
    Escaped,
}

impl Skim {
    /// Goes over what was read next.
    pub fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    fn step(&mut self, byte: u8) {
        match (&self.text, byte) {
            (Text::Escaped, _) => self.text = Text::Quoted,
            (Text::Quoted, b'\\') => self.text = Text::Escaped,
            (Text::Quoted, b'"') => self.text = Text::Outside,
            (Text::Quoted, _) => {}
            (Text::Outside, b'"') => self.text = Text::Quoted,
            (Text::Outside, b'{' | b'[') => {
                self.depth += 1;
                return;
            }
            (Text::Outside, b'}' | b']') => {
                self.end_of_value();
                self.depth = self.depth.saturating_sub(1);
                return;
            }
            (Text::Outside, b':') if self.depth == 1 => {
                self.key = std::mem::take(&mut self.word);
                return;
            }
            (Text::Outside, b',') => return self.end_of_value(),
            (Text::Outside, _) => {}
        }
        if self.depth == 1 && self.word.len() < LONGEST_WORD {
            self.word.push(byte);
        }
    }

    fn end_of_value(&mut self) {
        if self.depth != 1 {
            return;
        }
        match self.key.trim_ascii() {
            br#""id""# => self.id = serde_json::from_slice(&self.word).ok(),
            br#""method""# => self.has_method = true,
            _ => {}
        }
        self.key.clear();
        self.word.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn skimmed(text: &str, piece: usize) -> (Option<RequestId>, bool) {
        let mut skim = Skim::default();
        for piece in text.as_bytes().chunks(piece) {
            skim.take(piece);
        }
        (skim.id, skim.has_method)
    }

    #[test]
    fn the_id_is_found_before_and_behind_the_params() {
        let text = |id: &str| Some(RequestId::String(id.into()));
        for (line, wanted) in [
            (
                r#"{"id":7,"method":"m","params":{"id":8}}"#,
                (Some(RequestId::Number(7)), true),
            ),
            (
                r#"{"method":"m","params":[{"id":8},"],}"],"id": "a\"}," }"#,
                (text("a\"},"), true),
            ),
            (
                r#"{"id":7,"method":"m","params":{"id":"#,
                (Some(RequestId::Number(7)), true),
            ),
            (r#"{"result":{"method":1}, "id":"x"}"#, (text("x"), false)),
            (r#"{"method":"m","params":{"id":8}}"#, (None, true)),
            ("}}]]:,\"", (None, false)),
        ] {
            for piece in 1..=line.len() {
                assert_eq!(skimmed(line, piece), wanted, "{line} by {piece}");
            }
        }
    }

    proptest! {
        #[test]
        fn every_id_is_found_whatever_stands_around_it(id in "\\PC{0,20}", other in "\\PC{0,20}") {
            let params = json!({"id": other, other.as_str(): [other]});
            let line = json!({"a": params, "id": id, "method": other, "params": params}).to_string();
            prop_assert_eq!(skimmed(&line, 3), (Some(RequestId::String(id.into())), true));
        }

        #[test]
        fn nothing_is_too_strange_to_be_gone_over(text in "[\\[{\"a:1,}\\]\\\\]{0,40}") {
            skimmed(&text, 1);
        }
    }
}
