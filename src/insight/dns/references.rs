//! References to a name: records that point to it, and rules about it.
//!
//! | record | refers to |
//! |---|---|
//! | CNAME, MX, NS, SRV, HTTPS, SVCB, PTR, NAPTR | its target |
//! | TXT with SPF | the names of `a:`, `mx:`, `include`, `exists` and `redirect` |
//! | TXT or CNAME at `_mta-sts.` | the host of the policy, if one is announced |

use std::collections::{BTreeSet, HashMap};

use super::answer::End;
use super::entry::Entry;
use super::zones::Zones;
use crate::insight::effect::at_most_five;
use crate::insight::mail::mta_sts_tls_reporting::{Announcement, mta_sts, mta_sts_host};
use crate::model::{Fqdn, Gather, RecordType, ZoneName};

/// A record that points to a name.
#[derive(Debug, Clone, Copy)]
pub struct Reference<'a> {
    /// The zone of the record.
    pub zone: &'a ZoneName,
    /// The record.
    pub entry: Entry<'a>,
}

/// A rule that is about a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    /// The zone of the rule.
    pub zone: ZoneName,
    /// Its display name.
    pub name: String,
    /// The hosts that its expression names.
    pub hosts: BTreeSet<String>,
}

/// References to some names.
#[derive(Debug, Clone, Default)]
pub struct References<'a> {
    records: HashMap<String, Vec<Reference<'a>>>,
    rules: Vec<HostRule>,
}

/// Describes the record that refers to a name.
pub(super) fn refers(reference: &Reference<'_>, zone: &ZoneName) -> String {
    format!("{} {}", zone.relative(reference.entry.name), reference.entry.data.type_name())
}

/// Calls `hear` with the names that a record refers to: its target, the names in an SPF record, and
/// the host of the policy that an MTA-STS record announces.
fn each_name(zones: &Zones<'_>, entry: &Entry<'_>, mut hear: impl FnMut(&Fqdn)) {
    entry.data.target().into_iter().for_each(&mut hear);
    entry.names_of_senders().iter().for_each(&mut hear);
    if entry.is(RecordType::Txt) || entry.is(RecordType::Cname) {
        policy_host(zones, entry.name).iter().for_each(&mut hear);
    }
}

/// Returns the host of the policy that is announced at a name (RFC 8461 section 3). An alias that
/// leaves the known zones may announce a policy, so it counts.
fn policy_host(zones: &Zones<'_>, name: &Fqdn) -> Option<Fqdn> {
    let host = mta_sts_host(name)?;
    let answer = zones.answer(name, RecordType::Txt);
    let is_announced = match &answer.end {
        End::Records(records) => {
            let texts: Vec<&[u8]> = records.iter().filter_map(Entry::text).collect();
            matches!(mta_sts(&texts), Announcement::Valid(_))
        }
        End::Elsewhere => true,
        _ => false,
    };
    is_announced.then_some(host)
}

impl<'a> References<'a> {
    /// Returns all references in some zones to names of these or other zones, in one pass over the
    /// records.
    #[must_use]
    pub fn of(zones: &Zones<'a>, is_wanted: impl Fn(&Fqdn) -> bool, rules: Vec<HostRule>) -> Self {
        let mut records: HashMap<String, Vec<Reference<'a>>> = HashMap::new();
        for zone in zones.iter() {
            for entry in zone.entries() {
                each_name(zones, &entry, |name| {
                    if name != entry.name && is_wanted(name) {
                        let to_name = records.entry(name.as_str().to_owned()).or_default();
                        to_name.push(Reference { zone: zone.name(), entry });
                    }
                });
            }
        }
        Self { records, rules }
    }

    /// Returns the records that point to a name.
    #[must_use]
    pub fn to(&self, name: &Fqdn) -> &[Reference<'a>] {
        self.records.get(name.as_str()).map_or(&[], Vec::as_slice)
    }

    /// Returns true if a rule is about a host of this name.
    #[must_use]
    pub fn has_rule_about(&self, name: &Fqdn) -> bool {
        self.rules.iter().any(|rule| rule.hosts.contains(name.as_str()))
    }

    /// Returns a sentence about the references to a name, if there are any. Aliases change with
    /// their target, which another sentence reports, so they count only if the name is removed.
    pub(super) fn about(&self, name: &Fqdn, zone: &ZoneName, goes: bool) -> Option<String> {
        let counts = |r: &&Reference<'_>| goes || !r.entry.is(RecordType::Cname);
        let records: BTreeSet<String> =
            self.to(name).iter().filter(counts).map(|r| refers(r, zone)).gather();
        let rules: BTreeSet<String> = self
            .rules
            .iter()
            .filter(|r| r.hosts.contains(name.as_str()))
            .map(|r| format!("rule {}", r.name))
            .gather();
        let noun =
            |n: usize, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
        let counts = match (records.len(), rules.len()) {
            (0, 0) => return None,
            (n, 0) => noun(n, "record"),
            (0, n) => noun(n, "WAF rule"),
            (n, m) => format!("{} and {}", noun(n, "record"), noun(m, "WAF rule")),
        };
        let verb = if records.len() + rules.len() == 1 { "refers" } else { "refer" };
        let names: Vec<String> = records.into_iter().chain(rules).collect();
        Some(format!("{counts} {verb} to this name: {}", at_most_five(&names)))
    }

    /// Returns the records that point to names below a name that do not exist afterwards.
    pub(super) fn below(&self, name: &Fqdn, after: &Zones<'_>) -> Vec<String> {
        let suffix = format!(".{name}");
        let is_gone = |target: &str| {
            after.zone_of(&Fqdn::reported(target)).is_some_and(|zone| zone.node(target).is_none())
        };
        let pointing =
            self.records.iter().filter(|(target, _)| target.ends_with(&suffix) && is_gone(target));
        let names: BTreeSet<String> = pointing
            .flat_map(|(_, all)| all)
            .map(|r| format!("{} {}", r.entry.name, r.entry.data.type_name()))
            .gather();
        names.into_iter().collect()
    }
}
