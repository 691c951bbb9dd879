//! Checks that the reported result of each operation is true.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use zonewright::sandbox::{LoggedRequest, What};

use super::facts::{Record, records, touched, zone_of};
use super::history::History;
use super::judge::was_deceived;
use super::play::Ran;
use super::pool::uncut;
use super::trouble::is_readable;

/// Finds false results in the report.
pub(super) fn of_operations(history: &History, ran: &Ran) -> Vec<String> {
    let mut found = Vec::new();
    let result = &ran.document["result"];
    if !result.is_object() || was_deceived(ran) {
        return found;
    }
    let zones = result["zones"].as_array().into_iter().flatten();
    let not_done: BTreeMap<&str, &Json> = zones
        .flat_map(|zone| zone["not_done"].as_array().into_iter().flatten())
        .map(|entry| (entry["address"].as_str().unwrap_or_default(), entry))
        .collect();
    let touched = touched(history);
    for operation in ran.document["operations"].as_array().into_iter().flatten() {
        if operation["kind"] != "dns_record" {
            continue;
        }
        let zone = operation["zone"].as_str().unwrap_or_default();
        let side = |name: &str| {
            Some(&operation[name]).filter(|o| o.is_object()).map(|o| Record::read(o, zone))
        };
        let (before, after) = (side("before"), side("after"));
        let Some(name) = after.as_ref().or(before.as_ref()).map(|record| record.name.clone())
        else {
            continue;
        };
        if touched.iter().any(|(own, at)| *own == zone && *at == name) {
            continue;
        }
        let address = operation["address"].as_str().unwrap_or_default();
        let reported = not_done
            .get(address)
            .map_or("done", |entry| entry["outcome"].as_str().unwrap_or_default());
        let claim =
            Claim { before, after, was: records(&ran.before, zone), is: records(&ran.after, zone) };
        let is_so = match reported {
            "done" => claim.took_effect(),
            "refused" | "not-sent" | "stale" => claim.had_no_effect(),
            "restored" => claim.is_restored(),
            "other-cuts" => history.service.joins_texts && claim.is_live_with_other_cuts(),
            "unknown" => could_not_be_known(history, ran, zone),
            _ => false,
        };
        if !is_so {
            let why =
                not_done.get(address).map(|entry| entry["reason"].to_string()).unwrap_or_default();
            found.push(format!(
                "{address} is reported as {reported}, and it is not so {why}: {claim:?}"
            ));
        }
    }
    found
}

/// An operation, and the zone's records before and after the run.
#[derive(Debug)]
struct Claim {
    before: Option<Record>,
    after: Option<Record>,
    was: Vec<Record>,
    is: Vec<Record>,
}

impl Claim {
    /// Returns true if the effect of the operation is live.
    fn took_effect(&self) -> bool {
        match (&self.before, &self.after) {
            (None, Some(after)) => self.is.iter().any(|record| has_all(record, after)),
            (Some(before), Some(after)) => {
                self.is.iter().any(|r| r.id == before.id && has_all(r, after))
            }
            (Some(before), None) => !self.is.iter().any(|record| record.id == before.id),
            (None, None) => false,
        }
    }

    /// Returns true if everything is as it was.
    fn had_no_effect(&self) -> bool {
        let find = |all: &[Record], id: &str| {
            all.iter().find(|record| record.id == id).map(|r| r.whole.clone())
        };
        match (&self.before, &self.after) {
            (None, Some(after)) => {
                let count = |all: &[Record]| {
                    all.iter().filter(|r| r.identity() == after.identity()).count()
                };
                count(&self.was) == count(&self.is)
            }
            (Some(before), _) => find(&self.was, &before.id) == find(&self.is, &before.id),
            (None, None) => false,
        }
    }

    /// Returns true if the text is live with other cuts, and it is not itself.
    fn is_live_with_other_cuts(&self) -> bool {
        let Some(after) = &self.after else { return false };
        let is_twin = |r: &&Record| {
            r.name == after.name && r.text != after.text && uncut(&r.text) == uncut(&after.text)
        };
        self.had_no_effect()
            && self.is.iter().filter(is_twin).any(|record| record.kind == after.kind)
    }

    /// Returns true if the deleted record is live again.
    fn is_restored(&self) -> bool {
        self.before
            .as_ref()
            .is_some_and(|before| self.is.iter().any(|record| has_all(record, before)))
    }
}

/// Returns true if a record has everything that a form says.
fn has_all(record: &Record, form: &Record) -> bool {
    let says = |name: &str| !form.whole[name].is_null();
    record.identity() == form.identity()
        && (!says("proxied") || record.proxied == form.proxied)
        && (!says("ttl") || record.proxied || record.ttl == form.ttl)
        && (!says("comment")
            || record.comment.as_deref().unwrap_or_default()
                == form.comment.as_deref().unwrap_or_default())
}

/// The number of lost responses in a row after which reading a zone is not sufficient, because the
/// listing may be older.
const NEVER_ANSWERED: usize = 4;

/// Returns true if the result of a write to a zone could not be known. Its response was lost, and
///
/// - the sandbox then refused for another reason, or reported something false;
/// - or every attempt to read the zone before the next write was also lost, or one attempt after
///   the last write;
/// - or no server was listening any more, or the run was asked to stop;
/// - or too many consecutive writes had no response.
fn could_not_be_known(history: &History, ran: &Ran, zone: &str) -> bool {
    let own: Vec<&LoggedRequest> = ran
        .requests
        .iter()
        .filter(|request| zone_of(history, request, &ran.after).is_some_and(|own| own.name == zone))
        .collect();
    let is_lost =
        |request: &&LoggedRequest| request.fault.as_ref().is_some_and(|what| !is_readable(what));
    let Some(write) = own.iter().rposition(|request| request.method != "GET") else { return false };
    // For any zone: the server is not listening any more.
    let is_closed = ran
        .requests
        .iter()
        .any(|request| matches!(request.fault, Some(What::ConnectionRefused { .. })));
    // Consecutive writes at any name, because a later write may fill a name that was emptied for
    // it.
    let writes: Vec<&LoggedRequest> =
        own.iter().copied().filter(|request| request.method != "GET").collect();
    let unanswered = writes
        .chunk_by(|a, b| is_lost(a) == is_lost(b))
        .filter(|run| is_lost(&run[0]))
        .map(<[_]>::len)
        .max();
    if unanswered.is_some_and(|times| times >= NEVER_ANSWERED) {
        return true;
    }
    let is_refused = |what: &What| {
        matches!(
            what,
            What::Answer { .. } | What::TokenRefused { .. } | What::Status { code: 429, .. }
        )
    };
    let is_answered = |what: &What| is_refused(what) || matches!(what, What::Redirect { .. });
    let is_lost_write = |request: &&LoggedRequest| {
        request.method != "GET"
            && is_lost(request)
            && !request.fault.as_ref().is_some_and(is_answered)
    };
    let is_no_help = |request: &&LoggedRequest| {
        let is_write = request.method != "GET";
        let helps_not = |what: &What| {
            // Yes and no to a write, or being sent elsewhere with it: it speaks of no other try.
            let is_of_one_try = matches!(what, What::SuccessFalse200 | What::Redirect { .. });
            is_refused(what) || *what == What::StaleRead || is_write && is_of_one_try
        };
        request.fault.as_ref().is_some_and(helps_not)
    };
    if own.iter().position(is_lost_write).is_some_and(|lost| own[lost + 1..].iter().any(is_no_help))
    {
        return true;
    }
    // Nothing but the filling of a name that was emptied for a create may follow.
    let is_never_read = |n: usize| {
        let fills = |request: &&&LoggedRequest| {
            request.method == "POST" && request.path.ends_with("/dns_records")
        };
        let writes = own[n + 1..].iter().filter(|request| request.method != "GET");
        if !own[n].path.contains("/dns_records") || !writes.clone().all(|request| fills(&request)) {
            return false;
        }
        let reads = own[n + 1..].iter().take_while(|request| request.method == "GET");
        reads.clone().next().is_some() && reads.clone().all(is_lost)
    };
    if own.iter().enumerate().any(|(n, request)| is_lost_write(request) && is_never_read(n)) {
        return true;
    }
    is_lost(&own[write])
        && (is_closed || history.interrupt.is_some() || own[write + 1..].iter().any(is_lost))
}
