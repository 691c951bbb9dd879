//! Reads a journal file line by line.
//!
//! A journal is read twice, first for the outcomes and then for the intents, so that neither its
//! text nor its JSON is kept.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use data_encoding::HEXLOWER;
use ring::digest::{Context, SHA256};
use serde::de::DeserializeOwned;

use super::journal_read_error::JournalReadError;
use super::line::{AnyBegin, AnyLine, Intent, StepFate, StepOutcome};
use super::writer::Journal;
use crate::diagnostic::{Span, read_bytes};
use crate::wire::json::{self, JsonError};
use crate::wire::keyword::Keyword;

/// Maximum size of a journal, in bytes.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Maximum size of a journal that can be read only once, such as a pipe, in bytes.
const LARGEST_UNSEEKABLE: u64 = 32 * 1024 * 1024;

/// Maximum length of a line, in bytes. A batch of 3,500 changes takes 4 MB.
const LONGEST: usize = 16 * 1024 * 1024;

/// Maximum number of values in a line. A batch of 3,500 changes of full records takes 665,000.
pub(super) const MOST_VALUES: usize = 700_000;

/// Maximum number of lines, and of operations and ids in all of them. Also the maximum number of
/// operations that are kept of several journals.
pub const MOST_OPERATIONS: usize = 250_000;

/// Number of characters of a line that are kept for showing its place.
const OUTLINE: usize = 100;

/// The error for a line that is JSON of another shape.
const NOT_A_LINE: &str = "it is not a line of a journal";

/// The error for a line that was complete JSON when the outcomes were read.
const CHANGED: &str = "it was changed while it was read";

/// The first characters of every journal.
const BEGINNING: &str = "{\"event\":\"begin\"";

/// A journal that is read.
#[derive(Debug)]
pub struct JournalText<R> {
    /// Its bytes.
    reader: R,
    /// Its length when it was first read, in bytes.
    length: u64,
    /// The SHA-256 of its bytes.
    digest: String,
    /// The SHA-256 of the input of the apply: a spec, or the journal that it undid.
    source_digest: String,
    /// The beginnings of the lines.
    outline: String,
    /// The results of the steps.
    outcomes: BTreeMap<u64, Ending>,
    /// Number of complete lines.
    lines: usize,
    /// True if a truncated line follows them.
    is_cut: bool,
}

/// The outcome of a step.
#[derive(Debug)]
struct Ending {
    /// The result.
    fate: Fate,
    /// Ids of created objects.
    ids: Vec<Box<str>>,
}

impl JournalText<Box<dyn Bytes>> {
    /// Opens a file and reads its outcomes.
    ///
    /// # Errors
    /// Fails as [`JournalText::scan`] does.
    pub fn open(path: &Path) -> Result<Self, JournalReadError> {
        let file = File::open(path).map_err(JournalReadError::Io)?;
        if file.metadata().map_err(JournalReadError::Io)?.is_file() {
            return Self::scan(Box::new(BufReader::new(file)));
        }
        let bytes = read_bytes(file, LARGEST_UNSEEKABLE).map_err(|error| match error.kind() {
            ErrorKind::FileTooLarge => {
                JournalReadError::TooLarge(LARGEST_UNSEEKABLE, "bytes, and is not a regular file")
            }
            _ => JournalReadError::Io(error),
        })?;
        Self::scan(Box::new(Cursor::new(bytes)))
    }
}

impl JournalText<Cursor<Vec<u8>>> {
    /// Reads the outcomes of a text.
    ///
    /// # Errors
    /// Fails as [`JournalText::scan`] does.
    pub fn of(text: &str) -> Result<Self, JournalReadError> {
        Self::scan(Cursor::new(text.as_bytes().to_vec()))
    }
}

/// Bytes that can be read again.
pub trait Bytes: BufRead + Seek {}

impl<T: BufRead + Seek> Bytes for T {}

impl<R: BufRead + Seek> JournalText<R> {
    /// Reads the outcomes.
    ///
    /// # Errors
    /// Fails if it cannot be read, is too large, is not a journal, has a newer format, or is
    /// damaged before its last line.
    pub fn scan(reader: R) -> Result<Self, JournalReadError> {
        let mut text = Self {
            reader,
            length: LARGEST + 1,
            digest: String::new(),
            source_digest: String::new(),
            outline: String::new(),
            outcomes: BTreeMap::new(),
            lines: 0,
            is_cut: false,
        };
        let mut lines = Lines::new(&mut text.reader, text.length);
        let mut ids = 0;
        while let Some(line) = lines.next()? {
            // The apply was stopped while it began its journal. Every earlier line is on disk
            // before an intent.
            if lines.number == 1
                && !lines.is_ended
                && (line.starts_with(BEGINNING) || BEGINNING.starts_with(&line))
            {
                return Err(JournalReadError::Empty);
            }
            text.outline.push_str(line_start(&line));
            text.outline.push('\n');
            let line_head: AnyLine = match json::parse_limited(line.as_bytes(), MOST_VALUES) {
                Ok(line_head) => line_head,
                Err(JsonError::TooMany(most)) => {
                    return Err(JournalReadError::TooLarge(most as u64, "values in a line"));
                }
                Err(JsonError::Syntax(_)) if lines.number == 1 => {
                    return Err(JournalReadError::Foreign);
                }
                Err(JsonError::Syntax(error)) if error.is_data() => {
                    return Err(JournalReadError::Broken(lines.number, NOT_A_LINE));
                }
                Err(JsonError::Syntax(_)) => {
                    let number = lines.number;
                    if lines.next()?.is_some() {
                        return Err(JournalReadError::Broken(number, "it is not valid JSON"));
                    }
                    text.is_cut = true;
                    break;
                }
            };
            text.lines += 1;
            if text.lines == 1 {
                text.source_digest = begins(&line_head, &line)?;
            }
            if line_head.event == "outcome" && line_head.step.is_some() {
                let outcome: StepOutcome = parse_line(&line)
                    .map_err(|what| JournalReadError::Broken(lines.number, what))?;
                ids += outcome.ids.as_ref().map_or(0, Vec::len);
                text.outcomes.insert(outcome.step, Ending::of(outcome));
            }
            if ids > MOST_OPERATIONS {
                return Err(JournalReadError::TooLarge(MOST_OPERATIONS as u64, "ids"));
            }
        }
        if text.lines == 0 {
            return Err(JournalReadError::Empty);
        }
        let Lines { read, sum, .. } = lines;
        if read > LARGEST {
            return Err(JournalReadError::TooLarge(LARGEST, "bytes"));
        }
        text.length = read;
        text.digest = HEXLOWER.encode(sum.finish().as_ref());
        Ok(text)
    }

    /// Returns the beginnings of its lines: a text in which the places of a run point to the right
    /// lines.
    #[must_use]
    pub fn outline(&self) -> &str {
        &self.outline
    }

    /// Returns the SHA-256 of its bytes.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the SHA-256 of the input of the apply: a spec, or the journal that it undid.
    #[must_use]
    pub fn source_digest(&self) -> &str {
        &self.source_digest
    }

    /// Returns true if a truncated line follows the complete ones.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Reads its complete lines again, from the beginning. The outcomes are moved out of the text.
    ///
    /// # Errors
    /// Fails if it cannot be read.
    pub(super) fn events(&mut self) -> Result<Events<'_, R>, JournalReadError> {
        self.reader.seek(SeekFrom::Start(0)).map_err(JournalReadError::Io)?;
        Ok(Events {
            outcomes: std::mem::take(&mut self.outcomes),
            lines: Lines::new(&mut self.reader, self.length),
            count: self.lines,
            operations: 0,
            start: 0,
        })
    }
}

/// Reads the events of a journal one by one.
pub(super) struct Events<'r, R> {
    outcomes: BTreeMap<u64, Ending>,
    lines: Lines<'r, R>,
    /// Number of complete lines.
    count: usize,
    /// Number of operations read.
    operations: usize,
    /// Position of the next line in the outline.
    start: usize,
}

/// A complete line of a journal.
pub(super) struct Event<'e> {
    /// Its number, from 1.
    pub(super) number: usize,
    /// Its place in the outline.
    pub(super) span: Span,
    /// The time at which it was written.
    pub(super) time: String,
    pub(super) content: EventContent<'e>,
}

/// The content of a line.
pub(super) enum EventContent<'e> {
    /// A request was about to be sent. The result is that of its outcome; the ids are those of
    /// objects that it created.
    Sent(Box<Intent>, Fate, &'e [Box<str>]),
    /// The apply ended.
    End,
    Other,
}

impl<R: BufRead> Events<'_, R> {
    /// Returns the next event; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<Event<'_>>, JournalReadError> {
        if self.lines.number >= self.count {
            return Ok(None);
        }
        let line = self.lines.next()?;
        let number = self.lines.number;
        let broken = |what| JournalReadError::Broken(number, what);
        let line = line.ok_or(broken(CHANGED))?;
        let end = self.start + line_start(&line).len();
        let span = Span::new(self.start, end);
        self.start = end + 1;
        let AnyLine { event, time, step: _ } = parse_line(&line).map_err(|_| broken(CHANGED))?;
        let content = match event.as_str() {
            "intent" => {
                let intent: Box<Intent> = parse_line(&line).map_err(broken)?;
                self.operations += intent.operations.len();
                if self.operations > MOST_OPERATIONS {
                    return Err(JournalReadError::TooLarge(MOST_OPERATIONS as u64, "operations"));
                }
                match self.outcomes.get(&intent.step) {
                    Some(Ending { fate, ids }) => EventContent::Sent(intent, *fate, ids),
                    None => EventContent::Sent(intent, Fate::Unknown, &[]),
                }
            }
            "end" => EventContent::End,
            _ => EventContent::Other,
        };
        Ok(Some(Event { number, span, time, content }))
    }
}

/// Checks that a line begins a journal. Returns the digest of the input of the apply.
fn begins(any: &AnyLine, line: &str) -> Result<String, JournalReadError> {
    if any.event != "begin" {
        return Err(JournalReadError::Foreign);
    }
    match parse_line::<AnyBegin>(line) {
        Ok(AnyBegin { format, spec_digest }) if format == u64::from(Journal::FORMAT) => {
            Ok(spec_digest.as_str().unwrap_or_default().to_owned())
        }
        Ok(AnyBegin { format, spec_digest: _ }) => Err(JournalReadError::Format { found: format }),
        Err(_) => Err(JournalReadError::Foreign),
    }
}

/// Parses a line. Fails with a description of the error.
fn parse_line<T: DeserializeOwned>(line: &str) -> Result<T, &'static str> {
    json::parse_limited(line.as_bytes(), MOST_VALUES).map_err(|_| NOT_A_LINE)
}

/// Reads the lines of a journal one by one.
struct Lines<'r, R> {
    reader: io::Take<&'r mut R>,
    /// The number of the last line read, from 1.
    number: usize,
    /// True if that line ends with a line feed.
    is_ended: bool,
    /// Number of bytes read.
    read: u64,
    /// The digest of the bytes read.
    sum: Context,
}

impl<'r, R: BufRead> Lines<'r, R> {
    /// Reads lines up to this number of bytes.
    fn new(reader: &'r mut R, length: u64) -> Self {
        Self {
            reader: reader.take(length),
            number: 0,
            is_ended: false,
            read: 0,
            sum: Context::new(&SHA256),
        }
    }

    /// Returns the next line without its end; `None` after the last.
    fn next(&mut self) -> Result<Option<String>, JournalReadError> {
        let mut line = Vec::new();
        let limit = LONGEST as u64 + 1;
        let read = self
            .reader
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut line)
            .map_err(JournalReadError::Io)?;
        self.sum.update(&line);
        self.read += read as u64;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.is_ended = line.last() == Some(&b'\n');
        if self.is_ended {
            line.pop();
            line.pop_if(|byte| *byte == b'\r');
        }
        if line.len() > LONGEST {
            return Err(JournalReadError::TooLarge(LONGEST as u64, "bytes in a line"));
        }
        if self.number > MOST_OPERATIONS {
            return Err(JournalReadError::TooLarge(MOST_OPERATIONS as u64, "lines"));
        }
        // A crash can truncate the line inside a character.
        Ok(Some(
            String::from_utf8(line)
                .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
        ))
    }
}

/// Returns the beginning of a line.
fn line_start(line: &str) -> &str {
    line.char_indices().nth(OUTLINE).map_or(line, |(end, _)| &line[..end])
}

impl Ending {
    fn of(outcome: StepOutcome) -> Self {
        let StepOutcome { step: _, outcome: Keyword(fate), detail: _, ids, time: _ } = outcome;
        let fate = match fate {
            StepFate::Done => Fate::Done,
            StepFate::Restored => Fate::Restored,
            StepFate::Refused | StepFate::NotSent | StepFate::NoBatches => Fate::Nothing,
            StepFate::Partly | StepFate::Lost | StepFate::Unknown => Fate::Unknown,
        };
        Self { fate, ids: ids.into_iter().flatten().map(Into::into).collect() }
    }
}

/// The result of a request, as far as an undo depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The operation took effect.
    Done,
    /// The operation created a deleted record again.
    Restored,
    /// The operation did not take effect.
    Nothing,
    Unknown,
}

impl Fate {
    /// Returns the result for the delete that this request takes back; `None` if that result is
    /// unchanged.
    pub(super) fn of_taking_back(self) -> Option<Self> {
        match self {
            Self::Done | Self::Restored => Some(Self::Restored),
            Self::Nothing => None,
            Self::Unknown => Some(Self::Unknown),
        }
    }
}
