//! Reads values of variables from outside of the configuration: the environment, `.tfvars` files,
//! and options.
//!
//! # Sources
//! developer.hashicorp.com/terraform/language/values/variables (precedence; values that are given
//! as text are literal if the type of the variable is primitive or absent, and expressions
//! otherwise), read 2026-11-26.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::str::FromStr;

use hcl_edit::expr::Expression;
use hcl_edit::structure::Body;

use super::body::{BodyError, MOST_OF_FILES, parse_body};
use super::evaluate::{Effort, Globals, Scope};
use super::nesting::is_too_deep;
use super::value::{Missing, Term};
use crate::diagnostic::{Place, Source, SourceId, findings};
use crate::import::import_result::ImportResult;
use crate::import::source_files::read_named;
use crate::model::{EvaluationBudget, Gather};
use crate::wire::json;

/// Maximum number of values in a JSON file.
const MOST_VALUES: usize = 1_000_000;
/// Prefix of a value that SOPS encrypted.
const ENCRYPTED: &str = "ENC[AES256_GCM,";

/// Values of variables that the user supplies, in order of precedence: the last one wins.
#[derive(Debug, Clone, Default)]
pub struct GivenValues {
    /// Values from the environment, by variable name. Files and options take precedence.
    pub environment: BTreeMap<String, String>,
    /// Options in the order of the command line.
    pub options: Vec<GivenValue>,
}

/// An option with values of variables.
#[derive(Debug, Clone)]
pub enum GivenValue {
    /// `--var NAME=VALUE`.
    Text(String, String),
    /// `--var-file FILE`.
    File(PathBuf),
}

/// Content of a file with values.
pub(super) enum Assignments {
    /// File in Terraform's language.
    Hcl(SourceId, Body),
    /// File in JSON.
    Json(BTreeMap<String, Term>),
}

/// Value that is assigned to a variable.
#[derive(Clone, Copy)]
pub(super) enum Assigned<'b> {
    /// Expression of a file.
    Expression(SourceId, &'b Expression),
    /// Value of a JSON file.
    Value(&'b Term),
    /// Text of an option or of the environment.
    Text(&'b str),
}

/// Options with the contents of their files.
#[derive(Default)]
pub(super) struct ReadValues {
    pub(super) environment: BTreeMap<String, String>,
    pub(super) options: Vec<ReadOption>,
}

/// An option with the content of its file.
pub(super) enum ReadOption {
    Text(String, String),
    File(PathBuf, Assignments),
}

impl Assignments {
    /// Parses a file. Errors do not quote the text, which may contain secrets.
    ///
    /// # Errors
    /// The place and the reason of a syntax error.
    pub(super) fn parse(
        source: SourceId,
        name: &str,
        text: &str,
        memory: &EvaluationBudget,
    ) -> Result<Self, String> {
        let place = |offset: usize| {
            let text_before = text.get(..offset).unwrap_or_default();
            let line = text_before.matches('\n').count() + 1;
            let column = text_before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            format!("{line}:{column}")
        };
        if name.ends_with(".json") {
            let json = json::parse_limited(text.as_bytes(), MOST_VALUES)
                .map_err(|_| "it is not valid JSON".to_owned())?;
            return match Term::from_json(&json) {
                Term::Map(values) => Ok(Self::Json(values)),
                _ => Err("it is not an object of values".to_owned()),
            };
        }
        let body = parse_body(text, memory).map_err(|error| match error {
            BodyError::Refused(why) => why,
            BodyError::Invalid(offset, _) => format!("it is invalid at {}", place(offset)),
        })?;
        if let Some(block) = body.blocks().next() {
            return Err(format!(
                "it has a block `{}`; a file of values has none",
                block.ident.as_str()
            ));
        }
        Ok(Self::Hcl(source, body))
    }

    /// Returns the values with the names of their variables.
    pub(super) fn values(&self) -> Vec<(&str, Assigned<'_>)> {
        match self {
            Self::Hcl(source, body) => body
                .attributes()
                .map(|a| (a.key.as_str(), Assigned::Expression(*source, &a.value)))
                .collect(),
            Self::Json(values) => {
                values.iter().map(|(name, value)| (name.as_str(), Assigned::Value(value))).collect()
            }
        }
    }
}

impl GivenValues {
    /// Returns true if an option supplies a value.
    #[must_use]
    pub fn has_options(&self) -> bool {
        !self.options.is_empty()
    }

    /// Reads the files of the options. Also returns the unreadable files with the reasons.
    pub(super) fn read(&self, found: &mut ImportResult) -> (ReadValues, Vec<(String, String)>) {
        let mut options = Vec::new();
        let mut unreadable = Vec::new();
        let memory = EvaluationBudget::of_bytes(MOST_OF_FILES);
        for given in &self.options {
            match given {
                GivenValue::Text(name, text) => {
                    options.push(ReadOption::Text(name.clone(), text.clone()))
                }
                GivenValue::File(path) => {
                    let shown = path.display().to_string();
                    let assignments = read_named(path).and_then(|text| {
                        let source = found.sources.add(shown.clone(), text);
                        let text = found.sources.get(source).map_or("", Source::text);
                        Assignments::parse(source, &shown, text, &memory)
                    });
                    match assignments {
                        Ok(assignments) => {
                            let real = path.canonicalize().ok();
                            found
                                .files_skipped
                                .retain(|skipped, _| skipped.canonicalize().ok() != real);
                            found.read_file(path);
                            options.push(ReadOption::File(path.clone(), assignments));
                        }
                        Err(why) => unreadable.push((shown, why)),
                    }
                }
            }
        }
        (ReadValues { environment: self.environment.clone(), options }, unreadable)
    }
}

impl ReadValues {
    /// Returns the values of the variables of a root. Options win over files, and files over the
    /// environment.
    pub(super) fn by_variable<'b>(
        &'b self,
        of_files: impl Iterator<Item = &'b Assignments>,
    ) -> BTreeMap<&'b str, Assigned<'b>> {
        let environment =
            self.environment.iter().map(|(name, text)| (name.as_str(), Assigned::Text(text)));
        let of_files = of_files.flat_map(Assignments::values);
        let options = self.options.iter().flat_map(|option| match option {
            ReadOption::Text(name, text) => vec![(name.as_str(), Assigned::Text(text))],
            ReadOption::File(_, values) => values.values(),
        });
        let mut values: BTreeMap<&str, Assigned<'_>> = BTreeMap::new();
        values.extend(environment.chain(of_files).chain(options));
        values
    }

    /// Reports values of variables that no configuration declares, like Terraform.
    pub(super) fn report_undeclared(&self, declared: &BTreeSet<String>, found: &mut ImportResult) {
        for option in &self.options {
            match option {
                ReadOption::Text(name, _) if !declared.contains(name) => {
                    let detail = format!("--var {name}=…: no configuration declares this variable");
                    found.report(findings::NAMES_NOTHING, "", Place::NOWHERE, &detail, None);
                }
                ReadOption::Text(..) => {}
                ReadOption::File(path, values) => {
                    for (name, _) in
                        values.values().iter().filter(|(name, _)| !declared.contains(*name))
                    {
                        let detail = format!("{} sets the variable `{name}`", path.display());
                        found.report(findings::UNUSED_VALUE, "", Place::NOWHERE, &detail, None);
                    }
                }
            }
        }
    }
}

/// Converts a text to a value for a variable of a type.
pub(super) fn from_text(text: &str, kind: Option<&Expression>, name: &str, place: Place) -> Term {
    let is_literal = match kind {
        None => true,
        Some(Expression::Variable(kind)) => matches!(kind.as_str(), "string" | "number" | "bool"),
        Some(Expression::String(kind)) => kind.as_str() == "string",
        Some(_) => false,
    };
    if is_literal {
        return Term::from(text);
    }
    let wrong = || {
        let why = format!(
            "the value that is given for the variable `{name}` is not an expression of its type"
        );
        Term::Missing(Missing::unknown(why, place))
    };
    if is_too_deep(text) {
        return wrong();
    }
    let Ok(expression) = Expression::from_str(text.trim()) else { return wrong() };
    let nothing = Nothing(Effort::default());
    let value =
        Scope { source: place.source, globals: &nothing, names: Vec::new() }.evaluate(&expression);
    if value.missing().is_some() { wrong() } else { value }
}

/// Makes encrypted values missing.
pub(super) fn readable(value: Term, name: &str, place: Place) -> Term {
    match value {
        Term::Text(text) if text.starts_with(ENCRYPTED) => Term::Missing(Missing::unknown(
            format!("the value of the variable `{name}` is encrypted"),
            place,
        )),
        Term::List(items) => {
            Term::List(items.into_iter().map(|item| readable(item, name, place)).collect())
        }
        Term::Map(members) => Term::Map(
            members
                .into_iter()
                .map(|(member, value)| (member, readable(value, name, place)))
                .gather(),
        ),
        other => other,
    }
}

/// A scope without names, because a value from a text must not refer to anything.
struct Nothing(Effort);

impl Globals for Nothing {
    fn lookup(&self, _: &str, _: &[&str], _: Place) -> Option<(Term, usize)> {
        None
    }

    fn read(&self, _: &str) -> Result<String, String> {
        Err("no file is read".to_owned())
    }

    fn text(&self, _: SourceId) -> &str {
        ""
    }

    fn has_places(&self, _: SourceId) -> bool {
        true
    }

    fn effort(&self) -> &Effort {
        &self.0
    }
}
