//! The pages of the documentation name tests, files and pages that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Returns the root of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the text of a file of this repository.
fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap().replace("\r\n", "\n")
}

/// Returns the Markdown files in a directory and below it, as paths from the root.
fn pages_below(directory: &str) -> Vec<String> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(root().join(directory)).unwrap().map(Result::unwrap) {
        let path = format!("{directory}/{}", entry.file_name().into_string().unwrap());
        if entry.path().is_dir() {
            pages.extend(pages_below(&path));
        } else if path.ends_with(".md") {
            pages.push(path);
        }
    }
    pages
}

/// Returns the sources of a module of the crate or of any test binary with this name.
fn sources(name: &str) -> String {
    let root = root();
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

/// Each claim on a page for users names a test that exists.
#[test]
fn the_pages_name_tests_that_exist() {
    let mut pages = pages_below("docs");
    pages.retain(|page| !page.starts_with("docs/internals/"));
    let mut named = 0;
    for page in pages {
        let text = prose(&text(&page));
        let is_name = |word: &str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let spans = text.split('`').skip(1).step_by(2).filter_map(|span| span.split_once("::"));
        let claims = spans.filter(|(file, test)| is_name(file) && is_name(test));
        // An address such as `fe80::1` is no test.
        for (file, test) in claims.filter(|(_, test)| test.contains('_')) {
            assert!(
                sources(file).contains(&format!("fn {test}(")),
                "{page}: {file}::{test} does not exist"
            );
            named += 1;
        }
    }
    assert!(named >= 150, "{named}");
}

/// Returns the text of a page without its blocks of code.
fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// Returns the targets of the links of a page that lead to files of this repository.
fn local_links(page: &str) -> Vec<String> {
    let text = prose(page);
    let links = text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap());
    links.filter(|link| !link.contains("://")).map(str::to_owned).collect()
}

/// Returns the anchors of the headings of a page, as GitHub and mdBook compute them.
fn anchors(page: &str) -> BTreeSet<String> {
    let prose = prose(page);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// Returns the file that a link leads to, as a path from the root.
fn target(page: &str, link: &str) -> String {
    let directory = Path::new(page).parent().unwrap();
    let mut path = PathBuf::new();
    for part in directory.join(link).components() {
        match part {
            Component::ParentDir => assert!(path.pop(), "{page}: {link}"),
            part => path.push(part),
        }
    }
    path.to_str().unwrap().replace('\\', "/")
}

/// Every link from a page to a file or a heading has a target.
#[test]
fn links_within_the_documentation_lead_somewhere() {
    let mut pages: Vec<String> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .collect();
    pages.extend(["docs", "examples", "crates"].into_iter().flat_map(pages_below));
    let mut dead = Vec::new();
    for page in &pages {
        for link in local_links(&text(page)) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { target(page, path) };
            let leads = root().join(&target).exists()
                && (anchor.is_empty() || anchors(&text(&target)).contains(anchor));
            if !leads {
                dead.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(pages.len() >= 40, "{}", pages.len());
    assert!(dead.is_empty(), "these links lead nowhere:\n{}", dead.join("\n"));
}

/// The summary of the book has every page in `docs/` once, so that mdBook builds all of them.
#[test]
fn every_page_is_in_the_summary() {
    let linked = local_links(&text("docs/SUMMARY.md"));
    let mut linked: Vec<String> = linked.iter().map(|link| format!("docs/{link}")).collect();
    let mut pages = pages_below("docs");
    pages.retain(|page| page != "docs/SUMMARY.md");
    linked.sort();
    pages.sort();
    assert_eq!(linked, pages);
}

/// The pages for contributors name files that exist, and every module of the crate.
#[test]
fn the_pages_for_contributors_name_what_exists() {
    let root = root();
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
