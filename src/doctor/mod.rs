//! Examines the permissions of credentials by reading, and compares them with the needs of a spec.
//!
//! In: a reader, and the desired zones of a spec or no spec (then every visible zone). Out: a
//! [`Doctor`] without the facts that only the command knows (proxy, files, base). No response lists
//! the permissions of a token, so each kind is tried with the cheapest request that needs it. A
//! missing write permission is known where reading is refused already, because a permission to
//! write includes reading. For rulesets, dry runs show write permissions if they are requested.

mod clock;
mod examined_zones;
mod permission_probes;
mod permissions_of_spec;
mod token;
mod zone;

use std::collections::BTreeSet;

use futures_util::stream::{self, StreamExt};

use crate::api::Checker;
use crate::document::doctor::{Account, Doctor, ManagedRuleset};
use crate::insight::waf::lock::Lock;
use crate::live::{AnyReader, FetchError, ReadOptions};
use crate::model::{Desired, Gather, LiveZone, ZoneName};
use crate::wire::account::lists;
use crate::wire::ruleset::{RulesetOwner, list_rulesets, read_managed};

pub use clock::clock;
use examined_zones::examine_zones;
use permission_probes::{ProbedKind, Prober, Tried};
use permissions_of_spec::Needs;
pub use token::Secret;

/// Input of an examination.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// Kind of the credentials.
    pub secret: Secret,
    /// Desired state of the spec. `None` examines every visible zone.
    pub desired: Option<&'q Desired>,
    /// Name patterns that select zones without a spec. An empty list selects all zones.
    pub patterns: &'q [glob::Pattern],
    /// Managed rulesets in the lock file.
    pub lock: Option<&'q Lock>,
}

/// Examines the permissions of credentials. With a checker, also tests rulesets by dry runs.
///
/// # Errors
/// Fails if Cloudflare cannot be reached or a response cannot be used. A refusal is a result.
pub async fn examine<C: Checker>(
    reader: &dyn AnyReader,
    checker: Option<&C>,
    question: &Question<'_>,
    options: &ReadOptions,
) -> Result<Doctor, FetchError> {
    let examined = examine_zones(reader, question.desired, question.patterns, options).await?;
    let accounts: BTreeSet<String> = examined
        .zones
        .iter()
        .filter_map(|zone| zone.account.clone())
        .chain(options.account.clone())
        .gather();
    let prober = &Prober::new(reader);
    let mut credentials = token::verify(prober, question.secret, &accounts).await?;
    if examined.is_unknown_token && credentials.status.is_none() {
        credentials.why = Some(token::UNKNOWN_TOKEN.to_owned());
    }
    let mut report = Doctor::of(credentials);
    report.missing_zones = examined.missing;
    report.zones_left_out = examined.left_out;
    let desired_of = |zone: &ZoneName| question.desired.and_then(|desired| desired.zones.get(zone));
    let zone_read = &examined.zone_read;
    report.zones = stream::iter(&examined.zones)
        .map(|live| async move {
            let needs = desired_of(&live.name).map_or_else(Needs::default, Needs::of);
            zone::examine(prober, checker, live, zone_read, desired_of(&live.name), &needs).await
        })
        .buffered(options.concurrency.max(1))
        .collect()
        .await;
    let needs_of_spec =
        Needs::of_all(question.desired.into_iter().flat_map(|desired| desired.zones.values()));
    for id in accounts {
        let rulesets =
            prober.try_read(&list_rulesets(&RulesetOwner::Account(id.clone()), None)).await;
        let lists = prober.try_read(&lists(&id)).await;
        let mut checks = needs_of_spec.rows(ProbedKind::ACCOUNT_RULESETS, &rulesets, None);
        checks.extend(needs_of_spec.rows(ProbedKind::LISTS, &lists, None));
        report.accounts.push(Account { id, checks });
    }
    // If no zone was found, no other permission of a zone could be tried.
    if let (Tried::No(_), true) = (zone_read, report.zones.is_empty()) {
        let unknown = Tried::Unknown("no zone can be found".to_owned());
        let kinds = [
            ProbedKind::RECORDS,
            ProbedKind::DNSSEC,
            ProbedKind::SETTINGS,
            ProbedKind::DNS_SETTINGS,
            ProbedKind::RULESETS,
        ];
        let of_zone = question.desired.map_or_else(Needs::to_find_zones, |_| needs_of_spec.clone());
        let mut checks = of_zone.rows(ProbedKind::ZONE, zone_read, None);
        checks.extend(kinds.into_iter().flat_map(|kind| needs_of_spec.rows(kind, &unknown, None)));
        report.zones.push(zone::unseen(checks));
    }
    report.smallest_token = needs_of_spec.smallest().into_iter().map(Into::into).collect();
    if let Some(lock) = question.lock {
        report.managed_rulesets = served_versions(prober, lock, &examined.zones).await;
    }
    Ok(report)
}

/// Finds the versions of the locked rulesets that Cloudflare serves.
async fn served_versions(
    prober: &Prober<'_>,
    lock: &Lock,
    zones: &[LiveZone],
) -> Vec<ManagedRuleset> {
    let mut scopes: Vec<RulesetOwner> =
        zones.iter().filter_map(|zone| zone.account.clone()).map(RulesetOwner::Account).collect();
    scopes.dedup();
    // A token that is limited to zones sees the rulesets only in a zone.
    scopes.extend(zones.first().map(|zone| RulesetOwner::Zone(zone.id.clone())));
    let mut served = Vec::new();
    for scope in &scopes {
        if let Ok(answer) = prober.read(&list_rulesets(scope, None)).await {
            served.extend(read_managed(answer.result.as_array().map_or(&[], Vec::as_slice)));
            break;
        }
    }
    let version = |id: &str| {
        served.iter().find(|ruleset| ruleset.id.0 == id).and_then(|ruleset| ruleset.version.clone())
    };
    let row = |locked: &crate::insight::waf::lock::LockedRuleset| ManagedRuleset {
        name: locked.name.clone(),
        id: locked.id.clone(),
        locked: locked.version.clone(),
        served: version(&locked.id),
    };
    lock.rulesets.iter().map(row).collect()
}
