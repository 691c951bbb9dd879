//! Writes zones in the formats of other tools: what they can say. The rest is named. Pure.
//!
//! Importing what was exported gives the same records, apart from what was named;
//! `tests/pure/export.rs` holds that.

mod bind;
mod left_out;
mod octodns;

use crate::model::DesiredZone;

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A zone file, with Cloudflare's own notes for proxy status, comments and tags.
    Bind,
    /// A YAML file of octoDNS.
    Octodns,
}

impl Target {
    /// Every target with its name.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("bind", Self::Bind), ("octodns", Self::Octodns)];

    /// The target of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, target)| *target)
    }

    /// The name of the file of a zone.
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
    /// The file.
    pub text: String,
    /// How many records it has.
    pub records: usize,
    /// What the format cannot say, without the name of the zone.
    pub left_out: Vec<String>,
}

/// Writes a zone. `name_servers` are those of the zone, as far as they are known: a zone file needs
/// them.
#[must_use]
pub fn export(zone: &DesiredZone, name_servers: &[String], target: Target) -> Exported {
    let mut left_out = left_out::beside_records(zone);
    let (text, records) = match target {
        Target::Bind => bind::write(zone, name_servers, &mut left_out),
        Target::Octodns => octodns::write(zone, &mut left_out),
    };
    Exported { text, records, left_out }
}
