//! Comparison of what is around the records: settings, DNSSEC, DNS settings.
//!
//! Only what the spec names is compared, also inside nested values. `true` and `false` mean `on` and `off` where the service
//! uses those words.

use std::collections::BTreeMap;

use super::change::FieldChange;
use crate::diagnostic::Place;
use crate::model::{DesiredZone, LiveSetting, LiveZone, Value};

/// One difference around the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneChange {
    /// What differs.
    pub part: ZonePart,
    /// The differences, by the service's names.
    pub fields: Vec<FieldChange>,
    /// Where the spec asks for it.
    pub place: Place,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ZonePart {
    /// A zone setting.
    Setting {
        /// The service's name.
        name: String,
        /// The whole value to send.
        value: Value,
    },
    /// Signing.
    Dnssec {
        /// Whether it is wanted.
        on: bool,
    },
    /// DNS settings.
    DnsSettings {
        /// The members to send, whole.
        members: BTreeMap<String, Value>,
    },
}

/// All differences around the records of a zone, in the order settings, DNSSEC, DNS settings.
#[must_use]
pub fn diff_around(desired: &DesiredZone, live: &LiveZone) -> Vec<ZoneChange> {
    let mut changes = Vec::new();
    for (name, (wanted, place)) in &desired.around.settings {
        let before = match live.around.settings.get(name) {
            Some(LiveSetting::Value { value, .. }) => value.clone(),
            Some(LiveSetting::Refused(_)) => continue,
            None => Value::Null,
        };
        let value = laid_over(&before, wanted);
        if value != before {
            let fields = vec![FieldChange { field: "value".to_owned(), before, after: value.clone() }];
            changes.push(ZoneChange { part: ZonePart::Setting { name: name.clone(), value }, fields, place: *place });
        }
    }
    if let Some((on, place)) = desired.around.dnssec {
        let status = live.around.dnssec.as_ref();
        if status.is_none_or(|s| s.is_on() != on) && (on || !live.is_new) {
            let before = status.map_or(Value::Null, |s| Value::from(s.status.as_str()));
            let after = Value::from(if on { "active" } else { "disabled" });
            let fields = vec![FieldChange { field: "status".to_owned(), before, after }];
            changes.push(ZoneChange { part: ZonePart::Dnssec { on }, fields, place });
        }
    }
    changes.extend(dns_settings(desired, live));
    changes
}

/// The DNS settings that differ, in one change.
fn dns_settings(desired: &DesiredZone, live: &LiveZone) -> Option<ZoneChange> {
    let mut fields = Vec::new();
    let mut members = BTreeMap::new();
    let mut first: Option<Place> = None;
    for (name, (wanted, place)) in &desired.around.dns_settings {
        let before = live.around.dns_settings.get(name).cloned().unwrap_or(Value::Null);
        let after = laid_over(&before, wanted);
        if after != before {
            fields.push(FieldChange { field: name.clone(), before, after: after.clone() });
            members.insert(name.clone(), after);
            first = Some(first.map_or(*place, |f| f.min(*place)));
        }
    }
    first.map(|place| ZoneChange { part: ZonePart::DnsSettings { members }, fields, place })
}

/// What the value would be with everything wanted: nested values keep what is not named.
fn laid_over(before: &Value, wanted: &Value) -> Value {
    match (before, wanted) {
        (Value::Map(old), Value::Map(new)) => {
            let mut all = old.clone();
            for (name, wanted) in new {
                let value = laid_over(old.get(name).unwrap_or(&Value::Null), wanted);
                all.insert(name.clone(), value);
            }
            Value::Map(all)
        }
        (Value::Text(word), Value::Bool(wanted)) if word == "on" || word == "off" => {
            Value::from(if *wanted { "on" } else { "off" })
        }
        (Value::Bool(_), Value::Text(word)) if word == "on" || word == "off" => Value::Bool(word == "on"),
        (Value::Integer(n), Value::Text(text)) if text.parse() == Ok(*n) => Value::Integer(*n),
        (Value::Text(text), Value::Integer(n)) if text.parse() == Ok(*n) => Value::Text(text.clone()),
        // Lists of settings are sets to the service: the order in which it answers is its own.
        (Value::List(old), Value::List(new)) if sorted(old) == sorted(new) => before.clone(),
        _ => wanted.clone(),
    }
}

/// A list in a fixed order.
fn sorted(list: &[Value]) -> Vec<&Value> {
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
        let live = map(&[("a", Value::Integer(1)), ("b", map(&[("c", Value::from("on")), ("d", Value::Null)]))]);
        assert_eq!(laid_over(&live, &map(&[("b", map(&[("c", Value::Bool(true))]))])), live);
        assert_eq!(laid_over(&live, &map(&[])), live);
        let changed = laid_over(&live, &map(&[("b", map(&[("c", Value::Bool(false))]))]));
        assert_eq!(
            changed,
            map(&[("a", Value::Integer(1)), ("b", map(&[("c", Value::from("off")), ("d", Value::Null)]))])
        );
    }

    #[test]
    fn spellings_of_one_setting() {
        assert_eq!(laid_over(&Value::from("on"), &Value::Bool(true)), Value::from("on"));
        assert_eq!(laid_over(&Value::Integer(14400), &Value::from("14400")), Value::Integer(14400));
        assert_eq!(laid_over(&Value::from("1.2"), &Value::from("1.2")), Value::from("1.2"));
        assert_eq!(laid_over(&Value::from("full"), &Value::Bool(true)), Value::Bool(true));
        let list = |texts: &[&str]| Value::List(texts.iter().map(|t| Value::from(*t)).collect());
        assert_eq!(laid_over(&list(&["a", "b"]), &list(&["b", "a"])), list(&["a", "b"]));
        assert_eq!(laid_over(&list(&["a", "b"]), &list(&["b"])), list(&["b"]));
    }
}
