//! `--format`: the formats of each command, and the stream of each output.

use crate::support::workspace::{Workspace, binary, document_formats, options};
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;
use zonewright::render::DOCUMENTS;

const SPEC: &str = "      - { name: www, type: A, content: 192.0.2.1 }\n      - { name: old, type: TXT, state: absent }";

/// The formats of plans that have its findings only.
const FINDINGS_ALONE: &[&str] = &["sarif"];

/// Returns a zone with a record that the spec removes.
fn workspace() -> Workspace {
    let workspace = Workspace::new(options());
    workspace.plant_records(
        json!([{ "name": "old.example.com", "type": "TXT", "content": "\"gone\"" }]),
    );
    workspace.records_spec(SPEC);
    workspace
}

#[test]
fn a_format_that_a_command_does_not_have_is_wrong_usage() {
    let directory = TempDir::new().unwrap();
    let cases = [
        (&["plan", "x.yaml", "--format", "junit"][..], "text, json, markdown, github, sarif, html"),
        (&["validate", "x.yaml", "--format", "html"], "text, json, markdown, github, sarif, junit"),
        (&["validate", "x.yaml", "--print", "--format", "sarif"], "text, json"),
        (&["apply", "x.yaml", "--yes", "--format", "markdown"], "text, json"),
        (&["import", "example.com", "--format", "html"], "text, json"),
        (&["schema", "--format", "sarif"], "text, json"),
        (&["plan", "x.yaml", "--format", "yaml"], "markdown"),
        (
            &["plan", "x.yaml", "--format", "markdown", "--comment-marker", "a--b"],
            "letters, digits",
        ),
        (&["plan", "x.yaml", "--format", "markdown", "--comment-limit", "100"], "at least 4000"),
    ];
    for (arguments, possible) in cases {
        let ran: crate::support::workspace::Ran =
            binary(directory.path()).args(arguments).output().unwrap().into();
        let ran = ran.exits(64);
        let is_said = match possible.strip_prefix("text, ") {
            Some(_) => ran.stderr.trim_end().ends_with(&format!("possible are: {possible}")),
            None => ran.stderr.contains(possible),
        };
        assert!(ran.stdout.is_empty() && is_said, "{arguments:?}: {ran:?}");
    }
}

/// The table in docs/outputs.md says which commands have a format, and README lists all of them.
#[test]
fn every_format_is_documented() {
    let page = |path: &str| {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
    };
    let (table, readme, files) =
        (page("docs/outputs.md"), page("README.md"), page("src/render/mod.rs"));
    for document in DOCUMENTS {
        let name = document.name;
        let row = table.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let cells: Vec<&str> =
            row.unwrap_or_else(|| panic!("{name} has no row")).split('|').map(str::trim).collect();
        let commands = document.commands();
        for (cell, command) in [(cells[2], "plan"), (cells[3], "validate")] {
            assert_eq!(cell != "–", commands.contains(&command), "{name}: {command}");
        }
        let others = commands.iter().filter(|command| !["plan", "validate"].contains(command));
        let others: Vec<String> = others.map(|command| format!("`{command}`")).collect();
        assert_eq!(
            cells[4],
            if others.is_empty() { "–".to_owned() } else { others.join(", ") },
            "{name}"
        );
        assert!(readme.contains(&format!("`{name}`")), "README does not name {name}");
        let module = if name == "diff" { "patch" } else { name };
        let rows = files
            .lines()
            .filter(|line| line.starts_with("//! | ") && line.contains(&format!("`{module}`")));
        assert!(
            rows.count() >= 2,
            "{module}: a row of its own, and its name in the row of `document`"
        );
    }
}

#[test]
fn a_plan_in_each_format() {
    let workspace = workspace();
    let plan = |format: &str| {
        let ran =
            workspace.run(&["plan", "spec.yaml", "--format", format, "--color", "always"]).exits(0);
        assert!(ran.stderr.is_empty() && !ran.stdout.contains('\u{1b}'), "{format}: {ran:?}");
        assert!(ran.stdout.ends_with('\n'), "{format}: {ran:?}");
        ran
    };
    let text = plan("markdown").stdout;
    assert!(
        text.starts_with("<!-- zonewright:plan -->\n### zonewright plan: needs consent\n"),
        "{text}"
    );
    assert!(text.contains("add `--allow-deletes 1`") && text.contains("spec.yaml:6"), "{text}");
    let lines = plan("github").stdout;
    assert!(lines.contains("::error file=spec.yaml,line=6,col=9,endLine=6,"), "{lines}");
    assert!(
        lines.contains("title=danger delete%3A example.com/dns/old/TXT/")
            && lines.contains("::delete record old TXT, \"gone\""),
        "{lines}"
    );
    let log = plan("sarif").json();
    assert_eq!(log["runs"][0]["automationDetails"]["id"], "zonewright/plan/");
    let page = plan("html").stdout;
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    assert!(workspace.writes().is_empty());
    // Exit codes do not depend on the format.
    for format in document_formats("plan") {
        workspace.run(&["plan", "spec.yaml", "--detailed-exitcode", "--format", format]).exits(3);
        workspace.run(&["plan", "spec.yaml", "--allow-deletes", "1", "--format", format]).exits(0);
    }
    for format in
        document_formats("plan").into_iter().filter(|format| !FINDINGS_ALONE.contains(format))
    {
        let shown = workspace.run(&["plan", "spec.yaml", "--format", format]).exits(0).stdout;
        assert!(
            shown.contains("--allow-deletes 1"),
            "{format} does not say which consent is missing: {shown}"
        );
    }
    for format in ["text", "markdown", "github", "html"] {
        let shown = workspace
            .run(&["plan", "spec.yaml", "--allow-deletes", "2", "--format", format])
            .exits(0)
            .stdout;
        assert!(shown.contains("consent was given for 2"), "{format}: {shown}");
    }
    let named = workspace
        .run(&["plan", "spec.yaml", "--format", "markdown", "--comment-marker", "prod"])
        .exits(0);
    assert!(named.stdout.starts_with("<!-- zonewright:plan:prod -->\n"), "{named:?}");
}

#[test]
fn a_spec_with_errors_in_each_format() {
    let workspace = workspace();
    workspace.records_spec("      - { name: www, type: A, content: nonsense }");
    for command in ["plan", "validate"] {
        for format in document_formats(command) {
            let ran = workspace.run(&[command, "spec.yaml", "--format", format]).exits(1);
            assert!(
                ran.stdout.contains("nonsense") && ran.stdout.contains("spec.yaml"),
                "{format}: {ran:?}"
            );
            assert!(ran.stdout.ends_with('\n'), "{format}: {ran:?}");
            assert_eq!(ran.stderr, "1 error in the spec; no request was made\n", "{format}");
        }
    }
    assert!(workspace.requests().is_empty());
}

#[test]
fn a_valid_spec_in_each_format() {
    let workspace = workspace();
    let run = |format: &str| {
        workspace.run(&["validate", "spec.yaml", "--format", format]).exits(0).stdout
    };
    assert_eq!(
        run("markdown"),
        "<!-- zonewright:validate -->\n### zonewright validate: the spec is valid\n\n1 file, 1 zone, 1 record: nothing found.\n"
    );
    assert_eq!(
        run("github"),
        "::notice title=zonewright validate%3A the spec is valid::1 file, 1 zone, 1 record: nothing found\n"
    );
    let log: serde_json::Value = serde_json::from_str(&run("sarif")).unwrap();
    assert_eq!(log["runs"][0]["results"], json!([]));
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(
        rules.iter().any(|r| r["id"] == "LINT0001") && rules.iter().any(|r| r["id"] == "SPEC0001")
    );
    let tests = run("junit");
    assert!(
        tests.contains("<testcase classname=\"zonewright.spec\" name=\"spec.yaml\"/>"),
        "{tests}"
    );
    assert!(tests.ends_with("</testsuites>\n"), "{tests}");
    assert!(
        tests.contains("failures=\"0\"") && tests.contains("zonewright.lint\" name=\"LINT0001 "),
        "{tests}"
    );
}
