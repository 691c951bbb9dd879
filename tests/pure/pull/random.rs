//! Random drift on specs with comments, anchors and variables: after a pull the plan is empty, and
//! every comment is still there.

use zonewright::edit::comments;
use zonewright::model::ruleset::{EntryPoint, Phase};
use zonewright::model::{
    Live, LiveRecord, LiveSetting, Rdata, RecordId, RecordType, Tag, Ttl, Value,
};

use super::{Files, converged};

/// Number of drifts; `ZONEWRIGHT_DRIFTS` changes it.
const DRIFTS: usize = 120;

/// Files of a spec.
type Spec = &'static [(&'static str, &'static str)];

const SPECS: [Spec; 4] = [
    &[("spec.yaml", ANCHORS)],
    &[("spec.yaml", LINES)],
    &[("spec.yaml", BRACES)],
    &[("spec.yaml", SHARED), ("more.yaml", MORE), ("sub/a.yaml", SUB)],
];

const ANCHORS: &str = r#"# one
version: 1
variables: { IP: 192.0.2.1, T: "300", NET: example.net } # v
defaults: { ttl: 3600 } # d
zones:
  example.com: # z
    unmanaged: prune
    settings: { ssl: strict, min_tls_version: "1.2" } # s
    records: # r
      # a
      - { name: "@", type: A, content: ["${IP}", 192.0.2.2, &ip 192.0.2.3], ttl: &t 300 } # b
      - { name: www, type: CNAME, content: "web.${NET}" } # c
      - name: x # d
        # e
        type: A # f
        content: # g
          - 192.0.2.4 # h
          - *ip # i
        ttl: *t # j
      # k
      - &whole { name: y, type: TXT, content: "a # b", comment: 'it''s' }
      - { name: z, type: A, content: "${IP}", ttl: "${T}", proxied: false } # l
      - {name: mx, type: MX, priority: 10, content: "mx.${NET}"}
    dnssec: off # m
  example.net:
    unmanaged: prune
    records: [ *whole, { name: n, type: A, content: *ip } ] # n
"#;

const LINES: &str = "version: 1\nzones:\n  example.com:\n    unmanaged: prune\n    defaults: {proxied: true} # a\n    records:\n    # b\n    -\n      # c\n      name: '@' # d\n      type: A\n      content: [ 192.0.2.1, # e\n        192.0.2.2, # f\n        192.0.2.3 ] # g\n    - name: t\n      type: TXT\n      content: >- # h\n        one\n        two\n      # i\n      comment: |-\n        note\n    # j\n    - { name: s, type: SRV, # k\n        data: { priority: 1, weight: 2, # l\n          port: 3, target: a.example.com } } # m\n    - {name: u, type: URI, priority: 10, data: {weight: 1, target: 'https://example.com/'}} # n\n    waf: # o\n      unmanaged: prune\n      custom:\n      - name: a # p\n        when: http.host eq \"a.example.com\" # q\n        action: block\n      # r\n      - {name: b, when: all, action: log} # s\n      - name: c\n        when: >\n          ip.src eq 192.0.2.1\n          or ip.src eq 192.0.2.2\n        action: managed_challenge # t\n      rate_limits:\n        - name: slow # u\n          when: http.request.uri.path eq \"/x\"\n          per: [ip] # v\n          limit: 5 in 1m\n          then: block for 10m\n# end";

const BRACES: &str = "{version: 1, zones: {example.com: {unmanaged: prune, records: [ # a\n  {name: a, type: A, content: 192.0.2.1}, # b\n  {name: b, type: AAAA, content: '2001:db8::1', ttl: 60}, # c\n  # d\n  {name: c, type: CAA, content: 0 issue \"ca.example.net\"} # e\n]}}} # f\n";

const SHARED: &str = r#"version: 1
include: [more.yaml, sub/*.yaml] # i
profiles: # p
  strict: # q
    waf:
      custom:
        - name: scan # s
          when: |-
            http.user_agent contains "sqlmap"
            or http.user_agent contains "x"
          action: block
        # t
        - { name: low, when: "http.host ne \"a\"", action: log } # u
zones:
  example.com:
    unmanaged: prune
    use: [strict] # v
    records:
      - name: t # a
        type: TXT
        comment: |- # b | c
          one # two
        content: > # d
          a
          b

        # e
        ttl: 120
      - {name: l,type: A,content: [192.0.2.1,192.0.2.2, # f
         192.0.2.3]}   # g
      - ? name # h
        : q
        ? type
        : A
        content: 192.0.2.9
"#;

const MORE: &str = r#"# more
version: 1
variables: {NET: example.net, A: 192.0.2.7}
zones:
  example.com:
    records:
      - name: more
        type: TXT
        content: |2+
           two # three

        # after
      - {name: other, type: A, content: "${A}"} # j
  example.net: # k
    unmanaged: prune
    use: [strict]
    records: # l
    - name: "@"
      type: MX
      content:
        - 10 mx1.${NET} # m
        - 20 mx2.${NET}
"#;

const SUB: &str = "version: 1\nzones: {example.net: {records: [{name: s, type: A, content: [192.0.2.1, # n\n 192.0.2.2]}]}} # o";

/// Makes one random change of a live state.
fn drift(live: &mut Live, random: &mut fastrand::Rng, n: usize) {
    let count = live.zones.len();
    let zone = live.zones.values_mut().nth(random.usize(..count)).unwrap();
    let ttl = Ttl::seconds(random.u64(60..90)).unwrap();
    let address = format!("198.51.100.{}", n % 250 + 1);
    let pick = random.usize(..12);
    if zone.records.is_empty() || pick == 0 {
        let name = ["@", "www", "x", "new", "a.b"][random.usize(..5)];
        let name = zone.name.resolve(name).unwrap();
        let types = ["CNAME"];
        let is_taken =
            zone.records.iter().any(|r| r.name == name && types.contains(&r.data.type_name()));
        if !is_taken {
            zone.records.push(LiveRecord {
                id: RecordId(format!("{:032x}", 100_000 + n)),
                name,
                data: Rdata::from_text(RecordType::A, &address).unwrap(),
                ttl,
                proxied: false,
                comment: random.bool().then(|| format!("note {n}: \"x\" # y")),
                tags: Default::default(),
                settings: Default::default(),
                read_only: None,
                modified_on: None,
                reported: Default::default(),
            });
        }
        return;
    }
    let number = random.usize(..zone.records.len());
    let record = &mut zone.records[number];
    match pick {
        1 | 2 => drop(zone.records.remove(number)),
        3 | 4 if !record.proxied => record.ttl = ttl,
        5 if record.data.record_type() == Some(RecordType::A) => {
            record.data = Rdata::from_text(RecordType::A, &address).unwrap()
        }
        5 if record.data.record_type() == Some(RecordType::Mx) => {
            record.data = Rdata::from_text(RecordType::Mx, "20 other.example.net").unwrap()
        }
        5 if record.data.record_type() == Some(RecordType::Srv) => {
            record.data = Rdata::from_text(RecordType::Srv, "1 2 9 b.example.com").unwrap()
        }
        5 if record.data.record_type() == Some(RecordType::Txt) => {
            record.data = Rdata::from_text(RecordType::Txt, "\"v: ${x} # y\"").unwrap()
        }
        6 => {
            record.comment = [None, Some("it's: new".to_owned()), Some("${A} # b".to_owned())]
                [random.usize(..3)]
            .clone()
        }
        7 if record.data.record_type().is_some_and(|t| t.facts().proxiable) => {
            record.proxied = !record.proxied;
            record.ttl = if record.proxied { Ttl::AUTOMATIC } else { ttl };
        }
        8 => {
            record.tags.insert(Tag::parse("a:b").unwrap());
        }
        9 => {
            for (name, setting) in &mut zone.settings.settings {
                if let LiveSetting::Value { value, .. } = setting {
                    *value = Value::from(if name == "ssl" { "full" } else { "1.3" });
                }
            }
            zone.settings
                .dnssec
                .iter_mut()
                .for_each(|d| d.status = if d.is_on() { "disabled" } else { "active" }.to_owned());
        }
        _ => {
            let phase = [Phase::Custom, Phase::RateLimit][random.usize(..2)];
            let Some(EntryPoint::Present(ruleset)) = zone.waf.entry_points.get_mut(&phase) else {
                return;
            };
            if ruleset.rules.is_empty() {
                return;
            }
            let number = random.usize(..ruleset.rules.len());
            let body = &mut ruleset.rules[number].body;
            match random.usize(..4) {
                0 => body.set("enabled", false),
                1 if phase == Phase::Custom => body.set("action", "js_challenge"),
                2 => body.set("expression", "http.host eq \"z.example.com\" # no"),
                _ => drop(ruleset.rules.remove(number)),
            }
        }
    }
}

#[test]
fn after_random_drifts_nothing_differs_and_every_comment_is_there() {
    let drifts =
        std::env::var("ZONEWRIGHT_DRIFTS").ok().and_then(|n| n.parse().ok()).unwrap_or(DRIFTS);
    let mut random = fastrand::Rng::with_seed(7);
    let (mut done, mut case) = (0, 0);
    while done < drifts {
        // Now and then with line breaks of Windows.
        let windows =
            |text: &str| if case % 7 == 6 { text.replace('\n', "\r\n") } else { text.to_owned() };
        let texts: Vec<_> =
            SPECS[case % SPECS.len()].iter().map(|(name, text)| (*name, windows(text))).collect();
        let texts: Vec<_> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let files = Files::new(&texts);
        let mut live = converged(&files.goal(Default::default()));
        for n in 0..random.usize(1..4) {
            drift(&mut live, &mut random, case * 7 + n);
            done += 1;
        }
        case += 1;
        let pulled = files
            .pull(&live, &[], false)
            .unwrap_or_else(|error| panic!("case {case}: {error}\n{texts:#?}\n{live:#?}"));
        let after = files.after(&pulled, &live);
        let differing: Vec<_> = after.zones.iter().flat_map(|zone| zone.addresses()).collect();
        let left: Vec<_> = pulled.left.iter().map(|(address, _)| address).collect();
        assert_eq!(differing, left, "case {case}: {}", files.shown(&pulled));
        assert!(left.is_empty(), "case {case}: {}", files.shown(&pulled));
        for file in &pulled.files {
            let (mut before, mut after) =
                (comments(&file.before).unwrap(), comments(&file.after).unwrap());
            before.sort_unstable();
            after.sort_unstable();
            assert_eq!(before, after, "case {case}: {}", files.shown(&pulled));
        }
    }
}
