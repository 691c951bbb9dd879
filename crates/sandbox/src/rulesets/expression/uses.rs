//! What an expression may use, and what it uses.

use zonewright_model::model::facts::expressions::Needs;

/// The context of an expression that decides what can be used in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// Whether it belongs to a ruleset of an account.
    pub(super) is_account: bool,
    /// The phase of its ruleset.
    pub(super) phase: &'a str,
    /// Whether the response is available.
    pub(super) has_response: bool,
}

/// Why an expression cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Characters before the error.
    pub(super) column: usize,
    /// Length of the error in characters.
    pub(super) width: usize,
    /// The reason.
    pub(super) reason: String,
}

/// What a valid expression uses that not every plan has.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Uses {
    /// Fields and functions, with the plans that have them.
    pub(super) names: Vec<(&'static str, Needs)>,
    /// Whether it uses regular expressions.
    pub(super) has_regex: bool,
}

impl Uses {
    /// Notes a field or function, once.
    pub(super) fn note(&mut self, name: &'static str, needs: Needs) {
        if !self.names.contains(&(name, needs)) {
            self.names.push((name, needs));
        }
    }
}
