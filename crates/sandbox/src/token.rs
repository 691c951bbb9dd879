//! API tokens: their permissions, and the response to their verification.
//!
//! # Sources
//! `Edit` includes reading, and a token can be limited to zones:
//! developers.cloudflare.com/fundamentals/api/get-started/ create-token, read 2026-11. Refusals:
//! see [`check_permission`]. No header and no response contains the permissions of a token (measured 2026-09).

use serde_json::{Map, Value, json};

use super::envelope::{HandlerResult, Refusal};
use super::request_context::RequestContext;
use super::token_permissions::Permissions;
use super::zone::{ACCOUNT_ID, Zone};
use zonewright_model::facts::permissions::{Permission, PermissionGroup};

/// The owner of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TokenOwner {
    User,
    Account,
}

/// An API token with limits.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// The token itself: 40 to 80 letters, digits, `_` and `-`.
    pub secret: String,
    /// Actions that the token allows.
    pub permissions: Permissions,
    /// The names of its zones; `None` for all.
    pub zones: Option<Vec<String>>,
    /// Determines which addresses verify the token.
    pub owner: TokenOwner,
    /// `active`, `disabled` or `expired`.
    pub status: String,
    /// The beginning of its validity (RFC 3339).
    pub not_before: Option<String>,
    /// The end of its validity (RFC 3339).
    pub expires_on: Option<String>,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The secret is not printed, as in `Credentials`.
        f.debug_struct("Token")
            .field("permissions", &self.permissions)
            .field("zones", &self.zones)
            .finish_non_exhaustive()
    }
}

impl Token {
    /// Creates a user's token with these permissions for all zones, active and without an end.
    #[must_use]
    pub fn new(secret: impl Into<String>, permissions: Permissions) -> Self {
        Self {
            secret: secret.into(),
            permissions,
            zones: None,
            owner: TokenOwner::User,
            status: "active".to_owned(),
            not_before: None,
            expires_on: None,
        }
    }

    /// Returns true if the token is not limited to other zones.
    pub(super) fn covers(&self, zone: &str) -> bool {
        self.zones.as_ref().is_none_or(|zones| zones.iter().any(|name| name == zone))
    }
}

/// Returns the response to the verification of a token. `owner` is the kind of tokens that the path
/// of the request verifies.
///
/// # Sources
/// Members and words: developers.cloudflare.com/api, "Verify Token", read 2026-11. The path for
/// users refuses a token of an account: observed. ASSUMED: the path for accounts refuses a token of
/// a user in the same way.
pub(super) fn verify(token: Option<&Token>, owner: TokenOwner) -> HandlerResult<Value> {
    if token.map_or(TokenOwner::User, |token| token.owner) != owner {
        return Err(Refusal::new(401, 1000, "Invalid API Token"));
    }
    let status = token.map_or("active", |token| token.status.as_str());
    // ASSUMED: the token's own identifier, which the sandbox does not use.
    let mut result = Map::from_iter([
        ("id".to_owned(), json!("60ae136e5d49fbdf037fab5f1d805634")),
        ("status".to_owned(), json!(status)),
    ]);
    let dates =
        token.map(|token| [("not_before", &token.not_before), ("expires_on", &token.expires_on)]);
    for (name, date) in dates.into_iter().flatten() {
        if let Some(date) = date {
            result.insert(name.to_owned(), json!(date));
        }
    }
    Ok(Value::Object(result))
}

/// Refuses a request that the token does not permit. `zone` is `None` for requests without a zone,
/// such as the list of zones.
///
/// # Sources
/// Rulesets: status and text, and that there is no code: observed 2026. Zones:
/// octodns/octodns-cloudflare#60 (a token without `Zone Read`), and the other codes: observed.
/// ASSUMED: the permission that DNSSEC needs; a zone for which the token has only another
/// permission is refused, not hidden.
pub(super) fn check_permission(
    context: &RequestContext<'_>,
    token: Option<&Token>,
    wanted: Permission,
    zone: Option<&str>,
    is_ruleset: bool,
) -> HandlerResult<()> {
    let permissions = token.map_or(&context.profile.permissions, |token| &token.permissions);
    let is_in_scope = match (token, zone) {
        // A zone that does not exist has its own refusal.
        (Some(token), Some(id)) => {
            Zone::get(context.connection, id).map_or(true, |zone| token.covers(&zone.name))
        }
        _ => true,
    };
    if permissions.allow(wanted) && is_in_scope {
        return Ok(());
    }
    Err(match wanted.group {
        _ if is_ruleset => Refusal::unnumbered(403, "request is not authorized"),
        PermissionGroup::Zone => {
            Refusal::new(403, 9109, "Unauthorized to access requested resource")
        }
        _ => Refusal::new(403, 10000, "Authentication error"),
    })
}

/// Returns the lists of an account; a sandbox has none.
///
/// # Sources
/// The path: developers.cloudflare.com/api, "Get Lists", read 2026-11.
pub(super) fn lists(context: &RequestContext<'_>, account: &str) -> HandlerResult<Value> {
    check_account(context, account)?;
    Ok(json!([]))
}

/// Refuses an account that the sandbox does not have.
///
/// # Errors
/// ASSUMED: code 10000, as for any resource that a token may not access.
pub(super) fn check_account(context: &RequestContext<'_>, id: &str) -> HandlerResult<()> {
    let mut account_zones =
        context.connection.prepare_cached("SELECT 1 FROM zones WHERE account_id = ?1")?;
    if id != ACCOUNT_ID && !account_zones.exists([id])? {
        return Err(Refusal::new(403, 10000, "Authentication error"));
    }
    Ok(())
}
