//! Regular expressions of rules, which are written for PCRE, over bytes.
//!
//! Patterns match as in libmodsecurity: `.` matches line feeds, `^` and `$` match at lines, classes
//! contain only ASCII. Most patterns are regular and run in linear time. The few with look-arounds,
//! back-references or possessive quantifiers backtrack, with a limit.

use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use super::limits::{BACKTRACKING_STEPS, PATTERN_BYTES};

/// A pattern, which is compiled at its first use: most rules of a set never use theirs, because
/// their literals do not occur.
#[derive(Debug)]
pub(super) struct Pattern {
    source: Vec<u8>,
    /// The pattern in the syntax of `regex`.
    translated: String,
    backtracks: bool,
    /// The pattern without all parts that only narrow the language; parsed for literals.
    relaxed: String,
    compiled: OnceLock<Option<Compiled>>,
}

#[derive(Debug)]
enum Compiled {
    Linear(regex::bytes::Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

/// Start and end of the whole match, then of each group.
pub(super) type Captures = Vec<Option<(usize, usize)>>;

/// The result of a pattern that exceeded its limit of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Undecided;

/// Compares only the translation, from which all other fields follow.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.translated == other.translated
    }
}

impl Eq for Pattern {}

impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.translated.hash(state);
    }
}

impl Pattern {
    /// Translates a pattern. The error names a part that is not supported.
    pub(super) fn new(source: &[u8], ignore_case: bool) -> Result<Self, String> {
        let mut translator = Translator::new(source);
        translator.run()?;
        let Translator { out, relaxed, backtracks, .. } = translator;
        let case = if ignore_case { "i" } else { "" };
        let relaxed = format!("(?sm{case}-u){relaxed}");
        let translated = if backtracks { format!("(?sm{case}){out}") } else { relaxed.clone() };
        let pattern = Self {
            source: source.to_vec(),
            translated,
            backtracks,
            relaxed,
            compiled: OnceLock::new(),
        };
        if pattern.backtracks && pattern.compiled().is_none() {
            return Err("the pattern cannot be compiled".to_owned());
        }
        Ok(pattern)
    }

    /// Returns the pattern as written.
    pub(super) fn source(&self) -> &[u8] {
        &self.source
    }

    /// Returns the parsed pattern, or one with a larger language if the pattern backtracks.
    pub(super) fn hir(&self) -> Result<regex_syntax::hir::Hir, String> {
        regex_syntax::ParserBuilder::new()
            .utf8(false)
            .nest_limit(500)
            .build()
            .parse(&self.relaxed)
            .map_err(|error| {
                let text = error.to_string();
                text.lines()
                    .last()
                    .unwrap_or("the pattern cannot be parsed")
                    .trim_start_matches("error: ")
                    .to_owned()
            })
    }

    fn compiled(&self) -> Option<&Compiled> {
        self.compiled
            .get_or_init(|| {
                if self.backtracks {
                    fancy_regex::RegexBuilder::new(&self.translated)
                        .backtrack_limit(BACKTRACKING_STEPS)
                        .delegate_size_limit(PATTERN_BYTES)
                        .build()
                        .ok()
                        .map(|regex| Compiled::Backtracking(Box::new(regex)))
                } else {
                    regex::bytes::RegexBuilder::new(&self.translated)
                        .size_limit(PATTERN_BYTES)
                        .dfa_size_limit(PATTERN_BYTES / 10)
                        .build()
                        .ok()
                        .map(Compiled::Linear)
                }
            })
            .as_ref()
    }

    /// Returns true if the pattern matches somewhere.
    pub(super) fn is_match(&self, text: &[u8]) -> Result<bool, Undecided> {
        match self.compiled().ok_or(Undecided)? {
            Compiled::Linear(regex) => Ok(regex.is_match(text)),
            Compiled::Backtracking(regex) => {
                regex.is_match(&as_latin1(text)).map_err(|_| Undecided)
            }
        }
    }

    /// Returns the first match with its groups.
    pub(super) fn captures(&self, text: &[u8]) -> Result<Option<Captures>, Undecided> {
        match self.compiled().ok_or(Undecided)? {
            Compiled::Linear(regex) => Ok(regex.captures(text).map(|found| {
                found.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect()
            })),
            Compiled::Backtracking(regex) => {
                let wide = as_latin1(text);
                // Each char represents one byte of the text, so positions are counted in chars.
                let place = |at: usize| wide[..at].chars().count();
                let groups_of_text = regex.captures(&wide).map_err(|_| Undecided)?;
                Ok(groups_of_text.map(|found| {
                    found
                        .iter()
                        .map(|group| group.map(|group| (place(group.start()), place(group.end()))))
                        .collect()
                }))
            }
        }
    }
}

/// Converts each byte to one char, because the backtracking engine supports only text.
fn as_latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

const DIGIT: &[(u8, u8)] = &[(b'0', b'9')];
const WORD: &[(u8, u8)] = &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')];
const SPACE: &[(u8, u8)] = &[(b'\t', b'\r'), (b' ', b' ')];
const HORIZONTAL: &[(u8, u8)] = &[(b'\t', b'\t'), (b' ', b' '), (0xA0, 0xA0)];
const VERTICAL: &[(u8, u8)] = &[(b'\n', b'\r'), (0x85, 0x85)];

/// The meaning of an escape sequence.
enum Escape {
    Byte(u8),
    Class(&'static [(u8, u8)], bool),
    Assertion(&'static str),
    Reference(String),
}

struct Translator<'a> {
    source: &'a [u8],
    at: usize,
    out: String,
    relaxed: String,
    backtracks: bool,
    /// For each open group: the length of `relaxed` before the group if the group is a look-around.
    groups: Vec<Option<usize>>,
}

impl<'a> Translator<'a> {
    fn new(source: &'a [u8]) -> Self {
        Self {
            source,
            at: 0,
            out: String::new(),
            relaxed: String::new(),
            backtracks: false,
            groups: Vec::new(),
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.at + ahead).copied()
    }

    fn starts_with(&self, text: &[u8]) -> bool {
        self.source[self.at..].starts_with(text)
    }

    fn emit(&mut self, text: &str) {
        self.out.push_str(text);
        self.relaxed.push_str(text);
    }

    fn emit_byte(&mut self, byte: u8) {
        let mut text = String::new();
        push_byte(&mut text, byte);
        self.emit(&text);
    }

    fn run(&mut self) -> Result<(), String> {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' if self.starts_with(br"\Q") => self.quoted(),
                b'\\' => match self.escape()? {
                    Escape::Byte(byte) => self.emit_byte(byte),
                    Escape::Class(ranges, negated) => {
                        let mut text = String::from("[");
                        push_ranges(&mut text, ranges, negated);
                        text.push(']');
                        self.emit(&text);
                    }
                    Escape::Assertion(text) => self.emit(text),
                    Escape::Reference(text) => {
                        self.backtracks = true;
                        self.out.push_str(&text);
                        self.relaxed.push_str("(?:.*)");
                    }
                },
                b'[' => self.class()?,
                b'(' => self.group()?,
                b')' => {
                    self.at += 1;
                    match self.groups.pop() {
                        Some(Some(length)) => {
                            self.relaxed.truncate(length);
                            self.relaxed.push_str("(?:)");
                            self.out.push(')');
                        }
                        _ => self.emit(")"),
                    }
                }
                b'*' | b'+' | b'?' => {
                    self.at += 1;
                    let text = char::from(byte).to_string();
                    self.quantifier(&text);
                }
                b'{' => match self.counted() {
                    Some(text) => self.quantifier(&text),
                    None => {
                        self.at += 1;
                        self.emit_byte(b'{');
                    }
                },
                b'.' | b'^' | b'$' | b'|' => {
                    self.at += 1;
                    let text = char::from(byte).to_string();
                    self.emit(&text);
                }
                other => {
                    self.at += 1;
                    self.emit_byte(other);
                }
            }
        }
        Ok(())
    }

    /// Reads `\Q…\E`.
    fn quoted(&mut self) {
        self.at += 2;
        while let Some(byte) = self.peek(0) {
            if self.starts_with(br"\E") {
                self.at += 2;
                return;
            }
            self.at += 1;
            self.emit_byte(byte);
        }
    }

    /// Emits a quantifier with its suffix: `?` for lazy, `+` for possessive.
    fn quantifier(&mut self, text: &str) {
        self.emit(text);
        match self.peek(0) {
            Some(b'?') => {
                self.at += 1;
                self.emit("?");
            }
            Some(b'+') => {
                self.at += 1;
                self.backtracks = true;
                self.out.push('+');
            }
            _ => {}
        }
    }

    /// Reads `{2}`, `{2,}` or `{2,5}`; every other brace is a literal in PCRE.
    fn counted(&mut self) -> Option<String> {
        let unread = &self.source[self.at + 1..];
        let end = unread.iter().position(|&byte| byte == b'}')?;
        let inner = std::str::from_utf8(&unread[..end]).ok()?;
        let (low, high) = inner.split_once(',').unwrap_or((inner, ""));
        let digits = |text: &str| text.len() <= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
        if low.is_empty() || !digits(low) || !digits(high) {
            return None;
        }
        self.at += end + 2;
        Some(format!("{{{inner}}}"))
    }

    fn group(&mut self) -> Result<(), String> {
        if self.starts_with(b"(*") {
            return Err("control verbs are not supported".to_owned());
        }
        if !self.starts_with(b"(?") {
            self.at += 1;
            self.groups.push(None);
            self.emit("(");
            return Ok(());
        }
        if self.starts_with(b"(?#") {
            while self.peek(0).is_some_and(|byte| byte != b')') {
                self.at += 1;
            }
            self.at += 1;
            return Ok(());
        }
        for opening in ["(?=", "(?!", "(?<=", "(?<!"] {
            if self.starts_with(opening.as_bytes()) {
                self.at += opening.len();
                self.groups.push(Some(self.relaxed.len()));
                self.backtracks = true;
                self.out.push_str(opening);
                self.relaxed.push_str("(?:");
                return Ok(());
            }
        }
        if self.starts_with(b"(?>") {
            self.at += 3;
            self.groups.push(None);
            self.backtracks = true;
            self.out.push_str("(?>");
            self.relaxed.push_str("(?:");
            return Ok(());
        }
        for opening in ["(?<", "(?P<", "(?'"] {
            if self.starts_with(opening.as_bytes()) {
                self.at += opening.len();
                while self.peek(0).is_some_and(|byte| byte != b'>' && byte != b'\'') {
                    self.at += 1;
                }
                self.at += 1;
                self.groups.push(None);
                self.emit("(");
                return Ok(());
            }
        }
        // Flags, for the rest of the group or for a group of their own.
        let start = self.at;
        self.at += 2;
        while self.peek(0).is_some_and(|byte| matches!(byte, b'i' | b's' | b'm' | b'-' | b'U')) {
            self.at += 1;
        }
        match self.peek(0) {
            Some(b':') => self.groups.push(None),
            Some(b')') => {}
            _ => return Err("a group begins with something unknown after `(?`".to_owned()),
        }
        self.at += 1;
        let text = String::from_utf8_lossy(&self.source[start..self.at]).into_owned();
        self.emit(&text);
        Ok(())
    }

    fn escape(&mut self) -> Result<Escape, String> {
        let Some(next) = self.peek(1) else {
            return Err("a backslash at the end escapes nothing".to_owned());
        };
        self.at += 2;
        Ok(match next {
            b'd' => Escape::Class(DIGIT, false),
            b'D' => Escape::Class(DIGIT, true),
            b'w' => Escape::Class(WORD, false),
            b'W' => Escape::Class(WORD, true),
            b's' => Escape::Class(SPACE, false),
            b'S' => Escape::Class(SPACE, true),
            b'h' => Escape::Class(HORIZONTAL, false),
            b'H' => Escape::Class(HORIZONTAL, true),
            b'v' => Escape::Class(VERTICAL, false),
            b'V' => Escape::Class(VERTICAL, true),
            b'R' => Escape::Class(VERTICAL, false),
            b'N' => Escape::Class(&[(b'\n', b'\n')], true),
            b'b' => Escape::Assertion(r"\b"),
            b'B' => Escape::Assertion(r"\B"),
            b'A' => Escape::Assertion(r"\A"),
            b'z' => Escape::Assertion(r"\z"),
            b'Z' => Escape::Assertion(r"(?:\n?\z)"),
            b'n' => Escape::Byte(b'\n'),
            b'r' => Escape::Byte(b'\r'),
            b't' => Escape::Byte(b'\t'),
            b'f' => Escape::Byte(0x0C),
            b'e' => Escape::Byte(0x1B),
            b'a' => Escape::Byte(0x07),
            b'x' => Escape::Byte(self.hexadecimal()?),
            b'0' => Escape::Byte(self.octal(2)),
            b'1'..=b'9' => Escape::Reference(format!(r"\{}", char::from(next))),
            other if other.is_ascii_alphabetic() => {
                return Err(format!(r"`\{}` is not supported", char::from(other)));
            }
            other => Escape::Byte(other),
        })
    }

    /// Reads the digits of `\x41` or `\x{41}`.
    fn hexadecimal(&mut self) -> Result<u8, String> {
        let braced = self.peek(0) == Some(b'{');
        if braced {
            self.at += 1;
        }
        let start = self.at;
        while self.peek(0).is_some_and(|byte| byte.is_ascii_hexdigit())
            && (braced || self.at - start < 2)
        {
            self.at += 1;
        }
        let digits = std::str::from_utf8(&self.source[start..self.at]).unwrap_or_default();
        let value = if digits.is_empty() { Ok(0) } else { u8::from_str_radix(digits, 16) };
        if braced {
            self.at += 1;
        }
        value.map_err(|_| format!(r"`\x{{{digits}}}` is not a byte"))
    }

    fn octal(&mut self, most: usize) -> u8 {
        let mut value = 0u8;
        for _ in 0..most {
            match self.peek(0) {
                Some(byte @ b'0'..=b'7') => {
                    value = value.wrapping_mul(8).wrapping_add(byte - b'0');
                    self.at += 1;
                }
                _ => break,
            }
        }
        value
    }

    /// Reads a bracketed class and writes out all of its members, since the two syntaxes have
    /// different special characters.
    fn class(&mut self) -> Result<(), String> {
        self.at += 1;
        let mut text = String::from("[");
        if self.peek(0) == Some(b'^') {
            self.at += 1;
            text.push('^');
        }
        let mut first = true;
        loop {
            let Some(byte) = self.peek(0) else {
                return Err("a class has no closing bracket".to_owned());
            };
            if byte == b']' && !first {
                self.at += 1;
                break;
            }
            first = false;
            if self.starts_with(b"[:") {
                let unread = &self.source[self.at..];
                if let Some(end) = unread.windows(2).position(|pair| pair == b":]") {
                    text.push_str(&String::from_utf8_lossy(&unread[..end + 2]));
                    self.at += end + 2;
                    continue;
                }
            }
            let low = match self.member()? {
                Escape::Byte(low) => low,
                Escape::Class(ranges, negated) => {
                    push_ranges(&mut text, ranges, negated);
                    continue;
                }
                _ => return Err("a class contains something unknown".to_owned()),
            };
            if self.peek(0) == Some(b'-') && self.peek(1).is_some_and(|next| next != b']') {
                let dash = self.at;
                self.at += 1;
                match self.member()? {
                    Escape::Byte(high) if low <= high => {
                        push_byte(&mut text, low);
                        text.push('-');
                        push_byte(&mut text, high);
                        continue;
                    }
                    Escape::Byte(_) => {
                        return Err("a range of a class ends before it begins".to_owned());
                    }
                    // `[a-\d]`: the hyphen is a member.
                    _ => self.at = dash,
                }
            }
            push_byte(&mut text, low);
        }
        text.push(']');
        self.emit(&text);
        Ok(())
    }

    fn member(&mut self) -> Result<Escape, String> {
        match self.peek(0) {
            Some(b'\\') => match self.peek(1) {
                Some(b'b') => {
                    self.at += 2;
                    Ok(Escape::Byte(0x08))
                }
                Some(b'1'..=b'7') => {
                    self.at += 1;
                    Ok(Escape::Byte(self.octal(3)))
                }
                _ => self.escape(),
            },
            Some(byte) => {
                self.at += 1;
                Ok(Escape::Byte(byte))
            }
            None => Err("a class has no closing bracket".to_owned()),
        }
    }
}

fn push_byte(text: &mut String, byte: u8) {
    if byte.is_ascii_alphanumeric() {
        text.push(char::from(byte));
    } else {
        // Writing to a `String` cannot fail.
        let _ = write!(text, r"\x{byte:02X}");
    }
}

fn push_ranges(text: &mut String, ranges: &[(u8, u8)], negated: bool) {
    let mut push = |low: u8, high: u8| {
        push_byte(text, low);
        text.push('-');
        push_byte(text, high);
    };
    if !negated {
        ranges.iter().for_each(|&(low, high)| push(low, high));
        return;
    }
    let mut gap_start = 0u16;
    for &(low, high) in ranges {
        if gap_start < u16::from(low) {
            push(gap_start as u8, low - 1);
        }
        gap_start = u16::from(high) + 1;
    }
    if gap_start <= 0xFF {
        push(gap_start as u8, 0xFF);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &[u8]) -> bool {
        Pattern::new(pattern.as_bytes(), false).unwrap().is_match(text).unwrap()
    }

    #[test]
    fn what_is_special_in_one_syntax_only_is_literal() {
        assert!(matches(r"[^[]&&[a]", b"x&&a"));
        assert!(matches(r"a{,2}", b"a{,2}"));
        assert!(matches(r"[]x]+$", b"]"));
        assert!(matches(r"\<b\>", b"<b>"));
        assert!(matches(r"[a-\d]", b"-"));
        assert!(matches(r"[~~&&--]", b"~"));
        assert!(matches(r"x\Q.*\E", b"x.*") && !matches(r"x\Q.*\E", b"xyy"));
    }

    #[test]
    fn bytes_are_bytes() {
        assert!(matches(r"^\W$", b"\xe9"));
        assert!(matches(r"^[^a]$", b"\xff"));
        assert!(matches(r"\x{e9}", b"caf\xe9"));
        assert!(matches("é", "é".as_bytes()));
        assert!(matches(r"a.b", b"a\nb"));
        assert!(matches(r"^b$", b"a\nb\nc"));
    }

    #[test]
    fn look_arounds_back_references_and_possessive_quantifiers_work() {
        assert!(matches(r"(?<!x)y", b"zy") && !matches(r"(?<!x)y", b"xy"));
        assert!(matches(r"\b(\w+)\b=\1", b"id=id") && !matches(r"^(\w+)=\1$", b"ab=cd"));
        assert!(!matches(r"^a*+a", b"aaa"));
        assert!(matches(r"(?=\xe9)\W", b"\xe9"));
    }

    #[test]
    fn an_exploding_pattern_is_undecided() {
        let pattern = Pattern::new(br"^(?=x)(?:(x+x+)+\1)+y$", false).unwrap();
        let mut text = vec![b'x'; 60];
        text.push(b'!');
        assert_eq!(pattern.is_match(&text), Err(Undecided));
    }

    #[test]
    fn places_of_groups_are_bytes() {
        for pattern in [r"\xe9(b)", r"(?=\xe9)\xe9(b)"] {
            let found = Pattern::new(pattern.as_bytes(), false)
                .unwrap()
                .captures(b"a\xe9b")
                .unwrap()
                .unwrap();
            assert_eq!(found, [Some((1, 3)), Some((2, 3))], "{pattern}");
        }
    }
}
