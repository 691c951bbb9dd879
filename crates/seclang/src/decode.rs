//! Decodes the encodings that can hide an attack.

/// Maps code points of `%uHHHH` to bytes, from `SecUnicodeMapFile`.
pub(super) type UnicodeMap = std::collections::HashMap<u16, u8>;

/// Returns true for white space of C's `isspace`.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

fn hex_value(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'f' => byte - b'a' + 10,
        b'A'..=b'F' => byte - b'A' + 10,
        _ => 0,
    }
}

pub(super) fn hex_pair(high: u8, low: u8) -> u8 {
    hex_value(high) << 4 | hex_value(low)
}

fn is_hex(byte: Option<&u8>) -> bool {
    byte.is_some_and(u8::is_ascii_hexdigit)
}

pub(super) fn trim_start_bytes(text: &[u8]) -> &[u8] {
    &text[text.iter().position(|byte| !is_space(*byte)).unwrap_or(text.len())..]
}

pub(super) fn trim_end_bytes(text: &[u8]) -> &[u8] {
    &text[..text.iter().rposition(|byte| !is_space(*byte)).map_or(0, |last| last + 1)]
}

/// Decodes `%HH` and `+`. Also returns true if there was a percent sign without two digits.
pub(super) fn url_decode(text: &[u8]) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(text.len());
    let mut broken = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'%' if is_hex(text.get(at + 1)) && is_hex(text.get(at + 2)) => {
                out.push(hex_pair(text[at + 1], text[at + 2]));
                at += 3;
                continue;
            }
            b'%' => {
                broken = true;
                out.push(b'%');
            }
            b'+' => out.push(b' '),
            other => out.push(other),
        }
        at += 1;
    }
    (out, broken)
}

/// Decodes `%HH` only, as in a path.
pub(super) fn percent_decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte == b'%' && is_hex(text.get(at + 1)) && is_hex(text.get(at + 2)) {
            out.push(hex_pair(text[at + 1], text[at + 2]));
            at += 3;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    out
}

/// Converts a full-width character, U+FF01 to U+FF5E, to its ASCII character, which is 0x20 above
/// its low byte.
fn narrow(low: u8, high: &[u8]) -> u8 {
    if (1..0x5F).contains(&low) && high.iter().all(|byte| byte.eq_ignore_ascii_case(&b'f')) {
        low + 0x20
    } else {
        low
    }
}

pub(super) fn url_decode_unicode(text: &[u8], map: &UnicodeMap) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte == b'%' && text.get(at + 1).is_some_and(|next| next.eq_ignore_ascii_case(&b'u')) {
            if (2..6).all(|ahead| is_hex(text.get(at + ahead))) {
                let digits = &text[at + 2..at + 6];
                let code = u16::from(hex_pair(digits[0], digits[1])) << 8
                    | u16::from(hex_pair(digits[2], digits[3]));
                let mapped = map.get(&code).copied();
                out.push(
                    mapped.unwrap_or_else(|| narrow(hex_pair(digits[2], digits[3]), &digits[..2])),
                );
                at += 6;
            } else {
                out.extend_from_slice(&text[at..at + 2]);
                at += 2;
            }
        } else if byte == b'%' && is_hex(text.get(at + 1)) && is_hex(text.get(at + 2)) {
            out.push(hex_pair(text[at + 1], text[at + 2]));
            at += 3;
        } else {
            out.push(if byte == b'+' { b' ' } else { byte });
            at += 1;
        }
    }
    out
}

pub(super) fn url_encode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            b' ' => out.push(b'+'),
            b'*' => out.push(byte),
            byte if byte.is_ascii_alphanumeric() => out.push(byte),
            byte => out.extend_from_slice(format!("%{byte:02x}").as_bytes()),
        }
    }
    out
}

/// Writes each character above U+007F as `%uHHHH`. Bytes that begin no valid character are dropped.
pub(super) fn utf8_to_unicode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * 2);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let (length, lead) = match byte {
            0x00..=0x7F => {
                // A zero byte is kept only at the end.
                if byte != 0 || at + 1 == text.len() {
                    out.push(byte);
                }
                at += 1;
                continue;
            }
            0xC0..=0xDF => (2, byte & 0x1F),
            0xE0..=0xEF => (3, byte & 0x0F),
            0xF0..=0xF7 => (4, byte & 0x07),
            _ => {
                out.push(byte);
                at += 1;
                continue;
            }
        };
        if byte >= 0xF5 {
            out.push(byte);
        }
        let continuation: Option<&[u8]> = text
            .get(at + 1..at + length)
            .filter(|rest| rest.iter().all(|byte| byte & 0xC0 == 0x80));
        let Some(rest) = continuation else {
            at += 1;
            continue;
        };
        let code =
            rest.iter().fold(u32::from(lead), |code, byte| code << 6 | u32::from(byte & 0x3F));
        out.extend_from_slice(format!("%u{code:04x}").as_bytes());
        let surrogate = (0xD800..=0xDFFF).contains(&code);
        let overlong = code < [0x80, 0x800, 0x1_0000][length - 2];
        out.extend(std::iter::repeat_n(byte, usize::from(surrogate) + usize::from(overlong)));
        at += length;
    }
    out
}

pub(super) fn html_entities(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte != b'&' || at + 1 >= text.len() {
            out.push(byte);
            at += 1;
            continue;
        }
        let digits = |from: usize, is: fn(&u8) -> bool| {
            text[from.min(text.len())..].iter().take_while(|byte| is(byte)).count()
        };
        let (decoded, end) = if text[at + 1] == b'#' {
            let hexadecimal = text.get(at + 2).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'x'));
            let start = at + 2 + usize::from(hexadecimal);
            let count = if hexadecimal {
                digits(start, u8::is_ascii_hexdigit)
            } else {
                digits(start, u8::is_ascii_digit)
            };
            if count == 0 {
                let copied = (start - at).min(text.len() - at);
                out.extend_from_slice(&text[at..at + copied]);
                at += copied;
                continue;
            }
            let radix = if hexadecimal { 16 } else { 10 };
            // Returns the low byte of the number, as C's `strtol` reads it.
            let value = text[start..start + count].iter().fold(0i64, |value, byte| {
                value.saturating_mul(radix).saturating_add(hex_value(*byte).into())
            });
            (value as u8, start + count)
        } else {
            let count = digits(at + 1, u8::is_ascii_alphanumeric);
            let name = text[at + 1..at + 1 + count].to_ascii_lowercase();
            let entities: [(&[u8], u8); 5] =
                [(b"quot", b'"'), (b"amp", b'&'), (b"lt", b'<'), (b"gt", b'>'), (b"nbsp", 0xA0)];
            match entities.iter().find(|(known, _)| name.starts_with(known)) {
                Some((_, decoded)) => (*decoded, at + 1 + count),
                None => {
                    out.extend_from_slice(&text[at..at + 1 + count]);
                    at += 1 + count;
                    continue;
                }
            }
        };
        out.push(decoded);
        at = end + usize::from(text.get(end) == Some(&b';'));
    }
    out
}

/// Returns the character that a letter after a backslash means in C and JavaScript.
fn control(letter: u8) -> Option<u8> {
    Some(match letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0B,
        _ => return None,
    })
}

/// Returns the value of up to three octal digits, and their number.
fn octal(text: &[u8]) -> (u32, usize) {
    let count = text.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    (text[..count].iter().fold(0, |value, byte| value * 8 + u32::from(byte - b'0')), count)
}

/// Returns the value of octal digits at the beginning, and their number.
fn octal_octet(text: &[u8]) -> Option<(u8, usize)> {
    let (value, count) = octal(text);
    (count > 0).then_some((value as u8, count))
}

/// Returns the value of two hexadecimal digits after a letter, and the length of all three
/// characters.
fn hex_octet(text: &[u8]) -> Option<(u8, usize)> {
    (is_hex(text.get(1)) && is_hex(text.get(2))).then(|| (hex_pair(text[1], text[2]), 3))
}

/// Replaces escape sequences. `special` returns the octet of a sequence with its own rule, and the
/// length of the sequence.
fn unescape(text: &[u8], special: impl Fn(&[u8]) -> Option<(u8, usize)>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        let unread = &text[at..];
        let Some(&next) = unread.first().filter(|_| byte == b'\\') else {
            out.push(byte);
            continue;
        };
        let (octet, taken) = special(unread).unwrap_or((control(next).unwrap_or(next), 1));
        out.push(octet);
        at += taken;
    }
    out
}

pub(super) fn js_decode(text: &[u8]) -> Vec<u8> {
    unescape(text, |rest| match rest[0] {
        b'u' if (1..5).all(|n| is_hex(rest.get(n))) => {
            Some((narrow(hex_pair(rest[3], rest[4]), &rest[1..3]), 5))
        }
        b'x' => hex_octet(rest),
        // A third digit is used only if the value still fits into one octet.
        b'4'..=b'7' => octal_octet(&rest[..rest.len().min(2)]),
        _ => octal_octet(rest),
    })
}

pub(super) fn escape_sequences(text: &[u8]) -> Vec<u8> {
    unescape(text, |rest| match rest[0] {
        b'x' | b'X' => hex_octet(rest),
        _ => octal_octet(rest),
    })
}

pub(super) fn css_decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&next) = text.get(at) else { break };
        let count = text[at..].iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
        if count == 0 {
            at += 1;
            if next != b'\n' {
                out.push(next);
            }
            continue;
        }
        let digits = &text[at..at + count];
        let low = if count == 1 {
            hex_value(digits[0])
        } else {
            hex_pair(digits[count - 2], digits[count - 1])
        };
        let leading_zeros = digits[..count.saturating_sub(4)].iter().all(|digit| *digit == b'0');
        let low = if count >= 4 && leading_zeros {
            narrow(low, &digits[count - 4..count - 2])
        } else {
            low
        };
        out.push(low);
        at += count + usize::from(text.get(at + count).is_some_and(|byte| is_space(*byte)));
    }
    out
}

/// Decodes base64 up to the first byte that is not base64; the forgiving form skips such bytes.
pub(super) fn base64_decode(text: &[u8], strict: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut bits = 0u32;
    let mut count = 0;
    for &byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => break,
            b'\r' | b'\n' => continue,
            _ if strict => break,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 1;
        if count == 4 {
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
            bits = 0;
            count = 0;
        }
    }
    match count {
        2 => out.push((bits >> 4) as u8),
        3 => out.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
        _ => {}
    }
    out
}

/// Decodes `0x414243`.
pub(super) fn sql_hex_decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let hexadecimal = text[at] == b'0'
            && text.get(at + 1).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'x'));
        if hexadecimal && is_hex(text.get(at + 2)) && is_hex(text.get(at + 3)) {
            at += 2;
            while is_hex(text.get(at)) && is_hex(text.get(at + 1)) {
                out.push(hex_pair(text[at], text[at + 1]));
                at += 2;
            }
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out
}
