//! Findings and expectations as JUnit XML, for systems that show tests: one test for each file, and
//! one for each lint.
//!
//! A test fails because of errors. Warnings and notes are its output, so they are visible without a
//! failure.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::document::Document;
use super::escape::html;
use super::findings::{Findings, Region, detail};
use crate::diagnostic::{Diagnostic, Finding, Severity, Sources};
use crate::document::expectations::{Checked, counts};
use crate::document::place::place;
use crate::insight::expect::ExpectationOutcome;
use crate::model::Gather;

pub(super) const DOCUMENT: Document = Document {
    name: "junit",
    findings: |out, found, options| out.write_all(report(found, options.lints).as_bytes()),
    is_for_validate: true,
    plan: None,
    drift: None,
    expectations: Some(|out, checked, sources| {
        out.write_all(expectations(checked, sources).as_bytes())
    }),
    patch: None,
    requests: None,
};

/// The name of the test for findings without a file.
const NO_FILE: &str = "(no file)";

/// The findings of one test.
#[derive(Debug, Default)]
struct Case {
    failures: Vec<String>,
    first: Option<&'static str>,
    output: Vec<String>,
}

impl Case {
    fn push(&mut self, diagnostic: &Diagnostic, found: &Findings<'_>) {
        let place =
            Region::of_finding(diagnostic, found.sources).map(|r| format!("{}: ", r.shown()));
        let help = diagnostic.help.as_ref().map(|help| format!("\n  help: {}", html(help)));
        let text = format!(
            "{}{} {}: {}: {}{}",
            html(&place.unwrap_or_default()),
            diagnostic.severity.as_str(),
            diagnostic.code(),
            html(diagnostic.summary()),
            html(&detail(diagnostic)),
            help.unwrap_or_default()
        );
        match diagnostic.severity {
            Severity::Error => {
                self.first.get_or_insert(diagnostic.summary());
                self.failures.push(text);
            }
            Severity::Warning | Severity::Note => self.output.push(text),
        }
    }
}

/// Returns the JUnit document of findings; each of `lints` has a test of its own.
#[must_use]
pub fn report(found: &Findings<'_>, lints: &[&'static Finding]) -> String {
    let mut files: BTreeMap<&str, Case> = found
        .sources
        .iter()
        .map(|(_, source)| source.name())
        .filter(|name| !name.starts_with("--"))
        .map(|name| (name, Case::default()))
        .gather();
    let mut tests: BTreeMap<String, Case> = lints
        .iter()
        .map(|rule| (format!("{} {}", rule.code, rule.summary), Case::default()))
        .gather();
    for diagnostic in found.diagnostics.iter() {
        let lint = lints.iter().find(|rule| rule.code == diagnostic.code());
        let case = match lint {
            Some(rule) => tests.entry(format!("{} {}", rule.code, rule.summary)).or_default(),
            None => files
                .entry(
                    Region::of_finding(diagnostic, found.sources)
                        .map_or(NO_FILE, |region| region.file),
                )
                .or_default(),
        };
        case.push(diagnostic, found);
    }
    let suites = [
        suite("spec", files.iter().map(|(name, case)| (*name, case))),
        suite("lint", tests.iter().map(|(name, case)| (name.as_str(), case))),
    ];
    let (count, failed) = suites.iter().fold((0, 0), |(n, f), suite| (n + suite.0, f + suite.1));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"zonewright {}\" \
        tests=\"{count}\" failures=\"{failed}\" errors=\"0\">\n{}{}</testsuites>\n",
        found.command, suites[0].2, suites[1].2
    )
}

/// Returns the JUnit document of expectations: one suite per zone; unknown results are skipped
/// tests.
#[must_use]
pub fn expectations(all: &[Checked<'_>], sources: &Sources) -> String {
    let [_, failed, unknown] = counts(all);
    let mut body = String::new();
    for zone in all.chunk_by(|a, b| a.zone == b.zone) {
        let [_, failed, unknown] = counts(zone);
        let name = zone.first().map_or("", |first| first.zone.as_str());
        // Writing to a string cannot fail.
        let _ = writeln!(
            body,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\" errors=\"0\" \
            skipped=\"{unknown}\">",
            html(name),
            zone.len()
        );
        for Checked { zone, expectation, outcome } in zone {
            let _ = write!(
                body,
                "    <testcase classname=\"zonewright.expect.{}\" name=\"{}\"",
                html(zone.as_str()),
                html(&expectation.name)
            );
            let at =
                place(expectation.place, sources).map(|at| format!("{at}: ")).unwrap_or_default();
            let _ = match outcome {
                ExpectationOutcome::Passed | ExpectationOutcome::PassedSoFar(_) => {
                    writeln!(body, "/>")
                }
                ExpectationOutcome::Failed(why) => {
                    writeln!(
                        body,
                        "><failure message=\"{0}\" type=\"failed\">{1}{0}</failure></testcase>",
                        html(why),
                        html(&at)
                    )
                }
                ExpectationOutcome::Unknown(why) => {
                    writeln!(body, "><skipped message=\"{}\"/></testcase>", html(why))
                }
            };
        }
        body.push_str("  </testsuite>\n");
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"zonewright test\" \
        tests=\"{}\" failures=\"{failed}\" errors=\"0\" \
        skipped=\"{unknown}\">\n{body}</testsuites>\n",
        all.len()
    )
}

/// Returns a suite: its number of tests, its number of failures, and its XML.
fn suite<'c>(
    name: &str,
    cases: impl Iterator<Item = (&'c str, &'c Case)>,
) -> (usize, usize, String) {
    let (mut count, mut failed) = (0, 0);
    let mut body = String::new();
    for (test, Case { failures, first, output }) in cases {
        count += 1;
        // Writing to a string cannot fail.
        let _ =
            write!(body, "    <testcase classname=\"zonewright.{name}\" name=\"{}\"", html(test));
        if failures.is_empty() && output.is_empty() {
            body.push_str("/>\n");
            continue;
        }
        body.push_str(">\n");
        if !failures.is_empty() {
            failed += 1;
            let _ = writeln!(
                body,
                "      <failure message=\"{}\" type=\"error\">{}</failure>",
                html(first.unwrap_or_default()),
                failures.join("\n")
            );
        }
        if !output.is_empty() {
            let _ = writeln!(body, "      <system-out>{}</system-out>", output.join("\n"));
        }
        body.push_str("    </testcase>\n");
    }
    let xml = format!(
        "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failed}\" errors=\"0\" \
        skipped=\"0\">\n{body}  </testsuite>\n"
    );
    (count, failed, xml)
}
