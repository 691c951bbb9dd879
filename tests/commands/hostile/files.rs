//! Hostile text in files and arguments: specs, policies, plans, journals, snapshots, locks, and
//! file names.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use zonewright::cli::Invocation;
use zonewright::plan::BaseSource;

use super::shown::{EVIL, is_harmless};
use super::{ShownRun, run_in_each_document, run_in_formats, shown_runs};
use crate::support::journals::newest;
use crate::support::saved_plans::sealed;
use crate::support::workspace::{Ran, Workspace, binary, document_formats, options_on};

/// Returns the commands that show a spec with mistakes, with the formats of their output. A plan
/// shows mistakes as `validate` does, so it is run in the formats that `validate` does not have.
fn check_runs() -> Vec<ShownRun> {
    let lines = shown_runs(&[
        (&["validate", "spec.yaml"], "text"),
        (&["validate", "spec.yaml", "--color", "never", "--format", "json"], "json"),
        (&["plan", "spec.yaml", "--sandbox"], "text"),
        (&["plan", "spec.yaml", "--sandbox", "--format", "markdown"], "markdown"),
        (&["plan", "spec.yaml", "--sandbox", "--format", "json"], "json"),
        (&["diff", "empty.yaml", "spec.yaml"], "text"),
        (&["diff", "empty.yaml", "spec.yaml", "--format", "json"], "json"),
    ]);
    let of_validate = document_formats("validate");
    let is_of_plan_alone = |format: &&str| !of_validate.contains(format);
    let of_plan_alone = document_formats("plan").into_iter().filter(is_of_plan_alone);
    let plans = run_in_formats(&["plan", "spec.yaml", "--sandbox"], of_plan_alone);
    [lines, run_in_each_document(&["validate", "spec.yaml"]), plans].concat()
}

/// Runs the program in this process, because there are many runs, in this directory.
fn inside(directory: &Path, arguments: &[&str]) -> Ran {
    let there = |name: &str| directory.join(name).into_os_string();
    let given = arguments.iter().map(|argument| match *argument {
        "--sandbox" => format!("--sandbox={}", directory.join("service").display()).into(),
        name if [".yaml", ".csv"].iter().any(|end| name.ends_with(end)) => there(name),
        argument => argument.into(),
    });
    let ours = ["--cache".into(), there("cache"), "--journal".into(), there("journal")];
    let streams: [Arc<Mutex<Vec<u8>>>; 2] = Default::default();
    let [results, messages] = streams.clone();
    let arguments = given.chain(ours).collect();
    let invocation =
        Invocation { arguments, environment: BTreeMap::new(), results, messages, observer: None };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let code = Some(runtime.block_on(invocation.run()).code().into());
    let [stdout, stderr] =
        streams.map(|stream| String::from_utf8(stream.lock().unwrap().clone()).unwrap());
    Ran { code, stdout, stderr }
}

/// Runs all of these commands on a spec.
#[track_caller]
fn check_all(spec: &Value, what: &str) {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("empty.yaml"), "version: 1\nzones: {}\n").unwrap();
    fs::write(directory.path().join("spec.yaml"), spec.to_string()).unwrap();
    let run = |arguments: &[&str]| inside(directory.path(), arguments);
    for (arguments, format) in check_runs() {
        let ran = run(&arguments);
        assert!(matches!(ran.code, Some(0 | 1 | 3)), "{what}: {arguments:?}: {ran:?}");
        is_harmless(&format!("{what}: {arguments:?}"), format, &ran);
    }
    let ran = run(&["validate", "spec.yaml", "--print"]);
    if ran.code == Some(0) {
        is_harmless(what, "yaml", &ran);
        fs::write(directory.path().join("printed.yaml"), &ran.stdout).unwrap();
        let ran = run(&["diff", "spec.yaml", "printed.yaml", "--exit-code"]);
        assert_eq!(ran.code, Some(0), "{what}: printed it says something else\n{ran:?}");
    }
}

/// Returns a spec with these records, and other keys of the zone.
fn spec(records: Value, more: Value) -> Value {
    let mut zone = json!({ "records": records });
    zone.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "version": 1, "zones": { "example.com": zone } })
}

#[test]
fn words_of_a_spec_are_data_in_every_output() {
    let a = |more: Value| {
        let mut record = json!({ "name": "a", "type": "A", "content": "192.0.2.1" });
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        record
    };
    let none = json!({});
    let long = format!("EVIL{}", "\u{202e}y".repeat(250_000));
    // Text with a limit at Cloudflare is cut to it, so that the spec is valid.
    let fits: String = EVIL.replace('\0', "").chars().take(90).collect();
    for words in [EVIL, long.as_str(), fits.as_str()] {
        let specs = [
            ("text", spec(json!([{ "name": "t", "type": "TXT", "content": words }]), none.clone())),
            ("comment", spec(json!([a(json!({ "comment": words }))]), none.clone())),
            (
                "metadata",
                spec(
                    json!([a(json!({ "owner": words, "reason": words, "expires": "2020-01-01" }))]),
                    none.clone(),
                ),
            ),
            (
                "reason",
                spec(json!([a(json!({ "allow": { "exposes-origin": words } }))]), none.clone()),
            ),
            (
                "ignored",
                spec(
                    json!([]),
                    json!({ "unmanaged": "prune", "ignore": [{ "name": "a*", "reason": words }] }),
                ),
            ),
            (
                "name",
                spec(json!([{ "name": words, "type": "A", "content": "192.0.2.1" }]), none.clone()),
            ),
            (
                "type",
                spec(json!([{ "name": "a", "type": words, "content": "192.0.2.1" }]), none.clone()),
            ),
            (
                "content",
                spec(json!([{ "name": "a", "type": "A", "content": words }]), none.clone()),
            ),
            (
                "data",
                spec(
                    json!([{ "name": "a", "type": "SRV", "data": { "target": words, words: 1 } }]),
                    none.clone(),
                ),
            ),
            ("key", spec(json!([a(json!({ words: 1 }))]), none.clone())),
            ("tags", spec(json!([a(json!({ "tags": [words] }))]), none.clone())),
            ("zone", json!({ "version": 1, "zones": { words: { "records": [] } } })),
            ("include", json!({ "version": 1, "include": [words], "zones": {} })),
            (
                "variable",
                json!({ "version": 1, "variables": { "A": words }, "zones": { "example.com": { "records": [{ "name": "a", "type": "TXT", "content": "${A}" }] } } }),
            ),
            ("setting", spec(json!([]), json!({ "settings": { "ssl": words, words: "on" } }))),
            (
                "rule",
                spec(
                    json!([]),
                    json!({ "waf": { "custom": [{ "name": "a", "when": format!("http.host eq {words:?}"), "action": "block" }] } }),
                ),
            ),
            (
                "broken rule",
                spec(
                    json!([]),
                    json!({ "waf": { "custom": [{ "name": words, "when": words, "action": words }] } }),
                ),
            ),
            (
                "tuning",
                spec(
                    json!([]),
                    json!({ "waf": { "owasp": { "disable": [{ "rule": 942430, "reason": words, "expires": "2020-01-01" }] } } }),
                ),
            ),
            ("anything", Value::String(words.to_owned())),
        ];
        // A long text has the same length in each place, so a few places are enough.
        let some = if words.len() > 10_000 { 6 } else { 1 };
        for (what, spec) in specs.into_iter().step_by(some) {
            check_all(&spec, &format!("{what}: {:?}", words.chars().take(12).collect::<String>()));
        }
    }
}

#[test]
fn arguments_and_names_of_files_are_data() {
    let directory = tempfile::tempdir().unwrap();
    let name = "e\u{1b}[31m\u{202e}##[error]\n::error::x.yaml";
    let place = directory.path().join(name);
    let wrong = "version: 1\nzones: { example.com: { records: [{ name: a, type: A, content: nonsense }] } }\n";
    fs::write(&place, wrong).unwrap();
    let base = format!("https://{EVIL}").replace('\0', "");
    let evil = EVIL.replace('\0', "");
    let validated = document_formats("validate");
    let planned = document_formats("plan").into_iter().filter(|format| !validated.contains(format));
    let formats: Vec<Vec<&str>> =
        (validated.iter().map(|format| vec!["validate", name, "--format", format]))
            .chain(planned.map(|format| vec!["plan", name, "--sandbox", "--format", format]))
            .collect();
    let others = [
        &["validate", name][..],
        &["validate", name, "--format", "json"],
        &["validate", "--nonsense", &evil],
        &["validate", &format!("--{evil}")],
        &[&evil],
        &["validate", &evil],
        &["validate", name, "--zone", &evil],
        &["validate", name, "--var", &evil],
        &["validate", name, "--policy", &evil],
        &["plan", name, "--base", &evil, "--sandbox"],
        &["plan", name, "--against", &evil],
        &["plan", name, "--base-url", &base],
        &["plan", name, "--allow", &evil, "--sandbox"],
        &["plan", name, "--comment-marker", &evil, "--sandbox"],
        &["plan", name, "--today", &evil, "--sandbox"],
        &["apply", name, "--yes", "--sandbox", "--journal", &evil],
        &["import", &evil, "--sandbox"],
        &["import", "example.com", &format!("--sandbox={evil}"), "--zone", &evil],
        &["undo", &evil, "--sandbox"],
        &["drift", name, "--webhook", &evil, "--sandbox"],
        &["drift", name, "--fail-on", &evil, "--sandbox"],
        &["completions", &evil],
        &["sandbox", "seed", &evil],
        &["waf", "rules", name, "--sandbox"],
    ];
    for arguments in others.into_iter().chain(formats.iter().map(Vec::as_slice)) {
        let ran: Ran = binary(directory.path()).args(arguments).output().unwrap().into();
        assert!(matches!(ran.code, Some(1 | 64)), "{arguments:?}: {ran:?}");
        let format =
            arguments.iter().position(|a| *a == "--format").map_or("text", |at| arguments[at + 1]);
        is_harmless(&format!("{arguments:?}"), format, &ran);
        assert!(
            !format!("{}{}", ran.stdout, ran.stderr).is_empty(),
            "{arguments:?}: nothing is said"
        );
    }
}

/// Returns a copy of a value in which the nth text is replaced; `None` if it has fewer.
fn replaced(value: &Value, nth: &mut usize, by: &str) -> Value {
    match value {
        Value::String(text) => {
            let is_it = *nth == 0;
            *nth = nth.wrapping_sub(1);
            Value::String(if is_it { by.to_owned() } else { text.clone() })
        }
        Value::Array(items) => items.iter().map(|item| replaced(item, nth, by)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(n, v)| (n.clone(), replaced(v, nth, by)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

/// Returns the number of texts in a value.
fn texts(value: &Value) -> usize {
    match value {
        Value::String(_) => 1,
        Value::Array(items) => items.iter().map(texts).sum(),
        Value::Object(members) => members.values().map(texts).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Returns a sandbox with a record to change, a record to delete, and protection.
fn changed() -> Workspace {
    let workspace = Workspace::new(options_on("business"));
    workspace.plant_records(json!([
        { "type": "A", "name": "www.example.com", "content": "192.0.2.1", "ttl": 300, "comment": "before" },
        { "type": "TXT", "name": "old.example.com", "content": "\"gone\"" },
    ]));
    workspace.file(
        "spec.yaml",
        "
version: 1
zones:
  example.com:
    records:
      - { name: www, type: A, content: 192.0.2.2, ttl: 600 }
      - { name: old, type: TXT, state: absent }
    waf:
      custom: [{ name: scanners, when: 'http.user_agent contains \"scanner\"', action: block }]
",
    );
    workspace
}

/// Returns a base whose name and commit are hostile text.
fn evil_base() -> BaseSource {
    BaseSource::Revision { name: EVIL.to_owned(), commit: EVIL.to_owned() }
}

#[test]
fn a_saved_plan_says_nothing_to_a_terminal() {
    let workspace = changed();
    workspace.run(&["plan", "spec.yaml", "--out", "plan.json", "--allow-deletes", "1"]).exits(0);
    let text = fs::read_to_string(workspace.path().join("plan.json")).unwrap();
    let plan: Value = serde_json::from_str(&text).unwrap();
    let mut bare = plan.clone();
    bare.as_object_mut().unwrap().retain(|name, _| name != "saved" && name != "checksum");
    let mut forged: Vec<String> = (0..texts(&bare))
        .map(|n| {
            let mut forged = replaced(&bare, &mut { n }, EVIL);
            forged["saved"] = plan["saved"].clone();
            sealed(forged)
        })
        .collect();
    let of = |change: fn(&mut Value)| {
        let mut plan = plan.clone();
        change(&mut plan);
        sealed(plan)
    };
    let mut evil_base = json!(evil_base());
    evil_base["spec"] = plan["saved"]["spec"].clone();
    let mut on_evil_base = plan.clone();
    on_evil_base["base"] = json!(self::evil_base());
    on_evil_base["saved"]["base"] = evil_base;
    forged.extend([
        of(|p| p["saved"]["tool"] = EVIL.into()),
        of(|p| p["saved"]["created_at"] = EVIL.into()),
        of(|p| p["saved"]["today"] = EVIL.into()),
        of(|p| p["saved"]["spec"] = EVIL.into()),
        of(|p| {
            let evil = "version: 1\nzones: { example.com: { records: [{ name: EVIL, type: A }] } }";
            p["saved"]["spec"] = evil.replace("EVIL", &format!("{EVIL:?}")).into();
        }),
        of(|p| p["saved"]["base"] = json!(self::evil_base())),
        sealed(on_evil_base),
        of(|p| p["saved"]["spec_digest"] = EVIL.into()),
        of(|p| p["saved"]["consents"]["dangers"] = json!([EVIL])),
        // Not sealed again.
        text.replace("example.com", json!(EVIL).to_string().trim_matches('"')),
    ]);
    for (n, forged) in forged.iter().enumerate() {
        workspace.file("plan.json", forged);
        let format = if n % 3 == 0 { "json" } else { "text" };
        let ran = workspace.run(&["apply", "plan.json", "--yes", "--dry-run", "--format", format]);
        assert!(matches!(ran.code, Some(0 | 1 | 3 | 4)), "{n}: {ran:?}");
        is_harmless(&format!("forgery {n}"), format, &ran);
    }
    assert!(workspace.writes().is_empty());
}

#[test]
fn a_journal_says_nothing_to_a_terminal() {
    let workspace = changed();
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow-deletes", "1"]).exits(0);
    let lines: Vec<Value> = fs::read_to_string(newest(&workspace))
        .unwrap_or_else(|_| panic!("{}", newest(&workspace)))
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let whole = Value::Array(lines);
    let writes = workspace.writes().len();
    for n in 0..texts(&whole) {
        let forged = replaced(&whole, &mut { n }, EVIL);
        let text: String =
            forged.as_array().unwrap().iter().map(|line| format!("{line}\n")).collect();
        workspace.file("forged.jsonl", text);
        let format = if n % 3 == 0 { "json" } else { "text" };
        let ran =
            workspace.run(&["undo", "forged.jsonl", "--yes", "--dry-run", "--format", format]);
        assert!(matches!(ran.code, Some(0 | 1 | 3 | 4)), "{n}: {ran:?}");
        is_harmless(&format!("forgery {n}"), format, &ran);
    }
    assert_eq!(workspace.writes().len(), writes);
}

#[test]
fn locks_and_policies_say_nothing_to_a_terminal() {
    let workspace = changed();
    workspace.file(
        "owasp.yaml",
        "version: 1\nzones: { example.com: { waf: { owasp: { paranoia: 2 } } } }\n",
    );
    workspace.run(&["waf", "rules", "--lock", "owasp.yaml"]).exits(0);
    let lock = fs::read_to_string(workspace.path().join("waf.lock")).unwrap();
    let words: Vec<String> =
        lock.lines().take(8).flat_map(str::split_whitespace).map(str::to_owned).collect();
    let line = EVIL.replace(['\n', '\r', '\u{85}', '\u{2028}'], " ");
    for word in words.iter().step_by(2) {
        workspace.file("waf.lock", lock.replacen(word.as_str(), &line, 1));
        let ran = workspace.run(&["waf", "rules", "owasp.yaml", "--check"]);
        assert!(matches!(ran.code, Some(0..=2)), "{word}: {ran:?}");
        is_harmless(&format!("waf.lock without {word}"), "text", &ran);
    }
    for policy in [
        EVIL.to_owned(),
        json!({ "version": 1, "allow": { "exposes-origin": EVIL } }).to_string(),
        json!({ "version": 1, "allow": { EVIL: "x" }, EVIL: 1, "zones": { EVIL: { "allow": { "changes-much": EVIL } } } }).to_string(),
        json!({ "version": 1, "zones": { "*": { "allow": { "removes-last-address": EVIL, "changes-much": EVIL } } } }).to_string(),
    ] {
        workspace.file(".zonewright-policy.yaml", &policy);
        for format in ["text", "json", "markdown", "html", "github"] {
            let ran = workspace.run(&["plan", "spec.yaml", "--format", format]);
            assert!(matches!(ran.code, Some(0 | 1)), "{policy}: {ran:?}");
            is_harmless(&format!("{policy} as {format}"), format, &ran);
        }
    }
}

/// A process that may open few files ends with an error that names this limit, and never panics.
#[cfg(target_os = "linux")]
#[test]
fn a_low_limit_of_open_files_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("spec.yaml"),
        "version: 1\nzones: { example.com: { records: [] } }\n",
    )
    .unwrap();
    for limit in 5..12 {
        for arguments in [
            "validate spec.yaml",
            "plan spec.yaml --sandbox=state",
            "apply spec.yaml --yes --sandbox=state",
        ] {
            let program = env!("CARGO_BIN_EXE_zonewright");
            let mut command = std::process::Command::new("sh");
            command.args(["-c", &format!("ulimit -n {limit}; exec {program} {arguments}")]);
            let ran: Ran = command.current_dir(directory.path()).output().unwrap().into();
            assert!(!ran.stderr.contains("panicked"), "{limit}: {arguments}: {ran:?}");
            assert!(matches!(ran.code, Some(0 | 1)), "{limit}: {arguments}: {ran:?}");
            assert!(ran.code == Some(0) || !ran.stderr.is_empty(), "{limit}: {arguments}: {ran:?}");
        }
    }
}

/// YAML and tables take a carriage return alone for the end of a line, and no editor shows one.
#[test]
fn a_hidden_line_is_refused_wherever_it_would_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    let spec = "version: 1\nzones:\n  example.com:\n    records: # none\r      - { name: a, type: A, content: 192.0.2.1 }\n";
    file("hidden.yaml", spec);
    file(
        "spec.yaml",
        &spec.replace("# none\r", "\r\n").replace('\n', "\r\n").replace("\r\r", "\r"),
    );
    file("policy.yaml", "version: 1 #\rallow: {}\n");
    file("example.com.yaml", "a:\n  type: A #\r  ttl: 60\n  value: 192.0.2.1\n");
    file("table.csv", "name,type,content\na,A,192.0.2.1,#\rb,A,192.0.2.2\n");
    inside(directory.path(), &["validate", "spec.yaml"]).exits(0);
    for (arguments, place) in [
        (&["validate", "hidden.yaml"][..], "hidden.yaml:4:20"),
        (&["plan", "spec.yaml", "--sandbox=state", "--policy", "policy.yaml"], "policy.yaml"),
        (
            &["import", "./example.com.yaml", "--from", "octodns", "--offline"],
            "example.com.yaml:2:12",
        ),
        (&["import", "./table.csv", "--zone-name", "example.com", "--offline"], "table.csv:2:16"),
    ] {
        let ran = inside(directory.path(), arguments).exits(1);
        assert!(
            ran.stderr.contains("carriage return") && ran.stderr.contains(place),
            "{arguments:?}: {ran:?}"
        );
    }
    // The formatter does not make a part of the spec of it.
    for arguments in [&["fmt", "hidden.yaml"][..], &["fmt", "--check", "hidden.yaml"]] {
        let ran = inside(directory.path(), arguments).exits(1);
        assert!(
            ran.stderr.contains("line 4 ends with a carriage return alone"),
            "{arguments:?}: {ran:?}"
        );
    }
    assert_eq!(fs::read_to_string(directory.path().join("hidden.yaml")).unwrap(), spec);
    let ran = inside(directory.path(), &["validate", "hidden.yaml"]);
    assert!(ran.stderr.contains("SPEC0046"), "{ran:?}");
}
