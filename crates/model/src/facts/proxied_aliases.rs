//! Targets of aliases that Cloudflare does not proxy to, or that are read and not visited.

/// Targets that an alias cannot be proxied to, alone or together with the names below them.
///
/// # Sources
/// developers.cloudflare.com/dns/proxy-status/limitations, "Non-proxiable targets", read
/// 2026-11-27: Cloudflare prevents these records from being proxied.
pub const NOT_PROXIED: &[(&str, TargetScope)] = &[
    ("dkim2.mcsv.net", TargetScope::Exact),
    ("dkim3.mcsv.net", TargetScope::Exact),
    ("zmverify.zoho.com", TargetScope::Exact),
    ("dkim.infusionmail.com", TargetScope::Exact),
    ("dkim.amazonses.com", TargetScope::ExactAndBelow),
    ("onmicrosoft.com", TargetScope::Below),
    ("dkim.intercom.io", TargetScope::Below),
    ("acm-validations.aws", TargetScope::Below),
];

/// Suffixes of hosts to which the return paths of mail services are aliases, each with a name.
/// Receivers look up MX and SPF records there, and no browser visits them.
///
/// # Sources
/// The instructions of each service for its customers' records, as known in 2026-11. The list is
/// not complete.
pub const RETURN_PATHS: &[(&str, &str)] = &[
    ("wl.sendgrid.net", "SendGrid"),
    ("wl*.sendgrid.net", "SendGrid"),
    ("pm.mtasv.net", "Postmark"),
    ("mandrillapp.com", "Mailchimp"),
    ("sparkpostmail.com", "SparkPost"),
    ("return.smtp2go.net", "SMTP2GO"),
    ("bnc3.mailjet.com", "Mailjet"),
    ("bounces.elasticemail.net", "Elastic Email"),
    ("mailersend.net", "MailerSend"),
    ("zeptomail.com", "ZeptoMail"),
    ("mail1.zendesk.com", "Zendesk"),
    ("mail2.zendesk.com", "Zendesk"),
    ("mail3.zendesk.com", "Zendesk"),
    ("mail4.zendesk.com", "Zendesk"),
    ("mail5.zendesk.com", "Zendesk"),
    ("mail6.zendesk.com", "Zendesk"),
];

/// Suffixes of hosts to which names are aliases so that a certificate authority sees who controls
/// them, each with the name of the authority.
///
/// # Sources
/// docs.aws.amazon.com/acm/latest/userguide/dns-validation.html, the "CNAME CSR hash" of Sectigo,
/// cloud.google.com/certificate-manager/docs/dns-authorizations, as known in 2026-11.
pub const VALIDATIONS: &[(&str, &str)] = &[
    ("acm-validations.aws", "Amazon"),
    ("comodoca.com", "Sectigo"),
    ("sectigo.com", "Sectigo"),
    ("authorize.certificatemanager.goog", "Google"),
    ("dcv.digicert.com", "DigiCert"),
];

/// The names that an entry of a list of targets means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetScope {
    /// This name alone.
    Exact,
    /// This name and all names below it.
    ExactAndBelow,
    /// All names below this name.
    Below,
}

impl TargetScope {
    /// Returns true if a target, without a final dot and in lower case, is one of these names.
    #[must_use]
    pub fn contains(self, domain: &str, target: &str) -> bool {
        let is_below = || target.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
        match self {
            Self::Exact => target == domain,
            Self::ExactAndBelow => target == domain || is_below(),
            Self::Below => is_below(),
        }
    }
}

/// Returns true if Cloudflare does not proxy an alias with this target, which is in lower case and
/// without a final dot.
#[must_use]
pub fn is_never_proxied(target: &str) -> bool {
    NOT_PROXIED.iter().any(|(domain, scope)| scope.contains(domain, target))
}
