//! Expiry dates of entries: calendar dates in a spec, expired entries, and entries that expire
//! soon.

use jiff::civil::Date;

use super::limits::clip;
use crate::diagnostic::{Diagnostic, Place, findings};

/// Number of days before expiry from which a reminder is shown.
const SOON: i64 = 14;

/// The kind of entry that a date belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastDay {
    /// An entry that tunes, or a rule.
    Entry,
    /// An accepted danger or lint.
    Accepted,
    Record,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day(Date);

impl Day {
    /// Parses `YYYY-MM-DD`. Returns `None` if there is no such day in the Gregorian calendar.
    pub(super) fn parse(text: &str) -> Option<Self> {
        // The library accepts other formats as well.
        let is_place = |(n, byte): (usize, u8)| {
            if matches!(n, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() }
        };
        let is_written_so =
            text.len() == "YYYY-MM-DD".len() && text.bytes().enumerate().all(is_place);
        text.parse().ok().filter(|_| is_written_so).map(Self)
    }

    /// Returns the number of days until another day. Negative if that day is earlier.
    pub(super) fn until(self, other: Self) -> i64 {
        self.0.duration_until(other.0).as_hours() / 24
    }
}

/// Returns true if an entry with this number of days left has expired.
pub(super) fn is_over(left: i64) -> bool {
    left < 0
}

/// Returns true if an entry with this number of days left needs a reminder.
pub(super) fn is_soon(left: i64) -> bool {
    (0..=SOON).contains(&left)
}

/// Reports a text that is not a date.
pub(super) fn not_a_date(text: &str, place: Place, of_what: LastDay) -> Diagnostic {
    let help = match of_what {
        LastDay::Entry | LastDay::Accepted => {
            "write the last day on which the entry holds as YYYY-MM-DD, such as 2027-03-01"
        }
        LastDay::Record => {
            "write the last day on which the record is needed as YYYY-MM-DD, such as 2027-03-01"
        }
    };
    findings::DATE.at(place, format!("`{}` is not a date", clip(text))).help(help)
}

/// Reports an entry that has expired or expires soon; `text` is its date as written.
pub(super) fn reminder(
    what: &str,
    text: &str,
    left: i64,
    place: Place,
    of_what: LastDay,
) -> Option<Diagnostic> {
    let (verb, then, is) = match of_what {
        LastDay::Accepted => ("was accepted", "reported again", "accepted"),
        LastDay::Entry | LastDay::Record => ("held", "planned for removal", "needed"),
    };
    if is_over(left) {
        return Some(
            findings::EXPIRED
                .at(place, format!("`{what}` {verb} until {text} and is {then}"))
                .help(format!(
                    "remove the entry; if it is still {is}, write a later date and say why"
                )),
        );
    }
    let days = match left {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        days => format!("in {days} days"),
    };
    is_soon(left).then(|| {
        findings::EXPIRES_SOON
            .at(place, format!("the last day of `{what}` is {days}"))
            .help(format!("see whether it is still {is}; after that day it is {then}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finding_names_the_number_of_days() {
        assert!(
            findings::EXPIRES_SOON.why.contains(&format!("{SOON} days")),
            "{}",
            findings::EXPIRES_SOON.why
        );
    }

    #[test]
    fn dates_exist() {
        for good in ["2027-03-01", "2028-02-29", "2000-02-29", "2027-12-31"] {
            assert!(Day::parse(good).is_some(), "{good}");
        }
        for bad in [
            "2027-02-29",
            "1900-02-29",
            "2027-13-01",
            "2027-00-01",
            "2027-04-31",
            "2027-4-1",
            "01.03.2027",
            "",
            "2027-03-01Z",
            "2027-03-00",
            "20270301",
            "+027-03-01",
            "2027-٠٣-1",
        ] {
            assert!(Day::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn days_are_counted() {
        let until = |a: &str, b: &str| Day::parse(a).unwrap().until(Day::parse(b).unwrap());
        assert_eq!(until("1970-01-01", "2000-03-01"), 11_017);
        assert_eq!(until("2028-02-28", "2028-03-01"), 2);
        assert_eq!(until("2027-02-28", "2027-03-01"), 1);
        assert_eq!(until("2027-03-01", "2027-02-28"), -1);
        assert_eq!(until("2026-12-31", "2027-01-01"), 1);
    }
}
