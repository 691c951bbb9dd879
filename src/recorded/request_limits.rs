//! How much one request may take.

use std::io::{self, BufRead, Read};

/// Bytes of a request as it is recorded: a body of 100 MiB in base64, plus the rest.
pub const LONGEST: u64 = 160 << 20;

/// A reader that gives no more bytes than a request may have, then an error.
#[derive(Debug)]
pub(super) struct Limited<R> {
    inner: R,
    most: u64,
    left: u64,
}

impl<R: BufRead> Limited<R> {
    /// A reader of requests that have so many bytes at most.
    pub(super) fn new(inner: R, most: u64) -> Self {
        Self { inner, most, left: u64::MAX }
    }

    /// Limits what is read from here on to one request.
    pub(super) fn limit(&mut self) {
        self.left = self.most;
    }

    /// Ends the limit.
    pub(super) fn unlimit(&mut self) {
        self.left = u64::MAX;
    }

    /// The next byte, without taking it.
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.inner.fill_buf()?.first().copied())
    }

    /// Takes the byte that [`Self::peek`] showed.
    pub(super) fn take(&mut self) -> io::Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| too_long(self.most))?;
        self.inner.consume(1);
        Ok(())
    }

    /// Reads a line into an empty buffer, without its end; `false` at the end of the file.
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

    /// Reads the rest into a buffer.
    pub(super) fn rest(&mut self) -> io::Result<Vec<u8>> {
        let mut rest = Vec::new();
        self.inner.by_ref().take(self.most + 1).read_to_end(&mut rest)?;
        if rest.len() as u64 > self.most { Err(too_long(self.most)) } else { Ok(rest) }
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
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.inner.read(&mut buffer[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// The error of a request that is too long.
fn too_long(most: u64) -> io::Error {
    let words = format!("a request is longer than {} MiB; leave large bodies out", most >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, words)
}
