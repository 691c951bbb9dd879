//! The vendor's rulesets: their content, how they are deployed and overridden, and their new
//! versions.

use reqwest::Method;
use serde_json::{Value, json};
use zonewright::sandbox::Profile;

use super::rulesets::{ANOMALY, MANAGED, OWASP, column, messages, on};
use super::support::{Bench, keys};

/// The Cloudflare Managed Ruleset.
const CLOUDFLARE: &str = "efb7b8c949ac4650a09736fc376e9aee";
/// The ruleset that every plan has.
const FREE: &str = "77454fe2d30c4220b5701f6fdfb893ba";

/// Returns a deployment of a ruleset.
fn execute(id: &str) -> Value {
    json!({"action": "execute", "action_parameters": {"id": id}, "expression": "true", "ref": id})
}

/// Returns a deployment of the OWASP ruleset with overrides.
fn overriding(overrides: Value) -> Value {
    let mut rule = execute(OWASP);
    rule["action_parameters"]["overrides"] = overrides;
    rule
}

#[tokio::test]
async fn the_owasp_ruleset_has_its_shape() {
    let bench = on("pro").await;
    let owasp = bench.account_rulesets(Method::GET, &format!("/{OWASP}"), None).await;
    assert_eq!(
        (&owasp.result()["version"], &owasp.result()["kind"]),
        (&json!("35"), &json!("managed"))
    );
    let rules = owasp.result()["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 211);
    let anomaly = json!({"id": ANOMALY, "version": "35", "action": "block", "score_threshold": 40,
        "description": "949110: Inbound Anomaly Score Exceeded", "last_updated": "2026-02-03T10:15:30.123456Z",
        "ref": "ad0beb2fce9f149e565ee78d6e659d47", "enabled": true});
    assert_eq!(rules.last(), Some(&anomaly));
    let members =
        ["id", "version", "action", "categories", "description", "last_updated", "ref", "enabled"];
    let of = |id: &str| rules.iter().find(|rule| rule["id"] == id).unwrap();
    let sqli = of("00000000000000000000000000942100");
    assert_eq!(keys(sqli), members);
    assert_eq!(
        (&sqli["action"], &sqli["description"]),
        (&json!("score"), &json!("942100: SQL injection (synthetic)"))
    );
    assert_eq!(of("5e4903d6afa841c9b88b96203297003f")["categories"], json!(["paranoia-level-2"]));
    let level = |n: u8| {
        rules.iter().filter(|r| r["categories"] == json!([format!("paranoia-level-{n}")])).count()
    };
    assert_eq!((level(1), level(2), level(3), level(4)), (135, 49, 19, 7));
    // The zone reads the same; a tag is read through the account.
    let same = bench.rulesets(Method::GET, &format!("/{OWASP}"), None).await;
    assert_eq!(same.result(), owasp.result());
    let tagged = bench
        .account_rulesets(
            Method::GET,
            &format!("/{OWASP}/versions/35/by_tag/paranoia-level-4"),
            None,
        )
        .await;
    assert_eq!(column(tagged.result(), "id").len(), 7);
    let path = format!("/{OWASP}/versions/36/by_tag/paranoia-level-4");
    assert_eq!(bench.account_rulesets(Method::GET, &path, None).await.refusal(), (404, 10003));
    assert_eq!(bench.rulesets(Method::GET, &path, None).await.refusal(), (400, 7000));
    let switched =
        Bench::with(Profile { owasp_scores: true, owasp_level: 1, ..Profile::default() }).await;
    let owasp = switched.account_rulesets(Method::GET, &format!("/{OWASP}"), None).await;
    let second = owasp.result()["rules"].as_array().unwrap().iter();
    let second = second
        .filter(|rule| rule["id"] == "5e4903d6afa841c9b88b96203297003f")
        .collect::<Vec<_>>()[0];
    assert_eq!(
        (&second["enabled"], &second["action_parameters"]),
        (&json!(false), &json!({"increment": 3}))
    );
}

#[tokio::test]
async fn the_cloudflare_ruleset_has_its_tags() {
    let bench = on("pro").await;
    let ruleset = bench.rulesets(Method::GET, &format!("/{CLOUDFLARE}"), None).await;
    let rules = ruleset.result()["rules"].as_array().unwrap();
    let of = |id: &str| rules.iter().find(|rule| rule["id"] == id).unwrap();
    let october = of("d9e350f1b72d4730899c8a420e48a85d");
    assert_eq!(october["categories"], json!(["file-inclusion", "october-cms"]));
    assert_eq!((&october["action"], &october["version"]), (&json!("block"), &json!("180")));
    assert_eq!(october["ref"], "adb550873eb92d32372ed08514d33241");
    assert_eq!(of("b57df4f17f7f4ea4b8db33e20a6dbbd3")["enabled"], false);
    // Tags overlap, so that their order in overrides matters.
    let path = |tag: &str| format!("/{CLOUDFLARE}/versions/180/by_tag/{tag}");
    let wordpress = bench.account_rulesets(Method::GET, &path("wordpress"), None).await;
    let xss = bench.account_rulesets(Method::GET, &path("xss"), None).await;
    let (wordpress, xss) = (column(wordpress.result(), "id"), column(xss.result(), "id"));
    assert!(wordpress.len() == 3 && wordpress.iter().any(|id| xss.contains(id)));
    let none = bench.account_rulesets(Method::GET, &path("joomla"), None).await;
    assert!(none.result().get("rules").is_none());
}

#[tokio::test]
async fn plans_have_different_rulesets() {
    let bench = Bench::new().await;
    let refused = bench.put_rules(MANAGED, json!([execute(OWASP)])).await;
    assert_eq!(refused.refusal(), (400, 50002));
    assert_eq!(messages(&refused), ["not entitled to execute this managed ruleset"]);
    assert_eq!(bench.entry(MANAGED).await.status, 404);
    // It can be read all the same.
    bench.rulesets(Method::GET, &format!("/{OWASP}"), None).await.result();
    bench.account_rulesets(Method::GET, &format!("/{OWASP}"), None).await.result();
    bench.put_rules(MANAGED, json!([execute(FREE)])).await.result();
    let absent = bench.put_rules(MANAGED, json!([execute(&"a".repeat(32))])).await;
    assert_eq!(absent.refusal(), (400, 0));
    // A ruleset is executed in its own phase.
    let sensitive = execute("e22d83c647c64a3eae91b71b499d988e");
    assert_eq!(
        on("enterprise").await.put_rules(MANAGED, json!([sensitive])).await.refusal(),
        (400, 0)
    );
}

#[tokio::test]
async fn a_zone_executes_a_ruleset_once() {
    let bench = on("pro").await;
    let kept = bench.put_rules(MANAGED, json!([execute(CLOUDFLARE)])).await;
    let mut second = execute(OWASP);
    second["ref"] = json!("again");
    second["expression"] = json!("ssl");
    let twice = bench.put_rules(MANAGED, json!([execute(OWASP), second])).await;
    assert_eq!(twice.refusal(), (400, 20014));
    assert_eq!(
        messages(&twice),
        ["more than one rule is trying to execute the same managed ruleset"]
    );
    assert_eq!(bench.entry(MANAGED).await.result(), kept.result());
    bench.put_rules(MANAGED, json!([execute(OWASP), execute(CLOUDFLARE)])).await.result();
    // Accounts can do it for their enterprise zones.
    let path = format!("/phases/{MANAGED}/entrypoint");
    let refused =
        bench.account_rulesets(Method::PUT, &path, Some(json!({"rules": [execute(OWASP)]}))).await;
    assert_eq!(refused.refusal(), (400, 0));
    let mut rules = vec![execute(OWASP), execute(OWASP)];
    for (n, rule) in rules.iter_mut().enumerate() {
        rule["expression"] = json!("(cf.zone.name eq \"a.example\") and cf.zone.plan eq \"ENT\"");
        rule["ref"] = json!(n.to_string());
    }
    bench.account_rulesets(Method::PUT, &path, Some(json!({"rules": rules}))).await.result();
    let none = Bench::with(Profile { account_rulesets: false, ..Profile::default() }).await;
    assert_eq!(
        none.account_rulesets(Method::PUT, &path, Some(json!({"rules": rules}))).await.refusal(),
        (400, 50002)
    );
}

#[tokio::test]
async fn overrides_are_kept_as_they_came() {
    let bench = on("pro").await;
    let overrides = json!({
        "enabled": true,
        "rules": [{"id": ANOMALY, "score_threshold": 60, "action": "managed_challenge"},
            {"id": "00000000000000000000000000942100", "enabled": false}],
        "categories": [{"category": "paranoia-level-4", "enabled": false}, {"category": "paranoia-level-3", "action": "log"}]
    });
    let mut rule = overriding(overrides.clone());
    rule["action_parameters"]["matched_data"] = json!({"public_key": "k"});
    rule["action_parameters"]["of_tomorrow"] = json!([1]);
    let answer = bench.put_rules(MANAGED, json!([rule])).await;
    let parameters = &answer.result()["rules"][0]["action_parameters"];
    assert_eq!(keys(parameters), ["id", "version", "overrides", "matched_data", "of_tomorrow"]);
    assert_eq!(parameters["version"], "latest");
    assert_eq!(parameters["overrides"].to_string(), overrides.to_string());
    // Sent back with the version, it is the same rule.
    rule["action_parameters"]["version"] = json!("latest");
    let again = bench.put_rules(MANAGED, json!([rule])).await;
    assert_eq!(again.result()["rules"], answer.result()["rules"]);
    // A PATCH without them drops all of them.
    let path = format!("/{}/rules/{}", answer.id(), column(answer.result(), "id")[0]);
    let dropped = bench.rulesets(Method::PATCH, &path, Some(execute(OWASP))).await;
    let parameters = &dropped.result()["rules"][0]["action_parameters"];
    assert_eq!(parameters, &json!({"id": OWASP, "version": "latest"}));
}

#[tokio::test]
async fn overrides_that_are_refused() {
    let bench = on("pro").await;
    for (overrides, text) in [
        (json!({"categories": []}), "categories of overrides cannot be empty"),
        (json!({"rules": []}), "rules of overrides cannot be empty"),
        (
            json!({"categories": [{"category": "paranoia-level-5", "enabled": false}]}),
            "'paranoia-level-5' is not a valid value for category because no rule of the ruleset has it",
        ),
        (
            json!({"rules": [{"id": "942100", "enabled": false}]}),
            "'942100' is not a valid value for id because the ruleset has no such rule",
        ),
        (
            json!({"categories": [{"category": "paranoia-level-4"}]}),
            "the override of category 'paranoia-level-4' must change something",
        ),
        (
            json!({"rules": [{"id": ANOMALY}]}),
            "the override of rule '6179ae15870a4bb7b2d480d4843b323c' must change something",
        ),
        (
            json!({"rules": [{"id": "8ac8bc2a661e475d940980f9317f28e1", "score_threshold": 40}]}),
            "score_threshold is not possible for rule '8ac8bc2a661e475d940980f9317f28e1'",
        ),
        (
            json!({"rules": [{"id": ANOMALY, "score_threshold": 0}]}),
            "'0' is not a valid value for score_threshold because it must be at least 1",
        ),
        (
            json!({"rules": [{"id": ANOMALY, "score_threshold": 25.5}]}),
            "invalid JSON: field \"score_threshold\" must be an integer",
        ),
        (json!({"rules": [{"enabled": false}]}), "id is required in overrides"),
        (json!({"action": "allow"}), "'allow' is not a valid value for action of overrides"),
        (
            json!({"sensitivity_level": "high"}),
            "'high' is not a valid value for sensitivity_level of overrides",
        ),
        (json!({"status": "disabled"}), "invalid JSON: unknown field \"status\""),
        (
            json!({"rules": [{"id": ANOMALY, "action": "log"}, {"id": ANOMALY, "enabled": true}]}),
            "rule '6179ae15870a4bb7b2d480d4843b323c' is overridden more than once",
        ),
    ] {
        let refused = bench.put_rules(MANAGED, json!([overriding(overrides.clone())])).await;
        assert_eq!((refused.refusal(), messages(&refused)), ((400, 0), vec![text]), "{overrides}");
    }
    assert_eq!(bench.entry(MANAGED).await.refusal(), (404, 10003));
    // Tags of one ruleset do not exist in the other.
    let mut wordpress =
        overriding(json!({"categories": [{"category": "wordpress", "enabled": false}]}));
    assert_eq!(bench.put_rules(MANAGED, json!([wordpress])).await.refusal(), (400, 0));
    wordpress["action_parameters"]["id"] = json!(CLOUDFLARE);
    bench.put_rules(MANAGED, json!([wordpress])).await.result();
}

#[tokio::test]
async fn rulesets_of_the_vendor_get_new_versions() {
    let bench = on("pro").await;
    let before = bench.running.managed_ruleset(OWASP).unwrap().unwrap();
    let gone = "00000000000000000000000000942100";
    let rule = overriding(json!({"rules": [{"id": gone, "enabled": false}]}));
    let deployed = bench.put_rules(MANAGED, json!([rule.clone()])).await;
    let mut after = before.clone();
    after["version"] = json!("36");
    let rules = after["rules"].as_array_mut().unwrap();
    rules.retain(|rule| rule["id"] != gone);
    rules[0]["categories"] = json!(["paranoia-level-4"]);
    bench.running.replace_managed_ruleset(&after).unwrap();
    let path = format!("/{OWASP}");
    let seen = bench.rulesets(Method::GET, &path, None).await;
    assert_eq!((&seen.result()["version"], column(seen.result(), "id").len()), (&json!("36"), 210));
    assert_eq!(seen.result()["rules"][0]["categories"], json!(["paranoia-level-4"]));
    let versions = bench.account_rulesets(Method::GET, &format!("{path}/versions"), None).await;
    assert_eq!(versions.column("version"), ["35", "36"]);
    let former = bench.account_rulesets(Method::GET, &format!("{path}/versions/35"), None).await;
    assert_eq!(former.result(), &before);
    // A deployment of an old version stays as it is, but cannot be written again.
    assert_eq!(bench.entry(MANAGED).await.result(), deployed.result());
    assert_eq!(bench.put_rules(MANAGED, json!([rule])).await.refusal(), (400, 0));
    // Without a version, the next one is used.
    after.as_object_mut().unwrap().shift_remove("version");
    bench.running.replace_managed_ruleset(&after).unwrap();
    assert_eq!(bench.rulesets(Method::GET, &path, None).await.result()["version"], "37");
    assert_eq!(bench.running.managed_ruleset("x").unwrap(), None);
    let list = bench.rulesets(Method::GET, "", None).await;
    assert_eq!(list.column("id").iter().filter(|id| *id == OWASP).count(), 1);
}
