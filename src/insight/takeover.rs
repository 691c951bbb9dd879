//! Hosting that anyone can claim: a name that points at it, and the token that keeps others from claiming the name.

use super::direction::Direction;
use super::effect::{Effect, Topic};
use super::view::View;
use crate::model::{Danger, Fqdn, RecordType};

/// A provider whose hosts are free to be claimed once their owner gives them up.
struct Provider {
    name: &'static str,
    /// Ends of host names.
    hosts: &'static [&'static str],
    /// The first label of the name of its token, or its beginning with `-` at the end.
    token: Option<&'static str>,
}

/// Well-known providers.
///
/// # Sources
/// The documentation of the providers about custom domains, and github.com/EdOverflow/can-i-take-over-xyz, read 2026-11.
const PROVIDERS: &[Provider] = &[
    Provider { name: "GitHub Pages", hosts: &["github.io"], token: Some("_github-pages-challenge-") },
    Provider { name: "GitLab Pages", hosts: &["gitlab.io"], token: Some("_gitlab-pages-verification-code") },
    Provider {
        name: "Azure",
        hosts: &[
            "azure-api.net",
            "azurecontainer.io",
            "azureedge.net",
            "azurefd.net",
            "azurewebsites.net",
            "blob.core.windows.net",
            "cloudapp.azure.com",
            "cloudapp.net",
            "trafficmanager.net",
        ],
        token: Some("asuid"),
    },
    Provider { name: "Vercel", hosts: &["vercel-dns.com", "vercel.app", "now.sh"], token: Some("_vercel") },
    Provider { name: "Zendesk", hosts: &["zendesk.com"], token: Some("zendeskverification") },
    Provider {
        name: "Webflow",
        hosts: &["proxy-ssl.webflow.com", "proxy.webflow.com", "cdn.webflow.com"],
        token: Some("_webflow"),
    },
    Provider { name: "Heroku", hosts: &["herokuapp.com", "herokudns.com"], token: None },
    Provider { name: "Amazon S3", hosts: &["s3.amazonaws.com"], token: None },
    Provider { name: "Elastic Beanstalk", hosts: &["elasticbeanstalk.com"], token: None },
    Provider { name: "Netlify", hosts: &["netlify.app", "netlify.com"], token: None },
    Provider { name: "Fly.io", hosts: &["fly.dev"], token: None },
    Provider { name: "Shopify", hosts: &["myshopify.com"], token: None },
    Provider { name: "Surge", hosts: &["surge.sh"], token: None },
    Provider { name: "Read the Docs", hosts: &["readthedocs.io"], token: None },
    Provider { name: "Ghost", hosts: &["ghost.io"], token: None },
    Provider { name: "WordPress.com", hosts: &["wordpress.com"], token: None },
    Provider { name: "Unbounce", hosts: &["unbouncepages.com"], token: None },
];

/// The provider that a host belongs to.
fn provider(host: &Fqdn) -> Option<&'static Provider> {
    // Some providers give every customer the same host, and look at the name that was asked for.
    let is_below =
        |end: &str| host.as_str().strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    // Buckets have names such as `name.s3.eu-central-1.amazonaws.com`.
    let is_bucket =
        is_below("amazonaws.com") && host.as_str().split('.').any(|l| l == "s3" || l.starts_with("s3-website"));
    PROVIDERS.iter().find(|p| p.hosts.iter().any(|end| is_below(end)) || (is_bucket && p.name == "Amazon S3"))
}

/// The provider whose token a name holds, with the name that the token is for.
fn token(name: &Fqdn) -> Option<(&'static Provider, Fqdn)> {
    let (first, rest) = name.as_str().split_once('.')?;
    let is_token = |token: &str| first == token || (token.ends_with('-') && first.starts_with(token));
    let provider = PROVIDERS.iter().find(|p| p.token.is_some_and(is_token))?;
    Some((provider, Fqdn::reported(rest)))
}

/// The provider whose token a name holds, in words, and the name that the token is for.
#[must_use]
pub fn ownership_token(name: &Fqdn) -> Option<(&'static str, Fqdn)> {
    token(name).map(|(provider, domain)| (provider.name, domain))
}

/// Whether a name holds the token of a provider.
pub(super) fn is_token(name: &Fqdn) -> bool {
    token(name).is_some()
}

/// What it means that a name points at another host.
pub(super) fn pointed(name: &Fqdn, before: View<'_, '_>, after: View<'_, '_>) -> Vec<Effect> {
    let old = before.targets(name, RecordType::Cname);
    let new = after.targets(name, RecordType::Cname);
    let line = |target: &&Fqdn| {
        let provider = provider(target)?;
        let line = format!(
            "{name} points at {} ({target}): whoever claims that host there answers for {name}; remove the record before \
             the host is given up",
            provider.name
        );
        Some(Effect::shown(Topic::Hosting, name, Direction::Neutral, line))
    };
    new.iter().filter(|t| !old.contains(t)).filter_map(line).collect()
}

/// What it means that the token at a name goes.
pub(super) fn token_removed(name: &Fqdn, before: View<'_, '_>, after: View<'_, '_>) -> Vec<Effect> {
    let Some((provider_of_token, domain)) = token(name) else { return Vec::new() };
    if before.texts(name).is_empty() || !after.texts(name).is_empty() {
        return Vec::new();
    }
    let Some(node) = after.0.node(domain.as_str()) else { return Vec::new() };
    let serves = |host: &&Fqdn| provider(host).is_some_and(|p| std::ptr::eq(p, provider_of_token));
    let names = || std::iter::once(node).chain(node.below()).map(|n| n.name());
    // The account that the token belongs to, where its name has it.
    let prefix = provider_of_token.token.filter(|token| token.ends_with('-'));
    let account = prefix.and_then(|prefix| name.as_str().strip_prefix(prefix)?.split('.').next());
    let is_of_account = |host: &Fqdn| host.as_str().split('.').next() == account;
    let serves_account = |name: &str| {
        let targets = after.targets(&Fqdn::reported(name), RecordType::Cname);
        targets.into_iter().filter(serves).any(is_of_account)
    };
    // Whoever verified the domain by another token keeps strangers away as well, but not for what this account serves.
    let is_other = |name: &Fqdn| {
        let of_name = token(name);
        of_name.is_some_and(|(p, _)| std::ptr::eq(p, provider_of_token)) && !after.texts(name).is_empty()
    };
    if node.children().any(|child| is_other(&Fqdn::reported(child.name()))) && !names().any(serves_account) {
        return Vec::new();
    }
    let points_there = |name: &str| {
        let own = after.targets(&Fqdn::reported(name), RecordType::Cname);
        own.iter().any(serves)
    };
    let user = names().find(|n| points_there(n));
    let needing = |user: &str| {
        let line = format!(
            "{name}: the token goes, and {user} still points at {}: someone else could claim it there",
            provider_of_token.name
        );
        Effect::needing(Danger::AllowsTakeover, Topic::Hosting, &domain, line)
    };
    user.map(needing).into_iter().collect()
}
