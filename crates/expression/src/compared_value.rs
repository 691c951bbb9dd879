//! Parses the right side of a comparison: literals, sets and lists.

use crate::lexer::TokenKind;
use crate::parse::{Parser, is_function};
use crate::syntax::{ComparedValue, Item, Literal, Operand, Operator, Span};
use crate::vocabulary::{FIELDS, is_field_name};

impl Parser<'_> {
    /// Parses the next literal. Text without quotes ends at the next blank.
    pub(super) fn literal(&mut self) -> Option<Literal> {
        let token = self.peek()?;
        let literal = match &token.kind {
            TokenKind::Integer(number) => Literal::Integer(*number),
            TokenKind::Address(address) => Literal::Address(*address),
            TokenKind::Network(network) => Literal::Network(*network),
            TokenKind::Bytes(bytes) => Literal::Bytes(bytes.clone()),
            TokenKind::Word if self.is_keyword("true") || self.is_keyword("false") => {
                self.check_case();
                Literal::Truth(self.is_keyword("true"))
            }
            TokenKind::Word | TokenKind::Bare => {
                let from = token.span.start;
                while let Some(token) = self.peek()
                    && matches!(
                        token.kind,
                        TokenKind::Word | TokenKind::Bare | TokenKind::Integer(_)
                    )
                    && (token.span.start == from || token.span.start == self.end())
                {
                    self.at += 1;
                }
                return Some(Literal::Unquoted(self.text[from..self.end()].to_owned()));
            }
            _ => return None,
        };
        self.at += 1;
        Some(literal)
    }

    /// Parses the right side after an operator.
    pub(super) fn compared_value(
        &mut self,
        left: &Operand,
        operator: Operator,
        operator_span: &Span,
    ) -> ComparedValue {
        let span = self.here();
        let shown = self.shown(&span);
        let left_text = self.shown(&left.span);
        let word = operator.keyword();
        match self.kind() {
            Some(TokenKind::OpenBrace) => {
                let set = self.set(&TokenKind::CloseBrace);
                if operator != Operator::In
                    && left_text.starts_with(|c: char| c.is_ascii_alphabetic())
                {
                    let message = format!("`{word}` compares with one value, not with a set");
                    let set = self.shown(&(span.start..self.end()));
                    let not = if operator == Operator::NotEqual { "not " } else { "" };
                    let span = span.start..self.end();
                    self.problems.error(
                        span,
                        "set-needs-in",
                        message,
                        format!("write `{not}{left_text} in {set}`"),
                    );
                    return ComparedValue::Broken;
                }
                ComparedValue::Set(set)
            }
            Some(TokenKind::OpenParenthesis | TokenKind::OpenBracket)
                if operator == Operator::In =>
            {
                let close = match self.kind() {
                    Some(TokenKind::OpenBracket) => TokenKind::CloseBracket,
                    _ => TokenKind::CloseParenthesis,
                };
                let set = self.set(&close);
                let inner = self.text[span.start..self.end()]
                    .trim_matches(|c| "()[]".contains(c))
                    .replace(',', " ");
                let help = format!("write `{{{}}}`", crate::problem::quoted(&inner));
                self.problems.error(span, "set-brackets", "a set is written in braces", help);
                ComparedValue::Set(set)
            }
            Some(TokenKind::OpenParenthesis) => self.parenthesised(&left_text, operator),
            Some(TokenKind::List) => {
                self.at += 1;
                if operator != Operator::In {
                    let message = format!("`{word}` does not compare with a list");
                    self.problems.error(
                        span,
                        "list-needs-in",
                        message,
                        format!("write `{left_text} in {shown}`"),
                    );
                    return ComparedValue::Broken;
                }
                ComparedValue::List(shown)
            }
            Some(TokenKind::Word)
                if self.connective().is_none()
                    && (self.is_of_vocabulary(&shown)
                        || self.ahead(1) == Some(&TokenKind::OpenParenthesis)
                        || is_field_name(&shown)) =>
            {
                let Some(right) = self.operand() else { return ComparedValue::Broken };
                // A literal on the left has been reported. A field was probably meant.
                if !left_text.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    return ComparedValue::Broken;
                }
                let is_pattern = matches!(
                    operator,
                    Operator::Matches
                        | Operator::Wildcard
                        | Operator::StrictWildcard
                        | Operator::In
                );
                if is_pattern {
                    let span = span.start..self.end();
                    let shown = self.shown(&span);
                    let message =
                        format!("the right side of `{word}`, `{shown}`, is not a literal");
                    let help = "compare with a value that is written in the rule";
                    self.problems.error(span, "field-on-the-right", message, help);
                    return ComparedValue::Broken;
                }
                ComparedValue::Operand(Box::new(right))
            }
            kind if self.is_operator_before_value(kind) => {
                self.at += 1;
                let message = format!("`{shown}` follows `{}`", self.shown(operator_span));
                let help = format!("write one operator, such as `{word}`");
                self.problems.error(span, "unexpected", message, help);
                self.skip_to_connective();
                ComparedValue::Broken
            }
            _ if self.connective().is_none() => match self.literal() {
                Some(literal) => self.one(literal, &span, &left_text, operator),
                None => self.missing(operator_span),
            },
            _ => self.missing(operator_span),
        }
    }

    /// Returns true if a word is a field or function.
    fn is_of_vocabulary(&self, word: &str) -> bool {
        FIELDS.iter().any(|f| f.name == word) || is_function(word)
    }

    /// Reports values in parentheses: `eq ("a" or "b")`.
    fn parenthesised(&mut self, left: &str, operator: Operator) -> ComparedValue {
        let from = self.here().start;
        let mut values = Vec::new();
        self.at += 1;
        while !matches!(
            self.kind(),
            None | Some(TokenKind::CloseParenthesis | TokenKind::OpenParenthesis)
        ) {
            let span = self.here();
            if self.connective().is_some() || self.literal().is_none() {
                self.at += 1;
            } else {
                values.push(self.shown(&(span.start..self.end())));
            }
        }
        self.take(&TokenKind::CloseParenthesis);
        let word = operator.keyword();
        let help = match (values.as_slice(), operator) {
            ([one], _) => format!("write `{left} {word} {one}`"),
            (_, Operator::Equal) => {
                format!("write `{left} in {{{}}}`", crate::problem::quoted(&values.join(" ")))
            }
            _ => {
                format!("write one comparison for each value: `{left} {word} … or {left} {word} …`")
            }
        };
        let message = format!("the right side of `{word}` is in parentheses");
        self.problems.error(from..self.end(), "value-in-parentheses", message, help);
        ComparedValue::Broken
    }

    /// Returns true if an operator is next, and not just a text without quotes that looks like one.
    fn is_operator_before_value(&self, kind: Option<&TokenKind>) -> bool {
        match kind {
            Some(TokenKind::Operator(_)) => true,
            Some(TokenKind::Word) => {
                let is_value = |k: &TokenKind| {
                    matches!(
                        k,
                        TokenKind::Bytes(_)
                            | TokenKind::Integer(_)
                            | TokenKind::Address(_)
                            | TokenKind::OpenBrace
                    )
                };
                Operator::ALL.iter().any(|o| self.is_keyword(o.keyword()))
                    && self.ahead(1).is_some_and(is_value)
            }
            _ => false,
        }
    }

    /// Reports a missing value after an operator.
    fn missing(&mut self, operator: &Span) -> ComparedValue {
        let message = format!("a value is missing after `{}`", self.shown(operator));
        let help = "write a value: text in double quotes, a number, an address, a set or a `$list`";
        self.problems.error(operator.clone(), "missing-value", message, help);
        ComparedValue::Broken
    }

    /// Parses one value. It is a mistake after `in`, and a range is a mistake after all other
    /// operators.
    fn one(
        &mut self,
        literal: Literal,
        span: &Span,
        left: &str,
        operator: Operator,
    ) -> ComparedValue {
        let mut span = span.start..self.end();
        let mut is_range = false;
        while matches!(self.kind(), Some(TokenKind::Range)) {
            self.at += 1;
            self.literal();
            span = span.start..self.end();
            is_range = true;
        }
        if operator == Operator::In {
            // The author wrote `in "a" "b"` or `in "a", "b"`.
            while matches!(
                self.kind(),
                Some(TokenKind::Comma | TokenKind::Bytes(_) | TokenKind::Integer(_))
            ) {
                self.at += 1;
            }
            let shown = self.shown(&(span.start..self.end())).replace(',', " ");
            let help = match literal {
                Literal::Unquoted(name) => format!("write `{left} in ${name}` for a list"),
                _ => format!("write `{left} in {{{}}}`", crate::problem::quoted(&shown)),
            };
            self.problems.error(
                span,
                "set-without-braces",
                "`in` compares with a set, which is written in braces",
                help,
            );
            return ComparedValue::Broken;
        }
        if is_range {
            let help = format!("write `{left} in {{{}}}`", self.shown(&span));
            self.problems.error(
                span,
                "range-outside-set",
                "a range is possible in a set only",
                help,
            );
            return ComparedValue::Broken;
        }
        ComparedValue::Literal(literal)
    }

    /// Parses the members of a set whose opening bracket is next.
    fn set(&mut self, close: &TokenKind) -> Vec<(Item, Span)> {
        let open = self.here();
        self.at += 1;
        let mut items = Vec::new();
        let (mut has_comma, mut is_empty) = (false, true);
        while !self.take(close) {
            let span = self.here();
            if self.take(&TokenKind::Comma) {
                if !has_comma {
                    let help = "separate them by spaces: `{\"a\" \"b\"}`";
                    self.problems.error(
                        span,
                        "comma-in-set",
                        "the members of a set have no commas between them",
                        help,
                    );
                }
                has_comma = true;
                continue;
            }
            let is_value = |kind: &TokenKind| {
                matches!(
                    kind,
                    TokenKind::Bytes(_)
                        | TokenKind::Integer(_)
                        | TokenKind::Address(_)
                        | TokenKind::Network(_)
                )
            };
            if self.connective().is_some() && self.ahead(1).is_some_and(is_value) {
                let message = format!("`{}` is in a set", self.shown(&span));
                self.problems.error(
                    span,
                    "word-in-set",
                    message,
                    "separate the members by spaces alone",
                );
                self.at += 1;
                continue;
            }
            let is_end = self.connective().is_some()
                || matches!(
                    self.kind(),
                    None | Some(TokenKind::CloseParenthesis | TokenKind::CloseBrace)
                );
            if is_end {
                self.problems.error(
                    open,
                    "unclosed",
                    "the set is not closed",
                    "add `}` after the last member",
                );
                return items;
            }
            is_empty = false;
            let Some(first) = self.literal() else {
                let message = format!("`{}` cannot be a member of a set", self.shown(&span));
                let help = "write text in double quotes, numbers, addresses or ranges";
                self.problems.error(span, "unexpected", message, help);
                self.at += 1;
                continue;
            };
            if !self.take(&TokenKind::Range) {
                items.push((Item::One(first), span.start..self.end()));
                continue;
            }
            match self.literal() {
                Some(last) => items.push((Item::Range(first, last), span.start..self.end())),
                None => {
                    let span = span.start..self.end();
                    let message = format!("`{}` has no end", self.shown(&span));
                    self.problems.error(span, "missing-value", message, "write a value after `..`");
                }
            }
        }
        if is_empty {
            let span = open.start..self.end();
            self.problems.error(
                span,
                "empty-set",
                "there is nothing in the set",
                "write at least one member",
            );
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use crate::expression::codes;

    #[test]
    fn sets_end_where_they_are_closed() {
        assert_eq!(codes("cf.waf.score in {1 2 3} and ssl"), [""; 0]);
        assert_eq!(codes("cf.waf.score in {1,2,3} and ssl"), ["comma-in-set"]);
        assert_eq!(codes("(cf.waf.score in {1 2) and ssl"), ["unclosed"]);
        assert_eq!(codes("cf.waf.score in {1..} and ssl"), ["missing-value"]);
        assert_eq!(codes("cf.waf.score in 1, 2 and ssl"), ["set-without-braces"]);
        assert_eq!(codes("cf.waf.score in {{1}} and ssl"), ["unexpected", "unopened"]);
    }
}
