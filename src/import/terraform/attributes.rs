//! Tracks which attributes of a resource its translator reads. Unread attributes are reported, so
//! that no attribute is lost unnoticed.
//!
//! # Sources
//! Attributes that Cloudflare computes, and defaults:
//! registry.terraform.io/providers/cloudflare/cloudflare, documentation of 4.52 and 5.21
//! ("Read-Only" and "Defaults to"), and the provider's schemas of 4.52, read 2026-11-26.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::Resource;
use super::not_imported::Refusal;
use super::value::{Missing, Term};

/// Attributes of every kind of resource that a configuration cannot set or that do not affect
/// Cloudflare.
const NEVER_SAID: &[&str] = &["id", "zone_id", "created_on", "modified_on", "timeouts"];

/// Attributes of one kind of resource that a configuration cannot set or that do not affect
/// Cloudflare.
const NEVER_SAID_OF: &[(&str, &[&str])] = &[
    ("cloudflare_record", &["hostname", "metadata", "proxiable", "allow_overwrite"]),
    (
        "cloudflare_dns_record",
        &["meta", "proxiable", "comment_modified_on", "tags_modified_on", "allow_overwrite"],
    ),
    (
        "cloudflare_zone",
        &[
            "account",
            "account_id",
            "activated_on",
            "cname_suffix",
            "development_mode",
            "jump_start",
            "meta",
            "name_servers",
            "original_dnshost",
            "original_name_servers",
            "original_registrar",
            "owner",
            "permissions",
            "status",
            "tenant",
            "tenant_unit",
            "verification_key",
        ],
    ),
    (
        "cloudflare_zone_dnssec",
        &[
            "algorithm",
            "digest",
            "digest_algorithm",
            "digest_type",
            "ds",
            "flags",
            "key_tag",
            "key_type",
            "public_key",
        ],
    ),
    (
        "cloudflare_zone_settings_override",
        &[
            "initial_settings",
            "initial_settings_read_at",
            "readonly_settings",
            "zone_status",
            "zone_type",
        ],
    ),
    ("cloudflare_zone_setting", &["editable", "time_remaining"]),
    ("cloudflare_ruleset", &["account_id", "last_updated", "version"]),
];

/// Default values: kind, attribute and value.
const DEFAULTS: &[(&str, &str, &str)] = &[
    ("cloudflare_dns_record", "private_routing", "false"),
    ("cloudflare_record", "private_routing", "false"),
    ("cloudflare_zone", "paused", "false"),
    ("cloudflare_zone", "plan", "free"),
    ("cloudflare_zone", "type", "full"),
    ("cloudflare_zone_dnssec", "dnssec_multi_signer", "false"),
    ("cloudflare_zone_dnssec", "dnssec_presigned", "false"),
    ("cloudflare_zone_dnssec", "dnssec_use_nsec3", "false"),
    ("cloudflare_zone_dns_settings", "foundation_dns", "false"),
];

/// Attributes that Cloudflare fills in, so that a state has values that no configuration set.
const FILLED_IN: &[(&str, &str)] =
    &[("cloudflare_zone", "plan"), ("cloudflare_zone_setting", "enabled")];

/// Attributes of a resource. Each access marks the attribute as read.
pub(super) struct Attributes<'r> {
    kind: &'r str,
    values: &'r Term,
    /// True for a state or plan, which has every attribute.
    is_complete: bool,
    /// Paths of attributes that were read, such as `settings.ipv4_only`.
    taken: RefCell<BTreeSet<String>>,
}

impl<'r> Attributes<'r> {
    /// Creates the attributes of a resource, all of them unread.
    pub(super) fn new(resource: &'r Resource) -> Self {
        let read_paths = RefCell::default();
        let is_complete = resource.is_complete;
        Self { kind: &resource.kind, values: &resource.values, is_complete, taken: read_paths }
    }

    /// Reads an attribute and everything in it.
    pub(super) fn get(&self, name: &str) -> Option<&'r Term> {
        self.taken.borrow_mut().insert(name.to_owned());
        self.values.get(name)
    }

    /// Reads a member of a block or object.
    pub(super) fn member(&self, block: &str, name: &str) -> Option<&'r Term> {
        self.taken.borrow_mut().insert(format!("{block}.{name}"));
        self.values.object(block)?.get(name)
    }

    /// Marks attributes as read whose values the translator reads in another way.
    pub(super) fn take(&self, names: &[&str]) {
        self.taken.borrow_mut().extend(names.iter().map(|name| (*name).to_owned()));
    }

    /// Returns a block or object without marking its members as read.
    pub(super) fn object(&self, name: &str) -> Result<Option<&'r Term>, Refusal> {
        match (self.values.get(name), self.values.object(name)) {
            (Some(Term::Missing(missing)), _) => Err(missing.clone().into()),
            (_, Some(block @ Term::Map(_))) => Ok(Some(block)),
            (None, _) => Ok(None),
            (Some(_), _) => Err(Refusal::Invalid(format!("its `{name}` is not one block"))),
        }
    }

    /// Reads a text.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Refusal> {
        as_text(name, self.get(name))
    }

    /// Reads a list of texts.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        if let Some(missing) = value.missing() {
            return Err(missing.clone().into());
        }
        let texts = value.items().iter().map(Term::text).collect::<Option<Vec<_>>>();
        texts.ok_or_else(|| Refusal::Invalid(format!("its `{name}` is not a list of texts")))
    }

    /// Reads a boolean.
    pub(super) fn switch(&self, name: &str) -> Result<Option<bool>, Refusal> {
        as_switch(name, self.get(name))
    }

    /// Reads a boolean in a block or object.
    pub(super) fn switch_in(&self, block: &str, name: &str) -> Result<Option<bool>, Refusal> {
        as_switch(&format!("{block}.{name}"), self.member(block, name))
    }

    /// Returns the first missing value of an attribute other than the zone.
    pub(super) fn missing(&self) -> Option<&'r Missing> {
        self.values.missing_beside_zone()
    }

    /// Returns the paths of unread attributes that have a meaning.
    pub(super) fn not_taken(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.collect(self.values, "", &mut paths);
        paths
    }

    fn collect(&self, values: &Term, prefix: &str, paths: &mut Vec<String>) {
        let Term::Map(members) = values else { return };
        let read_paths = self.taken.borrow();
        for (name, value) in members {
            let path = format!("{prefix}{name}");
            if read_paths.contains(&path)
                || self.is_unsaid(value)
                || prefix.is_empty() && self.is_default(name, value)
            {
                continue;
            }
            let below = format!("{path}.");
            let is_opened = read_paths
                .range(below.clone()..)
                .next()
                .is_some_and(|path| path.starts_with(&below));
            match values.object(name).filter(|_| is_opened) {
                Some(block @ Term::Map(_)) => self.collect(block, &below, paths),
                _ => paths.push(path),
            }
        }
    }

    /// Returns true for a value that a source has where the author wrote nothing.
    fn is_unsaid(&self, value: &Term) -> bool {
        match value {
            Term::Bool(false) => self.is_complete,
            Term::Number(n) => self.is_complete && *n == 0.0,
            Term::List(items) => items.iter().all(|item| self.is_unsaid(item)),
            Term::Map(members) => members.values().all(|member| self.is_unsaid(member)),
            other => other.is_empty(),
        }
    }

    /// Returns true if an attribute cannot be set by the author or has its default.
    fn is_default(&self, name: &str, value: &Term) -> bool {
        let of_kind = NEVER_SAID_OF
            .iter()
            .find(|(kind, _)| *kind == self.kind)
            .map_or(&[][..], |(_, names)| names);
        let has_default = |(kind, attribute, default): &(&str, &str, &str)| {
            *kind == self.kind && *attribute == name && value.text().as_deref() == Some(*default)
        };
        NEVER_SAID.contains(&name)
            || of_kind.contains(&name)
            || DEFAULTS.iter().any(has_default)
            || self.is_complete && FILLED_IN.contains(&(self.kind, name))
    }
}

/// Converts a value to text.
fn as_text(name: &str, value: Option<&Term>) -> Result<Option<String>, Refusal> {
    match value {
        None => Ok(None),
        Some(Term::Missing(missing)) => Err(missing.clone().into()),
        Some(value) => match value.text() {
            Some(text) => Ok(Some(text)),
            None => Err(Refusal::Invalid(format!("its `{name}` is not a text"))),
        },
    }
}

/// Converts a value to a boolean.
fn as_switch(name: &str, value: Option<&Term>) -> Result<Option<bool>, Refusal> {
    match value {
        None => Ok(None),
        Some(Term::Missing(missing)) => Err(missing.clone().into()),
        Some(value) => match value.truth() {
            Some(is_on) => Ok(Some(is_on)),
            None => Err(Refusal::Invalid(format!("its `{name}` is neither true nor false"))),
        },
    }
}
