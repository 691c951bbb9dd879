//! The values of random records, with their documented properties.  Everything here is written by
//! hand from the documentation, so that a bug in how the program reads, writes or groups records is
//! not repeated in the assertions.

use serde_json::{Value as Json, json};

/// A value of a record type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Value {
    /// The type.
    pub(crate) kind: &'static str,
    /// The presentation; without quotes for TXT. There, `|` is a cut between two strings that are
    /// shorter than possible.
    pub(crate) text: &'static str,
    /// Values of a name and type may take one another's place within one purpose only; `unique`
    /// ones never do.
    pub(crate) purpose: &'static str,
}

/// Returns a value whose type knows no purposes.
const fn value(kind: &'static str, text: &'static str) -> Value {
    Value { kind, text, purpose: "" }
}

/// Returns a value of a type that knows purposes.
const fn meant(kind: &'static str, text: &'static str, purpose: &'static str) -> Value {
    Value { kind, text, purpose }
}

/// A text that does not fit one string of 255 bytes.
const LONG: &str = "words that go on and on and on and on and on and on and on and on and on and on and on and on and on and on and on \
    and on and on and on and on and on and on and on and on and on and on and on and on and on and on and on and on and on and \
    on and on and on and on and on and on and on and on and on and on and on and on";

/// Values at the names of hosts.
pub(crate) const HOST: &[Value] = &[
    value("A", "192.0.2.1"),
    value("A", "192.0.2.2"),
    value("A", "192.0.2.3"),
    value("A", "192.0.2.4"),
    value("AAAA", "2001:db8::1"),
    value("AAAA", "2001:db8::2"),
    value("CNAME", "one.example.net"),
    value("CNAME", "two.example.net"),
    value("MX", "10 mx1.example.net"),
    value("MX", "20 mx1.example.net"),
    value("MX", "10 mx2.example.net"),
    meant("TXT", "v=spf1 -all", "v=spf1"),
    meant("TXT", "v=spf1 include:mail.example.net -all", "v=spf1"),
    meant("TXT", "owner=web team", "owner"),
    meant("TXT", "owner=mail team", "owner"),
    meant("TXT", "google-site-verification=one", "unique"),
    meant("TXT", "google-site-verification=two", "unique"),
    meant("TXT", "just some words", "words"),
    meant("TXT", "just some| words", "words"),
    meant("TXT", "just| some words", "words"),
    meant("TXT", "owner=web| team", "owner"),
    meant("TXT", LONG, "words"),
    meant("CAA", "0 issue \"ca1.example.net\"", "issue"),
    meant("CAA", "0 issue \"ca2.example.net\"", "issue"),
    meant("CAA", "0 iodef \"mailto:security@example.net\"", "iodef"),
];

/// Values at the name of a challenge. Texts are one there, wherever they are cut (RFC 8555 section
/// 8.4).
pub(crate) const CHALLENGE: &[Value] = &[
    value("A", "192.0.2.1"),
    value("A", "192.0.2.2"),
    value("CNAME", "one.example.net"),
    value("MX", "10 mx1.example.net"),
    meant("TXT", "google-site-verification=one", "unique"),
    meant("TXT", "google-site-verification=two", "unique"),
    meant("TXT", "just some words", "words"),
    meant("TXT", LONG, "words"),
];

/// Values at the name of a service.
pub(crate) const SERVICE: &[Value] = &[
    value("SRV", "10 5 5060 sip1.example.net"),
    value("SRV", "20 5 5060 sip1.example.net"),
    value("SRV", "10 5 5060 sip2.example.net"),
    value("SRV", "10 5 5061 sip2.example.net"),
];

/// Values at a delegated name, as far as a spec may say it.
pub(crate) const DELEGATION: &[Value] = &[
    value("NS", "ns1.example.net"),
    value("NS", "ns2.example.net"),
    value("NS", "ns3.example.net"),
];

/// The names of records, relative to the zone, and the values that they may have.
pub(crate) const NAMES: &[(&str, &[Value])] = &[
    ("@", HOST),
    ("www", HOST),
    ("api", HOST),
    ("old", HOST),
    ("a.b", HOST),
    ("*.wild", HOST),
    ("_acme-challenge", CHALLENGE),
    ("_sip._tcp", SERVICE),
    ("lab", DELEGATION),
];

impl Value {
    /// Returns true if Cloudflare can proxy it.
    pub(crate) fn is_proxiable(self) -> bool {
        matches!(self.kind, "A" | "AAAA" | "CNAME")
    }

    /// Returns the members of a request that say it.
    pub(crate) fn members(self) -> Json {
        let words: Vec<&str> = self.text.split(' ').collect();
        let number = |n: usize| words[n].parse::<u32>().expect("the pool holds a number here");
        match self.kind {
            "MX" => json!({ "priority": number(0), "content": words[1] }),
            "TXT" => json!({ "content": quoted(self.text) }),
            "SRV" => {
                json!({ "data": { "priority": number(0), "weight": number(1), "port": number(2), "target": words[3] } })
            }
            "CAA" => {
                json!({ "data": { "flags": number(0), "tag": words[1], "value": words[2].trim_matches('"') } })
            }
            _ => json!({ "content": self.text }),
        }
    }

    /// Returns true if it differs from a text only in the cuts.
    pub(crate) fn is_twin(self, kind: &str, text: &str) -> bool {
        self.kind == "TXT" && kind == "TXT" && self.text != text && uncut(self.text) == uncut(text)
    }

    /// Returns the members of an entry of a spec that say it.
    pub(crate) fn spelled(self) -> String {
        match (self.kind, self.text.split_once(' ')) {
            ("MX", Some((priority, host))) => {
                format!("type: MX, priority: {priority}, content: {host}")
            }
            ("TXT", _) if self.text.contains('|') => {
                format!("type: TXT, content: {}", Json::from(quoted(self.text)))
            }
            _ => format!("type: {}, content: {}", self.kind, Json::from(self.text)),
        }
    }
}

/// Returns a text without the marks of its cuts.
pub(crate) fn uncut(text: &str) -> String {
    text.replace('|', "")
}

/// Returns a text in strings of at most 255 bytes; those of the pool need no escapes.
fn quoted(text: &str) -> String {
    let chunks = text.split('|').flat_map(|part| part.as_bytes().chunks(255));
    let strings = chunks.map(|chunk| format!("\"{}\"", String::from_utf8_lossy(chunk)));
    strings.collect::<Vec<_>>().join(" ")
}

/// Returns a text of strings in quotes, as [`Value`] has it.
fn unquoted(content: &str) -> String {
    let strings: Vec<&str> = content.trim_matches('"').split("\" \"").collect();
    let is_full = strings[..strings.len() - 1].iter().all(|string| string.len() == 255);
    strings.join(if is_full { "" } else { "|" })
}

/// Returns what a record says, from a body or an answer: its type and its text as [`Value`] has it.
pub(crate) fn said(record: &Json) -> (String, String) {
    let kind = record["type"].as_str().unwrap_or_default().to_owned();
    let content = record["content"].as_str().unwrap_or_default();
    let data = |name: &str| match &record["data"][name] {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    let text = match kind.as_str() {
        "MX" => format!("{} {content}", record["priority"]),
        "TXT" if content.starts_with('"') => unquoted(content),
        "SRV" => {
            format!("{} {} {} {}", data("priority"), data("weight"), data("port"), data("target"))
        }
        "CAA" => format!("{} {} \"{}\"", data("flags"), data("tag"), data("value")),
        _ => content.to_owned(),
    };
    (kind, text)
}

/// Returns the value of the pool that says this.
pub(crate) fn known(kind: &str, text: &str) -> Option<Value> {
    let all = [HOST, SERVICE, DELEGATION].into_iter().flatten();
    all.copied().find(|value| value.kind == kind && value.text == text)
}

/// Returns true if records of two types exclude each other at one name: an alias beside addresses
/// or other aliases, and a delegation beside either; at the zone's own name Cloudflare keeps the
/// delegation itself.
pub(crate) fn excludes(a: &str, b: &str, is_apex: bool) -> bool {
    let is_address = |kind: &str| matches!(kind, "A" | "AAAA");
    let one_way = |a: &str, b: &str| match a {
        "CNAME" => is_address(b) || (b == "NS" && !is_apex),
        "NS" => is_address(b) && !is_apex,
        _ => false,
    };
    one_way(a, b) || one_way(b, a)
}
