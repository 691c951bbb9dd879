//! What the service sends back: results, pages, text and refusals, laid into the envelope.
//!
//! Built here by hand, not with the client's envelope types, so that a mistake there shows up against this room.
//!
//! # Sources
//! Key order (`result` first): observed 2025-08. On an error `result` is null and `messages` is empty: observed 2025-08.

use serde_json::{Map, Value, json};

/// One entry of `errors`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// The service's number for it.
    pub(super) code: u32,
    /// The service's words for it.
    pub(super) message: String,
    /// The cause underneath, which some errors carry in `error_chain`.
    pub(super) chain: Vec<Problem>,
}

impl Problem {
    /// A problem without a cause underneath.
    pub(super) fn new(code: u32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), chain: Vec::new() }
    }

    /// As it stands in `errors`.
    fn to_json(&self) -> Value {
        let mut item = Map::new();
        item.insert("code".to_owned(), self.code.into());
        item.insert("message".to_owned(), self.message.clone().into());
        if !self.chain.is_empty() {
            item.insert("error_chain".to_owned(), self.chain.iter().map(Self::to_json).collect());
        }
        Value::Object(item)
    }
}

/// A request that is turned down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// HTTP status.
    pub(super) status: u16,
    /// The entries of `errors`.
    pub(super) problems: Vec<Problem>,
    /// Whether the old service wrapped it in code 1004.
    validation: bool,
}

impl Refusal {
    /// A refusal with one problem.
    pub(super) fn new(status: u16, code: u32, message: impl Into<String>) -> Self {
        Self { status, problems: vec![Problem::new(code, message)], validation: false }
    }

    /// A record that is not valid: HTTP 400.
    pub(super) fn invalid(code: u32, message: impl Into<String>) -> Self {
        Self { validation: true, ..Self::new(400, code, message) }
    }

    /// A record that is not valid in a way whose code nobody has reported.
    ///
    /// ASSUMED: code 1004, which was the service's general "DNS Validation Error" until 2024-10.
    pub(super) fn unspecified(message: impl Into<String>) -> Self {
        Self::invalid(1004, message)
    }

    /// A second problem beside the first.
    pub(super) fn and(mut self, code: u32, message: impl Into<String>) -> Self {
        self.problems.push(Problem::new(code, message));
        self
    }

    /// A cause underneath the first problem.
    pub(super) fn because(mut self, code: u32, message: impl Into<String>) -> Self {
        if let Some(problem) = self.problems.first_mut() {
            problem.chain.push(Problem::new(code, message));
        }
        self
    }

    /// In the style of before 2024-10: validation problems stand in the chain under code 1004.
    ///
    /// # Sources
    /// developers.cloudflare.com/fundamentals/api/reference/deprecations, read 2026-11-20: ended on 2024-10-01; the wrapped
    /// form observed before.
    pub(super) fn chained(mut self) -> Self {
        if self.validation && self.problems.iter().all(|p| p.code != 1004) {
            let chain = std::mem::take(&mut self.problems);
            self.problems = vec![Problem { chain, ..Problem::new(1004, "DNS Validation Error") }];
        }
        self
    }

    /// The code of the first problem.
    pub(super) fn code(&self) -> u32 {
        self.problems.first().map_or(0, |p| p.code)
    }

    /// The whole envelope.
    pub(super) fn body(&self) -> Value {
        let errors: Vec<_> = self.problems.iter().map(Problem::to_json).collect();
        json!({ "result": null, "success": false, "errors": errors, "messages": [] })
    }
}

impl From<rusqlite::Error> for Refusal {
    /// A fault of the sandbox itself, which a client must see as one of the service.
    ///
    /// ASSUMED: code 10013, the "unknown error" of other products of the service.
    fn from(error: rusqlite::Error) -> Self {
        tracing::error!(%error, "the sandbox's store failed");
        Self::new(500, 10013, format!("An unknown error has occurred: {error}"))
    }
}

/// A request that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    /// A single result.
    One(Value),
    /// A page of results with its `result_info`.
    Page(Vec<Value>, Value),
    /// Plain text outside the envelope.
    Text(String),
}

impl Answer {
    /// The envelope, or the text for answers that have none.
    pub(super) fn body(self) -> Result<Value, String> {
        match self {
            Self::One(result) => Ok(json!({ "result": result, "success": true, "errors": [], "messages": [] })),
            Self::Page(result, info) => {
                Ok(json!({ "result": result, "success": true, "errors": [], "messages": [], "result_info": info }))
            }
            Self::Text(text) => Err(text),
        }
    }
}

/// What a handler gives back.
pub(super) type Outcome<T> = Result<T, Refusal>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_validation_is_wrapped() {
        let ttl = Refusal::invalid(9021, "Invalid TTL.");
        assert_eq!(ttl.clone().chained().code(), 1004);
        assert_eq!(ttl.chained().problems[0].chain[0].code, 9021);
        assert_eq!(Refusal::new(400, 81053, "taken").chained().code(), 81053);
        assert!(Refusal::unspecified("no").chained().problems[0].chain.is_empty());
    }

    #[test]
    fn the_result_comes_first() {
        let body = Answer::One(json!({})).body().unwrap();
        let keys: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["result", "success", "errors", "messages"]);
    }
}
