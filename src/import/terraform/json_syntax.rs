//! Reads configurations in Terraform's JSON syntax as the blocks of its native syntax.
//!
//! # Sources
//! developer.hashicorp.com/terraform/language/syntax/json, and github.com/hashicorp/hcl
//! `json/spec.md` (strings are templates, except where Terraform needs a literal; a property can
//! occur several times), read 2026-11-27.

use std::str::FromStr;

use hcl_edit::expr::{Array, Expression, Object, ObjectKey, ObjectValue};
use hcl_edit::structure::{Attribute, Block, Body};
use hcl_edit::template::{HeredocTemplate, Template};
use hcl_edit::{Ident, Number};
use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};

use super::body::{BodyError, hold_memory};
use super::nesting::is_too_deep;
use crate::model::EvaluationBudget;
use crate::wire::json::{self, JsonError};

/// Maximum number of values in a file.
const MOST_VALUES: usize = 300_000;
/// Maximum number of members of an object or block. Each one is compared with all others.
const MOST_MEMBERS: usize = 10_000;
/// Blocks at the top of a file with their numbers of labels. Other blocks declare no values.
const BLOCKS: &[(&str, usize)] =
    &[("resource", 2), ("data", 2), ("variable", 1), ("output", 1), ("module", 1), ("locals", 0)];
/// Properties of a resource that are blocks of Terraform itself.
const NESTED_BLOCKS: &[&str] = &["lifecycle", "dynamic", "connection", "provisioner", "timeouts"];

/// A value of a JSON file. Unlike `serde_json`, it keeps properties that occur several times.
enum Node {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Text(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

/// How the strings of a block are read.
#[derive(Clone, Copy, PartialEq)]
enum Strings {
    /// As templates.
    Templates,
    /// As texts: Terraform evaluates nothing in the block.
    Literals,
}

/// Reason why a file is invalid.
type Why = String;

/// Reads a file within the remaining memory.
pub(super) fn parse(text: &str, memory: &EvaluationBudget) -> Result<Body, BodyError> {
    hold_memory(text, memory)?;
    let root: Node =
        json::parse_limited(text.as_bytes(), MOST_VALUES).map_err(|error| match error {
            JsonError::Syntax(error) => {
                BodyError::Refused(format!("it is not valid JSON: {error}"))
            }
            error => BodyError::Refused(error.to_string()),
        })?;
    let mut body = Body::new();
    for (name, value) in properties(root).map_err(BodyError::Refused)? {
        if let Some((name, labels)) = BLOCKS.iter().find(|(known, _)| *known == name) {
            add_blocks(name, value, *labels, &mut Vec::new(), &mut body)
                .map_err(|why| BodyError::Refused(format!("`{name}`: {why}")))?;
        }
    }
    Ok(body)
}

/// Returns the properties of a body: an object, or a list of objects. `//` is a comment.
fn properties(node: Node) -> Result<Vec<(String, Node)>, Why> {
    let pairs = match node {
        Node::Null => Vec::new(),
        Node::Object(members) => members,
        Node::List(items) => {
            let items = items.into_iter().map(properties).collect::<Result<Vec<_>, _>>()?;
            items.into_iter().flatten().collect()
        }
        _ => return Err("an object is expected".to_owned()),
    };
    Ok(pairs.into_iter().filter(|(name, _)| name != "//").collect())
}

/// Adds the blocks of a kind. Each missing label is one level of objects.
fn add_blocks(
    kind: &str,
    node: Node,
    missing_labels: usize,
    labels: &mut Vec<String>,
    body: &mut Body,
) -> Result<(), Why> {
    match node {
        Node::Null => {}
        Node::List(items) => {
            for item in items {
                add_blocks(kind, item, missing_labels, labels, body)?;
            }
        }
        node if missing_labels == 0 => {
            let mut block = Block::new(identifier(kind)?);
            block.labels = labels.iter().map(|label| label.as_str().into()).collect();
            block.body = block_body(kind, node)?;
            body.push(block);
        }
        node => {
            for (label, inner) in properties(node)? {
                labels.push(label);
                add_blocks(kind, inner, missing_labels - 1, labels, body)?;
                labels.pop();
            }
        }
    }
    Ok(())
}

/// Converts the properties of a block.
fn block_body(kind: &str, node: Node) -> Result<Body, Why> {
    let strings = match kind {
        "variable" | "lifecycle" => Strings::Literals,
        _ => Strings::Templates,
    };
    let mut body = Body::new();
    for (name, value) in bounded(properties(node)?)? {
        let is_of_resource = kind == "resource" || kind == "data";
        if is_of_resource && NESTED_BLOCKS.contains(&name.as_str()) {
            add_blocks(&name, value, 0, &mut Vec::new(), &mut body)?;
            continue;
        }
        if body.has_attribute(&name) {
            return Err(format!("`{name}` occurs twice"));
        }
        let value = match value {
            Node::Text(text) if (kind, name.as_str()) == ("variable", "type") => {
                type_of_variable(&text)?
            }
            value => expression(value, strings)?,
        };
        body.push(Attribute::new(identifier(&name)?, value));
    }
    Ok(body)
}

/// Fails if there are too many members.
fn bounded(members: Vec<(String, Node)>) -> Result<Vec<(String, Node)>, Why> {
    match members.len() {
        0..=MOST_MEMBERS => Ok(members),
        count => Err(format!("an object has {count} members, more than {MOST_MEMBERS}")),
    }
}

/// Returns the type constraint in a string.
fn type_of_variable(text: &str) -> Result<Expression, Why> {
    let invalid = || format!("the type `{text}` is invalid");
    if is_too_deep(text) {
        return Err(invalid());
    }
    Expression::from_str(text.trim()).map_err(|_| invalid())
}

fn identifier(name: &str) -> Result<Ident, Why> {
    Ident::try_new(name).map_err(|_| format!("`{name}` is not a name"))
}

/// Converts a value to an expression.
fn expression(node: Node, strings: Strings) -> Result<Expression, Why> {
    Ok(match node {
        Node::Null => Expression::null(),
        Node::Bool(is_true) => is_true.into(),
        Node::Number(number) => number_literal(&number)?,
        Node::Text(text) => text_expression(text, strings)?,
        Node::List(items) => {
            let items = items.into_iter().map(|item| expression(item, strings));
            Array::from(items.collect::<Result<Vec<_>, _>>()?).into()
        }
        Node::Object(members) => {
            let mut object = Object::new();
            for (name, value) in bounded(members)? {
                let shown = name.clone();
                let key = ObjectKey::from(text_expression(name, strings)?);
                let value = ObjectValue::new(expression(value, strings)?);
                if object.insert(key, value).is_some() {
                    return Err(format!("`{shown}` occurs twice"));
                }
            }
            object.into()
        }
    })
}

/// Converts a number.
fn number_literal(number: &serde_json::Number) -> Result<Expression, Why> {
    let integer = number.as_u64().map(Number::from).or(number.as_i64().map(Number::from));
    let fraction = || number.as_f64().and_then(Number::from_f64);
    let literal = integer.or_else(fraction).map(Expression::from);
    literal.ok_or_else(|| format!("the number {number} is not read"))
}

/// Converts a string, which can be a template.
fn text_expression(text: String, strings: Strings) -> Result<Expression, Why> {
    let is_template = text.contains("${") || text.contains("%{");
    if strings == Strings::Literals || !is_template {
        return Ok(text.into());
    }
    let invalid = || {
        let shown: String = text.chars().take(80).collect();
        format!("the template `{shown}` is invalid")
    };
    if is_too_deep(&format!("\"{text}")) {
        return Err(invalid());
    }
    let template = Template::from_str(&text).map_err(|_| invalid())?;
    // The literals of a heredoc have no escapes, like those of a string after its escapes in JSON.
    Ok(HeredocTemplate::new(identifier("EOT")?, template).into())
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Nodes;
        impl<'de> Visitor<'de> for Nodes {
            type Value = Node;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("a value")
            }

            fn visit_unit<E>(self) -> Result<Node, E> {
                Ok(Node::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
                Ok(Node::Bool(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
                Ok(Node::Number(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
                Ok(Node::Number(value.into()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
                Ok(serde_json::Number::from_f64(value).map_or(Node::Null, Node::Number))
            }

            fn visit_str<E>(self, value: &str) -> Result<Node, E> {
                Ok(Node::Text(value.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = access.next_element()? {
                    items.push(item);
                }
                Ok(Node::List(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = access.next_entry()? {
                    members.push(member);
                }
                Ok(Node::Object(members))
            }
        }
        deserializer.deserialize_any(Nodes)
    }
}
