//! From the syntax of all files to the model: zones merged from their fragments, records with their defaults.
//!
//! Files come in with their include relations; [`Desired`] comes out, complete only if no error was found. The result
//! does not depend on the order in which files were given.

use std::collections::{BTreeMap, HashSet};

use super::any_value::AnyValue;
use super::check;
use super::date::Day;
use super::expect::expectation;
use super::facets::{Defaults, Facet, Reader};
use super::read::{Deferred, Entries, Spanned, Text};
use super::record_syntax::RecordSyntax;
use super::records::Target;
use super::syntax::{FileSyntax, IgnoreSyntax, SwitchSyntax, ZoneSyntax};
use super::tree::Tree;
use super::waf::{Fragment, ProfileSyntax, Profiles, Section, Used};
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostics, Place, Source, SourceId, Sources};
use crate::model::{
    Danger, Desired, DesiredSettings, DesiredZone, Expectation, Gather, IgnorePattern, NameError, PublicSuffix,
    Unmanaged, Value, ZoneId, ZoneName, sort_by_key,
};

/// A file as it comes in.
pub(super) struct FileIn {
    /// Its text.
    pub(super) source: SourceId,
    /// Its tree; `None` where it could not be read.
    pub(super) tree: Option<Tree>,
    /// Its syntax, from the tree.
    pub(super) syntax: Option<FileSyntax>,
    /// The files that include it.
    pub(super) includers: Vec<(usize, Place)>,
    /// Whether it was named on the command line.
    pub(super) named: bool,
    /// Starts of mappings from which the shape check removed something.
    pub(super) reduced: HashSet<u32>,
}

/// A zone while its fragments are being merged.
struct Fragments {
    place: Place,
    id: Option<Facet<ZoneId>>,
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
    protection: Used,
    expect: Vec<Expectation>,
    /// Whether everything about the zone could be read.
    certain: bool,
}

/// Resolves all files.
///
/// Entries that have expired by `today` are marked as expired.
pub(super) fn resolve(
    mut files: Vec<FileIn>,
    today: Option<Day>,
    sources: &Sources,
    diagnostics: &mut Diagnostics,
) -> Desired {
    let mut profiles = Profiles::default();
    for file in &mut files {
        let all = file.syntax.as_mut().and_then(|s| s.profiles.take());
        for (name, profile) in all.into_iter().flat_map(|all| all.0) {
            add_profile(&name, &profile, file, today, sources, &mut profiles, diagnostics);
        }
    }
    let defaults = file_defaults(&files, sources, diagnostics);
    let mut zones: BTreeMap<ZoneName, Fragments> = BTreeMap::new();
    for (number, file) in files.iter_mut().enumerate() {
        let Some(all) = file.syntax.as_mut().and_then(|s| s.zones.take()) else { continue };
        for (name, mut zone) in all.0 {
            let mut reader = Reader { source: file.source, diagnostics };
            let Some(zone_name) = zone_name(&name, &mut reader) else { continue };
            let place = reader.place(&name);
            let expect = zone.value.expect.take().into_iter().flatten();
            let expect: Vec<_> = expect.filter_map(|e| expectation(&zone_name, &e, &mut reader)).collect();
            let fragments = zones.entry(zone_name).or_insert_with(|| Fragments {
                place,
                id: None,
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
                protection: Used::default(),
                expect: Vec::new(),
                certain: true,
            });
            // If something was refused, it may have been `unmanaged`.
            fragments.certain &= !file.reduced.contains(&zone.span.start);
            fragments.expect.extend(expect);
            let (waf, names) = (zone.value.waf.take(), zone.value.profiles.take());
            fragments.add(number, zone.value, &mut reader);
            let name = sources.name(file.source);
            for profile in names.into_iter().flatten() {
                let facet = reader.facet(&profile, profile.value.0.clone());
                fragments.protection.names.push((name.to_owned(), facet));
            }
            if let Some(waf) = waf {
                let layer = section(file, today, sources, diagnostics).read(&waf);
                fragments.protection.fragments.push(Fragment { file: name.to_owned(), layer });
            }
        }
    }
    let mut desired = Desired::default();
    for (name, mut fragments) in zones {
        let protection = std::mem::take(&mut fragments.protection);
        let mut zone = zone(&name, fragments, &files, &defaults, sources, diagnostics);
        zone.waf = profiles.apply(protection, diagnostics).map(Box::new);
        desired.zones.insert(name, zone);
    }
    profiles.finish(diagnostics);
    desired
}

/// The reader of the `waf` sections of a file.
fn section<'a>(
    file: &'a FileIn,
    today: Option<Day>,
    sources: &'a Sources,
    diagnostics: &'a mut Diagnostics,
) -> Section<'a> {
    let text = sources.get(file.source).map_or("", Source::text);
    Section { reader: Reader { source: file.source, diagnostics }, text, reduced: &file.reduced, today }
}

/// Reads a profile.
fn add_profile(
    name: &Spanned<Text>,
    profile: &Spanned<ProfileSyntax>,
    file: &FileIn,
    today: Option<Day>,
    sources: &Sources,
    profiles: &mut Profiles,
    diagnostics: &mut Diagnostics,
) {
    let mut section = section(file, today, sources, diagnostics);
    let name = section.reader.facet(name, name.value.0.clone());
    let layer = profile.value.waf.as_ref().map(|waf| section.read(waf)).unwrap_or_default();
    profiles.add(name, layer, diagnostics);
}

/// Whether registries sell names directly below a name, by the section of the Public Suffix List about them (publicsuffix.org).
/// The list's other section holds domains of companies, which are zones.
fn is_public_suffix(name: &ZoneName) -> bool {
    PublicSuffix::of(name.as_fqdn().as_str()).is_some_and(PublicSuffix::is_registry)
}

/// The name of a zone.
fn zone_name(syntax: &Spanned<Text>, reader: &mut Reader<'_>) -> Option<ZoneName> {
    let error = match ZoneName::parse(&syntax.value.0) {
        Ok(name) if is_public_suffix(&name) => {
            let help = format!("write the registered domain, such as `example.{name}`");
            let place = reader.place(syntax);
            reader.diagnostics.push(
                findings::PUBLIC_SUFFIX.at(place, format!("anyone can register names below `{name}`")).help(help),
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
            self.ignore.extend(ignore.value.iter().filter_map(|i| pattern(i, reader)));
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

/// Named values of one fragment; fragments that set the same name must agree.
fn merge(
    all: &mut BTreeMap<String, Facet<Value>>,
    some: Option<Entries<Spanned<AnyValue>>>,
    checked: impl Fn(&str, Place, Facet<Value>, &mut Diagnostics) -> Option<Facet<Value>>,
    reader: &mut Reader<'_>,
) {
    for (name, value) in some.into_iter().flat_map(|entries| entries.0) {
        let written = name.value.0.as_str();
        if written.is_empty() || !written.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
            let place = reader.place(&name);
            let detail = format!("`{}` is not a name of a setting", super::clip(written));
            let lower = written.to_ascii_lowercase();
            let help = if lower == written {
                "write Cloudflare's name, such as `ssl`".to_owned()
            } else {
                format!("did you mean `{lower}`?")
            };
            reader.diagnostics.push(findings::UNKNOWN_KEY.at(place, detail).help(help));
            continue;
        }
        let facet = Facet { place: reader.place(&name), value: value.value.0 };
        let Some(facet) = checked(written, facet.place, facet, reader.diagnostics) else { continue };
        let mut first = all.remove(&name.value.0);
        match (&mut first, facet) {
            (Some(Facet { value: Value::Map(members), place }), Facet { value: Value::Map(more), place: other }) => {
                merge_members(&name.value.0, (members, *place), (more, other), reader);
            }
            (_, facet) => agree(&name.value.0, &mut first, facet, reader.diagnostics),
        }
        all.extend(first.map(|first| (name.value.0, first)));
    }
}

/// Members of one nested value that several fragments set.
fn merge_members(
    key: &str,
    (members, first): (&mut BTreeMap<String, Value>, Place),
    (more, place): (BTreeMap<String, Value>, Place),
    reader: &mut Reader<'_>,
) {
    for (name, value) in more {
        let path = format!("{key}.{name}");
        match (members.get_mut(&name), value) {
            (Some(Value::Map(members)), Value::Map(more)) => {
                merge_members(&path, (members, first), (more, place), reader)
            }
            (Some(known), value) if *known != value => {
                let mut known = Some(Facet { value: known.clone(), place: first });
                agree(&path, &mut known, Facet { value, place }, reader.diagnostics);
            }
            (Some(_), _) => {}
            (None, value) => {
                members.insert(name, value);
            }
        }
    }
}

/// A value that all fragments of a zone must agree on.
fn agree<T: PartialEq>(key: &str, place: &mut Option<Facet<T>>, value: Facet<T>, diagnostics: &mut Diagnostics) {
    match place {
        None => *place = Some(value),
        Some(first) if first.value == value.value => {}
        Some(first) => diagnostics.push(
            findings::ZONE_CLASH
                .at(value.place, format!("`{key}` has another value here"))
                .and_at(first.place, "the first one")
                .help(format!("give `{key}` in one fragment of the zone")),
        ),
    }
}

/// The id of a zone.
fn zone_id(syntax: &Spanned<Text>, reader: &mut Reader<'_>) -> Option<Facet<ZoneId>> {
    let text = &syntax.value.0;
    if text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Some(reader.facet(syntax, ZoneId(text.to_ascii_lowercase())));
    }
    let place = reader.place(syntax);
    reader.diagnostics.push(
        findings::ZONE_ID.at(place, format!("`{}` is not a zone id", super::clip(text))).help(
            "copy the id from the zone's overview page: 32 hexadecimal digits, in quotes if they are all decimal",
        ),
    );
    None
}

/// One item of `ignore`.
fn pattern(syntax: &Spanned<IgnoreSyntax>, reader: &mut Reader<'_>) -> Option<IgnorePattern> {
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
                        .at(place, format!("`{}` is not a glob: {}", super::clip(&text.value.0), error.msg))
                        .help("write `*` for any text, `?` for one character, `[*]` for a star itself"),
                );
                None
            }
        }
    };
    let (name, content) = (glob(name, true), glob(content, false));
    let record_type = match record_type {
        Some(word) if word.value.0.is_empty() || !word.value.0.bytes().all(|b| b.is_ascii_alphanumeric()) => {
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

/// A whole zone from its fragments.
fn zone(
    name: &ZoneName,
    fragments: Fragments,
    files: &[FileIn],
    defaults: &[Defaults],
    sources: &Sources,
    diagnostics: &mut Diagnostics,
) -> DesiredZone {
    let Fragments {
        place,
        id,
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
        protection: _,
        expect,
        certain,
    } = fragments;
    let placed =
        |values: BTreeMap<String, Facet<Value>>| values.into_iter().map(|(n, f)| (n, (f.value, f.place))).gather();
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
    for (number, records) in records {
        let file = &files[number];
        let defaults = own.clone().or(&defaults[number]);
        let mut target = Target {
            zone: name,
            source: file.source,
            text: sources.get(file.source).map_or("", Source::text),
            reduced: &file.reduced,
            defaults: &defaults,
            records: &mut zone.records,
            tombstones: &mut zone.tombstones,
            diagnostics,
        };
        let Some(tree) = &file.tree else { continue };
        for record in records {
            match record.read(tree) {
                Ok(record) => target.read(&record),
                Err(error) => target.diagnostics.push(error.diagnostic(tree)),
            }
            if super::is_enough(target.diagnostics) {
                break;
            }
        }
    }
    check::check(&mut zone, diagnostics);
    zone
}

/// The defaults that apply in each file: its own, then those of the files that include it.
fn file_defaults(files: &[FileIn], sources: &Sources, diagnostics: &mut Diagnostics) -> Vec<Defaults> {
    let own: Vec<Defaults> = files
        .iter()
        .map(|file| match file.syntax.as_ref().and_then(|s| s.defaults.as_ref()) {
            Some(defaults) => Defaults::new(defaults, file.source, diagnostics),
            None => Defaults::default(),
        })
        .collect();
    if files.iter().all(|f| f.syntax.as_ref().is_none_or(|s| s.defaults.is_none())) {
        return own;
    }
    let depths = depths(files, sources);
    let includers: Vec<Vec<(usize, Place)>> =
        (0..files.len()).map(|n| true_includers(files, &depths, n, sources)).collect();
    let all = chained(&own, &includers);
    for (number, includers) in includers.iter().enumerate() {
        let Some(((first, first_place), others)) = includers.split_first() else { continue };
        for (other, place) in others {
            // A key that the file sets itself is not inherited, so a difference there does not matter.
            let (a, b) = (own[number].clone().or(&all[*first]), own[number].clone().or(&all[*other]));
            let Some((key, one, another)) = a.difference(&b) else { continue };
            let mut diagnostic = findings::DEFAULTS_CLASH
                .at(
                    *place,
                    format!("`{}` inherits another default `{key}` from here", sources.name(files[number].source)),
                )
                .and_at(*first_place, "than from here");
            for place in [one, another].into_iter().flatten() {
                diagnostic = diagnostic.and_at(place, format!("a default `{key}`"));
            }
            diagnostics.push(diagnostic.help("include the file once, or give it its own `defaults`"));
            break;
        }
    }
    all
}

/// The files whose defaults a file inherits, by name: those that include it, without those that only close a cycle.
fn true_includers(files: &[FileIn], depths: &[usize], number: usize, sources: &Sources) -> Vec<(usize, Place)> {
    let mut includers: Vec<_> = files[number].includers.clone();
    if includers.iter().any(|(i, _)| depths[*i] >= depths[number]) {
        // Includers that can be reached from here, and are no nearer to an input, close a cycle.
        let mut above = HashSet::new();
        for (includer, _) in &includers {
            if depths[*includer] >= depths[number] && reaches(files, number, *includer) {
                above.insert(*includer);
            }
        }
        includers.retain(|(i, _)| !above.contains(i));
    }
    sort_by_key(&mut includers, |(i, _)| sources.name(files[*i].source).to_owned());
    includers
}

/// The minimum number of includes that lead from a top file to each file.
///
/// Top files are those named on the command line and those that no file includes; in a cycle that nothing leads to, the
/// file with the shortest path.
fn depths(files: &[FileIn], sources: &Sources) -> Vec<usize> {
    let mut included = vec![Vec::new(); files.len()];
    for (number, file) in files.iter().enumerate() {
        file.includers.iter().for_each(|(i, _)| included[*i].push(number));
    }
    let mut tops: Vec<usize> = (0..files.len()).collect();
    tops.sort_by_cached_key(|n| {
        let name = sources.name(files[*n].source).to_owned();
        (!(files[*n].named || files[*n].includers.is_empty()), name.matches('/').count(), name)
    });
    let mut depths = vec![usize::MAX; files.len()];
    let certain = |n: usize| files[n].named || files[n].includers.is_empty();
    let mut next = std::collections::VecDeque::new();
    for (n, top) in tops.iter().enumerate() {
        if depths[*top] != usize::MAX {
            continue;
        }
        depths[*top] = 0;
        next.push_back(*top);
        // All files that are certainly at the top come first, and together.
        if tops.get(n + 1).is_some_and(|t| certain(*t)) {
            continue;
        }
        while let Some(file) = next.pop_front() {
            for child in &included[file] {
                if depths[*child] == usize::MAX {
                    depths[*child] = depths[file] + 1;
                    next.push_back(*child);
                }
            }
        }
    }
    depths
}

/// Whether one file includes another, directly or through others.
fn reaches(files: &[FileIn], from: usize, to: usize) -> bool {
    let mut seen = HashSet::from([to]);
    let mut next = vec![to];
    while let Some(number) = next.pop() {
        if number == from {
            return true;
        }
        next.extend(files[number].includers.iter().map(|(i, _)| *i).filter(|i| seen.insert(*i)));
    }
    false
}

/// The defaults of every file, merged with those of all files above it.
fn chained(own: &[Defaults], includers: &[Vec<(usize, Place)>]) -> Vec<Defaults> {
    let mut all: Vec<Option<Defaults>> = vec![None; own.len()];
    for number in 0..own.len() {
        // Go up to a file whose defaults are known, that has nothing above it, or that closes a cycle; then down again.
        let mut way = Vec::new();
        let mut on_way = HashSet::new();
        let mut at = Some(number);
        while let Some(file) = at.filter(|f| all[*f].is_none() && on_way.insert(*f)) {
            way.push(file);
            at = includers[file].first().map(|(above, _)| *above);
        }
        for file in way.into_iter().rev() {
            let above = includers[file].first().and_then(|(above, _)| all[*above].as_ref());
            all[file] = Some(above.map_or_else(|| own[file].clone(), |above| own[file].clone().or(above)));
        }
    }
    all.into_iter().map(Option::unwrap_or_default).collect()
}
