//! Octets written in hexadecimal digits or base64. Blanks and line breaks between the digits are
//! ignored.

use data_encoding::{BASE64, BASE64_NOPAD, DecodeKind, HEXLOWER, HEXLOWER_PERMISSIVE, HEXUPPER};

use super::DataError;
use super::presentation::PresentationToken;
use crate::diagnostic::count;

/// Digits without the blanks, each with its byte offset in the original text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Digits {
    /// The characters with their offsets.
    characters: Vec<(usize, char)>,
}

impl Digits {
    pub(super) fn of_text(text: &str) -> Self {
        Self { characters: text.char_indices().filter(|(_, c)| !c.is_whitespace()).collect() }
    }

    /// Reads the digits of several words. If a word has escapes, all of its digits have the offset
    /// of the word.
    pub(super) fn of_tokens(words: &[PresentationToken]) -> Self {
        let in_word = |word: &PresentationToken| {
            let start = word.offset + usize::from(word.quoted);
            let digits = Self::of_text(&word.text()).characters.into_iter();
            digits.map(|(at, c)| (start + at, c)).collect::<Vec<_>>()
        };
        Self { characters: words.iter().flat_map(in_word).collect() }
    }

    /// Returns the offset of the first digit.
    pub(super) fn offset(&self) -> usize {
        self.characters.first().map_or(0, |(at, _)| *at)
    }

    /// Decodes hexadecimal digits.
    ///
    /// # Errors
    /// No digits, characters other than digits, or an odd number of digits.
    pub(super) fn hex(&self, field: &'static str) -> Result<Vec<u8>, DataError> {
        let help = "write two of the digits 0 to 9 and a to f for each byte";
        if let Some((at, c)) = self.characters.iter().find(|(_, c)| !c.is_ascii_hexdigit()) {
            let help = if *c == ':' { "leave out the colons" } else { help };
            return Err(DataError::field(field, format!("{c:?} is not a hexadecimal digit"))
                .help(help)
                .at(*at));
        }
        let text: String = self.characters.iter().map(|(_, c)| c).collect();
        if text.is_empty() {
            return Err(DataError::field(field, format!("`{field}` is empty")).help(help));
        }
        HEXLOWER_PERMISSIVE.decode(text.as_bytes()).map_err(|_| {
            let message = format!("`{field}` has {} hexadecimal digits, an odd number", text.len());
            DataError::field(field, message).help(help).at(self.offset())
        })
    }

    /// Decodes base64; the padding may be missing.
    ///
    /// # Errors
    /// No characters, characters outside the alphabet, wrong padding, or a truncated text.
    pub(super) fn base64(&self, field: &'static str) -> Result<Vec<u8>, DataError> {
        let text: String = self.characters.iter().map(|(_, c)| c).collect();
        let bare = text.trim_end_matches('=');
        if text.is_empty() {
            return Err(DataError::field(field, format!("`{field}` is empty"))
                .help("write the octets in base64"));
        }
        let place = |n: usize| self.characters.get(n).map_or(0, |(at, _)| *at);
        if let Some(at) = text.find("-----") {
            return Err(DataError::field(field, "the base64 text is in its armoured form")
                .help(
                    "write only what is between the lines that begin with `-----`, without \
                    headers and checksum",
                )
                .at(place(text[..at].chars().count())));
        }
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
        if let Some((n, c)) = bare.chars().enumerate().find(|(_, c)| !legal(*c)) {
            let help = match c {
                '-' | '_' => "write `+` and `/` where the alphabet for addresses has `-` and `_`",
                '=' => "write `=` at the end only",
                _ => "write letters, digits, `+` and `/`, with `=` at the end",
            };
            return Err(DataError::field(field, format!("{c:?} is not allowed in base64"))
                .help(help)
                .at(place(n)));
        }
        let padding = text.len() - bare.len();
        if padding > 0 && padding != (4 - bare.len() % 4) % 4 {
            return Err(DataError::field(field, "the padding does not complete the base64 text")
                .help("write as many `=` at the end as make the length a multiple of four, or none")
                .at(place(bare.len())));
        }
        let octets = BASE64_NOPAD.decode(bare.as_bytes()).map_err(|e| {
            let message = match e.kind {
                DecodeKind::Length => "the base64 text ends in the middle of a byte",
                DecodeKind::Trailing | DecodeKind::Symbol | DecodeKind::Padding => {
                    "the last character of the base64 text has bits that mean nothing"
                }
            };
            DataError::field(field, message)
                .help("check that the end was not cut off")
                .at(place(e.position))
        })?;
        match octets.is_empty() {
            true => Err(DataError::field(field, format!("`{field}` is empty"))
                .help("write the octets in base64")),
            false => Ok(octets),
        }
    }
}

pub(super) fn lower_hex(octets: &[u8]) -> String {
    HEXLOWER.encode(octets)
}

pub(super) fn upper_hex(octets: &[u8]) -> String {
    HEXUPPER.encode(octets)
}

/// Encodes octets in base64 with padding.
pub(super) fn base64(octets: &[u8]) -> String {
    BASE64.encode(octets)
}

/// Refuses a digest whose length does not match its kind. Kinds that are not in the list may have
/// any length.
///
/// # Errors
/// The length is wrong.
pub(super) fn check_length(
    field: &'static str,
    octets: &[u8],
    kind_field: &'static str,
    kind: u32,
    lengths: &[(u32, usize)],
) -> Result<(), DataError> {
    match lengths.iter().find(|(k, _)| *k == kind) {
        Some((_, length)) if *length != octets.len() => Err(DataError::field(
            field,
            format!(
                "`{field}` has {}; with {kind_field} {kind} it has {length}",
                count(octets.len(), "byte")
            ),
        )
        .help(format!("write {} hexadecimal digits, or correct `{kind_field}`", length * 2))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_in_any_case_and_cut_anywhere() {
        for text in ["00ffA1", " 00 FF\na1\t", "00fFa 1"] {
            assert_eq!(Digits::of_text(text).hex("x").unwrap(), [0, 255, 161], "{text}");
        }
        for (bad, at) in [
            ("", None),
            ("  ", None),
            ("0 0g0", Some(3)),
            ("aa:bb", Some(2)),
            (" abc", Some(1)),
            ("aé", Some(1)),
        ] {
            assert_eq!(Digits::of_text(bad).hex("x").unwrap_err().offset, at, "{bad}");
        }
    }

    #[test]
    fn base64_with_and_without_padding() {
        for text in ["TUlJQg==", "TUlJQg", "TU lJ\nQg = ="] {
            assert_eq!(Digits::of_text(text).base64("x").unwrap(), b"MIIB", "{text}");
        }
        for (bad, at) in [
            ("", None),
            ("==", None),
            ("TUlJQg=", Some(6)),
            ("TUlJQ", Some(4)),
            ("TUlJQh==", Some(5)),
            ("TU=JQg", Some(2)),
            ("TU-J", Some(2)),
            ("TUlJ -----END CERTIFICATE-----", Some(5)),
            ("TUlJ====", None),
        ] {
            match Digits::of_text(bad).base64("x") {
                Err(error) => assert!(at.is_none() || error.offset == at, "{bad}: {error:?}"),
                Ok(octets) => panic!("{bad}: {octets:?}"),
            }
        }
    }
}
