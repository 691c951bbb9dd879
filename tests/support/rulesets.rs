//! Managed rulesets and rules for tests.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use zonewright::diagnostic::{Diagnostics, Sources};
use zonewright::model::facts::crs::CRS_RULES;
use zonewright::model::facts::owasp::ANOMALY_RULE;
use zonewright::model::managed::{Catalogue, CatalogueRule, Managed};
use zonewright::model::ruleset::{EntryPoint, LiveWaf, Phase, RuleBody, RuleId, RulesetId};
use zonewright::model::{LiveZone, Tier, Value, ZoneId, ZoneName};
use zonewright::plan::{ZonePlan, check_protection_of_run, plan_zone};
use zonewright::wire::settings::from_json;
use zonewright::{spec, wire};

/// Returns the id of a made-up rule: its number, padded.
pub(crate) fn id_of(number: u32) -> String {
    format!("{number:032}")
}

/// Returns a rule of the OWASP ruleset.
pub(crate) fn scoring_rule(number: u32, level: u8, score: Option<u32>) -> CatalogueRule {
    CatalogueRule::scoring(number, level, score, &format!("Rule {number}"))
}

/// Returns an OWASP ruleset of these rules.
pub(crate) fn owasp_of(mut rules: Vec<CatalogueRule>) -> Catalogue {
    rules.push(CatalogueRule::anomaly());
    let id = RulesetId(Managed::Owasp.facts().id.to_owned());
    Catalogue {
        which: Some(Managed::Owasp),
        id,
        name: "OWASP".to_owned(),
        version: "36".to_owned(),
        rules: rules.into(),
    }
}

/// Returns an OWASP ruleset of the size of the Core Rule Set.
pub(crate) fn owasp() -> Catalogue {
    let mut rules: Vec<_> = CRS_RULES
        .iter()
        .map(|(number, level, score)| scoring_rule(*number, *level, Some(*score)))
        .collect();
    for rule in rules.iter_mut().filter(|r| r.number.is_some_and(|n| n / 1000 == 933)) {
        rule.tags.push("language-php".to_owned());
    }
    owasp_of(rules)
}

/// Returns a small Cloudflare ruleset: rules `A` to `F`, each with a tag, the last one off.
pub(crate) fn cloudflare() -> Catalogue {
    let rule = |n: usize, name: &str, tag: &str| CatalogueRule {
        id: RuleId(format!("{:032x}", 0xabcd_0000 + n)),
        number: None,
        description: name.to_owned(),
        tags: vec![tag.to_owned(), "all".to_owned()],
        enabled: name != "F",
        action: "block".to_owned(),
        score: None,
        threshold: None,
    };
    let names = [
        ("A", "wordpress"),
        ("B", "wordpress"),
        ("C", "drupal"),
        ("D", "drupal"),
        ("E", "cve"),
        ("F", "cve"),
    ];
    Catalogue {
        which: Some(Managed::Cloudflare),
        id: RulesetId(Managed::Cloudflare.facts().id.to_owned()),
        name: "Cloudflare Managed Ruleset".to_owned(),
        version: "210".to_owned(),
        rules: names.iter().enumerate().map(|(n, (name, tag))| rule(n + 1, name, tag)).collect(),
    }
}

/// Returns a rule with these members.
pub(crate) fn body(members: Json) -> RuleBody {
    match from_json(&members) {
        Value::Map(members) => RuleBody::new(members),
        other => panic!("{other} is no rule"),
    }
}

/// Returns a deployment with these overrides; `null` for none.
pub(crate) fn deployment(catalogue: &Catalogue, overrides: Json) -> RuleBody {
    body(json!({
        "action": "execute", "expression": "true", "enabled": true,
        "action_parameters": { "id": catalogue.id.0, "overrides": overrides },
    }))
}

/// Overrides of the OWASP ruleset.
pub(crate) fn tuning(paranoia: u8, threshold: u32, action: &str) -> Json {
    let off: Vec<_> = (paranoia + 1..=4)
        .map(|n| json!({ "category": format!("paranoia-level-{n}"), "enabled": false }))
        .collect();
    json!({ "categories": off, "rules": [{ "id": ANOMALY_RULE, "score_threshold": threshold, "action": action }] })
}

/// Returns both rulesets as the protection of a zone.
pub(crate) fn waf() -> LiveWaf {
    LiveWaf { catalogues: vec![Arc::new(cloudflare()), Arc::new(owasp())], ..LiveWaf::default() }
}

/// Returns the plan that leads from the entry points of a zone (`null`: none) to a spec's section;
/// phases that are not named are not read if any is.
pub(crate) fn plan_of(
    live: &[(Phase, Json)],
    waf: &LiveWaf,
    section: &str,
) -> (ZonePlan, Diagnostics) {
    plan_in(live, waf, section, "business")
}

/// Returns the same in a zone on this plan.
pub(crate) fn plan_in(
    live: &[(Phase, Json)],
    waf: &LiveWaf,
    section: &str,
    tier: &str,
) -> (ZonePlan, Diagnostics) {
    let section: String = section.lines().map(|line| format!("      {line}\n")).collect();
    let text = format!("version: 1\nzones:\n  example.com:\n    waf:\n{section}");
    let mut sources = Sources::default();
    let outcome =
        spec::load(&[spec::Input::Stdin(text.clone())], &spec::Options::default(), &mut sources);
    let desired = outcome.desired.unwrap_or_else(|| panic!("{text}\n{:?}", outcome.diagnostics));
    let entry_point = |(phase, rules): &(Phase, Json)| {
        let ruleset =
            json!({ "id": format!("{:032x}", *phase as u8), "version": "7", "rules": rules });
        let entry_point = match rules {
            Json::Null => EntryPoint::Absent,
            _ => EntryPoint::Present(wire::ruleset::read_ruleset(&ruleset).expect("a ruleset")),
        };
        (*phase, entry_point)
    };
    let none = Phase::ALL.iter().map(|phase| (*phase, EntryPoint::Absent));
    let entry_points =
        if live.is_empty() { none.collect() } else { live.iter().map(entry_point).collect() };
    let live = LiveZone {
        tier: Tier::from_legacy_id(tier),
        waf: LiveWaf { entry_points, ..waf.clone() },
        ..LiveZone::new(ZoneName::parse("example.com").expect("a name"), ZoneId("1".repeat(32)))
    };
    let (plan, mut found) = plan_zone(desired.zones.values().next().expect("a zone"), &live);
    let plans = [plan];
    found.append(check_protection_of_run(&plans, &desired, &|_| false));
    let [plan] = plans;
    (plan, found)
}
