//! Blocks of a configuration: their attributes, instances and places.

use std::collections::BTreeMap;

use hcl_edit::Span as _;
use hcl_edit::structure::{Block, Body, Structure};

use super::evaluate::Scope;
use super::value::Term;
use crate::diagnostic::{Place, SourceId, Span};

/// Attributes and blocks of a resource that Terraform itself uses.
pub(super) const META: &[&str] =
    &["for_each", "count", "provider", "depends_on", "lifecycle", "timeouts", "connection", "provisioner"];

/// The attributes and blocks of a body; the place of a `dynamic` block if there is one.
pub(super) fn members(body: &Body, scope: &Scope<'_>) -> Result<BTreeMap<String, Term>, Place> {
    let mut map: BTreeMap<String, Term> = BTreeMap::new();
    for structure in body {
        match structure {
            Structure::Attribute(attribute) if !META.contains(&attribute.key.as_str()) => {
                map.insert(attribute.key.to_string(), scope.evaluate(&attribute.value));
            }
            Structure::Block(block) if block.ident.as_str() == "dynamic" => return Err(head(scope.source, block)),
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

/// Whether a block has one instance, without an index.
pub(super) fn is_single(block: &Block) -> bool {
    !block.body.has_attribute("for_each") && !block.body.has_attribute("count")
}

/// The key of an instance of a block with `for_each`.
pub(super) fn key(scope: &Scope<'_>) -> String {
    let each = scope.names.first().filter(|(name, _)| name == "each");
    each.and_then(|(_, each)| each.get("key")).and_then(Term::text).unwrap_or_default()
}

/// The place of the head of a block.
pub(super) fn head(source: SourceId, block: &Block) -> Place {
    let start = block.ident.span().or_else(|| block.span()).map_or(0, |span| span.start);
    let end = block.labels.last().and_then(hcl_edit::Span::span).map_or(start + block.ident.as_str().len(), |s| s.end);
    Place { source, span: Span::new(start, end) }
}
