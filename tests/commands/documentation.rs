//! The documentation agrees with the program: transcripts are run, and specs are validated.
//!
//! In README.md, docs/waf.md and docs/recipes, a `yaml` block whose first line is a comment with a file's name is
//! that file; one that starts with `waf:` is a section of a zone; other specs are validated; each
//! command of a `console` block is run, all of a document in one directory that has an example and
//! against one sandbox, and its standard output compared. `…` stands for any number of lines.

use std::fs;
use std::path::Path;
use std::process::Command;

use zonewright::diagnostic::Finding;
use zonewright::lint;

use crate::support::workspace::{Ran, binary};

/// Returns the text of a file of this repository.
fn text(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// Returns the fenced blocks of a document, with their languages.
fn blocks(document: &str) -> Vec<(&str, &str)> {
    let fenced = document.split("```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').unwrap()).collect()
}

/// Returns true if output lines match the documented ones.
fn is_documented(printed: &[&str], documented: &[&str]) -> bool {
    match documented {
        [] => printed.is_empty(),
        ["…", rest @ ..] => (0..=printed.len()).any(|n| is_documented(&printed[n..], rest)),
        [line, rest @ ..] => printed.first() == Some(line) && is_documented(&printed[1..], rest),
    }
}

/// Runs a command line of a document in a directory. Returns its standard output.
fn run_line(line: &str, directory: &Path) -> String {
    let words = shlex::split(line).unwrap();
    let (program, arguments) = words.split_first().unwrap();
    let mut command = match program.as_str() {
        "zonewright" => binary(directory),
        "git" => {
            let mut git = Command::new("git");
            let identity = ["-c", "user.name=you", "-c", "user.email=you@example.com"];
            git.current_dir(directory).args(identity);
            git
        }
        _ => panic!("{line}: only zonewright and git are run"),
    };
    Ran::from(command.args(arguments).output().unwrap()).stdout
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
fn check(name: &str) {
    let document = text(name);
    let directory = tempfile::TempDir::new().unwrap();
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/minimal"),
        &directory.path().join("examples/minimal"),
    );
    let validate = |spec: &str, text: &str| {
        fs::write(directory.path().join(spec), text).unwrap();
        let output = binary(directory.path()).args(["validate", spec]).output().unwrap();
        Ran::from(output).exits(0);
    };
    let mut commands = 0;
    for (language, block) in blocks(&document) {
        match (language, block.split_once('\n')) {
            ("yaml", Some((first, _))) if first.starts_with("# ") && first.ends_with(".yaml") => {
                let path = directory.path().join(&first[2..]);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, block).unwrap();
            }
            ("yaml", _) if block.contains("\nversion: 1\n") => validate("pasted.yaml", block),
            ("yaml", _) if block.starts_with("waf:") => {
                let lines: String = block.lines().map(|line| format!("    {line}\n")).collect();
                let spec = format!("version: 1\nzones:\n  example.net:\n{lines}");
                validate("section.yaml", &spec);
            }
            ("console", _) => {
                let block = format!("\n{block}").replace("$ cargo run -- ", "$ zonewright ");
                for one in block.split("\n$ ").skip(1) {
                    let (line, documented) = one.split_once('\n').unwrap_or((one, ""));
                    let printed = run_line(line, directory.path());
                    assert!(
                        is_documented(
                            &printed.lines().collect::<Vec<_>>(),
                            &documented.lines().collect::<Vec<_>>()
                        ),
                        "{name}: {line}\ndocumented:\n{documented}\nprinted:\n{printed}",
                    );
                    commands += 1;
                }
            }
            _ => {}
        }
    }
    assert!(commands > 0, "{name} shows no command");
}

/// The steps of the README run in order, in one directory.
#[test]
fn the_readme() {
    check("README.md");
}

#[test]
fn the_page_about_protection() {
    check("docs/waf.md");
}

/// Each recipe runs as it is written, in a directory and against a sandbox of its own.
#[test]
fn the_recipes() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/recipes");
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    let recipes: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    std::thread::scope(|scope| {
        for part in recipes.chunks(recipes.len().div_ceil(4)) {
            scope
                .spawn(move || part.iter().for_each(|name| check(&format!("docs/recipes/{name}"))));
        }
    });
    assert!(recipes.len() >= 5, "{recipes:?}");
}

/// Each code has one meaning everywhere, and so does each summary.
#[test]
fn no_code_or_summary_is_used_twice() {
    for word in [|finding: &Finding| finding.code, |finding: &Finding| finding.summary] {
        let all: Vec<_> = lint::known_findings().map(word).collect();
        let distinct: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
    }
}
