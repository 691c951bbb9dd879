//! Percent-encoding: RFC 3986 section 2.

/// Encodes bytes as text, with percent signs for bytes for which `stays` returns false.
#[must_use]
pub fn percent_encoded(bytes: &[u8], stays: fn(u8) -> bool) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match stays(*byte) {
            true => text.push(char::from(*byte)),
            false => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// Returns true if a byte means the same with and without percent-encoding: letters, digits and
/// `-._~` (section 2.3).
#[must_use]
pub fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}
