//! TXT records that are too long together.

use crate::diagnostic::Severity;
use crate::lint::view::{View, text};
use crate::lint::{Findings, RELATED, Rule, counted};
use crate::model::RecordType;

/// Longest content of all TXT records at one name.
///
/// # Units
/// Characters of `content`; whether quotes and escapes count is not documented.
const COMBINED: usize = 8192;

/// The rule.
pub(in crate::lint) const RULE: Rule = Rule {
    code: "LINT0005",
    title: "the TXT records of the name are too long together",
    severity: Severity::Error,
    why: "All TXT records at one name have at most 8192 characters together; beyond that the service refuses them with code \
          83011. It is not documented whether quotes and escapes count: what is too long only with them is a warning.",
    fix: "Remove texts that nobody needs any more, or move some to other names.",
    sources: &["developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types, read 2026-11-20"],
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
      - { name: \"@\", type: TXT, content: [LONG1, LONG2, LONG3] }  # each stands for 3000 characters
",
    check,
};

fn check(view: &View<'_>, findings: &mut Findings) {
    for (zone, owner) in view.owners() {
        let records: Vec<_> = owner.of_type(RecordType::Txt).collect();
        let bytes: usize = records.iter().filter_map(|r| text(r)).map(<[u8]>::len).sum();
        // Escapes take at most four characters for a byte, quotes three for each string of 255.
        if bytes.saturating_mul(5) < COMBINED {
            continue;
        }
        let characters: usize = records.iter().map(|r| r.data.presentation().chars().count()).sum();
        if characters <= COMBINED {
            continue;
        }
        // The record that is one too many is the one to point at.
        let mut sum = 0;
        let over = records.iter().position(|r| {
            sum +=
                if bytes > COMBINED { text(r).map_or(0, <[u8]>::len) } else { r.data.presentation().chars().count() };
            sum > COMBINED
        });
        let Some(last) = over.map(|n| records[n]) else { continue };
        let how = if bytes > COMBINED {
            format!("{bytes} bytes")
        } else {
            format!("{characters} characters with their quotes and escapes, {bytes} bytes without")
        };
        let count = counted(records.len(), "TXT record");
        let detail = format!("{count} at `{}` have {how}; at most {COMBINED} are allowed", owner.name);
        let mut diagnostic = RULE.at(last.spelling.place, detail);
        if bytes <= COMBINED {
            diagnostic.severity = Severity::Warning;
        }
        for other in records.iter().filter(|r| **r != last).take(RELATED) {
            diagnostic = diagnostic.and_at(other.spelling.place, "this one counts too");
        }
        findings.push(
            diagnostic.about(zone.address(last)).help("write fewer or shorter texts, or move some to another name"),
        );
    }
}
