//! Cases about protection: thousands of rules, exceptions and overrides. No Cloudflare plan allows
//! so many, but a file may contain them.

use std::sync::Arc;

use zonewright::model::LiveZone;
use zonewright::model::facts::owasp::PARANOIA_TAGS;
use zonewright::model::managed::{Catalogue, CatalogueRule, Managed};
use zonewright::model::ruleset::{
    EntryPoint, LiveRule, LiveRuleset, Phase, RuleBody, RuleId, RulesetId,
};
use zonewright::plan::{RuleAction, ZonePlan};

use super::case::Case;
use super::{pure, zones};

/// Returns a section of rules, one on a line.
fn section(key: &str, rules: impl Iterator<Item = String>) -> String {
    let rules: String = rules.map(|rule| format!("          - {{ {rule} }}\n")).collect();
    format!("version: 1\nzones:\n  {}:\n    waf:\n        {key}:\n{rules}", zones::NAME)
}

/// Returns custom rules.
fn custom(n: usize) -> String {
    section("custom", (0..n).map(|k| custom_rule(k, "")))
}

/// Returns a custom rule.
fn custom_rule(k: usize, more: &str) -> String {
    format!("name: rule-{k}, when: 'http.request.uri.path eq \"/{k}\"', action: block{more}")
}

/// Returns the same rules in reverse order.
fn reversed(n: usize) -> String {
    section("custom", (0..n).rev().map(|k| custom_rule(k, "")))
}

/// Returns custom rules, each placed after the foreign rule of the same number.
fn anchored(n: usize) -> String {
    section("custom", (0..n).map(|k| custom_rule(k, &format!(", after: foreign-{k}"))))
}

/// Returns exceptions, and the deployment that they belong to.
fn exceptions(n: usize) -> String {
    let rule = |k| {
        format!(
            "name: rule-{k}, when: 'http.request.uri.path eq \"/{k}\"', skip: {{ ruleset: cloudflare }}, reason: contract"
        )
    };
    section("exceptions", (0..n).map(rule)) + "        cloudflare: on\n"
}

/// Returns rate limits.
fn rate_limits(n: usize) -> String {
    let rule = |k| {
        format!(
            "name: rule-{k}, when: 'http.request.uri.path eq \"/{k}\"', per: [ip], limit: 5 in 1m, then: block for 10m"
        )
    };
    section("rate_limits", (0..n).map(rule))
}

/// Returns rules of a managed ruleset switched off.
fn overrides(n: usize) -> String {
    let rules: String =
        (0..n).map(|k| format!("            - {{ rule: Rule {k}, reason: not here }}\n")).collect();
    format!(
        "version: 1\nzones:\n  {}:\n    waf:\n        cloudflare:\n          disable:\n{rules}",
        zones::NAME
    )
}

/// Returns a section in a zone and, again, in a profile that the zone uses.
fn over_a_profile(spec: &str) -> String {
    let at = spec.find("    waf:").expect("it has a section");
    let zones = spec[..at].replace("version: 1\n", "");
    format!("version: 1\nprofiles:\n  all:\n{0}{zones}    use: [all]\n{0}", &spec[at..])
}

/// Returns a managed ruleset of so many rules.
fn catalogue(n: usize) -> Catalogue {
    let rule = |k: usize| CatalogueRule {
        id: RuleId(format!("{k:032x}")),
        number: None,
        description: format!("Rule {k}"),
        tags: vec![PARANOIA_TAGS[k % PARANOIA_TAGS.len()].to_owned()],
        enabled: true,
        action: "block".to_owned(),
        score: None,
        threshold: None,
    };
    Catalogue {
        which: Some(Managed::Cloudflare),
        id: RulesetId(Managed::Cloudflare.facts().id.to_owned()),
        name: "Cloudflare Managed Ruleset".to_owned(),
        version: "1".to_owned(),
        rules: (0..n).map(rule).collect(),
    }
}

/// Returns a zone without rules at Cloudflare, and a managed ruleset of this number of rules.
fn bare(n: usize) -> LiveZone {
    let mut live = pure::empty();
    live.waf.entry_points = Phase::ALL.iter().map(|phase| (*phase, EntryPoint::Absent)).collect();
    live.waf.catalogues = vec![Arc::new(catalogue(n))];
    live
}

/// Returns a zone in which a phase has these rules.
fn with(mut live: LiveZone, phase: Phase, bodies: Vec<RuleBody>) -> LiveZone {
    let rule = |(k, body): (usize, RuleBody)| LiveRule {
        id: RuleId(format!("{k:032x}")),
        last_updated: None,
        body,
    };
    let rules = bodies.into_iter().enumerate().map(rule).collect();
    let ruleset = LiveRuleset {
        id: RulesetId("f".repeat(32)),
        version: Some("1".to_owned()),
        last_updated: None,
        rules,
    };
    live.waf.entry_points.insert(phase, EntryPoint::Present(ruleset));
    live
}

/// Returns the zone after a plan that creates everything.
fn applied(plan: &ZonePlan, n: usize) -> LiveZone {
    let mut live = bare(n);
    for (_, _, rule) in plan.rules() {
        let RuleAction::CreateEntryPoint { rules } = &rule.action else { continue };
        live = with(live, rule.phase, rules.clone());
    }
    live
}

/// Returns a rule that someone else made.
fn foreign(k: usize) -> RuleBody {
    let mut body = RuleBody::default();
    body.set("action", "log");
    body.set("expression", format!("http.host eq \"{k}.example.net\""));
    body.set("ref", format!("foreign-{k}"));
    body
}

/// A kind of protection: its name, and a spec with this number of entries.
type Kind = (&'static str, fn(usize) -> String);

/// The kinds of protection of which a spec can have many entries.
const KINDS: &[Kind] = &[
    ("custom rules", custom),
    ("exceptions", exceptions),
    ("rate limits", rate_limits),
    ("overrides", overrides),
];

/// Adds all cases about protection.
pub(crate) fn all(all: &mut Vec<Case>) {
    for (name, text) in KINDS {
        all.push(Case::new(format!("{name}/spec"), 100, |n| {
            let text = text(n);
            move || pure::load(&text).0.zones.len()
        }));
        all.push(Case::new(format!("{name}/over a profile"), 100, |n| {
            let text = over_a_profile(&text(n));
            move || pure::load(&text).0.zones.len()
        }));
        all.push(Case::new(format!("{name}/lint"), 100, |n| {
            let desired = pure::load(&text(n)).0;
            move || pure::lint(&desired)
        }));
        all.push(Case::new(format!("{name}/create"), 100, |n| {
            let (desired, live) = (pure::load(&text(n)).0, bare(n));
            move || pure::plan(pure::only(&desired), &live).operations.len()
        }));
        all.push(Case::new(format!("{name}/no-op"), 100, |n| {
            let desired = pure::load(&text(n)).0;
            let live = applied(&pure::plan(pure::only(&desired), &bare(n)), n);
            move || {
                let plan = pure::plan(pure::only(&desired), &live);
                assert!(plan.is_empty(), "what was planned is there");
                plan.rules_unchanged
            }
        }));
    }
    differing(all);
    for format in pure::FORMATS {
        all.push(Case::new(format!("custom rules/{format}"), 100, move |n| {
            let (desired, sources) = pure::load(&custom(n));
            let plan = pure::whole(pure::plan(
                pure::only(&desired),
                &with(bare(1), Phase::Custom, vec![foreign(0)]),
            ));
            move || pure::output(format, &plan, &sources)
        }));
    }
}

/// Between two changes of rules, a plan looks at each rule: n states of n rules, until a bound on
/// the work ends it.
const STATES_OF_RULES: f64 = 2.0;

/// Adds the cases of custom rules in the spec beside the live ones.
fn differing(all: &mut Vec<Case>) {
    let mut case = |name: &str, sides: fn(usize) -> (String, LiveZone)| {
        let case = Case::new(format!("custom rules/{name}"), 100, move |n| {
            let (text, live) = sides(n);
            let desired = pure::load(&text).0;
            move || pure::plan(pure::only(&desired), &live).operations.len()
        });
        all.push(case.growing(STATES_OF_RULES));
    };
    fn ours(n: usize) -> LiveZone {
        applied(&pure::plan(pure::only(&pure::load(&custom(n)).0), &bare(1)), 1)
    }
    case("reversed", |n| (reversed(n), ours(n)));
    case("added", |n| (custom(n), with(bare(1), Phase::Custom, vec![foreign(0)])));
    case("anchored", |n| {
        (anchored(n), with(bare(1), Phase::Custom, (0..n).map(foreign).collect()))
    });
    case("pruned", |n| {
        let text =
            custom(1).replace("        custom:", "        unmanaged: prune\n        custom:");
        (text, with(bare(1), Phase::Custom, (0..n).map(foreign).collect()))
    });
    case("adopted", |n| {
        let live = ours(n);
        let bodies = live.waf.entry_points[&Phase::Custom].rules().iter().map(|r| {
            let mut body = r.body.clone();
            body.remove("ref");
            body
        });
        let live = with(bare(1), Phase::Custom, bodies.collect());
        (custom(n), live)
    });
    case("edited", |n| (custom(n).replace("action: block", "action: log"), ours(n)));
    case("gone", |n| {
        let rules = (0..n).map(|k| format!("name: rule-{k}, state: absent"));
        (section("custom", rules), ours(n))
    });
    let conditions = |n: usize| {
        let hosts: Vec<String> =
            (0..n).map(|k| format!("http.host eq \"{k}.example.net\"")).collect();
        section(
            "custom",
            std::iter::once(format!("name: long, when: '{}', action: block", hosts.join(" or "))),
        )
    };
    all.push(Case::new("expression/terms", 30, move |n| {
        let text = conditions(n);
        move || pure::load(&text).0.zones.len()
    }));
}
