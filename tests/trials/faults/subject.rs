//! The specs that are applied while the sandbox fails.

use serde_json::{Value as Json, json};
use zonewright::sandbox::{LoggedRequest, Profile, What};

use super::catalogue::{Kind, Trouble};
use super::stage::Ran;

/// A spec, and a sandbox that is not in sync with it.
pub(crate) struct Subject {
    /// Switches of the sandbox.
    pub(crate) profile: Profile,
    /// The initial state of the sandbox.
    pub(crate) seed: Json,
    /// The desired state.
    pub(crate) spec: String,
    /// The number of deletes that this takes.
    pub(crate) deletes: u64,
    /// The path of a read in the middle of reading.
    later: &'static str,
    /// The writes that someone else may make.
    pub(crate) others: fn(&Json) -> Vec<Trouble>,
}

/// When a fault strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The first request of all.
    FirstRead,
    /// A read in the middle.
    LaterRead,
    /// The first write, which has no effect.
    BeforeWrite,
    /// The first write, which has its effect.
    AfterWrite,
    /// A write in the middle.
    HalfWay,
    /// The first read after the last write.
    ReadBack,
}

impl Moment {
    pub(crate) const ALL: [Self; 6] = [
        Self::FirstRead,
        Self::LaterRead,
        Self::BeforeWrite,
        Self::AfterWrite,
        Self::HalfWay,
        Self::ReadBack,
    ];

    /// Returns the head of its column.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::FirstRead => "first read",
            Self::LaterRead => "later read",
            Self::BeforeWrite => "first write, no effect",
            Self::AfterWrite => "first write, with effect",
            Self::HalfWay => "middle write",
            Self::ReadBack => "verification",
        }
    }

    /// Returns the fault at this moment, if it is possible.
    pub(crate) fn strike(self, trouble: &Trouble) -> Option<What> {
        let Trouble { before, after, .. } = trouble;
        let is_read = *trouble.either() == What::StaleRead;
        match self {
            Self::BeforeWrite => before.clone(),
            Self::AfterWrite if is_read => None,
            Self::HalfWay if is_read => None,
            Self::AfterWrite => after.clone(),
            Self::HalfWay => after.clone().or_else(|| before.clone()),
            Self::FirstRead | Self::LaterRead | Self::ReadBack => {
                before.clone().or_else(|| after.clone())
            }
        }
    }
}

impl Trouble {
    /// Returns one of its sides.
    fn either(&self) -> &What {
        self.before.as_ref().or(self.after.as_ref()).expect("it has a side")
    }
}

impl Subject {
    /// Returns the numbers of the requests at all moments, as a run without faults has them.
    pub(crate) fn moments(&self, quiet: &Ran) -> [u64; 6] {
        let number = |n: usize| n as u64 + 1;
        let writes: Vec<usize> = quiet
            .requests
            .iter()
            .enumerate()
            .filter(|(_, r)| is_effective(r))
            .map(|(n, _)| n)
            .collect();
        assert!(writes.len() >= 3, "there is a write in the middle: {:?}", quiet.said);
        let later =
            quiet.requests.iter().position(|r| r.path.contains(self.later)).expect("it is read");
        let last = writes[writes.len() - 1];
        assert!(later < writes[0] && last + 1 < quiet.requests.len(), "{:#?}", quiet.requests);
        [
            1,
            number(later),
            number(writes[0]),
            number(writes[0]),
            number(writes[writes.len() / 2]),
            number(last + 1),
        ]
    }
}

/// Returns true if a request had an effect. A probe for batches, if there are none, has none.
pub(crate) fn is_effective(request: &LoggedRequest) -> bool {
    request.method != "GET" && request.handled == Some(200)
}

/// Returns a write of someone else, before or after a request of ours.
fn writer(name: &str, method: &str, path: String, body: Json) -> Trouble {
    let (method, after) = (method.to_owned(), body.clone());
    Trouble {
        name: name.to_owned(),
        before: Some(What::AnotherWriter { method: method.clone(), path: path.clone(), body }),
        after: Some(What::AnotherWriterAfter { method, path, body: after }),
        kind: Kind::Writer,
    }
}

/// Returns records, sent in batches of three.
pub(crate) fn batches() -> Subject {
    records(Profile { page_limit: 5, rate_limit: None, ..Profile::default() })
}

/// Returns records, one request for each.
pub(crate) fn single() -> Subject {
    records(Profile { page_limit: 5, rate_limit: None, batch: false, ..Profile::default() })
}

/// Returns records of all kinds of change, with others among them.
fn records(profile: Profile) -> Subject {
    let a = |name: &str, content: &str| json!({ "type": "A", "name": format!("{name}.example.com"), "content": content, "ttl": 300 });
    let mut live: Vec<Json> =
        (1..=6).map(|n| a(&format!("foreign-{n}"), &format!("192.0.2.{n}"))).collect();
    live.extend([
        a("keep", "192.0.2.11"),
        a("other-ttl", "192.0.2.12"),
        a("other-address", "192.0.2.13"),
        a("gone", "192.0.2.14"),
        json!({ "type": "CNAME", "name": "swap.example.com", "content": "target.example.net", "ttl": 300 }),
    ]);
    let spec = "version: 1
zones:
  example.com:
    records:
      - { name: keep, type: A, content: 192.0.2.11, ttl: 300 }
      - { name: new, type: A, content: [192.0.2.21, 192.0.2.22], ttl: 300 }
      - { name: text, type: TXT, content: some words, ttl: 300 }
      - { name: other-ttl, type: A, content: 192.0.2.12, ttl: 600 }
      - { name: other-address, type: A, content: 192.0.2.23, ttl: 300 }
      - { name: gone, type: A, state: absent }
      - { name: swap, type: A, content: 192.0.2.24, ttl: 300 }
";
    Subject {
        profile,
        seed: json!({ "zones": [{ "name": "example.com", "records": live }] }),
        spec: spec.to_owned(),
        deletes: 2,
        later: "&page=2",
        others: |dump| {
            let zone = &dump["zones"][0];
            let base = format!("/zones/{}/dns_records", zone["id"].as_str().expect("it has an id"));
            let at = |name: &str| {
                let record =
                    zone["records"].as_array().into_iter().flatten().find(|r| r["name"] == name);
                format!(
                    "{base}/{}",
                    record.expect("it is there")["id"].as_str().expect("it has an id")
                )
            };
            let create = |name: &str, content: &str| json!({ "type": "A", "name": name, "content": content, "ttl": 300 });
            let change = json!({ "comment": "changed meanwhile" });
            vec![
                writer(
                    "someone adds a record",
                    "POST",
                    base.clone(),
                    create("foreign-new.example.com", "192.0.2.99"),
                ),
                writer(
                    "someone deletes a record",
                    "DELETE",
                    at("foreign-2.example.com"),
                    Json::Null,
                ),
                writer(
                    "someone adds the same record",
                    "POST",
                    base.clone(),
                    create("new.example.com", "192.0.2.21"),
                ),
                writer(
                    "someone adds the same record with another TTL",
                    "POST",
                    base.clone(),
                    json!({ "type": "A", "name": "new.example.com", "content": "192.0.2.21", "ttl": 900 }),
                ),
                writer(
                    "someone changes the record that the plan changes",
                    "PATCH",
                    at("other-address.example.com"),
                    json!({ "content": "192.0.2.77" }),
                ),
                writer(
                    "someone deletes the record that the plan changes",
                    "DELETE",
                    at("other-ttl.example.com"),
                    Json::Null,
                ),
                writer(
                    "someone changes the record that the plan deletes",
                    "PATCH",
                    at("gone.example.com"),
                    change,
                ),
            ]
        },
    }
}

/// Returns custom rules: one is changed, one moves, one is new, one is deleted; others are between
/// them.
pub(crate) fn rules() -> Subject {
    const PHASE: &str = "http_request_firewall_custom";
    let rule = |name: &str, host: &str| json!({ "ref": name, "description": name, "expression": format!("http.host eq \"{host}.example.com\""), "action": "block", "enabled": true });
    let live =
        ["foreign-1", "kept", "gone", "foreign-2", "changed", "moved"].map(|name| rule(name, name));
    let spec = r#"version: 1
zones:
  example.com:
    waf:
      custom:
        - { name: changed, description: changed, when: 'http.host eq "other.example.com"', action: block }
        - { name: moved, description: moved, when: 'http.host eq "moved.example.com"', action: block }
        - { name: gone, state: absent }
        - { name: kept, description: kept, when: 'http.host eq "kept.example.com"', action: block }
        - { name: new, description: new, when: 'http.host eq "new.example.com"', action: managed_challenge }
      rate_limits:
        - { name: slow, description: slow, when: 'http.host eq "slow.example.com"', per: [ip], limit: 100 in 1m, then: block for 1m }
"#;
    Subject {
        profile: Profile { tier: "business".to_owned(), rate_limit: None, ..Profile::default() },
        seed: json!({ "zones": [{ "name": "example.com", "plan": "business", "records": [], "rulesets": [
            { "phase": PHASE, "kind": "zone", "name": "default", "rules": live }] }] }),
        spec: spec.to_owned(),
        deletes: 1,
        later: "/entrypoint",
        others: |dump| {
            let zone = &dump["zones"][0];
            let ruleset =
                zone["rulesets"].as_array().into_iter().flatten().find(|r| r["phase"] == PHASE);
            let ruleset = ruleset.expect("it is there");
            let base = format!(
                "/zones/{}/rulesets/{}/rules",
                zone["id"].as_str().expect("an id"),
                ruleset["id"].as_str().expect("an id")
            );
            let at = |name: &str| {
                let rule =
                    ruleset["rules"].as_array().into_iter().flatten().find(|r| r["ref"] == name);
                format!(
                    "{base}/{}",
                    rule.expect("it is there")["id"].as_str().expect("it has an id")
                )
            };
            let body = |name: &str| json!({ "ref": name, "description": name, "expression": "http.host eq \"x.example.com\"", "action": "block" });
            vec![
                writer("someone adds a rule", "POST", base.clone(), body("foreign-new")),
                writer("someone deletes a rule", "DELETE", at("foreign-2"), Json::Null),
                writer("someone adds a rule with the same name", "POST", base.clone(), body("new")),
                writer(
                    "someone changes the rule that the plan changes",
                    "PATCH",
                    at("changed"),
                    body("changed"),
                ),
                writer(
                    "someone deletes the rule that the plan changes",
                    "DELETE",
                    at("changed"),
                    Json::Null,
                ),
            ]
        },
    }
}

/// Returns the zone itself: three settings, DNSSEC, and its DNS settings.
pub(crate) fn settings() -> Subject {
    let spec = r#"version: 1
zones:
  example.com:
    settings: { always_use_https: true, min_tls_version: "1.2", ssl: strict }
    dnssec: on
    dns_settings: { ns_ttl: 3600, soa: { refresh: 9999 } }
"#;
    Subject {
        profile: Profile { tier: "pro".to_owned(), rate_limit: None, ..Profile::default() },
        seed: json!({ "zones": [{ "name": "example.com", "plan": "pro", "records": [],
            "settings": { "brotli": "off", "ssl": "full" } }] }),
        spec: spec.to_owned(),
        deletes: 0,
        later: "/settings/min_tls_version",
        others: |dump| {
            let base =
                format!("/zones/{}/settings", dump["zones"][0]["id"].as_str().expect("an id"));
            let at = |name: &str| format!("{base}/{name}");
            vec![
                writer(
                    "someone changes another setting",
                    "PATCH",
                    at("brotli"),
                    json!({ "value": "on" }),
                ),
                writer(
                    "someone makes the same change",
                    "PATCH",
                    at("always_use_https"),
                    json!({ "value": "on" }),
                ),
                writer(
                    "someone changes the setting that the plan changes",
                    "PATCH",
                    at("min_tls_version"),
                    json!({ "value": "1.3" }),
                ),
            ]
        },
    }
}
