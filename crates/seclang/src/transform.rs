//! Transformations, which rules apply to a value before they test it.
//!
//! They behave like libmodsecurity 3, also for malformed input, because the rules are tested with
//! it.

use std::borrow::Cow;

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

use super::decode::{
    UnicodeMap, base64_decode, css_decode, escape_sequences, hex_pair, html_entities, is_space,
    js_decode, sql_hex_decode, trim_end_bytes, trim_start_bytes, url_decode, url_decode_unicode,
    url_encode, utf8_to_unicode,
};

macro_rules! transformations {
    ($($variant:ident = $($name:literal)|+;)+) => {
        /// A transformation of the rule language.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(super) enum Transformation {
            $($variant,)+
        }

        impl Transformation {
            /// Finds a transformation by its name, in any case.
            pub(super) fn named(name: &str) -> Option<Self> {
                $($(if name.eq_ignore_ascii_case($name) {
                    return Some(Self::$variant);
                })+)+
                None
            }
        }
    };
}

transformations! {
    Base64Decode = "base64Decode";
    Base64DecodeExt = "base64DecodeExt";
    Base64Encode = "base64Encode";
    CmdLine = "cmdLine";
    CompressWhitespace = "compressWhitespace";
    CssDecode = "cssDecode";
    EscapeSeqDecode = "escapeSeqDecode";
    HexDecode = "hexDecode";
    HexEncode = "hexEncode";
    HtmlEntityDecode = "htmlEntityDecode";
    JsDecode = "jsDecode";
    Length = "length";
    Lowercase = "lowercase";
    NormalizePath = "normalizePath" | "normalisePath";
    NormalizePathWin = "normalizePathWin" | "normalisePathWin";
    RemoveComments = "removeComments";
    RemoveCommentsChar = "removeCommentsChar";
    RemoveNulls = "removeNulls";
    RemoveWhitespace = "removeWhitespace";
    ReplaceComments = "replaceComments";
    ReplaceNulls = "replaceNulls";
    Sha1 = "sha1";
    SqlHexDecode = "sqlHexDecode";
    Trim = "trim";
    TrimLeft = "trimLeft";
    TrimRight = "trimRight";
    Uppercase = "uppercase";
    UrlDecode = "urlDecode";
    UrlDecodeUni = "urlDecodeUni";
    UrlEncode = "urlEncode";
    Utf8ToUnicode = "utf8toUnicode";
}

impl Transformation {
    /// Returns the maximum factor by which a text can grow.
    pub(super) fn most_growth(self) -> usize {
        match self {
            Self::Base64Encode | Self::HexEncode => 2,
            Self::UrlEncode => 3,
            Self::Utf8ToUnicode => 7,
            _ => 1,
        }
    }

    /// Returns the transformed text; borrowed if nothing changed.
    pub(super) fn apply<'a>(self, text: &'a [u8], map: &UnicodeMap) -> Cow<'a, [u8]> {
        // Most values are plain words, which most transformations leave unchanged.
        let untouched = match self {
            Self::CssDecode | Self::EscapeSeqDecode | Self::JsDecode => !text.contains(&b'\\'),
            Self::HtmlEntityDecode => !text.contains(&b'&'),
            Self::Lowercase => !text.iter().any(u8::is_ascii_uppercase),
            Self::Uppercase => !text.iter().any(u8::is_ascii_lowercase),
            Self::RemoveNulls | Self::ReplaceNulls => !text.contains(&0),
            Self::RemoveComments | Self::RemoveCommentsChar | Self::ReplaceComments => {
                !text.iter().any(|byte| matches!(byte, b'/' | b'-' | b'#' | b'*' | b'<'))
            }
            Self::UrlDecode | Self::UrlDecodeUni => {
                !text.iter().any(|byte| matches!(byte, b'%' | b'+'))
            }
            Self::Utf8ToUnicode => text.iter().all(|byte| byte.is_ascii() && *byte != 0),
            Self::NormalizePath => !text.iter().any(|byte| matches!(byte, b'/' | b'.')),
            Self::NormalizePathWin => !text.iter().any(|byte| matches!(byte, b'/' | b'.' | b'\\')),
            Self::CompressWhitespace | Self::RemoveWhitespace => {
                !text.iter().any(|byte| is_space(*byte) || *byte >= 0xA0)
            }
            _ => false,
        };
        if untouched {
            return Cow::Borrowed(text);
        }
        let changed = match self {
            Self::Base64Decode => base64_decode(text, true),
            Self::Base64DecodeExt => base64_decode(text, false),
            Self::Base64Encode => data_encoding::BASE64.encode(text).into_bytes(),
            Self::CmdLine => command_line(text),
            Self::CompressWhitespace => compress_whitespace(text),
            Self::CssDecode => css_decode(text),
            Self::EscapeSeqDecode => escape_sequences(text),
            Self::HexDecode => {
                text.chunks_exact(2).map(|pair| hex_pair(pair[0], pair[1])).collect()
            }
            Self::HexEncode => data_encoding::HEXLOWER.encode(text).into_bytes(),
            Self::HtmlEntityDecode => html_entities(text),
            Self::JsDecode => js_decode(text),
            Self::Length => text.len().to_string().into_bytes(),
            Self::Lowercase => text.to_ascii_lowercase(),
            Self::NormalizePath => super::normalize_paths::normalize(text, false),
            Self::NormalizePathWin => super::normalize_paths::normalize(text, true),
            Self::RemoveComments => remove_comments(text),
            Self::RemoveCommentsChar => remove_comment_marks(text),
            Self::RemoveNulls => text.iter().copied().filter(|byte| *byte != 0).collect(),
            Self::RemoveWhitespace => text
                .iter()
                .copied()
                .filter(|byte| !is_space(*byte) && !matches!(byte, 0xA0 | 0xC2))
                .collect(),
            Self::ReplaceComments => replace_comments(text),
            Self::ReplaceNulls => {
                text.iter().map(|byte| if *byte == 0 { b' ' } else { *byte }).collect()
            }
            Self::Sha1 => digest(&SHA1_FOR_LEGACY_USE_ONLY, text).as_ref().to_vec(),
            Self::SqlHexDecode => sql_hex_decode(text),
            Self::Trim => trim_start_bytes(trim_end_bytes(text)).to_vec(),
            Self::TrimLeft => trim_start_bytes(text).to_vec(),
            Self::TrimRight => trim_end_bytes(text).to_vec(),
            Self::Uppercase => text.to_ascii_uppercase(),
            Self::UrlDecode => url_decode(text).0,
            Self::UrlDecodeUni => url_decode_unicode(text, map),
            Self::UrlEncode => url_encode(text),
            Self::Utf8ToUnicode => utf8_to_unicode(text),
        };
        if changed == text { Cow::Borrowed(text) } else { Cow::Owned(changed) }
    }
}

fn command_line(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut space = false;
    for &byte in text {
        match byte {
            b'"' | b'\'' | b'\\' | b'^' => {}
            b' ' | b',' | b';' | b'\t' | b'\r' | b'\n' => {
                if !space {
                    out.push(b' ');
                }
                space = true;
            }
            _ => {
                if matches!(byte, b'/' | b'(') && space {
                    out.pop();
                }
                space = false;
                out.push(byte.to_ascii_lowercase());
            }
        }
    }
    out
}

fn compress_whitespace(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut space = false;
    for &byte in text {
        if !is_space(byte) {
            out.push(byte);
        } else if !space {
            out.push(b' ');
        }
        space = is_space(byte);
    }
    out
}

fn remove_comments(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut inside = false;
    let mut at = 0;
    while at < text.len() {
        let unread = &text[at..];
        if inside {
            let end = [&b"*/"[..], b"-->"].into_iter().find(|end| unread.starts_with(end));
            if let Some(end) = end {
                inside = false;
                at += end.len();
                // The byte after a comment is kept, even if another comment begins there.
                out.extend(text.get(at));
            }
            at += 1;
        } else if unread.starts_with(b"/*") {
            inside = true;
            at += 2;
        } else if unread.starts_with(b"<!--") {
            inside = true;
            at += 4;
        } else if unread.starts_with(b"--") || unread[0] == b'#' {
            break;
        } else {
            out.push(unread[0]);
            at += 1;
        }
    }
    if inside {
        out.push(b' ');
    }
    out
}

fn remove_comment_marks(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let mark = [&b"/*"[..], b"*/", b"<!--", b"-->", b"--", b"#"]
            .into_iter()
            .find(|mark| text[at..].starts_with(mark));
        match mark {
            Some(mark) => at += mark.len(),
            None => {
                out.push(text[at]);
                at += 1;
            }
        }
    }
    out
}

fn replace_comments(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(b"/*") {
            out.push(b' ');
            at = text[at + 2..]
                .windows(2)
                .position(|pair| pair == b"*/")
                .map_or(text.len(), |end| at + end + 4);
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, cases: &[(&[u8], &[u8])]) {
        let transformation = Transformation::named(name).unwrap();
        for (input, expected) in cases {
            let found = transformation.apply(input, &UnicodeMap::new());
            assert_eq!(
                found.escape_ascii().to_string(),
                expected.escape_ascii().to_string(),
                "{name} of {}",
                input.escape_ascii()
            );
        }
    }

    #[test]
    fn decoding() {
        check("urlDecodeUni", &[(b"a+b%41%u0042%uff1C%zz%4", b"a bAB<%zz%4"), (b"%u12", b"%u12")]);
        check("urlDecode", &[(b"a%2Bb+%", b"a+b %")]);
        check(
            "jsDecode",
            &[(br"\u0061\x62\143\n\q\'\777\", b"abc\nq'\x3f7\\"), (br"\uff1c", b"<")],
        );
        check("escapeSeqDecode", &[(br"\x41\101\n\q\", b"AA\nq\\")]);
        check(
            "cssDecode",
            &[
                (br"ja\76 ascript\3a", b"javascript:"),
                (br"\00ff1c \x\", b"<x"),
                (br"\000061b", b"ab"),
            ],
        );
        check(
            "htmlEntityDecode",
            &[
                (b"&lt;&#60;&#x3c;&#x3C&amp&foo;&#;&", b"<<<<&&foo;&#;&"),
                (b"&ltfoo;x&#x0000024;", b"<x$"),
            ],
        );
        check(
            "base64Decode",
            &[(b"YWJj", b"abc"), (b"YWI=", b"ab"), (b"YQ", b"a"), (b"YWJj YQ", b"abc")],
        );
        check(
            "utf8toUnicode",
            &[
                ("é€😀".as_bytes(), b"%u00e9%u20ac%u1f600"),
                (b"a\xe9b", b"ab"),
                (b"\xc0\xaf", b"%u002f\xc0"),
            ],
        );
        check("sqlHexDecode", &[(b"0x414243", b"ABC"), (b"0x4g", b"0x4g")]);
        check("hexEncode", &[(b"\x01a", b"0161")]);
    }

    #[test]
    fn removing() {
        check("removeNulls", &[(b"a\0b", b"ab")]);
        check("removeWhitespace", &[(b"a \t\x0b\xc2\xa0b", b"ab")]);
        check("compressWhitespace", &[(b" a \t b", b" a b")]);
        check("replaceComments", &[(b"a/*b*/c/*d", b"a c "), (b"a*/b", b"a*/b")]);
        check("removeCommentsChar", &[(b"a/*b*/c--d#e<!--f-->", b"abcdef")]);
        check("removeComments", &[(b"a/*b*/cd--e", b"acd"), (b"x/*y", b"x ")]);
        check("cmdLine", &[(b"C^:\\\"Win\" ,; /c (x)", b"c:win/c(x)"), (b"a  b", b"a b")]);
        check("trim", &[(b" \ta b\n", b"a b"), (b"  ", b"")]);
        check("length", &[(b"abc", b"3")]);
        check(
            "sha1",
            &[(
                b"abc",
                b"\xa9\x99\x3e\x36\x47\x06\x81\x6a\xba\x3e\x25\x71\x78\x50\xc2\x6c\x9c\xd0\xd8\x9d",
            )],
        );
    }

    #[test]
    fn names_ignore_case_and_both_spellings_work() {
        assert_eq!(Transformation::named("NORMALISEPATH"), Some(Transformation::NormalizePath));
        assert_eq!(Transformation::named("none"), None);
    }
}
