//! Output formats that are documents of their own, for reviewers and for other tools. Each is one
//! file beside this one, and one line in the list in `render/mod.rs`. Text and JSON are no such
//! formats: each command prints them in its own way.

use std::fmt;
use std::io::{self, Write};

use super::changed_file::ChangedFile;
use super::expectations::Checked;
use super::{DriftView, Findings, Review};
use crate::diagnostic::{Finding, Sources};
use crate::insight::traffic::Report;

/// Writes a plan.
pub(super) type WritesPlan = fn(&mut dyn Write, &Review<'_>, &Options<'_>) -> io::Result<()>;
/// Writes a report about drift.
pub(super) type WritesDrift = fn(&mut dyn Write, &DriftView<'_>, &Options<'_>) -> io::Result<()>;
/// Writes which expectations hold.
pub(super) type WritesExpectations = fn(&mut dyn Write, &[Checked<'_>], &Sources) -> io::Result<()>;
/// Writes changes of the spec's own files.
pub(super) type WritesPatch = fn(&mut dyn Write, &[ChangedFile<'_>]) -> io::Result<()>;

/// Writes what becomes of recorded requests.
pub(super) type WritesRequests = fn(&mut dyn Write, &Report) -> io::Result<()>;

/// A format: its name, and how it shows what commands found. What it does not show is `None`.
pub struct Document {
    /// The word on the command line.
    pub name: &'static str,
    /// What it is, in the help.
    pub about: &'static str,
    /// Writes what was found in a spec. Every command that has the format prints this if the spec
    /// has errors.
    pub findings: fn(&mut dyn Write, &Findings<'_>, &Options<'_>) -> io::Result<()>,
    /// Whether `validate` has it.
    pub is_for_validate: bool,
    /// Writes a plan.
    pub plan: Option<WritesPlan>,
    /// Writes a report about drift.
    pub drift: Option<WritesDrift>,
    /// Writes which expectations hold.
    pub expectations: Option<WritesExpectations>,
    /// Writes changes of the spec's own files.
    pub patch: Option<WritesPatch>,
    /// Writes what becomes of recorded requests.
    pub requests: Option<WritesRequests>,
}

impl Document {
    /// The commands that have it.
    #[must_use]
    pub fn commands(&self) -> Vec<&'static str> {
        let all = [
            ("plan", self.plan.is_some()),
            ("validate", self.is_for_validate),
            ("drift", self.drift.is_some()),
            ("test", self.expectations.is_some()),
            ("pull", self.patch.is_some()),
            ("waf rehearse", self.requests.is_some()),
        ];
        all.into_iter().filter(|(_, has)| *has).map(|(command, _)| command).collect()
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Document {}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What a format may need beside what it shows.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// How comments are made.
    pub comment: Comment<'a>,
    /// The findings that there can be.
    pub known: &'a [&'static Finding],
    /// The lints among them.
    pub lints: &'a [&'static Finding],
}

/// Options of a comment.
#[derive(Debug, Clone, Copy)]
pub struct Comment<'a> {
    /// Identifies one of several comments of a pull request; see
    /// [`is_marker`](super::markdown::is_marker).
    pub marker: Option<&'a str>,
    /// Its largest size, in characters.
    pub limit: usize,
}
