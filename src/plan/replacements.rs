//! Finds the deletes that are replacements, because the plan creates a record for the same use.
//! They do not count for the danger `delete`.

use std::collections::BTreeMap;

use super::subject::{RecordSubject, Subject};
use super::zone_plan::ZonePlan;
use crate::diff::{DeleteReason, RecordChange};
use crate::insight::ownership_token;
use crate::model::{Danger, Fqdn, Purpose, Rdata, RecordType, token_key};

/// Finds the deletes that are replacements: the spec asked for the removal (by `state: absent`, or
/// because the base had the record and the spec does not, or because the zone is pruned and there
/// is no base), and this plan creates a record for the same use at the same name, or at another
/// selector of the same domain. Each created record takes the place of one, and an alias of all
/// addresses. Such a delete is not counted.
pub(super) fn find(plan: &mut ZonePlan, is_complete: bool) {
    let mut successors: BTreeMap<(String, Use), usize> = BTreeMap::new();
    for (_, _, record) in plan.records() {
        if let RecordChange::Create { after } = &record.change
            && let Some(purpose) = Use::of(&after.name, &after.data)
        {
            let count = successors.entry((place(&after.name), purpose)).or_default();
            // An alias replaces every address of its name, because none can coexist with it.
            let is_alias = after.data.record_type() == Some(RecordType::Cname);
            *count = if is_alias { usize::MAX } else { count.saturating_add(1) };
        }
    }
    if successors.is_empty() {
        return;
    }
    for operation in &mut plan.operations {
        let Subject::Record(RecordSubject {
            change: RecordChange::Delete { before, reason, .. },
            was_wanted,
            ..
        }) = &mut operation.subject
        else {
            continue;
        };
        let is_asked = match reason {
            DeleteReason::Tombstone
            | DeleteReason::Removed
            | DeleteReason::Expired { is_agreed: false } => true,
            DeleteReason::Pruned | DeleteReason::InTheWay => *was_wanted || is_complete,
            DeleteReason::Expired { is_agreed: true }
            | DeleteReason::WithDelegation
            | DeleteReason::Replaced
            | DeleteReason::Undone => false,
        };
        if !is_asked {
            continue;
        }
        let Some(purpose) = Use::of(&before.name, &before.data) else { continue };
        if let Some(left) =
            successors.get_mut(&(place(&before.name), purpose)).filter(|left| **left > 0)
        {
            *left -= 1;
            *reason = DeleteReason::Replaced;
            operation.dangers.retain(|danger| *danger != Danger::Delete);
        }
    }
}

/// The place where the successor of a record is searched, and its type. Records that lead to a
/// server replace each other regardless of their type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SuccessorKey {
    place: String,
    record_type: Option<RecordType>,
}

impl SuccessorKey {
    /// Returns the key of a record with this name and type.
    #[must_use]
    pub fn new(name: &Fqdn, record_type: RecordType) -> Self {
        let is_server = Use::SERVERS.contains(&record_type);
        Self { place: place(name), record_type: (!is_server).then_some(record_type) }
    }
}

/// Returns the place where a record is searched: its name; for a DKIM key any selector of its
/// domain (RFC 6376 section 3.1), and for a token whose name contains the account, any account of
/// its domain.
fn place(name: &Fqdn) -> String {
    if let Some((provider, domain)) = ownership_token(name) {
        return format!("{provider} {domain}");
    }
    name.as_str().split_once("._domainkey.").map_or(name.as_str(), |(_, domain)| domain).to_owned()
}

/// The use of a record. A record can replace another one with the same use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// The record leads to a server.
    Server,
    /// It proves something to a provider: the text before `=` or `:`; empty for a token alone.
    Token(String),
    /// Anything else of a type.
    Other(Option<RecordType>, Purpose),
}

impl Use {
    /// The types of records that lead to a server.
    const SERVERS: [RecordType; 3] = [RecordType::A, RecordType::Aaaa, RecordType::Cname];

    /// Returns the use of a value at a name; `None` for an unknown text.
    fn of(name: &Fqdn, data: &Rdata) -> Option<Self> {
        if let Some((provider, _)) =
            ownership_token(name).filter(|_| data.record_type() == Some(RecordType::Txt))
        {
            return Some(Self::Token(provider.to_owned()));
        }
        Some(match (data.record_type(), data.purpose()) {
            (Some(kind), _) if Self::SERVERS.contains(&kind) => Self::Server,
            (Some(RecordType::Txt), Purpose::Shared) => return None,
            (Some(RecordType::Txt), Purpose::Unique) => {
                Self::Token(token_key(data.presentation().trim_matches('"')))
            }
            (kind, purpose) => Self::Other(kind, purpose),
        })
    }
}
