//! Undoing what an apply changed of a zone around its records: settings, signing, DNS settings. Pure.

use std::collections::BTreeMap;

use super::conflict::{Moved, conflict};
use super::journal_run::{Entry, PartEffect};
use crate::diff::{Field, FieldChange, ZoneChange, ZonePart};
use crate::model::{LiveDnssec, LiveSetting, LiveZone, Value, ZoneWants};

/// The parts that have to be read.
pub(super) fn part_wants(entries: &[Entry<PartEffect>]) -> ZoneWants {
    let mut wants = ZoneWants::default();
    for Entry { effect, place, .. } in entries {
        match Part::of(&effect.part) {
            Some(Part::Setting(name)) => {
                let before = effect.fields.get("value").map_or(Value::Null, |(before, _)| before.clone());
                wants.settings.insert(name.to_owned(), (before, *place));
            }
            Some(Part::Dnssec) => wants.dnssec = Some((true, *place)),
            Some(Part::DnsSettings) => {
                let members = effect.fields.iter().map(|(name, (before, _))| (name.clone(), (before.clone(), *place)));
                wants.dns_settings.extend(members);
            }
            None => {}
        }
    }
    wants
}

/// A part of a zone.
enum Part<'n> {
    /// A zone setting.
    Setting(&'n str),
    /// Signing.
    Dnssec,
    /// DNS settings.
    DnsSettings,
}

impl<'n> Part<'n> {
    /// By its path.
    fn of(path: &'n str) -> Option<Self> {
        match path {
            "dnssec" => Some(Self::Dnssec),
            "dns_settings" => Some(Self::DnsSettings),
            _ => path.strip_prefix("settings/").map(Self::Setting),
        }
    }
}

/// What brings the parts back, and how many are as before already.
pub(super) fn restore_parts(
    entries: &[Entry<PartEffect>],
    live: &LiveZone,
    conflicts: &mut Vec<Moved>,
    notes: &mut Vec<String>,
) -> (Vec<ZoneChange>, usize) {
    let (mut changes, mut unchanged) = (Vec::new(), 0);
    for entry in entries {
        let found = match Part::of(&entry.effect.part) {
            Some(Part::Setting(name)) => setting(entry, name, live),
            Some(Part::Dnssec) => dnssec(entry, live),
            Some(Part::DnsSettings) => dns_settings(entry, live),
            None => Err(Failed::Conflict("this version does not know the part".to_owned())),
        };
        match found {
            Ok(Some((part, fields))) => changes.push(ZoneChange { part, fields, place: entry.place }),
            Ok(None) => unchanged += 1,
            Err(Failed::Conflict(what)) => conflicts.push(conflict(entry, what)),
            Err(Failed::NotKnown) => {
                notes.push(format!("{} stays: the journal does not say what it was before", entry.address));
            }
        }
    }
    (changes, unchanged)
}

/// Why a part is not brought back.
enum Failed {
    /// Somebody changed it since.
    Conflict(String),
    /// What it was is not known, as of a zone that was just made.
    NotKnown,
}

/// What brings a part back, with the fields; nothing if it is as before.
type Back = Result<Option<(ZonePart, Vec<FieldChange>)>, Failed>;

/// A setting.
fn setting(entry: &Entry<PartEffect>, name: &str, live: &LiveZone) -> Back {
    let Some((before, after)) = entry.effect.fields.get("value") else { return Err(Failed::NotKnown) };
    let now = match live.around.settings.get(name) {
        Some(LiveSetting::Value { value, .. }) => value,
        Some(LiveSetting::Refused(words)) => {
            return Err(Failed::Conflict(format!("the service does not tell it: {words}")));
        }
        None => return Err(Failed::Conflict("the service does not tell it".to_owned())),
    };
    if *before == Value::Null {
        return Err(Failed::NotKnown);
    }
    if normal(now) == normal(before) {
        return Ok(None);
    }
    if normal(now) != normal(after) {
        return Err(Failed::Conflict(format!("somebody else changed it: it is now {now}, and was left as {after}")));
    }
    let fields = vec![FieldChange { field: Field::Setting, before: now.clone(), after: before.clone() }];
    Ok(Some((ZonePart::Setting { name: name.to_owned(), value: before.clone() }, fields)))
}

/// Signing, which is on or off.
fn dnssec(entry: &Entry<PartEffect>, live: &LiveZone) -> Back {
    let Some((before, _)) = entry.effect.fields.get("status") else { return Err(Failed::NotKnown) };
    let Some(now) = &live.around.dnssec else {
        return Err(Failed::Conflict("the service does not tell whether the zone is signed".to_owned()));
    };
    // Where no state was told there was none.
    let was_on = match before {
        Value::Text(status) => LiveDnssec { status: status.clone(), ds: None, modified_on: None }.is_on(),
        _ => false,
    };
    if now.is_on() == was_on {
        return Ok(None);
    }
    let after = Value::from(if was_on { "active" } else { "disabled" });
    let fields = vec![FieldChange { field: Field::DnssecStatus, before: Value::from(now.status.as_str()), after }];
    Ok(Some((ZonePart::Dnssec { on: was_on }, fields)))
}

/// DNS settings, all members together.
fn dns_settings(entry: &Entry<PartEffect>, live: &LiveZone) -> Back {
    let mut fields = Vec::new();
    let mut members = BTreeMap::new();
    for (name, (before, after)) in &entry.effect.fields {
        let now = live.around.dns_settings.get(name).cloned().unwrap_or(Value::Null);
        // A switch that was not reported was off, and cannot be made unreported.
        let before = match (before, after) {
            (Value::Null, Value::Bool(_)) => &Value::Bool(false),
            (before, _) => before,
        };
        let is_off = |value: &Value| matches!(value, Value::Null | Value::Bool(false));
        if normal(&now) == normal(before) || (is_off(&now) && is_off(before)) {
            continue;
        }
        if *before == Value::Null {
            return Err(Failed::NotKnown);
        }
        if normal(&now) != normal(after) {
            let what = format!("somebody else changed {name}: it is now {now}, and was left as {after}");
            return Err(Failed::Conflict(what));
        }
        fields.push(FieldChange { field: Field::DnsSetting(name.clone()), before: now, after: before.clone() });
        members.insert(name.clone(), before.clone());
    }
    Ok((!fields.is_empty()).then_some((ZonePart::DnsSettings { members }, fields)))
}

/// A value by which two are compared: lists are sets to the service.
fn normal(value: &Value) -> Value {
    match value {
        Value::List(list) => {
            let mut list: Vec<Value> = list.iter().map(normal).collect();
            list.sort();
            Value::List(list)
        }
        Value::Map(map) => Value::Map(map.iter().map(|(name, value)| (name.clone(), normal(value))).collect()),
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::Decimal(_) | Value::Text(_) => value.clone(),
    }
}
