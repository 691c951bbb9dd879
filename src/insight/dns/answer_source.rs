//! Where the answers for a name come from: its own records, a wildcard, a delegation, or nowhere.

use super::index::{Node, ZoneIndex};

/// Where the answers for a name come from.
#[derive(Debug, Clone, Copy)]
pub(super) enum AnswerSource<'z, 'a> {
    /// Records of its own.
    Own(Node<'z, 'a>),
    /// A wildcard.
    Wildcard(Node<'z, 'a>),
    /// Nowhere, but there are names below it.
    Empty,
    /// Nowhere.
    Nothing,
    /// Other name servers: it is at or below this delegation.
    Cut(Node<'z, 'a>),
}

impl<'z, 'a> AnswerSource<'z, 'a> {
    /// The source of a name in a zone.
    pub(super) fn of(zone: &'z ZoneIndex<'a>, name: &str) -> Self {
        let Some(location) = zone.locate(name) else { return Self::Nothing };
        match (
            location.cut,
            location.exact.filter(Node::has_records),
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
