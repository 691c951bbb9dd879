//! Proxied aliases whose target Cloudflare does not proxy.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, Rule};
use crate::model::{Fqdn, RecordType};

/// Targets that are not proxied themselves.
const EXACT: &[&str] = &[
    "dkim2.mcsv.net",
    "dkim3.mcsv.net",
    "zmverify.zoho.com",
    "dkim.infusionmail.com",
    "dkim.amazonses.com",
];

/// Domains below which no target is proxied.
const BELOW: &[&str] =
    &["dkim.amazonses.com", "onmicrosoft.com", "dkim.intercom.io", "acm-validations.aws"];

pub(in crate::lint) static RULE: Rule = Rule {
    finding: Finding {
        code: "LINT0025",
        summary: "Cloudflare does not proxy to this target",
        severity: Severity::Error,
        why: "Services read the CNAME itself at these names, to find a DKIM key or to see who owns a domain. A proxied CNAME is \
              answered with addresses alone, so Cloudflare refuses to proxy it.",
        fix: "Write `proxied: false`.",
    },
    sources: &["developers.cloudflare.com/dns/proxy-status/limitations, read 2026-11-27"],
    good: "\
zones:
  example.com:
    records:
      - { name: s1._domainkey, type: CNAME, content: s1.dkim.amazonses.com, proxied: false }
      - { name: autodiscover, type: CNAME, content: autodiscover.outlook.com, proxied: true }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: s1._domainkey, type: CNAME, content: s1.dkim.amazonses.com, proxied: true }
",
    check,
};

/// Returns true if Cloudflare refuses to proxy an alias with this target.
fn is_refused(target: &Fqdn) -> bool {
    let is_below = |domain: &&str| {
        target.as_str().strip_suffix(*domain).is_some_and(|rest| rest.ends_with('.'))
    };
    EXACT.contains(&target.as_str()) || BELOW.iter().any(is_below)
}

fn check(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, record) in context.records() {
        let is_proxied_alias = record.data.record_type() == Some(RecordType::Cname)
            && record.facets.proxied == Some(true);
        let target = record.data.target().filter(|target| is_proxied_alias && is_refused(target));
        let Some(target) = target else { continue };
        findings.push(
            RULE.at(record.spelling.place, format!("Cloudflare does not proxy to `{target}`"))
                .about(zone.address(record))
                .help("write `proxied: false`"),
        );
    }
}
