//! Saved plans at the command line: writing one, and applying one instead of a spec.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::Value as Json;

use super::args::{Global, SpecArgs};
use super::base::Base;
use super::files::{self, Readers};
use super::output::Output;
use super::planning::{Loaded, Planned};
use super::settings;
use crate::diagnostic::{Severity, Sources};
use crate::model::time::{age, rfc3339};
use crate::model::{Danger, Desired};
use crate::plan::file::{self, PlanFileError, PlanMoved, Saved};
use crate::plan::{Consents, Verdict};
use crate::render::json;
use crate::render::safe::visible_json;
use crate::spec;
use crate::wire::Request;

/// Largest saved plan, in bytes.
const LARGEST: u64 = 1 << 30;

/// Bytes that tell a saved plan from a spec.
const HEAD: u64 = 64 * 1024;

/// A saved plan that was read.
pub(super) struct Opened {
    /// The file as it was.
    pub(super) plan: Json,
    /// What it was made from.
    pub(super) loaded: Loaded,
    /// The consents that were given with it.
    pub(super) consents: Consents,
}

/// Writes a plan with everything that it was made from; the file can be read by its owner only.
///
/// # Errors
/// The file cannot be written.
pub(super) fn save(
    path: &Path,
    (planned, verdict): (&Planned, &Verdict),
    requests: &[Request],
    (loaded, consents): (&Loaded, &Consents),
    (global, output): (&Global, &Output),
) -> anyhow::Result<()> {
    let plan = json::plan(&planned.plan, verdict, requests.len(), &loaded.sources);
    let exact = json::requests(requests);
    let exact = exact.get("requests").and_then(Json::as_array).cloned().unwrap_or_default();
    let base = loaded.base.as_ref().map(|base| (base.name.clone(), spec::print(&base.desired)));
    let live = planned.live.zones.iter().map(|(name, zone)| (name.to_string(), file::fingerprint(zone)));
    let saved = Saved {
        tool: tool(),
        created_at: rfc3339(settings::now(global)?),
        today: settings::today(global)?,
        desired: spec::print(&loaded.desired),
        base,
        spec_digest: loaded.digest.clone(),
        deletes: consents.deletes,
        dangers: consents.dangers.iter().map(|d| d.code().to_owned()).collect(),
        live: live.collect(),
    };
    let document = file::seal(plan, exact, &saved);
    let text = format!("{document:#}\n");
    files::write(path, visible_json(&text).as_bytes(), Readers::Owner, output)
        .with_context(|| format!("failed to save the plan as {}", path.display()))
}

/// The program with its version.
fn tool() -> String {
    format!("zonewright {}", env!("CARGO_PKG_VERSION"))
}

/// Whether what was named is one saved plan rather than a spec.
pub(super) fn is_plan(args: &SpecArgs) -> bool {
    let [path] = args.spec.as_slice() else { return false };
    // A pipe gives what it holds only once.
    if !path.is_file() {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && file::looks_like_plan(&String::from_utf8_lossy(&head))
}

/// Reads a saved plan, and refuses what must not be applied.
///
/// # Errors
/// It cannot be read, is not whole, was changed, is too old, or was not applicable when it was saved.
pub(super) fn open(path: &Path, most_age: Duration, given: Consents, global: &Global) -> anyhow::Result<Opened> {
    let name = path.display().to_string();
    let mut text = String::new();
    let file = File::open(path).with_context(|| format!("failed to read {name}"))?;
    file.take(LARGEST).read_to_string(&mut text).with_context(|| format!("failed to read {name}"))?;
    let refused = |error: PlanFileError| anyhow::Error::new(error).context(format!("{name} cannot be applied"));
    let (plan, saved) = file::open(&text).map_err(refused)?;
    let created = humantime::parse_rfc3339_weak(&saved.created_at)
        .with_context(|| format!("{name} does not say when it was made"))?;
    let now = settings::now(global)?;
    let Some(age) = age(created, now) else {
        bail!(
            "{name} was made at {}, and this machine's clock says {}: one of the two clocks is wrong, so its age cannot be \
             told. Set the clock, and plan again",
            rfc3339(created),
            rfc3339(now)
        );
    };
    if age > most_age {
        let (age, most) = (rounded(age), rounded(most_age));
        bail!("{name} was made {age} ago, and --max-age is {most}; plan again");
    }
    if plan.get("verdict").and_then(Json::as_str) == Some(Verdict::Incomplete.as_str()) {
        bail!("{name} was incomplete when it was saved: it holds errors. Plan again");
    }
    let (desired, sources) = read(&saved.desired, &saved.today, &name)?;
    let base = match &saved.base {
        None => None,
        Some((base, text)) => Some(Base { desired: read(text, &saved.today, &name)?.0, name: base.clone() }),
    };
    let mut consents = given;
    consents.deletes = consents.deletes.or(saved.deletes);
    consents.dangers.extend(saved.dangers.iter().filter_map(|code| Danger::by_code(code)));
    let records = desired.zones.values().map(|z| z.records.len()).sum();
    let loaded = Loaded {
        desired,
        diagnostics: crate::diagnostic::Diagnostics::default(),
        sources,
        digest: saved.spec_digest,
        files: 1,
        records,
        base,
        against: None,
        lock: None,
        undoing: None,
    };
    Ok(Opened { plan, loaded, consents })
}

/// A time in its two largest units.
fn rounded(duration: Duration) -> String {
    humantime::format_duration(Duration::from_secs(duration.as_secs() / 60 * 60)).to_string()
}

/// Reads a spec that a plan holds.
fn read(text: &str, today: &str, name: &str) -> anyhow::Result<(Desired, Sources)> {
    let mut sources = Sources::default();
    let options = spec::Options { variables: Vec::new(), today: Some(today.to_owned()) };
    let outcome = spec::load(&[spec::Input::Stdin(text.to_owned())], &options, &mut sources);
    let first = outcome.diagnostics.iter().find(|d| d.severity == Severity::Error).map(|d| d.detail.clone());
    match outcome.desired {
        Some(desired) => Ok((desired, sources)),
        None => bail!("{name} holds a spec that this version refuses: {}; plan again", first.unwrap_or_default()),
    }
}

/// What is no longer as the saved plan saw it.
pub(super) fn moved(opened: &Json, planned: &Planned, loaded: &Loaded, resuming: bool) -> Vec<PlanMoved> {
    let now = json::plan(&planned.plan, &Verdict::Ready, 0, &loaded.sources);
    file::differences(opened, &now, resuming)
}
