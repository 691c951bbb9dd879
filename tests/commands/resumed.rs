//! A partly applied plan file is resumed after each of its requests, always without a new consent.

use serde_json::{Value, json};

use crate::support::concurrently::concurrently;
use crate::support::workspace::{Workspace, options_on};

/// A zone, a spec, and the consents for its plan.
struct Case {
    name: &'static str,
    tier: &'static str,
    records: Value,
    base: Option<&'static str>,
    spec: &'static str,
    consents: &'static [&'static str],
}

/// Returns records of example.com of one type.
fn records(kind: &str, all: &[(&str, &str)]) -> Vec<Value> {
    all.iter()
        .map(|(name, content)| json!({ "type": kind, "name": format!("{name}.example.com"), "content": content, "ttl": 300 }))
        .collect()
}

impl Case {
    /// Returns the zone before the plan.
    fn workspace(&self) -> Workspace {
        let workspace = Workspace::new(options_on(self.tier));
        workspace.plant_records(self.records.clone());
        if let Some(base) = self.base {
            workspace.file("base.yaml", format!("version: 1\nzones:\n{base}"));
        }
        workspace.file("spec.yaml", format!("version: 1\nzones:\n{}", self.spec));
        workspace
    }

    /// Saves the plan.
    fn saved(&self, batch: &str) -> Workspace {
        let workspace = self.workspace();
        let base: &[&str] = if self.base.is_some() { &["--base", "./base.yaml"] } else { &[] };
        let plan = [
            &["plan", "spec.yaml", "--out", "plan.json", "--batch-size", batch][..],
            base,
            self.consents,
        ];
        workspace.run(&plan.concat()).exits(0);
        workspace
    }

    /// Stops after each request, as `kill -9` would, and resumes from there.
    fn is_resumed_anywhere(&self, batch: &str) {
        let whole = self.saved(batch);
        let apply = ["apply", "plan.json", "--yes", "--batch-size", batch];
        whole.run(&apply).exits(0);
        let all = whole.writes();
        assert!(all.len() > 1 || batch != "1", "{}", self.name);
        let ids = |workspace: &Workspace| workspace.dump()["zones"][0]["id"].clone();
        for sent in 0..=all.len() {
            let workspace = self.saved(batch);
            assert_eq!(ids(&workspace), ids(&whole), "the seed is the same");
            for write in &all[..sent] {
                workspace.write(
                    &write.method,
                    &write.path,
                    write.body.as_ref().unwrap_or(&Value::Null),
                );
            }
            let ran = workspace.run(&[&apply[..], &["--resume"]].concat());
            assert_eq!(
                ran.code,
                Some(0),
                "{}, batches of {batch}, after {sent} of {}: {ran:?}",
                self.name,
                all.len()
            );
            workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
        }
    }
}

/// Sets that shrink, grow and change at once.
fn cases() -> Vec<Case> {
    let set = |name: &'static str, count: u8| -> Vec<(&'static str, String)> {
        (1..=count).map(|n| (name, format!("192.0.2.{n}"))).collect()
    };
    let planted = |kind: &str, sets: &[(&'static str, String)]| {
        records(
            kind,
            &sets.iter().map(|(name, content)| (*name, content.as_str())).collect::<Vec<_>>(),
        )
    };
    vec![
        Case {
            name: "a set that shrinks to one value",
            tier: "free",
            records: json!(planted("A", &set("w", 5))),
            base: None,
            spec: "  example.com:\n    unmanaged: prune\n    records:\n      - { name: w, type: A, content: 192.0.2.1 }\n",
            consents: &["--allow-deletes", "4"],
        },
        Case {
            name: "a set that goes, and one that changes, with tombstones",
            tier: "free",
            records: json!([planted("A", &set("gone", 3)), planted("A", &set("w", 3)), records("TXT", &[("w", "one"), ("w", "two")])].concat()),
            base: None,
            spec: "  example.com:
    records:
      - { name: gone, type: A, state: absent }
      - { name: w, type: A, content: [192.0.2.1, 192.0.2.8, 192.0.2.9], ttl: 600 }
      - { name: w, type: A, content: 192.0.2.3, state: absent }
      - { name: w, type: TXT, content: three }
      - { name: w, type: TXT, content: [one, two], state: absent }
",
            consents: &["--allow-deletes", "5", "--allow", "removes-last-address"],
        },
        Case {
            name: "values that are no longer hidden, mail, and a type that changes",
            tier: "free",
            records: json!([
                { "type": "A", "name": "www.example.com", "content": "192.0.2.1", "proxied": true },
                { "type": "A", "name": "www.example.com", "content": "192.0.2.2", "proxied": true },
                { "type": "MX", "name": "example.com", "content": "mx1.example.net", "priority": 10 },
                { "type": "MX", "name": "example.com", "content": "mx2.example.net", "priority": 20 },
                { "type": "CNAME", "name": "blog.example.com", "content": "old.example.net" },
                { "type": "A", "name": "shop.example.com", "content": "192.0.2.5", "proxied": true },
                { "type": "A", "name": "shop.example.com", "content": "192.0.2.6", "proxied": true },
                { "type": "A", "name": "*.example.com", "content": "192.0.2.7" },
            ]),
            base: None,
            spec: "  example.com:
    unmanaged: prune
    records:
      - { name: '*', type: A, content: 192.0.2.7 }
      - { name: www, type: AAAA, content: ['2001:db8::1', '2001:db8::2'], proxied: false }
      - { name: origin, type: A, content: 192.0.2.1, proxied: false }
      - { name: '@', type: MX, content: mx3.example.net, priority: 10 }
      - { name: '@', type: MX, content: mx4.example.net, priority: 20 }
      - { name: '@', type: MX, content: mx5.example.net, priority: 30 }
      - { name: blog, type: A, content: [192.0.2.10, 192.0.2.11] }
      - { name: shop, type: CNAME, content: www.example.com, proxied: false }
",
            consents: &["--allow-deletes", "1", "--allow", "exposes-origin,changes-mail,falls-to-wildcard,removes-last-address,changes-much"],
        },
        Case {
            name: "what the previous spec named goes",
            tier: "free",
            records: json!(planted("A", &set("w", 12))),
            base: Some("  example.com:
    records:
      - { name: w, type: A, content: [192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4, 192.0.2.5, 192.0.2.6, 192.0.2.7, 192.0.2.8, 192.0.2.9, 192.0.2.10, 192.0.2.11, 192.0.2.12], ttl: 300 }
"),
            spec: "  example.com:\n    records:\n      - { name: w, type: A, content: 192.0.2.1, ttl: 600 }\n",
            consents: &["--allow-deletes", "11", "--allow", "spec-shrank,changes-much"],
        },
        Case {
            name: "with a base, a set becomes a smaller one of other values",
            tier: "free",
            records: json!(planted("A", &set("w", 3))),
            base: Some("  example.com:\n    records:\n      - { name: w, type: A, content: [192.0.2.1, 192.0.2.2, 192.0.2.3], ttl: 300 }\n"),
            spec: "  example.com:\n    records:\n      - { name: w, type: A, content: [192.0.2.8, 192.0.2.9], ttl: 300 }\n",
            consents: &["--allow-deletes", "1", "--allow", "changes-much"],
        },
        Case {
            name: "with a base, a set becomes a larger one of other values, beside foreign ones",
            tier: "free",
            records: json!([planted("A", &set("w", 4)), records("TXT", &[("w", "one"), ("w", "two"), ("w", "theirs")])].concat()),
            base: Some("  example.com:
    records:
      - { name: w, type: A, content: [192.0.2.1, 192.0.2.2, 192.0.2.3], ttl: 300 }
      - { name: w, type: TXT, content: [one, two], ttl: 300 }
"),
            spec: "  example.com:
    records:
      - { name: w, type: A, content: [192.0.2.3, 192.0.2.7, 192.0.2.8, 192.0.2.9, 192.0.2.10], ttl: 600 }
      - { name: w, type: TXT, content: [three, four, five], ttl: 300 }
",
            consents: &["--allow-deletes", "2", "--allow", "changes-much,overwrites-foreign"],
        },
        Case {
            name: "a key, a token and a host have successors",
            tier: "free",
            records: json!([
                { "type": "TXT", "name": "k1._domainkey.example.com", "content": "v=DKIM1; k=rsa; p=MIGf" },
                { "type": "TXT", "name": "example.com", "content": "google-site-verification=first" },
                { "type": "TXT", "name": "example.com", "content": "google-site-verification=second" },
                { "type": "CNAME", "name": "shop.example.com", "content": "old.example.net" },
            ]),
            base: None,
            spec: "  example.com:
    records:
      - { name: k1._domainkey, type: TXT, content: 'v=DKIM1; k=rsa; p=MIGf', state: absent }
      - { name: k2._domainkey, type: TXT, content: 'v=DKIM1; k=rsa; p=MIGe' }
      - { name: '@', type: TXT, content: [google-site-verification=first, google-site-verification=second], state: absent }
      - { name: '@', type: TXT, content: [google-site-verification=third, google-site-verification=fourth] }
      - { name: shop, type: CNAME, state: absent }
      - { name: shop, type: A, content: [192.0.2.10, 192.0.2.11] }
      - { name: other, type: A, content: 192.0.2.12 }
",
            consents: &["--allow", "breaks-mail-authentication,changes-mail,changes-much"],
        },
        Case {
            name: "rules, settings and records",
            tier: "business",
            records: json!(planted("A", &set("w", 3))),
            base: None,
            spec: "  example.com:
    unmanaged: prune
    settings: { always_use_https: on, min_tls_version: \"1.2\" }
    waf:
      owasp: { paranoia: 2 }
      exceptions: [{ name: search, when: 'http.request.uri.path eq \"/search\"', skip: { owasp: [942430] }, reason: words }]
      custom:
        - { name: a, when: 'http.host eq \"a.example.com\"', action: block }
        - { name: b, when: 'http.host eq \"b.example.com\"', action: block }
    records:
      - { name: w, type: A, content: 192.0.2.1 }
",
            consents: &["--allow-deletes", "2", "--allow", "weakens-protection,changes-much"],
        },
        Case {
            name: "a zone that is created",
            tier: "business",
            records: json!([]),
            base: None,
            spec: "  example.net:
    create: true
    settings: { always_use_https: on, min_tls_version: \"1.2\" }
    waf:
      custom: [{ name: a, when: 'http.host eq \"a.example.net\"', action: block }]
    records:
      - { name: w, type: A, content: [192.0.2.1, 192.0.2.2] }
",
            consents: &[],
        },
    ]
}

#[test]
fn an_apply_of_a_set_that_stopped_anywhere_is_resumed() {
    let batches = ["1", "2", "200"];
    concurrently(
        cases().into_iter().flat_map(|case| batches.map(|batch| (case.name, batch))),
        |(name, batch)| {
            let case =
                cases().into_iter().find(|case| case.name == name).expect("it is one of them");
            case.is_resumed_anywhere(batch);
        },
    );
}
