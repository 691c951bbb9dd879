//! The problems of an expression and their places.

use std::ops::Range;

use crate::excerpt::cut;

/// Maximum number of problems that are reported for one expression. The rest appear after these are
/// fixed.
const MOST_PROBLEMS: usize = 50;

/// Maximum length of a quotation of an expression in a message, in characters.
const QUOTED_CHARACTERS: usize = 80;

/// A problem of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionProblem {
    /// True if Cloudflare would refuse the expression. If not, the expression probably does not do
    /// what was meant.
    pub is_error: bool,
    /// The place in the text.
    ///
    /// # Units
    /// Bytes; both ends are at character boundaries.
    pub span: Range<usize>,
    /// A stable code, such as `unknown-field`.
    pub code: &'static str,
    /// The problem, as a lower-case fragment.
    pub message: String,
    /// The suggested correction.
    pub help: String,
}

#[derive(Debug, Default)]
pub(super) struct Problems {
    /// The problems in the order in which they were found.
    found: Vec<ExpressionProblem>,
}

impl Problems {
    /// Adds an error.
    pub(super) fn error(
        &mut self,
        span: Range<usize>,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.note(true, span, code, message.into(), help.into());
    }

    /// Adds a warning.
    pub(super) fn warning(
        &mut self,
        span: Range<usize>,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.note(false, span, code, message.into(), help.into());
    }

    /// Adds a problem, unless there are too many.
    fn note(
        &mut self,
        is_error: bool,
        span: Range<usize>,
        code: &'static str,
        message: String,
        help: String,
    ) {
        if !self.is_full() {
            self.found.push(ExpressionProblem { is_error, span, code, message, help });
        }
    }

    /// Returns true if no more are recorded, so that further checks can be skipped.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MOST_PROBLEMS
    }

    /// Returns the number of errors.
    pub(super) fn errors(&self) -> usize {
        self.found.iter().filter(|p| p.is_error).count()
    }

    /// Returns true if Cloudflare would refuse the expression.
    pub(super) fn has_errors(&self) -> bool {
        self.errors() > 0
    }

    /// Returns all problems, in the order of the text, without duplicates.
    pub(super) fn finish(mut self) -> Vec<ExpressionProblem> {
        self.found.sort_by_key(|p| (p.span.start, p.span.end));
        self.found.dedup();
        self.found
    }
}

/// Returns a part of an expression for a message, on one line and shortened.
pub(super) fn quoted(text: &str) -> String {
    let mut words = text.split_whitespace();
    let mut line = words.next().unwrap_or_default().to_owned();
    for word in words {
        if line.len() > 4 * QUOTED_CHARACTERS {
            break;
        }
        line.push(' ');
        line.push_str(word);
    }
    cut(&line, QUOTED_CHARACTERS)
}

/// Returns the candidate nearest to a word, if one is near enough to be what the author meant.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    // Distances take quadratic time, and no name is longer.
    if word.is_empty() || word.len() > 80 {
        return None;
    }
    let lower = word.to_lowercase().replace('-', "_");
    // Few letters may make a different word: `cf.waf.score.lfi` is not a misspelling of
    // `cf.waf.score.xss`.
    let letters = lower.chars().count();
    let allowed = (letters / 8).clamp(1, 3);
    candidates
        // The distance is at least the difference of the lengths, which is much faster to compute.
        .filter(|candidate| candidate.chars().count().abs_diff(letters) <= allowed)
        .map(|candidate| (strsim::damerau_levenshtein(&lower, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_fit_on_a_line() {
        assert_eq!(quoted(" a\n  b "), "a b");
        assert_eq!(quoted(&"é".repeat(100)).chars().count(), QUOTED_CHARACTERS + 1);
        assert!(quoted(&"x ".repeat(100_000)).chars().count() <= QUOTED_CHARACTERS + 1);
    }

    #[test]
    fn slips_of_the_pen_are_recognised() {
        let names = ["http.host", "http.request.uri.path", "ssl"];
        assert_eq!(nearest("http.hots", names.into_iter()), Some("http.host"));
        assert_eq!(nearest("HTTP.Host", names.into_iter()), Some("http.host"));
        assert_eq!(nearest("weather", names.into_iter()), None);
        assert_eq!(nearest("", names.into_iter()), None);
    }

    #[test]
    fn there_is_an_end_to_it() {
        let mut problems = Problems::default();
        for n in 0..1000 {
            problems.error(n..n + 1, "code", "wrong", "fix it");
        }
        assert!(problems.is_full() && problems.has_errors());
        assert_eq!(problems.finish().len(), MOST_PROBLEMS);
    }
}
