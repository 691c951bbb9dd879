//! The spec as a user sees it: files in, findings or the desired state out.

use std::fs;
use std::path::Path;

use zonewright::diagnostic::{Severity, Sources};
use zonewright::document::diagnostic::Diagnostic;
use zonewright::model::{Desired, RecordType, Ttl, Unmanaged, Value, ZoneName};
use zonewright::render::diagnostics;
use zonewright::spec::{Input, Options, Outcome, load, print, schema};

mod hostile;
mod waf;

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
    diagnostics::write(&mut out, &outcome.diagnostics, sources, false, None).unwrap();
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
    outcome.diagnostics.iter().map(|d| (d.code(), at(d).0, at(d).1)).collect()
}

/// Codes of findings of a text, with line and column.
fn places_text(text: &str) -> Vec<(&'static str, usize, usize)> {
    let (outcome, sources) = load_text(text);
    places(&outcome, &sources)
}

/// Returns a spec with one zone around some records.
fn with_records(records: &str) -> String {
    format!("version: 1\nzones:\n  example.com:\n    records:\n{records}")
}

/// Returns the desired state without places and spellings.
fn bare(mut desired: Desired) -> Desired {
    desired.profiles.clear();
    let mut sources = Sources::default();
    let source = sources.add("", "");
    let nowhere =
        zonewright::diagnostic::Place { source, span: zonewright::diagnostic::Span::new(0, 0) };
    for zone in desired.zones.values_mut() {
        zone.place = nowhere;
        zone.waf = zone.waf.take().map(|waf| Box::new(waf.at_place(nowhere)));
        zone.ignore.iter_mut().for_each(|i| i.place = nowhere);
        let spellings = zone
            .records
            .iter_mut()
            .map(|r| &mut r.spelling)
            .chain(zone.tombstones.iter_mut().map(|t| &mut t.spelling));
        for spelling in spellings {
            spelling.place = nowhere;
            spelling.entry = nowhere;
            spelling.name = "".into();
        }
    }
    desired
}

/// Every case has the output of its snapshot.
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
    profiles "profiles.yaml"
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
        zone.records
            .iter()
            .filter(|r| r.name == name && r.data.record_type() == Some(t))
            .collect::<Vec<_>>()
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
    assert_eq!(
        of("money", RecordType::Txt)[0].data.presentation(),
        "\"${NOT_A_VARIABLE} costs $5\""
    );
    assert_eq!(of("101", RecordType::A)[0].facets.proxied, Some(false));
    let number = of("1.10", RecordType::Txt)[0];
    assert_eq!(number.data.presentation(), "\"1.10\"");
    assert!(number.protect);
    assert_eq!(of("xn--bcher-kva", RecordType::Aaaa).len(), 1);
    let mut sorted = zone.records.clone();
    sorted.sort_by(|a, b| {
        (&a.name, a.data.record_type(), &a.data).cmp(&(&b.name, b.data.record_type(), &b.data))
    });
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
fn the_schema_accepts_good_specs_and_refuses_bad_ones() {
    let validator = jsonschema::draft7::new(&schema()).unwrap();
    let json = |text: &str| serde_yaml::from_str::<serde_json::Value>(text).unwrap();
    let good = fs::read_to_string(Path::new(CASES).join("good.yaml")).unwrap();
    let errors: Vec<_> = validator
        .iter_errors(&json(&good))
        .map(|e| format!("{e} at {}", e.instance_path()))
        .collect();
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
        "{ name: a, type: URI, priority: 1, data: { weight: 1 } }",
        "{ name: a, type: HTTPS, data: { priority: 1 } }",
        "{ name: a, type: LOC, data: { lat_degrees: 1, lat_minutes: 0, lat_seconds: 60, lat_direction: N, long_degrees: 1, long_minutes: 0, long_seconds: 0, long_direction: E, altitude: 0, size: 0, precision_horz: 0, precision_vert: 0 } }",
        "{ name: a, type: DS, data: { key_tag: 1, algorithm: 256, digest_type: 9, digest: ab } }",
    ] {
        let text = with_records(&format!("      - {record}\n"));
        assert!(!validator.is_valid(&json(&text)), "accepted by the schema: {record}");
        assert!(load_text(&text).0.desired.is_none(), "accepted by the program: {record}");
    }
    for record in [
        "{ name: a, type: A, state: absent }",
        "{ name: a, type: MX, content: 10 mx.example.net }",
        "{ name: a, type: URI, priority: 1, data: { weight: 1, target: 'https://a.example/' } }",
        "{ name: a, type: URI, data: { priority: 1, weight: 1, target: 'https://a.example/' } }",
        "{ name: a, type: HTTPS, data: { priority: 1, target: . } }",
        "{ name: a, type: LOC, data: { lat_degrees: 1, lat_minutes: 0, lat_seconds: 5.25, lat_direction: N, long_degrees: 1, long_minutes: 0, long_seconds: '0', long_direction: E, altitude: -1.5, size: 0, precision_horz: 0, precision_vert: 0 } }",
        "{ name: a, type: OPENPGPKEY, content: AAAA }",
    ] {
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
        "version: 1\n\tzones: {}\n",
        "version: 1\nzones:\n  a.example:\n  \t  records: []\n",
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
    let text = "version: 1\nversion: 1\ndefaults: { ttl: 60, ttl: 61 }\nzones:\n  a.example:\n    unmanaged: keep\n    unmanaged: keep\n    records:\n      - { name: a, type: SRV, name: b, data: { priority: 1, weight: 2, weight: 3, port: 4, target: a.b }, settings: { ipv4_only: false, ipv4_only: false } }\n  a.example: {}\n";
    let found = places_text(text);
    let expected: Vec<_> = [(2, 1), (3, 22), (7, 5), (9, 31), (9, 72), (9, 137), (10, 3)]
        .map(|(line, column)| ("SPEC0008", line, column))
        .to_vec();
    assert_eq!(found, expected);
    let (outcome, _) = load_text(text);
    assert!(outcome.diagnostics.iter().all(|d| d.related.len() == 1));
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

/// Returns a directory with these files.
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
    load_path(path).0.diagnostics.iter().map(|d| d.code()).collect()
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
        assert_eq!(
            places(&outcome, &sources),
            [("SPEC0005", 2, 25)],
            "{}",
            shown(&outcome, &sources)
        );
        assert_eq!(outcome.files, 3);
    }
    let text =
        fs::read_to_string(root.path().join("zones/a.yaml")).unwrap().replace("a.yaml, ", "");
    fs::write(root.path().join("zones/a.yaml"), text).unwrap();
    for path in [root.path().join("root.yaml"), root.path().to_owned()] {
        let (outcome, sources) = load_path(&path);
        assert_eq!(shown(&outcome, &sources), "");
        let desired = outcome.desired.unwrap();
        let records = &desired.zones.values().next().unwrap().records;
        let facets: Vec<_> = records.iter().map(|r| (r.facets.ttl, r.facets.proxied)).collect();
        assert_eq!(
            facets,
            [(Some(Ttl::AUTOMATIC), Some(true)), (Some(Ttl::AUTOMATIC), Some(true))]
        );
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
    let with = |value: &str| Options {
        variables: vec![("X".to_owned(), value.to_owned())],
        ..Options::default()
    };
    let given = load(&inputs, &with("b"), &mut Sources::default());
    assert_ne!(given.digest, one_digest(&inputs));
    assert_eq!(
        given.desired.unwrap().zones.values().next().unwrap().records[0].name.as_str(),
        "b.example.com"
    );
    assert!(
        load(
            &inputs,
            &Options { variables: vec![("a b".to_owned(), String::new())], ..Options::default() },
            &mut Sources::default()
        )
        .desired
        .is_none()
    );
}

/// Returns the findings of a text with a variable of the command line: code and help.
fn found(text: &str, variable: Option<&str>) -> Vec<(String, String)> {
    let variables =
        variable.map(|name| (name.to_owned(), "192.0.2.1".to_owned())).into_iter().collect();
    let options = Options { variables, ..Options::default() };
    let outcome = load(&[Input::Stdin(text.to_owned())], &options, &mut Sources::default());
    let words = |d: &zonewright::diagnostic::Diagnostic| {
        (d.code().to_owned(), d.help.clone().unwrap_or_default())
    };
    outcome.diagnostics.iter().map(words).collect()
}

#[test]
fn zone_settings_get_their_type_and_are_checked_offline() {
    let text = |settings: &str| {
        format!("version: 1\nzones: {{ example.com: {{ settings: {settings}, records: [] }} }}\n")
    };
    let spec =
        text("{ min_tls_version: 1.2, brotli: true, browser_cache_ttl: 14400, not_known_here: 1 }");
    let (outcome, _) = load_text(&spec);
    let desired = outcome.desired.unwrap();
    let settings = &desired.zones.values().next().unwrap().settings.settings;
    let value = |name: &str| settings[name].0.clone();
    assert_eq!(
        [value("min_tls_version"), value("brotli")],
        [Value::from("1.2"), Value::from("on")]
    );
    assert_eq!(
        [value("browser_cache_ttl"), value("not_known_here")],
        [Value::Integer(14400), Value::Integer(1)]
    );
    assert_eq!(found(&spec, None).iter().map(|f| f.0.as_str()).collect::<Vec<_>>(), ["SPEC0039"]);
    for (settings, help) in [
        ("{ ssl: strictt }", "did you mean `strict`?"),
        ("{ brotli: enabled }", "did you mean `on`?"),
        ("{ min_tls_version: 1.4 }", "write one of `1.0`, `1.1`, `1.2`, `1.3`"),
        ("{ security_header: { strict_transport_security: { preload: yes } } }", "write `true`"),
    ] {
        assert_eq!(
            found(&text(settings), None),
            [("SPEC0038".to_owned(), help.to_owned())],
            "{settings}"
        );
    }
}

#[test]
fn words_of_other_programs_get_hints() {
    let record = |keys: &str| {
        format!("version: 1\nzones: {{ example.com: {{ records: [ {{ {keys} }} ] }} }}\n")
    };
    let dnssec = |word: &str| {
        format!("version: 1\nzones: {{ example.com: {{ dnssec: {word}, records: [] }} }}\n")
    };
    for (text, help) in [
        (dnssec("no"), "write `off`"),
        (dnssec("yes"), "write `on`"),
        (dnssec("enabled"), "write `on`"),
        (dnssec("disabled"), "write `off`"),
        (dnssec("true"), "write `on`"),
        (record("name: a, type: A, value: 192.0.2.1"), "write `content`"),
        (record("name: a, type: MX, prio: 10, content: mx.example.net"), "write `priority`"),
        (record("name: '@', type: ALIAS, content: a.example.net"), "write `CNAME`"),
        (record("name: '@', type: SPF, content: v=spf1 -all"), "write `TXT`"),
        (record("name: www., type: A, content: 192.0.2.1"), "write `www`"),
        ("version: 1\nzones: { com: { records: [] } }\n".to_owned(), "write the registered domain"),
        (
            "version: 1\nzones: { co.uk: { records: [] } }\n".to_owned(),
            "write the registered domain",
        ),
    ] {
        let found = found(&text, None);
        assert!(found[0].1.starts_with(help), "{text}: {found:?}");
    }
    // Domains of companies that sell names below them are zones, and so are names that are on no
    // list.
    for zone in ["github.io", "example.co.uk", "corp.internal", "lan"] {
        assert_eq!(
            found(&format!("version: 1\nzones: {{ {zone}: {{ records: [] }} }}\n"), None),
            [],
            "{zone}"
        );
    }
}

#[test]
fn a_variable_of_the_command_line_must_be_used() {
    let text = "version: 1\nvariables: { address: 192.0.2.9 }\nzones:\n  example.com:\n    records:\n      - { name: a, type: A, content: '${address}' }\n";
    assert_eq!(found(text, Some("address")), []);
    assert_eq!(
        found(text, Some("adress")),
        [("SPEC0040".to_owned(), "did you mean `address`?".to_owned())]
    );
    assert_eq!(
        found(text, Some("zzz")),
        [("SPEC0040".to_owned(), "remove it, or use it in the spec".to_owned())]
    );
    // Used without being defined is used.
    let text = text.replace("variables: { address: 192.0.2.9 }\n", "");
    assert_eq!(found(&text, Some("address")), []);
}

#[test]
fn a_lint_is_accepted_at_its_own_place() {
    let text = |file: &str, zone: &str, record: &str| {
        format!(
            "version: 1\n{file}zones:\n  example.com:\n    {zone}\n    records:\n      - {{ name: a, type: CNAME, content: b.example.com{record} }}\n      - {{ name: b, type: CNAME, content: a.example.com{record} }}\n"
        )
    };
    let codes = |text: String| {
        let (outcome, _) = load_text(&text);
        let found = zonewright::lint::lint(&outcome.desired.unwrap());
        found.iter().map(|d| d.code().to_owned()).collect::<Vec<_>>()
    };
    let unlinted = codes(text("", "", ""));
    assert!(unlinted.contains(&"LINT0001".to_owned()), "{unlinted:?}");
    for (file, zone, record) in [
        ("lint: { LINT0001: a test }\n", "", ""),
        ("", "lint: { LINT0001: a test }", ""),
        ("", "", ", lint: { LINT0001: a test }"),
    ] {
        let left = codes(text(file, zone, record));
        assert!(!left.contains(&"LINT0001".to_owned()), "{file}{zone}{record}: {left:?}");
    }
    // A suppression without effect is noted, and one that names no lint is an error.
    let found = codes(text("", "lint: { LINT0004: a test, LNT0001: a slip }", ""));
    assert!(
        found.contains(&"SPEC0042".to_owned()) && found.contains(&"SPEC0043".to_owned()),
        "{found:?}"
    );
    assert!(found.contains(&"LINT0001".to_owned()), "{found:?}");
    // A record's suppression is the record's alone, and a reason is needed.
    let own = text("", "", "").replacen(
        "b.example.com }",
        "b.example.com, lint: { LINT0012: a test } }",
        1,
    );
    assert!(codes(own).contains(&"LINT0001".to_owned()));
    assert!(load_text(&text("", "lint: { LINT0001: '' }", "")).0.desired.is_none());
}

#[test]
fn a_doubt_about_an_expression_is_accepted_at_its_own_place() {
    const ACCEPTED: &str = "lint: { WAF0002: a new field }";
    let text = |file: &str, zone: &str, rule: &str| {
        let custom = format!("{{ name: a, when: cf.new_product.is_bad, action: block{rule} }}");
        let profile = format!("profiles: {{ p: {{ waf: {{ custom: [{custom}] }} }} }}\n");
        let own = format!("waf: {{ custom: [{custom}] }}");
        let zones = |of_zone: &str| format!("zones:\n  example.com:\n    {zone}\n    {of_zone}\n");
        [
            format!("version: 1\n{file}{}", zones(&own)),
            format!("version: 1\n{file}{profile}{}", zones("use: [p]")),
        ]
    };
    let codes = |text: &str| {
        let (outcome, _) = load_text(text);
        let doubts = outcome.diagnostics.iter().map(|d| d.code().to_owned());
        let mut codes: Vec<String> = doubts.filter(|code| code != "SPEC0041").collect();
        let lints = zonewright::lint::lint(&outcome.desired.expect("it is valid"));
        let of_suppressions = lints.iter().filter(|d| d.code().starts_with("SPEC"));
        codes.extend(of_suppressions.map(|d| d.code().to_owned()));
        codes
    };
    let at_rule = format!(", {ACCEPTED}");
    for (n, plain) in text("", "", "").iter().enumerate() {
        assert_eq!(codes(plain), ["WAF0002"], "{plain}");
        let accepted = &text("", "", &at_rule)[n];
        assert_eq!(codes(accepted), [""; 0], "{accepted}");
        let accepted = &text(&format!("{ACCEPTED}\n"), "", "")[n];
        assert_eq!(codes(accepted), [""; 0], "{accepted}");
    }
    assert_eq!(codes(&text("", ACCEPTED, "")[0]), [""; 0]);
    let raw = text("", "", "")[0].replace(
        "when: cf.new_product.is_bad, action: block",
        "raw: { expression: cf.new_product.is_bad, action: block }",
    );
    assert_eq!(codes(&raw), ["WAF0002"], "{raw}");
    // The suppression of a rule is the rule's alone, and one without effect is noted.
    let own = text("", "", "")[0].replace(
        "action: block }]",
        &format!("action: block }}, {{ name: b, when: ssl, action: block, {ACCEPTED} }}]"),
    );
    assert_eq!(codes(&own), ["WAF0002", "SPEC0042"]);
}

#[test]
fn a_variable_cannot_be_a_credential() {
    let text =
        "version: 1\nvariables: { cf_token: hunter2 }\nzones: { example.com: { records: [] } }\n";
    let shown = shown_text(text);
    assert!(shown.contains("names a credential") && !shown.contains("hunter2"), "{shown}");
    // The same on the command line.
    let text = "version: 1\nzones: { example.com: { records: [{ name: t, type: TXT, content: \"${cf_token}\" }] } }\n";
    for value in ["hunter2", "hünter2 =x", ""] {
        let variables =
            vec![("cf_token".to_owned(), value.to_owned()), ("A".to_owned(), "b".to_owned())];
        let mut sources = Sources::default();
        let options = Options { variables, ..Options::default() };
        let outcome = load(&[Input::Stdin(text.to_owned())], &options, &mut sources);
        let shown = self::shown(&outcome, &sources);
        assert!(
            outcome.desired.is_none() && shown.contains("SPEC0018") && !shown.contains("nter2"),
            "{shown}"
        );
        assert!(shown.contains("--var:1:1"), "{shown}");
    }
}

/// Returns the digest without variables.
fn one_digest(inputs: &[Input]) -> String {
    load(inputs, &Options::default(), &mut Sources::default()).digest
}

#[test]
fn findings_as_json_say_where() {
    let (outcome, sources) =
        load_text(&with_records("      - { name: é, tpe: A, content: 192.0.2.1 }\n"));
    let json =
        serde_json::to_value(Diagnostic::of(outcome.diagnostics.iter().next().unwrap(), &sources))
            .unwrap();
    insta::assert_json_snapshot!(json);
}

/// Zones share records, settings and expectations by profiles. The zone's own values win.
#[test]
fn a_zone_is_completed_from_its_profiles() {
    let text = r#"version: 1
profiles:
  mail:
    settings: { ssl: full, security_header: { strict_transport_security: { max_age: 300 } } }
    dnssec: on
    dns_settings: { soa: { min_ttl: 600, ttl: 1800 } }
    expect: [{ name: mail, mail: { by: [mx.example.net] } }]
    records:
      - { name: "@", type: MX, priority: 10, content: [mx.example.net, mx2.example.net] }
      - { name: "@", type: TXT, content: "v=spf1 mx -all" }
      - { name: _dmarc, type: TXT, content: "v=DMARC1; p=none; rua=mailto:dmarc@${ZONE}" }
      - { name: old, type: A, state: absent }
      - { name: two, type: A, content: [192.0.2.1, 192.0.2.2] }
    waf: { custom: [{ name: host, when: 'http.host eq "${ZONE}"', action: log }] }
zones:
  example.com: { use: [mail] }
  example.net:
    use: [mail]
    settings: { ssl: strict, security_header: { strict_transport_security: { enabled: true } } }
    dnssec: off
    dns_settings: { soa: { min_ttl: 700 } }
    defaults: { ttl: 600 }
    expect: [{ name: mail, mail: { by: [mx.example.org] } }]
    records:
      - { name: "@", type: MX, priority: 5, content: mx.example.org }
      - { name: "@", type: TXT, content: "google-site-verification=0123456789abcdef" }
      - { name: _dmarc, type: TXT, state: absent }
      - { name: old, type: A, content: 192.0.2.9 }
      - { name: two, type: A, content: 192.0.2.2, state: absent }
"#;
    let mut sources = Sources::default();
    let outcome = load(&[Input::Stdin(text.to_owned())], &Options::default(), &mut sources);
    let desired =
        outcome.desired.clone().unwrap_or_else(|| panic!("{}", shown(&outcome, &sources)));
    let printed = zonewright::spec::print_with_origins(&desired, &sources);
    insta::assert_snapshot!(printed);
    // The comments change nothing.
    let plain = zonewright::spec::print(&desired);
    let again = load(&[Input::Stdin(printed)], &Options::default(), &mut Sources::default());
    assert_eq!(zonewright::spec::print(&again.desired.unwrap()), plain);
}

/// Twenty profiles in many zones are refused before they fill the memory.
#[test]
fn profiles_of_many_zones_are_bounded() {
    let mut text = "version: 1\nprofiles:\n".to_owned();
    for n in 0..20 {
        text.push_str(&format!("  p{n}: {{ records: [{{ name: w{n}, type: A, content: 192.0.2.1 }}, {{ name: v{n}, type: TXT, content: \"${{ZONE}}\" }}] }}\n"));
    }
    let names: Vec<String> = (0..20).map(|n| format!("p{n}")).collect();
    text.push_str("zones:\n");
    for n in 0..4_000 {
        text.push_str(&format!("  z{n}.example: {{ use: [{}] }}\n", names.join(", ")));
    }
    let mut sources = Sources::default();
    let outcome = load(&[Input::Stdin(text)], &Options::default(), &mut sources);
    assert!(outcome.desired.is_none());
    let shown = shown(&outcome, &sources);
    assert!(shown.contains("more than 100 MiB"), "{shown}");
}
