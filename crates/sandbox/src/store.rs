//! The state: one SQLite file, or memory, with columns that any SQLite tool can read.
//!
//! The store uses WAL mode with `synchronous = NORMAL`: a commit reaches the operating system
//! before it is acknowledged, so killing the process loses no acknowledged write; only a power
//! failure could.

use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};
use rusqlite::{Connection, OptionalExtension, params};

use super::{SandboxError, rulesets};

/// The location of a sandbox's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreLocation {
    /// In memory; lost when the sandbox stops.
    Memory,
    /// In a SQLite file, with `-wal` and `-shm` beside it while in use.
    File(PathBuf),
}

/// Tables and indexes.
///
/// `seq` keeps the order of creation. `identity` is equal for equivalent records. Triggers keep the
/// count of a zone's records, so that the quota check is fast in a zone of 100,000 records.
/// Settings are stored only if they were changed, and are deleted with the zone; values are JSON.
const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS zones (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  plan TEXT NOT NULL,
  status TEXT NOT NULL,
  paused INTEGER NOT NULL DEFAULT 0,
  type TEXT NOT NULL DEFAULT 'full',
  account_id TEXT NOT NULL,
  account_name TEXT NOT NULL,
  created_on TEXT NOT NULL,
  modified_on TEXT NOT NULL,
  activated_on TEXT,
  record_count INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS records (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  zone_id TEXT NOT NULL REFERENCES zones(id) ON DELETE CASCADE,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  content TEXT NOT NULL,
  priority INTEGER,
  ttl INTEGER NOT NULL,
  proxied INTEGER NOT NULL,
  comment TEXT,
  tags TEXT NOT NULL DEFAULT '[]',
  data TEXT,
  settings TEXT NOT NULL DEFAULT '{}',
  meta TEXT NOT NULL DEFAULT '{}',
  locked INTEGER NOT NULL DEFAULT 0,
  created_on TEXT NOT NULL,
  modified_on TEXT NOT NULL,
  comment_modified_on TEXT,
  tags_modified_on TEXT,
  identity TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS zone_settings (
  zone_id TEXT NOT NULL REFERENCES zones(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  modified_on TEXT NOT NULL,
  PRIMARY KEY (zone_id, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS zone_dnssec (
  zone_id TEXT PRIMARY KEY REFERENCES zones(id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  modified_on TEXT,
  multi_signer INTEGER NOT NULL DEFAULT 0,
  presigned INTEGER NOT NULL DEFAULT 0,
  use_nsec3 INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS zone_dns_settings (
  zone_id TEXT PRIMARY KEY REFERENCES zones(id) ON DELETE CASCADE,
  changes TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS zone_resources (
  zone_id TEXT NOT NULL REFERENCES zones(id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (zone_id, path)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS records_by_name ON records(zone_id, name, type, identity);
CREATE INDEX IF NOT EXISTS records_by_age ON records(zone_id, seq);
CREATE INDEX IF NOT EXISTS records_managed ON records(zone_id, name) WHERE meta <> '{}';
CREATE TRIGGER IF NOT EXISTS record_added AFTER INSERT ON records BEGIN
  UPDATE zones SET record_count = record_count + 1 WHERE id = NEW.zone_id;
END;
CREATE TRIGGER IF NOT EXISTS record_removed AFTER DELETE ON records BEGIN
  UPDATE zones SET record_count = record_count - 1 WHERE id = OLD.zone_id;
END;
";

/// Opens the store; creates the file and its directory if they are missing.
pub(super) fn open_store(location: &StoreLocation) -> Result<Connection, SandboxError> {
    if let StoreLocation::File(path) = location
        && let Some(folder) = path.parent()
    {
        std::fs::create_dir_all(folder)
            .map_err(|error| SandboxError::Folder(folder.to_owned(), error))?;
    }
    if let StoreLocation::File(path) = location {
        make_private(path)?;
    }
    Ok(connect(location)?)
}

/// Makes the store readable only by its owner. The files that SQLite creates beside it get the same
/// permissions.
fn make_private(path: &Path) -> Result<(), SandboxError> {
    if path.is_symlink() {
        return Err(SandboxError::Link(path.to_owned()));
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let created = options.open(path).and_then(|file| {
        #[cfg(unix)]
        if std::os::unix::fs::PermissionsExt::mode(&file.metadata()?.permissions()) & 0o077 != 0 {
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        }
        drop(file);
        Ok(())
    });
    created.map_err(|error| SandboxError::Private(path.to_owned(), error))
}

/// Opens the store in an existing directory.
fn connect(location: &StoreLocation) -> rusqlite::Result<Connection> {
    let connection = match location {
        StoreLocation::Memory => Connection::open_in_memory()?,
        StoreLocation::File(path) => Connection::open(path)?,
    };
    connection.busy_timeout(std::time::Duration::from_secs(10))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.execute_batch(SCHEMA)?;
    connection.execute_batch(rulesets::SCHEMA)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(connection)
}

/// Empties the store.
pub(super) fn clear(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(
        "DELETE FROM records; DELETE FROM rulesets; DELETE FROM zones; DELETE FROM state;",
    )?;
    transaction.commit()
}

/// Returns a stored number, 0 if it was never set.
pub(super) fn stored_number(connection: &Connection, key: &str) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached("SELECT value FROM state WHERE key = ?1")?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// Stores a number.
pub(super) fn set_number(connection: &Connection, key: &str, value: i64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO state (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET \
        value = excluded.value";
    connection.prepare_cached(sql)?.execute(params![key, value])?;
    Ok(())
}

/// Returns the next identifier: 32 hexadecimal digits from the seed and a counter that survives
/// restarts.
///
/// Equal seeds and equal requests give equal identifiers. An identifier that a seed document uses
/// is skipped.
pub(super) fn next_id(connection: &Connection, seed: u64) -> rusqlite::Result<String> {
    let mut taken_ids = connection.prepare_cached(
        "SELECT 1 FROM records WHERE id = ?1 UNION ALL SELECT 1 FROM zones WHERE id = ?1 \
         UNION ALL SELECT 1 FROM rulesets WHERE id = ?1 UNION ALL SELECT 1 FROM ruleset_rules \
         WHERE id = ?1",
    )?;
    let mut counter = stored_number(connection, "counter")?;
    loop {
        counter += 1;
        let digest = digest(&SHA256, format!("zonewright sandbox {seed} {counter}").as_bytes());
        let id = HEXLOWER.encode(&digest.as_ref()[..16]);
        if !taken_ids.exists([&id])? {
            set_number(connection, "counter", counter)?;
            return Ok(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_come_from_the_seed() {
        let (one, two) = (
            open_store(&StoreLocation::Memory).unwrap(),
            open_store(&StoreLocation::Memory).unwrap(),
        );
        let first = next_id(&one, 7).unwrap();
        assert_eq!(first, next_id(&two, 7).unwrap());
        assert_ne!(first, next_id(&one, 7).unwrap());
        assert_ne!(next_id(&one, 8).unwrap(), next_id(&two, 7).unwrap());
        assert!(first.len() == 32 && first.bytes().all(|b| b.is_ascii_hexdigit()));
    }
}
