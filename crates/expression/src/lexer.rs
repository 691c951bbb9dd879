//! Splits the text into tokens.
//!
//! One pass without backtracking: a string without an end takes the rest of the text. Foreign
//! syntax with a known meaning (`=`, single quotes, comments) is reported and read with that
//! meaning, so that the rest can be read too.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/values and …/operators, read 2026-11-20.
//! `\xHH` and octal escapes, and that a quote inside `[…]` does not end a regular expression, are
//! known from the published engine and not documented.

use std::net::IpAddr;

use ipnet::IpNet;

use crate::problem::{Problems, quoted};
use crate::syntax::{Connective, Operator, Span};
use crate::vocabulary::RAW_STRING_HASHES;

/// A token and its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// A name or keyword: letters, digits, `_` and `.`.
    Word,
    /// Other text without quotes.
    Bare,
    /// A number.
    Integer(i64),
    Address(IpAddr),
    Network(IpNet),
    /// Text.
    Bytes(Vec<u8>),
    /// The name of a list, after the dollar sign.
    List,
    /// A connective as a symbol, such as `&&`.
    Connective(Connective),
    /// `!`.
    Not,
    /// A comparison operator as a symbol.
    Operator(Operator),
    /// `(`.
    OpenParenthesis,
    /// `)`.
    CloseParenthesis,
    /// `{`.
    OpenBrace,
    /// `}`.
    CloseBrace,
    /// `[`.
    OpenBracket,
    /// `]`.
    CloseBracket,
    /// `,`.
    Comma,
    /// `..`.
    Range,
    /// `*` before a closing bracket.
    Star,
}

/// Splits a text into tokens.
pub(super) fn tokens(text: &str, problems: &mut Problems) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new(), problems, has_open_comment: false };
    while lexer.at < text.len() {
        lexer.next();
    }
    lexer.tokens
}

/// Returns the length of the expression with each gap between tokens reduced to one space.
///
/// # Units
/// Characters.
pub(super) fn length_on_one_line(text: &str, tokens: &[Token]) -> usize {
    let gaps = tokens.windows(2).filter(|pair| pair[0].span.end < pair[1].span.start).count();
    tokens.iter().map(|t| text[t.span.clone()].chars().count()).sum::<usize>() + gaps
}

/// The state of reading a text.
struct Lexer<'t> {
    /// The whole text.
    text: &'t str,
    /// The next byte.
    at: usize,
    /// The tokens so far.
    tokens: Vec<Token>,
    problems: &'t mut Problems,
    /// True if a `/*` is known to have no end, so that it is not searched for again.
    has_open_comment: bool,
}

/// Symbols of the language, and foreign ones that are understood; longer ones first.
#[rustfmt::skip]
const SYMBOLS: &[(&str, TokenKind, Option<&str>)] = &[
    ("===", TokenKind::Operator(Operator::Equal), Some("eq")),
    ("!==", TokenKind::Operator(Operator::NotEqual), Some("ne")),
    ("~*", TokenKind::Operator(Operator::Matches), Some("matches \"(?i)…\"")),
    ("≠", TokenKind::Operator(Operator::NotEqual), Some("ne")),
    ("≤", TokenKind::Operator(Operator::LessOrEqual), Some("le")),
    ("≥", TokenKind::Operator(Operator::GreaterOrEqual), Some("ge")),
    ("==", TokenKind::Operator(Operator::Equal), None),
    ("!=", TokenKind::Operator(Operator::NotEqual), None),
    ("<>", TokenKind::Operator(Operator::NotEqual), Some("ne")),
    ("=~", TokenKind::Operator(Operator::Matches), Some("matches")),
    ("!~", TokenKind::Operator(Operator::Matches), Some("not … matches")),
    ("=>", TokenKind::Operator(Operator::GreaterOrEqual), Some("ge")),
    ("=<", TokenKind::Operator(Operator::LessOrEqual), Some("le")),
    ("<=", TokenKind::Operator(Operator::LessOrEqual), None),
    (">=", TokenKind::Operator(Operator::GreaterOrEqual), None),
    ("&&", TokenKind::Connective(Connective::And), None),
    ("||", TokenKind::Connective(Connective::Or), None),
    ("^^", TokenKind::Connective(Connective::Xor), None),
    ("..", TokenKind::Range, None),
    ("=", TokenKind::Operator(Operator::Equal), Some("eq")),
    ("&", TokenKind::Connective(Connective::And), Some("and")),
    ("|", TokenKind::Connective(Connective::Or), Some("or")),
    ("^", TokenKind::Connective(Connective::Xor), Some("xor")),
    ("<", TokenKind::Operator(Operator::Less), None),
    (">", TokenKind::Operator(Operator::Greater), None),
    ("~", TokenKind::Operator(Operator::Matches), None),
    ("!", TokenKind::Not, None),
    ("(", TokenKind::OpenParenthesis, None),
    (")", TokenKind::CloseParenthesis, None),
    ("{", TokenKind::OpenBrace, None),
    ("}", TokenKind::CloseBrace, None),
    ("[", TokenKind::OpenBracket, None),
    ("]", TokenKind::CloseBracket, None),
    (",", TokenKind::Comma, None),
];

impl Lexer<'_> {
    /// Returns the text that has not been read.
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Adds a token that ends here.
    fn push(&mut self, kind: TokenKind, from: usize) {
        self.tokens.push(Token { kind, span: from..self.at });
    }

    /// Reads one token, gap or comment.
    fn next(&mut self) {
        let from = self.at;
        let text_left = &self.text[from..];
        let Some(first) = text_left.chars().next() else { return };
        match first {
            c if c.is_whitespace() => {
                self.at += text_left.find(|c: char| !c.is_whitespace()).unwrap_or(text_left.len())
            }
            '"' => self.string(from),
            'r' if is_raw_string(text_left) => self.raw_string(from),
            '\'' | '`' | '‘' | '’' => self.foreign_string(from, first, "'`‘’"),
            '“' | '”' | '„' | '«' | '»' | '＂' => {
                self.foreign_string(from, first, "“”»«＂\"")
            }
            '#' => self.comment(from, "#"),
            '/' if text_left.starts_with("//") => self.comment(from, "//"),
            '/' if text_left.starts_with("/*")
                && !self.has_open_comment
                && self.block_comment(from) => {}
            ';' => {
                self.at += 1;
                self.problems.error(
                    from..self.at,
                    "stray-character",
                    "`;` has no meaning here",
                    "remove it",
                );
            }
            '$' => {
                self.at += 1;
                self.skip_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
                self.push(TokenKind::List, from);
            }
            '*' if text_left[1..].trim_start().starts_with(']') => {
                self.at += 1;
                self.push(TokenKind::Star, from);
            }
            '-' if text_left[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.identifier_or_number(from)
            }
            ':' => self.identifier_or_number(from),
            c if c.is_alphanumeric() || c == '_' => self.identifier_or_number(from),
            _ => self.symbol_or_bare(from),
        }
    }

    /// Skips characters while a condition holds.
    fn skip_while(&mut self, holds: impl Fn(char) -> bool) {
        let text_left = self.rest();
        self.at += text_left.find(|c: char| !holds(c)).unwrap_or(text_left.len());
    }

    /// Reads a symbol, or other text.
    fn symbol_or_bare(&mut self, from: usize) {
        let text_left = &self.text[from..];
        if let Some((symbol, kind, instead)) =
            SYMBOLS.iter().find(|(symbol, ..)| text_left.starts_with(symbol))
        {
            self.at += symbol.len();
            if let Some(word) = instead {
                let message = format!("`{symbol}` is not an operator of the rules language");
                self.problems.error(
                    from..self.at,
                    "unknown-operator",
                    message,
                    format!("write `{word}`"),
                );
            }
            self.push(kind.clone(), from);
            return;
        }
        self.bare(from);
    }

    /// Reads text without quotes, up to a blank or bracket.
    fn bare(&mut self, from: usize) {
        self.skip_while(|c| !c.is_whitespace() && !"(){}[],\"".contains(c));
        self.push(TokenKind::Bare, from);
    }

    /// Reads a name, number or address.
    fn identifier_or_number(&mut self, from: usize) {
        let bytes = self.text.as_bytes();
        if bytes[self.at] == b'-' {
            self.at += 1;
        }
        let is_negative = self.at > from;
        let mut is_numeric = true;
        while let Some(c) = self.rest().chars().next() {
            let next_byte = bytes.get(self.at + c.len_utf8()).copied();
            // A slash belongs to a network only, and two dots are a range.
            let belongs = match c {
                '.' => next_byte != Some(b'.'),
                '/' => is_numeric && next_byte.is_some_and(|n| n.is_ascii_digit()),
                '-' => next_byte.is_some_and(|n| n.is_ascii_alphanumeric()),
                _ => c.is_alphanumeric() || matches!(c, '_' | ':'),
            };
            if !belongs {
                break;
            }
            is_numeric &= c.is_ascii_hexdigit() || matches!(c, '.' | ':' | '/');
            self.at += c.len_utf8();
        }
        let word = &self.text[from..self.at];
        let digits = word.strip_prefix('-').unwrap_or(word);
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            self.integer(from, digits);
        } else if let Ok(address) = word.parse::<IpAddr>() {
            self.push(TokenKind::Address(address), from);
        } else if let (true, Ok(network)) = (word.contains('/'), word.parse::<IpNet>()) {
            self.push(TokenKind::Network(network), from);
        } else if !is_negative && is_field_or_function(word) {
            self.push(TokenKind::Word, from);
        } else {
            self.bare(from);
        }
    }

    /// Reads a number.
    fn integer(&mut self, from: usize, digits: &str) {
        let word = &self.text[from..self.at];
        if digits.len() > 1 && digits.starts_with('0') {
            let decimal = digits.trim_start_matches('0');
            let decimal = if decimal.is_empty() { "0" } else { decimal };
            let help = format!("write `{decimal}`");
            self.problems.error(
                from..self.at,
                "leading-zero",
                format!("`{}` begins with a zero", quoted(word)),
                help,
            );
        }
        match word.parse() {
            Ok(number) => self.push(TokenKind::Integer(number), from),
            Err(_) => {
                let message = format!("`{}` does not fit into 64 bits", quoted(word));
                self.problems.error(
                    from..self.at,
                    "number-too-large",
                    message,
                    "write a smaller number",
                );
                self.push(TokenKind::Integer(i64::MAX), from);
            }
        }
    }

    /// Returns true if a regular expression is next.
    fn is_after_matches(&self) -> bool {
        self.tokens.last().is_some_and(|t| match t.kind {
            TokenKind::Operator(operator) => operator == Operator::Matches,
            TokenKind::Word => self.text[t.span.clone()].eq_ignore_ascii_case("matches"),
            _ => false,
        })
    }

    /// Reads a string in double quotes.
    fn string(&mut self, from: usize) {
        let is_regex = self.is_after_matches();
        self.at += 1;
        let mut value = Vec::new();
        let mut is_in_class = false;
        loop {
            let at = self.at;
            let Some(c) = self.rest().chars().next() else {
                self.unclosed(from, is_in_class);
                break;
            };
            self.at += c.len_utf8();
            match c {
                '"' if !is_in_class => break,
                '\\' if is_regex => {
                    let next_char = self.rest().chars().next();
                    self.at += next_char.map_or(0, char::len_utf8);
                    // Regular expressions keep their backslashes, except the one before a quote.
                    if next_char != Some('"') || is_in_class {
                        value.push(b'\\');
                    }
                    value.extend(next_char.map(String::from).unwrap_or_default().bytes());
                }
                '\\' => self.escape(at, &mut value),
                _ => {
                    is_in_class = is_regex && (c == '[' || is_in_class) && c != ']';
                    value.extend(c.encode_utf8(&mut [0; 4]).bytes());
                }
            }
        }
        self.push(TokenKind::Bytes(value), from);
    }

    /// Reads the character after a backslash in a string.
    fn escape(&mut self, from: usize, value: &mut Vec<u8>) {
        let text_left = self.rest();
        let number =
            |digits: Option<&str>, radix| digits.and_then(|d| u8::from_str_radix(d, radix).ok());
        let Some(c) = text_left.chars().next() else { return };
        if matches!(c, '"' | '\\') {
            self.at += 1;
            value.push(c as u8);
        } else if let (b'x', Some(byte)) =
            (text_left.as_bytes()[0], number(text_left.get(1..3), 16))
        {
            self.at += 3;
            value.push(byte);
        } else if let (true, Some(byte)) = (c.is_ascii_digit(), number(text_left.get(..3), 8)) {
            self.at += 3;
            value.push(byte);
        } else {
            self.at += c.len_utf8();
            value.push(b'\\');
            value.extend(c.encode_utf8(&mut [0; 4]).bytes());
            let message = format!("`\\{}` is not an escape sequence", quoted(&c.to_string()));
            let help = "write `\\\\` for a backslash, or use a raw string: `r\"…\"`";
            self.problems.error(from..self.at, "unknown-escape", message, help);
        }
    }

    /// Reads a raw string.
    fn raw_string(&mut self, from: usize) {
        let text_after = &self.text[from + 1..];
        let hashes = text_after.bytes().take_while(|b| *b == b'#').count();
        self.at = from + 1 + hashes + 1;
        if hashes > RAW_STRING_HASHES {
            let message = format!(
                "the raw string has {hashes} number signs; at most {RAW_STRING_HASHES} are allowed"
            );
            self.problems.error(from..self.at, "too-many-hashes", message, "use fewer");
        }
        let start = self.at;
        let end = format!("\"{}", "#".repeat(hashes));
        let Some(length) = self.rest().find(&end) else {
            self.at = self.text.len();
            self.problems.error(
                from..start,
                "unclosed-string",
                "the raw string has no end",
                format!("end it with `{}`", quoted(&end)),
            );
            self.push(TokenKind::Bytes(self.text.as_bytes()[start..].to_vec()), from);
            return;
        };
        self.at = start + length + end.len();
        self.push(TokenKind::Bytes(self.text.as_bytes()[start..start + length].to_vec()), from);
    }

    /// Reads a string in quotes of another language.
    fn foreign_string(&mut self, from: usize, quote: char, ends: &str) {
        self.at += quote.len_utf8();
        let start = self.at;
        let length = self.rest().find(|c| ends.contains(c)).unwrap_or(self.rest().len());
        self.at += length;
        let value = &self.text[start..self.at];
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
        let message = format!("text is written in double quotes, not in `{quote}`");
        let help = format!(
            "write `{}`",
            quoted(&format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")))
        );
        let code = if quote == '\'' || quote == '`' { "single-quotes" } else { "curly-quotes" };
        self.problems.error(from..self.at, code, message, help);
        self.push(TokenKind::Bytes(value.as_bytes().to_vec()), from);
    }

    /// Reports a string without an end, at its first line.
    fn unclosed(&mut self, from: usize, is_in_class: bool) {
        let line = self.text[from..].lines().next().map_or(0, str::len);
        let help = if is_in_class {
            "close the `[` in the regular expression: a quote inside the brackets does not end it; \
            or use a raw string: `r\"…\"`"
        } else if self.text[from..].trim_end().ends_with("\\\"") {
            "after a backslash a quote is part of the text; write `\\\\` for a backslash at the end"
        } else {
            "close it with `\"`"
        };
        self.problems.error(
            from..from + line,
            "unclosed-string",
            "the text has no closing quote",
            help,
        );
    }

    /// Reads a comment up to the end of the line.
    fn comment(&mut self, from: usize, sign: &str) {
        self.skip_while(|c| c != '\n');
        let message = format!("the rules language has no comments, so `{sign}` does not begin one");
        let help = "say it in the rule's `description`, or as a comment of the YAML outside of the \
            expression";
        self.problems.error(from..self.at, "comment", message, help);
    }

    /// Reads a comment between `/*` and `*/`. Returns false if it has no end.
    fn block_comment(&mut self, from: usize) -> bool {
        let Some(length) = self.rest()[2..].find("*/") else {
            self.has_open_comment = true;
            // The text is more likely a path with an asterisk.
            self.bare(from);
            return true;
        };
        self.at += length + 4;
        let help = "say it in the rule's `description`, or as a comment of the YAML outside of the \
            expression";
        self.problems.error(from..self.at, "comment", "the rules language has no comments", help);
        true
    }
}

/// Returns true if the text begins with `r`, number signs and a quote.
fn is_raw_string(text: &str) -> bool {
    text[1..].trim_start_matches('#').starts_with('"')
}

/// Returns true if a word can be the name of a field or function.
fn is_field_or_function(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a text without problems.
    fn good(text: &str) -> Vec<TokenKind> {
        let mut problems = Problems::default();
        let tokens = tokens(text, &mut problems);
        assert!(!problems.has_errors(), "{text}: {:?}", problems.finish());
        tokens.into_iter().map(|t| t.kind).collect()
    }

    /// The codes of the problems in a text.
    fn codes(text: &str) -> Vec<&'static str> {
        let mut problems = Problems::default();
        tokens(text, &mut problems);
        problems.finish().into_iter().map(|p| p.code).collect()
    }

    /// Text.
    fn bytes(text: &str) -> TokenKind {
        TokenKind::Bytes(text.as_bytes().to_vec())
    }

    #[test]
    fn strings_and_regular_expressions_escape_differently() {
        assert_eq!(good(r#""a\"b\\""#), [bytes(r#"a"b\"#)]);
        assert_eq!(good(r##"r#"a"\b"#"##), [bytes(r#"a"\b"#)]);
        assert_eq!(good(r#"matches "\.\"\\""#)[1], bytes(r#"\."\\"#));
        assert_eq!(good(r#"~ "[^"]x""#)[1], bytes(r#"[^"]x"#));
        assert_eq!(good(r#""\x41\102é""#), [bytes("ABé")]);
        assert_eq!(codes(r#""\d""#), ["unknown-escape"]);
    }

    #[test]
    fn numbers_addresses_and_ranges() {
        assert_eq!(good("1..5").len(), 3);
        assert_eq!(good("-3"), [TokenKind::Integer(-3)]);
        assert_eq!(good("192.0.2.1..192.0.2.9").len(), 3);
        assert_eq!(good("2001:db8::1..2001:db8::9").len(), 3);
        assert!(matches!(good("::1 2001:db8::/32 10.0.0.1/8")[2], TokenKind::Network(_)));
        assert_eq!(
            good("http.host example-site.com 1.2.3 abcd::x /a/b*")[1..],
            vec![TokenKind::Bare; 4]
        );
        assert_eq!(codes("010 99999999999999999999"), ["leading-zero", "number-too-large"]);
    }

    #[test]
    fn what_others_write_is_named() {
        assert_eq!(
            codes("a = 'b' & c <> “d”; # e"),
            [
                "unknown-operator",
                "single-quotes",
                "unknown-operator",
                "unknown-operator",
                "curly-quotes",
                "stray-character",
                "comment"
            ]
        );
        assert_eq!(codes("\"abc"), ["unclosed-string"]);
        assert_eq!(codes("r#\"abc\""), ["unclosed-string"]);
        assert_eq!(codes("a /* b */ c // d"), ["comment", "comment"]);
    }

    #[test]
    fn the_length_does_not_count_line_breaks() {
        let mut problems = Problems::default();
        let text = "  a  \n\n and\n  b(\"x  y\") ";
        assert_eq!(
            length_on_one_line(text, &tokens(text, &mut problems)),
            "a and b(\"x  y\")".len()
        );
    }
}
