//! Names of credentials, whose values must never be shown.
//!
//! `secrets.rs` has the names in parts of requests; `src/spec/secrets.rs` searches the lines of a
//! spec for the names in this file.

/// Words in keys that name credentials; `-` counts as `_`.
const CREDENTIALS: &[&str] = &[
    "token",
    "secret",
    "password",
    "passwd",
    "api_key",
    "apikey",
    "auth_key",
    "credential",
    "private_key",
];

/// Members of Cloudflare's rules that sound like credentials but hold expressions.
const NO_CREDENTIALS: &[&str] = &["exposed_credential_check", "password_expression"];

/// Returns true if the key names a credential, whose value must not be in a file that people read.
#[must_use]
pub fn names_credential(key: &str) -> bool {
    let lower = key.to_ascii_lowercase().replace('-', "_");
    !NO_CREDENTIALS.contains(&lower.trim()) && CREDENTIALS.iter().any(|word| lower.contains(word))
}
