//! Implements `fmt`: formats the files of a spec. Needs no network.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::files::{self, Rewrite};
use crate::cli::load_spec::input;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::shared_arguments::{Format, SpecArgs};
use crate::diagnostic::{Diagnostics, Severity, Sources, count};
use crate::document::written_files::FormattedFiles;
use crate::edit::{self, FormatError};
use crate::model::Gather;
use crate::render::{ChangedFile, patch, shown};
use crate::spec;

/// Format the files of a spec; comments are kept
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  zonewright fmt zones/\n  zonewright fmt zones/ --check\n  \
        zonewright fmt - <zone.yaml >formatted.yaml")]
pub(in crate::cli) struct FmtArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    /// Write nothing; list the files that would change, and exit with 2 if there are any
    #[arg(long)]
    check: bool,
    /// Write nothing; show what would change, and exit with 2 if anything would
    #[arg(long)]
    diff: bool,
    /// Sort records by name, type and value
    #[arg(long)]
    sort: bool,
}

impl Run for FmtArgs {
    const MATTERS: Matters = Matters { zones: false, shards: false, ..Matters::SPEC };

    fn facts(&self) -> Facts<'_> {
        Facts { files: self.spec.files(), ..Facts::offline("fmt") }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    /// Formats every file of the spec, and checks that the meaning of the spec stays the same.
    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let inputs: Vec<_> =
            self.spec.spec.iter().map(|path| input(path)).collect::<anyhow::Result<_>>()?;
        let options = spec::Options { may_leave_variables: true, ..settings.spec_options()? };
        let mut sources = Sources::default();
        let loaded = spec::load(&inputs, &options, &mut sources);
        let stdin = inputs.iter().find_map(|input| match input {
            spec::Input::Stdin(text) => Some(text.clone()),
            spec::Input::Path(_) => None,
        });
        if stdin.is_some() && inputs.len() > 1 {
            return Err(Ended::usage(
                "`fmt -` formats standard input alone; give the files in a run of their own",
            ));
        }
        if loaded.files == 0 {
            // Reports inputs that cannot be read.
            output.diagnostics(&loaded.diagnostics, &sources);
            return Ok(Exit::Error);
        }
        let mut formatted_files = Vec::new();
        // An invalid spec is formatted as well, except for files that cannot be read.
        let unread = loaded
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error && d.primary.is_none());
        let unread: Diagnostics = unread.cloned().collect();
        output.diagnostics(&unread, &sources);
        let mut is_bad = unread.has_errors();
        let names = sources
            .iter()
            .map(|(_, source)| source.name().to_owned())
            .filter(|name| name != "--var");
        for name in names.collect::<Vec<_>>() {
            // The texts of the sources can be masked, so the files are read anew.
            let text = match &stdin {
                Some(text) => text.clone(),
                None => std::fs::read_to_string(&name)
                    .with_context(|| format!("failed to read {name}"))?,
            };
            match edit::format(&text, self.sort) {
                Ok(after) => formatted_files.push(File { name, before: text, after }),
                Err(error @ (FormatError::Syntax(_) | FormatError::CarriageReturn { .. })) => {
                    output.message(&format!("error: {name}: {error}"));
                    is_bad = true;
                }
                // The meaning of the file is known, so the file is valid.
                Err(error) => {
                    output.message(&format!("warning: {name}: {error}"));
                    formatted_files.push(File { name, after: text.clone(), before: text });
                }
            }
        }
        if let Some(words) =
            other_meaning(&inputs, &options, &loaded, &formatted_files, stdin.is_some())
        {
            output.message(&format!(
                "error: formatting would change the meaning of the spec ({words}); nothing was \
                written. \
                 Please report this"
            ));
            return Ok(Exit::Error);
        }
        write_or_list(self, &formatted_files, stdin.is_some(), is_bad, output)
    }
}

/// A file of the spec, before and after formatting.
struct File {
    name: String,
    before: String,
    after: String,
}

/// Returns how formatting changes the meaning of the spec; `None` if the meaning is the same.
fn other_meaning(
    inputs: &[spec::Input],
    options: &spec::Options,
    before: &spec::Outcome,
    files: &[File],
    is_stdin: bool,
) -> Option<String> {
    let desired = before.desired.as_ref()?;
    let texts: BTreeMap<String, String> =
        files.iter().map(|file| (file.name.clone(), file.after.clone())).gather();
    let formatted =
        [spec::Input::Stdin(files.first().map(|file| file.after.clone()).unwrap_or_default())];
    let inputs = if is_stdin { &formatted[..] } else { inputs };
    let options = spec::Options { texts, ..options.clone() };
    let reloaded = spec::load(inputs, &options, &mut Sources::default());
    let Some(formatted_spec) = reloaded.desired else {
        return Some("it would have mistakes".to_owned());
    };
    let (before, after) = (spec::print(desired), spec::print(&formatted_spec));
    let mut lines = before.lines().zip(after.lines());
    (before != after).then(|| {
        lines
            .find(|(old, new)| old != new)
            .map_or("its end".to_owned(), |(old, _)| old.trim().to_owned())
    })
}

/// Writes, shows or lists the changes.
fn write_or_list(
    args: &FmtArgs,
    all: &[File],
    is_stdin: bool,
    is_bad: bool,
    output: &Output,
) -> anyhow::Result<Exit> {
    let changed: Vec<&File> = all.iter().filter(|file| file.before != file.after).collect();
    let is_json = output.format == Format::Json;
    if is_json {
        let names = changed.iter().map(|file| file.name.clone()).collect();
        let is_dry = args.check || args.diff || is_stdin;
        output.json(&FormattedFiles::of(names, !is_dry))?;
    }
    if is_json && (args.check || args.diff || is_stdin) {
        // The output is complete.
    } else if args.diff {
        let files: Vec<_> = changed
            .iter()
            .map(|File { name, before, after }| ChangedFile { name, before, after })
            .collect();
        let text = if output.can_ask() { shown(&files) } else { patch(&files) };
        output.result(|out| out.write_all(text.as_bytes()))?;
    } else if args.check {
        output.result(|out| changed.iter().try_for_each(|file| writeln!(out, "{}", file.name)))?;
    } else if is_stdin {
        output
            .result(|out| all.iter().try_for_each(|file| out.write_all(file.after.as_bytes())))?;
    } else {
        let rewrites: Vec<Rewrite<'_>> = changed
            .iter()
            .map(|File { name, before, after }| Rewrite { path: Path::new(name), before, after })
            .collect();
        files::rewrite(&rewrites)?;
        if !output.is_quiet() && !is_json {
            output.message(&format!(
                "{} formatted, {} as they were",
                count(changed.len(), "file"),
                all.len() - changed.len()
            ));
        }
    }
    Ok(match (is_bad, args.check || args.diff, changed.is_empty()) {
        (true, ..) => Exit::Error,
        (false, true, false) => Exit::Differences,
        (false, ..) => Exit::Success,
    })
}
