//! SARIF: every finding of every case is valid under the standard.

use std::path::Path;

use serde_json::{Value, json};
use zonewright::diagnostic::{Diagnostics, Finding, Sources};
use zonewright::render::Findings;
use zonewright::render::sarif::report;
use zonewright::{lint, spec};

use super::plans::of_words;

/// Returns the rules of the standard for the parts that we write: which members exist, their types,
/// and which are required. No other members are allowed.
fn schema() -> Value {
    let object = |required: &[&str], properties: Value| json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties });
    let text = json!({ "type": "string", "minLength": 1 });
    let number = json!({ "type": "integer", "minimum": 1 });
    let message = object(&["text"], json!({ "text": text }));
    let level = json!({ "enum": ["error", "warning", "note"] });
    let region = object(
        &["startLine"],
        json!({ "startLine": number, "startColumn": number, "endLine": number, "endColumn": number }),
    );
    let artifact = object(
        &["uri"],
        json!({ "uri": { "type": "string", "format": "uri-reference" }, "uriBaseId": { "const": "%SRCROOT%" } }),
    );
    let physical =
        object(&["artifactLocation"], json!({ "artifactLocation": artifact, "region": region }));
    let logical = object(&[], json!({ "fullyQualifiedName": text, "kind": text }));
    let location = object(
        &[],
        json!({
            "id": { "type": "integer", "minimum": 0 }, "physicalLocation": physical, "message": message,
            "logicalLocations": { "type": "array", "items": logical },
        }),
    );
    let result = object(
        &["message"],
        json!({
            "ruleId": text, "ruleIndex": { "type": "integer", "minimum": 0 }, "level": level, "message": message,
            "locations": { "type": "array", "items": location },
            "relatedLocations": { "type": "array", "items": location, "uniqueItems": true },
            "partialFingerprints": { "type": "object", "additionalProperties": text },
        }),
    );
    let rule = object(
        &["id"],
        json!({
            "id": text, "shortDescription": message, "fullDescription": message, "help": message,
            "defaultConfiguration": object(&[], json!({ "level": level })),
        }),
    );
    let driver = object(
        &["name"],
        json!({
            "name": text, "version": text, "semanticVersion": text,
            "rules": { "type": "array", "items": rule, "uniqueItems": true },
        }),
    );
    let base = object(&[], json!({ "description": message }));
    let run = object(
        &["tool"],
        json!({
            "tool": object(&["driver"], json!({ "driver": driver })),
            "automationDetails": object(&[], json!({ "id": text })),
            "columnKind": { "enum": ["utf16CodeUnits", "unicodeCodePoints"] },
            "originalUriBaseIds": { "type": "object", "additionalProperties": base },
            "results": { "type": "array", "items": result },
        }),
    );
    object(
        &["version", "runs"],
        json!({
            "$schema": { "type": "string", "format": "uri" }, "version": { "const": "2.1.0" },
            "runs": { "type": "array", "items": run },
        }),
    )
}

/// Fails unless a log is valid under these rules, and under the published schema if `SARIF_SCHEMA`
/// names its file. That file has its own licence and is not copied.
#[track_caller]
fn assert_valid(log: &Value) {
    let published = std::env::var_os("SARIF_SCHEMA").map(|path| {
        serde_json::from_str::<Value>(&std::fs::read_to_string(path).unwrap()).unwrap()
    });
    for schema in [Some(schema()), published].into_iter().flatten() {
        let validator = jsonschema::validator_for(&schema).unwrap();
        let wrong: Vec<String> =
            validator.iter_errors(log).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
    // Rules that a schema cannot express.
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let mut prints = std::collections::BTreeSet::new();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(
            prints.insert(
                result["partialFingerprints"]["zonewright/v1"].as_str().unwrap().to_owned()
            )
        );
        let places = [&result["locations"], &result["relatedLocations"]]
            .into_iter()
            .filter_map(Value::as_array);
        for region in
            places.flatten().map(|l| &l["physicalLocation"]["region"]).filter(|r| !r.is_null())
        {
            let number = |name: &str| region[name].as_u64().unwrap();
            let (start, end) = (
                (number("startLine"), number("startColumn")),
                (number("endLine"), number("endColumn")),
            );
            assert!(start <= end, "{region}");
        }
    }
}

/// Returns every kind of finding that is listed.
fn rules() -> Vec<&'static Finding> {
    lint::known_findings().collect()
}

/// Returns everything that is found in a file.
fn found(path: &Path) -> (Diagnostics, Sources) {
    let mut sources = Sources::default();
    let outcome =
        spec::load(&[spec::Input::Path(path.to_owned())], &spec::Options::default(), &mut sources);
    let mut diagnostics = outcome.diagnostics;
    if let Some(desired) = &outcome.desired {
        diagnostics.append(lint::lint(desired));
    }
    diagnostics.sort(&sources);
    (diagnostics, sources)
}

#[test]
fn every_finding_is_valid_sarif() {
    let mut count = 0;
    for directory in ["tests/cases/spec", "tests/cases/lint", "tests/cases/no-such-directory"] {
        let files = std::fs::read_dir(directory).map(|d| d.map(|e| e.unwrap().path()).collect());
        for path in files.unwrap_or_else(|_| vec![directory.into()]) {
            let (diagnostics, sources) = found(&path);
            let found = Findings {
                command: "validate",
                diagnostics: &diagnostics,
                sources: &sources,
                holds: None,
            };
            let log = serde_json::to_value(report(&found, &rules())).unwrap();
            assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), diagnostics.len());
            assert_valid(&log);
            count += diagnostics.len();
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn hostile_words_are_valid_sarif() {
    let made = of_words("[x](https://evil.example) \u{202e}\u{1b}[2J %zz #a?b {0} \\ \"\n");
    let found = Findings {
        command: "plan",
        diagnostics: &made.plan.diagnostics,
        sources: &made.sources,
        holds: None,
    };
    let log = serde_json::to_value(report(&found, &rules())).unwrap();
    assert_valid(&log);
    let text = log.to_string();
    assert!(!text.contains("](") && !text.contains('\u{202e}'), "{text}");
}

#[test]
fn a_finding_looks_like_this() {
    let (diagnostics, sources) = found(Path::new("tests/cases/spec/twenty-mistakes.yaml"));
    let one: Diagnostics = diagnostics.iter().filter(|d| d.code() == "SPEC0019").cloned().collect();
    let found = Findings { command: "validate", diagnostics: &one, sources: &sources, holds: None };
    let log = serde_json::to_value(report(&found, &rules())).unwrap();
    let rule = log["runs"][0]["results"][0]["ruleIndex"].as_u64().unwrap();
    let shown = json!({
        "result": log["runs"][0]["results"][0],
        "rule": log["runs"][0]["tool"]["driver"]["rules"][usize::try_from(rule).unwrap()],
    });
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("outputs_sarif", format!("{shown:#}"));
    });
}

#[test]
#[should_panic(expected = "Additional properties are not allowed")]
fn the_check_can_fail() {
    let (diagnostics, sources) = found(Path::new("tests/cases/spec/keys.yaml"));
    let found =
        Findings { command: "validate", diagnostics: &diagnostics, sources: &sources, holds: None };
    let mut log = serde_json::to_value(report(&found, &rules())).unwrap();
    log["runs"][0]["results"][0]["level_"] = json!("error");
    assert_valid(&log);
}
