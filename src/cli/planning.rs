//! From arguments to a plan: load, read, compare. Shared by `plan` and `apply`.

use std::io::Read;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;

use super::against::AsOf;
use super::args::{ConsentArgs, Global, SpecArgs};
use super::base::Base;
use super::exit::Exit;
use super::formats;
use super::output::Output;
use super::service::{Access, Origin, Service};
use super::settings;
use super::shard::Shard;
use super::undoing::Undoing;
use super::{repeats, waf_lock};
use crate::diagnostic::{Diagnostics, Sources, findings};
use crate::lint;
use crate::live::{self, Progress, WafQuery, Wanted, fetch, fetch_record_quota, fetch_waf_of_new};
use crate::model::{Desired, DesiredZone, Live, LiveZone, ZoneName};
use crate::plan::{Consents, Lowering, Plan, ZonePlan, plan_zone, plan_zone_with_base};
use crate::render::{self, Findings};
use crate::spec;

/// Bytes taken from standard input: more than a spec may have, so that too much is noticed.
const MOST_BYTES: u64 = 80 * 1024 * 1024;
/// A spec that could be read, with what was found in it.
pub(super) struct Loaded {
    /// What it wants.
    pub(super) desired: Desired,
    /// Warnings and notes.
    pub(super) diagnostics: Diagnostics,
    /// Its texts.
    pub(super) sources: Sources,
    /// Its digest.
    pub(super) digest: String,
    /// Files read.
    pub(super) files: usize,
    /// Records wanted.
    pub(super) records: usize,
    /// The spec as it was before, if one is named.
    pub(super) base: Option<Base>,
    /// The snapshot that stands in for the service.
    pub(super) against: Option<AsOf>,
    /// Where the managed rulesets are written down, if they are.
    pub(super) lock: Option<PathBuf>,
    /// The journal that is undone, in place of a spec.
    pub(super) undoing: Option<Undoing>,
}

impl Loaded {
    /// The zones that a rehearsal needs to find: those that the spec does not make itself.
    ///
    /// Managed rulesets need a paid plan, so a zone that is to be protected is rehearsed on one that has what specs ask for.
    pub(super) fn rehearsed(&self) -> impl Iterator<Item = (&crate::model::ZoneName, &'static str)> {
        let tier = |zone: &DesiredZone| if zone.waf.is_some() { "business" } else { "free" };
        let is_rehearsed = |z: &&DesiredZone| !z.create && self.undoing.is_none();
        self.desired.zones.values().filter(is_rehearsed).map(move |z| (&z.name, tier(z)))
    }

    /// What has to be read of a zone's protection: also what the spec before had, for what is given up goes.
    pub(super) fn waf_query(&self, zone: &DesiredZone) -> WafQuery {
        if let Some(undoing) = &self.undoing {
            return undoing.waf_query(zone);
        }
        let before = self.base.as_ref().and_then(|base| base.desired.zones.get(&zone.name));
        let mut query = WafQuery::default();
        for section in [Some(zone), before].into_iter().flatten().filter_map(|zone| zone.waf.as_deref()) {
            let WafQuery { phases, managed } = WafQuery::of(section);
            query.phases.extend(phases);
            query.managed.extend(managed);
        }
        query
    }
}

/// What `plan` and `apply` begin with: a good spec, the consents given, a connection.
pub(super) struct Begun {
    /// The spec.
    pub(super) loaded: Loaded,
    /// The consents.
    pub(super) consents: Consents,
    /// The connection.
    pub(super) service: Service,
}

/// Begins `plan` or `apply`; wrong usage and mistakes of the spec are reported here and end the run.
///
/// # Errors
/// No credentials, no service.
pub(super) async fn begin(
    spec: &SpecArgs,
    consents: &ConsentArgs,
    access: Access,
    global: &Global,
    output: &Arc<Output>,
) -> anyhow::Result<Result<Begun, Exit>> {
    let consents = match settings::consents(consents, global)? {
        Ok(consents) => consents,
        Err(message) => {
            output.message(&format!("error: {message}"));
            return Ok(Err(Exit::Usage));
        }
    };
    let loaded = match load("plan", spec, global, output)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(Err(exit)),
    };
    let service = Service::open(global, access, output, loaded.rehearsed()).await?;
    Ok(Ok(Begun { loaded, consents, service }))
}

/// Reads a spec for a command; shows what is wrong with it.
///
/// # Errors
/// Standard input or output fails. A spec with mistakes is reported here and ends the run.
pub(super) fn load(
    command: &'static str,
    args: &SpecArgs,
    global: &Global,
    output: &Output,
) -> anyhow::Result<Result<Loaded, Exit>> {
    let show = |diagnostics: &Diagnostics, sources: &Sources| {
        if output.format == super::args::Format::Text {
            output.diagnostics(diagnostics, sources);
        }
    };
    match read(args, global)? {
        Ok(loaded) => {
            show(&loaded.diagnostics, &loaded.sources);
            Ok(Ok(with_base(loaded, args, global)?))
        }
        Err(Unusable { diagnostics, sources }) => {
            show(&diagnostics, &sources);
            let found = Findings { command, diagnostics: &diagnostics, sources: &sources, holds: None };
            report_errors(&found, global, output)?;
            Ok(Err(Exit::Error))
        }
    }
}

/// A spec with mistakes.
pub(super) struct Unusable {
    /// The mistakes, and what else was found.
    pub(super) diagnostics: Diagnostics,
    /// Its texts.
    pub(super) sources: Sources,
}

/// Reads a spec and shows nothing; the spec before is left for [`with_base`].
///
/// # Errors
/// Standard input fails.
pub(super) fn read(args: &SpecArgs, global: &Global) -> anyhow::Result<Result<Loaded, Unusable>> {
    let inputs: Vec<_> = args.spec.iter().map(|path| input(path)).collect::<anyhow::Result<_>>()?;
    let mut sources = Sources::default();
    let options = spec::Options { variables: global.variables.clone(), today: Some(settings::today(global)?) };
    let spec::Outcome { desired, mut diagnostics, digest, files, records } =
        spec::load(&inputs, &options, &mut sources);
    // The whole spec, as what one zone says may concern another.
    if let Some(desired) = &desired {
        diagnostics.append(lint::check(desired));
    }
    let shard = settings::shard(global)?;
    let desired = desired.map(|desired| select(desired, &global.zone, &mut diagnostics));
    let desired = desired.map(|desired| share(desired, shard, &mut diagnostics));
    diagnostics.sort(&sources);
    Ok(match desired {
        Some(desired) if !diagnostics.has_errors() => Ok(Loaded {
            desired,
            diagnostics,
            sources,
            digest,
            files,
            records,
            base: None,
            against: None,
            lock: Some(waf_lock::beside(&args.spec)),
            undoing: None,
        }),
        _ => Err(Unusable { diagnostics, sources }),
    })
}

/// Adds the spec before, if one is named.
///
/// # Errors
/// It cannot be found or read, or has mistakes.
pub(super) fn with_base(loaded: Loaded, args: &SpecArgs, global: &Global) -> anyhow::Result<Loaded> {
    let base = global.base.as_deref().map(|base| super::base::load(base, args, global)).transpose()?;
    Ok(Loaded { base, ..loaded })
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
    std::io::stdin().lock().take(MOST_BYTES).read_to_end(&mut text).context("failed to read standard input")?;
    Ok(spec::Input::Stdin(String::from_utf8(text).context("failed to read standard input: it is not UTF-8 text")?))
}

/// The last word on a spec that cannot be used.
pub(super) fn report_errors(found: &Findings<'_>, global: &Global, output: &Output) -> anyhow::Result<()> {
    let Findings { diagnostics, sources, .. } = *found;
    if output.format == super::args::Format::Json {
        output.json(&serde_json::json!({
            "format": Plan::FORMAT, "kind": "diagnostics",
            "diagnostics": render::json::diagnostics_json(diagnostics, sources),
        }))?;
    }
    formats::write_findings(found, global, output)?;
    let errors = diagnostics.count(crate::diagnostic::Severity::Error);
    let noun = if errors == 1 { "error" } else { "errors" };
    output.message(&format!("{errors} {noun} in the spec; no request was made"));
    Ok(())
}

/// The zones that `--zone` names.
pub(super) fn select(mut desired: Desired, globs: &[String], diagnostics: &mut Diagnostics) -> Desired {
    if globs.is_empty() {
        return desired;
    }
    let mut patterns = Vec::new();
    for text in globs {
        let name = text.trim_end_matches('.').to_lowercase();
        // Globs stay as they are; a plain name may be written in Unicode.
        let canonical = crate::model::ZoneName::parse(&name).map_or(name, |z| z.to_string());
        match glob::Pattern::new(&canonical) {
            Ok(pattern) if desired.zones.keys().any(|z| pattern.matches(z.as_str())) => patterns.push(pattern),
            Ok(_) => diagnostics.push(
                findings::NO_SUCH_ZONE
                    .nowhere(format!("no zone matches {text:?}"))
                    .help(format!("the spec has {}", list(desired.zones.keys().map(ToString::to_string)))),
            ),
            Err(error) => {
                diagnostics.push(findings::INVALID_GLOB.nowhere(format!("{text:?}: {error}")));
            }
        }
    }
    desired.zones.retain(|name, _| patterns.iter().any(|p| p.matches(name.as_str())));
    desired
}

/// The zones of one part.
fn share(mut desired: Desired, shard: Option<Shard>, diagnostics: &mut Diagnostics) -> Desired {
    let Some(shard) = shard else { return desired };
    let all = desired.zones.len();
    desired.zones.retain(|name, _| shard.has(name));
    let words = format!("shard {shard} has {} of {all} zones", desired.zones.len());
    diagnostics.push(findings::PART.nowhere(words));
    desired
}

/// Zones that the spec before named and this one does not: out of sight, and left as they are.
///
/// A saved plan names its base itself, and may have been made for some zones only; so may a run with `--zone`.
///
/// # Errors
/// The job's index is needed and cannot be used.
fn dropped(loaded: &Loaded, global: &Global) -> anyhow::Result<Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let Some(base) = loaded.base.as_ref().filter(|_| global.base.is_some() && global.zone.is_empty()) else {
        return Ok(diagnostics);
    };
    let shard = settings::shard(global)?;
    let is_ours = |zone: &&ZoneName| shard.is_none_or(|shard| shard.has(zone));
    for zone in base.desired.zones.keys().filter(is_ours).filter(|zone| !loaded.desired.zones.contains_key(zone)) {
        let words =
            format!("{zone} was in the spec before ({}); nothing of it is compared or changed any more", base.name);
        let help = format!(
            "if its records are to go, keep it with `records: []`; if `{zone}` was left out by mistake, write it again"
        );
        let diagnostic = findings::DROPPED_ZONE.nowhere(words);
        diagnostics.push(diagnostic.about(zone.to_string()).help(help));
    }
    Ok(diagnostics)
}

/// At most eight names.
fn list(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<_> = names.take(9).collect();
    if names.len() == 9 {
        names[8] = "…".to_owned();
    }
    names.join(", ")
}

/// A plan, and what it was made from.
pub(super) struct Planned {
    /// The plan.
    pub(super) plan: Plan,
    /// What the service has.
    pub(super) live: Live,
    /// How it was read.
    pub(super) options: live::Options,
}

/// How the flags want things to be read.
pub(super) fn read_options(global: &Global, origin: &impl Origin) -> live::Options {
    live::Options {
        page_size: global.page_size,
        concurrency: usize::from(global.concurrency),
        account: origin.account(),
        cache: origin.cache(),
    }
}

/// What a zone of the spec needs to be read.
pub(super) fn wanted(zone: &DesiredZone) -> Wanted {
    Wanted {
        name: zone.name.clone(),
        id: zone.id.clone(),
        around: zone.around.clone(),
        waf: zone.waf.as_deref().map(WafQuery::of).unwrap_or_default(),
    }
}

/// Shows what is being read.
pub(super) fn show_progress(output: &Arc<Output>) -> impl Fn(Progress) + Send + Sync + use<> {
    let shown = Arc::clone(output);
    move |progress: Progress| match progress {
        Progress::ZoneRead { zone, records } => shown.status(&format!("read {zone}: {records} records")),
        Progress::SmallPages { zone, per_page } => {
            shown.news(&format!("{zone}: the service gives {per_page} records a page"));
        }
    }
}

/// Reads the service, or what stands in for it, and plans.
///
/// # Errors
/// The service cannot be read.
pub(super) async fn plan(
    loaded: &Loaded,
    service: &impl Origin,
    global: &Global,
    output: &Arc<Output>,
) -> anyhow::Result<Planned> {
    let options = read_options(global, service);
    let reader = service.reader();
    let mut wanted: Vec<_> = loaded.desired.zones.values().map(wanted).collect();
    for (wanted, zone) in wanted.iter_mut().zip(loaded.desired.zones.values()) {
        wanted.waf = loaded.waf_query(zone);
    }
    let progress = show_progress(output);
    let fetched = fetch(reader, &wanted, &options, &progress).await.map_err(with_hint)?;
    let mut live = fetched.live;
    let mut plan =
        Plan { spec_digest: loaded.digest.clone(), diagnostics: loaded.diagnostics.clone(), ..Plan::default() };
    plan.base = loaded.base.as_ref().map(|base| base.name.clone());
    plan.diagnostics.append(dropped(loaded, global)?);
    for zone in &fetched.missing {
        if loaded.desired.zones.get(zone).is_some_and(|z| z.create && z.id.is_none()) {
            let mut new = LiveZone::to_be_made(zone.clone());
            let query = loaded.desired.zones.get(zone).and_then(|z| z.waf.as_deref()).map(WafQuery::of);
            new.waf = fetch_waf_of_new(reader, &query.unwrap_or_default(), &options).await.map_err(with_hint)?;
            live.zones.insert(zone.clone(), new);
            continue;
        }
        let diagnostic = findings::MISSING_ZONE
            .nowhere(format!("{zone} is not there, or these credentials may not see it"))
            .about(zone.to_string())
            .help(match loaded.desired.zones.get(zone).and_then(|z| z.id.as_ref()) {
                Some(_) => "correct or remove `id`, or give the token access to the zone",
                None => "write `create: true` to have it made, correct its name, or give the token access to it",
            });
        let place = loaded.desired.zones.get(zone).map(|z| z.place);
        plan.diagnostics.push(match place {
            Some(place) => diagnostic.at(place, ""),
            None => diagnostic,
        });
    }
    for (name, desired) in &loaded.desired.zones {
        let Some(zone) = live.zones.get_mut(name) else { continue };
        let (mut zone_plan, mut diagnostics) = plan_one(loaded, desired, zone);
        if zone_plan.quota_in_doubt && !zone.is_new {
            zone.record_quota = fetch_record_quota(reader, &zone.id).await;
            (zone_plan, diagnostics) = plan_one(loaded, desired, zone);
        }
        plan.diagnostics.append(diagnostics);
        plan.zones.push(zone_plan);
    }
    if let Some(lock) = &loaded.lock {
        plan.diagnostics.append(waf_lock::check(lock, &live));
    }
    plan.diagnostics.sort(&loaded.sources);
    plan.requests_made = service.requests();
    output.hide();
    Ok(Planned { plan, live, options })
}

/// Warns of what was applied a short while ago and is needed again. This is for who is about to apply: drift says by itself what
/// somebody takes back. An undo is not what the journals are about.
///
/// # Errors
/// The clock cannot be right.
pub(super) fn warn_of_repeats(planned: &mut Planned, loaded: &Loaded, global: &Global) -> anyhow::Result<()> {
    if loaded.undoing.is_none() {
        planned.plan.diagnostics.append(repeats::find(&global.journal, &planned.plan, settings::now(global)?));
        planned.plan.diagnostics.sort(&loaded.sources);
    }
    Ok(())
}

/// Plans one zone, with the spec before as third leg where there is one.
pub(super) fn plan_one(loaded: &Loaded, desired: &DesiredZone, live: &LiveZone) -> (ZonePlan, Diagnostics) {
    if let Some(undoing) = &loaded.undoing {
        return undoing.plan(desired, live);
    }
    match &loaded.base {
        None => plan_zone(desired, live),
        Some(base) => {
            // A zone that the spec before did not name wanted nothing.
            let nothing = DesiredZone::new(desired.name.clone(), desired.place);
            plan_zone_with_base(desired, base.desired.zones.get(&desired.name).unwrap_or(&nothing), live)
        }
    }
}

/// How a zone's changes are cut: by the flag, within what the zone's plan allows.
pub(super) fn lowering(zone: &ZonePlan, global: &Global) -> Lowering {
    let allowed = zone.tier.facts().batch_operations;
    let wanted = global.batch_size.and_then(|n| usize::try_from(n).ok());
    match wanted.unwrap_or(allowed).min(allowed) {
        1 => Lowering::Single,
        size => Lowering::Batches(size),
    }
}

/// An error of reading, with what to do about it.
pub(super) fn with_hint(error: live::FetchError) -> anyhow::Error {
    let hint = match &error {
        live::FetchError::Api { source, .. } => source.hint(),
        _ => None,
    };
    let error = anyhow::Error::new(error);
    match hint {
        Some(hint) => error.context(Hint(hint)),
        None => error,
    }
}

/// What to do about an error; shown after it.
#[derive(Debug)]
pub(super) struct Hint(pub(super) String);

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
