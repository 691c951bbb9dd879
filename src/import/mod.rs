//! Generates specs from live zones, and from the files of other tools. Planning the spec of a live zone changes nothing.

mod csv;
mod dnscontrol;
mod found;
mod from_live;
mod octodns;
mod source;
mod terraform;
mod zone_file;

pub use found::{Found, Tally};
pub use from_live::{Imported, from_live};
pub use source::{SourceKind, read_sources, read_text};
pub use terraform::GivenZones;
