//! Writes zones in the formats of other tools and lists what a format cannot represent. Pure.
//!
//! Importing an exported zone gives the same records, apart from what was listed;
//! `tests/pure/export.rs` checks this.

mod bind;
mod left_out;
mod octodns;

use crate::model::DesiredZone;

/// Format of an exported zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportTarget {
    /// A zone file with Cloudflare's comments for proxy status, comments and tags.
    Bind,
    /// A YAML file of octoDNS.
    Octodns,
}

impl ExportTarget {
    /// All formats with their names.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("bind", Self::Bind), ("octodns", Self::Octodns)];

    /// Returns the format with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, target)| *target)
    }

    /// Returns the name of the file that holds a zone.
    #[must_use]
    pub fn file_name(self, zone: &DesiredZone) -> String {
        match self {
            Self::Bind => format!("{}.zone", zone.name.file_stem()),
            Self::Octodns => format!("{}.yaml", zone.name.file_stem()),
        }
    }
}

/// A zone in the format of another tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// Text of the file.
    pub text: String,
    /// Number of records in the file.
    pub records: usize,
    /// Settings that the format cannot represent, without the name of the zone.
    pub left_out: Vec<String>,
}

/// Writes a zone. `name_servers` are the known name servers of the zone, which a zone file needs.
#[must_use]
pub fn export(zone: &DesiredZone, name_servers: &[String], target: ExportTarget) -> Exported {
    let mut left_out = left_out::beside_records(zone);
    let (text, records) = match target {
        ExportTarget::Bind => bind::write_zone_file(zone, name_servers, &mut left_out),
        ExportTarget::Octodns => octodns::write_zone_yaml(zone, &mut left_out),
    };
    Exported { text, records, left_out }
}
