//! Whether an expectation holds: passed, failed, or unknown with the reason.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::answer::{Answer, End};
use super::index::Entry;
use super::zones::Zones;
use crate::model::{Expected, ExpectedAnswer, Rdata, RecordType};

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It does not hold; what is found instead.
    Failed(String),
    /// It cannot be told; why.
    Unknown(String),
}

impl Outcome {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed(_) => "failed",
            Self::Unknown(_) => "unknown",
        }
    }

    /// What is found instead, or why it cannot be told.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Passed => None,
            Self::Failed(why) | Self::Unknown(why) => Some(why),
        }
    }
}

/// Checks an expectation. `knows_all` says whether the zones have all records; a spec alone does not, unless it is pruned.
#[must_use]
pub fn hold(zones: &Zones<'_>, expected: &Expected, knows_all: bool) -> Outcome {
    match expected {
        Expected::Answer { name, record_type, answer } => {
            let found = zones.answer(name, *record_type);
            let says = format!("{name} {record_type}: {}", found.words(*record_type));
            match hold_answer(&found, *record_type, answer) {
                Held::Yes => Outcome::Passed,
                Held::No => Outcome::Failed(says),
                Held::Unless if knows_all => Outcome::Failed(says),
                Held::Absent if knows_all => Outcome::Passed,
                Held::Unless | Held::Absent => {
                    Outcome::Unknown(format!("{says} in the spec; a live record that it does not name may answer"))
                }
                Held::Unknown => Outcome::Unknown(says),
            }
        }
    }
}

/// Whether an answer is the expected one.
enum Held {
    Yes,
    No,
    /// There must be a record, and none is known.
    Unless,
    /// There must be no record, and none is known.
    Absent,
    Unknown,
}

/// Compares an answer with what is expected.
fn hold_answer(found: &Answer<'_>, kind: RecordType, expected: &ExpectedAnswer) -> Held {
    let yes = |holds: bool| if holds { Held::Yes } else { Held::No };
    match (&found.end, expected) {
        (
            End::Unknown(_) | End::Cloudflare(..) | End::Elsewhere | End::Referral(_),
            ExpectedAnswer::Is(_) | ExpectedAnswer::Within(_) | ExpectedAnswer::Nothing,
        ) => Held::Unknown,
        (End::Unknown(_) | End::Elsewhere, ExpectedAnswer::Edge) => Held::Unknown,
        (End::Cloudflare(..) | End::Referral(_), ExpectedAnswer::Edge) => Held::No,
        (End::NoData(_) | End::NoName | End::Loop, ExpectedAnswer::Nothing) => Held::Absent,
        (End::NoData(_) | End::NoName, ExpectedAnswer::Edge | ExpectedAnswer::Is(_) | ExpectedAnswer::Within(_)) => {
            Held::Unless
        }
        (End::Loop, _) => Held::No,
        (End::Edge(_), ExpectedAnswer::Edge) => Held::Yes,
        (End::Edge(_), ExpectedAnswer::Nothing) => Held::No,
        // The addresses of the edge are Cloudflare's to choose, but they are none of an origin.
        (End::Edge(_), ExpectedAnswer::Is(_) | ExpectedAnswer::Within(_)) => Held::Unknown,
        (End::Records(_), ExpectedAnswer::Edge | ExpectedAnswer::Nothing) => Held::No,
        (End::Records(set), ExpectedAnswer::Is(values)) => {
            yes(set.iter().map(|entry| entry.data).collect::<BTreeSet<_>>() == values.iter().collect())
        }
        (End::Records(set), ExpectedAnswer::Within(networks)) => {
            let is_inside =
                |entry: &Entry<'_>| address(entry.data).is_some_and(|a| networks.iter().any(|net| net.contains(&a)));
            yes(matches!(kind, RecordType::A | RecordType::Aaaa) && set.iter().all(is_inside))
        }
    }
}

/// The address of a record.
fn address(data: &Rdata) -> Option<IpAddr> {
    match data {
        Rdata::A(a) => Some(a.address().into()),
        Rdata::Aaaa(aaaa) => Some(aaaa.address().into()),
        _ => None,
    }
}
