//! Changes to one file as edits of its text: replaced values, and inserted and removed entries and
//! items. The rest of the text stays as it is.
//!
//! | removed part | removed text |
//! |---|---|
//! | an item or entry on lines of its own | its lines; its comments stay, as lines of their own |
//! | an item or entry in brackets | it and one comma |
//! | the last one | all of it; the list is then written `[]` |
//! | a value with an anchor | the first alias that stays becomes the anchor, with the value |

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};

use super::source_tree::{NodeId, SourceNodeKind, SourceTree, Style};
use super::text_edits::Edit;
use super::yaml_text;
use crate::model::Gather;

/// An item or entry to insert.
#[derive(Debug, Clone)]
struct Insert {
    /// The item, or the key, after which the part is inserted.
    after: Option<NodeId>,
    /// Key in a mapping.
    key: Option<String>,
    value: Json,
    /// True if the part is written in braces.
    is_flow: bool,
}

/// A part of a collection: an item, or a key with its value.
struct CollectionPart {
    id: NodeId,
    start: usize,
    end: usize,
}

#[derive(Debug)]
pub(super) struct Changes<'l, 't> {
    pub(super) tree: &'l SourceTree<'t>,
    replaced: BTreeMap<NodeId, Json>,
    /// Replacement texts of nodes, ready to write.
    rewritten: BTreeMap<NodeId, String>,
    removed: BTreeSet<NodeId>,
    inserted: BTreeMap<NodeId, Vec<Insert>>,
    /// For each slot of a list, the item whose text it takes.
    moved: BTreeMap<NodeId, NodeId>,
}

impl<'l, 't> Changes<'l, 't> {
    pub(super) fn new(tree: &'l SourceTree<'t>) -> Self {
        Self {
            tree,
            replaced: BTreeMap::new(),
            rewritten: BTreeMap::new(),
            removed: BTreeSet::new(),
            inserted: BTreeMap::new(),
            moved: BTreeMap::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.replaced.is_empty()
            && self.rewritten.is_empty()
            && self.removed.is_empty()
            && self.inserted.is_empty()
            && self.moved.is_empty()
    }

    pub(super) fn replace(&mut self, node: NodeId, value: Json) {
        self.replaced.insert(node, value);
    }

    /// Writes an item of a list in the place of another one.
    pub(super) fn move_item(&mut self, slot: NodeId, item: NodeId) {
        self.moved.insert(slot, item);
    }

    /// Removes an item, or the entry with this key.
    pub(super) fn remove(&mut self, part: NodeId) {
        self.removed.insert(part);
    }

    /// Adds an item to a list, or with a key an entry to a mapping. The place is after the part
    /// `after`, or the end.
    pub(super) fn insert(
        &mut self,
        to: NodeId,
        after: Option<NodeId>,
        key: Option<&str>,
        value: Json,
        is_flow: bool,
    ) {
        let insert = Insert { after, key: key.map(str::to_owned), value, is_flow };
        self.inserted.entry(to).or_default().push(insert);
    }

    /// Sets a key of a mapping. Replaces `node` with a new mapping if it is not one.
    pub(super) fn set(&mut self, node: NodeId, key: &str, value: Json) {
        match (&self.tree.node(node).kind, self.tree.get(node, key)) {
            (_, Some(own)) => self.replace(own, value),
            (SourceNodeKind::Mapping { .. }, None) => {
                self.insert(node, None, Some(key), value, false)
            }
            _ => match self.replaced.entry(node).or_insert_with(|| Json::Object(Map::new())) {
                Json::Object(members) => drop(members.insert(key.to_owned(), value)),
                other => *other = Json::Object(Map::from_iter([(key.to_owned(), value)])),
            },
        }
    }

    /// Converts the changes to edits of the text.
    pub(super) fn edits(mut self) -> Vec<Edit> {
        self.move_anchors();
        let mut edits = Vec::new();
        let collections: BTreeSet<NodeId> = self
            .removed
            .iter()
            .filter_map(|part| self.tree.node(*part).parent)
            .chain(self.inserted.keys().copied())
            .gather();
        for collection in collections.into_iter().filter(|c| !self.is_gone(*c, true)) {
            if self.tree.is_flow(collection)
                && self.parts(collection).is_empty()
                && !self.tree.is_in_flow(collection)
            {
                self.fill(collection, &mut edits);
            } else if self.tree.is_flow(collection) {
                self.in_brackets(collection, &mut edits);
            } else {
                self.on_lines(collection, &mut edits);
            }
        }
        for (node, value) in self.replaced.iter().filter(|(node, _)| !self.is_gone(**node, false)) {
            edits.push(self.replacement(*node, value));
        }
        for (node, text) in self.rewritten.iter().filter(|(node, _)| !self.is_gone(**node, false)) {
            edits.push(Edit::new(self.tree.node(*node).span.clone(), text.as_str()));
        }
        for (slot, item) in self.moved.iter().filter(|(slot, item)| slot != item) {
            let tree = self.tree;
            let range = |id: NodeId| {
                let span = tree.node(id).span.clone();
                // A comment after an item is removed with the item.
                if tree.is_in_flow(id) { span } else { span.start..tree.line_end(span.end) }
            };
            edits.push(Edit::new(range(*slot), &tree.text[range(*item)]));
        }
        edits
    }

    /// Returns true if a node is inside a removed part. With `also_itself`, also if the node itself
    /// is replaced.
    fn is_gone(&self, node: NodeId, also_itself: bool) -> bool {
        if also_itself && self.replaced.contains_key(&node) {
            return true;
        }
        let mut at = node;
        loop {
            if self.removed.contains(&at) {
                return true;
            }
            let Some(parent) = self.tree.node(at).parent else { return false };
            // The value of an entry is removed with its key.
            let key = self
                .tree
                .entries(parent)
                .iter()
                .find(|(_, value)| *value == at)
                .map(|(key, _)| *key);
            if key.is_some_and(|key| self.removed.contains(&key))
                || self.replaced.contains_key(&parent)
            {
                return true;
            }
            at = parent;
        }
    }

    /// Moves anchors. If a value with an anchor is removed or changed, the first remaining alias
    /// takes the value and the anchor.
    fn move_anchors(&mut self) {
        let tree = self.tree;
        for node in tree.ids() {
            let aliases = tree.aliases(node);
            let Some(anchor) = &tree.node(node).anchor else { continue };
            if aliases.is_empty() || !(self.is_gone(node, true)) {
                continue;
            }
            let stays = |alias: &&NodeId| !self.is_gone(**alias, true);
            let Some(first) = aliases.iter().find(stays) else { continue };
            let value = match &tree.node(node).kind {
                SourceNodeKind::Scalar(_, Style::Plain | Style::Single | Style::Double) => {
                    tree.text[tree.node(node).content..tree.node(node).span.end].to_owned()
                }
                _ => yaml_text::flow(&json(tree, node)),
            };
            self.rewritten.insert(*first, format!("&{} {value}", anchor.name));
        }
    }

    fn parts(&self, collection: NodeId) -> Vec<CollectionPart> {
        let tree = self.tree;
        let is_flow = tree.is_flow(collection);
        let item = |id: &NodeId| {
            let span = &tree.node(*id).span;
            CollectionPart {
                id: *id,
                start: if is_flow { span.start } else { tree.dash(*id) },
                end: span.end,
            }
        };
        let entry = |(key, value): &(NodeId, NodeId)| {
            let start = tree.node(*key).span.start;
            let text_before = tree.text[..start].trim_end_matches(' ');
            let start = if text_before.ends_with('?') { text_before.len() - 1 } else { start };
            CollectionPart {
                id: *key,
                start,
                end: tree.node(*value).span.end.max(tree.node(*key).span.end),
            }
        };
        match &tree.node(collection).kind {
            SourceNodeKind::Sequence { items, .. } => items.iter().map(item).collect(),
            SourceNodeKind::Mapping { entries, .. } => entries.iter().map(entry).collect(),
            SourceNodeKind::Scalar(..) | SourceNodeKind::Alias(_) => Vec::new(),
        }
    }

    /// Returns the parts to insert after a part.
    fn inserts(
        &self,
        collection: NodeId,
        parts: &[CollectionPart],
        part: Option<NodeId>,
    ) -> Vec<&Insert> {
        let last = parts.last().map(|p| p.id);
        let pending = self.inserted.get(&collection).map(Vec::as_slice).unwrap_or_default();
        pending.iter().filter(|insert| insert.after.or(last) == part).collect()
    }

    /// Writes an inserted part on a line that is indented by `indent`.
    fn line(&self, insert: &Insert, indent: usize) -> String {
        let line_break = self.tree.line_break;
        match &insert.key {
            Some(key) => yaml_text::entry(key, &insert.value, indent, line_break),
            None => format!(
                "- {}",
                yaml_text::item_text(&insert.value, indent, insert.is_flow, line_break)
            ),
        }
    }

    /// Writes the first parts of an empty list or mapping.
    fn fill(&self, collection: NodeId, edits: &mut Vec<Edit>) {
        let tree = self.tree;
        let span = tree.node(collection).span.clone();
        let column = self.outer_column(collection) + 2;
        let inserts = self.inserted.get(&collection).map(Vec::as_slice).unwrap_or_default();
        let lines: String = inserts
            .iter()
            .map(|i| format!("{}{:column$}{}", tree.line_break, "", self.line(i, column)))
            .collect();
        let start = tree.text[..span.start].trim_end_matches(' ').len();
        edits.push(Edit::new(start..span.end, lines));
    }

    /// Returns the column of the key or dash in front of a value.
    fn outer_column(&self, node: NodeId) -> usize {
        let tree = self.tree;
        let Some(parent) = tree.node(node).parent else { return 0 };
        match tree.entries(parent).iter().find(|(_, value)| *value == node) {
            Some((key, _)) => tree.column(tree.node(*key).span.start),
            None => tree.column(tree.dash(node)),
        }
    }

    /// Edits a list or mapping in brackets.
    fn in_brackets(&self, collection: NodeId, edits: &mut Vec<Edit>) {
        let tree = self.tree;
        let parts = self.parts(collection);
        let text = |insert: &Insert| match &insert.key {
            Some(key) => format!("{}: {}", yaml_text::key(key), yaml_text::flow(&insert.value)),
            None => yaml_text::flow(&insert.value),
        };
        let goes = |n: usize| self.removed.contains(&parts[n].id);
        let all_go = (0..parts.len()).all(goes);
        let every: Vec<String> =
            self.inserted.get(&collection).into_iter().flatten().map(text).collect();
        if all_go {
            let span = tree.node(collection).span.clone();
            let open = tree.node(collection).content + 1;
            let inner = open..span.end.saturating_sub(1);
            // Keep comments between the brackets.
            let comments: String = tree
                .comments_in(inner.clone())
                .map(|c| format!(" {c}{}", tree.line_break))
                .collect();
            edits.push(Edit::new(inner, format!("{}{comments}", every.join(", "))));
            return;
        }
        let mut n = 0;
        while n < parts.len() {
            if goes(n) {
                let first = n;
                while n < parts.len() && goes(n) {
                    n += 1;
                }
                let range = match parts.get(n) {
                    Some(next) => parts[first].start..next.start,
                    None => parts[first - 1].end..parts[n - 1].end,
                };
                let line_break = format!(
                    "{}{:width$}",
                    tree.line_break,
                    "",
                    width = tree.column(parts[first].start)
                );
                let comments: String = match parts.get(n) {
                    Some(_) => {
                        let comments =
                            tree.comments_in(range.clone()).map(|c| format!("{c}{line_break}"));
                        let blank = if tree.text[..range.start].ends_with([' ', '\n', '\t']) {
                            ""
                        } else {
                            " "
                        };
                        let comments: String = comments.collect();
                        if comments.is_empty() { comments } else { format!("{blank}{comments}") }
                    }
                    None => tree
                        .comments_in(range.clone())
                        .map(|c| format!(" {c}{line_break}"))
                        .collect(),
                };
                edits.push(Edit::new(range, comments));
            } else {
                n += 1;
            }
        }
        // Insert after the last part that stays.
        let last = (0..parts.len()).rev().find(|n| !goes(*n));
        if let (Some(last), false) = (last, every.is_empty()) {
            edits.push(Edit::new(
                parts[last].end..parts[last].end,
                format!(", {}", every.join(", ")),
            ));
        }
    }

    /// Edits a list or mapping whose parts have lines of their own.
    fn on_lines(&self, collection: NodeId, edits: &mut Vec<Edit>) {
        let tree = self.tree;
        let parts = self.parts(collection);
        let Some(head) = parts.first() else { return };
        let indent = tree.column(head.start);
        let margin = " ".repeat(indent);
        let line_break = tree.line_break;
        let goes = |n: usize| self.removed.contains(&parts[n].id);
        let comes = self.inserted.contains_key(&collection);
        let mut n = 0;
        while n < parts.len() {
            let first = n;
            let mut inserts = Vec::new();
            if !goes(n) {
                inserts.extend(self.inserts(collection, &parts, Some(parts[n].id)));
                let lines: String = inserts
                    .iter()
                    .map(|i| format!("{line_break}{margin}{}", self.line(i, indent)))
                    .collect();
                let at = tree.line_end(parts[n].end);
                if !lines.is_empty() {
                    edits.push(Edit::new(at..at, lines));
                }
                n += 1;
                continue;
            }
            while n < parts.len() && goes(n) {
                inserts.extend(self.inserts(collection, &parts, Some(parts[n].id)));
                n += 1;
            }
            let lines = inserts.iter().map(|i| self.line(i, indent));
            let is_all = first == 0 && n == parts.len() && !comes;
            if tree.begins_line(parts[first].start) {
                let range = tree.line_start(parts[first].start)..tree.next_line(parts[n - 1].end);
                let comments = tree.comments_in(range.clone()).map(str::to_owned);
                let text: String = lines
                    .chain(comments)
                    .map(|line| format!("{margin}{line}{line_break}"))
                    .collect();
                edits.push(Edit::new(range, text));
                if is_all {
                    edits.push(self.nothing(collection, &margin));
                }
                continue;
            }
            // The first part is on the line of a dash, or of the key of a list.
            let range = match parts.get(n) {
                Some(next) => parts[first].start..next.start,
                None => parts[first].start..parts[n - 1].end,
            };
            let comments = tree.comments_in(range.clone()).map(str::to_owned);
            let end = format!("{line_break}{margin}");
            let text: Vec<String> = match (is_all, parts.get(n)) {
                (true, _) => {
                    std::iter::once(self.empty(collection).to_owned()).chain(comments).collect()
                }
                (false, _) => lines.chain(comments).collect(),
            };
            let mut text = text.join(&end);
            if parts.get(n).is_some() && !text.is_empty() {
                text.push_str(&end);
            }
            edits.push(Edit::new(range, text));
        }
    }

    /// Returns empty brackets for the kind of a collection.
    fn empty(&self, collection: NodeId) -> &'static str {
        if matches!(self.tree.node(collection).kind, SourceNodeKind::Sequence { .. }) {
            "[]"
        } else {
            "{}"
        }
    }

    /// Replaces a list or mapping all of whose parts are removed.
    fn nothing(&self, collection: NodeId, margin: &str) -> Edit {
        let tree = self.tree;
        let node = tree.node(collection);
        let is_entry = node
            .parent
            .is_some_and(|p| tree.entries(p).iter().any(|(_, value)| *value == collection));
        match is_entry {
            true => {
                let colon = self.behind(collection);
                let at = node.anchor.as_ref().map_or(colon, |anchor| anchor.span.end.max(colon));
                Edit::new(at..at, format!(" {}", self.empty(collection)))
            }
            false => {
                let at = tree.line_start(node.content);
                Edit::new(at..at, format!("{margin}{}{}", self.empty(collection), tree.line_break))
            }
        }
    }

    /// Replaces a value.
    fn replacement(&self, node: NodeId, value: &Json) -> Edit {
        let tree = self.tree;
        let at = tree.node(node);
        let is_collection = value.is_array() || value.is_object();
        // Keep an anchor without aliases.
        let start = if at.anchor.is_some() && tree.aliases(node).is_empty() {
            at.content
        } else {
            at.span.start
        };
        if tree.is_in_flow(node) {
            let text = match &at.kind {
                SourceNodeKind::Scalar(_, style) if !is_collection => {
                    yaml_text::scalar(value, *style, true)
                }
                _ => yaml_text::flow(value),
            };
            // An absent value has no blank between the colon and the comma.
            let blank = if at.span.is_empty() { " " } else { "" };
            return Edit::new(start..at.span.end, format!("{blank}{text}"));
        }
        let is_line = !tree.text[at.span.clone()].contains('\n');
        match &at.kind {
            SourceNodeKind::Scalar(_, style)
                if !is_collection && !at.span.is_empty() && is_line =>
            {
                Edit::new(start..at.span.end, yaml_text::scalar(value, *style, false))
            }
            _ => {
                let indent = self.outer_column(node) + 2;
                let start = if start > at.span.start { start } else { self.behind(node) };
                let comments = tree.comments_in(start..at.span.end);
                let comments: String =
                    comments.map(|c| format!("{}{:indent$}{c}", tree.line_break, "")).collect();
                Edit::new(
                    start..at.span.end,
                    yaml_text::behind_key(value, indent, tree.line_break) + &comments,
                )
            }
        }
    }

    /// Returns the end of the colon or dash in front of a value.
    fn behind(&self, node: NodeId) -> usize {
        let tree = self.tree;
        let Some(parent) = tree.node(node).parent else { return tree.node(node).span.start };
        match tree.entries(parent).iter().find(|(_, value)| *value == node) {
            Some((key, _)) => {
                let end = tree.node(*key).span.end;
                tree.text[end..].find(':').map_or(end, |n| end + n + 1)
            }
            None => tree.dash(node) + 1,
        }
    }
}

/// Converts a node to plain data, with aliases followed. Fractional numbers and dates become text.
pub(super) fn json(tree: &SourceTree<'_>, node: NodeId) -> Json {
    match &tree.node(node).kind {
        SourceNodeKind::Alias(target) => json(tree, *target),
        SourceNodeKind::Scalar(text, Style::Plain) => match text.as_ref() {
            "" | "~" | "null" | "Null" | "NULL" => Json::Null,
            "true" | "True" | "TRUE" => Json::Bool(true),
            "false" | "False" | "FALSE" => Json::Bool(false),
            text => match text.parse::<i64>() {
                Ok(number) if number.to_string() == text => Json::from(number),
                _ => Json::from(text),
            },
        },
        SourceNodeKind::Scalar(text, _) => Json::from(text.as_ref()),
        SourceNodeKind::Sequence { items, .. } => {
            items.iter().map(|item| json(tree, *item)).collect()
        }
        SourceNodeKind::Mapping { entries, .. } => {
            let entries = entries
                .iter()
                .map(|(key, value)| (tree.scalar_text(*key).to_owned(), json(tree, *value)));
            Json::Object(entries.collect())
        }
    }
}
