//! Texts that differ only in where they are cut into strings. A server tells them apart, or calls
//! them identical and refuses the second one; in both cases, applies succeed, and the wanted text
//! is live.

use crate::support::concurrently::concurrently;
use crate::support::workspace::{Workspace, options};
use serde_json::{Value, json};

/// Returns a zone with a text that differs from the wanted one only in its cuts.
fn texts(joins: bool) -> Workspace {
    let mut options = options();
    options.profile.txt_cuts = if joins {
        zonewright::sandbox::TxtCuts::Joined
    } else {
        zonewright::sandbox::TxtCuts::Apart
    };
    let workspace = Workspace::new(options);
    workspace.plant_records(json!([{ "type": "TXT", "name": "www.example.com", "content": "ab" }]));
    workspace
}

fn contents(workspace: &Workspace) -> Vec<Value> {
    let records = workspace.records("example.com").into_iter().filter(|r| r["type"] == "TXT");
    let mut contents: Vec<Value> = records.map(|record| record["content"].clone()).collect();
    contents.sort_by_key(ToString::to_string);
    contents
}

#[test]
fn a_text_with_other_cuts_ends_in_sync_whether_or_not_cuts_tell_texts_apart() {
    for joins in [false, true] {
        for batch in ["1", "200"] {
            // Without a base, the live text becomes the wanted one.
            let workspace = texts(joins);
            workspace.records_spec(r#"      - { name: www, type: TXT, content: '"a" "b"' }"#);
            let apply = [
                "apply",
                "spec.yaml",
                "--yes",
                "--batch-size",
                batch,
                "--allow",
                "overwrites-foreign",
            ];
            workspace.run(&apply).exits(0);
            assert_eq!(contents(&workspace), [json!("\"a\" \"b\"")]);
            workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
            // Beside a text that is wanted as well.
            let workspace = texts(joins);
            workspace.records_spec(
                "      - { name: www, type: TXT, content: [ab, '\"a\" \"b\"'] }\n      - { name: x, type: A, content: 192.0.2.1 }",
            );
            let planned = workspace.run(&["plan", "spec.yaml", "-v"]).exits(0);
            for code in ["PLAN0049", "LINT0031"] {
                assert!(planned.stderr.contains(code), "{planned:?}");
            }
            for _ in 0..2 {
                let ran =
                    workspace.run(&["apply", "spec.yaml", "--yes", "--batch-size", batch]).exits(0);
                assert!(
                    ran.stdout.contains("in sync") || ran.stdout.contains("nothing to do"),
                    "{ran:?}"
                );
                let is_told = ran.stdout.contains("is live, with other cuts: \"ab\"");
                assert_eq!(is_told, joins, "{ran:?}");
                assert_eq!(contents(&workspace).len(), if joins { 1 } else { 2 });
            }
        }
    }
}

/// The live text is to get another time to live or comment by the same run, before or after the
/// create.
#[test]
fn a_text_with_other_cuts_is_live_while_its_record_waits_for_an_update() {
    for (first, second) in [("ab", "\\\"a\\\" \\\"b\\\""), ("\\\"a\\\" \\\"b\\\"", "ab")] {
        for batch in ["1", "200"] {
            let workspace = texts(true);
            workspace.records_spec(&format!(
                "      - {{ name: www, type: TXT, content: \"{first}\", ttl: 60 }}\n      - {{ name: www, type: TXT, content: \"{second}\", ttl: 600, comment: by hand }}"
            ));
            for _ in 0..2 {
                let ran =
                    workspace.run(&["apply", "spec.yaml", "--yes", "--batch-size", batch]).exits(0);
                assert!(ran.stdout.contains("is live, with other cuts: \"ab\""), "{ran:?}");
                assert_eq!(contents(&workspace), [json!("ab")]);
            }
        }
    }
}

/// A text of someone else, which the base shows, stays as it is: the wanted one is created beside
/// it, or is live with other cuts.
#[test]
fn beside_a_foreign_text_with_other_cuts_the_wanted_one_is_created() {
    for joins in [false, true] {
        for batch in ["1", "200"] {
            let workspace = texts(joins);
            let other = "      - { name: x, type: A, content: 192.0.2.1 }\n";
            workspace.file(
                "base.yaml",
                format!("version: 1\nzones:\n  example.com:\n    records:\n{other}"),
            );
            workspace.records_spec(&format!(
                "{other}      - {{ name: www, type: TXT, content: '\"a\" \"b\"' }}"
            ));
            let arguments = ["spec.yaml", "--base", "./base.yaml", "--batch-size", batch];
            let planned = workspace.run(&[&["plan", "-v"], &arguments[..]].concat()).exits(0);
            assert!(planned.stderr.contains("PLAN0049"), "{planned:?}");
            let ran = workspace.run(&[&["apply", "--yes"], &arguments[..]].concat()).exits(0);
            let is_told = ran.stdout.contains("is live, with other cuts: \"ab\"");
            assert_eq!(is_told, joins, "{ran:?}");
            assert_eq!(contents(&workspace).len(), if joins { 1 } else { 2 });
        }
    }
}

/// A text that is replaced by the same text with other cuts is deleted first, and created again if
/// the new one is refused.
#[test]
fn a_text_is_not_lost_to_its_own_other_cuts() {
    for joins in [false, true] {
        for has_batch in [true, false] {
            let mut options = options();
            options.profile.batch = has_batch;
            options.profile.txt_cuts = if joins {
                zonewright::sandbox::TxtCuts::Joined
            } else {
                zonewright::sandbox::TxtCuts::Apart
            };
            let workspace = Workspace::new(options);
            workspace.plant_records(
                json!([{ "type": "TXT", "name": "www.example.com", "content": "ab" }]),
            );
            workspace.records_spec(
                "      - { name: www, type: TXT, content: ab, state: absent }\n      - { name: www, type: TXT, content: '\"a\" \"b\"' }",
            );
            let apply = ["apply", "spec.yaml", "--yes", "--batch-size", "1"];
            let ran = workspace.run(&apply);
            let ran = if ran.code == Some(3) {
                workspace.run(&[&apply[..], &["--allow-deletes", "1"]].concat())
            } else {
                ran
            };
            ran.exits(0);
            assert_eq!(contents(&workspace), [json!("\"a\" \"b\"")]);
            workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
        }
    }
}

/// Of so many cases, one is tried.
const STEP: usize = 23;

/// The texts of which the cases are made: three that differ only in their cuts, and another one.
const TEXTS: [&str; 4] = ["ab", "\"a\" \"b\"", "\"\" \"ab\"", "zz"];

/// Texts by the bits of a number.
fn chosen(bits: usize) -> Vec<&'static str> {
    (0..TEXTS.len()).filter(|n| bits >> n & 1 == 1).map(|n| TEXTS[n]).collect()
}

/// Returns a spec that wants these texts.
fn spec_of(texts: &[&str], rest: &str) -> String {
    let texts = serde_json::to_string(texts).expect("texts are JSON");
    let records = format!("      - {{ name: www, type: TXT, content: {texts} }}\n");
    let records = if texts == "[]" { "      []\n".to_owned() } else { records };
    format!("version: 1\nzones:\n  example.com:\n{rest}    records:\n{records}")
}

/// Whatever was live, wanted before and wanted now, two applies end with success, whoever made what
/// is live.
#[test]
fn any_texts_with_other_cuts_converge() {
    let pairs = |bits: &usize| bits.count_ones() <= 2;
    // Live texts; texts of the base, or none; wanted texts.
    let mut cases = Vec::new();
    for live in (0..16_usize).filter(pairs) {
        for base in std::iter::once(None).chain((1..16_usize).filter(pairs).map(Some)) {
            for wanted in (1..16_usize).filter(|bits| bits.count_ones() <= 3) {
                cases.push((live, base, wanted));
            }
        }
    }
    // A part of them, spread evenly.
    let cases = cases.into_iter().step_by(STEP).enumerate();
    concurrently(cases, |(number, (live, base, wanted))| {
        let (joins, batch) = (number % 3 != 0, if number % 2 == 0 { "1" } else { "200" });
        let mut options = options();
        options.profile.txt_cuts = if joins {
            zonewright::sandbox::TxtCuts::Joined
        } else {
            zonewright::sandbox::TxtCuts::Apart
        };
        let workspace = Workspace::new(options);
        // Of texts with other cuts, a server that joins them has one.
        let mut planted: Vec<&str> = Vec::new();
        for text in chosen(live) {
            let is_joined = |other: &&str| joins && text != "zz" && *other != "zz";
            if !planted.iter().any(is_joined) {
                planted.push(text);
            }
        }
        let records = planted
            .iter()
            .map(|text| json!({ "type": "TXT", "name": "www.example.com", "content": text }));
        workspace.plant_records(records.collect());
        let prune = if number % 5 < 2 { "    unmanaged: prune\n" } else { "" };
        workspace.file("spec.yaml", spec_of(&chosen(wanted), prune));
        let mut arguments = vec!["spec.yaml", "--batch-size", batch];
        if let Some(base) = base {
            workspace.file("base.yaml", spec_of(&chosen(base), prune));
            arguments.extend(["--base", "./base.yaml"]);
        }
        let what = format!(
            "{planted:?}, base {:?}, wanted {:?}, joins {joins}, {prune}{batch}",
            base.map(chosen),
            chosen(wanted)
        );
        let all = zonewright::model::Danger::ALL.iter().map(|danger| danger.code());
        let allowed: Vec<&str> = all.filter(|code| *code != "delete").collect();
        let allowed = allowed.join(",");
        for _ in 0..2 {
            let planned = workspace.run(&[&["plan", "--format", "json"], &arguments[..]].concat());
            let deletes = planned.json()["summary"]["deletes_to_allow"].to_string();
            let consents = ["--allow", &allowed, "--allow-deletes", &deletes];
            let consents = if deletes == "0" { &consents[..2] } else { &consents[..] };
            let ran = workspace.run(&[&["apply", "--yes"], &arguments[..], consents].concat());
            assert_eq!(ran.code, Some(0), "{what}: {}{}", ran.stdout, ran.stderr);
        }
        let live = contents(&workspace);
        let strings = |text: &str| text.replace(['"', ' '], "");
        for text in chosen(wanted) {
            let is_live = |content: &Value| {
                let content = content.as_str().expect("it is a text");
                if joins {
                    strings(content) == strings(text)
                } else {
                    content.trim_matches('"') == text.trim_matches('"')
                }
            };
            assert!(live.iter().any(is_live), "{text} is not live: {what}: {live:?}");
        }
        let planned = workspace
            .run(&[&["plan", "--detailed-exitcode", "--format", "json"], &arguments[..]].concat());
        if !joins {
            assert_eq!(planned.code, Some(0), "{what}: {planned:?}");
        }
    });
}
