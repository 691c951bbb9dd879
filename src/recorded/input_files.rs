//! Opens input files and detects their formats.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compression::{Bytes, unpacked};
use super::curl::parse_curl;
use super::error::ReadError;
use super::har::Entries;
use super::options::{GO_ON, NO_HOST, RecordingOptions};
use super::request_limits::Limited;
use super::sample::{InputPosition, Sample};
use super::verbatim::{Recording, Verbatim};
use super::{access_log, json_line, logpush, raw_request};

/// Number of bytes that decide the format of a file.
const BEGINNING: usize = 1 << 16;

/// Recorded requests, read lazily in sequence.
pub struct Recorded<T = Sample> {
    inputs: VecDeque<Input>,
    options: RecordingOptions,
    current: Option<FileRequests<T>>,
}

/// Requests of one file.
type FileRequests<T> = Box<dyn Iterator<Item = Result<T, ReadError>> + Send>;

/// An input to read.
enum Input {
    File(PathBuf),
    Open(Arc<str>, Bytes),
}

/// Opens files with requests: HTTP archives, JSON lines, Logpush rows, access logs, and requests as
/// sent on the wire, optionally compressed by gzip or Zstandard. A directory stands for all its
/// files, sorted by name; `-` is standard input.  # Errors Fails if a path does not exist or a
/// directory cannot be read.
pub fn open(paths: &[PathBuf], options: &RecordingOptions) -> Result<Recorded, ReadError> {
    open_as(paths, options)
}

/// Opens files with requests for the engine of the OWASP rules. JSON lines are read exactly as they
/// are written.
///
/// # Errors
/// Fails as [`open`] does.
pub fn open_verbatim(
    paths: &[PathBuf],
    options: &RecordingOptions,
) -> Result<Recorded<Verbatim>, ReadError> {
    open_as(paths, options)
}

fn open_as<T>(paths: &[PathBuf], options: &RecordingOptions) -> Result<Recorded<T>, ReadError> {
    let mut inputs = VecDeque::new();
    for path in paths {
        let fail = |why: String| ReadError::fatal(InputPosition::file(&file_name(path)), why);
        if path.as_os_str() == "-" {
            inputs.push_back(Input::Open("-".into(), Box::new(BufReader::new(io::stdin()))));
            continue;
        }
        let about = path.metadata().map_err(|error| fail(format!("cannot be read: {error}")))?;
        if !about.is_dir() {
            inputs.push_back(Input::File(path.clone()));
            continue;
        }
        for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
            let entry = entry.map_err(|error| fail(format!("cannot be read: {error}")))?;
            if entry.file_type().is_file() {
                inputs.push_back(Input::File(entry.into_path()));
            }
        }
    }
    Ok(Recorded { inputs, options: options.clone(), current: None })
}

/// Reads requests from an open input.
#[must_use]
pub fn read(source: &str, bytes: Box<dyn Read + Send>, options: &RecordingOptions) -> Recorded {
    let input = Input::Open(source.into(), Box::new(BufReader::new(bytes)));
    Recorded { inputs: VecDeque::from([input]), options: options.clone(), current: None }
}

impl<T> std::fmt::Debug for Recorded<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorded").field("options", &self.options).finish_non_exhaustive()
    }
}

impl<T: Recording> Iterator for Recorded<T> {
    type Item = Result<T, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.current.as_mut().and_then(Iterator::next) {
                Some(Err(error)) if !error.is_fatal && !self.options.skips_unreadable => {
                    (self.current, self.inputs) = (None, VecDeque::new());
                    return Some(Err(ReadError {
                        detail: error.detail + GO_ON,
                        is_fatal: true,
                        ..error
                    }));
                }
                Some(read) => return Some(read),
                None => {}
            }
            let (source, bytes) = match self.inputs.pop_front()? {
                Input::Open(source, bytes) => (source, Ok(bytes)),
                Input::File(path) => (
                    file_name(&path),
                    File::open(path).map(|file| Box::new(BufReader::new(file)) as Bytes),
                ),
            };
            let requests = bytes
                .and_then(unpacked)
                .and_then(|bytes| detect_requests(bytes, &source, &self.options));
            match requests {
                Ok(requests) => self.current = Some(requests),
                Err(error) => {
                    self.current = None;
                    return Some(Err(ReadError::fatal(
                        InputPosition::file(&source),
                        format!("cannot be read: {error}"),
                    )));
                }
            }
        }
    }
}

fn file_name(path: &Path) -> Arc<str> {
    path.display().to_string().into()
}

/// Detects the format of a file and reads its requests.
fn detect_requests<T: Recording>(
    mut bytes: Bytes,
    source: &Arc<str>,
    options: &RecordingOptions,
) -> io::Result<FileRequests<T>> {
    // The bytes that decided the format are read again.
    let mut beginning = Vec::new();
    bytes.by_ref().take(BEGINNING as u64).read_to_end(&mut beginning)?;
    let skipped = if beginning.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let beginning: Vec<u8> = beginning.split_off(skipped);
    let text = beginning.trim_ascii_start();
    let is_utf16 = beginning.starts_with(b"\xff\xfe") || beginning.starts_with(b"\xfe\xff");
    let refused = |why: &str| -> io::Result<FileRequests<T>> {
        Err(io::Error::new(io::ErrorKind::InvalidData, why))
    };
    if is_utf16 {
        return refused("it is text in UTF-16; convert it to UTF-8");
    }
    let is_archive = is_archive(text);
    let form = match text.first() {
        Some(b'{') if is_archive => None,
        Some(b'{') => Some(Form::Json),
        Some(b'[') => {
            return refused(
                "it is one JSON array; write one object a line, such as with `jq -c '.[]'`",
            );
        }
        _ if raw_request::is_beginning(text) => Some(Form::Raw),
        _ if text.starts_with(b"curl ") => Some(Form::Curl),
        _ => Some(Form::AccessLog),
    };
    let start = beginning.len() - text.len();
    let is_whole_file = matches!(form, Some(Form::Raw | Form::Curl));
    let unread = if is_whole_file { beginning[start..].to_vec() } else { beginning };
    let bytes =
        Limited::new(Box::new(io::Cursor::new(unread).chain(bytes)) as Bytes, options.longest);
    let of_sample = |read: Result<Sample, ReadError>| read.map(T::of_sample);
    Ok(match form {
        None => Box::new(Entries::new(bytes, source.clone()).map(of_sample)),
        Some(form) if is_whole_file => Box::new(
            std::iter::once_with(read_whole_file(form, bytes, source.clone(), options.clone()))
                .map(of_sample),
        ),
        Some(form) => {
            let (source, options) = (source.clone(), options.clone());
            Box::new(Lines {
                bytes,
                form,
                source,
                options,
                number: 0,
                line: Vec::new(),
                has_read: false,
                is_over: false,
                makes: PhantomData,
            })
        }
    })
}

/// Returns true if JSON begins like an HTTP archive, whose first name is `log`.
fn is_archive(text: &[u8]) -> bool {
    let inside = text.strip_prefix(b"{").unwrap_or_default().trim_ascii_start();
    inside.strip_prefix(b"\"log\"").is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"))
}

/// Format of a file without entries.
#[derive(Debug, Clone, Copy)]
enum Form {
    Json,
    AccessLog,
    Raw,
    Curl,
}

/// Reads a file that is one request.
fn read_whole_file(
    form: Form,
    mut bytes: Limited<Bytes>,
    source: Arc<str>,
    options: RecordingOptions,
) -> impl FnOnce() -> Result<Sample, ReadError> {
    move || {
        let place = InputPosition::file(&source);
        let fail = |why: String| ReadError::of_one(place.clone(), why);
        let text = bytes.rest().map_err(|error| fail(error.to_string()))?;
        match form {
            Form::Curl => {
                let text = std::str::from_utf8(&text)
                    .map_err(|_| fail("the command is not UTF-8".to_owned()))?;
                let request = parse_curl(text.trim()).map_err(|error| fail(error.to_string()))?;
                Ok(Sample::of(request, &source))
            }
            Form::Raw | Form::Json | Form::AccessLog => {
                raw_request::sample_of_raw(&text, place.clone(), &options).map_err(fail)
            }
        }
    }
}

/// Reads a file with one request in each line.
struct Lines<T> {
    bytes: Limited<Bytes>,
    form: Form,
    source: Arc<str>,
    options: RecordingOptions,
    number: u64,
    line: Vec<u8>,
    /// True if at least one line was a request.
    has_read: bool,
    is_over: bool,
    /// Type that is made of the lines.
    makes: PhantomData<fn() -> T>,
}

impl<T: Recording> Iterator for Lines<T> {
    type Item = Result<T, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut blanks = 0;
        while !self.is_over {
            self.number += 1;
            let place = InputPosition::line(&self.source, self.number);
            match self.bytes.line(&mut self.line) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(ReadError::fatal(place, error.to_string())));
                }
            }
            let line = self.line.trim_ascii();
            if line.is_empty() {
                blanks += 1;
                // A larger number of blank lines is treated as a denial of service.
                if blanks > self.options.longest {
                    self.is_over = true;
                    return Some(Err(ReadError::fatal(place, "there are too many blank lines")));
                }
                continue;
            }
            let read = match self.form {
                Form::Json if logpush::is_row(line) => {
                    logpush::sample_of_row(line, place.clone(), &self.options)
                        .map(|sample| Some(T::of_sample(sample)))
                }
                Form::Json => json_line::parse_line(line)
                    .and_then(|line| T::of_line(line, place.clone(), &self.options))
                    .map(Some),
                Form::AccessLog | Form::Raw | Form::Curl => {
                    let read = access_log::sample_of_line(line, place.clone(), &self.options);
                    read.map(|sample| sample.map(T::of_sample))
                }
            };
            // A long line is rare, so its buffer is not kept.
            if self.line.capacity() > 1 << 20 {
                self.line = Vec::new();
            }
            match read {
                Ok(None) => {}
                Ok(Some(sample)) => {
                    self.has_read = true;
                    return Some(Ok(sample));
                }
                // A file whose first line is not a request has another format.
                Err(why)
                    if !self.has_read && matches!(self.form, Form::AccessLog) && why != NO_HOST =>
                {
                    self.is_over = true;
                    let why = "it is not one of these: an HTTP archive (HAR), JSON lines, Logpush \
                        rows, an access log in the \
                               combined format, a request as on the wire";
                    return Some(Err(ReadError::fatal(place, why)));
                }
                Err(why) => {
                    // Every line would give the same error.
                    self.is_over = why == NO_HOST && !self.has_read;
                    let is_fatal = self.is_over;
                    return Some(Err(ReadError { place, detail: why, is_fatal }));
                }
            }
        }
        None
    }
}
