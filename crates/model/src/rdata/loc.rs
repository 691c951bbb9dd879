//! LOC records: a location on the earth.
//!
//! All numbers are whole: thousandths of arc seconds, and centimetres. Both content formats of
//! Cloudflare are read:
//!
//! | format | example |
//! |---|---|
//! | current | `37 46 46.000 N 122 23 35.000 W 0.00 100.00 0.00 0.00` |
//! | old | `IN LOC 31 58 52.1 S 115 49 11.7 E 20m 10m 10m 2m` |
//!
//! In text, minutes, seconds, size and precisions may be left out as in RFC 1876 section 3.

use super::super::facts::{FieldFacts, FieldKind, TypeFacts};
use super::super::fields::{Fields, Value};
use super::presentation::{PresentationToken, fixed, parse_decimal, tokens};
use super::{DataError, FieldReader, RecordData};

/// A location on the earth, and its precision.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loc {
    /// Thousandths of arc seconds; north is positive.
    latitude: i64,
    /// Thousandths of arc seconds; east is positive.
    longitude: i64,
    /// Centimetres above the ellipsoid.
    altitude: i64,
    /// Diameter of the object in centimetres.
    size: i64,
    /// Horizontal precision in centimetres.
    precision_horz: i64,
    /// Vertical precision in centimetres.
    precision_vert: i64,
}

/// Thousandths of arc seconds in a degree.
const DEGREE: i64 = 3_600_000;

/// Thousandths of arc seconds in a minute.
const MINUTE: i64 = 60_000;

/// Decimal places of seconds.
const SECOND_PLACES: u8 = 3;

/// Decimal places of metres.
const METRE_PLACES: u8 = 2;

/// Defaults of size and precisions if the text leaves them out, in centimetres (RFC 1876 section
/// 3).
const DEFAULTS: [i64; 3] = [100, 1_000_000, 1_000];

const fn seconds_field(name: &'static str) -> FieldFacts {
    let kind = FieldKind::Decimal { min: 0, max: 59_999, places: SECOND_PLACES };
    FieldFacts::data(name, kind, "0 to 59.999")
}

const fn metres(name: &'static str, min: i64, max: i64, about: &'static str) -> FieldFacts {
    FieldFacts::data(name, FieldKind::Decimal { min, max, places: METRE_PLACES }, about)
}

/// Names and limits of one of the two angles.
struct Angle {
    degrees: &'static str,
    minutes: &'static str,
    seconds: &'static str,
    direction: &'static str,
    max: u32,
    positive: &'static str,
    negative: &'static str,
}

const LATITUDE: Angle = Angle {
    degrees: "lat_degrees",
    minutes: "lat_minutes",
    seconds: "lat_seconds",
    direction: "lat_direction",
    max: 90,
    positive: "N",
    negative: "S",
};

const LONGITUDE: Angle = Angle {
    degrees: "long_degrees",
    minutes: "long_minutes",
    seconds: "long_seconds",
    direction: "long_direction",
    max: 180,
    positive: "E",
    negative: "W",
};

impl Angle {
    /// Composes an angle from its parts; zero is the same in both directions.
    fn compose(
        &self,
        degrees: u32,
        minutes: u32,
        thousandths: i64,
        direction: &str,
    ) -> Result<i64, DataError> {
        let size = i64::from(degrees) * DEGREE + i64::from(minutes) * MINUTE + thousandths;
        if size > i64::from(self.max) * DEGREE {
            return Err(DataError::field(
                self.degrees,
                format!("the angle is more than {} degrees", self.max),
            )
            .help(format!("write an angle up to {} degrees", self.max)));
        }
        Ok(if self.is_negative(direction)? { -size } else { size })
    }

    /// Returns true if the letter means the negative direction.
    fn is_negative(&self, direction: &str) -> Result<bool, DataError> {
        let (positive, negative) = (self.positive, self.negative);
        match direction.trim() {
            letter if letter.eq_ignore_ascii_case(positive) => Ok(false),
            letter if letter.eq_ignore_ascii_case(negative) => Ok(true),
            other => Err(DataError::field(
                self.direction,
                format!("`{other}` is not {positive} or {negative}"),
            )
            .help(format!("write {positive} or {negative}"))),
        }
    }

    /// Splits an angle into degrees, minutes, thousandths of seconds and the letter.
    fn parts(&self, angle: i64) -> (i64, i64, i64, &'static str) {
        let size = angle.abs();
        let letter = if angle < 0 { self.negative } else { self.positive };
        (size / DEGREE, size % DEGREE / MINUTE, size % MINUTE, letter)
    }

    /// Reads the angle from the fields.
    fn read(&self, reader: &mut FieldReader) -> Option<i64> {
        let numbers = (reader.integer(self.degrees, self.max), reader.integer(self.minutes, 59));
        let (seconds, direction) = (reader.decimal(self.seconds), reader.text(self.direction));
        let (degrees, minutes) = (numbers.0?, numbers.1?);
        reader.keep(self.compose(degrees, minutes, seconds?, &direction?))
    }

    /// Reads the angle at the beginning of a list of words, and removes these words.
    fn take(
        &self,
        words: &mut std::slice::Iter<'_, PresentationToken>,
        end: usize,
    ) -> Result<i64, DataError> {
        let missing = || {
            DataError::field(
                self.direction,
                format!("{} or {} is missing", self.positive, self.negative),
            )
            .help("write `51 30 12.748 N 0 7 39.611 W 0m`")
            .at(end)
        };
        let first = words.next().ok_or_else(missing)?;
        let degrees = first.integer(self.degrees, self.max)?;
        let (mut minutes, mut seconds) = (0, 0);
        for place in 0..3 {
            let word = words.next().ok_or_else(missing)?;
            let text = word.text();
            if place == 2 || text.starts_with(|c: char| c.is_ascii_alphabetic()) {
                let at = |e: DataError| {
                    let offset =
                        if e.field == Some(self.degrees) { first.offset } else { word.offset };
                    e.at(offset)
                };
                return self.compose(degrees, minutes, seconds, &text).map_err(at);
            }
            if place == 0 {
                minutes = word.integer(self.minutes, 59)?;
            } else {
                seconds = parse_decimal(&text, SECOND_PLACES)
                    .filter(|n| (0..=59_999).contains(n))
                    .ok_or_else(|| {
                        DataError::field(
                            self.seconds,
                            format!("`{text}` is not a number of seconds"),
                        )
                        .help("write a number from 0 to 59.999")
                        .at(word.offset)
                    })?;
            }
        }
        Err(missing())
    }
}

/// Parses a distance in metres, with or without `m`.
fn distance(name: &'static str, word: &PresentationToken) -> Result<i64, DataError> {
    let text = word.text();
    let bare = text.strip_suffix(['m', 'M']).unwrap_or(&text);
    let Some(FieldKind::Decimal { min, max, .. }) = Loc::FACTS.field(name).map(|f| f.kind) else {
        return Err(DataError::field(name, format!("`{name}` is not a distance")));
    };
    parse_decimal(bare, METRE_PLACES).filter(|n| (min..=max).contains(n)).ok_or_else(|| {
        let (min, max) = (fixed(min, METRE_PLACES), fixed(max, METRE_PLACES));
        DataError::field(name, format!("`{text}` is not a number of metres from {min} to {max}"))
            .help("write metres with at most two decimals, such as 10.00m")
            .at(word.offset)
    })
}

/// Writes a number, given in units of its last decimal place, as a field; as an integer if
/// possible.
fn decimal_value(units: i64, places: u8) -> Value {
    let text = fixed(units, places);
    match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|b| b == b'0') => {
            whole.parse().map_or_else(|_| Value::Decimal(text.clone()), Value::Integer)
        }
        _ => Value::Decimal(text.trim_end_matches('0').to_owned()),
    }
}

impl RecordData for Loc {
    const FACTS: TypeFacts = TypeFacts {
        name: "LOC",
        number: 29,
        about: "where a thing is on the earth",
        fields: &[
            FieldFacts::number("lat_degrees", 90, "0 to 90"),
            FieldFacts::number("lat_minutes", 59, "0 to 59"),
            seconds_field("lat_seconds"),
            FieldFacts::data("lat_direction", FieldKind::Choice(&["N", "S"]), "N or S"),
            FieldFacts::number("long_degrees", 180, "0 to 180"),
            FieldFacts::number("long_minutes", 59, "0 to 59"),
            seconds_field("long_seconds"),
            FieldFacts::data("long_direction", FieldKind::Choice(&["E", "W"]), "E or W"),
            metres(
                "altitude",
                -10_000_000,
                4_284_967_295,
                "metres above the reference ellipsoid, -100000 to 42849672.95",
            ),
            metres("size", 0, 9_000_000_000, "metres of diameter, 0 to 90000000"),
            metres(
                "precision_horz",
                0,
                9_000_000_000,
                "metres of horizontal precision, 0 to 90000000",
            ),
            metres(
                "precision_vert",
                0,
                9_000_000_000,
                "metres of vertical precision, 0 to 90000000",
            ),
        ],
        source: "RFC 1876",
        examples: &[
            "37 46 46.000 N 122 23 35.000 W 0.00 100.00 0.00 0.00",
            "31 58 52.100 S 115 49 11.700 E 20.00 10.00 10.00 2.00",
            "0 0 0.000 N 0 0 0.000 E -100000.00 1.00 10000.00 10.00",
        ],
        ..TypeFacts::BASE
    };

    fn from_fields(fields: &Fields) -> Result<Self, Vec<DataError>> {
        let mut reader = FieldReader::new(&Self::FACTS, fields);
        let angles = (LATITUDE.read(&mut reader), LONGITUDE.read(&mut reader));
        let upright = (reader.decimal("altitude"), reader.decimal("size"));
        let precisions = (reader.decimal("precision_horz"), reader.decimal("precision_vert"));
        let data = match (angles, upright, precisions) {
            (
                (Some(latitude), Some(longitude)),
                (Some(altitude), Some(size)),
                (Some(precision_horz), Some(precision_vert)),
            ) => Some(Self { latitude, longitude, altitude, size, precision_horz, precision_vert }),
            _ => None,
        };
        reader.finish(data)
    }

    fn from_text(text: &str) -> Result<Self, DataError> {
        let words_of_text = tokens(text)?;
        let is = |n: usize, name: &str| {
            words_of_text.get(n).is_some_and(|w| w.text().eq_ignore_ascii_case(name))
        };
        let skipped = match (is(0, "IN"), is(0, "LOC"), is(1, "LOC")) {
            (true, _, true) => 2,
            (_, true, _) => 1,
            _ => 0,
        };
        let mut words = words_of_text[skipped..].iter();
        let latitude = LATITUDE.take(&mut words, text.len())?;
        let longitude = LONGITUDE.take(&mut words, text.len())?;
        let altitude = words.next().ok_or_else(|| {
            DataError::field("altitude", "the altitude is missing")
                .help("write it in metres, such as 0m")
                .at(text.len())
        })?;
        let altitude = distance("altitude", altitude)?;
        let mut sizes = DEFAULTS;
        for (name, value) in
            ["size", "precision_horz", "precision_vert"].into_iter().zip(&mut sizes)
        {
            if let Some(word) = words.next() {
                *value = distance(name, word)?;
            }
        }
        if let Some(word) = words.next() {
            return Err(DataError::whole(format!("`{}` is one word too many", word.text()))
                .help(
                    "write `LATITUDE LONGITUDE ALTITUDE SIZE HORIZONTAL-PRECISION \
                    VERTICAL-PRECISION`",
                )
                .at(word.offset));
        }
        let [size, precision_horz, precision_vert] = sizes;
        Ok(Self { latitude, longitude, altitude, size, precision_horz, precision_vert })
    }

    fn fields(&self) -> Fields {
        let mut fields = Fields::new();
        for (angle, value) in [(LATITUDE, self.latitude), (LONGITUDE, self.longitude)] {
            let (degrees, minutes, seconds, letter) = angle.parts(value);
            fields.insert(angle.degrees.to_owned(), Value::Integer(degrees));
            fields.insert(angle.minutes.to_owned(), Value::Integer(minutes));
            fields.insert(angle.seconds.to_owned(), decimal_value(seconds, SECOND_PLACES));
            fields.insert(angle.direction.to_owned(), Value::from(letter));
        }
        for (name, value) in [
            ("altitude", self.altitude),
            ("size", self.size),
            ("precision_horz", self.precision_horz),
            ("precision_vert", self.precision_vert),
        ] {
            fields.insert(name.to_owned(), decimal_value(value, METRE_PLACES));
        }
        fields
    }

    fn presentation(&self) -> String {
        let angle = |angle: Angle, value: i64| {
            let (degrees, minutes, seconds, letter) = angle.parts(value);
            format!("{degrees} {minutes} {} {letter}", fixed(seconds, SECOND_PLACES))
        };
        let metres = [self.altitude, self.size, self.precision_horz, self.precision_vert];
        let metres = metres.map(|n| fixed(n, METRE_PLACES)).join(" ");
        format!("{} {} {metres}", angle(LATITUDE, self.latitude), angle(LONGITUDE, self.longitude))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_left_out() {
        let full = Loc::from_text("42 0 0 N 71 6 0 W -24.00 1.00 10000.00 10.00").unwrap();
        for text in [
            "42 N 71 6 W -24m",
            "42 00 n 71 06 w -24",
            "IN LOC 42 0 0.000 N 71 6 0 W -24m 1m 10000m",
            "loc 42 N 71 6 W -24.0M",
        ] {
            assert_eq!(Loc::from_text(text).as_ref(), Ok(&full), "{text}");
        }
        assert_eq!(Loc::from_text("0 S 0 W 0"), Loc::from_text("0 N 0 E -0.00m"));
        assert_ne!(Loc::from_text("1 S 0 W 0"), Loc::from_text("1 N 0 E 0"));
    }

    #[test]
    fn mistakes_and_their_places() {
        for (bad, field, at) in [
            ("", Some("lat_direction"), 0),
            ("42", Some("lat_direction"), 2),
            ("91 N 0 E 0m", Some("lat_degrees"), 0),
            ("90 0 0.001 N 0 E 0m", Some("lat_degrees"), 0),
            ("42 60 N 0 E 0m", Some("lat_minutes"), 3),
            ("42 0 60 N 0 E 0m", Some("lat_seconds"), 5),
            ("42 0 0.0001 N 0 E 0m", Some("lat_seconds"), 5),
            ("42 E 0 E 0m", Some("lat_direction"), 3),
            ("42 0 0 0 N 0 E 0m", Some("lat_direction"), 7),
            ("42 N 0 E", Some("altitude"), 8),
            ("42 N 0 E 1km", Some("altitude"), 9),
            ("42 N 0 E 0m 1.005m", Some("size"), 12),
            ("42 N 0 E 0m 1m 1m 1m 1m", None, 21),
        ] {
            let error = Loc::from_text(bad).unwrap_err();
            assert_eq!((error.field, error.offset), (field, Some(at)), "{bad}: {error}");
        }
    }

    #[test]
    fn numbers_are_whole_where_they_can_be() {
        let fields =
            Loc::from_text("31 58 52.1 S 115 49 11.7 E 20.5m 10m 10m 2m").unwrap().fields();
        assert_eq!(fields["lat_seconds"], Value::Decimal("52.1".into()));
        assert_eq!(fields["altitude"], Value::Decimal("20.5".into()));
        assert_eq!(fields["size"], Value::Integer(10));
    }
}
