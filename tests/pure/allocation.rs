//! Expressions are evaluated without heap allocation: values derived from a request are in an
//! arena, which is reset after each request.

use bumpalo::Bump;
use zonewright::model::expression::{Expression, ListItems, Lists, Program, Truth};
use zonewright::model::request::{Given, Request};
use zonewright::recorded::parse_curl;

/// Returns the programs of expressions of every form, and of each function.
fn programs() -> Vec<Program> {
    let good = include_str!("../../crates/expression/tests/cases/good.txt").split("\n\n").map(
        |paragraph| {
            let lines: Vec<&str> =
                paragraph.lines().filter(|line| !line.starts_with('#')).collect();
            lines.join("\n").trim().to_owned()
        },
    );
    let more = [
        "raw.http.request.uri eq \"a\" or raw.http.request.full_uri wildcard \"*A*\" or http.request.uri.path.extension eq \"php\"",
        "any(lower(http.request.uri.args.names[*])[*] eq \"debug\") or any(http.request.uri.args[*][*] eq \"x\")",
        "any(http.request.cookies[\"id\"][*] eq \"1\") or any(http.request.headers.values[*] contains \"z\")",
        "any(url_decode(http.request.uri.args[\"q\"][*], \"ru\")[*] contains \"<\") or url_decode(http.request.uri) eq \"a\"",
        "lookup_json_string(http.request.body.raw, \"a\", 1, \"b\") eq \"c\" or lookup_json_integer(http.request.body.raw, \"n\") gt 3",
        "any(decode_base64(http.request.headers[\"x-api-key\"][*])[*] eq \"a\") or concat(http.host, 1, upper(http.cookie)) eq \"a\"",
        "join(http.request.headers[\"accept\"], \",\") eq \"a\" or remove_bytes(http.host, \"w\") eq \"\" or substring(http.host, 1) eq \"a\"",
        "cidr(ip.src, 24, 24) in {192.0.2.0} or has_value(http.request.headers, \"a\") or ip.src in $office",
        "is_timed_hmac_valid_v0(\"key\", http.request.uri, 100, http.request.timestamp.sec, 8) or len(http.request.uri) gt 99",
        "any(http.request.body.form.values[*] contains \"x\") or http.request.uri.path matches \"^/[a-z]+/(?i)ITEM/[0-9]+$\"",
    ];
    let texts = good.filter(|text| !text.is_empty()).chain(more.map(str::to_owned));
    texts.map(|text| Expression::reported(&text).compile().expect("it is one")).collect()
}

fn requests() -> Vec<Request> {
    let commands = [
        "curl 'https://www.example.com/Shop//item/%61/../1.PHP?q=%253cb%2525u003e+x&Debug=1&q=2' -H 'x-api-key: YQ==' -b 'theme=dark; i%64=1'",
        "curl https://www.example.com/login -d 'user=a&password=b%20c&user=d'",
        "curl https://api.example.com/v1/items -H 'content-type: application/json' -d '{\"a\": [1, {\"b\": \"c\"}], \"n\": 7}'",
    ];
    let request = |command: &str| {
        let mut request = parse_curl(command).expect("it is one");
        request.address = "203.0.113.9".parse().ok();
        request.fields.insert("ip.src.country".to_owned(), Given::Text("DE".to_owned()));
        request
            .fields
            .insert("http.request.timestamp.sec".to_owned(), Given::Integer(1_484_063_787));
        request
    };
    let mut all: Vec<Request> = commands.into_iter().map(request).collect();
    // An access log has fewer fields.
    all.push(Request::parse("GET https://www.example.com/a?b=c").expect("it is one"));
    all
}

#[test]
fn expressions_are_evaluated_without_allocation() {
    let (programs, requests) = (programs(), requests());
    let lists = Lists::from([("office".to_owned(), ListItems::default())]);
    let mut arena = Bump::new();
    let mut round = || {
        let mut matched = 0;
        for request in &requests {
            {
                let mut sample = request.sample(&arena);
                sample.set_lists(&lists);
                matched += programs
                    .iter()
                    .filter(|program| program.evaluate(&sample) == Truth::True)
                    .count();
            }
            arena.reset();
        }
        matched
    };
    // The arena and the caches of regular expressions grow in the first rounds.
    let matched = [round(), round(), round()];
    let mut again = 0;
    let counted = allocation_counter::measure(|| again = round());
    assert_eq!(matched, [again; 3]);
    assert!(again > 10, "only {again} expressions matched");
    assert_eq!(counted.count_total, 0, "{} bytes were allocated", counted.bytes_total);
}
