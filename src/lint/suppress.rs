//! Leaves out findings that a spec or a policy accepts, and reports suppressions without effect.

use crate::diagnostic::{Diagnostic, Diagnostics, findings};
use crate::model::{Suppression, SuppressionScope};

/// Removes accepted findings, and reports suppressions that name no lint or have no effect.
pub(super) fn apply(found: Diagnostics, suppressions: &[Suppression]) -> Diagnostics {
    let mut used = vec![false; suppressions.len()];
    let mut kept = Diagnostics::default();
    for diagnostic in found.into_iter() {
        let mut is_accepted = false;
        for (suppression, used) in suppressions.iter().zip(&mut used) {
            if suppression.code == diagnostic.code() && concerns(suppression, &diagnostic) {
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
                None => "only lints can be accepted; their codes begin with `LINT`".to_owned(),
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

/// Returns true if a suppression applies to a finding.
fn concerns(suppression: &Suppression, diagnostic: &Diagnostic) -> bool {
    let at = diagnostic.primary.as_ref().map(|label| label.place);
    match &suppression.scope {
        SuppressionScope::Everything => true,
        SuppressionScope::File => {
            let files = at.zip(suppression.place);
            files.is_some_and(|(at, own)| at.source == own.source)
        }
        SuppressionScope::Zone(zone) => diagnostic.address.as_deref().is_some_and(|address| {
            address
                .strip_prefix(zone.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }),
        SuppressionScope::Entry(entry) => at.is_some_and(|at| entry.contains(at)),
    }
}
