//! The protection of zones as JSON. The field names are a stable contract.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json};

use super::FORMAT;
use crate::insight::Sentence;
use crate::insight::waf::lock::{LockChanges, LockedRule};
use crate::insight::waf::{
    AccountSurvey, ChangedRule, Difference, FamilyCount, InForce, Reach, RuleDifference, RuleRow,
    RuleSurvey, RulesetSurvey, Survey, title,
};
use crate::model::managed::{CatalogueRule, threshold_keyword};
use crate::model::ruleset::Phase;
use crate::plan::DeploymentInForce;

/// The first members of every document, and the zones.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Zones<Z> {
    format: u32,
    kind: &'static str,
    zones: Vec<Z>,
}

impl<Z> Zones<Z> {
    /// Creates a document of a kind.
    fn new(kind: &'static str, zones: Vec<Z>) -> Self {
        Self { format: FORMAT, kind, zones }
    }
}

/// Returns the rules of one managed ruleset in several zones.
pub fn rules<'a>(
    zones: &'a [(&'a str, &'a RulesetSurvey<'a>, Vec<RuleRow<'a>>)],
) -> impl Serialize + 'a {
    let zone =
        |(name, ruleset, rows): &'a (&'a str, &'a RulesetSurvey<'a>, Vec<RuleRow<'a>>)| ZoneRules {
            zone: name,
            ruleset: Head::of(ruleset),
            rules: rows.iter().map(Row::of).collect(),
        };
    Zones::new("waf_rules", zones.iter().map(zone).collect())
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ZoneRules<'a> {
    zone: &'a str,
    ruleset: Head<'a>,
    rules: Vec<Row<'a>>,
}

/// The ruleset without its rules.
#[derive(Debug, Serialize, JsonSchema)]
struct Head<'a> {
    id: &'a str,
    key: Option<&'static str>,
    name: &'a str,
    version: Option<&'a str>,
    deployed: &'static str,
}

impl<'a> Head<'a> {
    fn of(ruleset: &'a RulesetSurvey<'_>) -> Self {
        Self {
            id: &ruleset.id,
            key: ruleset.which.map(|which| which.key()),
            name: &ruleset.name,
            version: ruleset.catalogue.map(|catalogue| catalogue.version.as_str()),
            deployed: ruleset.deployed.as_str(),
        }
    }
}

/// The rule without its state.
#[derive(Debug, Serialize, JsonSchema)]
struct Rule<'a> {
    id: &'a str,
    number: Option<u32>,
    title: &'a str,
    level: Option<u8>,
    family: Option<&'static str>,
    score: Option<u32>,
    tags: &'a [String],
}

impl<'a> Rule<'a> {
    fn of(rule: &'a CatalogueRule) -> Self {
        Self {
            id: &rule.id.0,
            number: rule.number,
            title: title(rule),
            level: rule.level().map(|level| level.level()),
            family: rule.attack_family().map(|family| family.key),
            score: rule.score(),
            tags: &rule.tags,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct Row<'a> {
    #[serde(flatten)]
    rule: Rule<'a>,
    enabled: bool,
    action: String,
    why: &'static str,
    why_tag: Option<String>,
    exceptions: Vec<String>,
}

impl<'a> Row<'a> {
    fn of(row: &RuleRow<'a>) -> Self {
        let RuleRow { rule, is_on, action, why, tag, exceptions } = row;
        Self {
            rule: Rule::of(rule),
            enabled: *is_on,
            action: action.clone(),
            why,
            why_tag: tag.clone(),
            exceptions: exceptions.clone(),
        }
    }
}

/// Returns the protection of zones.
pub fn effective<'a>(
    zones: &'a [(&'a str, Survey<'a>, AccountSurvey)],
    with_rules: bool,
) -> impl Serialize + 'a {
    let zone = |(name, survey, account): &'a (&'a str, Survey<'a>, AccountSurvey)| ZoneSurvey {
        zone: name,
        account_rules: match account {
            AccountSurvey::Unknown(_) => None,
            AccountSurvey::Rules(phases) => Some(
                phases
                    .iter()
                    .map(|(phase, rules)| PhaseRules { phase: phase.as_str(), rules: own(rules) })
                    .collect(),
            ),
        },
        rulesets: survey.rulesets.iter().map(|ruleset| Ruleset::of(ruleset, with_rules)).collect(),
        own: ByPhase(survey.own.iter().map(|(phase, rules)| (*phase, own(rules))).collect()),
    };
    Zones::new("waf_effective", zones.iter().map(zone).collect())
}

/// The protection of a zone.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ZoneSurvey<'a> {
    zone: &'a str,
    /// `null` if the rules are not known.
    account_rules: Option<Vec<PhaseRules<'a>>>,
    rulesets: Vec<Ruleset<'a>>,
    #[serde(flatten)]
    own: ByPhase<'a>,
}

/// The zone's own rules, with a member for each phase.
#[derive(Debug)]
struct ByPhase<'a>(Vec<(Phase, Vec<OwnRule<'a>>)>);

/// Returns the key for the rules of a phase.
fn phase_member(phase: Phase) -> String {
    phase.list().heading.replace(' ', "_")
}

impl Serialize for ByPhase<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(phase, rules)| (phase_member(*phase), rules)))
    }
}

impl JsonSchema for ByPhase<'_> {
    fn schema_name() -> Cow<'static, str> {
        "ByPhase".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let members: Vec<String> = Phase::ALL
            .iter()
            .filter(|phase| !phase.deploys())
            .map(|phase| phase_member(*phase))
            .collect();
        let rules = generator.subschema_for::<Vec<OwnRule<'_>>>();
        let properties: Map<String, Json> =
            members.iter().map(|name| (name.clone(), rules.clone().to_value())).collect();
        json_schema!({ "type": "object", "properties": properties, "required": members })
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct PhaseRules<'a> {
    phase: &'a str,
    rules: Vec<OwnRule<'a>>,
}

/// A managed ruleset with its state.
#[derive(Debug, Serialize, JsonSchema)]
struct Ruleset<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    scope: &'a str,
    pinned_version: Option<String>,
    paranoia: Option<u8>,
    paranoia_custom: Option<&'a str>,
    threshold: Option<u32>,
    threshold_word: Option<&'static str>,
    action: Option<&'a str>,
    acts: Option<bool>,
    rules_on: Option<usize>,
    rules_total: Option<usize>,
    families: Vec<FamilyTally>,
    rule_overrides: Vec<String>,
    exceptions: Vec<OwnRule<'a>>,
    unreachable: Vec<Unreachable<'a>>,
    /// Promises of a spec with only `on` that are not in force.
    below_floor: Vec<String>,
    /// Promises of that kind that could not be compared.
    not_known: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<Vec<Row<'a>>>,
}

impl<'a> Ruleset<'a> {
    fn of(ruleset: &'a RulesetSurvey<'a>, with_rules: bool) -> Self {
        let effective = ruleset.effective.as_ref();
        let threshold = effective.and_then(|state| state.threshold());
        let floor = ruleset.floor.as_ref();
        Self {
            head: Head::of(ruleset),
            scope: &ruleset.scope,
            pinned_version: effective.and_then(|state| state.version.clone()),
            paranoia: effective.and_then(|state| state.paranoia).map(|paranoia| paranoia.level()),
            paranoia_custom: ruleset.strange_levels.as_deref(),
            threshold,
            threshold_word: threshold.and_then(threshold_keyword),
            action: effective.and_then(|state| state.action()),
            acts: effective.map(|state| state.acts()),
            rules_on: effective.map(|state| if state.is_on { state.rules_on() } else { 0 }),
            rules_total: effective.map(|state| state.rules.len()),
            families: ruleset.families().iter().map(FamilyTally::of).collect(),
            rule_overrides: ruleset.rule_overrides(),
            exceptions: own(&ruleset.exceptions),
            unreachable: ruleset.unreachable.iter().map(Unreachable::of).collect(),
            below_floor: floor.map(InForce::shortfalls_in_words).unwrap_or_default(),
            not_known: floor.iter().flat_map(|floor| &floor.unknown).map(String::as_str).collect(),
            rules: with_rules.then(|| ruleset.rows().iter().map(Row::of).collect()),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct FamilyTally {
    family: Option<&'static str>,
    on: usize,
    total: usize,
}

impl FamilyTally {
    fn of(count: &FamilyCount) -> Self {
        let FamilyCount { family, on, total } = count;
        Self { family: family.map(|family| family.key), on: *on, total: *total }
    }
}

/// A family that cannot be stopped.
#[derive(Debug, Serialize, JsonSchema)]
struct Unreachable<'a> {
    family: &'static str,
    total: u32,
    threshold: u32,
    assumed: &'a [String],
}

impl<'a> Unreachable<'a> {
    fn of(reach: &'a Reach) -> Self {
        let Reach { family, total, threshold, assumed } = reach;
        Self { family: family.key, total: *total, threshold: *threshold, assumed }
    }
}

/// A rule with its own expression.
#[derive(Debug, Serialize, JsonSchema)]
struct OwnRule<'a> {
    name: &'a str,
    id: &'a str,
    action: &'a str,
    enabled: bool,
    expression: &'a str,
    does: &'a str,
}

fn own<'a>(rules: &'a [RuleSurvey]) -> Vec<OwnRule<'a>> {
    let rule_json = |rule: &'a RuleSurvey| {
        let RuleSurvey { name, id, action, is_on, scope, does } = rule;
        OwnRule { name, id, action, enabled: *is_on, expression: scope, does }
    };
    rules.iter().map(rule_json).collect()
}

/// Returns the effective changes of a spec.
pub fn difference<'a>(
    zones: &'a [(&'a str, Difference, &'a [DeploymentInForce])],
) -> impl Serialize + 'a {
    let zone =
        |(name, difference, in_force): &'a (&'a str, Difference, &'a [DeploymentInForce])| {
            let Difference { direction, changed, rules } = difference;
            let changes = changed.iter().map(|ChangedRule { phase, name, impact }| Change {
                phase: phase.as_str(),
                name,
                direction: impact.direction.as_str(),
                effects: &impact.lines,
            });
            ZoneDifference {
                zone: name,
                direction: direction.as_str(),
                changes: changes.collect(),
                rules: rules.iter().map(RuleChange::of).collect(),
                weakened: in_force
                    .iter()
                    .filter(|deployment| deployment.in_force.is_weakened())
                    .map(|deployment| deployment.in_force.summary())
                    .collect(),
                not_known: in_force
                    .iter()
                    .flat_map(|deployment| &deployment.in_force.unknown)
                    .map(String::as_str)
                    .collect(),
            }
        };
    Zones::new("waf_diff", zones.iter().map(zone).collect())
}

/// The changes of a zone.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ZoneDifference<'a> {
    zone: &'a str,
    direction: &'a str,
    changes: Vec<Change<'a>>,
    rules: Vec<RuleChange<'a>>,
    weakened: Vec<String>,
    not_known: Vec<&'a str>,
}

/// A rule of the zone that changes.
#[derive(Debug, Serialize, JsonSchema)]
struct Change<'a> {
    phase: &'a str,
    name: &'a str,
    direction: &'a str,
    #[schemars(with = "Vec<String>")]
    effects: &'a [Sentence],
}

/// A rule of a managed ruleset whose state changes.
#[derive(Debug, Serialize, JsonSchema)]
struct RuleChange<'a> {
    #[serde(flatten)]
    rule: Rule<'a>,
    ruleset: &'a str,
    before: &'a str,
    after: &'a str,
    why: &'static str,
    exceptions_before: &'a [String],
    exceptions_after: &'a [String],
}

impl<'a> RuleChange<'a> {
    fn of(difference: &'a RuleDifference) -> Self {
        let RuleDifference {
            ruleset,
            rule,
            before,
            after,
            exceptions_before,
            exceptions_after,
            why,
        } = difference;
        Self {
            rule: Rule::of(rule),
            ruleset,
            before,
            after,
            why,
            exceptions_before,
            exceptions_after,
        }
    }
}

/// Returns Cloudflare's changes since the lock file was written.
pub fn lock<'a>(
    file: &'a str,
    changes: &'a [LockChanges],
    is_same: bool,
    is_check: bool,
) -> impl Serialize + 'a {
    Lock {
        format: FORMAT,
        kind: "waf_lock",
        file,
        same: is_same,
        written: !is_check && !is_same,
        rulesets: changes.iter().map(LockedRuleset::of).collect(),
    }
}

/// A lock file, and the changes since it was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Lock<'a> {
    format: u32,
    kind: &'static str,
    file: &'a str,
    same: bool,
    written: bool,
    rulesets: Vec<LockedRuleset<'a>>,
}

/// The changes of a ruleset.
#[derive(Debug, Serialize, JsonSchema)]
struct LockedRuleset<'a> {
    name: &'a str,
    from_version: Option<&'a str>,
    to_version: &'a str,
    added: Vec<Locked<'a>>,
    removed: Vec<Locked<'a>>,
    relevelled: Vec<Pair<'a>>,
    default_changed: Vec<Pair<'a>>,
    renamed: Vec<Pair<'a>>,
    retagged: Vec<Pair<'a>>,
    sentence: String,
}

impl<'a> LockedRuleset<'a> {
    fn of(changes: &'a LockChanges) -> Self {
        let LockChanges {
            name,
            from_version,
            to_version,
            added,
            removed,
            relevelled,
            default_changed,
            renamed,
            retagged,
        } = changes;
        let rules = |rules: &'a [LockedRule]| rules.iter().map(Locked::of).collect();
        let pairs = |pairs: &'a [(LockedRule, LockedRule)]| {
            pairs
                .iter()
                .map(|(b, a)| Pair { before: Locked::of(b), after: Locked::of(a) })
                .collect()
        };
        Self {
            name,
            from_version: from_version.as_deref(),
            to_version,
            added: rules(added),
            removed: rules(removed),
            relevelled: pairs(relevelled),
            default_changed: pairs(default_changed),
            renamed: pairs(renamed),
            retagged: pairs(retagged),
            sentence: changes.sentence(),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct Pair<'a> {
    before: Locked<'a>,
    after: Locked<'a>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Locked<'a> {
    id: &'a str,
    number: Option<u32>,
    level: Option<u8>,
    enabled: bool,
    action: &'a str,
    title: &'a str,
}

impl<'a> Locked<'a> {
    fn of(rule: &'a LockedRule) -> Self {
        let LockedRule { number, id, level, enabled, action, tags: _, title } = rule;
        Self {
            id,
            number: *number,
            level: level.map(|level| level.level()),
            enabled: *enabled,
            action,
            title,
        }
    }
}
