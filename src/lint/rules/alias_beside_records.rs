//! Aliases that resolvers see, beside other records.

use crate::diagnostic::{Finding, Severity};
use crate::insight::dns::{End, Unknown};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule, RELATED};
use crate::model::RecordType;

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0024",
        summary: "the alias is beside other records",
        severity: Severity::Warning,
        why: "A name with a CNAME has no other records. Resolvers that keep the CNAME ask its \
            target for every other type, so they find \
              or miss the records beside it by chance; mail for the name is lost now and then. \
              Resolvers do not see aliases that \
              Cloudflare proxies or flattens, and those at the apex, so these are not reported.",
        fix: "Proxy or flatten the alias, move the other records to the target, or give the name \
            an address in place of the CNAME.",
    },
    sources: &[
        "RFC 1034 section 3.6.2",
        "developers.cloudflare.com/dns/cname-flattening/set-up-cname-flattening, read 2026-11-20",
    ],
    good: "\
zones:
  example.com:
    records:
      - { name: news, type: CNAME, content: host.example.net, proxied: true }
      - { name: news, type: MX, content: 10 mx.example.net }
      - { name: help, type: CNAME, content: help.example.net }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: news, type: CNAME, content: host.example.net }
      - { name: news, type: MX, content: 10 mx.example.net }
",
    check: report_aliases_beside_records,
};

fn report_aliases_beside_records(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, owner) in context.owners().filter(|(_, owner)| owner.records.len() > 1) {
        let Some(alias) = owner.of_type(RecordType::Cname).next() else { continue };
        let answer = context.answers.answer(owner.name, RecordType::Cname);
        if answer.end != End::Unknown(Unknown::BesideAlias) {
            continue;
        }
        let other_records: Vec<_> = owner
            .records
            .iter()
            .filter(|record| record.data.record_type() != Some(RecordType::Cname))
            .collect();
        let mut types: Vec<&str> =
            other_records.iter().map(|record| record.data.type_name()).collect();
        types.dedup();
        let types = types.join(", ");
        let detail = format!("`{}` has a CNAME that is not proxied, and {types}", owner.name);
        let mut diagnostic = RULE.at(alias.spelling.place, detail);
        for other in other_records.iter().take(RELATED) {
            diagnostic = diagnostic.and_at(other.spelling.place, "this record is beside it");
        }
        findings.push(diagnostic.about(zone.address(alias)).help(
            "write `proxied: true` or `settings: { flatten_cname: true }` at the CNAME, or move \
            the other records",
        ));
    }
}
