//! Findings as SARIF 2.1.0, the format of code scanning services and editors.
//!
//! Paths are relative to `%SRCROOT%`, the working directory; columns count Unicode code points.
//! Fingerprints do not depend on line numbers, so a finding keeps its identity when lines are added
//! above it.
//!
//! # Sources
//! docs.oasis-open.org/sarif/sarif/v2.1.0/os, sections 3.14 to 3.49; docs.github.com/code-security,
//! "SARIF support for code scanning"; both read 2026-11-20.

use std::collections::BTreeMap;
use std::io::{self, Write};

use data_encoding::HEXLOWER;
use ring::digest::{Context, SHA256};
use serde::Serialize;

use super::document::Document;
use super::findings::{Findings, Region, detail};
use super::safe::{safe, visible_json};
use crate::diagnostic::{Diagnostic, Finding, Place, Sources};
use crate::model::{Gather, is_unreserved, percent_encoded};

/// The published schema of the format.
pub const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The name of the directory that paths are relative to.
const ROOT: &str = "%SRCROOT%";

/// Name and version of the fingerprint: its input never changes under this name.
const FINGERPRINT: &str = "zonewright/v1";

pub(super) const DOCUMENT: Document = Document {
    name: "sarif",
    findings: |out, found, options| write(out, found, options.known),
    is_for_validate: true,
    plan: Some(|out, review, options| write(out, &review.findings(), options.known)),
    drift: None,
    expectations: None,
    patch: None,
    requests: None,
};

/// Writes a log.
fn write(out: &mut dyn Write, found: &Findings<'_>, known: &[&'static Finding]) -> io::Result<()> {
    let text = serde_json::to_string_pretty(&report(found, known))?;
    writeln!(out, "{}", visible_json(&text))
}

/// A SARIF log with one run (section 3.13). Members that are absent are left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

/// A run (section 3.14).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    automation_details: Identity,
    column_kind: &'static str,
    original_uri_base_ids: BTreeMap<&'static str, Base>,
    results: Vec<ResultJson>,
}

/// The program (section 3.18).
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Tool {
    driver: Driver,
}

/// Its main part (section 3.19).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule>,
}

/// A kind of finding (section 3.49).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    help: Message,
    default_configuration: Configuration,
}

/// The default severity of a kind of finding (section 3.50).
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Configuration {
    level: &'static str,
}

/// Text (section 3.11).
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Message {
    text: String,
}

impl Message {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

/// The identity of a series of runs (section 3.17).
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Identity {
    id: String,
}

/// The base of relative paths (section 3.14.14).
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Base {
    description: Message,
}

/// A finding (section 3.27).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultJson {
    rule_id: &'static str,
    level: &'static str,
    message: Message,
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    locations: Option<[Location; 1]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
}

/// A place in a file, in the spec, or in words (section 3.28).
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logical_locations: Option<[LogicalLocation; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

/// A place in a file (section 3.29).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    region: RegionJson,
}

/// A file (section 3.4).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

/// A part of a file (section 3.30).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct RegionJson {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
}

/// The logical object of a finding (section 3.33).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
    kind: &'static str,
}

/// Returns a SARIF log with one run.
#[must_use]
pub fn report(found: &Findings<'_>, known: &[&'static Finding]) -> Log {
    let rules = rules(found, known);
    let index: BTreeMap<&str, usize> =
        rules.iter().enumerate().map(|(n, rule)| (rule.code, n)).gather();
    let mut fingerprints: BTreeMap<String, usize> = BTreeMap::new();
    let results = found
        .diagnostics
        .iter()
        .map(|d| result(d, index.get(d.code()).copied(), found.sources, &mut fingerprints))
        .collect();
    let driver = Driver {
        name: "zonewright",
        version: env!("CARGO_PKG_VERSION"),
        semantic_version: env!("CARGO_PKG_VERSION"),
        rules: rules.into_iter().map(descriptor).collect(),
    };
    let base = Base { description: Message::new("The directory in which zonewright was started.") };
    let run = Run {
        tool: Tool { driver },
        automation_details: Identity { id: format!("zonewright/{}/", found.command) },
        column_kind: "unicodeCodePoints",
        original_uri_base_ids: BTreeMap::from([(ROOT, base)]),
        results,
    };
    Log { schema: SCHEMA, version: "2.1.0", runs: [run] }
}

/// Returns the known kinds, and other kinds of the findings, in the order of their codes.
fn rules(found: &Findings<'_>, known: &[&'static Finding]) -> Vec<&'static Finding> {
    let used_findings =
        known.iter().copied().chain(found.diagnostics.iter().map(|diagnostic| diagnostic.finding));
    used_findings
        .map(|finding| (finding.code, finding))
        .gather::<BTreeMap<_, _>>()
        .into_values()
        .collect()
}

fn descriptor(finding: &'static Finding) -> Rule {
    let Finding { code, severity, summary, why, fix } = finding;
    Rule {
        id: code,
        short_description: Message::new(*summary),
        full_description: Message::new(*why),
        help: Message::new(*fix),
        default_configuration: Configuration { level: severity.as_str() },
    }
}

fn result(
    diagnostic: &Diagnostic,
    rule_index: Option<usize>,
    sources: &Sources,
    seen: &mut BTreeMap<String, usize>,
) -> ResultJson {
    let Diagnostic {
        finding,
        severity,
        detail: _,
        address,
        primary: _,
        related,
        help,
        names: _,
        more: _,
        is_known: _,
    } = diagnostic;
    let mut text = format!("{}: {}", finding.summary, plain(&detail(diagnostic)));
    if let Some(help) = help {
        text.push_str(&format!("\nhelp: {}", plain(help)));
    }
    let region = Region::of_finding(diagnostic, sources);
    let logical = |address: &String| {
        [LogicalLocation { fully_qualified_name: plain(address), kind: "resource" }]
    };
    let location = Location {
        logical_locations: address.as_ref().map(logical),
        ..region.as_ref().map(physical).unwrap_or_default()
    };
    let related_locations = related
        .iter()
        .filter_map(|label| Some((Region::of(label.place, sources)?, label)))
        .enumerate()
        .map(|(n, (region, label))| {
            let place = physical(&region);
            let message = if label.text.is_empty() {
                place.message
            } else {
                Some(Message::new(plain(&label.text)))
            };
            Location { id: Some(n + 1), message, ..place }
        })
        .collect();
    ResultJson {
        rule_id: finding.code,
        level: severity.as_str(),
        message: Message { text },
        partial_fingerprints: BTreeMap::from([(
            FINGERPRINT,
            fingerprint(diagnostic, region, sources, seen),
        )]),
        rule_index,
        locations: (location != Location::default()).then_some([location]),
        related_locations,
    }
}

/// Returns a place in a file; a source other than a file is described in words.
fn physical(region: &Region<'_>) -> Location {
    let Region { file, is_file, line, column, end_line, end_column } = *region;
    if !is_file {
        return Location {
            message: Some(Message::new(plain(&region.shown()))),
            ..Location::default()
        };
    }
    let artifact = Artifact { uri: uri(file), uri_base_id: (!is_absolute(file)).then_some(ROOT) };
    let region = RegionJson { start_line: line, start_column: column, end_line, end_column };
    let physical = PhysicalLocation { artifact_location: artifact, region };
    Location { physical_location: Some(physical), ..Location::default() }
}

/// Longest line that is used as a whole.
///
/// # Units
/// Bytes.
const LINE: usize = 1_000;

/// Length of the part of a longer line that is used before the place; four times as much is used
/// from the start of the place.
///
/// # Units
/// Bytes.
const BESIDE: usize = 50;

/// Returns the text of a finding's line, or the text around the place if the line is very long.
fn line(place: Place, sources: &Sources) -> Option<&str> {
    let source = sources.get(place.source)?;
    let (text, at) = (source.text(), place.span.start as usize);
    let range = source.line_range(source.line(at));
    if range.len() <= LINE {
        return Some(text[range].trim());
    }
    let start = text.floor_char_boundary(at.saturating_sub(BESIDE)).max(range.start);
    let end = text.floor_char_boundary(at.saturating_add(4 * BESIDE)).min(range.end);
    Some(text[start.min(end)..end].trim())
}

/// Computes a fingerprint of the parts that stay the same when lines move: the kind, the file, the
/// words, and the text of the line. Equal fingerprints are numbered.
fn fingerprint(
    diagnostic: &Diagnostic,
    region: Option<Region<'_>>,
    sources: &Sources,
    seen: &mut BTreeMap<String, usize>,
) -> String {
    let line = diagnostic.primary.as_ref().and_then(|label| line(label.place, sources));
    let parts = [
        diagnostic.code(),
        region.map_or("", |r| r.file),
        diagnostic.address.as_deref().unwrap_or(""),
        &diagnostic.detail,
        line.unwrap_or(""),
    ];
    let mut hash = Context::new(&SHA256);
    for part in parts {
        hash.update(&part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest = HEXLOWER.encode(&hash.finish().as_ref()[..16]);
    let number = seen.entry(digest.clone()).or_default();
    *number += 1;
    format!("{digest}:{number}")
}

/// Escapes foreign text in a message: control characters, and brackets that would be read as an
/// embedded link.
fn plain(text: &str) -> String {
    safe(text).replace("](", "] (")
}

fn is_absolute(file: &str) -> bool {
    file.starts_with('/') || file.starts_with('\\') || file.as_bytes().get(1) == Some(&b':')
}

/// Converts a path to a URI reference.
fn uri(file: &str) -> String {
    let slashes = file.replace('\\', "/");
    let path = slashes.strip_prefix("./").unwrap_or(&slashes);
    let scheme = match (is_absolute(file), path.starts_with('/')) {
        (true, true) => "file://",
        (true, false) => "file:///",
        (false, _) => "",
    };
    format!(
        "{scheme}{}",
        percent_encoded(path.as_bytes(), |byte| byte == b'/' || is_unreserved(byte))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Diagnostics, Span, findings};

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("./zones/é a.yaml"), "zones/%C3%A9%20a.yaml");
        assert_eq!(uri("a:b#c.yaml"), "file:///a%3Ab%23c.yaml");
        assert_eq!(uri("/srv/x.yaml"), "file:///srv/x.yaml");
    }

    #[test]
    fn a_finding_keeps_its_fingerprint_when_lines_move() {
        let print = |text: &str| {
            let mut sources = Sources::default();
            let source = sources.add("a.yaml", text);
            let at = text.find("bad").unwrap_or_default();
            let place = Place { source, span: Span::new(at, at + 3) };
            let one = findings::SYNTAX.at(place, "b [x](http://e) \u{202e}");
            let diagnostics: Diagnostics = [one.clone(), one].into_iter().collect();
            let found = Findings {
                command: "validate",
                diagnostics: &diagnostics,
                sources: &sources,
                holds: None,
            };
            let log = serde_json::to_value(report(&found, &[])).unwrap();
            assert_eq!(
                log["runs"][0]["results"][0]["message"]["text"],
                "invalid YAML: b [x] (http://e) \\u{202e}"
            );
            let print =
                |n: usize| log["runs"][0]["results"][n]["partialFingerprints"][FINGERPRINT].clone();
            (print(0), print(1))
        };
        assert_eq!(print("x: bad"), print("# a comment\n\n  x: bad  "));
        let (first, second) = print("x: bad");
        assert_ne!(first, second);
        // In a very long line, only nearby text counts.
        let far = |word: &str| format!("{}bad{}{word}", "é ".repeat(500), " é".repeat(500));
        assert_eq!(print(&far("one")), print(&far("another")));
        assert_ne!(print(&far("one")), print(&far("one").replace("bad", "bad, too")));
    }
}
