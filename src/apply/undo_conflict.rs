//! Reasons why an undo does not revert something, such as a later change by someone else.

use super::journal::ObjectEffect;
use crate::diff::field_changes;
use crate::model::ruleset::LiveRule;
use crate::model::{LiveRecord, Value};

/// An object that has changed since an apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The operation's address.
    pub address: String,
    /// The change.
    pub what: String,
}

/// Returns a conflict at the address of an entry.
pub(super) fn conflict<T>(entry: &ObjectEffect<T>, what: impl AsRef<str>) -> Moved {
    let certain =
        if entry.is_certain { "" } else { " (whether the apply changed it is not known)" };
    let what = format!("{}; the apply was at {}{certain}", what.as_ref(), entry.sent_at);
    Moved { address: entry.address.clone(), what }
}

/// The rules of a phase are unknown.
pub(super) const NO_RULES: &str = "the rules of the phase could not be read";

/// A rule was deleted.
pub(super) const RULE_GONE: &str = "the rule is gone";

/// The rules are in another order than the apply left them.
pub(super) const ORDER_CHANGED: &str = "someone else changed the order of the rules, so the rules \
    that the apply moved are not moved back";

/// A record was deleted.
pub(super) const RECORD_GONE: &str = "the record is gone";

/// A record of a type that only a newer version knows.
pub(super) const NOT_UNDERSTOOD: &str =
    "this version does not understand the record, so it cannot create it again";

/// A DS record needs the delegation.
pub(super) const NEEDED_BY_DS: &str = "a DS record that needs it exists now";

/// A setting that only a newer version knows.
pub(super) const UNKNOWN_PART: &str = "this version does not know the part";

/// It is unknown whether the zone is signed.
pub(super) const SIGNING_NOT_REPORTED: &str =
    "Cloudflare does not report whether the zone is signed";

/// Returns a rule was deleted, and this similar one exists.
pub(super) fn rule_replaced(rule: &LiveRule) -> String {
    format!(
        "the rule is gone, and someone else created one like it{}",
        since(rule.last_updated.as_deref())
    )
}

/// Someone changed a rule.
pub(super) fn rule_changed(rule: &LiveRule) -> String {
    format!("someone else changed the rule {}{}", rule.shown(), since(rule.last_updated.as_deref()))
}

/// A record was deleted, and this one has its value.
pub(super) fn record_replaced(live: &LiveRecord) -> String {
    format!(
        "the record is gone, and someone else created one with the same value{}",
        since(live.modified_on.as_deref())
    )
}

/// Someone changed a record.
pub(super) fn record_changed(live: &LiveRecord, left: &LiveRecord) -> String {
    let left_form = left.form();
    let fields: Vec<String> = field_changes(live, &left_form.data, &left_form.facets)
        .into_iter()
        .map(|f| f.field.to_string())
        .collect();
    let fields = if fields.is_empty() { String::new() } else { format!(": {}", fields.join(", ")) };
    let when = live.modified_on.as_deref().map(|t| format!(" at {t}")).unwrap_or_default();
    format!("someone else changed the record{when}{fields}; it is now {}", live.data.presentation())
}

/// Returns another product of Cloudflare manages the record now.
pub(super) fn record_managed(owner: &str) -> String {
    format!("the record is managed by {owner} now")
}

/// This record cannot coexist with the one that would be restored.
pub(super) fn conflicting_record(blocker: &LiveRecord) -> String {
    let (kind, when) = (blocker.data.type_name(), since(blocker.modified_on.as_deref()));
    format!("a record that cannot exist beside it exists now ({kind}{when})")
}

/// A setting is unknown, with Cloudflare's reason if there is one.
pub(super) fn not_reported(words: Option<&str>) -> String {
    match words {
        Some(words) => format!("Cloudflare does not report it: {words}"),
        None => "Cloudflare does not report it".to_owned(),
    }
}

/// Someone changed a setting.
pub(super) fn setting_changed(what: &str, now: &Value, after: &Value) -> String {
    format!("someone else changed {what}: it is now {now}; the apply left it at {after}")
}

/// Returns the time of the last change as the end of a sentence.
fn since(time: Option<&str>) -> String {
    time.map(|t| format!(", last changed at {t}")).unwrap_or_default()
}
