//! docs/lints.md, from the rules.

use std::fmt::Write as _;

use super::{ALL, Rule};

/// What the page begins with.
const HEAD: &str = "\
<!-- Generated from src/lint; do not edit. UPDATE_GENERATED=1 cargo test --test pure generated writes it anew. -->

# Lints

What a spec gets wrong as a whole, found offline by `validate`, `plan` and `apply`. An error ends the run before the first
request is made; warnings and notes do not. Where a zone has `unmanaged: keep` or `ignore`, live records that the spec does
not name may stand beside those that it does, and rules that depend on what is missing are milder or silent.

";

/// The page.
#[must_use]
pub fn documentation() -> String {
    let mut page = HEAD.to_owned();
    page.push_str("| code | severity | finding |\n|---|---|---|\n");
    for rule in ALL {
        let Rule { code, title, severity, .. } = rule;
        let _ = writeln!(page, "| [{code}](#{}) | {} | {title} |", code.to_lowercase(), severity.as_str());
    }
    for rule in ALL {
        section(&mut page, rule);
    }
    page
}

/// The section of one rule.
fn section(page: &mut String, rule: &Rule) {
    let Rule { code, title, severity, why, fix, sources, good, bad, check: _ } = rule;
    let sources = sources.join("; ");
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "\n## {code}\n\n**{severity}: {title}.** {why}\n\n{fix}\n\nWrong:\n\n```yaml\n{bad}```\n\nRight:\n\n```yaml\n{good}```\n\n\
         Sources: {sources}.\n",
        severity = severity.as_str(),
    );
}
