//! Parses files of configuration and of values, within a bounded amount of memory.

use std::str::FromStr;

use hcl_edit::structure::Body;

use super::nesting::{is_too_deep, memory as size_in_memory};
use crate::model::EvaluationBudget;

/// The bytes of memory that the files of a configuration may take once they are read.
pub(super) const MOST_OF_FILES: usize = 80 << 20;

/// Why a file cannot be parsed.
pub(super) enum BodyError {
    /// It is too large or too deep.
    Refused(String),
    /// It is not valid at this offset. The message can contain text of the file.
    Invalid(usize, String),
}

/// Parses a file whose tree may take the memory that is left.
pub(super) fn parse_body(text: &str, memory: &EvaluationBudget) -> Result<Body, BodyError> {
    if !memory.hold(size_in_memory(text)) {
        let most = MOST_OF_FILES >> 20;
        let why = format!(
            "the configuration takes more than {most} MiB of memory; import the state instead"
        );
        return Err(BodyError::Refused(why));
    }
    if is_too_deep(text) {
        return Err(BodyError::Refused("the file nests too deeply".to_owned()));
    }
    Body::from_str(text)
        .map_err(|error| BodyError::Invalid(error.location().offset(), error.message().to_owned()))
}
