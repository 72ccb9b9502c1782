//! From the bytes of a file to its lines. Bytes that are no text cost the entry they are
//! in, never the file.

use super::parse::{DotenvFile, parse};
use super::problem::Reason;

/// Stands where bytes are no text. No value may have it, so that none is made up.
const NOT_TEXT: char = '\0';

/// Reads the bytes of a dotenv file: UTF-8, or UTF-16 with a byte order mark.
#[must_use]
pub fn parse_bytes(bytes: &[u8]) -> DotenvFile {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return parse(text);
    }
    let mut file = parse(&decode(bytes));
    for problem in &mut file.problems {
        if problem.reason == Reason::NulCharacter {
            problem.reason = Reason::NotText;
        }
    }
    file
}

fn decode(bytes: &[u8]) -> String {
    match bytes {
        [0xFF, 0xFE, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => wide(rest, u16::from_be_bytes),
        _ => narrow(bytes),
    }
}

fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units)
        .map(|next| next.unwrap_or(NOT_TEXT))
        .collect()
}

fn narrow(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(NOT_TEXT);
        }
    }
    text
}
