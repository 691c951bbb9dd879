//! Reads DNSControl's intermediate representation: the JSON that `dnscontrol print-ir` prints.
//!
//! Only domains that go to Cloudflare are imported; `example.com!inside` and `example.com!outside`
//! are two views of one zone. Everything else in a document is translated or reported.
//!
//! # Sources
//! docs.dnscontrol.org (print-ir, creds.json, D, provider Cloudflare), and `models/`,
//! `pkg/normalize/`, `pkg/js/helpers.js` and `providers/cloudflare/` of the public repository, read
//! 2026-11-26.

mod destination;
mod domain;
mod providers;
mod records;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value as Json;

use self::destination::cloudflare_of;
use self::domain::{Domain, domains_of};
use self::providers::Providers;
use super::import_result::ImportResult;
use crate::diagnostic::{Place, findings};
use crate::model::ZoneName;

/// The way to a document: `dnsconfig.js` is a program and cannot be read itself.
pub(super) const HOW_TO_PRINT: &str = "DNSControl's configuration is a program; run `dnscontrol \
    print-ir > ir.json` beside it, and import ./ir.json";

/// A document and the path of its file.
pub(super) struct Document {
    pub(super) path: PathBuf,
    pub(super) json: Json,
}

/// A domain that goes to Cloudflare.
struct Selected<'d> {
    domain: Domain<'d>,
    /// Providers of the domain that are Cloudflare.
    providers: BTreeSet<String>,
    /// Types and metadata of all providers of the document.
    known: &'d Providers,
}

/// Returns true if a JSON document is an intermediate representation.
pub(super) fn is_document(json: &Json) -> bool {
    json.get("domains").is_some_and(Json::is_array)
}

/// Translates the domains that go to Cloudflare, or to the providers with the names that the user
/// gives.
pub(super) fn translate(
    documents: &[Document],
    chosen: &BTreeSet<String>,
    found: &mut ImportResult,
) {
    let providers_of_documents: Vec<Providers> =
        documents.iter().map(|document| Providers::read(&document.json, &document.path)).collect();
    let unknown_names = || {
        chosen
            .iter()
            .filter(|name| !providers_of_documents.iter().any(|providers| providers.has(name)))
    };
    if let Some(name) = unknown_names().next().filter(|_| !documents.is_empty()) {
        let names: BTreeSet<&str> =
            providers_of_documents.iter().flat_map(Providers::names).collect();
        let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
        let detail = format!("there is no provider `{name}` in the source");
        let help = match names.is_empty() {
            true => "the source has no provider; DNSControl publishes nothing of it".to_owned(),
            false => format!("its providers are {}", names.join(", ")),
        };
        found.diagnostics.push(findings::UNKNOWN_PROVIDER.nowhere(detail).help(help));
        return;
    }
    let mut by_zone: BTreeMap<ZoneName, Vec<Selected<'_>>> = BTreeMap::new();
    for (document, known) in documents.iter().zip(&providers_of_documents) {
        let domains = domains_of(&document.json, found);
        let Some(cloudflare) = cloudflare_of(known, &domains, chosen, &document.path, found) else {
            return;
        };
        for domain in domains {
            let providers: BTreeSet<String> =
                domain.providers.intersection(&cloudflare).cloned().collect();
            if providers.is_empty() {
                domain.leave_out(known, found);
            } else {
                by_zone.entry(domain.zone.clone()).or_default().push(Selected {
                    domain,
                    providers,
                    known,
                });
            }
        }
    }
    for (zone, views) in by_zone {
        match views.split_first() {
            Some((first, others))
                if others.iter().all(|other| other.domain.is_equal(&first.domain)) =>
            {
                let tally_before = found.tally.clone();
                let left_out = first.domain.read(&first.providers, first.known, found);
                // Entries of the other views are in the spec or left out, like the equal entries of
                // the first view.
                found.count_copies(&tally_before, others.len());
                others
                    .iter()
                    .for_each(|other| other.domain.leave(&other.providers, left_out, found));
            }
            Some((first, others)) => report_views(&zone, first, others, found),
            None => {}
        }
    }
}

/// Reports views of one zone that all go to Cloudflare and differ.
fn report_views(
    zone: &ZoneName,
    first: &Selected<'_>,
    others: &[Selected<'_>],
    found: &mut ImportResult,
) {
    let names = |selected: &Selected<'_>| {
        let providers: Vec<String> =
            selected.providers.iter().map(|name| format!("`{name}`")).collect();
        format!("{} (provider {})", selected.domain.name, providers.join(", "))
    };
    let view_names: Vec<String> = std::iter::once(first).chain(others).map(names).collect();
    let detail = format!(
        "{zone} has different records in {}, and all of them go to Cloudflare",
        view_names.join(" and ")
    );
    let choice = match others.iter().any(|other| other.providers != first.providers) {
        true => "choose one with `--provider NAME`",
        false => "import a document that has only one of them",
    };
    found.contradiction(detail, [Place::NOWHERE; 2], choice.to_owned());
}
