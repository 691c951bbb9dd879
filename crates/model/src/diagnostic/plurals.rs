//! Words that depend on a number.

use std::fmt::Display;

/// A number type that can be counted: `usize`, `u64` and others.
pub trait Number: Display + PartialEq + From<u8> {}

impl<N: Display + PartialEq + From<u8>> Number for N {}

/// Formats a count with its noun: `1 record`, `2 records`, `2 entries`.
#[must_use]
pub fn count<N: Number>(n: N, noun: &str) -> String {
    let shown = n.to_string();
    format!("{shown} {}", noun_for(n, noun))
}

/// Returns the noun in the form that fits the number, without the number.
#[must_use]
pub fn noun_for<N: Number>(n: N, noun: &str) -> String {
    match noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        _ if n == N::from(1) => noun.to_owned(),
        Some(stem) => format!("{stem}ies"),
        None => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_fit_their_numbers() {
        let words = [
            count(0, "zone"),
            count(1_usize, "zone"),
            count(2_u64, "zone"),
            count(1, "entry"),
            count(3, "entry"),
        ];
        assert_eq!(words, ["0 zones", "1 zone", "2 zones", "1 entry", "3 entries"]);
        assert_eq!(
            (noun_for(1, "rule"), count(2, "day")),
            ("rule".to_owned(), "2 days".to_owned())
        );
    }
}
