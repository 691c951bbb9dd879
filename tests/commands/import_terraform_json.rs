//! `import` of Terraform's JSON syntax, and of deposed objects in states.

use crate::support::imports::workspace;
use crate::support::workspace::{Ran, Workspace};

const ZONE_ID: &str = "0123456789abcdef0123456789abcdef";

fn offline(workspace: &Workspace) -> Ran {
    workspace.run(&["import", "./infra/", "--offline", "--zone-name", "example.com"])
}

#[test]
fn json_syntax_declares_what_the_native_syntax_does() {
    let workspace = workspace();
    let code = format!(
        r#"{{
  "//": "a comment",
  "variable": {{ "ip": {{ "type": "string", "default": "192.0.2.1" }}, "literal": {{ "default": "$${{x}}" }} }},
  "locals": [{{ "names": ["a", "b"] }}, {{ "zone": "{ZONE_ID}" }}],
  "resource": [
    {{ "cloudflare_dns_record": {{
      "each": {{ "for_each": "${{toset(local.names)}}", "zone_id": "${{local.zone}}", "name": "${{each.key}}", "type": "A", "content": "${{var.ip}}", "ttl": 300, "proxied": false }},
      "text": {{ "zone_id": "${{local.zone}}", "name": "text", "type": "TXT", "content": "%{{ if true ~}}  x y%{{ endif }}", "ttl": 300 }},
      "literal": {{ "zone_id": "${{local.zone}}", "name": "literal", "type": "TXT", "content": "${{length(var.literal)}}", "ttl": 300 }},
      "ignored": {{ "zone_id": "${{local.zone}}", "name": "ignored", "type": "A", "content": "192.0.2.9", "ttl": 300, "lifecycle": {{ "ignore_changes": ["proxied"] }} }},
      "unknown": {{ "zone_id": "${{local.zone}}", "name": "unknown", "type": "A", "content": "${{aws_eip.x.public_ip}}", "ttl": 300 }}
    }} }},
    {{ "cloudflare_dns_record": {{ "caa": [
      {{ "zone_id": "${{local.zone}}", "name": "caa", "type": "CAA", "ttl": 300, "data": {{ "flags": 0, "tag": "issue", "value": "ca.example.net" }} }}
    ] }} }}
  ]
}}"#
    );
    // A property may occur twice.
    let twice = code.replacen("\"resource\": [", "\"resource\": {}, \"resource\": [", 1);
    workspace.file("infra/main.tf.json", twice);
    let ran = offline(&workspace).exits(0);
    // The columns of the spec are aligned.
    let spec = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for record in [
        "name: a, type: A, content: 192.0.2.1",
        "name: b, type: A, content: 192.0.2.1",
        r#"name: literal, type: TXT, content: "5""#,
        "name: caa, type: CAA",
        "x y",
    ] {
        assert!(spec.contains(record), "{record}\n{}\n{}", ran.stdout, ran.stderr);
    }
    for words in [
        "cloudflare_dns_record.unknown: `aws_eip.x.public_ip` is not in these files",
        "`ignore_changes` leaves `proxied`",
        "./infra/main.tf.json:1:1",
        "cloudflare_dns_record: 5 of 7 imported",
    ] {
        assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
    }
}

#[test]
fn override_files_in_json_override() {
    let workspace = workspace();
    let record = |name: &str, value: &str| {
        format!(
            "resource \"cloudflare_dns_record\" \"{name}\" {{\n  zone_id = \"{ZONE_ID}\"\n  name = \"{name}\"\n  type = \"A\"\n  \
             content = {value}\n  ttl = 300\n}}\n"
        )
    };
    let code = [
        record("a", "\"192.0.2.1\""),
        record("b", "local.ip"),
        record("c", "var.v"),
        "locals { ip = \"192.0.2.5\" }\nvariable \"v\" { default = \"192.0.2.6\" }\n".to_owned(),
    ];
    workspace.file("infra/main.tf", code.concat());
    let overriding = r#"{"resource":{"cloudflare_dns_record":{"a":{"content":"192.0.2.2"}}},"locals":{"ip":"192.0.2.66"},"variable":{"v":{"default":"192.0.2.67"}}}"#;
    for name in ["override.tf.json", "x_override.tf.json", "override.tofu.json"] {
        workspace.file(&format!("infra/{name}"), overriding);
        let ran = offline(&workspace).exits(0);
        assert!(!ran.stdout.contains("name: a,"), "{}", ran.stdout);
        assert!(ran.stdout.contains("content: 192.0.2.66"), "{}", ran.stdout);
        assert!(ran.stdout.contains("content: 192.0.2.67"), "{}", ran.stdout);
        assert!(
            ran.stderr.contains("cloudflare_dns_record.a: an override file changes it"),
            "{}",
            ran.stderr
        );
        std::fs::remove_file(workspace.path().join("infra").join(name)).unwrap();
    }
}

#[test]
fn invalid_json_stops_the_import() {
    let workspace = workspace();
    for (code, words) in [
        ("{", "it is not valid JSON"),
        (r#"{"resource": 1}"#, "`resource`: an object is expected"),
        (
            r#"{"resource":{"cloudflare_dns_record":{"a":{"name":"x","name":"y"}}}}"#,
            "`name` occurs twice",
        ),
        (
            r#"{"resource":{"cloudflare_dns_record":{"a":{"name":"${x"}}}}"#,
            "the template `${x` is invalid",
        ),
    ] {
        workspace.file("infra/main.tf.json", code);
        let ran = offline(&workspace).exits(1);
        assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
    }
}

#[test]
fn deposed_objects_are_named_and_never_imported() {
    let workspace = workspace();
    let record = |content: &str| serde_json::json!({ "id": "x", "zone_id": ZONE_ID, "name": "a.example.com", "type": "A", "content": content, "ttl": 1 });
    let shown = |content: &str| {
        serde_json::json!({ "address": "cloudflare_dns_record.a", "mode": "managed", "type": "cloudflare_dns_record",
            "name": "a", "values": record(content), "sensitive_values": {} })
    };
    let mut deposed = shown("192.0.2.200");
    deposed["deposed_key"] = "ab12".into();
    let show = serde_json::json!({ "format_version": "1.0", "terraform_version": "1.11.4",
        "values": { "root_module": { "resources": [shown("192.0.2.1"), deposed] } } });
    let state = serde_json::json!({ "version": 4, "terraform_version": "1.11.4", "resources": [
        { "mode": "managed", "type": "cloudflare_dns_record", "name": "a", "instances": [
            { "attributes": record("192.0.2.1") },
            { "deposed": "ab12", "attributes": record("192.0.2.200") },
        ] },
    ] });
    for (name, document) in [("show.json", show), ("terraform.tfstate", state)] {
        workspace.file(name, document.to_string());
        let source = format!("./{name}");
        let arguments = ["import", &source, "--offline", "--zone-name", "example.com"];
        let ran = workspace.run(&arguments).exits(0);
        assert!(ran.stdout.contains("content: 192.0.2.1,"), "{}", ran.stdout);
        assert!(!ran.stdout.contains("192.0.2.200"), "{}", ran.stdout);
        let why = "cloudflare_dns_record.a: it is a deposed object, which the next `terraform apply` deletes";
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        assert!(ran.stderr.contains("cloudflare_dns_record: 1 of 2 imported"), "{}", ran.stderr);
        let ran = workspace.run(&[&arguments[..], &["--handover", "script"][..]].concat());
        assert!(!ran.stdout.contains("state rm"), "{}", ran.stdout);
    }
}
