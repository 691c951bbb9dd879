//! A ruleset in the forms of the store and of the API.

use serde_json::{Map, Value};

use zonewright_model::facts::phases::{PHASES, PhaseFacts};

/// A rule: its members in the order of API responses.
pub(super) type StoredRule = Map<String, Value>;

/// One version of one ruleset.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ruleset {
    /// 32 hexadecimal digits, the same for all versions.
    pub(super) id: String,
    pub(super) name: String,
    /// Its description, empty if it has none.
    pub(super) description: String,
    /// `managed`, `custom`, `root` or `zone`.
    pub(super) kind: String,
    /// Counted from 1.
    pub(super) version: u64,
    /// Time of the last change.
    pub(super) last_updated: String,
    /// Name of the phase.
    pub(super) phase: String,
    /// The rules in their order.
    pub(super) rules: Vec<StoredRule>,
}

/// The parts of a ruleset that a response contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// All parts.
    Whole,
    /// All parts except the rules, as in lists.
    Summary,
    /// Without the rules and without `source`, as in lists of versions.
    Version,
}

/// Returns the facts of a phase.
pub(super) fn phase(name: &str) -> Option<&'static PhaseFacts> {
    PHASES.iter().find(|p| p.name == name)
}

pub(super) fn text_member<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

/// Returns the identifier of a rule; every stored rule has one.
pub(super) fn id_of(rule: &StoredRule) -> &str {
    text_member(rule, "id").unwrap_or_default()
}

/// Returns the ruleset that a rule executes, if any.
pub(super) fn executed(rule: &StoredRule) -> Option<&str> {
    let parameters =
        rule.get("action_parameters").filter(|_| text_member(rule, "action") == Some("execute"))?;
    parameters.get("id").and_then(Value::as_str)
}

impl Ruleset {
    /// Returns the form of the API.
    ///
    /// # Sources
    /// Members and their order, `source` on some phases only, `version` as a string, no `rules` if
    /// there are none and in lists: developers.cloudflare.com/ruleset-engine/rulesets-api/view,
    /// read 2026-11-20, and observed 2025. No `source` in lists of versions: the same
    /// documentation.
    pub(super) fn to_json(&self, detail: Detail) -> Value {
        let mut out = Map::new();
        let mut put = |key: &str, value: Value| out.insert(key.to_owned(), value);
        put("id", self.id.clone().into());
        put("name", self.name.clone().into());
        put("description", self.description.clone().into());
        if let Some(source) =
            phase(&self.phase).and_then(|p| p.source).filter(|_| detail != Detail::Version)
        {
            put("source", source.into());
        }
        put("kind", self.kind.clone().into());
        put("version", self.version.to_string().into());
        put("last_updated", self.last_updated.clone().into());
        put("phase", self.phase.clone().into());
        if detail == Detail::Whole && !self.rules.is_empty() {
            put("rules", self.rules.iter().cloned().map(Value::Object).collect());
        }
        Value::Object(out)
    }

    /// Reads the form of [`Self::to_json`], which the store uses.
    pub(super) fn from_json(document: &Value) -> Option<Self> {
        let object = document.as_object()?;
        let text_of = |key: &str| text_member(object, key).map(str::to_owned);
        let rules = match object.get("rules") {
            None => Vec::new(),
            Some(rules) => rules
                .as_array()?
                .iter()
                .map(|rule| rule.as_object().cloned())
                .collect::<Option<Vec<_>>>()?,
        };
        Some(Self {
            id: text_of("id")?,
            name: text_of("name")?,
            description: text_of("description")?,
            kind: text_of("kind")?,
            version: text_member(object, "version")?.parse().ok()?,
            last_updated: text_of("last_updated")?,
            phase: text_of("phase")?,
            rules,
        })
    }

    /// Returns true if Cloudflare runs this ruleset for its phase.
    pub(super) fn is_entry_point(&self) -> bool {
        matches!(self.kind.as_str(), "zone" | "root")
    }

    pub(super) fn position(&self, rule: &str) -> Option<usize> {
        self.rules.iter().position(|r| id_of(r) == rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_stored_is_read_back() {
        let document = json!({"id": "a", "name": "default", "description": "", "source": "firewall_managed",
            "kind": "zone", "version": "3", "last_updated": "now", "phase": "http_request_firewall_managed",
            "rules": [{"id": "r", "action": "execute", "action_parameters": {"id": "m"}}]});
        let ruleset = Ruleset::from_json(&document).unwrap();
        assert_eq!(ruleset.to_json(Detail::Whole).to_string(), document.to_string());
        assert_eq!(executed(&ruleset.rules[0]), Some("m"));
        let empty = Ruleset { rules: Vec::new(), ..ruleset };
        assert_eq!(empty.to_json(Detail::Whole), empty.to_json(Detail::Summary));
        assert!(empty.to_json(Detail::Version).get("source").is_none());
    }
}
