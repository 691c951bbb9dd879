//! Implements `show`: prints a file that the program wrote.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use super::undo::apply_in_words;
use super::{Facts, Run, Session};
use crate::apply::{JournalSummary, JournalText};
use crate::cli::exit_codes::Exit;
use crate::cli::file_kinds::FileKind;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::Format;
use crate::diagnostic::{count, read_text};
use crate::document::readable::ReadableDocument;
use crate::document::saved_plan;
use crate::reconcile::{OpenSnapshot, PastApply};
use crate::render::safe::safe;
use crate::render::snapshot;
use crate::render::text::write_readable;

/// Maximum size of a file to show, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Show a file that zonewright wrote: a saved plan, a journal, a snapshot, a report
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  zonewright show plan.zwplan\n  zonewright show \
        .zonewright/journal/FILE.jsonl\n  zonewright show drift.json --format json")]
pub(in crate::cli) struct ShowArgs {
    /// A saved plan, a journal, a snapshot, or the JSON of `plan`, `apply` or `drift`
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Run for ShowArgs {
    const MATTERS: Matters = Matters { output: true, ..Matters::NOTHING };

    fn facts(&self) -> Facts<'_> {
        Facts::offline("show")
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let file = &self.file;
        match FileKind::of(file) {
            Some(FileKind::Journal) => show_journal(file, output)?,
            Some(FileKind::Snapshot) => show_snapshot(file, settings, output)?,
            Some(FileKind::Plan | FileKind::Report) => show_document(file, output)?,
            None => bail!(
                "{} is no file that `show` knows: a saved plan, a journal, a snapshot, or the JSON \
                of plan, apply or drift",
                file.display()
            ),
        }
        Ok(Exit::Success)
    }
}

/// Shows a saved plan or a report. The JSON form is the document without the parts that only an
/// apply reads.
fn show_document(file: &Path, output: &Output) -> anyhow::Result<()> {
    let shown = file.display().to_string();
    let opened = File::open(file).with_context(|| format!("failed to read {shown}"))?;
    let text = read_text(opened, LARGEST).with_context(|| format!("failed to read {shown}"))?;
    let mut json: serde_json::Value =
        serde_json::from_str(&text).with_context(|| format!("{shown} is not valid JSON"))?;
    let is_saved = json.get("saved").is_some();
    if is_saved && let Err(error) = saved_plan::read(std::io::Cursor::new(text.as_bytes())) {
        output
            .message(&format!("warning: {shown} cannot be applied: {}", safe(&error.to_string())));
    }
    if output.format == Format::Json {
        if let Some(document) = json.as_object_mut() {
            document.remove("saved");
            document.remove("checksum");
        }
        output.json(&json)?;
        return Ok(());
    }
    let document: ReadableDocument =
        serde_json::from_value(json).with_context(|| format!("{shown} is not a report"))?;
    output.report(|out| write_readable(out, &document, output.colour))?;
    if is_saved {
        output.say(&format!("to apply it: zonewright apply {shown}"));
    }
    Ok(())
}

/// Shows what an apply did.
fn show_journal(file: &Path, output: &Output) -> anyhow::Result<()> {
    let shown = file.display().to_string();
    if output.format == Format::Json {
        bail!("{shown} is a journal, whose lines are JSON already");
    }
    let of_file = || format!("failed to read {shown}");
    let mut lines = Vec::new();
    let text = JournalText::open(file).with_context(of_file)?;
    let summary = JournalSummary::read_each(text, |address, action, result| {
        lines.push(format!("{} {address}: {result}", action.as_str()));
    });
    let summary = summary.with_context(of_file)?;
    let apply = PastApply { path: file.to_owned(), summary, undoes: None, undone_at: None };
    output.report(|out| {
        writeln!(out, "{}", apply_in_words(&apply))?;
        lines.iter().try_for_each(|line| writeln!(out, "  {}", safe(line)))
    })?;
    output.say(&format!("to undo it: zonewright undo {shown}"));
    Ok(())
}

/// Shows what a snapshot has.
fn show_snapshot(file: &Path, settings: &Settings<'_>, output: &Output) -> anyhow::Result<()> {
    let OpenSnapshot { snapshot, as_of, .. } = OpenSnapshot::open(file, settings.now()?)?;
    if output.format == Format::Json {
        bail!("{} is a snapshot, which is JSON already; unpack it with `gzip -dc`", file.display());
    }
    let zones = &snapshot.about().zones;
    output.report(|out| {
        writeln!(out, "{}", snapshot::words(&as_of))?;
        writeln!(out, "{}:", count(zones.len(), "zone"))?;
        zones.iter().try_for_each(|zone| writeln!(out, "  {}", safe(zone.name.as_str())))
    })?;
    output.say(&format!("to plan against it: zonewright plan SPEC --against {}", file.display()));
    Ok(())
}
