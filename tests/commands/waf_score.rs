//! `zonewright waf score`: rules of a directory, requests as JSON lines, one answer a line.

use std::io::Write;
use std::process::Stdio;

use data_encoding::BASE64;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::workspace::{Ran, binary};

/// Returns a directory with a small rule set of our own and a file of requests.
fn directory(requests: &str) -> TempDir {
    let directory = TempDir::new().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    std::fs::create_dir_all(directory.path().join("crs/rules")).unwrap();
    write(
        "crs/crs-setup.conf.example",
        "SecAction \"id:900,phase:1,pass,nolog,setvar:tx.critical=5,setvar:tx.blocking_paranoia_level=1\"\n",
    );
    write(
        "crs/rules/REQUEST-1.conf",
        "SecRule ARGS \"@pmFromFile words.data\" \"id:1001,phase:2,block,t:none,setvar:'tx.anomaly_score_pl1=+%{tx.critical}'\"\n\
         SecRule TX:DETECTION_PARANOIA_LEVEL \"@lt 3\" \"id:1002,phase:2,pass,nolog,skipAfter:END\"\n\
         SecRule REQUEST_BODY \"@contains evil\" \"id:1003,phase:2,block,t:none,setvar:'tx.inbound_anomaly_score_pl3=+3'\"\n\
         SecMarker END\n\
         SecRule ARGS \"@rx ^(?=x)(?:(x+x+)+\\1)+y$\" \"id:1004,phase:2,block,setvar:'tx.anomaly_score_pl4=+5'\"\n",
    );
    write("crs/rules/words.data", "attack\n");
    write("requests.jsonl", requests);
    directory
}

fn run(directory: &TempDir, arguments: &[&str]) -> Ran {
    Ran::from(binary(directory.path()).args(["waf", "score"]).args(arguments).output().unwrap())
}

/// Returns a request with a query and a body.
fn line(id: &str, query: &str, body: &[u8]) -> String {
    let headers = json!([["Host", "example.com"], ["Content-Type", "text/plain"]]);
    let request = json!({"id": id, "method": "POST", "uri": format!("/?{query}"), "version": "HTTP/1.1", "headers": headers, "body": BASE64.encode(body)});
    format!("{request}\n")
}

const FLAGS: &[&str] = &["--crs", "crs", "--requests", "requests.jsonl"];

#[test]
fn each_request_has_one_line_with_its_rules_and_the_score_of_each_level() {
    let requests = line("a", "q=ATTACK", b"evil")
        + "\n"
        + &line("b", "q=fine", b"\xff\0")
        + &line("c", "q=1&r=attack&s=attack", b"");
    let directory = directory(&requests);
    let ran = run(&directory, FLAGS).exits(0);
    assert_eq!(
        ran.stdout,
        "{\"id\":\"a\",\"hits\":[1001,1003],\"score\":{\"1\":5,\"2\":5,\"3\":8,\"4\":8}}\n\
         {\"id\":\"b\",\"hits\":[],\"score\":{\"1\":0,\"2\":0,\"3\":0,\"4\":0}}\n\
         {\"id\":\"c\",\"hits\":[1001],\"score\":{\"1\":5,\"2\":5,\"3\":5,\"4\":5}}\n"
    );
}

#[test]
fn requests_come_from_standard_input_as_well() {
    let directory = directory("");
    let mut command = binary(directory.path());
    command.args(["waf", "score", "--crs", "crs", "--requests", "-"]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    // Version, headers and body may be missing.
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"{\"id\":\"a\",\"method\":\"GET\",\"uri\":\"/?q=attack\"}")
        .unwrap();
    let answer: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(answer["hits"], json!([1001]));
}

/// Rules see a JSON line as it is written, and every other form as it was most likely sent.
#[test]
fn requests_come_in_every_form_of_a_recording() {
    let directory = directory(&line("a", "q=attack", b""));
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    let har = json!({"log": {"entries": [{"request": {"method": "GET", "url": "https://example.com/?q=attack", "headers": []}}]}});
    write("site.har", &har.to_string());
    write(
        "access.log",
        "192.0.2.1 - - [01/Jan/1970:00:00:04 +0000] \"GET /?q=attack HTTP/1.1\" 200 1 \"-\" \"-\"\n",
    );
    write("raw.txt", "GET /?q=attack HTTP/1.1\r\nHost: example.com\r\n\r\n");
    write(
        "host.conf",
        "SecRule &REQUEST_HEADERS:Host \"@eq 0\" \"id:1005,phase:1,block,setvar:'tx.anomaly_score_pl1=+5'\"\n",
    );
    std::fs::rename(
        directory.path().join("host.conf"),
        directory.path().join("crs/rules/host.conf"),
    )
    .unwrap();
    write(
        "bare.jsonl",
        "{\"method\":\"x y\",\"uri\":\"/?q=attack\"}\n{\"method\":\"GET\",\"uri\":\"https://example.com/?q=attack\"}\n",
    );
    let files = ["requests.jsonl", "site.har", "access.log", "raw.txt", "bare.jsonl"];
    let arguments = [&["--crs", "crs", "--host", "example.com", "--requests"], &files[..]].concat();
    let answers = run(&directory, &arguments).exits(0).stdout;
    let answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let brief: Vec<_> = answers
        .iter()
        .map(|answer| (answer["id"].as_str().unwrap(), answer["hits"].to_string()))
        .collect();
    let hits = "[1001]".to_owned();
    let expected = [
        ("a", hits.clone()),
        ("site.har, entry 1", hits.clone()),
        ("access.log:1", hits.clone()),
        ("raw.txt", hits.clone()),
        ("bare.jsonl:1", "[1001,1005]".to_owned()),
        ("bare.jsonl:2", hits),
    ];
    assert_eq!(brief, expected);
}

#[test]
fn a_rule_that_takes_too_long_is_named() {
    let directory = directory(&line("a", &format!("q={}!", "x".repeat(80)), b""));
    let answer = run(&directory, FLAGS).exits(0).json();
    assert_eq!((&answer["hits"], &answer["undecided"]), (&json!([]), &json!([1004])));
}

#[test]
fn mistakes_in_requests_have_a_line_and_answers_before_them_stay() {
    let good = line("a", "q=attack", b"");
    for (bad, expected) in [
        ("{", "requests.jsonl:2: it ends too early"),
        ("[]", "requests.jsonl:2: it is not a request"),
        ("{\"id\": 1, \"method\": \"GET\", \"uri\": \"/\"}", "expected a string"),
        ("{\"id\": \"b\", \"uri\": \"/\"}", "missing field `method`"),
        (
            "{\"id\": \"b\", \"method\": \"GET\", \"uri\": \"/\", \"body\": \"%\"}",
            "`body` is not base64",
        ),
        ("\u{0}\u{1}", "requests.jsonl:2: it is not JSON"),
    ] {
        let directory = directory(&format!("{good}{bad}\n"));
        let ran = run(&directory, FLAGS).exits(1);
        assert!(ran.stderr.contains(expected), "{bad}: {}", ran.stderr);
        assert_eq!(ran.stdout.lines().count(), 1, "{bad}");
        let skipped = run(&directory, &[FLAGS, &["--skip-unreadable"]].concat()).exits(0);
        assert!(
            skipped.stdout == ran.stdout && skipped.stderr.contains(expected),
            "{bad}: {}",
            skipped.stderr
        );
    }
}

#[test]
fn what_is_missing_is_named() {
    let directory = directory("");
    let nothing = run(&directory, &["--crs", "none", "--requests", "requests.jsonl"]).exits(1);
    assert!(
        nothing.stderr.contains("there are no rules in none") && nothing.stderr.contains("--crs"),
        "{}",
        nothing.stderr
    );
    let no_file = run(&directory, &["--crs", "crs", "--requests", "none.jsonl"]).exits(1);
    assert!(no_file.stderr.contains("none.jsonl: cannot be read"), "{}", no_file.stderr);
    std::fs::remove_file(directory.path().join("crs/rules/words.data")).unwrap();
    let no_data = run(&directory, FLAGS).exits(1);
    assert!(
        no_data.stderr.contains("REQUEST-1.conf:1: the data file `words.data` is missing"),
        "{}",
        no_data.stderr
    );
    std::fs::remove_file(directory.path().join("crs/crs-setup.conf.example")).unwrap();
    let no_setup = run(&directory, FLAGS).exits(1);
    assert!(no_setup.stderr.contains("there is no crs-setup.conf in crs"), "{}", no_setup.stderr);
}
