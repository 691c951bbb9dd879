//! Verifies a token and reads its expiry date.

use std::collections::BTreeSet;

use super::permission_probes::{Prober, Unread, is_refused, reason_of};
use crate::document::doctor::{Credentials, Owner};
use crate::live::FetchError;
use crate::wire::account::{TokenState, read_token, verify_account_token, verify_user_token};

/// Explanation for a token that Cloudflare does not know.
pub(super) const UNKNOWN_TOKEN: &str = "Cloudflare does not know this token: it is wrong, expired \
    or revoked; compare it \
                                        with the list of API tokens in the dashboard";

/// Kind of the credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secret {
    /// An API token.
    Token,
    /// The global API key, which cannot be verified.
    GlobalKey,
}

/// Verifies a token as a user token, and otherwise as a token of one of these accounts.
///
/// # Errors
/// Fails if Cloudflare cannot be reached.
pub(super) async fn verify(
    prober: &Prober<'_>,
    secret: Secret,
    accounts: &BTreeSet<String>,
) -> Result<Credentials, FetchError> {
    let unknown = |owner, why: Option<String>| Credentials {
        owner,
        status: None,
        not_before: None,
        expires_on: None,
        why,
    };
    if secret == Secret::GlobalKey {
        return Ok(unknown(
            Owner::GlobalKey,
            Some("a global API key has no state that can be read".to_owned()),
        ));
    }
    let tries = std::iter::once((Owner::User, verify_user_token()));
    let tries =
        tries.chain(accounts.iter().map(|account| (Owner::Account, verify_account_token(account))));
    let mut first = None;
    for (owner, request) in tries {
        match prober.read(&request).await {
            Ok(answer) => {
                return Ok(match read_token(&answer.result) {
                    Some(TokenState { status, not_before, expires_on }) => Credentials {
                        owner,
                        status: Some(status),
                        not_before,
                        expires_on,
                        why: None,
                    },
                    None => unknown(owner, Some("Cloudflare's response has no status".to_owned())),
                });
            }
            Err(Unread::NotSent(why)) => drop(first.get_or_insert((false, why))),
            Err(Unread::Failed(error)) if error.status().is_some() => {
                let why = reason_of(&error);
                first.get_or_insert((is_refused(&error), why));
            }
            Err(Unread::Failed(source)) => {
                return Err(FetchError::Api { what: "the state of the token".to_owned(), source });
            }
        }
    }
    let Some((is_refused, why)) = first else { return Ok(unknown(Owner::Unknown, None)) };
    let why = if is_refused && accounts.is_empty() {
        format!("{why}; a token of an account is verified with its id: set CLOUDFLARE_ACCOUNT_ID")
    } else {
        why
    };
    Ok(unknown(Owner::Unknown, Some(why)))
}
