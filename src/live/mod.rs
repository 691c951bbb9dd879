//! Reads the live state with concurrent requests into [`Live`](crate::model::Live).
//!
//! Responses are checked: a zone is looked up by name *and* its name is compared, a listing must
//! have as many records as Cloudflare counts, and an error is never treated as an empty list. A
//! read with an unusable result is repeated, and then becomes an error.

mod any_reader;
mod breadth;
mod error;
mod fetch;
mod missing_zone;
mod read_options;
mod records;
mod rulesets;
mod settings;
pub mod snapshot;
mod until_usable;
mod whole_zone;
mod zones;

pub use any_reader::AnyReader;
pub use breadth::{MOST_REQUESTS, Wanted, WantedSettings};
pub use error::FetchError;
pub use fetch::{
    Fetched, fetch, fetch_protection, fetch_record_quota, fetch_records, fetch_settings, fetch_waf,
    fetch_waf_of_new, find_zone_by_name,
};
pub use missing_zone::MissingZone;
pub use read_options::{
    CatalogueCache, Progress, RECORDS_PER_PAGE, ReadOptions, WafQuery, ZoneQuery,
};
pub use rulesets::{account_of, account_rules, read_entry_point};
pub use whole_zone::{Unknown, WholeZone, WholeZones, fetch_whole_zones};
pub use zones::{every as list_zones, find_zones};
