//! `import` of zone files: which zone a file is, and what Cloudflare's export says behind its
//! records.

use serde_json::json;

use crate::support::imports::{import, records, workspace};
use crate::support::workspace::Workspace;

/// Returns the spec of an import, and its messages.
#[track_caller]
fn imported(workspace: &Workspace, arguments: &[&str]) -> (String, String) {
    let all: Vec<&str> =
        ["import"].iter().chain(arguments).chain(["--offline"].iter()).copied().collect();
    let ran = workspace.run(&all).exits(0);
    (ran.stdout, ran.stderr)
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

const SOA: &str = "IN SOA ns1 host 1 2 3 4 5\n";

#[test]
fn two_files_of_one_zone_are_two_versions() {
    let workspace = workspace();
    let file =
        |address: &str| format!("$ORIGIN example.com.\n$TTL 300\n@ {SOA}www IN A {address}\n");
    workspace.file("dns/db.example.com", file("192.0.2.1"));
    workspace.file("dns/db.example.com.bak", file("192.0.2.99") + "old IN A 192.0.2.2\n");
    let said = refused(&workspace, &["./dns/"]);
    for words in [
        "IMPORT0010",
        "dns/db.example.com, ",
        "dns/db.example.com.bak",
        "import the one that is in force alone",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    // One that is named and one of a directory are still two.
    refused(&workspace, &["./dns/", "./dns/db.example.com"]);
    let (spec, _) = imported(&workspace, &["./dns/db.example.com"]);
    assert!(spec.contains("192.0.2.1") && !spec.contains("192.0.2.99"), "{spec}");
    let (spec, _) = imported(&workspace, &["./dns/db.example.com", "./dns/db.example.com.bak"]);
    assert!(spec.contains("192.0.2.99") && spec.contains("192.0.2.2"), "{spec}");
    // A file that is named twice is one.
    let (_, said) = imported(&workspace, &["./dns/db.example.com", "./dns/../dns/db.example.com"]);
    assert!(said.contains("record: 1 of 1 imported"), "{said}");
    // Names of copies, where no SOA record tells the zone.
    for (first, second) in [
        ("example.org.zone", "example.org.db"),
        ("db.example.org", "db.example.org.orig"),
        ("in/db.example.org", "out/db.example.org"),
    ] {
        let own = crate::support::imports::workspace();
        own.file(&format!("z/{first}"), "www 300 IN A 192.0.2.1\n");
        own.file(&format!("z/{second}"), "www 300 IN A 192.0.2.3\n");
        assert!(refused(&own, &["./z/"]).contains("IMPORT0010"), "{first} {second}");
    }
    // A file that another one includes is a part of it.
    workspace.file(
        "parts/db.example.net",
        format!("$ORIGIN example.net.\n@ 300 {SOA}$INCLUDE db.hosts\n"),
    );
    workspace.file("parts/db.hosts", "$TTL 300\n@ IN TXT x\nwww IN A 192.0.2.1\n");
    let (spec, said) = imported(&workspace, &["./parts/"]);
    assert!(
        spec.contains("192.0.2.1") && said.contains("record: 2 of 2 imported"),
        "{spec}\n{said}"
    );
}

#[test]
fn the_zone_is_that_of_the_soa_record_or_else_what_is_named() {
    let a = "www 300 IN A 192.0.2.1\n";
    let soa = |owner: &str| format!("{owner} 3600 {SOA}");
    let cases: &[(&str, String, &[&str], &str)] = &[
        // The SOA record before everything.
        (
            "db.example.org",
            format!("$ORIGIN com.\nexample 3600 {SOA}$ORIGIN example.com.\n{a}"),
            &[],
            "www.example.com",
        ),
        ("x.zone", soa("example.com.") + a, &[], "www.example.com"),
        ("example.com.zone", soa("@") + a, &[], "www.example.com"),
        (
            "example.com.zone",
            format!("$ORIGIN sub.example.com.\n{a}$ORIGIN example.com.\n@ {SOA}"),
            &[],
            "www.sub.example.com",
        ),
        // Then the option, then the name of the file, then the first `$ORIGIN`. It is the initial
        // origin.
        ("db.example.org", a.to_owned(), &["--zone-name", "example.com"], "www.example.com"),
        ("example.com.zone", a.to_owned(), &[], "www.example.com"),
        ("example.com.zone", format!("$ORIGIN sub.example.com.\n{a}"), &[], "www.sub.example.com"),
        ("example.com.zone", format!("$ORIGIN sub\n{a}"), &[], "www.sub.example.com"),
        (
            "x.zone",
            format!("$ORIGIN example.com.\n$ORIGIN sub.example.com.\n{a}"),
            &[],
            "www.sub.example.com",
        ),
        ("db.example.com.bak", a.to_owned(), &[], "www.example.com"),
    ];
    for (name, text, arguments, expected) in cases {
        let workspace = workspace();
        workspace.file(name, text);
        let path = format!("./{name}");
        let all: Vec<&str> = [path.as_str()].iter().chain(arguments.iter()).copied().collect();
        let (spec, _) = imported(&workspace, &all);
        assert!(spec.contains("\n  example.com:\n"), "{name}\n{text}\n{spec}");
        assert_eq!(records(&spec), [format!("{expected} A 192.0.2.1 300")], "{name}\n{text}");
    }
}

#[test]
fn what_contradicts_the_soa_record_is_refused() {
    let workspace = workspace();
    workspace.file("a.zone", format!("$ORIGIN example.org.\n@ 3600 {SOA}www 300 IN A 192.0.2.1\n"));
    let said = refused(&workspace, &["./a.zone", "--zone-name", "example.com"]);
    for words in [
        "IMPORT0010",
        "is of example.org, and `--zone-name` says example.com",
        "a.zone:2:1",
        "--zone-name example.org",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    imported(&workspace, &["./a.zone", "--zone-name", "example.org"]);
    workspace.file("b.zone", format!("example.org. 3600 {SOA}example.net. 3600 {SOA}"));
    let said = refused(&workspace, &["./b.zone"]);
    assert!(
        said.contains("SOA records of example.org and of example.net")
            && said.contains("b.zone:1:1"),
        "{said}"
    );
    workspace.file("c.zone", "www 300 IN A 192.0.2.1\napi 300 IN A 192.0.2.2\n");
    let said = refused(&workspace, &["./c.zone"]);
    assert!(said.contains("IMPORT0005") && said.contains("record: 0 of 2 imported"), "{said}");
    // Records outside the zone are named, and not moved into it.
    workspace.file("example.com.zone", "$ORIGIN example.net.\nwww 300 IN A 192.0.2.1\n");
    let ran = workspace.run(&["import", "./example.com.zone", "--offline"]).exits(0);
    assert!(
        ran.stderr.contains("www.example.net is not in the zone example.com"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_comment_behind_a_record_of_cloudflares_export_is_the_comment_of_the_record() {
    let header = ";;\n;; Domain:     example.com.\n;; Exported:   2026-11-26 10:00:00\n;;\n\n;; SOA Record\n\
                  example.com\t3600\tIN\tSOA\tada.ns.cloudflare.com. dns.cloudflare.com. 1 10000 2400 604800 3600\n\n;; A Records\n";
    let records = "a.example.com.\t1\tIN\tA\t192.0.2.1 ; only a comment\r\n\
                   b.example.com.\t1\tIN\tA\t192.0.2.1 ; has cf_tags= as text cf_tags=\n\
                   c.example.com.\t1\tIN\tA\t192.0.2.1 ; both cf_tags=cf-proxied:true,team:\"a,b=c\",note:\"say \\\"x\\\" cf_tags=y\",prod\n\
                   d.example.com.\t1\tIN\tCNAME\ta.example.com. ; cf_tags=cf-proxied:false,cf-flatten-cname,cf-new:1\n";
    let workspace = workspace();
    workspace.file("cloudflare.txt", format!("{header}{records}"));
    let (spec, said) = imported(&workspace, &["./cloudflare.txt", "--from", "bind"]);
    for words in [
        "comment: \"only a comment\"",
        "comment: \"has cf_tags= as text\"",
        "comment: both",
        "proxied: true",
        "note:say \\\"x\\\" cf_tags=y",
        "team:a,b=c",
        "flatten_cname: true",
    ] {
        assert!(spec.contains(words), "{words}\n{spec}");
    }
    assert!(!spec.contains("# "), "{spec}");
    for words in [
        "IMPORT0018",
        "2 records without `cf-proxied`",
        "`cf-new:1` is not in the spec",
        "1 SOA record",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    // The name of the file is not the zone of an export.
    workspace.file("db.example.org", format!("{header}{records}"));
    assert!(imported(&workspace, &["./db.example.org"]).0.contains("  example.com:\n"));
    // Without the header, one list of tags identifies the kind of file.
    workspace.file("headless.zone", format!("$ORIGIN example.com.\n{records}"));
    assert!(imported(&workspace, &["./headless.zone"]).0.contains("comment: \"only a comment\""));
    // In other zone files, a comment is a remark.
    let plain = records.lines().next().unwrap();
    workspace.file("plain.zone", format!("$ORIGIN example.com.\n{plain}\n"));
    let (spec, said) = imported(&workspace, &["./plain.zone"]);
    assert!(spec.contains("# only a comment") && !spec.contains("comment:"), "{spec}");
    assert!(!said.contains("IMPORT0018"), "{said}");
}

#[test]
fn an_export_has_the_documented_grammar() {
    let workspace = workspace();
    let record = |name: &str, comment: &str, tags: serde_json::Value| json!({ "type": "TXT", "name": format!("{name}.example.com"), "content": "\"x\"", "comment": comment, "tags": tags });
    workspace.plant(&json!({ "zones": [{ "name": "example.com", "plan": "business", "records": [
        record("a", "plain", json!([])),
        record("b", "has cf_tags= as text", json!([])),
        record("c", "has cf_tags=x:y as text", json!(["prod", "team:a,b=\"c\\d\""])),
        { "type": "CNAME", "name": "d.example.com", "content": "a.example.net", "tags": ["ticket:A 1"], "settings": { "flatten_cname": true } },
    ] }] }));
    let live = workspace.run(&["import", "example.com"]).exits(0).stdout;
    let export = workspace
        .run(&["export", "--to", "bind", "--live", "--zone", "example.com"])
        .exits(0)
        .stdout;
    for line in [
        "; plain cf_tags=cf-proxied:false\n",
        "; has cf_tags= as text cf_tags=cf-proxied:false\n",
        "; has cf_tags=x:y as text cf_tags=prod,team:\"a,b=\\\"c\\\\d\\\"\",cf-proxied:false\n",
        "; cf_tags=ticket:A 1,cf-proxied:false,cf-flatten-cname\n",
    ] {
        assert!(export.contains(line), "{line}\n{export}");
    }
    workspace.file("example.com.zone", export);
    // A zone file does not say which Cloudflare plan its zone has.
    let without_plan = live.replacen("    plan: business\n", "", 1);
    assert_ne!(without_plan, live);
    assert_eq!(import(&workspace, &["./example.com.zone"]).stdout, without_plan);
}

/// Returns the number of messages with these words.
fn times(said: &str, words: &str) -> usize {
    said.matches(words).count()
}

#[test]
fn includes_that_multiply_end() {
    let workspace = workspace();
    workspace.file(
        "example.com.zone",
        format!("www 300 IN A 192.0.2.1\n{}", "$INCLUDE example.com.zone\n".repeat(20)),
    );
    let (spec, said) = imported(&workspace, &["./example.com.zone"]);
    assert_eq!(records(&spec), ["www.example.com A 192.0.2.1 300"]);
    assert_eq!(times(&said, "`example.com.zone` includes itself"), 1, "{said}");
    assert!(
        said.contains("record: 1 of 1 imported") && said.contains("line: 0 of 20 imported"),
        "{said}"
    );
    assert!(!said.contains("exists"), "{said}");
    // Two files that include each other, and a link to the first one.
    workspace.file("dns/a.zone", "$ORIGIN example.com.\n$INCLUDE b.inc\na 300 IN A 192.0.2.1\n");
    workspace.file("dns/b.inc", "b 300 IN A 192.0.2.2\n$INCLUDE a.zone\n$INCLUDE link.zone\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.zone", workspace.path().join("dns/link.zone")).unwrap();
    let (spec, said) = imported(&workspace, &["./dns/a.zone"]);
    assert_eq!(records(&spec).len(), 2, "{spec}");
    assert_eq!(
        (times(&said, "`a.zone` includes itself"), times(&said, "exists")),
        (1, 0),
        "{said}"
    );
    // At most 1,000 files: 24 of 41 each, and 16 more, of which one is the file that includes the
    // others.
    workspace.file("many/example.com.zone", "$INCLUDE a.inc\n".repeat(40));
    workspace.file("many/a.inc", "$INCLUDE b.inc\n".repeat(40));
    workspace.file("many/b.inc", "www 300 IN A 192.0.2.1\nbad 300 IN A 192.0.2.x\n");
    let (spec, said) = imported(&workspace, &["./many/"]);
    assert_eq!(records(&spec), ["www.example.com A 192.0.2.1 300"]);
    assert!(said.contains("www A exists 975 times and was written once"), "{said}");
    assert_eq!(times(&said, "includes more than 1000 files"), 1, "{said}");
    // A mistake is one message, however often its file is included.
    assert_eq!(times(&said, "`192.0.2.x`"), 1, "{said}");
    assert!(said.contains("read 3 files, skipped 0"), "{said}");
    // At most 10 levels.
    for n in 0..12 {
        let next = format!("$INCLUDE {}.inc\n", n + 1).repeat(2);
        workspace.file(
            &format!("deep/{n}.inc"),
            format!("h{n} 300 IN A 192.0.2.1\n{}", if n < 11 { &next } else { "" }),
        );
    }
    workspace.file("deep/example.com.zone", "$INCLUDE 0.inc\n");
    let (spec, said) = imported(&workspace, &["./deep/example.com.zone"]);
    assert!(spec.contains("name: h9,") && !spec.contains("name: h10,"), "{spec}");
    assert_eq!(times(&said, "more than 10 levels deep"), 1, "{said}");
}

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    let workspace = workspace();
    for (name, text) in
        [("open.zone", "$ORIGIN example.com.\na A ( 192.0.2.1\n"), ("quote.zone", "a TXT \"x\n")]
    {
        workspace.file(name, text);
        assert!(refused(&workspace, &[&format!("./{name}")]).contains("IMPORT0001"), "{name}");
    }
    // Failures of generated records are counted.
    workspace.file(
        "g.zone",
        "$ORIGIN example.com.\n$GENERATE 1-5 h$ A 192.0.2.1x$\nok 60 A 192.0.2.1\n",
    );
    let (_, said) = imported(&workspace, &["./g.zone"]);
    assert!(said.contains("1 of 6 imported") || said.contains("record: 1 of 6"), "{said}");
}

#[test]
fn one_record_with_different_attributes_is_not_merged() {
    let workspace = workspace();
    workspace.file(
        "example.com.zone",
        "www 300 IN A 192.0.2.1\nwww 600 IN A 192.0.2.1\nsame 300 A 192.0.2.1\nsame 300 A 192.0.2.1\n",
    );
    let (spec, said) = imported(&workspace, &["./example.com.zone"]);
    assert_eq!(
        records(&spec),
        ["same.example.com A 192.0.2.1 300", "www.example.com A 192.0.2.1 300"]
    );
    assert!(
        said.contains("www.example.com A: its TTL is that of the other A records of the name, 300"),
        "{said}"
    );
    assert!(
        said.contains("zone:2:1") && said.contains("same A exists twice and was written once"),
        "{said}"
    );
    assert!(said.contains("record: 4 of 4 imported"), "{said}");
    workspace.file("t.csv", "zone,name,type,content,ttl\nexample.com,www,A,192.0.2.1,300\nexample.com,www,A,192.0.2.1,600\n");
    let (_, said) = imported(&workspace, &["./t.csv"]);
    assert!(said.contains("the source has this record already, with another `ttl`"), "{said}");
    workspace.file("t.csv", "zone,name,type,content,proxied,comment\nexample.com,www,A,192.0.2.1,true,a\nexample.com,www,A,192.0.2.1,false,b\n");
    let (_, said) = imported(&workspace, &["./t.csv"]);
    assert!(
        said.contains("with another `proxied` and `comment`") && said.contains("record: 1 of 2"),
        "{said}"
    );
}

/// Returns the records of a zone file that has this text behind its SOA record and `www`, and the
/// messages.
#[track_caller]
fn behind_authority(text: &str) -> (Vec<String>, String) {
    let workspace = workspace();
    let file = format!("$TTL 3600\n@ {SOA}www A 192.0.2.1\n{text}");
    workspace.file("db.example.com", file);
    let (spec, said) = imported(&workspace, &["./db.example.com"]);
    (records(&spec), said)
}

/// The missing parts of an entry (its owner, its origin) come from the file, or stay empty.
#[test]
fn nothing_is_read_at_a_name_that_the_file_does_not_say() {
    let long = format!("{} A 192.0.2.2\n TXT \"x\"\n", "a".repeat(64));
    for (text, left_out) in [
        ("old\\.host A 192.0.2.2\n AAAA 2001:db8::2\n TXT \"x\"\n", "line: 0 of 3"),
        ("a..b A 192.0.2.2\n MX 10 mx.example.net.\n", "line: 0 of 2"),
        (&long, "line: 0 of 2"),
        ("$ORIGIN john\\.doe.example.com.\n@ A 192.0.2.2\nwww A 192.0.2.3\n", "line: 0 of 3"),
        ("$ORIGIN sub more\na A 192.0.2.2\n", "line: 0 of 2"),
        ("$TTL 300 more\n", "line: 0 of 1"),
        ("$GENERATE 5-1 h$ A 192.0.2.$\n", "line: 0 of 1"),
        ("w TXT \\# 4 03616263\n", "record: 1 of 2"),
        ("t TXT \\# 0\n", "record: 1 of 2"),
    ] {
        let (all, said) = behind_authority(text);
        assert_eq!(all.len(), 1, "{text}: {all:?}\n{said}");
        assert!(said.contains(&format!("{left_out} imported")), "{text}: {said}");
    }
}

/// What `named-compilezone` 9.18 makes of the TTLs of this file.
#[test]
fn a_record_set_has_the_ttl_that_bind_gives_it() {
    let (all, said) = behind_authority(
        "a 60 A 192.0.2.1\na 300 A 192.0.2.2\na 600 AAAA 2001:db8::1\nb 60 A 192.0.2.1\nc A 192.0.2.1\nb 300 A 192.0.2.2\n\
         c 90 A 192.0.2.3\nc 95 A 192.0.2.4\nd 60 A 192.0.2.1\nd 300 A 192.0.2.1\nd 300 A 192.0.2.2\n\
         $GENERATE 1-2 g 60 A 192.0.2.$\ng 70 A 192.0.2.9\nh 60 A 192.0.2.1\n$ORIGIN h.example.com.\n@ 70 A 192.0.2.2\n",
    );
    let of = |name: &str| {
        let start = format!("{name}.example.com ");
        let own = all.iter().filter_map(|record| record.strip_prefix(&start));
        own.map(str::to_owned).collect::<Vec<_>>()
    };
    for (name, expected) in [
        ("a", &["A 192.0.2.1 60", "A 192.0.2.2 60", "AAAA 2001:db8::1 600"][..]),
        ("b", &["A 192.0.2.1 300", "A 192.0.2.2 300"]),
        ("c", &["A 192.0.2.1 90", "A 192.0.2.3 90", "A 192.0.2.4 90"]),
        ("d", &["A 192.0.2.1 60", "A 192.0.2.2 60"]),
        ("g", &["A 192.0.2.1 70", "A 192.0.2.2 70", "A 192.0.2.9 70"]),
        ("h", &["A 192.0.2.1 60", "A 192.0.2.2 60"]),
    ] {
        assert_eq!(of(name), expected, "{said}");
    }
    // A note at each line that says another TTL.
    assert_eq!(times(&said, "as in BIND, and not"), 8, "{said}");
    assert!(said.contains("c.example.com A: its TTL is that of the other A records of the name, 90, as in BIND, and not 3600"), "{said}");
    assert!(said.contains("record: 17 of 17 imported"), "{said}");
}

/// What `named-compilezone` 9.18 makes of entries between those of one owner.
#[test]
fn a_run_of_entries_ends_where_bind_ends_it() {
    for (text, expected) in [
        // Glue does not end the run of the name, and is a run of its own.
        (
            "a 60 NS b\nb 61 A 192.0.2.1\na 70 NS c\nc 62 A 192.0.2.1\nb 63 A 192.0.2.2\na 80 NS d\n",
            &[
                "a NS b.example.com 60",
                "a NS c.example.com 60",
                "a NS d.example.com 60",
                "b A 192.0.2.1 63",
                "b A 192.0.2.2 63",
                "c A 192.0.2.1 62",
            ][..],
        ),
        (
            "a 60 NS b\nb 61 A 192.0.2.1\n 66 A 192.0.2.2\n",
            &["a NS b.example.com 60", "b A 192.0.2.1 61", "b A 192.0.2.2 61"],
        ),
        (
            "a 60 NS B\nb 61 A 192.0.2.1\na 70 NS c\n",
            &["a NS b.example.com 60", "a NS c.example.com 60", "b A 192.0.2.1 61"],
        ),
        // The name servers of glue have no glue.
        (
            "a 60 NS b\nb 61 NS c\nc 62 A 192.0.2.1\na 70 NS c\n",
            &[
                "a NS b.example.com 70",
                "a NS c.example.com 70",
                "b NS c.example.com 61",
                "c A 192.0.2.1 62",
            ],
        ),
        // Those of the zone have some, although Cloudflare assigns others.
        (
            "@ 60 NS m\n@ 65 MX 1 b\nm 66 A 192.0.2.1\n@ 67 MX 2 b\n",
            &["@ MX 1 b.example.com 65", "@ MX 2 b.example.com 65", "m A 192.0.2.1 66"],
        ),
        // A name outside of the zone ends a run.
        (
            "a 60 A 192.0.2.1\nx.example.net. A 192.0.2.1\na 70 A 192.0.2.2\n",
            &["a A 192.0.2.1 70", "a A 192.0.2.2 70"],
        ),
        (
            "a 60 NS x.example.net.\nx.example.net. A 192.0.2.1\na 70 NS c\n",
            &["a NS c.example.com 60", "a NS x.example.net 60"],
        ),
        // A file ends all runs, also an empty one.
        (
            "a 60 A 192.0.2.1\n$INCLUDE empty\n 70 A 192.0.2.2\n",
            &["a A 192.0.2.1 70", "a A 192.0.2.2 70"],
        ),
        (
            "a 60 A 192.0.2.1\n$INCLUDE one\na 71 A 192.0.2.2\n",
            &["a A 192.0.2.1 71", "a A 192.0.2.2 71", "a A 192.0.2.9 71"],
        ),
        (
            "a 60 NS b\nb 61 A 192.0.2.1\n$INCLUDE empty\nb 62 A 192.0.2.2\na 70 NS c\n",
            &[
                "a NS b.example.com 70",
                "a NS c.example.com 70",
                "b A 192.0.2.1 62",
                "b A 192.0.2.2 62",
            ],
        ),
        // Generated records are in no run.
        (
            "a 60 A 192.0.2.1\n$GENERATE 2-3 a 70 A 192.0.2.$\na 80 A 192.0.2.4\n",
            &["a A 192.0.2.1 60", "a A 192.0.2.2 60", "a A 192.0.2.3 60", "a A 192.0.2.4 60"],
        ),
        // Owners that differ in case are different ones.
        ("a 60 A 192.0.2.1\nA 70 A 192.0.2.2\n", &["a A 192.0.2.1 70", "a A 192.0.2.2 70"]),
        (
            "a 60 A 192.0.2.1\n$ORIGIN EXAMPLE.com.\na 70 A 192.0.2.2\n",
            &["a A 192.0.2.1 70", "a A 192.0.2.2 70"],
        ),
        ("a 60 A 192.0.2.1\n\\097 70 A 192.0.2.2\n", &["a A 192.0.2.1 60", "a A 192.0.2.2 60"]),
    ] {
        let workspace = workspace();
        workspace.file("empty", "");
        workspace.file("one", "a 70 A 192.0.2.9\n");
        workspace.file("db.example.com", format!("$TTL 3600\n@ {SOA}{text}"));
        let (spec, said) = imported(&workspace, &["./db.example.com"]);
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(values(&spec), expected, "{text}\n{said}");
    }
}

/// Returns the records of a spec with one zone as names, types, values and TTLs.
fn values(spec: &str) -> Vec<String> {
    let spec: serde_yaml::Value = serde_yaml::from_str(spec).expect("a spec");
    let shown = |record: &serde_yaml::Value| {
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        let priority = record["priority"].as_u64().map_or(String::new(), |n| format!("{n} "));
        let ttl = record["ttl"].as_u64().expect("a TTL");
        format!("{} {} {priority}{} {ttl}", text("name"), text("type"), text("content"))
    };
    let records = spec["zones"]["example.com"]["records"].as_sequence().expect("records");
    let mut all: Vec<String> = records.iter().map(shown).collect();
    all.sort_unstable();
    all
}

/// Without `$TTL`, a record has the TTL of the one before it, as BIND corrects it.
#[test]
fn an_inherited_ttl_is_that_of_the_record_set() {
    for (text, ttl) in [
        ("a 60 A 192.0.2.1\na 120 A 192.0.2.2\nb A 192.0.2.1\n", 60),
        ("a 60 A 192.0.2.1\nx.example.net. 120 A 192.0.2.2\nb A 192.0.2.1\n", 120),
        ("a 60 A 192.0.2.1\na 61 HINFO x y\na 62 HINFO z y\nb A 192.0.2.1\n", 61),
        ("a 60 A 192.0.2.1\n$GENERATE 1-2 g$ 77 A 192.0.2.$\nb A 192.0.2.1\n", 77),
    ] {
        let workspace = workspace();
        workspace.file("db.example.com", format!("@ 3600 {SOA}{text}"));
        let (spec, said) = imported(&workspace, &["./db.example.com"]);
        let expected = format!("b A 192.0.2.1 {ttl}");
        assert!(values(&spec).contains(&expected), "{text}\n{spec}\n{said}");
    }
}

/// Cloudflare has a TTL for each record, and its export is read back as it is.
#[test]
fn an_export_of_cloudflare_keeps_the_ttl_of_each_record() {
    let workspace = workspace();
    workspace.file(
        "example.com.txt",
        "a.example.com. 60 IN A 192.0.2.1 ; cf_tags=cf-proxied:false\na.example.com. 300 IN A 192.0.2.2 ; cf_tags=cf-proxied:false\n",
    );
    let (spec, said) = imported(&workspace, &["./example.com.txt", "--from", "bind"]);
    assert_eq!(records(&spec), ["a.example.com A 192.0.2.1 60", "a.example.com A 192.0.2.2 300"]);
    assert!(!said.contains("IMPORT0029"), "{said}");
}

/// After a `$TTL` that is not valid, the one before it is not in force: what has no TTL of its own
/// is left out by name.
#[test]
fn an_invalid_default_ttl_leaves_out_what_depends_on_it() {
    for invalid in ["$TTL bad", "$TTL 5 6", "$TTL", "$TTL 99999999999"] {
        let (all, said) = behind_authority(&format!(
            "{invalid}\na A 192.0.2.2\nb 60 A 192.0.2.3\n TXT \"x\"\n$TTL 77\nc A 192.0.2.4\n"
        ));
        assert_eq!(
            all,
            [
                "b.example.com A 192.0.2.3 60",
                "c.example.com A 192.0.2.4 77",
                "www.example.com A 192.0.2.1 3600"
            ],
            "{invalid}: {said}"
        );
        for name in ["a.example.com A", "b.example.com TXT"] {
            assert!(
                said.contains(&format!(
                    "{name}: it has the TTL of the last `$TTL` line, which is not valid"
                )),
                "{invalid}: {said}"
            );
        }
    }
}

#[test]
fn owners_classes_and_escapes_are_those_of_bind() {
    let (all, said) = behind_authority(
        "$GENERATE 1-2 node$ A 192.0.2.1$\n MX 10 mx.example.net.\n\\109ail A 192.0.2.3\nb CLASS1 A 192.0.2.4\n",
    );
    for record in [
        "node1.example.com A",
        "node2.example.com A",
        "mail.example.com A",
        "b.example.com A",
        "www.example.com MX",
    ] {
        assert!(all.iter().any(|shown| shown.starts_with(record)), "{record}: {all:?}\n{said}");
    }
}

/// An SOA record without TTL in a file without `$TTL`: its last field is the default.
#[test]
fn the_last_field_of_the_authority_is_the_default_ttl() {
    let workspace = workspace();
    workspace.file(
        "db.example.com",
        "@ SOA ns1 host 1 7200 3600 1209600 7777\nw A 192.0.2.1\nv 60 A 192.0.2.2\nu A 192.0.2.3\n",
    );
    let (spec, _) = imported(&workspace, &["./db.example.com"]);
    let ttls: Vec<bool> = ["w", "v", "u"]
        .map(|name| {
            let line = spec.lines().find(|line| line.contains(&format!("name: {name},")));
            line.is_some_and(|line| line.contains("ttl: 7777"))
        })
        .to_vec();
    assert_eq!(ttls, [true, false, true], "{spec}");
}

#[test]
fn a_carriage_return_alone_is_refused_with_its_place() {
    let workspace = workspace();
    for (text, place) in [
        (format!("$TTL 300\r@ {SOA}"), ":1:9"),
        (format!("$TTL 300\n@ {SOA}; a comment\rw A 192.0.2.1\n"), ":3:12"),
    ] {
        workspace.file("db.example.com", &text);
        let said = refused(&workspace, &["./db.example.com"]);
        assert!(said.contains("a carriage return alone") && said.contains(place), "{said}");
    }
    workspace.file("db.example.com", format!("$TTL 300\r\n@ {SOA}w A 192.0.2.1 ; x\r\n"));
    imported(&workspace, &["./db.example.com"]);
}
