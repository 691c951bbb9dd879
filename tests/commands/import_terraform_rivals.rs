//! `import` of Terraform: entries that contradict each other are refused with both places, and
//! `--skip` chooses.

use crate::support::imports::{import, workspace};
use crate::support::workspace::Ran;

const ZONE: &str = "resource \"cloudflare_zone\" \"z\" { zone = \"example.com\" }\n";

/// Returns a resource of the zone.
fn of_zone(kind: &str, name: &str, attributes: &str) -> String {
    format!(
        "resource \"{kind}\" \"{name}\" {{\n  zone_id = cloudflare_zone.z.id\n{attributes}\n}}\n"
    )
}

fn rules(name: &str, host: &str) -> String {
    let attributes = format!(
        "  name = \"{name}\"\n  kind = \"zone\"\n  phase = \"http_request_firewall_custom\"\n  rules = [{{ action = \"block\", \
         expression = \"(http.host eq \\\"{host}\\\")\" }}]"
    );
    of_zone("cloudflare_ruleset", name, &attributes)
}

#[track_caller]
fn refused(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.is_empty(), "{}", ran.stdout);
    for words in ["IMPORT0010"].iter().chain(words) {
        assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
    }
}

#[test]
fn two_resources_for_one_thing_are_refused() {
    let workspace = workspace();
    let header = "  settings {\n    ssl = \"strict\"\n    security_header {\n      enabled = true\n      max_age = 31536000\n    }\n  }";
    let one = "  setting_id = \"security_header\"\n  value = { strict_transport_security = { enabled = true, max_age = 10 } }";
    let record = |name: &str, ttl: u32| {
        let attributes =
            format!("  name = \"www\"\n  type = \"A\"\n  content = \"192.0.2.1\"\n  ttl = {ttl}");
        of_zone("cloudflare_dns_record", name, &attributes)
    };
    let dns = |name: &str, is_on: bool| {
        of_zone("cloudflare_zone_dns_settings", name, &format!("  multi_provider = {is_on}"))
    };
    let dnssec = |name: &str, status: &str| {
        of_zone("cloudflare_zone_dnssec", name, &format!("  status = \"{status}\""))
    };
    for (code, words, skip, kept) in [
        (
            of_zone("cloudflare_zone_settings_override", "s", header)
                + &of_zone("cloudflare_zone_setting", "h", one),
            vec![
                "the setting `security_header`",
                "main.tf:12:",
                " 2 | resource \"cloudflare_zone_settings_override\"",
            ],
            "cloudflare_zone_setting.h",
            "max_age: 31536000",
        ),
        (
            of_zone("cloudflare_zone_settings_override", "s", header)
                + &of_zone("cloudflare_zone_setting", "h", one),
            vec!["--skip 'cloudflare_zone_settings_override.s.settings.security_header'"],
            "cloudflare_zone_settings_override.s.settings.security_header",
            "max_age: 10",
        ),
        (
            rules("one", "a.example.com") + &rules("two", "b.example.com"),
            vec![
                "cloudflare_ruleset.one and cloudflare_ruleset.two",
                "http_request_firewall_custom",
            ],
            "cloudflare_ruleset.one",
            "b.example.com",
        ),
        (
            dnssec("on", "active") + &dnssec("off", "disabled"),
            vec!["DNSSEC"],
            "cloudflare_zone_dnssec.off",
            "dnssec: on",
        ),
        (
            dns("on", true) + &dns("off", false),
            vec!["`multi_provider`"],
            "cloudflare_zone_dns_settings.off",
            "multi_provider: true",
        ),
        (
            record("short", 60) + &record("long", 3600),
            vec!["the same record of www.example.com"],
            "cloudflare_dns_record.long",
            "ttl: 60",
        ),
    ] {
        workspace.file("infra/main.tf", format!("{ZONE}{code}"));
        refused(&workspace.run(&["import", "./infra/", "--offline"]), &words);
        let ran = import(&workspace, &["./infra/", "--offline", "--skip", skip]);
        assert!(ran.stdout.contains(kept), "{kept}\n{}", ran.stdout);
        assert!(ran.stderr.contains("IMPORT0020") && ran.stderr.contains(skip), "{}", ran.stderr);
        let script = workspace
            .run(&["import", "./infra/", "--skip", skip, "--handover", "script"])
            .exits(0)
            .stdout;
        let base = skip.split(".settings.").next().unwrap();
        assert!(!script.contains(&format!("'{base}'")), "{script}");
    }
    // The same thing is no contradiction, such as code and its state.
    workspace.file(
        "infra/main.tf",
        format!("{ZONE}{}{}", rules("one", "a.example.com"), rules("two", "a.example.com")),
    );
    let ran = import(&workspace, &["./infra/", "--offline"]);
    assert_eq!(ran.stdout.matches("a.example.com").count(), 1, "{}", ran.stdout);
    let ran = workspace
        .run(&["import", "./infra/", "--offline", "--skip", "cloudflare_ruleset.three"])
        .exits(1);
    assert!(ran.stderr.contains("IMPORT0022"), "{}", ran.stderr);
}

#[test]
fn a_name_has_one_cname() {
    let workspace = workspace();
    let code = |targets: [&str; 2]| {
        let record = |n: usize| {
            let target = targets[n];
            let attributes =
                format!("name = \"www\"\n  type = \"CNAME\"\n  value = \"{target}\"\n  ttl = 300");
            of_zone("cloudflare_record", &format!("r{n}"), &attributes)
        };
        format!(
            "resource \"cloudflare_zone\" \"z\" {{\n  zone = \"example.com\"\n}}\n{}{}",
            record(0),
            record(1)
        )
    };
    let all = ["import", "./infra/", "--offline"];
    workspace.file("infra/main.tf", code(["a.example.net", "b.example.net"]));
    refused(
        &workspace.run(&all),
        &["cloudflare_record.r0", "cloudflare_record.r1", "a CNAME with different targets"],
    );
    workspace.file("infra/main.tf", code(["a.example.net", "A.example.net."]));
    let ran = workspace.run(&all);
    assert!(!ran.stderr.contains("different targets"), "{}", ran.stderr);
}

#[test]
fn environments_are_not_mixed() {
    let record = |name: &str, content: &str| {
        format!(
            "resource \"cloudflare_record\" \"{name}\" {{\n  zone_id = var.zone_id\n  name = \"{name}\"\n  type = \"A\"\n  content = \"{content}\"\n}}\n"
        )
    };
    let variable = "variable \"zone_id\" {}\n";
    let workspace = workspace();
    workspace
        .file("environments/staging/main.tf", format!("{variable}{}", record("www", "192.0.2.1")));
    workspace.file(
        "environments/production/main.tf",
        format!("{variable}{}{}", record("www", "198.51.100.1"), record("api", "198.51.100.2")),
    );
    let all = ["import", "./environments/", "--offline", "--zone-name", "example.com"];
    let ran = workspace.run(&all);
    refused(
        &ran,
        &[
            "www.example.com",
            "environments/staging/main.tf:2:",
            "environments/production/main.tf:2:",
            "--skip './environments/staging'",
        ],
    );
    for skip in ["environments/staging", "./environments/staging/", "environments/staging/main.tf"]
    {
        let all = ["./environments/", "--offline", "--zone-name", "example.com", "--skip", skip];
        let ran = import(&workspace, &all);
        assert!(
            ran.stdout.contains("198.51.100.1") && !ran.stdout.contains("192.0.2.1"),
            "{skip}\n{}",
            ran.stdout
        );
        assert!(ran.stderr.contains("environments/staging/main.tf"), "{}", ran.stderr);
    }
    let wrong = [
        "import",
        "./environments/",
        "--offline",
        "--zone-name",
        "example.com",
        "--skip",
        "environments/stagin",
    ];
    let ran = workspace.run(&wrong).exits(1);
    assert!(ran.stderr.contains("IMPORT0022"), "{}", ran.stderr);
    // Other ids, given for one name: still two zones.
    for (environment, id) in [("staging", "0123"), ("production", "4567")] {
        workspace.file(
            &format!("environments/{environment}/terraform.tfvars"),
            format!("zone_id = \"{id}\"\n"),
        );
    }
    refused(&workspace.run(&all), &["www.example.com"]);
    // One id is one zone, whose records are together.
    workspace.file("environments/staging/terraform.tfvars", "zone_id = \"4567\"\n");
    let ran = import(&workspace, &all[1..]);
    assert!(
        ran.stdout.contains("198.51.100.1") && ran.stdout.contains("192.0.2.1"),
        "{}",
        ran.stdout
    );
    // Different names do not contradict each other.
    workspace.file("apart/a/main.tf", format!("{variable}{}", record("www", "192.0.2.1")));
    workspace.file("apart/b/main.tf", format!("{variable}{}", record("api", "192.0.2.2")));
    import(&workspace, &["./apart/", "--offline", "--zone-name", "example.com"]);
}

#[test]
fn stray_configuration_does_not_hide_zones() {
    let workspace = workspace();
    workspace.file("config/example.com.yaml", "www:\n  type: A\n  value: 192.0.2.1\n");
    workspace
        .file("config/backend.tf", "resource \"aws_s3_bucket\" \"state\" { bucket = \"state\" }\n");
    let ran = import(&workspace, &["./config/", "--offline"]);
    assert!(ran.stdout.contains("name: www"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("it has nothing of Cloudflare: ./config/backend.tf"),
        "{}",
        ran.stderr
    );
    // Both resources: the one that is not read is named.
    let record = "resource \"cloudflare_zone\" \"z\" { zone = \"example.net\" }\n";
    workspace.file("config/main.tf", record);
    let ran = import(&workspace, &["./config/", "--offline"]);
    assert!(
        ran.stdout.contains("example.net:") && ran.stderr.contains("1 file of octodns"),
        "{}",
        ran.stderr
    );
    // YAML that is about something else is not.
    workspace.file("infra/main.tf", record);
    workspace.file("infra/values.prod.yaml", "replicas: 3\n");
    let ran = import(&workspace, &["./infra/", "--offline"]);
    assert!(!ran.stderr.contains("octodns"), "{}", ran.stderr);
}
