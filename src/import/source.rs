//! Reads files and directories of other tools: detects their kinds and collects the files that
//! belong together.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::import_result::ImportResult;
use super::octodns::OctodnsFile;
use super::source_files::read;
use super::source_kind::{SourceKind, is_terraform_code, is_terraform_values};
use super::terraform::{self, GivenZones};
use super::zone_files::{self, MasterFile};
use super::zone_of_path::zone_of_path;
use super::{csv, dnscontrol, octodns};
use crate::diagnostic::{Place, SourceId, count, findings};
use crate::model::ZoneName;
use crate::wire::json;

/// Maximum number of files in a directory.
const MOST_FILES: usize = 20_000;
/// Maximum number of values in a JSON document. A record of a state has about forty.
const MOST_VALUES: usize = 1_200_000;
/// Maximum depth of directories.
const DEEPEST: usize = 16;

/// Reads files and directories. Reports unreadable ones in [`ImportResult::diagnostics`].
#[must_use]
pub fn read_sources(
    paths: &[PathBuf],
    from: Option<SourceKind>,
    given: &GivenZones,
) -> ImportResult {
    let mut reader = Reader::new(from, given);
    for path in paths {
        if path.is_dir() {
            reader.tree.clone_from(path);
            reader.directory(path);
        } else {
            reader.tree = path.parent().unwrap_or(Path::new("")).to_owned();
            reader.file(path, true);
        }
    }
    reader.finish()
}

/// Reads one text, such as standard input.
#[must_use]
pub fn read_text(name: &str, text: String, from: SourceKind, given: &GivenZones) -> ImportResult {
    let mut reader = Reader::new(Some(from), given);
    let source = reader.found.sources.add(name, unmarked(text));
    reader.source(Path::new(name), source, from, true);
    reader.finish()
}

/// Sources that are being read, by kind.
struct Reader<'g> {
    from: Option<SourceKind>,
    given: &'g GivenZones,
    found: ImportResult,
    /// Directory that is being read.
    tree: PathBuf,
    octodns_files: Vec<OctodnsFile>,
    /// Configuration files of each directory.
    modules: Vec<(PathBuf, Vec<SourceId>)>,
    /// Resources of states and plans.
    resources: Vec<terraform::Resource>,
    /// Files in the format of BIND.
    master_files: Vec<MasterFile>,
    /// Tables, with the zones of rows that name none.
    tables: Vec<(SourceId, Option<ZoneName>)>,
    /// Output of `dnscontrol print-ir`.
    documents: Vec<dnscontrol::Document>,
    /// Skips of directories and files that matched something.
    skips_used: BTreeSet<String>,
}

impl<'g> Reader<'g> {
    fn new(from: Option<SourceKind>, given: &'g GivenZones) -> Self {
        Self {
            from,
            given,
            found: ImportResult::default(),
            tree: PathBuf::new(),
            octodns_files: Vec::new(),
            modules: Vec::new(),
            resources: Vec::new(),
            master_files: Vec::new(),
            tables: Vec::new(),
            documents: Vec::new(),
            skips_used: BTreeSet::new(),
        }
    }

    /// Translates the sources that need all files: octoDNS files include each other, a Terraform
    /// source may name the zones of another, and several files may belong to one zone.
    fn finish(mut self) -> ImportResult {
        octodns::read_files(&self.octodns_files, &self.given.octodns, &mut self.found);
        zone_files::read_zone_files(
            std::mem::take(&mut self.master_files),
            self.given.default.as_ref(),
            &mut self.found,
        );
        for (source, zone) in std::mem::take(&mut self.tables) {
            csv::read(source, zone.as_ref(), &mut self.found);
        }
        dnscontrol::translate(&self.documents, &self.given.providers, &mut self.found);
        let modules = std::mem::take(&mut self.modules);
        self.resources.extend(terraform::read_configurations(
            modules,
            &self.given.values,
            &mut self.found,
        ));
        terraform::translate(std::mem::take(&mut self.resources), self.given, &mut self.found);
        self.report_idle_skips();
        self.found.finish();
        self.found
    }

    /// Reports skips of directories and files that match nothing.
    fn report_idle_skips(&mut self) {
        let paths = self.given.skip.iter().filter(|skip| terraform::is_skipped_path(skip));
        for skip in paths.filter(|skip| !self.skips_used.contains(*skip)) {
            let why = "no file of the sources is there";
            self.found.report(
                findings::NAMES_NOTHING,
                &format!("--skip {skip}"),
                Place::NOWHERE,
                why,
                None,
            );
        }
    }

    /// Returns true if the user skips a file, and notes the skip.
    fn is_skipped(&mut self, path: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let is_in = |skip: &&String| {
            terraform::is_skipped_path(skip) && real(path).starts_with(real(Path::new(skip)))
        };
        let Some(skip) = self.given.skip.iter().find(is_in) else { return false };
        self.skips_used.insert(skip.clone());
        self.found.skip_file(path, format!("`--skip {skip}` names it"));
        true
    }

    /// Returns true if none of Terraform's files is about Cloudflare. Such files do not hide the
    /// files of another tool.
    fn is_stray(files: &[PathBuf]) -> bool {
        let is_about = |path: &PathBuf| match is_terraform_code(path) {
            true => read(path).is_ok_and(|text| {
                text.contains("cloudflare")
                    || text.contains("module \"")
                    || text.contains("\"module\"")
            }),
            false => {
                SourceKind::of_name(path) == Some(SourceKind::Terraform)
                    && !is_terraform_values(path)
            }
        };
        !files.iter().any(is_about)
    }

    /// Reports a source that cannot be read.
    fn unreadable(&mut self, path: &Path, why: &str) {
        let shown = path.display().to_string();
        let is_missing = !path.exists();
        let help = match is_missing {
            true => Some(
                "a source with a slash is a path; name a live zone as `example.com`".to_owned(),
            ),
            false => is_javascript(path).then(|| dnscontrol::HOW_TO_PRINT.to_owned()),
        };
        self.found.report(findings::UNREADABLE_SOURCE, &shown, Place::NOWHERE, why, help);
    }

    /// Reads the files of a directory that belong to one kind of source.
    fn directory(&mut self, path: &Path) {
        let is_hidden = |entry: &walkdir::DirEntry| {
            entry.depth() > 0
                && entry.file_name().to_str().is_some_and(|name| name.starts_with('.'))
        };
        let mut walk =
            walkdir::WalkDir::new(path).max_depth(DEEPEST).sort_by_file_name().into_iter();
        let mut files = Vec::new();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return self.unreadable(path, &error.to_string()),
            };
            let kind = entry.file_type();
            if is_hidden(&entry) {
                self.found.skip_file(entry.path(), "hidden");
                if kind.is_dir() {
                    walk.skip_current_dir();
                }
            } else if kind.is_dir() && entry.depth() == DEEPEST {
                self.found.skip_file(entry.path(), format!("deeper than {DEEPEST} directories"));
            } else if kind.is_symlink() {
                self.found.skip_file(entry.path(), "a symbolic link");
            } else if kind.is_file() {
                files.push(entry.into_path());
            } else if !kind.is_dir() {
                self.found.skip_file(entry.path(), "not a regular file");
            }
            if files.len() > MOST_FILES {
                return self.unreadable(path, &format!("it has more than {MOST_FILES} files"));
            }
        }
        files.retain(|file| !self.is_skipped(file));
        // Directories of Terraform hold other files, too; zone files lie beside octoDNS's
        // configuration.
        let order = [
            SourceKind::Terraform,
            SourceKind::Octodns,
            SourceKind::Dnscontrol,
            SourceKind::Bind,
            SourceKind::Csv,
        ];
        // Many directories have a YAML file; octoDNS files are named after their zones.
        let is_certain =
            |file: &&PathBuf, kind| kind != SourceKind::Octodns || zone_of_path(file).is_some();
        let of = |kind| move |file: &&PathBuf| SourceKind::of_name(file) == Some(kind);
        let configuration = files.iter().find(|file| is_dnscontrol_configuration(file));
        let is_stray = Self::is_stray(&files);
        let candidates =
            || order.into_iter().filter(|kind| !(is_stray && *kind == SourceKind::Terraform));
        let by_name = candidates()
            .find(|kind| files.iter().filter(of(*kind)).any(|file| is_certain(&file, *kind)));
        let by_ending =
            || candidates().chain(order).find(|kind| files.iter().any(|file| of(*kind)(&file)));
        let Some(kind) = self.from.or(by_name).or_else(by_ending) else {
            return match configuration {
                Some(file) => self.unreadable(file, "it has to be evaluated by DNSControl first"),
                None => self.unreadable(path, "it has no file of a known kind"),
            };
        };
        if let Some(file) = configuration {
            self.found.skip_file(file, dnscontrol::HOW_TO_PRINT);
        }
        let is_chosen = self.from.is_some();
        for other in order.into_iter().filter(|other| *other != kind && !is_chosen) {
            let unread = files.iter().filter(of(other)).filter(|file| is_certain(file, other));
            // YAML files beside Terraform code may be about something else.
            let is_about_dns = |file: &&PathBuf| {
                (kind, other) != (SourceKind::Terraform, SourceKind::Octodns)
                    || read(file).is_ok_and(|text| is_zone(&text))
            };
            let unread = unread.filter(is_about_dns).count();
            if is_stray && other == SourceKind::Terraform {
                let stray = files.iter().filter(of(other));
                stray.for_each(|file| self.found.skip_file(file, "it has nothing of Cloudflare"));
            } else {
                self.unread(path, kind, other, unread);
            }
        }
        let has_code = files.iter().any(|file| is_terraform_code(file));
        for file in files {
            match reason_to_skip(&file, kind, has_code) {
                Some(reason) => self.found.skip_file(&file, reason),
                None => self.file(&file, false),
            }
        }
    }

    /// Reports files of a kind that are not read because their directory belongs to another kind.
    fn unread(&mut self, path: &Path, kind: SourceKind, other: SourceKind, files: usize) {
        if files > 0 {
            let (shown, kind, other) = (path.display().to_string(), kind.name(), other.name());
            let verb = if files == 1 { "is" } else { "are" };
            let why = format!(
                "it is read as {kind}, so {} of {other} in it {verb} not read",
                count(files, "file")
            );
            let help = format!("import them as well: `zonewright import --from {other} {shown}`");
            self.found.report(findings::NOT_TRANSLATED, &shown, Place::NOWHERE, &why, Some(help));
        }
    }

    /// Reads a file.
    fn file(&mut self, path: &Path, is_given: bool) {
        if is_given && self.is_skipped(path) {
            return;
        }
        let text = match read(path) {
            Ok(text) => text,
            // The values are unknown, which does not affect entries that need none of them.
            Err(why) if is_terraform_values(path) => {
                self.found.unread_values.insert(path.to_owned(), why);
                return;
            }
            Err(why) => return self.unreadable(path, &why),
        };
        let recognized = || recognize(&text).filter(|_| !is_javascript(path));
        let kind = self.from.or_else(|| SourceKind::of_name(path)).or_else(recognized);
        let source = self.found.sources.add(path.display().to_string(), unmarked(text));
        match kind {
            Some(kind) => {
                self.found.read_file(path);
                self.source(path, source, kind, is_given);
            }
            None if is_given => self.unreadable(path, "its format is not recognized"),
            None => self.found.skip_file(path, "its format is not recognized"),
        }
    }

    /// Reads a text of a known kind.
    fn source(&mut self, path: &Path, source: SourceId, kind: SourceKind, is_given: bool) {
        self.found.kinds.insert(kind);
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        match kind {
            SourceKind::Terraform | SourceKind::Dnscontrol => {
                let text = self.found.sources.get(source).map_or("", |source| source.text());
                let is_values = is_terraform_values(path);
                if kind == SourceKind::Terraform
                    && (is_values || is_terraform_code(path) || !text.trim_start().starts_with('{'))
                {
                    self.found.has_variables |= !is_values;
                    match self.modules.iter_mut().find(|(of, _)| *of == directory) {
                        Some((_, files)) => files.push(source),
                        None => self.modules.push((directory, vec![source])),
                    }
                    return;
                }
                match json::parse_limited(text.as_bytes(), MOST_VALUES) {
                    Ok(json) => self.json(path, json),
                    Err(error) => self.unreadable(path, &error.to_string()),
                }
            }
            SourceKind::Octodns => {
                let zone_in_path = zone_of_path(path);
                let is_named_like_zone = zone_in_path.is_some();
                let zone = zone_in_path.or_else(|| self.given.default.clone());
                let (tree, path) = (self.tree.clone(), path.to_owned());
                self.octodns_files.push(OctodnsFile {
                    tree,
                    path,
                    source,
                    zone,
                    is_named_like_zone,
                });
            }
            SourceKind::Csv => {
                let zone = zone_of_path(path).or_else(|| self.given.default.clone());
                self.tables.push((source, zone));
            }
            SourceKind::Bind => {
                self.master_files.push(MasterFile {
                    path: path.to_owned(),
                    source,
                    is_named: is_given,
                });
            }
        }
    }

    /// Reads a JSON document.
    fn json(&mut self, path: &Path, json: Json) {
        if dnscontrol::is_document(&json) {
            self.found.kinds.insert(SourceKind::Dnscontrol);
            self.documents.push(dnscontrol::Document { path: path.to_owned(), json });
        } else if terraform::is_document(&json) {
            match terraform::read_document(&json, &path.display().to_string()) {
                Ok(resources) => self.resources.extend(resources),
                Err(why) => self.unreadable(path, &why),
            }
        } else {
            self.unreadable(
                path,
                "it is neither a state or plan of Terraform nor the output of \
                `dnscontrol print-ir`",
            );
        }
    }
}

/// Returns why a file of a directory that is read as a kind of source is not read.
fn reason_to_skip(file: &Path, kind: SourceKind, has_code: bool) -> Option<String> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let own_kind = SourceKind::of_name(file);
    if own_kind != Some(kind) {
        // Many tools have YAML files; files that are named after zones are reported elsewhere as
        // octoDNS files.
        let own_kind = own_kind.filter(|own| *own != SourceKind::Octodns);
        let what = own_kind.map_or_else(String::new, |own| format!(", but of {}", own.name()));
        return Some(format!("not a file of {}{what}", kind.name()));
    }
    if has_code && name.ends_with(".tfstate") {
        return Some("a state beside configuration; import it alone to use it instead".to_owned());
    }
    // Values that Terraform does not load by itself belong to another environment.
    is_of_environment(file)
        .then(|| "Terraform does not load it by itself; use `--var-file`".to_owned())
}

/// Removes the byte order mark that editors write. No format counts it as part of the text.
fn unmarked(text: String) -> String {
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

/// Returns true for a file with values of one environment. Terraform loads such a file only if it
/// is named.
fn is_of_environment(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.strip_suffix(".json").unwrap_or(name);
    is_terraform_values(path) && stem != "terraform.tfvars" && !stem.ends_with(".auto.tfvars")
}

/// Returns true if the text of a YAML file looks like a zone of octoDNS.
fn is_zone(text: &str) -> bool {
    text.contains("type:") && text.contains("value")
}

/// Detects the kind of a text by its beginning.
fn recognize(text: &str) -> Option<SourceKind> {
    let start = text.trim_start();
    if start.starts_with('{') {
        return Some(
            if start.contains("\"terraform_version\"") || start.contains("\"format_version\"") {
                SourceKind::Terraform
            } else {
                SourceKind::Dnscontrol
            },
        );
    }
    let is_master = |line: &str| {
        line.starts_with("$ORIGIN")
            || line.starts_with("$TTL")
            || line.split_whitespace().any(|word| word == "IN")
    };
    if start.lines().take(50).any(is_master) {
        return Some(SourceKind::Bind);
    }
    let header = start.lines().next().unwrap_or_default().to_ascii_lowercase();
    (header.contains("name") && header.contains("type") && header.contains(','))
        .then_some(SourceKind::Csv)
}

/// Returns true for a program. No format of an import is a program.
fn is_javascript(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "js")
}

/// Returns true for the usual name of DNSControl's configuration.
fn is_dnscontrol_configuration(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "dnsconfig.js")
}
