//! Lists the records of a zone, whole or not at all.
//!
//! Pages are not a snapshot: a record that appears or vanishes while they are read shifts the others. So records are told
//! apart by id, the number received is held against the number that the service counts, and a listing that falls short is
//! read again.

use std::collections::BTreeMap;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use serde_json::Value as Json;

use super::fetch::{FetchError, Options, Progress};
use crate::api::Reader;
use crate::model::{LiveRecord, LiveZone, RecordId};
use crate::wire::record::read;
use crate::wire::zone::list_records;
use crate::wire::{Envelope, PageInfo};

/// How often a listing is read again before it is given up.
const ATTEMPTS: usize = 3;

/// The page size that every version of the service takes.
const SMALL_PAGE: u64 = 100;

/// Pages beyond this are not believed: 5,000,000 records at the smallest page size.
const MOST_PAGES: u64 = 50_000;

/// One page.
struct Page {
    records: Vec<LiveRecord>,
    info: PageInfo,
}

/// All records of a zone.
pub(super) async fn list<R: Reader>(
    reader: &R,
    zone: &LiveZone,
    options: &Options,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Vec<LiveRecord>, FetchError> {
    let mut attempt = 1;
    loop {
        let (records, total) = list_once(reader, zone, options, progress).await?;
        match total {
            Some(total) if (records.len() as u64) < total => {
                if attempt >= ATTEMPTS {
                    return Err(FetchError::Incomplete { zone: zone.name.clone(), got: records.len(), total });
                }
                attempt += 1;
            }
            _ => return Ok(records.into_values().collect()),
        }
    }
}

/// One walk over all pages: the records by id, and how many the service counts.
async fn list_once<R: Reader>(
    reader: &R,
    zone: &LiveZone,
    options: &Options,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<(BTreeMap<RecordId, LiveRecord>, Option<u64>), FetchError> {
    let (asked, first) = first_page(reader, zone, options.page_size.max(1)).await?;
    let received = first.records.len() as u64;
    let per_page = first.info.per_page.unwrap_or(asked);
    let total = first.info.total_count;
    let mut records: BTreeMap<RecordId, LiveRecord> = first.records.into_iter().map(|r| (r.id.clone(), r)).collect();
    let mut newest_total = total;

    // The service may clamp the page size and say so, or clamp it and not say so.
    let effective = if received > 0 { per_page.min(received.max(1)).max(1) } else { per_page.max(1) };
    let by_count = total.map(|total| if received == 0 { 1 } else { total.div_ceil(effective) });
    let pages = match (first.info.total_pages, by_count) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    };
    if received > 0 && effective < asked && pages.is_some_and(|p| p > 1) {
        progress(Progress::SmallPages { zone: &zone.name, per_page: effective });
    }
    match pages {
        Some(pages) => {
            let rest: Vec<Page> = stream::iter(2..=pages.min(MOST_PAGES))
                .map(|n| page(reader, zone, asked, n))
                .buffer_unordered(options.concurrency.max(1))
                .try_collect()
                .await?;
            for page in rest {
                newest_total = newest_total.max(page.info.total_count);
                records.extend(page.records.into_iter().map(|r| (r.id.clone(), r)));
            }
        }
        // Without any count, pages end with one that brings nothing new.
        None => {
            for n in 2..=MOST_PAGES {
                let before = records.len();
                if received < asked && received != SMALL_PAGE {
                    break;
                }
                records.extend(page(reader, zone, asked, n).await?.records.into_iter().map(|r| (r.id.clone(), r)));
                if records.len() == before {
                    break;
                }
            }
        }
    }
    Ok((records, newest_total))
}

/// The first page, at a smaller size if the service refuses the one asked for; also the size that was taken.
async fn first_page<R: Reader>(reader: &R, zone: &LiveZone, asked: u64) -> Result<(u64, Page), FetchError> {
    match page(reader, zone, asked, 1).await {
        Err(FetchError::Api { source, .. }) if asked > SMALL_PAGE && source.status() == Some(400) => {
            Ok((SMALL_PAGE, page(reader, zone, SMALL_PAGE, 1).await?))
        }
        other => other.map(|page| (asked, page)),
    }
}

/// One page of a zone's records.
async fn page<R: Reader>(reader: &R, zone: &LiveZone, per_page: u64, number: u64) -> Result<Page, FetchError> {
    let what = || format!("the records of {}", zone.name);
    let answer = reader
        .read(&list_records(&zone.id, per_page, number))
        .await
        .map_err(|source| FetchError::Api { what: what(), source })?;
    let Envelope { result, page: info } = answer;
    let Json::Array(items) = result else { return Err(FetchError::NotAList { what: what() }) };
    let records = items
        .iter()
        .map(read)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|source| FetchError::Record { zone: zone.name.clone(), source })?;
    Ok(Page { records, info })
}
