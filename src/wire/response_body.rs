//! The body of a response, read as it arrives.
//!
//! Two kinds are read: [`Whole`] keeps the body and makes a tree of values of it, within a small
//! budget. [`List`] is for pages of records, the one kind that may be large: each item of `result`
//! is decoded into its type as soon as its last byte is there, and neither its text nor a tree of
//! its values is kept.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::envelope::{Envelope, EnvelopeError, excerpt};

/// The most bytes of an answer that is not a page of records, after decompression.
///
/// The largest known are the managed rulesets and the answer to a batch of 3,500 records, with 2 to
/// 4 MB.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// The most bytes of a page of records, after decompression. A page of 5,000 has 2 to 4 MB.
const MOST_LISTED_BYTES: usize = 32 * 1024 * 1024;
/// The most items of a page.
const MOST_ITEMS: usize = 50_000;
/// The most bytes of a page beside its items.
const MOST_BESIDE: usize = 1024 * 1024;
/// Up to so many bytes, a whole answer is small enough to be read beside any other.
const SMALL: usize = 256 * 1024;
/// The same for a page, of which the bytes are not kept.
const SMALL_LISTED: usize = 6 * 1024 * 1024;
/// The same for the items of a page.
const SMALL_ITEMS: usize = 10_000;
/// How many bytes of a page are kept for a message.
const HEAD: usize = 4096;

/// More than an answer may have, in words: `N bytes`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooMuch(pub String);

impl TooMuch {
    /// More than so many of something.
    fn of(most: usize, what: &str) -> Self {
        Self(format!("{most} {what}"))
    }
}

/// Why a body is no answer that can be used.
#[derive(Debug)]
pub enum Unusable {
    /// It has more than it may.
    TooMuch(TooMuch),
    /// It says no, or is no envelope.
    Body {
        /// Which of them.
        error: EnvelopeError,
        /// The body as far as it says why; `None` if the error says it all.
        body: Option<Vec<u8>>,
    },
}

/// Takes in a body.
pub trait Intake: Send + Sized {
    /// What the result is read as.
    type Result: Send;

    /// Nothing yet.
    fn begin() -> Self;

    /// The most bytes that a body may have.
    fn most_bytes() -> usize;

    /// The next bytes.
    ///
    /// # Errors
    /// They are more than an answer may have.
    fn push(&mut self, bytes: &[u8]) -> Result<(), TooMuch>;

    /// Whether so much came that few such answers should be read at once.
    fn is_large(&self) -> bool;

    /// All of it.
    ///
    /// # Errors
    /// As [`Envelope::read`].
    fn finish(self, status: u16) -> Result<Envelope<Self::Result>, Unusable>;
}

/// A body that is kept and read as a whole.
#[derive(Debug, Default)]
pub struct Whole(Vec<u8>);

impl Intake for Whole {
    type Result = Json;

    fn begin() -> Self {
        Self::default()
    }

    fn most_bytes() -> usize {
        MOST_BYTES
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), TooMuch> {
        if self.0.len() + bytes.len() > MOST_BYTES {
            return Err(TooMuch::of(MOST_BYTES, "bytes"));
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn is_large(&self) -> bool {
        self.0.len() > SMALL
    }

    fn finish(self, status: u16) -> Result<Envelope, Unusable> {
        Envelope::read(status, &self.0).map_err(|error| match error {
            EnvelopeError::TooMany(most) => Unusable::TooMuch(TooMuch::of(most, "values")),
            error => Unusable::Body { error, body: Some(self.0) },
        })
    }
}

/// A page of which each item is decoded when it is there.
#[derive(Debug)]
pub struct List<T> {
    /// The beginning of the body, for a message.
    head: Vec<u8>,
    /// The body without the items.
    beside: Vec<u8>,
    /// The items, if there is a list.
    items: Vec<T>,
    /// Bytes of the item that is not whole yet.
    item: Vec<u8>,
    /// Bytes so far.
    bytes: usize,
    /// Where the next byte belongs.
    at: At,
    /// Brackets that are open: beside the items, or within an item.
    depth: usize,
    /// Whether the next byte belongs to a text.
    in_text: bool,
    /// Whether it follows a backslash.
    is_escaped: bool,
    /// Where the text that was begun last begins in `beside`.
    text: usize,
    /// Whether the member that is read now is `result`.
    is_result: bool,
    /// What is wrong with the list.
    wrong: Option<String>,
}

/// Where a byte belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Outside of the list.
    Around,
    /// Between items; an item, a comma or the end may follow.
    Between(Next),
    /// Within an item; whether that is a text, and so ends with it.
    Item(bool),
}

/// What may follow within a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    ItemOrEnd,
    Item,
    CommaOrEnd,
}

impl<T: DeserializeOwned + Send> Intake for List<T> {
    type Result = Option<Vec<T>>;

    fn begin() -> Self {
        Self {
            head: Vec::new(),
            beside: Vec::new(),
            items: Vec::new(),
            item: Vec::new(),
            bytes: 0,
            at: At::Around,
            depth: 0,
            in_text: false,
            is_escaped: false,
            text: 0,
            is_result: false,
            wrong: None,
        }
    }

    fn most_bytes() -> usize {
        MOST_LISTED_BYTES
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), TooMuch> {
        self.bytes += bytes.len();
        if self.bytes > MOST_LISTED_BYTES {
            return Err(TooMuch::of(MOST_LISTED_BYTES, "bytes"));
        }
        self.head.extend_from_slice(&bytes[..bytes.len().min(HEAD - self.head.len())]);
        let mut rest = bytes;
        while !rest.is_empty() && self.wrong.is_none() {
            let used = match self.at {
                At::Around => self.beside(rest)?,
                At::Between(next) => self.between(rest[0], next),
                At::Item(is_text) => self.item(rest, is_text)?,
            };
            rest = &rest[used..];
        }
        Ok(())
    }

    fn is_large(&self) -> bool {
        self.bytes > SMALL_LISTED || self.items.len() > SMALL_ITEMS
    }

    fn finish(self, status: u16) -> Result<Envelope<Self::Result>, Unusable> {
        let not_whole = || format!("the list ends after {} bytes, in the middle", self.bytes);
        let is_cut = self.at != At::Around;
        if let Some(wrong) = self.wrong.or_else(|| is_cut.then(not_whole)) {
            let error = EnvelopeError::NotAnEnvelope(excerpt(&self.head, &wrong));
            return Err(Unusable::Body { error, body: None });
        }
        let Envelope { result, page, cursor } = Whole(self.beside).finish(status)?;
        Ok(Envelope { result: result.is_array().then_some(self.items), page, cursor })
    }
}

impl<T: DeserializeOwned> List<T> {
    /// Takes in bytes outside of the list, up to its beginning; how many.
    fn beside(&mut self, bytes: &[u8]) -> Result<usize, TooMuch> {
        for (n, byte) in bytes.iter().enumerate() {
            if self.beside.len() == MOST_BESIDE {
                return Err(TooMuch::of(MOST_BESIDE, "bytes beside its list"));
            }
            self.beside.push(*byte);
            if self.in_text {
                if self.is_text_over(*byte) && self.depth == 1 {
                    self.is_result =
                        self.beside[self.text..].strip_suffix(b"\"") == Some(b"result");
                }
                continue;
            }
            match byte {
                b'"' => (self.in_text, self.text) = (true, self.beside.len()),
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                b',' if self.depth == 1 => self.is_result = false,
                _ => {}
            }
            if *byte == b'[' && self.depth == 2 && self.is_result {
                // Of a member that comes twice the last counts.
                self.items.clear();
                (self.at, self.depth) = (At::Between(Next::ItemOrEnd), 0);
                return Ok(n + 1);
            }
        }
        Ok(bytes.len())
    }

    /// Takes in a byte between items, unless it begins one; how many.
    fn between(&mut self, byte: u8, next: Next) -> usize {
        match (byte, next) {
            (b' ' | b'\t' | b'\r' | b'\n', _) => 1,
            (b']', Next::ItemOrEnd | Next::CommaOrEnd) => {
                self.beside.push(byte);
                (self.at, self.depth, self.is_result) = (At::Around, 1, false);
                1
            }
            (b',', Next::CommaOrEnd) => {
                self.at = At::Between(Next::Item);
                1
            }
            (_, Next::ItemOrEnd | Next::Item) => {
                self.at = At::Item(byte == b'"');
                0
            }
            (_, Next::CommaOrEnd) => {
                self.wrong = Some(format!(
                    "after {} items of the list there is neither `,` nor `]`",
                    self.items.len()
                ));
                1
            }
        }
    }

    /// Takes in bytes of an item, up to its end; how many.
    fn item(&mut self, bytes: &[u8], is_text: bool) -> Result<usize, TooMuch> {
        for (n, byte) in bytes.iter().enumerate() {
            if self.in_text {
                if self.is_text_over(*byte) && is_text && self.depth == 0 {
                    return self.whole(bytes, n + 1);
                }
                continue;
            }
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.depth += 1,
                b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => {
                    return self.whole(bytes, n);
                }
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return self.whole(bytes, n + 1);
                    }
                }
                _ => {}
            }
        }
        self.item.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Whether a text is over with this byte of it.
    fn is_text_over(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => self.in_text = false,
            _ => {}
        }
        !self.in_text
    }

    /// Decodes an item, of which these many bytes are the rest; how many.
    fn whole(&mut self, bytes: &[u8], used: usize) -> Result<usize, TooMuch> {
        let decoded = if self.item.is_empty() {
            serde_json::from_slice(&bytes[..used])
        } else {
            self.item.extend_from_slice(&bytes[..used]);
            serde_json::from_slice(&self.item)
        };
        self.item.clear();
        // The capacity of a very long one is not kept.
        self.item.shrink_to(HEAD);
        self.at = At::Between(Next::CommaOrEnd);
        match decoded {
            Ok(_) if self.items.len() == MOST_ITEMS => {
                return Err(TooMuch::of(MOST_ITEMS, "items"));
            }
            Ok(item) => self.items.push(item),
            Err(error) => {
                self.wrong = Some(format!("item {} of the list: {error}", self.items.len() + 1))
            }
        }
        Ok(used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a body in parts of this size.
    fn list(body: &str, size: usize) -> Result<Envelope<Option<Vec<Json>>>, Unusable> {
        let mut list = List::<Json>::begin();
        for part in body.as_bytes().chunks(size) {
            list.push(part).map_err(Unusable::TooMuch)?;
        }
        list.finish(200)
    }

    #[test]
    fn a_list_is_what_a_tree_of_values_would_be() {
        let bodies = [
            r#"{"success":true,"result":[]}"#,
            r#"{"result":[1,"a]\"[,",null,[[1]],{"a":{"b":"}"}},true],"success":true,"result_info":{"page":2}}"#,
            " { \"success\" : true ,\n \"result\" : [\n  { \"a\" : 1 } , 2.5\n ]\t}",
            r#"{"success":true,"x":{"result":[1]},"y":["result",[2]],"result":[3]}"#,
            r#"{"success":true,"result":[1,2],"result":[3]}"#,
            r#"{"success":true,"result":[1,2],"result":{"a":1}}"#,
            r#"{"success":true,"result":null}"#,
            r#"{"success":true,"a":"result","b":[1]}"#,
            r#"{"success":true}"#,
        ];
        for body in bodies {
            let whole = Envelope::read(200, body.as_bytes()).unwrap();
            for size in 1..=body.len() {
                let Envelope { result, page, cursor } = list(body, size).unwrap();
                assert_eq!(result, whole.result.as_array().cloned(), "{body} in parts of {size}");
                assert_eq!((page, cursor), (whole.page, whole.cursor.clone()));
            }
        }
    }

    #[test]
    fn what_is_no_json_is_none_in_a_list_either() {
        let bodies = [
            r#"{"success":true,"result":[1 2]}"#,
            r#"{"success":true,"result":[,1]}"#,
            r#"{"success":true,"result":[1,]}"#,
            r#"{"success":true,"result":[1,,2]}"#,
            r#"{"success":true,"result":[1}"#,
            r#"{"success":true,"result":[1]"#,
            r#"{"success":true,"result":[{"a":1"#,
            r#"{"success":true,"result":[{"a":[1}]]}"#,
            r#"{"success":true,"result":[tru]}"#,
            r#"{"success":true,"result":[1]]}"#,
            r#"{"success":true,"result":[1]} x"#,
            r#"{"success":true,"result":["a"#,
            r#"["success",true,"result",[1]]"#,
            r#"{"success":true "result":[1]}"#,
            "<html>",
            "",
        ];
        for body in bodies {
            assert!(Envelope::read(200, body.as_bytes()).is_err(), "{body}");
            for size in 1..=body.len().max(1) {
                let Err(Unusable::Body { error, .. }) = list(body, size) else {
                    panic!("{body} in parts of {size}")
                };
                assert!(matches!(error, EnvelopeError::NotAnEnvelope(_)), "{body}: {error}");
            }
        }
    }

    #[test]
    fn messages_say_where_and_what() {
        let said = |body: &str| match list(body, 7) {
            Err(Unusable::Body { error, .. }) => error.to_string(),
            other => panic!("{other:?}"),
        };
        let broken = said(r#"{"success":true,"result":[{"a":1},{"a":tru}]}"#);
        assert!(broken.contains("item 2 of the list: expected ident"), "{broken}");
        assert!(
            broken.contains(r#"it begins with `{"success":true,"result":[{"a":1}"#),
            "{broken}"
        );
        let cut = said(r#"{"success":true,"result":[{"a":1"#);
        assert!(cut.contains("the list ends after 32 bytes, in the middle"), "{cut}");
        let refused = r#"{"success":false,"errors":[{"code":1,"message":"no"}],"result":[]}"#;
        assert_eq!(said(refused), "no (code 1)");
    }

    #[test]
    fn budgets_hold() {
        let too_much = |prefix: &str, unit: &str| {
            let mut list = List::<Json>::begin();
            list.push(prefix.as_bytes()).unwrap();
            let part = unit.repeat(65_536 / unit.len());
            (0..1_000_000)
                .find_map(|_| list.push(part.as_bytes()).err())
                .expect("there is an end")
                .0
        };
        assert_eq!(too_much("", " "), "1048576 bytes beside its list");
        assert_eq!(too_much("{\"result\":[0", ",0"), "50000 items");
        assert_eq!(too_much("{\"result\":[", " "), "33554432 bytes");
        assert_eq!(too_much("{\"result\":[", "["), "33554432 bytes");
        let mut whole = Whole::begin();
        let part = "[],".repeat(20_000);
        assert_eq!(
            (0..).find_map(|_| whole.push(part.as_bytes()).err()).unwrap().0,
            "16777216 bytes"
        );
        assert!(
            matches!(whole.finish(200), Err(Unusable::TooMuch(much)) if much.0 == "300000 values")
        );
    }
}
