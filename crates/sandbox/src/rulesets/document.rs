//! Rulesets in the document that holds the whole state.
//!
//! ```json
//! {"zones": [{"name": "example.com", "rulesets": [{"phase": "http_ratelimit", "rules": []}]}],
//!  "account_rulesets": [{"kind": "root", "phase": "http_request_firewall_managed", "rules": []}],
//!  "managed_rulesets": [{"id": "4814384a9e5d4991b9815dcfc25d2f1f", "version": "36", "rules": []}]}
//! ```
//!
//! A ruleset has the form of a response, with its previous versions in `earlier`. Only its phase is
//! required (for managed rulesets: the identifier). Rules are loaded without the checks of a
//! request, as a real zone can hold what would be refused today.

use serde_json::{Map, Value};

use super::ruleset::{Detail, Ruleset, StoredRule, id_of, phase, text_member};
use super::{catalogue, store};
use crate::SandboxError;
use crate::envelope::Refusal;
use crate::request_context::RequestContext;
use crate::zone::{ACCOUNT_ID, Zone};
use zonewright_model::facts::rulesets::ACTIONS;

/// The place of rulesets: their owner and their default kind.
struct Plot<'a> {
    /// Owner in the store.
    owner: &'a str,
    kind: &'a str,
}

/// Loads a ruleset of a zone.
pub(crate) fn plant_zone(
    context: &RequestContext<'_>,
    zone: &Zone,
    entry: &Value,
    place: &str,
) -> Result<(), SandboxError> {
    plant_ruleset(context, &Plot { owner: &zone.id, kind: "zone" }, entry, place)
}

/// Loads a ruleset of an account; `account_id` names one other than the sandbox's own.
pub(crate) fn plant_account(
    context: &RequestContext<'_>,
    entry: &Value,
    place: &str,
) -> Result<(), SandboxError> {
    let owner = entry.get("account_id").and_then(Value::as_str).unwrap_or(ACCOUNT_ID);
    plant_ruleset(context, &Plot { owner, kind: "root" }, entry, place)
}

/// Loads a managed ruleset, in place of one with the same identifier.
pub(crate) fn plant_managed(
    context: &RequestContext<'_>,
    entry: &Value,
    place: &str,
) -> Result<(), SandboxError> {
    plant_ruleset(context, &Plot { owner: store::VENDOR, kind: "managed" }, entry, place)
}

/// Loads one ruleset with its previous versions.
///
/// It replaces an existing one with the same identifier or phase. The replaced version stays
/// readable if its number is lower; without a version, the next number is used. This also applies
/// to built-in managed rulesets, unless the entry gives previous versions.
fn plant_ruleset(
    context: &RequestContext<'_>,
    plot: &Plot<'_>,
    entry: &Value,
    place: &str,
) -> Result<(), SandboxError> {
    let wrong = |problem: &str| SandboxError::document(place, problem);
    let object = entry.as_object().ok_or_else(|| wrong("must be an object"))?;
    let built_in =
        text_member(object, "id").and_then(|id| catalogue::built_in(context.profile, id));
    let stored = match text_member(object, "id") {
        Some(id) => store::get(context.connection, plot.owner, id)?,
        None => store::load_rulesets(context.connection, plot.owner)?
            .into_iter()
            .find(|r| r.is_entry_point() && Some(r.phase.as_str()) == text_member(object, "phase")),
    };
    let previous = stored.or_else(|| built_in.filter(|_| plot.kind == "managed"));
    let ruleset = read_ruleset(context, plot, object, previous.as_ref(), place)?;
    if previous.is_none() && is_taken(context, &ruleset.id)? {
        return Err(wrong("another ruleset has this identifier"));
    }
    if previous.as_ref().is_none_or(|before| before.id != ruleset.id)
        && ruleset.is_entry_point()
        && store::load_rulesets(context.connection, plot.owner)?
            .iter()
            .any(|r| r.is_entry_point() && r.phase == ruleset.phase)
    {
        return Err(wrong("there is another entry point of this phase"));
    }
    store::save_ruleset(context.connection, plot.owner, &ruleset)?;
    match object.get("earlier") {
        None => {
            if let Some(before) = previous.filter(|before| before.version < ruleset.version) {
                store::keep_version(context.connection, &before)?;
            }
        }
        Some(earlier) => {
            let earlier = earlier.as_array().ok_or_else(|| wrong("`earlier` must be a list"))?;
            for entry in earlier {
                let entry =
                    entry.as_object().ok_or_else(|| wrong("`earlier` must hold objects"))?;
                let earlier = read_ruleset(context, plot, entry, Some(&ruleset), place)?;
                if earlier.version >= ruleset.version {
                    return Err(wrong("`earlier` must hold lower versions"));
                }
                store::keep_version(context.connection, &earlier)?;
            }
        }
    }
    Ok(())
}

/// Returns true if any owner has a ruleset with this identifier.
fn is_taken(context: &RequestContext<'_>, id: &str) -> Result<bool, SandboxError> {
    Ok(context.connection.prepare_cached("SELECT 1 FROM rulesets WHERE id = ?1")?.exists([id])?)
}

/// Reads a ruleset from an entry; members that the entry omits are copied from `before`, or have
/// their default.
fn read_ruleset(
    context: &RequestContext<'_>,
    plot: &Plot<'_>,
    entry: &Map<String, Value>,
    before: Option<&Ruleset>,
    place: &str,
) -> Result<Ruleset, SandboxError> {
    const MEMBERS: &[&str] = &[
        "id",
        "name",
        "description",
        "source",
        "kind",
        "version",
        "last_updated",
        "phase",
        "rules",
        "earlier",
        "account_id",
    ];
    let wrong = |problem: String| SandboxError::document(place, problem);
    if let Some(key) = entry.keys().find(|key| !MEMBERS.contains(&key.as_str())) {
        return Err(wrong(format!("`{key}` is not a member of rulesets")));
    }
    let member = |key: &str, of_before: Option<&String>, default: &str| {
        text_member(entry, key).map_or_else(
            || of_before.map_or_else(|| default.to_owned(), Clone::clone),
            str::to_owned,
        )
    };
    let phase_name = member("phase", before.map(|b| &b.phase), "");
    if phase(&phase_name).is_none() {
        return Err(wrong(format!("`{phase_name}` is not a phase")));
    }
    let kind = member("kind", before.map(|b| &b.kind), plot.kind);
    if kind != plot.kind && !(plot.kind == "root" && kind == "custom") {
        return Err(wrong(format!("`{kind}` is not a kind of rulesets here")));
    }
    let id = match text_member(entry, "id")
        .map(str::to_owned)
        .or_else(|| before.map(|b| b.id.clone()))
    {
        Some(id) => id,
        None => store::next_id(context)
            .map_err(|refusal: Refusal| SandboxError::refused(place, &refusal))?,
    };
    let version = match text_member(entry, "version") {
        Some(version) => {
            version.parse().map_err(|_| wrong(format!("`{version}` is not a version")))?
        }
        None => before.map_or(1, |b| b.version + 1),
    };
    let rules = match entry.get("rules") {
        None => before.map(|b| b.rules.clone()).unwrap_or_default(),
        Some(Value::Array(rules)) => {
            let rule = |(n, rule): (usize, &Value)| {
                read_rule(context, &kind, rule, &format!("{place}.rules[{n}]"))
            };
            rules.iter().enumerate().map(rule).collect::<Result<_, _>>()?
        }
        Some(_) => return Err(wrong("`rules` must be a list".to_owned())),
    };
    let mut ids: Vec<&str> = rules.iter().map(id_of).collect();
    ids.sort_unstable();
    if ids.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(wrong("two rules have the same identifier".to_owned()));
    }
    Ok(Ruleset {
        id,
        name: member("name", before.map(|b| &b.name), "default"),
        description: member("description", before.map(|b| &b.description), ""),
        kind,
        version,
        last_updated: member("last_updated", None, context.now),
        phase: phase_name,
        rules,
    })
}

/// Reads a rule from an entry: its members unchanged, plus missing required members.
fn read_rule(
    context: &RequestContext<'_>,
    kind: &str,
    entry: &Value,
    place: &str,
) -> Result<StoredRule, SandboxError> {
    let wrong = |problem: &str| SandboxError::document(place, problem);
    let entry = entry.as_object().ok_or_else(|| wrong("must be an object"))?;
    let action = text_member(entry, "action").ok_or_else(|| wrong("must have an action"))?;
    if !ACTIONS.contains(&action) {
        return Err(wrong("must have an action that there is"));
    }
    if kind != "managed" && text_member(entry, "expression").is_none() {
        return Err(wrong("must have an expression"));
    }
    let id = match text_member(entry, "id") {
        Some(id) => id.to_owned(),
        None => store::next_id(context)
            .map_err(|refusal: Refusal| SandboxError::refused(place, &refusal))?,
    };
    let reference = text_member(entry, "ref").unwrap_or(&id).to_owned();
    let mut rule = Map::new();
    rule.insert("id".to_owned(), id.into());
    rule.insert("version".to_owned(), entry.get("version").cloned().unwrap_or_else(|| "1".into()));
    rule.extend(entry.iter().map(|(key, value)| (key.clone(), value.clone())));
    // Existing members keep their value and their position.
    rule.entry("last_updated").or_insert_with(|| context.now.into());
    rule.entry("ref").or_insert_with(|| reference.into());
    rule.entry("enabled").or_insert(Value::Bool(true));
    Ok(rule)
}

/// Returns a ruleset as a document entry. An empty list of rules is included, because a missing
/// list means "unchanged".
fn ruleset_entry(ruleset: &Ruleset) -> Value {
    let mut entry = ruleset.to_json(Detail::Whole);
    if ruleset.rules.is_empty() {
        entry["rules"] = Value::Array(Vec::new());
    }
    entry
}

/// Returns the rulesets of an owner as document entries.
fn ruleset_entries(context: &RequestContext<'_>, owner: &str) -> Result<Vec<Value>, SandboxError> {
    let mut entries = Vec::new();
    for ruleset in store::load_rulesets(context.connection, owner)? {
        let mut earlier = store::load_versions(context.connection, &ruleset.id)?;
        earlier.retain(|version| version.version != ruleset.version);
        let mut entry_of = ruleset_entry(&ruleset);
        // For a managed ruleset, a missing member would mean the built-in version.
        if !earlier.is_empty() || owner == store::VENDOR {
            entry_of["earlier"] = earlier.iter().map(ruleset_entry).collect();
        }
        entries.push(entry_of);
    }
    Ok(entries)
}

/// Returns the rulesets of a zone; `None` if it has none.
pub(crate) fn zone_rulesets(
    context: &RequestContext<'_>,
    zone: &Zone,
) -> Result<Option<Vec<Value>>, SandboxError> {
    let entries = ruleset_entries(context, &zone.id)?;
    Ok((!entries.is_empty()).then_some(entries))
}

/// Returns the rulesets of accounts; `None` if there are none.
pub(crate) fn of_accounts(
    context: &RequestContext<'_>,
) -> Result<Option<Vec<Value>>, SandboxError> {
    let mut entries = Vec::new();
    for account in store::accounts(context.connection)? {
        for mut entry in ruleset_entries(context, &account)? {
            entry["account_id"] = account.clone().into();
            entries.push(entry);
        }
    }
    Ok((!entries.is_empty()).then_some(entries))
}

/// Returns the managed rulesets that were replaced; `None` if there are none.
pub(crate) fn of_vendor(context: &RequestContext<'_>) -> Result<Option<Vec<Value>>, SandboxError> {
    let entries = ruleset_entries(context, store::VENDOR)?;
    Ok((!entries.is_empty()).then_some(entries))
}

/// Returns a managed ruleset in the form of the API; `None` if it does not exist.
pub(crate) fn managed(
    context: &RequestContext<'_>,
    id: &str,
) -> Result<Option<Value>, SandboxError> {
    let managed_ruleset = catalogue::find_managed_ruleset(context, id)
        .map_err(|refusal| SandboxError::refused("managed_rulesets", &refusal))?;
    Ok(managed_ruleset.map(|ruleset| ruleset.to_json(Detail::Whole)))
}
