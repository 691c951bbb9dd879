//! Variables while a spec is edited: what they are, how often each is used, and where a value that they make up is changed.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::source_tree::{At, Kind, SourceTree};

/// A variable.
#[derive(Debug, Default)]
struct Variable {
    /// Where it is defined.
    definitions: Vec<At>,
    /// How often it is used, aliases counted.
    uses: usize,
    /// Its value, as it is written; that of the command line counts.
    value: String,
    /// Whether the command line gives it.
    is_given: bool,
}

/// A piece of a scalar with substitutions.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'s> {
    Text(&'s str),
    Variable(&'s str),
}

/// The pieces of a scalar.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest, mut at) = (Vec::new(), text, 0);
    while let Some(found) = rest[at..].find("${") {
        let start = at + found;
        let end = rest[start..].find('}').map(|n| start + n);
        match end {
            // `$${` means `${` itself.
            _ if rest[..start].ends_with('$') => at = start + 2,
            None => break,
            Some(end) => {
                pieces.extend((start > 0).then_some(Piece::Text(&rest[..start])));
                pieces.push(Piece::Variable(&rest[start + 2..end]));
                (rest, at) = (&rest[end + 1..], 0);
            }
        }
    }
    pieces.extend((!rest.is_empty()).then_some(Piece::Text(rest)));
    pieces
}

/// Whether a text has a substitution.
pub(super) fn has_variable(text: &str) -> bool {
    pieces(text).iter().any(|piece| matches!(piece, Piece::Variable(_)))
}

/// Where a value with a substitution is changed; the words say why.
#[derive(Debug)]
pub(super) enum Change {
    /// At the variable's definition, which gets a value.
    AtDefinition(At, Json, String),
    /// Where it is used.
    WrittenOut(String),
}

/// All variables of a spec, by name.
#[derive(Debug, Default)]
pub(super) struct Variables {
    all: BTreeMap<String, Variable>,
}

impl Variables {
    /// Those of these files; `given` are those of the command line.
    pub(super) fn new<'t>(files: impl Iterator<Item = &'t SourceTree<'t>>, given: &[(String, String)]) -> Self {
        let mut variables: BTreeMap<String, Variable> = BTreeMap::new();
        for (file, tree) in files.enumerate() {
            let section = tree.get(tree.root, "variables");
            for (key, value) in section.map(|s| tree.entries(s)).unwrap_or_default() {
                let variable = variables.entry(tree.scalar_text(*key).to_owned()).or_default();
                variable.definitions.push(At { file, node: *value });
                variable.value = tree.scalar_text(*value).to_owned();
            }
            for node in tree.ids() {
                let Kind::Scalar(text, _) = &tree.node(node).kind else { continue };
                let shared = tree.shared_by(node).map_or(0, |anchor| tree.aliases(anchor).len());
                for piece in pieces(text) {
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

    /// A text with its substitutions made.
    pub(super) fn resolved(&self, text: &str) -> String {
        let resolve = |piece: Piece<'_>| match piece {
            Piece::Text(text) => text.replace("$${", "${"),
            Piece::Variable(name) => self.all.get(name).map(|v| v.value.clone()).unwrap_or_default(),
        };
        pieces(text).into_iter().map(resolve).collect()
    }

    /// Where a value with a substitution is changed: the variable, if nothing else uses it, or the value itself. `what` is what it is
    /// the value of.
    pub(super) fn change<'n>(
        &self,
        text: &str,
        after: &Json,
        is_local: bool,
        what: &str,
        file_name: impl Fn(usize) -> &'n str,
    ) -> Change {
        let wanted = match after {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        let pieces = pieces(text);
        let mut names = pieces.iter().filter_map(|p| match p {
            Piece::Variable(name) => Some(*name),
            Piece::Text(_) => None,
        });
        let (Some(name), None) = (names.next(), names.next()) else {
            return Change::WrittenOut(format!(
                "{what}: several variables make up the value, so it is written out here"
            ));
        };
        let (before, behind) = match pieces.as_slice() {
            [Piece::Text(before), _, Piece::Text(behind)] => (*before, *behind),
            [Piece::Text(before), _] => (*before, ""),
            [_, Piece::Text(behind)] => ("", *behind),
            _ => ("", ""),
        };
        let own = wanted.strip_prefix(before).and_then(|rest| rest.strip_suffix(behind)).filter(|own| !own.is_empty());
        let variable = self.all.get(name);
        let why = match (variable, own) {
            (Some(v), _) if v.is_given => "comes from the command line",
            (Some(v), Some(_)) if v.uses > 1 => "is used elsewhere too",
            (Some(v), Some(own)) if v.definitions.len() == 1 && !is_local => {
                let definition = v.definitions[0];
                let value = if before.is_empty() && behind.is_empty() { after.clone() } else { Json::from(own) };
                let note =
                    format!("{what}: `{name}` is changed where it is defined, in {}", file_name(definition.file));
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
    fn substitutions_are_found() {
        assert_eq!(pieces("a"), [Piece::Text("a")]);
        assert_eq!(pieces("${A}"), [Piece::Variable("A")]);
        assert_eq!(pieces("x${A}.y"), [Piece::Text("x"), Piece::Variable("A"), Piece::Text(".y")]);
        assert_eq!(pieces("$${A} ${B"), [Piece::Text("$${A} ${B")]);
    }
}
