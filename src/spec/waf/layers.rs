//! Layers of protection: the content of one section, and how several sections are combined.
//!
//! | what is combined | single keys | lists |
//! |---|---|---|
//! | fragments of a zone | must agree | joined by name, in the order of the files' names; what has one name must agree |
//! | profiles that a zone uses | must agree, unless the zone decides | joined by name, in the order of `use`; the same |
//! | the zone over its profiles | the zone's wins | an entry of the zone takes the place of the profile's of the same name; the others follow |
//!
//! An entry of a ruleset is identified by the rule or tag that it tunes, in whichever list it is:
//! `enable` of the zone overrides `disable` of a profile. `raw` is one value. A ruleset that is
//! `off` has no other content, so the zone's `off` drops all tuning of the profile, and a mapping
//! of the zone overrides the profile's `off`.

use std::collections::hash_map::Entry as Slot;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::attributes::Facet;
use super::super::limits::PROFILE_WEIGHTS;
use super::impossible_order;
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::model::expression::Expression;
use crate::model::managed::{Managed, Paranoia, ScoreAction};
use crate::model::ruleset::{
    AcceptedCause, DesiredDeployment, DesiredRule, DesiredWaf, Phase, RuleBody, RuleForm,
    RuleTuning, Switch, TagTuning, TuningTarget,
};
use crate::model::{Gather, Unmanaged, Value, sort_by_key};

/// The content of one section.
#[derive(Debug, Clone, Default)]
pub(in crate::spec) struct Layer {
    /// Its place; `None` if there is no section.
    pub(in crate::spec) place: Option<Place>,
    /// The treatment of unmanaged rules and overrides.
    pub(super) unmanaged: Option<Facet<Unmanaged>>,
    /// Why weaker protection is accepted.
    pub(super) accept_weakening: Option<Facet<String>>,
    /// Live settings that may make the protection weaker.
    pub(super) accept: Vec<AcceptedCause>,
    /// Managed rulesets.
    pub(super) deployments: BTreeMap<Managed, DeploymentLayer>,
    pub(super) lists: BTreeMap<Phase, Vec<DesiredRule>>,
}

/// The content of one section for a managed ruleset.
#[derive(Debug, Clone)]
pub(super) struct DeploymentLayer {
    pub(super) place: Place,
    pub(super) switch: Switch,
    /// The requests that it applies to.
    pub(super) when: Option<Facet<Expression>>,
    /// The version to run.
    pub(super) version: Option<Facet<String>>,
    /// The paranoia level; the inner `None` is `custom`.
    pub(super) paranoia: Option<Facet<Option<Paranoia>>>,
    pub(super) threshold: Option<Facet<u32>>,
    /// The action at the threshold.
    pub(super) action: Option<Facet<ScoreAction>>,
    pub(super) tags: Vec<TagTuning>,
    /// Single rules, and all present rules of a tag.
    pub(super) rules: Vec<RuleTuning>,
    /// Overrides as Cloudflare has them.
    pub(super) raw: Option<Facet<Value>>,
}

/// Returns the identity of an entry: the kind of its target, and its name.
fn key_of(target: &TuningTarget) -> String {
    match target {
        TuningTarget::Rule(name) => format!("rule {}", name.as_str().to_lowercase()),
        TuningTarget::Tag(tag) => format!("tag {tag}"),
    }
}

/// Returns the identity of an entry of `accept`.
fn key_of_accepted(accepted: &AcceptedCause) -> String {
    let (kind, name) = accepted.object.identity();
    let ruleset = accepted.ruleset.map_or("", Managed::key);
    format!("{kind} {name} {} {ruleset}", accepted.object.part())
}

impl DeploymentLayer {
    /// Returns a ruleset that is only on or off.
    pub(super) fn new(place: Place, switch: Switch) -> Self {
        Self {
            place,
            switch,
            when: None,
            version: None,
            paranoia: None,
            threshold: None,
            action: None,
            tags: Vec::new(),
            rules: Vec::new(),
            raw: None,
        }
    }

    /// Returns the target and the place of each entry.
    pub(super) fn keys(&self) -> Vec<(String, Place)> {
        let tags = self.tags.iter().map(|t| (format!("tag {}", t.tag), t.place));
        tags.chain(self.rules.iter().map(|r| (key_of(&r.target), r.place))).collect()
    }

    /// Sorts rules into the order of application, general before specific: tags before rules, and
    /// rules that are switched off before rules that are switched on.
    pub(super) fn sort(&mut self) {
        sort_by_key(&mut self.rules, |r| {
            let class = match (r.enabled, &r.action) {
                (Some(false), None) => 0,
                (Some(true), None) => 1,
                (_, _) => 2,
            };
            (matches!(r.target, TuningTarget::Rule(_)), class)
        });
    }

    /// Returns this layer, completed from a lower one.
    fn over(self, base: Self) -> Self {
        // `off` has no other content, and a mapping means on.
        if self.switch == Switch::Off || base.switch == Switch::Off {
            return self;
        }
        let own_keys: HashSet<String> = self.keys().into_iter().map(|(key, _)| key).collect();
        let mut layer = Self {
            place: self.place,
            switch: self.switch,
            when: self.when.or(base.when),
            version: self.version.or(base.version),
            paranoia: self.paranoia.or(base.paranoia),
            threshold: self.threshold.or(base.threshold),
            action: self.action.or(base.action),
            tags: base.tags,
            rules: base.rules,
            raw: self.raw.or(base.raw),
        };
        // A name in one list of this layer is removed from the other list of the base.
        let tag_key = |t: &TagTuning| format!("tag {}", t.tag);
        let own_tags: HashSet<String> = self.tags.iter().map(tag_key).collect();
        let own_rules: HashSet<String> = self.rules.iter().map(|r| key_of(&r.target)).collect();
        let stays =
            |key: &String, list: &HashSet<String>| !own_keys.contains(key) || list.contains(key);
        layer.tags.retain(|t| stays(&tag_key(t), &own_tags));
        layer.rules.retain(|r| stays(&key_of(&r.target), &own_rules));
        lay(&mut layer.tags, self.tags, |t| t.tag.clone());
        lay(&mut layer.rules, self.rules, |r| key_of(&r.target));
        layer.sort();
        layer
    }

    /// Converts to the model.
    fn desired(self, ruleset: Managed) -> DesiredDeployment {
        fn pair<T>(facet: Option<Facet<T>>) -> Option<(T, Place)> {
            facet.map(|f| (f.value, f.place))
        }
        let Self { place, switch, when, version, paranoia, threshold, action, tags, rules, raw } =
            self;
        DesiredDeployment {
            ruleset,
            place,
            switch,
            when: pair(when),
            version: pair(version),
            paranoia: paranoia.and_then(|p| Some((p.value?, p.place))),
            threshold: pair(threshold),
            action: pair(action),
            tags,
            rules,
            raw: pair(raw),
        }
    }
}

/// Combines entries. An entry with the same name is replaced in place, and the rest follow.
fn lay<T>(base: &mut Vec<T>, own: Vec<T>, key: impl Fn(&T) -> String) {
    let mut numbers_by_name = index_by_name(base, &key);
    for entry in own {
        match numbers_by_name.entry(key(&entry)) {
            Slot::Occupied(at) => base[*at.get()] = entry,
            Slot::Vacant(slot) => {
                slot.insert(base.len());
                base.push(entry);
            }
        }
    }
}

/// Returns the index of the first entry of each name.
fn index_by_name<T>(all: &[T], key: impl Fn(&T) -> String) -> HashMap<String, usize> {
    let mut first = HashMap::new();
    for (n, entry) in all.iter().enumerate() {
        first.entry(key(entry)).or_insert(n);
    }
    first
}

impl Layer {
    /// The memory that a copy takes, in bytes.
    pub(in crate::spec) fn weight(&self) -> usize {
        let of_rule = |rule: &DesiredRule| {
            PROFILE_WEIGHTS.0 + 3 * rule.when.as_ref().map_or(0, |(when, _)| when.text().len())
        };
        let rules: usize = self.lists.values().flatten().map(of_rule).sum();
        let tuned = self.deployments.values().map(|all| all.rules.len() + all.tags.len());
        rules + PROFILE_WEIGHTS.1 * (tuned.sum::<usize>() + self.accept.len())
    }

    /// Returns this layer, completed from a lower one.
    pub(in crate::spec) fn over(self, base: Self) -> Self {
        let Self { place, unmanaged, accept_weakening, accept, deployments, lists } = self;
        let mut all_accepted = base.accept;
        lay(&mut all_accepted, accept, key_of_accepted);
        let mut all_deployments = base.deployments;
        for (ruleset, own) in deployments {
            let layer = match all_deployments.remove(&ruleset) {
                Some(base) => own.over(base),
                None => own,
            };
            all_deployments.insert(ruleset, layer);
        }
        let mut all_lists = base.lists;
        for (phase, own) in lists {
            lay(all_lists.entry(phase).or_default(), own, |rule| rule.name.clone());
        }
        Self {
            place: place.or(base.place),
            unmanaged: unmanaged.or(base.unmanaged),
            accept_weakening: accept_weakening.or(base.accept_weakening),
            accept: all_accepted,
            deployments: all_deployments,
            lists: all_lists,
        }
    }

    /// Converts to the model and makes the checks that need the whole section.
    pub(in crate::spec) fn desired(
        self,
        place: Place,
        seen: &mut HashSet<(Place, Place)>,
        diagnostics: &mut Diagnostics,
    ) -> DesiredWaf {
        let Self { place: own, unmanaged, accept_weakening, accept, deployments, lists } = self;
        let mut executed: BTreeMap<String, Place> = deployments
            .iter()
            .map(|(managed, d)| (managed.facts().id.to_owned(), d.place))
            .gather();
        for rule in lists.iter().filter(|(phase, _)| phase.deploys()).flat_map(|(_, rules)| rules) {
            let RuleForm::Raw(Value::Map(members)) = &rule.form else { continue };
            let body = RuleBody::new(members.clone());
            let Some(id) = body.executes() else { continue };
            if let Some(first) = executed.get(id) {
                if seen.insert((rule.place, *first)) {
                    diagnostics.push(
                        findings::DEPLOYED_TWICE
                            .at(rule.place, format!("`{}` executes a ruleset that is executed already", rule.name))
                            .and_at(*first, "here")
                            .help("keep one of the two; where the ruleset should do less, write exceptions"),
                    );
                }
                continue;
            }
            executed.insert(id.to_owned(), rule.place);
        }
        for list in lists.values() {
            impossible_order::check(list, seen, diagnostics);
        }
        DesiredWaf {
            place: own.unwrap_or(place),
            unmanaged: unmanaged.map(|u| u.value).unwrap_or_default(),
            deployments: deployments
                .into_iter()
                .map(|(ruleset, layer)| layer.desired(ruleset))
                .collect(),
            lists,
            accept_weakening: accept_weakening.map(|a| (a.value, a.place)),
            accept,
        }
    }
}

/// Names a key, or an entry of a list under a key.
fn what_differs(key: &str, name: Option<&str>) -> String {
    name.map_or_else(|| format!("`{key}`"), |name| format!("entry for {name} under `{key}`"))
}

/// Reports two profiles of a zone that contradict each other about a key, or about a name in a list.
/// The zone uses the second one at the place `used`.
pub(in crate::spec) fn profiles_clash(
    key: &str,
    name: Option<&str>,
    first: Place,
    place: Place,
    used: Place,
) -> Diagnostic {
    let what = what_differs(key, name);
    let subject = if name.is_some() { format!("the {what}") } else { what.clone() };
    findings::PROFILE_CLASH
        .at(place, format!("{subject} is different here"))
        .and_at(first, "than here")
        .and_at(used, "both are used by this zone")
        .help(format!("give the zone its own {what}, or use one of the profiles"))
}

/// A fragment of a zone, with the name by which it is sorted.
#[derive(Debug, Clone)]
pub(in crate::spec) struct Fragment {
    /// The name of its file.
    pub(in crate::spec) file: String,
    /// Its content.
    pub(in crate::spec) layer: Layer,
}

/// The kind of layers that are joined, for messages.
#[derive(Debug, Clone, Copy)]
pub(in crate::spec) enum Kind {
    /// Fragments of one zone.
    Fragments,
    /// Profiles, used together at this place.
    Profiles(Place),
}

/// Joins layers of equal rank, which must agree.
pub(in crate::spec) struct Join<'a> {
    pub(in crate::spec) kind: Kind,
    /// The layer that has precedence over both.
    pub(in crate::spec) decided: Option<&'a Layer>,
    pub(in crate::spec) diagnostics: &'a mut Diagnostics,
}

impl Join<'_> {
    /// Joins two layers.
    pub(in crate::spec) fn join(&mut self, mut first: Layer, second: Layer) -> Layer {
        let Layer { place, unmanaged, accept_weakening, accept, deployments, lists } = second;
        let decided = self.decided;
        first.place = first.place.or(place);
        self.one(
            "waf.unmanaged",
            &mut first.unmanaged,
            unmanaged,
            decided.is_some_and(|d| d.unmanaged.is_some()),
        );
        let is_decided = decided.is_some_and(|d| d.accept_weakening.is_some());
        self.one("waf.accept_weakening", &mut first.accept_weakening, accept_weakening, is_decided);
        for accepted in accept {
            let key = key_of_accepted(&accepted);
            let is_equal = |other: &AcceptedCause| {
                AcceptedCause { place: accepted.place, ..other.clone() } == accepted
            };
            let is_decided =
                decided.is_some_and(|d| d.accept.iter().any(|own| key_of_accepted(own) == key));
            match first.accept.iter().find(|other| key_of_accepted(other) == key) {
                None => first.accept.push(accepted),
                Some(other) if is_equal(other) || is_decided => {}
                Some(other) => {
                    let at = other.place;
                    self.clash(
                        "waf.accept",
                        Some(&format!("`{}`", accepted.object.identity().1)),
                        at,
                        accepted.place,
                    );
                }
            }
        }
        for (ruleset, layer) in deployments {
            match first.deployments.get_mut(&ruleset) {
                Some(known) => self.deployment(ruleset, known, layer),
                None => drop(first.deployments.insert(ruleset, layer)),
            }
        }
        for (phase, list) in lists {
            let decided =
                decided.and_then(|d| d.lists.get(&phase)).map(Vec::as_slice).unwrap_or_default();
            self.rules(
                &format!("waf.{}", phase.key()),
                first.lists.entry(phase).or_default(),
                list,
                decided,
            );
        }
        first
    }

    /// Reports a contradiction about a key, or about a name in a list.
    fn clash(&mut self, key: &str, name: Option<&str>, first: Place, place: Place) {
        let what = what_differs(key, name);
        let subject = if name.is_some() { format!("the {what}") } else { what };
        let diagnostic = match self.kind {
            Kind::Fragments => findings::ZONE_CLASH
                .at(place, format!("{subject} is different here"))
                .and_at(first, "the first one")
                .help(format!("give {subject} in one fragment of the zone")),
            Kind::Profiles(used) => profiles_clash(key, name, first, place, used),
        };
        self.diagnostics.push(diagnostic);
    }

    /// Joins a single key.
    fn one<T: PartialEq>(
        &mut self,
        key: &str,
        first: &mut Option<Facet<T>>,
        second: Option<Facet<T>>,
        decided: bool,
    ) {
        match (&*first, second) {
            (None, second) => *first = second,
            (Some(one), Some(other)) if one.value != other.value && !decided => {
                self.clash(key, None, one.place, other.place)
            }
            (Some(_), _) => {}
        }
    }

    fn deployment(
        &mut self,
        ruleset: Managed,
        first: &mut DeploymentLayer,
        second: DeploymentLayer,
    ) {
        let decided = self.decided.and_then(|d| d.deployments.get(&ruleset));
        let section = format!("waf.{}", ruleset.key());
        let key = |name: &str| format!("{section}.{name}");
        if first.switch != second.switch {
            if decided.is_none() {
                self.clash(&section, None, first.place, second.place);
            }
            // If one is off and the other is tuned, the zone can build on the tuned one.
            if first.switch == Switch::Off {
                *first = second;
            }
            return;
        }
        // A ruleset that the zone switches off is not compared further.
        if decided.is_some_and(|d| d.switch == Switch::Off) {
            return;
        }
        let DeploymentLayer {
            place: _,
            switch: _,
            when,
            version,
            paranoia,
            threshold,
            action,
            tags,
            rules,
            raw,
        } = second;
        let has = |is: fn(&DeploymentLayer) -> bool| decided.is_some_and(is);
        self.one(&key("when"), &mut first.when, when, has(|d| d.when.is_some()));
        self.one(&key("version"), &mut first.version, version, has(|d| d.version.is_some()));
        self.one(&key("paranoia"), &mut first.paranoia, paranoia, has(|d| d.paranoia.is_some()));
        self.one(
            &key("threshold"),
            &mut first.threshold,
            threshold,
            has(|d| d.threshold.is_some()),
        );
        self.one(&key("action"), &mut first.action, action, has(|d| d.action.is_some()));
        self.one(&key("raw"), &mut first.raw, raw, has(|d| d.raw.is_some()));
        let decided_keys: HashSet<String> =
            decided.iter().flat_map(|d| d.keys()).map(|(key, _)| key).collect();
        let first_places: BTreeMap<String, Place> = first.keys().into_iter().gather();
        let (known_tags, known_rules) = (
            index_by_name(&first.tags, |t| format!("tag {}", t.tag)),
            index_by_name(&first.rules, |r| key_of(&r.target)),
        );
        for tag in tags {
            let name = format!("tag {}", tag.tag);
            let is_equal =
                |n: &usize| TagTuning { place: tag.place, ..first.tags[*n].clone() } == tag;
            match first_places.get(&name) {
                None => first.tags.push(tag),
                Some(_)
                    if known_tags.get(&name).is_some_and(is_equal)
                        || decided_keys.contains(&name) => {}
                Some(at) => self.clash(&section, Some(&name), *at, tag.place),
            }
        }
        for rule in rules {
            let name = key_of(&rule.target);
            let is_equal =
                |n: &usize| RuleTuning { place: rule.place, ..first.rules[*n].clone() } == rule;
            match first_places.get(&name) {
                None => first.rules.push(rule),
                Some(_)
                    if known_rules.get(&name).is_some_and(is_equal)
                        || decided_keys.contains(&name) => {}
                Some(at) => self.clash(&section, Some(&name), *at, rule.place),
            }
        }
        first.sort();
    }

    /// Joins a list of named rules.
    fn rules(
        &mut self,
        key: &str,
        first: &mut Vec<DesiredRule>,
        second: Vec<DesiredRule>,
        decided: &[DesiredRule],
    ) {
        let mut numbers_by_name = index_by_name(first, |r| r.name.clone());
        for rule in second {
            let Some(numbers_by_name) = numbers_by_name.get(&rule.name).map(|n| &first[*n]) else {
                numbers_by_name.insert(rule.name.clone(), first.len());
                first.push(rule);
                continue;
            };
            let is_equal =
                numbers_by_name.clone().at_place(rule.place) == rule.clone().at_place(rule.place);
            if !is_equal && !decided.iter().any(|r| r.name == rule.name) {
                self.clash(
                    key,
                    Some(&format!("`{}`", rule.name)),
                    numbers_by_name.place,
                    rule.place,
                );
            }
        }
    }
}
