//! `import` of DNSControl: records at Cloudflare are imported, and every other part of a document
//! is named.

use serde_json::{Value, json};

use crate::support::imports::{import, records, workspace};
use crate::support::workspace::Workspace;

/// Returns two views of a zone, as `print-ir` prints them today: no types, and positions of the
/// configuration.
fn two_views() -> Value {
    let view = |tag: &str, provider: &str, address: &str, target: &str| {
        json!({
            "name": "example.com", "tag": tag, "uniquename": format!("example.com!{tag}"), "registrar": "none",
            "dnsProviders": { provider: -1 },
            "meta": { "dnscontrol_tag": tag, "dnscontrol_uniquename": format!("example.com!{tag}") },
            "records": [
                { "type": "A", "ttl": 300, "name": "host", "filepos": "[line:2:45]", "target": address },
                { "type": "CNAME", "ttl": 300, "name": "app", "filepos": "[line:3:9]", "target": target },
            ],
        })
    };
    json!({
        "registrars": [{ "name": "none", "type": "-" }],
        "dns_providers": [{ "name": "edge", "type": "-" }, { "name": "lan", "type": "-" }],
        "domains": [
            view("lan", "lan", "10.0.0.5", "app.lan.example.com."),
            view("public", "edge", "192.0.2.1", "edge.example.net."),
        ],
    })
}

/// Returns a document with one domain of the provider `cf`, which is Cloudflare.
fn document(members: Value) -> String {
    let mut domain =
        json!({ "name": "example.com", "registrar": "none", "dnsProviders": { "cf": -1 } });
    domain.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    let providers =
        json!([{ "name": "cf", "type": "CLOUDFLAREAPI" }, { "name": "dns2", "type": "ROUTE53" }]);
    let registrars =
        json!([{ "name": "none", "type": "NONE" }, { "name": "shop", "type": "NAMECHEAP" }]);
    json!({ "registrars": registrars, "dns_providers": providers, "domains": [domain] }).to_string()
}

/// Returns the message of a run that refuses its sources.
#[track_caller]
fn refused(workspace: &Workspace, arguments: &[&str]) -> String {
    let all: Vec<&str> =
        ["import"].iter().chain(arguments).chain(["--offline"].iter()).copied().collect();
    let ran = workspace.run(&all).exits(1);
    assert!(ran.stdout.is_empty(), "{}", ran.stdout);
    ran.stderr
}

#[test]
fn a_tagged_domain_goes_to_its_own_provider() {
    let workspace = workspace();
    workspace.file("ir.json", two_views().to_string());
    let said = refused(&workspace, &["./ir.json"]);
    for words in [
        "IMPORT0017",
        "--provider NAME",
        "`edge` (example.com!public)",
        "`lan` (example.com!lan)",
        "only `TYPE`",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let ran = import(&workspace, &["./ir.json", "--provider", "edge"]);
    let expected =
        ["app.example.com CNAME edge.example.net 300", "host.example.com A 192.0.2.1 300"];
    assert_eq!(records(&ran.stdout), expected);
    for words in [
        "IMPORT0019",
        "example.com!lan: its 2 records go to `lan`, not to Cloudflare",
        "record: 2 of 4 imported",
    ] {
        assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
    }
    // Someone who moves to Cloudflare names today's provider of the records.
    let ran = import(&workspace, &["./ir.json", "--provider", "lan"]);
    assert!(ran.stdout.contains("10.0.0.5") && !ran.stdout.contains("192.0.2.1"), "{}", ran.stdout);
    // Both views cannot be one zone.
    let said = refused(&workspace, &["./ir.json", "--provider", "lan", "--provider", "edge"]);
    for words in [
        "IMPORT0010",
        "example.com!lan (provider `lan`)",
        "example.com!public (provider `edge`)",
        "--provider NAME",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let said = refused(&workspace, &["./ir.json", "--provider", "edgy"]);
    assert!(said.contains("no provider `edgy`") && said.contains("`edge`, `lan`"), "{said}");
}

#[test]
fn types_come_from_the_credentials_and_nothing_else_does() {
    let workspace = workspace();
    workspace.file("dns/ir.json", two_views().to_string());
    let credentials = "// ours\n{\n  \"edge\": { \"TYPE\": \"CLOUDFLAREAPI\", \"apitoken\": \"hunter2-secret\" }, # public\n  \
                       \"lan\": { \"TYPE\": \"BIND\", \"directory\": \"hunter2-secret\" },\n}\n";
    workspace.file("dns/creds.json", credentials);
    let ran = import(&workspace, &["./dns/ir.json"]);
    assert!(ran.stdout.contains("192.0.2.1") && !ran.stdout.contains("10.0.0.5"), "{}", ran.stdout);
    assert!(ran.stderr.contains("go to `lan` (type BIND), not to Cloudflare"), "{}", ran.stderr);
    let ran = import(&workspace, &["./dns/ir.json", "--provider", "lan"]);
    let words = "go to `edge` (type CLOUDFLAREAPI), which is not chosen";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
    for broken in [
        "{\"edge\": \"hunter2-secret\"}",
        "[\"hunter2-secret\"]",
        "{\"edge\": {\"TYPE\": 7, \"apitoken\": \"hunter2-secret\"}}",
        "hunter2-secret",
        "{\"edge\": {\"TYPE\": \"$EDGE_TYPE\", \"apitoken\": \"hunter2-secret\"}, \"lan\": {}}",
    ] {
        workspace.file("dns/creds.json", broken);
        let said = refused(&workspace, &["./dns/ir.json"]);
        assert!(said.contains("IMPORT0017") && !said.contains("hunter2"), "{broken}\n{said}");
    }
    // Standard input has no file beside it.
    workspace.file("creds.json", credentials);
    let mut command = workspace.command();
    command
        .args(["import", "-", "--from", "dnscontrol", "--offline"])
        .stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), two_views().to_string().as_bytes())
        .unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(1));
}

#[test]
fn one_provider_without_a_type_is_assumed_to_be_cloudflare() {
    let workspace = workspace();
    let domain = |name: &str, provider: &str| {
        json!({ "name": name, "registrar": "none", "dnsProviders": { provider: -1 },
                "records": [{ "type": "A", "name": "www", "target": "192.0.2.1", "ttl": 300 }] })
    };
    let providers = json!([{ "name": "one", "type": "-" }, { "name": "two", "type": "-" }]);
    let ir = |domains: Value| json!({ "dns_providers": providers, "domains": domains }).to_string();
    workspace.file("ir.json", ir(json!([domain("example.com", "one")])));
    let ran = import(&workspace, &["./ir.json"]);
    assert!(
        ran.stderr.contains("IMPORT0018")
            && ran.stderr.contains("the provider `one` is Cloudflare"),
        "{}",
        ran.stderr
    );
    for open in [
        json!([domain("example.com", "one"), domain("example.org", "two")]),
        json!([domain("example.com!inside", "one")]),
    ] {
        workspace.file("ir.json", ir(open));
        assert!(refused(&workspace, &["./ir.json"]).contains("IMPORT0017"));
    }
    // The tag is in the unique name as well.
    let mut tagged = domain("example.com", "one");
    tagged["uniquename"] = json!("example.com!inside");
    workspace.file("ir.json", ir(json!([tagged])));
    assert!(refused(&workspace, &["./ir.json"]).contains("example.com!inside"));
    // DNSControl publishes a domain without a provider nowhere.
    let mut nowhere = domain("example.com", "one");
    nowhere["dnsProviders"] = json!({});
    workspace.file("ir.json", ir(json!([nowhere, domain("example.org", "two")])));
    let ran = workspace.run(&["import", "./ir.json", "--offline"]).exits(0);
    assert!(
        !ran.stdout.contains("example.com") && ran.stdout.contains("example.org"),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("example.com: it has no DNS provider"), "{}", ran.stderr);
}

#[test]
fn what_is_beside_the_document_is_named() {
    let workspace = workspace();
    // `IN` in a program does not make it a zone file.
    let program = "var IN = NewDnsProvider(\"inside\");\nD(\"example.com\", R, DnsProvider(IN), A(\"db\", \"10.0.0.5\"));\n";
    workspace.file("dns/dnsconfig.js", program);
    for path in ["./dns/", "./dns/dnsconfig.js"] {
        let said = refused(&workspace, &[path]);
        assert!(
            said.contains("IMPORT0001") && said.contains("`dnscontrol print-ir > ir.json`"),
            "{path}\n{said}"
        );
    }
    let said = refused(&workspace, &["./dns/dnsconfig.js", "--from", "dnscontrol"]);
    assert!(said.contains("`dnscontrol print-ir > ir.json`"), "{said}");
    workspace.file("dns/ir.json", two_views().to_string());
    let ran = import(&workspace, &["./dns/", "--provider", "edge"]);
    assert!(ran.stdout.contains("192.0.2.1"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("DNSControl's configuration is a program")
            && ran.stderr.contains("import ./ir.json: ./dns/dnsconfig.js"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_provider_is_an_option_of_dnscontrol() {
    let workspace = workspace();
    workspace.file("a.zone", "$ORIGIN example.com.\nwww 300 IN A 192.0.2.1\n");
    for source in ["./a.zone", "example.com"] {
        let ran = workspace.run(&["import", source, "--provider", "cf"]).exits(64);
        assert!(ran.stderr.contains("--provider") && ran.stdout.is_empty(), "{}", ran.stderr);
    }
    assert_eq!(workspace.requests().len(), 0);
}

#[test]
fn a_label_is_below_its_domain() {
    let workspace = workspace();
    let record = |name: &str, target: &str| json!({ "type": "A", "name": name, "target": target, "ttl": 300 });
    let mut ir: Value = serde_json::from_str(&document(json!({ "records": [
        record("@", "192.0.2.1"),
        record("www.example.com", "192.0.2.2"),
        record("example.com", "192.0.2.3"),
        record("", "192.0.2.4"),
        record("www.example.net.", "192.0.2.5"),
        { "type": "CNAME", "name": "alias.sub", "subdomain": "sub", "target": "to", "ttl": 300 },
        { "type": "CNAME", "name": "odd", "target": "www.example.net", "ttl": 300 },
        { "type": "PTR", "name": "192.0.2.9", "target": "host.example.net.", "ttl": 300 },
    ] })))
    .unwrap();
    let mut reverse = ir["domains"][0].clone();
    reverse["name"] = json!("2.0.192.in-addr.arpa");
    reverse["records"] =
        json!([{ "type": "PTR", "name": "9", "target": "host.example.com.", "ttl": 300 }]);
    ir["domains"].as_array_mut().unwrap().push(reverse);
    workspace.file("ir.json", ir.to_string());
    let ran =
        workspace.run(&["import", "./ir.json", "--offline", "--zone", "example.com"]).exits(0);
    let expected = [
        "alias.sub.example.com CNAME to.sub.example.com 300",
        "example.com A 192.0.2.1 300",
        "example.com.example.com A 192.0.2.3 300",
        "www.example.com.example.com A 192.0.2.2 300",
    ];
    assert_eq!(records(&ran.stdout), expected);
    for words in [
        "it has no name",
        "`www.example.net.` is not in the domain",
        "without a final dot",
        "record: 5 of 9 imported",
        "`192.0.2.9`; print",
    ] {
        assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
    }
}

#[test]
fn metadata_and_everything_beside_records_is_translated_or_named() {
    let workspace = workspace();
    let a = |name: &str, meta: Value| json!({ "type": "A", "name": name, "target": "192.0.2.1", "ttl": 30, "meta": meta });
    workspace.file(
        "ir.json",
        document(json!({
            "registrar": "shop",
            "dnsProviders": { "cf": -1, "dns2": 0 },
            "meta": { "cloudflare_proxy_default": "on", "cloudflare_universalssl": "off", "team": "web",
                      "cloudflare_manage_comments": "true" },
            "auto_dnssec": "on",
            "keepunknown": true,
            "ignore_external_dns": true,
            "nameservers": [{ "name": "ns1.example.net" }],
            "unmanaged": [{ "label_pattern": "legacy", "rType_pattern": "A,TXT", "target_pattern": "*" }],
            "brand_new": [1],
            "records": [
                a("by-default", json!({})),
                a("off", json!({ "cloudflare_proxy": "OFF" })),
                a("full", json!({ "cloudflare_proxy": "full", "cloudflare_comment": "web; two",
                                  "cloudflare_tags": "team:web, prod" })),
                a("wrong", json!({ "cloudflare_proxy": "maybe" })),
                { "type": "CNAME", "name": "flat", "target": "a.example.net.", "ttl": 1,
                  "meta": { "cloudflare_proxy": "off", "cloudflare_cname_flatten": "on" } },
                { "type": "TXT", "name": "t", "target": "x", "ttl": 600, "meta": { "cloudflare_proxy": "on" } },
                { "type": "MX", "name": "m", "target": "mx.example.net.", "mxpreference": "10", "ttl": 600 },
                { "type": "MX", "name": "n", "target": "mx.example.net.", "mxpreference": 70000, "ttl": 600 },
                { "type": "CF_REDIRECT", "name": "@", "target": "www.example.com/*,https://example.com/$1", "ttl": 1 },
                { "type": "A", "name": "gone", "target": "192.0.2.7", "ensure_absent": true },
                "not a record",
            ],
            "recordsabsent": [{ "type": "A", "name": "helper", "target": "192.0.2.2" },
                              { "type": "A", "name": "off", "target": "192.0.2.1" }],
            "rawrecords": [{ "type": "CLOUDFLAREAPI_SINGLE_REDIRECT", "args": ["to www", 301, "when", "then"] },
                           { "type": "A", "args": ["raw", "192.0.2.8"] }],
        })),
    );
    let ran = import(&workspace, &["./ir.json", "--offline"]);
    let spec = &ran.stdout;
    for line in [
        "dnssec: on",
        "{ name: by-default, type: A, content: 192.0.2.1, proxied: true }",
        "{ name: off, type: A, content: 192.0.2.1, ttl: 60, proxied: false }",
        "comment: web; two",
        "tags: [prod, \"team:web\"]",
        "settings: { flatten_cname: true }",
        "{ name: helper, type: A, content: 192.0.2.2, state: absent }",
        "{ name: gone, type: A, content: 192.0.2.7, state: absent }",
    ] {
        let plain = |text: &str| text.replace(['"', ' '], "");
        assert!(plain(spec).contains(&plain(line)), "{line}\n{spec}");
    }
    for words in [
        "the delegation at the registrar `shop` is not in the spec",
        "Universal SSL (`cloudflare_universalssl: off`)",
        "the metadata `team` is not translated",
        "`brand_new` is not known to this version",
        "NO_PURGE (`keepunknown`)",
        "IGNORE_EXTERNAL_DNS",
        "IGNORE(\"legacy\", \"A,TXT\", \"*\")",
        "its name servers are not in the spec: ns1.example.net",
        "`cloudflare_proxy` is `maybe`",
        "off A of example.com: its TTL is 60, because DNSControl raises 30",
        "t TXT of example.com: `cloudflare_proxy: on` is not in the spec",
        "`mxpreference` is not a number from 0 to 65535",
        "a spec does not manage a redirect (www.example.com/*,https://example.com/$1)",
        "CLOUDFLAREAPI_SINGLE_REDIRECT(\"to www\", 301, \"when\", \"then\")",
        "print the document without `--raw`",
        "absent off A of example.com: the source also wants this record",
        "it is not an object",
        "IMPORT0011",
        "IMPORT0012",
        "record: 4 of 12 imported, 1 in part",
        "absent record: 2 of 3 imported",
    ] {
        assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
    }
    // A part of it is not in the spec, so that it stays in DNSControl.
    workspace.run(&["import", "./ir.json", "--offline", "--handover", "text"]).exits(1);
}

#[test]
fn what_stays_in_dnscontrol_is_said() {
    let workspace = workspace();
    let www = json!([{ "type": "A", "name": "www", "target": "192.0.2.1", "ttl": 300 }]);
    let leave = |members: Value| {
        workspace.file("ir.json", document(members));
        workspace.run(&["import", "./ir.json", "--offline", "--handover", "text"]).exits(0).stdout
    };
    let text = leave(json!({ "tag": "public", "records": www }));
    assert!(text.contains("remove D(\"example.com!public\", …) from dnsconfig.js"), "{text}");
    let text = leave(json!({ "dnsProviders": { "cf": -1, "dns2": -1 }, "records": www }));
    assert!(text.contains("remove DnsProvider(\"cf\") from D(\"example.com\", …)"), "{text}");
    assert!(!text.contains("remove D("), "{text}");
}

#[test]
fn equal_views_are_one_zone() {
    let workspace = workspace();
    let view = |tag: &str, provider: &str, position: &str| {
        json!({ "name": "example.com", "tag": tag, "registrar": "none", "dnsProviders": { provider: -1 },
                "meta": { "dnscontrol_tag": tag },
                "records": [{ "type": "A", "name": "www", "target": "192.0.2.1", "ttl": 300, "filepos": position }] })
    };
    let providers =
        json!([{ "name": "a", "type": "CLOUDFLAREAPI" }, { "name": "b", "type": "CLOUDFLAREAPI" }]);
    let mut ir = json!({ "dns_providers": providers, "domains": [view("x", "a", "[line:1:1]"), view("y", "b", "[line:2:1]")] });
    workspace.file("ir.json", ir.to_string());
    let ran = import(&workspace, &["./ir.json"]);
    assert!(ran.stderr.contains("record: 2 of 2 imported"), "{}", ran.stderr);
    // Both views leave DNSControl.
    let script = workspace.run(&["import", "./ir.json", "--handover", "script"]).exits(0).stdout;
    assert!(script.contains("example.com!x") && script.contains("example.com!y"), "{script}");
    // The same zone in two documents.
    ir["domains"][1]["records"][0]["ttl"] = json!(600);
    let second = json!({ "dns_providers": providers, "domains": [ir["domains"][1]] });
    ir["domains"].as_array_mut().unwrap().truncate(1);
    workspace.file("ir.json", ir.to_string());
    workspace.file("second.json", second.to_string());
    let said = refused(&workspace, &["./ir.json", "./second.json"]);
    assert!(said.contains("IMPORT0010"), "{said}");
}

#[test]
fn a_record_that_no_spec_can_say_is_not_counted_as_imported() {
    let workspace = workspace();
    let record = |name: &str, target: &str| json!({ "type": "CNAME", "name": name, "ttl": 300, "target": target });
    let records = json!([record("loop", "loop.example.com."), record("www", "example.net.")]);
    workspace.file("ir.json", document(json!({ "records": records })));
    let ran = import(&workspace, &["./ir.json"]);
    for words in [
        "loop CNAME of example.com: `loop.example.com` is the name of the record itself",
        "record: 1 of 2",
    ] {
        assert!(ran.stderr.contains(words), "{words}\n{}", ran.stderr);
    }
    workspace.run(&["import", "./ir.json", "--handover", "script"]).exits(1);
}

#[test]
fn hostile_documents_end_with_an_error() {
    let workspace = workspace();
    let deep = format!("{{\"domains\": [{}1{}]}}", "[".repeat(50_000), "]".repeat(50_000));
    let names = json!({ "domains": [{ "name": "a\u{1b}[31m!\u{202e}b", "dnsProviders": { "c\u{7}": -1 }, "records": null }] });
    for text in [
        "{\"domains\": [1, null, \"x\", {\"name\": 7}, {\"name\": \"a b\"}]}".to_owned(),
        "{\"domains\": [{\"name\": \"example.com\", \"dnsProviders\": [1]}]}".to_owned(),
        "{\"domains\": []}".to_owned(),
        deep,
        names.to_string(),
    ] {
        workspace.file("ir.json", &text);
        let ran = workspace.run(&["import", "./ir.json", "--offline"]).exits(1);
        assert!(
            !ran.stderr.contains("panicked")
                && !ran.stderr.contains(['\u{1b}', '\u{202e}', '\u{7}']),
            "{}",
            ran.stderr
        );
    }
    let odd = document(
        json!({ "records": { "type": "A" }, "recordsabsent": 7, "meta": [1], "auto_dnssec": 7 }),
    );
    workspace.file("ir.json", odd);
    let ran = workspace.run(&["import", "./ir.json", "--offline"]).exits(0);
    assert!(ran.stderr.matches("it is not a list").count() == 2, "{}", ran.stderr);
    #[cfg(unix)]
    {
        workspace.file("ir.json", two_views().to_string());
        std::os::unix::fs::symlink("/etc/hostname", workspace.path().join("creds.json")).unwrap();
        let said = refused(&workspace, &["./ir.json"]);
        assert!(said.contains("creds.json` leads out of the directory"), "{said}");
    }
}
