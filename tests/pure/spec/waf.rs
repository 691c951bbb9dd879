//! `waf` sections and profiles.

use super::*;
use zonewright::model::ruleset::{DesiredWaf, Phase, RuleTuning, Switch, TuningTarget};

/// Every case is shown as its snapshot says.
macro_rules! cases {
    ($($test:ident $file:literal)+) => {$(
        #[test]
        fn $test() {
            let (outcome, sources) = load_path(&Path::new(CASES).join($file));
            assert!(outcome.diagnostics.iter().all(|d| d.help.is_some() && d.primary.is_some()));
            insta::assert_snapshot!(shown(&outcome, &sources));
        }
    )+};
}

cases! {
    managed "waf-managed.yaml"
    rules "waf-rules.yaml"
    rates "waf-rates.yaml"
    expressions "waf-expressions.yaml"
    profiles "waf-profiles.yaml"
    doubts "waf-doubts.yaml"
    order "waf-order.yaml"
    shares "share-without-percent.yaml"
}

/// Returns the protection of the zone example.com in a good spec.
fn desired_waf(text: &str) -> DesiredWaf {
    let (outcome, sources) = load_text(text);
    let desired =
        outcome.desired.clone().unwrap_or_else(|| panic!("{}", shown(&outcome, &sources)));
    *desired.zones[&ZoneName::parse("example.com").unwrap()].waf.clone().unwrap()
}

/// Returns what entries tune, with whether they switch it on.
fn tuned(rules: &[RuleTuning]) -> Vec<(String, Option<bool>)> {
    let name = |target: &TuningTarget| match target {
        TuningTarget::Rule(name) => name.to_string(),
        TuningTarget::Tag(tag) => format!("tag {tag}"),
    };
    rules.iter().map(|r| (name(&r.target), r.enabled)).collect()
}

#[test]
fn what_has_expired_depends_on_the_day() {
    let load_on = |today: Option<&str>| {
        let mut sources = Sources::default();
        let options = Options { today: today.map(str::to_owned), ..Options::default() };
        let outcome =
            load(&[Input::Path(Path::new(CASES).join("waf-expiry.yaml"))], &options, &mut sources);
        (outcome, sources)
    };
    let (outcome, sources) = load_on(Some("2026-11-20"));
    insta::assert_snapshot!(shown(&outcome, &sources));
    let zone = outcome.desired.unwrap().zones.into_values().next().unwrap();
    let waf = zone.waf.unwrap();
    let over: Vec<_> = waf.deployments[0].rules.iter().map(|r| r.note.is_expired).collect();
    // Tags first: language-java, then 942430, 942431 and 942432.
    assert_eq!(over, [false, true, false, false]);
    assert!(
        [Phase::Custom, Phase::Managed].iter().all(|phase| waf.lists[phase][0].note.is_expired)
    );
    let (outcome, _) = load_on(None);
    assert!(outcome.diagnostics.is_empty());
}

#[test]
fn a_zones_own_values_win_key_by_key() {
    let text = |own: &str| {
        format!(
            "version: 1\nprofiles:\n  p:\n    waf:\n      owasp:\n        paranoia: 3\n        threshold: high\n        \
             disable: [{{ rule: 942430, reason: profile }}, {{ rule: 942431, reason: profile }}]\n      custom:\n        \
             - {{ name: a, when: all, action: log }}\n        - {{ name: b, when: all, action: log }}\n\
             zones:\n  example.com:\n    use: [p]\n    waf: {own}\n"
        )
    };
    let merged = desired_waf(&text(
        "{ owasp: { threshold: low, enable: [{ rule: 942430 }], disable: [{ rule: 920300, reason: own }] }, \
         custom: [{ name: c, when: all, action: block }, { name: a, when: all, action: block }] }",
    ));
    let owasp = &merged.deployments[0];
    assert_eq!((owasp.threshold.unwrap().0, owasp.paranoia.unwrap().0.level()), (60, 3));
    let off = |name: &str| (name.to_owned(), Some(false));
    assert_eq!(
        tuned(&owasp.rules),
        [off("942431"), off("920300"), ("942430".to_owned(), Some(true))]
    );
    let names: Vec<_> =
        merged.rules(Phase::Custom).unwrap().iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let switched_off = desired_waf(&text("{ owasp: off }"));
    assert_eq!(switched_off.deployments[0].switch, Switch::Off);
    assert!(
        switched_off.deployments[0].rules.is_empty()
            && switched_off.deployments[0].paranoia.is_none()
    );
    // A key that the zone gives up to `raw` is not the profile's either.
    let custom = desired_waf(&text("{ owasp: { paranoia: custom } }"));
    assert_eq!(custom.deployments[0].paranoia, None);
}

#[test]
fn profiles_that_agree_and_several_of_them() {
    let text = "version: 1\nprofiles:\n  a: { waf: { owasp: { paranoia: 2 }, exceptions: [{ name: x, when: ip.src eq 192.0.2.1, skip: everything, reason: r }] } }\n  \
                b: { waf: { owasp: { paranoia: 2, threshold: high }, exceptions: [{ name: y, when: ip.src eq 192.0.2.1, skip: everything, reason: r }, { name: x, when: ip.src eq 192.0.2.1, skip: everything, reason: r }] } }\n\
                zones: { example.com: { use: [b, a, b] } }\n";
    let merged = desired_waf(text);
    assert_eq!(merged.deployments[0].threshold.unwrap().0, 25);
    let names: Vec<_> = merged.exceptions().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["y", "x"]);
    let nothing = "version: 1\nprofiles: { a: {} }\nzones: { example.com: { use: [a] } }\n";
    let (outcome, _) = load_text(nothing);
    assert!(outcome.desired.unwrap().zones.into_values().all(|z| z.waf.is_none()));
}

#[test]
fn fragments_join_whatever_the_order_of_the_files() {
    let one = "version: 1\nzones: { example.com: { waf: { owasp: { paranoia: 2 }, custom: [{ name: one, when: all, action: log }] } } }\n";
    let two = "version: 1\nzones: { example.com: { use: [p], waf: { owasp: { threshold: 30 }, custom: [{ name: two, when: all, action: log }] } } }\n";
    let shared = "version: 1\nprofiles: { p: { waf: { owasp: { action: log } } } }\n";
    let directory = directory(&[("a.yaml", one), ("b.yaml", two), ("c.yaml", shared)]);
    let load_in = |names: [&str; 3]| {
        let inputs = names.map(|n| Input::Path(directory.path().join(n)));
        bare(load(&inputs, &Options::default(), &mut Sources::default()).desired.unwrap())
    };
    let desired = load_in(["a.yaml", "b.yaml", "c.yaml"]);
    assert_eq!(load_in(["c.yaml", "b.yaml", "a.yaml"]), desired);
    let waf = desired.zones.into_values().next().unwrap().waf.unwrap();
    let owasp = &waf.deployments[0];
    assert_eq!((owasp.paranoia.unwrap().0.level(), owasp.threshold.unwrap().0), (2, 30));
    assert_eq!(owasp.action.unwrap().0.as_str(), "log");
    let names: Vec<_> = waf.rules(Phase::Custom).unwrap().iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);
}

#[test]
fn fragments_that_contradict_each_other() {
    let one = "version: 1\nprofiles: { p: {} }\nzones: { example.com: { waf: { owasp: { paranoia: 2 }, cloudflare: off, custom: [{ name: one, when: all, action: log }] } } }\n";
    let two = "version: 1\nprofiles: { p: {} }\nzones: { example.com: { waf: { owasp: { paranoia: 3 }, cloudflare: on, custom: [{ name: one, when: all, action: block }] } } }\n";
    let directory = directory(&[("a.yaml", one), ("b.yaml", two)]);
    let (outcome, _) = load_path(directory.path());
    let found: Vec<_> = outcome.diagnostics.iter().map(|d| (d.code(), d.related.len())).collect();
    let note = ("WAF0029", 0);
    assert_eq!(found, [note, ("WAF0020", 1), ("SPEC0028", 1), ("SPEC0028", 1), ("SPEC0028", 1)]);
}

#[test]
fn a_good_section_is_understood_and_reads_back() {
    let (outcome, sources) = load_path(&Path::new(CASES).join("waf-good.yaml"));
    assert!(outcome.diagnostics.is_empty(), "{}", shown(&outcome, &sources));
    let desired = bare(outcome.desired.unwrap());
    let printed = print(&desired);
    insta::assert_snapshot!(printed);
    let (again, sources) = load_text(&printed);
    assert!(again.diagnostics.is_empty(), "{}", shown(&again, &sources));
    assert_eq!(bare(again.desired.unwrap()), desired);
}

/// Returns a spec of one zone with this `waf` section.
fn with_waf(section: &str) -> String {
    format!("version: 1\nzones:\n  example.com:\n    waf: {section}\n")
}

#[test]
fn the_schema_and_the_program_agree() {
    let validator = jsonschema::draft7::new(&schema()).unwrap();
    let json = |text: &str| serde_yaml::from_str::<serde_json::Value>(text).unwrap();
    let good = fs::read_to_string(Path::new(CASES).join("waf-good.yaml")).unwrap();
    let errors: Vec<_> = validator
        .iter_errors(&json(&good))
        .map(|e| format!("{e} at {}", e.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    for section in [
        "{ owasp: true }",
        "{ owasp: [{ paranoia: 1 }] }",
        "{ owasp: { paranoia: 5 } }",
        "{ owasp: { threshold: strict } }",
        "{ owasp: { threshold: 0 } }",
        "{ owasp: { action: allow } }",
        "{ owasp: { level: 2 } }",
        "{ cloudflare: { paranoia: 2 } }",
        "{ cloudflare: { tags: [{ action: block }] } }",
        "{ exceptions: [{ name: a, when: all, skip: everything }] }",
        "{ exceptions: [{ name: a, when: all, skip: all, reason: x }] }",
        "{ custom: [{ name: a, when: all }] }",
        "{ custom: [{ name: a, when: all, action: block, response: { status_code: 500, content: x, content_type: text/plain } }] }",
        "{ custom: [{ when: all, action: block }] }",
        "{ rate_limits: [{ name: a, when: all, per: ip, limit: 5 in 1m }] }",
        "{ unmanaged: ignore }",
        "{ mode: log }",
    ] {
        let text = with_waf(section);
        assert!(!validator.is_valid(&json(&text)), "accepted by the schema: {section}");
        assert!(load_text(&text).0.desired.is_none(), "accepted by the program: {section}");
    }
    for section in [
        "{}",
        "{ owasp: on, cloudflare: { } }",
        "{ owasp: { paranoia: '2', threshold: '40' } }",
        "{ owasp: { paranoia: custom, raw: {} } }",
        "{ exceptions: [{ name: a, state: absent }], custom: [], rate_limits: [{ name: a, raw: { action: log, expression: 'true' } }] }",
    ] {
        let text = with_waf(section);
        assert!(validator.is_valid(&json(&text)), "refused by the schema: {section}");
        let (outcome, sources) = load_text(&text);
        assert!(
            outcome.desired.is_some(),
            "refused by the program: {section}\n{}",
            shown(&outcome, &sources)
        );
    }
    let text = "version: 1\nvariables: { L: 2, T: high }\nzones: { example.com: { waf: { owasp: { paranoia: '${L}', threshold: '${T}' } } } }\n";
    assert!(validator.is_valid(&json(text)));
    let owasp = &desired_waf(text).deployments[0];
    assert_eq!((owasp.paranoia.unwrap().0.level(), owasp.threshold.unwrap().0), (2, 25));
}

#[test]
fn keys_that_are_absent_stay_unset() {
    let (outcome, _) = load_text("version: 1\nzones: { example.com: {} }\n");
    assert!(outcome.desired.unwrap().zones.into_values().all(|z| z.waf.is_none()));
    let waf = desired_waf(&with_waf("{ owasp: { threshold: 30 } }"));
    assert_eq!(waf.phases().count(), 1);
    let owasp = &waf.deployments[0];
    assert!(
        owasp.paranoia.is_none()
            && owasp.when.is_none()
            && owasp.action.is_none()
            && owasp.rules.is_empty()
    );
    assert_eq!(waf.unmanaged, Unmanaged::Keep);
    // The zone's own `unmanaged` is about records.
    let pruned = "version: 1\nzones: { example.com: { unmanaged: prune, waf: { custom: [] } } }\n";
    let waf = desired_waf(pruned);
    assert_eq!((waf.unmanaged, waf.rules(Phase::Custom)), (Unmanaged::Keep, Some([].as_slice())));
}

#[test]
fn a_section_printed_alone_is_what_stands_below_the_key() {
    let waf = desired_waf(&with_waf(
        "{ owasp: { threshold: 40, when: all }, custom: [{ name: a, when: all, action: log }] }",
    ));
    let printed = zonewright::spec::print_waf(&waf);
    assert_eq!(
        printed,
        "owasp:\n  threshold: medium\n  when: all\ncustom:\n- name: a\n  when: all\n  action: log\n"
    );
}

/// A `ref` that Cloudflare refuses is refused before anything is sent.
#[test]
fn names_do_not_end_in_a_separator() {
    let load = |name: &str| {
        let rule =
            format!("{{ name: {name}, when: 'http.host eq \"a.example.com\"', action: block }}");
        load_text(&format!(
            "version: 1\nzones:\n  example.com:\n    waf:\n      custom: [{rule}]\n"
        ))
        .0
    };
    for (name, better) in
        [("a-", "write `a`"), ("'-a'", "write `a`"), ("a.", "write `a`"), ("'--'", "write a word")]
    {
        let outcome = load(name);
        let found = outcome
            .diagnostics
            .iter()
            .find(|d| d.code() == "WAF0008")
            .unwrap_or_else(|| panic!("{name}"));
        assert!(
            found.help.as_deref().is_some_and(|help| help.starts_with(better)),
            "{name}: {:?}",
            found.help
        );
    }
    for name in ["a", "a-b", "_a", "a.b_c-d", "9"] {
        assert!(load(name).desired.is_some(), "{name}");
    }
}
