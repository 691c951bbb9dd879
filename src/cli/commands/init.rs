//! Implements `init`: writes a first spec and its accompanying files. Never overwrites a file. The
//! connection cannot write.

mod pipeline;
mod starter_files;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::bail;
use clap::Args;

use super::import::{self, ImportArgs};
use super::{Facts, Run, Session};
use crate::cli::connection::{Access, OpenConnection};
use crate::cli::default_spec;
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::files;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::{Format, Global, SANDBOX_DIRECTORY};
use crate::diagnostic::{Diagnostics, Place, Sources, count, first_of};
use crate::document::written_files::NewFiles;
use crate::live::list_zones;
use crate::model::{Desired, DesiredZone, Gather, ZoneName};
use crate::render::safe::safe;
use pipeline::{Host, Wanted};

/// Maximum number of zones in a list to choose from. `--zone` selects among more.
const MOST_LISTED: usize = 200;

/// Maximum number of zones that a sentence names.
const MOST_NAMED: usize = 10;

/// Message if no zone is chosen.
const NOTHING_WRITTEN: &str = "Nothing was written.";

/// Create a spec from your live zones or from an example, and the files that go with it
///
/// With credentials, lists your zones and imports those that you choose. Without, writes an
/// example. Files that exist stay as they are.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright init\n  zonewright init --zone example.com --pipeline \
        github\n  zonewright init --all --pipeline none"
)]
pub(in crate::cli) struct InitArgs {
    /// Import all zones that the credentials can see; --zone chooses some of them
    #[arg(long)]
    all: bool,
    /// Leave out zone settings
    #[arg(long)]
    no_settings: bool,
    /// The files of a pipeline for this host [default: the host of the repository, if it has one]
    #[arg(long, value_name = "HOST", value_enum)]
    pipeline: Option<Wanted>,
}

impl Run for InitArgs {
    const MATTERS: Matters = Matters::ONLINE;

    fn facts(&self) -> Facts<'_> {
        Facts::online("init")
    }

    fn check(&self, global: &Global) -> Result<(), String> {
        if self.all && !global.zone.is_empty() {
            return Err(
                "--all means every zone, and --zone some of them; use one of the two".to_owned()
            );
        }
        Ok(())
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { output, .. } = *session;
        let mut report = NewFiles::default();
        let outcome = write_all(self, &mut report, session).await;
        if outcome.is_err() && !report.written.is_empty() {
            output.message(&format!(
                "written before the error, and kept: {}",
                report.written.join(", ")
            ));
        }
        outcome?;
        report_files(&report, output)
    }
}

/// Writes all files and adds each to the report. An error ends the run if there is no spec.
async fn write_all(
    args: &InitArgs,
    report: &mut NewFiles,
    session: &Session<'_>,
) -> anyhow::Result<()> {
    let settings = session.settings;
    if let Some(place) = default_spec::present() {
        report.existing.push(place);
    } else {
        spec(args, report, session).await?;
    }
    let host = match args.pipeline {
        Some(Wanted::None) => None,
        Some(Wanted::Github) => Some(Host::Github),
        Some(Wanted::Gitlab) => Some(Host::Gitlab),
        None => pipeline::detected(Path::new(".")),
    };
    write_new(starter_files::files(), report)?;
    let has_new_pipeline = write_new(pipeline::files(host), report)?;
    report.next.push("zonewright validate".to_owned());
    // Without credentials, a plan is possible in the sandbox.
    let is_alone = settings.connection().is_err() && settings.has_no_credentials();
    report.next.push(match &settings.flags.sandbox {
        Some(directory) if directory.as_path() != Path::new(SANDBOX_DIRECTORY) => {
            format!("zonewright plan --sandbox={}", safe(&directory.to_string_lossy()))
        }
        Some(_) => "zonewright plan --sandbox".to_owned(),
        None if is_alone => "zonewright plan --sandbox".to_owned(),
        None => "zonewright plan".to_owned(),
    });
    if has_new_pipeline {
        report.next.push(pipeline::TO_DO.to_owned());
        report
            .next
            .extend(pipeline::to_move(Path::new(".")).map(|to_do| safe(&to_do).into_owned()));
    } else if host.is_none() && args.pipeline.is_none() {
        report.next.push(
            "zonewright init --pipeline github, or gitlab: adds the files of a pipeline".to_owned(),
        );
    }
    Ok(())
}

/// Writes the files that do not exist yet, and adds each to the report. Returns true if any was
/// written.
fn write_new(all: Vec<(String, String)>, report: &mut NewFiles) -> anyhow::Result<bool> {
    let written_before = report.written.len();
    for (path, text) in all {
        let list = if files::create(Path::new(&path), &text)? {
            &mut report.written
        } else {
            &mut report.existing
        };
        list.push(path);
    }
    Ok(report.written.len() > written_before)
}

/// Writes a spec: of live zones if there are credentials, or else an example. An error ends the run
/// if there is no spec.
async fn spec(args: &InitArgs, report: &mut NewFiles, session: &Session<'_>) -> anyhow::Result<()> {
    let Session { settings, output, .. } = *session;
    let missing = match settings.connection() {
        Ok(_) => None,
        Err(error) if settings.has_no_credentials() => Some(error),
        // Half of a pair or an unreadable file is a mistake, for which an example is no substitute.
        Err(error) => return Err(error),
    };
    let Some(missing) = missing else { return imported(args, report, session).await };
    if args.all {
        return Err(missing.context("failed to list the zones for --all"));
    }
    let name = name_of_example(settings, &format!("{missing:#}; without them"))?;
    output.say(&format!("{missing:#}"));
    output.say(
        "No zone is read: writing an example. To import your zones instead, remove the \
        example, set the variable, and run this again.",
    );
    write_example(name.as_ref(), report)
}

/// Returns the name in `--zone` for the example.
///
/// # Errors
/// The example cannot have such a name. `missing` says why no zone is read.
fn name_of_example(settings: &Settings<'_>, missing: &str) -> anyhow::Result<Option<ZoneName>> {
    let first_name = settings.flags.zone.first().map(|name| ZoneName::parse(name));
    match (first_name, settings.flags.zone.len()) {
        (None, _) => Ok(None),
        (Some(Ok(name)), 1) if is_one_label(&name) => Err(Ended::usage(format!(
            "the example needs a domain of two labels or more, and --zone {name} has one: use for \
            example --zone \
             example.{name}"
        ))),
        (Some(Ok(name)), 1) => Ok(Some(name)),
        _ => bail!("{missing}, give --zone one name for the example, or none"),
    }
}

/// Writes the example of a spec.
fn write_example(name: Option<&ZoneName>, report: &mut NewFiles) -> anyhow::Result<()> {
    let (path, text) = starter_files::example(name);
    files::create(Path::new(&path), &text)?;
    report.written.push(path);
    Ok(())
}

/// Imports the selected zones.
async fn imported(
    args: &InitArgs,
    report: &mut NewFiles,
    session: &Session<'_>,
) -> anyhow::Result<()> {
    let Session { settings, output, interrupt, .. } = *session;
    let connection =
        OpenConnection::open(settings, Access::Read, output, std::iter::empty()).await?;
    let zone_list =
        list_zones(&connection.reader, &connection.options(settings, output).read).await;
    connection.close().await;
    let zone_names: BTreeSet<ZoneName> = zone_list?.into_iter().map(|zone| zone.name).gather();
    output.hide();
    if zone_names.is_empty() && settings.flags.sandbox.is_some() && !args.all {
        let empty = "The sandbox has no zone";
        let name = name_of_example(settings, empty)?;
        output.say(&format!("{empty}: writing an example, which `plan --sandbox` rehearses."));
        return write_example(name.as_ref(), report);
    }
    if zone_names.is_empty() {
        bail!(
            "these credentials can see no zone; give them access to one, or run this without them \
            for an example"
        );
    }
    let chosen = if args.all {
        zone_names
    } else if !settings.flags.zone.is_empty() {
        let visible_zones = zone_names.clone();
        let zones = zone_names
            .into_iter()
            .map(|name| (name.clone(), DesiredZone::new(name, Place::NOWHERE)));
        let mut unselected = Diagnostics::default();
        let desired = Desired { zones: zones.gather(), ..Desired::default() };
        let selected = settings.selection()?.apply(desired, &mut unselected);
        if unselected.has_errors() {
            let globs = settings.flags.zone.join(", ");
            bail!(
                "these credentials can see no zone that matches --zone {}; they see {}. Nothing \
                was written",
                safe(&globs),
                sentence_of_zones(&visible_zones)
            );
        }
        output.diagnostics(&unselected, &Sources::default());
        selected.zones.into_keys().collect()
    } else if output.can_ask() && output.format == Format::Text {
        interrupt.while_asking(NOTHING_WRITTEN, || ask_for_zones(&zone_names, output))?
    } else {
        print_numbered(&zone_names, output);
        return Err(Ended::usage(match output.format {
            Format::Text => {
                "cannot ask which zones to import: standard input or standard error is not a \
                terminal; use --zone NAME, \
                 or --all"
            }
            Format::Json | Format::Document(_) => {
                "cannot ask which zones to import with --format json; use --zone NAME, or --all"
            }
        }));
    };
    if chosen.is_empty() {
        output.message(&format!("No zone was chosen. {NOTHING_WRITTEN}"));
        return Err(Ended::Reported(Exit::Refused).into());
    }
    report.imported = chosen.iter().map(ToString::to_string).collect();
    let directory = Path::new(default_spec::DIRECTORIES[0]);
    let arguments = ImportArgs::of_live(
        &report.imported,
        directory,
        starter_files::SCHEMA_LINE,
        args.no_settings,
    );
    match import::run(&arguments, settings, output).await? {
        Exit::Success => {}
        exit => return Err(Ended::Reported(exit).into()),
    }
    report.written.push(format!("{}/", directory.display()));
    Ok(())
}

/// Returns true for a name with one label, such as `com` or `lan`.
fn is_one_label(name: &ZoneName) -> bool {
    name.as_fqdn().label_count() == 1
}

/// Lists some zones in a sentence, with the number of the others.
fn sentence_of_zones(zones: &BTreeSet<ZoneName>) -> String {
    first_of(zones.iter().map(|name| safe(name.as_str())), MOST_NAMED)
}

/// Prints zones with their numbers.
fn print_numbered(all: &BTreeSet<ZoneName>, output: &Output) {
    for (n, name) in all.iter().enumerate().take(MOST_LISTED) {
        output.message(&format!("{:>4}  {}", n + 1, safe(name.as_str())));
    }
    if all.len() > MOST_LISTED {
        output.message(&format!("      and {} more", all.len() - MOST_LISTED));
    }
}

/// Asks for zones until the reply is valid. An empty reply selects none.
fn ask_for_zones(all: &BTreeSet<ZoneName>, output: &Output) -> anyhow::Result<BTreeSet<ZoneName>> {
    print_numbered(all, output);
    loop {
        let answer = output
            .ask("Which zones? Numbers or names such as 1, 3-5, example.com; all; or none:")?;
        match chosen(&answer, all) {
            Ok(chosen) => return Ok(chosen),
            Err(why) => output.message(&why),
        }
    }
}

/// Parses the zones in a reply.
fn chosen(answer: &str, all: &BTreeSet<ZoneName>) -> Result<BTreeSet<ZoneName>, String> {
    let mut selection = BTreeSet::new();
    for word in answer.split([',', ' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()) {
        let number =
            |text: &str| text.parse::<usize>().ok().filter(|n| (1..=all.len()).contains(n));
        let range = match word.split_once('-') {
            Some((first, last)) => number(first).zip(number(last)),
            None => number(word).map(|n| (n, n)),
        };
        if word.eq_ignore_ascii_case("all") {
            selection.extend(all.iter().cloned());
        } else if word.eq_ignore_ascii_case("none") {
            return Ok(BTreeSet::new());
        } else if let Some((first, last)) = range.filter(|(first, last)| first <= last) {
            selection.extend(all.iter().skip(first - 1).take(last - first + 1).cloned());
        } else if let Some(name) = all.iter().find(|name| name.as_str().eq_ignore_ascii_case(word))
        {
            selection.insert(name.clone());
        } else {
            return Err(format!(
                "{word:?} is neither a number of the list, nor the name of a zone in it"
            ));
        }
    }
    Ok(selection)
}

/// Reports the written files.
fn report_files(report: &NewFiles, output: &Output) -> anyhow::Result<Exit> {
    if output.format == Format::Json {
        output.json(report)?;
        return Ok(Exit::Success);
    }
    output.result(|out| {
        if !report.imported.is_empty() {
            writeln!(out, "Imported {}.", count(report.imported.len(), "zone"))?;
        }
        for path in &report.written {
            writeln!(out, "  wrote  {path}")?;
        }
        for path in &report.existing {
            writeln!(out, "  exists, and stays as it is:  {path}")?;
        }
        writeln!(out, "Next:")?;
        report.next.iter().try_for_each(|line| writeln!(out, "  {line}"))
    })?;
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_names_zones_by_number_range_and_name() {
        let all: BTreeSet<ZoneName> = ["a.example", "b.example", "c.example", "d.example"]
            .into_iter()
            .map(|name| ZoneName::parse(name).unwrap())
            .collect();
        let names = |answer: &str| {
            chosen(answer, &all).map(|found| {
                found.iter().map(|zone| zone.as_str()[..1].to_owned()).collect::<String>()
            })
        };
        for (answer, expected) in [
            ("1\n", "a"),
            ("2-3, D.example", "bcd"),
            ("all", "abcd"),
            ("", ""),
            ("1 none", ""),
            ("4,4 , 4", "d"),
        ] {
            assert_eq!(names(answer).as_deref(), Ok(expected), "{answer:?}");
        }
        for answer in ["0", "5", "3-2", "1-99999999999999999999", "-", "e.example", "é", "1;2"] {
            assert!(names(answer).is_err(), "{answer:?}");
        }
    }
}
