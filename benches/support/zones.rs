//! Zones of any size, for measurements: as a spec, and as the live state that the spec describes.
//!
//! The same numbers give the same text, byte for byte, on every machine. A zone has what real zones
//! have: mostly hosts and aliases, some pools of several addresses, mail, delegations and keys, and
//! one name that alone holds a hundredth of all records, or as many as a name can hold. Values of
//! one name and type share their time to live, as RFC 2181 section 5.2 wants it, so that tools
//! which know sets of records only can hold the zone too.

#![allow(dead_code, reason = "each program that includes this file uses its own part")]

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

/// The name of the zone if there is only one.
pub(crate) const NAME: &str = "bench.example";

/// The share of a zone's records at its largest name: one in this number.
const IN_FLEET: usize = 100;

/// The most of them: Cloudflare takes 8192 characters of values under one name.
const MOST_IN_FLEET: usize = 500;

/// Records that share a name and a type.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// Relative to the zone.
    pub(crate) name: String,
    /// The type.
    pub(crate) kind: &'static str,
    /// Seconds; 1 for automatic.
    pub(crate) ttl: u32,
    /// True if requests pass through Cloudflare.
    pub(crate) proxied: bool,
    /// The comment, if any.
    pub(crate) comment: Option<&'static str>,
    /// One for each record.
    pub(crate) values: Vec<Value>,
}

/// The data of one record.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// The content as it is.
    Plain(String),
    /// A preference and an exchange.
    Mail(u16, String),
    /// A text for the spec, and the members for Cloudflare.
    Composed(String, Json),
}

/// A zone.
#[derive(Debug, Clone)]
pub(crate) struct Zone {
    /// Its name.
    pub(crate) name: String,
    /// Its records.
    pub(crate) groups: Vec<Group>,
}

/// A small generator of numbers (splitmix64): nothing here may depend on a library's choice of
/// algorithm.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below another.
    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Returns hexadecimal digits.
    fn hex(&mut self, digits: usize) -> String {
        let mut text = String::new();
        while text.len() < digits {
            let _ = write!(text, "{:016x}", self.next());
        }
        text.truncate(digits);
        text
    }
}

/// Returns a different address for each number: 100.64.0.0/10 has four million.
fn ipv4(n: usize) -> String {
    format!("100.{}.{}.{}", 64 + (n >> 16) % 64, (n >> 8) & 255, n & 255)
}

/// Returns the same in the IPv6 prefix for documentation.
fn ipv6(n: usize) -> String {
    format!("2001:db8:{:x}::{:x}", 1 + (n >> 16), 1 + (n & 0xffff))
}

/// Returns a zone of exactly this number of records.
pub(crate) fn zone(name: &str, records: usize, seed: u64) -> Zone {
    let mut numbers = Numbers(seed);
    let mut zone = Zone { name: name.to_owned(), groups: Vec::new() };
    let mut left = records;
    let mut add = |left: &mut usize, mut group: Group| {
        group.values.truncate(*left);
        *left -= group.values.len();
        if !group.values.is_empty() {
            zone.groups.push(group);
        }
    };
    for group in apex() {
        add(&mut left, group);
    }
    if records >= 10 * IN_FLEET {
        let values =
            (0..(records / IN_FLEET).min(MOST_IN_FLEET)).map(|n| Value::Plain(ipv4(n))).collect();
        add(&mut left, Group { ttl: 60, values, ..group("fleet", "A") });
    }
    let mut number = 0;
    while left > 0 {
        number += 1;
        for group in host(number, records, &mut numbers) {
            add(&mut left, group);
        }
    }
    zone
}

/// Returns a zone with this number of addresses at one name, counted from a first number.
pub(crate) fn fleet(records: usize, from: usize) -> Zone {
    let values = (from..from + records).map(|n| Value::Plain(ipv4(n))).collect();
    Zone { name: NAME.to_owned(), groups: vec![Group { values, ..group("fleet", "A") }] }
}

/// Returns a zone in which each name has an address in a /24 of one provider; `third` is the third
/// octet of the first /24.
pub(crate) fn renumbered(records: usize, third: usize) -> Zone {
    let host = |n: usize| {
        let values = vec![Value::Plain(format!("100.{}.{third}.{}", 64 + n / 250, n % 250))];
        Group { values, ..group(format!("host-{n}"), "A") }
    };
    Zone { name: NAME.to_owned(), groups: (0..records).map(host).collect() }
}

/// Returns a group without values: not proxied, with a TTL of five minutes.
fn group(name: impl Into<String>, kind: &'static str) -> Group {
    Group { name: name.into(), kind, ttl: 300, proxied: false, comment: None, values: Vec::new() }
}

/// Returns the records at the apex.
fn apex() -> Vec<Group> {
    let plain = |text: &str| Value::Plain(text.to_owned());
    vec![
        Group {
            ttl: 1,
            proxied: true,
            values: vec![plain("192.0.2.10"), plain("192.0.2.11")],
            ..group("@", "A")
        },
        Group {
            ttl: 3600,
            values: vec![
                Value::Mail(10, "mx1.example.net".to_owned()),
                Value::Mail(20, "mx2.example.net".to_owned()),
            ],
            ..group("@", "MX")
        },
        Group {
            ttl: 3600,
            values: vec![plain("v=spf1 include:_spf.example.net -all")],
            ..group("@", "TXT")
        },
        Group { values: vec![authority("ca.example.net")], ..group("@", "CAA") },
    ]
}

/// Returns a CAA value.
fn authority(name: &str) -> Value {
    Value::Composed(
        format!("0 issue \"{name}\""),
        json!({ "flags": 0, "tag": "issue", "value": name }),
    )
}

/// Returns the records at one name, or at two names that belong together.
fn host(number: usize, records: usize, numbers: &mut Numbers) -> Vec<Group> {
    // Records in addition to those of the largest name.
    let address = records / IN_FLEET + number * 8;
    let plain = |text: String| Value::Plain(text);
    let is_proxied = numbers.below(2) == 0;
    let proxy = |group: Group| {
        if is_proxied { Group { ttl: 1, proxied: true, ..group } } else { group }
    };
    match numbers.below(100) {
        0..34 => vec![proxy(Group {
            comment: (numbers.below(8) == 0).then_some("made by the provisioning job"),
            values: vec![plain(ipv4(address))],
            ..group(format!("host-{number}"), "A")
        })],
        34..42 => vec![
            proxy(Group {
                values: vec![plain(ipv4(address))],
                ..group(format!("web-{number}"), "A")
            }),
            proxy(Group {
                values: vec![plain(ipv6(address))],
                ..group(format!("web-{number}"), "AAAA")
            }),
        ],
        42..46 => {
            let count = 2 + usize::try_from(numbers.below(6)).unwrap_or(0);
            let values = (0..count).map(|n| plain(ipv4(address + n))).collect();
            vec![Group { ttl: 60, values, ..group(format!("pool-{number}"), "A") }]
        }
        46..72 => vec![proxy(Group {
            values: vec![plain(format!("site-{}.example.net", numbers.hex(6)))],
            ..group(format!("app-{number}"), "CNAME")
        })],
        72..80 => vec![Group {
            values: vec![plain(text(numbers))],
            ..group(format!("note-{number}"), "TXT")
        }],
        80..85 => vec![
            Group {
                ttl: 3600,
                values: vec![Value::Mail(10, format!("mx{}.example.net", numbers.below(9)))],
                ..group(format!("mail-{number}"), "MX")
            },
            Group {
                values: vec![plain("v=spf1 mx -all".to_owned())],
                ..group(format!("mail-{number}"), "TXT")
            },
        ],
        85..89 => {
            let (port, target) =
                (5000 + numbers.below(1000), format!("sip{}.example.net", numbers.below(9)));
            let data = json!({ "priority": 10, "weight": 5, "port": port, "target": target });
            let values = vec![Value::Composed(format!("10 5 {port} {target}"), data)];
            vec![Group { values, ..group(format!("_sip._tcp.voice-{number}"), "SRV") }]
        }
        89..93 => {
            let digest = numbers.hex(64);
            let data =
                json!({ "key_tag": 2371, "algorithm": 13, "digest_type": 2, "digest": digest });
            let servers =
                (1..=2).map(|n| plain(format!("ns{n}.lab-{number}.example.net"))).collect();
            vec![
                Group { ttl: 86400, values: servers, ..group(format!("lab-{number}"), "NS") },
                Group {
                    ttl: 86400,
                    values: vec![Value::Composed(format!("2371 13 2 {digest}"), data)],
                    ..group(format!("lab-{number}"), "DS")
                },
            ]
        }
        93..96 => vec![Group {
            values: vec![authority("ca.example.org")],
            ..group(format!("shop-{number}"), "CAA")
        }],
        96..98 => {
            let digest = numbers.hex(64);
            let data =
                json!({ "usage": 3, "selector": 1, "matching_type": 1, "certificate": digest });
            let values = vec![Value::Composed(format!("3 1 1 {digest}"), data)];
            vec![Group { values, ..group(format!("_443._tcp.secure-{number}"), "TLSA") }]
        }
        _ => {
            let fingerprint = numbers.hex(64);
            let data = json!({ "algorithm": 4, "type": 2, "fingerprint": fingerprint });
            let values = vec![Value::Composed(format!("4 2 {fingerprint}"), data)];
            vec![Group { values, ..group(format!("shell-{number}"), "SSHFP") }]
        }
    }
}

/// Returns a text: a token, or a key that takes two strings.
fn text(numbers: &mut Numbers) -> String {
    if numbers.below(4) == 0 {
        format!("v=DKIM1 k=rsa p={}", numbers.hex(392))
    } else {
        format!("verification={}", numbers.hex(32))
    }
}

impl Zone {
    /// Returns the number of records.
    pub(crate) fn records(&self) -> usize {
        self.groups.iter().map(|g| g.values.len()).sum()
    }

    /// Writes its part of a spec, below `zones:`.
    pub(crate) fn write_spec(&self, out: &mut String) {
        let _ = writeln!(out, "  {}:\n    records:", self.name);
        for Group { name, kind, ttl, proxied, comment, values } in &self.groups {
            let ttl = if *ttl == 1 { "auto".to_owned() } else { ttl.to_string() };
            let mut tail = format!("ttl: {ttl}");
            if *proxied {
                tail.push_str(", proxied: true");
            }
            if let Some(comment) = comment {
                let _ = write!(tail, ", comment: {comment}");
            }
            let begin = format!("      - {{ name: \"{name}\", type: {kind}");
            if let [Value::Mail(..), ..] = values.as_slice() {
                for value in values {
                    let Value::Mail(priority, exchange) = value else { continue };
                    let _ = writeln!(
                        out,
                        "{begin}, priority: {priority}, content: {exchange}, {tail} }}"
                    );
                }
                continue;
            }
            let content: Vec<String> = values.iter().map(Value::content).collect();
            let content = if content.len() == 1 {
                content.concat()
            } else {
                format!("[{}]", content.join(", "))
            };
            let _ = writeln!(out, "{begin}, content: {content}, {tail} }}");
        }
    }

    /// Returns its records in Cloudflare's form.
    pub(crate) fn answers(&self) -> Vec<Json> {
        let mut all = self.bodies();
        let texts = self.groups.iter().flat_map(|group| &group.values);
        for ((number, body), value) in all.iter_mut().enumerate().zip(texts) {
            body["id"] = format!("{number:032x}").into();
            if let Value::Composed(text, _) = value {
                body["content"] = text.as_str().into();
            }
            let comment = body.get("comment").cloned().unwrap_or(Json::Null);
            let proxied = body.get("proxied").cloned().unwrap_or(false.into());
            let more = json!({
                "proxiable": matches!(body["type"].as_str(), Some("A" | "AAAA" | "CNAME")), "proxied": proxied,
                "settings": {}, "meta": {}, "comment": comment, "tags": [],
                "created_on": "2026-01-01T00:00:00.000000Z", "modified_on": "2026-01-01T00:00:00.000000Z"
            });
            if let (Some(body), Json::Object(more)) = (body.as_object_mut(), more) {
                body.extend(more);
            }
        }
        all
    }

    /// Returns the bodies that create its records.
    pub(crate) fn bodies(&self) -> Vec<Json> {
        let mut all = Vec::new();
        for Group { name, kind, ttl, proxied, comment, values } in &self.groups {
            for value in values {
                let full =
                    if name == "@" { self.name.clone() } else { format!("{name}.{}", self.name) };
                let mut body = json!({ "type": kind, "name": full, "ttl": ttl });
                match value {
                    Value::Plain(text) if *kind == "TXT" => body["content"] = quoted(text).into(),
                    Value::Plain(text) => body["content"] = text.as_str().into(),
                    Value::Mail(priority, exchange) => {
                        body["priority"] = (*priority).into();
                        body["content"] = exchange.as_str().into();
                    }
                    Value::Composed(_, data) => body["data"] = data.clone(),
                }
                if matches!(*kind, "A" | "AAAA" | "CNAME") {
                    body["proxied"] = (*proxied).into();
                }
                if let Some(comment) = comment {
                    body["comment"] = (*comment).into();
                }
                all.push(body);
            }
        }
        all
    }
}

impl Value {
    /// Returns the value as a spec writes it; text that is not a valid plain scalar is quoted.
    fn content(&self) -> String {
        match self {
            Self::Plain(text) | Self::Mail(_, text) => {
                if text.contains([' ', ':', '=']) {
                    format!("\"{text}\"")
                } else {
                    text.clone()
                }
            }
            Self::Composed(text, _) => format!("'{text}'"),
        }
    }
}

/// Returns a text as Cloudflare holds it: in strings of at most 255 bytes.
fn quoted(text: &str) -> String {
    let parts: Vec<String> = text
        .as_bytes()
        .chunks(255)
        .map(|part| format!("\"{}\"", String::from_utf8_lossy(part)))
        .collect();
    parts.join(" ")
}

/// Returns this number of zones, each with this number of records.
pub(crate) fn zones(count: usize, records: usize) -> Vec<Zone> {
    (0..count).map(|n| zone(&zone_name(n, count), records, n as u64 + 1)).collect()
}

/// Returns the name of one of several zones.
fn zone_name(number: usize, count: usize) -> String {
    if count == 1 { NAME.to_owned() } else { format!("bench-{number:05}.example") }
}

/// Returns a spec of zones, in one text.
pub(crate) fn spec(zones: &[Zone]) -> String {
    let mut out = "version: 1\nzones:\n".to_owned();
    zones.iter().for_each(|zone| zone.write_spec(&mut out));
    out
}

/// Returns the input of `zonewright sandbox seed`.
pub(crate) fn seed(zones: &[Zone], plan: &str) -> Json {
    let zones: Vec<Json> = zones
        .iter()
        .map(|z| json!({ "name": z.name, "plan": plan, "records": z.bodies() }))
        .collect();
    json!({ "zones": zones })
}
