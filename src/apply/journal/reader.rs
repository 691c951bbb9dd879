//! A journal as a file: lines of JSON, read one by one.
//!
//! It is read twice, first for the outcomes and then for the intents, so that neither its text nor
//! its JSON is kept.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use data_encoding::HEXLOWER;
use ring::digest::{Context, SHA256};
use serde::de::DeserializeOwned;

use super::journal_read_error::JournalReadError;
use super::line::{AnyBegin, AnyLine, StepFate, StepOutcome};
use super::writer::Journal;
use crate::diagnostic::read_bytes;
use crate::wire::json::{self, JsonError};
use crate::wire::keyword::Keyword;

/// Largest journal that is read, in bytes.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Largest journal that is read of something that can be read once only, such as a pipe, in bytes.
const LARGEST_UNSEEKABLE: u64 = 32 * 1024 * 1024;

/// Longest line that is read, in bytes. A batch of 3,500 changes takes 4 MB.
const LONGEST: usize = 16 * 1024 * 1024;

/// Most values in a line; a batch of 3,500 changes of everything that a record has takes 665,000.
pub(super) const MOST_VALUES: usize = 700_000;

/// Most lines, and most operations and ids in all of them; also most operations that are kept of
/// several journals.
pub const MOST_OPERATIONS: usize = 250_000;

/// Characters of a line that are kept for showing its place.
const OUTLINE: usize = 100;

/// What is wrong with a line that is JSON of another shape.
const NOT_A_LINE: &str = "it is not a line of a journal";

/// How every journal begins.
const BEGINNING: &str = "{\"event\":\"begin\"";

/// A journal that is read.
#[derive(Debug)]
pub struct JournalText<R> {
    /// Its bytes.
    reader: R,
    /// How many there were when it was first read.
    length: u64,
    /// The SHA-256 of them.
    digest: String,
    /// The SHA-256 of what the apply was made from: a spec, or the journal that it undid.
    source_digest: String,
    /// The beginnings of the lines.
    outline: String,
    /// What became of the steps.
    outcomes: BTreeMap<u64, Ending>,
    /// How many lines are whole.
    lines: usize,
    /// Whether another one follows them.
    is_cut: bool,
}

/// The outcome of a step.
#[derive(Debug)]
pub(super) struct Ending {
    /// What became of it.
    pub(super) fate: Fate,
    /// Ids of what was created.
    pub(super) ids: Vec<Box<str>>,
}

impl JournalText<Box<dyn Bytes>> {
    /// Begins to read a file.
    ///
    /// # Errors
    /// As [`JournalText::scan`].
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
    /// Begins to read a text.
    ///
    /// # Errors
    /// As [`JournalText::scan`].
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
    /// It cannot be read, is too large, is no journal, has a newer format, or is broken within.
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
            // An apply that was stopped as it began its journal. An intent is on disk only after
            // what precedes it.
            if lines.number == 1
                && !lines.is_ended
                && (line.starts_with(BEGINNING) || BEGINNING.starts_with(&line))
            {
                return Err(JournalReadError::Empty);
            }
            text.outline.push_str(head(&line));
            text.outline.push('\n');
            let any: AnyLine = match json::parse(line.as_bytes(), MOST_VALUES) {
                Ok(any) => any,
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
                text.source_digest = begins(&any, &line)?;
            }
            if any.event == "outcome" && any.step.is_some() {
                let outcome: StepOutcome =
                    typed(&line).map_err(|what| JournalReadError::Broken(lines.number, what))?;
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

    /// The beginnings of its lines: a text in which the places of a run point to the right lines.
    #[must_use]
    pub fn outline(&self) -> &str {
        &self.outline
    }

    /// The SHA-256 of its bytes.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The SHA-256 of what the apply was made from: a spec, or the journal that it undid.
    #[must_use]
    pub fn source_digest(&self) -> &str {
        &self.source_digest
    }

    /// Its whole lines once more, from the beginning.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn lines(&mut self) -> Result<Lines<'_, R>, JournalReadError> {
        self.reader.seek(SeekFrom::Start(0)).map_err(JournalReadError::Io)?;
        Ok(Lines::new(&mut self.reader, self.length))
    }

    /// What became of the steps.
    pub(super) fn take_outcomes(&mut self) -> BTreeMap<u64, Ending> {
        std::mem::take(&mut self.outcomes)
    }

    /// How many lines are whole, and whether another one follows them.
    pub(super) fn extent(&self) -> (usize, bool) {
        (self.lines, self.is_cut)
    }
}

/// Checks that a line begins a journal; the digest of what was applied.
fn begins(any: &AnyLine, line: &str) -> Result<String, JournalReadError> {
    if any.event != "begin" {
        return Err(JournalReadError::Foreign);
    }
    match typed::<AnyBegin>(line) {
        Ok(AnyBegin { format, spec_digest }) if format == u64::from(Journal::FORMAT) => {
            Ok(spec_digest.as_str().unwrap_or_default().to_owned())
        }
        Ok(AnyBegin { format, spec_digest: _ }) => Err(JournalReadError::Format { found: format }),
        Err(_) => Err(JournalReadError::Foreign),
    }
}

/// What a line says; the error is what is wrong with it.
pub(super) fn typed<T: DeserializeOwned>(line: &str) -> Result<T, &'static str> {
    json::parse(line.as_bytes(), MOST_VALUES).map_err(|_| NOT_A_LINE)
}

/// The lines of a journal, one by one.
pub(super) struct Lines<'r, R> {
    reader: io::Take<&'r mut R>,
    /// The number of the line that was read last, from 1.
    pub(super) number: usize,
    /// Whether that line has its end.
    is_ended: bool,
    /// Bytes read.
    read: u64,
    /// Their sum.
    sum: Context,
}

impl<'r, R: BufRead> Lines<'r, R> {
    /// Those of so many bytes.
    fn new(reader: &'r mut R, length: u64) -> Self {
        Self {
            reader: reader.take(length),
            number: 0,
            is_ended: false,
            read: 0,
            sum: Context::new(&SHA256),
        }
    }

    /// The next line, without its end; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<String>, JournalReadError> {
        let mut line = Vec::new();
        let most = LONGEST as u64 + 1;
        let read = self
            .reader
            .by_ref()
            .take(most)
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
        // A crash can cut a character in two.
        Ok(Some(
            String::from_utf8(line)
                .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
        ))
    }
}

/// The beginning of a line.
pub(super) fn head(line: &str) -> &str {
    line.char_indices().nth(OUTLINE).map_or(line, |(end, _)| &line[..end])
}

impl Ending {
    /// Of an outcome.
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

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It took effect.
    Done,
    /// It took a delete back.
    Restored,
    /// It did not take effect.
    Nothing,
    /// Unknown.
    Unknown,
}

impl Fate {
    /// Of the operation that a request takes back; `None` if that stays as it was.
    pub(super) fn of_taking_back(self) -> Option<Self> {
        match self {
            Self::Done | Self::Restored => Some(Self::Restored),
            Self::Nothing => None,
            Self::Unknown => Some(Self::Unknown),
        }
    }
}
