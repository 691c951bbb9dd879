//! Counting expressions of rate limits that count more than their rule matches.

use crate::lint::findings;

/// A page, a response, and the other response.
const PAGE: &str = r#"http.request.uri.path eq "/login""#;
const REFUSED: &str = "http.response.code eq 401";
const FORBIDDEN: &str = "http.response.code eq 403";

/// Returns true if a rate limit with this `when` and `count` is reported.
fn is_reported(when: &str, count: &str) -> bool {
    let expand = |text: &str| {
        text.replace("PAGE", PAGE).replace("REFUSED", REFUSED).replace("FORBIDDEN", FORBIDDEN)
    };
    let quoted = |text: &str| format!("'{}'", expand(text).replace('\'', "''"));
    let spec = format!(
        "version: 1\nzones:\n  example.com:\n    plan: business\n    records: []\n    waf:\n      \
         rate_limits:\n        - {{ name: a, when: {}, count: {}, per: ip, limit: 5 in 10s, then: \
         block for 10s }}\n",
        quoted(when),
        quoted(count)
    );
    findings(&spec).0.iter().any(|finding| finding.code() == "LINT0022")
}

#[test]
fn a_count_that_goes_beyond_the_rule_is_reported() {
    let mut silent = Vec::new();
    for (when, count) in [
        ("PAGE", "REFUSED"),
        ("PAGE", "PAGE or REFUSED"),
        ("PAGE", "PAGE and REFUSED or FORBIDDEN"),
        ("PAGE", "REFUSED or PAGE and REFUSED"),
        ("PAGE", "PAGE xor REFUSED"),
        ("PAGE", "not (PAGE and REFUSED)"),
        ("PAGE", r#"(PAGE or http.host eq "b.example.com") and REFUSED"#),
        ("PAGE", r#"(PAGE or http.request.uri.path eq "/x") and REFUSED"#),
        ("PAGE", r#"http.request.uri.path eq "/other" and REFUSED"#),
        ("PAGE", r#"http.request.uri.path eq "/other""#),
        ("PAGE", r#"http.request.uri.path ne "/login" and REFUSED"#),
        ("PAGE", r#"not http.request.uri.path in {"/login"} and REFUSED"#),
        ("PAGE", r#"starts_with(http.request.uri.path, "/login") and REFUSED"#),
        ("PAGE", r#"http.request.uri.path in {"/login" "/x"} and REFUSED"#),
        ("PAGE", r#"lower(http.request.uri.path) eq "/login" and REFUSED"#),
        ("PAGE", r#"http.request.uri.path matches "^/log" and REFUSED"#),
        ("PAGE", r#"http.request.uri.path contains "login" and REFUSED"#),
        ("PAGE", r#"http.request.uri.path wildcard "/login*" and REFUSED"#),
        ("PAGE", r#"http.request.uri contains "login" and REFUSED"#),
        ("PAGE", r#"http.request.full_uri wildcard "https://a.example.com/login*" and REFUSED"#),
        ("PAGE", r#"http.host eq "a.example.com" and REFUSED"#),
        ("PAGE", r#"any(http.response.headers["x-failed"][*] eq "1")"#),
        (
            "PAGE",
            r#"http.request.uri.path contains "in" and any(http.response.headers.names[*] eq "x")"#,
        ),
        ("PAGE and http.request.method eq \"POST\"", "PAGE and REFUSED"),
        (
            "PAGE and http.request.method eq \"POST\"",
            "PAGE and http.request.method ne \"GET\" and REFUSED",
        ),
        ("PAGE and not cf.client.bot", "PAGE and REFUSED"),
        ("PAGE and ip.src in $office", "PAGE and REFUSED"),
        ("PAGE and not ip.src in $office", "PAGE and ip.src in $office and REFUSED"),
        ("ip.src in {10.0.0.0/8}", "ip.src in {10.0.0.0/7} and REFUSED"),
        ("ip.src in {10.0.0.0/8}", "ip.src in {10.0.0.0/9 11.0.0.0/9} and REFUSED"),
        ("ip.src in {2001:db8::/32}", "ip.src in {2001:db8::/31} and REFUSED"),
        ("not ip.src in {192.0.2.0/24}", "not ip.src in {192.0.2.1} and REFUSED"),
        ("ip.src.asnum eq 64501", "ip.src.asnum in {64501..64502} and REFUSED"),
        (
            "cf.bot_management.score lt 30",
            r#"http.host matches "^(a|b)\.example\.com$" and REFUSED"#,
        ),
        ("cf.bot_management.score lt 30", "cf.bot_management.score le 30 and REFUSED"),
        (
            r#"http.request.uri.path in {"/a" "/b"}"#,
            r#"http.request.uri.path in {"/b" "/c"} and REFUSED"#,
        ),
        (
            r#"starts_with(http.request.uri.path, "/a/b")"#,
            r#"starts_with(http.request.uri.path, "/a") and REFUSED"#,
        ),
        (r#"http.host eq "a.example.com""#, r#"ends_with(http.host, ".example.com") and REFUSED"#),
        (
            r#"ends_with(http.host, ".example.com")"#,
            r#"http.host contains "example.com" and REFUSED"#,
        ),
        (r#"http.user_agent contains "bot""#, r#"http.user_agent ne "" and REFUSED"#),
        (
            r#"any(http.request.headers["x-key"][*] eq "1")"#,
            r#"any(http.request.headers["x-key"][*] eq "2") and REFUSED"#,
        ),
    ] {
        if !is_reported(when, count) {
            silent.push(format!("{when} || {count}"));
        }
    }
    assert_eq!(silent, [""; 0]);
}

#[test]
fn a_count_within_the_rule_is_not_reported() {
    let mut reported = Vec::new();
    for (when, count) in [
        ("PAGE", "PAGE and REFUSED"),
        ("PAGE", "PAGE and REFUSED or PAGE and FORBIDDEN"),
        ("PAGE", "PAGE and (REFUSED or FORBIDDEN)"),
        ("PAGE", "PAGE and not REFUSED"),
        ("PAGE", r#"PAGE and any(http.response.headers["x-failed"][*] eq "1")"#),
        ("PAGE", r#"http.request.uri eq "/login" and REFUSED"#),
        ("PAGE", r#"http.request.uri.path matches "^/login$" and REFUSED"#),
        ("PAGE", r#"http.request.full_uri eq "https://a.example.com/login" and REFUSED"#),
        ("lower(http.request.uri.path) eq \"/login\"", "PAGE and REFUSED"),
        ("PAGE or http.request.uri.path eq \"/x\"", "PAGE and REFUSED"),
        ("not PAGE", r#"http.request.uri.path ne "/login" and REFUSED"#),
        ("not ip.src in {192.0.2.1}", "not ip.src in {192.0.2.0/24} and REFUSED"),
        ("ip.src in {10.0.0.0/8}", "ip.src in {10.0.0.0/9 10.128.0.0/9} and REFUSED"),
        ("ip.src.country eq \"DE\"", "ip.geoip.country eq \"DE\" and REFUSED"),
        ("ip.src.country eq \"DE\"", "ip.src in {192.0.2.0/24} and REFUSED"),
        ("http.request.method ne \"GET\"", "http.request.method eq \"POST\" and REFUSED"),
        (
            r#"http.request.uri.path wildcard "/api/*""#,
            r#"starts_with(http.request.uri.path, "/api/") and REFUSED"#,
        ),
        (
            r#"http.request.uri.path contains "api""#,
            r#"http.request.uri.path matches "^/api/[0-9]+$" and REFUSED"#,
        ),
        // All hosts of the zone.
        (r#"ends_with(http.host, "example.com")"#, "REFUSED"),
        (r#"starts_with(http.request.uri.path, "/")"#, "REFUSED"),
        (r#"http.request.uri.path ne """#, "REFUSED"),
        ("true", "REFUSED"),
    ] {
        if is_reported(when, count) {
            reported.push(format!("{when} || {count}"));
        }
    }
    assert_eq!(reported, [""; 0]);
}
