//! The policy file: permissions and limits that are committed next to a spec.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::model::{Danger, NARROW_DAYS, NARROW_RULES, Suppression, SuppressionScope};

/// A policy file as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSyntax {
    /// Version of the format.
    version: u32,
    /// How much of a zone may change, in percent of its records.
    most_changes: Option<u8>,
    /// From how many records on the limit applies.
    from_records: Option<usize>,
    /// The most rules that a narrow weakening concerns.
    narrow_rules: Option<u8>,
    /// The most days that a narrow weakening lasts.
    narrow_days: Option<u8>,
    /// Dangers that are allowed everywhere, with reasons.
    #[serde(default)]
    allow: BTreeMap<String, String>,
    /// Lints that are accepted everywhere, with reasons.
    #[serde(default)]
    lint: BTreeMap<String, String>,
    /// Dangers that are allowed for the zones that match a name or glob.
    #[serde(default)]
    zones: BTreeMap<String, ZoneSyntax>,
}

/// What a policy says about zones.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ZoneSyntax {
    /// Dangers that are allowed, with reasons.
    #[serde(default)]
    allow: BTreeMap<String, String>,
}

/// A danger that a policy allows: zones, danger, reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    /// Which zones.
    pub zones: glob::Pattern,
    /// Which danger.
    pub danger: Danger,
    /// Why.
    pub reason: String,
}

/// A policy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyFile {
    /// How much of a zone may change without consent, in percent of its records.
    pub most_changes: Option<u8>,
    /// From how many records on the limit applies.
    pub from_records: Option<usize>,
    /// The most rules that a narrow weakening of a zone concerns; 0 refuses the grade.
    pub narrow_rules: Option<u8>,
    /// The most days that a narrow weakening lasts.
    pub narrow_days: Option<u8>,
    /// What is allowed.
    pub allowed: Vec<Allowed>,
    /// Lints that are accepted.
    pub suppressions: Vec<Suppression>,
}

/// Why a policy cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// It is not YAML, or has unknown keys.
    #[error("{0}")]
    Form(String),
    /// The version is not supported.
    #[error("`version` must be 1, not {0}")]
    Version(u32),
    /// A number is out of range.
    #[error("`most_changes` is a percentage, 0 to 100, not {0}")]
    Share(u8),
    /// A narrow weakening would be wider than the grade is.
    #[error("`{0}` is at most {1}, not {2}; the policy can demand less, but not allow more")]
    Narrow(&'static str, u8, u8),
    /// A danger does not exist, or cannot be allowed in a file.
    #[error("{0}")]
    Danger(String),
    /// A reason is empty.
    #[error("{0} is allowed without a reason; write why")]
    Reason(String),
    /// A zone name is not a valid glob.
    #[error("{0:?} is not a name or glob of zones")]
    Zones(String),
}

/// Reads a policy.
///
/// # Errors
/// The first error in it.
pub fn read_policy(text: &str) -> Result<PolicyFile, PolicyError> {
    let file: FileSyntax = serde_yaml::from_str(text).map_err(|error| PolicyError::Form(error.to_string()))?;
    let FileSyntax { version, most_changes, from_records, narrow_rules, narrow_days, allow, lint, zones } = file;
    if version != 1 {
        return Err(PolicyError::Version(version));
    }
    if let Some(share) = most_changes.filter(|share| *share > 100) {
        return Err(PolicyError::Share(share));
    }
    for (key, most, value) in [("narrow_rules", NARROW_RULES, narrow_rules), ("narrow_days", NARROW_DAYS, narrow_days)] {
        if let Some(value) = value.filter(|value| *value > most) {
            return Err(PolicyError::Narrow(key, most, value));
        }
    }
    let everywhere = std::iter::once(("*".to_owned(), ZoneSyntax { allow }));
    let mut allowed = Vec::new();
    for (zones, ZoneSyntax { allow }) in zones.into_iter().chain(everywhere) {
        let pattern = glob::Pattern::new(&zones.to_lowercase()).map_err(|_| PolicyError::Zones(zones.clone()))?;
        for (code, reason) in allow {
            let danger = Danger::by_code(&code).ok_or_else(|| PolicyError::Danger(Danger::unknown(&code)))?;
            if reason.trim().is_empty() {
                return Err(PolicyError::Reason(code));
            }
            allowed.push(Allowed { zones: pattern.clone(), danger, reason });
        }
    }
    let mut suppressions = Vec::new();
    for (code, reason) in lint {
        if reason.trim().is_empty() {
            return Err(PolicyError::Reason(code));
        }
        suppressions.push(Suppression { code, reason, place: None, scope: SuppressionScope::Everything });
    }
    Ok(PolicyFile { most_changes, from_records, narrow_rules, narrow_days, allowed, suppressions })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_read_whole_or_refused() {
        let text = "version: 1\nmost_changes: 25\nallow: { exposes-origin: TICKET-1 }\nlint: { LINT0012: mail hosts }\nzones:\n  \"*.example\":\n    allow: { changes-mail: moving mail }\n";
        let policy = read_policy(text).unwrap();
        assert_eq!((policy.most_changes, policy.allowed.len()), (Some(25), 2));
        assert_eq!((policy.suppressions[0].code.as_str(), policy.suppressions.len()), ("LINT0012", 1));
        assert!(policy.allowed[0].zones.matches("a.example"));
        for bad in [
            "version: 2",
            "version: 1\nallow: { delete: x }",
            "version: 1\nallow: { exposes-origin: ' ' }",
            "version: 1\nlint: { LINT0012: ' ' }",
            "version: 1\nalow: {}",
            "version: 1\nmost_changes: 101",
            "version: 1\nnarrow_rules: 6",
            "version: 1\nnarrow_days: 91",
            "",
            "[",
        ] {
            assert!(read_policy(bad).is_err(), "{bad}");
        }
    }
}
