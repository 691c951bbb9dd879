//! The parts of a condition that cannot be divided: a field, or the result of a function, is one of
//! a set of values. Several spellings are the same predicate, and some predicates imply others.
//!
//! | spelled | read as |
//! |---|---|
//! | `x ne "a"` | `not x eq "a"`, if no request lacks `x` |
//! | `x matches "^/a"`, `x strict wildcard "/a*"` | `starts_with(x, "/a")` |
//! | `x matches "^(a\|b)$"` | `x in {"a" "b"}` |
//! | `x wildcard "/A*"` | `starts_with(lower(x), "/a")` |
//! | `starts_with(http.request.uri, "/a")` | the same of the path |
//! | `http.request.uri eq "/a?b"` | path and query |
//!
//! The documentation (developers.cloudflare.com/ruleset-engine/rules-language/values) and the
//! public engine disagree on `ne` with a missing value, so `ne` is no negation where a value can be
//! missing. Only keys and indexes can be missing.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Hir, HirKind, Look};

use crate::canonical::{CanonicalForm, CanonicalKind, operand_text};
use crate::constants;
use crate::evaluate::{Matcher, wildcard_parts};
use crate::formula::Formula;
use crate::syntax::{Base, ComparedValue, Comparison, Index, Literal, NodeKind, Operand, Operator};
use crate::values::{self, Values};

/// Maximum number of texts into which a predicate is divided.
const MOST_TEXTS: usize = 16;

/// The change of a text before it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fold {
    None,
    Lower,
    Upper,
}

impl Fold {
    fn apply(self, text: &[u8]) -> Vec<u8> {
        match self {
            Self::None => text.to_vec(),
            Self::Lower => text.to_ascii_lowercase(),
            Self::Upper => text.to_ascii_uppercase(),
        }
    }
}

/// The values that a predicate accepts.
#[derive(Debug)]
enum Accepted {
    /// A set that can be compared with others.
    Values(Values),
    /// Every text but this, and perhaps a missing value.
    Except(Vec<u8>),
    /// Texts that a pattern matches. The pattern is compiled when it is first needed.
    Pattern(Comparison, OnceCell<Option<Matcher>>),
    Unknown,
}

/// A part that cannot be divided.
#[derive(Debug)]
pub(super) struct Predicate {
    /// The text of the compared operand.
    pub(super) subject: String,
    fold: Fold,
    accepted: Accepted,
    is_always_there: bool,
}

/// A compared operand.
#[derive(Debug, Clone)]
struct Subject {
    text: String,
    fold: Fold,
    is_always_there: bool,
}

impl Subject {
    /// Returns the subject of an operand; `None` if it has several values at once.
    fn of(operand: &Operand) -> Option<Self> {
        if let (Base::Call(name, arguments), []) = (&operand.base, operand.indexes.as_slice())
            && let (Some(fold), [argument]) = (fold(name), arguments.as_slice())
        {
            let NodeKind::Operand(inner) = &argument.kind else { return None };
            return Some(Self { fold, ..Self::of(inner)? });
        }
        let is_each = |(index, _): &(Index, _)| *index == Index::Each;
        (!operand.indexes.iter().any(is_each)).then_some(())?;
        Some(Self {
            text: operand_text(operand)?,
            fold: Fold::None,
            is_always_there: operand.plain_field().is_some(),
        })
    }

    fn beside(&self, field: String) -> Self {
        Self { text: field, ..self.clone() }
    }
}

fn fold(function: &str) -> Option<Fold> {
    match function {
        "lower" => Some(Fold::Lower),
        "upper" => Some(Fold::Upper),
        _ => None,
    }
}

/// Adds a predicate under its key.
type Note<'n> = dyn FnMut(String, Predicate) -> Formula + 'n;

impl Predicate {
    /// Divides a comparison or an operand into predicates.
    pub(super) fn divide(form: &CanonicalForm, note: &mut Note<'_>) -> Formula {
        if let Some(value) = constants::constant(form) {
            return Formula::Constant(value);
        }
        let formula = match &form.kind {
            CanonicalKind::Comparison(comparison) => of_comparison(comparison, note),
            CanonicalKind::Operand(operand) => of_call(operand, note),
            CanonicalKind::Chain(..) | CanonicalKind::Not(_) => None,
        };
        formula.unwrap_or_else(|| Self::unknown(&form.text, note))
    }

    /// Returns a part of which only the text is known.
    pub(super) fn unknown(text: &str, note: &mut Note<'_>) -> Formula {
        let predicate = Self {
            subject: text.to_owned(),
            fold: Fold::None,
            accepted: Accepted::Unknown,
            is_always_there: false,
        };
        note(text.to_owned(), predicate)
    }

    /// Returns true if it accepts a text that is the result of a change; `None` if that is unknown.
    fn accepts(&self, text: &[u8], changed_by: Fold) -> Option<bool> {
        if self.fold == Fold::None && changed_by != Fold::None {
            return None;
        }
        let text = self.fold.apply(text);
        match &self.accepted {
            Accepted::Values(values) => {
                Some(Values::Texts(BTreeSet::from([text])).are_among(values))
            }
            Accepted::Except(other) => Some(text != *other),
            Accepted::Pattern(comparison, matcher) => {
                let matcher = matcher.get_or_init(|| Matcher::new(comparison));
                matcher.as_ref().map(|matcher| matcher.accepts(&text))
            }
            Accepted::Unknown => None,
        }
    }

    fn values(&self) -> Option<&Values> {
        match &self.accepted {
            Accepted::Values(values) => Some(values),
            Accepted::Except(_) | Accepted::Pattern(..) | Accepted::Unknown => None,
        }
    }

    /// Returns the accepted values after the change that another predicate makes.
    fn values_as(&self, fold: Fold) -> Option<Values> {
        let values = self.values()?;
        match (self.fold, fold) {
            (one, other) if one == other => Some(values.clone()),
            (_, Fold::None) => None,
            _ => Some(values.map_texts(|text| fold.apply(text))),
        }
    }

    /// Returns true if `other` certainly accepts every value that this accepts.
    fn implies(&self, other: &Self) -> bool {
        let pair = self.values_as(other.fold).zip(other.values());
        pair.is_some_and(|(these, those)| these.are_among(those))
    }

    /// Returns true if certainly no value is accepted by both.
    fn excludes(&self, other: &Self) -> bool {
        let fold = if self.fold == Fold::None { other.fold } else { self.fold };
        let pair = self.values_as(fold).zip(other.values_as(fold));
        pair.is_some_and(|(these, those)| these.excludes(&those))
    }
}

/// Predicates about one subject that hold, and others that do not.
#[derive(Default)]
pub(super) struct Claims<'p> {
    held: Vec<&'p Predicate>,
    denied: Vec<&'p Predicate>,
}

impl<'p> Claims<'p> {
    pub(super) fn add(&mut self, predicate: &'p Predicate, holds: bool) {
        if holds { self.held.push(predicate) } else { self.denied.push(predicate) }
    }

    /// Returns the work of [`Self::contradict`].
    pub(super) fn cost(&self) -> usize {
        let texts = self.texts().map_or(0, |(texts, _)| texts.len());
        let claim_count = self.held.len() + self.denied.len();
        self.held.len() * claim_count + texts * claim_count + 1
    }

    /// Returns the smallest set of texts of which the subject is one, and their change.
    fn texts(&self) -> Option<(&BTreeSet<Vec<u8>>, Fold)> {
        let texts = self.held.iter().filter_map(|predicate| match predicate.values() {
            Some(Values::Texts(texts)) => Some((texts, predicate.fold)),
            _ => None,
        });
        texts.min_by_key(|(texts, fold)| (*fold != Fold::None, texts.len()))
    }

    /// Returns true if they certainly cannot be true together.
    pub(super) fn contradict(&self) -> bool {
        if let Some((texts, fold)) = self.texts() {
            let is_possible = |text: &Vec<u8>| {
                fold.apply(text) == *text
                    && self.held.iter().all(|p| p.accepts(text, fold) != Some(false))
                    && !self.denied.iter().any(|p| p.accepts(text, fold) == Some(true))
            };
            return !texts.iter().any(is_possible);
        }
        let intervals =
            |predicate: &&&'p Predicate| matches!(predicate.values(), Some(Values::Intervals(_)));
        let held: Vec<&Values> =
            self.held.iter().filter(intervals).filter_map(|p| p.values()).collect();
        let denied: Vec<&Values> =
            self.denied.iter().filter(intervals).filter_map(|p| p.values()).collect();
        if !held.is_empty() {
            return values::leave_nothing(&held, &denied);
        }
        let is_there = self.denied.iter().filter(intervals).any(|p| p.is_always_there);
        if is_there && values::are_everything(&denied) {
            return true;
        }
        self.held.iter().enumerate().any(|(n, predicate)| {
            self.denied.iter().any(|denied| predicate.implies(denied))
                || self.held[..n].iter().any(|other| predicate.excludes(other))
        })
    }
}

fn of_call(operand: &Operand, note: &mut Note<'_>) -> Option<Formula> {
    let Base::Call(name, arguments) = &operand.base else { return None };
    let [first, second] = arguments.as_slice() else { return None };
    let (NodeKind::Operand(first), NodeKind::Operand(second)) = (&first.kind, &second.kind) else {
        return None;
    };
    let Some(Literal::Bytes(text)) = second.literal() else { return None };
    let values = match name.as_str() {
        "starts_with" => Values::StartingWith(text.clone()),
        "ends_with" => Values::EndingWith(text.clone()),
        _ => return None,
    };
    operand.indexes.is_empty().then_some(())?;
    Some(of_values(&Subject::of(first)?, values, note))
}

fn of_comparison(comparison: &Comparison, note: &mut Note<'_>) -> Option<Formula> {
    let subject = Subject::of(&comparison.left)?;
    match (comparison.operator, &comparison.right) {
        (Operator::NotEqual, right) if subject.is_always_there => {
            let values = Values::of(Operator::Equal, right)?;
            Some(of_values(&subject, values, note).denied())
        }
        (Operator::NotEqual, ComparedValue::Literal(Literal::Bytes(text))) => {
            Some(of_accepted(&subject, Accepted::Except(text.clone()), note))
        }
        (Operator::NotEqual, _) => None,
        (
            Operator::Wildcard | Operator::StrictWildcard,
            ComparedValue::Literal(Literal::Bytes(pattern)),
        ) => Some(of_wildcard(subject, pattern, comparison, note)),
        (Operator::Matches, ComparedValue::Literal(Literal::Bytes(pattern))) => {
            Some(of_regex(&subject, pattern, comparison, note))
        }
        (operator, right) => Some(of_values(&subject, Values::of(operator, right)?, note)),
    }
}

fn of_accepted(subject: &Subject, accepted: Accepted, note: &mut Note<'_>) -> Formula {
    let key = match &accepted {
        Accepted::Pattern(comparison, _) => {
            format!("{:?} {:?}", comparison.operator, comparison.right)
        }
        accepted => format!("{accepted:?}"),
    };
    let predicate = Predicate {
        subject: subject.text.clone(),
        fold: subject.fold,
        accepted,
        is_always_there: subject.is_always_there,
    };
    note(format!("{} {:?} {key}", subject.text, subject.fold), predicate)
}

/// Divides a set of values of `http.request.uri` into sets of its path and its query.
fn of_values(subject: &Subject, values: Values, note: &mut Note<'_>) -> Formula {
    let Some(raw) = subject.text.strip_suffix("http.request.uri").map(str::to_owned) else {
        return of_accepted(subject, Accepted::Values(values), note);
    };
    let path = subject.beside(format!("{raw}http.request.uri.path"));
    let query = subject.beside(format!("{raw}http.request.uri.query"));
    match values {
        Values::StartingWith(text) if !text.contains(&b'?') => {
            of_accepted(&path, Accepted::Values(Values::StartingWith(text)), note)
        }
        Values::Containing(text) => {
            let subjects = [subject, &path, &query];
            let containing = subjects.map(|subject| {
                let values = Values::Containing(text.clone());
                of_accepted(subject, Accepted::Values(values), note)
            });
            Formula::Any(containing.into())
        }
        Values::Texts(texts) if texts.len() <= MOST_TEXTS => {
            let equality = |text: &Vec<u8>, note: &mut Note<'_>| {
                let equal =
                    |text: &[u8]| Accepted::Values(Values::Texts(BTreeSet::from([text.to_vec()])));
                let at = text.iter().position(|byte| *byte == b'?').unwrap_or(text.len());
                let (before, after) = (&text[..at], text.get(at + 1..).unwrap_or_default());
                let mut parts = vec![
                    of_accepted(&path, equal(before), note),
                    of_accepted(&query, equal(after), note),
                ];
                if after.is_empty() {
                    parts.push(of_accepted(subject, equal(text), note));
                }
                Formula::All(parts)
            };
            Formula::Any(texts.iter().map(|text| equality(text, note)).collect())
        }
        values => of_accepted(subject, Accepted::Values(values), note),
    }
}

fn of_wildcard(
    mut subject: Subject,
    pattern: &[u8],
    comparison: &Comparison,
    note: &mut Note<'_>,
) -> Formula {
    if comparison.operator == Operator::Wildcard {
        subject.fold = Fold::Lower;
    }
    let is_strict = comparison.operator == Operator::StrictWildcard;
    let parts = wildcard_parts(pattern, is_strict);
    let (Some((first, rest)), true) = (parts.split_first(), pattern.is_ascii()) else {
        return of_pattern(&subject, comparison, Vec::new(), note);
    };
    let Some((last, middle)) = rest.split_last() else {
        return of_values(&subject, Values::Texts(BTreeSet::from([first.clone()])), note);
    };
    let mut implied = Vec::new();
    if !first.is_empty() {
        implied.push(Values::StartingWith(first.clone()));
    }
    if !last.is_empty() {
        implied.push(Values::EndingWith(last.clone()));
    }
    implied.extend(middle.iter().filter(|part| !part.is_empty()).cloned().map(Values::Containing));
    match implied.len() {
        1 => of_values(&subject, implied.remove(0), note),
        _ => of_pattern(&subject, comparison, implied, note),
    }
}

fn of_regex(
    subject: &Subject,
    pattern: &[u8],
    comparison: &Comparison,
    note: &mut Note<'_>,
) -> Formula {
    let Some(Literals { texts, is_exact, starts, ends }) = literals(pattern) else {
        return of_pattern(subject, comparison, Vec::new(), note);
    };
    let alternatives = if is_exact && starts && ends {
        of_values(subject, Values::Texts(texts), note)
    } else {
        let values = match (starts, is_exact && ends) {
            (true, _) => Values::StartingWith,
            (false, true) => Values::EndingWith,
            (false, false) => Values::Containing,
        };
        Formula::Any(texts.into_iter().map(|text| of_values(subject, values(text), note)).collect())
    };
    match is_exact {
        true => alternatives,
        false => {
            Formula::All(vec![of_pattern(subject, comparison, Vec::new(), note), alternatives])
        }
    }
}

/// The literals at the beginning of all matches of a regular expression.
struct Literals {
    texts: BTreeSet<Vec<u8>>,
    /// True if the regular expression matches only these literals.
    is_exact: bool,
    /// True if it is anchored at the beginning of a value.
    starts: bool,
    /// True if it is anchored at the end of a value.
    ends: bool,
}

/// Returns texts of which one is in every match of a pattern.
pub(super) fn texts_of_pattern(pattern: &[u8]) -> BTreeSet<Vec<u8>> {
    literals(pattern).map(|literals| literals.texts).unwrap_or_default()
}

fn literals(pattern: &[u8]) -> Option<Literals> {
    let pattern = std::str::from_utf8(pattern).ok().filter(|pattern| pattern.is_ascii())?;
    let mut parser = ParserBuilder::new().unicode(false).utf8(false).nest_limit(50).build();
    let hir = parser.parse(pattern).ok()?;
    let mut parts = match hir.kind() {
        HirKind::Concat(parts) => parts.as_slice(),
        _ => std::slice::from_ref(&hir),
    };
    let (mut starts, mut ends) = (false, false);
    if let [first, rest @ ..] = parts
        && *first.kind() == HirKind::Look(Look::Start)
    {
        (starts, parts) = (true, rest);
    }
    if let [rest @ .., last] = parts
        && *last.kind() == HirKind::Look(Look::End)
    {
        (ends, parts) = (true, rest);
    }
    let middle = Hir::concat(parts.to_vec());
    middle.properties().look_set().is_empty().then_some(())?;
    let sequence = Extractor::new().extract(&middle);
    let literals_of_middle = sequence.literals()?;
    let texts: BTreeSet<Vec<u8>> =
        literals_of_middle.iter().map(|text| text.as_bytes().to_vec()).collect();
    let is_exact = literals_of_middle.iter().all(regex_syntax::hir::literal::Literal::is_exact);
    (!texts.is_empty()).then_some(Literals { texts, is_exact, starts, ends })
}

/// Returns the predicate of a pattern, and the predicates that it implies.
fn of_pattern(
    subject: &Subject,
    comparison: &Comparison,
    implied: Vec<Values>,
    note: &mut Note<'_>,
) -> Formula {
    let pattern = Accepted::Pattern(comparison.clone(), OnceCell::new());
    let mut formulas = vec![of_accepted(subject, pattern, note)];
    formulas.extend(implied.into_iter().map(|values| of_values(subject, values, note)));
    Formula::All(formulas)
}
