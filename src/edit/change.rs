//! Changes to one file: values set, entries and items that come and go, as edits of its text that touch nothing else.
//!
//! | what goes | what of the text goes with it |
//! |---|---|
//! | an item or entry on lines of its own | its lines; its comments stay, as lines of their own |
//! | an item or entry in brackets | it and one comma |
//! | the last one | all of it; the list is then written `[]` |
//! | a value with an anchor | the first alias that stays becomes the anchor, with the value |

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};

use super::layout::{Kind, Layout, NodeId, Style};
use super::text::Edit;
use super::write;
use crate::model::Gather;

/// Something that comes.
#[derive(Debug, Clone)]
struct Insert {
    /// The item, or the key, that it comes after.
    after: Option<NodeId>,
    /// Its key, in a mapping.
    key: Option<String>,
    value: Json,
    /// Whether it is written in braces.
    is_flow: bool,
}

/// A part of a collection: an item, or a key with its value.
struct Part {
    id: NodeId,
    start: usize,
    end: usize,
}

/// Changes to one file.
#[derive(Debug)]
pub(super) struct Changes<'l, 't> {
    pub(super) layout: &'l Layout<'t>,
    replaced: BTreeMap<NodeId, Json>,
    /// Texts in place of nodes, written already.
    rewritten: BTreeMap<NodeId, String>,
    removed: BTreeSet<NodeId>,
    inserted: BTreeMap<NodeId, Vec<Insert>>,
    /// Items that take the text of others.
    moved: BTreeMap<NodeId, NodeId>,
}

impl<'l, 't> Changes<'l, 't> {
    /// No changes yet.
    pub(super) fn new(layout: &'l Layout<'t>) -> Self {
        Self {
            layout,
            replaced: BTreeMap::new(),
            rewritten: BTreeMap::new(),
            removed: BTreeSet::new(),
            inserted: BTreeMap::new(),
            moved: BTreeMap::new(),
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.replaced.is_empty()
            && self.rewritten.is_empty()
            && self.removed.is_empty()
            && self.inserted.is_empty()
            && self.moved.is_empty()
    }

    /// Replaces a value.
    pub(super) fn replace(&mut self, node: NodeId, value: Json) {
        self.replaced.insert(node, value);
    }

    /// Writes an item of a list in the place of another.
    pub(super) fn move_item(&mut self, slot: NodeId, item: NodeId) {
        self.moved.insert(slot, item);
    }

    /// Removes an item, or the entry with this key.
    pub(super) fn remove(&mut self, part: NodeId) {
        self.removed.insert(part);
    }

    /// Adds an item to a list, or an entry to a mapping if there is a key: after a part of it, or at the end.
    pub(super) fn insert(&mut self, to: NodeId, after: Option<NodeId>, key: Option<&str>, value: Json, is_flow: bool) {
        let insert = Insert { after, key: key.map(str::to_owned), value, is_flow };
        self.inserted.entry(to).or_default().push(insert);
    }

    /// Sets a key of a mapping: of a new one if `node` is no mapping yet.
    pub(super) fn set(&mut self, node: NodeId, key: &str, value: Json) {
        match (&self.layout.node(node).kind, self.layout.get(node, key)) {
            (_, Some(own)) => self.replace(own, value),
            (Kind::Mapping { .. }, None) => self.insert(node, None, Some(key), value, false),
            _ => match self.replaced.entry(node).or_insert_with(|| Json::Object(Map::new())) {
                Json::Object(members) => drop(members.insert(key.to_owned(), value)),
                other => *other = Json::Object(Map::from_iter([(key.to_owned(), value)])),
            },
        }
    }

    /// The edits.
    pub(super) fn edits(mut self) -> Vec<Edit> {
        self.move_anchors();
        let mut edits = Vec::new();
        let collections: BTreeSet<NodeId> = self
            .removed
            .iter()
            .filter_map(|part| self.layout.node(*part).parent)
            .chain(self.inserted.keys().copied())
            .gather();
        for collection in collections.into_iter().filter(|c| !self.is_gone(*c, true)) {
            if self.layout.is_flow(collection)
                && self.parts(collection).is_empty()
                && !self.layout.is_in_flow(collection)
            {
                self.fill(collection, &mut edits);
            } else if self.layout.is_flow(collection) {
                self.in_brackets(collection, &mut edits);
            } else {
                self.on_lines(collection, &mut edits);
            }
        }
        for (node, value) in self.replaced.iter().filter(|(node, _)| !self.is_gone(**node, false)) {
            edits.push(self.replacement(*node, value));
        }
        for (node, text) in self.rewritten.iter().filter(|(node, _)| !self.is_gone(**node, false)) {
            edits.push(Edit::new(self.layout.node(*node).span.clone(), text.as_str()));
        }
        for (slot, item) in self.moved.iter().filter(|(slot, item)| slot != item) {
            let layout = self.layout;
            let range = |id: NodeId| {
                let span = layout.node(id).span.clone();
                // A comment behind an item goes with it.
                if layout.is_in_flow(id) { span } else { span.start..layout.line_end(span.end) }
            };
            edits.push(Edit::new(range(*slot), &layout.text[range(*item)]));
        }
        edits
    }

    /// Whether a node is in something that goes; with `also_itself`, or is itself replaced.
    fn is_gone(&self, node: NodeId, also_itself: bool) -> bool {
        if also_itself && self.replaced.contains_key(&node) {
            return true;
        }
        let mut at = node;
        loop {
            if self.removed.contains(&at) {
                return true;
            }
            let Some(parent) = self.layout.node(at).parent else { return false };
            // The value of an entry goes with its key.
            let key = self.layout.entries(parent).iter().find(|(_, value)| *value == at).map(|(key, _)| *key);
            if key.is_some_and(|key| self.removed.contains(&key)) || self.replaced.contains_key(&parent) {
                return true;
            }
            at = parent;
        }
    }

    /// Where a value with an anchor goes or changes, the first alias that stays takes the value and the anchor.
    fn move_anchors(&mut self) {
        let layout = self.layout;
        for node in layout.ids() {
            let aliases = layout.aliases(node);
            let Some(anchor) = &layout.node(node).anchor else { continue };
            if aliases.is_empty() || !(self.is_gone(node, true)) {
                continue;
            }
            let stays = |alias: &&NodeId| !self.is_gone(**alias, true);
            let Some(first) = aliases.iter().find(stays) else { continue };
            let value = match &layout.node(node).kind {
                Kind::Scalar(_, Style::Plain | Style::Single | Style::Double) => {
                    layout.text[layout.node(node).content..layout.node(node).span.end].to_owned()
                }
                _ => write::flow(&json(layout, node)),
            };
            self.rewritten.insert(*first, format!("&{} {value}", anchor.name));
        }
    }

    /// The parts of a collection.
    fn parts(&self, collection: NodeId) -> Vec<Part> {
        let layout = self.layout;
        let is_flow = layout.is_flow(collection);
        let item = |id: &NodeId| {
            let span = &layout.node(*id).span;
            Part { id: *id, start: if is_flow { span.start } else { layout.dash(*id) }, end: span.end }
        };
        let entry = |(key, value): &(NodeId, NodeId)| {
            let start = layout.node(*key).span.start;
            let before = layout.text[..start].trim_end_matches(' ');
            let start = if before.ends_with('?') { before.len() - 1 } else { start };
            Part { id: *key, start, end: layout.node(*value).span.end.max(layout.node(*key).span.end) }
        };
        match &layout.node(collection).kind {
            Kind::Sequence { items, .. } => items.iter().map(item).collect(),
            Kind::Mapping { entries, .. } => entries.iter().map(entry).collect(),
            Kind::Scalar(..) | Kind::Alias(_) => Vec::new(),
        }
    }

    /// What comes after a part.
    fn inserts(&self, collection: NodeId, parts: &[Part], part: Option<NodeId>) -> Vec<&Insert> {
        let last = parts.last().map(|p| p.id);
        let all = self.inserted.get(&collection).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter(|insert| insert.after.or(last) == part).collect()
    }

    /// A part that comes, on a line that is indented by `indent`.
    fn line(&self, insert: &Insert, indent: usize) -> String {
        let line_break = self.layout.line_break;
        match &insert.key {
            Some(key) => write::entry(key, &insert.value, indent, line_break),
            None => format!("- {}", write::item_text(&insert.value, indent, insert.is_flow, line_break)),
        }
    }

    /// An empty list or mapping that gets its first parts.
    fn fill(&self, collection: NodeId, edits: &mut Vec<Edit>) {
        let layout = self.layout;
        let span = layout.node(collection).span.clone();
        let column = self.outer_column(collection) + 2;
        let inserts = self.inserted.get(&collection).map(Vec::as_slice).unwrap_or_default();
        let lines: String =
            inserts.iter().map(|i| format!("{}{:column$}{}", layout.line_break, "", self.line(i, column))).collect();
        let start = layout.text[..span.start].trim_end_matches(' ').len();
        edits.push(Edit::new(start..span.end, lines));
    }

    /// The column of the key, or the dash, that a value is behind.
    fn outer_column(&self, node: NodeId) -> usize {
        let layout = self.layout;
        let Some(parent) = layout.node(node).parent else { return 0 };
        match layout.entries(parent).iter().find(|(_, value)| *value == node) {
            Some((key, _)) => layout.column(layout.node(*key).span.start),
            None => layout.column(layout.dash(node)),
        }
    }

    /// A list or mapping in brackets.
    fn in_brackets(&self, collection: NodeId, edits: &mut Vec<Edit>) {
        let layout = self.layout;
        let parts = self.parts(collection);
        let text = |insert: &Insert| match &insert.key {
            Some(key) => format!("{}: {}", write::key(key), write::flow(&insert.value)),
            None => write::flow(&insert.value),
        };
        let goes = |n: usize| self.removed.contains(&parts[n].id);
        let all_go = (0..parts.len()).all(goes);
        let every: Vec<String> = self.inserted.get(&collection).into_iter().flatten().map(text).collect();
        if all_go {
            let span = layout.node(collection).span.clone();
            let open = layout.node(collection).content + 1;
            let inner = open..span.end.saturating_sub(1);
            // Between the brackets, comments stay.
            let comments: String =
                layout.comments_in(inner.clone()).map(|c| format!(" {c}{}", layout.line_break)).collect();
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
                let line_break =
                    format!("{}{:width$}", layout.line_break, "", width = layout.column(parts[first].start));
                let comments: String = match parts.get(n) {
                    Some(_) => {
                        let comments = layout.comments_in(range.clone()).map(|c| format!("{c}{line_break}"));
                        let blank = if layout.text[..range.start].ends_with([' ', '\n', '\t']) { "" } else { " " };
                        let comments: String = comments.collect();
                        if comments.is_empty() { comments } else { format!("{blank}{comments}") }
                    }
                    None => layout.comments_in(range.clone()).map(|c| format!(" {c}{line_break}")).collect(),
                };
                edits.push(Edit::new(range, comments));
            } else {
                n += 1;
            }
        }
        // After the last part that stays.
        let last = (0..parts.len()).rev().find(|n| !goes(*n));
        if let (Some(last), false) = (last, every.is_empty()) {
            edits.push(Edit::new(parts[last].end..parts[last].end, format!(", {}", every.join(", "))));
        }
    }

    /// A list or mapping whose parts have lines of their own.
    fn on_lines(&self, collection: NodeId, edits: &mut Vec<Edit>) {
        let layout = self.layout;
        let parts = self.parts(collection);
        let Some(head) = parts.first() else { return };
        let indent = layout.column(head.start);
        let margin = " ".repeat(indent);
        let line_break = layout.line_break;
        let goes = |n: usize| self.removed.contains(&parts[n].id);
        let comes = self.inserted.contains_key(&collection);
        let mut n = 0;
        while n < parts.len() {
            let first = n;
            let mut inserts = Vec::new();
            if !goes(n) {
                inserts.extend(self.inserts(collection, &parts, Some(parts[n].id)));
                let lines: String =
                    inserts.iter().map(|i| format!("{line_break}{margin}{}", self.line(i, indent))).collect();
                let at = layout.line_end(parts[n].end);
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
            if layout.begins_line(parts[first].start) {
                let range = layout.line_start(parts[first].start)..layout.next_line(parts[n - 1].end);
                let comments = layout.comments_in(range.clone()).map(str::to_owned);
                let text: String = lines.chain(comments).map(|line| format!("{margin}{line}{line_break}")).collect();
                edits.push(Edit::new(range, text));
                if is_all {
                    edits.push(self.nothing(collection, &margin));
                }
                continue;
            }
            // The first part is behind a dash, or behind the key of a list.
            let range = match parts.get(n) {
                Some(next) => parts[first].start..next.start,
                None => parts[first].start..parts[n - 1].end,
            };
            let comments = layout.comments_in(range.clone()).map(str::to_owned);
            let end = format!("{line_break}{margin}");
            let text: Vec<String> = match (is_all, parts.get(n)) {
                (true, _) => std::iter::once(self.empty(collection).to_owned()).chain(comments).collect(),
                (false, _) => lines.chain(comments).collect(),
            };
            let mut text = text.join(&end);
            if parts.get(n).is_some() && !text.is_empty() {
                text.push_str(&end);
            }
            edits.push(Edit::new(range, text));
        }
    }

    /// Brackets with nothing in them.
    fn empty(&self, collection: NodeId) -> &'static str {
        if matches!(self.layout.node(collection).kind, Kind::Sequence { .. }) { "[]" } else { "{}" }
    }

    /// A list or mapping of which nothing is left.
    fn nothing(&self, collection: NodeId, margin: &str) -> Edit {
        let layout = self.layout;
        let node = layout.node(collection);
        let is_entry = node.parent.is_some_and(|p| layout.entries(p).iter().any(|(_, value)| *value == collection));
        match is_entry {
            true => {
                let colon = self.behind(collection);
                let at = node.anchor.as_ref().map_or(colon, |anchor| anchor.span.end.max(colon));
                Edit::new(at..at, format!(" {}", self.empty(collection)))
            }
            false => {
                let at = layout.line_start(node.content);
                Edit::new(at..at, format!("{margin}{}{}", self.empty(collection), layout.line_break))
            }
        }
    }

    /// A value in place of another.
    fn replacement(&self, node: NodeId, value: &Json) -> Edit {
        let layout = self.layout;
        let at = layout.node(node);
        let is_collection = value.is_array() || value.is_object();
        // An anchor that no alias uses stays.
        let start = if at.anchor.is_some() && layout.aliases(node).is_empty() { at.content } else { at.span.start };
        if layout.is_in_flow(node) {
            let text = match &at.kind {
                Kind::Scalar(_, style) if !is_collection => write::scalar(value, *style, true),
                _ => write::flow(value),
            };
            // Without a value there is nothing between the colon and the comma.
            let blank = if at.span.is_empty() { " " } else { "" };
            return Edit::new(start..at.span.end, format!("{blank}{text}"));
        }
        let is_line = !layout.text[at.span.clone()].contains('\n');
        match &at.kind {
            Kind::Scalar(_, style) if !is_collection && !at.span.is_empty() && is_line => {
                Edit::new(start..at.span.end, write::scalar(value, *style, false))
            }
            _ => {
                let indent = self.outer_column(node) + 2;
                let start = if start > at.span.start { start } else { self.behind(node) };
                let comments = layout.comments_in(start..at.span.end);
                let comments: String = comments.map(|c| format!("{}{:indent$}{c}", layout.line_break, "")).collect();
                Edit::new(start..at.span.end, write::behind_key(value, indent, layout.line_break) + &comments)
            }
        }
    }

    /// Where the colon, or the dash, that a value is behind ends.
    fn behind(&self, node: NodeId) -> usize {
        let layout = self.layout;
        let Some(parent) = layout.node(node).parent else { return layout.node(node).span.start };
        match layout.entries(parent).iter().find(|(_, value)| *value == node) {
            Some((key, _)) => {
                let end = layout.node(*key).span.end;
                layout.text[end..].find(':').map_or(end, |n| end + n + 1)
            }
            None => layout.dash(node) + 1,
        }
    }
}

/// A node as plain data, aliases followed. Numbers that are not whole, and dates, are text.
pub(super) fn json(layout: &Layout<'_>, node: NodeId) -> Json {
    match &layout.node(node).kind {
        Kind::Alias(target) => json(layout, *target),
        Kind::Scalar(text, Style::Plain) => match text.as_ref() {
            "" | "~" | "null" | "Null" | "NULL" => Json::Null,
            "true" | "True" | "TRUE" => Json::Bool(true),
            "false" | "False" | "FALSE" => Json::Bool(false),
            text => match text.parse::<i64>() {
                Ok(number) if number.to_string() == text => Json::from(number),
                _ => Json::from(text),
            },
        },
        Kind::Scalar(text, _) => Json::from(text.as_ref()),
        Kind::Sequence { items, .. } => items.iter().map(|item| json(layout, *item)).collect(),
        Kind::Mapping { entries, .. } => {
            let entries =
                entries.iter().map(|(key, value)| (layout.scalar_text(*key).to_owned(), json(layout, *value)));
            Json::Object(entries.collect())
        }
    }
}
