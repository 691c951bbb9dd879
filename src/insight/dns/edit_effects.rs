//! Effects of edited records on resolvers: sentences for each edit, and for the zone.  The
//! sentences are about what the edit does not show by itself: a name that stops existing, what a
//! delegation covers, references, mail servers in their order, and how long caches keep what was
//! there. Those about wildcards, aliases, the proxy, types that a name loses, and when everyone
//! sees the changes, have files of their own. There are none about comments and tags.

use std::collections::{BTreeMap, BTreeSet};

use super::alias_effects::{self, Dependents};
use super::answer::End;
use super::answer_in_words::{NO_NAME, describe_node};
use super::answer_source::AnswerSource;
use super::caching::{LONG_TTL, all_kept, old_kept, raised_with_move, safe_from};
use super::differences::{Class, Difference, differences_from};
use super::entry::Entry;
use super::index::{NameNode, ZoneIndex};
use super::record_edit::RecordEdit;
use super::references::References;
use super::zones::Zones;
use super::{lost_types, proxy_change, serving_change, visibility, wildcard_effects};
use crate::model::{Fqdn, RecordType, ZoneName};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explained {
    /// Sentences for each edit, in the order of the edits, each in the order in which they matter.
    pub of_edits: Vec<Vec<String>>,
    /// Sentences for the zones.
    pub of_zones: BTreeMap<ZoneName, Vec<String>>,
}

/// Returns the effects of edits, with the zones before and after them. Both states must have the
/// same zones.
#[must_use]
pub fn explain<'a>(
    before: &Zones<'a>,
    after: &Zones<'a>,
    edits: &[RecordEdit<'a>],
    references: &References<'_>,
) -> Explained {
    let mut explained =
        Explained { of_edits: vec![Vec::new(); edits.len()], of_zones: BTreeMap::new() };
    // The first edit of a name that changes answers gets the sentences about the name.
    let mut by_name: BTreeMap<&Fqdn, Vec<usize>> = BTreeMap::new();
    for (n, edit) in edits.iter().enumerate().filter(|(_, edit)| edit.changes_answers()) {
        if let Some(name) = edit.name() {
            by_name.entry(name).or_default().push(n);
        }
    }
    let names: Vec<&Fqdn> = by_name.keys().copied().collect();
    // A new name that nothing answered for and nothing refers to changes no other answer; there can
    // be many of them.
    let is_plain = |name: &Fqdn| {
        let (Some(old), Some(new)) = (before.zone_of(name), after.zone_of(name)) else {
            return true;
        };
        let sources = [AnswerSource::of(old, name.as_str()), AnswerSource::of(new, name.as_str())];
        !name.is_wildcard()
            && references.to(name).is_empty()
            && matches!(sources, [AnswerSource::Nothing, AnswerSource::Own(_)])
    };
    let asked_names: Vec<&Fqdn> = names.iter().copied().filter(|name| !is_plain(name)).collect();
    let differences = differences_from(before, after, &names, &asked_names);
    let edited: BTreeSet<&Fqdn> = names.iter().copied().collect();
    let dependents = Dependents::of(&differences, &edited);
    let view = View { before, after, edits, found: &differences, references, dependents };
    let mut kept: BTreeMap<&ZoneName, Vec<(usize, u32)>> = BTreeMap::new();
    for (name, of_name) in &by_name {
        let Some(zones) = view.zone(name) else { continue };
        let difference = view.difference(&Class::Name((*name).clone()));
        let mut lines = view.about_name(name, zones, of_name, difference);
        if let Some(longest) = view.longest_kept(of_name) {
            kept.entry(zones[1].name()).or_default().push(longest);
        }
        lines.extend(view.raised_ttl(of_name));
        let main =
            view.first_edit(of_name, Entry::is_address_or_alias).or(of_name.first().copied());
        let lost = lost_types::lost_types(name, zones, difference);
        if !lost.is_empty() {
            // A name can lose its records through an edit of another name, such as a delegation.
            // The sentence belongs to that edit.
            let loses = |n: &&usize| {
                edits
                    .get(**n)
                    .and_then(|edit| edit.before?.record_type())
                    .is_some_and(|kind| lost.contains(&kind))
            };
            let line = lost_types::lost_types_sentence(zones[1].name().relative(name), &lost);
            explained.put(of_name.iter().find(loses).copied().or(main), [line]);
        }
        explained.put(main, lines);
    }
    for (n, edit) in edits.iter().enumerate() {
        explained.put(Some(n), edit.lowered_ttl().map(safe_from));
    }
    for zone in by_name.keys().filter_map(|name| after.zone_of(name)) {
        if !explained.of_zones.contains_key(zone.name()) {
            let is_own =
                |edit: &&RecordEdit<'a>| edit.zone == zone.name() && edit.changes_answers();
            let own_edits: Vec<&RecordEdit<'a>> = edits.iter().filter(is_own).collect();
            explained.of_zones.insert(
                zone.name().clone(),
                visibility::describe_visibility(zone, before, &own_edits),
            );
        }
    }
    for (zone, of_zone) in kept {
        explained.put_kept(zone, &of_zone, edits);
    }
    for zone in after.iter() {
        let Some(old) = before.named(zone.name()).filter(|old| old.serving() != zone.serving())
        else {
            continue;
        };
        let lines = serving_change::changes(old, zone);
        if !lines.is_empty() {
            explained.of_zones.entry(zone.name().clone()).or_default().splice(0..0, lines);
        }
    }
    explained
}

impl Explained {
    /// Adds the sentence about the old answers of a zone that caches keep: to its edit if there is
    /// one, and else to the zone.
    fn put_kept(&mut self, zone: &ZoneName, of_zone: &[(usize, u32)], edits: &[RecordEdit<'_>]) {
        if let [(n, seconds)] = of_zone {
            return self.put(Some(*n), [old_kept(*seconds)]);
        }
        let mut names: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        for (n, seconds) in of_zone {
            let name = edits.get(*n).and_then(RecordEdit::name).map(|name| zone.relative(name));
            names.entry(*seconds).or_default().extend(name);
        }
        let sentence = all_kept(names.into_iter().rev());
        self.of_zones.entry(zone.clone()).or_default().push(sentence);
    }

    /// Adds sentences to an edit.
    fn put(&mut self, edit: Option<usize>, lines: impl IntoIterator<Item = String>) {
        if let Some(own) = edit.and_then(|n| self.of_edits.get_mut(n)) {
            own.extend(lines);
        }
    }
}

/// Everything that sentences are made from.
struct View<'v, 'a> {
    before: &'v Zones<'a>,
    after: &'v Zones<'a>,
    edits: &'v [RecordEdit<'a>],
    found: &'v [Difference<'a>],
    references: &'v References<'v>,
    dependents: Dependents<'v, 'a>,
}

impl<'v, 'a> View<'v, 'a> {
    /// Returns the zone of a name, before and after.
    fn zone(&self, name: &Fqdn) -> Option<[&'v ZoneIndex<'a>; 2]> {
        Some([self.before.zone_of(name)?, self.after.zone_of(name)?])
    }

    /// Returns the first of some edits whose record passes a test.
    fn first_edit(&self, of_name: &[usize], is_it: impl Fn(&Entry<'a>) -> bool) -> Option<usize> {
        let is_of_kind = |n: &usize| {
            self.edits
                .get(*n)
                .and_then(|edit| edit.after.or(edit.before))
                .is_some_and(|e| is_it(&e))
        };
        of_name.iter().copied().find(is_of_kind)
    }

    /// Sentences about a name whose records are edited; `difference` is what differs for it.
    fn about_name(
        &self,
        name: &Fqdn,
        zones: [&'v ZoneIndex<'a>; 2],
        of_name: &[usize],
        difference: Option<&Difference<'a>>,
    ) -> Vec<String> {
        let [old, new] = zones;
        let shown = new.name().relative(name);
        let sources = [AnswerSource::of(old, name.as_str()), AnswerSource::of(new, name.as_str())];
        let was = |node: NameNode<'_, 'a>| describe_node(node, old.serving().proxies());
        let relative =
            |node: NameNode<'_, 'a>| new.name().relative(&Fqdn::reported(node.name())).to_owned();
        let mut lines = Vec::new();
        match sources {
            [AnswerSource::Own(before), AnswerSource::Own(after)] if name.is_wildcard() => {
                let parent = name.as_str().trim_start_matches("*.");
                let below = format!("every name below {parent} without records of its own");
                lines.extend(proxy_change::moved(&below, zones, [before, after]));
            }
            // The sentences about names below the parent also cover its wildcard.
            [
                AnswerSource::Own(_)
                | AnswerSource::Wildcard(_)
                | AnswerSource::Empty
                | AnswerSource::Nothing,
                AnswerSource::Own(_)
                | AnswerSource::Wildcard(_)
                | AnswerSource::Empty
                | AnswerSource::Nothing,
            ] if name.is_wildcard() => {}
            // No client connects to such a name, and the plan already shows the deleted record.
            [AnswerSource::Own(own), AnswerSource::Nothing | AnswerSource::Empty]
                if !own.records().any(|entry| entry.is_address_or_alias()) => {}
            [AnswerSource::Own(own), AnswerSource::Nothing] => {
                lines.push(format!("{shown}: {} → {NO_NAME}", was(own)))
            }
            [AnswerSource::Own(own), AnswerSource::Empty] => {
                lines.push(format!(
                    "{shown}: {} → no records; only names below it have some",
                    was(own)
                ));
            }
            [AnswerSource::Own(_), AnswerSource::Wildcard(star)] => {
                lines.push(wildcard_effects::falls_to_wildcard(shown, new, star));
            }
            [AnswerSource::Wildcard(star), AnswerSource::Own(own)] => {
                lines.extend(wildcard_effects::left_by_wildcard(name, shown, zones, star, own));
            }
            [AnswerSource::Own(before), AnswerSource::Own(after)] => {
                lines.extend(proxy_change::moved(shown, zones, [before, after]));
            }
            [AnswerSource::Cut(before), AnswerSource::Cut(after)]
                if before.name() == after.name() => {}
            // The sentence about the name servers also covers the delegation.
            [_, AnswerSource::Cut(cut)] | [AnswerSource::Cut(cut), _]
                if cut.name() == name.as_str() => {}
            [_, AnswerSource::Cut(cut)]
                if cut.of_type(RecordType::Ns).iter().any(|ns| ns.data.target() == Some(name)) =>
            {
                lines.push(format!(
                    "the address of a name server of {}, which Cloudflare returns with the delegation (glue)",
                    relative(cut)
                ));
            }
            [_, AnswerSource::Cut(cut)] => {
                lines.push(format!(
                    "no effect on answers: {} is delegated, so other name servers answer for this name",
                    relative(cut)
                ));
            }
            _ => {}
        }
        if self.sets_alias(of_name) {
            lines.extend(alias_effects::leads_nowhere(name, shown, self.after));
        }
        lines.extend(wildcard_effects::names_above(name, zones));
        lines.extend(self.about_below(name, zones));
        let loses = matches!(
            sources,
            [
                AnswerSource::Own(_),
                AnswerSource::Nothing | AnswerSource::Empty | AnswerSource::Wildcard(_)
            ]
        );
        // The sentence about references to a missing name also names the aliases.
        lines.extend(self.dependents.sentence(name, new).filter(|_| !loses));
        if loses || difference.is_some_and(had_addresses) {
            lines.extend(self.references.about(name, new.name(), loses));
        }
        lines
    }

    /// Returns true if one of some edits sets an alias.
    fn sets_alias(&self, of_name: &[usize]) -> bool {
        of_name
            .iter()
            .filter_map(|n| self.edits.get(*n)?.after)
            .any(|entry| entry.is(RecordType::Cname))
    }

    /// Returns the sentence about names below an edited one.
    fn about_below(&self, name: &Fqdn, zones: [&'v ZoneIndex<'a>; 2]) -> Option<String> {
        let difference = self.difference(&Class::Below(wildcard_effects::region(name)))?;
        let Class::Below(region) = &difference.class else { return None };
        wildcard_effects::names_below(
            name,
            zones,
            region,
            difference,
            &self.references.below(region, self.after),
        )
    }

    /// Returns the edit of some whose old answer caches may keep for the longest time, in seconds,
    /// if that is long.
    fn longest_kept(&self, of_name: &[usize]) -> Option<(usize, u32)> {
        let seconds =
            of_name.iter().filter_map(|n| Some((*n, self.edits.get(*n)?.before?.seconds())));
        seconds
            .rev()
            .max_by_key(|(_, seconds)| *seconds)
            .filter(|(_, seconds)| *seconds >= LONG_TTL)
    }

    /// Returns a sentence if a new answer also has a longer time to live.
    fn raised_ttl(&self, of_name: &[usize]) -> Option<String> {
        of_name.iter().find_map(|n| {
            let edit = self.edits.get(*n)?;
            raised_with_move(edit.before?.seconds(), edit.after?.seconds())
        })
    }

    /// Returns the difference of a class, if it has one.
    fn difference(&self, class: &Class) -> Option<&'v Difference<'a>> {
        self.found
            .binary_search_by(|difference| difference.class.cmp(class))
            .ok()
            .and_then(|n| self.found.get(n))
    }
}

/// Returns true if a difference is about addresses that a name had before. No client relies on a
/// name that had none.
fn had_addresses(difference: &Difference<'_>) -> bool {
    [RecordType::A, RecordType::Aaaa].iter().any(|kind| {
        difference
            .types
            .get(kind)
            .is_some_and(|(before, _)| !matches!(before.end, End::NoName | End::NoData(_)))
    })
}
