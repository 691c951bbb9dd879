//! The change of a text, on one line.
//!
//! Short values are shown as `before → after`. Longer ones that share words are shown once, with removed and added
//! words marked: `[-old-]{+new+}` without colour; in colour, removed words are struck through and added ones are green.

use anstyle::{AnsiColor, Effects, Style};
use similar::{ChangeTag, TextDiff};

use super::safe::safe;

/// Removed words.
const GOES: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red))).effects(Effects::STRIKETHROUGH);
/// Added words.
const COMES: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));

/// The similarity from which two texts are shown as one.
const LIKENESS: f32 = 0.4;

/// Shows a change on one line.
#[must_use]
pub(super) fn inline(before: &str, after: &str, colour: bool) -> String {
    let (before, after) = (safe(before), safe(after));
    let has_words = |text: &str| text.trim().contains(char::is_whitespace);
    let diff = TextDiff::from_words(before.as_ref(), after.as_ref());
    if !(has_words(&before) && has_words(&after)) || diff.ratio() < LIKENESS {
        return if colour {
            format!("{GOES}{before}{GOES:#} → {COMES}{after}{COMES:#}")
        } else {
            format!("{before} → {after}")
        };
    }
    let mut line = String::new();
    for (tag, text) in joined(&diff) {
        match (tag, colour) {
            (ChangeTag::Equal, _) => line.push_str(&text),
            (ChangeTag::Delete, false) => line.push_str(&format!("[-{text}-]")),
            (ChangeTag::Insert, false) => line.push_str(&format!("{{+{text}+}}")),
            (ChangeTag::Delete, true) => line.push_str(&format!("{GOES}{text}{GOES:#}")),
            (ChangeTag::Insert, true) => line.push_str(&format!("{COMES}{text}{COMES:#}")),
        }
    }
    line
}

/// The words of a difference if the two texts are similar enough to be shown as one; not escaped.
#[must_use]
pub(super) fn runs(before: &str, after: &str) -> Option<Vec<(ChangeTag, String)>> {
    /// Longest texts that are compared word by word; longer ones are shown in full.
    const LONGEST: usize = 20_000;
    let has_words = |text: &str| text.trim().contains(char::is_whitespace);
    if !(has_words(before) && has_words(after)) || before.len().max(after.len()) > LONGEST {
        return None;
    }
    let diff = TextDiff::from_words(before, after);
    (diff.ratio() >= LIKENESS).then(|| joined(&diff))
}

/// The words of a difference; adjacent ones of the same kind are joined.
fn joined<'a>(diff: &TextDiff<'a, 'a, str>) -> Vec<(ChangeTag, String)> {
    let mut runs: Vec<(ChangeTag, String)> = Vec::new();
    for change in diff.iter_all_changes() {
        match runs.last_mut() {
            Some((tag, text)) if *tag == change.tag() => text.push_str(change.value()),
            _ => runs.push((change.tag(), change.value().to_owned())),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_values_and_long_ones() {
        assert_eq!(inline("192.0.2.1", "192.0.2.2", false), "192.0.2.1 → 192.0.2.2");
        assert_eq!(
            inline(
                "v=spf1 include:_spf.a.example include:b.example -all",
                "v=spf1 include:_spf.a.example include:c.example ~all",
                false
            ),
            "v=spf1 include:_spf.a.example [-include:b.example-]{+include:c.example+} [--all-]{+~all+}"
        );
        assert_eq!(inline("one two", "drei vier", false), "one two → drei vier");
    }

    #[test]
    fn marks_are_not_taken_from_the_text() {
        assert_eq!(inline("a\u{1b}[31m", "b", false), r"a\u{1b}[31m → b");
    }
}
