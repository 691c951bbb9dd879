//! Checks that a name has the expected answer.

use std::collections::BTreeSet;

use super::evidence::Evidence;
use super::outcome::ExpectationOutcome;
use crate::insight::dns::{Answer, End, Entry, Referral};
use crate::model::{ExpectedAnswer, Fqdn, Gather, RecordType};

pub(super) fn check_answer(
    evidence: Evidence<'_, '_>,
    name: &Fqdn,
    kind: RecordType,
    expected: &ExpectedAnswer,
) -> ExpectationOutcome {
    let planned_answer = evidence.zones.answer(name, kind);
    let says = format!("{name} {kind}: {}", planned_answer.words(kind));
    let failed = || ExpectationOutcome::Failed(format!("{says}; expected {expected}"));
    match hold_answer(&planned_answer, kind, expected) {
        Held::Yes => ExpectationOutcome::Passed,
        Held::No => failed(),
        Held::Unless if evidence.knows_all => failed(),
        Held::Absent if evidence.knows_all => ExpectationOutcome::Passed,
        Held::Unless | Held::Absent => ExpectationOutcome::Unknown(format!(
            "{says} in the spec; a live record that it does not name may answer"
        )),
        Held::Unknown => ExpectationOutcome::Unknown(says),
    }
}

/// The comparison of an answer with the expected one.
enum Held {
    Yes,
    No,
    /// The expected records are not in the zones, which may be incomplete.
    Unless,
    /// No record is in the zones, which may be incomplete, and none is expected.
    Absent,
    Unknown,
}

/// Compares an answer with the expected one.
fn hold_answer(found: &Answer<'_>, kind: RecordType, expected: &ExpectedAnswer) -> Held {
    let yes = |holds: bool| if holds { Held::Yes } else { Held::No };
    match (&found.end, expected) {
        // The known zone defines the delegation itself.
        (End::Referral(referral), ExpectedAnswer::Is(values))
            if asks_delegation(referral, found, kind) =>
        {
            yes(referral.servers.iter().map(|entry| entry.data).collect::<BTreeSet<_>>()
                == values.iter().collect())
        }
        (End::Referral(referral), ExpectedAnswer::Nothing)
            if asks_delegation(referral, found, kind) =>
        {
            Held::No
        }
        (
            End::Unknown(_) | End::Cloudflare(..) | End::Elsewhere | End::Referral(_),
            ExpectedAnswer::Is(_) | ExpectedAnswer::Within(_) | ExpectedAnswer::Nothing,
        ) => Held::Unknown,
        (End::Unknown(_) | End::Elsewhere, ExpectedAnswer::Edge) => Held::Unknown,
        (End::Cloudflare(..) | End::Referral(_), ExpectedAnswer::Edge) => Held::No,
        (End::NoData(_) | End::NoName | End::Loop, ExpectedAnswer::Nothing) => Held::Absent,
        (
            End::NoData(_) | End::NoName,
            ExpectedAnswer::Edge | ExpectedAnswer::Is(_) | ExpectedAnswer::Within(_),
        ) => Held::Unless,
        (End::Loop, _) => Held::No,
        (End::Edge(_), ExpectedAnswer::Edge) => Held::Yes,
        (End::Edge(_), ExpectedAnswer::Nothing) => Held::No,
        // Cloudflare chooses the addresses of the edge, and they are never those of an origin.
        (End::Edge(_), ExpectedAnswer::Is(_) | ExpectedAnswer::Within(_)) => Held::Unknown,
        (End::Records(_), ExpectedAnswer::Edge | ExpectedAnswer::Nothing) => Held::No,
        (End::Records(set), ExpectedAnswer::Is(values)) => {
            yes(set.iter().map(|entry| entry.data).gather::<BTreeSet<_>>()
                == values.iter().collect())
        }
        (End::Records(set), ExpectedAnswer::Within(networks)) => {
            let is_inside = |entry: &Entry<'_>| {
                entry.data.address().is_some_and(|a| networks.iter().any(|net| net.contains(&a)))
            };
            yes(matches!(kind, RecordType::A | RecordType::Aaaa) && set.iter().all(is_inside))
        }
    }
}

/// Returns true if the query is about the delegation of a name.
fn asks_delegation(referral: &Referral<'_>, found: &Answer<'_>, kind: RecordType) -> bool {
    kind == RecordType::Ns && referral.cut == found.name.as_str()
}
