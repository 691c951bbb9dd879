//! Expressions of the rules language, valid and invalid: the messages for each, with the place
//! marked. One file for each group in tests/cases.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use zonewright_expression::vocabulary::Needs;
use zonewright_expression::{
    Expression, ExpressionProblem, ExpressionSetting, ScopeChange, parse_expression,
};

use crate::processor_time::takes_at_most;

/// The files, whether their expressions are accepted, and whether there are messages about them.
const FILES: [(&str, &str, bool, bool); 3] = [
    ("good", include_str!("../cases/good.txt"), true, false),
    ("doubtful", include_str!("../cases/doubtful.txt"), true, true),
    ("bad", include_str!("../cases/bad.txt"), false, true),
];

/// The phase of all of them.
fn setting() -> ExpressionSetting<'static> {
    ExpressionSetting::in_phase("http_request_firewall_custom")
}

/// The cases of a file: what they show, and the expression.
fn cases(file: &str) -> Vec<(String, String)> {
    let mut cases: Vec<(String, String)> = Vec::new();
    let mut was_comment = false;
    for line in file.lines().skip(1) {
        match line.strip_prefix("# ") {
            Some(about) => cases.push((about.to_owned(), String::new())),
            None if line.is_empty() || was_comment && line.is_empty() => {}
            None => {
                let text = &mut cases.last_mut().unwrap().1;
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(line);
            }
        }
        was_comment = line.starts_with("# ");
    }
    cases.into_iter().map(|(about, text)| (about, expanded(&text))).collect()
}

/// A text with `<part*count>` written out.
fn expanded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let written = rest[start + 1..].split_once('>').and_then(|(inner, after)| {
            let (part, count) = inner.rsplit_once('*')?;
            Some((part.repeat(count.parse().ok()?), after))
        });
        out.push_str(&rest[..start]);
        match written {
            Some((repeated, after)) => {
                out.push_str(&repeated);
                rest = after;
            }
            None => {
                out.push('<');
                rest = &rest[start + 1..];
            }
        }
    }
    out + rest
}

/// A problem, with its place marked below the line.
fn shown(text: &str, problem: &ExpressionProblem) -> String {
    let mut out = String::new();
    let start = text[..problem.span.start].rfind('\n').map_or(0, |n| n + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let before = text[start..problem.span.start].chars().count();
    let marked =
        text[problem.span.clone()].lines().next().unwrap_or_default().chars().count().max(1);
    let severity = if problem.is_error { "error" } else { "warning" };
    if line.len() <= 160 {
        writeln!(out, "    {line}\n    {}{}", " ".repeat(before), "^".repeat(marked)).unwrap();
    }
    writeln!(out, "  {severity} [{}]: {}\n  help: {}", problem.code, problem.message, problem.help)
        .unwrap();
    out
}

#[test]
fn what_is_said_of_expressions() {
    let mut count = 0;
    let mut codes = BTreeSet::new();
    let mut wrong = Vec::new();
    for (name, file, is_taken, is_told) in FILES {
        let mut all = String::new();
        for (about, text) in cases(file) {
            let (expression, problems) = parse_expression(&text, setting());
            if (expression.is_some(), !problems.is_empty()) != (is_taken, is_told) {
                wrong.push(format!("{name}: {about}\n{text}\n{problems:#?}"));
            }
            let short = if text.len() > 400 { format!("{}…", &text[..40]) } else { text.clone() };
            writeln!(all, "## {about}\n{short}").unwrap();
            for problem in &problems {
                codes.insert(problem.code);
                all.push_str(&shown(&text, problem));
            }
            if let Some(expression) = expression {
                writeln!(all, "= {}", expression.canonical()).unwrap();
                let again = Expression::reported(expression.canonical());
                assert_eq!(again.canonical(), expression.canonical());
                assert_eq!(again, expression);
            }
            all.push('\n');
            count += 1;
        }
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("expressions@{name}"), all);
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 130, "{count} expressions are too few");
    assert!(codes.len() >= 60, "{} kinds of problems are too few: {codes:?}", codes.len());
}

/// Snapshots of counting expressions, accounts and other phases: messages that depend on where a
/// rule is.
#[test]
fn what_is_allowed_depends_on_the_place() {
    let codes = |text: &str, setting| -> Vec<_> {
        parse_expression(text, setting).1.into_iter().map(|p: ExpressionProblem| p.code).collect()
    };
    let zone = ExpressionSetting::in_phase("http_ratelimit");
    let counting = ExpressionSetting { sees_response: true, ..zone };
    let account = ExpressionSetting {
        is_account: true,
        ..ExpressionSetting::in_phase("http_request_firewall_managed")
    };
    let other = ExpressionSetting::in_phase("http_response_headers_transform");
    assert_eq!(codes("http.response.code eq 404", zone), ["response-field"]);
    assert_eq!(codes("http.response.code eq 404", counting), [""; 0]);
    assert_eq!(codes("http.response.code eq 404", other), [""; 0]);
    assert_eq!(codes("cf.zone.plan eq \"ENT\"", zone), ["account-field"]);
    assert_eq!(codes("cf.zone.plan eq \"ENT\" and ssl", account), [""; 0]);
    assert_eq!(codes("ssl", account), ["account-without-plan"]);
    assert_eq!(
        codes("join(http.request.headers.names, \",\") contains \"x\"", zone),
        ["not-in-phase"]
    );
    assert_eq!(codes("join(http.request.headers.names, \",\") contains \"x\"", setting()), [""; 0]);
}

/// The scope of one expression against another, both ways.
#[test]
fn scopes() {
    use ScopeChange::{Equal, Narrower, Unknown, Wider};
    let host = r#"http.host eq "a.example""#;
    for (before, after, expected) in [
        ("ssl", "(ssl)", Equal),
        ("ssl", "true", Wider),
        ("ssl", "ssl or cf.client.bot", Wider),
        ("ssl and cf.client.bot", "ssl", Wider),
        ("ssl and cf.client.bot", "cf.client.bot and ssl", Equal),
        ("not ssl", "not (ssl or cf.client.bot)", Narrower),
        ("not (ip.src in {10.0.0.0/8})", "not ip.src in {10.0.0.0/8 192.0.2.1}", Narrower),
        (host, r#"http.host in {"a.example" "b.example"}"#, Wider),
        (host, r#"http.host contains "example""#, Wider),
        (host, r#"ends_with(http.host, ".example")"#, Wider),
        (host, r#"http.host eq "b.example""#, Unknown),
        (host, r#"not http.host eq "b.example""#, Wider),
        (r#"http.host eq "a.example" and ssl"#, r#"http.host in {"a.example" "c"} and ssl"#, Wider),
        (
            r#"starts_with(http.request.uri.path, "/a/")"#,
            r#"starts_with(http.request.uri.path, "/a")"#,
            Wider,
        ),
        (
            r#"http.request.uri.path contains "/admin/""#,
            r#"http.request.uri.path contains "admin""#,
            Wider,
        ),
        ("cf.waf.score lt 20", "cf.waf.score le 20", Wider),
        ("cf.waf.score lt 20", "cf.waf.score le 19", Equal),
        ("cf.waf.score lt 20", "cf.waf.score gt 30", Unknown),
        ("cf.edge.server_port in {80..90}", "cf.edge.server_port in {80..85 86..100}", Wider),
        ("ip.src in {10.1.0.0/16}", "ip.src in {10.0.0.0/8}", Wider),
        ("ip.src in {10.0.0.0/9 10.128.0.0/9}", "ip.src in {10.0.0.0/8}", Equal),
        ("ip.src eq 10.0.0.1", "ip.src in {10.0.0.0..10.0.0.9}", Wider),
        (
            "ssl and (cf.client.bot or cf.waf.score gt 5)",
            "ssl and (cf.client.bot or cf.waf.score gt 7)",
            Narrower,
        ),
        ("ssl or cf.client.bot", "ssl and cf.client.bot", Narrower),
        ("ssl", "cf.client.bot", Unknown),
        ("ssl xor cf.client.bot", "ssl", Unknown),
    ] {
        let (one, other) = (Expression::reported(before), Expression::reported(after));
        assert_eq!(Expression::scope_change(&one, &other), expected, "{before} → {after}");
        let back = match expected {
            Wider => Narrower,
            Narrower => Wider,
            Equal | Unknown => expected,
        };
        assert_eq!(Expression::scope_change(&other, &one), back, "{after} → {before}");
    }
}

/// Expressions that match every request, and expressions that match none.
#[test]
fn constants() {
    for text in [
        "true",
        "(true)",
        "ssl or true",
        "not false",
        "true xor false",
        "ssl or not ssl",
        "starts_with(http.request.uri.path, \"/\")",
    ] {
        let expression = Expression::reported(text);
        assert!(expression.is_always_true() && !expression.is_always_false(), "{text}");
    }
    for text in [
        "false",
        "not true",
        "ssl and false",
        "ssl and not ssl",
        "cf.waf.score eq 1 and cf.waf.score eq 2",
    ] {
        let expression = Expression::reported(text);
        assert!(expression.is_always_false() && !expression.is_always_true(), "{text}");
    }
    // A missing value makes both parts false, so that this is not always true.
    let text = r#"http.request.headers["a"][0] ne "b" or http.request.headers["a"][0] ne "c""#;
    for text in ["ssl", "", "no expression at all", "len(http.request.uri.args[\"a\"]) ge 0", text]
    {
        let expression = Expression::reported(text);
        assert!(!expression.is_always_true() && !expression.is_always_false(), "{text}");
    }
}

/// The hosts that an expression concerns, and the plan or fields that it needs.
#[test]
fn hosts_and_requirements() {
    let hosts = |text: &str| {
        Expression::reported(text).hosts().map(|h| h.into_iter().collect::<Vec<_>>().join(" "))
    };
    assert_eq!(hosts(r#"http.host eq "A.example" and ssl"#).as_deref(), Some("a.example"));
    assert_eq!(hosts(r#"http.host in {"a" "b"} and http.host ne "a""#).as_deref(), Some("a b"));
    assert_eq!(
        hosts(r#"(http.host eq "a" or lower(http.host) eq "b") and ssl"#).as_deref(),
        Some("a b")
    );
    assert_eq!(hosts(r#"http.host in {"a" "b"} and http.host in {"b" "c"}"#).as_deref(), Some("b"));
    assert_eq!(hosts(r#"http.host eq "a" or ssl"#), None);
    assert_eq!(hosts(r#"not http.host eq "a""#), None);
    assert_eq!(hosts(r#"http.host contains "a""#), None);
    let needs = |text: &str| {
        Expression::reported(text).requirement().map(|r| format!("{:?} {:?}", r.needs, r.by))
    };
    assert_eq!(needs("ssl"), None);
    let regex = Expression::reported("http.host ~ \"a+\"").requirement().unwrap();
    assert_eq!((regex.needs, regex.plan()), (Needs::Business, "the business plan or above"));
    assert_eq!(needs("http.host ~ \"a+\" and ssl").as_deref(), Some(r#"Business {"matches"}"#));
    assert_eq!(
        needs("http.host ~ \"a+\" and cf.waf.score lt 5").as_deref(),
        Some(r#"Enterprise {"cf.waf.score"}"#)
    );
    assert_eq!(
        needs("any(http.request.cookies[\"a\"][*] eq \"b\")").as_deref(),
        Some(r#"Pro {"http.request.cookies"}"#)
    );
}

/// Equal and unequal expressions.
#[test]
fn equality() {
    for (one, other, is_equal) in [
        ("http.host eq \"a\"", "http.host  ==\n\"a\" ", true),
        ("http.host matches \"a\\.b\"", "http.host ~ r\"a\\.b\"", true),
        ("ip.src in {10.1.2.3/8}", "ip.src in {10.0.0.0/8 10.0.0.0/8}", true),
        ("ssl and cf.client.bot", "(cf.client.bot) && ((ssl))", true),
        ("not http.host eq \"a\"", "http.host ne \"a\"", false),
        ("ip.geoip.country eq \"DE\"", "ip.src.country eq \"DE\"", false),
        ("http.host eq \"a\"", "http.host eq \"A\"", false),
        ("ssl xor ssl", "ssl", false),
        ("what (is this", " what (is this ", true),
        ("what (is this", "what  (is this", false),
        ("", "true", false),
    ] {
        let (one, other) = (Expression::reported(one), Expression::reported(other));
        assert_eq!(one == other, is_equal, "{} and {}", one.text(), other.text());
    }
}

/// Long and hostile texts are handled quickly.
#[test]
fn long_expressions_take_no_time() {
    let parts = [
        "(",
        ")",
        "!",
        "not ",
        "ssl and ",
        "\"",
        "'",
        "“",
        "r#\"",
        "/*",
        "#",
        "{",
        "[",
        "http.host eq \"a\" or ",
        "http.hots ",
        ",",
        "1..",
        "a.",
        "(ssl) ",
        "lower(",
        "http.host ~ \"[\" ",
        "http.host in {",
        "-",
        ":",
        "1:",
        "$",
        "*",
        "\\",
        "é",
        "any(",
        "ip.src in {1.2.3.4 ",
        "ssl or (",
        "URI Path ",
        "http.host matches \"(\" or ",
        "ssl) ",
        "ssl xor ssl and ",
    ];
    for part in parts {
        let text = part.repeat(100_000 / part.len());
        takes_at_most(Duration::from_secs(5), part, || {
            let (_, problems) = parse_expression(&text, setting());
            let expression = Expression::reported(&text);
            let _ = Expression::scope_change(
                &expression,
                &Expression::reported("ssl or cf.client.bot"),
            );
            assert!(!problems.is_empty());
        });
    }
}
