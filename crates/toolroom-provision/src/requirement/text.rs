//! Reads a manifest as text: bounded in size, any of the encodings editors leave behind.

use std::io::Read;
use std::path::Path;

/// The largest manifest that is read.
pub(super) const MAX_BYTES: u64 = 4 << 20;

/// Reads a file as text, without its byte order mark.
///
/// UTF-16 is accepted where a mark announces it: `pip freeze > requirements.txt` in
/// PowerShell writes that. Bytes that are not UTF-8 become replacement characters, so that
/// a comment in an old encoding does not cost the whole file.
pub(super) fn read(path: &Path) -> Result<String, String> {
    read_up_to(path, MAX_BYTES)
}

/// As [`read`], for files of another size.
pub(super) fn read_up_to(path: &Path, most: u64) -> Result<String, String> {
    let file = fs_err::File::open(path).map_err(|error| cause(&error))?;
    let is_file = file.metadata().map_err(|error| cause(&error))?.is_file();
    if !is_file {
        return Err("it is not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| cause(&error))?;
    if bytes.len() as u64 > most {
        return Err(format!("it is larger than {} MiB", most >> 20));
    }
    Ok(decode(bytes))
}

/// The operating system's own words; the caller names the path.
fn cause(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        kind => kind.to_string(),
    }
}

fn decode(bytes: Vec<u8>) -> String {
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units)
        .map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// The line of a byte offset, counted from one.
pub(super) fn line_of(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    let newlines = before.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(newlines + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_order_mark_is_understood() {
        let cases: [&[u8]; 4] = [
            b"six\n",
            b"\xef\xbb\xbfsix\n",
            b"\xff\xfes\0i\0x\0\n\0",
            b"\xfe\xff\0s\0i\0x\0\n",
        ];
        for bytes in cases {
            assert_eq!(decode(bytes.to_vec()), "six\n");
        }
    }

    #[test]
    fn a_comment_in_an_old_encoding_costs_only_itself() {
        assert_eq!(decode(b"six # caf\xe9\n".to_vec()), "six # caf\u{fffd}\n");
    }
}
