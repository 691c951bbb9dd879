//! Texts that differ from another text of the name only in their cuts.

use std::collections::BTreeMap;

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::{DesiredRecord, Rdata};

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0031",
        summary: "the name has this text already, with other cuts",
        severity: Severity::Warning,
        why: "A TXT record is a list of strings, and receivers join them (RFC 7208 section 3.3, \
            RFC 6376 section 3.6.2.2). So two records \
              whose strings are cut at other places are the same text twice, and Cloudflare may \
              refuse the second one as identical, in \
              every run. One of them is enough.",
        fix: "Remove one of the two records.",
    },
    sources: &["RFC 7208 section 3.3", "RFC 6376 section 3.6.2.2"],
    good: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: TXT, content: '\"site=1;\" \"key=2\"' }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: TXT, content: '\"site=1;\" \"key=2\"' }
      - { name: \"@\", type: TXT, content: '\"site=1;key=2\"' }
",
    check: report_repeated_texts,
};

fn report_repeated_texts(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, owner) in context.owners() {
        let mut texts: BTreeMap<&[u8], &DesiredRecord> = BTreeMap::new();
        for record in &owner.records {
            let Rdata::Txt(text) = &record.data else { continue };
            let first = *texts.entry(text.as_bytes()).or_insert(record);
            if !first.data.differs_in_cuts(&record.data) {
                continue;
            }
            let (one, other) = (first.data.presentation(), record.data.presentation());
            findings.push(
                RULE.at(record.spelling.place, format!("`{other}` is the same text as `{one}`"))
                    .and_at(first.spelling.place, "the same text")
                    .about(zone.address(record))
                    .help("remove one of them"),
            );
        }
    }
}
