//! Finds out which of DNSControl's providers are Cloudflare.
//!
//! Types come from the document, or else from the `creds.json` beside it. That file contains
//! secrets, so only types are kept and shown. Values that name a variable of the environment
//! (`$NAME`) are not looked up.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::import::source_files::read_below;

/// Type of a provider in a document if only `creds.json` states it.
const UNKNOWN: &str = "-";
/// The provider type of Cloudflare in DNSControl.
const CLOUDFLARE: &str = "CLOUDFLAREAPI";
/// Name of the file with types and secrets.
pub(super) const CREDENTIALS: &str = "creds.json";

#[derive(Debug, Default)]
pub(super) struct Providers {
    /// Types of DNS providers by name; `None` if unknown.
    pub(super) dns: BTreeMap<String, Option<String>>,
    /// Types of registrars by name; `None` if unknown.
    registrars: BTreeMap<String, Option<String>>,
    /// DNS providers that convert addresses of records with `cloudflare_proxy: full`.
    converting: BTreeSet<String>,
    /// Labels that DNS providers leave alone in all their zones.
    ignored_labels: BTreeMap<String, Vec<String>>,
    /// Reason why an existing `creds.json` cannot be used.
    pub(super) unusable_credentials: Option<String>,
}

/// An entry of `creds.json`. Other members are never stored.
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
            let stated_type = entry
                .get("type")
                .and_then(Json::as_str)
                .filter(|text| !matches!(*text, "" | UNKNOWN));
            stated_type.map(str::to_owned).or_else(|| types.get(name).cloned())
        };
        for (member, kinds) in
            [("dns_providers", &mut providers.dns), ("registrars", &mut providers.registrars)]
        {
            for entry in json.get(member).and_then(Json::as_array).into_iter().flatten() {
                if let Some(name) = entry.get("name").and_then(Json::as_str) {
                    kinds.insert(name.to_owned(), type_of(entry, name));
                }
            }
        }
        for entry in json.get("dns_providers").and_then(Json::as_array).into_iter().flatten() {
            let has_table = entry
                .pointer("/meta/ip_conversions")
                .is_some_and(|table| table.as_str() != Some(""));
            let Some(name) = entry.get("name").and_then(Json::as_str) else { continue };
            if has_table {
                providers.converting.insert(name.to_owned());
            }
            let labels = entry
                .pointer("/meta/ignored_labels")
                .and_then(Json::as_array)
                .into_iter()
                .flatten();
            let labels: Vec<String> = labels.filter_map(Json::as_str).map(str::to_owned).collect();
            if !labels.is_empty() {
                providers.ignored_labels.insert(name.to_owned(), labels);
            }
        }
        // Domains may use providers that the document does not list.
        for domain in json.get("domains").and_then(Json::as_array).into_iter().flatten() {
            for name in domain
                .get("dnsProviders")
                .and_then(Json::as_object)
                .into_iter()
                .flat_map(|names| names.keys())
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

    /// Returns true if a DNS provider is known to be Cloudflare.
    pub(super) fn is_cloudflare(&self, name: &str) -> bool {
        let type_name = self.dns.get(name).and_then(Option::as_deref);
        type_name.is_some_and(|type_name| type_name.eq_ignore_ascii_case(CLOUDFLARE))
    }

    /// Returns the names of the DNS providers.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.dns.keys().map(String::as_str)
    }

    /// Returns true if a provider converts the addresses of some records.
    pub(super) fn converts_addresses(&self, name: &str) -> bool {
        self.converting.contains(name)
    }

    /// Returns the labels that a provider leaves alone.
    pub(super) fn ignored_labels(&self, name: &str) -> &[String] {
        self.ignored_labels.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns true if a registrar does nothing.
    pub(super) fn is_no_registrar(&self, name: &str) -> bool {
        let is_none = |text: &str| text.eq_ignore_ascii_case("none");
        name.is_empty()
            || is_none(name)
            || self.registrars.get(name).and_then(Option::as_deref).is_some_and(is_none)
    }

    /// Returns the name of a DNS provider for messages, with its type if the type is known.
    pub(super) fn shown(&self, name: &str) -> String {
        match self.dns.get(name).and_then(Option::as_deref) {
            Some(type_name) => format!("`{name}` (type {type_name})"),
            None => format!("`{name}`"),
        }
    }
}

/// Reads the types in the `creds.json` beside a document. Returns only the types that need no entry
/// if there is no such file.
///
/// # Errors
/// Returns why the file cannot be used; the reason never contains text of the file.
fn types_beside(document: &Path) -> Result<BTreeMap<String, String>, String> {
    // DNSControl knows these two providers without an entry.
    let mut types = BTreeMap::from(
        [("none", "NONE"), ("bind", "BIND")].map(|(name, kind)| (name.into(), kind.into())),
    );
    // Standard input has no directory.
    let directory = document.parent().filter(|_| document.is_file());
    let Some(directory) = directory.filter(|directory| directory.join(CREDENTIALS).exists()) else {
        return Ok(types);
    };
    let text = read_below(directory, CREDENTIALS)?;
    // The message of the parser could show a secret.
    let entries: BTreeMap<String, Credential> = serde_json::from_str(&without_comments(&text))
        .map_err(|_| "it is not an object with an object for each provider".to_owned())?;
    let kinds = entries.into_iter().filter_map(|(name, entry)| Some((name, entry.type_name?)));
    types.extend(
        kinds.filter(|(_, kind)| !kind.is_empty() && kind != UNKNOWN && !kind.starts_with('$')),
    );
    Ok(types)
}

/// Removes the comments and final commas that DNSControl allows in `creds.json`.
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
                for c in letters.by_ref() {
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
        let entries: BTreeMap<String, Credential> =
            serde_json::from_str(&without_comments(text)).unwrap();
        assert_eq!(entries["x"].type_name.as_deref(), Some("A//\"#,}"));
        assert_eq!(without_comments("{\"open"), "{\"open");
        assert_eq!(without_comments("/* open"), "");
    }
}
