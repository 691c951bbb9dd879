//! Valid and invalid expressions, with place and reason.

use super::*;

/// The context of a zone's custom rules.
const CUSTOM: Surroundings<'static> =
    Surroundings { is_account: false, phase: "http_request_firewall_custom", has_response: false };

#[test]
fn what_is_read() {
    for good in [
        "true",
        "not ssl",
        "http.request.uri.path eq coalesce(http.request.uri.args[\"a\"][0], \"/\")",
        "hash_in_range(0, 100, cf.random_seed) < coalesce(lookup_json_integer(cf.hostname.metadata, \"a\"), 0)",
        "!(ssl)",
        "(http.host eq \"a.example\" and not ip.src in {192.0.2.0/24 2001:db8::/32 ::1..::5}) or ssl",
        "http.request.uri.path matches r#\"^/a\"#",
        "http.request.uri.path ~ \"^/\\d\"",
        "http.host strict wildcard \"*.example\" xor http.host wildcard \"x*\"",
        "starts_with(lower(http.request.uri.path), \"/a\")",
        "any(http.request.headers[\"x-a\"][*] contains \"b\")",
        "http.request.headers[\"x\"][0] eq \"a\"",
        "any(lower(http.request.headers.names[*]) eq \"x\")",
        "len(http.request.uri.args.names) gt 3",
        "ip.src.asnum in {1 2..5} || ip.src in $office",
        "http.request.uri.path in {\"/a\" \"/b\"}",
        "cf.bot_management.score lt 30 && !cf.client.bot",
        "cidr(ip.src, 24, 64) eq 192.0.2.0",
        "substring(http.host, 0, 3) eq \"www\"",
    ] {
        assert_eq!(parse_expression(good, CUSTOM).err(), None, "{good}");
    }
}

#[test]
fn what_is_not_read() {
    for (bad, column, reason) in [
        ("URI Path contains /", 0, "unknown identifier"),
        ("http.hots eq \"a\"", 0, "unknown identifier"),
        ("http.host eq 'a'", 13, "expected literal of type Bytes"),
        ("http.host eq a", 13, "expected literal of type Bytes"),
        ("http.host eq", 12, "expected literal of type Bytes"),
        ("http.host eq \"a", 13, "expected literal of type Bytes"),
        ("http.host eq \"a\" AND ssl", 17, "unrecognised input"),
        ("http.host eq \"a\" and", 20, "expected an expression"),
        ("(ssl", 4, "expected `)`"),
        ("ssl)", 3, "unrecognised input"),
        ("ip.src not in {192.0.2.1}", 7, "unrecognised input"),
        (
            "ip.src in {192.0.2.1, 192.0.2.2}",
            20,
            "invalid digit found in string while parsing with radix 16",
        ),
        ("ip.src in {}", 12, "expected literal in the set"),
        ("ip.src in {192.0.2.0/33}", 11, "expected literal of type Ip"),
        ("ip.src contains \"1\"", 7, "cannot perform this operation on type Ip"),
        ("ip.src eq \"192.0.2.1\"", 10, "expected literal of type Ip"),
        ("ip.src.asnum eq \"1\"", 16, "expected literal of type Int"),
        ("ssl eq true", 4, "unrecognised input"),
        ("http.host", 0, "expected value of type Bool, but got Bytes"),
        ("ssl and http.host", 8, "expected value of type Bool, but got Bytes"),
        ("not http.host", 0, "expected value of type Bool, but got Bytes"),
        ("http.request.headers[\"x\"][*] eq \"a\"", 0, "expected value of type Bool, but got Bool"),
        ("http.request.headers[0] eq \"a\"", 21, "cannot index type Map(Array(Bytes))"),
        ("cf.zone.plan eq \"ENT\"", 0, "unknown identifier"),
        ("http.response.code eq 404", 0, "unknown identifier"),
        ("lower(ip.src) eq \"a\"", 6, "expected argument value of another type than Ip"),
        ("lower() eq \"a\"", 8, "too few arguments of lower"),
        ("lower(http.host, 1) eq \"a\"", 17, "too many arguments of lower"),
        ("sha256(http.host) eq \"a\"", 0, "unknown identifier"),
        (
            "concat(http.host, \"a\") eq concat(http.host)",
            26,
            "the function concat can be used only once",
        ),
        (
            "concat(http.host, \"x\") eq \"a\" or concat(http.host) eq \"b\"",
            33,
            "the function concat can be used only once",
        ),
        ("http.host wildcard \"a**\"", 19, "the wildcard pattern has two asterisks in a row"),
        ("http.request.uri.path starts_with \"/a\"", 22, "unrecognised input"),
    ] {
        let fault = parse_expression(bad, CUSTOM).unwrap_err();
        assert_eq!((fault.column, fault.reason.as_str()), (column, reason), "{bad}");
    }
}

#[test]
fn accounts_have_fields_of_their_own() {
    let account = Surroundings { is_account: true, ..CUSTOM };
    assert!(parse_expression("cf.zone.plan eq \"ENT\"", account).is_ok());
}

#[test]
fn counting_looks_at_responses() {
    let counting = Surroundings { phase: "http_ratelimit", has_response: true, ..CUSTOM };
    assert!(parse_expression("http.response.code eq 403", counting).is_ok());
    assert!(
        parse_expression(
            "http.response.code eq 403",
            Surroundings { has_response: false, ..counting }
        )
        .is_err()
    );
}

#[test]
fn brackets_do_not_break_it() {
    let deep = format!("{}ssl{}", "(".repeat(2000), ")".repeat(2000));
    assert_eq!(parse_expression(&deep, CUSTOM).unwrap_err().reason, "nesting limit exceeded");
    assert!(parse_expression("((((ssl))))", CUSTOM).is_ok());
}

#[test]
fn uses_are_noted() {
    let uses = parse_expression("http.host matches \"a\" and cf.waf.score lt 9", CUSTOM).unwrap();
    assert!(uses.has_regex);
    assert!(uses.names.iter().any(|(name, _)| *name == "cf.waf.score"));
}
