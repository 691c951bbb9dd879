//! Proxied aliases whose target Cloudflare does not proxy.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::RecordType;
use crate::model::facts::proxied_aliases::is_never_proxied;

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0025",
        summary: "Cloudflare does not proxy to this target",
        severity: Severity::Error,
        why: "Services read the CNAME itself at these names, to find a DKIM key or to see who owns \
            a domain. A proxied CNAME is \
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
    check: report_unproxiable_targets,
};

fn report_unproxiable_targets(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, record) in context.records() {
        let is_proxied_alias = record.data.record_type() == Some(RecordType::Cname)
            && record.facets.proxied == Some(true);
        let target = record.data.target().filter(|_| is_proxied_alias);
        let Some(target) = target.filter(|target| is_never_proxied(target.as_str())) else {
            continue;
        };
        findings.push(
            RULE.at(record.spelling.place, format!("Cloudflare does not proxy to `{target}`"))
                .about(zone.address(record))
                .help("write `proxied: false`"),
        );
    }
}
