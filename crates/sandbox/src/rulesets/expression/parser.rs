//! Parses an expression and checks the types of what it compares.
//!
//! ```text
//! or  := xor { or xor } · xor := and { xor and } · and := not { and not } · not := not not | ( or ) | comparison
//! comparison := value [ operator right ] · value := name { [index] } | name(argument, …)
//! ```
//!
//! # Sources
//! As in the parent module; reasons of refusals as far as seen (2025): "unknown identifier",
//! "unrecognised input", "expected literal …" and the one about radix 16. ASSUMED: all other
//! reasons; the largest depth of brackets.

use std::net::IpAddr;

use super::token::{self, ExpressionToken, Spot};
use super::{Fault, Surroundings, Uses};
use zonewright_model::facts::expressions::{
    ExpressionFunction, FIELDS, FUNCTIONS, FieldType, ParameterType,
};

/// Maximum depth of brackets.
const DEEPEST: usize = 100;

/// Functions that an expression may use only once: observed 2025.
const RATIONED: &[&str] = &["concat", "regex_replace"];

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ElementType {
    /// A boolean.
    Bool,
    /// A byte string.
    Bytes,
    /// A number.
    Int,
    /// An address.
    Ip,
    Array(Box<ElementType>),
    /// A map from names.
    Map(Box<ElementType>),
}

impl From<FieldType> for ElementType {
    fn from(kind: FieldType) -> Self {
        let array = |kind| Self::Array(Box::new(kind));
        match kind {
            FieldType::Boolean => Self::Bool,
            FieldType::Bytes => Self::Bytes,
            FieldType::Integer => Self::Int,
            FieldType::Address => Self::Ip,
            FieldType::BytesArray => array(Self::Bytes),
            FieldType::IntegerArray => array(Self::Int),
            FieldType::BytesArrayArray => array(array(Self::Bytes)),
            FieldType::BytesArrayMap => Self::Map(Box::new(array(Self::Bytes))),
            FieldType::IntegerArrayMap => Self::Map(Box::new(array(Self::Int))),
        }
    }
}

/// The type of a value, possibly of each element of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Value {
    /// The type; of one element if `is_each`.
    kind: ElementType,
    /// True if it was reached with `[*]`.
    is_each: bool,
}

/// The result of parsing.
type Read<T> = Result<T, Fault>;

/// Parses a whole expression; returns the features that it uses.
pub(super) fn parse_expression(text: &str, surroundings: Surroundings<'_>) -> Read<Uses> {
    let end = text.chars().count();
    let spots = token::split_tokens(text);
    let mut parser = Parser {
        spots,
        at: 0,
        end,
        surroundings,
        uses: Uses::default(),
        rationed: Vec::new(),
        depth: 0,
    };
    let value = parser.alternatives()?;
    if parser.at < parser.spots.len() {
        return Err(parser.fault("unrecognised input"));
    }
    let whole_text = Fault { column: 0, width: end, reason: String::new() };
    is_truth(&value, &whole_text)?;
    Ok(parser.uses)
}

/// Refuses a value that is not a single boolean.
fn is_truth(value: &Value, place: &Fault) -> Read<()> {
    if value.kind == ElementType::Bool && !value.is_each {
        return Ok(());
    }
    let reason = format!("expected value of type Bool, but got {:?}", value.kind);
    Err(Fault { reason, ..place.clone() })
}

/// The state of the parser.
struct Parser<'a> {
    /// The tokens.
    spots: Vec<Spot>,
    /// Index of the next token.
    at: usize,
    /// Length of the text in characters.
    end: usize,
    /// Context of the expression.
    surroundings: Surroundings<'a>,
    /// The features that it uses.
    uses: Uses,
    /// Functions of [`RATIONED`] that were called.
    rationed: Vec<&'static str>,
    /// Open brackets and negations.
    depth: usize,
}

impl Parser<'_> {
    /// Returns the next token.
    fn peek(&self) -> Option<&ExpressionToken> {
        self.spots.get(self.at).map(|spot| &spot.token)
    }

    /// Returns an error at the next token.
    fn fault(&self, reason: impl Into<String>) -> Fault {
        let (column, width) =
            self.spots.get(self.at).map_or((self.end, 1), |spot| (spot.column, spot.width));
        Fault { column, width, reason: reason.into() }
    }

    /// Consumes the next token if it is this symbol; returns true if it was consumed.
    fn takes_symbol(&mut self, symbol: &str) -> bool {
        let is_next = matches!(self.peek(), Some(ExpressionToken::Symbol(s)) if *s == symbol);
        self.at += usize::from(is_next);
        is_next
    }

    /// Consumes the next token if it is this word; returns true if it was consumed.
    fn takes_keyword(&mut self, word: &str) -> bool {
        let is_next = matches!(self.peek(), Some(ExpressionToken::Word(w)) if w == word);
        self.at += usize::from(is_next);
        is_next
    }

    /// Consumes a required symbol.
    fn expect(&mut self, symbol: &str) -> Read<()> {
        if self.takes_symbol(symbol) {
            Ok(())
        } else {
            Err(self.fault(format!("expected `{symbol}`")))
        }
    }

    /// Parses operands joined by a word or its symbol.
    fn joined(
        &mut self,
        word: &str,
        symbol: &str,
        operand: fn(&mut Self) -> Read<Value>,
    ) -> Read<Value> {
        let mut place = self.fault("");
        let mut left_operand = operand(self)?;
        while self.takes_keyword(word) || self.takes_symbol(symbol) {
            let right_place = self.fault("");
            let right = operand(self)?;
            for (value, place) in [(&left_operand, &place), (&right, &right_place)] {
                // Element-wise booleans can be combined with one another.
                let value = Value {
                    is_each: value.is_each && !(left_operand.is_each && right.is_each),
                    ..value.clone()
                };
                is_truth(&value, place)?;
            }
            (left_operand, place) = (right, right_place);
        }
        Ok(left_operand)
    }

    /// Parses `or`.
    fn alternatives(&mut self) -> Read<Value> {
        self.joined("or", "||", |parser| {
            parser.joined("xor", "^^", |parser| parser.joined("and", "&&", Self::negation))
        })
    }

    /// Parses `not`, brackets, or a comparison.
    fn negation(&mut self) -> Read<Value> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.fault("nesting limit exceeded"));
        }
        let place = self.fault("");
        let value = if self.takes_keyword("not") || self.takes_symbol("!") {
            let value = self.negation()?;
            is_truth(&Value { is_each: false, ..value.clone() }, &place)?;
            value
        } else if self.takes_symbol("(") {
            let value = self.alternatives()?;
            self.expect(")")?;
            value
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Parses a value, alone or in a comparison.
    fn comparison(&mut self) -> Read<Value> {
        let left_operand = self.value()?;
        let start = self.at;
        let Some(operator) = self.operator() else { return Ok(left_operand) };
        let Value { kind, is_each } = left_operand;
        let is_possible = match operator {
            "contains" | "matches" | "wildcard" => kind == ElementType::Bytes,
            _ => matches!(kind, ElementType::Bytes | ElementType::Int | ElementType::Ip),
        };
        if !is_possible {
            self.at = start;
            // A boolean takes no operator, so the next token is not recognized.
            let reason = match kind {
                ElementType::Bool => "unrecognised input".to_owned(),
                kind => format!("cannot perform this operation on type {kind:?}"),
            };
            return Err(self.fault(reason));
        }
        match operator {
            "in" => self.set(&kind)?,
            "eq" | "contains" if self.is_value() => self.other_side(&kind)?,
            _ => self.literal(&kind, operator)?,
        }
        Ok(Value { kind: ElementType::Bool, is_each })
    }

    /// Consumes the next token if it is an operator.
    fn operator(&mut self) -> Option<&'static str> {
        let operator = match self.peek()? {
            ExpressionToken::Word(word) => match word.as_str() {
                "eq" | "ne" | "lt" | "le" | "gt" | "ge" => "eq",
                "contains" => "contains",
                "matches" => "matches",
                "wildcard" => "wildcard",
                "in" => "in",
                "strict" if matches!(self.spots.get(self.at + 1), Some(Spot { token: ExpressionToken::Word(w), .. }) if w == "wildcard") =>
                {
                    self.at += 1;
                    "wildcard"
                }
                _ => return None,
            },
            ExpressionToken::Symbol("==" | "!=" | "<" | "<=" | ">" | ">=") => "eq",
            ExpressionToken::Symbol("~") => "matches",
            _ => return None,
        };
        self.at += 1;
        Some(operator)
    }

    /// Returns true if the next token begins a field or a call.
    fn is_value(&self) -> bool {
        matches!(self.peek(), Some(ExpressionToken::Word(word)) if FIELDS.iter().any(|f| f.name == word)
            || FUNCTIONS.iter().any(|f| f.name == word))
    }

    /// Parses a field or call on the right side.
    ///
    /// # Sources
    /// developers.cloudflare.com/changelog, 2026-10-01. ASSUMED: both sides are single values of
    /// one type.
    fn other_side(&mut self, kind: &ElementType) -> Read<()> {
        let start = self.at;
        let right = self.value()?;
        if right.kind != *kind || right.is_each {
            self.at = start;
            return Err(
                self.fault(format!("expected value of type {kind:?}, but got {:?}", right.kind))
            );
        }
        Ok(())
    }

    /// Parses the right side of an operator that takes one literal.
    fn literal(&mut self, kind: &ElementType, operator: &str) -> Read<()> {
        let is_literal = match (kind, self.peek()) {
            (ElementType::Bytes, Some(ExpressionToken::Text(text))) => {
                if operator == "wildcard" && text.contains("**") {
                    return Err(self.fault("the wildcard pattern has two asterisks in a row"));
                }
                true
            }
            (ElementType::Int, Some(ExpressionToken::Word(word))) => word.parse::<i64>().is_ok(),
            (ElementType::Ip, Some(ExpressionToken::Word(word))) => word.parse::<IpAddr>().is_ok(),
            _ => false,
        };
        if !is_literal {
            return Err(self.fault(format!("expected literal of type {kind:?}")));
        }
        self.uses.has_regex |= operator == "matches";
        self.at += 1;
        Ok(())
    }

    /// Parses the right side of `in`: a named list, or items in braces separated by spaces.
    fn set(&mut self, kind: &ElementType) -> Read<()> {
        if matches!(self.peek(), Some(ExpressionToken::Word(word)) if word.starts_with('$') && word.len() > 1)
        {
            self.at += 1;
            return Ok(());
        }
        self.expect("{")?;
        let mut items = 0;
        while !self.takes_symbol("}") {
            let is_item = match (kind, self.peek()) {
                (ElementType::Bytes, Some(ExpressionToken::Text(_))) => true,
                (ElementType::Int, Some(ExpressionToken::Word(word))) => {
                    is_range(word, |end| end.parse::<i64>().is_ok())
                }
                (ElementType::Ip, Some(ExpressionToken::Word(word))) => {
                    is_range(word, |end| end.parse::<IpAddr>().is_ok()) || is_network(word)
                }
                (_, Some(ExpressionToken::Symbol(","))) if items > 0 => {
                    return Err(
                        self.fault("invalid digit found in string while parsing with radix 16")
                    );
                }
                _ => false,
            };
            if !is_item {
                return Err(self.fault(format!("expected literal of type {kind:?}")));
            }
            items += 1;
            self.at += 1;
        }
        if items == 0 { Err(self.fault("expected literal in the set")) } else { Ok(()) }
    }

    /// Parses a field or call with its indexes.
    fn value(&mut self) -> Read<Value> {
        let name = match self.peek() {
            Some(ExpressionToken::Word(word)) => word.clone(),
            Some(
                ExpressionToken::Text(_)
                | ExpressionToken::Symbol(_)
                | ExpressionToken::Unclosed
                | ExpressionToken::Strange,
            ) => {
                return Err(self.fault("unrecognised input"));
            }
            None => return Err(self.fault("expected an expression")),
        };
        if name == "true" || name == "false" {
            self.at += 1;
            return Ok(Value { kind: ElementType::Bool, is_each: false });
        }
        let is_call = matches!(
            self.spots.get(self.at + 1),
            Some(Spot { token: ExpressionToken::Symbol("("), .. })
        );
        let mut value =
            match FUNCTIONS.iter().find(|f| is_call && f.name == name && self.has_function(f)) {
                Some(function) => self.call(function)?,
                None => self.field(&name)?,
            };
        while self.takes_symbol("[") {
            value = self.indexed(value)?;
            self.expect("]")?;
        }
        Ok(value)
    }

    /// Returns a field.  # Sources Fields of accounts:
    /// developers.cloudflare.com/ruleset-engine/rules-language/fields, read 2026-11-20. ASSUMED: a
    /// field that is not available here counts as unknown.
    fn field(&mut self, name: &str) -> Read<Value> {
        let is_of_response = self.surroundings.has_response || !self.is_of_request();
        let known_field =
            FIELDS.iter().find(|field| field.name == name).filter(|field| match field.only_in {
                Some("account-level rulesets") => self.surroundings.is_account,
                Some(_) => !self.is_of_request(),
                None => is_of_response || !field.is_of_response,
            });
        let Some(field) = known_field else { return Err(self.fault("unknown identifier")) };
        self.uses.note(field.name, field.needs);
        self.at += 1;
        Ok(Value { kind: field.kind.into(), is_each: false })
    }

    /// Returns true if the phase belongs to the firewall, in which only the request is available.
    fn is_of_request(&self) -> bool {
        matches!(
            self.surroundings.phase,
            "http_request_firewall_custom" | "http_request_firewall_managed" | "http_ratelimit"
        )
    }

    /// Returns true if a function is available. ASSUMED: outside the firewall's phases every
    /// function is available.
    fn has_function(&self, function: &ExpressionFunction) -> bool {
        function.only_in.is_empty()
            || !self.is_of_request()
            || function.only_in.contains(&self.surroundings.phase)
    }

    /// Parses the index of an array or map, up to the closing bracket.
    fn indexed(&mut self, value: Value) -> Read<Value> {
        let reason = format!("cannot index type {:?}", value.kind);
        let inner = match (value.kind, self.peek()) {
            (ElementType::Map(inner), Some(ExpressionToken::Text(_))) => {
                Some((*inner, value.is_each))
            }
            (ElementType::Array(inner), Some(ExpressionToken::Word(word)))
                if word.parse::<u32>().is_ok() =>
            {
                Some((*inner, value.is_each))
            }
            (
                ElementType::Map(inner) | ElementType::Array(inner),
                Some(ExpressionToken::Symbol("*")),
            ) if !value.is_each => Some((*inner, true)),
            _ => None,
        };
        let (kind, is_each) = inner.ok_or_else(|| self.fault(reason))?;
        self.at += 1;
        Ok(Value { kind, is_each })
    }

    fn call(&mut self, function: &'static ExpressionFunction) -> Read<Value> {
        if RATIONED.contains(&function.name) {
            if self.rationed.contains(&function.name) {
                return Err(
                    self.fault(format!("the function {} can be used only once", function.name))
                );
            }
            self.rationed.push(function.name);
        }
        self.uses.note(function.name, function.needs);
        self.at += 2;
        let mut argument_count = 0;
        let mut is_each = false;
        let mut first = None;
        while !self.takes_symbol(")") {
            if argument_count > 0 {
                self.expect(",")?;
            }
            let parameter = match function.parameters.get(argument_count) {
                Some(parameter) => Some(parameter),
                None => function.parameters.last().filter(|_| function.is_variadic),
            };
            let Some(parameter) = parameter else {
                return Err(self.fault(format!("too many arguments of {}", function.name)));
            };
            let start = self.at;
            let argument = self.argument()?;
            if !accepts_value(parameter.kind, &argument) {
                self.at = start;
                let reason = format!(
                    "expected argument {} of another type than {:?}",
                    parameter.name, argument.kind
                );
                return Err(self.fault(reason));
            }
            is_each |= argument.is_each;
            first = first.or(Some(argument.kind));
            argument_count += 1;
        }
        if function.parameters.iter().skip(argument_count).any(|p| !p.is_optional) {
            return Err(self.fault(format!("too few arguments of {}", function.name)));
        }
        // These two reduce many booleans to one; all other functions return one value for each.
        let is_each = is_each && !matches!(function.name, "any" | "all");
        let kind = match (function.name, first) {
            ("coalesce", Some(kind)) => kind,
            _ => function.returns.into(),
        };
        Ok(Value { kind, is_each })
    }

    /// Parses an argument: a literal or an expression.
    fn argument(&mut self) -> Read<Value> {
        let kind = match self.peek() {
            Some(ExpressionToken::Text(_)) => ElementType::Bytes,
            Some(ExpressionToken::Word(word)) if word.parse::<i64>().is_ok() => ElementType::Int,
            Some(ExpressionToken::Word(word)) if word.parse::<IpAddr>().is_ok() => ElementType::Ip,
            _ => return self.alternatives(),
        };
        self.at += 1;
        Ok(Value { kind, is_each: false })
    }
}

/// Returns true if a parameter accepts a value.
fn accepts_value(parameter: ParameterType, value: &Value) -> bool {
    let Value { kind, is_each } = value;
    let is_array = matches!(kind, ElementType::Array(_));
    match parameter {
        ParameterType::Bytes => *kind == ElementType::Bytes,
        ParameterType::Integer => *kind == ElementType::Int,
        ParameterType::Address => *kind == ElementType::Ip,
        ParameterType::BooleanArray => *kind == ElementType::Bool && *is_each,
        ParameterType::BytesArray => *kind == ElementType::Array(Box::new(ElementType::Bytes)),
        ParameterType::BytesOrArray => *kind == ElementType::Bytes || is_array,
        ParameterType::BytesOrInteger => matches!(kind, ElementType::Bytes | ElementType::Int),
        ParameterType::Scalar => {
            matches!(kind, ElementType::Int | ElementType::Bool | ElementType::Ip)
        }
        ParameterType::Map => matches!(kind, ElementType::Map(_)),
        ParameterType::Collection => match kind {
            ElementType::Array(item) | ElementType::Map(item) => {
                !matches!(**item, ElementType::Array(_) | ElementType::Map(_))
            }
            _ => false,
        },
        ParameterType::Single => !matches!(kind, ElementType::Array(_) | ElementType::Map(_)),
    }
}

/// Returns true if a word is one literal, or two with `..` between them.
fn is_range(word: &str, is_end: impl Fn(&str) -> bool) -> bool {
    match word.split_once("..") {
        Some((first, last)) => is_end(first) && is_end(last),
        None => is_end(word),
    }
}

/// Returns true if a word is an address with a prefix length and without bits beyond it.
/// Cloudflare's engine refuses such bits with "host part of address was not zero" (seen of its
/// parser, 2026-11-22).
fn is_network(word: &str) -> bool {
    let Some((address, bits)) = word.split_once('/') else { return false };
    let (Ok(address), Ok(bits)) = (address.parse::<IpAddr>(), bits.parse::<u32>()) else {
        return false;
    };
    let (number, longest) = match address {
        IpAddr::V4(v4) => (u128::from(v4.to_bits()), 32),
        IpAddr::V6(v6) => (v6.to_bits(), 128),
    };
    bits <= longest && number.trailing_zeros().min(longest) >= longest - bits
}

#[cfg(test)]
#[path = "parser_tests.rs"]
mod tests;
