//! The functions that rules of requests can use.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/functions, read 2026-11-22. The
//! following is assumed and not documented. A call with a missing argument has no value, except
//! that `concat` leaves the argument out. Text that is not valid Base64, and a JSON number beyond
//! 64 bits, have no value. `url_decode` keeps a percent sign that two digits do not follow.

use std::net::IpAddr;

use bumpalo::Bump;
use bumpalo::collections::Vec as Items;
use ipnet::IpNet;

use super::json;
use super::value::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Cidr,
    Cidr6,
    Concat,
    DecodeBase64,
    EndsWith,
    HasKey,
    HasValue,
    IsTimedHmacValid,
    Join,
    Len,
    LookupJsonInteger,
    LookupJsonString,
    Lower,
    RemoveBytes,
    StartsWith,
    Substring,
    Upper,
    UrlDecode,
}

impl Function {
    /// All functions that depend only on their arguments, by name.
    const ALL: [(&'static str, Self); 18] = [
        ("cidr", Self::Cidr),
        ("cidr6", Self::Cidr6),
        ("concat", Self::Concat),
        ("decode_base64", Self::DecodeBase64),
        ("ends_with", Self::EndsWith),
        ("has_key", Self::HasKey),
        ("has_value", Self::HasValue),
        ("is_timed_hmac_valid_v0", Self::IsTimedHmacValid),
        ("join", Self::Join),
        ("len", Self::Len),
        ("lookup_json_integer", Self::LookupJsonInteger),
        ("lookup_json_string", Self::LookupJsonString),
        ("lower", Self::Lower),
        ("remove_bytes", Self::RemoveBytes),
        ("starts_with", Self::StartsWith),
        ("substring", Self::Substring),
        ("upper", Self::Upper),
        ("url_decode", Self::UrlDecode),
    ];

    /// Returns a function by its name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }

    /// Returns the result for a first argument and the others.
    pub(super) fn call<'v>(
        self,
        first: Value<'v>,
        rest: &[Value<'v>],
        arena: &'v Bump,
    ) -> Value<'v> {
        let unknown = [first].iter().chain(rest).fold(0, |all, value| match value {
            Value::Unknown(reasons) => all | reasons,
            _ => all,
        });
        if unknown != 0 {
            return Value::Unknown(unknown);
        }
        let (second, third) = (rest.first().copied(), rest.get(1).copied());
        match (self, first, second) {
            (Self::Cidr, Value::Address(address), Some(Value::Integer(v4))) => match third {
                Some(Value::Integer(v6)) => network_of(address, v4, v6),
                _ => Value::Missing,
            },
            (Self::Cidr6, Value::Address(address), Some(Value::Integer(v6))) => {
                network_of(address, 32, v6)
            }
            (Self::Concat, ..) => concatenated(first, rest, arena),
            (Self::DecodeBase64, Value::Bytes(text), _) => {
                unencoded(&data_encoding::BASE64, text, arena).map_or(Value::Missing, Value::Bytes)
            }
            (Self::EndsWith, Value::Bytes(text), Some(Value::Bytes(end))) => {
                Value::Truth(text.ends_with(end))
            }
            (Self::StartsWith, Value::Bytes(text), Some(Value::Bytes(start))) => {
                Value::Truth(text.starts_with(start))
            }
            (Self::HasKey, Value::Map(entries), Some(Value::Bytes(key))) => {
                match entries.iter().find(|(name, _)| *name == key) {
                    Some((_, unknown @ Value::Unknown(_))) => *unknown,
                    entry => Value::Truth(entry.is_some()),
                }
            }
            (Self::HasValue, Value::Map(entries), Some(wanted)) => {
                let mut values = entries.iter().map(|(_, value)| *value);
                let unknown = values.clone().find(|value| matches!(value, Value::Unknown(_)));
                let has = Value::Truth(values.any(|value| value == wanted));
                unknown.filter(|_| has == Value::Truth(false)).unwrap_or(has)
            }
            (Self::HasValue, Value::Array(items), Some(wanted)) => {
                Value::Truth(items.contains(&wanted))
            }
            (Self::IsTimedHmacValid, Value::Bytes(key), Some(Value::Bytes(message))) => {
                hmac(key, message, rest.get(1..).unwrap_or_default(), arena)
            }
            (Self::Join, Value::Array(items), Some(Value::Bytes(separator))) => {
                joined_texts(items, separator, arena)
            }
            (Self::Len, Value::Bytes(text), _) => length_value(text.len()),
            (Self::Len, Value::Array(items), _) => length_value(items.len()),
            (Self::LookupJsonInteger, Value::Bytes(text), _) => {
                match json::found(text, rest, arena) {
                    number @ Value::Integer(_) => number,
                    _ => Value::Missing,
                }
            }
            (Self::LookupJsonString, Value::Bytes(text), _) => match json::found(text, rest, arena)
            {
                found @ Value::Bytes(_) => found,
                _ => Value::Missing,
            },
            (Self::Lower, Value::Bytes(text), _) => {
                cased(text, u8::is_ascii_uppercase, <[u8]>::make_ascii_lowercase, arena)
            }
            (Self::Upper, Value::Bytes(text), _) => {
                cased(text, u8::is_ascii_lowercase, <[u8]>::make_ascii_uppercase, arena)
            }
            (Self::RemoveBytes, Value::Bytes(text), Some(Value::Bytes(removed))) => {
                let kept = text.iter().copied().filter(|byte| !removed.contains(byte));
                Value::Bytes(Items::from_iter_in(kept, arena).into_bump_slice())
            }
            (Self::Substring, Value::Bytes(text), Some(Value::Integer(start))) => {
                substring(text, start, third)
            }
            (Self::UrlDecode, Value::Bytes(text), options) => {
                let options = match options {
                    Some(Value::Bytes(options)) => options,
                    _ => &[],
                };
                url_decoded(text, options, arena)
            }
            _ => Value::Missing,
        }
    }
}

fn length_value<'v>(length: usize) -> Value<'v> {
    i64::try_from(length).map_or(Value::Missing, Value::Integer)
}

fn network_of<'v>(address: IpAddr, v4: i64, v6: i64) -> Value<'v> {
    let bits = if address.is_ipv4() { v4 } else { v6 };
    let network = u8::try_from(bits).ok().and_then(|bits| IpNet::new(address, bits).ok());
    network.map_or(Value::Missing, |network| Value::Address(network.network()))
}

/// Concatenates texts or arrays. Missing ones are left out.
fn concatenated<'v>(first: Value<'v>, rest: &[Value<'v>], arena: &'v Bump) -> Value<'v> {
    let values = || [first].into_iter().chain(rest.iter().copied());
    let (mut bytes, mut items) = (Items::new_in(arena), Items::new_in(arena));
    for value in values() {
        match value {
            Value::Bytes(text) => bytes.extend_from_slice(text),
            Value::Integer(number) => {
                bytes.extend_from_slice(bumpalo::format!(in arena, "{}", number).as_bytes());
            }
            Value::Array(array) => items.extend_from_slice(array),
            Value::Unknown(_)
            | Value::Missing
            | Value::Truth(_)
            | Value::Address(_)
            | Value::Map(_) => {}
        }
    }
    match values().find(|value| *value != Value::Missing) {
        None => Value::Missing,
        Some(Value::Array(_)) => Value::Array(items.into_bump_slice()),
        Some(_) => Value::Bytes(bytes.into_bump_slice()),
    }
}

/// Joins texts with a separator.
fn joined_texts<'v>(items: &[Value<'v>], separator: &[u8], arena: &'v Bump) -> Value<'v> {
    let mut result = Items::new_in(arena);
    for (n, item) in items.iter().enumerate() {
        let Value::Bytes(text) = item else { return Value::Missing };
        if n > 0 {
            result.extend_from_slice(separator);
        }
        result.extend_from_slice(text);
    }
    Value::Bytes(result.into_bump_slice())
}

/// Converts text to upper or lower case.
fn cased<'v>(
    text: &'v [u8],
    differs: impl Fn(&u8) -> bool,
    change: impl Fn(&mut [u8]),
    arena: &'v Bump,
) -> Value<'v> {
    if !text.iter().any(differs) {
        return Value::Bytes(text);
    }
    let copy = arena.alloc_slice_copy(text);
    change(copy);
    Value::Bytes(copy)
}

/// Returns a part of a text. Negative positions count from its end.
fn substring<'v>(text: &'v [u8], start: i64, end: Option<Value<'v>>) -> Value<'v> {
    let position = |at: i64| {
        let distance = usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX);
        if at < 0 { text.len().saturating_sub(distance) } else { distance.min(text.len()) }
    };
    let end = match end {
        Some(Value::Integer(end)) => position(end),
        _ => text.len(),
    };
    Value::Bytes(text.get(position(start)..end).unwrap_or_default())
}

/// Decodes percent signs and plus signs. With `r` among the options, the result is decoded again
/// until nothing changes. With `u`, `%uHHHH` is a character.
fn url_decoded<'v>(text: &'v [u8], options: &[u8], arena: &'v Bump) -> Value<'v> {
    if !text.iter().any(|byte| matches!(byte, b'%' | b'+')) {
        return Value::Bytes(text);
    }
    let has_unicode = options.contains(&b'u');
    if !options.contains(&b'r') {
        return Value::Bytes(decoded_once(text, has_unicode, arena));
    }
    // A decoded character may complete an earlier percent sign. One pass over the text is enough,
    // however often it was encoded, because the end of the decoded text is checked after each byte.
    let mut decoded = Items::with_capacity_in(text.len(), arena);
    let mut waiting = Items::new_in(arena);
    for byte in text {
        waiting.push(*byte);
        while let Some(byte) = waiting.pop() {
            decoded.push(if byte == b'+' { b' ' } else { byte });
            if let Some((length, character)) = encoded_at_end(&decoded, has_unicode) {
                decoded.truncate(decoded.len() - length);
                let mut bytes = [0; 4];
                let bytes = match character {
                    Encoded::Byte(byte) => {
                        bytes[0] = byte;
                        &bytes[..1]
                    }
                    Encoded::Character(character) => character.encode_utf8(&mut bytes).as_bytes(),
                };
                waiting.extend(bytes.iter().rev());
            }
        }
    }
    Value::Bytes(decoded.into_bump_slice())
}

/// The meaning of an encoded sequence.
enum Encoded {
    Byte(u8),
    Character(char),
}

/// Returns the meaning of the encoded sequence at the end of a text, with its length.
fn encoded_at_end(text: &[u8], has_unicode: bool) -> Option<(usize, Encoded)> {
    // Most bytes do not end an encoded sequence.
    text.last().filter(|byte| byte.is_ascii_hexdigit())?;
    let tail = |length: usize| text.len().checked_sub(length).and_then(|at| text.get(at..));
    if let Some([b'%', digits @ ..]) = tail(3)
        && let Some(byte) = hexadecimal_number(digits).and_then(|number| u8::try_from(number).ok())
    {
        return Some((3, Encoded::Byte(byte)));
    }
    match tail(6) {
        Some([b'%', b'u', digits @ ..]) if has_unicode => hexadecimal_number(digits)
            .and_then(char::from_u32)
            .map(|character| (6, Encoded::Character(character))),
        _ => None,
    }
}

/// Parses hexadecimal digits.
fn hexadecimal_number(digits: &[u8]) -> Option<u32> {
    let digits = Some(digits).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Decodes one round.
fn decoded_once<'v>(text: &[u8], has_unicode: bool, arena: &'v Bump) -> &'v [u8] {
    let mut output = Items::with_capacity_in(text.len(), arena);
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let digits = |range: std::ops::Range<usize>| text.get(range).and_then(hexadecimal_number);
        let two = || digits(at + 1..at + 3).and_then(|byte| u8::try_from(byte).ok());
        let four =
            || digits(at + 2..at + 6).filter(|_| has_unicode && text.get(at + 1) == Some(&b'u'));
        let (length, decoded) = match byte {
            b'+' => (1, b' '),
            b'%' => match (four().and_then(char::from_u32), two()) {
                (Some(character), _) => {
                    output.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    at += 6;
                    continue;
                }
                (None, Some(byte)) => (3, byte),
                (None, None) => (1, b'%'),
            },
            byte => (1, *byte),
        };
        output.push(decoded);
        at += length;
    }
    output.into_bump_slice()
}

/// Decodes a text in an encoding such as Base64; `None` if it is not valid.
fn unencoded<'v>(
    encoding: &data_encoding::Encoding,
    text: &[u8],
    arena: &'v Bump,
) -> Option<&'v [u8]> {
    let bytes = arena.alloc_slice_fill_copy(encoding.decode_len(text.len()).ok()?, 0);
    let length = encoding.decode_mut(text, bytes).ok()?;
    bytes.get(..length)
}

/// Returns true if a message has a valid code and is not too old. Its parts are: message,
/// separator, ten digits of a time, `-`, code. `rest` has the time to live and the current time in
/// seconds, the length of the separator in bytes, and flags.
fn hmac<'v>(key: &[u8], text: &[u8], rest: &[Value<'v>], arena: &'v Bump) -> Value<'v> {
    let (Some(Value::Integer(ttl)), Some(Value::Integer(now))) = (rest.first(), rest.get(1)) else {
        return Value::Missing;
    };
    let separator = match rest.get(2) {
        Some(Value::Integer(length)) => usize::try_from(*length).unwrap_or(usize::MAX),
        _ => 0,
    };
    let is_url_safe = matches!(rest.get(3), Some(Value::Bytes(flags)) if flags.contains(&b's'));
    let valid = || {
        // The code contains no dash unless it is URL-safe, and then its length is fixed.
        let dash =
            if is_url_safe { text.len().checked_sub(44)? } else { memchr::memrchr(b'-', text)? };
        let (head, code) = (text.get(..dash)?, text.get(dash + 1..)?);
        let (head, time) = head.split_at_checked(head.len().checked_sub(10)?)?;
        let message = head.get(..head.len().checked_sub(separator)?)?;
        let issued: i64 = std::str::from_utf8(time).ok()?.parse().ok()?;
        let code = if is_url_safe {
            unencoded(&data_encoding::BASE64URL_NOPAD, code, arena)?
        } else {
            unencoded(&data_encoding::BASE64, decoded_once(code, false, arena), arena)?
        };
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, key);
        let mut signing = ring::hmac::Context::with_key(&key);
        signing.update(message);
        signing.update(time);
        let is_fresh = text.get(dash) == Some(&b'-') && issued.checked_add(*ttl)? >= *now;
        Some(is_fresh && signing.sign().as_ref() == code)
    };
    Value::Truth(valid().unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// One pass gives what rounds give, as many as change anything.
        #[test]
        fn repeated_decoding_is_one_pass(text in "[%25uU0+4a7fB]{0,40}", options in prop_oneof!["r", "ru"]) {
            let arena = Bump::new();
            let mut rounds = text.as_bytes();
            loop {
                let next = decoded_once(rounds, options.contains('u'), &arena);
                if next == rounds {
                    break;
                }
                rounds = next;
            }
            prop_assert_eq!(url_decoded(text.as_bytes(), options.as_bytes(), &arena), Value::Bytes(rounds));
        }
    }

    #[test]
    fn what_is_encoded_very_often_is_decoded_in_one_pass() {
        let text = format!("%{}41", "25".repeat(1 << 20));
        assert_eq!(url_decoded(text.as_bytes(), b"r", &Bump::new()), Value::Bytes(b"A"));
    }
}
