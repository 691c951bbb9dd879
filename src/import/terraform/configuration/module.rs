//! An instance of a module, and the call that makes it.

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

/// A variable.
#[derive(Clone, Copy, Default)]
pub(super) struct Variable<'b> {
    /// Whether its value must not be shown.
    pub(super) is_sensitive: bool,
    /// Its default.
    pub(super) default: Option<Written<'b>>,
    /// Its type.
    pub(super) kind: Option<Written<'b>>,
    /// Whether null stands for the default: `nullable = false`.
    pub(super) is_never_null: bool,
}

/// An instance of a module: every file of a directory, and what it is called with.
pub(super) struct Module<'b> {
    /// Itself.
    pub(super) own: Weak<Module<'b>>,
    /// Its directory, at the end of those by which it is called; the first one is that of the root.
    pub(super) chain: Vec<&'b Path>,
    /// All modules.
    pub(super) all: &'b Modules<'b>,
    /// What its addresses begin with, such as `module.dns["a"].`; nothing in a root.
    pub(super) prefix: String,
    /// Its directory as Terraform sees it from the root: `path.module`.
    pub(super) path: PathBuf,
    /// What calls it; nothing calls a root.
    pub(super) call: Option<Call<'b>>,
    /// Its calls of other modules.
    pub(super) calls: BTreeMap<&'b str, (SourceId, &'b Block)>,
    /// What it gives to its caller.
    pub(super) outputs: BTreeMap<&'b str, Written<'b>>,
    /// The instances of each call, as soon as they are known; `None` while that is under way.
    pub(super) children: RefCell<BTreeMap<String, Option<Called<'b>>>>,
    /// Variables.
    pub(super) variables: BTreeMap<&'b str, Variable<'b>>,
    /// Values of variables from outside of the configuration.
    pub(super) assigned: BTreeMap<&'b str, Assigned<'b>>,
    /// Outputs whose value must not be shown.
    pub(super) sensitive_outputs: BTreeSet<&'b str>,
    /// Local values.
    pub(super) locals: BTreeMap<&'b str, Written<'b>>,
    /// Resources and data sources by kind (with `data.` in front) and name.
    pub(super) blocks: BTreeMap<(String, &'b str), (SourceId, &'b Block)>,
    /// Resources and calls that are declared more than once, by their address, and why they cannot
    /// be read.
    pub(super) redeclared: BTreeMap<String, &'static str>,
    /// What was evaluated; `None` while it is under way.
    pub(super) cache: RefCell<BTreeMap<String, Option<Term>>>,
}

/// Attributes of a call of a module that are not inputs.
///
/// # Sources
/// developer.hashicorp.com/terraform/language/block/variable (names that a variable cannot have),
/// read 2026-11.
const OF_CALLS: &[&str] =
    &["source", "version", "providers", "count", "for_each", "lifecycle", "depends_on", "locals"];

/// The instances of a call, each with its key; otherwise why they are not known.
pub(super) type Called<'b> = Result<Rc<[(String, Rc<Module<'b>>)]>, Refused>;

/// Why a call is not followed.
#[derive(Clone)]
pub(super) enum Refused {
    /// The module is elsewhere.
    Elsewhere(String),
    /// A value is missing.
    Missing(Missing),
    /// There are too many instances.
    TooMany,
}

/// A call of a module that makes one instance of it.
pub(super) struct Call<'b> {
    /// The instance that calls.
    pub(super) from: Weak<Module<'b>>,
    /// The file of the call.
    pub(super) source: SourceId,
    /// The call.
    pub(super) block: &'b Block,
    /// `each` or `count` of the instance.
    pub(super) names: Vec<(String, Rc<Term>)>,
}

impl Call<'_> {
    /// What the call gives for a variable. It is evaluated when it is needed: two modules may use
    /// each other's outputs, as long as no value needs itself.
    ///
    /// # Sources
    /// developer.hashicorp.com/terraform/internals/graph (variables and outputs are nodes of their
    /// own), read 2026-11.
    pub(super) fn input(&self, name: &str) -> Option<Term> {
        let given = self.block.body.get_attribute(name).filter(|_| !OF_CALLS.contains(&name))?;
        let from = self.from.upgrade()?;
        Some(Scope { names: self.names.clone(), ..from.scope(self.source) }.evaluate(&given.value))
    }

    /// Whether the call gives a value for a variable.
    pub(super) fn has(&self, name: &str) -> bool {
        !OF_CALLS.contains(&name) && self.block.body.has_attribute(name)
    }
}
