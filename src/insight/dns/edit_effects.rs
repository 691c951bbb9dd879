//! What edits of records mean to resolvers: sentences for each edit, and for the zone.
//!
//! The sentences are about what the edit does not show by itself: a name that stops existing or falls to a wildcard, records that a wildcard
//! no longer gives, what a wildcard or a delegation covers, aliases that change with their target, references, mail servers in
//! their order, and how long caches keep what was there. There are none about times to live, comments and tags.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{Answer, End, NoData};
use super::answer_in_words::{NO_NAME, records, values};
use super::caching::{LONG_TTL, new_seen, old_kept};
use super::differences::{Class, Difference, differences_from};
use super::entry::Entry;
use super::index::{Node, ZoneIndex};
use super::references::References;
use super::serving::Hindrance;
use super::serving_change;
use super::zones::Zones;
use crate::diagnostic::first_of;
use crate::model::{Fqdn, RecordType, ZoneName};

/// How many names a sentence names.
const MOST_NAMES: usize = 5;

/// One edit of a record: created without `before`, deleted without `after`.
#[derive(Debug, Clone, Copy)]
pub struct Edit<'a> {
    /// The zone.
    pub zone: &'a ZoneName,
    /// The record before.
    pub before: Option<Entry<'a>>,
    /// The record after.
    pub after: Option<Entry<'a>>,
}

/// What edits mean.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explained {
    /// Sentences for each edit, in the order of the edits, each in the order in which they matter.
    pub of_edits: Vec<Vec<String>>,
    /// Sentences for the zones.
    pub of_zones: BTreeMap<ZoneName, Vec<String>>,
}

impl<'a> Edit<'a> {
    /// The name that it is about.
    #[must_use]
    pub fn name(&self) -> Option<&'a Fqdn> {
        self.after.or(self.before).map(|entry| entry.name)
    }

    /// Whether it changes an answer, and not only for how long it is kept, or a note.
    #[must_use]
    pub fn changes_answers(&self) -> bool {
        match (self.before, self.after) {
            (Some(before), Some(after)) => {
                before.data != after.data || before.proxied != after.proxied || before.settings != after.settings
            }
            (before, after) => before.is_some() || after.is_some(),
        }
    }
}

/// What edits mean, given the zones before and after them. Both must have the same zones.
#[must_use]
pub fn explain<'a>(
    before: &Zones<'a>,
    after: &Zones<'a>,
    edits: &[Edit<'a>],
    references: &References<'_>,
) -> Explained {
    let mut explained = Explained { of_edits: vec![Vec::new(); edits.len()], of_zones: BTreeMap::new() };
    // The first edit of a name that changes answers gets what is said about the name.
    let mut by_name: BTreeMap<&Fqdn, Vec<usize>> = BTreeMap::new();
    for (n, edit) in edits.iter().enumerate().filter(|(_, edit)| edit.changes_answers()) {
        if let Some(name) = edit.name() {
            by_name.entry(name).or_default().push(n);
        }
    }
    let names: Vec<&Fqdn> = by_name.keys().copied().collect();
    // A new name that nothing answered for and nothing refers to changes no other answer; there can be many of them.
    let is_plain = |name: &Fqdn| {
        let (Some(old), Some(new)) = (before.zone_of(name), after.zone_of(name)) else { return true };
        let sources = [source(old, name.as_str()), source(new, name.as_str())];
        !name.is_wildcard() && references.to(name).is_empty() && matches!(sources, [Source::Nothing, Source::Own(_)])
    };
    let asked: Vec<&Fqdn> = names.iter().copied().filter(|name| !is_plain(name)).collect();
    let found = differences_from(before, after, &names, &asked);
    let edited: BTreeSet<&Fqdn> = names.iter().copied().collect();
    let dependents = dependents(&found, &edited);
    let view = View { before, after, edits, found: &found, references, dependents };
    for (name, of_name) in &by_name {
        let Some(zones) = view.zone(name) else { continue };
        let mut lines = view.about_name(name, zones, of_name);
        lines.extend(view.caches(of_name));
        let main = view.first_edit(of_name, is_host).or(of_name.first().copied());
        let lost = view.lost(name, zones);
        if !lost.is_empty() {
            // Beside the edit that brings it about: the mail servers of a name do not tell why its text is missing.
            let loses = |n: &&usize| {
                edits.get(**n).and_then(|edit| edit.before?.record_type()).is_some_and(|kind| lost.contains(&kind))
            };
            let lost: Vec<String> = lost.iter().map(ToString::to_string).collect();
            let (shown, lost_types) = (zones[1].name().relative(name), first_of(&lost, MOST_NAMES));
            let line = format!("{shown}: no {lost_types} any more; the name has other records");
            explained.put(of_name.iter().find(loses).copied().or(main), [line]);
        }
        explained.put(main, lines);
    }
    for zone in by_name.keys().filter_map(|name| after.zone_of(name)) {
        if !explained.of_zones.contains_key(zone.name()) {
            explained.of_zones.insert(zone.name().clone(), view.about_zone(zone, &by_name));
        }
    }
    for zone in after.iter() {
        let Some(old) = before.named(zone.name()).filter(|old| old.serving() != zone.serving()) else { continue };
        let lines = serving_change::changes(old, zone);
        if !lines.is_empty() {
            explained.of_zones.entry(zone.name().clone()).or_default().splice(0..0, lines);
        }
    }
    explained
}

impl Explained {
    /// Adds sentences to an edit.
    fn put(&mut self, edit: Option<usize>, lines: impl IntoIterator<Item = String>) {
        if let Some(own) = edit.and_then(|n| self.of_edits.get_mut(n)) {
            own.extend(lines);
        }
    }
}

/// Whether a record says where a name is reached.
fn is_host(entry: &Entry<'_>) -> bool {
    matches!(entry.record_type(), Some(RecordType::A | RecordType::Aaaa | RecordType::Cname))
}

/// Everything that sentences are made from.
struct View<'v, 'a> {
    before: &'v Zones<'a>,
    after: &'v Zones<'a>,
    edits: &'v [Edit<'a>],
    found: &'v [Difference<'a>],
    references: &'v References<'v>,
    /// Names that are not edited and whose answers differ, by the names to which their aliases lead.
    dependents: BTreeMap<&'a Fqdn, BTreeSet<&'v Fqdn>>,
}

/// The names whose answers differ although their records do not, by the names to which their aliases lead.
fn dependents<'v, 'a>(found: &'v [Difference<'a>], edited: &BTreeSet<&Fqdn>) -> BTreeMap<&'a Fqdn, BTreeSet<&'v Fqdn>> {
    let mut dependents: BTreeMap<&'a Fqdn, BTreeSet<&'v Fqdn>> = BTreeMap::new();
    for difference in found {
        let Class::Name(name) = &difference.class else { continue };
        let answers = difference.types.values().flat_map(|(before, after)| [before, after]);
        for target in answers.flat_map(|a| &a.aliases).filter_map(|alias| alias.record.data.target()) {
            if !edited.contains(name) {
                dependents.entry(target).or_default().insert(name);
            }
        }
    }
    dependents
}

/// Where the answers for a name come from.
#[derive(Debug, Clone, Copy)]
enum Source<'z, 'a> {
    /// Records of its own.
    Own(Node<'z, 'a>),
    /// A wildcard.
    Wildcard(Node<'z, 'a>),
    /// Nowhere, but there are names below it.
    Empty,
    /// Nowhere.
    Nothing,
    /// Other name servers: it is at or below this delegation.
    Cut(Node<'z, 'a>),
}

/// The source of a name in a zone.
fn source<'z, 'a>(zone: &'z ZoneIndex<'a>, name: &str) -> Source<'z, 'a> {
    let Some(location) = zone.locate(name) else { return Source::Nothing };
    match (location.cut, location.exact.filter(Node::has_records), location.wildcard, location.exact) {
        (Some(cut), ..) => Source::Cut(cut),
        (None, Some(own), ..) => Source::Own(own),
        (None, None, Some(star), _) => Source::Wildcard(star),
        (None, None, None, Some(_)) => Source::Empty,
        (None, None, None, None) => Source::Nothing,
    }
}

/// A count with its noun.
fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

impl<'v, 'a> View<'v, 'a> {
    /// The zone of a name, before and after.
    fn zone(&self, name: &Fqdn) -> Option<[&'v ZoneIndex<'a>; 2]> {
        Some([self.before.zone_of(name)?, self.after.zone_of(name)?])
    }

    /// The first of some edits whose record is of a kind.
    fn first_edit(&self, of_name: &[usize], is_it: impl Fn(&Entry<'a>) -> bool) -> Option<usize> {
        let is_of_kind =
            |n: &usize| self.edits.get(*n).and_then(|edit| edit.after.or(edit.before)).is_some_and(|e| is_it(&e));
        of_name.iter().copied().find(is_of_kind)
    }

    /// Sentences about a name whose records are edited.
    fn about_name(&self, name: &Fqdn, zones: [&'v ZoneIndex<'a>; 2], of_name: &[usize]) -> Vec<String> {
        let [old, new] = zones;
        let shown = new.name().relative(name);
        let sources = [source(old, name.as_str()), source(new, name.as_str())];
        let says = |zone: &ZoneIndex<'a>, node: Node<'_, 'a>| records(node, zone.serving().proxies());
        let relative =
            |zone: &ZoneIndex<'a>, node: Node<'_, 'a>| zone.name().relative(&Fqdn::reported(node.name())).to_owned();
        let mut lines = Vec::new();
        match sources {
            // What a wildcard means is said of the names below its parent.
            [
                Source::Own(_) | Source::Wildcard(_) | Source::Empty | Source::Nothing,
                Source::Own(_) | Source::Wildcard(_) | Source::Empty | Source::Nothing,
            ] if name.is_wildcard() => {}
            // The record shows that a name goes to which no client connects.
            [Source::Own(own), Source::Nothing | Source::Empty] if !own.records().any(|entry| is_host(&entry)) => {}
            [Source::Own(own), Source::Nothing] => lines.push(format!("{shown}: {} → {NO_NAME}", says(old, own))),
            [Source::Own(own), Source::Empty] => {
                lines.push(format!("{shown}: {} → no records; only names below it have some", says(old, own)));
            }
            [Source::Own(_), Source::Wildcard(star)] => {
                let ttl = star.records().map(|entry| entry.seconds()).max().filter(|seconds| *seconds >= LONG_TTL);
                let ttl = ttl.map(|seconds| format!(" (ttl {seconds})")).unwrap_or_default();
                lines.push(format!("{shown}: {} answers from now on: {}{ttl}", star.name(), says(new, star)));
            }
            [Source::Wildcard(star), Source::Own(own)] => {
                lines.extend(self.left_by_wildcard(name, shown, zones, star, own));
            }
            [Source::Own(before), Source::Own(after)] => {
                lines.extend(Self::own_to_own(shown, zones, [before, after]));
            }
            [Source::Cut(before), Source::Cut(after)] if before.name() == after.name() => {}
            // What a delegation means is said with the name servers.
            [_, Source::Cut(cut)] | [Source::Cut(cut), _] if cut.name() == name.as_str() => {}
            [_, Source::Cut(cut)] if cut.of_type(RecordType::Ns).iter().any(|ns| ns.data.target() == Some(name)) => {
                lines.push(format!(
                    "the address of a name server of {}, which Cloudflare returns with the delegation (glue)",
                    relative(new, cut)
                ));
            }
            [_, Source::Cut(cut)] => {
                lines.push(format!(
                    "no effect on answers: {} is delegated, so other name servers answer for this name",
                    relative(new, cut)
                ));
            }
            _ => {}
        }
        lines.extend(self.about_alias(name, shown, of_name));
        lines.extend(self.about_above(name, zones));
        lines.extend(self.about_below(name, zones));
        let loses = matches!(sources, [Source::Own(_), Source::Nothing | Source::Empty | Source::Wildcard(_)]);
        // What refers to a name that goes names the aliases too.
        lines.extend(self.dependents(name, zones).filter(|_| !loses));
        if loses || self.addresses_change(name) {
            lines.extend(self.references.about(name, new.name(), loses));
        }
        lines
    }

    /// A name that a wildcard answered for until now.
    fn left_by_wildcard(
        &self,
        name: &Fqdn,
        shown: &str,
        [old, new]: [&ZoneIndex<'a>; 2],
        star: Node<'_, 'a>,
        own: Node<'_, 'a>,
    ) -> Option<String> {
        let answers = |zone: &ZoneIndex<'a>, node: Node<'_, 'a>| records(node, zone.serving().proxies());
        let was = answers(old, star);
        // No client connects to the name of a key or a token, and some answers stay as they are.
        let is_of_label = |entry: &Entry<'a>| {
            use RecordType::{Cname, Srv, Tlsa, Txt};
            matches!(entry.record_type(), Some(Cname | Srv | Tlsa | Txt))
        };
        let is_label = name.as_str().split('.').any(|label| label.starts_with('_'));
        if was == answers(new, own) || (is_label && !star.records().any(|entry| is_of_label(&entry))) {
            return None;
        }
        let kept: BTreeSet<&str> = own.records().map(|entry| entry.data.type_name()).collect();
        let has_host = own.records().any(|entry| is_host(&entry));
        let word = |entry: Entry<'a>| if is_host(&entry) && !has_host { "address" } else { entry.data.type_name() };
        let lost: BTreeSet<&str> = star.records().map(word).filter(|word| !kept.contains(word)).collect();
        let lost: Vec<String> = lost.into_iter().map(str::to_owned).collect();
        let loses = if lost.is_empty() || own.has(RecordType::Cname) {
            String::new()
        } else {
            format!("; it has no {} any more", first_of(&lost, MOST_NAMES))
        };
        Some(format!("{shown}: until now {} answered: {was}{loses}", star.name()))
    }

    /// Names above a new name that exist because of it alone, so that the wildcard that answered for them no longer does: on advanced
    /// name servers (RFC 4592 section 2.2.2).
    fn about_above(&self, name: &Fqdn, [old, new]: [&'v ZoneIndex<'a>; 2]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut rest = name.as_str();
        while let Some((_, parent)) = rest.split_once('.').filter(|(_, parent)| old.node(parent).is_none()) {
            rest = parent;
            if let (Source::Wildcard(star), Source::Empty) = (source(old, parent), source(new, parent)) {
                let parent = Fqdn::reported(parent);
                lines.push(format!(
                    "{}: {} no longer answers, because a name below this one exists now (RFC 4592); until now: {}",
                    new.name().relative(&parent),
                    star.name(),
                    records(star, old.serving().proxies())
                ));
            }
        }
        lines
    }

    /// A name that keeps some records, and moves behind the proxy or from there.
    fn own_to_own(shown: &str, zones: [&ZoneIndex<'a>; 2], nodes: [Node<'_, 'a>; 2]) -> Vec<String> {
        let proxied = |zone: &ZoneIndex<'a>, node: Node<'_, 'a>| {
            zone.serving().proxies() && node.records().any(|e| e.is_proxied())
        };
        let addresses = |node: Node<'_, 'a>| {
            let all: Vec<Entry<'a>> =
                [RecordType::A, RecordType::Aaaa, RecordType::Cname].iter().flat_map(|t| node.of_type(*t)).collect();
            values(&all)
        };
        let [old, new] = zones;
        match (proxied(old, nodes[0]), proxied(new, nodes[1])) {
            (true, false) if !addresses(nodes[1]).is_empty() => {
                vec![format!("{shown}: Cloudflare's edge → {}, which anyone can look up", addresses(nodes[1]))]
            }
            (false, true) if !addresses(nodes[0]).is_empty() => {
                vec![format!("{shown}: {} → Cloudflare's edge", addresses(nodes[0]))]
            }
            _ => Vec::new(),
        }
    }

    /// The types that a name loses which keeps other records, unless it is said that it moves behind the proxy, or from there.
    fn lost(&self, name: &Fqdn, zones: [&ZoneIndex<'a>; 2]) -> Vec<RecordType> {
        let [Source::Own(before), Source::Own(after)] = zones.map(|zone| source(zone, name.as_str())) else {
            return Vec::new();
        };
        if name.is_wildcard() || !Self::own_to_own("", zones, [before, after]).is_empty() {
            return Vec::new();
        }
        let difference = self.difference(&Class::Name(name.clone()));
        let is_gone = |kind: &RecordType| {
            difference.and_then(|d| d.types.get(kind)).is_some_and(|(_, after)| {
                matches!(after.end, End::NoData(_)) && after.aliases.is_empty() && before.has(*kind)
            })
        };
        RecordType::ALL.iter().copied().filter(is_gone).collect()
    }

    /// An alias that is set, and leads to nothing in the known zones.
    fn about_alias(&self, name: &Fqdn, shown: &str, of_name: &[usize]) -> Option<String> {
        let sets =
            |n: &usize| self.edits.get(*n).and_then(|edit| edit.after).is_some_and(|entry| entry.is(RecordType::Cname));
        if !of_name.iter().any(sets) {
            return None;
        }
        let answers = [RecordType::A, RecordType::Aaaa].map(|kind| self.after.answer(name, kind));
        let is_dead = |answer: &Answer<'_>| matches!(answer.end, End::NoName | End::NoData(_) | End::Loop);
        if !answers.iter().all(is_dead) {
            return None;
        }
        let end = &answers[0];
        // No client connects to the name of a key or a token, so a text is all that it needs.
        let is_host = !name.as_str().split('.').any(|label| label.starts_with('_'));
        if !is_host && answers.iter().all(|answer| matches!(answer.end, End::NoData(NoData::OtherTypes))) {
            return None;
        }
        Some(match end.end {
            End::Loop => format!("{shown}: the aliases form a loop at {}, so there is no answer", end.name),
            End::NoName => format!("{shown}: leads to {}, and there is {NO_NAME}", end.name),
            _ => format!("{shown}: leads to {}, which has no address", end.name),
        })
    }

    /// What changes for names below an edited one that have no records of their own.
    fn about_below(&self, name: &Fqdn, zones: [&'v ZoneIndex<'a>; 2]) -> Option<String> {
        let parent = name.as_str().strip_prefix("*.").map(Fqdn::reported);
        let region = parent.as_ref().unwrap_or(name);
        let difference = self.difference(&Class::Below(region.clone()))?;
        let sources = [0, 1].map(|n| source(zones[n], difference.asked.as_str()));
        let [old, new] = zones;
        let every = format!("every name below {region} without records of its own");
        let says = |zone: &ZoneIndex<'a>, node: Node<'_, 'a>| records(node, zone.serving().proxies());
        let pointing = self.references.below(region, self.after);
        // Below a name that is no wildcard hardly anything is ever asked, unless a record says so.
        if parent.is_none() && pointing.is_empty() {
            return None;
        }
        let points = || {
            if pointing.is_empty() {
                String::new()
            } else {
                format!(" ({}: {})", point_there(pointing.len()), first_of(&pointing, MOST_NAMES))
            }
        };
        match sources {
            [Source::Wildcard(star), Source::Nothing] => Some(match parent {
                Some(_) => format!("{every} stops resolving: {} → {NO_NAME}{}", says(old, star), points()),
                None => format!("{every}: {} ({}) → {NO_NAME}{}", says(old, star), star.name(), points()),
            }),
            [Source::Nothing, Source::Wildcard(star)] => Some(format!("{every}: {NO_NAME} → {}", says(new, star))),
            [Source::Wildcard(a), Source::Wildcard(b)] if a.name() != b.name() => {
                Some(format!("{every}: {} ({}) → {} ({})", says(old, a), a.name(), says(new, b), b.name()))
            }
            // A delegation says so itself.
            _ => None,
        }
    }

    /// Names whose answers change although their records do not, because an alias leads to this one.
    fn dependents(&self, name: &Fqdn, zones: [&ZoneIndex<'a>; 2]) -> Option<String> {
        let names = self.dependents.get(name)?.iter().map(|other| zones[1].name().relative(other).to_owned());
        let names: Vec<String> = names.collect();
        Some(format!(
            "{} {} differently too: {}",
            if names.len() == 1 { "1 alias".to_owned() } else { format!("{} aliases", names.len()) },
            if names.len() == 1 { "answers" } else { "answer" },
            first_of(&names, MOST_NAMES)
        ))
    }

    /// How long caches may keep what was there, if that is long.
    fn caches(&self, of_name: &[usize]) -> Option<String> {
        let before = of_name.iter().filter_map(|n| self.edits.get(*n)?.before);
        let seconds = before.map(|entry| entry.seconds()).max()?;
        old_kept(seconds)
    }

    /// When everyone sees the changes of a zone.
    fn about_zone(&self, zone: &ZoneIndex<'a>, by_name: &BTreeMap<&Fqdn, Vec<usize>>) -> Vec<String> {
        match zone.serving().hindrance {
            Some(Hindrance::Pending) => {
                return vec!["not visible yet: the zone is pending, and Cloudflare does not serve it".to_owned()];
            }
            Some(hindrance @ (Hindrance::Moved | Hindrance::Partial)) => {
                return vec![format!("the zone {}", hindrance.about())];
            }
            None => {}
        }
        let is_of_zone = |edit: &&Edit<'a>| edit.zone == zone.name() && edit.changes_answers();
        let edits: Vec<&Edit<'a>> =
            by_name.values().flatten().filter_map(|n| self.edits.get(*n)).filter(is_of_zone).collect();
        // No cache has names of a zone without records.
        let was_empty = self.before.named(zone.name()).is_none_or(|zone| zone.entries().next().is_none());
        let kept = edits.iter().filter_map(|edit| Some(edit.before?.seconds())).max();
        let negative = zone.serving().negative_seconds();
        let is_new = |edit: &&&Edit<'a>| {
            let name = edit.after.map(|entry| entry.name);
            edit.before.is_none()
                && name.is_some_and(|name| {
                    self.before
                        .zone_of(name)
                        .is_some_and(|z| matches!(source(z, name.as_str()), Source::Nothing | Source::Empty))
                })
        };
        let fresh = if was_empty { 0 } else { edits.iter().filter(is_new).count() };
        new_seen(kept, (fresh > 0).then_some(negative)).into_iter().collect()
    }

    /// Whether the addresses of a name differ.
    fn addresses_change(&self, name: &Fqdn) -> bool {
        let difference = self.difference(&Class::Name(name.clone()));
        difference.is_some_and(|d| {
            [RecordType::A, RecordType::Aaaa].iter().any(|kind| {
                // No client relies on a name that had no address before.
                d.types.get(kind).is_some_and(|(before, _)| !matches!(before.end, End::NoName | End::NoData(_)))
            })
        })
    }

    /// What differs for a class.
    fn difference(&self, class: &Class) -> Option<&'v Difference<'a>> {
        self.found.binary_search_by(|difference| difference.class.cmp(class)).ok().and_then(|n| self.found.get(n))
    }
}

/// How many records point somewhere.
fn point_there(n: usize) -> String {
    format!("{} {} there", count(n, "record"), if n == 1 { "points" } else { "point" })
}
