//! The repository does not use the phrases that docs/internals/style.md bans, nor names that say
//! nothing to a new reader.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the banned phrases: the table between the two markers in docs/internals/style.md.
fn banned() -> Vec<String> {
    let page =
        fs::read_to_string(root().join("docs/internals/style.md")).unwrap().replace("\r\n", "\n");
    let table = page.split("<!-- banned").nth(1).unwrap().split("<!-- /banned").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    rows.map(|(phrase, _)| phrase.to_owned()).filter(|phrase| phrase != "phrase").collect()
}

/// Returns the root of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Directories and files in which the phrases are not used.
const READ: &[&str] = &[
    ".ci",
    ".github",
    "benches",
    "crates",
    "docs",
    "examples",
    "fuzz",
    "src",
    "tests",
    "README.md",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "Cargo.toml",
    "Dockerfile",
    "action.yml",
];

/// Files that quote the phrases: the table, and the tests of this file.
const QUOTES: &[&str] = &["docs/internals/style.md", "tests/pure/style.rs"];

/// Directories with inputs of the fuzzer, and with files that are not committed.
const SKIPPED: &[&str] =
    &["fuzz/artifacts", "fuzz/corpus", "fuzz/coverage", "node_modules", "target", "__pycache__"];

/// Returns the files in these places and below them, without those in [`SKIPPED`].
fn files(places: &[&str]) -> Vec<PathBuf> {
    let mut open: Vec<PathBuf> = places.iter().map(|name| root().join(name)).collect();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if SKIPPED.iter().any(|skipped| path.ends_with(skipped)) {
            continue;
        }
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            files.push(path);
        }
    }
    files
}

/// Returns true if a text has a phrase as whole words, in any case.
fn has(text: &str, phrase: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let text = text.to_lowercase();
    text.match_indices(phrase).any(|(at, _)| {
        !is_word(text[..at].chars().next_back())
            && !is_word(text[at + phrase.len()..].chars().next())
    })
}

#[test]
fn no_banned_phrase_is_used() {
    let banned = banned();
    assert!(banned.len() >= 12, "{banned:?}");
    let mut found = Vec::new();
    let quotes: Vec<PathBuf> = QUOTES.iter().map(|name| root().join(name)).collect();
    for file in files(READ).into_iter().filter(|file| !quotes.contains(file)) {
        // Binary files are skipped.
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for (number, line) in text.lines().enumerate() {
            if ["<<<<<<< ", ">>>>>>> "].iter().any(|marker| line.starts_with(marker)) {
                found.push(format!(
                    "{}:{}: the mark of a merge conflict",
                    file.display(),
                    number + 1
                ));
            }
            for phrase in banned.iter().filter(|phrase| has(line, phrase)) {
                found.push(format!("{}:{}: {phrase}", file.display(), number + 1));
            }
        }
    }
    assert!(
        found.is_empty(),
        "docs/internals/style.md says what to write instead:\n{}",
        found.join("\n")
    );
}

/// Words that must not occur in names of files, modules, types and functions: they say nothing to a
/// reader who does not know the code. Names of tests are sentences and may contain them.
const BANNED_NAMES: &[&str] = &[
    "around", "standing", "wants", "turn", "turns", "again", "others", "repeats", "against",
    "right", "normal", "mistake", "mistakes", "door", "gate", "fresh", "shape", "shapes", "word",
];

/// Words that are too vague to be a whole name: an answer to what?
const BANNED_ALONE: &[&str] = &["answer", "answers", "answered", "family"];

/// Paths where an answer is always the answer of a name server, so that the word is clear.
const OF_NAME_SERVERS: &[&str] = &[
    "src/insight/dns/",
    "src/insight/expect/",
    "src/insight/zone_view.rs",
    "src/plan/dangers.rs",
    "crates/sandbox/src/dns/",
    "src/spec/expect/",
];

/// Exceptions: names that contain a banned word, and why they stay.
const ALLOWED_NAMES: &[(&str, &str)] =
    &[("contains_word", "the operator `@containsWord` of ModSecurity")];

/// Returns the words of a name, in any style: `LiveZone`, `live_zone`, `live-zone`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if !c.is_alphanumeric()
            || (c.is_uppercase() && words.last().is_some_and(|word| !word.is_empty()))
        {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// Returns the name of the type, module or function that a line of code declares, if it declares
/// one.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line
        .strip_prefix("pub")
        .map_or(line, |rest| rest.trim_start_matches(|c| c != ' ').trim_start());
    let line = ["const ", "async "]
        .iter()
        .fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
    let name = ["struct ", "enum ", "trait ", "type ", "mod ", "fn "]
        .iter()
        .find_map(|kind| line.strip_prefix(kind))?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Returns the names that a source declares, without those of tests.
fn names_of(code: &str) -> impl Iterator<Item = &str> {
    let mut is_test = false;
    code.lines().filter_map(move |line| {
        let line = line.trim_start();
        if line.starts_with("#[") {
            is_test |= line.contains("test]") || line.contains("::test(");
            return None;
        }
        let name = declared(line).filter(|_| !is_test);
        is_test &= line.is_empty() || line.starts_with("//");
        name
    })
}

/// Returns true if a name is banned in a file with this path.
fn is_banned(path: &str, name: &str) -> bool {
    let words = words_of(name);
    let is_alone = words.len() == 1 && BANNED_ALONE.contains(&words[0].as_str());
    let is_of_name_server = OF_NAME_SERVERS.iter().any(|start| path.starts_with(start));
    let has_banned = words.iter().any(|word| BANNED_NAMES.contains(&word.as_str()));
    (has_banned || (is_alone && !is_of_name_server))
        && ALLOWED_NAMES.iter().all(|(allowed, _)| *allowed != name)
}

#[test]
fn no_banned_name_is_used() {
    let mut found = Vec::new();
    for file in files(&["src", "crates", "tests"])
        .into_iter()
        .filter(|file| file.extension().is_some_and(|e| e == "rs"))
    {
        let path = file.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        let code = fs::read_to_string(&file).unwrap();
        let stems = path.trim_end_matches(".rs").split('/');
        for name in stems.chain(names_of(&code)).filter(|name| is_banned(&path, name)) {
            found.push(format!("{path}: {name}"));
        }
    }
    assert!(
        found.is_empty(),
        "use the words of the field, see docs/internals/style.md:\n{}",
        found.join("\n")
    );
}

#[test]
fn the_check_can_fail() {
    assert_eq!(words_of("RulesetShapeError"), ["ruleset", "shape", "error"]);
    assert_eq!(
        (declared("    pub(super) enum Door {"), declared("let enum_ = 1;")),
        (Some("Door"), None)
    );
    let code = "#[test]\n#[ignore]\nfn it_is_read_again() {\n    fn again() {}\n}\npub(super) const fn next() {}\n";
    assert_eq!(names_of(code).collect::<Vec<_>>(), ["again", "next"]);
    assert!(
        is_banned("src/api/mod.rs", "Answer") && !is_banned("src/insight/dns/answer.rs", "Answer")
    );
    assert!(
        is_banned("src/insight/dns/answer.rs", "read_again")
            && !is_banned("src/plan/mod.rs", "refresh")
    );
    assert!(has("and so on For Ever.", "for ever") && !has("for every zone", "for ever"));
}
