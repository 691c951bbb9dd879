//! Rules in ModSecurity's language, applied to requests. Tests each part of the language, and that
//! hostile requests are bounded.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;

use zonewright_seclang::{Outcome, Request, RuleSet};

/// Rules about requests; data files have the names `words.data` and `networks.data`.
fn set(rules: &str) -> RuleSet {
    let data = |name: &str| match name {
        "words.data" => Some(b"# words\nalpha beta\nGamma\n\n".to_vec()),
        "networks.data" => Some(b"192.0.2.0/24\n2001:db8::/32\n".to_vec()),
        _ => None,
    };
    RuleSet::new(&[], &[("rules.conf".to_owned(), rules.to_owned())], &data).unwrap()
}

/// Returns a rule that adds 5 at level 1.
fn rule(number: u32, targets: &str, operator: &str, actions: &str) -> String {
    format!(
        "SecRule {targets} \"{operator}\" \"id:{number},phase:2,pass,t:none,{actions},setvar:'tx.anomaly_score_pl1=+5'\"\n"
    )
}

fn get(uri: &str) -> Request {
    request("GET", uri, &[("Host", "example.com")], b"")
}

fn post(kind: &str, body: &[u8]) -> Request {
    request("POST", "/", &[("Content-Type", kind)], body)
}

fn request(method: &str, uri: &str, headers: &[(&str, &str)], body: &[u8]) -> Request {
    Request {
        method: method.into(),
        uri: uri.into(),
        version: "HTTP/1.1".to_owned(),
        headers: headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        body: body.to_vec(),
    }
}

fn run(rules: &str, request: &Request) -> Outcome {
    set(rules).evaluator().evaluate(request)
}

fn hits(rules: &str, request: &Request) -> Vec<u32> {
    run(rules, request).hits.iter().map(|hit| hit.rule).collect()
}

fn matches(targets: &str, operator: &str, request: &Request) -> bool {
    !hits(&rule(1000, targets, operator, "log"), request).is_empty()
}

#[test]
fn the_last_rule_of_a_chain_scores() {
    let chain = "SecRule ARGS:a \"@rx ^x\" \"id:1000,phase:2,pass,chain\"\n\
                 SecRule ARGS:b \"@rx ^y\" \"chain\"\n\
                 SecRule MATCHED_VAR \"@endsWith z\" \"setvar:'tx.inbound_anomaly_score_pl2=+4'\"\n";
    let outcome = run(chain, &get("/?a=x&b=yz"));
    assert_eq!((outcome.hits[0].rule, outcome.hits[0].level, outcome.hits[0].score), (1000, 2, 4));
    for uri in ["/?a=x&b=y", "/?a=x", "/?b=yz"] {
        assert_eq!(hits(chain, &get(uri)), [0; 0], "{uri}");
    }
}

#[test]
fn a_rule_counts_once_and_a_level_includes_those_below() {
    let rules = "SecAction \"id:900,phase:1,pass,setvar:tx.critical=5,setvar:tx.notice=2\"\n\
                 SecRule ARGS \"@contains x\" \"id:1001,phase:2,setvar:'tx.anomaly_score_pl1=+%{tx.critical}'\"\n\
                 SecRule ARGS \"@contains x\" \"id:1002,phase:2,setvar:'tx.anomaly_score_pl3=+%{tx.notice}'\"\n\
                 SecRule ARGS \"@contains x\" \"id:1003,phase:2,setvar:'tx.other_score=+9'\"\n\
                 SecRule ARGS \"@contains x\" \"id:1004,phase:4,setvar:'tx.anomaly_score_pl1=+9'\"\n";
    let outcome = run(rules, &get("/?a=x&b=x&c=xx"));
    assert_eq!([1, 2, 3, 4].map(|level| outcome.score(level)), [5, 5, 7, 7]);
}

#[test]
fn exclusions_of_targets_and_rules_apply() {
    let base = rule(1000, "ARGS|!ARGS:skip|!ARGS:/^re/", "@streq x", "tag:'mine',msg:'text'");
    assert_eq!(hits(&base, &get("/?skip=x&RED=x")), [0; 0]);
    assert_eq!(hits(&base, &get("/?skip=x&other=x")), [1000]);
    for directive in
        ["UpdateTargetById 990-1010", "UpdateTargetByTag mine", "UpdateTargetByMsg text"]
    {
        assert_eq!(
            hits(&format!("{base}SecRule{directive} \"!ARGS:b\"\n"), &get("/?b=x")),
            [0; 0],
            "{directive}"
        );
    }
    for directive in ["RemoveById 1000", "RemoveByTag mine", "RemoveByMsg text"] {
        assert_eq!(
            hits(&format!("{base}SecRule{directive}\n"), &get("/?b=x")),
            [0; 0],
            "{directive}"
        );
    }
    for (control, left) in [
        ("ruleRemoveById=1000", 0),
        ("ruleRemoveByTag=mine", 0),
        ("ruleRemoveTargetById=1000;ARGS:b", 0),
        ("ruleRemoveTargetByTag=mine;ARGS:/^B$/", 0),
        ("ruleRemoveTargetById=1000;ARGS:c", 1),
        ("ruleRemoveById=1001-2000", 1),
        ("ruleEngine=Off", 0),
        ("auditEngine=Off", 1),
    ] {
        let control = format!(
            "SecRule REQUEST_METHOD \"@streq GET\" \"id:900,phase:1,pass,ctl:{control}\"\n"
        );
        assert_eq!(hits(&format!("{control}{base}"), &get("/?b=x")).len(), left, "{control}");
    }
}

#[test]
fn markers_and_skips_jump_within_a_phase() {
    let one = rule(1001, "ARGS", "@streq x", "log");
    let two = rule(1002, "ARGS", "@streq x", "log");
    let jump =
        |how: &str| format!("SecAction \"id:900,phase:2,pass,{how}\"\n{one}SecMarker END\n{two}");
    assert_eq!(hits(&jump("skipAfter:END"), &get("/?a=x")), [1002]);
    assert_eq!(hits(&jump("skip:1"), &get("/?a=x")), [1002]);
    assert_eq!(hits(&jump("skipAfter:NOWHERE"), &get("/?a=x")), [0; 0]);
    assert_eq!(hits(&jump("nolog"), &get("/?a=x")), [1001, 1002]);
}

#[test]
fn transformations_run_in_order_and_multi_match_looks_at_each_step() {
    let with = |actions: &str| {
        hits(&rule(1000, "ARGS", "@streq A b", actions), &get("/?x=A%252520b")).len()
    };
    assert_eq!(with("t:urlDecode,t:urlDecode"), 1);
    assert_eq!(with("t:urlDecode"), 0);
    assert_eq!(with("t:urlDecode,t:urlDecode,t:lowercase"), 0);
    assert_eq!(with("t:urlDecode,t:urlDecode,t:lowercase,multiMatch"), 1);
    assert_eq!(with("t:lowercase,t:none,t:urlDecode,t:urlDecode"), 1);
}

#[test]
fn variables_captures_and_macros() {
    let rules = "SecRule ARGS:a \"@rx (b+)(c)?\" \"id:900,phase:2,pass,capture,setvar:'tx.%{MATCHED_VAR_NAME}_seen=%{tx.1}',setvar:tx.n=3\"\n\
                 SecAction \"id:901,phase:2,pass,setvar:tx.n=-1,setvar:!tx.gone,setvar:'tx.n=+%{tx.n}'\"\n"
        .to_owned();
    let uri = get("/?a=xbbx&b=1");
    for (targets, operator) in [
        ("TX:ARGS:a_seen", "@streq bb"),
        ("TX:/_seen$/", "@streq bb"),
        ("TX:n", "@eq 4"),
        ("&TX:gone", "@eq 0"),
        ("&TX:2", "@eq 0"),
        ("&ARGS", "@eq 2"),
        ("&ARGS:/^[ab]$/", "@eq 2"),
        ("ARGS:b", "@lt %{tx.n}"),
        ("ARGS_NAMES", "@within %{REQUEST_HEADERS.host} a"),
        ("REQUEST_HEADERS:HOST", "!@rx ^%{tx.1}$"),
    ] {
        assert_eq!(
            hits(&(rules.clone() + &rule(1000, targets, operator, "log")), &uri),
            [1000],
            "{targets} {operator}"
        );
    }
}

#[test]
fn the_parts_of_a_request() {
    let request = request(
        "GET",
        "/a%20b/c.php?x=1%202&y#f",
        &[("Host", "example.com:80"), ("Cookie", "s=1=2; t ;; =u"), ("Authorization", "Basic abc")],
        b"",
    );
    for (target, expected) in [
        ("REQUEST_URI", "/a b/c.php?x=1 2&y"),
        ("REQUEST_URI_RAW", "/a%20b/c.php?x=1%202&y#f"),
        ("REQUEST_FILENAME", "/a b/c.php"),
        ("REQUEST_BASENAME", "c.php"),
        ("REQUEST_LINE", "GET /a%20b/c.php?x=1%202&y#f HTTP/1.1"),
        ("QUERY_STRING", "x=1%202&y"),
        ("ARGS:x", "1 2"),
        ("ARGS_GET_NAMES:y", "y"),
        ("ARGS_COMBINED_SIZE", "5"),
        ("REQUEST_COOKIES:s", "1=2"),
        ("&REQUEST_COOKIES", "2"),
        ("SERVER_NAME", "example.com"),
        ("AUTH_TYPE", "Basic"),
        ("&ARGS_POST", "0"),
        ("REQUEST_BODY", ""),
    ] {
        assert!(matches(target, &format!("@streq {expected}"), &request), "{target}");
    }
    assert!(matches("REQUEST_URI", "@streq /p?q", &get("http://example.com/p?q")));
}

#[test]
fn operators() {
    let request = get("/?q=the+gamma+ray&n=7");
    for operator in [
        "@pm delta GAMMA",
        "@pmFromFile words.data",
        "@rx (?i)GAM+A",
        "!@rx ^x",
        "@containsWord ray",
        "@beginsWith the",
        "@unconditionalMatch",
        "@validateByteRange 97-122",
    ] {
        assert!(matches("ARGS:q", operator, &request), "{operator}");
    }
    for operator in
        ["@pm gam ra y", "@noMatch", "@rbl example.org", "@validateByteRange 32-126", "@ge 1"]
    {
        assert_eq!(matches("ARGS:q", operator, &request), operator == "@pm gam ra y", "{operator}");
    }
    assert!(
        matches("ARGS:n", "@ge 7", &request)
            && matches("ARGS:n", "@le 7", &request)
            && !matches("ARGS:n", "@gt 7", &request)
    );
    assert!(matches("REMOTE_ADDR", "@ipMatchFromFile networks.data", &request));
    assert!(matches("REMOTE_ADDR", "!@ipMatch 198.51.100.0/24,2001:db8::1", &request));
    assert!(
        matches("ARGS", "@detectSQLi", &get("/?q=1%27+or+%271%27=%271"))
            && !matches("ARGS", "@detectSQLi", &request)
    );
    assert!(
        matches("ARGS", "@detectXSS", &get("/?q=%3Cscript%3Ealert(1)"))
            && !matches("ARGS", "@detectXSS", &request)
    );
    assert!(
        matches("REQUEST_URI_RAW", "@validateUrlEncoding", &get("/?q=%4"))
            && !matches("REQUEST_URI_RAW", "@validateUrlEncoding", &request)
    );
    assert!(
        matches("ARGS", "@validateUtf8Encoding", &get("/?q=%ff"))
            && !matches("ARGS", "@validateUtf8Encoding", &get("/?q=%c3%a9"))
    );
}

#[test]
fn bodies() {
    let form = post("application/x-www-form-urlencoded; charset=utf-8", b"a=1+2&b");
    assert!(
        matches("ARGS_POST:a", "@streq 1 2", &form)
            && matches("REQBODY_PROCESSOR", "@streq URLENCODED", &form)
    );
    let json = post("application/json", br#"{"a": {"b": [1, "x y"]}}"#);
    assert!(
        matches("ARGS:json.a.b.array_1", "@streq x y", &json)
            && matches("ARGS_NAMES", "@streq json.a.b.array_0", &json)
    );
    assert!(matches("REQBODY_ERROR", "@eq 1", &post("application/vnd.api+json", b"{\"a\":")));
    let xml = post("text/xml", b"<a b='1 &lt; 2'>x<c>y</c></a>");
    assert!(matches("XML:/*", "@streq xy", &xml) && matches("XML://@*", "@streq 1 < 2", &xml));
    assert!(matches("REQBODY_ERROR", "@eq 1", &post("application/soap+xml", b"<a>")));
    let other = post("text/plain", b"a=1");
    assert!(matches("&ARGS", "@eq 0", &other) && matches("REQUEST_BODY", "@streq a=1", &other));
    let forced =
        "SecAction \"id:900,phase:1,pass,ctl:requestBodyProcessor=URLENCODED\"\n".to_owned();
    assert_eq!(hits(&(forced + &rule(1000, "ARGS:a", "@eq 1", "log")), &other), [1000]);
    let long = format!("a={}", "x".repeat(200_000));
    assert!(matches(
        "REQBODY_ERROR",
        "@eq 1",
        &post("application/x-www-form-urlencoded", long.as_bytes())
    ));
}

/// Returns a multipart body with these lines, in which `|` ends a line.
fn multipart(lines: &str) -> Request {
    post("multipart/form-data; boundary=xyz", lines.replace('|', "\r\n").as_bytes())
}

const FILE: &str = "--xyz|Content-Disposition: form-data; name=\"f\"; filename=\"a.php\"|Content-Type: text/plain||1|2|--xyz|\
                    Content-Disposition: form-data; name=\"t\"||one|two|--xyz--|";

#[test]
fn multipart_bodies() {
    let good = multipart(FILE);
    for (targets, operator) in [
        ("FILES", "@streq a.php"),
        ("FILES_NAMES", "@streq f"),
        ("FILES_COMBINED_SIZE", "@eq 4"),
        ("ARGS_POST:t", "@rx ^one\\x0d\\x0atwo$"),
        ("MULTIPART_PART_HEADERS:f", "@streq Content-Type: text/plain"),
        ("MULTIPART_FILENAME", "@streq a.php"),
        ("MULTIPART_STRICT_ERROR", "@eq 0"),
        ("REQBODY_ERROR", "@eq 0"),
    ] {
        assert!(matches(targets, operator, &good), "{targets} {operator}");
    }
}

#[test]
fn multipart_bodies_that_parsers_read_differently_are_told() {
    for (flag, lines) in [
        ("MULTIPART_DATA_BEFORE", FILE.replacen("--xyz", "x|--xyz", 1)),
        ("MULTIPART_DATA_AFTER", format!("{FILE}x|")),
        ("MULTIPART_LF_LINE", FILE.replacen("\"t\"|", "\"t\"\n", 1)),
        ("MULTIPART_CRLF_LF_LINES", FILE.replacen("\"t\"|", "\"t\"\n", 1)),
        ("MULTIPART_HEADER_FOLDING", FILE.replacen("; filename", ";| filename", 1)),
        ("MULTIPART_INVALID_QUOTING", FILE.replace("\"t\"", "'t'")),
        (
            "MULTIPART_UNMATCHED_BOUNDARY",
            FILE.replacen("one", "--abc", 1).replace("two|--xyz--|", "--xyz"),
        ),
        ("REQBODY_ERROR", FILE.replace("--xyz--|", "")),
        ("REQBODY_ERROR", FILE.replace("Content-Disposition: form-data; name=\"t\"|", "")),
        ("REQBODY_ERROR", "x".to_owned()),
    ] {
        assert!(matches(flag, "@ge 1", &multipart(&lines)), "{flag}: {lines}");
    }
    for (flag, kind) in [
        ("MULTIPART_MISSING_SEMICOLON", "multipart/form-data boundary=xyz"),
        ("MULTIPART_BOUNDARY_QUOTED", "multipart/form-data; boundary=\"xyz\""),
        ("MULTIPART_BOUNDARY_WHITESPACE", "multipart/form-data; boundary = xyz"),
        ("MULTIPART_STRICT_ERROR", "multipart/form-data; boundary=xyz; boundary=abc"),
        ("MULTIPART_STRICT_ERROR", "multipart/form-data"),
        ("REQBODY_ERROR", "multipart/form-data; boundary=x\u{e9}z"),
    ] {
        assert!(
            matches(flag, "@eq 1", &post(kind, FILE.replace('|', "\r\n").as_bytes())),
            "{flag}: {kind}"
        );
    }
}

#[test]
fn an_evaluator_answers_the_same_again() {
    let rules =
        rule(1000, "ARGS|REQUEST_HEADERS", "@rx (?i)attack\\s*(\\d)?", "capture,t:lowercase")
            + &rule(1001, "TX:1", "@eq 7", "log")
            + &rule(1002, "ARGS:b", "!@streq %{ARGS.a}", "log");
    let set = set(&rules);
    let mut evaluator = set.evaluator();
    let requests = ["/?a=ATTACK+7&b=ATTACK+7", "/?a=1&b=2", "/?a=attack&b=1", "/?b=2&a=2"].map(get);
    let fresh: Vec<_> = requests.iter().map(|request| set.evaluator().evaluate(request)).collect();
    for _ in 0..3 {
        let again: Vec<_> = requests.iter().map(|request| evaluator.evaluate(request)).collect();
        assert_eq!(again, fresh);
    }
    assert_eq!(fresh.iter().map(|outcome| outcome.hits.len()).collect::<Vec<_>>(), [2, 1, 2, 0]);
}

#[test]
fn mistakes_have_a_file_and_a_line() {
    let none = |_: &str| None;
    for (text, expected) in [
        ("\n\nSecRule ARGS \"@rx (\" \"id:1\"", "rule 1"),
        ("\nSecRule ARGZ \"@rx a\" \"id:1\"", "rules.conf:2: the variable `ARGZ` is unknown"),
        ("SecRule ARGS \"@frob a\" \"id:1\"", "rules.conf:1: the operator `@frob` is unknown"),
        (
            "SecRule ARGS \"@rx a\" \"id:1,t:frob\"",
            "rules.conf:1: the transformation `t:frob` is unknown",
        ),
        (
            "SecRule ARGS \"@pmFromFile a.data\" \"id:1\"",
            "rules.conf:1: the data file `a.data` is missing",
        ),
        ("SecRule ARGS \"@rx a\" \"id:1,chain\"", "rules.conf:1: rule 1 is chained to nothing"),
        ("SecRule ARGS \"@rx a\" \"id:x\"", "rules.conf:1: `x` is not the number of a rule"),
        ("SecRule ARGS \"@rx a\" \"id:1,setvar:args.a=1\"", "rules.conf:1: `ARGS` cannot be set"),
        ("<html>", "rules.conf:1: the directive `<html>` is unknown"),
    ] {
        let error = RuleSet::new(&[], &[("rules.conf".to_owned(), text.to_owned())], &none)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn patterns_that_explode_are_undecided() {
    let rules = rule(1000, "ARGS", "@rx ^(?=x)(?:(x+x+)+\\1)+y$", "log")
        + &rule(1001, "ARGS", "@rx x$|!$", "log");
    let outcome = run(&rules, &get(&format!("/?a={}!y!", "x".repeat(80))));
    assert_eq!(outcome.undecided, [1000]);
    assert_eq!(outcome.hits.iter().map(|hit| hit.rule).collect::<Vec<_>>(), [1001]);
}

#[test]
fn hostile_requests_are_bounded() {
    let rules = rule(
        1000,
        "ARGS|ARGS_NAMES|REQUEST_BODY|XML:/*|FILES|REQUEST_HEADERS",
        "@detectSQLi",
        "t:urlDecodeUni,t:htmlEntityDecode",
    ) + &rule(
        1001,
        "ARGS|REQUEST_BODY|REQUEST_URI",
        "@rx (?i)(?:a+b?){3}c",
        "t:jsDecode,t:cssDecode,t:normalizePath,t:replaceComments",
    );
    let set = set(&rules);
    let mut evaluator = set.evaluator();
    let mut many = String::new();
    for number in 0..5_000 {
        write!(many, "a{number}={number}&").unwrap();
    }
    let long = "a%00'\\u0041&#x41;/*".repeat(15_000);
    for (kind, body) in [
        ("application/x-www-form-urlencoded", many.as_str()),
        ("application/json", &"[".repeat(100_000)),
        ("application/json", &"{\"a\":".repeat(20_000)),
        ("text/xml", &"<a>".repeat(40_000)),
        (
            "text/xml",
            "<!DOCTYPE a [<!ENTITY b 'bbbbbbbb'><!ENTITY c '&b;&b;&b;&b;'>]><a>&c;&c;&c;</a>",
        ),
        (
            "multipart/form-data; boundary=xyz",
            &"--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n".repeat(500),
        ),
        ("multipart/form-data; boundary=xyz", &long),
        ("text/plain", &long),
        ("", ""),
    ] {
        let outcome = evaluator.evaluate(&post(kind, body.as_bytes()));
        assert!(outcome.undecided.is_empty(), "{kind}");
    }
    let _ = evaluator.evaluate(&request(
        "",
        "",
        &[("", ""), ("Cookie", ";;=;"), ("Content-Type", "multipart/form-data")],
        b"\0",
    ));
}

#[test]
fn any_bytes_are_evaluated() {
    let mut all = String::new();
    for (number, transformation) in [
        "base64Decode",
        "base64DecodeExt",
        "cmdLine",
        "compressWhitespace",
        "cssDecode",
        "escapeSeqDecode",
        "hexDecode",
        "htmlEntityDecode",
        "jsDecode",
        "normalizePath",
        "normalizePathWin",
        "removeComments",
        "removeCommentsChar",
        "removeNulls",
        "removeWhitespace",
        "replaceComments",
        "sqlHexDecode",
        "trim",
        "urlDecodeUni",
        "utf8toUnicode",
        "sha1",
    ]
    .iter()
    .enumerate()
    {
        let targets = "ARGS|REQUEST_BODY|REQUEST_URI|REQUEST_HEADERS|FILES|XML:/*|XML://@*|MULTIPART_PART_HEADERS";
        let operator = if number % 2 == 0 { "@detectSQLi" } else { "@detectXSS" };
        all += &rule(1000 + number as u32, targets, operator, &format!("t:{transformation}"));
    }
    let set = set(&all);
    let mut evaluator = set.evaluator();
    let mut random = fastrand::Rng::with_seed(7);
    let pieces: [&[u8]; 24] = [
        b"--xyz",
        b"\r\n",
        b"\n",
        b"Content-Disposition: form-data; name=",
        b"\"",
        b"'",
        b"--",
        b"<a ",
        b"<!--",
        b"&#x",
        b"\\u00",
        b"%u",
        b"%",
        b"[",
        b"{\"",
        b"/*",
        b"*/",
        b"../",
        b"\0",
        b"\xff\xfe",
        b"=",
        b";",
        b"&",
        b"or 1=1 ",
    ];
    for round in 0..1_000 {
        let mut body = Vec::new();
        for _ in 0..random.usize(..30) {
            body.extend_from_slice(pieces[random.usize(..pieces.len())]);
            body.extend((0..random.usize(..4)).map(|_| random.u8(..)));
        }
        let kind = [
            "multipart/form-data; boundary=xyz",
            "application/json",
            "text/xml",
            "application/x-www-form-urlencoded",
        ][round % 4];
        let mut request = post(kind, &body);
        request.uri = body;
        assert!(evaluator.evaluate(&request).undecided.is_empty(), "{request:?}");
    }
}

#[test]
fn what_takes_too_much_memory_is_undecided() {
    let first = "SecAction \"id:100,phase:1,pass,nolog,setvar:tx.a=xxxxxxxxxxxxxxxx\"\n".to_owned();
    let doubled = (101..140).map(|n| {
        format!("SecAction \"id:{n},phase:1,pass,nolog,setvar:tx.a=%{{tx.a}}%{{tx.a}}\"\n")
    });
    let rules: String = std::iter::once(first).chain(doubled).collect();
    let rules = rules
        + &rule(200, "ARGS:a", "@streq b", "t:lowercase")
        + &rule(201, "TX:a", "@rx zzz", "t:hexEncode");
    let set = set(&rules);
    let mut evaluator = set.evaluator();
    for _ in 0..2 {
        let outcome = evaluator.evaluate(&get("/?a=b"));
        assert_eq!(outcome.hits.iter().map(|hit| hit.rule).collect::<Vec<_>>(), [200]);
        assert!(
            outcome.undecided.contains(&139) && !outcome.undecided.contains(&110),
            "{:?}",
            outcome.undecided
        );
    }
    // The next request starts with empty variables.
    assert_eq!(evaluator.evaluate(&get("/?a=b")).hits.len(), 1);
}
