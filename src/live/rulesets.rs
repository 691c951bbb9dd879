//! Reads the protection of zones: entry points, and the managed rulesets that they deploy.
//!
//! Only the documented response "there is no entry point" means that there is none. If any other failure counted as an
//! empty entry point, a later write would delete the rules of others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use serde_json::Value as Json;

use super::fetch::{FetchError, Options};
use super::retry::until_usable;
use crate::api::{ApiError, Reader};
use crate::model::LiveZone;
use crate::model::managed::{Catalogue, Managed};
use crate::model::ruleset::{DesiredWaf, EntryPoint, LiveWaf, Phase, RuleForm, SkipTarget};
use crate::wire::ApiMessage;
use crate::wire::ruleset::{
    ListedRuleset, Scope, get_entry_point, get_ruleset, list_rulesets, read_catalogue, read_managed, read_ruleset,
    settle_names,
};

/// "Could not find entrypoint ruleset in the … phase".
const NO_ENTRY_POINT: i64 = 10003;
/// Largest number of pages of a list of rulesets.
const MOST_PAGES: u64 = 100;

/// The parts of a zone's protection to read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WafQuery {
    /// Entry points.
    pub phases: BTreeSet<Phase>,
    /// Managed rulesets.
    pub managed: BTreeSet<Managed>,
}

impl WafQuery {
    /// Everything.
    #[must_use]
    pub fn everything() -> Self {
        Self { phases: Phase::ALL.iter().copied().collect(), managed: Managed::ALL.iter().copied().collect() }
    }

    /// What a section of the spec requires.
    #[must_use]
    pub fn of(wants: &DesiredWaf) -> Self {
        let mut managed: BTreeSet<Managed> = wants.deployments.iter().map(|d| d.ruleset).collect();
        let lists = [&wants.exceptions, &wants.custom, &wants.rate_limits];
        for rule in lists.into_iter().flatten().flatten() {
            let RuleForm::Skip(targets) = &rule.form else { continue };
            managed.extend(targets.iter().filter_map(|target| match target {
                SkipTarget::Ruleset(managed) | SkipTarget::Rules(managed, _) => Some(*managed),
                SkipTarget::Everything | SkipTarget::RulesetId(_) | SkipTarget::Phase(_) | SkipTarget::Product(_) => {
                    None
                }
            }));
        }
        if wants.exceptions.is_some() {
            // The effect of skipping everything is known only with the rulesets that are skipped.
            managed.insert(Managed::Owasp);
        }
        Self { phases: wants.phases().collect(), managed }
    }
}

/// Caches managed rulesets between runs. They are large, and a list shows whether they have changed.
pub trait CatalogueCache: fmt::Debug + Send + Sync {
    /// The ruleset with this id and version, as the API returned it.
    fn get(&self, id: &str, version: &str) -> Option<Json>;
    /// Stores it. A failure only costs a request next time, so it is not reported.
    fn put(&self, id: &str, version: &str, ruleset: &Json);
}

/// Managed rulesets by account.
pub(super) type Catalogues = BTreeMap<Option<String>, Vec<Arc<Catalogue>>>;

/// Reads the managed rulesets that any zone of each account needs, once per account.
pub(super) async fn catalogues<R: Reader>(
    reader: &R,
    zones: &[(&LiveZone, &WafQuery)],
    options: &Options,
) -> Result<Catalogues, FetchError> {
    let mut needs: BTreeMap<Option<String>, (BTreeSet<Managed>, &LiveZone)> = BTreeMap::new();
    for (zone, query) in zones.iter().filter(|(_, query)| !query.managed.is_empty()) {
        let account = account_of(zone, options);
        needs.entry(account).or_insert_with(|| (BTreeSet::new(), zone)).0.extend(&query.managed);
    }
    let mut all = Catalogues::new();
    for (account, (managed, zone)) in needs {
        let through_zone = Scope::Zone(zone.id.clone());
        let scope = account.as_ref().map(|id| Scope::Account(id.clone()));
        let scopes: Vec<_> = scope.into_iter().chain([through_zone]).collect();
        let of_account = read_catalogues(reader, &scopes, &managed, options).await?;
        all.insert(account, of_account);
    }
    Ok(all)
}

/// Reads the managed rulesets for a zone that does not exist yet, if an account is named.
pub(super) async fn of_account<R: Reader>(
    reader: &R,
    query: &WafQuery,
    options: &Options,
) -> Result<Vec<Arc<Catalogue>>, FetchError> {
    match &options.account {
        Some(account) if !query.managed.is_empty() => {
            read_catalogues(reader, &[Scope::Account(account.clone())], &query.managed, options).await
        }
        Some(_) | None => Ok(Vec::new()),
    }
}

/// The account of a zone, if known.
pub(super) fn account_of(zone: &LiveZone, options: &Options) -> Option<String> {
    zone.account.clone().or_else(|| options.account.clone())
}

/// Reads managed rulesets through the first scope that these credentials can access: an account, or one of its zones.
async fn read_catalogues<R: Reader>(
    reader: &R,
    scopes: &[Scope],
    managed: &BTreeSet<Managed>,
    options: &Options,
) -> Result<Vec<Arc<Catalogue>>, FetchError> {
    let Some((mut scope, others)) = scopes.split_first() else { return Ok(Vec::new()) };
    let mut listed = list(reader, scope).await;
    for other in others {
        match &listed {
            Err(FetchError::Api { source, .. }) if matches!(source.status(), Some(400..=404)) => {
                scope = other;
                listed = list(reader, scope).await;
            }
            _ => break,
        }
    }
    let mut listed = listed?;
    settle_names(&mut listed);
    let wanted = |r: &ListedRuleset| r.which.is_some_and(|which| managed.contains(&which));
    let wanted: Vec<_> = listed.into_iter().filter(wanted).collect();
    // Rulesets that are listed for an account may be readable only through its zones.
    let from = scopes.iter().position(|s| s == scope).unwrap_or(0);
    let scopes = &scopes[from..];
    stream::iter(wanted)
        .map(|ruleset| async move { one(reader, scopes, &ruleset, options).await.map(Arc::new) })
        .buffered(options.concurrency.max(1))
        .try_collect()
        .await
}

/// The managed rulesets of a scope.
async fn list<R: Reader>(reader: &R, scope: &Scope) -> Result<Vec<ListedRuleset>, FetchError> {
    let what = || "the list of managed rulesets".to_owned();
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    let mut cursor: Option<String> = None;
    for page in 1.. {
        if page > MOST_PAGES {
            return Err(FetchError::Endless { what: what(), pages: page - 1, items: all.len() });
        }
        let (items, next) = until_usable(async || {
            let answer = reader.read(&list_rulesets(scope, cursor.as_deref())).await;
            let answer = answer.map_err(|source| FetchError::Api { what: what(), source })?;
            let Json::Array(items) = answer.result else { return Err(FetchError::NotAList { what: what() }) };
            Ok((items, answer.cursor))
        })
        .await?;
        all.extend(read_managed(&items));
        // A repeated cursor leads nowhere.
        match next.filter(|c| !items.is_empty() && seen.insert(c.clone())) {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    Ok(all)
}

/// One managed ruleset with its rules, from the cache if it has this version.
async fn one<R: Reader>(
    reader: &R,
    scopes: &[Scope],
    listed: &ListedRuleset,
    options: &Options,
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
            let Some(scope) = scopes.next() else { return Err(FetchError::NotAList { what: what() }) };
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
pub(super) async fn read<R: Reader>(
    reader: &R,
    zone: &LiveZone,
    query: &WafQuery,
    catalogues: Vec<Arc<Catalogue>>,
    options: &Options,
) -> Result<LiveWaf, FetchError> {
    let entry_points = stream::iter(query.phases.iter().copied())
        .map(|phase| async move { Ok::<_, FetchError>((phase, entry_point(reader, zone, phase).await?)) })
        .buffered(options.concurrency.max(1))
        .try_collect()
        .await?;
    Ok(LiveWaf { entry_points, catalogues })
}

/// The catalogues of a zone's account.
pub(super) fn of_zone(all: &Catalogues, zone: &LiveZone, options: &Options) -> Vec<Arc<Catalogue>> {
    all.get(&account_of(zone, options)).cloned().unwrap_or_default()
}

/// Reads the entry point of a phase of a zone.
///
/// # Errors
/// Any failure except the documented "there is none".
pub async fn entry_point<R: Reader>(reader: &R, zone: &LiveZone, phase: Phase) -> Result<EntryPoint, FetchError> {
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

/// Whether Cloudflare says that there is no entry point.
fn is_absent(error: &ApiError) -> bool {
    error.status().is_some_and(|status| is_no_entry_point(status, error.messages()))
}

/// Whether a refusal says that there is no entry point.
pub(super) fn is_no_entry_point(status: u16, messages: &[ApiMessage]) -> bool {
    status == 404 && messages.iter().any(|message| message.code == Some(NO_ENTRY_POINT))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use serde_json::json;

    use super::*;
    use crate::wire::{Envelope, Request};

    /// Responds to each request with another ruleset and a new cursor.
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
        let listed = list(&service, &Scope::Account("a".to_owned())).await;
        assert!(matches!(listed, Err(FetchError::Endless { .. })), "{listed:?}");
        assert_eq!(service.0.into_inner(), MOST_PAGES);
    }
}
