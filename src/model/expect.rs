//! What must hold of a zone, whatever is planned.
//!
//! A new kind of expectation is a variant of [`Expected`]; the compiler then names every place that has to judge or print it.

use std::collections::BTreeSet;

use ipnet::IpNet;

use super::name::Fqdn;
use super::rdata::{Rdata, RecordType};
use crate::diagnostic::Place;

/// Something that must hold, with the name that its author gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// Its name.
    pub name: String,
    /// Its place.
    pub place: Place,
    /// What must hold.
    pub what: Expected,
}

/// What must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// A name has this answer.
    Answer {
        /// The name.
        name: Fqdn,
        /// The type that is asked.
        record_type: RecordType,
        /// The answer.
        answer: ExpectedAnswer,
    },
}

/// An answer that must be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedAnswer {
    /// No record of the type, or no such name.
    Nothing,
    /// Cloudflare's edge: the name is proxied.
    Edge,
    /// Exactly these values, in any order.
    Is(BTreeSet<Rdata>),
    /// Addresses that are all in these networks, at least one.
    Within(Vec<IpNet>),
}
