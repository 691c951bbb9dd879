//! Implements `undo`: applies the plan that reverts an earlier apply.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::apply_lock;
use crate::cli::exit_codes::Exit;
use crate::cli::file_kinds::Takes;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::plan_and_apply::{How, plan_and_apply};
use crate::cli::recordings::Foresight;
use crate::cli::shared_arguments::{ConsentArgs, Global, VerifyArg};
use crate::diagnostic::count;
use crate::reconcile::{Goal, PastApplies, PastApply};
use crate::render::safe::safe;

/// Number of journals to read for a list, newest first.
const LISTED_JOURNALS: usize = 20;

/// Message if no apply is chosen.
const NOTHING_UNDONE: &str = "Nothing was undone.";

/// Number of zones to name in a line.
const NAMED_ZONES: usize = 3;

/// Restore what an apply changed, from its journal
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright undo\n  zonewright undo --last --dry-run\n  zonewright \
        undo .zonewright/journal/FILE.jsonl --allow-deletes 3"
)]
pub(in crate::cli) struct UndoArgs {
    /// Journal of the apply; the apply prints its path [default: list the journals, and ask]
    #[arg(value_name = "JOURNAL")]
    journal_file: Option<PathBuf>,
    /// Undo the last apply
    #[arg(long, conflicts_with = "journal_file")]
    last: bool,
    /// Permissions.
    #[command(flatten)]
    consents: ConsentArgs,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Print the exact requests instead of sending them
    #[arg(long)]
    dry_run: bool,
    /// Keep what someone changed since, and undo the rest
    #[arg(long)]
    skip_conflicts: bool,
    /// How to know that a zone is in sync afterwards
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    verify: VerifyArg,
}

impl Run for UndoArgs {
    const MATTERS: Matters = Matters { policy: true, ..Matters::ONLINE };

    fn facts(&self) -> Facts<'_> {
        let files = self.journal_file.iter().map(|path| (path.as_path(), Takes::Journal));
        Facts { files: files.collect(), ..Facts::online("undo") }
    }

    fn check(&self, _global: &Global) -> Result<(), String> {
        if self.journal_file.is_none() && !self.last && (self.yes || self.dry_run) {
            return Err(
                "name the journal, or use --last; `zonewright undo` lists the journals".to_owned()
            );
        }
        Ok(())
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, interrupt, .. } = *session;
        let how =
            How { yes: self.yes, dry_run: self.dry_run, resume: false, verify: self.verify.into() };
        how.check(output)?;
        let consents = settings.consents(&self.consents)?;
        // The journal of an apply in progress is not read, because it is incomplete.
        let _lock =
            if self.dry_run { None } else { Some(apply_lock::take(&settings.flags.journal)?) };
        let directory = &settings.flags.journal;
        let journal = match &self.journal_file {
            Some(path) => path.clone(),
            None if self.last => last_apply(directory)?,
            None => match interrupt.while_asking(NOTHING_UNDONE, || choose(directory, output))? {
                Some(path) => path,
                None => return Ok(Exit::Refused),
            },
        };
        let zones = settings.flags.zone.clone();
        let goal =
            Goal::from_journal(&journal, &settings.flags.journal, self.skip_conflicts, zones)?;
        plan_and_apply(how, (&goal, &consents), Foresight::default(), session).await
    }
}

/// Returns the journal of the last apply that is no undo.
///
/// # Errors
/// There is none, it has been undone, or a later journal cannot be read.
fn last_apply(directory: &Path) -> anyhow::Result<PathBuf> {
    let last = match PastApplies::in_directory(directory, LISTED_JOURNALS).last() {
        Ok(Some(last)) => last,
        Ok(None) => bail!("{}", no_apply(directory)),
        Err(path) => bail!(
            "the last apply is not known, because {} cannot be read or is too large; name the \
            journal to undo",
            path.display()
        ),
    };
    if let Some(undone_at) = &last.undone_at {
        bail!(
            "the last apply, of {}, was undone at {undone_at}; to undo it again, name its journal: \
            {}",
            last.summary.began_at,
            last.path.display()
        );
    }
    Ok(last.path)
}

/// Lists the applies and asks which one to undo; `None` if none is chosen.
///
/// # Errors
/// There is no apply, or the list cannot be shown.
fn choose(directory: &Path, output: &Output) -> anyhow::Result<Option<PathBuf>> {
    let past = PastApplies::in_directory(directory, LISTED_JOURNALS);
    for path in &past.unreadable {
        output.message(&format!(
            "warning: {} is not listed, because it cannot be read or is too large",
            path.display()
        ));
    }
    if past.has_older {
        output.say(&format!(
            "{} has older journals, which are not listed; name one to undo it",
            directory.display()
        ));
    }
    let applies = past.applies;
    if applies.is_empty() {
        bail!("{}", no_apply(directory));
    }
    output.report(|out| write_applies(out, &applies))?;
    if !output.can_ask() {
        output.message(
            "error: cannot ask which apply to undo: standard input or standard error is not a \
            terminal; name its journal, or \
             use --last",
        );
        return Ok(None);
    }
    let answer = output.ask("Undo which apply? Type its number; Enter for none:")?;
    let number = answer.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let chosen = number.and_then(|number| applies.into_iter().nth(number));
    if chosen.is_none() {
        output.message(NOTHING_UNDONE);
    }
    Ok(chosen.map(|apply| apply.path))
}

/// Returns the message for a directory without journals of applies.
fn no_apply(directory: &Path) -> String {
    format!(
        "no journal of an apply is in {}; run this in the directory of the apply, or name the \
        directory with --journal",
        directory.display()
    )
}

/// Writes a numbered list of applies.
fn write_applies(out: &mut dyn Write, applies: &[PastApply]) -> io::Result<()> {
    for (number, apply) in (1..).zip(applies) {
        writeln!(out, "{number:>3}  {}", apply_in_words(apply))?;
        writeln!(out, "     {}", safe(&apply.path.display().to_string()))?;
    }
    Ok(())
}

/// Returns the time of an apply, its zones and changes, and what came of it.
pub(super) fn apply_in_words(apply: &PastApply) -> String {
    let PastApply { path: _, summary, undoes, undone_at } = apply;
    let mut changes: Vec<String> =
        summary.done.iter().map(|(action, n)| format!("{n} {}d", action.as_str())).collect();
    if summary.unknown > 0 {
        changes.push(format!("{} with an unknown result", summary.unknown));
    }
    let mut zones: Vec<&str> = summary.zones.iter().take(NAMED_ZONES).map(String::as_str).collect();
    let omission = count(summary.zones.len().saturating_sub(NAMED_ZONES), "more zone");
    if summary.zones.len() > NAMED_ZONES {
        zones.push(&omission);
    }
    let mut notes = Vec::new();
    if let Some(time) = undoes {
        notes.push(format!("an undo of {time}"));
    }
    if let Some(time) = undone_at {
        notes.push(format!("undone at {time}"));
    }
    if !summary.has_ended {
        notes.push("stopped before its end".to_owned());
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    let (time, changes, zones) = (&summary.began_at, changes.join(", "), zones.join(", "));
    safe(&format!("{time}  {zones}: {changes}{notes}")).into_owned()
}
