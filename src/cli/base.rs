//! `--base`: the spec as it was before, from a file, a directory or a git revision.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::args::SpecArgs;
use super::settings::Settings;
use crate::diagnostic::{Severity, Sources};
use crate::model::Desired;
use crate::reconcile::Base;
use crate::spec;

/// Loads the spec as it was before.
///
/// # Errors
/// It cannot be found or read, or has mistakes.
pub(super) fn load(base: &str, args: &SpecArgs, settings: &Settings<'_>) -> anyhow::Result<Base> {
    let path = Path::new(base);
    if path.exists() {
        let desired = read(&[path.to_owned()], base, settings)?;
        return Ok(Base { desired, name: base.to_owned() });
    }
    if args.spec.iter().any(|p| p.as_os_str() == "-") {
        bail!("--base {base} is a git revision, which needs a spec in files; standard input has no history");
    }
    let directory = tempfile::tempdir().context("failed to make a temporary directory")?;
    let revision = spec::at_revision(&args.spec, base, directory.path())
        .with_context(|| format!("failed to read the spec at the revision {base}"))?;
    let short = revision.commit.get(..12).unwrap_or(&revision.commit).to_owned();
    let name = if short.starts_with(base) { short } else { format!("{base} ({short})") };
    // Where the spec did not exist, nothing was wanted: everything in it is new.
    let desired =
        if revision.inputs.is_empty() { Desired::default() } else { read(&revision.inputs, &name, settings)? };
    Ok(Base { desired, name })
}

/// Reads it; its mistakes end the run, as half of it would be taken for removals.
fn read(inputs: &[PathBuf], name: &str, settings: &Settings<'_>) -> anyhow::Result<Desired> {
    let mut sources = Sources::default();
    let inputs: Vec<_> = inputs.iter().cloned().map(spec::Input::Path).collect();
    let outcome = spec::load(&inputs, &settings.spec_options()?, &mut sources);
    if let Some(desired) = outcome.desired {
        return Ok(desired);
    }
    let first = outcome.diagnostics.iter().find(|d| d.severity == Severity::Error);
    let what = first.map_or_else(String::new, |d| format!(": {}: {}", d.summary(), d.detail));
    bail!("the spec before ({name}) has mistakes{what}; plan without --base, or name another revision")
}
