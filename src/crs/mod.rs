//! The OWASP Core Rule Set as the user has it on disk, and what it says about requests. We ship no rule text.
//!
//! | question | files |
//! |---|---|
//! | where are the rules? | `load` |
//! | how do they see a request? | `sent` |
//! | which rules does Cloudflare have, if it is not asked? | `catalogue` |

mod catalogue;
mod load;
mod sent;

pub use catalogue::catalogue;
pub use load::{CrsError, DEBIAN_RULES, load};
pub use sent::{Unseen, as_sent, hits};
