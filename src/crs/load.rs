//! Finds and reads the rules on disk.
//!
//! # Sources
//! The list of files of Debian's package `modsecurity-crs` 3.3.4, read 2026-11.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::seclang::{Error, RuleSet};

/// Directory in which Debian's package `modsecurity-crs` installs the rules, used by default.
pub const DEBIAN_RULES: &str = "/usr/share/modsecurity-crs";
/// Settings file of the same package.
const DEBIAN_SETUP: &str = "/etc/modsecurity/crs/crs-setup.conf";

/// Reasons why the rules cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CrsError {
    /// No rules in the directory.
    #[error(
        "there are no rules in {}: install the package modsecurity-crs, or get the rules from \
         https://github.com/coreruleset/coreruleset and name their directory with --crs", .0.display()
    )]
    NoRules(PathBuf),
    /// No settings file.
    #[error("there is no crs-setup.conf in {}: copy crs-setup.conf.example of the same version \
        there", .0.display())]
    NoSetup(PathBuf),
    /// A file cannot be read.
    #[error("cannot read {}", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    /// A file is not written in the rule language.
    #[error(transparent)]
    Rules(#[from] Error),
}

/// Reads `crs-setup.conf` (or its example) and `rules/*.conf` from a directory.
///
/// # Errors
/// Fails if no rules are there, or if they cannot be used.
pub fn load(directory: &Path) -> Result<RuleSet, CrsError> {
    let folder = Some(directory.join("rules"))
        .filter(|folder| folder.is_dir())
        .unwrap_or_else(|| directory.to_owned());
    let mut files = Vec::new();
    if let Ok(entries) = fs::read_dir(&folder) {
        let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
        files.extend(
            paths.filter(|path| path.extension().is_some_and(|extension| extension == "conf")),
        );
    }
    files.sort();
    if files.is_empty() {
        return Err(CrsError::NoRules(folder));
    }
    let setup = [directory.join("crs-setup.conf"), directory.join("crs-setup.conf.example")]
        .into_iter()
        .chain((directory == Path::new(DEBIAN_RULES)).then(|| PathBuf::from(DEBIAN_SETUP)))
        .find(|path| path.is_file())
        .ok_or_else(|| CrsError::NoSetup(directory.to_owned()))?;
    let text = |path: &PathBuf| -> Result<(String, String), CrsError> {
        let bytes = fs::read(path).map_err(|error| CrsError::Unreadable(path.clone(), error))?;
        Ok((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
    };
    let rules =
        files.iter().filter(|path| **path != setup).map(text).collect::<Result<Vec<_>, _>>()?;
    // A rule names its data file without a directory, so no other file can be read.
    let data =
        |name: &str| Path::new(name).file_name().and_then(|name| fs::read(folder.join(name)).ok());
    Ok(RuleSet::new(&[text(&setup)?], &rules, &data)?)
}
