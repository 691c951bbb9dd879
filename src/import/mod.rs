//! Generates specs from live zones. Planning such a spec changes nothing.

mod from_live;

pub use from_live::{Imported, from_live};
