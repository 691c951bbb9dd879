//! Splits an expression into tokens: words, texts and symbols.

/// A token of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExpressionToken {
    /// A name, number, address, range or `$list`.
    Word(String),
    /// The content of a quoted text.
    Text(String),
    /// A bracket, comma or operator.
    Symbol(&'static str),
    /// A text without a closing quote.
    Unclosed,
    /// Any other character.
    Strange,
}

/// A token with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) token: ExpressionToken,
    /// Characters before it.
    pub(super) column: usize,
    /// Its length in characters.
    pub(super) width: usize,
}

/// Symbols; those of two characters come first.
const SYMBOLS: &[&str] = &[
    "==", "!=", "<=", ">=", "&&", "||", "^^", "<", ">", "~", "!", "(", ")", "{", "}", "[", "]",
    ",", "*",
];

/// Returns true if a character can be part of a word: a name, number, address, range, mask or list.
fn continues_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '/' | '-' | '$')
}

pub(super) fn split_tokens(text: &str) -> Vec<Spot> {
    let chars: Vec<char> = text.chars().collect();
    let mut spots = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if chars[at].is_whitespace() {
            at += 1;
            continue;
        }
        let (token, width) = first_token(&chars[at..]);
        spots.push(Spot { token, column: at, width });
        at += width;
    }
    spots
}

/// Returns the first token of a text that is not empty, with its length.
fn first_token(rest: &[char]) -> (ExpressionToken, usize) {
    if rest[0] == '"' {
        return read_quoted(rest);
    }
    if rest[0] == 'r'
        && let Some(found) = read_raw(rest)
    {
        return found;
    }
    if continues_name(rest[0]) {
        let width = rest.iter().take_while(|c| continues_name(**c)).count();
        return (ExpressionToken::Word(rest[..width].iter().collect()), width);
    }
    let is_next =
        |symbol: &&&str| symbol.chars().zip(rest).filter(|(a, b)| a == *b).count() == symbol.len();
    match SYMBOLS.iter().find(is_next) {
        Some(symbol) => (ExpressionToken::Symbol(symbol), symbol.len()),
        None => (ExpressionToken::Strange, 1),
    }
}

/// Reads a quoted text, in which a backslash escapes the next character.
fn read_quoted(rest: &[char]) -> (ExpressionToken, usize) {
    let mut text = String::new();
    let mut at = 1;
    while let Some(c) = rest.get(at) {
        match c {
            '"' => return (ExpressionToken::Text(text), at + 1),
            '\\' => {
                // Only quotes and backslashes are unescaped; other escapes belong to regular
                // expressions.
                let escaped = rest.get(at + 1).copied().unwrap_or('\\');
                if !matches!(escaped, '"' | '\\') {
                    text.push('\\');
                }
                text.push(escaped);
                at += 2;
            }
            other => {
                text.push(*other);
                at += 1;
            }
        }
    }
    (ExpressionToken::Unclosed, rest.len())
}

/// Reads a raw text such as `r#"…"#`; `None` if it is not one.
fn read_raw(rest: &[char]) -> Option<(ExpressionToken, usize)> {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    let start = hashes + 2;
    if rest.get(start - 1) != Some(&'"') {
        return None;
    }
    let is_end = |at: usize| {
        rest[at] == '"'
            && rest.len() > at + hashes
            && rest[at + 1..at + 1 + hashes].iter().all(|c| *c == '#')
    };
    Some(match (start..rest.len()).find(|at| is_end(*at)) {
        Some(end) => (ExpressionToken::Text(rest[start..end].iter().collect()), end + hashes + 1),
        None => (ExpressionToken::Unclosed, rest.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces() {
        let text = r##"a.b eq "x\"y" and !(c in {1..5 ::1/64}) or r#"q"x"# $l '"##;
        let tokens: Vec<ExpressionToken> =
            split_tokens(text).into_iter().map(|spot| spot.token).collect();
        let word = |text: &str| ExpressionToken::Word(text.to_owned());
        let text = |text: &str| ExpressionToken::Text(text.to_owned());
        let symbol = ExpressionToken::Symbol;
        assert_eq!(
            tokens,
            [
                word("a.b"),
                word("eq"),
                text("x\"y"),
                word("and"),
                symbol("!"),
                symbol("("),
                word("c"),
                word("in"),
                symbol("{"),
                word("1..5"),
                word("::1/64"),
                symbol("}"),
                symbol(")"),
                word("or"),
                text("q\"x"),
                word("$l"),
                ExpressionToken::Strange,
            ]
        );
        assert_eq!(split_tokens("\"a")[0].token, ExpressionToken::Unclosed);
        assert_eq!(split_tokens("r\"a\\\"")[0].token, ExpressionToken::Text("a\\".to_owned()));
        assert_eq!((split_tokens("  ab")[0].column, split_tokens("  ab")[0].width), (2, 2));
    }
}
