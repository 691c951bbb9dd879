//! A tree to a program: names become numbers, right sides become tests, and what can never be told
//! gets its reason.

use super::functions::Function;
use super::sample::number_of;
use super::test::{Constant, NoTest, Test};
use super::{Reason, Reasons, Truth};
use crate::canonical;
use crate::syntax::{
    Base, ComparedValue, Comparison, Connective, Index, Literal, Node, NodeKind, Operand,
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
    /// A comparison with a list by its name, and why it is unknown if it is.
    InList(Term, String, Reasons),
}

/// How booleans of an array become one.
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
    /// The indexes.
    pub(super) indexes: Vec<Index>,
}

/// Where a value comes from.
#[derive(Debug)]
pub(super) enum Origin {
    /// A field by its number, and why it is unknown if it is.
    Field(usize, Reasons),
    /// A constant.
    Constant(Constant),
    /// `true` or `false` as an argument.
    Truth(bool),
    /// A call.
    Call(Function, Vec<Argument>),
    /// Never known.
    Unknown(Reasons),
}

impl Origin {
    /// Why a part of the value is unknown, if it is.
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
    /// A condition.
    Condition(Condition),
}

impl Term {
    /// Whether it is one value for each value of an array.
    pub(super) fn is_each(&self) -> bool {
        self.indexes.contains(&Index::Each)
    }
}

/// Turns trees into programs.
#[derive(Default)]
pub(super) struct Compiler {
    reasons: Vec<Reason>,
}

impl Compiler {
    /// The reasons in the order of their bits.
    pub(super) fn into_reasons(self) -> Vec<Reason> {
        self.reasons
    }

    /// The bit of a reason.
    fn reason(&mut self, reason: Reason) -> Reasons {
        let number = self.reasons.iter().position(|known| *known == reason).unwrap_or_else(|| {
            self.reasons.push(reason);
            self.reasons.len() - 1
        });
        1 << number.min(63)
    }

    /// A condition.
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
            // A tree with such parts is not evaluated.
            NodeKind::Broken => Condition::Always(Truth::False),
        }
    }

    /// A value that is a truth.
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

    /// A comparison.
    fn comparison(&mut self, comparison: &Comparison) -> Condition {
        let term = self.term(&comparison.left);
        if let ComparedValue::List(name) = &comparison.right {
            let reason = self.reason(Reason::List(name.clone()));
            return Condition::InList(term, name.trim_start_matches('$').to_owned(), reason);
        }
        match Test::new(comparison.operator, &comparison.right) {
            Ok(test) => Condition::Compare(term, test),
            Err(NoTest::NotOfAnyType) => Condition::Always(Truth::False),
            Err(NoTest::TooLarge(text)) => Condition::Always(Truth::Unknown(
                self.reason(Reason::Pattern(canonical::quoted(text.as_bytes()))),
            )),
        }
    }

    /// A value.
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

    /// An argument.
    fn argument(&mut self, node: &Node) -> Argument {
        match &node.kind {
            NodeKind::Operand(operand) => Argument::Term(self.term(operand)),
            NodeKind::Chain(..) | NodeKind::Not(_) | NodeKind::Comparison(_) | NodeKind::Broken => {
                Argument::Condition(self.condition(node))
            }
        }
    }
}
