//! Credentials: the headers they become, and how they are kept out of all texts.
//!
//! The input is secrets as values. The output is headers marked as sensitive, and `redactor`
//! removes the secrets from Cloudflare's texts before other modules see them. Nothing here has a
//! `Display` or can be serialized, and `Debug` is masked.
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
        /// The user's email address.
        email: SecretString,
        /// The global key.
        key: SecretString,
    },
    /// Both: the token first, and the key for the kinds of calls for which the token is refused.
    TokenThenKey {
        /// The API token.
        token: SecretString,
        /// The user's email address.
        email: SecretString,
        /// The global key.
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
    /// A message authentication code (HMAC-SHA-256, RFC 2104) of these bytes, which only a holder
    /// of these credentials can compute. It reveals neither the bytes nor the credentials.
    #[must_use]
    pub fn seal(&self, bytes: &[u8]) -> hmac::Tag {
        let (Self::Token(secret)
        | Self::TokenThenKey { token: secret, .. }
        | Self::Key { key: secret, .. }) = self;
        hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.expose_secret().as_bytes()), bytes)
    }
}

/// How one request is authenticated; never both at once, because Cloudflare does not specify the
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
    /// [`ApiError::Settings`] if a value is empty or contains a character that a header cannot
    /// carry.
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

    /// The scheme to try first.
    pub(super) fn first(&self) -> Scheme {
        if self.token.is_some() { Scheme::Token } else { Scheme::Key }
    }

    /// Whether there is a key to fall back to.
    pub(super) fn has_fallback(&self) -> bool {
        self.token.is_some() && self.key.is_some()
    }

    /// The headers of a scheme.
    pub(super) fn headers(&self, scheme: Scheme) -> HeaderMap {
        let headers = match scheme {
            Scheme::Token => &self.token,
            Scheme::Key => &self.key,
        };
        headers.clone().unwrap_or_default()
    }
}

/// The header of a token.
fn token_headers(token: &SecretString) -> Result<HeaderMap, ApiError> {
    let text = token.expose_secret();
    if text.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("bearer ")) {
        return Err(ApiError::settings("use the API token: give it without the word `Bearer`"));
    }
    check("API token", text)?;
    Ok(HeaderMap::from_iter([(AUTHORIZATION, sensitive("API token", &format!("Bearer {text}"))?)]))
}

/// The headers of a global key.
fn key_headers(email: &SecretString, key: &SecretString) -> Result<HeaderMap, ApiError> {
    let mut headers = HeaderMap::new();
    for (what, name, secret) in
        [("e-mail address", "x-auth-email", email), ("global API key", "x-auth-key", key)]
    {
        check(what, secret.expose_secret())?;
        headers.insert(HeaderName::from_static(name), sensitive(what, secret.expose_secret())?);
    }
    Ok(headers)
}

/// A header value that is masked in debug output and kept out of compression tables.
fn sensitive(what: &str, text: &str) -> Result<HeaderValue, ApiError> {
    // The library's error is dropped on purpose, because it could quote the value.
    let mut value = HeaderValue::from_str(text).map_err(|_| unusable(what))?;
    value.set_sensitive(true);
    Ok(value)
}

/// Refuses a value that cannot be a secret, without quoting it.
fn check(what: &str, text: &str) -> Result<(), ApiError> {
    if text.is_empty() {
        return Err(ApiError::settings(format!("use the {what}: it is empty")));
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(unusable(what));
    }
    Ok(())
}

/// The error for a value with spaces, line breaks or characters beyond ASCII.
fn unusable(what: &str) -> ApiError {
    ApiError::settings(format!(
        "use the {what}: it contains a space, a line break or another character that a header cannot have"
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

    /// A token.
    fn token(text: &str) -> Credentials {
        Credentials::Token(SecretString::from(text))
    }

    /// An email address and a key.
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
