//! The fields of the rules language that follow from a request.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/fields/reference, read 2026-11-22: arguments are split, not decoded; names
//! of headers are in lower case; names of cookies are decoded, values are not; the extension is in lower case, without the dot.
//! developers.cloudflare.com/rules/normalization, read 2026-11-22: paths are normalised by default; the fields that begin with `raw.`
//! are not. `cf.threat_score` is 0 since 2025. Assumed: a header that is missing is empty text in the field of its own, such as
//! `http.user_agent`, because rules that look for missing ones compare with it.

use std::net::IpAddr;

use bumpalo::Bump;
use bumpalo::collections::Vec as Items;

use super::super::expression::{Sample, SampleValue as Value};
use super::super::facts::expressions::{FIELDS, FieldType};
use super::{Body, Given, Request};

/// Headers with a field of their own.
const OF_HEADERS: [(&str, &str); 4] = [
    ("user-agent", "http.user_agent"),
    ("referer", "http.referer"),
    ("cookie", "http.cookie"),
    ("x-forwarded-for", "http.x_forwarded_for"),
];

impl Request {
    /// The value of each field. What is derived is placed in the arena.
    #[must_use]
    pub fn sample<'r>(&'r self, arena: &'r Bump) -> Sample<'r> {
        let mut sample = Sample::default();
        let text = |text: &str| Value::Bytes(arena.alloc_str(text).as_bytes());
        if !self.is_scheme_assumed {
            sample.set("ssl", Value::Truth(self.is_https));
        }
        sample.set("http.host", Value::Bytes(self.host.as_bytes()));
        sample.set("http.request.method", Value::Bytes(self.method.as_bytes()));
        sample.set("cf.threat_score", Value::Integer(0));
        if let Some(version) = &self.version {
            sample.set("http.request.version", Value::Bytes(version.as_bytes()));
        }
        if let Some(address) = self.address {
            sample.set("ip.src", Value::Address(address));
        }
        let path = normalised(&self.path);
        for (prefix, path) in [("", path.as_str()), ("raw.", self.path.as_str())] {
            let target = if self.query.is_empty() { path.to_owned() } else { format!("{path}?{}", self.query) };
            let scheme = if self.is_https { "https" } else { "http" };
            let mut set = |name: &str, value: Value<'r>| sample.set(&format!("{prefix}{name}"), value);
            set("http.request.uri.path", text(path));
            set("http.request.uri.path.extension", text(&extension(path)));
            set("http.request.uri.query", Value::Bytes(self.query.as_bytes()));
            set("http.request.uri", text(&target));
            if !self.is_scheme_assumed {
                set("http.request.full_uri", text(&format!("{scheme}://{}{target}", self.host)));
            }
            let pairs = pairs(self.query.as_bytes(), b'&');
            set("http.request.uri.args", grouped(pairs.iter().copied(), arena));
            set("http.request.uri.args.names", array(pairs.iter().map(|(name, _)| *name), arena));
            set("http.request.uri.args.values", array(pairs.iter().map(|(_, value)| *value), arena));
        }
        self.set_headers(&mut sample, arena);
        self.set_body(&mut sample, arena);
        for (name, given) in &self.fields {
            if let Some(field) = FIELDS.iter().find(|field| field.name == name)
                && let Some(value) = value_of(given, field.kind, arena)
            {
                sample.set(name, value);
            }
        }
        sample
    }

    /// The path as rules see it, `http.request.uri.path`.
    #[must_use]
    pub fn path_seen(&self) -> String {
        normalised(&self.path)
    }

    /// The fields of headers.
    fn set_headers<'r>(&'r self, sample: &mut Sample<'r>, arena: &'r Bump) {
        let is_sure = |header: &str| !self.unsure_headers.iter().any(|unsure| unsure == header);
        for (header, field) in OF_HEADERS {
            match self.header(header) {
                Some(value) => sample.set(field, Value::Bytes(value)),
                None if self.has_all_headers && is_sure(header) => sample.set(field, Value::Bytes(&[])),
                None => false,
            };
        }
        let cookies = self.header("cookie");
        if cookies.is_some() || (self.has_all_headers && is_sure("cookie")) {
            let cookies = pairs(cookies.unwrap_or_default(), b';');
            sample.set("http.request.cookies", grouped(cookies.into_iter(), arena));
        }
        if !self.has_all_headers {
            return;
        }
        sample.set("http.request.headers.truncated", Value::Truth(false));
        let host = [("host", self.host.as_bytes())];
        let all = || host.into_iter().chain(self.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())));
        let map = grouped(all().map(|(name, value)| (name.as_bytes(), value)), arena);
        if let (Value::Map(known), false) = (map, self.unsure_headers.is_empty()) {
            // A single header is known by its name, or unknown by it.
            let unsure = self.unsure_headers.iter().map(|name| (name.as_bytes(), Value::Unknown(0)));
            let entries = Items::from_iter_in(known.iter().copied().chain(unsure), arena);
            sample.set("http.request.headers", Value::Map(entries.into_bump_slice()));
            return;
        }
        sample.set("http.request.headers", map);
        sample.set("http.request.headers.names", array(all().map(|(name, _)| name.as_bytes()), arena));
        sample.set("http.request.headers.values", array(all().map(|(_, value)| value), arena));
    }

    /// The fields of the body.
    fn set_body<'r>(&'r self, sample: &mut Sample<'r>, arena: &'r Bump) {
        let Body::Known(body) = &self.body else { return };
        sample.set("http.request.body.raw", Value::Bytes(body));
        sample.set("http.request.body.size", i64::try_from(body.len()).map_or(Value::Unknown(0), Value::Integer));
        sample.set("http.request.body.truncated", Value::Truth(false));
        let kind = self.header("content-type").unwrap_or_default().to_ascii_lowercase();
        let is_form = kind.starts_with(b"application/x-www-form-urlencoded");
        if body.is_empty() || is_form {
            let pairs = pairs(if is_form { body } else { &[] }, b'&');
            sample.set("http.request.body.form", grouped(pairs.iter().copied(), arena));
            sample.set("http.request.body.form.names", array(pairs.iter().map(|(name, _)| *name), arena));
            sample.set("http.request.body.form.values", array(pairs.iter().map(|(_, value)| *value), arena));
        }
        if body.is_empty() {
            sample.set("http.request.body.mime", Value::Bytes(&[]));
        }
    }
}

/// Names and values, as in a query; a name without an equals sign has an empty value.
fn pairs(text: &[u8], separator: u8) -> Vec<(&[u8], &[u8])> {
    let parts = text.split(|byte| *byte == separator).map(<[u8]>::trim_ascii).filter(|part| !part.is_empty());
    let pair = |part| match memchr::memchr(b'=', part) {
        Some(at) => (&part[..at], &part[at + 1..]),
        None => (part, &[][..]),
    };
    parts.map(pair).collect()
}

/// An array of texts.
fn array<'r>(texts: impl Iterator<Item = &'r [u8]>, arena: &'r Bump) -> Value<'r> {
    Value::Array(Items::from_iter_in(texts.map(Value::Bytes), arena).into_bump_slice())
}

/// Values by name, each name once.
fn grouped<'r>(pairs: impl Iterator<Item = (&'r [u8], &'r [u8])>, arena: &'r Bump) -> Value<'r> {
    let mut groups: Vec<(&[u8], Items<'r, Value<'r>>)> = Vec::new();
    for (name, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(Value::Bytes(value)),
            None => groups.push((name, bumpalo::vec![in arena; Value::Bytes(value)])),
        }
    }
    let groups = groups.into_iter().map(|(name, values)| (name, Value::Array(values.into_bump_slice())));
    Value::Map(Items::from_iter_in(groups, arena).into_bump_slice())
}

/// The value of a field that an author states; `None` if it is not of the field's type.
pub(super) fn value_of<'r>(given: &'r Given, kind: FieldType, arena: &'r Bump) -> Option<Value<'r>> {
    let several = |items: &'r [Given], kind: FieldType| -> Option<Value<'r>> {
        let values: Option<Vec<Value<'r>>> = items.iter().map(|item| value_of(item, kind, arena)).collect();
        Some(Value::Array(arena.alloc_slice_copy(&values?)))
    };
    match (kind, given) {
        (FieldType::Boolean, Given::Truth(truth)) => Some(Value::Truth(*truth)),
        (FieldType::Integer, Given::Integer(number)) => Some(Value::Integer(*number)),
        (FieldType::Bytes, Given::Text(text)) => Some(Value::Bytes(text.as_bytes())),
        (FieldType::Address, Given::Text(text)) => text.parse::<IpAddr>().ok().map(Value::Address),
        (FieldType::BytesArray, Given::Several(items)) => several(items, FieldType::Bytes),
        (FieldType::IntegerArray, Given::Several(items)) => several(items, FieldType::Integer),
        _ => None,
    }
}

/// The extension of a path's last part.
fn extension(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or_default();
    file.rsplit_once('.').map_or_else(String::new, |(_, extension)| extension.to_ascii_lowercase())
}

/// A path as rules see it: backslashes are slashes, repeated slashes one, dot segments are resolved, and characters that need no
/// percent sign have none (RFC 3986 sections 5.2.4 and 6.2.2).
fn normalised(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut plain = String::with_capacity(path.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let decoded = digits.filter(|_| *byte == b'%').and_then(|d| std::str::from_utf8(d).ok());
        match decoded.map(|digits| (u8::from_str_radix(digits, 16), digits)) {
            Some((Ok(value), _)) if value.is_ascii_alphanumeric() || b"-._~".contains(&value) => {
                plain.push(char::from(value));
                at += 3;
            }
            Some((_, digits)) => {
                plain.push('%');
                plain.push_str(&digits.to_ascii_uppercase());
                at += 3;
            }
            None => {
                plain.push(if *byte == b'\\' { '/' } else { char::from(*byte) });
                at += 1;
            }
        }
    }
    let mut segments: Vec<&str> = Vec::new();
    let ends_in_directory = plain.ends_with('/') || plain.ends_with("/.") || plain.ends_with("/..");
    for segment in plain.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    let end = if ends_in_directory && !segments.is_empty() { "/" } else { "" };
    format!("/{}{end}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(normalised(path), expected, "{path}");
        }
        assert_eq!(extension("/a.b/c.Tar.GZ"), "gz");
        assert_eq!(extension("/a.b/c"), "");
    }

    #[test]
    fn what_is_not_told_is_unknown() {
        let arena = Bump::new();
        let mut request = Request::parse("GET https://www.example.com/a.php?x=1&y&x=2").expect("it is one");
        let get = |request: &Request, name: &str| format!("{:?}", request.sample(&Bump::new()).get(name));
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
