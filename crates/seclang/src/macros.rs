//! Texts with macros, such as `%{tx.critical_anomaly_score}`.

use super::variables::RuleTarget;

/// A text with parts that are replaced by values of the request.
#[derive(Debug)]
pub(super) struct TextWithMacros {
    pub parts: Vec<TextOrMacro>,
}

#[derive(Debug)]
pub(super) enum TextOrMacro {
    Text(Vec<u8>),
    Value(RuleTarget),
}

impl TextWithMacros {
    /// Parses a text; `%{NAME}` and `%{NAME.key}` are macros.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut unread = text;
        while let Some((before, after)) = unread.split_once("%{") {
            let Some((name, after)) = after.split_once('}') else { break };
            if !before.is_empty() {
                parts.push(TextOrMacro::Text(before.as_bytes().to_vec()));
            }
            let name = match name.split_once('.') {
                Some((collection, key)) => format!("{collection}:{key}"),
                None => name.to_owned(),
            };
            parts.push(TextOrMacro::Value(
                RuleTarget::parse(&name)
                    .map_err(|error| format!("the macro `%{{{name}}}`: {error}"))?,
            ));
            unread = after;
        }
        if !unread.is_empty() {
            parts.push(TextOrMacro::Text(unread.as_bytes().to_vec()));
        }
        Ok(Self { parts })
    }

    /// Returns the text if it has no macro.
    pub(super) fn plain(&self) -> Option<&[u8]> {
        match self.parts.as_slice() {
            [] => Some(b""),
            [TextOrMacro::Text(text)] => Some(text),
            _ => None,
        }
    }
}
