//! Reads zones for an import: the parts that a spec can have, and the names of everything else that
//! affects them.
//!
//! A refusal by Cloudflare is a result: the part is unknown. Only the records must be readable.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::stream::{self, StreamExt, TryStreamExt};

use super::any_reader::AnyReader;
use super::breadth::{Breadth, Wanted};
use super::error::FetchError;
use super::read_options::{ReadOptions, ZoneQuery};
use super::rulesets::{self, Listing, account_of};
use super::{records, settings, zones};
use crate::api::ApiError;
use crate::model::facts::permissions::{Permission, PermissionGroup};
use crate::model::facts::phases::PHASES;
use crate::model::facts::resources::{DNS_SETTINGS, DNSSEC, RULESETS, SETTINGS};
use crate::model::facts::settings::OFTEN_NAMED;
use crate::model::managed::{Catalogue, Managed};
use crate::model::ruleset::{LiveRule, LiveWaf, Phase, counting_expression};
use crate::model::{Gather, LiveSetting, LiveZone, Value, ZoneId, ZoneName};
use crate::wire::resource::{get_resource, resource_in_words};
use crate::wire::ruleset::{OwnRuleset, RulesetOwner, get_ruleset, read_ruleset};
use crate::wire::settings::{
    get_dns_settings, get_dnssec, get_setting, list_settings, read_dns_settings, read_dnssec,
    read_settings,
};

/// A zone with everything that was read.
#[derive(Debug, Clone)]
pub struct WholeZone {
    /// The parts that a spec can have.
    pub live: LiveZone,
    /// Descriptions of everything else that affects the zone.
    pub acting: Vec<String>,
    /// Parts that could not be read.
    pub unknown: Vec<Unknown>,
}

/// A part that Cloudflare did not show.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unknown {
    /// Description of the part.
    pub about: String,
    /// Permission that the read needs.
    pub permission: String,
    /// Cloudflare's reason.
    pub why: String,
}

impl Unknown {
    fn new(about: impl Into<String>, group: PermissionGroup, why: String) -> Self {
        Self { about: about.into(), permission: Permission::read(group).dashboard_name(), why }
    }
}

/// Zones with everything that was read.
#[derive(Debug, Clone, Default)]
pub struct WholeZones {
    /// Zones that exist.
    pub zones: Vec<WholeZone>,
    /// Zones that do not exist, or that these credentials cannot see.
    pub missing: Vec<ZoneName>,
    /// Resources that were not read, to save requests.
    pub left_out: Vec<&'static str>,
    /// True if Cloudflare no longer lists all settings of a zone at once, so that only some were
    /// read, or none.
    pub lacks_settings: bool,
}

/// Reads zones with all requested parts, as far as the number of requests allows.
///
/// # Errors
/// Fails with the first read without an answer, and if records cannot be read.
pub async fn fetch_whole_zones(
    reader: &dyn AnyReader,
    names: &[ZoneName],
    wanted: Wanted,
    options: &ReadOptions,
) -> Result<WholeZones, FetchError> {
    let queries: Vec<ZoneQuery> = names.iter().cloned().map(ZoneQuery::new).collect();
    let live_zones = zones::find_zones(reader, &queries, options).await?;
    let missing = names.iter().filter(|name| !live_zones.contains_key(*name)).cloned().collect();
    let breadth = Breadth::of(live_zones.len(), wanted);
    let listings = listings(reader, &live_zones, breadth, options).await?;
    let catalogues = catalogues(reader, &live_zones, &listings, options).await?;
    let zone_reader = ZoneReader {
        reader,
        options,
        breadth,
        has_no_settings_list: AtomicBool::new(false),
        lacks_settings: AtomicBool::new(false),
    };
    let zones = stream::iter(live_zones.into_values())
        .map(|zone| {
            let listing = listings.get(&zone.id);
            let known_catalogues =
                catalogues.get(&account_of(&zone, options)).cloned().unwrap_or_default();
            zone_reader.read(zone, listing, known_catalogues)
        })
        .buffered(options.concurrency.max(1))
        .try_collect()
        .await?;
    let left_out = if wanted.others { breadth.left_out() } else { Vec::new() };
    let lacks_settings = zone_reader.lacks_settings.load(Ordering::Relaxed);
    Ok(WholeZones { zones, missing, left_out, lacks_settings })
}

/// The rulesets of a zone, or Cloudflare's reason for refusing the list.
type ListingOrRefusal = Result<Listing, String>;

/// Lists the rulesets of each zone.
async fn listings(
    reader: &dyn AnyReader,
    zones: &BTreeMap<ZoneName, LiveZone>,
    breadth: Breadth,
    options: &ReadOptions,
) -> Result<BTreeMap<ZoneId, ListingOrRefusal>, FetchError> {
    if !breadth.rules {
        return Ok(BTreeMap::new());
    }
    stream::iter(zones.values())
        .map(|zone| async move {
            let listing =
                match rulesets::listing(reader, &RulesetOwner::Zone(zone.id.clone())).await {
                    Ok(listing) => Ok(listing),
                    Err(error) => Err(refusal_of(error)?),
                };
            Ok::<_, FetchError>((zone.id.clone(), listing))
        })
        .buffer_unordered(options.concurrency.max(1))
        .try_collect()
        .await
}

/// Reads the managed rulesets of each account with a zone that can deploy them, through the first
/// such zone.
async fn catalogues(
    reader: &dyn AnyReader,
    zones: &BTreeMap<ZoneName, LiveZone>,
    listings: &BTreeMap<ZoneId, ListingOrRefusal>,
    options: &ReadOptions,
) -> Result<BTreeMap<Option<String>, Vec<Arc<Catalogue>>>, FetchError> {
    let managed: BTreeSet<Managed> = Managed::ALL.iter().copied().collect();
    let mut catalogues = BTreeMap::new();
    for zone in zones.values() {
        let Some(Ok(listing)) = listings.get(&zone.id) else { continue };
        let account = account_of(zone, options);
        if catalogues.contains_key(&account) || !phases_to_read(listing).contains(&Phase::Managed) {
            continue;
        }
        let scopes = [RulesetOwner::Zone(zone.id.clone())];
        let read =
            rulesets::read_listed(reader, &scopes, listing.managed.clone(), &managed, options)
                .await;
        let of_account = match read {
            Ok(read) => read,
            Err(error) => refusal_of(error).map(|_| Vec::new())?,
        };
        catalogues.insert(account, of_account);
    }
    Ok(catalogues)
}

/// Returns the phases of a zone to read: those that its list shows, or all if the list may hide
/// some.
fn phases_to_read(listing: &Listing) -> BTreeSet<Phase> {
    listing.phases.clone().unwrap_or_else(|| Phase::ALL.iter().copied().collect())
}

/// Returns Cloudflare's reason for a refusal.
///
/// # Errors
/// Returns other errors unchanged.
fn refusal_of(error: FetchError) -> Result<String, FetchError> {
    match error {
        FetchError::Api { ref source, .. } => refusal(source).ok_or(error),
        other => Err(other),
    }
}

/// Returns Cloudflare's reason if the error is a refusal.
fn refusal(error: &ApiError) -> Option<String> {
    let is_refusal = matches!(error.status(), Some(400..=428 | 430..=499));
    is_refusal.then(|| error.reasons().unwrap_or_else(|| error.to_string()))
}

/// Reads zones, one at a time.
struct ZoneReader<'r> {
    reader: &'r dyn AnyReader,
    options: &'r ReadOptions,
    breadth: Breadth,
    /// True if Cloudflare no longer lists the settings of a zone.
    has_no_settings_list: AtomicBool,
    /// True if settings were left out for that reason.
    lacks_settings: AtomicBool,
}

impl ZoneReader<'_> {
    async fn read(
        &self,
        mut live: LiveZone,
        listing: Option<&ListingOrRefusal>,
        catalogues: Vec<Arc<Catalogue>>,
    ) -> Result<WholeZone, FetchError> {
        live.records = records::read_all_records(self.reader, &live, self.options, &|_| {}).await?;
        live.waf.catalogues = catalogues;
        let mut zone = WholeZone { live, acting: Vec::new(), unknown: Vec::new() };
        self.read_settings(&mut zone).await?;
        self.read_dns(&mut zone).await?;
        self.read_rules(&mut zone, listing).await?;
        self.read_unmanaged(&mut zone).await?;
        zone.acting.extend(setup_in_words(&zone.live));
        Ok(zone)
    }

    /// Reads the settings: all at once, or the requested ones by name if Cloudflare has removed the
    /// list.
    async fn read_settings(&self, whole: &mut WholeZone) -> Result<(), FetchError> {
        if !self.breadth.settings {
            return Ok(());
        }
        let zone = whole.live.id.clone();
        if !self.has_no_settings_list.load(Ordering::Relaxed) {
            match self.reader.read(&list_settings(&zone)).await {
                Ok(answer) => {
                    let what = || FetchError::NotAList {
                        what: format!("the settings of {}", whole.live.name),
                    };
                    let listed = read_settings(&answer.result).ok_or_else(what)?;
                    whole.live.settings.settings = listed.settings;
                    if !listed.without_value.is_empty() {
                        whole.acting.push(format!(
                            "settings without a value ({})",
                            listed.without_value.join(", ")
                        ));
                    }
                    return Ok(());
                }
                Err(error) if self.is_end_of_list(&error, &zone).await => {
                    self.has_no_settings_list.store(true, Ordering::Relaxed);
                }
                Err(error) => return self.note(whole, SETTINGS.about, SETTINGS.permission, error),
            }
        }
        self.lacks_settings.store(true, Ordering::Relaxed);
        match settings::read_named(
            self.reader,
            &whole.live,
            self.breadth.by_name.list(),
            self.options,
        )
        .await
        {
            Ok(named) => {
                for (name, setting) in named {
                    match setting {
                        LiveSetting::Refused(why) => {
                            whole.unknown.push(Unknown::new(
                                format!("the setting {name}"),
                                SETTINGS.permission,
                                why,
                            ));
                        }
                        value @ LiveSetting::Value { .. } => {
                            drop(whole.live.settings.settings.insert(name, value))
                        }
                    }
                }
                Ok(())
            }
            Err(FetchError::Api { source, .. }) => {
                self.note(whole, SETTINGS.about, SETTINGS.permission, source)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns true if a refusal means that Cloudflare has removed the list of settings. If the
    /// permission may be missing instead, a single setting, which needs the same permission,
    /// decides.
    async fn is_end_of_list(&self, error: &ApiError, zone: &ZoneId) -> bool {
        if error.is_no_such_route() || matches!(error.status(), Some(404 | 405 | 410)) {
            return true;
        }
        error.status() == Some(403)
            && self.reader.read(&get_setting(zone, OFTEN_NAMED[0])).await.is_ok()
    }

    /// Records that Cloudflare did not show something.
    ///
    /// # Errors
    /// Fails if Cloudflare did not answer at all.
    fn note(
        &self,
        whole: &mut WholeZone,
        about: &str,
        group: PermissionGroup,
        error: ApiError,
    ) -> Result<(), FetchError> {
        let what = || format!("{about} of {}", whole.live.name);
        let why = match (refusal(&error), error.status()) {
            (Some(why), _) => why,
            (None, Some(status @ 500..)) => format!("Cloudflare answered {status}"),
            (None, _) => return Err(FetchError::Api { what: what(), source: error }),
        };
        whole.unknown.push(Unknown::new(about, group, why));
        Ok(())
    }

    async fn read_dns(&self, whole: &mut WholeZone) -> Result<(), FetchError> {
        let zone = whole.live.id.clone();
        if self.breadth.dnssec {
            match self.reader.read(&get_dnssec(&zone)).await {
                Ok(answer) => whole.live.settings.dnssec = read_dnssec(&answer.result),
                Err(error) => self.note(whole, DNSSEC.about, DNSSEC.permission, error)?,
            }
        }
        if self.breadth.dns_settings {
            match self.reader.read(&get_dns_settings(&zone)).await {
                Ok(answer) => whole.live.settings.dns_settings = read_dns_settings(&answer.result),
                Err(error) => {
                    self.note(whole, DNS_SETTINGS.about, DNS_SETTINGS.permission, error)?
                }
            }
        }
        Ok(())
    }

    /// Reads the rules that a spec can have, and counts the rules in other phases.
    async fn read_rules(
        &self,
        whole: &mut WholeZone,
        listing: Option<&ListingOrRefusal>,
    ) -> Result<(), FetchError> {
        let listing = match listing {
            None => return Ok(()),
            Some(Ok(listing)) => listing,
            Some(Err(why)) => {
                whole.unknown.push(Unknown::new(RULESETS.about, RULESETS.permission, why.clone()));
                return Ok(());
            }
        };
        let mut lists = BTreeSet::new();
        for phase in phases_to_read(listing) {
            match rulesets::read_entry_point(self.reader, &whole.live, phase).await {
                Ok(entry_point) => drop(whole.live.waf.entry_points.insert(phase, entry_point)),
                Err(error) => {
                    let why = refusal_of(error)?;
                    whole.unknown.push(Unknown::new(phase.about(), phase.facts().permission, why));
                }
            }
        }
        lists.extend(lists_of_waf(&whole.live.waf));
        let is_entry_point = |own: &&OwnRuleset| {
            own.kind == "zone" && Phase::ALL.iter().any(|phase| phase.as_str() == own.phase)
        };
        for own in listing.own.iter().filter(|own| !is_entry_point(own)) {
            let (about, permission) = phase_in_words(own);
            if !self.breadth.counts_rules {
                whole.acting.push(about);
                continue;
            }
            let scope = RulesetOwner::Zone(whole.live.id.clone());
            match self.reader.read(&get_ruleset(&scope, &own.id)).await {
                Ok(answer) => match read_ruleset(&answer.result) {
                    Ok(ruleset) if ruleset.rules.is_empty() => {}
                    Ok(ruleset) => {
                        lists.extend(ruleset.rules.iter().flat_map(lists_of_rule));
                        whole.acting.push(format!("{about} ({})", rules_in_words(&ruleset.rules)));
                    }
                    Err(_) => whole
                        .acting
                        .push(format!("{about} (in a form that this version does not know)")),
                },
                Err(error) => {
                    whole.acting.push(about.clone());
                    self.note(whole, &format!("the number of {about}"), permission, error)?;
                }
            }
        }
        if !lists.is_empty() {
            let names: Vec<String> = lists.into_iter().map(|name| format!("${name}")).collect();
            whole
                .acting
                .push(format!("lists of the account that rules use ({})", names.join(", ")));
        }
        if self.breadth.counts_rules {
            self.read_account(whole).await?;
        }
        Ok(())
    }

    /// Lists the rulesets of the account, which affect its zones too.
    async fn read_account(&self, whole: &mut WholeZone) -> Result<(), FetchError> {
        let about = "rulesets of the account";
        let Some(account) = account_of(&whole.live, self.options) else {
            let why = "the account of the zone is not known".to_owned();
            whole.unknown.push(Unknown::new(about, PermissionGroup::AccountRulesets, why));
            return Ok(());
        };
        match rulesets::listing(self.reader, &RulesetOwner::Account(account)).await {
            Ok(listing) => {
                let roots = listing
                    .own
                    .iter()
                    .filter(|own| own.kind == "root")
                    .map(|own| phase_in_words(own).0);
                let roots: Vec<String> = roots.collect();
                if !roots.is_empty() {
                    whole.acting.push(format!("{about} ({})", roots.join(", ")));
                }
            }
            Err(error) => {
                let why = refusal_of(error)?;
                whole.unknown.push(Unknown::new(about, PermissionGroup::AccountRulesets, why));
            }
        }
        Ok(())
    }

    /// Lists resources that no spec manages.
    async fn read_unmanaged(&self, whole: &mut WholeZone) -> Result<(), FetchError> {
        let zone = &whole.live.id.clone();
        let answers: Vec<_> = stream::iter(self.breadth.others)
            .map(|resource| async move {
                (resource, self.reader.read(&get_resource(zone, resource)).await)
            })
            .buffered(self.options.concurrency.max(1))
            .collect()
            .await;
        for (resource, answer) in answers {
            match answer {
                Ok(answer) => {
                    whole.acting.extend(resource_in_words(
                        resource,
                        &answer.result,
                        answer.page.total_count,
                    ));
                }
                // Cloudflare does not have the resource, or not on this plan.
                Err(error) if error.is_no_such_route() || error.status() == Some(404) => {}
                Err(error) => self.note(whole, resource.about, resource.permission, error)?,
            }
        }
        Ok(())
    }
}

/// Describes a ruleset of a phase, and returns the permission for its rules.
fn phase_in_words(own: &OwnRuleset) -> (String, PermissionGroup) {
    let facts = PHASES.iter().find(|facts| facts.name == own.phase);
    let about = facts.map_or_else(
        || format!("rules of the phase {}", own.phase),
        |facts| facts.about.to_owned(),
    );
    let about = if own.kind == "custom" { format!("a custom ruleset with {about}") } else { about };
    (about, facts.map_or(RULESETS.permission, |facts| facts.permission))
}

/// Describes the numbers of rules and of disabled rules.
fn rules_in_words(rules: &[LiveRule]) -> String {
    let off =
        rules.iter().filter(|rule| rule.body.get("enabled") == Some(&Value::Bool(false))).count();
    let verb = if rules.len() == 1 { "rule" } else { "rules" };
    let without_effect = if off > 0 { format!(", {off} of them off") } else { String::new() };
    format!("{} {verb}{without_effect}", rules.len())
}

/// Describes how the zone is served.
fn setup_in_words(zone: &LiveZone) -> Vec<String> {
    let paused = zone
        .is_paused
        .then(|| "a pause: no rule applies, and Cloudflare answers with the records".to_owned());
    let setup = zone
        .setup
        .as_deref()
        .filter(|setup| *setup != "full")
        .map(|setup| format!("the setup `{setup}`"));
    paused.into_iter().chain(setup).collect()
}

/// Returns the names of the lists that rules use.
fn lists_of_waf(waf: &LiveWaf) -> BTreeSet<String> {
    waf.entry_points
        .values()
        .flat_map(|entry_point| entry_point.rules())
        .flat_map(lists_of_rule)
        .gather()
}

/// Returns the names of the lists that a rule's expressions use.
fn lists_of_rule(rule: &LiveRule) -> BTreeSet<String> {
    let counted = rule.body.rate_limit().and_then(counting_expression);
    let expressions = rule.body.text("expression").into_iter().chain(counted);
    expressions.flat_map(lists_of_expression).gather()
}

/// Returns the names of the lists that an expression uses: `$name` outside of strings.
fn lists_of_expression(expression: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    // Every second part is between quotes; a quote within a string is escaped.
    let outside = expression.replace("\\\"", "").replace("\\\\", "");
    for part in outside.split('"').step_by(2) {
        for name in part.split('$').skip(1) {
            let end = name
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
                .unwrap_or(name.len());
            if end > 0 {
                names.insert(name[..end].to_owned());
            }
        }
    }
    names
}
