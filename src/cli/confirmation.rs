//! Asks for missing consents and for confirmation on the terminal.

use super::output::Output;
use crate::model::Danger;
use crate::plan::{Consents, MissingConsent};
use crate::reconcile::Planned;

/// Message after a no.
pub(super) const NOTHING_APPLIED: &str = "Nothing was applied.";

/// Asks for each missing consent, and returns true if all were given. The user allows deletes by
/// typing their number, so that no one allows them out of habit.
pub(super) fn ask_consents(
    missing: &[MissingConsent],
    consents: &mut Consents,
    output: &Output,
) -> anyhow::Result<bool> {
    for consent in missing {
        let MissingConsent { danger, operations, .. } = consent;
        let what = format!("{}.", consent.about());
        let (question, key) = match danger {
            Danger::Delete => {
                (format!("{what} To allow this, type their number:"), operations.to_string())
            }
            other => {
                (format!("{what} To allow this, type {}:", other.code()), other.code().to_owned())
            }
        };
        if output.ask(&question)?.trim() != key {
            output.message("No consent. Nothing was applied.");
            return Ok(false);
        }
        consents.allow_typed(*danger, *operations);
    }
    Ok(true)
}

/// Asks whether to apply the plan. Fails if there is no terminal.
pub(super) fn ask_to_apply(planned: &Planned<'_>, output: &Output) -> anyhow::Result<bool> {
    output.hide();
    if !output.can_ask() {
        output.message(
            "error: cannot ask for confirmation: standard input or standard error is not a \
            terminal; use --yes",
        );
        return Ok(false);
    }
    let n = planned.plan.summary().operations();
    let question = if n == 1 {
        "Apply this operation?".to_owned()
    } else {
        format!("Apply these {n} operations?")
    };
    let answer = output.ask(&format!("{question} [y/N]"))?;
    let is_yes = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    if !is_yes {
        output.message(NOTHING_APPLIED);
    }
    Ok(is_yes)
}
