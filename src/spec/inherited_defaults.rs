//! The defaults that apply in each file: its own, and those of the files that include it.

use std::collections::HashSet;

use super::attributes::Defaults;
use super::syntax::FileSyntax;
use super::variables::ZoneScalars;
use super::yaml_tree::Tree;
use crate::diagnostic::findings;
use crate::diagnostic::{Diagnostics, Place, SourceId, Sources};
use crate::model::sort_by_key;

/// A file that was read.
pub(super) struct FileIn {
    pub(super) source: SourceId,
    /// Its tree; `None` if the file could not be read.
    pub(super) tree: Option<Tree>,
    /// Its syntax, from the tree.
    pub(super) syntax: Option<FileSyntax>,
    /// The files that include it.
    pub(super) includers: Vec<(usize, Place)>,
    /// True if it was named on the command line.
    pub(super) named: bool,
    /// Starts of mappings from which the shape check removed something.
    pub(super) reduced: HashSet<u32>,
    /// The scalars of profiles that contain `${ZONE}`.
    pub(super) of_zone: ZoneScalars,
}

/// Returns the defaults that apply in each file: its own, then those of the files that include it.
pub(super) fn file_defaults(
    files: &[FileIn],
    sources: &Sources,
    diagnostics: &mut Diagnostics,
) -> Vec<Defaults> {
    let own_defaults: Vec<Defaults> = files
        .iter()
        .map(|file| match file.syntax.as_ref().and_then(|s| s.defaults.as_ref()) {
            Some(defaults) => Defaults::new(defaults, file.source, diagnostics),
            None => Defaults::default(),
        })
        .collect();
    if files.iter().all(|f| f.syntax.as_ref().is_none_or(|s| s.defaults.is_none())) {
        return own_defaults;
    }
    let depths = depths(files, sources);
    let includers: Vec<Vec<(usize, Place)>> =
        (0..files.len()).map(|n| true_includers(files, &depths, n, sources)).collect();
    let all_defaults = chained(&own_defaults, &includers);
    for (number, includers) in includers.iter().enumerate() {
        let Some(((first, first_place), others)) = includers.split_first() else { continue };
        for (other, place) in others {
            // A key that the file sets itself is not inherited, so a difference there does not
            // matter.
            let (a, b) = (
                own_defaults[number].clone().or(&all_defaults[*first]),
                own_defaults[number].clone().or(&all_defaults[*other]),
            );
            let Some((key, one, another)) = a.difference(&b) else { continue };
            let mut diagnostic = findings::DEFAULTS_CLASH
                .at(
                    *place,
                    format!(
                        "`{}` inherits another default `{key}` from here",
                        sources.name(files[number].source)
                    ),
                )
                .and_at(*first_place, "than from here");
            for place in [one, another].into_iter().flatten() {
                diagnostic = diagnostic.and_at(place, format!("a default `{key}`"));
            }
            diagnostics
                .push(diagnostic.help("include the file once, or give it its own `defaults`"));
            break;
        }
    }
    all_defaults
}

/// Returns the files whose defaults a file inherits, by name: the files that include it, except
/// those that only close a cycle.
fn true_includers(
    files: &[FileIn],
    depths: &[usize],
    number: usize,
    sources: &Sources,
) -> Vec<(usize, Place)> {
    let mut includers: Vec<_> = files[number].includers.clone();
    if includers.iter().any(|(i, _)| depths[*i] >= depths[number]) {
        // An includer that this file reaches, and that is no nearer to an input, closes a cycle.
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

/// Returns the minimum number of includes that lead from a top file to each file.
///
/// Top files are those named on the command line and those that no file includes. In a cycle that
/// no other file leads to, it is the file with the shortest path.
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
    let mut waiting = std::collections::VecDeque::new();
    for (n, top) in tops.iter().enumerate() {
        if depths[*top] != usize::MAX {
            continue;
        }
        depths[*top] = 0;
        waiting.push_back(*top);
        // All certain top files come first, and together.
        if tops.get(n + 1).is_some_and(|t| certain(*t)) {
            continue;
        }
        while let Some(file) = waiting.pop_front() {
            for child in &included[file] {
                if depths[*child] == usize::MAX {
                    depths[*child] = depths[file] + 1;
                    waiting.push_back(*child);
                }
            }
        }
    }
    depths
}

/// Returns true if one file includes another, directly or through others.
fn reaches(files: &[FileIn], from: usize, to: usize) -> bool {
    let mut visited = HashSet::from([to]);
    let mut waiting = vec![to];
    while let Some(number) = waiting.pop() {
        if number == from {
            return true;
        }
        waiting
            .extend(files[number].includers.iter().map(|(i, _)| *i).filter(|i| visited.insert(*i)));
    }
    false
}

/// Returns the defaults of every file, merged with those of all files above it.
fn chained(own: &[Defaults], includers: &[Vec<(usize, Place)>]) -> Vec<Defaults> {
    let mut defaults: Vec<Option<Defaults>> = vec![None; own.len()];
    for number in 0..own.len() {
        // Goes up to a file whose defaults are known, that has nothing above it, or that closes a
        // cycle. Then goes down again.
        let mut way = Vec::new();
        let mut on_way = HashSet::new();
        let mut at = Some(number);
        while let Some(file) = at.filter(|f| defaults[*f].is_none() && on_way.insert(*f)) {
            way.push(file);
            at = includers[file].first().map(|(above, _)| *above);
        }
        for file in way.into_iter().rev() {
            let above = includers[file].first().and_then(|(above, _)| defaults[*above].as_ref());
            defaults[file] =
                Some(above.map_or_else(|| own[file].clone(), |above| own[file].clone().or(above)));
        }
    }
    defaults.into_iter().map(Option::unwrap_or_default).collect()
}
