//! The last days of entries: calendar dates in a spec, what has expired, and what soon does.

use jiff::civil::Date;

use super::limits::clip;
use crate::diagnostic::{Diagnostic, Place, findings};

/// How many days before an entry expires the reminder begins.
const SOON: i64 = 14;

/// Whose last day it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastDay {
    /// Of an entry that tunes, or of a rule.
    Entry,
    /// Of something that is accepted.
    Accepted,
    /// Of a record.
    Record,
}

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day(Date);

impl Day {
    /// From `YYYY-MM-DD`; `None` if there is no such day in the Gregorian calendar.
    pub(super) fn parse(text: &str) -> Option<Self> {
        // The library reads other forms as well.
        let is_place = |(n, byte): (usize, u8)| {
            if matches!(n, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() }
        };
        let is_written_so =
            text.len() == "YYYY-MM-DD".len() && text.bytes().enumerate().all(is_place);
        text.parse().ok().filter(|_| is_written_so).map(Self)
    }

    /// The number of days until another day; negative if that day is earlier.
    pub(super) fn until(self, other: Self) -> i64 {
        self.0.duration_until(other.0).as_hours() / 24
    }
}

/// Whether the last day is over, with so many days left.
pub(super) fn is_over(left: i64) -> bool {
    left < 0
}

/// Whether an entry with so many days left is to be looked at again.
pub(super) fn is_soon(left: i64) -> bool {
    (0..=SOON).contains(&left)
}

/// What is wrong with a text that is not a date.
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

/// What there is to say of an entry with so many days left, whose last day is written as `text`.
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
