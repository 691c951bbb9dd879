//! Parses tokens into a tree and continues after errors.
//!
//! ```text
//! expr := or ;  or := xor { ("or"|"||") xor } ;  xor := and { ("xor"|"^^") and }
//! and  := not { ("and"|"&&") not } ;  not := ("not"|"!") not | "(" expr ")" | operand [ operator right ]
//! ```
//!
//! After an error the parser continues at the next `and`, `or`, `xor` or parenthesis, so that one
//! error does not hide others. It adds its guesses to the tree, so that the checks see the rest.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/operators, read 2026-11-20.

use crate::lexer::{Token, TokenKind};
use crate::mistaken_terms::{self, Meaning};
use crate::problem::{Problems, quoted};
use crate::syntax::{
    Base, ComparedValue, Comparison, Connective, Node, NodeKind, Operand, Operator, Span,
};
use crate::vocabulary::{FIELDS, FUNCTIONS};

/// Maximum nesting of parentheses and calls. This is our own limit, far beyond any readable
/// expression. Cloudflare's is unknown.
const DEEPEST: usize = 48;

/// Parses an expression. If there are errors among the problems, the tree is not reliable.
pub(super) fn parse(text: &str, tokens: &[Token], problems: &mut Problems) -> Node {
    let mut parser = Parser { text, tokens, at: 0, depth: 0, is_abandoned: false, problems };
    let mut parts = vec![parser.chain(Connective::Or)];
    while let Some(token) = parser.peek() {
        // Only closing brackets and commas can remain.
        let span = token.span.clone();
        let (message, help) = match token.kind {
            TokenKind::Comma => {
                ("a comma does not join conditions".to_owned(), "write `and` or `or`")
            }
            _ => (
                format!("`{}` closes nothing", parser.shown(&span)),
                "remove it, or open it further to the left",
            ),
        };
        parser.problems.error(span, "unopened", message, help);
        parser.at += 1;
        if !parser.is_at_close() {
            parser.take_connective();
            parts.push(parser.chain(Connective::Or));
        }
    }
    joined_nodes(Connective::And, parts)
}

/// Joins several parts to one node.
fn joined_nodes(connective: Connective, mut parts: Vec<Node>) -> Node {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let span = parts[0].span.start..parts[parts.len() - 1].span.end;
    Node { kind: NodeKind::Chain(connective, parts), span, is_parenthesised: false }
}

/// The state of parsing tokens.
pub(super) struct Parser<'t> {
    /// The whole text.
    pub(super) text: &'t str,
    /// All tokens.
    tokens: &'t [Token],
    /// The next token.
    pub(super) at: usize,
    /// Number of open parentheses and calls.
    pub(super) depth: usize,
    /// True if parsing stopped early, so that missing parts at the end are not errors.
    pub(super) is_abandoned: bool,
    pub(super) problems: &'t mut Problems,
}

/// An operator that was read.
struct Found {
    meaning: Meaning,
    /// True if it is negated.
    is_denied: bool,
    /// True if it is not an operator of the language.
    is_phrase: bool,
}

impl Found {
    /// Returns an operator of the language.
    fn proper(operator: Operator) -> Self {
        Self { meaning: Meaning::Operator(operator), is_denied: false, is_phrase: false }
    }
}

impl<'t> Parser<'t> {
    /// Returns the next token.
    pub(super) fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    /// Returns the kind of the next token.
    pub(super) fn kind(&self) -> Option<&'t TokenKind> {
        self.peek().map(|t| &t.kind)
    }

    /// Returns the kind of the token that is `count` ahead.
    pub(super) fn ahead(&self, count: usize) -> Option<&'t TokenKind> {
        self.tokens.get(self.at + count).map(|t| &t.kind)
    }

    /// Returns the text of a place.
    pub(super) fn shown(&self, span: &Span) -> String {
        quoted(&self.text[span.clone()])
    }

    /// Returns the place of the next token. At the end, returns the place of the last one.
    pub(super) fn here(&self) -> Span {
        self.peek().or(self.tokens.last()).map_or(0..self.text.len(), |t| t.span.clone())
    }

    /// Returns the end of the text that has been read.
    pub(super) fn end(&self) -> usize {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |t| t.span.end)
    }

    /// Takes the next token if it is of a kind.
    pub(super) fn take(&mut self, kind: &TokenKind) -> bool {
        let is_it = self.kind() == Some(kind);
        self.at += usize::from(is_it);
        is_it
    }

    /// Returns the next adjacent words, in lower case.
    pub(super) fn next_keywords(&self, most: usize) -> Vec<String> {
        let words =
            self.tokens[self.at..].iter().take(most).take_while(|t| t.kind == TokenKind::Word);
        words.map(|t| self.text[t.span.clone()].to_ascii_lowercase()).collect()
    }

    /// Returns true if the next token is this word, ignoring case.
    pub(super) fn is_keyword(&self, word: &str) -> bool {
        self.peek().is_some_and(|t| {
            t.kind == TokenKind::Word && self.text[t.span.clone()].eq_ignore_ascii_case(word)
        })
    }

    /// Reports the next token, a word of the language, if it is not in lower case.
    pub(super) fn check_case(&mut self) {
        let span = self.here();
        let word = &self.text[span.clone()];
        if word.bytes().any(|b| b.is_ascii_uppercase()) {
            let help = format!("write `{}`", word.to_ascii_lowercase());
            self.problems.error(
                span,
                "upper-case-word",
                format!("`{word}` is not in lower case"),
                help,
            );
        }
    }

    /// Returns the next connective.
    pub(super) fn connective(&self) -> Option<Connective> {
        match self.kind()? {
            TokenKind::Connective(connective) => Some(*connective),
            TokenKind::Word => Connective::ALL.into_iter().find(|c| self.is_keyword(c.keyword())),
            _ => None,
        }
    }

    /// Takes the next token if it is a connective.
    fn take_connective(&mut self) -> Option<Connective> {
        let connective = self.connective()?;
        self.check_case();
        self.at += 1;
        Some(connective)
    }

    /// Returns true if the open group ends here.
    fn is_at_close(&self) -> bool {
        matches!(
            self.kind(),
            None | Some(
                TokenKind::CloseParenthesis
                    | TokenKind::CloseBrace
                    | TokenKind::CloseBracket
                    | TokenKind::Comma
            )
        )
    }

    /// Parses parts joined by this connective. Each part may contain connectives that bind more
    /// tightly.
    pub(super) fn chain(&mut self, connective: Connective) -> Node {
        let mut parts = vec![self.stronger(connective)];
        while self.connective() == Some(connective) {
            let span = self.here();
            self.take_connective();
            if self.is_at_close() || self.connective().is_some() {
                let shown = self.shown(&span);
                let message = format!("nothing follows `{shown}`");
                self.problems.error(
                    span,
                    "missing-operand",
                    message,
                    format!("remove `{shown}`, or add a condition"),
                );
                continue;
            }
            parts.push(self.stronger(connective));
        }
        if parts.len() > 1 {
            self.warn_of_mixing(connective, &parts);
        }
        joined_nodes(connective, parts)
    }

    /// Parses a part of a chain.
    fn stronger(&mut self, connective: Connective) -> Node {
        match connective.stronger() {
            Some(stronger) => self.chain(stronger),
            None => self.settled(),
        }
    }

    /// Warns if `and` and `or` are mixed without parentheses, and explains the meaning.
    fn warn_of_mixing(&mut self, connective: Connective, parts: &[Node]) {
        for part in parts {
            let NodeKind::Chain(inner, _) = part.kind else { continue };
            if part.is_parenthesised || inner == connective {
                continue;
            }
            let message = format!(
                "`{}` binds more tightly than `{}` here",
                inner.keyword(),
                connective.keyword()
            );
            let help = format!(
                "write `({})` if that is meant, or set other parentheses",
                self.shown(&part.span)
            );
            self.problems.warning(part.span.clone(), "mixed-connectives", message, help);
            return;
        }
    }

    /// Parses a condition before a connective or a closing bracket. Anything else after it is
    /// reported.
    fn settled(&mut self) -> Node {
        let mut parts = vec![self.condition()];
        while !self.is_at_close() && self.connective().is_none() {
            let span = self.here();
            let shown = self.shown(&span);
            if self.begins_condition() {
                let message = format!("`and` or `or` is missing before `{shown}`");
                let help = format!("write `and {shown}` or `or {shown}`");
                self.problems.error(span, "missing-connective", message, help);
                parts.push(self.condition());
                continue;
            }
            let (message, help) = match self.kind() {
                Some(TokenKind::Operator(_) | TokenKind::Word)
                    if parts[parts.len() - 1].is_parenthesised =>
                {
                    (
                        format!("`{shown}` is after parentheses"),
                        "compare the field itself: no parentheses around it".to_owned(),
                    )
                }
                _ => (
                    format!("`{shown}` has no meaning here"),
                    "remove it, or join a further condition with `and` or `or`".to_owned(),
                ),
            };
            self.problems.error(span, "unexpected", message, help);
            self.skip_to_connective();
        }
        joined_nodes(Connective::And, parts)
    }

    /// Returns true if a new condition seems to begin here.
    fn begins_condition(&self) -> bool {
        match self.kind() {
            Some(TokenKind::Not | TokenKind::OpenParenthesis) => true,
            Some(TokenKind::Word) => {
                let word = &self.text[self.here()];
                self.is_keyword("not")
                    || self.ahead(1) == Some(&TokenKind::OpenParenthesis)
                    || FIELDS.iter().any(|f| f.name == word)
            }
            _ => false,
        }
    }

    /// Skips to the next connective or closing parenthesis. Parentheses in between are skipped as a
    /// whole.
    pub(super) fn skip_to_connective(&mut self) {
        let mut open = 0usize;
        while let Some(kind) = self.kind() {
            match kind {
                TokenKind::OpenParenthesis => open += 1,
                TokenKind::CloseParenthesis if open == 0 => return,
                TokenKind::CloseParenthesis => open -= 1,
                _ if open == 0 && self.connective().is_some() => return,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Parses a condition, or its negation.
    fn condition(&mut self) -> Node {
        let from = self.here().start;
        let mut is_denied = false;
        let mut denials = 0usize;
        while self.kind() == Some(&TokenKind::Not) || self.is_keyword("not") {
            self.check_case();
            let span = self.here();
            self.at += 1;
            denials += 1;
            is_denied = !is_denied;
            if self.is_at_close() {
                let message = format!("nothing follows `{}`", self.shown(&span));
                self.problems.error(
                    span,
                    "missing-operand",
                    message,
                    "remove it, or add a condition",
                );
                return self.broken(from);
            }
        }
        let node = self.primary();
        if denials > 1 {
            let help = if is_denied { "write one `not`" } else { "remove them" };
            self.problems.warning(
                from..node.span.start.max(from),
                "double-negation",
                "`not` negates `not`",
                help,
            );
        }
        if !is_denied {
            return node;
        }
        let span = from..node.span.end.max(from);
        Node { kind: NodeKind::Not(Box::new(node)), span, is_parenthesised: false }
    }

    /// Returns the node for a part that could not be read.
    pub(super) fn broken(&self, from: usize) -> Node {
        Node { kind: NodeKind::Broken, span: from..self.end().max(from), is_parenthesised: false }
    }

    /// Opens a level. Returns false if the nesting is too deep, and stops parsing.
    pub(super) fn deepen(&mut self) -> bool {
        self.depth += 1;
        if self.depth <= DEEPEST {
            return true;
        }
        let message = format!("parentheses and calls are nested more than {DEEPEST} deep");
        self.problems.error(
            self.here(),
            "too-deep",
            message,
            "remove parentheses, or split the rule",
        );
        self.at = self.tokens.len();
        self.is_abandoned = true;
        false
    }

    /// Parses a part in parentheses, or a comparison.
    fn primary(&mut self) -> Node {
        let span = self.here();
        if self.kind() != Some(&TokenKind::OpenParenthesis) {
            return self.comparison();
        }
        self.at += 1;
        if self.take(&TokenKind::CloseParenthesis) {
            let span = span.start..self.end();
            self.problems.error(
                span,
                "empty-parentheses",
                "there is nothing in the parentheses",
                "remove them",
            );
            return self.broken(self.end());
        }
        if !self.deepen() {
            return self.broken(span.start);
        }
        let mut node = self.chain(Connective::Or);
        self.depth -= 1;
        if !self.take(&TokenKind::CloseParenthesis) && !self.is_abandoned {
            self.problems.error(
                span.clone(),
                "unclosed",
                "`(` is not closed",
                "add `)` where the group ends",
            );
        }
        node.span = span.start..self.end().max(span.end);
        node.is_parenthesised = true;
        node
    }

    /// Parses an operand and its comparison.
    fn comparison(&mut self) -> Node {
        let from = self.here().start;
        if self.is_at_close() || self.connective().is_some() {
            let span = self.here();
            let shown = self.shown(&span);
            let message = match self.kind() {
                Some(_) => format!("a condition is missing before `{shown}`"),
                None => "a condition is missing at the end".to_owned(),
            };
            self.problems.error(
                span,
                "missing-operand",
                message,
                "write a condition, such as `http.host eq \"…\"`",
            );
            return self.broken(from);
        }
        let Some(left) = self.operand() else { return self.broken(from) };
        let first = self.at;
        let Some(Found { meaning, is_denied, is_phrase }) = self.operator() else {
            let span = left.span.clone();
            return Node { kind: NodeKind::Operand(left), span, is_parenthesised: false };
        };
        let operator_span = self.tokens[first].span.start..self.end();
        let operator = match meaning {
            Meaning::Operator(operator) => operator,
            // The right side is text, as after `contains`.
            Meaning::Function(_) => Operator::Contains,
        };
        let right_from = self.here().start;
        let right = self.compared_value(&left, operator, &operator_span);
        let right_span = right_from..self.end().max(right_from);
        if is_phrase {
            self.name_phrase(&left, meaning, is_denied, &operator_span, &right_span);
        }
        let span = from..self.end();
        let node = |kind| Node { kind, span: span.clone(), is_parenthesised: false };
        if let (Meaning::Function(name), ComparedValue::Literal(literal)) = (meaning, &right) {
            let literal = Operand {
                base: Base::Literal(literal.clone()),
                base_span: right_span.clone(),
                indexes: Vec::new(),
                span: right_span.clone(),
            };
            let arguments = vec![
                Node {
                    span: left.span.clone(),
                    kind: NodeKind::Operand(left),
                    is_parenthesised: false,
                },
                Node {
                    span: right_span,
                    kind: NodeKind::Operand(literal),
                    is_parenthesised: false,
                },
            ];
            let base = Base::Call(name.to_owned(), arguments);
            return node(NodeKind::Operand(Operand {
                base,
                base_span: operator_span,
                indexes: Vec::new(),
                span: span.clone(),
            }));
        }
        if matches!(left.base, Base::Literal(_)) {
            self.name_literal_left(&left, operator, &right_span);
            return self.broken(from);
        }
        node(NodeKind::Comparison(Comparison { left, operator, operator_span, right, right_span }))
    }

    /// Parses an operator of the language, or a phrase used for one.
    fn operator(&mut self) -> Option<Found> {
        if let Some(TokenKind::Operator(operator)) = self.kind() {
            self.at += 1;
            return Some(Found::proper(*operator));
        }
        let words = self.next_keywords(mistaken_terms::PHRASE_WORDS);
        let first = words.first()?.as_str();
        // `matches regex "…"` and `in list $x` are phrases although they begin with an operator.
        if let Some((meaning, is_denied, count)) = mistaken_terms::operator(&words) {
            self.at += count;
            return Some(Found { meaning, is_denied, is_phrase: true });
        }
        if first == "strict" && words.get(1).is_some_and(|w| w == "wildcard") {
            self.check_case();
            self.at += 1;
            self.check_case();
            self.at += 1;
            return Some(Found::proper(Operator::StrictWildcard));
        }
        let operator = Operator::ALL.into_iter().find(|o| o.keyword() == first)?;
        self.check_case();
        self.at += 1;
        Some(Found::proper(operator))
    }

    /// Reports a phrase used for an operator.
    fn name_phrase(
        &mut self,
        left: &Operand,
        meaning: Meaning,
        is_denied: bool,
        operator: &Span,
        right: &Span,
    ) {
        let left_text = left.plain_field().map_or_else(|| self.shown(&left.span), str::to_owned);
        let right = self.shown(right);
        let right = if right.is_empty() { "…".to_owned() } else { right };
        let not = if is_denied { "not " } else { "" };
        let shown = self.shown(operator);
        let (message, help) = match meaning {
            Meaning::Function(name) => (
                format!("`{shown}` is not an operator, but a function"),
                format!("write `{not}{name}({left_text}, {right})`"),
            ),
            Meaning::Operator(with) => (
                format!("`{shown}` is not an operator of the rules language"),
                format!("write `{not}{left_text} {} {right}`", with.keyword()),
            ),
        };
        self.problems.error(operator.clone(), "unknown-operator", message, help);
    }

    /// Reports a literal on the left side.
    fn name_literal_left(&mut self, left: &Operand, operator: Operator, right: &Span) {
        let (literal, field) = (self.shown(&left.span), self.shown(right));
        let help = match operator {
            _ if !field.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                "begin it with a field".to_owned()
            }
            Operator::In => format!("write `{field} contains {literal}`"),
            Operator::Less => format!("write `{field} gt {literal}`"),
            Operator::LessOrEqual => format!("write `{field} ge {literal}`"),
            Operator::Greater => format!("write `{field} lt {literal}`"),
            Operator::GreaterOrEqual => format!("write `{field} le {literal}`"),
            Operator::Equal
            | Operator::NotEqual
            | Operator::Contains
            | Operator::Matches
            | Operator::Wildcard
            | Operator::StrictWildcard => {
                format!("write `{field} {} {literal}`", operator.keyword())
            }
        };
        let message =
            format!("the left side is the literal `{literal}`; a comparison begins with a field");
        self.problems.error(left.span.clone(), "literal-on-the-left", message, help);
    }
}

/// Returns true if a word is the name of a function.
pub(super) fn is_function(word: &str) -> bool {
    FUNCTIONS.iter().any(|f| f.name == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::codes;

    #[test]
    fn one_error_hides_no_other() {
        assert_eq!(
            codes("(http.hots eq 1 and ) or ssl eq and lowr(x) xor"),
            [
                "unlisted-field",
                "missing-operand",
                "mixed-connectives",
                "missing-value",
                "unlisted-function",
                "unlisted-field",
                "missing-operand"
            ]
        );
    }

    #[test]
    fn nesting_has_an_end() {
        let nested = |depth: usize| format!("{}ssl{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(codes(&nested(DEEPEST)), [""; 0]);
        assert_eq!(codes(&nested(DEEPEST + 1)), ["too-deep"]);
        assert_eq!(codes(&nested(5000)), ["too-long", "too-deep"]);
        assert_eq!(codes(&format!("{}ssl", "!".repeat(3999))), ["double-negation"]);
    }
}
