//! Parses the left side of a comparison: fields, calls and literals, with their indexes.

use crate::lexer::TokenKind;
use crate::mistaken_terms;
use crate::parse::Parser;
use crate::syntax::{Base, Connective, Index, Literal, Node, Operand, Span};
use crate::vocabulary::FIELDS;

impl Parser<'_> {
    /// Parses a field, call or literal, with its indexes.
    pub(super) fn operand(&mut self) -> Option<Operand> {
        let token = self.peek()?;
        let span = token.span.clone();
        let base = match &token.kind {
            TokenKind::Word => self.name(),
            TokenKind::Bare
            | TokenKind::Bytes(_)
            | TokenKind::Integer(_)
            | TokenKind::Address(_)
            | TokenKind::Network(_) => self.literal().map(Base::Literal)?,
            TokenKind::List
            | TokenKind::Connective(_)
            | TokenKind::Not
            | TokenKind::Operator(_)
            | TokenKind::OpenParenthesis
            | TokenKind::CloseParenthesis
            | TokenKind::OpenBrace
            | TokenKind::CloseBrace
            | TokenKind::OpenBracket
            | TokenKind::CloseBracket
            | TokenKind::Comma
            | TokenKind::Range
            | TokenKind::Star => {
                let message = format!("a condition cannot begin with `{}`", self.shown(&span));
                let help = "begin it with a field or a function";
                self.problems.error(span, "unexpected", message, help);
                self.skip_to_connective();
                return None;
            }
        };
        let base_span = match base {
            // The place of a call is its name.
            Base::Call(..) => span.clone(),
            Base::Field(_) | Base::Literal(_) => span.start..self.end(),
        };
        let mut indexes = Vec::new();
        while self.kind() == Some(&TokenKind::OpenBracket) {
            self.index(&mut indexes);
        }
        Some(Operand { base, base_span, indexes, span: span.start..self.end() })
    }

    /// Parses a field, a call, `true` or `false`, or a label of the dashboard.
    fn name(&mut self) -> Base {
        let span = self.here();
        let word = &self.text[span.clone()];
        for (truth, value) in [("true", true), ("false", false)] {
            if word.eq_ignore_ascii_case(truth) {
                self.check_case();
                self.at += 1;
                return Base::Literal(Literal::Truth(value));
            }
        }
        // A field before a parenthesis is a condition, and an `and` is missing.
        if self.ahead(1) == Some(&TokenKind::OpenParenthesis)
            && FIELDS.iter().all(|f| f.name != word)
        {
            self.at += 2;
            return Base::Call(word.to_owned(), self.arguments(span));
        }
        if let Some((field, count)) =
            mistaken_terms::label(&self.next_keywords(mistaken_terms::PHRASE_WORDS))
        {
            self.at += count;
            let span = span.start..self.end();
            let message = format!("`{}` is the dashboard's name of a field", self.shown(&span));
            self.problems.error(span, "dashboard-name", message, format!("write `{field}`"));
            return Base::Field(field.to_owned());
        }
        self.at += 1;
        Base::Field(word.to_owned())
    }

    /// Parses the arguments of a call whose parenthesis is open.
    fn arguments(&mut self, name: Span) -> Vec<Node> {
        let mut arguments = Vec::new();
        if self.take(&TokenKind::CloseParenthesis) || !self.deepen() {
            return arguments;
        }
        loop {
            arguments.push(self.chain(Connective::Or));
            if !self.take(&TokenKind::Comma) {
                break;
            }
            if self.kind() == Some(&TokenKind::CloseParenthesis) {
                let span = self.end() - 1..self.end();
                self.problems.error(
                    span,
                    "missing-operand",
                    "an argument is missing after the comma",
                    "remove the comma",
                );
                break;
            }
        }
        self.depth -= 1;
        if !self.take(&TokenKind::CloseParenthesis) && !self.is_abandoned {
            let message = format!("the parenthesis of `{}` is not closed", self.shown(&name));
            self.problems.error(name, "unclosed", message, "add `)` after the last argument");
        }
        arguments
    }

    /// Parses `[0]`, `["key"]` or `[*]`.
    fn index(&mut self, indexes: &mut Vec<(Index, Span)>) {
        let span = self.here();
        self.at += 1;
        let index = match self.kind() {
            Some(TokenKind::Integer(number)) => u32::try_from(*number).ok().map(Index::Number),
            Some(TokenKind::Bytes(key)) => Some(Index::Key(key.clone())),
            Some(TokenKind::Star) => Some(Index::Each),
            _ => None,
        };
        if index.is_some() {
            self.at += 1;
        }
        if let (Some(index), true) = (index, self.take(&TokenKind::CloseBracket)) {
            indexes.push((index, span.start..self.end()));
            return;
        }
        let inner = self.here();
        while !matches!(
            self.kind(),
            None | Some(TokenKind::CloseBracket | TokenKind::CloseParenthesis)
        ) && self.connective().is_none()
        {
            self.at += 1;
        }
        // An assumed value prevents further reports because of this mistake.
        let inner = &self.text[inner.start..self.end().max(inner.start)];
        let guess = match inner.trim().parse::<i64>() {
            Ok(_) => Index::Number(0),
            Err(_) => Index::Key(inner.as_bytes().to_vec()),
        };
        indexes.push((guess, span.start..self.end()));
        self.take(&TokenKind::CloseBracket);
        let span = span.start..self.end();
        let message = format!("`{}` is neither a key nor a number", self.shown(&span));
        let help =
            "write a key in double quotes (`[\"accept\"]`), a number from 0 (`[0]`) or `[*]`";
        self.problems.error(span, "bad-index", message, help);
    }
}

#[cfg(test)]
mod tests {
    use crate::expression::codes;

    #[test]
    fn labels_and_indexes_are_read() {
        assert_eq!(codes("User Agent contains \"a\""), ["dashboard-name"]);
        assert_eq!(codes("http.request.headers.names[-1] eq \"a\"")[0], "bad-index");
        assert_eq!(codes("http.request.headers[ \"a\" ][ 0 ] eq \"a\""), [""; 0]);
        assert_eq!(codes("ssl (cf.client.bot)"), ["missing-connective"]);
    }
}
