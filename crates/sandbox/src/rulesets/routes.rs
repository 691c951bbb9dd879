//! Finds the ruleset operation for the end of a path and a method.
//!
//! # Sources
//! Paths and methods: developers.cloudflare.com/ruleset-engine/rulesets-api/endpoints, read
//! 2026-11-20; `dry_run`: the page rulesets-api/dry-run beside it, read the same day.

use axum::http::Method;
use serde_json::{Map, Value};

use super::scope::{Scope, ScopePath};
use super::{read, rules, write};
use crate::envelope::{HandlerResult, Refusal, Success};
use crate::query_string::Parameters;
use crate::request_context::RequestContext;
use zonewright_model::facts::permissions::PermissionGroup;

/// The resource below `{scope}/rulesets`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    /// All rulesets.
    List,
    /// One ruleset.
    Ruleset(&'a str),
    /// The versions of a ruleset.
    Versions(&'a str),
    /// One version of a ruleset.
    Version(&'a str, &'a str),
    /// The rules with a tag, in one version.
    Tagged(&'a str, &'a str, &'a str),
    /// The rules of a ruleset.
    Rules(&'a str),
    /// One rule of a ruleset.
    Rule(&'a str, &'a str),
    /// The entry point of a phase.
    EntryPoint(&'a str),
    EntryPointVersions(&'a str),
    /// One version of an entry point.
    EntryPointVersion(&'a str, &'a str),
}

/// A route of an account or a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScopedRoute<'a> {
    /// The owner of the rulesets.
    pub(crate) scope: ScopePath<'a>,
    /// The resource.
    pub(crate) route: Route<'a>,
}

impl<'a> ScopedRoute<'a> {
    /// Finds the place for the segments of a path; `None` if no place matches.
    pub(crate) fn find(segments: &[&'a str]) -> Option<Self> {
        let (scope, rest) = match segments {
            ["accounts", id, "rulesets", rest @ ..] => (ScopePath::Account(id), rest),
            ["zones", id, "rulesets", rest @ ..] => (ScopePath::Zone(id), rest),
            _ => return None,
        };
        let route = match *rest {
            [] => Route::List,
            ["phases", phase, "entrypoint"] => Route::EntryPoint(phase),
            ["phases", phase, "entrypoint", "versions"] => Route::EntryPointVersions(phase),
            ["phases", phase, "entrypoint", "versions", version] => {
                Route::EntryPointVersion(phase, version)
            }
            [ruleset] => Route::Ruleset(ruleset),
            [ruleset, "versions"] => Route::Versions(ruleset),
            [ruleset, "versions", version] => Route::Version(ruleset, version),
            [ruleset, "versions", version, "by_tag", tag]
                if matches!(scope, ScopePath::Account(_)) =>
            {
                Route::Tagged(ruleset, version, tag)
            }
            [ruleset, "rules"] => Route::Rules(ruleset),
            [ruleset, "rules", rule] => Route::Rule(ruleset, rule),
            _ => return None,
        };
        Some(Self { scope, route })
    }

    /// Returns the identifiers in the path.
    pub(crate) fn identifiers(self) -> Vec<&'a str> {
        let (ScopePath::Account(scope) | ScopePath::Zone(scope)) = self.scope;
        match self.route {
            Route::List
            | Route::EntryPoint(_)
            | Route::EntryPointVersions(_)
            | Route::EntryPointVersion(..) => {
                vec![scope]
            }
            Route::Ruleset(id)
            | Route::Versions(id)
            | Route::Version(id, _)
            | Route::Tagged(id, ..)
            | Route::Rules(id) => vec![scope, id],
            Route::Rule(ruleset, rule) => vec![scope, ruleset, rule],
        }
    }

    pub(crate) fn methods(self) -> &'static [Method] {
        match self.route {
            Route::List => &[Method::GET, Method::POST],
            Route::Ruleset(_) => &[Method::GET, Method::PUT, Method::DELETE],
            Route::Versions(_)
            | Route::Tagged(..)
            | Route::EntryPointVersions(_)
            | Route::EntryPointVersion(..) => &[Method::GET],
            Route::Version(..) => &[Method::GET, Method::DELETE],
            Route::Rules(_) => &[Method::POST],
            Route::Rule(..) => &[Method::PATCH, Method::DELETE],
            Route::EntryPoint(_) => &[Method::GET, Method::PUT],
        }
    }

    /// Returns the permission group that its requests need.
    ///
    /// # Sources
    /// Products by phase: developers.cloudflare.com/fundamentals/api/reference/permissions, read
    /// 2026-11. ASSUMED: rulesets without a phase in their path need the permission for the WAF,
    /// and so do the phases of other products.
    pub(crate) fn group(self) -> PermissionGroup {
        match self.scope {
            ScopePath::Account(_) => PermissionGroup::AccountRulesets,
            ScopePath::Zone(_) => PermissionGroup::ZoneWaf,
        }
    }

    /// Returns the zone that it belongs to.
    pub(crate) fn zone(self) -> Option<&'a str> {
        match self.scope {
            ScopePath::Account(_) => None,
            ScopePath::Zone(id) => Some(id),
        }
    }
}

/// Answers a request with a supported method.
///
/// # Errors
/// The refusal.
pub(crate) fn handle(
    context: &RequestContext<'_>,
    place: ScopedRoute<'_>,
    method: &Method,
    parameters: &Parameters,
    body: &Map<String, Value>,
) -> HandlerResult<Success> {
    let is_read = method == Method::GET;
    let scope = Scope::find(context, place.scope)?;
    if is_read {
        return look(context, &scope, place.route, parameters);
    }
    check_account(context, &scope)?;
    if !is_rehearsal(context, parameters)? {
        return carry_out(context, &scope, place.route, method, body);
    }
    // A dry run is handled like any request, including the assignment of identifiers, and is then
    // rolled back.
    context.connection.execute_batch("SAVEPOINT rehearsal")?;
    let answer = carry_out(context, &scope, place.route, method, body)?;
    context.connection.execute_batch("ROLLBACK TO rehearsal; RELEASE rehearsal")?;
    Ok(if answer == Success::Empty { answer } else { Success::One(Value::Null) })
}

/// Refuses to write rulesets of an account whose plan does not include them.
///
/// # Sources
/// A plan is needed: developers.cloudflare.com/waf/account, read 2026-11-20. ASSUMED: code and
/// text.
fn check_account(context: &RequestContext<'_>, scope: &Scope) -> HandlerResult<()> {
    if scope.is_account() && !context.profile.account_rulesets {
        return Err(Refusal::new(400, 50002, "not entitled to use account-level rulesets"));
    }
    Ok(())
}

/// Returns true if a request is a dry run.
///
/// ASSUMED: the texts, and that an API without dry runs refuses the parameter. If it ignored the
/// parameter, it would apply the request, which no client wants.
fn is_rehearsal(context: &RequestContext<'_>, parameters: &Parameters) -> HandlerResult<bool> {
    let Some(value) = parameters.get("dry_run") else { return Ok(false) };
    let refused = |text: String| Err(Refusal::unnumbered(400, text));
    if !context.profile.dry_run {
        return refused("unknown query parameter \"dry_run\"".to_owned());
    }
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        other => refused(format!(
            "'{other}' is not a valid value for dry_run because it must be true or false"
        )),
    }
}

fn look(
    context: &RequestContext<'_>,
    scope: &Scope,
    route: Route<'_>,
    parameters: &Parameters,
) -> HandlerResult<Success> {
    match route {
        Route::List => read::list_rulesets(context, scope, parameters),
        Route::Ruleset(id) => read::get_ruleset(context, scope, id),
        Route::Versions(id) => read::list_versions(context, scope, id),
        Route::Version(id, version) => read::get_version(context, scope, id, version),
        Route::Tagged(id, version, tag) => read::tagged(context, scope, id, version, tag),
        Route::EntryPoint(phase) => read::get_entry_point(context, scope, phase),
        Route::EntryPointVersions(phase) => read::entry_point_versions(context, scope, phase),
        Route::EntryPointVersion(phase, version) => {
            read::entry_point_version(context, scope, phase, version)
        }
        Route::Rules(_) | Route::Rule(..) => {
            Err(Refusal::new(405, 7001, "Method GET not available for that URI."))
        }
    }
}

fn carry_out(
    context: &RequestContext<'_>,
    scope: &Scope,
    route: Route<'_>,
    method: &Method,
    body: &Map<String, Value>,
) -> HandlerResult<Success> {
    let is_delete = method == Method::DELETE;
    match route {
        Route::List => write::create_ruleset(context, scope, body),
        Route::Ruleset(id) if is_delete => write::delete_ruleset(context, scope, id),
        Route::Ruleset(id) => write::put_ruleset(context, scope, id, body),
        Route::Version(id, version) => write::delete_version(context, scope, id, version),
        Route::EntryPoint(phase) => write::put_entry_point(context, scope, phase, body),
        Route::Rules(id) => rules::add_rule(context, scope, id, body),
        Route::Rule(id, rule) if is_delete => rules::delete_rule(context, scope, id, rule),
        Route::Rule(id, rule) => rules::patch_rule(context, scope, id, rule, body),
        Route::Versions(_)
        | Route::Tagged(..)
        | Route::EntryPointVersions(_)
        | Route::EntryPointVersion(..) => {
            Err(Refusal::new(405, 7001, format!("Method {method} not available for that URI.")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let route = |path: &'static str| {
            ScopedRoute::find(&path.split('/').collect::<Vec<_>>())
                .map(|p| (p.route, p.zone().is_some()))
        };
        assert_eq!(route("zones/z/rulesets"), Some((Route::List, true)));
        assert_eq!(route("accounts/a/rulesets/r"), Some((Route::Ruleset("r"), false)));
        assert_eq!(
            route("zones/z/rulesets/phases/p/entrypoint"),
            Some((Route::EntryPoint("p"), true))
        );
        assert_eq!(
            route("accounts/a/rulesets/r/versions/3/by_tag/t"),
            Some((Route::Tagged("r", "3", "t"), false))
        );
        assert_eq!(route("zones/z/rulesets/r/versions/3/by_tag/t"), None);
        assert_eq!(route("zones/z/rulesets/r/rules/x/y"), None);
        assert_eq!(route("users/z/rulesets"), None);
    }
}
