//! Writes live records into the entries of the spec.
//!
//! An entry with several values is several records, and the changes of all its values decide the
//! edit. A single value is replaced or removed in its list. A change that all values share is made
//! once. A value whose attributes differ from those of the others gets an entry of its own.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value as Json};

use super::LAST_DAY_IS_OVER;
use super::format_order::DEFAULTS;
use super::selected_differences::{Chosen, Left};
use super::source_tree::{At, SourceNodeKind};
use super::workspace::{IN_SHARED_PROFILE, Owner, Workspace};
use crate::diagnostic::Place;
use crate::diff::{DeleteReason, SetAsideReason, diff_records};
use crate::model::{
    Address, AsReported, Attribute, Comment, DesiredRecord, DesiredZone, Facets, Fqdn, LiveRecord,
    LiveZone, Rdata, Spelling, ZoneName,
};
use crate::spec;

/// Change of one value.
enum ValueFate<'a> {
    /// Cloudflare does not have the value.
    Gone(&'a Address),
    /// Cloudflare has the value with other attributes.
    Changed(&'a DesiredRecord, &'a LiveRecord, &'a Address),
}

impl ValueFate<'_> {
    fn address(&self) -> &Address {
        match self {
            Self::Gone(address) | Self::Changed(_, _, address) => address,
        }
    }
}

/// Keys that a split-off entry copies.
const METADATA: [&str; 6] = ["protect", "allow", "lint", "owner", "reason", "expires"];

/// Returns true if a key may be in `defaults` and is an attribute at Cloudflare.
fn is_default(key: &str) -> bool {
    DEFAULTS.contains(&key) && !METADATA.contains(&key)
}

struct EditedRecords<'w, 't, 'a> {
    workspace: &'w mut Workspace<'t>,
    zone: &'a DesiredZone,
    /// Every entry of the zone and of its profiles, with the list that contains it.
    entries: Vec<(At, At)>,
    /// The owner of each entry.
    owners: Vec<Owner>,
    /// Indexes of entries by the start of their nodes.
    by_place: BTreeMap<(usize, usize), usize>,
    left: &'w mut Left,
}

/// Writes the chosen differences into the files.
pub(super) fn pull(
    workspace: &mut Workspace<'_>,
    (zone, base, live): (&DesiredZone, Option<&DesiredZone>, &LiveZone),
    chosen: &Chosen<'_>,
    left: &mut Left,
) {
    let changes = diff_records(zone, base, live);
    let mut records = EditedRecords {
        workspace,
        zone,
        entries: Vec::new(),
        owners: Vec::new(),
        by_place: BTreeMap::new(),
        left,
    };
    records.index();
    let mut fates: BTreeMap<usize, BTreeMap<usize, ValueFate<'_>>> = BTreeMap::new();
    let mut added: Vec<(Address, &LiveRecord)> = Vec::new();
    for change in changes.changes.iter().filter(|change| (chosen.is_chosen)(&change.address)) {
        let address = &change.address;
        let (place, fate) = match (change.origin.live, change.origin.wanted) {
            (None, wanted) => {
                (wanted.map(|after| (&after.name, &after.spelling)), ValueFate::Gone(address))
            }
            (Some(before), Some(after)) => {
                (Some((&after.name, &after.spelling)), ValueFate::Changed(after, before, address))
            }
            (Some(before), None) => {
                if change.change.is_expiry() {
                    records.left.push((address.clone(), LAST_DAY_IS_OVER.to_owned()));
                    continue;
                }
                added.push((address.clone(), before));
                let stone = zone.tombstones.iter().find(|t| {
                    t.name == before.name
                        && Some(t.record_type) == before.data.record_type()
                        && t.data.as_ref().is_none_or(|data| *data == before.data)
                });
                let stone = stone.filter(|_| change.change.deletes_for(DeleteReason::Tombstone));
                (stone.map(|stone| (&stone.name, &stone.spelling)), ValueFate::Gone(address))
            }
        };
        let Some((name, spelling)) = place else { continue };
        match records.find(name, spelling) {
            Some((entry, value)) => drop(fates.entry(entry).or_default().insert(value, fate)),
            None => records
                .left
                .push((address.clone(), "its entry is not in a file of the spec".to_owned())),
        }
    }
    if chosen.unmanaged {
        for aside in
            changes.set_aside.iter().filter(|aside| aside.reason == SetAsideReason::Unmanaged)
        {
            let address =
                Address::of_record(&zone.name, &aside.record.name, &aside.record.data, false);
            if (chosen.is_unmanaged_chosen)(&address) {
                added.push((address, aside.record));
            }
        }
    }
    for (entry, fates) in fates {
        records.change(entry, &fates);
    }
    records.add(added);
}

impl EditedRecords<'_, '_, '_> {
    /// Finds the entries of the zone and of its profiles.
    fn index(&mut self) {
        for (fragment, owner) in self.workspace.holders(&self.zone.name) {
            let tree = self.workspace.tree(fragment.file);
            let Some(list) = tree.get(fragment.node, "records") else { continue };
            for item in tree.items(list) {
                let start = tree.node(tree.target(*item)).content;
                self.by_place.insert((fragment.file, start), self.entries.len());
                self.entries.push((At { node: *item, ..fragment }, At { node: list, ..fragment }));
                self.owners.push(owner);
            }
        }
    }

    /// Finds the entry of a record and the index of its value. An anchor can put the value into
    /// another entry.
    fn find(&self, name: &Fqdn, spelling: &Spelling) -> Option<(usize, usize)> {
        let is_it = |entry: &usize| {
            let at = self.entries[*entry].0;
            let written = self.workspace.tree(at.file).get(at.node, "name");
            let written = written.map(|node| self.workspace.resolved(At { node, ..at }));
            written.is_some_and(|written| self.zone.name.resolve(&written).as_ref() == Ok(name))
        };
        let file = self.workspace.file_of(spelling.place.source)?;
        let near =
            self.by_place.range((file, 0)..=(file, spelling.entry.span.start as usize)).next_back();
        let near = near.map(|(_, entry)| *entry).filter(is_it).filter(|entry| {
            let at = self.entries[*entry].0;
            let tree = self.workspace.tree(file);
            tree.node(tree.target(at.node)).span.end > spelling.entry.span.start as usize
        });
        let place = spelling.place.span.start as usize;
        let number = |entry: usize| {
            let holds = |value: &At| {
                let tree = self.workspace.tree(file);
                let span = &tree.node(tree.target(value.node)).span;
                span.start <= place && place < span.end.max(span.start + 1)
            };
            self.values(entry).iter().position(holds)
        };
        match near {
            Some(entry) => Some((entry, number(entry).unwrap_or(0))),
            None => (0..self.entries.len())
                .filter(is_it)
                .find_map(|entry| Some((entry, number(entry)?))),
        }
    }

    /// Returns the list of values of an entry, or its only value.
    fn value(&self, entry: usize) -> Option<At> {
        let at = self.entries[entry].0;
        let tree = self.workspace.tree(at.file);
        let value = tree.get(at.node, "content").or_else(|| tree.get(at.node, "data"))?;
        Some(At { node: value, ..at })
    }

    fn values(&self, entry: usize) -> Vec<At> {
        let Some(value) = self.value(entry) else { return Vec::new() };
        let tree = self.workspace.tree(value.file);
        match &tree.node(tree.target(value.node)).kind {
            SourceNodeKind::Sequence { items, .. } => {
                items.iter().map(|node| At { node: *node, ..value }).collect()
            }
            _ => vec![value],
        }
    }

    /// Returns the value of a record under the keys that an entry uses for it.
    fn members(&self, entry: usize, data: &Rdata) -> Map<String, Json> {
        let at = self.entries[entry].0;
        let tree = self.workspace.tree(at.file);
        let has = |key| tree.get(at.node, key).is_some();
        let mut members = canonical(&self.zone.name, data);
        let is_beside = has("priority");
        if has("data") {
            if let (true, Some(Json::Object(data))) = (is_beside, members.get_mut("data"))
                && let Some(priority) = data.shift_remove("priority")
            {
                members.insert("priority".to_owned(), priority);
            }
            return members;
        }
        let is_plain =
            members.contains_key("content") && members.contains_key("priority") == is_beside;
        if is_plain {
            return members;
        }
        let written = spec::written(&data.presentation());
        let mut members = Map::new();
        match written.split_once(' ').filter(|_| is_beside) {
            Some((priority, rest)) => {
                members.insert("content".to_owned(), Json::from(rest));
                members.insert(
                    "priority".to_owned(),
                    priority.parse::<u32>().map_or(Json::from(priority), Json::from),
                );
            }
            None => drop(members.insert("content".to_owned(), Json::from(written))),
        }
        members
    }

    fn change(&mut self, entry: usize, fates: &BTreeMap<usize, ValueFate<'_>>) {
        let (at, list) = self.entries[entry];
        let values = self.values(entry);
        let addresses: Vec<Address> = fates.values().map(|fate| fate.address().clone()).collect();
        if self.owners[entry] == Owner::SharedProfile {
            return self.leave(addresses, IN_SHARED_PROFILE);
        }
        if let Some(why) = self.workspace.shared(list) {
            return self.leave(addresses, &why);
        }
        let all_go = fates.len() >= values.len()
            && fates.values().all(|fate| matches!(fate, ValueFate::Gone(_)));
        if all_go {
            return self.workspace.files[at.file].changes.remove(at.node);
        }
        let is_shared = self.workspace.shared(at).is_some();
        if is_shared && values.len() > 1 {
            let why = self.workspace.shared(at).unwrap_or_default();
            return self.leave(addresses, &why);
        }
        // Attributes before and after the change, by index of the value.
        let mut changed: BTreeMap<usize, EntryAttributes> = BTreeMap::new();
        for (n, fate) in fates {
            let ValueFate::Changed(desired, live, address) = fate else { continue };
            match facets(&desired.facets, live) {
                Ok(after) => {
                    let attributes = |facets: &Facets| attributes(&self.zone.name, desired, facets);
                    changed.insert(*n, (attributes(&desired.facets), attributes(&after)));
                }
                Err(why) => self.leave(vec![(*address).clone()], &why),
            }
        }
        let first = changed.values().next().cloned();
        let is_common = changed.len() == values.len()
            && changed.values().all(|own| Some(own) == first.as_ref());
        for (n, fate) in fates {
            let ValueFate::Changed(desired, live, address) = fate else {
                if let Some(value) = values.get(*n) {
                    self.workspace.files[value.file].changes.remove(value.node);
                }
                continue;
            };
            let Some((before, after)) = changed.get(n) else { continue };
            let (mut old, mut new) =
                (self.members(entry, &desired.data), self.members(entry, &live.data));
            let key = if old.contains_key("data") { "data" } else { "content" };
            let (old_value, new_value) = (old.shift_remove(key), new.shift_remove(key));
            let (old_value, new_value) =
                (old_value.unwrap_or_default(), new_value.unwrap_or_default());
            // The remaining difference is the priority beside the value.
            let is_own = !is_common && before != after || values.len() > 1 && old != new;
            if is_own && values.len() > 1 {
                self.split(entry, desired, live, after, address);
                self.workspace.files[at.file].changes.remove(values[*n].node);
                continue;
            }
            let what = address.as_str();
            if is_shared {
                old.insert(key.to_owned(), old_value);
                new.insert(key.to_owned(), new_value);
                old.extend(before.clone());
                new.extend(after.clone());
                self.workspace.merge(at, &Json::Object(old), &Json::Object(new), what);
                continue;
            }
            if let Some(value) = values.get(*n) {
                self.workspace.merge(*value, &old_value, &new_value, what);
            }
            self.workspace.merge(at, &Json::Object(old), &Json::Object(new), what);
            if *n == 0 || !is_common {
                let (before, after) = self.change_defaults(at, before.clone(), after.clone(), what);
                self.workspace.merge(at, &Json::Object(before), &Json::Object(after), what);
            }
        }
    }

    fn leave(&mut self, addresses: Vec<Address>, why: &str) {
        self.left.extend(addresses.into_iter().map(|address| (address, why.to_owned())));
    }

    /// Moves a value into an entry of its own, because its attributes differ from those of the
    /// others.
    fn split(
        &mut self,
        entry: usize,
        desired: &DesiredRecord,
        live: &LiveRecord,
        after: &Map<String, Json>,
        address: &Address,
    ) {
        let (at, list) = self.entries[entry];
        let tree = self.workspace.tree(at.file);
        let mut members = Map::new();
        members.insert("name".to_owned(), Json::from(spec::written(&desired.spelling.name)));
        members.insert("type".to_owned(), Json::from(live.data.type_name()));
        members.extend(self.members(entry, &live.data));
        members.extend(after.clone());
        for key in METADATA {
            if let Some(value) = tree.get(at.node, key) {
                members.insert(key.to_owned(), super::file_changes::json(tree, value));
            }
        }
        let is_flow = tree.is_flow(tree.target(at.node));
        let list = tree.target(list.node);
        self.workspace.files[at.file].changes.insert(
            list,
            Some(at.node),
            None,
            Json::Object(members),
            is_flow,
        );
        self.workspace.notes.insert(format!(
            "{address}: it now differs from the other values of its entry, and has one of its own"
        ));
    }

    /// Changes defaults that only this entry uses. Returns the attributes that the entry itself
    /// must change.
    fn change_defaults(
        &mut self,
        at: At,
        mut before: Map<String, Json>,
        mut after: Map<String, Json>,
        what: &str,
    ) -> (Map<String, Json>, Map<String, Json>) {
        if self.workspace.is_local {
            return (before, after);
        }
        for key in DEFAULTS.iter().copied().filter(|key| is_default(key)) {
            let (Some(old), Some(new)) = (before.get(key).cloned(), after.get(key).cloned()) else {
                continue;
            };
            let is_own = self.workspace.tree(at.file).get(at.node, key).is_some();
            if old == new || is_own {
                continue;
            }
            if let Some(definition) = self.only_user(key) {
                self.workspace.merge(definition, &old, &new, what);
                let name = self.workspace.files[definition.file].name;
                self.workspace
                    .notes
                    .insert(format!("{what}: the default `{key}` is changed, in {name}"));
                before.shift_remove(key);
                after.shift_remove(key);
            }
        }
        (before, after)
    }

    /// Returns the default of a key if exactly one entry may inherit it.
    fn only_user(&self, key: &str) -> Option<At> {
        let workspace = &*self.workspace;
        let lacks = |at: At| workspace.tree(at.file).get(at.node, key).is_none();
        let fragments = workspace.fragments(&self.zone.name);
        let of_zone = fragments.iter().filter_map(|at| {
            let node = workspace.tree(at.file).at(at.node, &["defaults", key])?;
            Some(At { node, ..*at })
        });
        let of_zone: Vec<At> = of_zone.collect();
        if let [definition] = of_zone.as_slice() {
            let users = self.entries.iter().filter(|(entry, _)| lacks(*entry)).count();
            return (users == 1).then_some(*definition);
        }
        if !of_zone.is_empty() {
            return None;
        }
        let mut definitions = Vec::new();
        let mut users = 0;
        for file in 0..workspace.files.len() {
            let tree = workspace.tree(file);
            let root = At { file, node: tree.root };
            definitions
                .extend(tree.at(root.node, &["defaults", key]).map(|node| At { file, node }));
            let section = |key| tree.get(root.node, key).map(|section| tree.entries(section));
            let holders = ["zones", "profiles"].into_iter().filter_map(section).flatten();
            for (_, holder) in holders {
                let list =
                    tree.get(*holder, "records").map(|list| tree.items(list)).unwrap_or_default();
                users += list.iter().filter(|item| lacks(At { file, node: **item })).count();
            }
        }
        match definitions.as_slice() {
            [definition] if users == 1 => Some(*definition),
            _ => None,
        }
    }

    /// Adds unmanaged live records.
    fn add(&mut self, added: Vec<(Address, &LiveRecord)>) {
        if added.is_empty() {
            return;
        }
        let mut names: HashMap<Fqdn, usize> = HashMap::new();
        for (n, (at, _)) in self.entries.iter().enumerate() {
            if self.owners[n] == Owner::SharedProfile {
                continue;
            }
            let tree = self.workspace.tree(at.file);
            let Some(name) = tree.get(at.node, "name") else { continue };
            let written = self.workspace.resolved(At { node: name, ..*at });
            names.extend(self.zone.name.resolve(&written).ok().map(|name| (name, n)));
        }
        let mut new_entries: BTreeMap<At, Vec<Json>> = BTreeMap::new();
        for (address, live) in added {
            if self.extend(live) {
                continue;
            }
            let record = match imported(&self.zone.name, live) {
                Ok(record) => record,
                Err(why) => {
                    self.left.push((address, why));
                    continue;
                }
            };
            let value = spec::record_entry(&self.zone.name, &record);
            if self.replaces_shared(live) {
                let why = "the zone's own record would replace those of a profile with its name \
                    and \
                           type; write all of them, or change the profile";
                self.left.push((address, why.to_owned()));
                continue;
            }
            let last = self.owners.iter().rposition(|owner| *owner == Owner::Zone);
            let near = names.get(&live.name).copied().or(last);
            match near.map(|near| self.entries[near]) {
                Some((at, list)) => {
                    if let Some(why) = self.workspace.shared(list) {
                        self.left.push((address, why));
                        continue;
                    }
                    let tree = self.workspace.tree(at.file);
                    let is_flow = tree.is_flow(tree.target(at.node));
                    let entry_before = names.contains_key(&live.name).then_some(at.node);
                    self.workspace.files[at.file].changes.insert(
                        list.node,
                        entry_before,
                        None,
                        value,
                        is_flow,
                    );
                }
                None => match self.workspace.fragments(&self.zone.name).first() {
                    Some(fragment) => new_entries.entry(*fragment).or_default().push(value),
                    None => {
                        self.left.push((address, "the zone is in no file of the spec".to_owned()))
                    }
                },
            }
        }
        for (fragment, values) in new_entries {
            if self.workspace.shared(fragment).is_some() {
                continue;
            }
            let tree = self.workspace.tree(fragment.file);
            let changes = &mut self.workspace.files[fragment.file].changes;
            match tree.get(fragment.node, "records") {
                Some(list) if matches!(tree.node(list).kind, SourceNodeKind::Sequence { .. }) => {
                    values
                        .into_iter()
                        .for_each(|value| changes.insert(list, None, None, value, true));
                }
                _ => changes.set(fragment.node, "records", Json::Array(values)),
            }
        }
    }

    /// Returns true if a record of the zone itself would replace records of a profile that several
    /// zones use.
    fn replaces_shared(&self, live: &LiveRecord) -> bool {
        let set = spec::record_set_name(&live.name, &live.data);
        let start = self.zone.records.partition_point(|record| record.name < live.name);
        let same_name = self.zone.records[start..].iter().take_while(|r| r.name == live.name);
        same_name.filter(|record| spec::record_set_name(&record.name, &record.data) == set).any(
            |record| {
                let entry = self.find(&record.name, &record.spelling);
                entry.is_some_and(|(entry, _)| self.owners[entry] == Owner::SharedProfile)
            },
        )
    }

    /// Adds a value to the list of an entry that is equal in everything else.
    fn extend(&mut self, live: &LiveRecord) -> bool {
        let records = &self.zone.records;
        let start = records.partition_point(|record| record.name < live.name);
        let same_name = records[start..].iter().take_while(|record| record.name == live.name);
        let alike = same_name.filter(|record| {
            let is_alike = facets(&record.facets, live).is_ok_and(|facets| facets == record.facets);
            record.data.record_type() == live.data.record_type() && is_alike
        });
        for record in alike {
            let Some((entry, _)) = self.find(&record.name, &record.spelling) else { continue };
            if self.owners[entry] == Owner::SharedProfile {
                continue;
            }
            let (Some(value), (at, _)) = (self.value(entry), self.entries[entry]) else { continue };
            let tree = self.workspace.tree(value.file);
            let is_list = matches!(tree.node(value.node).kind, SourceNodeKind::Sequence { .. });
            let stays = self.values(entry).len() > 1;
            if !is_list
                || !stays
                || self.workspace.shared(value).is_some()
                || self.workspace.shared(at).is_some()
            {
                continue;
            }
            let mut members = self.members(entry, &live.data);
            let theirs = self.members(entry, &record.data);
            let key = if members.contains_key("data") { "data" } else { "content" };
            let Some(written) = members.shift_remove(key) else { continue };
            if members.get("priority") != theirs.get("priority") {
                continue;
            }
            self.workspace.files[value.file].changes.insert(value.node, None, None, written, true);
            return true;
        }
        false
    }
}

/// Attributes as the keys of an entry, before and after.
type EntryAttributes = (Map<String, Json>, Map<String, Json>);

/// Returns the value of a record under the keys of the canonical form.
fn canonical(zone: &ZoneName, data: &Rdata) -> Map<String, Json> {
    let mut members = entry(zone, zone.as_fqdn(), data, &Facets::default());
    members.retain(|key, _| matches!(key.as_str(), "content" | "data" | "priority"));
    members
}

/// Returns attributes under the keys of an entry.
fn attributes(zone: &ZoneName, record: &DesiredRecord, facets: &Facets) -> Map<String, Json> {
    let mut members = entry(zone, &record.name, &record.data, facets);
    members.retain(|key, _| is_default(key) || key == "settings");
    members
}

/// Converts a record to an entry.
fn entry(zone: &ZoneName, name: &Fqdn, data: &Rdata, facets: &Facets) -> Map<String, Json> {
    match spec::record_entry(zone, &record(zone, name, data, facets)) {
        Json::Object(members) => members,
        _ => Map::new(),
    }
}

/// Builds a record that is in no file.
fn record(zone: &ZoneName, name: &Fqdn, data: &Rdata, facets: &Facets) -> DesiredRecord {
    DesiredRecord {
        name: name.clone(),
        data: data.clone(),
        facets: facets.clone(),
        protect: false,
        allow: None,
        expires: None,
        spelling: Spelling {
            name: zone.relative(name).into(),
            place: Place::NOWHERE,
            entry: Place::NOWHERE,
            reported: AsReported::default(),
        },
    }
}

/// Returns the attributes of a live record, limited to those that the spec names.
///
/// # Errors
/// Fails if a spec cannot express an attribute.
fn facets(desired: &Facets, live: &LiveRecord) -> Result<Facets, String> {
    let Facets { ttl, proxied, comment, tags, settings } = desired;
    let ttl = match ttl {
        // The TTL of a proxied record is always automatic.
        Some(ttl) if live.proxied => ttl.is_automatic().then_some(*ttl),
        Some(_) => Some(live.ttl),
        None => None,
    };
    let facets = Facets {
        ttl,
        proxied: proxied.map(|_| live.proxied),
        comment: comment.as_ref().map(|own| {
            match live.comment.as_deref().filter(|text| !text.is_empty()) {
                Some(text) if own.text() == Some(text) => own.clone(),
                Some(text) => Comment::Set(text.to_owned()),
                None => Comment::Clear,
            }
        }),
        tags: tags.as_ref().map(|_| live.tags.clone()),
        settings: settings.with(live.settings, |_, own, live| own.map(|_| live.unwrap_or(false))),
    };
    sayable(&facets)?;
    Ok(facets)
}

/// Checks that a spec can express attributes.
///
/// # Errors
/// Fails with the attribute that a spec cannot express.
fn sayable(facets: &Facets) -> Result<(), String> {
    let what = match facets.attributes().find(|attribute| !attribute.is_expressible()) {
        None => return Ok(()),
        Some(Attribute::Ttl(_)) => "time to live",
        Some(Attribute::Comment(_)) => "comment, which has several lines or control characters",
        Some(attribute) => attribute.name(),
    };
    Err(format!("a spec cannot express its {what}"))
}

/// Converts a live record to a desired one.
///
/// # Errors
/// Fails if a spec cannot express the record.
fn imported(zone: &ZoneName, live: &LiveRecord) -> Result<DesiredRecord, String> {
    if live.data.record_type().is_none() {
        return Err("this version does not understand its type".to_owned());
    }
    if zone.resolve(zone.relative(&live.name)).as_ref() != Ok(&live.name) {
        return Err("a spec cannot express its name".to_owned());
    }
    let facets = Facets { settings: live.settings, ..live.facets_for_spec() };
    sayable(&facets)?;
    Ok(record(zone, &live.name, &live.data, &facets))
}
