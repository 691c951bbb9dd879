//! Reads the protection of zones: entry points, and the managed rulesets that they deploy.
//!
//! A missing entry point is known only from the documented error, or from the list of the zone's
//! rulesets, where Cloudflare documents to look for it. If any other failure counted as an empty
//! entry point, a later write would delete the rules of others. Before a write, the entry point
//! itself is always read.
//!
//! # Sources
//! The list: developers.cloudflare.com/waf/rate-limiting-rules/create-api, read 2026-11-22.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use serde_json::Value as Json;

use super::any_reader::AnyReader;
use super::error::FetchError;
use super::read_options::{ReadOptions, WafQuery};
use super::until_usable::until_usable;
use crate::api::ApiError;
use crate::api::error_codes::NO_ENTRY_POINT;
use crate::model::managed::{Catalogue, Managed};
use crate::model::ruleset::{AccountRules, EntryPoint, LiveWaf, Phase, Unread};
use crate::model::{LiveZone, ZoneId};
use crate::wire::ApiMessage;
use crate::wire::ruleset::{
    ListedRuleset, OwnRuleset, RulesetOwner, get_account_entry_point, get_entry_point, get_ruleset,
    get_ruleset_version, list_rulesets, read_catalogue, read_listed_phases, read_managed, read_own,
    read_ruleset, settle_names,
};

/// Maximum number of pages of a list of rulesets.
const MOST_PAGES: u64 = 100;

/// Managed rulesets and entry points from lists of rulesets.
#[derive(Debug, Default)]
pub(super) struct Catalogues {
    /// Managed rulesets by account.
    of_accounts: BTreeMap<Option<String>, Vec<Arc<Catalogue>>>,
    /// Phases of the entry points of zones whose own list was read.
    of_zones: BTreeMap<ZoneId, BTreeSet<Phase>>,
}

/// Managed rulesets that zones of an account need, with these zones.
type Need<'z> = (BTreeSet<Managed>, Vec<(&'z LiveZone, &'z WafQuery)>);

/// Reads the managed rulesets that the zones of each account need, once per account. For a single
/// zone of an account, the zone's own list is read instead, because it also shows the phases of its
/// entry points.
pub(super) async fn catalogues(
    reader: &dyn AnyReader,
    zones: &[(&LiveZone, &WafQuery)],
    options: &ReadOptions,
) -> Result<Catalogues, FetchError> {
    let mut needs: BTreeMap<Option<String>, Need<'_>> = BTreeMap::new();
    for (zone, query) in zones {
        let need = needs.entry(account_of(zone, options)).or_default();
        need.0.extend(&query.managed);
        need.1.push((zone, query));
    }
    let mut found_catalogues = Catalogues::default();
    for (account, (managed, zones)) in needs {
        let is_cheaper = |query: &WafQuery| !query.managed.is_empty() || query.phases.len() > 1;
        let is_single = reader.lists_everything()
            && matches!(zones.as_slice(), [(_, query)] if is_cheaper(query));
        let Some((zone, _)) = zones.first().filter(|_| is_single || !managed.is_empty()) else {
            continue;
        };
        let through_zone = RulesetOwner::Zone(zone.id.clone());
        let scope = account.as_ref().map(|id| RulesetOwner::Account(id.clone()));
        let mut scopes: Vec<_> = scope.into_iter().chain([through_zone]).collect();
        if is_single {
            scopes.reverse();
        }
        let (of_account, listed) = read_catalogues(reader, &scopes, &managed, options).await?;
        found_catalogues.of_accounts.insert(account, of_account);
        if let Some((RulesetOwner::Zone(zone), phases)) = listed {
            found_catalogues.of_zones.insert(zone, phases);
        }
    }
    Ok(found_catalogues)
}

/// Reads the managed rulesets for a zone that does not exist yet, if an account is named.
pub(super) async fn of_account(
    reader: &dyn AnyReader,
    query: &WafQuery,
    options: &ReadOptions,
) -> Result<Vec<Arc<Catalogue>>, FetchError> {
    match &options.account {
        Some(account) if !query.managed.is_empty() => Ok(read_catalogues(
            reader,
            &[RulesetOwner::Account(account.clone())],
            &query.managed,
            options,
        )
        .await?
        .0),
        Some(_) | None => Ok(Vec::new()),
    }
}

/// Returns the account of a zone, if it is known.
pub fn account_of(zone: &LiveZone, options: &ReadOptions) -> Option<String> {
    zone.account.clone().or_else(|| options.account.clone())
}

/// Reads managed rulesets through the first scope that these credentials can access: an account, or
/// one of its zones. Returns the scope and the phases of the entry points on its list too.
async fn read_catalogues(
    reader: &dyn AnyReader,
    scopes: &[RulesetOwner],
    managed: &BTreeSet<Managed>,
    options: &ReadOptions,
) -> Result<(Vec<Arc<Catalogue>>, Option<(RulesetOwner, BTreeSet<Phase>)>), FetchError> {
    let Some((mut scope, others)) = scopes.split_first() else { return Ok((Vec::new(), None)) };
    let mut listed = listing(reader, scope).await;
    // If every scope refuses, report the permission for the zone, because it is sufficient.
    let mut refused_by_zone = None;
    for other in others {
        match listed {
            Err(FetchError::Api { ref source, .. })
                if matches!(source.status(), Some(400..=404)) =>
            {
                let refusal = listed.err().filter(|_| matches!(scope, RulesetOwner::Zone(_)));
                refused_by_zone = refused_by_zone.or(refusal);
                scope = other;
                listed = listing(reader, scope).await;
            }
            _ => break,
        }
    }
    let Listing { managed: all, phases, .. } = match (listed, refused_by_zone) {
        (Err(_), Some(of_zone)) => return Err(of_zone),
        (listed, _) => listed?,
    };
    // Rulesets that are listed for an account may be readable only through its zones.
    let from = scopes.iter().position(|s| s == scope).unwrap_or(0);
    let catalogues = read_listed(reader, &scopes[from..], all, managed, options).await?;
    Ok((catalogues, phases.map(|phases| (scope.clone(), phases))))
}

/// Reads the requested rulesets of a list.
pub(super) async fn read_listed(
    reader: &dyn AnyReader,
    scopes: &[RulesetOwner],
    mut listed: Vec<ListedRuleset>,
    managed: &BTreeSet<Managed>,
    options: &ReadOptions,
) -> Result<Vec<Arc<Catalogue>>, FetchError> {
    settle_names(&mut listed);
    let is_wanted = |r: &ListedRuleset| r.which.is_some_and(|which| managed.contains(&which));
    let wanted_rulesets: Vec<_> = listed.into_iter().filter(is_wanted).collect();
    stream::iter(wanted_rulesets)
        .map(|ruleset| async move {
            fetch_catalogue(reader, scopes, &ruleset, options).await.map(Arc::new)
        })
        .buffered(options.concurrency.max(1))
        .try_collect()
        .await
}

/// Rulesets of a scope, without their rules.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Rulesets that Cloudflare maintains.
    pub(super) managed: Vec<ListedRuleset>,
    /// Rulesets of the scope itself.
    pub(super) own: Vec<OwnRuleset>,
    /// Phases of the scope's entry points. `None` if the list shows no ruleset of the managed
    /// phases.
    pub(super) phases: Option<BTreeSet<Phase>>,
}

/// Lists the rulesets of a scope.
pub(super) async fn listing(
    reader: &dyn AnyReader,
    scope: &RulesetOwner,
) -> Result<Listing, FetchError> {
    let what = || "the list of managed rulesets".to_owned();
    let mut rulesets = Listing::default();
    let mut cursors = BTreeSet::new();
    let mut cursor: Option<String> = None;
    for page in 1.. {
        if page > MOST_PAGES {
            return Err(FetchError::Endless {
                what: what(),
                pages: page - 1,
                items: rulesets.managed.len(),
                is_of_records: false,
            });
        }
        let (items, next) = until_usable(async || {
            let answer = reader.read(&list_rulesets(scope, cursor.as_deref())).await;
            let answer = answer.map_err(|source| FetchError::Api { what: what(), source })?;
            let Json::Array(items) = answer.result else {
                return Err(FetchError::NotAList { what: what() });
            };
            Ok((items, answer.cursor))
        })
        .await?;
        rulesets.managed.extend(read_managed(&items));
        rulesets.own.extend(read_own(&items));
        if let Some(listed) = read_listed_phases(&items) {
            rulesets.phases.get_or_insert_default().extend(listed);
        }
        // A repeated cursor would never end.
        match next.filter(|c| !items.is_empty() && cursors.insert(c.clone())) {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    Ok(rulesets)
}

/// Reads one managed ruleset with its rules, from the cache if it has this version.
async fn fetch_catalogue(
    reader: &dyn AnyReader,
    scopes: &[RulesetOwner],
    listed: &ListedRuleset,
    options: &ReadOptions,
) -> Result<Catalogue, FetchError> {
    let what = || format!("the rules of {}", listed.name);
    let cached = |version: &String| options.cache.as_ref()?.get(&listed.id.0, version);
    if let Some(json) = listed.version.as_ref().and_then(cached)
        && let Ok(catalogue) = read_catalogue(&json)
        && Some(&catalogue.version) == listed.version.as_ref()
        && catalogue.id == listed.id
        && !catalogue.rules.is_empty()
    {
        return Ok(Catalogue { which: listed.which, ..catalogue });
    }
    let (catalogue, json) = until_usable(async || {
        let mut scopes = scopes.iter();
        let answer = loop {
            // There is always a first scope, and the refusal of the last one is reported.
            let Some(scope) = scopes.next() else {
                return Err(FetchError::NotAList { what: what() });
            };
            match reader.read(&get_ruleset(scope, &listed.id)).await {
                Ok(answer) => break answer,
                Err(error) if matches!(error.status(), Some(400..=404)) && scopes.len() > 0 => {}
                Err(source) => return Err(FetchError::Api { what: what(), source }),
            }
        };
        match read_catalogue(&answer.result) {
            Ok(catalogue) => Ok((catalogue, answer.result)),
            Err(source) => Err(FetchError::Ruleset { what: what(), source }),
        }
    })
    .await?;
    if let Some(cache) = &options.cache {
        cache.put(&catalogue.id.0, &catalogue.version, &json);
    }
    Ok(Catalogue { which: listed.which, ..catalogue })
}

/// Reads the requested entry points of a zone.
pub(super) async fn read_entry_points(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    query: &WafQuery,
    (catalogues, listed): (Vec<Arc<Catalogue>>, Option<&BTreeSet<Phase>>),
    options: &ReadOptions,
) -> Result<LiveWaf, FetchError> {
    let is_absent = |phase: Phase| listed.is_some_and(|listed| !listed.contains(&phase));
    let entry_points = stream::iter(query.phases.iter().copied())
        .map(|phase| async move {
            let entry_point = match is_absent(phase) {
                true => EntryPoint::Absent,
                false => read_entry_point(reader, zone, phase).await?,
            };
            Ok::<_, FetchError>((phase, entry_point))
        })
        .buffered(options.concurrency.max(1))
        .try_collect()
        .await?;
    let mut waf = LiveWaf { entry_points, catalogues, ..LiveWaf::default() };
    for phase in query.watched.iter().copied() {
        let answer = match listed {
            Some(listed) if !listed.contains(&phase) => Ok(EntryPoint::Absent),
            // A recording costs no request.
            None if reader.lists_everything() => Err(Unread::NotAsked),
            Some(_) | None => read_entry_point(reader, zone, phase)
                .await
                .map_err(|error| Unread::Failed(error.in_short())),
        };
        match answer {
            Ok(found) => drop(waf.entry_points.insert(phase, found)),
            Err(why) => drop(waf.unread.insert(phase, why)),
        }
    }
    waf.pinned = pinned(reader, zone, &waf, options).await;
    Ok(waf)
}

/// Reads older versions of managed rulesets to which live rules are pinned, as far as they are
/// readable.
async fn pinned(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    waf: &LiveWaf,
    options: &ReadOptions,
) -> Vec<Arc<Catalogue>> {
    let mut catalogues = Vec::new();
    let managed = waf.entry_points.get(&Phase::Managed).map(EntryPoint::rules).unwrap_or_default();
    for rule in managed.iter().map(|rule| &rule.body).filter(|body| waf.executed(body).is_none()) {
        let served = rule.executes().and_then(|id| waf.catalogue(id));
        let (Some(served), Some(version)) = (served, rule.pinned_version()) else { continue };
        let cached = options.cache.as_ref().and_then(|cache| cache.get(&served.id.0, version));
        let json = match (cached, version.parse()) {
            (Some(json), _) => json,
            (None, Err(_)) => continue,
            (None, Ok(number)) => {
                let request = get_ruleset_version(&zone.id, &served.id, number);
                let Ok(answer) = reader.read(&request).await else { continue };
                answer.result
            }
        };
        let Ok(catalogue) = read_catalogue(&json) else { continue };
        if catalogue.id == served.id && catalogue.version == version {
            if let Some(cache) = &options.cache {
                cache.put(&catalogue.id.0, version, &json);
            }
            catalogues.push(Arc::new(Catalogue {
                which: served.which,
                name: served.name.clone(),
                ..catalogue
            }));
        }
    }
    catalogues
}

/// Returns the catalogues of a zone's account, and the phases of its entry points if its list was
/// read.
pub(super) fn catalogues_and_phases<'c>(
    all: &'c Catalogues,
    zone: &LiveZone,
    options: &ReadOptions,
) -> (Vec<Arc<Catalogue>>, Option<&'c BTreeSet<Phase>>) {
    (
        all.of_accounts.get(&account_of(zone, options)).cloned().unwrap_or_default(),
        all.of_zones.get(&zone.id),
    )
}

/// Reads the entry point of a phase of a zone.
///
/// # Errors
/// Fails with any error except the documented one for a missing entry point.
pub async fn read_entry_point(
    reader: &dyn AnyReader,
    zone: &LiveZone,
    phase: Phase,
) -> Result<EntryPoint, FetchError> {
    let what = || format!("the {} of {}", phase.about(), zone.name);
    until_usable(async || match reader.read(&get_entry_point(&zone.id, phase)).await {
        Ok(answer) => match read_ruleset(&answer.result) {
            Ok(ruleset) => Ok(EntryPoint::Present(ruleset)),
            Err(source) => Err(FetchError::Ruleset { what: what(), source }),
        },
        Err(error) if is_absent(&error) => Ok(EntryPoint::Absent),
        Err(source) => Err(FetchError::Api { what: what(), source }),
    })
    .await
}

/// Reads the rules of an account for its zones. A refusal is a result, because many tokens are
/// limited to zones.
pub async fn account_rules(reader: &dyn AnyReader, account: Option<&str>) -> AccountRules {
    let Some(account) = account else {
        return AccountRules::Unknown("the account of the zone is not known".to_owned());
    };
    let mut entry_points = BTreeMap::new();
    for phase in Phase::ALL {
        let entry_point = match reader.read(&get_account_entry_point(account, *phase)).await {
            Ok(answer) => match read_ruleset(&answer.result) {
                Ok(ruleset) => EntryPoint::Present(ruleset),
                Err(error) => return AccountRules::Unknown(error.to_string()),
            },
            Err(error) if is_absent(&error) => EntryPoint::Absent,
            Err(error) => {
                let reasons = error.reasons().unwrap_or_else(|| error.to_string());
                return AccountRules::Unknown(
                    [Some(reasons), error.advice()]
                        .into_iter()
                        .flatten()
                        .collect::<Vec<_>>()
                        .join("; "),
                );
            }
        };
        entry_points.insert(*phase, entry_point);
    }
    AccountRules::Known(entry_points)
}

/// Returns true if Cloudflare reports that there is no entry point.
fn is_absent(error: &ApiError) -> bool {
    error.status().is_some_and(|status| is_no_entry_point(status, error.messages()))
}

/// Returns true if a refusal reports that there is no entry point.
pub(super) fn is_no_entry_point(status: u16, messages: &[ApiMessage]) -> bool {
    status == 404 && messages.iter().any(|message| message.code == Some(NO_ENTRY_POINT))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use serde_json::json;

    use super::*;
    use crate::api::Reader;
    use crate::wire::{Envelope, Request};

    /// A server that returns another ruleset and a new cursor for each request.
    struct Service(AtomicU64);

    impl Reader for Service {
        async fn read(&self, _: &Request) -> Result<Envelope, ApiError> {
            let n = self.0.fetch_add(1, Ordering::Relaxed);
            let cursors = json!({ "cursors": { "after": format!("c{n}") } });
            let body = json!({ "success": true, "result": [{ "id": n.to_string() }], "result_info": cursors });
            Ok(Envelope::read(200, body.to_string().as_bytes()).expect("it is an envelope"))
        }
    }

    #[tokio::test]
    async fn a_list_without_end_is_refused() {
        let service = Service(AtomicU64::new(0));
        let listed = listing(&service, &RulesetOwner::Account("a".to_owned())).await;
        assert!(matches!(listed, Err(FetchError::Endless { .. })), "{listed:?}");
        assert_eq!(service.0.into_inner(), MOST_PAGES);
    }
}
