//! The canonical form of an expression: one text for all spellings with the same meaning.
//!
//! | spelled | canonical |
//! |---|---|
//! | `==`, `&&`, `!` … | the words |
//! | blanks, line breaks | one space |
//! | parentheses that change nothing | none |
//! | `not not x` | `x` |
//! | `b and a and a`, the same with `or`; `b xor a` | sorted, and with `and` and `or` each once |
//! | `r"a"`, `"\x61"` | `"a"` |
//! | sets | sorted, each member once |
//! | `10.0.0.1/8`, `10.0.0.1/32`, `2001:DB8:0::1`, `5..5` | `10.0.0.0/8`, `10.0.0.1`, `2001:db8::1`, `5` |
//!
//! The parts of a chain can be sorted because conditions have no effects: their order changes
//! nothing. Two pairs keep different forms, although they are often equal: `x ne a` and `not x eq
//! a` (with a missing value, the first is false and the second true), and a deprecated field and
//! its replacement.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language/values (missing values), read
//! 2026-11-20.

use ipnet::IpNet;

use crate::lexer;
use crate::problem::Problems;
use crate::syntax::{
    Base, ComparedValue, Comparison, Connective, Index, Item, Literal, Node, NodeKind, Operand,
    Operator,
};

/// A part of an expression in canonical form.
#[derive(Debug, Clone)]
pub(super) struct CanonicalForm {
    /// Its text; equal texts have the same meaning.
    pub(super) text: String,
    pub(super) kind: CanonicalKind,
}

/// The kinds of parts.
#[derive(Debug, Clone)]
pub(super) enum CanonicalKind {
    /// Several parts joined by a connective, sorted; no part is a chain of the same connective.
    Chain(Connective, Vec<CanonicalForm>),
    /// The negation of a part that is not itself a negation.
    Not(Box<CanonicalForm>),
    Comparison(Comparison),
    /// An operand on its own.
    Operand(Operand),
}

impl CanonicalForm {
    /// Returns the canonical form of a tree; `None` if a part of it could not be read.
    pub(super) fn of(node: &Node) -> Option<Self> {
        match &node.kind {
            NodeKind::Chain(connective, parts) => {
                let mut forms = Vec::new();
                for part in parts {
                    let part = Self::of(part)?;
                    match part.kind {
                        CanonicalKind::Chain(inner, parts) if inner == *connective => {
                            forms.extend(parts)
                        }
                        _ => forms.push(part),
                    }
                }
                Some(Self::chain(*connective, forms))
            }
            NodeKind::Not(inner) => Some(Self::of(inner)?.denied()),
            NodeKind::Comparison(comparison) => {
                let comparison = Comparison {
                    left: operand(&comparison.left)?,
                    right: compared_value(&comparison.right)?,
                    ..comparison.clone()
                };
                let text = comparison_text(&comparison)?;
                Some(Self { text, kind: CanonicalKind::Comparison(comparison) })
            }
            NodeKind::Operand(inner) => {
                let inner = operand(inner)?;
                Some(Self { text: operand_text(&inner)?, kind: CanonicalKind::Operand(inner) })
            }
            NodeKind::Broken => None,
        }
    }

    /// Joins several parts by a connective.
    fn chain(connective: Connective, mut parts: Vec<Self>) -> Self {
        parts.sort_by(|a, b| a.text.cmp(&b.text));
        if connective != Connective::Xor {
            parts.dedup_by(|a, b| a.text == b.text);
        }
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let texts: Vec<_> = parts.iter().map(|p| p.within(Some(connective))).collect();
        let text = texts.join(&format!(" {} ", connective.keyword()));
        Self { text, kind: CanonicalKind::Chain(connective, parts) }
    }

    /// Returns the negation.
    fn denied(self) -> Self {
        match self.kind {
            CanonicalKind::Not(inner) => *inner,
            CanonicalKind::Chain(..) | CanonicalKind::Comparison(_) | CanonicalKind::Operand(_) => {
                let text = format!("not {}", self.within(None));
                Self { text, kind: CanonicalKind::Not(Box::new(self)) }
            }
        }
    }

    /// Returns the text inside a chain, or after `not`: in parentheses if needed.
    fn within(&self, outer: Option<Connective>) -> String {
        match &self.kind {
            CanonicalKind::Chain(inner, _) if outer.is_none_or(|outer| *inner < outer) => {
                format!("({})", self.text)
            }
            CanonicalKind::Chain(..)
            | CanonicalKind::Not(_)
            | CanonicalKind::Comparison(_)
            | CanonicalKind::Operand(_) => self.text.clone(),
        }
    }
}

/// Returns an operand with its arguments in canonical form.
fn operand(from: &Operand) -> Option<Operand> {
    let base = match &from.base {
        Base::Literal(inner) => Base::Literal(literal(inner)),
        Base::Field(_) | Base::Call(..) => from.base.clone(),
    };
    Some(Operand { base, ..from.clone() })
}

pub(super) fn operand_text(operand: &Operand) -> Option<String> {
    let mut text = match &operand.base {
        Base::Field(name) => name.clone(),
        Base::Call(name, arguments) => {
            let arguments: Option<Vec<_>> =
                arguments.iter().map(|a| Some(CanonicalForm::of(a)?.text)).collect();
            format!("{name}({})", arguments?.join(", "))
        }
        Base::Literal(literal) => literal_text(literal)?,
    };
    for (index, _) in &operand.indexes {
        text.push_str(&match index {
            Index::Number(number) => format!("[{number}]"),
            Index::Key(key) => format!("[{}]", quoted(key)),
            Index::Each => "[*]".to_owned(),
        });
    }
    Some(text)
}

/// Returns a literal in canonical form.
fn literal(from: &Literal) -> Literal {
    match from {
        Literal::Network(network) if network.prefix_len() == network.max_prefix_len() => {
            Literal::Address(network.addr())
        }
        Literal::Network(network) => Literal::Network(network.trunc()),
        Literal::Integer(_)
        | Literal::Address(_)
        | Literal::Bytes(_)
        | Literal::Truth(_)
        | Literal::Unquoted(_) => from.clone(),
    }
}

/// Returns the text of a literal; `None` if it is not part of the language.
fn literal_text(literal: &Literal) -> Option<String> {
    Some(match literal {
        Literal::Integer(number) => number.to_string(),
        Literal::Address(address) => address.to_string(),
        Literal::Network(network) => network.to_string(),
        Literal::Bytes(bytes) => quoted(bytes),
        Literal::Truth(truth) => truth.to_string(),
        Literal::Unquoted(_) => return None,
    })
}

/// Returns a right side in canonical form.
fn compared_value(from: &ComparedValue) -> Option<ComparedValue> {
    Some(match from {
        ComparedValue::Literal(inner) => ComparedValue::Literal(literal(inner)),
        ComparedValue::Set(items) => {
            let mut items: Vec<_> =
                items.iter().map(|(i, span)| (canonical_item(i), span.clone())).collect();
            items.sort_by(|(a, _), (b, _)| a.cmp(b));
            items.dedup_by(|(a, _), (b, _)| a == b);
            ComparedValue::Set(items)
        }
        ComparedValue::List(name) => ComparedValue::List(name.clone()),
        ComparedValue::Operand(right) => ComparedValue::Operand(Box::new(operand(right)?)),
        ComparedValue::Broken => return None,
    })
}

/// Returns a member in canonical form: a range of one value becomes that value; a range never
/// becomes a network.
fn canonical_item(from: &Item) -> Item {
    match from {
        Item::Range(first, last) if first == last => Item::One(literal(first)),
        Item::Range(first, last) => Item::Range(literal(first), literal(last)),
        Item::One(one) => Item::One(literal(one)),
    }
}

/// Returns the text of a comparison.
fn comparison_text(comparison: &Comparison) -> Option<String> {
    let right = match (&comparison.right, comparison.operator) {
        (ComparedValue::Literal(Literal::Bytes(bytes)), Operator::Matches) => regex_quoted(bytes)?,
        (ComparedValue::Literal(literal), _) => literal_text(literal)?,
        (ComparedValue::Set(items), _) => {
            let texts: Option<Vec<_>> = items.iter().map(|(item, _)| item_text(item)).collect();
            format!("{{{}}}", texts?.join(" "))
        }
        (ComparedValue::List(name), _) => name.clone(),
        (ComparedValue::Operand(right), _) => operand_text(right)?,
        (ComparedValue::Broken, _) => return None,
    };
    Some(format!("{} {} {right}", operand_text(&comparison.left)?, comparison.operator.keyword()))
}

/// Returns the text of a member.
fn item_text(item: &Item) -> Option<String> {
    match item {
        Item::One(literal) => literal_text(literal),
        Item::Range(first, last) => {
            Some(format!("{}..{}", literal_text(first)?, literal_text(last)?))
        }
    }
}

/// Returns text in double quotes. Invisible characters are written in hexadecimal.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => text.extend(['\\', c]),
                c if c.is_control() => {
                    c.encode_utf8(&mut [0; 4])
                        .bytes()
                        .for_each(|b| text.push_str(&format!("\\x{b:02x}")));
                }
                c => text.push(c),
            }
        }
        chunk.invalid().iter().for_each(|b| text.push_str(&format!("\\x{b:02x}")));
    }
    text.push('"');
    text
}

/// Returns a regular expression in double quotes if that means the same, otherwise as a raw string.
fn regex_quoted(bytes: &[u8]) -> Option<String> {
    let regex = std::str::from_utf8(bytes).ok()?;
    let simple = format!("\"{regex}\"");
    let reads_as_itself = !regex.contains('"') && {
        let mut problems = Problems::default();
        let text = format!("~{simple}");
        let tokens = lexer::tokens(&text, &mut problems);
        !problems.has_errors()
            && tokens.len() == 2
            && matches!(&tokens[1].kind, lexer::TokenKind::Bytes(read) if read == bytes)
    };
    if reads_as_itself {
        return Some(simple);
    }
    let mut hashes = String::new();
    while regex.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    Some(format!("r{hashes}\"{regex}\"{hashes}"))
}

/// Returns the network without its host bits, if any were set.
pub(super) fn has_host_bits(network: &IpNet) -> Option<IpNet> {
    (network.trunc() != *network).then(|| network.trunc())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    /// The canonical form of a text.
    fn canonical(text: &str) -> String {
        let mut problems = Problems::default();
        let tokens = lexer::tokens(text, &mut problems);
        let node = parse(text, &tokens, &mut problems);
        assert!(!problems.has_errors(), "{text}: {:?}", problems.finish());
        CanonicalForm::of(&node).unwrap().text
    }

    #[test]
    fn spellings_become_one() {
        for (text, expected) in [
            ("(ssl)&&!(b.b)", "not b.b and ssl"),
            ("((a == 1 or c == 3)) and b >= 2", "(a eq 1 or c eq 3) and b ge 2"),
            ("a eq 1 or (b eq 2 and c eq 3)", "a eq 1 or b eq 2 and c eq 3"),
            ("not not ssl", "ssl"),
            ("!(not (ssl))", "ssl"),
            ("not (a xor b)", "not (a xor b)"),
            ("b and (c and a) and b", "a and b and c"),
            ("a or (b and c) or (c and b)", "a or b and c"),
            ("a and ((b and c) or (c and b))", "a and b and c"),
            ("a xor a", "a xor a"),
            ("x in {\"b\" r\"a\" \"b\"}", "x in {\"a\" \"b\"}"),
            ("x in {5..5 3 9..10}", "x in {3 5 9..10}"),
            (
                "x in {10.1.2.3/8 2001:DB8:0::1 10.0.0.1/32}",
                "x in {10.0.0.1 2001:db8::1 10.0.0.0/8}",
            ),
            ("x ~ r#\"\\.a\"#", "x matches \"\\.a\""),
            ("x ~ r#\"a\"b\"#", "x matches r#\"a\"b\"#"),
            ("x ~ r\"[a\"", "x matches r\"[a\""),
            ("x eq r\"a\\b\"", "x eq \"a\\\\b\""),
            ("x strict  wildcard \"*\"", "x strict wildcard \"*\""),
            ("any(h[ \"x\" ][*]==\"a\")", "any(h[\"x\"][*] eq \"a\")"),
        ] {
            assert_eq!(canonical(text), expected, "{text}");
            assert_eq!(canonical(expected), expected, "{text}");
        }
    }
}
