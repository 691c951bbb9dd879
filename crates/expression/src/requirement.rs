//! The Cloudflare plan that an expression needs.

use std::collections::BTreeSet;

use crate::syntax::{Base, Node, Operator};
use crate::vocabulary::{FIELDS, FUNCTIONS, MATCHES_NEEDS, Needs};

/// The Cloudflare plan that an expression needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The lowest plan.
    pub needs: Needs,
    /// The fields, functions and operators that need it.
    pub by: BTreeSet<String>,
}

impl Requirement {
    /// Returns the lowest plan, as text.
    #[must_use]
    pub fn plan(&self) -> &'static str {
        match self.needs {
            Needs::Nothing => "any plan",
            Needs::Pro => "the pro plan or above",
            Needs::Business => "the business plan or above",
            Needs::Enterprise => "the enterprise plan",
        }
    }
}

/// Returns the parts that need a plan above the lowest.
pub(crate) fn requirements(node: &Node) -> Vec<(Needs, String)> {
    let mut requirements = Vec::new();
    node.each_operand(&mut |operand| match &operand.base {
        Base::Field(name) => requirements
            .extend(FIELDS.iter().find(|f| f.name == name).map(|f| (f.needs, name.clone()))),
        Base::Call(name, _) => {
            requirements.extend(
                FUNCTIONS.iter().find(|f| f.name == name).map(|f| (f.needs, format!("{name}()"))),
            );
        }
        Base::Literal(_) => {}
    });
    node.each_comparison(&mut |comparison| {
        if comparison.operator == Operator::Matches {
            requirements.push((MATCHES_NEEDS, "matches".to_owned()));
        }
    });
    requirements
}
