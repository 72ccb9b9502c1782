//! Looks for a byte in a whole file, where it is mostly not found.

/// Whether a text has an ASCII character. Many bytes are looked at in one step, which
/// `str::contains` does not do.
pub(super) fn has_byte(text: &str, wanted: u8) -> bool {
    const STEP: usize = 64;
    let mut parts = text.as_bytes().chunks(STEP);
    parts.any(|part| part.iter().fold(false, |has, byte| has | (*byte == wanted)))
}
