//! Hostile text, made to deceive a reader or to control a program, through the whole binary.
//!
//! Modules: `responses` has such text in responses of Cloudflare, `files` in files and arguments.
//! `reach` is about other hosts, files and users that must not be reached. `memory` is about
//! responses and files that are made to fill the memory, `repositories` about Git, and `written`
//! about the paths of written files. `shown` has the checks that every output must pass.

mod files;
#[cfg(target_os = "linux")]
mod memory;
mod reach;
#[cfg(unix)]
mod repositories;
mod responses;
mod shown;
#[cfg(target_os = "linux")]
mod written;

use crate::support::workspace::document_formats;

/// A command line, and the format of its output.
type ShownRun = (Vec<&'static str>, &'static str);

/// Returns the runs of these command lines.
fn shown_runs(lines: &[(&[&'static str], &'static str)]) -> Vec<ShownRun> {
    lines.iter().map(|(arguments, format)| (arguments.to_vec(), *format)).collect()
}

/// Returns one run for each of the formats.
fn run_in_formats(
    arguments: &[&'static str],
    formats: impl IntoIterator<Item = &'static str>,
) -> Vec<ShownRun> {
    let run = |format| ([arguments, &["--format", format][..]].concat(), format);
    formats.into_iter().map(run).collect()
}

/// Returns a run for each format that is a document of its own and that the command has.
fn run_in_each_document(arguments: &[&'static str]) -> Vec<ShownRun> {
    run_in_formats(arguments, document_formats(arguments[0]))
}
