//! Finds the modules of a source: the directories with configuration, and the calls between them.
//!
//! A call is followed if its source is a directory that was read as well. No other directory is
//! read, and nothing is fetched.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use hcl_edit::expr::Expression;
use hcl_edit::structure::{Block, Body};

use super::evaluate::Effort;
use super::variable_values::{Assignments, ReadValues};
use crate::diagnostic::{SourceId, Sources};
use crate::model::Gather;

/// Maximum nesting of calls.
pub(super) const DEEPEST: usize = 16;
/// Maximum number of instances of all modules.
const MOST_INSTANCES: usize = 5_000;
/// Maximum number of values in the inputs of all modules.
const MOST_INPUTS: usize = 2_000_000;
/// Maximum number of instances of all resources.
const MOST_RESOURCES: usize = 250_000;

/// Purpose of a file in a directory, in the order in which Terraform reads files. The last one wins
/// among equal names.
///
/// # Sources
/// developer.hashicorp.com/terraform/language/files/override and
/// …/terraform/language/values/variables (precedence), read 2026-11.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Configuration.
    Code,
    /// Configuration that overrides other files: `override.tf`, `*_override.tf`, and their
    /// `.json`.
    Override,
    /// Values of variables: `terraform.tfvars`.
    Values,
    /// Values of variables: `terraform.tfvars.json`.
    JsonValues,
    /// Values of variables: `*.auto.tfvars`, `*.auto.tfvars.json`.
    AutomaticValues,
    /// Values of variables: any other file that the user names.
    NamedValues,
}

impl Role {
    /// Returns why a resource or call cannot be read if a file of this role declares it again.
    pub(super) fn redeclares(self) -> &'static str {
        match self {
            Self::Override => "an override file changes it, which is not read; import the state",
            _ => {
                "two blocks have this address, which Terraform refuses; remove or rename one of \
                them"
            }
        }
    }

    /// Returns the role of a file by its name.
    pub(super) fn of_name(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let code = name.strip_suffix(".json").unwrap_or(name);
        let stem = code.strip_suffix(".tf").or_else(|| code.strip_suffix(".tofu"));
        match (stem, name) {
            (Some(stem), _) if stem == "override" || stem.ends_with("_override") => Self::Override,
            (_, "terraform.tfvars") => Self::Values,
            (_, "terraform.tfvars.json") => Self::JsonValues,
            _ if name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json") => {
                Self::AutomaticValues
            }
            _ if name.ends_with(".tfvars") || name.ends_with(".tfvars.json") => Self::NamedValues,
            _ => Self::Code,
        }
    }
}

#[derive(Default)]
pub(super) struct Files {
    /// Contents in the order of their roles.
    pub(super) bodies: Vec<(SourceId, Role, Body)>,
    /// Files that assign variables, with their names, in order of precedence.
    pub(super) values: Vec<(Role, String, Assignments)>,
    /// True if one of the files cannot be read.
    pub(super) is_broken: bool,
}

/// All directories with configuration.
pub(super) struct Modules<'s> {
    pub(super) sources: &'s Sources,
    /// Files of each directory, by its real path.
    directories: BTreeMap<PathBuf, Files>,
    /// Real paths in reading order.
    order: Vec<PathBuf>,
    /// Real paths with the names that the user gives.
    shown: BTreeMap<PathBuf, String>,
    /// Effort for the current root and its calls.
    pub(super) effort: Effort,
    /// Number of module instances so far.
    instances: Cell<usize>,
    /// Number of input values so far.
    inputs: Cell<usize>,
    /// Number of resource instances so far.
    resources: Cell<usize>,
    /// True if the excess of a limit was reported.
    is_reported: Cell<bool>,
    /// Values of variables that the user supplies.
    pub(super) given: ReadValues,
}

impl<'s> Modules<'s> {
    /// Collects the files of these directories. A directory that was read by several names counts
    /// once.
    pub(super) fn new(
        sources: &'s Sources,
        read: impl IntoIterator<Item = (PathBuf, Files)>,
        given: ReadValues,
    ) -> Self {
        let mut directories: BTreeMap<PathBuf, Files> = BTreeMap::new();
        let (mut order, mut shown) = (Vec::new(), BTreeMap::new());
        for (path, files) in read {
            let path = if path.as_os_str().is_empty() { PathBuf::from(".") } else { path };
            let real = path.canonicalize().unwrap_or_else(|_| plain(&path));
            if !directories.contains_key(&real) {
                order.push(real.clone());
                shown.insert(real.clone(), path.display().to_string());
            }
            let known_files = directories.entry(real).or_default();
            known_files.is_broken |= files.is_broken;
            known_files.bodies.extend(files.bodies);
            known_files.values.extend(files.values);
        }
        Self {
            sources,
            directories,
            order,
            shown,
            given,
            effort: Effort::default(),
            instances: Cell::default(),
            inputs: Cell::default(),
            resources: Cell::default(),
            is_reported: Cell::default(),
        }
    }

    /// Returns the directories that no other directory calls. Of directories that only call each
    /// other, returns the first.
    pub(super) fn roots(&self) -> Vec<&Path> {
        let directories = || self.order.iter().map(PathBuf::as_path);
        let called_modules: BTreeSet<&Path> = directories()
            .flat_map(|of| self.called_by(of).into_iter().filter(move |one| *one != of))
            .gather();
        let mut roots: Vec<&Path> =
            directories().filter(|directory| !called_modules.contains(directory)).collect();
        let mut reached = BTreeSet::new();
        roots.iter().for_each(|root| self.reach(root, &mut reached));
        for directory in directories() {
            if !reached.contains(directory) {
                roots.push(directory);
                self.reach(directory, &mut reached);
            }
        }
        roots
    }

    /// Adds a directory and all directories that it calls, directly or indirectly.
    fn reach<'m>(&'m self, directory: &'m Path, reached: &mut BTreeSet<&'m Path>) {
        let mut open = vec![directory];
        while let Some(directory) = open.pop() {
            if reached.insert(directory) {
                open.extend(self.called_by(directory));
            }
        }
    }

    /// Returns the directories that a directory calls.
    fn called_by(&self, directory: &Path) -> Vec<&Path> {
        let Some(files) = self.directories.get(directory) else { return Vec::new() };
        let blocks = files.bodies.iter().flat_map(|(_, _, body)| body.blocks());
        let calls = blocks.filter(|block| block.ident.as_str() == "module").filter_map(source_of);
        calls
            .filter_map(|source| self.target(directory, source))
            .map(|(target, _)| target)
            .collect()
    }

    /// Returns the name that the user gives to a directory.
    pub(super) fn shown(&self, directory: &Path) -> String {
        self.shown.get(directory).cloned().unwrap_or_else(|| directory.display().to_string())
    }

    pub(super) fn files(&self, directory: &Path) -> Option<&Files> {
        self.directories.get(directory)
    }

    /// Returns the target directory of a call. Links are not followed.
    pub(super) fn target(&self, from: &Path, source: &str) -> Option<(&Path, &Files)> {
        let path = is_local(source).then(|| plain(&from.join(source)))?;
        self.directories.get_key_value(&path).map(|(path, files)| (path.as_path(), files))
    }

    /// Counts an instance of a module. Returns false if the limit is exceeded.
    pub(super) fn admits(&self, files: &Files) -> bool {
        self.instances.set(self.instances.get() + 1);
        let structures: usize = files.bodies.iter().map(|(_, _, body)| body.len() + 1).sum();
        self.effort.take_steps(structures)
            && self.instances.get() <= MOST_INSTANCES
            && self.resources.get() <= MOST_RESOURCES
    }

    /// Counts the values in an input of a module. Returns false if the limit is exceeded.
    pub(super) fn admits_input(&self, values: usize) -> bool {
        self.inputs.set(self.inputs.get().saturating_add(values));
        self.inputs.get() <= MOST_INPUTS
    }

    /// Counts instances of a resource. Returns false if the limit is exceeded.
    pub(super) fn admits_resources(&self, instances: usize) -> bool {
        self.resources.set(self.resources.get().saturating_add(instances));
        self.resources.get() <= MOST_RESOURCES
    }

    /// Returns true for the first entry beyond a limit. Later ones are counted and not reported.
    pub(super) fn is_first_of_too_many(&self) -> bool {
        !self.is_reported.replace(true)
    }
}

/// Returns true for the name of a file in JSON.
pub(super) fn is_json(name: &str) -> bool {
    name.ends_with(".json")
}

/// Returns true if the source of a module is a relative directory.
pub(super) fn is_local(source: &str) -> bool {
    source.starts_with("./") || source.starts_with("../") || matches!(source, "." | "..")
}

/// Returns the source of a call if it is a literal.
pub(super) fn source_of(block: &Block) -> Option<&str> {
    match &block.body.get_attribute("source")?.value {
        Expression::String(text) => Some(text.as_str()),
        _ => None,
    }
}

/// Removes `.` from a path, and `..` where possible.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            Component::ParentDir if out.has_root() => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_without_their_detours() {
        for (path, expected) in [
            ("./a/b/../c", "a/c"),
            ("a/../../b", "../b"),
            ("../../a", "../../a"),
            ("/a/./b/..", "/a"),
            ("/../a", "/a"),
            ("a/..", ""),
            (".", ""),
        ] {
            assert_eq!(plain(Path::new(path)), Path::new(expected), "{path}");
        }
        assert!(
            is_local("../..")
                && is_local("./x")
                && !is_local("x/y")
                && !is_local("git::https://example.com/x")
        );
        assert!(!is_local("/x") && !is_local("") && !is_local("..x"));
    }
}
