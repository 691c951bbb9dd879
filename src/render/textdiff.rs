//! Finds and marks the differences between two texts.
//!
//! The parts are found by words, and by characters inside a word or in a text without words. This
//! module has the code that both outputs for reviewers need; each output has its own presentation.

use unicode_width::UnicodeWidthStr;

use super::safe::safe;
use crate::diff::text::{steps, words_and_spaces};

/// Minimum similarity for marking parts of a text; less similar texts differ as a whole.
const LIKENESS: f32 = 0.4;

/// Minimum length of a text that is contained in the other text, for marking only the additions.
///
/// # Units
/// Bytes.
const EXTENDED: usize = 8;

/// Maximum length of texts that are compared by words.
///
/// # Units
/// Bytes.
const LONGEST: usize = 20_000;

/// Maximum width of a short text.
///
/// # Units
/// Columns of a terminal.
const SHORT: usize = 40;

/// Minimum length of texts whose lengths are shown with a change.
///
/// # Units
/// Characters.
const LENGTHY: usize = 80;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) text: String,
    /// True if the other text does not have it.
    pub(super) differs: bool,
}

/// Two texts and their differences. All text is escaped, see [`safe`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Compared {
    /// The parts of the first text.
    pub(super) before: Vec<Part>,
    /// The parts of the second text.
    pub(super) after: Vec<Part>,
}

impl Compared {
    /// Compares two texts.
    pub(super) fn of(before: &str, after: &str) -> Self {
        let shown = (safe(before), safe(after));
        let one_part = |text: &str| vec![Part { text: text.to_owned(), differs: true }];
        if is_short(&shown.0) && is_short(&shown.1) {
            return Self { before: one_part(&shown.0), after: one_part(&shown.1) };
        }
        let mut parts = Self { before: Vec::new(), after: Vec::new() };
        parts.compare(&shown.0, &shown.1);
        parts
    }

    /// Adds the parts of two texts.
    fn compare(&mut self, before: &str, after: &str) {
        let has_words = |text: &str| text.trim().contains(char::is_whitespace);
        if !has_words(before) || !has_words(after) || before.len().max(after.len()) > LONGEST {
            return self.by_characters(before, after);
        }
        let (old, new) = (words_and_spaces(before), words_and_spaces(after));
        let steps = steps(&old, &new);
        // Spaces are similar in all texts, so they do not count.
        let length = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        let equal: usize = steps
            .iter()
            .filter(|step| step.is_equal)
            .map(|step| length(&old[step.old.clone()].concat()))
            .sum();
        if (equal as f32) < LIKENESS * length(before).max(length(after)) as f32 {
            return self.by_characters(before, after);
        }
        let (mut gone, mut come) = (String::new(), String::new());
        for step in steps {
            let (before, after) = (old[step.old].concat(), new[step.new].concat());
            if step.is_equal {
                self.by_characters(&std::mem::take(&mut gone), &std::mem::take(&mut come));
                self.equal(&before);
            } else {
                gone.push_str(&before);
                come.push_str(&after);
            }
        }
        self.by_characters(&gone, &come);
    }

    /// Adds the parts of two texts by their common beginning and end.
    fn by_characters(&mut self, before: &str, after: &str) {
        let shared = |one: &mut dyn Iterator<Item = char>,
                      other: &mut dyn Iterator<Item = char>| {
            one.zip(other).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum::<usize>()
        };
        let start = shared(&mut before.chars(), &mut after.chars());
        let end = shared(&mut before[start..].chars().rev(), &mut after[start..].chars().rev());
        // A text that the other one only extends is shown as an extension, however long the
        // addition is.
        let is_extended = start + end == before.len().min(after.len()) && start + end >= EXTENDED;
        let is_alike =
            is_extended || (start + end) as f32 >= LIKENESS * before.len().max(after.len()) as f32;
        let (start, end) = if is_alike { (start, end) } else { (0, 0) };
        self.equal(&before[..start]);
        push(&mut self.before, &before[start..before.len() - end], true);
        push(&mut self.after, &after[start..after.len() - end], true);
        self.equal(&before[before.len() - end..]);
    }

    /// Adds a part that both texts have.
    fn equal(&mut self, text: &str) {
        push(&mut self.before, text, false);
        push(&mut self.after, text, false);
    }

    /// Returns true if both texts are short enough for `before → after`.
    pub(super) fn is_short(&self) -> bool {
        [&self.before, &self.after]
            .iter()
            .all(|parts| parts.iter().map(|part| part.text.width()).sum::<usize>() <= SHORT)
    }

    /// Returns both texts in a line, each cut to what differs.
    pub(super) fn in_a_line(&self) -> String {
        let text = |parts: &[Part]| {
            abridged(parts).iter().map(|part| part.text.as_str()).collect::<String>()
        };
        format!("{} → {}", text(&self.before), text(&self.after))
    }

    /// Describes the lengths of the texts, if one of them is too long to survey; `None` otherwise.
    pub(super) fn lengths(&self) -> Option<String> {
        let length =
            |parts: &[Part]| parts.iter().map(|part| part.text.chars().count()).sum::<usize>();
        let (before, after) = (length(&self.before), length(&self.after));
        // Texts with little in common are shown as two texts, even if they have the same beginning.
        let characters =
            |parts: &'_ [Part]| parts.iter().flat_map(|part| part.text.chars()).collect::<Vec<_>>();
        let (old, new) = (characters(&self.before), characters(&self.after));
        let first = old.iter().zip(&new).take_while(|(a, b)| a == b).count() + 1;
        let lengths = if before == after {
            format!("{before} characters")
        } else {
            format!("{before} → {after} characters")
        };
        (before.max(after) >= LENGTHY)
            .then(|| format!("{lengths}, different from character {first} on"))
    }
}

fn is_short(text: &str) -> bool {
    text.width() <= SHORT
}

/// Adds a part; adjacent parts of the same kind are joined.
fn push(parts: &mut Vec<Part>, text: &str, differs: bool) {
    if text.is_empty() {
        return;
    }
    match parts.last_mut().filter(|last| last.differs == differs) {
        Some(last) => last.text.push_str(text),
        None => parts.push(Part { text: text.to_owned(), differs }),
    }
}

/// Leaves out long equal stretches, so that the differences are near.
pub(super) fn abridged(parts: &[Part]) -> Vec<Part> {
    /// Number of characters that are kept beside a difference.
    const KEPT: usize = 24;
    /// Length up to which a stretch is kept.
    const STRETCH: usize = 160;
    let cut = |part: &Part| {
        let length = part.text.chars().count();
        if part.differs || length <= STRETCH {
            return part.clone();
        }
        let start: String = part.text.chars().take(KEPT).collect();
        let end: String = part.text.chars().skip(length - KEPT).collect();
        Part { text: format!("{start}…{end}"), differs: false }
    };
    parts.iter().map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes parts with brackets around the differences.
    fn marked(parts: &[Part]) -> String {
        parts
            .iter()
            .map(|part| if part.differs { format!("[{}]", part.text) } else { part.text.clone() })
            .collect()
    }

    #[test]
    fn what_is_added_to_a_text_is_marked() {
        let (short, long) = (
            r#"0 issue "ca.example""#,
            r#"0 issue "ca.example; accounturi=https://ca.example/account/1""#,
        );
        let compared = Compared::of(short, long);
        assert_eq!(marked(&compared.before), short);
        assert_eq!(
            marked(&compared.after),
            r#"0 issue "ca.example[; accounturi=https://ca.example/account/1]""#
        );
        assert_eq!(marked(&Compared::of(long, short).after), short);
    }

    #[test]
    fn long_texts_differ_in_parts() {
        let compared = Compared::of(
            "v=spf1 include:_spf.a.example include:b.example -all",
            "v=spf1 include:_spf.a.example include:c.example ~all",
        );
        assert_eq!(
            marked(&compared.before),
            "v=spf1 include:_spf.a.example include:[b].example [-]all"
        );
        assert_eq!(
            marked(&compared.after),
            "v=spf1 include:_spf.a.example include:[c].example [~]all"
        );
        assert_eq!((compared.is_short(), compared.lengths()), (false, None));
        let key = "abcdefghij".repeat(20);
        let compared = Compared::of(&key, &key.replacen("ijabc", "i", 1));
        assert_eq!(
            compared.lengths().unwrap(),
            "200 → 196 characters, different from character 10 on"
        );
        assert_eq!(
            marked(&abridged(&compared.before)),
            "abcdefghi[jabc]defghijabcdefghijabcdefg…ghijabcdefghijabcdefghij"
        );
    }

    #[test]
    fn short_texts_and_strangers_differ_as_a_whole() {
        let compared = Compared::of("192.0.2.1", "192.0.2.2");
        assert_eq!(
            (marked(&compared.before), compared.is_short()),
            ("[192.0.2.1]".to_owned(), true)
        );
        let compared = Compared::of(&"one two ".repeat(10), &"drei vier ".repeat(10));
        assert_eq!(marked(&compared.after), format!("[{}]", "drei vier ".repeat(10)));
        // A text may be empty, and characters are never cut.
        let compared = Compared::of("", &"é".repeat(50));
        assert_eq!((compared.before.len(), marked(&compared.after).chars().count()), (0, 52));
    }

    #[test]
    fn nothing_hidden_gets_through() {
        assert_eq!(Compared::of("a\u{1b}[31m", "b").before[0].text, r"a\u{1b}[31m");
    }
}
