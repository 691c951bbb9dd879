//! `resolve`, `test`, and the parts of a plan about DNS answers and expectations, against the
//! sandbox.

use crate::support::workspace::{Workspace, options, options_on};
use serde_json::json;

/// Records and expectations of example.com, which is pruned.
fn spec(workspace: &Workspace, name: &str, records: &str, expect: &str) {
    let lines = |text: &str| text.lines().map(|line| format!("      {line}\n")).collect::<String>();
    let expect =
        if expect.is_empty() { String::new() } else { format!("    expect:\n{}", lines(expect)) };
    workspace.file(
        name,
        format!(
            "version: 1\nzones:\n  example.com:\n    unmanaged: prune\n{expect}    records:\n{}",
            lines(records)
        ),
    );
}

const RECORDS: &str = "\
- { name: www, type: CNAME, content: web.example.com, ttl: 86400 }
- { name: web, type: A, content: 192.0.2.7 }
- { name: \"*\", type: A, content: 203.0.113.9, ttl: 3600 }
- { name: \"@\", type: MX, priority: 10, content: mx1.example.com }
- { name: \"@\", type: MX, priority: 20, content: mx2.example.com }
- { name: mx1, type: A, content: 192.0.2.25 }
- { name: mx2, type: A, content: 192.0.2.26 }
- { name: a.lab, type: A, content: 192.0.2.30 }";

const EXPECT: &str = "\
- { name: the website is ours, resolve: www, type: A, within: [192.0.2.0/24] }
- { name: no IPv6, resolve: web, type: AAAA, answer: none }
- { name: the mail servers, resolve: \"@\", type: MX, is: [10 mx1.example.com, 20 mx2.example.com] }";

#[test]
fn names_are_resolved_under_a_spec_live_and_from_a_snapshot() {
    let workspace = Workspace::new(options());
    spec(&workspace, "zone.yaml", RECORDS, "");
    workspace.run(&["apply", "zone.yaml", "--yes"]).exits(0);
    workspace.run(&["snapshot", "zone.yaml", "--out", "now.gz"]).exits(0);
    let of_spec =
        workspace.run(&["resolve", "www.example.com", "A", "--spec", "zone.yaml"]).exits(0).stdout;
    assert_eq!(
        of_spec,
        "www.example.com A: web.example.com → 192.0.2.7\n  \
         www.example.com  CNAME  web.example.com  ttl 86400, zone.yaml:6\n  \
         web.example.com  A      192.0.2.7        ttl auto, zone.yaml:7\n"
    );
    let json = |arguments: &[&str]| {
        workspace.run(&[arguments, &["--format", "json"]].concat()).exits(0).json()
    };
    for arguments in [
        &["--spec", "zone.yaml"][..],
        &["--live"],
        &["--against", "now.gz"],
        &["--live", "--spec", "zone.yaml"],
    ] {
        let asked = |name, kind| {
            json(&[&["resolve", name, kind], arguments].concat())["answers"][0].clone()
        };
        let alias = asked("www.example.com", "A");
        assert_eq!(
            (&alias["status"], &alias["text"]),
            (&json!("records"), &json!("web.example.com → 192.0.2.7"))
        );
        let by_wildcard = asked("other.example.com", "A");
        assert_eq!(by_wildcard["records"][0]["wildcard"], "*.example.com", "{arguments:?}");
        // Standard name servers answer an empty non-terminal from the wildcard, and the output has
        // a note about it.
        let empty = asked("lab.example.com", "A");
        assert_eq!(empty["status"], "records");
        assert!(empty["notes"][0].as_str().unwrap().contains("standard name servers"), "{empty}");
        assert_eq!(asked("x.a.lab.example.com", "A")["status"], "no-name");
        assert_eq!(asked("web.example.com", "TXT")["status"], "no-data");
        assert_eq!(asked("example.com", "NS")["status"], "cloudflare");
    }
    let lines = json(&["resolve", "web.example.com", "A", "--live", "--spec", "zone.yaml"]);
    assert_eq!(lines["answers"][0]["records"][0]["source"]["line"], 7);
    // Questions in the syntax of `dig`.
    let shown =
        |name, kind| workspace.run(&["resolve", name, kind, "--spec", "zone.yaml"]).exits(0).stdout;
    let usual =
        workspace.run(&["resolve", "www.example.com", "--spec", "zone.yaml"]).exits(0).stdout;
    let www = "{ name: www, type: CNAME, content: web.example.com }";
    workspace.file(
        "part.yaml",
        format!("version: 1\nzones:\n  example.com:\n    records:\n      - {www}\n"),
    );
    let part =
        workspace.run(&["resolve", "www.example.com", "--spec", "part.yaml"]).exits(0).stdout;
    assert_eq!(part.matches("only the spec is looked at").count(), 1, "{part}");
    for (name, kind) in
        [("WWW.Example.COM.", "any"), ("www.example.com", "ANY"), ("www.example.com.", "*")]
    {
        assert_eq!(shown(name, kind), usual, "{name} {kind}");
    }
    let soa =
        workspace.run(&["resolve", "example.com", "soa", "--spec", "zone.yaml"]).exits(64).stderr;
    assert!(soa.contains("Cloudflare answers SOA itself"), "{soa}");
    let wrong = [
        (&["resolve", "www.example.com"][..], 64),
        (&["resolve", "a b", "--live"], 64),
        (&["resolve", "www.example.com", "SOA", "--live"], 64),
        (&["resolve", "www.example.net", "--spec", "zone.yaml"], 1),
        (&["resolve", "www.example.net", "--live"], 1),
    ];
    for (arguments, code) in wrong {
        let ran = workspace.run(arguments);
        assert!(
            ran.code == Some(code) || (code == 64 && ran.code == Some(2)),
            "{arguments:?}: {ran:?}"
        );
        assert!(!ran.stderr.is_empty());
    }
}

#[test]
fn expectations_are_checked_offline() {
    let workspace = Workspace::new(options());
    spec(&workspace, "good.yaml", RECORDS, EXPECT);
    let passed = workspace.run(&["test", "good.yaml"]).exits(0).stdout;
    assert!(passed.ends_with("3 expectations: 3 passed, 0 failed, 0 unknown\n"), "{passed}");
    let worse =
        RECORDS.replace("192.0.2.7", "203.0.113.7").replace("20, content: mx2", "5, content: mx2");
    let proxied = format!("{EXPECT}\n- {{ name: the edge, resolve: www, type: A, answer: edge }}");
    spec(&workspace, "bad.yaml", &worse, &proxied);
    let failed = workspace.run(&["test", "bad.yaml", "--format", "json"]).exits(2).json();
    assert_eq!(failed["summary"], json!({ "passed": 1, "failed": 3, "unknown": 0 }));
    assert_eq!(
        failed["expectations"][0]["why"],
        "www.example.com A: web.example.com → 203.0.113.7; expected addresses in 192.0.2.0/24"
    );
    let junit = workspace.run(&["test", "bad.yaml", "--format", "junit"]).exits(2).stdout;
    let document = roxmltree::Document::parse(&junit).unwrap();
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("failure")).count(), 3);
    // If the spec is not the complete state, records that it does not name are unknown.
    let kept = std::fs::read_to_string(workspace.path().join("good.yaml"))
        .unwrap()
        .replace("unmanaged: prune", "unmanaged: keep");
    workspace.file("kept.yaml", kept);
    let unknown = workspace.run(&["test", "kept.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(unknown["summary"], json!({ "passed": 2, "failed": 0, "unknown": 1 }));
    for wrong in [
        "- { name: a, resolve: www, type: A }",
        "- { name: a, resolve: www, type: A, answer: none, is: [192.0.2.1] }",
        "- { name: a, resolve: www, type: A, within: [192.0.2.0/33] }",
        "- { name: a, resolve: www, type: MX, within: [192.0.2.0/24] }",
        "- { name: a, resolve: www, type: A, is: [nonsense] }",
        "- { name: a, resolve: mail.example.net., type: A, answer: none }",
        "- { name: a, resolve: www, type: NONE, answer: none }",
        "- nonsense",
    ] {
        spec(&workspace, "wrong.yaml", RECORDS, wrong);
        let ran = workspace.run(&["test", "wrong.yaml"]).exits(1);
        assert!(ran.stderr.contains("--> wrong.yaml:"), "{wrong}: {}", ran.stderr);
    }
    // The printed spec has the same meaning.
    let printed = workspace.run(&["validate", "good.yaml", "--print"]).exits(0).stdout;
    workspace.file("printed.yaml", printed);
    let same = workspace.run(&["diff", "good.yaml", "printed.yaml", "--exit-code"]).exits(0);
    assert!(same.stderr.is_empty(), "{same:?}");
}

#[test]
fn glue_is_listed_once_and_what_a_delegation_hides_is_said() {
    let workspace = Workspace::new(options());
    let records = "\
- { name: lab, type: NS, content: [ns1.lab.example.com, ns2.lab.example.com] }
- { name: ns1.lab, type: A, content: 192.0.2.53 }
- { name: ns2.lab, type: A, content: 192.0.2.54 }
- { name: ns1.lab, type: TXT, content: rack 7 }";
    spec(&workspace, "zone.yaml", records, "");
    let roles = |name: &str, kind: &str| -> Vec<String> {
        let answer = workspace
            .run(&["resolve", name, kind, "--spec", "zone.yaml", "--format", "json"])
            .exits(0)
            .json();
        let records = answer["answers"][0]["records"].as_array().unwrap().clone();
        let shown = |part: &serde_json::Value| {
            format!("{} {} {}", part["role"], part["name"], part["type"]).replace('"', "")
        };
        records.iter().map(shown).filter(|part| !part.starts_with("delegation")).collect()
    };
    let glue = ["glue ns1.lab.example.com A", "glue ns2.lab.example.com A"];
    assert_eq!(roles("ns1.lab.example.com", "A"), glue);
    assert_eq!(roles("lab.example.com", "A"), glue);
    assert_eq!(
        roles("ns1.lab.example.com", "TXT"),
        [&glue[..], &["hidden ns1.lab.example.com TXT"]].concat()
    );
}

#[test]
fn a_plan_says_what_resolvers_will_see() {
    let workspace = Workspace::new(options());
    spec(&workspace, "zone.yaml", RECORDS, EXPECT);
    workspace.run(&["apply", "zone.yaml", "--yes"]).exits(0);
    let records: String = RECORDS
        .lines()
        .filter(|line| !line.contains("name: web"))
        .map(|line| format!("{line}\n"))
        .collect();
    let records = records.replace("20, content: mx2", "5, content: queue")
        + "- { name: dev, type: NS, content: ns1.example.org }";
    spec(&workspace, "zone.yaml", &records, EXPECT);
    let plan = workspace.run(&["plan", "zone.yaml"]).exits(0).stdout;
    for line in [
        "→ web: *.example.com answers from now on: 203.0.113.9 (ttl 3600)",
        "→ 1 record refers to this name: www CNAME",
        "another server comes first",
        "ns1.example.org",
        "→ expectation fails: the website is ours: www.example.com A: web.example.com → 203.0.113.9",
        "→ expectation fails: the mail servers: example.com MX:",
        "fails-expectation",
    ] {
        assert!(plan.contains(line), "{line}\n{plan}");
    }
    let json = workspace.run(&["plan", "zone.yaml", "--format", "json"]).exits(0).json();
    let web = json["operations"]
        .as_array()
        .unwrap()
        .iter()
        .find(|o| o["address"].as_str().unwrap().contains("/web/"))
        .unwrap();
    assert!(
        web["effect"]["lines"].to_string().contains("web: *.example.com answers from now on"),
        "{web}"
    );
    assert!(
        json["consents_missing"]
            .as_array()
            .unwrap()
            .iter()
            .any(|c| c["danger"] == "fails-expectation")
    );
    for format in ["markdown", "html"] {
        let shown = workspace.run(&["plan", "zone.yaml", "--format", format]).exits(0).stdout;
        assert!(
            shown.contains("answers from now on") && shown.contains("expectation fails"),
            "{format}: {shown}"
        );
    }
    // A TTL or a comment does not change what resolvers see.
    spec(
        &workspace,
        "zone.yaml",
        &RECORDS.replace("ttl: 3600", "ttl: 7200, comment: ours"),
        EXPECT,
    );
    let plan = workspace.run(&["plan", "zone.yaml"]).exits(0).stdout;
    assert!(plan.lines().all(|line| !line.trim_start().starts_with('→')), "{plan}");
}

/// Settings that affect answers are explained although no record changes, and only those.
#[test]
fn a_plan_of_settings_alone_says_what_resolvers_see() {
    let workspace = Workspace::new(options_on("enterprise"));
    workspace.plant_records(json!([
        { "type": "CNAME", "name": "www", "content": "web.example.com", "ttl": 300 },
        { "type": "CNAME", "name": "flat", "content": "web.example.com", "settings": { "flatten_cname": true } },
        { "type": "A", "name": "web", "content": "192.0.2.7", "proxied": true },
        { "type": "A", "name": "*.lab", "content": "192.0.2.8" },
        { "type": "A", "name": "x.empty.lab", "content": "192.0.2.9" },
        { "type": "NS", "name": "@", "content": "ns.other.example" },
    ]));
    let spec = |settings: &str| {
        workspace.file(
            "settings.yaml",
            format!("version: 1\nzones:\n  example.com:\n{settings}    records: []\n"),
        );
        let plan = workspace.run(&["plan", "settings.yaml", "--format", "json"]).exits(0).json();
        let notes = plan["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|note| note["text"].as_str().unwrap_or_default().to_owned());
        notes.collect::<Vec<String>>().join("\n")
    };
    let said = spec(
        "    settings: { ipv6: \"off\" }\n    dns_settings:\n      flatten_all_cnames: true\n      multi_provider: true\n      \
         nameservers: { type: cloudflare.advanced }\n      soa: { min_ttl: 60 }\n",
    );
    for line in [
        "1 name has no IPv6 addresses any more: web",
        "1 name is answered with the addresses of the target: www",
        "1 name is no longer covered by a wildcard: empty.lab",
        "the NS records of the apex are served beside Cloudflare's name servers: ns.other.example",
        "resolvers keep \"no such name\" for 1 min instead of 30 min",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    let hidden = spec("    dns_settings: { zone_mode: dns_only }\n");
    let line = "1 name is answered with the record values, which anyone can look up, and requests no longer pass through Cloudflare: web";
    assert!(hidden.contains(line), "{hidden}");
    let needed = |allow: &str| {
        let ran =
            workspace.run(&["plan", "settings.yaml", "--detailed-exitcode", "--allow", allow]);
        (ran.code, ran.stdout)
    };
    let (code, said) = needed("changes-mail");
    assert!(code == Some(3) && said.contains("--allow exposes-origin"), "{said}");
    assert_eq!(needed("exposes-origin").0, Some(2));
    spec("    dns_settings: { multi_provider: true }\n");
    assert_eq!((needed("exposes-origin").0, needed("changes-name-servers").0), (Some(3), Some(2)));
    let silent = spec("    settings: { always_use_https: \"on\" }\n");
    assert!(!silent.contains("answered") && !silent.contains("name"), "{silent}");
}

/// Plans and answers say if a zone is not visible on the Internet; a paused zone is answered with
/// its records.
#[test]
fn zones_that_are_pending_paused_partial_or_moved_say_so() {
    for (state, in_plan, in_answer, status) in [
        (
            json!({ "status": "pending" }),
            "not visible yet: the zone is pending",
            "is pending",
            "edge",
        ),
        (json!({ "status": "moved" }), "the zone has moved", "has moved", "edge"),
        (
            json!({ "type": "partial" }),
            "the zone is partial: other name servers answer",
            "is partial",
            "edge",
        ),
        (
            json!({ "paused": true }),
            "the zone is paused: Cloudflare answers with the record values",
            "is paused",
            "records",
        ),
    ] {
        let workspace = Workspace::empty(options());
        let records =
            json!([{ "type": "A", "name": "www", "content": "192.0.2.7", "proxied": true }]);
        let mut zone = json!({ "name": "example.com", "plan": "free", "records": records });
        for (name, value) in state.as_object().unwrap() {
            zone[name] = value.clone();
        }
        workspace.plant(&json!({ "zones": [zone] }));
        let records = "- { name: www, type: A, content: 192.0.2.7, proxied: true }\n- { name: new, type: A, content: 192.0.2.8 }";
        spec(&workspace, "zone.yaml", records, "");
        let plan = workspace.run(&["plan", "zone.yaml"]).exits(0).stdout;
        assert!(plan.contains(in_plan), "{state}: {plan}");
        workspace.run(&["snapshot", "zone.yaml", "--out", "now.gz"]).exits(0);
        for source in [&["--live"][..], &["--against", "now.gz"]] {
            let asked = [&["resolve", "www.example.com", "A", "--format", "json"], source].concat();
            let answer = workspace.run(&asked).exits(0).json()["answers"][0].clone();
            assert_eq!(answer["status"], status, "{state}: {answer}");
            assert!(answer["notes"].to_string().contains(in_answer), "{state}: {answer}");
        }
    }
}

/// Types by their number, and addresses for a reverse lookup, as other tools take them.
#[test]
fn questions_are_asked_as_other_tools_ask_them() {
    let workspace = Workspace::new(options());
    workspace.file(
        "zones.yaml",
        "version: 1\nzones:\n  example.com:\n    records:\n      - { name: www, type: HTTPS, content: '1 . alpn=\"h2\"' }\n  \
         2.0.192.in-addr.arpa:\n    records:\n      - { name: \"7\", type: PTR, content: www.example.com }\n  \
         8.b.d.0.1.0.0.2.ip6.arpa:\n    records:\n      - { name: 7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0, type: PTR, content: www.example.com }\n",
    );
    let first = |question: &[&str]| {
        let ran =
            workspace.run(&[&["resolve"], question, &["--spec", "zones.yaml"]].concat()).exits(0);
        ran.stdout.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(first(&["www.example.com", "TYPE65"]), "www.example.com HTTPS: 1 . alpn=\"h2\"");
    assert_eq!(first(&["192.0.2.7"]), "7.2.0.192.in-addr.arpa PTR: www.example.com");
    assert!(
        first(&["2001:db8::7", "ptr"]).ends_with("8.b.d.0.1.0.0.2.ip6.arpa PTR: www.example.com")
    );
    for (question, why) in [
        (&["192.0.2.7", "A"][..], "192.0.2.7 is an address, which has no A record"),
        (&["www.example.com", "TYPE6"], "Cloudflare answers SOA itself"),
        (&["www.example.com", "TYPE999"], "\"TYPE999\" is not a supported record type"),
    ] {
        let ran =
            workspace.run(&[&["resolve"], question, &["--spec", "zones.yaml"]].concat()).exits(64);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

/// `*` is a label like another below a wildcard, and a wildcard can answer with an alias.
#[test]
fn questions_about_wildcards_and_what_is_beside_aliases_have_an_answer() {
    let workspace = Workspace::new(options());
    workspace.file(
        "zones.yaml",
        "version: 1\nzones:\n  example.com:\n    records:\n      - { name: \"*.w\", type: CNAME, content: t.example.com }\n      \
         - { name: t, type: A, content: 192.0.2.7 }\n      - { name: a.b.w, type: TXT, content: x }\n      \
         - { name: news, type: CNAME, content: host.example.net }\n      - { name: news, type: MX, content: 10 mx.example.net }\n",
    );
    let answer = |question: &[&str]| {
        workspace.run(&[&["resolve"], question, &["--spec", "zones.yaml"]].concat()).exits(0).stdout
    };
    assert!(answer(&["a.*.w.example.com", "A"]).contains("no such name"));
    assert!(answer(&["x.w.example.com", "A"]).contains("192.0.2.7"));
    let past_empty = answer(&["b.w.example.com", "A"]);
    assert!(
        past_empty.contains("192.0.2.7") && past_empty.contains("advanced ones do not"),
        "{past_empty}"
    );
    for kind in ["MX", "CNAME", "TXT"] {
        let said = answer(&["news.example.com", kind]);
        assert!(said.contains("unknown: other records are beside an alias"), "{said}");
    }
    let ran = workspace.run(&["resolve", "a.b*.example.com", "--spec", "zones.yaml"]).exits(64);
    assert!(ran.stderr.contains("is not a domain name"), "{}", ran.stderr);
}

/// Names that are empty, foreign, internationalised or invalid; zones with no records, or with a
/// delegation alone.
#[test]
fn odd_names_types_and_zones_have_an_answer_or_a_reason() {
    let workspace = Workspace::new(options());
    workspace.file(
        "empty.yaml",
        "version: 1\nzones:\n  example.com: { unmanaged: prune, records: [] }\n",
    );
    spec(&workspace, "cut.yaml", "- { name: sub, type: NS, content: ns1.hosting.example }", "");
    let wide = "- { name: \"*\", type: A, content: 192.0.2.1 }\n- { name: bücher, type: A, content: 192.0.2.9 }\n\
                - { name: www, type: CNAME, content: xn--bcher-kva.example.com }";
    spec(&workspace, "wide.yaml", wide, "");
    for (spec, name, kind, first) in [
        ("empty.yaml", "example.com", "A", "example.com A: no such type"),
        ("empty.yaml", "www.example.com", "mx", "www.example.com MX: no such name"),
        ("cut.yaml", "host.sub.example.com", "a", "host.sub.example.com A: "),
        ("cut.yaml", "sub.example.com", "ns", "sub.example.com NS: "),
        (
            "wide.yaml",
            "BÜCHER.Example.com",
            "a",
            "xn--bcher-kva.example.com (bücher.example.com) A: 192.0.2.9",
        ),
        (
            "wide.yaml",
            "www.example.com",
            "A",
            "www.example.com A: xn--bcher-kva.example.com (bücher.example.com) → 192.0.2.9",
        ),
        ("wide.yaml", "*.example.com", "A", "*.example.com A: 192.0.2.1"),
        ("wide.yaml", "a.b.c.example.com", "aaaa", "a.b.c.example.com AAAA: no AAAA"),
    ] {
        let shown = workspace.run(&["resolve", name, kind, "--spec", spec]).exits(0).stdout;
        // The words for missing records are tested elsewhere. Here, it only matters that they are
        // about this name.
        let first = first.split(" no such").next().unwrap();
        assert!(shown.starts_with(first), "{name}: {shown}");
    }
    for (name, kind, code, words) in [
        (
            "www",
            "A",
            1,
            "no zone of the spec has the name www; give a whole name, such as www.example.com",
        ),
        ("www.example.net", "A", 1, "no zone of the spec has the name www.example.net"),
        (".", "A", 1, "no zone of the spec has the name ."),
        ("", "A", 64, "the name is empty"),
        ("a..b", "A", 64, "an empty label"),
        ("a\nb.example.com", "A", 64, "is not allowed in a name"),
        ("www.example.com", "FOO", 64, "is not a supported record type"),
    ] {
        let ran = workspace.run(&["resolve", name, kind, "--spec", "wide.yaml"]).exits(code);
        assert!(ran.stderr.contains(words), "{name}: {}", ran.stderr);
    }
    // An internationalised name is in both forms where an expectation fails as well.
    spec(
        &workspace,
        "fails.yaml",
        wide,
        "- { name: ours, resolve: bücher, type: A, is: [192.0.2.8] }",
    );
    let ran = workspace.run(&["test", "fails.yaml"]).exits(2);
    assert!(
        ran.stdout.contains("xn--bcher-kva.example.com (bücher.example.com) A: 192.0.2.9"),
        "{}",
        ran.stdout
    );
    // An invalid type is reported as one mistake, not also as a missing type.
    spec(&workspace, "lower.yaml", wide, "- { name: ours, resolve: www, type: ns, answer: none }");
    let ran = workspace.run(&["validate", "lower.yaml"]).exits(1);
    assert!(
        ran.stderr.contains("did you mean `NS`?") && ran.stderr.contains("1 error in the spec"),
        "{}",
        ran.stderr
    );
}
