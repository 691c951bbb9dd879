//! Authentication: reads the credentials of a request, and refuses unknown ones.
//!
//! # Sources
//! Codes and texts of the refusals: observed 2026. ASSUMED: a token is well-formed with 40 to 80
//! letters, digits, `_` and `-`; a token beside a key decides alone; an email address without a
//! key, or the reverse, counts as no credentials.

use axum::http::{HeaderMap, header};

use super::envelope::{HandlerResult, Refusal};
use super::token::Token;

/// The credentials that a sandbox accepts.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// API token.
    pub token: String,
    /// Email address that belongs to the key.
    pub email: String,
    /// Global API key.
    pub key: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Someone may give a sandbox a real token by mistake, so secrets are not printed.
        f.debug_struct("Credentials").field("email", &self.email).finish_non_exhaustive()
    }
}

/// The credentials that a sandbox accepts, and its tokens with limits.
pub(super) struct AcceptedCredentials {
    /// Credentials with the permissions of the profile.
    pub(super) credentials: Credentials,
    /// Further tokens.
    pub(super) tokens: Vec<Token>,
}

/// The well-known token of a sandbox. Not a secret.
pub const TOKEN: &str = "sandbox-token-0000000000000000000000_dev";

/// The well-known email address of a sandbox.
pub const EMAIL: &str = "sandbox@example.com";

/// The well-known key of a sandbox. Not a secret.
pub const KEY: &str = "5a0db0c5a0db0c5a0db0c5a0db0c5a0db0c5a";

impl Default for Credentials {
    fn default() -> Self {
        Self { token: TOKEN.to_owned(), email: EMAIL.to_owned(), key: KEY.to_owned() }
    }
}

/// The scheme of a request's credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// `Authorization: Bearer …`.
    Bearer,
    /// `X-Auth-Email` and `X-Auth-Key`.
    Key,
}

impl Scheme {
    /// Returns the scheme that a request uses, even if its credentials are wrong.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        if headers.contains_key(header::AUTHORIZATION) {
            Some(Self::Bearer)
        } else if headers.contains_key("x-auth-key") && headers.contains_key("x-auth-email") {
            Some(Self::Key)
        } else {
            None
        }
    }
}

/// Refuses unknown credentials. Returns the token, if the token has limits.
///
/// The endpoints that verify tokens have their own response for unknown ones. ASSUMED: elsewhere,
/// an inactive token is refused like an unknown one.
pub(super) fn check_credentials<'k>(
    headers: &HeaderMap,
    known: &'k AcceptedCredentials,
    is_verification: bool,
) -> HandlerResult<Option<&'k Token>> {
    let AcceptedCredentials { credentials: known, tokens } = known;
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default();
    match Scheme::of(headers) {
        None => Err(Refusal::new(
            400,
            9106,
            "Missing X-Auth-Key, X-Auth-Email or Authorization headers",
        )),
        Some(Scheme::Bearer) => {
            let token = text("authorization").strip_prefix("Bearer ").unwrap_or_default();
            let letters = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
            if !(40..=80).contains(&token.len()) || !token.bytes().all(letters) {
                let chain = "Invalid format for Authorization header";
                return Err(Refusal::new(400, 6003, "Invalid request headers").because(6111, chain));
            }
            let limited = tokens.iter().find(|limited| limited.secret == token);
            let is_usable = limited
                .map_or(token == known.token, |token| token.status == "active" || is_verification);
            match (is_usable, is_verification) {
                (true, _) => Ok(limited),
                (false, true) => Err(Refusal::new(401, 1000, "Invalid API Token")),
                (false, false) => Err(Refusal::new(403, 9109, "Invalid access token")),
            }
        }
        Some(Scheme::Key) => {
            let (email, key) = (text("x-auth-email"), text("x-auth-key"));
            if key.len() != 37 || !key.bytes().all(|b| b.is_ascii_hexdigit()) {
                let chain = "Invalid format for X-Auth-Key header";
                return Err(Refusal::new(400, 6003, "Invalid request headers").because(6103, chain));
            }
            if key == known.key && email.eq_ignore_ascii_case(&known.email) {
                Ok(None)
            } else {
                Err(Refusal::new(403, 9103, "Unknown X-Auth-Key or X-Auth-Email"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_well_known_credentials_are_well_formed() {
        assert_eq!(TOKEN.len(), 40);
        assert_eq!(KEY.len(), 37);
        let mut headers = HeaderMap::new();
        headers.insert("authorization", format!("Bearer {TOKEN}").parse().unwrap());
        let known = AcceptedCredentials { credentials: Credentials::default(), tokens: Vec::new() };
        assert_eq!(check_credentials(&headers, &known, false), Ok(None));
        assert!(!format!("{:?}", Credentials::default()).contains(TOKEN));
    }
}
