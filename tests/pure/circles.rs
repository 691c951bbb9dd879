//! No file of the crate depends on itself through others.
//!
//! A file uses another if it names something that is defined there, through any re-exports. A `pub
//! use` alone does not count: a `mod.rs` that lists its files may be used by them.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{File, absolute, expand, files, module_of, modules, split};

/// Returns which files each file uses, by their numbers.
fn graph(files: &[File]) -> Vec<BTreeSet<usize>> {
    let modules = modules(files);
    let mut names: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    let mut used: Vec<Vec<Vec<String>>> = vec![Vec::new(); files.len()];
    for (n, file) in files.iter().enumerate() {
        let module = module_of(file);
        let (uses, rest) = split(&file.code);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let words: BTreeSet<&str> = rest.split(|c| !is_word(c)).collect();
        for (is_export, (path, name)) in
            uses.iter().flat_map(|(e, tree)| expand(tree).into_iter().map(move |p| (*e, p)))
        {
            let Some(target) = absolute(&path, &module, &modules) else { continue };
            let name =
                if name == "self" { target.last().cloned().unwrap_or_default() } else { name };
            if !is_export || words.contains(name.as_str()) {
                used[n].push(target.clone());
            }
            names.entry([module.as_slice(), &[name]].concat()).or_insert(target);
        }
        let paths = rest.split(|c| !is_word(c) && c != ':').filter(|path| path.contains("::"));
        used[n].extend(paths.filter_map(|path| absolute(path, &module, &modules)));
    }
    let defined_in = |path: &Vec<String>| {
        let mut path = path.clone();
        // A name passes only a few re-exports; the limit is for re-exports that lead to themselves.
        for _ in 0..8 {
            let known = (1..=path.len())
                .rev()
                .find(|n| names.contains_key(&path[..*n]) && !modules.contains_key(&path[..*n]));
            let Some(known) = known else { break };
            path = [names[&path[..known]].as_slice(), &path[known..]].concat();
        }
        (0..=path.len()).rev().find_map(|n| modules.get(&path[..n]).copied())
    };
    let is_root = |n: &usize| matches!(files[*n].path.as_str(), "lib.rs" | "main.rs");
    let of = |(n, paths): (usize, &Vec<Vec<String>>)| {
        paths.iter().filter_map(&defined_in).filter(|to| *to != n && !is_root(to)).collect()
    };
    used.iter().enumerate().map(of).collect()
}

/// Returns files that reach each other, in groups.
fn circles(graph: &[BTreeSet<usize>]) -> BTreeSet<BTreeSet<usize>> {
    let reached = |from: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(n) = open.pop() {
            open.extend(graph[n].iter().filter(|to| seen.insert(**to)));
        }
        seen
    };
    let all: Vec<BTreeSet<usize>> = (0..graph.len()).map(reached).collect();
    let circle = |n: usize| all[n].iter().copied().filter(|m| all[*m].contains(&n)).collect();
    (0..graph.len()).filter(|n| all[*n].contains(n)).map(circle).collect()
}

#[test]
fn files_use_each_other_one_way() {
    let files = files();
    let graph = graph(&files);
    let found: Vec<Vec<&str>> = circles(&graph)
        .iter()
        .map(|circle| circle.iter().map(|n| files[*n].path.as_str()).collect())
        .collect();
    assert!(
        found.is_empty(),
        "files that use each other; move what both need to a file of its own: {found:#?}"
    );
}

#[test]
fn the_check_can_fail() {
    let file = |path: &str, code: &str| File {
        path: path.to_owned(),
        place: path.into(),
        module: "a".to_owned(),
        code: code.to_owned(),
        lines: 1,
    };
    let files = [
        file("a/mod.rs", "mod b;\nmod c;\npub use b::B;\npub use c::{C,\n    D};\n"),
        file("a/b.rs", "use super::{C};\npub struct B(C);\n"),
        file("a/c.rs", "// super::B\npub(in crate::a) struct C;\nfn d() { super::b::make() }\n"),
    ];
    assert_eq!(circles(&graph(&files)), BTreeSet::from([BTreeSet::from([1, 2])]));
    let one_way = [
        file("a/mod.rs", "mod b;\npub use b::B;\n"),
        file("a/b.rs", "pub struct B;\n"),
        file("a/c.rs", "use super::B;\n"),
    ];
    assert!(circles(&graph(&one_way)).is_empty());
    assert_eq!(expand("x::{self, y::{A as B, C}}").len(), 3);
}
