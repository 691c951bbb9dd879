//! Generates docs/findings.md from the registry.

use std::fmt::Write as _;

use super::{LintRule, known_findings};
use crate::diagnostic::Finding;

/// The beginning of the page.
const HEAD: &str = "\
<!-- Generated from crates/model/src/diagnostic/findings and src/lint/rules; do not edit. \
UPDATE_GENERATED=1 cargo test --test pure generated writes it again. -->

# Findings

```console
$ zonewright validate zones/
error[SPEC0016]: unknown key
 --> zones/example.com.yaml:5:31
…
```

What `validate`, `plan`, `apply` and the other commands report, by code. An error ends the run \
before the first write; warnings
and notes do not. A code never changes its meaning.

| codes | about |
|---|---|
| `SPEC…` | files of a spec: reading, including, substitution, keys and values |
| `DNS…` | zones and records of a spec |
| `WAF…` | protection in a spec |
| `PLAN…` | what Cloudflare has, allows or maintains; what earlier runs left behind |
| `SNAP…` | planning against a snapshot |
| `LINT…` | a spec as a whole, checked offline; each has an example |

Where a zone has `unmanaged: keep` or `ignore`, live records that the spec does not name may exist \
beside its own. Lints that
depend on what is missing are milder there, or silent.

";

/// Returns the page.
#[must_use]
pub fn findings_page() -> String {
    let mut page = HEAD.to_owned();
    page.push_str("| code | severity | finding |\n|---|---|---|\n");
    // Writing to a string cannot fail.
    for Finding { code, severity, summary, .. } in known_findings() {
        let _ = writeln!(
            page,
            "| [{code}](#{}) | {} | {summary} |",
            code.to_lowercase(),
            severity.as_str()
        );
    }
    for finding in known_findings() {
        let _ = write!(page, "\n## {}\n\n{}", finding.code, explanation(finding));
    }
    page
}

/// Returns the explanation of a finding: its reason, its fix, and the examples of a lint.
#[must_use]
pub fn explanation(finding: &Finding) -> String {
    let Finding { code, severity, summary, why, fix } = finding;
    let severity = severity.as_str();
    let mut text = format!("**{severity}: {summary}.** {why}\n\n{fix}\n");
    if let Some(rule) = super::ALL.iter().find(|rule| rule.finding.code == *code) {
        examples(&mut text, rule);
    }
    text
}

/// Adds the examples and sources of a lint.
fn examples(page: &mut String, rule: &LintRule) {
    let LintRule { finding: _, sources, good, bad, check: _ } = rule;
    let sources = sources.join("; ");
    let _ = write!(
        page,
        "\nWrong:\n\n```yaml\n{bad}```\n\nRight:\n\n```yaml\n{good}```\n\nSources: {sources}.\n"
    );
}
