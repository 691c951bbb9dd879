//! The permissions of credentials.
//!
//! # Sources
//! `Edit` includes reading: developers.cloudflare.com/fundamentals/api/get-started/create-token,
//! read 2026-11.

use std::collections::BTreeMap;

use zonewright_model::facts::permissions::{Permission, PermissionAccess, PermissionGroup};

/// The permissions of credentials.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Permissions(BTreeMap<PermissionGroup, PermissionAccess>);

impl Permissions {
    /// Creates a set of all permissions, with write access.
    #[must_use]
    pub fn everything() -> Self {
        Self(PermissionGroup::ALL.iter().map(|group| (*group, PermissionAccess::Edit)).collect())
    }

    /// Sets the access to a group; `None` for no access.
    #[must_use]
    pub fn with(mut self, group: PermissionGroup, access: Option<PermissionAccess>) -> Self {
        match access {
            Some(access) => self.0.insert(group, access),
            None => self.0.remove(&group),
        };
        self
    }

    /// Sets the access to the rulesets of zones and accounts.
    #[must_use]
    pub fn with_rulesets(self, access: Option<PermissionAccess>) -> Self {
        self.with(PermissionGroup::ZoneWaf, access).with(PermissionGroup::AccountRulesets, access)
    }

    /// Returns true if the permission is included.
    #[must_use]
    pub fn allow(&self, wanted: Permission) -> bool {
        self.0.get(&wanted.group).is_some_and(|access| *access >= wanted.access)
    }
}

/// Finds a permission by its name in the dashboard or in the API's reference, such as `DNS Edit`.
#[must_use]
pub fn permission_by_name(name: &str) -> Option<Permission> {
    let is_it = |permission: &Permission| {
        let of_dashboard = permission.dashboard_name();
        let short = of_dashboard.split(" > ").skip(1).collect::<Vec<_>>().join(" ");
        [permission.api_name(), of_dashboard, short]
            .iter()
            .any(|own| own.eq_ignore_ascii_case(name))
    };
    PermissionGroup::ALL
        .iter()
        .flat_map(|group| [Permission::read(*group), Permission::edit(*group)])
        .find(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_found_by_each_of_their_names() {
        for group in PermissionGroup::ALL {
            for wanted in [Permission::read(*group), Permission::edit(*group)] {
                for name in
                    [wanted.api_name(), wanted.dashboard_name(), wanted.api_name().to_lowercase()]
                {
                    assert_eq!(permission_by_name(&name), Some(wanted), "{name}");
                }
            }
        }
        assert_eq!(permission_by_name("DNS Edit"), Some(Permission::edit(PermissionGroup::Dns)));
        assert_eq!(
            (permission_by_name("DNS"), permission_by_name(""), permission_by_name("Zone > DNS")),
            (None, None, None)
        );
    }
}
