//! Limits on the size of one request.

use std::io::{self, BufRead, Read};

/// Maximum size of a recorded request in bytes: a body of 100 MiB in base64, plus the rest.
pub const LONGEST: u64 = 160 << 20;

/// Reader that fails after the maximum number of bytes per request.
#[derive(Debug)]
pub(super) struct Limited<R> {
    inner: R,
    most: u64,
    left: u64,
}

impl<R: BufRead> Limited<R> {
    /// Creates a reader of requests with at most `most` bytes.
    pub(super) fn new(inner: R, most: u64) -> Self {
        Self { inner, most, left: u64::MAX }
    }

    /// Starts a new request at the current position.
    pub(super) fn limit(&mut self) {
        self.left = self.most;
    }

    pub(super) fn unlimit(&mut self) {
        self.left = u64::MAX;
    }

    /// Peeks at the next byte.
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.inner.fill_buf()?.first().copied())
    }

    /// Takes the byte that [`Self::peek`] returned.
    pub(super) fn take(&mut self) -> io::Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| too_long(self.most))?;
        self.inner.consume(1);
        Ok(())
    }

    /// Reads a line without its line break into an empty buffer. Returns `false` at the end of the
    /// file.
    pub(super) fn line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        let read = self.inner.by_ref().take(self.most + 1).read_until(b'\n', line)?;
        if read as u64 > self.most {
            return Err(too_long(self.most));
        }
        if line.last() == Some(&b'\n') {
            line.pop();
            line.pop_if(|byte| *byte == b'\r');
        }
        Ok(read > 0)
    }

    /// Reads the rest of the input.
    pub(super) fn rest(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.inner.by_ref().take(self.most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > self.most { Err(too_long(self.most)) } else { Ok(bytes) }
    }
}

impl<R: BufRead> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.left == 0 {
            return Err(too_long(self.most));
        }
        let byte_limit = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.inner.read(&mut buffer[..byte_limit])?;
        self.left -= read as u64;
        Ok(read)
    }
}

fn too_long(most: u64) -> io::Error {
    let words = format!("a request is longer than {} MiB; leave large bodies out", most >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, words)
}
