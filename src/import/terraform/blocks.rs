//! Reads blocks of a configuration: their attributes, instances and places.

use std::collections::BTreeMap;

use hcl_edit::Span as _;
use hcl_edit::expr::Expression;
use hcl_edit::structure::{Block, Body, Structure};

use super::evaluate::Scope;
use super::value::{Missing, Term};
use crate::diagnostic::{Place, SourceId, Span};

/// Arguments and blocks of a resource that Terraform itself uses.
pub(super) const META: &[&str] = &[
    "for_each",
    "count",
    "provider",
    "depends_on",
    "lifecycle",
    "timeouts",
    "connection",
    "provisioner",
];

/// Returns the attributes and blocks of a body. The error is the place of a `dynamic` block.
pub(super) fn members(body: &Body, scope: &Scope<'_>) -> Result<BTreeMap<String, Term>, Place> {
    let mut map: BTreeMap<String, Term> = BTreeMap::new();
    for structure in body {
        match structure {
            Structure::Attribute(attribute) if !META.contains(&attribute.key.as_str()) => {
                let value = scope.evaluate(&attribute.value).without_sets();
                map.insert(attribute.key.to_string(), value);
            }
            Structure::Block(block) if block.ident.as_str() == "dynamic" => {
                return Err(head(scope.source, block));
            }
            Structure::Block(block) if !META.contains(&block.ident.as_str()) => {
                let inner = Term::Map(members(&block.body, scope)?);
                match map.entry(block.ident.to_string()).or_insert_with(|| Term::List(Vec::new())) {
                    Term::List(list) => list.push(inner),
                    other => *other = Term::List(vec![inner]),
                }
            }
            Structure::Attribute(_) | Structure::Block(_) => {}
        }
    }
    Ok(map)
}

/// Attributes that Terraform leaves unchanged at Cloudflare, whatever the configuration contains.
pub(super) struct IgnoredChanges<'b> {
    /// Names as the block writes them.
    names: Vec<&'b str>,
    /// True if the block ignores all attributes.
    is_all: bool,
}

/// Optional attributes of a kind of resource. A spec without such an attribute leaves it unchanged.
const OPTIONAL: &[&str] = &[
    "account",
    "account_id",
    "comment",
    "description",
    "jump_start",
    "paused",
    "plan",
    "tags",
    "vanity_name_servers",
];

/// Attributes that have a meaning even if a resource does not state them.
const IMPLIED: &[(&str, &str)] = &[
    ("cloudflare_record", "proxied"),
    ("cloudflare_record", "ttl"),
    ("cloudflare_dns_record", "proxied"),
    ("cloudflare_dns_record", "ttl"),
    ("cloudflare_zone_dnssec", "status"),
    ("cloudflare_filter", "paused"),
    ("cloudflare_firewall_rule", "paused"),
    ("cloudflare_rate_limit", "disabled"),
];

impl<'b> IgnoredChanges<'b> {
    /// Reads `lifecycle { ignore_changes = […] }` of a block.
    ///
    /// # Sources
    /// developer.hashicorp.com/terraform/language/meta-arguments/lifecycle, read 2026-11-26.
    pub(super) fn of(block: &'b Block) -> Self {
        let lifecycle = block.body.get_blocks("lifecycle").next();
        let ignored = lifecycle
            .and_then(|block| block.body.get_attribute("ignore_changes"))
            .map(|a| &a.value);
        let name = |expression: &'b Expression| match expression {
            Expression::Variable(name) => Some(name.as_str()),
            Expression::String(path) => path.as_str().split(['.', '[']).next(),
            Expression::Traversal(traversal) => match &traversal.expr {
                Expression::Variable(name) => Some(name.as_str()),
                _ => None,
            },
            _ => None,
        };
        match ignored {
            Some(Expression::Array(items)) => {
                Self { names: items.iter().filter_map(name).collect(), is_all: false }
            }
            Some(all) => Self { names: Vec::new(), is_all: name(all) == Some("all") },
            None => Self { names: Vec::new(), is_all: false },
        }
    }

    /// Removes the ignored attributes from the values of a resource. A required one becomes
    /// missing, because only Cloudflare knows its value.
    pub(super) fn leave(&self, kind: &str, values: &mut BTreeMap<String, Term>, place: Place) {
        let is_optional = |name: &str| {
            (OPTIONAL.contains(&name) || (kind, name) == ("cloudflare_zone", "type"))
                && !IMPLIED.contains(&(kind, name))
        };
        for (_, name) in IMPLIED.iter().filter(|(of, _)| *of == kind) {
            if self.is_all || self.names.contains(name) {
                values.entry((*name).to_owned()).or_insert(Term::Null);
            }
        }
        values.retain(|name, _| {
            !(is_optional(name) && (self.is_all || self.names.contains(&name.as_str())))
        });
        for (name, value) in
            values.iter_mut().filter(|(name, _)| !["id", "zone_id"].contains(&name.as_str()))
        {
            if self.is_all && kind != "cloudflare_zone" || self.names.contains(&name.as_str()) {
                let why = format!(
                    "`ignore_changes` leaves `{name}` as it is at Cloudflare, whatever the \
                    configuration says; import the state"
                );
                *value = Term::Missing(Missing::unknown(why, place));
            }
        }
    }
}

/// Returns true if a block has one instance without an index.
pub(super) fn is_single(block: &Block) -> bool {
    !block.body.has_attribute("for_each") && !block.body.has_attribute("count")
}

/// Returns the key of an instance of a block with `for_each`.
pub(super) fn key(scope: &Scope<'_>) -> String {
    let each_binding = scope.names.first().filter(|(name, _)| name == "each");
    each_binding.and_then(|(_, each)| each.get("key")).and_then(Term::text).unwrap_or_default()
}

/// Returns the place of the head of a block.
pub(super) fn head(source: SourceId, block: &Block) -> Place {
    let start = block.ident.span().or_else(|| block.span()).map_or(0, |span| span.start);
    let end = block
        .labels
        .last()
        .and_then(hcl_edit::Span::span)
        .map_or(start + block.ident.as_str().len(), |s| s.end);
    Place { source, span: Span::new(start, end) }
}
