//! Listings of a managed ruleset by Cloudflare that lack a part.

use std::sync::Arc;

use crate::support::rulesets::{body, deployment, owasp, tuning};
use serde_json::{Value as Json, json};
use zonewright::diagnostic::Place;
use zonewright::insight::Direction;
use zonewright::insight::waf::{NO_EFFECT, deployment_impact, rule_impact};
use zonewright::model::Unmanaged;
use zonewright::model::facts::owasp::ANOMALY_RULE;
use zonewright::model::managed::{Managed, compile};
use zonewright::model::ruleset::{DesiredDeployment, LiveWaf, Phase, RuleId, Switch};
use zonewright::wire::ruleset::read_catalogue;
use zonewright::wire::settings::from_json;

#[test]
fn without_the_rule_that_compares_the_score_nothing_is_without_effect() {
    let whole = owasp();
    let (mut cut, mut empty, mut renamed) = (whole.clone(), whole.clone(), whole.clone());
    cut.rules.list_mut().pop();
    empty.rules.list_mut().clear();
    let mut moved = renamed.rules.list_mut().pop().expect("the rule that compares the score");
    moved.id = RuleId("f".repeat(32));
    renamed.rules.list_mut().insert(3, moved);
    assert_eq!(
        renamed.anomaly_rule().map(|r| r.id.0.clone()),
        Some("f".repeat(32)),
        "the only one with a threshold"
    );
    assert_eq!(
        (cut.anomaly_rule(), empty.anomaly_rule()),
        (None, None),
        "no rule that scores is taken for it"
    );
    let on = |overrides: Json| deployment(&whole, overrides);
    for catalogue in [&cut, &empty] {
        let impact =
            |b: Json, a: Json| deployment_impact(Some(&on(b)), Some(&on(a)), Some(catalogue));
        let threshold = impact(tuning(2, 40, "block"), tuning(2, 10_000, "log"));
        let lines = threshold.lines.join("\n");
        assert_eq!(threshold.direction, Direction::Unclassified, "{lines}");
        assert!(
            lines.contains("the effect is unknown: the rule that compares the score"),
            "{lines}"
        );
        assert!(!lines.contains(NO_EFFECT), "{lines}");
        assert!(impact(tuning(3, 40, "block"), tuning(1, 40, "block")).direction.may_weaken());
        let off = deployment_impact(Some(&on(Json::Null)), None, Some(catalogue));
        assert_eq!(off.direction, Direction::Weakens, "{:#?}", off.lines);
        // An exception from that rule is still an exception from the whole ruleset.
        let live = LiveWaf { catalogues: vec![Arc::new(catalogue.clone())], ..LiveWaf::default() };
        let rules = json!({ "rules": { Managed::Owasp.facts().id: [ANOMALY_RULE] } });
        let trap =
            body(json!({ "action": "skip", "expression": "ssl", "action_parameters": rules }));
        assert_eq!(
            rule_impact(Phase::Managed, None, Some(&trap), &live).direction,
            Direction::Weakens
        );
        // The settings of the spec apply to the rule with the documented id.
        let mut wants = DesiredDeployment::new(Managed::Owasp, Switch::On, Place::NOWHERE);
        wants.threshold = Some((25, Place::NOWHERE));
        let compiled =
            compile(&wants, Some(catalogue), Some(&on(Json::Null)), Unmanaged::Keep).body;
        let overrides = json!({ "rules": [{ "id": ANOMALY_RULE, "score_threshold": 25 }] });
        assert_eq!(compiled.parameter("overrides"), Some(&from_json(&overrides)));
    }
}

/// A response without rules is not a known ruleset; for other rulesets nothing is known anyway.
#[test]
fn a_known_ruleset_has_rules() {
    let read = |id: &str, rules: Json| {
        read_catalogue(&json!({ "id": id, "name": "n", "version": "1", "rules": rules }))
    };
    for managed in Managed::ALL {
        for rules in [json!([]), Json::Null] {
            assert!(read(managed.facts().id, rules).is_err());
        }
        assert!(read_catalogue(&json!({ "id": managed.facts().id })).is_err());
        assert!(read(managed.facts().id, json!([{ "id": "1" }])).is_ok());
    }
    assert!(read("77454fe2d30c4220b5701f6fdfb893ba", json!([])).is_ok());
}
