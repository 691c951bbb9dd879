//! Finds, in one pass over a text, the rules that can match it.
//!
//! Most rules need one of a few literals. All literals of all rules are searched at once; a missing
//! literal excludes its rules.

use aho_corasick::AhoCorasick;
use regex_syntax::hir::Hir;

/// Number of text lengths that are distinguished: few rules need longer texts.
const LENGTHS: usize = 64;

/// A set of rules that can match a text.
pub(super) type Candidates = Box<[u64]>;

#[derive(Debug, Default)]
pub(super) struct Prefilter {
    automaton: Option<AhoCorasick>,
    /// For each literal, the bits of the rules that need it.
    needs: Vec<Vec<u32>>,
    /// For each byte, the bits of the rules that need it.
    bytes: Vec<Candidates>,
    /// Bits that are always set, for rules that need no literal.
    always: Candidates,
    /// For each length of a text, the bits of the rules for which the length is sufficient.
    lengths: Vec<Candidates>,
}

impl Prefilter {
    /// Returns the number of words of a set of rules.
    pub(super) fn words(&self) -> usize {
        self.always.len()
    }

    /// Returns the rules that can match the text.
    pub(super) fn candidates(&self, text: &[u8]) -> Candidates {
        let mut possible_rules = self.always.clone();
        let mut seen_bytes = [false; 256];
        for &byte in text {
            let byte = usize::from(byte.to_ascii_lowercase());
            if !std::mem::replace(&mut seen_bytes[byte], true)
                && let Some(mask) = self.bytes.get(byte).filter(|mask| !mask.is_empty())
            {
                possible_rules.iter_mut().zip(mask).for_each(|(found, mask)| *found |= mask);
            }
        }
        if let Some(automaton) = &self.automaton {
            for literal in automaton.find_overlapping_iter(text) {
                for bit in &self.needs[literal.pattern().as_usize()] {
                    possible_rules[*bit as usize / 64] |= 1 << (bit % 64);
                }
            }
        }
        if let Some(mask) = self.lengths.get(text.len()) {
            possible_rules.iter_mut().zip(mask).for_each(|(found, mask)| *found &= mask);
        }
        possible_rules
    }
}

/// Collects the literals that rules need.
#[derive(Debug, Default)]
pub(super) struct Builder {
    rules: Vec<PrefilteredRule>,
}

#[derive(Debug)]
struct PrefilteredRule {
    literals: Option<Vec<Vec<u8>>>,
    minimum: usize,
}

impl Builder {
    /// Adds a regular expression and returns its bit.
    pub(super) fn pattern(&mut self, hir: &Hir) -> usize {
        self.rules.push(PrefilteredRule {
            literals: super::literals::needed(hir),
            minimum: hir.properties().minimum_len().unwrap_or(0),
        });
        self.rules.len() - 1
    }

    /// Adds an operator that cannot be excluded before it runs, and returns its bit.
    pub(super) fn other(&mut self) -> usize {
        self.rules.push(PrefilteredRule { literals: None, minimum: 0 });
        self.rules.len() - 1
    }

    /// Adds a list of phrases and returns its bit.
    pub(super) fn phrases(&mut self, phrases: &[Vec<u8>]) -> usize {
        let minimum = phrases.iter().map(Vec::len).min().unwrap_or(0);
        let literals = phrases.iter().map(|phrase| phrase.to_ascii_lowercase()).collect();
        self.rules.push(PrefilteredRule { literals: Some(literals), minimum });
        self.rules.len() - 1
    }

    pub(super) fn build(self) -> Result<Prefilter, String> {
        let words = self.rules.len().div_ceil(64);
        let mut always = vec![0u64; words];
        let mut bytes = vec![Vec::new(); 256];
        let mut needs: std::collections::BTreeMap<Vec<u8>, Vec<u32>> =
            std::collections::BTreeMap::new();
        for (bit, rule) in self.rules.iter().enumerate() {
            match &rule.literals {
                None => always[bit / 64] |= 1 << (bit % 64),
                Some(literals) => {
                    for literal in literals {
                        if let [byte] = literal.as_slice() {
                            let mask = &mut bytes[usize::from(*byte)];
                            mask.resize(words, 0u64);
                            mask[bit / 64] |= 1 << (bit % 64);
                        } else {
                            let bits = needs.entry(literal.clone()).or_default();
                            if bits.last() != Some(&(bit as u32)) {
                                bits.push(bit as u32);
                            }
                        }
                    }
                }
            }
        }
        let longest = self.rules.iter().map(|rule| rule.minimum).max().unwrap_or(0).min(LENGTHS);
        let enough = |length: usize| {
            let mut mask = vec![0u64; words];
            self.rules
                .iter()
                .enumerate()
                .filter(|(_, rule)| rule.minimum <= length)
                .for_each(|(bit, _)| mask[bit / 64] |= 1 << (bit % 64));
            mask.into_boxed_slice()
        };
        let lengths = (0..longest).map(enough).collect();
        let (literals, needs): (Vec<_>, Vec<_>) = needs.into_iter().unzip();
        let automaton = if literals.is_empty() {
            None
        } else {
            Some(
                AhoCorasick::builder()
                    .ascii_case_insensitive(true)
                    .build(&literals)
                    .map_err(|error| error.to_string())?,
            )
        };
        Ok(Prefilter {
            automaton,
            needs,
            bytes: bytes.into_iter().map(Vec::into_boxed_slice).collect(),
            always: always.into_boxed_slice(),
            lengths,
        })
    }
}
