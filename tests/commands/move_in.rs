//! Moving from another tool: the layout of an import, the comparison with Cloudflare, and how to
//! leave the old tool.

use serde_json::json;

use crate::support::workspace::{Workspace, options};

fn workspace() -> Workspace {
    Workspace::empty(options())
}

/// Imports without a comparison, and checks the spec.
#[track_caller]
fn imported(workspace: &Workspace, arguments: &[&str]) -> (String, String) {
    let all: Vec<&str> = ["import", "--offline"].iter().chain(arguments).copied().collect();
    let ran = workspace.run(&all).exits(0);
    workspace.file("spec.yaml", &ran.stdout);
    workspace.run(&["validate", "spec.yaml"]).exits(0);
    workspace.run(&["fmt", "spec.yaml", "--check"]).exits(0);
    assert_eq!(workspace.run(&all).stdout, ran.stdout, "the same input gives the same bytes");
    (ran.stdout, ran.stderr)
}

/// Returns a spec without alignment of its records.
fn unaligned(spec: &str) -> String {
    spec.lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}

const INFRA: &str = r##"
variable "hosts" {
  type = map(object({ ip = string, ttl = optional(number, 300), proxied = optional(bool) }))
}
resource "cloudflare_zone" "main" { zone = "example.com" }

# ---------------
# The web server.
// Ask the web team.
resource "cloudflare_record" "host" {
  for_each = var.hosts
  zone_id  = cloudflare_zone.main.id
  name     = each.key
  type     = "A" # "one" address
  value    = each.value.ip

  // Low, because it moves.
  ttl      = each.value.proxied == true ? 1 : each.value.ttl
  proxied  = each.value.proxied
}
resource "cloudflare_record" "from_file" {
  for_each = yamldecode(file("${path.module}/data/records.yaml"))
  zone_id  = cloudflare_zone.main.id
  name     = each.key
  type     = each.value.type
  value    = each.value.value
  proxied  = each.value.proxied == true
}
resource "cloudflare_record" "policy" {
  zone_id = cloudflare_zone.main.id
  name    = replace("_dmarc.EXAMPLE", "/\\.[A-Z]+$/", "")
  type    = "TXT"
  value   = templatefile("data/dmarc.tpl", { to = "post@example.com", parts = ["a", "b"] })
}
resource "cloudflare_record" "outside" {
  zone_id = cloudflare_zone.main.id
  name    = "outside"
  type    = "TXT"
  value   = file("../secret.txt")
}
resource "cloudflare_record" "gone" {
  zone_id = cloudflare_zone.main.id
  name    = "gone"
  type    = "TXT"
  value   = file("data/link.txt")
}
"##;

/// Returns a configuration that reads files beside it.
fn infra() -> Workspace {
    let workspace = workspace();
    workspace.file("infra/main.tf", INFRA);
    workspace.file(
        "infra/terraform.tfvars",
        "hosts = { www = { ip = \"192.0.2.1\", proxied = true }, api = { ip = \"192.0.2.2\" } }\n",
    );
    workspace.file(
        "infra/data/records.yaml",
        "mail: { type: CNAME, value: mail.example.net, proxied: true }\nplain: { type: A, value: 192.0.2.3, proxied: \"true\" }\n",
    );
    workspace.file(
        "infra/data/dmarc.tpl",
        "v=DMARC1; p=none; rua=mailto:${to}%{ for p in parts }; x=${p}%{ endfor }",
    );
    workspace.file("secret.txt", "root:x:0");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../../secret.txt", workspace.path().join("infra/data/link.txt"))
        .unwrap();
    workspace
}

#[test]
fn a_configuration_reads_its_own_files_and_no_others() {
    let workspace = infra();
    let (spec, said) = imported(&workspace, &["./infra/"]);
    let in_one_column = unaligned(&spec);
    for line in [
        "- { name: www, type: A, content: 192.0.2.1, proxied: true }",
        "- { name: api, type: A, content: 192.0.2.2, ttl: 300, proxied: false }",
        "- { name: mail, type: CNAME, content: mail.example.net, proxied: true }",
        "- { name: plain, type: A, content: 192.0.2.3, ttl: auto, proxied: false }",
        "- { name: _dmarc, type: TXT, content: \"v=DMARC1; p=none; rua=mailto:post@example.com; x=a; x=b\", ttl: auto }",
    ] {
        assert!(in_one_column.contains(line), "{line}\n{spec}\n{said}");
    }
    assert!(!spec.contains("root:") && !said.contains("root:"), "{spec}\n{said}");
    assert!(said.contains("`../secret.txt` is not below the directory"), "{said}");
    #[cfg(unix)]
    assert!(said.contains("`data/link.txt` leads out of the directory"), "{said}");
    // Comments are kept, once.
    let comments = "      # The web server.\n      # Ask the web team.\n      # \"one\" address\n      # Low, because it moves.\n";
    assert_eq!(spec.matches(comments).count(), 1, "{spec}");
    assert!(!spec.contains("---"), "{spec}");
}

#[test]
fn the_old_tool_is_left_without_deleting_anything() {
    let workspace = infra();
    let text = workspace.run(&["import", "./infra/", "--handover", "text"]).exits(0).stdout;
    for part in [
        "removed {\n  from = cloudflare_zone.main\n\n  lifecycle {\n    destroy = false\n  }\n}\n",
        "from = cloudflare_record.host\n",
        "2 resources at Cloudflare not imported",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("outside"), "{text}");
    let script = workspace.run(&["import", "./infra/", "--handover", "script"]).exits(0).stdout;
    assert!(
        script.starts_with("#!/bin/sh\n") && script.contains("state rm 'cloudflare_record.host'\n"),
        "{script}"
    );
    assert_eq!(workspace.writes().len(), 0);
    workspace.file("config/example.com.yaml", "www: { type: A, value: 192.0.2.1 }\n");
    let octodns = workspace.run(&["import", "./config/", "--handover", "text"]).exits(0).stdout;
    assert!(octodns.contains("remove the zone `example.com.`"), "{octodns}");
    workspace.file("example.com.zone", "$ORIGIN example.com.\nwww 300 IN A 192.0.2.1\n");
    let nothing = workspace.run(&["import", "./example.com.zone", "--handover", "text"]).exits(1);
    assert!(
        nothing.stderr.contains("--handover needs a source that Terraform, octoDNS"),
        "{}",
        nothing.stderr
    );
}

/// A script that a shell runs, with a program in place of Terraform that prints its arguments.
#[cfg(unix)]
#[test]
fn a_shell_takes_hostile_addresses_as_words() {
    let workspace = workspace();
    let key = "a'; touch pwned; echo '$(touch pwned)`touch pwned`";
    let record = |name: &str, key: &str| {
        json!({ "mode": "managed", "type": "cloudflare_record", "name": name, "instances": [
            { "index_key": key, "attributes": { "id": "1", "zone_id": "z", "name": "www", "type": "A", "content": "192.0.2.1", "ttl": 1 } },
            { "index_key": "other", "attributes": { "id": "2", "zone_id": "z", "name": "bad name", "type": "A", "content": "x", "ttl": 1 } }] })
    };
    let state = json!({ "version": 4, "terraform_version": "1.9.0",
        "resources": [record("www", key), record("x; touch pwned", "a"), record("new", "a\ntouch pwned")] });
    workspace.file("terraform.tfstate", state.to_string());
    let arguments =
        ["import", "./terraform.tfstate", "--zone-name", "example.com", "--handover", "script"];
    let script = workspace.run(&arguments).exits(0).stdout;
    let file = workspace.file("handover.sh", &script);
    let terraform = workspace.file("terraform", "#!/bin/sh\nprintf '%s\\n' \"$*\"\n");
    std::fs::set_permissions(&terraform, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let mut shell = std::process::Command::new("sh");
    let ran =
        shell.arg(file).env("TERRAFORM", terraform).current_dir(workspace.path()).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{script}");
    assert_eq!(said.lines().count(), 2, "{said}\n{script}");
    assert!(
        said.contains("$(touch pwned)`touch pwned`") && said.contains("[\"a\\ntouch pwned\"]"),
        "{said}"
    );
    assert!(!workspace.path().join("pwned").exists(), "{script}");
    assert!(script.contains("1 resource not listed"), "{script}");
}

#[test]
fn what_the_source_and_cloudflare_say_is_compared() {
    let workspace = workspace();
    workspace.plant(&json!({ "zones": [{ "name": "example.com" }] }));
    workspace.plant_records(json!([
        { "name": "www.example.com", "type": "A", "content": "192.0.2.1", "ttl": 60 },
        { "name": "same.example.com", "type": "A", "content": "192.0.2.2", "ttl": 300 },
        { "name": "forgotten.example.com", "type": "A", "content": "192.0.2.3", "ttl": 300 },
    ]));
    let zone = "$ORIGIN example.com.\n; the web\nwww 300 IN A 192.0.2.1\nsame 300 IN A 192.0.2.2\nnew 300 IN A 192.0.2.4 ; soon\n";
    workspace.file("example.com.zone", zone);
    let check = |ran: &crate::support::workspace::Ran| {
        for said in [
            "IMPORT0007",
            "example.com: new A 192.0.2.4",
            "IMPORT0008",
            "example.com: forgotten A 192.0.2.3",
            "IMPORT0009",
            "`ttl` is 300 in the source and 60 at Cloudflare",
            "./example.com.zone:3:1",
            "compared with Cloudflare: 1 record equal, 1 different, 1 only in the source, 1 only at Cloudflare",
        ] {
            assert!(ran.stderr.contains(said), "{said}\n{}", ran.stderr);
        }
        assert!(
            ran.stdout.contains("      # the web\n") && ran.stdout.contains("      # soon\n"),
            "{}",
            ran.stdout
        );
    };
    let live = workspace.run(&["import", "./example.com.zone"]).exits(0);
    check(&live);
    assert_eq!(workspace.writes().len(), 0);
    workspace.file("spec.yaml", &live.stdout);
    workspace.run(&["snapshot", "spec.yaml", "--out", "s.json.gz"]).exits(0);
    let requests = workspace.requests().len();
    check(&workspace.run(&["import", "./example.com.zone", "--against", "s.json.gz"]).exits(0));
    // Rules that exist only in the source.
    workspace.file(
        "main.tf",
        r#"
resource "cloudflare_zone" "this" { zone = "example.com" }
resource "cloudflare_record" "www" {
  zone_id = cloudflare_zone.this.id
  name    = "www"
  type    = "A"
  value   = "192.0.2.1"
  ttl     = 60
  comment = "web"
}
resource "cloudflare_ruleset" "custom" {
  zone_id = cloudflare_zone.this.id
  name    = "custom"
  kind    = "zone"
  phase   = "http_request_firewall_custom"
  rules {
    action     = "block"
    expression = "http.host eq \"a.example.com\""
  }
}
"#,
    );
    let ran = workspace.run(&["import", "./main.tf", "--against", "s.json.gz"]).exits(0);
    let only_in_source = ran.stderr.split("IMPORT0007").nth(1).unwrap_or_default();
    assert!(
        only_in_source.contains("example.com/waf/http_request_firewall_custom/custom-1\n"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("`comment` is web in the source and none at Cloudflare"),
        "{}",
        ran.stderr
    );
    let offline = workspace.run(&["import", "./example.com.zone", "--offline"]).exits(0);
    assert!(!offline.stderr.contains("IMPORT000"), "{}", offline.stderr);
    assert_eq!(workspace.requests().len(), requests);
    // If the zone is not at Cloudflare, or a comparison fails, the import still succeeds.
    workspace.file("other.zone", "$ORIGIN example.org.\nwww 300 IN A 192.0.2.1\n");
    let other = workspace.run(&["import", "./other.zone"]).exits(0);
    assert!(
        other
            .stderr
            .contains("the zone example.org does not exist, or these credentials cannot see it"),
        "{}",
        other.stderr
    );
    let cut =
        workspace.run(&["import", "./other.zone", "--base-url", "http://127.0.0.1:9/"]).exits(0);
    assert!(cut.stderr.contains("not compared with Cloudflare"), "{}", cut.stderr);
    workspace.run(&["import", "./other.zone", "--against", "missing.json.gz"]).exits(1);
}

const CUSTOM: &str = r#"
resource "cloudflare_zone" "this" { zone = "example.com" }
resource "cloudflare_ruleset" "custom" {
  zone_id = cloudflare_zone.this.id
  name    = "custom"
  kind    = "zone"
  phase   = "http_request_firewall_custom"
  rules {
    ref        = "ours"
    action     = "block"
    expression = "http.host eq \"a.example.com\""
  }
  rules {
    ref        = "new"
    action     = "block"
    expression = "http.host eq \"b.example.com\""
  }
}
resource "cloudflare_page_rule" "p" {
  zone_id = cloudflare_zone.this.id
  target  = "example.com/*"
}
"#;

#[test]
fn rules_that_only_cloudflare_has_are_named_and_quiet_hides_no_difference() {
    let workspace = workspace();
    workspace.plant(&json!({ "zones": [{ "name": "example.com" }] }));
    let rule = |name: &str, host: &str| {
        format!(
            "        - {{ name: {name}, when: 'http.host eq \"{host}.example.com\"', action: block }}\n"
        )
    };
    let rules = rule("ours", "a") + &rule("dashboard", "c");
    workspace.file(
        "live.yaml",
        format!("version: 1\nzones:\n  example.com:\n    waf:\n      custom:\n{rules}"),
    );
    workspace.run(&["apply", "live.yaml", "--yes"]).exits(0);
    workspace.file("main.tf", CUSTOM);
    let counts = "compared with Cloudflare: 0 records equal, 0 different, 1 only in the source, 1 only at Cloudflare";
    let said = workspace.run(&["import", "./main.tf"]).exits(0).stderr;
    let part = |code: &str| {
        said.split(code)
            .nth(1)
            .unwrap_or_default()
            .split("\n\n")
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(
        part("IMPORT0007").contains("example.com/waf/http_request_firewall_custom/new"),
        "{said}"
    );
    assert!(
        part("IMPORT0008").contains("example.com/waf/http_request_firewall_custom/dashboard"),
        "{said}"
    );
    assert!(said.contains(counts), "{said}");
    let quiet = workspace.run(&["import", "./main.tf", "--quiet"]).exits(0).stderr;
    let lines: Vec<&str> = quiet.lines().collect();
    assert_eq!(
        lines,
        [
            "2 of 3 entries imported; run without --quiet to list the others",
            &format!("{counts}; run without --quiet to list each difference"),
        ]
    );
    // Nothing is reported if nothing is missing.
    workspace.file("equal.zone", "$ORIGIN example.com.\n@ 300 IN SOA a. b. 1 2 3 4 5\n");
    assert_eq!(workspace.run(&["import", "./equal.zone", "--quiet"]).exits(0).stderr, "");
}

const MANAGED: &str = r#"
locals { zones = ["example.com", "example.org"] }
resource "cloudflare_zone" "all" {
  for_each = toset(local.zones)
  zone     = each.key
}
resource "cloudflare_record" "www" {
  for_each = toset(["www", "api", "app"])
  zone_id  = cloudflare_zone.all["example.com"].id
  name     = each.key
  type     = "A"
  value    = "192.0.2.1"
}
resource "cloudflare_ruleset" "managed" {
  for_each = toset(local.zones)
  zone_id  = cloudflare_zone.all[each.key].id
  name     = "managed"
  kind     = "zone"
  phase    = "http_request_firewall_managed"
  rules {
    action     = "execute"
    expression = "true"
    action_parameters {
      id = "4814384a9e5d4991b9815dcfc25d2f1f"
      overrides {
        categories {
          category = "paranoia-level-2"
          enabled  = true
        }
      }
    }
  }
}
"#;

#[test]
fn what_the_old_code_really_does_is_said() {
    let workspace = workspace();
    workspace.file("main.tf", MANAGED);
    let (_, said) = imported(&workspace, &["./main.tf"]);
    let words = "level 2 is switched on, but no level above it is switched off, so level 4 applies";
    assert!(said.contains("IMPORT0006") && said.contains(words), "{said}");
}

#[test]
fn shared_values_are_lifted_where_that_is_asked() {
    let workspace = workspace();
    workspace.file("main.tf", MANAGED);
    let (plain, _) = imported(&workspace, &["./main.tf"]);
    assert!(!plain.contains("profiles:") && !plain.contains("variables:"), "{plain}");
    // The printed spec names the profile of a value in a comment.
    let printed = |spec: &str| {
        let text = workspace.run(&["validate", spec, "--print"]).exits(0).stdout;
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("# profile "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let meant = printed("spec.yaml");
    let (factored, _) = imported(&workspace, &["./main.tf", "--factor"]);
    for part in [
        "profiles:\n  shared:\n",
        "ADDRESS_192_0_2_1: 192.0.2.1",
        "content: \"${ADDRESS_192_0_2_1}\"",
        "use:\n",
    ] {
        assert!(factored.contains(part), "{part}\n{factored}");
    }
    assert_eq!(printed("spec.yaml"), meant);
    workspace.run(&["import", "--offline", "./main.tf", "--factor", "--out", "zones"]).exits(0);
    let names = [
        "shared.yaml",
        "example.com.yaml",
        "example.com.waf.yaml",
        "example.org.yaml",
        "example.org.waf.yaml",
    ];
    assert!(names.iter().all(|name| workspace.path().join("zones").join(name).exists()));
    assert_eq!(printed("zones/"), meant);
    let one = workspace
        .run(&["import", "--offline", "./main.tf", "--zone", "example.org"])
        .exits(0)
        .stdout;
    assert!(one.contains("example.org:") && !one.contains("example.com:"), "{one}");
    workspace.run(&["import", "--offline", "./main.tf", "--zone", "example.net"]).exits(1);
}

#[test]
fn a_zone_file_is_believed_about_its_zone_and_a_name_has_one_alias() {
    let workspace = workspace();
    workspace.file("a.zone", "$ORIGIN net.\n@ 300 IN SOA a. b. 1 2 3 4 5\n");
    workspace.file(
        "b.zone",
        "$ORIGIN net.\nexample 300 IN SOA ns.example.net. root.example.net. 1 2 3 4 5\n\
         $ORIGIN example.net.\nwww 300 IN CNAME one.example.org.\nwww 300 IN CNAME two.example.org.\n",
    );
    // The option cannot move the zone of a SOA record.
    let refused =
        workspace.run(&["import", "./b.zone", "--zone-name", "example.com", "--offline"]).exits(1);
    assert!(
        refused.stderr.contains("is of example.net, and `--zone-name` says example.com"),
        "{}",
        refused.stderr
    );
    let (spec, said) = imported(&workspace, &["./b.zone"]);
    assert!(
        spec.contains("example.net:")
            && spec.contains("one.example.org")
            && !spec.contains("two.example.org"),
        "{spec}"
    );
    assert!(said.contains("the name has another CNAME already"), "{said}");
    // Also in several sources, and beside an address.
    workspace.file(
        "more.csv",
        "name,type,content\nwww,A,192.0.2.1\nwww,TXT,text\nwww,CNAME,one.example.org\n",
    );
    let (spec, said) =
        imported(&workspace, &["./b.zone", "./more.csv", "--zone-name", "example.net"]);
    assert!(
        said.contains(
            "the name has a record of type CNAME already, and A cannot share a name with it"
        ),
        "{said}"
    );
    workspace.file("merged.yaml", &spec);
    workspace.run(&["validate", "merged.yaml"]).exits(0);
    assert!(spec.contains("text") && !spec.contains("192.0.2.1"), "{spec}");
    workspace.file("c.zone", "www 300 IN A 192.0.2.1\n");
    let (spec, _) = imported(&workspace, &["./c.zone", "--zone-name", "example.com"]);
    assert!(spec.contains("example.com:"), "{spec}");
    // Cloudflare's own export names the zone without a final dot, and has no `$ORIGIN`.
    let own = "\
;;
;; Domain:     example.net.
;; SOA Record
example.net\t3600\tIN\tSOA\tada.ns.cloudflare.com. dns.cloudflare.com. 1 10000 2400 604800 3600

;; NS Records
example.net\t86400\tIN\tNS\tada.ns.cloudflare.com.

;; A Records
www.example.net.\t1\tIN\tA\t192.0.2.1 ; cf_tags=cf-proxied:true
";
    workspace.file("cloudflare.txt", own);
    let (spec, said) = imported(&workspace, &["./cloudflare.txt", "--from", "bind"]);
    assert!(
        spec.contains("  example.net:\n")
            && spec.contains("name: www, type: A, content: 192.0.2.1, proxied: true"),
        "{spec}"
    );
    assert!(!spec.contains('#') && said.contains("record: 1 of 2 imported"), "{spec}\n{said}");
}
