//! Measures the number of requests per second that one core evaluates, for rules and requests of
//! three kinds.
//!
//! The numbers are for comparing two versions on one machine.

#![allow(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use zonewright_seclang::{Request, RuleSet};

/// Duration of the measurement of each kind of request.
const DURATION: Duration = Duration::from_secs(2);

fn rule_set() -> RuleSet {
    let words = ["select", "insert", "script", "passwd", "eval", "system", "cmd.exe", "onerror"];
    let mut rules = String::new();
    for (number, word) in words.iter().cycle().take(200).enumerate() {
        rules.push_str(&format!(
            "SecRule ARGS|REQUEST_HEADERS|REQUEST_BODY \"@rx (?i)\\b{word}[\\s(]+[a-z]{{{}}}\" \
             \"id:{},phase:2,pass,t:none,t:urlDecodeUni,t:lowercase,setvar:'tx.inbound_anomaly_score_pl1=+5'\"\n",
            number % 7 + 2,
            number + 1000
        ));
    }
    RuleSet::new(&[], &[("rules.conf".to_owned(), rules)], &|_| None).expect("the rules are valid")
}

fn request(uri: &str, body: String) -> Request {
    let header = |name: &str, value: &str| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
    let mut headers =
        vec![header("Host", "www.example.com"), header("User-Agent", "Mozilla/5.0 (X11; Linux)")];
    if !body.is_empty() {
        headers.push(header("Content-Type", "application/x-www-form-urlencoded"));
        headers.push(header("Content-Length", &body.len().to_string()));
    }
    Request {
        method: if body.is_empty() { b"GET".to_vec() } else { b"POST".to_vec() },
        uri: uri.as_bytes().to_vec(),
        version: "HTTP/1.1".to_owned(),
        headers,
        body: body.into_bytes(),
    }
}

fn main() {
    let set = rule_set();
    let kinds = [
        ("page", request("/articles/2026/11/summary?page=2", String::new())),
        (
            "attack",
            request("/search?q=1%20union%20select%20password%20from%20users", String::new()),
        ),
        (
            "form of 16 KiB",
            request("/comments", format!("text={}", "words+of+a+comment+".repeat(860))),
        ),
    ];
    for (kind, request) in kinds {
        // Repeated texts are cached, so each request has a new text.
        let mut evaluator = set.evaluator();
        let (start, mut requests) = (Instant::now(), 0_u64);
        while start.elapsed() < DURATION {
            let mut request = request.clone();
            request.headers.push((b"X-Request-Id".to_vec(), requests.to_string().into_bytes()));
            black_box(evaluator.evaluate(&request));
            requests += 1;
        }
        println!(
            "{kind}: {:.0} requests a second",
            requests as f64 / start.elapsed().as_secs_f64()
        );
    }
}
