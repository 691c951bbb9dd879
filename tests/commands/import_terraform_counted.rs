//! `import` of Terraform against a counter that shares no code with it: each resource is handed
//! over, or named with a reason.

use std::collections::BTreeSet;

use crate::support::imports::workspace;
use crate::support::workspace::Workspace;
use serde_json::{Value, json};

/// Configuration with resources of many kinds; each block makes one resource.
const CODE: &str = r#"
variable "unset" {}
variable "zone" {}
resource "cloudflare_zone" "z" { zone = "example.com" }
resource "cloudflare_zone" "paused" {
  zone   = "example.net"
  paused = true
}
resource "cloudflare_record" "fine" {
  zone_id = cloudflare_zone.z.id
  name    = "fine"
  type    = "A"
  value   = "192.0.2.1"
}
resource "cloudflare_record" "unset" {
  zone_id = cloudflare_zone.z.id
  name    = "unset"
  type    = "A"
  value   = var.unset
}
resource "cloudflare_record" "elsewhere" {
  zone_id = var.zone
  name    = "elsewhere"
  type    = "A"
  value   = "192.0.2.1"
}
resource "cloudflare_record" "elsewhere_too" {
  zone_id = var.zone
  name    = "too"
  type    = "A"
  value   = "192.0.2.1"
}
resource "cloudflare_record" "invalid" {
  zone_id = cloudflare_zone.z.id
  name    = "invalid"
  type    = "A"
  value   = "not an address"
}
resource "cloudflare_record" "alias" {
  zone_id = cloudflare_zone.z.id
  name    = "alias"
  type    = "CNAME"
  value   = "a.example.net"
}
resource "cloudflare_record" "second_alias" {
  zone_id = cloudflare_zone.z.id
  name    = "alias"
  type    = "TXT"
  value   = "beside it"
}
resource "cloudflare_record" "dynamic" {
  zone_id = cloudflare_zone.z.id
  name    = "dynamic"
  type    = "CAA"
  dynamic "data" {
    for_each = [1]
    content { flags = 0 }
  }
}
resource "cloudflare_zone_setting" "ssl" {
  zone_id    = cloudflare_zone.z.id
  setting_id = "ssl"
  value      = "strict"
}
resource "cloudflare_zone_setting" "unknown" {
  zone_id    = cloudflare_zone.z.id
  setting_id = "of_tomorrow"
  value      = "on"
}
resource "cloudflare_zone_dnssec" "d" { zone_id = cloudflare_zone.z.id }
resource "cloudflare_zone_dns_settings" "s" {
  zone_id        = cloudflare_zone.z.id
  multi_provider = true
}
resource "cloudflare_ruleset" "custom" {
  zone_id = cloudflare_zone.z.id
  name    = "custom"
  kind    = "zone"
  phase   = "http_request_firewall_custom"
  rules {
    action     = "block"
    expression = "(ip.src eq 192.0.2.1)"
  }
}
resource "cloudflare_ruleset" "redirects" {
  zone_id = cloudflare_zone.z.id
  name    = "redirects"
  kind    = "zone"
  phase   = "http_request_dynamic_redirect"
  rules {
    action     = "redirect"
    expression = "true"
  }
}
resource "cloudflare_ruleset" "account" {
  account_id = "0123"
  name       = "account"
  kind       = "root"
  phase      = "http_request_firewall_custom"
}
resource "cloudflare_filter" "f" {
  zone_id    = cloudflare_zone.z.id
  expression = "(ip.src eq 192.0.2.66)"
}
resource "cloudflare_filter" "unused" {
  zone_id    = cloudflare_zone.z.id
  expression = "(ip.src eq 192.0.2.67)"
}
resource "cloudflare_firewall_rule" "r" {
  zone_id   = cloudflare_zone.z.id
  filter_id = cloudflare_filter.f.id
  action    = "block"
}
resource "cloudflare_page_rule" "p" {
  zone_id = cloudflare_zone.z.id
  target  = "example.com/*"
  actions { always_use_https = true }
}
resource "cloudflare_worker_script" "w" { name = "w" }
resource "cloudflare_of_tomorrow" "t" { anything = [1, { a = null }] }
resource "aws_instance" "ours" { ami = "x" }
"#;

/// Returns the addresses of the blocks of a configuration, by their first lines.
fn addresses(code: &str) -> BTreeSet<String> {
    let address = |line: &str| {
        let words: Vec<&str> = line.strip_prefix("resource ")?.split('"').collect();
        words[1].starts_with("cloudflare_").then(|| format!("{}.{}", words[1], words[3]))
    };
    code.lines().filter_map(address).collect()
}

/// Asserts that every address is either in the script or in a finding, and that the tally counts
/// them all.
#[track_caller]
fn accounts_for(workspace: &Workspace, source: &str, all: &BTreeSet<String>) {
    let ran = workspace.run(&["import", source, "--offline"]).exits(0);
    let script = workspace.run(&["import", source, "--handover", "script"]).exits(0).stdout;
    let left =
        script.lines().filter_map(|line| line.split_once("state rm '")?.1.strip_suffix('\''));
    let left: BTreeSet<String> = left.map(str::to_owned).collect();
    let findings: Vec<&str> =
        ran.stderr.split("\n\n").filter(|finding| finding.contains("IMPORT00")).collect();
    let is_named = |address: &&String| {
        let ends = |rest: &str| rest.starts_with([':', ',', ' ', '\n']) || rest.is_empty();
        let names = |line: &&str| {
            line.match_indices(address.as_str()).any(|(at, _)| ends(&line[at + address.len()..]))
        };
        findings.iter().any(names)
    };
    let named: BTreeSet<String> = all.iter().filter(is_named).cloned().collect();
    let both: Vec<_> = left.intersection(&named).collect();
    assert!(both.is_empty(), "in the script, and named as missing: {both:?}\n{}", ran.stderr);
    let accounted: BTreeSet<String> = left.union(&named).cloned().collect();
    assert_eq!(&accounted, all, "{}", ran.stderr);
    let tally = |line: &&str| {
        let (_, tally) = line.split_once(": ")?;
        let (imported, rest) = tally.split_once(" of ")?;
        let (all, rest) = rest.split_once(" imported")?;
        let (_, all) = (imported.parse::<usize>().ok()?, all.parse::<usize>().ok()?);
        (rest.is_empty() || rest.ends_with("in part")).then_some(all)
    };
    let counted: usize = ran.stderr.lines().filter_map(|line| tally(&line)).sum();
    assert_eq!(counted, all.len(), "{}", ran.stderr);
}

#[test]
fn every_resource_of_a_configuration_is_handed_over_or_named() {
    let workspace = workspace();
    workspace.file("infra/main.tf", CODE);
    let all = addresses(CODE);
    assert_eq!(all.len(), CODE.matches("resource \"cloudflare_").count());
    accounts_for(&workspace, "./infra/", &all);
}

#[test]
fn every_instance_of_a_state_is_handed_over_or_named() {
    let instance =
        |key: Value, attributes: Value| json!({ "index_key": key, "attributes": attributes });
    let record = |name: &str, value: &str| json!({ "zone_id": "77", "name": name, "type": "A", "value": value, "ttl": 1, "proxied": false, "hostname": name });
    let resource = |kind: &str, name: &str, instances: Vec<Value>| json!({ "mode": "managed", "type": kind, "name": name, "instances": instances });
    let alone = |attributes: Value| vec![json!({ "attributes": attributes })];
    let mut routed = record("routed", "192.0.2.1");
    routed["of_tomorrow"] = json!({ "set": [true] });
    let resources = json!([
        resource(
            "cloudflare_zone",
            "z",
            alone(json!({ "id": "77", "zone": "example.com", "paused": false, "plan": "free" }))
        ),
        resource(
            "cloudflare_zone",
            "p",
            alone(json!({ "id": "78", "zone": "example.net", "paused": true }))
        ),
        resource(
            "cloudflare_record",
            "www",
            vec![
                instance(json!("a"), record("a", "192.0.2.1")),
                instance(json!("b"), record("b", "no address")),
                instance(json!("c"), routed),
            ]
        ),
        resource(
            "cloudflare_record",
            "lost",
            alone(json!({ "zone_id": "99", "name": "l", "type": "A", "value": "192.0.2.1" }))
        ),
        resource("cloudflare_access_application", "x", alone(json!({ "zone_id": "77" }))),
        resource("aws_instance", "ours", alone(json!({}))),
    ]);
    let workspace = workspace();
    let state = json!({ "version": 4, "terraform_version": "1.5.0", "resources": resources });
    workspace.file("terraform.tfstate", state.to_string());
    let mut all = BTreeSet::new();
    for resource in resources.as_array().unwrap() {
        let kind = resource["type"].as_str().unwrap();
        for instance in resource["instances"].as_array().unwrap() {
            let key = instance.get("index_key").map(|key| format!("[{key}]")).unwrap_or_default();
            all.insert(format!("{kind}.{}{key}", resource["name"].as_str().unwrap()));
        }
    }
    all.retain(|address| address.starts_with("cloudflare_"));
    accounts_for(&workspace, "./terraform.tfstate", &all);
}
