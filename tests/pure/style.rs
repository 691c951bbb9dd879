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

#[test]
fn the_check_can_fail() {
    assert!(has("and so on For Ever.", "for ever") && !has("for every zone", "for ever"));
}
