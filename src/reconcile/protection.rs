//! The protection of zones: the live one, and the one that a goal wants.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::goal::Goal;
use crate::diff::{diff_rulesets, planned};
use crate::insight::dns::Serving;
use crate::insight::traffic::Protection;
use crate::live::{
    AnyReader, FetchError, MissingZone, ReadOptions, WafQuery, ZoneQuery, account_of,
    account_rules, fetch_protection, fetch_waf_of_new,
};
use crate::model::managed::{Catalogue, Managed};
use crate::model::ruleset::{AccountRules, EntryPoint, LiveWaf};
use crate::model::{DesiredZone, Gather, LiveZone, Tier, Unmanaged, ZoneName};
use crate::plan::{DeploymentInForce, deployments_in_force};

/// A zone of a spec.
#[derive(Debug)]
pub(crate) struct Protected {
    /// Zone that the protection belongs to.
    pub name: ZoneName,
    /// How it is served once the settings of the spec are applied. Rules apply to proxied hosts
    /// only.
    pub serving: Serving,
    /// Its live protection.
    pub before: LiveWaf,
    /// Its desired protection.
    pub after: LiveWaf,
    /// The deployments of the spec, compared with its promises.
    pub in_force: Vec<DeploymentInForce>,
    /// Number of entries of the spec that cannot be applied, or have no effect.
    pub problems: usize,
}

/// The protection of a live zone.
#[derive(Debug)]
pub(crate) struct LiveProtection {
    /// The zone.
    pub name: ZoneName,
    /// Its rules.
    pub waf: LiveWaf,
    /// The rules of its account.
    pub account: AccountRules,
    /// True if Cloudflare applies the rules of the account to it.
    pub is_enterprise: bool,
}

impl LiveProtection {
    /// Returns the rules for the evaluation of requests. The rules of the account, which Cloudflare
    /// applies to Enterprise zones, are not evaluated.
    pub(crate) fn for_requests(&self) -> Protection {
        let protection = Protection::new(&self.waf, |_, _| None);
        match &self.account {
            _ if !self.is_enterprise => protection,
            AccountRules::Known(entry_points)
                if entry_points.values().all(|entry_point| entry_point.rules().is_empty()) =>
            {
                protection
            }
            AccountRules::Known(_) => protection.with_unread("rules of the account"),
            AccountRules::Unknown(_) => {
                protection.with_unread("rules of the account, which are not known")
            }
        }
    }
}

/// The reason why the protection is unknown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProtectionError {
    /// It cannot be read.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A zone does not exist, or the credentials may not see it.
    #[error(transparent)]
    NoZone(#[from] MissingZone),
}

/// Returns the query for the protection of a zone.
fn query(name: &ZoneName) -> ZoneQuery {
    ZoneQuery { waf: WafQuery::everything(), ..ZoneQuery::new(name.clone()) }
}

/// Reads the protection of the zones of a goal, by name. Zones that are still to be created have
/// none.
///
/// # Errors
/// Fails if a zone cannot be read or does not exist.
pub(crate) async fn protection(
    goal: &Goal,
    reader: &dyn AnyReader,
    options: &ReadOptions,
) -> Result<Vec<Protected>, ProtectionError> {
    let zones = goal.desired.zones.values();
    let queries: Vec<_> =
        zones.map(|zone| ZoneQuery { id: zone.id.clone(), ..query(&zone.name) }).collect();
    let fetched = fetch_protection(reader, &queries, options).await?;
    let mut zones = fetched.live.zones;
    for name in &fetched.missing {
        if !goal.desired.zones.get(name).is_some_and(|z| z.create && z.id.is_none()) {
            return Err(MissingZone::named(name, options.account.as_deref()).into());
        }
        let waf = fetch_waf_of_new(reader, &WafQuery::everything(), options).await?;
        zones.insert(name.clone(), LiveZone { waf, ..LiveZone::to_be_made(name.clone()) });
    }
    let mut protected_zones = Vec::new();
    for zone in zones.into_values() {
        let Some(desired) = goal.desired.zones.get(&zone.name) else { continue };
        let changes = diff_rulesets(desired, &zone);
        let planned_waf = planned(&zone.waf, &changes);
        let problems = changes.problems.len() + changes.misplaced.len();
        let serving = Serving::of_live(&zone).with(&desired.settings);
        let in_force = deployments_in_force(desired, &zone);
        protected_zones.push(Protected {
            name: zone.name.clone(),
            serving,
            after: planned_waf,
            before: zone.waf,
            in_force,
            problems,
        });
    }
    Ok(protected_zones)
}

/// Returns the protection that a spec alone gives a zone. Live rules that it does not name are
/// among those that are not evaluated. With the rules of the OWASP ruleset, its score is evaluated.
#[must_use]
pub(crate) fn protection_in_spec(zone: &DesiredZone, owasp: Option<&Arc<Catalogue>>) -> Protection {
    let phases = zone.waf.iter().flat_map(|waf| waf.phases());
    let entry_points = phases.map(|phase| (phase, EntryPoint::Absent)).gather();
    let catalogues = owasp.cloned().into_iter().collect();
    let waf = LiveWaf { entry_points, catalogues, ..LiveWaf::default() };
    let empty = LiveZone { waf, ..LiveZone::to_be_made(zone.name.clone()) };
    let waf = planned(&empty.waf, &diff_rulesets(zone, &empty));
    let mut protection = Protection::new(&waf, |phase, name| zone.place_of_rule(phase, name));
    if zone.waf.as_ref().is_none_or(|waf| waf.unmanaged != Unmanaged::Prune) {
        protection = protection.with_unread("live rules that the spec does not name");
    }
    let deployments = zone.waf.iter().flat_map(|waf| &waf.deployments);
    let mut of_owasp =
        deployments.filter(|deployment| deployment.ruleset == Managed::Owasp && owasp.is_some());
    match of_owasp.any(|deployment| deployment.paranoia.is_none() && deployment.raw.is_none()) {
        true => protection.with_unread(
            "the live paranoia level, which the spec does not set: level 4 is assumed",
        ),
        false => protection,
    }
}

/// Reads the protection of zones by their names.
///
/// # Errors
/// Fails if a zone cannot be read or does not exist.
pub(crate) async fn protection_of(
    names: &[ZoneName],
    reader: &dyn AnyReader,
    options: &ReadOptions,
) -> Result<Vec<LiveProtection>, ProtectionError> {
    let queries: Vec<_> = names.iter().map(query).collect();
    let fetched = fetch_protection(reader, &queries, options).await?;
    if let Some(name) = fetched.missing.first() {
        return Err(MissingZone::named(name, options.account.as_deref()).into());
    }
    let mut of_accounts: BTreeMap<Option<String>, AccountRules> = BTreeMap::new();
    let mut protections = Vec::new();
    for zone in fetched.live.zones.into_values() {
        let account = account_of(&zone, options);
        let rules = match of_accounts.get(&account) {
            Some(rules) => rules.clone(),
            None => account_rules(reader, account.as_deref()).await,
        };
        of_accounts.insert(account, rules.clone());
        let is_enterprise = zone.tier == Tier::Enterprise;
        protections.push(LiveProtection {
            name: zone.name,
            waf: zone.waf,
            account: rules,
            is_enterprise,
        });
    }
    Ok(protections)
}
