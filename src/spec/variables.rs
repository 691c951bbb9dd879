//! Substitution of `${NAME}`: pure, offline, never from the environment.
//!
//! Values come from `variables:` of all files and from `--var`. `$${` means a literal `${`. Values
//! are not substituted again, so the result does not depend on any order. A scalar with a
//! substitution is text.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::limits::{LONGEST, MISTAKES};
use super::scalar::within;
use super::substitution_syntax::{Piece, is_name, pieces};
use super::suggest::nearest;
use super::yaml_tree::{Kind, Meaning, NodeId, Style, Tree};
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::model::{EvaluationBudget, ZoneName};

/// The variable that is the name of the zone, in profiles.
const ZONE: &str = "ZONE";

/// The name of the zone for which the form of profiles is checked.
pub(super) const SAMPLE_ZONE: &str = "example.com";

/// The scalars with `${ZONE}` of each profile, in the parts between which the name of the zone is.
pub(super) type ZoneScalars = BTreeMap<NodeId, Vec<(NodeId, Vec<Box<str>>)>>;

/// Writes the name of a zone into the scalars of a profile.
pub(super) fn fill_in_zone(tree: &mut Tree, scalars: &[(NodeId, Vec<Box<str>>)], zone: &ZoneName) {
    fill_in(tree, scalars, zone.as_str());
}

fn fill_in(tree: &mut Tree, scalars: &[(NodeId, Vec<Box<str>>)], zone: &str) {
    for (id, parts) in scalars {
        tree.node_mut(*id).kind = Kind::Scalar(parts.join(zone).into(), Style::Text);
    }
}

#[derive(Debug, Clone)]
pub(super) struct Variable {
    value: String,
    /// The place of its definition.
    place: Place,
    /// True if it came from the command line, which takes precedence.
    given: bool,
    /// True if a file defines it.
    defined: bool,
}

/// All variables by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Variables {
    all: BTreeMap<String, Variable>,
}

impl Variables {
    /// Adds a variable of the command line.
    pub(super) fn give(
        &mut self,
        name: &str,
        value: &str,
        place: Place,
        diagnostics: &mut Diagnostics,
    ) {
        if !is_name(name) {
            diagnostics.push(findings::VARIABLE.at(place, format!("`{name}` is not a name")).help(
                "write `--var NAME=VALUE`, the name of letters, digits and `_`, \
                        beginning with no digit",
            ));
            return;
        }
        let variable = Variable { value: value.to_owned(), place, given: true, defined: false };
        if let Some(first) = self.all.insert(name.to_owned(), variable)
            && first.value != value
        {
            diagnostics.push(clash(name, place, first.place));
        }
    }

    /// Reports command-line variables that no file defines or uses. `texts` are the texts of the
    /// files.
    pub(super) fn unused(&self, texts: &[&str], diagnostics: &mut Diagnostics) {
        for (name, variable) in self.all.iter().filter(|(_, v)| v.given && !v.defined) {
            if texts.iter().any(|text| names_used(text).any(|used| used == name)) {
                continue;
            }
            let file_variables =
                self.all.iter().filter(|(_, v)| v.defined).map(|(name, _)| name.as_str());
            let missing = texts.iter().flat_map(|text| names_used(text));
            let help = match nearest(name, file_variables.chain(missing)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "remove it, or use it in the spec".to_owned(),
            };
            diagnostics.push(
                findings::UNUSED_VARIABLE
                    .at(variable.place, format!("no file uses `{name}`"))
                    .help(help),
            );
        }
    }

    /// Adds the variables of a file.
    pub(super) fn collect(&mut self, tree: &Tree, diagnostics: &mut Diagnostics) {
        let Some(section) = tree.entry(tree.root, "variables") else { return };
        for entry in tree.entries(section.value) {
            let (name, place) = (tree.text(entry.key), tree.place(entry.key));
            if !is_name(name) {
                diagnostics.push(
                    findings::VARIABLE
                        .at(place, format!("`{name}` is not a name"))
                        .help("use letters, digits and `_`, beginning with no digit"),
                );
                continue;
            }
            // The shape check reports a variable that is not a single value.
            if !matches!(
                tree.meaning(entry.value),
                Some(Meaning::Text | Meaning::Integer(_) | Meaning::Number)
            ) {
                continue;
            }
            let place = tree.place(entry.value);
            let value = match substitute(tree.text(entry.value), LONGEST, |_| None) {
                Ok(value) => value,
                Err(_) => {
                    diagnostics.push(
                        findings::VARIABLE
                            .at(place, "the value of a variable cannot refer to another variable")
                            .help("write the value out; `$${` stands for `${` itself"),
                    );
                    continue;
                }
            };
            if let Some(first) = self.all.get_mut(name) {
                first.defined = true;
            }
            match self.all.get(name) {
                Some(first) if first.given || first.value == value => {}
                Some(first) => diagnostics.push(clash(name, place, first.place)),
                None => {
                    self.all.insert(
                        name.to_owned(),
                        Variable { value, place, given: false, defined: true },
                    );
                }
            }
        }
    }

    /// Substitutes in a file: in every value outside `version`, `include` and `variables`, and in
    /// the names of zones.
    ///
    /// Returns the scalars in which a substitution failed, which have no value, and the scalars of
    /// profiles with `${ZONE}`. All files share the budget.
    pub(super) fn apply(
        &self,
        tree: &mut Tree,
        text: &str,
        budget: &EvaluationBudget,
        diagnostics: &mut Diagnostics,
    ) -> (HashSet<NodeId>, ZoneScalars) {
        let (mut failed, mut of_zone) = Default::default();
        // Most specs have no substitutions.
        if !text.contains("${") && !text.contains('\\') {
            return (failed, of_zone);
        }
        let mut scalars = Vec::new();
        let mut visits = Visits(vec![0; tree.nodes.len()]);
        for entry in tree.entries(tree.root) {
            match tree.text(entry.key) {
                "version" | "include" | "variables" | "profiles" => {}
                "zones" => {
                    scalars.extend(tree.entries(entry.value).iter().map(|e| e.key));
                    visits.collect(tree, entry.value, 1, &mut scalars);
                }
                _ => visits.collect(tree, entry.value, 1, &mut scalars),
            }
        }
        // A scalar that is used outside profiles, too, has one value for all zones.
        if !self.all.contains_key(ZONE) && tree.entry(tree.root, "profiles").is_some() {
            of_zone = self.zone_scalars(tree, &mut visits);
        }
        let outside_profiles = scalars.len();
        if let Some(profiles) = tree.entry(tree.root, "profiles") {
            visits.collect(tree, profiles.value, u32::MAX, &mut scalars);
        }
        for parts in of_zone.values().flatten().map(|(_, parts)| parts) {
            budget.hold(parts.iter().map(|part| part.len()).sum());
        }
        let in_parts: HashSet<NodeId> = of_zone.values().flatten().map(|(id, _)| *id).collect();
        for (n, id) in scalars.into_iter().enumerate() {
            if !tree.text(id).contains("${") || in_parts.contains(&id) {
                continue;
            }
            let zone = (n >= outside_profiles).then_some(SAMPLE_ZONE);
            match self.apply_to(tree, (id, text, zone), budget.remaining_bytes()) {
                Ok(length) => drop(budget.hold(length)),
                Err(mistakes) => {
                    failed.insert(id);
                    if !super::is_enough(diagnostics) {
                        mistakes.into_iter().for_each(|d| diagnostics.push(d));
                    }
                }
            }
        }
        for parts in of_zone.values() {
            fill_in(tree, parts, SAMPLE_ZONE);
        }
        (failed, of_zone)
    }

    /// Returns the scalars of each profile that contain `${ZONE}`, in parts. Scalars with mistakes
    /// are left out.
    fn zone_scalars(&self, tree: &Tree, visits: &mut Visits) -> ZoneScalars {
        let mut of_zone = ZoneScalars::new();
        let profiles = tree.entry(tree.root, "profiles");
        let profiles = profiles.map_or(&[][..], |profiles| tree.entries(profiles.value));
        for (profile, round) in profiles.iter().zip(2..) {
            let mut scalars = Vec::new();
            visits.collect(tree, profile.value, round, &mut scalars);
            let scalars_with_parts =
                scalars.into_iter().filter_map(|id| Some((id, self.parts(tree.text(id))?)));
            let scalars_with_parts: Vec<_> = scalars_with_parts.collect();
            if !scalars_with_parts.is_empty() {
                of_zone.insert(profile.value, scalars_with_parts);
            }
        }
        of_zone
    }

    /// Returns the parts of a text between `${ZONE}`, with all other substitutions made; `None` if it
    /// has no `${ZONE}`, or has mistakes.
    fn parts(&self, text: &str) -> Option<Vec<Box<str>>> {
        let lookup = |name: &str| self.all.get(name).map(|v| v.value.as_str());
        let (mut parts, mut start) = (Vec::new(), 0);
        for (range, piece) in pieces(text) {
            if piece == Piece::Variable(ZONE) {
                parts.push(substitute(&text[start..range.start], LONGEST, lookup).ok()?.into());
                start = range.end;
            }
        }
        if parts.is_empty() {
            return None;
        }
        parts.push(substitute(&text[start..], LONGEST, lookup).ok()?.into());
        Some(parts)
    }

    /// Substitutes in one scalar and returns its new length.
    ///
    /// # Errors
    /// Fails with one finding for each substitution that failed.
    fn apply_to(
        &self,
        tree: &mut Tree,
        (id, text, zone): (NodeId, &str, Option<&str>),
        left: usize,
    ) -> Result<usize, Vec<Diagnostic>> {
        let zone = zone.filter(|_| !self.all.contains_key(ZONE));
        let lookup = |name: &str| match name {
            ZONE if zone.is_some() => zone,
            name => self.all.get(name).map(|v| v.value.as_str()),
        };
        match substitute(tree.text(id), left.min(LONGEST), lookup) {
            Ok(value) => {
                let length = value.len();
                tree.node_mut(id).kind = Kind::Scalar(value.into(), Style::Text);
                Ok(length)
            }
            Err(mistakes) => Err(mistakes
                .into_iter()
                .map(|mistake| {
                    let place =
                        within(tree.place(id), text, tree.text(id), mistake.start..mistake.end);
                    self.explain(mistake.why, place)
                })
                .collect()),
        }
    }

    /// Reports a failed substitution.
    fn explain(&self, why: Why, place: Place) -> Diagnostic {
        let name = match why {
            Why::Unknown(name) => name,
            Why::Incomplete => {
                return findings::SUBSTITUTION
                    .at(place, "`${` begins a substitution that is not complete")
                    .help(
                        "write `${NAME}`, the name of letters, digits and `_`; write \
                        `$${` for `${` itself",
                    );
            }
            Why::TooLong => {
                return findings::SUBSTITUTION.at(place, "the text becomes too long here").help(
                    "shorten the values of the variables; a value has at most 64 KiB, and all \
                    values with variables \
                         together 64 MiB",
                );
            }
        };
        let help = match nearest(&name, self.all.keys().map(String::as_str)) {
            _ if name == ZONE => {
                "write it in values that only profiles have: there it is the name of the zone"
                    .to_owned()
            }
            Some(near) => format!("did you mean `${{{near}}}`?"),
            None => format!(
                "define `{name}` under `variables:` or with `--var {name}=VALUE`; write \
                `$${{` for `${{` itself"
            ),
        };
        findings::UNDEFINED_VARIABLE.at(place, format!("`{name}` is not defined")).help(help)
    }
}

/// The round of the last visit of each node, or 0. Nodes of the first round are not visited again.
struct Visits(Vec<u32>);

impl Visits {
    /// Collects every scalar below a node, each once in a round, even if aliases refer to it.
    fn collect(&mut self, tree: &Tree, id: NodeId, round: u32, scalars: &mut Vec<NodeId>) {
        let last = &mut self.0[id.0 as usize];
        if *last == 1 || *last == round {
            return;
        }
        *last = round;
        match &tree.node(id).kind {
            Kind::Scalar(..) => scalars.push(id),
            Kind::Sequence(items) => {
                items.iter().for_each(|item| self.collect(tree, *item, round, scalars));
            }
            Kind::Mapping(entries) => {
                entries.iter().for_each(|e| self.collect(tree, e.value, round, scalars));
            }
        }
    }
}

/// Reports one variable with two values.
fn clash(name: &str, place: Place, first: Place) -> Diagnostic {
    findings::VARIABLE_CLASH
        .at(place, format!("`{name}` has another value here"))
        .and_at(first, "its first value")
        .help("give the variable one value for all files, or use two names")
}

/// Returns the names of the variables in a text.
fn names_used(text: &str) -> impl Iterator<Item = &str> {
    let name = |(_, piece)| match piece {
        Piece::Variable(name) => Some(name),
        Piece::Text(_) | Piece::Escape | Piece::Incomplete(_) => None,
    };
    pieces(text).filter_map(name)
}

/// A substitution that failed: its range in the scalar, and why.
#[derive(Debug, PartialEq, Eq)]
struct Misuse {
    start: usize,
    end: usize,
    why: Why,
}

/// Why a substitution failed.
#[derive(Debug, PartialEq, Eq)]
enum Why {
    /// The variable does not exist.
    Unknown(String),
    /// The text is not of the form `${NAME}`.
    Incomplete,
    /// The result is longer than any value can be.
    TooLong,
}

/// Substitutes in a text. The result has at most `longest` bytes.
///
/// # Errors
/// Fails with the substitutions that are incomplete, have an unknown name, or make the text too
/// long.
fn substitute<'v>(
    text: &str,
    longest: usize,
    lookup: impl Fn(&str) -> Option<&'v str>,
) -> Result<String, Vec<Misuse>> {
    let mut result = String::new();
    let mut mistakes = Vec::new();
    for (Range { start, end }, piece) in pieces(text) {
        match piece {
            Piece::Text(_) | Piece::Escape => {
                result.push_str(piece.literal().unwrap_or_default());
                continue;
            }
            Piece::Variable(name) => match lookup(name) {
                Some(value) => result.push_str(value),
                None => mistakes.push(Misuse { start, end, why: Why::Unknown(name.to_owned()) }),
            },
            Piece::Incomplete(_) => mistakes.push(Misuse { start, end, why: Why::Incomplete }),
        }
        if result.len() > longest {
            mistakes.push(Misuse { start, end, why: Why::TooLong });
        }
        if result.len() > longest || mistakes.len() >= MISTAKES {
            return Err(mistakes);
        }
    }
    if mistakes.is_empty() { Ok(result) } else { Err(mistakes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::escape_variables as escape;

    /// Substitutes with `A` = `1` and `B` = `${A}`.
    fn with_two(text: &str) -> Result<String, Vec<Misuse>> {
        substitute(text, 100, |name| match name {
            "A" => Some("1"),
            "B" => Some("${A}"),
            _ => None,
        })
    }

    #[test]
    fn substitution_happens_once() {
        for (text, expected) in [
            ("a", "a"),
            ("${A}", "1"),
            ("x${A}y${A}", "x1y1"),
            ("${B}", "${A}"),
            ("$${A}", "${A}"),
            ("$$${A}", "$${A}"),
            ("$A $ {A} $", "$A $ {A} $"),
            ("ä${A}ö", "ä1ö"),
        ] {
            assert_eq!(with_two(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn every_mistake_is_found() {
        let names =
            |text: &str| with_two(text).unwrap_err().into_iter().map(|m| m.why).collect::<Vec<_>>();
        let unknown = |name: &str| Why::Unknown(name.to_owned());
        assert_eq!(
            names("${C} ${} ${A ${D}"),
            [unknown("C"), Why::Incomplete, Why::Incomplete, unknown("D")]
        );
        assert_eq!(
            with_two("a${C}").unwrap_err()[0].start..with_two("a${C}").unwrap_err()[0].end,
            1..5
        );
        assert_eq!(names("${"), [Why::Incomplete]);
        assert_eq!(names("${1a}"), [Why::Incomplete]);
        assert_eq!(names(&"${A}".repeat(1_000_000)), [Why::TooLong]);
        assert_eq!(names(&"${C}".repeat(1_000_000)).len(), MISTAKES);
    }

    #[test]
    fn escaping_is_undone_by_substitution() {
        for text in ["${A}", "$${A}", "$$${A}", "a$b{", "${${"] {
            assert_eq!(with_two(&escape(text)).unwrap(), text);
        }
    }
}
