//! Collects the declarations of sources in the terms of the model. Readers add zones, records and
//! rules; the result becomes a spec in the same way as a live zone.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

pub(super) use super::entry::{Entry, Written};
use super::from_live::attributes_not_in_spec;
use super::{Imported, Leaving, SourceKind, from_live};
use crate::diagnostic::{
    Diagnostic, Diagnostics, Finding, Place, Severity, SourceId, Sources, findings,
};
use crate::model::ruleset::{EntryPoint, LiveRule, LiveRuleset, Phase, RulesetId};
use crate::model::{
    AsReported, DesiredSettings, Fqdn, LiveRecord, LiveZone, Rdata, RecordType, STRING_OCTETS,
    Spelling, Tombstone, Ttl, Value, ZoneId, ZoneName,
};
use crate::spec::Remarks;

/// Everything that the sources declare.
#[derive(Debug, Default)]
pub struct ImportResult {
    /// Texts of the sources.
    pub sources: Sources,
    /// Entries that could not be imported, and the reasons.
    pub diagnostics: Diagnostics,
    /// Number of imported entries, by kind of entry.
    pub tally: BTreeMap<String, Tally>,
    /// Remaining steps in the tools that managed the zones.
    pub leaving: Leaving,
    /// Zones of which some records are unknown, with the reasons. They are never handed over or
    /// pruned.
    pub zones_in_part: BTreeMap<ZoneName, BTreeSet<String>>,
    /// Kinds of the sources that were read.
    pub kinds: BTreeSet<SourceKind>,
    /// True if a source is a configuration that has variables.
    pub has_variables: bool,
    /// Files with values of Terraform's variables that cannot be read, with the reasons.
    pub(super) unread_values: BTreeMap<PathBuf, String>,
    /// Files that were read.
    pub files_read: BTreeSet<PathBuf>,
    /// Files that were found and not read, with the reasons.
    pub files_skipped: BTreeMap<PathBuf, String>,
    /// Source of each record.
    pub origins: BTreeMap<(ZoneName, Fqdn, Rdata), Origin>,
    /// Record types of each name.
    types: BTreeMap<(ZoneName, Fqdn), BTreeSet<RecordType>>,
    /// Generated names of rules.
    references: BTreeSet<String>,
    /// Comments about records.
    remarks: Remarks,
    /// Comment lines that are assigned to a record.
    used: HashSet<(SourceId, usize)>,
    /// First claim about each thing of a zone.
    claims: BTreeMap<(ZoneName, String), Said>,
    zones: BTreeMap<ZoneName, FoundZone>,
    /// Number of records in all zones.
    record_count: usize,
}

/// A statement of an entry about one thing of a zone, such as a setting.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim<'c> {
    /// Subject of the claim, such as ``the setting `ssl` ``.
    pub(super) thing: &'c str,
    /// Name of the entry in its source.
    pub(super) what: &'c str,
    /// Directory or file of the entry.
    pub(super) origin: &'c str,
    /// Place of the entry; [`Place::NOWHERE`] in a state.
    pub(super) place: Place,
}

/// Relation of a claim to earlier claims about the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claimed {
    /// No earlier claim exists.
    First,
    /// The earlier claim is equal.
    Same,
    /// The earlier claim differs.
    Contradicts,
}

/// A recorded claim.
#[derive(Debug, Clone)]
struct Said {
    value: String,
    what: String,
    origin: String,
    place: Place,
}

/// Returns the advice to skip one of two contradicting entries.
pub(super) fn skip_one_of(first: &str, second: &str) -> String {
    format!("leave one of them out: `--skip '{first}'` or `--skip '{second}'`")
}

/// Returns the message about attributes that are not in the spec; `None` if there are no such
/// attributes.
pub(super) fn not_in_spec(attributes: &[String]) -> Option<String> {
    let shown: Vec<String> = attributes.iter().map(|path| format!("`{path}`")).collect();
    let verb = if shown.len() == 1 { "is" } else { "are" };
    (!shown.is_empty()).then(|| format!("{} {verb} not in the spec", shown.join(", ")))
}

/// Maximum number of records in one import. Each record takes more than a thousand bytes until the
/// spec is written.
const MOST_RECORDS: usize = 90_000;
/// Reason for leaving out records beyond the limit.
const TOO_MANY_RECORDS: &str =
    "an import has at most 90000 records; this one and others are left out";
/// Maximum number of reports in one import. Later entries that are left out are only counted.
const MOST_REPORTS: usize = 10_000;

#[derive(Debug)]
struct FoundZone {
    /// Records and rules.
    content: LiveZone,
    settings: DesiredSettings,
    /// Records that must not exist.
    tombstones: Vec<Tombstone>,
}

/// Source of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Place of the entry; [`Place::NOWHERE`] in a state.
    pub place: Place,
    /// Name of the record in its source.
    pub what: String,
    /// Index among the records of the zone.
    index: usize,
}

/// Number of entries of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Number of all entries.
    pub all: usize,
    /// Number of entries that the spec has completely.
    pub imported: usize,
    /// Number of entries that the spec has in part. A report for each names the missing parts.
    pub in_part: usize,
}

/// Extent to which an entry of the source is in the spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Translation {
    /// The spec has everything.
    Whole,
    /// The spec has a part. The missing part is reported, and the entry stays in the old tool.
    InPart,
    /// The spec has nothing. The reason is reported.
    LeftOut,
}

impl Translation {
    /// Combines the translations of an entry's parts.
    pub(super) fn of_all(parts: Vec<Self>) -> Self {
        if parts.iter().all(|part| *part == Self::Whole) {
            Self::Whole
        } else if parts.iter().all(|part| *part == Self::LeftOut) {
            Self::LeftOut
        } else {
            Self::InPart
        }
    }
}

impl ImportResult {
    /// Returns the zone with this name and adds it if it is new.
    fn entry(&mut self, name: &ZoneName) -> &mut FoundZone {
        self.zones.entry(name.clone()).or_insert_with(|| FoundZone {
            content: LiveZone::new(name.clone(), ZoneId(String::new())),
            settings: DesiredSettings::default(),
            tombstones: Vec::new(),
        })
    }

    /// Adds a zone without content.
    pub(super) fn zone(&mut self, name: &ZoneName) {
        self.entry(name);
    }

    /// Returns an unused `ref` for a rule without a name: the text itself, or the text with a
    /// number.
    pub(super) fn distinct_reference(&mut self, wanted: &str) -> String {
        let numbered = (2..).map(|n| format!("{wanted}-{n}"));
        let mut candidates = std::iter::once(wanted.to_owned()).chain(numbered);
        candidates.find(|name| self.references.insert(name.clone())).unwrap_or_default()
    }

    /// Counts an entry.
    pub(super) fn count(&mut self, kind: &str, translation: Translation) {
        let tally = self.tally.entry(kind.to_owned()).or_default();
        tally.all += 1;
        match translation {
            Translation::Whole => tally.imported += 1,
            Translation::InPart => tally.in_part += 1,
            Translation::LeftOut => {}
        }
    }

    /// Adds the counts since a tally once more for each equal copy of the entries.
    pub(super) fn count_copies(&mut self, since: &BTreeMap<String, Tally>, copies: usize) {
        for (kind, tally) in &mut self.tally {
            let previous_tally = since.get(kind).copied().unwrap_or_default();
            tally.all += copies * (tally.all - previous_tally.all);
            tally.imported += copies * (tally.imported - previous_tally.imported);
            tally.in_part += copies * (tally.in_part - previous_tally.in_part);
        }
    }

    /// Notes that some records of a zone are unknown. The zone is not handed over.
    pub(super) fn zone_in_part(&mut self, zone: &ZoneName, reason: impl Into<String>) {
        self.zones_in_part.entry(zone.clone()).or_default().insert(reason.into());
    }

    /// Ends reading: reports zones that are known in part, and keeps them in the old tool.
    pub(super) fn finish(&mut self) {
        // A file that another file includes was read, whatever its name is.
        let files_read = &self.files_read;
        self.files_skipped.retain(|path, _| !files_read.contains(&real_path(path)));
        // These indexes take as much memory as the records; `clear` would keep the memory.
        self.types = BTreeMap::new();
        self.used = HashSet::new();
        self.claims = Default::default();
        // A file that is included several times reports each mistake once.
        let mut reported = HashSet::new();
        let is_new = |diagnostic: &Diagnostic| {
            let place = diagnostic
                .primary
                .as_ref()
                .map(|label| (label.place.source, label.place.span.start));
            place.is_none()
                || reported.insert((diagnostic.code().to_owned(), place, diagnostic.detail.clone()))
        };
        self.diagnostics =
            std::mem::take(&mut self.diagnostics).into_iter().filter(is_new).collect();
        for (zone, reasons) in &self.zones_in_part {
            self.leaving.octodns.remove(zone);
            self.leaving.dnscontrol.remove(zone);
            let reasons: Vec<&str> = reasons.iter().map(String::as_str).collect();
            let detail = format!("{zone}: {}", reasons.join("; "));
            let help = "never use `unmanaged: prune` for this zone: it would delete the records \
                that are not known";
            self.diagnostics.push(findings::ZONE_IN_PART.nowhere(detail).help(help));
        }
    }

    /// Notes that a file was read. A file that several named directories contain is counted once.
    pub(super) fn read_file(&mut self, path: &Path) {
        self.files_read.insert(real_path(path));
    }

    /// Notes that a file was found and not used.
    pub(super) fn skip_file(&mut self, path: &Path, reason: impl Into<String>) {
        self.files_read.remove(&real_path(path));
        self.files_skipped.entry(path.to_owned()).or_insert_with(|| reason.into());
    }

    /// Reports two entries that contradict each other; `choice` says how to choose one.
    pub(super) fn contradiction(&mut self, detail: String, places: [Place; 2], choice: String) {
        let [first, second] = places;
        let mut diagnostic = match first == Place::NOWHERE {
            true => findings::CONTRADICTING_SOURCES.nowhere(detail),
            false => findings::CONTRADICTING_SOURCES.at(first, detail),
        };
        if second != Place::NOWHERE {
            diagnostic = diagnostic.and_at(second, "the other entry");
        }
        self.diagnostics.push(diagnostic.help(choice));
    }

    /// Reports and counts an entry that is left out.
    pub(super) fn refuse(
        &mut self,
        finding: &'static Finding,
        kind: &str,
        what: &str,
        place: Place,
        why: &str,
    ) {
        self.count(kind, Translation::LeftOut);
        self.report(finding, what, place, why, None);
    }

    /// Reports something that the spec does not contain.
    pub(super) fn report(
        &mut self,
        finding: &'static Finding,
        what: &str,
        place: Place,
        why: &str,
        help: Option<String>,
    ) {
        // Errors have a separate limit, because they decide the exit code.
        let is_error = finding.severity == Severity::Error;
        let detail = if what.is_empty() { why.to_owned() } else { format!("{what}: {why}") };
        if self.diagnostics.len() > MOST_REPORTS
            && !(is_error && self.diagnostics.len() < 2 * MOST_REPORTS)
        {
            return;
        }
        if self.diagnostics.len() == MOST_REPORTS {
            let detail = format!("after {MOST_REPORTS} reports, what is left out is only counted");
            self.diagnostics
                .push(findings::NOT_TRANSLATED.nowhere(detail).help("fix these and import again"));
            return;
        }
        let mut diagnostic = if place == Place::NOWHERE {
            finding.nowhere(detail)
        } else {
            finding.at(place, detail)
        };
        if let Some(help) = help {
            diagnostic = diagnostic.help(help);
        }
        self.diagnostics.push(diagnostic);
    }

    /// Adds a record. Reports and leaves out a record that Cloudflare would refuse. Reports
    /// attributes that are not in the spec.
    pub(super) fn record(
        &mut self,
        kind: &str,
        what: &str,
        place: Place,
        entry: Entry<'_>,
    ) -> Translation {
        let zone = entry.zone.clone();
        let mut entry = entry;
        let comments = std::mem::take(&mut entry.comments);
        let mut not_translated = std::mem::take(&mut entry.not_translated);
        let is_proxied = entry.proxied;
        if self.record_count >= MOST_RECORDS {
            if !self
                .zones_in_part
                .get(&zone)
                .is_some_and(|reasons| reasons.contains(TOO_MANY_RECORDS))
            {
                let help = "import fewer zones at a time: name their files one by one".to_owned();
                self.report(findings::UNREADABLE_SOURCE, what, place, TOO_MANY_RECORDS, Some(help));
                self.zone_in_part(&zone, TOO_MANY_RECORDS);
            }
            self.count(kind, Translation::LeftOut);
            return Translation::LeftOut;
        }
        match entry.record(what.to_owned()) {
            Ok(record) => {
                if let Some((why, help)) = self.refusal_of(&zone, &record) {
                    self.count(kind, Translation::LeftOut);
                    self.report(
                        findings::INVALID_IN_SOURCE,
                        what,
                        place,
                        &why,
                        Some(help.to_owned()),
                    );
                    return Translation::LeftOut;
                }
                not_translated
                    .extend((is_proxied && !record.proxied).then(|| "proxied".to_owned()));
                not_translated
                    .extend(attributes_not_in_spec(&record).into_iter().map(str::to_owned));
                not_translated.sort();
                not_translated.dedup();
                let missing = not_in_spec(&not_translated);
                let translation =
                    if missing.is_none() { Translation::Whole } else { Translation::InPart };
                if let Some(missing) = missing {
                    self.report(findings::IN_PART, what, place, &missing, None);
                }
                self.count(kind, translation);
                let unused_comments =
                    comments.into_iter().filter(|(at, _)| self.used.insert((place.source, *at)));
                self.remarks.add(
                    &zone,
                    &record.name,
                    &record.data,
                    unused_comments.map(|(_, words)| words).collect(),
                );
                let types = self.types.entry((zone.clone(), record.name.clone())).or_default();
                types.extend(record.data.record_type());
                let key = (zone.clone(), record.name.clone(), record.data.clone());
                let records = &mut self.entry(&zone).content.records;
                let index = records.len();
                records.push(record);
                self.record_count += 1;
                self.origins.entry(key).or_insert_with(|| Origin {
                    place,
                    what: what.to_owned(),
                    index,
                });
                translation
            }
            Err((why, help)) => {
                self.count(kind, Translation::LeftOut);
                self.report(findings::INVALID_IN_SOURCE, what, place, &why, help);
                Translation::LeftOut
            }
        }
    }

    /// Changes the TTLs of the records of some names and types.
    pub(super) fn change_ttls(
        &mut self,
        zone: &ZoneName,
        ttls: &BTreeMap<(Fqdn, RecordType), Option<u32>>,
    ) {
        if ttls.is_empty() {
            return;
        }
        for record in &mut self.entry(zone).content.records {
            let Some(record_type) = record.data.record_type() else { continue };
            if let Some(ttl) = ttls.get(&(record.name.clone(), record_type)) {
                record.ttl = ttl.map_or(Ttl::AUTOMATIC, Ttl::reported);
            }
        }
    }

    /// Adds a record that must not exist. Reports and leaves out a tombstone for a record that the
    /// source also wants.
    pub(super) fn tombstone(&mut self, kind: &str, what: &str, place: Place, entry: Entry<'_>) {
        let zone = entry.zone.clone();
        let parsed = entry.record(what.to_owned()).and_then(|LiveRecord { name, data, .. }| {
            let record_type =
                data.record_type().ok_or(("its value is not understood".to_owned(), None))?;
            let is_wanted = self.origins.contains_key(&(zone.clone(), name.clone(), data.clone()));
            match is_wanted {
                true => Err(("the source also wants this record".to_owned(), None)),
                false => Ok((name, record_type, data)),
            }
        });
        match parsed {
            Ok((name, record_type, data)) => {
                self.count(kind, Translation::Whole);
                let spelling = Spelling {
                    name: zone.relative(&name).into(),
                    place: Place::NOWHERE,
                    entry: Place::NOWHERE,
                    reported: AsReported::default(),
                };
                let tombstone = Tombstone {
                    name,
                    record_type,
                    data: Some(data),
                    expired: None,
                    protect: false,
                    allow: None,
                    spelling,
                };
                let tombstones = &mut self.entry(&zone).tombstones;
                if !tombstones.contains(&tombstone) {
                    tombstones.push(tombstone);
                }
            }
            Err((why, help)) => {
                self.count(kind, Translation::LeftOut);
                self.report(findings::INVALID_IN_SOURCE, what, place, &why, help);
            }
        }
    }

    /// Returns why a record cannot be in a spec beside the other records, and what to do.
    fn refusal_of(&self, zone: &ZoneName, record: &LiveRecord) -> Option<(String, &'static str)> {
        if record.data.is_alias_of(&record.name) {
            let why = format!("`{}` is the name of the record itself", record.name);
            return Some((why, "write the name that it should be an alias of"));
        }
        let keep = "keep one of them in the source";
        if let Some(why) = self.conflict(zone, record) {
            return Some((why, keep));
        }
        let origin = self.origins.get(&(zone.clone(), record.name.clone(), record.data.clone()))?;
        let existing = self.zones.get(zone)?.content.records.get(origin.index)?;
        let different = different_attributes(existing, record);
        let names: Vec<String> = different.iter().map(|name| format!("`{name}`")).collect();
        let shown = names.join(" and ");
        (!names.is_empty())
            .then(|| (format!("the source has this record already, with another {shown}"), keep))
    }

    /// Returns why a record conflicts with the records of its name: a second CNAME, or types that
    /// exclude each other.
    fn conflict(&self, zone: &ZoneName, record: &LiveRecord) -> Option<String> {
        let record_type = record.data.record_type()?;
        let types = self.types.get(&(zone.clone(), record.name.clone()))?;
        let is_new = || {
            !self.origins.contains_key(&(zone.clone(), record.name.clone(), record.data.clone()))
        };
        if record_type == RecordType::Cname && types.contains(&record_type) && is_new() {
            return Some("the name has another CNAME already".to_owned());
        }
        let is_apex = record.name == *zone.as_fqdn();
        let conflicting_type =
            types.iter().find(|other| record_type.excludes_at(**other, is_apex))?;
        Some(format!(
            "the name has a record of type {conflicting_type} already, and {record_type} cannot \
            share a name with it"
        ))
    }

    /// Records a claim, and reports it if an earlier claim about the same thing differs.
    pub(super) fn claim(&mut self, zone: &ZoneName, claim: Claim<'_>, value: &str) -> Claimed {
        let Claim { thing, what, origin, place } = claim;
        let key = (zone.clone(), thing.to_owned());
        let Some(first) = self.claims.get(&key).cloned() else {
            let (value, what, origin) = (value.to_owned(), what.to_owned(), origin.to_owned());
            self.claims.insert(key, Said { value, what, origin, place });
            return Claimed::First;
        };
        if first.value == value {
            return Claimed::Same;
        }
        // Equal addresses are distinguished by their places.
        let is_one_address = first.what == what;
        let (one, other) = match is_one_address {
            true => (first.origin.clone(), origin.to_owned()),
            false => (first.what.clone(), what.to_owned()),
        };
        let shown = match is_one_address {
            true => format!("{what} of {one} and of {other}"),
            false => format!("{one} and {other}"),
        };
        let detail = format!("{zone}: {shown} say different things about {thing}");
        self.contradiction(detail, [first.place, place], skip_one_of(&one, &other));
        Claimed::Contradicts
    }

    /// Adds a DNS setting.
    pub(super) fn dns_setting(&mut self, zone: &ZoneName, name: &str, value: Value, place: Place) {
        self.entry(zone).settings.dns_settings.insert(name.to_owned(), (value, place));
    }

    /// Adds a zone setting.
    pub(super) fn setting(&mut self, zone: &ZoneName, name: &str, value: Value, place: Place) {
        self.entry(zone).settings.settings.insert(name.to_owned(), (value, place));
    }

    /// Adds a claim about DNSSEC.
    pub(super) fn dnssec(&mut self, zone: &ZoneName, on: bool, place: Place) {
        self.entry(zone).settings.dnssec = Some((on, place));
    }

    /// Appends rules to a phase.
    pub(super) fn rules(&mut self, zone: &ZoneName, phase: Phase, rules: Vec<LiveRule>) {
        let entry_points = &mut self.entry(zone).content.waf.entry_points;
        let entry_point = entry_points.entry(phase).or_insert(EntryPoint::Absent);
        match entry_point {
            EntryPoint::Present(ruleset) => ruleset.rules.extend(rules),
            EntryPoint::Absent => {
                let id = RulesetId(phase.as_str().to_owned());
                *entry_point = EntryPoint::Present(LiveRuleset {
                    id,
                    version: None,
                    last_updated: None,
                    rules,
                });
            }
        }
    }

    /// Returns true if the sources declare nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.zones.is_empty()
    }

    /// Takes the zones out as specs, with notes about what a spec cannot express. Releases the
    /// memory that only the readers needed.
    #[must_use]
    pub fn take_imported(&mut self) -> Vec<Imported> {
        let zones = std::mem::take(&mut self.zones);
        let import = |found: FoundZone| {
            let mut imported = from_live(&found.content);
            // The reports of the entries already contain these notes.
            imported.notes.retain(|note| !imported.rule_notes.iter().any(|(_, said)| said == note));
            imported.zone.settings = found.settings;
            imported.zone.tombstones = found.tombstones;
            imported.remarks = self.remarks.of_zone(&imported.zone.name);
            imported
        };
        zones.into_values().map(import).collect()
    }
}

/// Returns the names of the attributes that differ between two records of one name and value.
fn different_attributes(a: &LiveRecord, b: &LiveRecord) -> Vec<&'static str> {
    // The TTL of a proxied record is automatic.
    let ttl = |record: &LiveRecord| (!record.proxied).then_some(record.ttl);
    let comparisons = [
        ("proxied", a.proxied != b.proxied),
        ("ttl", a.proxied == b.proxied && ttl(a) != ttl(b)),
        ("comment", a.comment != b.comment),
        ("tags", a.tags != b.tags),
        ("settings", a.settings != b.settings),
    ];
    comparisons
        .into_iter()
        .filter(|(_, is_different)| *is_different)
        .map(|(name, _)| name)
        .collect()
}

/// Returns the path of a file with links followed, or the path itself if that fails.
fn real_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns a text as quoted character strings of at most 255 octets.
pub(super) fn quoted(text: &str) -> String {
    let mut parts = vec![String::new()];
    let mut length = 0;
    for c in text.chars() {
        if length + c.len_utf8() > STRING_OCTETS {
            parts.push(String::new());
            length = 0;
        }
        length += c.len_utf8();
        let part = parts.last_mut().expect("there is always one");
        if matches!(c, '"' | '\\') {
            part.push('\\');
        }
        part.push(c);
    }
    let parts: Vec<String> = parts.iter().map(|part| format!("\"{part}\"")).collect();
    parts.join(" ")
}
