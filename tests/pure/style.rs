//! The words of the program and its documentation: phrases that docs/style.md rules out do not come back.

use std::fs;
use std::path::{Path, PathBuf};

/// The phrases of the table between the marks in docs/style.md.
fn banned() -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/style.md")).unwrap().replace("\r\n", "\n");
    let table = page.split("<!-- banned").nth(1).unwrap().split("<!-- /banned").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    rows.map(|(phrase, _)| phrase.to_owned()).filter(|phrase| phrase != "phrase").collect()
}

/// Where the repository is.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files that people read: sources, pages, examples.
fn files() -> Vec<PathBuf> {
    let pages = ["README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "Cargo.toml"];
    let mut open: Vec<PathBuf> = ["src", "docs", "examples"].iter().map(|name| root().join(name)).collect();
    open.extend(pages.map(|name| root().join(name)));
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path != root().join("docs/style.md") {
            files.push(path);
        }
    }
    files
}

/// Whether a text has a phrase as whole words, in any case.
fn has(text: &str, phrase: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let text = text.to_lowercase();
    text.match_indices(phrase)
        .any(|(at, _)| !is_word(text[..at].chars().next_back()) && !is_word(text[at + phrase.len()..].chars().next()))
}

#[test]
fn no_banned_phrase_is_used() {
    let banned = banned();
    assert!(banned.len() >= 12, "{banned:?}");
    let mut found = Vec::new();
    for file in files() {
        // Whatever is no text says nothing.
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for (number, line) in text.lines().enumerate() {
            for phrase in banned.iter().filter(|phrase| has(line, phrase)) {
                found.push(format!("{}:{}: {phrase}", file.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "docs/style.md says what to write instead:\n{}", found.join("\n"));
}

/// Words that no file, module or type has in its name: they say nothing to a reader who does not know the code.
const BANNED_NAMES: &[&str] = &[
    "around", "standing", "wants", "turn", "turns", "again", "others", "repeats", "normal", "mistake", "mistakes",
    "door", "gate", "fresh", "shape", "word",
];

/// The words of a name in any style: `LiveZone`, `live_zone`, `live-zone`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && words.last().is_some_and(|word| !word.is_empty())) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// The name that a line of code gives to a type or module, if it does.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub").map_or(line, |rest| rest.trim_start_matches(|c| c != ' ').trim_start());
    let name = ["struct ", "enum ", "trait ", "type ", "mod "].iter().find_map(|kind| line.strip_prefix(kind))?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[test]
fn no_banned_name_is_used() {
    let mut found = Vec::new();
    for file in super::architecture::files() {
        let stems = file.path.trim_end_matches(".rs").split('/');
        let names = stems.chain(file.code.lines().filter_map(declared));
        for name in names.filter(|name| words_of(name).iter().any(|word| BANNED_NAMES.contains(&word.as_str()))) {
            found.push(format!("src/{}: {name}", file.path));
        }
    }
    assert!(found.is_empty(), "use the words of the field, see docs/style.md:\n{}", found.join("\n"));
}

#[test]
fn the_check_can_fail() {
    assert_eq!(words_of("RulesetShapeError"), ["ruleset", "shape", "error"]);
    assert_eq!((declared("    pub(super) enum Door {"), declared("let enum_ = 1;")), (Some("Door"), None));
    assert!(has("and so on For Ever.", "for ever") && !has("for every zone", "for ever"));
}
