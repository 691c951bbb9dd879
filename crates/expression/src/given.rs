//! Values of fields that an author states.

use std::fmt;
use std::net::IpAddr;

use bumpalo::Bump;
use bumpalo::collections::Vec as Items;

use crate::evaluate::Value;
use crate::vocabulary::FieldType;

/// The value of a field that an author states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// True or false.
    Truth(bool),
    /// A number.
    Integer(i64),
    /// Text, or an address for a field that has addresses.
    Text(String),
    /// Several values.
    Several(Vec<Given>),
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truth(truth) => write!(f, "{truth}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Several(items) => items
                .iter()
                .enumerate()
                .try_for_each(|(n, item)| write!(f, "{}{item}", if n > 0 { ", " } else { "" })),
        }
    }
}

impl Given {
    /// Returns the value for a field of this type; `None` if the field cannot have it.
    pub(crate) fn as_value<'g>(&'g self, kind: FieldType, arena: &'g Bump) -> Option<Value<'g>> {
        let several = |items: &'g [Self], kind: FieldType| -> Option<Value<'g>> {
            let mut values = Items::with_capacity_in(items.len(), arena);
            for item in items {
                values.push(item.as_value(kind, arena)?);
            }
            Some(Value::Array(values.into_bump_slice()))
        };
        match (kind, self) {
            (FieldType::Boolean, Self::Truth(truth)) => Some(Value::Truth(*truth)),
            (FieldType::Integer, Self::Integer(number)) => Some(Value::Integer(*number)),
            (FieldType::Bytes, Self::Text(text)) => Some(Value::Bytes(text.as_bytes())),
            (FieldType::Address, Self::Text(text)) => {
                text.parse::<IpAddr>().ok().map(Value::Address)
            }
            (FieldType::BytesArray, Self::Several(items)) => several(items, FieldType::Bytes),
            (FieldType::IntegerArray, Self::Several(items)) => several(items, FieldType::Integer),
            _ => None,
        }
    }
}
