//! `import` of files: what other tools declare becomes a spec that says the same, and what cannot be said is named.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::support::workspace::{Ran, Workspace, options};
use serde_json::{Value, json};

pub(crate) fn workspace() -> Workspace {
    let mut options = options();
    options.profile.tier = "business".to_owned();
    Workspace::empty(options)
}

/// Imports a source; the spec is valid, and applied to an empty zone, it makes what it says.
#[track_caller]
pub(crate) fn import(workspace: &Workspace, arguments: &[&str]) -> Ran {
    let all: Vec<&str> = ["import"].iter().chain(arguments).copied().collect();
    let ran = workspace.run(&all).exits(0);
    workspace.file("spec.yaml", &ran.stdout);
    workspace.run(&["validate", "spec.yaml"]).exits(0);
    workspace.run(&["fmt", "spec.yaml", "--check"]).exits(0);
    ran
}

/// The records of a spec as `name type value`, with what differs from the default.
fn records(spec: &str) -> Vec<String> {
    let workspace = workspace();
    workspace.plant(&json!({ "zones": [{ "name": "example.com", "plan": "business" }] }));
    workspace.file("spec.yaml", spec);
    workspace.run(&["apply", "spec.yaml", "--yes", "--allow", "weakens-protection"]).exits(0);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
    let record = |record: &Value| {
        let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
        let priority = record["priority"].as_u64().map(|n| format!("{n} ")).unwrap_or_default();
        let proxied = if record["proxied"] == true { " proxied" } else { "" };
        let comment = record["comment"].as_str().map(|text| format!(" # {text}")).unwrap_or_default();
        // Structured values in the order of their members.
        let data: Vec<String> =
            record["data"].as_object().into_iter().flatten().map(|(_, value)| value.to_string()).collect();
        let value =
            if data.is_empty() { format!("{priority}{}", text("content")) } else { data.join(" ").replace('"', "") };
        format!("{} {} {value} {}{proxied}{comment}", text("name"), text("type"), record["ttl"])
    };
    let mut all: Vec<String> = workspace.records("example.com").iter().map(record).collect();
    all.sort();
    all
}

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
        "cloudflare_page_rule.old: page rules are not managed by a spec; it sets `always_use_https` for `example.com/*`",
        "cloudflare_list.office: it is the list `office` of kind `ip` with 1 item",
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
        "3 entries belong to an unknown zone, cloudflare_firewall_rule.bad among them: the variable `zone_id` has no value",
        "= help: if they belong to one zone, add `--zone-name example.com`",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let ran = import(&workspace, &["./main.tf", "--zone-name", "example.com"]);
    assert!(ran.stdout.contains("name: bad") && ran.stdout.contains("192.0.2.1"), "{ran:?}");
    assert!(ran.stderr.contains("cloudflare_record.lost") && !ran.stderr.contains("zone_id"), "{}", ran.stderr);
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
    workspace.file("marked/main.tf", format!("\u{feff}{zone}{}", record("ttl = \"300\"")).replace('\n', "\r\n"));
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
fn what_a_directory_holds_beside_its_zones_is_named() {
    let workspace = workspace();
    workspace.file("zones/example.com.zone", "$ORIGIN example.com.\nwww 300 IN A 192.0.2.1\ntime 300 CH TXT x\n");
    workspace.file("zones/ci.yaml", "stages: [plan]\n");
    workspace.file("zones/more.csv", "name,type,content\na,A,192.0.2.2\n");
    let ran = import(&workspace, &["./zones/"]);
    assert!(ran.stdout.contains("192.0.2.1"), "a YAML file that has no zone's name is not octoDNS's\n{}", ran.stdout);
    for said in [
        "it is read as bind, so 1 file of csv in it is not read",
        "`zonewright import --from csv ./zones/`",
        "its class is CH, and Cloudflare only has IN",
    ] {
        assert!(ran.stderr.contains(said), "{said}\n{}", ran.stderr);
    }
    let said = workspace.run(&["import", "./zones/more.csv"]).exits(1).stderr;
    assert!(said.contains("= help: add `--zone-name example.com`, or a column `zone`"), "{said}");
    // In the order of the file.
    workspace.file("b.zone", "$ORIGIN example.com.\nb 1 IN FOO x\na 1 IN A x\n$INCLUDE ../x\nc 1 IN BAR x\n");
    let said = workspace.run(&["import", "./b.zone", "--offline"]).exits(0).stderr;
    let lines: Vec<&str> = said.lines().filter_map(|line| line.trim().strip_prefix("--> ./b.zone:")).collect();
    assert_eq!(lines, ["2:1", "3:1", "4:1", "5:1"], "{said}");
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
    assert!(ran.stderr.contains("module.x.cloudflare_dns_record.other belongs to the zone `4567`"), "{}", ran.stderr);
    let both = import(&workspace, &["./terraform.tfstate", "--zone-name", "4567=example.org"]);
    assert!(both.stdout.contains("example.org:") && !both.stderr.contains("IMPORT0005"), "{}", both.stdout);
    // The resources of a plan, as `show -json` prints them.
    let shown = json!({ "format_version": "1.2", "planned_values": { "root_module": { "child_modules": [{ "resources": [
        { "address": "module.x.cloudflare_zone.main", "mode": "managed", "type": "cloudflare_zone", "values": { "id": "77", "name": "example.com" } },
        { "address": "module.x.cloudflare_dns_record.www", "mode": "managed", "type": "cloudflare_dns_record",
          "values": { "zone_id": "77", "name": "www.example.com", "type": "A", "content": "192.0.2.1", "ttl": 1, "proxied": false } }
    ] }] } } });
    workspace.file("plan.json", shown.to_string());
    assert_eq!(records(&import(&workspace, &["./plan.json"]).stdout), ["www.example.com A 192.0.2.1 1"]);
}

#[test]
fn zone_files_of_octodns() {
    let workspace = workspace();
    workspace.file(
        "config/example.com.yaml",
        r#"---
'':
  - type: MX
    ttl: 300
    values:
      - { preference: 10, exchange: mx.example.net. }
  - type: TXT
    values:
      - v=DMARC1\; p=none
      - say "hello"
  - { type: NS, values: [ns1.example.net.] }
  - { type: ALIAS, value: www.example.com. }
www:
  octodns:
    cloudflare: { proxied: true, auto-ttl: true, comment: the website }
  type: A
  values: [192.0.2.1, 192.0.2.2]
_sip._tcp: { type: SRV, ttl: 60, value: { priority: 1, weight: 2, port: 5060, target: sip.example.com. } }
svc: { type: HTTPS, ttl: 60, value: { svcpriority: 1, targetname: ., svcparams: { alpn: [h2, h3], port: 8443 } } }
near: { type: A, geo: { NA: [192.0.2.3] }, value: 192.0.2.4 }
'404': { type: CNAME, value: www.example.com. }
# Relative as any name, so it ends with the name of the zone twice.
new.example.com: { type: A, value: 192.0.2.9 }
"#,
    );
    workspace.file(
        "config/production.yaml",
        "providers: { config: { class: octodns.provider.yaml.YamlProvider } }\nzones: { example.com.: { sources: [config] } }\n",
    );
    let ran = import(&workspace, &["./config/"]);
    assert_eq!(
        records(&ran.stdout),
        [
            "404.example.com CNAME www.example.com 3600",
            "_sip._tcp.example.com SRV 5060 1 sip.example.com 2 60",
            "example.com CNAME www.example.com 3600",
            "example.com MX 10 mx.example.net 300",
            "example.com TXT \"say \\\"hello\\\"\" 3600",
            "example.com TXT \"v=DMARC1; p=none\" 3600",
            "new.example.com.example.com A 192.0.2.9 3600",
            "svc.example.com HTTPS 1 . alpn=\\h2,h3\\ port=\\8443\\ 60",
            "www.example.com A 192.0.2.1 1 proxied # the website",
            "www.example.com A 192.0.2.2 1 proxied # the website",
        ]
    );
    assert!(ran.stderr.contains("`geo` answers depend on who asks"), "{}", ran.stderr);
    assert!(ran.stderr.contains("Cloudflare assigns the name servers"), "{}", ran.stderr);
}

#[test]
fn a_zone_file_with_every_directive() {
    let workspace = workspace();
    workspace.file(
        "db.example.com",
        "$ORIGIN example.com.\n$TTL 1h\n@ IN SOA ns1 host ( 1 2 ; serial\n 3 4 5 )\n  IN NS ns1.example.net.\n\
         \u{20} IN MX 10 mail\nmail 300 IN A 192.0.2.1\r\n  AAAA 2001:db8::1\n\
         www IN 2m CNAME @ ; the site cf_tags=cf-proxied:true\n\
         txt TXT \"one; two\" ( \"three\"\n \"four\" )\n$INCLUDE hosts/more sub\n\
         $GENERATE 1-3 host-${0,2} A 192.0.2.$\nlast A 192.0.2.99\nodd TYPE65534 \\# 0\n",
    );
    workspace.file("hosts/more", "deep A 192.0.2.50\n");
    let ran = import(&workspace, &["./db.example.com"]);
    assert_eq!(
        records(&ran.stdout),
        [
            "deep.sub.example.com A 192.0.2.50 3600",
            "example.com MX 10 mail.example.com 3600",
            "host-01.example.com A 192.0.2.1 3600",
            "host-02.example.com A 192.0.2.2 3600",
            "host-03.example.com A 192.0.2.3 3600",
            "last.example.com A 192.0.2.99 3600",
            "mail.example.com A 192.0.2.1 300",
            "mail.example.com AAAA 2001:db8::1 3600",
            "txt.example.com TXT \"one; two\" \"three\" \"four\" 3600",
            "www.example.com CNAME example.com 1 proxied # the site",
        ]
    );
    assert!(ran.stderr.contains("TYPE65534"), "{}", ran.stderr);
}

#[test]
fn what_dnscontrol_prints() {
    let printed = json!({ "registrars": [], "dns_providers": [], "domains": [{
        "name": "example.com", "meta": { "cloudflare_proxy_default": "off" }, "records": [
            { "type": "A", "name": "www", "target": "192.0.2.1", "ttl": 1, "meta": { "cloudflare_proxy": "on" } },
            { "type": "CNAME", "name": "alias", "target": "www" },
            { "type": "MX", "name": "@", "target": "mx.example.net.", "mxpreference": 10, "ttl": 600 },
            { "type": "TXT", "name": "@", "target": "say \"hello\"", "ttl": 600 },
            { "type": "CAA", "name": "@", "target": "ca.example.net", "caatag": "issue", "ttl": 600 },
            { "type": "CF_REDIRECT", "name": "@", "target": "a,b" },
        ] }] });
    let workspace = workspace();
    workspace.file("ir.json", printed.to_string());
    let ran = import(&workspace, &["ir.json", "--from", "dnscontrol"]);
    assert_eq!(
        records(&ran.stdout),
        [
            "alias.example.com CNAME www.example.com 300",
            "example.com CAA 0 issue ca.example.net 600",
            "example.com MX 10 mx.example.net 600",
            "example.com TXT \"say \\\"hello\\\"\" 600",
            "www.example.com A 192.0.2.1 1 proxied",
        ]
    );
    assert!(ran.stderr.contains("redirects and worker routes are not managed"), "{}", ran.stderr);
}

#[test]
fn a_table_of_records() {
    let workspace = workspace();
    workspace.file(
        "records.csv",
        "Name,Type,Content,TTL,Proxied,Priority,Comment\r\nwww,A,192.0.2.1,auto,true,,\"a, quoted\"\r\n\
         @,MX,mx.example.net,300,,10,\r\nbad,A,not an address,300,,,\r\nworse,A,192.0.2.2,soon,,,\r\n",
    );
    let ran = import(&workspace, &["./records.csv", "--zone-name", "example.com"]);
    assert_eq!(
        records(&ran.stdout),
        ["example.com MX 10 mx.example.net 300", "www.example.com A 192.0.2.1 1 proxied # a, quoted"]
    );
    assert!(ran.stderr.contains("records.csv:4:1") && ran.stderr.contains("records.csv:5:1"), "{}", ran.stderr);
    for (text, why) in [
        ("name,type,content,name\nwww,A,192.0.2.1,b\n", "two columns are called `name`"),
        ("name,type,content\nwww,TXT,\"open\nx,A,192.0.2.1\n", "a quote is not closed"),
        ("name;type;content\nwww;A;192.0.2.1\n", "separated by commas"),
    ] {
        workspace.file("odd.csv", text);
        let ran = workspace.run(&["import", "./odd.csv", "--zone-name", "example.com", "--offline"]).exits(1);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

/// The export of the only zone.
fn exported(workspace: &Workspace) -> String {
    let id = workspace.dump()["zones"][0]["id"].as_str().unwrap().to_owned();
    let base = workspace.base_url();
    let (host, path) = base.trim_start_matches("http://").split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let token = zonewright::sandbox::TOKEN;
    write!(
        stream,
        "GET /{path}/zones/{id}/dns_records/export HTTP/1.0\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("200 OK"), "{answer}");
    body.to_owned()
}

#[test]
fn what_cloudflare_exports_is_what_it_has() {
    let workspace = workspace();
    workspace.plant(&json!({ "zones": [{ "name": "example.com", "plan": "business", "records": [
        { "type": "A", "name": "www.example.com", "content": "192.0.2.1", "proxied": true, "comment": "site", "tags": ["team:web"] },
        { "type": "MX", "name": "example.com", "content": "mx.example.net", "priority": 10, "ttl": 3600 },
        { "type": "TXT", "name": "example.com", "content": "\"a \\\"b\\\"; c\"", "ttl": 300 },
        { "type": "SRV", "name": "_sip._tcp.example.com", "data": { "priority": 1, "weight": 2, "port": 5060, "target": "sip.example.com" } },
    ] }] }));
    let live = workspace.run(&["import", "example.com"]).exits(0).stdout;
    let exported = exported(&workspace);
    workspace.file("example.com.zone", exported);
    assert_eq!(import(&workspace, &["./example.com.zone"]).stdout, live);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn hostile_files_end_with_an_error() {
    let deep = format!("a = {}", "(".repeat(100_000));
    let looping =
        "locals {\n  a = local.b\n  b = local.a\n}\nresource \"cloudflare_zone\" \"z\" {\n  zone = local.a\n}\n";
    let growing = "locals {\n  a = range(1000)\n}\nresource \"cloudflare_zone\" \"z\" {\n  \
                   zone = join(\"\", [for x in local.a : join(\"\", [for y in local.a : join(\"\", [for z in local.a : \"x\"])])])\n}\n";
    let cases: &[(&str, &[u8], i32)] = &[
        ("deep.tf", deep.as_bytes(), 1),
        ("looping.tf", looping.as_bytes(), 1),
        ("growing.tf", growing.as_bytes(), 1),
        ("empty.tf", b"", 1),
        ("bytes.tf", b"\xff\xfe\x00", 1),
        ("cut.tfstate", b"{\"version\": 4, \"resources\": [", 1),
        ("old.tfstate", b"{\"version\": 3, \"terraform_version\": \"0.11\"}", 1),
        ("deep.json", &[b'['; 200_000], 1),
        (
            "example.com.zone",
            b"$ORIGIN example.com.\n$INCLUDE ../../etc/passwd\n$INCLUDE /etc/passwd\na A 192.0.2.1\n",
            0,
        ),
        ("self.zone", b"$ORIGIN example.com.\na A 192.0.2.1\n$INCLUDE self.zone\n", 0),
        ("open.zone", b"$ORIGIN example.com.\na A ( 192.0.2.1\n", 1),
        ("many.zone", b"$ORIGIN example.com.\n$GENERATE 0-4294967295 h$ A 192.0.2.1\na A 192.0.2.1\n", 0),
        ("example.com.yaml", b"&a [*a]", 1),
        ("tags.example.com.yaml", b"www: !include other.yaml", 1),
        ("x.csv", b"a,b,c\n1,2,3\n", 1),
    ];
    for (name, content, code) in cases {
        let workspace = workspace();
        workspace.file(name, content);
        let ran = workspace.run(&["import", &format!("./{name}")]);
        assert_eq!(ran.code, Some(*code), "{name}\n{}\n{}", ran.stdout, ran.stderr);
        assert!(!ran.stderr.is_empty() && !ran.stderr.contains("panicked"), "{name}\n{}", ran.stderr);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("root:"), "{name}");
    }
    let ran = workspace().run(&["import", "./absent/"]).exits(1);
    assert!(ran.stderr.contains("./absent/"), "{}", ran.stderr);
}

#[test]
fn a_directory_gets_a_file_for_each_zone() {
    let workspace = workspace();
    workspace.file("in/example.com.yaml", "www: { type: A, value: 192.0.2.1 }\n");
    workspace.file("in/example.org.yaml", "www: { type: A, value: 192.0.2.2 }\n");
    workspace.run(&["import", "./in/", "--out", "zones"]).exits(0);
    workspace.run(&["validate", "zones/"]).exits(0);
    let again = workspace.run(&["import", "./in/", "--out", "zones"]).exits(1);
    assert!(again.stderr.contains("zones/example.com.yaml exists"), "{}", again.stderr);
    let bare = workspace.run(&["import", "in"]);
    assert!(bare.stderr.contains("./in"), "{}", bare.stderr);
}
