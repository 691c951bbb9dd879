//! Weakenings that last longer than the previous spec said. Nothing at Cloudflare changes, so no
//! operation shows it. It is a danger of the zone's plan as a whole.

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostics, Place, findings};
use crate::insight::waf::{effective_deployment, narrow_exception};
use crate::model::Narrow;
use crate::model::managed::Managed;
use crate::model::ruleset::{
    DesiredRule, DesiredWaf, LiveWaf, Note, Phase, RuleTuning, Switch, TuningTarget,
};
use crate::model::{Address, DesiredZone, LiveZone, Only, ZoneName};

/// Weakenings that last longer.
pub(super) struct Postponed {
    /// A finding for each entry.
    pub(super) found: Diagnostics,
    /// The evidence that all of them are narrow, if they are.
    pub(super) narrow: Option<Narrow>,
}

/// Finds entries of the spec whose last day is later than in the previous spec, or removed; `None`
/// if there are none. For a part of a plan, only entries whose rule is in the part.
pub(super) fn check(
    desired: &DesiredZone,
    base: &DesiredZone,
    live: &LiveZone,
    only: &Only,
) -> Option<Postponed> {
    let (own, old) = (desired.waf.as_ref()?, base.waf.as_ref()?);
    let mut diagnostics = Diagnostics::default();
    let mut narrow = Some(Vec::new());
    let previous_entries = entries(old);
    for entry in entries(own).into_iter().filter(|entry| only.names(&entry.address(&desired.name)))
    {
        let Some(was) = previous_entries.iter().find(|other| other.what == entry.what) else {
            continue;
        };
        let Some(day) = was.note.expires.as_deref().filter(|_| !was.note.is_expired) else {
            continue;
        };
        let what = &entry.what;
        let detail = match entry.note.expires.as_deref() {
            Some(later) if later > day => format!("{what} lasts until {later} instead of {day}"),
            Some(_) => continue,
            None => format!("{what} no longer ends on {day}"),
        };
        diagnostics
            .push(findings::LASTS_LONGER.at(entry.place, detail).about(desired.name.to_string()));
        let narrowed = entry
            .rules(&live.waf)
            .and_then(|rules| Narrow::new(rules, std::iter::once(entry.note)));
        narrow = narrow.zip(narrowed).map(|(mut all, one)| {
            all.push(one);
            all
        });
    }
    (!diagnostics.is_empty())
        .then(|| Postponed { found: diagnostics, narrow: narrow.and_then(Narrow::of_all) })
}

/// An entry that weakens the protection and can have a last day.
struct WeakeningEntry<'a> {
    what: String,
    note: &'a Note,
    place: Place,
    kind: EntryKind<'a>,
}

enum EntryKind<'a> {
    Exception(&'a DesiredRule),
    Override(Managed, &'a RuleTuning),
}

/// Returns the entries of a spec.
fn entries(waf: &DesiredWaf) -> Vec<WeakeningEntry<'_>> {
    let mut entries = Vec::new();
    for rule in waf.exceptions().filter(|rule| !rule.is_absent) {
        let what = format!("the exception {}", rule.name);
        entries.push(WeakeningEntry {
            what,
            note: &rule.note,
            place: rule.place,
            kind: EntryKind::Exception(rule),
        });
    }
    for deployment in waf.deployments.iter().filter(|deployment| deployment.switch == Switch::On) {
        let key = deployment.ruleset.key();
        // No action is stronger than `block`.
        let is_milder =
            |tuning: &&RuleTuning| tuning.action.as_deref().is_some_and(|action| action != "block");
        let weakens = |tuning: &&RuleTuning| tuning.enabled == Some(false) || is_milder(tuning);
        for tuning in deployment.rules.iter().filter(weakens) {
            let name = match &tuning.target {
                TuningTarget::Rule(name) => format!("rule {name}"),
                TuningTarget::Tag(tag) => format!("tag {tag}"),
            };
            let what = format!("the override of {key}, {name},");
            let kind = EntryKind::Override(deployment.ruleset, tuning);
            entries.push(WeakeningEntry { what, note: &tuning.note, place: tuning.place, kind });
        }
    }
    entries
}

impl WeakeningEntry<'_> {
    /// Returns the address of an operation on its rule.
    fn address(&self, zone: &ZoneName) -> Address {
        let name = match self.kind {
            EntryKind::Exception(rule) => rule.name.as_str(),
            EntryKind::Override(ruleset, _) => ruleset.key(),
        };
        Address::of_rule(zone, Phase::Managed, Some(name))
    }

    /// Returns the rules that it concerns if it is narrow except for its last day. An entry that is
    /// not live yet is judged with the operation that creates it.
    fn rules(&self, waf: &LiveWaf) -> Option<BTreeSet<String>> {
        let mut live = waf
            .entry_points
            .get(&Phase::Managed)
            .into_iter()
            .flat_map(|entry_point| entry_point.rules());
        match &self.kind {
            EntryKind::Exception(rule) => match live.find(|live| live.shown() == rule.name) {
                Some(live) => narrow_exception(Phase::Managed, None, &live.body, waf),
                None => Some(BTreeSet::new()),
            },
            EntryKind::Override(ruleset, tuning) => {
                let TuningTarget::Rule(name) = &tuning.target else { return None };
                let catalogue = waf.managed(*ruleset)?;
                let id = name.resolve(catalogue).ok()?.id.0.clone();
                let deployment =
                    live.find(|live| live.body.executes() == Some(catalogue.id.0.as_str()))?;
                let effective = effective_deployment(&deployment.body, catalogue)?;
                let is_score = effective.anomaly.is_some_and(|anomaly| anomaly.rule.id.0 == id);
                (!is_score).then(|| BTreeSet::from([id]))
            }
        }
    }
}
