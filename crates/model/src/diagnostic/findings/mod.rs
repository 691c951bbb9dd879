//! The registry of findings: every kind of diagnostic with its stable code, severity, summary,
//! reason and fix.
//!
//! A kind is declared once, in the file of its family, in the order of the codes. Lints declare
//! their kinds next to the check (`src/lint/rules/`); `lint::findings` lists both. The registry is
//! the source of `docs/findings.md`, the rules of SARIF reports and the names of JUnit cases. A
//! code is never reused: a removed kind leaves a gap.

use super::Finding;

/// Declares the findings of a family: constants, and `ALL` in the order of the codes.
macro_rules! findings {
    ($($name:ident = $code:literal $severity:ident $summary:literal, $why:literal, $fix:literal;)+) => {
        use crate::diagnostic::{Finding, Severity};

        $(#[doc = $why] pub const $name: &Finding = &Finding {
            code: $code,
            severity: Severity::$severity,
            summary: $summary,
            why: $why,
            fix: $fix,
        };)+

        /// The findings of this family, in the order of the codes.
        pub(super) static ALL: &[&Finding] = &[$($name),+];
    };
}

// The families are below the macro because they use it.
mod dns;
mod import;
mod plan;
mod snapshot;
mod spec;
mod waf;

pub use dns::*;
pub use import::*;
pub use plan::*;
pub use snapshot::*;
pub use spec::*;
pub use waf::*;

/// Iterates over every kind except the lints, by family, in the order of the codes.
pub fn all() -> impl Iterator<Item = &'static Finding> {
    [spec::ALL, dns::ALL, waf::ALL, plan::ALL, snapshot::ALL, import::ALL]
        .into_iter()
        .flatten()
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_in_order() {
        for family in [spec::ALL, dns::ALL, waf::ALL, plan::ALL, snapshot::ALL, import::ALL] {
            assert!(family.windows(2).all(|pair| pair[0].code < pair[1].code));
        }
        let codes: std::collections::BTreeSet<_> = all().map(|finding| finding.code).collect();
        assert_eq!(codes.len(), all().count());
    }

    #[test]
    fn sentences_end_with_a_full_stop_and_summaries_do_not() {
        for Finding { code, severity: _, summary, why, fix } in all() {
            assert!(why.ends_with('.') && fix.ends_with('.') && !summary.ends_with('.'), "{code}");
        }
    }
}
