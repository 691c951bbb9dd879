//! Effects of changed records, as sentences with a topic.

use std::rc::Rc;

use super::direction::Direction;
use crate::diagnostic::first_of;
use crate::model::{Danger, Fqdn, RecordType};

/// The topic of an effect.
///
/// # Order
/// By importance: the most important topic comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// The name servers that answer for a name.
    NameServers,
    /// The DNSSEC chain of trust.
    Dnssec,
    /// The authorities that may issue certificates.
    Issuance,
    /// The servers that receive mail.
    Mail,
    MailAuthentication,
    /// The addresses and targets of a name.
    Addresses,
    /// The control of the hosting behind a name.
    Hosting,
}

impl Topic {
    /// Returns the types of records that the topic is about.
    #[must_use]
    pub fn record_types(self) -> &'static [RecordType] {
        use RecordType::{A, Aaaa, Caa, Cname, Dnskey, Ds, Mx, Ns, Txt};
        match self {
            Self::NameServers => &[Ns],
            Self::Dnssec => &[Ds, Dnskey],
            Self::Issuance => &[Caa],
            Self::Mail => &[Mx],
            Self::MailAuthentication => &[Txt],
            Self::Addresses | Self::Hosting => &[A, Aaaa, Cname],
        }
    }
}

/// An effect of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    pub topic: Topic,
    /// The affected domain, which is not always the owner of the record.
    pub name: Fqdn,
    /// The direction of the domain's protection.
    pub direction: Direction,
    /// The required consent; `None` if the effect is only shown.
    pub danger: Option<Danger>,
    /// Sentence for the reviewer. It can contain text from the spec and from Cloudflare.
    pub line: String,
}

/// The indices of the edits that cause an effect, and the effect. Effects share the indices,
/// because a change of hundreds of records can have hundreds of effects.
pub type Caused = (Rc<[usize]>, Effect);

impl Effect {
    /// Creates an effect that is only shown.
    pub(super) fn shown(
        topic: Topic,
        name: &Fqdn,
        direction: Direction,
        line: impl Into<String>,
    ) -> Self {
        Self { topic, name: name.clone(), direction, danger: None, line: line.into() }
    }

    /// Creates an effect that needs a consent.
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

/// Lists at most five members in a sentence, then the number of further ones.
pub(super) fn at_most_five<T: ToString>(members: impl IntoIterator<Item = T>) -> String {
    first_of(members, 5)
}
