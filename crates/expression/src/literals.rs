//! Checks that literals have the type of the value that they are compared with.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/values (sets, ranges, lists), read
//! 2026-11-20.

use crate::canonical;
use crate::check::{OperandType, Position, Scalar};
use crate::checked_expression::Check;
use crate::problem::{nearest, quoted};
use crate::syntax::{ComparedValue, Comparison, Item, Literal, Operand, Operator, Span};
use crate::vocabulary::MANAGED_LISTS;

impl Check<'_> {
    /// Returns true if the right side has the type on the left. Reports other types.
    pub(super) fn fits_operand(&mut self, comparison: &Comparison, scalar: Scalar) -> bool {
        match &comparison.right {
            ComparedValue::Literal(literal) => {
                let span = &comparison.right_span;
                if let (Literal::Network(_), Scalar::Address) = (literal, scalar) {
                    let (left, shown) = (self.shown(&comparison.left.span), self.shown(span));
                    let not = if comparison.operator == Operator::NotEqual { "not " } else { "" };
                    let help = format!("write `{not}{left} in {{{shown}}}`");
                    let message = format!(
                        "`{shown}` is a network; `{}` compares addresses",
                        comparison.operator.keyword()
                    );
                    self.problems.error(span.clone(), "network-outside-set", message, help);
                    return false;
                }
                self.literal(literal, scalar, span, &comparison.left)
            }
            ComparedValue::Set(items) => items.iter().fold(true, |fine, (item, span)| {
                fine & match item {
                    Item::One(literal) => self.literal(literal, scalar, span, &comparison.left),
                    Item::Range(first, last) => {
                        self.range(first, last, scalar, span, &comparison.left)
                    }
                }
            }),
            ComparedValue::List(name) => self.list(name, scalar, &comparison.right_span),
            ComparedValue::Operand(right) => self.compared_operand(right, scalar, comparison),
            ComparedValue::Broken => false,
        }
    }

    /// Returns true if a field or call on the right is a single value of a type. Reports it
    /// otherwise.
    fn compared_operand(
        &mut self,
        right: &Operand,
        scalar: Scalar,
        comparison: &Comparison,
    ) -> bool {
        let Some(right_type) = self.operand(right, Position::Outside) else { return false };
        if right_type == OperandType::plain(scalar) {
            return true;
        }
        let (left, shown) = (self.shown(&comparison.left.span), self.shown(&right.span));
        let is = match right_type.layers.is_empty() {
            true => right_type.scalar.name(),
            false => "not a single value",
        };
        let message = format!("`{shown}` is {is}; `{left}` is {}", scalar.name());
        let help = format!("compare with {}", scalar.name());
        self.problems.error(right.span.clone(), "wrong-type", message, help);
        false
    }

    /// Reports literals that are invalid for every type.
    pub(super) fn of_unknown_type(&mut self, right: &ComparedValue, span: &Span) {
        let mut unquoted = |literal: &Literal, span: &Span| {
            if let Literal::Unquoted(text) = literal {
                let message = format!("`{}` is without quotes", quoted(text));
                let help = format!(
                    "write `{}` if it is text",
                    quoted(&canonical::quoted(text.as_bytes()))
                );
                self.problems.error(span.clone(), "unquoted-text", message, help);
            }
        };
        match right {
            ComparedValue::Literal(literal) => unquoted(literal, span),
            ComparedValue::Set(items) => {
                for (item, span) in items {
                    match item {
                        Item::One(literal) => unquoted(literal, span),
                        Item::Range(first, last) => {
                            unquoted(first, span);
                            unquoted(last, span);
                        }
                    }
                }
            }
            ComparedValue::Operand(right) => drop(self.operand(right, Position::Outside)),
            ComparedValue::List(_) | ComparedValue::Broken => {}
        }
    }

    /// Returns true if a literal has a type. Reports another type.
    fn literal(&mut self, literal: &Literal, scalar: Scalar, span: &Span, left: &Operand) -> bool {
        let shown = self.shown(span);
        let bytes = match literal {
            Literal::Bytes(bytes) => String::from_utf8_lossy(bytes).trim().to_owned(),
            _ => self.text[span.clone()].to_owned(),
        };
        let text = quoted(&canonical::quoted(self.text[span.clone()].as_bytes()));
        let help = match (scalar, literal) {
            (Scalar::Bytes, Literal::Bytes(_)) | (Scalar::Integer, Literal::Integer(_)) => {
                return true;
            }
            (Scalar::Address, Literal::Address(_)) => return true,
            (Scalar::Address, Literal::Network(network)) => {
                if let Some(masked) = canonical::has_host_bits(network) {
                    let message = format!("`{shown}` has bits set outside its network prefix");
                    let help = format!("write `{masked}`, or the address alone");
                    self.problems.error(span.clone(), "host-bits", message, help);
                    return false;
                }
                return true;
            }
            (Scalar::Bytes, _) => format!("write `{text}`"),
            (Scalar::Integer, Literal::Bytes(_)) if bytes.parse::<i64>().is_ok() => {
                format!("write `{bytes}` without quotes")
            }
            (Scalar::Integer, _) => "write a number without quotes".to_owned(),
            (Scalar::Address, Literal::Bytes(_))
                if bytes.parse::<std::net::IpAddr>().is_ok()
                    || bytes.parse::<ipnet::IpNet>().is_ok() =>
            {
                format!("write `{bytes}` without quotes")
            }
            (Scalar::Address, Literal::Unquoted(text)) if text.contains('-') => {
                format!("write `{}` for a range", quoted(&text.replace('-', "..")))
            }
            (Scalar::Address, Literal::Unquoted(text)) if text.ends_with(".*") => {
                format!(
                    "write `{}.0/24` for all of them, in a set",
                    quoted(text.trim_end_matches(".*"))
                )
            }
            (Scalar::Address, _) => {
                "write an address such as `192.0.2.1` or, in a set, a network".to_owned()
            }
            (Scalar::Boolean, _) => "write a boolean alone, without an operator".to_owned(),
        };
        let (code, what) = match literal {
            Literal::Unquoted(_) if scalar == Scalar::Bytes => {
                ("unquoted-text", "is without quotes".to_owned())
            }
            Literal::Integer(_)
            | Literal::Address(_)
            | Literal::Network(_)
            | Literal::Bytes(_)
            | Literal::Truth(_)
            | Literal::Unquoted(_) => {
                let left_text = self.shown(&left.span);
                ("wrong-type", format!("is not {}, as `{left_text}` is", scalar.name()))
            }
        };
        self.problems.error(span.clone(), code, format!("`{shown}` {what}"), help);
        false
    }

    /// Returns true if a range has a type and is in order. Reports other ranges.
    fn range(
        &mut self,
        first: &Literal,
        last: &Literal,
        scalar: Scalar,
        span: &Span,
        left: &Operand,
    ) -> bool {
        let shown = self.shown(span);
        let is_reversed = match (first, last, scalar) {
            (Literal::Integer(first), Literal::Integer(last), Scalar::Integer) => first > last,
            (Literal::Address(first), Literal::Address(last), Scalar::Address) => {
                if first.is_ipv4() != last.is_ipv4() {
                    let message =
                        format!("`{shown}` goes from one family of addresses to the other");
                    self.problems.error(
                        span.clone(),
                        "wrong-type",
                        message,
                        "write one range for each",
                    );
                    return false;
                }
                first > last
            }
            _ => {
                let left_text = self.shown(&left.span);
                let message = format!(
                    "`{left_text}` is {}, and `{shown}` is not a range of that type",
                    scalar.name()
                );
                let help =
                    "only numbers (`80..90`) and addresses (`192.0.2.1..192.0.2.9`) have ranges";
                self.problems.error(span.clone(), "wrong-type", message, help);
                return false;
            }
        };
        if is_reversed {
            let (first, last) = shown.split_once("..").unwrap_or((&shown, ""));
            let help = format!("write `{}..{}`", last.trim(), first.trim());
            self.problems.error(
                span.clone(),
                "reversed-range",
                format!("`{shown}` ends before it begins"),
                help,
            );
        }
        !is_reversed
    }

    /// Returns true if a list name is valid and its items have the type on the left. Reports other
    /// lists.
    fn list(&mut self, name: &str, scalar: Scalar, span: &Span) -> bool {
        if MANAGED_LISTS.contains(&name) {
            if scalar != Scalar::Address {
                let message = format!("`{name}` holds addresses, not {}", scalar.name());
                self.problems.error(
                    span.clone(),
                    "wrong-type",
                    message,
                    format!("write `ip.src in {name}`"),
                );
            }
            return scalar == Scalar::Address;
        }
        let bare = name.strip_prefix('$').unwrap_or(name);
        if !bare.is_empty()
            && bare.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        {
            return true;
        }
        let (message, help) = if bare.starts_with("cf.") {
            let help = match nearest(name, MANAGED_LISTS.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", MANAGED_LISTS.join(", ")),
            };
            (format!("Cloudflare maintains no list `{name}`"), help)
        } else {
            let help = "lists are named in lower-case letters, digits and `_`".to_owned();
            (format!("`{name}` cannot be the name of a list"), help)
        };
        self.problems.error(span.clone(), "unknown-list", message, help);
        false
    }
}
