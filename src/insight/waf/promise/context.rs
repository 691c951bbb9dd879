//! The context for comparing a live deployment with the promises of the spec.

use std::collections::BTreeMap;

use crate::model::ruleset::{AcceptedCause, EntryPoint, LiveRule, LiveWaf, Phase};

/// The context for comparing a live deployment with the promises of the spec.
pub struct Context<'a> {
    /// The protection that is in force, or will be once a plan is applied.
    pub waf: &'a LiveWaf,
    /// The entry points of the account, if they were read. In each phase, they run before those of
    /// the zone.
    pub account: Option<&'a BTreeMap<Phase, EntryPoint>>,
    /// Returns true if the spec does not name a rule of a phase.
    pub is_foreign: &'a dyn Fn(Phase, &LiveRule) -> bool,
    /// True if a plan changes the deployment itself: then its overrides are no cause, because the
    /// plan reports them.
    pub is_changed: bool,
    /// The accepted causes of the spec.
    pub accept: &'a [AcceptedCause],
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("is_changed", &self.is_changed).finish_non_exhaustive()
    }
}
