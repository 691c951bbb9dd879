//! The differences between two states of some zones, for every name and type.
//!
//! There are more names than one can ask for, but only finitely many classes of them: each name
//! that exists in either state, each target of an alias, and for each name that exists, everything
//! below it that does not. All names of a class get the same answer, but for their own name, so one
//! question for each type settles a class. Verifiers such as GRoot (SIGCOMM 2020) do the same.
//!
//! Only classes that an edit can reach are asked: the edited names, the names above them (they may
//! come to exist or cease to), what a wildcard, a delegation or glue among them covers, and then,
//! as long as something is found, the aliases that lead there. After one pass over the records this
//! takes time in proportion to what changes.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::answer::Answer;
use super::index::{NameNode, ZoneIndex};
use super::zones::Zones;
use crate::model::{Fqdn, Gather, NAME_OCTETS, NameMap, RecordType};

/// Names that have the same answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    Name(Fqdn),
    /// Every name below this one. Excluded are names that exist, targets of aliases, and the names
    /// below both.
    Below(Fqdn),
}

/// The differences for a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference<'a> {
    pub class: Class,
    /// A name of the class, which was queried.
    pub asked: Fqdn,
    /// The types with separate queries.
    pub asked_types: BTreeSet<RecordType>,
    /// The types whose answers differ, with both answers.
    pub types: BTreeMap<RecordType, (Answer<'a>, Answer<'a>)>,
    /// The answers for every other type, if they differ.
    pub others: Option<Box<(Answer<'a>, Answer<'a>)>>,
}

/// Types that are queried for every class, because Cloudflare or a delegation treats them
/// specially.
const ALWAYS: &[RecordType] = &[
    RecordType::A,
    RecordType::Aaaa,
    RecordType::Cname,
    RecordType::Https,
    RecordType::Ns,
    RecordType::Ds,
    RecordType::Dnskey,
];

/// Returns the differences between two states; `edited` has the names whose records were added or
/// removed.
///
/// A zone whose serving changes is compared as a whole. Both states must have the same zones.
///
/// # Order
/// The differences are sorted by class.
#[must_use]
pub fn differences<'a>(
    before: &Zones<'a>,
    after: &Zones<'a>,
    edited: &[&Fqdn],
) -> Vec<Difference<'a>> {
    differences_from(before, after, edited, edited)
}

/// Does the same as [`differences`] for everything that the first of the edited names can affect.
pub(super) fn differences_from<'a>(
    before: &Zones<'a>,
    after: &Zones<'a>,
    edited: &[&Fqdn],
    asked: &[&Fqdn],
) -> Vec<Difference<'a>> {
    let pair = Pair { before, after };
    let aliases = pair.aliases(edited);
    let mut differences: BTreeMap<Class, Option<Difference<'a>>> = BTreeMap::new();
    let mut open: BTreeSet<Class> = BTreeSet::new();
    for name in asked {
        pair.reach(name, &mut open);
    }
    for (zone, other) in pair.zones().filter(|(zone, other)| zone.serving() != other.serving()) {
        for node in zone.nodes().chain(other.nodes()) {
            open.extend([
                Class::Name(Fqdn::reported(node.name())),
                Class::Below(Fqdn::reported(node.name())),
            ]);
        }
    }
    while let Some(class) = open.pop_first() {
        if differences.contains_key(&class) {
            continue;
        }
        if let Class::Below(_) = &class {
            // Targets of aliases are separate classes, because of loops.
            open.extend(aliases.unused_in(&class).map(|target| Class::Name(target.clone())));
        }
        let difference = pair.ask(&class, &aliases);
        if let (Some(_), Class::Name(name)) = (&difference, &class) {
            for owner in aliases.of_target.get(name.as_str()).into_iter().flatten() {
                pair.reach(owner, &mut open);
            }
        }
        differences.insert(class, difference);
    }
    differences.into_values().flatten().collect()
}

/// The aliases of both states whose targets are in known zones.
#[derive(Default)]
struct Aliases<'a> {
    /// The names of the aliases, by target.
    of_target: NameMap<'a, Vec<&'a Fqdn>>,
    /// The targets that do not exist, by their class.
    unused: HashMap<Class, Vec<&'a Fqdn>>,
}

impl<'a> Aliases<'a> {
    /// Returns the targets in a class of names that do not exist.
    fn unused_in(&self, class: &Class) -> impl Iterator<Item = &'a Fqdn> + '_ {
        self.unused.get(class).into_iter().flatten().copied()
    }
}

struct Pair<'p, 'a> {
    before: &'p Zones<'a>,
    after: &'p Zones<'a>,
}

impl<'p, 'a> Pair<'p, 'a> {
    /// Returns the zones in both states.
    fn zones(&self) -> impl Iterator<Item = (&'p ZoneIndex<'a>, &'p ZoneIndex<'a>)> {
        let planned_zones = self.after;
        self.before.iter().filter_map(move |zone| Some((zone, planned_zones.named(zone.name())?)))
    }

    /// Returns the zone of a name in both states.
    fn zone_of(&self, name: &Fqdn) -> Option<[&'p ZoneIndex<'a>; 2]> {
        Some([self.before.zone_of(name)?, self.after.zone_of(name)?])
    }

    /// Returns all aliases of both states whose targets are in known zones.
    fn aliases(&self, edited: &[&Fqdn]) -> Aliases<'a> {
        let mut aliases = Aliases::default();
        let mut unused: HashSet<&'a Fqdn> = HashSet::new();
        let live_entries = self.before.iter().flat_map(ZoneIndex::entries);
        let planned_zones = self.after;
        let planned_entries = edited.iter().flat_map(|name| {
            planned_zones.zone_of(name).into_iter().flat_map(|zone| zone.records(name))
        });
        for entry in live_entries.chain(planned_entries).filter(|entry| entry.is(RecordType::Cname))
        {
            let Some(target) = entry.data.target() else { continue };
            let Some(zones) = self.zone_of(target) else { continue };
            aliases.of_target.entry(target.as_str()).or_default().push(entry.name);
            if zones.iter().all(|zone| zone.node(target.as_str()).is_none())
                && unused.insert(target)
            {
                let class = self.class_of(target);
                aliases
                    .unused
                    .entry(class.unwrap_or_else(|| Class::Name(target.clone())))
                    .or_default()
                    .push(target);
            }
        }
        aliases
    }

    /// Returns the class of a name, without regard to targets of aliases.
    fn class_of(&self, name: &Fqdn) -> Option<Class> {
        let closest =
            self.zone_of(name)?.map(|zone| zone.locate(name.as_str()).map(|l| l.encloser.name()));
        let closest = closest.into_iter().flatten().max_by_key(|name| name.len())?;
        let closest = Fqdn::reported(closest);
        Some(if closest == *name { Class::Name(closest) } else { Class::Below(closest) })
    }

    /// Adds the classes that records at a name can affect.
    fn reach(&self, name: &Fqdn, open: &mut BTreeSet<Class>) {
        let Some(zones) = self.zone_of(name) else { return };
        let apex = zones[0].name().as_str();
        let mut add = |name: &str| {
            let name = Fqdn::reported(name);
            open.extend([Class::Name(name.clone()), Class::Below(name)]);
        };
        let mut text = name.as_str();
        add(text);
        while text.len() > apex.len()
            && let Some((_, parent)) = text.split_once('.')
        {
            add(parent);
            text = parent;
        }
        // The range of a wildcard: down to names with records. Records at a name can also end the
        // range of a wildcard above.
        let from = name.as_str().strip_prefix("*.").unwrap_or(name.as_str());
        let ends = |zone: &ZoneIndex<'a>| zone.node(from).is_some_and(|node| node.has_records());
        let ends_alike = !name.is_wildcard() && ends(zones[0]) == ends(zones[1]);
        for zone in zones.into_iter().filter(|_| !ends_alike) {
            let mut nodes: Vec<NameNode<'_, 'a>> =
                zone.node(from).into_iter().flat_map(NameNode::children).collect();
            while let Some(node) = nodes.pop() {
                let has_records =
                    |zone: &ZoneIndex<'a>| zone.node(node.name()).is_some_and(|n| n.has_records());
                if !zones.iter().all(|zone| has_records(zone)) {
                    add(node.name());
                    nodes.extend(node.children());
                }
            }
        }
        // Everything at and below a delegation.
        for zone in zones {
            let Some(cut) = zone.locate(name.as_str()).and_then(|location| location.cut) else {
                continue;
            };
            let is_glue = || {
                cut.records()
                    .any(|entry| entry.is(RecordType::Ns) && entry.data.target() == Some(name))
            };
            if cut.name() == name.as_str() || is_glue() {
                for zone in zones {
                    for node in zone
                        .node(cut.name())
                        .into_iter()
                        .flat_map(|n| std::iter::once(n).chain(n.below()))
                    {
                        add(node.name());
                    }
                }
            }
        }
    }

    /// Queries a class in both states.
    fn ask(&self, class: &Class, aliases: &Aliases<'a>) -> Option<Difference<'a>> {
        let asked_name = match class {
            Class::Name(name) => name.clone(),
            Class::Below(above) => self.unused(above, &aliases.unused_in(class).collect())?,
        };
        let mut kinds: BTreeSet<RecordType> = ALWAYS.iter().copied().gather();
        for zones in [self.before, self.after] {
            zones.types(&asked_name, &mut kinds);
        }
        let mut types = BTreeMap::new();
        for kind in &kinds {
            let answers =
                (self.before.answer(&asked_name, *kind), self.after.answer(&asked_name, *kind));
            if !answers.0.says_the_same(&answers.1) {
                types.insert(*kind, answers);
            }
        }
        let absent_type = RecordType::ALL.iter().find(|kind| !kinds.contains(kind));
        let answers_of_absent = absent_type.map(|kind| {
            (self.before.answer(&asked_name, *kind), self.after.answer(&asked_name, *kind))
        });
        let changed_absence =
            answers_of_absent.filter(|(before, after)| !before.says_the_same(after)).map(Box::new);
        let differs = !types.is_empty() || changed_absence.is_some();
        differs.then(|| Difference {
            class: class.clone(),
            asked: asked_name,
            asked_types: kinds,
            types,
            others: changed_absence,
        })
    }

    /// Returns a name of the class below a name; `None` if there is none, because every one would
    /// be too long.
    fn unused(&self, above: &Fqdn, targets: &BTreeSet<&Fqdn>) -> Option<Fqdn> {
        let labels = (1..).map(|n| {
            let mut label = Vec::new();
            let mut remaining: u32 = n;
            while remaining > 0 {
                label.insert(0, char::from(b'a' + u8::try_from((remaining - 1) % 26).unwrap_or(0)));
                remaining = (remaining - 1) / 26;
            }
            label.into_iter().collect::<String>()
        });
        let names = labels
            .map(|label| format!("{label}.{above}"))
            .take_while(|name| name.len() <= NAME_OCTETS);
        let is_free = |name: &Fqdn| {
            !targets.contains(name)
                && self.class_of(name).is_some_and(|class| class != Class::Name(name.clone()))
        };
        names.map(|name| Fqdn::reported(&name)).find(is_free)
    }
}

impl Zones<'_> {
    /// Returns the types for a query without a type: addresses, and the types that the name has.
    #[must_use]
    pub fn types_of(&self, name: &Fqdn) -> Vec<RecordType> {
        let mut kinds = BTreeSet::new();
        self.types(name, &mut kinds);
        kinds.extend([RecordType::A, RecordType::Aaaa]);
        RecordType::ALL.iter().copied().filter(|kind| kinds.contains(kind)).collect()
    }

    /// Adds the types of the records that determine the answers for a name, along its aliases.
    fn types(&self, name: &Fqdn, kinds: &mut BTreeSet<RecordType>) {
        let mut visited_names: BTreeSet<Fqdn> = BTreeSet::new();
        let mut name = name.clone();
        while visited_names.insert(name.clone()) {
            let Some(location) = self.zone_of(&name).and_then(|zone| zone.locate(name.as_str()))
            else {
                return;
            };
            let Some(node) = location.exact.filter(NameNode::has_records).or(location.wildcard)
            else {
                return;
            };
            kinds.extend(node.records().filter_map(|entry| entry.record_type()));
            match node.of_type(RecordType::Cname).first().and_then(|entry| entry.data.target()) {
                Some(target) => name = target.clone(),
                None => return,
            }
        }
    }
}
