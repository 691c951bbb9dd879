//! One finding, and a collection of them.

use std::borrow::Cow;
use std::collections::HashMap;

use super::findings::Finding;
use super::limits::{LONGEST, MOST_OF_A_KIND, MOST_RELATED, RESERVED};
use super::plurals::count;
use super::source::{Place, Sources};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing can be planned until it is fixed.
    Error,
    /// Valid, but probably not what was meant.
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

/// A place with a short text about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// What the place shows; may be empty for the primary label.
    pub text: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of finding: its code, summary, reason and fix.
    pub finding: &'static Finding,
    /// How bad it is here; [`Self::as_severity`] overrides the severity of the kind.
    pub severity: Severity,
    /// What is wrong here, with text from the input.
    pub detail: String,
    /// The managed thing affected, if any (`example.com/dns/www/A`).
    pub address: Option<String>,
    /// The place affected.
    pub primary: Option<Label>,
    /// Other places that belong to the finding.
    pub related: Vec<Label>,
    /// What to write instead.
    pub help: Option<String>,
    /// The names that it counts, if it is about several. A finding that counts fewer of them than
    /// before is not new.
    pub names: Vec<String>,
    /// How many more findings of its kind it represents; zero for an ordinary finding.
    pub more: usize,
    /// Whether it is a note or warning that does not come with the change. Plans count such
    /// findings instead of showing them.
    pub is_known: bool,
}

/// Findings that are counted together.
type Kind = (&'static str, Severity);

impl Diagnostic {
    /// A diagnostic without place or help; [`Self::at`], [`Self::help`] and the other methods add
    /// them.
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
            names: Vec::new(),
            more: 0,
            is_known: false,
        }
    }

    /// Represents a number of further findings of a kind.
    fn of_more((finding, severity): (&'static Finding, Severity), more: usize) -> Self {
        let help = "fix the reported ones and run the command again".to_owned();
        let detail = format!("… and {more} more of {}", finding.code);
        Self { severity, more, help: Some(help), ..Self::new(finding, detail) }
    }

    /// The kind that it is counted with.
    fn kind(&self) -> Kind {
        (self.finding.code, self.severity)
    }

    /// Whether it is a note or a warning about a zone or a place in the spec, and not about the
    /// run.
    #[must_use]
    pub fn is_of_zone(&self) -> bool {
        self.severity != Severity::Error && (self.primary.is_some() || self.address.is_some())
    }

    /// How many findings it represents.
    pub fn number(&self) -> usize {
        self.more.max(1)
    }

    /// Cuts unbounded parts: a text or a list of places may be as long as the input.
    fn bound(&mut self) {
        let more = self.related.len().saturating_sub(MOST_RELATED);
        self.related.truncate(MOST_RELATED);
        if more > 0 {
            self.detail = format!("{} (… and {})", cut(&self.detail), count(more, "more place"));
        }
        let labels = self.primary.iter_mut().chain(&mut self.related).map(|label| &mut label.text);
        let own = [Some(&mut self.detail), self.address.as_mut(), self.help.as_mut()];
        for text in own.into_iter().flatten().chain(labels) {
            if let Cow::Owned(short) = cut(text) {
                *text = short;
            }
        }
    }

    /// Its stable code, such as `SPEC0012`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.finding.code
    }

    /// What kind of mistake this is: the same text every time, without user data.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.finding.summary
    }

    /// Overrides the severity of its kind.
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

    /// Names everything that the finding counts.
    #[must_use]
    pub fn counting(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }

    /// Names the managed thing affected.
    #[must_use]
    pub fn about(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self
    }
}

/// A text, cut after a number of characters; the end says how long it is in all.
fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST || text.char_indices().nth(LONGEST + RESERVED).is_none() {
        return Cow::Borrowed(text);
    }
    let short: String = text.chars().take(LONGEST).collect();
    Cow::Owned(format!("{short}… ({} bytes in all)", text.len()))
}

/// Findings of a step, in the order in which they were found until [`Diagnostics::sort`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
    /// How many they represent. Kept, because whoever reads a file asks at every node whether there
    /// are enough.
    total: usize,
}

impl Diagnostics {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.total += diagnostic.number();
        self.all.push(diagnostic);
    }

    /// Marks the notes and warnings about a zone or a place in the spec for which `is_known` holds.
    pub fn mark_known(&mut self, is_known: impl Fn(&Diagnostic) -> bool) {
        for diagnostic in &mut self.all {
            diagnostic.is_known = diagnostic.is_of_zone() && is_known(diagnostic);
        }
    }

    /// Adds all of another collection.
    pub fn append(&mut self, mut other: Diagnostics) {
        self.total += other.total;
        self.all.append(&mut other.all);
    }

    /// Removes all findings of some kinds.
    pub fn remove(&mut self, codes: &[&str]) {
        self.all.retain(|d| !codes.contains(&d.code()));
        self.total = self.all.iter().map(Diagnostic::number).sum();
    }

    /// Whether there is an error among them.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.all.iter().any(|d| d.severity == Severity::Error)
    }

    /// How many findings of one severity there are.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.all.iter().filter(|d| d.severity == severity).map(Diagnostic::number).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many there are, including those that are not reported one by one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.total
    }

    /// All that are reported.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter()
    }

    /// Orders them by file, place, severity and code, drops exact duplicates, and bounds what is
    /// reported: the first [`MOST_OF_A_KIND`] of a code and severity, then how many more there are,
    /// and no text longer than a page. All outputs show sorted findings.
    ///
    /// # Order
    /// Files by name, so that the order in which they were given does not matter; findings without
    /// a place come last.
    pub fn sort(&mut self, sources: &Sources) {
        let mut more: HashMap<Kind, usize> = HashMap::new();
        // Findings that an earlier sort left out; their number is added to the new one.
        self.all.retain(|d| {
            if d.more > 0 {
                *more.entry(d.kind()).or_default() += d.more;
            }
            d.more == 0
        });
        self.order(sources);
        self.bound(more);
        self.total = self.all.iter().map(Diagnostic::number).sum();
    }

    /// Orders them as [`Diagnostics::sort`] and drops exact duplicates, and leaves nothing else
    /// out.
    pub fn order(&mut self, sources: &Sources) {
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
        self.total = self.all.iter().map(Diagnostic::number).sum();
    }

    /// Leaves out the excess; `more` says how many of each kind were left out before.
    fn bound(&mut self, mut more: HashMap<Kind, usize>) {
        let mut kept: HashMap<Kind, usize> = HashMap::new();
        self.all.retain_mut(|d| {
            let number = kept.entry(d.kind()).or_default();
            let is_kept = *number < MOST_OF_A_KIND;
            match is_kept {
                true => {
                    *number += 1;
                    d.bound();
                }
                false => *more.entry(d.kind()).or_default() += 1,
            }
            is_kept
        });
        if more.is_empty() {
            return;
        }
        // Each number follows the last finding of its kind.
        let mut all = Vec::with_capacity(self.all.len() + more.len());
        for d in self.all.drain(..).rev() {
            if let Some(more) = more.remove(&d.kind()) {
                all.push(Diagnostic::of_more((d.finding, d.severity), more));
            }
            all.push(d);
        }
        all.reverse();
        self.all = all;
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.into_iter()
    }
}

impl<'d> IntoIterator for &'d Diagnostics {
    type Item = &'d Diagnostic;
    type IntoIter = std::slice::Iter<'d, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(iter: I) -> Self {
        let all: Vec<Diagnostic> = iter.into_iter().collect();
        Self { total: all.iter().map(Diagnostic::number).sum(), all }
    }
}

#[cfg(test)]
mod tests {
    use super::super::findings;
    use super::super::source::Span;
    use super::*;

    #[test]
    fn a_flood_is_counted_and_bounded() {
        let mut sources = Sources::default();
        let source = sources.add("spec.yaml", "x".repeat(10_000));
        let place = |n: usize| Place { source, span: Span::new(n, n + 1) };
        let flood = |from: usize, to: usize| -> Diagnostics {
            (from..to).map(|n| findings::UNKNOWN_KEY.at(place(n), format!("the {n}th"))).collect()
        };
        let mut all = flood(0, 5_000);
        all.push(findings::NO_ZONES.nowhere("nothing"));
        all.sort(&sources);
        let details = |all: &Diagnostics| all.iter().map(|d| d.detail.clone()).collect::<Vec<_>>();
        let shown = details(&all);
        assert_eq!(shown.len(), MOST_OF_A_KIND + 2);
        assert_eq!(shown[99..], ["the 99th", "… and 4900 more of SPEC0016", "nothing"]);
        assert_eq!((all.len(), all.count(Severity::Error)), (5_001, 5_001));
        // Later findings are added to the count.
        all.append(flood(5_000, 5_010));
        all.sort(&sources);
        assert_eq!(details(&all)[100], "… and 4910 more of SPEC0016");
        let before = details(&all);
        all.sort(&sources);
        assert_eq!(details(&all), before);
        assert_eq!(all.len(), 5_011);
    }

    #[test]
    fn no_finding_is_longer_than_a_page() {
        let mut sources = Sources::default();
        let source = sources.add("spec.yaml", "x");
        let place = Place { source, span: Span::new(0, 1) };
        let long = "é".repeat(1_000_000);
        let mut one = findings::UNKNOWN_KEY
            .at(place, long.clone())
            .at(place, long.clone())
            .help(long.clone())
            .about(long.clone());
        for _ in 0..5_000 {
            one = one.and_at(place, long.clone());
        }
        let mut all: Diagnostics = [one].into_iter().collect();
        all.sort(&sources);
        let once = all.clone();
        all.sort(&sources);
        assert_eq!(all, once);
        let Some(one) = all.iter().next() else { panic!("it is kept") };
        assert_eq!(one.related.len(), MOST_RELATED);
        assert!(
            one.detail.contains("2000000 bytes in all")
                && one.detail.ends_with("(… and 4980 more places)")
        );
        let texts = one.related.iter().chain(&one.primary).map(|label| &label.text);
        let texts = texts.chain([&one.detail]).chain(&one.help).chain(&one.address);
        assert!(texts.into_iter().all(|text| text.chars().count() < LONGEST + 2 * RESERVED));
    }
}
