//! Requests for lists: page by page, in an order that does not change between pages.

use super::request::Request;

/// Maximum number of zones on one page of the list.
///
/// # Sources
/// developers.cloudflare.com/api/resources/zones (List Zones: per_page 5 to 50), read 2026-11-20.
pub const ZONES_PER_PAGE: u64 = 50;

/// Returns the request for one page of a list, sorted by name. Pages are counted from 1.
pub(super) fn page_of(list: Request, per_page: u64, page: u64) -> Request {
    list.query("order", "name")
        .query("direction", "asc")
        .query("per_page", per_page.to_string())
        .query("page", page.to_string())
}
