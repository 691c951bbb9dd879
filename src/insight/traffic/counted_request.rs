//! A request and its verdicts, as they are counted.

use std::fmt::Display;

use super::anomaly_score::Hits;
use super::report::Set;
use super::request_verdict::Verdict;
use crate::model::request::Request;

/// A request and what becomes of it.
pub struct CountedRequest<'s> {
    /// Its set.
    pub set: Set,
    /// The zone that it is for.
    pub zone: &'s str,
    /// Its Ray ID or another name.
    pub id: Option<&'s str>,
    /// Where it is recorded.
    pub place: &'s dyn Display,
    /// The request.
    pub request: &'s Request,
    /// What the public OWASP rules found in it.
    pub hits: Option<&'s Hits>,
    /// Whether rules might find more, as parts of the request are not known.
    pub is_partial: bool,
    /// What becomes of it now.
    pub before: &'s Verdict,
    /// What becomes of it after the plan.
    pub after: &'s Verdict,
    /// Whether the zone has the OWASP ruleset after the plan.
    pub has_owasp: bool,
}
