//! Reads a zone back and compares again: "in sync" is said only of what was seen.

use super::event::{ApplyEvent, Observer};
use crate::api::Reader;
use crate::diagnostic::Diagnostics;
use crate::live::{FetchError, Options, WafQuery, fetch_around, fetch_records, fetch_waf};
use crate::model::{DesiredZone, LiveZone};
use crate::plan::{ZonePlan, plan_zone};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The plan that would be needed now; without operations if the zone is in sync.
    pub remaining: ZonePlan,
    /// What was found while comparing; with an error the zone is not in sync.
    pub diagnostics: Diagnostics,
}

impl Verified {
    /// Whether nothing is left to do.
    #[must_use]
    pub fn is_in_sync(&self) -> bool {
        self.remaining.is_empty() && !self.diagnostics.has_errors()
    }
}

/// Reads a zone again and compares it with what the spec wants.
///
/// # Errors
/// The zone cannot be read.
pub async fn verify<R: Reader>(
    reader: &R,
    desired: &DesiredZone,
    live: &LiveZone,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Verified, FetchError> {
    observer.event(&ApplyEvent::Verifying { zone: &desired.name });
    let records = fetch_records(reader, live, options, &|_| {}).await?;
    let around = fetch_around(reader, live, &desired.around, options).await?;
    let query = desired.waf.as_deref().map(WafQuery::of).unwrap_or_default();
    let waf = fetch_waf(reader, live, &query, options).await?;
    let now = LiveZone { records, around, waf, is_new: false, ..live.clone() };
    let (remaining, diagnostics) = plan_zone(desired, &now);
    Ok(Verified { remaining, diagnostics })
}
