//! The documentation agrees with the program: transcripts are run, specs are validated, lists of
//! codes are complete.
//!
//! In README.md and docs/waf.md, a `yaml` block whose first line is a comment with a file's name is
//! that file; one that starts with `waf:` is a section of a zone; other specs are validated; each
//! command of a `console` block is run, all of a document in one directory that has the examples
//! and against one sandbox, and its standard output compared. `…` stands for any number of lines.
//! In docs/safety.md, each claim names a test as `file::test`; it has to exist.

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

/// The sources of a module of the crate, or of a module of the tests in any of their binaries,
/// whichever has this name.
fn sources(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = String::new();
    let mut open = vec![root.join("src").join(name), root.join("crates/model/src").join(name)];
    for package in ["expression", "sandbox", "seclang"] {
        if name == package {
            open.extend(["src", "tests"].map(|part| root.join("crates").join(package).join(part)));
        }
    }
    for entry in fs::read_dir(root.join("tests")).unwrap() {
        let binary = entry.unwrap().path();
        open.extend([binary.join(name), binary.join(format!("{name}.rs"))]);
    }
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|e| e == "rs") && path.exists() {
            all += &fs::read_to_string(path).unwrap();
        }
    }
    all
}

/// Each claim on the page about safety names a test that exists.
#[test]
fn the_page_about_safety_names_tests() {
    let page = text("docs/safety.md");
    let named: Vec<_> =
        page.split('`').skip(1).step_by(2).filter_map(|span| span.split_once("::")).collect();
    assert!(named.len() >= 50, "{}", named.len());
    for (file, test) in named.into_iter().filter(|named| *named != ("file", "test")) {
        assert!(sources(file).contains(&format!("fn {test}(")), "{file}::{test} does not exist");
    }
}

/// Links within the documentation have targets that exist.
#[test]
fn links_within_the_documentation_lead_somewhere() {
    let anchors = |page: &str| -> Vec<String> {
        let headings =
            page.lines().filter_map(|line| line.strip_prefix("## ").or(line.strip_prefix("### ")));
        let anchor = |heading: &str| {
            let kept = heading
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
                .collect::<String>();
            kept.replace(' ', "-")
        };
        headings.map(anchor).collect()
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = ["docs/", "docs/internals/"].into_iter().flat_map(|below| {
        let names = fs::read_dir(root.join(below)).unwrap().map(|entry| entry.unwrap().file_name());
        let names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names
            .into_iter()
            .filter(|name| name.ends_with(".md"))
            .map(move |name| (format!("{below}{name}"), below))
    });
    let others = [
        ("README.md".to_owned(), ""),
        ("ARCHITECTURE.md".to_owned(), ""),
        ("CONTRIBUTING.md".to_owned(), ""),
        ("examples/pipelines/README.md".to_owned(), "examples/pipelines/"),
    ];
    for (page, below) in pages.chain(others) {
        let content = text(&page);
        for link in content
            .split("](")
            .skip(1)
            .map(|rest| rest.split(')').next().unwrap())
            .filter(|l| !l.contains("://"))
        {
            let (path, anchor) =
                link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
            let target = if path.is_empty() { page.clone() } else { format!("{below}{path}") };
            assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&target).exists(), "{page}: {link}");
            if let Some(anchor) = anchor {
                assert!(
                    anchors(&text(&target)).contains(&anchor.to_owned()),
                    "{page}: {link} has no such heading"
                );
            }
        }
    }
}

/// The pages for contributors name files that exist, and every module of the crate.
#[test]
fn the_pages_for_contributors_name_what_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let architecture = text("ARCHITECTURE.md");
    let mut checked = 0;
    for page in
        [architecture.as_str(), &text("docs/internals/recipes.md"), &text("CONTRIBUTING.md")]
    {
        let spans =
            page.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2));
        let places = ["src/", "crates/", "tests/", "docs/"];
        for path in spans.filter(|span| places.iter().any(|place| span.starts_with(place))) {
            let existing = path.split('<').next().unwrap();
            assert!(root.join(existing).exists(), "{path} does not exist");
            checked += 1;
        }
    }
    assert!(checked >= 40, "{checked}");
    for entry in fs::read_dir(root.join("src")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let row = format!("`src/{name}/`");
        assert!(name.ends_with(".rs") || architecture.contains(&row), "{row} is missing");
    }
    for directory in [
        "expression/src",
        "model/src",
        "model/src/diagnostic",
        "model/src/diff",
        "sandbox/src",
        "seclang/src",
    ] {
        let row = format!("`crates/{directory}/`");
        assert!(architecture.contains(&row), "{row} is missing");
    }
}
