//! The state of a request while rules run: its variables, the variables that rules have stored, and
//! the rules that are disabled.

use std::collections::HashMap;
use std::rc::Rc;

use super::macros::{TextOrMacro, TextWithMacros};
use super::operators::leading_number;
use super::request_texts::{EMPTY, TextNumber, Texts};
use super::rules::{Assignment, Bits, Change, Control, Rule, RuleSet};
use super::variables::{Collection, RuleTarget, Selector};

/// A member of a collection.
#[derive(Debug, Clone, Copy)]
pub(super) struct CollectionEntry {
    pub collection: Collection,
    pub key: TextNumber,
    pub value: TextNumber,
}

pub(super) struct Transaction<'r> {
    pub set: &'r RuleSet,
    pub texts: Texts<'r>,
    collections: Vec<Vec<CollectionEntry>>,
    /// Stored variables whose names the rules mention.
    slots: Vec<Option<TextNumber>>,
    slot_names: Vec<Option<TextNumber>>,
    /// Stored variables with other names, with their names in lower case.
    others: Vec<Option<CollectionEntry>>,
    other_places: HashMap<(Collection, Vec<u8>), usize>,
    /// The members that the current rule matched.
    matched: Vec<CollectionEntry>,
    pub removed: Bits,
    pub removed_targets: Vec<(&'r Bits, &'r RuleTarget)>,
    /// Combined length of names and values of arguments.
    arguments_size: usize,
}

impl<'r> Transaction<'r> {
    pub(super) fn new(set: &'r RuleSet) -> Self {
        Self {
            set,
            texts: Texts::new(set),
            collections: vec![Vec::new(); Collection::ALL.len()],
            slots: vec![None; set.slots.names.len()],
            slot_names: vec![None; set.slots.names.len()],
            others: Vec::new(),
            other_places: HashMap::new(),
            matched: Vec::new(),
            removed: vec![0; set.rules().count().div_ceil(64)],
            removed_targets: Vec::new(),
            arguments_size: 0,
        }
    }

    /// Removes everything that belongs to the previous request.
    pub(super) fn begin_request(&mut self) {
        self.texts.begin_request();
        for (collection, entries) in Collection::ALL.into_iter().zip(&mut self.collections) {
            entries.clear();
            if collection.is_single() {
                entries.push(CollectionEntry { collection, key: EMPTY, value: EMPTY });
            }
        }
        self.slots.fill(None);
        // The numbers of texts may have changed.
        self.slot_names.fill(None);
        self.others.clear();
        self.other_places.clear();
        self.matched.clear();
        self.removed.fill(0);
        self.removed_targets.clear();
        self.arguments_size = 0;
    }

    /// Sets a variable with a single value.
    pub(super) fn set(&mut self, collection: Collection, value: &[u8]) {
        let value = self.texts.add(value);
        let entry = CollectionEntry { collection, key: EMPTY, value };
        let entries = &mut self.collections[collection as usize];
        entries.clear();
        entries.push(entry);
    }

    pub(super) fn set_flag(&mut self, collection: Collection, flag: bool) {
        self.set(collection, if flag { b"1" } else { b"0" });
    }

    /// Adds a member to a collection.
    pub(super) fn add(&mut self, collection: Collection, key: &[u8], value: &[u8]) {
        let entry =
            CollectionEntry { collection, key: self.texts.add(key), value: self.texts.add(value) };
        self.collections[collection as usize].push(entry);
    }

    /// Adds a member whose value is its key.
    pub(super) fn add_name(&mut self, collection: Collection, key: &[u8]) {
        self.add(collection, key, key);
    }

    /// Adds an argument to its collections. Returns false if there are too many already.
    pub(super) fn add_argument(
        &mut self,
        name: &[u8],
        value: &[u8],
        own: Option<(Collection, Collection)>,
        counted: bool,
    ) -> bool {
        if self.collections[Collection::Args as usize].len() >= self.set.limits.arguments {
            return false;
        }
        self.add(Collection::Args, name, value);
        self.add_name(Collection::ArgsNames, name);
        if let Some((values, names)) = own {
            self.add(values, name, value);
            self.add_name(names, name);
        }
        if counted {
            self.arguments_size += name.len() + value.len();
            self.set(Collection::ArgsCombinedSize, self.arguments_size.to_string().as_bytes());
        }
        true
    }

    /// Returns the first value of a collection with a key.
    pub(super) fn first(&self, collection: Collection, key: &str) -> Option<&[u8]> {
        let entries = &self.collections[collection as usize];
        let entry = entries.iter().find(|entry| {
            key.is_empty() || self.texts.get(entry.key).eq_ignore_ascii_case(key.as_bytes())
        })?;
        Some(self.texts.get(entry.value))
    }

    /// Returns true if a rule leaves out a member of a collection, by its own targets or because of
    /// another rule.
    pub(super) fn is_excluded(&self, rule: &Rule, starter: &Rule, entry: CollectionEntry) -> bool {
        let covers =
            |target: &RuleTarget| target.covers(entry.collection, self.texts.get(entry.key));
        let index = starter.index;
        rule.targets.excluded.iter().any(covers)
            || self
                .removed_targets
                .iter()
                .any(|(bits, target)| bits[index / 64] >> (index % 64) & 1 == 1 && covers(target))
    }

    /// Returns the length of a whole collection that no rule changes while it runs.
    pub(super) fn whole(&self, target: &RuleTarget) -> Option<usize> {
        let plain = matches!(target.selector, Selector::All)
            && !target.count
            && !target.collection.is_stored()
            && !target.collection.is_about_matches();
        plain.then(|| self.collections[target.collection as usize].len())
    }

    pub(super) fn member(&self, target: &RuleTarget, place: usize) -> CollectionEntry {
        self.collections[target.collection as usize][place]
    }

    /// Adds all members that a target of a rule selects.
    pub(super) fn select(&mut self, target: &RuleTarget, found: &mut Vec<CollectionEntry>) {
        found.clear();
        if let Selector::Slot(place, _) = &target.selector {
            let (place, collection) = (*place, target.collection);
            if target.count {
                let value = self.texts.add(if self.slots[place].is_some() { b"1" } else { b"0" });
                found.push(CollectionEntry { collection, key: EMPTY, value });
            } else if let Some(value) = self.slots[place] {
                found.push(CollectionEntry { collection, key: self.slot_name(place), value });
            }
            return;
        }
        self.collect(target, found);
        if target.count {
            let value = self.texts.add(found.len().to_string().as_bytes());
            found.clear();
            found.push(CollectionEntry { collection: target.collection, key: EMPTY, value });
        }
    }

    fn slot_name(&mut self, place: usize) -> TextNumber {
        let (_, name) = &self.set.slots.names[place];
        *self.slot_names[place].get_or_insert_with(|| self.texts.add(name))
    }

    fn collect(&mut self, target: &RuleTarget, found: &mut Vec<CollectionEntry>) {
        let collection = target.collection;
        match collection {
            Collection::MatchedVar => {
                let value = self.matched.last().map_or(EMPTY, |entry| entry.value);
                found.push(CollectionEntry { collection, key: EMPTY, value });
            }
            Collection::MatchedVarName => {
                let value =
                    self.matched.last().copied().map_or(EMPTY, |entry| self.full_name(entry));
                found.push(CollectionEntry { collection, key: EMPTY, value });
            }
            Collection::MatchedVars | Collection::MatchedVarsNames => {
                for place in 0..self.matched.len() {
                    let entry = self.matched[place];
                    let key = self.full_name(entry);
                    let value =
                        if collection == Collection::MatchedVars { entry.value } else { key };
                    if target.selector.selects(self.texts.get(key)) {
                        found.push(CollectionEntry { collection, key, value });
                    }
                }
            }
            collection if collection.is_stored() => self.collect_stored(target, found),
            collection => {
                let entries = &self.collections[collection as usize];
                match &target.selector {
                    Selector::All => found.extend_from_slice(entries),
                    selector => found.extend(
                        entries.iter().filter(|entry| selector.selects(self.texts.get(entry.key))),
                    ),
                }
            }
        }
    }

    fn collect_stored(&mut self, target: &RuleTarget, found: &mut Vec<CollectionEntry>) {
        let collection = target.collection;
        for place in 0..self.slots.len() {
            let (stored, name) = &self.set.slots.names[place];
            if let Some(value) =
                self.slots[place].filter(|_| *stored == collection && target.selector.selects(name))
            {
                let key = self.slot_name(place);
                found.push(CollectionEntry { collection, key, value });
            }
        }
        let selected = |entry: &&CollectionEntry| {
            entry.collection == collection && target.selector.selects(self.texts.get(entry.key))
        };
        found.extend(self.others.iter().flatten().filter(selected));
    }

    fn stored(&self, collection: Collection, lowercase: &[u8]) -> Option<TextNumber> {
        match self.set.slots.find(collection, lowercase.to_vec()) {
            Ok(place) => self.slots[place],
            Err(name) => self
                .other_places
                .get(&(collection, name))
                .and_then(|place| self.others[*place])
                .map(|entry| entry.value),
        }
    }

    /// Returns the name of a variable in the form of `MATCHED_VAR_NAME`, such as `ARGS:id`.
    fn full_name(&mut self, entry: CollectionEntry) -> TextNumber {
        let key = self.texts.get(entry.key);
        // The members of `MATCHED_VARS` have full names already.
        if entry.collection == Collection::MatchedVars {
            return entry.key;
        }
        if entry.collection.is_single() {
            return self.texts.add(entry.collection.name().as_bytes());
        }
        let name = [entry.collection.name().as_bytes(), b":", key].concat();
        self.texts.add(&name)
    }

    /// Removes the matches of the previous rule.
    pub(super) fn begin_rule(&mut self) {
        self.matched.clear();
    }

    pub(super) fn matched(&mut self, entry: CollectionEntry, value: TextNumber) {
        self.matched.push(CollectionEntry { value, ..entry });
    }

    /// Stores the groups of a match as `TX:0` to `TX:9`, which have the first slots.
    pub(super) fn capture<'t>(&mut self, groups: impl Iterator<Item = Option<&'t [u8]>>) {
        self.slots[..10].fill(None);
        for (place, group) in groups.take(10).enumerate() {
            self.slots[place] = group.map(|group| self.texts.add(group));
        }
    }

    /// Returns the value of a text with macros.
    pub(super) fn expand(&mut self, with_macros: &TextWithMacros, rule: &Rule) -> TextNumber {
        if let [TextOrMacro::Value(target)] = with_macros.parts.as_slice() {
            return self.value(target, rule).unwrap_or(EMPTY);
        }
        let mut out = Vec::new();
        for part in &with_macros.parts {
            let value = match part {
                TextOrMacro::Text(text) => Some(text.as_slice().into()),
                TextOrMacro::Value(target) => {
                    self.value(target, rule).map(|value| Rc::clone(self.texts.get(value)))
                }
            };
            let value: Rc<[u8]> = value.unwrap_or_default();
            if !self.texts.has_memory_for(out.len() + value.len()) {
                return EMPTY;
            }
            out.extend_from_slice(&value);
        }
        self.texts.add(&out)
    }

    fn value(&mut self, target: &RuleTarget, rule: &Rule) -> Option<TextNumber> {
        if let (Collection::Rule, Selector::Key(key)) = (target.collection, &target.selector) {
            return (key == b"id").then(|| self.texts.add(rule.id.to_string().as_bytes()));
        }
        if let (Selector::Slot(place, _), false) = (&target.selector, target.count) {
            return self.slots[*place];
        }
        let mut entries = Vec::new();
        self.select(target, &mut entries);
        entries.first().map(|entry| entry.value)
    }

    /// Runs `setvar`. Returns the increment, if the variable is a counter.
    pub(super) fn assign(&mut self, assignment: &Assignment, rule: &Rule) -> Option<i64> {
        let place = match assignment.slot {
            Some(slot) => Ok(slot),
            None => {
                let name = self.expand(&assignment.name, rule);
                let lowercase = self.texts.get(name).to_ascii_lowercase();
                self.set
                    .slots
                    .find(assignment.collection, lowercase)
                    .map_err(|lowercase| (lowercase, name))
            }
        };
        let current = match &place {
            Ok(slot) => self.slots[*slot],
            Err((lowercase, _)) => self.stored(assignment.collection, lowercase),
        };
        let mut by = None;
        let value = match &assignment.change {
            Change::Unset => None,
            Change::Set(text) => Some(self.expand(text, rule)),
            Change::Add(text) | Change::Subtract(text) => {
                let change = self.expand(text, rule);
                let mut change = leading_number(self.texts.get(change));
                if matches!(assignment.change, Change::Subtract(_)) {
                    change = -change;
                }
                by = Some(change);
                let sum = current
                    .map_or(0, |current| leading_number(self.texts.get(current)))
                    .saturating_add(change);
                Some(self.texts.add(sum.to_string().as_bytes()))
            }
        };
        if self.texts.is_exhausted() {
            // The variable keeps its value, so that the next rule that depends on it is undecided
            // as well.
            return None;
        }
        match place {
            Ok(slot) => self.slots[slot] = value,
            Err((lowercase, name)) => {
                let collection = assignment.collection;
                let free_place = self.others.len();
                let place = *self.other_places.entry((collection, lowercase)).or_insert(free_place);
                let entry = value.map(|value| CollectionEntry { collection, key: name, value });
                if place == free_place {
                    self.others.push(entry);
                } else {
                    self.others[place] = entry;
                }
            }
        }
        by
    }

    /// Runs `ctl`. Returns false if no more rules may run.
    pub(super) fn control(&mut self, control: &'r Control) -> bool {
        match control {
            Control::RemoveRules(_, bits) => {
                self.removed.iter_mut().zip(bits).for_each(|(removed, bits)| *removed |= bits)
            }
            Control::RemoveTarget(_, bits, target) => self.removed_targets.push((bits, target)),
            Control::Processor(processor) => {
                self.set(Collection::ReqbodyProcessor, processor.as_bytes())
            }
            Control::EngineOff => return false,
        }
        true
    }
}
