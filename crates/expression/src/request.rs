//! A request, as far as it is known.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

use bumpalo::Bump;

use crate::excerpt::clip;
use crate::given::Given;
use crate::vocabulary::{FIELDS, FieldType};

/// Maximum length of a label of a host name, in octets (RFC 1035 section 2.3.4).
const LABEL_OCTETS: usize = 63;

/// Maximum length of a host name as text, in octets: 255 on the wire (RFC 1035 section 2.3.4).
const HOST_OCTETS: usize = 253;

/// The known part of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The method, in the author's case.
    pub method: String,
    /// True if it is made over TLS.
    pub is_https: bool,
    /// True if that is assumed, because the input does not contain it.
    pub is_scheme_assumed: bool,
    /// The host, without a port, in lower case.
    pub host: String,
    /// The path as sent, with its percent signs; it begins with a slash.
    pub path: String,
    /// The query without the question mark; empty if there is none.
    pub query: String,
    /// The protocol, such as `HTTP/2`, if it is known.
    pub version: Option<String>,
    /// The headers in their order, names in lower case, without the host.
    pub headers: Vec<(String, Vec<u8>)>,
    /// True if these are all headers, except those in `unsure_headers`.
    pub has_all_headers: bool,
    /// Headers that the request may have, with any value, such as cookies that an export leaves
    /// out; names in lower case.
    pub unsure_headers: Vec<String>,
    /// The body.
    pub body: Body,
    /// The address of the client, if it is known.
    pub address: Option<IpAddr>,
    /// Fields of the rules language that the author states, by name.
    pub fields: BTreeMap<String, Given>,
}

/// A body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// The body is unknown.
    Unknown,
    /// The body contains these bytes, and possibly others.
    Partial(Vec<u8>),
    /// The body has exactly these bytes; none if there is no body.
    Known(Vec<u8>),
}

impl Body {
    /// Returns the known bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Unknown => &[],
            Self::Partial(bytes) | Self::Known(bytes) => bytes,
        }
    }
}

/// The reason why a text is not a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}: {help}")]
pub struct RequestError {
    /// The error.
    pub detail: String,
    /// The suggested correction.
    pub help: String,
}

impl RequestError {
    /// Returns an error with its two parts.
    pub fn new(detail: impl Into<String>, help: impl Into<String>) -> Self {
        Self { detail: detail.into(), help: help.into() }
    }
}

impl Request {
    /// Parses a method and an address, such as `GET https://example.com/a?b=c`. Headers and body
    /// are unknown.
    ///
    /// # Errors
    /// Fails if there is no method, no address with `http://` or `https://`, or no valid host.
    pub fn parse(text: &str) -> Result<Self, RequestError> {
        let help =
            "write a method and an address, such as `GET https://www.example.com/search?q=a`";
        let mut words = text.split_whitespace();
        let (Some(method), Some(address), None) = (words.next(), words.next(), words.next()) else {
            return Err(RequestError::new("the request is not a method and an address", help));
        };
        Self::new(method, address)
    }

    /// Returns a request to an address. Headers and body are unknown.
    ///
    /// # Errors
    /// Fails if the method is not a token, or the address has no `http://` or `https://`, or no
    /// valid host.
    pub fn new(method: &str, address: &str) -> Result<Self, RequestError> {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if method.is_empty() || !method.chars().all(is_token) {
            return Err(RequestError::new(
                format!("`{}` is not a method", clip(method)),
                "write one such as GET",
            ));
        }
        let (is_https, rest) =
            match (address.strip_prefix("https://"), address.strip_prefix("http://")) {
                (Some(rest), _) => (true, rest),
                (None, Some(rest)) => (false, rest),
                (None, None) => {
                    let detail = format!("`{}` has no scheme", clip(address));
                    return Err(RequestError::new(
                        detail,
                        "begin the address with `https://` or `http://`",
                    ));
                }
            };
        if let Some(character) =
            address.chars().find(|c| c.is_control() || *c == ' ' || !c.is_ascii())
        {
            let detail = format!("the address has the character U+{:04X}", u32::from(character));
            return Err(RequestError::new(
                detail,
                "write it with percent signs, and a host in its ASCII form (`xn--…`)",
            ));
        }
        let without_fragment = rest.split_once('#').map_or(rest, |(rest, _)| rest);
        let at = without_fragment.find(['/', '?']).unwrap_or(without_fragment.len());
        let (authority, target) = without_fragment.split_at(at);
        let port = if is_https { ":443" } else { ":80" };
        let host = authority.strip_suffix(port).unwrap_or(authority).to_ascii_lowercase();
        let is_label = |label: &str| {
            !label.is_empty()
                && label.len() <= LABEL_OCTETS
                && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        };
        if host.len() > HOST_OCTETS || !host.trim_end_matches('.').split('.').all(is_label) {
            // The part before an `@` may be a credential.
            let shown = authority.rsplit('@').next().unwrap_or_default();
            let detail = match authority.contains('@') {
                true => format!("the address of `{}` has a user name", clip(shown)),
                false => format!("`{}` is not a host name that rules see", clip(shown)),
            };
            return Err(RequestError::new(detail, "write a host name without user and port"));
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = if path.is_empty() { "/" } else { path };
        Ok(Self::of_line(method, is_https, host.trim_end_matches('.'), path, query))
    }

    /// Returns a request of which only the request line and the host are known. The query is
    /// without its question mark.
    #[must_use]
    pub fn of_line(method: &str, is_https: bool, host: &str, path: &str, query: &str) -> Self {
        Self {
            method: method.to_owned(),
            is_https,
            is_scheme_assumed: false,
            host: host.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            version: None,
            headers: Vec::new(),
            has_all_headers: false,
            unsure_headers: Vec::new(),
            body: Body::Unknown,
            address: None,
            fields: BTreeMap::new(),
        }
    }

    /// States the value of a field, as the author writes it. A text is converted to the type of the
    /// field.
    ///
    /// # Errors
    /// Fails if there is no such field, or it cannot have the value.
    pub fn state(&mut self, name: &str, given: &Given) -> Result<(), RequestError> {
        let Some(field) = FIELDS.iter().find(|field| field.name == name) else {
            let near = FIELDS
                .iter()
                .map(|field| (strsim::damerau_levenshtein(field.name, name), field.name))
                .min();
            let help = match near {
                Some((distance, near)) if distance <= 3 => format!("did you mean `{near}`?"),
                _ => "fields are listed at \
                    developers.cloudflare.com/ruleset-engine/rules-language/fields"
                    .to_owned(),
            };
            return Err(RequestError::new(format!("there is no field `{}`", clip(name)), help));
        };
        let value = match (field.kind, given) {
            (FieldType::Boolean, Given::Text(text)) => text.parse().ok().map(Given::Truth),
            (FieldType::Integer, Given::Text(text)) => text.parse().ok().map(Given::Integer),
            (FieldType::Bytes, Given::Integer(number)) => Some(Given::Text(number.to_string())),
            _ => None,
        };
        let value = value.unwrap_or_else(|| given.clone());
        if value.as_value(field.kind, &Bump::new()).is_none() {
            let expected = match field.kind {
                FieldType::Boolean => "true or false",
                FieldType::Integer => "a number",
                FieldType::Bytes => "a text",
                FieldType::Address => "an IP address",
                FieldType::BytesArray => "a list of texts",
                FieldType::IntegerArray => "a list of numbers",
                FieldType::BytesArrayArray
                | FieldType::BytesArrayMap
                | FieldType::IntegerArrayMap => {
                    "a header, an argument or a cookie of the request: the field gets its value \
                    from it"
                }
            };
            return Err(RequestError::new(
                format!("`{name}` cannot have this value"),
                format!("write {expected}"),
            ));
        }
        self.fields.insert(name.to_owned(), value);
        Ok(())
    }

    /// Returns the address as text.
    #[must_use]
    pub fn address_text(&self) -> String {
        let scheme = if self.is_https { "https" } else { "http" };
        let mark = if self.query.is_empty() { "" } else { "?" };
        format!("{scheme}://{}{}{mark}{}", self.host, self.path, self.query)
    }

    /// Returns the first value of a header by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_slice())
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.address_text())
    }
}
