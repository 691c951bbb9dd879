//! DNSControl's intermediate representation: the JSON that `dnscontrol print-ir` prints.
//!
//! # Sources
//! docs.dnscontrol.org (print-ir; provider Cloudflare), and the members of the public repository's parse tests, read 2026-11-22.

use serde_json::Value as Json;

use super::import_result::{Entry, ImportResult, Written, quoted};
use crate::diagnostic::{Place, findings};
use crate::model::ZoneName;

/// The TTL of records that state none, in seconds.
const DEFAULT_TTL: u32 = 300;

/// Whether a document is an intermediate representation.
pub(super) fn is_document(json: &Json) -> bool {
    json.get("domains").is_some_and(Json::is_array)
}

/// Reads the domains.
pub(super) fn read(json: &Json, found: &mut ImportResult) {
    for domain in json.get("domains").and_then(Json::as_array).into_iter().flatten() {
        let name = text(domain, "name");
        // `example.com!tag` is one of several views of a domain.
        let Ok(zone) = ZoneName::parse(name.split('!').next().unwrap_or_default()) else {
            let why = format!("`{name}` is not the name of a zone");
            found.refuse(findings::INVALID_IN_SOURCE, "domain", "", Place::NOWHERE, &why);
            continue;
        };
        found.zone(&zone);
        found.leaving.dnscontrol.insert(zone.clone());
        let proxied = domain.pointer("/meta/cloudflare_proxy_default").and_then(Json::as_str);
        for record in domain.get("records").and_then(Json::as_array).into_iter().flatten() {
            self::record(&zone, record, proxied.unwrap_or_default(), found);
        }
    }
}

/// A member that is text.
fn text<'j>(json: &'j Json, name: &str) -> &'j str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// A record.
fn record(zone: &ZoneName, record: &Json, proxied: &str, found: &mut ImportResult) {
    let (type_name, name) = (text(record, "type"), text(record, "name"));
    let what = format!("{name} {type_name} of {zone}");
    let own_type = if type_name == "ALIAS" { "CNAME" } else { type_name };
    let written = match written(zone, own_type, record) {
        Some(written) => written,
        None => {
            let why = match type_name {
                _ if type_name.starts_with("CF_") || type_name.starts_with("CLOUDFLAREAPI_") => {
                    "redirects and worker routes are not managed by a spec"
                }
                _ => "Cloudflare has no such type of record",
            };
            found.refuse(findings::NOT_TRANSLATED, "record", &what, Place::NOWHERE, why);
            return;
        }
    };
    let meta = |name: &str| record.pointer(&format!("/meta/{name}")).and_then(Json::as_str);
    let ttl = record.get("ttl").and_then(Json::as_u64).and_then(|ttl| u32::try_from(ttl).ok()).filter(|ttl| *ttl > 0);
    let mut entry = Entry::new(zone, name, own_type, written);
    entry.ttl = Some(ttl.unwrap_or(DEFAULT_TTL));
    entry.proxied = matches!(meta("cloudflare_proxy").unwrap_or(proxied), "on" | "full");
    entry.comment = meta("cloudflare_comment").map(str::to_owned);
    entry.settings.flatten_cname = (meta("cloudflare_cname_flatten") == Some("on")).then_some(true);
    found.record("record", &what, Place::NOWHERE, entry);
}

/// A host name, which is relative to the zone without a final dot.
fn host(zone: &ZoneName, name: &str) -> String {
    match name {
        "@" | "" => format!("{zone}."),
        _ if name.ends_with('.') => name.to_owned(),
        _ => format!("{name}.{zone}."),
    }
}

/// The value in presentation form; `None` for types that Cloudflare does not have.
fn written(zone: &ZoneName, type_name: &str, record: &Json) -> Option<Written> {
    let target = text(record, "target");
    let number = |name: &str| record.get(name).and_then(Json::as_u64).unwrap_or_default();
    let host = || host(zone, target);
    let value = match type_name {
        "A" | "AAAA" | "LOC" | "OPENPGPKEY" => target.to_owned(),
        "CNAME" | "NS" | "PTR" => host(),
        "MX" => format!("{} {}", number("mxpreference"), host()),
        "SRV" => format!("{} {} {} {}", number("srvpriority"), number("srvweight"), number("srvport"), host()),
        "TXT" => {
            let strings: Vec<&str> = record
                .get("txtstrings")
                .and_then(Json::as_array)
                .into_iter()
                .flatten()
                .filter_map(Json::as_str)
                .collect();
            if strings.is_empty() { quoted(target) } else { quoted(&strings.concat()) }
        }
        "CAA" => format!("{} {} {}", number("caaflag"), text(record, "caatag"), quoted(target)),
        "DS" => format!(
            "{} {} {} {}",
            number("dskeytag"),
            number("dsalgorithm"),
            number("dsdigesttype"),
            text(record, "dsdigest")
        ),
        "DNSKEY" => format!(
            "{} {} {} {}",
            number("dnskeyflags"),
            number("dnskeyprotocol"),
            number("dnskeyalgorithm"),
            text(record, "dnskeypublickey")
        ),
        "SSHFP" => format!("{} {} {target}", number("sshfpalgorithm"), number("sshfpfingerprint")),
        "TLSA" => format!("{} {} {} {target}", number("tlsausage"), number("tlsaselector"), number("tlsamatchingtype")),
        "SMIMEA" => {
            format!("{} {} {} {target}", number("smimeausage"), number("smimeaselector"), number("smimeamatchingtype"))
        }
        "NAPTR" => format!(
            "{} {} {} {} {} {}",
            number("naptrorder"),
            number("naptrpreference"),
            quoted(text(record, "naptrflags")),
            quoted(text(record, "naptrservice")),
            quoted(text(record, "naptrregexp")),
            host()
        ),
        "SVCB" | "HTTPS" => {
            format!("{} {} {}", number("svcpriority"), host(), text(record, "svcparams")).trim_end().to_owned()
        }
        _ => return None,
    };
    // A target `.` is the root.
    Some(Written::Text(if target == "." { value.replace(&host(), ".") } else { value }))
}
