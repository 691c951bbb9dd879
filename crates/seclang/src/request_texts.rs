//! Texts of requests: each is stored once, with the results of rules for it.
//!
//! Requests repeat most of their texts: names of headers, user agents, cookies. The result of a
//! rule for a text is also valid in the next request.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::limits::{KEPT_TEXTS, MOST_OF_TEXTS};
use super::pattern::Pattern;
use super::prefilter::Candidates;
use super::rules::RuleSet;

/// The number of a text.
pub(super) type TextNumber = u32;

/// The empty text always exists.
pub(super) const EMPTY: TextNumber = 0;
const UNKNOWN: TextNumber = TextNumber::MAX;

pub(super) struct Texts<'r> {
    set: &'r RuleSet,
    all: Vec<Rc<[u8]>>,
    numbers: HashMap<Rc<[u8]>, TextNumber>,
    /// Memory of the texts, in bytes; at most [`MOST_OF_TEXTS`].
    held_bytes: usize,
    /// True if a text was left out because of the memory limit.
    is_exhausted: bool,
    /// For each text and each sequence of transformations, the result.
    transformed: Vec<TextNumber>,
    /// For each text, the operators that may match it: operators that were not excluded and have
    /// not failed yet.
    candidates: Vec<Option<Candidates>>,
    /// Compiled patterns with macros, by their expanded texts.
    patterns: HashMap<TextNumber, Option<Rc<Pattern>>>,
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

    /// Removes all texts if there are too many.
    pub(super) fn begin_request(&mut self) {
        if self.all.len() > KEPT_TEXTS.0 || self.held_bytes > KEPT_TEXTS.1 {
            *self = Self::new(self.set);
        }
        self.is_exhausted = false;
    }

    /// Returns true if a text was left out since the last call, so that dependent results are
    /// unknown.
    pub(super) fn take_exhausted(&mut self) -> bool {
        std::mem::take(&mut self.is_exhausted)
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// Returns true if there is memory for a text of this length. Otherwise records that a text was
    /// left out.
    pub(super) fn has_memory_for(&mut self, bytes: usize) -> bool {
        let has_memory_for = bytes <= MOST_OF_TEXTS.saturating_sub(self.held_bytes);
        self.is_exhausted |= !has_memory_for;
        has_memory_for
    }

    /// Returns the memory of a text, including the results for it.
    fn memory(&self, length: usize) -> usize {
        let results = self.set.chains.steps.len() * size_of::<TextNumber>();
        let candidates = self.set.prefilter.words() * size_of::<u64>();
        length + results + candidates + size_of::<Rc<[u8]>>() * 4
    }

    /// Adds a text. Returns the empty text if there is no memory.
    pub(super) fn add(&mut self, text: &[u8]) -> TextNumber {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let memory = self.memory(text.len());
        if !self.has_memory_for(memory) {
            return EMPTY;
        }
        self.held_bytes += memory;
        let text: Rc<[u8]> = text.into();
        let number = self.all.len() as TextNumber;
        self.all.push(Rc::clone(&text));
        self.numbers.insert(text, number);
        self.transformed.resize(self.transformed.len() + self.set.chains.steps.len(), UNKNOWN);
        self.candidates.push(None);
        number
    }

    pub(super) fn get(&self, text: TextNumber) -> &Rc<[u8]> {
        &self.all[text as usize]
    }

    /// Returns the result of a sequence of transformations.
    pub(super) fn transform(&mut self, text: TextNumber, chain: usize) -> TextNumber {
        if chain == 0 {
            return text;
        }
        let place = text as usize * self.set.chains.steps.len() + chain;
        let known_text = self.transformed[place];
        if known_text != UNKNOWN {
            return known_text;
        }
        let (parent, Some(transformation)) = self.set.chains.steps[chain] else { return text };
        let parent_text = self.transform(text, parent);
        let result = if parent_text == text && parent == 0 {
            let bytes = Rc::clone(self.get(text));
            if !self.has_memory_for(bytes.len().saturating_mul(transformation.most_growth())) {
                return EMPTY;
            }
            match transformation.apply(&bytes, &self.set.unicode_map) {
                Cow::Borrowed(_) => text,
                Cow::Owned(changed) => self.add(&changed),
            }
        } else {
            self.transform(parent_text, self.set.chains.find(0, transformation))
        };
        if !self.is_exhausted {
            self.transformed[place] = result;
        }
        result
    }

    /// Returns the operators that may match the text, as bits.
    pub(super) fn candidates(&mut self, text: TextNumber) -> &[u64] {
        let place = text as usize;
        match &mut self.candidates[place] {
            Some(candidates) => candidates,
            none => none.insert(self.set.prefilter.candidates(&self.all[place])),
        }
    }

    /// Returns true if an operator may match the text.
    pub(super) fn is_candidate(&mut self, text: TextNumber, bit: usize) -> bool {
        self.candidates(text)[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Records that an operator does not match the text.
    pub(super) fn exclude(&mut self, text: TextNumber, bit: usize) {
        if let Some(candidates) = &mut self.candidates[text as usize] {
            candidates[bit / 64] &= !(1 << (bit % 64));
        }
    }

    /// Returns a text as a pattern; `None` if it is not a valid pattern.
    pub(super) fn pattern(&mut self, text: TextNumber) -> Option<Rc<Pattern>> {
        let source = &self.all[text as usize];
        self.patterns
            .entry(text)
            .or_insert_with(|| Pattern::new(source, false).ok().map(Rc::new))
            .clone()
    }
}
