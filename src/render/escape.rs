//! Escapes foreign text for HTML, XML and Markdown.
//!
//! In Markdown a backslash is not enough: after parsing, renderers of comments turn bare URLs,
//! `@names`, `#numbers` and commit hashes into links. They leave code spans and code blocks
//! unchanged, so everything except plain words is written as code.

use super::safe::safe;

/// Escapes a text for HTML or XML, in content and in quoted attributes.
pub(super) fn html(text: &str) -> String {
    markup(&safe(text))
}

/// Escapes a text whose hidden characters were already escaped.
pub(super) fn markup(shown: &str) -> String {
    let mut escaped = String::with_capacity(shown.len() + 16);
    for c in shown.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // XML documents must not contain these two characters, even as references.
            '\u{fffe}' | '\u{ffff}' => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Escapes a sentence for HTML; text between backticks becomes code.
pub(super) fn html_prose(text: &str) -> String {
    let shown = safe(text);
    let mut out = String::with_capacity(shown.len() + 16);
    let mut unread: &str = &shown;
    while let Some((before, inside, after)) = quoted(unread) {
        out.push_str(&format!("{}<code>{}</code>", html(before), html(inside)));
        unread = after;
    }
    out.push_str(&html(unread));
    out
}

/// Writes a text as a Markdown code span.
pub(super) fn code(text: &str) -> String {
    let shown = safe(text);
    if shown.trim().is_empty() {
        return if shown.is_empty() { "(empty)".to_owned() } else { "(blanks)".to_owned() };
    }
    let longest = shown.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // Markdown removes one space on each side, so one is added if the text begins or ends with a
    // space or backtick.
    let edge = |c: char| c == '`' || c == ' ';
    let pad = if shown.starts_with(edge) || shown.ends_with(edge) { " " } else { "" };
    format!("{fence}{pad}{shown}{pad}{fence}")
}

/// Escapes a sentence with foreign words for Markdown: plain words are kept, everything else
/// becomes code spans.
///
/// Text between backticks becomes one span; a backtick without a partner has no special meaning.
pub(super) fn prose(text: &str) -> String {
    let shown = safe(text);
    let mut out = String::with_capacity(shown.len() + 16);
    let mut unread: &str = &shown;
    while let Some((before, inside, after)) = quoted(unread) {
        words(&mut out, before);
        push(&mut out, &code(inside));
        unread = after;
        // Punctuation after the phrase stays outside.
        let sign = unread.len() - unread.trim_start_matches([',', ';', ':', '.', '?', ')']).len();
        if unread[sign..].is_empty() || unread[sign..].starts_with(' ') {
            out.push_str(&unread[..sign]);
            unread = &unread[sign..];
        }
    }
    words(&mut out, unread);
    // A list item without words would turn the line above it into a heading.
    if out.is_empty() { code(&shown) } else { out }
}

/// Returns the first part of a text between backticks, with the text before and after it.
fn quoted(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (inside, after) = rest.split_once('`')?;
    Some((before, inside, after))
}

/// Adds a part, separated by a space.
fn push(out: &mut String, part: &str) {
    if !out.is_empty() {
        out.push(' ');
    }
    out.push_str(part);
}

/// Adds words; words that are not plain become code spans.
fn words(out: &mut String, text: &str) {
    let mut span: Vec<&str> = Vec::new();
    let mut unread = text;
    while let Some(word) = take_term(&mut unread) {
        let is_first = out.is_empty() && span.is_empty();
        // A word after punctuation begins a new span.
        if span.last().is_some_and(|last| last.ends_with([',', ';', ':'])) {
            push_span(out, &mut span);
        }
        if !is_plain(word) || (is_first && is_list_mark(word)) {
            span.push(word);
            continue;
        }
        push_span(out, &mut span);
        push(out, word);
    }
    push_span(out, &mut span);
}

/// Takes the next word; a phrase in quotes counts as one word.
fn take_term<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let text = rest.trim_start_matches(' ');
    let end = |from: usize| text[from..].find(' ').map_or(text.len(), |space| from + space);
    let closing = || text[1..].find('"').map(|quote| end(1 + quote));
    let length = if text.starts_with('"') { closing().unwrap_or_else(|| end(0)) } else { end(0) };
    *rest = &text[length..];
    (length > 0).then(|| &text[..length])
}

/// Adds words as a code span; punctuation at the end stays outside.
fn push_span(out: &mut String, span: &mut Vec<&str>) {
    if span.is_empty() {
        return;
    }
    let text = span.join(" ");
    let closes =
        |part: &str| part.ends_with(')') && part.matches(')').count() > part.matches('(').count();
    let mut inside = text.as_str();
    while inside.len() > 1 && (inside.ends_with([',', ';', ':']) || closes(inside)) {
        inside = &inside[..inside.len() - 1];
    }
    push(out, &code(inside));
    out.push_str(&text[inside.len()..]);
    span.clear();
}

/// Returns true if a word has no meaning in any Markdown, and no later step turns it into a link.
fn is_plain(word: &str) -> bool {
    let inner = word.trim_start_matches('(').trim_end_matches([',', '.', ';', ':', ')']);
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '%');
    let is_sign = matches!(inner, "→" | "…" | "–" | "—" | "·" | "≤" | "≥");
    // A number may have its sign after a bracket: `(+5)`.
    let letters = if word.starts_with('(') { inner.trim_start_matches('+') } else { inner };
    let is_word = letters.starts_with(char::is_alphanumeric) && letters.chars().all(is_letter);
    (is_sign || is_word) && !is_reference(inner)
}

/// Returns true if a word or a part of it may be read as a commit or an issue: `deadbeef1`,
/// `GH-12`.
fn is_reference(word: &str) -> bool {
    let mut previous_part = "";
    word.split(|c: char| !c.is_alphanumeric()).any(|part| {
        let is_commit = part.len() >= 7 && part.bytes().all(|b| b.is_ascii_hexdigit());
        let is_issue = previous_part.eq_ignore_ascii_case("gh")
            && part.starts_with(|c: char| c.is_ascii_digit());
        previous_part = part;
        is_commit || is_issue
    })
}

/// Returns true if a word starts a list at the beginning of a line.
fn is_list_mark(word: &str) -> bool {
    word.trim_end_matches(['.', ')']).bytes().all(|b| b.is_ascii_digit())
        && word.ends_with(['.', ')'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_holds_no_markup_of_the_data() {
        assert_eq!(
            html("<a href='x'>\"&\n\u{ffff}"),
            "&lt;a href=&#39;x&#39;&gt;&quot;&amp;\\u{a}\\u{ffff}"
        );
    }

    #[test]
    fn html_sentences_have_code() {
        assert_eq!(html_prose("write `<a>`, not `b"), "write <code>&lt;a&gt;</code>, not `b");
    }

    #[test]
    fn code_spans_hold_any_backticks() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a``b`"), "``` a``b` ```");
        assert_eq!(code(" a"), "`  a `");
        assert_eq!(code(""), "(empty)");
        assert_eq!(code("a\nb"), "`a\\u{a}b`");
    }

    #[test]
    fn sentences_keep_their_plain_words() {
        assert_eq!(
            prose("turns 12 rules on, for example.com"),
            "turns 12 rules on, for `example.com`"
        );
        assert_eq!(prose("ask @admin or #12 now"), "ask `@admin` or `#12` now");
        assert_eq!(
            prose("see www.example.com/x [a](b) <b> please"),
            "see `www.example.com/x [a](b) <b>` please"
        );
        assert_eq!(prose("so (at a.example), or f(x), is"), "so (at `a.example`), or `f(x)`, is");
        assert_eq!((prose(""), prose("  ")), ("(empty)".to_owned(), "(blanks)".to_owned()));
        assert_eq!(prose("1. no list"), "`1.` no list");
        assert_eq!(prose("commit deadbeef1, GH-12"), "commit `deadbeef1`, `GH-12`");
        assert_eq!(prose("by deadbeef1%x and x-GH-1"), "by `deadbeef1%x` and `x-GH-1`");
        assert_eq!(
            prose("at example.com, or b.example: no"),
            "at `example.com`, or `b.example`: no"
        );
        assert_eq!(prose("GHé ok (so, it is, +5) (+5)."), "GHé ok (so, it is, `+5`) (+5).");
    }

    #[test]
    fn what_a_sentence_quotes_is_one_span() {
        assert_eq!(prose("write `a: b`, or `c`: it"), "write `a: b`, or `c`: it");
        assert_eq!(prose("did you mean `x`?"), "did you mean `x`?");
        assert_eq!(prose("a ` b"), "a `` ` `` b");
        assert_eq!(prose("`` x `@y` ```"), "(empty) x `@y` (empty) `` ` ``");
    }
}
