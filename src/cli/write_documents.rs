//! Writes findings, plans and reports in formats that are separate documents.

use std::io::{self, Write};

use super::output::Output;
use super::shared_arguments::{Format, Global};
use crate::lint;
use crate::render::markdown::Comment;
use crate::render::{Findings, Options};

/// Writes the findings about a spec in a document format. Text and JSON are written elsewhere.
///
/// # Errors
/// Stdout fails.
pub(super) fn write_findings(
    found: &Findings<'_>,
    global: &Global,
    output: &Output,
) -> io::Result<()> {
    match output.format {
        Format::Text | Format::Json => Ok(()),
        Format::Document(document) => {
            write_document(global, output, |out, options| (document.findings)(out, found, options))
        }
    }
}

/// Writes a document with its context.
///
/// # Errors
/// Stdout fails.
pub(super) fn write_document(
    global: &Global,
    output: &Output,
    document: impl FnOnce(&mut dyn Write, &Options<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let comment = Comment { marker: global.comment_marker.as_deref(), limit: global.comment_limit };
    let (known, lints): (Vec<_>, Vec<_>) =
        (lint::known_findings().collect(), lint::lints().collect());
    output.result(|out| document(out, &Options { comment, known: &known, lints: &lints }))
}
