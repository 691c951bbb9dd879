//! Comparison of the settings of a zone: zone settings, DNSSEC, DNS settings.
//!
//! Only values that the spec names are compared, also inside nested values. `true` and `false` mean
//! `on` and `off` for settings for which Cloudflare uses those words.

use std::collections::BTreeMap;

use super::field::{Field, FieldChange};
use crate::diagnostic::Place;
use crate::{DesiredZone, Fqdn, LiveSetting, LiveZone, Value};

/// One difference of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingChange {
    /// The setting that differs.
    pub setting: ZoneSetting,
    /// The fields that differ, with Cloudflare's names.
    pub fields: Vec<FieldChange>,
    /// The place of the spec entry.
    pub place: Place,
}

/// A setting with the desired value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ZoneSetting {
    /// A zone setting.
    Setting {
        /// Cloudflare's name.
        name: String,
        /// The complete value to send.
        value: Value,
    },
    /// DNSSEC of the zone.
    Dnssec {
        /// True if the spec wants DNSSEC to be active.
        on: bool,
    },
    /// Members of the DNS settings of the zone, in one request.
    DnsSettings {
        /// The members to send, with complete values.
        members: BTreeMap<String, Value>,
    },
}

/// Returns all differences of the settings of a zone, in the order settings, DNSSEC, DNS settings.
#[must_use]
pub fn diff_settings(desired: &DesiredZone, live: &LiveZone) -> Vec<SettingChange> {
    let mut changes = Vec::new();
    for (name, (wanted, place)) in &desired.settings.settings {
        let (before, value) = match live.settings.settings.get(name) {
            Some(LiveSetting::Value { value, .. }) => {
                (value.clone(), switch_words(laid_over(name, value, wanted), value))
            }
            Some(LiveSetting::Refused(_)) => continue,
            // The live value was not read, so it counts as different.
            None => (Value::Null, switch_words(wanted.clone(), &Value::Null)),
        };
        if value != before {
            let fields = vec![FieldChange { field: Field::Setting, before, after: value.clone() }];
            changes.push(SettingChange {
                setting: ZoneSetting::Setting { name: name.clone(), value },
                fields,
                place: *place,
            });
        }
    }
    if let Some((on, place)) = desired.settings.dnssec {
        let status = live.settings.dnssec.as_ref();
        // An unknown status, as for a new zone, counts as off: a repeated request is harmless. A
        // zone that is not active yet cannot be signed; a later run will sign it. It is unknown
        // whether a new zone is active.
        let can_wait = on && !live.is_new && live.is_inactive();
        if !can_wait && status.map_or(on, |s| s.is_on() != on) {
            let live_status = status.map_or(Value::Null, |s| Value::from(s.status.as_str()));
            let desired_status = Value::from(if on { "active" } else { "disabled" });
            let fields = vec![FieldChange {
                field: Field::DnssecStatus,
                before: live_status,
                after: desired_status,
            }];
            changes.push(SettingChange { setting: ZoneSetting::Dnssec { on }, fields, place });
        }
    }
    changes.extend(diff_dns_settings(desired, live));
    changes
}

fn diff_dns_settings(desired: &DesiredZone, live: &LiveZone) -> Option<SettingChange> {
    let mut fields = Vec::new();
    let mut members = BTreeMap::new();
    let mut first: Option<Place> = None;
    for (name, (wanted, place)) in &desired.settings.dns_settings {
        let live_value = live.settings.dns_settings.get(name).cloned().unwrap_or(Value::Null);
        // The assignment of name servers is one choice, so it is sent as a whole.
        let is_sent_whole = name == "nameservers" && !holds(&live_value, wanted);
        // A new zone was not read, so each member counts as different.
        let desired_value = if is_sent_whole || live.is_new {
            wanted.clone()
        } else {
            laid_over(name, &live_value, wanted)
        };
        if desired_value != live_value {
            fields.push(FieldChange {
                field: Field::DnsSetting(name.clone()),
                before: live_value,
                after: desired_value.clone(),
            });
            members.insert(name.clone(), desired_value);
            first = Some(first.map_or(*place, |f| f.min(*place)));
        }
    }
    first.map(|place| SettingChange {
        setting: ZoneSetting::DnsSettings { members },
        fields,
        place,
    })
}

/// Merges the desired value over the live one; nested values keep the members that the spec does
/// not name.
fn laid_over(key: &str, before: &Value, wanted: &Value) -> Value {
    match (before, wanted) {
        (Value::Map(old), Value::Map(new)) => {
            let mut members = old.clone();
            for (name, wanted) in new {
                let value = laid_over(name, old.get(name).unwrap_or(&Value::Null), wanted);
                // An empty member that Cloudflare does not report is left out.
                if value != Value::Null || old.contains_key(name) {
                    members.insert(name.clone(), value);
                }
            }
            Value::Map(members)
        }
        (Value::Null, Value::Map(_)) => {
            match laid_over(key, &Value::Map(BTreeMap::new()), wanted) {
                Value::Map(all) if all.is_empty() => Value::Null,
                value => value,
            }
        }
        (Value::Text(word), Value::Bool(wanted)) if word == "on" || word == "off" => {
            Value::from(if *wanted { "on" } else { "off" })
        }
        (Value::Bool(_), Value::Text(word)) if word == "on" || word == "off" => {
            Value::Bool(word == "on")
        }
        // A switch that Cloudflare does not report is off.
        (Value::Null, Value::Bool(false)) => Value::Null,
        // Names are compared without case and without the final dot.
        (Value::Text(old), Value::Text(new)) if matches!(key, "mname" | "rname") => {
            let (old_name, new_name) = (Fqdn::reported(old), Fqdn::reported(new));
            if old_name == new_name { before.clone() } else { Value::from(new_name.as_str()) }
        }
        // Cloudflare treats lists of settings as sets and returns them in any order.
        (Value::List(old), Value::List(new)) if sorted_list(old) == sorted_list(new) => {
            before.clone()
        }
        // `14400`, `"14400"` and `14400.0` are the same number; `true` and `"true"` the same
        // boolean.
        (old, new) if is_scalar(old) && is_scalar(new) && scalar_text(old) == scalar_text(new) => {
            before.clone()
        }
        _ => wanted.clone(),
    }
}

/// Returns true if the live value contains every part of the desired value.
fn holds(before: &Value, wanted: &Value) -> bool {
    laid_over("", before, wanted) == *before
}

/// Writes a switch as `on` or `off` if Cloudflare reports no value that shows the type.
fn switch_words(value: Value, before: &Value) -> Value {
    match (value, before) {
        (Value::Bool(on), Value::Null) => Value::from(if on { "on" } else { "off" }),
        (value, _) => value,
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::List(_) | Value::Map(_))
}

/// Returns the text of a scalar in a normal form, in which equal numbers are equal.
fn scalar_text(value: &Value) -> String {
    let text = value.to_string();
    match text.strip_suffix(".0") {
        Some(whole) if whole.parse::<i64>().is_ok() => whole.to_owned(),
        _ => text,
    }
}

fn sorted_list(list: &[Value]) -> Vec<&Value> {
    let mut sorted: Vec<_> = list.iter().collect();
    sorted.sort();
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(entries: &[(&str, Value)]) -> Value {
        Value::Map(entries.iter().map(|(n, v)| ((*n).to_owned(), v.clone())).collect())
    }

    #[test]
    fn only_what_is_named_is_compared() {
        let live = map(&[
            ("a", Value::Integer(1)),
            ("b", map(&[("c", Value::from("on")), ("d", Value::Null)])),
        ]);
        assert_eq!(laid_over("", &live, &map(&[("b", map(&[("c", Value::Bool(true))]))])), live);
        assert_eq!(laid_over("", &live, &map(&[])), live);
        let changed = laid_over("", &live, &map(&[("b", map(&[("c", Value::Bool(false))]))]));
        assert_eq!(
            changed,
            map(&[
                ("a", Value::Integer(1)),
                ("b", map(&[("c", Value::from("off")), ("d", Value::Null)]))
            ])
        );
    }

    #[test]
    fn names_numbers_and_switches() {
        let same = |key: &str, live: Value, wanted: Value| {
            assert_eq!(laid_over(key, &live, &wanted), live, "{key}")
        };
        same("rname", Value::from("dns.example.com"), Value::from("DNS.Example.com."));
        same("f", Value::from("1.0"), Value::Integer(1));
        same("b", Value::from("true"), Value::Bool(true));
        same("absent", Value::Null, Value::Bool(false));
        let nothing = map(&[("a", Value::Bool(false)), ("b", Value::Null)]);
        same("absent", Value::Null, nothing.clone());
        same("absent", map(&[("c", Value::Integer(1))]), nothing.clone());
        same("absent", map(&[("c", Value::Integer(1))]), map(&[("d", nothing)]));
        assert_eq!(laid_over("absent", &Value::Null, &Value::Bool(true)), Value::Bool(true));
        assert_eq!(switch_words(Value::Bool(true), &Value::Null), Value::from("on"));
    }

    #[test]
    fn spellings_of_one_setting() {
        assert_eq!(laid_over("", &Value::from("on"), &Value::Bool(true)), Value::from("on"));
        assert_eq!(
            laid_over("", &Value::Integer(14400), &Value::from("14400")),
            Value::Integer(14400)
        );
        assert_eq!(laid_over("", &Value::from("1.2"), &Value::from("1.2")), Value::from("1.2"));
        assert_eq!(laid_over("", &Value::from("full"), &Value::Bool(true)), Value::Bool(true));
        let list = |texts: &[&str]| Value::List(texts.iter().map(|t| Value::from(*t)).collect());
        assert_eq!(laid_over("", &list(&["a", "b"]), &list(&["b", "a"])), list(&["a", "b"]));
        assert_eq!(laid_over("", &list(&["a", "b"]), &list(&["b"])), list(&["b"]));
    }
}
