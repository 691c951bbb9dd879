//! Entries of `accept` that findings print: they can be pasted, alone and together.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value as Json, json};
use zonewright::insight::waf::InForce;
use zonewright::model::facts::owasp::ANOMALY_RULE;
use zonewright::model::managed::Catalogue;

use crate::promise::{held, live, plan, six, skip};
use crate::support::rulesets::{cloudflare, owasp};

/// Names and expressions that YAML or a spec could read as something else.
const STRANGE_NAMES: [&str; 30] = [
    "null",
    "~",
    "true",
    "Yes",
    "0123",
    "12345678901234567890123456789012",
    "1e5",
    "0x1f",
    ".5",
    "2026-01-01",
    "${X}",
    "$${X}",
    "$X",
    "a: b",
    "it's",
    "\"q\"",
    "#x",
    "a #b",
    "- a",
    "[x]",
    "{x}",
    "&a",
    "*a",
    "!a",
    "%a",
    "@a",
    "=",
    "<<",
    "a\nb",
    "\u{202e}x\u{85}",
];
const STRANGE_QUERIES: [&str; 7] =
    ["it's", "${X}", "$${X}\\\"", "a: #b", "a\n\tb", "\u{202e}\u{2028}", "##[error]"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// What a finding prints accepts it.
    #[test]
    fn the_entry_that_is_printed_accepts_the_finding(
        name in prop_oneof![select(&STRANGE_NAMES[..]).prop_map(str::to_owned), "\\PC{1,12}"],
        query in prop_oneof![select(&STRANGE_QUERIES[..]).prop_map(str::to_owned), "[ -!#-\\[\\]-~]{1,9}"],
        breaks_line in any::<bool>(),
        parameters in select(&[0, 1, 2][..]),
    ) {
        let parameters = [
            json!({ "ruleset": "current" }),
            json!({ "rulesets": [owasp().id.0] }),
            json!({ "rules": { owasp().id.0: six().0 } }),
        ][parameters].clone();
        let blank = if breaks_line { "\n  " } else { " " };
        let mut rule = skip("a", &format!("http.request.uri.query{blank}ne \"{query}\""), parameters);
        rule["ref"] = json!(name);
        let rules = json!([rule, live(&owasp(), Json::Null)]);
        let found = held("owasp: on", rules.clone());
        prop_assert!(found.is_weakened(), "{found:?}");
        let entry = found.shortfalls[0].cause.accept_entry(found.ruleset);
        let accepted = held(&format!("owasp: on\naccept: [{entry}]"), rules);
        prop_assert!(!accepted.is_weakened() && accepted.accepted.len() == 1, "{entry}");
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// What the findings print can be pasted together, and accepts all of them.
    #[test]
    fn the_entries_that_are_printed_accept_the_findings_together(
        owasp_overrides in weak_overrides(&owasp()),
        cloudflare_overrides in weak_overrides(&cloudflare()),
        scopes in (any::<bool>(), any::<bool>()),
        gates in prop::collection::vec((select(&["true", "ssl", "http.host ne \"a\""][..]), 0..3_usize), 0..3),
    ) {
        let scoped = |mut rule: Json, is_narrow: bool, id: &str| {
            rule["expression"] = json!(if is_narrow { "http.host ne \"x\"" } else { "true" });
            rule["id"] = json!(id.repeat(32));
            rule
        };
        let mut rules: Vec<Json> = gates.iter().enumerate().map(|(n, (expression, parameters))| {
            let parameters = [
                json!({ "ruleset": "current" }),
                json!({ "rulesets": [owasp().id.0] }),
                json!({ "rulesets": [cloudflare().id.0, owasp().id.0] }),
            ][*parameters].clone();
            skip(["a", "b", "c"][n], expression, parameters)
        }).collect();
        rules.push(scoped(live(&cloudflare(), cloudflare_overrides), scopes.0, "d"));
        rules.push(scoped(live(&owasp(), owasp_overrides), scopes.1, "e"));
        let section = "owasp: on\ncloudflare: on";
        let before = plan(section, json!(rules), Json::Null);
        let found = before.in_force.iter().map(|one| &one.in_force);
        let entries: Vec<String> = found.clone().flat_map(InForce::accept_entries).collect();
        prop_assert_eq!(entries.is_empty(), !found.clone().any(InForce::is_weakened));
        if entries.is_empty() {
            return Ok(());
        }
        let list = entries.join("\n  - ");
        // A section with an error, such as an entry that occurs twice, is none.
        let after = plan(&format!("{section}\naccept:\n  - {list}"), json!(rules), Json::Null);
        for one in after.in_force.iter().map(|one| &one.in_force) {
            prop_assert!(!one.is_weakened() && one.outdated.is_empty(), "{list}\n{one:?}");
        }
    }
}

/// Returns overrides of which several can weaken the same rules.
fn weak_overrides(catalogue: &Catalogue) -> impl Strategy<Value = Json> + use<> {
    let tags: Vec<String> = catalogue.rules.iter().flat_map(|rule| rule.tags.clone()).collect();
    let ids: Vec<String> = catalogue.rules.iter().map(|rule| rule.id.0.clone()).collect();
    let enabled = || prop::option::weighted(0.6, any::<bool>());
    let action = || prop::option::of(select(&["log", "block"][..]));
    let members = move || {
        (enabled(), action()).prop_map(|(enabled, action)| {
            let mut members = serde_json::Map::new();
            members.extend(enabled.map(|enabled| ("enabled".to_owned(), json!(enabled))));
            members.extend(action.map(|action| ("action".to_owned(), json!(action))));
            members
        })
    };
    let named = move |key: &'static str, names: Vec<String>| {
        prop::collection::vec((select(names), members()), 0..3).prop_map(move |list| {
            let list = list.into_iter().filter(|(_, members)| !members.is_empty());
            let list = list.map(|(name, mut members)| {
                members.insert(key.to_owned(), json!(name));
                Json::from(members)
            });
            list.collect::<Vec<_>>()
        })
    };
    let threshold = prop::option::of(select(&[25, 100][..]));
    (members(), named("category", tags), named("id", ids), threshold).prop_map(
        |(mut all, categories, mut rules, threshold)| {
            if let Some(threshold) = threshold {
                rules.retain(|rule| rule["id"] != ANOMALY_RULE);
                rules.push(json!({ "id": ANOMALY_RULE, "score_threshold": threshold }));
            }
            all.insert("categories".to_owned(), json!(categories));
            all.insert("rules".to_owned(), json!(rules));
            Json::from(all)
        },
    )
}
