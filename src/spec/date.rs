//! Calendar dates in a spec.

/// A day, as the number of days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day(i64);

impl Day {
    /// From `YYYY-MM-DD`; `None` if there is no such day in the Gregorian calendar.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = |range: std::ops::Range<usize>| {
            text.get(range).filter(|t| t.bytes().all(|b| b.is_ascii_digit())).and_then(|t| t.parse::<i64>().ok())
        };
        let separators = text.len() == 10 && text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
        let (Some(year), Some(month), Some(day), true) = (digits(0..4), digits(5..7), digits(8..10), separators) else {
            return None;
        };
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let before = usize::try_from(month).ok()?.checked_sub(1)?;
        if !(1..=*lengths.get(before)?).contains(&day) {
            return None;
        }
        // Leap days of all earlier years, as if the Gregorian calendar had always been in use (proleptic).
        let leaps = |year: i64| (year - 1).div_euclid(4) - (year - 1).div_euclid(100) + (year - 1).div_euclid(400);
        let in_year: i64 = lengths[..before].iter().sum();
        Some(Self((year - 1970) * 365 + leaps(year) - leaps(1970) + in_year + day - 1))
    }

    /// The number of days until another day; negative if that day is earlier.
    pub(super) fn until(self, other: Self) -> i64 {
        other.0 - self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            assert!(Day::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn days_are_counted() {
        let until = |a: &str, b: &str| Day::parse(a).unwrap().until(Day::parse(b).unwrap());
        assert_eq!(Day::parse("1970-01-01"), Some(Day(0)));
        assert_eq!(until("1970-01-01", "2000-03-01"), 11_017);
        assert_eq!(until("2028-02-28", "2028-03-01"), 2);
        assert_eq!(until("2027-02-28", "2027-03-01"), 1);
        assert_eq!(until("2027-03-01", "2027-02-28"), -1);
        assert_eq!(until("2026-12-31", "2027-01-01"), 1);
    }
}
