//! Compiles a tree to a program: names become numbers, right sides become tests, and values that
//! are always unknown get their reason.

use super::functions::Function;
use super::sample::number_of;
use super::test::{Constant, NoTest, Test};
use super::{Reason, Reasons, Truth};
use crate::canonical;
use crate::syntax::{
    Base, ComparedValue, Comparison, Connective, Index, Literal, Node, NodeKind, Operand, Operator,
};

/// A part with a boolean value, or with one for each value of an array.
#[derive(Debug)]
pub(super) enum Condition {
    /// Always the same.
    Always(Truth),
    /// All parts hold.
    And(Vec<Condition>),
    /// One part holds.
    Or(Vec<Condition>),
    /// An odd number of parts holds.
    Xor(Vec<Condition>),
    /// The part does not hold.
    Not(Box<Condition>),
    /// `any(…)` or `all(…)`.
    Quantified(Quantifier, Box<Condition>),
    /// A comparison.
    Compare(Term, Test),
    /// A comparison with another value.
    CompareValues(Term, Operator, Box<Term>),
    /// A comparison with a list by its name, with the reasons if its items are unknown.
    InList(Term, String, Reasons),
}

/// The way in which the booleans of an array become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantifier {
    Any,
    All,
}

/// A value with its indexes.
#[derive(Debug)]
pub(super) struct Term {
    /// The value.
    pub(super) origin: Origin,
    pub(super) indexes: Vec<Index>,
}

/// The origin of a value.
#[derive(Debug)]
pub(super) enum Origin {
    /// A field by its number, with the reasons if it is unknown.
    Field(usize, Reasons),
    Constant(Constant),
    /// `true` or `false` as an argument.
    Truth(bool),
    Call(Function, Vec<Argument>),
    /// A value that is never known.
    Unknown(Reasons),
}

impl Origin {
    /// Returns the reasons for which a part of the value is unknown.
    pub(super) fn reasons(&self) -> Reasons {
        match self {
            Self::Field(_, reasons) | Self::Unknown(reasons) => *reasons,
            Self::Call(_, arguments) => match arguments.first() {
                Some(Argument::Term(term)) => term.origin.reasons(),
                Some(Argument::Condition(_)) | None => 0,
            },
            Self::Constant(_) | Self::Truth(_) => 0,
        }
    }
}

/// An argument of a call.
#[derive(Debug)]
pub(super) enum Argument {
    /// A value.
    Term(Term),
    Condition(Condition),
}

impl Term {
    /// Returns true if it yields one value for each value of an array.
    pub(super) fn is_each(&self) -> bool {
        self.indexes.contains(&Index::Each)
    }
}

/// Compiles trees to programs.
#[derive(Default)]
pub(super) struct Compiler {
    reasons: Vec<Reason>,
}

impl Compiler {
    /// Returns the reasons in the order of their bits.
    pub(super) fn into_reasons(self) -> Vec<Reason> {
        self.reasons
    }

    /// Returns the bit of a reason.
    fn reason(&mut self, reason: Reason) -> Reasons {
        let number = self.reasons.iter().position(|known| *known == reason).unwrap_or_else(|| {
            self.reasons.push(reason);
            self.reasons.len() - 1
        });
        1 << number.min(63)
    }

    pub(super) fn condition(&mut self, node: &Node) -> Condition {
        match &node.kind {
            NodeKind::Chain(connective, parts) => {
                let parts = parts.iter().map(|part| self.condition(part)).collect();
                match connective {
                    Connective::And => Condition::And(parts),
                    Connective::Or => Condition::Or(parts),
                    Connective::Xor => Condition::Xor(parts),
                }
            }
            NodeKind::Not(inner) => Condition::Not(Box::new(self.condition(inner))),
            NodeKind::Comparison(comparison) => self.comparison(comparison),
            NodeKind::Operand(operand) => self.truth(operand),
            // A tree with such parts is never evaluated.
            NodeKind::Broken => Condition::Always(Truth::False),
        }
    }

    /// Compiles a value that is a boolean.
    fn truth(&mut self, operand: &Operand) -> Condition {
        match &operand.base {
            Base::Literal(Literal::Truth(truth)) => Condition::Always(Truth::of(*truth)),
            Base::Call(name, arguments)
                if operand.indexes.is_empty() && matches!(name.as_str(), "any" | "all") =>
            {
                let quantifier = if name == "any" { Quantifier::Any } else { Quantifier::All };
                match arguments.first() {
                    Some(argument) => {
                        Condition::Quantified(quantifier, Box::new(self.condition(argument)))
                    }
                    None => Condition::Always(Truth::False),
                }
            }
            Base::Field(_) | Base::Call(..) | Base::Literal(_) => {
                Condition::Compare(self.term(operand), Test::IsTrue)
            }
        }
    }

    fn comparison(&mut self, comparison: &Comparison) -> Condition {
        let term = self.term(&comparison.left);
        if let ComparedValue::List(name) = &comparison.right {
            let reason = self.reason(Reason::List(name.clone()));
            return Condition::InList(term, name.trim_start_matches('$').to_owned(), reason);
        }
        if let ComparedValue::Operand(right) = &comparison.right {
            let right = Box::new(self.term(right));
            return Condition::CompareValues(term, comparison.operator, right);
        }
        match Test::new(comparison.operator, &comparison.right) {
            Ok(test) => Condition::Compare(term, test),
            Err(NoTest::NotOfAnyType) => Condition::Always(Truth::False),
            Err(NoTest::TooLarge(text)) => Condition::Always(Truth::Unknown(
                self.reason(Reason::Pattern(canonical::quoted(text.as_bytes()))),
            )),
        }
    }

    /// Compiles a value.
    fn term(&mut self, operand: &Operand) -> Term {
        let origin = match &operand.base {
            Base::Field(name) => match number_of(name) {
                Some(number) => Origin::Field(number, self.reason(Reason::Field(name.clone()))),
                None => Origin::Unknown(self.reason(Reason::Field(name.clone()))),
            },
            Base::Call(name, arguments) => match Function::of(name) {
                Some(function) => Origin::Call(
                    function,
                    arguments.iter().map(|argument| self.argument(argument)).collect(),
                ),
                None => Origin::Unknown(self.reason(Reason::Function(name.clone()))),
            },
            Base::Literal(Literal::Truth(truth)) => Origin::Truth(*truth),
            Base::Literal(literal) => match Constant::of(literal) {
                Some(constant) => Origin::Constant(constant),
                None => Origin::Truth(false),
            },
        };
        Term { origin, indexes: operand.indexes.iter().map(|(index, _)| index.clone()).collect() }
    }

    fn argument(&mut self, node: &Node) -> Argument {
        match &node.kind {
            NodeKind::Operand(operand) => Argument::Term(self.term(operand)),
            NodeKind::Chain(..) | NodeKind::Not(_) | NodeKind::Comparison(_) | NodeKind::Broken => {
                Argument::Condition(self.condition(node))
            }
        }
    }
}
