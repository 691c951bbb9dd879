//! All files of a spec during an edit. A value is changed at its definition if nothing else uses
//! the definition.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::file_changes::{Changes, json};
use super::source_tree::{At, NodeId, SourceNodeKind, SourceTree};
use super::text_edits::{Edit, apply};
use super::variables::{Change, Variables, has_variable};
use crate::diagnostic::SourceId;
use crate::diff::text::{TextStep, steps};
use crate::model::ZoneName;

/// A file with its changes.
#[derive(Debug)]
pub(super) struct File<'t> {
    /// Identifier of the text among the sources.
    pub(super) source: SourceId,
    pub(super) name: &'t str,
    pub(super) changes: Changes<'t, 't>,
}

/// Owner of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// The zone itself.
    Zone,
    /// A profile that only this zone uses.
    OwnProfile,
    /// A profile that other zones use too, or that is not to be changed.
    SharedProfile,
}

/// Why a value of a profile is not changed for one zone.
pub(super) const IN_SHARED_PROFILE: &str = "it comes from a profile that other zones can use, too; \
    write the zone's own value, or change the profile";

#[derive(Debug)]
pub(super) struct Workspace<'t> {
    pub(super) files: Vec<File<'t>>,
    variables: Variables,
    /// True if values are changed only at their use.
    pub(super) is_local: bool,
    /// Notes about places where values were changed.
    pub(super) notes: BTreeSet<String>,
}

impl<'t> Workspace<'t> {
    /// Creates a workspace without changes. `given` are the variables of the command line.
    pub(super) fn new(
        files: Vec<(SourceId, &'t str, &'t SourceTree<'t>)>,
        given: &[(String, String)],
        is_local: bool,
    ) -> Self {
        let variables = Variables::new(files.iter().map(|(_, _, tree)| *tree), given);
        let file = |(source, name, tree)| File { source, name, changes: Changes::new(tree) };
        Self {
            files: files.into_iter().map(file).collect(),
            variables,
            is_local,
            notes: BTreeSet::new(),
        }
    }

    /// Returns the parsed text of a file.
    pub(super) fn tree(&self, file: usize) -> &'t SourceTree<'t> {
        self.files[file].changes.tree
    }

    /// Returns the index of the file with this text.
    pub(super) fn file_of(&self, source: SourceId) -> Option<usize> {
        self.files.iter().position(|file| file.source == source)
    }

    /// Returns the text of a scalar with its substitutions made.
    pub(super) fn resolved(&self, at: At) -> String {
        self.variables.resolved(self.tree(at.file).scalar_text(at.node))
    }

    /// Lists the mappings that configure a zone, in the order of the files.
    pub(super) fn fragments(&self, zone: &ZoneName) -> Vec<At> {
        let mut places = Vec::new();
        for file in 0..self.files.len() {
            let tree = self.tree(file);
            let zones =
                tree.get(tree.root, "zones").map(|zones| tree.entries(zones)).unwrap_or_default();
            let is_it = |key: &NodeId| {
                ZoneName::parse(&self.resolved(At { file, node: *key })).as_ref() == Ok(zone)
            };
            places.extend(
                zones
                    .iter()
                    .filter(|(key, _)| is_it(key))
                    .map(|(_, value)| At { file, node: *value }),
            );
        }
        places
    }

    /// Lists the mappings that give values to a zone, its own first, then those of its profiles.
    pub(super) fn holders(&self, zone: &ZoneName) -> Vec<(At, Owner)> {
        let fragments = self.fragments(zone);
        let mut users: BTreeMap<String, usize> = BTreeMap::new();
        let mut own_profiles = BTreeSet::new();
        for file in 0..self.files.len() {
            let tree = self.tree(file);
            let zones =
                tree.get(tree.root, "zones").map(|zones| tree.entries(zones)).unwrap_or_default();
            for (_, fragment) in zones {
                let Some(names) = tree.get(*fragment, "use") else { continue };
                for name in tree.items(names) {
                    let name = self.resolved(At { file, node: *name });
                    *users.entry(name.clone()).or_default() += 1;
                    if fragments.contains(&At { file, node: *fragment }) {
                        own_profiles.insert(name);
                    }
                }
            }
        }
        let mut holders: Vec<_> = fragments.into_iter().map(|at| (at, Owner::Zone)).collect();
        for file in 0..self.files.len() {
            let tree = self.tree(file);
            for name in &own_profiles {
                let Some(node) = tree.at(tree.root, &["profiles", name]) else { continue };
                let is_alone = users.get(name).is_some_and(|n| *n == 1) && !self.is_local;
                let owner = if is_alone { Owner::OwnProfile } else { Owner::SharedProfile };
                holders.push((At { file, node }, owner));
            }
        }
        holders
    }

    /// Explains why a node cannot be changed in place: an anchor around it is used elsewhere too.
    pub(super) fn shared(&self, at: At) -> Option<String> {
        let tree = self.tree(at.file);
        let by = if matches!(tree.node(at.node).kind, SourceNodeKind::Alias(_)) {
            Some(tree.target(at.node))
        } else {
            tree.shared_by(at.node)
        }?;
        let name =
            tree.node(by).anchor.as_ref().map(|anchor| anchor.name.to_string()).unwrap_or_default();
        Some(format!(
            "it is part of the anchor `&{name}`, which is used elsewhere too; write it out there"
        ))
    }

    /// Changes the value at a node from `before` to `after`. Members in neither of them stay.
    pub(super) fn merge(&mut self, at: At, before: &Json, after: &Json, what: &str) {
        if before == after {
            return;
        }
        let tree = self.tree(at.file);
        let node = tree.node(at.node);
        let is_shared =
            matches!(node.kind, SourceNodeKind::Alias(_)) || !tree.aliases(at.node).is_empty();
        if is_shared {
            let anchor = tree.node(tree.target(at.node)).anchor.as_ref();
            let name = anchor.map(|a| a.name.to_string()).unwrap_or_default();
            self.notes.insert(format!(
                "{what}: `&{name}` is used elsewhere too, so the value is written out here"
            ));
            let value = patched(json(tree, at.node), before, after);
            self.files[at.file].changes.replace(at.node, value);
            return;
        }
        match (&node.kind, before, after) {
            (SourceNodeKind::Mapping { entries, .. }, Json::Object(old), Json::Object(new)) => {
                for key in old.keys().chain(new.keys().filter(|key| !old.contains_key(*key))) {
                    let entry =
                        entries.iter().copied().find(|(name, _)| tree.scalar_text(*name) == key);
                    match (old.get(key), new.get(key), entry) {
                        (old, new, _) if old == new => {}
                        (old, Some(new), Some((_, value))) => {
                            let at = At { node: value, ..at };
                            self.merge(at, old.unwrap_or(&Json::Null), new, what);
                        }
                        (_, Some(new), None) => {
                            self.files[at.file].changes.insert(
                                at.node,
                                None,
                                Some(key),
                                new.clone(),
                                false,
                            );
                        }
                        (_, None, Some((name, _))) => self.files[at.file].changes.remove(name),
                        (_, None, None) => {}
                    }
                }
            }
            (SourceNodeKind::Sequence { items, .. }, Json::Array(old), Json::Array(new))
                if items.len() == old.len() =>
            {
                self.merge_items(at, items, old, new, what);
            }
            (SourceNodeKind::Scalar(text, _), _, _) if has_variable(text) => {
                self.replace_substituted(at, text, after, what);
            }
            _ => self.files[at.file].changes.replace(at.node, after.clone()),
        }
    }

    /// Changes the items of a list.
    fn merge_items(&mut self, at: At, items: &[NodeId], old: &[Json], new: &[Json], what: &str) {
        let texts = |all: &[Json]| all.iter().map(Json::to_string).collect::<Vec<_>>();
        let slices: fn(&[String]) -> Vec<&str> = |all| all.iter().map(String::as_str).collect();
        let is_flow = items.first().is_some_and(|first| self.tree(at.file).is_flow(*first));
        let (before, wanted) = (texts(old), texts(new));
        for TextStep { is_equal, old: from, new: to } in steps(&slices(&before), &slices(&wanted)) {
            if is_equal {
                continue;
            }
            let replaced_count = from.len().min(to.len());
            for n in 0..replaced_count {
                let at = At { node: items[from.start + n], ..at };
                self.merge(at, &old[from.start + n], &new[to.start + n], what);
            }
            let changes = &mut self.files[at.file].changes;
            items[from.start + replaced_count..from.end]
                .iter()
                .for_each(|item| changes.remove(*item));
            let item_before = (from.start + replaced_count).checked_sub(1).map(|n| items[n]);
            for value in &new[to.start + replaced_count..to.end] {
                changes.insert(at.node, item_before, None, value.clone(), is_flow);
            }
        }
    }

    /// Changes a value with a substitution: the variable if nothing else uses it, or the value
    /// itself.
    fn replace_substituted(&mut self, at: At, text: &str, after: &Json, what: &str) {
        let file_name = |file: usize| self.files[file].name;
        let (at, value, note) =
            match self.variables.change(text, after, self.is_local, what, file_name) {
                Change::AtDefinition(definition, value, note) => (definition, value, note),
                Change::WrittenOut(note) => (at, after.clone(), note),
            };
        self.notes.insert(note);
        self.files[at.file].changes.replace(at.node, value);
    }

    /// Returns the texts of the changed files.
    ///
    /// # Errors
    /// Fails if two changes touch the same bytes of a file.
    pub(super) fn texts(self) -> Result<Vec<(SourceId, String)>, String> {
        let mut texts = Vec::new();
        for File { source, name, changes } in
            self.files.into_iter().filter(|file| !file.changes.is_empty())
        {
            let text = changes.tree.text;
            let edits: Vec<Edit> = changes.edits();
            let changed = apply(text, edits)
                .ok_or_else(|| format!("two changes touch the same place of {name}"))?;
            texts.push((source, changed));
        }
        Ok(texts)
    }
}

/// Changes a value and keeps members that are in neither `before` nor `after`.
fn patched(value: Json, before: &Json, after: &Json) -> Json {
    match (value, before, after) {
        (value, before, after) if before == after => value,
        (Json::Object(mut own), Json::Object(old), Json::Object(new)) => {
            for key in old.keys().chain(new.keys()) {
                match (old.get(key), new.get(key)) {
                    (old, new) if old == new => {}
                    (old, Some(new)) => {
                        let slot = own.entry(key.clone()).or_insert(Json::Null);
                        *slot = patched(slot.take(), old.unwrap_or(&Json::Null), new);
                    }
                    (_, None) => drop(own.shift_remove(key)),
                }
            }
            Json::Object(own)
        }
        _ => after.clone(),
    }
}
