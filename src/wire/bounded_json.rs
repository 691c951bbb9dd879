//! Reads JSON as a stream with size limits. The parser keeps a whole text in memory before any code
//! can check it, so texts have a limit of their own.

use std::io::{self, Read};

/// Reads JSON with size limits for the whole and for each text.
#[derive(Debug)]
pub struct Bounded<R> {
    reader: R,
    /// Maximum size of the whole and of a text, in bytes.
    most: (u64, u64),
    /// Number of bytes read.
    read: u64,
    /// Number of bytes read of the current text; `None` outside texts.
    text: Option<u64>,
    /// True if the next byte follows a backslash.
    is_escaped: bool,
}

/// The input exceeds a limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it has more than {most} bytes{of}")]
pub struct TooLarge {
    most: u64,
    of: &'static str,
}

impl<R: Read> Bounded<R> {
    /// Returns a reader with these limits, in bytes.
    pub fn new(reader: R, most: u64, most_of_text: u64) -> Self {
        Self { reader, most: (most, most_of_text), read: 0, text: None, is_escaped: false }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        let (most, most_of_text) = self.most;
        self.read += count as u64;
        if self.read > most {
            return Err(io::Error::other(TooLarge { most, of: "" }));
        }
        for byte in &buffer[..count] {
            match (&mut self.text, byte) {
                (None, b'"') => self.text = Some(0),
                (None, _) => {}
                (Some(_), _) if self.is_escaped => self.is_escaped = false,
                (Some(_), b'\\') => self.is_escaped = true,
                (Some(_), b'"') => self.text = None,
                (Some(length), _) => *length += 1,
            }
            if self.text.is_some_and(|length| length > most_of_text) {
                return Err(io::Error::other(TooLarge { most: most_of_text, of: " in one text" }));
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_within_the_budget_is_read() {
        let read = |text: &str| {
            let value: Result<serde_json::Value, _> =
                serde_json::from_reader(Bounded::new(text.as_bytes(), 20, 5));
            value.map(|value| value.to_string()).map_err(|error| error.to_string())
        };
        assert_eq!(read(r#"["12345","\"\\3"]"#).unwrap(), r#"["12345","\"\\3"]"#);
        assert!(read(r#"["123456"]"#).unwrap_err().contains("more than 5 bytes in one text"));
        assert!(read(&"[".repeat(21)).unwrap_err().contains("more than 20 bytes"));
    }
}
