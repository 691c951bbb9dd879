//! Words of the presentation format (RFC 1035 section 5.1).

use super::DataError;
use crate::diagnostic::count;

/// Maximum octets in one character string (RFC 1035 section 3.3).
pub const STRING_OCTETS: usize = 255;

/// One word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PresentationToken {
    /// The octets, with escapes resolved.
    pub(super) octets: Vec<u8>,
    /// Byte offset in the text.
    pub(super) offset: usize,
    /// True if it was in quotes.
    pub(super) quoted: bool,
}

impl PresentationToken {
    /// Returns the word as text. Octets that are not UTF-8 become replacement characters, which no
    /// field accepts.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.octets).into_owned()
    }

    /// Parses a whole number up to `max`.
    ///
    /// # Errors
    /// The word is not a whole number, or is larger.
    pub(super) fn integer(&self, field: &'static str, max: u32) -> Result<u32, DataError> {
        integer(&self.text()).filter(|n| *n <= max).ok_or_else(|| {
            DataError::field(field, format!("`{}` is not a number for `{field}`", self.text()))
                .help(format!("write a number from 0 to {max}"))
                .at(self.offset)
        })
    }

    /// Parses a 16-bit number.
    ///
    /// # Errors
    /// The errors of [`PresentationToken::integer`].
    pub(super) fn u16(&self, field: &'static str) -> Result<u16, DataError> {
        self.integer(field, u32::from(u16::MAX)).map(|n| u16::try_from(n).unwrap_or(u16::MAX))
    }
}

/// Splits a text into words at blanks; a quoted word keeps its blanks.
///
/// # Errors
/// An unclosed quote, an incomplete escape, or text directly after a closing quote.
pub(super) fn tokens(text: &str) -> Result<Vec<PresentationToken>, DataError> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        let quoted = bytes[at] == b'"';
        if quoted {
            at += 1;
        }
        let mut octets = Vec::new();
        loop {
            match bytes.get(at) {
                None if quoted => {
                    return Err(DataError::whole("the quote is not closed")
                        .help("add the closing `\"`")
                        .at(start));
                }
                None => break,
                Some(b'"') if quoted => {
                    at += 1;
                    if bytes.get(at).is_some_and(|b| !b.is_ascii_whitespace()) {
                        return Err(DataError::whole(
                            "text follows a closing quote without a space",
                        )
                        .help("write a `\"` inside a quoted string as `\\\"`")
                        .at(at));
                    }
                    break;
                }
                Some(b'"') => {
                    return Err(DataError::whole("there is a quote in the middle of a word")
                        .help("quote the whole word, and write a `\"` inside it as `\\\"`")
                        .at(at));
                }
                Some(b) if !quoted && b.is_ascii_whitespace() => break,
                Some(b'\\') => {
                    let (octet, length) = read_escape(&bytes[at..]).map_err(|e| e.at(at))?;
                    octets.push(octet);
                    at += length;
                }
                Some(b) => {
                    octets.push(*b);
                    at += 1;
                }
            }
        }
        words.push(PresentationToken { octets, offset: start, quoted });
    }
    Ok(words)
}

/// Reads one escape, `\DDD` or `\X`. Returns the octet and the length of the escape.
fn read_escape(bytes: &[u8]) -> Result<(u8, usize), DataError> {
    match bytes.get(1) {
        None => Err(DataError::whole("a `\\` at the end escapes nothing")
            .help("write `\\\\` for a backslash")),
        Some(d) if d.is_ascii_digit() => {
            let digits = bytes.get(1..4).and_then(|d| std::str::from_utf8(d).ok());
            match digits
                .filter(|d| d.bytes().all(|b| b.is_ascii_digit()))
                .and_then(|d| d.parse::<u8>().ok())
            {
                Some(octet) => Ok((octet, 4)),
                None => Err(DataError::whole("an escape with digits is `\\DDD`, 000 to 255")
                    .help("write three digits, or `\\\\` for a backslash")),
            }
        }
        Some(octet) => Ok((*octet, 2)),
    }
}

/// Writes octets as one quoted string: `"` and `\` escaped, everything outside printable ASCII as
/// `\DDD`.
pub(super) fn quoted(octets: &[u8]) -> String {
    let mut text = String::with_capacity(octets.len() + 2);
    text.push('"');
    for octet in octets {
        match octet {
            b'"' | b'\\' => {
                text.push('\\');
                text.push(char::from(*octet));
            }
            0x20..=0x7e => text.push(char::from(*octet)),
            other => text.push_str(&format!("\\{other:03}")),
        }
    }
    text.push('"');
    text
}

/// Returns the text of a field without its surrounding quotes, which zone files allow.
pub(super) fn unquoted(text: &str) -> String {
    match text.starts_with('"').then(|| tokens(text)) {
        Some(Ok(words)) if words.len() == 1 => words[0].text(),
        _ => text.to_owned(),
    }
}

/// Parses a decimal number without a sign; `None` for any other text.
pub(super) fn integer(text: &str) -> Option<u32> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Parses a decimal number in units of its last place: with two places, `1`, `1.0` and `1.00` are
/// 100.
///
/// `None` for any text except digits with an optional leading `-` and an optional point among them,
/// and for more decimal places than `places`, unless these are zero.
pub(super) fn parse_decimal(text: &str, places: u8) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let places = usize::from(places);
    let (kept, beyond) = fraction.split_at(fraction.len().min(places));
    if beyond.bytes().any(|b| b != b'0') {
        return None;
    }
    let number: i64 = format!("{whole}{kept:0<places$}").parse().ok()?;
    Some(if negative { -number } else { number })
}

/// Writes a number given in units of its last place, with all its decimal places.
pub(super) fn fixed(number: i64, places: u8) -> String {
    let width = usize::from(places) + 1;
    let digits = format!("{:0width$}", number.unsigned_abs());
    let sign = if number < 0 { "-" } else { "" };
    match digits.split_at(digits.len() - usize::from(places)) {
        (whole, "") => format!("{sign}{whole}"),
        (whole, fraction) => format!("{sign}{whole}.{fraction}"),
    }
}

/// Splits a text into one word for each of the names.
pub(super) fn exactly<const N: usize>(
    text: &str,
    form: [&'static str; N],
) -> Result<[PresentationToken; N], DataError> {
    let words = tokens(text)?;
    let word_count = words.len();
    <[PresentationToken; N]>::try_from(words).map_err(|_| {
        DataError::whole(format!("{} where {N} are needed", count(word_count, "word")))
            .help(format!("write `{}`", form.join(" ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_escapes() {
        let octets =
            |text: &str| tokens(text).map(|w| w.into_iter().map(|w| w.octets).collect::<Vec<_>>());
        assert_eq!(
            octets(r#"  a "b c"  d"#).unwrap(),
            [b"a".to_vec(), b"b c".to_vec(), b"d".to_vec()]
        );
        assert_eq!(octets(r#""a\"b\\c\065" """#).unwrap(), [br#"a"b\cA"#.to_vec(), b"".to_vec()]);
        for (bad, offset) in [
            (r#"a "b"#, 2),
            (r#""a"b"#, 3),
            (r#"a"b""#, 1),
            (r"ab\", 2),
            (r"a\25", 1),
            (r"\256", 0),
        ] {
            assert_eq!(tokens(bad).unwrap_err().offset, Some(offset), "{bad}");
        }
    }

    #[test]
    fn quoting_is_the_inverse_of_words() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(tokens(&quoted(&all)).unwrap()[0].octets, all);
    }

    #[test]
    fn decimals_are_exact() {
        for (text, number) in [
            ("0", 0),
            ("1", 1000),
            ("1.5", 1500),
            ("-0.001", -1),
            ("59.9990", 59_999),
            ("007", 7000),
        ] {
            assert_eq!(parse_decimal(text, 3), Some(number), "{text}");
        }
        for bad in [
            "",
            "-",
            ".",
            "1.",
            ".5",
            "+1",
            "1e3",
            "0.0001",
            "1.2.3",
            "--1",
            "99999999999999999999",
            "١",
        ] {
            assert_eq!(parse_decimal(bad, 3), None, "{bad}");
        }
        assert_eq!(
            [fixed(-5, 2), fixed(0, 3), fixed(123_456, 2), fixed(7, 0)],
            ["-0.05", "0.000", "1234.56", "7"]
        );
    }

    #[test]
    fn integers_are_digits_only() {
        assert_eq!(integer("010"), Some(10));
        for bad in ["", "+1", "-1", "1.0", "0x1", "4294967296", " 1"] {
            assert_eq!(integer(bad), None, "{bad}");
        }
    }
}
