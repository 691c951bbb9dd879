//! Effects of an edit on names that a wildcard answers for, or no longer does.

use std::collections::BTreeSet;

use super::answer_in_words::{NO_NAME, describe_node};
use super::answer_source::AnswerSource;
use super::caching::LONG_TTL;
use super::differences::Difference;
use super::entry::Entry;
use super::index::{NameNode, ZoneIndex};
use crate::diagnostic::count;
use crate::insight::effect::at_most_five;
use crate::model::{Fqdn, RecordType};

/// Describes the answers of a name or a wildcard in a zone.
fn answers(zone: &ZoneIndex<'_>, node: NameNode<'_, '_>) -> String {
    describe_node(node, zone.serving().proxies())
}

/// Returns the sentence about a name that loses its records, so that a wildcard answers instead.
/// `shown` is the name as it is displayed.
pub(super) fn falls_to_wildcard(
    shown: &str,
    new: &ZoneIndex<'_>,
    star: NameNode<'_, '_>,
) -> String {
    let ttl =
        star.records().map(|entry| entry.seconds()).max().filter(|seconds| *seconds >= LONG_TTL);
    let ttl = ttl.map(|seconds| format!(" (ttl {seconds})")).unwrap_or_default();
    format!("{shown}: {} answers from now on: {}{ttl}", star.name(), answers(new, star))
}

/// Returns the sentence about a name that a wildcard answered for before. `shown` is the name as it
/// is displayed.
pub(super) fn left_by_wildcard(
    name: &Fqdn,
    shown: &str,
    [old, new]: [&ZoneIndex<'_>; 2],
    star: NameNode<'_, '_>,
    own: NameNode<'_, '_>,
) -> Option<String> {
    let was = answers(old, star);
    // No client connects to the name of a key or a token, and some answers stay the same.
    let is_of_label = |entry: &Entry<'_>| {
        use RecordType::{Cname, Srv, Tlsa, Txt};
        matches!(entry.record_type(), Some(Cname | Srv | Tlsa | Txt))
    };
    if was == answers(new, own)
        || (name.has_underscored_label() && !star.records().any(|entry| is_of_label(&entry)))
    {
        return None;
    }
    let kept: BTreeSet<&str> = own.records().map(|entry| entry.data.type_name()).collect();
    let has_host = own.records().any(|entry| entry.is_address_or_alias());
    let mut lost = BTreeSet::new();
    for entry in star.records() {
        let word = if entry.is_address_or_alias() && !has_host {
            "address"
        } else {
            entry.data.type_name()
        };
        if !kept.contains(word) {
            lost.insert(word);
        }
    }
    let loses = if lost.is_empty() || own.has(RecordType::Cname) {
        String::new()
    } else {
        format!("; it has no {} any more", at_most_five(lost))
    };
    Some(format!("{shown}: until now {} answered: {was}{loses}", star.name()))
}

/// Returns sentences about names above a new name that exist only because of it, so that the
/// wildcard no longer answers for them. This happens on advanced name servers (RFC 4592 section
/// 2.2.2).
pub(super) fn names_above(name: &Fqdn, [old, new]: [&ZoneIndex<'_>; 2]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut climbed_name = name.as_str();
    while let Some((_, parent)) =
        climbed_name.split_once('.').filter(|(_, parent)| old.node(parent).is_none())
    {
        climbed_name = parent;
        if let (AnswerSource::Wildcard(star), AnswerSource::Empty) =
            (AnswerSource::of(old, parent), AnswerSource::of(new, parent))
        {
            lines.push(format!(
                "{}: {} no longer answers, because a name below this one exists now (RFC 4592); \
                until now: {}",
                new.name().relative(&Fqdn::reported(parent)),
                star.name(),
                answers(old, star)
            ));
        }
    }
    lines
}

/// Returns the sentence about names below an edited one, in its [`region`], that have no records of
/// their own. `pointing` has the records that point to names there.
pub(super) fn names_below(
    name: &Fqdn,
    zones: [&ZoneIndex<'_>; 2],
    region: &Fqdn,
    difference: &Difference<'_>,
    pointing: &[String],
) -> Option<String> {
    let [old, new] = zones;
    // Names below a name that is not a wildcard are hardly ever queried, unless a record points to
    // one.
    if !name.is_wildcard() && pointing.is_empty() {
        return None;
    }
    let every = format!("every name below {region} without records of its own");
    let points = match pointing.len() {
        0 => String::new(),
        n => {
            let verb = if n == 1 { "points" } else { "point" };
            format!(" ({} {verb} there: {})", count(n, "record"), at_most_five(pointing))
        }
    };
    match zones.map(|zone| AnswerSource::of(zone, difference.asked.as_str())) {
        [AnswerSource::Wildcard(star), AnswerSource::Nothing] if name.is_wildcard() => {
            Some(format!("{every} stops resolving: {} → {NO_NAME}{points}", answers(old, star)))
        }
        [AnswerSource::Wildcard(star), AnswerSource::Nothing] => {
            Some(format!("{every}: {} ({}) → {NO_NAME}{points}", answers(old, star), star.name()))
        }
        [AnswerSource::Nothing, AnswerSource::Wildcard(star)] => {
            Some(format!("{every}: {NO_NAME} → {}", answers(new, star)))
        }
        [AnswerSource::Wildcard(a), AnswerSource::Wildcard(b)] if a.name() != b.name() => {
            Some(format!(
                "{every}: {} ({}) → {} ({})",
                answers(old, a),
                a.name(),
                answers(new, b),
                b.name()
            ))
        }
        // A delegation has a sentence of its own.
        _ => None,
    }
}

/// Returns the name below which an edit of a name has effects: the parent of a wildcard, otherwise
/// the name itself.
pub(super) fn region(name: &Fqdn) -> Fqdn {
    name.as_str().strip_prefix("*.").map_or_else(|| name.clone(), Fqdn::reported)
}
