//! `import` of octoDNS, held against octoDNS itself: both read the same generated configurations
//! and files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use zonewright::import::{GivenZones, ImportResult, SourceKind, read_sources};
use zonewright::model::{Fqdn, Rdata, RecordType};

use crate::support::octodns::python_with_octodns;

/// A record as both say it: name, type, value, TTL (1 is automatic), whether it is proxied, and its
/// comment and tags.
type Published = BTreeSet<(String, String, String, u32, bool, String)>;

/// Returns the number of generated configurations; `OCTODNS_CASES` names more.
fn cases() -> u64 {
    std::env::var("OCTODNS_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

/// Numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    /// Returns a number below a bound.
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound).unwrap()).unwrap()
    }

    /// Returns one of several texts.
    fn one<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    /// Returns true once in a number of times.
    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Names as they are written; each is another name to Python.
const NAMES: &[&str] = &[
    "www",
    "no",
    "'off'",
    "010",
    "'010'",
    "1.20",
    "'1.20'",
    "0x1F",
    "1:30",
    "yes",
    "'true2'",
    "2027-03-01",
    "1_000",
    "~",
    "08",
    "1e3",
    "'*'",
    "a.b",
    "B",
    "10.50",
    "0b11",
    "1.5e+3",
    "_dmarc",
    "\"quoted\"",
    "12345678901234567890",
    "1:00:00",
    "'null'",
];

/// TTLs as they are written.
const TTLS: &[&str] = &[
    "300",
    "0600",
    "1:00",
    "'60'",
    "90.9",
    "1_000",
    "0x78",
    "59",
    "'0600'",
    "yes",
    "0b1111000",
    "0900",
    "1.2e+3",
    "60",
];

/// Parts of texts, which are put together.
const TEXTS: &[&str] = &[
    "v=spf1 -all",
    "a",
    "\"",
    "\" \"",
    " ",
    "x=y",
    ";",
    "; b",
    "\\\\",
    "\\x",
    "\"quoted\"",
    "long",
    "'",
    "p=MIGf",
    "\\010",
    "{x}",
    "#",
];

/// Writes a value of a TXT record in single quotes, or in none.
fn text_value(dice: &mut Dice, is_escaped: bool) -> String {
    let mut text = String::new();
    for _ in 0..=dice.below(5) {
        match dice.one(TEXTS) {
            "long" => text.push_str(&"long \"text\" ".repeat(1 + dice.below(60))),
            part => text.push_str(part),
        }
    }
    if dice.once_in(3) {
        text = format!("\"{text}\"");
    }
    // octoDNS refuses a `;` after a word that is not escaped, and never ends at a backslash that
    // ends a text.
    text = text.replace("\\;", "\\ ;");
    if is_escaped {
        text = text.replace(';', "\\;");
    }
    if text.ends_with('\\') {
        text.push('.');
    }
    if text.starts_with('"') {
        text.push_str(dice.one(&["..\"", "..z"]));
    }
    if text.trim().is_empty() {
        text.push('t');
    }
    format!("'{}'", text.replace('\'', "''"))
}

/// Writes the parameters of a service binding.
fn service_parameters(dice: &mut Dice) -> String {
    let parameters = [
        dice.one(&["", "alpn: [h2, h3]", "alpn: ['h2']"]),
        dice.one(&["", "port: '8443'", "port: '443'"]),
        dice.one(&["", "ipv4hint: [192.0.2.1, 192.0.2.2]", "ipv6hint: ['2001:db8::1']"]),
        dice.one(&["", "no-default-alpn:", "mandatory: [alpn]"]),
    ];
    let given: Vec<&str> =
        parameters.into_iter().filter(|parameter| !parameter.is_empty()).collect();
    match given.is_empty() {
        true => String::new(),
        false => format!(", svcparams: {{{}}}", given.join(", ")),
    }
}

/// Writes the place of a LOC record.
fn place(dice: &mut Dice) -> String {
    let float = |dice: &mut Dice| dice.one(&["31.5", "'12.0'", "7", "0.25", "1.5e+1"]).to_owned();
    let (latitude, longitude) = (float(dice), float(dice));
    let minutes = dice.one(&["30", "'5'", "010", "0x1F"]);
    let height = dice.one(&["20", "-10", "'100.5'", "1_000"]);
    format!(
        "{{lat_degrees: {}, lat_minutes: {minutes}, lat_seconds: {latitude}, lat_direction: {}, long_degrees: 0, \
         long_minutes: 58, long_seconds: {longitude}, long_direction: W, altitude: {height}, size: {}, \
         precision_horz: 1000, precision_vert: '10'}}",
        dice.one(&["31", "051", "'51'"]),
        dice.one(&["S", "'N'"]),
        dice.one(&["1", "10.0", "'1'"])
    )
}

/// Writes a value of a type that Cloudflare has as several members.
fn structured_value(dice: &mut Dice) -> (&'static str, String) {
    let number = |dice: &mut Dice| dice.one(&["1", "010", "'3'", "0x2", "0b11"]).to_owned();
    match dice.below(5) {
        4 => ("PTR", format!("value: {}", dice.one(&["a.example.net.", "b.example.net."]))),
        0 => {
            let members = ["certificate_usage", "selector", "matching_type"];
            let numbers: Vec<String> = members
                .iter()
                .map(|name| format!("{name}: {}, ", dice.one(&["1", "01", "'1'"])))
                .collect();
            let digits = "0123456789abcdef".repeat(4);
            (
                "TLSA",
                format!("value: {{{}certificate_association_data: '{digits}'}}", numbers.concat()),
            )
        }
        1 => {
            let (order, preference) = (number(dice), number(dice));
            let flags = dice.one(&["S", "s", "'U'", "A"]);
            let service = dice.one(&["SIP+D2U", "'E2U+sip'", "''"]);
            let replacement = dice.one(&["sip.example.net.", "."]);
            let value = format!(
                "{{order: {order}, preference: {preference}, flags: {flags}, service: {service}, \
                 regexp: {}, replacement: {replacement}}}",
                dice.one(&["''", "'!^.*$!sip:a@example.net!'"])
            );
            ("NAPTR", format!("value: {value}"))
        }
        2 => ("LOC", format!("values: [{}]", place(dice))),
        _ => {
            let parameters = service_parameters(dice);
            let target = dice.one(&["svc.example.net.", "."]);
            let priority = dice.one(&["1", "010", "'2'"]);
            let value =
                format!("value: {{svcpriority: {priority}, targetname: {target}{parameters}}}");
            (if dice.once_in(2) { "HTTPS" } else { "SVCB" }, value)
        }
    }
}

/// Writes a line with a service, whose name has a form of its own.
fn service_line(dice: &mut Dice, first: usize) -> String {
    let port = dice.one(&["5060", "'443'", "0x50", "00"]);
    let target = dice.one(&["sip.example.net.", ".", "a.example.org."]);
    let below = dice.one(&["", ".voice"]);
    format!(
        "_s{first}._tcp{below}: {{type: SRV, value: {{priority: 010, weight: '5', port: {port}, target: {target}}}}}\n"
    )
}

/// Writes the members of a record set, without its name.
fn record_set(dice: &mut Dice, is_escaped: bool, has_cnames: bool) -> String {
    let number = |dice: &mut Dice| {
        dice.one(&["10", "010", "'010'", "0x0A", "1_0", "'7'", "1:00", "0b11"]).to_owned()
    };
    let host = |dice: &mut Dice| {
        dice.one(&["mx.example.net.", "a.example.org.", "c.example.org.", "b.test"]).to_owned()
    };
    let (kind, value) = match dice.below(11) {
        8..=10 => structured_value(dice),
        0 => ("AAAA", format!("value: '2001:db8::{:x}'", 1 + dice.below(9))),
        1 => {
            let values: Vec<String> =
                (0..=dice.below(2)).map(|_| text_value(dice, is_escaped)).collect();
            ("TXT", format!("values: [{}]", values.join(", ")))
        }
        2 => {
            let name = dice.one(&["preference", "priority"]);
            (
                "MX",
                format!(
                    "value: {{exchange: {}, {name}: {}}}",
                    dice.one(&["mx.example.net.", "b.test"]),
                    number(dice)
                ),
            )
        }
        3 => {
            let flags = dice.one(&["", "flags: 0x80, ", "flags: '0', "]);
            (
                "CAA",
                format!(
                    "value: {{{flags}tag: issue, value: 'ca.example.net{}'}}",
                    dice.one(&["", "; x=1"])
                ),
            )
        }
        4 => {
            let digits = dice.one(&[
                "'aabbccddeeff00112233445566778899aabbccdd'",
                "aabbccddeeff00112233445566778899AABBCCDD",
            ]);
            (
                "SSHFP",
                format!(
                    "value: {{algorithm: {}, fingerprint_type: 01, fingerprint: {digits}}}",
                    dice.one(&["1", "04", "'4'"])
                ),
            )
        }
        // A CNAME stands alone at its name, so only one source has them.
        5 if has_cnames => ("CNAME", format!("value: {}", host(dice))),
        _ => {
            let values: Vec<String> = (0..=dice.below(2))
                .map(|n| format!("192.0.2.{}", 10 * n + 1 + dice.below(9)))
                .collect();
            ("A", format!("values: [{}]", values.join(", ")))
        }
    };
    let ttl = if dice.once_in(2) { format!("ttl: {}, ", dice.one(TTLS)) } else { String::new() };
    let octodns = match dice.below(11) {
        9 => "octodns: {cloudflare: {comment: 'our host', tags: ['team:dns', plain]}}, ",
        10 => "octodns: {cloudflare: {proxied: yes, comment: ''}}, ",
        0 => "octodns: {ignored: yes}, ",
        1 => "octodns: {excluded: [cf]}, ",
        2 => "octodns: {included: [other]}, ",
        3 => "octodns: {included: [cf, other], lenient: no}, ",
        4 => "octodns: {cloudflare: {proxied: on}}, ",
        5 => "octodns: {cloudflare: {auto-ttl: Yes, proxied: off}}, ",
        6 => "octodns: {cloudflare: {proxied: 'false'}, ignored: off, excluded: [other]}, ",
        _ => "",
    };
    format!("{{{octodns}{ttl}type: {kind}, {value}}}")
}

/// Writes a file of a zone. `first` is the first of its names, `parts` the way to files that it
/// includes.
fn zone_file(
    dice: &mut Dice,
    first: usize,
    parts: &str,
    count: usize,
    is_escaped: bool,
    has_cnames: bool,
) -> String {
    let mut out = String::from("---\n");
    out.push_str(&service_line(dice, first));
    if dice.once_in(2) {
        out.push_str(&format!("i{first}-a: !include {parts}set.yaml\n"));
        out.push_str(&format!(
            "i{first}-b: {{<<: !include {parts}set.yaml, ttl: {}}}\n",
            dice.one(TTLS)
        ));
        out.push_str(&format!(
            "i{first}-c:\n- !include {parts}set.yaml\n- {{type: AAAA, value: '2001:db8::1'}}\n"
        ));
        out.push_str(
            &format!("<<: !include {parts}names.yaml\n").replace("names", &format!("names{first}")),
        );
    }
    if first == 0 && dice.once_in(2) {
        out.push_str("'': {type: ALIAS, value: www.example.net.}\n");
    }
    let names = NAMES.iter().cycle().skip(first).take(count.min(NAMES.len() - first));
    for (n, name) in names.enumerate() {
        match dice.below(8) {
            0 => out.push_str(&format!(
                "{name}: {{replaced: yes}}\n{name}: {}\n",
                record_set(dice, is_escaped, has_cnames)
            )),
            1 => {
                let anchor = format!("n{n}");
                out.push_str(&format!(
                    "{name}: &{anchor} {}\n",
                    record_set(dice, is_escaped, has_cnames)
                ));
                out.push_str(&format!(
                    "m{first}-{n}: {{<<: *{anchor}, ttl: {}}}\n",
                    dice.one(TTLS)
                ));
            }
            2 => out.push_str(&format!(
                "{name}:\n- {{type: A, value: 192.0.2.9}}\n- {{type: TXT, value: {}}}\n",
                text_value(dice, is_escaped)
            )),
            _ => out.push_str(&format!("{name}: {}\n", record_set(dice, is_escaped, has_cnames))),
        }
    }
    out
}

/// Writes a configuration with its files.
fn write_case(directory: &Path, seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for _ in 0..8 {
        dice.below(2);
    }
    let put = |name: &str, text: String| {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let is_escaped = dice.once_in(2);
    let default_ttl =
        dice.one(&["", ", default_ttl: 300", ", default_ttl: 0600", ", default_ttl: 1:00"]);
    let escapes = if is_escaped {
        dice.one(&["", ", escaped_semicolons: yes"])
    } else {
        ", escaped_semicolons: off"
    };
    let min_ttl = dice.one(&["", ", min_ttl: 60", ", min_ttl: 0120"]);
    let split = dice.one(&["", ".", ".zone"]);
    let cdn = if dice.once_in(8) { ", cdn: true" } else { "" };
    let options =
        if split.is_empty() { String::new() } else { format!(", split_extension: '{split}'") };
    let replaces = dice.once_in(2);
    let shared = if dice.once_in(4) { ", shared_filename: shared.yaml" } else { "" };
    let sources = if replaces { "[main, second]" } else { "[main]" };
    let (key, filter) = match dice.below(4) {
        0 => ("'*'", ""),
        1 => ("'*'", "glob: '*.org.', "),
        2 => ("'*x'", "regex: '^example[.](org|net)[.]$', "),
        _ => ("example.org.", ""),
    };
    let processors = match dice.below(5) {
        0 => "processors: [types], ",
        1 => "processors: [names], ",
        2 => "processors: [clamp], ",
        _ => "",
    };
    put(
        "octodns.yaml",
        format!(
            "providers:\n  main: {{class: octodns.provider.yaml.YamlProvider, directory: ./main, enforce_order: false{default_ttl}{escapes}{options}}}\n  \
             second: {{class: octodns.provider.yaml.YamlProvider, directory: second, enforce_order: no, populate_should_replace: yes, ignore_missing_zones: yes{escapes}{shared}}}\n  \
             cf: {{class: octodns_cloudflare.CloudflareProvider, token: env/TOKEN{min_ttl}{cdn}}}\n  \
             other: {{class: octodns.provider.yaml.YamlProvider, directory: ./other}}\n\
             processors:\n  types: {{class: octodns.processor.filter.TypeRejectlistFilter, rejectlist: [MX, CAA]}}\n  \
             names: {{class: octodns.processor.filter.NameRejectlistFilter, rejectlist: [www, /^1/]}}\n  \
             clamp: {{class: octodns.processor.clamp.TtlClampProcessor, min_ttl: 200, max_ttl: 900}}\n\
             zones:\n  example.com.: {{sources: {sources}, {processors}targets: [other, cf]}}\n  \
             example.net.: {{alias: example.com.}}\n  other.example.: {{sources: [main], targets: [other]}}\n  \
             {key}: {{{filter}sources: [main], targets: [cf]}}\n",
        ),
    );
    let second = zone_file(&mut dice, 0, "../parts/", 6, is_escaped, false);
    put("second/example.com.yaml", second);
    put("parts/set.yaml", "type: A\nttl: 0600\nvalues: [192.0.2.20, 192.0.2.21]\n".to_owned());
    for first in [0, 8, 15] {
        put(
            &format!("parts/names{first}.yaml"),
            format!("n{first}: {{type: TXT, value: '010'}}\n"),
        );
    }
    put("second/shared.yaml", "shared: {type: A, value: 192.0.2.77}\n".to_owned());
    put("other/.keep", String::new());
    for zone in ["example.com", "example.org", "other.example"] {
        if !split.is_empty() {
            put(
                &format!("main/{zone}{split}/one.yaml"),
                zone_file(&mut dice, 0, "../../parts/", 8, is_escaped, !replaces),
            );
            put(
                &format!("main/{zone}{split}/two.yaml"),
                zone_file(&mut dice, 8, "../../parts/", 7, is_escaped, !replaces),
            );
            put(
                &format!("main/{zone}{split}/sub/unread.yaml"),
                "x: {type: A, value: 192.0.2.200}\n".to_owned(),
            );
        }
        put(
            &format!("main/{zone}.yaml"),
            zone_file(&mut dice, 15, "../parts/", 12, is_escaped, !replaces),
        );
    }
}

/// Returns the records of the zones of an import.
fn imported(found: &mut ImportResult) -> Published {
    let mut all = Published::new();
    for zone in found.take_imported() {
        for record in &zone.zone.records {
            let ttl = record.facets.ttl.map_or(1, |ttl| ttl.as_number());
            let is_proxied = record.facets.proxied == Some(true);
            let type_name = record.data.type_name().to_owned();
            let value = format!("{:?}", record.data);
            let comment = record
                .facets
                .comment
                .as_ref()
                .and_then(|comment| comment.text())
                .unwrap_or_default();
            let tags =
                record.facets.tags.iter().flatten().map(|tag| tag.as_str()).collect::<Vec<_>>();
            let note = format!("{comment} {tags:?}");
            all.insert((record.name.to_string(), type_name, value, ttl, is_proxied, note));
        }
    }
    all
}

/// Returns the records that octoDNS publishes.
fn published(zones: &Value) -> Published {
    let mut all = Published::new();
    for record in
        zones.as_object().unwrap().values().flat_map(|records| records.as_array().unwrap())
    {
        let text = |name: &str| record[name].as_str().unwrap().to_owned();
        let record_type = RecordType::parse(&text("type")).unwrap();
        let Ok(data) = Rdata::from_text(record_type, &text("value")) else {
            // Cloudflare would refuse it, and so does the import.
            continue;
        };
        let ttl = u32::try_from(record["ttl"].as_u64().unwrap()).unwrap();
        let name = text("name").to_lowercase();
        // At some names, the division of a text into strings means nothing.
        let data = Fqdn::parse(&name).map_or(data.clone(), |name| data.at(&name));
        let mut tags: Vec<&str> =
            record["tags"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        tags.sort_unstable();
        let note = format!("{} {tags:?}", text("comment"));
        all.insert((name, text("type"), format!("{data:?}"), ttl, record["proxied"] == true, note));
    }
    all
}

/// Runs octoDNS on directories, and returns its output for each.
fn ask_octodns(python: &Path, directories: &[PathBuf]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/imports/octodns_publishes.py");
    let ran = Command::new(python).arg(script).args(directories).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    serde_json::from_slice(&ran.stdout).unwrap()
}

#[test]
fn what_octodns_publishes_is_what_is_imported() {
    let Some(python) = python_with_octodns() else { return };
    let home = tempfile::tempdir().unwrap();
    let directories: Vec<PathBuf> =
        (0..cases()).map(|n| home.path().join(format!("case-{n}"))).collect();
    for (n, directory) in (0..).zip(&directories) {
        write_case(directory, n + 1);
    }
    let answers = ask_octodns(&python, &directories);
    let (mut compared, mut records) = (0, 0);
    for (directory, answer) in directories.iter().zip(&answers) {
        let mut found = read_sources(
            std::slice::from_ref(directory),
            Some(SourceKind::Octodns),
            &GivenZones::default(),
        );
        let said: Vec<String> = found
            .diagnostics
            .iter()
            .map(|said| format!("{} {}", said.code(), said.detail))
            .collect();
        let shown = format!("{}\n{}", directory.display(), said.join("\n"));
        if answer["error"].is_string() {
            assert!(
                !found.diagnostics.is_empty(),
                "octoDNS refuses {}: {}",
                directory.display(),
                answer["error"]
            );
            continue;
        }
        let (theirs, ours) = (published(&answer["zones"]), imported(&mut found));
        let missing: Vec<_> = theirs.difference(&ours).collect();
        let added: Vec<_> = ours.difference(&theirs).collect();
        if !(missing.is_empty() && added.is_empty()) {
            let kept = home.keep();
            panic!(
                "not imported: {missing:#?}\nimported: {added:#?}\n{shown}\nkept in {}",
                kept.display()
            );
        }
        compared += 1;
        records += ours.len();
    }
    // Most configurations are accepted by octoDNS, or nothing is compared.
    assert!(
        compared * 2 > directories.len() && records > 10 * compared,
        "{compared} of {}",
        directories.len()
    );
}
