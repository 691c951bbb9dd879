//! The spec from the outside: files in, findings or the desired state out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use zonewright::diagnostic::{Severity, Sources};
use zonewright::model::{Desired, RecordType, Ttl, Unmanaged, ZoneName};
use zonewright::render::diagnostics;
use zonewright::spec::{Input, Options, Outcome, load, print, schema};

/// The directory of the cases.
const CASES: &str = "tests/cases/spec";

/// Loads a text as if it came from the standard input.
fn load_text(text: &str) -> (Outcome, Sources) {
    let mut sources = Sources::default();
    let outcome = load(&[Input::Stdin(text.to_owned())], &Options::default(), &mut sources);
    (outcome, sources)
}

/// Loads one path.
fn load_path(path: &Path) -> (Outcome, Sources) {
    let mut sources = Sources::default();
    let outcome = load(&[Input::Path(path.to_owned())], &Options::default(), &mut sources);
    (outcome, sources)
}

/// Findings as shown to a person.
fn shown(outcome: &Outcome, sources: &Sources) -> String {
    let mut out = Vec::new();
    diagnostics::write(&mut out, &outcome.diagnostics, sources, false).unwrap();
    String::from_utf8(out).unwrap()
}

/// Findings of a text as shown to a person.
fn shown_text(text: &str) -> String {
    let (outcome, sources) = load_text(text);
    shown(&outcome, &sources)
}

/// Codes of findings, with line and column.
fn places(outcome: &Outcome, sources: &Sources) -> Vec<(&'static str, usize, usize)> {
    let at = |d: &zonewright::diagnostic::Diagnostic| {
        d.primary.as_ref().map_or((0, 0), |l| {
            let at = sources.line_column(l.place);
            (at.line, at.column)
        })
    };
    outcome.diagnostics.iter().map(|d| (d.code.0, at(d).0, at(d).1)).collect()
}

/// Codes of findings of a text, with line and column.
fn places_text(text: &str) -> Vec<(&'static str, usize, usize)> {
    let (outcome, sources) = load_text(text);
    places(&outcome, &sources)
}

/// A spec with one zone around some records.
fn with_records(records: &str) -> String {
    format!("version: 1\nzones:\n  example.com:\n    records:\n{records}")
}

/// The desired state without places and spellings.
fn bare(mut desired: Desired) -> Desired {
    let mut sources = Sources::default();
    let source = sources.add("", "");
    let nowhere = zonewright::diagnostic::Place { source, span: zonewright::diagnostic::Span::new(0, 0) };
    for zone in desired.zones.values_mut() {
        zone.place = nowhere;
        zone.ignore.iter_mut().for_each(|i| i.place = nowhere);
        let spellings =
            zone.records.iter_mut().map(|r| &mut r.spelling).chain(zone.tombstones.iter_mut().map(|t| &mut t.spelling));
        for spelling in spellings {
            spelling.place = nowhere;
            spelling.name = "".into();
        }
    }
    desired
}

/// Every case is shown as its snapshot says.
macro_rules! cases {
    ($($test:ident $file:literal)+) => {$(
        #[test]
        fn $test() {
            let (outcome, sources) = load_path(&Path::new(CASES).join($file));
            insta::assert_snapshot!(shown(&outcome, &sources));
        }
    )+};
}

cases! {
    keys "keys.yaml"
    kinds "kinds.yaml"
    names "names.yaml"
    values "values.yaml"
    facets "facets.yaml"
    sets "sets.yaml"
    zones "zones.yaml"
    variables "variables.yaml"
    warnings "warnings.yaml"
}

#[test]
fn twenty_mistakes_give_twenty_findings_in_the_right_places() {
    let (outcome, sources) = load_path(&Path::new(CASES).join("twenty-mistakes.yaml"));
    let expected = [
        ("SPEC0005", 3, 11),
        ("DNS0014", 4, 18),
        ("SPEC0016", 5, 1),
        ("SPEC0020", 8, 16),
        ("SPEC0033", 10, 9),
        ("DNS0004", 12, 53),
        ("SPEC0020", 13, 28),
        ("SPEC0016", 14, 57),
        ("DNS0001", 15, 17),
        ("DNS0005", 16, 41),
        ("DNS0002", 17, 17),
        ("DNS0004", 18, 52),
        ("DNS0004", 19, 78),
        ("SPEC0031", 20, 55),
        ("DNS0009", 22, 45),
        ("DNS0018", 23, 70),
        ("SPEC0008", 24, 53),
        ("SPEC0024", 25, 44),
        ("SPEC0030", 26, 62),
        ("SPEC0019", 27, 62),
    ];
    assert_eq!(places(&outcome, &sources), expected, "{}", shown(&outcome, &sources));
    assert!(outcome.desired.is_none());
    assert!(outcome.diagnostics.iter().all(|d| d.severity == Severity::Error && d.help.is_some()));
}

#[test]
fn a_good_spec_is_understood() {
    let (outcome, sources) = load_path(&Path::new(CASES).join("good.yaml"));
    assert!(outcome.diagnostics.is_empty(), "{}", shown(&outcome, &sources));
    let desired = outcome.desired.unwrap();
    let zone = &desired.zones[&ZoneName::parse("example.com").unwrap()];
    assert_eq!(zone.unmanaged, Unmanaged::Prune);
    assert_eq!(zone.tombstones.len(), 2);
    let of = |name: &str, t: RecordType| {
        let name = zone.name.resolve(name).unwrap();
        zone.records.iter().filter(|r| r.name == name && r.data.record_type() == Some(t)).collect::<Vec<_>>()
    };
    let a = of("@", RecordType::A);
    assert_eq!(a.len(), 2);
    assert_eq!(a[0].data.presentation(), "192.0.2.10");
    assert_eq!((a[0].facets.proxied, a[0].facets.ttl), (Some(true), Some(Ttl::AUTOMATIC)));
    assert_eq!(a[0].facets.comment.as_ref().and_then(|c| c.text()), Some("managed by zonewright"));
    assert_eq!(a[0].facets.tags.as_ref().unwrap().len(), 1);
    let www = of("www", RecordType::Cname)[0];
    assert_eq!(www.facets.comment, Some(zonewright::model::Comment::Clear));
    assert!(www.facets.tags.as_ref().unwrap().is_empty());
    assert_eq!(&*www.spelling.name, "WWW");
    let mx = of("@", RecordType::Mx);
    assert_eq!(mx[1].data.presentation(), "20 mx2.example.net");
    assert_eq!((mx[1].facets.ttl, mx[1].facets.proxied), (Some(Ttl::seconds(3600).unwrap()), None));
    assert_eq!(of("money", RecordType::Txt)[0].data.presentation(), "\"${NOT_A_VARIABLE} costs $5\"");
    assert_eq!(of("101", RecordType::A)[0].facets.proxied, Some(false));
    let number = of("1.10", RecordType::Txt)[0];
    assert_eq!(number.data.presentation(), "\"1.10\"");
    assert!(number.protect);
    assert_eq!(of("xn--bcher-kva", RecordType::Aaaa).len(), 1);
    let mut sorted = zone.records.clone();
    sorted.sort_by(|a, b| (&a.name, a.data.record_type(), &a.data).cmp(&(&b.name, b.data.record_type(), &b.data)));
    assert_eq!(sorted, zone.records);
}

#[test]
fn what_is_printed_reads_back_as_the_same() {
    let (outcome, _) = load_path(&Path::new(CASES).join("good.yaml"));
    let desired = bare(outcome.desired.unwrap());
    let printed = print(&desired);
    let (again, sources) = load_text(&printed);
    assert!(again.diagnostics.is_empty(), "{}", shown(&again, &sources));
    assert_eq!(bare(again.desired.unwrap()), desired);
}

#[test]
fn a_resolved_spec_is_printed_in_full() {
    let (outcome, _) = load_text(
        "version: 1\nvariables: { X: 192.0.2.1 }\nzones:\n  Example.com:\n    unmanaged: prune\n    ignore: [{ name: \"_acme*\", type: txt }]\n    defaults: { ttl: auto, comment: all }\n    records:\n      - { name: WWW, type: A, content: [\"${X}\", 192.0.2.2], proxied: true, tags: [a:b] }\n      - { name: \"@\", type: TXT, content: \"$${X}\", comment: null, protect: true, ttl: 300 }\n      - { name: _sip._tcp, type: SRV, content: 1 2 3 sip.example.com }\n      - { name: \"@\", type: MX, content: 10 mx.example.com., settings: {} }\n      - { name: old, type: A, state: absent }\n",
    );
    insta::assert_snapshot!(print(&outcome.desired.unwrap()));
}

#[test]
fn the_committed_schema_is_up_to_date() {
    let path = "schema/spec.schema.json";
    let expected = format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap());
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        fs::write(path, &expected).unwrap();
    }
    assert!(
        fs::read_to_string(path).unwrap_or_default() == expected,
        "{path} is out of date: run UPDATE_GENERATED=1 cargo test --test spec"
    );
}

#[test]
fn the_schema_accepts_good_specs_and_refuses_bad_ones() {
    let validator = jsonschema::draft7::new(&schema()).unwrap();
    let json = |text: &str| serde_yaml::from_str::<serde_json::Value>(text).unwrap();
    let good = fs::read_to_string(Path::new(CASES).join("good.yaml")).unwrap();
    let errors: Vec<_> = validator.iter_errors(&json(&good)).map(|e| format!("{e} at {}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    for record in [
        "{ name: a, type: A }",
        "{ name: a, type: A, content: 1.2.3.4, proxed: true }",
        "{ name: a, type: SOA, content: x }",
        "{ name: a, type: MX, content: mx.example.net }",
        "{ name: a, type: SRV, data: { priority: 1, weight: 2, port: 3 } }",
        "{ name: a, type: SRV, data: { priority: 1, weight: 2, port: 70000, target: a.b } }",
        "{ name: a, type: SRV }",
        "{ name: a, type: TXT, content: x, proxied: true }",
        "{ name: a, type: A, content: 1.2.3.4, ttl: soon }",
        "{ name: a, type: A, content: 1.2.3.4, comment: [] }",
        "{ name: a, type: A, content: 1.2.3.4, ttl: null }",
        "{ name: a, type: A, data: { content: 1.2.3.4 } }",
    ] {
        let text = with_records(&format!("      - {record}\n"));
        assert!(!validator.is_valid(&json(&text)), "accepted by the schema: {record}");
        assert!(load_text(&text).0.desired.is_none(), "accepted by the program: {record}");
    }
    for record in ["{ name: a, type: A, state: absent }", "{ name: a, type: MX, content: 10 mx.example.net }"] {
        let text = with_records(&format!("      - {record}\n"));
        assert!(validator.is_valid(&json(&text)), "refused by the schema: {record}");
        assert!(load_text(&text).0.desired.is_some(), "refused by the program: {record}");
    }
}

/// Mistakes that end the reading of a file, each as it is shown.
#[test]
fn syntax_errors_are_explained() {
    let texts = [
        "version: 1\nzones:\n\texample.com: {}\n",
        "version: 1\nzones: { example.com: { records: [ }\n",
        "version: 1\nzones:\n  example.com:\n    records:\n      - { name: *, type: A }\n",
        "version: 1\nzones:\n  example.com:\n    records:\n      - { name: @, type: A }\n",
        "version: 1\nzones:\n  example.com: {}\n bad: 1\n",
        "version: 1\nzones: 'a\n",
        "version: 1\nnote: a: b\n",
        "version: 1\nzones: {}\n---\nversion: 1\n",
        "- a\n- b\n",
    ];
    insta::assert_snapshot!(texts.map(shown_text).concat());
}

#[test]
fn what_yaml_has_and_a_spec_has_not() {
    let texts = [
        "version: 1\nx: &a { ttl: 300 }\nzones:\n  example.com:\n    defaults: { <<: *a }\n",
        "version: 1\nzones: !include zones.yaml\n",
        "version: 1\nzones:\n  ? [example.com]\n  : {}\n  example.net: {}\n",
        "zones: { example.com: {} }\n",
        "version: 2\nzones: { example.com: {} }\n",
        "version: 1\n",
        "version: 1\nzones: {}\n",
        "",
        "# only a comment\n",
    ];
    insta::assert_snapshot!(texts.map(shown_text).concat());
}

#[test]
fn anchors_and_aliases_work() {
    let text = with_records(
        "      - { name: a, type: A, content: &addresses [192.0.2.1, 192.0.2.2] }\n      - { name: b, type: A, content: *addresses }\n",
    );
    let (outcome, sources) = load_text(&text);
    assert_eq!(shown(&outcome, &sources), "");
    assert_eq!(outcome.records, 4);
}

#[test]
fn duplicate_keys_are_found_at_every_level() {
    let text = "version: 1\nversion: 1\ndefaults: { ttl: 60, ttl: 61 }\nzones:\n  a.example:\n    unmanaged: keep\n    unmanaged: keep\n    records:\n      - { name: a, type: SRV, name: b, data: { priority: 1, weight: 2, weight: 3, port: 4, target: a.b }, settings: { ipv4_only: true, ipv4_only: true } }\n  a.example: {}\n";
    let found = places_text(text);
    let expected: Vec<_> = [(2, 1), (3, 22), (7, 5), (9, 31), (9, 72), (9, 136), (10, 3)]
        .map(|(line, column)| ("SPEC0008", line, column))
        .to_vec();
    assert_eq!(found, expected);
    let (outcome, _) = load_text(text);
    assert!(outcome.diagnostics.iter().all(|d| d.related.len() == 1));
}

#[test]
fn a_yaml_bomb_is_refused_at_once() {
    let mut bomb = String::from("version: 1\na0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for n in 1..30 {
        bomb.push_str(&format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(",")));
    }
    let started = Instant::now();
    let found = places_text(&bomb);
    assert!(started.elapsed() < Duration::from_secs(1));
    assert_eq!(found[0].0, "SPEC0010");
}

#[test]
fn deep_nesting_is_refused() {
    for text in [
        "[".repeat(20_000),
        "{a: ".repeat(20_000),
        "- ".repeat(20_000),
        format!("version: 1\nzones: {}", "[".repeat(20_000)),
    ] {
        let found = places_text(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "SPEC0009");
    }
}

#[test]
fn places_are_right_with_carriage_returns_marks_and_letters_outside_ascii() {
    let text = with_records("      - { name: é, tpe: A, content: 192.0.2.1 }\n");
    assert_eq!(places_text(&text), [("SPEC0016", 5, 20)]);
    let crlf = text.replace('\n', "\r\n");
    assert_eq!(places_text(&crlf), [("SPEC0016", 5, 20)]);
    let marked = format!("\u{feff}{crlf}");
    assert_eq!(places_text(&marked), [("SPEC0016", 5, 20)]);
    assert!(shown_text(&marked).contains("<stdin>:5:20"));
    assert_eq!(places_text("\u{feff}versoin: 1\n")[0], ("SPEC0015", 1, 1));
    let good = with_records("      - { name: a, type: A, content: 192.0.2.1 }\n");
    assert!(load_text(&format!("\u{feff}{}", good.replace('\n', "\r\n"))).0.desired.is_some());
}

#[test]
fn keys_outside_ascii_are_unknown_keys() {
    let found = places_text("version: 1\nzoñes: {}\n例え: 1\n\"a\\u202eb\": 1\n");
    assert_eq!(found, [("SPEC0016", 2, 1), ("SPEC0016", 3, 1), ("SPEC0016", 4, 1)]);
}

#[test]
fn what_is_no_text_is_refused() {
    assert_eq!(places_text("version: 1\nzones: {a\0: 1}\n"), [("SPEC0004", 2, 10)]);
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes, line, column) in [
        ("latin1.yaml", &b"version: 1\nzones: { m\xfcnchen.example: {} }\n"[..], 2, 11),
        ("utf16.yaml", &b"\xff\xfev\0e\0r\0"[..], 1, 1),
    ] {
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        let (outcome, sources) = load_path(&path);
        assert_eq!(places(&outcome, &sources), [("SPEC0004", line, column)]);
    }
}

#[test]
fn a_file_of_100_megabytes_is_refused_unread() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("large.yaml");
    fs::File::create(&path).unwrap().set_len(100 * 1024 * 1024).unwrap();
    let started = Instant::now();
    let (outcome, sources) = load_path(&path);
    assert!(started.elapsed() < Duration::from_secs(1));
    assert_eq!(places(&outcome, &sources), [("SPEC0003", 0, 0)]);
}

/// A directory with these files.
fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

/// Codes of what loading a path inside a directory finds.
fn codes(path: &Path) -> Vec<&'static str> {
    load_path(path).0.diagnostics.iter().map(|d| d.code.0).collect()
}

#[cfg(unix)]
#[test]
fn a_loop_of_directories_is_an_error() {
    let root = directory(&[("a/zone.yaml", "version: 1\nzones: { example.com: {} }\n")]);
    std::os::unix::fs::symlink("..", root.path().join("a/up")).unwrap();
    assert_eq!(codes(root.path()), ["SPEC0007"]);
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_refused() {
    let outside = directory(&[("secret.yaml", "password\n")]);
    let root = directory(&[("root.yaml", "version: 1\ninclude: [link.yaml]\nzones: { example.com: {} }\n")]);
    std::os::unix::fs::symlink(outside.path().join("secret.yaml"), root.path().join("link.yaml")).unwrap();
    let (outcome, sources) = load_path(&root.path().join("root.yaml"));
    assert_eq!(places(&outcome, &sources), [("SPEC0006", 2, 11)]);
    assert!(!shown(&outcome, &sources).contains("password"));
    assert_eq!(codes(root.path()), ["SPEC0006", "SPEC0006"]);
}

#[test]
fn includes_are_followed_and_stay_below() {
    let root = directory(&[
        (
            "root.yaml",
            "version: 1\ninclude: [zones/*.yaml, zones, zones/a.yaml]\ndefaults: { ttl: 300, proxied: true }\n",
        ),
        (
            "zones/a.yaml",
            "version: 1\ninclude: [../root.yaml, a.yaml, ../more/b.yaml]\nzones: { example.com: { records: [{ name: a, type: A, content: 192.0.2.1 }] } }\n",
        ),
        (
            "more/b.yaml",
            "version: 1\ndefaults: { ttl: 600 }\nzones: { EXAMPLE.com.: { records: [{ name: b, type: A, content: 192.0.2.1 }] } }\n",
        ),
        ("zones/notes.txt", "not a spec"),
        (".hidden/c.yaml", "not a spec"),
    ]);
    for path in [root.path().join("root.yaml"), root.path().to_owned()] {
        let (outcome, sources) = load_path(&path);
        // A file that names itself finds nothing else.
        assert_eq!(places(&outcome, &sources), [("SPEC0005", 2, 25)], "{}", shown(&outcome, &sources));
        assert_eq!(outcome.files, 3);
    }
    let text = fs::read_to_string(root.path().join("zones/a.yaml")).unwrap().replace("a.yaml, ", "");
    fs::write(root.path().join("zones/a.yaml"), text).unwrap();
    for path in [root.path().join("root.yaml"), root.path().to_owned()] {
        let (outcome, sources) = load_path(&path);
        assert_eq!(shown(&outcome, &sources), "");
        let desired = outcome.desired.unwrap();
        let records = &desired.zones.values().next().unwrap().records;
        let facets: Vec<_> = records.iter().map(|r| (r.facets.ttl, r.facets.proxied)).collect();
        assert_eq!(facets, [(None, Some(true)), (None, Some(true))]);
    }
    for (include, code) in [
        ("../x.yaml", "SPEC0006"),
        ("/etc/**/*.yaml", "SPEC0006"),
        ("none/*.yaml", "SPEC0005"),
        ("none.yaml", "SPEC0005"),
        ("a[", "SPEC0006"),
    ] {
        let root = directory(&[(
            "root.yaml",
            &format!("version: 1\ninclude: [\"{include}\"]\nzones: {{ a.example: {{}} }}\n"),
        )]);
        assert_eq!(codes(&root.path().join("root.yaml")), [code], "{include}");
    }
}

#[test]
fn inputs_without_a_spec_are_errors() {
    let root = directory(&[("notes.txt", "")]);
    assert_eq!(codes(root.path()), ["SPEC0005"]);
    assert_eq!(codes(&root.path().join("missing.yaml")), ["SPEC0002"]);
    let outcome = load(&[], &Options::default(), &mut Sources::default());
    assert!(outcome.desired.is_none());
}

#[test]
fn different_defaults_from_two_includers_are_an_error() {
    let root = directory(&[
        ("root.yaml", "version: 1\ninclude: [a/a.yaml, b/b.yaml]\n"),
        ("a/a.yaml", "version: 1\ninclude: [../z.yaml]\ndefaults: { ttl: 300 }\n"),
        ("b/b.yaml", "version: 1\ninclude: [../z.yaml]\ndefaults: { ttl: 600 }\n"),
        ("z.yaml", "version: 1\nzones: { example.com: {} }\n"),
    ]);
    assert_eq!(codes(&root.path().join("root.yaml")), ["SPEC0029"]);
}

#[test]
fn fragments_merge_whatever_the_order() {
    let root = directory(&[
        (
            "1.yaml",
            "version: 1\nvariables: { X: a }\nzones: { example.com: { unmanaged: prune, defaults: { ttl: 300 } } }\n",
        ),
        (
            "2.yaml",
            "version: 1\nvariables: { X: a }\nzones: { Example.COM: { records: [{ name: \"${X}\", type: A, content: 192.0.2.1 }] } }\n",
        ),
    ]);
    let inputs = ["1.yaml", "2.yaml"].map(|f| Input::Path(root.path().join(f)));
    let reversed: Vec<_> = inputs.iter().cloned().rev().collect();
    let one = load(&inputs, &Options::default(), &mut Sources::default());
    let two = load(&reversed, &Options::default(), &mut Sources::default());
    assert_eq!(one.digest, two.digest);
    let (one, two) = (bare(one.desired.unwrap()), bare(two.desired.unwrap()));
    assert_eq!(one, two);
    let zone = one.zones.values().next().unwrap();
    assert_eq!(zone.records[0].facets.ttl, Some(Ttl::seconds(300).unwrap()));
    assert_eq!(zone.unmanaged, Unmanaged::Prune);
    let with = |value: &str| Options { variables: vec![("X".to_owned(), value.to_owned())] };
    let given = load(&inputs, &with("b"), &mut Sources::default());
    assert_ne!(given.digest, one_digest(&inputs));
    assert_eq!(given.desired.unwrap().zones.values().next().unwrap().records[0].name.as_str(), "b.example.com");
    assert!(
        load(&inputs, &Options { variables: vec![("a b".to_owned(), String::new())] }, &mut Sources::default())
            .desired
            .is_none()
    );
}

/// The digest without variables.
fn one_digest(inputs: &[Input]) -> String {
    load(inputs, &Options::default(), &mut Sources::default()).digest
}

#[test]
fn secrets_are_never_shown() {
    for text in [
        "version: 1\napi_token: hunter2\nzones: { example.com: { records: [{ name: a, type: A, auth-key-x: hunter2, tpe: 1, token: {deep: hunter2} }] } }\n",
        "version: 1\nzones:\n  token: hunter2\n",
        "version: 1\napi_key: |\n  hunter2\n  hunter2\n",
        "version: 1\nsecret: a\nsecret: hunter2\n",
        "version: 1\ntoken: \"hunter2\n",
        "version: 1\nother: { password: hunter2 }\n",
        "version: 1\nzones: { a.example: { records: [{ name: a, type: SRV, data: { token: hunter2 } }] } }\n",
    ] {
        let (outcome, sources) = load_text(text);
        assert!(outcome.desired.is_none());
        let shown = shown(&outcome, &sources);
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(!diagnostics::json_all(&outcome.diagnostics, &sources).to_string().contains("hunter2"));
    }
    assert_eq!(places_text("version: 1\nzones:\n  token: hunter2\n")[0], ("SPEC0018", 3, 3));
}

#[test]
fn hostile_text_is_shown_harmlessly() {
    let long = "x".repeat(1_000_000);
    let text = with_records(&format!(
        "      - {{ name: a, type: A, content: 192.0.2.1, \"\\e[31m\u{202e}evil\": 1, comment: \"\\x9b31m\u{200b}\" }}\n      - {{ name: {long}, type: A, conten: {long} }}\n"
    ));
    let (outcome, sources) = load_text(&text);
    let plain = shown(&outcome, &sources);
    assert!(plain.len() < 10_000, "{} bytes are shown", plain.len());
    assert!(!plain.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{200b}']), "{plain}");
    insta::assert_snapshot!(plain);
    let mut coloured = Vec::new();
    diagnostics::write(&mut coloured, &outcome.diagnostics, &sources, true).unwrap();
    assert!(coloured.contains(&0x1b));
}

#[test]
fn findings_as_json_say_where() {
    let (outcome, sources) = load_text(&with_records("      - { name: é, tpe: A, content: 192.0.2.1 }\n"));
    let json = diagnostics::json(outcome.diagnostics.iter().next().unwrap(), &sources);
    insta::assert_json_snapshot!(json);
}

#[test]
fn ten_thousand_values_and_includes_take_no_time() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("zones")).unwrap();
    for n in 0..2_000 {
        let text = format!(
            "version: 1\nzones: {{ z{n}.example: {{ records: [{{ name: a, type: A, content: 192.0.2.1 }}] }} }}\n"
        );
        fs::write(root.path().join(format!("zones/{n}.yaml")), text).unwrap();
    }
    fs::write(root.path().join("root.yaml"), "version: 1\ninclude: [zones/*.yaml]\ndefaults: { ttl: 300 }\n").unwrap();
    let values: String = (0..10_000).map(|n| format!("          - 10.0.{}.{}\n", n / 256, n % 256)).collect();
    let text = with_records(&format!("      - name: a\n        type: A\n        content:\n{values}"));
    let started = Instant::now();
    let (outcome, _) = load_path(&root.path().join("root.yaml"));
    assert_eq!((outcome.files, outcome.records), (2_001, 2_000));
    assert_eq!(load_text(&text).0.records, 10_000);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn every_truncation_of_a_good_spec_is_survived() {
    let text = fs::read_to_string(Path::new(CASES).join("good.yaml")).unwrap();
    for end in (0..text.len()).filter(|n| text.is_char_boundary(*n)) {
        let (outcome, sources) = load_text(&text[..end]);
        assert!(outcome.desired.is_some() || outcome.diagnostics.has_errors());
        let _ = shown(&outcome, &sources);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text_never_panics(text in "\\PC{0,200}|[\\[\\]{}:,\\-&*!|>'\"%@`#a1\n\t ?~$<]{0,120}") {
        for text in [text.clone(), with_records(&text)] {
            let (outcome, sources) = load_text(&text);
            prop_assert!(outcome.desired.is_some() || outcome.diagnostics.has_errors());
            let _ = shown(&outcome, &sources);
            let _ = diagnostics::json_all(&outcome.diagnostics, &sources);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.yaml");
        fs::write(&path, &bytes).unwrap();
        let (outcome, sources) = load_path(&path);
        let _ = shown(&outcome, &sources);
        prop_assert!(outcome.desired.is_none());
    }

    #[test]
    fn a_good_spec_with_one_byte_changed_never_panics(at in 0_usize..2_500, byte in any::<u8>()) {
        let mut bytes = fs::read(Path::new(CASES).join("good.yaml")).unwrap();
        let at = at % bytes.len();
        bytes[at] = byte;
        let (outcome, sources) = load_text(&String::from_utf8_lossy(&bytes));
        let _ = shown(&outcome, &sources);
        if let Some(desired) = outcome.desired {
            let printed = print(&desired);
            let (again, sources) = load_text(&printed);
            prop_assert!(again.desired.is_some(), "{printed}\n{}", shown(&again, &sources));
            prop_assert_eq!(bare(again.desired.unwrap()), bare(desired));
        }
    }

    #[test]
    fn any_span_can_be_shown(text in "\\PC{0,60}|[a\n\r\tä例]{0,60}", start in 0_usize..80, length in 0_usize..80) {
        use zonewright::diagnostic::{Code, Diagnostic, Diagnostics, Place, Span};
        let mut sources = Sources::default();
        let source = sources.add("a.yaml", text);
        let place = Place { source, span: Span::new(start, start + length) };
        let other = Place { source, span: Span::new(length, start + length) };
        let finding = Diagnostic::error(Code("X0001"), "summary", "detail").at(place, "").and_at(other, "other");
        let mut out = Vec::new();
        diagnostics::write(&mut out, &Diagnostics::from_iter([finding.clone()]), &sources, true).unwrap();
        let _ = diagnostics::json(&finding, &sources);
    }
}
