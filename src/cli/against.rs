//! A snapshot in place of the service: opens it, and takes out of the spec what the snapshot cannot speak about.
//!
//! What the snapshot does not have is reported thing by thing, and the rest is planned: a pull request that names one setting
//! more still shows what else it does.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Value as Json, json};

use super::args::{Format, Global, PlanArgs};
use super::exit::Exit;
use super::output::Output;
use super::planning::{Loaded, load, wanted};
use super::service::Origin;
use super::settings;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, findings};
use crate::live::CatalogueCache;
use crate::live::snapshot::{Lack, Part, Snapshot};
use crate::model::time::age;
use crate::model::{Desired, DesiredZone};
use crate::plan::Consents;
use crate::render::ago;
use crate::render::safe::safe;

/// The most bytes that are read of a snapshot.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// The moment of a snapshot, for those who show what was made from it.
#[derive(Debug, Clone)]
pub(super) struct AsOf {
    /// When it was taken, as it says.
    taken_at: String,
    /// How long ago that is; `None` if it is still to come.
    age: Option<Duration>,
    /// The program that took it.
    tool: String,
    /// The host of the service.
    service: String,
}

impl AsOf {
    /// For programs.
    pub(super) fn json(&self) -> Json {
        let Self { taken_at, age, tool, service } = self;
        json!({ "taken_at": taken_at, "age_seconds": age.map(|age| age.as_secs()), "tool": tool, "service": service })
    }

    /// For people.
    pub(super) fn words(&self) -> String {
        let Self { taken_at, age, tool: _, service } = self;
        let age = age.map_or_else(|| "still to come by this machine's clock".to_owned(), ago);
        format!("As of {} ({age}): a snapshot of {}, not the service itself.", safe(taken_at), safe(service))
    }
}

/// An open snapshot.
pub(super) struct Against {
    snapshot: Snapshot,
    /// Its moment.
    pub(super) as_of: AsOf,
}

impl Origin for Against {
    type Reader = Snapshot;

    fn reader(&self) -> &Snapshot {
        &self.snapshot
    }

    fn account(&self) -> Option<String> {
        self.snapshot.about().account.clone()
    }

    fn cache(&self) -> Option<Arc<dyn CatalogueCache>> {
        None
    }

    fn requests(&self) -> u64 {
        0
    }
}

impl Against {
    /// Opens a snapshot.
    ///
    /// # Errors
    /// The file cannot be read, or is no snapshot that can be used.
    pub(super) fn open(path: &Path, global: &Global) -> anyhow::Result<Self> {
        let what = || format!("failed to read the snapshot {}", path.display());
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
        read.with_context(what)?;
        if bytes.len() as u64 > MOST_BYTES {
            bail!("{}: it is larger than {MOST_BYTES} bytes", what());
        }
        let snapshot = Snapshot::from_bytes(&bytes).with_context(what)?;
        let about = snapshot.about();
        let taken = humantime::parse_rfc3339(&about.taken_at).context("it does not say when it was taken");
        let age = age(taken.with_context(what)?, settings::now(global)?);
        let (taken_at, tool, service) = (about.taken_at.clone(), about.tool.clone(), about.service.clone());
        Ok(Self { as_of: AsOf { taken_at, age, tool, service }, snapshot })
    }

    /// Takes out of a spec what the snapshot cannot speak about, and says what that is.
    ///
    /// It is taken out of the spec before as well, or it would look as if the author had removed it.
    fn limit(&self, desired: &mut Desired, mut base: Option<&mut Desired>) -> Diagnostics {
        let mut found = Diagnostics::default();
        desired.zones.retain(|name, zone| {
            let lacks = self.snapshot.lacks(&wanted(zone));
            for Lack { part, refused } in &lacks {
                found.push(lacking(zone, part, refused.as_deref()));
            }
            let before = base.as_mut().and_then(|base| base.zones.get_mut(name));
            for zone in [Some(&mut *zone), before].into_iter().flatten() {
                lacks.iter().for_each(|lack| strip(zone, &lack.part));
            }
            lacks.iter().all(|lack| lack.part != Part::Zone)
        });
        found
    }

    /// Warns about a snapshot that is older than wanted.
    fn old(&self, most: Duration) -> Option<Diagnostic> {
        let taken_at = &self.as_of.taken_at;
        let detail = match self.as_of.age {
            Some(age) if age <= most => return None,
            Some(age) => format!("it was taken at {taken_at}, {}", ago(age)),
            None => format!("it was taken at {taken_at}, which is still to come by this machine's clock"),
        };
        let help = "take it again, or allow more with --max-snapshot-age; what changed since then is not in this plan";
        Some(findings::OLD_SNAPSHOT.nowhere(detail).help(help))
    }
}

/// Takes a part out of what a spec says of a zone; the zone itself is for the caller to drop.
fn strip(zone: &mut DesiredZone, part: &Part) {
    match part {
        Part::Zone => {}
        Part::Setting(name) => drop(zone.around.settings.remove(name)),
        Part::Dnssec => zone.around.dnssec = None,
        Part::DnsSettings => zone.around.dns_settings.clear(),
        // Rules are understood together with the rulesets that they name, so what is known of the rest is no help.
        Part::Rules(_) | Part::ManagedRulesets => zone.waf = None,
    }
}

/// What is reported for something that is not in the snapshot.
fn lacking(zone: &DesiredZone, part: &Part, refused: Option<&str>) -> Diagnostic {
    let name = &zone.name;
    let what = match part {
        Part::Zone => format!("{name} is not in the snapshot, so it is not known what the service has"),
        part => format!("{part} of {name}: not in the snapshot, so it is not known what the service has"),
    };
    let (what, help) = match refused {
        None => (what, "take a newer snapshot with a spec that names it; the rest is planned"),
        Some(words) => (
            format!("{what}; when the snapshot was taken, the service refused: {words}"),
            "take the snapshot with credentials that may read it; the rest is planned",
        ),
    };
    let diagnostic = findings::NOT_IN_SNAPSHOT.at(place(zone, part), what);
    diagnostic.about(name.to_string()).help(help)
}

/// Where the spec names something.
fn place(zone: &DesiredZone, part: &Part) -> Place {
    let around = &zone.around;
    let own = match part {
        Part::Zone => None,
        Part::Setting(name) => around.settings.get(name).map(|(_, place)| *place),
        Part::Dnssec => around.dnssec.map(|(_, place)| place),
        Part::DnsSettings => around.dns_settings.values().next().map(|(_, place)| *place),
        Part::Rules(_) | Part::ManagedRulesets => zone.waf.as_ref().map(|waf| waf.place),
    };
    own.unwrap_or(zone.place)
}

/// What `plan --against` begins with.
pub(super) struct BegunAgainst {
    /// The spec, without what the snapshot cannot speak about.
    pub(super) loaded: Loaded,
    /// The consents.
    pub(super) consents: Consents,
    /// The snapshot.
    pub(super) against: Against,
}

/// Begins `plan --against`; wrong usage and mistakes of the spec are reported here and end the run.
///
/// # Errors
/// The snapshot cannot be used.
pub(super) fn begin_against(
    file: &Path,
    args: &PlanArgs,
    global: &Global,
    output: &Arc<Output>,
) -> anyhow::Result<Result<BegunAgainst, Exit>> {
    let consents = match settings::consents(&args.consents, global)? {
        Ok(consents) => consents,
        Err(message) => {
            output.message(&format!("error: {message}"));
            return Ok(Err(Exit::Usage));
        }
    };
    let mut loaded = match load("plan", &args.spec, global, output)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(Err(exit)),
    };
    let against = Against::open(file, global)?;
    let mut found = against.limit(&mut loaded.desired, loaded.base.as_mut().map(|base| &mut base.desired));
    if let Some(diagnostic) = against.old(args.max_snapshot_age) {
        found.push(diagnostic);
    }
    match output.format {
        Format::Text => output.diagnostics(&found, &loaded.sources),
        // It has a member of its own.
        Format::Json => {}
        Format::Markdown | Format::Github | Format::Sarif | Format::Junit | Format::Html => {
            found.push(findings::OF_SNAPSHOT.nowhere(against.as_of.words()));
        }
    }
    loaded.diagnostics.append(found);
    loaded.against = Some(against.as_of.clone());
    Ok(Ok(BegunAgainst { loaded, consents, against }))
}
