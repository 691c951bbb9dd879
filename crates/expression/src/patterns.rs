//! Checks regular expressions and wildcards: that they are valid, and that they mean what was
//! probably intended.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/operators (wildcard matching; regular
//! expressions are Rust's), read 2026-11-20. The size of a regular expression: the settings of the
//! public engine, read 2026-11-27.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind, Look};

use crate::canonical;
use crate::checked_expression::Check;
use crate::problem::quoted;
use crate::syntax::{ComparedValue, Comparison, Literal, Operator, Span};

/// Common ends of host and file names. A dot before one is probably meant literally.
const ENDS: &[&str] = &[
    "com", "net", "org", "io", "dev", "app", "de", "uk", "eu", "fr", "php", "asp", "aspx", "jsp",
    "html", "htm", "js", "json", "css", "xml", "env", "git", "txt", "example", "local",
];

/// Maximum size of a compiled regular expression in the engine, in bytes.
const ENGINE_BYTES: usize = 2 << 20;

pub(super) fn check(check: &mut Check<'_>, comparison: &Comparison) {
    let ComparedValue::Literal(Literal::Bytes(bytes)) = &comparison.right else { return };
    let pattern = String::from_utf8_lossy(bytes);
    let span = &comparison.right_span;
    match comparison.operator {
        Operator::Matches => {
            let Some(hir) = regex(check, &pattern, span) else { return };
            let left_text = check.shown(&comparison.left.span);
            if let Some(help) = plainer(&hir, &left_text) {
                let message = format!("the regular expression `{}` is only text", quoted(&pattern));
                check.problems.warning(span.clone(), "literal-regex", message, help);
            }
            unescaped_dot(check, comparison, &pattern);
        }
        Operator::Wildcard | Operator::StrictWildcard => {
            wildcard(check, &pattern, span);
            if comparison.operator == Operator::StrictWildcard && !pattern.contains(['*', '\\']) {
                let left_text = check.shown(&comparison.left.span);
                let message = format!("`{}` has no `*`", quoted(&pattern));
                let help = format!("write `{left_text} eq {}`", check.shown(span));
                check.problems.warning(span.clone(), "wildcard-without-asterisk", message, help);
            }
        }
        Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::LessOrEqual
        | Operator::Greater
        | Operator::GreaterOrEqual
        | Operator::Contains
        | Operator::In => {}
    }
}

/// Parses a regular expression, if it is valid.
pub(super) fn regex(check: &mut Check<'_>, pattern: &str, span: &Span) -> Option<Hir> {
    let error = match ParserBuilder::new().utf8(false).nest_limit(50).build().parse(pattern) {
        Ok(hir) if is_small(pattern) => return Some(hir),
        Ok(_) => {
            let message =
                format!("the regular expression `{}` is too large when compiled", quoted(pattern));
            let help = "repeat a part less often, or write a shorter alternative";
            check.problems.error(span.clone(), "regex-too-large", message, help);
            return None;
        }
        Err(error) => error,
    };
    use regex_syntax::ast::ErrorKind;
    let (kind, help) = match &error {
        regex_syntax::Error::Parse(error) => {
            let help = match error.kind() {
                ErrorKind::UnsupportedLookAround => {
                    "Rust's regular expressions have no look-around: add a condition instead"
                }
                ErrorKind::UnsupportedBackreference => {
                    "Rust's regular expressions have no back-references: write each alternative out"
                }
                _ => {
                    "the syntax of regular expressions is Rust's: docs.rs/regex; `r\"…\"` keeps \
                    every backslash"
                }
            };
            (error.kind().to_string(), help)
        }
        regex_syntax::Error::Translate(error) => {
            (error.kind().to_string(), "the syntax of regular expressions is Rust's: docs.rs/regex")
        }
        _ => (error.to_string(), "the syntax of regular expressions is Rust's: docs.rs/regex"),
    };
    let message = format!("the regular expression `{}` cannot be read: {kind}", quoted(pattern));
    check.problems.error(span.clone(), "bad-regex", message, help);
    None
}

/// Returns true if the engine compiles a regular expression, as far as its size matters.
fn is_small(pattern: &str) -> bool {
    let compiled =
        regex::bytes::RegexBuilder::new(pattern).unicode(false).size_limit(ENGINE_BYTES).build();
    !matches!(compiled, Err(regex::Error::CompiledTooBig(_)))
}

/// Returns the replacement for a regular expression that is only literal text.
fn plainer(hir: &Hir, left: &str) -> Option<String> {
    let parts = match hir.kind() {
        HirKind::Literal(_) => std::slice::from_ref(hir),
        HirKind::Concat(parts) => parts.as_slice(),
        _ => return None,
    };
    let mut text: Option<&[u8]> = None;
    let (mut starts, mut ends) = (false, false);
    for part in parts {
        match part.kind() {
            HirKind::Look(Look::Start) if text.is_none() => starts = true,
            HirKind::Look(Look::End) if text.is_some() => ends = true,
            HirKind::Literal(literal) if text.is_none() => text = Some(&literal.0),
            _ => return None,
        }
    }
    let text = quoted(&canonical::quoted(text?));
    Some(match (starts, ends) {
        (true, true) => format!("write `{left} eq {text}`"),
        (true, false) => format!("write `starts_with({left}, {text})`"),
        (false, true) => format!("write `ends_with({left}, {text})`"),
        (false, false) => format!("write `{left} contains {text}`"),
    })
}

/// Warns about an unescaped dot in a pattern that seems to mean a host or file name.
fn unescaped_dot(check: &mut Check<'_>, comparison: &Comparison, pattern: &str) {
    let is_host = comparison.left.plain_field() == Some("http.host");
    let bytes = pattern.as_bytes();
    let mut at = 0;
    let mut is_in_class = false;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => is_in_class = true,
            b']' => is_in_class = false,
            b'.' if !is_in_class
                && at > 0
                && (bytes[at - 1].is_ascii_alphanumeric()
                    || matches!(bytes[at - 1], b'/' | b')' | b']')) =>
            {
                let text_after = &pattern[at + 1..];
                let word =
                    &text_after[..text_after.bytes().take_while(u8::is_ascii_alphanumeric).count()];
                if ENDS.contains(&word) || is_host && !word.is_empty() {
                    let message =
                        format!("in `{}` the `.` stands for any character", quoted(pattern));
                    let help = format!(
                        "write `\\.{word}` for the character itself, or `.` with a count such as \
                        `.*`"
                    );
                    check.problems.warning(
                        comparison.right_span.clone(),
                        "unescaped-dot",
                        message,
                        help,
                    );
                    return;
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Checks a wildcard pattern: the characters after an asterisk or a backslash.
pub(super) fn wildcard(check: &mut Check<'_>, pattern: &str, span: &Span) {
    let mut characters = pattern.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, characters.peek()) {
            ('\\', Some('*' | '\\')) => {
                characters.next();
            }
            ('\\', _) => {
                let message = format!(
                    "a `\\` in the pattern `{}` is before neither `*` nor `\\`",
                    quoted(pattern)
                );
                let help = "write `\\\\` for a backslash, in a raw string: `r\"…\"`";
                check.problems.error(span.clone(), "bad-wildcard", message, help);
                return;
            }
            ('*', Some('*')) => {
                let message = format!("the pattern `{}` has two `*` in a row", quoted(pattern));
                let help = "write one `*`; it stands for slashes too";
                check.problems.error(span.clone(), "bad-wildcard", message, help);
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::expression::codes;

    #[test]
    fn counted_dots_and_classes_are_no_slips() {
        for fine in ["a.*com", "a.+", "[.]com+", r"a\.com+", "a.{2}com", "(?i)a"] {
            assert_eq!(codes(&format!("http.user_agent matches r\"{fine}\"")), [""; 0], "{fine}");
        }
        assert_eq!(codes(r#"http.user_agent matches "x.com|y+""#), ["unescaped-dot"]);
        assert_eq!(codes(r#"http.host matches "x.y+""#), ["unescaped-dot"]);
    }

    #[test]
    fn wildcards_escape_asterisks() {
        assert_eq!(codes(r#"http.user_agent wildcard r"a\*\\*""#), [""; 0]);
        assert_eq!(codes(r#"http.user_agent wildcard r"a**""#), ["bad-wildcard"]);
        assert_eq!(codes(r#"http.user_agent wildcard r"a\""#), ["bad-wildcard"]);
    }
}
