//! Texts by which services verify who controls a domain, and what depends on them.

/// A text that a provider looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerificationText {
    /// The beginning of the text, in lower case.
    pub start: &'static str,
    /// Its name.
    pub service: &'static str,
    /// The thing that may end if the text is no longer found.
    pub lost: &'static str,
}

const fn verification_text(
    start: &'static str,
    service: &'static str,
    lost: &'static str,
) -> VerificationText {
    VerificationText { start, service, lost }
}

/// The texts of well-known services.
///
/// # Sources
/// Each beginning is in TXT records of public zones and in lists of such texts in public
/// repositories, searched 2026-11-27. What may be lost: the instructions of each service, as known
/// in 2026-11. Some services check once and others again and again.
pub const VERIFICATION_TEXTS: &[VerificationText] = &[
    verification_text(
        "google-site-verification=",
        "Google",
        "access to Search Console and to Workspace",
    ),
    verification_text("ms=", "Microsoft 365", "the use of the domain"),
    verification_text(
        "facebook-domain-verification=",
        "Meta",
        "the verified domain of the business",
    ),
    verification_text("apple-domain-verification=", "Apple", "managed accounts and domains"),
    verification_text("apple-domain=", "Apple", "mail of iCloud with this domain"),
    verification_text(
        "atlassian-domain-verification=",
        "Atlassian",
        "managed accounts and single sign-on",
    ),
    verification_text("docusign=", "DocuSign", "managed accounts and single sign-on"),
    verification_text(
        "adobe-idp-site-verification=",
        "Adobe",
        "managed accounts and single sign-on",
    ),
    verification_text("dropbox-domain-verification=", "Dropbox", "managed accounts"),
    verification_text("slack-domain-verification=", "Slack", "the claimed domain"),
    verification_text("zoom_verify_", "Zoom", "managed accounts"),
    verification_text("zoom-domain-verification=", "Zoom", "managed accounts"),
    verification_text("webexdomainverification", "Webex", "managed accounts"),
    verification_text("cisco-ci-domain-verification=", "Webex", "managed accounts"),
    verification_text("stripe-verification=", "Stripe", "the use of the domain"),
    verification_text(
        "globalsign-domain-verification=",
        "GlobalSign",
        "the issuance of certificates",
    ),
    verification_text(
        "_globalsign-domain-verification=",
        "GlobalSign",
        "the issuance of certificates",
    ),
    verification_text(
        "openai-domain-verification=",
        "OpenAI",
        "the verified domain and single sign-on",
    ),
    verification_text(
        "anthropic-domain-verification-",
        "Anthropic",
        "the verified domain and single sign-on",
    ),
    verification_text(
        "notion-domain-verification=",
        "Notion",
        "managed accounts and single sign-on",
    ),
    verification_text("miro-verification=", "Miro", "managed accounts"),
    verification_text("canva-site-verification=", "Canva", "managed accounts"),
    verification_text("1password-site-verification=", "1Password", "the use of the domain"),
    verification_text(
        "have-i-been-pwned-verification=",
        "Have I Been Pwned",
        "notices about the domain",
    ),
    verification_text("pinterest-site-verification=", "Pinterest", "the claimed website"),
    verification_text("yandex-verification:", "Yandex", "access to Webmaster"),
    verification_text("mailru-verification:", "Mail.ru", "access to Postmaster"),
    verification_text("hubspot-domain-verification=", "HubSpot", "the connected domain"),
    verification_text("hubspot-developer-verification=", "HubSpot", "the verified domain of apps"),
    verification_text("onetrust-domain-verification=", "OneTrust", "the use of the domain"),
    verification_text("citrix-verification-code=", "Citrix", "the use of the domain"),
    verification_text("twilio-domain-verification=", "Twilio", "the use of the domain"),
];

impl VerificationText {
    /// Finds the provider that looks for a text.
    #[must_use]
    pub fn of(text: &[u8]) -> Option<&'static Self> {
        VERIFICATION_TEXTS.iter().find(|known| {
            let start = text.get(..known.start.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(known.start.as_bytes()))
        })
    }
}
