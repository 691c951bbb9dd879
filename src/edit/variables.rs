//! Variables while a spec is edited: their values, their number of uses, and the place where a
//! substituted value is changed.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::source_tree::{At, SourceNodeKind, SourceTree};
use crate::spec::{Piece, pieces};

#[derive(Debug, Default)]
struct Variable {
    /// Places of the definitions.
    definitions: Vec<At>,
    /// Number of uses, including those through aliases.
    uses: usize,
    /// Value as written. The command line overrides the files.
    value: String,
    /// True if the command line sets the variable.
    is_given: bool,
}

/// Returns true if a text contains a substitution.
pub(super) fn has_variable(text: &str) -> bool {
    pieces(text).any(|(_, piece)| matches!(piece, Piece::Variable(_)))
}

/// Place where a value with a substitution is changed, with an explanation.
#[derive(Debug)]
pub(super) enum Change {
    /// The variable's definition gets the new value.
    AtDefinition(At, Json, String),
    /// The new value is written at its use.
    WrittenOut(String),
}

/// All variables of a spec, by name.
#[derive(Debug, Default)]
pub(super) struct Variables {
    all: BTreeMap<String, Variable>,
}

impl Variables {
    /// Collects the variables of the files. `given` are the variables of the command line.
    pub(super) fn new<'t>(
        files: impl Iterator<Item = &'t SourceTree<'t>>,
        given: &[(String, String)],
    ) -> Self {
        let mut variables: BTreeMap<String, Variable> = BTreeMap::new();
        for (file, tree) in files.enumerate() {
            let section = tree.get(tree.root, "variables");
            for (key, value) in section.map(|s| tree.entries(s)).unwrap_or_default() {
                let variable = variables.entry(tree.scalar_text(*key).to_owned()).or_default();
                variable.definitions.push(At { file, node: *value });
                variable.value = tree.scalar_text(*value).to_owned();
            }
            for node in tree.ids() {
                let SourceNodeKind::Scalar(text, _) = &tree.node(node).kind else { continue };
                let shared = tree.shared_by(node).map_or(0, |anchor| tree.aliases(anchor).len());
                for (_, piece) in pieces(text) {
                    if let Piece::Variable(name) = piece {
                        variables.entry(name.to_owned()).or_default().uses += 1 + shared;
                    }
                }
            }
        }
        for (name, value) in given {
            let variable = variables.entry(name.clone()).or_default();
            (variable.is_given, variable.value) = (true, value.clone());
        }
        Self { all: variables }
    }

    /// Returns a text with its substitutions made.
    pub(super) fn resolved(&self, text: &str) -> String {
        let mut resolved = String::new();
        for (_, piece) in pieces(text) {
            match piece {
                Piece::Variable(name) => {
                    resolved.extend(self.all.get(name).map(|v| v.value.as_str()))
                }
                other => resolved.extend(other.literal()),
            }
        }
        resolved
    }

    /// Chooses the place to change: the variable if nothing else uses it, or the value itself.
    /// `what` names the owner of the value.
    pub(super) fn change<'n>(
        &self,
        text: &str,
        after: &Json,
        is_local: bool,
        what: &str,
        file_name: impl Fn(usize) -> &'n str,
    ) -> Change {
        let new_text = match after {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        let mut used = pieces(text).filter_map(|(range, piece)| match piece {
            Piece::Variable(name) => Some((range, name)),
            Piece::Text(_) | Piece::Escape | Piece::Incomplete(_) => None,
        });
        let (Some((range, name)), None) = (used.next(), used.next()) else {
            return Change::WrittenOut(format!(
                "{what}: several variables make up the value, so it is written out here"
            ));
        };
        // Both texts are in the form of a spec.
        let (before, behind) = (&text[..range.start], &text[range.end..]);
        let variable_text = new_text
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(behind))
            .filter(|own| !own.is_empty());
        let variable = self.all.get(name);
        let why = match (variable, variable_text) {
            (Some(v), _) if v.is_given => "comes from the command line",
            (Some(v), Some(_)) if v.uses > 1 => "is used elsewhere too",
            (Some(v), Some(own)) if v.definitions.len() == 1 && !is_local => {
                let definition = v.definitions[0];
                let value = if before.is_empty() && behind.is_empty() {
                    after.clone()
                } else {
                    Json::from(own)
                };
                let note = format!(
                    "{what}: `{name}` is changed where it is defined, in {}",
                    file_name(definition.file)
                );
                return Change::AtDefinition(definition, value, note);
            }
            (_, None) => "cannot give this value alone",
            _ => "is defined in several places",
        };
        Change::WrittenOut(format!("{what}: `${{{name}}}` {why}, so the value is written out here"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beside_a_variable_is_compared_as_it_is_written() {
        for (text, wanted, own) in [
            ("${A}", "foo", Some("foo")),
            ("${A}.example", "foo.example", Some("foo")),
            ("${A}$${x}", "foo$${x}", Some("foo")),
            ("$${x} ${A}", "$${x} web", Some("web")),
            ("a$${x}${A}", "a$${x}web", Some("web")),
            ("${A}.example", "foo.other", None),
        ] {
            let definition = At { file: 0, node: SourceTree::read("A: 1\n").unwrap().root };
            let variable = Variable {
                definitions: vec![definition],
                uses: 1,
                value: "1".to_owned(),
                is_given: false,
            };
            let variables = Variables { all: BTreeMap::from([("A".to_owned(), variable)]) };
            let found = match variables.change(text, &Json::from(wanted), false, "it", |_| "a.yaml")
            {
                Change::AtDefinition(_, value, _) => Some(value),
                Change::WrittenOut(_) => None,
            };
            assert_eq!(found, own.map(Json::from), "{text}");
        }
    }
}
