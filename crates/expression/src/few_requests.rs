//! Decides if an expression limits a rule to certain clients or to one page, so that arbitrary
//! clients cannot choose to match it everywhere. Clients and pages are those of `bounds`.
//!
//! Countries and continents do not count, because everyone in them is an arbitrary client. Scores
//! of detections do not count either, because they describe attacks.

use crate::bounds::{self, Bound};
use crate::canonical::{CanonicalForm, CanonicalKind};
use crate::clients::{NamedAddresses, field_in_any_spelling};
use crate::pages::{is_path_field, segments};
use crate::syntax::{
    Base, ComparedValue, Comparison, Connective, Item, Literal, NodeKind, Operand, Operator,
};

/// Fields by which a request shows who sends it. Other fields of [`Bound::Client`] and
/// [`Bound::Content`] do not.
const OF_CLIENTS: &[&str] = &[
    "ip.src",
    "ip.src.asnum",
    "ip.geoip.asnum",
    "cf.verified_bot_category",
    "cf.client.bot",
    "cf.bot_management.verified_bot",
    "http.user_agent",
    "http.cookie",
    "http.referer",
    "http.x_forwarded_for",
];

/// Families of such fields, by the beginning of their names.
const OF_CLIENTS_FROM: &[&str] =
    &["http.request.headers", "http.request.cookies", "cf.bot_management.ja"];

/// The beginning of the fields of client certificates.
const CERTIFICATE: &str = "cf.tls_client_auth.";

/// Characters that end the literal part of a `wildcard`.
const WILDCARD: &[u8] = b"*\\";

/// Characters that end the literal part of a pattern.
const PATTERN: &[u8] = b"*?.+()[]{}|\\$^";

/// Returns true if every match comes from certain clients, or requests one page or one directory.
pub(super) fn is_for_few(form: &CanonicalForm, least_segments: usize) -> bool {
    addresses_of_few(form, true, least_segments).is_some()
}

/// Returns the addresses that name the clients of every match, or of every other request if `holds`
/// is false; `None` if these requests are not few.
fn addresses_of_few(
    form: &CanonicalForm,
    holds: bool,
    least_segments: usize,
) -> Option<NamedAddresses> {
    let of = |part: &CanonicalForm, holds| addresses_of_few(part, holds, least_segments);
    match &form.kind {
        CanonicalKind::Not(inner) => of(inner, !holds),
        CanonicalKind::Chain(Connective::Xor, parts) => {
            // Negating one part negates the whole. If the whole holds, one of the parts does.
            let mut is_odd = holds;
            let parts = parts.iter().map(|part| {
                of(part, true).or_else(|| {
                    is_odd = !is_odd;
                    of(part, false)
                })
            });
            NamedAddresses::of_any(parts).filter(|_| is_odd)
        }
        CanonicalKind::Chain(connective, parts) => {
            let parts = parts.iter().map(|part| of(part, holds));
            if (*connective == Connective::And) == holds {
                NamedAddresses::of_all(parts)
            } else {
                NamedAddresses::of_any(parts)
            }
        }
        CanonicalKind::Comparison(_) | CanonicalKind::Operand(_) => {
            if let CanonicalKind::Operand(operand) = &form.kind
                && let Some(part) = bounds::part_of_any(operand)
            {
                return holds.then(|| of(&part, true)).flatten();
            }
            let required = if holds { Some(form.clone()) } else { unequal(form) };
            let is_place = |form: &CanonicalForm| {
                bounds::is_path(form, least_segments) || is_page(form, least_segments)
            };
            if required.is_some_and(|form| is_place(&form)) || (holds && is_certificate(form)) {
                return Some(NamedAddresses::default());
            }
            field_of(form).filter(|field| shows_the_client(field))?;
            bounds::named(form, holds, &[Bound::Client, Bound::Content])
        }
    }
}

/// Returns what must hold where a comparison with `ne` does not.
fn unequal(form: &CanonicalForm) -> Option<CanonicalForm> {
    match &form.kind {
        CanonicalKind::Comparison(comparison) if comparison.operator == Operator::NotEqual => {
            let equal = Comparison { operator: Operator::Equal, ..comparison.clone() };
            Some(CanonicalForm { kind: CanonicalKind::Comparison(equal), ..form.clone() })
        }
        _ => None,
    }
}

/// Returns true if a field shows who sends a request.
fn shows_the_client(field: &str) -> bool {
    OF_CLIENTS.contains(&field) || OF_CLIENTS_FROM.iter().any(|start| field.starts_with(start))
}

/// Returns the field that a part reads.
fn field_of(form: &CanonicalForm) -> Option<&str> {
    match &form.kind {
        CanonicalKind::Comparison(comparison) => field_of_operand(&comparison.left),
        CanonicalKind::Operand(operand) => field_of_operand(operand),
        CanonicalKind::Chain(..) | CanonicalKind::Not(_) => None,
    }
}

/// Returns the field that an operand reads, through functions.
fn field_of_operand(operand: &Operand) -> Option<&str> {
    match &operand.base {
        Base::Field(name) => Some(name),
        Base::Call(_, arguments) => match &arguments.first()?.kind {
            NodeKind::Operand(inner) => field_of_operand(inner),
            NodeKind::Comparison(comparison) => field_of_operand(&comparison.left),
            NodeKind::Chain(..) | NodeKind::Not(_) | NodeKind::Broken => None,
        },
        Base::Literal(_) => None,
    }
}

/// Returns true if a part demands a verified client certificate, or a property of one.
fn is_certificate(form: &CanonicalForm) -> bool {
    match &form.kind {
        CanonicalKind::Operand(operand) => {
            matches!(&operand.base, Base::Field(name) if name == "cf.tls_client_auth.cert_verified")
        }
        CanonicalKind::Comparison(comparison) => {
            let is_positive = matches!(comparison.operator, Operator::Equal | Operator::In);
            let is_empty = matches!(&comparison.right, ComparedValue::Literal(Literal::Bytes(text)) if text.is_empty());
            let field = comparison.left.plain_field();
            is_positive && !is_empty && field.is_some_and(|name| name.starts_with(CERTIFICATE))
        }
        CanonicalKind::Chain(..) | CanonicalKind::Not(_) => false,
    }
}

/// Returns true if a part demands one page, or a directory by a prefix or a pattern, in a field that
/// has the path.
fn is_page(form: &CanonicalForm, least_segments: usize) -> bool {
    let (field, text, operator) = match &form.kind {
        CanonicalKind::Operand(operand) => match bounds::prefix(operand) {
            Some((field, text)) => (field, text, Operator::StrictWildcard),
            None => return false,
        },
        CanonicalKind::Comparison(Comparison { left, operator, right, .. }) => {
            let Some(field) = field_in_any_spelling(left) else { return false };
            match right {
                ComparedValue::Literal(Literal::Bytes(text)) => (field, text.as_slice(), *operator),
                ComparedValue::Set(items) => {
                    return *operator == Operator::In
                        && items.iter().all(|(item, _)| match item {
                            Item::One(Literal::Bytes(text)) => is_one_page(field, text),
                            Item::One(_) | Item::Range(..) => false,
                        });
                }
                _ => return false,
            }
        }
        CanonicalKind::Chain(..) | CanonicalKind::Not(_) => return false,
    };
    let Some(path) = path_in(field, text) else { return false };
    // A placeholder before the path can stand for a path of its own.
    let directories = |special: &[u8]| {
        let literal = literal_start(text, special);
        path_in(field, literal).map_or(0, segments)
    };
    match (operator, &form.kind) {
        (Operator::Equal, _) => is_one_page(field, text),
        (_, CanonicalKind::Operand(_)) => segments(path) >= least_segments,
        (Operator::Wildcard | Operator::StrictWildcard, _) => {
            directories(WILDCARD) >= least_segments
        }
        (Operator::Matches, _) if is_path_field(field) => text
            .strip_prefix(b"^")
            .is_some_and(|path| segments(literal_start(path, PATTERN)) >= least_segments),
        _ => false,
    }
}

/// Returns the path in the value of a field; `None` if the field has none.
fn path_in<'t>(field: &str, text: &'t [u8]) -> Option<&'t [u8]> {
    if is_path_field(field) {
        return Some(text);
    }
    (field.trim_start_matches("raw.") == "http.request.full_uri").then(|| {
        let host = text.windows(3).position(|w| w == b"://").map_or(0, |at| at + 3);
        let slash = text[host..].iter().position(|byte| *byte == b'/');
        &text[slash.map_or(text.len(), |at| host + at)..]
    })
}

/// Returns true if a value of a field is that of one page. The address of a host's first page is
/// not.
fn is_one_page(field: &str, text: &[u8]) -> bool {
    let least = if is_path_field(field) { 1 } else { 2 };
    path_in(field, text).is_some_and(|path| path.len() >= least)
}

/// Returns the whole directories before the first special character of a pattern.
fn literal_start<'p>(pattern: &'p [u8], special: &[u8]) -> &'p [u8] {
    let end = pattern.iter().position(|byte| special.contains(byte)).unwrap_or(pattern.len());
    let literal = &pattern[..end];
    let has_alternatives = special.contains(&b'|') && pattern.contains(&b'|');
    match literal.iter().rposition(|byte| *byte == b'/') {
        _ if has_alternatives => &[],
        Some(slash) if end < pattern.len() => &literal[..slash],
        _ => literal,
    }
}

#[cfg(test)]
mod tests {
    use crate::Expression;

    /// As many of the widest networks as still name clients.
    const MOST_NETWORKS: &str = "ip.src in {10.0.0.0/8 11.0.0.0/8 12.0.0.0/8 13.0.0.0/8 14.0.0.0/8 \
         15.0.0.0/8 16.0.0.0/8 17.0.0.0/8 18.0.0.0/8 19.0.0.0/8 20.0.0.0/8 21.0.0.0/8 22.0.0.0/8 \
         23.0.0.0/8 24.0.0.0/8 25.0.0.0/8}";

    #[test]
    fn few_requests_are_those_of_certain_clients_or_of_one_page() {
        for (text, expected) in [
            ("true", false),
            ("ssl", false),
            ("ip.src in {192.0.2.0/24 2001:db8::1}", true),
            ("ip.src in $office", true),
            ("ip.src.asnum in {64496}", true),
            ("ip.src in {0.0.0.0/0 ::/0}", false),
            ("not ip.src in {192.0.2.1}", false),
            (r#"ip.src.country eq "DE""#, false),
            (r#"ip.src.continent eq "EU""#, false),
            ("cf.client.bot", true),
            ("not cf.client.bot", false),
            (r#"http.user_agent contains "monitor""#, true),
            (r#"http.user_agent contains "Mozilla""#, false),
            (r#"any(http.request.headers["x-key"][*] eq "1")"#, true),
            (r#"any(http.request.headers["accept"][*] contains "html")"#, false),
            (r#"http.cookie contains "session=abc""#, true),
            ("cf.tls_client_auth.cert_verified", true),
            ("not cf.tls_client_auth.cert_verified", false),
            (r#"cf.tls_client_auth.cert_fingerprint_sha256 eq "ab""#, true),
            ("cf.waf.score le 20", false),
            ("cf.threat_score gt 5", false),
            (r#"http.host eq "a.example""#, false),
            (r#"http.request.method eq "POST""#, false),
            (r#"http.request.uri.query contains "union""#, false),
            (r#"http.request.uri.path eq "/a""#, true),
            (r#"http.request.uri.path eq "/a" or http.request.uri.path eq "/b""#, true),
            (r#"http.request.uri.path eq "/a" or ssl"#, false),
            (r#"http.request.uri.path eq "/a" and ssl"#, true),
            (r#"starts_with(http.request.uri.path, "/a/b")"#, true),
            (r#"starts_with(http.request.uri.path, "/a/")"#, false),
            (r#"http.request.uri.path wildcard "/api/hook/*""#, true),
            (r#"http.request.uri.path wildcard "/api/*""#, false),
            (r#"http.request.uri.path matches "^/api/hook/[0-9]+$""#, true),
            (r#"http.request.uri.path matches "^/api/hook/a|b""#, false),
            (r#"http.request.uri.path contains "/api/hook""#, false),
            (r#"http.request.full_uri eq "https://a.example/x""#, true),
            (r#"http.request.full_uri eq "https://a.example/""#, false),
            (r#"http.request.full_uri wildcard "https://a.example/a/b/*""#, true),
            (r#"http.request.full_uri wildcard "https://a.example/a/*""#, false),
            (r#"http.request.full_uri wildcard "*/a/b/*""#, false),
            (r#"http.request.full_uri wildcard "https://*.a.example/a/b/*""#, false),
            (r#"http.request.full_uri wildcard "http*://a.example/a/b/*""#, false),
            (r#"http.request.full_uri wildcard "https://a.example*/a/b/*""#, false),
            (r#"http.request.uri.path in {"/a" "/b"}"#, true),
            (r#"http.request.uri.path in {"/a" "/"}"#, true),
            (r#"http.request.uri.path eq "/a" or http.request.uri.path eq "/""#, true),
            (r#"http.request.uri.path in {"/a" ""}"#, false),
            (r#"http.user_agent matches "Chrome|Firefox|Safari""#, false),
            (r#"http.user_agent matches "^monitor/""#, true),
            (r#"cf.verified_bot_category eq """#, false),
            (r#"ip.src in {192.0.2.1} or http.host eq "a.example""#, false),
            ("", false),
            // Where an odd number of conditions holds, one does.
            (r#"ip.src in {192.0.2.1} xor cf.client.bot"#, true),
            (r#"http.request.uri.path eq "/a" xor http.request.uri.path eq "/b""#, true),
            (r#"http.request.uri.path ne "/a" xor http.request.uri.path ne "/b""#, true),
            (r#"http.request.uri.path eq "/a" xor http.request.uri.path ne "/b""#, false),
            (r#"not (http.request.uri.path eq "/a" xor http.request.uri.path ne "/b")"#, true),
            (r#"not (http.request.uri.path eq "/a" xor http.request.uri.path eq "/b")"#, false),
            (r#"http.request.uri.path eq "/a" xor ssl"#, false),
            // Negations.
            (r#"not http.request.uri.path ne "/a""#, true),
            (r#"not (http.request.uri.path ne "/a" and http.request.uri.path ne "/b")"#, true),
            (r#"not (http.request.uri.path ne "/a" or ssl)"#, true),
            (r#"not (http.request.uri.path ne "/a" and ssl)"#, false),
            (r#"not (http.request.uri.path eq "/a")"#, false),
            (r#"not (not ip.src in {192.0.2.1})"#, true),
            (r#"not (not ip.src in {192.0.2.1} and not cf.client.bot)"#, true),
            (r#"not http.request.full_uri ne "https://a.example/x""#, true),
            ("not any(ip.src in {192.0.2.1})", false),
            // Prefixes.
            (r#"starts_with(http.request.uri, "/a/b/")"#, true),
            (r#"starts_with(raw.http.request.uri.path, "/a/b/")"#, true),
            (r#"starts_with(http.request.full_uri, "https://a.example/a/b/")"#, true),
            (r#"starts_with(http.request.full_uri, "https://a.example/a/")"#, false),
            (r#"starts_with(http.host, "/a/b/")"#, false),
            // In one case, or decoded, a path is a path.
            (r#"lower(http.request.uri.path) eq "/a""#, true),
            (r#"lower(http.request.uri.path) in {"/a" "/b"}"#, true),
            (r#"starts_with(lower(http.request.uri.path), "/a/b")"#, true),
            (r#"starts_with(lower(http.request.uri.path), "/a/")"#, false),
            (r#"lower(http.request.uri.path) matches "^/api/hook/[0-9]+$""#, true),
            (r#"url_decode(http.request.uri.path) eq "/a""#, true),
            (r#"lower(url_decode(http.request.uri.path, "ur")) in {"/a" "/b"}"#, true),
            (r#"starts_with(url_decode(http.request.uri.path), "/a/b/")"#, true),
            (r#"starts_with(url_decode(http.request.uri.path), "/a/")"#, false),
            (r#"lower(http.request.full_uri) wildcard "https://a.example/a/b/*""#, true),
            // Networks are added up, in one set or in several.
            (MOST_NETWORKS, true),
            ("ip.src in {10.0.0.0/8 11.0.0.0/8} or ip.src in {12.0.0.0/8}", true),
            (&format!("{MOST_NETWORKS} or ip.src in {{30.0.0.0/8}}"), false),
            (&format!("any({MOST_NETWORKS} or ip.src in {{30.0.0.0/8}})"), false),
            (&format!("any({MOST_NETWORKS} or ip.src in {{2001:db8::/32}})"), true),
            (&format!("({MOST_NETWORKS} and ssl) or (ip.src in {{30.0.0.0/8}} and ssl)"), false),
            (&format!("{MOST_NETWORKS} or (ip.src in {{30.0.0.0/8}} and cf.client.bot)"), true),
            (&format!("{MOST_NETWORKS} or not ip.src ne 30.0.0.1"), false),
            // Headers that browsers send anyway name no clients, whatever the value.
            (r#"any(http.request.headers["host"][*] contains "a.example")"#, false),
            (r#"any(http.request.headers["user-agent"][*] ne "")"#, false),
            (r#"any(http.request.headers["accept"][*] eq "*/*")"#, false),
            (r#"any(http.request.headers["sec-fetch-mode"][*] eq "navigate")"#, false),
            (r#"len(http.request.headers["accept"]) gt 0"#, false),
            (r#"any(http.request.headers.names[*] eq "user-agent")"#, false),
            (r#"any(http.request.headers.names[*] in {"x-key" "sec-fetch-site"})"#, false),
            (r#"any(http.request.headers.names[*] eq "x-key")"#, true),
            (r#"any(http.request.headers["user-agent"][*] contains "monitor")"#, true),
            (r#"http.user_agent ne """#, false),
        ] {
            assert_eq!(Expression::reported(text).is_for_few(2), expected, "{text}");
        }
    }
}
