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

/// The hosts of a service to which names are aliases that nobody visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadAlias {
    /// The suffix of the hosts. A label may be `*` or end with it; `.*` at the end is any public
    /// suffix.
    pub suffix: &'static str,
    /// The provider whose customers create the alias.
    pub service: &'static str,
    /// The page that shows the alias, and the day on which it was read.
    pub source: &'static str,
}

const fn read_alias(
    suffix: &'static str,
    service: &'static str,
    source: &'static str,
) -> ReadAlias {
    ReadAlias { suffix, service, source }
}

/// The source of aliases that are known from the zones of customers.
const IN_ZONES: &str = "CNAME records in public configurations, searched 2026-11-27";

/// The page of Zendesk about its four aliases.
const ZENDESK: &str = "support.zendesk.com/hc/en-us/articles/4408832543770; mail1 to mail4 in public configurations, \
     searched 2026-11-27";

/// Hosts to which the return paths of mail services are aliases. Receivers look up MX and SPF
/// records there, and no browser visits them. The list is not complete.
pub const RETURN_PATHS: &[ReadAlias] = &[
    read_alias("wl.sendgrid.net", "SendGrid", IN_ZONES),
    read_alias("wl*.sendgrid.net", "SendGrid", IN_ZONES),
    read_alias(
        "pm.mtasv.net",
        "Postmark",
        "postmarkapp.com/developer/api/domains-api#create-domain, read 2026-11-27",
    ),
    read_alias(
        "mandrillapp.com",
        "Mailchimp",
        "mailchimp.com/developer/transactional/docs/authentication-delivery, as known in 2026-11",
    ),
    read_alias(
        "sparkpostmail.com",
        "SparkPost",
        "developers.sparkpost.com/api/sending-domains, read 2026-11-27",
    ),
    read_alias(
        "mail.e.sparkpost.com",
        "SparkPost",
        "developers.sparkpost.com/api/sending-domains, read 2026-11-27",
    ),
    read_alias("return.smtp2go.net", "SMTP2GO", IN_ZONES),
    read_alias("bnc3.mailjet.com", "Mailjet", IN_ZONES),
    read_alias("bounces.elasticemail.net", "Elastic Email", IN_ZONES),
    read_alias("mailersend.net", "MailerSend", IN_ZONES),
    read_alias("zeptomail.*", "ZeptoMail", IN_ZONES),
    read_alias("mail1.zendesk.com", "Zendesk", ZENDESK),
    read_alias("mail2.zendesk.com", "Zendesk", ZENDESK),
    read_alias("mail3.zendesk.com", "Zendesk", ZENDESK),
    read_alias("mail4.zendesk.com", "Zendesk", ZENDESK),
];

/// Hosts to which names are aliases so that a certificate authority sees who controls them.
pub const VALIDATIONS: &[ReadAlias] = &[
    read_alias(
        "acm-validations.aws",
        "Amazon",
        "docs.aws.amazon.com/acm/latest/userguide/dns-validation.html, read 2026-11-27",
    ),
    read_alias(
        "comodoca.com",
        "Sectigo",
        "gist.github.com/pzb/3b57ddac91ccf0e4c814, read 2026-11-27",
    ),
    read_alias("sectigo.com", "Sectigo", "the \"CNAME CSR hash\", as known in 2026-11"),
    read_alias(
        "authorize.certificatemanager.goog",
        "Google",
        "cloud.google.com/certificate-manager/docs/dns-authorizations, read 2026-11-27",
    ),
    read_alias("dcv.digicert.com", "DigiCert", IN_ZONES),
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
