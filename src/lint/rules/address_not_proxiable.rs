//! Proxied records whose address Cloudflare refuses.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::unproxiable_addresses;
use crate::lint::{Findings, LintRule};

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0002",
        summary: "Cloudflare does not proxy to this address",
        severity: Severity::Error,
        why: "Cloudflare refuses proxied records to private, local and loopback addresses and to \
            its own network with code 9003, \
              perhaps after other records have been written. Records that are not proxied may have \
              such addresses.",
        fix: "Write the public address of the origin, `proxied: false`, or one of the placeholders \
            192.0.2.1 and 100:: if there is \
              no origin.",
    },
    sources: &[
        "www.cloudflare.com/ips, read 2026-11-20",
        "developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types, read \
        2026-11-20",
        "RFC 6890",
    ],
    good: "\
zones:
  example.com:
    records:
      - { name: www, type: A, content: 203.0.113.10, proxied: true }
      - { name: originless, type: AAAA, content: \"100::\", proxied: true }
      - { name: intranet, type: A, content: 10.0.0.10, proxied: false }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: www, type: A, content: 10.0.0.10, proxied: true }
",
    check: report_unproxiable_addresses,
};

fn report_unproxiable_addresses(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, record) in context.records() {
        let Some(address) = record.data.address().filter(|_| record.facets.proxied == Some(true))
        else {
            continue;
        };
        let Some((network, name)) = unproxiable_addresses::unproxiable_network(address) else {
            continue;
        };
        findings.push(
            RULE.at(record.spelling.place, format!("`{address}` is in {name}, {network}"))
                .about(zone.address(record))
                .help("write the public address of the origin, or `proxied: false`"),
        );
    }
}
