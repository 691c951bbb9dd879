//! A reader that answers the requests of a plan from a snapshot, as Cloudflare did.
//!
//! Lists are divided into pages as requested. A request that was not recorded is an error, never an
//! empty answer.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::packed_texts::PackedTexts;
use super::{RecordedResponse, Snapshot, ZONES};
use crate::api::{ApiError, Reader, RequestName, Signature};
use crate::wire::{Envelope, PageInfo, Request};

impl Reader for Snapshot {
    fn lists_everything(&self) -> bool {
        false
    }

    async fn read(&self, request: &Request) -> Result<Envelope, ApiError> {
        if !request.method.is_read() {
            return Err(ApiError::Misused {
                request: RequestName::of(request),
                why: "a snapshot can only be read",
            });
        }
        if let Some(id) = request.path.strip_prefix("/zones/").filter(|id| !id.contains('/'))
            && let Some(zone) = self.zone(request, id)?
        {
            return Ok(Envelope { result: zone, page: PageInfo::default(), cursor: None });
        }
        match self.response(&request.path) {
            Some(RecordedResponse::Result(text)) => Ok(Envelope {
                result: parse_kept(request, text)?,
                page: PageInfo::default(),
                cursor: None,
            }),
            Some(RecordedResponse::List(items)) if request.path == ZONES => zones(request, items),
            Some(RecordedResponse::List(items)) => {
                let Envelope { result, page, cursor } = requested_page(request, items)?;
                Ok(Envelope { result: Json::Array(result), page, cursor })
            }
            Some(RecordedResponse::Refused { status, messages }) => Err(ApiError::Refused {
                request: RequestName::of(request),
                status: *status,
                messages: messages.clone(),
                signature: Signature::Token,
            }),
            None => Err(ApiError::Unrecorded { request: RequestName::of(request) }),
        }
    }

    async fn read_list<T: DeserializeOwned + Send>(
        &self,
        request: &Request,
    ) -> Result<Envelope<Option<Vec<T>>>, ApiError> {
        if let Some(RecordedResponse::List(items)) = self.response(&request.path)
            && request.method.is_read()
            && request.path != ZONES
        {
            let Envelope { result, page, cursor } = requested_page(request, items)?;
            return Ok(Envelope { result: Some(result), page, cursor });
        }
        let Envelope { result: _, page, cursor } = self.read(request).await?;
        Ok(Envelope { result: None, page, cursor })
    }
}

impl Snapshot {
    /// Finds a zone by its id.
    fn zone(&self, request: &Request, id: &str) -> Result<Option<Json>, ApiError> {
        let Some(RecordedResponse::List(items)) = self.answers.get(ZONES) else { return Ok(None) };
        for text in items.iter() {
            let zone: Json = parse_kept(request, text)?;
            if zone["id"] == id {
                return Ok(Some(zone));
            }
        }
        Ok(None)
    }
}

/// Returns the requested zones, on one page.
fn zones(request: &Request, items: &PackedTexts) -> Result<Envelope, ApiError> {
    let (name, account) =
        (query_parameter(request, "name"), query_parameter(request, "account.id"));
    let mut matching_zones = Vec::new();
    for text in items.iter() {
        let zone: Json = parse_kept(request, text)?;
        let is_named = name.is_none_or(|name| zone["name"] == name);
        let account_of_zone = zone.pointer("/account/id").and_then(Json::as_str);
        if is_named && account.is_none_or(|asked| account_of_zone.is_none_or(|own| own == asked)) {
            matching_zones.push(zone);
        }
    }
    let count = matching_zones.len() as u64;
    let page = PageInfo {
        page: Some(1),
        per_page: Some(count.max(1)),
        count: Some(count),
        total_count: Some(count),
        total_pages: Some(1),
    };
    Ok(Envelope { result: Json::Array(matching_zones), page, cursor: None })
}

/// Returns the requested page of a list. Without a page size, returns the whole list.
fn requested_page<T: DeserializeOwned>(
    request: &Request,
    items: &PackedTexts,
) -> Result<Envelope<Vec<T>>, ApiError> {
    let number = |name: &str| {
        query_parameter(request, name).and_then(|n| n.parse::<usize>().ok()).filter(|n| *n > 0)
    };
    let per_page = number("per_page").unwrap_or(items.len().max(1));
    let page = number("page").unwrap_or(1);
    let first = (page - 1).saturating_mul(per_page).min(items.len());
    let page_items = items
        .some(first, per_page)
        .map(|text| parse_kept(request, text))
        .collect::<Result<Vec<_>, _>>()?;
    let info = PageInfo {
        page: Some(page as u64),
        per_page: Some(per_page as u64),
        count: Some(page_items.len() as u64),
        total_count: Some(items.len() as u64),
        total_pages: Some(items.len().div_ceil(per_page).max(1) as u64),
    };
    Ok(Envelope { result: page_items, page: info, cursor: None })
}

/// Returns a parameter of a request.
fn query_parameter<'r>(request: &'r Request, name: &str) -> Option<&'r str> {
    request.query.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
}

/// Decodes JSON that was kept as text.
fn parse_kept<T: DeserializeOwned>(request: &Request, text: &str) -> Result<T, ApiError> {
    serde_json::from_str(text).map_err(|error| ApiError::Garbled {
        request: RequestName::of(request),
        status: 200,
        what: format!("the snapshot holds no JSON there: {error}"),
    })
}
