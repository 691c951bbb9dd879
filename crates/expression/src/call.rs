//! Checks calls: the function exists, is allowed in this place, and gets valid arguments.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/functions, read 2026-11-20.

use crate::check::{Layer, OperandType, Position, Scalar, has_known_names};
use crate::checked_expression::Check;
use crate::mistaken_terms;
use crate::problem::{nearest, quoted};
use crate::suspicious_values;
use crate::syntax::{Base, Index, Literal, Node, NodeKind, Operand, Operator, Span};
use crate::vocabulary::{
    ExpressionFunction, FIELDS, FUNCTIONS, Given, Parameter, ParameterType, REQUEST_PHASES,
    VOCABULARY_DATE,
};

impl Check<'_> {
    /// Checks a call and returns its type; `None` if the function does not exist.
    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: &[Node],
        operand: &Operand,
    ) -> Option<OperandType> {
        let Some(function) = FUNCTIONS.iter().find(|f| f.name == name) else {
            if !self.problems.is_full() {
                self.unknown_function(name, &operand.base_span);
            }
            for argument in arguments {
                self.argument(argument, Position::FirstArgument);
            }
            return None;
        };
        self.place(function, &operand.base_span);
        self.arity(function, arguments, operand);
        let mut result = OperandType::of(function.returns);
        let (mut collection, mut alike) = (None, None);
        for (n, argument) in arguments.iter().enumerate() {
            let position = if n == 0 { Position::FirstArgument } else { Position::LaterArgument };
            let operand_type = self.argument(argument, position);
            let Some(parameter) = function
                .parameters
                .get(n)
                .or(function.parameters.last().filter(|_| function.is_variadic))
            else {
                break;
            };
            self.given(function, parameter, argument);
            let Some(operand_type) = operand_type else { continue };
            if parameter.kind == ParameterType::Collection {
                collection = Some(operand_type.scalar);
            }
            if function.name == "coalesce" {
                result.scalar = *alike.get_or_insert(operand_type.scalar);
            }
            let is_other = parameter.kind == ParameterType::Single
                && collection.is_some_and(|c| c != operand_type.scalar);
            if is_other {
                let shown = self.shown(&argument.span);
                let held = collection.unwrap_or(operand_type.scalar).name();
                let message = format!(
                    "`{shown}` is {}; the collection holds {held}",
                    operand_type.scalar.name()
                );
                self.problems.error(
                    argument.span.clone(),
                    "wrong-argument",
                    message,
                    format!("give {held}"),
                );
            } else if !accepts_type(parameter.kind, &operand_type) {
                self.wrong_argument(function, parameter, argument, &operand_type);
            } else if operand_type.is_each && parameter.kind != ParameterType::BooleanArray {
                // One result for each value.
                result.layers.push(Layer::Array);
            }
        }
        self.one_array(arguments);
        suspicious_values::call(self, function, arguments, operand);
        Some(result)
    }

    /// Reports an unknown function. It is an error if it is a word of another language or place, and
    /// otherwise a warning, because Cloudflare adds functions. Fields are treated in the same way.
    fn unknown_function(&mut self, name: &str, span: &Span) {
        let names = FUNCTIONS.iter().map(|f| f.name);
        let is_known = |word: &str| FUNCTIONS.iter().any(|f| f.name == word);
        let method =
            name.rsplit_once('.').filter(|(field, _)| FIELDS.iter().any(|f| f.name == *field));
        let is_operator = |word: &str| Operator::ALL.iter().any(|o| o.keyword() == word);
        let help = match (method, mistaken_terms::function_meant(name), nearest(name, names)) {
            _ if is_operator(name) => format!("`{name}` is an operator: write `… {name} …`"),
            (Some((field, method)), ..) => match mistaken_terms::function_meant(method) {
                Some(meant) => format!("write `{meant}({field}, …)`"),
                None if is_known(method) => format!("write `{method}({field}, …)`"),
                None if is_operator(method) => format!("write `{field} {method} …`"),
                None => format!("write `{field}`, an operator and a value"),
            },
            (None, Some(meant), _) => format!("write `{meant}(…)`"),
            (None, None, near) if is_function_name(name) => {
                let message = format!(
                    "this version does not know the function `{}` (list of {VOCABULARY_DATE})",
                    quoted(name)
                );
                let help = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "check its name: \
                        developers.cloudflare.com/ruleset-engine/rules-language/functions"
                        .to_owned(),
                };
                self.problems.warning(span.clone(), "unlisted-function", message, help);
                return;
            }
            (None, None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None, None) => "functions are listed at \
                developers.cloudflare.com/ruleset-engine/rules-language/functions"
                .to_owned(),
        };
        self.problems.error(
            span.clone(),
            "unknown-function",
            format!("there is no function `{}`", quoted(name)),
            help,
        );
    }

    /// Checks that the function is allowed in this rule.
    fn place(&mut self, function: &ExpressionFunction, span: &Span) {
        let phase = self.setting.phase;
        if function.only_in.is_empty()
            || !REQUEST_PHASES.contains(&phase)
            || function.only_in.contains(&phase)
        {
            return;
        }
        let message = format!("`{}` cannot be used in {phase}", function.name);
        let help = format!("it is for: {}", function.only_in.join(", "));
        self.problems.error(span.clone(), "not-in-phase", message, help);
    }

    /// Checks the number of arguments.
    fn arity(&mut self, function: &ExpressionFunction, arguments: &[Node], operand: &Operand) {
        let required_count = function.parameters.iter().filter(|p| !p.is_optional).count();
        let maximum_count =
            if function.is_variadic { usize::MAX } else { function.parameters.len() };
        if (required_count..=maximum_count).contains(&arguments.len()) {
            return;
        }
        let names: Vec<_> = function.parameters.iter().map(|p| p.name).collect();
        let dots = if function.is_variadic { ", …" } else { "" };
        let noun = if arguments.len() == 1 { "argument" } else { "arguments" };
        let message = format!("`{}` has {} {noun}", function.name, arguments.len());
        let help = format!("write `{}({}{dots})`", function.name, names.join(", "));
        self.problems.error(operand.span.clone(), "wrong-arity", message, help);
    }

    /// Checks an argument and returns its type; `None` if a problem in it was reported.
    fn argument(&mut self, node: &Node, position: Position) -> Option<OperandType> {
        match &node.kind {
            NodeKind::Operand(operand) => {
                if let Base::Literal(Literal::Unquoted(_)) = operand.base {
                    let shown = self.shown(&operand.span);
                    let help = format!("write `\"{shown}\"`");
                    let message = format!("`{shown}` is without quotes");
                    self.problems.error(operand.span.clone(), "unquoted-text", message, help);
                    return None;
                }
                self.operand(operand, position)
            }
            NodeKind::Chain(..) | NodeKind::Not(_) | NodeKind::Comparison(_) => {
                let errors = self.problems.errors();
                let is_each = self.condition(node, position);
                // An error inside the argument has been reported, so its type is uncertain.
                let is_known = self.problems.errors() == errors && has_known_names(node);
                if !is_known {
                    return None;
                }
                let layers = if is_each { vec![Layer::Array] } else { Vec::new() };
                Some(OperandType { scalar: Scalar::Boolean, layers, is_each: false })
            }
            NodeKind::Broken => None,
        }
    }

    /// Checks that an argument is a literal or a field, as the function requires.
    fn given(&mut self, function: &ExpressionFunction, parameter: &Parameter, argument: &Node) {
        let NodeKind::Operand(operand) = &argument.kind else { return };
        let is_literal = operand.literal().is_some();
        let (wanted, help) = match parameter.given {
            Given::Anyhow => return,
            Given::Field | Given::NoLiteral if !is_literal => return,
            Given::Literal if is_literal => return,
            Given::Field | Given::NoLiteral => ("a literal", "give a field, or a function of one"),
            Given::Literal => ("no literal", "write the value itself"),
        };
        let message =
            format!("the argument `{}` of `{}` is {wanted}", parameter.name, function.name);
        self.problems.error(argument.span.clone(), "wrong-argument", message, help);
    }

    /// Reports an argument of the wrong type.
    fn wrong_argument(
        &mut self,
        function: &ExpressionFunction,
        parameter: &Parameter,
        node: &Node,
        operand_type: &OperandType,
    ) {
        let shown = self.shown(&node.span);
        let is = match operand_type.layers.last() {
            Some(Layer::Array) => "an array",
            Some(Layer::Map) => "a map",
            None => operand_type.scalar.name(),
        };
        let expected = match parameter.kind {
            ParameterType::Bytes => "text",
            ParameterType::Integer => "a number",
            ParameterType::Address => "an IP address",
            ParameterType::BooleanArray => "a comparison over the values of an array",
            ParameterType::BytesArray => "an array of texts",
            ParameterType::BytesOrArray => "text or an array",
            ParameterType::BytesOrInteger => "text or a number",
            ParameterType::Scalar => "a number, a boolean or an IP address",
            ParameterType::Map => "a map",
            ParameterType::Collection => "a map or array of single values",
            ParameterType::Single => "a single value",
        };
        let help = match (parameter.kind, operand_type.layers.as_slice(), operand_type.scalar) {
            (ParameterType::BooleanArray, [], Scalar::Boolean) => {
                format!(
                    "write `{shown}` without `{}`, or compare an array: `{}(…[*] eq …)`",
                    function.name, function.name
                )
            }
            (ParameterType::BooleanArray, ..) if operand_type.is_each => {
                format!("write `{}({shown} eq …)`", function.name)
            }
            (ParameterType::BooleanArray, ..) => {
                format!("write `{}({shown}[*] eq …)`", function.name)
            }
            (ParameterType::Collection, [Layer::Array, Layer::Map], _) => {
                format!("write `{shown}[\"…\"]`, or `has_key({shown}, …)` to ask for a name")
            }
            (ParameterType::Map, ..) => "give a map, such as `http.request.headers`".to_owned(),
            (ParameterType::Bytes, [Layer::Array], _) => {
                format!("write `{shown}[*]` or `{shown}[0]`")
            }
            (_, [.., Layer::Map], _) => format!("write `{shown}[\"…\"]`"),
            _ => format!("give {expected}"),
        };
        let message = format!("`{shown}` is {is}; `{}` takes {expected}", function.name);
        self.problems.error(node.span.clone(), "wrong-argument", message, help);
    }

    /// Checks that all `[*]` in the arguments refer to the same array.
    fn one_array(&mut self, arguments: &[Node]) {
        let mut first: Option<(String, Vec<Index>)> = None;
        let mut first_array = None;
        for argument in arguments {
            argument.each_operand(&mut |operand| {
                let Base::Field(name) = &operand.base else { return };
                let Some(at) = operand.indexes.iter().position(|(i, _)| *i == Index::Each) else {
                    return;
                };
                let keys = operand.indexes[..at].iter().map(|(index, _)| index.clone()).collect();
                let array = (name.clone(), keys);
                match &first {
                    Some(first) if *first != array => first_array = Some(operand.span.clone()),
                    Some(_) => {}
                    None => first = Some(array),
                }
            });
        }
        if let Some(span) = first_array {
            let message =
                format!("`{}` is a second array with `[*]` in one call", self.shown(&span));
            let help = "write two calls and join them with `and` or `or`";
            self.problems.error(span, "two-arrays", message, help);
        }
    }
}

/// Returns true if a name has the form of a function name.
fn is_function_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Returns true if a parameter accepts a type.
fn accepts_type(parameter: ParameterType, operand_type: &OperandType) -> bool {
    let is_plain = operand_type.layers.is_empty();
    match parameter {
        ParameterType::Bytes => is_plain && operand_type.scalar == Scalar::Bytes,
        ParameterType::Integer => is_plain && operand_type.scalar == Scalar::Integer,
        ParameterType::Address => is_plain && operand_type.scalar == Scalar::Address,
        ParameterType::BooleanArray => {
            operand_type.scalar == Scalar::Boolean
                && (operand_type.layers == [Layer::Array] || is_plain && operand_type.is_each)
        }
        ParameterType::BytesArray => {
            operand_type.scalar == Scalar::Bytes && operand_type.layers == [Layer::Array]
        }
        ParameterType::BytesOrArray => match operand_type.layers.last() {
            None => operand_type.scalar == Scalar::Bytes,
            Some(Layer::Array) => true,
            Some(Layer::Map) => false,
        },
        ParameterType::BytesOrInteger => {
            is_plain && matches!(operand_type.scalar, Scalar::Bytes | Scalar::Integer)
        }
        ParameterType::Scalar => is_plain && operand_type.scalar != Scalar::Bytes,
        ParameterType::Map => operand_type.layers.last() == Some(&Layer::Map),
        ParameterType::Collection => operand_type.layers.len() == 1,
        ParameterType::Single => is_plain,
    }
}

#[cfg(test)]
mod tests {
    use crate::expression::codes;

    #[test]
    fn arrays_go_through_functions_value_by_value() {
        for fine in [
            r#"any(lower(http.request.headers["a"][*])[*] eq "b")"#,
            r#"any(starts_with(lower(http.request.headers["a"][*])[*], "b"))"#,
            r#"len(http.request.headers["a"]) eq 2"#,
            r#"any(http.request.body.form.names[*] in {"a" "b"})"#,
            r#"lookup_json_integer(http.request.body.raw, "a", 0, "b") gt 3"#,
            r#"concat(http.host, http.request.uri.path) eq "a/b""#,
            r#"has_key(http.request.headers, "x-a") and not has_key(http.request.cookies, lower(http.host))"#,
            r#"has_value(http.request.headers["x-a"], "b")"#,
            r#"has_value(http.request.headers.names, http.request.uri.args.names[0])"#,
            "has_value(cf.bot_management.detection_ids, 5)",
            r#"is_jwt_valid("51231d16-01f1-48e3-93f8-91c99e81288e") and is_jwt_present("a")"#,
            r#"lookup_json_string(http.request.jwt.claims["51231d16"][0], "sub") eq "a""#,
        ] {
            assert_eq!(codes(fine), [""; 0], "{fine}");
        }
        assert_eq!(codes(r#"lower(http.request.headers["a"][*]) eq "b""#), ["missing-index"]);
        assert_eq!(codes(r#"any(http.request.headers["a"] eq "b")"#), ["missing-index"]);
        assert_eq!(codes(r#"any(http.host eq "b")"#), ["wrong-argument"]);
        for bad in [
            r#"has_key(http.request.headers.names, "a")"#,
            r#"has_value(http.request.headers, "a")"#,
            r#"has_value(http.host, "a")"#,
            "has_value(http.request.headers.names, 5)",
            "is_jwt_valid(http.host)",
        ] {
            assert_eq!(codes(bad), ["wrong-argument"], "{bad}");
        }
        assert_eq!(codes(r#"has_key(http.request.headers, "X-A")"#), ["header-case"]);
    }

    #[test]
    fn literals_stand_where_literals_belong() {
        assert_eq!(codes("cidr(ip.src, cf.waf.score, 64) eq 192.0.2.0"), ["wrong-argument"]);
        assert_eq!(codes("substring(http.host, 1, -2) eq \"a\""), [""; 0]);
        assert_eq!(codes("starts_with(http.host, /a)"), ["unquoted-text"]);
        assert_eq!(codes(r#"remove_bytes(http.host, ".") eq "a""#), [""; 0]);
        assert_eq!(codes(r#"remove_bytes(".", http.host) eq "a""#), ["wrong-argument"]);
    }
}
