//! The public view of a zone: the authoritative answer to any query, and the differences between
//! two zones.
//!
//! | question | answer |
//! |---|---|
//! | which records does a name have, what is above and below it? | [`ZoneIndex`] |
//! | which zone does a name belong to? | [`Zones`] |
//! | how is the zone served, as far as known? | [`Serving`] |
//! | what is the answer for a name and type? | [`Zones::answer`] |
//! | which answers differ between two states? | [`differences()`] |
//! | what does an edit mean to those who ask? | [`explain`] |
//! | how long do caches keep old answers? | `caching` |
//! | when does everyone see a change? | `visibility` |
//! | do the answers for a name lead to a server? | [`Zones::leads_to_server`] |
//! | where do chains of aliases end? | [`AliasChains`] |
//! | what refers to a name? | [`References`] |
//! | what does a changed path of answers look like? | [`pictures`] |

mod alias_chains;
mod alias_effects;
mod answer;
mod answer_in_words;
mod answer_source;
mod caching;
mod differences;
mod edit_effects;
mod entry;
mod index;
mod leads_to_server;
mod lost_types;
mod picture;
mod proxy_change;
mod record_edit;
mod references;
mod serving;
mod serving_change;
mod visibility;
mod wildcard_effects;
mod zones;

pub use alias_chains::{AliasChains, ChainEnd, ChainedAlias};
pub use answer::{Alias, Answer, End, NoData, Own, Referral, Unknown};
pub use caching::NEGATIVE_TTL;
pub use differences::{Class, Difference, differences};
pub use edit_effects::{Explained, explain};
pub use entry::Entry;
pub use index::{Location, NameNode, ZoneIndex};
pub use picture::{Picture, PictureNode, PictureTopic, pictures};
pub use record_edit::RecordEdit;
pub use references::{HostRule, Reference, References};
pub use serving::{Hindrance, Serving};
pub use zones::Zones;
