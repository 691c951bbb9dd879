//! Generates specs from live zones, and from the files of other tools. Planning the spec of a live
//! zone changes nothing.

mod comments;
mod csv;
mod dnscontrol;
mod entry;
mod from_live;
mod import_result;
mod imported;
mod leave;
mod live_settings;
mod octodns;
mod source;
mod source_files;
mod source_kind;
mod terraform;
mod zone_file;
mod zone_files;
mod zone_of_path;

pub use from_live::{from_live, rule_from_live};
pub use import_result::{ImportResult, Origin, Tally};
pub use imported::Imported;
pub use leave::Leaving;
pub use octodns::OctodnsChoice;
pub(crate) use octodns::{members as octodns_members, natural_order};
pub use source::{read_sources, read_text};
pub use source_kind::SourceKind;
pub use terraform::{GivenValue, GivenValues, GivenZones};
