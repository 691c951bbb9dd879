//! Reads inputs that may be too large, or never end.

use std::io::{self, ErrorKind, Read};

/// Reads an input to its end, as bytes.
///
/// # Errors
/// The input cannot be read, or has more than `most` bytes ([`ErrorKind::FileTooLarge`]).
pub fn read_bytes(input: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(
            ErrorKind::FileTooLarge,
            format!("it has more than {most} bytes"),
        ));
    }
    Ok(bytes)
}

/// Reads an input to its end, as text.
///
/// # Errors
/// The same as [`read_bytes`]; also if the input is not UTF-8 ([`ErrorKind::InvalidData`]).
pub fn read_text(input: impl Read, most: u64) -> io::Result<String> {
    let bytes = read_bytes(input, most)?;
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_refused() {
        assert_eq!(read_text(&b"four"[..], 4).unwrap(), "four");
        assert_eq!(read_text(&b"fives"[..], 4).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(
            read_text(io::repeat(b'x'), 1000).unwrap_err().to_string(),
            "it has more than 1000 bytes"
        );
        assert_eq!(read_text(&b"\xff"[..], 4).unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(read_bytes(&b""[..], u64::MAX).unwrap(), b"");
    }
}
