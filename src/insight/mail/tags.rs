//! Lists of tags: `name=value; name=value` (RFC 6376 section 3.2), the form of DKIM keys and DMARC
//! records.

/// The tags of a list, in order, without the blanks around names and values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tags<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Tags<'a> {
    /// Parses a list. A final `;` is allowed.
    ///
    /// # Errors
    /// Fails for text that is not a tag, and for a tag that occurs twice: such a list is void as a
    /// whole.
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        let mut tags: Vec<(&str, &str)> = Vec::new();
        let mut entries: Vec<&str> = text.split(';').map(str::trim).collect();
        if entries.last().is_some_and(|last| last.is_empty()) {
            entries.pop();
        }
        for entry in entries {
            let (name, value) = entry
                .split_once('=')
                .ok_or_else(|| format!("`{}` is not a tag", text_start(entry)))?;
            let (name, value) = (name.trim(), value.trim());
            let legal = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(legal) {
                return Err(format!("`{}` is not the name of a tag", text_start(name)));
            }
            if tags.iter().any(|(other, _)| *other == name) {
                return Err(format!("the tag `{name}` occurs twice"));
            }
            tags.push((name, value));
        }
        Ok(Self(tags))
    }

    /// Returns the value of a tag.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    /// Returns the name and value of the first tag.
    pub(super) fn first(&self) -> Option<(&'a str, &'a str)> {
        self.0.first().copied()
    }
}

/// Returns the beginning of a text, for messages.
pub(super) fn text_start(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}
