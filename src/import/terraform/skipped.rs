//! Leaves out the resources that the user skips with `--skip ADDRESS`.

use std::collections::BTreeSet;

use super::Resource;
use super::value::Term;
use crate::diagnostic::findings;
use crate::import::import_result::{ImportResult, Translation};

/// Returns true if a skip names a directory or a file instead of an address: it is `.` or has a
/// slash outside of the keys of an address.
pub(in crate::import) fn is_path(skip: &str) -> bool {
    let outside = skip.split(['[', '"']).next().unwrap_or_default();
    outside.contains('/') || outside.starts_with('.') || std::path::Path::new(skip).exists()
}

/// Removes the skipped resources and reports them. Returns the skips that match something.
pub(super) fn take_out(
    resources: &mut Vec<Resource>,
    skips: &[&str],
    found: &mut ImportResult,
) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    resources.retain_mut(|resource| {
        if resource.kind.starts_with("data.") {
            return true;
        }
        for skip in skips {
            if is_of(&resource.address, skip) {
                used.insert((*skip).to_owned());
                found.leaving.resource(&resource.address, false);
                report(resource, &resource.address, skip, found);
                return false;
            }
            let setting = skip
                .strip_prefix(&*resource.address)
                .and_then(|rest| rest.strip_prefix(".settings."));
            if let Some(setting) = setting
                && take_setting(&mut resource.values, setting)
            {
                used.insert((*skip).to_owned());
                found.leaving.resource(&resource.address, false);
                report(resource, skip, skip, found);
            }
        }
        true
    });
    used
}

/// Returns true if a skip matches an address: that of the resource, an instance, or a containing
/// module.
fn is_of(address: &str, skip: &str) -> bool {
    let tail = address.strip_prefix(skip);
    tail.is_some_and(|rest| {
        rest.is_empty() || rest.starts_with('[') || rest.starts_with('.') && is_module(skip)
    })
}

/// Returns true for the address of a module.
fn is_module(address: &str) -> bool {
    let mut last_but_one = address.rsplit('.').skip(1);
    last_but_one.next() == Some("module")
}

/// Removes a setting of `cloudflare_zone_settings_override`. Returns false if there is none.
fn take_setting(values: &mut Term, name: &str) -> bool {
    let Term::Map(members) = values else { return false };
    let settings = match members.get_mut("settings") {
        Some(Term::List(list)) => list.first_mut(),
        other => other,
    };
    match settings {
        Some(Term::Map(settings)) => settings.remove(name).is_some(),
        _ => false,
    }
}

/// Counts and reports a skipped entry.
fn report(resource: &Resource, what: &str, skip: &str, found: &mut ImportResult) {
    if !resource.kind.starts_with("cloudflare_") {
        return;
    }
    found.count(&resource.kind, Translation::LeftOut);
    found.report(
        findings::SKIPPED,
        what,
        resource.place,
        &format!("`--skip {skip}` names it"),
        None,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_names_a_resource_its_instances_or_a_module() {
        for (address, skip, expected) in [
            ("cloudflare_record.www", "cloudflare_record.www", true),
            ("cloudflare_record.www[\"a\"]", "cloudflare_record.www", true),
            ("cloudflare_record.www[\"a\"]", "cloudflare_record.www[\"a\"]", true),
            ("cloudflare_record.www[\"ab\"]", "cloudflare_record.www[\"a\"]", false),
            ("cloudflare_record.www2", "cloudflare_record.www", false),
            ("module.dns[0].cloudflare_record.a", "module.dns", true),
            ("module.dns.cloudflare_record.a", "module.dns", true),
            ("module.dns2.cloudflare_record.a", "module.dns", false),
            ("module.a.module.b.cloudflare_record.a", "module.a.module.b", true),
            ("cloudflare_record.a", "cloudflare_record", false),
        ] {
            assert_eq!(is_of(address, skip), expected, "{address} {skip}");
        }
        assert!(is_path("environments/staging") && is_path("./a.tfstate") && is_path("."));
        assert!(!is_path("cloudflare_record.a[\"x/y\"]") && !is_path("module.a"));
    }
}
