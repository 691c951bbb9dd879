//! Pictures of mail, aliases and delegations that change: where the answers lead before and after.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{Answer, End};
use super::answer_in_words::short_value;
use super::entry::Entry;
use super::record_edit::RecordEdit;
use super::zones::Zones;
use crate::model::{Fqdn, RecordType, ZoneName};

/// Maximum number of nodes on each side of a picture.
const MOST_NODES: usize = 6;

/// Maximum number of pictures of one zone.
const MOST_PICTURES: usize = 5;

/// Maximum number of names of one zone whose answers are compared.
const MOST_NAMES: usize = 50;

/// The subject of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PictureTopic {
    Delegation,
    Mail,
    Alias,
}

/// The answers for a name before and after a change, as two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub topic: PictureTopic,
    pub name: Fqdn,
    pub before: Vec<PictureNode>,
    pub after: Vec<PictureNode>,
}

/// A node of a picture. It can contain text from the spec and from Cloudflare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureNode {
    pub text: String,
    /// Index of the node that leads here; `None` for the first node.
    pub from: Option<usize>,
}

impl PictureTopic {
    /// Returns the topic of an edit of a record.
    fn of(record: &Entry<'_>) -> Option<Self> {
        match record.record_type()? {
            RecordType::Ns => Some(Self::Delegation),
            RecordType::Mx => Some(Self::Mail),
            RecordType::Cname => Some(Self::Alias),
            _ => None,
        }
    }

    /// Returns the type of the question that shows it.
    fn asked_type(self) -> RecordType {
        match self {
            Self::Delegation => RecordType::Ns,
            Self::Mail => RecordType::Mx,
            Self::Alias => RecordType::A,
        }
    }

    /// Returns its name.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Delegation => "delegation",
            Self::Mail => "mail",
            Self::Alias => "alias",
        }
    }
}

/// Returns the pictures of the names whose mail servers, aliases or delegations change. A name that
/// nothing answered for before has none.
#[must_use]
pub fn pictures(
    before: &Zones<'_>,
    after: &Zones<'_>,
    edits: &[RecordEdit<'_>],
) -> BTreeMap<ZoneName, Vec<Picture>> {
    let mut asked: BTreeMap<&ZoneName, BTreeSet<(PictureTopic, &Fqdn)>> = BTreeMap::new();
    for edit in edits.iter().filter(|edit| edit.changes_answers()) {
        let records = edit.before.iter().chain(&edit.after);
        let topics = records.filter_map(|record| Some((PictureTopic::of(record)?, record.name)));
        asked.entry(edit.zone).or_default().extend(topics);
    }
    let mut all: BTreeMap<ZoneName, Vec<Picture>> = BTreeMap::new();
    for (zone, names) in asked {
        let drawn = names.into_iter().take(MOST_NAMES).filter_map(|(topic, name)| {
            let kind = topic.asked_type();
            let (old, new) = (before.answer(name, kind), after.answer(name, kind));
            let is_nothing = matches!(old.end, End::NoName | End::NoData(_) | End::Elsewhere)
                && old.aliases.is_empty();
            if is_nothing || old == new {
                return None;
            }
            let (before, after) = (nodes(before, name, &old, kind), nodes(after, name, &new, kind));
            (before != after).then(|| Picture { topic, name: name.clone(), before, after })
        });
        let drawn: Vec<Picture> = drawn.take(MOST_PICTURES).collect();
        if !drawn.is_empty() {
            all.insert(zone.clone(), drawn);
        }
    }
    all
}

/// Returns the tree of an answer: the aliases in a row, then the values, then the addresses of mail
/// servers as far as there is space.
fn nodes(
    zones: &Zones<'_>,
    name: &Fqdn,
    answer: &Answer<'_>,
    kind: RecordType,
) -> Vec<PictureNode> {
    let mut nodes = vec![PictureNode { text: name.to_string(), from: None }];
    for target in answer.aliases.iter().filter_map(|alias| alias.record.data.target()) {
        if nodes.len() < MOST_NODES - 1 {
            nodes.push(PictureNode { text: target.to_string(), from: Some(nodes.len() - 1) });
        }
    }
    let (last, set) = (nodes.len() - 1, values(answer, kind));
    let space = MOST_NODES - nodes.len();
    let shown = if set.len() > space { space.saturating_sub(1) } else { set.len() };
    for (text, _) in &set[..shown] {
        nodes.push(PictureNode { text: text.clone(), from: Some(last) });
    }
    if set.len() > shown {
        let text = format!("and {} more", set.len() - shown);
        nodes.push(PictureNode { text, from: Some(last) });
        return nodes;
    }
    for (n, (_, host)) in set.iter().enumerate() {
        let Some(host) = host.filter(|_| kind == RecordType::Mx) else { continue };
        let answer = zones.answer(host, RecordType::A);
        let is_known = !matches!(answer.end, End::Elsewhere) || !answer.aliases.is_empty();
        if is_known && nodes.len() < MOST_NODES {
            let text = answer.words(RecordType::A);
            nodes.push(PictureNode { text, from: Some(last + 1 + n) });
        }
    }
    nodes
}

/// Returns the values at the end of an answer, with the hosts that they name.
fn values<'a>(answer: &Answer<'a>, kind: RecordType) -> Vec<(String, Option<&'a Fqdn>)> {
    let in_order = |set: &[Entry<'a>]| {
        let mut sorted = set.to_vec();
        sorted.sort_by(|one, other| one.data.cmp(other.data));
        sorted.iter().map(|entry| (short_value(entry.data), entry.data.target())).collect()
    };
    match &answer.end {
        End::Records(set) => in_order(set),
        End::Referral(referral) => in_order(&referral.servers),
        End::Elsewhere => Vec::new(),
        end => vec![(end.words(kind, &answer.name), None)],
    }
}
