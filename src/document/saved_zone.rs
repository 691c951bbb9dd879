//! The zones that a saved plan is for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A zone at Cloudflare that a saved plan is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SavedZone {
    /// Its name.
    pub name: String,
    /// Cloudflare's id; null if the plan creates the zone.
    pub id: Option<String>,
    /// The id of its account, or of the account in which it is created; null if unknown.
    pub account: Option<String>,
}
