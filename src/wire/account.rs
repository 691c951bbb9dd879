//! Requests for accounts and tokens.
//!
//! # Sources
//! developers.cloudflare.com/api, "Verify Token" (of users and of accounts) and "Get Lists", read
//! 2026-11.

use serde_json::Value as Json;

use super::request::{Method, Request, segment};

/// The state of a token, as Cloudflare reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenState {
    /// `active`, `disabled` or `expired`, as Cloudflare wrote it.
    pub status: String,
    /// The start of its validity, as Cloudflare wrote it (RFC 3339).
    pub not_before: Option<String>,
    /// The end of its validity, as Cloudflare wrote it (RFC 3339).
    pub expires_on: Option<String>,
}

/// Verifies the token of a user that the request is signed with.
#[must_use]
pub fn verify_user_token() -> Request {
    Request::new(Method::Get, "/user/tokens/verify")
}

/// Verifies the token of an account that the request is signed with.
#[must_use]
pub fn verify_account_token(account: &str) -> Request {
    Request::new(Method::Get, format!("/accounts/{}/tokens/verify", segment(account)))
}

/// Reads the lists of an account.
#[must_use]
pub fn lists(account: &str) -> Request {
    Request::new(Method::Get, format!("/accounts/{}/rules/lists", segment(account)))
}

/// Parses the response to verifying a token; `None` without a status.
#[must_use]
pub fn read_token(json: &Json) -> Option<TokenState> {
    let text = |name: &str| {
        json.get(name).and_then(Json::as_str).filter(|t| !t.is_empty()).map(str::to_owned)
    };
    Some(TokenState {
        status: text("status")?,
        not_before: text("not_before"),
        expires_on: text("expires_on"),
    })
}
