//! Leaves out findings that a spec or a policy accepts, and reports suppressions without effect.

use crate::diagnostic::{Diagnostics, findings};
use crate::model::Suppression;

/// Removes accepted findings, and reports suppressions that name no lint or have no effect.
pub(super) fn suppress(found: Diagnostics, suppressions: &[Suppression]) -> Diagnostics {
    let mut used = vec![false; suppressions.len()];
    let mut kept = Diagnostics::default();
    for diagnostic in found.into_iter() {
        let mut is_accepted = false;
        for (suppression, used) in suppressions.iter().zip(&mut used) {
            if suppression.accepts(&diagnostic) {
                (is_accepted, *used) = (true, true);
            }
        }
        if !is_accepted {
            kept.push(diagnostic);
        }
    }
    for (suppression, used) in suppressions.iter().zip(used) {
        let Suppression { code, reason: _, place, scope: _ } = suppression;
        let mut codes = super::rules::lints().map(|lint| lint.code);
        let diagnostic = if !codes.any(|known| known == code) {
            let near = super::rules::lints().map(|lint| lint.code).max_by(|a, b| {
                strsim::jaro(a, &code.to_uppercase())
                    .total_cmp(&strsim::jaro(b, &code.to_uppercase()))
            });
            let help = match near.filter(|near| strsim::jaro(near, &code.to_uppercase()) > 0.9) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!(
                    "only lints, whose codes begin with `LINT`, and {} can be accepted",
                    findings::EXPRESSION_DOUBT.code
                ),
            };
            let shown: String = code.chars().take(60).collect();
            findings::INVALID_SUPPRESSION.nowhere(format!("there is no lint `{shown}`")).help(help)
        } else if !used {
            match place {
                Some(_) => {
                    findings::UNUSED_SUPPRESSION.nowhere(format!("{code} finds nothing here"))
                }
                None => {
                    let what =
                        format!("the policy file accepts {code}, which finds nothing in this spec");
                    findings::UNUSED_SUPPRESSION.nowhere(what).about("policy file")
                }
            }
            .help("remove it")
        } else {
            continue;
        };
        kept.push(match place {
            Some(place) => diagnostic.at(*place, ""),
            None => diagnostic,
        });
    }
    kept
}
