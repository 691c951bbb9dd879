//! Evaluates expressions over requests, with three values: what a sample of a request does not tell is unknown, and a verdict that
//! depends on it names it.
//!
//! | step | files |
//! |---|---|
//! | a tree to a program | `compile` |
//! | what a comparison compares with | `test` |
//! | values of fields, and what is known of a request | `value` |
//! | a program over a sample | `run`; `functions`: the calls |
//!
//! # Sources
//! The language's public engine, github.com/cloudflare/wirefilter, read 2026-11-22: a field, key or index that a request lacks makes
//! every comparison false except `ne`, which is true; over an array that is missing, `any` is false and `all` is true; `matches` knows
//! bytes and no Unicode classes unless the pattern asks for them; arrays of booleans are combined pairwise, up to the shortest. Functions:
//! developers.cloudflare.com/ruleset-engine/rules-language/functions, read 2026-11-22.

mod compile;
mod functions;
mod run;
mod test;
mod value;

#[cfg(test)]
mod tests;

use bumpalo::Bump;

use compile::{Compiler, Condition};
pub use value::{ListItems, Sample, Value};

use super::Expression;

/// Why something is unknown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The sample does not tell this field.
    Field(String),
    /// The items of this list are not known.
    List(String),
    /// This function depends on more than the request.
    Function(String),
    /// This regular expression is too large to run.
    Pattern(String),
}

impl Reason {
    /// What is unknown, as text.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Field(name) => name.clone(),
            Self::List(name) => format!("the list {name}"),
            Self::Function(name) => format!("{name}()"),
            Self::Pattern(text) => format!("the regular expression `{text}`"),
        }
    }
}

/// Which reasons of a program apply, as bits; the last bit is shared by all from the 64th on.
pub type Reasons = u64;

/// The result of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// It does not match.
    False,
    /// It matches.
    True,
    /// It depends on what the sample does not tell.
    Unknown(Reasons),
}

impl Truth {
    /// A known result.
    #[must_use]
    pub fn of(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }

    /// The opposite.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::True => Self::False,
            Self::Unknown(reasons) => Self::Unknown(reasons),
        }
    }

    /// True if both are; false if one is.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, other) => other,
            (one, Self::True) => one,
            (Self::Unknown(one), Self::Unknown(other)) => Self::Unknown(one | other),
        }
    }

    /// True if one is; false if both are.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.negated().and(other.negated()).negated()
    }

    /// True if exactly one is.
    #[must_use]
    pub fn xor(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown(one), Self::Unknown(other)) => Self::Unknown(one | other),
            (Self::Unknown(reasons), _) | (_, Self::Unknown(reasons)) => Self::Unknown(reasons),
            (one, other) => Self::of(one != other),
        }
    }
}

/// An expression that is ready to be evaluated many times.
#[derive(Debug)]
pub struct Program {
    condition: Condition,
    reasons: Vec<Reason>,
}

impl Expression {
    /// The program of an expression; `None` if it cannot be parsed.
    #[must_use]
    pub fn compile(&self) -> Option<Program> {
        Some(Program::of(&super::tree(self.canonical())?))
    }
}

impl Program {
    /// Compiles a tree.
    fn of(node: &super::syntax::Node) -> Self {
        let mut compiler = Compiler::default();
        let condition = compiler.condition(node);
        Self { condition, reasons: compiler.into_reasons() }
    }

    /// Evaluates it. What functions compute is placed in the arena, which the caller may reset after each sample.
    #[must_use]
    pub fn evaluate<'v>(&'v self, sample: &'v Sample<'v>, arena: &'v Bump) -> Truth {
        run::Run { sample, arena }.condition(&self.condition)
    }

    /// What a result depends on, if it is unknown.
    pub fn reasons(&self, truth: Truth) -> impl Iterator<Item = &Reason> {
        let bits = match truth {
            Truth::Unknown(bits) => bits,
            Truth::False | Truth::True => 0,
        };
        self.reasons.iter().enumerate().filter(move |(n, _)| bits & (1 << n.min(&63)) != 0).map(|(_, reason)| reason)
    }
}
