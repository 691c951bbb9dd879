//! A snapshot in place of Cloudflare: opens it, and takes out of a goal what it cannot speak about.
//!
//! What the snapshot does not have is reported thing by thing, and the rest is planned: a pull
//! request that names one setting more still shows what else it does.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::goal::{Goal, Source};
use crate::diagnostic::{Diagnostic, Diagnostics, Place, findings};
use crate::live::ZoneQuery;
use crate::live::snapshot::{AsOf, Lack, Part, Snapshot, SnapshotError};
use crate::model::time::{NotATime, age, ago, parse_rfc3339};
use crate::model::{Desired, DesiredZone};

/// Why a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It cannot be read.
    #[error("failed to read the snapshot {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It is no snapshot that this version reads.
    #[error("failed to read the snapshot {}", path.display())]
    Snapshot {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: SnapshotError,
    },
    /// It does not say when it was taken.
    #[error("failed to read the snapshot {}: it does not say when it was taken", path.display())]
    Undated {
        /// The file.
        path: PathBuf,
        /// What is wrong with the time.
        #[source]
        source: NotATime,
    },
}

/// An open snapshot; it is read in place of Cloudflare.
#[derive(Debug)]
pub struct OpenSnapshot {
    /// What it holds.
    pub snapshot: Snapshot,
    /// Its moment.
    pub as_of: AsOf,
}

impl OpenSnapshot {
    /// Opens a snapshot. `now` is the moment that its age is told by.
    ///
    /// # Errors
    /// The file cannot be read, or is no snapshot that can be used.
    pub fn open(path: &Path, now: SystemTime) -> Result<Self, OpenError> {
        let owned = || path.to_owned();
        let file = File::open(path).map_err(|source| OpenError::Io { path: owned(), source })?;
        let snapshot = Snapshot::read(BufReader::new(file));
        let snapshot = snapshot.map_err(|source| OpenError::Snapshot { path: owned(), source })?;
        let about = snapshot.about();
        let taken = parse_rfc3339(&about.taken_at);
        let age = age(taken.map_err(|source| OpenError::Undated { path: owned(), source })?, now);
        let (taken_at, tool, service) =
            (about.taken_at.clone(), about.tool.clone(), about.service.clone());
        Ok(Self { as_of: AsOf { taken_at, age, tool, service }, snapshot })
    }

    /// Holds the goal of a spec against this snapshot: takes out what the snapshot cannot speak
    /// about, and says what that is, and whether the snapshot is older than wanted. The findings
    /// are for the caller to show and to add to those of the goal.
    pub fn limit(&self, goal: &mut Goal, most_age: Duration) -> Diagnostics {
        let mut found = Diagnostics::default();
        if let Source::Spec(spec) = &mut goal.source {
            let mut spec = std::mem::take(spec);
            found =
                self.take_out(&mut goal.desired, spec.base.as_mut().map(|base| &mut base.desired));
            goal.source = Source::Snapshot(spec, self.as_of.clone());
        }
        if let Some(diagnostic) = self.old(most_age) {
            found.push(diagnostic);
        }
        found
    }

    /// Takes out of a spec what the snapshot cannot speak about, and says what that is.
    ///
    /// It is taken out of the previous spec as well, or it would look as if the author had removed
    /// it.
    fn take_out(&self, desired: &mut Desired, mut base: Option<&mut Desired>) -> Diagnostics {
        let mut found = Diagnostics::default();
        desired.zones.retain(|name, zone| {
            let lacks = self.snapshot.lacks(&ZoneQuery::of(zone));
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
            None => format!(
                "it was taken at {taken_at}, which is in the future by this machine's clock"
            ),
        };
        let help = "take it again, or allow more with --max-snapshot-age; what changed since then is not in this plan";
        Some(findings::OLD_SNAPSHOT.nowhere(detail).help(help))
    }
}

/// Takes a part out of what a spec says of a zone; the zone itself is for the caller to drop.
fn strip(zone: &mut DesiredZone, part: &Part) {
    match part {
        Part::Zone => {}
        Part::Setting(name) => drop(zone.settings.settings.remove(name)),
        Part::Dnssec => zone.settings.dnssec = None,
        Part::DnsSettings => zone.settings.dns_settings.clear(),
        // Rules are understood together with the rulesets that they name, so what is known of the
        // rest is no help.
        Part::Rules(_) | Part::ManagedRulesets => zone.waf = None,
    }
}

/// What is reported for something that is not in the snapshot.
fn lacking(zone: &DesiredZone, part: &Part, refused: Option<&str>) -> Diagnostic {
    let name = &zone.name;
    let what = match part {
        Part::Zone => format!("{name} is not in the snapshot, so its live state is unknown"),
        part => format!("{part} of {name}: not in the snapshot, so its live state is unknown"),
    };
    let (what, help) = match refused {
        None => (what, "take a newer snapshot with a spec that names it; the rest is planned"),
        Some(words) => (
            format!("{what}; when the snapshot was taken, Cloudflare refused: {words}"),
            "take the snapshot with credentials that may read it: `zonewright doctor SPEC` shows what these may do; the rest is planned",
        ),
    };
    let diagnostic = findings::NOT_IN_SNAPSHOT.at(place(zone, part), what);
    diagnostic.about(name.to_string()).help(help)
}

/// Where the spec names something.
fn place(zone: &DesiredZone, part: &Part) -> Place {
    let settings = &zone.settings;
    let own = match part {
        Part::Zone => None,
        Part::Setting(name) => settings.settings.get(name).map(|(_, place)| *place),
        Part::Dnssec => settings.dnssec.map(|(_, place)| place),
        Part::DnsSettings => settings.dns_settings.values().next().map(|(_, place)| *place),
        Part::Rules(_) | Part::ManagedRulesets => zone.waf.as_ref().map(|waf| waf.place),
    };
    own.unwrap_or(zone.place)
}
