//! Proxied aliases at names where records of other types are read.

use crate::diagnostic::{Finding, Severity};
use crate::insight::HiddenUse;
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::RecordType;
use crate::model::facts::proxied_aliases::is_never_proxied;

/// The rule.
pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0026",
        summary: "the proxied alias hides what is read at this name",
        severity: Severity::Warning,
        why: "Receivers of mail, senders and certificate authorities look for records behind this \
            alias. A proxied name is answered with addresses alone, so they find none.",
        fix: "Write `proxied: false`.",
    },
    sources: &[
        "developers.cloudflare.com/dns/proxy-status, read 2026-11",
        "RFC 8555 section 8.4, RFC 6376 section 3.6.2, RFC 9989 section 4.6, RFC 8461 section 3.1",
    ],
    good: "\
zones:
  example.com:
    records:
      - { name: _acme-challenge, type: CNAME, content: abc.acme-dns.example, proxied: false }
      - { name: www, type: CNAME, content: site.example.net, proxied: true }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: _acme-challenge, type: CNAME, content: abc.acme-dns.example, proxied: true }
",
    check: report_records_hidden_by_proxy,
};

fn report_records_hidden_by_proxy(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, record) in context.records() {
        let is_proxied_alias = record.data.record_type() == Some(RecordType::Cname)
            && record.facets.proxied == Some(true);
        let target = record
            .data
            .target()
            .filter(|target| is_proxied_alias && !is_never_proxied(target.as_str()));
        let Some(hidden) = target.and_then(|target| HiddenUse::of(&record.name, target)) else {
            continue;
        };
        findings.push(
            RULE.at(record.spelling.place, format!("`{}`: {}", record.name, hidden.words))
                .about(zone.address(record))
                .help("write `proxied: false`"),
        );
    }
}
