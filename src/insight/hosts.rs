//! Host names: who registered them, and whether one looks like a typing error of another.

use strsim::damerau_levenshtein;

use crate::model::{Fqdn, PublicSuffix};

/// Providers whose servers have names below several similar domains: one is no typing error of the other.
///
/// # Sources
/// Public name server and mail server names of these providers, 2026-11.
const WITH_SEVERAL_DOMAINS: &[&str] = &[
    "awsdns",
    "azure-dns",
    "cscdns",
    "dnsimple",
    "domaincontrol",
    "easydns",
    "google",
    "googledomains",
    "googlemail",
    "gandi",
    "hostinger",
    "ionos",
    "mimecast",
    "nsone",
    "outlook",
    "ovh",
    "pphosted",
    "protonmail",
    "rackspace",
    "registrar-servers",
    "ui-dns",
    "ultradns",
    "zoho",
];

/// Domains to which very many zones point: a name that nearly is one of them is a typing error.
///
/// # Sources
/// The setup pages of these providers, read 2026-11.
const WELL_KNOWN: &[&str] = &[
    "amazonaws.com",
    "amazonses.com",
    "azurewebsites.net",
    "cloudflare.com",
    "cloudfront.net",
    "freshdesk.com",
    "github.io",
    "google.com",
    "googlemail.com",
    "herokudns.com",
    "hubspotemail.net",
    "icloud.com",
    "mailchimp.com",
    "mailgun.org",
    "mandrillapp.com",
    "messagingengine.com",
    "microsoft.com",
    "mimecast.com",
    "mtasv.net",
    "netlify.app",
    "outlook.com",
    "pphosted.com",
    "protonmail.ch",
    "salesforce.com",
    "sendgrid.net",
    "shopify.com",
    "sparkpostmail.com",
    "squarespace.com",
    "vercel-dns.com",
    "zendesk.com",
    "zoho.com",
];

/// The domain that someone registered, of which a host is part; `None` for names that are public suffixes.
pub(super) fn registrable(host: &Fqdn) -> Option<&str> {
    PublicSuffix::of(host.as_str())?.registrable()
}

/// The label of a registrable domain before its public suffix.
fn label(domain: &str) -> &str {
    domain.split_once('.').map_or(domain, |(label, _)| label)
}

/// The known domain of which the one of a new host looks like a typing error, if there is one.
///
/// The registered domains differ by one character (missing, doubled, another, or two swapped) or by characters that look
/// alike; or a host that is replaced differs by its public suffix alone. A digit in place of a digit is no typing error:
/// servers are numbered. A domain that is in use already is right.
pub(super) fn mistyped<'k>(new: &Fqdn, replaced: &[&'k Fqdn], known: &[&'k Fqdn]) -> Option<&'k str> {
    let own = registrable(new)?;
    let mut found = None;
    for other in known.iter().filter_map(|host| registrable(host)) {
        if other == own {
            return None;
        }
        if found.is_none() && is_near(own, other) {
            found = Some(other);
        }
    }
    if WELL_KNOWN.contains(&own) {
        return None;
    }
    let prefix = |host: &Fqdn| registrable(host).and_then(|d| host.as_str().strip_suffix(d)).map(str::to_owned);
    let is_other_suffix = |host: &&&'k Fqdn| {
        registrable(host).is_some_and(|other| {
            other != own
                && label(own) == label(other)
                && prefix(new) == prefix(host)
                && !uses_several_domains(label(own))
                && !is_at_provider(own)
                && !is_at_provider(other)
        })
    };
    let suffix = || replaced.iter().find(is_other_suffix).and_then(|host| registrable(host));
    found.or_else(suffix).or_else(|| WELL_KNOWN.iter().copied().find(|other| is_near(own, other)))
}

/// Whether a domain was registered below the domain of a provider, such as `name.pages.dev`: people use one label at many.
fn is_at_provider(domain: &str) -> bool {
    PublicSuffix::of(domain).is_some_and(PublicSuffix::is_of_company)
}

/// Whether a provider uses several domains with this label.
fn uses_several_domains(label: &str) -> bool {
    let bare = label.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    WITH_SEVERAL_DOMAINS.contains(&bare) || WITH_SEVERAL_DOMAINS.contains(&label)
}

/// Whether two domains with the same public suffix nearly are one.
fn is_near(a: &str, b: &str) -> bool {
    let (Some((own, suffix)), Some((other, other_suffix))) = (a.split_once('.'), b.split_once('.')) else {
        return false;
    };
    // Of short names, most are one character away from another one.
    if suffix != other_suffix
        || own == other
        || own.len().min(other.len()) < 4
        || (uses_several_domains(own) && uses_several_domains(other))
    {
        return false;
    }
    looks_like(own) == looks_like(other) || (damerau_levenshtein(own, other) == 1 && !is_renumbered(own, other))
}

/// The label with characters that look alike made equal.
fn looks_like(label: &str) -> String {
    label.replace("rn", "m").replace("vv", "w").replace(['1', 'i'], "l").replace('0', "o").replace('5', "s")
}

/// Whether only digits differ: `ns1` and `ns2`, or `dns9` and `dns10`.
fn is_renumbered(a: &str, b: &str) -> bool {
    let without = |label: &str| label.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    without(a) == without(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_found_and_others_are_not() {
        let name = |text: &str| Fqdn::parse(text).unwrap();
        let near = |new: &str, known: &str| mistyped(&name(new), &[&name(known)], &[&name(known)]).is_some();
        for (new, known) in [
            ("ns1.exarnple.net", "ns1.example.net"),
            ("ns1.examp1e.net", "ns2.example.net"),
            ("ns1.exmaple.net", "ns1.example.net"),
            ("ns1.exampl.net", "ns1.example.net"),
            ("ns1.exxample.net", "ns1.example.net"),
            ("ns1.example.org", "ns1.example.net"),
            ("mx.g00gle.com", "mx.google.com"),
            ("_spf.gogle.com", "mail.example.net"),
            ("mail.protection.0utlook.com", "mail.example.net"),
        ] {
            assert!(near(new, known), "{new} {known}");
        }
        for (new, known) in [
            ("ns2.example.net", "ns1.example.net"),
            ("ns-2.awsdns-12.org", "ns-1.awsdns-11.com"),
            ("ns2.dns2.example", "ns1.dns1.example"),
            ("ns1.provider2.net", "ns1.provider1.net"),
            ("ns1.other.net", "ns1.example.net"),
            ("mx.abc.net", "mx.abd.net"),
            ("mail.example.org", "mx.example.net"),
            ("northwind.netlify.app", "northwind.pages.dev"),
            ("aspmx.l.google.com", "mx.example.net"),
            ("pdns1.ultradns.net", "pdns2.ultradns.org"),
        ] {
            assert!(!near(new, known), "{new} {known}");
        }
    }
}
