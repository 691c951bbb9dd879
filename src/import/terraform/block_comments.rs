//! Collects the comments of a block: those directly above it, and those between and behind its
//! attributes.

use hcl_edit::Span as _;
use hcl_edit::structure::{Block, Structure};

use crate::import::comments::{self, Comment, MOST_LINES};

/// Returns the comments of a block in the order of the file. The head of the block ends at
/// `head_end`.
pub(super) fn of(text: &str, start: usize, head_end: usize, block: &Block) -> Vec<Comment> {
    let mut found_comments = comments::above(text, start, &["#", "//"]);
    inside(text, head_end, block, &mut found_comments);
    found_comments.truncate(MOST_LINES);
    found_comments
}

/// Collects the comments inside a block. Outside of attributes and nested blocks, its text consists
/// of braces, blanks and comments.
fn inside(text: &str, head_end: usize, block: &Block, all: &mut Vec<Comment>) {
    let mut at = head_end;
    for structure in &block.body {
        let Some(span) = structure.span() else { continue };
        between(text, at, span.start, all);
        if let Structure::Block(inner) = structure {
            let head =
                inner.labels.last().and_then(hcl_edit::Span::span).or_else(|| inner.ident.span());
            inside(text, head.map_or(span.end, |head| head.end), inner, all);
        }
        at = span.end;
    }
    between(text, at, block.span().map_or(at, |span| span.end), all);
}

/// Collects the comments in a text without strings.
fn between(text: &str, start: usize, end: usize, all: &mut Vec<Comment>) {
    let mut at = start;
    while let Some(rest) = text.get(at..end) {
        let Some(found) = rest.find(['#', '/']) else { return };
        let comment = &rest[found..];
        let (length, is_block) = match comment.strip_prefix("/*") {
            Some(inner) => (inner.find("*/").map_or(comment.len(), |end| end + 4), true),
            None => (comment.find('\n').unwrap_or(comment.len()), false),
        };
        let mut line_start = at + found;
        for line in comment[..length].split('\n') {
            let words = line.trim_matches(|c: char| {
                c.is_whitespace() || "#/".contains(c) || (is_block && c == '*')
            });
            if comments::is_about_an_entry(words) {
                all.push((line_start, words.to_owned()));
            }
            line_start += line.len() + 1;
        }
        at += found + length;
    }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use hcl_edit::structure::Body;

    use super::*;

    #[test]
    fn comments_are_found_between_attributes_and_nowhere_else() {
        let text = "# above\nresource \"a\" \"b\" { # head\n  x = \"# text\" // behind\n\n  /* two\n   * lines */\n  data {\n    # inner\n    y = <<EOT\n# heredoc\nEOT\n  }\n  // ----\n  # MX Records\n  z = [ # in a value\n  ]\n  # last é\n}\n# after\n";
        let body = Body::from_str(text).unwrap();
        let block = body.blocks().next().unwrap();
        let start = block.ident.span().unwrap().start;
        let head_end = block.labels.last().and_then(hcl_edit::Span::span).unwrap().end;
        let found: Vec<String> = of(text, start, head_end, block)
            .into_iter()
            .map(|(at, words)| {
                assert!(text[at..].contains(&words), "{words}");
                words
            })
            .collect();
        assert_eq!(found, ["above", "head", "behind", "two", "lines", "inner", "last é"]);
    }
}
