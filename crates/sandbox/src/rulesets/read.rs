//! Reads rulesets: lists, single ones, their versions, the entry points.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rulesets-api/view, read 2026-11-20. Codes and texts for
//! missing rulesets: observed 2025 and 2026 for entry points; only code 10003 means that there are
//! no rules.

use serde_json::{Value, json};

use super::ruleset::{Detail, Ruleset, phase};
use super::scope::Scope;
use super::{catalogue, store};
use crate::envelope::{HandlerResult, Refusal, Success};
use crate::query_string::Parameters;
use crate::request_context::RequestContext;

/// Returns the refusal for a missing ruleset.  ASSUMED: the same code as for entry points.
pub(super) fn missing_ruleset() -> Refusal {
    Refusal::new(404, 10003, "could not find ruleset")
}

/// Refuses an unknown phase.
///
/// ASSUMED: status and text, and that there is no code.
pub(super) fn check_phase(name: &str) -> HandlerResult<()> {
    if phase(name).is_some() {
        return Ok(());
    }
    let problem = format!("'{name}' is not a valid value for phase because the phase is not known");
    Err(Refusal::unnumbered(400, problem))
}

/// Returns the ruleset with an identifier: one of the scope's own, or a managed one.
///
/// # Sources
/// 404 also for rulesets that the account, not the zone, is not entitled to: the page named above.
/// Managed rulesets through a zone:
/// developers.cloudflare.com/waf/managed-rules/waf-exceptions/define-api, read 2026-11-20. ASSUMED:
/// the sandbox's account is entitled to all of them, as if it had a zone of each plan.
fn find_ruleset(context: &RequestContext<'_>, scope: &Scope, id: &str) -> HandlerResult<Ruleset> {
    match store::get(context.connection, scope.id(), id)? {
        Some(own) => Ok(own),
        None => catalogue::find_managed_ruleset(context, id)?.ok_or_else(missing_ruleset),
    }
}

/// Returns one of the scope's own rulesets.
pub(super) fn own_ruleset(
    context: &RequestContext<'_>,
    scope: &Scope,
    id: &str,
) -> HandlerResult<Ruleset> {
    store::get(context.connection, scope.id(), id)?.ok_or_else(missing_ruleset)
}

/// GET of one ruleset.
pub(super) fn get_ruleset(
    context: &RequestContext<'_>,
    scope: &Scope,
    id: &str,
) -> HandlerResult<Success> {
    Ok(Success::One(find_ruleset(context, scope, id)?.to_json(Detail::Whole)))
}

/// GET of all rulesets: the scope's own, then the managed ones, on every plan.
///
/// # Sources
/// The list has the rulesets that a zone could deploy, without their rules: the page named above;
/// no `result_info` if all rulesets fit on a page: observed 2025. The cursor: the official SDKs
/// (Python 5.9.0). ASSUMED: form of the cursor and the refusal of an unknown one; `per_page` from 1
/// up to the largest page, and any other value counts as absent; the order; of the account's
/// rulesets only the managed ones are listed for a zone, on every plan.
pub(super) fn list_rulesets(
    context: &RequestContext<'_>,
    scope: &Scope,
    parameters: &Parameters,
) -> HandlerResult<Success> {
    let mut rulesets = store::load_rulesets(context.connection, scope.id())?;
    rulesets.extend(catalogue::managed_rulesets(context)?);
    let start = match parameters.get("cursor").filter(|cursor| !cursor.is_empty()) {
        None => 0,
        Some(cursor) => {
            let place = rulesets.iter().position(|r| cursor_after(r) == cursor);
            let refusal = || Refusal::unnumbered(400, "invalid cursor");
            place.map(|n| n + 1).ok_or_else(refusal)?
        }
    };
    let page_limit = context.profile.ruleset_page_limit.max(1);
    let wanted_size =
        parameters.get("per_page").and_then(|v| v.parse::<usize>().ok()).filter(|n| *n > 0);
    let end =
        start.saturating_add(wanted_size.unwrap_or(page_limit).min(page_limit)).min(rulesets.len());
    let shown: Vec<Value> =
        rulesets[start..end].iter().map(|r| r.to_json(Detail::Summary)).collect();
    match rulesets[start..end].last().filter(|_| end < rulesets.len()) {
        Some(last) => {
            Ok(Success::Page(shown, json!({ "cursors": { "after": cursor_after(last) } })))
        }
        None => Ok(Success::One(shown.into())),
    }
}

/// Returns the cursor for the rulesets after this one.
fn cursor_after(ruleset: &Ruleset) -> String {
    data_encoding::BASE64URL_NOPAD.encode(ruleset.id.as_bytes())
}

/// Returns the readable versions of a ruleset, from the first.
fn all_versions(context: &RequestContext<'_>, ruleset: &Ruleset) -> HandlerResult<Vec<Ruleset>> {
    let stored = store::load_versions(context.connection, &ruleset.id)?;
    // A managed ruleset that never changed is not in the store.
    Ok(if stored.is_empty() { vec![ruleset.clone()] } else { stored })
}

/// Returns the list of versions in the form of the API.
fn version_list(context: &RequestContext<'_>, ruleset: &Ruleset) -> HandlerResult<Success> {
    let versions = all_versions(context, ruleset)?;
    Ok(Success::One(versions.iter().map(|v| v.to_json(Detail::Version)).collect()))
}

/// Returns one version of a ruleset.
///
/// ASSUMED: the text for a missing version, with the code for "not found".
pub(super) fn version_of(
    context: &RequestContext<'_>,
    ruleset: &Ruleset,
    version: &str,
) -> HandlerResult<Ruleset> {
    let kept_version: Option<u64> = version.parse().ok();
    let found =
        all_versions(context, ruleset)?.into_iter().find(|v| Some(v.version) == kept_version);
    found.ok_or_else(|| Refusal::new(404, 10003, "could not find ruleset version"))
}

/// GET of the versions.
pub(super) fn list_versions(
    context: &RequestContext<'_>,
    scope: &Scope,
    id: &str,
) -> HandlerResult<Success> {
    version_list(context, &find_ruleset(context, scope, id)?)
}

/// GET of one version.
pub(super) fn get_version(
    context: &RequestContext<'_>,
    scope: &Scope,
    id: &str,
    version: &str,
) -> HandlerResult<Success> {
    let ruleset = find_ruleset(context, scope, id)?;
    Ok(Success::One(version_of(context, &ruleset, version)?.to_json(Detail::Whole)))
}

/// GET of the rules with a tag, in one version of a managed ruleset.
///
/// # Sources
/// For managed rulesets only: developers.cloudflare.com/api, "List an account ruleset version's
/// rules by tag", read 2026-11-20. ASSUMED: other rulesets are not found, and an unknown tag
/// returns no rules.
pub(super) fn tagged(
    context: &RequestContext<'_>,
    scope: &Scope,
    id: &str,
    version: &str,
    tag: &str,
) -> HandlerResult<Success> {
    let ruleset = find_ruleset(context, scope, id)?;
    if ruleset.kind != "managed" {
        return Err(missing_ruleset());
    }
    let mut ruleset = version_of(context, &ruleset, version)?;
    ruleset.rules.retain(|rule| catalogue::tags(rule).any(|t| t == tag));
    Ok(Success::One(ruleset.to_json(Detail::Whole)))
}

/// Returns the entry point of a phase.
///
/// # Errors
/// 404 with code 10003, which means that there are no rules: observed 2025 and 2026. Its `messages`
/// were seen null and empty.
fn existing_entry_point(
    context: &RequestContext<'_>,
    scope: &Scope,
    phase: &str,
) -> HandlerResult<Ruleset> {
    check_phase(phase)?;
    store::load_entry_point(context, scope, phase)?.ok_or_else(|| {
        Refusal::new(404, 10003, format!("could not find entrypoint ruleset in the {phase} phase"))
            .with_null_messages(context.profile.null_messages)
    })
}

/// GET of an entry point.
pub(super) fn get_entry_point(
    context: &RequestContext<'_>,
    scope: &Scope,
    phase: &str,
) -> HandlerResult<Success> {
    Ok(Success::One(existing_entry_point(context, scope, phase)?.to_json(Detail::Whole)))
}

/// GET of the versions of an entry point; an empty list if there is no entry point (the page named
/// above).
pub(super) fn entry_point_versions(
    context: &RequestContext<'_>,
    scope: &Scope,
    phase: &str,
) -> HandlerResult<Success> {
    check_phase(phase)?;
    match store::load_entry_point(context, scope, phase)? {
        Some(ruleset) => version_list(context, &ruleset),
        None => Ok(Success::One(json!([]))),
    }
}

/// GET of one version of an entry point.
pub(super) fn entry_point_version(
    context: &RequestContext<'_>,
    scope: &Scope,
    phase: &str,
    version: &str,
) -> HandlerResult<Success> {
    let ruleset = existing_entry_point(context, scope, phase)?;
    Ok(Success::One(version_of(context, &ruleset, version)?.to_json(Detail::Whole)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases() {
        assert!(check_phase("http_ratelimit").is_ok());
        let refusal = check_phase("http_rate_limit").unwrap_err();
        assert_eq!((refusal.status, refusal.code()), (400, 0));
    }
}
