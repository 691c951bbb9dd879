//! Reads configurations of octoDNS and the zone files that they name.
//!
//! A configuration decides which files make a zone, and which records go to Cloudflare. Without a
//! configuration, each file that is named after a zone is that zone.
//!
//! | step | file |
//! |---|---|
//! | read files with what they include, once | `documents`, `includes` |
//! | read configurations | `configuration`, `providers`, `processors` |
//! | decide which zones there are, and which target counts | `zones`, `choice`, `lone_files` |
//! | merge the sources of a zone | `populate`, `natural_order` |
//! | decide what a target gets | `publish`, `values` |
//! | add it to the import | `zone_content` |

mod choice;
mod configuration;
mod documents;
mod ignored_keys;
mod includes;
mod lone_files;
mod natural_order;
mod octodns_file;
mod populate;
mod processors;
mod providers;
mod publish;
mod templating;
mod values;
mod zone_content;
mod zones;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use choice::OctodnsChoice;
pub(crate) use natural_order::natural_order;
pub(super) use octodns_file::OctodnsFile;
pub(crate) use values::members;

use choice::import_configurations;
use configuration::{Configuration, is_configuration};
use documents::Documents;
use includes::Includes;
use lone_files::import_lone_files;

use super::import_result::ImportResult;
use crate::diagnostic::{Place, Source, findings};
use crate::spec::Yaml;

/// Imports files of octoDNS.
pub(super) fn read_files(files: &[OctodnsFile], choice: &OctodnsChoice, found: &mut ImportResult) {
    if files.is_empty() {
        return;
    }
    let mut documents = Documents::default();
    for file in files {
        documents.add_text(&file.path, file.source);
    }
    let mut configurations: Vec<Configuration> = Vec::new();
    let mut candidates: Vec<PathBuf> = Vec::new();
    let mut lone_files: Vec<&OctodnsFile> = Vec::new();
    let mut unused_files: Vec<&OctodnsFile> = Vec::new();
    let mut by_tree: BTreeMap<&Path, Vec<&OctodnsFile>> = BTreeMap::new();
    for file in files {
        by_tree.entry(&file.tree).or_default().push(file);
    }
    for (tree, files) in by_tree {
        let mut includes = Includes::default();
        let mut has_configuration = false;
        let mut no_configurations = Vec::new();
        for file in files {
            let Some(root) = read_candidate(file, &mut includes, found) else {
                no_configurations.push(file);
                continue;
            };
            has_configuration = true;
            candidates.push(file.path.clone());
            if choice.config.as_deref().is_none_or(|config| is_chosen(config, tree, &file.path)) {
                configurations.extend(Configuration::read(&root, tree, &file.path, found));
            } else {
                found.skip_file(&file.path, "another configuration was chosen with `--config`");
            }
        }
        let included = includes.included();
        let is_included = |file: &&&OctodnsFile| {
            file.path.canonicalize().is_ok_and(|path| included.contains(&path))
        };
        let (_, not_included): (Vec<&OctodnsFile>, Vec<&OctodnsFile>) =
            no_configurations.into_iter().partition(|file| has_configuration && is_included(&file));
        if has_configuration {
            unused_files.extend(not_included)
        } else {
            lone_files.extend(not_included)
        }
    }
    if let Some(config) = choice
        .config
        .as_deref()
        .filter(|_| configurations.is_empty() && !found.diagnostics.has_errors())
    {
        return report_unknown_configuration(config, &candidates, found);
    }
    import_configurations(&configurations, choice, &mut documents, found);
    skip_unread(&unused_files, &documents, found);
    import_lone_files(&lone_files, choice, &mut documents, found);
}

/// Reads a file that may be a configuration; `None` if it is not one. Mistakes in other files are
/// not reported here.
fn read_candidate(
    file: &OctodnsFile,
    includes: &mut Includes,
    found: &mut ImportResult,
) -> Option<Yaml> {
    let text = found.sources.get(file.source).map_or("", Source::text);
    let has_line = |start: &str| {
        text.lines().any(|line| line.trim_start_matches(['"', '\'']).starts_with(start))
    };
    let has_sections = has_line("providers") && has_line("zones");
    let names_sections = text.contains("providers") && text.contains("zones");
    if !(has_sections || names_sections || text.contains("!include")) {
        return None;
    }
    let earlier_diagnostics = std::mem::take(&mut found.diagnostics);
    let root = includes.read(&file.tree, &file.path, file.source, found);
    includes.take_remarks();
    let file_diagnostics = std::mem::replace(&mut found.diagnostics, earlier_diagnostics);
    let is_candidate = root.as_ref().is_some_and(is_configuration);
    if is_candidate || (root.is_none() && has_sections) {
        found.diagnostics.append(file_diagnostics);
    }
    root.filter(|_| is_candidate)
}

/// Returns true if the user chose a configuration by its path, or by its path below the directory
/// that the user named.
fn is_chosen(config: &Path, tree: &Path, path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let path = real(path);
    path.is_some() && (real(config) == path || real(&tree.join(config)) == path)
}

/// Reports that the chosen configuration is not among the existing ones.
fn report_unknown_configuration(config: &Path, candidates: &[PathBuf], found: &mut ImportResult) {
    let why = format!(
        "`--config {}` is not a configuration of octoDNS below the sources",
        config.display()
    );
    let paths: Vec<String> = candidates.iter().map(|path| path.display().to_string()).collect();
    let help = match paths.is_empty() {
        true => "a configuration has `providers` and `zones`; name a directory that contains one"
            .to_owned(),
        false => format!("there is {}", paths.join(", ")),
    };
    found.report(findings::UNREADABLE_SOURCE, "", Place::NOWHERE, &why, Some(help));
}

/// Notes the files that no configuration reads.
fn skip_unread(files: &[&OctodnsFile], documents: &Documents, found: &mut ImportResult) {
    let read = documents.read_paths();
    for file in files {
        if !file.path.canonicalize().is_ok_and(|path| read.contains(&path)) {
            found.skip_file(&file.path, "no configuration of octoDNS that was read names it");
        }
    }
}
