//! Effects on hosting that anyone can claim: a name that points to it, and the token that prevents
//! others from claiming the name.

use super::direction::Direction;
use super::effect::{Effect, Topic};
use super::providers::{PROVIDERS, Provider};
use super::zone_view::View;
use crate::model::{Danger, Fqdn, RecordType};

/// Returns the provider of a host, if strangers can claim the host.
fn provider(host: &Fqdn) -> Option<&'static Provider> {
    Provider::of(host).filter(|provider| provider.claims.is_some())
}

/// Returns the provider whose token a name contains, with the name that the token protects.
fn token(name: &Fqdn) -> Option<(&'static Provider, Fqdn)> {
    let (first, rest) = name.as_str().split_once('.')?;
    let is_token =
        |token: &str| first == token || (token.ends_with('-') && first.starts_with(token));
    let provider = PROVIDERS.iter().find(|p| p.token.is_some_and(is_token))?;
    Some((provider, Fqdn::reported(rest)))
}

/// Returns the name of the provider whose token a name contains, and the name that the token
/// protects.
#[must_use]
pub fn ownership_token(name: &Fqdn) -> Option<(&'static str, Fqdn)> {
    token(name).map(|(provider, domain)| (provider.name, domain))
}

/// Returns true if a name contains the token of a provider.
pub(super) fn is_provider_token(name: &Fqdn) -> bool {
    token(name).is_some()
}

/// Returns the effects of pointing a name to another host.
pub(super) fn pointed(name: &Fqdn, before: View<'_, '_>, after: View<'_, '_>) -> Vec<Effect> {
    // The DKIM keys of a provider are at its own hosts, such as `email.myshopify.com`, which no
    // account can claim.
    if name.as_str().split('.').any(|label| label == "_domainkey") {
        return Vec::new();
    }
    let old_targets = before.targets(name, RecordType::Cname);
    let new_targets = after.targets(name, RecordType::Cname);
    let line = |target: &&Fqdn| {
        let provider = provider(target)?;
        let line = format!(
            "{name} points at {} ({target}): whoever claims {} there answers for {name}; remove \
            the record before you \
             give up {}",
            provider.name, provider.claims?, provider.claims?
        );
        Some(Effect::shown(Topic::Hosting, name, Direction::Neutral, line))
    };
    new_targets.iter().filter(|t| !old_targets.contains(t)).filter_map(line).collect()
}

/// Returns the effects of removing the token at a name.
pub(super) fn token_removed(name: &Fqdn, before: View<'_, '_>, after: View<'_, '_>) -> Vec<Effect> {
    let Some((provider_of_token, domain)) = token(name) else { return Vec::new() };
    if before.texts(name).is_empty() || !after.texts(name).is_empty() {
        return Vec::new();
    }
    let Some(node) = after.0.node(domain.as_str()) else { return Vec::new() };
    // Not every product of Azure uses the token.
    let serves = |host: &&Fqdn| {
        provider(host)
            .is_some_and(|p| p.name == provider_of_token.name && p.token == provider_of_token.token)
    };
    let names = || std::iter::once(node).chain(node.below()).map(|n| n.name());
    // The account of the token, if its name contains the account.
    let prefix = provider_of_token.token.filter(|token| token.ends_with('-'));
    let account = prefix.and_then(|prefix| name.as_str().strip_prefix(prefix)?.split('.').next());
    let is_of_account = |host: &Fqdn| host.as_str().split('.').next() == account;
    let serves_account = |name: &str| {
        let targets = after.targets(&Fqdn::reported(name), RecordType::Cname);
        targets.into_iter().filter(serves).any(is_of_account)
    };
    // Another token for the domain also prevents claims, but not for the hosts that this account
    // serves.
    let is_other = |name: &Fqdn| {
        let of_name = token(name);
        of_name.is_some_and(|(p, _)| p.name == provider_of_token.name)
            && !after.texts(name).is_empty()
    };
    if node.children().any(|child| is_other(&Fqdn::reported(child.name())))
        && !names().any(serves_account)
    {
        return Vec::new();
    }
    let points_there = |name: &str| {
        let targets_of_name = after.targets(&Fqdn::reported(name), RecordType::Cname);
        targets_of_name.iter().any(serves)
    };
    let user = names().find(|n| points_there(n));
    let needing = |user: &str| {
        let line = format!(
            "{name}: the token is removed, and {user} still points at {}: someone else could claim \
            it there",
            provider_of_token.name
        );
        Effect::needing(Danger::AllowsTakeover, Topic::Hosting, &domain, line)
    };
    user.map(needing).into_iter().collect()
}
