//! Saved plans that were changed, with a matching checksum.

use serde_json::Value;
use zonewright::document::saved_plan::checksum;

/// Returns a plan with its checksum, as text.
pub(crate) fn sealed(mut plan: Value) -> String {
    let sum = checksum(&plan.to_string());
    plan["checksum"] = sum.into();
    plan.to_string()
}
