//! Decides which providers of a DNSControl document are Cloudflare.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::domain::Domain;
use super::providers::{CREDENTIALS, Providers};
use crate::diagnostic::{count, findings};
use crate::import::import_result::ImportResult;

/// Maximum number of providers that a message lists.
const MOST_LISTED: usize = 10;

/// Returns the providers that are Cloudflare, or the providers that the user chose; `None` if
/// neither is known, which is reported.
pub(super) fn cloudflare_of(
    known: &Providers,
    domains: &[Domain<'_>],
    chosen: &BTreeSet<String>,
    path: &Path,
    found: &mut ImportResult,
) -> Option<BTreeSet<String>> {
    if !chosen.is_empty() {
        return Some(chosen.clone());
    }
    let cloudflare: BTreeSet<String> =
        known.names().filter(|name| known.is_cloudflare(name)).map(str::to_owned).collect();
    let is_open = |domain: &&Domain<'_>| {
        let is_unknown = |name: &String| known.dns.get(name).is_none_or(Option::is_none);
        domain.providers.is_disjoint(&cloudflare) && domain.providers.iter().any(is_unknown)
    };
    let open: Vec<&Domain<'_>> = domains.iter().filter(is_open).collect();
    if open.is_empty() {
        return Some(cloudflare);
    }
    let used: BTreeSet<&String> = domains.iter().flat_map(|domain| &domain.providers).collect();
    let shown_path = path.display().to_string();
    if let [only] = used.iter().collect::<Vec<_>>().as_slice()
        && !domains.iter().any(|domain| domain.is_tagged)
    {
        let detail = format!(
            "{shown_path}: the provider `{only}` is Cloudflare; its type is not in the source, and \
            it is the only one"
        );
        let help = "to state it, add `--provider NAME`";
        found.diagnostics.push(findings::ASSUMED.nowhere(detail).help(help));
        return Some(BTreeSet::from([(**only).clone()]));
    }
    let detail = format!("{shown_path}: the types of its providers are not in it");
    let mut help =
        format!("add `--provider NAME` for the provider that is Cloudflare: {}", listed(&open));
    match &known.unusable_credentials {
        Some(why) => help.push_str(&format!("; the {CREDENTIALS} beside it is not used: {why}")),
        None => help.push_str(&format!(
            "; or put DNSControl's {CREDENTIALS} beside it: only `TYPE` is read"
        )),
    }
    found.diagnostics.push(findings::UNKNOWN_PROVIDER.nowhere(detail).help(help));
    None
}

/// Lists the providers of domains, each with an example of a domain that uses it.
fn listed(domains: &[&Domain<'_>]) -> String {
    let mut by_provider: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for domain in domains {
        for provider in &domain.providers {
            by_provider.entry(provider).or_default().push(&domain.name);
        }
    }
    let shown =
        by_provider.iter().take(MOST_LISTED).map(|(provider, names)| match names.as_slice() {
            [first, others @ ..] if !others.is_empty() => {
                format!("`{provider}` ({first} and {} more)", count(others.len(), "domain"))
            }
            names => format!("`{provider}` ({})", names.concat()),
        });
    let mut shown: Vec<String> = shown.collect();
    if by_provider.len() > MOST_LISTED {
        shown.push(format!("{} more", by_provider.len() - MOST_LISTED));
    }
    shown.join(", ")
}
