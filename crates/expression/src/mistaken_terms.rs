//! Common mistakes and the language's equivalents: labels of the dashboard, operators of other
//! languages, misnamed fields and functions. Contains only tables and their look-up.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/operators (operator labels of the
//! dashboard) and …/fields/reference (field labels), read 2026-11-20; the rest are our own guesses
//! at common mistakes.

use crate::syntax::Operator;

/// The meaning of a phrase used for an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Operator(Operator),
    /// A function with two text arguments.
    Function(&'static str),
}

/// Words for operators in lower case, their meaning, and true if it is negated. Longer ones come
/// first.
#[rustfmt::skip]
const PHRASES: &[(&[&str], Meaning, bool)] = {
    use Meaning::{Function as F, Operator as O};
    use Operator::{Contains, Equal, Greater, GreaterOrEqual, In, Less, LessOrEqual, Matches, NotEqual};
    &[
        (&["is", "not", "in", "list"], O(In), true),
        (&["does", "not", "start", "with"], F("starts_with"), true),
        (&["does", "not", "end", "with"], F("ends_with"), true),
        (&["does", "not", "match", "regex"], O(Matches), true),
        (&["is", "in", "list"], O(In), false),
        (&["is", "one", "of"], O(In), false),
        (&["is", "not", "in"], O(In), true),
        (&["is", "equal", "to"], O(Equal), false),
        (&["is", "greater", "than"], O(Greater), false),
        (&["is", "less", "than"], O(Less), false),
        (&["does", "not", "equal"], O(NotEqual), false),
        (&["does", "not", "contain"], O(Contains), true),
        (&["does", "not", "match"], O(Matches), true),
        (&["in", "list"], O(In), false),
        (&["is", "in"], O(In), false),
        (&["is", "not"], O(NotEqual), false),
        (&["not", "in"], O(In), true),
        (&["not", "eq"], O(Equal), true),
        (&["not", "equals"], O(Equal), true),
        (&["not", "contains"], O(Contains), true),
        (&["not", "matches"], O(Matches), true),
        (&["not", "starts_with"], F("starts_with"), true),
        (&["not", "ends_with"], F("ends_with"), true),
        (&["starts", "with"], F("starts_with"), false),
        (&["begins", "with"], F("starts_with"), false),
        (&["ends", "with"], F("ends_with"), false),
        (&["greater", "than"], O(Greater), false),
        (&["less", "than"], O(Less), false),
        (&["matches", "regex"], O(Matches), false),
        (&["not_in"], O(In), true),
        (&["not_contains"], O(Contains), true),
        (&["starts_with"], F("starts_with"), false),
        (&["startswith"], F("starts_with"), false),
        (&["begins_with"], F("starts_with"), false),
        (&["ends_with"], F("ends_with"), false),
        (&["endswith"], F("ends_with"), false),
        (&["equals"], O(Equal), false),
        (&["equal"], O(Equal), false),
        (&["is"], O(Equal), false),
        (&["neq"], O(NotEqual), false),
        (&["lte"], O(LessOrEqual), false),
        (&["gte"], O(GreaterOrEqual), false),
        (&["contain"], O(Contains), false),
        (&["includes"], O(Contains), false),
        (&["has"], O(Contains), false),
        (&["like"], O(Operator::Wildcard), false),
        (&["match"], O(Matches), false),
        (&["regex"], O(Matches), false),
    ]
};

/// Number of words of the longest phrase.
pub(super) const PHRASE_WORDS: usize = 4;

/// Returns the meaning of the phrase at the beginning of several words, and its number of words.
pub(super) fn operator(words: &[String]) -> Option<(Meaning, bool, usize)> {
    let begins = |phrase: &[&str]| {
        words.len() >= phrase.len() && phrase.iter().zip(words).all(|(p, w)| p == w)
    };
    PHRASES
        .iter()
        .find(|(phrase, ..)| begins(phrase))
        .map(|(phrase, meaning, denied)| (*meaning, *denied, phrase.len()))
}

/// Labels of the dashboard, in lower case, with their fields. Longer ones come first.
#[rustfmt::skip]
const LABELS: &[(&[&str], &str)] = &[
    (&["ip", "source", "address"], "ip.src"),
    (&["uri", "query", "string"], "http.request.uri.query"),
    (&["waf", "attack", "score"], "cf.waf.score"),
    (&["verified", "bot", "category"], "cf.verified_bot_category"),
    (&["uri", "full"], "http.request.full_uri"),
    (&["uri", "path"], "http.request.uri.path"),
    (&["url", "path"], "http.request.uri.path"),
    (&["query", "string"], "http.request.uri.query"),
    (&["request", "method"], "http.request.method"),
    (&["user", "agent"], "http.user_agent"),
    (&["http", "version"], "http.request.version"),
    (&["as", "num"], "ip.src.asnum"),
    (&["attack", "score"], "cf.waf.score"),
    (&["bot", "score"], "cf.bot_management.score"),
    (&["threat", "score"], "cf.threat_score"),
    (&["known", "bots"], "cf.client.bot"),
    (&["verified", "bot"], "cf.bot_management.verified_bot"),
    (&["source", "ip"], "ip.src"),
    (&["ip", "address"], "ip.src"),
    (&["source", "country"], "ip.src.country"),
];

/// Returns the field for the label at the beginning of several words, and the label's number of
/// words.
pub(super) fn label(words: &[String]) -> Option<(&'static str, usize)> {
    let begins =
        |label: &[&str]| words.len() >= label.len() && label.iter().zip(words).all(|(l, w)| l == w);
    LABELS.iter().find(|(label, _)| begins(label)).map(|(label, field)| (*field, label.len()))
}

/// Names that are not fields, in lower case, and the fields that were probably meant.
#[rustfmt::skip]
const FIELDS_MEANT: &[(&str, &str)] = &[
    ("http.uri.path", "http.request.uri.path"), ("http.path", "http.request.uri.path"),
    ("http.request.path", "http.request.uri.path"), ("request.uri.path", "http.request.uri.path"),
    ("request.path", "http.request.uri.path"), ("uri.path", "http.request.uri.path"), ("path", "http.request.uri.path"),
    ("http.uri", "http.request.uri"), ("uri", "http.request.uri"),
    ("http.url", "http.request.full_uri"), ("http.request.url", "http.request.full_uri"), ("url", "http.request.full_uri"),
    ("http.uri.query", "http.request.uri.query"), ("http.query", "http.request.uri.query"),
    ("http.request.query", "http.request.uri.query"), ("query", "http.request.uri.query"),
    ("http.request.host", "http.host"), ("http.request.hostname", "http.host"), ("http.hostname", "http.host"),
    ("hostname", "http.host"), ("host", "http.host"), ("request.host", "http.host"),
    ("http.method", "http.request.method"), ("request.method", "http.request.method"), ("method", "http.request.method"),
    ("http.request.user_agent", "http.user_agent"), ("http.useragent", "http.user_agent"),
    ("user_agent", "http.user_agent"), ("useragent", "http.user_agent"),
    ("http.request.referer", "http.referer"), ("http.referrer", "http.referer"), ("referer", "http.referer"),
    ("http.request.cookie", "http.cookie"), ("http.cookies", "http.request.cookies"), ("cookie", "http.cookie"),
    ("http.headers", "http.request.headers"), ("request.headers", "http.request.headers"),
    ("http.response.status", "http.response.code"), ("http.status", "http.response.code"),
    ("http.request.version.name", "http.request.version"), ("http.request.scheme", "ssl"), ("http.scheme", "ssl"),
    ("ip", "ip.src"), ("ip.address", "ip.src"), ("ip.source", "ip.src"), ("client.ip", "ip.src"), ("cf.client.ip", "ip.src"),
    ("http.client_ip", "ip.src"), ("cf.connecting_ip", "ip.src"), ("remote_addr", "ip.src"),
    ("country", "ip.src.country"), ("ip.country", "ip.src.country"), ("cf.country", "ip.src.country"),
    ("cf.ipcountry", "ip.src.country"), ("ip.geoip", "ip.src.country"), ("ip.geo.country", "ip.src.country"),
    ("ip.asn", "ip.src.asnum"), ("ip.src.asn", "ip.src.asnum"), ("asn", "ip.src.asnum"), ("ip.geoip.asn", "ip.src.asnum"),
    ("ip.continent", "ip.src.continent"), ("continent", "ip.src.continent"),
    ("ip.geoip.city", "ip.src.city"), ("cf.bot_score", "cf.bot_management.score"), ("cf.bot.score", "cf.bot_management.score"),
    ("cf.verified_bot", "cf.client.bot"), ("cf.bot", "cf.client.bot"), ("cf.waf_score", "cf.waf.score"),
    ("cf.waf.attack_score", "cf.waf.score"), ("tcp.dstport", "cf.edge.server_port"), ("tls", "ssl"), ("https", "ssl"),
];

/// Returns the field that was probably meant by an unknown name.
pub(super) fn field_meant(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    FIELDS_MEANT.iter().find(|(wrong, _)| *wrong == lower).map(|(_, field)| *field)
}

/// Functions of other languages, and those that were probably meant.
#[rustfmt::skip]
const FUNCTIONS_MEANT: &[(&str, &str)] = &[
    ("startswith", "starts_with"), ("begins_with", "starts_with"), ("endswith", "ends_with"), ("length", "len"),
    ("size", "len"), ("count", "len"), ("tolower", "lower"), ("to_lower", "lower"), ("lowercase", "lower"),
    ("toupper", "upper"), ("to_upper", "upper"), ("uppercase", "upper"), ("substr", "substring"), ("urldecode", "url_decode"),
    ("base64_decode", "decode_base64"), ("base64_encode", "encode_base64"), ("str", "to_string"), ("string", "to_string"),
    ("replace", "regex_replace"), ("some", "any"), ("every", "all"),
];

/// Returns the function that was probably meant by an unknown name.
pub(super) fn function_meant(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    FUNCTIONS_MEANT.iter().find(|(wrong, _)| *wrong == lower).map(|(_, function)| *function)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{FIELDS, FUNCTIONS};

    /// Words of a text.
    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn what_is_recommended_exists() {
        let fields = FIELDS_MEANT.iter().map(|(_, f)| *f).chain(LABELS.iter().map(|(_, f)| *f));
        for field in fields {
            assert!(FIELDS.iter().any(|f| f.name == field), "{field}");
        }
        for (wrong, _) in FIELDS_MEANT {
            assert!(FIELDS.iter().all(|f| f.name != *wrong), "{wrong} is a field");
        }
        for (wrong, function) in FUNCTIONS_MEANT {
            assert!(
                FUNCTIONS.iter().any(|f| f.name == *function)
                    && FUNCTIONS.iter().all(|f| f.name != *wrong)
            );
        }
    }

    #[test]
    fn longer_phrases_come_first() {
        assert_eq!(
            operator(&words("is not in list $x")),
            Some((Meaning::Operator(Operator::In), true, 4))
        );
        assert_eq!(operator(&words("is x")), Some((Meaning::Operator(Operator::Equal), false, 1)));
        assert_eq!(operator(&words("or x")), None);
        assert_eq!(label(&words("uri path contains")), Some(("http.request.uri.path", 2)));
        assert!(PHRASES.iter().all(|(phrase, ..)| phrase.len() <= PHRASE_WORDS));
    }
}
