//! Evaluates expressions over requests, with three values. Anything that a sample of a request does
//! not contain is unknown, and an unknown verdict names what it depends on.
//!
//! | step | files |
//! |---|---|
//! | a tree to a program | `compile` |
//! | what a comparison compares with | `test` |
//! | true, false or unknown | `truth` |
//! | values of fields | `value`; `list`: the items of lists |
//! | what is known of a request | `sample` |
//! | a program over a sample | `run`; `functions`: the calls; `json`: a part of a document |
//!
//! # Sources
//! The language's public engine, github.com/cloudflare/wirefilter, read 2026-11-22: a field, key or
//! index that a request lacks makes every comparison false except `ne`, which is true; over an
//! array that is missing, `any` is false and `all` is true; `matches` knows bytes and no Unicode
//! classes unless the pattern asks for them; arrays of booleans are combined pairwise, up to the
//! shortest. Functions: developers.cloudflare.com/ruleset-engine/rules-language/functions, read
//! 2026-11-22.

mod compile;
mod functions;
mod json;
mod list;
mod run;
mod sample;
mod test;
mod truth;
mod value;

#[cfg(test)]
mod tests;

use compile::{Compiler, Condition};
pub use list::{ListItems, Lists};
pub use sample::{Fields, Sample};
pub(super) use test::wildcard_parts;
pub use truth::{Reason, Reasons, Truth};
pub use value::Value;

use crate::expression::{Expression, tree};

/// An expression that is ready to be evaluated many times.
#[derive(Debug)]
pub struct Program {
    condition: Condition,
    reasons: Vec<Reason>,
}

impl Expression {
    /// Compiles the expression to a program; `None` if it cannot be parsed.
    #[must_use]
    pub fn compile(&self) -> Option<Program> {
        Some(Program::of(&tree(self.canonical())?))
    }
}

/// The compiled right side of a comparison with texts.
#[derive(Debug)]
pub(super) struct Matcher(test::Test);

impl Matcher {
    /// Compiles the right side of a comparison; `None` if that is not a value.
    pub(super) fn new(comparison: &crate::syntax::Comparison) -> Option<Self> {
        test::Test::new(comparison.operator, &comparison.right).ok().map(Self)
    }

    pub(super) fn accepts(&self, text: &[u8]) -> bool {
        self.0.passes(Value::Bytes(text), &bumpalo::Bump::new())
    }
}

impl Program {
    /// Compiles a tree.
    fn of(node: &crate::syntax::Node) -> Self {
        let mut compiler = Compiler::default();
        let condition = compiler.condition(node);
        Self { condition, reasons: compiler.into_reasons() }
    }

    /// Evaluates it. Memory is allocated only in the arena of the sample, which its owner may reset
    /// before the next one.
    #[must_use]
    pub fn evaluate(&self, sample: &Sample<'_>) -> Truth {
        run::Run { sample, arena: sample.arena() }.condition(&self.condition)
    }

    /// Returns the reasons of an unknown result.
    pub fn reasons(&self, truth: Truth) -> impl Iterator<Item = &Reason> {
        let bits = match truth {
            Truth::Unknown(bits) => bits,
            Truth::False | Truth::True => 0,
        };
        self.reasons
            .iter()
            .enumerate()
            .filter(move |(n, _)| bits & (1 << n.min(&63)) != 0)
            .map(|(_, reason)| reason)
    }
}
