//! What the service has: concurrent reads into [`Live`](crate::model::Live).
//!
//! Nothing is taken on trust: a zone is looked up by name *and* its name compared, a listing must hold as many records as
//! the service says there are, and an error is never an empty list. What cannot be used is read again, and then an error.

mod again;
mod around;
mod fetch;
mod records;
mod rulesets;
pub mod snapshot;
mod zones;

pub use fetch::{
    FetchError, Fetched, Options, Progress, Wanted, fetch, fetch_around, fetch_protection, fetch_record_quota,
    fetch_records, fetch_waf, fetch_waf_of_new, find_zone_by_name,
};
pub use rulesets::{CatalogueCache, WafQuery, entry_point};
