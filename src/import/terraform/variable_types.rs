//! Applies type constraints of variables: a value gets the defaults of `optional` attributes, and
//! scalars are converted.
//!
//! # Sources
//! developer.hashicorp.com/terraform/language/expressions/type-constraints, read 2026-11-22.

use std::collections::BTreeMap;

use hcl_edit::expr::{Expression, FuncCall, ObjectKey};

use super::evaluate::Scope;
use super::sets::{of_one_type, set};
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
        "number" => value.to_number(),
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
        ("list", Term::List(items) | Term::Set(items)) => {
            Term::List(elements(items, argument, scope))
        }
        ("set", Term::List(items) | Term::Set(items)) => set(&elements(items, argument, scope)),
        ("map", Term::Map(members)) => {
            let (names, values): (Vec<_>, Vec<_>) = members.into_iter().unzip();
            Term::Map(names.into_iter().zip(elements(values, argument, scope)).gather())
        }
        ("tuple", Term::List(items)) => {
            let Expression::Array(kinds) = argument else { return Term::List(items) };
            let kinds = kinds.iter().map(Some).chain(std::iter::repeat(None));
            let converted = |(item, kind): (Term, Option<&Expression>)| match kind {
                Some(kind) => conform(item, kind, scope),
                None => item,
            };
            Term::List(items.into_iter().zip(kinds).map(converted).collect())
        }
        ("object", Term::Map(members)) => object(members, argument, scope),
        (_, value) => value,
    }
}

/// Converts the elements of a collection. Elements of any type get one type.
fn elements(items: Vec<Term>, kind: &Expression, scope: &Scope<'_>) -> Vec<Term> {
    of_one_type(items.into_iter().map(|item| conform(item, kind, scope)).collect())
}

/// Converts an object. Optional attributes that are absent or null get their defaults. Members that
/// the type does not have are dropped.
fn object(mut members: BTreeMap<String, Term>, attributes: &Expression, scope: &Scope<'_>) -> Term {
    let Expression::Object(attributes) = attributes else { return Term::Map(members) };
    let mut converted = BTreeMap::new();
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
            converted.insert(name, conform(value, kind, scope));
        }
    }
    Term::Map(converted)
}
