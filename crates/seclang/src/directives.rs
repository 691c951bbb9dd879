//! SecLang as text: lines, words and actions, with the line that each directive begins on.

use super::error::Error;

/// One directive: its words, without quotes, and the line at which it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directive {
    pub line: usize,
    pub words: Vec<String>,
}

/// One action of a rule, such as `setvar` with `tx.score=+5`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Action {
    pub name: String,
    pub value: String,
}

/// Splits the text of a file into directives. A backslash at the end of a line continues it; lines
/// that begin with `#` are comments.
pub(super) fn directives(file: &str, text: &str) -> Result<Vec<Directive>, Error> {
    let mut directives = Vec::new();
    let mut pending = String::new();
    let mut start = 0;
    for (index, line) in text.lines().enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if pending.is_empty() {
            start = index + 1;
            if line.trim_start().starts_with('#') {
                continue;
            }
        }
        // A comment between the lines of a rule is not part of the rule.
        if !pending.is_empty() && line.trim_start().starts_with('#') && !inside_quotes(&pending) {
            continue;
        }
        if let Some(part) = line.strip_suffix('\\') {
            pending.push_str(part);
            // A text that is not empty, so that the next line continues the directive.
            if pending.is_empty() {
                pending.push(' ');
            }
            continue;
        }
        pending.push_str(line);
        push_directive(&mut directives, file, start, &pending)?;
        pending.clear();
    }
    push_directive(&mut directives, file, start, &pending)?;
    Ok(directives)
}

fn push_directive(
    directives: &mut Vec<Directive>,
    file: &str,
    line: usize,
    text: &str,
) -> Result<(), Error> {
    if text.trim().is_empty() {
        return Ok(());
    }
    match directive_words(text) {
        Some(words) => directives.push(Directive { line, words }),
        None => return Err(Error::new(file, line, "a quoted text has no closing quote")),
    }
    Ok(())
}

fn inside_quotes(text: &str) -> bool {
    let mut inside = false;
    let mut escaped = false;
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => inside = !inside,
            _ => {}
        }
    }
    inside
}

/// Splits a line into words. In a quoted word, `\"` is a quote; every other backslash belongs to
/// the word.
fn directive_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut chars = text.chars().peekable();
    loop {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        let Some(&first) = chars.peek() else { return Some(words) };
        let mut word = String::new();
        if first == '"' {
            chars.next();
            loop {
                match chars.next()? {
                    '"' => break,
                    '\\' => match chars.next()? {
                        '"' => word.push('"'),
                        other => word.extend(['\\', other]),
                    },
                    other => word.push(other),
                }
            }
        } else {
            // A selector such as `ARGS:'/a b/'` may contain blanks in single quotes.
            let mut quoted = false;
            while let Some(&next) = chars.peek() {
                if next == '\'' {
                    quoted = !quoted;
                } else if next.is_whitespace() && !quoted {
                    break;
                }
                word.push(next);
                chars.next();
            }
        }
        words.push(word);
    }
}

/// Splits the actions of a rule, `name` or `name:value`, at commas. A value may be in single
/// quotes.
pub(super) fn actions(text: &str) -> Vec<Action> {
    let mut actions = Vec::new();
    let mut chars = text.chars().peekable();
    loop {
        while chars.next_if(|c| c.is_whitespace() || *c == ',').is_some() {}
        if chars.peek().is_none() {
            return actions;
        }
        let mut name = String::new();
        while let Some(next) = chars.next_if(|c| *c != ':' && *c != ',') {
            name.push(next);
        }
        let mut value = String::new();
        if chars.next_if_eq(&':').is_some() {
            let quoted = chars.next_if_eq(&'\'').is_some();
            while let Some(next) = chars.next() {
                match next {
                    '\\' if chars.peek() == Some(&'\'') => {
                        chars.next();
                        value.push('\'');
                    }
                    '\'' if quoted => break,
                    ',' if !quoted => break,
                    other => value.push(other),
                }
            }
        }
        actions.push(Action {
            name: name.trim().to_ascii_lowercase(),
            value: value.trim().to_owned(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_continued_and_comments_left_out() {
        let text = "# a comment \\\nSecRule ARGS \\\n  \"@rx a\\\"b\\\\d\" \\\n  \"id:1,pass\"\n\nSecMarker END\n";
        let found = directives("a.conf", text).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].line, 2);
        assert_eq!(found[0].words, ["SecRule", "ARGS", "@rx a\"b\\\\d", "id:1,pass"]);
        assert_eq!(found[1], Directive { line: 6, words: vec!["SecMarker".into(), "END".into()] });
    }

    #[test]
    fn an_open_quote_is_an_error_with_its_line() {
        let error = directives("a.conf", "\n\nSecRule ARGS \"@rx a").unwrap_err();
        assert_eq!(error.to_string(), "a.conf:3: a quoted text has no closing quote");
    }

    #[test]
    fn actions_have_quoted_values() {
        let found = actions("id:1, msg:'a, \\'b\\': c',setvar:'tx.a=+%{tx.b}',pass");
        let plain: Vec<_> = found.iter().map(|a| (a.name.as_str(), a.value.as_str())).collect();
        assert_eq!(
            plain,
            [("id", "1"), ("msg", "a, 'b': c"), ("setvar", "tx.a=+%{tx.b}"), ("pass", "")]
        );
    }
}
