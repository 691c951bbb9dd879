//! Converts records of DNSControl: names, values and metadata.
//!
//! A name is a label below its domain and never absolute. Targets are absolute, or relative to the
//! domain and the subdomain of `D_EXTEND`.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::diagnostic::{Place, count, findings};
use crate::import::import_result::{Entry, ImportResult, Written, quoted};
use crate::model::ZoneName;

/// TTL of records that state none, in seconds.
const DEFAULT_TTL: u32 = 300;
/// Minimum TTL that DNSControl sends to Cloudflare, in seconds.
const SHORTEST_TTL: u32 = 60;
/// TTL that means "automatic".
const AUTOMATIC_TTL: u32 = 1;

/// Metadata that DNSControl sets itself or has already applied when it prints.
const APPLIED_METADATA: &[&str] = &[
    "flatten",
    "import_transform_skip",
    "keepIgnoredRedirects",
    "orig_custom_type",
    "original_ip",
    "overhead1",
    "skip_fqdn_check",
    "split",
    "transform",
    "txtMaxSize",
];

/// Properties that all records of a domain share.
pub(super) struct Scope<'d> {
    pub(super) zone: &'d ZoneName,
    /// Name of the domain in `dnsconfig.js`, with its tag.
    pub(super) domain: &'d str,
    /// `cloudflare_proxy` of records that state none.
    pub(super) default_proxy: Option<&'d str>,
    /// True if the provider converts addresses of records with `cloudflare_proxy: full`.
    pub(super) converts_addresses: bool,
}

/// Reason for leaving a record out.
enum Refusal {
    /// The entry is no DNS record, or Cloudflare lacks its type.
    NotTranslated(String),
    /// DNSControl or Cloudflare would refuse the record.
    Invalid(String),
}

/// Name, type and value of a record, converted.
struct Parts {
    name: String,
    type_name: &'static str,
    value: String,
}

impl Scope<'_> {
    pub(super) fn read_record(
        &self,
        record: &Json,
        unknown: &mut BTreeSet<String>,
        found: &mut ImportResult,
    ) {
        let what = self.shown(record);
        let read = self
            .parts(record)
            .and_then(|parts| Ok((self.attributes(record, &parts, unknown)?, parts)));
        let (attributes, Parts { name, type_name, value }) = match read {
            Ok(read) => read,
            Err(refusal) => return refuse(&refusal, "record", &what, found),
        };
        if let Some(stated) = attributes.raised_ttl {
            let detail = format!(
                "{what}: its TTL is {SHORTEST_TTL}, because DNSControl raises {stated} to that"
            );
            found.diagnostics.push(findings::OTHER_MEANING.nowhere(detail));
        }
        let mut entry = Entry::new(self.zone, &name, type_name, Written::Text(value));
        entry.ttl = Some(attributes.ttl);
        entry.proxied = attributes.proxied;
        entry.comment = attributes.comment;
        entry.tags = attributes.tags;
        entry.settings.flatten_cname = attributes.is_flattened.then_some(true);
        entry.not_translated = attributes.not_translated;
        found.record("record", &what, Place::NOWHERE, entry);
    }

    /// Adds a record that must not exist.
    pub(super) fn read_absent_record(&self, record: &Json, found: &mut ImportResult) {
        let what = format!("absent {}", self.shown(record));
        match self.parts(record) {
            Ok(Parts { name, type_name, value }) => {
                let entry = Entry::new(self.zone, &name, type_name, Written::Text(value));
                found.tombstone("absent record", &what, Place::NOWHERE, entry);
            }
            Err(refusal) => refuse(&refusal, "absent record", &what, found),
        }
    }

    /// Reports a record of which only the arguments of its function are known.
    pub(super) fn refuse_arguments(&self, record: &Json, found: &mut ImportResult) {
        let type_name = record.get("type").and_then(Json::as_str).unwrap_or("(without a type)");
        let arguments: Vec<String> = record
            .get("args")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .map(Json::to_string)
            .collect();
        let what = format!("{type_name}({}) of {}", arguments.join(", "), self.domain);
        let refusal = match is_of_cloudflare(type_name) {
            true => not_managed(type_name, ""),
            false => {
                found.zone_in_part(
                    self.zone,
                    "it has records as arguments of functions (`rawrecords`)",
                );
                "DNSControl has not evaluated it; print the document without `--raw`".to_owned()
            }
        };
        refuse(&Refusal::NotTranslated(refusal), "record", &what, found);
    }

    /// Returns a record for messages, with its position in DNSControl's configuration.
    fn shown(&self, record: &Json) -> String {
        let text = |name: &str| record.get(name).and_then(Json::as_str).unwrap_or_default();
        let position: String =
            text("filepos").chars().filter(|c| c.is_ascii_digit() || *c == ':').collect();
        let position = position.trim_matches(':');
        let at = if position.is_empty() {
            String::new()
        } else {
            format!(" (line {position} in DNSControl)")
        };
        format!("{} {} of {}{at}", text("name"), text("type"), self.domain)
    }

    /// Converts the name, type and value of a record.
    fn parts(&self, record: &Json) -> Result<Parts, Refusal> {
        let invalid = Refusal::Invalid;
        if !record.is_object() {
            return Err(invalid("it is not an object".to_owned()));
        }
        let type_name = text(record, "type").map_err(invalid)?;
        let target = text(record, "target").map_err(invalid)?;
        if is_of_cloudflare(type_name) {
            return Err(Refusal::NotTranslated(not_managed(type_name, target)));
        }
        // Cloudflare flattens a CNAME at the apex.
        let own_type = if type_name == "ALIAS" { "CNAME" } else { type_name };
        let Some(own_type) = TYPES.iter().find(|known| **known == own_type) else {
            let why = "Cloudflare has no such type of record".to_owned();
            return Err(Refusal::NotTranslated(why));
        };
        let name = self.name(text(record, "name").map_err(invalid)?).map_err(invalid)?;
        if *own_type == "NS" && name == format!("{}.", self.zone) {
            let why = "Cloudflare assigns the name servers of the zone itself".to_owned();
            return Err(Refusal::NotTranslated(why));
        }
        // `print-ir` converts an address to its name below the zone.
        let label = text(record, "name").map_err(invalid)?;
        if *own_type == "PTR" && label.parse::<std::net::IpAddr>().is_ok() {
            let why = format!(
                "DNSControl has not evaluated its name `{label}`; print the document without \
                `--raw`"
            );
            return Err(invalid(why));
        }
        let subdomain = text(record, "subdomain").map_err(invalid)?;
        let value = self.value(own_type, target, subdomain, record).map_err(invalid)?;
        Ok(Parts { name, type_name: own_type, value })
    }

    /// Returns the absolute name of a label.
    fn name(&self, label: &str) -> Result<String, String> {
        let zone = format!("{}.", self.zone);
        match label {
            "" => Err("it has no name".to_owned()),
            "@" => Ok(zone),
            // `print-ir --raw` prints names as written; DNSControl removes the zone from them.
            _ if label == zone || label.ends_with(&format!(".{zone}")) => Ok(label.to_owned()),
            _ if label.ends_with('.') => Err(format!("its name `{label}` is not in the domain")),
            _ if is_reverse(&zone) && format!("{label}.").ends_with(&format!(".{zone}")) => {
                Ok(format!("{label}."))
            }
            _ => Ok(format!("{label}.{zone}")),
        }
    }

    /// Returns an absolute host name.
    fn host(&self, target: &str, subdomain: &str) -> Result<String, String> {
        let origin = match subdomain {
            "" => format!("{}.", self.zone),
            _ => format!("{subdomain}.{}.", self.zone),
        };
        match target {
            "" => Err("it has no target".to_owned()),
            "@" => Ok(origin),
            _ if target.ends_with('.') => Ok(target.to_owned()),
            _ if target.contains('.') => {
                Err(format!("DNSControl refuses the target `{target}` without a final dot"))
            }
            _ => Ok(format!("{target}.{origin}")),
        }
    }

    /// Returns the value in presentation form.
    fn value(
        &self,
        type_name: &str,
        target: &str,
        subdomain: &str,
        record: &Json,
    ) -> Result<String, String> {
        let short = |name: &str| number(record, name, u64::from(u16::MAX));
        let octet = |name: &str| number(record, name, u64::from(u8::MAX));
        let word = |name: &str| text(record, name);
        let host = || self.host(target, subdomain);
        Ok(match type_name {
            "A" | "AAAA" | "LOC" | "OPENPGPKEY" => target.to_owned(),
            "CNAME" | "NS" | "PTR" => host()?,
            "MX" => format!("{} {}", short("mxpreference")?, host()?),
            "SRV" => {
                format!(
                    "{} {} {} {}",
                    short("srvpriority")?,
                    short("srvweight")?,
                    short("srvport")?,
                    host()?
                )
            }
            "TXT" => match strings(record)? {
                strings if strings.is_empty() => quoted(target),
                strings => quoted(&strings.concat()),
            },
            "CAA" => format!("{} {} {}", octet("caaflag")?, word("caatag")?, quoted(target)),
            "DS" => format!(
                "{} {} {} {}",
                short("dskeytag")?,
                octet("dsalgorithm")?,
                octet("dsdigesttype")?,
                word("dsdigest")?
            ),
            "DNSKEY" => format!(
                "{} {} {} {}",
                short("dnskeyflags")?,
                octet("dnskeyprotocol")?,
                octet("dnskeyalgorithm")?,
                word("dnskeypublickey")?
            ),
            "SSHFP" => {
                format!("{} {} {target}", octet("sshfpalgorithm")?, octet("sshfpfingerprint")?)
            }
            "TLSA" => {
                format!(
                    "{} {} {} {target}",
                    octet("tlsausage")?,
                    octet("tlsaselector")?,
                    octet("tlsamatchingtype")?
                )
            }
            "SMIMEA" => format!(
                "{} {} {} {target}",
                octet("smimeausage")?,
                octet("smimeaselector")?,
                octet("smimeamatchingtype")?
            ),
            "NAPTR" => format!(
                "{} {} {} {} {} {}",
                short("naptrorder")?,
                short("naptrpreference")?,
                quoted(word("naptrflags")?),
                quoted(word("naptrservice")?),
                quoted(word("naptrregexp")?),
                // DNSControl allows an empty replacement, which is the root.
                if target.is_empty() { ".".to_owned() } else { host()? }
            ),
            "SVCB" | "HTTPS" => {
                let value = format!("{} {} {}", short("svcpriority")?, host()?, word("svcparams")?);
                value.trim_end().to_owned()
            }
            _ => return Err("its type has no translation".to_owned()),
        })
    }
}

/// Record types that both DNSControl and Cloudflare have.
const TYPES: &[&str] = &[
    "A",
    "AAAA",
    "CAA",
    "CNAME",
    "DNSKEY",
    "DS",
    "HTTPS",
    "LOC",
    "MX",
    "NAPTR",
    "NS",
    "OPENPGPKEY",
    "PTR",
    "SMIMEA",
    "SRV",
    "SSHFP",
    "SVCB",
    "TLSA",
    "TXT",
];

/// Attributes of a record beside its value.
struct Attributes {
    ttl: u32,
    /// Stated TTL, if DNSControl raises it.
    raised_ttl: Option<u32>,
    proxied: bool,
    is_flattened: bool,
    comment: Option<String>,
    tags: Vec<String>,
    /// Metadata that the spec does not have.
    not_translated: Vec<String>,
}

impl Scope<'_> {
    /// Converts the TTL and metadata of a record. Collects the names of unknown metadata.
    fn attributes(
        &self,
        record: &Json,
        parts: &Parts,
        unknown: &mut BTreeSet<String>,
    ) -> Result<Attributes, Refusal> {
        let stated = number(record, "ttl", u64::from(u32::MAX)).map_err(Refusal::Invalid)?;
        let stated = u32::try_from(stated).unwrap_or(u32::MAX);
        let stated = if stated == 0 { DEFAULT_TTL } else { stated };
        let ttl = if stated == AUTOMATIC_TTL { stated } else { stated.max(SHORTEST_TTL) };
        let mut attributes = Attributes {
            ttl,
            raised_ttl: Some(stated).filter(|stated| *stated != ttl),
            proxied: false,
            is_flattened: false,
            comment: None,
            tags: Vec::new(),
            not_translated: Vec::new(),
        };
        let is_proxiable = matches!(parts.type_name, "A" | "AAAA" | "CNAME");
        let mut proxy = self.default_proxy.filter(|_| is_proxiable);
        for (name, value) in record.get("meta").and_then(Json::as_object).into_iter().flatten() {
            let Some(value) = value.as_str() else {
                attributes.not_translated.push(name.clone());
                continue;
            };
            match name.as_str() {
                _ if value.is_empty() => {}
                "cloudflare_proxy" if is_proxiable => proxy = Some(value),
                // DNSControl refuses the metadata for other types.
                "cloudflare_proxy" if value.eq_ignore_ascii_case("off") => {}
                "cloudflare_proxy" => attributes.not_translated.push(format!("{name}: {value}")),
                "cloudflare_cname_flatten" => {
                    match (parts.type_name, value.to_ascii_lowercase().as_str()) {
                        ("CNAME", "on") => attributes.is_flattened = true,
                        (_, "off") => {}
                        _ => attributes.not_translated.push(format!("{name}: {value}")),
                    }
                }
                "cloudflare_comment" => attributes.comment = Some(value.to_owned()),
                "cloudflare_tags" => {
                    let tags = value.split(',').map(str::trim).filter(|tag| !tag.is_empty());
                    attributes.tags.extend(tags.map(str::to_owned));
                }
                name if APPLIED_METADATA.contains(&name) => {}
                name => drop(unknown.insert(name.to_owned())),
            }
        }
        attributes.proxied = match proxy.map(str::to_ascii_lowercase).as_deref() {
            None | Some("off") => false,
            Some("on") => true,
            Some("full") if self.converts_addresses && parts.type_name == "A" => {
                let why = "the provider's `ip_conversions` change its address";
                return Err(Refusal::NotTranslated(why.to_owned()));
            }
            Some("full") => true,
            Some(other) => {
                let why = format!(
                    "`cloudflare_proxy` is `{other}`; DNSControl knows `on`, `off` and `full`"
                );
                return Err(Refusal::Invalid(why));
            }
        };
        // Cloudflare ignores the TTL of proxied records.
        attributes.raised_ttl = attributes.raised_ttl.filter(|_| !attributes.proxied);
        Ok(attributes)
    }
}

/// Reports a record that is left out.
fn refuse(refusal: &Refusal, kind: &str, what: &str, found: &mut ImportResult) {
    let (finding, why) = match refusal {
        Refusal::NotTranslated(why) => (findings::NOT_TRANSLATED, why),
        Refusal::Invalid(why) => (findings::INVALID_IN_SOURCE, why),
    };
    found.refuse(finding, kind, what, Place::NOWHERE, why);
}

/// Returns true for redirects and routes, which DNSControl writes like records.
fn is_of_cloudflare(type_name: &str) -> bool {
    type_name.starts_with("CF_")
        || type_name.starts_with("CLOUDFLAREAPI_")
        || matches!(type_name, "PAGE_RULE" | "WORKER_ROUTE")
}

/// Returns why a redirect or a route is not in the spec.
fn not_managed(type_name: &str, target: &str) -> String {
    let kind = if type_name.contains("WORKER") { "a worker route" } else { "a redirect" };
    let target = if target.is_empty() { String::new() } else { format!(" ({target})") };
    format!("a spec does not manage {kind}{target}; it stays at Cloudflare")
}

/// Returns true for a zone of reverse lookups.
fn is_reverse(zone: &str) -> bool {
    zone.ends_with(".in-addr.arpa.") || zone.ends_with(".ip6.arpa.")
}

/// Returns a text member; an absent one is empty.
fn text<'j>(record: &'j Json, name: &str) -> Result<&'j str, String> {
    match record.get(name) {
        None | Some(Json::Null) => Ok(""),
        Some(Json::String(text)) => Ok(text),
        Some(_) => Err(format!("`{name}` is not a text")),
    }
}

/// Returns a number member up to `most`. DNSControl omits zeros.
fn number(record: &Json, name: &str, most: u64) -> Result<u64, String> {
    match record.get(name) {
        None | Some(Json::Null) => Ok(0),
        Some(value) => match value.as_u64().filter(|number| *number <= most) {
            Some(number) => Ok(number),
            None => Err(format!("`{name}` is not a number from 0 to {most}")),
        },
    }
}

/// Returns the strings of a TXT record in the format of older versions.
fn strings(record: &Json) -> Result<Vec<&str>, String> {
    let strings = record.get("txtstrings").and_then(Json::as_array).into_iter().flatten();
    let text = |text: &'_ Json| text.as_str().is_some();
    let (texts, others): (Vec<&Json>, Vec<&Json>) = strings.partition(|value| text(value));
    match others.len() {
        0 => Ok(texts.into_iter().filter_map(Json::as_str).collect()),
        n => Err(format!("`txtstrings` has {} that are not texts", count(n, "value"))),
    }
}
