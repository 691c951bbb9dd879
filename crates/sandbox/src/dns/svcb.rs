//! Service parameters in wire format (RFC 9460 sections 2.2 and 14.3.2).

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use data_encoding::BASE64;

use crate::svc_params;

/// The number of `alpn`.
pub(super) const ALPN: u16 = 1;
/// The number of `ipv4hint`.
pub(super) const IPV4HINT: u16 = 4;
/// The number of `ipv6hint`.
pub(super) const IPV6HINT: u16 = 6;

/// The names of parameters, by their numbers (IANA, service parameter keys, read 2026-11).
const NAMES: [&str; 11] = [
    "mandatory",
    "alpn",
    "no-default-alpn",
    "port",
    "ipv4hint",
    "ech",
    "ipv6hint",
    "dohpath",
    "ohttp",
    "tls-supported-groups",
    "docpath",
];

/// Encodes parameters in the form of the API; `None` if one is malformed.
pub(super) fn wire(text: &str) -> Option<Vec<u8>> {
    let mut params: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
    for (name, octets) in svc_params::pairs(text)? {
        params.insert(key_number(&name)?, encode_value(&name, octets.as_deref())?);
    }
    Some(compose(params))
}

/// Encodes parameters in the order of their numbers.
pub(super) fn compose(parameters: impl IntoIterator<Item = (u16, Vec<u8>)>) -> Vec<u8> {
    let mut octets = Vec::new();
    for (number, value) in parameters {
        octets.extend(number.to_be_bytes());
        octets.extend(u16::try_from(value.len()).unwrap_or(0).to_be_bytes());
        octets.extend(value);
    }
    octets
}

fn key_number(name: &str) -> Option<u16> {
    if let Some(number) = NAMES.iter().position(|known| *known == name) {
        return u16::try_from(number).ok();
    }
    name.strip_prefix("key")?.parse().ok()
}

fn encode_value(name: &str, octets: Option<&[u8]>) -> Option<Vec<u8>> {
    let text = || std::str::from_utf8(octets?).ok();
    let value = match name {
        "mandatory" => {
            let mut numbers: Vec<u16> =
                text()?.split(',').map(key_number).collect::<Option<_>>()?;
            numbers.sort_unstable();
            numbers.into_iter().flat_map(u16::to_be_bytes).collect()
        }
        "alpn" => {
            let mut out = Vec::new();
            for protocol in split_list(octets?) {
                out.push(u8::try_from(protocol.len()).ok().filter(|length| *length > 0)?);
                out.extend(protocol);
            }
            out
        }
        "no-default-alpn" | "ohttp" => Vec::new(),
        "port" => text()?.parse::<u16>().ok()?.to_be_bytes().to_vec(),
        "ipv4hint" => {
            let addresses: Vec<Ipv4Addr> =
                text()?.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
            addresses.iter().flat_map(Ipv4Addr::octets).collect()
        }
        "ipv6hint" => {
            let addresses: Vec<Ipv6Addr> =
                text()?.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
            addresses.iter().flat_map(Ipv6Addr::octets).collect()
        }
        "ech" => BASE64.decode(octets?).ok()?,
        _ => octets.unwrap_or_default().to_vec(),
    };
    u16::try_from(value.len()).is_ok().then_some(value)
}

/// Splits a list at commas; a backslash makes the next octet a part of the item (RFC 9460 appendix
/// A.1).
fn split_list(octets: &[u8]) -> Vec<Vec<u8>> {
    let mut items = vec![Vec::new()];
    let mut bytes = octets.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b',' => items.push(Vec::new()),
            byte => {
                let byte = if *byte == b'\\' { bytes.next().unwrap_or(byte) } else { byte };
                if let Some(item) = items.last_mut() {
                    item.push(*byte);
                }
            }
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_the_rfc() {
        // RFC 9460 appendix D.2: port, and an unknown key.
        assert_eq!(wire("port=53"), Some(b"\x00\x03\x00\x02\x00\x35".to_vec()));
        assert_eq!(wire("key667=hello"), Some(b"\x02\x9b\x00\x05hello".to_vec()));
        let hints = wire("ipv6hint=\"2001:db8::1\"").unwrap();
        assert_eq!(hints, b"\x00\x06\x00\x10\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01");
        // Sorted by number: mandatory, alpn, ipv4hint.
        let sorted = wire("alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1").unwrap();
        let expected =
            b"\x00\x00\x00\x04\x00\x01\x00\x04\x00\x01\x00\x09\x02h2\x05h3-19\x00\x04\x00\x04\xc0\x00\x02\x01";
        assert_eq!(sorted, expected);
        let escaped = wire(r#"alpn="f\\\\oo\\,bar,h2""#).unwrap();
        assert_eq!(escaped, b"\x00\x01\x00\x0c\x08f\\oo,bar\x02h2");
        for bad in ["port=x", "alpn", "ipv4hint=2001:db8::1", "unheard=1", "port=70000"] {
            assert_eq!(wire(bad), None, "{bad}");
        }
    }
}
