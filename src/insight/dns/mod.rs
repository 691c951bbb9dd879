//! What the world sees of a zone: the authoritative answer to any question, and what differs between two zones.
//!
//! | question | answer |
//! |---|---|
//! | which records does a name have, what is above and below it? | [`ZoneIndex`] |
//! | which zone does a name belong to? | [`Zones`] |
//! | how is the zone served, as far as known? | [`Serving`] |

mod index;
mod serving;
mod zones;

pub use index::{Entry, Location, Node, ZoneIndex};
pub use serving::{AUTOMATIC_SECONDS, NEGATIVE_TTL, Serving};
pub use zones::Zones;
