//! A reader of the crate's source for tests: its files, their `use` trees, and the paths that they
//! name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A source file.
pub(super) struct File {
    /// Below `src` of its package, and for a package that is one module of the others below its
    /// name. No module is in two packages, so these paths differ.
    pub(super) path: String,
    /// Path of the file.
    pub(super) place: PathBuf,
    pub(super) module: String,
    /// The code without the unit tests at the end. Its paths are those that other packages use:
    /// `crate::model`, `crate::sandbox`.
    pub(super) code: String,
    pub(super) lines: usize,
}

/// Packages that are one module of the others.
const MODULES: [&str; 3] = ["expression", "sandbox", "seclang"];

/// Returns every source file of all packages. The `lib.rs` of a package of `MODULES` is the module
/// of this name, that of the model is `model`.
pub(super) fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = below(&root.join("src"));
    files.extend(model(root));
    files.extend(MODULES.into_iter().flat_map(|name| package(root, name)));
    for file in &mut files {
        file.code = file.code.replace("zonewright_expression", "crate::expression");
        file.code = outside_the_model(&file.code.replace("zonewright_model::", "crate::model::"));
    }
    files
}

/// Modules of the model's package that are not part of `crate::model` elsewhere.
const BESIDE_THE_MODEL: [&str; 2] = ["diagnostic", "diff"];

/// Returns the paths of [`BESIDE_THE_MODEL`] as other packages use them.
fn outside_the_model(code: &str) -> String {
    BESIDE_THE_MODEL.into_iter().fold(code.to_owned(), |code, module| {
        code.replace(&format!("crate::model::{module}"), &format!("crate::{module}"))
    })
}

/// Returns every source file of the model's package.
fn model(root: &Path) -> impl Iterator<Item = File> {
    below(&root.join("crates/model/src")).into_iter().map(|file| {
        let code = outside_the_model(&file.code.replace("crate::", "crate::model::"));
        if BESIDE_THE_MODEL.contains(&file.module.as_str()) {
            return File { code, ..file };
        }
        let path = format!("model/{}", file.path);
        File { path, module: "model".to_owned(), code, ..file }
    })
}

/// Returns every source file of a package that is one module of the others.
fn package(root: &Path, name: &'static str) -> impl Iterator<Item = File> {
    let within = format!("crate::{name}::");
    below(&root.join("crates").join(name).join("src")).into_iter().map(move |file| File {
        path: format!("{name}/{}", file.path),
        module: name.to_owned(),
        code: file.code.replace("crate::", &within),
        ..file
    })
}

/// Returns every source file below a directory.
fn below(root: &Path) -> Vec<File> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let file = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let relative = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        let module =
            relative.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned();
        let lines = text.lines().count();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
        File { path: relative, place: path, module, code, lines }
    };
    paths.into_iter().map(file).collect()
}

/// Returns the code without comments.
pub(super) fn without_comments(code: &str) -> String {
    code.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Returns the path of the module that a file is.
pub(super) fn module_of(file: &File) -> Vec<String> {
    let mut segments: Vec<String> =
        file.path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if segments.last().is_some_and(|last| last == "mod" || last == "lib") {
        segments.pop();
    }
    segments
}

/// Returns the paths of a `use` tree, each with the name that it gets.
pub(super) fn expand(tree: &str) -> Vec<(String, String)> {
    let tree = tree.trim();
    let Some((prefix, rest)) = tree.split_once('{') else {
        let (path, name) =
            tree.split_once(" as ").unwrap_or((tree, tree.rsplit("::").next().unwrap_or_default()));
        return vec![(path.trim().to_owned(), name.trim().to_owned())];
    };
    let inner = &rest[..rest.rfind('}').unwrap_or(rest.len())];
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(expand).map(|(path, name)| (format!("{prefix}{path}"), name)).collect()
}

/// Returns a file's `use` trees, each with true if it is a re-export, and the other code of the
/// file.
pub(super) fn split(code: &str) -> (Vec<(bool, String)>, String) {
    let mut code = without_comments(code.split("\nmod tests {").next().unwrap_or_default());
    while let Some(start) = code.find("pub(in ") {
        let end = start + code[start..].find(')').unwrap_or(0);
        code.replace_range(start..=end, "pub(super)");
    }
    let (mut uses, mut rest, mut open) = (Vec::new(), String::new(), None::<String>);
    for line in code.lines() {
        if let Some(tree) = &mut open {
            tree.push_str(line.trim());
        } else {
            let text = line.trim_start();
            let text = text
                .strip_prefix("pub(super) ")
                .or_else(|| text.strip_prefix("pub(crate) "))
                .unwrap_or(text);
            let item = text.strip_prefix("pub ").unwrap_or(text);
            if item.starts_with("use ") {
                open = Some(line.trim().to_owned());
            } else if !(item.starts_with("mod ") && item.ends_with(';')) {
                rest.push_str(line);
                rest.push('\n');
            }
        }
        if let Some(tree) = open.take_if(|tree| tree.ends_with(';')) {
            let at = tree.find("use ").unwrap_or(0);
            uses.push((tree.starts_with("pub"), tree[at + 4..].trim_end_matches(';').to_owned()));
        }
    }
    (uses, rest)
}

/// Returns what a path means in a module, as a path from the root of the crate; `None` if it leads
/// elsewhere.
pub(super) fn absolute(
    path: &str,
    module: &[String],
    modules: &BTreeMap<Vec<String>, usize>,
) -> Option<Vec<String>> {
    let mut segments: Vec<&str> =
        path.split("::").map(str::trim).filter(|s| !s.is_empty() && *s != "self").collect();
    let mut base = module.to_vec();
    match *segments.first()? {
        "crate" => {
            segments.remove(0);
            base.clear();
        }
        "super" => {}
        first if modules.contains_key(&[module, &[first.to_owned()]].concat()) => {}
        _ if path.starts_with("self::") => {}
        _ => return None,
    }
    while segments.first() == Some(&"super") {
        segments.remove(0);
        base.pop()?;
    }
    base.extend(segments.into_iter().map(str::to_owned));
    Some(base)
}

/// Returns the modules of the crate, with the numbers of their files.
pub(super) fn modules(files: &[File]) -> BTreeMap<Vec<String>, usize> {
    files.iter().enumerate().map(|(n, file)| (module_of(file), n)).collect()
}

/// Returns the paths of the crate that a file names, from its root, by `crate`, by `super` or by a
/// module below it.
pub(super) fn named(file: &File, modules: &BTreeMap<Vec<String>, usize>) -> Vec<String> {
    let module = module_of(file);
    let (uses, rest) = split(&file.code);
    let trees = uses.iter().flat_map(|(_, tree)| expand(tree)).map(|(path, _)| path);
    let words = rest.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let paths = trees.chain(words.filter(|word| word.contains("::")).map(str::to_owned));
    paths.filter_map(|path| absolute(&path, &module, modules)).map(|path| path.join("::")).collect()
}
