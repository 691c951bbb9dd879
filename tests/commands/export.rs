//! `export`: zone files and octoDNS files that BIND and octoDNS accept.

use std::process::Command;

use serde_json::json;

use crate::support::octodns::python_with_octodns;
use crate::support::workspace::{Workspace, options};

/// A record of every kind that both formats support, and records that they do not support.
const SPEC: &str = r#"
version: 1
zones:
  example.com:
    settings: { ssl: strict }
    waf: { owasp: { paranoia: 2 } }
    records:
      - { name: "@", type: A, content: [192.0.2.1, 192.0.2.2], proxied: true, comment: "web; two" }
      - { name: "@", type: MX, priority: 10, content: mx.example.net, ttl: 3600 }
      - { name: "@", type: TXT, content: "v=spf1 include:_spf.example.net; -all" }
      - { name: "@", type: CAA, content: '0 issue "ca.example.net; account=1"' }
      - { name: "@", type: HTTPS, content: '1 . alpn="h2,h3" ipv4hint="192.0.2.1"' }
      - { name: www, type: CNAME, content: example.com, proxied: true, tags: ["team:web"] }
      - { name: v6, type: AAAA, content: "2001:db8::1", ttl: 300 }
      - { name: sub, type: NS, content: [ns1.example.net, ns2.example.net], ttl: 86400 }
      - { name: sub, type: DS, content: "12345 13 2 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", ttl: 3600 }
      - { name: _sip._tcp, type: SRV, data: { priority: 0, weight: 5, port: 5060, target: sip.example.net } }
      - { name: host10, type: A, content: 192.0.2.10 }
      - { name: host9, type: A, content: 192.0.2.9, ttl: 120 }
      - { name: "*", type: A, content: 192.0.2.3 }
      - { name: place, type: LOC, content: "51 30 12.748 N 0 7 39.612 W 10.00 1.00 100.00 10.00" }
      - { name: n, type: NAPTR, content: '100 10 "s" "SIP+D2U" "" _sip._udp.example.com.' }
      - { name: _443._tcp, type: TLSA, content: "3 1 1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }
      - { name: key, type: SSHFP, content: "4 2 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }
      - { name: _ftp._tcp, type: URI, content: '10 1 "https://example.com/"' }
      - { name: c, type: CERT, content: "1 2 8 AAAA" }
      - { name: odd, type: URI, content: '10 1 "https://example.com/"' }
      - { name: old, type: A, state: absent }
"#;

fn workspace() -> Workspace {
    let workspace = Workspace::empty(options());
    workspace.file("spec.yaml", SPEC);
    workspace
}

#[test]
fn what_was_exported_is_imported_again() {
    let workspace = workspace();
    // octoDNS does not support these.
    let named = ["example.com/dns/c/CERT", "example.com/dns/odd/URI"];
    for (target, file, count) in
        [("bind", "example.com.zone", 22), ("octodns", "example.com.yaml", 20)]
    {
        let ran = workspace.run(&["export", "--to", target, "spec.yaml"]).exits(0);
        for said in [
            "zone settings cannot be expressed",
            "the protection cannot be expressed",
            "`state: absent` cannot be expressed",
        ] {
            assert!(ran.stderr.contains(said), "{said}\n{}", ran.stderr);
        }
        assert_eq!(
            ran.stderr.contains("c CERT: octoDNS has no such type"),
            target == "octodns",
            "{}",
            ran.stderr
        );
        let words = "odd URI: octoDNS requires a name such as `_service._protocol`";
        assert_eq!(ran.stderr.contains(words), target == "octodns", "{}", ran.stderr);
        workspace.file(file, &ran.stdout);
        let back = workspace.run(&["import", &format!("./{file}"), "--offline"]).exits(0);
        assert!(back.stderr.contains(&format!("{count} of ")), "{}", back.stderr);
        workspace.file("back.yaml", &back.stdout);
        let diff = workspace.run(&["diff", "back.yaml", "spec.yaml", "--format", "json"]).exits(0);
        let records: Vec<String> = diff.json()["operations"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|operation| operation["kind"] == "dns_record")
            .filter(|operation| {
                target == "bind"
                    || !named.contains(&operation["address"].as_str().unwrap_or_default())
            })
            .map(ToString::to_string)
            .collect();
        assert_eq!(records, Vec::<String>::new(), "{target}\n{}", ran.stdout);
        // The same input gives the same bytes.
        assert_eq!(workspace.run(&["export", "--to", target, "spec.yaml"]).stdout, ran.stdout);
    }
}

#[test]
fn what_is_live_and_what_a_snapshot_has_is_exported() {
    let workspace = workspace();
    workspace.plant(&json!({ "zones": [{ "name": "example.com" }, { "name": "example.org" }] }));
    workspace
        .plant_records(json!([{ "name": "www.example.com", "type": "A", "content": "192.0.2.1", "proxied": true }]));
    let live =
        workspace.run(&["export", "--to", "bind", "--live", "--zone", "example.com"]).exits(0);
    assert!(
        live.stdout.contains("www.example.com.\t1\tIN\tA\t192.0.2.1\t; cf_tags=cf-proxied:true\n"),
        "{}",
        live.stdout
    );
    assert!(!live.stdout.contains("name-server.invalid"), "{}", live.stdout);
    workspace.file(
        "one.yaml",
        "version: 1\nzones: { example.com: { records: [{ name: www, type: A, content: 192.0.2.1 }] } }\n",
    );
    workspace.run(&["snapshot", "one.yaml", "--out", "s.json.gz"]).exits(0);
    let requests = workspace.requests().len();
    let of_snapshot = workspace.run(&["export", "--to", "bind", "--against", "s.json.gz"]).exits(0);
    assert!(
        of_snapshot.stdout.contains("www.example.com.\t1\tIN\tA\t192.0.2.1"),
        "{}",
        of_snapshot.stdout
    );
    assert_eq!(workspace.requests().len(), requests);
    assert_eq!(workspace.writes().len(), 0);
}

#[test]
fn several_zones_need_a_directory_and_nothing_is_overwritten() {
    let workspace = workspace();
    workspace.file(
        "two.yaml",
        "version: 1\nzones: { a.example: { records: [] }, b.example: { records: [] } }\n",
    );
    let refused = workspace.run(&["export", "--to", "octodns", "two.yaml"]).exits(1);
    assert!(refused.stderr.contains("--out DIR"), "{}", refused.stderr);
    workspace.run(&["export", "--to", "octodns", "two.yaml", "--out", "config"]).exits(0);
    let again =
        workspace.run(&["export", "--to", "octodns", "two.yaml", "--out", "config"]).exits(1);
    assert!(again.stderr.contains("config/a.example.yaml exists"), "{}", again.stderr);
    workspace.run(&["export", "--to", "bind", "--live"]).exits(64);
    workspace.run(&["export", "--to", "terraform", "two.yaml"]).exits(64);
    workspace.run(&["export", "--to", "bind", "spec.yaml", "--name-server", "a b"]).exits(64);
    let named = workspace
        .run(&["export", "--to", "bind", "spec.yaml", "--name-server", "ns.example.net"])
        .exits(0);
    assert!(named.stdout.contains("@\t86400\tIN\tNS\tns.example.net.\n"), "{}", named.stdout);
}

#[test]
fn bind_accepts_zone_files() {
    let workspace = workspace();
    let ran = workspace.run(&["export", "--to", "bind", "spec.yaml"]).exits(0);
    let file = workspace.file("example.com.zone", &ran.stdout);
    let check =
        Command::new("named-checkzone").args(["-i", "local", "example.com"]).arg(&file).output();
    let Ok(check) = check else {
        eprintln!("SKIPPED: named-checkzone is not installed (Debian: bind9-utils)");
        return;
    };
    let said = String::from_utf8_lossy(&check.stdout).into_owned();
    assert!(check.status.success() && said.contains("OK"), "{said}\n{}", ran.stdout);
}

/// Reads a zone as octoDNS does, and says how many values it has.
const OCTODNS: &str = r#"
import sys
from octodns.provider.yaml import YamlProvider
from octodns.zone import Zone
zone = Zone("example.com.", [])
YamlProvider("config", sys.argv[1]).populate(zone, lenient=False)
print(sum(len(record.values) if hasattr(record, "values") else 1 for record in zone.records))
"#;

#[test]
fn octodns_accepts_its_files() {
    let workspace = workspace();
    let Some(python) = python_with_octodns() else { return };
    workspace.run(&["export", "--to", "octodns", "spec.yaml", "--out", "config"]).exits(0);
    let ran = Command::new(&python)
        .args(["-c", OCTODNS, "config"])
        .current_dir(workspace.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "20", "{said}");
}
