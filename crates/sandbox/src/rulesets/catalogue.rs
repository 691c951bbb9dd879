//! Managed rulesets: the replacements that a test or a user added, otherwise the sandbox's own.
//!
//! Identifiers of rulesets are Cloudflare's. Identifiers of rules are Cloudflare's only if its
//! documentation or other public text shows them; the others are invented, and so are all
//! descriptions. This is not Cloudflare's list of rules, which only its API provides.
//!
//! # Sources
//! developers.cloudflare.com/waf/managed-rules and the pages of the individual rulesets, read
//! 2026-11-20.

use data_encoding::HEXLOWER;
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value, json};

use super::ruleset::{Ruleset, StoredRule};
use super::store;
use crate::envelope::HandlerResult;
use crate::profile::Profile;
use crate::request_context::RequestContext;
use zonewright_model::facts::crs::{ATTACK_FAMILIES, CRS_RULES};
use zonewright_model::facts::owasp::{
    ANOMALY_NUMBER, ANOMALY_RULE, ANOMALY_THRESHOLD, PARANOIA_TAGS,
};
use zonewright_model::facts::rulesets::{MANAGED_RULESETS, ManagedFacts};

/// Time of the last change of built-in rulesets and rules.
const MOMENT: &str = "2026-02-03T10:15:30.123456Z";

/// Version of the OWASP ruleset and of its rules: the documentation's examples show 35 and 36.
const OWASP_VERSION: u64 = 35;

/// Version of the Cloudflare Managed Ruleset: that of the documentation's example.
const CLOUDFLARE_VERSION: u64 = 180;

/// Version of the other rulesets.
const OTHER_VERSION: u64 = 20;

/// Cloudflare's identifiers for rules of the Core Rule Set, as its documentation shows them with
/// their numbers or endings:
/// developers.cloudflare.com/waf/managed-rules/reference/owasp-core-ruleset/example, read
/// 2026-11-20.
const KNOWN_RULES: &[(u32, &str)] = &[
    (911_100, "8ac8bc2a661e475d940980f9317f28e1"),
    (942_430, "5e4903d6afa841c9b88b96203297003f"),
    (942_440, "d12ad6d1bc0c42b3affe0cee682bb405"),
];

/// `ref` of the rule that compares the score, from the documentation's example.
const ANOMALY_REF: &str = "ad0beb2fce9f149e565ee78d6e659d47";

/// The rule of the Cloudflare Managed Ruleset whose complete response is documented, with its
/// `ref`.
const DOCUMENTED_RULE: (&str, &str) =
    ("d9e350f1b72d4730899c8a420e48a85d", "adb550873eb92d32372ed08514d33241");

/// A rule of a ruleset other than OWASP's.
struct Synthetic {
    /// Identifier, or a number from which one is derived.
    id: &'static str,
    description: &'static str,
    /// Tags, sorted as in the documentation's examples.
    tags: &'static [&'static str],
    action: &'static str,
    /// True if it is enabled by default.
    is_enabled: bool,
}

/// Returns a rule that is enabled and blocks.
const fn blocking(
    id: &'static str,
    description: &'static str,
    tags: &'static [&'static str],
) -> Synthetic {
    Synthetic { id, description, tags, action: "block", is_enabled: true }
}

/// Returns a rule with another action, or a disabled one.
const fn other(
    id: &'static str,
    description: &'static str,
    tags: &'static [&'static str],
    action: &'static str,
    is_enabled: bool,
) -> Synthetic {
    Synthetic { id, description, tags, action, is_enabled }
}

/// Rules of the Cloudflare Managed Ruleset. The identifiers of the first two are real:
/// developers.cloudflare.com/waf/managed-rules/ waf-exceptions/define-api and
/// developers.cloudflare.com/waf/managed-rules/troubleshooting, read 2026-11-20.
const CLOUDFLARE: &[Synthetic] = &[
    blocking(DOCUMENTED_RULE.0, "October CMS - File Inclusion", &["file-inclusion", "october-cms"]),
    other(
        "b57df4f17f7f4ea4b8db33e20a6dbbd3",
        "Anomaly:Header:User-Agent - Missing (synthetic)",
        &["anomaly"],
        "block",
        false,
    ),
    blocking(
        "100001",
        "WordPress - SQL injection in a form (synthetic)",
        &["php", "sqli", "wordpress"],
    ),
    blocking("100002", "WordPress - script in a comment (synthetic)", &["wordpress", "xss"]),
    other(
        "100003",
        "WordPress - many logins (synthetic)",
        &["wordpress"],
        "managed_challenge",
        true,
    ),
    blocking("100004", "Drupal - remote code (synthetic)", &["drupal", "php", "rce"]),
    other("100005", "Drupal - script in a form (synthetic)", &["drupal", "xss"], "block", false),
    blocking("100006", "PHP - wrapper in a path (synthetic)", &["file-inclusion", "php"]),
    blocking("100007", "Java - object in a body (synthetic)", &["java", "rce"]),
    other("100008", "Java - expression in a header (synthetic)", &["java"], "log", true),
    blocking("100009", "SQL injection - comment (synthetic)", &["sqli"]),
    other("100010", "Cross-site scripting - beta (synthetic)", &["beta", "xss"], "log", false),
    blocking("100011", "File inclusion - parent directory (synthetic)", &["file-inclusion"]),
];

/// Rules of the Exposed Credentials Check.
const CREDENTIALS: &[Synthetic] = &[
    other(
        "200001",
        "Exposed credentials - JSON body (synthetic)",
        &["generic", "json"],
        "rewrite",
        true,
    ),
    other(
        "200002",
        "Exposed credentials - form (synthetic)",
        &["form", "generic"],
        "rewrite",
        true,
    ),
    other(
        "200003",
        "Exposed credentials - WordPress (synthetic)",
        &["form", "wordpress"],
        "rewrite",
        true,
    ),
];

/// Rules of the Managed Free Ruleset.
const FREE: &[Synthetic] = &[
    blocking("300001", "Remote code - well-known (synthetic)", &["java", "rce"]),
    blocking("300002", "WordPress - well-known (synthetic)", &["php", "wordpress"]),
    other("300003", "Shell - well-known (synthetic)", &["rce"], "block", false),
];

/// Rules of the Sensitive Data Detection.
const SENSITIVE: &[Synthetic] = &[
    other("400001", "Credit card number (synthetic)", &["cc", "pii"], "log", false),
    other("400002", "API key (synthetic)", &["secrets"], "log", false),
];

/// Returns the managed ruleset with this identifier.
pub(super) fn find_managed_ruleset(
    context: &RequestContext<'_>,
    id: &str,
) -> HandlerResult<Option<Ruleset>> {
    if let Some(replaced) = store::get(context.connection, store::VENDOR, id)? {
        return Ok(Some(replaced));
    }
    Ok(built_in(context.profile, id))
}

/// Returns a built-in managed ruleset, without later replacements.
pub(super) fn built_in(profile: &Profile, id: &str) -> Option<Ruleset> {
    MANAGED_RULESETS.iter().find(|facts| facts.id == id).map(|facts| build(profile, facts))
}

/// Returns all managed rulesets: the known ones in the order of the facts, then the added ones.
pub(super) fn managed_rulesets(context: &RequestContext<'_>) -> HandlerResult<Vec<Ruleset>> {
    let stored = store::load_rulesets(context.connection, store::VENDOR)?;
    let replaced = |id: &str| stored.iter().find(|ruleset| ruleset.id == id).cloned();
    let known_rulesets = MANAGED_RULESETS
        .iter()
        .map(|f| replaced(f.id).unwrap_or_else(|| build(context.profile, f)));
    let mut rulesets: Vec<Ruleset> = known_rulesets.collect();
    rulesets
        .extend(stored.iter().filter(|r| MANAGED_RULESETS.iter().all(|f| f.id != r.id)).cloned());
    Ok(rulesets)
}

/// Returns the tags of a rule.
pub(super) fn tags(rule: &StoredRule) -> impl Iterator<Item = &str> {
    rule.get("categories").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Returns one of the built-in rulesets.
fn build(profile: &Profile, facts: &ManagedFacts) -> Ruleset {
    let (version, rules) = match facts.key {
        "owasp" => (OWASP_VERSION, owasp(profile)),
        "cloudflare" => (CLOUDFLARE_VERSION, synthetic(CLOUDFLARE, CLOUDFLARE_VERSION)),
        "exposed-credentials" => (OTHER_VERSION, synthetic(CREDENTIALS, OTHER_VERSION)),
        "free" => (OTHER_VERSION, synthetic(FREE, OTHER_VERSION)),
        _ => (OTHER_VERSION, synthetic(SENSITIVE, OTHER_VERSION)),
    };
    Ruleset {
        id: facts.id.to_owned(),
        name: facts.name.to_owned(),
        description: "Rules of the sandbox in place of the vendor's".to_owned(),
        kind: "managed".to_owned(),
        version,
        last_updated: MOMENT.to_owned(),
        phase: facts.phase.to_owned(),
        rules,
    }
}

/// Returns the rules of the OWASP ruleset: the rules of the Core Rule Set, then the rule that
/// compares the score.
///
/// # Sources
/// Members and their order, no expression, tags, the last rule:
/// developers.cloudflare.com/waf/managed-rules/reference/ owasp-core-ruleset/configure-api, read
/// 2026-11-20. ASSUMED: action `score`, as in the schema of the API, and the set of enabled rules.
fn owasp(profile: &Profile) -> Vec<StoredRule> {
    let rules = CRS_RULES.iter().map(|(number, level, score)| {
        let known_rule = KNOWN_RULES.iter().find(|(known, _)| known == number);
        let id = known_rule.map_or_else(|| format!("{number:0>32}"), |(_, id)| (*id).to_owned());
        let family =
            ATTACK_FAMILIES.iter().find(|f| f.prefix == number / 1000).map_or("other", |f| f.name);
        let mut rule = start_rule(&id, OWASP_VERSION, "score");
        if profile.owasp_scores {
            rule.insert("action_parameters".to_owned(), json!({ "increment": score }));
        }
        let tag = PARANOIA_TAGS[usize::from(level.saturating_sub(1)).min(3)];
        rule.insert("categories".to_owned(), json!([tag]));
        finish_rule(
            &mut rule,
            &format!("{number}: {family} (synthetic)"),
            &reference(&id),
            *level <= profile.owasp_level,
        );
        rule
    });
    let mut last = start_rule(ANOMALY_RULE, OWASP_VERSION, "block");
    last.insert("score_threshold".to_owned(), ANOMALY_THRESHOLD.into());
    finish_rule(
        &mut last,
        &format!("{ANOMALY_NUMBER}: Inbound Anomaly Score Exceeded"),
        ANOMALY_REF,
        true,
    );
    rules.chain([last]).collect()
}

/// Returns the rules of another ruleset.
fn synthetic(rules: &[Synthetic], version: u64) -> Vec<StoredRule> {
    let build = |synthetic: &Synthetic| {
        let Synthetic { id, description, tags, action, is_enabled } = synthetic;
        let id = format!("{id:0>32}");
        let mut rule = start_rule(&id, version, action);
        rule.insert("categories".to_owned(), json!(tags));
        finish_rule(&mut rule, description, &reference(&id), *is_enabled);
        rule
    };
    rules.iter().map(build).collect()
}

/// Creates a rule with its first members.
fn start_rule(id: &str, version: u64, action: &str) -> StoredRule {
    let mut rule = Map::new();
    rule.insert("id".to_owned(), id.into());
    rule.insert("version".to_owned(), version.to_string().into());
    rule.insert("action".to_owned(), action.into());
    rule
}

/// Adds the last members of a rule.
fn finish_rule(rule: &mut StoredRule, description: &str, reference: &str, is_enabled: bool) {
    rule.insert("description".to_owned(), description.into());
    rule.insert("last_updated".to_owned(), MOMENT.into());
    rule.insert("ref".to_owned(), reference.into());
    rule.insert("enabled".to_owned(), is_enabled.into());
}

/// Returns the `ref` of a rule: invented in the format of Cloudflare's, except for the documented
/// one.
fn reference(id: &str) -> String {
    if id == DOCUMENTED_RULE.0 {
        return DOCUMENTED_RULE.1.to_owned();
    }
    let digest = digest(&SHA256, format!("zonewright sandbox ref {id}").as_bytes());
    HEXLOWER.encode(&digest.as_ref()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulesets::ruleset::id_of;

    #[test]
    fn every_known_ruleset_is_built() {
        let profile = Profile::default();
        for facts in MANAGED_RULESETS {
            let ruleset = built_in(&profile, facts.id).unwrap();
            assert!(!ruleset.rules.is_empty(), "{}", facts.key);
            let mut ids: Vec<&str> = ruleset.rules.iter().map(id_of).collect();
            assert!(ids.iter().all(|id| id.len() == 32), "{}", facts.key);
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), ruleset.rules.len(), "{}", facts.key);
        }
        assert!(built_in(&profile, "x").is_none());
    }

    #[test]
    fn the_score_is_compared_last() {
        let rules = owasp(&Profile { owasp_scores: true, owasp_level: 1, ..Profile::default() });
        assert_eq!(rules.len(), CRS_RULES.len() + 1);
        let last = rules.last().unwrap();
        assert_eq!((id_of(last), &last["score_threshold"]), (ANOMALY_RULE, &json!(40)));
        let of = |id: &str| rules.iter().find(|rule| id_of(rule) == id).unwrap();
        let second = of("5e4903d6afa841c9b88b96203297003f");
        assert_eq!(tags(second).collect::<Vec<_>>(), ["paranoia-level-2"]);
        assert_eq!(
            (&second["enabled"], &second["action_parameters"]),
            (&json!(false), &json!({"increment": 3}))
        );
        assert_eq!(
            of("00000000000000000000000000942100")["description"],
            "942100: SQL injection (synthetic)"
        );
    }
}
