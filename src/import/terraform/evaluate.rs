//! Evaluates expressions of the HashiCorp configuration language. The result is a value, or the
//! exact reason why it is missing.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use hcl_edit::expr::{
    BinaryOperator, Expression, ForExpr, FuncCall, ObjectKey, Traversal, TraversalOperator,
    UnaryOperator,
};
use hcl_edit::template::{Directive, Element, Template as Elements};
use hcl_edit::{Number, Span as _};

use super::functions;
use super::growth::size_of_result;
use super::nesting::{is_too_deep, memory};
use super::numerals::{NOT_EXACT, leading_number};
use super::operators::{self, binary};
use super::sets::of_one_type;
use super::template::Template;
use super::value::{Missing, Term};
use super::yaml;
use crate::diagnostic::{Place, SourceId, Span};
use crate::model::EvaluationBudget;

/// Maximum number of steps of an evaluation: nested `for` expressions multiply.
const MOST_STEPS: usize = 5_000_000;
/// Maximum nesting of evaluations, as values refer to other values.
const DEEPEST: usize = 400;

/// Maximum memory of temporary values during an evaluation, in bytes.
const MOST_HELD: usize = 32 << 20;
/// Maximum memory of values that are kept: variables, local values, outputs and resources. In
/// bytes.
const MOST_KEPT: usize = 48 << 20;
/// Number of copied bytes that count as one step.
const BYTES_PER_STEP: usize = 4096;
/// Reason for a missing value that would exceed the limit on memory.
const TOO_MUCH_TEXT: &str =
    "the values take more memory than an import may use; import the state instead";

/// Limits on the effort of evaluations.
pub(super) struct Effort {
    /// Steps, and temporary values.
    evaluation: EvaluationBudget,
    /// Values that are kept to the end.
    kept: EvaluationBudget,
    /// Depth of the current evaluation.
    depth: Cell<usize>,
}

impl Default for Effort {
    fn default() -> Self {
        let evaluation = EvaluationBudget::new(MOST_STEPS, MOST_HELD);
        Self { evaluation, kept: EvaluationBudget::of_bytes(MOST_KEPT), depth: Cell::new(0) }
    }
}

impl Effort {
    /// Counts steps. Returns false if the limit is exceeded.
    pub(super) fn take_steps(&self, steps: usize) -> bool {
        self.evaluation.take_steps(steps)
    }

    /// Resets the steps. Kept values stay counted.
    pub(super) fn renew(&self) {
        self.evaluation.renew();
    }

    /// Evaluates, and releases the temporary values of this evaluation. Earlier ones stay counted.
    pub(super) fn released<T>(&self, evaluate: impl FnOnce() -> T) -> T {
        let mark = self.evaluation.held();
        let value = evaluate();
        self.evaluation.release_to(mark);
        value
    }

    /// Counts a temporary value. A value that exceeds the limit becomes missing.
    fn hold(&self, value: Term, place: Place) -> Term {
        let bytes = value.bytes();
        if !self.evaluation.take_steps(bytes / BYTES_PER_STEP) {
            return Term::Missing(Missing::unknown("the expressions take too many steps", place));
        }
        if self.evaluation.hold(bytes) {
            value
        } else {
            Term::Missing(Missing::unknown(TOO_MUCH_TEXT, place))
        }
    }

    /// Counts a kept value. A value that exceeds the limit becomes missing.
    pub(super) fn keep(&self, value: Term, place: Place) -> Term {
        let mark = self.kept.held();
        if self.kept.hold(value.bytes()) {
            return value;
        }
        self.kept.release_to(mark);
        Term::Missing(Missing::unknown(TOO_MUCH_TEXT, place))
    }

    /// Fails if another value of this size would exceed the limit on memory.
    fn check_memory(&self, bytes: usize, place: Place) -> Result<(), Missing> {
        if bytes <= self.evaluation.remaining_bytes() {
            Ok(())
        } else {
            Err(Missing::unknown(TOO_MUCH_TEXT, place))
        }
    }
}

/// Names that are defined outside of an expression.
pub(super) trait Globals {
    /// Returns the value of `first.rest[0].rest[1]…` and the number of used segments of `rest`;
    /// `None` if `first` is unknown.
    fn lookup(&self, first: &str, rest: &[&str], place: Place) -> Option<(Term, usize)>;
    /// Reads a file below the directory of the module. The error is the reason why the file cannot
    /// be read.
    fn read(&self, name: &str) -> Result<String, String>;
    /// Returns the text of a source.
    fn text(&self, source: SourceId) -> &str;
    /// Returns false for a file in JSON: the spans of its expressions are not places in the file.
    fn has_places(&self, source: SourceId) -> bool;
    fn effort(&self) -> &Effort;
}

/// Context of an expression.
#[derive(Clone)]
pub(super) struct Scope<'g> {
    /// File of the expression.
    pub(super) source: SourceId,
    /// Names of the module.
    pub(super) globals: &'g dyn Globals,
    /// `each`, `count` and the variables of `for`. A later entry hides an earlier one of the same
    /// name.
    pub(super) names: Vec<(String, Rc<Term>)>,
}

impl Scope<'_> {
    /// Returns the place of a span in the file.
    pub(super) fn place(&self, span: Option<Range<usize>>) -> Place {
        let span = match self.globals.has_places(self.source) {
            true => span,
            false => Some(0..1),
        };
        span.map_or(Place::NOWHERE, |span| Place {
            source: self.source,
            span: Span::new(span.start, span.end),
        })
    }

    /// Evaluates an expression.
    pub(super) fn evaluate(&self, expression: &Expression) -> Term {
        let place = self.place(expression.span());
        let effort = self.globals.effort();
        if !effort.take_steps(1) {
            return Term::Missing(Missing::unknown("the expressions take too many steps", place));
        }
        let depth = effort.depth.get();
        if depth >= DEEPEST {
            return Term::Missing(Missing::unknown(
                "the values refer to each other too deeply",
                place,
            ));
        }
        effort.depth.set(depth + 1);
        let value = effort.released(|| self.value(expression, place));
        effort.depth.set(depth);
        effort.hold(value, place)
    }

    /// Evaluates an expression within the limits.
    fn value(&self, expression: &Expression, place: Place) -> Term {
        match expression {
            Expression::Null(_) => Term::Null,
            Expression::Bool(b) => Term::Bool(*b.value()),
            Expression::Number(number) => self.number(number.value(), place),
            Expression::String(text) => Term::Text(text.value().clone()),
            Expression::Array(items) => {
                Term::List(items.iter().map(|item| self.evaluate(item)).collect())
            }
            Expression::Object(object) => {
                let mut map = BTreeMap::new();
                for (key, value) in object {
                    let key = match key {
                        ObjectKey::Ident(name) => Term::from(name.as_str()),
                        ObjectKey::Expression(Expression::Variable(name)) => {
                            Term::from(name.as_str())
                        }
                        ObjectKey::Expression(key) => self.evaluate(key),
                    };
                    match (key.text(), key) {
                        (Some(key), _) => map.insert(key, self.evaluate(value.expr())),
                        (None, Term::Missing(missing)) => return Term::Missing(missing),
                        (None, _) => return error("a key must be text", place),
                    };
                }
                Term::Map(map)
            }
            Expression::StringTemplate(template) => {
                self.template(template, || Template::quoted(template), place)
            }
            Expression::HeredocTemplate(heredoc) => {
                let file = self.globals.text(self.source);
                self.template(&heredoc.template, || Template::heredoc(heredoc, file), place)
            }
            Expression::Parenthesis(inner) => self.evaluate(inner.inner()),
            Expression::Variable(name) => self.variable(name.as_str(), &[], place).0,
            Expression::Conditional(conditional) => match self.evaluate(&conditional.cond_expr) {
                Term::Missing(missing) => Term::Missing(missing),
                condition => match condition.truth() {
                    Some(true) => self.branch(&conditional.true_expr, &conditional.false_expr),
                    Some(false) => self.branch(&conditional.false_expr, &conditional.true_expr),
                    None => error("the condition is neither true nor false", place),
                },
            },
            Expression::FuncCall(call) => self.call(call, place),
            Expression::Traversal(traversal) => self.traverse(traversal, place),
            Expression::UnaryOp(operation) => {
                match (operation.operator.value(), self.evaluate(&operation.expr)) {
                    (_, Term::Missing(missing)) => Term::Missing(missing),
                    (UnaryOperator::Not, value) => value
                        .truth()
                        .map_or_else(|| error("`!` needs a boolean", place), |b| Term::Bool(!b)),
                    (UnaryOperator::Neg, value) => {
                        binary(BinaryOperator::Mul, Term::Number(-1.0), value, place)
                    }
                }
            }
            Expression::BinaryOp(operation) => {
                let (left, right) =
                    (self.evaluate(&operation.lhs_expr), self.evaluate(&operation.rhs_expr));
                binary(*operation.operator.value(), left, right, place)
            }
            Expression::ForExpr(expression) => self.for_expression(expression, place),
        }
    }

    /// Evaluates the chosen branch of a conditional. Its value gets the type that both branches
    /// have in common.
    fn branch(&self, chosen: &Expression, other: &Expression) -> Term {
        let value = self.evaluate(chosen);
        match value {
            Term::Number(_) | Term::Large(_) | Term::Bool(_) => {
                let mut values = of_one_type(vec![value, self.evaluate(other)]);
                values.swap_remove(0)
            }
            Term::List(items) if !items.is_empty() => match self.evaluate(other) {
                Term::List(others) => {
                    let length = items.len();
                    let mut items = of_one_type(items.into_iter().chain(others).collect());
                    items.truncate(length);
                    Term::List(items)
                }
                _ => Term::List(items),
            },
            value => value,
        }
    }

    /// Reads a literal number.
    fn number(&self, number: &Number, place: Place) -> Term {
        // The parser knows numbers of 64 bits; `parse_body` puts another one in place of a larger.
        let text = self.globals.text(self.source).get(place.span.start as usize..);
        match Term::read_number(leading_number(text.unwrap_or_default())) {
            Some(Ok(number)) => return number,
            Some(Err(why)) => return Term::Missing(Missing::unknown(why, place)),
            None => {}
        }
        match (number.as_i64(), number.as_u64()) {
            (Some(n), _) => Term::whole_number(n.into()),
            (_, Some(n)) => Term::whole_number(n.into()),
            _ => number.as_f64().map_or(Term::Null, Term::Number),
        }
    }

    /// Evaluates a name with the attributes that belong to it. Returns the number of used
    /// attributes.
    fn variable(&self, name: &str, rest: &[&str], place: Place) -> (Term, usize) {
        if let Some((_, value)) = self.names.iter().rev().find(|(known, _)| known == name) {
            return (Term::clone(value), 0);
        }
        self.globals.lookup(name, rest, place).unwrap_or_else(|| {
            let span = place.span.start as usize..place.span.end as usize;
            let text = self.globals.text(self.source).get(span);
            let text = text.filter(|_| self.globals.has_places(self.source)).map(str::to_owned);
            let path = || std::iter::once(name).chain(rest.iter().copied());
            let shown = text.unwrap_or_else(|| path().collect::<Vec<_>>().join("."));
            let shown: String = shown.chars().take(80).collect();
            (
                Term::Missing(Missing::unknown(format!("`{shown}` is not in these files"), place)),
                rest.len(),
            )
        })
    }

    /// Evaluates `a.b[c].d`.
    fn traverse(&self, traversal: &Traversal, place: Place) -> Term {
        let mut used = 0;
        let mut value = match &traversal.expr {
            Expression::Variable(name) => {
                let is_module = name.as_str() == "module";
                let part = |operator: &TraversalOperator| match operator {
                    TraversalOperator::GetAttr(name) => Some(name.to_string()),
                    // The key of an instance of a module.
                    TraversalOperator::Index(Expression::String(key)) if is_module => {
                        Some(key.value().clone())
                    }
                    TraversalOperator::Index(Expression::Number(n)) if is_module => {
                        Some(n.value().to_string())
                    }
                    TraversalOperator::LegacyIndex(n) if is_module => Some(n.value().to_string()),
                    _ => None,
                };
                let path: Vec<String> = traversal
                    .operators
                    .iter()
                    .map_while(|operator| part(operator.value()))
                    .collect();
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                let (value, taken) = self.variable(name.as_str(), &path, place);
                used = taken;
                self.globals.effort().hold(value, place)
            }
            other => self.evaluate(other),
        };
        let mut operators = traversal.operators[used.min(traversal.operators.len())..].iter();
        while let Some(operator) = operators.next() {
            let step = operator.value();
            if matches!(step, TraversalOperator::AttrSplat(_) | TraversalOperator::FullSplat(_)) {
                let items = match value {
                    Term::Missing(missing) => return Term::Missing(missing),
                    Term::Null => Vec::new(),
                    Term::List(items) | Term::Set(items) => items,
                    // Only lists are iterated by `*`.
                    other => vec![other],
                };
                let steps: Vec<&TraversalOperator> =
                    operators.map(|operator| operator.value()).collect();
                let apply_steps = |item: Term| {
                    steps.iter().fold(item, |value, step| self.step(value, step, place))
                };
                return Term::List(items.into_iter().map(apply_steps).collect());
            }
            value = self.step(value, step, place);
        }
        value
    }

    /// Evaluates one attribute or index.
    fn step(&self, value: Term, step: &TraversalOperator, place: Place) -> Term {
        let key = match step {
            TraversalOperator::GetAttr(name) => Term::from(name.as_str()),
            TraversalOperator::Index(index) => self.evaluate(index),
            TraversalOperator::LegacyIndex(index) => Term::Text(index.value().to_string()),
            TraversalOperator::AttrSplat(_) | TraversalOperator::FullSplat(_) => {
                return error("only one `*` is understood", place);
            }
        };
        match (value, key) {
            (Term::Missing(missing), _) | (_, Term::Missing(missing)) => Term::Missing(missing),
            (Term::Map(mut map), key) => {
                let key = key.text().unwrap_or_default();
                map.remove(&key).unwrap_or_else(|| error(format!("there is no `{key}`"), place))
            }
            (Term::List(mut list), key) => {
                match key.whole().map(|n| n as usize).filter(|n| *n < list.len()) {
                    Some(n) => list.swap_remove(n),
                    None => error("there is no such item", place),
                }
            }
            (_, key) => error(format!("there is no `{}`", key.text().unwrap_or_default()), place),
        }
    }

    /// Evaluates text with interpolations.
    fn template(
        &self,
        elements: &Elements,
        read: impl FnOnce() -> Result<Template, &'static str>,
        place: Place,
    ) -> Term {
        // `"${x}"` alone is the value of `x` itself, not its text.
        if let Some(Element::Interpolation(only)) = elements.as_single_element() {
            return self.evaluate(&only.expr);
        }
        let size = Template::size(elements);
        if let Err(missing) = self.globals.effort().check_memory(size, place) {
            return Term::Missing(missing);
        }
        if !self.globals.effort().take_steps(size / BYTES_PER_STEP) {
            return Term::Missing(Missing::unknown("the expressions take too many steps", place));
        }
        let template = match read() {
            Ok(template) => template,
            Err(why) => return error(why, place),
        };
        let mut text = String::new();
        match self.append(elements, &template, &mut text, place) {
            Ok(()) => Term::Text(text),
            Err(missing) => Term::Missing(missing),
        }
    }

    /// Appends the text of elements of a template.
    fn append(
        &self,
        elements: &Elements,
        template: &Template,
        out: &mut String,
        place: Place,
    ) -> Result<(), Missing> {
        for element in elements {
            match element {
                Element::Literal(text) => self.push(template.text(text.value()), out, place)?,
                Element::Interpolation(interpolation) => match self.evaluate(&interpolation.expr) {
                    Term::Missing(missing) => return Err(missing),
                    value => {
                        let text = value.text().ok_or_else(|| match value {
                            Term::Number(_) => Missing::unknown(NOT_EXACT, place),
                            _ => Missing::error("only single values fit into text", place),
                        })?;
                        self.push(&text, out, place)?;
                    }
                },
                Element::Directive(directive) => match &**directive {
                    Directive::If(branch) => match self.evaluate(&branch.if_expr.cond_expr) {
                        Term::Missing(missing) => return Err(missing),
                        condition => match (condition.truth(), &branch.else_expr) {
                            (Some(true), _) => {
                                self.append(&branch.if_expr.template, template, out, place)?;
                            }
                            (Some(false), Some(other)) => {
                                self.append(&other.template, template, out, place)?;
                            }
                            (Some(false), None) => {}
                            (None, _) => {
                                return Err(Missing::error(
                                    "the condition is neither true nor false",
                                    place,
                                ));
                            }
                        },
                    },
                    Directive::For(each) => {
                        let for_clause = &each.for_expr;
                        let key = for_clause.key_var.as_ref().map(|name| name.as_str());
                        let collection = self.evaluate(&for_clause.collection_expr);
                        for inner in
                            self.each(collection, key, for_clause.value_var.as_str(), place)?
                        {
                            inner.append(&for_clause.template, template, out, place)?;
                        }
                    }
                },
            }
        }
        Ok(())
    }

    /// Appends text to the result of a template.
    fn push(&self, text: &str, out: &mut String, place: Place) -> Result<(), Missing> {
        self.globals.effort().check_memory(out.len() + text.len(), place)?;
        out.push_str(text);
        Ok(())
    }

    /// Returns a scope for each item of a collection.
    fn each(
        &self,
        collection: Term,
        key: Option<&str>,
        value: &str,
        place: Place,
    ) -> Result<impl Iterator<Item = Self>, Missing> {
        let pairs: Box<dyn Iterator<Item = (Term, Term)>> = match collection {
            Term::Missing(missing) => return Err(missing),
            #[allow(clippy::cast_precision_loss, reason = "lists are far shorter than 2^53")]
            Term::List(list) => Box::new(
                list.into_iter().enumerate().map(|(n, item)| (Term::Number(n as f64), item)),
            ),
            // The key of an element of a set is the element itself.
            Term::Set(items) => Box::new(items.into_iter().map(|item| (item.clone(), item))),
            Term::Map(map) => Box::new(map.into_iter().map(|(key, item)| (Term::Text(key), item))),
            _ => return Err(Missing::error("only lists and maps can be iterated", place)),
        };
        Ok(pairs.map(move |(index, item)| {
            let mut inner = self.clone();
            inner.names.extend(key.map(|key| (key.to_owned(), Rc::new(index))));
            inner.names.push((value.to_owned(), Rc::new(item)));
            inner
        }))
    }

    /// Evaluates `[for …]` and `{for …}`.
    fn for_expression(&self, expression: &ForExpr, place: Place) -> Term {
        let intro = &expression.intro;
        let key = intro.key_var.as_ref().map(|name| name.as_str());
        let scopes = match self.each(
            self.evaluate(&intro.collection_expr),
            key,
            intro.value_var.as_str(),
            place,
        ) {
            Ok(scopes) => scopes,
            Err(missing) => return Term::Missing(missing),
        };
        let mut list = Vec::new();
        let mut map: BTreeMap<String, Term> = BTreeMap::new();
        for scope in scopes {
            if let Some(condition) = &expression.cond {
                match scope.evaluate(&condition.expr) {
                    Term::Missing(missing) => return Term::Missing(missing),
                    condition if condition.truth() == Some(true) => {}
                    _ => continue,
                }
            }
            let value = scope.evaluate(&expression.value_expr);
            let Some(key) = &expression.key_expr else {
                list.push(value);
                continue;
            };
            let key = match scope.evaluate(key) {
                Term::Missing(missing) => return Term::Missing(missing),
                key => key.text(),
            };
            let Some(key) = key else { return error("a key must be text", place) };
            if expression.grouping {
                match map.entry(key).or_insert_with(|| Term::List(Vec::new())) {
                    Term::List(group) => group.push(value),
                    _ => return error("a group must be a list", place),
                }
            } else if map.insert(key.clone(), value).is_some() {
                return error(format!("two items have the key `{key}`"), place);
            }
        }
        if expression.key_expr.is_some() { Term::Map(map) } else { Term::List(list) }
    }

    /// Evaluates a function call. `try` and `can` evaluate their arguments one by one.
    fn call(&self, call: &FuncCall, place: Place) -> Term {
        let name = call.name.name.as_str();
        let mut arguments = call.args.iter();
        match name {
            _ if !call.name.namespace.is_empty() => {
                return Term::Missing(Missing::unknown(
                    format!("the function `{name}` of a provider is not known"),
                    place,
                ));
            }
            "try" => {
                let results = arguments.map(|argument| self.evaluate(argument));
                let fails = |value: &Term| value.missing().is_some_and(|missing| missing.is_error);
                let mut results = results.skip_while(fails);
                return results
                    .next()
                    .unwrap_or_else(|| error("no argument of `try` has a value", place));
            }
            "can" => {
                let value = arguments.next().map(|argument| self.evaluate(argument));
                return match value.as_ref().and_then(Term::missing) {
                    Some(missing) if !missing.is_error => Term::Missing(missing.clone()),
                    missing => Term::Bool(missing.is_none()),
                };
            }
            _ => {}
        }
        let mut values: Vec<Term> = arguments.map(|argument| self.evaluate(argument)).collect();
        if call.args.expand_final() {
            match values.pop() {
                Some(Term::List(last) | Term::Set(last)) => values.extend(last),
                Some(Term::Missing(missing)) => return Term::Missing(missing),
                _ => return error("`...` needs a list", place),
            }
        }
        if let Err(missing) =
            self.globals.effort().check_memory(size_of_result(name, &values), place)
        {
            return Term::Missing(missing);
        }
        match name {
            "file" | "templatefile" => self.file(name, &values, place),
            "yamldecode" => yaml::decode(&values, self.source, place),
            "sensitive" | "nonsensitive" => operators::sensitivity(name, values, place),
            _ => functions::call(name, values, place),
        }
    }

    /// Evaluates `file(name)` and `templatefile(name, values)`.
    fn file(&self, function: &str, values: &[Term], place: Place) -> Term {
        if let Some(missing) = values.iter().find_map(Term::missing) {
            return Term::Missing(missing.clone());
        }
        let Some(name) = values.first().and_then(Term::text) else {
            return error("a file name must be text", place);
        };
        let text = match self.globals.read(&name) {
            Ok(text) => text,
            Err(why) => return Term::Missing(Missing::unknown(why, place)),
        };
        if function == "file" {
            return Term::Text(text);
        }
        let Some(Term::Map(given)) = values.get(1) else {
            return error("`templatefile` needs a map of values", place);
        };
        if let Err(missing) = self.globals.effort().check_memory(memory(&text), place) {
            return Term::Missing(missing);
        }
        if is_too_deep(&text) {
            return Term::Missing(Missing::unknown(
                format!("the template `{name}` nests too deeply"),
                place,
            ));
        }
        let elements: Elements = match text.parse() {
            Ok(elements) => elements,
            Err(_) => return error(format!("`{name}` is not a template"), place),
        };
        let template = match Template::bare(&elements) {
            Ok(template) => template,
            Err(why) => return error(why, place),
        };
        let names =
            given.iter().map(|(name, value)| (name.clone(), Rc::new(value.clone()))).collect();
        let inner = Scope { source: self.source, globals: self.globals, names };
        let mut out = String::new();
        match inner.append(&elements, &template, &mut out, place) {
            Ok(()) => Term::Text(out),
            Err(missing) => Term::Missing(Missing { place, ..missing }),
        }
    }
}

/// Returns a missing value that Terraform would refuse, too.
fn error(why: impl Into<String>, place: Place) -> Term {
    Term::Missing(Missing::error(why, place))
}
