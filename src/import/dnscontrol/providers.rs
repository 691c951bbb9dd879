//! DNSControl's providers: which of them is Cloudflare.
//!
//! Types come from the document, or else from the `creds.json` beside it. Nothing else of that file is kept or shown: it has
//! secrets. Values that name a variable of the environment (`$NAME`) are not looked up.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value as Json;

use super::domain::Domain;
use crate::diagnostic::{count, findings};
use crate::import::import_result::ImportResult;
use crate::import::source_files::read_below;

/// The type of Cloudflare's provider.
const CLOUDFLARE: &str = "CLOUDFLAREAPI";
/// What a document has for a type that only `creds.json` says.
const UNKNOWN: &str = "-";
/// The file with the types, and with secrets.
const CREDENTIALS: &str = "creds.json";
/// Maximum number of providers that a message lists.
const MOST_LISTED: usize = 10;

/// The providers and registrars of a document.
#[derive(Debug, Default)]
pub(super) struct Providers {
    /// DNS providers by name, with their types as far as they are known.
    dns: BTreeMap<String, Option<String>>,
    /// Registrars by name, with their types as far as they are known.
    registrars: BTreeMap<String, Option<String>>,
    /// DNS providers that convert addresses of records with `cloudflare_proxy: full`.
    converting: BTreeSet<String>,
    /// Labels that DNS providers leave alone in all their zones.
    ignored_labels: BTreeMap<String, Vec<String>>,
    /// Why `creds.json` cannot be used, if it is there.
    unusable_credentials: Option<String>,
}

/// An entry of `creds.json`. Its other members are never stored.
#[derive(Deserialize)]
struct Credential {
    #[serde(rename = "TYPE")]
    type_name: Option<String>,
}

impl Providers {
    /// Reads the providers of a document, with the types of the `creds.json` beside it.
    pub(super) fn read(json: &Json, path: &Path) -> Self {
        let mut providers = Self::default();
        let types = types_beside(path).unwrap_or_else(|why| {
            providers.unusable_credentials = Some(why);
            BTreeMap::new()
        });
        let type_of = |entry: &Json, name: &str| {
            let own = entry.get("type").and_then(Json::as_str).filter(|text| !matches!(*text, "" | UNKNOWN));
            own.map(str::to_owned).or_else(|| types.get(name).cloned())
        };
        for (member, kinds) in [("dns_providers", &mut providers.dns), ("registrars", &mut providers.registrars)] {
            for entry in json.get(member).and_then(Json::as_array).into_iter().flatten() {
                if let Some(name) = entry.get("name").and_then(Json::as_str) {
                    kinds.insert(name.to_owned(), type_of(entry, name));
                }
            }
        }
        for entry in json.get("dns_providers").and_then(Json::as_array).into_iter().flatten() {
            let has_table = entry.pointer("/meta/ip_conversions").is_some_and(|table| table.as_str() != Some(""));
            let Some(name) = entry.get("name").and_then(Json::as_str) else { continue };
            if has_table {
                providers.converting.insert(name.to_owned());
            }
            let labels = entry.pointer("/meta/ignored_labels").and_then(Json::as_array).into_iter().flatten();
            let labels: Vec<String> = labels.filter_map(Json::as_str).map(str::to_owned).collect();
            if !labels.is_empty() {
                providers.ignored_labels.insert(name.to_owned(), labels);
            }
        }
        // Domains may use providers that the document does not list.
        for domain in json.get("domains").and_then(Json::as_array).into_iter().flatten() {
            for name in domain.get("dnsProviders").and_then(Json::as_object).into_iter().flat_map(|names| names.keys())
            {
                providers.dns.entry(name.clone()).or_insert_with(|| types.get(name).cloned());
            }
        }
        providers
    }

    /// Returns true if there is a DNS provider of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.dns.contains_key(name)
    }

    /// Names of the DNS providers.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.dns.keys().map(String::as_str)
    }

    /// Returns true if a provider converts the addresses of some records.
    pub(super) fn converts_addresses(&self, name: &str) -> bool {
        self.converting.contains(name)
    }

    /// Labels that a provider leaves alone.
    pub(super) fn ignored_labels(&self, name: &str) -> &[String] {
        self.ignored_labels.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns true if a registrar does nothing.
    pub(super) fn is_no_registrar(&self, name: &str) -> bool {
        let is_none = |text: &str| text.eq_ignore_ascii_case("none");
        name.is_empty() || is_none(name) || self.registrars.get(name).and_then(Option::as_deref).is_some_and(is_none)
    }

    /// A DNS provider for a message: its name, with its type if that is known.
    pub(super) fn shown(&self, name: &str) -> String {
        match self.dns.get(name).and_then(Option::as_deref) {
            Some(type_name) => format!("`{name}` (type {type_name})"),
            None => format!("`{name}`"),
        }
    }

    /// Returns the providers that are Cloudflare, or those that were chosen; `None` if that is not known, which is reported.
    pub(super) fn cloudflare(
        &self,
        domains: &[Domain<'_>],
        chosen: &BTreeSet<String>,
        path: &Path,
        found: &mut ImportResult,
    ) -> Option<BTreeSet<String>> {
        if !chosen.is_empty() {
            return Some(chosen.clone());
        }
        let is_cloudflare = |name: &&String| {
            self.dns.get(*name).and_then(Option::as_deref).is_some_and(|kind| kind.eq_ignore_ascii_case(CLOUDFLARE))
        };
        let cloudflare: BTreeSet<String> = self.dns.keys().filter(is_cloudflare).cloned().collect();
        let is_open = |domain: &&Domain<'_>| {
            let is_unknown = |name: &String| self.dns.get(name).is_none_or(Option::is_none);
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
                "{shown_path}: the provider `{only}` is Cloudflare; its type is not in the source, and it is the only one"
            );
            let help = "to state it, add `--provider NAME`";
            found.diagnostics.push(findings::ASSUMED.nowhere(detail).help(help));
            return Some(BTreeSet::from([(**only).clone()]));
        }
        let detail = format!("{shown_path}: the types of its providers are not in it");
        let mut help = format!("add `--provider NAME` for the provider that is Cloudflare: {}", listed(&open));
        match &self.unusable_credentials {
            Some(why) => help.push_str(&format!("; the {CREDENTIALS} beside it is not used: {why}")),
            None => help.push_str(&format!("; or put DNSControl's {CREDENTIALS} beside it: only `TYPE` is read")),
        }
        found.diagnostics.push(findings::UNKNOWN_PROVIDER.nowhere(detail).help(help));
        None
    }
}

/// The providers of domains, each with an example of what goes to it.
fn listed(domains: &[&Domain<'_>]) -> String {
    let mut by_provider: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for domain in domains {
        for provider in &domain.providers {
            by_provider.entry(provider).or_default().push(&domain.name);
        }
    }
    let shown = by_provider.iter().take(MOST_LISTED).map(|(provider, names)| match names.as_slice() {
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

/// The types in the `creds.json` beside a document; those that need no entry if there is no such file.
///
/// # Errors
/// Why the file cannot be used, without anything of its content.
fn types_beside(document: &Path) -> Result<BTreeMap<String, String>, String> {
    // DNSControl knows these two without an entry.
    let mut types = BTreeMap::from([("none", "NONE"), ("bind", "BIND")].map(|(name, kind)| (name.into(), kind.into())));
    // Standard input has no directory.
    let directory = document.parent().filter(|_| document.is_file());
    let Some(directory) = directory.filter(|directory| directory.join(CREDENTIALS).exists()) else {
        return Ok(types);
    };
    let text = read_below(directory, CREDENTIALS)?;
    // The error of the parser could show a secret.
    let entries: BTreeMap<String, Credential> = serde_json::from_str(&without_comments(&text))
        .map_err(|_| "it is not an object with an object for each provider".to_owned())?;
    let named = entries.into_iter().filter_map(|(name, entry)| Some((name, entry.type_name?)));
    types.extend(named.filter(|(_, kind)| !kind.is_empty() && kind != UNKNOWN && !kind.starts_with('$')));
    Ok(types)
}

/// JSON without the comments and final commas that DNSControl allows in `creds.json`.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match (c, letters.peek()) {
            ('"', _) => {
                out.push(c);
                while let Some(c) = letters.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(letters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('#', _) | ('/', Some('/')) => while letters.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                letters.next();
                let mut previous = ' ';
                while let Some(c) = letters.next() {
                    if previous == '*' && c == '/' {
                        break;
                    }
                    previous = c;
                }
            }
            ('}' | ']', _) => {
                let kept = out.trim_end().trim_end_matches(',').len();
                out.truncate(kept);
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_final_commas_are_not_json() {
        let text = "// a\n{ # b\n \"x\": { \"TYPE\": \"A//\\\"#,}\", /* , */ }, \n}";
        let entries: BTreeMap<String, Credential> = serde_json::from_str(&without_comments(text)).unwrap();
        assert_eq!(entries["x"].type_name.as_deref(), Some("A//\"#,}"));
        assert_eq!(without_comments("{\"open"), "{\"open");
        assert_eq!(without_comments("/* open"), "");
    }
}
