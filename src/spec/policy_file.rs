//! The policy file: permissions and limits that are committed next to a spec. It is read like a
//! spec: every mistake is reported with its place and a suggestion.

use std::collections::HashSet;
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::Deserialize;

use super::attributes::Reader;
use super::deserialize::{Entries, Spanned, Text, read};
use super::load::parse;
use super::record_syntax::{allow, lint};
use super::schema_check::{CompiledSchema, check_with_schema};
use super::yaml_tree::Kind;
use super::{clip, schema, secrets};
use crate::diagnostic::{Diagnostics, Place, Severity, SourceId, Sources, count, findings};
use crate::model::{
    Danger, NARROW_DAYS, NARROW_RULES, Policy, Suppression, SuppressionScope, sort_by,
};

/// The usual name of a policy file.
pub const POLICY_FILE: &str = ".zonewright-policy.yaml";

/// A policy file as written.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileSyntax {
    /// Version of the format.
    #[expect(dead_code, reason = "checked when the file is parsed; here for the schema")]
    #[schemars(extend("default" = 1))]
    version: Option<u8>,
    /// Maximum percentage of a zone's records that may change.
    #[schemars(range(min = 0, max = 100))]
    #[schemars(extend("default" = Policy::default().most_changes))]
    most_changes: Option<u8>,
    /// Number of records from which the limit applies.
    #[schemars(range(min = 0, max = 4_294_967_295_u32))]
    #[schemars(extend("default" = Policy::default().from_records))]
    from_records: Option<u32>,
    /// Maximum number of rules that a narrow weakening concerns.
    #[schemars(range(min = 0, max = NARROW_RULES))]
    #[schemars(extend("default" = Policy::default().narrow_rules))]
    narrow_rules: Option<u8>,
    /// Maximum number of days that a narrow weakening lasts.
    #[schemars(range(min = 0, max = NARROW_DAYS))]
    #[schemars(extend("default" = Policy::default().narrow_days))]
    narrow_days: Option<u8>,
    /// Dangers that are allowed everywhere, with reasons.
    #[serde(default)]
    #[schemars(schema_with = "allow")]
    allow: Option<Entries<Spanned<Text>>>,
    /// Lints that are accepted everywhere, with reasons.
    #[serde(default)]
    #[schemars(schema_with = "lint")]
    lint: Option<Entries<Spanned<Text>>>,
    /// Dangers that are allowed for the zones that match a name or glob.
    zones: Option<Entries<ZoneSyntax>>,
}

/// Returns the schema of a policy file.
#[must_use]
pub fn policy_schema() -> serde_json::Value {
    schema::of::<FileSyntax>()
}

/// The part of a policy about zones.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ZoneSyntax {
    /// Dangers that are allowed, with reasons.
    #[serde(default)]
    #[schemars(schema_with = "allow")]
    allow: Option<Entries<Spanned<Text>>>,
}

/// A danger that a policy allows: zones, danger, reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    /// The zones that it applies to.
    pub zones: glob::Pattern,
    /// Danger that operations may have without a flag.
    pub danger: Danger,
    /// Why the policy allows the danger.
    pub reason: String,
}

/// A policy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyFile {
    /// Maximum percentage of a zone's records that may change without consent.
    pub most_changes: Option<u8>,
    /// Number of records from which the limit applies.
    pub from_records: Option<usize>,
    /// Maximum number of rules that a narrow weakening of a zone concerns; 0 disables narrow
    /// weakenings.
    pub narrow_rules: Option<u8>,
    /// Maximum number of days that a narrow weakening lasts.
    pub narrow_days: Option<u8>,
    /// The allowed dangers.
    pub allowed: Vec<Allowed>,
    /// Accepted lints.
    pub suppressions: Vec<Suppression>,
}

/// A policy that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("it has {}", count(self.diagnostics.count(Severity::Error), "error"))]
pub struct PolicyError {
    /// Every mistake, in the order of the file.
    pub diagnostics: Diagnostics,
    /// The text, for showing the mistakes in it. Values that may be secrets are masked.
    pub sources: Sources,
}

/// Reads a policy; `name` is the file as the user knows it.
///
/// # Errors
/// Fails with every mistake in it.
pub fn read_policy(name: &str, text: &str) -> Result<PolicyFile, Box<PolicyError>> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
    let source = sources.add(name, text);
    let mut secret_places = Vec::new();
    match read_policy_text(text, source, &mut diagnostics, &mut secret_places) {
        Some(policy) if !diagnostics.has_errors() => Ok(policy),
        _ => {
            secrets::mask(secret_places, &mut sources);
            diagnostics.sort(&sources);
            Err(Box::new(PolicyError { diagnostics, sources }))
        }
    }
}

/// Reads the policy in a text. Adds values that may be secrets to `found`.
fn read_policy_text(
    text: &str,
    source: SourceId,
    diagnostics: &mut Diagnostics,
    found: &mut Vec<Place>,
) -> Option<PolicyFile> {
    static SHAPE: OnceLock<CompiledSchema> = OnceLock::new();
    let compiled = SHAPE.get_or_init(|| CompiledSchema::new(&policy_schema()));
    let mut tree = parse(text, source, diagnostics)?;
    found.extend(
        check_with_schema(compiled, "the policy", &mut tree, &HashSet::new(), diagnostics).secrets,
    );
    if !matches!(tree.node(tree.root).kind, Kind::Mapping(_)) {
        return None;
    }
    let file: FileSyntax =
        read(&tree, tree.root).map_err(|error| diagnostics.push(error.diagnostic(&tree))).ok()?;
    let FileSyntax {
        version: _,
        most_changes,
        from_records,
        narrow_rules,
        narrow_days,
        allow,
        lint,
        zones,
    } = file;
    let mut reader = Reader { source, diagnostics };
    let mut zones = zones.map_or_else(Vec::new, |zones| zones.0);
    sort_by(&mut zones, |(a, _), (b, _)| a.value.0.cmp(&b.value.0));
    let mut allowed = Vec::new();
    for (zones, ZoneSyntax { allow }) in zones {
        // Names are compared in lower case.
        match glob::Pattern::new(&zones.value.0.to_lowercase()) {
            Ok(pattern) => add_allowed(&mut allowed, &pattern, allow.as_ref(), &mut reader),
            Err(error) => {
                let detail = format!(
                    "`{}` is neither a name nor a glob: {}",
                    clip(&zones.value.0),
                    error.msg
                );
                let place = reader.place(&zones);
                reader.diagnostics.push(
                    findings::ZONE_NAME
                        .at(place, detail)
                        .help("write a domain, or a glob: `*` for any text, `?` for one character"),
                );
            }
        }
    }
    if let Ok(everywhere) = glob::Pattern::new("*") {
        add_allowed(&mut allowed, &everywhere, allow.as_ref(), &mut reader);
    }
    let mut suppressions = Vec::new();
    for (code, reason) in lint.map_or_else(Vec::new, |lint| lint.0) {
        if let Some(reason) = reader.words(&code.value.0, &reason) {
            let (code, reason) = (code.value.0, reason.value);
            suppressions.push(Suppression {
                code,
                reason,
                place: None,
                scope: SuppressionScope::Everything,
            });
        }
    }
    let from_records = from_records.and_then(|n| usize::try_from(n).ok());
    Some(PolicyFile {
        most_changes,
        from_records,
        narrow_rules,
        narrow_days,
        allowed,
        suppressions,
    })
}

/// Adds the dangers that are allowed for some zones.
fn add_allowed(
    allowed: &mut Vec<Allowed>,
    zones: &glob::Pattern,
    dangers: Option<&Entries<Spanned<Text>>>,
    reader: &mut Reader<'_>,
) {
    let dangers = reader.allow(dangers).into_iter();
    allowed.extend(dangers.map(|(danger, reason)| Allowed {
        zones: zones.clone(),
        danger,
        reason,
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mistakes of a policy: code, line and column of each.
    fn shown_findings(text: &str) -> Vec<String> {
        let Err(error) = read_policy("policy.yaml", text) else { return Vec::new() };
        let place = |label: &crate::diagnostic::Label| error.sources.line_column(label.place);
        let shown = error.diagnostics.iter().map(|d| {
            let at = d.primary.as_ref().map(place).map(|at| format!("{}:{}", at.line, at.column));
            format!(
                "{} {} {}",
                at.unwrap_or_default(),
                d.detail,
                d.help.as_deref().unwrap_or_default()
            )
        });
        shown.collect()
    }

    #[test]
    fn a_policy_is_read_whole_or_refused() {
        let text = "version: 1\nmost_changes: 25\nallow: { exposes-origin: TICKET-1 }\nlint: { LINT0012: mail hosts }\nzones:\n  \"*.example\":\n    allow: { changes-mail: moving mail }\n";
        let policy = read_policy("policy.yaml", text).unwrap();
        assert_eq!((policy.most_changes, policy.allowed.len()), (Some(25), 2));
        assert_eq!(
            (policy.suppressions[0].code.as_str(), policy.suppressions.len()),
            ("LINT0012", 1)
        );
        assert!(policy.allowed[0].zones.matches("a.example"));
        let windows = text.replace('\n', "\r\n");
        assert_eq!(read_policy("policy.yaml", &format!("\u{feff}{windows}")).unwrap(), policy);
    }

    #[test]
    fn every_mistake_has_its_place() {
        for (bad, first) in [
            ("version: 2", "1:10 this program reads version 1"),
            ("most_changes: 5", "1:1 the file does not say which version"),
            ("version: 1\nallow: { delete: x }", "2:10 there is no"),
            ("version: 1\nallow: { exposes-origin: ' ' }", "2:26 "),
            (
                "version: 1\nallow: { exposes-orgin: x }",
                "2:10 there is no key `exposes-orgin` here did you mean `exposes-origin`?",
            ),
            ("version: 1\nlint: { LINT0012: ' ' }", "2:19 "),
            ("version: 1\nalow: {}", "2:1 there is no key `alow` here did you mean `allow`?"),
            (
                "version: 1\nmost_changes: 101",
                "2:15 `most_changes` is 101 write a number from 0 to 100",
            ),
            ("version: 1\nmost_changes: -1", "2:15 "),
            ("version: 1\nnarrow_rules: 6", "2:15 "),
            ("version: 1\nnarrow_days: 91", "2:14 "),
            ("version: 1\nfrom_records: 4294967296", "2:15 "),
            ("version: 1\nfrom_records: many", "2:15 "),
            ("version: 1\nzones: { \"[\": {} }", "2:10 `[` is neither a name nor a glob"),
            ("version: 1\nzones: []", "2:8 "),
            ("version: 1\nzones: { a.example: { alow: {} } }", "2:23 "),
            ("version: 1\nallow: {}\nallow: {}", "3:1 "),
            ("- version: 1", "1:3 the policy should be a mapping"),
            ("", "1:1 the file is empty"),
            ("[", ""),
            ("version: 1\n\tallow: {}", ""),
            ("version: 1\nallow: \0", "2:8 "),
            ("version: 1\nallow: !x {}", "2:"),
        ] {
            let found = shown_findings(bad);
            assert!(
                found.first().is_some_and(|found| found.starts_with(first)),
                "{bad:?}: {found:?}"
            );
        }
        // All of them at once.
        let found = shown_findings(
            "version: 1\nmost_changes: 200\nalow: {}\nzones: { \"[\": { allow: { exposes-origin: '' } } }",
        );
        assert_eq!(found.len(), 3, "{found:?}");
    }

    #[test]
    fn hostile_policies_are_refused() {
        let deep = format!("version: 1\nzones: {}1", "{ a: ".repeat(5_000));
        let wide =
            format!("version: 1\n{}", (0..5_000).map(|n| format!("k{n}: 1\n")).collect::<String>());
        let bomb = format!("version: 1\nzones: &a [{}]", "*a, ".repeat(100));
        for bad in [deep, wide, bomb, "version: 1\nallow: \u{85}\u{2028}".to_owned()] {
            assert!(read_policy("policy.yaml", &bad).is_err(), "{}", &bad[..40]);
        }
        let error = read_policy("policy.yaml", "version: 1\nCLOUDFLARE_API_TOKEN: hush-hush\n")
            .unwrap_err();
        let shown = error.sources.iter().map(|(_, source)| source.text()).collect::<String>();
        assert!(!shown.contains("hush"), "{shown}");
        assert!(!format!("{:?}", error.diagnostics).contains("hush"));
    }
}
