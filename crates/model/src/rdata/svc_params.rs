//! Parameters of service bindings (RFC 9460 section 2.1 and appendix A).
//!
//! The canonical form is the wire format: keys as numbers, in order, each with its octets. So
//! neither the order, nor quotes, nor the spelling of a key as `keyNNNNN` makes a difference. The
//! value of a `keyNNNNN` is its octets on the wire, even if the key has a name: `key1="\002h2"` is
//! `alpn=h2`.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::hex_and_base64::{Digits, base64};
use super::{DataError, presentation};

/// The parameters of a service binding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct SvcParams(BTreeMap<u16, Vec<u8>>);

/// The kind of value of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParameterKind {
    /// Keys, sorted.
    Keys,
    /// Protocol identifiers, in order of preference.
    Protocols,
    /// No value.
    Nothing,
    Port,
    /// IPv4 addresses.
    Ipv4,
    /// IPv6 addresses.
    Ipv6,
    /// Octets in base64.
    Base64,
    Text,
    /// Octets of unknown meaning.
    Octets,
}

/// The keys with a name.
///
/// # Sources
/// RFC 9460 section 14.3.2; RFC 9461 section 5 (dohpath); RFC 9540 section 4 (ohttp).
const KEYS: &[(&str, u16, ParameterKind)] = &[
    ("mandatory", 0, ParameterKind::Keys),
    ("alpn", 1, ParameterKind::Protocols),
    ("no-default-alpn", 2, ParameterKind::Nothing),
    ("port", 3, ParameterKind::Port),
    ("ipv4hint", 4, ParameterKind::Ipv4),
    ("ech", 5, ParameterKind::Base64),
    ("ipv6hint", 6, ParameterKind::Ipv6),
    ("dohpath", 7, ParameterKind::Text),
    ("ohttp", 8, ParameterKind::Nothing),
];

const MANDATORY: u16 = 0;

const ALPN: u16 = 1;

const NO_DEFAULT_ALPN: u16 = 2;

fn kind_of_key(key: u16) -> ParameterKind {
    KEYS.iter().find(|(_, n, _)| *n == key).map_or(ParameterKind::Octets, |(_, _, kind)| *kind)
}

fn key_name(key: u16) -> String {
    KEYS.iter()
        .find(|(_, n, _)| *n == key)
        .map_or_else(|| format!("key{key}"), |(name, _, _)| (*name).to_owned())
}

fn wrong(message: impl Into<String>, help: impl Into<String>) -> DataError {
    DataError::field("value", message).help(help)
}

/// Parses a key. Returns its number, and true if it was written as a number.
fn parse_key(text: &str) -> Result<(u16, bool), DataError> {
    let lower = text.to_ascii_lowercase();
    if let Some((_, number, _)) = KEYS.iter().find(|(name, _, _)| *name == lower) {
        return Ok((*number, false));
    }
    // Key 65535 is reserved and never valid (RFC 9460 section 14.3.2); numbers have no leading
    // zeros (section 2.1).
    let number = lower.strip_prefix("key").filter(|n| *n == "0" || !n.starts_with('0'));
    match number
        .and_then(presentation::integer)
        .and_then(|n| u16::try_from(n).ok())
        .filter(|n| *n != u16::MAX)
    {
        Some(number) => Ok((number, true)),
        None => {
            let names: Vec<_> = KEYS.iter().map(|(name, _, _)| *name).collect();
            Err(wrong(
                format!("`{text}` is not a service parameter"),
                format!("write {}, or key0 to key65534", names.join(", ")),
            ))
        }
    }
}

impl SvcParams {
    /// Parses parameters.
    ///
    /// # Errors
    /// Unknown or duplicate keys, values that are invalid for their keys, and broken quotes and
    /// escapes, each with its offset; keys that require other keys.
    pub(super) fn parse(text: &str) -> Result<Self, DataError> {
        let mut params = BTreeMap::new();
        let mut at = 0;
        while let Some(item) = next_parameter(text, at)? {
            at = item.end;
            let (key, generic) =
                parse_key(&text[item.start..item.key_end]).map_err(|e| e.at(item.start))?;
            let octets =
                if generic { from_wire(key, item.octets) } else { to_wire(key, &item.octets) };
            let octets = octets.map_err(|e| e.at(item.value_start))?;
            if params.insert(key, octets).is_some() {
                return Err(wrong(
                    format!("`{}` is a duplicate", key_name(key)),
                    "write each parameter once",
                )
                .at(item.start));
            }
        }
        let params = Self(params);
        params.check()?;
        Ok(params)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses parameters that lack a required other parameter (RFC 9460 sections 7.1.1 and 8).
    fn check(&self) -> Result<(), DataError> {
        let listed = self.0.get(&MANDATORY).map_or(&[][..], Vec::as_slice).as_chunks::<2>().0;
        if let Some(missing) =
            listed.iter().map(|k| u16::from_be_bytes(*k)).find(|k| !self.0.contains_key(k))
        {
            let key = key_name(missing);
            return Err(wrong(
                format!("`mandatory` names `{key}`, which is missing"),
                format!("add `{key}`, or take it out of `mandatory`"),
            ));
        }
        if self.0.contains_key(&NO_DEFAULT_ALPN) && !self.0.contains_key(&ALPN) {
            return Err(wrong(
                "`no-default-alpn` needs `alpn` beside it",
                "add `alpn`, or remove `no-default-alpn`",
            ));
        }
        Ok(())
    }
}

/// One parameter of a text.
struct WrittenParameter {
    /// Offset of the key.
    start: usize,
    /// Offset after the key.
    key_end: usize,
    /// Offset of the value.
    value_start: usize,
    /// Octets of the value, with quotes and escapes resolved.
    octets: Vec<u8>,
    /// Offset after the value.
    end: usize,
}

/// Reads the next parameter from an offset.
fn next_parameter(text: &str, from: usize) -> Result<Option<WrittenParameter>, DataError> {
    let bytes = text.as_bytes();
    let Some(start) = text[from..].find(|c: char| !c.is_ascii_whitespace()).map(|n| from + n)
    else {
        return Ok(None);
    };
    let is_end = |c: char| c == '=' || c.is_ascii_whitespace();
    let key_end = text[start..].find(is_end).map_or(text.len(), |n| start + n);
    if bytes.get(key_end) != Some(&b'=') {
        return Ok(Some(WrittenParameter {
            start,
            key_end,
            value_start: start,
            octets: Vec::new(),
            end: key_end,
        }));
    }
    let value_start = key_end + 1;
    // A quoted value ends at the next unescaped quote, any other at the next blank.
    let quoted = bytes.get(value_start) == Some(&b'"');
    let mut end = value_start + usize::from(quoted);
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'\\' => end += 1,
            b'"' if quoted => break,
            b if !quoted && b.is_ascii_whitespace() => break,
            _ => {}
        }
        end += 1;
    }
    end = (end + usize::from(quoted)).min(bytes.len());
    if !text.is_char_boundary(end) {
        end = (end..=bytes.len()).find(|n| text.is_char_boundary(*n)).unwrap_or(bytes.len());
    }
    if quoted && bytes.get(end).is_some_and(|b| !b.is_ascii_whitespace()) {
        return Err(wrong(
            "text follows a closing quote without a space",
            "write a space between parameters",
        )
        .at(end));
    }
    let shift = |mut e: DataError| {
        e.field = Some("value");
        e.offset = e.offset.map(|n| n + value_start);
        e
    };
    let octets = presentation::tokens(&text[value_start..end])
        .map_err(shift)?
        .into_iter()
        .flat_map(|w| w.octets);
    Ok(Some(WrittenParameter { start, key_end, value_start, octets: octets.collect(), end }))
}

/// Splits a comma-separated list; `\,` and `\\` are a literal comma and backslash (RFC 9460
/// appendix A.1).
fn split_list(octets: &[u8]) -> Result<Vec<Vec<u8>>, DataError> {
    let mut members = vec![Vec::new()];
    let mut unread = octets.iter();
    while let Some(octet) = unread.next() {
        let octet = match octet {
            b',' => {
                members.push(Vec::new());
                continue;
            }
            b'\\' => match unread.next() {
                Some(escaped @ (b',' | b'\\')) => escaped,
                _ => {
                    return Err(wrong(
                        "a `\\` in a list is allowed only before a comma or another `\\`",
                        "write `\\\\,` for a comma inside a member",
                    ));
                }
            },
            other => other,
        };
        if let Some(last) = members.last_mut() {
            last.push(*octet);
        }
    }
    if members.iter().any(Vec::is_empty) {
        return Err(wrong(
            "a member of the list is empty",
            "write at least one value, with one comma between values",
        ));
    }
    Ok(members)
}

/// Converts a value from text form to wire form.
fn to_wire(key: u16, value: &[u8]) -> Result<Vec<u8>, DataError> {
    let name = key_name(key);
    let text = || String::from_utf8_lossy(value);
    if value.is_empty()
        && !matches!(kind_of_key(key), ParameterKind::Nothing | ParameterKind::Octets)
    {
        return Err(wrong(
            format!("`{name}` needs a value"),
            format!("write `{name}=…`, or remove it"),
        ));
    }
    let mut wire = Vec::new();
    match kind_of_key(key) {
        ParameterKind::Octets => wire.extend_from_slice(value),
        ParameterKind::Nothing if value.is_empty() => {}
        ParameterKind::Nothing => {
            return Err(wrong(format!("`{name}` has no value"), format!("write `{name}` alone")));
        }
        ParameterKind::Text => match std::str::from_utf8(value) {
            Ok(text) => wire.extend_from_slice(text.as_bytes()),
            Err(_) => return Err(wrong(format!("`{name}` is not UTF-8"), "write text")),
        },
        ParameterKind::Base64 => {
            let octets = Digits::of_text(&text()).base64("value");
            wire = octets.map_err(|mut e| {
                e.offset = None;
                e
            })?;
        }
        ParameterKind::Port => {
            match presentation::integer(&text()).and_then(|n| u16::try_from(n).ok()) {
                Some(port) => wire.extend(port.to_be_bytes()),
                None => {
                    return Err(wrong(
                        format!("`{}` is not a port", text()),
                        "write a number from 0 to 65535",
                    ));
                }
            }
        }
        ParameterKind::Ipv4 | ParameterKind::Ipv6 => {
            for member in split_list(value)? {
                let text = String::from_utf8_lossy(&member).trim().to_owned();
                let (octets, example) = match kind_of_key(key) {
                    ParameterKind::Ipv4 => {
                        (text.parse::<Ipv4Addr>().map(|a| a.octets().to_vec()), "192.0.2.10")
                    }
                    _ => (text.parse::<Ipv6Addr>().map(|a| a.octets().to_vec()), "2001:db8::10"),
                };
                wire.extend(octets.map_err(|_| {
                    wrong(
                        format!("`{text}` is not an address for `{name}`"),
                        format!("write addresses such as {example}"),
                    )
                })?);
            }
        }
        ParameterKind::Protocols => {
            for member in split_list(value)? {
                let length = u8::try_from(member.len()).map_err(|_| {
                    wrong(
                        "a protocol identifier has more than 255 bytes",
                        "write identifiers such as h2 or h3",
                    )
                })?;
                wire.push(length);
                wire.extend(member);
            }
        }
        ParameterKind::Keys => {
            let mut keys = Vec::new();
            for member in split_list(value)? {
                let (key, _) = self::parse_key(&String::from_utf8_lossy(&member))?;
                if key == MANDATORY || keys.contains(&key) {
                    return Err(wrong(
                        format!(
                            "`mandatory` cannot name `{}`{}",
                            self::key_name(key),
                            if key == MANDATORY { "" } else { " twice" }
                        ),
                        "write each other key once",
                    ));
                }
                keys.push(key);
            }
            keys.sort_unstable();
            wire.extend(keys.into_iter().flat_map(u16::to_be_bytes));
        }
    }
    Ok(wire)
}

/// Converts octets that were given directly to their canonical form.
fn from_wire(key: u16, octets: Vec<u8>) -> Result<Vec<u8>, DataError> {
    match value_text(key, &octets) {
        Some(value) => to_wire(key, &value),
        None => Err(wrong(
            format!("these are not octets of `{}`", key_name(key)),
            format!("write `{}=…`; `key{key}` takes the octets of the wire format", key_name(key)),
        )),
    }
}

/// Returns the text form of the value, before quotes and escapes; `None` for octets that are
/// invalid for the key.
fn value_text(key: u16, wire: &[u8]) -> Option<Vec<u8>> {
    let list = |members: Vec<String>| (!members.is_empty()).then(|| members.join(",").into_bytes());
    match kind_of_key(key) {
        ParameterKind::Octets => Some(wire.to_vec()),
        ParameterKind::Nothing => wire.is_empty().then(Vec::new),
        ParameterKind::Text => std::str::from_utf8(wire).is_ok().then(|| wire.to_vec()),
        ParameterKind::Base64 => Some(base64(wire).into_bytes()),
        ParameterKind::Port => {
            <[u8; 2]>::try_from(wire).ok().map(|b| u16::from_be_bytes(b).to_string().into_bytes())
        }
        ParameterKind::Ipv4 => {
            let (chunks, rest) = wire.as_chunks::<4>();
            list(chunks.iter().map(|b| Ipv4Addr::from(*b).to_string()).collect())
                .filter(|_| rest.is_empty())
        }
        ParameterKind::Ipv6 => {
            let (chunks, rest) = wire.as_chunks::<16>();
            list(chunks.iter().map(|b| Ipv6Addr::from(*b).to_string()).collect())
                .filter(|_| rest.is_empty())
        }
        ParameterKind::Keys => {
            let (chunks, rest) = wire.as_chunks::<2>();
            list(chunks.iter().map(|b| key_name(u16::from_be_bytes(*b))).collect())
                .filter(|_| rest.is_empty())
        }
        ParameterKind::Protocols => {
            let mut value: Vec<u8> = Vec::new();
            let mut unread = wire;
            while let Some((length, tail)) = unread.split_first() {
                let (member, tail) = tail.split_at_checked(usize::from(*length))?;
                if !value.is_empty() {
                    value.push(b',');
                }
                for octet in member {
                    if matches!(octet, b',' | b'\\') {
                        value.push(b'\\');
                    }
                    value.push(*octet);
                }
                unread = tail;
            }
            Some(value)
        }
    }
}

impl fmt::Display for SvcParams {
    /// Writes the parameters in the form of Cloudflare's answers: in the order of the key numbers,
    /// by name, with quoted values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (key, wire)) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str(" ")?;
            }
            f.write_str(&key_name(*key))?;
            if !wire.is_empty() {
                let value = value_text(*key, wire).unwrap_or_default();
                write!(f, "={}", presentation::quoted(&value))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> Result<String, DataError> {
        SvcParams::parse(text).map(|p| p.to_string())
    }

    #[test]
    fn spellings_of_one_set() {
        let set = r#"alpn="h2,h3" port="443""#;
        for text in [
            "alpn=h2,h3 port=443",
            " port=\"443\"  alpn=\"h2,h3\"\n",
            "PORT=443 ALPN=h2,h3",
            r#"alpn="h\050,h3" port=443"#,
        ] {
            assert_eq!(canonical(text).unwrap(), set, "{text}");
        }
        assert_eq!(canonical(r#"key3="\001\187" key1="\002h2\002h3""#).unwrap(), set);
        assert_ne!(canonical("alpn=h3,h2 port=443").unwrap(), set);
        assert_eq!(canonical("key2 key1=\\002h2").unwrap(), r#"alpn="h2" no-default-alpn"#);
        assert_eq!(canonical("").unwrap(), "");
    }

    #[test]
    fn vectors_of_the_standard() {
        // RFC 9460 appendix D.2, figures 5, 6, 8, 9 and 10.
        assert_eq!(canonical(r#"key667="hello\210qoo""#).unwrap(), r#"key667="hello\210qoo""#);
        assert_eq!(
            canonical(r#"ipv6hint="2001:db8::1,2001:db8::53:1""#).unwrap(),
            r#"ipv6hint="2001:db8::1,2001:db8::53:1""#
        );
        let set = r#"mandatory="alpn,ipv4hint" alpn="h2,h3-19" ipv4hint="192.0.2.1""#;
        assert_eq!(
            canonical("alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1").unwrap(),
            set
        );
        let params = SvcParams::parse(r#"alpn="f\\\\oo\\,bar,h2""#).unwrap();
        assert_eq!(params.0[&ALPN], b"\x08f\\oo,bar\x02h2");
        assert_eq!(SvcParams::parse(r"alpn=f\\\092oo\092,bar,h2").unwrap(), params);
        assert_eq!(params.to_string(), r#"alpn="f\\\\oo\\,bar,h2""#);
    }

    #[test]
    fn mistakes_and_their_places() {
        for (bad, at) in [
            ("alpn", Some(0)),
            ("port=80 alpn=", Some(13)),
            ("port=65536", Some(5)),
            ("port=80 port=81", Some(8)),
            ("key3=853", Some(5)),
            ("key1=h2", Some(5)),
            ("alpn=h2 no-default-alpn=x", Some(24)),
            ("no-default-alpn", None),
            ("mandatory=alpn", None),
            ("mandatory=mandatory", Some(10)),
            ("mandatory=port,port port=1", Some(10)),
            ("ipv4hint=1.2.3", Some(9)),
            ("ipv4hint=192.0.2.1,", Some(9)),
            ("alpn=h2,,h3", Some(5)),
            ("colour=red", Some(0)),
            ("key65535=x", Some(0)),
            ("key03=x", Some(0)),
            ("alpn=\"h2", Some(5)),
            ("alpn=\"h2\"port=1", Some(9)),
            ("alpn=h\"2", Some(6)),
            ("alpn=h2\\", Some(7)),
            ("é=1", Some(0)),
            ("ech=!", Some(4)),
        ] {
            let error = SvcParams::parse(bad).expect_err(bad);
            assert_eq!(error.offset, at, "{bad}: {error}");
        }
    }
}
