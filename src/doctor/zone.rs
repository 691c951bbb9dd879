//! Examines the permissions for one zone.

use super::permission_probes::{
    PHASE, ProbedKind, Prober, RECORDS, SETTING, Tried, is_refused, reason_of,
};
use super::permissions_of_spec::Needs;
use crate::api::Checker;
use crate::apply::{DryRuns, dry_runs};
use crate::document::doctor::{Check, Zone};
use crate::model::ruleset::{Phase, RulesetId};
use crate::model::{DesiredZone, LiveZone, Tier};
use crate::wire::record::{list_records, record_usage};
use crate::wire::ruleset::{create_entry_point, dry_run, get_entry_point};
use crate::wire::settings::{get_dns_settings, get_dnssec, get_setting};

/// Tries every kind of object in a zone.
pub(super) async fn examine<C: Checker>(
    prober: &Prober<'_>,
    checker: Option<&C>,
    live: &LiveZone,
    zone_read: &Tried,
    desired: Option<&DesiredZone>,
    needs: &Needs,
) -> Zone {
    let id = &live.id;
    let records = prober.try_read(&list_records(id, RECORDS, 1)).await;
    let usage = prober.read(&record_usage(id)).await.ok().map(|answer| answer.result);
    let usage = |name: &str| usage.as_ref().and_then(|usage| usage.get(name)?.as_u64());
    let setting = desired
        .and_then(|zone| zone.settings.settings.keys().next())
        .map_or(SETTING, String::as_str);
    let phase = desired.and_then(|zone| zone.waf.as_ref()?.phases().next()).unwrap_or(PHASE);
    let entry_point = prober.read(&get_entry_point(id, phase)).await;
    let rulesets = Tried::of(&entry_point);
    let ruleset = entry_point
        .ok()
        .and_then(|answer| Some(RulesetId(answer.result.get("id")?.as_str()?.to_owned())));
    let written = match checker {
        Some(checker) if rulesets == Tried::Yes => {
            Some(ask_to_write(checker, live, phase, ruleset.as_ref()).await)
        }
        _ => None,
    };
    let mut checks = needs.rows(ProbedKind::ZONE, zone_read, None);
    checks.extend(needs.rows(ProbedKind::RECORDS, &records, None));
    checks.extend(needs.rows(ProbedKind::DNSSEC, &prober.try_read(&get_dnssec(id)).await, None));
    checks.extend(needs.rows(
        ProbedKind::SETTINGS,
        &prober.try_read(&get_setting(id, setting)).await,
        None,
    ));
    checks.extend(needs.rows(
        ProbedKind::DNS_SETTINGS,
        &prober.try_read(&get_dns_settings(id)).await,
        None,
    ));
    checks.extend(needs.rows(ProbedKind::RULESETS, &rulesets, written));
    let is_read = *zone_read == Tried::Yes;
    let tier = if is_read { live.tier } else { Tier::Unknown };
    let quota = || is_read.then(|| tier.record_quota(live.created_on.as_deref()) as u64);
    Zone {
        name: live.name.to_string(),
        id: id.0.clone(),
        status: live.status.clone(),
        plan: is_read.then(|| tier.facts().name.to_owned()),
        records: usage("record_usage"),
        record_quota: usage("record_quota").or_else(quota),
        batch_size: tier.facts().batch_operations as u64,
        checks,
    }
}

/// Placeholder for the zones of credentials that see no zone.
pub(super) fn unseen(checks: Vec<Check>) -> Zone {
    Zone {
        name: "any zone".to_owned(),
        id: String::new(),
        status: None,
        plan: None,
        records: None,
        record_quota: None,
        batch_size: Tier::Unknown.facts().batch_operations as u64,
        checks,
    }
}

/// Tests write access to rulesets by dry runs: first checks that dry runs are supported, then sends
/// a write that would add an entry point without rules.
async fn ask_to_write<C: Checker>(
    checker: &C,
    zone: &LiveZone,
    phase: Phase,
    ruleset: Option<&RulesetId>,
) -> Tried {
    match dry_runs(checker, &zone.id, phase, ruleset).await {
        DryRuns::Supported => {}
        DryRuns::Forbidden(why) => return Tried::No(why),
        DryRuns::Unknown(why) => return Tried::Unknown(why),
    }
    match checker.check(&dry_run(create_entry_point(&zone.id, phase, std::iter::empty()))).await {
        Ok(_) => Tried::Yes,
        Err(error) if is_refused(&error) => Tried::No(reason_of(&error)),
        // A refusal of the content implies write access: Cloudflare checks permissions before the
        // content.
        Err(error) if matches!(error.status(), Some(400..=499)) => Tried::Yes,
        Err(error) => Tried::Unknown(reason_of(&error)),
    }
}
