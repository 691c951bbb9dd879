//! Rules about hosts whose requests bypass Cloudflare.

use std::collections::BTreeSet;

use crate::diagnostic::{Finding, Place, Severity};
use crate::lint::context::{LintContext, LintedZone};
use crate::lint::protection::{Proxying, proxying};
use crate::lint::{Findings, LintRule};
use crate::model::{Expression, Fqdn, Gather};

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0013",
        summary: "the rule is about hosts that are not proxied",
        severity: Severity::Warning,
        why: "Requests to a host with `proxied: false` do not go through Cloudflare. A rule whose \
            expression is about such hosts only \
              never sees a request.",
        fix: "Proxy the host, or correct its name in the expression, or remove the rule.",
    },
    sources: &["developers.cloudflare.com/dns/proxy-status, read 2026-11-20"],
    good: "\
zones:
  example.com:
    records:
      - { name: www, type: A, content: 203.0.113.10, proxied: true }
    waf:
      custom:
        - { name: admin, when: 'http.host eq \"www.example.com\" and http.request.uri.path eq \"/admin\"', action: block }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: mail, type: A, content: 203.0.113.10, proxied: false }
      - { name: \"@\", type: MX, priority: 10, content: mail.example.com }
    waf:
      custom:
        - { name: webmail, when: 'http.host eq \"mail.example.com\"', action: managed_challenge }
",
    check: report_rules_for_open_hosts,
};

fn report_rules_for_open_hosts(context: &LintContext<'_>, findings: &mut Findings) {
    for zone in &context.zones {
        let Some(waf) = &zone.zone.waf else { continue };
        let scopes = waf
            .all_rules()
            .filter_map(|r| r.when.as_ref())
            .chain(waf.deployments.iter().filter_map(|d| d.when.as_ref()));
        for (when, place) in scopes {
            look_at(context, zone, when, *place, findings);
        }
    }
}

/// Checks one expression.
fn look_at(
    context: &LintContext<'_>,
    zone: &LintedZone<'_>,
    when: &Expression,
    place: Place,
    findings: &mut Findings,
) {
    let Some(hosts) = when.hosts().filter(|hosts| !hosts.is_empty()) else { return };
    let is_open = |host: &String| {
        let name = Fqdn::parse(host).ok().filter(|name| name.is_within(zone.zone.name.as_fqdn()));
        name.and_then(|name| proxying(context, &name)) == Some(Proxying::Off)
    };
    let open: BTreeSet<&String> = hosts.iter().filter(|host| is_open(host)).gather();
    if open.len() < hosts.len() {
        return;
    }
    let names = open.iter().map(|host| format!("`{host}`")).collect::<Vec<_>>().join(", ");
    let verb = if open.len() == 1 { "is" } else { "are" };
    findings.push(
        RULE.at(
            place,
            format!("{names} {verb} not proxied, so Cloudflare sees none of their requests"),
        )
        .about(zone.zone.name.to_string())
        .help("write `proxied: true` at the host's records, or correct the name"),
    );
}
