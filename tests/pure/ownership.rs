//! Owners of live values, and the permitted changes: each row of the tables in
//! `crates/model/src/diff/ownership.rs` and `src/plan/overwrites.rs`.

use serde_json::{Value, json};
use zonewright::diagnostic::Sources;
use zonewright::model::{DesiredZone, LiveZone, Tier, ZoneId, ZoneName};
use zonewright::plan::{Operation, ZonePlan, plan_zone, plan_zone_with_base};
use zonewright::{spec, wire};

/// Returns a zone as these lines of a spec want it; the first may be another key of the zone.
fn desired(zone: &str) -> DesiredZone {
    let text = format!("version: 1\nzones:\n  example.com: {{ {zone} }}\n");
    let mut sources = Sources::default();
    let outcome =
        spec::load(&[spec::Input::Stdin(text.clone())], &spec::Options::default(), &mut sources);
    let desired = outcome.desired.unwrap_or_else(|| panic!("{text}: {:?}", outcome.diagnostics));
    desired.zones.into_values().next().expect("a zone")
}

/// Returns a zone that wants these records, each `NAME TYPE CONTENT`.
fn desired_zone(records: &[&str]) -> DesiredZone {
    let one = |record: &&str| {
        let (name, record_type, content) = parts(record);
        format!(
            "{{ name: \"{name}\", type: {record_type}, content: {} }}",
            json!(long(record_type, content))
        )
    };
    desired(&format!("records: [{}]", records.iter().map(one).collect::<Vec<_>>().join(", ")))
}

/// Returns the three parts of `NAME TYPE CONTENT`.
fn parts(record: &str) -> (&str, &str, &str) {
    let mut words = record.splitn(3, ' ');
    let mut next = || words.next().unwrap_or_else(|| panic!("{record}"));
    (next(), next(), next())
}

/// Returns a digest as long as its type needs it: `aa` stands for 32 octets.
fn long(record_type: &str, content: &str) -> String {
    match record_type {
        "SSHFP" | "TLSA" | "DS" => {
            content.replace("aa", &"AA".repeat(32)).replace("bb", &"BB".repeat(32))
        }
        _ => content.to_owned(),
    }
}

/// Returns a zone that has these records, each `NAME TYPE CONTENT`.
fn live(records: &[&str]) -> LiveZone {
    let one = |(n, record): (usize, &&str)| {
        let (name, record_type, content) = parts(record);
        let name =
            if name == "@" { "example.com".to_owned() } else { format!("{name}.example.com") };
        let mut json = json!({ "id": format!("{n:032x}"), "type": record_type, "name": name, "content": long(record_type, content), "ttl": 1, "proxied": false });
        if record_type == "MX" {
            let (priority, host) = content.split_once(' ').expect("a priority");
            (json["priority"], json["content"]) =
                (json!(priority.parse::<u16>().expect("a number")), json!(host));
        }
        read(&json)
    };
    with(records.iter().enumerate().map(one).collect())
}

fn read(json: &Value) -> zonewright::model::LiveRecord {
    wire::record::read_record(json).expect("a record")
}

fn with(records: Vec<zonewright::model::LiveRecord>) -> LiveZone {
    let name = ZoneName::parse("example.com").expect("a name");
    LiveZone { tier: Tier::Business, records, ..LiveZone::new(name, ZoneId("z".repeat(32))) }
}

fn plan(base: Option<&DesiredZone>, desired: &DesiredZone, live: &LiveZone) -> ZonePlan {
    match base {
        None => plan_zone(desired, live).0,
        Some(base) => plan_zone_with_base(desired, base, live).0,
    }
}

/// Returns an operation: what, from, to, cause, and those dangers that are about whose a value is.
fn said(operation: &Operation) -> String {
    let record = operation.record().expect("a record");
    let (before, after) = (record.change.before(), record.change.after());
    let short = |text: String| {
        let digests = [("aa", "AA"), ("bb", "BB"), ("AA", "AA"), ("BB", "BB")];
        digests.iter().fold(text, |text, (octet, word)| text.replace(&octet.repeat(32), word))
    };
    let value =
        |form: Option<&zonewright::model::RecordForm>| form.map(|f| short(f.data.presentation()));
    let what = match (value(before), value(after)) {
        (Some(before), Some(after)) => format!("{before} > {after}"),
        (before, after) => before.or(after).unwrap_or_default(),
    };
    let codes = operation.dangers.iter().map(|d| d.code());
    let codes: Vec<_> =
        codes.filter(|c| matches!(*c, "overrides-conflict" | "overwrites-foreign")).collect();
    let kind = record.form().data.type_name();
    format!(
        "{} {kind} {what}: {} {}",
        operation.action().as_str(),
        operation.cause.as_str(),
        codes.join(" ")
    )
    .trim_end()
    .to_owned()
}

#[track_caller]
fn check(
    about: &str,
    base: Option<&DesiredZone>,
    spec: &DesiredZone,
    zone: &LiveZone,
    expected: &[&str],
) {
    let plan = plan(base, spec, zone);
    let found: Vec<String> = plan.operations.iter().map(said).collect();
    assert_eq!(found, expected, "{about}");
}

/// With a base, for values that can exist side by side. Columns: the base, the live state, the
/// spec, the plan.
#[test]
fn with_a_base_what_it_never_had_is_foreign() {
    type Case<'a> = (&'a str, &'a [&'a str], &'a [&'a str], &'a [&'a str], &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (
            "ours, changed in the spec",
            &["a A 192.0.2.1"],
            &["a A 192.0.2.1"],
            &["a A 192.0.2.2"],
            &["update A 192.0.2.1 > 192.0.2.2: spec"],
        ),
        (
            "ours is live, so the other is foreign",
            &["a A 192.0.2.1"],
            &["a A 192.0.2.1", "a A 192.0.2.9"],
            &["a A 192.0.2.1"],
            &[],
        ),
        (
            "ours is changed, the foreign one stays",
            &["a A 192.0.2.1"],
            &["a A 192.0.2.1", "a A 192.0.2.9"],
            &["a A 192.0.2.2"],
            &["update A 192.0.2.1 > 192.0.2.2: spec"],
        ),
        (
            "both of ours become one",
            &["a A 192.0.2.1", "a A 192.0.2.2"],
            &["a A 192.0.2.1", "a A 192.0.2.2"],
            &["a A 192.0.2.3"],
            &["delete A 192.0.2.2: spec", "update A 192.0.2.1 > 192.0.2.3: spec"],
        ),
        (
            "ours is gone, another one is there: drift",
            &["a A 192.0.2.1"],
            &["a A 192.0.2.9"],
            &["a A 192.0.2.1"],
            &["update A 192.0.2.9 > 192.0.2.1: drift"],
        ),
        (
            "the same, and the spec changed it too",
            &["a A 192.0.2.1"],
            &["a A 192.0.2.9"],
            &["a A 192.0.2.2"],
            &["update A 192.0.2.9 > 192.0.2.2: both overrides-conflict"],
        ),
        (
            "ours is gone, two others: unknown which, so neither",
            &["a A 192.0.2.1"],
            &["a A 192.0.2.8", "a A 192.0.2.9"],
            &["a A 192.0.2.1"],
            &["create A 192.0.2.1: drift"],
        ),
        (
            "the same, and the spec changed it",
            &["a A 192.0.2.1"],
            &["a A 192.0.2.8", "a A 192.0.2.9"],
            &["a A 192.0.2.2"],
            &["create A 192.0.2.2: spec"],
        ),
        (
            "drift goes back to what it was, the rest is the author's",
            &["a A 192.0.2.1", "a A 192.0.2.2"],
            &["a A 192.0.2.9", "a A 192.0.2.2"],
            &["a A 192.0.2.1", "a A 192.0.2.3"],
            &["update A 192.0.2.9 > 192.0.2.1: drift", "update A 192.0.2.2 > 192.0.2.3: spec"],
        ),
        (
            "what the spec wants takes the place of what is gone",
            &["a A 192.0.2.1"],
            &["a A 192.0.2.2", "a A 192.0.2.9"],
            &["a A 192.0.2.2"],
            &[],
        ),
        (
            "the base had nothing: every value is foreign",
            &[],
            &["a A 192.0.2.9"],
            &["a A 192.0.2.1"],
            &["create A 192.0.2.1: spec"],
        ),
        (
            "the same, AAAA",
            &[],
            &["a AAAA 2001:db8::9"],
            &["a AAAA 2001:db8::1"],
            &["create AAAA 2001:db8::1: spec"],
        ),
        (
            "the same, SSHFP",
            &[],
            &["a SSHFP 4 2 aa"],
            &["a SSHFP 4 2 bb"],
            &["create SSHFP 4 2 BB: spec"],
        ),
        (
            "the same, TLSA",
            &[],
            &["a TLSA 3 1 1 aa"],
            &["a TLSA 3 1 1 bb"],
            &["create TLSA 3 1 1 BB: spec"],
        ),
        (
            "the same, CAA",
            &[],
            &["a CAA 0 issue \"one.example\""],
            &["a CAA 0 issue \"two.example\""],
            &["create CAA 0 issue \"two.example\": spec"],
        ),
        (
            "the same, NS",
            &[],
            &["a NS ns9.example.net"],
            &["a NS ns1.example.net"],
            &["create NS ns1.example.net: spec"],
        ),
        (
            "the same, MX",
            &[],
            &["a MX 10 mx9.example.net"],
            &["a MX 10 mx1.example.net"],
            &["create MX 10 mx1.example.net: spec"],
        ),
        (
            "the same, a token",
            &[],
            &["a TXT \"ms=ms1\""],
            &["a TXT ms=ms2"],
            &["create TXT \"ms=ms2\": spec"],
        ),
        (
            "the same, words",
            &[],
            &["a TXT \"some words\""],
            &["a TXT other words"],
            &["create TXT \"other words\": spec"],
        ),
        (
            "another purpose of ours proves nothing",
            &["a TXT owner=web"],
            &["a TXT \"owner=web\"", "a TXT \"some words\""],
            &["a TXT owner=web", "a TXT other words"],
            &["create TXT \"other words\": spec"],
        ),
        ("the very value: it is taken over", &[], &["a A 192.0.2.1"], &["a A 192.0.2.1"], &[]),
        (
            "ours is gone, and nothing is there",
            &["a A 192.0.2.1"],
            &[],
            &["a A 192.0.2.1"],
            &["create A 192.0.2.1: drift"],
        ),
        (
            "the same, and the spec changed it",
            &["a A 192.0.2.1"],
            &[],
            &["a A 192.0.2.2"],
            &["create A 192.0.2.2: spec"],
        ),
        (
            "ours, removed from the spec",
            &["a A 192.0.2.1"],
            &["a A 192.0.2.1"],
            &[],
            &["delete A 192.0.2.1: spec"],
        ),
        ("drift of what was removed stays", &["a A 192.0.2.1"], &["a A 192.0.2.9"], &[], &[]),
    ];
    for (about, base, zone, spec, expected) in cases {
        check(about, Some(&desired_zone(base)), &desired_zone(spec), &live(zone), expected);
    }
}

/// With a base, for types with a single value.
#[test]
fn what_cannot_be_beside_a_foreign_value_needs_consent() {
    type Case<'a> = (&'a str, &'a [&'a str], &'a [&'a str], &'a [&'a str], &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (
            "an alias",
            &[],
            &["a CNAME theirs.example.net"],
            &["a CNAME ours.example.net"],
            &["update CNAME theirs.example.net > ours.example.net: both overwrites-foreign"],
        ),
        (
            "SPF",
            &[],
            &["@ TXT \"v=spf1 -all\""],
            &["@ TXT v=spf1 ~all"],
            &["update TXT \"v=spf1 -all\" > \"v=spf1 ~all\": both overwrites-foreign"],
        ),
        (
            "DMARC",
            &[],
            &["_dmarc TXT \"v=DMARC1; p=none\""],
            &["_dmarc TXT v=DMARC1; p=reject"],
            &["update TXT \"v=DMARC1; p=none\" > \"v=DMARC1; p=reject\": both overwrites-foreign"],
        ),
        (
            "two SPF records in place of ours",
            &["@ TXT v=spf1 ~all"],
            &["@ TXT \"v=spf1 -all\"", "@ TXT \"v=spf1 a -all\""],
            &["@ TXT v=spf1 ~all"],
            &["update TXT \"v=spf1 -all\" > \"v=spf1 ~all\": both overwrites-foreign"],
        ),
        (
            "the same host for mail",
            &[],
            &["a MX 20 mx1.example.net"],
            &["a MX 10 mx1.example.net"],
            &["update MX 20 mx1.example.net > 10 mx1.example.net: both overwrites-foreign"],
        ),
        (
            "an address in the way of an alias",
            &[],
            &["a A 192.0.2.9"],
            &["a CNAME ours.example.net"],
            &["delete A 192.0.2.9: both overwrites-foreign", "create CNAME ours.example.net: spec"],
        ),
        (
            "an alias in the way of an address",
            &[],
            &["a CNAME theirs.example.net"],
            &["a A 192.0.2.1"],
            &[
                "delete CNAME theirs.example.net: both overwrites-foreign",
                "create A 192.0.2.1: spec",
            ],
        ),
        (
            "a delegation in the way",
            &[],
            &["a NS ns1.example.net"],
            &["a A 192.0.2.1"],
            &["delete NS ns1.example.net: both overwrites-foreign", "create A 192.0.2.1: spec"],
        ),
        (
            "ours and a foreign one in the way",
            &["a A 192.0.2.1"],
            &["a A 192.0.2.1", "a A 192.0.2.9"],
            &["a CNAME ours.example.net"],
            &[
                "delete A 192.0.2.1: spec",
                "delete A 192.0.2.9: both overwrites-foreign",
                "create CNAME ours.example.net: spec",
            ],
        ),
        (
            "ours in the way",
            &["a A 192.0.2.1"],
            &["a A 192.0.2.1"],
            &["a CNAME ours.example.net"],
            &["delete A 192.0.2.1: spec", "create CNAME ours.example.net: spec"],
        ),
        (
            "drift of ours in the way",
            &["a A 192.0.2.1"],
            &["a A 192.0.2.9"],
            &["a CNAME ours.example.net"],
            &["delete A 192.0.2.9: both overrides-conflict", "create CNAME ours.example.net: spec"],
        ),
        (
            "an alias, put in the place of ours",
            &["a CNAME ours.example.net"],
            &["a CNAME theirs.example.net"],
            &["a CNAME ours.example.net"],
            &["update CNAME theirs.example.net > ours.example.net: drift"],
        ),
        (
            "an address, put in the place of our alias",
            &["a CNAME ours.example.net"],
            &["a A 192.0.2.9"],
            &["a CNAME ours.example.net"],
            &["delete A 192.0.2.9: drift", "create CNAME ours.example.net: drift"],
        ),
        (
            "SPF, put in the place of ours",
            &["@ TXT v=spf1 ~all"],
            &["@ TXT \"v=spf1 -all\""],
            &["@ TXT v=spf1 ~all"],
            &["update TXT \"v=spf1 -all\" > \"v=spf1 ~all\": drift"],
        ),
    ];
    for (about, base, zone, spec, expected) in cases {
        check(about, Some(&desired_zone(base)), &desired_zone(spec), &live(zone), expected);
    }
}

/// Without a base it is unknown who created a record.
#[test]
fn without_a_base_values_that_live_side_by_side_need_consent() {
    type Case<'a> = (&'a str, &'a [&'a str], &'a [&'a str], &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        ("A", &["a A 192.0.2.9"], &["a A 192.0.2.1"], &["update A 192.0.2.9 > 192.0.2.1: unknown"]),
        (
            "AAAA",
            &["a AAAA 2001:db8::9"],
            &["a AAAA 2001:db8::1"],
            &["update AAAA 2001:db8::9 > 2001:db8::1: unknown"],
        ),
        (
            "CNAME",
            &["a CNAME one.example.net"],
            &["a CNAME two.example.net"],
            &["update CNAME one.example.net > two.example.net: unknown"],
        ),
        (
            "TXT",
            &["a TXT \"some words\""],
            &["a TXT other words"],
            &["update TXT \"some words\" > \"other words\": unknown overwrites-foreign"],
        ),
        (
            "SPF",
            &["@ TXT \"v=spf1 -all\""],
            &["@ TXT v=spf1 ~all"],
            &["update TXT \"v=spf1 -all\" > \"v=spf1 ~all\": unknown overwrites-foreign"],
        ),
        (
            "SSHFP",
            &["a SSHFP 4 2 aa"],
            &["a SSHFP 4 2 bb"],
            &["update SSHFP 4 2 AA > 4 2 BB: unknown overwrites-foreign"],
        ),
        (
            "TLSA",
            &["a TLSA 3 1 1 aa"],
            &["a TLSA 3 1 1 bb"],
            &["update TLSA 3 1 1 AA > 3 1 1 BB: unknown overwrites-foreign"],
        ),
        (
            "CAA",
            &["a CAA 0 issue \"one.example\""],
            &["a CAA 0 issue \"two.example\""],
            &[
                "update CAA 0 issue \"one.example\" > 0 issue \"two.example\": unknown overwrites-foreign",
            ],
        ),
        (
            "NS",
            &["a NS ns1.example.net"],
            &["a NS ns2.example.net"],
            &["update NS ns1.example.net > ns2.example.net: unknown overwrites-foreign"],
        ),
        (
            "DS",
            &["a NS ns1.example.net", "a DS 1 13 2 aa"],
            &["a NS ns1.example.net", "a DS 1 13 2 bb"],
            &["update DS 1 13 2 AA > 1 13 2 BB: unknown overwrites-foreign"],
        ),
        (
            "MX",
            &["a MX 10 mx1.example.net"],
            &["a MX 10 mx2.example.net"],
            &["update MX 10 mx1.example.net > 10 mx2.example.net: unknown overwrites-foreign"],
        ),
        (
            "the same host for mail is the same value",
            &["a MX 20 mx1.example.net"],
            &["a MX 10 mx1.example.net"],
            &["update MX 20 mx1.example.net > 10 mx1.example.net: unknown"],
        ),
        (
            "a token is never replaced",
            &["a TXT \"ms=ms1\""],
            &["a TXT ms=ms2"],
            &["create TXT \"ms=ms2\": unknown"],
        ),
        (
            "two live ones: unknown which",
            &["a A 192.0.2.8", "a A 192.0.2.9"],
            &["a A 192.0.2.1"],
            &["create A 192.0.2.1: unknown"],
        ),
        (
            "an address in the way",
            &["a A 192.0.2.9"],
            &["a CNAME one.example.net"],
            &["delete A 192.0.2.9: unknown", "create CNAME one.example.net: unknown"],
        ),
        (
            "a delegation in the way",
            &["a NS ns1.example.net"],
            &["a A 192.0.2.1"],
            &[
                "delete NS ns1.example.net: unknown overwrites-foreign",
                "create A 192.0.2.1: unknown",
            ],
        ),
    ];
    for (about, zone, spec, expected) in cases {
        check(about, None, &desired_zone(spec), &live(zone), expected);
    }
}

/// If the spec is the complete state of the zone, nothing in it is foreign.
#[test]
fn a_pruned_zone_has_nothing_foreign() {
    let spec = desired("unmanaged: prune, records: [{ name: a, type: TXT, content: other words }]");
    check(
        "without a base",
        None,
        &spec,
        &live(&["a TXT \"some words\""]),
        &["update TXT \"some words\" > \"other words\": unknown"],
    );
    let base = desired("unmanaged: prune, records: []");
    let expected = ["update TXT \"some words\" > \"other words\": both overrides-conflict"];
    check("with a base", Some(&base), &spec, &live(&["a TXT \"some words\""]), &expected);
}

/// Attributes of one value: the spec and someone else changed them.
#[test]
fn facets_that_both_changed_are_a_conflict() {
    let with_ttl = |ttl: u32| {
        desired(&format!("records: [{{ name: a, type: A, content: 192.0.2.1, ttl: {ttl} }}]"))
    };
    let zone = |ttl: u32| {
        with(vec![read(
            &json!({ "id": "1", "type": "A", "name": "a.example.com", "content": "192.0.2.1", "ttl": ttl }),
        )])
    };
    let update = |cause: &str| format!("update A 192.0.2.1 > 192.0.2.1: {cause}");
    for (base, there, wanted, cause) in [
        (300, 300, 600, "spec"),
        (300, 900, 300, "drift"),
        (300, 900, 600, "both overrides-conflict"),
    ] {
        check(cause, Some(&with_ttl(base)), &with_ttl(wanted), &zone(there), &[&update(cause)]);
    }
    // The value is the spec's own, so its attributes are too, whoever created it.
    check(
        "taken over",
        Some(&desired("records: []")),
        &with_ttl(600),
        &zone(300),
        &[&update("spec")],
    );
    let gone = ["create A 192.0.2.1: both overrides-conflict"];
    check(
        "deleted by someone, changed by the author",
        Some(&with_ttl(300)),
        &with_ttl(600),
        &with(Vec::new()),
        &gone,
    );
}

/// Dropping `protect: true` in the same change does not remove the protection that the base gave.
#[test]
fn protection_that_is_dropped_with_the_change_is_still_protection() {
    let protected = |zone: &ZonePlan| {
        let is_protected =
            |o: &Operation| o.dangers.iter().any(|d| d.code() == "changes-protected");
        zone.operations.iter().filter(|o| is_protected(o)).map(said).collect::<Vec<_>>()
    };
    let base =
        desired("records: [{ name: a, type: A, content: 192.0.2.1, ttl: 300, protect: true }]");
    let read = |content: &str| {
        with(vec![read(
            &json!({ "id": "1", "type": "A", "name": "a.example.com", "content": content, "ttl": 300 }),
        )])
    };
    let ours = read("192.0.2.1");
    for (about, spec, zone, expected) in [
        (
            "value",
            "records: [{ name: a, type: A, content: 192.0.2.2 }]",
            &ours,
            "update A 192.0.2.1 > 192.0.2.2: spec",
        ),
        (
            "ttl",
            "records: [{ name: a, type: A, content: 192.0.2.1, ttl: 600 }]",
            &ours,
            "update A 192.0.2.1 > 192.0.2.1: spec",
        ),
        ("removed", "records: []", &ours, "delete A 192.0.2.1: spec"),
        (
            "tombstone",
            "records: [{ name: a, type: A, state: absent }]",
            &ours,
            "delete A 192.0.2.1: spec",
        ),
        (
            "type",
            "records: [{ name: a, type: CNAME, content: b.example.net }]",
            &ours,
            "delete A 192.0.2.1: spec",
        ),
        ("pruned", "unmanaged: prune, records: []", &ours, "delete A 192.0.2.1: spec"),
        (
            "drift of it",
            "records: [{ name: a, type: A, content: 192.0.2.2 }]",
            &read("192.0.2.9"),
            "update A 192.0.2.9 > 192.0.2.2: both overrides-conflict",
        ),
    ] {
        assert_eq!(protected(&plan(Some(&base), &desired(spec), zone)), [expected], "{about}");
    }
    // The other record was never protected.
    let zone = live(&["a A 192.0.2.1", "a TXT \"some words\""]);
    let spec = desired(
        "records: [{ name: a, type: A, content: 192.0.2.1 }, { name: a, type: TXT, state: absent }]",
    );
    assert!(protected(&plan(Some(&base), &spec, &zone)).is_empty());
}

/// A delegation is deleted with its DS records: Cloudflare would refuse DS records without it.
#[test]
fn a_delegation_that_goes_takes_its_ds_along() {
    let delegated = live(&["a NS ns1.example.net", "a NS ns2.example.net", "a DS 1 13 2 aa"]);
    let found = |base: Option<&DesiredZone>, spec: &str| -> Vec<String> {
        plan(base, &desired(spec), &delegated).operations.iter().map(said).collect()
    };
    let gone = |ds: &str, ns: &str| -> Vec<String> {
        let ns = ["ns1", "ns2"].map(|host| format!("delete NS {host}.example.net: {ns}"));
        [format!("delete DS 1 13 2 AA: {ds}")].into_iter().chain(ns).collect()
    };
    let mut replaced = gone("unknown", "unknown overwrites-foreign");
    replaced.push("create A 192.0.2.1: unknown".to_owned());
    assert_eq!(found(None, "records: [{ name: a, type: A, content: 192.0.2.1 }]"), replaced);
    assert_eq!(
        found(None, "records: [{ name: a, type: NS, state: absent }]"),
        gone("unknown", "unknown")
    );
    let base = desired_zone(&["a NS ns1.example.net", "a NS ns2.example.net"]);
    assert_eq!(
        found(Some(&base), "records: []"),
        gone("both overwrites-foreign", "spec"),
        "the base had no DS"
    );
    let base = desired_zone(&["a NS ns1.example.net", "a NS ns2.example.net", "a DS 1 13 2 aa"]);
    assert_eq!(found(Some(&base), "records: []"), gone("spec", "spec"));
    // One NS record stays, so the DS record stays, too.
    let some =
        found(None, "records: [{ name: a, type: NS, content: ns2.example.net, state: absent }]");
    assert_eq!(some, ["delete NS ns2.example.net: unknown"]);
}

/// The spec can accept both dangers, beside the record or for the zone.
#[test]
fn consents_to_conflicts_can_be_committed() {
    let base = desired_zone(&["a A 192.0.2.1", "b CNAME ours.example.net"]);
    let zone = live(&[
        "a A 192.0.2.9",
        "b CNAME ours.example.net",
        "c CNAME theirs.example.net",
        "d A 192.0.2.9",
    ]);
    let reasons = "allow: { overrides-conflict: agreed, overwrites-foreign: agreed }";
    let records = |own: &str| {
        let all = [
            "{ name: a, type: A, content: 192.0.2.2",
            "{ name: b, type: CNAME, content: ours.example.net",
            "{ name: c, type: CNAME, content: ours.example.net",
            "{ name: d, type: CNAME, content: ours.example.net",
        ];
        all.map(|entry| format!("{entry}{own} }}")).join(", ")
    };
    let open = |spec: &str| {
        let plan = plan(Some(&base), &desired(spec), &zone);
        let is_open = |o: &&Operation| {
            o.dangers.iter().any(|d| d.code().starts_with("over") && !o.accepted.contains_key(d))
        };
        plan.operations.iter().filter(is_open).map(said).collect::<Vec<_>>()
    };
    assert_eq!(open(&format!("records: [{}]", records(""))).len(), 3);
    assert!(open(&format!("records: [{}]", records(&format!(", {reasons}")))).is_empty());
    assert!(open(&format!("{reasons}, records: [{}]", records(""))).is_empty());
}

/// The plan lists values as removed if the spec removed them, also in a pruned zone.
#[test]
fn a_delete_says_why() {
    let reasons = |base: Option<&DesiredZone>, spec: &str| -> Vec<String> {
        let zone = live(&["a A 192.0.2.1", "b A 192.0.2.2", "c A 192.0.2.3"]);
        let plan = plan(base, &desired(spec), &zone);
        plan.operations.iter().map(|o| o.subject.why().about.into_owned()).collect()
    };
    let base = desired_zone(&["a A 192.0.2.1", "c A 192.0.2.3"]);
    let spec = "unmanaged: prune, records: [{ name: c, type: A, state: absent }]";
    let pruned = "not in the spec, and the zone is pruned";
    assert_eq!(
        reasons(Some(&base), spec),
        ["removed from the spec", pruned, "the spec says state: absent"]
    );
    assert_eq!(reasons(None, spec), [pruned, pruned, "the spec says state: absent"]);
}
