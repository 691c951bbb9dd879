//! Reading and writing rulesets: entry points, single rules, positions, versions.

use reqwest::Method;
use serde_json::{Value, json};
use zonewright::sandbox::{ACCOUNT_ID, Profile};

use super::support::{Bench, Reply, keys};

/// The phase of custom rules.
pub(crate) const CUSTOM: &str = "http_request_firewall_custom";
/// The phase of managed rulesets.
pub(crate) const MANAGED: &str = "http_request_firewall_managed";
/// The OWASP ruleset.
pub(crate) const OWASP: &str = "4814384a9e5d4991b9815dcfc25d2f1f";
/// Its rule that compares the score.
pub(crate) const ANOMALY: &str = "6179ae15870a4bb7b2d480d4843b323c";

/// Returns a sandbox whose zone is on a plan.
pub(crate) async fn on(tier: &str) -> Bench {
    Bench::with(Profile { tier: tier.to_owned(), ..Profile::default() }).await
}

impl Bench {
    /// Returns a request about rulesets of the zone; `path` continues `/rulesets`.
    pub(crate) async fn rulesets(&self, method: Method, path: &str, body: Option<Value>) -> Reply {
        self.send(method, &format!("/zones/{}/rulesets{path}", self.zone), body).await
    }

    /// Returns the same of the account.
    pub(crate) async fn account_rulesets(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Reply {
        self.send(method, &format!("/accounts/{ACCOUNT_ID}/rulesets{path}"), body).await
    }

    /// GET of an entry point.
    pub(crate) async fn entry(&self, phase: &str) -> Reply {
        self.rulesets(Method::GET, &format!("/phases/{phase}/entrypoint"), None).await
    }

    /// PUT of an entry point.
    pub(crate) async fn put_entry(&self, phase: &str, body: Value) -> Reply {
        self.rulesets(Method::PUT, &format!("/phases/{phase}/entrypoint"), Some(body)).await
    }

    /// PUT of the rules of an entry point.
    pub(crate) async fn put_rules(&self, phase: &str, rules: Value) -> Reply {
        self.put_entry(phase, json!({ "rules": rules })).await
    }
}

/// Returns a blocking rule of custom rules.
pub(crate) fn block(reference: &str) -> Value {
    json!({"action": "block", "expression": "http.host eq \"a.example\"", "ref": reference})
}

/// Returns the messages of all errors.
pub(crate) fn messages(reply: &Reply) -> Vec<&str> {
    assert_eq!(reply.body["success"], false, "{}", reply.text);
    reply.body["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["message"].as_str().unwrap())
        .collect()
}

/// Returns one member of every rule of an answered ruleset.
pub(crate) fn column(ruleset: &Value, member: &str) -> Vec<String> {
    let rules = ruleset["rules"].as_array().cloned().unwrap_or_default();
    rules.iter().map(|rule| rule[member].as_str().unwrap_or("-").to_owned()).collect()
}

#[tokio::test]
async fn an_absent_entry_point_is_told_from_everything_else() {
    let bench = Bench::new().await;
    let absent = bench.entry(MANAGED).await;
    assert_eq!(absent.refusal(), (404, 10003));
    let message = "could not find entrypoint ruleset in the http_request_firewall_managed phase";
    assert_eq!(messages(&absent), [message]);
    assert!(absent.body["messages"].is_null() && absent.body["result"].is_null());
    let other = Bench::with(Profile { null_messages: false, ..Profile::default() }).await;
    assert_eq!(other.entry(MANAGED).await.body["messages"], json!([]));
    let versions =
        bench.rulesets(Method::GET, &format!("/phases/{MANAGED}/entrypoint/versions"), None).await;
    assert_eq!(versions.result(), &json!([]));
    assert_eq!(bench.entry("http_request_firewall").await.refusal(), (400, 0));
    let unknown = bench.rulesets(Method::GET, &format!("/{}", "a".repeat(32)), None).await;
    assert_eq!(
        (unknown.refusal(), messages(&unknown)),
        ((404, 10003), vec!["could not find ruleset"])
    );
}

#[tokio::test]
async fn put_creates_and_replaces() {
    let bench = Bench::new().await;
    let created = bench.put_rules(CUSTOM, json!([block("a"), block("b")])).await;
    let first = created.result().clone();
    let members = [
        "id",
        "name",
        "description",
        "source",
        "kind",
        "version",
        "last_updated",
        "phase",
        "rules",
    ];
    assert_eq!(keys(&first), members);
    assert_eq!(
        (&first["name"], &first["kind"], &first["version"]),
        (&json!("default"), &json!("zone"), &json!("1"))
    );
    let rule = ["id", "version", "action", "expression", "last_updated", "ref", "enabled"];
    assert_eq!(keys(&first["rules"][0]), rule);
    assert_eq!(first["rules"][0]["enabled"], true);
    // A PUT without rules leaves them as they are.
    let described = bench.put_entry(CUSTOM, json!({"description": "ours", "name": "rules"})).await;
    let mut expected = first.clone();
    expected["description"] = json!("ours");
    expected["name"] = json!("rules");
    expected["version"] = json!("2");
    expected["last_updated"] = described.result()["last_updated"].clone();
    assert_eq!(described.result(), &expected);
    // A rule with the same ref or id is kept; without both it is a new rule.
    let mut changed = block("b");
    changed["enabled"] = json!(false);
    let nameless = json!({"action": "block", "expression": "ssl"});
    let again = bench.put_rules(CUSTOM, json!([changed, block("a"), nameless])).await;
    let ids = |ruleset: &Value| column(ruleset, "id");
    assert_eq!(ids(again.result())[..2], [ids(&first)[1].clone(), ids(&first)[0].clone()]);
    assert_eq!(column(again.result(), "version"), ["2", "1", "1"]);
    assert_eq!(again.result()["rules"][2]["ref"], again.result()["rules"][2]["id"]);
    let third = bench.put_rules(CUSTOM, json!([{"action": "block", "expression": "ssl"}])).await;
    assert_ne!(ids(third.result())[0], ids(again.result())[2]);
    let by_id = json!([{"id": ids(third.result())[0], "action": "block", "expression": "ssl", "ref": "named"}]);
    let named = bench.put_rules(CUSTOM, by_id).await;
    assert_eq!(
        (ids(named.result()), column(named.result(), "version")),
        (ids(third.result()), vec!["2".to_owned()])
    );
    let stranger = json!([{"id": "a".repeat(32), "action": "block", "expression": "ssl"}]);
    assert_eq!(bench.put_rules(CUSTOM, stranger).await.status, 400);
    // An emptied entry point has no rules, and still exists.
    let empty = bench.put_rules(CUSTOM, json!([])).await;
    assert!(empty.result().get("rules").is_none());
    assert_eq!(bench.entry(CUSTOM).await.result(), empty.result());
    // An identical PUT makes a version, too.
    assert_eq!(bench.put_rules(CUSTOM, json!([])).await.result()["version"], "7");
}

#[tokio::test]
async fn post_creates_once() {
    let bench = Bench::new().await;
    let body = json!({"name": "mine", "kind": "zone", "phase": CUSTOM, "rules": [block("a")], "description": "d"});
    let created = bench.rulesets(Method::POST, "", Some(body.clone())).await;
    assert_eq!(
        (&created.result()["name"], &created.result()["version"]),
        (&json!("mine"), &json!("1"))
    );
    let second = bench.rulesets(Method::POST, "", Some(body)).await;
    assert_eq!(second.refusal(), (400, 20217));
    let expected = "'zone' is not a valid value for kind because exceeded maximum number of zone rulesets for phase \
        http_request_firewall_custom";
    assert_eq!(messages(&second), [expected]);
    assert_eq!(second.body["errors"][0]["source"], json!({"pointer": "/kind"}));
    for bad in [
        json!({"name": "x", "kind": "custom", "phase": "http_ratelimit"}),
        json!({"name": "x", "kind": "managed", "phase": "http_ratelimit"}),
        json!({"name": "", "kind": "zone", "phase": "http_ratelimit"}),
        json!({"kind": "zone", "phase": "http_ratelimit"}),
        json!({"name": "x", "kind": "zone", "phase": "http_rate_limit"}),
        json!({"name": "x", "kind": "zone", "phase": "http_ratelimit", "source": "y"}),
    ] {
        assert_eq!(
            bench.rulesets(Method::POST, "", Some(bad.clone())).await.refusal(),
            (400, 0),
            "{bad}"
        );
    }
    let account = json!({"name": "x", "kind": "root", "phase": MANAGED});
    assert!(
        bench.account_rulesets(Method::POST, "", Some(account.clone())).await.result()["id"]
            .is_string()
    );
    let second = bench.account_rulesets(Method::POST, "", Some(account)).await;
    assert_eq!(second.refusal(), (400, 20217));
    assert!(messages(&second)[0].starts_with("'root' is not a valid value for kind"));
}

#[tokio::test]
async fn put_by_identifier_keeps_kind_and_phase() {
    let bench = Bench::new().await;
    let id = bench.put_rules(CUSTOM, json!([block("a")])).await.id();
    let path = format!("/{id}");
    let put = |body: Value| bench.rulesets(Method::PUT, &path, Some(body));
    let same =
        put(json!({"name": "n", "kind": "zone", "phase": CUSTOM, "rules": [block("b")]})).await;
    assert_eq!(
        (column(same.result(), "ref"), &same.result()["name"]),
        (vec!["b".to_owned()], &json!("n"))
    );
    assert_eq!(put(json!({"kind": "root"})).await.refusal(), (400, 0));
    assert_eq!(put(json!({"phase": MANAGED})).await.refusal(), (400, 0));
    assert_eq!(
        messages(&put(json!({"rules": {}})).await),
        ["invalid JSON: field \"rules\" must be an array"]
    );
    assert_eq!(bench.entry(CUSTOM).await.result(), same.result());
    let managed =
        bench.rulesets(Method::PUT, &format!("/{OWASP}"), Some(json!({"name": "x"}))).await;
    assert_eq!(managed.status, 400);
}

#[tokio::test]
async fn patch_of_a_rule_replaces_it() {
    let bench = Bench::new().await;
    let rule = json!({"action": "skip", "action_parameters": {"ruleset": "current"}, "expression": "ssl",
        "description": "d", "enabled": false, "logging": {"enabled": false}, "ref": "r"});
    let ruleset = bench.put_rules(CUSTOM, json!([rule, block("other")])).await;
    let (id, rule) = (ruleset.id(), column(ruleset.result(), "id")[0].clone());
    let path = format!("/{id}/rules/{rule}");
    let patch = |body: Value| bench.rulesets(Method::PATCH, &path, Some(body));
    let answer = patch(json!({"action": "block", "expression": "ssl"})).await;
    let after = &answer.result()["rules"][0];
    assert_eq!(
        keys(after),
        ["id", "version", "action", "expression", "last_updated", "ref", "enabled"]
    );
    assert_eq!((&after["id"], &after["ref"]), (&json!(rule), &json!("r")));
    assert_eq!((&after["version"], &after["enabled"]), (&json!("2"), &json!(true)));
    assert_eq!(answer.result()["version"], "2");
    assert_eq!(answer.result()["rules"][1], ruleset.result()["rules"][1]);
    // The same definition again: a new version of the ruleset, but not of the rule.
    let same = patch(json!({"action": "block", "expression": "ssl", "ref": "r"})).await;
    assert_eq!((&same.result()["version"], &same.result()["rules"][0]), (&json!("3"), after));
    for (body, code, text) in [
        (
            json!({"action_parameters": {"ruleset": "current"}}),
            0,
            "action is required for action parameters",
        ),
        (json!({"enabled": false}), 0, "action is required"),
        (json!({}), 0, "action is required"),
        (
            json!({"action": "block"}),
            20125,
            "'' is not a valid value for expression because the expression cannot be blank",
        ),
        (
            json!({"action": "block", "expression": "ssl", "statusx": 1}),
            0,
            "invalid JSON: unknown field \"statusx\"",
        ),
        (
            json!({"action": "block", "expression": "ssl", "enabled": "yes"}),
            0,
            "invalid JSON: field \"enabled\" must be a boolean",
        ),
    ] {
        let refused = patch(body.clone()).await;
        assert_eq!((refused.refusal(), messages(&refused)), ((400, code), vec![text]), "{body}");
    }
    assert_eq!(bench.entry(CUSTOM).await.result(), same.result());
    let missing =
        bench.rulesets(Method::PATCH, &format!("/{id}/rules/{id}"), Some(block("x"))).await;
    assert_eq!(missing.refusal(), (404, 10003));
}

#[tokio::test]
async fn rules_are_added_and_deleted() {
    let bench = Bench::new().await;
    let id = bench.put_rules(CUSTOM, json!([block("a"), block("b")])).await.id();
    let path = format!("/{id}/rules");
    let first = bench.entry(CUSTOM).await;
    let ids = column(first.result(), "id");
    let mut expected = vec!["a", "b"];
    for (reference, position, at) in [
        ("c", None, 2),
        ("d", Some(json!({"index": 1})), 0),
        ("e", Some(json!({"before": ids[1]})), 2),
    ] {
        let mut rule = block(reference);
        if let Some(position) = position {
            rule["position"] = position;
        }
        let answer = bench.rulesets(Method::POST, &path, Some(rule)).await;
        expected.insert(at, reference);
        assert_eq!(column(answer.result(), "ref"), expected, "{}", answer.text);
        assert!(answer.result()["rules"][at].get("position").is_none());
    }
    assert_eq!(bench.entry(CUSTOM).await.result()["version"], "4");
    let deleted = bench.rulesets(Method::DELETE, &format!("{path}/{}", ids[0]), None).await;
    assert_eq!(
        (column(deleted.result(), "ref"), &deleted.result()["version"]),
        (["d", "e", "b", "c"].map(str::to_owned).to_vec(), &json!("5"))
    );
    let again = bench.rulesets(Method::DELETE, &format!("{path}/{}", ids[0]), None).await;
    assert_eq!(again.refusal(), (404, 10003));
}

#[tokio::test]
async fn rules_are_moved() {
    let bench = Bench::new().await;
    let ruleset = bench.put_rules(CUSTOM, json!([block("a"), block("b"), block("c")])).await;
    let (id, ids) = (ruleset.id(), column(ruleset.result(), "id"));
    let path = |rule: usize| format!("/{id}/rules/{}", ids[rule]);
    for (rule, position, expected) in [
        (2, json!({"before": ""}), ["c", "a", "b"]),
        (2, json!({"after": ""}), ["a", "b", "c"]),
        (0, json!({"index": 3}), ["b", "c", "a"]),
        (0, json!({"before": ids[2]}), ["b", "a", "c"]),
        (1, json!({"after": ids[0]}), ["a", "b", "c"]),
    ] {
        let moved =
            bench.rulesets(Method::PATCH, &path(rule), Some(json!({"position": position}))).await;
        assert_eq!(column(moved.result(), "ref"), expected, "{position}");
        assert_eq!(column(moved.result(), "version"), ["1", "1", "1"]);
    }
    let before = bench.entry(CUSTOM).await;
    assert_eq!(before.result()["version"], "6");
    for bad in [
        json!({}),
        json!({"index": 0}),
        json!({"index": 4}),
        json!({"index": "1"}),
        json!({"before": "x"}),
        json!({"before": ids[0]}),
        json!({"before": "", "index": 1}),
        json!({"first": true}),
    ] {
        let refused = bench.rulesets(Method::PATCH, &path(0), Some(json!({"position": bad}))).await;
        assert_eq!(refused.refusal(), (400, 0), "{bad}");
    }
    let nowhere = json!({"position": {"index": 2}});
    assert_eq!(
        bench.rulesets(Method::PATCH, &path(1), Some(nowhere.clone())).await.refusal(),
        (400, 20011)
    );
    // A definition and a position in one request.
    let mut both = block("a");
    both["action"] = json!("managed_challenge");
    both["position"] = json!({"after": ""});
    let answer = bench.rulesets(Method::PATCH, &path(0), Some(both)).await;
    assert_eq!(
        (column(answer.result(), "ref"), column(answer.result(), "version")),
        (["b", "c", "a"].map(str::to_owned).to_vec(), ["1", "1", "2"].map(str::to_owned).to_vec())
    );
    let lenient = Bench::with(Profile { refuse_needless_moves: false, ..Profile::default() }).await;
    let ruleset = lenient.put_rules(CUSTOM, json!([block("a"), block("b")])).await;
    let path = format!("/{}/rules/{}", ruleset.id(), column(ruleset.result(), "id")[1]);
    assert_eq!(
        lenient.rulesets(Method::PATCH, &path, Some(nowhere)).await.result()["version"],
        "2"
    );
}

#[tokio::test]
async fn versions_are_kept() {
    let bench = Bench::new().await;
    let id = bench.put_rules(CUSTOM, json!([block("a")])).await.id();
    bench.put_rules(CUSTOM, json!([block("a"), block("b")])).await.result();
    let versions = bench.rulesets(Method::GET, &format!("/{id}/versions"), None).await;
    assert_eq!(versions.column("version"), ["1", "2"]);
    let members = ["id", "name", "description", "kind", "version", "last_updated", "phase"];
    assert_eq!(keys(&versions.result()[0]), members);
    let first = bench.rulesets(Method::GET, &format!("/{id}/versions/1"), None).await;
    assert_eq!(column(first.result(), "ref"), ["a"]);
    let through_phase = format!("/phases/{CUSTOM}/entrypoint/versions");
    assert_eq!(bench.rulesets(Method::GET, &through_phase, None).await.result(), versions.result());
    let same = bench.rulesets(Method::GET, &format!("{through_phase}/1"), None).await;
    assert_eq!(same.result(), first.result());
    assert_eq!(
        bench.rulesets(Method::DELETE, &format!("/{id}/versions/2"), None).await.refusal(),
        (400, 0)
    );
    let deleted = bench.rulesets(Method::DELETE, &format!("/{id}/versions/1"), None).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (204, ""));
    for path in [
        format!("/{id}/versions/1"),
        format!("{through_phase}/1"),
        format!("/{id}/versions/latest"),
    ] {
        assert_eq!(
            bench.rulesets(Method::GET, &path, None).await.refusal(),
            (404, 10003),
            "{path}"
        );
    }
    let gone = bench.rulesets(Method::DELETE, &format!("/{id}"), None).await;
    assert_eq!((gone.status, gone.text.as_str()), (204, ""));
    assert_eq!(bench.entry(CUSTOM).await.refusal(), (404, 10003));
    assert_eq!(bench.put_rules(CUSTOM, json!([])).await.result()["version"], "1");
}

#[tokio::test]
async fn lists_mix_what_is_own_and_the_vendors() {
    let bench = Bench::new().await;
    bench.put_rules(CUSTOM, json!([block("a")])).await.result();
    let list = bench.rulesets(Method::GET, "", None).await;
    assert_eq!(list.column("kind")[..2], ["zone", "managed"]);
    assert!(list.body.get("result_info").is_none());
    assert!(list.result().as_array().unwrap().iter().all(|ruleset| ruleset.get("rules").is_none()));
    let all = bench.account_rulesets(Method::GET, "", None).await;
    assert!(all.column("kind").iter().all(|kind| kind == "managed"));
    // Page by page it is the same list.
    let mut seen = Vec::new();
    let mut query = "?per_page=2".to_owned();
    loop {
        let page = bench.account_rulesets(Method::GET, &query, None).await;
        seen.extend(page.column("id"));
        match page.body["result_info"]["cursors"]["after"].as_str() {
            Some(after) => query = format!("?per_page=2&cursor={after}"),
            None => break,
        }
    }
    assert_eq!(seen, all.column("id"));
    assert_eq!(bench.account_rulesets(Method::GET, "?cursor=x", None).await.refusal(), (400, 0));
    let small = Bench::with(Profile { ruleset_page_limit: 2, ..Profile::default() }).await;
    let page = small.rulesets(Method::GET, "?per_page=50", None).await;
    assert_eq!(page.column("id").len(), 2);
    assert!(page.body["result_info"]["cursors"]["after"].is_string());
}

#[tokio::test]
async fn accounts_and_zones_are_apart() {
    let bench = Bench::new().await;
    let zone = bench.put_rules(CUSTOM, json!([block("a")])).await.id();
    let body = json!({"name": "c", "kind": "custom", "phase": CUSTOM, "rules": [block("a")]});
    let custom = bench.account_rulesets(Method::POST, "", Some(body)).await.id();
    assert_eq!(
        bench.rulesets(Method::GET, &format!("/{custom}"), None).await.refusal(),
        (404, 10003)
    );
    assert_eq!(
        bench.account_rulesets(Method::GET, &format!("/{zone}"), None).await.refusal(),
        (404, 10003)
    );
    let stranger =
        bench.send(Method::GET, &format!("/accounts/{}/rulesets", "a".repeat(32)), None).await;
    assert_eq!(stranger.refusal(), (403, 10000));
    let stranger =
        bench.send(Method::GET, &format!("/zones/{}/rulesets", "a".repeat(32)), None).await;
    assert_eq!(stranger.refusal(), (403, 9109));
    // The account's rules run for its zones when they are executed, and an executed ruleset cannot
    // be deleted.
    let mut deploy = json!({"rules": [{"action": "execute", "action_parameters": {"id": custom}, "expression": "ssl"}]});
    let path = format!("/phases/{CUSTOM}/entrypoint");
    let refused = bench.account_rulesets(Method::PUT, &path, Some(deploy.clone())).await;
    assert_eq!((refused.refusal(), messages(&refused).len()), ((400, 0), 1));
    deploy["rules"][0]["expression"] = json!("(cf.zone.plan eq \"ENT\")");
    let root = bench.account_rulesets(Method::PUT, &path, Some(deploy)).await;
    assert_eq!(
        (&root.result()["kind"], &root.result()["rules"][0]["action_parameters"]),
        (&json!("root"), &json!({"id": custom, "version": "latest"}))
    );
    assert_eq!(
        bench.account_rulesets(Method::DELETE, &format!("/{custom}"), None).await.refusal(),
        (400, 0)
    );
    bench.account_rulesets(Method::PUT, &path, Some(json!({"rules": []}))).await.result();
    assert_eq!(
        bench.account_rulesets(Method::DELETE, &format!("/{custom}"), None).await.status,
        204
    );
    // The rulesets of a zone are deleted with it.
    bench.send(Method::DELETE, &format!("/zones/{}", bench.zone), None).await.result();
    let again =
        json!({"zones": [{"name": "example.org", "rulesets": [{"id": zone, "phase": CUSTOM}]}]});
    bench.running.seed(&again).unwrap();
}

#[tokio::test]
async fn answers_are_indented() {
    let bench = on("pro").await;
    let created =
        bench.put_entry(CUSTOM, json!({"rules": [{"action": "block", "expression": "ssl"}]})).await;
    assert!(created.text.starts_with("{\n  \"result\": {\n    \"id\": \""), "{}", created.text);
    assert!(
        created.text.contains("\n  \"success\": true,\n  \"errors\": [],\n"),
        "{}",
        created.text
    );
    let refused = bench.put_entry(CUSTOM, json!({"rules": [{"expression": "ssl"}]})).await;
    assert!(refused.text.contains("\n  \"success\": false,\n"), "{}", refused.text);
    assert!(bench.list("").await.text.contains("\"success\":true,"), "records are not");
}
