//! The syntax tree of an expression, with the place of every part.

use std::net::IpAddr;
use std::ops::Range;

use ipnet::IpNet;

/// A place in the text.
///
/// # Units
/// Bytes.
pub(super) type Span = Range<usize>;

/// A part with a boolean value, or an argument of a function.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    /// The place, including surrounding parentheses.
    pub(super) span: Span,
    /// True if it is in its own parentheses.
    pub(super) is_parenthesised: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum NodeKind {
    /// Several parts joined by one connective.
    Chain(Connective, Vec<Node>),
    /// A negation.
    Not(Box<Node>),
    Comparison(Comparison),
    /// A field, call or literal on its own.
    Operand(Operand),
    /// A part that could not be read. It has been reported.
    Broken,
}

/// A connective; the order is from loosest to tightest binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Connective {
    /// `or`, `||`.
    Or,
    /// `xor`, `^^`.
    Xor,
    /// `and`, `&&`.
    And,
}

impl Connective {
    /// All connectives.
    pub(super) const ALL: [Self; 3] = [Self::Or, Self::Xor, Self::And];

    /// Returns the word.
    pub(super) fn keyword(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::Xor => "xor",
            Self::And => "and",
        }
    }

    /// Returns the connective that binds more tightly.
    pub(super) fn stronger(self) -> Option<Self> {
        match self {
            Self::Or => Some(Self::Xor),
            Self::Xor => Some(Self::And),
            Self::And => None,
        }
    }
}

/// `left operator right`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    /// The left side.
    pub(super) left: Operand,
    pub(super) operator: Operator,
    /// The place of the operator.
    pub(super) operator_span: Span,
    /// The right side.
    pub(super) right: ComparedValue,
    /// The place of the right side.
    pub(super) right_span: Span,
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Operator {
    /// `eq`, `==`.
    Equal,
    /// `ne`, `!=`.
    NotEqual,
    /// `lt`, `<`.
    Less,
    /// `le`, `<=`.
    LessOrEqual,
    /// `gt`, `>`.
    Greater,
    /// `ge`, `>=`.
    GreaterOrEqual,
    /// `contains`.
    Contains,
    /// `matches`, `~`.
    Matches,
    /// `wildcard`.
    Wildcard,
    /// `strict wildcard`.
    StrictWildcard,
    /// `in`.
    In,
}

impl Operator {
    /// All operators.
    pub(super) const ALL: [Self; 11] = [
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
        Self::Contains,
        Self::Matches,
        Self::Wildcard,
        Self::StrictWildcard,
        Self::In,
    ];

    /// Returns the word.
    pub(super) fn keyword(self) -> &'static str {
        match self {
            Self::Equal => "eq",
            Self::NotEqual => "ne",
            Self::Less => "lt",
            Self::LessOrEqual => "le",
            Self::Greater => "gt",
            Self::GreaterOrEqual => "ge",
            Self::Contains => "contains",
            Self::Matches => "matches",
            Self::Wildcard => "wildcard",
            Self::StrictWildcard => "strict wildcard",
            Self::In => "in",
        }
    }
}

/// A field, a call or a literal, with its indexes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operand {
    /// The part before the indexes.
    pub(super) base: Base,
    /// The place of the part before the indexes.
    pub(super) base_span: Span,
    /// The indexes, in the order of the text.
    pub(super) indexes: Vec<(Index, Span)>,
    /// The place of the operand with its indexes.
    pub(super) span: Span,
}

/// The part of an operand before its indexes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Base {
    /// A field, known or not.
    Field(String),
    Call(String, Vec<Node>),
    Literal(Literal),
}

/// An index into an array or map.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Index {
    Number(u32),
    Key(Vec<u8>),
    /// All values, `[*]`.
    Each,
}

/// A value in the text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Literal {
    /// A number.
    Integer(i64),
    Address(IpAddr),
    /// A network; host bits may be set.
    Network(IpNet),
    /// Text; after `matches` a regular expression.
    Bytes(Vec<u8>),
    /// `true` or `false`.
    Truth(bool),
    /// Text without quotes, which is always an error.
    Unquoted(String),
}

/// The right side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ComparedValue {
    /// One value.
    Literal(Literal),
    /// Several values in braces.
    Set(Vec<(Item, Span)>),
    /// A list by its name, with the dollar sign.
    List(String),
    /// A field or a call.
    Operand(Box<Operand>),
    /// A part that could not be read. It has been reported.
    Broken,
}

/// A member of a set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Item {
    /// One value.
    One(Literal),
    /// A range from one value to another, including both.
    Range(Literal, Literal),
}

impl Node {
    /// Calls a function with every operand, including those inside calls.
    pub(super) fn each_operand<'n>(&'n self, visit: &mut impl FnMut(&'n Operand)) {
        match &self.kind {
            NodeKind::Chain(_, parts) => parts.iter().for_each(|p| p.each_operand(visit)),
            NodeKind::Not(inner) => inner.each_operand(visit),
            NodeKind::Comparison(comparison) => {
                comparison.left.each_operand(visit);
                if let ComparedValue::Operand(right) = &comparison.right {
                    right.each_operand(visit);
                }
            }
            NodeKind::Operand(operand) => operand.each_operand(visit),
            NodeKind::Broken => {}
        }
    }

    /// Calls a function with every comparison, including those inside calls.
    pub(super) fn each_comparison<'n>(&'n self, visit: &mut impl FnMut(&'n Comparison)) {
        match &self.kind {
            NodeKind::Chain(_, parts) => parts.iter().for_each(|p| p.each_comparison(visit)),
            NodeKind::Not(inner) => inner.each_comparison(visit),
            NodeKind::Comparison(comparison) => {
                visit(comparison);
                comparison.left.arguments().iter().for_each(|a| a.each_comparison(visit));
            }
            NodeKind::Operand(operand) => {
                operand.arguments().iter().for_each(|a| a.each_comparison(visit))
            }
            NodeKind::Broken => {}
        }
    }
}

impl Operand {
    /// Returns the arguments of a call.
    pub(super) fn arguments(&self) -> &[Node] {
        match &self.base {
            Base::Call(_, arguments) => arguments,
            Base::Field(_) | Base::Literal(_) => &[],
        }
    }

    /// Returns the field, if it is one without an index.
    pub(super) fn plain_field(&self) -> Option<&str> {
        match &self.base {
            Base::Field(name) if self.indexes.is_empty() => Some(name),
            Base::Field(_) | Base::Call(..) | Base::Literal(_) => None,
        }
    }

    /// Returns the literal, if it is one.
    pub(super) fn literal(&self) -> Option<&Literal> {
        match &self.base {
            Base::Literal(literal) => Some(literal),
            Base::Field(_) | Base::Call(..) => None,
        }
    }

    /// Calls a function with this operand and the operands in its arguments.
    fn each_operand<'n>(&'n self, visit: &mut impl FnMut(&'n Operand)) {
        visit(self);
        self.arguments().iter().for_each(|a| a.each_operand(visit));
    }
}
