//! Checks of rules, by dry runs only.

use serde_json::{Value as Json, json};

use super::finding::{CheckedAssumption, Unconfirmed};
use super::scratch_name::{CheckResponse, RefusedRequest, ScratchName, unread};
use crate::api::Checker;
use crate::api::error_codes::NO_ENTRY_POINT;
use crate::apply::{DryRuns, dry_runs};
use crate::model::ruleset::{Phase, RulesetId};
use crate::wire::ruleset::{dry_run as as_dry_run, get_entry_point};
use crate::wire::{Method, Request};

/// Finds the ruleset with the zone's custom rules, after it is certain that dry runs change
/// nothing.
async fn custom_ruleset(scratch: &ScratchName) -> Result<Option<RulesetId>, Unconfirmed> {
    let ruleset = match scratch.read(&get_entry_point(&scratch.zone, Phase::Custom)).await {
        Ok(answer) => {
            answer.result.get("id").and_then(Json::as_str).map(|id| RulesetId(id.to_owned()))
        }
        Err(error) if error.status() == Some(404) && error.has_code(NO_ENTRY_POINT) => None,
        Err(error) => return Err(unread(error)),
    };
    match dry_runs(&scratch.checker, &scratch.zone, Phase::Custom, ruleset.as_ref()).await {
        DryRuns::Supported => Ok(ruleset),
        DryRuns::Forbidden(why) => Err(Unconfirmed::Unknown(why)),
        DryRuns::Unknown(why) => Err(Unconfirmed::Differed(why)),
    }
}

/// Checks that dry runs are supported.
pub(super) async fn dry_run(scratch: &ScratchName) -> CheckedAssumption {
    custom_ruleset(scratch).await.map(|_| ())
}

/// Sends a rule in a dry run.
async fn ask(scratch: &ScratchName, rule: Json) -> Result<CheckResponse, Unconfirmed> {
    // Another check covers the support for dry runs.
    let why = |(Unconfirmed::Differed(why) | Unconfirmed::Unknown(why))| Unconfirmed::Unknown(why);
    let ruleset = custom_ruleset(scratch).await.map_err(why)?;
    let path = format!("/zones/{}/rulesets", scratch.zone.0);
    let request = match ruleset {
        Some(id) => Request::new(Method::Post, format!("{path}/{}/rules", id.0)).body(rule),
        None => Request::new(Method::Post, path)
            .body(json!({ "name": "default", "kind": "zone", "phase": Phase::Custom.as_str(), "rules": [rule] })),
    };
    Ok(CheckResponse::of(scratch.checker.check(&as_dry_run(request)).await))
}

/// Builds a valid rule that matches no request.
fn valid_rule() -> Json {
    json!({ "action": "block", "expression": "http.host eq \"zonewright.invalid\"", "enabled": false })
}

/// Builds the same rule with one more member.
fn rule_with(name: &str, value: Json) -> Json {
    let mut rule = valid_rule();
    if let Some(members) = rule.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
    rule
}

/// Checks that Cloudflare accepts a rule.
async fn accepts(scratch: &ScratchName, rule: Json) -> CheckedAssumption {
    ask(scratch, rule).await?.accepted().map(|_| ())
}

/// Checks that Cloudflare refuses a rule without an error code.
async fn refuses_without_code(scratch: &ScratchName, rule: Json) -> CheckedAssumption {
    ask(scratch, rule).await?.refused_with(None)
}

pub(super) async fn dry_run_accepted(scratch: &ScratchName) -> CheckedAssumption {
    match ask(scratch, valid_rule()).await?.accepted()? {
        Json::Null => Ok(()),
        _ => Err(Unconfirmed::Differed("the dry run has a result".to_owned())),
    }
}

pub(super) async fn unknown_member(scratch: &ScratchName) -> CheckedAssumption {
    match ask(scratch, rule_with("nonsense", json!(1))).await? {
        CheckResponse::Refused(RefusedRequest { status, text, .. })
            if !text.contains("nonsense") =>
        {
            Err(Unconfirmed::Differed(format!("refused: HTTP {status}: {text}")))
        }
        seen => seen.refused_with(None),
    }
}

pub(super) async fn wrong_type(scratch: &ScratchName) -> CheckedAssumption {
    refuses_without_code(scratch, rule_with("enabled", json!("perhaps"))).await
}

pub(super) async fn no_action(scratch: &ScratchName) -> CheckedAssumption {
    ask(scratch, json!({ "expression": "true" })).await?.refused()
}

pub(super) async fn unknown_action(scratch: &ScratchName) -> CheckedAssumption {
    refuses_without_code(scratch, rule_with("action", json!("nonsense"))).await
}

pub(super) async fn null_member(scratch: &ScratchName) -> CheckedAssumption {
    accepts(scratch, rule_with("description", Json::Null)).await
}

pub(super) async fn service_members(scratch: &ScratchName) -> CheckedAssumption {
    accepts(scratch, rule_with("last_updated", json!("2026-01-01T00:00:00Z"))).await
}

pub(super) async fn expression_refused(scratch: &ScratchName) -> CheckedAssumption {
    ask(scratch, rule_with("expression", json!("zonewright.nonsense eq 1")))
        .await?
        .refused_with(Some(20127))
}

pub(super) async fn line_break(scratch: &ScratchName) -> CheckedAssumption {
    accepts(
        scratch,
        rule_with(
            "expression",
            json!("http.host eq \"zonewright.invalid\"\n  and ip.src eq 192.0.2.1"),
        ),
    )
    .await
}
