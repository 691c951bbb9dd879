//! A rehearsal: what Cloudflare has is copied into a fresh sandbox, the plan is applied there, and
//! the sandbox's name server is asked what the spec expects.
//!
//! ```text
//!  Cloudflare ──snapshot──▶ document ──copy──▶ sandbox ◀── apply (as for Cloudflare)
//!                                                 │
//!                                                 └─ questions ──▶ passed · failed · unknown
//! ```
//!
//! The copy is made from the answers of the API as they are in a snapshot, not from our reading of
//! them. What the sandbox refuses is left out and named. Nothing here can write to Cloudflare: the
//! snapshot is all that is known of it.

mod copy;
mod questions;

pub use copy::document;
pub use questions::{QuestionError, Reply, ask, judge};
