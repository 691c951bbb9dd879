//! Shortens texts and lists that are too long to show.

/// Returns the beginning of a text: at most `most` characters, then `…`.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Returns the first members of a list and the number of further ones: `a, b and 3 more`.
#[must_use]
pub fn first_of<T: ToString>(members: impl IntoIterator<Item = T>, most: usize) -> String {
    let mut members: Vec<String> = members.into_iter().map(|member| member.to_string()).collect();
    let left_out = members.len().saturating_sub(most);
    members.truncate(most);
    let joined = members.join(", ");
    if left_out == 0 { joined } else { format!("{joined} and {left_out} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut() {
        assert_eq!(
            (cut("é b", 3), cut("é b", 2), cut("", 0)),
            ("é b".to_owned(), "é…".to_owned(), String::new())
        );
        assert_eq!(
            (first_of(["a", "b"], 2), first_of([1, 2, 3], 1)),
            ("a, b".to_owned(), "1 and 2 more".to_owned())
        );
    }
}
