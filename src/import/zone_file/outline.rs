//! Scans a zone file before its records are read, for its zone and the files that it includes.
//!
//! The zone is the owner of the SOA record, or else the zone that the user names, or else the zone
//! in the file's name, or else the first `$ORIGIN`. The zone is the initial origin (RFC 1035
//! section 5.1), and `$ORIGIN` does not change it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::entries::{Line, Lines};
use super::includes::{IncludedFile, Includes, ReadFile};
use super::notes;
use super::spelled_name::SpelledName;
use crate::diagnostic::{Place, SourceId, Span};
use crate::import::import_result::ImportResult;
use crate::model::{Fqdn, ZoneName};

/// Facts about a zone file that its reader needs.
#[derive(Debug, Default)]
pub(in crate::import) struct Outline {
    /// Owners of SOA records, each with its first place.
    pub(in crate::import) authorities: Vec<(Fqdn, Place)>,
    pub(in crate::import) first_origin: Option<Fqdn>,
    /// Included files.
    pub(in crate::import) included: BTreeSet<PathBuf>,
    /// Zone in the header of Cloudflare's export.
    exported_zone: Option<Fqdn>,
    /// True for an export of Cloudflare.
    pub(in crate::import) is_export: bool,
    /// Number of records.
    pub(in crate::import) record_count: usize,
    /// Place and reason if the file itself cannot be divided into entries.
    pub(in crate::import) unreadable: Option<(Place, &'static str)>,
}

impl Outline {
    /// Scans a file. `assumed` is the origin until the file states one.
    pub(in crate::import) fn read<'f>(
        source: SourceId,
        directory: &Path,
        assumed: Option<&ZoneName>,
        read_file: &'f mut ReadFile<'f>,
        found: &mut ImportResult,
    ) -> Self {
        let text = found.sources.get(source).map_or("", |source| source.text());
        let exported_zone = zone_of_header(text);
        let mut outline =
            Self { is_export: exported_zone.is_some(), exported_zone, ..Self::default() };
        let has_full_names = outline.is_export || text.contains(notes::TAGS);
        let mut scan =
            Scan { outline: &mut outline, has_full_names, includes: Includes::new(read_file) };
        scan.file(source, directory, assumed.map(|zone| zone.as_fqdn().clone().into()), found);
        outline
    }

    /// Returns the zone of the file.
    pub(in crate::import) fn zone(
        &self,
        given: Option<&ZoneName>,
        named: Option<ZoneName>,
    ) -> Option<ZoneName> {
        let parse = |name: &Fqdn| ZoneName::parse(name.as_str()).ok();
        let authority = self.authorities.first().and_then(|(owner, _)| parse(owner));
        let stated = || self.first_origin.as_ref().or(self.exported_zone.as_ref()).and_then(parse);
        authority.or_else(|| given.cloned()).or(named).or_else(stated)
    }
}

struct Scan<'s, 'f> {
    outline: &'s mut Outline,
    /// True if the owner of the SOA record is absolute. Cloudflare's export omits the final dot.
    has_full_names: bool,
    includes: Includes<'f>,
}

impl Scan<'_, '_> {
    /// Scans a file. Errors are reported later, with the records.
    fn file(
        &mut self,
        source: SourceId,
        directory: &Path,
        mut origin: Option<SpelledName>,
        found: &mut ImportResult,
    ) {
        let text =
            found.sources.get(source).map_or(String::new(), |source| source.text().to_owned());
        self.includes.enter(source);
        for line in Lines::new(&text) {
            let line = match line {
                Ok(line) => line,
                Err((at, why)) => {
                    let place = Place { source, span: Span::new(at, at + 1) };
                    self.outline.unreadable =
                        Some((place, why)).filter(|_| self.includes.is_outermost());
                    break;
                }
            };
            match line.directive().as_deref() {
                Some("$ORIGIN") => {
                    let stated = line
                        .words
                        .get(1)
                        .and_then(|word| SpelledName::parse(&word.text, origin.as_ref()).ok());
                    if let Some(stated) = &stated {
                        self.outline.first_origin.get_or_insert_with(|| stated.name.clone());
                    }
                    origin = stated;
                }
                Some("$INCLUDE") => self.include(&line, directory, origin.as_ref(), found),
                Some(_) => {}
                None => self.record(&line, source, origin.as_ref()),
            }
        }
        self.includes.leave();
    }

    fn include(
        &mut self,
        line: &Line,
        directory: &Path,
        origin: Option<&SpelledName>,
        found: &mut ImportResult,
    ) {
        let Ok(IncludedFile { source, path }) = self.includes.read(line, directory, found) else {
            return;
        };
        self.outline.included.insert(path.clone());
        let stated = line.words.get(2).and_then(|word| SpelledName::parse(&word.text, origin).ok());
        self.file(
            source,
            path.parent().unwrap_or(directory),
            stated.or_else(|| origin.cloned()),
            found,
        );
    }

    fn record(&mut self, line: &Line, source: SourceId, origin: Option<&SpelledName>) {
        let Some(head) = line.head() else { return };
        self.outline.record_count += 1;
        self.outline.is_export |= notes::has_tags(&line.note);
        if let Some(owner) = line.owner().filter(|_| head.type_name.eq_ignore_ascii_case("SOA")) {
            let place = Place { source, span: Span::new(owner.at, owner.at + owner.text.len()) };
            let is_full = self.has_full_names
                || origin.is_none_or(|origin| origin.name.as_str() == owner.text);
            let name = match is_full && owner.text != "@" {
                true => Fqdn::parse(&owner.text).ok(),
                false => SpelledName::parse(&owner.text, origin).ok().map(|owner| owner.name),
            };
            if let Some(name) =
                name.filter(|name| self.outline.authorities.iter().all(|(known, _)| known != name))
            {
                self.outline.authorities.push((name, place));
            }
        }
    }
}

/// Returns the zone in the header of Cloudflare's export; `None` for other files.
fn zone_of_header(text: &str) -> Option<Fqdn> {
    let header =
        || text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with(';'));
    let value = |name: &str| {
        header().find_map(|line| line.trim_start_matches(';').trim_start().strip_prefix(name))
    };
    let domain = value("Domain:").filter(|_| value("Exported:").is_some())?;
    Fqdn::parse(domain.trim()).ok()
}
