//! Names that end with the name of their zone twice.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0021",
        summary: "the name ends with the name of the zone twice",
        severity: Severity::Warning,
        why: "A whole name that another tool took for a relative one becomes \
            `www.example.com.example.com`: a final dot was \
              missing there. No client asks for such a name.",
        fix: "Write the name once. If it is meant as written, end it with a dot.",
    },
    sources: &["RFC 1035 section 5.1", "RFC 1912 section 2.6"],
    good: "\
zones:
  example.com:
    records:
      - { name: www.example.com, type: A, content: 192.0.2.1 }
      - { name: meant.example.com.example.com., type: A, content: 192.0.2.1 }
      - { name: example.com._report._dmarc, type: TXT, content: v=DMARC1; }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: www.example.com.example.com, type: A, content: 192.0.2.1 }
",
    check: report_doubled_names,
};

fn report_doubled_names(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, owner) in context.owners() {
        let Some(end) = owner.name.doubled_end(zone.zone.name.as_fqdn()) else { continue };
        // A final dot marks a full name. One finding is enough for all records of a name.
        let Some(record) = owner.records.iter().find(|record| !record.spelling.name.ends_with('.'))
        else {
            continue;
        };
        let once =
            owner.name.as_str().strip_suffix(end).map_or("", |rest| rest.trim_end_matches('.'));
        findings.push(
            RULE.at(record.spelling.place, format!("`{}` ends with `{end}` twice", owner.name))
                .about(zone.address(record))
                .help(format!("write `{once}`, or `{}.` if this is what you mean", owner.name)),
        );
    }
}
