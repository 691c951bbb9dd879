//! A share of requests, chosen at random for each request.
//!
//! # Sources
//! developers.cloudflare.com/changelog/post/2026-10-02-hash-in-range-ga, read 2026-11-26:
//! `hash_in_range(0, 100, cf.random_seed) < 10` selects about 10 % of the requests.

use crate::canonical::{CanonicalForm, CanonicalKind};
use crate::syntax::{ComparedValue, Connective, Literal, Operator};

/// The left side of the condition.
const SELECTION: &str = "hash_in_range(0, 100, cf.random_seed)";

/// A share of requests, from 1 to 99 percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share(u8);

impl Share {
    /// Returns the share of `percent`, unless it is none or all.
    #[must_use]
    pub fn of_percent(percent: u8) -> Option<Self> {
        (1..=99).contains(&percent).then_some(Self(percent))
    }

    /// Returns the number of percent.
    #[must_use]
    pub fn percent(self) -> u8 {
        self.0
    }

    /// Returns the condition of this share, as text.
    pub(super) fn selection(self) -> String {
        format!("{SELECTION} < {}", self.0)
    }

    /// Returns the share that an expression selects, if it selects one.
    pub(super) fn selected(form: &CanonicalForm) -> Option<Self> {
        let parts = match &form.kind {
            CanonicalKind::Chain(Connective::And, parts) => parts.as_slice(),
            _ => std::slice::from_ref(form),
        };
        let share = |part: &CanonicalForm| {
            let CanonicalKind::Comparison(comparison) = &part.kind else { return None };
            let (Operator::Less, ComparedValue::Literal(Literal::Integer(percent))) =
                (comparison.operator, &comparison.right)
            else {
                return None;
            };
            part.text
                .starts_with(SELECTION)
                .then(|| Self::of_percent(u8::try_from(*percent).ok()?))
                .flatten()
        };
        parts.iter().find_map(share)
    }
}
