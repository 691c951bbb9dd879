//! Counts generated objects and events, to show the coverage of the histories.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use zonewright::sandbox::What;

use super::history::{History, Strike};
use super::play::Played;
use super::trouble;

/// Counts by group and name.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    histories: u64,
    counts: BTreeMap<(&'static str, String), u64>,
}

/// Groups of counts, and what one of them counts.
const GROUPS: [(&str, &str); 6] = [
    ("drawn", "histories"),
    ("fault that struck the first apply", "histories"),
    ("exit code of the first apply", "histories"),
    ("reported of an operation by the first apply", "operations"),
    ("operation that the first apply planned", "operations"),
    ("second apply", "histories"),
];

impl Tally {
    /// Counts a history.
    pub(crate) fn add(&mut self, history: &History, played: &Played) {
        self.histories += 1;
        drawn(history).into_iter().for_each(|name| self.count(0, name));
        let struck: BTreeSet<String> = played
            .first
            .requests
            .iter()
            .filter_map(|request| request.fault.as_ref())
            .map(trouble::name)
            .collect();
        struck.into_iter().for_each(|name| self.count(1, name));
        self.count(2, format!("{} {}", played.first.exit, meaning(played.first.exit)));
        let document = &played.first.document;
        for operation in document["operations"].as_array().into_iter().flatten() {
            let word = |name: &str| operation[name].as_str().unwrap_or_default();
            self.count(4, format!("{} of `{}`", word("action"), word("kind")));
        }
        for zone in document["result"]["zones"].as_array().into_iter().flatten() {
            let done = zone["done"].as_u64().unwrap_or_default();
            *self.counts.entry((GROUPS[3].0, "done".to_owned())).or_default() += done;
            for entry in zone["not_done"].as_array().into_iter().flatten() {
                self.count(3, entry["outcome"].as_str().unwrap_or_default());
            }
        }
        let wrote =
            if played.second.writes().next().is_some() { "writes" } else { "has nothing to write" };
        self.count(5, format!("{wrote}, ends with {}", played.second.exit));
    }

    /// Counts something of a group.
    fn count(&mut self, group: usize, name: impl Into<String>) {
        *self.counts.entry((GROUPS[group].0, name.into())).or_default() += 1;
    }

    /// Puts the counts of both together.
    pub(crate) fn merge(&mut self, other: Self) {
        self.histories += other.histories;
        for (key, count) in other.counts {
            *self.counts.entry(key).or_default() += count;
        }
    }

    /// Returns the sum of the counters in this group whose names begin with `start`.
    pub(crate) fn of(&self, group: &str, start: &str) -> u64 {
        self.counts
            .iter()
            .filter(|((own, name), _)| *own == group && name.starts_with(start))
            .map(|(_, n)| n)
            .sum()
    }

    /// Returns as tables.
    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        let mut line = |words: String| writeln!(text, "{words}").expect("a text takes everything");
        for (group, unit) in GROUPS {
            line(format!("| {group} | {unit} of {} |\n|---|---|", self.histories));
            for ((_, name), count) in self.counts.iter().filter(|((own, _), _)| *own == group) {
                line(format!("| {name} | {count} |"));
            }
            line(String::new());
        }
        text
    }

    /// Gaps in the coverage: each kind of fault must have struck, and each exit code must have
    /// occurred.
    pub(crate) fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        let mut demand = |group: usize, names: &[&str]| {
            let missing = names.iter().filter(|name| self.of(GROUPS[group].0, name) == 0);
            gaps.extend(missing.map(|name| format!("{}: {name}", GROUPS[group].0)));
        };
        demand(1, FAULTS);
        demand(2, &["0", "1", "3", "4", "5"]);
        demand(3, &["done", "refused", "not-sent", "unknown"]);
        demand(4, &["create of `dns_record`", "update of `dns_record`", "delete of `dns_record`"]);
        demand(
            4,
            &[
                "create of `zone`",
                "update of `zone_setting`",
                "create of `waf_rule`",
                "update of `waf_rule`",
            ],
        );
        demand(
            5,
            &[
                "writes, ends with 0",
                "has nothing to write, ends with 0",
                "has nothing to write, ends with 1",
            ],
        );
        gaps
    }
}

/// The faults that must have struck.
const FAULTS: &[&str] = &[
    "`status` 429",
    "`status` 5xx, a page",
    "`status` 5xx, an envelope",
    "`token_refused`",
    "`answer` 4xx",
    "`answer` 200",
    "`connection_refused`",
    "`reset_before_effect`",
    "`close_before_effect`",
    "`not_json200`",
    "`success_false200`",
    "`redirect`",
    "`status_after_effect`",
    "`reset_after_effect`",
    "`close_after_effect`",
    "`reset_mid_body`",
    "`truncate_body`",
    "`invalid_json`",
    "`empty_body`",
    "`stall`",
    "`wrong_length`",
    "`gzip` correct",
    "`gzip` truncated",
    "`gzip` corrupt",
    "`gzip` plain",
    "`delay`",
    "`extra`",
    "`deep`",
    "`padded`",
    "`drip`",
    "`without`",
    "`long_text`",
    "`replace`",
    "`stale_read`",
    "`another_writer`",
    "`another_writer_after`",
];

/// Describes an exit code.
fn meaning(exit: u8) -> &'static str {
    match exit {
        0 => "(done)",
        1 => "(nothing was written)",
        3 => "(a consent is missing)",
        4 => "(the plan is out of date, nothing was written)",
        5 => "(applied in part)",
        _ => "",
    }
}

/// Returns what a history has.
fn drawn(history: &History) -> Vec<&'static str> {
    let History { zones, service, call, between, script, interrupt, is_kill, .. } = history;
    let is_foreign = |strike: &Strike| matches!(strike, Strike::Foreign { .. });
    let is_fault =
        |strike: &Strike| matches!(strike, Strike::Fault(fault) if fault.what != What::StaleRead);
    let all = [
        (!script.iter().any(is_fault) && between.is_empty(), "no faults"),
        (zones.len() > 1, "several zones"),
        (zones.iter().any(|zone| zone.is_new), "a zone that is made"),
        (zones.iter().any(|zone| zone.prune), "a zone that is pruned"),
        (zones.iter().any(|zone| !zone.ignored.is_empty()), "records that are ignored"),
        (zones.iter().any(|zone| !zone.gone.is_empty()), "tombstones"),
        (zones.iter().any(|zone| !zone.settings.is_empty()), "settings"),
        (zones.iter().any(|zone| zone.protection.is_some()), "protection"),
        (call.has_base, "a spec before (`--base`)"),
        (call.is_saved, "a saved plan"),
        (call.concurrency > 1, "`--concurrency` above 1"),
        (!service.batches, "a service without batches"),
        (service.page_limit < 100, "pages of 1 to 5 records"),
        (service.is_unordered, "lists in another order each time"),
        (service.is_old, "answers as before 2024-07"),
        (!between.is_empty(), "someone else writes between plan and apply"),
        (script.iter().any(is_foreign), "someone else writes during the apply"),
        (service.joins_texts, "texts that differ only in their cuts are identical"),
        (interrupt.is_some() && !is_kill, "someone asks the apply to stop"),
        (*is_kill, "someone kills the apply"),
    ];
    all.into_iter().filter_map(|(is_so, name)| is_so.then_some(name)).collect()
}
