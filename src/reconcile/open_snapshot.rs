//! Opens a snapshot in place of Cloudflare, and removes from a goal everything that the snapshot
//! does not cover.
//!
//! Each part that the snapshot does not have is reported, and the rest is planned. So a pull
//! request that names one more setting still shows its other effects.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::goal::{Goal, Source};
use crate::diagnostic::{Diagnostic, Diagnostics, Place, findings};
use crate::live::ZoneQuery;
use crate::live::snapshot::{AsOf, Lack, Snapshot, SnapshotError, ZonePart};
use crate::model::time::{NotATime, age, ago, parse_rfc3339};
use crate::model::{Desired, DesiredZone};

/// The reason why a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// The snapshot cannot be read.
    #[error("failed to read the snapshot {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// The file is not a snapshot that this version reads.
    #[error("failed to read the snapshot {}", path.display())]
    Snapshot {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: SnapshotError,
    },
    /// The snapshot does not say when it was taken.
    #[error("failed to read the snapshot {}: it does not say when it was taken", path.display())]
    Undated {
        /// The file.
        path: PathBuf,
        /// The error in the time.
        #[source]
        source: NotATime,
    },
}

/// An open snapshot, which is read in place of Cloudflare.
#[derive(Debug)]
pub(crate) struct OpenSnapshot {
    /// Its content.
    pub snapshot: Snapshot,
    /// Its time.
    pub as_of: AsOf,
}

impl OpenSnapshot {
    /// Opens a snapshot. Its age is relative to `now`.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is not a snapshot that can be used.
    pub(crate) fn open(path: &Path, now: SystemTime) -> Result<Self, OpenError> {
        let owned = || path.to_owned();
        let file = File::open(path).map_err(|source| OpenError::Io { path: owned(), source })?;
        let snapshot = Snapshot::read(BufReader::new(file));
        let snapshot = snapshot.map_err(|source| OpenError::Snapshot { path: owned(), source })?;
        let about = snapshot.about();
        let taken_time = parse_rfc3339(&about.taken_at);
        let age =
            age(taken_time.map_err(|source| OpenError::Undated { path: owned(), source })?, now);
        let (taken_at, tool, service) =
            (about.taken_at.clone(), about.tool.clone(), about.service.clone());
        Ok(Self { as_of: AsOf { taken_at, age, tool, service }, snapshot })
    }

    /// Limits the goal of a spec to this snapshot: removes everything that the snapshot does not
    /// cover, reports it, and warns if the snapshot is too old. The caller shows the findings and
    /// adds them to those of the goal.
    pub(crate) fn limit(&self, goal: &mut Goal, most_age: Duration) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        if let Source::Spec(spec) = &mut goal.source {
            let mut spec = std::mem::take(spec);
            diagnostics =
                self.take_out(&mut goal.desired, spec.base.as_mut().map(|base| &mut base.desired));
            goal.source = Source::Snapshot(spec, self.as_of.clone());
        }
        if let Some(diagnostic) = self.old(most_age) {
            diagnostics.push(diagnostic);
        }
        diagnostics
    }

    /// Removes from a spec everything that the snapshot does not cover, and reports it.
    ///
    /// It is removed from the previous spec as well, because otherwise the author would seem to
    /// have removed it.
    fn take_out(&self, desired: &mut Desired, mut base: Option<&mut Desired>) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        desired.zones.retain(|name, zone| {
            let lacks = self.snapshot.lacks(&ZoneQuery::of(zone));
            for Lack { part, refused } in &lacks {
                diagnostics.push(lacking(zone, part, refused.as_deref()));
            }
            let base_zone = base.as_mut().and_then(|base| base.zones.get_mut(name));
            for zone in [Some(&mut *zone), base_zone].into_iter().flatten() {
                lacks.iter().for_each(|lack| strip(zone, &lack.part));
            }
            lacks.iter().all(|lack| lack.part != ZonePart::Zone)
        });
        diagnostics
    }

    /// Warns about a snapshot that is too old.
    fn old(&self, most: Duration) -> Option<Diagnostic> {
        let taken_at = &self.as_of.taken_at;
        let detail = match self.as_of.age {
            Some(age) if age <= most => return None,
            Some(age) => format!("it was taken at {taken_at}, {}", ago(age)),
            None => format!(
                "it was taken at {taken_at}, which is in the future by this machine's clock"
            ),
        };
        let help = "take it again, or allow more with --max-snapshot-age; what changed since then \
            is not in this plan";
        Some(findings::OLD_SNAPSHOT.nowhere(detail).help(help))
    }
}

/// Removes a part from the spec of a zone. The caller drops the zone itself.
fn strip(zone: &mut DesiredZone, part: &ZonePart) {
    match part {
        ZonePart::Zone => {}
        ZonePart::Setting(name) => drop(zone.settings.settings.remove(name)),
        ZonePart::Dnssec => zone.settings.dnssec = None,
        ZonePart::DnsSettings => zone.settings.dns_settings.clear(),
        // Rules depend on the rulesets that they name, so a part of them is useless.
        ZonePart::Rules(_) | ZonePart::ManagedRulesets => zone.waf = None,
    }
}

/// Reports a part that is not in the snapshot.
fn lacking(zone: &DesiredZone, part: &ZonePart, refused: Option<&str>) -> Diagnostic {
    let name = &zone.name;
    let what = match part {
        ZonePart::Zone => format!("{name} is not in the snapshot, so its live state is unknown"),
        part => format!("{part} of {name}: not in the snapshot, so its live state is unknown"),
    };
    let (what, help) = match refused {
        None => (what, "take a newer snapshot with a spec that names it; the rest is planned"),
        Some(words) => (
            format!("{what}; when the snapshot was taken, Cloudflare refused: {words}"),
            "take the snapshot with credentials that may read it: `zonewright doctor SPEC` shows \
            what these may do; the rest is planned",
        ),
    };
    let diagnostic = findings::NOT_IN_SNAPSHOT.at(place(zone, part), what);
    diagnostic.about(name.to_string()).help(help)
}

/// Returns the place where the spec names a part.
fn place(zone: &DesiredZone, part: &ZonePart) -> Place {
    let settings = &zone.settings;
    let own_place = match part {
        ZonePart::Zone => None,
        ZonePart::Setting(name) => settings.settings.get(name).map(|(_, place)| *place),
        ZonePart::Dnssec => settings.dnssec.map(|(_, place)| place),
        ZonePart::DnsSettings => settings.dns_settings.values().next().map(|(_, place)| *place),
        ZonePart::Rules(_) | ZonePart::ManagedRulesets => zone.waf.as_ref().map(|waf| waf.place),
    };
    own_place.unwrap_or(zone.place)
}
