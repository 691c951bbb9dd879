//! The settings of a zone: GET and PATCH /zones/{id}/settings/{name}, and GET /zones/{id}/settings
//! for all at once.
//!
//! # Sources
//! Form of the response: developers.cloudflare.com/api, "Get zone setting", read 2026-11-20, and
//! listings recorded 2022 and later; the list of all: "Get all zone settings" there, read
//! 2026-11-26. Codes 1006, 1007 and 1015 with their texts: observed 2022 to 2026; status 400 was
//! seen with the first two. ASSUMED: 400 for the third as well; 1006 when reading too; code 1004
//! for a missing `value`, as observed for the list's missing `items`. PATCH of all settings at
//! once, which is deprecated as well, is not served.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value, json};

use super::clock;
use super::envelope::{HandlerResult, Refusal, Success};
use super::request_context::RequestContext;
use super::setting_values::{self, Setting};
use super::zone::Zone;

/// Duration of development mode, in seconds:
/// developers.cloudflare.com/cache/reference/development-mode, read 2026-11-20.
const DEVELOPMENT_MODE_SECONDS: i64 = 3 * 3600;

/// A changed setting in the store.
struct Stored {
    value: Value,
    /// Time of the change.
    modified_on: String,
}

impl Stored {
    /// Returns the setting of a zone; `None` if it was never changed.
    fn of(connection: &Connection, zone_id: &str, name: &str) -> rusqlite::Result<Option<Self>> {
        let sql = "SELECT value, modified_on FROM zone_settings WHERE zone_id = ?1 AND name = ?2";
        let mut statement = connection.prepare_cached(sql)?;
        let row =
            statement.query_row([zone_id, name], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)));
        let stored = row
            .optional()?
            .map(|(value, modified_on)| Self { value: parse_stored(&value), modified_on });
        Ok(stored)
    }

    /// Stores the setting, replacing its previous value.
    fn save(&self, connection: &Connection, zone: &Zone, name: &str) -> rusqlite::Result<()> {
        let sql = "INSERT INTO zone_settings (zone_id, name, value, modified_on) VALUES (?1, ?2, \
            ?3, ?4) \
             ON CONFLICT (zone_id, name) DO UPDATE SET value = ?3, modified_on = ?4";
        let (value, moment) = (self.value.to_string(), &self.modified_on);
        connection.prepare_cached(sql)?.execute(params![zone.id, name, value, moment])?;
        Ok(())
    }
}

/// Returns the value of a setting that is a word, such as `on`.
pub(super) fn setting_value(
    connection: &Connection,
    zone: &Zone,
    name: &str,
) -> rusqlite::Result<Value> {
    let default = || setting_values::known_setting(name).map_or(Value::Null, Setting::default);
    Ok(Stored::of(connection, &zone.id, name)?.map_or_else(default, |stored| stored.value))
}

fn parse_stored(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// Finds the setting with a name.
fn known(name: &str) -> HandlerResult<Setting> {
    setting_values::known_setting(name)
        .ok_or_else(|| Refusal::new(400, 1006, format!("Unrecognized zone setting name: {name}")))
}

/// GET /zones/{id}/settings.
///
/// # Sources
/// Until 2027-03-31: developers.cloudflare.com/fundamentals/api/reference/deprecations, read
/// 2026-11-26. ASSUMED: the answer after that day is that of an unknown path.
pub(super) fn list_settings(context: &RequestContext<'_>, zone: &Zone) -> HandlerResult<Success> {
    if !context.profile.settings_list {
        return Err(Refusal::new(404, 7000, "No route for that URI"));
    }
    let settings: Vec<Value> = setting_values::all_settings()
        .map(|setting| setting_to_json(context, zone, setting))
        .collect::<HandlerResult<_>>()?;
    Ok(Success::One(settings.into()))
}

/// GET /zones/{id}/settings/{name}.
pub(super) fn get_setting(
    context: &RequestContext<'_>,
    zone: &Zone,
    name: &str,
) -> HandlerResult<Success> {
    Ok(Success::One(setting_to_json(context, zone, known(name)?)?))
}

/// PATCH /zones/{id}/settings/{name}.
pub(super) fn patch_setting(
    context: &RequestContext<'_>,
    zone: &Zone,
    name: &str,
    body: &Map<String, Value>,
) -> HandlerResult<Success> {
    let setting = known(name)?;
    if !setting.is_editable(&zone.plan) {
        return Err(Refusal::new(400, 1015, setting.refusal()));
    }
    let sent = body.get("value").ok_or_else(|| Refusal::new(400, 1004, "Missing 'value'"))?;
    let old_value = Stored::of(context.connection, &zone.id, name)?
        .map_or_else(|| setting.default(), |stored| stored.value);
    let value = setting.after(&old_value, sent).filter(|value| setting.suits(&zone.plan, value));
    let value = value
        .ok_or_else(|| Refusal::new(400, 1007, format!("Invalid value for zone setting {name}")))?;
    Stored { value, modified_on: context.now.to_owned() }.save(context.connection, zone, name)?;
    Ok(Success::One(setting_to_json(context, zone, setting)?))
}

/// Returns a setting in the form of the API.
///
/// # Sources
/// `time_remaining`: developers.cloudflare.com/api, "Get zone setting", read 2026-11-20. It was
/// absent from recorded listings of zones whose development mode was never on.
fn setting_to_json(
    context: &RequestContext<'_>,
    zone: &Zone,
    setting: Setting,
) -> HandlerResult<Value> {
    let stored = Stored::of(context.connection, &zone.id, setting.name())?;
    let mut out = json!({
        "id": setting.name(),
        "value": stored.as_ref().map_or_else(|| setting.default(), |stored| stored.value.clone()),
        "editable": setting.is_editable(&zone.plan),
        "modified_on": stored.as_ref().map(|stored| &stored.modified_on),
    });
    if let (Some(stored), "development_mode") = (&stored, setting.name()) {
        let remaining = remaining(stored, context.now);
        out["value"] = if remaining > 0 { "on" } else { "off" }.into();
        out["time_remaining"] = remaining.into();
    }
    Ok(out)
}

/// Returns the seconds until development mode ends; negative after its end.
fn remaining(stored: &Stored, now: &str) -> i64 {
    let since = clock::seconds_since_1970(now).unwrap_or(0)
        - clock::seconds_since_1970(&stored.modified_on).unwrap_or(0);
    if stored.value == "on" { DEVELOPMENT_MODE_SECONDS - since } else { -since }
}

/// Returns `development_mode` of the zone object: remaining seconds, negative after its end
/// (observed 2022), 0 if it was never on.
pub(super) fn development_mode(
    connection: &Connection,
    zone_id: &str,
    now: &str,
) -> rusqlite::Result<i64> {
    Ok(Stored::of(connection, zone_id, "development_mode")?
        .map_or(0, |stored| remaining(&stored, now)))
}

/// Returns the changed settings of a zone for a document, sorted by name.
pub(super) fn to_document(
    connection: &Connection,
    zone: &Zone,
) -> rusqlite::Result<Option<Map<String, Value>>> {
    let sql = "SELECT name, value, modified_on FROM zone_settings WHERE zone_id = ?1 ORDER BY name";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([&zone.id], |row| {
        let (value, moment): (String, String) = (row.get(1)?, row.get(2)?);
        Ok((
            row.get::<_, String>(0)?,
            json!({ "value": parse_stored(&value), "modified_on": moment }),
        ))
    })?;
    let settings = rows.collect::<rusqlite::Result<Map<_, _>>>()?;
    Ok((!settings.is_empty()).then_some(settings))
}

/// Applies the settings of a document without the limits of the plan: a real zone keeps its
/// settings when its plan is lowered.
///
/// A setting is an object of `value` and `modified_on`, or its value alone.
///
/// # Errors
/// Names the invalid setting and the reason.
pub(super) fn plant_settings(
    context: &RequestContext<'_>,
    zone: &Zone,
    member: &Value,
) -> HandlerResult<()> {
    let settings =
        member.as_object().ok_or_else(|| Refusal::unspecified("`settings` must be an object"))?;
    for (name, entry) in settings {
        let setting = known(name)?;
        let stored_before = Stored::of(context.connection, &zone.id, name)?;
        let value_before =
            stored_before.as_ref().map_or_else(|| setting.default(), |stored| stored.value.clone());
        let (sent, moment) = match entry.get("value") {
            Some(value) => (value, entry.get("modified_on").and_then(Value::as_str)),
            None => (entry, None),
        };
        let value = setting.after(&value_before, sent);
        let value = value.ok_or_else(|| {
            Refusal::new(400, 1007, format!("Invalid value for zone setting {name}"))
        })?;
        if moment.is_none() && value == value_before {
            continue;
        }
        let modified_on = moment.unwrap_or(context.now).to_owned();
        Stored { value, modified_on }.save(context.connection, zone, name)?;
    }
    Ok(())
}
