//! Determines which records the processors of a configuration drop or change, as far as that can be
//! known.
//!
//! # Sources
//! octodns 1.22.0, `processor/`, read 2026-11. A filter drops a record set from the sources and, by
//! default, from the records that octoDNS compares them with. octoDNS therefore leaves such records
//! at Cloudflare alone.

use std::collections::BTreeSet;
use std::net::IpAddr;

use ipnet::IpNet;
use regex::Regex;

use super::populate::RecordSet;
use super::providers::{OptionReader, is_true};
use super::templating::Templating;
use crate::model::ZoneName;
use crate::spec::Yaml;

#[derive(Debug)]
pub(super) struct Processor {
    pub(super) class: String,
    pub(super) kind: ProcessorKind,
}

/// Effect of a processor.
#[derive(Debug)]
pub(super) enum ProcessorKind {
    /// Keeps or drops record sets of these types.
    Types { listed: Vec<String>, keeps: bool },
    /// Keeps or drops record sets of these names.
    Names { listed: Texts, keeps: bool },
    /// Keeps or drops record sets with one of these values.
    Values { listed: Texts, keeps: bool },
    /// Keeps or drops A and AAAA record sets with an address in one of these networks.
    Networks { listed: Vec<IpNet>, keeps: bool },
    /// Refuses, or drops, record sets whose names end with the name of their zone.
    ZoneName { refuses: bool },
    /// Keeps TTLs between two numbers of seconds.
    Clamp { lowest: i64, highest: i64 },
    /// Fills in templates of values.
    Templating(Templating),
    /// Changes no imported record: it only checks, or affects the name servers of the zone.
    Harmless,
    /// Has an unknown effect.
    Unknown,
}

/// Texts, and patterns between slashes.
#[derive(Debug)]
pub(super) struct Texts {
    exact: Vec<String>,
    patterns: Vec<Regex>,
}

/// Effect of a processor on one record set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Processed {
    Kept,
    Dropped,
    /// octoDNS ends with an error.
    Refused,
    /// Whether the set is dropped is not known, because its values are compared in another form.
    Undecided,
    /// The TTL changes to this value.
    Ttl(i64),
}

pub(super) fn read_processor(config: &Yaml, handlers: &BTreeSet<String>) -> Processor {
    let class = config.get("class").and_then(Yaml::text).unwrap_or_default().to_owned();
    let mut options = OptionReader::new(config, handlers);
    let name = class.rsplit('.').next().unwrap_or_default();
    let is_own = class.starts_with("octodns.processor.");
    let kind = match name {
        _ if !is_own => ProcessorKind::Unknown,
        "TypeAllowlistFilter" => {
            ProcessorKind::Types { listed: options.texts("allowlist"), keeps: true }
        }
        "TypeRejectlistFilter" => {
            ProcessorKind::Types { listed: options.texts("rejectlist"), keeps: false }
        }
        "NameAllowlistFilter" => Texts::read(options.texts("allowlist"))
            .map_or(ProcessorKind::Unknown, |listed| ProcessorKind::Names { listed, keeps: true }),
        "NameRejectlistFilter" => Texts::read(options.texts("rejectlist"))
            .map_or(ProcessorKind::Unknown, |listed| ProcessorKind::Names { listed, keeps: false }),
        "ValueAllowlistFilter" => Texts::read(options.texts("allowlist"))
            .map_or(ProcessorKind::Unknown, |listed| ProcessorKind::Values { listed, keeps: true }),
        "ValueRejectlistFilter" => {
            Texts::read(options.texts("rejectlist")).map_or(ProcessorKind::Unknown, |listed| {
                ProcessorKind::Values { listed, keeps: false }
            })
        }
        "NetworkValueAllowlistFilter" => networks(options.texts("allowlist"), true),
        "NetworkValueRejectlistFilter" => networks(options.texts("rejectlist"), false),
        "ZoneNameFilter" => {
            ProcessorKind::ZoneName { refuses: config.get("error").is_none_or(is_true) }
        }
        "TtlClampProcessor" => ProcessorKind::Clamp {
            lowest: options.seconds("min_ttl", 300),
            highest: options.seconds("max_ttl", 86_400),
        },
        "Templating" => ProcessorKind::Templating(Templating::read(config, &mut options, handlers)),
        "IgnoreRootNsFilter"
        | "ExcludeRootNsChanges"
        | "TtlRestrictionFilter"
        | "SpfDnsLookupProcessor"
        | "EnsureTrailingDots" => ProcessorKind::Harmless,
        _ => ProcessorKind::Unknown,
    };
    let kind = if options.unread().is_empty() { kind } else { ProcessorKind::Unknown };
    Processor { class, kind }
}

/// Parses networks; a single address is a network as well.
fn networks(listed: Vec<String>, keeps: bool) -> ProcessorKind {
    let network =
        |text: &String| text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
    match listed.iter().map(network).collect() {
        Some(listed) => ProcessorKind::Networks { listed, keeps },
        None => ProcessorKind::Unknown,
    }
}

impl Texts {
    /// Parses texts, and patterns between slashes; `None` if a pattern is not valid.
    fn read(listed: Vec<String>) -> Option<Self> {
        let (mut exact, mut patterns) = (Vec::new(), Vec::new());
        for text in listed {
            let Some(pattern) = text.strip_prefix('/') else {
                exact.push(text);
                continue;
            };
            let mut letters = pattern.chars();
            letters.next_back();
            patterns.push(Regex::new(letters.as_str()).ok()?);
        }
        Some(Self { exact, patterns })
    }

    fn has(&self, text: &str) -> bool {
        self.exact.iter().any(|known| known == text)
            || self.patterns.iter().any(|pattern| pattern.is_match(text))
    }
}

impl Processor {
    /// Returns the effect of the processor on a record set of a zone.
    pub(super) fn process(&self, set: &RecordSet<'_>, zone: &ZoneName, ttl: i64) -> Processed {
        let (is_listed, keeps) = match &self.kind {
            ProcessorKind::Types { listed, keeps } => (listed.contains(&set.type_name), *keeps),
            ProcessorKind::Names { listed, keeps } => (listed.has(&set.name), *keeps),
            ProcessorKind::Values { listed, keeps } => {
                let mut is_listed = false;
                for value in set.values() {
                    let Some(text) = value.text() else { return Processed::Undecided };
                    is_listed |= listed.has(text);
                }
                (is_listed, *keeps)
            }
            ProcessorKind::Networks { listed, keeps } => {
                if !matches!(set.type_name.as_str(), "A" | "AAAA") {
                    return Processed::Kept;
                }
                let mut addresses =
                    set.values().iter().filter_map(|value| value.text()?.parse::<IpAddr>().ok());
                let is_in = |address: IpAddr| listed.iter().any(|net| net.contains(&address));
                (addresses.any(is_in), *keeps)
            }
            ProcessorKind::ZoneName { refuses } => {
                let name = set.name.strip_suffix('.').unwrap_or(&set.name);
                return match (name.ends_with(zone.as_str()), refuses) {
                    (false, _) => Processed::Kept,
                    (true, true) => Processed::Refused,
                    (true, false) => Processed::Dropped,
                };
            }
            ProcessorKind::Clamp { lowest, highest } => {
                let clamped = ttl.min(*highest).max(*lowest);
                return if clamped == ttl { Processed::Kept } else { Processed::Ttl(clamped) };
            }
            ProcessorKind::Templating(_) | ProcessorKind::Harmless | ProcessorKind::Unknown => {
                return Processed::Kept;
            }
        };
        if is_listed == keeps { Processed::Kept } else { Processed::Dropped }
    }
}
