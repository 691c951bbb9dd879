//! Specs from what is there already. Planned, such a spec changes nothing.

mod from_live;

pub use from_live::{Imported, from_live};
