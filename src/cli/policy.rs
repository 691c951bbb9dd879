//! Reads the policy file, for plans and lints.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::paths::is_below;
use super::shared_arguments::Global;
use crate::diagnostic::read_text;
use crate::model::{Policy, PolicyEntry, Suppression};
use crate::spec::{Allowed, POLICY_FILE, PolicyFile, read_policy};

/// Maximum size of a policy file, in bytes.
const LARGEST_POLICY: u64 = 4 * 1024 * 1024;

/// Reads the text of a policy file.
fn read_policy_text(path: &Path) -> io::Result<String> {
    read_text(fs::File::open(path)?, LARGEST_POLICY)
}

/// Returns the lints that the policy accepts.
///
/// # Errors
/// The policy cannot be read.
pub(super) fn accepted_lints(global: &Global) -> anyhow::Result<Vec<Suppression>> {
    Ok(policy_file(global)?.map(|file| file.suppressions).unwrap_or_default())
}

/// Reads the policy file, if there is one.
fn policy_file(global: &Global) -> anyhow::Result<Option<PolicyFile>> {
    let usual = PathBuf::from(POLICY_FILE);
    let path = match &global.policy {
        Some(path) => path,
        None if usual.is_file() => {
            // The user did not name the default file, so a link in it must not show another user's
            // file to readers of the messages.
            if !is_below(&usual, Path::new(".")) {
                bail!(
                    "{POLICY_FILE} is a link that leads out of its directory; name the file with \
                    --policy if that is meant"
                );
            }
            &usual
        }
        None => return Ok(None),
    };
    let text = read_policy_text(path)
        .with_context(|| format!("failed to read the policy {}", path.display()))?;
    read_policy(&path.display().to_string(), &text)
        .map(Some)
        .map_err(|error| *error)
        .with_context(|| format!("the policy {} cannot be used", path.display()))
}

/// Returns the policy for plans.
pub(super) fn policy(global: &Global) -> anyhow::Result<Policy> {
    let usual = Policy::default();
    let Some(file) = policy_file(global)? else { return Ok(usual) };
    let PolicyFile {
        most_changes,
        from_records,
        narrow_rules,
        narrow_days,
        allowed,
        suppressions: _,
    } = file;
    let entry = |Allowed { zones, danger, reason }| PolicyEntry { zones, danger, reason };
    Ok(Policy {
        most_changes: most_changes.unwrap_or(usual.most_changes),
        from_records: from_records.unwrap_or(usual.from_records),
        narrow_rules: narrow_rules.unwrap_or(usual.narrow_rules).min(usual.narrow_rules),
        narrow_days: narrow_days.unwrap_or(usual.narrow_days).min(usual.narrow_days),
        allowed: allowed.into_iter().map(entry).collect(),
    })
}
