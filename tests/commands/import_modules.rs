//! `import` of Terraform configurations that call modules beside them.

use crate::support::workspace::{Workspace, options};

const ROOT: &str = r#"
locals {
  zones = { "example.com" = ["192.0.2.1", "192.0.2.2"], "example.net" = ["192.0.2.3"] }
}
module "zone" {
  source   = "./modules/zone"
  for_each = local.zones
  name     = each.key
}
module "web" {
  source    = "../shared/web/"
  for_each  = local.zones
  zone_id   = module.zone[each.key].id
  addresses = { for n, ip in each.value : "www${n}" => ip }
}
module "mail" {
  source  = "../shared/web"
  count   = 1
  zone_id = module.zone["example.com"].id
  name    = module.zone["example.com"].facts.mail
}
resource "cloudflare_record" "direct" {
  zone_id = module.zone["example.net"].id
  name    = "direct"
  type    = "TXT"
  value   = join(",", [for m in module.mail : m.first])
}
module "registry" {
  source  = "cloudposse/zone/cloudflare"
  version = "1.0.0"
}
module "absent" {
  source = "../elsewhere"
}
module "unknown" {
  source   = "../shared/web"
  for_each = toset(aws_thing.this.names)
  zone_id  = module.zone["example.com"].id
}
resource "cloudflare_record" "from_registry" {
  zone_id = module.zone["example.com"].id
  name    = module.registry.name
  type    = "A"
  value   = "192.0.2.9"
}
"#;

const ZONE: &str = r#"
variable "name" { type = string }
resource "cloudflare_zone" "this" { zone = var.name }
output "id" { value = cloudflare_zone.this.id }
output "facts" { value = { mail = "mail" } }
"#;

const WEB: &str = r#"
variable "zone_id" {}
variable "addresses" {
  type    = map(string)
  default = {}
}
variable "name" { default = null }
# One host.
resource "cloudflare_record" "host" {
  for_each = var.name == null ? var.addresses : { (var.name) = "192.0.2.8" }
  zone_id  = var.zone_id
  name     = each.key
  type     = "A"
  value    = each.value
}
output "first" { value = one([for r in cloudflare_record.host : r.value]) }
"#;

#[test]
fn modules_beside_a_configuration_are_read_with_their_inputs() {
    let workspace = Workspace::empty(options());
    workspace.file("live/main.tf", ROOT);
    workspace.file("live/modules/zone/main.tf", ZONE);
    workspace.file("shared/web/main.tf", WEB);
    // A module has no files of values.
    workspace.file("shared/web/terraform.tfvars", "name = \"never\"\n");
    let ran = workspace.run(&["import", ".", "--offline"]).exits(0);
    workspace.file("spec.yaml", &ran.stdout);
    workspace.run(&["validate", "spec.yaml"]).exits(0);
    let (com, net) = ran.stdout.split_once("  example.net:").unwrap();
    for (zone, name, content) in [
        (com, "www0", "192.0.2.1"),
        (com, "www1", "192.0.2.2"),
        (com, "mail", "192.0.2.8"),
        (net, "www0", "192.0.2.3"),
        (net, "direct", "192.0.2.8"),
    ] {
        let is_there =
            |line: &str| line.contains(&format!("name: {name},")) && line.contains(content);
        assert!(zone.lines().any(is_there), "{name} {content}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("never") && ran.stdout.contains("# One host."), "{}", ran.stdout);
    assert!(ran.stderr.contains("cloudflare_record: 5 of 6 imported"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("cloudflare_zone: 2 of 2 imported")
            && ran.stderr.contains("module: 3 of 6 imported"),
        "{}",
        ran.stderr
    );
    for words in [
        "module.registry: modules of other places are not fetched; import the state (`terraform show -json`)",
        "module.absent: `../elsewhere` is not among the files that were read; import the directory that contains both",
        "cloudflare_record.from_registry: `module.registry` is not read",
    ] {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    // Addresses are those of the state.
    let script =
        workspace.run(&["import", ".", "--offline", "--handover", "script"]).exits(0).stdout;
    for address in [
        "module.zone[\"example.com\"].cloudflare_zone.this",
        "module.mail[0].cloudflare_record.host",
    ] {
        assert!(script.contains(&format!("state rm '{address}'")), "{address}: {script}");
    }
    // One directory alone does not contain the modules of another.
    let ran = workspace.run(&["import", "./live", "--offline"]).exits(0);
    assert!(
        ran.stderr.contains("module.web: `../shared/web/` is not among the files that were read"),
        "{}",
        ran.stderr
    );
}

#[test]
fn outputs_that_need_each_other_have_no_value() {
    let workspace = Workspace::empty(options());
    workspace.file("b/main.tf", "variable \"x\" {}\noutput \"x\" { value = var.x }\n");
    workspace.file(
        "main.tf",
        "module \"b\" {\n  source = \"./b\"\n  x = module.c.x\n}\nmodule \"c\" {\n  source = \"./b\"\n  x = module.b.x\n}\n\
         resource \"cloudflare_zone\" \"z\" {\n  zone = \"example.com\"\n}\n\
         resource \"cloudflare_dns_record\" \"r\" {\n  zone_id = cloudflare_zone.z.id\n  name = \"www\"\n  type = \"TXT\"\n  ttl = 300\n  \
         content = module.b.x\n}\n",
    );
    let ran = workspace.run(&["import", ".", "--from", "terraform", "--offline"]).exits(0);
    assert!(ran.stdout.contains("records: []"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("cloudflare_dns_record.r: `module.b.x` refers to itself"),
        "{}",
        ran.stderr
    );
}

#[test]
fn modules_may_use_the_outputs_of_each_other() {
    let workspace = Workspace::empty(options());
    workspace.file(
        "main.tf",
        r#"
resource "cloudflare_zone" "this" { zone = "example.com" }
module "mail" {
  source  = "./mail"
  zone_id = cloudflare_zone.this.id
  web     = module.web["a"].address
}
module "web" {
  source   = "./web"
  for_each = { a = "192.0.2.1" }
  address  = each.value
  zone_id  = cloudflare_zone.this.id
  mail     = module.mail.host
}
module "counted" {
  source  = "./web"
  count   = 2
  zone_id = cloudflare_zone.this.id
  address = module.web["a"].address
  mail    = "counted${count.index}"
}
# Whole modules contain every output.
locals { all = [for m in module.web : m.address if module.counted[1].name == "counted1"] }
module "last" {
  source  = "./web"
  zone_id = cloudflare_zone.this.id
  address = one(local.all)
  mail    = "last"
}
"#,
    );
    workspace.file(
        "mail/main.tf",
        r#"
variable "zone_id" {}
variable "web" {}
resource "cloudflare_record" "web" {
  zone_id = var.zone_id
  name    = "mailweb"
  type    = "A"
  value   = var.web
}
output "host" { value = "mail" }
"#,
    );
    workspace.file(
        "web/main.tf",
        r#"
variable "zone_id" {}
variable "address" {}
variable "mail" {}
resource "cloudflare_record" "this" {
  zone_id = var.zone_id
  name    = var.mail
  type    = "A"
  value   = var.address
}
output "address" { value = var.address }
output "name" { value = var.mail }
"#,
    );
    // A module has no files of values: this one is not even read.
    workspace.file("web/terraform.tfvars", "address = \n");
    let ran = workspace.run(&["import", ".", "--from", "terraform", "--offline"]).exits(0);
    let mut found = records(&ran.stdout);
    found.sort();
    let expected = [
        ("counted0", "192.0.2.1"),
        ("counted1", "192.0.2.1"),
        ("last", "192.0.2.1"),
        ("mail", "192.0.2.1"),
        ("mailweb", "192.0.2.1"),
    ];
    assert_eq!(
        found,
        expected.map(|(name, value)| (name.to_owned(), value.to_owned())),
        "{}",
        ran.stderr
    );
    // That of a directory that nothing calls is.
    let ran = workspace.run(&["import", "./web", "--offline"]).exits(1);
    assert!(ran.stderr.contains("web/terraform.tfvars"), "{}", ran.stderr);
}

#[test]
fn modules_that_call_each_other_come_to_an_end() {
    let call = |name: &str, source: &str, more: &str| {
        format!("module \"{name}\" {{\n  source = \"{source}\"\n{more}}}\n")
    };
    for (a, b) in [
        // A circle.
        (call("b", "../b", ""), call("a", "../a", "")),
        // Itself.
        (call("a", ".", ""), String::new()),
        // Many times, at each level.
        (call("b", "../b", "  count = 100\n"), call("a", "../a", "  count = 100\n")),
    ] {
        // With a directory that begins it, and without.
        for begins in [true, false] {
            let workspace = Workspace::empty(options());
            workspace.file("a/main.tf", &a);
            workspace.file("b/main.tf", &b);
            if begins {
                workspace.file("main.tf", call("a", "./a", ""));
            }
            let ran = workspace.run(&["import", ".", "--from", "terraform", "--offline"]).exits(1);
            assert!(ran.stderr.contains("no zone was found"), "{}", ran.stderr);
            assert!(ran.stderr.contains("calls itself"), "{a}\n{}", ran.stderr);
        }
    }
}

#[test]
fn a_directory_that_is_also_named_on_its_own_is_read_once() {
    let workspace = Workspace::empty(options());
    workspace.file(
        "live/main.tf",
        "module \"zone\" {\n  source = \"./modules/zone\"\n  name = \"example.com\"\n}\n\
         module \"web\" {\n  source = \"./modules/web\"\n  zone_id = module.zone.id\n  name = \"www\"\n}\n\
         module \"api\" {\n  source = \"./modules/web\"\n  zone_id = module.zone.id\n  name = \"api\"\n}\n",
    );
    workspace.file("live/modules/zone/main.tf", ZONE);
    workspace.file("live/modules/web/main.tf", WEB);
    let once = workspace.run(&["import", "./live", "--offline"]).exits(0);
    assert!(once.stderr.contains("cloudflare_record: 2 of 2 imported"), "{}", once.stderr);
    let absolute = workspace.path().join("live/modules/web");
    let twice = [
        "import",
        "./live",
        "./live/modules/zone",
        "./live/../live/modules/web/main.tf",
        absolute.to_str().unwrap(),
        "--offline",
    ];
    let twice = workspace.run(&twice).exits(0);
    assert_eq!((twice.stdout, twice.stderr), (once.stdout, once.stderr));
}

/// Returns the names and values of the records of a spec.
fn records(spec: &str) -> Vec<(String, String)> {
    let value = |line: &str, key: &str| {
        let rest = line.split_once(&format!("{key}: "))?.1;
        Some(rest.split([',', '}']).next()?.trim().trim_matches(['"', '\'']).to_owned())
    };
    spec.lines().filter_map(|line| Some((value(line, "name")?, value(line, "content")?))).collect()
}

#[test]
fn inputs_have_the_values_that_terraform_gives_them() {
    let workspace = Workspace::empty(options());
    workspace.file(
        "main.tf",
        r#"
resource "cloudflare_zone" "this" { zone = "example.com" }
module "dns" {
  source     = "./dns"
  zone_id    = cloudflare_zone.this.id
  connection = "a"
  provider   = "b"
  filled     = null
  nothing    = null
  number     = "7"
  object     = { host = "c" }
}
"#,
    );
    workspace.file("root.txt", "root");
    workspace.file("dns/root.txt", "not this one");
    workspace.file("dns/own.txt", "own");
    workspace.file(
        "dns/main.tf",
        r#"
variable "zone_id" {}
variable "connection" { default = "wrong" }
variable "provider" { default = "wrong" }
variable "filled" {
  default  = "filled"
  nullable = false
}
variable "nothing" { default = "wrong" }
variable "number" { type = number }
variable "object" { type = object({ host = string, other = optional(string, "d") }) }
locals {
  names = {
    connection = var.connection, provider = var.provider, filled = var.filled, nothing = var.nothing == null ? "null" : "wrong"
    number = var.number + 1, object = "${var.object.host}${var.object.other}", path = path.module
    own = file("${path.module}/own.txt"), root = file("root.txt"), too = file("${path.root}/root.txt")
  }
}
resource "cloudflare_record" "text" {
  for_each = local.names
  zone_id  = var.zone_id
  name     = each.key
  type     = "CNAME"
  value    = "${each.value}.example.net"
}
resource "cloudflare_record" "outside" {
  zone_id = var.zone_id
  name    = "outside"
  type    = "TXT"
  value   = file("${path.module}/../../outside.txt")
}
"#,
    );
    let ran = workspace.run(&["import", ".", "--offline"]).exits(0);
    let found = records(&ran.stdout);
    for (name, value) in [
        ("connection", "a"),
        ("provider", "b"),
        ("filled", "filled"),
        ("nothing", "null"),
        ("number", "8"),
        ("object", "cd"),
        ("path", "dns"),
        ("own", "own"),
        ("root", "root"),
        ("too", "root"),
    ] {
        let value = format!("{value}.example.net");
        assert!(
            found.iter().any(|(n, v)| n == name && v.trim_end_matches('.') == value),
            "{name}: {}",
            ran.stdout
        );
    }
    assert_eq!(found.len(), 10, "{}", ran.stdout);
    assert!(ran.stderr.contains("cloudflare_record.outside: "), "{}", ran.stderr);
}

#[test]
fn what_is_not_known_in_a_module_is_named_and_what_is_known_is_imported() {
    let workspace = Workspace::empty(options());
    workspace.file(
        "main.tf",
        r#"
resource "cloudflare_zone" "this" { zone = "example.com" }
module "a" {
  source  = "./a"
  for_each = { x = ["one"], y = [aws_thing.name] }
  zone_id = cloudflare_zone.this.id
  names   = each.value
}
resource "cloudflare_record" "known" {
  zone_id = cloudflare_zone.this.id
  name    = module.a["y"].known
  type    = "A"
  value   = "192.0.2.1"
}
resource "cloudflare_record" "unknown" {
  zone_id = cloudflare_zone.this.id
  name    = try(module.a["x"].unknown, "guessed")
  type    = "A"
  value   = "192.0.2.1"
}
module "computed" { source = "./${local.where}" }
"#,
    );
    workspace.file(
        "a/main.tf",
        r#"
variable "zone_id" {}
variable "names" {}
variable "absent" {}
module "b" {
  source   = "./b"
  for_each = toset(var.names)
  name     = each.key
  zone_id  = var.zone_id
}
output "known" { value = "known" }
output "unknown" { value = var.absent }
"#,
    );
    workspace.file(
        "a/b/main.tf",
        r#"
variable "zone_id" {}
variable "name" {}
resource "cloudflare_record" "this" {
  zone_id = var.zone_id
  name    = var.name
  type    = "A"
  value   = "192.0.2.1"
}
"#,
    );
    let ran = workspace.run(&["import", ".", "--offline"]).exits(0);
    let names: Vec<String> = records(&ran.stdout).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["known", "one"], "{}", ran.stdout);
    for words in [
        "module.a[\"y\"].module.b: `aws_thing.name` is not in these files",
        "cloudflare_record.unknown: the variable `absent` has no value; set it in the `module` block",
        "module.computed: its `source` is not a literal",
        "module: 2 of 4 imported",
    ] {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    // A resource of which another instance is not known leaves by its own address.
    let leave = |form: &str| {
        workspace.run(&["import", ".", "--offline", "--handover", form]).exits(0).stdout
    };
    let address = "module.a[\"x\"].module.b[\"one\"].cloudflare_record.this";
    for out in [leave("script"), leave("text")] {
        assert!(out.contains(&format!("state rm '{address}'")), "{out}");
        assert!(!out.contains("from = module.a"), "{out}");
    }
}

#[test]
fn files_count_in_the_order_of_terraform() {
    let workspace = Workspace::empty(options());
    let zone = "resource \"cloudflare_zone\" \"this\" {\n  zone = \"example.com\"\n}\n";
    let record = |name: &str, value: &str| {
        format!(
            "resource \"cloudflare_record\" \"{name}\" {{\n  zone_id = cloudflare_zone.this.id\n  name = \"{name}\"\n  type = \"A\"\n  \
             value = {value}\n}}\n"
        )
    };
    let code = ["auto", "plain", "local", "changed"].map(|name| {
        let value = if name == "local" { "local.a".to_owned() } else { format!("var.{name}") };
        record(name, &value)
    });
    let variables = ["auto", "plain", "changed"]
        .map(|name| format!("variable \"{name}\" {{\n  default = \"192.0.2.1\"\n}}\n"));
    workspace.file(
        "main.tf",
        format!(
            "{zone}{}{}locals {{\n  a = \"192.0.2.1\"\n}}\n",
            code.concat(),
            variables.concat()
        ),
    );
    workspace.file("terraform.tfvars", "auto = \"192.0.2.1\"\nplain = \"192.0.2.2\"\n");
    workspace.file("a.auto.tfvars", "auto = \"192.0.2.3\"\n");
    workspace.file(
        "a_override.tf",
        "locals {\n  a = \"192.0.2.4\"\n}\nresource \"cloudflare_record\" \"changed\" {\n  ttl = 300\n}\n",
    );
    let ran = workspace.run(&["import", ".", "--offline"]).exits(0);
    let found = records(&ran.stdout);
    for (name, value) in [("auto", "192.0.2.3"), ("plain", "192.0.2.2"), ("local", "192.0.2.4")] {
        assert!(found.contains(&(name.to_owned(), value.to_owned())), "{name}: {}", ran.stdout);
    }
    assert_eq!(found.len(), 3, "{}", ran.stdout);
    let words = "cloudflare_record.changed: an override file changes it, which is not read; import the state";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
}

#[test]
fn of_two_blocks_with_one_address_none_is_taken() {
    let workspace = Workspace::empty(options());
    let record = |name: &str, value: &str| {
        format!(
            "resource \"cloudflare_record\" \"{name}\" {{\n  zone_id = cloudflare_zone.this.id\n  name = \"{name}\"\n  type = \"A\"\n  \
             value = \"{value}\"\n}}\n"
        )
    };
    let zone = "resource \"cloudflare_zone\" \"this\" {\n  zone = \"example.com\"\n}\n";
    workspace.file(
        "main.tf",
        format!("{zone}{}{}", record("www", "192.0.2.1"), record("mail", "192.0.2.2")),
    );
    workspace.file("more.tf", record("www", "192.0.2.3"));
    let ran = workspace.run(&["import", ".", "--offline"]).exits(0);
    assert_eq!(
        records(&ran.stdout),
        [("mail".to_owned(), "192.0.2.2".to_owned())],
        "{}",
        ran.stdout
    );
    let words = "cloudflare_record.www: two blocks have this address, which Terraform refuses";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
}

#[test]
fn the_length_of_what_is_partly_unknown_is_unknown() {
    let workspace = Workspace::empty(options());
    let lengths = [
        "length(flatten([[1], aws_thing.names]))",
        "length(toset([\"a\", aws_thing.name]))",
        "length(compact([\"a\", aws_thing.name]))",
        "length(setunion([\"a\"], [aws_thing.name]))",
        "try(zipmap([aws_thing.name], [1]), 7)",
    ];
    let unknown = lengths.iter().enumerate().map(|(n, length)| {
        format!("resource \"cloudflare_record\" \"r{n}\" {{\n  zone_id = \"x\"\n  type = \"A\"\n  name = \"n${{jsonencode({length})}}\"\n  value = \"192.0.2.1\"\n}}\n")
    });
    let known = "resource \"cloudflare_record\" \"known\" {\n  zone_id = \"x\"\n  type = \"A\"\n  name = \"n${length([1, aws_thing.name])}\"\n  value = \"192.0.2.1\"\n}\n";
    workspace.file("main.tf", unknown.chain([known.to_owned()]).collect::<String>());
    let ran = workspace.run(&["import", ".", "--offline", "--zone-name", "example.com"]).exits(0);
    assert_eq!(records(&ran.stdout), [("n2".to_owned(), "192.0.2.1".to_owned())], "{}", ran.stderr);
    assert!(ran.stderr.contains("cloudflare_record: 1 of 6 imported"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_source() {
    let workspace = Workspace::empty(options());
    let pipe = workspace.path().join("pipe.csv");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .is_ok_and(|status| status.success())
    );
    let ran = workspace.run(&["import", "./pipe.csv", "--offline"]).exits(1);
    assert!(ran.stderr.contains("it is not a regular file"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_what_was_named() {
    let workspace = Workspace::empty(options());
    workspace.file("outside/main.tf", ZONE);
    workspace.file(
        "live/main.tf",
        "module \"zone\" {\n  source = \"./zone\"\n  name = \"example.com\"\n}\n",
    );
    std::os::unix::fs::symlink(
        workspace.path().join("outside"),
        workspace.path().join("live/zone"),
    )
    .unwrap();
    let ran = workspace.run(&["import", "./live", "--offline"]).exits(1);
    assert!(
        ran.stderr.contains("module.zone: `./zone` is not among the files that were read"),
        "{}",
        ran.stderr
    );
}

#[test]
fn huge_configurations_are_refused_with_one_report() {
    let workspace = Workspace::empty(options());
    workspace.file(
        "main.tf",
        "module \"a\" {\n  source = \"./a\"\n  count = 70\n}\nmodule \"z\" {\n  source = \"./a\"\n  count = 50000\n}\n",
    );
    workspace.file("a/main.tf", "module \"b\" {\n  source = \"../b\"\n  count = 100\n}\n");
    workspace.file("b/main.tf", "");
    let ran = workspace.run(&["import", ".", "--offline"]).exits(1);
    assert_eq!(ran.stderr.matches("too many instances").count(), 1, "{}", ran.stderr);
    workspace.file("main.tf", "module \"a\" {\n  source = \"./a\"\n  count = 9\n}\n");
    workspace.file("a/main.tf", "resource \"cloudflare_record\" \"r\" {\n  count = 50000\n}\n");
    let ran = workspace.run(&["import", ".", "--offline"]).exits(1);
    assert_eq!(ran.stderr.matches("too many instances").count(), 1, "{}", ran.stderr.len());
}

#[test]
fn long_chains_of_values_do_not_exhaust_the_stack() {
    let workspace = Workspace::empty(options());
    let locals: String = (0..20_000).map(|n| format!("  l{n} = local.l{}\n", n + 1)).collect();
    let calls: String = (0..2_000)
        .map(|n| format!("module \"m{n}\" {{\n  source = \"./a\"\n  x = module.m{}.x\n}}\n", n + 1))
        .collect();
    workspace.file(
        "main.tf",
        format!("locals {{\n{locals}}}\n{calls}resource \"cloudflare_zone\" \"z\" {{\n  zone = local.l0\n}}\n"),
    );
    workspace.file("a/main.tf", "variable \"x\" {}\noutput \"x\" {\n  value = var.x\n}\n");
    let ran = workspace.run(&["import", ".", "--offline"]).exits(1);
    assert!(
        ran.stderr.contains("cloudflare_zone.z: the values refer to each other too deeply"),
        "{}",
        ran.stderr.len()
    );
}
