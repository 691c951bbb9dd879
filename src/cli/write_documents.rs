//! Writes findings, plans and reports in the formats that are documents of their own.

use std::io::{self, Write};

use super::output::Output;
use super::shared_arguments::{Format, Global};
use crate::lint;
use crate::render::markdown::Comment;
use crate::render::{Findings, Options};

/// Writes what was found in a spec, where the format is a document of its own; text and JSON are
/// written elsewhere.
///
/// # Errors
/// Those of stdout.
pub(super) fn write_findings(
    found: &Findings<'_>,
    global: &Global,
    output: &Output,
) -> io::Result<()> {
    match output.format {
        Format::Text | Format::Json => Ok(()),
        Format::Document(document) => {
            write(global, output, |out, options| (document.findings)(out, found, options))
        }
    }
}

/// Writes a document with what it may need beside its content.
///
/// # Errors
/// Those of stdout.
pub(super) fn write(
    global: &Global,
    output: &Output,
    document: impl FnOnce(&mut dyn Write, &Options<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let comment = Comment { marker: global.comment_marker.as_deref(), limit: global.comment_limit };
    let (known, lints): (Vec<_>, Vec<_>) = (lint::findings().collect(), lint::lints().collect());
    output.result(|out| document(out, &Options { comment, known: &known, lints: &lints }))
}
