//! Terraform and OpenTofu: states, plans and configurations of Cloudflare's provider, versions 4
//! and 5.
//!
//! A state or plan has every value. A configuration is evaluated without running Terraform, as far
//! as its values are in the files; an entry that needs more is refused with what is missing. All
//! three give [`Resource`]s, which `resources` translates.

mod attributes;
mod block_comments;
mod blocks;
mod body;
mod configuration;
mod documents;
mod evaluate;
mod functions;
mod growth;
mod modules;
mod nesting;
mod not_imported;
mod rate_limits;
mod record_resource;
mod resources;
mod rivals;
mod rulesets;
mod setting_resources;
mod skipped;
mod value;
mod variable_types;
mod variable_values;
mod zones;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) use configuration::read as read_configurations;
pub(super) use documents::{is_document, read as read_document};
pub(super) use resources::translate;
pub(super) use skipped::is_path as is_skipped_path;
pub use variable_values::{GivenValue, GivenValues};

use super::OctodnsChoice;
use super::comments::Comment;
use crate::diagnostic::Place;
use crate::model::ZoneName;
use value::Term;

/// The beginning of an id that only Cloudflare knows. No id of Cloudflare begins like this.
const ASSIGNED: char = '\u{1}';
/// The beginning of a reference to a zone that is named instead of numbered.
const ZONE_REFERENCE: &str = "\u{1}zone:";

/// A resource.
#[derive(Debug, Clone)]
pub(super) struct Resource {
    /// Its address, such as `cloudflare_record.www["a"]`.
    address: String,
    /// Its type, such as `cloudflare_record`; with `data.` in front if it is a data source.
    kind: String,
    /// Its attributes and blocks.
    values: Term,
    /// Its place, if it is known.
    place: Place,
    /// Its comments, in the text of its place.
    comments: Arc<[Comment]>,
    /// The directory of its configuration, or the file of its state or plan.
    origin: Arc<str>,
    /// Whether the source has every attribute of it, also those that nobody wrote: a state or plan.
    is_complete: bool,
}

/// Zone names that the user supplies for ids.
#[derive(Debug, Clone, Default)]
pub struct GivenZones {
    /// The zone of everything whose zone is not known.
    pub default: Option<ZoneName>,
    /// Zones by id.
    pub by_id: BTreeMap<String, ZoneName>,
    /// Names of DNSControl's providers whose domains are imported.
    pub providers: BTreeSet<String>,
    /// The configuration and the target of octoDNS.
    pub octodns: OctodnsChoice,
    /// Values of Terraform's variables.
    pub values: GivenValues,
    /// Addresses, directories and files to leave out.
    pub skip: Vec<String>,
}
