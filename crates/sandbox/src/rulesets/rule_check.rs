//! Checks the definitions of single rules and of all rules together, and converts them to their
//! stored form.
//!
//! | problem | report |
//! |---|---|
//! | unknown members, members of the wrong type, no action | at once and alone, without a code |
//! | any other | collected over all rules of the request; nothing is stored |
//!
//! # Sources
//! Members: developers.cloudflare.com/ruleset-engine/rulesets-api/json-object; defaults:
//! developers.cloudflare.com/api, "Rulesets"; both read 2026-11-20. Several problems at once:
//! observed 2025.

use serde_json::{Map, Value, json};

use super::author::{Author, Problems};
use super::ruleset::{StoredRule, executed, id_of, phase, text_member};
use super::{expression, members, overrides, ratelimit, response, skip, store};
use crate::envelope::{HandlerResult, Problem, Refusal};
use crate::request_context::RequestContext;
use zonewright_model::facts::rule_features::RuleFeature;
use zonewright_model::facts::rulesets::{ACTIONS, CUSTOM_PHASE, DESCRIPTION_CHARACTERS};

/// Refuses a description that is too long.
///
/// ASSUMED: status and text, and that there is no code.
pub(super) fn check_description(description: Option<&str>) -> HandlerResult<()> {
    let length = description.map_or(0, |text| text.chars().count());
    if length > DESCRIPTION_CHARACTERS {
        return Err(Refusal::unnumbered(
            400,
            format!("description size {length} exceeded maximum {DESCRIPTION_CHARACTERS}"),
        ));
    }
    Ok(())
}

/// The members of a rule that a client can send. ASSUMED: members that only Cloudflare sets are
/// ignored.
const MEMBERS: &[&str] = &[
    "id",
    "version",
    "last_updated",
    "action",
    "action_parameters",
    "expression",
    "description",
    "enabled",
    "ref",
    "logging",
    "ratelimit",
    "exposed_credential_check",
    "categories",
    "score_threshold",
];

/// A parsed definition, which is not yet a rule of a ruleset.
#[derive(Debug)]
pub(super) struct Draft {
    /// The identifier that was sent.
    pub(super) id: Option<String>,
    /// The `ref` that was sent.
    pub(super) reference: Option<String>,
    /// The action and the members that depend on it.
    head: Map<String, Value>,
    /// The members after `last_updated` and `ref`.
    tail: Map<String, Value>,
}

/// Parses and checks one definition; `prefix` is the place of the rule in the body.
///
/// # Sources
/// The text for parameters without an action: observed 2026. ASSUMED: the text for no action at
/// all.
pub(super) fn define(
    author: &Author<'_>,
    sent: &Map<String, Value>,
    prefix: &str,
    problems: &mut Problems,
) -> HandlerResult<Draft> {
    members::check_known(sent, MEMBERS)?;
    let text_of = |key: &str| members::optional_text(sent, key);
    let parameters = members::optional_object(sent, "action_parameters")?;
    let action = match text_of("action")? {
        Some(action) if !action.is_empty() => action,
        _ if parameters.is_some() => {
            return Err(Refusal::unnumbered(400, "action is required for action parameters"));
        }
        _ => return Err(Refusal::unnumbered(400, "action is required")),
    };
    let text = text_of("expression")?.unwrap_or_default();
    let description = text_of("description")?;
    check_description(description)?;
    let reference = text_of("ref")?.map(str::to_owned);
    if reference.as_deref() == Some("") {
        problems.say("'' is not a valid value for ref because the ref cannot be blank");
    }
    for key in ["categories", "score_threshold"] {
        // ASSUMED: only managed rules have these members.
        if sent.contains_key(key) {
            problems.say(format!("{key} is not possible in a ruleset of kind {}", author.kind));
        }
    }
    expression::check_expression(author, text, &format!("{prefix}/expression"), problems);
    let mut head = Map::new();
    head.insert("action".to_owned(), action.into());
    if let Some(parameters) = check_action(author, action, sent, text, problems)? {
        head.insert("action_parameters".to_owned(), parameters.into());
    }
    if let Some(limit) = ratelimit::check_ratelimit(
        author,
        (action, text),
        members::optional_object(sent, "ratelimit")?,
        prefix,
        problems,
    )? {
        head.insert("ratelimit".to_owned(), limit.into());
    }
    head.insert("expression".to_owned(), text.into());
    if let Some(description) = description {
        head.insert("description".to_owned(), description.into());
    }
    let mut tail = Map::new();
    tail.insert("enabled".to_owned(), members::truth(sent, "enabled")?.unwrap_or(true).into());
    if let Some(logging) = logging(action, members::optional_object(sent, "logging")?)? {
        tail.insert("logging".to_owned(), logging);
    }
    if let Some(check) = members::optional_object(sent, "exposed_credential_check")? {
        tail.insert("exposed_credential_check".to_owned(), check.clone().into());
    }
    Ok(Draft { id: text_of("id")?.map(str::to_owned), reference, head, tail })
}

/// Returns the logging member of a rule.
///
/// # Sources
/// `{"enabled": true}` is added to skip rules, and other rules do not keep it: observed 2025 by
/// users of other clients.
fn logging(action: &str, sent: Option<&Map<String, Value>>) -> HandlerResult<Option<Value>> {
    let enabled = match sent {
        Some(sent) => {
            members::check_known(sent, &["enabled"])?;
            members::truth(sent, "enabled")?
        }
        None => None,
    };
    Ok((action == "skip").then(|| json!({ "enabled": enabled.unwrap_or(true) })))
}

/// Checks an action with its parameters; returns the stored form of the parameters.
///
/// # Sources
/// Code 20016 and its text: observed 2025. The required end of expressions in an account's entry
/// point, also for `skip`:
/// developers.cloudflare.com/ruleset-engine/managed-rulesets/create-exception and
/// developers.cloudflare.com/waf/account/custom-rulesets/create-api, read 2026-11-20; that a rule
/// which checks for exposed credentials rewrites the request in an account's custom ruleset:
/// acceptance tests of Cloudflare's Terraform provider 5, read 2026-11-23; ASSUMED: its text, and
/// that there is no code. ASSUMED: an unknown action has no code; the text for `log`.
fn check_action(
    author: &Author<'_>,
    action: &str,
    sent: &Map<String, Value>,
    text: &str,
    problems: &mut Problems,
) -> HandlerResult<Option<Map<String, Value>>> {
    let parameters = members::optional_object(sent, "action_parameters")?;
    if !ACTIONS.contains(&action) {
        problems.say(format!(
            "'{action}' is not a valid value for action because the action is not known"
        ));
        return Ok(None);
    }
    let allowed = author.actions();
    if allowed.is_empty() {
        // A phase of another product: its rules are stored as sent.
        return Ok(parameters.cloned());
    }
    let Author { phase, kind, .. } = author;
    if action == "rewrite"
        && phase == CUSTOM_PHASE
        && kind == "custom"
        && sent.contains_key("exposed_credential_check")
    {
        return Ok(parameters.cloned());
    }
    if !allowed.contains(&action) {
        let text = format!(
            "'{action}' is not a valid value for action because it is not possible to use the \
            {action} action in a ruleset \
             with phase {phase} and kind {kind}"
        );
        problems.add(Problem::new(20016, text));
        return Ok(None);
    }
    if author.kind == "root" && !expression::ends_with_plan(text) {
        problems.say(
            "the expression of an account-level rule must end with: and cf.zone.plan eq \"ENT\"",
        );
    }
    let none = Map::new();
    match action {
        "execute" => {
            overrides::check_execution(author, parameters.unwrap_or(&none), problems).map(Some)
        }
        "skip" => skip::check_skip(author, parameters.unwrap_or(&none), problems).map(Some),
        "block" => response::check_custom_response(author, parameters, problems),
        _ => {
            if action == "log" && !author.scope.has(RuleFeature::LogAction) {
                let text = "not entitled: the use of action log is not allowed, an Enterprise plan \
                    is required";
                problems.add(Problem::new(50002, text));
            }
            if parameters.is_some_and(|p| !p.is_empty()) {
                problems.say(format!("action parameters are not possible for the {action} action"));
            }
            Ok(None)
        }
    }
}

impl Draft {
    /// Creates the rule: a new one, or the next version of an existing one.
    ///
    /// # Sources
    /// The version of a rule increases when its own definition changes; `ref` is the identifier
    /// unless one is sent: the pages named above.
    pub(super) fn finish(
        self,
        context: &RequestContext<'_>,
        continued: Option<&StoredRule>,
    ) -> HandlerResult<StoredRule> {
        let Self { id: _, reference, head, tail } = self;
        let id = match continued {
            Some(rule) => id_of(rule).to_owned(),
            None => store::next_id(context)?,
        };
        let mut rule = Map::new();
        rule.insert("id".to_owned(), id.clone().into());
        rule.insert("version".to_owned(), "1".into());
        rule.extend(head);
        rule.insert("last_updated".to_owned(), context.now.into());
        rule.insert("ref".to_owned(), reference.unwrap_or(id).into());
        rule.extend(tail);
        if let Some(before) = continued {
            let is_same = definition(before) == definition(&rule);
            let version =
                text_member(before, "version").and_then(|v| v.parse::<u64>().ok()).unwrap_or(1);
            let version = if is_same { version } else { version + 1 };
            rule.insert("version".to_owned(), version.to_string().into());
            if let Some(moment) = before.get("last_updated").filter(|_| is_same) {
                rule.insert("last_updated".to_owned(), moment.clone());
            }
        }
        Ok(rule)
    }
}

/// Returns the members of a rule whose change creates a new version.
fn definition(rule: &StoredRule) -> Map<String, Value> {
    let mut definition = rule.clone();
    definition.retain(|key, _| !matches!(key.as_str(), "id" | "version" | "last_updated"));
    definition
}

/// Checks all rules together.
///
/// # Sources
/// Codes 20014 and 50001 and their texts: observed 2025 and 2026. One `ref` for one rule: the API
/// reference named above. ASSUMED: its text; the number of rules is limited in zones only, and only
/// if it increases.
pub(super) fn check_whole(author: &Author<'_>, rules: &[StoredRule], problems: &mut Problems) {
    let repeated = |of: fn(&StoredRule) -> Option<&str>| {
        rules
            .iter()
            .enumerate()
            .find_map(|(n, rule)| of(rule).filter(|x| rules[..n].iter().any(|r| of(r) == Some(x))))
    };
    if let Some(reference) = repeated(|rule| text_member(rule, "ref")) {
        problems.say(format!(
            "'{reference}' is not a valid value for ref because it is not unique in the ruleset"
        ));
    }
    if author.kind == "zone" && repeated(executed).is_some() {
        problems.add(Problem::new(
            20014,
            "more than one rule is trying to execute the same managed ruleset",
        ));
    }
    let rule_limit =
        phase(&author.phase).and_then(|p| p.most_rules).map(|most| most[author.scope.plan()]);
    // After a plan was lowered, the rules over the limit can still be changed, but their number
    // cannot grow.
    let grows = rules.len() > author.count;
    if let Some(most) =
        rule_limit.filter(|most| author.kind == "zone" && grows && rules.len() > *most)
    {
        let (phase, count) = (&author.phase, rules.len());
        let text = format!(
            "exceeded the maximum number of rules in the phase {phase}: {count} out of {most}"
        );
        problems.add(Problem::new(50001, text));
    }
}
