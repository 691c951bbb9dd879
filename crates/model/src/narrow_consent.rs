//! Narrow weakenings of the protection, to which the reasons in the spec count as consent: limits
//! for the number of rules and days.

use std::collections::BTreeSet;

use super::ruleset::Note;

/// Maximum number of rules that a narrow weakening of a zone affects. A policy can only lower it.
pub const NARROW_RULES: u8 = 5;
/// Maximum number of days that a narrow weakening lasts. A policy can only lower it.
pub const NARROW_DAYS: u8 = 90;

/// The rules, the duration and the reasons of a narrow weakening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Narrow {
    /// Cloudflare's ids of the affected rules. A rule that two entries name is listed twice.
    pub rules: Vec<String>,
    /// Number of days from today.
    pub days: u32,
    /// Describes the reasons and the last day.
    pub words: String,
}

impl Narrow {
    /// Combines the rules and the notes of spec entries; `None` unless each note has a reason and a
    /// last day.
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

    /// Combines several weakenings; `None` if the list is empty.
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
