//! Sentences for reviewers, in which names stay apart from the words.

use std::borrow::Borrow;
use std::ops::{Deref, Range};

use serde::{Serialize, Serializer};

/// The beginning of the labels of an internationalised name.
const ACE: &str = "xn--";

/// A sentence for a reviewer. It can contain text from the spec and from Cloudflare.
///
/// An output can show a name of the sentence in another form. Internationalised names are always
/// apart from the words, any other name only where the program says so ([`Sentence::naming`]).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Sentence {
    text: String,
    /// Positions of the names in `text`, in ascending order.
    names: Vec<Range<usize>>,
}

/// A part of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span<'a> {
    Words(&'a str),
    Name(&'a str),
}

impl Sentence {
    /// Separates a name from the words, wherever the sentence contains it as a whole.
    #[must_use]
    pub fn naming(mut self, name: &str) -> Self {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '*');
        let found = self.text.match_indices(name).filter(|_| !name.is_empty());
        let whole = found.map(|(start, _)| start..start + name.len()).filter(|range| {
            !self.text[..range.start].ends_with(is_part)
                && !self.text[range.end..].starts_with(is_part)
        });
        for range in whole.collect::<Vec<_>>() {
            let place = self.names.partition_point(|other| other.end <= range.start);
            if self.names.get(place).is_none_or(|next| range.end <= next.start) {
                self.names.insert(place, range);
            }
        }
        self
    }

    /// Iterates over the words and the names.
    pub fn spans(&self) -> impl Iterator<Item = Span<'_>> {
        let starts = std::iter::once(0).chain(self.names.iter().map(|name| name.end));
        let ends = self.names.iter().map(|name| name.start).chain([self.text.len()]);
        let words = starts.zip(ends).map(|(start, end)| Span::Words(&self.text[start..end]));
        let names = self.names.iter().map(|name| Some(Span::Name(&self.text[name.clone()])));
        words.zip(names.chain([None])).flat_map(|(words, name)| [Some(words), name]).flatten()
    }

    /// Returns the sentence with other words in the place of a name.
    #[must_use]
    pub fn with_words_for(&self, name: &str, words: &str) -> Self {
        let mut other = Self::default();
        for span in self.spans() {
            match span {
                Span::Name(own) if own == name => other.text.push_str(words),
                Span::Words(own) => other.text.push_str(own),
                Span::Name(own) => {
                    other.names.push(other.text.len()..other.text.len() + own.len());
                    other.text.push_str(own);
                }
            }
        }
        other
    }
}

impl From<String> for Sentence {
    fn from(text: String) -> Self {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '*');
        let mut names = Vec::new();
        if text.contains(ACE) || text.contains("XN--") {
            let mut start = 0;
            while let Some(next) = text[start..].find(is_of_name).map(|at| start + at) {
                let end = text[next..].find(|c| !is_of_name(c)).map_or(text.len(), |at| next + at);
                if text[next..end].to_ascii_lowercase().contains(ACE) {
                    names.push(next..end);
                }
                start = end;
            }
        }
        Self { text, names }
    }
}

impl From<&str> for Sentence {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Deref for Sentence {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Borrow<str> for Sentence {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq<str> for Sentence {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl PartialEq<&str> for Sentence {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other
    }
}

impl Serialize for Sentence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_apart_from_the_words() {
        let sentence = Sentence::from("a.example: xn--bcher-kva.example, a.example.net, a.example")
            .naming("a.example");
        let spans: Vec<Span<'_>> = sentence.spans().filter(|s| *s != Span::Words("")).collect();
        assert_eq!(
            spans,
            [
                Span::Name("a.example"),
                Span::Words(": "),
                Span::Name("xn--bcher-kva.example"),
                Span::Words(", a.example.net, "),
                Span::Name("a.example")
            ]
        );
        let other = sentence.with_words_for("a.example", "each name");
        assert_eq!(other, "each name: xn--bcher-kva.example, a.example.net, each name");
        assert_eq!(other.spans().filter(|s| matches!(s, Span::Name(_))).count(), 1);
    }
}
