//! `import` of Terraform: resources that a spec cannot express completely are named, counted as
//! such, and stay in Terraform.

use crate::support::imports::{import, workspace};
use crate::support::workspace::{Ran, Workspace};

const ZONE: &str = "resource \"cloudflare_zone\" \"z\" { name = \"example.com\" }\n";

/// Returns the resources that `--handover script` hands over.
fn left(workspace: &Workspace, source: &str) -> Vec<String> {
    let ran = workspace.run(&["import", source, "--handover", "script"]);
    let name =
        |line: &str| Some(line.split_once("state rm '")?.1.trim_end_matches('\'').to_owned());
    ran.stdout.lines().filter_map(name).collect()
}

/// Returns what the findings of a code say about an address.
fn said(ran: &Ran, code: &str, address: &str) -> Vec<String> {
    let findings = ran.stderr.split("\n\n").filter(|finding| finding.contains(code));
    let about = format!("{address}: ");
    findings
        .filter_map(|finding| Some(finding.split_once(&about)?.1.lines().next()?.to_owned()))
        .collect()
}

/// Imports a configuration without comparing it.
fn offline(workspace: &Workspace, source: &str) -> Ran {
    import(workspace, &[source, "--offline"])
}

#[test]
fn attributes_that_a_spec_does_not_have_are_named_whatever_they_are() {
    let workspace = workspace();
    let code = r#"
resource "cloudflare_zone" "z" {
  name                = "example.com"
  account             = { id = "0123" }
  paused              = true
  type                = "partial"
  vanity_name_servers = ["ns1.example.com"]
  invented_tomorrow   = { nested = "x" }
}
resource "cloudflare_zone" "plain" {
  zone       = "example.net"
  account_id = "0123"
  plan       = "free"
  type       = "full"
  jump_start = false
}
resource "cloudflare_zone_dnssec" "d" {
  zone_id             = cloudflare_zone.z.id
  status              = "active"
  dnssec_multi_signer = true
  dnssec_presigned    = false
}
resource "cloudflare_dns_record" "plain" {
  zone_id  = cloudflare_zone.z.id
  name     = "plain"
  type     = "A"
  content  = "192.0.2.1"
  ttl      = 300
  proxied  = false
  comment  = "c"
  tags     = ["team:dns"]
  settings = {}
}
resource "cloudflare_dns_record" "routed" {
  zone_id         = cloudflare_zone.z.id
  name            = "routed"
  type            = "A"
  content         = "192.0.2.1"
  ttl             = 300
  private_routing = true
  settings        = { ipv4_only = true, from_the_future = 7 }
}
resource "cloudflare_record" "mail" {
  zone_id  = cloudflare_zone.z.id
  name     = "@"
  type     = "MX"
  value    = "mx.example.net"
  priority = 10
  proxied  = true
}
resource "cloudflare_record" "sip" {
  zone_id = cloudflare_zone.z.id
  name    = "_sip._tcp"
  type    = "SRV"
  data {
    service  = "_sip"
    proto    = "_tcp"
    name     = "example.com"
    priority = 1
    weight   = 5
    port     = 5060
    target   = "sip.example.net"
    flavour  = "sour"
  }
}
resource "cloudflare_dns_record" "two_priorities" {
  zone_id  = cloudflare_zone.z.id
  name     = "_xmpp._tcp"
  type     = "SRV"
  priority = 10
  data     = { priority = 20, weight = 5, port = 5222, target = "xmpp.example.net" }
}
"#;
    workspace.file("infra/main.tf", code);
    let ran = offline(&workspace, "./infra/");
    for (address, missing) in [
        (
            "cloudflare_zone.z",
            "`invented_tomorrow`, `paused`, `type`, `vanity_name_servers` are not in the spec",
        ),
        ("cloudflare_zone_dnssec.d", "`dnssec_multi_signer` is not in the spec"),
        (
            "cloudflare_dns_record.routed",
            "`ipv4_only`, `private_routing`, `settings.from_the_future` are not in the spec",
        ),
        ("cloudflare_record.mail", "`proxied` is not in the spec"),
        ("cloudflare_record.sip", "`data.flavour` is not in the spec"),
    ] {
        assert_eq!(said(&ran, "IMPORT0012", address), [missing], "{}", ran.stderr);
    }
    assert!(
        ran.stderr.contains("`data.priority` is 20 and `priority` is 10; state one of them"),
        "{}",
        ran.stderr
    );
    for tally in [
        "cloudflare_zone: 1 of 2 imported, 1 in part",
        "cloudflare_zone_dnssec: 0 of 1 imported, 1 in part",
        "cloudflare_dns_record: 1 of 3 imported, 1 in part",
        "cloudflare_record: 0 of 2 imported, 2 in part",
    ] {
        assert!(ran.stderr.contains(tally), "{tally}\n{}", ran.stderr);
    }
    assert_eq!(
        left(&workspace, "./infra/"),
        ["cloudflare_dns_record.plain", "cloudflare_zone.plain"]
    );
    let text = workspace.run(&["import", "./infra/", "--handover", "text"]).exits(0).stdout;
    assert_eq!(text.matches("from = ").count(), 2, "{text}");
}

/// A state of version 4 of the provider. Its authors wrote only few of the attributes.
const OF_VERSION_4: &str = r#"{ "version": 4, "terraform_version": "1.5.0", "resources": [
        { "mode": "managed", "type": "cloudflare_zone", "name": "z", "instances": [{ "schema_version": 0, "attributes": {
            "account_id": "f037e56e89293a057740de681ac9abbe", "id": "0da42c8d2132a9ddaf714f9e7c920711", "jump_start": null,
            "meta": { "phishing_detected": false, "wildcard_proxiable": true },
            "name_servers": ["ana.ns.cloudflare.com", "bob.ns.cloudflare.com"], "paused": false, "plan": "pro",
            "status": "active", "type": "full", "vanity_name_servers": [], "verification_key": "", "zone": "example.com" } }] },
        { "mode": "managed", "type": "cloudflare_record", "name": "www", "instances": [{ "schema_version": 3, "attributes": {
            "allow_overwrite": false, "comment": null, "content": "192.0.2.1", "created_on": "2024-01-01T00:00:00Z", "data": [],
            "hostname": "www.example.com", "id": "1", "metadata": { "auto_added": "false" }, "modified_on": "2024-01-01T00:00:00Z",
            "name": "www", "priority": null, "proxiable": true, "proxied": true, "tags": [], "timeouts": null, "ttl": 1,
            "type": "A", "value": "192.0.2.1", "zone_id": "0da42c8d2132a9ddaf714f9e7c920711" } }] },
        { "mode": "managed", "type": "cloudflare_record", "name": "caa", "instances": [{ "schema_version": 3, "attributes": {
            "allow_overwrite": false, "comment": "", "content": "", "created_on": "2024-01-01T00:00:00Z", "data": [{
                "algorithm": 0, "altitude": 0, "certificate": "", "content": "", "digest": "", "digest_type": 0, "fingerprint": "",
                "flags": "0", "key_tag": 0, "lat_degrees": 0, "name": "", "order": 0, "port": 0, "preference": 0, "priority": 0,
                "proto": "", "service": "", "tag": "issue", "target": "", "type": 0, "value": "ca.example.net", "weight": 0 }],
            "hostname": "example.com", "id": "2", "metadata": {}, "modified_on": "2024-01-01T00:00:00Z", "name": "example.com",
            "priority": 0, "proxiable": false, "proxied": false, "tags": null, "timeouts": null, "ttl": 300, "type": "CAA",
            "value": null, "zone_id": "0da42c8d2132a9ddaf714f9e7c920711" } }] },
        { "mode": "managed", "type": "cloudflare_zone_dnssec", "name": "d", "instances": [{ "attributes": {
            "algorithm": "13", "digest": "48E939042E82C22542CB377B580DFDC52A361CEFDC72E7F9107E2B6BD9306A45",
            "digest_algorithm": "SHA256", "digest_type": "2", "ds": "example.com. 3600 IN DS 16953 13 2 48E9", "flags": 257,
            "id": "0da42c8d2132a9ddaf714f9e7c920711", "key_tag": 42, "key_type": "ECDSAP256SHA256",
            "modified_on": "Mon, 22 Jan 2024 00:00:00 UTC", "public_key": "oXiGYrSTO+LSCJ3mohc8EP+CzF9K", "status": "active",
            "zone_id": "0da42c8d2132a9ddaf714f9e7c920711" } }] },
        { "mode": "managed", "type": "cloudflare_zone_settings_override", "name": "s", "instances": [{ "attributes": {
            "id": "0da42c8d2132a9ddaf714f9e7c920711", "initial_settings": [{ "always_online": "off" }],
            "initial_settings_read_at": "2024-01-01T00:00:00Z", "readonly_settings": ["advanced_ddos", "polish"],
            "zone_status": "active", "zone_type": "full", "zone_id": "0da42c8d2132a9ddaf714f9e7c920711", "settings": [{
                "always_use_https": "on", "browser_cache_ttl": 14400, "ciphers": [], "cname_flattening": "flatten_at_root",
                "filter_logs_to_cloudflare": "off", "log_to_cloudflare": "on", "min_tls_version": "1.2",
                "mobile_redirect": [{ "mobile_subdomain": "", "status": "off", "strip_uri": false }], "orange_to_orange": "off",
                "polish": "off", "privacy_pass": "on", "security_header": [{ "enabled": false, "include_subdomains": false,
                "max_age": 0, "nosniff": false, "preload": false }], "universal_ssl": "on", "visitor_ip": "on" }] } }] },
        { "mode": "managed", "type": "cloudflare_ruleset", "name": "c", "instances": [{ "attributes": {
            "account_id": null, "description": "", "id": "e2", "kind": "zone", "name": "default", "phase": "http_request_firewall_custom",
            "zone_id": "0da42c8d2132a9ddaf714f9e7c920711", "rules": [{ "action": "block", "action_parameters": [],
                "description": "office only", "enabled": true, "exposed_credential_check": [], "expression": "(ip.src ne 192.0.2.1)",
                "id": "r1", "last_updated": "2024-01-01T00:00:00Z", "logging": [], "ratelimit": [], "ref": "office", "version": "1" }] } }] }
    ] }"#;

/// A state of version 5 of the provider. Its authors wrote only few of the attributes.
const OF_VERSION_5: &str = r#"{ "format_version": "1.0", "terraform_version": "1.9.0", "values": { "root_module": { "resources": [
        { "address": "cloudflare_zone.z", "mode": "managed", "type": "cloudflare_zone", "name": "z", "sensitive_values": { "account": {} }, "values": {
            "account": { "id": "f037", "name": null }, "activated_on": "2024-01-01T00:00:00Z", "cname_suffix": null,
            "created_on": "2024-01-01T00:00:00Z", "development_mode": 0, "id": "77", "meta": { "cdn_only": null,
                "custom_certificate_quota": 0, "dns_only": null, "page_rule_quota": 3, "phishing_detected": false, "step": 4 },
            "modified_on": "2024-01-01T00:00:00Z", "name": "example.com", "name_servers": ["ana.ns.cloudflare.com"],
            "original_dnshost": null, "original_name_servers": ["ns1.example.net"], "original_registrar": null,
            "owner": { "id": null, "name": null, "type": "user" }, "paused": false, "permissions": ["zone:read"],
            "plan": { "id": "0feeeeee", "name": "Free Website", "price": 0, "can_subscribe": false, "is_subscribed": true },
            "status": "active", "tenant": { "id": null, "name": null }, "tenant_unit": { "id": null }, "type": "full",
            "vanity_name_servers": [], "verification_key": null } },
        { "address": "cloudflare_dns_record.www", "mode": "managed", "type": "cloudflare_dns_record", "name": "www", "values": {
            "comment": null, "comment_modified_on": null, "content": "192.0.2.1", "created_on": "2024-01-01T00:00:00Z", "data": null,
            "id": "3", "meta": "{}", "modified_on": "2024-01-01T00:00:00Z", "name": "www.example.com", "priority": null,
            "private_routing": false, "proxiable": true, "proxied": false,
            "settings": { "flatten_cname": null, "ipv4_only": null, "ipv6_only": null }, "tags": [], "tags_modified_on": null,
            "ttl": 300, "type": "A", "zone_id": "77" } },
        { "address": "cloudflare_dns_record.caa", "mode": "managed", "type": "cloudflare_dns_record", "name": "caa", "values": {
            "comment": "kept", "comment_modified_on": "2024-01-01T00:00:00Z", "content": "0 issue \"ca.example.net\"",
            "data": { "algorithm": null, "flags": "0", "tag": "issue", "value": "ca.example.net", "target": null },
            "id": "4", "meta": "{}", "name": "example.com", "priority": null, "proxiable": false, "proxied": false, "settings": {},
            "tags": null, "ttl": 1, "type": "CAA", "zone_id": "77" } },
        { "address": "cloudflare_zone_dnssec.d", "mode": "managed", "type": "cloudflare_zone_dnssec", "name": "d", "values": {
            "algorithm": "13", "digest": "48E9", "digest_algorithm": "SHA256", "digest_type": "2", "dnssec_multi_signer": false,
            "dnssec_presigned": null, "dnssec_use_nsec3": false, "ds": "example.com. 3600", "flags": 257, "id": "77", "key_tag": 42,
            "key_type": "ECDSAP256SHA256", "modified_on": "2024-01-01T00:00:00Z", "public_key": "oXiG", "status": "active", "zone_id": "77" } },
        { "address": "cloudflare_zone_setting.h", "mode": "managed", "type": "cloudflare_zone_setting", "name": "h", "values": {
            "editable": true, "enabled": null, "id": "security_header", "modified_on": "2024-01-01T00:00:00Z",
            "setting_id": "security_header", "time_remaining": 0, "zone_id": "77",
            "value": { "strict_transport_security": { "enabled": true, "max_age": 86400, "nosniff": true } } } },
        { "address": "cloudflare_zone_dns_settings.s", "mode": "managed", "type": "cloudflare_zone_dns_settings", "name": "s", "values": {
            "flatten_all_cnames": false, "foundation_dns": false, "internal_dns": { "reference_zone_id": null }, "multi_provider": true,
            "nameservers": { "ns_set": null, "type": "cloudflare.standard" }, "ns_ttl": 86400, "secondary_overrides": false,
            "soa": { "expire": 604800, "min_ttl": 1800, "mname": null, "refresh": 10000, "retry": 2400,
                "rname": "dns.cloudflare.com", "ttl": 3600 }, "zone_id": "77", "zone_mode": "standard" } },
        { "address": "cloudflare_ruleset.m", "mode": "managed", "type": "cloudflare_ruleset", "name": "m", "values": {
            "account_id": null, "description": "", "id": "e3", "kind": "zone", "last_updated": "2024-01-01T00:00:00Z", "name": "default",
            "phase": "http_request_firewall_managed", "version": "3", "zone_id": "77", "rules": [{ "action": "execute",
                "action_parameters": { "id": "efb7b8c949ac4650a09736fc376e9aee", "version": "latest", "matched_data": null,
                    "overrides": { "action": null, "enabled": null, "categories": null, "rules": [], "sensitivity_level": null } },
                "description": "", "enabled": true, "exposed_credential_check": null, "expression": "true", "id": "r2", "logging": null,
                "ratelimit": null, "ref": "r2" }] } }
    ] } } }"#;

/// A state has every attribute, although its author wrote only few of them.
#[test]
fn a_state_of_either_version_is_imported_whole() {
    for (name, state, entries) in [("old.tfstate", OF_VERSION_4, 9), ("new.json", OF_VERSION_5, 7)]
    {
        let workspace = workspace();
        workspace.file(name, state);
        let ran = offline(&workspace, &format!("./{name}"));
        assert!(!ran.stderr.contains("IMPORT00"), "{name}\n{}", ran.stderr);
        let tallies =
            ran.stderr.lines().filter_map(|line| line.strip_suffix(" imported")?.rsplit_once(": "));
        let tallies: Vec<(&str, &str)> =
            tallies.filter_map(|(_, tally)| tally.split_once(" of ")).collect();
        assert!(tallies.iter().all(|(imported, all)| imported == all), "{}", ran.stderr);
        let imported: usize =
            tallies.iter().map(|(imported, _)| imported.parse::<usize>().unwrap()).sum();
        assert_eq!(imported, entries, "{}", ran.stderr);
        let resources = state.matches("\"mode\": \"managed\"").count();
        assert_eq!(left(&workspace, &format!("./{name}")).len(), resources, "{}", ran.stderr);
    }
}

/// Returns a deployment as Terraform writes it.
fn managed(rules: &str) -> String {
    format!(
        "{ZONE}resource \"cloudflare_ruleset\" \"m\" {{\n  zone_id = cloudflare_zone.z.id\n  name = \"default\"\n  kind = \"zone\"\n  \
         phase = \"http_request_firewall_managed\"\n  rules = [\n{rules}\n  ]\n}}\n"
    )
}

#[test]
fn rules_that_a_spec_does_not_have_are_named_and_stay_in_terraform() {
    const FREE: &str = r#"{ action = "execute", expression = "true", action_parameters = { id = "77454fe2d30c4220b5701f6fdfb893ba" } },"#;
    const OWASP: &str = r#"{ ref = "ow", action = "execute", expression = "true", action_parameters = { id = "4814384a9e5d4991b9815dcfc25d2f1f" } },"#;
    let workspace = workspace();
    for (rules, code, named, tally, is_left) in [
        (
            FREE,
            "IMPORT0002",
            vec!["77454fe2d30c4220b5701f6fdfb893ba (Cloudflare Managed Free Ruleset)"],
            "0 of 1 imported\n",
            false,
        ),
        (OWASP, "", vec![], "1 of 1 imported\n", true),
        (
            &*format!("{FREE}{OWASP}"),
            "IMPORT0012",
            vec!["77454fe2d30c4220b5701f6fdfb893ba"],
            "0 of 1 imported, 1 in part\n",
            false,
        ),
        (
            r#"{ ref = "ow", action = "execute", enabled = false, description = "ours", expression = "http.host eq \"a.example.com\"",
                action_parameters = { id = "4814384a9e5d4991b9815dcfc25d2f1f", version = "3",
                    overrides = { categories = [{ category = "paranoia-level-4", enabled = false }] } } }"#,
            "IMPORT0012",
            vec![
                "`action_parameters.overrides`",
                "`action_parameters.version`",
                "`description`",
                "`expression`",
            ],
            "0 of 1 imported, 1 in part\n",
            false,
        ),
        (
            r#"{ ref = "cf", action = "execute", expression = "true", action_parameters = { id = "efb7b8c949ac4650a09736fc376e9aee",
                matched_data = { public_key = "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=" }, of_tomorrow = "x" } }"#,
            "IMPORT0012",
            vec!["`action_parameters.matched_data`", "`action_parameters.of_tomorrow`"],
            "0 of 1 imported, 1 in part\n",
            false,
        ),
    ] {
        workspace.file("infra/main.tf", managed(rules));
        let ran = offline(&workspace, "./infra/");
        assert!(
            ran.stderr.contains(&format!("cloudflare_ruleset: {tally}")),
            "{rules}\n{}",
            ran.stderr
        );
        for named in named {
            let all = said(&ran, code, "cloudflare_ruleset.m");
            assert!(all.iter().any(|said| said.contains(named)), "{named}\n{}", ran.stderr);
        }
        assert_eq!(
            left(&workspace, "./infra/").contains(&"cloudflare_ruleset.m".to_owned()),
            is_left,
            "{rules}"
        );
    }
}

#[test]
fn a_ruleset_that_no_spec_can_express_is_left_out() {
    let workspace = workspace();
    let rule = "  rules {\n    action = \"managed_challenge\"\n    expression = \"cf.threat_score gt 10\"\n    position { index = 1 }\n  }\n";
    let ruleset = format!(
        "resource \"cloudflare_ruleset\" \"r\" {{\n  zone_id = cloudflare_zone.z.id\n  name = \"r\"\n  kind = \"zone\"\n  \
         phase = \"http_request_firewall_custom\"\n{rule}}}\n"
    );
    workspace.file("infra/main.tf", format!("{ZONE}{ruleset}"));
    let ran = offline(&workspace, "./infra/");
    assert!(!ran.stdout.contains("managed_challenge"), "{}", ran.stdout);
    assert!(ran.stderr.contains("`position` is not part of a rule's definition"), "{}", ran.stderr);
    assert!(ran.stderr.contains("cloudflare_ruleset: 0 of 1 imported"), "{}", ran.stderr);
    let left = left(&workspace, "./infra/");
    assert!(!left.iter().any(|address| address.contains("cloudflare_ruleset")), "{left:?}");
}

#[test]
fn the_description_of_a_ruleset_is_named_and_keeps_it_nowhere() {
    const OWASP: &str = r#"{ ref = "ow", action = "execute", expression = "true", action_parameters = { id = "4814384a9e5d4991b9815dcfc25d2f1f" } },"#;
    let workspace = workspace();
    for value in ["\"ours\"", "var.unknown", "\"\""] {
        let code = managed(OWASP).replace("kind ", &format!("description = {value}\n  kind "));
        assert!(code.contains("description"), "{code}");
        workspace.file("infra/main.tf", code);
        let ran = offline(&workspace, "./infra/");
        assert!(
            ran.stderr.contains("cloudflare_ruleset: 1 of 1 imported\n"),
            "{value}\n{}",
            ran.stderr
        );
        let named = said(&ran, "IMPORT0028", "cloudflare_ruleset.m");
        assert_eq!(named.len(), usize::from(value != "\"\""), "{value}\n{}", ran.stderr);
        assert!(
            left(&workspace, "./infra/").contains(&"cloudflare_ruleset.m".to_owned()),
            "{value}"
        );
    }
}

#[test]
fn what_a_spec_does_not_manage_has_one_name() {
    let workspace = workspace();
    let resource =
        |kind: &str| format!("resource \"{kind}\" \"x\" {{ zone_id = cloudflare_zone.z.id }}\n");
    for (kind, about) in [
        ("cloudflare_page_rule", "page rules"),
        ("cloudflare_access_rule", "IP access rules"),
        ("cloudflare_bot_management", "bot settings"),
        ("cloudflare_zone_lockdown", "zone lockdown rules"),
        ("cloudflare_worker_route", "Workers routes"),
        ("cloudflare_workers_route", "Workers routes"),
        ("cloudflare_load_balancer", "load balancers"),
        ("cloudflare_managed_headers", "managed transforms"),
        ("cloudflare_url_normalization_settings", "URL normalization"),
        ("cloudflare_list", "lists, to which rules refer by name"),
        ("cloudflare_of_tomorrow", "this kind of resource"),
    ] {
        workspace.file("infra/main.tf", format!("{ZONE}{}", resource(kind)));
        let all = said(&offline(&workspace, "./infra/"), "IMPORT0002", &format!("{kind}.x"));
        assert!(
            all.iter().any(|said| said.starts_with(&format!("a spec does not manage {about}"))),
            "{kind}: {all:?}"
        );
    }
}

#[test]
fn settings_get_the_values_of_their_kind() {
    let workspace = workspace();
    let code = format!(
        r#"{ZONE}
resource "cloudflare_zone_setting" "header" {{
  zone_id    = cloudflare_zone.z.id
  setting_id = "security_header"
  value      = jsonencode({{ strict_transport_security = {{ enabled = true, max_age = 31536000 }} }})
}}
resource "cloudflare_zone_setting" "ciphers" {{
  zone_id    = cloudflare_zone.z.id
  setting_id = "ciphers"
  value      = jsonencode(["ECDHE-RSA-AES128-GCM-SHA256"])
}}
resource "cloudflare_zone_setting" "ttl" {{
  zone_id    = cloudflare_zone.z.id
  setting_id = "browser_cache_ttl"
  value      = "14400"
}}
resource "cloudflare_zone_setting" "tls" {{
  zone_id    = cloudflare_zone.z.id
  setting_id = "min_tls_version"
  value      = 1.2
}}
resource "cloudflare_zone_setting" "wrong" {{
  zone_id    = cloudflare_zone.z.id
  setting_id = "ssl"
  value      = "strictest"
}}
resource "cloudflare_zone_setting" "recommender" {{
  zone_id    = cloudflare_zone.z.id
  setting_id = "ssl_recommender"
  enabled    = true
  value      = "on"
}}
resource "cloudflare_dns_record" "json" {{
  zone_id = cloudflare_zone.z.id
  name    = "json"
  type    = "TXT"
  ttl     = 1
  content = jsonencode({{ a = [1] }})
}}
resource "cloudflare_zone_dns_settings" "d" {{
  zone_id            = cloudflare_zone.z.id
  flatten_all_cnames = true
  multi_provider     = true
  foundation_dns     = true
  soa                = {{ rname = "dns.example.com", ttl = 3600 }}
}}
"#
    );
    workspace.file("infra/main.tf", code);
    let ran = offline(&workspace, "./infra/");
    for expected in [
        "strict_transport_security:\n          enabled: true\n          max_age: 31536000",
        "browser_cache_ttl: 14400",
        "min_tls_version: \"1.2\"",
        "flatten_all_cnames: true",
        "multi_provider: true",
        "rname: dns.example.com",
    ] {
        assert!(ran.stdout.contains(expected), "{expected}\n{}", ran.stdout);
    }
    assert!(ran.stdout.contains(r#"{\\\"a\\\":[1]}"#), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("cloudflare_zone_setting.wrong: `ssl` cannot be `strictest`"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        said(&ran, "IMPORT0012", "cloudflare_zone_dns_settings.d"),
        ["`foundation_dns` is not in the spec"]
    );
    assert!(ran.stderr.contains("cloudflare_zone_setting: 4 of 6 imported\n"), "{}", ran.stderr);
    let left = left(&workspace, "./infra/");
    for stays in ["wrong", "recommender", "zone_dns_settings"] {
        assert!(!left.iter().any(|address| address.contains(stays)), "{left:?}");
    }
}

#[test]
fn what_terraform_leaves_alone_is_not_imported_as_its_value() {
    let workspace = workspace();
    let record = |name: &str, ignored: &str| {
        format!(
            "resource \"cloudflare_record\" \"{name}\" {{\n  zone_id = cloudflare_zone.z.id\n  name = \"{name}\"\n  type = \"A\"\n  \
             value = \"192.0.2.1\"\n  comment = \"placeholder\"\n  lifecycle {{\n    ignore_changes = {ignored}\n  }}\n}}\n"
        )
    };
    let all = [
        record("dynamic", "[value]"),
        record("text", "[\"value\"]"),
        record("everything", "all"),
        record("note", "[comment, tags]"),
        record("nothing", "[]"),
        // An attribute that the resource does not state, and that has a meaning then.
        record("proxied", "[proxied]"),
        record("ttl", "[ttl]"),
        record("modified", "[modified_on]"),
    ];
    workspace.file("infra/main.tf", format!("{ZONE}{}", all.concat()));
    let ran = offline(&workspace, "./infra/");
    for name in ["dynamic", "text", "everything", "proxied", "ttl"] {
        assert!(!ran.stdout.contains(&format!("name: {name}")), "{}", ran.stdout);
        let said = said(&ran, "IMPORT0003", &format!("cloudflare_record.{name}"));
        assert!(said.iter().any(|said| said.contains("`ignore_changes` leaves")), "{}", ran.stderr);
    }
    assert!(
        ran.stdout.contains("name: note") && ran.stdout.matches("placeholder").count() == 2,
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("cloudflare_record: 3 of 8 imported\n"), "{}", ran.stderr);
}

#[test]
fn a_filter_is_handed_over_with_its_rule_or_named() {
    let workspace = workspace();
    let filter = |name: &str| {
        format!(
            "resource \"cloudflare_filter\" \"{name}\" {{\n  zone_id = cloudflare_zone.z.id\n  expression = \"(ip.src eq 192.0.2.66)\"\n}}\n"
        )
    };
    let rule = |name: &str, action: &str| {
        format!(
            "resource \"cloudflare_firewall_rule\" \"{name}\" {{\n  zone_id = cloudflare_zone.z.id\n  \
             filter_id = cloudflare_filter.{name}.id\n  {action}\n}}\n"
        )
    };
    let all = [
        filter("good"),
        rule("good", "action = \"block\""),
        filter("old"),
        rule("old", "action = \"bypass\"\n  products = [\"waf\"]"),
        filter("lonely"),
        filter("odd"),
        rule("odd", "action = \"block\"\n  colour = \"red\""),
    ];
    workspace.file("infra/main.tf", format!("{ZONE}{}", all.concat()));
    let ran = offline(&workspace, "./infra/");
    assert!(
        ran.stderr.contains("cloudflare_filter.lonely: no firewall rule that is imported uses it"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        said(&ran, "IMPORT0012", "cloudflare_firewall_rule.odd"),
        ["`colour` is not in the spec"],
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("cloudflare_filter: 1 of 4 imported\n"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("cloudflare_firewall_rule: 1 of 3 imported, 1 in part\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        left(&workspace, "./infra/"),
        ["cloudflare_filter.good", "cloudflare_firewall_rule.good", "cloudflare_zone.z"]
    );
}
