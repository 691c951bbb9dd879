//! Checks the protection that a spec wants: parts that Cloudflare does not have, that have no
//! effect, or that the zone's plan does not allow.

use std::cell::LazyCell;

use super::operation::Operation;
use super::rule_transition::Window;
use super::subject::RuleAction;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, findings};
use crate::diff::WafChanges;
use crate::insight::waf::{
    EffectiveDeployment, Impact, deployment_impact, effective_deployment, rule_impact,
    unreachable_families,
};
use crate::model::facts::TIERS;
use crate::model::managed::{Managed, Problem, ProblemKind, compile};
use crate::model::plan_limits::{BeyondPlan, ZoneTier, rule_count, rule_uses};
use crate::model::ruleset::{EntryPoint, Phase, RuleBody};
use crate::model::{DesiredZone, LiveZone, Tier};

/// Checks the changes of a zone's rules against the rulesets and limits of Cloudflare.
pub(super) fn check(
    desired: &DesiredZone,
    live: &LiveZone,
    changes: &WafChanges,
    operations: &[Operation],
) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    for problem in &changes.problems {
        diagnostics.push(of_problem(problem, live));
    }
    for (place, what) in &changes.misplaced {
        diagnostics.push(
            findings::MISPLACED
                .at(*place, what.clone())
                .help("correct `before` or `after`, or the order of the entries"),
        );
    }
    for (place, name) in &changes.unnamed {
        diagnostics.push(
            findings::UNNAMED_RULE
                .at(
                    *place,
                    format!(
                        "the rule {name} has no `ref` at Cloudflare; if its content changes in the \
                    spec, a second rule is created"
                    ),
                )
                .help(format!("give the live rule the ref `{name}` before you change it")),
        );
    }
    limits(desired, live, changes, operations, &mut diagnostics);
    reach(desired, live, changes, &mut diagnostics);
    // Cloudflare runs rules of an account only for its Enterprise zones.
    let is_managed = |o: &Operation| o.rule().is_some_and(|rule| rule.phase == Phase::Managed);
    if live.tier >= Tier::Enterprise && operations.iter().any(is_managed) {
        // The finding is about this change, not about the zone. It has no place, so it is always
        // shown.
        diagnostics.push(findings::ACCOUNT_NOT_READ.nowhere(format!(
            "the plan for the managed rulesets of {} covers the zone only; the rules of its \
            account were not read",
            live.name
        )));
    }
    diagnostics
}

/// Reports states between two operations in which some requests are treated neither as before nor
/// as afterwards.
pub(super) fn windows(
    desired: &DesiredZone,
    operations: &[Operation],
    windows: &[Window],
) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let name = |n: usize| {
        operations.get(n).and_then(Operation::rule).map_or("?", |rule| rule.name.as_str())
    };
    for Window { steps, is_weaker, about } in windows {
        let between =
            format!("between the changes of {} and {}", name(steps.start), name(steps.end));
        let diagnostic = match is_weaker {
            true => findings::WEAKER_MEANWHILE
                .nowhere(format!(
                    "{between}, {about}: some are stopped less than before and \
                    afterwards"
                ))
                .help(
                    "split the change into two, so that what stops these requests is in place \
                    before anything is removed",
                ),
            false => findings::STRICTER_MEANWHILE
                .nowhere(format!(
                    "{between}, {about}: some are stopped more than before and \
                    afterwards"
                ))
                .help("apply it when there is little traffic"),
        };
        let place = operations
            .get(steps.start)
            .and_then(|operation| operation.place)
            .unwrap_or(desired.place);
        diagnostics.push(diagnostic.at(place, "").about(desired.name.to_string()));
    }
    diagnostics
}

/// Reports the changes after the last day of entries that expire soon.
pub(super) fn expiries(
    desired: &DesiredZone,
    live: &LiveZone,
    changes: &WafChanges,
) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let Some(waf) = &desired.waf else { return diagnostics };
    let mut report = |place: Place, what: String, impact: Impact| {
        let (direction, lines) = (impact.direction.as_str(), impact.lines.join("; "));
        let diagnostic = findings::EXPIRY_AHEAD.at(place, format!("{what} ({direction}): {lines}"));
        diagnostics.push(diagnostic.about(desired.name.to_string()));
    };
    for phase in &changes.phases {
        // The state on that day: the desired rule if it changes, otherwise the live one.
        let desired_body = |name: &str| {
            let changed =
                phase.changes.iter().find(|change| change.name == name).map(|change| &change.after);
            let is = |body: &&RuleBody| body.reference() == Some(name);
            changed.or_else(|| phase.live.rules().iter().map(|rule| &rule.body).find(is))
        };
        for rule in waf
            .rules(phase.phase)
            .into_iter()
            .flatten()
            .filter(|rule| rule.note.expires_soon && !rule.is_absent)
        {
            let (Some(body), Some(day)) = (desired_body(&rule.name), &rule.note.expires) else {
                continue;
            };
            let impact = rule_impact(phase.phase, Some(body), None, &live.waf);
            report(rule.place, format!("after {day}, the rule {} is removed", rule.name), impact);
        }
        if !phase.phase.deploys() {
            continue;
        }
        for deployment in &waf.deployments {
            let catalogue = live.waf.managed(deployment.ruleset);
            let id = catalogue
                .map_or(deployment.ruleset.facts().id, |catalogue| catalogue.id.0.as_str());
            let executes = |body: &&RuleBody| body.executes() == Some(id);
            let changed = phase.changes.iter().map(|change| &change.after).find(executes);
            let live_body = || phase.live.rules().iter().map(|rule| &rule.body).find(executes);
            let Some(body) = changed.or_else(live_body) else { continue };
            let notes = deployment.tags.iter().map(|tag| (&tag.note, tag.place));
            let notes = notes.chain(deployment.rules.iter().map(|rule| (&rule.note, rule.place)));
            let Some((note, place)) =
                notes.filter(|(note, _)| note.expires_soon).min_by_key(|(note, _)| &note.expires)
            else {
                continue;
            };
            let over = deployment.with_notes(|note| note.is_expired |= note.expires_soon);
            let expired_body = compile(&over, catalogue, Some(body), waf.unmanaged).body;
            let day = note.expires.as_deref().unwrap_or_default();
            let what =
                format!("after {day}, overrides of {} are reverted", deployment.ruleset.key());
            report(place, what, deployment_impact(Some(body), Some(&expired_body), catalogue));
        }
    }
    diagnostics
}

/// Describes one problem.
fn of_problem(problem: &Problem, live: &LiveZone) -> Diagnostic {
    let Problem { kind, place } = problem;
    let candidates = |near: &[String]| match near {
        [] => "give the rule's number, its description as Cloudflare has it, or the beginning of \
            its id"
            .to_owned(),
        near => format!("did you mean {}?", near.join("; ")),
    };
    let diagnostic = match kind {
        ProblemKind::UnknownRule(name, near) => findings::UNKNOWN_RULE
            .nowhere(format!("no rule is called `{name}`"))
            .help(candidates(near)),
        ProblemKind::AmbiguousRule(name, several) => findings::AMBIGUOUS_RULE
            .nowhere(format!("`{name}` means more than one rule"))
            .help(format!("name one of them by its id: {}", several.join("; "))),
        ProblemKind::UnknownTag(tag, known) => {
            let near =
                known.iter().max_by(|a, b| strsim::jaro(a, tag).total_cmp(&strsim::jaro(b, tag)));
            let help = match near.filter(|near| strsim::jaro(near, tag) > 0.8) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the ruleset has the tags {}", shortened(known)),
            };
            findings::UNKNOWN_RULESET_TAG.nowhere(format!("no rule has the tag `{tag}`")).help(help)
        }
        ProblemKind::NoRuleset(managed) => {
            let facts = managed.facts();
            let lowest = TIERS[facts.lowest_plan].name;
            findings::NO_RULESET
                .nowhere(format!("{} is not among the rulesets of {}", facts.name, live.name))
                .help(format!(
                    "it needs the {lowest} plan or above (the zone is on {}), and a token that may \
                read the account's rulesets",
                    live.tier.facts().name
                ))
        }
        ProblemKind::StrangeOverrides => findings::STRANGE_OVERRIDES
            .nowhere(
                "the overrides have a form that this version does not know, so nothing can be \
                merged into them",
            )
            .help("write them under `raw`, or remove them at Cloudflare"),
        ProblemKind::Idle(name) => findings::IDLE_TUNING
            .nowhere(format!(
                "`{name}` already has the state that the entry sets, because of the \
                level, the tags or the ruleset's default"
            ))
            .help("remove the entry, or keep it for a later change of the level"),
    };
    diagnostic.at(*place, "")
}

/// Returns the first of many words.
fn shortened(words: &[String]) -> String {
    let mut shown: Vec<&str> = words.iter().take(12).map(String::as_str).collect();
    if words.len() > shown.len() {
        shown.push("…");
    }
    shown.join(", ")
}

/// Reports what the zone's plan does not allow, as documented. It is an error if the refusal is
/// certain, so that nothing is written that would remain incomplete, and otherwise a warning.
///
/// Anything that a live rule of the zone already uses is allowed on every plan.
fn limits(
    desired: &DesiredZone,
    live: &LiveZone,
    changes: &WafChanges,
    operations: &[Operation],
    found: &mut Diagnostics,
) {
    let zone = ZoneTier::of(desired, live);
    let mut report = |beyond: BeyondPlan, place: Option<Place>, about: String| {
        found.push(beyond.diagnostic(Some(place.unwrap_or(desired.place)), about));
    };
    for phase in &changes.phases {
        if phase.order.len() > phase.live.rules().len()
            && let Some(beyond) = rule_count(phase.phase, phase.order.len(), zone)
        {
            let place = desired.waf.as_ref().map(|waf| waf.place);
            report(beyond, place, desired.name.to_string());
        }
    }
    let live_uses = LazyCell::new(|| {
        let phases = live.waf.entry_points.iter();
        phases
            .flat_map(|(phase, entry)| entry.rules().iter().map(|rule| (*phase, &rule.body)))
            .flat_map(|(phase, body)| rule_uses(phase, body))
            .collect::<Vec<_>>()
    });
    let mut check = |operation: &Operation, phase: Phase, body: &RuleBody| {
        for used in rule_uses(phase, body) {
            if used.beyond(zone, &[]).is_some()
                && let Some(beyond) = used.beyond(zone, &live_uses)
            {
                let place = place_of(changes, body).or(operation.place);
                report(beyond, place, operation.address.to_string());
            }
        }
    };
    for (operation, rule) in operations.iter().filter_map(|o| Some((o, o.rule()?))) {
        match &rule.action {
            RuleAction::CreateEntryPoint { rules } => {
                rules.iter().for_each(|body| check(operation, rule.phase, body));
            }
            RuleAction::Create { after, .. } | RuleAction::Update { after, .. } => {
                check(operation, rule.phase, after);
            }
            RuleAction::Move { .. } | RuleAction::Delete { .. } => {}
        }
    }
}

/// Returns the entry of the spec that a new rule comes from. All rules of a new entry point are one
/// operation, at the place of the first. The search visits all changes, so it is called only for a
/// rule with a finding.
fn place_of(changes: &WafChanges, body: &RuleBody) -> Option<Place> {
    changes
        .phases
        .iter()
        .flat_map(|phase| &phase.changes)
        .find(|change| change.after == *body)?
        .place
}

/// Reports families of attacks whose score cannot reach the desired threshold.
fn reach(desired: &DesiredZone, live: &LiveZone, changes: &WafChanges, found: &mut Diagnostics) {
    let Some(wants) = desired.waf.as_ref() else { return };
    let Some(deployment) = wants.deployments.iter().find(|d| d.ruleset == Managed::Owasp) else {
        return;
    };
    let Some(catalogue) = live.waf.managed(Managed::Owasp) else { return };
    let phase = changes.phases.iter().find(|p| p.phase == Phase::Managed);
    let Some(phase) = phase else { return };
    let planned = phase
        .changes
        .iter()
        .map(|c| &c.after)
        .find(|b| b.executes() == Some(catalogue.id.0.as_str()));
    let current = match phase.live {
        EntryPoint::Absent => None,
        EntryPoint::Present(ruleset) => ruleset
            .rules
            .iter()
            .map(|r| &r.body)
            .find(|b| b.executes() == Some(catalogue.id.0.as_str())),
    };
    let Some(body) = planned.or(current).filter(|b| b.is_enabled()) else { return };
    let Some(overrides) = body.overrides() else { return };
    let effective = effective_deployment(body, catalogue);
    let never = effective.as_ref().and_then(EffectiveDeployment::out_of_reach);
    let acts = effective.and_then(|effective| effective.action().map(|action| action != "log"));
    if let (Some((threshold, total)), Some((_, place)), Some(true)) =
        (never, deployment.threshold, acts)
    {
        let detail = format!(
            "no request can reach {threshold}: all rules together score {total}, so the ruleset \
            never acts"
        );
        found.push(
            findings::NEVER_REACHED.at(place, detail).about(desired.name.to_string()).help(
                "write a threshold of 25 to 60, or `action: log` if nothing is to be stopped",
            ),
        );
        return;
    }
    let out_of_reach = unreachable_families(catalogue, &overrides);
    let Some(threshold) = out_of_reach.first().map(|r| r.threshold) else { return };
    let families: Vec<String> =
        out_of_reach.iter().map(|r| format!("{} ({})", r.family.name, r.total)).collect();
    found.push(
        findings::OUT_OF_REACH
            .at(
                deployment.threshold.map_or(deployment.place, |(_, place)| place),
                format!(
                    "these categories can never reach {threshold}, even if every rule matches: {}",
                    families.join(", ")
                ),
            )
            .about(desired.name.to_string())
            .help("keep the Cloudflare Managed Ruleset on, or lower the threshold"),
    );
}
