//! Converts a live zone into the spec that leaves it unchanged.

use std::collections::{BTreeMap, BTreeSet};

use super::imported::Imported;
use super::live_settings::import_settings;
use crate::diagnostic::Place;
use crate::model::facts::rulesets::{MANAGED_RULESETS, is_ref};
use crate::model::managed::{Catalogue, Managed, Overrides, compile, find_deployment, recognise};
use crate::model::ruleset::{
    DesiredDeployment, DesiredRule, DesiredWaf, LiveRule, LiveWaf, Note, Phase, RuleBody, RuleForm,
    RuleId, canonical, recognise_rule,
};
use crate::model::{
    AsReported, Attribute, DesiredRecord, DesiredZone, Facets, Fqdn, LiveRecord, LiveZone, Rdata,
    Spelling, Unmanaged, Value,
};
use crate::spec::Remarks;

/// Maximum length of a generated rule name, in characters.
const NAME_CHARACTERS: usize = 40;
/// Reason of imported exemptions. Cloudflare does not store one.
const REASON: &str = "as found at import; say why";

/// Imports a zone. The spec leaves out parts that were not read.
#[must_use]
pub fn from_live(live: &LiveZone) -> Imported {
    let mut zone = DesiredZone::new(live.name.clone(), Place::NOWHERE);
    let mut notes = Vec::new();
    let mut meanings = Vec::new();
    let mut copies: BTreeMap<(Fqdn, Rdata), usize> = BTreeMap::new();
    for record in &live.records {
        let what = || format!("{} {}", live.name.relative(&record.name), record.data.type_name());
        if let Some(owner) = record.read_only {
            notes.push(format!("{} is managed by {} and was left out", what(), owner.owner()));
            continue;
        }
        if record.data.record_type().is_none() {
            notes.push(format!("{} is not understood by this version and was left out", what()));
            continue;
        }
        let copy = copies.entry((record.name.clone(), record.data.clone())).or_default();
        *copy += 1;
        if *copy > 1 {
            continue;
        }
        if live.name.resolve(live.name.relative(&record.name)).as_ref() != Ok(&record.name) {
            notes
                .push(format!("{} has a name that a spec cannot express and was left out", what()));
        } else {
            let mut desired = desired(live, record);
            let unsaid: Vec<_> = inexpressible(&desired.facets).collect();
            desired.facets.remove_inexpressible();
            if !unsaid.is_empty() {
                notes.push(format!(
                    "{}: a spec cannot express its {}; left alone",
                    what(),
                    unsaid.join(" and ")
                ));
            }
            zone.records.push(desired);
        }
    }
    for ((name, data), number) in copies.into_iter().filter(|(_, number)| *number > 1) {
        let times = if number == 2 { "twice".to_owned() } else { format!("{number} times") };
        let what = format!("{} {}", live.name.relative(&name), data.type_name());
        notes.push(format!("{what} exists {times} and was written once"));
    }
    let key = |r: &DesiredRecord| (r.name.clone(), r.data.record_type(), r.data.clone());
    zone.records.sort_by_cached_key(key);
    let mut rule_notes = Vec::new();
    zone.waf = waf(&live.waf, &mut notes, &mut rule_notes, &mut meanings).map(Box::new);
    notes.extend(rule_notes.iter().map(|(_, note)| note.clone()));
    let (left_out_settings, remarks) = (Vec::new(), Remarks::default());
    let mut imported = Imported { zone, notes, rule_notes, meanings, left_out_settings, remarks };
    import_settings(&live.settings, &mut imported);
    imported
}

/// Returns the attributes of a record that a spec cannot have.
pub(super) fn attributes_not_in_spec(record: &LiveRecord) -> Vec<&'static str> {
    let LiveRecord { data, proxied, settings, .. } = record;
    let in_spec =
        data.record_type().map(|record_type| settings.within(record_type, Some(*proxied)));
    let in_spec = in_spec.unwrap_or_default().named();
    let is_lost = |(name, is_on): &(&'static str, Option<bool>)| {
        *is_on == Some(true) && !in_spec.contains(&(*name, Some(true)))
    };
    let lost_settings = settings.named().into_iter().filter(is_lost).map(|(name, _)| name);
    lost_settings.chain(inexpressible(&record.facets_for_spec())).collect()
}

/// Converts a live record with all its attributes.
fn desired(zone: &LiveZone, record: &LiveRecord) -> DesiredRecord {
    let LiveRecord { name, data, .. } = record;
    DesiredRecord {
        name: name.clone(),
        data: data.clone(),
        facets: record.facets_for_spec(),
        protect: false,
        allow: None,
        expires: None,
        spelling: Spelling {
            name: zone.name.relative(name).into(),
            place: Place::NOWHERE,
            entry: Place::NOWHERE,
            reported: AsReported::default(),
        },
    }
}

/// Returns the names of the attributes that a spec cannot express, such as a comment of several
/// lines.
fn inexpressible(facets: &Facets) -> impl Iterator<Item = &'static str> {
    let lost_attributes = facets.attributes().filter(|attribute| !attribute.is_expressible());
    lost_attributes.map(|attribute| match attribute {
        Attribute::Ttl(_) => "time to live",
        attribute => attribute.name(),
    })
}

/// Converts the protection of a zone; `None` if it has none.
fn waf(
    live: &LiveWaf,
    notes: &mut Vec<String>,
    rule_notes: &mut Vec<(RuleId, String)>,
    meanings: &mut Vec<String>,
) -> Option<DesiredWaf> {
    let mut section = DesiredWaf::new(Place::NOWHERE);
    for (phase, entry_point) in &live.entry_points {
        let rules = entry_point.rules();
        if rules.is_empty() {
            continue;
        }
        let deployed: Vec<&LiveRule> = if phase.deploys() {
            deployments(rules, live, &mut section, rule_notes, meanings)
        } else {
            Vec::new()
        };
        let mut names = BTreeSet::new();
        let mut list = Vec::new();
        for rule in rules.iter().filter(|r| !deployed.iter().any(|d| d.id == r.id)) {
            if let Some(why) = why_not_in_spec(rules, rule, *phase) {
                rule_notes.push((rule.id.clone(), why));
                continue;
            }
            let Some(name) = name(rule, &mut names) else {
                let shown = rule.shown();
                let why = format!(
                    "the rule {shown} has a `ref` that cannot be a name in a spec; it is left alone"
                );
                rule_notes.push((rule.id.clone(), why));
                continue;
            };
            let mut desired_rule = recognise_rule(rule, &name, *phase, live, Place::NOWHERE);
            if matches!(&desired_rule.form, RuleForm::Raw(raw) if raw.holds_credential()) {
                let why = format!(
                    "the rule {name} names a credential, which no spec may hold; it is left alone"
                );
                rule_notes.push((rule.id.clone(), why));
                continue;
            }
            if let RuleForm::Raw(_) = desired_rule.form {
                notes.push(format!(
                    "the rule {name} is written as Cloudflare has it, because a spec cannot \
                    express all of it"
                ));
            } else if matches!(desired_rule.form, RuleForm::Skip(_)) {
                desired_rule.note = Note {
                    reason: Some(rule.body.description().unwrap_or(REASON).to_owned()),
                    ..Note::default()
                };
            }
            list.push(desired_rule);
        }
        if !list.is_empty() {
            section.lists.insert(*phase, list);
        }
    }
    let is_silent = section.phases().next().is_none();
    (!is_silent).then_some(section)
}

/// Returns the reason why a rule stays out of the spec; `None` if the spec can have it.
fn why_not_in_spec(rules: &[LiveRule], rule: &LiveRule, phase: Phase) -> Option<String> {
    let shown = rule.shown();
    if !phase.lists(rule.body.action()) {
        let what = match rule.body.executes() {
            Some(id) => format!("deploys the ruleset {}", managed_ruleset(id)),
            None => "deploys something".to_owned(),
        };
        return Some(format!(
            "the rule {shown} {what}, which a spec cannot express; it is left alone"
        ));
    }
    if ["action", "expression"].iter().any(|member| rule.body.text(member).is_none()) {
        return Some(format!("the rule {shown} has no action or no expression; it is left alone"));
    }
    let is_idle = phase.deploys() && is_dead(rules, rule);
    is_idle.then(|| {
        format!(
            "the exception {shown} comes after what it bypasses and has no effect; it is left alone"
        )
    })
}

/// Returns the id of a managed ruleset, with its name if that is known.
fn managed_ruleset(id: &str) -> String {
    let named_ruleset = MANAGED_RULESETS.iter().find(|ruleset| ruleset.id == id);
    named_ruleset.map_or_else(|| id.to_owned(), |ruleset| format!("{id} ({})", ruleset.name))
}

/// Converts a rule for a spec, under its `ref` or a name made from its description. Returns `None`
/// if a spec cannot express the rule.
#[must_use]
pub fn rule_from_live(live: &LiveRule, phase: Phase, waf: &LiveWaf) -> Option<DesiredRule> {
    let is_said = ["action", "expression"].iter().all(|member| live.body.text(member).is_some());
    let is_ours = phase.lists(live.body.action());
    let name = name(live, &mut BTreeSet::new()).filter(|_| is_said && is_ours)?;
    let rule = recognise_rule(live, &name, phase, waf, Place::NOWHERE);
    let holds_credential = matches!(&rule.form, RuleForm::Raw(raw) if raw.holds_credential());
    (!holds_credential).then_some(rule)
}

/// Returns true if an exception comes after a deployment that it exempts from. It has no effect
/// until it is moved.
fn is_dead(rules: &[LiveRule], rule: &LiveRule) -> bool {
    let above = rules.iter().take_while(|r| r.id != rule.id);
    let passes_by = |id: &str| match (rule.body.parameter("rulesets"), rule.body.parameter("rules"))
    {
        _ if rule.body.parameter("ruleset").is_some() => true,
        (Some(Value::List(ids)), _) if ids.contains(&Value::from(id)) => true,
        (_, Some(Value::Map(rules))) => rules.contains_key(id),
        _ => false,
    };
    above.filter_map(|r| r.body.executes()).any(passes_by)
}

/// Converts the deployments of managed rulesets that a spec can name.
fn deployments<'r>(
    rules: &'r [LiveRule],
    live: &LiveWaf,
    section: &mut DesiredWaf,
    rule_notes: &mut Vec<(RuleId, String)>,
    meanings: &mut Vec<String>,
) -> Vec<&'r LiveRule> {
    let mut deployed = Vec::new();
    for managed in Managed::ALL {
        let catalogue: Option<&Catalogue> = live.managed(*managed);
        let Some(rule) = find_deployment(rules, *managed, catalogue) else { continue };
        let mut recognised = recognise(&rule.body, *managed, catalogue, Place::NOWHERE);
        let why = match &recognised.desired.raw {
            Some((raw, _)) if Overrides::read(Some(raw)).is_none() => {
                Some("are not understood by this version")
            }
            Some((raw, _)) if raw.holds_credential() => Some("name a credential"),
            _ => None,
        };
        if let Some(why) = why {
            recognised.desired.raw = None;
            let note = format!("{}: its overrides {why} and are left alone", managed.facts().name);
            rule_notes.push((rule.id.clone(), note));
        }
        if let Some(why) = recognised.strange_levels {
            meanings.push(format!(
                "{}: {why}; it is written as Cloudflare has it",
                managed.facts().name
            ));
        }
        for tuning in &mut recognised.desired.rules {
            tuning.note.reason.get_or_insert_with(|| REASON.to_owned());
        }
        for tuning in &mut recognised.desired.tags {
            tuning.note.reason.get_or_insert_with(|| REASON.to_owned());
        }
        let lost = members_not_in_spec(&rule.body, &recognised.desired, catalogue);
        if !lost.is_empty() {
            let verb = if lost.len() == 1 { "is" } else { "are" };
            let name = managed.facts().name;
            let lost: Vec<String> = lost.iter().map(|path| format!("`{path}`")).collect();
            let note = format!("{name}: {} {verb} not in the spec", lost.join(", "));
            rule_notes.push((rule.id.clone(), note));
        }
        section.deployments.push(recognised.desired);
        deployed.push(rule);
    }
    deployed
}

/// Returns the members of a deployment that would be lost if the spec deployed the ruleset anew.
fn members_not_in_spec(
    rule: &RuleBody,
    desired: &DesiredDeployment,
    catalogue: Option<&Catalogue>,
) -> Vec<String> {
    let (own, anew) =
        (canonical(rule), canonical(&compile(desired, catalogue, None, Unmanaged::Keep).body));
    let mut lost = Vec::new();
    for (name, value) in own.members().iter().filter(|(name, _)| *name != "id") {
        match (value, anew.members().get(name)) {
            (value, Some(other)) if value == other => {}
            (Value::Map(inner), other) => {
                let has = |(name, value): &(&String, &Value)| match other {
                    Some(Value::Map(others)) => others.get(*name) == Some(*value),
                    _ => false,
                };
                let missing = inner.iter().filter(|member| !has(member));
                lost.extend(missing.map(|(member, _)| format!("{name}.{member}")));
            }
            _ => lost.push(name.clone()),
        }
    }
    lost
}

/// Returns a name for a rule: its `ref`, or a name made from its description or id. Returns `None`
/// if its `ref` is not a valid name.
fn name(rule: &LiveRule, taken: &mut BTreeSet<String>) -> Option<String> {
    if let Some(reference) = rule.body.reference() {
        let reserved = Managed::ALL.iter().any(|m| m.key() == reference);
        let legal = is_ref(reference) && !reserved;
        return (legal && taken.insert(reference.to_owned())).then(|| reference.to_owned());
    }
    let words = rule.body.description().unwrap_or_default().to_lowercase();
    let spelled: String =
        words.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let parts: Vec<&str> = spelled.split('-').filter(|p| !p.is_empty()).collect();
    let mut slug: String = parts.join("-").chars().take(NAME_CHARACTERS).collect();
    slug.truncate(slug.trim_end_matches('-').len());
    let id: String = rule.id.0.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
    let plain =
        Some(slug.clone()).filter(|s| !s.is_empty() && !Managed::ALL.iter().any(|m| m.key() == s));
    let candidates = plain.into_iter().chain([format!("rule-{id}"), format!("rule-{}", rule.id.0)]);
    candidates.into_iter().find(|name| is_ref(name) && taken.insert(name.clone()))
}
