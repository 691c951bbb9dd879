//! Hosts whose requests bypass Cloudflare, in zones that have protection.

use crate::diagnostic::{Finding, Severity, count, first_of};
use crate::lint::context::LintContext;
use crate::lint::protection::{Proxying, hosts_of_other_services, is_protected, proxying};
use crate::lint::{Findings, LintRule};

/// Maximum number of hosts that a finding names.
const NAMED: usize = 5;

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0012",
        summary: "the protection does not reach all hosts of the zone",
        severity: Severity::Note,
        why: "Rules look at requests that go through Cloudflare. A host that is not proxied is \
            reached at its real address, \
              so nothing under `waf` applies to it, and it often reveals the origin behind the \
              other hosts. Names of mail \
              servers, name servers and services are not checked, nor names with an `_`.",
        fix: "Proxy the hosts that serve websites; change nothing if they serve anything else, or \
            have a protection of \
              their own.",
    },
    sources: &[
        "developers.cloudflare.com/dns/proxy-status, read 2026-11-20",
        "developers.cloudflare.com/waf/managed-rules/troubleshooting, read 2026-11-20",
    ],
    good: "\
zones:
  example.com:
    records:
      - { name: www, type: A, content: 203.0.113.10, proxied: true }
      - { name: mail, type: A, content: 203.0.113.20, proxied: false }
      - { name: \"@\", type: MX, priority: 10, content: mail.example.com }
    waf:
      owasp: { paranoia: 2 }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: www, type: A, content: 203.0.113.10, proxied: true }
      - { name: api, type: A, content: 203.0.113.10, proxied: false }
    waf:
      owasp: { paranoia: 2 }
",
    check: report_unprotected_hosts,
};

fn report_unprotected_hosts(context: &LintContext<'_>, findings: &mut Findings) {
    let hosts_elsewhere = hosts_of_other_services(context);
    for zone in &context.zones {
        let Some(waf) = zone.zone.waf.as_ref().filter(|waf| is_protected(waf)) else { continue };
        let open = zone.owners.iter().filter(|owner| {
            let is_open =
                matches!(proxying(context, owner.name), Some(Proxying::Off | Proxying::Unsaid));
            is_open && !owner.name.has_underscored_label() && !hosts_elsewhere.contains(owner.name)
        });
        let names: Vec<&str> = open.map(|owner| owner.name.as_str()).collect();
        if names.is_empty() {
            continue;
        }
        let shown = first_of(names.iter().map(|n| format!("`{n}`")), NAMED);
        let verb = if names.len() == 1 { "is" } else { "are" };
        let detail = format!(
            "{} {verb} not proxied, and none of this applies to {shown}",
            count(names.len(), "host")
        );
        findings.push(
            RULE.at(waf.place, detail)
                .about(zone.zone.name.to_string())
                .counting(names)
                .help("write `proxied: true` at the records of hosts that serve websites"),
        );
    }
}
