//! How much of a list is requested on one page.

/// Largest number of zones on one page of the list.
///
/// # Sources
/// developers.cloudflare.com/api/resources/zones (List Zones: per_page 5 to 50), read 2026-11-20.
pub const ZONES_PER_PAGE: u64 = 50;

/// Requested number of records on one page of the list. The documented maximum is 5,000,000; responses above about
/// 5,000 records have been seen to time out.
pub const RECORDS_PER_PAGE: u64 = 5000;
