//! One finding, and a collection of them.

use super::findings::Finding;
use super::source::{Place, Sources};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing can be planned until it is mended.
    Error,
    /// Legal, and probably not what was meant.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A place with a few words about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// What is to be seen there; may be empty for the primary label.
    pub text: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of finding this is: its code, summary, reason and fix.
    pub finding: &'static Finding,
    /// How bad it is here; [`Self::as_severity`] changes what the kind says.
    pub severity: Severity,
    /// What is wrong here, with the user's own words.
    pub detail: String,
    /// The managed thing concerned, if there is one (`example.com/dns/www/A`).
    pub address: Option<String>,
    /// The place concerned.
    pub primary: Option<Label>,
    /// Other places that belong to the finding.
    pub related: Vec<Label>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without place or help; [`Self::at`], [`Self::help`] and the other methods add them.
    #[must_use]
    pub fn new(finding: &'static Finding, detail: impl Into<String>) -> Self {
        Self {
            finding,
            severity: finding.severity,
            detail: detail.into(),
            address: None,
            primary: None,
            related: Vec::new(),
            help: None,
        }
    }

    /// Its stable code, such as `SPEC0012`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.finding.code
    }

    /// What kind of mistake this is; the same words every time, no user data.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.finding.summary
    }

    /// The same with another severity than its kind usually has.
    #[must_use]
    pub fn as_severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// Sets the primary place.
    #[must_use]
    pub fn at(mut self, place: Place, text: impl Into<String>) -> Self {
        self.primary = Some(Label { place, text: text.into() });
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn and_at(mut self, place: Place, text: impl Into<String>) -> Self {
        self.related.push(Label { place, text: text.into() });
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names the managed thing concerned.
    #[must_use]
    pub fn about(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self
    }
}

/// Findings of a step, in the order found until [`Diagnostics::sort`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.all.push(diagnostic);
    }

    /// Adds all of another collection.
    pub fn append(&mut self, mut other: Diagnostics) {
        self.all.append(&mut other.all);
    }

    /// Whether there is an error among them.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.all.iter().any(|d| d.severity == Severity::Error)
    }

    /// How many of one severity there are.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.all.iter().filter(|d| d.severity == severity).count()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter()
    }

    /// Orders them by file, place, severity and code, and drops exact repetitions.
    ///
    /// # Order
    /// Files by their name, so that the order in which they were given does not matter; findings without a place come last.
    pub fn sort(&mut self, sources: &Sources) {
        self.all.sort_by_cached_key(|d| {
            let place = d.primary.as_ref().map(|l| l.place);
            (
                place.is_none(),
                place.map(|p| (sources.name(p.source).to_owned(), p.span)),
                d.severity,
                d.code(),
                d.detail.clone(),
            )
        });
        self.all.dedup();
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.into_iter()
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(iter: I) -> Self {
        Self { all: iter.into_iter().collect() }
    }
}
