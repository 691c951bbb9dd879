//! Runs rules on one request.

use super::evidence::{Evidence, matched_bytes};
use super::libinjection;
use super::limits::{MOST_BYTES, MOST_MATCHES};
use super::operators::{Operator, leading_number, url_encoding_is_broken};
use super::pattern::{Pattern, Undecided};
use super::request_texts::TextNumber;
use super::rules::{Rule, RuleSet};
use super::transaction::{CollectionEntry, Transaction};
use super::variables::RuleTarget;
use super::{Hit, Outcome, Request, request};

impl RuleSet {
    /// Creates an evaluator, which runs the rules on one request after another.
    #[must_use]
    pub fn evaluator(&self) -> Evaluator<'_> {
        Evaluator(RuleRun {
            transaction: Transaction::new(self),
            outcome: Outcome::default(),
            stopped: false,
            found: Vec::new(),
            evidence: None,
            groups: Groups {
                united: vec![false; self.groups],
                bits: vec![0; self.groups * self.prefilter.words()],
            },
        })
    }
}

/// Runs the rules of a set. It caches texts, because most requests repeat texts of earlier ones.
pub struct Evaluator<'r>(RuleRun<'r>);

impl Evaluator<'_> {
    /// Runs all rules on a request.
    #[must_use]
    pub fn evaluate(&mut self, request: &Request) -> Outcome {
        let run = &mut self.0;
        run.stopped = false;
        run.transaction.begin_request();
        let set = run.transaction.set;
        request::read_head(&mut run.transaction, request);
        run.phase(&set.phases[0]);
        if !run.stopped {
            super::body::read_body(&mut run.transaction, request);
            run.phase(&set.phases[1]);
        }
        let mut outcome = std::mem::take(&mut run.outcome);
        outcome.hits.sort_unstable_by_key(|hit| hit.rule);
        outcome.hits.dedup_by_key(|hit| hit.rule);
        outcome.undecided.sort_unstable();
        outcome.undecided.dedup();
        outcome
    }

    /// Runs all rules on a request. Also returns the evidence of each hit, by rule and in the order
    /// of the request.
    #[must_use]
    pub fn explain(&mut self, request: &Request) -> (Outcome, Vec<Evidence>) {
        self.0.evidence = Some(Vec::new());
        let outcome = self.evaluate(request);
        let mut evidence = self.0.evidence.take().unwrap_or_default();
        evidence.sort_by_key(|evidence| evidence.rule);
        (outcome, evidence)
    }
}

impl std::fmt::Debug for Evaluator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluator").finish_non_exhaustive()
    }
}

struct RuleRun<'r> {
    transaction: Transaction<'r>,
    outcome: Outcome,
    stopped: bool,
    /// A buffer for the members of a collection, which is reused.
    found: Vec<CollectionEntry>,
    /// The evidence of hits, if requested.
    evidence: Option<Vec<Evidence>>,
    groups: Groups,
}

/// For each group of rules, the rules that may match one of its texts. Most rules need not read any
/// of them.
struct Groups {
    /// True for each group whose bits are computed for this phase of this request.
    united: Vec<bool>,
    bits: Vec<u64>,
}

impl<'r> RuleRun<'r> {
    fn phase(&mut self, rules: &'r [Rule]) {
        let mut position = 0;
        self.groups.united.fill(false);
        while let Some(rule) = rules.get(position) {
            position += 1;
            if self.transaction.removed[rule.index / 64] >> (rule.index % 64) & 1 == 1 {
                continue;
            }
            let hits = self.outcome.hits.len();
            let matches = self.can_match(rule) && self.rule(rule);
            let is_known = !self.transaction.texts.take_exhausted();
            if !is_known {
                self.outcome.hits.truncate(hits);
                self.outcome.undecided.push(rule.id);
            }
            if matches && is_known {
                position = rule.jump.unwrap_or(position);
            }
            if self.stopped {
                return;
            }
        }
    }

    /// Returns true if a rule can match any text of its group.
    fn can_match(&mut self, rule: &'r Rule) -> bool {
        let (Some(group), Some(bit)) = (rule.group, rule.bit) else { return true };
        let words = self.transaction.set.prefilter.words();
        let bits = group * words..(group + 1) * words;
        if !std::mem::replace(&mut self.groups.united[group], true) {
            self.unite(rule, bits.clone());
        }
        self.groups.bits[bits][bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Collects the rules that may match one of the texts of the rule's group.
    fn unite(&mut self, rule: &'r Rule, bits: std::ops::Range<usize>) {
        let bits = &mut self.groups.bits[bits];
        bits.fill(0);
        for target in &rule.targets.included {
            self.transaction.select(target, &mut self.found);
            for entry in &self.found {
                let text = self.transaction.texts.transform(entry.value, rule.chain);
                let candidates = self.transaction.texts.candidates(text);
                bits.iter_mut().zip(candidates).for_each(|(bits, candidates)| *bits |= candidates);
            }
        }
    }

    /// Runs a rule and the rules that are chained to it; returns true if all match.
    fn rule(&mut self, starter: &'r Rule) -> bool {
        self.transaction.begin_rule();
        let noted = self.evidence.as_ref().map_or(0, Vec::len);
        let hits = self.outcome.hits.len();
        let all_match = starter.members().all(|member| self.member(starter, member));
        if self.outcome.hits.len() == hits
            && let Some(evidence) = &mut self.evidence
        {
            evidence.truncate(noted);
        }
        if !all_match {
            return false;
        }
        for control in starter.members().flat_map(|member| &member.controls) {
            self.stopped |= !self.transaction.control(control);
            // The rule may have changed texts that other rules read.
            self.groups.united.fill(false);
        }
        true
    }

    fn member(&mut self, starter: &'r Rule, rule: &'r Rule) -> bool {
        let Some(operator) = &rule.operator else {
            self.assign(rule);
            return true;
        };
        let mut matched = false;
        for target in &rule.targets.included {
            if let Some(length) = self.transaction.whole(target) {
                for place in 0..length {
                    let entry = self.transaction.member(target, place);
                    matched |= self.entry(starter, rule, operator, target, entry);
                }
                continue;
            }
            let mut entries = std::mem::take(&mut self.found);
            self.transaction.select(target, &mut entries);
            for &entry in &entries {
                matched |= self.entry(starter, rule, operator, target, entry);
            }
            self.found = entries;
        }
        matched
    }

    fn entry(
        &mut self,
        starter: &'r Rule,
        rule: &'r Rule,
        operator: &'r Operator,
        target: &RuleTarget,
        entry: CollectionEntry,
    ) -> bool {
        if !rule.multi_match {
            let value = self.transaction.texts.transform(entry.value, rule.chain);
            return self.test(starter, rule, operator, target, entry, value);
        }
        let mut matched = self.test(starter, rule, operator, target, entry, entry.value);
        let mut previous = entry.value;
        let mut chain = 0;
        for &transformation in &rule.transformations {
            chain = self.transaction.set.chains.find(chain, transformation);
            let value = self.transaction.texts.transform(entry.value, chain);
            if value != previous {
                matched |= self.test(starter, rule, operator, target, entry, value);
            }
            previous = value;
        }
        matched
    }

    fn test(
        &mut self,
        starter: &Rule,
        rule: &'r Rule,
        operator: &'r Operator,
        target: &RuleTarget,
        entry: CollectionEntry,
        value: TextNumber,
    ) -> bool {
        let candidate = rule.bit.is_none_or(|bit| self.transaction.texts.is_candidate(value, bit));
        if !candidate && !rule.negated || self.transaction.is_excluded(rule, starter, entry) {
            return false;
        }
        let verdict = if candidate { self.matches(rule, operator, value) } else { Ok(false) };
        let Ok(found) = verdict else {
            self.outcome.undecided.push(rule.id);
            return false;
        };
        if let (false, true, Some(bit)) = (found, candidate, rule.bit) {
            self.transaction.texts.exclude(value, bit);
        }
        if found == rule.negated {
            return false;
        }
        self.transaction.matched(entry, value);
        if let Some(evidence) = &mut self.evidence
            && evidence.iter().rev().take_while(|other| other.rule == rule.id).count()
                < MOST_MATCHES
        {
            let matched_text = self.transaction.texts.get(value);
            let (bytes, length) = (matched_bytes(rule, operator, matched_text), matched_text.len());
            let matched =
                matched_text[bytes.start..bytes.end.min(bytes.start + MOST_BYTES)].to_vec();
            let is_count = target.count;
            let key = if is_count {
                target.selector.key()
            } else {
                &**self.transaction.texts.get(entry.key)
            };
            let (collection, key) = (entry.collection.name(), key.to_vec());
            evidence.push(Evidence {
                rule: rule.id,
                collection,
                key,
                is_count,
                matched,
                bytes,
                length,
            });
        }
        self.assign(rule);
        true
    }

    fn assign(&mut self, rule: &'r Rule) {
        for assignment in &rule.assignments {
            let by = self.transaction.assign(assignment, rule);
            if let (Some(level), Some(score)) = (assignment.level, by) {
                self.outcome.hits.push(Hit { rule: rule.id, level, score });
            }
        }
    }

    fn matches(
        &mut self,
        rule: &'r Rule,
        operator: &'r Operator,
        value: TextNumber,
    ) -> Result<bool, Undecided> {
        let text = std::rc::Rc::clone(self.transaction.texts.get(value));
        Ok(match operator {
            Operator::Rx(pattern) => return self.regex(rule, pattern, &text),
            Operator::RxWithMacros(with_macros) => {
                let source = self.transaction.expand(with_macros, rule);
                let pattern = self.transaction.texts.pattern(source).ok_or(Undecided)?;
                return self.regex(rule, &pattern, &text);
            }
            Operator::Pm(automaton, _) => {
                let phrase = automaton.find(text.as_ref());
                if let (Some(found), true) = (&phrase, rule.capture) {
                    self.transaction.capture(std::iter::once(Some(&text[found.range()])));
                }
                phrase.is_some()
            }
            Operator::Number(comparison, with_macros) => {
                let parameter = match with_macros.plain() {
                    Some(plain) => leading_number(plain),
                    None => {
                        let parameter = self.transaction.expand(with_macros, rule);
                        leading_number(self.transaction.texts.get(parameter))
                    }
                };
                comparison.holds(leading_number(&text), parameter)
            }
            Operator::Text(comparison, with_macros) => match with_macros.plain() {
                Some(plain) => comparison.holds(&text, plain),
                None => {
                    let parameter = self.transaction.expand(with_macros, rule);
                    comparison.holds(&text, self.transaction.texts.get(parameter))
                }
            },
            Operator::IpMatch(networks) => {
                let address = std::str::from_utf8(&text)
                    .ok()
                    .and_then(|text| text.parse::<std::net::IpAddr>().ok());
                address.is_some_and(|address| {
                    networks.iter().any(|network| network.contains(&address))
                })
            }
            Operator::DetectSqli => match libinjection::sql(&text) {
                None => return Err(Undecided),
                Some(fingerprint) => {
                    if let (Some(fingerprint), true) = (&fingerprint, rule.capture) {
                        self.transaction.capture(std::iter::once(Some(fingerprint.as_bytes())));
                    }
                    fingerprint.is_some()
                }
            },
            Operator::DetectXss => {
                let is_attack = libinjection::html(&text).ok_or(Undecided)?;
                if is_attack && rule.capture {
                    self.transaction.capture(std::iter::once(Some(text.as_ref())));
                }
                is_attack
            }
            Operator::ValidateByteRange(allowed) => {
                text.iter().any(|byte| !allowed[usize::from(*byte)])
            }
            Operator::ValidateUrlEncoding => url_encoding_is_broken(&text),
            Operator::ValidateUtf8Encoding => std::str::from_utf8(&text).is_err(),
            Operator::Always => true,
            Operator::Never => false,
        })
    }

    fn regex(&mut self, rule: &Rule, pattern: &Pattern, text: &[u8]) -> Result<bool, Undecided> {
        if !rule.capture || rule.negated {
            return pattern.is_match(text);
        }
        // Capturing groups is slower than testing, and most texts do not match.
        if !pattern.is_match(text)? {
            return Ok(false);
        }
        let captures = pattern.captures(text)?;
        if let Some(groups) = &captures {
            self.transaction
                .capture(groups.iter().map(|group| group.map(|(start, end)| &text[start..end])));
        }
        Ok(captures.is_some())
    }
}
