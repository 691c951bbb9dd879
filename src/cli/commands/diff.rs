//! Implements `diff`: compares two specs offline.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::file_kinds::Takes;
use crate::cli::load_spec::{input, report_errors};
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::{Format, Global};
use crate::diagnostic::{Diagnostics, Severity, Sources, findings};
use crate::diff::{SpecChanges, diff_specs};
use crate::document;
use crate::model::{Desired, Gather};
use crate::reconcile::{Base, pattern};
use crate::render::Findings;
use crate::render::text::write_spec_changes;
use crate::spec;

/// Compare two specs offline, or a spec with its last commit
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright diff zones/\n  zonewright diff zones/ --base main\n  zonewright diff old/ new/ --detailed-exitcode --format json"
)]
pub(in crate::cli) struct DiffArgs {
    /// Old and new spec, each a file, a directory, or `-` for standard input; with one SPEC, the old
    /// one is that of --base [default: HEAD]
    #[arg(value_name = "SPEC", num_args = 1..=2, required = true)]
    specs: Vec<PathBuf>,
    /// Exit with 2 if there are differences
    #[arg(long, alias = "exit-code")]
    detailed_exitcode: bool,
}

impl Run for DiffArgs {
    const MATTERS: Matters = Matters { shards: false, base: true, ..Matters::SPEC };

    fn facts(&self) -> Facts<'_> {
        Facts {
            files: self.specs.iter().map(|path| (path.as_path(), Takes::Spec)).collect(),
            ..Facts::offline("diff")
        }
    }

    fn check(&self, global: &Global) -> Result<(), String> {
        match self.specs.len() {
            2 if global.base.is_some() => {
                Err("`diff OLD NEW` has no --base, which would have no effect; remove it, or name \
                    one SPEC"
                    .to_owned())
            }
            _ => Ok(()),
        }
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let mut sources = Sources::default();
        let mut errors = Diagnostics::default();
        let (before, after) = match self.specs.as_slice() {
            [before, after] => {
                let first_spec = read_spec(before, settings, &mut sources, &mut errors)?;
                (first_spec, read_spec(after, settings, &mut sources, &mut errors)?)
            }
            specs => {
                let base = old_spec(specs, settings, &mut sources)?;
                output.say(&format!("The old spec is that of {}", base.source));
                let new_spec =
                    specs.first().map(|path| read_spec(path, settings, &mut sources, &mut errors));
                (Some(base.desired), new_spec.transpose()?.flatten())
            }
        };
        let (Some(before), Some(after)) = (before, after) else {
            return report_incomparable(errors, &sources, settings, output);
        };
        let mut changes = diff_specs(&before, &after);
        let names = || before.zones.keys().chain(after.zones.keys());
        select(&mut changes, &settings.flags.zone, names().map(|name| name.as_str()), &mut errors);
        if errors.has_errors() {
            return report_incomparable(errors, &sources, settings, output);
        }
        match output.format {
            Format::Json => output.json(&document::spec_diff::json(&changes, &sources))?,
            Format::Text | Format::Document(_) => {
                output.report(|out| write_spec_changes(out, &changes, output.colour))?;
            }
        }
        Ok(if self.detailed_exitcode && !changes.is_empty() {
            Exit::Differences
        } else {
            Exit::Success
        })
    }
}

/// Reads the base of a spec: that of `--base`, or else the last commit.
fn old_spec(
    specs: &[PathBuf],
    settings: &Settings<'_>,
    sources: &mut Sources,
) -> anyhow::Result<Base> {
    let options = settings.base_options()?;
    match &settings.flags.base {
        Some(name) => Ok(Base::load_into(name, specs, &options, sources)?),
        None => Base::load_into("HEAD", specs, &options, sources).map_err(|error| {
            let why = anyhow::Error::new(error);
            Ended::usage(format!("{why:#}; name both specs: zonewright diff OLD NEW"))
        }),
    }
}

/// Reads one of the specs. Its errors, but no warnings, are added to `errors`.
fn read_spec(
    path: &Path,
    settings: &Settings<'_>,
    sources: &mut Sources,
    errors: &mut Diagnostics,
) -> anyhow::Result<Option<Desired>> {
    // One of the specs may lack variables of the other.
    let options = spec::Options { may_leave_variables: true, ..settings.spec_options()? };
    let spec::Outcome { desired, diagnostics, .. } = spec::load(&[input(path)?], &options, sources);
    let is_good = !diagnostics.has_errors();
    errors.append(diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect());
    Ok(desired.filter(|_| is_good))
}

/// Reports the errors of specs that cannot be compared.
fn report_incomparable(
    mut errors: Diagnostics,
    sources: &Sources,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<Exit> {
    errors.sort(sources);
    if output.format == Format::Text {
        output.diagnostics(&errors, sources);
    }
    let findings = Findings { command: "diff", diagnostics: &errors, sources, holds: None };
    report_errors(&findings, settings, output)?;
    Ok(Exit::Error)
}

/// Keeps the zones that `--zone` selects. Each name must belong to a zone of either spec.
fn select<'n>(
    changes: &mut SpecChanges,
    globs: &[String],
    names: impl Iterator<Item = &'n str> + Clone,
    errors: &mut Diagnostics,
) {
    if globs.is_empty() {
        return;
    }
    let mut patterns = Vec::new();
    for text in globs {
        match pattern(text).ok().filter(|pattern| names.clone().any(|name| pattern.matches(name))) {
            Some(pattern) => patterns.push(pattern),
            None => errors.push(
                findings::NO_SUCH_ZONE.nowhere(format!("no zone of either spec matches {text:?}")),
            ),
        }
    }
    let is_meant = |name: &str| patterns.iter().any(|pattern| pattern.matches(name));
    changes.zones.retain(|zone| is_meant(zone.zone.as_str()));
    let selected_names: BTreeSet<&str> = names.filter(|name| is_meant(name)).gather();
    changes.unchanged = selected_names.len() - changes.zones.len();
}
