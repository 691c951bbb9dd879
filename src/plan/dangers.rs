//! What is dangerous about a zone's plan, seen as a whole: what a single operation does not show.
//!
//! | danger | when |
//! |---|---|
//! | delete | a record is deleted for any reason but to make room |
//! | changes-protected | a record marked so is changed or goes |
//! | exposes-origin | a proxied name becomes DNS only, or an address that was hidden so far is published under another |
//! | changes-apex-ns, changes-apex-mx | such records exist at the apex, and they change |
//! | changes-dnssec | DS or DNSKEY records that exist change, or signing is switched off |
//! | removes-last-address | a name had an address, alias or the like, and has none afterwards |
//! | falls-to-wildcard | a name is gone afterwards, and a wildcard answers for it |

use std::collections::{BTreeMap, BTreeSet};

use super::subject::{RecordAction, RecordSubject};
use super::zone_plan::ZonePlan;
use crate::diff::DeleteReason;
use crate::model::{Danger, DesiredZone, Fqdn, LiveZone, Rdata, RecordForm, RecordId, RecordType};

/// How many values of a wildcard are named.
const MOST_ANSWERS: usize = 4;

/// Names the dangers of a zone's operations on its records, and notes what the spec accepts.
pub(super) fn assign(plan: &mut ZonePlan, desired: &DesiredZone, live: &LiveZone) {
    let view = View::new(plan, live);
    let found: Vec<(usize, Vec<Danger>)> = plan.records().map(|(n, _, record)| (n, view.of(record))).collect();
    let notes: BTreeSet<String> = plan.records().filter_map(|(_, _, record)| view.wildcard_note(record)).collect();
    for (n, dangers) in found {
        let own = &mut plan.operations[n].dangers;
        own.extend(dangers);
        own.sort();
        own.dedup();
    }
    plan.notes.extend(notes);
    accept(plan, desired);
}

/// Notes which dangers the spec accepts, for the thing concerned or for the zone.
fn accept(plan: &mut ZonePlan, desired: &DesiredZone) {
    let of_zone = &desired.allow;
    plan.accepted.clone_from(of_zone);
    let waiver = desired.waf.as_ref().and_then(|w| w.accept_weakening.as_ref()).map(|(words, _)| words.clone());
    for operation in &mut plan.operations {
        let own = std::mem::take(&mut operation.accepted);
        let waiver = waiver.clone().filter(|_| operation.rule().is_some());
        let weakening = waiver.map(|words| (Danger::WeakensProtection, words));
        operation.accepted = of_zone.clone().into_iter().chain(weakening).chain(own).collect();
        operation.accepted.retain(|danger, _| operation.dangers.contains(danger));
    }
}

/// A zone before and after its plan.
struct View<'a> {
    apex: &'a Fqdn,
    /// Types that stand at the apex now.
    at_apex: BTreeSet<RecordType>,
    /// How many records with addresses each name of the plan has, before and after.
    addresses: BTreeMap<&'a Fqdn, (usize, usize)>,
    /// Names that are there afterwards, with all names above them.
    names_after: BTreeSet<String>,
    /// Those of them that have another one below them.
    inner: BTreeSet<String>,
    /// Wildcards that are there afterwards, without `*.`, with what they answer.
    wildcards: BTreeMap<String, BTreeSet<String>>,
    /// Addresses of proxied names now; what is new has not been hidden yet.
    hidden: BTreeSet<&'a Rdata>,
    /// Addresses that anybody can look up already.
    public: BTreeSet<&'a Rdata>,
    /// Names that were proxied and are not deleted and made again as such.
    was_proxied: BTreeSet<&'a Fqdn>,
}

/// Whether records of this type lead a client to a server.
fn has_address(data: &Rdata) -> bool {
    matches!(
        data.record_type(),
        Some(RecordType::A | RecordType::Aaaa | RecordType::Cname | RecordType::Https | RecordType::Svcb)
    )
}

/// Whether a record's value is an address.
fn is_address(data: &Rdata) -> bool {
    matches!(data.record_type(), Some(RecordType::A | RecordType::Aaaa))
}

/// What a wildcard answers with, and for how long that is remembered.
fn answer(form: &RecordForm) -> String {
    let kind = form.data.type_name();
    let content = form.data.presentation();
    match form.facets.ttl {
        _ if is_proxied(form) => format!("{kind} {content} (proxied)"),
        Some(ttl) if !ttl.is_automatic() => format!("{kind} {content} (ttl {ttl})"),
        _ => format!("{kind} {content} (ttl auto)"),
    }
}

/// Whether a record hides its address.
fn is_proxied(form: &RecordForm) -> bool {
    form.facets.proxied == Some(true)
}

impl<'a> View<'a> {
    /// Looks at a zone. Costs as much as the zone has records, if anything is planned at all.
    fn new(plan: &'a ZonePlan, live: &'a LiveZone) -> Self {
        let mut view = Self {
            apex: live.name.as_fqdn(),
            at_apex: BTreeSet::new(),
            addresses: BTreeMap::new(),
            names_after: BTreeSet::new(),
            inner: BTreeSet::new(),
            wildcards: BTreeMap::new(),
            hidden: BTreeSet::new(),
            public: BTreeSet::new(),
            was_proxied: BTreeSet::new(),
        };
        if plan.records().next().is_none() {
            return view;
        }
        let deleted = plan.records().filter_map(|(_, _, record)| match &record.action {
            RecordAction::Delete { id, .. } => Some(id),
            RecordAction::Create { .. } | RecordAction::Update { .. } => None,
        });
        let gone: BTreeSet<&RecordId> = deleted.collect();
        let deletes_names = !gone.is_empty();
        for (_, _, record) in plan.records() {
            view.addresses.entry(&record.form().name).or_default();
        }
        for record in &live.records {
            if record.name == *view.apex {
                view.at_apex.extend(record.data.record_type());
            }
            let stays = !gone.contains(&record.id);
            if has_address(&record.data)
                && let Some((had, has)) = view.addresses.get_mut(&record.name)
            {
                *had += 1;
                *has += usize::from(stays);
            }
            if is_address(&record.data) {
                if record.proxied {
                    view.hidden.insert(&record.data);
                } else {
                    view.public.insert(&record.data);
                }
            }
            if record.proxied {
                view.was_proxied.insert(&record.name);
            }
            if stays && deletes_names {
                view.keep(&record.name, || record.form());
            }
        }
        for (_, _, record) in plan.records() {
            if let RecordAction::Create { after } = &record.action {
                if has_address(&after.data)
                    && let Some((_, has)) = view.addresses.get_mut(&after.name)
                {
                    *has += 1;
                }
                view.keep(&after.name, || after.clone());
            }
        }
        view
    }

    /// A name is there afterwards with this record, and so are all names above it.
    fn keep(&mut self, name: &Fqdn, form: impl FnOnce() -> RecordForm) {
        let mut text = name.as_str();
        if let Some(parent) = text.strip_prefix("*.") {
            self.wildcards.entry(parent.to_owned()).or_default().insert(answer(&form()));
        }
        while self.names_after.insert(text.to_owned()) {
            match text.split_once('.') {
                Some((_, parent)) if parent.len() >= self.apex.as_str().len() => {
                    self.inner.insert(parent.to_owned());
                    text = parent;
                }
                _ => break,
            }
        }
    }

    /// The wildcard, without `*.`, that answers for a name while it is not there: that of the closest name above it which is.
    fn covering<'n>(&self, name: &'n Fqdn) -> Option<&'n str> {
        let mut text = name.as_str();
        while let Some((_, parent)) = text.split_once('.') {
            if self.wildcards.contains_key(parent) {
                return Some(parent);
            }
            if self.names_after.contains(parent) || parent.len() < self.apex.as_str().len() {
                return None;
            }
            text = parent;
        }
        None
    }

    /// Whether a wildcard answers for a name afterwards.
    fn falls_to_wildcard(&self, name: &Fqdn) -> bool {
        !self.names_after.contains(name.as_str()) && self.covering(name).is_some()
    }

    /// What answers for a name that goes, or for a moment while it is made anew.
    fn wildcard_note(&self, record: &RecordSubject) -> Option<String> {
        let RecordAction::Delete { before, reason, .. } = &record.action else { return None };
        let (name, shown) = (&before.name, &record.shown_name);
        let stays = self.names_after.contains(name.as_str());
        let is_replaced = stays && *reason == DeleteReason::InTheWay && !self.inner.contains(name.as_str());
        if stays && !is_replaced {
            return None;
        }
        let parent = self.covering(name)?;
        let answers: Vec<&str> = self.wildcards.get(parent)?.iter().take(MOST_ANSWERS).map(String::as_str).collect();
        let answers = answers.join(", ");
        Some(if stays {
            format!(
                "{shown} is replaced in one transaction; where the service has no batches, *.{parent} answers for it in \
                 between: {answers}"
            )
        } else {
            format!("{shown}: once it is gone, *.{parent} answers for it: {answers}")
        })
    }

    /// The dangers of what is done to a record.
    fn of(&self, record: &RecordSubject) -> Vec<Danger> {
        let (before, after) = (record.action.before(), record.action.after());
        let (name, data) = (&record.form().name, &record.form().data);
        let mut dangers = Vec::new();
        let kind = data.record_type();
        let exists = kind.is_some_and(|kind| self.at_apex.contains(&kind));
        if name == self.apex && (before.is_some() || exists) {
            dangers.extend(match kind {
                Some(RecordType::Ns) => Some(Danger::ChangesApexNs),
                Some(RecordType::Mx) => Some(Danger::ChangesApexMx),
                _ => None,
            });
        }
        if before.is_some() && matches!(kind, Some(RecordType::Ds | RecordType::Dnskey)) {
            dangers.push(Danger::ChangesDnssec);
        }
        if let Some(after) = after.filter(|a| !is_proxied(a)) {
            let unhidden = before.is_some_and(is_proxied);
            // Deleted and made again under the same name without its cover.
            let uncovered = before.is_none() && has_address(&after.data) && self.was_proxied.contains(name);
            let published =
                is_address(&after.data) && self.hidden.contains(&after.data) && !self.public.contains(&after.data);
            let is_new_value = before.is_none_or(|b| b.data != after.data);
            if unhidden || uncovered || (published && is_new_value) {
                dangers.push(Danger::ExposesOrigin);
            }
        }
        if after.is_none() {
            if has_address(data) && self.addresses.get(name).is_some_and(|(had, has)| *had > 0 && *has == 0) {
                dangers.push(Danger::RemovesLastAddress);
            }
            if self.falls_to_wildcard(name) {
                dangers.push(Danger::FallsToWildcard);
            }
        }
        dangers
    }
}
