//! Parses JSON from outside with a limit on the number of values, because bytes say little about
//! the memory that a tree of values takes.
//!
//! `[[],[],…` has three bytes per value, and a value takes a hundred bytes of memory. So values are
//! counted before any of them is created.

use serde::de::DeserializeOwned;

/// Maximum number of values in a response, or in a stored part of one. The response to a batch of
/// 3,500 records has 240,000 by this count, which includes names of members and items.
pub const MOST_VALUES: usize = 300_000;

/// The reason why a text was not read.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// The text has more values than this limit.
    #[error("it has more than {0} values")]
    TooMany(usize),
    /// The text is not JSON, or has the wrong type.
    #[error(transparent)]
    Syntax(#[from] serde_json::Error),
}

/// Parses a text with a maximum number of values, including names of members.
///
/// # Errors
/// Fails if it has more values, or is not JSON.
pub fn parse_limited<T: DeserializeOwned>(text: &[u8], most: usize) -> Result<T, JsonError> {
    if count_values(text, most) > most {
        return Err(JsonError::TooMany(most));
    }
    Ok(serde_json::from_slice(text)?)
}

/// Returns an upper bound of the number of values and names in a text. Counting stops beyond
/// `most`.
///
/// For a text that is not JSON the number has no meaning, but parsing such a text creates no values
/// after the mistake.
fn count_values(text: &[u8], most: usize) -> usize {
    let (mut count, mut in_text, mut is_escaped) = (1, false, false);
    for byte in text {
        if in_text {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => in_text = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_text = true,
            // Each value except the first follows one of these.
            b',' | b':' | b'[' | b'{' => {
                count += 1;
                if count > most {
                    return count;
                }
            }
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        let count = |text: &str| count_values(text.as_bytes(), usize::MAX);
        assert_eq!(count("7"), 1);
        assert_eq!(count(r#""a,b:[{\",""#), 1);
        assert_eq!(count(r#"{"a":[1,2,{"b":null}],"c\\":"d"}"#), 10);
    }

    #[test]
    fn more_than_agreed_is_not_made() {
        assert!(parse_limited::<Json>(b"[1,2,3]", 4).is_ok());
        assert!(matches!(parse_limited::<Json>(b"[1,2,3,4]", 4), Err(JsonError::TooMany(4))));
        assert!(matches!(parse_limited::<Json>(b"[1,2", 4), Err(JsonError::Syntax(_))));
        let bomb = "[".repeat(10_000_000);
        assert!(matches!(
            parse_limited::<Json>(bomb.as_bytes(), 1_000),
            Err(JsonError::TooMany(1_000))
        ));
    }
}
