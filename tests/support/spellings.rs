//! Random values of every record type, each in two random spellings: written by hand, not by the
//! program.
//!
//! Values come from small pools where sets and swaps matter, and from everything that a type
//! allows. A [`Style`] decides about case, blanks, quotes, escapes, order and names; two styles of
//! one value must mean the same.

use std::fmt::Debug;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use zonewright::model::RecordType;

/// A stream of small decisions.
#[derive(Debug, Clone)]
struct Style {
    /// The decisions, repeated when they are used up.
    bytes: Vec<u8>,
    /// The next one.
    next: usize,
}

/// Returns random styles; the plainest one is the simplest for shrinking.
fn style() -> impl Strategy<Value = Style> {
    vec(any::<u8>(), 1..48).prop_map(|bytes| Style { bytes, next: 0 })
}

impl Style {
    /// Returns a number below this one.
    fn pick(&mut self, count: usize) -> usize {
        self.next += 1;
        usize::from(self.bytes[self.next % self.bytes.len()]) % count
    }

    /// Returns true if to do something unusual.
    fn odd(&mut self) -> bool {
        self.pick(3) == 1
    }

    /// Blanks between two words.
    fn blank(&mut self) -> &'static str {
        [" ", "  ", "\t", " \n "][self.pick(4)]
    }

    /// Words with blanks between them.
    fn line(&mut self, words: &[String]) -> String {
        let mut text = String::new();
        for (n, word) in words.iter().enumerate() {
            if n > 0 {
                text.push_str(self.blank());
            }
            text.push_str(word);
        }
        text
    }

    /// Returns a number.
    fn number(&mut self, number: impl Into<u64>) -> String {
        let number = number.into();
        if self.odd() { format!("{number:07}") } else { number.to_string() }
    }

    /// Letters in any case.
    fn letters(&mut self, text: &str) -> String {
        text.chars().map(|c| if self.odd() { c.to_ascii_uppercase() } else { c }).collect()
    }

    /// Returns a host name, with or without the final dot.
    fn host(&mut self, name: &str) -> String {
        let dot = if name != "." && self.odd() { "." } else { "" };
        self.letters(name) + dot
    }

    /// Digits cut anywhere.
    fn cut(&mut self, digits: &str) -> String {
        let mut text = String::new();
        for (n, digit) in digits.chars().enumerate() {
            if n > 0 && self.pick(12) == 1 {
                text.push_str(self.blank());
            }
            text.push(digit);
        }
        text
    }

    /// Octets in hexadecimal digits.
    fn hex(&mut self, octets: &[u8]) -> String {
        let digits: String = octets.iter().map(|o| format!("{o:02x}")).collect();
        let digits = self.letters(&digits);
        self.cut(&digits)
    }

    /// Octets in base64.
    fn base64(&mut self, octets: &[u8]) -> String {
        let text = base64(octets);
        let text = if self.odd() { text.trim_end_matches('=') } else { &text };
        self.cut(text)
    }

    /// Returns one octet in a word.
    fn octet(&mut self, octet: u8, is_safe: bool) -> String {
        match (octet, self.pick(8)) {
            (b' '..=b'~', 2) if !octet.is_ascii_digit() => format!("\\{}", char::from(octet)),
            (_, 1) => format!("\\{octet:03}"),
            _ if is_safe => char::from(octet).to_string(),
            (b' '..=b'~', _) => format!("\\{}", char::from(octet)),
            _ => format!("\\{octet:03}"),
        }
    }

    /// Octets as a quoted string.
    fn string(&mut self, octets: &[u8]) -> String {
        let inner: String = octets
            .iter()
            .map(|o| self.octet(*o, matches!(o, b' '..=b'~') && !matches!(o, b'"' | b'\\')))
            .collect();
        format!("\"{inner}\"")
    }

    /// Octets as a word, in quotes if it must be.
    fn octets(&mut self, octets: &[u8]) -> String {
        if octets.is_empty() || self.odd() {
            return self.string(octets);
        }
        octets
            .iter()
            .map(|o| self.octet(*o, matches!(o, b'!'..=b'~') && !matches!(o, b'"' | b'\\')))
            .collect()
    }

    /// Things in any order.
    fn shuffle<T>(&mut self, things: &mut [T]) {
        for n in 1..things.len() {
            let other = self.pick(n + 1);
            things.swap(n, other);
        }
    }
}

/// Encodes as base64 with padding.
fn base64(octets: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in octets.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, o| bits << 8 | u32::from(*o)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = usize::try_from(bits >> (18 - 6 * place) & 63).expect("six bits");
            text.push(if place <= chunk.len() { char::from(LETTERS[letter]) } else { '=' });
        }
    }
    text
}

/// Two spellings of one value.
type Pair = (String, String);

/// Returns two spellings of values, written by `write`.
fn pair<V: Debug + 'static>(
    values: impl Strategy<Value = V> + 'static,
    write: fn(&V, &mut Style) -> String,
) -> BoxedStrategy<Pair> {
    (values, style(), style())
        .prop_map(move |(value, mut a, mut b)| (write(&value, &mut a), write(&value, &mut b)))
        .boxed()
}

/// Returns a host name.
fn host() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("host.example.net".to_owned()),
        Just("www.example.com".to_owned()),
        "[a-z0-9_]([a-z0-9-]{0,8}[a-z0-9])?\\.example\\.(net|org)",
    ]
}

/// Returns a host name or the root.
fn host_or_root() -> impl Strategy<Value = String> {
    prop_oneof![host(), Just(".".to_owned())]
}

/// Bytes of a text, some with everything that quoting must survive.
fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"v=spf1 -all".to_vec()),
        Just(b"v=spf1 ~all".to_vec()),
        Just(b"google-site-verification=a".to_vec()),
        Just(b"google-site-verification=b".to_vec()),
        Just(b"owner=a".to_vec()),
        Just(b"owner=b".to_vec()),
        vec(any::<u8>(), 1..20),
        vec(any::<u8>(), 250..520),
    ]
}

/// Returns the strings of a text: mostly one.
fn strings() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop_oneof![3 => text().prop_map(|one| vec![one]), 1 => vec(text(), 2..4)]
}

/// Returns a kind of digest and a digest of its length; kind 0 has any length.
fn digest(kinds: &'static [(u8, usize)]) -> impl Strategy<Value = (u8, Vec<u8>)> {
    prop_oneof![
        3 => proptest::sample::select(kinds).prop_flat_map(|(kind, n)| (Just(kind), vec(any::<u8>(), n))),
        1 => (Just(0u8), vec(any::<u8>(), 1..30)),
    ]
}

/// Returns two spellings of a random value of a type.
pub(crate) fn spellings(record_type: RecordType) -> BoxedStrategy<Pair> {
    let key = || vec(any::<u8>(), 1..40);
    match record_type {
        RecordType::A => {
            pair(prop_oneof![(1u8..4).prop_map(|n| [192, 0, 2, n]), any::<[u8; 4]>()], |v, _| {
                std::net::Ipv4Addr::from(*v).to_string()
            })
        }
        RecordType::Aaaa => pair(
            prop_oneof![(1u8..4).prop_map(|n| 0x2001_0db8 << 96 | u128::from(n)), any::<u128>()],
            |v, style| {
                let address = std::net::Ipv6Addr::from(*v);
                let groups = address
                    .segments()
                    .map(|s| if style.odd() { format!("{s:04x}") } else { format!("{s:x}") });
                let text = if style.odd() { groups.join(":") } else { address.to_string() };
                style.letters(&text)
            },
        ),
        RecordType::Cname | RecordType::Ns | RecordType::Ptr => {
            pair(host(), |v, style| style.host(v))
        }
        RecordType::Mx => pair((0u16..3, host_or_root()), |(p, h), style| {
            let words = [style.number(*p), style.host(h)];
            style.line(&words)
        }),
        // The split of a text into strings is only a spelling in formats that concatenate their
        // strings.
        RecordType::Txt => pair(strings(), |strings, style| {
            let size = 1 + style.pick(255);
            let whole = match &strings[..] {
                [one] if one.starts_with(b"v=spf1") => {
                    one.chunks(size).map(|c| style.string(c)).collect()
                }
                list => list.iter().map(|s| style.string(s)).collect::<Vec<_>>(),
            };
            style.line(&whole)
        }),
        RecordType::Srv => {
            pair((any::<u16>(), 0u16..2, 0u16..3, host_or_root()), |(p, w, o, h), style| {
                let words = [style.number(*p), style.number(*w), style.number(*o), style.host(h)];
                style.line(&words)
            })
        }
        RecordType::Caa => {
            let tag = proptest::sample::select(&["issue", "issuewild", "iodef"]);
            pair((any::<u8>(), tag, "[ -~]{0,12}"), |(f, t, v), style| {
                let words = [style.number(*f), style.letters(t), style.octets(v.as_bytes())];
                style.line(&words)
            })
        }
        RecordType::Svcb | RecordType::Https => binding(),
        RecordType::Ds => pair(
            (0u16..3, any::<u8>(), digest(&[(1, 20), (2, 32), (3, 32), (4, 48)])),
            |(t, a, (k, d)), style| {
                let names = ["RSASHA256", "ECDSAP256SHA256", "ED25519"];
                let algorithm = [8u8, 13, 15].iter().position(|n| n == a).filter(|_| style.odd());
                let algorithm =
                    algorithm.map_or_else(|| a.to_string(), |n| style.letters(names[n]));
                let words = [style.number(*t), algorithm, style.number(*k), style.hex(d)];
                style.line(&words)
            },
        ),
        RecordType::Dnskey => {
            pair((any::<u16>(), any::<u8>(), any::<u8>(), key()), |(f, p, a, k), style| {
                let words = [style.number(*f), style.number(*p), style.number(*a), style.base64(k)];
                style.line(&words)
            })
        }
        RecordType::Uri => pair(
            (0u16..3, any::<u16>(), "https?://[a-z]{1,5}\\.example/[!#-~ ]{0,8}"),
            |(p, w, t), style| {
                let words = [style.number(*p), style.number(*w), style.octets(t.as_bytes())];
                style.line(&words)
            },
        ),
        RecordType::Naptr => {
            let strings =
                ("[SAUP]?", "(E2U\\+sip|SIP\\+D2[UT]|x-[a-zé]{1,4})?", "(![!-~ü]{0,9}!)?");
            pair(
                ((0u16..3, any::<u16>()), strings, host_or_root()),
                |((o, p), (f, s, x), h), style| {
                    let flags = style.letters(&f.to_ascii_lowercase());
                    let strings = [
                        style.octets(flags.as_bytes()),
                        style.octets(s.as_bytes()),
                        style.octets(x.as_bytes()),
                    ];
                    let [f, s, x] = strings;
                    let words = [style.number(*o), style.number(*p), f, s, x, style.host(h)];
                    style.line(&words)
                },
            )
        }
        RecordType::Sshfp => pair((1u8..5, digest(&[(1, 20), (2, 32)])), |(a, (k, d)), style| {
            let words = [style.number(*a), style.number(*k), style.hex(d)];
            style.line(&words)
        }),
        RecordType::Tlsa | RecordType::Smimea => {
            pair((0u8..4, 0u8..2, digest(&[(1, 32), (2, 64)])), |(u, s, (m, d)), style| {
                let words = [style.number(*u), style.number(*s), style.number(*m), style.hex(d)];
                style.line(&words)
            })
        }
        RecordType::Cert => {
            pair((any::<u16>(), any::<u16>(), any::<u8>(), key()), |(t, k, a, c), style| {
                let words = [style.number(*t), style.number(*k), style.number(*a), style.base64(c)];
                style.line(&words)
            })
        }
        RecordType::Loc => location(),
        RecordType::Openpgpkey => pair(key(), |v, style| style.base64(v)),
    }
}

/// A parameter of a service binding: number, name, members or text, octets of the wire.
type Param = (u16, &'static str, Vec<u8>, Vec<u8>);

/// Members of a list with commas between them, as RFC 9460 appendix A.1 has it.
fn listed(members: &[Vec<u8>]) -> Vec<u8> {
    let escaped = |m: &Vec<u8>| {
        m.iter()
            .flat_map(|o| if matches!(o, b',' | b'\\') { vec![b'\\', *o] } else { vec![*o] })
            .collect::<Vec<_>>()
    };
    members.iter().map(escaped).collect::<Vec<_>>().join(&b',')
}

/// Parameters of a service binding; `mandatory` names all others of the first so many.
fn params() -> impl Strategy<Value = (Vec<Param>, usize)> {
    let protocols =
        vec(prop_oneof![Just(b"h2".to_vec()), Just(b"h3".to_vec()), vec(any::<u8>(), 1..4)], 1..3);
    let v4 = vec(any::<[u8; 4]>(), 1..3);
    let v6 = vec(any::<[u8; 16]>(), 1..3);
    let bytes = || vec(any::<u8>(), 1..6);
    let known = (
        option::of((protocols, any::<bool>())),
        option::of(any::<u16>()),
        option::of(v4),
        option::of(v6),
    );
    let others = (
        option::of(bytes()),
        option::of("/[a-zé{?}]{0,6}"),
        any::<bool>(),
        option::of(vec(any::<u8>(), 0..6)),
    );
    (known, others, 0usize..4).prop_map(
        |((alpn, port, v4, v6), (ech, dohpath, ohttp, other), mandatory)| {
            let mut all: Vec<Param> = Vec::new();
            if let Some((protocols, only)) = alpn {
                let length = |m: &Vec<u8>| u8::try_from(m.len()).expect("it is short");
                let wire =
                    protocols.iter().flat_map(|m| [vec![length(m)], m.clone()].concat()).collect();
                all.push((1, "alpn", listed(&protocols), wire));
                if only {
                    all.push((2, "no-default-alpn", Vec::new(), Vec::new()));
                }
            }
            all.extend(
                port.map(|n| (3, "port", n.to_string().into_bytes(), n.to_be_bytes().to_vec())),
            );
            all.extend(v4.map(|v| {
                let text: Vec<_> =
                    v.iter().map(|a| std::net::Ipv4Addr::from(*a).to_string()).collect();
                (4, "ipv4hint", text.join(",").into_bytes(), v.concat())
            }));
            all.extend(v6.map(|v| {
                let text: Vec<_> =
                    v.iter().map(|a| std::net::Ipv6Addr::from(*a).to_string()).collect();
                (6, "ipv6hint", text.join(",").into_bytes(), v.concat())
            }));
            all.extend(ech.map(|v| (5, "ech", base64(&v).into_bytes(), v)));
            all.extend(dohpath.map(|v| (7, "dohpath", v.clone().into_bytes(), v.into_bytes())));
            all.extend(ohttp.then(|| (8, "ohttp", Vec::new(), Vec::new())));
            all.extend(other.map(|v| (667, "key667", v.clone(), v)));
            (all, mandatory)
        },
    )
}

/// Generates service bindings.
fn binding() -> BoxedStrategy<Pair> {
    pair((0u16..3, host_or_root(), params()), |(priority, target, (all, mandatory)), style| {
        let mut words = Vec::new();
        if *priority > 0 {
            let mut all = all.clone();
            let mut named: Vec<_> =
                all.iter().take(*mandatory).map(|(n, name, ..)| (*n, *name)).collect();
            if !named.is_empty() {
                style.shuffle(&mut named);
                let names: Vec<_> =
                    named.iter().map(|(_, name)| name.as_bytes().to_vec()).collect();
                let wire = named.iter().flat_map(|(n, _)| n.to_be_bytes()).collect();
                all.push((0, "mandatory", listed(&names), wire));
            }
            style.shuffle(&mut all);
            for (number, name, text, wire) in all {
                let (key, value) = if style.odd() {
                    (format!("key{number}"), wire)
                } else {
                    (style.letters(name), text)
                };
                let value = if value.is_empty() {
                    ["", "=", "=\"\""][style.pick(3)].to_owned()
                } else {
                    format!("={}", style.octets(&value))
                };
                words.push(key + &value);
            }
        }
        let start = [style.number(*priority), style.host(target)];
        style.line(&[&start[..], &words].concat())
    })
}

/// Places on the earth.
fn location() -> BoxedStrategy<Pair> {
    let angle =
        |degrees: u32| (0..degrees, 0u32..60, prop_oneof![Just(0u32), 0u32..60_000], any::<bool>());
    let metres = || prop_oneof![Just(100u64), Just(1_000_000), Just(1000), 0u64..9_000_000_000];
    let angles = (angle(90), angle(180));
    pair(
        (angles, -10_000_000i64..4_284_967_295, (metres(), metres(), metres())),
        |(angles, altitude, sizes), style| {
            let mut words: Vec<String> =
                [&[][..], &["LOC".to_owned()], &["IN".to_owned(), "LOC".to_owned()]][style.pick(3)]
                    .to_vec();
            for ((degrees, minutes, thousandths, negative), letters) in
                [(angles.0, ["n", "s"]), (angles.1, ["e", "w"])]
            {
                words.push(style.number(degrees));
                let (whole, part) = (thousandths / 1000, thousandths % 1000);
                if thousandths > 0 || style.odd() {
                    words.push(style.number(minutes));
                    words.push(if part == 0 && style.odd() {
                        whole.to_string()
                    } else {
                        format!("{whole}.{part:03}")
                    });
                } else if minutes > 0 || style.odd() {
                    words.push(style.number(minutes));
                }
                words.push(style.letters(letters[usize::from(negative)]));
            }
            let defaults = [100, 1_000_000, 1000];
            let sizes = [sizes.0, sizes.1, sizes.2];
            let needed = (0..3)
                .rev()
                .find(|n| sizes[*n] != defaults[*n])
                .map_or(0, |n| n + 1)
                .max(style.pick(4));
            let mut metres = |centimetres: u64, sign: &str| {
                let (whole, part) = (centimetres / 100, centimetres % 100);
                let number = if part == 0 && style.odd() {
                    whole.to_string()
                } else {
                    format!("{whole}.{part:02}")
                };
                format!("{sign}{number}{}", ["", "m", "M"][style.pick(3)])
            };
            words.push(metres(altitude.unsigned_abs(), if *altitude < 0 { "-" } else { "" }));
            words.extend(sizes.iter().take(needed).map(|n| metres(*n, "")));
            style.line(&words)
        },
    )
}
