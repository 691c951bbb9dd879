//! Reads the fields of a value: one method for each kind of field, and every error is recorded.

use super::super::facts::{FieldKind, TypeFacts};
use super::super::fields::{Fields, Value};
use super::super::name::Fqdn;
use super::hex_and_base64::Digits;
use super::host_name::{Root, parse_host};
use super::{DataError, presentation};

/// Reads the fields of one value and collects every error.
pub(super) struct FieldReader<'a> {
    facts: &'static TypeFacts,
    fields: &'a Fields,
    /// Errors found so far.
    pub(super) errors: Vec<DataError>,
}

impl<'a> FieldReader<'a> {
    pub(super) fn new(facts: &'static TypeFacts, fields: &'a Fields) -> Self {
        Self { facts, fields, errors: Vec::new() }
    }

    /// Returns the value of a required field, or records an error.
    fn required(&mut self, name: &'static str) -> Option<&'a Value> {
        match self.fields.get(name) {
            Some(Value::Null) | None => {
                let about = self.facts.field(name).map_or("", |f| f.about);
                self.errors.push(
                    DataError::field(name, format!("{} records need `{name}`", self.facts.name))
                        .help(format!("add `{name}`: {about}")),
                );
                None
            }
            Some(value) => Some(value),
        }
    }

    /// Reads a text, also from a number.
    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        match self.required(name)? {
            Value::Text(text) | Value::Decimal(text) => Some(text.clone()),
            Value::Integer(n) => Some(n.to_string()),
            other => {
                self.errors.push(DataError::field(name, format!("`{name}` is text, not {other}")));
                None
            }
        }
    }

    /// Reads a whole number up to `max`, also from decimal text.
    pub(super) fn integer(&mut self, name: &'static str, max: u32) -> Option<u32> {
        let value = self.required(name)?;
        let number = match value {
            Value::Integer(n) => u32::try_from(*n).ok(),
            Value::Text(text) => presentation::integer(text),
            Value::Null | Value::Bool(_) | Value::Decimal(_) | Value::List(_) | Value::Map(_) => {
                None
            }
        };
        match number {
            Some(n) if n <= max => Some(n),
            _ => {
                self.errors.push(
                    DataError::field(
                        name,
                        format!("`{name}` is {value}, not a whole number from 0 to {max}"),
                    )
                    .help(format!("write a number from 0 to {max}")),
                );
                None
            }
        }
    }

    pub(super) fn u16(&mut self, name: &'static str) -> Option<u16> {
        self.integer(name, u32::from(u16::MAX)).and_then(|n| u16::try_from(n).ok())
    }

    pub(super) fn u8(&mut self, name: &'static str) -> Option<u8> {
        self.integer(name, u32::from(u8::MAX)).and_then(|n| u8::try_from(n).ok())
    }

    /// Reads a text; `None` if the field is missing or null.
    pub(super) fn optional_text(&mut self, name: &'static str) -> Option<String> {
        match self.fields.get(name) {
            None | Some(Value::Null) => Some(String::new()),
            Some(_) => self.text(name),
        }
    }

    /// Reads hexadecimal digits; blanks and line breaks are ignored.
    pub(super) fn hex(&mut self, name: &'static str) -> Option<Vec<u8>> {
        let text = self.text(name)?;
        self.keep(Digits::of_text(&text).hex(name))
    }

    /// Reads base64; blanks and line breaks are ignored.
    pub(super) fn base64(&mut self, name: &'static str) -> Option<Vec<u8>> {
        let text = self.text(name)?;
        self.keep(Digits::of_text(&text).base64(name))
    }

    /// Reads a decimal number in units of its last place, within the bounds of its facts.
    pub(super) fn decimal(&mut self, name: &'static str) -> Option<i64> {
        let Some(FieldKind::Decimal { min, max, places }) = self.facts.field(name).map(|f| f.kind)
        else {
            return None;
        };
        let text = self.text(name)?;
        let number =
            presentation::parse_decimal(text.trim(), places).filter(|n| (min..=max).contains(n));
        let shown = |n| presentation::fixed(n, places);
        self.keep(number.ok_or_else(|| {
            let bounds =
                format!("from {} to {} with at most {places} decimals", shown(min), shown(max));
            DataError::field(name, format!("`{name}` is {text}, not a number {bounds}"))
                .help(format!("write a number {bounds}"))
        }))
    }

    /// Returns the value, or records the error.
    pub(super) fn keep<T>(&mut self, result: Result<T, DataError>) -> Option<T> {
        result.map_err(|e| self.errors.push(e)).ok()
    }

    pub(super) fn host(&mut self, name: &'static str, root: Root) -> Option<Fqdn> {
        let text = self.text(name)?;
        match parse_host(name, &text, root) {
            Ok(host) => Some(host),
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    /// Reads a value that fills `content`, in presentation form.
    pub(super) fn content<T>(
        mut self,
        parse: impl FnOnce(&str) -> Result<T, DataError>,
    ) -> Result<T, Vec<DataError>> {
        let text = self.text("content");
        let value = text.and_then(|text| self.keep(parse(&text)));
        self.finish(value)
    }

    /// Returns the value if no error was recorded, otherwise all errors.
    pub(super) fn finish<T>(self, value: Option<T>) -> Result<T, Vec<DataError>> {
        match value {
            Some(value) if self.errors.is_empty() => Ok(value),
            _ => Err(self.errors),
        }
    }
}
