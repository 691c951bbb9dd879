//! Random expressions, checked by our checker and by the engine's own parser (the Python package
//! octorules-wirefilter, which contains the open-source engine with Cloudflare's fields). Every
//! difference is explained here.
//!
//! Skipped with a message where the package is absent: `pip install octorules-wirefilter` into an
//! environment, and name its interpreter in `WIREFILTER_PYTHON`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use zonewright_expression::vocabulary::{FIELDS, FUNCTIONS};
use zonewright_expression::{ExpressionSetting, parse_expression};

/// Expressions that we refuse and the engine accepts: code, and why.
const STRICTER: &[(&str, &str)] = &[
    ("response-field", "the engine knows no phases; in this one there is no response yet"),
    ("account-field", "the engine knows no accounts"),
    ("not-in-phase", "the documentation limits the field or function to other phases"),
    ("wrong-operator", "the documentation gives addresses no order, which the engine has"),
    ("two-arrays", "the documentation allows one `[*]` array in a call"),
    (
        "once-per-expression",
        "Cloudflare refuses a second call of the function, the engine does not",
    ),
];

/// Names that are documented and that the package does not have yet, or has with fewer types: the
/// documentation gives `lookup_json_string` and `lookup_json_integer` whole numbers as keys.
const NEWER: &[&str] = &[
    "lookup_json_",
    "cf.appsec.request.failed_detections",
    "cf.schema_validation.",
    "cf.zone.",
    "http.request.jwt.claims",
    "http.response.headers.truncated",
    "ip.geoip.",
    "http.request.uri.path",
];

/// Expressions with the result of the engine's parser; `None` without the package.
fn judged(seed: u64, count: usize) -> Option<Vec<(String, Option<String>)>> {
    let fields: Vec<Value> =
        FIELDS.iter().map(|f| json!([f.name, format!("{:?}", f.kind)])).collect();
    let functions: Vec<Value> =
        FUNCTIONS.iter().map(|f| json!([f.name, f.parameters.len()])).collect();
    let asked = json!({ "seed": seed, "count": count, "fields": fields, "functions": functions });
    let python = std::env::var("WIREFILTER_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/wirefilter.py");
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .ok()?;
    // Where the package is absent, the script ends before it reads.
    let _ = child.stdin.take().unwrap().write_all(asked.to_string().as_bytes());
    let output = child.wait_with_output().unwrap();
    if output.status.code() == Some(77) {
        return None;
    }
    assert!(output.status.success(), "the script failed");
    let line = |line: &str| {
        let answer: Value = serde_json::from_str(line).unwrap();
        (answer["text"].as_str().unwrap().to_owned(), answer["error"].as_str().map(str::to_owned))
    };
    Some(String::from_utf8(output.stdout).unwrap().lines().map(line).collect())
}

#[test]
fn the_checker_agrees_with_the_parser_of_the_engine() {
    let Some(judged) = judged(12, 4000) else {
        eprintln!(
            "SKIPPED: octorules-wirefilter is not installed; set WIREFILTER_PYTHON to an interpreter that has it"
        );
        return;
    };
    let setting = ExpressionSetting::in_phase("http_request_firewall_custom");
    let (mut unexplained, mut taken) = (Vec::new(), 0);
    for (text, error) in judged {
        let (expression, problems) = parse_expression(&text, setting);
        let errors: Vec<_> = problems.iter().filter(|p| p.is_error).collect();
        let is_explained = match (&expression, &error) {
            (Some(_), None) | (None, Some(_)) => true,
            (None, None) => errors.iter().all(|p| STRICTER.iter().any(|(code, _)| *code == p.code)),
            (Some(_), Some(_)) => NEWER.iter().any(|name| text.contains(name)),
        };
        taken += usize::from(expression.is_some() && error.is_none());
        if !is_explained {
            unexplained.push(format!("{text}\n  ours: {errors:?}\n  the engine's: {error:?}"));
        }
    }
    assert!(
        unexplained.is_empty(),
        "{} differences:\n{}",
        unexplained.len(),
        unexplained.join("\n")
    );
    assert!(taken > 400, "only {taken} expressions were good");
}
