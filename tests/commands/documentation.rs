//! The documentation agrees with the program: transcripts are run, and specs are validated.
//!
//! In README.md, docs/waf.md and docs/recipes, a `yaml` block whose first line is a comment with a file's name is
//! that file; one that starts with `waf:` is a section of a zone; other specs are validated; each
//! command of a `console` block is run, all of a document in one directory that has the examples
//! and against one sandbox, and its standard output compared. `…` stands for any number of lines.

use std::fs;
use std::path::Path;

use zonewright::diagnostic::Finding;
use zonewright::lint;

use crate::support::workspace::{Ran, binary};

/// The text of a file of this repository.
fn text(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The fenced blocks of a document, with their languages.
fn blocks(document: &str) -> Vec<(&str, &str)> {
    let fenced = document.split("```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').unwrap()).collect()
}

/// Whether output lines match the documented ones.
fn is_told(printed: &[&str], told: &[&str]) -> bool {
    match told {
        [] => printed.is_empty(),
        ["…", rest @ ..] => (0..=printed.len()).any(|n| is_told(&printed[n..], rest)),
        [line, rest @ ..] => printed.first() == Some(line) && is_told(&printed[1..], rest),
    }
}

/// Copies the files of a directory.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

/// Runs the commands of a document.
fn check(document: &str) {
    let directory = tempfile::TempDir::new().unwrap();
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/minimal"),
        &directory.path().join("examples/minimal"),
    );
    let run =
        |arguments: &[&str]| Ran::from(binary(directory.path()).args(arguments).output().unwrap());
    let mut commands = 0;
    for (language, block) in blocks(document) {
        match (language, block.split_once('\n')) {
            ("yaml", Some((first, _))) if first.starts_with("# ") && first.ends_with(".yaml") => {
                fs::write(directory.path().join(&first[2..]), block).unwrap();
            }
            ("yaml", _) if block.contains("\nversion: 1\n") => {
                fs::write(directory.path().join("pasted.yaml"), block).unwrap();
                run(&["validate", "pasted.yaml"]).exits(0);
            }
            ("yaml", _) if block.starts_with("waf:") => {
                let lines: String = block.lines().map(|line| format!("    {line}\n")).collect();
                let spec = format!("version: 1\nzones:\n  example.net:\n{lines}");
                fs::write(directory.path().join("section.yaml"), spec).unwrap();
                run(&["validate", "section.yaml"]).exits(0);
            }
            ("console", _) => {
                let block = block.replace("$ cargo run -- ", "$ zonewright ");
                for one in block.split("$ zonewright ").skip(1) {
                    let (command, told) = one.split_once('\n').unwrap();
                    let ran = run(&command.split(' ').collect::<Vec<_>>());
                    let printed: Vec<_> = ran.stdout.lines().collect();
                    let told: Vec<_> = told.lines().collect();
                    assert!(
                        is_told(&printed, &told),
                        "{command}\ntold:\n{}\nprinted:\n{}",
                        told.join("\n"),
                        ran.stdout
                    );
                    commands += 1;
                }
            }
            _ => {}
        }
    }
    assert!(commands > 0, "nothing is shown");
}

/// The steps of the README run in order, in one directory.
#[test]
fn the_readme() {
    check(&text("README.md"));
}

#[test]
fn the_page_about_protection() {
    check(&text("docs/waf.md"));
}

/// Each code has one meaning everywhere, and so does each summary.
#[test]
fn no_code_or_summary_is_used_twice() {
    for word in [|finding: &Finding| finding.code, |finding: &Finding| finding.summary] {
        let all: Vec<_> = lint::findings().map(word).collect();
        let distinct: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
    }
}
