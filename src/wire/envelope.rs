//! The envelope of every JSON response.
//!
//! It is parsed leniently, because responses have many forms: `messages: null`, `result` absent,
//! error items without a code, the true cause in an `error_chain`, `success: false` under status
//! 200, counts as text. A response is a success only if the status is 2xx *and* the body is an
//! object with `success: true`.

use serde_json::Value as Json;

use super::json::{self, JsonError, MOST_VALUES};

/// One error or message from Cloudflare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiMessage {
    /// The code, if there is one.
    pub code: Option<i64>,
    /// The text, verbatim.
    pub message: String,
    /// JSON pointer into the request body, if there is one.
    pub pointer: Option<String>,
}

impl std::fmt::Display for ApiMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.code {
            Some(code) => write!(f, "{} (code {code})", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// Page numbers and counts of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageInfo {
    /// Number of this page, from 1.
    pub page: Option<u64>,
    /// Maximum number of items on a page, as Cloudflare applied it.
    pub per_page: Option<u64>,
    /// Number of items on this page.
    pub count: Option<u64>,
    /// Total number of items.
    pub total_count: Option<u64>,
    /// Total number of pages.
    pub total_pages: Option<u64>,
}

/// A successful response.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope<T = Json> {
    /// The result. For a tree of values, an absent result is `Null`. For a list, a result that is
    /// not a list is `None`.
    pub result: T,
    /// Pages and counts of a list.
    pub page: PageInfo,
    /// The cursor of the next page, if the list has cursors and more pages.
    pub cursor: Option<String>,
}

/// A response that is not a success, or not an envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// Cloudflare refused the request and gave reasons.
    #[error("{}", reasons(messages).as_deref().unwrap_or("Cloudflare reported failure without a \
        reason"))]
    Refused {
        /// Cloudflare's errors, with chains flattened; empty if there are none.
        messages: Vec<ApiMessage>,
    },
    /// The body is not a JSON envelope: an HTML page, a truncated body, something else.
    #[error("the response is not the expected JSON: {0}")]
    NotAnEnvelope(String),
    /// The body has more values than this limit, and was not read.
    #[error("the response has more than {0} values")]
    TooMany(usize),
}

/// Returns Cloudflare's reasons in one line; `None` if it gave none.
#[must_use]
pub fn reasons(messages: &[ApiMessage]) -> Option<String> {
    let words: Vec<_> = messages.iter().map(ToString::to_string).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

impl EnvelopeError {
    /// Returns true if one of Cloudflare's errors has this code.
    #[must_use]
    pub fn has_code(&self, code: i64) -> bool {
        match self {
            Self::Refused { messages } => messages.iter().any(|m| m.code == Some(code)),
            Self::NotAnEnvelope(_) | Self::TooMany(_) => false,
        }
    }
}

impl Envelope {
    /// Parses a body.
    ///
    /// # Errors
    /// Fails with [`EnvelopeError::Refused`] unless `status` is 2xx and the body says success, with
    /// [`EnvelopeError::NotAnEnvelope`] if the body is something else, and with
    /// [`EnvelopeError::TooMany`] if it has too many values. An empty body is a success only under
    /// 204.
    pub fn read(status: u16, body: &[u8]) -> Result<Self, EnvelopeError> {
        let ok = (200..300).contains(&status);
        if status == 204 && body.is_empty() {
            return Ok(Self { result: Json::Null, page: PageInfo::default(), cursor: None });
        }
        let json = json::parse_limited(body, MOST_VALUES).map_err(|error| match error {
            JsonError::TooMany(most) => EnvelopeError::TooMany(most),
            JsonError::Syntax(error) => {
                EnvelopeError::NotAnEnvelope(excerpt(body, &error.to_string()))
            }
        })?;
        let Json::Object(mut object) = json else {
            return Err(EnvelopeError::NotAnEnvelope(
                "a JSON value that is not an object".to_owned(),
            ));
        };
        let success = object.get("success").and_then(Json::as_bool);
        let Some(success) = success else {
            let messages = flatten_messages(object.get("errors"));
            return if messages.is_empty() {
                Err(EnvelopeError::NotAnEnvelope("a JSON object without `success`".to_owned()))
            } else {
                Err(EnvelopeError::Refused { messages })
            };
        };
        if !success || !ok {
            return Err(EnvelopeError::Refused {
                messages: flatten_messages(object.get("errors")),
            });
        }
        let page = object.get("result_info").map(page_info).unwrap_or_default();
        let cursor = object
            .get("result_info")
            .and_then(|info| info.pointer("/cursors/after"))
            .and_then(Json::as_str);
        let cursor = cursor.filter(|c| !c.is_empty()).map(str::to_owned);
        Ok(Self { result: object.remove("result").unwrap_or(Json::Null), page, cursor })
    }
}

/// Returns the errors. An error with a chain is replaced by its chain, which contains the cause.
fn flatten_messages(errors: Option<&Json>) -> Vec<ApiMessage> {
    let mut all_messages = Vec::new();
    for item in errors.and_then(Json::as_array).into_iter().flatten() {
        let chain = flatten_messages(item.get("error_chain"));
        if chain.is_empty() {
            all_messages.push(read_message(item))
        } else {
            all_messages.extend(chain)
        }
    }
    all_messages
}

/// Parses one error item in any form.
fn read_message(item: &Json) -> ApiMessage {
    let code = item
        .get("code")
        .and_then(|c| c.as_i64().or_else(|| c.as_str().and_then(|s| s.parse().ok())));
    let message = match item.get("message").and_then(Json::as_str).or(item.as_str()) {
        Some(text) => text.to_owned(),
        None => item.to_string(),
    };
    let pointer = item.pointer("/source/pointer").and_then(Json::as_str).map(str::to_owned);
    ApiMessage { code, message, pointer }
}

/// Parses page numbers, also if they are text.
fn page_info(info: &Json) -> PageInfo {
    let number = |name: &str| {
        let value = info.get(name)?;
        value.as_u64().or_else(|| value.as_str().and_then(|s| s.parse().ok()))
    };
    PageInfo {
        page: number("page"),
        per_page: number("per_page"),
        count: number("count"),
        total_count: number("total_count"),
        total_pages: number("total_pages"),
    }
}

/// Returns the beginning of a body that is not JSON, for an error message.
pub(super) fn excerpt(body: &[u8], error: &str) -> String {
    if body.is_empty() {
        return "the body is empty".to_owned();
    }
    let head: String = String::from_utf8_lossy(&body[..body.len().min(240)])
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(120)
        .collect();
    format!("{error}; it begins with `{}`", head.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_needs_both_the_status_and_the_word() {
        let read = |status, body: &str| Envelope::read(status, body.as_bytes());
        assert_eq!(
            read(200, r#"{"success":true,"result":[1],"messages":null}"#).unwrap().result,
            serde_json::json!([1])
        );
        assert!(
            read(200, r#"{"success":false,"errors":[{"code":1,"message":"x"}]}"#)
                .unwrap_err()
                .has_code(1)
        );
        assert!(read(400, r#"{"success":true,"result":{}}"#).is_err());
        assert!(matches!(read(200, "<html>"), Err(EnvelopeError::NotAnEnvelope(_))));
        assert!(matches!(read(200, ""), Err(EnvelopeError::NotAnEnvelope(_))));
        assert!(matches!(read(200, "{}"), Err(EnvelopeError::NotAnEnvelope(_))));
        assert!(matches!(read(200, r#"{"success":true"#), Err(EnvelopeError::NotAnEnvelope(_))));
        assert!(read(204, "").is_ok());
    }

    #[test]
    fn causes_come_from_the_chain() {
        let body = r#"{"success":false,"errors":[{"code":1004,"message":"DNS Validation Error",
            "error_chain":[{"code":9021,"message":"Invalid TTL"}]}, {"message":"no code"}, "text", 7],"messages":null}"#;
        let Err(EnvelopeError::Refused { messages }) = Envelope::read(400, body.as_bytes()) else {
            panic!()
        };
        let texts: Vec<_> = messages.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["Invalid TTL (code 9021)", "no code", "text", "7"]);
    }

    #[test]
    fn counts_may_be_text() {
        let body = r#"{"success":true,"result":[],"result_info":{"page":1,"total_count":"12","total_pages":null}}"#;
        let page = Envelope::read(200, body.as_bytes()).unwrap().page;
        assert_eq!((page.page, page.total_count, page.total_pages), (Some(1), Some(12), None));
    }
}
