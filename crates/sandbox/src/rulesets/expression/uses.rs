//! The features that an expression may use, and the features that it uses.

use zonewright_model::facts::expressions::Needs;

/// The context of an expression, which determines the available features.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// True if it belongs to a ruleset of an account.
    pub(super) is_account: bool,
    /// The phase of its ruleset.
    pub(super) phase: &'a str,
    /// True if the response is available.
    pub(super) has_response: bool,
}

/// The reason why an expression cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Characters before the error.
    pub(super) column: usize,
    /// Length of the error in characters.
    pub(super) width: usize,
    pub(super) reason: String,
}

/// The features of an expression that not every plan has.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Uses {
    /// Fields and functions, with the plans that have them.
    pub(super) names: Vec<(&'static str, Needs)>,
    /// True if it uses regular expressions.
    pub(super) has_regex: bool,
}

impl Uses {
    /// Adds a field or function, unless it was added already.
    pub(super) fn note(&mut self, name: &'static str, needs: Needs) {
        if !self.names.contains(&(name, needs)) {
            self.names.push((name, needs));
        }
    }
}
