//! Selects rules of a managed ruleset.

use super::overview::RuleRow;

/// The filter. A member that is `None` matches every rule.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleFilter {
    /// Rules with this tag.
    pub tag: Option<String>,
    /// Rules of the family with this key.
    pub family: Option<String>,
    /// Rules of this paranoia level.
    pub level: Option<u8>,
    /// Rules that are on, or off.
    pub is_on: Option<bool>,
}

impl RuleFilter {
    /// Returns true if a rule matches.
    #[must_use]
    pub fn keeps(&self, row: &RuleRow) -> bool {
        let Self { tag, family, level, is_on } = self;
        tag.as_ref().is_none_or(|tag| row.rule.tags.contains(tag))
            && family
                .as_ref()
                .is_none_or(|key| row.rule.attack_family().is_some_and(|f| f.key == key))
            && level.is_none_or(|level| row.rule.level().is_some_and(|l| l.level() == level))
            && is_on.is_none_or(|is_on| row.is_on == is_on)
    }
}
