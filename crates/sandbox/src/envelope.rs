//! Responses: results, pages, text and refusals, in the envelope of the API.
//!
//! Built by hand, without the client's envelope types, so that the sandbox reveals a mistake in
//! them.
//!
//! # Sources
//! Key order (`result` first): observed 2025-08. On an error `result` is null and `messages` is
//! empty: observed 2025-08.

use serde_json::{Map, Value, json};

/// One entry of `errors`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// Cloudflare's error code, if there is one.
    pub(super) code: Option<u32>,
    /// Cloudflare's error message.
    pub(super) message: String,
    /// The place in the request's body, as a JSON pointer.
    pub(super) pointer: Option<String>,
    /// The underlying cause, which some errors carry in `error_chain`.
    pub(super) chain: Vec<Problem>,
}

impl Problem {
    /// Returns a problem without an underlying cause.
    pub(super) fn new(code: u32, message: impl Into<String>) -> Self {
        Self { code: Some(code), message: message.into(), pointer: None, chain: Vec::new() }
    }

    /// Returns a problem without an error code.
    pub(super) fn unnumbered(message: impl Into<String>) -> Self {
        Self { code: None, message: message.into(), pointer: None, chain: Vec::new() }
    }

    /// Sets a place in the request's body.
    pub(super) fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Formats the problem as text.
    pub(super) fn in_words(&self) -> String {
        match self.code {
            Some(code) => format!("{} (code {code})", self.message),
            None => self.message.clone(),
        }
    }

    /// Returns the problem as an entry of `errors`.
    fn to_json(&self) -> Value {
        let mut item = Map::new();
        if let Some(code) = self.code {
            item.insert("code".to_owned(), code.into());
        }
        item.insert("message".to_owned(), self.message.clone().into());
        if let Some(pointer) = &self.pointer {
            item.insert("source".to_owned(), json!({ "pointer": pointer }));
        }
        if !self.chain.is_empty() {
            item.insert("error_chain".to_owned(), self.chain.iter().map(Self::to_json).collect());
        }
        Value::Object(item)
    }
}

/// The response to a request that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// HTTP status.
    pub(super) status: u16,
    /// The entries of `errors`.
    pub(super) problems: Vec<Problem>,
    /// True if it is wrapped in code 1004 in the old style.
    validation: bool,
    /// True if `messages` is null instead of an empty list.
    null_messages: bool,
}

impl Refusal {
    /// Returns a refusal with one problem.
    pub(super) fn new(status: u16, code: u32, message: impl Into<String>) -> Self {
        Self::of(status, vec![Problem::new(code, message)])
    }

    /// Returns a refusal whose problem has no error code.
    pub(super) fn unnumbered(status: u16, message: impl Into<String>) -> Self {
        Self::of(status, vec![Problem::unnumbered(message)])
    }

    /// Returns a refusal with any number of problems.
    pub(super) fn of(status: u16, problems: Vec<Problem>) -> Self {
        Self { status, problems, validation: false, null_messages: false }
    }

    /// Sets `messages` to null.
    pub(super) fn with_null_messages(mut self, is_null: bool) -> Self {
        self.null_messages = is_null;
        self
    }

    /// Refuses an invalid record: HTTP 400.
    pub(super) fn invalid(code: u32, message: impl Into<String>) -> Self {
        Self { validation: true, ..Self::new(400, code, message) }
    }

    /// Refuses an invalid record for a reason without a known code.
    ///
    /// ASSUMED: code 1004, which was Cloudflare's general "DNS Validation Error" until 2024-10.
    pub(super) fn unspecified(message: impl Into<String>) -> Self {
        Self::invalid(1004, message)
    }

    /// Adds a problem.
    pub(super) fn and(mut self, code: u32, message: impl Into<String>) -> Self {
        self.problems.push(Problem::new(code, message));
        self
    }

    /// Adds an underlying cause to the first problem.
    pub(super) fn because(mut self, code: u32, message: impl Into<String>) -> Self {
        if let Some(problem) = self.problems.first_mut() {
            problem.chain.push(Problem::new(code, message));
        }
        self
    }

    /// Converts to the style of before 2024-10: validation problems are in the chain under code
    /// 1004.
    ///
    /// # Sources
    /// developers.cloudflare.com/fundamentals/api/reference/deprecations, read 2026-11-20: ended on
    /// 2024-10-01; the wrapped form observed before.
    pub(super) fn chained(mut self) -> Self {
        if self.validation && self.problems.iter().all(|p| p.code != Some(1004)) {
            let chain = std::mem::take(&mut self.problems);
            self.problems = vec![Problem { chain, ..Problem::new(1004, "DNS Validation Error") }];
        }
        self
    }

    /// Returns the code of the first problem, 0 if it has none.
    pub(super) fn code(&self) -> u32 {
        self.problems.first().and_then(|p| p.code).unwrap_or(0)
    }

    /// Returns the whole envelope.
    pub(super) fn body(&self) -> Value {
        let errors: Vec<_> = self.problems.iter().map(Problem::to_json).collect();
        let messages = if self.null_messages { Value::Null } else { json!([]) };
        json!({ "result": null, "success": false, "errors": errors, "messages": messages })
    }
}

impl From<rusqlite::Error> for Refusal {
    /// Reports a fault of the sandbox itself in Cloudflare's form.
    ///
    /// ASSUMED: code 10013, the "unknown error" of other Cloudflare products.
    fn from(error: rusqlite::Error) -> Self {
        tracing::error!(%error, "the sandbox's store failed");
        Self::new(500, 10013, format!("An unknown error has occurred: {error}"))
    }
}

/// A successful response.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Success {
    /// A single result.
    One(Value),
    /// A page of results with its `result_info`.
    Page(Vec<Value>, Value),
    /// Plain text outside the envelope.
    Text(String),
    /// No content: status 204.
    Empty,
}

impl Success {
    /// Returns the envelope, or the text of responses without one.
    pub(super) fn body(self) -> Result<Value, String> {
        match self {
            Self::One(result) => {
                Ok(json!({ "result": result, "success": true, "errors": [], "messages": [] }))
            }
            Self::Page(result, info) => Ok(
                json!({ "result": result, "success": true, "errors": [], "messages": [], "result_info": info }),
            ),
            Self::Text(text) => Err(text),
            Self::Empty => Err(String::new()),
        }
    }
}

/// The result of a handler.
pub(super) type HandlerResult<T> = Result<T, Refusal>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_validation_is_wrapped() {
        let ttl = Refusal::invalid(9021, "Invalid TTL.");
        assert_eq!(ttl.clone().chained().code(), 1004);
        assert_eq!(ttl.chained().problems[0].chain[0].code, Some(9021));
        assert_eq!(Refusal::new(400, 81053, "taken").chained().code(), 81053);
        assert!(Refusal::unspecified("no").chained().problems[0].chain.is_empty());
    }

    #[test]
    fn the_result_comes_first() {
        let body = Success::One(json!({})).body().unwrap();
        let keys: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["result", "success", "errors", "messages"]);
    }
}
