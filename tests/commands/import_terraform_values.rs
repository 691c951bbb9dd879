//! `import` of Terraform: values of variables, as Terraform takes them.

use crate::support::imports::{import, workspace};
use crate::support::workspace::{Ran, Workspace};

const CODE: &str = r#"
variable "zone_name" {}
variable "zone_id" {}
resource "cloudflare_record" "a" {
  zone_id = var.zone_id
  name    = "a.${var.zone_name}"
  type    = "A"
  content = "192.0.2.1"
}
"#;

#[test]
fn values_come_from_options_files_and_the_environment() {
    let workspace = workspace();
    workspace.file("infra/main.tf", CODE);
    workspace.file(
        "prod.tfvars",
        "zone_name = \"example.com\"\nzone_id = \"0123456789abcdef0123456789abcdef\"\n",
    );
    let named = ["--zone-name", "0123456789abcdef0123456789abcdef=example.com", "--offline"];
    let given: [&[&str]; 3] = [
        &["--var-file", "prod.tfvars"],
        &["--var", "zone_name=example.com", "--var", "zone_id=0123456789abcdef0123456789abcdef"],
        &["--var", "zone_name=example.com", "--var-file=prod.tfvars"],
    ];
    for given in given {
        let arguments: Vec<&str> =
            ["./infra/"].into_iter().chain(named).chain(given.iter().copied()).collect();
        let ran = import(&workspace, &arguments);
        assert!(
            ran.stdout.contains("name: a, type: A, content: 192.0.2.1"),
            "{given:?}\n{}",
            ran.stdout
        );
        assert!(ran.stderr.contains("cloudflare_record: 1 of 1 imported"), "{}", ran.stderr);
    }
    let mut command = workspace.command();
    command.args(["import", "./infra/"]).args(named).env("TF_VAR_zone_name", "example.com");
    command
        .env("TF_VAR_zone_id", "0123456789abcdef0123456789abcdef")
        .env("TF_VAR_of_another_tool", "x");
    let ran = Ran::from(command.output().unwrap()).exits(0);
    assert!(ran.stdout.contains("name: a, type: A"), "{ran:?}");
    let ran =
        workspace.run(&["import", "./infra/", "--zone-name", "example.com", "--offline"]).exits(1);
    assert!(
        ran.stderr.contains(
            "the variable `zone_name` has no value; give it with `--var zone_name=VALUE`"
        ),
        "{ran:?}"
    );
    // A zone that is looked up by a name that is not known.
    let data = "variable \"zone\" {}\ndata \"cloudflare_zone\" \"z\" { name = var.zone }\n";
    let record = CODE.replace("var.zone_id", "data.cloudflare_zone.z.zone_id");
    workspace.file("data/main.tf", format!("{data}{record}"));
    let ran = workspace
        .run(&["import", "./data/", "--var", "zone_name=example.com", "--offline"])
        .exits(1);
    assert!(
        ran.stderr.contains("the variable `zone` has no value")
            && !ran.stderr.contains("there is no"),
        "{ran:?}"
    );
}

/// Returns the record of a variable `x` under these files, options and environment.
#[track_caller]
fn value_of_x(workspace: &Workspace, options: &[&str], environment: Option<&str>) -> String {
    let mut command = workspace.command();
    command.args(["import", "./infra/", "--offline"]).args(options);
    command.envs(environment.map(|value| ("TF_VAR_x", value)));
    let ran = Ran::from(command.output().unwrap()).exits(0);
    let (_, value) = ran.stdout.split_once("content: ").unwrap_or_else(|| panic!("{ran:?}"));
    value.split([',', '\n', ' ']).next().unwrap().trim_matches(['"', '\'']).to_owned()
}

#[test]
fn the_last_value_in_the_order_of_terraform_counts() {
    let workspace = workspace();
    let code = "variable \"x\" { default = \"default\" }\nresource \"cloudflare_zone\" \"z\" { zone = \"example.com\" }\n\
                resource \"cloudflare_record\" \"x\" {\n  zone_id = cloudflare_zone.z.id\n  name = \"x\"\n  type = \"TXT\"\n  value = var.x\n}\n";
    workspace.file("infra/main.tf", code);
    workspace.file("a.tfvars", "x = \"file-a\"\n");
    workspace.file("b.tfvars.json", r#"{ "x": "file-${b}" }"#);
    assert_eq!(value_of_x(&workspace, &[], None), "default");
    assert_eq!(value_of_x(&workspace, &[], Some("environment")), "environment");
    for (file, text, value) in [
        ("infra/terraform.tfvars", "x = \"terraform\"\n", "terraform"),
        ("infra/terraform.tfvars.json", r#"{ "x": "terraform-json" }"#, "terraform-json"),
        ("infra/a.auto.tfvars", "x = \"auto-a\"\n", "auto-a"),
        ("infra/b.auto.tfvars.json", r#"{ "x": "auto-b" }"#, "auto-b"),
        ("infra/c.auto.tfvars", "x = \"auto-c\"\n", "auto-c"),
        ("infra/z.tfvars", "x = \"not loaded by itself\"\n", "auto-c"),
    ] {
        workspace.file(file, text);
        assert_eq!(value_of_x(&workspace, &[], Some("environment")), value, "{file}");
    }
    for (options, value) in [
        (vec!["--var", "x=option"], "option"),
        (vec!["--var-file", "a.tfvars"], "file-a"),
        (vec!["--var-file", "b.tfvars.json"], "file-$${b}"),
        (vec!["--var", "x=1", "--var", "x=2"], "2"),
        (vec!["--var", "x=option", "--var-file", "a.tfvars"], "file-a"),
        (vec!["--var-file", "a.tfvars", "--var", "x=option"], "option"),
        (
            vec![
                "--var",
                "x=1",
                "--var-file",
                "a.tfvars",
                "--var",
                "x=2",
                "--var-file",
                "b.tfvars.json",
            ],
            "file-$${b}",
        ),
    ] {
        assert_eq!(value_of_x(&workspace, &options, None), value, "{options:?}");
    }
}

#[test]
fn files_of_other_environments_are_listed() {
    let workspace = workspace();
    workspace.file("infra/main.tf", CODE);
    workspace.file("infra/prod.tfvars", "zone_name = \"example.com\"\nzone_id = \"0123\"\n");
    workspace.file("infra/envs/staging/terraform.tfvars", "zone_name = \"example.net\"\n");
    let all =
        ["./infra/", "--zone-name", "example.com", "--offline", "--var-file", "infra/prod.tfvars"];
    let ran = import(&workspace, &all);
    assert!(ran.stdout.contains("name: a,"), "{}", ran.stdout);
    assert!(ran.stderr.contains("read 2 files, skipped 1:"), "{}", ran.stderr);
    let skipped = "there is no configuration beside it; use `--var-file`: ./infra/envs/staging/terraform.tfvars";
    assert!(ran.stderr.contains(skipped), "{}", ran.stderr);
}

#[test]
fn a_text_is_read_as_the_type_of_its_variable_says() {
    let workspace = workspace();
    let code = |kind: &str, value: &str| {
        format!(
            "variable \"x\" {{ {kind} }}\nresource \"cloudflare_zone\" \"z\" {{ zone = \"example.com\" }}\n\
             resource \"cloudflare_record\" \"x\" {{\n  zone_id = cloudflare_zone.z.id\n  name = \"x\"\n  type = \"TXT\"\n  value = {value}\n}}\n"
        )
    };
    for (kind, given, expression, value) in [
        ("", "[1]", "var.x", "[1]"),
        ("type = string", "[1]", "var.x", "[1]"),
        ("type = list(string)", "[\"a\", \"b\"]", "var.x[1]", "b"),
        ("type = map(string)", "{ k = \"v\" }", "var.x[\"k\"]", "v"),
        ("type = any", "{ k = \"v\" }", "var.x.k", "v"),
        ("type = number", "7", "\"n${var.x + 1}\"", "n8"),
    ] {
        workspace.file("infra/main.tf", code(kind, expression));
        assert_eq!(
            value_of_x(&workspace, &["--var", &format!("x={given}")], None),
            value,
            "{kind}"
        );
        assert_eq!(value_of_x(&workspace, &[], Some(given)), value, "{kind}");
    }
    workspace.file("infra/main.tf", code("type = list(string)", "var.x[0]"));
    let ran = workspace.run(&["import", "./infra/", "--offline", "--var", "x=[s3cret"]).exits(0);
    assert!(
        ran.stderr.contains("the value that is given for the variable `x` is not an expression"),
        "{ran:?}"
    );
    assert!(!ran.stderr.contains("s3cret"), "{}", ran.stderr);
}

#[test]
fn options_without_effect_are_refused() {
    let workspace = workspace();
    workspace.file("infra/main.tf", CODE);
    workspace.file("zone.csv", "name,type,content\nwww.example.com,A,192.0.2.1\n");
    workspace.file(
        "state.json",
        r#"{ "format_version": "1.0", "values": { "root_module": { "resources": [] } } }"#,
    );
    let cases: [&[&str]; 5] = [
        &["./zone.csv", "--zone-name", "example.com", "--var", "x=1"],
        &["./state.json", "--var-file", "prod.tfvars"],
        &["example.com", "--var", "x=1"],
        &["example.com", "--skip", "cloudflare_record.a"],
        &["./infra/", "--base", "HEAD"],
    ];
    workspace.file("prod.tfvars", "zone_id = \"0123\"\n");
    for arguments in cases {
        let all: Vec<&str> = ["import"].iter().chain(arguments).copied().collect();
        workspace.run(&all).exits(64);
    }
    let ran = workspace
        .run(&["import", "./infra/", "--offline", "--var", "zone_nam=secret-value"])
        .exits(1);
    assert!(
        ran.stderr.contains("IMPORT0022") && ran.stderr.contains("no configuration declares"),
        "{ran:?}"
    );
    assert!(!ran.stderr.contains("secret-value"), "{ran:?}");
    workspace.file("typo.tfvars", "zone_nam = \"x\"\nzone_name = \"example.com\"\n");
    let all = [
        "import",
        "./infra/",
        "--offline",
        "--zone-name",
        "example.com",
        "--var-file",
        "typo.tfvars",
    ];
    let ran = workspace.run(&all).exits(0);
    assert!(ran.stderr.contains("IMPORT0023") && ran.stderr.contains("zone_nam"), "{ran:?}");
    let ran =
        workspace.run(&["import", "./infra/", "--offline", "--var-file", "absent.tfvars"]).exits(1);
    assert!(ran.stderr.contains("absent.tfvars"), "{ran:?}");
}

#[test]
fn sensitive_values_are_named_and_never_shown() {
    let workspace = workspace();
    let code = r#"
variable "secret" {
  type      = string
  sensitive = true
}
variable "zone_id" { sensitive = true }
variable "shared" {
  default   = "of-the-default"
  sensitive = true
}
locals { text = "token=${var.secret}" }
module "inner" {
  source  = "./inner"
  content = var.secret
  zone_id = var.zone_id
}
resource "cloudflare_record" "direct" {
  zone_id = var.zone_id
  name    = "direct"
  type    = "TXT"
  value   = var.secret
}
resource "cloudflare_record" "local" {
  zone_id = var.zone_id
  name    = "local"
  type    = "TXT"
  value   = upper(local.text)
}
resource "cloudflare_record" "default" {
  zone_id = var.zone_id
  name    = "default"
  type    = "TXT"
  value   = var.shared
}
resource "cloudflare_record" "output" {
  zone_id = var.zone_id
  name    = "output"
  type    = "TXT"
  value   = module.inner.hidden
}
resource "cloudflare_record" "marked" {
  zone_id = var.zone_id
  name    = "marked"
  type    = "TXT"
  value   = sensitive("of-the-function")
}
resource "cloudflare_record" "fine" {
  zone_id = var.zone_id
  name    = "fine"
  type    = "A"
  value   = "192.0.2.1"
}
resource "cloudflare_record" "shown" {
  zone_id = var.zone_id
  name    = "shown"
  type    = "TXT"
  value   = nonsensitive(var.shared)
}
"#;
    let inner = r#"
variable "content" {}
variable "zone_id" {}
output "hidden" {
  sensitive = true
  value     = "of-the-output"
}
resource "cloudflare_record" "below" {
  zone_id = var.zone_id
  name    = "below"
  type    = "TXT"
  value   = var.content
}
"#;
    workspace.file("infra/main.tf", code);
    workspace.file("infra/inner/main.tf", inner);
    workspace.file("infra/terraform.tfvars", "secret = \"hunter2\"\n");
    let id = "0123456789abcdef0123456789abcdef";
    let named = format!("{id}=example.com");
    let given = format!("zone_id={id}");
    let all = ["import", "./infra/", "--offline", "--zone-name", &named, "--var", &given];
    let ran = workspace.run(&all).exits(0);
    for address in ["direct", "local", "default", "output", "marked"] {
        assert!(
            ran.stderr.contains(&format!("cloudflare_record.{address}: ")),
            "{address}\n{}",
            ran.stderr
        );
    }
    assert!(ran.stderr.contains("the variable `secret` is sensitive"), "{}", ran.stderr);
    assert!(ran.stderr.contains("cloudflare_record: 2 of 8 imported"), "{}", ran.stderr);
    assert!(
        ran.stdout.contains("name: fine") && ran.stdout.contains("of-the-default"),
        "{}",
        ran.stdout
    );
    for secret in ["hunter2", "HUNTER2", "of-the-output"] {
        assert!(
            !ran.stdout.contains(secret) && !ran.stderr.contains(secret),
            "{secret}\n{}\n{}",
            ran.stdout,
            ran.stderr
        );
    }
    assert!(!ran.stdout.contains("of-the-function"), "{}", ran.stdout);
    // A zone that is not named: the message does not show its id.
    let ran = workspace.run(&["import", "./infra/", "--offline", "--var", &given]).exits(1);
    assert!(ran.stderr.contains("IMPORT0005") && !ran.stderr.contains(id), "{}", ran.stderr);
    // States also mark sensitive values.
    let state = format!(
        r#"{{ "version": 4, "resources": [{{ "mode": "managed", "type": "cloudflare_record", "name": "s", "instances": [{{
            "sensitive_attributes": [[{{ "type": "get_attr", "value": "value" }}]],
            "attributes": {{ "zone_id": "{id}", "name": "s", "type": "TXT", "value": "hunter2" }} }}] }}], "terraform_version": "1.5.0" }}"#
    );
    let shown = format!(
        r#"{{ "format_version": "1.0", "values": {{ "root_module": {{ "resources": [{{ "address": "cloudflare_record.s", "mode": "managed",
            "type": "cloudflare_record", "name": "s", "sensitive_values": {{ "value": true }},
            "values": {{ "zone_id": "{id}", "name": "s", "type": "TXT", "value": "hunter2" }} }}] }} }} }}"#
    );
    for (name, text) in [("s.tfstate", state), ("s.json", shown)] {
        workspace.file(name, text);
        let source = format!("./{name}");
        let ran = workspace.run(&["import", &source, "--offline", "--zone-name", "example.com"]);
        assert!(ran.stderr.contains("`value` is sensitive"), "{ran:?}");
        assert!(!ran.stderr.contains("hunter2") && !ran.stdout.contains("hunter2"), "{ran:?}");
    }
}

#[test]
fn a_file_of_values_that_cannot_be_read_costs_its_values() {
    let workspace = workspace();
    let code = format!(
        "{CODE}variable \"secret\" {{}}\nresource \"cloudflare_record\" \"s\" {{\n  zone_id = var.zone_id\n  name = \"s\"\n  \
                        type = \"TXT\"\n  content = var.secret\n}}\n"
    );
    let encrypted: [(&str, &[u8]); 5] = [
        ("secrets.auto.tfvars", b"\0GITCRYPT\0\xff\xfe\x00\x01"),
        ("secrets.auto.tfvars", b"$ANSIBLE_VAULT;1.1;AES256\n62313365396662343061393464336163\n"),
        ("secrets.auto.tfvars", b"secret = \"s3cret\nx = [\n"),
        ("secrets.auto.tfvars.json", b"{ \"secret\": \"s3cret\", "),
        (
            "secrets.auto.tfvars.json",
            br#"{ "secret": "ENC[AES256_GCM,data:s3cret,iv:x,tag:y,type:str]", "sops": { "version": "3" } }"#,
        ),
    ];
    for (name, bytes) in encrypted {
        let directory = format!("infra{}", bytes.len());
        workspace.file(&format!("{directory}/main.tf"), &code);
        workspace.file(&format!("{directory}/terraform.tfvars"), "zone_name = \"example.com\"\n");
        workspace.file(&format!("{directory}/{name}"), bytes);
        let source = format!("./{directory}/");
        let ran = import(&workspace, &[&source, "--zone-name", "example.com", "--offline"]);
        assert!(
            ran.stdout.contains("name: a,") && !ran.stdout.contains("name: s,"),
            "{name}\n{}",
            ran.stdout
        );
        assert!(
            ran.stderr.contains("IMPORT0021") || ran.stderr.contains("is encrypted"),
            "{name}\n{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("cloudflare_record.s: the va"), "{name}\n{}", ran.stderr);
        assert!(
            !ran.stderr.contains("s3cret") && !ran.stderr.contains("62313365"),
            "{name}\n{}",
            ran.stderr
        );
    }
}
