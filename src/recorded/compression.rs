//! Compressed files, recognized by their first bytes.
//!
//! # Sources
//! RFC 1952 (gzip) section 2.2: a file has several members in sequence; RFC 8878 (Zstandard)
//! section 3.1: a file has several frames in sequence.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Bytes of a file.
pub(super) type Bytes = Box<dyn BufRead + Send>;

/// Largest window of a Zstandard frame, in bytes; `zstd --long` uses this size.
const LARGEST_WINDOW: u64 = 128 << 20;

/// Decompresses compressed bytes and returns other bytes unchanged.
pub(super) fn unpacked(mut bytes: Bytes) -> io::Result<Bytes> {
    let beginning = bytes.fill_buf()?;
    Ok(match beginning {
        [0x1f, 0x8b, ..] => Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(bytes))),
        // Magic numbers of data frames and of skippable frames.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            let mut decoder = FrameDecoder::new();
            decoder.set_max_window_size(LARGEST_WINDOW);
            Box::new(BufReader::with_capacity(1 << 16, Frames { bytes, decoder, is_open: false }))
        }
        _ => bytes,
    })
}

/// Reads Zstandard frames in sequence.
struct Frames {
    bytes: Bytes,
    decoder: FrameDecoder,
    is_open: bool,
}

impl Read for Frames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            if self.is_open && !self.decoder.is_finished() {
                let one_block = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.bytes, one_block).map_err(io::Error::other)?;
                continue;
            }
            if self.bytes.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.is_open = false;
            match self.decoder.reset(&mut self.bytes) {
                Ok(()) => self.is_open = true,
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(&mut self.bytes.by_ref().take(u64::from(length)), &mut io::sink())?;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}
