//! Parses files with configuration or values within a limited amount of memory.

use std::borrow::Cow;
use std::ops::Range;
use std::str::FromStr;

use hcl_edit::structure::Body;

use super::evaluate::LONG_NUMBER;
use super::nesting::{is_too_deep, memory as size_in_memory};
use crate::model::EvaluationBudget;

/// Maximum memory of the parsed files of a configuration, in bytes.
pub(super) const MOST_OF_FILES: usize = 80 << 20;

/// Maximum number of times that a file is parsed because of long numbers.
const MOST_LONG_NUMBERS: usize = 50;

/// Reason why a file cannot be parsed.
pub(super) enum BodyError {
    /// The file is too large or too deeply nested.
    Refused(String),
    /// The file is invalid at this offset. The message can contain text of the file.
    Invalid(usize, String),
}

/// Counts the memory of a parsed file.
///
/// # Errors
/// The limit is exceeded.
pub(super) fn hold_memory(text: &str, memory: &EvaluationBudget) -> Result<(), BodyError> {
    if memory.hold(size_in_memory(text)) {
        return Ok(());
    }
    let most = MOST_OF_FILES >> 20;
    let why =
        format!("the configuration takes more than {most} MiB of memory; import the state instead");
    Err(BodyError::Refused(why))
}

/// Parses a file within the remaining memory.
pub(super) fn parse_body(text: &str, memory: &EvaluationBudget) -> Result<Body, BodyError> {
    hold_memory(text, memory)?;
    if is_too_deep(text) {
        return Err(BodyError::Refused("the file nests too deeply".to_owned()));
    }
    let mut text = Cow::Borrowed(text);
    for _ in 0..MOST_LONG_NUMBERS {
        let error = match Body::from_str(&text) {
            Ok(body) => return Ok(body),
            Err(error) => error,
        };
        let offset = error.location().offset();
        match long_number(&text, offset) {
            Some(number) => text
                .to_mut()
                .replace_range(number.clone(), &format!("1{}", " ".repeat(number.len() - 1))),
            None => return Err(BodyError::Invalid(offset, error.message().to_owned())),
        }
    }
    Err(BodyError::Refused("the file has too many long numbers".to_owned()))
}

/// Returns the place of the first whole number, at or behind the line of an offset, that has more
/// digits than the parser can read. The evaluation reads such a number itself. Quoted texts and
/// comments contain none; a heredoc could, so a file with heredocs has none.
fn long_number(text: &str, offset: usize) -> Option<Range<usize>> {
    let mut line_start =
        text.get(..offset).filter(|_| !text.contains("<<"))?.rfind('\n').map_or(0, |end| end + 1);
    for line in text[line_start..].split_inclusive('\n') {
        let mut before = '=';
        let mut is_quoted = false;
        let mut letters = line.char_indices();
        while let Some((at, letter)) = letters.next() {
            let rest = &line[at..];
            match letter {
                '#' if !is_quoted => break,
                '/' if !is_quoted && rest.starts_with("//") => break,
                '\\' if is_quoted => drop(letters.next()),
                '"' => is_quoted = !is_quoted,
                '0'..='9' if !is_quoted && !before.is_alphanumeric() && before != '_' => {
                    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
                    let is_whole = !rest[length..].starts_with(['.', 'e', 'E']);
                    if length >= LONG_NUMBER && is_whole && rest[..length].parse::<u64>().is_err() {
                        let start = line_start + at;
                        return Some(start..start + length);
                    }
                }
                _ => {}
            }
            before = letter;
        }
        line_start += line.len();
    }
    None
}
