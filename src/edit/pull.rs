//! Turns differences into new texts of the spec's files.

use std::collections::BTreeMap;

use super::selected_differences::{Chosen, Left};
use super::source_tree::SourceTree;
use super::workspace::Workspace;
use super::{records, rules, settings};
use crate::diagnostic::{Source, SourceId, Sources};
use crate::model::{Desired, Live};

/// A spec and the live state.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    /// Desired state of the spec.
    pub desired: &'a Desired,
    /// Desired state of the previous spec, if it is known.
    pub base: Option<&'a Desired>,
    /// Live state at Cloudflare.
    pub live: &'a Live,
    /// Texts from which the spec was read.
    pub sources: &'a Sources,
    /// Variables of the command line.
    pub given: &'a [(String, String)],
}

/// Proposed texts of the spec's files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proposal {
    /// New texts with the identifiers of their sources.
    pub texts: Vec<(SourceId, String)>,
    /// Notes about places where values were changed.
    pub notes: Vec<String>,
    /// Differences that were left alone, with reasons.
    pub left: Left,
}

/// Reasons why no texts can be proposed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProposeError {
    /// A file cannot be parsed.
    #[error("{name} cannot be edited: {why}")]
    Unreadable {
        /// Name of the file.
        name: String,
        /// Reason of the failure.
        why: String,
    },
    /// Two changes overlap.
    #[error("the changes cannot be made together: {0}; pull one of them with --only")]
    Overlap(String),
}

/// Writes the chosen differences into the texts of the spec's files. With `is_local`, values are
/// changed at their use and never at a shared definition.
///
/// # Errors
/// Fails if a file cannot be parsed, or if two changes touch the same bytes.
pub fn propose(
    sides: Sides<'_>,
    chosen: &Chosen<'_>,
    is_local: bool,
) -> Result<Proposal, ProposeError> {
    let Sides { desired, base, live, sources, given } = sides;
    let files: Vec<(SourceId, &Source)> =
        sources.iter().filter(|(_, source)| is_file(source.name())).collect();
    let mut trees: BTreeMap<SourceId, SourceTree<'_>> = BTreeMap::new();
    for (id, source) in &files {
        let tree = SourceTree::read(source.text())
            .map_err(|why| ProposeError::Unreadable { name: source.name().to_owned(), why })?;
        trees.insert(*id, tree);
    }
    let files = files.iter().map(|(id, source)| (*id, source.name(), &trees[id])).collect();
    let mut workspace = Workspace::new(files, given, is_local);
    let mut left_alone = Left::new();
    for (name, zone) in &desired.zones {
        let Some(live) = live.zones.get(name).filter(|live| !live.is_new) else { continue };
        let base = base.map(|base| base.zones.get(name));
        // The previous spec desires nothing for a zone that it does not name.
        let nothing = crate::model::DesiredZone::new(name.clone(), zone.place);
        let base = base.map(|base| base.unwrap_or(&nothing));
        settings::pull(&mut workspace, (zone, live), chosen, &mut left_alone);
        rules::pull(&mut workspace, (zone, live), chosen, &mut left_alone);
        records::pull(&mut workspace, (zone, base, live), chosen, &mut left_alone);
    }
    let notes = workspace.notes.iter().cloned().collect();
    let texts = workspace.texts().map_err(ProposeError::Overlap)?;
    Ok(Proposal { texts, notes, left: left_alone })
}

/// Returns true if a source is a file, not standard input or the command line.
fn is_file(name: &str) -> bool {
    !matches!(name, "<stdin>" | "--var")
}

/// Lists the comments of a text.
///
/// # Errors
/// Fails if the text cannot be read.
pub fn comments(text: &str) -> Result<Vec<&str>, String> {
    let tree = SourceTree::read(text)?;
    Ok(tree.comments.iter().map(|range| text[range.clone()].trim_end()).collect())
}
