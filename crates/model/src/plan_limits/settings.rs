//! Settings of zones that not every plan can change, and values that not every plan can have.

use super::{BeyondPlan, ZoneTier};
use crate::Value;
use crate::facts::TIERS;
use crate::facts::certainty::Certainty;
use crate::facts::limited_values::{DNS_SETTING_VALUES, LimitedValue, SETTING_VALUES, ValuePlan};
use crate::facts::settings;

/// Returns why a plan cannot change a setting, or not to this value.
#[must_use]
pub fn setting_limit(name: &str, value: &Value, zone: ZoneTier) -> Option<BeyondPlan> {
    let lowest_plan = settings::setting_facts(name).and_then(|facts| facts.plan);
    let rank = lowest_plan.and_then(|least| TIERS.iter().position(|tier| tier.name == least));
    match (rank, lowest_plan) {
        (Some(rank), Some(least)) if rank > zone.tier.rank() => Some(BeyondPlan {
            key: "settings",
            detail: format!(
                "{name} can be changed on the {least} plan or above; the zone is on the {} plan",
                zone.tier.facts().name
            ),
            help: "remove the setting, or move the zone to a plan that has it".to_owned(),
            is_certain: zone.is_certain(Certainty::Assumed),
        }),
        _ => setting_value_limit(name, value, zone),
    }
}

/// Returns why a plan cannot have a value of a setting that it can change.
#[must_use]
pub fn setting_value_limit(name: &str, value: &Value, zone: ZoneTier) -> Option<BeyondPlan> {
    value_limit(SETTING_VALUES, ("settings", name), value, zone)
}

/// Returns why a plan does not have a value of a DNS setting.
#[must_use]
pub fn dns_setting_limit(name: &str, value: &Value, zone: ZoneTier) -> Option<BeyondPlan> {
    value_limit(DNS_SETTING_VALUES, ("dns_settings", name), value, zone)
}

/// Returns why a plan does not have a value of a setting of a table.
fn value_limit(
    table: &[ValuePlan],
    (key, name): (&'static str, &str),
    value: &Value,
    zone: ZoneTier,
) -> Option<BeyondPlan> {
    let limits = table.iter().filter(|limit| limit.setting == name);
    let limit = limits
        .filter(|limit| is_limited(limit.value, value) && limit.lowest_plan > zone.tier.rank())
        .max_by_key(|limit| limit.lowest_plan)?;
    let (least, plan) = (TIERS[limit.lowest_plan].name, zone.tier.facts().name);
    let wanted = match limit.about {
        Some(about) => format!("{name}: {about} needs"),
        None => format!("{name} can be {value} on"),
    };
    Some(BeyondPlan {
        key,
        detail: format!("{wanted} the {least} plan or above; the zone is on the {plan} plan"),
        help: "write another value, or move the zone to a plan that has it".to_owned(),
        is_certain: zone.is_certain(limit.certainty),
    })
}

/// Returns true if a value is one of the limited ones.
fn is_limited(limited: LimitedValue, value: &Value) -> bool {
    match (limited, value) {
        (LimitedValue::Word(word), Value::Text(text)) => text == word,
        (LimitedValue::Not(word), Value::Text(text)) => text != word,
        (LimitedValue::Above(most), Value::Integer(number)) => {
            u64::try_from(*number).is_ok_and(|number| number > most)
        }
        (LimitedValue::On, Value::Bool(is_on)) => *is_on,
        (LimitedValue::Type(start), Value::Map(members)) => {
            matches!(members.get("type"), Some(Value::Text(kind)) if kind.starts_with(start))
        }
        (LimitedValue::Any, _) => true,
        _ => false,
    }
}
