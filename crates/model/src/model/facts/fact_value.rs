//! A value of a setting as plain data.

/// A value of a setting, such as its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactValue {
    /// Nothing.
    Null,
    /// True or false.
    Switch(bool),
    /// A whole number.
    Number(u32),
    /// A word.
    Word(&'static str),
    /// A list without members.
    EmptyList,
    /// Members by name.
    Object(&'static [(&'static str, FactValue)]),
}
