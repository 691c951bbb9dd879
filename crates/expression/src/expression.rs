//! Expressions: parsing, equality, and properties that need no request.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use crate::bounds::{self, Bound};
use crate::canonical::{self, CanonicalForm, CanonicalKind};
use crate::checked_expression::Check;
use crate::expression_setting::ExpressionSetting;
use crate::problem::{ExpressionProblem, Problems};
use crate::requirement::{Requirement, requirements};
use crate::scope::{self, ScopeChange};
use crate::share::Share;
use crate::syntax::{Base, ComparedValue, Connective, Node};
use crate::vocabulary::{EXPRESSION_CHARACTERS, FIELDS, Needs};
use crate::{few_requests, lexer, parse};

/// An expression as its author wrote it.
///
/// Two are equal if their canonical texts are equal. The canonical form covers the equivalences
/// that are visible in the form of an expression; see `canonical.rs`.
#[derive(Debug, Clone)]
pub struct Expression {
    /// The text as written.
    text: String,
    /// The text shared by all its spellings.
    canonical: String,
    /// True if the canonical text can be read.
    is_parsed: bool,
    /// The canonical form, computed at first use: rules are compared in pairs, so most forms are
    /// needed several times.
    form: OnceLock<Option<Arc<CanonicalForm>>>,
}

/// Parses and checks an expression.
///
/// # Errors
/// Returns all problems at once, in the order of the text. There is an expression exactly if none
/// of them is an error.
#[must_use]
pub fn parse_expression(
    text: &str,
    setting: ExpressionSetting<'_>,
) -> (Option<Expression>, Vec<ExpressionProblem>) {
    let mut problems = Problems::default();
    let tokens = lexer::tokens(text, &mut problems);
    if tokens.is_empty() {
        let help = "write a condition; `true` matches everything";
        problems.error(0..text.len(), "empty-expression", "the expression is empty", help);
        return (None, problems.finish());
    }
    let length = lexer::length_on_one_line(text, &tokens);
    if length > EXPRESSION_CHARACTERS {
        let message = format!(
            "the expression has {length} characters; at most {EXPRESSION_CHARACTERS} are allowed"
        );
        let help = "split the rule, or move addresses and hosts into a list of the account";
        problems.error(0..text.len(), "too-long", message, help);
    }
    let node = parse::parse(text, &tokens, &mut problems);
    let is_whole = !problems.has_errors();
    Check { text, setting, problems: &mut problems }.expression(&node);
    let form = CanonicalForm::of(&node);
    if let (true, Some(form)) = (is_whole, &form)
        && let Some(truth) = scope::truth(form)
        && form.text != "true"
    {
        let code = if truth { "always-true" } else { "always-false" };
        let (what, help) = if truth {
            ("everything", "write `true` if that is meant")
        } else {
            ("nothing", "fix it, or remove the rule")
        };
        problems.warning(node.span.clone(), code, format!("the expression matches {what}"), help);
    }
    if form.is_none() && !problems.has_errors() {
        // An expression without a canonical form should have been reported at its place. A late
        // error is better than accepting it.
        let help = "simplify the expression, and report this as a bug";
        problems.error(node.span.clone(), "unreadable", "the expression cannot be read", help);
    }
    let expression = match (problems.has_errors(), form) {
        (false, Some(form)) => Some(Expression::new(text, form.text, true)),
        (true, _) | (false, None) => None,
    };
    (expression, problems.finish())
}

/// A test of the text of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextTest {
    /// The field has the text.
    Equals,
    /// The field starts with the text.
    StartsWith,
}

impl Expression {
    /// Returns an expression without a computed form.
    fn new(text: &str, canonical: String, is_parsed: bool) -> Self {
        Self { text: text.to_owned(), canonical, is_parsed, form: OnceLock::new() }
    }

    /// Returns an expression that Cloudflare has accepted. Never fails: one that cannot be parsed
    /// is compared by its trimmed text.
    #[must_use]
    pub fn reported(text: &str) -> Self {
        match tree(text).as_ref().and_then(CanonicalForm::of) {
            Some(form) => Self::new(text, form.text, true),
            None => Self::new(text, text.trim().to_owned(), false),
        }
    }

    /// Returns the condition that fields have these texts, or start with them. Without fields, it
    /// matches all requests.
    #[must_use]
    pub fn of_texts(fields: &[(&str, TextTest, &str)]) -> Self {
        let condition = |(field, test, text): &(&str, TextTest, &str)| {
            let quoted = canonical::quoted(text.as_bytes());
            match test {
                TextTest::Equals => format!("{field} eq {quoted}"),
                TextTest::StartsWith => format!("starts_with({field}, {quoted})"),
            }
        };
        let conditions = fields.iter().map(condition).collect::<Vec<_>>().join(" and ");
        Self::reported(if conditions.is_empty() { "true" } else { &conditions })
    }

    /// Returns the text as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text shared by all its spellings; the trimmed text if it cannot be parsed.
    #[must_use]
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// Returns true if it certainly matches every request.
    #[must_use]
    pub fn is_always_true(&self) -> bool {
        self.canonical_form().and_then(scope::truth) == Some(true)
    }

    /// Returns true if it certainly matches no request.
    #[must_use]
    pub fn is_always_false(&self) -> bool {
        self.canonical_form().and_then(scope::truth) == Some(false)
    }

    /// Returns the highest plan that it needs, and the parts that need it, if any.
    #[must_use]
    pub fn requirement(&self) -> Option<Requirement> {
        let mut highest = Requirement { needs: Needs::Nothing, by: BTreeSet::new() };
        for (needs, by) in self.tree().iter().flat_map(requirements) {
            match needs.cmp(&highest.needs) {
                Ordering::Less => {}
                Ordering::Equal => drop(highest.by.insert(by)),
                Ordering::Greater => highest = Requirement { needs, by: BTreeSet::from([by]) },
            }
        }
        (highest.needs > Needs::Nothing).then_some(highest)
    }

    /// Returns true if it names a list of the account. Lists that Cloudflare maintains have a `.` in
    /// their names.
    #[must_use]
    pub fn names_account_list(&self) -> bool {
        let mut names_list = false;
        if let Some(tree) = self.tree() {
            tree.each_comparison(&mut |comparison| {
                names_list |=
                    matches!(&comparison.right, ComparedValue::List(name) if !name.contains('.'));
            });
        }
        names_list
    }

    /// Returns the fields that the expression reads.
    #[must_use]
    pub fn fields(&self) -> BTreeSet<String> {
        let mut fields = BTreeSet::new();
        if let Some(tree) = self.tree() {
            tree.each_operand(&mut |operand| {
                if let Base::Field(name) = &operand.base {
                    fields.insert(name.clone());
                }
            });
        }
        fields
    }

    /// Returns true if it requires a boolean field to be true: `cf.client.bot`, but not `not
    /// cf.client.bot`.
    #[must_use]
    pub fn asks_for(&self, field: &str) -> bool {
        self.canonical_form().is_some_and(|form| scope::asks_for(form, field, true))
    }

    /// Returns the hosts outside which it certainly matches nothing, in lower case; `None` if
    /// unknown.
    #[must_use]
    pub fn hosts(&self) -> Option<BTreeSet<String>> {
        scope::hosts(self.canonical_form()?)
    }

    /// Returns the hosts that it names with `http.host eq` or `in`, whatever else it asks for.
    #[must_use]
    pub fn named_hosts(&self) -> BTreeSet<String> {
        self.canonical_form().map(scope::named_hosts).unwrap_or_default()
    }

    /// Returns true if it certainly matches nothing except one page, or one directory with at least
    /// this many segments, of one host.
    #[must_use]
    pub fn is_one_place(&self, least_segments: usize) -> bool {
        self.canonical_form().is_some_and(|form| bounds::is_one_place(form, least_segments))
    }

    /// Returns true if it matches only certain clients, one page, or one directory with at least
    /// this many segments. A disjunction is limited if each part is.
    #[must_use]
    pub fn is_for_few(&self, least_segments: usize) -> bool {
        self.canonical_form().is_some_and(|form| few_requests::is_for_few(form, least_segments))
    }

    /// Returns true if its form can be compared with others.
    #[must_use]
    pub fn is_comparable(&self) -> bool {
        self.canonical_form().is_some()
    }

    /// Returns expressions that together match what it matches: the parts that it joins with `or`,
    /// or itself.
    #[must_use]
    pub fn alternatives(&self) -> Vec<Self> {
        match self.canonical_form().map(|form| &form.kind) {
            Some(CanonicalKind::Chain(Connective::Or, parts)) => {
                parts.iter().map(|part| Self::reported(&part.text)).collect()
            }
            _ => vec![self.clone()],
        }
    }

    /// Returns true if one of these bounds names everything that it matches, as far as its form
    /// shows. Ordinary visitors are not named.
    #[must_use]
    pub fn names(&self, wanted: &[Bound]) -> bool {
        self.canonical_form().is_some_and(|form| bounds::names(form, wanted))
    }

    /// Returns the difference between the requests that two expressions match, as far as their
    /// forms show.
    #[must_use]
    pub fn scope_change(before: &Self, after: &Self) -> ScopeChange {
        if before == after {
            return ScopeChange::Equal;
        }
        match (before.canonical_form(), after.canonical_form()) {
            (Some(before), Some(after)) => scope::change(before, after),
            (None, _) | (_, None) => ScopeChange::Unknown,
        }
    }

    /// Returns the fields that it reads and that nothing in `other` determines.
    #[must_use]
    pub fn fields_beyond(&self, other: &Self) -> BTreeSet<String> {
        let known = other.fields();
        let is_determined = |field: &String| known.iter().any(|known| determines(known, field));
        self.fields().into_iter().filter(|field| !is_determined(field)).collect()
    }

    /// Returns the condition of a share of the requests that it matches.
    #[must_use]
    pub fn of_share(&self, share: Share) -> Self {
        let selection = share.selection();
        match self.is_always_true() {
            true => Self::reported(&selection),
            false => Self::reported(&format!("({}) and {selection}", self.text().trim())),
        }
    }

    /// Returns the share of the requests that it selects at random, if it selects one.
    #[must_use]
    pub fn share(&self) -> Option<Share> {
        self.canonical_form().and_then(Share::selected)
    }

    /// Returns the tree of the canonical text.
    fn tree(&self) -> Option<Node> {
        self.is_parsed.then(|| tree(&self.canonical)).flatten()
    }

    pub(crate) fn canonical_form(&self) -> Option<&CanonicalForm> {
        self.form.get_or_init(|| CanonicalForm::of(&self.tree()?).map(Arc::new)).as_deref()
    }
}

/// Returns true if the value of a field shows the value of another one.
fn determines(known: &str, field: &str) -> bool {
    let current = |name| FIELDS.iter().find(|f| f.name == name).and_then(|f| f.instead);
    let (known, field) = (current(known).unwrap_or(known), current(field).unwrap_or(field));
    let known = known.strip_prefix("raw.").unwrap_or(known);
    let is_part =
        field.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let is_of_address = known == "http.request.full_uri"
        && (matches!(field, "ssl" | "http.host") || field.starts_with("http.request.uri"));
    is_part || is_of_address
}

/// Returns the tree of a text without syntax errors.
pub(crate) fn tree(text: &str) -> Option<Node> {
    let mut problems = Problems::default();
    let tokens = lexer::tokens(text, &mut problems);
    let node = (!tokens.is_empty()).then(|| parse::parse(text, &tokens, &mut problems))?;
    (!problems.has_errors()).then_some(node)
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.canonical == other.canonical
    }
}

impl Eq for Expression {}

impl PartialOrd for Expression {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Expression {
    fn cmp(&self, other: &Self) -> Ordering {
        self.canonical.cmp(&other.canonical)
    }
}

impl Hash for Expression {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical.hash(state);
    }
}

/// Returns the codes of the problems in a text.
#[cfg(test)]
pub(crate) fn codes(text: &str) -> Vec<&'static str> {
    let setting = ExpressionSetting::in_phase("http_ratelimit");
    parse_expression(text, setting).1.into_iter().map(|p| p.code).collect()
}
