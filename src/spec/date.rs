//! Calendar dates in a spec.

use jiff::civil::Date;

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day(Date);

impl Day {
    /// From `YYYY-MM-DD`; `None` if there is no such day in the Gregorian calendar.
    pub(super) fn parse(text: &str) -> Option<Self> {
        // The library reads other forms as well.
        let is_place = |(n, byte): (usize, u8)| if matches!(n, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
        let is_written_so = text.len() == "YYYY-MM-DD".len() && text.bytes().enumerate().all(is_place);
        text.parse().ok().filter(|_| is_written_so).map(Self)
    }

    /// The number of days until another day; negative if that day is earlier.
    pub(super) fn until(self, other: Self) -> i64 {
        self.0.duration_until(other.0).as_hours() / 24
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
