//! Responses and files that are made to fill the memory. The peak is the system's count, which the
//! program logs when it ends.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use data_encoding::HEXLOWER;
use flate2::Compression;
use flate2::write::GzEncoder;
use ring::digest::{Context, SHA256};
use tempfile::TempDir;
use zonewright::document::saved_plan::checksum;

use crate::support::workspace::{Ran, binary};

/// The limit for the memory of a run, in KiB.
const MOST: u64 = 300 * 1024;

/// A spec that touches records and rules.
const SPEC: &str = "
version: 1
zones:
  example.com:
    unmanaged: prune
    settings: { ssl: strict }
    records: [{ name: www, type: A, content: 192.0.2.1 }]
    waf: { custom: [{ name: scanners, when: 'http.user_agent contains \"scanner\"', action: block }] }
";

/// Cases that are tried: every third one, or all of them if `MEMORY_WHOLE` is in the environment,
/// as `.ci/run` sets it.
fn played<T>(cases: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let step = if std::env::var_os("MEMORY_WHOLE").is_some() { 1 } else { 3 };
    cases.into_iter().step_by(step)
}

/// Returns a directory with the spec.
fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("spec.yaml"), SPEC).unwrap();
    directory
}

/// Runs the binary, which must end by itself and within the memory limit.
#[track_caller]
fn bounded(what: &str, command: &mut Command) -> Ran {
    let ran: Ran = command.arg("-vv").output().unwrap().into();
    let peak = ran
        .stderr
        .rsplit_once("peak_memory_kib=")
        .map(|(_, rest)| rest.split_whitespace().next().unwrap());
    let peak: u64 = peak
        .unwrap_or_else(|| panic!("{what}: it did not come to its end: {ran:?}"))
        .parse()
        .unwrap();
    assert!(peak < MOST, "{what}: {} MiB", peak / 1024);
    ran
}

/// Runs the binary over files of a directory.
#[track_caller]
fn over(directory: &Path, what: &str, arguments: &[&str]) -> Ran {
    bounded(what, binary(directory).args(arguments))
}

/// A body that is written in pieces, so that it is not kept in memory: a start, a repeated piece,
/// an end.
#[derive(Clone)]
struct Body {
    begin: String,
    piece: String,
    times: usize,
    end: String,
}

impl Body {
    /// Returns the result in an envelope, of at least this number of bytes.
    fn result(begin: &str, piece: &str, megabytes: usize, end: &str) -> Self {
        let unit = piece.repeat(64 * 1024 / piece.len() + 1);
        let times = megabytes * 1024 * 1024 / unit.len() + 1;
        let end = format!("{end},\"success\":true,\"errors\":[],\"messages\":[]}}");
        Self { begin: format!("{{\"result\":{begin}"), piece: unit, times, end }
    }

    /// Writes it.
    fn write(&self, mut out: impl Write) -> std::io::Result<()> {
        out.write_all(self.begin.as_bytes())?;
        for _ in 0..self.times {
            out.write_all(self.piece.as_bytes())?;
        }
        out.write_all(self.end.as_bytes())
    }
}

/// Returns a server that returns this body for paths with this end, a valid zone, and an empty
/// result for everything else.
fn serve(suffix: &'static str, body: Body, is_packed: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/client/v4", listener.local_addr().unwrap());
    let packed = is_packed.then(|| {
        let mut out = GzEncoder::new(Vec::new(), Compression::fast());
        body.write(&mut out).unwrap();
        out.finish().unwrap()
    });
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (body, packed) = (body.clone(), packed.clone());
            // A client that stops reading closes the connection.
            std::thread::spawn(move || {
                drop(respond(stream.unwrap(), suffix, &body, packed.as_deref()))
            });
        }
    });
    url
}

/// Answers one request.
fn respond(
    stream: TcpStream,
    suffix: &str,
    body: &Body,
    packed: Option<&[u8]>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path =
        request.split(' ').nth(1).and_then(|target| target.split('?').next()).unwrap_or_default();
    let mut stream = reader.into_inner();
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n";
    if path.ends_with(suffix) {
        return match packed {
            Some(packed) => {
                write!(
                    stream,
                    "{head}content-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
                    packed.len()
                )?;
                stream.write_all(packed)
            }
            // Without a length, the body ends with the connection.
            None => write!(stream, "{head}\r\n").and_then(|()| body.write(stream)),
        };
    }
    let zone = r#"{"id":"0123456789abcdef0123456789abcdef","name":"example.com","status":"active","plan":{"legacy_id":"business"}}"#;
    let result = match path.rsplit('/').next() {
        Some("zones") => format!("[{zone}]"),
        Some("dns_records") => "[]".to_owned(),
        Some("ssl") => r#"{"id":"ssl","value":"full","editable":true}"#.to_owned(),
        _ => r#"{"id":"r","name":"x","kind":"zone","version":"1","phase":"http_request_firewall_custom","rules":[]}"#
            .to_owned(),
    };
    let body = format!(
        r#"{{"result":{result},"success":true,"errors":[],"messages":[],"result_info":{{"page":1,"per_page":5000,"count":0,"total_count":0,"total_pages":1}}}}"#
    );
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len())
}

#[test]
fn no_response_fills_the_memory() {
    let record = r#"{"id":"1","name":"a.example.com","type":"A","content":"192.0.2.1"}"#;
    let deep = format!("{}{}", "[".repeat(32 * 1024), "]".repeat(32 * 1024));
    let unknown: String =
        (0..1_000).map(|n| format!(r#""member-{n}":{{"a":[0,0,0,0]}},"#)).collect();
    let tags = format!(
        r#"{{"id":"1","name":"a.example.com","type":"A","tags":[{}"0"]}}"#,
        r#""t","#.repeat(10_000)
    );
    let bodies = [
        // Compressed, some of these have 60 KB; unpacked, they would take too long to read to the
        // end.
        ("empty lists", "/dns_records", Body::result("[", "[],", 40, "0]"), true),
        ("zeroes", "/dns_records", Body::result("[0", ",0", 40, "]"), true),
        ("zeroes in a member", "/dns_records", Body::result("{\"a\":[0", ",0", 40, "]}"), true),
        (
            "tiny records",
            "/dns_records",
            Body::result(&format!("[{record}"), &format!(",{record}"), 31, "]"),
            true,
        ),
        (
            "unknown members",
            "/dns_records",
            Body::result("[{", &unknown, 31, "\"id\":\"1\"}]"),
            true,
        ),
        (
            "many tags",
            "/dns_records",
            Body::result(&format!("[{tags}"), &format!(",{tags}"), 31, "]"),
            true,
        ),
        (
            "a text without end",
            "/dns_records",
            Body::result("[{\"id\":\"", "xxxxxxxx", 40, "\"}]"),
            true,
        ),
        (
            "a text",
            "/dns_records",
            Body::result("[{\"type\":\"TXT\",\"content\":\"", "a\\n\\\"", 31, "\"}]"),
            false,
        ),
        ("deep", "/dns_records", Body::result("[", &format!("{deep},"), 31, "0]"), true),
        ("blanks", "/dns_records", Body::result("[", "    ", 40, "]"), true),
        ("zones", "/zones", Body::result("[0", ",{\"\":0}", 15, "]"), true),
        ("zones without end", "/zones", Body::result("[0", ",{\"\":0}", 40, "]"), false),
        ("a setting", "/settings/ssl", Body::result("{\"value\":[0", ",[]", 40, "]}"), true),
        ("rules", "/entrypoint", Body::result("{\"rules\":[{}", ",{}", 15, "]}"), true),
        (
            "values up to the budget",
            "/entrypoint",
            Body::result("{\"rules\":[{}", ",{\"\":0}", 0, "]}"),
            true,
        ),
    ];
    let directory = directory();
    for (what, suffix, body, is_packed) in played(bodies) {
        let url = serve(suffix, body, is_packed);
        let mut command = binary(directory.path());
        command
            .args(["plan", "spec.yaml"])
            .env("CLOUDFLARE_BASE_URL", url)
            .env("CLOUDFLARE_API_TOKEN", "t");
        let ran = bounded(what, &mut command);
        assert!(matches!(ran.code, Some(0 | 1 | 3)), "{what}: {ran:?}");
    }
}

/// Writes a snapshot with these lines between its first and its last.
fn snapshot(path: &Path, lines: &str, times: usize) {
    let mut out = GzEncoder::new(fs::File::create(path).unwrap(), Compression::none());
    let header = "{\"format\":1,\"kind\":\"snapshot\",\"tool\":\"x\",\"taken_at\":\"2026-11-20T12:00:00Z\",\"service\":\"x\",\"account\":null,\
                  \"zones\":[{\"name\":\"example.com\",\"pinned\":null,\"id\":\"a\",\"records\":1}]}\n";
    let mut sum = Context::new(&SHA256);
    for text in std::iter::once(header).chain(std::iter::repeat_n(lines, times)) {
        sum.update(text.as_bytes());
        out.write_all(text.as_bytes()).unwrap();
    }
    let sum = HEXLOWER.encode(sum.finish().as_ref());
    writeln!(out, "{{\"sha256\":\"{sum}\"}}").unwrap();
    out.finish().unwrap();
}

#[test]
fn no_snapshot_fills_the_memory() {
    let directory = directory();
    let path = directory.path().join("s.gz");
    let values = format!("{{\"path\":\"/x\",\"result\":[0{}]}}\n", ",[]".repeat(5_000_000));
    let budget = format!("{{\"path\":\"/x\",\"result\":[0{}]}}\n", ",{\"\":0}".repeat(90_000));
    let items = format!(
        "{{\"path\":\"/zones/a/dns_records\",\"items\":200000}}\n{}",
        "0\n".repeat(200_000)
    );
    let cases = [
        ("one line", " ".repeat(1024 * 1024), 20),
        ("short lines", "0\n".repeat(300_000), 1),
        ("values", values, 1),
        ("values up to the budget", budget, 20),
        ("items", items, 1),
        (
            "long items",
            format!(
                "{{\"path\":\"/zones/a/dns_records\",\"items\":1}}\n\"{}\"\n",
                "x".repeat(15 * 1024 * 1024)
            ),
            8,
        ),
    ];
    for (what, lines, times) in played(cases) {
        snapshot(&path, &lines, times);
        over(directory.path(), what, &["plan", "spec.yaml", "--against", "s.gz"]).exits(1);
    }
}

#[test]
fn no_journal_fills_the_memory() {
    let directory = directory();
    let begin = "{\"event\":\"begin\",\"format\":1,\"time\":\"2026-11-20T12:00:00Z\"}\n";
    let head = "{\"event\":\"intent\",\"step\":1,\"zone\":\"example.com\",\"zone_id\":\"a\",\"request\":{},\"operations\":[";
    let create = "{\"address\":\"example.com/dns/a/A\",\"action\":\"create\",\"after\":{\"name\":\"a.example.com\",\"type\":\"A\"}},";
    let creates = format!("{head}{}0]}}\n", create.repeat(50_000));
    let cases = [
        ("short lines", "{}\n".repeat(300_000), 1),
        ("one line", "x".repeat(1024 * 1024), 20),
        ("values", format!("[0{}]\n", ",[]".repeat(5_000_000)), 1),
        ("values up to the budget", format!("[0{}]\n", ",{\"\":0}".repeat(230_000)), 20),
        (
            "ids",
            format!(
                "{{\"event\":\"outcome\",\"step\":1,\"ids\":[\"\"{}]}}\n",
                ",\"\"".repeat(300_000)
            ),
            20,
        ),
        ("operations", creates, 10),
    ];
    for (what, lines, times) in played(cases) {
        let mut file = fs::File::create(directory.path().join("j.jsonl")).unwrap();
        file.write_all(begin.as_bytes()).unwrap();
        (0..times).for_each(|_| file.write_all(lines.as_bytes()).unwrap());
        let ran = over(directory.path(), what, &["undo", "j.jsonl", "--sandbox=state"]);
        assert!(matches!(ran.code, Some(0 | 1)), "{what}: {ran:?}");
    }
}

/// Returns a saved plan with these members, sealed.
fn plan(members: &str) -> String {
    let text = format!("{{\"kind\":\"plan\",{members}}}");
    let sum = checksum(&text);
    format!("{},\"checksum\":\"{sum}\"}}", &text[..text.len() - 1])
}

/// Returns what is beside the operations of a saved plan with this spec.
fn basis(spec: &str) -> String {
    let consents = "\"consents\":{\"deletes\":null,\"dangers\":[]}";
    let times = "\"created_at\":\"2026-11-20T12:00:00Z\",\"today\":\"2026-11-20\"";
    let saved = format!(
        "\"format\":1,\"tool\":\"x\",{times},\"spec_digest\":\"x\",{consents},\"requests\":[],\"zones\":[],\"spec\":{spec},\"base\":null"
    );
    format!("\"verdict\":\"ready\",\"base\":null,\"saved\":{{{saved}}}")
}

#[test]
fn no_saved_plan_fills_the_memory() {
    let directory = directory();
    let spec = serde_json::to_string(SPEC).unwrap();
    let with = |operations: &str| plan(&format!("{},\"operations\":[{operations}]", basis(&spec)));
    // As large as a real one in which each operation has the largest possible content.
    let image = format!(
        "{{\"type\":\"TXT\",\"name\":\"a.example.com\",\"content\":\"{}\"}}",
        "x".repeat(250)
    );
    let operation = |n: usize| {
        format!(
            "{{\"address\":\"example.com/dns/a{n}/TXT\",\"zone\":\"example.com\",\"kind\":\"dns_record\",\"action\":\"update\",\
             \"before\":{image},\"after\":{image},\"fields\":[{{\"field\":\"content\",\"before\":\"x\",\"after\":\"y\"}}],\"dangers\":[]}}"
        )
    };
    let operations = |count: usize| (0..count).map(operation).collect::<Vec<_>>().join(",");
    let many: String = (0..9_000).map(|n| format!("\"m{n}\":0,")).collect();
    let wide = operation(0).replacen(&image, &format!("{{{many}\"x\":0}}"), 1);
    let mega = 1024 * 1024;
    let cases = [
        ("a large plan", with(&operations(30_000)), 4),
        ("short operations", with(&"{},".repeat(mega / 8)), 1),
        ("wide operations", with(&[wide.as_str()].repeat(240).join(",")), 1),
        (
            "dangers",
            plan(&format!(
                "{},\"operations\":[{{\"dangers\":[{}]}}]",
                basis(&spec),
                "\"delete\",".repeat(mega / 8)
            )),
            1,
        ),
        (
            "values",
            format!(
                "{{\"kind\":\"plan\",\"saved\":{{\"format\":1}},\"x\":[0{}]}}",
                ",[]".repeat(mega)
            ),
            1,
        ),
        (
            "members",
            format!("{{\"kind\":\"plan\",\"saved\":{{{}\"x\":0}}}}", "\"\":0,".repeat(mega)),
            1,
        ),
        ("deep", format!("{{\"kind\":{}", "[".repeat(20 * mega)), 1),
        ("one text", format!("{{\"kind\":\"{}\"}}", "x".repeat(40 * mega)), 1),
    ];
    for (what, text, code) in played(cases) {
        fs::write(directory.path().join("plan.json"), text).unwrap();
        let ran = over(
            directory.path(),
            what,
            &["apply", "plan.json", "--yes", "--sandbox=state", "--max-age", "100000h"],
        );
        assert_eq!(ran.code, Some(code), "{what}: {ran:?}");
    }
}

/// Returns a text of numbered parts.
fn numbered(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

#[test]
fn no_variable_fills_the_memory() {
    let directory = directory();
    let long = "x".repeat(60_000);
    // Each file has its own results; together they are too many.
    for file in 0..4 {
        let records = numbered(400, |n| {
            format!("      - {{ name: r{n}, type: TXT, content: \"${{LONG}}\" }}\n")
        });
        let text = format!(
            "version: 1\nvariables: {{ LONG: {long} }}\nzones:\n  z{file}.com:\n    records:\n{records}"
        );
        fs::write(directory.path().join(format!("v{file}.yaml")), text).unwrap();
    }
    let names = ["validate", "v0.yaml", "v1.yaml", "v2.yaml", "v3.yaml"];
    over(directory.path(), "variables", &names).exits(1);
}

/// Returns local values that double 30 times, each by this expression of the previous one.
fn doubling(first: &str, next: impl Fn(usize) -> String, used: &str) -> String {
    let locals = numbered(30, |n| format!("  a{} = {}\n", n + 1, next(n)));
    let record = format!(
        "resource \"cloudflare_record\" \"r\" {{\n  zone_id = \"z\"\n  name = \"a\"\n  type = \"TXT\"\n  content = {used}\n}}\n"
    );
    format!("locals {{\n  a0 = {first}\n{locals}}}\n{record}")
}

#[test]
fn no_configuration_of_terraform_fills_the_memory() {
    let directory = directory();
    let text = "\"xxxxxxxxxxxxxxxx\"";
    let twice = |n: usize| format!("\"${{local.a{n}}}${{local.a{n}}}\"");
    let scopes = "{ for a in range(1000) : a => [for b in range(1000) : [for c in range(1000) : local.a12]] }";
    let cases = [
        ("texts", doubling(text, twice, "local.a30")),
        (
            "lists",
            doubling("[\"x\"]", |n| format!("[local.a{n}, local.a{n}]"), "length(local.a30)"),
        ),
        (
            "maps",
            doubling(
                "{}",
                |n| format!("{{ a = local.a{n}, b = local.a{n} }}"),
                "length(local.a30)",
            ),
        ),
        (
            "concat",
            doubling("[1]", |n| format!("concat(local.a{n}, local.a{n})"), "length(local.a30)"),
        ),
        (
            "replace",
            doubling(
                text,
                |n| format!("replace(local.a{n}, \"x\", \"xxxxxxxx\")"),
                "length(local.a30)",
            ),
        ),
        (
            "regular",
            doubling(
                text,
                |n| format!("replace(local.a{n}, \"/x/\", \"$0$0$0\")"),
                "length(local.a30)",
            ),
        ),
        ("join", doubling(text, |n| format!("join(local.a{n}, [1, 2, 3])"), "length(local.a30)")),
        (
            "format",
            doubling(
                text,
                |n| format!("format(\"%999s%s%s\", 1, local.a{n}, local.a{n})"),
                "length(local.a30)",
            ),
        ),
        (
            "formatlist",
            doubling(
                text,
                |n| format!("join(\"\", formatlist(\"%s%s\", local.a{n}, range(100)))"),
                "length(local.a30)",
            ),
        ),
        (
            "split",
            doubling(
                text,
                |n| format!("join(\"xx\", split(\"\", local.a{n}))"),
                "length(local.a30)",
            ),
        ),
        (
            "json",
            doubling(
                text,
                |n| format!("jsonencode([local.a{n}, local.a{n}])"),
                "length(local.a30)",
            ),
        ),
        (
            "product",
            doubling(
                "[1, 2, 3]",
                |n| format!("setproduct(local.a{n}, local.a{n})"),
                "length(local.a30)",
            ),
        ),
        ("loops", doubling(text, twice, scopes)),
        (
            "loops in text",
            doubling(
                text,
                twice,
                "\"%{ for a in range(1000) }%{ for b in range(1000) }${local.a12}%{ endfor }%{ endfor }\"",
            ),
        ),
        (
            "splat",
            doubling(
                "[{ a = [1] }]",
                |n| format!("concat(local.a{n}, local.a{n})"),
                "length([for x in range(1000) : local.a20[*].a])",
            ),
        ),
        ("literals", format!("locals {{\n  a = [{}0]\n}}\n", "1,".repeat(2_000_000))),
        ("blocks", "a {}\n".repeat(1_000_000)),
        ("templates", format!("locals {{\n  a = \"{}\"\n}}\n", "${1}".repeat(1_000_000))),
    ];
    // The length of a list is known, whatever its items take. Everything else ends with its limit.
    let lengths = [("lists", "\"2\""), ("maps", "\"2\""), ("splat", "\"1000\"")];
    let of_file = ["literals", "blocks", "templates"];
    for (what, text) in played(cases) {
        fs::create_dir_all(directory.path().join("tf")).unwrap();
        fs::write(directory.path().join("tf/main.tf"), text).unwrap();
        let ran =
            over(directory.path(), what, &["import", "./tf", "--offline", "--zone-name", "e.com"]);
        if let Some((_, length)) = lengths.iter().find(|(name, _)| *name == what) {
            assert!(
                ran.code == Some(0) && ran.stdout.contains(&format!("content: {length}")),
                "{what}: {ran:?}"
            );
            continue;
        }
        let words = match of_file.contains(&what) {
            true => "the configuration takes more than 80 MiB of memory",
            false => "cloudflare_record.r: the values take more memory than an import may use",
        };
        assert!(
            ran.code == Some(1) && ran.stderr.contains(words) && ran.stdout.is_empty(),
            "{what}: {ran:?}"
        );
    }
}

#[test]
fn no_import_fills_the_memory() {
    let directory = directory();
    let names = |part: fn(usize) -> String| numbered(130_000, part);
    let cases = [
        (
            "e.com.zone",
            format!("$ORIGIN e.com.\n{}", names(|n| format!("a{n} 300 IN A 192.0.2.1\n"))),
        ),
        ("e.csv", format!("name,type,content\n{}", names(|n| format!("a{n}.e.com,A,192.0.2.1\n")))),
        ("e.com.yaml", names(|n| format!("a{n}: {{type: A, value: 192.0.2.1}}\n"))),
        (
            "ir.json",
            format!(
                "{{\"domains\":[{{\"name\":\"e.com\",\"records\":[{}{{}}]}}]}}",
                "{},".repeat(550_000)
            ),
        ),
        (
            "s.tfstate",
            format!(
                "{{\"version\":4,\"terraform_version\":\"1\",\"resources\":[{}{{}}]}}",
                "{},".repeat(550_000)
            ),
        ),
        (
            "large.json",
            format!("{{\"terraform_version\":\"1\",\"a\":[{}0]}}", "[],".repeat(5_000_000)),
        ),
    ];
    for (name, text) in played(cases) {
        fs::write(directory.path().join(name), text).unwrap();
        let ran = over(
            directory.path(),
            name,
            &["import", &format!("./{name}"), "--offline", "--out", &format!("out-{name}")],
        );
        assert!(matches!(ran.code, Some(0 | 1)), "{name}: {ran:?}");
    }
}

#[test]
fn no_rule_file_fills_the_memory() {
    let directory = directory();
    let rules = directory.path().join("crs/rules");
    fs::create_dir_all(&rules).unwrap();
    fs::write(directory.path().join("crs/crs-setup.conf"), "").unwrap();
    fs::write(
        directory.path().join("r.jsonl"),
        "{\"method\":\"GET\",\"uri\":\"/?a=b\",\"headers\":[]}\n",
    )
    .unwrap();
    let first = "SecAction \"id:100,phase:1,pass,nolog,setvar:tx.a=xxxxxxxxxxxxxxxx\"\n";
    let action =
        |n: usize, more: &str| format!("SecAction \"id:{},phase:1,pass,nolog,{more}\"\n", 101 + n);
    let large = format!("{first}{}", numbered(20, |n| action(n, "setvar:tx.a=%{tx.a}%{tx.a}")));
    let cases = [
        (
            "doubled",
            format!("{first}{}", numbered(40, |n| action(n, "setvar:tx.a=%{tx.a}%{tx.a}"))),
        ),
        (
            "one action",
            large.clone() + &action(50, &format!("setvar:tx.b={}", "%{tx.a}".repeat(10_000))),
        ),
        (
            "many variables",
            large.clone()
                + &numbered(1_000, |n| action(n + 50, &format!("setvar:tx.b{n}={n}%{{tx.a}}"))),
        ),
        (
            "transformed",
            format!(
                "SecRule REQUEST_URI \"@rx zzz\" \"id:100,phase:1,pass,nolog,t:none{}\"\n",
                ",t:base64Encode".repeat(200)
            ),
        ),
        (
            "each a different way",
            large
                + &numbered(500, |n| {
                    let ways = format!(
                        "{}{}",
                        ",t:hexEncode".repeat(n % 7),
                        ",t:urlEncode".repeat(n / 7 % 7)
                    );
                    format!(
                        "SecRule TX:a \"@rx zzz\" \"id:{},phase:1,pass,nolog,t:none{ways}\"\n",
                        200 + n
                    )
                }),
        ),
    ];
    let phrases = numbered(300_000, |n| format!("phrase-that-is-long-{n} "));
    let phrases = format!("SecRule ARGS \"@pm {phrases}\" \"id:1,phase:2,pass\"\n");
    fs::write(rules.join("a.conf"), phrases).unwrap();
    let hits = ["waf", "score", "--crs", "crs", "--requests", "r.jsonl"];
    let ran = over(directory.path(), "phrases", &hits).exits(1);
    assert!(ran.stderr.contains("the phrases have more than 256 KiB"), "{ran:?}");
    for (what, text) in played(cases) {
        fs::write(rules.join("a.conf"), text).unwrap();
        let ran = over(
            directory.path(),
            what,
            &["waf", "score", "--crs", "crs", "--requests", "r.jsonl"],
        )
        .exits(0);
        let lines = ran
            .stdout
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let undecided: usize =
            lines.filter_map(|line| line["undecided"].as_array().map(Vec::len)).sum();
        assert!(undecided > 0, "{what}: {ran:?}");
    }
}

#[test]
fn no_spec_fills_the_memory() {
    let directory = directory();
    let head = "version: 1\nzones:\n  example.com:\n    records:\n";
    let size = 23 * 1024 * 1024;
    let times = |piece: &str| piece.repeat(size / piece.len());
    let anchors: String = (0..900_000).map(|n| format!("a{n}: &a{n} 0\n")).collect();
    let cases = [
        ("empty lists", format!("{head}      - [{}]\n", times("[],"))),
        ("records", format!("{head}{}", times("      - {}\n"))),
        ("anchors", anchors),
        ("one text", format!("{head}      - {}\n", times("x"))),
        ("deep", format!("{head}      - {}\n", times("["))),
        ("too large", times("#").repeat(8)),
        (
            "zones",
            format!("version: 1\nzones:\n{}", numbered(500_000, |n| format!(" z{n}.ee: {{}}\n"))),
        ),
        (
            "protection",
            format!(
                "version: 1\nzones:\n{}",
                numbered(60_000, |n| format!(" z{n}.ee: {{waf: {{owasp: on}}}}\n"))
            ),
        ),
        (
            "expressions",
            format!(
                "version: 1\nzones:\n e.com:\n  waf:\n   custom:\n{}",
                numbered(150_000, |n| format!(
                    "   - {{name: r{n}, when: 'http.host eq \"h{n}\"', action: block}}\n"
                ))
            ),
        ),
        (
            "values of one name",
            format!(
                "{head}      - {{ name: a, type: TXT, content: [{}] }}\n",
                numbered(900_000, |n| format!("\"{n}\","))
            ),
        ),
        (
            "names with many labels",
            format!(
                "{head}{}",
                numbered(45_000, |n| format!(
                    "      - {{ name: \"{}n{n}\", type: TXT, content: t }}\n",
                    "x.".repeat(100)
                ))
            ),
        ),
        (
            "a profile of many zones",
            format!(
                "version: 1\nprofiles: {{ p: {{ waf: {{ custom: [{}] }} }} }}\nzones:\n{}",
                numbered(1_000, |n| format!(
                    "{{name: r{n}, when: 'http.host eq \"h{n}\"', action: block}},"
                )),
                numbered(5_000, |n| format!("  z{n}.ee: {{ use: [p] }}\n"))
            ),
        ),
        (
            "exceptions from pruning",
            format!(
                "version: 1\nzones:\n e.com:\n  ignore:\n{}",
                numbered(200_000, |n| format!("   - {{ name: '*{n}{}' }}\n", "*a".repeat(20)))
            ),
        ),
        (
            "aliases of a text",
            format!("a: &a {}\nb: [{}0]\n", "x".repeat(1024 * 1024), "*a,".repeat(250)),
        ),
        (
            "wrong expressions",
            format!(
                "version: 1\nzones:\n e.com:\n  waf:\n   custom:\n{}",
                numbered(50_000, |n| format!(
                    "   - {{name: r{n}, when: 'http.hosst eq \"h\"', action: block}}\n"
                ))
            ),
        ),
    ];
    for (what, text) in played(cases) {
        fs::write(directory.path().join("large.yaml"), text).unwrap();
        over(directory.path(), what, &["validate", "large.yaml"]).exits(1);
    }
}

#[test]
fn no_other_file_fills_the_memory() {
    let directory = directory();
    let large = "x: 0\n".repeat(4 * 1024 * 1024 / 5);
    let file = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    file("policy.yaml", &large);
    over(
        directory.path(),
        "a policy",
        &["plan", "spec.yaml", "--sandbox=state", "--policy", "policy.yaml"],
    )
    .exits(1);
    file("comments.yaml", &format!("version: 1\nzones: {{}}\n{}", "# a comment\n".repeat(220_000)));
    let ran = over(directory.path(), "fmt", &["fmt", "comments.yaml"]).exits(0);
    assert!(ran.stderr.contains("comments.yaml: it is larger than 2.5 MiB"), "{ran:?}");
    file("waf.lock", &format!("waf.lock 1\nruleset a 1 x\n{}", "a - - on x -\n".repeat(300_000)));
    over(directory.path(), "waf.lock", &["plan", "spec.yaml", "--sandbox=state"]);
    file("faults.json", &format!("[0{}]", ",0".repeat(64 * 1024 * 1024)));
    over(directory.path(), "faults", &["sandbox", "serve", "--faults", "faults.json"]).exits(1);
    file("token", &"x".repeat(64 * 1024 * 1024));
    let mut command = binary(directory.path());
    command
        .args(["plan", "spec.yaml"])
        .env("CLOUDFLARE_API_TOKEN_FILE", directory.path().join("token"));
    bounded("a token", &mut command).exits(1);
}
