//! The rules language.

/// An expression as somebody wrote it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expression(String);

impl Expression {
    /// From the service: never fails.
    #[must_use]
    pub fn reported(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// As written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// In its canonical form.
    #[must_use]
    pub fn canonical(&self) -> &str {
        &self.0
    }
}
