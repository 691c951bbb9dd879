//! Finds the numbers of a configuration that the parser cannot read. The evaluation reads the digits
//! of each number itself.

use std::ops::Range;

use super::numerals::leading_number;

/// A part of a configuration.
enum Inside<'t> {
    /// Code, in which brackets nest.
    Code,
    /// Quoted text, in which only `${` and `%{` nest.
    Quotes,
    /// A heredoc up to this line.
    Heredoc(&'t str),
}

/// Returns a configuration with another number, as long, in place of each number that the parser
/// cannot read; `None` if there are none.
pub(super) fn readable(text: &str) -> Option<String> {
    let numbers = long_numbers(text);
    let mut readable = text.to_owned();
    for number in &numbers {
        let other = format!("1{}", " ".repeat(number.len() - 1));
        readable.replace_range(number.clone(), &other);
    }
    (!numbers.is_empty()).then_some(readable)
}

/// Returns the places of the numbers that the parser cannot read.
fn long_numbers(text: &str) -> Vec<Range<usize>> {
    let mut numbers = Vec::new();
    let mut inside = vec![Inside::Code];
    let bytes = text.as_bytes();
    let line_at = |at: usize| text[at..].split_inclusive('\n').next().unwrap_or_default();
    let mut at = 0;
    let mut is_line_start = false;
    while let Some(byte) = bytes.get(at) {
        let rest = &text[at..];
        let mut length = rest.chars().next().map_or(1, char::len_utf8);
        match inside.last().unwrap_or(&Inside::Code) {
            Inside::Heredoc(end) if is_line_start && line_at(at).trim() == *end => {
                length = line_at(at).len();
                inside.pop();
            }
            Inside::Quotes | Inside::Heredoc(_)
                if ["$${", "%%{"].iter().any(|escape| rest.starts_with(escape)) =>
            {
                length = 3;
            }
            Inside::Quotes | Inside::Heredoc(_)
                if ["${", "%{"].iter().any(|start| rest.starts_with(start)) =>
            {
                inside.push(Inside::Code);
                length = 2;
            }
            Inside::Quotes if *byte == b'\\' => {
                length += rest[1..].chars().next().map_or(0, char::len_utf8);
            }
            Inside::Quotes if *byte == b'"' => drop(inside.pop()),
            Inside::Quotes | Inside::Heredoc(_) => {}
            Inside::Code => match byte {
                b'#' => length = line_at(at).trim_end_matches('\n').len(),
                b'/' if rest.starts_with("//") => length = line_at(at).trim_end_matches('\n').len(),
                b'/' if rest.starts_with("/*") => {
                    length = rest.find("*/").map_or(rest.len(), |end| end + 2);
                }
                b'"' => inside.push(Inside::Quotes),
                b'(' | b'[' | b'{' => inside.push(Inside::Code),
                b')' | b']' | b'}' if inside.len() > 1 => drop(inside.pop()),
                b'<' if rest.starts_with("<<") => {
                    let end = line_at(at)[2..].trim_start_matches('-').trim();
                    if is_identifier(end) {
                        inside.push(Inside::Heredoc(end));
                        length = line_at(at).len();
                    }
                }
                b'0'..=b'9' => {
                    let number = leading_number(rest);
                    length = number.len();
                    if !can_be_parsed(number) && !text[..at].ends_with('.') {
                        numbers.push(at..at + length);
                    }
                }
                _ if rest.starts_with(begins_identifier) => {
                    length = rest.find(|c| !is_in_identifier(c)).unwrap_or(rest.len());
                }
                _ => {}
            },
        }
        at += length;
        is_line_start = text[..at].ends_with('\n');
    }
    numbers
}

/// Returns true if the parser can read a number.
fn can_be_parsed(number: &str) -> bool {
    match number.bytes().all(|byte| byte.is_ascii_digit()) {
        true => number.parse::<u64>().is_ok(),
        false => number.parse::<f64>().is_ok_and(f64::is_finite),
    }
}

fn begins_identifier(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_in_identifier(c: char) -> bool {
    begins_identifier(c) || c.is_numeric() || c == '-'
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(begins_identifier) && text.chars().all(is_in_identifier)
}
