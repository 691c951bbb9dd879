//! The results of an evaluation: true, false, or unknown for some reasons.

/// The reason why something is unknown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The sample does not contain this field.
    Field(String),
    /// The items of this list are unknown.
    List(String),
    /// This function depends on more than the request.
    Function(String),
    /// This regular expression is too large to run.
    Pattern(String),
}

impl Reason {
    /// Describes what is unknown.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Field(name) => name.clone(),
            Self::List(name) => format!("the list {name}"),
            Self::Function(name) => format!("{name}()"),
            Self::Pattern(text) => format!("the regular expression `{text}`"),
        }
    }
}

/// The reasons of a program that apply, as bits. The last bit is shared by all reasons from the
/// 64th on.
pub type Reasons = u64;

/// The result of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// The request does not match.
    False,
    /// The request matches.
    True,
    /// The result depends on something that the sample does not contain.
    Unknown(Reasons),
}

impl Truth {
    /// Returns a known result.
    #[must_use]
    pub fn of(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }

    /// Returns the opposite.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::True => Self::False,
            Self::Unknown(reasons) => Self::Unknown(reasons),
        }
    }

    /// Returns true if both are true, and false if one is false.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, other) => other,
            (one, Self::True) => one,
            (Self::Unknown(one), Self::Unknown(other)) => Self::Unknown(one | other),
        }
    }

    /// Returns true if one is true, and false if both are false.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.negated().and(other.negated()).negated()
    }

    /// Returns true if exactly one is true.
    #[must_use]
    pub fn xor(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown(one), Self::Unknown(other)) => Self::Unknown(one | other),
            (Self::Unknown(reasons), _) | (_, Self::Unknown(reasons)) => Self::Unknown(reasons),
            (one, other) => Self::of(one != other),
        }
    }
}
