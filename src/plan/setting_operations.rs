//! Operations on settings of a zone, DNSSEC and DNS settings, and the work that no request can do.

use std::collections::BTreeMap;

use super::operation::Operation;
use super::subject::Subject;
use crate::diagnostic::{Diagnostics, findings};
use crate::diff::{SettingChange, ZoneSetting};
use crate::insight::dns::Serving;
use crate::insight::waf::Impact;
use crate::insight::{
    SettingEffect, flattened_aliases, name_servers, setting_effect, signing_ends,
};
use crate::model::plan_limits::{BeyondPlan, ZoneTier, dns_setting_limit, setting_value_limit};
use crate::model::{
    Address, Danger, DesiredZone, LiveSetting, LiveZone, RecordType, Value, ZoneName,
};

/// Returns the operations on the settings of a zone, in the order of the changes.
pub(super) fn operations(
    desired: &DesiredZone,
    live: &LiveZone,
    changes: Vec<SettingChange>,
    found: &mut Diagnostics,
) -> Vec<Operation> {
    let zone = &desired.name;
    let mut operations = Vec::new();
    for (name, (_, place)) in &desired.settings.settings {
        if let Some(LiveSetting::Refused(words)) = live.settings.settings.get(name) {
            found.push(
                findings::UNKNOWN_SETTING
                    .at(*place, format!("{name}: {words}"))
                    .about(zone.to_string())
                    .help("check the name; the settings are those of Cloudflare's API"),
            );
        }
    }
    for SettingChange { setting, fields, place } in changes {
        let address = address(zone, &setting);
        if let ZoneSetting::Setting { name, .. } = &setting
            && let Some(LiveSetting::Value { editable: false, .. }) =
                live.settings.settings.get(name)
        {
            let tier = live.tier.facts().name;
            found.push(
                findings::NOT_EDITABLE
                    .at(
                        place,
                        format!("Cloudflare says that {name} cannot be changed on the {tier} plan"),
                    )
                    .about(address.to_string())
                    .help("remove the setting, or change the zone's plan"),
            );
            continue;
        }
        for beyond in limits(&setting, ZoneTier::of(desired, live)) {
            found.push(beyond.diagnostic(Some(place), address.to_string()));
        }
        let modified_on = match &setting {
            ZoneSetting::Setting { name, .. } => match live.settings.settings.get(name) {
                Some(LiveSetting::Value { modified_on, .. }) => modified_on.clone(),
                Some(LiveSetting::Refused(_)) | None => None,
            },
            ZoneSetting::Dnssec { .. } => {
                live.settings.dnssec.as_ref().and_then(|dnssec| dnssec.modified_on.clone())
            }
            ZoneSetting::DnsSettings { .. } => None,
        };
        let mut dangers = dangers(&setting, live);
        let effect = effect(&setting, live);
        dangers.extend(effect.as_ref().and_then(|effect| effect.danger));
        let impact = effect.map(|SettingEffect { direction, line, .. }| Impact {
            direction,
            lines: vec![line.into()],
        });
        let subject = Subject::Setting(setting);
        operations.push(Operation {
            fields,
            dangers,
            impact,
            modified_on,
            place: Some(place),
            ..Operation::new(address, subject)
        });
    }
    operations
}

/// Returns the new values that the zone's plan does not have. Cloudflare itself reports the settings
/// that a zone cannot change.
fn limits(setting: &ZoneSetting, zone: ZoneTier) -> Vec<BeyondPlan> {
    match setting {
        ZoneSetting::Setting { name, value } => {
            setting_value_limit(name, value, zone).into_iter().collect()
        }
        ZoneSetting::DnsSettings { members } => {
            let limits = members.iter();
            limits.filter_map(|(name, value)| dns_setting_limit(name, value, zone)).collect()
        }
        ZoneSetting::Dnssec { .. } => Vec::new(),
    }
}

/// Returns the address of a setting.
pub(super) fn address(zone: &ZoneName, setting: &ZoneSetting) -> Address {
    match setting {
        ZoneSetting::Setting { name, .. } => {
            Address::of_zone_part(zone, &format!("settings/{name}"))
        }
        ZoneSetting::Dnssec { .. } => Address::of_zone_part(zone, "dnssec"),
        ZoneSetting::DnsSettings { .. } => Address::of_zone_part(zone, "dns_settings"),
    }
}

/// Returns the effect of a change on visitors and resolvers.
fn effect(setting: &ZoneSetting, live: &LiveZone) -> Option<SettingEffect> {
    match setting {
        ZoneSetting::Setting { name, value } => match live.settings.settings.get(name)? {
            LiveSetting::Value { value: before, .. } => {
                setting_effect(&live.name, name, before, value)
            }
            LiveSetting::Refused(_) => None,
        },
        ZoneSetting::Dnssec { on: true } => None,
        ZoneSetting::Dnssec { on: false } => Some(signing_ends()),
        ZoneSetting::DnsSettings { members } => {
            let kind = |members: &BTreeMap<String, Value>| match members.get("nameservers") {
                Some(Value::Map(servers)) => servers.get("type").map(ToString::to_string),
                _ => None,
            };
            let servers = kind(&live.settings.dns_settings).zip(kind(members));
            servers
                .and_then(|(before, after)| name_servers(&before, &after))
                .or_else(|| flattens(members, live))
        }
    }
}

/// Returns the effect of flattening every alias of a zone that did not flatten them.
fn flattens(members: &BTreeMap<String, Value>, live: &LiveZone) -> Option<SettingEffect> {
    let (old, new) = (Serving::of_live(live), Serving::of_live(live).with_members(members));
    let aliases = live.records.iter().filter(|record| {
        let chosen = record.settings.flatten_cname;
        record.data.record_type() == Some(RecordType::Cname)
            && record.name != *live.name.as_fqdn()
            && !record.proxied
            && new.flattens(chosen)
            && !old.flattens(chosen)
    });
    flattened_aliases(aliases.filter_map(|record| Some((&record.name, record.data.target()?))))
}

/// Returns the dangers of a change.
fn dangers(setting: &ZoneSetting, live: &LiveZone) -> Vec<Danger> {
    match setting {
        ZoneSetting::Dnssec { on: false } => vec![Danger::ChangesDnssec],
        ZoneSetting::Setting { .. } | ZoneSetting::Dnssec { on: true } => Vec::new(),
        ZoneSetting::DnsSettings { members } => {
            let (old, new) = (Serving::of_live(live), Serving::of_live(live).with_members(members));
            let apex = live.name.as_fqdn();
            let has_servers = || {
                live.records
                    .iter()
                    .any(|r| r.name == *apex && r.data.record_type() == Some(RecordType::Ns))
            };
            let exposes =
                old.proxies() && !new.proxies() && live.records.iter().any(|record| record.proxied);
            let moves = old.multi_provider != new.multi_provider
                && old.multi_provider.is_some()
                && has_servers();
            [(exposes, Danger::ExposesOrigin), (moves, Danger::ChangesNameServers)]
                .into_iter()
                .filter_map(|(is_raised, danger)| is_raised.then_some(danger))
                .collect()
        }
    }
}

/// Returns true if two specs want the same value of a setting.
pub(super) fn is_wanted_alike(
    setting: &ZoneSetting,
    one: &DesiredZone,
    other: &DesiredZone,
) -> bool {
    let (one, other) = (&one.settings, &other.settings);
    match setting {
        ZoneSetting::Setting { name, .. } => {
            one.settings.get(name).map(|(value, _)| value)
                == other.settings.get(name).map(|(value, _)| value)
        }
        ZoneSetting::Dnssec { .. } => {
            one.dnssec.map(|(on, _)| on) == other.dnssec.map(|(on, _)| on)
        }
        ZoneSetting::DnsSettings { members } => members.keys().all(|name| {
            one.dns_settings.get(name).map(|(value, _)| value)
                == other.dns_settings.get(name).map(|(value, _)| value)
        }),
    }
}

/// Returns the work that no request can do.
pub(super) fn notes(desired: &DesiredZone, live: &LiveZone) -> Vec<String> {
    let mut notes = Vec::new();
    if live.is_new {
        notes.push(format!(
            "the plan cannot tell what answers for {} today: if another provider serves it, compare its records before you \
             change the name servers at the registrar",
            desired.name
        ));
    }
    if live.is_inactive() && !live.name_servers.is_empty() {
        notes.push(format!(
            "the zone is pending: it is served once the registrar names its name servers, {}",
            live.name_servers.join(" and ")
        ));
    }
    if live.is_paused {
        notes.push(
            "the zone is paused: Cloudflare answers with the record values, and no rule applies until it is resumed"
                .to_owned(),
        );
    }
    let is_wanted = desired.settings.dnssec.map(|(on, _)| on);
    if let (Some(wanted), Some(dnssec)) = (is_wanted, &live.settings.dnssec) {
        match (wanted, dnssec.status.as_str(), &dnssec.ds) {
            (true, "disabled", _) if live.is_inactive() => {
                notes.push(
                    "DNSSEC is switched on by a later run, once the zone is active".to_owned(),
                );
            }
            (true, "pending", Some(ds)) => {
                notes.push(format!("DNSSEC is pending: give the registrar this record: {ds}"))
            }
            (true, "pending", None) => {
                notes.push("DNSSEC is pending: the registrar needs the zone's DS record".to_owned())
            }
            (true, "error", _) => notes
                .push("DNSSEC: Cloudflare reports an error; check it in the dashboard".to_owned()),
            (false, "pending-disabled", _) => {
                notes.push(
                    "DNSSEC is being switched off: remove the DS record at the registrar"
                        .to_owned(),
                );
            }
            _ => {}
        }
    }
    notes
}
