//! The values that an evaluation computes with.

use std::net::IpAddr;

use super::Reasons;

/// The value of a field, of a part of it, or of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value<'v> {
    /// The sample does not contain it, for these reasons of the program.
    Unknown(Reasons),
    /// The request does not have it.
    Missing,
    /// True or false.
    Truth(bool),
    /// A whole number.
    Integer(i64),
    /// An address.
    Address(IpAddr),
    /// Text.
    Bytes(&'v [u8]),
    /// Values by number.
    Array(&'v [Value<'v>]),
    /// Values by name; each name occurs once.
    Map(&'v [(&'v [u8], Value<'v>)]),
}
