//! Searches directories: the files that a directory or a glob of a spec names. It stays in the tree
//! and takes bounded time.
//!
//! Links to directories are followed only within the tree. Links that lead to each other can make a
//! small tree endless, so links have a limit of their own in addition to the limit for all entries.

use std::path::{Component, Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::limits::{MOST_ENTRIES, MOST_LINKS};

/// The numbers of entries and links that may still be visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Budget {
    entries: usize,
    links: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { entries: MOST_ENTRIES, links: MOST_LINKS }
    }
}

/// A result of a search.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A directory that a glob names.
    Directory(PathBuf),
    /// A file, or anything else that is not a directory.
    File(PathBuf),
    /// A link to a directory outside the tree.
    LeadsOut(PathBuf),
    /// A link to a directory that contains it: the link, and the directory.
    Loop(PathBuf, PathBuf),
    /// An entry that cannot be read, with the reason.
    Unreadable(PathBuf, String),
    /// A limit was reached.
    TooMuch,
}

/// Returns everything below a directory except hidden entries, sorted by name.
pub(super) fn below(directory: &Path, root: &Path, budget: &mut Budget) -> Vec<Found> {
    let entries = search(directory, usize::MAX, root, false, budget, |_| true);
    entries.into_iter().filter(|found| !matches!(found, Found::Directory(_))).collect()
}

/// Returns the entries that a glob matches, sorted by name. The pattern is relative to a directory
/// and has no `..` after a wildcard.
///
/// # Errors
/// Fails if the pattern is invalid.
pub(super) fn matches(
    directory: &Path,
    pattern: &str,
    root: &Path,
    budget: &mut Budget,
) -> Result<Vec<Found>, glob::PatternError> {
    // The search begins at the part before the first wildcard.
    let components: Vec<Component> =
        Path::new(pattern).components().filter(|c| *c != Component::CurDir).collect();
    let is_wild = |c: &Component| c.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    let first = components.iter().position(is_wild).unwrap_or(components.len());
    let base: PathBuf = std::iter::once(directory.as_os_str())
        .chain(components[..first].iter().map(|c| c.as_os_str()))
        .collect();
    let wild: Vec<_> =
        components[first..].iter().map(|c| c.as_os_str().to_string_lossy()).collect();
    let pattern_below = glob::Pattern::new(&wild.join("/"))?;
    let depth = if wild.iter().any(|part| part == "**") { usize::MAX } else { wild.len() };
    let options = glob::MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    let start = if base.as_os_str().is_empty() { Path::new(".") } else { base.as_path() };
    if !start.is_dir() {
        return Ok(Vec::new());
    }
    let names_hidden = wild.iter().any(|part| part.starts_with('.'));
    let is_wanted = |path: &Path| {
        path.strip_prefix(start).is_ok_and(|rest| {
            !rest.as_os_str().is_empty() && pattern_below.matches_path_with(rest, options)
        })
    };
    let mut results = search(start, depth, root, names_hidden, budget, is_wanted);
    if pattern.ends_with('/') {
        results.retain(|result| !matches!(result, Found::File(_)));
    }
    // A path is shown as written, without a leading `.`.
    let plain = |path: PathBuf| {
        if start == base {
            path
        } else {
            path.strip_prefix(start).map(Path::to_owned).unwrap_or(path)
        }
    };
    Ok(results
        .into_iter()
        .map(|result| match result {
            Found::Directory(path) => Found::Directory(plain(path)),
            Found::File(path) => Found::File(plain(path)),
            other => other,
        })
        .collect())
}

/// Searches a directory down to the given depth.
fn search(
    directory: &Path,
    depth: usize,
    root: &Path,
    with_hidden: bool,
    budget: &mut Budget,
    is_wanted: impl Fn(&Path) -> bool,
) -> Vec<Found> {
    let mut results = Vec::new();
    let mut walk =
        WalkDir::new(directory).max_depth(depth).follow_links(true).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let Some(left) = budget.entries.checked_sub(1) else {
            results.push(Found::TooMuch);
            break;
        };
        budget.entries = left;
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                results.extend(failure(&error, directory).filter(|found| match found {
                    // A loop is reported only if the search asked for this path.
                    Found::Loop(path, _) => is_wanted(path),
                    _ => true,
                }));
                continue;
            }
        };
        let is_directory = entry.file_type().is_dir();
        if entry.depth() > 0 && !with_hidden && is_hidden(&entry) {
            if is_directory {
                walk.skip_current_dir();
            }
            continue;
        }
        let path = entry.path();
        if is_directory && entry.path_is_symlink() {
            let leads_out = !path.canonicalize().is_ok_and(|target| target.starts_with(root));
            if leads_out {
                if entry.depth() < depth || is_wanted(path) {
                    results.push(Found::LeadsOut(path.to_owned()));
                }
                walk.skip_current_dir();
                continue;
            }
            let Some(left) = budget.links.checked_sub(1) else {
                results.push(Found::TooMuch);
                break;
            };
            budget.links = left;
        }
        if is_wanted(path) {
            results.push(if is_directory {
                Found::Directory(path.to_owned())
            } else {
                Found::File(path.to_owned())
            });
        }
    }
    results
}

/// Converts an error about an entry to a result of the search.
fn failure(error: &walkdir::Error, directory: &Path) -> Option<Found> {
    let path = error.path().unwrap_or(directory).to_owned();
    Some(match error.loop_ancestor() {
        Some(ancestor) => Found::Loop(path, ancestor.to_owned()),
        None => Found::Unreadable(
            path,
            error.io_error().map_or_else(|| error.to_string(), ToString::to_string),
        ),
    })
}

/// Returns true if the name of an entry begins with a dot.
fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A tree with such files.
    fn tree(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for file in files {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), "").unwrap();
        }
        (directory, root)
    }

    #[test]
    fn a_glob_names_what_it_always_did() {
        let (_directory, root) = tree(&[
            "a.yaml",
            "b.yml",
            ".h.yaml",
            "z/c.yaml",
            "z/.h/d.yaml",
            "z/deep/e.yaml",
            "z/f",
            "x[1]/g.yaml",
        ]);
        for (pattern, expected) in [
            ("*.yaml", &["a.yaml"][..]),
            ("./*.yaml", &["a.yaml"]),
            ("*", &["a.yaml", "b.yml", "x[1]/", "z/"]),
            (".*", &[".h.yaml"]),
            ("z/*", &["z/c.yaml", "z/deep/", "z/f"]),
            ("z/./*.yaml", &["z/c.yaml"]),
            ("z/*/", &["z/deep/"]),
            ("z/../*.yml", &["z/../b.yml"]),
            ("z/.h/*", &["z/.h/d.yaml"]),
            ("*/.h/*", &["z/.h/d.yaml"]),
            ("**/*.yaml", &["a.yaml", "x[1]/g.yaml", "z/c.yaml", "z/deep/e.yaml"]),
            ("z/**/e.yaml", &["z/deep/e.yaml"]),
            ("?/[cd]*", &["z/c.yaml", "z/deep/"]),
            ("x[[]1]/*", &["x[1]/g.yaml"]),
            ("nowhere/*", &[]),
        ] {
            let found = matches(&root, pattern, &root, &mut Budget::default()).unwrap();
            let relative = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
            let names: Vec<String> = found
                .iter()
                .map(|found| match found {
                    Found::File(path) => relative(path),
                    Found::Directory(path) => format!("{}/", relative(path)),
                    other => panic!("{pattern}: {other:?}"),
                })
                .collect();
            assert_eq!(names, expected, "{pattern}");
        }
        assert!(matches(&root, "***", &root, &mut Budget::default()).is_err());
    }

    #[test]
    fn there_is_an_end() {
        let (_directory, root) = tree(&["a/x.yaml", "b/y.yaml", "c.yaml"]);
        let found = below(&root, &root, &mut Budget { entries: 3, links: 1 });
        assert_eq!(found, [Found::File(root.join("a/x.yaml")), Found::TooMuch]);
        let mut budget = Budget { entries: 1_000, links: 1 };
        assert_eq!(matches(&root, "*/*.yaml", &root, &mut budget).unwrap().len(), 2);
        assert_eq!(budget, Budget { entries: 994, links: 1 });
    }
}
