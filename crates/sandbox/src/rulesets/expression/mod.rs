//! A light check of expressions: enough to refuse the expressions that Cloudflare refuses, with its
//! error messages.
//!
//! | problem | code |
//! |---|---|
//! | empty | 20125 |
//! | too long, measured on one line | 20127 |
//! | cannot be parsed: unknown names, brackets, operators, types | 20127 with the place |
//! | valid, but not available on the plan | 50002 |
//!
//! The sandbox has its own parser, so that a mistake in the client's parser is not repeated here.
//! It does not check regular expressions, lists of accounts, or ranges of values, does not know
//! byte strings, and does not check the rules of Magic Transit, whose fields are different.
//!
//! # Sources
//! Codes and texts: observed 2025 and 2026; the evidence for code 50002 is weak. Language:
//! developers.cloudflare.com/ruleset-engine/rules-language, its pages on expressions, operators,
//! values and functions, read 2026-11-20.

mod parser;
mod token;
mod uses;

use super::author::{Author, Problems};
use crate::envelope::Problem;
use token::ExpressionToken;
use uses::{Fault, Surroundings, Uses};
use zonewright_model::facts::expressions::{EXPRESSION_CHARACTERS, FIELDS, MATCHES_NEEDS, Needs};
use zonewright_model::facts::rate_limits::lowest_plan_of_field;
use zonewright_model::facts::rulesets::RATE_LIMIT_PHASE;

/// Puts a text on one line, which is the form that is measured and shown.
///
/// ASSUMED: a line break with the spaces around it becomes one space.
fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Checks the expression of a rule at this place of the body.
pub(super) fn check_expression(
    author: &Author<'_>,
    text: &str,
    pointer: &str,
    problems: &mut Problems,
) {
    let has_response = author.phase.starts_with("http_response");
    check_in(author, text, has_response, pointer, problems);
}

/// Checks the counting expression of a rate limiting rule, which can use responses.
///
/// # Sources
/// developers.cloudflare.com/waf/rate-limiting-rules/parameters, read 2026-11-20.
pub(super) fn check_counting(
    author: &Author<'_>,
    text: &str,
    pointer: &str,
    problems: &mut Problems,
) {
    check_in(author, text, true, pointer, problems);
}

/// Checks an expression before or after the response.
fn check_in(
    author: &Author<'_>,
    text: &str,
    has_response: bool,
    pointer: &str,
    problems: &mut Problems,
) {
    let text = one_line(text);
    if text.is_empty() {
        let text = "'' is not a valid value for expression because the expression cannot be blank";
        problems.add(Problem::new(20125, text));
        return;
    }
    let size = text.chars().count();
    if size > EXPRESSION_CHARACTERS {
        let text = format!("expression size {size} exceeded maximum {EXPRESSION_CHARACTERS}");
        problems.add(Problem::new(20127, text));
        return;
    }
    if author.phase.starts_with("magic_transit") {
        return;
    }
    let surroundings =
        Surroundings { is_account: author.scope.is_account(), phase: &author.phase, has_response };
    match parser::parse_expression(&text, surroundings) {
        Ok(uses) => {
            check_plan(author.scope.plan(), &uses, problems);
            if author.phase == RATE_LIMIT_PHASE {
                check_rate_fields(author.scope.plan(), &uses, problems);
            }
        }
        Err(Fault { column, width, reason }) => {
            let (place, carets) = (column + 1, "^".repeat(width.max(1)));
            let text = format!(
                "'{text}' is not a valid value for expression because could not parse filter expression: Filter parsing \
                 error (1:{place}): {text} {carets} {reason}"
            );
            problems.add(Problem::new(20127, text).at(pointer));
        }
    }
}

/// Refuses features that the plan does not include.
///
/// # Sources
/// The texts for regular expressions and for fields of Bot Management: observed 2025. ASSUMED:
/// other fields use the same form.
fn check_plan(plan: usize, uses: &Uses, problems: &mut Problems) {
    let mut refuse = |text: String| {
        problems.add(Problem::new(50002, format!("not entitled: the use of {text} is required")))
    };
    if uses.has_regex && plan < MATCHES_NEEDS.rank() {
        refuse(
            "operator Matches is not allowed, a Business plan or a WAF Advanced plan".to_owned(),
        );
    }
    for (name, needs) in &uses.names {
        let plan_name = match needs {
            Needs::Nothing => continue,
            Needs::Pro => "a Pro plan",
            Needs::Business => "a Business plan",
            Needs::Enterprise if name.starts_with("cf.bot_management.") => "a Bot Management plan",
            Needs::Enterprise => "an Enterprise plan",
        };
        if plan < needs.rank() {
            refuse(format!("field {name} is not allowed, {plan_name}"));
        }
    }
}

/// Refuses fields that the plan does not have in rate limits.
///
/// # Sources
/// The text for `ip.src` and headers on the free plan: observed 2026. ASSUMED: the same text for all
/// fields that the documentation gives to larger plans.
fn check_rate_fields(plan: usize, uses: &Uses, problems: &mut Problems) {
    for (name, needs) in &uses.names {
        let is_field = FIELDS.iter().any(|field| field.name == *name);
        if is_field && *needs == Needs::Nothing && plan < lowest_plan_of_field(name) {
            let text = format!(
                "not entitled: the use of field {name} is not allowed, an higher Advanced Rate \
                 Limiting plan is required"
            );
            problems.add(Problem::new(50002, text));
        }
    }
}

/// Returns true if an expression names a list of the account. Lists that Cloudflare maintains have
/// a `.` in their names.
pub(super) fn names_account_list(text: &str) -> bool {
    token::split_tokens(text).iter().any(|spot| {
        matches!(&spot.token, ExpressionToken::Word(word) if word.starts_with('$') && !word.contains('.'))
    })
}

/// Returns true if an expression ends with a comparison of the plan, which an account's expression
/// must do.
///
/// # Sources
/// developers.cloudflare.com/ruleset-engine/managed-rulesets/deploy-managed-ruleset, read
/// 2026-11-20. ASSUMED: closing brackets may follow, and the comparison may be the whole
/// expression.
pub(super) fn ends_with_plan(text: &str) -> bool {
    let mut tokens = token::split_tokens(&one_line(text));
    while tokens.last().is_some_and(|spot| spot.token == ExpressionToken::Symbol(")")) {
        tokens.pop();
    }
    let Some(start) = tokens.len().checked_sub(3) else { return false };
    let tail: Vec<&ExpressionToken> = tokens[start..].iter().map(|spot| &spot.token).collect();
    let word = |token: &ExpressionToken, text: &str| matches!(token, ExpressionToken::Word(word) if word == text);
    let is_comparison = word(tail[0], "cf.zone.plan")
        && (word(tail[1], "eq") || *tail[1] == ExpressionToken::Symbol("=="))
        && *tail[2] == ExpressionToken::Text("ENT".to_owned());
    let joint = tokens[..start]
        .iter()
        .map(|spot| &spot.token)
        .rev()
        .find(|token| **token != ExpressionToken::Symbol("("));
    is_comparison
        && joint.is_none_or(|token| word(token, "and") || *token == ExpressionToken::Symbol("&&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_at_the_end() {
        for good in [
            "cf.zone.plan eq \"ENT\"",
            "(cf.zone.name eq \"a.example\") and cf.zone.plan eq \"ENT\"",
            "(ssl && (cf.zone.plan == \"ENT\"))",
            "true and\n  cf.zone.plan eq \"ENT\"",
        ] {
            assert!(ends_with_plan(good), "{good}");
        }
        for bad in [
            "true",
            "ssl or cf.zone.plan eq \"ENT\"",
            "cf.zone.plan eq \"ENT\" and ssl",
            "cf.zone.plan ne \"ENT\"",
        ] {
            assert!(!ends_with_plan(bad), "{bad}");
        }
    }

    #[test]
    fn lines_are_joined() {
        assert_eq!(one_line(" a\n   or\r\n\n b "), "a or b");
    }
}
