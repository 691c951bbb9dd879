//! Finds zones by name or id with as few requests as possible.
//!
//! A pinned id costs one request. One or two names cost one request each. For more names the
//! account's list is read, unless it needs more requests than separate look-ups.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::stream::{self, StreamExt, TryStreamExt};
use serde_json::Value as Json;

use super::any_reader::AnyReader;
use super::error::FetchError;
use super::read_options::{ReadOptions, ZoneQuery};
use super::until_usable::until_usable;
use crate::api::error_codes::UNKNOWN_ZONE;
use crate::model::{Gather, LiveZone, ZoneId, ZoneName, sort_by};
use crate::wire::zone::{find_zone, get_zone, read_zone, zone_page};
use crate::wire::{Envelope, PageInfo, Request};

/// Number of names from which the list is tried first.
const LIST_FROM: usize = 3;

/// Number of zones on a page of the list.
const ZONES_PER_PAGE: usize = 50;

/// Maximum number of pages that are read to find one name, in case the server ignores the name
/// filter.
const MOST_PAGES: u64 = 1_000;

/// Finds zones without reading their parts. The result omits zones that do not exist.
///
/// # Errors
/// Fails with the first read that failed.
pub async fn find_zones(
    reader: &dyn AnyReader,
    queries: &[ZoneQuery],
    options: &ReadOptions,
) -> Result<BTreeMap<ZoneName, LiveZone>, FetchError> {
    let mut zones = BTreeMap::new();
    let pinned = queries.iter().filter_map(|query| Some((&query.name, query.id.as_ref()?)));
    let by_id: Vec<Option<LiveZone>> = stream::iter(pinned)
        .map(|(name, id)| by_id(reader, name, id))
        .buffer_unordered(options.concurrency.max(1))
        .try_collect()
        .await?;
    zones.extend(by_id.into_iter().flatten().map(|z| (z.name.clone(), z)));

    let mut names: BTreeSet<&ZoneName> =
        queries.iter().filter(|query| query.id.is_none()).map(|query| &query.name).gather();
    let is_list_long = options.known_zones > names.len().saturating_mul(ZONES_PER_PAGE);
    if names.len() >= LIST_FROM && !is_list_long {
        from_list(reader, &mut names, options, &mut zones).await?;
    }
    let by_name: Vec<Option<LiveZone>> = stream::iter(names)
        .map(|name| by_name(reader, name, options))
        .buffer_unordered(options.concurrency.max(1))
        .try_collect()
        .await?;
    zones.extend(by_name.into_iter().flatten().map(|z| (z.name.clone(), z)));
    Ok(zones)
}

/// Finds one zone by its id.
async fn by_id(
    reader: &dyn AnyReader,
    name: &ZoneName,
    id: &ZoneId,
) -> Result<Option<LiveZone>, FetchError> {
    until_usable(async || by_id_once(reader, name, id).await).await
}

/// Reads one zone by its id, without a retry.
async fn by_id_once(
    reader: &dyn AnyReader,
    name: &ZoneName,
    id: &ZoneId,
) -> Result<Option<LiveZone>, FetchError> {
    let answer = match reader.read(&get_zone(id)).await {
        Ok(answer) => answer,
        Err(error)
            if UNKNOWN_ZONE.iter().any(|code| error.has_code(*code))
                && error
                    .messages()
                    .iter()
                    .any(|m| m.message.to_lowercase().contains("identifier")) =>
        {
            return Ok(None);
        }
        Err(source) => return Err(FetchError::Api { what: format!("the zone {name}"), source }),
    };
    let zone = read_zone(&answer.result)?;
    if zone.name != *name {
        return Err(FetchError::WrongZone {
            id: id.clone(),
            wanted: name.clone(),
            found: zone.name,
        });
    }
    Ok(Some(zone))
}

/// Finds one zone by its name.
///
/// An internationalized name is searched for in Punycode, as documented, and then in Unicode:
/// acceptance tests of Cloudflare's Terraform provider 5 create a zone in Unicode and expect that
/// name back (read 2026-11-23).
async fn by_name(
    reader: &dyn AnyReader,
    name: &ZoneName,
    options: &ReadOptions,
) -> Result<Option<LiveZone>, FetchError> {
    let by_ascii = by_spelling(reader, name, name.as_str(), options).await?;
    match (by_ascii, name.unicode()) {
        (None, Some(unicode)) => by_spelling(reader, name, &unicode, options).await,
        (found, _) => Ok(found),
    }
}

/// Finds one zone by one spelling of its name, on several pages if the server ignores the filter.
async fn by_spelling(
    reader: &dyn AnyReader,
    name: &ZoneName,
    spelling: &str,
    options: &ReadOptions,
) -> Result<Option<LiveZone>, FetchError> {
    let account = options.account.as_deref();
    let mut matches: BTreeMap<ZoneId, LiveZone> = BTreeMap::new();
    let mut zone_ids: BTreeSet<ZoneId> = BTreeSet::new();
    let mut page = 1;
    loop {
        let mut request = find_zone(spelling, account);
        if page > 1 {
            request = request.query("page", page.to_string());
        }
        let (_, zones, more) = read_page(reader, &request, page, account).await?;
        let count_before = zone_ids.len();
        zone_ids.extend(zones.iter().map(|z| z.id.clone()));
        matches.extend(zones.into_iter().filter(|z| z.name == *name).map(|z| (z.id.clone(), z)));
        // A page without new zones ends the loop, so that wrong page counts cannot cause endless
        // requests.
        if !more || !matches.is_empty() || zone_ids.len() == count_before {
            break;
        }
        if page >= MOST_PAGES {
            let what = format!("the list of zones in search of {name}");
            return Err(FetchError::Endless {
                what,
                pages: page,
                items: zone_ids.len(),
                is_of_records: false,
            });
        }
        page += 1;
    }
    only(name, matches)
}

/// Returns the only zone with this name.
fn only(
    name: &ZoneName,
    matches: BTreeMap<ZoneId, LiveZone>,
) -> Result<Option<LiveZone>, FetchError> {
    if matches.len() > 1 {
        let ids: Vec<_> = matches.keys().map(ToString::to_string).collect();
        return Err(FetchError::Ambiguous { zone: name.clone(), count: ids.len(), ids });
    }
    Ok(matches.into_values().next())
}

/// Takes zones from the account's list, unless it has more pages than there are names.
async fn from_list(
    reader: &dyn AnyReader,
    names: &mut BTreeSet<&ZoneName>,
    options: &ReadOptions,
    found: &mut BTreeMap<ZoneName, LiveZone>,
) -> Result<(), FetchError> {
    let mut matches: BTreeMap<ZoneName, BTreeMap<ZoneId, LiveZone>> = BTreeMap::new();
    let mut zone_ids: BTreeSet<ZoneId> = BTreeSet::new();
    let mut page = 1;
    loop {
        let request = zone_page(options.account.as_deref(), page);
        let (pages, zones, more) =
            read_page(reader, &request, page, options.account.as_deref()).await?;
        let count_before = zone_ids.len();
        zone_ids.extend(zones.iter().map(|z| z.id.clone()));
        let has_more = more && zone_ids.len() > count_before;
        for zone in zones.into_iter().filter(|z| names.contains(&z.name)) {
            matches.entry(zone.name.clone()).or_default().insert(zone.id.clone(), zone);
        }
        if !has_more {
            // The whole list was read: a zone that is not in it does not exist for these
            // credentials.
            for name in std::mem::take(names) {
                if let Some(zone) = only(name, matches.remove(name).unwrap_or_default())? {
                    found.insert(name.clone(), zone);
                }
            }
            return Ok(());
        }
        if pages.is_none_or(|pages| pages > names.len() as u64) {
            // The list costs more than separate look-ups. Later pages may have zones of the same
            // name, so these results are not used.
            return Ok(());
        }
        page += 1;
    }
}

/// Lists every zone that the credentials see, sorted by name.
///
/// # Errors
/// Fails with the first read that failed, or if the list never ends.
pub async fn every(
    reader: &dyn AnyReader,
    options: &ReadOptions,
) -> Result<Vec<LiveZone>, FetchError> {
    let account = options.account.as_deref();
    let mut zones_by_id: BTreeMap<ZoneId, LiveZone> = BTreeMap::new();
    for page in 1..=MOST_PAGES {
        let (_, zones, more) = read_page(reader, &zone_page(account, page), page, account).await?;
        let count_before = zones_by_id.len();
        zones_by_id.extend(zones.into_iter().map(|zone| (zone.id.clone(), zone)));
        if !more || zones_by_id.len() == count_before {
            let mut sorted_zones: Vec<_> = zones_by_id.into_values().collect();
            sort_by(&mut sorted_zones, |a, b| a.name.cmp(&b.name));
            return Ok(sorted_zones);
        }
    }
    let what = "the list of zones".to_owned();
    Err(FetchError::Endless {
        what,
        pages: MOST_PAGES,
        items: zones_by_id.len(),
        is_of_records: false,
    })
}

/// Reads a page of a list of zones. Returns the reported number of pages, the zones, and true if
/// more pages follow.
async fn read_page(
    reader: &dyn AnyReader,
    request: &Request,
    page: u64,
    account: Option<&str>,
) -> Result<(Option<u64>, Vec<LiveZone>, bool), FetchError> {
    until_usable(async || {
        let answer = reader.read(request).await;
        let answer = answer
            .map_err(|source| FetchError::Api { what: "the list of zones".to_owned(), source })?;
        let pages = answer.page.total_pages;
        let (zones, more) = zones_of(answer, page, account)?;
        Ok((pages, zones, more))
    })
    .await
}

/// Returns the zones of a response, and true if more pages follow. A server may ignore the account
/// filter, so the account is checked.
fn zones_of(
    answer: Envelope,
    page: u64,
    account: Option<&str>,
) -> Result<(Vec<LiveZone>, bool), FetchError> {
    let Envelope { result, page: info, cursor: _ } = answer;
    let Json::Array(items) = result else {
        return Err(FetchError::NotAList { what: "the list of zones".to_owned() });
    };
    let is_asked_for =
        |item: &&Json| match (account, item.pointer("/account/id").and_then(Json::as_str)) {
            (Some(asked), Some(own)) => asked == own,
            _ => true,
        };
    let is_empty = items.is_empty();
    let zones = items.iter().filter(is_asked_for).map(read_zone).collect::<Result<Vec<_>, _>>()?;
    let PageInfo { total_pages, total_count, per_page, count: _, page: _ } = info;
    let has_more = !is_empty
        && match (total_pages, total_count, per_page) {
            (Some(pages), _, _) => page < pages,
            (None, Some(total), Some(per_page)) => page * per_page < total,
            // Without counts, only an empty page is certainly the last one.
            _ => true,
        };
    Ok((zones, has_more))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::json;

    use super::*;
    use crate::api::{ApiError, Reader};

    /// A server that responds to every request with a function of the requested name and the page.
    struct Service<F>(F, AtomicUsize);

    impl<F: Fn(Option<&str>, u64) -> Json + Send + Sync> Reader for Service<F> {
        async fn read(&self, request: &Request) -> Result<Envelope, ApiError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            let get = |name: &str| {
                request.query.iter().find(|(n, _)| *n == name).map(|(_, v)| v.as_str())
            };
            let page = get("page").and_then(|p| p.parse().ok()).unwrap_or(1);
            let body = (self.0)(get("name"), page);
            Ok(Envelope::read(200, body.to_string().as_bytes()).expect("it is an envelope"))
        }
    }

    fn zone(n: u64, name: &str) -> Json {
        json!({ "id": format!("{n:032x}"), "name": name })
    }

    fn page(zones: Vec<Json>, pages: Option<u64>) -> Json {
        let info = pages.map(|pages| json!({ "page": 1, "per_page": 50, "total_pages": pages }));
        json!({ "success": true, "result": zones, "result_info": info })
    }

    /// Looks up zones. Returns the result and the number of requests.
    async fn run(
        names: &[&str],
        answer: impl Fn(Option<&str>, u64) -> Json + Send + Sync,
    ) -> (Result<Vec<String>, FetchError>, usize) {
        let queries: Vec<_> =
            names.iter().map(|name| ZoneQuery::new(ZoneName::reported(name))).collect();
        let service = Service(answer, AtomicUsize::new(0));
        let found = find_zones(&service, &queries, &ReadOptions::default()).await;
        (found.map(|f| f.into_keys().map(|n| n.to_string()).collect()), service.1.into_inner())
    }

    #[tokio::test]
    async fn one_request_for_one_name() {
        let (found, requests) = run(&["example.com"], |name, _| {
            page(vec![zone(1, name.expect("it is asked for"))], Some(1))
        })
        .await;
        assert_eq!((found.expect("it is there"), requests), (vec!["example.com".to_owned()], 1));
        let (found, requests) = run(&["example.com"], |_, _| page(vec![], Some(1))).await;
        assert_eq!((found.expect("it is not there").len(), requests), (0, 1));
    }

    #[tokio::test]
    async fn a_filter_that_is_ignored_finds_no_other_zone() {
        let (found, _) =
            run(&["example.com"], |_, _| page(vec![zone(1, "example.net")], Some(1))).await;
        assert!(found.expect("it is not there").is_empty());
        let names = ["example.net", "example.org", "example.com"];
        let one_a_page = |_: Option<&str>, n: u64| {
            page(
                names
                    .get(usize::try_from(n - 1).expect("small"))
                    .map(|z| zone(n, z))
                    .into_iter()
                    .collect(),
                Some(3),
            )
        };
        let (found, requests) = run(&["example.com"], one_a_page).await;
        assert_eq!(
            (found.expect("it is on the third page"), requests),
            (vec!["example.com".to_owned()], 3)
        );
    }

    #[tokio::test]
    async fn a_list_without_end_is_refused() {
        for pages in [None, Some(u64::MAX)] {
            let (found, requests) =
                run(&["example.com"], |_, n| page(vec![zone(n, "example.net")], pages)).await;
            assert!(matches!(found, Err(FetchError::Endless { .. })), "{found:?}");
            assert_eq!(requests as u64, MOST_PAGES);
        }
    }

    #[tokio::test]
    async fn without_counts_pages_are_read_to_an_empty_one() {
        let (found, requests) = run(&["example.com"], |_, n| {
            page(if n < 3 { vec![zone(n, "example.net")] } else { vec![] }, None)
        })
        .await;
        assert_eq!((found.expect("it is not there").len(), requests), (0, 3));
    }

    #[tokio::test]
    async fn a_service_that_lies_about_its_pages_does_not_keep_us() {
        let same = |_: Option<&str>, _: u64| page(vec![zone(1, "example.net")], Some(u64::MAX));
        let (found, requests) = run(&["example.com"], same).await;
        assert_eq!((found.expect("it is not there").len(), requests), (0, 2));
        let (found, requests) = run(&["a.example", "b.example", "c.example"], same).await;
        assert!(found.expect("none is there").is_empty() && requests < 12, "{requests}");
    }

    #[tokio::test]
    async fn two_zones_of_one_name_are_told() {
        let (found, _) = run(&["example.com"], |_, _| {
            page(vec![zone(1, "example.com"), zone(2, "Example.COM")], Some(1))
        })
        .await;
        assert!(matches!(found, Err(FetchError::Ambiguous { count: 2, .. })), "{found:?}");
    }

    #[tokio::test]
    async fn many_names_come_from_the_list() {
        let names = ["a.example", "b.example", "c.example", "d.example"];
        let list = |_: Option<&str>, _: u64| {
            page(names[..3].iter().zip(1..).map(|(z, n)| zone(n, z)).collect(), Some(1))
        };
        let (found, requests) = run(&names, list).await;
        assert_eq!((found.expect("three are there").len(), requests), (3, 1));
    }
}
