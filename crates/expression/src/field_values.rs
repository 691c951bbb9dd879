//! The fields of the rules language that can be derived from a request.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/fields/reference, read 2026-11-22:
//! arguments are split, not decoded; names of headers are in lower case; names of cookies are
//! decoded, values are not; the extension is in lower case, without the dot.
//! developers.cloudflare.com/rules/normalization, read 2026-11-22: paths are normalised by default;
//! the fields that begin with `raw.` are not. `cf.threat_score` is 0 since 2025.
//! …/fields/reference/http.request.body.truncated, read 2026-11-23: rules see 128 KB of a body on
//! the enterprise plan, and more or less on others. Assumed: a header that is missing is empty text
//! in the field of its own, such as `http.user_agent`, because rules that look for missing ones
//! compare with it.

use std::sync::LazyLock;

use bumpalo::Bump;
use bumpalo::collections::Vec as Items;

use crate::evaluate::{Fields, Sample, Value};
use crate::request::{Body, Request};
use crate::vocabulary::{ExpressionField, FIELDS, REQUEST_BODY_BYTES};

/// Maximum size of a query or of headers that are split into names and values, in bytes. Cloudflare
/// accepts far less.
const MOST_SPLIT: usize = 1 << 20;

/// The derivation of a field from a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Derived {
    Scheme,
    Host,
    Method,
    ThreatScore,
    Version,
    Client,
    Path(Form),
    Extension(Form),
    Query,
    /// Path and query.
    Target(Form),
    /// The whole address.
    Address(Form),
    Arguments(Part),
    /// The header of this name.
    Header(&'static str),
    Cookies,
    Headers(Part),
    AreHeadersTruncated,
    Body,
    BodySize,
    BodyType,
    IsBodyTruncated,
    BodyForm(Part),
}

/// The form of a path: as rules see it, or as it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Normalised,
    Raw,
}

/// The selected part of names with values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Values by name.
    All,
    Names,
    Values,
}

/// The source of a field's value.
struct Source {
    /// The field, and the deprecated fields that it replaces. An author may state the value of
    /// each.
    stated: Vec<&'static ExpressionField>,
    /// The derivation from a request, if there is one.
    derived: Option<Derived>,
}

/// The source of each field, by its number.
static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| FIELDS.iter().map(Source::of).collect());

impl Source {
    fn of(field: &ExpressionField) -> Self {
        let is_it = |other: &&ExpressionField| {
            other.name == field.name || other.instead == Some(field.name)
        };
        Self { stated: FIELDS.iter().filter(is_it).collect(), derived: Derived::of(field.name) }
    }
}

impl Derived {
    /// Returns the derivation of the field with this name.
    fn of(name: &str) -> Option<Self> {
        let (name, form) = match name.strip_prefix("raw.") {
            Some(name) => (name, Form::Raw),
            None => (name, Form::Normalised),
        };
        Some(match (name, form) {
            ("http.request.uri.path", form) => Self::Path(form),
            ("http.request.uri.path.extension", form) => Self::Extension(form),
            ("http.request.uri", form) => Self::Target(form),
            ("http.request.full_uri", form) => Self::Address(form),
            ("http.request.uri.query", _) => Self::Query,
            ("http.request.uri.args", _) => Self::Arguments(Part::All),
            ("http.request.uri.args.names", _) => Self::Arguments(Part::Names),
            ("http.request.uri.args.values", _) => Self::Arguments(Part::Values),
            (_, Form::Raw) => return None,
            ("ssl", _) => Self::Scheme,
            ("http.host", _) => Self::Host,
            ("http.request.method", _) => Self::Method,
            ("http.request.version", _) => Self::Version,
            ("cf.threat_score", _) => Self::ThreatScore,
            ("ip.src", _) => Self::Client,
            ("http.user_agent", _) => Self::Header("user-agent"),
            ("http.referer", _) => Self::Header("referer"),
            ("http.cookie", _) => Self::Header("cookie"),
            ("http.x_forwarded_for", _) => Self::Header("x-forwarded-for"),
            ("http.request.cookies", _) => Self::Cookies,
            ("http.request.headers", _) => Self::Headers(Part::All),
            ("http.request.headers.names", _) => Self::Headers(Part::Names),
            ("http.request.headers.values", _) => Self::Headers(Part::Values),
            ("http.request.headers.truncated", _) => Self::AreHeadersTruncated,
            ("http.request.body.raw", _) => Self::Body,
            ("http.request.body.size", _) => Self::BodySize,
            ("http.request.body.mime", _) => Self::BodyType,
            ("http.request.body.truncated", _) => Self::IsBodyTruncated,
            ("http.request.body.form", _) => Self::BodyForm(Part::All),
            ("http.request.body.form.names", _) => Self::BodyForm(Part::Names),
            ("http.request.body.form.values", _) => Self::BodyForm(Part::Values),
            _ => return None,
        })
    }
}

/// Returns true if a request determines the value of a field.
pub(super) fn is_derived(name: &str) -> bool {
    Derived::of(name).is_some()
}

impl Fields for Request {
    fn value<'s>(&'s self, number: usize, arena: &'s Bump) -> Value<'s> {
        let Some(source) = SOURCES.get(number) else { return Value::Unknown(0) };
        // If several names of one field are stated, the last one counts.
        let stated = source
            .stated
            .iter()
            .rev()
            .filter_map(|field| Some((self.fields.get(field.name)?, field.kind)));
        let stated = stated.filter_map(|(given, kind)| given.as_value(kind, arena)).next();
        let derived = || source.derived.map(|derived| self.derived(derived, arena));
        stated.or_else(derived).unwrap_or(Value::Unknown(0))
    }
}

impl Request {
    /// Returns the values of its fields. Derived values are placed in the arena.
    #[must_use]
    pub fn sample<'r>(&'r self, arena: &'r Bump) -> Sample<'r> {
        Sample::new(self, arena)
    }

    /// Returns the path as rules see it, `http.request.uri.path`.
    #[must_use]
    pub fn path_seen(&self) -> String {
        String::from_utf8_lossy(normalised(&self.path, &Bump::new())).into_owned()
    }

    /// Returns the value of a field.
    fn derived<'r>(&'r self, derived: Derived, arena: &'r Bump) -> Value<'r> {
        let if_known =
            |is_known: bool, value: Value<'r>| if is_known { value } else { Value::Unknown(0) };
        match derived {
            Derived::Scheme => if_known(!self.is_scheme_assumed, Value::Truth(self.is_https)),
            Derived::Host => Value::Bytes(self.host.as_bytes()),
            Derived::Method => Value::Bytes(self.method.as_bytes()),
            Derived::ThreatScore => Value::Integer(0),
            Derived::Version => self
                .version
                .as_ref()
                .map_or(Value::Unknown(0), |version| Value::Bytes(version.as_bytes())),
            Derived::Client => self.address.map_or(Value::Unknown(0), Value::Address),
            Derived::Path(form) => Value::Bytes(self.path_of(form, arena)),
            Derived::Extension(form) => Value::Bytes(extension(self.path_of(form, arena), arena)),
            Derived::Query => Value::Bytes(self.query.as_bytes()),
            Derived::Target(form) if self.query.is_empty() => {
                Value::Bytes(self.path_of(form, arena))
            }
            Derived::Target(form) => Value::Bytes(concatenated(
                &[self.path_of(form, arena), b"?", self.query.as_bytes()],
                arena,
            )),
            Derived::Address(_) if self.is_scheme_assumed => Value::Unknown(0),
            Derived::Address(form) => {
                let scheme: &[u8] = if self.is_https { b"https://" } else { b"http://" };
                let mark: &[u8] = if self.query.is_empty() { b"" } else { b"?" };
                let (host, query) = (self.host.as_bytes(), self.query.as_bytes());
                Value::Bytes(concatenated(
                    &[scheme, host, self.path_of(form, arena), mark, query],
                    arena,
                ))
            }
            Derived::Arguments(_) if self.query.len() > MOST_SPLIT => Value::Unknown(0),
            Derived::Arguments(part) => {
                of_part(part, split_pairs(self.query.as_bytes(), b'&'), arena)
            }
            Derived::Header(name) => match self.values_of(name, arena) {
                Some([]) => Value::Bytes(&[]),
                // With HTTP/2, cookies may be in several headers (RFC 9113 section 8.2.3), which
                // rules see as one.
                Some([first, rest @ ..]) if name == "cookie" && !rest.is_empty() => {
                    let mut cookies = Items::from_iter_in(first.iter().copied(), arena);
                    for value in rest {
                        cookies.extend_from_slice(b"; ");
                        cookies.extend_from_slice(value);
                    }
                    Value::Bytes(cookies.into_bump_slice())
                }
                Some(values) => Value::Bytes(values.first().copied().unwrap_or_default()),
                None => Value::Unknown(0),
            },
            Derived::Cookies => match self.values_of("cookie", arena) {
                Some(values)
                    if values.iter().map(|value| value.len()).sum::<usize>() <= MOST_SPLIT =>
                {
                    let cookies = values.iter().flat_map(|value| split_pairs(value, b';'));
                    grouped(cookies.map(|(name, value)| (decoded(name, arena), value)), arena)
                }
                _ => Value::Unknown(0),
            },
            Derived::Headers(part) => self.headers_of(part, arena),
            Derived::AreHeadersTruncated => if_known(self.has_all_headers, Value::Truth(false)),
            Derived::Body
            | Derived::BodySize
            | Derived::BodyType
            | Derived::IsBodyTruncated
            | Derived::BodyForm(_) => match &self.body {
                Body::Known(body) => self.of_body(derived, body, arena),
                Body::Unknown | Body::Partial(_) => Value::Unknown(0),
            },
        }
    }

    /// Returns the path in this form.
    fn path_of<'r>(&'r self, form: Form, arena: &'r Bump) -> &'r [u8] {
        match form {
            Form::Normalised => normalised(&self.path, arena),
            Form::Raw => self.path.as_bytes(),
        }
    }

    /// Returns the values of a header by its name in lower case; `None` if it is unknown whether
    /// there are any.
    fn values_of<'r>(&'r self, name: &str, arena: &'r Bump) -> Option<&'r [&'r [u8]]> {
        let values = self
            .headers
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, value)| value.as_slice());
        let values = Items::from_iter_in(values, arena).into_bump_slice();
        let is_sure =
            || self.has_all_headers && !self.unsure_headers.iter().any(|unsure| unsure == name);
        (!values.is_empty() || is_sure()).then_some(values)
    }

    /// Returns the headers, including the host.
    fn headers_of<'r>(&'r self, part: Part, arena: &'r Bump) -> Value<'r> {
        let size: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        if !self.has_all_headers || size > MOST_SPLIT {
            return Value::Unknown(0);
        }
        let host = [("host".as_bytes(), self.host.as_bytes())];
        let headers = self.headers.iter().map(|(name, value)| (name.as_bytes(), value.as_slice()));
        let value = of_part(part, host.into_iter().chain(headers), arena);
        match value {
            _ if self.unsure_headers.is_empty() => value,
            Value::Map(known) => {
                // A single header is looked up by its name, and may be unknown.
                let unsure =
                    self.unsure_headers.iter().map(|name| (name.as_bytes(), Value::Unknown(0)));
                Value::Map(
                    Items::from_iter_in(known.iter().copied().chain(unsure), arena)
                        .into_bump_slice(),
                )
            }
            _ => Value::Unknown(0),
        }
    }

    /// Returns a field of a body. The part of a long body that rules see depends on the plan of the
    /// zone.
    fn of_body<'r>(&'r self, derived: Derived, body: &'r [u8], arena: &'r Bump) -> Value<'r> {
        const FORM: &[u8] = b"application/x-www-form-urlencoded";
        if derived == Derived::BodySize {
            return i64::try_from(body.len()).map_or(Value::Unknown(0), Value::Integer);
        }
        if body.len() > REQUEST_BODY_BYTES {
            return Value::Unknown(0);
        }
        match derived {
            Derived::Body => Value::Bytes(body),
            Derived::IsBodyTruncated => Value::Truth(false),
            Derived::BodyType if body.is_empty() => Value::Bytes(&[]),
            Derived::BodyForm(part) => {
                let kind = self.header("content-type").unwrap_or_default();
                match kind.get(..FORM.len()) {
                    Some(kind) if kind.eq_ignore_ascii_case(FORM) => {
                        of_part(part, split_pairs(body, b'&'), arena)
                    }
                    _ if body.is_empty() => of_part(part, split_pairs(&[], b'&'), arena),
                    _ => Value::Unknown(0),
                }
            }
            _ => Value::Unknown(0),
        }
    }
}

/// Returns names and values, as in a query. A name without an equals sign has an empty value.
fn split_pairs(text: &[u8], separator: u8) -> impl Iterator<Item = (&[u8], &[u8])> {
    let parts = text
        .split(move |byte| *byte == separator)
        .map(<[u8]>::trim_ascii)
        .filter(|part| !part.is_empty());
    parts.map(|part| match memchr::memchr(b'=', part) {
        Some(at) => (&part[..at], &part[at + 1..]),
        None => (part, &[][..]),
    })
}

/// Decodes percent signs with two digits.
fn decoded<'r>(text: &'r [u8], arena: &'r Bump) -> &'r [u8] {
    if memchr::memchr(b'%', text).is_none() {
        return text;
    }
    let mut decoded = Items::with_capacity_in(text.len(), arena);
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let value = if *byte == b'%' { hexadecimal_byte(text.get(at + 1..at + 3)) } else { None };
        decoded.push(value.unwrap_or(*byte));
        at += if value.is_some() { 3 } else { 1 };
    }
    decoded.into_bump_slice()
}

/// Parses two hexadecimal digits.
fn hexadecimal_byte(digits: Option<&[u8]>) -> Option<u8> {
    let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Returns a part of names with values.
fn of_part<'r>(
    part: Part,
    pairs: impl Iterator<Item = (&'r [u8], &'r [u8])>,
    arena: &'r Bump,
) -> Value<'r> {
    match part {
        Part::All => grouped(pairs, arena),
        Part::Names => text_array(pairs.map(|(name, _)| name), arena),
        Part::Values => text_array(pairs.map(|(_, value)| value), arena),
    }
}

/// Returns an array of texts.
fn text_array<'r>(texts: impl Iterator<Item = &'r [u8]>, arena: &'r Bump) -> Value<'r> {
    Value::Array(Items::from_iter_in(texts.map(Value::Bytes), arena).into_bump_slice())
}

/// Returns values by name, each name once, in the order in which names first occur. The names are
/// sorted in between, so that many different names take little longer than few.
fn grouped<'r>(pairs: impl Iterator<Item = (&'r [u8], &'r [u8])>, arena: &'r Bump) -> Value<'r> {
    let mut sorted_pairs =
        Items::from_iter_in(pairs.enumerate().map(|(n, (name, value))| (name, n, value)), arena);
    sorted_pairs.sort_unstable();
    let mut groups = Items::new_in(arena);
    for group in sorted_pairs.chunk_by(|one, other| one.0 == other.0) {
        let values =
            arena.alloc_slice_fill_iter(group.iter().map(|(.., value)| Value::Bytes(value)));
        groups.extend(group.first().map(|(name, first, _)| (*first, *name, Value::Array(values))));
    }
    groups.sort_unstable_by_key(|(first, ..)| *first);
    Value::Map(arena.alloc_slice_fill_iter(groups.iter().map(|(_, name, value)| (*name, *value))))
}

/// Concatenates texts.
fn concatenated<'r>(parts: &[&[u8]], arena: &'r Bump) -> &'r [u8] {
    let mut text = Items::with_capacity_in(parts.iter().map(|part| part.len()).sum(), arena);
    parts.iter().for_each(|part| text.extend_from_slice(part));
    text.into_bump_slice()
}

/// Returns the extension of a path's last segment.
fn extension<'r>(path: &'r [u8], arena: &'r Bump) -> &'r [u8] {
    let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let Some(dot) = memchr::memrchr(b'.', file) else { return &[] };
    let extension = &file[dot + 1..];
    if !extension.iter().any(u8::is_ascii_uppercase) {
        return extension;
    }
    let copy = arena.alloc_slice_copy(extension);
    copy.make_ascii_lowercase();
    copy
}

/// Normalises a path as rules see it: backslashes become slashes, repeated slashes one slash, dot
/// segments are resolved, and characters that need no percent-encoding are decoded (RFC 3986
/// sections 5.2.4 and 6.2.2).
fn normalised<'r>(path: &'r str, arena: &'r Bump) -> &'r [u8] {
    let bytes = path.as_bytes();
    let is_slash_before = |at: usize| at.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'/');
    let differs = |(at, byte): (usize, &u8)| match byte {
        b'%' | b'\\' => true,
        b'/' | b'.' => is_slash_before(at),
        _ => false,
    };
    if bytes.first() == Some(&b'/') && !bytes.iter().enumerate().any(differs) {
        return bytes;
    }
    let mut plain = Items::with_capacity_in(bytes.len(), arena);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let value = if *byte == b'%' { hexadecimal_byte(bytes.get(at + 1..at + 3)) } else { None };
        match value {
            Some(value) if value.is_ascii_alphanumeric() || b"-._~".contains(&value) => {
                plain.push(value);
                at += 3;
            }
            Some(_) => {
                plain.extend(bytes[at..at + 3].iter().map(u8::to_ascii_uppercase));
                at += 3;
            }
            None => {
                plain.push(if *byte == b'\\' { b'/' } else { *byte });
                at += 1;
            }
        }
    }
    let mut path = Items::with_capacity_in(plain.len() + 1, arena);
    for segment in plain.split(|byte| *byte == b'/') {
        match segment {
            b"" | b"." => {}
            b".." => path.truncate(memchr::memrchr(b'/', &path).unwrap_or(0)),
            segment => {
                path.push(b'/');
                path.extend_from_slice(segment);
            }
        }
    }
    if path.is_empty() || [&b"/"[..], b"/.", b"/.."].iter().any(|end| plain.ends_with(end)) {
        path.push(b'/');
    }
    path.into_bump_slice()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given::Given;

    #[test]
    fn paths_are_normalised() {
        for (path, expected) in [
            ("/", "/"),
            ("/a//b/./c/../d", "/a/b/d"),
            ("/%61%2f%2E%2e/x/", "/a%2F../x/"),
            ("\\a\\b", "/a/b"),
            ("/../../a/..", "/"),
            ("/a/b/..", "/a/"),
            ("/100%", "/100%"),
            ("/%zz", "/%zz"),
        ] {
            let arena = Bump::new();
            assert_eq!(String::from_utf8_lossy(normalised(path, &arena)), expected, "{path}");
        }
        let arena = Bump::new();
        assert_eq!(extension(b"/a.b/c.Tar.GZ", &arena), b"gz");
        assert_eq!(extension(b"/a.b/c", &arena), b"");
    }

    #[test]
    fn cookies_are_one_for_rules() {
        let mut request = Request::parse("GET https://www.example.com/").expect("it is one");
        let cookie = |value: &str| ("cookie".to_owned(), value.as_bytes().to_vec());
        request.headers = vec![cookie("a%62=1; c=%20"), cookie("ab=2;d")];
        let arena = Bump::new();
        let sample = request.sample(&arena);
        assert_eq!(sample.get("http.cookie"), Some(Value::Bytes(b"a%62=1; c=%20; ab=2;d")));
        let of_ab = [Value::Bytes(b"1"), Value::Bytes(b"2")];
        let (of_c, of_d) = ([Value::Bytes(b"%20")], [Value::Bytes(b"")]);
        let map = [
            (&b"ab"[..], Value::Array(&of_ab)),
            (&b"c"[..], Value::Array(&of_c)),
            (&b"d"[..], Value::Array(&of_d)),
        ];
        assert_eq!(sample.get("http.request.cookies"), Some(Value::Map(&map)));
    }

    #[test]
    fn what_rules_do_not_see_in_full_is_unknown() {
        let mut request = Request::parse("POST https://www.example.com/").expect("it is one");
        request.has_all_headers = true;
        let is_unknown = |request: &Request, name: &str| {
            matches!(request.sample(&Bump::new()).get(name), Some(Value::Unknown(_)))
        };
        for (length, unknown) in [(REQUEST_BODY_BYTES, false), (REQUEST_BODY_BYTES + 1, true)] {
            request.body = Body::Known(vec![b'a'; length]);
            let size = Some(Value::Integer(i64::try_from(length).expect("it is short")));
            assert_eq!(request.sample(&Bump::new()).get("http.request.body.size"), size);
            for name in ["http.request.body.raw", "http.request.body.truncated"] {
                assert_eq!(is_unknown(&request, name), unknown, "{name}");
            }
        }
        request.query = "a&".repeat(MOST_SPLIT / 2);
        assert!(!is_unknown(&request, "http.request.uri.args"));
        request.query.push('b');
        assert!(
            is_unknown(&request, "http.request.uri.args")
                && !is_unknown(&request, "http.request.uri.query")
        );
        request.headers = vec![("x".repeat(MOST_SPLIT), Vec::new())];
        assert!(!is_unknown(&request, "http.request.headers"));
        request.headers.push(("y".to_owned(), Vec::new()));
        assert!(is_unknown(&request, "http.request.headers"));
    }

    #[test]
    fn what_is_not_told_is_unknown() {
        let arena = Bump::new();
        let mut request =
            Request::parse("GET https://www.example.com/a.php?x=1&y&x=2").expect("it is one");
        let get =
            |request: &Request, name: &str| format!("{:?}", request.sample(&Bump::new()).get(name));
        assert_eq!(get(&request, "http.user_agent"), "Some(Unknown(0))");
        assert_eq!(get(&request, "ip.src"), "Some(Unknown(0))");
        request.fields.insert("ip.src.country".to_owned(), Given::Text("DE".to_owned()));
        let sample = request.sample(&arena);
        assert_eq!(sample.get("ip.geoip.country"), Some(Value::Bytes(b"DE")));
        assert_eq!(sample.get("http.request.uri.path.extension"), Some(Value::Bytes(b"php")));
        let values = [Value::Bytes(b"1"), Value::Bytes(b"2")];
        let empty = [Value::Bytes(b"")];
        let map = [(&b"x"[..], Value::Array(&values)), (&b"y"[..], Value::Array(&empty))];
        assert_eq!(sample.get("http.request.uri.args"), Some(Value::Map(&map)));
    }
}
