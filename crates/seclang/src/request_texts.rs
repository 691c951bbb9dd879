//! Texts of requests: each is kept once, with what is known about it.
//!
//! Requests repeat most of their texts: names of headers, user agents, cookies. What a rule has
//! found out about one holds for the next request, too.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::limits::{KEPT_TEXTS, MOST_OF_TEXTS};
use super::pattern::Pattern;
use super::prefilter::Candidates;
use super::rules::RuleSet;

/// The number of a text.
pub(super) type Text = u32;

/// The empty text is always there.
pub(super) const EMPTY: Text = 0;
const UNKNOWN: Text = Text::MAX;

pub(super) struct Texts<'r> {
    set: &'r RuleSet,
    all: Vec<Rc<[u8]>>,
    numbers: HashMap<Rc<[u8]>, Text>,
    /// Memory that the texts take, in bytes; at most [`MOST_OF_TEXTS`].
    held_bytes: usize,
    /// Whether a text was left out because there is no memory for it.
    is_exhausted: bool,
    /// For each text and each sequence of transformations, the result.
    transformed: Vec<Text>,
    /// For each text, the operators that may match it: those that were not excluded and have not
    /// failed yet.
    candidates: Vec<Option<Candidates>>,
    /// Patterns that contained macros, by what they became.
    patterns: HashMap<Text, Option<Rc<Pattern>>>,
}

impl<'r> Texts<'r> {
    pub(super) fn new(set: &'r RuleSet) -> Self {
        let mut texts = Self {
            set,
            all: Vec::new(),
            numbers: HashMap::new(),
            held_bytes: 0,
            is_exhausted: false,
            transformed: Vec::new(),
            candidates: Vec::new(),
            patterns: HashMap::new(),
        };
        texts.add(b"");
        texts
    }

    /// Forgets all texts if they are too many.
    pub(super) fn begin_request(&mut self) {
        if self.all.len() > KEPT_TEXTS.0 || self.held_bytes > KEPT_TEXTS.1 {
            *self = Self::new(self.set);
        }
        self.is_exhausted = false;
    }

    /// Whether a text was left out since this was asked: what depends on it is not known.
    pub(super) fn take_exhausted(&mut self) -> bool {
        std::mem::take(&mut self.is_exhausted)
    }

    /// Whether a text was left out.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// Whether there is memory for a text of so many bytes; if not, it is noted that a text was
    /// left out.
    pub(super) fn has_memory_for(&mut self, bytes: usize) -> bool {
        let has_memory_for = bytes <= MOST_OF_TEXTS.saturating_sub(self.held_bytes);
        self.is_exhausted |= !has_memory_for;
        has_memory_for
    }

    /// The memory of a text: itself, and what is known about it.
    fn memory(&self, length: usize) -> usize {
        let results = self.set.chains.steps.len() * size_of::<Text>();
        let candidates = self.set.prefilter.words() * size_of::<u64>();
        length + results + candidates + size_of::<Rc<[u8]>>() * 4
    }

    /// Adds a text; the empty one takes its place if there is no memory for it.
    pub(super) fn add(&mut self, text: &[u8]) -> Text {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let memory = self.memory(text.len());
        if !self.has_memory_for(memory) {
            return EMPTY;
        }
        self.held_bytes += memory;
        let text: Rc<[u8]> = text.into();
        let number = self.all.len() as Text;
        self.all.push(Rc::clone(&text));
        self.numbers.insert(text, number);
        self.transformed.resize(self.transformed.len() + self.set.chains.steps.len(), UNKNOWN);
        self.candidates.push(None);
        number
    }

    pub(super) fn get(&self, text: Text) -> &Rc<[u8]> {
        &self.all[text as usize]
    }

    /// The result of a sequence of transformations.
    pub(super) fn transform(&mut self, text: Text, chain: usize) -> Text {
        if chain == 0 {
            return text;
        }
        let place = text as usize * self.set.chains.steps.len() + chain;
        let known = self.transformed[place];
        if known != UNKNOWN {
            return known;
        }
        let (parent, Some(transformation)) = self.set.chains.steps[chain] else { return text };
        let before = self.transform(text, parent);
        let result = if before == text && parent == 0 {
            let bytes = Rc::clone(self.get(text));
            if !self.has_memory_for(bytes.len().saturating_mul(transformation.most_growth())) {
                return EMPTY;
            }
            match transformation.apply(&bytes, &self.set.unicode_map) {
                Cow::Borrowed(_) => text,
                Cow::Owned(changed) => self.add(&changed),
            }
        } else {
            self.transform(before, self.set.chains.find(0, transformation))
        };
        if !self.is_exhausted {
            self.transformed[place] = result;
        }
        result
    }

    /// The operators that may match the text, as bits.
    pub(super) fn candidates(&mut self, text: Text) -> &[u64] {
        let place = text as usize;
        match &mut self.candidates[place] {
            Some(candidates) => candidates,
            none => none.insert(self.set.prefilter.candidates(&self.all[place])),
        }
    }

    /// Whether an operator may match the text.
    pub(super) fn is_candidate(&mut self, text: Text, bit: usize) -> bool {
        self.candidates(text)[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Remembers that an operator does not match the text.
    pub(super) fn exclude(&mut self, text: Text, bit: usize) {
        if let Some(candidates) = &mut self.candidates[text as usize] {
            candidates[bit / 64] &= !(1 << (bit % 64));
        }
    }

    /// A text as a pattern; none if it is not one.
    pub(super) fn pattern(&mut self, text: Text) -> Option<Rc<Pattern>> {
        let source = &self.all[text as usize];
        self.patterns
            .entry(text)
            .or_insert_with(|| Pattern::new(source, false).ok().map(Rc::new))
            .clone()
    }
}
