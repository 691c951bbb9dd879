//! A place in a spec, in the form of the JSON outputs.

use schemars::JsonSchema;
use serde::Serialize;

use crate::diagnostic::{Place, Sources};

/// A place; lines and columns count from 1, columns in characters.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Source<'a> {
    file: &'a str,
    line: usize,
    column: usize,
}

impl<'a> Source<'a> {
    /// Returns the beginning of a place.
    pub(crate) fn of(place: Place, sources: &'a Sources) -> Self {
        let at = sources.line_column(place);
        Self { file: sources.name(place.source), line: at.line, column: at.column }
    }
}

/// Returns file and line of a place; `None` if the place is in no source text.
pub(crate) fn place(place: Place, sources: &Sources) -> Option<String> {
    let source = sources.get(place.source)?;
    Some(format!("{}:{}", source.name(), sources.line_column(place).line))
}
