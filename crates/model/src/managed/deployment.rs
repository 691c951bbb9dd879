//! Converts a managed ruleset's deployment from its desired state to the rule that executes it, and
//! back.
//!
//! Everything that the spec does not name stays as it is at Cloudflare: other overrides,
//! `matched_data`, unknown members. The conversion back recognises only parts that would be written
//! in exactly the same way, and keeps the rest verbatim.

use super::catalogue::{Catalogue, Managed, ScoreAction};
use super::effective::Anyway;
use super::overrides::{Overrides, RuleOverride, TagOverride};
use super::paranoia::{Paranoia, set_paranoia, strange_levels};
use super::rule_names::Unresolved;
use crate::diagnostic::Place;
use crate::expression::Expression;
use crate::facts::owasp::PARANOIA_TAGS;
use crate::fields::Value;
use crate::ruleset::{
    DesiredDeployment, LiveRule, Note, RuleBody, RuleTuning, Switch, TagTuning, TuningTarget,
    canonical,
};
use crate::unmanaged::Unmanaged;

/// The problem with a part of the spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// No rule of the ruleset has this name. These names are similar.
    UnknownRule(String, Vec<String>),
    /// Several rules have this name.
    AmbiguousRule(String, Vec<String>),
    /// No rule of the ruleset has this tag. These tags exist.
    UnknownTag(String, Vec<String>),
    /// Cloudflare does not offer the ruleset to the zone.
    NoRuleset(Managed),
    /// The live overrides have an unknown shape, so nothing can be merged into them.
    StrangeOverrides,
    /// The entry has no effect, because the rules are already in the desired state.
    Idle(String),
}

/// An entry of the spec that cannot be applied, or has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// The place of the entry.
    pub place: Place,
}

/// The desired definition of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// Its definition.
    pub body: RuleBody,
    /// The problems found.
    pub problems: Vec<Problem>,
}

/// Returns the rule of an entry point that executes a managed ruleset; a zone can have only one.
#[must_use]
pub fn find_deployment<'r>(
    rules: &'r [LiveRule],
    ruleset: Managed,
    catalogue: Option<&Catalogue>,
) -> Option<&'r LiveRule> {
    let id = catalogue.map_or(ruleset.facts().id, |c| c.id.0.as_str());
    rules.iter().find(|r| r.body.executes() == Some(id))
}

/// Returns the rule that deploys a managed ruleset as wanted, merged into the live one.
#[must_use]
pub fn compile(
    desired: &DesiredDeployment,
    catalogue: Option<&Catalogue>,
    live: Option<&RuleBody>,
    unmanaged: Unmanaged,
) -> Compiled {
    let mut problems = Vec::new();
    let mut body = live.cloned().unwrap_or_else(|| new_deployment(desired.ruleset, catalogue));
    body.set("enabled", desired.switch == Switch::On);
    if body.parameter("version") == Some(&Value::from("latest")) {
        // Cloudflare adds it to responses, and requests do not need it.
        body.remove_parameter("version");
    }
    if desired.switch == Switch::Off {
        return Compiled { body, problems };
    }
    if let Some((when, _)) = &desired.when
        && body.expression().as_ref() != Some(when)
    {
        body.set("expression", when.text());
    }
    if desired.when.is_none()
        && unmanaged == Unmanaged::Prune
        && body.expression() != Some(Expression::reported("true"))
    {
        body.set("expression", "true");
    }
    match &desired.version {
        Some((version, _)) if version == "latest" => body.remove_parameter("version"),
        Some((version, _)) => body.set_parameter("version", version.as_str()),
        None if unmanaged == Unmanaged::Prune => body.remove_parameter("version"),
        None => {}
    }
    let live_overrides = || body.parameter("overrides").cloned();
    let base = match (&desired.raw, unmanaged) {
        (Some((raw, _)), _) => Some(raw.clone()),
        (None, Unmanaged::Prune) => None,
        (None, Unmanaged::Keep) => live_overrides(),
    };
    if !desired.tunes() {
        // Nothing is merged into raw overrides, so they stay verbatim, even in an unknown shape.
        body.set_overrides(base);
        return Compiled { body, problems };
    }
    let Some(mut overrides) = Overrides::read(base.as_ref()) else {
        problems.push(Problem { kind: ProblemKind::StrangeOverrides, place: desired.place });
        return Compiled { body, problems };
    };
    lay_over(desired, catalogue, &mut overrides, &mut problems);
    body.set_overrides(overrides.value());
    Compiled { body, problems }
}

/// Returns a new deployment without any tuning.
fn new_deployment(ruleset: Managed, catalogue: Option<&Catalogue>) -> RuleBody {
    let mut body = RuleBody::default();
    body.set("ref", ruleset.key());
    body.set("description", ruleset.facts().name);
    body.set("action", "execute");
    body.set("expression", "true");
    body.set_parameter("id", catalogue.map_or(ruleset.facts().id, |c| c.id.0.as_str()));
    body
}

/// Merges the desired tuning into overrides.
fn lay_over(
    desired: &DesiredDeployment,
    catalogue: Option<&Catalogue>,
    overrides: &mut Overrides,
    problems: &mut Vec<Problem>,
) {
    let DesiredDeployment { paranoia, threshold, action, tags, rules, .. } = desired;
    if let Some((level, _)) = paranoia {
        set_paranoia(*level, catalogue, overrides);
    }
    if threshold.is_some() || action.is_some() {
        let id = Catalogue::anomaly_id(catalogue);
        let anomaly = overrides.rule_mut(id);
        // If it were off, no rule would act on the score. On may be explicit or not.
        anomaly.enabled = anomaly.enabled.filter(|enabled| *enabled);
        if let Some((threshold, _)) = threshold {
            anomaly.threshold = Some(*threshold);
        }
        if let Some((action, _)) = action {
            anomaly.action = Some(action.as_str().to_owned());
        }
    }
    lay_tags(tags, catalogue, overrides, problems);
    for tuning in rules {
        lay_rules(tuning, desired.ruleset, catalogue, overrides, problems);
    }
    *overrides = std::mem::take(overrides).pruned();
}

/// Puts tags in the desired order. Tags that are already in order stay where they are.
fn lay_tags(
    tags: &[TagTuning],
    catalogue: Option<&Catalogue>,
    overrides: &mut Overrides,
    problems: &mut Vec<Problem>,
) {
    let wanted_tags: Vec<&str> = tags.iter().map(|t| t.tag.as_str()).collect();
    let live: Vec<&str> =
        overrides.tags.iter().map(|t| t.tag.as_str()).filter(|t| wanted_tags.contains(t)).collect();
    let in_order =
        wanted_tags.iter().filter(|t| live.contains(t)).copied().collect::<Vec<_>>() == live;
    let in_order = in_order && wanted_tags.starts_with(&live);
    if !in_order {
        let moved: Vec<_> = wanted_tags
            .iter()
            .filter_map(|w| overrides.tags.iter().find(|t| t.tag == *w).cloned())
            .collect();
        overrides.tags.retain(|t| !wanted_tags.contains(&t.tag.as_str()));
        for tag in &wanted_tags {
            let moved_tag = moved.iter().find(|t| t.tag == *tag).cloned();
            overrides.tags.push(moved_tag.unwrap_or_else(|| TagOverride {
                tag: (*tag).to_owned(),
                ..TagOverride::default()
            }));
        }
    }
    for TagTuning { tag, enabled, action, note, place } in tags {
        if let Some(catalogue) = catalogue.filter(|c| !c.has_tag(tag)) {
            problems.push(unknown_tag(tag, catalogue, *place));
            continue;
        }
        let live = overrides.tag_mut(tag);
        if note.is_expired {
            live.enabled = live.enabled.filter(|_| enabled.is_none());
            live.action = live.action.take().filter(|_| action.is_none());
            continue;
        }
        live.enabled = enabled.or(live.enabled);
        live.action = action.clone().or(live.action.take());
    }
}

/// Returns a tag that no rule has.
fn unknown_tag(tag: &str, catalogue: &Catalogue, place: Place) -> Problem {
    let known_tags = catalogue.tags().into_iter().map(str::to_owned).collect();
    Problem { kind: ProblemKind::UnknownTag(tag.to_owned(), known_tags), place }
}

/// Adds overrides for single rules, or for all rules of a tag.
fn lay_rules(
    tuning: &RuleTuning,
    ruleset: Managed,
    catalogue: Option<&Catalogue>,
    overrides: &mut Overrides,
    problems: &mut Vec<Problem>,
) {
    let RuleTuning { target, enabled, action, note, place } = tuning;
    let Some(catalogue) = catalogue else {
        // One finding for the whole deployment is enough.
        let kind = ProblemKind::NoRuleset(ruleset);
        if !problems.iter().any(|p| p.kind == kind) {
            problems.push(Problem { kind, place: *place });
        }
        return;
    };
    let ids: Vec<&str> = match target {
        TuningTarget::Rule(name) => match name.resolve(catalogue) {
            Ok(rule) => vec![&rule.id.0],
            Err(error) => {
                let kind = match error {
                    Unresolved::Unknown(near) => ProblemKind::UnknownRule(name.to_string(), near),
                    Unresolved::Ambiguous(several) => {
                        ProblemKind::AmbiguousRule(name.to_string(), several)
                    }
                };
                problems.push(Problem { kind, place: *place });
                return;
            }
        },
        TuningTarget::Tag(tag) => {
            let tagged = catalogue.rules.iter().filter(|r| r.tags.contains(tag));
            let ids: Vec<_> = tagged.map(|r| r.id.0.as_str()).collect();
            if ids.is_empty() {
                problems.push(unknown_tag(tag, catalogue, *place));
                return;
            }
            ids
        }
    };
    if !note.is_expired && is_idle(&ids, *enabled, action.as_deref(), catalogue, overrides) {
        let what = match target {
            TuningTarget::Rule(name) => name.to_string(),
            TuningTarget::Tag(tag) => tag.clone(),
        };
        problems.push(Problem { kind: ProblemKind::Idle(what), place: *place });
    }
    for id in ids {
        let rule_override = overrides.rule_mut(id);
        if note.is_expired {
            rule_override.enabled = rule_override.enabled.filter(|e| Some(*e) != *enabled);
            rule_override.action =
                rule_override.action.take().filter(|a| Some(a) != action.as_ref());
            continue;
        }
        rule_override.enabled = enabled.or(rule_override.enabled);
        rule_override.action = action.clone().or(rule_override.action.take());
    }
}

/// Returns true if the rules would be in the desired state without the entry.
fn is_idle(
    ids: &[&str],
    enabled: Option<bool>,
    action: Option<&str>,
    catalogue: &Catalogue,
    overrides: &Overrides,
) -> bool {
    let anyway = Anyway::new(catalogue, overrides);
    ids.iter().filter_map(|id| catalogue.rule(id)).all(|rule| {
        // Attributes that the entry does not set stay as they are in an existing override.
        let kept_override = overrides.rule(&rule.id.0).map(|kept_override| RuleOverride {
            enabled: kept_override.enabled.filter(|_| enabled.is_none()),
            action: kept_override.action.clone().filter(|_| action.is_none()),
            ..RuleOverride::default()
        });
        let effect = anyway.of(rule).under(kept_override.as_ref());
        enabled.is_none_or(|e| e == effect.enabled) && action.is_none_or(|a| a == effect.action)
    })
}

/// A live deployment in the form of a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognised {
    /// The spec form.
    pub desired: DesiredDeployment,
    /// The reason why the paranoia level could not be determined, if any.
    pub strange_levels: Option<String>,
}

/// Returns a live deployment in the form of a spec.
///
/// Compiling the result gives the same deployment: each key is used only if it expresses exactly
/// the live state.
#[must_use]
pub fn recognise(
    rule: &RuleBody,
    ruleset: Managed,
    catalogue: Option<&Catalogue>,
    place: Place,
) -> Recognised {
    let mut desired = DesiredDeployment::new(ruleset, Switch::On, place);
    if !rule.is_enabled() {
        desired.switch = Switch::Off;
        return Recognised { desired, strange_levels: None };
    }
    desired.when =
        rule.expression().filter(|e| *e != Expression::reported("true")).map(|e| (e, place));
    desired.version = rule.pinned_version().map(|version| (version.to_owned(), place));
    let verbatim = || rule.parameter("overrides").cloned().map(|value| (value, place));
    let is_exact = |desired: &DesiredDeployment| {
        let mut bare = rule.clone();
        bare.set_overrides(None);
        let compiled = compile(desired, catalogue, Some(&bare), Unmanaged::Keep);
        let fatal = |p: &Problem| !matches!(p.kind, ProblemKind::Idle(_));
        !compiled.problems.iter().any(fatal) && canonical(&compiled.body) == canonical(rule)
    };
    let Some(mut rest) = rule.overrides() else {
        desired.raw = verbatim();
        return Recognised { desired, strange_levels: None };
    };
    let plain = desired.clone();
    let strange_levels = match ruleset {
        Managed::Owasp => take_owasp(&mut desired, &mut rest, catalogue, place),
        Managed::Cloudflare => None,
    };
    take_rules(&mut desired, &mut rest, catalogue, place);
    if ruleset == Managed::Cloudflare {
        take_tags(&mut desired, &mut rest, place);
    }
    desired.raw = rest.value().map(|value| (value, place));
    if !is_exact(&desired) {
        desired = DesiredDeployment { raw: verbatim(), ..plain };
    }
    Recognised { desired, strange_levels }
}

/// Moves the paranoia level, the threshold and the action to the spec form. Returns the reason why
/// a level cannot be determined, if any.
fn take_owasp(
    desired: &mut DesiredDeployment,
    rest: &mut Overrides,
    catalogue: Option<&Catalogue>,
    place: Place,
) -> Option<String> {
    let levels: Vec<&TagOverride> =
        rest.tags.iter().filter(|t| PARANOIA_TAGS.contains(&t.tag.as_str())).collect();
    // Other tools switch the lower levels on explicitly. Such entries are kept in addition to the
    // level.
    let is_on =
        |t: &TagOverride| t.enabled == Some(true) && t.action.is_none() && t.other.is_empty();
    let is_any_off = levels.iter().any(|t| t.enabled == Some(false));
    let explicit_levels: Vec<TagOverride> =
        levels.iter().filter(|t| is_any_off && is_on(t)).map(|t| (*t).clone()).collect();
    let with_level = |level: Paranoia, tags: Vec<TagOverride>| {
        let mut would = Overrides { tags, ..Overrides::default() };
        set_paranoia(level, catalogue, &mut would);
        would.tags
    };
    let level = (1..=4).filter_map(Paranoia::new).find(|level| {
        let would = with_level(*level, explicit_levels.clone());
        rest.enabled.is_none()
            && would.len() == levels.len()
            && would.iter().all(|t| levels.contains(&t))
    });
    let strange = match level {
        Some(level) => {
            let by_level = with_level(level, Vec::new());
            rest.tags.retain(|t| {
                !PARANOIA_TAGS.contains(&t.tag.as_str())
                    || explicit_levels.contains(t) && !by_level.contains(t)
            });
            desired.paranoia = Some((level, place));
            None
        }
        None => Some(strange_levels(rest, &levels)),
    };
    let id = Catalogue::anomaly_id(catalogue).to_owned();
    if let Some(anomaly) = rest.rules.iter_mut().find(|r| r.id == id && r.enabled != Some(false)) {
        desired.threshold = anomaly.threshold.take().map(|t| (t, place));
        if let Some(action) = anomaly.action.as_deref().and_then(ScoreAction::parse) {
            anomaly.action = None;
            desired.action = Some((action, place));
        }
    }
    rest.rules.retain(|r| !r.is_empty());
    strange
}

/// Moves rules that are switched on or off to the spec form, and in other rulesets those with
/// another action.
fn take_rules(
    desired: &mut DesiredDeployment,
    rest: &mut Overrides,
    catalogue: Option<&Catalogue>,
    place: Place,
) {
    let ruleset = desired.ruleset;
    let is_known = |r: &RuleOverride| catalogue.is_some_and(|c| c.rule(&r.id).is_some());
    let is_plain = |r: &RuleOverride| {
        let RuleOverride { id: _, enabled, action, threshold, other } = r;
        let says_it = enabled.is_some() && (action.is_none() || ruleset != Managed::Owasp)
            || (action.is_some() && ruleset != Managed::Owasp);
        says_it && threshold.is_none() && other.is_empty()
    };
    let (taken, left): (Vec<_>, Vec<_>) =
        std::mem::take(&mut rest.rules).into_iter().partition(|r| is_known(r) && is_plain(r));
    rest.rules = left;
    desired.rules.extend(taken.into_iter().map(|RuleOverride { id, enabled, action, .. }| {
        let number =
            catalogue.and_then(|c| c.rule(&id)).and_then(|r| r.number).map(|n| n.to_string());
        let unique = number
            .filter(|n| catalogue.is_some_and(|c| super::RuleName::new(n).resolve(c).is_ok()));
        let target = TuningTarget::Rule(super::RuleName::new(unique.as_deref().unwrap_or(&id)));
        RuleTuning { target, enabled, action, note: Note::default(), place }
    }));
}

/// Moves tags with only a switch or an action to the spec form.
fn take_tags(desired: &mut DesiredDeployment, rest: &mut Overrides, place: Place) {
    if rest.tags.iter().any(|t| !t.other.is_empty()) {
        return;
    }
    desired.tags.extend(std::mem::take(&mut rest.tags).into_iter().map(
        |TagOverride { tag, enabled, action, .. }| TagTuning {
            tag,
            enabled,
            action,
            note: Note::default(),
            place,
        },
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::owasp::ANOMALY_RULE;

    /// Returns a deployment with these overrides.
    fn live(overrides: Value) -> RuleBody {
        let mut rule = RuleBody::default();
        rule.set("action", "execute");
        rule.set("expression", "true");
        rule.set_parameter("id", Managed::Owasp.facts().id);
        rule.set_parameter("overrides", overrides);
        rule
    }

    /// Returns an entry of a list of overrides.
    fn entry(members: &[(&str, Value)]) -> Value {
        Value::List(vec![Value::Map(
            members.iter().map(|(n, v)| ((*n).to_owned(), v.clone())).collect(),
        )])
    }

    #[test]
    fn overrides_over_which_nothing_is_laid_stay_to_the_letter() {
        let empty = entry(&[("category", Value::from("paranoia-level-4"))]);
        let rule = live(Value::Map([("categories".to_owned(), empty)].into()));
        for strange in [rule, live(Value::from("all of them"))] {
            let desired = DesiredDeployment::new(Managed::Owasp, Switch::On, Place::NOWHERE);
            let kept = compile(&desired, None, Some(&strange), Unmanaged::Keep);
            assert_eq!(kept.body.parameter("overrides"), strange.parameter("overrides"));
            assert!(kept.problems.is_empty());
            let read = recognise(&strange, Managed::Owasp, None, Place::NOWHERE).desired;
            let again = compile(&read, None, None, Unmanaged::Keep);
            assert_eq!(again.body.parameter("overrides"), strange.parameter("overrides"));
        }
    }

    #[test]
    fn nothing_is_laid_over_a_shape_that_is_not_known() {
        let mut desired = DesiredDeployment::new(Managed::Owasp, Switch::On, Place::NOWHERE);
        desired.threshold = Some((25, Place::NOWHERE));
        let compiled =
            compile(&desired, None, Some(&live(Value::from("all of them"))), Unmanaged::Keep);
        assert_eq!(compiled.problems[0].kind, ProblemKind::StrangeOverrides);
        assert_eq!(compiled.body.parameter("overrides"), Some(&Value::from("all of them")));
    }

    #[test]
    fn what_is_on_may_be_said_beside_a_level() {
        let level = |n: u8, enabled: bool| {
            let tag = Value::from(format!("paranoia-level-{n}").as_str());
            Value::Map(
                [("category".to_owned(), tag), ("enabled".to_owned(), Value::from(enabled))].into(),
            )
        };
        let levels =
            Value::List(vec![level(1, true), level(2, true), level(3, false), level(4, false)]);
        let anomaly = entry(&[
            ("id", Value::from(ANOMALY_RULE)),
            ("enabled", Value::from(true)),
            ("score_threshold", Value::Integer(25)),
        ]);
        let rule = live(Value::Map(
            [("categories".to_owned(), levels), ("rules".to_owned(), anomaly)].into(),
        ));
        let Recognised { desired, strange_levels } =
            recognise(&rule, Managed::Owasp, None, Place::NOWHERE);
        assert_eq!(strange_levels, None);
        assert_eq!(desired.paranoia.map(|(level, _)| level.level()), Some(2));
        assert_eq!(desired.threshold.map(|(threshold, _)| threshold), Some(25));
        // What the level does not express stays in `raw`; without `raw`, the level changes nothing
        // either.
        assert!(desired.raw.is_some());
        let bare = DesiredDeployment { raw: None, ..desired.clone() };
        for desired in [&desired, &bare] {
            let again = compile(desired, None, Some(&rule), Unmanaged::Keep);
            assert_eq!(canonical(&again.body), canonical(&rule));
        }
    }

    #[test]
    fn what_is_no_level_is_told_in_words() {
        let strange = |members: &[(&str, Value)]| {
            let rule = live(Value::Map([("categories".to_owned(), entry(members))].into()));
            recognise(&rule, Managed::Owasp, None, Place::NOWHERE).strange_levels
        };
        let level = ("category", Value::from("paranoia-level-1"));
        let off = strange(&[level.clone(), ("enabled", Value::from(false))]);
        assert_eq!(off.as_deref(), Some("only level 1 is off, which is not a paranoia level"));
        let on = strange(&[level, ("enabled", Value::from(true))]).unwrap();
        assert_eq!(
            on,
            "level 1 is switched on, but no level above it is switched off, so level 4 applies"
        );
    }
}
