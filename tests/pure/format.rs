//! `fmt`: one layout, with the same values and comments; formatting the result again changes
//! nothing.

use std::path::{Path, PathBuf};

use zonewright::edit::format;

/// Finds every YAML file below a directory, except those of builds and version control.
fn yaml(directory: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !["target", ".git", "node_modules"].contains(&name.as_str()) {
            yaml(&path, all);
        } else if name.ends_with(".yaml") || name.ends_with(".yml") {
            all.push(path);
        }
    }
}

/// Formats a text twice, and returns whether it could be formatted. A refusal must not be about
/// meaning or stability.
#[track_caller]
fn check(path: &Path, text: &str, sort: bool) -> bool {
    match format(text, sort) {
        Ok(once) => {
            assert_eq!(format(&once, sort).as_deref(), Ok(once.as_str()), "{}", path.display());
            true
        }
        Err(zonewright::edit::FormatError::Syntax(_)) => false,
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

#[test]
fn every_yaml_file_of_the_repository_keeps_its_meaning() {
    let mut all = Vec::new();
    yaml(Path::new(env!("CARGO_MANIFEST_DIR")), &mut all);
    let texts = all.iter().filter_map(|path| Some((path, std::fs::read_to_string(path).ok()?)));
    let formatted = texts.filter(|(path, text)| check(path, text, false)).count();
    assert!(formatted * 10 > all.len() * 8, "only {formatted} of {}", all.len());
}

#[test]
fn an_empty_text_is_formatted() {
    for text in ["", "\n", " ", "\r\n\r\n"] {
        assert_eq!(format(text, false).as_deref(), Ok(""), "{text:?}");
    }
    assert_eq!(format("\u{feff}\n", false).as_deref(), Ok("\u{feff}"));
    assert_eq!(format("# c", false).as_deref(), Ok("# c\n"));
}

#[test]
fn specs_of_real_zones_keep_their_meaning() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("shared/data/specs");
    if !root.is_dir() {
        eprintln!("SKIPPED: specs of real zones, which belong into {}", root.display());
        return;
    }
    let mut all = Vec::new();
    yaml(&root, &mut all);
    for path in all {
        let text = std::fs::read_to_string(&path).unwrap();
        // The largest take minutes in a build without optimization.
        if text.len() < 300_000 || std::env::var_os("ZONEWRIGHT_FORMAT_ALL").is_some() {
            assert!(check(&path, &text, false), "{}", path.display());
        }
    }
}

#[test]
fn generated_specs_keep_their_meaning() {
    let mut random = fastrand::Rng::with_seed(3);
    let rounds =
        std::env::var("ZONEWRIGHT_FORMATS").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    for round in 0..rounds {
        let mut text = String::new();
        let comment = |random: &mut fastrand::Rng| ["", "", " # c", "   # c: d"][random.usize(..4)];
        let (a, b) = (comment(&mut random), comment(&mut random));
        text.push_str(&format!("zones:{a}\n  example.com:{b}\n    records:\n"));
        for n in 0..random.usize(1..6) {
            let own = comment(&mut random);
            let name = ["\"@\"", "www", "'*'", "a.b"][random.usize(..4)];
            let value =
                ["192.0.2.1", "[192.0.2.1,192.0.2.2]", "'a # b'", "\"x: {y}\""][random.usize(..4)];
            if random.bool() {
                text.push_str(["", "\n", "      # above\n"][random.usize(..3)]);
            }
            match random.usize(..4) {
                0 => text.push_str(&format!("      - {{name: {name}, content: {value},   type: A}}{own}\n")),
                1 => text.push_str(&format!("      - type: A{own}\n        # in\n        name: {name}\n        content: {value}{own}\n")),
                2 => text.push_str(&format!("      -   ttl: {n}\n          content: |-\n            one\n             two\n          name: {name}{own}\n          type: TXT\n")),
                _ => text.push_str(&format!("      - {{ name: {name}, type: A, # inner\n          content: {value} }}{own}\n")),
            }
        }
        text.push_str("version: 1\n");
        if random.bool() {
            text = text.replace('\n', "\r\n");
        }
        assert!(check(Path::new("generated"), &text, random.bool()), "round {round}\n{text}");
    }
}
