//! From what differs to new texts of the spec's files.

use std::collections::BTreeMap;

use super::selected_differences::{Chosen, Left};
use super::source_tree::SourceTree;
use super::workspace::Workspace;
use super::{records, rules, settings};
use crate::diagnostic::{Source, SourceId, Sources};
use crate::model::{Desired, Live};

/// A spec and what Cloudflare has.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    /// What the spec wants.
    pub desired: &'a Desired,
    /// What the previous spec wanted, if it is known.
    pub base: Option<&'a Desired>,
    /// What Cloudflare has.
    pub live: &'a Live,
    /// The texts that the spec was read from.
    pub sources: &'a Sources,
    /// The variables of the command line.
    pub given: &'a [(String, String)],
}

/// New texts of files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proposal {
    /// By their place among the sources.
    pub texts: Vec<(SourceId, String)>,
    /// What a reader should know about where values were changed.
    pub notes: Vec<String>,
    /// What was left alone, and why.
    pub left: Left,
}

/// Why no texts can be proposed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProposeError {
    /// A file cannot be taken apart.
    #[error("{name} cannot be edited: {why}")]
    Unreadable {
        /// Its name.
        name: String,
        /// Why.
        why: String,
    },
    /// Two changes are not independent.
    #[error("the changes cannot be made together: {0}; pull one of them with --only")]
    Overlap(String),
}

/// The texts of the spec's files with what was chosen written into them. With `is_local`, values
/// are changed where they are used, and never where they are defined.
///
/// # Errors
/// A file cannot be taken apart, or two changes touch the same bytes.
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
    let mut left = Left::new();
    for (name, zone) in &desired.zones {
        let Some(live) = live.zones.get(name).filter(|live| !live.is_new) else { continue };
        let base = base.map(|base| base.zones.get(name));
        // A zone that the previous spec did not name wanted nothing.
        let nothing = crate::model::DesiredZone::new(name.clone(), zone.place);
        let base = base.map(|base| base.unwrap_or(&nothing));
        settings::pull(&mut workspace, (zone, live), chosen, &mut left);
        rules::pull(&mut workspace, (zone, live), chosen, &mut left);
        records::pull(&mut workspace, (zone, base, live), chosen, &mut left);
    }
    let notes = workspace.notes.iter().cloned().collect();
    let texts = workspace.texts().map_err(ProposeError::Overlap)?;
    Ok(Proposal { texts, notes, left })
}

/// Whether a source is a file, and not standard input or the command line.
fn is_file(name: &str) -> bool {
    !matches!(name, "<stdin>" | "--var")
}

/// The comments of a text.
///
/// # Errors
/// The text cannot be read.
pub fn comments(text: &str) -> Result<Vec<&str>, String> {
    let tree = SourceTree::read(text)?;
    Ok(tree.comments.iter().map(|range| text[range.clone()].trim_end()).collect())
}
