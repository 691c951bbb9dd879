//! The syntax of substitutions: `${NAME}` is the value of a variable, and `$${` means `${` itself.

use std::ops::Range;

/// Maximum length of a name, in characters.
const LONGEST_NAME: usize = 64;

/// A piece of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Text that means itself.
    Text(&'t str),
    /// `$${`.
    Escape,
    /// `${NAME}` with the name.
    Variable(&'t str),
    /// An incomplete `${` with the text that might be a name.
    Incomplete(&'t str),
}

impl Piece<'_> {
    /// Returns the text that a piece stands for; `None` for a variable.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Incomplete(text) => Some(text),
            Self::Escape => Some("${"),
            Self::Variable(_) => None,
        }
    }
}

/// Returns the pieces of a scalar with their ranges.
pub fn pieces(text: &str) -> impl Iterator<Item = (Range<usize>, Piece<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let text_left = text.get(at..).filter(|text_left| !text_left.is_empty())?;
        let begin = at;
        let piece =
            match (text_left.starts_with("${"), text_left.starts_with("$${"), text_left.find("${"))
            {
                (true, _, _) => {
                    let inner = &text_left[2..];
                    let length = inner
                        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                        .unwrap_or(inner.len());
                    let name = &inner[..length];
                    match is_name(name) && inner[length..].starts_with('}') {
                        true => Piece::Variable(name),
                        false => Piece::Incomplete(&text_left[..2 + length]),
                    }
                }
                (_, true, _) => Piece::Escape,
                // The `$` before the next `${` belongs to the escape.
                (_, _, Some(next)) => {
                    Piece::Text(&text_left[..next - usize::from(text_left[..next].ends_with('$'))])
                }
                (_, _, None) => Piece::Text(text_left),
            };
        at += match piece {
            Piece::Text(text) | Piece::Incomplete(text) => text.len(),
            Piece::Escape => "$${".len(),
            Piece::Variable(name) => name.len() + "${}".len(),
        };
        Some((begin..at, piece))
    })
}

/// Returns true if a text is a valid variable name.
pub(super) fn is_name(text: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins_with_digit = text.starts_with(|c: char| c.is_ascii_digit());
    !text.is_empty() && text.len() <= LONGEST_NAME && text.chars().all(legal) && !begins_with_digit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_is_cut_into_pieces_that_make_it_up() {
        use Piece::{Escape, Incomplete, Text, Variable};
        for (text, expected) in [
            ("", vec![]),
            ("a", vec![Text("a")]),
            ("${A}", vec![Variable("A")]),
            ("x${A}.y", vec![Text("x"), Variable("A"), Text(".y")]),
            ("${A}${B}", vec![Variable("A"), Variable("B")]),
            ("$${A} ${B", vec![Escape, Text("A} "), Incomplete("${B")]),
            ("$$${A}", vec![Text("$"), Escape, Text("A}")]),
            ("$${${A}", vec![Escape, Variable("A")]),
            ("${1a}ä", vec![Incomplete("${1a"), Text("}ä")]),
            ("$ {A} $", vec![Text("$ {A} $")]),
        ] {
            let found: Vec<_> = pieces(text).collect();
            assert_eq!(
                found.iter().map(|(range, _)| &text[range.clone()]).collect::<String>(),
                text
            );
            assert_eq!(
                found.into_iter().map(|(_, piece)| piece).collect::<Vec<_>>(),
                expected,
                "{text}"
            );
        }
    }
}
