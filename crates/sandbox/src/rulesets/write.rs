//! Writes whole rulesets: creates, replaces and deletes them and their versions.
//!
//! Every accepted write makes a new version, even one that changes nothing (ASSUMED), and returns
//! the whole ruleset.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rulesets-api/create, /update and /delete, read
//! 2026-11-20.

use serde_json::{Map, Value};

use super::author::{Author, Problems};
use super::read::{self, check_phase};
use super::rule_check;
use super::ruleset::{Detail, Ruleset, StoredRule, executed, id_of, text_member};
use super::scope::Scope;
use super::{members, store};
use crate::envelope::{HandlerResult, Problem, Refusal, Success};
use crate::request_context::RequestContext;

/// The members of a body.
struct SentRuleset<'a> {
    name: Option<&'a str>,
    description: Option<&'a str>,
    kind: Option<&'a str>,
    phase: Option<&'a str>,
    /// The rules; `None` leaves the existing rules unchanged.
    rules: Option<&'a [Value]>,
}

impl<'a> SentRuleset<'a> {
    /// Reads a body. Refuses members that are not in `known`.
    fn read(body: &'a Map<String, Value>, known: &[&str]) -> HandlerResult<Self> {
        members::check_known(body, known)?;
        let sent = Self {
            name: members::optional_text(body, "name")?,
            description: members::optional_text(body, "description")?,
            kind: members::optional_text(body, "kind")?,
            phase: members::optional_text(body, "phase")?,
            rules: members::optional_list(body, "rules")?,
        };
        // ASSUMED: the limits of rules apply to rulesets too, and a name cannot be empty.
        if sent.name == Some("") {
            return Err(Refusal::unnumbered(
                400,
                "'' is not a valid value for name because the name cannot be blank",
            ));
        }
        rule_check::check_description(sent.description)?;
        Ok(sent)
    }
}

/// POST of a ruleset.
///
/// # Sources
/// Code 20217, its text and pointer: observed 2025. ASSUMED: the refusals of missing members and of
/// kinds that a scope cannot have, and that zones have no custom rulesets, which the documentation
/// begins to mention.
pub(super) fn create_ruleset(
    context: &RequestContext<'_>,
    scope: &Scope,
    body: &Map<String, Value>,
) -> HandlerResult<Success> {
    let sent = SentRuleset::read(body, &["name", "description", "kind", "phase", "rules"])?;
    let (Some(name), Some(kind), Some(phase)) = (sent.name, sent.kind, sent.phase) else {
        return Err(Refusal::unnumbered(400, "name, kind and phase are required"));
    };
    check_phase(phase)?;
    if kind != scope.entry_kind() && !(scope.is_account() && kind == "custom") {
        let owner = if scope.is_account() { "an account" } else { "a zone" };
        return Err(Refusal::unnumbered(
            400,
            format!(
                "'{kind}' is not a valid value for kind because it is not possible to create such \
                a ruleset in {owner}"
            ),
        ));
    }
    if kind == scope.entry_kind() && store::load_entry_point(context, scope, phase)?.is_some() {
        let text = format!(
            "'{kind}' is not a valid value for kind because exceeded maximum number of {kind} \
            rulesets for phase {phase}"
        );
        return Err(Refusal::of(400, vec![Problem::new(20217, text).at("/kind")]));
    }
    let ruleset = Ruleset { name: name.to_owned(), ..new_ruleset(context, kind, phase)? };
    replace_ruleset(context, scope, ruleset, &sent)
}

/// Creates a ruleset that is not stored yet: its version is 0.
///
/// # Sources
/// Name of an entry point that a PUT creates: observed 2025 as `default`, in older zones as `zone`.
fn new_ruleset(context: &RequestContext<'_>, kind: &str, phase: &str) -> HandlerResult<Ruleset> {
    Ok(Ruleset {
        id: store::next_id(context)?,
        name: "default".to_owned(),
        description: String::new(),
        kind: kind.to_owned(),
        version: 0,
        last_updated: context.now.to_owned(),
        phase: phase.to_owned(),
        rules: Vec::new(),
    })
}

/// PUT of an entry point, which creates it if there is none.
///
/// # Sources
/// No members other than these: observed 2026. Rules are kept if none are sent: the example of the
/// documentation. ASSUMED: without an entry point, such a PUT creates one without rules.
pub(super) fn put_entry_point(
    context: &RequestContext<'_>,
    scope: &Scope,
    phase: &str,
    body: &Map<String, Value>,
) -> HandlerResult<Success> {
    check_phase(phase)?;
    let sent = SentRuleset::read(body, &["name", "description", "rules"])?;
    let previous = match store::load_entry_point(context, scope, phase)? {
        Some(before) => before,
        None => new_ruleset(context, scope.entry_kind(), phase)?,
    };
    replace_ruleset(context, scope, previous, &sent)
}

/// PUT of a ruleset.
///
/// # Sources
/// Kind and name cannot change: developers.cloudflare.com/ruleset-engine/rulesets-api/json-object,
/// read 2026-11-20. ASSUMED: a name is accepted nevertheless, as for an entry point; the phase
/// cannot change either; kind and phase may be repeated.
pub(super) fn put_ruleset(
    context: &RequestContext<'_>,
    scope: &Scope,
    id: &str,
    body: &Map<String, Value>,
) -> HandlerResult<Success> {
    let previous = own_or_refused(context, scope, id)?;
    let sent = SentRuleset::read(body, &["name", "description", "kind", "phase", "rules"])?;
    for (what, sent, kept) in
        [("kind", sent.kind, &previous.kind), ("phase", sent.phase, &previous.phase)]
    {
        if let Some(sent) = sent.filter(|sent| sent != kept) {
            let text = format!(
                "'{sent}' is not a valid value for {what} because the {what} cannot be changed"
            );
            return Err(Refusal::unnumbered(400, text));
        }
    }
    replace_ruleset(context, scope, previous, &sent)
}

/// Returns one of the scope's own rulesets for a write.
///
/// ASSUMED: managed rulesets are refused with this text.
pub(super) fn own_or_refused(
    context: &RequestContext<'_>,
    scope: &Scope,
    id: &str,
) -> HandlerResult<Ruleset> {
    let is_managed =
        || super::catalogue::find_managed_ruleset(context, id).map(|found| found.is_some());
    match read::own_ruleset(context, scope, id) {
        Err(_) if is_managed()? => {
            Err(Refusal::unnumbered(400, "managed rulesets cannot be changed"))
        }
        other => other,
    }
}

/// Applies a body to a ruleset and stores the result as the next version.
fn replace_ruleset(
    context: &RequestContext<'_>,
    scope: &Scope,
    before: Ruleset,
    sent: &SentRuleset<'_>,
) -> HandlerResult<Success> {
    let mut updated = before.clone();
    if let Some(name) = sent.name {
        updated.name = name.to_owned();
    }
    if let Some(description) = sent.description {
        updated.description = description.to_owned();
    }
    if let Some(rules) = sent.rules {
        updated.rules = compose(context, scope, &before, rules)?;
    }
    keep(context, scope, updated)
}

/// Returns the rules of a PUT, each with the identifier and version of the rule that it continues.
///
/// # Sources
/// The same `ref` keeps the identifier, a new one makes a new rule, and without either a rule is
/// new: developers.cloudflare.com/terraform/troubleshooting/rule-id-changes, read 2026-11-20.
/// ASSUMED: an identifier that is not in the ruleset is refused, and a rule with a known identifier
/// keeps its `ref` if none is sent.
fn compose(
    context: &RequestContext<'_>,
    scope: &Scope,
    before: &Ruleset,
    sent: &[Value],
) -> HandlerResult<Vec<StoredRule>> {
    let author = Author::new(context, scope, before);
    let mut problems = Problems::default();
    let mut drafts = Vec::new();
    for (index, rule) in sent.iter().enumerate() {
        let rule = rule
            .as_object()
            .ok_or_else(|| Refusal::unnumbered(400, "invalid JSON: a rule must be an object"))?;
        drafts.push(rule_check::define(&author, rule, &format!("/rules/{index}"), &mut problems)?);
    }
    let mut taken_ids: Vec<&str> = Vec::new();
    let mut rules = Vec::new();
    for mut draft in drafts {
        let continued = match (draft.id.as_deref(), draft.reference.as_deref()) {
            (Some(id), _) => {
                let stored_rule = before.rules.iter().find(|r| id_of(r) == id);
                if stored_rule.is_none() {
                    problems.add(Problem::unnumbered(format!(
                        "could not find rule '{id}' in the ruleset"
                    )));
                }
                stored_rule
            }
            (None, Some(reference)) => {
                before.rules.iter().find(|r| text_member(r, "ref") == Some(reference))
            }
            (None, None) => None,
        };
        if let Some(id) = continued.map(id_of) {
            if taken_ids.contains(&id) {
                problems.add(Problem::unnumbered(format!("rule '{id}' is there more than once")));
            }
            taken_ids.push(id);
            draft.reference = draft
                .reference
                .or_else(|| continued.and_then(|r| text_member(r, "ref")).map(str::to_owned));
        }
        rules.push(draft.finish(context, continued)?);
    }
    rule_check::check_whole(&author, &rules, &mut problems);
    problems.refuse()?;
    Ok(rules)
}

/// Stores a ruleset as its next version and returns it.
pub(super) fn keep(
    context: &RequestContext<'_>,
    scope: &Scope,
    ruleset: Ruleset,
) -> HandlerResult<Success> {
    let ruleset =
        Ruleset { version: ruleset.version + 1, last_updated: context.now.to_owned(), ..ruleset };
    store::save_ruleset(context.connection, scope.id(), &ruleset)?;
    Ok(Success::One(ruleset.to_json(Detail::Whole)))
}

/// DELETE of a ruleset: no content.
///
/// # Sources
/// Refused while a rule executes it: the page named above. ASSUMED: the text, and that there is no
/// code.
pub(super) fn delete_ruleset(
    context: &RequestContext<'_>,
    scope: &Scope,
    id: &str,
) -> HandlerResult<Success> {
    let ruleset = own_or_refused(context, scope, id)?;
    let users = store::load_rulesets(context.connection, scope.id())?;
    if let Some(user) =
        users.iter().find(|user| user.rules.iter().any(|rule| executed(rule) == Some(id)))
    {
        return Err(Refusal::unnumbered(
            400,
            format!("ruleset is in use: ruleset {} executes it", user.id),
        ));
    }
    store::remove(context.connection, &ruleset.id)?;
    Ok(Success::Empty)
}

/// DELETE of one version: no content.
///
/// # Sources
/// The latest version cannot be deleted while a rule executes the ruleset: the page named above.
/// ASSUMED: the latest version can never be deleted, because an entry point is always in use; the
/// text, and that there is no code.
pub(super) fn delete_version(
    context: &RequestContext<'_>,
    scope: &Scope,
    id: &str,
    version: &str,
) -> HandlerResult<Success> {
    let ruleset = own_or_refused(context, scope, id)?;
    let version = read::version_of(context, &ruleset, version)?.version;
    if version == ruleset.version {
        return Err(Refusal::unnumbered(400, "the latest version of a ruleset cannot be deleted"));
    }
    store::remove_version(context.connection, id, version)?;
    Ok(Success::Empty)
}

/// Returns the refusal for a missing rule.  ASSUMED: the same code as for rulesets.
pub(super) fn missing_rule() -> Refusal {
    Refusal::new(404, 10003, "could not find rule")
}
