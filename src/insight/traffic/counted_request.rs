//! A request and its verdicts, in the form in which they are counted.

use std::fmt::Display;

use super::anomaly_score::Hits;
use super::report::Set;
use super::request_verdict::RequestVerdict;
use crate::model::request::Request;

/// A request with its verdicts before and after a change.
pub struct CountedRequest<'s> {
    /// The set that it belongs to.
    pub set: Set,
    /// The zone of its host.
    pub zone: &'s str,
    /// Its Ray ID or another name.
    pub id: Option<&'s str>,
    /// Its place in the recording.
    pub place: &'s dyn Display,
    pub request: &'s Request,
    /// The matches of the public OWASP rules in it.
    pub hits: Option<&'s Hits>,
    /// True if rules might have more matches, because parts of the request are unknown.
    pub is_partial: bool,
    /// The verdict before the change.
    pub before: &'s RequestVerdict,
    /// The verdict after the change.
    pub after: &'s RequestVerdict,
    /// True if the zone has the OWASP ruleset after the plan.
    pub has_owasp: bool,
}
