//! Permissions that a spec needs.

use std::collections::BTreeSet;

use super::permission_probes::{ProbedKind, Tried};
use crate::document::doctor::{Allowed, Check};
use crate::live::WafQuery;
use crate::model::facts::permissions::{Permission, PermissionAccess};
use crate::model::{DesiredZone, Gather, Unmanaged};

/// Needed permissions, by kind and access.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Needs(BTreeSet<(ProbedKind, PermissionAccess)>);

impl Needs {
    /// Collects the permissions for planning and applying a zone.
    pub(super) fn of(zone: &DesiredZone) -> Self {
        let DesiredZone { create, settings, waf, records, tombstones, unmanaged, .. } = zone;
        let mut needs = Self::default();
        // Planning looks up the zone and reads all of its records.
        needs.add(ProbedKind::ZONE, *create);
        needs.add(
            ProbedKind::RECORDS,
            !records.is_empty() || !tombstones.is_empty() || *unmanaged == Unmanaged::Prune,
        );
        if !settings.settings.is_empty() {
            needs.add(ProbedKind::SETTINGS, true);
        }
        if settings.dnssec.is_some() {
            needs.add(ProbedKind::DNSSEC, true);
        }
        if !settings.dns_settings.is_empty() {
            needs.add(ProbedKind::DNS_SETTINGS, true);
        }
        if waf.is_some() || zone.expects_of_requests() {
            needs.add(ProbedKind::RULESETS, waf.is_some());
        }
        // The account, not the zone, lists the managed rulesets for a zone that does not exist yet.
        if *create && waf.as_deref().is_some_and(|waf| !WafQuery::of(waf).managed.is_empty()) {
            needs.add(ProbedKind::ACCOUNT_RULESETS, false);
        }
        needs
    }

    /// Returns the permissions that every command needs to find zones.
    pub(super) fn to_find_zones() -> Self {
        let mut needs = Self::default();
        needs.add(ProbedKind::ZONE, false);
        needs
    }

    /// Merges the permissions that several zones need.
    pub(super) fn of_all<'z>(zones: impl Iterator<Item = &'z DesiredZone>) -> Self {
        Self(zones.flat_map(|zone| Self::of(zone).0).collect())
    }

    /// Adds read access, and write access if the kind is written.
    fn add(&mut self, kind: ProbedKind, is_written: bool) {
        self.0.insert((kind, PermissionAccess::Read));
        if is_written {
            self.0.insert((kind, PermissionAccess::Edit));
        }
    }

    /// Returns the permissions of the smallest sufficient token. Write access includes read access.
    pub(super) fn smallest(&self) -> BTreeSet<Permission> {
        let permissions: BTreeSet<Permission> =
            self.0.iter().map(|(kind, access)| permission_of_kind(*kind, *access)).gather();
        permissions
            .iter()
            .filter(|p| {
                p.access == PermissionAccess::Edit
                    || !permissions.contains(&Permission::edit(p.group))
            })
            .copied()
            .gather()
    }

    /// Returns the rows of a kind: the result for reading, and the result for writing as far as it
    /// is known.
    pub(super) fn rows(&self, kind: ProbedKind, read: &Tried, write: Option<Tried>) -> Vec<Check> {
        let write = write.unwrap_or_else(|| match read {
            // A permission to write includes reading.
            Tried::No(why) => Tried::No(why.clone()),
            Tried::Yes | Tried::Unknown(_) => Tried::Unknown("reading cannot tell".to_owned()),
        });
        vec![
            self.row(kind, PermissionAccess::Read, read.clone()),
            self.row(kind, PermissionAccess::Edit, write),
        ]
    }

    fn row(&self, kind: ProbedKind, access: PermissionAccess, tried: Tried) -> Check {
        let (allowed, why) = match tried {
            Tried::Yes => (Allowed::Yes, None),
            Tried::No(why) => (Allowed::No, Some(why)),
            Tried::Unknown(why) => (Allowed::Unknown, Some(why)),
        };
        Check {
            what: kind.what,
            access: access.into(),
            permission: permission_of_kind(kind, access).into(),
            is_needed: self.0.contains(&(kind, access)),
            allowed,
            why,
        }
    }
}

fn permission_of_kind(kind: ProbedKind, access: PermissionAccess) -> Permission {
    Permission { group: kind.group, access }
}
