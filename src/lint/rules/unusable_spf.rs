//! SPF records that receivers cannot use.

use crate::diagnostic::{Finding, Severity};
use crate::insight::mail::spf::is_spf;
use crate::insight::mail::text_faults::{nearly_spf, spf_fault, unreadable_character};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::{Rdata, RecordType};

/// The rule.
pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0027",
        summary: "receivers cannot use the SPF record",
        severity: Severity::Warning,
        why: "Receivers use an SPF record as a whole or not at all. One wrong term, one lookup too \
            many, or a wrong start makes them answer \"permerror\" or \"none\", and they treat \
            mail from the domain as if no server were allowed to send it.",
        fix: "Correct the term that the finding names.",
    },
    sources: &["RFC 7208 sections 4.5, 4.6 and 4.6.4"],
    good: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: TXT, content: \"v=spf1 include:_spf.example.net ~all\" }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: TXT, content: \"v=spf1 include:_spf.example.netinclude:b.example ~all\" }
",
    check: report_unusable_spf,
};

/// Types from which the hosts of an SPF record are known.
const OF_SENDERS: &[RecordType] =
    &[RecordType::Txt, RecordType::Mx, RecordType::A, RecordType::Aaaa, RecordType::Cname];

fn report_unusable_spf(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, owner) in context.owners() {
        let texts = owner.of_type(RecordType::Txt).filter_map(|record| match &record.data {
            Rdata::Txt(text) => Some((record, text.as_bytes())),
            _ => None,
        });
        let (records, others): (Vec<_>, Vec<_>) = texts.partition(|(_, text)| is_spf(text));
        let nearly = |text| nearly_spf(owner.name, text);
        let misspelled =
            others.into_iter().filter_map(|(record, text)| Some((record, nearly(text)?)));
        let knows_all = zone.knows_all(OF_SENDERS);
        let fault = |text| {
            let fault = spf_fault(&context.answers, knows_all, owner.name)?;
            Some(match unreadable_character(text) {
                Some(character) => format!("{fault}; {character}"),
                None => fault,
            })
        };
        // Several records are reported as such.
        let broken = match records[..] {
            [(record, text)] => fault(text).map(|fault| (record, fault)),
            _ => None,
        };
        for (record, fault) in misspelled.chain(broken) {
            findings.push(
                RULE.at(record.spelling.place, fault)
                    .about(zone.address(record))
                    .help("correct the record; a wrong term makes all of it void"),
            );
        }
    }
}
