//! Writes live rules and managed rulesets into the section of the zone, or into a profile that only
//! this zone uses.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::LAST_DAY_IS_OVER;
use super::selected_differences::{Chosen, Left};
use super::source_tree::{At, SourceNodeKind};
use super::workspace::{Owner, Workspace};
use super::yaml_text;
use crate::diagnostic::Place;
use crate::diff::{PhaseChanges, RuleChange, RuleChangeKind, RuleDeleteReason, diff_rulesets};
use crate::model::managed::{Managed, find_deployment, recognise};
use crate::model::ruleset::{
    DesiredDeployment, DesiredRule, DesiredWaf, EntryPoint, LiveRule, Note, Phase, RuleForm,
    RuleId, RuleTuning, Switch, TuningTarget, recognise_rule,
};
use crate::model::{Address, DesiredZone, LiveZone, Unmanaged, sort_by_key};
use crate::spec;

/// Placeholder reason for a rule that bypasses others, because Cloudflare stores no reason.
const REASON: &str = "found at Cloudflare; say why";

/// Keys of a managed ruleset with a single value.
const KEYS: [&str; 7] = ["paranoia", "threshold", "action", "when", "expression", "version", "raw"];

struct Rules<'w, 't, 'a> {
    workspace: &'w mut Workspace<'t>,
    zone: &'a DesiredZone,
    desired: &'a DesiredWaf,
    live: &'a LiveZone,
    /// Sections that define the zone's protection, the zone's own first.
    sections: Vec<(At, Owner)>,
    /// Parts to add to the zone's own section, by list or ruleset.
    additions: Vec<(&'static str, Json)>,
    left: &'w mut Left,
}

/// Writes the chosen differences into the files.
pub(super) fn pull(
    workspace: &mut Workspace<'_>,
    (zone, live): (&DesiredZone, &LiveZone),
    chosen: &Chosen<'_>,
    left: &mut Left,
) {
    let Some(desired) = zone.waf.as_deref() else { return };
    let sections = sections(workspace, zone);
    let mut rules = Rules { workspace, zone, desired, live, sections, additions: Vec::new(), left };
    for phase in &diff_rulesets(zone, live).phases {
        let entry_point = Address::of_rule(&zone.name, phase.phase, None);
        let is_absent = matches!(phase.live, EntryPoint::Absent);
        for change in &phase.changes {
            let address = Address::of_rule(&zone.name, phase.phase, Some(&change.name));
            if (chosen.is_chosen)(if is_absent { &entry_point } else { &address }) {
                rules.change(phase, change, address);
            }
        }
        if chosen.unmanaged {
            for rule in &phase.foreign {
                let address = Address::of_rule(&zone.name, phase.phase, Some(rule.shown()));
                if (chosen.is_unmanaged_chosen)(&address) {
                    rules.add(phase.phase, rule, address);
                }
            }
        }
    }
    for deployment in &desired.deployments {
        let address = Address::of_rule(&zone.name, Phase::Managed, Some(deployment.ruleset.key()));
        if let Some(skips) = chosen.whole_deployments.get(&address) {
            rules.whole_deployment(deployment, skips, &address);
        }
    }
    rules.write_additions();
}

/// Returns true if a rule lets requests skip everything after it.
fn skips_the_rest(rule: &LiveRule) -> bool {
    rule.body.parameters().is_some_and(|parameters| parameters.contains_key("ruleset"))
}

/// Returns true if a rule comes after the execution of a ruleset.
fn is_behind(rules: &[LiveRule], rule: &LiveRule) -> bool {
    let rules_before = rules.iter().take_while(|other| other.id != rule.id);
    rules_before.into_iter().any(|other| other.body.executes().is_some())
}

/// Lists the sections that define a zone's protection.
fn sections(workspace: &Workspace<'_>, zone: &DesiredZone) -> Vec<(At, Owner)> {
    let section = |(at, owner): (At, Owner)| {
        let node = workspace.tree(at.file).get(at.node, "waf")?;
        Some((At { node, ..at }, owner))
    };
    workspace.holders(&zone.name).into_iter().filter_map(section).collect()
}

impl Rules<'_, '_, '_> {
    fn change(&mut self, phase: &PhaseChanges<'_>, change: &RuleChange<'_>, address: Address) {
        let deployment = Managed::ALL
            .iter()
            .copied()
            .find(|m| phase.phase == Phase::Managed && m.key() == change.name);
        let desired_deployment =
            deployment.and_then(|m| self.desired.deployments.iter().find(|d| d.ruleset == m));
        if let Some(wanted) = desired_deployment {
            return match &change.kind {
                RuleChangeKind::Create => self.switch(wanted, "off", &address),
                RuleChangeKind::Update(live) => self.deployment(wanted, live, &address),
                RuleChangeKind::Move(_) => {
                    self.leave(address, "a spec cannot express its place among the exceptions")
                }
                RuleChangeKind::Delete(..) => self.leave(address, "it cannot be deleted"),
            };
        }
        match &change.kind {
            RuleChangeKind::Create => self.remove(phase.phase, &change.name, &address),
            RuleChangeKind::Update(live) => self.rule(phase.phase, &change.name, live, &address),
            RuleChangeKind::Move(_) => self.reorder(phase, &address),
            RuleChangeKind::Delete(live, RuleDeleteReason::Pruned) => {
                self.add(phase.phase, live, address)
            }
            RuleChangeKind::Delete(live, RuleDeleteReason::Absent) => {
                self.remove(phase.phase, &change.name, &address);
                self.add(phase.phase, live, address);
            }
            RuleChangeKind::Delete(_, RuleDeleteReason::Expired) => {
                self.leave(address, LAST_DAY_IS_OVER);
            }
            RuleChangeKind::Delete(_, RuleDeleteReason::Removed | RuleDeleteReason::Undone) => {
                self.leave(
                    address,
                    "the spec no longer has it; apply the spec, or write the rule again",
                );
            }
        }
    }

    fn leave(&mut self, address: Address, why: &str) {
        self.left.push((address, why.to_owned()));
    }

    /// Finds the entries of a list with a name, the zone's own first.
    fn find(&self, list: &str, name: &str) -> Vec<(At, Owner)> {
        let mut places = Vec::new();
        for (section, owner) in &self.sections {
            let tree = self.workspace.tree(section.file);
            let Some(list) = tree.get(section.node, list) else { continue };
            for item in tree.items(list) {
                let name_node = tree.get(*item, "name");
                let item_name =
                    name_node.map(|node| self.workspace.resolved(At { node, ..*section }));
                places.extend(
                    (item_name.as_deref() == Some(name))
                        .then_some((At { node: *item, ..*section }, *owner)),
                );
            }
        }
        places
    }

    /// Removes a rule that Cloudflare does not have.
    fn remove(&mut self, phase: Phase, name: &str, address: &Address) {
        let places = self.find(phase.key(), name);
        let is_elsewhere = places.iter().any(|(_, owner)| *owner == Owner::SharedProfile);
        if places.is_empty() {
            return self.leave(address.clone(), "it is in no file of the spec");
        }
        for (at, owner) in &places {
            match owner {
                Owner::SharedProfile => {}
                Owner::Zone | Owner::OwnProfile => match self.workspace.shared(*at) {
                    Some(why) => self.left.push((address.clone(), why)),
                    None => self.workspace.files[at.file].changes.remove(at.node),
                },
            }
        }
        if is_elsewhere {
            self.note(address, "other zones use its profile too, so the zone says `state: absent`");
            let mut absent_rule = Map::new();
            absent_rule.insert("name".to_owned(), Json::from(spec::written(name)));
            absent_rule.insert("state".to_owned(), Json::from("absent"));
            self.additions.push((phase.key(), Json::Object(absent_rule)));
        }
    }

    /// Updates a rule that differs at Cloudflare.
    fn rule(&mut self, phase: Phase, name: &str, live: &LiveRule, address: &Address) {
        let Some(wanted) = self.desired.rule(phase, name).cloned() else { return };
        let recognised = recognise_rule(live, name, phase, &self.live.waf, Place::NOWHERE);
        if matches!(&recognised.form, RuleForm::Raw(raw) if raw.holds_credential()) {
            return self.leave(address.clone(), "it names a credential, which no spec may hold");
        }
        let is_raw = matches!(recognised.form, RuleForm::Raw(_));
        // A section with `unmanaged: prune` gives an omitted key its default.
        let is_complete = self.desired.unmanaged == Unmanaged::Prune;
        let log = if is_complete {
            recognised.log
        } else {
            wanted.log.map(|_| recognised.log.unwrap_or(true))
        };
        let pulled_rule = DesiredRule {
            description: recognised
                .description
                .filter(|_| is_complete || wanted.description.is_some()),
            log: log.filter(|_| !is_raw),
            anchors: wanted.anchors.clone(),
            note: wanted.note.clone(),
            ..recognised
        };
        let (before, after) =
            (spec::rule_entry(&wanted, phase), spec::rule_entry(&pulled_rule, phase));
        let places = self.find(phase.key(), name);
        let is_own = places.iter().any(|(_, owner)| *owner == Owner::Zone);
        for (at, owner) in places {
            match owner {
                Owner::Zone => self.workspace.merge(at, &before, &after, address.as_str()),
                Owner::OwnProfile | Owner::SharedProfile if is_own => {}
                Owner::OwnProfile => {
                    self.note(address, "it is changed in its profile, which only this zone uses");
                    self.workspace.merge(at, &before, &after, address.as_str());
                }
                Owner::SharedProfile => {
                    self.note(
                        address,
                        "other zones use its profile too, so the zone has its own now",
                    );
                    self.additions.push((phase.key(), after.clone()));
                }
            }
        }
    }

    /// Adds a rule that the spec does not name.
    fn add(&mut self, phase: Phase, live: &LiveRule, address: Address) {
        let imported = crate::import::rule_from_live(live, phase, &self.live.waf);
        let Some(mut rule) = imported
            .filter(|rule| self.desired.rule(phase, &rule.name).is_none_or(|own| own.is_absent))
        else {
            return self.leave(address, "a spec cannot express it");
        };
        if matches!(rule.form, RuleForm::Skip(_)) && rule.note.reason.is_none() {
            rule.note = Note { reason: Some(REASON.to_owned()), ..rule.note };
        }
        let addition = (phase.key(), spec::rule_entry(&rule, phase));
        // One rule can weaken several rulesets.
        if !self.additions.contains(&addition) {
            self.additions.push(addition);
        }
    }

    /// Sorts a list into Cloudflare's order.
    fn reorder(&mut self, phase: &PhaseChanges<'_>, address: &Address) {
        let key = phase.phase.key();
        let own_sections = self.sections.iter().filter(|(_, owner)| *owner == Owner::Zone);
        let lists: Vec<At> = own_sections
            .filter_map(|(at, _)| {
                Some(At { node: self.workspace.tree(at.file).get(at.node, key)?, ..*at })
            })
            .collect();
        let ([list], true) =
            (lists.as_slice(), self.sections.iter().all(|(_, owner)| *owner == Owner::Zone))
        else {
            return self.leave(
                address.clone(),
                "its order comes from several lists; write the rules into one",
            );
        };
        let tree = self.workspace.tree(list.file);
        let names = tree.items(list.node).iter().map(|item| {
            let name =
                tree.get(*item, "name").map(|node| self.workspace.resolved(At { node, ..*list }));
            name.unwrap_or_default()
        });
        let names: Vec<String> = names.collect();
        let place = |name: &String| {
            phase.live.rules().iter().position(|rule| rule.body.reference() == Some(name))
        };
        // Rules that are not live keep their positions.
        let slots: Vec<usize> = (0..names.len()).filter(|n| place(&names[*n]).is_some()).collect();
        let mut order = slots.clone();
        sort_by_key(&mut order, |n| place(&names[*n]));
        if order == slots {
            return self
                .leave(address.clone(), "its order comes from `before` or `after`; change those");
        }
        if self.workspace.shared(*list).is_some() {
            return self
                .leave(address.clone(), "its list is shared through an anchor; write it out");
        }
        let items = tree.items(list.node).to_vec();
        for (slot, from) in slots.iter().zip(&order) {
            self.workspace.files[list.file].changes.move_item(items[*slot], items[*from]);
        }
    }

    /// Adds a note about a change.
    fn note(&mut self, address: &Address, words: &str) {
        self.workspace.notes.insert(format!("{address}: {words}"));
    }

    /// Finds the mappings or words that configure a managed ruleset.
    fn deployments(&self, managed: Managed) -> Vec<(At, Owner)> {
        let find = |(section, owner): &(At, Owner)| {
            let node = self.workspace.tree(section.file).get(section.node, managed.key())?;
            Some((At { node, ..*section }, *owner))
        };
        self.sections.iter().filter_map(find).collect()
    }

    /// Switches a managed ruleset and removes its tuning.
    fn switch(&mut self, wanted: &DesiredDeployment, word: &'static str, address: &Address) {
        let places = self.deployments(wanted.ruleset);
        let is_own = places.iter().any(|(_, owner)| *owner == Owner::Zone);
        for (at, owner) in places {
            match owner {
                Owner::Zone => {
                    self.workspace.files[at.file].changes.replace(at.node, Json::from(word))
                }
                Owner::OwnProfile | Owner::SharedProfile if is_own => {}
                Owner::OwnProfile => {
                    self.note(address, "it is changed in its profile, which only this zone uses");
                    self.workspace.files[at.file].changes.replace(at.node, Json::from(word));
                }
                Owner::SharedProfile => {
                    self.note(
                        address,
                        "other zones use its profile too, so the zone has its own value now",
                    );
                    self.additions.push((wanted.ruleset.key(), Json::from(word)));
                }
            }
        }
    }

    /// Updates the deployment of a managed ruleset.
    fn deployment(&mut self, wanted: &DesiredDeployment, live: &LiveRule, address: &Address) {
        let catalogue = self.live.waf.managed(wanted.ruleset);
        let live_deployment =
            recognise(&live.body, wanted.ruleset, catalogue, Place::NOWHERE).desired;
        match (wanted.switch, live_deployment.switch) {
            (Switch::Off, Switch::On) => return self.switch(wanted, "on", address),
            (Switch::On, Switch::Off) => return self.switch(wanted, "off", address),
            (Switch::On, Switch::On) | (Switch::Off, Switch::Off) => {}
        }
        let (before, mut after) = (members(wanted), members(&live_deployment));
        if wanted.when.is_some() && live_deployment.when.is_none() {
            after.insert("when".to_owned(), Json::from("all"));
        }
        if wanted.version.is_some() && live_deployment.version.is_none() {
            after.insert("version".to_owned(), Json::from("latest"));
        }
        for key in KEYS.into_iter().filter(|key| before.contains_key(*key)) {
            let (old, new) = (&before[key], after.get(key));
            if new == Some(old) {
                continue;
            }
            self.value(wanted.ruleset, key, old, new, address);
        }
        let tags = wanted.tags.iter().map(|t| {
            (
                t.place,
                live_deployment
                    .tags
                    .iter()
                    .any(|o| (&o.tag, o.enabled, &o.action) == (&t.tag, t.enabled, &t.action)),
            )
        });
        let dropped_tags: Vec<Place> =
            tags.filter(|(_, stays)| !stays).map(|(place, _)| place).collect();
        dropped_tags.into_iter().for_each(|place| self.drop_tuning(wanted.ruleset, place, address));
        for own in &wanted.rules {
            let TuningTarget::Rule(name) = &own.target else { continue };
            let id = |name: &crate::model::managed::RuleName| {
                catalogue.and_then(|c| Some(name.resolve(c).ok()?.id.clone()))
            };
            let is_it = |other: &&RuleTuning| match &other.target {
                TuningTarget::Rule(other) => {
                    other == name || id(other).is_some() && id(other) == id(name)
                }
                TuningTarget::Tag(_) => false,
            };
            match live_deployment.rules.iter().find(is_it) {
                Some(other) if (other.enabled, &other.action) == (own.enabled, &own.action) => {}
                Some(other) => {
                    self.drop_tuning(wanted.ruleset, own.place, address);
                    let tuning = RuleTuning {
                        target: own.target.clone(),
                        note: own.note.clone(),
                        ..other.clone()
                    };
                    let addition = DesiredDeployment {
                        rules: vec![tuning],
                        ..DesiredDeployment::new(wanted.ruleset, Switch::On, own.place)
                    };
                    self.additions.push((wanted.ruleset.key(), spec::deployment_entry(&addition)));
                }
                None => self.drop_tuning(wanted.ruleset, own.place, address),
            }
        }
        if self.desired.unmanaged == Unmanaged::Prune {
            self.whole(wanted, &live_deployment, (&before, &after));
        }
    }

    /// Writes the full live tuning of a managed ruleset that the plan leaves alone, with the rules
    /// that let requests skip it.
    fn whole_deployment(
        &mut self,
        wanted: &DesiredDeployment,
        skips: &BTreeSet<RuleId>,
        address: &Address,
    ) {
        let entry_points = &self.live.waf.entry_points;
        let managed = entry_points.get(&Phase::Managed).map(EntryPoint::rules).unwrap_or_default();
        let catalogue = self.live.waf.managed(wanted.ruleset);
        if let Some(live) = find_deployment(managed, wanted.ruleset, catalogue) {
            let recognised =
                recognise(&live.body, wanted.ruleset, catalogue, Place::NOWHERE).desired;
            let (before, after) = (members(wanted), members(&recognised));
            let live_deployment = self.without_tags_in_front(wanted, recognised, address);
            self.whole(wanted, &live_deployment, (&before, &after));
        }
        for (phase, entry_point) in entry_points {
            let is_named = self.desired.rules(*phase).is_some();
            // A pruned list must name every rule.
            let is_complete = !is_named && self.desired.unmanaged == Unmanaged::Prune;
            let rules = entry_point.rules();
            if !rules.iter().any(|rule| skips.contains(&rule.id)) {
                continue;
            }
            for rule in rules.iter().filter(|rule| phase.lists(rule.body.action())) {
                if skips.contains(&rule.id) || is_complete {
                    let rule_address =
                        Address::of_rule(&self.zone.name, *phase, Some(rule.shown()));
                    if *phase == Phase::Managed && skips_the_rest(rule) && is_behind(rules, rule) {
                        self.leave(
                            rule_address,
                            "as an exception it would free requests from the rulesets before it, \
                            too; write \
                             an exception with the rulesets that it skips",
                        );
                        continue;
                    }
                    self.note(address, &format!("{} lets requests skip it", rule.shown()));
                    self.add(*phase, rule, rule_address);
                }
            }
        }
    }

    /// Leaves out overrides of tags that apply before one of the spec's own to the same rules: a new
    /// entry stands behind the existing ones.
    fn without_tags_in_front(
        &mut self,
        wanted: &DesiredDeployment,
        mut found: DesiredDeployment,
        address: &Address,
    ) -> DesiredDeployment {
        let catalogue = self.live.waf.managed(wanted.ruleset);
        let share_rules = |one: &str, other: &str| {
            let has = |tags: &[String], tag: &str| tags.iter().any(|own| own == tag);
            catalogue.is_none_or(|catalogue| {
                catalogue.rules.iter().any(|rule| has(&rule.tags, one) && has(&rule.tags, other))
            })
        };
        let is_own = |tag: &str| wanted.tags.iter().any(|own| own.tag == tag);
        let (mut kept, mut left) = (Vec::new(), Vec::new());
        for (at, tag) in found.tags.iter().enumerate() {
            let mut later = found.tags[at + 1..].iter().filter(|other| is_own(&other.tag));
            match later.find(|other| !is_own(&tag.tag) && share_rules(&tag.tag, &other.tag)) {
                Some(own) => left.push((tag.clone(), own.tag.clone())),
                None => kept.push(tag.clone()),
            }
        }
        for (mut tag, own) in left {
            tag.note.reason = Some(REASON.to_owned());
            let key = wanted.ruleset.key();
            let mut deployment = DesiredDeployment::new(wanted.ruleset, Switch::On, wanted.place);
            let name = tag.tag.clone();
            deployment.tags.push(tag);
            self.leave(
                address.clone(),
                &format!(
                    "the override of the tag {name} applies before the spec's own of {own}, and a \
                    new entry would apply \
                     after it; write it in front of {own} below `{key}`: {}",
                    yaml_text::flow(&Json::Object(members(&deployment)))
                ),
            );
        }
        found.tags = kept;
        found
    }

    /// In a section with `unmanaged: prune`, writes everything that Cloudflare has beyond the spec.
    fn whole(
        &mut self,
        wanted: &DesiredDeployment,
        found: &DesiredDeployment,
        (before, after): (&Map<String, Json>, &Map<String, Json>),
    ) {
        let key = wanted.ruleset.key();
        for name in KEYS.into_iter().filter(|name| !before.contains_key(*name)) {
            let value =
                after.get(name).map(|value| (key, super::settings::one(name, value.clone())));
            self.additions.extend(value);
        }
        let mut addition = DesiredDeployment::new(wanted.ruleset, Switch::On, wanted.place);
        let has_rule =
            |other: &RuleTuning| wanted.rules.iter().any(|own| own.target == other.target);
        let has_tag = |tag: &str| wanted.tags.iter().any(|own| own.tag == tag);
        addition.rules = found.rules.iter().filter(|other| !has_rule(other)).cloned().collect();
        addition.tags = found.tags.iter().filter(|other| !has_tag(&other.tag)).cloned().collect();
        let notes = addition
            .rules
            .iter_mut()
            .map(|r| &mut r.note)
            .chain(addition.tags.iter_mut().map(|t| &mut t.note));
        notes.for_each(|note| note.reason = Some(REASON.to_owned()));
        if !addition.rules.is_empty() || !addition.tags.is_empty() {
            self.additions.push((key, spec::deployment_entry(&addition)));
        }
    }

    /// Updates one value of a managed ruleset.
    fn value(
        &mut self,
        managed: Managed,
        key: &str,
        old: &Json,
        new: Option<&Json>,
        address: &Address,
    ) {
        let values = self.deployments(managed).into_iter().filter_map(|(at, owner)| {
            let (name, node) = self.workspace.tree(at.file).entry(at.node, key)?;
            Some((At { node, ..at }, At { node: name, ..at }, owner))
        });
        let values: Vec<_> = values.collect();
        let is_own = values.iter().any(|(_, _, owner)| *owner == Owner::Zone);
        for (value, name, owner) in values {
            match (owner, new) {
                (Owner::OwnProfile | Owner::SharedProfile, _) if is_own => {}
                (Owner::SharedProfile, Some(new)) => {
                    self.note(
                        address,
                        &format!(
                            "other zones use its profile too, so the zone has its own `{key}` now"
                        ),
                    );
                    self.additions.push((managed.key(), super::settings::one(key, new.clone())));
                }
                (Owner::SharedProfile, None) => {
                    self.leave(address.clone(), "the profile that sets it is used elsewhere too")
                }
                (Owner::Zone | Owner::OwnProfile, Some(new)) => {
                    self.workspace.merge(value, old, new, address.as_str())
                }
                (Owner::Zone | Owner::OwnProfile, None) if key == "paranoia" => {
                    self.workspace.merge(value, old, &Json::from("custom"), address.as_str());
                }
                (Owner::Zone | Owner::OwnProfile, None) => {
                    self.workspace.files[name.file].changes.remove(name.node)
                }
            }
        }
    }

    /// Removes the tuning entry at a place.
    fn drop_tuning(&mut self, managed: Managed, place: Place, address: &Address) {
        for (at, owner) in self.deployments(managed) {
            let tree = self.workspace.tree(at.file);
            if self.workspace.files[at.file].source != place.source {
                continue;
            }
            let lists = ["disable", "enable", "rules", "tags"]
                .into_iter()
                .filter_map(|key| tree.get(at.node, key));
            let items = lists.flat_map(|list| tree.items(list).iter().copied());
            let start = place.span.start as usize;
            let Some(item) = items.into_iter().find(|item| {
                let span = &tree.node(*item).span;
                span.start <= start && start < span.end
            }) else {
                continue;
            };
            match owner {
                Owner::Zone | Owner::OwnProfile => {
                    self.workspace.files[at.file].changes.remove(item)
                }
                Owner::SharedProfile => {
                    self.leave(address.clone(), "the profile that sets it is used elsewhere too")
                }
            }
        }
    }

    /// Writes the additions to the zone's own section.
    fn write_additions(self) {
        let Self { workspace, zone, sections, additions, left, .. } = self;
        if additions.is_empty() {
            return;
        }
        let own_section =
            sections.iter().find(|(_, owner)| *owner == Owner::Zone).map(|(at, _)| *at);
        let fragment = workspace.fragments(&zone.name).first().copied();
        let Some(at) = own_section.or(fragment) else { return };
        if let Some(why) = workspace.shared(at) {
            left.push((Address::of_zone_part(&zone.name, "waf"), why));
            return;
        }
        // A missing section is written once, with all additions.
        let mut together: Map<String, Json> = Map::new();
        for (key, value) in additions {
            match (together.get_mut(key), value) {
                (Some(Json::Array(items)), value) => items.push(value),
                (Some(Json::Object(members)), Json::Object(more)) => extend(members, more),
                (_, value) if Managed::ALL.iter().any(|m| m.key() == key) => {
                    together.insert(key.to_owned(), value);
                }
                (_, value) => {
                    together.insert(key.to_owned(), Json::Array(vec![value]));
                }
            }
        }
        if own_section.is_none() {
            workspace.files[at.file].changes.set(at.node, "waf", Json::Object(together));
            return;
        }
        for (key, value) in together {
            add(workspace, at, &key, value);
        }
    }
}

/// Returns the keys of a managed ruleset in a spec.
fn members(deployment: &DesiredDeployment) -> Map<String, Json> {
    match spec::deployment_entry(deployment) {
        Json::Object(members) => members,
        _ => Map::new(),
    }
}

/// Adds members, and joins lists that both sides have.
fn extend(members: &mut Map<String, Json>, more: Map<String, Json>) {
    for (name, value) in more {
        match (members.get_mut(&name), value) {
            (Some(Json::Array(items)), Json::Array(more)) => items.extend(more),
            (_, value) => drop(members.insert(name, value)),
        }
    }
}

/// Adds a value below a key: to an existing list or mapping, or as a new one.
fn add(workspace: &mut Workspace<'_>, at: At, key: &str, value: Json) {
    let tree = workspace.tree(at.file);
    let changes = &mut workspace.files[at.file].changes;
    let Some(node) = tree.get(at.node, key) else {
        return changes.set(at.node, key, value);
    };
    match (&tree.node(node).kind, value) {
        (SourceNodeKind::Sequence { items, .. }, Json::Array(values)) => {
            let is_flow = items.first().is_some_and(|item| tree.is_flow(*item));
            values.into_iter().for_each(|value| changes.insert(node, None, None, value, is_flow));
        }
        (SourceNodeKind::Mapping { .. }, Json::Object(members)) => {
            for (name, value) in members {
                add(workspace, At { node, ..at }, &name, value);
            }
        }
        (_, value) => changes.replace(node, value),
    }
}
