//! Reads the body of a response as it arrives.
//!
//! There are two kinds. [`Whole`] keeps the body and parses it into a tree of values, with a low
//! limit. [`List`] is for pages of records, the only responses that may be large: each item of
//! `result` is decoded into its type when its last byte arrives, and neither its text nor a tree of
//! its values is kept.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::envelope::{Envelope, EnvelopeError, excerpt};

/// Maximum size of a response that is not a page of records, in bytes after decompression.
///
/// The largest known are the managed rulesets and the answer to a batch of 3,500 records, with 2 to
/// 4 MB.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Maximum size of a page of records, in bytes after decompression. A page of 5,000 has 2 to 4 MB.
const MOST_LISTED_BYTES: usize = 32 * 1024 * 1024;
/// Maximum number of items on a page.
const MOST_ITEMS: usize = 50_000;
/// Maximum size of a page without its items, in bytes.
const MOST_BESIDE: usize = 1024 * 1024;
/// Maximum size of a whole response that may be read at the same time as any other, in bytes.
const SMALL: usize = 256 * 1024;
/// The same limit for a page, whose bytes are not kept.
const SMALL_LISTED: usize = 6 * 1024 * 1024;
/// The same limit for the items of a page.
const SMALL_ITEMS: usize = 10_000;
/// Number of bytes of a page that are kept for a message.
const HEAD: usize = 4096;

/// A response that exceeds a limit. The text is the limit: `N bytes`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooMuch(pub String);

impl TooMuch {
    /// Returns the error for a limit on something.
    fn of(most: usize, what: &str) -> Self {
        Self(format!("{most} {what}"))
    }
}

/// The reason why a body cannot be used.
#[derive(Debug)]
pub enum Unusable {
    /// The body exceeds a limit.
    TooMuch(TooMuch),
    /// The body is a refusal, or not an envelope.
    Body {
        error: EnvelopeError,
        /// The body, if it helps to explain the error; `None` if the error is sufficient.
        body: Option<Vec<u8>>,
    },
}

/// Receives a body.
pub trait Intake: Send + Sized {
    /// The type of the result.
    type Result: Send;

    /// Begins with an empty body.
    fn begin() -> Self;

    /// Returns the maximum size of a body, in bytes.
    fn most_bytes() -> usize;

    /// Handles the next bytes.
    ///
    /// # Errors
    /// Fails if a limit is exceeded.
    fn push(&mut self, bytes: &[u8]) -> Result<(), TooMuch>;

    /// Returns true if the body is so large that only few such responses should be read at the same
    /// time.
    fn is_large(&self) -> bool;

    /// Finishes the body.
    ///
    /// # Errors
    /// Fails as [`Envelope::read`] does.
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

/// A page whose items are decoded as they arrive.
#[derive(Debug)]
pub struct List<T> {
    /// The beginning of the body, for a message.
    head: Vec<u8>,
    /// The body without the items.
    beside: Vec<u8>,
    /// The items, if there is a list.
    items: Vec<T>,
    /// The bytes of an incomplete item.
    item: Vec<u8>,
    /// Number of bytes received.
    bytes: usize,
    /// The position of the next byte.
    at: At,
    /// Number of open brackets: outside the items, or within an item.
    depth: usize,
    /// True if the next byte belongs to a text.
    in_text: bool,
    /// True if the next byte follows a backslash.
    is_escaped: bool,
    /// The start of the last text in `beside`.
    text: usize,
    /// True if the current member is `result`.
    is_result: bool,
    /// The error in the list.
    wrong: Option<String>,
}

/// The position of a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Outside the list.
    Around,
    /// Between items; an item, a comma or the end may follow.
    Between(Next),
    /// Within an item. True if the item is a text, and so ends with the text.
    Item(bool),
}

/// The expected next part of a list.
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
        let mut bytes_left = bytes;
        while !bytes_left.is_empty() && self.wrong.is_none() {
            let used = match self.at {
                At::Around => self.beside(bytes_left)?,
                At::Between(next) => self.between(bytes_left[0], next),
                At::Item(is_text) => self.item(bytes_left, is_text)?,
            };
            bytes_left = &bytes_left[used..];
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
    /// Handles bytes outside the list, up to its beginning. Returns the number of bytes handled.
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
                // The last of repeated members counts.
                self.items.clear();
                (self.at, self.depth) = (At::Between(Next::ItemOrEnd), 0);
                return Ok(n + 1);
            }
        }
        Ok(bytes.len())
    }

    /// Handles a byte between items, unless it begins one. Returns the number of bytes handled.
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

    /// Handles bytes of an item, up to its end. Returns the number of bytes handled.
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

    /// Returns true if this byte ends a text.
    fn is_text_over(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => self.in_text = false,
            _ => {}
        }
        !self.in_text
    }

    /// Decodes an item that ends with these bytes. Returns the number of bytes handled.
    fn whole(&mut self, bytes: &[u8], used: usize) -> Result<usize, TooMuch> {
        let decoded = if self.item.is_empty() {
            serde_json::from_slice(&bytes[..used])
        } else {
            self.item.extend_from_slice(&bytes[..used]);
            serde_json::from_slice(&self.item)
        };
        self.item.clear();
        // The capacity of a very long item is released.
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
