//! CNAME records that form a loop.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule, RELATED, chain};

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0001",
        summary: "the aliases form a loop",
        severity: Severity::Error,
        why: "The chain of CNAME records leads back to itself, so none of its names resolves to an \
            address. Zones of one \
              spec are checked together. If the chain leads through a wildcard, a live record may \
              still take a name out of \
              it, so this is a warning.",
        fix: "Give one of the names an address, or point it to a name outside the loop.",
    },
    sources: &["RFC 1034 section 3.6.2", "RFC 1034 section 5.2.2"],
    good: "\
zones:
  example.com:
    records:
      - { name: a, type: CNAME, content: b.example.com }
      - { name: b, type: CNAME, content: www.example.net }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: a, type: CNAME, content: b.example.com }
      - { name: b, type: CNAME, content: a.example.com }
",
    check: report_alias_loops,
};

fn report_alias_loops(context: &LintContext<'_>, findings: &mut Findings) {
    for members in &context.aliases.loops {
        let aliases: Vec<_> = members.iter().map(|n| &context.aliases.all[*n]).collect();
        let records: Vec<_> =
            aliases.iter().filter_map(|alias| context.source(&alias.record)).collect();
        let Some(((zone, first), others)) = records.split_first() else { continue };
        let by_wildcard = aliases.iter().any(|alias| alias.by_wildcard);
        // A record that points to itself is a different error, which has been reported.
        if others.is_empty() && !by_wildcard {
            continue;
        }
        let names = if others.is_empty() {
            format!("{} → {}", first.name, first.data.presentation())
        } else {
            let names: Vec<&str> = records
                .iter()
                .chain([&records[0]])
                .map(|(_, record)| record.name.as_str())
                .collect();
            chain(names.into_iter())
        };
        let detail = if by_wildcard { format!("{names}, by a wildcard") } else { names };
        let mut diagnostic = RULE.at(first.spelling.place, detail);
        if by_wildcard {
            diagnostic.severity = Severity::Warning;
        }
        for (_, record) in others.iter().take(RELATED) {
            diagnostic = diagnostic.and_at(
                record.spelling.place,
                format!("`{}` leads to `{}`", record.name, record.data.presentation()),
            );
        }
        let help = if by_wildcard {
            "write another target, or give the name that the wildcard covers a record of its own"
        } else {
            "write another target for one of them, or give one an A or AAAA record in place of the \
            CNAME"
        };
        findings.push(diagnostic.about(zone.address(first)).help(help));
    }
}
