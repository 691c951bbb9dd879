//! `import` of Terraform and OpenTofu: configurations and states.

use crate::support::imports::{import, records, workspace};
use serde_json::json;

const CONFIGURATION: &str = r#"
variable "domain" { default = "example.com" }
variable "address" {}
variable "never_set" {}
locals {
  hosts = { www = { ip = "192.0.2.1", proxied = true }, api = { ip = "192.0.2.2" } }
  mx    = [{ host = "mx1.example.net", preference = 10 }, { host = "mx2.example.net", preference = 20 }]
}
resource "cloudflare_zone" "main" {
  zone = var.domain
}
resource "cloudflare_record" "host" {
  for_each = local.hosts
  zone_id  = cloudflare_zone.main.id
  name     = each.key
  type     = "A"
  value    = each.value.ip
  proxied  = try(each.value.proxied, false)
  comment  = trimspace(<<-EOT
    host ${upper(each.key)}
  EOT
  )
}
resource "cloudflare_record" "mail" {
  count    = length(local.mx)
  zone_id  = cloudflare_zone.main.id
  name     = "@"
  type     = "MX"
  value    = local.mx[count.index].host
  priority = lookup(local.mx[count.index], "preference", 0)
  ttl      = 3600
}
resource "cloudflare_dns_record" "spf" {
  zone_id = cloudflare_zone.main.id
  name    = var.domain
  type    = "TXT"
  ttl     = 1
  content = join(" ", concat(["v=spf1"], [for m in local.mx : "a:${m.host}" if m.preference < 20], ["-all"]))
}
resource "cloudflare_record" "sip" {
  zone_id = cloudflare_zone.main.id
  name    = "_sip._tcp"
  type    = "SRV"
  data {
    service  = "_sip"
    proto    = "_tcp"
    name     = "example.com"
    priority = 0
    weight   = 5
    port     = 5060
    target   = "sip.example.com"
  }
}
resource "cloudflare_record" "assigned" {
  zone_id = cloudflare_zone.main.id
  name    = "assigned"
  type    = "A"
  value   = var.address
}
resource "cloudflare_record" "elsewhere" {
  zone_id = cloudflare_zone.main.id
  name    = "elsewhere"
  type    = "A"
  value   = aws_eip.lb.public_ip
}
resource "cloudflare_record" "unset" {
  zone_id = cloudflare_zone.main.id
  name    = "unset"
  type    = "A"
  value   = var.never_set
}
resource "cloudflare_tunnel" "t" { name = "t" }
resource "cloudflare_record" "tunnel" {
  zone_id = cloudflare_zone.main.id
  name    = "tunnel"
  type    = "TXT"
  value   = upper("${cloudflare_tunnel.t.id}.cfargotunnel.com")
}
resource "cloudflare_record" "zone" {
  zone_id = cloudflare_zone.main.id
  name    = "zone"
  type    = "TXT"
  value   = cloudflare_zone.main.id
}
resource "cloudflare_record" "calculated" {
  zone_id = cloudflare_zone.main.id
  name    = cidrhost("192.0.2.0/24", -2)
  type    = "TXT"
  value   = "${cidrhost("2001:db8::/64", 16)} ${substr(sha1("a"), 0, 8)} ${join(",", toset(["b", "a", "b"]))}"
}
resource "cloudflare_page_rule" "old" {
  zone_id = cloudflare_zone.main.id
  target  = "example.com/*"
  actions {
    always_use_https = true
  }
}
resource "cloudflare_list" "office" {
  account_id = "a"
  name       = "office"
  kind       = "ip"
  item {
    value { ip = "192.0.2.7" }
  }
}
module "other" {
  source = "./other"
}
"#;

#[test]
fn a_configuration_is_evaluated_as_far_as_it_is_known() {
    let workspace = workspace();
    workspace.file("infra/main.tf", CONFIGURATION);
    workspace.file("infra/terraform.tfvars", "address = \"192.0.2.3\"\n");
    workspace.file("infra/other-environment.tfvars", "never_set = \"192.0.2.4\"\n");
    let ran = import(&workspace, &["./infra/"]);
    assert_eq!(
        records(&ran.stdout),
        [
            "192.0.2.254.example.com TXT \"2001:db8::10 86f7e437 a,b\" 1",
            "_sip._tcp.example.com SRV 5060 0 sip.example.com 5 1",
            "api.example.com A 192.0.2.2 1 # host API",
            "assigned.example.com A 192.0.2.3 1",
            "example.com MX 10 mx1.example.net 3600",
            "example.com MX 20 mx2.example.net 3600",
            "example.com TXT \"v=spf1 a:mx1.example.net -all\" 1",
            "www.example.com A 192.0.2.1 1 proxied # host WWW",
        ]
    );
    for said in [
        "`aws_eip.lb.public_ip` is not in these files",
        "the variable `never_set` has no value",
        "cloudflare_page_rule.old: a spec does not manage page rules; it sets `always_use_https` for `example.com/*`",
        "cloudflare_list.office: a spec does not manage lists, to which rules refer by name; it is the list `office` of kind `ip` with 1 item",
        "cloudflare_record.tunnel: it contains an id that Cloudflare assigns",
        "cloudflare_record.zone: it contains an id that Cloudflare assigns",
        "module.other: `./other` is not among the files that were read",
        "cloudflare_record: 7 of 11 imported",
        "infra/main.tf:64:13",
    ] {
        assert!(ran.stderr.contains(said), "{said}\n{}", ran.stderr);
    }
    // The same input gives the same bytes.
    assert_eq!(import(&workspace, &["./infra/"]).stdout, ran.stdout);
}

const PROTECTION: &str = r#"
resource "cloudflare_zone" "main" {
  zone = "example.com"
}
resource "cloudflare_zone_settings_override" "settings" {
  zone_id = cloudflare_zone.main.id
  settings {
    ssl      = "strict"
    zero_rtt = "on"
    security_header {
      enabled = true
      max_age = 86400
    }
  }
}
resource "cloudflare_ruleset" "managed" {
  zone_id = cloudflare_zone.main.id
  name    = "managed"
  kind    = "zone"
  phase   = "http_request_firewall_managed"
  rules {
    action      = "skip"
    expression  = "(http.request.uri.path eq \"/upload\")"
    description = "uploads"
    action_parameters {
      rules = {
        "4814384a9e5d4991b9815dcfc25d2f1f" = "6179ae15870a4bb7b2d480d4843b323c"
      }
    }
  }
  rules {
    action     = "execute"
    expression = "true"
    action_parameters {
      id = "4814384a9e5d4991b9815dcfc25d2f1f"
      overrides {
        categories {
          category = "paranoia-level-3"
          enabled  = false
        }
        categories {
          category = "paranoia-level-4"
          status   = "disabled"
        }
        rules {
          id              = "6179ae15870a4bb7b2d480d4843b323c"
          action          = "managed_challenge"
          score_threshold = 25
        }
      }
    }
  }
}
resource "cloudflare_ruleset" "limits" {
  zone_id = cloudflare_zone.main.id
  name    = "limits"
  kind    = "zone"
  phase   = "http_ratelimit"
  rules = [{
    action      = "block"
    expression  = "(http.request.uri.path eq \"/login\")"
    description = "login"
    ratelimit = {
      characteristics     = ["cf.colo.id", "ip.src"]
      period              = 60
      requests_per_period = 10
      mitigation_timeout  = 600
    }
  }]
}
resource "cloudflare_ruleset" "transform" {
  zone_id = cloudflare_zone.main.id
  name    = "transform"
  kind    = "zone"
  phase   = "http_request_transform"
  rules {
    action     = "rewrite"
    expression = "true"
  }
}
resource "cloudflare_filter" "bad" {
  zone_id    = cloudflare_zone.main.id
  expression = "(ip.src eq 192.0.2.66)"
}
resource "cloudflare_filter" "good" {
  zone_id    = cloudflare_zone.main.id
  expression = "(ip.src eq 192.0.2.77)"
}
resource "cloudflare_firewall_rule" "bad" {
  zone_id   = cloudflare_zone.main.id
  filter_id = cloudflare_filter.bad.id
  action    = "block"
}
resource "cloudflare_firewall_rule" "good" {
  zone_id   = cloudflare_zone.main.id
  filter_id = cloudflare_filter.good.id
  action    = "allow"
}
"#;

#[test]
fn protection_is_translated_by_both_versions_of_the_provider() {
    let workspace = workspace();
    workspace.file("main.tf", PROTECTION);
    let ran = import(&workspace, &["./main.tf"]);
    for expected in [
        "paranoia: 2",
        "threshold: high",
        "action: managed_challenge",
        "0rtt: on",
        "strict_transport_security:",
        "name: login",
        "name: uploads",
    ] {
        assert!(ran.stdout.contains(expected), "{expected}\n{}", ran.stdout);
    }
    let (good, bad) = (ran.stdout.find("name: good"), ran.stdout.find("name: bad"));
    assert!(good < bad && good.is_some(), "allow was tried before block\n{}", ran.stdout);
    assert!(ran.stderr.contains("1 rule of the phase `http_request_transform`"), "{}", ran.stderr);
    records(&ran.stdout);
}

const UNKNOWN_ZONE: &str = r#"
variable "zone_id" {}
resource "cloudflare_record" "www" {
  zone_id = var.zone_id
  name    = "www"
  type    = "A"
  value   = "192.0.2.1"
}
resource "cloudflare_filter" "bad" {
  zone_id    = var.zone_id
  expression = "(ip.src eq 192.0.2.66)"
}
resource "cloudflare_firewall_rule" "bad" {
  zone_id   = var.zone_id
  filter_id = cloudflare_filter.bad.id
  action    = "block"
}
resource "cloudflare_record" "lost" {
  zone_id = var.zone_id
  name    = "lost"
  type    = "A"
  value   = var.never_set
}
"#;

#[test]
fn entries_of_a_zone_without_a_name_are_reported_at_once_and_the_zone_can_be_named() {
    let workspace = workspace();
    workspace.file("main.tf", UNKNOWN_ZONE);
    let said = workspace.run(&["import", "./main.tf"]).exits(1).stderr;
    assert_eq!(said.matches("IMPORT0005").count(), 1, "{said}");
    for words in [
        "3 entries belong to an unknown zone: the variable `zone_id` has no value",
        "they are cloudflare_firewall_rule.bad, cloudflare_record.lost, cloudflare_record.www",
        "= help: if they belong to one zone, add `--zone-name example.com`",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let ran = import(&workspace, &["./main.tf", "--zone-name", "example.com"]);
    assert!(ran.stdout.contains("name: bad") && ran.stdout.contains("192.0.2.1"), "{ran:?}");
    assert!(
        ran.stderr.contains("cloudflare_record.lost") && !ran.stderr.contains("zone_id"),
        "{}",
        ran.stderr
    );
    // An id is enough to say which zone it is.
    workspace.file("terraform.tfvars", "zone_id = \"0123\"\nnever_set = \"192.0.2.2\"\n");
    let said = workspace.run(&["import", "."]).exits(1).stderr;
    assert!(said.contains("3 entries belong to the zone `0123`"), "{said}");
    assert!(said.contains("= help: add `--zone-name 0123=example.com`"), "{said}");
    let ran = import(&workspace, &[".", "--zone-name", "0123=example.com"]);
    assert!(ran.stderr.contains("cloudflare_record: 2 of 2 imported"), "{}", ran.stderr);
}

#[test]
fn texts_as_editors_and_shells_write_them_are_read_or_named() {
    let workspace = workspace();
    let zone = "resource \"cloudflare_zone\" \"z\" { zone = \"example.com\" }\n";
    let record = |attributes: &str| {
        format!(
            "resource \"cloudflare_record\" \"a\" {{\n  zone_id = cloudflare_zone.z.id\n  name = \"a\"\n  type = \"A\"\n  \
             value = \"192.0.2.1\"\n  {attributes}\n}}\n"
        )
    };
    workspace.file(
        "marked/main.tf",
        format!("\u{feff}{zone}{}", record("ttl = \"300\"")).replace('\n', "\r\n"),
    );
    let ran = import(&workspace, &["./marked/"]);
    assert!(ran.stdout.contains("content: 192.0.2.1, ttl: 300"), "{}", ran.stdout);
    let wide: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    workspace.file("state.json", wide);
    let said = workspace.run(&["import", "./state.json"]).exits(1).stderr;
    assert!(said.contains("in UTF-16, as PowerShell writes it"), "{said}");
    for (attributes, why) in [
        ("ttl = \"long\"", "its `ttl` is not a number of seconds"),
        ("ttl = -1", "its `ttl` is not a number of seconds"),
        ("proxied = \"perhaps\"", "its `proxied` is neither true nor false"),
    ] {
        workspace.file("odd/main.tf", format!("{zone}{}", record(attributes)));
        let said = workspace.run(&["import", "./odd/", "--offline"]).exits(0).stderr;
        assert!(said.contains("IMPORT0004") && said.contains(why), "{why}\n{said}");
    }
}

#[test]
fn a_state_has_every_value() {
    let state = json!({
        "version": 4, "terraform_version": "1.9.0", "resources": [
            { "mode": "data", "type": "cloudflare_zone", "name": "main", "instances": [
                { "attributes": { "zone_id": "0123", "id": "0123", "name": "example.com" } }] },
            { "mode": "managed", "type": "cloudflare_record", "name": "www", "instances": [
                { "index_key": "a", "attributes": { "id": "1", "zone_id": "0123", "name": "www", "hostname": "www.example.com",
                    "type": "A", "value": "192.0.2.1", "content": "192.0.2.1", "ttl": 1, "proxied": true, "priority": null, "data": [] } },
                { "index_key": "b", "attributes": { "id": "2", "zone_id": "0123", "name": "example.com", "hostname": "example.com",
                    "type": "CAA", "ttl": 300, "data": [{ "flags": "0", "tag": "issue", "value": "ca.example.net",
                        "weight": 0, "target": "", "algorithm": 0 }] } }] },
            { "mode": "managed", "type": "cloudflare_dns_record", "name": "other", "module": "module.x", "instances": [
                { "attributes": { "id": "3", "zone_id": "4567", "name": "www.example.org", "type": "A", "content": "192.0.2.9", "ttl": 1 } },
                { "deposed": "8a", "attributes": { "id": "4", "zone_id": "0123", "name": "gone.example.com", "type": "A", "content": "192.0.2.8", "ttl": 1 } }] },
            { "mode": "managed", "type": "aws_instance", "name": "ours", "instances": [{ "attributes": {} }] }
        ]
    });
    let workspace = workspace();
    workspace.file("terraform.tfstate", state.to_string());
    let ran = import(&workspace, &["./terraform.tfstate"]);
    assert_eq!(
        records(&ran.stdout),
        ["example.com CAA 0 issue ca.example.net 300", "www.example.com A 192.0.2.1 1 proxied"]
    );
    assert!(
        ran.stderr.contains("module.x.cloudflare_dns_record.other belongs to the zone `4567`"),
        "{}",
        ran.stderr
    );
    let both = import(&workspace, &["./terraform.tfstate", "--zone-name", "4567=example.org"]);
    assert!(
        both.stdout.contains("example.org:") && !both.stderr.contains("IMPORT0005"),
        "{}",
        both.stdout
    );
    // The resources of a plan, as `show -json` prints them.
    let shown = json!({ "format_version": "1.2", "planned_values": { "root_module": { "child_modules": [{ "resources": [
        { "address": "module.x.cloudflare_zone.main", "mode": "managed", "type": "cloudflare_zone", "values": { "id": "77", "name": "example.com" } },
        { "address": "module.x.cloudflare_dns_record.www", "mode": "managed", "type": "cloudflare_dns_record",
          "values": { "zone_id": "77", "name": "www.example.com", "type": "A", "content": "192.0.2.1", "ttl": 1, "proxied": false } }
    ] }] } } });
    workspace.file("plan.json", shown.to_string());
    assert_eq!(
        records(&import(&workspace, &["./plan.json"]).stdout),
        ["www.example.com A 192.0.2.1 1"]
    );
}
