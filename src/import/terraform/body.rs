//! Parses files with configuration or values within a limited amount of memory.

use std::str::FromStr;

use hcl_edit::structure::Body;

use super::long_numbers;
use super::nesting::{is_too_deep, memory as size_in_memory};
use crate::model::EvaluationBudget;

/// Maximum memory of the parsed files of a configuration, in bytes.
pub(super) const MOST_OF_FILES: usize = 80 << 20;

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
    let invalid = |error: &hcl_edit::parser::Error| {
        BodyError::Invalid(error.location().offset(), error.message().to_owned())
    };
    Body::from_str(text).or_else(|error| match long_numbers::readable(text) {
        Some(text) => Body::from_str(&text).map_err(|error| invalid(&error)),
        None => Err(invalid(&error)),
    })
}
