//! Networks whose addresses are never published.

use ipnet::IpNet;
use serde_json::{Value as Json, json};

use super::invalid::{Outcome, networks};
use crate::spec::deserialize::{Spanned, Text};

pub(super) fn read(written: &Spanned<Vec<Spanned<Text>>>) -> Outcome<Vec<IpNet>> {
    networks(written)
}

pub(super) fn emit(networks: &[IpNet]) -> Json {
    networks.iter().map(|network| json!(network.to_string())).collect()
}
