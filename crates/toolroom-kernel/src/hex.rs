//! Bytes as hexadecimal digits: for digests and tokens, in every room.

/// Two lower-case digits a byte.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 0xf])
        .map(|half| char::from(DIGITS[usize::from(half)]));
    let mut text = String::with_capacity(bytes.len() * 2);
    text.extend(digits);
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(super::hex(&[0x00, 0x0f, 0xa0, 0xff]), "000fa0ff");
    }
}
