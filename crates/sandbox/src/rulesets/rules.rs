//! Writes single rules: adds, replaces, moves and deletes them.
//!
//! A PATCH looks like a merge but is not: the definition in its body replaces the stored one.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rulesets-api/add-rule, /update-rule and /delete-rule,
//! read 2026-11-20; refusals of 2026 also show the members that a PATCH drops.

use serde_json::{Map, Value};

use super::author::{Author, Problems};
use super::rule_check;
use super::ruleset::{Ruleset, text_member};
use super::scope::Scope;
use super::{members, write};
use crate::envelope::{HandlerResult, Refusal, Success};
use crate::request_context::RequestContext;

/// POST of a rule: at its position, or at the end.
///
/// ASSUMED: an `id` in the body is ignored.
pub(super) fn add_rule(
    context: &RequestContext<'_>,
    scope: &Scope,
    id: &str,
    body: &Map<String, Value>,
) -> HandlerResult<Success> {
    let mut ruleset = write::own_or_refused(context, scope, id)?;
    let position = Position::take(body)?;
    let author = Author::new(context, scope, &ruleset);
    let mut problems = Problems::default();
    let draft = rule_check::define(&author, &definition(body), "", &mut problems)?;
    let at = match &position {
        Some(position) => position.among(&ruleset)?,
        None => ruleset.rules.len(),
    };
    let rule = draft.finish(context, None)?;
    let mut rules = ruleset.rules.clone();
    rules.insert(at, rule);
    rule_check::check_whole(&author, &rules, &mut problems);
    problems.refuse()?;
    ruleset.rules = rules;
    write::keep(context, scope, ruleset)
}

fn definition(body: &Map<String, Value>) -> Map<String, Value> {
    let mut definition = body.clone();
    definition.shift_remove("position");
    definition
}

/// PATCH of a rule: a new definition, a new position, or both.
///
/// # Sources
/// A position alone leaves the definition and the rule's version unchanged: the pages named above.
/// Code 20011 for a move to the rule's current position: reported 2026. ASSUMED: its text; an
/// omitted `ref` is kept; an `id` must be that of the rule.
pub(super) fn patch_rule(
    context: &RequestContext<'_>,
    scope: &Scope,
    id: &str,
    rule: &str,
    body: &Map<String, Value>,
) -> HandlerResult<Success> {
    let mut ruleset = write::own_or_refused(context, scope, id)?;
    let at = ruleset.position(rule).ok_or_else(write::missing_rule)?;
    let position = Position::take(body)?;
    let definition = definition(body);
    let mut updated_rule = ruleset.rules[at].clone();
    let author = Author::new(context, scope, &ruleset);
    let mut problems = Problems::default();
    if !(definition.is_empty() && position.is_some()) {
        let mut draft = rule_check::define(&author, &definition, "", &mut problems)?;
        if draft.id.as_ref().is_some_and(|id| id != rule) {
            return Err(Refusal::unnumbered(400, "the identifier of a rule cannot be changed"));
        }
        draft.reference =
            draft.reference.or_else(|| text_member(&updated_rule, "ref").map(str::to_owned));
        updated_rule = draft.finish(context, Some(&updated_rule))?;
    }
    let mut reordered = ruleset.clone();
    reordered.rules.remove(at);
    let target = match &position {
        Some(position) => position.among(&reordered)?,
        None => at,
    };
    if position.is_some() && target == at && context.profile.refuse_needless_moves {
        return Err(Refusal::new(400, 20011, "the rule is already at the requested position"));
    }
    reordered.rules.insert(target, updated_rule);
    rule_check::check_whole(&author, &reordered.rules, &mut problems);
    problems.refuse()?;
    ruleset.rules = reordered.rules;
    write::keep(context, scope, ruleset)
}

/// DELETE of a rule; returns the ruleset without it.
pub(super) fn delete_rule(
    context: &RequestContext<'_>,
    scope: &Scope,
    id: &str,
    rule: &str,
) -> HandlerResult<Success> {
    let mut ruleset = write::own_or_refused(context, scope, id)?;
    let at = ruleset.position(rule).ok_or_else(write::missing_rule)?;
    ruleset.rules.remove(at);
    write::keep(context, scope, ruleset)
}

/// The requested position of a rule.
#[derive(Debug, PartialEq, Eq)]
enum Position {
    /// Before the rule with this identifier; first if empty.
    Before(String),
    /// After the rule with this identifier; last if empty.
    After(String),
    /// At this position, counted from 1.
    Index(u64),
}

impl Position {
    /// Returns the position in a body, if there is one.
    ///
    /// ASSUMED: the texts of refusals, and that they have no code.
    fn take(body: &Map<String, Value>) -> HandlerResult<Option<Self>> {
        let Some(position) = members::optional_object(body, "position")? else { return Ok(None) };
        members::check_known(position, &["before", "after", "index"])?;
        let mut entries = position.iter();
        let (Some((key, value)), None) = (entries.next(), entries.next()) else {
            return Err(Refusal::unnumbered(
                400,
                "a position must have exactly one of before, after and index",
            ));
        };
        let rule = value.as_str().map(str::to_owned);
        let position = match key.as_str() {
            "before" => rule.map(Self::Before),
            "after" => rule.map(Self::After),
            _ => value.as_u64().filter(|n| *n > 0).map(Self::Index),
        };
        position.map(Some).ok_or_else(|| {
            Refusal::unnumbered(400, format!("{value} is not a valid value for {key}"))
        })
    }

    /// Returns the index at which to insert a rule into a ruleset that does not contain it.
    fn among(&self, ruleset: &Ruleset) -> HandlerResult<usize> {
        let last = ruleset.rules.len();
        let place = match self {
            Self::Before(rule) if rule.is_empty() => Some(0),
            Self::After(rule) if rule.is_empty() => Some(last),
            Self::Before(rule) => ruleset.position(rule),
            Self::After(rule) => ruleset.position(rule).map(|n| n + 1),
            Self::Index(n) => usize::try_from(n - 1).ok().filter(|n| *n <= last),
        };
        place.ok_or_else(|| Refusal::unnumbered(400, "the position is not one of the ruleset"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns the position of a body, or the status of the refusal.
    fn taken(position: Value) -> Result<Option<Position>, u16> {
        let body = json!({ "position": position });
        Position::take(body.as_object().unwrap()).map_err(|refusal| refusal.status)
    }

    #[test]
    fn positions() {
        assert_eq!(taken(json!({"before": ""})), Ok(Some(Position::Before(String::new()))));
        assert_eq!(taken(json!({"index": 2})), Ok(Some(Position::Index(2))));
        assert_eq!(Position::take(&Map::new()), Ok(None));
        for bad in [
            json!({}),
            json!({"index": 0}),
            json!({"before": 1}),
            json!({"before": "", "index": 1}),
            json!(1),
        ] {
            assert_eq!(taken(bad.clone()), Err(400), "{bad}");
        }
    }
}
