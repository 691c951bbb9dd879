//! A finding, and a collection of findings.

use std::borrow::Cow;
use std::collections::HashMap;

use super::finding::{Finding, Severity};
use super::limits::{LONGEST, MOST_OF_A_KIND, MOST_RELATED, RESERVED};
use super::plurals::count;
use super::source::{Place, Sources};

/// A place with a short text about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Part of the input to point at.
    pub place: Place,
    /// Describes the place; may be empty for the primary label.
    pub text: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of finding: its code, summary, reason and fix.
    pub finding: &'static Finding,
    /// The severity of this finding; [`Self::as_severity`] overrides the severity of the kind.
    pub severity: Severity,
    /// Describes the problem, with text from the input.
    pub detail: String,
    /// The address of the affected item, if there is one (`example.com/dns/www/A`).
    pub address: Option<String>,
    /// The place affected.
    pub primary: Option<Label>,
    /// Other places that belong to the finding.
    pub related: Vec<Label>,
    /// The suggested fix.
    pub help: Option<String>,
    /// The names that a finding about several items counts. A finding that counts fewer names than
    /// in an earlier run is not new.
    pub names: Vec<String>,
    /// Number of further findings of this kind that this one represents; zero for an ordinary
    /// finding.
    pub more: usize,
    /// True for a note or warning that the change did not cause. Plans count such findings instead
    /// of showing them.
    pub is_known: bool,
}

/// Code and severity: findings with the same pair are counted together.
type CodeAndSeverity = (&'static str, Severity);

impl Diagnostic {
    /// Creates a diagnostic without place or help; [`Self::at`], [`Self::help`] and the other
    /// methods add them.
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

    fn of_more((finding, severity): (&'static Finding, Severity), more: usize) -> Self {
        let help = "fix the reported ones and run the command again".to_owned();
        let detail = format!("… and {more} more of {}", finding.code);
        Self { severity, more, help: Some(help), ..Self::new(finding, detail) }
    }

    fn kind(&self) -> CodeAndSeverity {
        (self.finding.code, self.severity)
    }

    /// Returns true for a note or a warning about a zone or a place in the spec, and false for one
    /// about the run.
    #[must_use]
    pub fn is_of_zone(&self) -> bool {
        self.severity != Severity::Error && (self.primary.is_some() || self.address.is_some())
    }

    /// Returns the number of findings that it represents.
    pub fn number(&self) -> usize {
        self.more.max(1)
    }

    /// Shortens texts and lists of places that may be as long as the input.
    fn bound(&mut self) {
        let left_out = self.related.len().saturating_sub(MOST_RELATED);
        self.related.truncate(MOST_RELATED);
        if left_out > 0 {
            self.detail = format!(
                "{} (… and {})",
                cut_with_length(&self.detail),
                count(left_out, "more place")
            );
        }
        let labels = self.primary.iter_mut().chain(&mut self.related).map(|label| &mut label.text);
        let texts = [Some(&mut self.detail), self.address.as_mut(), self.help.as_mut()];
        for text in texts.into_iter().flatten().chain(labels) {
            if let Cow::Owned(short) = cut_with_length(text) {
                *text = short;
            }
        }
    }

    /// Returns its stable code, such as `SPEC0012`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.finding.code
    }

    /// Returns the fixed description of the kind of mistake, without user data.
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

    /// Sets the suggested fix.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the names of the items that the finding counts.
    #[must_use]
    pub fn counting(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the address of the affected item.
    #[must_use]
    pub fn about(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self
    }
}

impl Finding {
    /// Creates a diagnostic of this kind at a place.
    #[must_use]
    pub fn at(&'static self, place: Place, detail: impl Into<String>) -> Diagnostic {
        self.nowhere(detail).at(place, "")
    }

    /// Creates a diagnostic of this kind without a place in a text.
    #[must_use]
    pub fn nowhere(&'static self, detail: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self, detail)
    }
}

/// Cuts a text after `most` characters and appends the full length.
fn cut_with_length(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST || text.char_indices().nth(LONGEST + RESERVED).is_none() {
        return Cow::Borrowed(text);
    }
    let short: String = text.chars().take(LONGEST).collect();
    Cow::Owned(format!("{short}… ({} bytes in all)", text.len()))
}

/// The findings of a step, in the order of detection until [`Diagnostics::sort`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
    /// The sum of [`Diagnostic::number`]. Stored, because a reader of a file asks at every node
    /// whether there are too many.
    total: usize,
}

impl Diagnostics {
    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.total += diagnostic.number();
        self.all.push(diagnostic);
    }

    /// Marks the notes and warnings about a zone or a place in the spec for which `is_known`
    /// returns true.
    pub fn mark_known(&mut self, is_known: impl Fn(&Diagnostic) -> bool) {
        for diagnostic in &mut self.all {
            diagnostic.is_known = diagnostic.is_of_zone() && is_known(diagnostic);
        }
    }

    /// Moves all diagnostics of another collection into this one.
    pub fn append(&mut self, mut other: Diagnostics) {
        self.total += other.total;
        self.all.append(&mut other.all);
    }

    /// Removes all findings with one of the codes.
    pub fn remove(&mut self, codes: &[&str]) {
        self.all.retain(|d| !codes.contains(&d.code()));
        self.total = self.all.iter().map(Diagnostic::number).sum();
    }

    /// Returns true if at least one finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.all.iter().any(|d| d.severity == Severity::Error)
    }

    /// Returns the number of findings with this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.all.iter().filter(|d| d.severity == severity).map(Diagnostic::number).sum()
    }

    /// Returns true if there is no finding.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the number of findings, including those that are only counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.total
    }

    /// Iterates over the findings that are reported.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter()
    }

    /// Sorts the findings by file, place, severity and code, drops exact duplicates, and limits the
    /// report: of each code and severity, the first [`MOST_OF_A_KIND`] findings and the number of
    /// further ones, with no text longer than a page. All outputs show sorted findings.
    ///
    /// # Order
    /// Files are sorted by name, so that the order of arguments makes no difference. Findings
    /// without a place come last.
    pub fn sort(&mut self, sources: &Sources) {
        let mut left_out: HashMap<CodeAndSeverity, usize> = HashMap::new();
        // Findings that an earlier sort left out: their number is added to the new one.
        self.all.retain(|d| {
            if d.more > 0 {
                *left_out.entry(d.kind()).or_default() += d.more;
            }
            d.more == 0
        });
        self.order(sources);
        self.bound(left_out);
        self.total = self.all.iter().map(Diagnostic::number).sum();
    }

    /// Sorts like [`Diagnostics::sort`] and drops exact duplicates, without any other limit.
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

    /// Removes the findings over the limit; `more` has the numbers that earlier sorts removed of
    /// each kind.
    fn bound(&mut self, mut more: HashMap<CodeAndSeverity, usize>) {
        let mut kept: HashMap<CodeAndSeverity, usize> = HashMap::new();
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
        let mut findings = Vec::with_capacity(self.all.len() + more.len());
        for d in self.all.drain(..).rev() {
            if let Some(more) = more.remove(&d.kind()) {
                findings.push(Diagnostic::of_more((d.finding, d.severity), more));
            }
            findings.push(d);
        }
        findings.reverse();
        self.all = findings;
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
        let findings: Vec<Diagnostic> = iter.into_iter().collect();
        Self { total: findings.iter().map(Diagnostic::number).sum(), all: findings }
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
