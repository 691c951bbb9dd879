//! Output formats that are documents of their own, for reviewers and for other tools. Each has one
//! file beside this one, and one line in the list in `render/mod.rs`. Text and JSON are not in this
//! list: each command prints them in its own way.

use std::fmt;
use std::io::{self, Write};

use super::changed_file::ChangedFile;
use super::{DriftView, Findings, Review};
use crate::diagnostic::{Finding, Sources};
use crate::document::expectations::Checked;
use crate::insight::traffic::Report;

/// Writes a plan.
pub(super) type WritesPlan = fn(&mut dyn Write, &Review<'_>, &Options<'_>) -> io::Result<()>;
/// Writes a report about drift.
pub(super) type WritesDrift = fn(&mut dyn Write, &DriftView<'_>, &Options<'_>) -> io::Result<()>;
/// Writes the results of expectations.
pub(super) type WritesExpectations = fn(&mut dyn Write, &[Checked<'_>], &Sources) -> io::Result<()>;
/// Writes changes of the spec's own files.
pub(super) type WritesPatch = fn(&mut dyn Write, &[ChangedFile<'_>]) -> io::Result<()>;

/// Writes the outcomes of recorded requests.
pub(super) type WritesRequests = fn(&mut dyn Write, &Report) -> io::Result<()>;

/// A format: its name, and a function for each kind of result. `None` means that the format cannot
/// show the result.
pub struct Document {
    /// Its name on the command line.
    pub name: &'static str,
    /// Writes the findings about a spec. Every command that has the format writes them if the spec
    /// has errors.
    pub findings: fn(&mut dyn Write, &Findings<'_>, &Options<'_>) -> io::Result<()>,
    /// True if `validate` has the format.
    pub is_for_validate: bool,
    /// Writes a plan.
    pub plan: Option<WritesPlan>,
    /// Writes a report about drift.
    pub drift: Option<WritesDrift>,
    /// Writes the results of expectations.
    pub expectations: Option<WritesExpectations>,
    /// Writes changes of the spec's own files.
    pub patch: Option<WritesPatch>,
    /// Writes the outcomes of recorded requests.
    pub requests: Option<WritesRequests>,
}

impl Document {
    /// Returns the commands that have the format.
    #[must_use]
    pub fn commands(&self) -> Vec<&'static str> {
        let sections = [
            ("plan", self.plan.is_some()),
            ("validate", self.is_for_validate),
            ("drift", self.drift.is_some()),
            ("test", self.expectations.is_some()),
            ("pull", self.patch.is_some()),
            ("waf replay", self.requests.is_some()),
        ];
        sections.into_iter().filter(|(_, has)| *has).map(|(command, _)| command).collect()
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

/// Further inputs of a format.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Options of comments.
    pub comment: Comment<'a>,
    /// All kinds of findings.
    pub known: &'a [&'static Finding],
    /// The kinds of findings of lints.
    pub lints: &'a [&'static Finding],
}

/// Options of a comment.
#[derive(Debug, Clone, Copy)]
pub struct Comment<'a> {
    /// Identifies one of several comments of a pull request; see
    /// [`is_marker`](super::markdown::is_marker).
    pub marker: Option<&'a str>,
    /// Maximum size, in characters.
    pub limit: usize,
}
