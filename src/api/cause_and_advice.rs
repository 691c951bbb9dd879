//! Advice for errors, in one or two sentences.
//!
//! Cloudflare does not say which permission is missing, and one code (9109) has four meanings that
//! only the text distinguishes. So the advice derives the permission from method and path, and the
//! meaning from the text.
//!
//! # Sources
//! developers.cloudflare.com/fundamentals/api/reference/permissions and
//! …/fundamentals/api/troubleshooting, read 2026-11-20.

use super::error::{ApiError, Fault, ProxyFault, RequestName, Signature};
use super::error_codes::UNKNOWN_TOKEN;
use super::rate_limiter::{WINDOW_SECONDS, quota_in_words};
use super::request_kind::resource;
use crate::model::facts::permissions::{Permission, PermissionGroup};

/// Cloudflare's base URL, for users who configured another one.
const SERVICE: &str = super::Settings::BASE_URL;

/// Advice for a proxy that responds with 407.
const PROXY_CREDENTIALS: &str = "the proxy requires credentials, or refuses those it was given: \
    set them in `HTTPS_PROXY` \
     (`http://user:password@host:port`)";

impl ApiError {
    /// Returns advice for the error, if there is any.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        advice(self)
    }

    /// Returns true if Cloudflare does not know the token, so that no permission helps.
    #[must_use]
    pub fn is_unknown_token(&self) -> bool {
        let is_said = |message: &crate::wire::ApiMessage| {
            let text = message.message.to_ascii_lowercase();
            text.contains("invalid api token") || text.contains("invalid access token")
        };
        self.has_code(UNKNOWN_TOKEN) || self.messages().iter().any(is_said)
    }
}

fn advice(error: &ApiError) -> Option<String> {
    match error {
        ApiError::Settings { source, .. } => source.as_ref().map(|_| {
            "TLS could not be set up: install the system's CA certificates, or set `SSL_CERT_FILE` \
            to a file with them"
                .into()
        }),
        ApiError::Misused { .. } | ApiError::Stopped { .. } => None,
        ApiError::Unreached { source, .. } => Some(unreached(source)),
        ApiError::Lost { source, .. } if source.is_timeout() => Some(
            "Cloudflare is slow, or the connection is bad: run again, or allow more time with \
                `--timeout`"
                .into(),
        ),
        ApiError::Lost { source, .. } if source.is_not_http() => Some(
            "the server at the base URL does not speak HTTP: check its port, and whether it must \
            begin with `https://`"
                .into(),
        ),
        ApiError::Lost { .. } => Some("the connection was interrupted: run again".into()),
        ApiError::Refused { request, status, signature, .. } => {
            advice_for_refusal(error, request, *status, *signature)
        }
        ApiError::Garbled { status, .. } => garbled(*status),
        ApiError::Throttled { .. } => Some(format!(
            "other programs use the same API budget ({} for a user, dashboard included): run again \
            after {} minutes, or \
             send fewer with `--max-rps`",
            quota_in_words(),
            WINDOW_SECONDS / 60
        )),
        ApiError::Redirected { .. } => Some(format!(
            "check the base URL; Cloudflare's own is \
            {SERVICE}"
        )),
        ApiError::Unrecorded { .. } => Some(
            "take a newer snapshot with `zonewright snapshot` from a spec that names what is \
            missing, or plan without one"
                .into(),
        ),
        ApiError::TooLarge { .. } => Some(format!(
            "check that the base URL leads to Cloudflare, \
            such as {SERVICE}"
        )),
    }
}

/// Returns the advice for a failed connection.
fn unreached(fault: &Fault) -> String {
    use rustls::CertificateError as Certificate;
    match fault.tls() {
        Some(rustls::Error::InvalidCertificate(
            Certificate::Expired
            | Certificate::ExpiredContext { .. }
            | Certificate::NotValidYet
            | Certificate::NotValidYetContext { .. },
        )) => {
            return "the certificate is not valid at this machine's time: check its clock".into();
        }
        Some(rustls::Error::InvalidCertificate(
            Certificate::NotValidForName | Certificate::NotValidForNameContext { .. },
        )) => {
            return "the certificate is for another host: check the base URL, or whether a proxy is \
                in between".into();
        }
        Some(rustls::Error::InvalidCertificate(_)) => {
            return "the certificate is not from a known authority: a proxy may intercept the \
                connection (add its authority \
                    to the system's certificates, or set `SSL_CERT_FILE` to it), or the base URL \
                    leads to the wrong host"
                .into();
        }
        Some(_) => {
            return "the TLS handshake failed: a proxy may be in between, or the port does not \
                speak TLS"
                .into();
        }
        None => {}
    }
    match fault.proxy() {
        Some(ProxyFault::Credentials) => return PROXY_CREDENTIALS.into(),
        Some(ProxyFault::NoTunnel) => {
            return "the proxy did not let the connection through: check `HTTPS_PROXY` and what it \
                permits, or name \
                    Cloudflare's host in `NO_PROXY`"
                .into();
        }
        Some(ProxyFault::Unreached) => {
            return "the proxy could not be reached: check the host and port in `HTTPS_PROXY` or \
                `ALL_PROXY`"
                .into();
        }
        None => {}
    }
    if fault.is_name_resolution() {
        return "the host's name could not be resolved: check the base URL and this machine's \
            network"
            .into();
    }
    match fault.io() {
        Some(std::io::ErrorKind::ConnectionRefused) => {
            "nothing listens there: check the base URL, its port and any proxy (`HTTPS_PROXY`)"
        }
        _ => "check this machine's network and any proxy (`HTTPS_PROXY`)",
    }
    .into()
}

/// Returns the advice for a response without an envelope.
fn garbled(status: u16) -> Option<String> {
    Some(match status {
        407 => PROXY_CREDENTIALS.into(),
        403 => "a proxy or firewall in between refused the request".into(),
        404 | 405 | 200..=299 => {
            format!("check that the base URL leads to Cloudflare, such as {SERVICE}")
        }
        500.. => {
            "Cloudflare has a problem: see www.cloudflarestatus.com and run again later".into()
        }
        _ => return None,
    })
}

/// Returns the advice for a refusal.
fn advice_for_refusal(
    error: &ApiError,
    request: &RequestName,
    status: u16,
    signature: Signature,
) -> Option<String> {
    let has = |codes: &[i64]| codes.iter().any(|code| error.has_code(*code));
    let says = |words: &str| {
        error.messages().iter().any(|m| m.message.to_ascii_lowercase().contains(words))
    };
    if has(&[6111]) || (has(&[6003]) && signature == Signature::Token) {
        return Some(
            "the API token is malformed: give all of it, without quotes, line breaks or the word \
            `Bearer`"
                .into(),
        );
    }
    if has(&[6103, 6003]) {
        return Some(
            "the global API key or its e-mail address is malformed: a key has 37 hexadecimal \
            digits; an API token is \
             something else, and takes no e-mail address"
                .into(),
        );
    }
    if has(&[9106, 9107]) {
        return Some(
            "no credentials reached Cloudflare: a proxy may have removed the headers".into(),
        );
    }
    if has(&[9103]) {
        return Some(
            "the e-mail address and the global API key do not belong together, or are unknown"
                .into(),
        );
    }
    if has(&[10405]) {
        return Some(
            match signature {
                Signature::Key => {
                    "this call is not available to the global API key: use an API token"
                }
                Signature::Token => {
                    "this call is not available to API tokens: use the global API key"
                }
                Signature::Both => {
                    "this call is available neither to the API token nor to the global API key"
                }
            }
            .into(),
        );
    }
    if has(&[9109]) && says("from location") {
        return Some(
            "the API token may not be used from this address: check its client IP filter".into(),
        );
    }
    if has(&[9109, 1001]) && says("invalid zone identifier") {
        return Some(
            "there is no such zone, or the credentials do not reach it: check the API token's zone \
            resources".into(),
        );
    }
    if error.is_unknown_token() {
        return Some(unknown_token(request));
    }
    // Code 0 belongs to an internal kind of permission that no token can have (reported 2020).
    let is_unnumbered = error.messages().iter().all(|m| m.code.is_none_or(|code| code == 0));
    if has(&[10000, 9109])
        || status == 401
        || (status == 403 && (is_unnumbered || says("permission")))
    {
        return Some(lacking(request, signature));
    }
    if has(&[7000, 7001]) && request.path.matches('/').count() <= 1 {
        return Some(format!("check that the base URL leads to Cloudflare, such as {SERVICE}"));
    }
    (status >= 500).then(|| {
        "Cloudflare has a problem: see www.cloudflarestatus.com and run again later".into()
    })
}

/// Returns the advice for a well-formed token that Cloudflare does not know.
fn unknown_token(request: &RequestName) -> String {
    if request.path.starts_with("/user/tokens/") {
        return "the API token is wrong, expired or revoked; or it belongs to an account, and then \
            it is verified at \
                /accounts/{account}/tokens/verify"
            .into();
    }
    "the API token is wrong, expired or revoked: compare it with the list of API tokens in the \
    dashboard"
        .into()
}

/// Command that shows the permissions of credentials.
const DOCTOR: &str = "`zonewright doctor` shows what these credentials may do";

/// Returns the advice for a missing permission.
fn lacking(request: &RequestName, signature: Signature) -> String {
    let of_token = match needed_permission(request) {
        Some(permission) => {
            let (name, dashboard) = (permission.api_name(), permission.dashboard_name());
            format!(
                "the API token needs the permission `{name}` (in the dashboard: {dashboard}), and \
                its resources must include this \
                 object"
            )
        }
        None => "the API token lacks a permission, or its resources do not include this object"
            .to_owned(),
    };
    match signature {
        Signature::Token => format!("{of_token}; {DOCTOR}"),
        Signature::Key => {
            format!(
                "the user of the global API key may not do this: check the user's role in the \
                account; {DOCTOR}"
            )
        }
        Signature::Both => format!("{of_token}; the global API key was refused as well; {DOCTOR}"),
    }
}

/// Returns the permission that a token needs for a request.
fn needed_permission(request: &RequestName) -> Option<Permission> {
    let resource = resource(&request.path);
    let group = match resource.as_str() {
        "zones" => PermissionGroup::Zone,
        "zones/dns_records" | "zones/dnssec" => PermissionGroup::Dns,
        "zones/dns_settings" => PermissionGroup::ZoneDnsSettings,
        "zones/settings" => PermissionGroup::ZoneSettings,
        "zones/rulesets" => phase_group(&request.path),
        "accounts/rulesets" => PermissionGroup::AccountRulesets,
        "accounts/rules" => PermissionGroup::AccountFilterLists,
        _ => return None,
    };
    Some(if request.method.is_read() { Permission::read(group) } else { Permission::edit(group) })
}

/// Returns the permission for a zone's rulesets. Each phase belongs to a product; most rulesets
/// without a phase in the path belong to the WAF.
fn phase_group(path: &str) -> PermissionGroup {
    match path.split_once("/phases/").map(|(_, rest)| rest.split('/').next().unwrap_or_default()) {
        Some("http_request_cache_settings") => PermissionGroup::CacheRules,
        Some("http_request_dynamic_redirect") => PermissionGroup::DynamicUrlRedirects,
        Some("http_request_origin") => PermissionGroup::OriginRules,
        Some(
            "http_request_transform"
            | "http_request_late_transform"
            | "http_response_headers_transform",
        ) => PermissionGroup::ZoneTransformRules,
        Some("http_config_settings") => PermissionGroup::ConfigRules,
        _ => PermissionGroup::ZoneWaf,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{ApiMessage, Method};

    /// Returns the advice for a refusal.
    fn advice_for(
        method: Method,
        path: &str,
        status: u16,
        code: Option<i64>,
        message: &str,
        signature: Signature,
    ) -> String {
        let request = RequestName { method, path: path.to_owned() };
        let messages = vec![ApiMessage { code, message: message.to_owned(), pointer: None }];
        ApiError::Refused { request, status, messages, signature }.advice().unwrap_or_default()
    }

    #[test]
    fn the_missing_permission_is_named() {
        let lacking = |method, path: &str| {
            advice_for(method, path, 403, Some(10000), "Authentication error", Signature::Token)
        };
        assert!(lacking(Method::Get, "/zones").contains("`Zone Read`"));
        assert!(lacking(Method::Get, "/zones").contains("Zone > Zone > Read"));
        assert!(
            lacking(Method::Get, "/zones")
                .ends_with("`zonewright doctor` shows what these credentials may do")
        );
        assert!(lacking(Method::Post, "/zones/a/dns_records/batch").contains("`DNS Write`"));
        assert!(
            lacking(
                Method::Get,
                "/zones/a/rulesets/phases/http_request_firewall_managed/entrypoint"
            )
            .contains("`Zone WAF Read`")
        );
        assert!(
            lacking(Method::Put, "/zones/a/rulesets/phases/http_request_cache_settings/entrypoint")
                .contains("`Cache Rules Write`")
        );
        assert!(lacking(Method::Get, "/accounts/a/rulesets").contains("`Account Rulesets Read`"));
        assert!(lacking(Method::Get, "/memberships").contains("lacks a permission"));
        let without_code = advice_for(
            Method::Patch,
            "/zones/a/rulesets/b/rules/c",
            403,
            None,
            "request is not authorized",
            Signature::Both,
        );
        assert!(
            without_code.contains("`Zone WAF Write`")
                && without_code.contains("key was refused as well")
        );
        assert!(
            advice_for(Method::Get, "/zones", 403, Some(10000), "x", Signature::Key)
                .contains("role")
        );
        let of_actor = "Actor 'com.cloudflare.api.token.1' requires permission 'com.cloudflare.api.account.zone.list'";
        assert!(
            advice_for(Method::Get, "/zones", 403, Some(0), of_actor, Signature::Token)
                .contains("`Zone Read`")
        );
        assert_eq!(
            advice_for(
                Method::Post,
                "/zones/a/dns_records",
                403,
                Some(1038),
                "no API",
                Signature::Token
            ),
            ""
        );
    }

    #[test]
    fn one_code_has_four_meanings() {
        let of = |message| {
            advice_for(Method::Get, "/zones/a", 403, Some(9109), message, Signature::Token)
        };
        assert!(of("Cannot use the access token from location: 192.0.2.1").contains("IP filter"));
        assert!(of("Invalid zone identifier").contains("no such zone"));
        assert!(of("Invalid access token").contains("revoked"));
        assert!(of("Unauthorized to access requested resource").contains("`Zone Read`"));
    }

    #[test]
    fn wrong_credentials_are_told_apart() {
        let of = |status, code, path: &str, signature| {
            advice_for(Method::Get, path, status, Some(code), "no", signature)
        };
        assert!(of(400, 6111, "/zones", Signature::Token).contains("Bearer"));
        assert!(of(400, 6103, "/zones", Signature::Key).contains("37 hexadecimal"));
        assert!(of(400, 9106, "/zones", Signature::Token).contains("proxy"));
        assert!(of(403, 9103, "/zones", Signature::Key).contains("belong together"));
        assert!(
            of(401, 1000, "/user/tokens/verify", Signature::Token)
                .contains("/accounts/{account}/tokens/verify")
        );
        assert!(of(405, 10405, "/zones", Signature::Token).contains("global API key"));
        assert_eq!(of(400, 9021, "/zones", Signature::Token), "");
    }
}
