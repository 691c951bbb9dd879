//! Loads the files of a spec. Only this module of `spec` reads the tree.
//!
//! Takes paths and the text of the standard input. Returns the texts (in [`Sources`]), their trees,
//! and the include relations. Directories are walked in order, `include:` is followed, and a file
//! that is reached twice is loaded once. Included paths stay below the given directory, so that a
//! change to a spec cannot make the program read other files.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::directory_search::{self, Budget, Found};
use super::limits::LARGEST_FILE;
use super::read_yaml::scan;
use super::yaml_tree::{Meaning, Tree};
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostic, Diagnostics, Place, SourceId, Sources, Span};

/// A source of a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file, or a directory with every `*.yaml` and `*.yml` below it except in hidden
    /// directories.
    Path(PathBuf),
    /// The text of the standard input.
    Stdin(String),
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) source: SourceId,
    /// Its tree; `None` if the file could not be parsed.
    pub(super) tree: Option<Tree>,
    /// The files that include it, each with the place of the `include` item.
    pub(super) includers: Vec<(usize, Place)>,
    /// True if it was named on the command line, and not found in a directory or by an include.
    pub(super) named: bool,
}

/// The origin of a loaded file, for its includes.
struct Origin {
    /// The base of relative paths, as given.
    directory: PathBuf,
    /// The directory that included paths must stay below, without symbolic links; `None` for the
    /// standard input.
    root: Option<PathBuf>,
}

/// Reads every input and everything that it includes. A file that `texts` has is read from there.
pub(super) fn load(
    inputs: &[Input],
    texts: &BTreeMap<String, String>,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Vec<Loaded> {
    let mut loader = Loader {
        texts,
        sources,
        diagnostics,
        files: Vec::new(),
        origins: Vec::new(),
        known: HashMap::new(),
        next: 0,
        budget: Budget::default(),
    };
    for input in inputs {
        match input {
            Input::Path(path) => loader.given(path),
            Input::Stdin(text) => loader.standard_input(text),
        }
    }
    while loader.next < loader.files.len() {
        let file = loader.next;
        loader.next += 1;
        loader.includes(file);
    }
    loader.files
}

struct Loader<'a> {
    /// Texts in place of files, by name.
    texts: &'a BTreeMap<String, String>,
    sources: &'a mut Sources,
    diagnostics: &'a mut Diagnostics,
    files: Vec<Loaded>,
    /// Parallel to `files`.
    origins: Vec<Origin>,
    /// Files by path without symbolic links; `None` for those that could not be read.
    known: HashMap<PathBuf, Option<usize>>,
    /// The next file whose includes will be followed.
    next: usize,
    /// The remaining limits of the search.
    budget: Budget,
}

/// A reference to a file.
#[derive(Clone, Copy)]
struct Reference {
    /// The including file and the place of the item; `None` for an input.
    includer: Option<(usize, Place)>,
    /// True if the path itself was named, and not found by a walk or a glob.
    named: bool,
}

impl Loader<'_> {
    /// Loads a path of the command line.
    fn given(&mut self, path: &Path) {
        let reference = Reference { includer: None, named: true };
        match fs::metadata(path) {
            Err(error) => self.unreadable(path, &error.to_string(), reference),
            Ok(metadata) if metadata.is_dir() => match path.canonicalize() {
                Ok(root) => self.walk(path, &root, reference),
                Err(error) => self.unreadable(path, &error.to_string(), reference),
            },
            Ok(_) => {
                let root = path.canonicalize().ok().and_then(|p| p.parent().map(Path::to_owned));
                self.file(path, root, reference);
            }
        }
    }

    fn standard_input(&mut self, text: &str) {
        let source = self.sources.add("<stdin>", text);
        let tree =
            if text.len() as u64 > LARGEST_FILE {
                self.diagnostics.push(too_large(findings::TOO_LARGE.nowhere(format!(
                    "the standard input has more than {} MiB",
                    LARGEST_FILE >> 20
                ))));
                None
            } else {
                self.parse(source)
            };
        self.files.push(Loaded { source, tree, includers: Vec::new(), named: true });
        self.origins.push(Origin { directory: PathBuf::new(), root: None });
    }

    /// Loads every YAML file below a directory, sorted by name, without hidden files and
    /// directories.
    fn walk(&mut self, directory: &Path, root: &Path, reference: Reference) {
        let mut count = 0;
        for found in directory_search::below(directory, root, &mut self.budget) {
            if !matches!(&found, Found::File(path) if !is_yaml(path)) {
                count += 1;
                self.found(found, root, Reference { named: false, ..reference });
            }
        }
        if count == 0 {
            let detail = format!("no `*.yaml` or `*.yml` is below `{}`", path_shown(directory));
            let diagnostic = self.place(findings::NOTHING.nowhere(detail), reference);
            self.diagnostics.push(diagnostic.help("name a directory with spec files, or a file"));
        }
    }

    /// Handles a result of a search.
    fn found(&mut self, found: Found, root: &Path, reference: Reference) {
        match found {
            Found::File(path) => self.file(&path, Some(root.to_owned()), reference),
            Found::Directory(path) => self.walk(&path, root, reference),
            Found::LeadsOut(path) => self.outside(&path, reference),
            Found::Loop(path, ancestor) => {
                let detail =
                    format!("`{}` leads back to `{}`", path_shown(&path), path_shown(&ancestor));
                let diagnostic = self.place(findings::DIRECTORY_LOOP.nowhere(detail), reference);
                self.diagnostics.push(
                    diagnostic.help("remove the symbolic link, or name the files one by one"),
                );
            }
            Found::Unreadable(path, reason) => self.unreadable(&path, &reason, reference),
            Found::TooMuch => {
                let detail =
                    "the directories of the spec contain too many files, directories or links";
                let diagnostic =
                    self.place(findings::TOO_MUCH_TO_SEARCH.nowhere(detail), reference);
                self.diagnostics.push(
                    diagnostic
                        .help("name the files one by one, or a directory with nothing else in it"),
                );
            }
        }
    }

    /// Reports a path that leads out of the tree.
    fn outside(&mut self, path: &Path, reference: Reference) {
        let detail = format!("`{}` is outside the directory that was given", path_shown(path));
        let diagnostic = self.place(findings::INCLUDE_REFUSED.nowhere(detail), reference);
        self.diagnostics
            .push(diagnostic.help("move the file below it, or give its path on the command line"));
    }

    /// Loads a file if it is not loaded.
    fn file(&mut self, path: &Path, root: Option<PathBuf>, reference: Reference) {
        let canonical = match path.canonicalize() {
            Ok(canonical) => canonical,
            Err(error) => return self.unreadable(path, &error.to_string(), reference),
        };
        // The user may name any file on the command line; all other files must stay below it.
        let is_given = reference.includer.is_none() && reference.named;
        if !is_given && !root.as_ref().is_some_and(|r| canonical.starts_with(r)) {
            return self.outside(path, reference);
        }
        match self.known.get(&canonical) {
            Some(Some(file)) => {
                let file = *file;
                self.include(file, reference);
            }
            Some(None) => {}
            None => {
                let text = self.read(path, is_given, reference);
                let Some(source) = text else {
                    self.known.insert(canonical, None);
                    return;
                };
                let tree = source.1.then(|| self.parse(source.0)).flatten();
                self.known.insert(canonical, Some(self.files.len()));
                self.files.push(Loaded {
                    source: source.0,
                    tree,
                    includers: Vec::new(),
                    named: is_given,
                });
                let directory = path.parent().map(Path::to_owned).unwrap_or_default();
                self.origins.push(Origin { directory, root });
                self.include(self.files.len() - 1, reference);
            }
        }
    }

    /// Records who included a file.
    fn include(&mut self, file: usize, reference: Reference) {
        match reference.includer {
            Some((includer, place)) => {
                let includers = &mut self.files[file].includers;
                // All includes of one file are followed together, so an includer that is known is
                // the last one.
                if includer != file && includers.last().is_none_or(|(last, _)| *last != includer) {
                    includers.push((includer, place));
                }
            }
            None => self.files[file].named |= reference.named,
        }
    }

    /// Reads the text of a file. Returns it with whether it is valid UTF-8.
    fn read(
        &mut self,
        path: &Path,
        is_given: bool,
        reference: Reference,
    ) -> Option<(SourceId, bool)> {
        if let Some(text) = self.texts.get(&path_shown(path)) {
            return Some((self.sources.add(path_shown(path), text.as_str()), true));
        }
        let bytes = match read_file(path, is_given) {
            Ok(bytes) => bytes,
            Err(ReadFailure::TooLarge) => {
                let detail =
                    format!("`{}` has more than {} MiB", path_shown(path), LARGEST_FILE >> 20);
                let diagnostic = self.place(findings::TOO_LARGE.nowhere(detail), reference);
                self.diagnostics.push(too_large(diagnostic));
                return None;
            }
            Err(ReadFailure::Other(reason)) => {
                self.unreadable(path, &reason, reference);
                return None;
            }
        };
        match String::from_utf8(bytes) {
            Ok(text) => Some((self.sources.add(path_shown(path), text), true)),
            Err(error) => {
                let (at, bytes) = (error.utf8_error().valid_up_to(), error.into_bytes());
                let byte = bytes.get(at).copied().unwrap_or_default();
                let source = self.sources.add(path_shown(path), String::from_utf8_lossy(&bytes));
                let is_utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
                let detail = if is_utf16 {
                    "the file is UTF-16".to_owned()
                } else {
                    format!("the byte 0x{byte:02x} is not UTF-8")
                };
                let place = Place { source, span: Span::new(at, at + '\u{fffd}'.len_utf8()) };
                self.diagnostics
                    .push(findings::NOT_TEXT.at(place, detail).help("save the file as UTF-8"));
                Some((source, false))
            }
        }
    }

    /// Returns the tree of a file if its version is supported.
    fn parse(&mut self, source: SourceId) -> Option<Tree> {
        let text = self.sources.get(source).map(crate::diagnostic::Source::text)?;
        parse(text, source, self.diagnostics)
    }

    /// Follows the `include` of a file.
    fn includes(&mut self, file: usize) {
        let Some(tree) = &self.files[file].tree else { return };
        let Some(include) = tree.entry(tree.root, "include") else { return };
        // The shape check reports items that are not text.
        let items: Vec<_> = tree
            .items(include.value)
            .iter()
            .filter(|i| tree.meaning(**i) == Some(Meaning::Text))
            .map(|i| (tree.text(*i).to_owned(), tree.place(*i)))
            .collect();
        for (pattern, place) in items {
            if let Err(diagnostic) = self.expand(file, &pattern, place) {
                self.diagnostics.push(*diagnostic);
            }
        }
    }

    /// Loads the files that one item of `include` names.
    ///
    /// # Errors
    /// Fails if the item cannot be followed, or nothing matches it.
    fn expand(&mut self, file: usize, pattern: &str, place: Place) -> Result<(), Box<Diagnostic>> {
        let origin = &self.origins[file];
        let refuse = |detail: &str, help: &str| {
            Err(Box::new(findings::INCLUDE_REFUSED.at(place, detail).help(help)))
        };
        let Some(root) = origin.root.clone() else {
            return refuse(
                "a spec from standard input cannot include files, because its paths have no \
                directory to start from",
                "write the spec to a file, or give the other files on the command line",
            );
        };
        if !stays_below(&origin.directory, pattern, &root) {
            return refuse(
                "this leads out of the directory that was given",
                "include files below the directory of the spec; for others, give their paths on \
                the command line",
            );
        }
        let is_glob = pattern.contains(['*', '?', '[']);
        let including_file = self.sources.name(self.files[file].source).to_owned();
        let directory = origin.directory.clone();
        let results = if is_glob {
            directory_search::matches(&directory, pattern, &root, &mut self.budget).map_err(
                |error| {
                    Box::new(
                        findings::INCLUDE_REFUSED
                            .at(place, format!("`{pattern}` is not a pattern: {}", error.msg))
                            .help("write a path, or a glob such as zones/*.yaml"),
                    )
                },
            )?
        } else {
            let path = directory.join(pattern);
            match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                _ if path.is_dir() => vec![Found::Directory(path)],
                _ => vec![Found::File(path)],
            }
        };
        let reference = Reference { includer: Some((file, place)), named: !is_glob };
        let is_meant = |found: &Found| match found {
            Found::File(path) => path_shown(path) != including_file && (!is_glob || is_yaml(path)),
            _ => true,
        };
        let mut has_match = false;
        for one in results.into_iter().filter(is_meant) {
            has_match = true;
            self.found(one, &root, reference);
        }
        if has_match {
            return Ok(());
        }
        let detail = if is_glob {
            format!("no YAML file matches `{pattern}`")
        } else {
            format!("there is no file `{pattern}`")
        };
        Err(Box::new(
            findings::NOTHING
                .at(place, detail)
                .help("paths are relative to this file; remove the item if it is not needed"),
        ))
    }

    /// Reports a path that cannot be read.
    fn unreadable(&mut self, path: &Path, reason: &str, reference: Reference) {
        // The operating system's message ends with an error number, which does not help the reader.
        let reason = reason.split(" (os error").next().unwrap_or(reason).to_lowercase();
        let diagnostic = findings::UNREADABLE.nowhere(format!("`{}`: {reason}", path_shown(path)));
        let diagnostic = self.place(diagnostic, reference);
        self.diagnostics.push(diagnostic.help("check the path and its permissions"));
    }

    /// Adds the place of the `include` item, if the path was reached through one.
    fn place(&self, diagnostic: Diagnostic, reference: Reference) -> Diagnostic {
        match reference.includer {
            Some((_, place)) => diagnostic.at(place, ""),
            None => diagnostic,
        }
    }
}

enum ReadFailure {
    /// The file is larger than a spec can be.
    TooLarge,
    /// Another reason, as text.
    Other(String),
}

/// Returns the tree of a text if its version is supported.
pub(super) fn parse(text: &str, source: SourceId, diagnostics: &mut Diagnostics) -> Option<Tree> {
    if let Some(at) = text.find('\0') {
        let place = Place { source, span: Span::new(at, at + 1) };
        diagnostics.push(
            findings::NOT_TEXT
                .at(place, "there is a NUL byte here")
                .help("remove it; a spec is plain UTF-8 text"),
        );
        return None;
    }
    let tree = scan(text, source, diagnostics)?;
    let Some(version) = tree.entry(tree.root, "version") else {
        if matches!(tree.node(tree.root).kind, super::yaml_tree::Kind::Mapping(_)) {
            diagnostics.push(
                findings::VERSION
                    .at(
                        tree.handle(tree.root),
                        "the file does not say which version it is written for",
                    )
                    .help("begin the file with `version: 1`"),
            );
        }
        return Some(tree);
    };
    if tree.meaning(version.value) == Some(Meaning::Integer(1)) {
        return Some(tree);
    }
    let version_shown = super::clip(tree.text(version.value));
    diagnostics.push(
        findings::VERSION
            .at(
                tree.handle(version.value),
                format!("this program reads version 1, not `{version_shown}`"),
            )
            .help("write `version: 1`, or use a program that knows the version"),
    );
    None
}

/// Reads the bytes of a file, at most [`LARGEST_FILE`].
fn read_file(path: &Path, is_given: bool) -> Result<Vec<u8>, ReadFailure> {
    let failure = |e: std::io::Error| ReadFailure::Other(e.to_string());
    let metadata = fs::metadata(path).map_err(failure)?;
    if metadata.len() > LARGEST_FILE {
        return Err(ReadFailure::TooLarge);
    }
    // A pipe without a writer would block. A pipe on the command line (`<(generate)`) is intended.
    if !metadata.is_file() && !is_given {
        return Err(ReadFailure::Other("it is not a regular file".to_owned()));
    }
    // The full size is reserved, because a text that grows is copied each time.
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default() + 1);
    File::open(path)
        .and_then(|f| f.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
        .map_err(failure)?;
    if bytes.len() as u64 > LARGEST_FILE { Err(ReadFailure::TooLarge) } else { Ok(bytes) }
}

/// Adds the help for a file that is too large.
fn too_large(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.help("write one file for each zone")
}

/// Returns true if a path names a YAML file.
pub(super) fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "yaml" || e == "yml")
}

/// Returns a path as shown to the user.
fn path_shown(path: &Path) -> String {
    path.display().to_string()
}

/// Returns true if a pattern stays below a directory. This is decided before any search, because a
/// search for `/**` would never end.
fn stays_below(directory: &Path, pattern: &str, root: &Path) -> bool {
    let directory_or_dot =
        if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let Ok(mut at) = directory_or_dot.canonicalize() else { return false };
    let mut literal = true;
    for component in Path::new(pattern).components() {
        match component {
            Component::RootDir | Component::Prefix(_) => at = PathBuf::from("/"),
            Component::CurDir => {}
            Component::ParentDir if literal => {
                at.pop();
            }
            Component::ParentDir => return false,
            Component::Normal(part) => {
                literal &= !part.to_string_lossy().contains(['*', '?', '[']);
                if literal {
                    at.push(part);
                    at = at.canonicalize().unwrap_or(at);
                }
            }
        }
    }
    at.starts_with(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_lead_out_are_known_without_a_search() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir(root.join("zones")).unwrap();
        let zones = root.join("zones");
        for (from, pattern, expected) in [
            (&root, "zones/*.yaml", true),
            (&root, "**/*.yaml", true),
            (&zones, "../*.yaml", true),
            (&zones, "../../*.yaml", false),
            (&root, "*/../../x.yaml", false),
            (&root, "/**/*.yaml", false),
            (&root, "../x.yaml", false),
        ] {
            assert_eq!(stays_below(from, pattern, &root), expected, "{pattern}");
        }
    }
}
