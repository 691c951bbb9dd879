//! The facts of all record types.

use super::TypeFacts;
use crate::rdata::FACTS;

/// Returns the facts of every supported type, in the order of the list in `rdata/mod.rs`.
#[must_use]
pub fn all_types() -> &'static [&'static TypeFacts] {
    FACTS
}

/// Returns the facts of a type by its mnemonic, in any case.
#[must_use]
pub fn type_facts(name: &str) -> Option<&'static TypeFacts> {
    all_types().iter().copied().find(|f| f.name.eq_ignore_ascii_case(name))
}
