//! `import` of files of other tools: the spec has the same meaning, and parts that a spec cannot
//! express are reported.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::support::imports::{import, records, workspace};
use crate::support::workspace::Workspace;
use serde_json::json;

#[test]
fn what_a_directory_holds_beside_its_zones_is_named() {
    let workspace = workspace();
    workspace.file(
        "zones/example.com.zone",
        "$ORIGIN example.com.\nwww 300 IN A 192.0.2.1\ntime 300 CH TXT x\n",
    );
    workspace.file("zones/ci.yaml", "stages: [plan]\n");
    workspace.file("zones/more.csv", "name,type,content\na,A,192.0.2.2\n");
    let ran = import(&workspace, &["./zones/"]);
    assert!(
        ran.stdout.contains("192.0.2.1"),
        "a YAML file that has no zone's name is not octoDNS's\n{}",
        ran.stdout
    );
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
    workspace.file(
        "b.zone",
        "$ORIGIN example.com.\nb 1 IN FOO x\na 1 IN A x\n$INCLUDE ../x\nc 1 IN BAR x\n",
    );
    let said = workspace.run(&["import", "./b.zone", "--offline"]).exits(0).stderr;
    let lines: Vec<&str> =
        said.lines().filter_map(|line| line.trim().strip_prefix("--> ./b.zone:")).collect();
    assert_eq!(lines, ["2:1", "3:1", "4:1", "5:1"], "{said}");
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
        "providers:\n  config: { class: octodns.provider.yaml.YamlProvider, directory: ./, enforce_order: false }\n  \
         cf: { class: octodns_cloudflare.CloudflareProvider, min_ttl: 60 }\n\
         zones: { example.com.: { sources: [config], targets: [cf] } }\n",
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
    assert!(ran.stderr.contains("TYPE65534: types by their number are not read"), "{}", ran.stderr);
}

#[test]
fn what_dnscontrol_prints() {
    let printed = json!({ "registrars": [], "dns_providers": [{ "name": "cf", "type": "CLOUDFLAREAPI" }], "domains": [{
        "name": "example.com", "dnsProviders": { "cf": -1 }, "meta": { "cloudflare_proxy_default": "off" }, "records": [
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
    assert!(ran.stderr.contains("a spec does not manage a redirect (a,b)"), "{}", ran.stderr);
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
        [
            "example.com MX 10 mx.example.net 300",
            "www.example.com A 192.0.2.1 1 proxied # a, quoted"
        ]
    );
    assert!(
        ran.stderr.contains("records.csv:4:1") && ran.stderr.contains("records.csv:5:1"),
        "{}",
        ran.stderr
    );
    for (text, why) in [
        ("name,type,content,name\nwww,A,192.0.2.1,b\n", "two columns are called `name`"),
        ("name,type,content\nwww,TXT,\"open\nx,A,192.0.2.1\n", "a quote is not closed"),
        ("name;type;content\nwww;A;192.0.2.1\n", "separated by commas"),
    ] {
        workspace.file("odd.csv", text);
        let ran = workspace
            .run(&["import", "./odd.csv", "--zone-name", "example.com", "--offline"])
            .exits(1);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

/// Returns the export of the only zone.
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
    // A zone file does not have the plan.
    let live = live.replace("    plan: business\n", "");
    assert_eq!(import(&workspace, &["./example.com.zone"]).stdout, live);
    workspace.run(&["plan", "spec.yaml", "--detailed-exitcode"]).exits(0);
}

#[test]
fn hostile_files_end_with_an_error() {
    let deep = format!("a = {}", "(".repeat(100_000));
    let looping = "locals {\n  a = local.b\n  b = local.a\n}\nresource \"cloudflare_zone\" \"z\" {\n  zone = local.a\n}\n";
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
        assert!(
            !ran.stderr.is_empty() && !ran.stderr.contains("panicked"),
            "{name}\n{}",
            ran.stderr
        );
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
