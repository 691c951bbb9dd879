//! Refuses configurations whose nesting would overflow the stack of a recursive parser.

/// Maximum nesting of brackets and templates.
const DEEPEST: usize = 100;
/// Maximum number of consecutive operators without a bracket or line break, because operators can
/// nest.
const MOST_OPERATORS: usize = 200;

/// State of the scanner.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    /// Code, in which brackets nest.
    Code,
    /// Quoted text, in which only `${` and `%{` nest.
    Quotes,
}

/// Memory of a parsed element of a configuration besides its text, in bytes.
const ELEMENT: usize = 250;

/// Returns the maximum memory of a parsed configuration or template. Each of its elements begins or
/// ends with one of these characters.
pub(super) fn memory(text: &str) -> usize {
    let is_mark = |byte: &&u8| {
        matches!(byte, b'=' | b',' | b'{' | b'[' | b'(' | b'.' | b'?' | b'$' | b'%' | b'\n')
    };
    text.len() + text.as_bytes().iter().filter(is_mark).count() * ELEMENT
}

/// Returns true if a text nests more deeply than any configuration that people write.
pub(super) fn is_too_deep(text: &str) -> bool {
    let mut inside = vec![Inside::Code];
    let mut operators = 0;
    let bytes = text.as_bytes();
    let mut n = 0;
    while n < bytes.len() {
        let next_byte = bytes.get(n + 1).copied();
        match (inside.last().copied().unwrap_or(Inside::Code), bytes[n]) {
            (Inside::Quotes, b'\\') => n += 1,
            (Inside::Quotes, b'"') => {
                inside.pop();
            }
            (Inside::Quotes, b'$' | b'%') if next_byte == Some(b'{') => {
                inside.push(Inside::Code);
                n += 1;
            }
            // Quoted text ends at the end of its line.
            (Inside::Quotes, b'\n') => {
                inside.pop();
            }
            (Inside::Quotes, _) => {}
            (Inside::Code, b'#') => n += skip_line(&bytes[n..]),
            (Inside::Code, b'/') if next_byte == Some(b'/') => n += skip_line(&bytes[n..]),
            (Inside::Code, b'"') => inside.push(Inside::Quotes),
            (Inside::Code, b'(' | b'[' | b'{') => {
                inside.push(Inside::Code);
                operators = 0;
            }
            (Inside::Code, b')' | b']' | b'}') => {
                if inside.len() > 1 {
                    inside.pop();
                }
                operators = 0;
            }
            (Inside::Code, b'!' | b'-' | b'?') => operators += 1,
            (Inside::Code, b'\n') if inside.len() == 1 => operators = 0,
            (Inside::Code, b'=' | b',') => operators = 0,
            (Inside::Code, _) => {}
        }
        if inside.len() > DEEPEST || operators > MOST_OPERATORS {
            return true;
        }
        n += 1;
    }
    false
}

/// Returns the number of bytes up to the end of the line.
fn skip_line(bytes: &[u8]) -> usize {
    bytes.iter().position(|b| *b == b'\n').unwrap_or(bytes.len()).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_not_too_deep() {
        for text in [
            "a = [[[{ b = \"${x[\"y\"]}\" }]]]",
            &format!("# {}\nb = 1", "-!".repeat(500)),
            &format!("a = \"{}\"", "-".repeat(1000)),
            &"a = -1 \n".repeat(1000),
            &"a = b ? 1 : 2\n".repeat(1000),
        ] {
            assert!(!is_too_deep(text), "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        for text in [
            "(".repeat(101),
            "!".repeat(1000),
            "\"${".repeat(101),
            "a ? b : ".repeat(300),
            "- ".repeat(1000),
        ] {
            assert!(is_too_deep(&format!("a = {text}")), "{text}");
        }
    }
}
