//! Entries of `accept` that can match nothing.

use std::collections::BTreeMap;

use crate::diagnostic::{Finding, Place, Severity};
use crate::insight::waf::acceptance_without_effect;
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::ZoneName;
use crate::model::ruleset::AcceptedCause;

/// The code of the rule.
pub const CODE: &str = "LINT0023";

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: CODE,
        summary: "an entry of `accept` can match nothing",
        severity: Severity::Warning,
        why: "An entry of `accept` is for something at Cloudflare that makes the protection weaker \
            than the section says. What the section \
              states itself, and what is within the floor of `on`, is never reported, so an entry \
              for it has no effect.",
        fix: "Remove the entry, or write the value that `drift` reports.",
    },
    sources: &["docs/drift.md (what a section promises), read 2026-11-26"],
    good: "\
zones:
  example.com:
    records: []
    waf:
      owasp: on
      accept:
        - { key: threshold, is: 100, reason: load test }
",
    bad: "\
zones:
  example.com:
    records: []
    waf:
      owasp: on
      accept:
        - { key: threshold, is: 40, reason: load test }
",
    check: report_idle_acceptances,
};

/// An entry, with the first zone in which it has no effect and the reason.
type Idle<'a> = (&'a AcceptedCause, &'a ZoneName, String);

fn report_idle_acceptances(context: &LintContext<'_>, findings: &mut Findings) {
    // An entry of a profile has one place and many zones: it is useful if one of them can have it.
    let mut entries: BTreeMap<Place, Option<Idle<'_>>> = BTreeMap::new();
    for zone in context.zones.iter().map(|view| view.zone) {
        let Some(section) = zone.waf.as_deref() else { continue };
        for accepted in &section.accept {
            let idle = acceptance_without_effect(accepted, section)
                .map(|reason| (accepted, &zone.name, reason));
            let idle_reason = entries.entry(accepted.place).or_insert_with(|| idle.clone());
            if idle.is_none() {
                *idle_reason = None;
            }
        }
    }
    for (place, (accepted, zone, reason)) in
        entries.into_iter().filter_map(|(place, idle)| Some((place, idle?)))
    {
        let (kind, name) = accepted.object.identity();
        let detail = format!("`{kind}: {name}` can match nothing: {reason}");
        let help = "remove the entry, or write the value that `drift` reports";
        findings.push(RULE.at(place, detail).about(zone.to_string()).help(help));
    }
}
