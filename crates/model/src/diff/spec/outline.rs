//! Outlines: the named items and values of a spec, and their comparison.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::rule_moves::longest_rising;
use super::change::{SpecChange, SpecChangeKind};
use crate::diagnostic::Place;
use crate::{Danger, Gather, Unmanaged, Value};

/// An item of a spec with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OutlineItem {
    pub(super) place: Place,
    pub(super) what: What,
}

/// The content of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    Value {
        /// The value as outputs show it.
        shown: Value,
        /// The value as it is compared: equal exactly if the meaning is equal.
        compared: Value,
    },
    /// An item with parts that is added and removed as a whole.
    Thing {
        /// Its parts by name.
        parts: BTreeMap<String, OutlineItem>,
        /// A short description of all parts.
        words: Option<String>,
    },
    /// Independent members, each of which is added and removed by itself.
    Group(BTreeMap<String, OutlineItem>),
    /// Named items whose order has a meaning.
    List {
        items: Vec<(String, OutlineItem)>,
        /// True if the presence of the list has a meaning even if the list is empty.
        is_managed: bool,
    },
}

impl OutlineItem {
    /// Returns a value whose comparison uses the shown form.
    pub(super) fn value(value: impl Into<Value>, place: Place) -> Self {
        let shown: Value = value.into();
        // Mappings are compared member by member.
        match shown {
            Value::Map(members) if !members.is_empty() => {
                let parts = members
                    .into_iter()
                    .map(|(name, value)| (name, Self::value(value, place)))
                    .gather();
                Self { place, what: What::Thing { parts, words: None } }
            }
            shown => Self { place, what: What::Value { compared: shown.clone(), shown } },
        }
    }

    /// Returns a value with several spellings of the same meaning.
    pub(super) fn written(
        shown: impl Into<Value>,
        compared: impl Into<Value>,
        place: Place,
    ) -> Self {
        Self { place, what: What::Value { shown: shown.into(), compared: compared.into() } }
    }

    /// Returns the whole item as one value.
    fn whole(&self) -> Value {
        match &self.what {
            What::Value { shown, compared: _ } => shown.clone(),
            What::Thing { parts, words: _ } | What::Group(parts) => {
                Value::Map(parts.iter().map(|(name, said)| (name.clone(), said.whole())).gather())
            }
            What::List { items, is_managed: _ } => {
                Value::List(items.iter().map(|(name, _)| Value::from(name.as_str())).collect())
            }
        }
    }
}

/// Returns the dangers that a spec consents to, with the reasons.
pub(super) fn allowed(allow: &BTreeMap<Danger, String>, place: Place) -> OutlineItem {
    let reasons = allow
        .iter()
        .map(|(danger, why)| (danger.code().to_owned(), OutlineItem::value(why.as_str(), place)));
    OutlineItem { place, what: What::Group(reasons.gather()) }
}

/// Returns the treatment of unmanaged items, if it is not the default.
pub(super) fn prunes(unmanaged: Unmanaged, place: Place) -> Option<OutlineItem> {
    match unmanaged {
        Unmanaged::Keep => None,
        Unmanaged::Prune => Some(OutlineItem::value("prune", place)),
    }
}

/// The items of both specs, by path.
pub(super) type Pairs = Vec<(String, Option<OutlineItem>, Option<OutlineItem>)>;

/// Compares the pairs in their order and adds the differences to `changes`.
pub(super) fn compare_outlines(pairs: &Pairs, changes: &mut Vec<SpecChange>) {
    for (path, before, after) in pairs {
        compare_said(path, before.as_ref(), after.as_ref(), changes);
    }
}

fn compare_said(
    path: &str,
    before: Option<&OutlineItem>,
    after: Option<&OutlineItem>,
    changes: &mut Vec<SpecChange>,
) {
    match (before.map(|said| &said.what), after.map(|said| &said.what)) {
        (None, None) => {}
        // A list or group is not an item by itself: only its members are added and removed.
        (Some(What::Group(_)) | None, Some(What::Group(_)) | None) => {
            compare_group_members(path, group_of(before), group_of(after), changes);
        }
        (Some(What::List { .. }) | None, Some(What::List { .. }) | None) => {
            compare_presence(path, before, after, changes);
            compare_lists(path, items(before), items(after), changes);
        }
        (Some(What::Thing { parts: before, .. }), Some(What::Thing { parts: after, .. })) => {
            compare_group_members(path, Some(before), Some(after), changes);
        }
        (
            Some(What::Value { compared: b, shown }),
            Some(What::Value { compared: a, shown: wanted }),
        ) => {
            if a != b {
                let kind = SpecChangeKind::Changed { before: shown.clone(), after: wanted.clone() };
                push_change(path, kind, before, after, changes);
            }
        }
        (Some(_), Some(_)) => {
            let whole_value =
                |said: Option<&OutlineItem>| said.map_or(Value::Null, OutlineItem::whole);
            let kind =
                SpecChangeKind::Changed { before: whole_value(before), after: whole_value(after) };
            push_change(path, kind, before, after, changes);
        }
        (None, Some(what)) => {
            let kind = SpecChangeKind::Added {
                after: after.map_or(Value::Null, OutlineItem::whole),
                words: shown_words(what),
            };
            push_change(path, kind, before, after, changes);
        }
        (Some(what), None) => {
            let kind = SpecChangeKind::Removed {
                before: before.map_or(Value::Null, OutlineItem::whole),
                words: shown_words(what),
            };
            push_change(path, kind, before, after, changes);
        }
    }
}

fn shown_words(what: &What) -> Option<String> {
    match what {
        What::Thing { words, parts: _ } => words.clone(),
        What::Value { .. } | What::Group(_) | What::List { .. } => None,
    }
}

fn group_of(said: Option<&OutlineItem>) -> Option<&BTreeMap<String, OutlineItem>> {
    match said.map(|said| &said.what) {
        Some(What::Group(members)) => Some(members),
        Some(What::Value { .. } | What::Thing { .. } | What::List { .. }) | None => None,
    }
}

fn items(said: Option<&OutlineItem>) -> &[(String, OutlineItem)] {
    match said.map(|said| &said.what) {
        Some(What::List { items, is_managed: _ }) => items,
        Some(What::Value { .. } | What::Thing { .. } | What::Group(_)) | None => &[],
    }
}

fn push_change(
    path: &str,
    kind: SpecChangeKind,
    before: Option<&OutlineItem>,
    after: Option<&OutlineItem>,
    changes: &mut Vec<SpecChange>,
) {
    if let Some(said) = after.or(before) {
        changes.push(SpecChange { path: path.to_owned(), kind, place: said.place });
    }
}

/// Compares members by name.
fn compare_group_members(
    path: &str,
    before: Option<&BTreeMap<String, OutlineItem>>,
    after: Option<&BTreeMap<String, OutlineItem>>,
    changes: &mut Vec<SpecChange>,
) {
    let names: BTreeMap<&String, ()> =
        [before, after].into_iter().flatten().flatten().map(|(n, _)| (n, ())).gather();
    for name in names.into_keys() {
        let (b, a) = (before.and_then(|m| m.get(name)), after.and_then(|m| m.get(name)));
        compare_said(&member_path(path, name), b, a, changes);
    }
}

/// Compares the presence of a list whose presence has a meaning.
fn compare_presence(
    path: &str,
    before: Option<&OutlineItem>,
    after: Option<&OutlineItem>,
    changes: &mut Vec<SpecChange>,
) {
    let whole_list = |said: &OutlineItem| match said.what {
        What::List { is_managed: true, .. } => Some(said.whole()),
        What::List { .. } | What::Value { .. } | What::Thing { .. } | What::Group(_) => None,
    };
    let kind = match (before, after) {
        (None, Some(said)) => whole_list(said).map(|after| {
            let words = Some("managed from now on".to_owned());
            SpecChangeKind::Added { after, words }
        }),
        (Some(said), None) => whole_list(said).map(|before| {
            let words = Some("no longer managed: what Cloudflare has stays".to_owned());
            SpecChangeKind::Removed { before, words }
        }),
        (None, None) | (Some(_), Some(_)) => None,
    };
    if let Some(kind) = kind {
        push_change(path, kind, before, after, changes);
    }
}

/// Compares the items of two lists by name, then the order of the items that both lists have.
fn compare_lists(
    path: &str,
    before: &[(String, OutlineItem)],
    after: &[(String, OutlineItem)],
    changes: &mut Vec<SpecChange>,
) {
    let (earlier, later) = (places(before), places(after));
    for (name, b) in before.iter().filter(|(name, _)| !later.contains_key(name.as_str())) {
        compare_said(&member_path(path, name), Some(b), None, changes);
    }
    let mut common = Vec::new();
    for (at, (name, a)) in after.iter().enumerate() {
        let place = earlier.get(name.as_str()).copied();
        compare_said(&member_path(path, name), place.map(|n| &before[n].1), Some(a), changes);
        common.extend(place.map(|place| (at, place)));
    }
    let kept: BTreeSet<usize> = longest_rising(&common).into_iter().gather();
    for (at, _) in common.iter().filter(|(at, _)| !kept.contains(at)) {
        let behind = at.checked_sub(1).map(|n| after[n].0.clone());
        push_change(
            &member_path(path, &after[*at].0),
            SpecChangeKind::Moved { behind },
            None,
            Some(&after[*at].1),
            changes,
        );
    }
}

/// Maps each name to the position of the first item that has it.
fn places(list: &[(String, OutlineItem)]) -> HashMap<&str, usize> {
    list.iter().enumerate().rev().map(|(n, (name, _))| (name.as_str(), n)).collect()
}

/// Appends a member to a path: `a.b` for a plain name, `a[b c]` for any other.
fn member_path(path: &str, name: &str) -> String {
    let is_plain = !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if path.is_empty() {
        name.to_owned()
    } else if is_plain {
        format!("{path}.{name}")
    } else {
        format!("{path}[{name}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Sources, Span};

    fn place() -> Place {
        Place { source: Sources::default().add("spec.yaml", ""), span: Span::new(0, 0) }
    }

    fn list(names: &[&str], is_managed: bool) -> OutlineItem {
        let items = names
            .iter()
            .map(|name| ((*name).to_owned(), OutlineItem::value(true, place())))
            .collect();
        OutlineItem { place: place(), what: What::List { items, is_managed } }
    }

    /// Returns each changed path with its kind of change.
    fn told(before: Option<OutlineItem>, after: Option<OutlineItem>) -> Vec<String> {
        let mut changes = Vec::new();
        compare_outlines(&vec![("x".to_owned(), before, after)], &mut changes);
        let word = |change: &SpecChange| match &change.kind {
            SpecChangeKind::Added { .. } => format!("+ {}", change.path),
            SpecChangeKind::Removed { .. } => format!("- {}", change.path),
            SpecChangeKind::Changed { before, after } => {
                format!("~ {} {before} {after}", change.path)
            }
            SpecChangeKind::Moved { behind } => {
                format!("> {} {}", change.path, behind.as_deref().unwrap_or("first"))
            }
        };
        changes.iter().map(word).collect()
    }

    #[test]
    fn as_few_as_possible_have_moved() {
        assert_eq!(
            told(Some(list(&["a", "b", "c"], false)), Some(list(&["c", "a", "b"], false))),
            ["> x.c first"]
        );
        assert_eq!(
            told(Some(list(&["a", "b", "c"], false)), Some(list(&["a", "c", "b"], false))),
            ["> x.c a"]
        );
        // Added and removed items move no other item.
        let both = told(Some(list(&["a", "b"], false)), Some(list(&["n", "b"], false)));
        assert_eq!(both, ["- x.a", "+ x.n"]);
    }

    #[test]
    fn an_empty_list_is_not_silence_where_it_manages() {
        assert_eq!(told(None, Some(list(&[], true))), ["+ x"]);
        assert_eq!(told(Some(list(&[], true)), None), ["- x"]);
        assert_eq!(told(None, Some(list(&[], false))), Vec::<String>::new());
    }

    #[test]
    fn values_are_compared_by_what_they_mean() {
        let written = |shown: &str| OutlineItem::written(shown, shown.to_lowercase(), place());
        assert_eq!(told(Some(written("A")), Some(written("a"))), Vec::<String>::new());
        assert_eq!(told(Some(written("A")), Some(written("b"))), ["~ x A b"]);
        let map = |n: u32| {
            Value::Map([("a b".to_owned(), Value::from(n)), ("c".to_owned(), Value::Null)].into())
        };
        let change = told(
            Some(OutlineItem::value(map(1), place())),
            Some(OutlineItem::value(map(2), place())),
        );
        assert_eq!(change, ["~ x[a b] 1 2"]);
        assert_eq!(
            told(None, Some(OutlineItem::value(map(1), place()))),
            ["+ x"],
            "a thing comes as a whole"
        );
    }
}
