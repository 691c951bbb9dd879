//! Decides if an expression limits a rule to certain clients or to one page, so that arbitrary
//! clients cannot choose to match it everywhere. Clients and pages are those of `bounds`.
//!
//! Countries and continents do not count, because everyone in them is an arbitrary client. Scores
//! of detections do not count either, because they describe attacks.

use crate::bounds::{self, Bound};
use crate::canonical::{CanonicalForm, CanonicalKind};
use crate::pages::{is_path_field, segments};
use crate::syntax::{
    Base, ComparedValue, Comparison, Connective, Literal, NodeKind, Operand, Operator,
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

/// Characters that end the literal part of a pattern.
const PATTERN: &[u8] = b"*?.+()[]{}|\\$^";

/// Returns true if every match comes from certain clients, or requests one page or one directory.
pub(super) fn is_for_few(form: &CanonicalForm, least_segments: usize) -> bool {
    match &form.kind {
        CanonicalKind::Chain(Connective::And, parts) => {
            parts.iter().any(|part| is_for_few(part, least_segments))
        }
        CanonicalKind::Chain(Connective::Or, parts) => {
            parts.iter().all(|part| is_for_few(part, least_segments))
        }
        CanonicalKind::Chain(Connective::Xor, _) => false,
        CanonicalKind::Comparison(_) | CanonicalKind::Operand(_) | CanonicalKind::Not(_) => {
            bounds::is_path(form, least_segments)
                || is_page(form, least_segments)
                || is_certificate(form)
                || field_of(form).is_some_and(shows_the_client)
                    && bounds::names(form, &[Bound::Client, Bound::Content])
        }
    }
}

/// Returns true if a field shows who sends a request.
fn shows_the_client(field: &str) -> bool {
    OF_CLIENTS.contains(&field) || OF_CLIENTS_FROM.iter().any(|start| field.starts_with(start))
}

/// Returns the field that a part reads.
fn field_of(form: &CanonicalForm) -> Option<&str> {
    match &form.kind {
        CanonicalKind::Not(inner) => field_of(inner),
        CanonicalKind::Comparison(comparison) => field_of_operand(&comparison.left),
        CanonicalKind::Operand(operand) => field_of_operand(operand),
        CanonicalKind::Chain(..) => None,
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

/// Returns true if a part demands one page in another field than the path, or a directory by a
/// pattern.
fn is_page(form: &CanonicalForm, least_segments: usize) -> bool {
    let CanonicalKind::Comparison(Comparison { left, operator, right, .. }) = &form.kind else {
        return false;
    };
    let Some(field) = left.plain_field() else { return false };
    let field = field.trim_start_matches("raw.");
    let ComparedValue::Literal(Literal::Bytes(text)) = right else { return false };
    let is_path = is_path_field(field);
    let path = match (is_path, field) {
        (true, _) => text.as_slice(),
        (false, "http.request.full_uri") => {
            let address = text
                .windows(3)
                .position(|w| w == b"://")
                .map_or(text.as_slice(), |at| &text[at + 3..]);
            address.iter().position(|byte| *byte == b'/').map_or(&[][..], |at| &address[at..])
        }
        (false, _) => return false,
    };
    match operator {
        Operator::Equal => path.len() > 1,
        Operator::Wildcard | Operator::StrictWildcard => {
            segments(literal_start(path)) >= least_segments
        }
        Operator::Matches if is_path => path
            .strip_prefix(b"^")
            .is_some_and(|path| segments(literal_start(path)) >= least_segments),
        _ => false,
    }
}

/// Returns the whole directories before the first special character of a pattern.
fn literal_start(pattern: &[u8]) -> &[u8] {
    let end = pattern.iter().position(|byte| PATTERN.contains(byte)).unwrap_or(pattern.len());
    let literal = &pattern[..end];
    let has_alternatives = pattern.contains(&b'|');
    match literal.iter().rposition(|byte| *byte == b'/') {
        _ if has_alternatives => &[],
        Some(slash) if end < pattern.len() => &literal[..slash],
        _ => literal,
    }
}

#[cfg(test)]
mod tests {
    use crate::Expression;

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
            (r#"ip.src in {192.0.2.1} or http.host eq "a.example""#, false),
            (r#"ip.src in {192.0.2.1} xor cf.client.bot"#, false),
            ("", false),
        ] {
            assert_eq!(Expression::reported(text).is_for_few(2), expected, "{text}");
        }
    }
}
