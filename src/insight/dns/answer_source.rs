//! The source of the answers for a name: its own records, a wildcard, a delegation, or nothing.

use super::index::{NameNode, ZoneIndex};

/// The source of the answers for a name.
#[derive(Debug, Clone, Copy)]
pub(super) enum AnswerSource<'z, 'a> {
    /// Records of its own.
    Own(NameNode<'z, 'a>),
    Wildcard(NameNode<'z, 'a>),
    /// Nothing, but names below it exist.
    Empty,
    Nothing,
    /// Other name servers. The name is at or below this delegation.
    Cut(NameNode<'z, 'a>),
}

impl<'z, 'a> AnswerSource<'z, 'a> {
    /// Returns the source of a name in a zone.
    pub(super) fn of(zone: &'z ZoneIndex<'a>, name: &str) -> Self {
        let Some(location) = zone.locate(name) else { return Self::Nothing };
        match (
            location.cut,
            location.exact.filter(NameNode::has_records),
            location.wildcard,
            location.exact,
        ) {
            (Some(cut), ..) => Self::Cut(cut),
            (None, Some(own), ..) => Self::Own(own),
            (None, None, Some(star), _) => Self::Wildcard(star),
            (None, None, None, Some(_)) => Self::Empty,
            (None, None, None, None) => Self::Nothing,
        }
    }
}
