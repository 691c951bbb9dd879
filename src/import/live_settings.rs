//! Imports the settings of a live zone that differ from Cloudflare's defaults.

use std::collections::BTreeMap;

use super::imported::Imported;
use crate::diagnostic::{Place, Sources, first_of};
use crate::model::facts::dns_settings::{DEFAULTS, OLD_NAME_SERVERS};
use crate::model::facts::settings::{TEMPORARY, setting_facts};
use crate::model::{
    Desired, DesiredSettings, DesiredZone, LiveDnssec, LiveSetting, LiveSettings, Value, ZoneName,
};
use crate::spec::{Input, Options, load, print};

/// Maximum number of settings that a sentence names.
const MOST_NAMED: usize = 20;

/// Adds the settings of a live zone to its spec. Notes settings that are left out, with the
/// reasons.
pub(super) fn import_settings(live: &LiveSettings, imported: &mut Imported) {
    let LiveSettings { settings, dnssec, dns_settings } = live;
    let mut desired = DesiredSettings::default();
    let notes = &mut imported.left_out_settings;
    zone_settings(settings, &mut desired, notes);
    if let Some(dnssec) = dnssec {
        desired.dnssec = dnssec_setting(dnssec, notes);
    }
    dns_settings_of(dns_settings, &mut desired, notes);
    keep_sayable(&imported.zone.name, &mut desired, notes);
    imported.zone.settings = desired;
}

/// Returns the zone settings that differ from their defaults. A setting that was never changed has
/// its default, even if the default is unknown.
fn zone_settings(
    live: &BTreeMap<String, LiveSetting>,
    desired: &mut DesiredSettings,
    notes: &mut Vec<String>,
) {
    let mut fixed = Vec::new();
    for (name, setting) in live {
        let LiveSetting::Value { value, editable, modified_on } = setting else { continue };
        let is_default = match setting_facts(name).and_then(|facts| facts.default) {
            Some(default) => Value::from(default) == *value,
            None => modified_on.is_none(),
        };
        if is_default {
            continue;
        }
        if name == TEMPORARY {
            notes.push(format!(
                "the setting {name} is {value}; it ends by itself, so it is left out"
            ));
        } else if !editable {
            fixed.push(format!("{name}: {value}"));
        } else {
            desired.settings.insert(name.clone(), (value.clone(), Place::NOWHERE));
        }
    }
    if !fixed.is_empty() {
        let names = first_of(fixed, MOST_NAMED);
        notes.push(format!("settings that the zone's plan fixes are left out ({names})"));
    }
}

/// Returns the status of DNSSEC if it is on. The default is off.
fn dnssec_setting(live: &LiveDnssec, notes: &mut Vec<String>) -> Option<(bool, Place)> {
    if !live.options.is_empty() {
        let options = live.options.join(", ");
        notes.push(format!("DNSSEC: a spec cannot express {options}; left alone"));
    }
    match live.status.as_str() {
        "disabled" => None,
        "pending-disabled" => {
            notes.push("DNSSEC is being switched off, so it is left out".to_owned());
            None
        }
        _ if live.is_on() => Some((true, Place::NOWHERE)),
        status => {
            notes.push(format!(
                "DNSSEC: the status `{status}` is not known to this version; left alone"
            ));
            None
        }
    }
}

/// Returns the DNS settings that differ from their defaults.
fn dns_settings_of(
    live: &BTreeMap<String, Value>,
    desired: &mut DesiredSettings,
    notes: &mut Vec<String>,
) {
    for (name, value) in live {
        let default =
            DEFAULTS.iter().find(|(known, _)| known == name).map(|(_, value)| Value::from(*value));
        let has_new_name = name == OLD_NAME_SERVERS && live.contains_key("nameservers");
        if *value == Value::Null || has_new_name || default.as_ref() == Some(value) {
            continue;
        }
        let changed = match (value, default) {
            (Value::Map(members), Some(Value::Map(defaults))) => {
                let changed = members
                    .iter()
                    .filter(|(key, value)| defaults.get(*key).unwrap_or(&Value::Null) != *value);
                Value::Map(changed.map(|(key, value)| (key.clone(), value.clone())).collect())
            }
            _ => value.clone(),
        };
        if changed == Value::Map(BTreeMap::new()) {
            notes.push(format!(
                "the DNS setting {name} is not understood by this version and was left out"
            ));
            continue;
        }
        desired.dns_settings.insert(name.clone(), (changed, Place::NOWHERE));
    }
}

/// Removes settings that a spec cannot express, and notes them.
fn keep_sayable(zone: &ZoneName, desired: &mut DesiredSettings, notes: &mut Vec<String>) {
    if is_sayable(zone, desired) {
        return;
    }
    let alone = |settings: DesiredSettings| is_sayable(zone, &settings);
    let mut unsayable = Vec::new();
    desired.settings.retain(|name, value| {
        let settings = BTreeMap::from([(name.clone(), value.clone())]);
        let is_kept = alone(DesiredSettings { settings, ..DesiredSettings::default() });
        if !is_kept {
            unsayable.push(format!("the setting {name}"));
        }
        is_kept
    });
    desired.dns_settings.retain(|name, value| {
        let dns_settings = BTreeMap::from([(name.clone(), value.clone())]);
        let is_kept = alone(DesiredSettings { dns_settings, ..DesiredSettings::default() });
        if !is_kept {
            unsayable.push(format!("the DNS setting {name}"));
        }
        is_kept
    });
    for what in unsayable {
        notes.push(format!("{what} has a value that a spec cannot express; left alone"));
    }
}

/// Returns true if a spec with these settings is valid and reads back the same settings.
fn is_sayable(zone: &ZoneName, settings: &DesiredSettings) -> bool {
    let mut spec = DesiredZone::new(zone.clone(), Place::NOWHERE);
    spec.settings = settings.clone();
    let text =
        print(&Desired { zones: BTreeMap::from([(zone.clone(), spec)]), ..Desired::default() });
    let outcome = load(&[Input::Stdin(text)], &Options::default(), &mut Sources::default());
    let Some(read) = outcome.desired.and_then(|mut desired| desired.zones.remove(zone)) else {
        return false;
    };
    let values = |settings: &BTreeMap<String, (Value, Place)>| -> BTreeMap<String, Value> {
        settings.iter().map(|(name, (value, _))| (name.clone(), value.clone())).collect()
    };
    values(&read.settings.settings) == values(&settings.settings)
        && values(&read.settings.dns_settings) == values(&settings.dns_settings)
        && read.settings.dnssec.map(|(on, _)| on) == settings.dnssec.map(|(on, _)| on)
}
