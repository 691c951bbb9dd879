//! CNAME records that form a loop.

use crate::diagnostic::{Finding, Severity};
use crate::lint::zone_lookup::ZoneLookup;
use crate::lint::{Findings, RELATED, Rule, chain};

/// The rule.
pub(in crate::lint) static RULE: Rule = Rule {
    finding: Finding {
        code: "LINT0001",
        summary: "the aliases form a loop",
        severity: Severity::Error,
        why: "The chain of CNAME records leads back to itself, so none of its names resolves to an address. Zones of one \
              spec are checked together. If the chain leads through a wildcard, a live record may still take a name out of \
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
    check,
};

fn check(lookup: &ZoneLookup<'_>, findings: &mut Findings) {
    for members in &lookup.aliases.loops {
        let aliases: Vec<_> = members.iter().map(|n| &lookup.aliases.all[*n]).collect();
        let Some((first, others)) = aliases.split_first() else { continue };
        // A record that points to itself is a different error, and has been reported.
        if others.is_empty() && !first.by_wildcard {
            continue;
        }
        let names: Vec<_> = aliases.iter().chain([first]).map(|a| a.record.name.as_str()).collect();
        let names = if others.is_empty() {
            format!("{} → {}", names[0], first.record.data.presentation())
        } else {
            chain(names.into_iter())
        };
        let by_wildcard = aliases.iter().any(|a| a.by_wildcard);
        let detail = if by_wildcard { format!("{names}, by a wildcard") } else { names };
        let mut diagnostic = RULE.at(first.record.spelling.place, detail);
        if by_wildcard {
            diagnostic.severity = Severity::Warning;
        }
        for alias in others.iter().take(RELATED) {
            diagnostic = diagnostic.and_at(
                alias.record.spelling.place,
                format!("`{}` leads to `{}`", alias.record.name, alias.record.data.presentation()),
            );
        }
        let help = if by_wildcard {
            "write another target, or give the name that the wildcard covers a record of its own"
        } else {
            "write another target for one of them, or give one an A or AAAA record in place of the CNAME"
        };
        findings.push(diagnostic.about(lookup.zones[first.zone].address(first.record)).help(help));
    }
}
