//! Proxied CNAME records that lead to a name of the spec without an address.

use std::collections::BTreeMap;

use crate::diagnostic::{Finding, Severity};
use crate::insight::HiddenUse;
use crate::insight::dns::ChainEnd;
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule, RELATED, chain};

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0006",
        summary: "the proxied alias never reaches an address",
        severity: Severity::Warning,
        why: "The chain of CNAME records ends at a name in a zone of the spec that has neither an \
            address nor another CNAME, and no \
              wildcard covers it: Cloudflare answers visitors with error 1016. Where a live record \
              that the spec does not name \
              may have the address, this is a note.",
        fix: "Give the name an A, AAAA or CNAME record, or correct the target.",
    },
    sources: &[
        "developers.cloudflare.com/dns/manage-dns-records/reference/wildcard-dns-records, read \
        2026-11-20",
        "developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/error-1016, read 2026-11-20",
    ],
    good: "\
zones:
  example.com:
    unmanaged: prune
    records:
      - { name: www, type: CNAME, content: origin.example.com, proxied: true }
      - { name: origin, type: A, content: 192.0.2.1, proxied: true }
",
    bad: "\
zones:
  example.com:
    unmanaged: prune
    records:
      - { name: www, type: CNAME, content: orign.example.com, proxied: true }
      - { name: origin, type: A, content: 192.0.2.1, proxied: true }
",
    check: report_aliases_without_address,
};

fn report_aliases_without_address(context: &LintContext<'_>, findings: &mut Findings) {
    let aliases = &context.aliases;
    // Proxied records by the last record of their chain, because that is the place to fix.
    let mut starts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (n, alias) in aliases.all.iter().enumerate() {
        let is_read = alias
            .record
            .data
            .target()
            .is_some_and(|target| HiddenUse::of(alias.record.name, target).is_some());
        // `hidden_by_proxy` reports aliases that no browser visits.
        if is_read {
            continue;
        }
        if let (ChainEnd::Dead(last), true) = (alias.end, alias.record.proxied) {
            starts.entry(last).or_default().push(n);
        }
    }
    for (last, starts) in starts {
        let Some(first) = starts.first() else { continue };
        let Some((zone, record)) = context.source(&aliases.all[last].record) else { continue };
        let target = record.data.presentation();
        let way = aliases.chain(*first);
        let names: Vec<_> = way
            .iter()
            .map(|n| aliases.all[*n].record.name.as_str())
            .chain([target.as_str()])
            .collect();
        let detail =
            format!("`{target}` has no A, AAAA or CNAME record: {}", chain(names.into_iter()));
        let mut diagnostic = RULE.at(record.spelling.place, detail);
        if !starts.iter().any(|n| aliases.all[*n].is_certain) {
            diagnostic.severity = Severity::Note;
        }
        let leading = starts.iter().filter(|n| **n != last).take(RELATED);
        for (_, start) in leading.filter_map(|n| context.source(&aliases.all[*n].record)) {
            diagnostic = diagnostic.and_at(
                start.spelling.place,
                format!("`{}` is proxied and leads there", start.name),
            );
        }
        findings.push(
            diagnostic
                .about(zone.address(record))
                .help(format!("write an A or AAAA record for `{target}`, or another target")),
        );
    }
}
