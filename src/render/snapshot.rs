//! The time of the snapshot that a plan was made against.

use super::safe::safe;
use crate::live::snapshot::AsOf;
use crate::model::time::ago;

/// Describes the time.
#[must_use]
pub fn words(as_of: &AsOf) -> String {
    let AsOf { taken_at, age, tool: _, service } = as_of;
    let age = age.map_or_else(|| "in the future by this machine's clock".to_owned(), ago);
    format!(
        "As of {} ({age}): a snapshot of {}, not Cloudflare itself.",
        safe(taken_at),
        safe(service)
    )
}
