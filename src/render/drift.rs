//! Drift for all outputs: the changes and their authors, as operations of the plan with their
//! findings.

use super::operation_view::{OperationView, views};
use crate::diagnostic::Sources;
use crate::diagnostic::count;
use crate::document::place::place;
use crate::drift::{
    CheckedExpectation, Finding, Report, State, Verdict, WeakenedDeployment, ZoneReport,
};
use crate::insight::Direction;
use crate::insight::expect::ExpectationOutcome;
use crate::insight::waf::Shortfall;
use crate::model::sort_by_key;
use crate::model::time::ago;
use crate::plan::{Action, DeploymentInForce, Plan, SetAsideCount, ZonePlan};

/// Maximum number of reasons that are shown for a weakened deployment; the JSON has all.
const SHORTFALLS: usize = 8;

/// A report with its context.
#[derive(Debug, Clone, Copy)]
pub struct DriftView<'a> {
    /// The report.
    pub report: &'a Report,
    /// The plan that the report is based on.
    pub plan: &'a Plan,
    /// The states that the exit code reports.
    pub asked: &'a [State],
    /// The source texts of the spec.
    pub sources: &'a Sources,
}

impl<'a> DriftView<'a> {
    /// Returns the result of the report.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.report.verdict(self.asked)
    }

    /// The zones with their plans.
    pub(super) fn zones(&self) -> impl Iterator<Item = (&'a ZoneReport, &'a ZonePlan)> {
        self.report.zones.iter().zip(&self.plan.zones)
    }

    /// Returns the verdict for a heading.
    pub(super) fn verdict_words(&self) -> &'static str {
        match self.verdict() {
            Verdict::InSync => "in sync",
            Verdict::Tolerated => "differences that are tolerated",
            Verdict::Found => "drift",
            Verdict::Incomplete => "incomplete, see the errors",
        }
    }

    /// Describes the number of failing expectations, as the end of a list; empty if none fails.
    pub(super) fn failed(&self) -> String {
        match self.report.failed_expectations() {
            0 => String::new(),
            failed => format!(", {} failed", count(failed, "expectation")),
        }
    }

    /// Describes the number of objects in each state. States without objects are omitted, except
    /// "in sync".
    #[must_use]
    pub fn counts(&self) -> String {
        words(|state| self.report.count(state))
    }

    /// Describes the requests and the base, as the end of a summary.
    pub(super) fn circumstances(&self) -> String {
        let requests =
            count(usize::try_from(self.plan.requests_made).unwrap_or(usize::MAX), "request");
        let partly = self.report.zones.iter().filter(|zone| zone.is_partly_read).count();
        let head = match partly {
            0 => requests,
            _ => format!(
                "{requests}; custom rules, which can skip managed rulesets, were not read in {}",
                count(partly, "zone")
            ),
        };
        match &self.plan.base {
            Some(base) => format!("{head}; compared with {base}"),
            None if self.report.count(State::Unknown) == 0 => head,
            None => format!("{head}; without --base it is unknown who changed what"),
        }
    }
}

/// Describes counts by state.
pub(super) fn words(count: impl Fn(State) -> usize) -> String {
    let of = |state: &State| (*state, count(*state));
    let shown = State::ALL.iter().map(of).filter(|(state, n)| *n > 0 || *state == State::InSync);
    shown.map(|(state, n)| format!("{n} {}", state.as_str())).collect::<Vec<_>>().join(", ")
}

/// Returns the findings of a zone with their operations, most important first.
pub(super) fn findings<'a>(
    report: &'a ZoneReport,
    plan: &'a ZonePlan,
) -> Vec<(&'a Finding, OperationView<'a>)> {
    // Both lists are in the order of the plan.
    let mut findings_and_views: Vec<_> = report.findings.iter().zip(views(plan)).collect();
    sort_by_key(&mut findings_and_views, |(finding, _)| finding.state);
    findings_and_views
}

/// Describes a deployment that is weaker than in the spec: a heading, then the promised and the
/// live state, and the next step.
pub(super) fn weakened(found: &WeakenedDeployment) -> (String, Vec<String>) {
    let DeploymentInForce { in_force, modified_on, .. } = &found.deployment;
    let rules = in_force.rules_in_words().map(|words| format!("  {words}")).unwrap_or_default();
    let what = format!("weaker than the spec says: waf {}{rules}", in_force.ruleset.key());
    let mut lines = Vec::new();
    for Shortfall { promised, live, cause, .. } in in_force.shortfalls.iter().take(SHORTFALLS) {
        lines.push(format!("promised: {promised}; at Cloudflare: {live} ({})", cause.words()));
    }
    let omitted = in_force.shortfalls.len().saturating_sub(SHORTFALLS);
    if omitted > 0 {
        lines.push(format!("and {omitted} more"));
    }
    lines.extend(
        in_force.outdated.iter().map(|(_, live)| format!("what was accepted is now {live}")),
    );
    if let Some(time) = modified_on {
        let age = found.age.map(|age| format!(", {}", ago(age))).unwrap_or_default();
        lines.push(format!("last changed at Cloudflare {time}{age}"));
    }
    lines.push(in_force.remedy());
    (what, lines)
}

/// Describes the expectations of a zone that fail in the live state, or whose result is unknown.
pub(super) fn expectations(report: &ZoneReport, sources: &Sources) -> Vec<String> {
    let line = |checked: &CheckedExpectation| {
        let CheckedExpectation { name, place: at, outcome } = checked;
        let word = match outcome {
            ExpectationOutcome::Passed | ExpectationOutcome::PassedSoFar(_) => return None,
            ExpectationOutcome::Failed(_) => "fails",
            ExpectationOutcome::Unknown(_) => "is unknown",
        };
        let at = place(*at, sources).map(|at| format!(" ({at})")).unwrap_or_default();
        Some(format!("expectation {word}: {name}: {}{at}", outcome.why().unwrap_or_default()))
    };
    report.expectations.iter().filter_map(line).collect()
}

/// Describes the difference between the live object and the spec.
pub(super) fn how(mark: Action) -> &'static str {
    match mark {
        Action::Create => "missing",
        Action::Update => "different",
        Action::Move => "elsewhere",
        Action::Delete => "not wanted",
    }
}

/// Describes both sides of a difference; `shown` escapes a value.
pub(super) fn sides(
    before: Option<&str>,
    after: Option<&str>,
    shown: impl Fn(&str) -> String,
) -> String {
    let side = |side: Option<&str>| side.map_or_else(|| "unset".to_owned(), &shown);
    format!("{} at Cloudflare, {} in the spec", side(before), side(after))
}

/// Returns a sentence if the protection at Cloudflare is weaker than in the spec.
pub(super) fn weaker(operation: &OperationView<'_>) -> Option<&'static str> {
    match operation.direction {
        Some(Direction::Strengthens | Direction::Both) => {
            Some("the protection at Cloudflare is weaker than in the spec")
        }
        Some(Direction::Weakens | Direction::Neutral | Direction::Unclassified) | None => None,
    }
}

/// Describes further facts about an object: the time of its change, the reason why it is not
/// wanted, the effect of applying the spec.
pub(super) fn remarks(finding: &Finding, operation: &OperationView<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(time) = &finding.modified_on {
        let age = finding.age.map(|age| format!(", {}", ago(age))).unwrap_or_default();
        remarks.push(format!("last changed at Cloudflare {time}{age}"));
    }
    if !operation.why.about.is_empty() {
        remarks.push(operation.why.in_full());
    }
    remarks.extend(
        operation
            .dangers
            .iter()
            .map(|danger| format!("if the spec is applied: {}", danger.about())),
    );
    remarks
}

/// Describes the unmanaged objects with one reason: `3 unmanaged (2 A, 1 TXT)`.
pub(super) fn aside(aside: &SetAsideCount) -> String {
    let types: Vec<_> = aside.types.iter().map(|(name, n)| format!("{n} {name}")).collect();
    format!("{} ({})", aside.words(), types.join(", "))
}
