//! No circles among files: what a file uses must not use it in turn, not even by way of others.
//!
//! Read from `use` lines and from paths in the code. What a module hands on with `pub use` counts as a use of the file that has
//! it, and handing on counts as no use. Two files may need each other where they are one thing on two pages; those pairs are
//! listed with their reasons, and a pair that is no circle any more has to leave the list.

use std::collections::{BTreeMap, BTreeSet};

use super::architecture::{File, files, without_comments};

/// Files that may use each other, and why.
const ALLOWED: &[(&[&str], &str)] = &[];

/// Where something is: the names on the way to it from the root of the crate.
type Path = Vec<String>;

/// A source file by what it uses.
#[derive(Default)]
struct Module {
    file: String,
    /// Paths of what it uses.
    uses: Vec<Path>,
    /// What it hands on under a name of its own.
    exports: BTreeMap<String, Path>,
}

/// The modules of the crate by their paths.
struct Crate(BTreeMap<Path, Module>);

impl Crate {
    /// Reads the sources of a crate.
    fn read(files: &[File]) -> Self {
        let path = |file: &File| -> Path {
            let name = file.path.trim_end_matches(".rs").trim_end_matches("/mod");
            if name == "lib" { Vec::new() } else { name.split('/').map(str::to_owned).collect() }
        };
        let library: Vec<_> = files.iter().filter(|file| file.path != "main.rs").collect();
        let known: BTreeSet<Path> = library.iter().map(|file| path(file)).collect();
        let one = |file: &&File| (path(file), module(file, &path(file), &known));
        Self(library.iter().map(one).collect())
    }

    /// The file that has what a path leads to, whoever hands it on.
    fn file_of(&self, path: &[String]) -> Option<&str> {
        let (found, rest) = (0..=path.len()).rev().find_map(|n| Some((self.0.get(&path[..n])?, &path[n..])))?;
        match rest.split_first().and_then(|(name, rest)| Some((found.exports.get(name)?, rest))) {
            Some((target, rest)) => self.file_of(&[target.as_slice(), rest].concat()),
            None => Some(&found.file),
        }
    }

    /// Which files each file uses.
    fn arrows(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let used = |module: &'_ Module| -> BTreeSet<&str> {
            let files = module.uses.iter().filter_map(|path| self.file_of(path));
            files.filter(|file| *file != module.file).collect()
        };
        self.0.values().map(|module| (module.file.as_str(), used(module))).collect()
    }
}

/// What a file uses and hands on.
fn module(file: &File, own: &[String], known: &BTreeSet<Path>) -> Module {
    let code = without_comments(&file.code);
    let mut module = Module { file: file.path.clone(), ..Module::default() };
    let mut rest = String::new();
    let mut statement: Option<(bool, String)> = None;
    for line in code.lines() {
        let begun = line.trim_start();
        let is_public = begun.starts_with("pub ") || begun.starts_with("pub(");
        let after =
            if is_public { begun.split_once("use ").map(|(_, after)| after) } else { begun.strip_prefix("use ") };
        match (&mut statement, after) {
            (Some((_, text)), _) => text.push_str(begun),
            (None, Some(after)) if !is_public || begun.split("use ").next().is_some_and(is_visibility) => {
                statement = Some((is_public, after.to_owned()));
            }
            (None, _) => {
                rest.push_str(line);
                rest.push('\n');
            }
        }
        if let Some((is_public, text)) = statement.take_if(|(_, text)| text.ends_with(';')) {
            for (path, name) in opened("", text.trim_end_matches(';')) {
                let Some(path) = absolute(&path, own, known) else { continue };
                if is_public {
                    module.exports.insert(name, path.clone());
                }
                if !is_public || !path.starts_with(own) {
                    module.uses.push(path);
                }
            }
        }
    }
    module.uses.extend(paths_in(&rest).into_iter().filter_map(|path| absolute(&path, own, known)));
    module
}

/// Whether a text is the visibility of an item and nothing else.
fn is_visibility(text: &str) -> bool {
    let text = text.trim();
    text == "pub" || (text.starts_with("pub(") && text.ends_with(')'))
}

/// The paths of a `use`, groups opened, with the names under which they are used.
fn opened(prefix: &str, text: &str) -> Vec<(Path, String)> {
    let text = text.trim();
    if let Some((head, group)) = text.split_once('{') {
        let inner = group.strip_suffix('}').unwrap_or(group);
        let mut depth = 0;
        let parts = inner.split(|c: char| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        });
        return parts
            .filter(|part| !part.trim().is_empty())
            .flat_map(|p| opened(&format!("{prefix}{head}"), p))
            .collect();
    }
    let (path, name) = text.split_once(" as ").map_or((text, None), |(path, name)| (path, Some(name)));
    let whole = format!("{prefix}{path}");
    let mut path: Path = whole.split("::").map(|part| part.trim().to_owned()).collect();
    path.pop_if(|last| last == "self");
    let name = name.map_or_else(|| path.last().cloned().unwrap_or_default(), |name| name.trim().to_owned());
    vec![(path, name)]
}

/// A path from the root of the crate; `None` if it leads out of the crate.
fn absolute(path: &[String], own: &[String], known: &BTreeSet<Path>) -> Option<Path> {
    let up = path.iter().take_while(|part| *part == "super").count();
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([own, &path[1..]].concat()),
        "super" => Some([&own[..own.len().checked_sub(up)?], &path[up..]].concat()),
        // A module below this one.
        first => {
            let child = [own, &[first.to_owned()]].concat();
            known.contains(&child).then(|| [own, path].concat())
        }
    }
}

/// The paths in code; what a visibility names is none.
fn paths_in(code: &str) -> Vec<Path> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let code = code.replace("(in crate", "(in_crate");
    let words = code.split(move |c: char| !part(c)).filter(|word| word.contains("::"));
    words.map(|word| word.trim_end_matches(':').split("::").map(str::to_owned).collect()).collect()
}

/// The sets of files that use each other, by way of others or not.
fn circles<'c>(arrows: &BTreeMap<&'c str, BTreeSet<&'c str>>) -> Vec<BTreeSet<&'c str>> {
    let reached = |from: &'c str| -> BTreeSet<&'c str> {
        let mut found = BTreeSet::new();
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            let next = arrows.get(file).into_iter().flatten().copied();
            open.extend(next.filter(|file| found.insert(*file)));
        }
        found
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> = arrows.keys().map(|file| (*file, reached(file))).collect();
    let both = |file: &'c str| -> BTreeSet<&'c str> {
        reach[file].iter().copied().filter(|other| reach.get(other).is_some_and(|r| r.contains(file))).collect()
    };
    let all: BTreeSet<BTreeSet<&str>> = arrows.keys().map(|file| both(file)).filter(|set| !set.is_empty()).collect();
    all.into_iter().collect()
}

#[test]
fn files_use_each_other_in_one_direction() {
    let files = files();
    let whole = Crate::read(&files);
    let arrows = whole.arrows();
    let found = circles(&arrows);
    let allowed: Vec<BTreeSet<&str>> = ALLOWED.iter().map(|(files, _)| files.iter().copied().collect()).collect();
    let mut wrong = Vec::new();
    for circle in found.iter().filter(|circle| !allowed.contains(circle)) {
        let inner = |file: &&str| {
            let used: Vec<_> = arrows[file].intersection(circle).copied().collect();
            format!("    {file} uses {}", used.join(", "))
        };
        wrong.push(format!(
            "a circle of {} files:\n{}",
            circle.len(),
            circle.iter().map(inner).collect::<Vec<_>>().join("\n")
        ));
    }
    for (files, _) in ALLOWED.iter().filter(|(files, _)| !found.contains(&files.iter().copied().collect())) {
        wrong.push(format!("no circle any more, so not to be listed: {}", files.join(", ")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn circles_are_seen() {
    let file =
        |path: &str, code: &str| File { path: path.to_owned(), room: String::new(), code: code.to_owned(), lines: 1 };
    let files = [
        file("lib.rs", "pub mod a;"),
        file("a/mod.rs", "mod x;\nmod y;\nmod z;\npub use x::X;\npub(crate) use {y::Y as Why, z::{Z, ZZ}};"),
        file("a/x.rs", "use crate::a::Why;\npub struct X;"),
        file("a/y.rs", "fn f() -> super::ZZ {}\nfn g() { super::Z::new() }\npub(in crate::a) struct Y;"),
        file("a/z.rs", "use super::{\n    X,\n};\n// use super::Why;\npub struct Z;"),
        file("b.rs", "use crate::a::X;"),
    ];
    let whole = Crate::read(&files);
    let arrows = whole.arrows();
    assert_eq!(arrows["a/mod.rs"], BTreeSet::new(), "handing on is no use");
    assert_eq!(arrows["a/x.rs"], BTreeSet::from(["a/y.rs"]));
    assert_eq!(circles(&arrows), [BTreeSet::from(["a/x.rs", "a/y.rs", "a/z.rs"])]);
}
