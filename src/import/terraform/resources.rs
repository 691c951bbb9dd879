//! Translates resources of Cloudflare's provider, version 4 or 5.
//!
//! # Sources
//! registry.terraform.io/providers/cloudflare/cloudflare, documentation of 4.52 and 5.x, read
//! 2026-11-22.

use std::collections::BTreeMap;

use super::not_imported::{Refusal, UnknownZone, not_managed, refuse, without_zone};
use super::record_resource::record;
use super::rulesets::{self, FirewallRule};
use super::setting_resources::{dns_settings, dnssec, settings_override, zone, zone_setting};
use super::value::{Missing, Term};
use super::zones::Zones;
use super::{ASSIGNED, GivenZones, Resource, rate_limits, rivals, skipped};
use crate::diagnostic::{Place, findings};
use crate::import::import_result::{ImportResult, Translation};

/// Kinds that are translated and have values of their own.
const TRANSLATED: &[&str] = &[
    "cloudflare_record",
    "cloudflare_dns_record",
    "cloudflare_zone_settings_override",
    "cloudflare_zone_setting",
    "cloudflare_zone_dns_settings",
    "cloudflare_ruleset",
    "cloudflare_filter",
    "cloudflare_firewall_rule",
    "cloudflare_rate_limit",
];
/// Members that refer to another resource by its id.
const REFERENCES: &[&str] = &["id", "zone_id", "account_id", "filter_id"];

/// Adds the content of the resources.
pub(in crate::import) fn translate(
    mut resources: Vec<Resource>,
    given: &GivenZones,
    found: &mut ImportResult,
) {
    let skips: Vec<&str> =
        given.skip.iter().map(String::as_str).filter(|skip| !skipped::is_path(skip)).collect();
    let used = skipped::take_out(&mut resources, &skips, found);
    let is_known = |skip: &str| used.contains(skip) || found.leaving.knows(skip);
    let unknown: Vec<&str> = skips.into_iter().filter(|skip| !is_known(skip)).collect();
    for skip in unknown {
        let why = "no resource has this address; write it as the messages do, such as \
            `module.dns.cloudflare_record.www`";
        found.report(findings::NAMES_NOTHING, &format!("--skip {skip}"), Place::NOWHERE, why, None);
    }
    let resources = &resources;
    let zones = &Zones::new(resources, given);
    let mut unknown_zones: BTreeMap<UnknownZone, Vec<&Resource>> = BTreeMap::new();
    let mut rules: Vec<FirewallRule<'_>> = Vec::new();
    let mut rate_limits = rate_limits::Translated::new();
    rivals::report_records(resources, zones, found);
    for resource in resources {
        let outcome = match resource.kind.as_str() {
            kind if kind.starts_with("data.") || !kind.starts_with("cloudflare_") => continue,
            _ if matches!(resource.values, Term::Missing(_)) => {
                let missing = resource.values.missing();
                let why = missing.map(|missing| missing.why.clone());
                Err(Refusal::Untranslatable(why.unwrap_or_default()))
            }
            kind if TRANSLATED.contains(&kind) && has_assigned_id(&resource.values) => {
                let why = "it contains an id that Cloudflare assigns, which is not in these files";
                Err(Missing::unknown(why, resource.place).into())
            }
            "cloudflare_record" | "cloudflare_dns_record" => record(resource, zones, found),
            "cloudflare_zone" => zone(resource, found),
            "cloudflare_zone_settings_override" => settings_override(resource, zones, found),
            "cloudflare_zone_setting" => zone_setting(resource, zones, found),
            "cloudflare_zone_dnssec" => dnssec(resource, zones, found),
            "cloudflare_zone_dns_settings" => dns_settings(resource, zones, found),
            "cloudflare_ruleset" => rulesets::ruleset(resource, zones, found),
            "cloudflare_rate_limit" => {
                rate_limits::rate_limit(resource, zones, &mut rate_limits, found)
            }
            // A filter is translated with its firewall rule.
            "cloudflare_filter" => continue,
            "cloudflare_firewall_rule" => match zones.of(resource) {
                Ok(zone) => {
                    rules.push(FirewallRule { zone, resource });
                    continue;
                }
                Err(refusal) => Err(refusal),
            },
            _ => Err(Refusal::Untranslatable(not_managed(resource))),
        };
        found.leaving.resource(&resource.address, matches!(outcome, Ok(Translation::Whole)));
        match outcome {
            Ok(_) => {}
            Err(Refusal::Zone(zone)) => unknown_zones.entry(zone).or_default().push(resource),
            Err(refusal) => refuse(resource, refusal, found),
        }
    }
    rulesets::firewall_rules(&rules, resources, found);
    rate_limits::report(&rate_limits, found);
    for (zone, resources) in unknown_zones {
        without_zone(&zone, &resources, found);
    }
}

/// Returns true if a resource contains the id of another one in a member that is no mere reference.
fn has_assigned_id(values: &Term) -> bool {
    let Term::Map(members) = values else { return false };
    let described_members = members.iter().filter(|(name, _)| !REFERENCES.contains(&name.as_str()));
    let mut open: Vec<&Term> = described_members.map(|(_, value)| value).collect();
    while let Some(value) = open.pop() {
        match value {
            Term::Text(text) if text.contains(ASSIGNED) => return true,
            Term::List(items) => open.extend(items),
            Term::Map(members) => open.extend(members.values()),
            _ => {}
        }
    }
    false
}
