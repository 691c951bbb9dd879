//! Flattened aliases at names where the alias itself is read.

use crate::diagnostic::{Finding, Severity};
use crate::insight::HiddenUse;
use crate::insight::dns::{End, NoData};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::{DesiredRecord, RecordType};

/// The rule.
pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0032",
        summary: "the flattened alias hides what is read at this name",
        severity: Severity::Warning,
        why: "A certificate authority looks for this alias. Cloudflare answers a flattened alias with addresses alone, so the authority does not find it.",
        fix: "Remove `flatten_cname` from the record, or `flatten_all_cnames` from the zone.",
    },
    sources: &[
        "developers.cloudflare.com/dns/manage-dns-records/troubleshooting/cname-domain-verification, read 2026-11-27",
    ],
    good: "\
zones:
  example.com:
    records:
      - { name: _0c1d2e3f4a5b6c7d8e9f, type: CNAME, content: a.acm-validations.aws }
      - { name: www, type: CNAME, content: site.example.net, settings: { flatten_cname: true } }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: _0c1d2e3f4a5b6c7d8e9f, type: CNAME, content: a.acm-validations.aws, settings: { flatten_cname: true } }
",
    check: report_aliases_hidden_by_flattening,
};

fn report_aliases_hidden_by_flattening(context: &LintContext<'_>, findings: &mut Findings) {
    let is_dns_only_alias = |record: &DesiredRecord| {
        record.data.record_type() == Some(RecordType::Cname) && record.facets.proxied != Some(true)
    };
    for (zone, record) in context.records().filter(|(_, record)| is_dns_only_alias(record)) {
        let hidden = record.data.target().and_then(|target| HiddenUse::of(&record.name, target));
        let Some(hidden) = hidden.filter(|hidden| hidden.is_of_alias) else { continue };
        let answer = context.answers.answer(&record.name, RecordType::Cname);
        if answer.end != End::NoData(NoData::Hidden) {
            continue;
        }
        let is_own = record.facets.settings.named().contains(&("flatten_cname", Some(true)));
        let help = match is_own {
            true => "remove `flatten_cname`",
            false => "remove `flatten_all_cnames` from the `dns_settings` of the zone",
        };
        findings.push(
            RULE.at(record.spelling.place, format!("`{}`: {}", record.name, hidden.words))
                .about(zone.address(record))
                .help(help),
        );
    }
}
