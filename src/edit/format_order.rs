//! The order of keys that `fmt` writes, and of records that it sorts. In a mapping, the identity of
//! an object comes first, then its value, then its options, then the reason.

use std::sync::LazyLock;

use super::file_changes::json;
use super::source_tree::{NodeId, SourceNodeKind, SourceTree};
use crate::model::ruleset::Phase;

/// Keys of a file.
const FILE: &[&str] = &["version", "include", "variables", "defaults", "profiles", "lint", "zones"];
/// Keys of a zone.
const ZONE: &[&str] = &[
    "id",
    "plan",
    "create",
    "use",
    "unmanaged",
    "ignore",
    "allow",
    "lint",
    "defaults",
    "settings",
    "dnssec",
    "dns_settings",
    "records",
    "waf",
    "expect",
];
/// Keys of a profile.
const PROFILE: &[&str] = &["settings", "dnssec", "dns_settings", "records", "waf", "expect"];
/// Keys of a record.
const RECORD: &[&str] = &[
    "name", "type", "priority", "content", "data", "ttl", "proxied", "comment", "tags", "settings",
    "state", "protect", "allow", "lint", "owner", "reason", "expires",
];
/// Keys of `defaults`.
pub(super) const DEFAULTS: &[&str] = &["ttl", "proxied", "comment", "tags", "owner"];
/// Keys of a section for protection.
static WAF: LazyLock<Vec<&str>> = LazyLock::new(|| {
    ["unmanaged", "accept_weakening", "accept", "owasp", "cloudflare"]
        .into_iter()
        .chain(Phase::in_spec().map(Phase::key))
        .collect()
});
/// Keys of a managed ruleset.
const RULESET: &[&str] = &[
    "paranoia",
    "threshold",
    "action",
    "when",
    "expression",
    "version",
    "tags",
    "rules",
    "disable",
    "enable",
    "raw",
];
/// Keys of a tuning entry.
const TUNING: &[&str] =
    &["rule", "tag", "future", "enabled", "action", "reason", "owner", "expires"];
/// Keys of an item of `accept`.
const ACCEPTED: &[&str] =
    &["rule", "key", "override", "is", "ruleset", "reason", "owner", "expires"];
/// Keys of a named rule.
const RULE: &[&str] = &[
    "name",
    "when",
    "share",
    "action",
    "skip",
    "per",
    "limit",
    "then",
    "count",
    "to_origin",
    "response",
    "raw",
    "log",
    "state",
    "enabled",
    "description",
    "lint",
    "reason",
    "owner",
    "expires",
    "before",
    "after",
];
/// Keys of an item of `ignore`.
const IGNORE: &[&str] = &["name", "type", "content", "tag", "reason"];

/// Returns the order of the keys of a mapping at a path, in which `-` is a list item. Empty if the
/// order is free.
pub(super) fn order(path: &[&str]) -> &'static [&'static str] {
    match path {
        [] => FILE,
        ["defaults"] | ["zones", _, "defaults"] => DEFAULTS,
        ["zones", _] => ZONE,
        ["profiles", _] => PROFILE,
        ["zones" | "profiles", _, "records", "-"] => RECORD,
        ["zones", _, "ignore", "-"] => IGNORE,
        ["zones", _, "waf"] | ["profiles", _, "waf"] => &WAF,
        ["zones" | "profiles", _, "waf", "owasp" | "cloudflare"] => RULESET,
        ["zones" | "profiles", _, "waf", "owasp" | "cloudflare", _, "-"] => TUNING,
        ["zones" | "profiles", _, "waf", "accept", "-"] => ACCEPTED,
        ["zones" | "profiles", _, "waf", "accept", "-", "is"] => &["when", "skip"],
        ["zones" | "profiles", _, "waf", key, "-"]
            if Phase::ALL.iter().any(|phase| phase.key() == *key) =>
        {
            RULE
        }
        _ => &[],
    }
}

/// Sort key of a record: the zone itself first, then names compared from their end, types and
/// values.
pub(super) fn record_key(
    tree: &SourceTree<'_>,
    item: NodeId,
) -> (bool, Vec<String>, String, String) {
    let text =
        |key| tree.get(item, key).map(|node| json(tree, node).to_string()).unwrap_or_default();
    let name = tree
        .get(item, "name")
        .map(|node| tree.scalar_text(node).to_lowercase())
        .unwrap_or_default();
    let labels = name.rsplit('.').map(str::to_owned).collect();
    (name != "@", labels, text("type"), text("priority") + &text("content") + &text("data"))
}

/// Lists every mapping with its path.
pub(super) fn mappings<'l>(tree: &'l SourceTree<'_>) -> Vec<(NodeId, Vec<&'l str>)> {
    let mut paths = Vec::new();
    let mut open: Vec<(NodeId, Vec<&str>)> = vec![(tree.root, Vec::new())];
    while let Some((node, path)) = open.pop() {
        let below = |name| path.iter().copied().chain([name]).collect::<Vec<_>>();
        match &tree.node(node).kind {
            SourceNodeKind::Mapping { entries, .. } => {
                open.extend(
                    entries.iter().map(|(key, value)| (*value, below(tree.scalar_text(*key)))),
                );
                paths.push((node, path));
            }
            SourceNodeKind::Sequence { items, .. } => {
                open.extend(items.iter().map(|item| (*item, below("-"))))
            }
            SourceNodeKind::Scalar(..) | SourceNodeKind::Alias(_) => {}
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::Value;

    use super::order;

    /// Keys that a schema allows at all paths with the same order.
    type Keys = BTreeMap<&'static [&'static str], BTreeSet<String>>;

    /// Collects the keys that a part of a schema allows at a path and below it.
    fn collect(schema: &Value, path: &[&str], all: &mut Keys) {
        if !schema.is_object() {
            return;
        }
        let below =
            |name, part: &Value, all: &mut Keys| collect(part, &[path, &[name]].concat(), all);
        for (key, part) in schema["properties"].as_object().into_iter().flatten() {
            if !order(path).is_empty() {
                all.entry(order(path)).or_default().insert(key.clone());
            }
            below(key.as_str(), part, all);
        }
        below("example.com", &schema["additionalProperties"], all);
        below("-", &schema["items"], all);
        for branch in schema["anyOf"].as_array().into_iter().flatten() {
            collect(branch, path, all);
        }
    }

    #[test]
    fn every_key_of_the_schema_has_a_place() {
        let mut all = Keys::new();
        collect(&crate::spec::schema(), &[], &mut all);
        for (order, keys) in &all {
            assert_eq!(order.iter().map(|key| (*key).to_owned()).collect::<BTreeSet<_>>(), *keys);
        }
        assert_eq!(all.len(), 12, "{:?}", all.keys());
    }
}
