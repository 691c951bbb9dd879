//! Tests assumptions about Cloudflare below a scratch name of a real zone.
//!
//! In: a connection and a zone whose owner agreed. Out: a [`Conformance`]. Records are created only
//! at and below one name that did not exist. They are always deleted: after each check, at the end,
//! and after a request to stop. Rules are tested by dry runs only, once Cloudflare has shown that
//! it supports them. Settings of the zone are never written.
//!
//! The table [`CHECKS`] has every check. A check whose assumption is wrong reports the difference;
//! the other checks still run.

mod attributes;
mod finding;
mod lists;
mod names;
mod rules;
mod scratch_name;
mod values;

use futures_util::future::BoxFuture;

use crate::api::{CheckClient, ReadClient, Stop, WriteClient};
use crate::document::conformance::{CheckResult, Conformance, Outcome};
use crate::model::LiveZone;

use finding::CheckedAssumption;
pub use finding::Unconfirmed;
pub use scratch_name::{NotReady, ScratchName};

/// A check of one assumption.
pub struct AssumptionCheck {
    /// Identifier of the check.
    pub id: &'static str,
    /// Assumption that is checked.
    pub assumption: &'static str,
    /// Places that rely on the assumption: files of the program and sections of the documentation.
    pub relied_on: &'static [&'static str],
    /// Runs the check.
    run: for<'b> fn(&'b ScratchName) -> BoxFuture<'b, CheckedAssumption>,
}

/// Declares the table: an identifier, the assumption, the places that rely on it, and the function.
macro_rules! checks {
    ($($id:literal: $assumption:literal, $relied_on:expr => $run:path;)+) => {
        /// Every check. A static, because each use of a constant would compile all checks again.
        pub static CHECKS: &[AssumptionCheck] = &[
            $(AssumptionCheck { id: $id, assumption: $assumption, relied_on: &$relied_on, run: |scratch| Box::pin($run(scratch)) },)+
        ];
    };
}

/// File that compares records.
const RECORDS: &str = "crates/model/src/diff/records.rs";

checks! {
    "text-as-sent": "The content of a TXT record is returned as it was sent, with or without \
        quotes.",
        ["crates/model/src/rdata/txt.rs", "crates/sandbox/src/txt.rs"] => values::text_as_sent;
    "text-spellings-equal": "Two spellings of the same strings are the same TXT record.",
        ["crates/sandbox/src/record_value.rs"] => values::text_spellings_equal;
    "text-cuts-differ": "Texts that are cut into strings differently are different TXT records.",
        ["crates/sandbox/src/txt.rs", RECORDS] => values::text_cuts_differ;
    "text-inner-quotes": "Content that does not begin with a quote may contain quotes, and \
        backslashes are literal there.",
        ["crates/sandbox/src/txt.rs"] => values::text_inner_quotes;
    "text-empty": "Empty content of a TXT record is refused with code 9051.",
        ["crates/sandbox/src/record_value.rs"] => values::text_empty;
    "data-numbers": "Members of data that are out of range are refused with code 1004.",
        ["crates/sandbox/src/record_value.rs"] => values::data_numbers;
    "data-priority-beside": "A priority beside data is ignored for types that have it in data.",
        ["crates/sandbox/src/record_value.rs"] => values::data_priority_beside;
    "data-unknown-members": "Members of data that the type does not have are ignored and not kept.",
        ["crates/sandbox/src/profile.rs"] => values::data_unknown_members;
    "srv-old-members": "Service, proto and name in the data of SRV records are refused with code \
        1004.",
        ["crates/sandbox/src/profile.rs", "crates/sandbox/src/record_value.rs"] => values::srv_old_members;
    "host-final-dot-added": "The final dot is added to the target of an HTTPS record that was sent \
        without it.",
        ["crates/sandbox/src/record_value.rs"] => values::host_final_dot_added;
    "service-alias-no-space": "The content of an HTTPS record without parameters has no space at \
        the end.",
        ["crates/sandbox/src/record_value.rs"] => values::service_alias_no_space;
    "hex-strict": "Hexadecimal digits with spaces between them, or an odd number of them, are \
        refused with code 1004.",
        ["crates/sandbox/src/record_value.rs"] => values::hex_strict;
    "base64-strict": "Base64 without its padding, or with spaces, is refused with code 1004.",
        ["crates/sandbox/src/record_value.rs"] => values::base64_strict;
    "decimals-rounded": "A decimal of a LOC record with too many places is rounded.",
        ["crates/sandbox/src/record_value.rs"] => values::decimals_rounded;
    "service-parameters-order": "The parameters of an HTTPS record are returned in the order in \
        which they were sent.",
        ["crates/sandbox/src/svc_params.rs", "crates/model/src/rdata/svc_params.rs"] => values::service_parameters_order;
    "content-missing": "A record without content is refused with code 9100.",
        ["crates/sandbox/src/record_value.rs"] => values::content_missing;
    "type-unknown": "An unknown type is refused with code 1004, and no type with code 9100.",
        ["crates/sandbox/src/record_requests.rs"] => values::type_unknown;
    "name-case": "Names are returned in lower case.",
        ["crates/sandbox/src/name.rs", "crates/model/src/name.rs"] => names::name_case;
    "name-final-dot": "A final dot of a name makes no difference.",
        ["crates/sandbox/src/name.rs"] => names::name_final_dot;
    "equal-record-first": "An equal record is refused with code 81058 before other conflicts are \
        looked for.",
        ["crates/sandbox/src/record_conflicts.rs", "src/apply/failed_writes.rs"] => names::equal_record_first;
    "delegation-neighbours": "A TXT record beside NS records below the apex is refused with code \
        81056.",
        ["crates/sandbox/src/profile.rs"] => names::delegation_neighbours;
    "signer-without-delegation": "A DS record is accepted at a name without NS records.",
        ["crates/sandbox/src/profile.rs", "src/plan/record_order.rs"] => names::signer_without_delegation;
    "deleted-name-free": "A name is free as soon as its records are deleted.",
        ["crates/sandbox/src/profile.rs", "src/apply/records.rs"] => names::deleted_name_free;
    "batch-exists": "Records can be changed in batches, and lists that were not sent come back as \
        null.",
        ["crates/sandbox/src/batch.rs", "src/apply/records.rs"] => names::batch_exists;
    "batch-swaps": "A batch can delete a record and create another in its place.",
        ["crates/sandbox/src/batch.rs", "src/plan/batches.rs"] => names::batch_swaps;
    "batch-all-or-nothing": "A batch of which one change is refused changes nothing.",
        ["crates/sandbox/src/batch.rs", "src/apply/records.rs"] => names::batch_all_or_nothing;
    "proxied-ttl": "The TTL of a proxied record is stored as 1, whatever is sent.",
        ["docs/internals/decisions.md: a proxied record has no TTL of its own"] => attributes::proxied_ttl;
    "proxied-ttl-range": "A TTL outside the range is refused also for proxied records, with code \
        9021.",
        ["crates/sandbox/src/record_attributes.rs"] => attributes::proxied_ttl_range;
    "own-network": "A DNS-only record may have an address of Cloudflare's own network.",
        ["crates/sandbox/src/profile.rs", "crates/sandbox/src/record_attributes.rs"] => attributes::own_network;
    "private-networks": "A proxied record to a loopback, link-local or private address is refused \
        with code 9003.",
        ["crates/sandbox/src/unproxiable_addresses.rs"] => attributes::private_networks;
    "patch-replaces-data": "A PATCH replaces data as a whole, so a missing member is refused with \
        code 9101.",
        ["docs/internals/decisions.md: a patch sends `data` and `settings` in full", "crates/sandbox/src/record_requests.rs"] => attributes::patch_replaces_data;
    "patch-null": "Null in a PATCH leaves content and tags unchanged, and clears the comment.",
        ["crates/sandbox/src/record_requests.rs", "src/wire/record.rs"] => attributes::patch_null;
    "comment-time": "The time of the last change of a comment stays if a PATCH changes only the \
        TTL.",
        ["crates/sandbox/src/record_requests.rs"] => attributes::comment_time;
    "record-members": "A record has neither zone_id nor zone_name.",
        ["crates/sandbox/src/profile.rs", "src/wire/record.rs"] => attributes::record_members;
    "page-size": "A page can have 5,000 records.",
        ["src/wire/record.rs", "src/live/records.rs"] => lists::page_size;
    "page-zero": "A page number of zero counts as absent.",
        ["crates/sandbox/src/query_string.rs"] => lists::page_zero;
    "list-order": "Two lists of the same records have the same order, if nothing changes between \
        them.",
        ["src/live/records.rs"] => lists::list_order;
    "list-unknown-order": "An unknown order of a list is ignored.",
        ["crates/sandbox/src/list_records.rs"] => lists::unknown_order;
    "list-search": "The parameter search finds a part of the content.",
        ["crates/sandbox/src/list_records.rs"] => lists::search;
    "zones-page-clamped": "A page of zones has at least 5 zones, even if fewer are asked for.",
        ["crates/sandbox/src/zones.rs"] => lists::zones_page_clamped;
    "zones-none-no-pages": "An empty list of zones has 0 pages.",
        ["crates/sandbox/src/query_string.rs", "src/live/zones.rs"] => lists::zones_none_no_pages;
    "user-token-elsewhere": "The token of a user is refused with code 1000 where tokens of \
        accounts are verified.",
        ["crates/sandbox/src/token.rs", "src/doctor/token.rs"] => lists::user_token_elsewhere;
    "dry-run": "Writes of rulesets support dry runs, and refuse a value of dry_run that is neither \
        true nor false.",
        ["docs/internals/decisions.md: support for dry runs is tested first", "src/apply/server_dry_run.rs"] => rules::dry_run;
    "rule-accepted": "A dry run of a rule that is right has no result.",
        ["src/apply/server_dry_run.rs"] => rules::dry_run_accepted;
    "rule-unknown-member": "A rule with an unknown member is refused without a code, and the text \
        names it.",
        ["crates/sandbox/src/rulesets/members.rs"] => rules::unknown_member;
    "rule-wrong-type": "A rule with a member of a wrong type is refused without a code.",
        ["crates/sandbox/src/rulesets/members.rs"] => rules::wrong_type;
    "rule-no-action": "A rule without an action is refused.",
        ["crates/sandbox/src/rulesets/rule_check.rs"] => rules::no_action;
    "rule-unknown-action": "A rule with an unknown action is refused without a code.",
        ["crates/sandbox/src/rulesets/rule_check.rs"] => rules::unknown_action;
    "rule-null-member": "Null for a member of a rule counts as absent.",
        ["crates/sandbox/src/rulesets/members.rs"] => rules::null_member;
    "rule-service-members": "Members of a rule that only Cloudflare sets are ignored.",
        ["crates/sandbox/src/rulesets/rule_check.rs", "src/wire/ruleset.rs"] => rules::service_members;
    "rule-expression-refused": "An expression with an unknown field is refused with code 20127.",
        ["crates/sandbox/src/rulesets/expression/mod.rs"] => rules::expression_refused;
    "rule-line-break": "An expression over several lines is accepted.",
        ["crates/sandbox/src/rulesets/expression/mod.rs"] => rules::line_break;
}

/// Runs all checks, or the named ones. Looks for a request to stop before each check.
pub async fn run_checks(
    scratch: &ScratchName,
    only: &[String],
    stop: &Stop,
    mut report: Conformance,
    tell: impl Fn(&str),
) -> Conformance {
    for check in CHECKS {
        if !only.is_empty() && !only.iter().any(|id| id == check.id) {
            continue;
        }
        if stop.is_asked() {
            report.is_complete = false;
            break;
        }
        tell(check.id);
        let checked = (check.run)(scratch).await;
        scratch.delete_created().await;
        let (outcome, found) = match checked {
            Ok(()) => (Outcome::Held, None),
            Err(Unconfirmed::Differed(found)) => {
                (Outcome::Differed, Some(scratch.anonymous(&found)))
            }
            Err(Unconfirmed::Unknown(why)) => (Outcome::Unknown, Some(scratch.anonymous(&why))),
        };
        report.add(CheckResult {
            id: check.id.to_owned(),
            assumption: check.assumption.to_owned(),
            relied_on: check.relied_on.iter().map(|&place| place.to_owned()).collect(),
            outcome,
            found,
        });
    }
    report.left_behind = scratch.delete_everything().await;
    report
}

/// Prepares a scratch name in a zone, and refuses one that is not empty.
///
/// # Errors
/// Fails with [`NotReady`].
/// [`NotReady`].
pub async fn prepare(
    (reader, writer, checker): (ReadClient, WriteClient, CheckClient),
    zone: &LiveZone,
    random: u64,
) -> Result<ScratchName, NotReady> {
    let scratch = ScratchName::new((reader, writer, checker), zone, random);
    scratch.must_be_empty().await?;
    Ok(scratch)
}
