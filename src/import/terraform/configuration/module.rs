//! Represents an instance of a module and the call that creates it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};

use hcl_edit::expr::Expression;
use hcl_edit::structure::Block;

use super::super::evaluate::Scope;
use super::super::modules::Modules;
use super::super::value::{Missing, Term};
use super::super::variable_values::Assigned;
use crate::diagnostic::SourceId;

/// An expression and its file.
pub(super) type Written<'b> = (SourceId, &'b Expression);

#[derive(Clone, Copy, Default)]
pub(super) struct Variable<'b> {
    /// True if the value must not be shown.
    pub(super) is_sensitive: bool,
    pub(super) default: Option<Written<'b>>,
    pub(super) kind: Option<Written<'b>>,
    /// True if null stands for the default: `nullable = false`.
    pub(super) is_never_null: bool,
}

/// An instance of a module: the files of a directory, and the inputs of the call.
pub(super) struct Module<'b> {
    /// Reference to the instance itself.
    pub(super) own: Weak<Module<'b>>,
    /// Directories of the callers, from that of the root to that of the module.
    pub(super) chain: Vec<&'b Path>,
    pub(super) all: &'b Modules<'b>,
    /// Prefix of addresses, such as `module.dns["a"].`; empty in a root.
    pub(super) prefix: String,
    /// Directory relative to that of the root: `path.module`.
    pub(super) path: PathBuf,
    /// Call that creates the instance; `None` for a root.
    pub(super) call: Option<Call<'b>>,
    /// Calls of other modules.
    pub(super) calls: BTreeMap<&'b str, (SourceId, &'b Block)>,
    pub(super) outputs: BTreeMap<&'b str, Written<'b>>,
    /// Instances of each call; `None` while they are being created.
    pub(super) children: RefCell<BTreeMap<String, Option<Called<'b>>>>,
    pub(super) variables: BTreeMap<&'b str, Variable<'b>>,
    /// Values of variables from outside of the configuration.
    pub(super) assigned: BTreeMap<&'b str, Assigned<'b>>,
    /// Outputs whose values must not be shown.
    pub(super) sensitive_outputs: BTreeSet<&'b str>,
    /// Local values.
    pub(super) locals: BTreeMap<&'b str, Written<'b>>,
    /// Resources and data sources by kind and name. Kinds of data sources begin with `data.`.
    pub(super) blocks: BTreeMap<(String, &'b str), (SourceId, &'b Block)>,
    /// Addresses of resources and calls that are declared more than once, with the reasons why they
    /// cannot be read.
    pub(super) redeclared: BTreeMap<String, &'static str>,
    /// Evaluated values; `None` during their evaluation.
    pub(super) cache: RefCell<BTreeMap<String, Option<Term>>>,
}

/// Arguments of a module block that are not inputs.
///
/// # Sources
/// developer.hashicorp.com/terraform/language/block/variable (names that a variable cannot have),
/// read 2026-11.
const OF_CALLS: &[&str] =
    &["source", "version", "providers", "count", "for_each", "lifecycle", "depends_on", "locals"];

/// Instances of a call with their keys, or the reason why they are unknown.
pub(super) type Called<'b> = Result<Rc<[(String, Rc<Module<'b>>)]>, Refused>;

/// Reason why a call is not followed.
#[derive(Clone)]
pub(super) enum Refused {
    /// The module is not in the files that were read.
    Elsewhere(String),
    /// A value is missing.
    Missing(Missing),
    /// The limit on instances is exceeded.
    TooMany,
}

/// A call that creates one instance of a module.
pub(super) struct Call<'b> {
    /// Calling instance.
    pub(super) from: Weak<Module<'b>>,
    /// File of the call.
    pub(super) source: SourceId,
    /// Block of the call.
    pub(super) block: &'b Block,
    /// `each` or `count` of the instance.
    pub(super) names: Vec<(String, Rc<Term>)>,
}

impl Call<'_> {
    /// Returns the input for a variable. Inputs are evaluated on demand: two modules may use each
    /// other's outputs, unless a value depends on itself.
    ///
    /// # Sources
    /// developer.hashicorp.com/terraform/internals/graph (variables and outputs are nodes of their
    /// own), read 2026-11.
    pub(super) fn input(&self, name: &str) -> Option<Term> {
        let attribute =
            self.block.body.get_attribute(name).filter(|_| !OF_CALLS.contains(&name))?;
        let from = self.from.upgrade()?;
        Some(
            Scope { names: self.names.clone(), ..from.scope(self.source) }
                .evaluate(&attribute.value),
        )
    }

    /// Returns true if the call has an input for a variable.
    pub(super) fn has(&self, name: &str) -> bool {
        !OF_CALLS.contains(&name) && self.block.body.has_attribute(name)
    }
}
