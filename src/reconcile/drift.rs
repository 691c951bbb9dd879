//! One look at drift: what differs from the spec, since when, and who changed it.

use std::time::SystemTime;

use super::goal::Goal;
use super::plan::{Options, Planned, plan};
use crate::api::Reader;
use crate::drift::{Report, classify};
use crate::live::FetchError;
use crate::model::Live;
use crate::plan::Plan;

/// What one look showed.
#[derive(Debug)]
pub struct Drift {
    /// What would be done.
    pub plan: Plan,
    /// What Cloudflare has.
    pub live: Live,
    /// What that means.
    pub report: Report,
}

/// Looks once. `now` is the moment that the ages of changes are told by.
///
/// # Errors
/// Cloudflare cannot be read.
pub async fn drift<R: Reader>(
    goal: &Goal,
    reader: &R,
    options: &Options,
    now: SystemTime,
) -> Result<Drift, FetchError> {
    let Planned { plan, live, .. } = plan(goal, reader, options).await?;
    let report = classify(&plan, now);
    Ok(Drift { plan, live, report })
}
