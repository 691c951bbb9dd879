//! Comments in a printed spec that name the profile from which a value comes.

use serde_json::{Map, Value as Json, json};

use super::emit;
use super::import_layout::harmless;
use super::waf::rule_name;
use super::write_yaml::to_yaml;
use crate::diagnostic::{Place, Sources};
use crate::model::managed::Paranoia;
use crate::model::ruleset::{DesiredDeployment, Phase, TuningTarget};
use crate::model::{Desired, DesiredZone};

/// Returns the resolved spec as YAML. Each value from a profile has a comment above it with the
/// profile, the file and the line.
#[must_use]
pub fn print_with_origins(desired: &Desired, sources: &Sources) -> String {
    let plain = emit::print(desired);
    if desired.profiles.is_empty() {
        return plain;
    }
    let word = (0..).map(|n: u32| format!("origin{n}.")).find(|word| !plain.contains(word));
    let mut origins =
        Origins { desired, sources, word: word.unwrap_or_default(), comments: Vec::new() };
    let zones = desired.zones.values().map(|zone| (zone.name.to_string(), origins.zone(zone)));
    let zones: Map<String, Json> = zones.collect();
    origins.written(&to_yaml(&json!({ "version": 1, "zones": zones })))
}

/// Marks values by a key with a word that occurs nowhere else, until they are written.
struct Origins<'a> {
    desired: &'a Desired,
    sources: &'a Sources,
    word: String,
    comments: Vec<String>,
}

impl Origins<'_> {
    /// Returns a zone with marks.
    fn zone(&mut self, zone: &DesiredZone) -> Json {
        let mut members = emit::zone(zone, &self.desired.suppressions);
        let settings = &zone.settings;
        for (section, values) in
            [("settings", &settings.settings), ("dns_settings", &settings.dns_settings)]
        {
            for (name, (_, place)) in values {
                self.mark_key(members.get_mut(section), name, *place);
            }
        }
        if let Some((_, place)) = settings.dnssec {
            self.mark_key(Some(&mut members), "dnssec", place);
        }
        let records = zone.records.iter().map(|record| record.spelling.place);
        let tombstones = zone.tombstones.iter().map(|stone| stone.spelling.place);
        self.mark_items(members.get_mut("records"), records.chain(tombstones));
        self.mark_items(members.get_mut("expect"), zone.expect.iter().map(|e| e.place));
        if let (Some(waf), Some(section)) = (&zone.waf, members.get_mut("waf")) {
            for phase in Phase::in_spec() {
                let rules = waf.lists.get(&phase).into_iter().flatten();
                self.mark_items(section.get_mut(phase.key()), rules.map(|rule| rule.place));
            }
            self.mark_items(section.get_mut("accept"), waf.accept.iter().map(|a| a.place));
            for deployment in &waf.deployments {
                self.deployment(deployment, section);
            }
        }
        members
    }

    /// Marks the values of a managed ruleset.
    fn deployment(&mut self, deployment: &DesiredDeployment, waf: &mut Json) {
        let DesiredDeployment {
            ruleset,
            place,
            switch: _,
            when,
            version,
            paranoia,
            threshold,
            action,
            tags,
            rules,
            raw,
        } = deployment;
        let Some(section) = waf.get_mut(ruleset.key()) else { return };
        if !section.is_object() {
            return self.mark_key(Some(waf), ruleset.key(), *place);
        }
        for list in ["tags", "rules", "disable", "enable"] {
            let Some(Json::Array(items)) = section.get_mut(list) else { continue };
            for item in items {
                let tuned = rules.iter().find(|rule| match &rule.target {
                    TuningTarget::Rule(name) => item.get("rule") == Some(&rule_name(name.as_str())),
                    TuningTarget::Tag(tag) => item.get("tag") == Some(&json!(emit::written(tag))),
                });
                let tag =
                    tags.iter().find(|t| item.get("tag") == Some(&json!(emit::written(&t.tag))));
                let place = tuned.map(|rule| rule.place).or(tag.map(|tag| tag.place));
                if let (Some(place), Json::Object(members)) = (place, item) {
                    self.mark(members, 0, "", place);
                }
            }
        }
        let level = |(_, place): &(Paranoia, Place)| *place;
        for (key, place) in [
            ("paranoia", paranoia.as_ref().map(level)),
            ("threshold", threshold.as_ref().map(|(_, place)| *place)),
            ("action", action.as_ref().map(|(_, place)| *place)),
            ("when", when.as_ref().map(|(_, place)| *place)),
            ("expression", when.as_ref().map(|(_, place)| *place)),
            ("version", version.as_ref().map(|(_, place)| *place)),
            ("raw", raw.as_ref().map(|(_, place)| *place)),
        ] {
            if let Some(place) = place {
                self.mark_key(Some(section), key, place);
            }
        }
    }

    /// Marks a key of a mapping, if its value comes from a profile.
    fn mark_key(&mut self, mapping: Option<&mut Json>, key: &str, place: Place) {
        let Some(Json::Object(members)) = mapping else { return };
        let number = members.keys().position(|name| name == key);
        if let Some(number) = number {
            self.mark(members, number, key, place);
        }
    }

    /// Marks the items of a list that come from a profile.
    fn mark_items(&mut self, list: Option<&mut Json>, places: impl Iterator<Item = Place>) {
        let Some(Json::Array(items)) = list else { return };
        for (item, place) in items.iter_mut().zip(places) {
            if let Json::Object(members) = item {
                self.mark(members, 0, "", place);
            }
        }
    }

    /// Inserts a mark before the member with a number.
    fn mark(&mut self, members: &mut Map<String, Json>, number: usize, key: &str, place: Place) {
        let Some(profile) = self.desired.profile_at(place) else { return };
        let file = self.sources.name(place.source);
        let line = self.sources.line_column(place).line;
        let comment = harmless(&format!("profile {profile}, {file}:{line}"));
        let mark = (format!("{}{key}", self.word), json!(self.comments.len()));
        self.comments.push(comment);
        let mut entries: Vec<_> = std::mem::take(members).into_iter().collect();
        entries.insert(number, mark);
        members.extend(entries);
    }

    /// Replaces the marks in a text by comments.
    fn written(&self, yaml: &str) -> String {
        let mut text = String::with_capacity(yaml.len());
        let mut item_start: Option<usize> = None;
        for line in yaml.lines() {
            let bare = line.trim_start();
            let (is_item, member) = match bare.strip_prefix("- ") {
                Some(member) => (true, member),
                None => (false, bare),
            };
            let indent = line.len() - bare.len();
            if let Some(mark) = member.strip_prefix(self.word.as_str()) {
                let number = mark.rsplit(' ').next().and_then(|number| number.parse().ok());
                let comment = number.and_then(|number: usize| self.comments.get(number));
                let comment = comment.map_or("", String::as_str);
                text.push_str(&format!("{:indent$}# {comment}\n", ""));
                item_start = is_item.then_some(indent);
                continue;
            }
            match item_start.take() {
                Some(start) => text.push_str(&format!("{:start$}- {bare}\n", "")),
                None => text.extend([line, "\n"]),
            }
        }
        text
    }
}
