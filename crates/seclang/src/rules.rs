//! Rules in executable form, built from the directives of a rule set.

use std::collections::HashMap;

use super::decode::UnicodeMap;
use super::directives::Action;
use super::limits::Limits;
use super::macros::{TextOrMacro, TextWithMacros};
use super::operators::Operator;
use super::prefilter::Prefilter;
use super::transform::Transformation;
use super::variables::{Collection, RuleTarget, Selector, Targets};

/// A set of rules, ready to run.
#[derive(Debug, Default)]
pub struct RuleSet {
    /// The rules of the phases for requests: 1 (headers) and 2 (body).
    pub(super) phases: [Vec<Rule>; 2],
    pub(super) slots: Slots,
    pub(super) chains: Chains,
    pub(super) prefilter: Prefilter,
    /// The number of groups of rules.
    pub(super) groups: usize,
    pub(super) unicode_map: UnicodeMap,
    pub(super) limits: Limits,
    /// True if a rule reads the content of files.
    pub(super) reads_files: bool,
}

/// A rule, with the rules that are chained to it.
#[derive(Debug, Default)]
pub(super) struct Rule {
    pub id: u32,
    /// The index among the rules of all phases.
    pub index: usize,
    pub targets: Targets,
    /// `None` for `SecAction`, which always matches.
    pub operator: Option<Operator>,
    pub negated: bool,
    pub transformations: Vec<Transformation>,
    pub chain: usize,
    pub multi_match: bool,
    pub capture: bool,
    pub assignments: Vec<Assignment>,
    pub controls: Vec<Control>,
    /// The rule of the phase that runs next after a match.
    pub jump: Option<usize>,
    pub next: Option<Box<Rule>>,
    /// The bit of the prefilter, if the operator has one.
    pub bit: Option<usize>,
    /// The group of rules with the same texts, if these texts are constant while rules run.
    pub group: Option<usize>,
    pub tags: Vec<String>,
    pub message: String,
    pub phase: u8,
    pub chained: bool,
    pub skip_after: Option<String>,
    pub skip: usize,
}

/// `setvar`.
#[derive(Debug)]
pub(super) struct Assignment {
    pub collection: Collection,
    pub name: TextWithMacros,
    pub slot: Option<usize>,
    pub change: Change,
    /// The paranoia level whose score the assignment adds to.
    pub level: Option<u8>,
}

#[derive(Debug)]
pub(super) enum Change {
    Set(TextWithMacros),
    Add(TextWithMacros),
    Subtract(TextWithMacros),
    Unset,
}

/// `ctl`.
#[derive(Debug)]
pub(super) enum Control {
    RemoveRules(Which, Bits),
    RemoveTarget(Which, Bits, RuleTarget),
    Processor(String),
    EngineOff,
}

/// Selects rules for a directive or an action.
#[derive(Debug)]
pub(super) enum Which {
    Ids(Vec<(u32, u32)>),
    Tag(String),
    Message(String),
}

/// A set of rules by their index.
pub(super) type Bits = Vec<u64>;

impl Which {
    pub(super) fn ids(text: &str) -> Result<Self, String> {
        let mut ranges = Vec::new();
        for part in text
            .split([',', ' '])
            .map(|part| part.trim_matches(['"', '\'', ' ']))
            .filter(|part| !part.is_empty())
        {
            let (low, high) = part.split_once('-').unwrap_or((part, part));
            match (low.parse(), high.parse()) {
                (Ok(low), Ok(high)) => ranges.push((low, high)),
                _ => return Err(format!("`{part}` is not a number of a rule and not a range")),
            }
        }
        Ok(Self::Ids(ranges))
    }

    pub(super) fn named(kind: &str, text: &str) -> Result<Self, String> {
        match kind {
            "id" => Self::ids(text),
            "tag" => Ok(Self::Tag(text.to_owned())),
            _ => Ok(Self::Message(text.to_owned())),
        }
    }

    pub(super) fn covers(&self, rule: &Rule) -> bool {
        match self {
            Self::Ids(ranges) => ranges.iter().any(|(low, high)| (*low..=*high).contains(&rule.id)),
            Self::Tag(tag) => rule.tags.contains(tag),
            Self::Message(message) => rule.message == *message,
        }
    }
}

/// The names of stored variables that the rules mention. Each has a slot in a request.
#[derive(Debug, Default)]
pub(super) struct Slots {
    places: HashMap<(Collection, Vec<u8>), usize>,
    pub names: Vec<(Collection, Vec<u8>)>,
}

impl Slots {
    pub(super) fn place(&mut self, collection: Collection, name: &[u8]) -> usize {
        let key = (collection, name.to_ascii_lowercase());
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        self.names.push((collection, name.to_vec()));
        self.places.insert(key, self.names.len() - 1);
        self.names.len() - 1
    }

    /// Finds the slot of a name that was composed at run time.
    pub(super) fn find(
        &self,
        collection: Collection,
        lowercase: Vec<u8>,
    ) -> Result<usize, Vec<u8>> {
        let key = (collection, lowercase);
        self.places.get(&key).copied().ok_or(key.1)
    }
}

/// Sequences of transformations, each composed of a shorter one and one more transformation. Number
/// 0 is empty.
#[derive(Debug)]
pub(super) struct Chains {
    pub steps: Vec<(usize, Option<Transformation>)>,
}

impl Default for Chains {
    fn default() -> Self {
        Self { steps: vec![(0, None)] }
    }
}

impl Chains {
    pub(super) fn intern(&mut self, transformations: &[Transformation]) -> usize {
        let mut chain = 0;
        for &transformation in transformations {
            // Each step is also a sequence of its own, under which its result is stored.
            for parent in [0, chain] {
                if !self.steps.contains(&(parent, Some(transformation))) {
                    self.steps.push((parent, Some(transformation)));
                }
            }
            chain = self.find(chain, transformation);
        }
        chain
    }

    pub(super) fn find(&self, parent: usize, transformation: Transformation) -> usize {
        self.steps.iter().position(|step| *step == (parent, Some(transformation))).unwrap_or(0)
    }
}

/// A rule that can add to the anomaly score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoringRule<'r> {
    /// The number of the rule.
    pub rule: u32,
    /// The paranoia level of the rule, 1 to 4.
    pub level: u8,
    /// The message of the rule's author, which describes the attack.
    pub message: &'r str,
}

impl RuleSet {
    /// Iterates over the rules that can add to the anomaly score, in the order of the set.
    pub fn scoring(&self) -> impl Iterator<Item = ScoringRule<'_>> {
        self.rules().filter_map(|rule| {
            let level = rule
                .members()
                .flat_map(|member| &member.assignments)
                .find_map(|assigned| assigned.level)?;
            Some(ScoringRule { rule: rule.id, level, message: &rule.message })
        })
    }

    pub(super) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.phases.iter().flatten()
    }
}

impl Control {
    pub(super) fn which(&self) -> Option<&Which> {
        match self {
            Self::RemoveRules(which, _) | Self::RemoveTarget(which, ..) => Some(which),
            _ => None,
        }
    }

    fn parse(text: &str) -> Result<Option<Self>, String> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let name = name.trim().to_ascii_lowercase();
        let value = value.trim();
        if let Some(kind) = name.strip_prefix("ruleremovetargetby") {
            let (which, target) = value
                .split_once(';')
                .ok_or_else(|| format!("`{text}` names no target after `;`"))?;
            return Ok(Some(Self::RemoveTarget(
                Which::named(kind, which)?,
                Bits::new(),
                RuleTarget::parse(target)?,
            )));
        }
        if let Some(kind) = name.strip_prefix("ruleremoveby") {
            return Ok(Some(Self::RemoveRules(Which::named(kind, value)?, Bits::new())));
        }
        Ok(match name.as_str() {
            "requestbodyprocessor" => Some(Self::Processor(value.to_ascii_uppercase())),
            "ruleengine" if value.eq_ignore_ascii_case("off") => Some(Self::EngineOff),
            _ => None,
        })
    }
}

impl Assignment {
    fn parse(text: &str) -> Result<Self, String> {
        let (unset, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let (name, value) =
            text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let (collection, name) = name
            .trim()
            .split_once(['.', ':'])
            .ok_or_else(|| format!("`setvar:{text}` names no collection"))?;
        let collection = RuleTarget::parse(collection)?.collection;
        if !collection.is_stored() {
            return Err(format!("`{}` cannot be set", collection.name()));
        }
        let change = match value.map(str::trim) {
            _ if unset => Change::Unset,
            None => Change::Set(TextWithMacros::parse("1")?),
            Some(value) => match (value.strip_prefix('+'), value.strip_prefix('-')) {
                (Some(value), _) => Change::Add(TextWithMacros::parse(value)?),
                (_, Some(value)) => Change::Subtract(TextWithMacros::parse(value)?),
                _ => Change::Set(TextWithMacros::parse(value)?),
            },
        };
        let lower = name.to_ascii_lowercase();
        let score =
            lower.strip_prefix("inbound_").unwrap_or(&lower).strip_prefix("anomaly_score_pl");
        let level = score
            .filter(|_| matches!(change, Change::Add(_)))
            .and_then(|level| level.parse().ok())
            .filter(|level| (1..=4).contains(level));
        Ok(Self { collection, name: TextWithMacros::parse(name)?, slot: None, change, level })
    }
}

impl Rule {
    /// Iterates over the rule and the rules that are chained to it.
    pub(super) fn members(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |rule| rule.next.as_deref())
    }

    pub(super) fn apply(&mut self, actions: &[Action]) -> Result<(), String> {
        for Action { name, value } in actions {
            match name.as_str() {
                "id" => {
                    self.id = value
                        .parse()
                        .map_err(|_| format!("`{value}` is not the number of a rule"))?
                }
                "phase" => {
                    self.phase = match value.to_ascii_lowercase().as_str() {
                        "request" => 2,
                        "response" => 4,
                        "logging" => 5,
                        number => {
                            number.parse().map_err(|_| format!("`{value}` is not a phase"))?
                        }
                    }
                }
                "t" if value.eq_ignore_ascii_case("none") => self.transformations.clear(),
                "t" => {
                    let transformation = Transformation::named(value)
                        .ok_or_else(|| format!("the transformation `t:{value}` is unknown"))?;
                    self.transformations.push(transformation);
                }
                "chain" => self.chained = true,
                "capture" => self.capture = true,
                "multimatch" => self.multi_match = true,
                "setvar" => self.assignments.push(Assignment::parse(value)?),
                "ctl" => self.controls.extend(Control::parse(value)?),
                "skipafter" => self.skip_after = Some(value.clone()),
                "skip" => {
                    self.skip =
                        value.parse().map_err(|_| format!("`{value}` is not a number of rules"))?
                }
                "tag" => self.tags.push(value.clone()),
                "msg" => self.message.clone_from(value),
                // Other actions concern logs and the handling of the request, which are not
                // evaluated here.
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn resolve(
        &mut self,
        index: usize,
        slots: &mut Slots,
        chains: &mut Chains,
        prefilter: &mut super::prefilter::Builder,
    ) -> Result<(), String> {
        self.index = index;
        self.chain = chains.intern(&self.transformations);
        self.targets.included.iter_mut().for_each(|target| target.resolve(slots));
        for assignment in &mut self.assignments {
            assignment.slot =
                assignment.name.plain().map(|name| slots.place(assignment.collection, name));
            if let Change::Set(value) | Change::Add(value) | Change::Subtract(value) =
                &mut assignment.change
            {
                value.resolve(slots);
            }
            assignment.name.resolve(slots);
        }
        self.bit = match &mut self.operator {
            None => None,
            Some(Operator::Rx(pattern)) => Some(prefilter.pattern(&pattern.hir()?)),
            Some(Operator::Pm(_, phrases)) => Some(prefilter.phrases(phrases)),
            Some(
                Operator::Number(_, text) | Operator::Text(_, text) | Operator::RxWithMacros(text),
            ) => {
                text.resolve(slots);
                // The same text may match once and not again if the parameter changes.
                text.plain().is_some().then(|| prefilter.other())
            }
            Some(_) => Some(prefilter.other()),
        };
        match &mut self.next {
            Some(next) => {
                next.id = self.id;
                next.resolve(index, slots, chains, prefilter)
            }
            None => Ok(()),
        }
    }
}

impl RuleTarget {
    /// Assigns a slot to a stored variable.
    fn resolve(&mut self, slots: &mut Slots) {
        if let (true, Selector::Key(name)) = (self.collection.is_stored(), &self.selector) {
            self.selector = Selector::Slot(slots.place(self.collection, name), name.clone());
        }
    }
}

impl TextWithMacros {
    fn resolve(&mut self, slots: &mut Slots) {
        for part in &mut self.parts {
            if let TextOrMacro::Value(target) = part {
                target.resolve(slots);
            }
        }
    }
}
