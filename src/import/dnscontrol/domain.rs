//! Reads a domain of DNSControl: its records, settings and metadata.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::providers::Providers;
use super::records;
use crate::diagnostic::{Place, count, findings};
use crate::import::import_result::{ImportResult, Translation};
use crate::import::leave::DnscontrolDomain;
use crate::model::ZoneName;

/// Members of a domain that are read or that do not affect what is published.
const MEMBERS: &[&str] = &[
    "KeepUnknown",
    "auto_dnssec",
    "defaultTTL",
    "dnsProviders",
    "external_dns_prefix",
    "ignore_external_dns",
    "keepunknown",
    "meta",
    "name",
    "nameservers",
    "rawrecords",
    "records",
    "recordsabsent",
    "registrar",
    "subdomain",
    "tag",
    "uniquename",
    "unmanaged",
    "unmanaged_disable_safety_check",
];

/// Metadata of a domain that is read or that does not affect what is published.
/// `cloudflare_manage_comments` and `cloudflare_manage_tags` only permit DNSControl to write the
/// comments and tags of the records.
const METADATA: &[&str] = &[
    "cloudflare_manage_comments",
    "cloudflare_manage_tags",
    "cloudflare_proxy_default",
    "cloudflare_universalssl",
    "dnscontrol_nameascii",
    "dnscontrol_nameraw",
    "dnscontrol_nameunicode",
    "dnscontrol_tag",
    "dnscontrol_uniquename",
    "no_ns",
    "ns_ttl",
];

pub(super) struct Domain<'j> {
    json: &'j Json,
    /// Name in `dnsconfig.js`, with the tag.
    pub(super) name: String,
    pub(super) zone: ZoneName,
    /// True for one of several views of a zone.
    pub(super) is_tagged: bool,
    /// Names of the DNS providers.
    pub(super) providers: BTreeSet<String>,
}

/// Returns the domains of a document. Reports entries that are not domains.
pub(super) fn domains_of<'j>(json: &'j Json, found: &mut ImportResult) -> Vec<Domain<'j>> {
    let mut domains = Vec::new();
    for json in json.get("domains").and_then(Json::as_array).into_iter().flatten() {
        match Domain::parse(json) {
            Ok(domain) => domains.push(domain),
            Err(why) => {
                found.refuse(findings::INVALID_IN_SOURCE, "domain", "", Place::NOWHERE, &why)
            }
        }
    }
    domains
}

impl<'j> Domain<'j> {
    /// Parses a domain. The error is the reason why the JSON value is not a domain.
    fn parse(json: &'j Json) -> Result<Self, String> {
        let Some(full_name) = json.get("name").and_then(Json::as_str) else {
            return Err("a domain without a name".to_owned());
        };
        // `print-ir --raw` has the tag in the name.
        let (name, own_tag) = full_name.split_once('!').unwrap_or((full_name, ""));
        let zone = ZoneName::parse(name)
            .map_err(|_| format!("`{full_name}` is not the name of a zone"))?;
        let unique_names = [json.get("uniquename"), json.pointer("/meta/dnscontrol_uniquename")];
        let unique_names = unique_names.into_iter().flatten().filter_map(Json::as_str);
        let tags = [json.get("tag"), json.pointer("/meta/dnscontrol_tag")]
            .into_iter()
            .flatten()
            .filter_map(Json::as_str);
        let tag_of = |unique_name: &'j str| unique_name.split_once('!').map(|(_, tag)| tag);
        let mut tags = std::iter::once(own_tag).chain(tags).chain(unique_names.filter_map(tag_of));
        let tag = tags.find(|tag| !tag.is_empty()).unwrap_or_default();
        let providers = match json.get("dnsProviders") {
            None | Some(Json::Null) => BTreeSet::new(),
            Some(Json::Object(providers)) => providers.keys().cloned().collect(),
            Some(_) => return Err(format!("`dnsProviders` of {full_name} is not an object")),
        };
        let shown = if tag.is_empty() { name.to_owned() } else { format!("{name}!{tag}") };
        Ok(Self { json, name: shown, zone, is_tagged: !tag.is_empty(), providers })
    }

    /// Returns the items of a list, each with the number that messages show.
    fn items(&self, member: &str) -> impl Iterator<Item = &'j Json> + use<'j> {
        self.json.get(member).and_then(Json::as_array).into_iter().flatten()
    }

    /// Returns the number of entries: records, records that must be absent, and arguments.
    fn entry_count(&self) -> usize {
        ["records", "recordsabsent", "rawrecords"]
            .iter()
            .map(|member| self.items(member).count())
            .sum()
    }

    /// Returns true if both domains declare the same for their zone.
    pub(super) fn is_equal(&self, other: &Self) -> bool {
        let content_of = |domain: &Self| {
            let mut contents: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for member in ["records", "recordsabsent", "rawrecords", "unmanaged", "nameservers"] {
                let text = |item: &Json| {
                    let mut item = item.clone();
                    // `filepos` is the position in the configuration, which differs between equal
                    // records.
                    item.as_object_mut().map(|members| members.remove("filepos"));
                    item.to_string()
                };
                let items = contents.entry(member).or_default();
                items.extend(domain.items(member).map(text));
                items.sort();
            }
            for member in ["auto_dnssec", "keepunknown", "ignore_external_dns"] {
                contents
                    .entry(member)
                    .or_default()
                    .extend(domain.json.get(member).map(Json::to_string));
            }
            let is_of_author = |(name, _): &(&String, &Json)| !name.starts_with("dnscontrol_");
            let metadata = domain
                .json
                .get("meta")
                .and_then(Json::as_object)
                .into_iter()
                .flatten()
                .filter(is_of_author);
            contents
                .entry("meta")
                .or_default()
                .extend(metadata.map(|(name, value)| format!("{name} {value}")));
            contents
        };
        content_of(self) == content_of(other)
    }

    /// Reports that the domain does not go to Cloudflare.
    pub(super) fn leave_out(&self, known: &Providers, found: &mut ImportResult) {
        found.count("domain", Translation::LeftOut);
        for member in ["records", "rawrecords", "recordsabsent"] {
            self.items(member).for_each(|_| found.count("record", Translation::LeftOut));
        }
        let records = count(self.entry_count(), "record");
        let providers: Vec<String> = self.providers.iter().map(|name| known.shown(name)).collect();
        let detail = match providers.as_slice() {
            [] => format!(
                "{}: it has no DNS provider, so DNSControl publishes its {records} nowhere",
                self.name
            ),
            _ => {
                let verb = if self.entry_count() == 1 { "goes" } else { "go" };
                let is_cloudflare = self.providers.iter().any(|name| known.is_cloudflare(name));
                let reason =
                    if is_cloudflare { "which is not chosen" } else { "not to Cloudflare" };
                format!("{}: its {records} {verb} to {}, {reason}", self.name, providers.join(", "))
            }
        };
        let mut diagnostic = findings::GOES_ELSEWHERE.nowhere(detail);
        if let Some(name) = self.providers.first() {
            diagnostic =
                diagnostic.help(format!("to import what goes there, add `--provider {name}`"));
        }
        found.diagnostics.push(diagnostic);
    }

    /// Adds the content of the domain to an import. Returns the number of entries that are left out
    /// or imported in part.
    pub(super) fn read(
        &self,
        own_providers: &BTreeSet<String>,
        known: &Providers,
        found: &mut ImportResult,
    ) -> usize {
        found.count("domain", Translation::Whole);
        found.zone(&self.zone);
        let complete_before = incomplete_entries(found);
        let converts = own_providers.iter().any(|name| known.converts_addresses(name));
        let scope = records::Scope {
            zone: &self.zone,
            domain: &self.name,
            default_proxy: self.metadata("cloudflare_proxy_default"),
            converts_addresses: converts,
        };
        let mut unknown_metadata = BTreeSet::new();
        for member in ["records", "recordsabsent", "rawrecords", "nameservers", "unmanaged"] {
            if self.json.get(member).is_some_and(|items| !items.is_array() && !items.is_null()) {
                let what = format!("`{member}` of {}", self.name);
                found.refuse(
                    findings::INVALID_IN_SOURCE,
                    "record",
                    &what,
                    Place::NOWHERE,
                    "it is not a list",
                );
            }
        }
        let is_absent = |record: &&Json| record.get("ensure_absent") == Some(&Json::Bool(true));
        for record in self.items("records").filter(|record| !is_absent(record)) {
            scope.read_record(record, &mut unknown_metadata, found);
        }
        for record in self.items("records").filter(is_absent).chain(self.items("recordsabsent")) {
            scope.read_absent_record(record, found);
        }
        self.items("rawrecords").for_each(|record| scope.refuse_arguments(record, found));
        let left_out = incomplete_entries(found).saturating_sub(complete_before);
        self.read_name_servers(found);
        let ignored: Vec<&String> =
            own_providers.iter().flat_map(|name| known.ignored_labels(name)).collect();
        self.read_what_is_ignored(&ignored, found);
        self.read_settings(&mut unknown_metadata, found);
        self.read_registrar(known, found);
        if !unknown_metadata.is_empty() {
            let names: Vec<String> =
                unknown_metadata.into_iter().map(|name| format!("`{name}`")).collect();
            self.report(
                &format!("the metadata {} is not translated", names.join(", ")),
                None,
                found,
            );
        }
        self.leave(own_providers, left_out, found);
        left_out
    }

    /// Notes that the domain leaves DNSControl, unless some of its entries are left out.
    pub(super) fn leave(
        &self,
        own_providers: &BTreeSet<String>,
        left_out: usize,
        found: &mut ImportResult,
    ) {
        let stays_at = self.providers.difference(own_providers).cloned().collect();
        let (name, providers) = (self.name.clone(), own_providers.clone());
        let leaving = DnscontrolDomain { name, providers, stays_at, left_out };
        found.leaving.dnscontrol.entry(self.zone.clone()).or_default().push(leaving);
    }

    /// Returns a value of the domain's metadata.
    fn metadata(&self, name: &str) -> Option<&'j str> {
        self.json.get("meta")?.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// Reports an entry that the spec does not have.
    fn report(&self, why: &str, help: Option<&str>, found: &mut ImportResult) {
        found.report(
            findings::NOT_TRANSLATED,
            &self.name,
            Place::NOWHERE,
            why,
            help.map(str::to_owned),
        );
    }

    /// Reports the name servers that the domain gives to the registrar and to its providers.
    fn read_name_servers(&self, found: &mut ImportResult) {
        let mut names = Vec::new();
        for server in self.items("nameservers") {
            found.count("name server", Translation::LeftOut);
            names.push(
                server.get("name").and_then(Json::as_str).unwrap_or("(without a name)").to_owned(),
            );
        }
        if !names.is_empty() {
            let why = format!("its name servers are not in the spec: {}", names.join(", "));
            let help = "Cloudflare assigns the name servers of the zone itself";
            self.report(&why, Some(help), found);
        }
    }

    /// Reports the records that DNSControl ignores. A spec leaves every record alone that it does
    /// not name.
    fn read_what_is_ignored(&self, labels_of_provider: &[&String], found: &mut ImportResult) {
        let help = "the spec keeps records that it does not name; before you write `unmanaged: \
            prune`, list them in `ignore`";
        for pattern in self.items("unmanaged") {
            found.count("ignore pattern", Translation::LeftOut);
            let part =
                |name: &str| pattern.get(name).and_then(Json::as_str).unwrap_or("*").to_owned();
            let (label, types, target) =
                (part("label_pattern"), part("rType_pattern"), part("target_pattern"));
            let why = format!("IGNORE({label:?}, {types:?}, {target:?}) is not in the spec");
            self.report(&why, Some(help), found);
        }
        for label in labels_of_provider {
            self.report(
                &format!("the provider's `ignored_labels` {label:?} is not in the spec"),
                Some(help),
                found,
            );
        }
        let is_on = |name: &str| self.json.get(name) == Some(&Json::Bool(true));
        if is_on("ignore_external_dns") {
            self.report("IGNORE_EXTERNAL_DNS is not in the spec", Some(help), found);
        }
        if is_on("keepunknown") || is_on("KeepUnknown") {
            let detail = format!(
                "{}: NO_PURGE (`keepunknown`): the spec keeps records that it does not name as \
                well, unless you write \
                 `unmanaged: prune`",
                self.name
            );
            found.diagnostics.push(findings::ASSUMED.nowhere(detail));
        }
    }

    /// Reads the settings of the whole zone.
    fn read_settings(&self, unknown_metadata: &mut BTreeSet<String>, found: &mut ImportResult) {
        match self.json.get("auto_dnssec") {
            None | Some(Json::Null) => {}
            Some(Json::String(text)) if text.is_empty() => {}
            Some(Json::String(text)) if text == "on" => {
                found.dnssec(&self.zone, true, Place::NOWHERE)
            }
            Some(Json::String(text)) if text == "off" => {
                found.dnssec(&self.zone, false, Place::NOWHERE)
            }
            Some(_) => self.report("`auto_dnssec` is neither `on` nor `off`", None, found),
        }
        if let Some(value) = self.metadata("cloudflare_universalssl") {
            let why =
                format!("Universal SSL (`cloudflare_universalssl: {value}`) is not in the spec");
            self.report(
                &why,
                Some("a spec does not manage certificates; Universal SSL stays as it is"),
                found,
            );
        }
        let metadata = self.json.get("meta").and_then(Json::as_object).into_iter().flatten();
        unknown_metadata.extend(
            metadata.map(|(name, _)| name.clone()).filter(|name| !METADATA.contains(&&**name)),
        );
        let members = self.json.as_object().into_iter().flatten().map(|(name, _)| name);
        let unknown: Vec<String> = members
            .filter(|name| !MEMBERS.contains(&&***name))
            .map(|name| format!("`{name}`"))
            .collect();
        if !unknown.is_empty() {
            self.report(
                &format!("{} is not known to this version", unknown.join(", ")),
                None,
                found,
            );
        }
    }

    /// Reports the registrar if DNSControl manages the delegation.
    fn read_registrar(&self, known: &Providers, found: &mut ImportResult) {
        let registrar = self.json.get("registrar").and_then(Json::as_str).unwrap_or_default();
        if !known.is_no_registrar(registrar) {
            let why = format!("the delegation at the registrar `{registrar}` is not in the spec");
            self.report(
                &why,
                Some("a spec does not manage registrars; keep the delegation in DNSControl"),
                found,
            );
        }
    }
}

/// Returns the number of entries so far that are left out or imported in part.
fn incomplete_entries(found: &ImportResult) -> usize {
    found.tally.values().map(|tally| tally.all - tally.imported).sum()
}
