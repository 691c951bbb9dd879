//! Every `ASSUMED` mark of the sandbox is covered by a check of `zonewright conformance`, or has
//! the reason why none can cover it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use zonewright::conformance::CHECKS;

/// The table.
const TABLE: &str = include_str!("assumptions.txt");

/// Finds the source files below a directory.
fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the text of a comment line.
fn comment(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?;
    Some(text.trim_start_matches(['/', '!']).trim())
}

/// Returns the words after each mark of a text, to the end of its paragraph.
fn marks(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut marks = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        for (at, mark) in line.match_indices("ASSUMED") {
            let more = lines[number + 1..]
                .iter()
                .map_while(|line| comment(line).filter(|text| !text.is_empty()));
            let words: Vec<&str> = std::iter::once(&line[at + mark.len()..]).chain(more).collect();
            let words = words.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
            marks.push(words.trim_start_matches([':', ',', '`', '.', ')', ' ']).to_owned());
        }
    }
    marks
}

#[test]
fn every_assumption_is_checked_or_has_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/sandbox/src");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let mut lines: BTreeMap<(&str, &str), (&str, usize)> = BTreeMap::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let (mark, answer) =
            line.split_once(" => ").unwrap_or_else(|| panic!("no ` => ` in {line:?}"));
        let (file, words) = mark.split_once(": ").unwrap_or_else(|| panic!("no `: ` in {line:?}"));
        assert!(lines.insert((file, words), (answer, 0)).is_none(), "twice: {line}");
    }
    let mut wrong = Vec::new();
    for path in paths {
        let file = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        for mark in marks(&fs::read_to_string(&path).unwrap()) {
            let own =
                lines.iter_mut().filter(|((of, words), _)| *of == file && mark.starts_with(words));
            // The line that says most of it.
            match own.max_by_key(|((_, words), _)| words.len()) {
                Some((_, (_, uses))) => *uses += 1,
                None => wrong.push(format!("no line for {file}: {mark:.80}")),
            }
        }
    }
    let ids: BTreeSet<&str> = CHECKS.iter().map(|check| check.id).collect();
    for ((file, words), (answer, uses)) in lines {
        if uses != 1 {
            wrong.push(format!("{uses} marks for {file}: {words}"));
        }
        let is_known = match answer.split_once(": ") {
            Some(("check", id)) => ids.contains(id),
            Some(("not probed", reason)) => !reason.is_empty(),
            _ => false,
        };
        if !is_known {
            wrong.push(format!("no such check, and no reason: {answer}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "tests/sandbox/assumptions.txt needs one line for each mark:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn checks_say_where_they_are_relied_on() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut ids = BTreeSet::new();
    for check in CHECKS {
        assert!(ids.insert(check.id), "twice: {}", check.id);
        assert!(check.assumption.ends_with('.') && !check.relied_on.is_empty(), "{}", check.id);
        for place in check.relied_on {
            let (file, section) = place.split_once(": ").unwrap_or((place, ""));
            let text = fs::read_to_string(root.join(file))
                .unwrap_or_else(|error| panic!("{place}: {error}"));
            assert!(text.contains(section), "{place}");
        }
    }
}

#[test]
fn the_reader_of_marks_works() {
    let text = "/// Seen. ASSUMED: the code,\n/// and its text.\n///\n/// Other.\nfn f() { // ASSUMED: a. ASSUMED: b.\n";
    assert_eq!(marks(text), ["the code, and its text.", "a. ASSUMED: b.", "b."]);
}
