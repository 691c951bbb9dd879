//! What a change of records does to the world, as sentences with their weight.

use std::rc::Rc;

use super::direction::Direction;
use crate::diagnostic::first_of;
use crate::model::{Danger, Fqdn};

/// What an effect is about.
///
/// # Order
/// By weight: what matters most comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// Who answers for a name.
    NameServers,
    /// The chain of trust.
    Dnssec,
    /// Which authorities may issue certificates.
    Issuance,
    /// Where mail goes.
    Mail,
    /// Whether mail is recognised as genuine.
    MailAuthentication,
    /// Where a name leads.
    Addresses,
    /// Who controls the hosting behind a name.
    Hosting,
}

/// One effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// What it is about.
    pub topic: Topic,
    /// Whom it concerns: the domain, not always the owner of the record.
    pub name: Fqdn,
    /// Whether the domain is better or worse protected by it.
    pub direction: Direction,
    /// The consent that it needs; `None` if it is only shown.
    pub danger: Option<Danger>,
    /// A sentence for the reviewer. It can contain text from the spec and from Cloudflare.
    pub line: String,
}

/// The numbers of the edits that bring an effect about, and the effect. Effects share the numbers,
/// because a change of hundreds of records can have hundreds of effects.
pub type Caused = (Rc<[usize]>, Effect);

impl Effect {
    /// An effect that is only shown.
    pub(super) fn shown(
        topic: Topic,
        name: &Fqdn,
        direction: Direction,
        line: impl Into<String>,
    ) -> Self {
        Self { topic, name: name.clone(), direction, danger: None, line: line.into() }
    }

    /// An effect that needs a consent.
    pub(super) fn needing(
        danger: Danger,
        topic: Topic,
        name: &Fqdn,
        line: impl Into<String>,
    ) -> Self {
        Self {
            topic,
            name: name.clone(),
            direction: Direction::Weakens,
            danger: Some(danger),
            line: line.into(),
        }
    }
}

/// A list in a sentence: at most five members, then how many more.
pub(super) fn listed<T: ToString>(members: impl IntoIterator<Item = T>) -> String {
    first_of(members, 5)
}
