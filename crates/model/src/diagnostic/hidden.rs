//! Finds text that is invisible or that a CI runner would act on, and writes it as escapes.
//!
//! Names, contents, comments and messages come from untrusted sources. Control characters could
//! drive a terminal, bidirectional marks could make a text read differently from its content, and
//! invisible characters could hide a difference. CI runners act on `##[command]` and
//! `##vso[command]` anywhere in a log line.

use std::borrow::Cow;

/// Returns the text on one line. Invisible and misleading characters are written as escapes.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c, out| out.extend(c.escape_unicode()))
}

/// Returns a JSON document in which invisible and misleading characters are JSON escapes. Its
/// values stay the same.
#[must_use]
pub fn visible_json(document: &str) -> Cow<'_, str> {
    escaped(document, |c, out| match c {
        // A line break outside strings is layout; inside strings it is escaped already.
        '\n' => out.push('\n'),
        c => c
            .encode_utf16(&mut [0; 2])
            .iter()
            .for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
    })
}

/// Replaces each character that is hidden or begins a runner command.
fn escaped(text: &str, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains("##") && !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        if is_hidden(c) || (c == '#' && begins_command(&text[at..])) {
            escape(c, &mut out)
        } else {
            out.push(c)
        }
    }
    Cow::Owned(out)
}

/// Returns true if a text begins like a command of a CI runner: `##[error]`,
/// `##vso[task.setvariable …]`.
///
/// # Sources
/// github.com/actions/runner, `ActionCommand.TryParse`: anywhere in a line;
/// learn.microsoft.com/azure/devops/pipelines, "Logging commands"; both read 2026-11-20.
#[must_use]
pub fn begins_command(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("##") else { return false };
    rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).starts_with('[')
}

/// Returns true if a character controls the terminal, reorders text, or looks like a blank or like
/// nothing.
///
/// # Sources
/// Unicode 16, `Default_Ignorable_Code_Point`, `Bidi_Control` and the blanks other than U+0020.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}'
            | '\u{2800}' | '\u{3000}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_a_command_of_a_runner() {
        assert_eq!(visible("x ##[error]y ##vso[a b]z"), r"x \u{23}#[error]y \u{23}#vso[a b]z");
        assert_eq!(visible("###[group]"), r"#\u{23}#[group]");
        assert_eq!(visible("## [a] ##a.b[c]"), "## [a] ##a.b[c]");
    }

    #[test]
    fn json_stays_the_same_json() {
        let document = serde_json::json!({ "a\u{202e}": "\u{9b}31m\n \u{e0041} ##[error] \\u \u{7f}", "b": [1.5, "é"] });
        for text in [document.to_string(), format!("{document:#}")] {
            let shown = visible_json(&text);
            assert!(
                !shown.contains(|c| c != '\n' && is_hidden(c)) && !shown.contains("##["),
                "{shown}"
            );
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&shown).ok().as_ref(),
                Some(&document)
            );
        }
    }
}
