//! Reads the spec that arguments name, and reports its mistakes.

use std::io::Read;
use std::path::Path;

use anyhow::Context;

use super::exit_codes::{Ended, Exit};
use super::output::Output;
use super::settings::Settings;
use super::shared_arguments::{BaseChoice, ConsentArgs, Format, SpecArgs};
use super::write_documents;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity, Sources, count};
use crate::document;
use crate::plan::Consents;
use crate::reconcile::{Base, DefaultBase, Goal, InvalidSpec};
use crate::render::Findings;
use crate::render::safe::safe;
use crate::spec;

/// Maximum number of bytes to read from standard input: one more than a spec may have, so that a
/// larger one is detected.
const MOST_BYTES: u64 = spec::LARGEST_FILE + 1;

/// Reads a spec for a command, and reports its mistakes.
///
/// # Errors
/// Standard input or output fails, or the previous spec cannot be read. An invalid spec is reported
/// here and ends the run.
pub(super) fn load_spec(
    command: &'static str,
    args: &SpecArgs,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<Goal> {
    load_with_base(command, args, BaseChoice::Named, settings, output)
}

/// Reads a spec and its base for a command, and reports its mistakes.
///
/// # Errors
/// As [`load_spec`].
fn load_with_base(
    command: &'static str,
    args: &SpecArgs,
    choice: BaseChoice,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<Goal> {
    let show = |diagnostics: &Diagnostics, sources: &Sources| {
        if output.format == Format::Text {
            output.diagnostics(diagnostics, sources);
        }
    };
    let goal = read_current_spec(args, settings)?;
    let goal = match command {
        "validate" => goal.and_then(Goal::check_plans),
        _ => goal,
    };
    match goal {
        Ok(goal) => {
            let last_commit = match choice {
                BaseChoice::NamedOrLastCommit if settings.flags.base.is_none() => {
                    last_commit(&goal, args, settings, output)?
                }
                BaseChoice::NamedOrLastCommit | BaseChoice::Named => None,
            };
            // Plans separate new notes from known ones, and new warnings from known ones if there
            // is a base.
            let is_of_plan = matches!(command, "plan" | "drift");
            let with_notes = command == "validate" || (output.verbose > 0 && !is_of_plan);
            // A command about one name does not show warnings about other names.
            let has_base = settings.flags.base.is_some() || last_commit.is_some();
            let with_warnings = command != "resolve" && (!is_of_plan || !has_base);
            let is_shown = |d: &&Diagnostic| match d.severity {
                Severity::Error => true,
                Severity::Warning => with_warnings,
                Severity::Note => with_notes,
            };
            show(&goal.diagnostics.iter().filter(is_shown).cloned().collect(), &goal.sources);
            match last_commit {
                Some(base) => Ok(goal.with_base(Some(base))),
                None => with_base(goal, args, settings),
            }
        }
        Err(unusable) => {
            let InvalidSpec { diagnostics, sources } = *unusable;
            show(&diagnostics, &sources);
            let findings =
                Findings { command, diagnostics: &diagnostics, sources: &sources, holds: None };
            report_errors(&findings, settings, output)?;
            Err(Ended::Reported(Exit::Error).into())
        }
    }
}

/// Reads a spec and the given consents, for `plan`, `apply` and `rehearse`. Wrong usage and
/// mistakes are reported here and end the run.
///
/// # Errors
/// An input cannot be read.
pub(super) fn load_with_consents(
    args: &SpecArgs,
    given: &ConsentArgs,
    choice: BaseChoice,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<(Goal, Consents)> {
    let consents = settings.consents(given)?;
    Ok((load_with_base("plan", args, choice, settings, output)?, consents))
}

/// Returns the last commit as the base if files of the spec differ from it. Says so, or why the
/// last commit cannot be the base.
fn last_commit(
    goal: &Goal,
    args: &SpecArgs,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<Option<Base>> {
    Ok(match DefaultBase::find(&args.spec, &goal.sources, &settings.base_options()?) {
        DefaultBase::LastCommit(base) => {
            output.say(&format!(
                "The spec has uncommitted changes: its base is {}; --no-base plans without it",
                base.source
            ));
            Some(*base)
        }
        DefaultBase::Unneeded => None,
        DefaultBase::Unusable(reason) => {
            output.say(&format!("Planned without a base: {}", safe(&reason)));
            None
        }
    })
}

/// Reads a spec without reporting anything and without the previous spec; see [`with_base`].
///
/// # Errors
/// Standard input fails, or the selected zones are unknown.
pub(super) fn read_current_spec(
    args: &SpecArgs,
    settings: &Settings<'_>,
) -> anyhow::Result<Result<Goal, Box<InvalidSpec>>> {
    let inputs: Vec<_> = args.spec.iter().map(|path| input(path)).collect::<anyhow::Result<_>>()?;
    Ok(Goal::from_spec(&inputs, &settings.spec_options()?, settings.selection()?))
}

/// Adds the previous spec, if one is named.
///
/// # Errors
/// The previous spec cannot be found or read, or is invalid.
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

/// Returns the input for a file, a directory, or standard input.
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
        // Too large, which is reported later. The limit may split a character.
        return Ok(spec::Input::Stdin(String::from_utf8_lossy(&text).into_owned()));
    }
    Ok(spec::Input::Stdin(
        String::from_utf8(text).context("failed to read standard input: it is not UTF-8 text")?,
    ))
}

/// Reports the errors of a spec that cannot be used.
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
