//! Determines which records the processors of a configuration drop or change, as far as that can be
//! known.
//!
//! # Sources
//! octodns 1.22.0, `processor/`, read 2026-11. A filter drops a record set from the sources and, by
//! default, from the records that octoDNS compares them with. octoDNS therefore leaves such records
//! at Cloudflare alone.

use std::collections::BTreeSet;

use regex::Regex;

use super::providers::OptionReader;
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
    Names { exact: Vec<String>, patterns: Vec<Regex>, keeps: bool },
    /// Keeps TTLs between two numbers of seconds.
    Clamp { lowest: i64, highest: i64 },
    /// Changes no imported record: it only checks, or affects the name servers of the zone.
    Harmless,
    /// Has an unknown effect.
    Unknown,
}

/// Effect of a processor on one record set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Processed {
    Kept,
    Dropped,
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
        "NameAllowlistFilter" => names(options.texts("allowlist"), true),
        "NameRejectlistFilter" => names(options.texts("rejectlist"), false),
        "TtlClampProcessor" => ProcessorKind::Clamp {
            lowest: options.seconds("min_ttl", 300),
            highest: options.seconds("max_ttl", 86_400),
        },
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

/// Parses names, and patterns between slashes.
fn names(listed: Vec<String>, keeps: bool) -> ProcessorKind {
    let (mut exact, mut patterns) = (Vec::new(), Vec::new());
    for text in listed {
        let Some(pattern) = text.strip_prefix('/') else {
            exact.push(text);
            continue;
        };
        let mut letters = pattern.chars();
        letters.next_back();
        match Regex::new(letters.as_str()) {
            Ok(pattern) => patterns.push(pattern),
            Err(_) => return ProcessorKind::Unknown,
        }
    }
    ProcessorKind::Names { exact, patterns, keeps }
}

impl Processor {
    /// Returns the effect of the processor on a record set.
    pub(super) fn process(&self, name: &str, type_name: &str, ttl: i64) -> Processed {
        let (is_listed, keeps) = match &self.kind {
            ProcessorKind::Types { listed, keeps } => {
                (listed.iter().any(|known| known == type_name), *keeps)
            }
            ProcessorKind::Names { exact, patterns, keeps } => {
                let is_listed = exact.iter().any(|known| known == name);
                (is_listed || patterns.iter().any(|pattern| pattern.is_match(name)), *keeps)
            }
            ProcessorKind::Clamp { lowest, highest } => {
                let clamped = ttl.min(*highest).max(*lowest);
                return if clamped == ttl { Processed::Kept } else { Processed::Ttl(clamped) };
            }
            ProcessorKind::Harmless | ProcessorKind::Unknown => return Processed::Kept,
        };
        if is_listed == keeps { Processed::Kept } else { Processed::Dropped }
    }
}
