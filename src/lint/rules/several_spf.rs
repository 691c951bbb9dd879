//! Several SPF records at one name.

use crate::diagnostic::{Finding, Severity};
use crate::insight::mail::spf::is_spf;
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::{DesiredRecord, Rdata};

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0018",
        summary: "the name has several SPF records",
        severity: Severity::Warning,
        why: "A domain has one SPF record. If there are several, receivers answer \"permerror\" \
            and treat mail from the domain as if \
              no server were allowed to send it.",
        fix: "Write one record with the mechanisms of all of them, and one `all` at its end.",
    },
    sources: &["RFC 7208 sections 3.2 and 4.5"],
    good: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: TXT, content: \"v=spf1 mx include:_spf.example.net -all\" }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: TXT, content: \"v=spf1 mx -all\" }
      - { name: \"@\", type: TXT, content: \"v=spf1 include:_spf.example.net -all\" }
",
    check: report_several_spf,
};

fn report_several_spf(context: &LintContext<'_>, findings: &mut Findings) {
    let spf = |record: &&DesiredRecord| matches!(&record.data, Rdata::Txt(text) if is_spf(text.as_bytes()));
    for (zone, owner) in context.owners() {
        let mut spf_records = owner.records.iter().copied().filter(spf);
        if let (Some(_), Some(second)) = (spf_records.next(), spf_records.next()) {
            let count = 2 + spf_records.count();
            findings.push(
                RULE.at(second.spelling.place, format!("`{}` has {count} SPF records", owner.name))
                    .about(zone.address(second))
                    .help("write one record with the mechanisms of all of them"),
            );
        }
    }
}
