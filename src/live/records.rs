//! Lists the records of a zone completely, or fails.
//!
//! Pages are not a snapshot: a record that appears or disappears between two reads shifts the
//! others. So records are identified by id, their number is compared with Cloudflare's count, and
//! an incomplete listing is read again.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::any_reader::AnyReader;
use super::error::FetchError;
use super::read_options::{Progress, ReadOptions};
use super::until_usable::{LISTINGS, until_usable};
use crate::model::{LiveRecord, LiveZone, RecordId, permute};
use crate::wire::record::list_records;
use crate::wire::{Envelope, PageInfo};

/// Page size that every version of the API accepts.
const SMALL_PAGE: u64 = 100;

/// Maximum number of pages of a zone: 1,000,000 records at the smallest page size.
const MOST_PAGES: u64 = 10_000;

/// Maximum number of records of a zone. Documented quotas end at 3,500 records, and Cloudflare
/// raises them on request.
const MOST_RECORDS: usize = 1_000_000;

/// One page of a listing.
struct Page {
    records: Vec<LiveRecord>,
    info: PageInfo,
}

/// Lists all records of a zone.
pub(super) async fn read_all_records(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    options: &ReadOptions,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Vec<LiveRecord>, FetchError> {
    let mut attempt = 1;
    let mut size = options.page_size.max(1);
    loop {
        let (records, total) = match list_once(reader, zone, size, options, progress).await {
            // Very long records can make a page of the usual size larger than the limit for
            // responses.
            Err(FetchError::Api { source, .. }) if size > SMALL_PAGE && source.is_too_large() => {
                size = SMALL_PAGE;
                continue;
            }
            once => once?,
        };
        match total {
            Some(total) if (records.len() as u64) < total => {
                if attempt >= LISTINGS {
                    return Err(FetchError::Incomplete {
                        zone: zone.name.clone(),
                        got: records.len(),
                        total,
                    });
                }
                attempt += 1;
            }
            _ => return Ok(records.finish()),
        }
    }
}

/// Records by id. If a record appears again, the later version is kept.
#[derive(Default)]
struct SeenRecords {
    by_id: HashMap<RecordId, usize>,
    records: Vec<LiveRecord>,
}

impl SeenRecords {
    fn len(&self) -> usize {
        self.records.len()
    }

    fn extend(&mut self, page: Vec<LiveRecord>) {
        for record in page {
            match self.by_id.entry(record.id.clone()) {
                Entry::Occupied(seen) => self.records[*seen.get()] = record,
                Entry::Vacant(new) => {
                    new.insert(self.records.len());
                    self.records.push(record);
                }
            }
        }
    }

    /// Returns all records in the order of their ids, which does not depend on Cloudflare's order.
    fn finish(self) -> Vec<LiveRecord> {
        let mut order: Vec<(RecordId, usize)> = self.by_id.into_iter().collect();
        order.sort_unstable();
        let mut records = self.records;
        permute(&mut records, order.into_iter().map(|(_, n)| n).collect());
        records
    }
}

/// Reads all pages once. Returns the records by id, and the number that Cloudflare counts.
async fn list_once(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    size: u64,
    options: &ReadOptions,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<(SeenRecords, Option<u64>), FetchError> {
    let (asked, first) = first_page(reader, zone, size).await?;
    let received = first.records.len() as u64;
    let per_page = first.info.per_page.unwrap_or(asked);
    let total = first.info.total_count;
    let mut records = SeenRecords::default();
    records.extend(first.records);
    let mut newest_total = total;

    // Cloudflare may clamp the page size, with or without reporting it.
    let effective =
        if received > 0 { per_page.min(received.max(1)).max(1) } else { per_page.max(1) };
    let by_count = total.map(|total| if received == 0 { 1 } else { total.div_ceil(effective) });
    let pages = match (first.info.total_pages, by_count) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    };
    if received > 0 && effective < asked && pages.is_some_and(|p| p > 1) {
        progress(Progress::SmallPages { zone: &zone.name, per_page: effective });
    }
    // Without any count, only an empty page is certainly the last one, because a page that is not
    // full may be clamped. A page without new records always ends the listing, so that wrong page
    // counts cannot cause endless requests.
    let last = match pages {
        Some(pages) => pages,
        None if received == 0 => 1,
        None => u64::MAX,
    };
    let concurrency = if pages.is_some() { options.concurrency.max(1) } else { 1 };
    let mut next_page = 2;
    let mut has_news = true;
    while has_news && next_page <= last {
        if next_page > MOST_PAGES || records.len() > MOST_RECORDS {
            let what = format!("the records of {}", zone.name);
            return Err(FetchError::Endless {
                what,
                pages: next_page - 1,
                items: records.len(),
                is_of_records: true,
            });
        }
        let until = last.min(next_page + concurrency as u64 - 1);
        let pages_read: Vec<Page> = stream::iter(next_page..=until)
            .map(|n| read_page(reader, zone, asked, n))
            .buffer_unordered(concurrency)
            .try_collect()
            .await?;
        next_page = until + 1;
        for page in pages_read {
            newest_total = newest_total.max(page.info.total_count);
            let count_before = records.len();
            records.extend(page.records);
            has_news &= records.len() > count_before;
        }
    }
    Ok((records, newest_total))
}

/// Reads the first page, with a smaller size if Cloudflare refuses the requested one. Returns the
/// accepted size too.
async fn first_page(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    asked: u64,
) -> Result<(u64, Page), FetchError> {
    match read_page(reader, zone, asked, 1).await {
        // 504 and 524: Cloudflare took too long to build the page.
        Err(FetchError::Api { source, .. })
            if asked > SMALL_PAGE && matches!(source.status(), Some(400 | 504 | 524)) =>
        {
            Ok((SMALL_PAGE, read_page(reader, zone, SMALL_PAGE, 1).await?))
        }
        other => other.map(|page| (asked, page)),
    }
}

/// Reads one page of a zone's records.
async fn read_page(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    per_page: u64,
    number: u64,
) -> Result<Page, FetchError> {
    until_usable(async || page_once(reader, zone, per_page, number).await).await
}

/// Reads one page without a retry.
async fn page_once(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    per_page: u64,
    number: u64,
) -> Result<Page, FetchError> {
    let what = || format!("the records of {}", zone.name);
    let answer = reader
        .read_records(&list_records(&zone.id, per_page, number))
        .await
        .map_err(|source| FetchError::Api { what: what(), source })?;
    let Envelope { result, page: info, cursor: _ } = answer;
    let Some(items) = result else { return Err(FetchError::NotAList { what: what() }) };
    let records = items
        .into_iter()
        .map(|received| received.0)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|source| FetchError::Record { zone: zone.name.clone(), source })?;
    // A plan from such a listing would create the hidden records a second time.
    if let Some(other) = records.iter().find(|record| !record.name.is_within(zone.name.as_fqdn())) {
        return Err(FetchError::OutsideZone {
            zone: zone.name.clone(),
            record: other.name.clone(),
        });
    }
    Ok(Page { records, info })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::{Value as Json, json};

    use super::*;
    use crate::api::{ApiError, Reader, RequestName, Signature};
    use crate::model::{ZoneId, ZoneName};
    use crate::wire::{Method, Request};

    /// A server that answers a listing with a function of page size and page number, and counts the
    /// requests.
    struct Service<F>(F, Mutex<u32>);

    impl<F: Fn(u64, u64, u32) -> Result<Json, u16> + Send + Sync> Reader for Service<F> {
        async fn read(&self, request: &Request) -> Result<Envelope, ApiError> {
            let number = |name: &str| {
                request
                    .query
                    .iter()
                    .find(|(n, _)| *n == name)
                    .and_then(|(_, v)| v.parse().ok())
                    .expect("it is asked for")
            };
            let call = {
                let mut calls = self.1.lock().expect("nobody panics");
                *calls += 1;
                *calls
            };
            match self.0(number("per_page"), number("page"), call) {
                Ok(body) => {
                    Ok(Envelope::read(200, body.to_string().as_bytes()).expect("it is an envelope"))
                }
                Err(status) => Err(ApiError::Refused {
                    request: RequestName::of(&Request::new(Method::Get, "/zones/z/dns_records")),
                    status,
                    messages: Vec::new(),
                    signature: Signature::Token,
                }),
            }
        }
    }

    fn record(n: u64) -> Json {
        json!({ "id": format!("{n:032x}"), "name": format!("h{n}.example.com"), "type": "A", "content": "192.0.2.1" })
    }

    /// Returns a page of `0..total` at this size.
    fn slice(total: u64, size: u64, page: u64) -> Vec<Json> {
        ((page - 1) * size..(page * size).min(total)).map(record).collect()
    }

    /// Lists with Cloudflare's default options. Returns the numbers of records and of requests.
    async fn run(
        page_size: u64,
        answer: impl Fn(u64, u64, u32) -> Result<Json, u16> + Send + Sync,
    ) -> Result<(usize, u32), FetchError> {
        let zone = LiveZone::new(ZoneName::reported("example.com"), ZoneId("z".into()));
        let service = Service(answer, Mutex::new(0));
        let options = ReadOptions { page_size, ..ReadOptions::default() };
        let records = read_all_records(&service, &zone, &options, &|_| {}).await?;
        let calls = *service.1.lock().expect("nobody panics");
        Ok((records.len(), calls))
    }

    fn whole(
        result: Vec<Json>,
        page: u64,
        per_page: u64,
        total: u64,
        pages: u64,
    ) -> Result<Json, u16> {
        let count = result.len();
        Ok(json!({ "success": true, "result": result, "result_info": {
            "page": page, "per_page": per_page, "count": count, "total_count": total, "total_pages": pages } }))
    }

    #[tokio::test]
    async fn one_page_if_it_fits() {
        for total in [0, 1, 5000] {
            let got =
                run(5000, |size, page, _| whole(slice(total, size, page), page, size, total, 1))
                    .await;
            assert_eq!(got.expect("it is whole"), (usize::try_from(total).expect("small"), 1));
        }
        let got =
            run(5000, |size, page, _| whole(slice(12_001, size, page), page, size, 12_001, 3))
                .await;
        assert_eq!(got.expect("it is whole"), (12_001, 3));
    }

    #[tokio::test]
    async fn smaller_pages_than_asked_for() {
        // A reported limit; an unreported limit; a refusal; a wrong number of pages.
        let clamped =
            run(5000, |size, page, _| whole(slice(250, size.min(100), page), page, 100, 250, 3))
                .await;
        assert_eq!(clamped.expect("it is whole"), (250, 3));
        let silent =
            run(5000, |size, page, _| whole(slice(250, size.min(100), page), page, size, 250, 1))
                .await;
        assert_eq!(silent.expect("it is whole"), (250, 3));
        let refused = run(5000, |size, page, _| {
            if size > 100 { Err(400) } else { whole(slice(250, size, page), page, size, 250, 3) }
        });
        assert_eq!(refused.await.expect("it is whole"), (250, 4));
    }

    #[tokio::test]
    async fn without_counts_pages_are_read_until_nothing_is_new() {
        let bare = |result: Vec<Json>| Ok(json!({ "success": true, "result": result }));
        assert_eq!(
            run(100, |size, page, _| bare(slice(250, size, page))).await.expect("it is whole"),
            (250, 4)
        );
        assert_eq!(
            run(5000, |size, page, _| bare(slice(30, size, page))).await.expect("it is whole"),
            (30, 2)
        );
        assert_eq!(
            run(5000, |_, page, _| bare(slice(120, 50, page))).await.expect("it is whole"),
            (120, 4)
        );
        assert_eq!(
            run(5000, |_, page, _| bare(slice(0, 50, page))).await.expect("it is whole"),
            (0, 1)
        );
        // A server that ignores the page number returns the same page again.
        assert_eq!(
            run(100, |size, _, _| bare(slice(250, size, 1))).await.expect("it ends"),
            (100, 2)
        );
    }

    /// An endless listing is refused, with counts or without.
    #[tokio::test]
    async fn a_listing_without_end_is_refused() {
        for counts in [false, true] {
            let endless = run(1, |_, page, _| match counts {
                true => whole(vec![record(page)], page, 1, u64::MAX, u64::MAX),
                false => Ok(json!({ "success": true, "result": [record(page)] })),
            });
            let endless = endless.await;
            assert!(
                matches!(endless, Err(FetchError::Endless { pages: MOST_PAGES.., .. })),
                "{counts}: {endless:?}"
            );
        }
    }

    #[tokio::test]
    async fn a_listing_that_falls_short_is_read_again_and_then_refused() {
        let late = run(5000, |size, page, call| {
            let total = if call < 3 { 4 } else { 5 };
            whole(slice(total, size, page), page, size, 5, 1)
        });
        assert_eq!(late.await.expect("the last listing is whole").0, 5);
        let never = run(5000, |size, page, _| whole(slice(4, size, page), page, size, 5, 1)).await;
        assert!(matches!(never, Err(FetchError::Incomplete { got: 4, total: 5, .. })), "{never:?}");
        let calls = Mutex::new(0);
        let absurd = run(5000, |size, page, call| {
            *calls.lock().expect("nobody panics") = call;
            whole(slice(4, size, page), page, size, u64::MAX, u64::MAX)
        });
        let absurd = absurd.await;
        assert!(matches!(absurd, Err(FetchError::Incomplete { .. })), "{absurd:?}");
        assert!(*calls.lock().expect("nobody panics") < 50, "it does not ask forever");
    }

    #[tokio::test]
    async fn pages_that_shift_do_not_count_twice() {
        // A record appears on the first page before the second one is read, so one record is read
        // twice.
        let got = run(2, |size, page, call| {
            let records = if call == 1 {
                slice(4, size, page)
            } else {
                vec![record(1), record(2), record(3)]
            };
            whole(records, page, size, 4, 2)
        });
        assert_eq!(got.await.expect("all four were seen").0, 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_record_of_another_zone_makes_a_listing_unusable() {
        for name in ["h.example.net", "xexample.com", "xxx"] {
            let other = json!({ "id": "1", "name": name, "type": "A", "content": "192.0.2.1" });
            let got =
                run(100, |_, _, _| Ok(json!({ "success": true, "result": [record(1), other] })))
                    .await;
            assert!(matches!(got, Err(FetchError::OutsideZone { .. })), "{name}: {got:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_no_list_of_records_is_an_error() {
        for result in [json!(null), json!({}), json!("x"), json!([{ "id": "1" }]), json!([null])] {
            let got = run(100, |_, _, _| Ok(json!({ "success": true, "result": result }))).await;
            assert!(
                matches!(got, Err(FetchError::NotAList { .. } | FetchError::Record { .. })),
                "{result}: {got:?}"
            );
            let once = run(100, |size, page, call| match call {
                1 => Ok(json!({ "success": true, "result": result })),
                _ => whole(slice(3, size, page), page, size, 3, 1),
            });
            assert_eq!(once.await.expect("the second page is one"), (3, 2), "{result}");
        }
    }
}
