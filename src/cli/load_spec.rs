//! Reads the spec that arguments name, and shows what is wrong with it.

use std::io::Read;
use std::path::Path;

use anyhow::Context;

use super::exit_codes::{Ended, Exit};
use super::output::Output;
use super::settings::Settings;
use super::shared_arguments::{ConsentArgs, Format, SpecArgs};
use super::write_documents;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity, Sources, count};
use crate::document;
use crate::plan::Consents;
use crate::reconcile::{Base, Goal, InvalidSpec};
use crate::render::Findings;
use crate::spec;

/// Bytes taken from standard input: one more than a spec may have, so that too much is noticed.
const MOST_BYTES: u64 = spec::LARGEST_FILE + 1;

/// Reads a spec for a command; shows what is wrong with it.
///
/// # Errors
/// Standard input or output fails, or the previous spec cannot be read. A spec with mistakes is
/// reported here and ends the run.
pub(super) fn load(
    command: &'static str,
    args: &SpecArgs,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<Goal> {
    let show = |diagnostics: &Diagnostics, sources: &Sources| {
        if output.format == Format::Text {
            output.diagnostics(diagnostics, sources);
        }
    };
    match read(args, settings)? {
        Ok(goal) => {
            // Plans tell new notes from known ones, and with a base new warnings as well.
            let is_of_plan = matches!(command, "plan" | "drift");
            let with_notes = command == "validate" || (output.verbose > 0 && !is_of_plan);
            // Whoever asks for one name does not ask what is wrong elsewhere.
            let with_warnings =
                command != "resolve" && (!is_of_plan || settings.flags.base.is_none());
            let is_shown = |d: &&Diagnostic| match d.severity {
                Severity::Error => true,
                Severity::Warning => with_warnings,
                Severity::Note => with_notes,
            };
            show(&goal.diagnostics.iter().filter(is_shown).cloned().collect(), &goal.sources);
            with_base(goal, args, settings)
        }
        Err(unusable) => {
            let InvalidSpec { diagnostics, sources } = *unusable;
            show(&diagnostics, &sources);
            let found =
                Findings { command, diagnostics: &diagnostics, sources: &sources, holds: None };
            report_errors(&found, settings, output)?;
            Err(Ended::Reported(Exit::Error).into())
        }
    }
}

/// Reads a spec and the consents given, for `plan`, `apply` and `rehearse`; wrong usage and
/// mistakes are reported here and end the run.
///
/// # Errors
/// Something cannot be read.
pub(super) fn load_with_consents(
    args: &SpecArgs,
    given: &ConsentArgs,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<(Goal, Consents)> {
    let consents = settings.consents(given)?;
    Ok((load("plan", args, settings, output)?, consents))
}

/// Reads a spec and shows nothing; the previous spec is left for [`with_base`].
///
/// # Errors
/// Standard input fails, or the zones to work on are unknown.
pub(super) fn read(
    args: &SpecArgs,
    settings: &Settings<'_>,
) -> anyhow::Result<Result<Goal, Box<InvalidSpec>>> {
    let inputs: Vec<_> = args.spec.iter().map(|path| input(path)).collect::<anyhow::Result<_>>()?;
    Ok(Goal::from_spec(&inputs, &settings.spec_options()?, settings.selection()?))
}

/// Adds the previous spec, if one is named.
///
/// # Errors
/// It cannot be found or read, or has mistakes.
pub(super) fn with_base(
    goal: Goal,
    args: &SpecArgs,
    settings: &Settings<'_>,
) -> anyhow::Result<Goal> {
    let base = match &settings.flags.base {
        Some(name) => Some(Base::load(name, &args.spec, &settings.base_options()?)?),
        None => None,
    };
    Ok(goal.with_base(base))
}

/// A file or a directory, or the text on standard input.
///
/// # Errors
/// Standard input cannot be read.
pub(super) fn input(path: &Path) -> anyhow::Result<spec::Input> {
    if path.as_os_str() != "-" {
        return Ok(spec::Input::Path(path.to_owned()));
    }
    let mut text = Vec::new();
    std::io::stdin()
        .lock()
        .take(MOST_BYTES)
        .read_to_end(&mut text)
        .context("failed to read standard input")?;
    if text.len() as u64 == MOST_BYTES {
        // Too large, which is reported as such: the cut may be within a character.
        return Ok(spec::Input::Stdin(String::from_utf8_lossy(&text).into_owned()));
    }
    Ok(spec::Input::Stdin(
        String::from_utf8(text).context("failed to read standard input: it is not UTF-8 text")?,
    ))
}

/// The last word on a spec that cannot be used.
pub(super) fn report_errors(
    found: &Findings<'_>,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<()> {
    let Findings { diagnostics, sources, .. } = *found;
    if output.format == Format::Json {
        output.json(&document::diagnostic::Findings::of(diagnostics, sources))?;
    }
    write_documents::write_findings(found, settings.flags, output)?;
    let errors = diagnostics.count(Severity::Error);
    output.message(&format!("{} in the spec; no request was made", count(errors, "error")));
    Ok(())
}
