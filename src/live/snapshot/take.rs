//! Takes a snapshot: reads the parts that the spec needs, and those that a later version of it may
//! need.
//!
//! The parts that the spec needs must be readable, as for a plan. Cloudflare may refuse the others
//! (credentials that cannot read the rules, a plan without them). The snapshot records refusals, so
//! that a later plan can report them.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::super::any_reader::AnyReader;
use super::super::error::FetchError;
use super::super::fetch::{Fetched, fetch, fetch_record_quota};
use super::super::read_options::{Progress, ReadOptions, WafQuery, ZoneQuery};
use super::super::rulesets::{self, account_of, read_entry_point};
use super::recorder::Recorder;
use super::{About, SeenZone, Snapshot};
use crate::api::{ApiError, Reader};
use crate::model::managed::Managed;
use crate::model::{Gather, LiveZone, ZoneName};

/// A snapshot and its gaps.
#[derive(Debug)]
pub struct Taken {
    /// Content of the zones.
    pub snapshot: Snapshot,
    /// Descriptions of the parts that Cloudflare refused and that the spec does not need.
    pub refused: Vec<String>,
    /// Zones that do not exist, or that these credentials cannot see.
    pub missing: Vec<ZoneName>,
}

/// Reads zones and everything that a later plan of them may need.
///
/// `about` has no zones. `records` returns the number of records that the spec has for a zone: if
/// the zone comes near its quota, the quota is read too. The cache of managed rulesets is not used,
/// because a snapshot contains them.
///
/// # Errors
/// Fails as [`fetch`] does.
pub async fn take<R: Reader>(
    reader: &R,
    zones: &[ZoneQuery],
    records: &(dyn Fn(&ZoneName) -> usize + Send + Sync),
    about: About,
    options: &ReadOptions,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Taken, FetchError> {
    let options = &ReadOptions { cache: None, ..options.clone() };
    let recorder = &Recorder::new(reader);
    // Every phase is read below, so none is only watched.
    let mut zones = zones.to_vec();
    zones.iter_mut().for_each(|zone| zone.waf.watched.clear());
    let zones = zones.as_slice();
    let Fetched { live, missing, .. } = fetch(recorder, zones, options, progress).await?;
    let queries: BTreeMap<&ZoneName, &WafQuery> =
        zones.iter().map(|zone| (&zone.name, &zone.waf)).gather();
    let refusals: Vec<Vec<String>> = stream::iter(live.zones.values())
        .map(|zone| async move {
            let live_records = zone.records.len();
            let quota = zone.tier.record_quota(zone.created_on.as_deref());
            // Half of the quota, because a later version of the spec may have more records.
            if (live_records + records(&zone.name)).saturating_mul(2) > quota {
                fetch_record_quota(recorder, &zone.id).await;
            }
            Ok::<_, FetchError>(zone)
        })
        .buffered(options.concurrency.max(1))
        .and_then(|zone| other_rules(recorder, zone, queries.get(&zone.name).copied()))
        .try_collect()
        .await?;
    let mut refused: Vec<String> = refusals.into_iter().flatten().collect();
    refused
        .extend(other_rulesets(recorder, live.zones.values().collect(), &queries, options).await?);
    let about_zone = |query: &ZoneQuery| {
        let zone = live.zones.get(&query.name);
        SeenZone {
            name: query.name.clone(),
            pinned: query.id.clone(),
            id: zone.map(|z| z.id.clone()),
            records: zone.map_or(0, |z| z.records.len()),
        }
    };
    let about = About {
        account: options.account.clone(),
        zones: zones.iter().map(about_zone).collect(),
        ..about
    };
    Ok(Taken { snapshot: recorder.finish(about), refused, missing })
}

/// Reads the rules of a zone that the spec does not name. Returns descriptions of refused parts.
async fn other_rules(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    query: Option<&WafQuery>,
) -> Result<Vec<String>, FetchError> {
    let mut refused = Vec::new();
    for phase in WafQuery::everything().phases {
        if query.is_none_or(|query| !query.phases.contains(&phase)) {
            refused.extend(tolerate(read_entry_point(reader, zone, phase).await.map(drop))?);
        }
    }
    Ok(refused)
}

/// Reads the managed rulesets that the spec does not name, once per account. Returns descriptions
/// of refused parts.
async fn other_rulesets(
    reader: &dyn AnyReader,
    zones: Vec<&LiveZone>,
    queries: &BTreeMap<&ZoneName, &WafQuery>,
    options: &ReadOptions,
) -> Result<Vec<String>, FetchError> {
    let mut accounts: BTreeMap<Option<String>, (BTreeSet<Managed>, Option<&LiveZone>)> =
        BTreeMap::new();
    // Zones that do not exist yet will belong to the named account.
    if options.account.is_some() {
        accounts.insert(options.account.clone(), (BTreeSet::new(), None));
    }
    for zone in zones {
        let account_query = accounts.entry(account_of(zone, options)).or_default();
        account_query
            .0
            .extend(queries.get(&zone.name).into_iter().flat_map(|query| &query.managed));
        account_query.1.get_or_insert(zone);
    }
    let mut refused = Vec::new();
    for (known, zone) in accounts.into_values() {
        let managed = WafQuery::everything().managed.difference(&known).copied().collect();
        let query = WafQuery { managed, ..WafQuery::default() };
        let read = match zone {
            Some(zone) => rulesets::catalogues(reader, &[(zone, &query)], options).await.map(drop),
            None => rulesets::of_account(reader, &query, options).await.map(drop),
        };
        refused.extend(tolerate(read)?);
    }
    Ok(refused)
}

/// Returns the text of a refusal. Any other failure remains an error.
fn tolerate(read: Result<(), FetchError>) -> Result<Option<String>, FetchError> {
    match read {
        Ok(()) => Ok(None),
        Err(FetchError::Api {
            what,
            source: source @ ApiError::Refused { status: 400..=404, .. },
        }) => {
            let reasons: Vec<_> = source.messages().iter().map(ToString::to_string).collect();
            let status =
                source.status().map_or_else(String::new, |status| format!("HTTP {status}"));
            let words: Vec<_> = std::iter::once(status).chain(reasons).collect();
            Ok(Some(format!("{what}: {}", words.join(": "))))
        }
        Err(error) => Err(error),
    }
}
