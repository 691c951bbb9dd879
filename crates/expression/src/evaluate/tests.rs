//! Vectors of the documentation, and laws of unknown values.

use std::collections::BTreeMap;

use bumpalo::Bump;
use proptest::prelude::*;

use super::*;
use crate::vocabulary::FIELDS;
use crate::{ExpressionSetting, parse_expression};

const HEADERS: [(&str, &[&str]); 4] = [
    ("accept", &["text/html", "*/*"]),
    ("client_id", &["MTIzYWJj"]),
    ("empty", &[]),
    ("x", &["%2520", "a+b"]),
];

/// A request for `https://www.example.com/a/b.php?x=1&y=2` from 2001:db8::1.
fn sample(arena: &Bump) -> Sample<'_> {
    let mut sample = Sample::unknown(arena);
    let text = |text: &'static str| Value::Bytes(text.as_bytes());
    for (name, value) in [
        ("http.host", text("www.example.com")),
        ("http.request.uri.path", text("/a/b.php")),
        ("http.request.uri.query", text("x=1&y=2")),
        (
            "http.request.body.raw",
            text(r#"{"company":"cloudflare","version":2,"ids":[1,{"id":-5}],"half":42.0}"#),
        ),
        ("http.user_agent", text("asdfghjk")),
        ("http.referer", text("")),
        ("http.request.method", text("GET")),
        ("ip.src", Value::Address("2001:0:130f::9c0:876a:130b".parse().expect("it is one"))),
        ("cf.bot_management.score", Value::Integer(30)),
        ("ssl", Value::Truth(true)),
        ("cf.client.bot", Value::Truth(false)),
        ("http.request.timestamp.sec", Value::Integer(1_484_063_787)),
        (
            "http.request.uri",
            text(
                "/download/cat.jpg?verify=1484063787-IaLGSmELTvlhfd0ItdN6PhhHTFhzx73EX8uy%2FcSDiIU%3D",
            ),
        ),
    ] {
        assert!(sample.set(name, value), "{name}");
    }
    let headers = HEADERS.map(|(name, values)| {
        let values: Vec<_> = values.iter().map(|value| Value::Bytes(value.as_bytes())).collect();
        (name.as_bytes(), Value::Array(arena.alloc_slice_copy(&values)))
    });
    sample.set("http.request.headers", Value::Map(arena.alloc_slice_copy(&headers)));
    sample
}

/// The truth of an expression, and what it depends on.
fn judged(text: &str) -> (Truth, Vec<String>) {
    let setting = ExpressionSetting { phase: "", is_account: false, sees_response: false };
    let (expression, problems) = parse_expression(text, setting);
    let program = expression
        .unwrap_or_else(|| panic!("{text}: {problems:?}"))
        .compile()
        .expect("it was parsed");
    let arena = Bump::new();
    let sample = sample(&arena);
    let truth = program.evaluate(&sample);
    let reasons = program.reasons(truth).map(Reason::words).collect();
    (truth, reasons)
}

#[test]
fn fields_are_in_order() {
    assert!(FIELDS.is_sorted_by_key(|field| field.name));
}

#[test]
fn documented_examples_hold() {
    for text in [
        "http.host eq \"www.example.com\" and not http.host eq \"WWW.example.com\"",
        "http.host wildcard \"WWW.*.com\" and not http.host strict wildcard \"WWW.*.com\"",
        "http.host wildcard \"*e*e*\" and not http.host wildcard \"*z*\" and http.host wildcard \"www.example.com\"",
        "http.request.uri.path contains \"/b.\" and http.request.uri.path matches r\"^/[a-z]/.*\\.php$\"",
        "not http.user_agent matches \"^\\\\pL+é$\"",
        "http.request.uri.path ge \"/a\" and http.request.uri.path lt \"/b\"",
        "cf.bot_management.score in {1..10 30} and cf.bot_management.score le 30 and not cf.bot_management.score ne 30",
        "ip.src in {2001:0:130f::/48 10.0.0.0/8} and not ip.src in {10.0.0.1..10.0.0.9 ::1}",
        "ssl and not cf.client.bot and (ssl xor cf.client.bot)",
        // A key, an index or a list that is missing.
        "not http.request.headers[\"none\"][0] eq \"a\" and http.request.headers[\"none\"][0] ne \"a\"",
        "not http.request.headers[\"accept\"][7] contains \"\" and http.request.headers[\"accept\"][1] eq \"*/*\"",
        "not any(http.request.headers[\"none\"][*] eq \"a\") and all(http.request.headers[\"none\"][*] eq \"a\")",
        "not any(http.request.headers[\"empty\"][*] ne \"a\") and all(http.request.headers[\"empty\"][*] eq \"a\")",
        "any(http.request.headers[\"accept\"][*] contains \"html\") and not all(http.request.headers[\"accept\"][*] contains \"html\")",
        "any(http.request.headers[*][*] eq \"MTIzYWJj\") and not any(http.request.headers[*][1] eq \"MTIzYWJj\")",
        "any(not http.request.headers[\"accept\"][*] contains \"html\")",
        "any(http.request.headers[\"accept\"][*] contains \"t\" and http.request.headers[\"accept\"][*] contains \"h\")",
        // Functions.
        "lower(upper(http.host)) eq \"www.example.com\" and upper(http.request.method) eq \"GET\"",
        "len(http.host) eq 15 and len(http.request.headers[\"accept\"]) eq 2",
        "starts_with(http.request.uri.path, \"/a/\") and ends_with(http.request.uri.path, \".php\")",
        "concat(http.host, \"!\", http.request.uri.path) eq \"www.example.com!/a/b.php\"",
        "substring(http.user_agent, 2, 5) eq \"dfg\" and substring(http.user_agent, 2) eq \"dfghjk\"",
        "substring(http.user_agent, -2) eq \"jk\" and substring(http.user_agent, 0, -2) eq \"asdfgh\"",
        "substring(http.user_agent, 9, 99) eq \"\" and substring(http.user_agent, -99, -99) eq \"\"",
        "remove_bytes(http.host, \"\\x2e\\x77\") eq \"examplecom\"",
        "any(decode_base64(http.request.headers[\"client_id\"][*])[*] eq \"123abc\")",
        "any(url_decode(http.request.headers[\"x\"][*])[*] eq \"%20\") and any(url_decode(http.request.headers[\"x\"][*])[*] eq \"a b\")",
        "any(url_decode(http.request.headers[\"x\"][*], \"r\")[*] eq \" \")",
        "lookup_json_string(http.request.body.raw, \"company\") eq \"cloudflare\"",
        "lookup_json_integer(http.request.body.raw, \"ids\", 1, \"id\") eq -5",
        "not lookup_json_integer(http.request.body.raw, \"half\") eq 42 and not lookup_json_string(http.request.body.raw, \"version\") eq \"2\"",
        "lookup_json_string(concat(http.referer, \"{\\\"a\\\":\\\"x\\\",\\\"a\\\":\\\"y\\\\u00e9\\\"}\"), \"a\") eq \"yé\"",
        "not lookup_json_string(concat(http.referer, \"{\\\"a\\\":\\\"x\\\"}]\"), \"a\") eq \"x\" and not lookup_json_integer(http.request.body.raw, \"ids\") eq 1",
        "cidr(ip.src, 24, 24) in {2001::} and cidr6(ip.src, 128) in {2001:0:130f::9c0:876a:130b}",
        "has_key(http.request.headers, \"accept\") and not has_key(http.request.headers, \"none\")",
        "has_value(http.request.headers[\"accept\"], \"*/*\") and not has_value(http.request.headers[\"accept\"], \"x\")",
        "join(http.request.headers[\"accept\"], \",\") eq \"text/html,*/*\"",
        "not is_timed_hmac_valid_v0(\"another key\", http.request.uri, 100000, http.request.timestamp.sec, 8)",
    ] {
        assert_eq!(judged(text), (Truth::True, Vec::new()), "{text}");
    }
}

#[test]
fn codes_of_messages_are_checked() {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, b"mysecretkey");
    let code = ring::hmac::sign(&key, b"/download/cat.jpg1484063787");
    let standard = data_encoding::BASE64
        .encode(code.as_ref())
        .replace('+', "%2B")
        .replace('/', "%2F")
        .replace('=', "%3D");
    let safe = data_encoding::BASE64URL_NOPAD.encode(code.as_ref());
    let holds = |uri: &str, rest: &str, now: i64| {
        let expression = Expression::reported(&format!(
            "is_timed_hmac_valid_v0(\"mysecretkey\", http.request.uri, 100, http.request.timestamp.sec, 8{rest})"
        ));
        let program = expression.compile().expect("it is parsed");
        let arena = Bump::new();
        let mut sample = Sample::unknown(&arena);
        sample.set("http.request.uri", Value::Bytes(uri.as_bytes()));
        sample.set("http.request.timestamp.sec", Value::Integer(now));
        program.evaluate(&sample)
    };
    let uri = format!("/download/cat.jpg?verify=1484063787-{standard}");
    assert_eq!(holds(&uri, "", 1_484_063_887), Truth::True);
    assert_eq!(holds(&uri, "", 1_484_063_888), Truth::False, "it is too old");
    assert_eq!(holds(&uri.replace("cat", "dog"), "", 1_484_063_787), Truth::False);
    let uri = format!("/download/cat.jpg?verify=1484063787-{safe}");
    assert_eq!(holds(&uri, ", \"s\"", 1_484_063_787), Truth::True);
    for broken in
        ["", "-", "1484063787-", "/x?verify=1484063787-%", &format!("?verify=1484063787-{safe}x")]
    {
        assert_eq!(holds(broken, "", 1_484_063_787), Truth::False, "{broken}");
        assert_eq!(holds(broken, ", \"s\"", 1_484_063_787), Truth::False, "{broken}");
    }
}

#[test]
fn what_is_not_told_is_named_only_where_it_matters() {
    let unknown = |text: &str| {
        let (truth, reasons) = judged(text);
        assert!(matches!(truth, Truth::Unknown(_)), "{text}");
        reasons
    };
    assert_eq!(
        unknown("cf.waf.score lt 20 or ip.src.country eq \"DE\""),
        ["cf.waf.score", "ip.src.country"]
    );
    assert_eq!(unknown("ssl and cf.waf.score lt 20"), ["cf.waf.score"]);
    assert_eq!(
        unknown("ip.src in $office and ip.src.country eq \"DE\""),
        ["the list $office", "ip.src.country"]
    );
    assert_eq!(
        unknown("any(http.request.body.form.values[*] contains \"x\")"),
        ["http.request.body.form.values"]
    );
    assert_eq!(unknown("is_jwt_valid(\"x\")"), ["is_jwt_valid()"]);
    assert_eq!(unknown("lower(http.request.body.mime) eq \"a\""), ["http.request.body.mime"]);
    assert_eq!(judged("cf.client.bot and cf.waf.score lt 20").0, Truth::False);
    assert_eq!(judged("ssl or cf.waf.score lt 20").0, Truth::True);
}

#[test]
fn lists_that_are_given_are_looked_up() {
    let lists = BTreeMap::from([(
        "office".to_owned(),
        ListItems {
            networks: vec!["2001::/16".parse().expect("it is one")],
            ..ListItems::default()
        },
    )]);
    let arena = Bump::new();
    let mut sample = sample(&arena);
    sample.set_lists(&lists);
    let program = Expression::reported("ip.src in $office").compile().expect("it is parsed");
    assert_eq!(program.evaluate(&sample), Truth::True);
}

/// Fields of single values that samples of the laws tell or do not tell.
const DRAWN: [&str; 4] = ["http.host", "http.request.method", "http.referer", "http.user_agent"];

fn condition() -> impl Strategy<Value = String> {
    let texts = prop_oneof!["a", "b", "ab", ""];
    let operators = prop_oneof![
        Just("eq"),
        Just("ne"),
        Just("contains"),
        Just("lt"),
        Just("wildcard"),
        Just("matches")
    ];
    let leaf = (prop::sample::select(&DRAWN[..]), operators, texts)
        .prop_map(|(field, operator, text)| format!("{field} {operator} \"{text}\""));
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| format!("not ({inner})")),
            (prop::collection::vec(inner, 2..4), prop_oneof![Just("and"), Just("or"), Just("xor")])
                .prop_map(|(parts, word)| format!("({})", parts.join(&format!(") {word} (")))),
        ]
    })
}

/// The truth of an expression for these values of the drawn fields; `None` is not told.
fn of_values(expression: &Expression, values: [Option<&'static str>; 4]) -> Truth {
    let program = expression.compile().expect("it is parsed");
    let arena = Bump::new();
    let mut sample = Sample::unknown(&arena);
    for (name, value) in DRAWN.iter().zip(values) {
        if let Some(value) = value {
            sample.set(name, Value::Bytes(value.as_bytes()));
        }
    }
    program.evaluate(&sample)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is known with a value missing is the same whatever the value is; all known gives a
    /// known result.
    #[test]
    fn a_known_result_does_not_depend_on_what_is_not_told(text in condition(), values in prop::array::uniform4(0usize..5)) {
        const TEXTS: [&str; 4] = ["", "a", "b", "ab"];
        let expression = Expression::reported(&text);
        let told = values.map(|n| TEXTS.get(n).copied());
        let partial = of_values(&expression, told);
        prop_assert!(told.contains(&None) || !matches!(partial, Truth::Unknown(_)), "{}", text);
        for filler in TEXTS {
            let full = of_values(&expression, told.map(|value| Some(value.unwrap_or(filler))));
            prop_assert!(matches!(partial, Truth::Unknown(_)) || partial == full, "{}", text);
        }
    }

    /// Negation negates, and the order of a chain makes no difference.
    #[test]
    fn laws_of_logic_hold(one in condition(), other in condition(), values in prop::array::uniform4(0usize..5)) {
        let told = values.map(|n| ["", "a", "b", "ab"].get(n).copied());
        let is = |text: &str| of_values(&Expression::reported(text), told);
        let as_known = |truth: Truth| match truth { Truth::Unknown(_) => None, truth => Some(truth == Truth::True) };
        prop_assert_eq!(is(&format!("not ({one})")), is(&one).negated());
        for word in ["and", "or", "xor"] {
            let straight = is(&format!("({one}) {word} ({other})"));
            prop_assert_eq!(as_known(straight), as_known(is(&format!("({other}) {word} ({one})"))));
        }
    }
}
