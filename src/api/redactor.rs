//! Removes secrets from texts of others, in every common encoding.
//!
//! A server can return a secret as it was sent, reversed, in UTF-16, escaped (`%40`, `\u0040`,
//! `&#64;`, also twice), or encoded (base64 in both alphabets, base32 and hexadecimal digits at any
//! offset, the digits also with separators). The text is decoded in each of these ways, and the
//! places of secrets are replaced.

use std::ops::Range;

use secrecy::{ExposeSecret, SecretString};

use super::credentials::Credentials;
use crate::diagnostic::REDACTED;

/// Length of the shortest text that is treated as a secret.
///
/// # Units
/// Bytes. Real secrets have at least 37; replacing a placeholder of one letter would only make
/// every message unreadable.
const SHORTEST_SECRET: usize = 4;

/// Length of the longest text that is decoded; the rest is cut off. No refusal is that long.
///
/// # Units
/// Bytes.
const LONGEST_TEXT: usize = 1 << 20;

/// Maximum number of times that escapes are undone: an error that quotes an error escapes twice.
const MOST_ROUNDS: usize = 3;

/// Maximum depth of encodings: base64 of hexadecimal, or of base64.
const MOST_LAYERS: usize = 2;

/// An encoding of bytes in characters (RFC 4648).
struct Encoding {
    /// Bits of a character.
    width: u32,
    /// Smallest number of characters that encodes whole bytes.
    period: usize,
    /// Returns the bits of a character.
    digit: fn(u8) -> Option<u32>,
}

const ENCODINGS: [Encoding; 3] = [
    Encoding { width: 4, period: 2, digit: hexadecimal_digit },
    Encoding { width: 5, period: 8, digit: base32_digit },
    Encoding { width: 6, period: 4, digit: base64_digit },
];

pub(super) struct Redactor {
    secrets: Vec<SecretString>,
}

/// A decoded byte and its position in the text.
#[derive(Clone, Copy)]
struct Spelled {
    byte: u8,
    start: usize,
    end: usize,
}

impl Redactor {
    /// Creates a redactor for the secrets of credentials.
    pub(super) fn new(credentials: &Credentials) -> Self {
        let secrets = match credentials {
            Credentials::Token(token) => vec![token],
            Credentials::Key { email, key } => vec![email, key],
            Credentials::TokenThenKey { token, email, key } => vec![token, email, key],
        };
        let is_secret = |secret: &&SecretString| secret.expose_secret().len() >= SHORTEST_SECRET;
        let reversed = |secret: &SecretString| {
            SecretString::from(secret.expose_secret().chars().rev().collect::<String>())
        };
        let secrets = secrets.into_iter().filter(is_secret);
        Self { secrets: secrets.flat_map(|secret| [secret.clone(), reversed(secret)]).collect() }
    }

    /// Removes the secrets from a text. Ignores the case of ASCII letters.
    pub(super) fn text(&self, text: &str) -> String {
        let text = &text[..text.floor_char_boundary(LONGEST_TEXT)];
        let spelled = |(start, byte)| Spelled { byte, start, end: start + 1 };
        let mut reading: Vec<Spelled> = text.bytes().enumerate().map(spelled).collect();
        let mut places = Vec::new();
        for _ in 0..MOST_ROUNDS {
            self.find(&reading, MOST_LAYERS, &mut places);
            let unescaped = undo_escapes(&reading);
            if unescaped.len() == reading.len() {
                break;
            }
            reading = unescaped;
        }
        without_places(text, places)
    }

    /// Adds the places of secrets in a decoded text, and of words that encode one.
    fn find(&self, reading: &[Spelled], layers: usize, places: &mut Vec<Range<usize>>) {
        self.find_plain(reading, places);
        // UTF-16 has a zero byte beside each letter.
        self.find_plain(&without_zeros(reading.iter().copied()), places);
        let digits: Vec<Spelled> =
            reading.iter().filter(|one| one.byte.is_ascii_alphanumeric()).copied().collect();
        for shift in 0..2.min(digits.len()) {
            self.find_plain(&without_zeros(digit_pairs(&digits[shift..])), places);
        }
        let bytes: Vec<u8> = reading.iter().map(|one| one.byte).collect();
        for word in base64_words(&bytes) {
            if self.is_encoded_in(&bytes[word.clone()], layers) {
                places.push(reading[word.start].start..reading[word.end - 1].end);
            }
        }
    }

    /// Adds the places of secrets in a decoded text.
    fn find_plain(&self, reading: &[Spelled], places: &mut Vec<Range<usize>>) {
        let bytes: Vec<u8> = reading.iter().map(|one| one.byte).collect();
        for secret in &self.secrets {
            let matches = positions(&bytes, secret.expose_secret().as_bytes());
            places.extend(
                matches.map(|range| reading[range.start].start..reading[range.end - 1].end),
            );
        }
    }

    /// Returns true if a word encodes a text that contains a secret.
    fn is_encoded_in(&self, word: &[u8], layers: usize) -> bool {
        // Length of the shortest encoding of the shortest secret. Most words of messages are
        // shorter.
        if layers == 0 || word.len() < SHORTEST_SECRET * 4 / 3 {
            return false;
        }
        let is_in = |decoded: &[u8]| {
            let is_plain = |secret: &SecretString| {
                positions(decoded, secret.expose_secret().as_bytes()).next().is_some()
            };
            self.secrets.iter().any(is_plain)
                || base64_words(decoded).any(|word| self.is_encoded_in(&decoded[word], layers - 1))
        };
        ENCODINGS.iter().any(|encoding| {
            (0..encoding.period.min(word.len()))
                .any(|shift| is_in(&decode_base64(&word[shift..], encoding)))
        })
    }
}

/// Replaces each place of a text, and overlapping places once.
fn without_places(text: &str, mut places: Vec<Range<usize>>) -> String {
    places.sort_by_key(|place| (place.start, place.end));
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for place in places {
        if place.start >= end {
            kept.push_str(&String::from_utf8_lossy(&text.as_bytes()[end..place.start]));
            kept.push_str(REDACTED);
        }
        end = end.max(place.end);
    }
    kept.push_str(&String::from_utf8_lossy(&text.as_bytes()[end..]));
    kept
}

/// Finds a secret in a text. Ignores the case of ASCII letters.
fn positions<'t>(text: &'t [u8], secret: &'t [u8]) -> impl Iterator<Item = Range<usize>> + 't {
    let length = secret.len();
    let windows = text.windows(length).enumerate();
    windows
        .filter(move |(_, window)| window.eq_ignore_ascii_case(secret))
        .map(move |(at, _)| at..at + length)
}

/// Finds the ranges of a text that have only base64 characters of either alphabet, which include
/// the characters of the other encodings.
fn base64_words(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].iter().position(|byte| base64_digit(*byte).is_some())?;
        let length = text[at..].iter().take_while(|byte| base64_digit(**byte).is_some()).count();
        let word = at..at + length;
        at += length;
        Some(word)
    })
}

/// Decodes a base64 character of the standard or the URL-safe alphabet.
fn base64_digit(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

/// Decodes a base32 character in either case.
fn base32_digit(byte: u8) -> Option<u32> {
    Some(u32::from(match byte.to_ascii_uppercase() {
        letter @ b'A'..=b'Z' => letter - b'A',
        b'2'..=b'7' => byte - b'2' + 26,
        _ => return None,
    }))
}

/// Decodes a hexadecimal digit in either case.
fn hexadecimal_digit(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(16)
}

/// Decodes a word, with or without padding. Other characters count as zero, and zero bytes are left
/// out, because no secret contains one.
fn decode_base64(word: &[u8], encoding: &Encoding) -> Vec<u8> {
    let (mut bits, mut count) = (0_u32, 0);
    let mut bytes = Vec::with_capacity(word.len() * encoding.width as usize / 8);
    for byte in word {
        bits = bits << encoding.width | (encoding.digit)(*byte).unwrap_or_default();
        count += encoding.width;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    bytes.retain(|byte| *byte != 0);
    bytes
}

/// Decodes pairs of hexadecimal digits. Any other pair is zero.
fn digit_pairs(digits: &[Spelled]) -> impl Iterator<Item = Spelled> + '_ {
    let byte = |pair: &[Spelled]| {
        Some((hexadecimal_digit(pair[0].byte)? << 4 | hexadecimal_digit(pair[1].byte)?) as u8)
    };
    digits.chunks_exact(2).map(move |pair| Spelled {
        byte: byte(pair).unwrap_or_default(),
        start: pair[0].start,
        end: pair[1].end,
    })
}

/// Removes zero bytes.
fn without_zeros(reading: impl Iterator<Item = Spelled>) -> Vec<Spelled> {
    reading.filter(|one| one.byte != 0).collect()
}

/// Undoes escapes: `%40`, `\u0040`, `\x40`, `\/`, `&#64;`, `&#x40;`, `&amp;`.
fn undo_escapes(reading: &[Spelled]) -> Vec<Spelled> {
    let mut out = Vec::with_capacity(reading.len());
    let mut at = 0;
    while let Some(first) = reading.get(at) {
        match decode_escape(&reading[at..]) {
            Some((byte, length)) => {
                out.push(Spelled { byte, start: first.start, end: reading[at + length - 1].end });
                at += length;
            }
            None => {
                out.push(*first);
                at += 1;
            }
        }
    }
    out
}

/// Decodes the escape at the beginning of a text. Returns its byte and its length.
fn decode_escape(reading: &[Spelled]) -> Option<(u8, usize)> {
    let byte = |at: usize| reading.get(at).map(|one| one.byte);
    let number = |from: usize, length: usize, radix: u32| {
        (from..from + length)
            .try_fold(0_u32, |sum, at| Some(sum * radix + char::from(byte(at)?).to_digit(radix)?))
    };
    let ascii = |code: u32, length: usize| {
        u8::try_from(code).ok().filter(u8::is_ascii).map(|byte| (byte, length))
    };
    match (byte(0)?, byte(1)?) {
        (b'%', _) => ascii(number(1, 2, 16)?, 3),
        (b'\\', b'u') => ascii(number(2, 4, 16)?, 6),
        (b'\\', b'x') => ascii(number(2, 2, 16)?, 4),
        (b'\\', other @ (b'/' | b'\\' | b'"')) => Some((other, 2)),
        (b'&', b'#') => {
            let is_hexadecimal = matches!(byte(2)?, b'x' | b'X');
            let (from, radix) = if is_hexadecimal { (3, 16) } else { (2, 10) };
            let digits = (from..from + 7)
                .take_while(|at| byte(*at).is_some_and(|b| b.is_ascii_hexdigit()))
                .count();
            let end = from + digits;
            let length = end + usize::from(byte(end) == Some(b';'));
            if digits == 0 { None } else { ascii(number(from, digits, radix)?, length) }
        }
        (b'&', _) => [
            ("&amp;", b'&'),
            ("&commat;", b'@'),
            ("&sol;", b'/'),
            ("&period;", b'.'),
            ("&lowbar;", b'_'),
        ]
        .into_iter()
        .find(|(name, _)| name.bytes().enumerate().all(|(at, wanted)| byte(at) == Some(wanted)))
        .map(|(name, byte)| (byte, name.len())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use data_encoding::{
        BASE32, BASE32_NOPAD, BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXLOWER, HEXUPPER,
    };

    use super::*;

    /// Creates a redactor of an email address and a key.
    fn of_key() -> Redactor {
        let (email, key) =
            (SecretString::from("ops@example.com"), SecretString::from("0123456789abcdef"));
        Redactor::new(&Credentials::Key { email, key })
    }

    #[test]
    fn secrets_are_removed_in_every_case_and_spelling() {
        let redactor = of_key();
        assert_eq!(
            redactor.text("no OPS@example.com, ops%40example.com, é 0123456789ABCDEF!"),
            "no [redacted], [redacted], é [redacted]!"
        );
        for escaped in [
            "ops\\u0040example.com",
            "ops&#64;example.com",
            "ops&#x40;example&#46;com",
            "ops&commat;example.com",
            "%6F%70%73%40%65%78%61%6d%70%6C%65%2e%63%6f%6d",
            "ops%2540example.com",
            "ops\\\\u0040example.com",
            "\\x6fps@example.com",
            "6f:70:73:40:65:78:61:6D:70:6C:65:2E:63:6F:6D",
            "6f 70 73 40 65 78 61 6d 70 6c 65 2e 63 6f 6d",
            "6f-70-73-40-65-78-61-6d-70-6c-65-2e-63-6f-6d",
            "moc.elpmaxe@spo",
            "o\0p\0s\0@\0e\0x\0a\0m\0p\0l\0e\0.\0c\0o\0m",
            "o\\u0000p\\u0000s\\u0000@\\u0000e\\u0000x\\u0000a\\u0000m\\u0000p\\u0000l\\u0000e\\u0000.\\u0000c\\u0000o\\u0000m",
        ] {
            assert_eq!(redactor.text(&format!("é <{escaped}> é")), "é <[redacted]> é", "{escaped}");
        }
        assert_eq!(redactor.text("nothing"), "nothing");
        let short = Redactor::new(&Credentials::Token(SecretString::from("e")));
        assert_eq!(short.text("nothing else"), "nothing else");
    }

    #[test]
    fn encoded_secrets_are_removed() {
        let redactor = of_key();
        for (before, after) in
            [("", ""), ("Bearer ", ""), ("{\"a\":\"", "\"}"), ("é", "ü?>"), ("ab", "c")]
        {
            let text = format!("{before}ops@example.com{after}");
            let encodings = [
                BASE32,
                BASE32_NOPAD,
                BASE64,
                BASE64_NOPAD,
                BASE64URL,
                BASE64URL_NOPAD,
                HEXLOWER,
                HEXUPPER,
            ];
            for encoding in encodings {
                let code = encoding.encode(text.as_bytes());
                for shown in
                    [code.clone(), BASE64.encode(code.as_bytes()), HEXLOWER.encode(code.as_bytes())]
                {
                    let cleaned = redactor.text(&format!("é token={shown} is wrong"));
                    let rest = cleaned.replace('=', "");
                    assert_eq!(rest, "é token[redacted] is wrong", "{text}: {shown}");
                }
            }
        }
        let code = BASE64.encode(b"ops@example.com").replace('=', "%3D");
        assert!(redactor.text(&code).starts_with(REDACTED));
        let listed: String =
            b"ops@example.com".iter().map(|byte| format!("0x{byte:02x}, ")).collect();
        assert_eq!(redactor.text(&listed), "0x[redacted], ");
        // A prefix of the same alphabet, at every offset.
        for prefix in ["a", "ab", "abc", "abcd"] {
            let code = format!("{prefix}{}", BASE64URL_NOPAD.encode(b"ops@example.com"));
            assert_eq!(redactor.text(&code), REDACTED);
        }
        let innocent =
            "unknown-identifier aGVsbG8gd29ybGQ= 9f86d081884c7d659a2feaa0c55ad015 %zz &#; \\u12 é";
        assert_eq!(redactor.text(innocent), innocent);
    }
}
