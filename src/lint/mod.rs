//! Rules about a spec as a whole: records that are valid one by one, but wrong or odd together.
//!
//! Takes a [`Desired`] and returns [`Diagnostics`]. There are no requests, so all findings are
//! known before the first one. `spec` finds errors in a single record or at a single name.
//!
//! | file | what |
//! |---|---|
//! | `rules` | the list of rules; each has its own file in the folder of that name |
//! | `rule`, `report_limits` | what a rule is, and how much of what it finds is reported |
//! | `context` | a spec as rules look at it: records by name, and the answers of name servers |
//! | `unproxiable_addresses` | addresses that Cloudflare does not proxy to |
//! | `plan_limits` | what the plan of a zone, as the spec names it, does not allow |
//! | `protection` | expressions, and which hosts get their requests through Cloudflare |
//! | `suppress` | findings that the spec accepts |
//! | `findings_page` | docs/findings.md, from the registry of findings |
//!
//! If the spec leaves live records alone (`unmanaged: keep`, `ignore`), a name that is not in the
//! spec may still exist at Cloudflare. A rule that concludes something from the absence of a record
//! is milder there, or silent.

mod context;
mod findings_page;
mod plan_limits;
mod protection;
mod report_limits;
mod rule;
mod rules;
mod suppress;
mod unproxiable_addresses;

pub use findings_page::{explanation, findings_page};
pub use plan_limits::check_plans;
use report_limits::{Findings, MORE, MOST, RELATED, chain};
pub use rule::LintRule;
pub use rules::{ACCEPTANCE_WITHOUT_EFFECT, ALL, lints};

use crate::diagnostic::{Diagnostics, Finding};
use crate::model::Desired;
use context::LintContext;

/// Returns every finding of the program: those of
/// [`diagnostic::findings`](crate::diagnostic::findings) and those of the lints.
pub fn known_findings() -> impl Iterator<Item = &'static Finding> {
    crate::diagnostic::findings::all().chain([&MORE]).chain(lints())
}

/// Runs every rule, and leaves out findings that the spec or a policy accepts.
///
/// # Order
/// The findings are in the order of the rules. The caller sorts them.
#[must_use]
pub fn lint(desired: &Desired) -> Diagnostics {
    let context = LintContext::new(desired);
    let mut diagnostics = Diagnostics::default();
    for rule in ALL {
        let mut findings = Findings::default();
        (rule.check)(&context, &mut findings);
        if findings.count > MOST {
            let code = rule.finding.code;
            let detail =
                format!("{code} has {} findings; {MOST} of them were looked at", findings.count);
            findings.kept.push(MORE.nowhere(detail).help("fix these and run the command again"));
        }
        diagnostics.append(findings.kept);
    }
    suppress::suppress(diagnostics, &desired.suppressions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_stand_in_order_of_their_codes() {
        assert!(ALL.windows(2).all(|pair| pair[0].finding.code < pair[1].finding.code));
        for LintRule {
            finding: Finding { code, severity: _, summary, why, fix }, sources, ..
        } in ALL
        {
            assert!(code.len() == 8 && code.starts_with("LINT") && *code != MORE.code, "{code}");
            assert!(why.ends_with('.') && fix.ends_with('.') && !summary.ends_with('.'), "{code}");
            assert!(!sources.is_empty(), "{code}");
        }
    }

    #[test]
    fn long_chains_are_cut() {
        let names: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        assert_eq!(
            chain(names.iter().map(String::as_str)),
            "0 → 1 → 2 → 3 → 4 → 5 → 6 → … 12 more … → 19"
        );
        assert_eq!(chain(["a", "b", "a"].into_iter()), "a → b → a");
    }
}
