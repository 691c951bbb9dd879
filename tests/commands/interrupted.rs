//! Signals to stop, sent to the real program: requests under way are finished and recorded, no new
//! ones are sent, and the next run does the rest. The sandbox holds the request at its gate when a
//! signal is sent, so no test depends on time.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Arc, Mutex};

use crate::support::concurrently::concurrently;
use crate::support::interrupt::UnderWay;
use crate::support::journals::journals;
use crate::support::workspace::{Workspace, options, options_on};
use serde_json::{Value, json};
use zonewright::api::{ApiEvent, Stopper};
use zonewright::cli::{Invocation, Sink};
use zonewright::sandbox::{Fault, What, When};

/// The message after the first signal.
const STOPPING: &str = "stopping: finishing the requests in flight";

/// The signals that stop a run.
const SIGNALS: [&str; 5] = ["INT", "TERM", "HUP", "QUIT", "XCPU"];

/// The requests of the apply, one operation each: a rule, a setting, and seven records.
const WRITES: u64 = 9;

/// The spec of nine operations.
const SPEC: &str = "version: 1
zones:
  example.com:
    settings: { always_use_https: on }
    waf:
      custom: [{ name: a, when: 'http.host eq \"a.example.com\"', action: block }]
    records:
      - { name: w, type: A, content: [192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4, 192.0.2.5, 192.0.2.6] }
      - { name: changed, type: A, content: 192.0.2.7, ttl: 600 }
";

/// Applies without asking, one operation in a request.
const APPLY: [&str; 5] = ["apply", "spec.yaml", "--yes", "--batch-size", "1"];

/// The timeout for a response that never comes: long enough for all other responses on a busy
/// machine.
const PATIENT: [&str; 2] = ["--timeout", "20"];

fn workspace() -> Workspace {
    let workspace = Workspace::new(options_on("business"));
    workspace.plant_records(json!([
        { "type": "A", "name": "changed.example.com", "content": "192.0.2.7", "ttl": 300 },
        { "type": "A", "name": "foreign.example.com", "content": "192.0.2.9", "ttl": 300 },
    ]));
    workspace.file("spec.yaml", SPEC);
    workspace
}

/// Holds the requests with this method whose path ends so, from the nth on.
fn hold(workspace: &Workspace, method: &str, suffix: &str, nth: u64, times: u64) {
    let when = When::Matching { method: Some(method.into()), path_suffix: suffix.into(), nth };
    workspace.fault(Fault { when, what: What::Held, times });
}

/// Holds the nth write, counted from 1: the rule, the setting, the update, and then the creates.
fn hold_write(workspace: &Workspace, nth: u64) {
    match nth {
        1 => hold(workspace, "POST", "/rulesets", 1, 1),
        2 => hold(workspace, "PATCH", "/settings/always_use_https", 1, 1),
        // The setting is a PATCH as well.
        3 => hold(workspace, "PATCH", "", 2, 1),
        nth => hold(workspace, "POST", "/dns_records", nth - 3, 1),
    }
}

/// Returns the lines of the oldest journal; asserts that each outcome has its intent.
fn journal(workspace: &Workspace) -> Vec<Value> {
    let text = std::fs::read_to_string(&journals(workspace)[0]).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (intents, outcomes) = (steps(&lines, "intent"), steps(&lines, "outcome"));
    assert!(outcomes.iter().all(|step| intents.contains(step)), "{text}");
    lines
}

/// Returns the numbers of the steps in the lines of a kind.
fn steps(lines: &[Value], event: &str) -> Vec<u64> {
    lines
        .iter()
        .filter(|line| line["event"] == event)
        .map(|line| line["step"].as_u64().unwrap())
        .collect()
}

/// Requires that the zone is as the spec wants it, that foreign records are unchanged, and that a
/// second run changes nothing.
fn check(workspace: &Workspace, what: &str) {
    let records = workspace.records("example.com");
    let mut contents: Vec<_> =
        records.iter().map(|r| r["content"].as_str().unwrap().to_owned()).collect();
    contents.sort();
    let wanted: Vec<_> = (1..=7).chain([9]).map(|n| format!("192.0.2.{n}")).collect();
    assert_eq!(contents, wanted, "{what}");
    assert_eq!(workspace.writes().len() as u64, WRITES, "nothing is written twice: {what}");
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn the_first_signal_finishes_what_is_under_way() {
    for nth in 1..=WRITES {
        let signal = SIGNALS[nth as usize % SIGNALS.len()];
        let workspace = workspace();
        hold_write(&workspace, nth);
        let mut run = UnderWay::start(&workspace, &APPLY);
        workspace.until_held(1);
        run.signal(signal);
        run.says(STOPPING);
        workspace.release();
        let ran = run.ends();
        let what = format!("{signal} at write {nth}: {}{}", ran.stdout, ran.stderr);
        let lines = journal(&workspace);
        assert_eq!(steps(&lines, "intent"), (1..=nth).collect::<Vec<_>>(), "{what}");
        assert_eq!(steps(&lines, "outcome"), (1..=nth).collect::<Vec<_>>(), "{what}");
        assert!(
            lines.iter().filter(|l| l["event"] == "outcome").all(|l| l["outcome"] == "done"),
            "{what}"
        );
        assert_eq!(lines.last().unwrap()["event"], "end", "{what}");
        assert_eq!(workspace.writes().len() as u64, nth, "{what}");
        // After the last request there was nothing left to stop.
        assert_eq!(ran.code, Some(if nth == WRITES { 0 } else { 5 }), "{what}");
        let says = if nth == WRITES { "in sync, read back" } else { "stopped before it was sent" };
        assert!(ran.stdout.contains(says), "{what}");
        workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
        let writes = workspace.writes().len() as u64;
        assert!(writes <= WRITES, "nothing is written twice: {what}");
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    }
}

#[test]
fn a_saved_plan_is_resumed_after_a_signal() {
    for (nth, signal) in [(1, "INT"), (2, "TERM"), (3, "INT"), (6, "TERM")] {
        let workspace = workspace();
        workspace.run(&["plan", "spec.yaml", "--out", "plan.json"]).exits(0);
        hold_write(&workspace, nth);
        let mut run =
            UnderWay::start(&workspace, &["apply", "plan.json", "--yes", "--batch-size", "1"]);
        workspace.until_held(1);
        run.signal(signal);
        run.says(STOPPING);
        workspace.release();
        run.ends().exits(5);
        workspace.run(&["apply", "plan.json", "--yes"]).exits(4);
        workspace.run(&["apply", "plan.json", "--yes", "--resume", "--batch-size", "1"]).exits(0);
        check(&workspace, &format!("{signal} at write {nth}"));
    }
}

#[test]
fn the_second_signal_ends_at_once() {
    for (first, second) in
        [("INT", "INT"), ("TERM", "INT"), ("INT", "TERM"), ("HUP", "TERM"), ("QUIT", "QUIT")]
    {
        let workspace = workspace();
        hold_write(&workspace, 5);
        let mut run = UnderWay::start(&workspace, &APPLY);
        workspace.until_held(1);
        run.signal(first);
        run.says(STOPPING);
        run.signal(second);
        // The request is never released, so the run does not wait for its response.
        let ran = run.ends().exits(5);
        assert!(
            ran.stderr.contains("stopped at once; the journal says what may have been written"),
            "{}",
            ran.stderr
        );
        let lines = journal(&workspace);
        assert_eq!(steps(&lines, "intent"), [1, 2, 3, 4, 5]);
        assert_eq!(steps(&lines, "outcome"), [1, 2, 3, 4]);
        assert!(lines.iter().all(|line| line["event"] != "end"));
        workspace.run(&APPLY).exits(0);
        let answered =
            workspace.writes().iter().filter(|write| write.status.is_some()).count() as u64;
        assert_eq!(answered, WRITES, "nothing is written twice");
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    }
}

#[test]
fn what_only_reads_ends_at_once() {
    let commands: [&[&str]; 4] = [
        &["plan", "spec.yaml", "--out", "plan.json"],
        &["drift", "spec.yaml"],
        &APPLY,
        &["import", "live", "example.com"],
    ];
    for (n, arguments) in commands.into_iter().enumerate() {
        let workspace = workspace();
        hold(&workspace, "GET", "/dns_records", 1, 1);
        let run = UnderWay::start(&workspace, arguments);
        workspace.until_held(1);
        run.signal(SIGNALS[n]);
        let ran = run.ends().exits(1);
        assert!(ran.stderr.contains("interrupted; nothing was written"), "{}", ran.stderr);
        assert_eq!((ran.stdout.as_str(), workspace.writes().len()), ("", 0));
        assert!(!workspace.path().join("plan.json").exists());
        let has_journal = std::fs::read_dir(workspace.path().join(".zonewright/journal"))
            .is_ok_and(|mut all| {
                all.any(|file| file.unwrap().path().extension().is_some_and(|e| e == "jsonl"))
            });
        assert!(!has_journal, "{arguments:?}");
        // The lock is released with the end of the run.
        workspace.run(&APPLY).exits(0);
    }
}

#[test]
fn a_wait_is_not_waited_out() {
    let workspace = workspace();
    let when =
        When::Matching { method: Some("POST".into()), path_suffix: "/dns_records".into(), nth: 2 };
    let what = What::Status { code: 429, html: false, retry_after: Some(300) };
    workspace.fault(Fault { when, what, times: 1 });
    let mut run = UnderWay::start(&workspace, &APPLY);
    run.says("waiting 300 s because Cloudflare asked to");
    run.signal("INT");
    let ran = run.ends().exits(5);
    assert!(ran.stderr.contains(STOPPING), "{}", ran.stderr);
    let lines = journal(&workspace);
    let outcomes: Vec<_> = lines.iter().filter_map(|line| line["outcome"].as_str()).collect();
    assert_eq!(outcomes, ["done", "done", "done", "done", "not sent"], "{lines:#?}");
    workspace.run(&APPLY).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

/// A lost response: the program checks at once whether the write took effect, and not for long.
#[test]
fn a_lost_response_is_resolved_after_the_signal() {
    let workspace = workspace();
    hold(&workspace, "POST", "/dns_records", 2, 1);
    let run = UnderWay::start(&workspace, &[&APPLY[..], &PATIENT].concat());
    workspace.until_held(1);
    run.signal("INT");
    // The client gives up by itself; the request never took effect.
    let ran = run.ends().exits(5);
    assert!(ran.stderr.contains(STOPPING), "{}", ran.stderr);
    assert_eq!(steps(&journal(&workspace), "outcome").len(), 5);
    workspace.run(&APPLY).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

/// A request whose response was lost may still take effect late. If it is not sent again, its
/// result is unknown and it is never reported as not sent, for every kind of request.
#[test]
fn a_lost_request_that_is_not_sent_again_is_unknown() {
    concurrently([1, 2, 4], |nth| {
        let workspace = workspace();
        hold_write(&workspace, nth);
        let run = UnderWay::start(&workspace, &[&APPLY[..], &PATIENT].concat());
        workspace.until_held(1);
        run.signal("INT");
        let ran = run.ends().exits(5);
        let lost = "the response was lost, no effect is visible, and it was not sent again";
        assert_eq!(
            ran.stdout.matches(lost).count(),
            1,
            "write {nth}: {}{}",
            ran.stdout,
            ran.stderr
        );
        let lines = journal(&workspace);
        let outcome =
            lines.iter().find(|line| line["event"] == "outcome" && line["step"] == nth).unwrap();
        // Records are checked one by one at the end, so the journal has already recorded that the
        // response was lost.
        assert_eq!(outcome["outcome"], if nth < 4 { "unknown" } else { "lost" }, "{outcome}");
        workspace.run(&APPLY).exits(0);
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    });
}

/// A name that was emptied for a create gets its record back before the run ends.
#[test]
fn no_name_is_left_empty() {
    for signal in SIGNALS {
        let mut options = options();
        options.profile.batch = false;
        let workspace = Workspace::new(options);
        workspace.plant_records(
            json!([{ "type": "CNAME", "name": "www.example.com", "content": "old.example.net" }]),
        );
        workspace.records_spec(
            "      - { name: www, type: A, content: 192.0.2.1 }\n      - { name: xyz, type: A, content: 192.0.2.2 }",
        );
        hold(&workspace, "DELETE", "", 1, 1);
        let mut run =
            UnderWay::start(&workspace, &[&APPLY[..], &["--allow-deletes", "1"]].concat());
        workspace.until_held(1);
        run.signal(signal);
        run.says(STOPPING);
        workspace.release();
        run.ends().exits(5);
        let names: Vec<_> = workspace
            .records("example.com")
            .iter()
            .map(|r| (r["type"].clone(), r["name"].clone()))
            .collect();
        let wanted = [(json!("A"), json!("www.example.com"))];
        assert_eq!(names, wanted, "{signal}: the name is filled, and the next one is not begun");
        workspace.settles("spec.yaml");
    }
}

/// A signal that was ignored when the run began stays ignored, as `nohup` expects.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_stays_ignored() {
    let workspace = workspace();
    hold_write(&workspace, 3);
    let run = UnderWay::after("trap '' HUP QUIT", &workspace, &APPLY);
    workspace.until_held(1);
    run.signal("HUP");
    run.signal("QUIT");
    workspace.release();
    let ran = run.ends().exits(0);
    assert!(!ran.stderr.contains("stopping"), "{}", ran.stderr);
    check(&workspace, "an ignored hangup");
}

/// A limit for the size of files, or a full disk: the journal ends with a whole line, and nothing
/// more is sent.
#[test]
fn a_journal_that_grows_too_large_is_not_torn() {
    // Blocks of 512 or 1,024 bytes, by the shell. Each meets another line of the journal, or
    // another part of one.
    let (mut before, mut during) = (0, 0);
    for blocks in 0.. {
        let workspace = workspace();
        let ran = UnderWay::after(&format!("ulimit -f {blocks}"), &workspace, &APPLY).ends();
        let what = format!("{blocks} blocks: {ran:?}");
        if ran.code == Some(0) {
            break;
        }
        let written = workspace.writes().len();
        *if written == 0 { &mut before } else { &mut during } += 1;
        assert_eq!(ran.code, Some(if written == 0 { 1 } else { 5 }), "{what}");
        assert!(ran.stderr.contains("failed to"), "{what}");
        for file in journals(&workspace) {
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.ends_with('\n'), "{what}: {text}");
            let lines = journal(&workspace);
            // Every request is in the journal before it is sent.
            assert!(written <= steps(&lines, "intent").len(), "{what}: {text}");
            let undone = workspace.run(&["undo", file.to_str().unwrap(), "--dry-run"]);
            assert!(matches!(undone.code, Some(0 | 3)), "{what}: {undone:?}");
        }
        if written > 0 {
            assert!(ran.stderr.contains("failed to write the journal"), "{what}");
        }
        workspace.run(&APPLY).exits(0);
        check(&workspace, &what);
    }
    assert!(
        before > 0 && during > 2,
        "{before} limits before the first write, {during} during the writes"
    );
}

/// Zones that are applied in parallel: requests under way are finished in each of them.
#[test]
fn all_zones_under_way_are_finished() {
    let workspace = Workspace::empty(options());
    let zones: Vec<_> = (0..6).map(|n| format!("z{n}.example")).collect();
    workspace.plant(
        &json!({ "zones": zones.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>() }),
    );
    let records = "records: [{ name: a, type: A, content: 192.0.2.1 }, { name: b, type: A, content: 192.0.2.2 }]";
    let spec: String = zones.iter().map(|name| format!("  {name}: {{ {records} }}\n")).collect();
    workspace.file("spec.yaml", format!("version: 1\nzones:\n{spec}"));
    hold(&workspace, "POST", "/dns_records", 1, 3);
    let mut run = UnderWay::start(&workspace, &[&APPLY[..], &["--concurrency", "3"]].concat());
    workspace.until_held(3);
    run.signal("INT");
    run.says(STOPPING);
    workspace.release();
    let ran = run.ends().exits(5);
    assert_eq!(workspace.writes().len(), 3, "{}", ran.stderr);
    let lines = journal(&workspace);
    assert_eq!((steps(&lines, "intent").len(), steps(&lines, "outcome").len()), (3, 3));
    assert_eq!(lines.last().unwrap()["event"], "end");
    workspace.run(&APPLY).exits(0);
    assert_eq!(workspace.writes().len(), 12, "nothing is written twice");
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

/// A run inside another program: that program stops the run, and the run does not end the program.
#[test]
fn a_run_inside_another_program_is_stopped_by_it() {
    for (stops, code, outcomes) in [(1, 5, 1), (2, 5, 0)] {
        let workspace = workspace();
        hold_write(&workspace, 1);
        let stopper = Stopper::new();
        let messages: Arc<Mutex<Vec<u8>>> = Arc::default();
        let path = |name: &str| workspace.path().join(name).into_os_string();
        let token = ("CLOUDFLARE_API_TOKEN".to_owned(), OsString::from(zonewright::sandbox::TOKEN));
        let base_url = ("CLOUDFLARE_BASE_URL".to_owned(), OsString::from(workspace.base_url()));
        let flags = ["--yes", "--batch-size=1", "--journal"].map(OsString::from);
        let mut arguments = vec![OsString::from("apply"), path("spec.yaml")];
        arguments.extend(flags);
        arguments.push(path(".zonewright/journal"));
        let invocation = Invocation {
            arguments,
            environment: BTreeMap::from([token, base_url]),
            results: Arc::<Mutex<Vec<u8>>>::default() as Sink,
            messages: Arc::clone(&messages) as Sink,
            observer: Some(Arc::new(|_: &ApiEvent| {})),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let stopping = async {
            workspace.held(1).await;
            (0..stops).for_each(|_| stopper.ask());
            if stops == 1 {
                workspace.release();
            }
        };
        let (exit, ()) = runtime
            .block_on(async { tokio::join!(invocation.run_until(stopper.listener()), stopping) });
        let said = String::from_utf8(messages.lock().unwrap().clone()).unwrap();
        assert_eq!(exit.code(), code, "{said}");
        assert!(said.contains(STOPPING), "{said}");
        let lines = journal(&workspace);
        assert_eq!(
            (steps(&lines, "intent").len(), steps(&lines, "outcome").len()),
            (1, outcomes),
            "{said}"
        );
    }
}
