//! Texts for mail that receivers or senders ignore.

use crate::diagnostic::{Finding, Severity};
use crate::insight::mail::text_faults::{
    announcement_fault, control_character, is_of_mail, unreadable_character,
};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::{Rdata, RecordType};

/// The rule.
pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0028",
        summary: "receivers or senders ignore this text",
        severity: Severity::Warning,
        why: "DKIM keys and the records of DMARC, MTA-STS, TLS reporting and BIMI have a strict \
            form. A text of another form counts as if it did not exist.",
        fix: "Correct what the finding names.",
    },
    sources: &[
        "RFC 6376 section 3.6.1",
        "RFC 9989 section 4.7",
        "RFC 8461 section 3.1",
        "RFC 8460 section 3",
    ],
    good: "\
zones:
  example.com:
    records:
      - { name: _dmarc, type: TXT, content: \"v=DMARC1; p=reject\" }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: _dmarc, type: TXT, content: \"v=DMARC1 p=reject\" }
",
    check: report_ignored_mail_texts,
};

fn report_ignored_mail_texts(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, owner) in context.owners() {
        let Some(first) = owner.of_type(RecordType::Txt).next() else { continue };
        let Some(answers) = context.answers.named(&zone.zone.name) else { continue };
        if !is_of_mail(owner.name) {
            continue;
        }
        let text_with = |fault: fn(&[u8]) -> Option<String>| {
            owner.of_type(RecordType::Txt).find_map(|record| match &record.data {
                Rdata::Txt(text) => fault(text.as_bytes()),
                _ => None,
            })
        };
        let detail = match announcement_fault(answers, owner.name) {
            Some(fault) => match text_with(unreadable_character) {
                Some(character) => format!("{fault}; {character}"),
                None => fault,
            },
            None => match text_with(control_character) {
                Some(character) => format!("the text of `{}`: {character}", owner.name),
                None => continue,
            },
        };
        findings.push(
            RULE.at(first.spelling.place, detail)
                .about(zone.address(first))
                .help("correct the text; until then it counts as if it did not exist"),
        );
    }
}
