//! Implements `waf lock`: writes the managed rulesets to a lock file, or compares them with it.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use super::protection;
use crate::cli::commands::{Facts, Run, Session};
use crate::cli::exit_codes::Exit;
use crate::cli::files::{self, Readers};
use crate::cli::options_in_help::Matters;
use crate::cli::shared_arguments::{Format, SpecArgs};
use crate::document::waf as json;
use crate::insight::waf::lock::{Lock, compare};
use crate::live::WafQuery;
use crate::model::managed::Catalogue;
use crate::reconcile::waf_lock::{self, path_beside};
use crate::render::text::write_waf_lock;

/// Write waf.lock, or compare the managed rulesets with it
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright waf lock zones/\n  zonewright waf lock zones/ --check"
)]
pub(super) struct WafLockArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    /// The file [default: waf.lock beside the first SPEC]
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
    /// Compare only; exit with 2 if Cloudflare changed something
    #[arg(long)]
    check: bool,
}

impl Run for WafLockArgs {
    const MATTERS: Matters = Matters { base: false, ..Matters::ALL };

    fn facts(&self) -> Facts<'_> {
        Facts { files: self.spec.files(), ..Facts::online("waf") }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let (goal, zones) = protection::of_spec(&self.spec, settings, output).await?;
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
        let path = self.lock.clone().unwrap_or_else(|| path_beside(self.spec.first_file()));
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
            let written = match &self.lock {
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
