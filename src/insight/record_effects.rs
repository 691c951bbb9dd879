//! Finds the effects of edits on the records of a zone, and the edits that cause each effect.
//!
//! Each edit belongs to subjects, such as the SPF record of a name or its delegation. A subject is
//! compared before and after all edits together. If an effect needs a consent, the edits that cause
//! it alone are the edits that need the consent.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::dns::{Entry, RecordEdit, ZoneIndex};
use super::effect::{Caused, Effect};
use super::exposed_origin::{Hidden, uncovered_by_removal};
use super::mail::left_behind::left_behind;
use super::mail::{
    dkim_change, dmarc_change, mta_sts_tls_reporting, mx_change, spf, spf_change, tlsa_change,
    used_elsewhere,
};
use super::mistyped_names::mistyped;
use super::other_zones::OtherZones;
use super::verification;
use super::zone_view::View;
use super::{addresses, delegation, hidden_alias, issuance, services, takeover};
use crate::model::{Fqdn, Gather, Rdata, RecordType, sort_by};

/// Number of edits of one subject above which all of them count as the cause.
const MOST_EDITS: usize = 16;

/// A part of a zone that is compared as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Delegation(Fqdn),
    Issuance(Fqdn),
    Mail(Fqdn),
    Service(Fqdn),
    Endpoint(Fqdn),
    Reverse(Fqdn),
    Spf(Fqdn),
    Dkim(Fqdn),
    Dmarc(Fqdn),
    Transport(Fqdn),
    Addresses(Fqdn),
    Token(Fqdn),
    Verification(Fqdn),
    Alias(Fqdn),
    HiddenAlias(Fqdn),
    Pins(Fqdn),
    UsedElsewhere(Fqdn),
}

impl Subject {
    /// Returns the subjects that a change of this record affects.
    fn of(record: &Entry<'_>) -> Vec<Self> {
        let name = record.name.clone();
        let mut subjects = Vec::new();
        match record.record_type() {
            Some(RecordType::Ns | RecordType::Ds | RecordType::Dnskey) => {
                subjects.push(Self::Delegation(name.clone()))
            }
            Some(RecordType::Caa) => subjects.push(Self::Issuance(name.clone())),
            Some(RecordType::Mx) => subjects.push(Self::Mail(name.clone())),
            Some(RecordType::Srv) => subjects.push(Self::Service(name.clone())),
            Some(RecordType::Https | RecordType::Svcb) => {
                subjects.push(Self::Endpoint(name.clone()))
            }
            Some(RecordType::Ptr) => subjects.push(Self::Reverse(name.clone())),
            Some(RecordType::A | RecordType::Aaaa) => {
                subjects.extend([Self::Addresses(name.clone()), Self::Endpoint(name.clone())]);
                subjects.extend(
                    mta_sts_tls_reporting::announcement_of_host(&name).map(Self::Transport),
                );
            }
            Some(RecordType::Cname) => {
                subjects.extend([
                    Self::Alias(name.clone()),
                    Self::HiddenAlias(name.clone()),
                    Self::Issuance(name.clone()),
                    Self::Mail(name.clone()),
                    Self::Spf(name.clone()),
                ]);
                subjects.extend(
                    mta_sts_tls_reporting::announcement_of_host(&name).map(Self::Transport),
                );
            }
            Some(RecordType::Tlsa) => subjects.push(Self::Pins(name.clone())),
            Some(RecordType::Txt) if record.text().is_some_and(spf::is_spf) => {
                subjects.push(Self::Spf(name.clone()))
            }
            Some(RecordType::Txt) if verification::is_verification(record) => {
                subjects.push(Self::Verification(name.clone()))
            }
            _ => {}
        }
        if record.is(RecordType::Txt) || record.is(RecordType::Cname) {
            if dkim_change::selector(&name).is_some() {
                subjects.push(Self::Dkim(name.clone()));
            }
            subjects.extend(dmarc_change::domain(&name).map(Self::Dmarc));
            if mta_sts_tls_reporting::announced(&name).is_some() {
                subjects.push(Self::Transport(name.clone()));
            }
            if takeover::is_provider_token(&name) {
                subjects.push(Self::Token(name));
            }
        }
        subjects
    }

    /// Returns true if the subject can change with a record that its own records lead to.
    fn depends_on(&self, record: &Entry<'_>) -> bool {
        let is_mail = record.is(RecordType::Mx);
        match self {
            Self::Mail(name) | Self::Issuance(name) if name != record.name => {
                record.leads_to_a_server() || is_mail || record.is(RecordType::Caa)
            }
            Self::Mail(_) | Self::Issuance(_) => false,
            Self::Spf(_) => true,
            _ => record.leads_to_a_server(),
        }
    }

    /// Returns the effects of a change of the subject.
    fn compare(
        &self,
        before: View<'_, '_>,
        after: View<'_, '_>,
        others: OtherZones<'_>,
    ) -> Vec<Effect> {
        match self {
            Self::Delegation(name) => delegation::compare_delegations(name, before, after),
            Self::Issuance(name) => issuance::compare_issuance(name, before, after),
            Self::Mail(name) => mx_change::compare_mail_servers(name, before, after),
            Self::Service(name) => services::compare_services(name, before, after),
            Self::Endpoint(name) => services::endpoints(name, before, after),
            Self::Reverse(name) => services::reverse(name, before, after),
            Self::Spf(name) => spf_change::compare_spf(name, before, after, others),
            Self::Dkim(name) => dkim_change::compare_keys(name, before, after),
            Self::Dmarc(domain) => dmarc_change::compare_dmarc(domain, before, after),
            Self::Transport(name) => {
                mta_sts_tls_reporting::compare_announcements(name, before, after)
            }
            Self::Addresses(name) => addresses::compare_addresses(name, before, after, others),
            Self::Token(name) => takeover::token_removed(name, before, after),
            Self::Verification(name) => verification::compare_verifications(name, before, after),
            Self::Alias(name) => takeover::pointed(name, before, after),
            Self::HiddenAlias(name) => hidden_alias::compare_aliases(name, before, after),
            Self::Pins(name) => tlsa_change::compare_tlsa(name, before, after),
            Self::UsedElsewhere(name) => used_elsewhere::compare_users(name, before, after, others),
        }
    }
}

/// Returns the effects of edits, each with the indices of the edits that cause it; the most
/// important effect first.
///
/// `before` is the zone without the edits, `after` the zone with all edits, `others` the other
/// zones of the spec. Takes time in proportion to the edits, and to the zone if one of the edits
/// can affect all of it.
#[must_use]
pub fn effects<'a>(
    before: &ZoneIndex<'a>,
    after: &ZoneIndex<'a>,
    edits: &[RecordEdit<'a>],
    others: OtherZones<'_>,
) -> Vec<Caused> {
    let mut caused = by_subject(before, after, edits, others);
    let hidden = Hidden::of(View(before), edits.iter().filter_map(|s| s.after.as_ref()), others);
    // The result is cached, because a name can have hundreds of new records.
    let mut proxied: HashMap<&Fqdn, bool> = HashMap::new();
    for (n, edit) in edits.iter().enumerate() {
        let Some(record) = &edit.after else {
            let removed = edit.before.as_ref();
            let uncovered =
                removed.and_then(|r| uncovered_by_removal(r, View(before), View(after)));
            caused.extend(uncovered.map(|effect| (Rc::from([n]), effect)));
            continue;
        };
        let is_new =
            edit.before.is_none_or(|b| b.data != record.data || b.proxied != record.proxied);
        if is_new {
            let is_proxied = || View(before).at(record.name).iter().any(|r| r.proxied);
            let was_proxied = *proxied.entry(record.name).or_insert_with(is_proxied);
            let exposed = hidden.exposed_by(record, was_proxied, View(after));
            caused.extend(exposed.into_iter().map(|e| (Rc::from([n]), e)));
        }
    }
    caused.extend(mistyped(before, after, edits, others));
    caused.extend(left_behind(View(after), edits));
    sort_by(&mut caused, |(a, x), (b, y)| {
        let weight = (x.danger.is_none(), x.topic).cmp(&(y.danger.is_none(), y.topic));
        weight.then_with(|| if Rc::ptr_eq(a, b) { Ordering::Equal } else { a.cmp(b) })
    });
    caused
}

/// Returns the effects on the subjects of the edits.
fn by_subject<'a>(
    before: &ZoneIndex<'a>,
    after: &ZoneIndex<'a>,
    edits: &[RecordEdit<'a>],
    others: OtherZones<'_>,
) -> Vec<Caused> {
    let mut subjects: BTreeMap<Subject, Vec<usize>> = BTreeMap::new();
    let served = served_by(before, after, edits);
    let included = included_by(before, after, edits, &served);
    for (n, edit) in edits.iter().enumerate() {
        let records = edit.before.iter().chain(&edit.after);
        let own_subjects = records.clone().flat_map(Subject::of);
        let dependents = records
            .clone()
            .filter_map(|r| Some((r, served.get(r.name)?)))
            .flat_map(|(r, subjects)| subjects.iter().filter(|subject| subject.depends_on(r)));
        let domains = dependents.flat_map(|subject| {
            let outer = match subject {
                Subject::Spf(name) => included.get(name),
                _ => None,
            };
            let outer = outer.into_iter().flatten().map(|name| Subject::Spf(name.clone()));
            std::iter::once(subject.clone()).chain(outer)
        });
        let senders = records
            .filter(|r| r.is(RecordType::Txt))
            .filter_map(|r| included.get(r.name))
            .flatten();
        let is_used_elsewhere = |r: &&Entry<'_>| {
            (r.is(RecordType::Txt) || r.is(RecordType::Cname))
                && others.lends(r.name, before.name())
        };
        let used = edit
            .before
            .iter()
            .chain(&edit.after)
            .filter(is_used_elsewhere)
            .map(|r| Subject::UsedElsewhere(r.name.clone()));
        let other_subjects =
            domains.chain(senders.map(|name| Subject::Spf(name.clone()))).chain(used);
        for subject in own_subjects.chain(other_subjects) {
            let numbers = subjects.entry(subject).or_default();
            if numbers.last() != Some(&n) {
                numbers.push(n);
            }
        }
    }
    // A record that only other records of the zone include is reported with them, because no mail
    // uses such a domain (RFC 5321 section 4.1.2).
    let is_part = |name: &Fqdn| {
        name.has_underscored_label() && included.get(name).is_some_and(|o| !o.is_empty())
    };
    subjects.retain(|subject, _| !matches!(subject, Subject::Spf(name) if is_part(name)));
    let mut caused = Vec::new();
    let mut scratch: Option<ZoneIndex<'a>> = None;
    for (subject, numbers) in subjects {
        let numbers: Rc<[usize]> = numbers.into();
        for effect in subject.compare(View(before), View(after), others) {
            let mut guilty = Rc::clone(&numbers);
            if let Some(danger) =
                effect.danger.filter(|_| (2..=MOST_EDITS).contains(&numbers.len()))
            {
                let zone = scratch.get_or_insert_with(|| before.clone());
                let mut is_enough = |n: &usize| {
                    edits[*n].apply(zone);
                    let alone = subject.compare(View(before), View(zone), others);
                    edits[*n].revert(zone);
                    alone.iter().any(|e| e.danger == Some(danger))
                };
                let alone: Vec<usize> = numbers.iter().copied().filter(|n| is_enough(n)).collect();
                if !alone.is_empty() {
                    guilty = alone.into();
                }
            }
            caused.push((guilty, effect));
        }
    }
    caused
}

/// Returns the subjects that depend on the names of the edits: the domains whose mail a host
/// receives or sends, the services that it offers, the delegations to it, and the aliases of names
/// with records for mail and certificates.
fn served_by<'a>(
    before: &ZoneIndex<'a>,
    after: &ZoneIndex<'a>,
    edits: &[RecordEdit<'a>],
) -> HashMap<&'a Fqdn, Vec<Subject>> {
    let mut served: HashMap<&Fqdn, Vec<Subject>> = HashMap::new();
    let is_used = |entry: &Entry<'_>| {
        entry.leads_to_a_server()
            || matches!(entry.record_type(), Some(RecordType::Mx | RecordType::Caa))
            || entry.text().is_some_and(spf::is_spf)
    };
    for host in edits.iter().filter_map(RecordEdit::entry).filter(is_used) {
        served.entry(host.name).or_default();
    }
    if served.is_empty() {
        return served;
    }
    for record in before.entries().chain(edits.iter().filter_map(|edit| edit.after)) {
        let name = record.name;
        if matches!(record.data, Rdata::Txt(_)) {
            for host in record.hosts_of_senders([View(before), View(after)]) {
                if let Some(own) = served.get_mut(&host) {
                    add_subject(own, Subject::Spf(name.clone()));
                }
            }
            continue;
        }
        let Some(own) = record.data.target().and_then(|target| served.get_mut(target)) else {
            continue;
        };
        match record.data {
            Rdata::Mx(_) => add_subject(own, Subject::Mail(name.clone())),
            Rdata::Srv(_) => add_subject(own, Subject::Service(name.clone())),
            Rdata::Ns(_) => add_subject(own, Subject::Delegation(name.clone())),
            Rdata::Https(_) | Rdata::Svcb(_) => add_subject(own, Subject::Endpoint(name.clone())),
            Rdata::Cname(_) => {
                add_subject(own, Subject::Mail(name.clone()));
                add_subject(own, Subject::Spf(name.clone()));
                add_subject(own, Subject::Issuance(name.clone()));
            }
            _ => {}
        }
    }
    served
}

/// Adds a subject that is not there yet.
fn add_subject(subjects: &mut Vec<Subject>, subject: Subject) {
    if !subjects.contains(&subject) {
        subjects.push(subject);
    }
}

/// Returns the names whose SPF records include one that is edited or that depends on an edited host,
/// directly or indirectly. Reads the zone only if there is one.
fn included_by(
    before: &ZoneIndex<'_>,
    after: &ZoneIndex<'_>,
    edits: &[RecordEdit<'_>],
    served: &HashMap<&Fqdn, Vec<Subject>>,
) -> BTreeMap<Fqdn, BTreeSet<Fqdn>> {
    let is_spf = |entry: &Entry<'_>| entry.text().is_some_and(spf::is_spf);
    let touched =
        edits.iter().flat_map(|edit| edit.before.into_iter().chain(edit.after)).filter(is_spf);
    let of_hosts = served.values().flatten().filter_map(|subject| match subject {
        Subject::Spf(name) => Some(name),
        _ => None,
    });
    let touched: BTreeSet<&Fqdn> = touched.map(|entry| entry.name).chain(of_hosts).collect();
    if touched.is_empty() {
        return BTreeMap::new();
    }
    let mut direct: BTreeMap<Fqdn, BTreeSet<Fqdn>> = BTreeMap::new();
    for record in before.entries().chain(after.entries()).filter(is_spf) {
        for inner in record.included() {
            direct.entry(inner).or_default().insert(record.name.clone());
        }
    }
    let including_names = |name: &Fqdn| {
        let (mut found, mut next) = (BTreeSet::new(), vec![name.clone()]);
        while let Some(name) = next.pop() {
            let outer = direct
                .get(&name)
                .into_iter()
                .flatten()
                .filter(|outer| found.insert((*outer).clone()));
            next.extend(outer.cloned());
        }
        found
    };
    touched.into_iter().map(|name| (name.clone(), including_names(name))).gather()
}
