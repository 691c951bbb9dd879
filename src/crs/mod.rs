//! The OWASP Core Rule Set as the user has it on disk. We ship no rule text.
//!
//! | question | files |
//! |---|---|
//! | where are the rules? | `load` |

mod load;

pub use load::{CrsError, DEBIAN_RULES, load};
