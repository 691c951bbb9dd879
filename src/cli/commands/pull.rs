//! Implements `pull`: edits the files of the spec to match Cloudflare. The connection cannot write.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use clap::Args;

use super::{Facts, Run, Session};
use crate::cli::connection::{Access, OpenConnection};
use crate::cli::edited_spec::{Wish, changed_files, edited, is_in_files};
use crate::cli::exit_codes::Exit;
use crate::cli::files::{self, Rewrite};
use crate::cli::load_spec::load_spec;
use crate::cli::output::Output;
use crate::cli::progress::show_reads;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::{Format, Global, SpecArgs, address};
use crate::cli::snapshot_options::SnapshotOptions;
use crate::diagnostic::count;
use crate::document::written_files::PulledFiles;
use crate::model::{Address, Live, Only};
use crate::plan::{Action, DeploymentInForce, Operation, Plan};
use crate::reconcile::pull::Pulled;
use crate::reconcile::{self, Goal, OpenSnapshot, Planned};
use crate::render::safe::safe;
use crate::render::{patch, shown};

/// Edit the spec's files to match the live zones
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright pull zones/ --dry-run\n  zonewright pull zones/ --base \
        HEAD --only 'example.com/dns/www/*'\n  zonewright pull zones/ --unmanaged"
)]
pub(in crate::cli) struct PullArgs {
    /// The spec.
    #[command(flatten)]
    spec: SpecArgs,
    /// Take over records and rules that the spec does not name as well
    #[arg(long)]
    unmanaged: bool,
    /// Take over only what this address or glob names; repeatable
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    only: Vec<glob::Pattern>,
    /// Show the changes of the files and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask about each change
    #[arg(long)]
    yes: bool,
    /// A snapshot.
    #[command(flatten)]
    against: SnapshotOptions,
}

impl Run for PullArgs {
    fn facts(&self) -> Facts<'_> {
        let files = self.against.file().into_iter().chain(self.spec.files()).collect();
        Facts { files, ..Facts::online("pull") }
    }

    fn missing_spec(&mut self) -> Option<&mut Vec<PathBuf>> {
        self.spec.missing()
    }

    fn check(&self, _: &Global) -> Result<(), String> {
        if is_in_files(&self.spec) {
            return Ok(());
        }
        Err("`pull` edits the files of a spec, and standard input is not a file; name the files"
            .to_owned())
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        let mut goal = load_spec("pull", &self.spec, settings, output)?;
        let Some((open, found)) = self.against.limit(&mut goal, settings)? else {
            let connection =
                OpenConnection::open(settings, Access::Read, output, goal.needed_zones()).await?;
            let planned =
                reconcile::plan(&goal, &connection.reader, &connection.options(settings, output))
                    .await;
            connection.close().await;
            let Planned { plan, live, .. } = planned?;
            return edit_files(self, (&goal, &plan, &live), None, settings, output);
        };
        output.diagnostics(&found, &goal.sources);
        let mut options = settings.options_for(&open.snapshot);
        options.progress = Some(show_reads(output));
        let Planned { plan, live, .. } = reconcile::plan(&goal, &open.snapshot, &options).await?;
        edit_files(self, (&goal, &plan, &live), Some(&open), settings, output)
    }
}

/// Edits the files, and writes them unless the run is dry.
fn edit_files(
    args: &PullArgs,
    (goal, plan, live): (&Goal, &Plan, &Live),
    snapshot: Option<&OpenSnapshot>,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<Exit> {
    output.hide();
    output.plan_diagnostics(plan, &goal.diagnostics, &goal.sources);
    let only = Only::new(args.only.clone());
    let wish = Wish { only: &only, unmanaged: args.unmanaged, snapshot };
    let asks = output.can_ask() && !args.yes && !args.dry_run && output.format == Format::Text;
    let answers = RefCell::new(Decisions { all: !asks, none: false });
    let is_wanted = |operation: &Operation| {
        answers.borrow_mut().takes_over(
            operation.address.as_str(),
            &describe_difference(operation),
            output,
        )
    };
    let is_weakened_wanted = |deployment: &DeploymentInForce| {
        let about = deployment.in_force.summary();
        answers.borrow_mut().takes_over(deployment.address.as_str(), &safe(&about), output)
    };
    let pulled =
        edited((goal, plan, live), &args.spec, &wish, (&is_wanted, &is_weakened_wanted), settings)?;
    let handled = pulled.taken.iter().chain(pulled.left.iter().map(|(address, _)| address));
    let differing: Vec<&Address> = plan
        .zones
        .iter()
        .flat_map(|zone| &zone.operations)
        .map(|operation| &operation.address)
        .chain(handled)
        .collect();
    for pattern in only.unused(&differing) {
        output.message(&format!("warning: --only {} names nothing that differs", safe(pattern)));
    }
    let is_dry = args.dry_run || matches!(output.format, Format::Document(_));
    if !is_dry {
        let files: Vec<Rewrite<'_>> = pulled
            .files
            .iter()
            .map(|file| Rewrite {
                path: Path::new(&file.name),
                before: &file.before,
                after: &file.after,
            })
            .collect();
        files::rewrite(&files)?;
    }
    print_pulled(&pulled, is_dry, output)?;
    Ok(if pulled.left.is_empty() { Exit::Success } else { Exit::Differences })
}

/// Replies so far.
struct Decisions {
    /// True if all remaining differences are accepted.
    all: bool,
    /// True if all remaining differences are rejected.
    none: bool,
}

impl Decisions {
    /// Asks about a difference until the reply is valid, unless an earlier reply covers it. An
    /// empty reply rejects all remaining differences.
    fn takes_over(&mut self, address: &str, difference: &str, output: &Output) -> bool {
        if self.all || self.none {
            return self.all;
        }
        let question = format!("take over {} ({difference})? [y/n/a/q]", safe(address));
        loop {
            // The end of the input lacks the line break of a reply.
            let answer = output.ask(&question).unwrap_or_default();
            match answer.trim().to_ascii_lowercase().as_str() {
                "y" | "yes" => return true,
                "n" | "no" => return false,
                "a" | "all" => {
                    self.all = true;
                    return true;
                }
                word if word == "q" || word == "quit" || answer.is_empty() => {
                    self.none = true;
                    return false;
                }
                _ => output.message(
                    "y: take it over; n: leave it; a: take over this and all that \
                    follow; q: leave this and all that follow",
                ),
            }
        }
    }
}

/// Describes a difference: the value in the spec and the value at Cloudflare.
fn describe_difference(operation: &Operation) -> String {
    let changes = operation.fields.iter().map(|change| {
        let (spec, live) = (change.after.to_string(), change.before.to_string());
        format!("{}: {} → {}", change.field, safe(&spec), safe(&live))
    });
    match operation.action() {
        Action::Create => "Cloudflare does not have it".to_owned(),
        Action::Delete => "the spec does not have it".to_owned(),
        Action::Update | Action::Move if !operation.fields.is_empty() => {
            changes.collect::<Vec<_>>().join(", ")
        }
        Action::Update => "another value".to_owned(),
        Action::Move => "another place".to_owned(),
    }
}

/// Returns the result as a JSON document.
fn pulled_files(pulled: &Pulled, is_dry: bool) -> PulledFiles {
    let files: Vec<_> = pulled.files.iter().map(|file| file.name.clone()).collect();
    let taken_addresses = pulled.taken.iter().map(|address| address.as_str().to_owned()).collect();
    let left_addresses = pulled.left.iter().map(|(address, why)| (address.as_str(), why.as_str()));
    let is_written = !is_dry && !files.is_empty();
    PulledFiles::of(
        (is_written, files),
        taken_addresses,
        left_addresses,
        pulled.notes.clone(),
        patch(&changed_files(pulled)),
    )
}

/// Prints the result.
fn print_pulled(pulled: &Pulled, is_dry: bool, output: &Output) -> anyhow::Result<()> {
    let is_json = output.format == Format::Json;
    for words in pulled.notes.iter().filter(|_| !is_json) {
        output.message(&format!("note: {words}"));
    }
    for (address, why) in pulled.left.iter().filter(|_| !is_json) {
        output.message(&format!("left: {address}: {why}"));
    }
    let files = changed_files(pulled);
    match output.format {
        Format::Document(document) => {
            if let Some(patch) = document.patch {
                output.result(|out| patch(out, &files))?;
            }
            return Ok(());
        }
        Format::Json => return Ok(output.json(&pulled_files(pulled, is_dry))?),
        Format::Text => {}
    }
    if pulled.files.is_empty() {
        return Ok(output.result(|out| writeln!(out, "Nothing to take over."))?);
    }
    let addresses: Vec<&str> = pulled.taken.iter().map(crate::model::Address::as_str).collect();
    output.result(|out| {
        if is_dry {
            write!(out, "{}", shown(&files))?;
            return writeln!(out, "\nDry run: nothing was written.");
        }
        for address in &addresses {
            writeln!(out, "  {}", safe(address))?;
        }
        let names: Vec<&str> = files.iter().map(|file| file.name).collect();
        writeln!(out, "Edited {}: {}.", count(names.len(), "file"), names.join(", "))
    })?;
    Ok(())
}
