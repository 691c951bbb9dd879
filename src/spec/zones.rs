//! Converts the syntax of all files to the model: zones merged from their fragments, records with
//! their defaults.
//!
//! Takes files with their include relations and returns [`Desired`], which is complete only if no
//! error was found. The result does not depend on the order in which files were given.

use std::collections::BTreeMap;

use super::attributes::{Defaults, Facet, Reader};
use super::conflicting_records;
use super::deserialize::{Deferred, Spanned, Text};
use super::expect::expectation;
use super::expiry::Day;
use super::inherited_defaults::{FileIn, file_defaults};
use super::named_values::{agree, merge, placed};
use super::profiles::{Input, Profiles, Used, section};
use super::record_syntax::RecordSyntax;
use super::records::Target;
use super::syntax::{IgnoreSyntax, SwitchSyntax, ZoneSyntax};
use super::waf::Fragment;
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostics, Place, Source, Sources};
use crate::model::{
    Danger, Desired, DesiredSettings, DesiredZone, Expectation, IgnorePattern, NameError,
    PublicSuffix, Tier, Unmanaged, Value, ZoneId, ZoneName,
};

/// A zone while its fragments are being merged.
struct Fragments {
    place: Place,
    id: Option<Facet<ZoneId>>,
    tier: Option<Facet<Tier>>,
    unmanaged: Option<Facet<Unmanaged>>,
    ignore: Vec<IgnorePattern>,
    ignore_place: Option<Place>,
    allow: BTreeMap<Danger, String>,
    create: Option<Facet<bool>>,
    dnssec: Option<Facet<bool>>,
    settings: BTreeMap<String, Facet<Value>>,
    dns_settings: BTreeMap<String, Facet<Value>>,
    defaults: Defaults,
    /// Records with the number of their file.
    records: Vec<(usize, Vec<Deferred<Spanned<RecordSyntax>>>)>,
    /// `waf` sections and the profiles used.
    used: Used,
    expect: Vec<Expectation>,
    /// True if everything about the zone could be read.
    certain: bool,
}

/// Converts all files.
///
/// Entries that have expired by `today` are marked as expired.
pub(super) fn resolve(
    mut files: Vec<FileIn>,
    today: Option<Day>,
    sources: &Sources,
    diagnostics: &mut Diagnostics,
) -> Desired {
    let all_defaults = file_defaults(&files, sources, diagnostics);
    let mut profiles = Profiles::default();
    for number in 0..files.len() {
        let file_profiles = files[number].syntax.as_mut().and_then(|s| s.profiles.take());
        let input = Input { files: &mut files, defaults: &all_defaults, today, sources };
        for (name, profile) in file_profiles.into_iter().flat_map(|profiles| profiles.0) {
            profiles.add(&name, profile, number, &input, diagnostics);
        }
    }
    let mut zones: BTreeMap<ZoneName, Fragments> = BTreeMap::new();
    for (number, file) in files.iter_mut().enumerate() {
        let Some(all) = file.syntax.as_mut().and_then(|s| s.zones.take()) else { continue };
        for (name, mut zone) in all.0 {
            let mut reader = Reader { source: file.source, diagnostics };
            let Some(zone_name) = zone_name(&name, &mut reader) else { continue };
            let place = reader.place(&name);
            let expect = zone.value.expect.take().into_iter().flatten();
            let expect: Vec<_> =
                expect.filter_map(|e| expectation(&zone_name, &e, &mut reader)).collect();
            let fragments = zones.entry(zone_name).or_insert_with(|| Fragments {
                place,
                id: None,
                tier: None,
                unmanaged: None,
                ignore: Vec::new(),
                ignore_place: None,
                allow: BTreeMap::new(),
                create: None,
                dnssec: None,
                settings: BTreeMap::new(),
                dns_settings: BTreeMap::new(),
                defaults: Defaults::default(),
                records: Vec::new(),
                used: Used::default(),
                expect: Vec::new(),
                certain: true,
            });
            // A refused key may have been `unmanaged`.
            fragments.certain &= !file.reduced.contains(&zone.span.start);
            fragments.expect.extend(expect);
            let (waf, names) = (zone.value.waf.take(), zone.value.profiles.take());
            fragments.add(number, zone.value, &mut reader);
            let name = sources.name(file.source);
            for profile in names.into_iter().flatten() {
                let facet = reader.facet(&profile, profile.value.0.clone());
                fragments.used.names.push((name.to_owned(), facet));
            }
            if let Some(waf) = waf {
                let layer = section(file, today, sources, diagnostics).read(&waf);
                fragments.used.fragments.push(Fragment { file: name.to_owned(), layer });
            }
        }
    }
    let mut desired = Desired { profiles: profiles.places(&files), ..Desired::default() };
    for (name, mut fragments) in zones {
        let (used, defaults) = (std::mem::take(&mut fragments.used), fragments.defaults.clone());
        let mut input = Input { files: &mut files, defaults: &all_defaults, today, sources };
        let mut zone = zone_of_fragments(&name, fragments, &input, diagnostics);
        let use_place = used.names.first().map(|(_, name)| name.place);
        profiles.complete(&mut zone, used, &defaults, &mut input, diagnostics);
        match use_place {
            Some(place) => {
                let mut conflicts = Diagnostics::default();
                conflicting_records::check(&mut zone, &mut conflicts);
                profiles.report_conflicts(conflicts, &desired, &name, place, diagnostics);
            }
            None => conflicting_records::check(&mut zone, diagnostics),
        }
        desired.zones.insert(name, zone);
    }
    let mut input = Input { files: &mut files, defaults: &all_defaults, today, sources };
    profiles.finish(&mut input, diagnostics);
    desired
}

fn zone_name(syntax: &Spanned<Text>, reader: &mut Reader<'_>) -> Option<ZoneName> {
    let error = match ZoneName::parse(&syntax.value.0) {
        Ok(name)
            if PublicSuffix::of(name.as_fqdn().as_str()).is_some_and(PublicSuffix::is_registry) =>
        {
            let help = format!("write the registered domain, such as `example.{name}`");
            let place = reader.place(syntax);
            reader.diagnostics.push(
                findings::PUBLIC_SUFFIX
                    .at(place, format!("anyone can register names below `{name}`"))
                    .help(help),
            );
            return None;
        }
        Ok(name) => return Some(name),
        Err(error) => error,
    };
    let help = match error {
        NameError::Wildcard => "write the domain without `*`; wildcards are names of records",
        _ => "write the zone's domain, such as example.com",
    };
    let place = reader.place(syntax);
    reader.diagnostics.push(findings::ZONE_NAME.at(place, error.to_string()).help(help));
    None
}

impl Fragments {
    /// Merges one fragment.
    fn add(&mut self, file: usize, zone: ZoneSyntax, reader: &mut Reader<'_>) {
        let ZoneSyntax {
            id,
            plan,
            unmanaged,
            ignore,
            allow,
            lint: _,
            create,
            settings,
            dnssec,
            dns_settings,
            defaults,
            profiles: _,
            waf: _,
            expect: _,
            records,
        } = zone;
        if let Some(plan) = plan {
            let facet = reader.facet(&plan, plan.value.into());
            agree("plan", &mut self.tier, facet, reader.diagnostics);
        }
        if let Some(create) = create {
            let facet = reader.facet(&create, create.value);
            agree("create", &mut self.create, facet, reader.diagnostics);
        }
        if let Some(dnssec) = dnssec {
            let facet = reader.facet(&dnssec, dnssec.value == SwitchSyntax::On);
            agree("dnssec", &mut self.dnssec, facet, reader.diagnostics);
        }
        merge(&mut self.settings, settings, super::settings::checked, reader);
        merge(&mut self.dns_settings, dns_settings, |_, _, value, _| Some(value), reader);
        if let Some(id) = id.and_then(|id| zone_id(&id, reader)) {
            agree("id", &mut self.id, id, reader.diagnostics);
        }
        if let Some(unmanaged) = unmanaged {
            let facet = reader.facet(&unmanaged, unmanaged.value.into());
            agree("unmanaged", &mut self.unmanaged, facet, reader.diagnostics);
        }
        for (danger, reason) in reader.allow(allow.as_ref()) {
            self.allow.entry(danger).or_insert(reason);
        }
        if let Some(ignore) = ignore {
            if let Some(first) = ignore.value.first() {
                self.ignore_place.get_or_insert(reader.place(first));
            }
            self.ignore.extend(ignore.value.iter().filter_map(|i| read_ignore_pattern(i, reader)));
        }
        if let Some(defaults) = defaults {
            let defaults = Defaults::new(&defaults, reader.source, reader.diagnostics);
            self.defaults.merge(defaults, reader.diagnostics);
        }
        if let Some(records) = records {
            self.records.push((file, records));
        }
    }
}

fn zone_id(syntax: &Spanned<Text>, reader: &mut Reader<'_>) -> Option<Facet<ZoneId>> {
    let text = &syntax.value.0;
    if text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Some(reader.facet(syntax, ZoneId(text.to_ascii_lowercase())));
    }
    let place = reader.place(syntax);
    reader.diagnostics.push(
        findings::ZONE_ID.at(place, format!("`{}` is not a zone id", super::clip(text))).help(
            "copy the id from the zone's overview page: 32 hexadecimal digits, in quotes if they \
            are all decimal",
        ),
    );
    None
}

/// Reads one item of `ignore`.
fn read_ignore_pattern(
    syntax: &Spanned<IgnoreSyntax>,
    reader: &mut Reader<'_>,
) -> Option<IgnorePattern> {
    let place = reader.place(syntax);
    let IgnoreSyntax { name, record_type, content, tag, reason } = &syntax.value;
    if name.is_none() && record_type.is_none() && content.is_none() && tag.is_none() {
        reader.diagnostics.push(
            findings::IGNORE
                .at(place, "the pattern says nothing about the records that it means")
                .help("add `name`, `type`, `content` or `tag`; `name: \"*\"` means every record"),
        );
        return None;
    }
    let mut good = true;
    let mut glob = |text: &Option<Spanned<Text>>, lower: bool| {
        let text = text.as_ref()?;
        // Names are compared in lower case.
        let words = if lower { text.value.0.to_lowercase() } else { text.value.0.clone() };
        match glob::Pattern::new(&words) {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                good = false;
                let place = reader.place(text);
                reader.diagnostics.push(
                    findings::IGNORE
                        .at(
                            place,
                            format!(
                                "`{}` is not a glob: {}",
                                super::clip(&text.value.0),
                                error.msg
                            ),
                        )
                        .help(
                            "write `*` for any text, `?` for one character, `[*]` for a star \
                            itself",
                        ),
                );
                None
            }
        }
    };
    let (name, content) = (glob(name, true), glob(content, false));
    let record_type = match record_type {
        Some(word)
            if word.value.0.is_empty()
                || !word.value.0.bytes().all(|b| b.is_ascii_alphanumeric()) =>
        {
            good = false;
            let at = reader.place(word);
            reader.diagnostics.push(
                findings::IGNORE
                    .at(at, format!("`{}` is not a record type", super::clip(&word.value.0)))
                    .help("write a type such as TXT; leave `type` out for every type"),
            );
            None
        }
        other => other.as_ref().map(|t| t.value.0.to_ascii_uppercase()),
    };
    good.then(|| IgnorePattern {
        name,
        record_type,
        content,
        tag: tag.as_ref().map(|t| t.value.0.clone()),
        reason: reason.as_ref().map(|r| r.value.0.clone()),
        place,
    })
}

/// Builds a zone from its fragments.
fn zone_of_fragments(
    name: &ZoneName,
    fragments: Fragments,
    input: &Input<'_>,
    diagnostics: &mut Diagnostics,
) -> DesiredZone {
    let Fragments {
        place,
        id,
        tier,
        unmanaged,
        ignore,
        ignore_place,
        allow,
        create,
        dnssec,
        settings,
        dns_settings,
        defaults: own,
        records,
        used: _,
        expect,
        certain,
    } = fragments;
    let settings = DesiredSettings {
        settings: placed(settings),
        dnssec: dnssec.map(|d| (d.value, d.place)),
        dns_settings: placed(dns_settings),
    };
    let unmanaged = unmanaged.map(|u| u.value).unwrap_or_default();
    if let (Some(place), Unmanaged::Keep, true) = (ignore_place, unmanaged, certain) {
        diagnostics.push(
            findings::IGNORE_IDLE
                .at(place, format!("{name} is not pruned"))
                .help("remove `ignore`, or set `unmanaged: prune`"),
        );
    }
    let mut zone = DesiredZone {
        name: name.clone(),
        id: id.map(|i| i.value),
        place,
        tier: tier.map(|tier| (tier.value, tier.place)),
        unmanaged,
        ignore,
        create: create.is_some_and(|c| c.value),
        settings,
        waf: None,
        records: Vec::new(),
        tombstones: Vec::new(),
        allow,
        expect,
    };
    let Input { files, defaults, today, sources } = input;
    for (number, records) in records {
        let file = &files[number];
        let defaults = own.clone().or(&defaults[number]);
        let mut target = Target {
            zone: name,
            source: file.source,
            text: sources.get(file.source).map_or("", Source::text),
            reduced: &file.reduced,
            defaults: &defaults,
            today: *today,
            records: &mut zone.records,
            tombstones: &mut zone.tombstones,
            diagnostics,
        };
        if let Some(tree) = &file.tree {
            target.read_all(records, tree);
        }
    }
    zone
}
