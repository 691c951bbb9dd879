//! Reports zones that Cloudflare does not have, and zones that the spec no longer names.

use super::goal::{Goal, Source};
use crate::diagnostic::{Diagnostic, Diagnostics, findings};
use crate::live::{self, AnyReader, MissingZone, find_zone_by_name};
use crate::model::ZoneName;

/// Returns the account that has a zone with this name.
async fn account_of(
    reader: &dyn AnyReader,
    zone: &ZoneName,
    options: &live::ReadOptions,
) -> Option<String> {
    // A failure here explains nothing, and the zone is missing in any case.
    let anywhere = live::ReadOptions { account: None, ..options.clone() };
    find_zone_by_name(reader, zone, &anywhere).await.ok()??.account
}

/// Reports a zone that is not found: one of the spec, or of the journal that is undone.
pub(super) async fn missing(
    goal: &Goal,
    zone: &ZoneName,
    reader: &dyn AnyReader,
    options: &live::ReadOptions,
) -> Diagnostic {
    let desired = goal.desired.zones.get(zone);
    let (what, help) = match (desired.and_then(|z| z.id.as_ref()), &goal.source) {
        // A look-up by id is not limited to an account.
        (Some(id), Source::Journal(_)) => (
            MissingZone::written_to(zone, id).what(),
            "give the token access to the zone; if it was deleted, there is nothing to undo, \
            because a zone created later under its name is a different zone"
                .to_owned(),
        ),
        (Some(_), _) => (
            MissingZone::named(zone, None).what(),
            "correct or remove `id`, or give the token access to the zone".to_owned(),
        ),
        (None, _) => missing_by_name(zone, reader, options).await,
    };
    let diagnostic = findings::MISSING_ZONE.nowhere(what).about(zone.to_string()).help(help);
    match desired {
        Some(desired) => diagnostic.at(desired.place, ""),
        None => diagnostic,
    }
}

/// Reports a zone that was looked up by its name, with the next step.
async fn missing_by_name(
    zone: &ZoneName,
    reader: &dyn AnyReader,
    options: &live::ReadOptions,
) -> (String, String) {
    let Some(account) = options.account.as_deref() else {
        return (
            MissingZone::named(zone, None).what(),
            "write `create: true` to create it, correct its name, or give the token access to it"
                .to_owned(),
        );
    };
    match account_of(reader, zone, options).await {
        Some(other) => (
            format!("{zone} is in the account {other}, and CLOUDFLARE_ACCOUNT_ID names the account \
                {account}"),
            format!("set CLOUDFLARE_ACCOUNT_ID to {other}, or unset it"),
        ),
        None => (
            MissingZone::named(zone, Some(account)).what(),
            "check CLOUDFLARE_ACCOUNT_ID and the name, give the token access to the zone, or write \
            `create: true` to create it".to_owned(),
        ),
    }
}

/// Reports zones that the previous spec named and this one does not. They are left as they are.
///
/// A saved plan names its base itself, and may have been made for some zones only. The same is true
/// for a run on selected zones.
pub(super) fn dropped(goal: &Goal) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let (Source::Spec(spec) | Source::Snapshot(spec, _)) = &goal.source else { return diagnostics };
    let Some(base) = spec.base.as_ref().filter(|_| spec.selection.zones.is_empty()) else {
        return diagnostics;
    };
    let is_ours = |zone: &&ZoneName| spec.selection.shard.is_none_or(|shard| shard.has(zone));
    for zone in base
        .desired
        .zones
        .keys()
        .filter(is_ours)
        .filter(|zone| !goal.desired.zones.contains_key(zone))
    {
        let words = format!(
            "{zone} was in the previous spec ({}); nothing of it is compared or changed any more",
            base.source
        );
        let help = format!(
            "to delete its records, keep it with `records: []`; if `{zone}` was left out by \
            mistake, add it again"
        );
        let diagnostic = findings::DROPPED_ZONE.nowhere(words);
        diagnostics.push(diagnostic.about(zone.to_string()).help(help));
    }
    diagnostics
}
