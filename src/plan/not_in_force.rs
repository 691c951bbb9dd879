//! Findings for parts of a spec that have no effect at Cloudflare, so that a plan without
//! operations is not mistaken for agreement.
//!
//! - `ttl` of a record whose live counterpart is proxied and stays so: a proxied record has no TTL
//!   of its own.
//! - With a base: attributes, settings and rules that the spec no longer names. They stay as they
//!   are, and are no longer compared.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::diagnostic::{Diagnostic, Diagnostics, Place, findings, first_of};
use crate::diff::{RecordChange, RecordChanges};
use crate::model::ruleset::{
    DesiredDeployment, DesiredRule, DesiredWaf, EntryPoint, RuleBody, RuleForm,
};
use crate::model::{
    Attribute, DesiredRecord, DesiredZone, Facets, Fqdn, LiveRecord, LiveZone, Rdata, Unmanaged,
    Value,
};

/// Maximum number of records that a finding names.
const NAMED: usize = 3;

/// Records with the same finding: the first place, and a name for each.
#[derive(Default)]
struct Records {
    place: Option<Place>,
    shown: Vec<String>,
}

impl Records {
    /// Adds a record with a remark.
    fn add(&mut self, zone: &DesiredZone, record: &DesiredRecord, aside: &str) {
        self.place.get_or_insert(record.spelling.entry);
        self.shown.push(format!(
            "{} {} ({aside})",
            zone.name.relative(&record.name),
            record.data.type_name()
        ));
    }

    /// Returns their names, up to the maximum.
    fn words(&self) -> String {
        first_of(&self.shown, NAMED)
    }

    /// Returns a finding about them.
    fn finding(&self, zone: &DesiredZone, finding: Diagnostic) -> Diagnostic {
        finding.at(self.place.unwrap_or(zone.place), "").about(zone.name.to_string())
    }
}

/// Returns the findings about a zone.
pub(super) fn check(
    desired: &DesiredZone,
    base: Option<&DesiredZone>,
    live: &LiveZone,
    changes: &RecordChanges,
) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    ttl_of_proxied(desired, live, changes).into_iter().for_each(|one| diagnostics.push(one));
    if let Some(base) = base {
        let records = records_no_longer_managed(desired, base, live, changes);
        let settings = settings_no_longer_managed(desired, base).into_iter();
        let findings_of_zone = records
            .into_iter()
            .chain(settings)
            .chain(protection_no_longer_managed(desired, base, live));
        findings_of_zone.for_each(|one| diagnostics.push(one));
    }
    diagnostics
}

/// Reports records with a `ttl` that stay proxied.
fn ttl_of_proxied(
    desired: &DesiredZone,
    live: &LiveZone,
    changes: &RecordChanges,
) -> Option<Diagnostic> {
    let is_meant = |r: &&DesiredRecord| {
        r.facets.proxied.is_none() && r.facets.ttl.is_some_and(|ttl| !ttl.is_automatic())
    };
    let mut proxied_with_ttl = desired.records.iter().filter(is_meant).peekable();
    proxied_with_ttl.peek()?;
    let proxied: HashSet<(&Fqdn, &Rdata)> =
        live.records.iter().filter(|r| r.proxied).map(|r| (&r.name, &r.data)).collect();
    let updated: HashSet<(&Fqdn, &Rdata)> = changes
        .changes
        .iter()
        .filter_map(|change| match &change.change {
            RecordChange::Update { before, after, .. } if before.facets.proxied == Some(true) => {
                Some((&after.name, &after.data))
            }
            RecordChange::Update { .. }
            | RecordChange::Create { .. }
            | RecordChange::Delete { .. } => None,
        })
        .collect();
    let mut records = Records::default();
    for record in proxied_with_ttl {
        let key = (&record.name, &record.data);
        if proxied.contains(&key) || updated.contains(&key) {
            let ttl = record.facets.ttl.map(|ttl| format!("ttl {ttl}")).unwrap_or_default();
            records.add(desired, record, &ttl);
        }
    }
    records.place?;
    let verb = if records.shown.len() == 1 { "is" } else { "are" };
    let detail =
        format!("{} {verb} proxied live, and a proxied record has the TTL `auto`", records.words());
    let help = "write `proxied: false` beside the `ttl` to take the record off the proxy, or \
        remove the `ttl`";
    Some(records.finding(desired, findings::TTL_NOT_IN_FORCE.nowhere(detail).help(help)))
}

/// Reports attributes of records that the base named and the spec does not.
fn records_no_longer_managed(
    desired: &DesiredZone,
    base: &DesiredZone,
    live: &LiveZone,
    changes: &RecordChanges,
) -> Vec<Diagnostic> {
    let desired_records: HashMap<(&Fqdn, &Rdata), &DesiredRecord> =
        desired.records.iter().map(|r| ((&r.name, &r.data), r)).collect();
    // The record with the same value, or with the value that replaces it.
    let unchanged_records = base.records.iter().filter_map(|past| {
        let desired_record = *desired_records.get(&(&past.name, &past.data))?;
        Some((past, desired_record, (&desired_record.name, &desired_record.data)))
    });
    let replaced = changes.changes.iter().filter_map(|change| {
        let (before, after) = (change.origin.live?, change.origin.wanted?);
        let past = change.origin.claim.base.filter(|past| past.data != after.data)?;
        Some((past, after, (&before.name, &before.data)))
    });
    let given_up: Vec<_> = unchanged_records
        .chain(replaced)
        .flat_map(|(past, own, at)| {
            dropped(&past.facets, &own.facets).map(move |name| (name, own, at))
        })
        .collect();
    if given_up.is_empty() {
        return Vec::new();
    }
    let live_records: HashMap<(&Fqdn, &Rdata), &LiveRecord> =
        live.records.iter().map(|r| ((&r.name, &r.data), r)).collect();
    let mut records_by_attribute: BTreeMap<&'static str, (Records, String)> = BTreeMap::new();
    for (name, own, at) in given_up {
        // A missing record is created without it, which the plan shows.
        let Some(live) = live_records.get(&at) else { continue };
        // A proxied record has no TTL of its own that could be given up.
        if name == "ttl" && own.facets.proxied.unwrap_or(live.proxied) {
            continue;
        }
        let live_value = stays(name, live);
        let (records, first) = records_by_attribute.entry(name).or_default();
        records.add(desired, own, &live_value);
        if records.shown.len() == 1 {
            *first = format!(
                "`{name}` of {} {} is no longer managed; it stays {live_value}",
                desired.name.relative(&own.name),
                own.data.type_name()
            );
        }
    }
    records_by_attribute
        .into_iter()
        .map(|(name, (records, first))| {
            let detail = match records.shown.len() {
                1 => first,
                count => {
                    format!(
                        "`{name}` of {count} records is no longer managed; it stays as it is: \
                        {}",
                        records.words()
                    )
                }
            };
            let help = format!(
                "to change it, write the value of `{name}` that you want; to leave it to \
                    others, do nothing"
            );
            records.finding(desired, findings::NO_LONGER_MANAGED.nowhere(detail).help(help))
        })
        .collect()
}

/// Returns the attributes that the first names and the second does not.
fn dropped(past: &Facets, own: &Facets) -> impl Iterator<Item = &'static str> {
    let is_named = |name| own.attributes().any(|attribute| attribute.name() == name);
    past.attributes().map(Attribute::name).filter(move |name| !is_named(*name))
}

/// Describes an attribute of a live record, in words that continue "it stays".
fn stays(name: &str, live: &LiveRecord) -> String {
    let facets = live.form().facets;
    match facets.attributes().find(|attribute| attribute.name() == name) {
        Some(Attribute::Proxied(true) | Attribute::Setting(_, true)) => "on".to_owned(),
        // A setting that Cloudflare does not report is off.
        Some(Attribute::Proxied(false) | Attribute::Setting(_, false)) | None => "off".to_owned(),
        Some(Attribute::Comment(Some(text))) => format!("\"{text}\""),
        Some(Attribute::Comment(None)) => "empty".to_owned(),
        Some(Attribute::Tags(tags)) if tags.is_empty() => "empty".to_owned(),
        Some(attribute @ (Attribute::Ttl(_) | Attribute::Tags(_))) => attribute.value().to_string(),
    }
}

/// Reports settings that the base named and the spec does not.
fn settings_no_longer_managed(desired: &DesiredZone, base: &DesiredZone) -> Vec<Diagnostic> {
    let (own, past) = (&desired.settings, &base.settings);
    let settings = past.settings.keys().filter(|name| !own.settings.contains_key(*name));
    let dns = past.dns_settings.keys().filter(|name| !own.dns_settings.contains_key(*name));
    let dnssec = (past.dnssec.is_some() && own.dnssec.is_none()).then(|| "`dnssec`".to_owned());
    settings
        .map(|name| format!("the setting `{name}`"))
        .chain(dnssec)
        .chain(dns.map(|name| format!("the DNS setting `{name}`")))
        .map(|what| of_zone(desired, desired.place, &what))
        .collect()
}

/// Reports managed rulesets and their tuning that the base named and the spec does not. Single
/// rules and tags that are given up return to the default of the ruleset.
fn protection_no_longer_managed(
    desired: &DesiredZone,
    base: &DesiredZone,
    live: &LiveZone,
) -> Vec<Diagnostic> {
    let Some(past_section) = base.waf.as_deref() else { return Vec::new() };
    let desired_section = desired.waf.as_deref();
    let is_complete = desired_section.is_some_and(|own| own.unmanaged == Unmanaged::Prune);
    let deployment = |of: &DesiredDeployment| {
        desired_section
            .and_then(|own: &DesiredWaf| own.deployments.iter().find(|d| d.ruleset == of.ruleset))
    };
    let mut diagnostics = Vec::new();
    for past in &past_section.deployments {
        let ruleset = past.ruleset.key();
        let Some(own) = deployment(past) else {
            let place = desired_section.map_or(desired.place, |waf| waf.place);
            diagnostics.push(of_zone(desired, place, &format!("the deployment of `{ruleset}`")));
            continue;
        };
        // In a section that is the complete state, an omitted member returns to its default, which
        // the plan shows.
        let members = [
            ("when", past.when.is_some() && own.when.is_none(), is_complete),
            ("version", past.version.is_some() && own.version.is_none(), is_complete),
            ("paranoia", past.paranoia.is_some() && own.paranoia.is_none(), is_complete),
            ("threshold", past.threshold.is_some() && own.threshold.is_none(), is_complete),
            ("action", past.action.is_some() && own.action.is_none(), is_complete),
            ("raw", past.raw.is_some() && own.raw.is_none(), is_complete),
        ];
        for (name, ..) in
            members.into_iter().filter(|(_, is_dropped, is_reset)| *is_dropped && !is_reset)
        {
            diagnostics.push(of_zone(desired, own.place, &format!("`{name}` of `{ruleset}`")));
        }
    }
    if let Some(own) = desired_section.filter(|_| !is_complete) {
        diagnostics.extend(rules_no_longer_managed(desired, own, past_section, live));
    }
    diagnostics
}

/// Reports keys of rules that the base named and the spec does not, if the live rule has a value.
fn rules_no_longer_managed(
    zone: &DesiredZone,
    own: &DesiredWaf,
    past: &DesiredWaf,
    live: &LiveZone,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (phase, rules) in &past.lists {
        let live = live.waf.entry_points.get(phase).map(EntryPoint::rules).unwrap_or_default();
        let live: HashMap<&str, &RuleBody> =
            live.iter().filter_map(|rule| Some((rule.body.reference()?, &rule.body))).collect();
        for past in rules.iter().filter(|rule| !rule.is_absent) {
            let desired_rule = own.rule(*phase, &past.name).filter(|rule| !rule.is_absent);
            let (Some(own), Some(live)) = (desired_rule, live.get(past.name.as_str())) else {
                continue;
            };
            for (key, member) in dropped_of_rule(past, own) {
                let Some(value) = member_of_rule(live, member) else { continue };
                let what = format!(
                    "`{key}` of the rule {} is no longer managed; it stays {value}",
                    past.name
                );
                let help = format!(
                    "to change it, write the value of `{key}` that you want; to leave it to \
                    others, do nothing"
                );
                let finding = findings::NO_LONGER_MANAGED.at(own.place, what).help(help);
                diagnostics.push(finding.about(zone.name.to_string()));
            }
        }
    }
    diagnostics
}

/// Returns the keys of a rule that the first names and the second does not, with their members at
/// Cloudflare.
fn dropped_of_rule(
    past: &DesiredRule,
    own: &DesiredRule,
) -> Vec<(&'static str, &'static [&'static str])> {
    let mut dropped: Vec<(&'static str, &'static [&'static str])> = Vec::new();
    let mut add = |key, members: &'static [&'static str], is_dropped| {
        if is_dropped {
            dropped.push((key, members));
        }
    };
    // A raw rule defines all members.
    if matches!(own.form, RuleForm::Raw(_)) {
        return dropped;
    }
    add("description", &["description"], past.description.is_some() && own.description.is_none());
    add("log", &["logging", "enabled"], past.log.is_some() && own.log.is_none());
    let response = |rule: &DesiredRule| match &rule.form {
        RuleForm::Act { response, .. } => response.is_some(),
        RuleForm::Rate(rate) => rate.response.is_some(),
        RuleForm::Skip(_) | RuleForm::Raw(_) => false,
    };
    add("response", &["action_parameters", "response"], response(past) && !response(own));
    if let (RuleForm::Rate(past), RuleForm::Rate(own)) = (&past.form, &own.form) {
        let is_said = past.count.as_ref().is_some_and(|(count, _)| !count.text().is_empty());
        add("count", &["ratelimit", "counting_expression"], is_said && own.count.is_none());
        let to_origin = past.to_origin.is_some() && own.to_origin.is_none();
        add("to_origin", &["ratelimit", "requests_to_origin"], to_origin);
    }
    dropped
}

/// Describes the value of a member of a rule, by its path; `None` if it is missing or empty.
fn member_of_rule(rule: &RuleBody, path: &[&str]) -> Option<String> {
    let (first, rest) = path.split_first()?;
    let mut value = rule.get(first)?;
    for name in rest {
        let Value::Map(members) = value else { return None };
        value = members.get(*name)?;
    }
    match value {
        Value::Null => None,
        Value::Text(text) if text.is_empty() => None,
        Value::Text(text) => Some(format!("`{text}`")),
        other => Some(other.to_string()),
    }
}

/// Returns a finding about a part of a zone.
fn of_zone(zone: &DesiredZone, place: Place, what: &str) -> Diagnostic {
    findings::NO_LONGER_MANAGED
        .nowhere(format!("{what} is no longer managed; it stays as it is"))
        .help("to change it, write the value that you want; to leave it to others, do nothing")
        .at(place, "")
        .about(zone.name.to_string())
}
