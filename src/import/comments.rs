//! Finds the comments of an entry: the lines directly above it.

/// Maximum number of comment lines above one entry. A longer comment is a licence or a page of
/// documentation.
pub(super) const MOST_LINES: usize = 20;

/// The offset of a comment line in its text, and its words. The offset identifies the line.
pub(super) type Comment = (usize, String);

/// Returns the comment lines directly above the line of an offset. A comment begins with one of
/// `marks`.
pub(super) fn above(text: &str, at: usize, marks: &[&str]) -> Vec<Comment> {
    let mut end = line_start(text, at);
    let mut comments = Vec::new();
    while end > 0 && comments.len() < MOST_LINES {
        let start = line_start(text, end - 1);
        let line = text[start..end].trim();
        let Some(mark) = marks.iter().find(|mark| line.starts_with(**mark)) else { break };
        let words = line.trim_start_matches(*mark).trim();
        if is_about_an_entry(words) {
            comments.push((start, words.to_owned()));
        }
        end = start;
    }
    comments.reverse();
    comments
}

/// Returns true if the words of a comment describe an entry. Lines of dashes and headings such as
/// `MX records` divide a file instead.
pub(super) fn is_about_an_entry(words: &str) -> bool {
    let is_heading =
        words.split_whitespace().count() <= 2 && words.to_ascii_lowercase().ends_with("records");
    words.contains(char::is_alphanumeric) && !is_heading
}

/// Returns the offset at which the line of an offset begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_directly_above_count() {
        let text = "# far\n\n# ------\n# MX Records\n# one\r\n  // two\nentry = 1\n";
        let at = text.find("entry").unwrap() + 2;
        let words = |marks: &[&str]| {
            above(text, at, marks).into_iter().map(|(_, words)| words).collect::<Vec<_>>()
        };
        assert_eq!(words(&["#", "//"]), ["one", "two"]);
        assert_eq!(words(&["#"]), Vec::<String>::new());
        assert_eq!(above("# a\nb", 0, &["#"]), []);
        assert_eq!(above("# a\nb", 99, &["#"]), []);
    }
}
