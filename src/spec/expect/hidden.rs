//! Networks whose addresses are never published.

use ipnet::IpNet;
use serde_json::{Value as Json, json};

use super::invalid::{Invalid, Outcome, networks};
use crate::spec::read::{Spanned, Text};

/// Reads them.
pub(super) fn read(written: &Spanned<Vec<Spanned<Text>>>) -> Outcome<Vec<IpNet>> {
    if written.value.is_empty() {
        return Err(Invalid::at(written, "no network is named", "write networks such as 192.0.2.0/24"));
    }
    networks(&written.value)
}

/// Writes them.
pub(super) fn emit(networks: &[IpNet]) -> Json {
    networks.iter().map(|network| json!(network.to_string())).collect()
}
