//! Cloudflare's error codes on which decisions depend. Codes that lead only to advice are in
//! `cause_and_advice`.

/// "Please wait", which has been seen under 429 and under 500.
pub(crate) const PLEASE_WAIT: i64 = 971;

/// The token is unknown: wrong, expired or revoked.
pub(crate) const UNKNOWN_TOKEN: i64 = 1000;

/// Codes of refusals that concern the credentials and not the request: other credentials might be
/// accepted.
///
/// # Sources
/// Codes: 1000 unknown token, 6003 malformed header, 9109 unauthorized (in four meanings), 10000
/// authentication error, 10405 not for this scheme.
/// developers.cloudflare.com/fundamentals/api/troubleshooting, read 2026-11-20.
pub(crate) const OTHER_CREDENTIALS_MAY_DO: [i64; 8] =
    [UNKNOWN_TOKEN, 6003, 6103, 6111, 9103, 9109, 10000, 10405];

/// Codes under 403 that concern the credentials and not the operation.
pub(crate) const CREDENTIALS: [i64; 5] = [9103, 9106, 9109, 10000, 10405];

/// A route that does not exist, a method that it lacks, and an invalid path.
pub(crate) const ROUTING: [i64; 3] = [7000, 7001, 7003];

/// "There is no such zone, or it is not yours".
pub(crate) const UNKNOWN_ZONE: [i64; 4] = [1001, 1003, 7003, 9109];

/// The zone exists already.
pub(crate) const ZONE_EXISTS: i64 = 1061;

/// "An A, AAAA, or CNAME record with that host already exists", "a CNAME record …", "NS records …".
pub(crate) const RECORD_CONFLICT: [i64; 3] = [81053, 81054, 81056];

/// "The record already exists", "an identical record already exists", "record does not exist":
/// errors after a retry whose original request took effect late.
pub(crate) const RECORD_DONE_BEFORE: [i64; 3] = [81044, 81057, 81058];

/// "Record quota exceeded".
pub(crate) const RECORD_QUOTA: i64 = 81045;

/// "Could not find entrypoint ruleset in the … phase". Cloudflare returns this code only to
/// credentials that may read the phase.
pub(crate) const NO_ENTRY_POINT: i64 = 10003;

/// "Exceeded maximum number of zone rulesets for phase": an entry point exists already.
pub(crate) const ENTRY_POINT_EXISTS: i64 = 20217;

/// "The rule is already at the requested position": the error after a retry whose original move
/// took effect late.
pub(crate) const RULE_IN_PLACE: i64 = 20011;
