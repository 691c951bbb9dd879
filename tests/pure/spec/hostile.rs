//! Input that is broken, too large, random or hostile: a clear error, never a crash or a hang.

use std::fs;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use zonewright::document::{self, diagnostic::Diagnostic};
use zonewright::render::diagnostics;
use zonewright::spec::print;

use crate::support::processor_time::takes_at_most;

use super::{
    CASES, bare, codes, directory, load_path, load_text, places, places_text, shown, with_records,
};

#[test]
fn a_yaml_bomb_is_refused_at_once() {
    let mut bomb = String::from("version: 1\na0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for n in 1..30 {
        bomb.push_str(&format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(",")));
    }
    let found = takes_at_most(Duration::from_secs(1), "refusing it", || places_text(&bomb));
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
    let (outcome, sources) =
        takes_at_most(Duration::from_secs(1), "refusing it", || load_path(&path));
    assert_eq!(places(&outcome, &sources), [("SPEC0003", 0, 0)]);
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
    let root = directory(&[(
        "root.yaml",
        "version: 1\ninclude: [link.yaml]\nzones: { example.com: {} }\n",
    )]);
    std::os::unix::fs::symlink(outside.path().join("secret.yaml"), root.path().join("link.yaml"))
        .unwrap();
    let (outcome, sources) = load_path(&root.path().join("root.yaml"));
    assert_eq!(places(&outcome, &sources), [("SPEC0006", 2, 11)]);
    assert!(!shown(&outcome, &sources).contains("password"));
    assert_eq!(codes(root.path()), ["SPEC0006", "SPEC0006"]);
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
        assert!(
            !document::text(&Diagnostic::all(&outcome.diagnostics, &sources)).contains("hunter2")
        );
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
    diagnostics::write(&mut coloured, &outcome.diagnostics, &sources, true, None).unwrap();
    let coloured = String::from_utf8(coloured).unwrap();
    assert!(coloured.contains('\u{1b}') && coloured.contains("<stdin>:6:1000028"));
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
    fs::write(
        root.path().join("root.yaml"),
        "version: 1\ninclude: [zones/*.yaml]\ndefaults: { ttl: 300 }\n",
    )
    .unwrap();
    let values: String =
        (0..10_000).map(|n| format!("          - 10.0.{}.{}\n", n / 256, n % 256)).collect();
    let text =
        with_records(&format!("      - name: a\n        type: A\n        content:\n{values}"));
    takes_at_most(Duration::from_secs(20), "loading both", || {
        let (outcome, _) = load_path(&root.path().join("root.yaml"));
        assert_eq!((outcome.files, outcome.records), (2_001, 2_000));
        assert_eq!(load_text(&text).0.records, 10_000);
    });
}

#[test]
fn variables_cannot_fill_the_memory() {
    let long = "x".repeat(60_000);
    let records = "      - { name: a, type: TXT, content: \"${LONG}\" }\n".repeat(1_500);
    let text = format!("variables: {{ LONG: {long} }}\n{}", with_records(&records));
    let (outcome, _) = takes_at_most(Duration::from_secs(20), "refusing it", || load_text(&text));
    assert!(outcome.desired.is_none());
    assert_eq!(
        places_text(&with_records(&format!(
            "      - {{ name: \"{}\", type: A }}\n",
            "${A}".repeat(100_000)
        )))
        .len(),
        20
    );
}

#[test]
fn a_flood_of_mistakes_is_cut_off() {
    for line in [
        "      - {}\n",
        "      - { name: a, type: A, content: 1 }\n",
        "      - x\n",
        "      - { a: 1, a: 2, a: 3 }\n",
    ] {
        let text = with_records(&line.repeat(30_000));
        let (outcome, sources) = load_text(&text);
        assert!(
            (10_001..10_020).contains(&outcome.diagnostics.len()),
            "{line}: {}",
            outcome.diagnostics.len()
        );
        assert_eq!(outcome.diagnostics.iter().last().unwrap().code(), "SPEC0036");
        assert!(
            outcome.diagnostics.iter().count() < 250,
            "{line}: {}",
            outcome.diagnostics.iter().count()
        );
        assert!(
            shown(&outcome, &sources).len() < 200_000,
            "{line}: {}",
            shown(&outcome, &sources).len()
        );
    }
}

/// Each kind of mistake, thousands of times and with long words: the messages stay short, in every
/// output.
#[test]
fn no_kind_of_mistake_floods_an_output() {
    let lines = |line: &dyn Fn(usize) -> String| (0..3_000).map(line).collect::<String>();
    let long = "a".repeat(1_000);
    let zones = "zones: { example.com: { records: [] } }\n";
    for (what, text) in [
        (
            "the same record",
            with_records(&lines(&|_| "      - { name: a, type: A, content: 192.0.2.1 }\n".into())),
        ),
        (
            "many targets",
            with_records(&lines(&|n| {
                format!("      - {{ name: a, type: CNAME, content: x{n}.example.net }}\n")
            })),
        ),
        (
            "no type",
            with_records(&lines(&|n| {
                format!("      - {{ name: a{n}, type: X{n}, content: x }}\n")
            })),
        ),
        (
            "long names",
            with_records(&lines(&|n| {
                format!("      - {{ name: {long}{n}, type: A, content: 192.0.2.1 }}\n")
            })),
        ),
        (
            "a chain",
            format!(
                "version: 1\nvariables:\n{}{zones}",
                lines(&|n| format!("  v{n}: ${{v{}}}\n", (n + 1) % 3_000))
            ),
        ),
        (
            "no variable",
            format!(
                "version: 1\nvariables:\n{}{zones}",
                lines(&|n| format!("  v{n}: ${{{long}{n}}}\n"))
            ),
        ),
        (
            "no file",
            format!(
                "version: 1\ninclude:\n{}{zones}",
                lines(&|n| format!("  - missing{n}.yaml\n"))
            ),
        ),
        ("a key again", format!("version: 1\n{zones}{}", lines(&|_| "zones: {}\n".into()))),
        (
            "a key that is none",
            format!(
                "version: 1\nzones:\n{}",
                lines(&|n| format!("  z{n}.example: {{ record{n}: [] }}\n"))
            ),
        ),
    ] {
        let (outcome, sources) = load_text(&text);
        assert!(outcome.diagnostics.len() >= 1_000, "{what}: {}", outcome.diagnostics.len());
        let text = shown(&outcome, &sources);
        let json = document::text(&Diagnostic::all(&outcome.diagnostics, &sources));
        assert!(
            text.len() < 400_000 && json.len() < 800_000,
            "{what}: {} bytes, {} of JSON",
            text.len(),
            json.len()
        );
        assert!(text.contains(" more of ") && json.contains(" more of "), "{what}");
    }
}

#[test]
fn every_truncation_of_a_good_spec_is_survived() {
    for case in ["good.yaml", "waf-good.yaml"] {
        let text = fs::read_to_string(Path::new(CASES).join(case)).unwrap();
        for end in (0..text.len()).filter(|n| text.is_char_boundary(*n)) {
            let (outcome, sources) = load_text(&text[..end]);
            assert!(outcome.desired.is_some() || outcome.diagnostics.has_errors());
            let _ = shown(&outcome, &sources);
        }
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
            let _ = Diagnostic::all(&outcome.diagnostics, &sources);
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
    fn a_good_spec_with_one_byte_changed_never_panics(waf in any::<bool>(), at in 0_usize..6_000, byte in any::<u8>()) {
        let case = if waf { "waf-good.yaml" } else { "good.yaml" };
        let mut bytes = fs::read(Path::new(CASES).join(case)).unwrap();
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
        use zonewright::diagnostic::{Diagnostics, Place, Sources, Span, findings};
        let mut sources = Sources::default();
        let source = sources.add("a.yaml", text);
        let place = Place { source, span: Span::new(start, start + length) };
        let other = Place { source, span: Span::new(length, start + length) };
        let finding = findings::SYNTAX.at(place, "detail").and_at(other, "other");
        let mut out = Vec::new();
        diagnostics::write(&mut out, &Diagnostics::from_iter([finding.clone()]), &sources, true, None).unwrap();
        let _ = Diagnostic::of(&finding, &sources);
    }
}
