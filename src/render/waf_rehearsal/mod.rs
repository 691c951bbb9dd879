//! The outcomes of recorded requests, for people: as text, as a Markdown comment, and as a page.

mod markdown;
mod page;
mod text;

pub(super) use markdown::markdown;
pub(super) use page::page;
pub use text::write;

use crate::diagnostic::count;
use crate::insight::traffic::{COLUMNS, Cell, Matrix, Named, Outcomes, Report, Set};
use crate::model::managed::threshold_keyword;

/// Returns the keyword of a threshold, if it has one, otherwise the number.
fn threshold(number: u32) -> String {
    threshold_keyword(number).map_or_else(|| number.to_string(), |word| format!("{number} {word}"))
}

/// Describes a setting.
fn setting(cell: Option<Cell>) -> String {
    match cell {
        None => "not deployed".to_owned(),
        Some(Cell { level: Some(level), threshold }) => {
            format!("paranoia level {level}, threshold {threshold}")
        }
        Some(Cell { level: None, threshold }) => {
            format!("paranoia level custom, threshold {threshold}")
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        "–".to_owned()
    } else {
        format!("{:.1}%", 100.0 * part as f64 / whole as f64)
    }
}

struct MatrixCell {
    /// The number of requests. A question mark gives the number of further requests that are
    /// uncertain.
    number: String,
    /// The share of all requests that reach the ruleset, in percent.
    filled: u64,
    /// The share of all requests that reach the ruleset, as text.
    share: String,
    /// True for the current setting, and for the setting after the plan.
    is_now: bool,
    is_planned: bool,
}

impl MatrixCell {
    /// Returns the mark of a cell in text.
    fn mark(&self) -> &'static str {
        match (self.is_now, self.is_planned) {
            (true, true) => "*",
            (true, false) => "<",
            (false, true) => ">",
            (false, false) => "",
        }
    }
}

/// Returns the cells of a matrix, one row for each level.
fn cells(matrix: &Matrix, report: &Report) -> Vec<Vec<MatrixCell>> {
    let is =
        |setting: fn(&crate::insight::traffic::Zone) -> Option<Cell>, level: u8, threshold: u32| {
            let cell = Some(Cell { level: Some(level), threshold });
            report.zones.iter().any(|zone| setting(zone) == cell)
        };
    let row = |(level, (row, unknown)): (u8, (&[u64; COLUMNS], &[u64; COLUMNS]))| {
        let cell = |((number, unknown), threshold): ((&u64, &u64), &u32)| MatrixCell {
            number: if *unknown > 0 { format!("{number}+{unknown}?") } else { number.to_string() },
            filled: (number * 100).checked_div(matrix.scored).unwrap_or(0),
            share: percent(*number, matrix.scored),
            is_now: is(|zone| zone.before, level, *threshold),
            is_planned: is(|zone| zone.after, level, *threshold),
        };
        row.iter().zip(unknown).zip(&matrix.thresholds).map(cell).collect()
    };
    (1..).zip(matrix.rows.iter().zip(&matrix.unknown)).map(row).collect()
}

/// Explains the question marks of a matrix, if it has some.
fn doubt(matrix: &Matrix) -> Option<&'static str> {
    let has = matrix.unknown.iter().flatten().any(|number| *number > 0);
    has.then_some(
        "+n? up to n more requests may be acted on: the pattern of a rule takes too many \
        steps on them",
    )
}

/// Describes the requests that a matrix of a set counts.
fn meaning(set: Set) -> &'static str {
    match set {
        Set::Requests => "recorded requests that the OWASP ruleset would act on",
        Set::Benign => "false positives: benign requests that the OWASP ruleset would act on",
        Set::Attacks => "detection: attacks that the OWASP ruleset would act on",
    }
}

/// Returns the caveats about the numbers of a set.
fn caveats(outcomes: &Outcomes) -> Vec<String> {
    let Outcomes { unreadable, elsewhere, dns_only, partial, .. } = outcomes;
    [
        (*unreadable, "lines or entries that are not requests"),
        (*elsewhere, "requests for hosts of no zone in the spec, not evaluated"),
        (*dns_only, "requests for hosts that are DNS only, to which no rule applies"),
        (*partial, "requests recorded without all headers or the body, whose scores may be higher"),
    ]
    .iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, words)| format!("{words}: {number}"))
    .collect()
}

/// Lists names with their numbers.
fn listed(names: &[Named]) -> Vec<String> {
    names.iter().take(5).map(|named| format!("{} ({})", named.name, named.requests)).collect()
}

/// Describes the most important facts about a zone, in at most three sentences; none if the zone
/// had no requests.
#[must_use]
pub fn headlines(report: &Report, zone: &str) -> Vec<String> {
    let Some(zone) = report.zones.iter().find(|own| own.name == zone) else { return Vec::new() };
    let requests = count(zone.requests, "recorded request");
    let mut lines = Vec::new();
    if zone.stopped + zone.let_through == 0 {
        lines.push(format!("{requests}: none is newly stopped, none is newly let through"));
    } else {
        let (stopped, through) = (zone.stopped, zone.let_through);
        lines.push(format!("{requests}: {stopped} newly stopped, {through} newly let through"));
    }
    if let Some(group) = report.changes.iter().find(|group| group.zone == zone.name) {
        let paths: Vec<_> = group.paths.iter().take(3).map(|path| path.name.as_str()).collect();
        let requests = count(group.requests, "request");
        lines.push(format!(
            "{}: {requests} by {} on {}",
            group.change.words(),
            group.rule,
            paths.join(", ")
        ));
    }
    if zone.unknown > 0 {
        let why: Vec<_> =
            report.depends_on.iter().take(3).map(|reason| reason.name.as_str()).collect();
        let verb = if zone.unknown == 1 { "depends" } else { "depend" };
        lines.push(format!(
            "{} {verb} on {}",
            count(zone.unknown, "unknown outcome"),
            why.join(", ")
        ));
    } else if let Some(what) = report.not_evaluated.first() {
        lines.push(format!("not evaluated: {}", what.name));
    }
    lines
}
