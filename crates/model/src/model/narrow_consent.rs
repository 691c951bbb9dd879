//! The consent that a narrow weakening of the protection has in the reasons of the spec: for how
//! many rules, for how long, and in which words.

use std::collections::BTreeSet;

use super::ruleset::Note;

/// The most rules that a narrow weakening of a zone concerns. A policy can only lower it.
pub const NARROW_RULES: u8 = 5;
/// The most days that a narrow weakening lasts. A policy can only lower it.
pub const NARROW_DAYS: u8 = 90;

/// What makes a weakening narrow: which rules, for how long, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Narrow {
    /// Cloudflare's ids of the rules that it concerns; one that two entries name is there twice.
    pub rules: Vec<String>,
    /// How many days it lasts from today.
    pub days: u32,
    /// Why and until when, in words.
    pub words: String,
}

impl Narrow {
    /// From the rules and the notes of the entries that ask for it; each has a reason and a last
    /// day.
    pub fn new<'n>(rules: BTreeSet<String>, notes: impl Iterator<Item = &'n Note>) -> Option<Self> {
        let (mut days, mut until, mut reasons) = (0, "", BTreeSet::new());
        for note in notes {
            let (left, day, reason) =
                (note.days_left?, note.expires.as_deref()?, note.reason.as_deref()?);
            days = days.max(left);
            until = until.max(day);
            reasons.insert(reason);
        }
        let reasons = reasons.into_iter().collect::<Vec<_>>().join("; ");
        let words = format!("narrow, until {until}: {reasons}");
        (!until.is_empty()).then(|| Self { rules: rules.into_iter().collect(), days, words })
    }

    /// Several as one; `None` if there is none.
    #[must_use]
    pub fn of_all(all: Vec<Self>) -> Option<Self> {
        all.into_iter().reduce(|mut one, other| {
            one.days = one.days.max(other.days);
            one.words = format!("{}; {}", one.words, other.words);
            one.rules.extend(other.rules);
            one
        })
    }
}
