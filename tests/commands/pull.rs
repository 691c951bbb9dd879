//! `pull`, `drift --propose` and `fmt`: the program edits the files of a spec.

use serde_json::{Value, json};

use crate::support::workspace::{Ran, Workspace, binary, document_formats, options};

const RECORDS: &str = "      # the web
      - { name: www, type: A, content: 192.0.2.1, ttl: 300 } # www
      - { name: old, type: A, content: 192.0.2.2, ttl: 300 } # old";

/// Returns an applied spec, in which someone then changes one record and deletes another.
fn meddled_with() -> Workspace {
    let workspace = Workspace::new(options());
    workspace.records_spec(RECORDS);
    workspace.run(&["apply", "spec.yaml", "--yes"]).exits(0);
    let dump = workspace.dump();
    let zone = dump["zones"][0]["id"].as_str().unwrap().to_owned();
    for record in dump["zones"][0]["records"].as_array().unwrap() {
        let path = format!("/zones/{zone}/dns_records/{}", record["id"].as_str().unwrap());
        match record["name"].as_str().unwrap() {
            "www.example.com" => workspace.write("PATCH", &path, &json!({ "ttl": 900 })),
            _ => workspace.write("DELETE", &path, &Value::Null),
        }
    }
    workspace
}

/// Returns the spec as it is now.
fn spec(workspace: &Workspace) -> String {
    std::fs::read_to_string(workspace.path().join("spec.yaml")).unwrap()
}

#[test]
fn after_a_pull_the_plan_is_empty() {
    let workspace = meddled_with();
    let before = spec(&workspace);
    let dry = workspace.run(&["pull", "spec.yaml", "--dry-run"]).exits(0);
    assert!(
        dry.stdout.contains("+      - { name: www, type: A, content: 192.0.2.1, ttl: 900 } # www"),
        "{}",
        dry.stdout
    );
    let typo = workspace
        .run(&["pull", "spec.yaml", "--dry-run", "--only", "example.com/dns/wwww/*"])
        .exits(0);
    assert_eq!(typo.stdout, "Nothing to take over.\n");
    assert!(
        typo.stderr.contains("--only example.com/dns/wwww/* names nothing that differs"),
        "{}",
        typo.stderr
    );
    let patch = workspace.run(&["pull", "spec.yaml", "--format", "diff"]).exits(0).stdout;
    assert!(patch.starts_with("--- a/spec.yaml\n+++ b/spec.yaml\n@@ "), "{patch}");
    for format in document_formats("pull") {
        let shown = workspace.run(&["pull", "spec.yaml", "--format", format]).exits(0).stdout;
        assert!(shown.contains("192.0.2.1, ttl: 900 } # www"), "{format}: {shown}");
    }
    assert_eq!(spec(&workspace), before, "nothing is written yet");
    let ran = workspace.run(&["pull", "spec.yaml"]).exits(0);
    assert!(ran.stdout.ends_with("Edited 1 file: spec.yaml.\n"), "{}", ran.stdout);
    let expected = before
        .replace("192.0.2.1, ttl: 300", "192.0.2.1, ttl: 900")
        .replace("- { name: old, type: A, content: 192.0.2.2, ttl: 300 } # old", "# old");
    assert_eq!(spec(&workspace), expected);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    assert_eq!(workspace.run(&["pull", "spec.yaml"]).exits(0).stdout, "Nothing to take over.\n");
}

#[test]
fn a_snapshot_can_replace_the_live_state() {
    let workspace = meddled_with();
    workspace.run(&["snapshot", "spec.yaml", "--out", "now.json"]).exits(0);
    // Without access to Cloudflare and without credentials.
    let arguments =
        ["pull", "spec.yaml", "--against", "now.json", "--only", "example.com/dns/www/*"];
    let ran = binary(workspace.path()).args(arguments).output().unwrap();
    Ran::from(ran).exits(0);
    assert!(
        spec(&workspace).contains("ttl: 900 } # www") && spec(&workspace).contains("name: old")
    );
}

#[test]
fn drift_proposes_a_patch() {
    let workspace = meddled_with();
    workspace.run(&["drift", "spec.yaml", "--propose", "drift.patch"]).exits(2);
    let patch = std::fs::read_to_string(workspace.path().join("drift.patch")).unwrap();
    assert_eq!(patch, workspace.run(&["pull", "spec.yaml", "--format", "diff"]).exits(0).stdout);
    workspace.run(&["drift", "-", "--propose", "drift.patch"]).exits(64);
    workspace.run(&["pull", "-"]).exits(64);
}

#[cfg(unix)]
#[test]
fn links_and_read_only_files_are_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let workspace = meddled_with();
    let path = workspace.path().join("spec.yaml");
    let before = spec(&workspace);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).unwrap();
    let ran = workspace.run(&["pull", "spec.yaml"]).exits(1);
    assert!(ran.stderr.contains("spec.yaml is read-only; nothing was written"), "{}", ran.stderr);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    symlink("spec.yaml", workspace.path().join("link.yaml")).unwrap();
    let ran = workspace.run(&["pull", "link.yaml"]).exits(1);
    assert!(ran.stderr.contains("link.yaml is a link to spec.yaml"), "{}", ran.stderr);
    assert_eq!(spec(&workspace), before);
    workspace.run(&["pull", "spec.yaml"]).exits(0);
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640, "permissions stay");
}

#[test]
fn files_are_formatted_and_checked() {
    let workspace = Workspace::new(options());
    let text = "version: 1\nzones:\n    example.com:   # c\n        records:\n        - {type: A, name: a, content: 192.0.2.1}\n";
    let write = |text: &str| std::fs::write(workspace.path().join("spec.yaml"), text).unwrap();
    write(text);
    let check = workspace.run(&["fmt", "spec.yaml", "--check"]).exits(2);
    assert_eq!(check.stdout, "spec.yaml\n");
    let diff = workspace.run(&["fmt", "spec.yaml", "--diff"]).exits(2);
    assert!(diff.stdout.contains("+  example.com: # c"), "{}", diff.stdout);
    assert_eq!(spec(&workspace), text);
    workspace.run(&["fmt", "spec.yaml"]).exits(0);
    let expected = "version: 1\nzones:\n  example.com: # c\n    records:\n      - { name: a, type: A, content: 192.0.2.1 }\n";
    assert_eq!(spec(&workspace), expected);
    workspace.run(&["fmt", "spec.yaml", "--check"]).exits(0);
    // A secret in a file with mistakes is masked where it is shown, and stays in the file.
    let secret = "version: 1\nzones:\n  example.com: { records: [], api_token:   abcdefghijklmnopqrstuvwxyz0123456789ABCD }\n";
    write(secret);
    workspace.run(&["fmt", "spec.yaml"]).exits(0);
    assert!(
        spec(&workspace).contains("api_token: abcdefghijklmnopqrstuvwxyz0123456789ABCD"),
        "{}",
        spec(&workspace)
    );
    write("");
    workspace.run(&["fmt", "spec.yaml", "--check"]).exits(0);
    assert_eq!(workspace.run(&["fmt", "-"]).exits(0).stdout, "", "standard input is empty");
    write("version: [\n");
    let ran = workspace.run(&["fmt", "spec.yaml"]).exits(1);
    assert!(ran.stderr.contains("spec.yaml: it is not valid YAML"), "{}", ran.stderr);
    assert_eq!(spec(&workspace), "version: [\n");
}

/// The document lists the edited and the remaining differences with their reasons, and is the only
/// text on standard output.
#[test]
fn a_pull_for_programs() {
    let workspace = meddled_with();
    let before = spec(&workspace);
    let dry =
        workspace.run(&["pull", "spec.yaml", "--dry-run", "--format", "json"]).exits(0).json();
    assert_eq!(
        (&dry["kind"], &dry["format"], &dry["written"]),
        (&json!("pull"), &json!(1), &json!(false)),
        "{dry}"
    );
    assert_eq!(dry["taken"], json!(["example.com/dns/old/A", "example.com/dns/www/A"]));
    assert_eq!(
        (&dry["files"], &dry["left"], &dry["notes"]),
        (&json!(["spec.yaml"]), &json!([]), &json!([]))
    );
    assert_eq!(spec(&workspace), before);
    let patch = workspace.run(&["pull", "spec.yaml", "--format", "diff"]).exits(0).stdout;
    assert_eq!(dry["patch"], patch);
    let done = workspace.run(&["pull", "spec.yaml", "--format", "json"]).exits(0).json();
    assert_eq!((&done["written"], &done["patch"]), (&json!(true), &json!(patch)));
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    let again = workspace.run(&["pull", "spec.yaml", "--format", "json"]).exits(0).json();
    assert_eq!(
        (&again["written"], &again["taken"], &again["patch"]),
        (&json!(false), &json!([]), &json!(""))
    );
    // Changes that a spec cannot express are in the document, too, and not elsewhere.
    let zone = workspace.dump()["zones"][0].clone();
    let record = zone["records"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["name"] == "www.example.com")
        .unwrap();
    let path = format!(
        "/zones/{}/dns_records/{}",
        zone["id"].as_str().unwrap(),
        record["id"].as_str().unwrap()
    );
    workspace.write("PATCH", &path, &json!({ "content": "192.0.2.77" }));
    workspace.file("shared.yaml", "version: 1\nvariables: { web: 192.0.2.1 }\n");
    let text = spec(&workspace)
        .replace("content: 192.0.2.1,", "content: \"${web}\",")
        .replace("version: 1", "version: 1\ninclude: [shared.yaml]");
    std::fs::write(workspace.path().join("spec.yaml"), text).unwrap();
    let ran = workspace.run(&["pull", "spec.yaml", "--format", "json"]).exits(0);
    assert_eq!(ran.json()["files"], json!(["shared.yaml"]), "{}", ran.stdout);
    assert!(
        ran.json()["notes"][0].as_str().is_some_and(|note| note.contains("web"))
            && !ran.stderr.contains("note:"),
        "{ran:?}"
    );
}
