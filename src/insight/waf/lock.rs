//! `waf.lock`: the managed rulesets at the last review, so that Cloudflare's changes in them show
//! as a difference in the next review.
//!
//! The file is text with one line for each rule, ordered by number and id, so that a change of one
//! rule changes one line:
//!
//! ```text
//! waf.lock 1
//! ruleset 4814384a9e5d4991b9815dcfc25d2f1f 36 Cloudflare OWASP Core Ruleset
//! 5e4903d6afa841c9b88b96203297003f 942430 level-2 on score 1f0c2a9b Restricted SQL Character Anomaly Detection
//! ```
//!
//! After the id: number, paranoia level, whether it is on by default, its default action, a digest
//! of its tags, its title. `-` means that there is none. Lines that begin with `#` are comments.

use std::collections::BTreeMap;

use ring::digest::{SHA256, digest};

use super::phrases;
use crate::diagnostic::{first_of, is_hidden, visible};
use crate::model::Gather;
use crate::model::managed::{Catalogue, CatalogueRule, Paranoia, RuleName};

/// Version of the format.
const FORMAT: u32 = 1;
/// The header comment.
const COMMENT: &str = "\
# The managed rulesets of Cloudflare as last looked at, written by `zonewright waf rules --lock`. Do not edit.
# id, number, paranoia level, state unless overridden, action, digest of the tags, title";
/// The keyword of a ruleset.
const RULESET: &str = "ruleset";
/// Hexadecimal digits of the digest of tags.
const DIGEST_DIGITS: usize = 8;
/// Maximum number of rules that a sentence names.
const MOST_NAMES: usize = 8;

/// A rule in the lock.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LockedRule {
    /// Its number, if it has one.
    pub number: Option<u32>,
    /// Identifier that Cloudflare gave to the rule.
    pub id: String,
    /// Its paranoia level, if it has one.
    pub level: Option<Paranoia>,
    /// True if it is on by default.
    pub enabled: bool,
    /// Its default action.
    pub action: String,
    /// A digest of its tags.
    pub tags: String,
    /// A description of what it detects.
    pub title: String,
}

impl LockedRule {
    /// Converts the current rule.
    fn of(rule: &CatalogueRule) -> Self {
        Self {
            number: rule.number,
            id: one_column(&rule.id.0),
            level: rule.level(),
            enabled: rule.enabled,
            action: one_column(&rule.action),
            tags: digest_of_tags(&rule.tags),
            title: line(phrases::title(rule)),
        }
    }

    /// Returns its shortest display name.
    #[must_use]
    pub fn label(&self) -> String {
        match (self.number, self.title.as_str()) {
            (Some(number), _) => number.to_string(),
            (None, "") => phrases::short(&self.id),
            (None, title) => format!("\"{title}\""),
        }
    }

    /// Formats its line.
    fn print(&self) -> String {
        let Self { number, id, level, enabled, action, tags, title } = self;
        let number = number.map_or_else(|| "-".to_owned(), |n| n.to_string());
        let level = level.map_or_else(|| "-".to_owned(), |l| format!("level-{}", l.level()));
        let state = if *enabled { "on" } else { "off" };
        format!("{id} {number} {level} {state} {action} {tags} {title}").trim_end().to_owned()
    }

    /// Parses the line of a rule.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(7, ' ');
        let mut next_part = || parts.next();
        let (id, number, level, state) = (next_part()?, next_part()?, next_part()?, next_part()?);
        let (action, tags, title) = (
            next_part()?.to_owned(),
            next_part()?.to_owned(),
            next_part().unwrap_or_default().to_owned(),
        );
        Some(Self {
            number: if number == "-" { None } else { Some(number.parse().ok()?) },
            id: id.to_owned(),
            level: match level.strip_prefix("level-") {
                Some(level) => Some(Paranoia::new(level.parse().ok()?)?),
                None if level == "-" => None,
                None => return None,
            },
            enabled: match state {
                "on" => true,
                "off" => false,
                _ => return None,
            },
            action,
            tags,
            title,
        })
    }
}

/// A managed ruleset in the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedRuleset {
    /// Identifier of the managed ruleset.
    pub id: String,
    /// Version that Cloudflare served when the lock was written.
    pub version: String,
    /// Display name at Cloudflare.
    pub name: String,
    /// Its rules by number and id.
    pub rules: Vec<LockedRule>,
}

impl LockedRuleset {
    /// Converts the current ruleset.
    #[must_use]
    pub fn of(catalogue: &Catalogue) -> Self {
        let mut rules: Vec<_> = catalogue.rules.iter().map(LockedRule::of).collect();
        // Rules without a number come last.
        rules.sort_by_cached_key(|r| (r.number.is_none(), r.number, r.id.clone()));
        Self {
            id: one_column(&catalogue.id.0),
            version: one_column(&catalogue.version),
            name: line(&catalogue.name),
            rules,
        }
    }
}

impl LockedRuleset {
    /// Returns true if a number or the beginning of an id names one of the rules.
    #[must_use]
    pub fn has_rule(&self, name: &RuleName) -> bool {
        let id = name.as_str().to_lowercase();
        let mut rules = self.rules.iter();
        rules.any(|rule| {
            (rule.number.is_some() && rule.number == name.number()) || rule.id.starts_with(&id)
        })
    }
}

/// The whole file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lock {
    /// The rulesets, sorted by id.
    pub rulesets: Vec<LockedRuleset>,
}

/// The reason why a file is not a valid lock.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct LockError {
    /// The line, from 1.
    pub line: usize,
    /// The error.
    pub what: &'static str,
}

impl Lock {
    /// Locks the current rulesets. A duplicate counts once.
    #[must_use]
    pub fn of<'c>(catalogues: impl Iterator<Item = &'c Catalogue>) -> Self {
        let by_id: BTreeMap<String, LockedRuleset> =
            catalogues.map(LockedRuleset::of).map(|ruleset| (ruleset.id.clone(), ruleset)).gather();
        Self { rulesets: by_id.into_values().collect() }
    }

    /// Returns the ruleset with an id.
    #[must_use]
    pub fn ruleset(&self, id: &str) -> Option<&LockedRuleset> {
        self.rulesets.iter().find(|r| r.id == id)
    }

    /// Parses a file.
    ///
    /// # Errors
    /// Fails at the first invalid line, such as a merge conflict marker.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let mut lock = Self::default();
        let mut has_head = false;
        for (n, text) in (1..).zip(text.lines()) {
            let error = |what| Err(LockError { line: n, what });
            let text = text.trim_end();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if !has_head {
                match text.strip_prefix("waf.lock ").and_then(|v| v.parse::<u32>().ok()) {
                    Some(FORMAT) => has_head = true,
                    Some(_) => {
                        return error(
                            "the file has the format of another version of zonewright; write it \
                            again",
                        );
                    }
                    None => {
                        return error(
                            "this is not a waf.lock file, which begins with `waf.lock 1`",
                        );
                    }
                }
            } else if let Some(rest) = text.strip_prefix("ruleset ") {
                let mut parts = rest.splitn(3, ' ');
                let (Some(id), Some(version)) = (parts.next(), parts.next()) else {
                    return error("a ruleset has an id and a version");
                };
                let name = parts.next().unwrap_or_default().to_owned();
                let (id, version) = (id.to_owned(), version.to_owned());
                lock.rulesets.push(LockedRuleset { id, version, name, rules: Vec::new() });
            } else {
                match (lock.rulesets.last_mut(), LockedRule::parse(text)) {
                    (Some(ruleset), Some(rule)) => ruleset.rules.push(rule),
                    (Some(_), None) => {
                        return error(
                            "this is not a rule; to resolve a merge, write the file again",
                        );
                    }
                    (None, _) => return error("a rule is before any ruleset"),
                }
            }
        }
        if has_head { Ok(lock) } else { Err(LockError { line: 1, what: "the file is empty" }) }
    }

    /// Formats the file.
    #[must_use]
    pub fn print(&self) -> String {
        let mut text = format!("{COMMENT}\nwaf.lock {FORMAT}\n");
        for LockedRuleset { id, version, name, rules } in &self.rulesets {
            text.push_str(&format!("\nruleset {id} {version} {name}"));
            text.truncate(text.trim_end().len());
            text.push('\n');
            for rule in rules {
                text.push_str(&rule.print());
                text.push('\n');
            }
        }
        text
    }
}

/// Cloudflare's changes of a managed ruleset.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LockChanges {
    /// The ruleset's name.
    pub name: String,
    /// The version in the lock; `None` if the lock does not have the ruleset.
    pub from_version: Option<String>,
    /// The version now.
    pub to_version: String,
    /// New rules.
    pub added: Vec<LockedRule>,
    /// Removed rules.
    pub removed: Vec<LockedRule>,
    /// Rules whose paranoia level changed, before and after.
    pub relevelled: Vec<(LockedRule, LockedRule)>,
    /// Rules whose default state or action changed.
    pub default_changed: Vec<(LockedRule, LockedRule)>,
    /// Rules whose number or title changed.
    pub renamed: Vec<(LockedRule, LockedRule)>,
    /// Rules whose tags changed at the same level.
    pub retagged: Vec<(LockedRule, LockedRule)>,
}

/// Returns Cloudflare's changes of a ruleset since it was locked.
#[must_use]
pub fn compare(lock: Option<&LockedRuleset>, catalogue: &Catalogue) -> LockChanges {
    let current = LockedRuleset::of(catalogue);
    let mut changes = LockChanges {
        name: current.name,
        from_version: lock.map(|l| l.version.clone()),
        to_version: current.version,
        ..LockChanges::default()
    };
    let Some(lock) = lock else { return changes };
    let mut locked_rules: BTreeMap<&str, &LockedRule> =
        lock.rules.iter().map(|r| (r.id.as_str(), r)).gather();
    for after in current.rules {
        let Some(before) = locked_rules.remove(after.id.as_str()).cloned() else {
            changes.added.push(after);
            continue;
        };
        let pair = || (before.clone(), after.clone());
        if before.level != after.level {
            changes.relevelled.push(pair());
        } else if before.tags != after.tags {
            changes.retagged.push(pair());
        }
        if (before.enabled, &before.action) != (after.enabled, &after.action) {
            changes.default_changed.push(pair());
        }
        if (before.number, &before.title) != (after.number, &after.title) {
            changes.renamed.push(pair());
        }
    }
    changes.removed =
        lock.rules.iter().filter(|r| locked_rules.contains_key(r.id.as_str())).cloned().collect();
    changes
}

impl LockChanges {
    /// Returns true if at most the version changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self {
            name: _,
            from_version,
            to_version: _,
            added,
            removed,
            relevelled,
            default_changed,
            renamed,
            retagged,
        } = self;
        from_version.is_some()
            && added.is_empty()
            && removed.is_empty()
            && [relevelled, default_changed, renamed, retagged].iter().all(|l| l.is_empty())
    }

    /// Returns true if the version equals the one in the lock.
    #[must_use]
    pub fn is_same_version(&self) -> bool {
        self.from_version.as_ref() == Some(&self.to_version)
    }

    /// Describes the changes in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Some(from) = &self.from_version else {
            return format!("{} is not in waf.lock", self.name);
        };
        let version = match self.is_same_version() {
            true => from.clone(),
            false => format!("{from} → {}", self.to_version),
        };
        let single = |rules: &[LockedRule], what: &str| {
            let names: Vec<_> = rules.iter().map(LockedRule::label).collect();
            let count = crate::diagnostic::count(rules.len(), "rule");
            (!rules.is_empty())
                .then(|| format!("{count} {what} ({})", first_of(&names, MOST_NAMES)))
        };
        let pairs = |pairs: &[(LockedRule, LockedRule)],
                     what: &str,
                     each: &dyn Fn(&LockedRule, &LockedRule) -> String| {
            let names: Vec<_> = pairs.iter().map(|(b, a)| each(b, a)).collect();
            (!pairs.is_empty())
                .then(|| format!("{} {what} ({})", pairs.len(), first_of(&names, MOST_NAMES)))
        };
        let level =
            |l: Option<Paranoia>| l.map_or_else(|| "none".to_owned(), |l| l.level().to_string());
        let does = |r: &LockedRule| if r.enabled { r.action.clone() } else { "off".to_owned() };
        let parts = [
            single(&self.added, "added"),
            single(&self.removed, "removed"),
            pairs(&self.relevelled, "re-levelled", &|b, a| {
                format!("{} {} → {}", a.label(), level(b.level), level(a.level))
            }),
            pairs(&self.default_changed, "with another default", &|b, a| {
                format!("{} {} → {}", a.label(), does(b), does(a))
            }),
            pairs(&self.renamed, "renamed", &|b, a| match b.number == a.number {
                true => format!("{}: now \"{}\"", a.label(), a.title),
                false => format!("{} → {}", b.label(), a.label()),
            }),
            pairs(&self.retagged, "with other tags", &|_, a| a.label()),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        let what = if parts.is_empty() { "no rule changed".to_owned() } else { parts.join(", ") };
        format!("{} {version} since waf.lock: {what}", self.name)
    }
}

/// Returns a text as one word of a line.
fn one_column(text: &str) -> String {
    let word: String =
        text.chars().map(|c| if c.is_whitespace() || is_hidden(c) { '_' } else { c }).collect();
    match word.as_str() {
        "" => "-".to_owned(),
        // At the beginning of a line, this would be a comment or start a ruleset.
        text if text.starts_with('#') || text == RULESET => format!("_{text}"),
        text => visible(text).into_owned(),
    }
}

/// Returns a text as the rest of a line.
fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible(&words.chars().filter(|c| !c.is_control()).collect::<String>()).into_owned()
}

/// Returns a digest of tags that does not depend on their order.
fn digest_of_tags(tags: &[String]) -> String {
    let mut tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    tags.sort_unstable();
    let mut digest =
        data_encoding::HEXLOWER.encode(digest(&SHA256, tags.join("\n").as_bytes()).as_ref());
    digest.truncate(DIGEST_DIGITS);
    digest
}
