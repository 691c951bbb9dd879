//! Each kind of drift, and the resulting edit of the file.

use serde_json::json;
use zonewright::model::ruleset::{EntryPoint, LiveRule, Phase, RuleBody, RuleId};
use zonewright::model::{
    LiveRecord, LiveSetting, LiveZone, Rdata, RecordId, RecordType, Tag, Ttl, Value,
};

use super::{Files, converged, example};
use crate::support::rulesets::{body, deployment, owasp, tuning};

const SPEC: &str = r#"# The shop's zone.
version: 1
include: [more.yaml]
variables:
  WEB: 192.0.2.10   # both hosts
  MAIL: mx1.example.net
  ONCE: "600"
zones:
  example.com:
    unmanaged: prune   # nothing else
    defaults: { comment: web team }
    settings:
      ssl: strict        # never flexible
      always_use_https: on
    dnssec: on
    dns_settings:
      soa: { min_ttl: 600, ttl: 3600 }
    records:
      # The web.
      - { name: "@",   type: A,     content: [192.0.2.1, 192.0.2.2], ttl: 300 } # two of them
      - { name: www,   type: CNAME, content: example.com, proxied: true } # www
      - { name: a,     type: A,     content: "${WEB}", ttl: &short 120 }
      - { name: b,     type: A,     content: "${WEB}", ttl: *short } # b

      # Mail.
      - { name: "@",   type: MX,    content: "10 ${MAIL}" }
      - name: mail # the host
        type: A
        content: 192.0.2.25   # static
        # an hour
        ttl: ${ONCE}
        tags: [team:mail]
      - { name: "@", type: TXT, content: 'v=spf1 -all' }
      - { name: _sip._tcp, type: SRV, data: { priority: 10, weight: 5, port: 5060, target: sip.example.com } }
      - { name: _x._tcp, type: SRV, content: 1 2 3 x.example.com }
      - { name: gone, type: TXT, state: absent } # must not come back
    waf:
      unmanaged: prune
      owasp:
        paranoia: 2      # see TICKET-1
        threshold: medium
        disable:
          - rule: 942430
            reason: search box
      custom:
        # Scanners first.
        - name: scanners
          when: http.user_agent contains "sqlmap"
          action: block
        - { name: login, when: http.request.uri.path eq "/login", action: managed_challenge } # later
"#;

const MORE: &str = "version: 1\nzones:\n  example.com:\n    records:\n      - { name: far, type: A, content: 192.0.2.99 } # elsewhere\n";

/// Someone changes something.
type Meddle = fn(&mut LiveZone);

fn record<'z>(zone: &'z mut LiveZone, name: &str, kind: RecordType) -> &'z mut LiveRecord {
    let name = zone.name.resolve(name).unwrap();
    let is_it = |r: &&mut LiveRecord| r.name == name && r.data.record_type() == Some(kind);
    zone.records.iter_mut().find(is_it).unwrap()
}

fn remove(zone: &mut LiveZone, name: &str, kind: RecordType) {
    let name = zone.name.resolve(name).unwrap();
    zone.records.retain(|r| r.name != name || r.data.record_type() != Some(kind));
}

fn data(kind: RecordType, text: &str) -> Rdata {
    Rdata::from_text(kind, text).unwrap()
}

fn add(zone: &mut LiveZone, name: &str, kind: RecordType, text: &str) {
    let id = RecordId(format!("{:032x}", 1000 + zone.records.len()));
    let like = zone.records[0].clone();
    let name = zone.name.resolve(name).unwrap();
    let record = LiveRecord { id, name, data: data(kind, text), comment: None, ..like };
    zone.records.push(record);
}

fn rules(zone: &mut LiveZone, phase: Phase) -> &mut Vec<LiveRule> {
    match zone.waf.entry_points.get_mut(&phase) {
        Some(EntryPoint::Present(ruleset)) => &mut ruleset.rules,
        _ => panic!("no rules"),
    }
}

fn set(zone: &mut LiveZone, phase: Phase, n: usize, change: impl FnOnce(&mut RuleBody)) {
    change(&mut rules(zone, phase)[n].body);
}

#[test]
fn each_kind_of_drift_touches_the_lines_concerned() {
    let cases: &[(&str, Meddle)] = &[
        ("the time to live of all values", |z| {
            z.records
                .iter_mut()
                .filter(|r| r.name.as_str() == "example.com" && r.data.type_name() == "A")
                .for_each(|r| r.ttl = Ttl::seconds(600).unwrap());
        }),
        ("the time to live of one value", |z| {
            record(z, "@", RecordType::A).ttl = Ttl::seconds(600).unwrap()
        }),
        ("one value of two", |z| {
            record(z, "@", RecordType::A).data = data(RecordType::A, "192.0.2.7")
        }),
        ("one value of two is gone", |z| {
            let gone = data(RecordType::A, "192.0.2.2");
            z.records.retain(|r| r.data != gone);
        }),
        ("one value more", |z| {
            add(z, "@", RecordType::A, "192.0.2.3");
            let like = record(z, "@", RecordType::A).clone();
            let last = z.records.last_mut().unwrap();
            *last = LiveRecord { id: last.id.clone(), data: last.data.clone(), ..like };
        }),
        ("a record is gone", |z| remove(z, "www", RecordType::Cname)),
        ("a record of several lines is gone", |z| remove(z, "mail", RecordType::A)),
        ("a record that was not there", |z| add(z, "new", RecordType::A, "192.0.2.44")),
        ("a record at a name that is there", |z| {
            add(z, "www2.www", RecordType::Txt, "hello: # world")
        }),
        ("a value from a variable used twice", |z| {
            record(z, "a", RecordType::A).data = data(RecordType::A, "192.0.2.11")
        }),
        ("a value with a variable used once", |z| {
            record(z, "@", RecordType::Mx).data = data(RecordType::Mx, "10 mx2.example.net")
        }),
        ("a variable used once", |z| {
            record(z, "mail", RecordType::A).ttl = Ttl::seconds(900).unwrap()
        }),
        ("a value of an anchor", |z| {
            record(z, "a", RecordType::A).ttl = Ttl::seconds(240).unwrap()
        }),
        ("a value of an alias", |z| record(z, "b", RecordType::A).ttl = Ttl::seconds(240).unwrap()),
        ("a default comment", |z| {
            record(z, "www", RecordType::Cname).comment = Some("CDN: \"new\" team".to_owned())
        }),
        ("no comment any more", |z| record(z, "www", RecordType::Cname).comment = None),
        ("not proxied any more", |z| record(z, "www", RecordType::Cname).proxied = false),
        ("proxied", |z| {
            let mail = record(z, "mail", RecordType::A);
            (mail.proxied, mail.ttl) = (true, Ttl::AUTOMATIC);
        }),
        ("tags", |z| {
            record(z, "mail", RecordType::A).tags.insert(Tag::parse("env:x").unwrap());
        }),
        ("parts of a value", |z| {
            record(z, "_sip._tcp", RecordType::Srv).data =
                data(RecordType::Srv, "10 7 5061 sip.example.com")
        }),
        ("a value in presentation form", |z| {
            record(z, "_x._tcp", RecordType::Srv).data =
                data(RecordType::Srv, "1 2 4 x.example.com")
        }),
        ("another type in its place", |z| {
            remove(z, "www", RecordType::Cname);
            add(z, "www", RecordType::A, "192.0.2.80");
        }),
        ("a record that must not exist", |z| add(z, "gone", RecordType::Txt, "back")),
        ("a record of an included file", |z| {
            record(z, "far", RecordType::A).data = data(RecordType::A, "192.0.2.98")
        }),
        ("a setting", |z| {
            let value = LiveSetting::Value {
                value: Value::from("full"),
                editable: true,
                modified_on: None,
            };
            z.settings.settings.insert("ssl".to_owned(), value);
        }),
        ("DNSSEC", |z| z.settings.dnssec.as_mut().unwrap().status = "disabled".to_owned()),
        ("DNS settings", |z| {
            if let Some(Value::Map(soa)) = z.settings.dns_settings.get_mut("soa") {
                soa.insert("min_ttl".to_owned(), Value::from(900u32));
            }
        }),
        ("the action of a rule", |z| set(z, Phase::Custom, 0, |b| b.set("action", "log"))),
        ("the expression of a rule", |z| {
            set(z, Phase::Custom, 1, |b| {
                b.set("expression", "http.request.uri.path eq \"/signin\"")
            })
        }),
        ("a rule is off", |z| set(z, Phase::Custom, 1, |b| b.set("enabled", false))),
        ("a rule is gone", |z| drop(rules(z, Phase::Custom).remove(0))),
        ("a rule that was not there", |z| {
            let body = body(
                json!({ "action": "block", "expression": "ip.src eq 192.0.2.66", "description": "Bad host", "ref": "bad-host" }),
            );
            rules(z, Phase::Custom).push(LiveRule {
                id: RuleId("e".repeat(32)),
                last_updated: None,
                body,
            });
        }),
        ("rules in another order", |z| rules(z, Phase::Custom).swap(0, 1)),
        ("a paranoia level", |z| {
            let managed = deployment(&owasp(), tuning(3, 40, "block"));
            let parameters = managed.get("action_parameters").unwrap().clone();
            set(z, Phase::Managed, 0, |b| b.set("action_parameters", parameters));
        }),
        ("a managed ruleset is off", |z| set(z, Phase::Managed, 0, |b| b.set("enabled", false))),
        ("a managed ruleset is gone", |z| drop(rules(z, Phase::Managed).remove(0))),
    ];
    let mut all = String::new();
    for (title, meddle) in cases {
        let files = Files::new(&[("spec.yaml", SPEC), ("more.yaml", MORE)]);
        let mut live = converged(&files.goal(Default::default()));
        meddle(live.zones.get_mut(&example()).unwrap());
        let pulled = files.pull(&live, &[], false).unwrap_or_else(|error| {
            panic!("{title}: {error}\n{:#?}", live.zones[&example()].waf.entry_points)
        });
        all.push_str(&format!("### {title}\n{}\n", files.shown(&pulled)));
        let after = files.after(&pulled, &live);
        assert!(
            pulled.left.is_empty() && after.zones.iter().all(|z| z.is_empty()),
            "{title}\n{all}{:#?}",
            after.zones
        );
    }
    insta::assert_snapshot!(all);
}

#[test]
fn what_is_unmanaged_comes_only_if_it_is_asked_for() {
    let text = "version: 1\nzones:\n  example.com: { records: [{ name: a, type: A, content: 192.0.2.1 }] } # c\n";
    let files = Files::new(&[("spec.yaml", text)]);
    let mut live = converged(&files.goal(Default::default()));
    add(live.zones.get_mut(&example()).unwrap(), "b", RecordType::A, "192.0.2.2");
    assert!(files.pull(&live, &[], false).unwrap().files.is_empty());
    let shown = files.shown(&files.pull(&live, &[], true).unwrap());
    assert!(
        shown.contains("192.0.2.1 }, { name: b, type: A, content: 192.0.2.2, ttl: auto, proxied: false }] } # c"),
        "{shown}"
    );
    assert!(files.pull(&live, &["*/dns/c/*"], true).unwrap().files.is_empty());
}

#[test]
fn only_what_is_named_is_pulled() {
    let files = Files::new(&[("spec.yaml", SPEC), ("more.yaml", MORE)]);
    let mut live = converged(&files.goal(Default::default()));
    let zone = live.zones.get_mut(&example()).unwrap();
    record(zone, "far", RecordType::A).ttl = Ttl::seconds(90).unwrap();
    remove(zone, "www", RecordType::Cname);
    record(zone, "far", RecordType::A).data = data(RecordType::A, "192.0.2.98");
    let pulled = files.pull(&live, &["example.com/dns/far/*"], false).unwrap();
    assert_eq!(pulled.files.len(), 1);
    let after = files.after(&pulled, &live);
    let left: Vec<_> = after.zones[0].addresses().map(|a| a.to_string()).collect();
    assert_eq!(left, ["example.com/dns/www/CNAME"]);
}

#[test]
fn a_variable_of_the_command_line_is_written_out() {
    let text = "version: 1\nzones:\n  example.com:\n    records:\n    - { name: a, type: A, content: \"${IP}\" } # c\n";
    let files = Files::new(&[("spec.yaml", text)]).with("IP", "192.0.2.1");
    let mut live = converged(&files.goal(Default::default()));
    record(live.zones.get_mut(&example()).unwrap(), "a", RecordType::A).data =
        data(RecordType::A, "192.0.2.2");
    let pulled = files.pull(&live, &[], false).unwrap();
    assert!(
        pulled.files[0].after.contains("content: 192.0.2.2 } # c")
            || pulled.files[0].after.contains("content: \"192.0.2.2\" } # c"),
        "{}",
        pulled.files[0].after
    );
    assert!(pulled.notes[0].contains("command line"), "{:?}", pulled.notes);
}

#[test]
fn windows_and_marks_stay() {
    let text =
        format!("\u{feff}{}", SPEC.replace("include: [more.yaml]\n", "").replace('\n', "\r\n"));
    let files = Files::new(&[("spec.yaml", &text)]);
    let mut live = converged(&files.goal(Default::default()));
    let zone = live.zones.get_mut(&example()).unwrap();
    remove(zone, "mail", RecordType::A);
    add(zone, "new", RecordType::A, "192.0.2.44");
    let pulled = files.pull(&live, &[], false).unwrap();
    let after = &pulled.files[0].after;
    assert!(after.starts_with('\u{feff}') && !after.replace("\r\n", "").contains(['\n', '\r']));
}

#[test]
fn a_profile_of_several_zones_is_overridden_and_one_of_one_zone_changed() {
    let text = "version: 1\nprofiles:\n  base: { waf: { owasp: { paranoia: 2 } } } # shared\n  own:\n    waf:\n      custom:\n        - { name: bots, when: all, action: log } # mine\nzones:\n  example.com:\n    use: [base, own]\n    records: []\n  example.net:\n    use: [base]\n    records: []\n";
    let files = Files::new(&[("spec.yaml", text)]);
    let mut live = converged(&files.goal(Default::default()));
    let zone = live.zones.get_mut(&example()).unwrap();
    let parameters = deployment(
        &owasp(),
        json!({ "categories": [{ "category": "paranoia-level-4", "enabled": false }] }),
    );
    let parameters = parameters.get("action_parameters").unwrap().clone();
    set(zone, Phase::Managed, 0, |b| b.set("action_parameters", parameters));
    set(zone, Phase::Custom, 0, |b| b.set("action", "block"));
    let pulled = files.pull(&live, &[], false).unwrap();
    insta::assert_snapshot!(files.shown(&pulled));
}

/// Records and settings of a profile that only one zone uses change there. Those of a profile of
/// several zones stay, and the reason is given.
#[test]
fn shared_records_stay_and_those_of_an_own_profile_change() {
    let text = "version: 1\nprofiles:\n  base: # shared\n    settings: { ssl: full }\n    records:\n      - { name: www, type: A, content: 192.0.2.1 }\n      - { name: \"@\", type: TXT, content: \"v=spf1 -all\" }\n  own:\n    settings: { brotli: on }\n    records:\n      - { name: api, type: A, content: 192.0.2.2 } # mine\nzones:\n  example.com:\n    use: [base, own]\n    records: []\n  example.net:\n    use: [base]\n    records: []\n";
    let files = Files::new(&[("spec.yaml", text)]);
    let mut live = converged(&files.goal(Default::default()));
    let zone = live.zones.get_mut(&example()).unwrap();
    record(zone, "www", RecordType::A).data = data(RecordType::A, "192.0.2.98");
    record(zone, "api", RecordType::A).data = data(RecordType::A, "192.0.2.99");
    let pulled = files.pull(&live, &[], false).unwrap();
    insta::assert_snapshot!(files.shown(&pulled));
}

#[test]
fn what_a_spec_cannot_say_is_left_and_the_rest_is_pulled() {
    let files = Files::new(&[("spec.yaml", SPEC), ("more.yaml", MORE)]);
    let mut live = converged(&files.goal(Default::default()));
    let zone = live.zones.get_mut(&example()).unwrap();
    record(zone, "www", RecordType::Cname).comment = Some("two\nlines".to_owned());
    record(zone, "far", RecordType::A).data = data(RecordType::A, "192.0.2.98");
    let pulled = files.pull(&live, &[], false).unwrap();
    assert_eq!((pulled.files.len(), pulled.left.len()), (1, 1));
    assert!(pulled.left[0].1.contains("several lines"), "{:?}", pulled.left);
}
