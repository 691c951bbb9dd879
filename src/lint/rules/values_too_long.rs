//! Records of one name and type that are too long together.

use crate::diagnostic::{Finding, Severity, count};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule, RELATED};
use crate::model::{DesiredRecord, Rdata};

/// Maximum length of the content of all records of one name and type together.
///
/// # Units
/// Characters of `content`; whether quotes and escapes count is not documented.
const COMBINED: usize = 8192;

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0005",
        summary: "the records of the name and type are too long together",
        severity: Severity::Error,
        why: "All records of one name and type have at most 8192 characters of content together; \
            beyond that Cloudflare refuses \
              them with code 83011. It is not documented whether the quotes and escapes of texts \
              count: what is too long only \
              with them is a warning.",
        fix: "Remove values that are no longer needed, or move some to other names.",
    },
    sources: &[
        "developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types, read \
        2026-11-20",
    ],
    good: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: TXT, content: v=spf1 -all }
      - { name: www, type: A, content: 192.0.2.1 }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: \"@\", type: TXT, content: [LONG1, LONG2, LONG3] }  # each stands for 3000 \
      characters
",
    check: report_too_long_values,
};

fn report_too_long_values(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, owner) in context.owners() {
        for records in owner.records.chunk_by(|a, b| a.data.record_type() == b.data.record_type()) {
            let lengths: Vec<_> = records.iter().map(|r| lengths(r)).collect();
            let shortest: usize = lengths.iter().map(|l| l.0).sum();
            let longest: usize = lengths.iter().map(|l| l.1).sum();
            if longest <= COMBINED {
                continue;
            }
            // The finding is at the record that exceeds the limit.
            let certain = shortest > COMBINED;
            let mut sum = 0;
            let over = lengths.iter().position(|(least, most)| {
                sum += if certain { least } else { most };
                sum > COMBINED
            });
            let Some(last) = over.map(|n| records[n]) else { continue };
            let how = if certain {
                format!("{shortest} characters")
            } else {
                format!("{longest} characters with their quotes and escapes")
            };
            let number = count(records.len(), &format!("{} record", last.data.type_name()));
            let detail =
                format!("{number} at `{}` with {how}; at most {COMBINED} are allowed", owner.name);
            let mut diagnostic = RULE.at(last.spelling.place, detail);
            if !certain {
                diagnostic.severity = Severity::Warning;
            }
            for other in records.iter().filter(|r| **r != last).take(RELATED) {
                diagnostic = diagnostic.and_at(other.spelling.place, "this one counts too");
            }
            let help = "write fewer or shorter values, or move some to another name";
            findings.push(diagnostic.about(zone.address(last)).help(help));
        }
    }
}

/// Returns the minimum and maximum length of a record.
fn lengths(record: &DesiredRecord) -> (usize, usize) {
    let shown = record.data.presentation().chars().count();
    match (&record.data, record.data.record_type()) {
        (Rdata::Txt(text), _) => (text.as_bytes().len().min(shown), shown),
        // The priority may be next to the content.
        (_, Some(kind)) if kind.facts().field("priority").is_none() && !kind.facts().has_data() => {
            (shown, shown)
        }
        _ => (0, shown),
    }
}
