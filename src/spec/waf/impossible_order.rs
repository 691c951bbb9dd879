//! Impossible orders: `before` and `after` of a list's rules that contradict each other or the
//! list's own order.
//!
//! Rules of a list keep its order. Only Cloudflare knows the position of a foreign rule. But if one
//! rule must come after it, and another rule that is not lower in the list must come before it, no
//! position is possible.

use std::collections::{HashMap, HashSet};

use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostics, Place};
use crate::model::ruleset::{Anchor, DesiredRule};

/// Reports anchors of a list that cannot hold, wherever the foreign rules are. `seen` has the
/// anchors that were reported already.
pub(super) fn check(
    list: &[DesiredRule],
    seen: &mut HashSet<(Place, Place)>,
    diagnostics: &mut Diagnostics,
) {
    // A rule that is absent or expired has no position.
    let rules: Vec<&DesiredRule> =
        list.iter().filter(|r| !r.is_absent && !r.note.is_expired).collect();
    let numbers_by_name: HashMap<&str, usize> =
        rules.iter().enumerate().map(|(n, r)| (r.name.as_str(), n)).collect();
    // For each foreign rule, the first of our rules that must come after it.
    let mut first_after: HashMap<&str, (usize, Place)> = HashMap::new();
    for (n, anchor) in
        rules.iter().enumerate().flat_map(|(n, r)| r.anchors.iter().map(move |a| (n, a)))
    {
        if let Anchor::After(name, place) = anchor {
            first_after.entry(name.as_str()).or_insert((n, *place));
        }
    }
    for (n, rule) in rules.iter().enumerate() {
        for anchor in &rule.anchors {
            let (Anchor::Before(name, place) | Anchor::After(name, place)) = anchor;
            let is_before = matches!(anchor, Anchor::Before(..));
            if let Some(other) = numbers_by_name.get(name.as_str()) {
                let fits = if is_before { n < *other } else { n > *other };
                let first = rules[*other].place;
                if !fits && seen.insert((*place, first)) {
                    let (word, side) =
                        if is_before { ("before", "below") } else { ("after", "above") };
                    diagnostics.push(
                        findings::ORDER
                            .at(
                                *place,
                                format!(
                                    "`{}` is {side} `{name}` in the list, not {word} it",
                                    rule.name
                                ),
                            )
                            .and_at(first, "here")
                            .help(format!(
                                "rules of one list run in its order: move the entry, or \
                                remove `{word}`"
                            )),
                    );
                }
                continue;
            }
            let Some((first, at)) =
                first_after.get(name.as_str()).filter(|(first, _)| is_before && *first <= n)
            else {
                continue;
            };
            if seen.insert((*place, *at)) {
                let what = if *first == n {
                    format!("`{}` cannot be both before and after `{name}`", rule.name)
                } else {
                    format!(
                        "`{}` must be before `{name}`, but `{}`, which is above it in the list, \
                        must be after `{name}`",
                        rule.name, rules[*first].name
                    )
                };
                diagnostics.push(
                    findings::ORDER
                        .at(*place, what)
                        .and_at(*at, "after it")
                        .help("remove one of the two, or change the order of the list"),
                );
            }
        }
    }
}
