//! Effects of moving a name behind Cloudflare's proxy, or out of it.

use super::answer_in_words::short_values;
use super::entry::Entry;
use super::index::{NameNode, ZoneIndex};
use crate::model::RecordType;

/// Returns the sentence about a name that keeps some records and moves behind the proxy, or leaves
/// it. `shown` is the name as it is displayed.
pub(super) fn moved(
    shown: &str,
    [old, new]: [&ZoneIndex<'_>; 2],
    nodes: [NameNode<'_, '_>; 2],
) -> Option<String> {
    let proxied = |zone: &ZoneIndex<'_>, node: NameNode<'_, '_>| {
        zone.serving().proxies() && node.records().any(|e| e.is_proxied())
    };
    let addresses = |node: NameNode<'_, '_>| {
        let entries: Vec<Entry<'_>> = [RecordType::A, RecordType::Aaaa, RecordType::Cname]
            .iter()
            .flat_map(|t| node.of_type(*t))
            .collect();
        short_values(&entries)
    };
    match (proxied(old, nodes[0]), proxied(new, nodes[1])) {
        (true, false) if !addresses(nodes[1]).is_empty() => Some(format!(
            "{shown}: Cloudflare's edge → {}, which anyone can look up",
            addresses(nodes[1])
        )),
        (false, true) if !addresses(nodes[0]).is_empty() => {
            Some(format!("{shown}: {} → Cloudflare's edge", addresses(nodes[0])))
        }
        _ => None,
    }
}
