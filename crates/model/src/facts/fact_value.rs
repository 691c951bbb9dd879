//! A value of a setting as plain data.

/// A value of a setting, such as its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactValue {
    /// JSON `null`.
    Null,
    /// A boolean.
    Switch(bool),
    /// A whole number.
    Number(u32),
    /// A string.
    Word(&'static str),
    /// JSON `[]`.
    EmptyList,
    /// Members in order.
    Object(&'static [(&'static str, FactValue)]),
}
