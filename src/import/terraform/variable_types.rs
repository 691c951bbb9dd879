//! Applies type constraints of variables: a value gets the defaults of `optional` attributes, and
//! scalars are converted.
//!
//! # Sources
//! developer.hashicorp.com/terraform/language/expressions/type-constraints, read 2026-11-22.

use std::collections::BTreeMap;

use hcl_edit::expr::{Expression, FuncCall, ObjectKey};

use super::evaluate::Scope;
use super::functions::set;
use super::value::Term;
use crate::model::Gather;

/// Converts a value to the type of its variable. A part that does not fit is returned unchanged;
/// Terraform would refuse it.
pub(super) fn conform(value: Term, kind: &Expression, scope: &Scope<'_>) -> Term {
    match (kind, value) {
        (_, value @ (Term::Null | Term::Missing(_))) => value,
        (Expression::Parenthesis(inner), value) => conform(value, inner.inner(), scope),
        (Expression::Variable(name), value) => scalar(value, name.as_str()),
        (Expression::FuncCall(call), value) => constructed(value, call, scope),
        (_, value) => value,
    }
}

/// Converts a scalar to a primitive type.
fn scalar(value: Term, kind: &str) -> Term {
    let converted = match kind {
        "string" => value.text().map(Term::Text),
        "number" => value.number().map(Term::Number),
        "bool" => value.truth().map(Term::Bool),
        _ => None,
    };
    converted.unwrap_or(value)
}

/// Converts a value to a constructed type: `list(…)`, `object({…})` and others.
fn constructed(value: Term, call: &FuncCall, scope: &Scope<'_>) -> Term {
    let Some(argument) = call.args.iter().next() else { return value };
    match (call.name.name.as_str(), value) {
        ("optional", value) => conform(value, argument, scope),
        ("list", Term::List(items)) => {
            Term::List(items.into_iter().map(|item| conform(item, argument, scope)).collect())
        }
        ("set", Term::List(items)) => {
            set(&items.into_iter().map(|item| conform(item, argument, scope)).collect::<Vec<_>>())
        }
        ("map", Term::Map(members)) => {
            let member = |(name, value)| (name, conform(value, argument, scope));
            Term::Map(members.into_iter().map(member).gather())
        }
        ("object", Term::Map(members)) => object(members, argument, scope),
        (_, value) => value,
    }
}

/// Converts an object. Optional attributes that are absent or null get their defaults.
fn object(mut members: BTreeMap<String, Term>, attributes: &Expression, scope: &Scope<'_>) -> Term {
    let Expression::Object(attributes) = attributes else { return Term::Map(members) };
    for (key, kind) in attributes {
        let name = match key {
            ObjectKey::Ident(name) => name.to_string(),
            ObjectKey::Expression(Expression::Variable(name)) => name.to_string(),
            ObjectKey::Expression(Expression::String(name)) => name.value().clone(),
            ObjectKey::Expression(_) => continue,
        };
        let kind = kind.expr();
        let default = match kind {
            Expression::FuncCall(call) if call.name.name.as_str() == "optional" => {
                Some(call.args.iter().nth(1).map_or(Term::Null, |default| scope.evaluate(default)))
            }
            _ => None,
        };
        let value = members
            .remove(&name)
            .filter(|value| default.is_none() || *value != Term::Null)
            .or(default);
        if let Some(value) = value {
            members.insert(name, conform(value, kind, scope));
        }
    }
    Term::Map(members)
}
