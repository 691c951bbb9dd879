//! Implements `import`: generates a spec from live zones or from files of other tools.

mod compared_with_cloudflare;
mod live_zones;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::{ArgMatches, Args};

use live_zones::{LiveParts, import_live};

use super::{Facts, Run, Session};
use crate::cli::exit_codes::{Ended, Exit};
use crate::cli::files;
use crate::cli::options_in_help::Matters;
use crate::cli::output::Output;
use crate::cli::settings::Settings;
use crate::cli::shared_arguments::Global;
use crate::diagnostic::{Diagnostics, Severity, Sources, count, findings, first_of};
use crate::edit;
use crate::import::{
    GivenValue, GivenValues, GivenZones, ImportResult, Imported, OctodnsChoice, SourceKind,
    read_sources, read_text,
};
use crate::live::WantedSettings;
use crate::model::{Desired, DesiredSettings, ZoneName, sort_by_key};
use crate::reconcile::{AsFound, as_found};
use crate::render::safe::safe;
use crate::spec::{Arrangement, Part, Remarks, arrange, print};

/// Maximum size of standard input.
///
/// # Units
/// Bytes.
const LARGEST_INPUT: u64 = 128 << 20;

/// Positions of options with values on the command line.
#[derive(Debug, Default)]
struct ValuePositions {
    texts: Vec<usize>,
    files: Vec<usize>,
}

/// Generate a spec from a live zone, Terraform, octoDNS, DNSControl, a zone file or CSV
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  zonewright import example.com > example.com.yaml\n  zonewright import ./terraform.tfstate > zones.yaml\n  zonewright import ./octodns/config/ --out zones/\n  zonewright import ./infra/ --handover script > handover.sh"
)]
pub(in crate::cli) struct ImportArgs {
    /// Live zones by name; files and directories of other tools as ./PATH, ../PATH or /PATH; `-` is
    /// standard input
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<String>,
    /// Format of the files, if it is not detected; every SOURCE is then a path
    #[arg(long, value_name = "FORMAT", value_parser = ["terraform", "octodns", "dnscontrol", "bind", "csv"])]
    from: Option<String>,
    /// Zone of the entries whose zone a file does not name: of all of them, or of those with this
    /// zone id; repeatable
    #[arg(long, value_name = "[ID=]ZONE")]
    zone_name: Vec<String>,
    /// Import what DNSControl publishes to this provider; needed where the source does not say
    /// which one is Cloudflare; repeatable
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    provider: Vec<String>,
    /// Configuration of octoDNS to read, if there are several
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    config: Option<PathBuf>,
    /// Target of octoDNS whose records are imported, by its name in the configuration, instead of
    /// Cloudflare
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    target: Option<String>,
    /// Leave out a resource of Terraform by its address, or what is in a directory or file;
    /// repeatable
    #[arg(long, value_name = "ADDRESS|PATH")]
    skip: Vec<String>,
    /// File with values of Terraform's variables; values of variables are also taken from --var and
    /// TF_VAR_NAME; repeatable
    #[arg(long, value_name = "FILE")]
    var_file: Vec<PathBuf>,
    /// Write one file for each zone, and one for its protection, into this directory, instead of
    /// one spec to standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write values that many records share as variables, and protection that zones share as a
    /// profile
    #[arg(long)]
    factor: bool,
    /// Print the steps for the tool that you move away from, instead of a spec; runs nothing
    #[arg(long, value_name = "FORM", value_parser = ["text", "script"], conflicts_with_all = ["out", "factor", "against"])]
    handover: Option<String>,
    /// Compare the result with a snapshot, instead of with Cloudflare
    #[arg(long, value_name = "SNAPSHOT", conflicts_with = "offline")]
    against: Option<PathBuf>,
    /// Do not compare the result with Cloudflare, even if there are credentials
    #[arg(long)]
    offline: bool,
    /// Import records only
    #[arg(long, conflicts_with = "only_waf")]
    only_dns: bool,
    /// Import the protection only
    #[arg(long)]
    only_waf: bool,
    /// Leave out zone settings
    #[arg(long)]
    no_settings: bool,
    /// Read every zone setting one by one, if Cloudflare does not list all of them at once
    #[arg(long, conflicts_with = "no_settings", hide_short_help = true)]
    all_settings: bool,
    /// First line of each file; not an argument.
    #[arg(skip)]
    first_line: &'static str,
    /// Positions of `--var` and `--var-file` on the command line; not an argument.
    #[arg(skip)]
    value_positions: ValuePositions,
    /// True if every source is the name of a live zone, even one with a slash; not an argument.
    #[arg(skip)]
    is_live: bool,
}

impl ImportArgs {
    /// Creates arguments that import live zones into a directory. Each file begins with
    /// `first_line`.
    pub(super) fn of_live(
        zones: &[String],
        directory: &Path,
        first_line: &'static str,
        no_settings: bool,
    ) -> Self {
        Self {
            sources: zones.to_vec(),
            from: None,
            zone_name: Vec::new(),
            provider: Vec::new(),
            config: None,
            target: None,
            skip: Vec::new(),
            var_file: Vec::new(),
            value_positions: ValuePositions::default(),
            out: Some(directory.to_owned()),
            factor: false,
            handover: None,
            against: None,
            offline: true,
            only_dns: false,
            only_waf: false,
            no_settings,
            all_settings: false,
            first_line,
            is_live: true,
        }
    }

    /// Records the positions of options, of which the last one wins.
    pub(in crate::cli) fn note_positions(&mut self, matches: &ArgMatches) {
        let positions = |id| matches.indices_of(id).into_iter().flatten().collect();
        self.value_positions =
            ValuePositions { texts: positions("variables"), files: positions("var_file") };
    }

    /// Returns the values of Terraform's variables from the command line and the environment.
    fn values(&self, settings: &Settings<'_>) -> GivenValues {
        let position = |positions: &[usize], n: usize| positions.get(n).copied().unwrap_or(n);
        let ValuePositions { texts, files } = &self.value_positions;
        let variables = settings.flags.variables.iter().enumerate();
        let text_options = variables.map(|(n, (name, text))| {
            (position(texts, n), GivenValue::Text(name.clone(), text.clone()))
        });
        let var_files = self.var_file.iter().enumerate();
        let file_options =
            var_files.map(|(n, path)| (position(files, n), GivenValue::File(path.clone())));
        let mut options: Vec<_> = text_options.chain(file_options).collect();
        sort_by_key(&mut options, |(position, _)| *position);
        let options = options.into_iter().map(|(_, option)| option).collect();
        GivenValues { environment: settings.terraform_variables(), options }
    }

    /// Returns the parts of live zones to import.
    fn live_parts(&self) -> LiveParts {
        let settings = match (self.no_settings, self.all_settings) {
            (true, _) => WantedSettings::None,
            (false, true) => WantedSettings::Each,
            (false, false) => WantedSettings::Usual,
        };
        LiveParts { only_dns: self.only_dns, only_waf: self.only_waf, settings }
    }

    /// Returns true if a source is a file or a directory.
    fn is_file(&self, source: &str) -> bool {
        !self.is_live && (self.from.is_some() || is_path_source(source))
    }
}

impl Run for ImportArgs {
    const MATTERS: Matters = Matters { variables: true, ..Matters::ONLINE };

    fn facts(&self) -> Facts<'_> {
        Facts::online("import")
    }

    fn check(&self, global: &Global) -> Result<(), String> {
        let is_about_files = self.sources.iter().any(|source| self.is_file(source));
        let is_terraform =
            is_about_files && self.from.as_deref().is_none_or(|from| from == "terraform");
        let has_variables = !global.variables.is_empty() || !self.var_file.is_empty();
        if has_variables && !is_terraform {
            return Err(NO_VARIABLES.to_owned());
        }
        if !self.skip.is_empty() && !is_about_files {
            return Err("--skip leaves out what files contain, and no SOURCE is a file".to_owned());
        }
        Ok(())
    }

    async fn run(&self, session: &Session<'_>) -> anyhow::Result<Exit> {
        let Session { settings, output, .. } = *session;
        run(self, settings, output).await
    }
}

/// Message for values of variables that no source uses.
const NO_VARIABLES: &str = "--var and --var-file give values of Terraform's variables, and no \
    SOURCE is a configuration of Terraform";

/// Reads the sources and prints a spec.
pub(super) async fn run(
    args: &ImportArgs,
    settings: &Settings<'_>,
    output: &Arc<Output>,
) -> anyhow::Result<Exit> {
    let (paths, zones): (Vec<&String>, Vec<&String>) =
        args.sources.iter().partition(|source| args.is_file(source));
    if paths.is_empty() {
        refuse_unused_provider(args, None)?;
        refuse_unused_octodns_options(args, None)?;
    }
    let mut imported = Vec::new();
    let mut file_contents = None;
    let mut beside_spec = Diagnostics::default();
    if !paths.is_empty() {
        let Some(mut files) = files_of(args, &paths, settings, output)? else {
            return Ok(Exit::Error);
        };
        imported.extend(files.take_imported());
        file_contents = Some(files);
    }
    if let Some(form) = &args.handover {
        return print_handover(form, file_contents.as_ref(), output);
    }
    if !zones.is_empty() {
        let (live, found) = import_live(args.live_parts(), &zones, settings, output).await?;
        imported.extend(live);
        beside_spec = found;
    }
    output.hide();
    output.diagnostics(&beside_spec, &Sources::default());
    let Some((desired, remarks)) = joined(args, imported, settings, output)? else {
        return Ok(Exit::Error);
    };
    output.hide();
    // Sources that are not compared are released before the spec is read back.
    let compared_files = file_contents.filter(|_| !args.offline);
    let AsFound { desired, notes } = as_found(desired);
    notes.iter().for_each(|note| output.news(&safe(note)));
    let printed = compared_files.is_some().then(|| print(&desired));
    let arranged = arrange(&desired, &remarks, args.factor);
    let texts = match &args.out {
        None => vec![(PathBuf::new(), arranged.whole())],
        Some(directory) => zone_files((directory, args.first_line), &desired, &arranged),
    };
    // The layout of a large spec needs as much memory as its records.
    drop((desired, remarks));
    let files: Vec<(PathBuf, String)> =
        texts.into_iter().map(|(path, text)| laid_out(path, text, output)).collect();
    match &args.out {
        None => output
            .result(|out| files.iter().try_for_each(|(_, text)| out.write_all(text.as_bytes())))?,
        Some(directory) => files::write_new(directory, &files, output)?,
    }
    if let (Some(found), Some(printed)) = (compared_files, printed) {
        compared_with_cloudflare::compare_with_cloudflare(
            &printed,
            &found,
            args.against.as_deref(),
            settings,
            output,
        )
        .await?;
    }
    Ok(Exit::Success)
}

/// Merges the selected zones of all sources with the comments on their records. Returns `None` if
/// there are none, which is reported.
fn joined(
    args: &ImportArgs,
    imported: Vec<Imported>,
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<Option<(Desired, Remarks)>> {
    let mut desired = Desired::default();
    let mut remarks = Remarks::default();
    let mut meanings = Diagnostics::default();
    for Imported { mut zone, notes, meanings: other, left_out_settings, remarks: own, .. } in
        imported
    {
        if args.no_settings {
            zone.settings.settings.clear();
        }
        if args.only_waf {
            zone.records.clear();
            zone.settings = DesiredSettings::default();
        }
        if args.only_dns {
            zone.waf = None;
        }
        if output.is_quiet() && !notes.is_empty() {
            let omissions = count(notes.len(), "thing");
            output.message(&format!(
                "{}: {omissions} left out; run without --quiet to list each",
                zone.name
            ));
        }
        for note in notes {
            output.news(&format!("{}: {}", zone.name, safe(&note)));
        }
        for meaning in other {
            meanings.push(findings::OTHER_MEANING.nowhere(format!("{}: {meaning}", zone.name)));
        }
        for why in left_out_settings {
            meanings.push(findings::SETTING_LEFT_OUT.nowhere(format!("{}: {why}", zone.name)));
        }
        remarks.append(own);
        if let Some(other) = desired.zones.insert(zone.name.clone(), zone) {
            bail!("several sources contain the zone {}; import them one by one", other.name);
        }
    }
    output.hide();
    let mut unselected = Diagnostics::default();
    let desired = settings.selection()?.apply(desired, &mut unselected);
    output.diagnostics(&meanings, &Sources::default());
    output.diagnostics(&unselected, &Sources::default());
    Ok((!unselected.has_errors()).then_some((desired, remarks)))
}

/// Prints the steps for the tool that the zones move away from.
fn print_handover(
    form: &str,
    found: Option<&ImportResult>,
    output: &Output,
) -> anyhow::Result<Exit> {
    let Some(leaving) = found.map(|found| &found.leaving).filter(|leaving| !leaving.is_empty())
    else {
        bail!(
            "--handover needs a source that Terraform, octoDNS or DNSControl manages, with at least one entry, zone or domain that is imported as a whole"
        );
    };
    let text = if form == "script" { leaving.script() } else { leaving.text() };
    output.result(|out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Success)
}

/// Returns true if a source is a path, that is, has a slash. Only names of reverse zones have one,
/// such as `0/25.2.0.192.in-addr.arpa` (RFC 2317, section 4); such a name is a path if a file has
/// it.
fn is_path_source(source: &str) -> bool {
    let is_marked = ["./", "../", "/"].iter().any(|mark| source.starts_with(mark))
        || Path::new(source).is_absolute();
    let is_reverse = || {
        let name = source.trim_end_matches('.').to_ascii_lowercase();
        name.ends_with(".in-addr.arpa") || name.ends_with(".ip6.arpa")
    };
    let is_slashed = source.contains('/') && (Path::new(source).exists() || !is_reverse());
    is_marked || is_slashed || matches!(source, "." | ".." | "-")
}

/// Imports files and directories. Returns `None` if one of them is unreadable, which is reported.
fn files_of(
    args: &ImportArgs,
    paths: &[&String],
    settings: &Settings<'_>,
    output: &Output,
) -> anyhow::Result<Option<ImportResult>> {
    let from = args.from.as_deref().and_then(SourceKind::parse);
    let providers = args.provider.iter().cloned().collect();
    let octodns = OctodnsChoice { config: args.config.clone(), target: args.target.clone() };
    let (values, skip) = (args.values(settings), args.skip.clone());
    let mut given_zones = GivenZones { providers, octodns, values, skip, ..GivenZones::default() };
    for name in &args.zone_name {
        let parse = |text: &str| {
            ZoneName::parse(text)
                .with_context(|| format!("--zone-name {name:?}: not a valid zone name"))
        };
        match name.split_once('=') {
            Some((id, name)) => drop(given_zones.by_id.insert(id.to_owned(), parse(name)?)),
            None => given_zones.default = Some(parse(name)?),
        }
    }
    let mut imports = if paths.iter().any(|path| path.as_str() == "-") {
        let Some(kind) = from.filter(|_| paths.len() == 1) else {
            bail!("standard input needs --from, and cannot be combined with another source");
        };
        let mut text = String::new();
        let read = std::io::stdin().take(LARGEST_INPUT + 1).read_to_string(&mut text);
        read.context("failed to read standard input")?;
        if text.len() as u64 > LARGEST_INPUT {
            bail!("standard input has more than {} MiB", LARGEST_INPUT >> 20);
        }
        read_text("<stdin>", text, kind, &given_zones)
    } else {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        read_sources(&paths, from, &given_zones)
    };
    if given_zones.values.has_options() && !imports.has_variables {
        return Err(Ended::Usage(NO_VARIABLES.to_owned()).into());
    }
    imports.diagnostics.order(&imports.sources);
    output.diagnostics(&imports.diagnostics, &imports.sources);
    let is_broken =
        imports.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if is_broken {
        // Nothing is imported, so there is nothing to count.
        return Ok(None);
    }
    refuse_unused_provider(args, Some(&imports))?;
    refuse_unused_octodns_options(args, Some(&imports))?;
    summarise(&imports, output);
    if imports.is_empty() {
        bail!("no zone was found in {}", args.sources.join(", "));
    }
    Ok(Some(imports))
}

/// Refuses `--provider` if no source is of DNSControl.
fn refuse_unused_provider(args: &ImportArgs, found: Option<&ImportResult>) -> anyhow::Result<()> {
    let is_used = found.is_some_and(|found| found.kinds.contains(&SourceKind::Dnscontrol));
    if args.provider.is_empty() || is_used {
        return Ok(());
    }
    let why =
        "--provider is about the output of `dnscontrol print-ir`, and no source is that; remove it";
    Err(Ended::usage(why))
}

/// Refuses `--config` and `--target` if no source is of octoDNS.
fn refuse_unused_octodns_options(
    args: &ImportArgs,
    found: Option<&ImportResult>,
) -> anyhow::Result<()> {
    let is_used = found.is_some_and(|found| found.kinds.contains(&SourceKind::Octodns));
    let options = [("--config", args.config.is_some()), ("--target", args.target.is_some())];
    let Some((name, _)) = options.iter().find(|(_, is_given)| *is_given && !is_used) else {
        return Ok(());
    };
    Err(Ended::usage(format!(
        "{name} is about octoDNS, and no file of octoDNS is among the sources; remove it"
    )))
}

/// Prints how many entries of each kind were imported. Missing entries are reported even if quiet
/// output is wanted.
fn summarise(found: &ImportResult, output: &Output) {
    let (all, imported) = found
        .tally
        .values()
        .fold((0, 0), |(all, imported), t| (all + t.all, imported + t.imported));
    if output.is_quiet() && imported < all {
        output.message(&format!(
            "{imported} of {} imported; run without --quiet to list the others",
            count_entries(all)
        ));
    }
    for (kind, tally) in &found.tally {
        let in_part =
            if tally.in_part > 0 { format!(", {} in part", tally.in_part) } else { String::new() };
        output.news(&format!("{kind}: {} of {} imported{in_part}", tally.imported, tally.all));
    }
    for line in files_in_words(found, output.verbose > 0) {
        output.news(&line);
    }
}

/// Maximum number of skipped files to list for one reason, unless verbose output is wanted.
const MOST_SKIPPED: usize = 8;

/// Describes how many files were read, and which were skipped, by reason.
fn files_in_words(found: &ImportResult, is_verbose: bool) -> Vec<String> {
    let (read, skipped) = (found.files_read.len(), found.files_skipped.len());
    if read <= 1 && skipped == 0 {
        return Vec::new();
    }
    let colon = if skipped == 0 { "" } else { ":" };
    let mut lines = vec![format!("read {}, skipped {skipped}{colon}", count(read, "file"))];
    let mut by_reason: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
    for (path, reason) in &found.files_skipped {
        by_reason.entry(reason).or_default().push(path);
    }
    for (reason, paths) in by_reason {
        let limit = if is_verbose { usize::MAX } else { MOST_SKIPPED };
        let names =
            first_of(paths.iter().map(|path| safe(&path.to_string_lossy()).into_owned()), limit);
        lines.push(format!("  {}: {names}", safe(reason)));
    }
    lines
}

/// Returns a number of entries in words.
fn count_entries(n: usize) -> String {
    if n == 1 { "1 entry".to_owned() } else { format!("{n} entries") }
}

/// Returns a file of a spec in the layout of `fmt`, so that `fmt --check` accepts it. Warns if
/// `fmt` leaves the text as it is.
fn laid_out(path: PathBuf, text: String, output: &Output) -> (PathBuf, String) {
    match edit::format(&text, false) {
        Ok(formatted) => (path, formatted),
        Err(error) => {
            let name = match path.as_os_str().is_empty() {
                true => "the spec".to_owned(),
                false => safe(&path.display().to_string()).into_owned(),
            };
            output.message(&format!("warning: {name}: {error}"));
            (path, text)
        }
    }
}

/// Returns the files of each zone, and a file for the parts that zones share.
fn zone_files(
    (directory, first_line): (&Path, &str),
    desired: &Desired,
    arranged: &Arrangement<'_>,
) -> Vec<(PathBuf, String)> {
    let shared = arranged.shared().map(|text| (directory.join("shared.yaml"), text));
    let of_zones = desired.zones.values().flat_map(|zone| {
        [(Part::Zone, "yaml"), (Part::Protection, "waf.yaml")].into_iter().filter_map(
            |(part, ending)| {
                Some((
                    directory.join(format!("{}.{ending}", zone.name.file_stem())),
                    arranged.file(zone, part)?,
                ))
            },
        )
    });
    shared
        .into_iter()
        .chain(of_zones)
        .map(|(path, text)| (path, format!("{first_line}{text}")))
        .collect()
}
