//! `watch`: continuous checks for drift, its two HTTP pages, how it ends, and that its memory stays
//! bounded.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::interrupt::listening;
use crate::support::listener::{Listener, Response};
use crate::support::openmetrics::Metrics;
use crate::support::workspace::{Workspace, options};
use serde_json::{Value, json};

const ONE: &str = "      - { name: www, type: A, content: 192.0.2.1 }";

/// A watch that runs.
struct Watching {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Watching {
    /// Starts one on `spec.yaml`.
    fn start(workspace: &Workspace, more: &[&str]) -> Self {
        let mut command = workspace.command();
        command.args(["watch", "spec.yaml"]).args(more);
        Self::spawn(command)
    }

    /// Returns the same with so many file descriptors.
    fn start_limited(workspace: &Workspace, descriptors: u32, more: &[&str]) -> Self {
        let binary = workspace.command();
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("ulimit -n {descriptors} && exec \"$0\" \"$@\"")])
            .arg(binary.get_program());
        for (name, value) in binary.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
            .current_dir(workspace.path())
            .args(binary.get_args())
            .args(["watch", "spec.yaml"])
            .args(more);
        Self::spawn(command)
    }

    /// Starts a command.
    fn spawn(command: Command) -> Self {
        let mut child =
            listening(&command).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stderr }
    }

    /// Reads messages up to one with these words.
    #[track_caller]
    fn until(&mut self, words: &str) -> String {
        let mut all = String::new();
        loop {
            let mut line = String::new();
            assert!(self.stderr.read_line(&mut line).unwrap() > 0, "no {words:?} in\n{all}");
            if line.contains(words) {
                return line;
            }
            all.push_str(&line);
        }
    }

    /// Returns the next message.
    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.stderr.read_line(&mut line).unwrap() > 0, "it has ended");
        line
    }

    /// Returns where it listens.
    #[track_caller]
    fn port(&mut self) -> u16 {
        let line = self.until("listening on http://127.0.0.1:");
        line.split("127.0.0.1:").nth(1).unwrap().split('/').next().unwrap().parse().unwrap()
    }

    /// Asks it to end.
    fn signal(&self, name: &str) {
        let status =
            Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Returns what else it says until its end, and its exit code.
    fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

/// Status and body of a page.
fn get(port: u16, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    if path == "/metrics" && head.starts_with("HTTP/1.1 200") {
        assert!(
            head.contains(
                "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8"
            ),
            "{head}"
        );
    }
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

#[test]
fn a_number_of_rounds_ends_like_drift() {
    let workspace = Workspace::new(options());
    workspace.records_spec(ONE);
    let watch = ["watch", "spec.yaml", "--interval", "0s", "--count", "3"];
    let ran = workspace.run(&watch).exits(2);
    assert_eq!(ran.stderr.matches(": drift: 1 unknown, 0 in-sync (").count(), 3, "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 3, "a line a round: {}", ran.stderr);
    assert_eq!(
        ran.stdout.matches("missing: record www A").count(),
        1,
        "what was shown is not shown again"
    );
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let ran = workspace
        .run(&[&watch[..], &["--format", "json", "--quiet", "--metrics", "m.prom"]].concat())
        .exits(0);
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.iter().map(|l| &l["verdict"]).collect::<Vec<_>>(), [&json!("in-sync"); 3]);
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    let metrics = Metrics::read(&std::fs::read_to_string(workspace.path().join("m.prom")).unwrap());
    assert!(metrics.value("zonewright_requests_total", &[]) >= 6.0, "requests add up over rounds");
}

#[test]
fn a_failed_round_is_told_and_the_last_good_one_stays() {
    let workspace = Workspace::new(options());
    workspace.records_spec(ONE);
    let mut watching =
        Watching::start(&workspace, &["--interval", "0s", "--listen", "127.0.0.1:0"]);
    let port = watching.port();
    watching.until("round 1: drift");
    workspace.file("spec.yaml", "version: 1\nzones: { example.com: { recrods: [] } }\n");
    assert!(watching.until(" failed: ").contains("the spec has mistakes: 1; no request was made"));
    let before = get(port, "/metrics");
    watching.until(" failed: ");
    assert_eq!(before, get(port, "/metrics"));
    let metrics = Metrics::read(&before.1);
    let unknown =
        metrics.value("zonewright_drift_objects", &[("zone", "example.com"), ("state", "unknown")]);
    assert_eq!((before.0, unknown), (200, 1.0));
    // It is taken up again once it is corrected.
    workspace.records_spec(ONE);
    watching.until(": drift: 1 unknown");
    watching.signal("-TERM");
    assert_eq!(watching.end().0, Some(0));
}

#[test]
fn the_two_pages_report_the_state() {
    let workspace = Workspace::new(options());
    workspace.records_spec(ONE);
    let mut watching =
        Watching::start(&workspace, &["--interval", "1h", "--listen", "127.0.0.1:0"]);
    let port = watching.port();
    watching.until("round 1: drift");
    assert_eq!(get(port, "/healthz"), (200, "ok\n".to_owned()));
    let (status, text) = get(port, "/metrics");
    assert_eq!(
        (status, Metrics::read(&text).value("zonewright_zone_records", &[("zone", "example.com")])),
        (200, 0.0)
    );
    assert_eq!(get(port, "/").0, 404);
    watching.signal("-INT");
    assert_eq!(watching.end().0, Some(0));
    // No round has succeeded yet.
    workspace.file("spec.yaml", "version: 2\n");
    let mut watching =
        Watching::start(&workspace, &["--interval", "1h", "--listen", "127.0.0.1:0"]);
    let port = watching.port();
    watching.until("round 1 failed");
    assert_eq!(get(port, "/healthz"), (503, "no round has succeeded yet\n".to_owned()));
    assert_eq!(get(port, "/metrics").0, 503);
    watching.signal("-TERM");
    assert_eq!(watching.end().0, Some(0));
}

#[test]
fn asked_to_stop_it_finishes_its_round() {
    let mut options = options();
    options.profile.latency_milliseconds = 200;
    let workspace = Workspace::new(options);
    workspace.records_spec(ONE);
    let watching = Watching::start(&workspace, &["--interval", "1h"]);
    let deadline = Instant::now() + Duration::from_secs(60);
    while workspace.requests().is_empty() {
        assert!(Instant::now() < deadline, "no request");
        std::thread::yield_now();
    }
    watching.signal("-TERM");
    let (code, rest) = watching.end();
    assert!(code == Some(0) && rest.contains("round 1: drift"), "{code:?} {rest}");
}

#[test]
fn the_webhook_hears_what_is_new() {
    let workspace = Workspace::new(options());
    workspace.records_spec(ONE);
    let watch = |listener: &Listener, more: &[&str]| {
        let url = listener.url("/hush");
        let rounds = ["watch", "spec.yaml", "--interval", "0s", "--count", "4", "--webhook", &url];
        workspace.run(&[&rounds[..], more].concat()).exits(2)
    };
    let answers = || vec![Response::Status(200); 5];
    let listener = Listener::start(answers());
    watch(&listener, &[]);
    assert_eq!(listener.requests().len(), 1);
    let listener = Listener::start(answers());
    watch(&listener, &["--webhook-always"]);
    assert_eq!(listener.requests().len(), 4);
    // A webhook that failed is sent again.
    let listener =
        Listener::start([Response::Status(400), Response::Status(400), Response::Status(200)]);
    let ran = watch(&listener, &[]);
    assert_eq!(
        (listener.requests().len(), ran.stderr.matches("warning: ").count()),
        (3, 2),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("hush"));
}

#[test]
fn the_end_of_drift_is_reported_once() {
    let workspace = Workspace::new(options());
    workspace.records_spec(ONE);
    let listener = Listener::start(vec![Response::Status(200); 5]);
    let mut watching =
        Watching::start(&workspace, &["--interval", "0s", "--webhook", &listener.url("/")]);
    watching.until("round 1: drift");
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    watching.until(": in-sync: ");
    watching.until(": in-sync: ");
    watching.signal("-TERM");
    watching.end();
    let verdicts: Vec<_> = listener.requests().iter().map(|r| r.body["verdict"].clone()).collect();
    assert_eq!(verdicts, ["drift", "in-sync"]);
}

#[test]
fn what_cannot_work_is_said_at_once() {
    let workspace = Workspace::new(options());
    workspace.records_spec(ONE);
    let ran = workspace.run(&["watch", "-", "--count", "1"]).exits(64);
    assert!(ran.stderr.contains("standard input can be read only once"), "{}", ran.stderr);
    workspace.run(&["watch", "spec.yaml", "--interval", "1year", "--count", "1"]).exits(64);
    let mut command = workspace.command();
    command.env_remove("CLOUDFLARE_API_TOKEN").args(["watch", "spec.yaml"]);
    let ran = crate::support::workspace::Ran::from(command.output().unwrap()).exits(1);
    assert!(ran.stderr.contains("no credentials"), "{}", ran.stderr);
}

/// Idle clients use few file descriptors: rounds and pages continue with 64 of them, however many
/// clients connect.
#[test]
fn idle_clients_stop_no_round() {
    let workspace = Workspace::new(options());
    workspace.records_spec(ONE);
    let mut watching =
        Watching::start_limited(&workspace, 64, &["--interval", "0s", "--listen", "127.0.0.1:0"]);
    let port = watching.port();
    watching.until("round 1: drift");
    let connect = |_| TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut idle: Vec<_> = (0..100).map(connect).collect();
    // The oldest connection is closed, even if it has begun a request.
    for client in &mut idle[..40] {
        client.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // It may be closed already.
        let _ = client.write_all(b"GET /metrics HTTP/1.1\r\n");
        assert!(!matches!(client.read(&mut [0]), Ok(1..)), "no answer to half a request");
    }
    let next = watching.until(": drift: ");
    let number: u64 =
        next.split("round ").nth(1).unwrap().split(':').next().unwrap().parse().unwrap();
    for round in number + 1..number + 20 {
        assert!(watching.line().contains(&format!(" round {round}: drift")), "round {round}");
    }
    assert_eq!(get(port, "/metrics").0, 200);
    watching.signal("-TERM");
    assert_eq!(watching.end().0, Some(0), "those who are idle are not waited for");
}

#[test]
fn a_public_listen_address_is_warned_of() {
    let workspace = Workspace::new(options());
    workspace.records_spec(ONE);
    let mut watching =
        Watching::start(&workspace, &["--interval", "1h", "--listen", "0.0.0.0:0", "--quiet"]);
    let warning = watching.line();
    assert!(
        warning.starts_with("warning: 0.0.0.0:") && warning.contains("is not a loopback address"),
        "{warning}"
    );
    watching.signal("-TERM");
    assert_eq!(watching.end().0, Some(0));
}

/// Returns the memory that a process has.  # Units KiB.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_rounds() {
    let workspace = Workspace::new(options());
    let many: Vec<_> = (0..100)
        .map(|n| format!("      - {{ name: h{n}, type: A, content: 192.0.2.9 }}"))
        .collect();
    workspace.records_spec(&many.join("\n"));
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "changes-much"]).exits(0);
    let more = ["--interval", "0s", "--listen", "127.0.0.1:0", "--metrics", "m.prom"];
    let mut watching = Watching::start(&workspace, &more);
    watching.until("round 50: in-sync");
    let before = resident(watching.child.id());
    watching.until("round 200: in-sync");
    let after = resident(watching.child.id());
    watching.signal("-TERM");
    assert_eq!(watching.end().0, Some(0));
    assert!(after <= before + 4096, "{before} KiB after 50 rounds, {after} KiB after 200");
}
