//! The file format of a snapshot: JSON lines, compressed with gzip.
//!
//! ```text
//! {"format":1,"kind":"snapshot","tool":"zonewright …","taken_at":"…","service":"…","account":null,"zones":[…]}
//! {"path":"/zones/…/dnssec","result":{…}}
//! {"path":"/zones/…/dns_records","items":2}      and then two lines, one for each item
//! {"path":"/zones/…/entrypoint","refused":{"status":404,"messages":[{"code":10003,"message":"…"}]}}
//! {"sha256":"…"}                                  of all bytes before this line
//! ```
//!
//! The first line can be viewed with `zcat FILE | head -1`. The same answers make the same bytes.
//! The checksum detects damage and manual edits. It is not a signature, because anyone can compute
//! it.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};

use data_encoding::HEXLOWER;
use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};
use ring::digest::{Context, SHA256};
use serde::Serialize;

use super::line::{AnyHeader, End, Entry, Header, Message, Refused};
use super::packed_texts::PackedTexts;
use super::{About, RecordedResponse, Snapshot};
use crate::wire::json::{MOST_VALUES, parse_limited};

/// Maximum uncompressed size of a snapshot in bytes: 190,000 records with every possible member.
const MOST_BYTES: usize = 128 * 1024 * 1024;
/// Maximum number of lines; each record has one.
const MOST_LINES: usize = 250_000;
/// Maximum length of a line in bytes; a managed ruleset is one line.
const MOST_OF_LINE: usize = 16 * 1024 * 1024;

/// Reasons why bytes are not a usable snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The bytes are something else.
    #[error("it is not a snapshot of zonewright: {0}")]
    Foreign(String),
    /// A newer version of the program made the snapshot.
    #[error(
        "it has format {found}, and this version of zonewright knows format {known}: use a newer \
        version, or \
         take the snapshot again"
    )]
    Newer {
        /// Format of the snapshot.
        found: u64,
        /// Newest supported format.
        known: u64,
    },
    /// The end is missing.
    #[error("it is cut off: take it again, or copy it again as binary data")]
    Truncated,
    /// The snapshot was changed.
    #[error("it was changed after it was taken ({0}): take it again")]
    Changed(String),
    /// The snapshot is too large.
    #[error(
        "it has more than {limit} {what}, which is too much for one snapshot: take one of each \
        part of the zones"
    )]
    TooLarge {
        /// Exceeded limit.
        limit: usize,
        /// Unit of the limit.
        what: &'static str,
    },
    /// A line cannot be read although the checksum is correct.
    #[error("line {line} of the snapshot is not valid: {why}")]
    Malformed {
        /// Number of the line, from 1.
        line: usize,
        /// Reason why the line cannot be read.
        why: String,
    },
}

impl Snapshot {
    /// Encodes the snapshot.
    ///
    /// # Errors
    /// Fails if the snapshot would be larger than [`Snapshot::read`] allows.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let Self { about, answers, accounts: _ } = self;
        // The gzip header has no name and no time, so that the same snapshot has the same bytes.
        let packing = GzBuilder::new().write(Vec::new(), Compression::best());
        let mut out = Summing { sum: Context::new(&SHA256), out: packing, size: Size::default() };
        write_line(&mut out, &Header::of(Self::FORMAT, about))?;
        for (path, answer) in answers {
            let entry = Entry::at(path);
            match answer {
                RecordedResponse::Result(text) => write_line(
                    &mut out,
                    &Entry { result: Some(serde_json::from_str(text)?), ..entry },
                )?,
                RecordedResponse::List(items) => {
                    write_line(&mut out, &Entry { items: Some(items.len() as u64), ..entry })?;
                    for text in items.iter() {
                        writeln!(out, "{text}")?;
                    }
                }
                RecordedResponse::Refused { status, messages } => {
                    let refused = Refused {
                        status: *status,
                        messages: messages.iter().map(Message::from).collect(),
                    };
                    write_line(&mut out, &Entry { refused: Some(refused), ..entry })?;
                }
            }
        }
        let Summing { sum, mut out, size: _ } = out;
        write_line(&mut out, &End { sha256: HEXLOWER.encode(sum.finish().as_ref()) })?;
        out.finish()
    }

    /// Decodes a snapshot.
    ///
    /// # Errors
    /// Fails as [`Snapshot::read`] does.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        Self::read(bytes)
    }

    /// Reads a file line by line.
    ///
    /// # Errors
    /// Fails with a [`SnapshotError`] that explains the problem.
    pub fn read(mut packed: impl BufRead) -> Result<Self, SnapshotError> {
        match packed.fill_buf().map_err(unreadable)? {
            [0x1f, 0x8b, ..] => {}
            [] => return Err(SnapshotError::Foreign("it is empty".to_owned())),
            _ => return Err(SnapshotError::Foreign("it is not packed with gzip".to_owned())),
        }
        let mut lines = Unpacked {
            text: BufReader::with_capacity(64 * 1024, GzDecoder::new(packed)),
            size: Size::default(),
        };
        let first = lines.next()?.ok_or(SnapshotError::Truncated)?;
        let about = read_header(&first)?;
        // The checksum at the end decides first. If the file was changed, unreadable lines do not
        // matter.
        let mut sum = Context::new(&SHA256);
        let mut answers = Reading::default();
        let mut malformed = None;
        let mut line = first;
        let mut number = 1;
        while let Some(next) = lines.next()? {
            sum.update(line.as_bytes());
            sum.update(b"\n");
            if number > 1 && malformed.is_none() {
                malformed = answers.line(number, &line).err();
            }
            line = next;
            number += 1;
        }
        let mut packed = lines.text.into_inner().into_inner();
        let Some(wanted) =
            line.strip_prefix(r#"{"sha256":""#).and_then(|rest| rest.strip_suffix(r#""}"#))
        else {
            return Err(SnapshotError::Truncated);
        };
        if wanted != HEXLOWER.encode(sum.finish().as_ref()) {
            return Err(SnapshotError::Changed("its checksum does not match".to_owned()));
        }
        if !packed.fill_buf().map_err(unreadable)?.is_empty() {
            return Err(SnapshotError::Changed("something was added at its end".to_owned()));
        }
        match malformed {
            Some(error) => Err(error),
            None => Ok(Self::new(about, answers.finish(number)?)),
        }
    }
}

/// Size of a snapshot so far.
#[derive(Default)]
struct Size {
    bytes: usize,
    lines: usize,
}

impl Size {
    fn add(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.bytes += bytes.len();
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count();
        let too_large = |limit, what| Err(SnapshotError::TooLarge { limit, what });
        match self {
            Self { bytes, .. } if *bytes > MOST_BYTES => too_large(MOST_BYTES, "bytes"),
            Self { lines, .. } if *lines > MOST_LINES => too_large(MOST_LINES, "lines"),
            Self { .. } => Ok(()),
        }
    }
}

/// Decompresses the lines of a snapshot one by one.
struct Unpacked<R: BufRead> {
    text: BufReader<GzDecoder<R>>,
    size: Size,
}

impl<R: BufRead> Unpacked<R> {
    /// Returns the next line without its line break. `None` at the end of the file.
    fn next(&mut self) -> Result<Option<String>, SnapshotError> {
        let mut line = Vec::new();
        loop {
            let buffered = self.text.fill_buf().map_err(unreadable)?;
            if buffered.is_empty() {
                return if line.is_empty() { Ok(None) } else { Err(SnapshotError::Truncated) };
            }
            let end = buffered.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(buffered.len(), |end| end + 1);
            self.size.add(&buffered[..used])?;
            line.extend_from_slice(&buffered[..end.unwrap_or(used)]);
            self.text.consume(used);
            if line.len() > MOST_OF_LINE {
                return Err(SnapshotError::TooLarge {
                    limit: MOST_OF_LINE,
                    what: "bytes in a line",
                });
            }
            if end.is_some() {
                let text = String::from_utf8(line);
                return text
                    .map(Some)
                    .map_err(|_| SnapshotError::Foreign("it does not hold text".to_owned()));
            }
        }
    }
}

/// Converts an error of reading or decompressing.
fn unreadable(error: io::Error) -> SnapshotError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => SnapshotError::Truncated,
        _ => SnapshotError::Changed(error.to_string()),
    }
}

/// Computes the checksum of everything that is written through it.
struct Summing<W> {
    sum: Context,
    out: W,
    size: Size,
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.size.add(&bytes[..written]).map_err(io::Error::other)?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn write_line(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    writeln!(out, "{}", serde_json::to_string(line)?)
}

fn read_header(line: &str) -> Result<About, SnapshotError> {
    let foreign = |why: &str| SnapshotError::Foreign(why.to_owned());
    let any_header: AnyHeader = parse_limited(line.as_bytes(), MOST_VALUES)
        .map_err(|_| foreign("it does not begin with a line of JSON"))?;
    let kind = any_header.kind.as_deref().unwrap_or("unknown");
    if kind != "snapshot" {
        return Err(SnapshotError::Foreign(format!("its kind is {kind:?}")));
    }
    match any_header.format {
        Some(Snapshot::FORMAT) => {}
        Some(found) if found > Snapshot::FORMAT => {
            return Err(SnapshotError::Newer { found, known: Snapshot::FORMAT });
        }
        Some(_) | None => return Err(foreign("its format is unknown")),
    }
    let malformed = |why: String| SnapshotError::Malformed { line: 1, why };
    let header: Header = parse_limited(line.as_bytes(), MOST_VALUES)
        .map_err(|error| malformed(error.to_string()))?;
    header.into_about().ok_or_else(|| malformed("a zone has no name".to_owned()))
}

/// State while the lines between the first and the last one are read.
#[derive(Default)]
struct Reading {
    answers: BTreeMap<String, RecordedResponse>,
    /// An incomplete list: its path, its items, and the number of items to come.
    list: Option<(String, PackedTexts, u64)>,
}

impl Reading {
    fn line(&mut self, number: usize, line: &str) -> Result<(), SnapshotError> {
        if let Some((_, items, missing)) = &mut self.list {
            items.push(line);
            *missing -= 1;
            self.end_list();
            return Ok(());
        }
        let malformed = |why: String| SnapshotError::Malformed { line: number, why };
        let entry: Entry = parse_limited(line.as_bytes(), MOST_VALUES)
            .map_err(|error| malformed(error.to_string()))?;
        let answer = match entry {
            Entry { path, result: None, items: Some(count), refused: None } => {
                self.list = Some((path, PackedTexts::default(), count));
                self.end_list();
                return Ok(());
            }
            Entry { path, result: Some(result), items: None, refused: None } => {
                (path, RecordedResponse::Result(result.to_string().into()))
            }
            Entry {
                path,
                result: None,
                items: None,
                refused: Some(Refused { status, messages }),
            } => (
                path,
                RecordedResponse::Refused {
                    status,
                    messages: messages.into_iter().map(Into::into).collect(),
                },
            ),
            Entry { .. } => {
                return Err(malformed(
                    "it must have exactly one of a result, items and a refusal".to_owned(),
                ));
            }
        };
        self.answers.extend([answer]);
        Ok(())
    }

    /// Ends a list that is complete.
    fn end_list(&mut self) {
        if let Some((path, items, _)) = self.list.take_if(|(_, _, missing)| *missing == 0) {
            self.answers.insert(path, RecordedResponse::List(items));
        }
    }

    /// Returns all answers; `line` is the number of the last line.
    fn finish(self, line: usize) -> Result<BTreeMap<String, RecordedResponse>, SnapshotError> {
        match self.list {
            None => Ok(self.answers),
            Some(_) => Err(SnapshotError::Malformed { line, why: "items are missing".to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::super::SeenZone;
    use super::*;
    use crate::model::{ZoneId, ZoneName};
    use crate::wire::ApiMessage;

    /// Returns a snapshot with an answer of each kind.
    fn snapshot() -> Snapshot {
        let zone = SeenZone {
            name: ZoneName::parse("example.com").unwrap(),
            pinned: None,
            id: Some(ZoneId("a".to_owned())),
            records: 2,
        };
        let about = About {
            taken_at: "2026-11-20T12:00:00Z".to_owned(),
            tool: "zonewright 0.1.0".to_owned(),
            service: "api.cloudflare.com".to_owned(),
            account: Some("b".to_owned()),
            zones: vec![
                zone,
                SeenZone {
                    name: ZoneName::parse("example.org").unwrap(),
                    pinned: None,
                    id: None,
                    records: 0,
                },
            ],
        };
        let messages =
            vec![ApiMessage { code: Some(10003), message: "none".to_owned(), pointer: None }];
        let answers = [
            ("/zones", RecordedResponse::List([r#"{"id":"a"}"#].into_iter().collect())),
            (
                "/zones/a/dns_records",
                RecordedResponse::List([r#"{"id":"1"}"#, r#"{"id":"2"}"#].into_iter().collect()),
            ),
            ("/zones/a/dnssec", RecordedResponse::Result(r#"{"status":"active"}"#.into())),
            ("/zones/a/x", RecordedResponse::Refused { status: 404, messages }),
        ];
        Snapshot::new(
            about,
            answers.into_iter().map(|(path, answer)| (path.to_owned(), answer)).collect(),
        )
    }

    /// Compresses lines.
    fn packed(text: &str) -> Vec<u8> {
        let mut out = GzBuilder::new().write(Vec::new(), Compression::best());
        out.write_all(text.as_bytes()).unwrap();
        out.finish().unwrap()
    }

    /// Decompresses bytes.
    fn unpacked(bytes: &[u8]) -> String {
        let mut text = String::new();
        GzDecoder::new(bytes).read_to_string(&mut text).unwrap();
        text
    }

    /// Returns the error for invalid bytes.
    fn refusal(bytes: &[u8]) -> SnapshotError {
        Snapshot::from_bytes(bytes).expect_err("it must be refused")
    }

    #[test]
    fn bytes_there_and_back() {
        let bytes = snapshot().to_bytes().unwrap();
        assert_eq!(Snapshot::from_bytes(&bytes), Ok(snapshot()));
        assert_eq!(snapshot().to_bytes().unwrap(), bytes, "the same snapshot is the same bytes");
    }

    #[test]
    fn every_cut_is_refused() {
        let bytes = snapshot().to_bytes().unwrap();
        for length in 0..bytes.len() {
            refusal(&bytes[..length]);
        }
        let text = unpacked(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        for count in 1..lines.len() {
            assert_eq!(
                refusal(&packed(&format!("{}\n", lines[..count].join("\n")))),
                SnapshotError::Truncated
            );
        }
    }

    #[test]
    fn every_flipped_byte_is_refused() {
        let bytes = snapshot().to_bytes().unwrap();
        // The gzip header holds a time and the operating system, which do not matter.
        for at in 10..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            refusal(&changed);
        }
        let mut longer = bytes.clone();
        longer.push(b'x');
        assert!(matches!(refusal(&longer), SnapshotError::Changed(_)));
    }

    #[test]
    fn an_edited_line_is_refused() {
        let text = unpacked(&snapshot().to_bytes().unwrap());
        assert!(matches!(
            refusal(&packed(&text.replace("active", "disabled"))),
            SnapshotError::Changed(_)
        ));
        assert!(matches!(
            refusal(&packed(&text.replace("2026-11-20", "2027-11-20"))),
            SnapshotError::Changed(_)
        ));
    }

    #[test]
    fn foreign_and_newer_ones_are_named() {
        assert!(matches!(refusal(b""), SnapshotError::Foreign(_)));
        assert!(matches!(refusal(b"version: 1"), SnapshotError::Foreign(_)));
        assert!(matches!(refusal(&packed("hello\n")), SnapshotError::Foreign(_)));
        let plan = r#"{"format":1,"kind":"plan"}"#;
        assert_eq!(
            refusal(&packed(&format!("{plan}\n"))),
            SnapshotError::Foreign("its kind is \"plan\"".to_owned())
        );
        let newer = r#"{"format":2,"kind":"snapshot"}"#;
        assert_eq!(
            refusal(&packed(&format!("{newer}\n"))),
            SnapshotError::Newer { found: 2, known: 1 }
        );
    }

    #[test]
    fn bombs_are_refused_before_they_go_off() {
        let header = unpacked(&snapshot().to_bytes().unwrap()).lines().next().unwrap().to_owned();
        let bomb = |unit: &str, times| packed(&format!("{header}\n{}", unit.repeat(times)));
        let line = bomb("0", MOST_OF_LINE + 1);
        assert!(line.len() < 1024 * 1024);
        assert_eq!(
            refusal(&line),
            SnapshotError::TooLarge { limit: MOST_OF_LINE, what: "bytes in a line" }
        );
        assert_eq!(
            refusal(&bomb("0\n", MOST_LINES)),
            SnapshotError::TooLarge { limit: MOST_LINES, what: "lines" }
        );
        let long = format!("{}\n", " ".repeat(1024 * 1024));
        assert_eq!(
            refusal(&bomb(&long, 128)),
            SnapshotError::TooLarge { limit: MOST_BYTES, what: "bytes" }
        );
    }

    #[test]
    fn what_could_not_be_read_is_not_written() {
        let mut large = snapshot();
        let many: PackedTexts = (0..MOST_LINES).map(|_| "{}").collect();
        large.answers.insert("/zones/a/dns_records".to_owned(), RecordedResponse::List(many));
        let error = large.to_bytes().unwrap_err().to_string();
        assert!(error.contains("250000 lines") && error.contains("of each part"), "{error}");
    }
}
