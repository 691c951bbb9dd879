//! Mail exchanges, name servers and services whose host is an alias.

use crate::diagnostic::{Finding, Severity};
use crate::insight::dns::End;
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::RecordType;

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0010",
        summary: "the target is an alias",
        severity: Severity::Warning,
        why: "The hosts that MX, NS and SRV records name must have addresses of their own, not a \
            CNAME. Some mail servers refuse to \
              deliver, and resolvers may not follow. Resolvers do not see aliases that Cloudflare \
              proxies or flattens, so \
              these are not reported.",
        fix: "Name the host that the alias leads to.",
    },
    sources: &["RFC 2181 section 10.3 (MX, NS)", "RFC 2782 (SRV)"],
    good: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: MX, content: 10 mx.example.net }
      - { name: mail, type: CNAME, content: mx.example.net }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: MX, content: 10 mail.example.com }
      - { name: mail, type: CNAME, content: mx.example.net }
",
    check: report_alias_targets,
};

fn report_alias_targets(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, record) in context.records() {
        if !matches!(
            record.data.record_type(),
            Some(RecordType::Mx | RecordType::Ns | RecordType::Srv)
        ) {
            continue;
        }
        let Some(target) = record.data.target().filter(|t| !t.is_root()) else { continue };
        let answer = context.answers.answer(target, RecordType::Cname);
        let (End::Records(set), Some(home)) = (&answer.end, answer.zone) else { continue };
        // A name covered by a wildcard may have its own live record.
        let knows_all = context.zone(home).is_some_and(|home| home.knows_all(RecordType::ALL));
        if answer.wildcard.is_some() && !knows_all {
            continue;
        }
        let Some((_, alias)) = set.first().and_then(|entry| context.source(entry)) else {
            continue;
        };
        let leads = alias.data.presentation();
        let how = if answer.wildcard.is_some() { " by a wildcard" } else { "" };
        // developers.cloudflare.com/dns/cname-flattening and /dns/zone-setups/zone-transfers, read
        // 2026-11: the pages differ about aliases within a zone.
        let is_within = alias.data.target().is_some_and(|host| host.is_within(home.as_fqdn()));
        let words = if is_within {
            "the alias; Cloudflare's pages differ on whether an alias of the same zone is flattened"
        } else {
            "the alias"
        };
        findings.push(
            RULE.at(record.spelling.place, format!("`{target}` is an alias of `{leads}`{how}"))
                .and_at(alias.spelling.place, words)
                .about(zone.address(record))
                .help(format!(
                    "write `{leads}`, or give `{target}` an A or AAAA record in place of the CNAME"
                )),
        );
    }
}
