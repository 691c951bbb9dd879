//! Decides what an expression names: a page, hosts, clients. It reads the canonical form, so the
//! spelling does not matter.
//!
//! Two questions are answered. Does it match one page or one directory of one host, and nothing
//! else? And does it name a property that ordinary requests do not have, such as a path, a set of
//! addresses, or a method that browsers do not use? A negation names nothing, with one exception:
//! if a property has few ordinary values (`GET`, port 443), an expression that excludes all of them
//! names the others.
//!
//! # Sources
//! developers.cloudflare.com/bots/concepts/bot-score (1 to 29: automated or likely automated) and
//! developers.cloudflare.com/waf/detections/attack-score (1 to 20: attack), read 2026-11.

use crate::browsers::{BROWSER_HEADER_VALUES, BROWSER_HEADERS};
use crate::canonical::{CanonicalForm, CanonicalKind};
use crate::clients::{
    NamedAddresses, are_few, field_in_any_spelling, folded, is_no_browser, is_no_browser_accepted,
};
use crate::evaluate::Matcher;
use crate::pages::{is_path_field, says_something, segments, tells_pages_apart};
use crate::scope::truth;
use crate::syntax::{
    Base, ComparedValue, Comparison, Connective, Index, Item, Literal, NodeKind, Operand, Operator,
};

/// What an expression can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bound {
    /// Hosts.
    Host,
    /// Paths, or other parts of an address after the host.
    Path,
    /// Methods other than `GET`.
    Method,
    /// Clients: addresses, networks, countries, user agents, known bots.
    Client,
    /// Other properties that ordinary requests do not have.
    Content,
}

/// Texts that a pattern accepts if it accepts almost every text.
const ORDINARY_TEXTS: &[&str] = &["a", "e", "Z", "0", "1", "-", "abcdefgh", "12345678"];

/// Properties of every request, with the values that ordinary requests have.
const ORDINARY: &[(&str, &[&str], Bound)] = &[
    ("http.request.method", &["GET"], Bound::Method),
    ("http.request.version", &["HTTP/1.1", "HTTP/2", "HTTP/3"], Bound::Content),
    ("cf.tls_version", &["TLSv1.2", "TLSv1.3"], Bound::Content),
    ("cf.edge.server_port", &["443", "80"], Bound::Content),
];

/// The highest scores that detections give only to automated requests and attacks.
const SCORES: &[(&str, i64)] = &[("cf.bot_management.score", 29), ("cf.waf.score", 20)];

/// Returns true if an expression matches one page, or one directory with at least this many
/// segments, of one host, and nothing else.
pub(super) fn is_one_place(form: &CanonicalForm, least_segments: usize) -> bool {
    let parts = match &form.kind {
        CanonicalKind::Chain(Connective::And, parts) => parts.as_slice(),
        _ => std::slice::from_ref(form),
    };
    parts.iter().any(is_host) && parts.iter().any(|part| is_path(part, least_segments))
}

/// Returns the only text that a comparison accepts.
fn only_text(comparison: &Comparison) -> Option<&[u8]> {
    let literal = match (&comparison.right, comparison.operator) {
        (ComparedValue::Literal(literal), Operator::Equal) => literal,
        (ComparedValue::Set(items), Operator::In) => match items.as_slice() {
            [(Item::One(literal), _)] => literal,
            _ => return None,
        },
        _ => return None,
    };
    match literal {
        Literal::Bytes(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// Returns true if a part demands one host.
fn is_host(part: &CanonicalForm) -> bool {
    let CanonicalKind::Comparison(comparison) = &part.kind else { return false };
    field_in_any_spelling(&comparison.left) == Some("http.host") && only_text(comparison).is_some()
}

/// Returns true if a part demands one path, or a directory with enough segments.
pub(super) fn is_path(part: &CanonicalForm, least_segments: usize) -> bool {
    const PATH: &str = "http.request.uri.path";
    match &part.kind {
        CanonicalKind::Comparison(comparison) => {
            field_in_any_spelling(&comparison.left) == Some(PATH) && only_text(comparison).is_some()
        }
        CanonicalKind::Operand(operand) => prefix(operand)
            .is_some_and(|(field, text)| field == PATH && segments(text) >= least_segments),
        CanonicalKind::Chain(..) | CanonicalKind::Not(_) => false,
    }
}

/// Returns the field of `starts_with`, and the text with which it must begin.
pub(super) fn prefix(operand: &Operand) -> Option<(&str, &[u8])> {
    match (&operand.base, operand.arguments()) {
        (Base::Call(name, _), [field, prefix])
            if name == "starts_with" && operand.indexes.is_empty() =>
        {
            let (NodeKind::Operand(field), NodeKind::Operand(prefix)) = (&field.kind, &prefix.kind)
            else {
                return None;
            };
            match prefix.literal() {
                Some(Literal::Bytes(text)) => Some((field_in_any_spelling(field)?, text)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns true if one of these bounds names everything that an expression matches.
pub(super) fn names(form: &CanonicalForm, wanted: &[Bound]) -> bool {
    truth(form) == Some(false) || named(form, true, wanted).is_some()
}

/// Returns the addresses by which one of these bounds names everything that a part matches, or its
/// negation if `holds` is false; `None` if nothing names it.
pub(super) fn named(form: &CanonicalForm, holds: bool, wanted: &[Bound]) -> Option<NamedAddresses> {
    match &form.kind {
        CanonicalKind::Not(inner) => named(inner, !holds, wanted),
        CanonicalKind::Chain(Connective::Xor, _) => None,
        CanonicalKind::Chain(connective, parts) => {
            let parts = parts.iter().map(|part| named(part, holds, wanted));
            // The negation of a conjunction is a disjunction.
            if (*connective == Connective::And) == holds {
                NamedAddresses::of_all(parts)
            } else {
                NamedAddresses::of_any(parts)
            }
        }
        CanonicalKind::Comparison(comparison) => {
            of_comparison(comparison, holds).filter(|bound| wanted.contains(bound))?;
            match field_of_operand(&comparison.left) {
                Some("ip.src") => NamedAddresses::of_value(&comparison.right),
                _ => Some(NamedAddresses::default()),
            }
        }
        CanonicalKind::Operand(operand) => match part_of_any(operand) {
            Some(part) if holds => named(&part, true, wanted),
            Some(_) => None,
            None => of_operand(operand, holds, wanted).then(NamedAddresses::default),
        },
    }
}

/// Returns what `any` asks of the items of a list.
pub(super) fn part_of_any(operand: &Operand) -> Option<CanonicalForm> {
    match (&operand.base, operand.arguments()) {
        (Base::Call(name, _), [inner]) if name == "any" => CanonicalForm::of(inner),
        _ => None,
    }
}

/// Returns the field behind functions such as `lower`; a member of a map by the name of the map.
fn field_of_operand(operand: &Operand) -> Option<&str> {
    match &operand.base {
        Base::Field(name) => Some(name),
        Base::Call(name, arguments)
            if matches!(name.as_str(), "lower" | "upper" | "url_decode" | "remove_bytes") =>
        {
            match &arguments.first()?.kind {
                NodeKind::Operand(inner) => field_of_operand(inner),
                _ => None,
            }
        }
        Base::Call(..) | Base::Literal(_) => None,
    }
}

/// Returns what a comparison, or its negation, names.
fn of_comparison(comparison: &Comparison, holds: bool) -> Option<Bound> {
    let name = match field_of_operand(&comparison.left)? {
        "http.request.headers" => match header_of(&comparison.left) {
            Some("user-agent") => "http.user_agent",
            Some("host") => "http.host",
            Some(own) if BROWSER_HEADERS.contains(&own) || own.starts_with("sec-") => return None,
            Some(_) | None => "http.request.headers",
        },
        name => name,
    };
    if let Some((_, ordinary, bound)) = ORDINARY.iter().find(|(own, ..)| *own == name) {
        let is_out = ordinary
            .iter()
            .all(|value| accepts_value(comparison, value).is_some_and(|is_in| is_in != holds));
        return is_out.then_some(*bound);
    }
    let is_equal = match comparison.operator {
        Operator::NotEqual => !holds,
        _ => holds,
    };
    if !is_equal {
        return None;
    }
    let text = match &comparison.right {
        ComparedValue::Literal(Literal::Bytes(text)) => Some(text.as_slice()),
        _ => None,
    };
    match name {
        "http.request.headers.names" if accepts_any(comparison, BROWSER_HEADERS) => None,
        "http.request.headers.values"
            if accepts_any(comparison, BROWSER_HEADER_VALUES) || !is_no_browser(comparison) =>
        {
            None
        }
        "ip.src" => NamedAddresses::of_value(&comparison.right).map(|_| Bound::Client),
        "ip.src.asnum" | "ip.geoip.asnum" => are_few(comparison).then_some(Bound::Client),
        // Visitors that are no verified bots have the empty category.
        "cf.verified_bot_category" if accepts_value(comparison, "") == Some(true) => None,
        "ip.src.country"
        | "ip.geoip.country"
        | "ip.src.continent"
        | "ip.geoip.continent"
        | "cf.verified_bot_category" => {
            matches!(comparison.operator, Operator::Equal | Operator::In | Operator::NotEqual)
                .then_some(Bound::Client)
        }
        "http.user_agent" => is_no_browser(comparison).then_some(Bound::Client),
        "http.response.code" => is_at_least(comparison, 400).then_some(Bound::Content),
        // The score is always 0 (developers.cloudflare.com/ruleset-engine/rules-language/fields,
        // read 2026-11).
        "cf.threat_score" => is_at_least(comparison, 1).then_some(Bound::Content),
        _ if is_path_field(name) => names_pages(comparison).then_some(Bound::Path),
        _ if highest_attack_score(name).is_some_and(|most| is_at_most(comparison, most)) => {
            Some(Bound::Content)
        }
        _ if is_pattern(comparison) && accepts_any(comparison, ORDINARY_TEXTS) => None,
        _ => names_text(comparison).then(|| of_text(name, text)).flatten(),
    }
}

/// Returns true if a comparison is with a pattern.
fn is_pattern(comparison: &Comparison) -> bool {
    matches!(comparison.operator, Operator::Matches | Operator::Wildcard | Operator::StrictWildcard)
}

/// Returns true if a comparison accepts one of these texts, or if that is unknown.
fn accepts_any(comparison: &Comparison, texts: &[&str]) -> bool {
    Matcher::new(comparison)
        .is_none_or(|matcher| texts.iter().any(|text| matcher.accepts(text.as_bytes())))
}

/// Returns the header whose values a comparison reads.
fn header_of(operand: &Operand) -> Option<&str> {
    let index = match &operand.base {
        Base::Field(_) => operand.indexes.first().map(|(index, _)| index),
        Base::Call(_, arguments) => match &arguments.first()?.kind {
            NodeKind::Operand(inner) => return header_of(inner),
            _ => None,
        },
        Base::Literal(_) => None,
    };
    match index? {
        Index::Key(key) => std::str::from_utf8(key).ok(),
        Index::Number(_) | Index::Each => None,
    }
}

/// Returns true if a comparison of the path names pages.
fn names_pages(comparison: &Comparison) -> bool {
    match comparison.operator {
        Operator::Contains | Operator::Matches | Operator::Wildcard | Operator::StrictWildcard => {
            let matcher = Matcher::new(comparison);
            tells_pages_apart(names_text(comparison), |path| {
                let path = folded(&comparison.left, path);
                // If this is unknown, the comparison is treated as the wider one.
                matcher.as_ref().is_none_or(|matcher| matcher.accepts(path.as_bytes()))
            })
        }
        _ => names_text(comparison),
    }
}

/// Returns what a text field names, if the text is meaningful.
fn of_text(name: &str, text: Option<&[u8]>) -> Option<Bound> {
    const CONTENT: &[&str] = &[
        "http.cookie",
        "http.referer",
        "http.request.headers",
        "http.request.cookies",
        "http.request.body",
        "http.request.uri.args",
        "http.x_forwarded_for",
        "cf.bot_management.ja",
        "cf.waf.score.class",
    ];
    match name {
        "http.host" => Some(Bound::Host),
        "http.request.full_uri" | "raw.http.request.full_uri" => {
            let text = text.unwrap_or_default();
            let address =
                text.windows(3).position(|w| w == b"://").map_or(text, |at| &text[at + 3..]);
            let path = address.iter().position(|byte| *byte == b'/').map(|at| &address[at..]);
            Some(if path.is_some_and(says_something) { Bound::Path } else { Bound::Host })
        }
        _ if name.trim_start_matches("raw.").starts_with("http.request.uri") => Some(Bound::Path),
        _ => CONTENT.iter().any(|start| name.starts_with(start)).then_some(Bound::Content),
    }
}

/// Returns the highest score of a detection that ordinary requests do not get.
fn highest_attack_score(name: &str) -> Option<i64> {
    let of = |(own, most): &(&str, i64)| {
        (name == *own || name.strip_prefix(own).is_some_and(|rest| rest.starts_with('.')))
            .then_some(*most)
    };
    SCORES.iter().find_map(of)
}

/// Returns true if a value of a property is accepted; `None` if that is unknown.
fn accepts_value(comparison: &Comparison, value: &str) -> Option<bool> {
    let is = |literal: &Literal| match literal {
        Literal::Bytes(text) => Some(text.as_slice() == value.as_bytes()),
        Literal::Integer(number) => Some(number.to_string() == value),
        Literal::Address(_) | Literal::Network(_) | Literal::Truth(_) | Literal::Unquoted(_) => {
            None
        }
    };
    match (&comparison.right, comparison.operator) {
        (ComparedValue::Literal(literal), Operator::Equal) => is(literal),
        (ComparedValue::Literal(literal), Operator::NotEqual) => is(literal).map(|equal| !equal),
        (ComparedValue::Set(items), Operator::In) => {
            let mut accepts_any = false;
            for (item, _) in items {
                accepts_any |= match item {
                    Item::One(literal) => is(literal)?,
                    Item::Range(Literal::Integer(first), Literal::Integer(last)) => {
                        (*first..=*last).contains(&value.parse().ok()?)
                    }
                    Item::Range(..) => return None,
                };
            }
            Some(accepts_any)
        }
        _ => None,
    }
}

/// Returns true if no number above this is accepted.
fn is_at_most(comparison: &Comparison, most: i64) -> bool {
    match (&comparison.right, comparison.operator) {
        (ComparedValue::Literal(Literal::Integer(n)), Operator::Less) => *n <= most + 1,
        (ComparedValue::Literal(Literal::Integer(n)), Operator::LessOrEqual | Operator::Equal) => {
            *n <= most
        }
        (ComparedValue::Set(items), Operator::In) => items.iter().all(|(item, _)| match item {
            Item::One(Literal::Integer(n)) | Item::Range(_, Literal::Integer(n)) => *n <= most,
            Item::One(_) | Item::Range(..) => false,
        }),
        _ => false,
    }
}

/// Returns true if no number below this is accepted.
fn is_at_least(comparison: &Comparison, least: i64) -> bool {
    match (&comparison.right, comparison.operator) {
        (ComparedValue::Literal(Literal::Integer(n)), Operator::Greater) => *n >= least - 1,
        (
            ComparedValue::Literal(Literal::Integer(n)),
            Operator::GreaterOrEqual | Operator::Equal,
        ) => *n >= least,
        (ComparedValue::Set(items), Operator::In) => items.iter().all(|(item, _)| match item {
            Item::One(Literal::Integer(n)) | Item::Range(Literal::Integer(n), _) => *n >= least,
            Item::One(_) | Item::Range(..) => false,
        }),
        _ => false,
    }
}

/// Returns true if a comparison with a text names something. A pattern needs more than
/// placeholders, and a value must not be empty.
fn names_text(comparison: &Comparison) -> bool {
    let is_value = |literal: &Literal| matches!(literal, Literal::Bytes(text) if !text.is_empty());
    match (&comparison.right, comparison.operator) {
        (ComparedValue::Literal(literal), Operator::Equal | Operator::NotEqual) => {
            is_value(literal)
        }
        (ComparedValue::Set(items), Operator::In) => {
            items.iter().all(|(item, _)| matches!(item, Item::One(literal) if is_value(literal)))
        }
        (ComparedValue::List(_), _) => true,
        (
            ComparedValue::Literal(Literal::Bytes(text)),
            Operator::Contains | Operator::Matches | Operator::Wildcard | Operator::StrictWildcard,
        ) => says_something(text),
        _ => false,
    }
}

/// Returns true if a boolean, or its negation, names something.
fn of_operand(operand: &Operand, holds: bool, wanted: &[Bound]) -> bool {
    if !holds {
        return false;
    }
    match (&operand.base, operand.arguments()) {
        (Base::Field(name), _) => {
            let bound = match name.as_str() {
                "cf.client.bot"
                | "cf.bot_management.verified_bot"
                | "ip.src.is_in_european_union"
                | "ip.geoip.is_in_european_union" => Some(Bound::Client),
                _ if name.starts_with("cf.waf.") => Some(Bound::Content),
                _ => None,
            };
            bound.is_some_and(|bound| wanted.contains(&bound))
        }
        (Base::Call(name, _), [left, right]) if name == "starts_with" || name == "ends_with" => {
            let (NodeKind::Operand(left), NodeKind::Operand(right)) = (&left.kind, &right.kind)
            else {
                return false;
            };
            let (Some(name), Some(Literal::Bytes(text))) =
                (field_of_operand(left), right.literal())
            else {
                return false;
            };
            let is_start = matches!(&operand.base, Base::Call(name, _) if name == "starts_with");
            let (says, text_of) = (says_something(text), |path: &str| match is_start {
                true => path.as_bytes().starts_with(text),
                false => path.as_bytes().ends_with(text),
            });
            let bound = match name {
                "http.user_agent" => {
                    let accepts = |browser: &str| text_of(&folded(left, browser));
                    let has_digits = text.iter().any(u8::is_ascii_digit);
                    (says && is_no_browser_accepted(has_digits, accepts)).then_some(Bound::Client)
                }
                _ if is_path_field(name) => tells_pages_apart(says, text_of).then_some(Bound::Path),
                _ => of_text(name, Some(text)).filter(|_| says),
            };
            bound.is_some_and(|bound| wanted.contains(&bound))
        }
        (Base::Call(..) | Base::Literal(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Expression;

    #[test]
    fn one_place_is_one_host_and_one_page_or_directory() {
        for (text, expected) in [
            (r#"http.host eq "a.example" and http.request.uri.path eq "/search""#, true),
            (
                r#"(http.request.uri.path == "/a") && (http.host == "a.example") && not cf.client.bot"#,
                true,
            ),
            (
                r#"http.host in {"a.example"} and starts_with(http.request.uri.path, "/shop/search")"#,
                true,
            ),
            (r#"http.host eq "a.example" and starts_with(http.request.uri.path, "/shop/")"#, false),
            (
                r#"http.host eq "a.example" and starts_with(http.request.uri.path, "/shop//")"#,
                false,
            ),
            (
                r#"http.host eq "a.example" and starts_with(http.request.uri.path, "/shop/../")"#,
                false,
            ),
            (
                r#"http.host eq "a.example" and starts_with(http.request.uri.path, "/shop/%2e%2e/")"#,
                false,
            ),
            (r#"http.host eq "a.example" and starts_with(http.request.uri.path, "//")"#, false),
            (
                r#"http.host eq "a.example" and starts_with(http.request.uri.path, "/shop/..;/")"#,
                false,
            ),
            (
                r#"http.host eq "a.example" and starts_with(http.request.uri.path, "/shop/;")"#,
                false,
            ),
            (
                r#"http.host eq "a.example" and starts_with(http.request.uri.path, "/shop/\\..\\a")"#,
                false,
            ),
            (r#"http.host eq "a.example" or http.request.uri.path eq "/search""#, false),
            (
                r#"http.host eq "a.example" and (http.request.uri.path eq "/a" or http.request.uri.path eq "/b")"#,
                false,
            ),
            (r#"http.host eq "a.example" and http.request.uri.path in {"/a" "/b"}"#, false),
            (r#"http.host in {"a.example" "b.example"} and http.request.uri.path eq "/a""#, false),
            (r#"http.host eq "a.example" and http.request.uri.path contains "/a/b/c""#, false),
            (r#"http.host eq "a.example" and not http.request.uri.path eq "/a""#, false),
            (r#"http.host eq "a.example" and http.request.uri.path ne "/a""#, false),
            (r#"not (http.host eq "a.example" and http.request.uri.path eq "/a")"#, false),
            (r#"http.host contains "a" and http.request.uri.path eq "/a""#, false),
            (r#"http.host eq "a.example" xor http.request.uri.path eq "/a""#, false),
            (r#"http.request.uri.path eq "/a""#, false),
            ("true", false),
            ("", false),
        ] {
            assert_eq!(Expression::reported(text).is_one_place(2), expected, "{text}");
        }
    }

    #[test]
    fn what_is_named() {
        use Bound::{Client, Content, Host, Method, Path};
        let networks: Vec<String> = (1..=223).map(|n| format!("{n}.0.0.0/8")).collect();
        let every_network = format!("ip.src in {{{}}}", networks.join(" "));
        for (text, expected) in [
            (r#"http.host eq "a.example""#, Some(Host)),
            (r#"lower(http.host) eq "a.example" and ssl"#, Some(Host)),
            (r#"http.host contains ".""#, None),
            (r#"not http.host eq "a.example""#, None),
            (r#"not http.host ne "a.example""#, Some(Host)),
            (r#"starts_with(http.request.uri.path, "/admin")"#, Some(Path)),
            (r#"starts_with(http.request.uri.path, "/")"#, None),
            (r#"not starts_with(http.request.uri.path, "/admin")"#, None),
            (r#"http.request.uri.path matches "^/(a|b)/""#, Some(Path)),
            (r#"http.request.uri.path wildcard "/*""#, None),
            (r#"http.request.uri.query contains "union""#, Some(Path)),
            (r#"http.request.full_uri wildcard "https://*.a.example/*""#, Some(Host)),
            (r#"http.request.full_uri wildcard "https://a.example/login*""#, Some(Path)),
            (r#"http.request.method eq "POST""#, Some(Method)),
            (r#"http.request.method eq "GET""#, None),
            (r#"not http.request.method in {"GET" "HEAD" "POST"}"#, Some(Method)),
            (r#"not http.request.method in {"POST"}"#, None),
            (r#"http.request.method ne "GET""#, Some(Method)),
            ("ip.src in {192.0.2.0/24 2001:db8::/32}", Some(Client)),
            ("ip.src in {0.0.0.0/0}", None),
            ("ip.src in {0.0.0.0..255.255.255.255}", None),
            ("not ip.src in {192.0.2.0/24}", None),
            ("ip.src ne 192.0.2.1", None),
            ("ip.src in $office", Some(Client)),
            ("not ip.src in $office", None),
            ("ip.src.asnum in {64496 64511}", Some(Client)),
            ("ip.src.asnum in {1..4294967294}", None),
            ("ip.src.asnum gt 0", None),
            (r#"ip.src.country in {"T1" "XX"}"#, Some(Client)),
            (r#"not ip.src.country in {"DE"}"#, None),
            (r#"ip.src.country ne "DE""#, None),
            (r#"http.user_agent contains "sqlmap""#, Some(Client)),
            (r#"http.user_agent eq """#, Some(Client)),
            (r#"http.user_agent contains "Mozilla""#, None),
            (r#"lower(http.user_agent) contains "mozilla""#, None),
            (r#"http.user_agent wildcard "*applewebkit*""#, None),
            (r#"http.user_agent contains "x""#, None),
            (r#"http.user_agent contains "zgrab""#, Some(Client)),
            (r#"starts_with(http.user_agent, "Mozilla/5.0 (")"#, None),
            (r#"starts_with(lower(http.user_agent), "mozilla")"#, None),
            (r#"ends_with(http.user_agent, "Firefox/140.0")"#, None),
            (r#"starts_with(http.user_agent, "Safari")"#, Some(Client)),
            (r#"http.user_agent matches "Chrome|Firefox|Safari""#, None),
            (r#"http.user_agent matches "[a-z]""#, None),
            (r#"http.user_agent matches "(?i)mozilla""#, None),
            (r#"http.user_agent matches "Chrom(e|ium)""#, None),
            (r#"http.user_agent matches "monitor|mozilla""#, Some(Client)),
            (r#"http.user_agent matches "monitor|Mozilla""#, None),
            (r#"http.user_agent matches "^Mozilla/5\.0""#, None),
            (r#"http.user_agent matches "^curl/""#, Some(Client)),
            (r#"http.user_agent contains "Edg/""#, None),
            (r#"http.user_agent contains "iPad""#, None),
            (r#"http.user_agent contains "Chrome/142""#, None),
            (r#"http.user_agent contains "Chrome/80""#, Some(Client)),
            (
                r#"http.user_agent in {"curl" "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"}"#,
                None,
            ),
            (r#"http.cookie matches "[a-z]""#, None),
            (r#"http.cookie matches "session=[a-z]+""#, Some(Content)),
            (r#"any(http.request.headers.values[*] contains "a")"#, None),
            (r#"any(http.request.headers.values[*] eq "s3cret")"#, Some(Content)),
            (r#"cf.verified_bot_category eq """#, None),
            (r#"cf.verified_bot_category in {"" "Search Engine Crawler"}"#, None),
            (r#"cf.verified_bot_category eq "Search Engine Crawler""#, Some(Client)),
            (&every_network, None),
            ("ip.src.asnum in {1..60000 70000..130000}", None),
            (r#"http.user_agent contains "Chrome""#, None),
            (r#"starts_with(http.user_agent, "Mozilla/5.0 (iPhone")"#, None),
            ("cf.client.bot", Some(Client)),
            ("not cf.client.bot", None),
            ("cf.threat_score gt 5", Some(Content)),
            ("cf.threat_score ge 0", None),
            ("ip.src.is_in_european_union", Some(Client)),
            ("not ip.src.is_in_european_union", None),
            (r#"http.request.uri.path contains "/.""#, Some(Path)),
            (r#"http.request.uri.path contains "//""#, Some(Path)),
            (r#"http.request.uri.path contains ".""#, None),
            (r#"http.request.uri.path contains "/""#, None),
            (r#"http.request.uri.path contains "e""#, None),
            (r#"http.request.uri.path matches "[a-z]""#, None),
            (r#"http.request.uri.path matches "^/[a-z]+""#, None),
            (r#"upper(http.request.uri.path) matches "[A-Z]""#, None),
            (r#"http.request.uri.path matches "\\.(php|asp)$""#, Some(Path)),
            (r#"http.request.uri wildcard "/*/*""#, None),
            (r#"http.request.uri wildcard "/admin/*""#, Some(Path)),
            (r#"ends_with(http.request.uri.path, ".js")"#, Some(Path)),
            (r#"any(http.request.headers["user-agent"][*] contains "Mozilla")"#, None),
            (r#"any(http.request.headers["user-agent"][*] contains "sqlmap")"#, Some(Client)),
            (r#"any(http.request.headers["accept"][*] contains "text/html")"#, None),
            (r#"any(http.request.headers["host"][*] eq "a.example")"#, Some(Host)),
            ("cf.bot_management.score lt 30 and not cf.bot_management.verified_bot", Some(Content)),
            ("cf.bot_management.score lt 99", None),
            ("cf.waf.score le 20", Some(Content)),
            ("cf.waf.score.sqli lt 90", None),
            (r#"any(http.request.headers["x-evil"][*] eq "1")"#, Some(Content)),
            (r#"not any(http.request.headers["x-key"][*] eq "1")"#, None),
            (r#"http.referer contains "spam.example""#, Some(Content)),
            (r#"http.referer eq """#, None),
            ("not cf.edge.server_port in {80 443}", Some(Content)),
            ("cf.edge.server_port in {443}", None),
            ("http.response.code in {401 403}", Some(Content)),
            ("http.response.code lt 500", None),
            (r#"http.host eq "a.example" or ip.src in {192.0.2.1}"#, None),
            ("ssl", None),
            ("true", None),
        ] {
            let all = [Host, Path, Method, Client, Content];
            let named: Vec<Bound> = all
                .into_iter()
                .filter(|bound| Expression::reported(text).names(&[*bound]))
                .collect();
            assert_eq!(named, expected.into_iter().collect::<Vec<_>>(), "{text}");
        }
        let either = Expression::reported(r#"http.host eq "a.example" or ip.src in {192.0.2.1}"#);
        assert!(either.names(&[Host, Client]) && !either.names(&[Host]));
        assert!(Expression::reported("false").names(&[Host]));
    }
}
