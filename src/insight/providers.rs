//! Well-known providers, by the suffixes of their host names: accounts, names that a stranger could
//! claim, and the token that proves the ownership of a name. This is the only list of providers:
//! misspellings and takeovers are judged by it.

use std::sync::LazyLock;

use crate::model::{Fqdn, PublicSuffix};

/// A provider, by one suffix of its host names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// The suffix of its host names. A label `*` matches any label, and a label that ends with `*`
    /// any label with that beginning; `.*` at the end matches any public suffix, for providers with
    /// the same label at several suffixes.
    pub suffix: &'static str,
    pub name: &'static str,
    /// True if each account has hosts of its own below the suffix, so that the suffix alone belongs
    /// to no account.
    pub is_per_account: bool,
    /// The resource that anyone can claim once its owner gives it up; `None` if no such resource is
    /// known.
    pub claims: Option<&'static str>,
    /// The first label of the name of the token that prevents others from claiming a name, or the
    /// beginning of that label with `-` at the end.
    pub token: Option<&'static str>,
    /// The page with the evidence, as of 2026-11.
    pub source: &'static str,
}

/// Hosts of accounts that anyone can claim once they are given up.
const fn hosting(
    suffix: &'static str,
    name: &'static str,
    claims: &'static str,
    source: &'static str,
) -> Provider {
    Provider { suffix, name, is_per_account: true, claims: Some(claims), token: None, source }
}

/// Hosts that all accounts share: the provider selects the account by the requested name.
const fn shared(suffix: &'static str, name: &'static str, source: &'static str) -> Provider {
    Provider { is_per_account: false, ..hosting(suffix, name, "that name", source) }
}

/// Hosts of accounts that strangers cannot claim, as far as is known.
const fn account(suffix: &'static str, name: &'static str, source: &'static str) -> Provider {
    Provider { claims: None, ..hosting(suffix, name, "", source) }
}

/// Hosts of the provider itself, to which customers also point by the suffix alone.
const fn providers_own(suffix: &'static str, name: &'static str, source: &'static str) -> Provider {
    Provider { is_per_account: false, ..account(suffix, name, source) }
}

impl Provider {
    /// Sets the token.
    const fn token(self, token: &'static str) -> Self {
        Self { token: Some(token), ..self }
    }
}

/// The community's list of subdomain takeovers.
const TAKEOVERS: &str = "github.com/EdOverflow/can-i-take-over-xyz";
const AZURE: &str = "learn.microsoft.com/azure/security/fundamentals/subdomain-takeover";
const S3: &str =
    "docs.aws.amazon.com/AmazonS3/latest/userguide/website-hosting-custom-domain-walkthrough.html";
const HEROKU: &str = "devcenter.heroku.com/articles/custom-domains";
const NETLIFY: &str = "docs.netlify.com/manage/domains/configure-domains/configure-external-dns";
const VERCEL: &str = "vercel.com/docs/domains/working-with-domains/add-a-domain";
const ZENDESK_MAIL: &str =
    "support.zendesk.com: allowing Zendesk to send email on behalf of your email domain";
const GOOGLE: &str = "knowledge.workspace.google.com/admin/domains";
const GITBOOK: &str = "gitbook.com/docs/publishing-documentation/custom-domain";
const SHOPIFY: &str = "help.shopify.com/manual/domains/add-a-domain/connecting-domains";
const FIREBASE: &str = "firebase.google.com/docs/hosting/custom-domain";
const SURGE: &str = "surge.sh/help/adding-a-custom-domain";
const MICROSOFT_365: &str =
    "learn.microsoft.com/microsoft-365/enterprise/external-domain-name-system-records";
/// The source for providers whose servers are known from the zones of their customers.
const IN_ZONES: &str = "NS and MX records of public zones, e.g. of its customers";
const WEBFLOW: &str = "help.webflow.com: connect a custom domain";

/// Returns a host of Azure. The token `asuid` belongs to App Service, which can also be behind
/// Traffic Manager.
const fn azure(suffix: &'static str, claims: &'static str) -> Provider {
    hosting(suffix, "Azure", claims, AZURE)
}

/// All providers. Cloudflare answers an alias to `pages.dev` of another account with error 1014, so
/// it cannot be claimed.
pub const PROVIDERS: &[Provider] = &[
    hosting(
        "github.io",
        "GitHub Pages",
        "that site",
        "docs.github.com/pages: verifying your custom domain",
    )
    .token("_github-pages-challenge-"),
    hosting(
        "gitlab.io",
        "GitLab Pages",
        "that site",
        "docs.gitlab.com/user/project/pages/custom_domains_ssl_tls_certification",
    )
    .token("_gitlab-pages-verification-code"),
    hosting("bitbucket.io", "Bitbucket", "that site", TAKEOVERS),
    azure("azure-api.net", "that service"),
    azure("azure-api.us", "that service"),
    azure("azurecontainer.io", "that container"),
    azure("azureedge.net", "that endpoint"),
    azure("azurefd.net", "that endpoint"),
    azure("azurefd.us", "that endpoint"),
    azure("azurewebsites.net", "that app").token("asuid"),
    azure("azurewebsites.us", "that app").token("asuid"),
    azure("blob.core.windows.net", "that storage account"),
    azure("*.web.core.windows.net", "that storage account"),
    azure("*.cloudapp.azure.com", "that host"),
    azure("cloudapp.net", "that service"),
    azure("trafficmanager.net", "that profile").token("asuid"),
    hosting("vercel.app", "Vercel", "that project", VERCEL).token("_vercel"),
    hosting("now.sh", "Vercel", "that project", VERCEL).token("_vercel"),
    shared("vercel-dns.com", "Vercel", VERCEL).token("_vercel"),
    shared("vercel-dns-*.com", "Vercel", VERCEL).token("_vercel"),
    hosting(
        "zendesk.com",
        "Zendesk",
        "that account",
        "support.zendesk.com/hc/articles/4408838571034",
    )
    .token("zendeskverification"),
    providers_own("mail1.zendesk.com", "Zendesk", ZENDESK_MAIL),
    providers_own("mail2.zendesk.com", "Zendesk", ZENDESK_MAIL),
    providers_own("mail3.zendesk.com", "Zendesk", ZENDESK_MAIL),
    providers_own("mail4.zendesk.com", "Zendesk", ZENDESK_MAIL),
    account("webflow.io", "Webflow", WEBFLOW).token("_webflow"),
    shared("cdn.webflow.com", "Webflow", WEBFLOW).token("_webflow"),
    shared("proxy-ssl.webflow.com", "Webflow", WEBFLOW).token("_webflow"),
    shared("proxy.webflow.com", "Webflow", WEBFLOW).token("_webflow"),
    hosting("herokuapp.com", "Heroku", "that app", HEROKU),
    hosting("herokudns.com", "Heroku", "that name", HEROKU),
    hosting("s3.amazonaws.com", "Amazon S3", "that bucket", S3),
    hosting("s3-*.amazonaws.com", "Amazon S3", "that bucket", S3),
    hosting("s3.*.amazonaws.com", "Amazon S3", "that bucket", S3),
    hosting("s3.dualstack.*.amazonaws.com", "Amazon S3", "that bucket", S3),
    // Amazon selects a website by the requested name, so the suffix alone is sufficient, and
    // documented.
    shared("s3-website-*.amazonaws.com", "Amazon S3", S3),
    shared("s3-website.*.amazonaws.com", "Amazon S3", S3),
    hosting("elasticbeanstalk.com", "Elastic Beanstalk", "that environment", TAKEOVERS),
    hosting("*.elasticbeanstalk.com", "Elastic Beanstalk", "that environment", TAKEOVERS),
    hosting("netlify.app", "Netlify", "that site", NETLIFY),
    hosting("netlify.com", "Netlify", "that site", NETLIFY),
    shared("apex-loadbalancer.netlify.com", "Netlify", NETLIFY),
    hosting("fly.dev", "Fly.io", "that app", "fly.io/docs/networking/custom-domain"),
    shared("shops.myshopify.com", "Shopify", SHOPIFY),
    hosting("myshopify.com", "Shopify", "that shop", SHOPIFY),
    hosting("surge.sh", "Surge", "that site", SURGE),
    shared("na-west1.surge.sh", "Surge", SURGE),
    shared(
        "readthedocs.io",
        "Read the Docs",
        "docs.readthedocs.com/platform/stable/custom-domains.html",
    ),
    hosting("ghost.io", "Ghost", "that site", TAKEOVERS),
    hosting("wordpress.com", "WordPress.com", "that site", TAKEOVERS),
    providers_own(
        "unbouncepages.com",
        "Unbounce",
        "documentation.unbounce.com: connecting your domain (CNAME)",
    ),
    hosting("pantheonsite.io", "Pantheon", "that site", TAKEOVERS),
    hosting("helpscoutdocs.com", "Help Scout", "that site", TAKEOVERS),
    hosting("helpjuice.com", "Helpjuice", "that account", TAKEOVERS),
    hosting("ngrok.io", "ngrok", "that host", TAKEOVERS),
    shared("stats.uptimerobot.com", "UptimeRobot", TAKEOVERS),
    shared("s.strikinglydns.com", "Strikingly", TAKEOVERS),
    account(
        "pages.dev",
        "Cloudflare Pages",
        "developers.cloudflare.com/pages/configuration/custom-domains",
    ),
    account(
        "workers.dev",
        "Cloudflare Workers",
        "developers.cloudflare.com/workers/configuration/routing/workers-dev",
    ),
    account("web.app", "Firebase Hosting", FIREBASE),
    account("firebaseapp.com", "Firebase Hosting", FIREBASE),
    account("run.app", "Cloud Run", "cloud.google.com/run/docs/mapping-custom-domains"),
    account("onrender.com", "Render", "render.com/docs/custom-domains"),
    account("railway.app", "Railway", "docs.railway.com/guides/public-networking"),
    account(
        "ondigitalocean.app",
        "DigitalOcean",
        "docs.digitalocean.com/products/app-platform/how-to/manage-domains",
    ),
    account(
        "azurestaticapps.net",
        "Azure Static Web Apps",
        "learn.microsoft.com/azure/static-web-apps/custom-domain-external",
    ),
    account(
        "cloudfront.net",
        "CloudFront",
        "docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/CNAMEs.html",
    ),
    account("*.elb.amazonaws.com", "AWS", "docs.aws.amazon.com/elasticloadbalancing"),
    account("amazonaws.com", "AWS", "docs.aws.amazon.com/general/latest/gr/rande.html"),
    account(
        "statuspage.io",
        "Statuspage",
        "support.atlassian.com/statuspage/docs/set-up-a-custom-domain",
    ),
    account("freshdesk.com", "Freshdesk", "support.freshdesk.com: using a vanity support URL"),
    account("gitbook.io", "GitBook", GITBOOK),
    account("gitbooks.io", "GitBook", GITBOOK),
    hosting("readme.io", "ReadMe", "that project", TAKEOVERS),
    account("wpengine.com", "WP Engine", "wpengine.com/support/add-domain-in-user-portal"),
    account(
        "amazonses.com",
        "Amazon SES",
        "docs.aws.amazon.com/ses/latest/dg/send-email-authentication-dkim-easy.html",
    ),
    account("cloudflare.com", "Cloudflare", "developers.cloudflare.com/dns/nameservers"),
    account(
        "hubspotemail.net",
        "HubSpot",
        "knowledge.hubspot.com/marketing-email/manage-email-authentication-in-hubspot",
    ),
    account("icloud.com", "Apple", "support.apple.com/102374"),
    account("mailchimp.com", "Mailchimp", "mailchimp.com/help/set-up-email-domain-authentication"),
    providers_own(
        "mandrillapp.com",
        "Mailchimp",
        "mailchimp.com/developer/transactional/docs/authentication-delivery",
    ),
    account("messagingengine.com", "Fastmail", "fastmail.help/hc/articles/360060591153"),
    account("microsoft.com", "Microsoft", MICROSOFT_365),
    account(
        "mtasv.net",
        "Postmark",
        "postmarkapp.com/support/article/1046-how-do-i-verify-a-domain",
    ),
    account("salesforce.com", "Salesforce", "help.salesforce.com: set up a custom domain"),
    account("shopify.com", "Shopify", SHOPIFY),
    providers_own(
        "sparkpostmail.com",
        "SparkPost",
        "support.sparkpost.com/docs/tech-resources/custom-bounce-domain",
    ),
    account("squarespace.com", "Squarespace", "support.squarespace.com/hc/articles/205812378"),
    providers_own(
        "mailgun.org",
        "Mailgun",
        "documentation.mailgun.com/docs/mailgun/user-manual/domains/domains-verify",
    ),
    providers_own(
        "sendgrid.net",
        "SendGrid",
        "twilio.com/docs/sendgrid/ui/account-and-settings/how-to-set-up-link-branding",
    ),
    // Name servers and mail servers below one label at several suffixes.
    account(
        "awsdns-*.*",
        "Route 53",
        "docs.aws.amazon.com/Route53/latest/DeveloperGuide/SOA-NSrecords.html",
    ),
    account(
        "azure-dns.*",
        "Azure DNS",
        "learn.microsoft.com/azure/dns/dns-delegate-domain-azure-dns",
    ),
    account("cscdns.*", "CSC", IN_ZONES),
    account("desec.*", "deSEC", "desec.readthedocs.io/en/latest/dns/domains.html"),
    account("dnsimple.*", "DNSimple", "support.dnsimple.com/articles/dnsimple-nameservers"),
    account("domaincontrol.*", "GoDaddy", IN_ZONES),
    account("easydns.*", "easyDNS", IN_ZONES),
    account(
        "gandi.*",
        "Gandi",
        "docs.gandi.net/en/domain_names/common_operations/gandi_nameservers.html",
    ),
    account("google.*", "Google", GOOGLE),
    account("googledomains.*", "Google", GOOGLE),
    account("googlemail.*", "Google", GOOGLE),
    account("hostinger.*", "Hostinger", IN_ZONES),
    account("ionos.*", "IONOS", IN_ZONES),
    account("ui-dns.*", "IONOS", IN_ZONES),
    account("mimecast.*", "Mimecast", "mimecastsupport.zendesk.com: gateway hosts by region"),
    account("nsone.*", "NS1", IN_ZONES),
    account("outlook.*", "Microsoft", MICROSOFT_365),
    account("ovh.*", "OVHcloud", IN_ZONES),
    account("pphosted.*", "Proofpoint", "help.proofpoint.com: mail servers by region"),
    account("protonmail.*", "Proton", "proton.me/support/custom-domain"),
    account("rackspace.*", "Rackspace", IN_ZONES),
    account("registrar-servers.*", "Namecheap", IN_ZONES),
    account("ultradns.*", "UltraDNS", IN_ZONES),
    account("yandex.*", "Yandex", IN_ZONES),
    account("zoho.*", "Zoho", "zoho.com/mail/help/adminconsole/configure-email-delivery.html"),
];

/// Minimum length of a provider's label for detecting misspellings. A label of this length that is
/// one character away from it is hardly ever a real name.
///
/// # Units
/// Characters.
pub(super) const LONG: usize = 6;

/// The relation of a host to a suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SuffixRelation {
    /// The host equals the suffix.
    Alone,
    /// The host is below the suffix.
    Below,
}

/// Returns true if a label matches a label of a suffix.
fn matches_label(label: &str, wanted: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(start) => label.len() > start.len() && label.starts_with(start),
        None => label == wanted,
    }
}

/// Matches the end of a host with a label at any public suffix.
fn end_of_label(host: &str, wanted: &str) -> Option<SuffixRelation> {
    // This check is cheaper than finding the public suffix of every host.
    if !host.contains(wanted.trim_end_matches('*')) {
        return None;
    }
    let domain = PublicSuffix::of(host)?.registrable()?;
    let (label, _) = domain.split_once('.')?;
    matches_label(label, wanted).then_some(if domain.len() == host.len() {
        SuffixRelation::Alone
    } else {
        SuffixRelation::Below
    })
}

/// Returns true if a host is at a suffix of the form of [`Provider::suffix`], or below it.
pub(super) fn is_at_suffix(host: &Fqdn, suffix: &str) -> bool {
    end(host.as_str(), suffix).is_some()
}

/// Matches the end of a host with a suffix.
fn end(host: &str, suffix: &str) -> Option<SuffixRelation> {
    if let Some(label) = suffix.strip_suffix(".*") {
        return end_of_label(host, label);
    }
    if !suffix.contains('*') {
        return match host.strip_suffix(suffix)? {
            "" => Some(SuffixRelation::Alone),
            before => before.ends_with('.').then_some(SuffixRelation::Below),
        };
    }
    let mut labels = host.rsplit('.');
    for wanted in suffix.rsplit('.') {
        if !matches_label(labels.next()?, wanted) {
            return None;
        }
    }
    Some(if labels.next().is_some() { SuffixRelation::Below } else { SuffixRelation::Alone })
}

impl Provider {
    /// Finds the provider of a host, by the longest suffix.
    pub(super) fn of(host: &Fqdn) -> Option<&'static Self> {
        let fits =
            PROVIDERS.iter().filter(|provider| end(host.as_str(), provider.suffix).is_some());
        fits.max_by_key(|provider| (provider.suffix.split('.').count(), provider.suffix.len()))
    }

    /// Returns true if a registered domain belongs to a provider. Such a domain is right, even if
    /// it is similar to another one.
    pub(super) fn has(domain: &str) -> bool {
        let is_it = |suffix: &str| {
            end(domain, suffix) == Some(SuffixRelation::Alone)
                || end(suffix, domain) == Some(SuffixRelation::Below)
        };
        PROVIDERS.iter().any(|provider| is_it(provider.suffix))
    }

    /// Returns the account labels of two hosts of one provider at which anyone can claim an
    /// account.
    pub(super) fn accounts<'h>(one: &'h Fqdn, other: &'h Fqdn) -> Option<(&'h str, &'h str)> {
        let provider = Self::of(one)
            .filter(|p| p.is_per_account && p.claims.is_some() && !p.suffix.contains('*'))?;
        let account = |host: &'h Fqdn| {
            let labels_before = host.as_str().strip_suffix(provider.suffix)?.strip_suffix('.')?;
            labels_before.rsplit('.').next()
        };
        Some((account(one)?, account(other)?)).filter(|_| Self::of(other) == Some(provider))
    }

    /// Returns true if a changed alias lost the label of the account: at the same suffix, or at
    /// another suffix of the same provider.
    pub(super) fn loses_account(old: &Fqdn, new: &Fqdn) -> bool {
        let is_alone = |provider: &&Self| {
            provider.is_per_account
                && end(new.as_str(), provider.suffix) == Some(SuffixRelation::Alone)
                && old != new
        };
        Self::of(new).filter(is_alone).is_some_and(|provider| {
            old.is_within(new) || Self::of(old).is_some_and(|other| other.name == provider.name)
        })
    }

    /// Returns true if a host would be the other one with another suffix of the same label that
    /// belongs to no provider: `team.github.com` for `team.github.io`.
    pub(super) fn differs_by_end(old: &Fqdn, new: &Fqdn) -> bool {
        let Some(provider) = Self::of(old)
            .filter(|provider| end(old.as_str(), provider.suffix) == Some(SuffixRelation::Below))
        else {
            return false;
        };
        let (Some((label, _)), Some(account)) =
            (provider.suffix.split_once('.'), old.as_str().strip_suffix(provider.suffix))
        else {
            return false;
        };
        let is_it =
            |domain: &&str| domain.strip_prefix(label).is_some_and(|rest| rest.starts_with('.'));
        let domain = new.as_str().strip_prefix(account).filter(is_it);
        // The registered domain must be the whole suffix, and not only the end of a longer name.
        domain.is_some_and(|domain| {
            PublicSuffix::of(domain).and_then(PublicSuffix::registrable) == Some(domain)
        }) && Self::of(new).is_none()
    }

    /// Iterates over the registered domains that are long enough for detecting misspellings.
    pub(super) fn domains() -> impl Iterator<Item = &'static str> {
        static DOMAINS: LazyLock<Vec<&str>> = LazyLock::new(|| {
            let plain = PROVIDERS
                .iter()
                .map(|provider| provider.suffix)
                .filter(|suffix| !suffix.contains('*'));
            let domains =
                plain.map(|s| PublicSuffix::of(s).and_then(PublicSuffix::registrable).unwrap_or(s));
            // Shorter labels are ordinary words: `ghost.io` and `host.io`.
            let is_long = |domain: &&str| {
                domain.split_once('.').is_some_and(|(label, _)| label.len() >= LONG)
            };
            domains.filter(is_long).collect()
        });
        DOMAINS.iter().copied()
    }

    /// Iterates over the labels that a provider has at several public suffixes, without their
    /// numbers.
    pub(super) fn labels() -> impl Iterator<Item = &'static str> {
        let label = |provider: &'static Self| {
            Some(provider.suffix.strip_suffix(".*")?.trim_end_matches(['-', '*']))
        };
        PROVIDERS.iter().filter_map(label)
    }

    /// Returns true if a provider has this label at several public suffixes.
    pub(super) fn has_several(label: &str) -> bool {
        PROVIDERS
            .iter()
            .filter_map(|p| p.suffix.strip_suffix(".*"))
            .any(|wanted| matches_label(label, wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Fqdn {
        Fqdn::parse(text).unwrap()
    }

    #[test]
    fn hosts_belong_to_the_longest_suffix() {
        let of = |host: &str| Provider::of(&name(host)).map(|provider| provider.suffix);
        for (host, suffix) in [
            ("team.github.io", Some("github.io")),
            ("github.io", Some("github.io")),
            ("mygithub.io", None),
            ("shops.myshopify.com", Some("shops.myshopify.com")),
            ("kestrel.myshopify.com", Some("myshopify.com")),
            ("bucket.s3.eu-central-1.amazonaws.com", Some("s3.*.amazonaws.com")),
            ("bucket.s3-website-us-east-1.amazonaws.com", Some("s3-website-*.amazonaws.com")),
            ("bucket.s3-us-west-2.amazonaws.com", Some("s3-*.amazonaws.com")),
            ("bucket.s3-website.eu-central-1.amazonaws.com", Some("s3-website.*.amazonaws.com")),
            ("lb-1.eu-central-1.elb.amazonaws.com", Some("*.elb.amazonaws.com")),
            ("1a2b.vercel-dns-016.com", Some("vercel-dns-*.com")),
            ("cname.vercel-dns.com", Some("vercel-dns.com")),
            ("vercel-dns-.com", None),
            ("apex-loadbalancer.netlify.com", Some("apex-loadbalancer.netlify.com")),
            ("kestrel.netlify.com", Some("netlify.com")),
            ("example.net", None),
        ] {
            assert_eq!(of(host), suffix, "{host}");
        }
    }

    #[test]
    fn a_lost_label_is_one_of_an_account() {
        let loses = |old: &str, new: &str| Provider::loses_account(&name(old), &name(new));
        for provider in PROVIDERS.iter().filter(|provider| provider.is_per_account) {
            let suffix = provider.suffix.replace('*', "x1");
            assert!(loses(&format!("account.{suffix}"), &suffix), "{suffix}");
        }
        for provider in PROVIDERS.iter().filter(|provider| !provider.is_per_account) {
            let suffix = provider.suffix.replace('*', "x1");
            assert!(!loses(&format!("account.{suffix}"), &suffix), "{suffix}");
        }
        assert!(loses("kestrel.herokudns.com", "herokuapp.com"));
        assert!(!loses("kestrel.pages.dev", "osprey.pages.dev"));
        assert!(!loses("main.kestrel.pages.dev", "kestrel.pages.dev"));
        assert!(!loses("kestrel.herokuapp.com", "pages.dev"));
        assert!(!loses("kestrel-shop.myshopify.com", "shops.myshopify.com"));
        // The documentation names the suffix alone.
        assert!(!loses("kestrel.readthedocs.io", "readthedocs.io"));
        assert!(!loses("eu.sparkpostmail.com", "sparkpostmail.com"));
        for suffix in
            ["s3-website-us-east-1.amazonaws.com", "s3-website.eu-central-1.amazonaws.com"]
        {
            assert!(!loses(&format!("bucket.{suffix}"), suffix), "{suffix}");
        }
        assert!(!loses("kestrel.zendesk.com", "mail1.zendesk.com"));
    }

    #[test]
    fn another_end_of_the_same_label_is_another_provider() {
        let differs = |old: &str, new: &str| Provider::differs_by_end(&name(old), &name(new));
        for (old, new) in [
            ("kestrel.github.io", "kestrel.github.com"),
            ("kestrel.vercel.app", "kestrel.vercel.com"),
            ("kestrel.pages.dev", "kestrel.pages.com"),
            ("a.kestrel.fly.dev", "a.kestrel.fly.io"),
        ] {
            assert!(differs(old, new), "{old} {new}");
        }
        for (old, new) in [
            ("kestrel.netlify.app", "kestrel.netlify.com"),
            ("kestrel.github.io", "osprey.github.com"),
            ("kestrel.github.io", "kestrel.gitlab.io"),
            ("kestrel.github.io", "kestrel.githubusercontent.com"),
            ("autodiscover.outlook.com", "autodiscover.outlook.office365.com"),
            ("kestrel.azurewebsites.net", "kestrel.azurewebsites.us"),
            ("www.example.net", "www.example.org"),
        ] {
            assert!(!differs(old, new), "{old} {new}");
        }
    }

    #[test]
    fn each_row_is_whole() {
        for provider in PROVIDERS {
            let Provider { suffix, name, claims, source, .. } = provider;
            assert!(suffix.contains('.') && !name.is_empty() && source.contains('.'), "{suffix}");
            assert!(claims.is_none_or(|what| what.starts_with("that ")), "{suffix}");
            assert_eq!(
                PROVIDERS.iter().filter(|other| other.suffix == *suffix).count(),
                1,
                "{suffix}"
            );
        }
    }
}
