//! Names whose letters look like those of another script.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::LintContext;
use crate::lint::{Findings, LintRule};
use crate::model::Fqdn;

pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0020",
        summary: "the name looks like another one",
        severity: Severity::Warning,
        why: "Letters of different scripts look alike: the first letter of `рaypal` can be \
            Cyrillic. The lint reports \
              labels that mix Latin, Greek and Cyrillic letters, and labels in Greek or Cyrillic \
              whose letters all look \
              like Latin ones. Browsers show such names as `xn--…`, and readers of a spec mistake \
              them for others.",
        fix: "Type the name again on a keyboard of one script. If it is meant as written, write it \
            as `xn--…`.",
    },
    sources: &["UTS 39 sections 4 and 5", "RFC 5890 section 4.4"],
    good: "\
zones:
  example.com:
    records:
      - { name: bücher, type: A, content: 192.0.2.1 }
      - { name: почта, type: A, content: 192.0.2.1 }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: рaypal, type: A, content: 192.0.2.1 }
",
    check: report_deceptive_names,
};

/// Greek and Cyrillic letters with the Latin letters that look like them.
///
/// # Sources
/// The confusable characters of UTS 39 (confusables.txt, version 16), lower case.
const ALIKE: &[(char, char)] = &[
    ('а', 'a'),
    ('в', 'b'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ј', 'j'),
    ('к', 'k'),
    ('ӏ', 'l'),
    ('м', 'm'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('г', 'r'),
    ('ѕ', 's'),
    ('т', 't'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('у', 'y'),
    ('α', 'a'),
    ('ι', 'i'),
    ('κ', 'k'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('τ', 't'),
    ('υ', 'u'),
    ('χ', 'x'),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
}

/// Returns the script of a letter; `None` for other scripts and characters.
fn script(c: char) -> Option<Script> {
    match c {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
            Some(Script::Latin)
        }
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(Script::Greek),
        '\u{400}'..='\u{52f}' => Some(Script::Cyrillic),
        _ => None,
    }
}

/// Returns the reason why a label deceives; `None` if it does not.
fn deceives(label: &str) -> Option<String> {
    let scripts: Vec<Script> = label.chars().filter_map(script).collect();
    let has = |wanted| scripts.contains(&wanted);
    if [Script::Latin, Script::Greek, Script::Cyrillic].into_iter().filter(|s| has(*s)).count() > 1
    {
        let odd: String =
            label.chars().filter(|c| !c.is_ascii() && script(*c) != Some(Script::Latin)).collect();
        return Some(format!("it mixes scripts: `{odd}` is not Latin"));
    }
    if scripts.is_empty() || has(Script::Latin) {
        return None;
    }
    let latin = |c: char| {
        if c.is_ascii() { Some(c) } else { ALIKE.iter().find(|(a, _)| *a == c).map(|(_, l)| *l) }
    };
    let twin: Option<String> = label.chars().map(latin).collect();
    twin.filter(|twin| twin.chars().count() > 2).map(|twin| format!("it looks like `{twin}`"))
}

/// Returns the first label of a name that deceives, as people read it, with the reason.
fn deceptive(name: &Fqdn) -> Option<(String, String)> {
    if !name.as_str().contains("xn--") {
        return None;
    }
    let (shown, _) = idna::domain_to_unicode(name.as_str());
    shown.split('.').find_map(|label| Some((label.to_owned(), deceives(label)?)))
}

fn report_deceptive_names(context: &LintContext<'_>, findings: &mut Findings) {
    for (zone, owner) in context.owners() {
        // An author who writes the ASCII form knows the name.
        let record = owner.records.iter().find(|r| !r.spelling.name.contains("xn--"));
        let deceptive_owner = record.and_then(|record| Some((*record, deceptive(owner.name)?)));
        let targets = owner.records.iter().filter_map(|r| Some((*r, deceptive(r.data.target()?)?)));
        for (record, (label, why)) in deceptive_owner.into_iter().chain(targets) {
            findings.push(
                RULE.at(record.spelling.place, format!("`{label}` is not what it seems: {why}"))
                    .about(zone.address(record))
                    .help("type the name again, or write `xn--…` if it is intended"),
            );
        }
    }
}
