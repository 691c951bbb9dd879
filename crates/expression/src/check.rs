//! Checks types and vocabulary: every field and function exists, is allowed in this rule, and is
//! compared with a value that it can have. Trees with errors are accepted, and their broken parts
//! are skipped.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/operators (which types an operator
//! takes), …/values (arrays, maps, `[*]`, sets) and …/functions (parameters), read 2026-11-20.
//! Inferred from Cloudflare's refusals: some functions are allowed only once, a boolean takes no
//! operator.
//! …/changelog/post/2026-10-01: fields and functions on both sides of a comparison, read 2026-11-26.

use crate::checked_expression::Check;
use crate::mistaken_terms;
use crate::patterns;
use crate::problem::{nearest, quoted};
use crate::suspicious_values;
use crate::syntax::{
    Base, ComparedValue, Comparison, Index, Literal, Node, NodeKind, Operand, Operator, Span,
};
use crate::vocabulary::{
    ACCOUNT_RULESETS, ExpressionField, FIELDS, FUNCTIONS, FieldType, ONCE_PER_EXPRESSION,
    REGULAR_EXPRESSIONS, REQUEST_PHASES, VOCABULARY_DATE, is_field_name,
};

/// The type of a single value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    /// True or false.
    Boolean,
    /// Text.
    Bytes,
    /// A number.
    Integer,
    Address,
}

impl Scalar {
    /// Returns its name with an article, for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Boolean => "a boolean",
            Self::Bytes => "text",
            Self::Integer => "a number",
            Self::Address => "an IP address",
        }
    }
}

/// A collection of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    /// Indexed by number.
    Array,
    /// Indexed by name.
    Map,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OperandType {
    /// The type of the values.
    pub(super) scalar: Scalar,
    /// The collections around them, outermost last.
    pub(super) layers: Vec<Layer>,
    /// True if `[*]` applies to each value in turn.
    pub(super) is_each: bool,
}

impl OperandType {
    /// Returns the type of a single value.
    pub(super) fn plain(scalar: Scalar) -> Self {
        Self { scalar, layers: Vec::new(), is_each: false }
    }

    /// Returns the type of a field or of a function's result.
    pub(super) fn of(kind: FieldType) -> Self {
        let (scalar, layers): (_, &[_]) = match kind {
            FieldType::Boolean => (Scalar::Boolean, &[]),
            FieldType::Bytes => (Scalar::Bytes, &[]),
            FieldType::Integer => (Scalar::Integer, &[]),
            FieldType::Address => (Scalar::Address, &[]),
            FieldType::BytesArray => (Scalar::Bytes, &[Layer::Array]),
            FieldType::IntegerArray => (Scalar::Integer, &[Layer::Array]),
            FieldType::BytesArrayArray => (Scalar::Bytes, &[Layer::Array, Layer::Array]),
            FieldType::BytesArrayMap => (Scalar::Bytes, &[Layer::Array, Layer::Map]),
            FieldType::IntegerArrayMap => (Scalar::Integer, &[Layer::Array, Layer::Map]),
        };
        Self { scalar, layers: layers.to_vec(), is_each: false }
    }
}

/// The position of a part in the expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// Outside of all calls.
    Outside,
    /// In the first argument of a call.
    FirstArgument,
    LaterArgument,
}

impl Check<'_> {
    /// Checks a whole expression.
    pub(super) fn expression(&mut self, node: &Node) {
        self.condition(node, Position::Outside);
        self.counts(node);
        if self.setting.is_account {
            let mut names_plan = false;
            node.each_operand(&mut |o| names_plan |= o.plain_field() == Some("cf.zone.plan"));
            if !names_plan {
                let message = "a rule of an account applies to zones of the Enterprise plan only";
                let help = "add `and cf.zone.plan eq \"ENT\"`";
                self.problems.warning(node.span.clone(), "account-without-plan", message, help);
            }
        }
    }

    /// Checks limits on repetition in one expression.
    fn counts(&mut self, node: &Node) {
        let mut regexes = 0usize;
        node.each_comparison(&mut |c| regexes += usize::from(c.operator == Operator::Matches));
        if regexes > REGULAR_EXPRESSIONS {
            let message = format!(
                "there are {regexes} regular expressions; at most {REGULAR_EXPRESSIONS} are allowed"
            );
            let help = "join some of them with `|`, or split the rule";
            self.problems.error(node.span.clone(), "too-many-regexes", message, help);
        }
        let mut called_names: Vec<&str> = Vec::new();
        let problems = &mut *self.problems;
        node.each_operand(&mut |operand| {
            let Base::Call(name, _) = &operand.base else { return };
            if !ONCE_PER_EXPRESSION.contains(&name.as_str()) {
                return;
            }
            if called_names.contains(&name.as_str()) {
                let message = format!("`{name}` occurs twice in the expression");
                let help = "use it once, or split the rule";
                problems.error(operand.base_span.clone(), "once-per-expression", message, help);
            }
            called_names.push(name);
        });
    }

    /// Checks a part that must be a boolean. Returns true if it is evaluated for each value of an
    /// array.
    pub(super) fn condition(&mut self, node: &Node, position: Position) -> bool {
        match &node.kind {
            NodeKind::Chain(_, parts) => {
                let (mut first_single, mut first_each) = (None, None);
                for (n, part) in parts.iter().enumerate() {
                    let previous_part = n.checked_sub(1).and_then(|n| parts.get(n));
                    if self.forgotten_left(previous_part, part) {
                        continue;
                    }
                    let errors = self.problems.errors();
                    let is_each = self.condition(part, position);
                    if is_each {
                        first_each = first_each.or(Some(part));
                    } else if position != Position::Outside
                        && first_single.is_none()
                        && self.problems.errors() == errors
                        && has_known_names(part)
                    {
                        first_single = Some(part);
                    }
                }
                if let (Some(single), Some(each)) = (first_single, first_each) {
                    self.single_beside_array(single, each);
                }
                first_each.is_some()
            }
            NodeKind::Not(inner) => self.condition(inner, position),
            NodeKind::Comparison(comparison) => self.comparison(comparison, position),
            NodeKind::Operand(operand) => {
                let Some(operand_type) = self.operand(operand, position) else { return false };
                let is_truth = operand_type.scalar == Scalar::Boolean
                    && !matches!(operand.base, Base::Literal(Literal::Bytes(_)));
                let is_list =
                    position != Position::Outside && operand_type.layers == [Layer::Array];
                if !is_truth || !(operand_type.layers.is_empty() || is_list) {
                    self.not_a_boolean(operand, &operand_type);
                }
                operand_type.is_each || is_list
            }
            NodeKind::Broken => false,
        }
    }

    /// Reports a condition that is combined with one for each value of an array. The language's
    /// public engine refuses that (github.com/cloudflare/wirefilter, read 2026-11-23).
    fn single_beside_array(&mut self, single: &Node, each: &Node) {
        let (shown, other) = (self.shown(&single.span), self.shown(&each.span));
        let message =
            format!("`{shown}` is a single boolean; `{other}` has one for each value of an array");
        let help = format!("write `{shown}` outside of the call, and `{other}` alone in it");
        self.problems.error(single.span.clone(), "single-beside-array", message, help);
    }

    /// Reports a value that seems to continue the comparison before it: `http.host eq "a" or "b"`.
    fn forgotten_left(&mut self, before: Option<&Node>, part: &Node) -> bool {
        let (Some(NodeKind::Comparison(before)), NodeKind::Operand(operand)) =
            (before.map(|b| &b.kind), &part.kind)
        else {
            return false;
        };
        if !matches!(
            operand.literal(),
            Some(
                Literal::Bytes(_) | Literal::Integer(_) | Literal::Address(_) | Literal::Network(_)
            )
        ) {
            return false;
        }
        let (left, value) = (self.shown(&before.left.span), self.shown(&operand.span));
        let help = match (before.operator, &before.right) {
            (Operator::Equal, ComparedValue::Literal(_)) => {
                format!("write `{left} in {{{} {value}}}`", self.shown(&before.right_span))
            }
            (Operator::In, _) => format!("write `{left} in {{{value}}}`, or put it into the set"),
            (operator, _) => format!("write `{left} {} {value}`", operator.keyword()),
        };
        let message = format!("`{value}` is not compared with anything");
        self.problems.error(operand.span.clone(), "not-a-truth", message, help);
        true
    }

    /// Reports an operand where a boolean is required.
    fn not_a_boolean(&mut self, operand: &Operand, operand_type: &OperandType) {
        let shown = self.shown(&operand.span);
        let (message, help) = match operand.base {
            Base::Literal(_) => (
                format!("`{shown}` is not compared with anything, and is neither true nor false"),
                "compare a field with it, such as `http.host eq \"…\"`".to_owned(),
            ),
            Base::Field(_) | Base::Call(..) => {
                let example = match (operand_type.layers.first(), operand_type.scalar) {
                    (Some(_), _) => format!("any({shown}[*] eq …)"),
                    (None, Scalar::Bytes) => format!("{shown} eq \"…\""),
                    (None, Scalar::Integer) => format!("{shown} ge 1"),
                    (None, Scalar::Boolean | Scalar::Address) => format!("{shown} in {{…}}"),
                };
                (
                    format!(
                        "`{shown}` is {}, and is not compared with anything",
                        operand_type.scalar.name()
                    ),
                    format!("compare it: `{example}`"),
                )
            }
        };
        self.problems.error(operand.span.clone(), "not-a-truth", message, help);
    }

    /// Checks an operand and returns its type; `None` if a problem was reported.
    pub(super) fn operand(&mut self, operand: &Operand, position: Position) -> Option<OperandType> {
        let operand_type = match &operand.base {
            Base::Field(name) => Some(OperandType::of(self.field(name, operand)?.kind)),
            Base::Call(name, arguments) => self.call(name, arguments, operand),
            Base::Literal(literal) => Some(OperandType::plain(match literal {
                Literal::Integer(_) => Scalar::Integer,
                Literal::Address(_) | Literal::Network(_) => Scalar::Address,
                Literal::Bytes(_) | Literal::Unquoted(_) => Scalar::Bytes,
                Literal::Truth(_) => Scalar::Boolean,
            })),
        };
        let mut operand_type = operand_type?;
        for (index, span) in &operand.indexes {
            self.index(operand, index, span, position, &mut operand_type)?;
        }
        Some(operand_type)
    }

    /// Takes a value out of an array or map.
    fn index(
        &mut self,
        operand: &Operand,
        index: &Index,
        span: &Span,
        position: Position,
        operand_type: &mut OperandType,
    ) -> Option<()> {
        let shown = self.shown(&(operand.span.start..span.start));
        let (what, help) = match (operand_type.layers.last(), index) {
            (Some(Layer::Map), Index::Key(key)) => {
                suspicious_values::map_key(self, operand, key, span);
                operand_type.layers.pop();
                return Some(());
            }
            (Some(Layer::Array), Index::Number(_)) => {
                operand_type.layers.pop();
                return Some(());
            }
            (Some(Layer::Array | Layer::Map), Index::Each) => {
                operand_type.layers.pop();
                operand_type.is_each = true;
                return self.each(operand, span, position);
            }
            (Some(Layer::Map), Index::Number(_)) => {
                ("a map, which has keys", format!("write `{shown}[\"…\"][0]`"))
            }
            (Some(Layer::Array), Index::Key(_)) => {
                ("an array, which has numbers", format!("write `{shown}[0]`"))
            }
            (None, Index::Number(_) | Index::Key(_) | Index::Each) => {
                ("a single value", "remove the brackets".to_owned())
            }
        };
        self.problems.error(span.clone(), "wrong-index", format!("`{shown}` is {what}"), help);
        None
    }

    /// Checks `[*]`, which is allowed only in the first argument of a call.
    fn each(&mut self, operand: &Operand, span: &Span, position: Position) -> Option<()> {
        let shown = self.shown(&operand.span);
        match position {
            Position::FirstArgument => return Some(()),
            Position::Outside => {
                let message = "`[*]` is outside of a function";
                let help = format!(
                    "write `any({shown} …)` or `all({shown} …)` around the whole comparison"
                );
                self.problems.error(span.clone(), "each-outside-function", message, help);
            }
            Position::LaterArgument => {
                let message = "`[*]` is in an argument other than the first";
                self.problems.error(
                    span.clone(),
                    "each-not-first",
                    message,
                    "use it in the first argument only",
                );
            }
        }
        None
    }

    /// Checks a field by its name and returns it; `None` if it is unknown.
    fn field(&mut self, name: &str, operand: &Operand) -> Option<&'static ExpressionField> {
        let span = &operand.base_span;
        let Some(field) = FIELDS.iter().find(|f| f.name == name) else {
            if !self.problems.is_full() {
                self.unknown_field(name, span);
            }
            return None;
        };
        if let Some(instead) = field.instead {
            let message = format!("`{name}` is deprecated");
            self.problems.warning(
                span.clone(),
                "deprecated-field",
                message,
                format!("write `{instead}`"),
            );
        }
        let is_request_phase = REQUEST_PHASES.contains(&self.setting.phase);
        if field.is_of_response && is_request_phase && !self.setting.sees_response {
            let message = format!(
                "`{name}` belongs to the response, which does not exist yet in {}",
                self.setting.phase
            );
            let help = "use fields of the request; only a rate limit's counting expression sees \
                the response";
            self.problems.error(span.clone(), "response-field", message, help);
        } else if field.only_in == Some(ACCOUNT_RULESETS) {
            if !self.setting.is_account {
                let message = format!("`{name}` is for rules of an account");
                self.problems.error(
                    span.clone(),
                    "account-field",
                    message,
                    "remove it: the rule is of one zone",
                );
            }
        } else if let (Some(only_in), true) = (field.only_in, is_request_phase) {
            let message = format!("`{name}` cannot be used in {}: {only_in}", self.setting.phase);
            self.problems.error(span.clone(), "not-in-phase", message, "use another field");
        }
        Some(field)
    }

    /// Reports an unknown field.
    fn unknown_field(&mut self, name: &str, span: &Span) {
        let names = || FIELDS.iter().filter(|f| f.instead.is_none()).map(|f| f.name);
        let certain = match mistaken_terms::field_meant(name) {
            Some(meant) => Some(format!("write `{meant}`")),
            None => FUNCTIONS
                .iter()
                .any(|f| f.name == name)
                .then(|| format!("`{name}` is a function: write `{name}(…)`")),
        };
        if let Some(help) = certain {
            let message = format!("there is no field `{}`", quoted(name));
            self.problems.error(span.clone(), "unknown-field", message, help);
            return;
        }
        let nearest_name = nearest(name, names())
            .or_else(|| names().find(|f| f.ends_with(&format!(".{name}"))))
            .or_else(|| names().rfind(|f| goes_on_from(name, f)));
        let help = match nearest_name {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if is_field_name(name) => "check its name: \
                developers.cloudflare.com/ruleset-engine/rules-language/fields/reference"
                .to_owned(),
            None => "check its name: \
                developers.cloudflare.com/ruleset-engine/rules-language/fields/reference; text is \
                     written in double quotes"
                .to_owned(),
        };
        // Cloudflare adds fields, for new products and for existing ones.
        let message = format!(
            "this version does not know the field `{}` (list of {VOCABULARY_DATE})",
            quoted(name)
        );
        self.problems.warning(span.clone(), "unlisted-field", message, help);
    }

    /// Checks a comparison. Returns true if it is made for each value of an array.
    fn comparison(&mut self, comparison: &Comparison, position: Position) -> bool {
        let errors = self.problems.errors();
        let Some(operand_type) = self.operand(&comparison.left, position) else {
            if self.problems.errors() == errors {
                self.of_unknown_type(&comparison.right, &comparison.right_span);
            }
            return false;
        };
        if let Some(layer) = operand_type.layers.last() {
            self.missing_index(comparison, *layer, position);
            return false;
        }
        // A broken right side has been reported. It allows no further checks.
        let is_whole = comparison.right != ComparedValue::Broken;
        if is_whole
            && self.operator(comparison, operand_type.scalar)
            && self.fits_operand(comparison, operand_type.scalar)
        {
            patterns::check(self, comparison);
            suspicious_values::comparison(self, comparison);
        }
        operand_type.is_each
    }

    /// Reports an array or map that is compared as a whole.
    fn missing_index(&mut self, comparison: &Comparison, layer: Layer, position: Position) {
        let left_text = self.shown(&comparison.left.span);
        let comparison_tail =
            self.shown(&(comparison.operator_span.start..comparison.right_span.end));
        let (code, message, index) = match layer {
            Layer::Map => {
                ("missing-key", format!("`{left_text}` is a map; a key is missing"), "[\"…\"][*]")
            }
            Layer::Array => (
                "missing-index",
                format!("`{left_text}` is an array, and arrays are not compared"),
                "[*]",
            ),
        };
        let help = if position == Position::Outside {
            format!("write `any({left_text}{index} {comparison_tail})`")
        } else {
            format!("write `{left_text}{index} {comparison_tail}`")
        };
        self.problems.error(comparison.left.span.clone(), code, message, help);
    }

    /// Returns true if the operator accepts the type on its left.
    fn operator(&mut self, comparison: &Comparison, scalar: Scalar) -> bool {
        let word = comparison.operator.keyword();
        let left_text = self.shown(&comparison.left.span);
        let can = match comparison.operator {
            Operator::Equal | Operator::NotEqual | Operator::In => scalar != Scalar::Boolean,
            Operator::Less
            | Operator::LessOrEqual
            | Operator::Greater
            | Operator::GreaterOrEqual => {
                matches!(scalar, Scalar::Bytes | Scalar::Integer)
            }
            Operator::Contains
            | Operator::Matches
            | Operator::Wildcard
            | Operator::StrictWildcard => scalar == Scalar::Bytes,
        };
        if can {
            return true;
        }
        let help = match scalar {
            Scalar::Boolean => {
                let is_denied = matches!(
                    (&comparison.right, comparison.operator),
                    (ComparedValue::Literal(Literal::Truth(false)), Operator::Equal)
                        | (ComparedValue::Literal(Literal::Truth(true)), Operator::NotEqual)
                );
                match &comparison.left.base {
                    Base::Call(name, _) if matches!(name.as_str(), "any" | "all") => {
                        format!("compare inside of the parentheses: `{name}(… {word} …)`")
                    }
                    Base::Call(..) | Base::Field(_) | Base::Literal(_) => {
                        format!("write `{}{left_text}` alone", if is_denied { "not " } else { "" })
                    }
                }
            }
            Scalar::Integer => format!("write `{left_text} eq …`, or `{left_text} in {{…}}`"),
            Scalar::Address => {
                format!("write `{left_text} in {{…}}`, with addresses, networks or ranges")
            }
            Scalar::Bytes => format!("write `{left_text} eq \"…\"`"),
        };
        let message = format!("`{left_text}` is {}; `{word}` does not compare that", scalar.name());
        self.problems.error(comparison.operator_span.clone(), "wrong-operator", message, help);
        false
    }
}

/// Returns true if a name extends a field that has no members. The author has then misunderstood
/// that field.
fn goes_on_from(name: &str, field: &str) -> bool {
    let is_below =
        |other: &str| other.strip_prefix(field).is_some_and(|rest| rest.starts_with('.'));
    name.len() > field.len() && name.starts_with(field) && !FIELDS.iter().any(|f| is_below(f.name))
}

/// Returns true if all fields and functions of a part are known, so that its type is certain.
pub(super) fn has_known_names(node: &Node) -> bool {
    let mut is_known = true;
    node.each_operand(&mut |operand| match &operand.base {
        Base::Field(name) => is_known &= FIELDS.iter().any(|field| field.name == name),
        Base::Call(name, _) => is_known &= FUNCTIONS.iter().any(|function| function.name == name),
        Base::Literal(_) => {}
    });
    is_known
}

#[cfg(test)]
mod tests {
    use crate::expression::codes;

    #[test]
    fn fields_are_compared_with_their_own_kind() {
        assert_eq!(codes("ip.src in {10.0.0.0/8 ::1} and cf.edge.server_port in {1..2}"), [""; 0]);
        assert_eq!(codes("ip.src in {10.0.0.0/8 5}"), ["wrong-type"]);
        assert_eq!(codes("http.host in {\"a\" 5 b}"), ["wrong-type", "unquoted-text"]);
        assert_eq!(codes("ssl eq true"), ["wrong-operator"]);
        assert_eq!(codes("http.host ge \"b\""), [""; 0]);
    }

    #[test]
    fn unknown_names_are_told_once() {
        assert_eq!(
            codes("htp.host[0][\"a\"] lt 192.0.2.0/33"),
            ["unlisted-field", "unquoted-text"]
        );
        assert_eq!(codes("lowr(http.host)[*] contains 5"), ["unlisted-function"]);
    }

    #[test]
    fn some_things_are_counted() {
        let regexes = vec!["http.host ~ \"a+\""; 65].join(" or ");
        assert_eq!(codes(&regexes), ["too-many-regexes"]);
        assert_eq!(codes(&regexes[..regexes.len() - 20]), [""; 0]);
    }
}
