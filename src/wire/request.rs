//! One HTTP request, as data.

use std::fmt;

use serde_json::Value as Json;

use crate::model::percent_encoded;

/// The HTTP methods that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Reads.
    Get,
    /// Creates, or sends a batch.
    Post,
    /// Changes the given fields.
    Patch,
    /// Replaces.
    Put,
    Delete,
}

impl Method {
    /// Returns the method's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }

    /// Returns true if the request changes nothing, so that it can safely be repeated.
    #[must_use]
    pub fn is_read(self) -> bool {
        self == Self::Get
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One request, complete except for the base URL and the credentials.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The HTTP method.
    pub method: Method,
    /// Path below the base URL, beginning with `/`; already percent-encoded where needed.
    pub path: String,
    /// Query parameters, in order; not yet encoded.
    pub query: Vec<(&'static str, String)>,
    /// JSON body.
    pub body: Option<Json>,
}

impl Request {
    /// Returns a request without query and body.
    #[must_use]
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), query: Vec::new(), body: None }
    }

    /// Adds a query parameter.
    #[must_use]
    pub fn query(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.query.push((name, value.into()));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: Json) -> Self {
        self.body = Some(body);
        self
    }
}

/// Returns an id as a path segment. Ids are hexadecimal; any other text in a hostile response must
/// not change the path.
pub(super) fn segment(id: &str) -> String {
    percent_encoded(id.as_bytes(), |byte| {
        byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
    })
}
