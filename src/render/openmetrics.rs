//! Drift as numbers for a monitoring system, in the text format of OpenMetrics.
//!
//! # Sources
//! OpenMetrics 1.0.0 (prometheus.io/docs/specs/om/open_metrics_spec): a family has its metadata
//! first and its samples together, counters end with `_total`, label values escape backslash, quote
//! and line feed, and the last line is `# EOF`.

use std::fmt::Write;
use std::time::{Duration, SystemTime};

use crate::drift::{Report, State};

/// The content type for HTTP responses.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Returns a report as metrics. `requests` is the number of requests since the process started.
#[must_use]
pub fn drift(report: &Report, requests: u64) -> String {
    let mut out = String::new();
    metric_family(
        &mut out,
        "zonewright_drift_objects",
        "gauge",
        "Records, rules and settings by state.",
    );
    for zone in &report.zones {
        for state in State::ALL.iter().copied() {
            let labels = [("zone", zone.name.as_str()), ("state", state.as_str())];
            sample(&mut out, "zonewright_drift_objects", &labels, zone.count(state));
        }
    }
    let name = "zonewright_expectations";
    if report.zones.iter().any(|zone| !zone.expectations.is_empty()) {
        metric_family(&mut out, name, "gauge", "Expectations of the spec by outcome.");
    }
    for zone in report.zones.iter().filter(|zone| !zone.expectations.is_empty()) {
        for outcome in ["passed", "failed", "unknown"] {
            let count = zone
                .expectations
                .iter()
                .filter(|checked| checked.outcome.as_str() == outcome)
                .count();
            sample(&mut out, name, &[("zone", zone.name.as_str()), ("outcome", outcome)], count);
        }
    }
    let name = "zonewright_drift_oldest_seconds";
    metric_family(
        &mut out,
        name,
        "gauge",
        "Age of the oldest change that was made outside the spec; 0 without one.",
    );
    for zone in &report.zones {
        let age = zone.oldest().unwrap_or(Duration::ZERO).as_secs();
        sample(&mut out, name, &[("zone", zone.name.as_str())], age);
    }
    metric_family(&mut out, "zonewright_zone_records", "gauge", "Records that Cloudflare has.");
    for zone in &report.zones {
        sample(&mut out, "zonewright_zone_records", &[("zone", zone.name.as_str())], zone.records);
    }
    metric_family(
        &mut out,
        "zonewright_requests",
        "counter",
        "Requests to Cloudflare since the process began.",
    );
    sample(&mut out, "zonewright_requests_total", &[], requests);
    let name = "zonewright_last_success_timestamp_seconds";
    metric_family(&mut out, name, "gauge", "When everything was last looked at.");
    let seconds =
        report.checked_at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    sample(&mut out, name, &[], seconds);
    out.push_str("# EOF\n");
    out
}

/// Adds the metadata of a family.
fn metric_family(out: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# TYPE {name} {kind}");
    if name.ends_with("_seconds") {
        let _ = writeln!(out, "# UNIT {name} seconds");
    }
    let _ = writeln!(out, "# HELP {name} {help}");
}

/// Adds one sample.
fn sample(out: &mut String, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
    let labels: Vec<_> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    let labels =
        if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
    let _ = writeln!(out, "{name}{labels} {value}");
}

/// Escapes the value of a label.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_values_are_escaped() {
        let mut out = String::new();
        sample(&mut out, "x", &[("a", "b\"c\\d\ne")], 1);
        assert_eq!(out, "x{a=\"b\\\"c\\\\d\\ne\"} 1\n");
    }

    #[test]
    fn without_zones_it_is_whole() {
        let report =
            Report { checked_at: SystemTime::UNIX_EPOCH, zones: Vec::new(), is_complete: true };
        let text = drift(&report, 7);
        assert!(
            text.contains("\nzonewright_requests_total 7\n") && text.ends_with("\n# EOF\n"),
            "{text}"
        );
    }
}
