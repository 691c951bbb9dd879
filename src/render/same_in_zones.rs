//! Changes that are the same in several zones, such as those of a profile. Outputs for
//! reviewers show such a change once, in the first of these zones, with the names of all of them.

use std::collections::HashMap;

use super::entries::{Entry, FEWEST, NAMES, ZoneEntries};
use super::names_in_words::in_few_words;
use super::operation_view::{FieldView, Section};
use super::overwritten_value::LiveView;
use crate::diagnostic::{Place, count};
use crate::insight::dns::Picture;
use crate::model::ZoneName;
use crate::plan::{Action, Plan};

/// The content of an entry that is compared between zones.
#[derive(PartialEq, Eq, Hash)]
struct Content {
    action: Action,
    name: String,
    phase: String,
    values: [Option<String>; 3],
    fields: Vec<FieldView>,
    why: String,
    cause: Option<String>,
    /// The overwritten attributes without their times.
    live: LiveView,
    impact: Vec<String>,
    dangers: Vec<&'static str>,
    accepted: Vec<(&'static str, String)>,
    place: Option<Place>,
}

impl Content {
    /// Returns the content of an entry about a rule, or about another value that has a place in the
    /// spec. The name of the zone in it does not count.
    fn of(entry: &Entry<'_>, zone: &ZoneName) -> Option<Self> {
        let view = &entry.view;
        let is_shared = match view.section {
            Section::Rules => !view.impact.is_empty(),
            Section::Zone | Section::Records => view.place.is_some(),
        };
        let text = |text: &str| text.replace(zone.as_str(), "@");
        let field = |field: &FieldView| FieldView { after: text(&field.after), ..field.clone() };
        is_shared.then(|| Self {
            action: view.action,
            name: text(&view.name),
            phase: view.type_name.to_owned(),
            values: [view.before.as_deref(), view.after.as_deref(), Some(&view.aside)]
                .map(|value| value.map(text)),
            fields: view.fields.iter().map(field).collect(),
            why: view.why.in_full(),
            cause: view.cause.clone(),
            live: LiveView { changed: None, ..view.live.clone() },
            impact: view.impact.iter().map(|sentence| text(sentence)).collect(),
            dangers: view.dangers.iter().map(|danger| danger.code()).collect(),
            accepted: view.accepted.iter().map(|(d, reason)| (d.code(), reason.clone())).collect(),
            place: view.place,
        })
    }
}

/// Groups the operations of all zones into entries, and shows a change that is the same in several
/// zones once.
pub(super) fn entries_of_zones(plan: &Plan) -> Vec<ZoneEntries<'_>> {
    let mut zones: Vec<ZoneEntries<'_>> = plan.zones.iter().map(ZoneEntries::of).collect();
    let mut zones_of_content: HashMap<Content, Vec<usize>> = HashMap::new();
    for (n, zone) in zones.iter().enumerate() {
        for content in
            zone.entries.iter().filter_map(|entry| Content::of(entry, &plan.zones[n].name))
        {
            let numbers = zones_of_content.entry(content).or_default();
            if numbers.last() != Some(&n) {
                numbers.push(n);
            }
        }
    }
    zones_of_content.retain(|_, numbers| numbers.len() >= FEWEST);
    for (n, zone) in zones.iter_mut().enumerate() {
        for mut entry in std::mem::take(&mut zone.entries) {
            match Content::of(&entry, &plan.zones[n].name)
                .and_then(|content| zones_of_content.get(&content))
            {
                Some(numbers) if numbers[0] != n => {
                    zone.shown_in.insert(&plan.zones[numbers[0]].name);
                    zone.repeated.push(entry);
                    continue;
                }
                Some(numbers) => {
                    let names = numbers.iter().map(|number| plan.zones[*number].name.as_str());
                    let zones = count(numbers.len(), "zone");
                    let line = format!("the same in {zones}: {}", in_few_words(names, NAMES));
                    entry.view.impact.to_mut().push(line.into());
                    entry.view.id = None;
                }
                None => {}
            }
            zone.entries.push(entry);
        }
    }
    zones
}

impl ZoneEntries<'_> {
    /// Describes the changes that another zone shows; `None` if there are none.
    pub(super) fn repeated_in_words(&self) -> Option<String> {
        let names = self.shown_in.iter().map(|name| name.as_str());
        let verb = if self.repeated.len() == 1 { "is" } else { "are" };
        (!self.repeated.is_empty()).then(|| {
            format!(
                "{} {verb} the same as in {}",
                count(self.repeated.len(), "change"),
                in_few_words(names, NAMES)
            )
        })
    }

    /// Returns true if other zones show all its changes, and nothing else is reported about it.
    pub(super) fn is_repeated(&self) -> bool {
        self.shows_no_change() && self.zone.notes.is_empty() && self.zone.impact.is_empty()
    }

    /// Returns the pictures of its changes; none if other zones show all of them.
    pub(super) fn pictures(&self) -> &[Picture] {
        if self.shows_no_change() { &[] } else { &self.zone.pictures }
    }

    /// Returns true if other zones show all its changes.
    fn shows_no_change(&self) -> bool {
        self.entries.is_empty() && self.notes.is_empty() && !self.repeated.is_empty()
    }
}

/// Describes zones of which every change is shown in other zones; `None` if there are none.
pub(super) fn repeating_zones_in_words(zones: &[&ZoneEntries<'_>]) -> Option<String> {
    let shown_in = zones.iter().flat_map(|zone| &zone.shown_in).map(|name| name.as_str());
    let names = zones.iter().map(|zone| zone.zone.name.as_str());
    let verb = if zones.len() == 1 { "changes" } else { "change" };
    (!zones.is_empty()).then(|| {
        format!(
            "{} {verb} only as shown in {}: {}",
            count(zones.len(), "zone"),
            in_few_words(shown_in, NAMES),
            in_few_words(names, NAMES)
        )
    })
}
