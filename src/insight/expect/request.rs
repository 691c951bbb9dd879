//! Checks that a request has the expected verdict under the rules of its zone.

use super::evidence::Evidence;
use super::outcome::ExpectationOutcome;
use crate::diagnostic::Sources;
use crate::insight::dns::End;
use crate::insight::traffic::RequestVerdict;
use crate::model::request::Outcome as RequestOutcome;
use crate::model::{ExpectedRequest, Fqdn, RecordType};

/// Checks the request. In a strict test, unknown parts fail.
pub(super) fn check_request(
    evidence: Evidence<'_, '_>,
    expected: &ExpectedRequest,
) -> ExpectationOutcome {
    match evaluated(evidence, expected) {
        ExpectationOutcome::Unknown(why) if evidence.rigor.is_strict => failed(&why, expected),
        outcome => outcome,
    }
}

/// Returns the outcome as far as known.
fn evaluated(evidence: Evidence<'_, '_>, expected: &ExpectedRequest) -> ExpectationOutcome {
    let host = &expected.request.host;
    let zone =
        Fqdn::parse(host).ok().and_then(|name| Some((evidence.zones.zone_of(&name)?.name(), name)));
    let Some((zone, name)) = zone else {
        return ExpectationOutcome::Unknown(format!("{host} is in no known zone"));
    };
    // Rules apply to proxied hosts only.
    let end = evidence.zones.answer(&name, RecordType::A).end;
    let verdict = match end {
        End::Records(_) => RequestVerdict::pass(),
        End::NoName | End::NoData(_) | End::Loop if evidence.knows_all => {
            return ExpectationOutcome::Failed(format!("{host} has no address"));
        }
        End::NoName | End::NoData(_) | End::Loop | End::Edge(_) => {
            match evidence.protections.get(zone) {
                Some(protection) => {
                    let hits = evidence.rigor.rules.map(|rules| rules.hits(&expected.request));
                    protection.verdict(&expected.request, expected.rate, hits.as_ref())
                }
                None => {
                    return ExpectationOutcome::Unknown(format!(
                        "the rules of {zone} are not known"
                    ));
                }
            }
        }
        End::Referral(_) | End::Elsewhere | End::Cloudflare(..) | End::Unknown(_) => {
            return ExpectationOutcome::Unknown(format!("whether {host} is proxied is unknown"));
        }
    };
    let is_direct = matches!(end, End::Records(_));
    let words = describe_verdict(&verdict, is_direct, evidence.rigor.sources);
    match expected.verdict.is_met_by(verdict.outcome) {
        None => ExpectationOutcome::Unknown(words),
        Some(false) => failed(&words, expected),
        Some(true) if evidence.rigor.is_strict && passes_unseen(&verdict) => {
            failed(&words, expected)
        }
        Some(true) => match (&expected.by, &verdict.by) {
            (Some(wanted), Some(by)) if *wanted != by.name => failed(&words, expected),
            (Some(_), None) => {
                ExpectationOutcome::Unknown(format!("{words}; the rule that acts is unknown"))
            }
            _ if is_direct || passes_unseen(&verdict) => ExpectationOutcome::PassedSoFar(words),
            _ => ExpectationOutcome::Passed,
        },
    }
}

/// Returns a failure, with the expected verdict.
fn failed(words: &str, expected: &ExpectedRequest) -> ExpectationOutcome {
    let by = expected.by.as_ref().map_or_else(String::new, |by| format!(" by {by}"));
    ExpectationOutcome::Failed(format!("{words}; expected {}{by}", expected.verdict))
}

/// Returns true if a request passes only as far as rules were evaluated.
fn passes_unseen(verdict: &RequestVerdict) -> bool {
    verdict.outcome == RequestOutcome::Pass && !verdict.not_evaluated.is_empty()
}

fn describe_verdict(
    verdict: &RequestVerdict,
    is_direct: bool,
    sources: Option<&Sources>,
) -> String {
    let mut words = verdict.outcome.as_str().to_owned();
    if let Some(by) = &verdict.by {
        words.push_str(&format!(" by {}", by.name));
        if let (Some(place), Some(sources)) = (by.place, sources)
            && let Some(source) = sources.get(place.source)
        {
            words.push_str(&format!(" ({}:{})", source.name(), sources.line_column(place).line));
        }
    }
    if verdict.outcome == RequestOutcome::Unknown {
        let depends_on: Vec<_> = verdict.depends_on.iter().map(String::as_str).collect();
        words.push_str(&format!(": it depends on {}", depends_on.join(", ")));
    }
    if passes_unseen(verdict) {
        let what: Vec<_> = verdict.not_evaluated.iter().map(String::as_str).collect();
        words.push_str(&format!(", but this was not evaluated: {}", what.join("; ")));
    }
    if is_direct {
        words.push_str(": the host is DNS only, so no rule applies");
    }
    words
}
