//! Credentials: their headers, and their protection in memory and in texts.
//!
//! The input is secrets as values. The output is headers marked as sensitive. `redactor` removes
//! the secrets from Cloudflare's texts before other modules see them. Nothing here has a `Display`
//! or can be serialized, and `Debug` is masked.
//!
//! # Sources
//! developers.cloudflare.com/fundamentals/api/get-started, read 2026-11-20.

use std::fmt;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use ring::hmac;
use secrecy::{ExposeSecret, SecretString};

use super::error::{ApiError, Signature};

/// The credentials for Cloudflare's API.
#[derive(Clone)]
pub enum Credentials {
    /// An API token, sent as `Authorization: Bearer`.
    Token(SecretString),
    /// The global key with its user's email address, sent as `X-Auth-Key` and `X-Auth-Email`.
    Key {
        /// Email address of the user.
        email: SecretString,
        /// Global key of the user.
        key: SecretString,
    },
    /// Token and key. The token is tried first; the key is used for kinds of requests for which the
    /// token is refused.
    TokenThenKey {
        /// API token.
        token: SecretString,
        /// Email address of the user.
        email: SecretString,
        /// Global key of the user.
        key: SecretString,
    },
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Token(_) => "Token([masked])",
            Self::Key { .. } => "Key([masked])",
            Self::TokenThenKey { .. } => "TokenThenKey([masked])",
        })
    }
}

impl Credentials {
    /// Computes a message authentication code (HMAC-SHA-256, RFC 2104) of these bytes. Only a
    /// holder of these credentials can compute it, and it reveals neither the bytes nor the
    /// credentials.
    #[must_use]
    #[doc(hidden)]
    pub fn seal(&self, bytes: &[u8]) -> hmac::Tag {
        let (Self::Token(secret)
        | Self::TokenThenKey { token: secret, .. }
        | Self::Key { key: secret, .. }) = self;
        hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.expose_secret().as_bytes()), bytes)
    }
}

/// Authentication of one request: token or key, never both, because Cloudflare does not specify the
/// result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Scheme {
    /// With the API token.
    Token,
    /// With email address and global key.
    Key,
}

impl From<Scheme> for Signature {
    fn from(scheme: Scheme) -> Self {
        match scheme {
            Scheme::Token => Self::Token,
            Scheme::Key => Self::Key,
        }
    }
}

/// Credentials as headers, ready to send.
pub(super) struct Signer {
    /// Headers of the token, if there is one.
    token: Option<HeaderMap>,
    /// Headers of the key, if there is one.
    key: Option<HeaderMap>,
}

impl Signer {
    /// Converts credentials into headers.
    ///
    /// # Errors
    /// Fails with [`ApiError::Settings`] if a value is empty or contains a character that a header
    /// cannot carry.
    pub(super) fn new(credentials: &Credentials) -> Result<Self, ApiError> {
        let (token, key) = match credentials {
            Credentials::Token(token) => (Some(token), None),
            Credentials::Key { email, key } => (None, Some((email, key))),
            Credentials::TokenThenKey { token, email, key } => (Some(token), Some((email, key))),
        };
        let token = token.map(token_headers).transpose()?;
        let key = key.map(|(email, key)| key_headers(email, key)).transpose()?;
        Ok(Self { token, key })
    }

    /// Returns the scheme to try first.
    pub(super) fn first(&self) -> Scheme {
        if self.token.is_some() { Scheme::Token } else { Scheme::Key }
    }

    /// Returns true if there is a key in addition to the token.
    pub(super) fn has_fallback(&self) -> bool {
        self.token.is_some() && self.key.is_some()
    }

    pub(super) fn headers(&self, scheme: Scheme) -> HeaderMap {
        let headers = match scheme {
            Scheme::Token => &self.token,
            Scheme::Key => &self.key,
        };
        headers.clone().unwrap_or_default()
    }
}

fn token_headers(token: &SecretString) -> Result<HeaderMap, ApiError> {
    let text = token.expose_secret();
    if text.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("bearer ")) {
        return Err(ApiError::settings("use the API token: give it without the word `Bearer`"));
    }
    check_secret("API token", text)?;
    Ok(HeaderMap::from_iter([(AUTHORIZATION, sensitive("API token", &format!("Bearer {text}"))?)]))
}

fn key_headers(email: &SecretString, key: &SecretString) -> Result<HeaderMap, ApiError> {
    let mut headers = HeaderMap::new();
    for (what, name, secret) in
        [("e-mail address", "x-auth-email", email), ("global API key", "x-auth-key", key)]
    {
        check_secret(what, secret.expose_secret())?;
        headers.insert(HeaderName::from_static(name), sensitive(what, secret.expose_secret())?);
    }
    Ok(headers)
}

/// Builds a header value that is masked in debug output and kept out of compression tables.
fn sensitive(what: &str, text: &str) -> Result<HeaderValue, ApiError> {
    // The library's error is dropped on purpose, because it could quote the value.
    let mut value = HeaderValue::from_str(text).map_err(|_| unusable(what))?;
    value.set_sensitive(true);
    Ok(value)
}

/// Refuses a value that cannot be a secret, without quoting it.
fn check_secret(what: &str, text: &str) -> Result<(), ApiError> {
    if text.is_empty() {
        return Err(ApiError::settings(format!("use the {what}: it is empty")));
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(unusable(what));
    }
    Ok(())
}

/// Returns the error for a value with spaces, line breaks or non-ASCII characters.
fn unusable(what: &str) -> ApiError {
    ApiError::settings(format!(
        "use the {what}: it contains a space, a line break or another character that a header \
        cannot have"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 2.
    #[test]
    fn codes_are_those_of_the_standard() {
        let seal = |secret: &str, bytes: &[u8]| {
            data_encoding::HEXLOWER.encode(token(secret).seal(bytes).as_ref())
        };
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(seal("Jefe", b"what do ya want for nothing?"), expected);
        assert_ne!(seal("a", b"x"), seal("b", b"x"));
    }

    fn token(text: &str) -> Credentials {
        Credentials::Token(SecretString::from(text))
    }

    /// Credentials with an email address and a key.
    fn key() -> Credentials {
        Credentials::Key {
            email: SecretString::from("ops@example.com"),
            key: SecretString::from("0123456789abcdef"),
        }
    }

    #[test]
    fn debug_is_masked() {
        assert_eq!(
            format!("{:?} {:?}", token("hush-hush"), key()),
            "Token([masked]) Key([masked])"
        );
        let headers = Signer::new(&token("hush-hush")).unwrap().headers(Scheme::Token);
        assert!(!format!("{headers:?}").contains("hush"));
    }

    #[test]
    fn headers_are_those_of_one_scheme() {
        let signer = Signer::new(&token("hush-hush")).unwrap();
        assert_eq!(signer.headers(Scheme::Token)["authorization"], "Bearer hush-hush");
        assert!(signer.headers(Scheme::Key).is_empty() && !signer.has_fallback());
        let signer = Signer::new(&key()).unwrap();
        let headers = signer.headers(signer.first());
        assert_eq!(headers.len(), 2);
        assert_eq!(
            (&headers["x-auth-email"], &headers["x-auth-key"]),
            (
                &HeaderValue::from_static("ops@example.com"),
                &HeaderValue::from_static("0123456789abcdef")
            )
        );
    }

    #[test]
    fn useless_secrets_are_refused_without_quoting_them() {
        for text in ["", "hush\n", "Bearer hush", "hüsh", "hu sh"] {
            let error = Signer::new(&token(text)).err().expect(text).to_string();
            assert!(text.is_empty() || !error.contains(text.trim()), "{error}");
        }
    }
}
