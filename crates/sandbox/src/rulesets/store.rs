//! The store of rulesets: one row for each, and one JSON document for each of its versions.
//!
//! A ruleset belongs to a zone, to an account, or to Cloudflare, which owns rulesets of kind
//! `managed`. Only replaced managed rulesets are stored, see [`catalogue`](super::catalogue).

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::ruleset::{Detail, Ruleset, id_of};
use super::scope::Scope;
use crate::envelope::HandlerResult;
use crate::request_context::RequestContext;
use crate::store;

/// Tables.
///
/// `owner` is a zone, an account, or empty for Cloudflare; `zone_id` only deletes the rulesets of a
/// zone together with it. The identifiers of rules have their own table so that none is used twice.
pub(crate) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS rulesets (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  zone_id TEXT REFERENCES zones(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  phase TEXT NOT NULL,
  version INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS ruleset_versions (
  ruleset_id TEXT NOT NULL REFERENCES rulesets(id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (ruleset_id, version)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ruleset_rules (
  ruleset_id TEXT NOT NULL REFERENCES rulesets(id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  PRIMARY KEY (ruleset_id, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS rulesets_by_owner ON rulesets(owner, phase);
CREATE INDEX IF NOT EXISTS ruleset_rules_by_id ON ruleset_rules(id);
";

/// The owner of the rulesets of kind `managed`.
pub(super) const VENDOR: &str = "";

/// The statement that reads the current version of rulesets.
const LATEST: &str = "SELECT v.document FROM rulesets AS r JOIN ruleset_versions AS v ON \
    v.ruleset_id = r.id AND \
     v.version = r.version WHERE r.owner = ?1";

/// Reads a ruleset from a row.
fn ruleset_from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Ruleset> {
    let document: String = row.get(0)?;
    serde_json::from_str::<Value>(&document).ok().as_ref().and_then(Ruleset::from_json).ok_or_else(
        || {
            let problem = "a ruleset in the store is not readable".into();
            rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, problem)
        },
    )
}

/// Returns the ruleset with an owner and an identifier.
pub(super) fn get(
    connection: &Connection,
    owner: &str,
    id: &str,
) -> rusqlite::Result<Option<Ruleset>> {
    connection
        .prepare_cached(&format!("{LATEST} AND r.id = ?2"))?
        .query_row([owner, id], ruleset_from_row)
        .optional()
}

/// Returns all rulesets of an owner, in the order of creation.
pub(super) fn load_rulesets(
    connection: &Connection,
    owner: &str,
) -> rusqlite::Result<Vec<Ruleset>> {
    connection
        .prepare_cached(&format!("{LATEST} ORDER BY r.seq"))?
        .query_map([owner], ruleset_from_row)?
        .collect()
}

/// Returns the accounts that have rulesets, by identifier.
pub(super) fn accounts(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql =
        "SELECT DISTINCT owner FROM rulesets WHERE zone_id IS NULL AND owner <> ?1 ORDER BY owner";
    connection.prepare_cached(sql)?.query_map([VENDOR], |row| row.get(0))?.collect()
}

/// Returns the entry point of a phase.
pub(super) fn load_entry_point(
    context: &RequestContext<'_>,
    scope: &Scope,
    phase: &str,
) -> rusqlite::Result<Option<Ruleset>> {
    let sql = format!("{LATEST} AND r.phase = ?2 AND r.kind = ?3");
    context
        .connection
        .prepare_cached(&sql)?
        .query_row([scope.id(), phase, scope.entry_kind()], ruleset_from_row)
        .optional()
}

/// Returns the stored versions of a ruleset, from the first.
pub(super) fn load_versions(connection: &Connection, id: &str) -> rusqlite::Result<Vec<Ruleset>> {
    let sql = "SELECT document FROM ruleset_versions WHERE ruleset_id = ?1 ORDER BY version";
    connection.prepare_cached(sql)?.query_map([id], ruleset_from_row)?.collect()
}

/// Stores a version of a ruleset as the current one; versions above it are deleted.
pub(super) fn save_ruleset(
    connection: &Connection,
    owner: &str,
    ruleset: &Ruleset,
) -> rusqlite::Result<()> {
    let Ruleset { id, kind, phase, rules, .. } = ruleset;
    let version = i64::try_from(ruleset.version).unwrap_or(i64::MAX);
    let zone = Some(owner).filter(|_| kind == "zone");
    let sql = "INSERT INTO rulesets (id, owner, zone_id, kind, phase, version) VALUES (?1, ?2, ?3, \
        ?4, ?5, ?6) \
         ON CONFLICT (id) DO UPDATE SET version = ?6";
    connection.prepare_cached(sql)?.execute(params![id, owner, zone, kind, phase, version])?;
    let sql = "DELETE FROM ruleset_versions WHERE ruleset_id = ?1 AND version > ?2";
    connection.prepare_cached(sql)?.execute(params![id, version])?;
    keep_version(connection, ruleset)?;
    connection.prepare_cached("DELETE FROM ruleset_rules WHERE ruleset_id = ?1")?.execute([id])?;
    let mut note =
        connection.prepare_cached("INSERT INTO ruleset_rules (ruleset_id, id) VALUES (?1, ?2)")?;
    for rule in rules {
        note.execute(params![id, id_of(rule)])?;
    }
    Ok(())
}

/// Stores a version of an existing ruleset.
pub(super) fn keep_version(connection: &Connection, ruleset: &Ruleset) -> rusqlite::Result<()> {
    let sql = "INSERT INTO ruleset_versions (ruleset_id, version, document) VALUES (?1, ?2, ?3) \
         ON CONFLICT (ruleset_id, version) DO UPDATE SET document = ?3";
    let version = i64::try_from(ruleset.version).unwrap_or(i64::MAX);
    let document = ruleset.to_json(Detail::Whole).to_string();
    connection.prepare_cached(sql)?.execute(params![ruleset.id, version, document])?;
    Ok(())
}

/// Deletes a ruleset with all its versions.
pub(super) fn remove(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM rulesets WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Deletes one version.
pub(super) fn remove_version(
    connection: &Connection,
    id: &str,
    version: u64,
) -> rusqlite::Result<()> {
    let version = i64::try_from(version).unwrap_or(i64::MAX);
    let sql = "DELETE FROM ruleset_versions WHERE ruleset_id = ?1 AND version = ?2";
    connection.prepare_cached(sql)?.execute(params![id, version])?;
    Ok(())
}

/// Creates an identifier for a ruleset or a rule.
pub(super) fn next_id(context: &RequestContext<'_>) -> HandlerResult<String> {
    Ok(store::next_id(context.connection, context.seed)?)
}
