//! Implements `waf rules --lock` and `--check`: writes the managed rulesets to a lock file, or
//! compares them with it.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use crate::cli::exit_codes::Exit;
use crate::cli::files::{self, Readers};
use crate::cli::output::Output;
use crate::cli::shared_arguments::{Format, SpecArgs};
use crate::document::waf as json;
use crate::insight::waf::lock::{Lock, compare};
use crate::live::WafQuery;
use crate::model::managed::Catalogue;
use crate::reconcile::waf_lock::{self, path_beside};
use crate::reconcile::{Goal, Protected};
use crate::render::text::write_waf_lock;

/// Options about the lock file.
#[derive(Debug, Args)]
pub(super) struct LockArgs {
    /// Write the managed rulesets of the spec to waf.lock, and show what Cloudflare changed
    #[arg(long, conflicts_with_all = ["ruleset", "tag", "family", "level", "state"])]
    lock: bool,
    /// Compare the managed rulesets with waf.lock; exit with 2 if Cloudflare changed something
    #[arg(long, conflicts_with_all = ["lock", "ruleset", "tag", "family", "level", "state"])]
    check: bool,
    /// The lock file [default: waf.lock beside the first SPEC]
    #[arg(long, value_name = "FILE")]
    lock_file: Option<PathBuf>,
}

impl LockArgs {
    /// Returns true if the command is about the lock file.
    pub(super) fn is_given(&self) -> bool {
        self.lock || self.check
    }

    /// Refuses a lock file that nothing reads or writes.
    ///
    /// # Errors
    /// What to write instead.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.lock_file {
            Some(_) if !self.is_given() => Err(
                "--lock-file is used with --lock, which writes it, or --check, which compares with it"
                    .to_owned(),
            ),
            _ => Ok(()),
        }
    }

    /// Writes the lock file, or compares the managed rulesets with it.
    ///
    /// # Errors
    /// The spec tunes no managed ruleset, or the file cannot be read or written.
    pub(super) fn run(
        &self,
        spec: &SpecArgs,
        (goal, zones): (&Goal, &[Protected]),
        output: &Output,
    ) -> anyhow::Result<Exit> {
        let tuned = |which| {
            let mut sections = goal.desired.zones.values().filter_map(|z| z.waf.as_deref());
            sections.any(|section| WafQuery::of(section).managed.contains(&which))
        };
        let catalogues =
            || zones.iter().flat_map(|z| &z.before.catalogues).map(AsRef::<Catalogue>::as_ref);
        let lock = Lock::of(catalogues().filter(|c| c.which.is_some_and(tuned)));
        if lock.rulesets.is_empty() {
            bail!(
                "the spec tunes no managed ruleset that Cloudflare offers, so there is nothing to \
                lock"
            );
        }
        let path = self.lock_file.clone().unwrap_or_else(|| path_beside(spec.first_file()));
        let previous_lock = read_lock(&path, self.check)?;
        let of_id = |id: &str| catalogues().find(|c| c.id.0 == id);
        let reference = previous_lock.clone().unwrap_or_default();
        let rulesets = lock
            .rulesets
            .iter()
            .filter_map(|r| Some(compare(reference.ruleset(&r.id), of_id(&r.id)?)));
        let changes: Vec<_> = rulesets.collect();
        let is_same = previous_lock.as_ref() == Some(&lock);
        if !self.check && !is_same {
            let text = lock.print();
            let written = match &self.lock_file {
                Some(path) => files::write_file(path, text.as_bytes(), Readers::Everyone, output),
                None => files::replace(&path, text.as_bytes(), Readers::Everyone),
            };
            written.with_context(|| format!("failed to write {}", path.display()))?;
        }
        let file = path.display().to_string();
        match output.format {
            Format::Json => output.json(&json::lock(&file, &changes, is_same, self.check))?,
            Format::Text | Format::Document(_) => {
                let first = previous_lock.is_none();
                output.result(|out| {
                    write_waf_lock(out, &file, &changes, is_same, self.check, first)
                })?;
            }
        }
        Ok(if self.check && !is_same { Exit::Differences } else { Exit::Success })
    }
}

/// Reads the lock file; `None` if there is none. An unreadable file counts as absent, except for a
/// check.
fn read_lock(path: &Path, is_check: bool) -> anyhow::Result<Option<Lock>> {
    let text = match waf_lock::read_text(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !is_check => return Ok(None),
        // A pipe or device, such as `/dev/stdout`, has no earlier content.
        Err(_) if !path.is_file() && !is_check => return Ok(None),
        Err(error) => {
            return Err(error).with_context(|| format!("failed to read {}", path.display()));
        }
    };
    match Lock::parse(&text) {
        Ok(lock) => Ok(Some(lock)),
        Err(error) if is_check => {
            Err(error).with_context(|| format!("failed to read {}", path.display()))
        }
        Err(_) => Ok(Some(Lock::default())),
    }
}
