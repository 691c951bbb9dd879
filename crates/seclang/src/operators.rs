//! The operators of rules, which compare a value with a parameter.

use std::net::IpAddr;

use aho_corasick::AhoCorasick;
use ipnet::IpNet;

use super::limits::PHRASE_BYTES;
use super::macros::TextWithMacros;
use super::pattern::Pattern;

/// A comparison of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Eq,
    Ge,
    Gt,
    Le,
    Lt,
}

/// A comparison of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextComparison {
    BeginsWith,
    Contains,
    ContainsWord,
    EndsWith,
    StrEq,
    Within,
}

/// An operator with its parameter.
#[derive(Debug)]
pub(super) enum Operator {
    Rx(Pattern),
    /// A pattern that contains a macro and is compiled at each use.
    RxWithMacros(TextWithMacros),
    Pm(Box<AhoCorasick>, Vec<Vec<u8>>),
    Number(Comparison, TextWithMacros),
    Text(TextComparison, TextWithMacros),
    IpMatch(Vec<IpNet>),
    DetectSqli,
    DetectXss,
    ValidateByteRange(Box<[bool; 256]>),
    ValidateUrlEncoding,
    ValidateUtf8Encoding,
    Always,
    Never,
}

impl Operator {
    /// Parses the name and the parameter. `file` returns the content of a data file of the set.
    pub(super) fn parse(
        name: &str,
        parameter: &str,
        file: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Self, String> {
        let number = |comparison| {
            TextWithMacros::parse(parameter).map(|text| Self::Number(comparison, text))
        };
        let text =
            |comparison| TextWithMacros::parse(parameter).map(|text| Self::Text(comparison, text));
        match name.to_ascii_lowercase().as_str() {
            "rx" | "rxglobal" if parameter.contains("%{") => {
                TextWithMacros::parse(parameter).map(Self::RxWithMacros)
            }
            "rx" | "rxglobal" if parameter.is_empty() => Ok(Self::Always),
            "rx" | "rxglobal" => Pattern::new(parameter.as_bytes(), false).map(Self::Rx),
            "pm" => {
                Self::phrases(phrases(parameter).split(u8::is_ascii_whitespace).map(<[u8]>::to_vec))
            }
            "pmf" | "pmfromfile" => {
                let mut word_list = Vec::new();
                for name in parameter.split_ascii_whitespace() {
                    word_list.extend(phrase_lines(&read_data_file(name, file)?));
                }
                Self::phrases(word_list)
            }
            "ipmatch" => parse_networks(parameter.split(',')),
            "ipmatchf" | "ipmatchfromfile" => {
                let content = read_data_file(parameter.trim(), file)?;
                let lines = phrase_lines(&content);
                parse_networks(
                    lines.iter().map(|line| std::str::from_utf8(line).unwrap_or_default()),
                )
            }
            "eq" => number(Comparison::Eq),
            "ge" => number(Comparison::Ge),
            "gt" => number(Comparison::Gt),
            "le" => number(Comparison::Le),
            "lt" => number(Comparison::Lt),
            "beginswith" => text(TextComparison::BeginsWith),
            "contains" | "strmatch" => text(TextComparison::Contains),
            "containsword" => text(TextComparison::ContainsWord),
            "endswith" => text(TextComparison::EndsWith),
            "streq" => text(TextComparison::StrEq),
            "within" => text(TextComparison::Within),
            "detectsqli" => Ok(Self::DetectSqli),
            "detectxss" => Ok(Self::DetectXss),
            "validatebyterange" => byte_range(parameter),
            "validateurlencoding" => Ok(Self::ValidateUrlEncoding),
            "validateutf8encoding" => Ok(Self::ValidateUtf8Encoding),
            "unconditionalmatch" => Ok(Self::Always),
            // These operators need a resolver, a database or a program, which are not available. So
            // they never match.
            "nomatch" | "rbl" | "geolookup" | "gsblookup" | "inspectfile" | "fuzzyhash" => {
                Ok(Self::Never)
            }
            _ => Err(format!("the operator `@{name}` is unknown")),
        }
    }

    fn phrases(phrases: impl IntoIterator<Item = Vec<u8>>) -> Result<Self, String> {
        let phrases: Vec<Vec<u8>> =
            phrases.into_iter().filter(|phrase| !phrase.is_empty()).collect();
        if phrases.iter().map(Vec::len).sum::<usize>() > PHRASE_BYTES {
            return Err(format!("the phrases have more than {} KiB", PHRASE_BYTES >> 10));
        }
        // The phrase that ends first decides, so the order of the phrases does not matter.
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(&phrases)
            .map_err(|error| error.to_string())?;
        Ok(Self::Pm(Box::new(automaton), phrases))
    }
}

fn read_data_file(name: &str, file: &dyn Fn(&str) -> Option<Vec<u8>>) -> Result<Vec<u8>, String> {
    file(name).ok_or_else(|| format!("the data file `{name}` is missing"))
}

/// Returns the lines of a data file, without comments and empty lines. Spaces belong to the
/// phrases.
fn phrase_lines(content: &[u8]) -> Vec<Vec<u8>> {
    content
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| {
            !line.trim_ascii_start().is_empty() && !line.trim_ascii_start().starts_with(b"#")
        })
        .map(<[u8]>::to_vec)
        .collect()
}

/// Decodes `|41 42|` and `\;` in the parameter of `pm`. Malformed text is kept unchanged.
fn phrases(parameter: &str) -> Vec<u8> {
    let trimmed = parameter.trim_start_matches([' ', '\t']);
    let trimmed =
        trimmed.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(trimmed);
    let mut out = Vec::new();
    let mut bytes = trimmed.bytes();
    let mut hexadecimal = false;
    let mut pending = None;
    while let Some(byte) = bytes.next() {
        match byte {
            b'|' => hexadecimal = !hexadecimal,
            _ if hexadecimal => match (pending.take(), char::from(byte).to_digit(16)) {
                (None, Some(high)) => pending = Some(high),
                (Some(high), Some(low)) => out.push((high * 16 + low) as u8),
                _ => return parameter.as_bytes().to_vec(),
            },
            b'\\' => match bytes.next() {
                Some(escaped @ (b':' | b';' | b'\\' | b'"')) => out.push(escaped),
                _ => return parameter.as_bytes().to_vec(),
            },
            other => out.push(other),
        }
    }
    out
}

fn parse_networks<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Operator, String> {
    texts
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(|text| {
            text.parse::<IpNet>()
                .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
                .map_err(|_| format!("`{text}` is not an address and not a network"))
        })
        .collect::<Result<_, _>>()
        .map(Operator::IpMatch)
}

fn byte_range(parameter: &str) -> Result<Operator, String> {
    let mut allowed = Box::new([false; 256]);
    for range in parameter.split(',').map(str::trim) {
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        match (low.trim().parse::<u8>(), high.trim().parse::<u8>()) {
            (Ok(low), Ok(high)) if low <= high => {
                allowed[usize::from(low)..=usize::from(high)].fill(true)
            }
            _ => return Err(format!("`{range}` is not a range of bytes")),
        }
    }
    Ok(Operator::ValidateByteRange(allowed))
}

/// Returns the number at the beginning of a text, as C reads it; 0 if there is none.
pub(super) fn leading_number(text: &[u8]) -> i64 {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let mut value = 0i64;
    for byte in digits.iter().take_while(|byte| byte.is_ascii_digit()) {
        value = value * 10 + i64::from(byte - b'0');
        // In C, a number larger than an `int` is an error, and counts as 0.
        if value > i64::from(i32::MAX) {
            return 0;
        }
    }
    if negative { -value } else { value }
}

impl Comparison {
    pub(super) fn holds(self, value: i64, parameter: i64) -> bool {
        match self {
            Self::Eq => value == parameter,
            Self::Ge => value >= parameter,
            Self::Gt => value > parameter,
            Self::Le => value <= parameter,
            Self::Lt => value < parameter,
        }
    }
}

impl TextComparison {
    pub(super) fn holds(self, value: &[u8], parameter: &[u8]) -> bool {
        match self {
            Self::BeginsWith => value.starts_with(parameter),
            Self::Contains => contains(value, parameter),
            Self::ContainsWord => contains_word(value, parameter),
            Self::EndsWith => value.ends_with(parameter),
            Self::StrEq => value == parameter,
            Self::Within => contains(parameter, value),
        }
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}

fn contains_word(text: &[u8], word: &[u8]) -> bool {
    let outside =
        |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    word.is_empty()
        || memchr::memmem::find_iter(text, word).any(|at| {
            outside(at.checked_sub(1).and_then(|before| text.get(before)))
                && outside(text.get(at + word.len()))
        })
}

/// Returns true if a percent sign is not followed by two hexadecimal digits.
pub(super) fn url_encoding_is_broken(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(percent) = memchr::memchr(b'%', &text[at..]) {
        let digits = text.get(at + percent + 1..at + percent + 3);
        if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
            return true;
        }
        at += percent + 3;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_c_does() {
        assert_eq!(
            [
                leading_number(b" 12x"),
                leading_number(b"-3"),
                leading_number(b"x"),
                leading_number(b""),
                leading_number(b"99999999999")
            ],
            [12, -3, 0, 0, 0]
        );
    }

    #[test]
    fn phrases_may_be_bytes() {
        assert_eq!(phrases("a |42 43| d\\;"), b"a |42 43| d\\;", "a blank is no digit");
        assert_eq!(phrases("a|4243|\\;"), b"aBC;");
    }

    #[test]
    fn url_encoding() {
        assert!(url_encoding_is_broken(b"a%4") && url_encoding_is_broken(b"%zz"));
        assert!(!url_encoding_is_broken(b"a%41b%2F") && !url_encoding_is_broken(b""));
    }

    #[test]
    fn words_are_whole() {
        assert!(TextComparison::ContainsWord.holds(b"a or b", b"or"));
        assert!(!TextComparison::ContainsWord.holds(b"word", b"or"));
        assert!(TextComparison::Within.holds(b"", b"GET POST"));
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let none = |_: &str| None;
        assert!(
            Operator::parse("pmFromFile", "a.data", &none)
                .unwrap_err()
                .contains("`a.data` is missing")
        );
        assert!(Operator::parse("frobnicate", "", &none).unwrap_err().contains("@frobnicate"));
        assert!(Operator::parse("validateByteRange", "1-300", &none).is_err());
        assert!(Operator::parse("ipMatch", "192.0.2.0/24,2001:db8::1", &none).is_ok());
    }
}
