//! Records that Cloudflare refuses: each one fails alone, with its own message.

use serde_json::{Value, json};

use crate::support::workspace::{Ran, Workspace, options, options_on};
use zonewright::sandbox::OwnNetwork;

/// A value that the sandbox refuses; the plan does not know that.
const REFUSED: &str = "104.16.1.1";

/// Returns a sandbox that refuses records that point to its own network.
fn workspace(records: Value, spec: &str) -> Workspace {
    let mut options = options();
    options.profile.own_network = OwnNetwork::Strict;
    let workspace = Workspace::new(options);
    workspace.plant_records(records);
    workspace.records_spec(spec);
    workspace
}

/// Returns the contents at a name, sorted.
fn contents(workspace: &Workspace, name: &str) -> Vec<String> {
    let records = workspace
        .records("example.com")
        .into_iter()
        .filter(|r| r["name"] == format!("{name}.example.com"));
    let mut contents: Vec<String> =
        records.map(|r| r["content"].as_str().unwrap_or_default().to_owned()).collect();
    contents.sort();
    contents
}

/// Operations that were not done, by outcome and reason.
fn not_done(ran: &Ran) -> Vec<(String, String)> {
    let word = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let all = ran.json()["result"]["zones"][0]["not_done"].as_array().cloned().unwrap_or_default();
    all.iter().map(|entry| (word(entry, "outcome"), word(entry, "reason"))).collect()
}

#[test]
fn one_refused_record_keeps_no_other_of_its_name_away() {
    let spec = format!(
        "      - {{ name: w, type: A, content: [{REFUSED}, 192.0.2.1, 192.0.2.2] }}\n      - {{ name: w, type: TXT, content: words }}\n      - {{ name: v, type: A, content: 192.0.2.3 }}"
    );
    for batch in ["1", "2", "200"] {
        let workspace = workspace(json!([]), &spec);
        let ran = workspace
            .run(&["apply", "spec.yaml", "--yes", "--format", "json", "--batch-size", batch])
            .exits(5);
        assert_eq!(contents(&workspace, "w"), ["\"words\"", "192.0.2.1", "192.0.2.2"], "{batch}");
        assert_eq!(contents(&workspace, "v"), ["192.0.2.3"]);
        let not_done = not_done(&ran);
        assert!(
            matches!(&not_done[..], [(word, why)] if word == "refused" && why.contains("not allowed")),
            "{not_done:?}"
        );
    }
}

#[test]
fn what_makes_room_goes_with_the_first_record_that_is_accepted() {
    let spec = format!(
        "      - {{ name: w, type: A, content: [{REFUSED}, 104.16.1.2, 192.0.2.1, 192.0.2.2] }}"
    );
    let alias = json!([{ "type": "CNAME", "name": "w.example.com", "content": "old.example.net" }]);
    for batch in ["1", "200"] {
        let workspace = workspace(alias.clone(), &spec);
        let apply = [
            "apply",
            "spec.yaml",
            "--yes",
            "--format",
            "json",
            "--batch-size",
            batch,
            "--allow-deletes",
            "1",
        ];
        let ran = workspace.run(&apply).exits(5);
        assert_eq!(contents(&workspace, "w"), ["192.0.2.1", "192.0.2.2"], "{batch}");
        assert_eq!(not_done(&ran).len(), 2);
    }
    // If none of the new records is accepted, the old record stays.
    let spec = format!("      - {{ name: w, type: A, content: [{REFUSED}, 104.16.1.2] }}");
    let workspace = workspace(alias, &spec);
    let ran = workspace
        .run(&["apply", "spec.yaml", "--yes", "--format", "json", "--allow-deletes", "1"])
        .exits(1);
    assert_eq!(contents(&workspace, "w"), ["old.example.net"]);
    assert_eq!(not_done(&ran).len(), 3);
}

#[test]
fn a_value_stays_whose_successor_is_refused() {
    let spec = format!(
        "      - {{ name: w, type: A, content: 192.0.2.9, state: absent }}\n      - {{ name: w, type: A, content: [{REFUSED}, 192.0.2.1] }}"
    );
    let workspace =
        workspace(json!([{ "type": "A", "name": "w.example.com", "content": "192.0.2.9" }]), &spec);
    let ran = workspace
        .run(&["apply", "spec.yaml", "--yes", "--format", "json", "--allow-deletes", "1"])
        .exits(5);
    assert_eq!(contents(&workspace, "w"), ["192.0.2.1", "192.0.2.9"]);
    let not_done = not_done(&ran);
    let words: Vec<&str> = not_done.iter().map(|(word, _)| word.as_str()).collect();
    assert!(words == ["not-sent", "refused"] && not_done[0].1.contains("it stays"), "{not_done:?}");
}

#[test]
fn too_much_text_at_a_name_is_refused_before_anything_is_written() {
    let text = |letter: char, length: usize| letter.to_string().repeat(length);
    let live =
        |c: char| json!({ "type": "TXT", "name": "w.example.com", "content": text(c, 2000) });
    let wanted = |c: char, length: usize| {
        format!("      - {{ name: w, type: TXT, content: {} }}\n", text(c, length))
    };
    let spec = [wanted('d', 2000), wanted('e', 2000)].concat();
    let one = workspace(json!([live('a'), live('b'), live('c')]), &spec);
    let ran = one.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(
        ran.stderr.contains("error[PLAN0036]")
            && ran.stderr.contains("live ones that stay included"),
        "{ran:?}"
    );
    assert!(one.writes().is_empty());
    // Deleted records do not count.
    one.file(
        "spec.yaml",
        format!("version: 1\nzones:\n  example.com:\n    unmanaged: prune\n    records:\n{spec}"),
    );
    one.run(&["apply", "spec.yaml", "--yes", "--allow-deletes", "1", "--allow", "changes-much"])
        .exits(0);
    // It is unknown whether Cloudflare counts quotes.
    let other = workspace(json!([live('a'), live('b'), live('c')]), &wanted('d', 2190));
    let ran = other.run(&["plan", "spec.yaml"]).exits(0);
    assert!(ran.stderr.contains("warning[PLAN0036]"), "{ran:?}");
}

#[test]
fn what_the_plan_of_the_zone_refuses_for_certain_is_not_begun() {
    let spec = "version: 1
zones:
  example.com:
    waf: { owasp: { paranoia: 2 } }
    records: [{ name: w, type: A, content: 192.0.2.1 }]
";
    let with = |tier: &str, spec: &str| {
        let workspace = Workspace::new(options_on(tier));
        workspace.file("spec.yaml", spec);
        workspace
    };
    let free = with("free", spec);
    let ran = free.run(&["apply", "spec.yaml", "--yes"]).exits(1);
    assert!(
        ran.stderr.contains("error[PLAN0003]") && ran.stderr.contains("not part of the free plan"),
        "{ran:?}"
    );
    assert!(free.writes().is_empty(), "{:?}", free.writes());
    // Subscriptions beside a paid plan may allow more.
    let matches = spec.replace(
        "owasp: { paranoia: 2 }",
        "custom: [{ name: a, when: 'http.host matches \"^a+$\"', action: block }]",
    );
    let ran = with("pro", &matches).run(&["plan", "spec.yaml"]).exits(0);
    assert!(ran.stderr.contains("warning[PLAN0017]"), "{ran:?}");
    with("free", &matches).run(&["apply", "spec.yaml", "--yes"]).exits(1);
    // All rules of a new entry point are one operation; the finding is about the rule that it
    // names.
    let second = matches.replace(
        "custom: [",
        "custom:\n        - { name: first, when: 'http.host eq \"b.example\"', action: block }\n        - ",
    );
    let second = second
        .replace("action: block }] }", "action: block }")
        .replace("waf: { custom", "waf:\n      custom");
    let ran = with("pro", &second).run(&["plan", "spec.yaml"]).exits(0);
    let place = ran
        .stderr
        .split("PLAN0017")
        .nth(1)
        .and_then(|rest| rest.lines().nth(1))
        .unwrap_or_default();
    assert!(place.trim_end().contains("spec.yaml:7:"), "{second}{ran:?}");
}

#[test]
fn nothing_is_refused_for_certain_on_an_unknown_plan() {
    let spec = "version: 1
zones:
  example.com:
    waf:
      owasp: { paranoia: 2 }
      custom: [{ name: a, when: 'http.host eq \"a.example\" and http.request.uri.path matches \"^/a\"', action: log }]
    records: [{ name: w, type: A, content: 192.0.2.1, ttl: 30, tags: ['a:b'], comment: COMMENT }]
"
    .replace("COMMENT", &"c".repeat(300));
    let with = |tier: &str| {
        let workspace = Workspace::new(options_on(tier));
        workspace.file("spec.yaml", &spec);
        workspace
    };
    with("free").run(&["plan", "spec.yaml"]).exits(1);
    let partner = with("partners_enterprise");
    let ran = partner.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    assert!(ran.stdout.contains("unknown plan") && !ran.stderr.contains("PLAN0017"), "{ran:?}");
    partner.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}
