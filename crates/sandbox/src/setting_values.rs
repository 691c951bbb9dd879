//! The zone settings of the sandbox: their defaults, and the values that they accept.
//!
//! Names, values, plans and the known defaults are in [`zonewright_model::facts::settings`].

use serde_json::{Map, Value, json};

use super::profile;
use zonewright_model::facts::limited_values::{LimitedValue, SETTING_VALUES, ValuePlan};
use zonewright_model::facts::settings::{self, SettingFacts, SettingKind as Kind};
use zonewright_model::facts::{FactValue, TIERS};

/// A setting.
#[derive(Clone, Copy)]
pub(super) struct Setting(&'static SettingFacts);

/// Converts a value of the facts to JSON.
pub(super) fn fact_to_json(value: FactValue) -> Value {
    match value {
        FactValue::Null => Value::Null,
        FactValue::Switch(is_on) => is_on.into(),
        FactValue::Number(number) => number.into(),
        FactValue::Word(word) => word.into(),
        FactValue::EmptyList => json!([]),
        FactValue::Object(members) => members
            .iter()
            .map(|(name, member)| ((*name).to_owned(), fact_to_json(*member)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

pub(super) fn all_settings() -> impl Iterator<Item = Setting> {
    settings::SETTINGS.iter().map(Setting)
}

pub(super) fn known_setting(name: &str) -> Option<Setting> {
    settings::setting_facts(name).map(Setting)
}

impl Setting {
    pub(super) fn name(self) -> &'static str {
        self.0.name
    }

    pub(super) fn default(self) -> Value {
        // ASSUMED: the values of settings without a known default, some of which Cloudflare chooses
        // by the plan or the origin.
        match (self.0.default, self.name()) {
            (Some(default), _) => fact_to_json(default),
            (None, "max_upload") => json!(100),
            (None, "nel") => json!({ "enabled": true }),
            (None, "ssl") => json!("full"),
            (None, _) => json!("on"),
        }
    }

    /// Returns true if a zone on this plan can change it.
    pub(super) fn is_editable(self, plan: &str) -> bool {
        self.0.plan.is_some_and(|least| profile::reaches(plan, least))
    }

    /// Returns Cloudflare's message for an edit that the plan does not allow.
    ///
    /// # Sources
    /// Both forms observed 2026 with code 1015. ASSUMED: the second one is for settings that only
    /// Enterprise includes.
    pub(super) fn refusal(self) -> String {
        let what = match self.name() {
            "proxy_read_timeout" => "setting for",
            _ if self.0.plan == Some("enterprise") => "zone setting",
            _ => "setting for",
        };
        format!("Not allowed to edit {what} {}", self.name())
    }

    /// Returns its value after a PATCH; `None` if it does not accept the sent value.
    ///
    /// ASSUMED: members of objects that are not sent are kept, and unknown members are refused.
    pub(super) fn after(self, before: &Value, sent: &Value) -> Option<Value> {
        taken(self.0.kind, before, sent)
    }

    /// Returns true if a plan allows a valid value.
    ///
    /// # Sources
    /// The facts of settings. ASSUMED: `security_level` off too.
    pub(super) fn suits(self, plan: &str, value: &Value) -> bool {
        let mut limits = SETTING_VALUES.iter().filter(|limit| limit.setting == self.name());
        !limits.any(|limit| is_refused(limit, plan, value))
    }
}

/// Returns true if a plan does not have a value of a setting.
pub(super) fn is_refused(limit: &ValuePlan, plan: &str, value: &Value) -> bool {
    let is_limited = match limit.value {
        LimitedValue::Word(word) => value == word,
        LimitedValue::Not(word) => value != word,
        LimitedValue::Above(most) => value.as_u64().is_some_and(|number| number > most),
        LimitedValue::On => *value == true,
        LimitedValue::Type(start) => {
            value["type"].as_str().is_some_and(|kind| kind.starts_with(start))
        }
        LimitedValue::Any => true,
    };
    is_limited && !profile::reaches(plan, TIERS[limit.lowest_plan].name)
}

/// Merges the sent value into the previous value of a kind.
fn taken(kind: Kind, before: &Value, sent: &Value) -> Option<Value> {
    let is_valid = match kind {
        Kind::Word(words) => sent.as_str().is_some_and(|word| words.contains(&word)),
        Kind::Number(numbers) => sent.as_u64().is_some_and(|number| numbers.contains(&number)),
        Kind::Range(least, most) => {
            sent.as_u64().is_some_and(|number| (least..=most).contains(&number))
        }
        Kind::Switch => sent.is_boolean(),
        Kind::Words(words) => sent.as_array().is_some_and(|items| {
            let is_known = |item: &Value| item.as_str().is_some_and(|word| words.contains(&word));
            items.iter().all(is_known)
                && items.iter().enumerate().all(|(at, item)| !items[..at].contains(item))
        }),
        Kind::Object(members) => {
            let sent = sent.as_object()?;
            if sent.keys().any(|key| members.iter().all(|(name, _)| name != key)) {
                return None;
            }
            let mut out = Map::new();
            for (name, kind) in members {
                let old_value = before.get(*name).unwrap_or(&Value::Null);
                let new_value = sent.get(*name).map_or_else(
                    || Some(old_value.clone()),
                    |value| taken(*kind, old_value, value),
                )?;
                out.insert((*name).to_owned(), new_value);
            }
            return Some(Value::Object(out));
        }
    };
    is_valid.then(|| sent.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_its_defaults_are_valid() {
        assert!(settings::SETTINGS.is_sorted_by(|a, b| a.name < b.name));
        for setting in settings::SETTINGS.iter().map(Setting) {
            let default = setting.default();
            assert_eq!(
                setting.after(&Value::Null, &default),
                Some(default.clone()),
                "{}",
                setting.name()
            );
            assert!(setting.suits("free", &default), "{}", setting.name());
            assert!(
                setting.0.plan.is_none_or(|plan| profile::tier(plan).is_some()),
                "{}",
                setting.name()
            );
        }
    }

    #[test]
    fn objects_merge() {
        let minify = known_setting("minify").unwrap();
        let before = minify.default();
        let after = json!({ "css": "on", "html": "off", "js": "off" });
        assert_eq!(minify.after(&before, &json!({ "css": "on" })), Some(after));
        assert_eq!(minify.after(&before, &json!({ "svg": "on" })), None);
        assert_eq!(minify.after(&before, &json!("on")), None);
    }
}
