//! The custom response of a blocking rule.
//!
//! # Sources
//! developers.cloudflare.com/waf/custom-rules/create-api and /waf/rate-limiting-rules/parameters,
//! read 2026-11-27: status 400 to 499, four types, each optional. Plans and sizes: the facts of
//! rule features. ASSUMED: texts of refusals, and that they have
//! no code, except that about the plan.

use serde_json::{Map, Value};

use super::author::{Author, Problems};
use super::members;
use crate::envelope::{HandlerResult, Problem};
use zonewright_model::facts::rule_features::{RuleFeature, response_bytes};

/// Types of content.
const TYPES: &[&str] = &["application/json", "text/html", "text/plain", "text/xml"];

/// Checks the parameters of a block action, which are stored as sent.
pub(super) fn check_custom_response(
    author: &Author<'_>,
    sent: Option<&Map<String, Value>>,
    problems: &mut Problems,
) -> HandlerResult<Option<Map<String, Value>>> {
    let Some(sent) = sent else { return Ok(None) };
    members::check_known(sent, &["response"])?;
    if let Some(response) = members::optional_object(sent, "response")? {
        members::check_known(response, &["status_code", "content", "content_type"])?;
        match members::optional_number(response, "status_code")? {
            None | Some(400..=499) => {}
            Some(status) => problems.say(format!(
                "'{status}' is not a valid value for status_code because it must be \
                    between 400 and 499"
            )),
        }
        if let Some(kind) =
            members::optional_text(response, "content_type")?.filter(|kind| !TYPES.contains(kind))
        {
            problems.say(format!("'{kind}' is not a valid value for content_type"));
        }
        let length = members::optional_text(response, "content")?.unwrap_or_default().len();
        if length > response_bytes(&author.phase) {
            problems.say("content of the response is too large");
        }
        if !author.scope.has(RuleFeature::CustomResponse) {
            problems.add(Problem::new(50002, "not entitled to use a custom response"));
        }
    }
    Ok(Some(sent.clone()))
}
