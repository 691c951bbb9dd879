//! Plans the undo of an apply's changes of settings: zone settings, DNSSEC, DNS settings. Pure.

use std::collections::BTreeMap;

use super::journal::{ObjectEffect, PartEffect};
use super::undo_conflict::{self, Moved, conflict, not_reported, setting_changed};
use crate::diff::{Field, FieldChange, SettingChange, ZoneSetting};
use crate::model::{DesiredSettings, Gather, LiveDnssec, LiveSetting, LiveZone, Value};

/// Returns the settings that have to be read.
pub(super) fn desired_settings(entries: &[ObjectEffect<PartEffect>]) -> DesiredSettings {
    let mut desired = DesiredSettings::default();
    for ObjectEffect { effect, place, .. } in entries {
        match SettingPath::of(&effect.part) {
            Some(SettingPath::Setting(name)) => {
                let old_value =
                    effect.fields.get("value").map_or(Value::Null, |(before, _)| before.clone());
                desired.settings.insert(name.to_owned(), (old_value, *place));
            }
            Some(SettingPath::Dnssec) => desired.dnssec = Some((true, *place)),
            Some(SettingPath::DnsSettings) => {
                let members = effect
                    .fields
                    .iter()
                    .map(|(name, (before, _))| (name.clone(), (before.clone(), *place)));
                desired.dns_settings.extend(members);
            }
            None => {}
        }
    }
    desired
}

/// A setting by its path below the zone.
enum SettingPath<'n> {
    /// A zone setting.
    Setting(&'n str),
    Dnssec,
    DnsSettings,
}

impl<'n> SettingPath<'n> {
    /// Parses a path.
    fn of(path: &'n str) -> Option<Self> {
        match path {
            "dnssec" => Some(Self::Dnssec),
            "dns_settings" => Some(Self::DnsSettings),
            _ => path.strip_prefix("settings/").map(Self::Setting),
        }
    }
}

/// Plans the changes that restore the settings. Returns them with the number of settings that are
/// already restored.
pub(super) fn restore_settings(
    entries: &[ObjectEffect<PartEffect>],
    live: &LiveZone,
    conflicts: &mut Vec<Moved>,
    notes: &mut Vec<String>,
) -> (Vec<SettingChange>, usize) {
    let (mut changes, mut unchanged) = (Vec::new(), 0);
    for entry in entries {
        let restored = match SettingPath::of(&entry.effect.part) {
            Some(SettingPath::Setting(name)) => undo_setting(entry, name, live),
            Some(SettingPath::Dnssec) => undo_dnssec(entry, live),
            Some(SettingPath::DnsSettings) => undo_dns_settings(entry, live),
            None => Err(Failed::Conflict(undo_conflict::UNKNOWN_PART.to_owned())),
        };
        match restored {
            Ok(Some((setting, fields))) => {
                changes.push(SettingChange { setting, fields, place: entry.place })
            }
            Ok(None) => unchanged += 1,
            Err(Failed::Conflict(what)) => conflicts.push(conflict(entry, what)),
            Err(Failed::NotKnown) => {
                notes.push(format!(
                    "{} stays: the journal does not say what it was before",
                    entry.address
                ));
            }
        }
    }
    (changes, unchanged)
}

/// The reason why a setting is not restored.
enum Failed {
    /// Someone changed it since the apply.
    Conflict(String),
    /// Its previous value is unknown, as for a new zone.
    NotKnown,
}

/// The change that restores a setting, with the fields; `None` if it is already restored.
type Back = Result<Option<(ZoneSetting, Vec<FieldChange>)>, Failed>;

/// Plans the undo of a setting.
fn undo_setting(entry: &ObjectEffect<PartEffect>, name: &str, live: &LiveZone) -> Back {
    let Some((before, after)) = entry.effect.fields.get("value") else {
        return Err(Failed::NotKnown);
    };
    let live_setting = match live.settings.settings.get(name) {
        Some(LiveSetting::Value { value, .. }) => value,
        Some(LiveSetting::Refused(words)) => {
            return Err(Failed::Conflict(not_reported(Some(words))));
        }
        None => return Err(Failed::Conflict(not_reported(None))),
    };
    if *before == Value::Null {
        return Err(Failed::NotKnown);
    }
    if comparable(live_setting) == comparable(before) {
        return Ok(None);
    }
    if comparable(live_setting) != comparable(after) {
        return Err(Failed::Conflict(setting_changed("it", live_setting, after)));
    }
    let fields = vec![FieldChange {
        field: Field::Setting,
        before: live_setting.clone(),
        after: before.clone(),
    }];
    Ok(Some((ZoneSetting::Setting { name: name.to_owned(), value: before.clone() }, fields)))
}

/// Plans the undo of DNSSEC, which is on or off.
fn undo_dnssec(entry: &ObjectEffect<PartEffect>, live: &LiveZone) -> Back {
    let Some((before, _)) = entry.effect.fields.get("status") else { return Err(Failed::NotKnown) };
    let Some(now) = &live.settings.dnssec else {
        return Err(Failed::Conflict(undo_conflict::SIGNING_NOT_REPORTED.to_owned()));
    };
    // A zone without a status is unsigned.
    let was_on = match before {
        Value::Text(status) => {
            LiveDnssec { status: status.clone(), ..LiveDnssec::default() }.is_on()
        }
        _ => false,
    };
    if now.is_on() == was_on {
        return Ok(None);
    }
    let restored_status = Value::from(if was_on { "active" } else { "disabled" });
    let fields = vec![FieldChange {
        field: Field::DnssecStatus,
        before: Value::from(now.status.as_str()),
        after: restored_status,
    }];
    Ok(Some((ZoneSetting::Dnssec { on: was_on }, fields)))
}

/// Plans the undo of DNS settings, with all members together.
fn undo_dns_settings(entry: &ObjectEffect<PartEffect>, live: &LiveZone) -> Back {
    let mut fields = Vec::new();
    let mut members = BTreeMap::new();
    for (name, (before, after)) in &entry.effect.fields {
        let live_value = live.settings.dns_settings.get(name).cloned().unwrap_or(Value::Null);
        // A switch that was not reported was off, and cannot become unreported again.
        let old_value = match (before, after) {
            (Value::Null, Value::Bool(_)) => &Value::Bool(false),
            (before, _) => before,
        };
        let is_off = |value: &Value| matches!(value, Value::Null | Value::Bool(false));
        if comparable(&live_value) == comparable(old_value)
            || (is_off(&live_value) && is_off(old_value))
        {
            continue;
        }
        if *old_value == Value::Null {
            return Err(Failed::NotKnown);
        }
        if comparable(&live_value) != comparable(after) {
            return Err(Failed::Conflict(setting_changed(name, &live_value, after)));
        }
        fields.push(FieldChange {
            field: Field::DnsSetting(name.clone()),
            before: live_value,
            after: old_value.clone(),
        });
        members.insert(name.clone(), old_value.clone());
    }
    Ok((!fields.is_empty()).then_some((ZoneSetting::DnsSettings { members }, fields)))
}

/// Returns a value in a form for comparison. Cloudflare's lists are sets.
fn comparable(value: &Value) -> Value {
    match value {
        Value::List(list) => {
            let mut list: Vec<Value> = list.iter().map(comparable).collect();
            list.sort();
            Value::List(list)
        }
        Value::Map(map) => {
            Value::Map(map.iter().map(|(name, value)| (name.clone(), comparable(value))).gather())
        }
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Decimal(_) | Value::Text(_) => {
            value.clone()
        }
    }
}
