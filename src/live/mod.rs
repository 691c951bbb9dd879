//! Reads the live state: concurrent reads into [`Live`](crate::model::Live).
//!
//! Responses are checked: a zone is looked up by name *and* its name compared, a listing must have
//! as many records as Cloudflare counts, and an error is never an empty list. A result that cannot
//! be used is read again, and then becomes an error.

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
pub use read_options::{CatalogueCache, Options, Progress, RECORDS_PER_PAGE, WafQuery, ZoneQuery};
pub use rulesets::{account_of, account_rules, entry_point};
pub use whole_zone::{Unknown, WholeZone, WholeZones, fetch_whole_zones};
pub use zones::{every as list_zones, find as find_zones};
