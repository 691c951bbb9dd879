//! Reads the zones that a spec names.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::rulesets::{self, CatalogueCache, WafQuery};
use super::{records, settings, zones};
use crate::api::{ApiError, Reader};
use crate::model::ruleset::{EntryPoint, LiveWaf};
use crate::model::{DesiredSettings, Fqdn, Live, LiveRecord, LiveSettings, LiveZone, ZoneId, ZoneName};
use crate::wire::record::InvalidRecord;
use crate::wire::ruleset::RulesetShapeError;
use crate::wire::{
    record::{RECORDS_PER_PAGE, record_usage},
    zone::InvalidZone,
};

/// How to read.
#[derive(Debug, Clone)]
pub struct Options {
    /// Requested number of records on a page. Cloudflare may return fewer.
    pub page_size: u64,
    /// Concurrent requests.
    pub concurrency: usize,
    /// The account in which zones are looked up, if one is named.
    pub account: Option<String>,
    /// The cache of managed rulesets between runs.
    pub cache: Option<Arc<dyn CatalogueCache>>,
}

impl Default for Options {
    fn default() -> Self {
        Self { page_size: RECORDS_PER_PAGE, concurrency: 8, account: None, cache: None }
    }
}

/// A zone to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Its name.
    pub name: ZoneName,
    /// Its id, where the spec pins it.
    pub id: Option<ZoneId>,
    /// The zone settings to read.
    pub settings: DesiredSettings,
    /// The parts of its protection to read.
    pub waf: WafQuery,
}

/// Progress, for a display.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// A zone was read completely.
    ZoneRead {
        /// Which.
        zone: &'a ZoneName,
        /// How many records it has.
        records: usize,
    },
    /// Cloudflare returns smaller pages than requested.
    SmallPages {
        /// Which zone.
        zone: &'a ZoneName,
        /// Records on a page.
        per_page: u64,
    },
}

/// Everything read.
#[derive(Debug, Clone, Default)]
pub struct Fetched {
    /// The zones that exist.
    pub live: Live,
    /// The zones that Cloudflare does not have, or does not show to these credentials.
    pub missing: Vec<ZoneName>,
}

/// Why a zone could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A request failed.
    #[error("failed to read {what}")]
    Api {
        /// What was read.
        what: String,
        /// Why it failed.
        #[source]
        source: ApiError,
    },
    /// A zone in a response cannot be used.
    #[error("failed to read zones")]
    Zone(#[from] InvalidZone),
    /// A record in a response cannot be used.
    #[error("failed to read the records of {zone}")]
    Record {
        /// Which zone.
        zone: ZoneName,
        /// What is missing.
        #[source]
        source: InvalidRecord,
    },
    /// A ruleset in a response cannot be used.
    #[error("failed to read {what}")]
    Ruleset {
        /// What was read.
        what: String,
        /// What is missing.
        #[source]
        source: RulesetShapeError,
    },
    /// A record in a listing does not belong to the zone, so the rest of the listing cannot be trusted.
    #[error("failed to read the records of {zone}: the listing holds `{record}`, which is not in the zone")]
    OutsideZone {
        /// Which zone.
        zone: ZoneName,
        /// The record's name.
        record: Fqdn,
    },
    /// The result is not a list.
    #[error("failed to read {what}: the result is not a list")]
    NotAList {
        /// What was read.
        what: String,
    },
    /// The result contains no value.
    #[error("failed to read {what}: the answer has no `value`")]
    NoValue {
        /// What was read.
        what: String,
    },
    /// The pinned id belongs to another zone.
    #[error("the zone with the id {id} is {found}, not {wanted}; correct `id` in the spec")]
    WrongZone {
        /// The id.
        id: ZoneId,
        /// The name in the spec.
        wanted: ZoneName,
        /// The name at Cloudflare.
        found: ZoneName,
    },
    /// The pages of a list never end, and each has something new.
    #[error(
        "failed to read {what}: the list does not end after {pages} pages with {items} entries; nothing was compared"
    )]
    Endless {
        /// What was read.
        what: String,
        /// Pages received.
        pages: u64,
        /// Different items on them.
        items: usize,
    },
    /// Several zones have the name.
    #[error(
        "{count} zones are called {zone}; name the account (CLOUDFLARE_ACCOUNT_ID) or pin `id` in the spec: {}",
        first(ids)
    )]
    Ambiguous {
        /// The name.
        zone: ZoneName,
        /// How many.
        count: usize,
        /// Their ids.
        ids: Vec<String>,
    },
    /// The number of records on the pages is not the number that Cloudflare reports.
    #[error(
        "the listing of {zone} holds {got} records where the service counts {total}; nothing was compared. Try again"
    )]
    Incomplete {
        /// Which zone.
        zone: ZoneName,
        /// Records received.
        got: usize,
        /// Records counted.
        total: u64,
    },
}

/// The first ids, and how many more there are.
fn first(ids: &[String]) -> String {
    /// Largest number of ids that are named.
    const NAMED: usize = 10;
    let named = ids.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match ids.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

impl FetchError {
    /// What to do about it, if known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Api { source, .. } => source.hint(),
            _ => None,
        }
    }
}

/// Reads the wanted zones with all their records.
///
/// # Errors
/// The first read that failed; a missing zone is not an error but listed as missing.
pub async fn fetch<R: Reader>(
    reader: &R,
    wanted: &[Wanted],
    options: &Options,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Fetched, FetchError> {
    let found = zones::find(reader, wanted, options).await?;
    let wants: BTreeMap<&ZoneName, &Wanted> = wanted.iter().map(|w| (&w.name, w)).collect();
    let wants = &wants;
    let with_waf = found.values().filter_map(|zone| Some((zone, &wants.get(&zone.name)?.waf)));
    let catalogues = &rulesets::catalogues(reader, &with_waf.collect::<Vec<_>>(), options).await?;
    let missing = wanted.iter().map(|w| &w.name).filter(|name| !found.contains_key(*name)).cloned().collect();
    let zones: BTreeMap<ZoneName, LiveZone> = stream::iter(found.into_values())
        .map(|mut zone| async move {
            zone.records = fetch_records(reader, &zone, options, progress).await?;
            if let Some(wants) = wants.get(&zone.name) {
                zone.settings = settings::read(reader, &zone, &wants.settings, options).await?;
                let own = rulesets::of_zone(catalogues, &zone, options);
                zone.waf = rulesets::read(reader, &zone, &wants.waf, own, options).await?;
            }
            Ok::<_, FetchError>((zone.name.clone(), zone))
        })
        .buffer_unordered(options.concurrency.max(1))
        .try_collect()
        .await?;
    Ok(Fetched { live: Live { zones }, missing })
}

/// Reads only the protection of the wanted zones.
///
/// # Errors
/// As [`fetch`].
pub async fn fetch_protection<R: Reader>(
    reader: &R,
    wanted: &[Wanted],
    options: &Options,
) -> Result<Fetched, FetchError> {
    let found = zones::find(reader, wanted, options).await?;
    let wants: BTreeMap<&ZoneName, &Wanted> = wanted.iter().map(|w| (&w.name, w)).collect();
    let queries: Vec<_> = found.values().filter_map(|zone| Some((zone, &wants.get(&zone.name)?.waf))).collect();
    let catalogues = &rulesets::catalogues(reader, &queries, options).await?;
    let missing = wanted.iter().map(|w| &w.name).filter(|name| !found.contains_key(*name)).cloned().collect();
    let zones = stream::iter(queries)
        .map(|(zone, query)| async move {
            let own = rulesets::of_zone(catalogues, zone, options);
            let waf = rulesets::read(reader, zone, query, own, options).await?;
            Ok::<_, FetchError>((zone.name.clone(), LiveZone { waf, ..zone.clone() }))
        })
        .buffer_unordered(options.concurrency.max(1))
        .try_collect()
        .await?;
    Ok(Fetched { live: Live { zones }, missing })
}

/// Reads all records of a zone.
///
/// # Errors
/// As [`fetch`].
pub async fn fetch_records<R: Reader>(
    reader: &R,
    zone: &LiveZone,
    options: &Options,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Vec<LiveRecord>, FetchError> {
    let records = records::list(reader, zone, options, progress).await?;
    progress(Progress::ZoneRead { zone: &zone.name, records: records.len() });
    Ok(records)
}

/// Reads the requested settings of a zone.
///
/// # Errors
/// As [`fetch`].
pub async fn fetch_settings<R: Reader>(
    reader: &R,
    zone: &LiveZone,
    desired: &DesiredSettings,
    options: &Options,
) -> Result<LiveSettings, FetchError> {
    settings::read(reader, zone, desired, options).await
}

/// Reads the protection of a zone again; managed rulesets that were read before are reused.
///
/// # Errors
/// As [`fetch`].
pub async fn fetch_waf<R: Reader>(
    reader: &R,
    zone: &LiveZone,
    query: &WafQuery,
    options: &Options,
) -> Result<LiveWaf, FetchError> {
    let mut known = zone.waf.catalogues.clone();
    if !query.managed.iter().all(|m| zone.waf.managed(*m).is_some()) {
        let all = rulesets::catalogues(reader, &[(zone, query)], options).await?;
        known = rulesets::of_zone(&all, zone, options).0;
    }
    rulesets::read(reader, zone, query, (known, None), options).await
}

/// The protection of a zone that does not exist yet: no rules, and the managed rulesets of the named account.
///
/// # Errors
/// As [`fetch`].
pub async fn fetch_waf_of_new<R: Reader>(
    reader: &R,
    query: &WafQuery,
    options: &Options,
) -> Result<LiveWaf, FetchError> {
    let entry_points = query.phases.iter().map(|phase| (*phase, EntryPoint::Absent)).collect();
    let catalogues = rulesets::of_account(reader, query, options).await?;
    Ok(LiveWaf { entry_points, catalogues })
}

/// Finds one zone by its name, without its records.
///
/// # Errors
/// As [`fetch`].
pub async fn find_zone_by_name<R: Reader>(
    reader: &R,
    name: &ZoneName,
    options: &Options,
) -> Result<Option<LiveZone>, FetchError> {
    let wanted =
        [Wanted { name: name.clone(), id: None, settings: DesiredSettings::default(), waf: WafQuery::default() }];
    Ok(zones::find(reader, &wanted, options).await?.remove(name))
}

/// Reads how many records a zone may hold. `None` if Cloudflare does not say.
pub async fn fetch_record_quota<R: Reader>(reader: &R, zone: &ZoneId) -> Option<usize> {
    // The answer only makes a warning certain, so a failure is ignored.
    let answer = reader.read(&record_usage(zone)).await.ok()?;
    answer.result.get("record_quota")?.as_u64().and_then(|n| usize::try_from(n).ok())
}
