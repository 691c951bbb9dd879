//! Reads master files: zones as BIND writes them or as Cloudflare exports them.
//!
//! This is not left to a library because of `$GENERATE`, and because Cloudflare's export has proxy
//! status, tags and comment of a record in a comment behind the record (`notes`).
//!
//! # Sources
//! RFC 1035 section 5.1 (master files), RFC 2308 section 4 (`$TTL`), the BIND 9 Administrator
//! Reference Manual (`$GENERATE`), and
//! developers.cloudflare.com/dns/manage-dns-records/how-to/import-and-export, read 2026-11-26.

mod entries;
mod includes;
mod notes;
mod outline;
mod record_set_ttls;
mod spelled_name;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use self::entries::{Head, Line, Lines, Token, duration, expand};
use self::includes::{IncludedFile, Includes, ReadFile};
pub(super) use self::outline::Outline;
use self::record_set_ttls::RecordSetTtls;
use self::spelled_name::SpelledName;
use super::comments;
use super::import_result::{Entry, ImportResult, Translation, Written};
use crate::diagnostic::{Place, Source, SourceId, Span, count, findings};
use crate::model::facts::{self, FieldKind};
use crate::model::{Fqdn, RecordType, ZoneName};

/// Maximum number of records of all `$GENERATE` lines of a zone.
const MOST_GENERATED: u64 = 70_000;
/// Record types that a name server generates or maintains itself.
const MADE: &[&str] = &["SOA", "RRSIG", "NSEC", "NSEC3", "NSEC3PARAM", "CDS", "CDNSKEY", "ZONEMD"];

/// State of the reader that later entries inherit.
struct Reader<'f> {
    zone: &'f ZoneName,
    /// The origin; `None` after one that is not valid.
    origin: Option<SpelledName>,
    /// The owner of an entry that states none, or why there is none.
    owner: Result<SpelledName, &'static str>,
    ttl: Option<u32>,
    /// True after a `$TTL` that is not valid: records without a TTL of their own are left out.
    is_ttl_invalid: bool,
    /// TTL of the previous record, for files without `$TTL`.
    previous_ttl: Option<u32>,
    /// True for an export of Cloudflare, in which a comment behind a record is the comment of the
    /// record.
    is_export: bool,
    /// Number of records from `$GENERATE` lines.
    generated: u64,
    includes: Includes<'f>,
    /// Reasons for files that were not included. Each reason is reported once.
    include_failures: BTreeSet<String>,
    /// Number of records that name servers generate, by type.
    made: BTreeMap<String, usize>,
    /// Number of records of an export that do not state whether they are proxied.
    without_proxy_status: usize,
    record_set_ttls: RecordSetTtls,
}

/// Reads the records of a zone file.
pub(super) fn read<'f>(
    source: SourceId,
    zone: &'f ZoneName,
    is_export: bool,
    directory: &Path,
    read_file: &'f mut ReadFile<'f>,
    found: &mut ImportResult,
) {
    found.zone(zone);
    let mut reader = Reader {
        zone,
        origin: Some(zone.as_fqdn().clone().into()),
        owner: Err("the first record has no owner"),
        ttl: None,
        is_ttl_invalid: false,
        previous_ttl: None,
        is_export,
        generated: 0,
        includes: Includes::new(read_file),
        include_failures: BTreeSet::new(),
        made: BTreeMap::new(),
        without_proxy_status: 0,
        record_set_ttls: RecordSetTtls::default(),
    };
    reader.file(source, directory, found);
    reader.record_set_ttls.finish(zone, found);
    let shown =
        found.sources.get(source).map_or_else(String::new, |source| source.name().to_owned());
    if !reader.made.is_empty() {
        let made: Vec<String> =
            reader.made.iter().map(|(kind, n)| count(*n, &format!("{kind} record"))).collect();
        let detail = format!("{shown}: {}; Cloudflare makes such records itself", made.join(", "));
        found.diagnostics.push(findings::GOES_ELSEWHERE.nowhere(detail));
    }
    if reader.without_proxy_status > 0 {
        let records = count(reader.without_proxy_status, "record");
        let detail = format!(
            "{shown}: {records} without `cf-proxied` in Cloudflare's export; imported as not proxied"
        );
        let help = "check these records, or import the live zone: `zonewright import ZONE`";
        found.diagnostics.push(findings::ASSUMED.nowhere(detail).help(help));
    }
}

impl Reader<'_> {
    /// Reads the entries of a file.
    fn file(&mut self, source: SourceId, directory: &Path, found: &mut ImportResult) {
        let text =
            found.sources.get(source).map_or(String::new(), |source| source.text().to_owned());
        self.includes.enter(source);
        for line in Lines::new(&text) {
            let line = match line {
                Ok(line) => line,
                Err((at, why)) => {
                    let place = Place { source, span: Span::new(at, at + 1) };
                    found.report(findings::UNREADABLE_SOURCE, "", place, why, None);
                    break;
                }
            };
            let Some(first) = line.words.first() else { continue };
            let end = line.words.last().map_or(first.at, |word| word.at + word.text.len());
            let place = Place { source, span: Span::new(first.at, end) };
            let outcome = match line.directive().as_deref() {
                Some("$ORIGIN") => self.set_origin(&line),
                Some("$TTL") => self.set_ttl(&line),
                Some("$INCLUDE") => match self.include(&line, directory, found) {
                    Err(why) if !self.include_failures.insert(why.clone()) => {
                        found.count("line", Translation::LeftOut);
                        Ok(())
                    }
                    outcome => outcome,
                },
                Some("$GENERATE") => self.generate(&line, place, found),
                Some(directive) => Err(format!("`{directive}` is not a directive of zone files")),
                None => self.record(&line, place, found),
            };
            if let Err(why) = outcome {
                found.refuse(findings::INVALID_IN_SOURCE, "line", "", place, &why);
            }
        }
        self.includes.leave();
    }

    /// Reads `$ORIGIN name`. After an invalid one, relative names mean nothing.
    fn set_origin(&mut self, line: &Line) -> Result<(), String> {
        let before = self.origin.take();
        let [_, name] = line.words.as_slice() else {
            return Err("`$ORIGIN` needs one name".to_owned());
        };
        self.origin = Some(SpelledName::parse(&name.text, before.as_ref())?);
        Ok(())
    }

    /// Reads `$TTL seconds`. After an invalid one, it is not known which TTL is meant.
    fn set_ttl(&mut self, line: &Line) -> Result<(), String> {
        let ttl = match line.words.as_slice() {
            [_, ttl] => duration(&ttl.text),
            _ => None,
        };
        self.is_ttl_invalid = ttl.is_none();
        self.ttl = Some(ttl.ok_or("`$TTL` needs one number of seconds")?);
        Ok(())
    }

    /// Reads `$INCLUDE file [origin]`.
    fn include(
        &mut self,
        line: &Line,
        directory: &Path,
        found: &mut ImportResult,
    ) -> Result<(), String> {
        let IncludedFile { source, path } = self.includes.read(line, directory, found)?;
        let (origin, owner) = (self.origin.clone(), self.owner.clone());
        if let Some(other) = line.words.get(2) {
            self.origin = Some(SpelledName::parse(&other.text, self.origin.as_ref())?);
        }
        self.record_set_ttls.end_runs();
        self.file(source, path.parent().unwrap_or(directory), found);
        self.record_set_ttls.end_runs();
        (self.origin, self.owner) = (origin, owner);
        Ok(())
    }

    /// Reads `$GENERATE start-stop[/step] owner [ttl] [class] type value`. The entry behind it has
    /// the owner of the entry before it, as in BIND.
    fn generate(
        &mut self,
        line: &Line,
        place: Place,
        found: &mut ImportResult,
    ) -> Result<(), String> {
        let words: Vec<&Token> = line.words.iter().skip(1).collect();
        let [range, rest @ ..] = words.as_slice() else {
            return Err("`$GENERATE` needs a range".to_owned());
        };
        let (range, step) = range.text.split_once('/').unwrap_or((&range.text, "1"));
        let bounds = range
            .split_once('-')
            .and_then(|(from, to)| Some((from.parse::<u32>().ok()?, to.parse::<u32>().ok()?)));
        let (Some((from, to)), Ok(step @ 1..)) = (bounds, step.parse::<u32>()) else {
            return Err("the range of `$GENERATE` is `start-stop` or `start-stop/step`".to_owned());
        };
        let Some(span) = to.checked_sub(from) else {
            return Err("the range of `$GENERATE` ends before it begins".to_owned());
        };
        let wanted = u64::from(span / step) + 1;
        self.generated += wanted;
        if self.generated > MOST_GENERATED {
            return Err(format!("`$GENERATE` makes more than {MOST_GENERATED} records"));
        }
        let mut failures: Vec<String> = Vec::new();
        let owner = self.owner.clone();
        let runs = self.record_set_ttls.suspend_runs();
        for n in (from..=to).step_by(step as usize) {
            let expand = |word: &&Token| Ok(Token { text: expand(&word.text, n)?, at: word.at });
            let words = rest.iter().map(expand).collect::<Result<_, String>>();
            let record =
                words.map(|words| Line { is_continued: false, words, note: line.note.clone() });
            failures.extend(record.and_then(|record| self.record(&record, place, found)).err());
        }
        self.owner = owner;
        self.record_set_ttls.resume_runs(runs);
        // The caller reports the first failure; the other failures have the same cause.
        let Some(first) = failures.first() else { return Ok(()) };
        failures.iter().skip(1).for_each(|_| found.count("line", Translation::LeftOut));
        Err(match failures.len() {
            1 => first.clone(),
            n => format!("{} of `$GENERATE` are left out; the first: {first}", count(n, "record")),
        })
    }

    fn record(
        &mut self,
        line: &Line,
        place: Place,
        found: &mut ImportResult,
    ) -> Result<(), String> {
        let head = line.head();
        let is_authority = head.is_some_and(|head| head.type_name.eq_ignore_ascii_case("SOA"));
        if let Some(owner) = line.owner() {
            // The zone is the owner of the SOA record. Cloudflare's export may omit its final dot.
            let stated = match is_authority {
                true => Ok(self.zone.as_fqdn().clone().into()),
                false => self.owner_name(&owner.text),
            };
            // A refused owner is not the one before it, for the entries that follow either.
            self.owner = stated.clone().map_err(|_| "the owner that was stated last is not valid");
            stated?;
        }
        let spelled_owner = self.owner.clone()?;
        self.record_set_ttls.enter_owner(&spelled_owner);
        let owner = spelled_owner.name;
        let Head { other_class, ttl: stated, type_name, value } =
            head.ok_or("the record has no type")?;
        if let Some(class) = other_class {
            return Err(format!("its class is {class}, and Cloudflare only has IN"));
        }
        let type_name = type_name.to_ascii_uppercase();
        if is_authority && stated.or(self.ttl).or(self.previous_ttl).is_none() {
            // BIND takes the last field of an SOA record without TTL for the default.
            self.ttl = value.get(6).and_then(|minimum| duration(&minimum.text));
        }
        let ttl = stated.or(self.ttl).or(self.previous_ttl);
        let is_in_set = !self.is_export && owner.is_within(self.zone.as_fqdn());
        let ttl_in_run = match is_in_set {
            true => self.record_set_ttls.add(&type_name, ttl, self.name_server(&type_name, value)),
            false => ttl,
        };
        self.previous_ttl = ttl_in_run;
        if MADE.contains(&type_name.as_str()) {
            *self.made.entry(type_name).or_default() += 1;
            return Ok(());
        }
        let zone = self.zone;
        let what = format!("{owner} {type_name}");
        if type_name == "NS" && owner == *zone.as_fqdn() {
            let why = "Cloudflare assigns the name servers of the zone itself";
            found.refuse(findings::NOT_TRANSLATED, "record", &what, place, why);
            return Ok(());
        }
        let Some(record_type) = RecordType::parse(&type_name) else {
            let is_generic =
                type_name.strip_prefix("TYPE").is_some_and(|number| number.parse::<u16>().is_ok());
            // RFC 3597 section 5: types and values by their numbers.
            let why = match is_generic {
                true => {
                    "types by their number are not read; write the name of the type and its value"
                }
                false => "Cloudflare has no such type of record",
            };
            found.refuse(findings::NOT_TRANSLATED, "record", &what, place, why);
            return Ok(());
        };
        if !owner.is_within(zone.as_fqdn()) {
            return Err(format!("{owner} is not in the zone {zone}"));
        }
        // RFC 3597 section 5.
        if value.first().is_some_and(|first| first.text == "\\#") {
            let why = "values in octets (`\\#`) are not read; write the value as its type does";
            found.refuse(findings::NOT_TRANSLATED, "record", &what, place, why);
            return Ok(());
        }
        let value = self.value(&type_name, value)?;
        if stated.is_none() && self.is_ttl_invalid {
            return Err(format!(
                "{what}: it has the TTL of the last `$TTL` line, which is not valid"
            ));
        }
        let name = owner.absolute();
        let mut entry = Entry::new(zone, &name, &type_name, Written::Text(value));
        // Cloudflare keeps a TTL for each record, and its export says so.
        entry.ttl = match self.is_export {
            true => ttl,
            false => self.record_set_ttls.note(&owner, record_type, place, ttl, ttl_in_run),
        };
        if let Some(text) = found.sources.get(place.source).map(Source::text) {
            // A line with two semicolons is a heading of Cloudflare's export.
            let at = place.span.start as usize;
            entry.comments = comments::above(text, at, &[";"]);
            entry.comments.retain(|(at, _)| !text[*at..].trim_start().starts_with(";;"));
            let is_remark = !self.is_export && !line.note.is_empty();
            entry.comments.extend(is_remark.then(|| (at, line.note.clone())));
        }
        if self.is_export {
            let is_unstated = add_note(&line.note, &mut entry) && record_type.facts().proxiable;
            self.without_proxy_status += usize::from(is_unstated);
        }
        found.record("record", &what, place, entry);
        Ok(())
    }

    /// Returns the absolute owner of a record. Cloudflare's export may omit final dots.
    fn owner_name(&self, text: &str) -> Result<SpelledName, String> {
        let zone = self.zone.as_str();
        let is_full = self.is_export
            && text.strip_suffix(zone).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        match is_full {
            true => Fqdn::parse(text).map(Into::into).map_err(|error| format!("`{text}`: {error}")),
            false => SpelledName::parse(text, self.origin.as_ref()),
        }
    }

    /// Returns the host of an NS record.
    fn name_server(&self, type_name: &str, value: &[Token]) -> Option<Fqdn> {
        let host = value.first().filter(|_| type_name == "NS")?;
        SpelledName::parse(&host.text, self.origin.as_ref()).ok().map(|host| host.name)
    }

    /// Returns the value in presentation form, with absolute host names.
    fn value(&self, type_name: &str, words: &[Token]) -> Result<String, String> {
        let facts = facts::type_facts(type_name);
        let mut out = Vec::new();
        for (n, word) in words.iter().enumerate() {
            let kind = facts.and_then(|facts| facts.fields.get(n)).map(|field| field.kind);
            out.push(match kind {
                Some(FieldKind::Host | FieldKind::HostOrRoot | FieldKind::HostKeepDot)
                    if word.text != "." =>
                {
                    SpelledName::parse(&word.text, self.origin.as_ref())?.name.absolute()
                }
                Some(FieldKind::CharacterStrings) | None
                    if type_name == "TXT" && !word.text.starts_with('"') =>
                {
                    format!("\"{}\"", word.text)
                }
                _ => word.text.clone(),
            });
        }
        Ok(out.join(" "))
    }
}

/// Adds the attributes that Cloudflare's export writes behind a record. Returns true if the proxy
/// status is missing.
fn add_note(text: &str, entry: &mut Entry<'_>) -> bool {
    let note = notes::parse(text);
    entry.comment = note.comment;
    entry.tags = note.tags;
    entry.proxied = note.proxied.unwrap_or_default();
    entry.settings.flatten_cname = note.is_flattened.then_some(true);
    entry.not_translated.extend(note.unknown);
    note.proxied.is_none()
}
