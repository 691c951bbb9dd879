//! Writes the model as YAML for people: one entry per line, records in groups with comments.
//!
//! [`print`](super::print) writes one canonical order for comparison. This module writes the files
//! of `import`. Both have the same meaning, and reading either yields an equal [`Desired`].

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};

use super::emit::{self, unquoted};
use super::record_headings::Group;
use super::shared_values::{profiles, variables};
use super::write_yaml::to_yaml;
use crate::diagnostic::one_line;
use crate::diagnostic::{begins_command, is_hidden};
use crate::model::{Desired, DesiredRecord, DesiredZone, Fqdn, Gather, Rdata, ZoneName};

/// Maximum length of an entry that is written on one line.
///
/// # Units
/// Characters.
const WIDEST: usize = 120;
/// Minimum number of records for headings.
const FEW: usize = 8;

/// Comments of a source by record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remarks(BTreeMap<(ZoneName, Fqdn, Rdata), Vec<String>>);

impl Remarks {
    /// Adds comments about a record, one per line.
    pub fn add(&mut self, zone: &ZoneName, name: &Fqdn, data: &Rdata, lines: Vec<String>) {
        if !lines.is_empty() {
            self.0.entry((zone.clone(), name.clone(), data.clone())).or_default().extend(lines);
        }
    }

    /// Adds all comments of another source.
    pub fn append(&mut self, other: Self) {
        for (key, lines) in other.0 {
            self.0.entry(key).or_default().extend(lines);
        }
    }

    /// Returns the comments of one zone.
    #[must_use]
    pub fn of_zone(&self, zone: &ZoneName) -> Self {
        Self(
            self.0
                .iter()
                .filter(|((of, ..), _)| of == zone)
                .map(|(key, lines)| (key.clone(), lines.clone()))
                .collect(),
        )
    }

    /// Returns the comments about a record.
    fn of(&self, zone: &ZoneName, record: &DesiredRecord) -> &[String] {
        let key = (zone.clone(), record.name.clone(), record.data.clone());
        self.0.get(&key).map(Vec::as_slice).unwrap_or_default()
    }
}

/// A part of a spec that has a file of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A zone without its protection.
    Zone,
    /// The protection of a zone.
    Protection,
}

/// A spec to print.
#[derive(Debug)]
pub struct Arrangement<'a> {
    desired: &'a Desired,
    remarks: &'a Remarks,
    /// Values of many records, with the names of their variables.
    variables: BTreeMap<String, String>,
    /// Protection that several zones share: the name of the profile, and its content.
    profiles: Vec<(String, Json)>,
}

/// Prepares a spec for printing. With `factor`, values that many records share become variables,
/// and protection that several zones share becomes a profile.
#[must_use]
pub fn arrange<'a>(desired: &'a Desired, remarks: &'a Remarks, factor: bool) -> Arrangement<'a> {
    let (variables, profiles) =
        if factor { (variables(desired), profiles(desired)) } else { Default::default() };
    Arrangement { desired, remarks, variables, profiles }
}

impl Arrangement<'_> {
    /// Returns the whole spec as one text.
    #[must_use]
    pub fn whole(&self) -> String {
        let mut out = format!("version: 1\n{}zones:\n", self.shared_sections());
        for zone in self.desired.zones.values() {
            out.push_str(&self.zone_text(zone, None).unwrap_or_default());
        }
        out
    }

    /// Returns the file of a part of a zone. Returns `None` if the file would be empty.
    #[must_use]
    pub fn file(&self, zone: &DesiredZone, part: Part) -> Option<String> {
        Some(format!("version: 1\nzones:\n{}", self.zone_text(zone, Some(part))?))
    }

    /// Returns the file with what the zones share. Returns `None` if they share nothing.
    #[must_use]
    pub fn shared(&self) -> Option<String> {
        let sections = self.shared_sections();
        (!sections.is_empty()).then(|| format!("version: 1\n{sections}"))
    }

    /// Returns `variables` and `profiles` as text.
    fn shared_sections(&self) -> String {
        let mut sections = Map::new();
        if !self.variables.is_empty() {
            let by_name: BTreeMap<&String, &String> =
                self.variables.iter().map(|(value, name)| (name, value)).gather();
            sections.insert("variables".to_owned(), json!(by_name));
        }
        if !self.profiles.is_empty() {
            let profiles =
                self.profiles.iter().map(|(name, waf)| (name.clone(), json!({ "waf": waf })));
            sections.insert("profiles".to_owned(), Json::Object(profiles.collect()));
        }
        if sections.is_empty() { String::new() } else { to_yaml(&Json::Object(sections)) }
    }

    /// Returns a zone as an item of `zones:`.
    fn zone_text(&self, zone: &DesiredZone, part: Option<Part>) -> Option<String> {
        let Json::Object(mut members) = emit::zone(zone, &self.desired.suppressions) else {
            return None;
        };
        let records = members.remove("records");
        let profile = members
            .get("waf")
            .and_then(|waf| self.profiles.iter().find(|(_, shared)| shared == waf));
        if let Some((name, _)) = profile {
            members.remove("waf");
            members.insert("use".to_owned(), json!([name]));
        }
        let is_protection = |name: &str| matches!(name, "waf" | "use");
        match part {
            None => {}
            Some(Part::Zone) => members.retain(|name, _| !is_protection(name)),
            Some(Part::Protection) => members.retain(|name, _| is_protection(name)),
        }
        if part == Some(Part::Protection) && members.is_empty() {
            return None;
        }
        let mut out = format!("  {}:\n", one_line(zone.name.as_str()));
        if !members.is_empty() {
            for line in to_yaml(&Json::Object(members)).lines() {
                let line = if line.is_empty() { String::new() } else { format!("    {line}") };
                out.push_str(&line);
                out.push('\n');
            }
        }
        if let (Some(Json::Array(entries)), None | Some(Part::Zone)) = (&records, part) {
            self.records(zone, entries, &mut out);
        }
        Some(out)
    }

    /// Writes the records in groups.
    fn records(&self, zone: &DesiredZone, entries: &[Json], out: &mut String) {
        if entries.is_empty() {
            out.push_str("    records: []\n");
            return;
        }
        out.push_str("    records:\n");
        // Entries without a record declare records absent.
        let group = |n: usize| {
            zone.records.get(n).map_or(Group::Other, |record| Group::of(&zone.name, record))
        };
        let mut order: Vec<(Group, usize)> = (0..entries.len()).map(|n| (group(n), n)).collect();
        order.sort_unstable();
        let groups: BTreeSet<Group> = order.iter().map(|(group, _)| *group).gather();
        let has_headings = groups.len() > 1 && entries.len() > FEW;
        let mut last = None;
        for (group, n) in order {
            if has_headings && last != Some(group) {
                let gap = if last.is_some() { "\n" } else { "" };
                out.push_str(&format!("{gap}      # {}\n", group.heading()));
                last = Some(group);
            }
            let remarks = zone
                .records
                .get(n)
                .map(|record| self.remarks.of(&zone.name, record))
                .unwrap_or_default();
            for line in remarks {
                out.push_str(&format!("      # {}\n", harmless(line)));
            }
            out.push_str(&format!("      - {}\n", self.entry(&entries[n])));
        }
    }

    /// Writes a record: on one line, or one line for each member.
    fn entry(&self, record: &Json) -> String {
        let Json::Object(members) = record else { return flow_value(record) };
        let mut members = members.clone();
        if let Some(Json::String(content)) = members.get_mut("content")
            && let Some(name) = self.variables.get(content)
        {
            *content = format!("${{{name}}}");
        }
        if let Some(Json::String(content)) = members.get("content")
            && let Some(text) = unquoted(content)
        {
            members.insert("content".to_owned(), json!(text));
        }
        let record = flow_value(&Json::Object(members.clone()));
        if record.chars().count() <= WIDEST {
            return record;
        }
        let line =
            |(name, value): (&String, &Json)| format!("{}: {}", one_line(name), flow_value(value));
        members.iter().map(line).collect::<Vec<_>>().join("\n        ")
    }
}

/// Writes a value in flow style.
fn flow_value(value: &Json) -> String {
    match value {
        Json::String(text) => one_line(text),
        Json::Array(items) => {
            format!("[{}]", items.iter().map(flow_value).collect::<Vec<_>>().join(", "))
        }
        Json::Object(members) if members.is_empty() => "{}".to_owned(),
        Json::Object(members) => {
            let member = |(name, value): (&String, &Json)| {
                format!("{}: {}", one_line(name), flow_value(value))
            };
            format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => value.to_string(),
    }
}

/// Returns a comment without characters that a terminal or a CI runner would interpret.
pub(super) fn harmless(line: &str) -> String {
    let visible = |(at, c): (usize, char)| {
        if is_hidden(c) || (c == '#' && begins_command(&line[at..])) { '\u{fffd}' } else { c }
    };
    line.char_indices().map(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Sources;
    use crate::spec::{Input, Options, load, print};

    /// Reads a spec.
    fn read(text: &str) -> Desired {
        let text = &text.replace("LONG", &"x".repeat(300));
        let outcome =
            load(&[Input::Stdin(text.to_owned())], &Options::default(), &mut Sources::default());
        outcome.desired.unwrap_or_else(|| panic!("{:?}\n{text}", outcome.diagnostics))
    }

    const SPEC: &str = r#"
version: 1
zones:
  example.com:
    settings: { ssl: strict }
    waf: { owasp: { paranoia: 2 } }
    records:
      - { name: "@", type: A, content: 192.0.2.1, proxied: true, comment: "say \"yes\"\\ # no" }
      - { name: "@", type: TXT, content: "v=spf1 -all" }
      - { name: long, type: TXT, content: LONG }
      - { name: odd, type: TXT, content: '"a" "b\"c"' }
      - { name: "@", type: TXT, content: "google-site-verification=abc" }
      - { name: "@", type: MX, priority: 10, content: mx.example.net }
      - { name: "*", type: A, content: 192.0.2.1 }
      - { name: "on", type: A, content: 192.0.2.1, tags: [a:b, "yes"] }
      - { name: www, type: AAAA, content: "2001:db8::1" }
      - { name: sub, type: NS, content: ns.example.net }
      - { name: _sip._tcp, type: SRV, data: { priority: 1, weight: 2, port: 5060, target: sip.example.com } }
      - { name: k._domainkey, type: TXT, content: "v=DKIM1; p=$${x}" }
      - { name: old, type: A, state: absent }
  example.org: { waf: { owasp: { paranoia: 2 } }, records: [{ name: "@", type: A, content: 192.0.2.9 }] }
"#;

    #[test]
    fn it_reads_back_as_the_same_in_one_file_and_in_several() {
        let desired = read(SPEC);
        for factor in [false, true] {
            let remarks = Remarks::default();
            let arranged = arrange(&desired, &remarks, factor);
            let whole = arranged.whole();
            assert_eq!(print(&read(&whole)), print(&desired), "{whole}");
            assert_eq!(whole.contains("use:\n"), factor, "{whole}");
            assert_eq!(whole.contains("ADDRESS_192_0_2_1: 192.0.2.1"), factor, "{whole}");
            let mut parts: Vec<String> = arranged.shared().into_iter().collect();
            for zone in desired.zones.values() {
                parts.extend(
                    [Part::Zone, Part::Protection]
                        .into_iter()
                        .filter_map(|part| arranged.file(zone, part)),
                );
            }
            assert_eq!(parts.len(), 4 + usize::from(factor));
        }
    }

    #[test]
    fn records_are_grouped_and_keep_their_comments() {
        let desired = read(SPEC);
        let zone = desired.zones.values().next().unwrap();
        let mut remarks = Remarks::default();
        let mx = zone.records.iter().find(|record| record.data.type_name() == "MX").unwrap();
        remarks.add(
            &zone.name,
            &mx.name,
            &mx.data,
            vec!["ask\u{202e} the ##[group]mail team".to_owned()],
        );
        let text = arrange(&desired, &remarks, false).whole();
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}\n{text}"));
        let order = [
            "# Apex",
            "# Mail",
            "\u{fffd}#[group]mail team\n      - { name: \"@\", type: MX",
            "# Delegations",
        ];
        let order = order.into_iter().chain([
            "# Hosts",
            "name: \"on\"",
            "# Verification",
            "# Other",
            "state: absent",
        ]);
        let places: Vec<usize> = order.map(at).collect();
        assert!(places.is_sorted(), "{places:?}\n{text}");
        assert!(!text.contains('\u{202e}') && !text.contains("##["), "{text}");
    }
}
