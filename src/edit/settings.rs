//! Writes live settings, DNSSEC and DNS settings of a zone where the spec names them.

use serde_json::{Map, Value as Json};

use super::selected_differences::{Chosen, Left};
use super::source_tree::At;
use super::workspace::{IN_SHARED_PROFILE, Owner, Workspace};
use crate::diff::{ZoneSetting, diff_settings};
use crate::model::{Address, DesiredZone, Gather, LiveSetting, LiveZone, Value};
use crate::spec;

/// Writes the chosen differences into the files.
pub(super) fn pull(
    workspace: &mut Workspace<'_>,
    (zone, live): (&DesiredZone, &LiveZone),
    chosen: &Chosen<'_>,
    left: &mut Left,
) {
    for change in diff_settings(zone, live) {
        let (address, values) = match &change.setting {
            ZoneSetting::Setting { name, .. } => {
                let desired_value = zone.settings.settings.get(name).map(|(value, _)| value);
                let live_value = match live.settings.settings.get(name) {
                    Some(LiveSetting::Value { value, .. }) => Some(value),
                    Some(LiveSetting::Refused(_)) | None => None,
                };
                let address = Address::of_zone_part(&zone.name, &format!("settings/{name}"));
                (
                    address,
                    vec![(
                        vec!["settings", name.as_str()],
                        desired_value.cloned(),
                        live_value.cloned(),
                    )],
                )
            }
            ZoneSetting::Dnssec { on } => {
                let word = |on| Value::from(if on { "on" } else { "off" });
                let address = Address::of_zone_part(&zone.name, "dnssec");
                (address, vec![(vec!["dnssec"], Some(word(*on)), Some(word(!*on)))])
            }
            ZoneSetting::DnsSettings { members } => {
                let desired_value = |name: &String| {
                    zone.settings.dns_settings.get(name).map(|(value, _)| value.clone())
                };
                let live_value = |name: &String| live.settings.dns_settings.get(name).cloned();
                let values = members.keys().map(|name| {
                    (vec!["dns_settings", name.as_str()], desired_value(name), live_value(name))
                });
                (Address::of_zone_part(&zone.name, "dns_settings"), values.collect())
            }
        };
        if !(chosen.is_chosen)(&address) {
            continue;
        }
        for (path, wanted, found) in values {
            let (Some(wanted), Some(found)) = (wanted, found) else {
                left.push((address.clone(), "Cloudflare does not report its value".to_owned()));
                continue;
            };
            let (before, after) =
                (spec::written_value(&wanted), spec::written_value(&named(&wanted, &found)));
            let mut is_found = false;
            for (holder, owner) in workspace.holders(&zone.name) {
                // The zone's own value overrides that of a profile.
                if is_found && owner != Owner::Zone {
                    break;
                }
                let Some(node) = workspace.tree(holder.file).at(holder.node, &path) else {
                    continue;
                };
                is_found = true;
                let why_not = match owner {
                    Owner::SharedProfile => Some(IN_SHARED_PROFILE.to_owned()),
                    Owner::Zone | Owner::OwnProfile => workspace.shared(holder),
                };
                match why_not {
                    Some(why) => left.push((address.clone(), why)),
                    None => {
                        set(workspace, At { node, ..holder }, &before, &after, address.as_str())
                    }
                }
            }
            if !is_found {
                left.push((address.clone(), "it is not in a file of the spec".to_owned()));
            }
        }
    }
}

/// Changes a value. Members that are unset in both the text and the resolved value stay unset.
fn set(workspace: &mut Workspace<'_>, at: At, before: &Json, after: &Json, what: &str) {
    let word = |value: &Json| matches!(value, Json::Bool(_));
    let written = super::file_changes::json(workspace.tree(at.file), at.node);
    // `on` and `true` are equal for settings with these words; the author's word stays.
    let new_value = match after.as_str() {
        Some("on") if word(&written) => Json::Bool(true),
        Some("off") if word(&written) => Json::Bool(false),
        _ => after.clone(),
    };
    workspace.merge(at, before, &new_value, what);
}

/// Limits a live value to the members that the spec names, recursively.
fn named(wanted: &Value, found: &Value) -> Value {
    match (wanted, found) {
        (Value::Map(wanted), Value::Map(found)) => {
            let member = |(name, wanted): (&String, &Value)| {
                (name.clone(), named(wanted, found.get(name).unwrap_or(&Value::Null)))
            };
            Value::Map(wanted.iter().map(member).gather())
        }
        (Value::Map(wanted), Value::Null) => Value::Map(
            wanted
                .iter()
                .map(|(name, wanted)| (name.clone(), named(wanted, &Value::Null)))
                .gather(),
        ),
        _ => found.clone(),
    }
}

/// Builds a mapping with one key.
pub(super) fn one(key: &str, value: Json) -> Json {
    Json::Object(Map::from_iter([(key.to_owned(), value)]))
}
