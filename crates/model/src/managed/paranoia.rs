//! Paranoia levels of rules and of overrides, and the reasons why overrides have no level.

use super::catalogue::Catalogue;
use super::catalogue_rule::CatalogueRule;
use super::overrides::{Overrides, TagOverride};
use crate::facts::owasp::PARANOIA_TAGS;

/// A paranoia level, 1 to 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Paranoia(u8);

impl Paranoia {
    /// Returns a level; `None` outside 1 to 4.
    #[must_use]
    pub fn new(level: u8) -> Option<Self> {
        (1..=4).contains(&level).then_some(Self(level))
    }

    /// Returns the level as a number.
    #[must_use]
    pub fn level(self) -> u8 {
        self.0
    }
}

impl CatalogueRule {
    /// Returns its paranoia level, if it has a tag for one.
    #[must_use]
    pub fn level(&self) -> Option<Paranoia> {
        let level =
            self.tags.iter().find_map(|t| t.strip_prefix("paranoia-level-")?.parse().ok())?;
        Paranoia::new(level)
    }
}

/// Turns the tags of all higher levels off and the others on. A tag that is on by default or by an
/// existing override stays as it is.
pub(super) fn set_paranoia(
    wanted: Paranoia,
    catalogue: Option<&Catalogue>,
    overrides: &mut Overrides,
) {
    // If the ruleset's own switch is off, no level would be on.
    if overrides.enabled == Some(false) {
        overrides.enabled = None;
    }
    for (level, tag) in (1u8..).zip(PARANOIA_TAGS) {
        let off_by_default = catalogue.is_some_and(|c| {
            let mut of_level =
                c.rules.iter().filter(|r| r.tags.iter().any(|t| t == tag)).peekable();
            of_level.peek().is_some() && of_level.all(|r| !r.enabled)
        });
        let is_said =
            overrides.tags.iter().rfind(|t| t.tag == tag).is_some_and(|t| t.enabled == Some(true));
        let enabled = match level > wanted.level() {
            true => Some(false),
            false => (off_by_default || is_said).then_some(true),
        };
        if enabled.is_some() || overrides.tags.iter().any(|t| t.tag == tag) {
            overrides.tag_mut(tag).enabled = enabled;
        }
    }
    overrides.tags.retain(|t| !t.is_empty());
}

/// Describes why overrides do not correspond to a paranoia level.
pub(super) fn strange_levels(overrides: &Overrides, levels: &[&TagOverride]) -> String {
    match overrides.enabled {
        Some(false) => return "all rules are off by an override of the whole ruleset".to_owned(),
        Some(true) => return "all rules are on by an override of the whole ruleset".to_owned(),
        None => {}
    }
    let off = levels.iter().filter(|t| t.enabled == Some(false));
    let off: Vec<_> = off.filter_map(|t| t.tag.strip_prefix("paranoia-level-")).collect();
    match off.as_slice() {
        [] => {
            let on = levels.iter().filter(|t| t.enabled == Some(true));
            match on.filter_map(|t| t.tag.strip_prefix("paranoia-level-")).max() {
                Some("4") | None => {
                    "levels are switched on, or given an action, by overrides of their own"
                        .to_owned()
                }
                Some(level) => {
                    format!(
                        "level {level} is switched on, but no level above it is switched off, so \
                        level 4 applies"
                    )
                }
            }
        }
        [one] => format!("only level {one} is off, which is not a paranoia level"),
        several => {
            format!("the levels {} are off, which is not a paranoia level", several.join(", "))
        }
    }
}
