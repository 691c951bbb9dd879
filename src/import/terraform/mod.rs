//! Imports states, plans and configurations of Terraform and OpenTofu for Cloudflare's provider,
//! versions 4 and 5.
//!
//! A state or plan has every value. A configuration is evaluated without running Terraform, as far
//! as its values are in the files; an entry that needs other values is refused, and the missing
//! value is named. All three yield [`Resource`]s, which `resources` translates.

mod attributes;
mod block_comments;
mod blocks;
mod body;
mod characters;
mod configuration;
mod documents;
mod evaluate;
mod format;
mod functions;
mod growth;
mod json_syntax;
mod json_text;
mod long_numbers;
mod modules;
mod nesting;
mod not_imported;
mod numerals;
mod operators;
mod rate_limits;
mod record_resource;
mod resources;
mod rivals;
mod rulesets;
mod sets;
mod setting_resources;
mod skipped;
mod template;
mod value;
mod variable_types;
mod variable_values;
mod yaml;
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

/// Prefix of an id that only Cloudflare knows. No real id begins with it.
const ASSIGNED: char = '\u{1}';
/// Prefix of a reference to a zone by name instead of id.
const ZONE_REFERENCE: &str = "\u{1}zone:";

/// A resource or data source.
#[derive(Debug, Clone)]
pub(super) struct Resource {
    /// Address, such as `cloudflare_record.www["a"]`.
    address: String,
    /// Type, such as `cloudflare_record`. Types of data sources begin with `data.`.
    kind: String,
    /// Attributes and blocks.
    values: Term,
    /// Place, if known.
    place: Place,
    /// Comments, by offset in the text of the place.
    comments: Arc<[Comment]>,
    /// Directory of the configuration, or file of the state or plan.
    origin: Arc<str>,
    /// True for a state or plan, which has all attributes, even unset ones.
    is_complete: bool,
}

/// Options for files of other tools, such as the zone names that the user supplies for ids.
#[derive(Debug, Clone, Default)]
pub struct GivenZones {
    /// Zone of entries whose zone is unknown.
    pub default: Option<ZoneName>,
    /// Zones by id.
    pub by_id: BTreeMap<String, ZoneName>,
    /// Names of DNSControl providers whose domains are imported.
    pub providers: BTreeSet<String>,
    /// Configuration and target of octoDNS.
    pub octodns: OctodnsChoice,
    /// Values of Terraform's variables.
    pub values: GivenValues,
    /// Addresses, directories and files to leave out.
    pub skip: Vec<String>,
}
