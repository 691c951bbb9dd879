//! The certainty of a refusal.

/// How certain it is that Cloudflare refuses something on the plans that do not have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// The documentation gives it to some plans, and no subscription adds it to others.
    Certain,
    /// Subscriptions such as WAF Advanced or Bot Management can add it to paid plans.
    FreePlanOnly,
    /// Not documented.
    Assumed,
}
